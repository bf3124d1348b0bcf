"""One distribution of the annual rate: hazard fractiles, what is epistemic, the number of records, beta_U.

It is of the fragility that heads the page: the lognormal curve, or a log-logistic one in the share of the
headline, or the rising fractions; every resample has its own.

Bazzurro, P. and Cornell, C. A. (1999). Disaggregation of seismic hazard. Bulletin of the Seismological
Society of America 89(2), 501-520.

Cornell, C. A., Jalayer, F., Hamburger, R. O. and Foutch, D. A. (2002). Probabilistic basis for 2000 SAC FEMA
steel moment frame guidelines. Journal of Structural Engineering 128(4), 526-533 (rate of a power-law hazard).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Unpack

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike
from scipy.special import ndtri

from mcrock.dataset.opened import takes_path
from mcrock.statistics.accepted_curve import FAMILIES, accept_curve, cut_below
from mcrock.statistics.bounds import rank_scores
from mcrock.statistics.efficiency import own_measure
from mcrock.statistics.epistemic import epistemic_fragility
from mcrock.statistics.hazard import check_measure
from mcrock.statistics.hazard_files import MEAN
from mcrock.statistics.inference import Bootstrap, BootstrapKeywords, takes
from mcrock.statistics.nested import is_nested, unknown_inputs
from mcrock.statistics.probability import BOUNDS
from mcrock.statistics.probit import LOGIT, FitKind
from mcrock.statistics.rate_intervals import log_rates
from mcrock.statistics.rates import LognormalCurve, refine
from mcrock.statistics.resample import Units, draw_units
from mcrock.statistics.result_table import table
from mcrock.statistics.rising import places
from mcrock.statistics.risk import rate_of_draws
from mcrock.statistics.runs import ESTIMATE, run_intensity
from mcrock.statistics.studentized import Shares, curve_quantity, fit_sample, values_of

SOURCES = ("hazard", "epistemic", "records", "beta_u")
FRACTILES = (0.05, 0.16, 0.5, 0.84, 0.95)
PARTS = (0.05, 0.5, 0.95)  # of the rate, below whose intensities they come from [1]
STRATA = 20  # hazard curves of equal weight
SAMPLES = 4000  # of all sources together


def hazard_strata(hazard: xr.Dataset, number: int = STRATA) -> np.ndarray:
    """Hazard curves of equal weight (number, n_row) [1/a] from the fractiles of a hazard.

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


@takes_path
@takes(Bootstrap)
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

    Hazard curves of equal weight (`hazard_strata`), outer draws of a nested study with the deviations of
    their ln(median) shrunk to the epistemic dispersion, resamples of the records, and a lognormal
    factor on the capacity of dispersion ``beta_u`` for what the model leaves out, such as soil, are
    drawn independently. Of the resamples as many go by the log-logistic curve as in the interval of
    `annual_rate`. Of the rising fractions it leaves out what the levels leave open between them and below
    the weakest, which that interval holds.

    Parameters
    ----------
    ds, hazard
        As for `annual_rate`.
    fragility : str, optional
        "lognormal" or "stripes"; by default the headline of `annual_rate`.
    beta_u : float
        Dispersion of the user's own, at least 0 [1].
    age : float or sequence, optional
        Age of a body that still stands, or a sample of equally likely ones [a].
    **keywords
        Of `mcrock.statistics.Bootstrap`: `level`, `cluster`, `allow_missing`, `resamples` and `seed`.

    Returns
    -------
    Dataset
        `rate_mean` and `rate_fractile` (fractile) [1/a]; `variance_share` (source) of ln(rate) [1], each
        source by itself with the others at their centre, over their sum; `log_rate_deviation`, the
        standard deviation of ln(rate) [1], NaN where a resample has no rate. Of the mean hazard:
        `part_intensity` (part), below which 5, 50 and 95 % of the rate arise, and there, at 50 %, the slope
        `hazard_slope` and `hazard_factor` of ``H = k0 x**-k``, with `closed_form` of the lognormal rate for
        it, NaN for the stripes. With an age
        `survival` [1], the mean over everything, and `survival_interval` (bound) over the resamples
        of the records. For a nested study `rank_correlation` (input) of inputs with the rates of
        the draws and `p_value` (input), family-wise by permutation. Attributes `fragility`, `log_logistic`,
        the share of the resamples that go by that curve [1], and `missing`, why all is NaN; else empty.

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
    per_year = {"units": "1/a"}
    result = table(
        {
            "rate_mean": ((), joint.mean(), per_year),
            "rate_fractile": ("fractile", np.quantile(joint, FRACTILES), per_year),
            "log_rate_deviation": ((), _log_deviation(joint)),
            "variance_share": ("source", _variance_shares([spread[name] for name in SOURCES])),
            "hazards": ((), len(curves), {"long_name": "hazard curves of equal weight"}),
        },
        coords={"fractile": list(FRACTILES), "source": list(SOURCES), "bound": BOUNDS, "part": list(PARTS)},
        attrs={
            "level": how.level,
            "beta_u": float(beta_u),
            "fragility": fragility,
            "log_logistic": dict(shares).get(LOGIT, 0.0) if smooth else 0.0,
            "missing": _missing(units, how, smooth, shift),
        },
    )
    _add_parts(result, x, mean_curve, units, fragility, narrowing)
    result["part_intensity"].attrs = {"units": run_intensity(flat).attrs.get("units", "1")}
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
    return "" if np.isfinite(shift).all() else "an outer draw has no lognormal curve"


def _lognormal_rates(
    units: Units, how: Bootstrap, x: np.ndarray, narrowing: float, shares: Shares
) -> tuple[int, Rates]:
    """Number of curves, the lognormal one of the sample and those of its resamples, and their rates.

    Of the resamples each link has its share.
    """
    fitted, both = (
        [fit_sample(units, units.overturned[ESTIMATE], how, link) for link, _ in shares],
        curve_quantity(np.zeros(0)),
    )
    known = fitted[0].whole.kind[0] == FitKind.MAXIMUM and how.reaches_level(units.number)
    curves = np.stack(
        [
            np.concatenate([values_of(each, both) for each in (one.whole, *(part for part, *_ in one.drawn))])
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
            found[k] = moved.rates(*refine(x, rate, places(level))).sum()
        return found

    return len(drawn), rates


def _epistemic(ds: xr.Dataset, units: Units) -> tuple[np.ndarray, float]:
    """Deviations of ln(median) of the outer draws, and what ln(dispersion) is less by without them."""
    if not is_nested(ds):
        return np.zeros(1), 0.0
    aleatory = float(epistemic_fragility(ds)["aleatory"])
    return _shifts(ds), float(np.log(aleatory / units.curve().low_dispersion[0]))


def _shifts(ds: xr.Dataset) -> np.ndarray:
    """Deviations of ln(median) of the outer draws, less the noise of their runs; 0 without draws."""
    if not is_nested(ds):
        return np.zeros(1)
    parts = epistemic_fragility(ds)
    off = np.log(parts["median_capacity"].values)
    if not (np.isfinite(float(parts["epistemic"])) and np.isfinite(off).all()):
        return np.full(1, np.nan)
    off = off - off.mean()
    naive = off.std(ddof=1)
    return off * (float(parts["epistemic"]) / naive if naive > 0 else 0.0)


def _add_parts(
    result: xr.Dataset, x: np.ndarray, rate: np.ndarray, units: Units, fragility: str, narrowing: float
) -> None:
    """Quantiles of the disaggregation, and the power law at its middle."""
    own, curve = FAMILIES[fragility].fit(*units.sums(), units.number), LognormalCurve(*units.sums())
    grid, fine = refine(x, rate, np.append(np.geomspace(x[0], x[-1], 2000), places(units.sums()[0])))
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
    result["part_intensity"] = ("part", at)
    result["hazard_slope"] = ((), slope, {"units": "1"})
    result["hazard_factor"] = ((), factor, {"units": "1/a (unit of the intensity)**k"})
    result["closed_form"] = ((), closed, {"units": "1/a"})


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
    result["survival"] = ((), of_all, {"units": "1"})
    low, high = min(ends[0], of_all), max(ends[1], of_all)
    result["survival_interval"] = ("bound", [low, high], {"units": "1"})


def _add_sensitivity(result: xr.Dataset, ds: xr.Dataset, hazard: xr.Dataset, seed: int) -> None:
    """Rank correlations of the inputs with the rates of the draws; p-values by permutation of the draws."""
    inputs = {name: values for name, values in unknown_inputs(ds).items() if np.ptp(values) > 0}
    rate = rate_of_draws(ds, hazard).sel(fragility="stripes").values
    if not inputs or np.ptp(rate) == 0:
        return

    table, own = rank_scores(np.stack(list(inputs.values()))), rank_scores(rate)
    found = table @ own
    rng = np.random.default_rng([seed, 2])
    by_chance = np.array([np.abs(table @ rng.permutation(own)).max() for _ in range(2000)])
    p = (1 + (by_chance[:, None] >= np.abs(found) - 1e-12).sum(axis=0)) / 2001
    result["rank_correlation"] = ("input", found, {"units": "1"})
    result["p_value"] = ("input", p, {"units": "1"})
    result.coords["input"] = list(inputs)
