"""Annual rate of overturning at a site, its parts by intensity, and the capacity of high confidence.

Kennedy, R. P. and Ravindra, M. K. (1984). Seismic fragilities for nuclear power plant risk studies. Nuclear
Engineering and Design 79(1), 47-68 (capacity of high confidence of low probability of failure).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Unpack

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike
from scipy.special import ndtri

from mcrock.dataset.opened import takes_path
from mcrock.dataset.schema import OUTER
from mcrock.statistics.efficiency import own_measure
from mcrock.statistics.epistemic import epistemic_fragility
from mcrock.statistics.hazard import MEAN, check_measure
from mcrock.statistics.inference import Bootstrap, BootstrapKeywords, Confidence, ConfidenceKeywords, takes
from mcrock.statistics.nested import is_nested, pooled, read_crossed
from mcrock.statistics.probability import BOUNDS, overturning_probability
from mcrock.statistics.probit import Fit, evaluate_curves, fit_curves
from mcrock.statistics.rate_intervals import lognormal_bounds, rising_rate_bounds
from mcrock.statistics.rates import lognormal_rates, refine
from mcrock.statistics.resample import Units, collect_units
from mcrock.statistics.rising import RisingCurve, places, rising_curve
from mcrock.statistics.runs import ALL_STAND, ESTIMATE, check_runs, overturned, record_index, run_intensity

CURVES = ("lognormal", "stripes")
BINS = 48  # along ln(intensity) in which the rate is disaggregated
LOW = 0.01  # probability of the capacity of high confidence on the mean curve [1]
CONFIDENCE = 0.95  # of the capacity of high confidence, of at most a probability of 1 - CONFIDENCE [1]


@takes_path
@takes(Bootstrap)
def annual_rate(
    ds: xr.Dataset, hazard: xr.Dataset, *, years: float = 50.0, **keywords: Unpack[BootstrapKeywords]
) -> xr.Dataset:
    """Annual rate of overturning at a site, by two fragilities of the same runs.

    "lognormal" is the curve of `fit_fragility`, whose lower tail is an assumption; "stripes" are the
    fractions themselves, made rising with the least change (isotonic regression), 0 below the lowest
    intensity and constant above the highest. Hazard curves are log-log between their rows; nothing is added
    for intensities outside the table. Intervals are for new earthquakes with this hazard: bootstrap-t
    intervals of the logarithm of the rate (`mcrock.statistics.rate_intervals`), with undecided runs both
    ways.

    Parameters
    ----------
    ds : Dataset
        As for `fit_fragility`; the runs of a nested study are pooled.
    hazard : Dataset
        From `load_hazard`, of the intensity of the study.
    years : float
        Time for which the probability is given [a].
    **keywords
        Of `mcrock.statistics.Bootstrap`: `level`, `cluster`, `allow_missing`, `resamples` and `seed`.

    Returns
    -------
    Dataset
        Along `fragility`, "lognormal" and "stripes", and `hazard`: `rate` and `rate_interval` (bound) [1/a]
        from intensities in the table, and `probability` in ``years`` with `probability_interval` [1];
        `rate_above` (bound) [1/a], bounds of what intensities beyond the table add. `share` (fragility,
        intensity_bin) [1], parts of the rate of the mean hazard by bins of the intensity between `bin_lower`
        and `bin_upper`; `share_below` and `share_beyond` (fragility) [1], its parts below
        `weakest_overturning` and beyond `strongest_run`, where no run supports a curve. At `weakest_run`,
        below which "stripes" is 0, the rising fraction is `weakest_fraction` [1]: unless that is small the
        rate by "stripes" lacks much. `first_probability` (fragility) [1] at the weakest row of the table, the
        largest among intensities below it. NaN where there is no curve or no interval.

    Raises
    ------
    HazardError
        If the hazard is of another intensity.
    ValueError
        As `fit_fragility`; if ``years`` is not > 0.
    """
    how = Bootstrap(**keywords)
    if not (np.isfinite(years) and years > 0):
        raise ValueError(f"years must be finite and > 0 [a], got {years!r}")
    ds = pooled(ds)
    check_runs(ds)
    check_measure(run_intensity(ds), hazard, own_measure(ds))
    units = _units(ds, how)
    x, names = hazard["hazard_intensity"].values, hazard["hazard"].values.tolist()
    weakest, strongest = _support(units)
    edges = np.geomspace(x[0], x[-1], BINS + 1)
    runs, counts = units.total(units.runs), units.total(units.overturned[ESTIMATE])
    there = runs > 0
    further = np.concatenate([edges, places(units.intensity[there]), [weakest, strongest]])
    tables = [refine(x, hazard["rate"].sel(hazard=name).values, further) for name in names]
    shape = (len(CURVES), len(names))
    points = overturning_probability(ds, **how.keywords)
    ends = np.stack(
        [lognormal_bounds(units, how, tables), rising_rate_bounds(units, how, tables, points)], axis=1
    )
    rates, above = np.empty(shape), np.empty((2, *shape))
    shares, first = np.empty((len(CURVES), BINS)), np.empty(len(CURVES))
    outside = np.empty((2, len(CURVES)))
    for i, make in enumerate(MAKE.values()):
        fragility = make(units.intensity[there], counts[there], runs[there])
        for j, (name, (grid, rate)) in enumerate(zip(names, tables, strict=True)):
            pieces = fragility.rates(grid, rate)
            rates[i, j] = pieces.sum()
            above[:, i, j] = fragility.at(grid[-1:]).item() * rate[-1], rate[-1]
            if name == MEAN:
                middle = np.sqrt(grid[1:] * grid[:-1])
                place = np.clip(np.searchsorted(edges, middle) - 1, 0, BINS - 1)
                with np.errstate(invalid="ignore", divide="ignore"):
                    share = pieces / pieces.sum()
                shares[i] = np.bincount(place, weights=share, minlength=BINS)
                outside[:, i] = share[middle < weakest].sum(), share[middle > strongest].sum()
                first[i] = fragility.at(grid[:1]).item()
    axis = {key: value for key, value in run_intensity(ds).attrs.items() if key in ("units", "long_name")}
    per_year, one = {"units": "1/a"}, {"units": "1"}
    dims = ("fragility", "hazard")
    return xr.Dataset(
        {
            "rate": (dims, rates, per_year | {"long_name": "annual rate of overturning"}),
            "rate_interval": (("bound", *dims), ends, per_year),
            "probability": (dims, -np.expm1(-rates * years), one | {"long_name": f"in {years:g} years"}),
            "probability_interval": (("bound", *dims), -np.expm1(-ends * years), one),
            "rate_above": (("bound", *dims), above, per_year),
            "share": (("fragility", "intensity_bin"), shares, one | {"long_name": "share of the rate"}),
            "bin_lower": ("intensity_bin", edges[:-1], axis),
            "bin_upper": ("intensity_bin", edges[1:], axis),
            "share_below": ("fragility", outside[0], one),
            "share_beyond": ("fragility", outside[1], one),
            "first_probability": ("fragility", first, one),
            "weakest_overturning": ((), weakest, axis),
            "strongest_run": ((), strongest, axis),
            "weakest_run": ((), units.intensity[0], axis),
            "weakest_fraction": ((), fragility.at(units.intensity[:1]).item(), one),
            "records": ((), record_index(ds)[1], one | {"long_name": "number of independent recordings"}),
        },
        coords={"fragility": list(CURVES), "hazard": names, "bound": BOUNDS},
        attrs={
            "level": how.level,
            "years": years,
            "independent": "records" if how.cluster else "realizations",
        },
    )


def _units(ds: xr.Dataset, how: Confidence) -> Units:
    record, _ = record_index(ds)
    units = collect_units(ds, record if how.cluster else None, how.allow_missing)
    if units.number < 2:
        raise ValueError("a rate needs at least 2 recordings, or independent realizations")
    return units


def _support(units: Units) -> tuple[float, float]:
    """Weakest intensity at which a run overturned without doubt, and strongest of a run."""
    fell = units.total(units.overturned[ALL_STAND]) > 0
    there = units.total(units.runs) > 0
    return float(units.intensity[fell].min(initial=np.inf)), float(units.intensity[there][-1])


class Fragility(NamedTuple):
    """A fragility curve as it is integrated."""

    rates: Callable[[np.ndarray, np.ndarray], np.ndarray]  # from a hazard table to the rate of each piece
    at: Callable[[np.ndarray], np.ndarray]  # probability at intensities


Make = Callable[[np.ndarray, np.ndarray, np.ndarray], Fragility]


def _lognormal(x: np.ndarray, yes: np.ndarray, runs: np.ndarray) -> Fragility:
    """The lognormal curve of counts; NaN where there is none."""
    curves = fit_curves(x, yes[None], runs[None])
    known = bool(curves.kind[0] == Fit.MAXIMUM)
    median, dispersion = float(curves.low_median[0]), float(curves.low_dispersion[0])

    def rates(grid: np.ndarray, rate: np.ndarray) -> np.ndarray:
        return lognormal_rates(grid, rate, median, dispersion) if known else np.full(len(grid) - 1, np.nan)

    def at(points: np.ndarray) -> np.ndarray:
        return evaluate_curves(curves, points)[0][0] if known else np.full(len(points), np.nan)

    return Fragility(rates, at)


def _stripes(x: np.ndarray, yes: np.ndarray, runs: np.ndarray) -> Fragility:
    """Rising fractions."""
    curve = RisingCurve(x, yes, runs)
    return Fragility(curve.rates, curve.at)


MAKE: dict[str, Make] = dict(zip(CURVES, (_lognormal, _stripes), strict=True))


@takes_path
def rate_of_draws(ds: xr.Dataset, hazard: xr.Dataset) -> xr.DataArray:
    """Annual rate of overturning for each outer draw of a nested study: what is epistemic does to it.

    Rates are as counted: their spread holds the noise of the runs of a draw too.

    Parameters
    ----------
    ds : Dataset
        Nested study with all runs, at fixed levels of the intensity.
    hazard : Dataset
        As for `annual_rate`; its mean curve counts.

    Returns
    -------
    DataArray
        (fragility, outer) [1/a], from intensities in the table, by the fragilities of `annual_rate`. NaN
        where a draw has no lognormal curve, as where nothing or everything overturned.

    Raises
    ------
    HazardError
        If the hazard is of another intensity.
    ValueError
        As `variance_shares`.
    """
    crossed = read_crossed(ds)
    check_measure(run_intensity(ds), hazard, own_measure(ds))
    order = np.argsort(ds["intensity"].values, kind="stable")
    x = ds["intensity"].values[order]
    counts = crossed.cells(ESTIMATE).sum(axis=1)[:, order][:, x > 0]
    x = x[x > 0]
    runs = np.full(len(x), float(crossed.runs.sum()))
    grid, rate = refine(hazard["hazard_intensity"].values, hazard["rate"].sel(hazard=MEAN).values, places(x))
    rates = [[make(x, yes, runs).rates(grid, rate).sum() for yes in counts] for make in MAKE.values()]
    words = {"units": "1/a", "long_name": "annual rate of overturning of each outer draw"}
    return xr.DataArray(rates, coords={"fragility": list(CURVES)}, dims=("fragility", OUTER), attrs=words)


@takes_path
@takes(Confidence)
def high_confidence_capacity(ds: xr.Dataset, **keywords: Unpack[ConfidenceKeywords]) -> xr.Dataset:
    """Capacity with high confidence of a low probability of failure (HCLPF), by both of its definitions.

    With the dispersions beta_R of the shaking and beta_U of the median: 95 % confidence of at most 5 % is
    ``median exp(-1.645 (beta_R + beta_U))``; 1 % of the mean curve is ``median exp(-2.326 beta_C)`` with
    ``beta_C**2 = beta_R**2 + beta_U**2``. They agree closely where beta_R = beta_U. Both rest on the
    lognormal tail, which is an assumption; for comparison the intensity is given at which the fractions
    themselves, made rising, reach 1 %.

    Parameters
    ----------
    ds : Dataset
        As for `fit_fragility`. For a nested study beta_R and the epistemic part of beta_U are those of
        `epistemic_fragility`; otherwise beta_R is the whole dispersion.
    **keywords
        Of `mcrock.statistics.Confidence`: `cluster` and `allow_missing`.

    Returns
    -------
    Dataset
        `median_capacity`, `confident` (95 % of at most 5 %), `one_percent` (of the mean curve),
        `stripes_one_percent` (of the rising fractions) and `weakest_overturning` [unit of the intensity];
        `beta_r` and `beta_u`, and the parts `beta_epistemic` and `beta_sampling` of the latter [1]. NaN where
        there is no curve. For a nested study the numbers of `draws`, of those in which nothing overturned,
        `draws_standing`, and of those without a curve, `draws_without_curve` [1].

    Raises
    ------
    ValueError
        As `fit_fragility`.
    """
    how = Confidence(**keywords)
    flat = pooled(ds)
    check_runs(flat)
    units = _units(flat, how)
    runs, yes = units.total(units.runs), units.total(units.overturned[ESTIMATE])
    there = runs > 0
    all_runs = np.concatenate([runs[None], runs - units.runs])[:, there]
    all_yes = np.concatenate([yes[None], yes - units.overturned[ESTIMATE]])[:, there]
    curves = fit_curves(units.intensity[there], all_yes, all_runs)
    regular = curves.kind == Fit.MAXIMUM
    medians = np.where(regular, curves.low_median, np.nan)
    median, beta_r = float(medians[0]), float(np.where(regular, curves.low_dispersion, np.nan)[0])
    off = np.log(medians[1:]) - np.average(np.log(medians[1:]), weights=units.copies)
    sampling = float(np.sqrt((units.number - 1) / units.number * (units.copies * off**2).sum()))
    epistemic, draws = 0.0, dict[str, tuple[int, str]]()
    if is_nested(ds):
        parts = epistemic_fragility(ds)
        fell = overturned(ds).any([dim for dim in ds["outcome"].dims if dim != OUTER])
        draws = {
            "draws": (ds.sizes[OUTER], "number of outer draws"),
            "draws_standing": (int((~fell).sum()), "of them, in which nothing overturned"),
            "draws_without_curve": (int(parts["median_capacity"].isnull().sum()), "of them, without a curve"),
        }
        beta_r, epistemic = float(parts["aleatory"]), float(parts["epistemic"])
    beta_u = float(np.hypot(epistemic, sampling))
    axis = {key: value for key, value in run_intensity(flat).attrs.items() if key == "units"}
    rising = rising_curve(units)
    values = {
        "median_capacity": (median, axis | {"long_name": "median of the mean curve"}),
        "confident": (
            median * np.exp(ndtri(1 - CONFIDENCE) * (beta_r + beta_u)),
            axis | {"long_name": "95 % confidence of at most 5 %"},
        ),
        "one_percent": (
            median * np.exp(ndtri(LOW) * np.hypot(beta_r, beta_u)),
            axis | {"long_name": "1 % of the mean curve"},
        ),
        "stripes_one_percent": (
            rising.reached(LOW),
            axis | {"long_name": "1 % of the rising fractions"},
        ),
        "weakest_overturning": (
            _support(units)[0],
            axis | {"long_name": "weakest intensity with overturning"},
        ),
        "beta_r": (beta_r, {"units": "1", "long_name": "dispersion of the shaking"}),
        "beta_u": (beta_u, {"units": "1", "long_name": "dispersion of the median"}),
        "beta_epistemic": (epistemic, {"units": "1", "long_name": "of it, from epistemic inputs"}),
        "beta_sampling": (sampling, {"units": "1", "long_name": "of it, from the number of records"}),
    }
    values |= {name: (n, {"units": "1", "long_name": words}) for name, (n, words) in draws.items()}
    return xr.Dataset({name: ((), value, attrs) for name, (value, attrs) in values.items()})


def survival(rate: ArrayLike, age: ArrayLike) -> np.ndarray:
    """Probability that a body, such as a precariously balanced rock, has stood for its age.

    Earthquakes that overturn it are a Poisson process. Over an uncertain age the survival probability is
    averaged, not the age. A body that still stands rejects the hazard behind the rate at the confidence level
    1 - survival.

    Parameters
    ----------
    rate : array_like
        Annual rates of overturning [1/a], of any shape.
    age : array_like
        One age or a sample of equally likely ones [a].

    Returns
    -------
    ndarray
        Probability of survival [1], of the shape of ``rate``.

    Raises
    ------
    ValueError
        If an age or a rate is negative or not finite.

    >>> print(survival(1e-4, 10_000).round(4), survival([1e-4, 1e-3], [5_000, 15_000]).round(4))
    0.3679 [0.4148 0.0034]
    """
    rates, ages = np.asarray(rate, float), np.atleast_1d(np.asarray(age, float))
    for name, values, unit in (("rate", rates, "1/a"), ("age", ages, "a")):
        if not (np.isfinite(values) & (values >= 0)).all():
            raise ValueError(f"{name} must be finite and >= 0 [{unit}], got {values.tolist()}")
    found: np.ndarray = np.exp(-rates[..., None] * ages).mean(axis=-1)
    return found
