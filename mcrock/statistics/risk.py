"""Annual rates of overturning at a site, and what is uncertain of them.

`annual_rate` has the rate with its parts by intensity, `high_confidence_capacity` the capacity of high
confidence of low probability of failure. `rate_distribution` has one distribution of the rate, over hazard
fractiles, epistemic inputs, the number of records and beta_U: of the lognormal curve, with a log-logistic one
in the share of `annual_rate`, or of the empirical fractions, each resample with its own.

Bazzurro, P. and Cornell, C. A. (1999). Disaggregation of seismic hazard. Bulletin of the Seismological
Society of America 89(2), 501-520.

Cornell, C. A., Jalayer, F., Hamburger, R. O. and Foutch, D. A. (2002). Probabilistic basis for 2000 SAC FEMA
steel moment frame guidelines. Journal of Structural Engineering 128(4), 526-533 (rate of a power-law hazard).

Kennedy, R. P. and Ravindra, M. K. (1984). Seismic fragilities for nuclear power plant risk studies. Nuclear
Engineering and Design 79(1), 47-68 (capacity of high confidence of low probability of failure).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Unpack

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike
from scipy.special import ndtri

from mcrock.base.checks import shared_keywords
from mcrock.base.estimates import digits_of
from mcrock.dataset.opened import accepts_path
from mcrock.dataset.schema import OUTER
from mcrock.statistics.accepted_curve import FAMILIES, accept_curve, accepted_family, cut_below, rocking_bound
from mcrock.statistics.epistemic import epistemic_fragility
from mcrock.statistics.hazard import MEAN, check_measure
from mcrock.statistics.intervals import BOUNDS, Bootstrap, BootstrapKeywords, described, table
from mcrock.statistics.likelihood import (
    LOGIT,
    PROBIT,
    FitKind,
    Link,
    Quantity,
    Shares,
    jackknife,
    log_parameters,
)
from mcrock.statistics.measures import own_measure
from mcrock.statistics.probability import (
    EVENT,
    by_support,
    is_nested,
    pooled,
    rank_scores,
    read_crossed,
    unknown_inputs,
)
from mcrock.statistics.rates import LognormalCurve, integration_points, log_rates, refine
from mcrock.statistics.resampling import Units, averaged_bounds, draw_units, fit_sample
from mcrock.statistics.runs import ESTIMATE, axis_attrs, check_runs, overturned, record_index, run_intensity

BINS = 48  # along ln(intensity) in which the rate is disaggregated
LOW = 0.01  # probability of the capacity of high confidence on the mean curve [1]
FEWEST = 6  # recordings that can give a confidence of 95 % at all
YEARS = 50.0  # for which a probability is given [a]
CONFIDENCE = 0.95  # of the capacity of high confidence, of at most a probability of 1 - CONFIDENCE [1]


class FewError(ValueError):
    """Too few recordings, or independent realizations, for what is asked."""


@accepts_path
@shared_keywords(Bootstrap)
def annual_rate(
    ds: xr.Dataset, hazard: xr.Dataset, *, years: float = 50.0, **keywords: Unpack[BootstrapKeywords]
) -> xr.Dataset:
    """Annual rate of overturning at a site, by two fragilities of the same runs.

    "lognormal" is the curve of `fit_fragility`, whose lower tail is an assumption; "stripes" are the
    fractions themselves, made rising with the least change (isotonic regression), 0 below the lowest
    intensity and constant above the highest. Hazard curves are log-log between their rows; nothing is added
    for intensities outside the table. Intervals are for new earthquakes with this hazard: bootstrap-t
    intervals of the logarithm of the rate (`mcrock.statistics.rates`), with undecided runs both
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
        Along `fragility`, "lognormal" and "stripes", and `hazard`: `rate`, `rate_interval` (bound) [1/year]
        from intensities in the table, and `probability` in ``years`` with `probability_interval` [1];
        `rate_above` (bound) [1/year], bounds of what intensities beyond the table add, and `largest_rate`,
        the upper end of the interval with all of these. `share` (fragility, intensity_bin) [1], parts of the
        rate of the mean hazard by bins of the intensity between `bin_lower` and `bin_upper` of a table from
        `hazard_begin` to `hazard_end`; `share_below` and `share_beyond` (fragility) [1], its parts below
        `weakest_overturning` and beyond `strongest_run`, where no run supports a curve. At `weakest_run`,
        below which "stripes" is 0, the empirical fraction is `weakest_fraction` [1]: unless that is small the
        rate by "stripes" lacks much. `first_probability` [1] is the upper end of the interval of the curve to
        go by at the weakest row of the table. NaN where there is no curve or no interval. Attribute
        `accepted_family` is the fragility to go by, and `why` says so (`mcrock.statistics.accepted_curve`).

    Raises
    ------
    HazardError
        If the hazard is of another intensity.
    ValueError
        As `fit_fragility`; if ``years`` is not > 0.
    """
    how = Bootstrap(**keywords)
    check_years(years)
    ds = pooled(ds)
    check_runs(ds)
    check_measure(run_intensity(ds), hazard, own_measure(ds))
    accepted = accept_curve(ds, how)
    units = _enough(accepted.units)
    x, names = hazard["hazard_intensity"].values, hazard["hazard"].values.tolist()
    weakest, strongest = accepted.support
    edges, counts = np.geomspace(x[0], x[-1], BINS + 1), units.sums()
    further = np.concatenate([edges, integration_points(counts[0]), [weakest, strongest, accepted.least]])
    rows = [(x, hazard["rate"].sel(hazard=name).values) for name in names]
    tables = [refine(*row, further) for row in rows]
    ends = np.stack([accepted.rate_interval(rows, family) for family in FAMILIES], axis=1)
    curves = accepted.curves
    pieces = [[curve.rates(*table) for table in tables] for curve in curves.values()]
    rates = np.array([[piece.sum() for piece in row] for row in pieces])
    last = np.array([rate[-1] for _, rate in tables])
    above = [[curve.at(grid[-1:]).item() for grid, _ in tables] for curve in curves.values()] * last
    axis, mean = {"units": axis_attrs(ds)["units"]}, names.index(MEAN)
    dims, beyond = ("fragility", "hazard"), np.broadcast_to(last, rates.shape)
    return table(
        {
            "rate": (dims, rates),
            "rate_interval": (("bound", *dims), ends),
            "rate_above": (("bound", *dims), np.stack([above, beyond])),
            "largest_rate": (dims, ends[1] + beyond),
            "probability": (dims, -np.expm1(-rates * years), {"long_name": f"in {years:g} years"}),
            "probability_interval": (("bound", *dims), -np.expm1(-ends * years)),
            **_disaggregation(edges, tables[mean][0], [row[mean] for row in pieces], weakest, strongest),
            "bin_lower": ("intensity_bin", edges[:-1], axis_attrs(ds)),
            "bin_upper": ("intensity_bin", edges[1:], axis_attrs(ds)),
            "hazard_begin": ((), x[0], axis),
            "hazard_end": ((), x[-1], axis),
            "first_probability": ((), accepted.band(x[:1])[1].item()),
            "weakest_overturning": ((), weakest, axis),
            "strongest_run": ((), strongest, axis),
            "weakest_run": ((), units.intensity[0], axis),
            "weakest_fraction": ((), accepted.isotonic.at(units.intensity[:1]).item()),
            "fit_p_value": ((), accepted.choice.p_value),
            "records": ((), record_index(ds)[1]),
        },
        coords={**of_families(), "hazard": names},
        attrs={
            "level": how.level,
            "years": years,
            "independent": "records" if how.cluster else "realizations",
        }
        | accepted.choice.attrs,
    )


def of_families() -> dict[str, Any]:
    """Coordinate of the families of curves, with their words."""
    words = [family.label for family in FAMILIES.values()]
    return {"fragility": list(FAMILIES), "fragility_label": ("fragility", words)}


def check_years(years: float) -> None:
    """Refuse a time for which no probability can be given [a]."""
    if not (np.isfinite(years) and years > 0):
        raise ValueError(f"years must be finite and > 0 [a], got {years!r}")


def accepted_rate(rates: xr.Dataset) -> xr.Dataset:
    """The rates of `annual_rate` to go by, of the mean hazard."""
    return rates.sel(hazard=MEAN, fragility=accepted_family(rates))


def failure_of(rates: xr.Dataset) -> str:
    """What rates are of: overturning, or of `rate_with_support` falling off the support too."""
    off = f"overturning or falling off its support ({rates.attrs.get(EVENT)})"
    return off if "crosses" in rates.attrs else "overturning"


def largest_rate(one: xr.Dataset) -> tuple[float, bool]:
    """What a rate of `annual_rate`, by one curve and one hazard, may reach [1/year], and if no more is known.

    It is the upper end of its interval and every earthquake beyond the hazard table, and alone is known where
    these come more often than the rate of those in the table.
    """
    end, beyond = (float(one[name].sel(bound="upper")) for name in ("rate_interval", "rate_above"))
    return float(one["largest_rate"]), beyond > (float(one["rate"]) or end)


def with_all_unknown(rates: xr.Dataset, found: xr.Dataset) -> xr.Dataset:
    """Rates with their interval over all uncertainties counted, where recordings are not all.

    Parameters
    ----------
    rates, found : Dataset
        From `annual_rate` and, by its accepted curve, `rate_distribution` of the same runs and hazard.

    Returns
    -------
    Dataset
        With `rate_over_all` [1/year], `probability_over_all` [1], both (bound), of the curve to go by; they
        hold the interval of recordings and runs too. As it was where these alone are unknown, and where there
        is no distribution.
    """
    others = found["variance_share"].drop_sel(source="records")
    if found.attrs["missing"] or not (others > 0).any():
        return rates
    both = np.stack([found["rate_over_all"], accepted_rate(rates)["rate_interval"]])
    ends = np.array([both[:, 0].min(), both[:, 1].max()])
    over = {"rate_over_all": ends, "probability_over_all": -np.expm1(-ends * rates.attrs["years"])}
    units = {"units": "1"}
    return rates.assign({name: ("bound", each, units | described(name)) for name, each in over.items()})


def with_chance(found: xr.Dataset, years: float = YEARS) -> xr.Dataset:
    """Results with the probability of at least one event in some years [a] next to their annual rates.

    `chance` [1] and its interval, of the shape of `rate`; nothing is added where there are no rates.
    """
    check_years(years)
    for end in ("", "_interval") if "rate" in found else ():
        found = found.assign({f"chance{end}": -np.expm1(-found[f"rate{end}"] * years)})
        words = {} if end else {"long_name": f"in {years:g} years"}
        found[f"chance{end}"].attrs = {"units": "1"} | words
    return found.assign_attrs(years=years)


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
    less = bool(accepted_rate(found)["rate"] < accepted_rate(rates)["rate"])
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
        "share": (
            ("fragility", "intensity_bin"),
            binned,
            {"long_name": "share of the rate", "digits": "curve"},
        ),
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


@accepts_path
def rate_of_draws(ds: xr.Dataset, hazard: xr.Dataset) -> xr.Dataset:
    """Annual rate of overturning for each epistemic draw of a nested study: what is epistemic does to it.

    Rates are as counted: their spread holds the noise of the runs of a draw too.

    Parameters
    ----------
    ds : Dataset
        Nested study with all runs, at fixed levels of the intensity.
    hazard : Dataset
        As for `annual_rate`; its mean curve counts.

    Returns
    -------
    Dataset
        `rate_of_draws` (fragility, outer) [1/year], from intensities in the table, by the fragilities of
        `annual_rate`, NaN where a draw has no lognormal curve, as where nothing or everything overturned;
        `median_of_draws` and `median_of_draws_interval` (bound) from 5 to 95 % [1/year], and
        `draws_without_rate`, all (fragility).

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
    rows = hazard["hazard_intensity"].values, hazard["rate"].sel(hazard=MEAN).values
    grid, rate = refine(*cut_below(*rows, rocking_bound(pooled(ds))), integration_points(x))
    rates = [
        [family.fit(x, yes, runs, len(crossed.runs)).rates(grid, rate).sum() for yes in counts]
        for family in FAMILIES.values()
    ]
    low, middle, high = np.quantile(rates, [0.05, 0.5, 0.95], axis=1)
    return table(
        {
            "rate_of_draws": (("fragility", OUTER), rates),
            "median_of_draws": ("fragility", middle),
            "median_of_draws_interval": (("bound", "fragility"), [low, high], {"long_name": "5 to 95 %"}),
            "draws_without_rate": ("fragility", np.isnan(rates).sum(axis=1)),
        },
        coords=of_families(),
    )


@accepts_path
@shared_keywords(Bootstrap)
def high_confidence_capacity(ds: xr.Dataset, **keywords: Unpack[BootstrapKeywords]) -> xr.Dataset:
    """Capacity with high confidence of a low probability of failure (HCLPF), by its definitions.

    `confident` is what the words say: with 95 % confidence at most 5 % overturn there. It is the one-sided
    bootstrap-t bound of the intensity at which the lognormal curve has 5 %; in a nested study the distance
    to that bound and the epistemic one, 1.645 times their dispersion, are joined as independent.
    `separation` is the convention of practice, ``median exp(-1.645 (beta_R + beta_U))`` with the dispersions
    beta_R of the shaking and beta_U of the median, which leaves out that beta_R is estimated. `one_percent`,
    1 % of the mean curve, is ``median exp(-2.326 beta_C)`` with ``beta_C**2 = beta_R**2 + beta_U**2``: it
    agrees with the former where beta_R = beta_U. All rest on the lognormal tail, which is an assumption; for
    comparison the intensity is given at which the empirical fractions reach 1 %.

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
        `median_capacity`, `confident`, `separation`, `one_percent`, `stripes_one_percent` (of the isotonic
        fractions, inf if they never do; `stripes_open` says that the weakest level has more already),
        `accepted_one_percent` and `accepted_open`, the same of the curve that the study goes by, and
        `weakest_overturning` [unit of the intensity]; `beta_r` and `beta_u`, and the parts `beta_epistemic`
        and `beta_sampling` of the latter [1]. NaN where there is no curve, and with too few units for a
        confidence of 95 % at all (fewer than six); `records`; `fit_p_value` as of `annual_rate`. For a
        nested study the numbers of `draws`, of those in which nothing overturned, `draws_standing`, and of
        those without a curve, `draws_without_curve` [1]. Attribute `missing`: why there is no `confident`,
        empty if there is one.

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
    sampling = float(jackknife(log_parameters(fitted.left_out), fitted.copies)[0])
    epistemic, draws = 0.0, dict[str, int]()
    distance = np.log(median) + ndtri(1 - CONFIDENCE) * beta_r - log_low
    if is_nested(ds):
        parts = epistemic_fragility(ds)
        fell = overturned(ds).any([dim for dim in ds["outcome"].dims if dim != OUTER])
        draws = {
            "draws": ds.sizes[OUTER],
            "draws_standing": int((~fell).sum()),
            "draws_without_curve": int(parts["median_capacity"].isnull().sum()),
        }
        beta_r, epistemic = float(parts["aleatory"]), float(parts["epistemic"])
    beta_u, factor = float(np.hypot(epistemic, sampling)), ndtri(1 - CONFIDENCE)
    if not how.reaches_level(units.number):
        beta_u = np.nan
    isotonic, units_of = accepted.isotonic, run_intensity(flat).attrs
    axis = {key: value for key, value in units_of.items() if key == "units"}
    confident = median * np.exp(factor * beta_r - np.hypot(distance, factor * epistemic) + 0 * beta_u)
    capacities = {
        "one_percent": median * np.exp(ndtri(LOW) * np.hypot(beta_r, beta_u)),
        "confident": confident,
        "separation": median * np.exp(factor * (beta_r + beta_u)),
        "stripes_one_percent": isotonic.reached(LOW),
        "accepted_one_percent": accepted.curve.reached(LOW),
        "median_capacity": median,
        "weakest_overturning": accepted.support[0],
    }
    below = {"stripes_one_percent": "stripes_open", "accepted_one_percent": "accepted_open"}
    result = table(
        {
            name: (
                (),
                np.maximum(value, accepted.least),
                axis | ({"below": below[name]} if name in below else {}),
            )
            for name, value in capacities.items()
        }
        | {
            "beta_r": ((), beta_r),
            "beta_u": ((), beta_u, {"long_name": "beta_U, dispersion of the median", "digits": ".3f"}),
            "beta_epistemic": ((), epistemic),
            "beta_sampling": ((), sampling),
            "fit_p_value": ((), accepted.choice.p_value),
            "records": ((), record_index(flat)[1]),
            "stripes_open": ((), isotonic.is_open(LOW)),
            "accepted_open": ((), accepted.curve.is_open(LOW)),
        }
        | {name: ((), number) for name, number in draws.items()},
        {},
        accepted.choice.attrs,
    )
    return result.assign_attrs(missing="" if np.isfinite(confident) else _no_capacity(result))


def _no_capacity(found: xr.Dataset) -> str:
    """Why there is no capacity of high confidence."""
    if np.isnan(found["median_capacity"]):
        return "there is no fragility curve"
    if int(found["records"]) < FEWEST:
        return f"{int(found['records'])} recordings cannot give a confidence of 95 %"
    if np.isnan(found["beta_epistemic"]):
        for name, words in (
            ("draws_standing", "nothing overturns"),
            ("draws_without_curve", "there is no curve"),
        ):
            if int(found[name]):
                return f"in {int(found[name])} of {int(found['draws'])} epistemic draws {words}"
        return "without one of the records an epistemic draw has no curve"
    if np.isnan(found["beta_sampling"]):
        return "without one of the records there is no curve"
    return "too many resamples of the records, or a reading of the undecided runs, have no curve"


def _low_quantile(units: Units, how: Bootstrap, shares: Shares = ((PROBIT, 1.0),)) -> float:
    """Lower one-sided bound of ln(intensity) at which the curve has 5 %, over all readings.

    Averaged over the curves of the links that have ``shares``, the lognormal one first. A bound far in the
    tail asks more of few records than `small_sample_factor` gives: with its fourth power, (n / (n - 1))**2,
    the confidence of 0.95 holds in 0.949 in place of 0.932 of 2000 studies with 10 records.
    """

    def quantity(link: Link) -> Quantity:
        score = link.quantile(np.array(1 - CONFIDENCE))
        return lambda median, dispersion: median + score * np.exp(dispersion)

    return float(averaged_bounds(units, how, quantity, shares, level=2 * CONFIDENCE - 1, power=4)[0, 0])


def survival(rate: ArrayLike, age: ArrayLike) -> np.ndarray:
    """Probability that a body, such as a precariously balanced rock, has stood for its age.

    Earthquakes that overturn it are a Poisson process. Over an uncertain age the survival probability is
    averaged, not the age. A body that still stands rejects the hazard behind the rate at the confidence level
    1 - survival.

    Parameters
    ----------
    rate : array_like
        Annual rates of overturning [1/year], of any shape; NaN where there is none.
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
    for name, values, unit in (("rate", rates, "per year"), ("age", ages, "a")):
        if not (np.isfinite(values) & (values >= 0) | (np.isnan(values) & (name == "rate"))).all():
            raise ValueError(f"{name} must be finite and >= 0 [{unit}], got {values.tolist()}")
    return np.exp(-rates[..., None] * ages).mean(axis=-1)


SOURCES = {
    "hazard": "hazard",
    "epistemic": "epistemic inputs",
    "records": "number of records",
    "beta_u": "own beta_U",
}
FRACTILES = (0.05, 0.16, 0.5, 0.84, 0.95)
PARTS = (0.05, 0.5, 0.95)  # of the rate, below whose intensities they come from [1]
STRATA = 20  # hazard curves of equal weight
SAMPLES = 4000  # of all sources together


def hazard_strata(hazard: xr.Dataset, number: int = STRATA) -> np.ndarray:
    """Hazard curves of equal weight (number, n_row) [1/year] from the fractiles of a hazard.

    ln(rate) of each row is linear in the normal score of the fractile, beyond the outermost ones too; the
    mean alone (1, n_row) where there are fewer than two fractiles.
    """
    fractiles = sorted((float(name), name) for name in hazard["hazard"].values.tolist() if name != MEAN)
    if len(fractiles) < 2:
        return hazard["rate"].sel(hazard=[MEAN]).values
    score = ndtri([q for q, _ in fractiles])
    table = np.log(hazard["rate"].sel(hazard=[name for _, name in fractiles]).values)
    at = ndtri((np.arange(number) + 0.5) / number)
    at /= at.std()  # middles of strata scatter by less than what is in them
    k = np.clip(np.searchsorted(score, at) - 1, 0, len(score) - 2)
    part = ((at - score[k]) / (score[k + 1] - score[k]))[:, None]
    found = np.exp(table[k] + part * (table[k + 1] - table[k]))
    return np.minimum.accumulate(found, axis=1)


# from annual rates of exceedance (n_row,), numbers of curves (n,) and deviations of ln(capacity) (n,) to
# rates (n,); curve 0 is of the sample, the others are of its resamples
Rates = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


@accepts_path
@shared_keywords(Bootstrap)
def rate_distribution(
    ds: xr.Dataset,
    hazard: xr.Dataset,
    *,
    fragility: str | None = None,
    beta_u: float = 0.0,
    age: ArrayLike | None = None,
    **keywords: Unpack[BootstrapKeywords],
) -> xr.Dataset:
    """Distribution of the annual rate over all that is not known of it.

    Hazard curves of equal weight (`hazard_strata`), epistemic draws of a nested study with the deviations of
    their ln(median) shrunk to the epistemic dispersion, resamples of the records, and a lognormal
    factor on the capacity of dispersion ``beta_u`` for what the model leaves out, such as soil, are
    drawn independently. Of the resamples as many go by the log-logistic curve as in the interval of
    `annual_rate`. Of the empirical fractions it leaves out what the levels leave open between them and below
    the weakest, which that interval holds.

    Parameters
    ----------
    ds, hazard
        As for `annual_rate`.
    fragility : str, optional
        "lognormal" or "stripes"; by default the accepted curve of `annual_rate`.
    beta_u : float
        Dispersion of the user's own, at least 0 [1].
    age : float or sequence, optional
        Age of a body that still stands, or a sample of equally likely ones [a].
    **keywords
        Of `mcrock.statistics.Bootstrap`: `level`, `cluster`, `allow_missing`, `resamples` and `seed`.

    Returns
    -------
    Dataset
        `rate_mean`, `rate_fractile` (fractile) and, with the level, `rate_over_all` (bound) [1/year];
        `variance_share` (source) of ln(rate) [1], each
        source by itself with the others at their centre, over their sum; `log_rate_deviation`, the
        standard deviation of ln(rate) [1], NaN where a resample has no rate. Of the mean hazard:
        `part_intensity` (part), below which 5, 50 and 95 % of the rate arise, and there, at 50 %, the slope
        `hazard_slope` and `hazard_factor` of ``H = k0 x**-k``, with `closed_form` of the lognormal rate for
        it, NaN for "stripes". With an age
        `survival` [1], the mean over everything, and `survival_interval` (bound) over the resamples
        of the records. For a nested study `rank_correlation` (input) of inputs with the rates of
        the draws and `p_value` (input), family-wise by permutation. `log_logistic`, the share of the
        resamples that go by that curve [1], and `beta_u`. Attributes `fragility`, and `missing`, why all is
        NaN; else empty.

    Raises
    ------
    HazardError
        If the hazard is of another intensity.
    ValueError
        As `fit_fragility`; if ``beta_u`` is negative, or there is no such fragility.
    """
    how = Bootstrap(**keywords)
    if not (np.isfinite(beta_u) and beta_u >= 0):
        raise ValueError(f"beta_u must be finite and >= 0 [1], got {beta_u!r}")
    accepted = accept_curve(ds, how)
    flat, units, shares = accepted.ds, accepted.units, accepted.choice.shares
    fragility = accepted.choice.family if fragility is None else fragility
    if fragility not in FAMILIES:
        raise ValueError(f"fragility must be {' or '.join(map(repr, FAMILIES))}, got {fragility!r}")
    check_measure(run_intensity(flat), hazard, own_measure(flat))
    axis, smooth = hazard["hazard_intensity"].values, fragility == "lognormal"
    curves = [cut_below(axis, rate, accepted.least)[1] for rate in hazard_strata(hazard)]
    x, mean_curve = cut_below(axis, hazard["rate"].sel(hazard=MEAN).values, accepted.least)
    shift, narrowing = _epistemic(ds, units) if smooth else (_shifts(ds), 0.0)
    number, rates = (
        _lognormal_rates(units, how, x, narrowing, shares)
        if smooth
        else _family_rates(units, how, x, fragility)
    )
    rng, centre = np.random.default_rng([how.seed, 1]), np.zeros(SAMPLES, int)
    own_curve = rng.integers(1, number, SAMPLES) if number > 1 else centre
    epistemic, own = rng.choice(shift, SAMPLES), beta_u * rng.standard_normal(SAMPLES)
    joint = np.empty(SAMPLES)
    for i, rate in enumerate(curves):
        here = np.arange(SAMPLES) % len(curves) == i
        joint[here] = rates(rate, own_curve[here], (epistemic + own)[here])
    resamples = np.arange(1, max(number, 1))
    spread = {
        "hazard": np.array([rates(rate, centre[:1], np.zeros(1))[0] for rate in curves]),
        "epistemic": rates(mean_curve, centre[: len(shift)], shift),
        "records": rates(mean_curve, resamples, np.zeros(len(resamples))),
        "beta_u": rates(mean_curve, centre[:500], own[:500]),
    }
    fractiles, tail = np.quantile(joint, FRACTILES), (1 - how.level) / 2
    rounded = {"digits": f".{digits_of(fractiles[0], fractiles[-1])}g"}
    result = table(
        {
            "rate_mean": ((), joint.mean(), rounded),
            "rate_fractile": ("fractile", fractiles, rounded),
            "rate_over_all": ("bound", np.quantile(joint, [tail, 1 - tail])),
            "log_rate_deviation": ((), _log_deviation(joint)),
            "variance_share": ("source", _variance_shares([spread[name] for name in SOURCES])),
            "beta_u": ((), float(beta_u), {"long_name": SOURCES["beta_u"]}),
            "log_logistic": ((), dict(shares).get(LOGIT, 0.0) if smooth else 0.0),
            "hazards": ((), len(curves)),
            **_parts(x, mean_curve, units, fragility, narrowing, rounded),
        },
        coords={
            "fractile": list(FRACTILES),
            "source": list(SOURCES),
            "source_label": ("source", list(SOURCES.values())),
            "bound": BOUNDS,
            "part": ("part", list(PARTS), {"long_name": "part of the mean rate"}),
        },
        attrs={"level": how.level, "fragility": fragility, "missing": _missing(units, how, smooth, shift)},
    )
    unit = run_intensity(flat).attrs.get("units", "1")
    result["part_intensity"].attrs["units"] = unit
    result["hazard_factor"].attrs["units"] = f"1/a ({unit})**k"
    if age is not None:
        of_resamples = np.array([rates(rate, resamples, np.zeros(len(resamples))) for rate in curves])
        _add_survival(result, joint, age, of_resamples, how)
    if is_nested(ds):
        _add_sensitivity(result, ds, hazard, how.seed)
    return result


@np.errstate(invalid="ignore", divide="ignore")
def _log_deviation(rates: np.ndarray) -> float:
    return float(np.log(rates).std())


@np.errstate(invalid="ignore", divide="ignore")
def _variance_shares(rates: list[np.ndarray]) -> np.ndarray:
    """Variances of ln(rate), each from one source, over their sum (n_source,)."""
    variance = np.array([np.log(each).var() if each.size else 0.0 for each in rates])
    return np.where(variance < 1e-20, 0.0, variance) / variance.sum()


def _missing(units: Units, how: Bootstrap, smooth: bool, shift: np.ndarray) -> str:
    """Why there is no distribution; empty if there is one."""
    if not units.overturned[ESTIMATE].any():
        return "nothing overturned"
    if not how.reaches_level(units.number):
        return f"resamples of {units.number} recordings, or realizations, cannot reach the level"
    if smooth and units.curve().kind[0] != FitKind.MAXIMUM:
        return "there is no lognormal curve"
    return "" if np.isfinite(shift).all() else "an epistemic draw has no lognormal curve"


def _lognormal_rates(
    units: Units, how: Bootstrap, x: np.ndarray, narrowing: float, shares: Shares
) -> tuple[int, Rates]:
    """Number of curves, the lognormal one of the sample and those of its resamples, and their rates.

    Of the resamples each link has its share.
    """
    fitted = [fit_sample(units, units.overturned[ESTIMATE], how, link) for link, _ in shares]
    known = fitted[0].whole.kind[0] == FitKind.MAXIMUM and how.reaches_level(units.number)
    curves = np.stack(
        [
            np.concatenate([log_parameters(each) for each in (one.whole, *(part for part, *_ in one.drawn))])
            for one in fitted
        ]
    )
    place = np.arange(curves.shape[1])
    kind = np.searchsorted(np.cumsum([share for _, share in shares])[:-1], place / len(place), side="right")
    numbers = curves[kind, place]
    there = np.isfinite(numbers).all(axis=1)
    numbers, kind = numbers[there], kind[there]

    def rates(rate: np.ndarray, curve: np.ndarray, shift: np.ndarray) -> np.ndarray:
        found = np.full(len(curve), np.nan)
        for k, (link, _) in enumerate(shares if known else ()):
            here = kind[curve] == k
            median, dispersion = numbers[curve[here]].T[..., None]
            found[here] = np.exp(
                log_rates([(x, rate)], link)(median + shift[here, None], dispersion + narrowing)[:, 0]
            )
        return found

    return len(numbers), rates


def _family_rates(units: Units, how: Bootstrap, x: np.ndarray, family: str) -> tuple[int, Rates]:
    """Number of curves of a family, that of the sample and of its resamples, and their rates."""
    yes, drawn = units.overturned[ESTIMATE], np.concatenate([units.copies[None], *draw_units(units, how)])
    known = yes.any() and how.reaches_level(units.number)

    def rates(rate: np.ndarray, curve: np.ndarray, shift: np.ndarray) -> np.ndarray:
        if not known:
            return np.full(len(curve), np.nan)
        found = np.empty(len(curve))
        for k, (i, move) in enumerate(zip(curve, shift, strict=True)):
            fell, runs = drawn[i] @ yes, drawn[i] @ units.runs
            there = runs > 0
            level = units.intensity[there] * np.exp(move)
            moved = FAMILIES[family].fit(level, fell[there], runs[there], units.number)
            found[k] = moved.rates(*refine(x, rate, integration_points(level))).sum()
        return found

    return len(drawn), rates


def _epistemic(ds: xr.Dataset, units: Units) -> tuple[np.ndarray, float]:
    """Deviations of ln(median) of the epistemic draws, and what ln(dispersion) is less by without them."""
    if not is_nested(ds):
        return np.zeros(1), 0.0
    aleatory = float(epistemic_fragility(ds)["aleatory"])
    return _shifts(ds), float(np.log(aleatory / units.curve().low_dispersion[0]))


def _shifts(ds: xr.Dataset) -> np.ndarray:
    """Deviations of ln(median) of the epistemic draws, less the noise of their runs; 0 without draws."""
    if not is_nested(ds):
        return np.zeros(1)
    parts = epistemic_fragility(ds)
    off = np.log(parts["median_capacity"].values)
    if not (np.isfinite(float(parts["epistemic"])) and np.isfinite(off).all()):
        return np.full(1, np.nan)
    off = off - off.mean()
    naive = off.std(ddof=1)
    return off * (float(parts["epistemic"]) / naive if naive > 0 else 0.0)


def _parts(
    x: np.ndarray, rate: np.ndarray, units: Units, fragility: str, narrowing: float, digits: dict[str, str]
) -> dict[str, tuple[Any, ...]]:
    """Quantiles of the disaggregation, and the power law at its middle."""
    own, curve = FAMILIES[fragility].fit(*units.sums(), units.number), LognormalCurve(*units.sums())
    grid, fine = refine(
        x, rate, np.append(np.geomspace(x[0], x[-1], 2000), integration_points(units.sums()[0]))
    )
    at, slope, factor, closed = np.full(3, np.nan), np.nan, np.nan, np.nan
    curve.dispersion *= float(np.exp(narrowing))
    parts = (curve if fragility == "lognormal" else own).rates(grid, fine)
    if np.isfinite(parts).all() and parts.sum() > 0:
        parts = parts.cumsum()
        at = np.exp(np.interp(np.array(PARTS) * parts[-1], parts, np.log(grid[1:])))
        k = int(np.clip(np.searchsorted(x, at[1]) - 1, 0, len(x) - 2))
        slope = float(-np.log(rate[k + 1] / rate[k]) / np.log(x[k + 1] / x[k]))
        factor = float(rate[k] * x[k] ** slope)
        if fragility == "lognormal":
            closed = factor * curve.median**-slope * np.exp((slope * curve.dispersion) ** 2 / 2)
    power_law = {"hazard_slope": ((), slope), "hazard_factor": ((), factor)}
    return {"part_intensity": ("part", at), **power_law, "closed_form": ((), closed, digits)}


def _add_survival(
    result: xr.Dataset, joint: np.ndarray, age: ArrayLike, of_resamples: np.ndarray, how: Bootstrap
) -> None:
    """Survival of an age, averaged over everything, and its interval over resamples of the records."""
    ages = np.atleast_1d(np.asarray(age, float))
    if not (np.isfinite(ages) & (ages >= 0)).all():
        raise ValueError(f"age must be finite and >= 0 [a], got {ages.tolist()}")
    of_all = np.exp(-joint[:, None] * ages).mean()
    by_resample = np.exp(-of_resamples[..., None] * ages).mean(axis=(0, 2))
    tail = (1 - how.level) / 2
    ends = np.quantile(by_resample, [tail, 1 - tail]) if by_resample.size else np.full(2, np.nan)
    years = " to ".join(f"{year:g}" for year in dict.fromkeys([ages.min(), ages.max()]))
    result["survival"] = ((), of_all, {"units": "1", "long_name": f"bodies that stand after {years} years"})
    low, high = min(ends[0], of_all), max(ends[1], of_all)
    result["survival_interval"] = ("bound", [low, high], {"units": "1"})


def _add_sensitivity(result: xr.Dataset, ds: xr.Dataset, hazard: xr.Dataset, seed: int) -> None:
    """Rank correlations of the inputs with the rates of the draws; p-values by permutation of the draws."""
    inputs = {name: values for name, values in unknown_inputs(ds).items() if np.ptp(values) > 0}
    rate = rate_of_draws(ds, hazard)["rate_of_draws"].sel(fragility="stripes").values
    if not inputs or np.ptp(rate) == 0:
        return

    table, own = rank_scores(np.stack(list(inputs.values()))), rank_scores(rate)
    found = table @ own
    rng = np.random.default_rng([seed, 2])
    by_chance = np.array([np.abs(table @ rng.permutation(own)).max() for _ in range(2000)])
    p = (1 + (by_chance[:, None] >= np.abs(found) - 1e-12).sum(axis=0)) / 2001
    result["rank_correlation"] = ("input", found, {"units": "1"} | described("rank_correlation"))
    words = "p-value over all inputs"
    result["p_value"] = ("input", p, {"units": "1", "long_name": words, "digits": "p"})
    result.coords["input"] = list(inputs)
