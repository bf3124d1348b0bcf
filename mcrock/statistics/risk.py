"""Annual rate of overturning at a site, its parts by intensity, and the capacity of high confidence.

Kennedy, R. P. and Ravindra, M. K. (1984). Seismic fragilities for nuclear power plant risk studies. Nuclear
Engineering and Design 79(1), 47-68 (capacity of high confidence of low probability of failure).
"""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike
from scipy.special import ndtri

from mcrock.dataset.opened import takes_path
from mcrock.dataset.schema import OUTER
from mcrock.statistics.accepted_curve import FAMILIES, accept_curve, cut_below, goes_by, rocking_bound
from mcrock.statistics.efficiency import own_measure
from mcrock.statistics.epistemic import epistemic_fragility
from mcrock.statistics.hazard import check_measure
from mcrock.statistics.hazard_files import MEAN
from mcrock.statistics.inference import Bootstrap, BootstrapKeywords, takes
from mcrock.statistics.limits import EVENT, by_support
from mcrock.statistics.nested import is_nested, pooled, read_crossed
from mcrock.statistics.probability import BOUNDS
from mcrock.statistics.probit import PROBIT, FitKind, Link
from mcrock.statistics.rates import refine
from mcrock.statistics.resample import Units
from mcrock.statistics.result_table import table
from mcrock.statistics.rising import places
from mcrock.statistics.runs import ESTIMATE, axis_attrs, check_runs, overturned, record_index, run_intensity
from mcrock.statistics.studentized import (
    Quantity,
    Shares,
    averaged_interval,
    fit_sample,
    jackknife,
    pivots_by_link,
    readings_of,
    values_of,
)

BINS = 48  # along ln(intensity) in which the rate is disaggregated
LOW = 0.01  # probability of the capacity of high confidence on the mean curve [1]
CONFIDENCE = 0.95  # of the capacity of high confidence, of at most a probability of 1 - CONFIDENCE [1]


class FewError(ValueError):
    """Too few recordings, or independent realizations, for what is asked."""


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
        intensity_bin) [1], parts of the rate of the mean hazard by bins of the intensity between
        `bin_lower` and `bin_upper`; `share_below` and `share_beyond` (fragility) [1], its parts below
        `weakest_overturning` and beyond `strongest_run`, where no run supports a curve. At `weakest_run`,
        below which "stripes" is 0, the rising fraction is `weakest_fraction` [1]: unless that is small the
        rate by "stripes" lacks much. `first_probability` [1] is the upper end of the interval of the curve to
        go by at the weakest row of the table. NaN where there is no curve or no interval. Attribute
        `headline` is the fragility to go by, and `why` says so (`mcrock.statistics.accepted_curve`).

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
    accepted = accept_curve(ds, how)
    units = _enough(accepted.units)
    x, names = hazard["hazard_intensity"].values, hazard["hazard"].values.tolist()
    weakest, strongest = accepted.support
    edges, counts = np.geomspace(x[0], x[-1], BINS + 1), units.sums()
    further = np.concatenate([edges, places(counts[0]), [weakest, strongest, accepted.least]])
    rows = [(x, hazard["rate"].sel(hazard=name).values) for name in names]
    tables = [refine(*row, further) for row in rows]
    ends = np.stack([accepted.rate_interval(rows, family) for family in FAMILIES], axis=1)
    curves = accepted.curves
    pieces = [[curve.rates(*table) for table in tables] for curve in curves.values()]
    rates = np.array([[piece.sum() for piece in row] for row in pieces])
    last = np.array([rate[-1] for _, rate in tables])
    above = [[curve.at(grid[-1:]).item() for grid, _ in tables] for curve in curves.values()] * last
    axis, per_year, mean = axis_attrs(ds), {"units": "1/a"}, names.index(MEAN)
    dims = ("fragility", "hazard")
    return table(
        {
            "rate": (dims, rates, per_year | {"long_name": "annual rate of overturning"}),
            "rate_interval": (("bound", *dims), ends, per_year),
            "probability": (dims, -np.expm1(-rates * years), {"long_name": f"in {years:g} years"}),
            "probability_interval": (("bound", *dims), -np.expm1(-ends * years)),
            "rate_above": (("bound", *dims), np.stack([above, np.broadcast_to(last, rates.shape)]), per_year),
            **_disaggregation(edges, tables[mean][0], [row[mean] for row in pieces], weakest, strongest),
            "bin_lower": ("intensity_bin", edges[:-1], axis),
            "bin_upper": ("intensity_bin", edges[1:], axis),
            "first_probability": ((), accepted.band(x[:1])[1].item()),
            "fit_p_value": ((), accepted.choice.p_value),
            "weakest_overturning": ((), weakest, axis),
            "strongest_run": ((), strongest, axis),
            "weakest_run": ((), units.intensity[0], axis),
            "weakest_fraction": ((), curves["stripes"].at(units.intensity[:1]).item()),
            "records": ((), record_index(ds)[1]),
        },
        coords={"fragility": list(FAMILIES), "hazard": names, "bound": BOUNDS},
        attrs={
            "level": how.level,
            "years": years,
            "independent": "records" if how.cluster else "realizations",
        }
        | accepted.choice.attrs,
    )


def headline_rate(rates: xr.Dataset) -> xr.Dataset:
    """The rates of `annual_rate` to go by, of the mean hazard."""
    return rates.sel(hazard=MEAN, fragility=goes_by(rates))


def largest_rate(rates: xr.Dataset) -> tuple[float, bool]:
    """What the headline of `annual_rate` may reach for the mean hazard [1/a], and if no more is known of it.

    It is the upper end of its interval and every earthquake beyond the hazard table, and alone is known where
    these come more often than the rate of those in the table.
    """
    one = headline_rate(rates)
    end, beyond = (float(one[name].sel(bound="upper")) for name in ("rate_interval", "rate_above"))
    return end + beyond, beyond > (float(one["rate"]) or end)


def rate_with_support(
    ds: xr.Dataset, hazard: xr.Dataset, rates: xr.Dataset, **keywords: Unpack[BootstrapKeywords]
) -> xr.Dataset | None:
    """Annual rate of overturning or falling off the support, None without a displacement limit.

    Parameters
    ----------
    ds, hazard, **keywords
        As for `annual_rate`.
    rates : Dataset
        From `annual_rate`, of overturning alone.

    Returns
    -------
    Dataset or None
        As `annual_rate`, by the curves of the limit, which are fitted apart. Attributes ``event``, and
        ``crosses``, 1 where that of overturning alone, which is part of it, has the larger rate.
    """
    if (off := by_support(pooled(ds))) is None:
        return None
    found = annual_rate(off, hazard, years=rates.attrs["years"], **keywords)
    less = bool(headline_rate(found)["rate"] < headline_rate(rates)["rate"])
    return found.assign_attrs({EVENT: off.attrs[EVENT], "crosses": int(less)})


def _disaggregation(
    edges: np.ndarray, grid: np.ndarray, pieces: list[np.ndarray], weakest: float, strongest: float
) -> dict[str, tuple[Any, ...]]:
    """Parts of rates by bins, and below and beyond where runs support a curve; ``pieces`` are of the grid."""
    middle = np.sqrt(grid[1:] * grid[:-1])
    place = np.clip(np.searchsorted(edges, middle) - 1, 0, BINS - 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = [piece / piece.sum() for piece in pieces]
    binned = [np.bincount(place, weights=share, minlength=BINS) for share in shares]
    return {
        "share": (("fragility", "intensity_bin"), binned, {"long_name": "share of the rate"}),
        "share_below": ("fragility", [share[middle < weakest].sum() for share in shares]),
        "share_beyond": ("fragility", [share[middle > strongest].sum() for share in shares]),
    }


def _enough(units: Units) -> Units:
    """Units that can give a rate.

    Raises
    ------
    FewError
        If there is one alone.
    """
    if units.number < 2:
        raise FewError("a rate needs at least 2 recordings, or independent realizations")
    return units


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
    table = hazard["hazard_intensity"].values, hazard["rate"].sel(hazard=MEAN).values
    grid, rate = refine(*cut_below(*table, rocking_bound(pooled(ds))), places(x))
    rates = [
        [family.fit(x, yes, runs, len(crossed.runs)).rates(grid, rate).sum() for yes in counts]
        for family in FAMILIES.values()
    ]
    words = {"units": "1/a", "long_name": "annual rate of overturning of each outer draw"}
    return xr.DataArray(rates, coords={"fragility": list(FAMILIES)}, dims=("fragility", OUTER), attrs=words)


@takes_path
@takes(Bootstrap)
def high_confidence_capacity(ds: xr.Dataset, **keywords: Unpack[BootstrapKeywords]) -> xr.Dataset:
    """Capacity with high confidence of a low probability of failure (HCLPF), by its definitions.

    `confident` is what the words say: with 95 % confidence at most 5 % overturn there. It is the one-sided
    bootstrap-t bound of the intensity at which the lognormal curve has 5 %; in a nested study the distance
    to that bound and the epistemic one, 1.645 times their dispersion, are joined as independent.
    `separation` is the convention of practice, ``median exp(-1.645 (beta_R + beta_U))`` with the dispersions
    beta_R of the shaking and beta_U of the median, which leaves out that beta_R is estimated. `one_percent`,
    1 % of the mean curve, is ``median exp(-2.326 beta_C)`` with ``beta_C**2 = beta_R**2 + beta_U**2``: it
    agrees with the former where beta_R = beta_U. All rest on the lognormal tail, which is an assumption; for
    comparison the intensity is given at which the rising fractions reach 1 %.

    Parameters
    ----------
    ds : Dataset
        As for `fit_fragility`. For a nested study beta_R and the epistemic part of beta_U are those of
        `epistemic_fragility`; otherwise beta_R is the whole dispersion.
    **keywords
        Of `mcrock.statistics.Bootstrap`: `cluster`, `allow_missing`, `resamples` and `seed`.

    Returns
    -------
    Dataset
        `median_capacity`, `confident`, `separation`, `one_percent`, `stripes_one_percent` (of the rising
        fractions, inf if they never do; `stripes_open` says that the weakest level has more already),
        `accepted_one_percent` and `accepted_open`, the same of the curve that the study goes by, and
        `weakest_overturning` [unit of the intensity]; `beta_r` and `beta_u`, and the parts `beta_epistemic`
        and `beta_sampling` of the latter [1]. NaN where there is no curve, and with too few units for a
        confidence of 95 % at all (fewer than six); `records`; `fit_p_value` as of `annual_rate`. For a
        nested study the numbers of `draws`, of those in which nothing overturned, `draws_standing`, and of
        those without a curve, `draws_without_curve` [1].

    Raises
    ------
    ValueError
        As `fit_fragility`.
    """
    how = Bootstrap(**keywords)
    accepted = accept_curve(ds, how)
    flat, units = accepted.ds, _enough(accepted.units)
    fitted = fit_sample(units, units.overturned[ESTIMATE], how)
    whole, log_low = fitted.whole, _low_quantile(units, how, accepted.choice.shares)
    known = whole.kind[0] == FitKind.MAXIMUM
    median, beta_r = (float(x[0]) if known else np.nan for x in (whole.low_median, whole.low_dispersion))
    sampling = float(jackknife(values_of(fitted.left_out, _both), fitted.copies)[0])
    epistemic, draws = 0.0, dict[str, tuple[int, str]]()
    distance = np.log(median) + ndtri(1 - CONFIDENCE) * beta_r - log_low
    if is_nested(ds):
        parts = epistemic_fragility(ds)
        fell = overturned(ds).any([dim for dim in ds["outcome"].dims if dim != OUTER])
        draws = {
            "draws": (ds.sizes[OUTER], "number of outer draws"),
            "draws_standing": (int((~fell).sum()), "of them, in which nothing overturned"),
            "draws_without_curve": (int(parts["median_capacity"].isnull().sum()), "of them, without a curve"),
        }
        beta_r, epistemic = float(parts["aleatory"]), float(parts["epistemic"])
    beta_u, factor = float(np.hypot(epistemic, sampling)), ndtri(1 - CONFIDENCE)
    if not how.reaches_level(units.number):
        beta_u = np.nan
    rising, units_of = accepted.curves["stripes"], run_intensity(flat).attrs
    axis = {key: value for key, value in units_of.items() if key == "units"}
    values = {
        "median_capacity": (median, "median of the mean curve"),
        "confident": (
            median * np.exp(factor * beta_r - np.hypot(distance, factor * epistemic) + 0 * beta_u),
            "95 % confidence of at most 5 %",
        ),
        "separation": (median * np.exp(factor * (beta_r + beta_u)), "the same, by separated dispersions"),
        "one_percent": (median * np.exp(ndtri(LOW) * np.hypot(beta_r, beta_u)), "1 % of the mean curve"),
        "stripes_one_percent": (rising.reached(LOW), "1 % of the rising fractions"),
        "accepted_one_percent": (accepted.curve.reached(LOW), "1 % of the curve that the study goes by"),
        "weakest_overturning": (accepted.support[0], "weakest intensity with overturning"),
    }
    dispersions = {
        "beta_r": (beta_r, "dispersion of the shaking"),
        "beta_u": (beta_u, "dispersion of the median"),
        "beta_epistemic": (epistemic, "of it, from epistemic inputs"),
        "beta_sampling": (sampling, "of it, from the number of records"),
        "records": (record_index(flat)[1], "number of independent recordings"),
        "fit_p_value": (accepted.choice.p_value, "of the test of fit of the lognormal curve"),
    }
    found = {
        name: ((), np.maximum(value, accepted.least), axis | {"long_name": words})
        for name, (value, words) in values.items()
    }
    for name, (value, words) in (dispersions | draws).items():
        found[name] = ((), value, {"units": "1", "long_name": words})
    curves = {"stripes_open": rising, "accepted_open": accepted.curve}
    found |= {name: ((), curve.is_open(LOW), {}) for name, curve in curves.items()}
    return xr.Dataset(found, attrs=accepted.choice.attrs)


def _both(median: np.ndarray, dispersion: np.ndarray) -> np.ndarray:
    return np.concatenate([median, dispersion], axis=1)


def _low_quantile(units: Units, how: Bootstrap, shares: Shares = ((PROBIT, 1.0),)) -> float:
    """Lower one-sided bound of ln(intensity) at which the curve has 5 %, over all readings.

    Averaged over the curves of the links that have ``shares``, the lognormal one first. A bound far in the
    tail asks more of few records than `widened` gives: with its fourth power, (n / (n - 1))**2, the
    confidence of 0.95 holds in 0.949 in place of 0.932 of 2000 studies with 10 records.
    """

    def quantity(link: Link) -> Quantity:
        score = link.quantile(np.array(1 - CONFIDENCE))
        return lambda median, dispersion: median + score * np.exp(dispersion)

    parts = [
        pivots_by_link(units, how, reading, shares, quantity, 4)
        for reading in readings_of(units, quantity(PROBIT))
    ]
    return float(np.min([averaged_interval(each, 2 * CONFIDENCE - 1)[0, 0] for each in parts]))


def survival(rate: ArrayLike, age: ArrayLike) -> np.ndarray:
    """Probability that a body, such as a precariously balanced rock, has stood for its age.

    Earthquakes that overturn it are a Poisson process. Over an uncertain age the survival probability is
    averaged, not the age. A body that still stands rejects the hazard behind the rate at the confidence level
    1 - survival.

    Parameters
    ----------
    rate : array_like
        Annual rates of overturning [1/a], of any shape; NaN where there is none.
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
        if not (np.isfinite(values) & (values >= 0) | (np.isnan(values) & (name == "rate"))).all():
            raise ValueError(f"{name} must be finite and >= 0 [{unit}], got {values.tolist()}")
    return np.exp(-rates[..., None] * ages).mean(axis=-1)
