"""One distribution of the annual rate: hazard fractiles, what is epistemic, the number of records, beta_U.

Bazzurro, P. and Cornell, C. A. (1999). Disaggregation of seismic hazard. Bulletin of the Seismological
Society of America 89(2), 501-520.

Cornell, C. A., Jalayer, F., Hamburger, R. O. and Foutch, D. A. (2002). Probabilistic basis for 2000 SAC FEMA
steel moment frame guidelines. Journal of Structural Engineering 128(4), 526-533 (rate of a power-law hazard).
"""

from __future__ import annotations

from typing import Unpack

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike
from scipy.special import ndtri

from mcrock.dataset.opened import takes_path
from mcrock.statistics.efficiency import own_measure
from mcrock.statistics.epistemic import epistemic_fragility
from mcrock.statistics.hazard import MEAN, check_measure
from mcrock.statistics.inference import Bootstrap, BootstrapKeywords, takes
from mcrock.statistics.nested import is_nested, pooled, unknown_inputs
from mcrock.statistics.probability import BOUNDS
from mcrock.statistics.rates import lognormal_rates, refine
from mcrock.statistics.resample import collect_units
from mcrock.statistics.runs import ESTIMATE, check_runs, record_index, run_intensity
from mcrock.statistics.studentized import curve_quantity, fit_sample, values_of

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


@takes_path
@takes(Bootstrap)
def rate_distribution(
    ds: xr.Dataset,
    hazard: xr.Dataset,
    *,
    beta_u: float = 0.0,
    age: ArrayLike | None = None,
    **keywords: Unpack[BootstrapKeywords],
) -> xr.Dataset:
    """Distribution of the annual rate by the lognormal curve, over all that is not known of it.

    Hazard curves of equal weight (`hazard_strata`), outer draws of a nested study with the deviations of
    their ln(median) shrunk to the epistemic dispersion, resamples of the records, and a lognormal
    factor on the capacity of dispersion ``beta_u`` for what the model leaves out, such as soil, are
    drawn independently.

    Parameters
    ----------
    ds, hazard
        As for `annual_rate`.
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
        standard deviation of ln(rate) [1]. Of the mean hazard: `part_intensity` (part), below which
        5, 50 and 95 % of the rate arise, and there, at 50 %, the slope `hazard_slope` and
        `hazard_factor` of ``H = k0 x**-k``, with `closed_form` of the rate for it. With an age
        `survival` [1], the mean over everything, and `survival_interval` (bound) over the resamples
        of the records. For a nested study `rank_correlation` (input) of inputs with the rates of
        the draws and `p_value` (input), family-wise by permutation. All NaN where there is no
        lognormal curve.

    Raises
    ------
    HazardError
        If the hazard is of another intensity.
    ValueError
        As `fit_fragility`; if ``beta_u`` is negative.
    """
    how = Bootstrap(**keywords)
    if not (np.isfinite(beta_u) and beta_u >= 0):
        raise ValueError(f"beta_u must be finite and >= 0 [1], got {beta_u!r}")
    flat = pooled(ds)
    check_runs(flat)
    check_measure(run_intensity(flat), hazard, own_measure(flat))
    record, _ = record_index(flat)
    units = collect_units(flat, record if how.cluster else None, how.allow_missing)
    fitted = fit_sample(units, units.overturned[ESTIMATE], how)
    both = curve_quantity(np.zeros(0))
    centre = values_of(fitted.whole, both)[0]
    drawn = np.concatenate([values_of(curves, both) for curves, *_ in fitted.drawn])
    drawn = drawn[np.isfinite(drawn).all(axis=1)]
    shift, narrowing = _epistemic(ds, centre)
    rng = np.random.default_rng([how.seed, 1])
    curves = hazard_strata(hazard)
    x = hazard["hazard_intensity"].values

    def log_rates(rate: np.ndarray, median: np.ndarray, dispersion: np.ndarray) -> np.ndarray:
        if np.isnan(centre).any() or not len(drawn):
            return np.full(len(median), np.nan)
        found = lognormal_rates(x, rate, np.exp(median)[:, None], np.exp(dispersion)[:, None])
        return np.log(np.maximum(found.sum(axis=-1), 1e-300))

    one = np.zeros(SAMPLES)
    records = drawn[rng.integers(len(drawn), size=SAMPLES)] if len(drawn) else np.full((SAMPLES, 2), np.nan)
    epistemic, own = rng.choice(shift, SAMPLES), beta_u * rng.standard_normal(SAMPLES)
    which = np.arange(SAMPLES) % len(curves)
    mean_curve = hazard["rate"].sel(hazard=MEAN).values
    median, dispersion = records[:, 0] + epistemic + own, records[:, 1] + narrowing
    joint = np.empty(SAMPLES)
    for i, rate in enumerate(curves):
        joint[which == i] = log_rates(rate, median[which == i], dispersion[which == i])
    spread = {
        "hazard": np.array([log_rates(rate, centre[:1], centre[1:] + narrowing)[0] for rate in curves]),
        "epistemic": log_rates(mean_curve, centre[0] + epistemic, one + centre[1] + narrowing),
        "records": log_rates(mean_curve, records[:, 0], records[:, 1] + narrowing),
        "beta_u": log_rates(mean_curve, centre[0] + own, one + centre[1] + narrowing),
    }
    variance = np.array([spread[name].var() for name in SOURCES])
    units_of = {key: words for key, words in run_intensity(flat).attrs.items() if key == "units"}
    per_year, plain = {"units": "1/a"}, {"units": "1"}
    with np.errstate(invalid="ignore"):
        shares = np.where(variance < 1e-20, 0.0, variance) / variance.sum()
    result = xr.Dataset(
        {
            "rate_mean": ((), np.exp(joint).mean(), per_year),
            "rate_fractile": ("fractile", np.exp(np.quantile(joint, FRACTILES)), per_year),
            "log_rate_deviation": ((), joint.std(), plain),
            "variance_share": ("source", shares, plain),
            "hazards": ((), len(curves), plain | {"long_name": "hazard curves of equal weight"}),
        },
        coords={"fractile": list(FRACTILES), "source": list(SOURCES), "bound": BOUNDS, "part": list(PARTS)},
        attrs={"level": how.level, "beta_u": float(beta_u)},
    )
    _add_parts(result, x, mean_curve, np.add(centre, [0.0, narrowing]), units_of)
    if age is not None:
        _add_survival(result, joint, age, curves, np.add(drawn, [0.0, narrowing]), log_rates, how)
    if is_nested(ds):
        _add_sensitivity(result, ds, hazard, how.seed)
    return result


def _epistemic(ds: xr.Dataset, centre: np.ndarray) -> tuple[np.ndarray, float]:
    """Deviations of ln(median) of the outer draws, and what ln(dispersion) is less by without them."""
    if not is_nested(ds):
        return np.zeros(1), 0.0
    parts = epistemic_fragility(ds)
    off = np.log(parts["median_capacity"].values)
    if not (np.isfinite(float(parts["epistemic"])) and np.isfinite(off).all()):
        return np.full(1, np.nan), np.nan
    off = off - off.mean()
    naive = off.std(ddof=1)
    scaled = off * (float(parts["epistemic"]) / naive if naive > 0 else 0.0)
    return scaled, float(np.log(float(parts["aleatory"])) - centre[1])


def _add_parts(
    result: xr.Dataset, x: np.ndarray, rate: np.ndarray, curve: np.ndarray, axis: dict[str, str]
) -> None:
    """Quantiles of the disaggregation, and the power law at its middle."""
    grid, fine = refine(x, rate, np.geomspace(x[0], x[-1], 2000))
    at, slope, factor, closed = np.full(3, np.nan), np.nan, np.nan, np.nan
    if np.isfinite(curve).all():
        parts = lognormal_rates(grid, fine, *np.exp(curve)).cumsum()
        at = np.exp(np.interp(np.array(PARTS) * parts[-1], parts, np.log(grid[1:])))
        k = int(np.clip(np.searchsorted(x, at[1]) - 1, 0, len(x) - 2))
        slope = float(-np.log(rate[k + 1] / rate[k]) / np.log(x[k + 1] / x[k]))
        factor = float(rate[k] * x[k] ** slope)
        closed = factor * np.exp(-slope * curve[0] + (slope * np.exp(curve[1])) ** 2 / 2)
    result["part_intensity"] = ("part", at, axis)
    result["hazard_slope"] = ((), slope, {"units": "1"})
    result["hazard_factor"] = ((), factor, {"units": "1/a (unit of the intensity)**k"})
    result["closed_form"] = ((), closed, {"units": "1/a"})


def _add_survival(result, joint, age, curves, drawn, log_rates, how) -> None:  # type: ignore[no-untyped-def]
    """Survival of an age, averaged over everything, and its interval over resamples of the records."""
    ages = np.atleast_1d(np.asarray(age, float))
    if not (np.isfinite(ages) & (ages >= 0)).all():
        raise ValueError(f"age must be finite and >= 0 [a], got {ages.tolist()}")
    of_all = np.exp(-np.exp(joint)[:, None] * ages).mean()
    rates = (
        np.exp(np.stack([log_rates(curve, *drawn.T) for curve in curves])) if len(drawn) else np.zeros((1, 1))
    )
    by_resample = np.exp(-rates[..., None] * ages).mean(axis=(0, 2))
    tail = (1 - how.level) / 2
    ends = np.quantile(by_resample, [tail, 1 - tail])
    result["survival"] = ((), of_all, {"units": "1"})
    low, high = min(ends[0], of_all), max(ends[1], of_all)
    result["survival_interval"] = ("bound", [low, high], {"units": "1"})


def _add_sensitivity(result: xr.Dataset, ds: xr.Dataset, hazard: xr.Dataset, seed: int) -> None:
    """Rank correlations of the inputs with the rates of the draws; p-values by permutation of the draws."""
    from scipy.stats import rankdata  # half a second to import

    from mcrock.statistics.risk import rate_of_draws

    inputs = {name: values for name, values in unknown_inputs(ds).items() if np.ptp(values) > 0}
    rate = rate_of_draws(ds, hazard).sel(fragility="stripes").values
    if not inputs or np.ptp(rate) == 0:
        return

    def scores(values: np.ndarray) -> np.ndarray:
        off = rankdata(values, axis=-1) - (values.shape[-1] + 1) / 2
        found: np.ndarray = off / np.sqrt((off**2).sum(axis=-1, keepdims=True))
        return found

    table, own = scores(np.stack(list(inputs.values()))), scores(rate)
    found = table @ own
    rng = np.random.default_rng([seed, 2])
    by_chance = np.array([np.abs(table @ rng.permutation(own)).max() for _ in range(2000)])
    p = (1 + (by_chance[:, None] >= np.abs(found) - 1e-12).sum(axis=0)) / 2001
    result["rank_correlation"] = ("input", found, {"units": "1"})
    result["p_value"] = ("input", p, {"units": "1"})
    result.coords["input"] = list(inputs)
