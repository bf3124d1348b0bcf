"""Fragility with an upper asymptote: a share that ever overturns, times a lognormal curve.

Some bodies never overturn however strong the motion: they slide, or are held. The curve is the mixture (cure)
model of survival analysis with current status data, fitted by expectation and maximization, then by Fisher's
scoring.

Farewell, V. T. (1982). The use of mixture models for the analysis of survival data with long-term survivors.
Biometrics 38(4), 1041-1046.

Intervals are bootstrap-t intervals over the records (`mcrock.statistics.studentized`) of the logit of the
share and of the intensities at which the curve reaches a probability.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import expit, logit, ndtr, ndtri

from mcrock.statistics.cross_validation import Rule
from mcrock.statistics.inference import Bootstrap
from mcrock.statistics.intervals import clustered_interval
from mcrock.statistics.probit import Curves, FitKind, evaluate_curves, fit_curves, log_likelihood
from mcrock.statistics.resample import Units
from mcrock.statistics.runs import ALL_OVERTURN, ALL_STAND, ESTIMATE
from mcrock.statistics.studentized import bootstrap_t, sandwich_errors, widened

STEPS = 30  # of expectation and maximization, which crawl along a flat likelihood: Fisher's steps finish
SCORINGS = 60  # of them, at most
ENDS = np.array(
    [[-5.0, -9.0, -5.0], [7.0, 9.0, 3.0]]
)  # of logit(share), ln(median) less the sample's, ln(dispersion)


def fit_plateau(x: np.ndarray, yes: np.ndarray, runs: np.ndarray) -> tuple[np.ndarray, Curves]:
    """Share that ever overturns (n,) [1], and the lognormal curves of these, for sets of counts.

    Parameters
    ----------
    x : ndarray (n_intensity,)
        Rising, > 0.
    yes, runs : ndarray (n, n_intensity)
        Overturned runs and all runs [1].

    Returns
    -------
    tuple of ndarray (n,) and Curves
        A share of 1 is the lognormal curve itself; where there is no such curve there is no plateau either.
    """
    yes, runs = np.asarray(yes, float), np.asarray(runs, float)
    stood, total = runs - yes, runs.sum(axis=1)
    plain = curves = fit_curves(x, yes, runs)
    fell, of = (counts[:, ::-1].cumsum(axis=1) for counts in (yes, runs))  # from each intensity on
    fraction = np.divide(fell, of, out=np.zeros_like(yes), where=of >= total[:, None] / 10)
    share = np.clip(fraction.max(axis=1, keepdims=True) + 0.02, 0.05, 0.98)
    for _ in range(STEPS):
        shape = evaluate_curves(curves, x)[0]
        of_those = share * (1 - shape) / np.maximum(1 - share * shape, 1e-300)  # that stood and yet overturn
        curves = fit_curves(x, yes, yes + stood * of_those)
        share = ((yes + stood * of_those).sum(axis=1) / total)[:, None]
    ever, held = (
        np.ones(len(yes)),
        np.flatnonzero((curves.kind == plain.kind) & (plain.kind == FitKind.MAXIMUM)),
    )
    if held.size:
        z, counts = np.log(x), (yes[held], runs[held])
        values = _scored(_parameters(share[:, 0], curves)[held], z, *counts)
        without = evaluate_curves(plain, x)[0][held]
        more = log_likelihood(*counts, _parts(values, z)[0]) > log_likelihood(*counts, without)
        held, values = held[more], values[more]
        ever[held] = expit(values[:, 0])
        for name, k in (("median", 1), ("dispersion", 2)):
            for end in ("low", "high"):
                getattr(plain, f"{end}_{name}")[held] = np.exp(values[:, k])
    return ever, plain


def _parameters(share: np.ndarray, curves: Curves) -> np.ndarray:
    """logit(share), ln(median), ln(dispersion) (n, 3)."""
    with np.errstate(divide="ignore"):
        median, dispersion = np.log(curves.low_median), np.log(curves.low_dispersion)
    return np.stack([logit(np.clip(share, 0.001, 0.999)), median, dispersion], axis=1)


def by_plateau(x: np.ndarray, yes: np.ndarray, runs: np.ndarray) -> np.ndarray:
    """Probabilities of `fit_plateau`, a `mcrock.statistics.cross_validation.Rule`."""
    share, curves = fit_plateau(x, yes, runs)
    return share[:, None] * np.mean(evaluate_curves(curves, x), axis=0)


def plateau_share(units: Units, how: Bootstrap) -> tuple[float, float, float]:
    """Share that can ever overturn [1] with its interval; NaN where there is no such curve."""
    x, yes, runs = units.sums()
    share, curves = fit_plateau(x, yes[None], runs[None])
    if curves.kind[0] != FitKind.MAXIMUM:
        return np.nan, np.nan, np.nan
    low, high = plateau_bounds(units, how, np.zeros(0))[:, 0].tolist()
    return float(share[0]), low, high


def plateau_rule(units: Units) -> Rule:
    """`by_plateau` of resamples of units that have a lognormal curve, each from the curve of the whole."""
    x, yes, runs = units.sums()
    share, curves = fit_plateau(x, yes[None], runs[None])
    start = _parameters(share, curves)

    def rule(x: np.ndarray, yes: np.ndarray, runs: np.ndarray) -> np.ndarray:
        return _parts(_scored(start, np.log(x), yes, runs), np.log(x))[0]

    return rule


def plateau_bounds(units: Units, how: Bootstrap, at: np.ndarray) -> np.ndarray:
    """Bounds (2, 1 + n_at) of the share that ever overturns [1], and of where the curve has probabilities.

    Undecided runs count both ways. Of the share the lower bound is at least that of the fraction at the
    strongest intensity, which it cannot be below; its upper bound is 1 where resamples have no plateau.

    Parameters
    ----------
    units : Units
        Of the study.
    how : Bootstrap
        Level, resamples and seed.
    at : ndarray (n_at,)
        Probabilities [1].

    Returns
    -------
    ndarray (2, 1 + n_at)
        Intensities are from 0 to inf where no bound is known.
    """
    there = units.total(units.runs) > 0
    last = np.flatnonzero(there)[-1]
    ends = []
    decided = np.array_equal(units.overturned[ALL_STAND], units.overturned[ALL_OVERTURN])
    for yes in units.overturned[[ESTIMATE]] if decided else units.overturned:
        bounds = _resampled(units, yes, there, how, at)
        strongest = clustered_interval(yes[:, last], units.runs[:, last], how.level)[0]
        bounds[0, 0] = np.fmax(bounds[0, 0], strongest)
        ends.append(bounds)
    lows, highs = np.array(ends)[:, 0], np.array(ends)[:, 1]
    return np.stack(
        [
            np.where(np.isnan(lows), 0.0, lows).min(axis=0),
            np.where(np.isnan(highs), np.inf, highs).max(axis=0),
        ]
    )


def _resampled(
    units: Units, yes: np.ndarray, there: np.ndarray, how: Bootstrap, at: np.ndarray
) -> np.ndarray:
    """Bootstrap-t bounds of one reading; NaN where resamples tell none."""
    bounds = np.full((2, 1 + len(at)), np.nan)
    bounds[1, 0] = 1.0
    x, own, fell = units.intensity[there], units.runs[:, there], yes[:, there]
    share, curves = fit_plateau(x, units.total(fell)[None], units.total(own)[None])
    if curves.kind[0] != FitKind.MAXIMUM or not how.reaches_level(units.number):
        return bounds
    z = np.log(x)
    start = _parameters(share, curves)
    told = np.append(share[0], np.exp(_quantities(start, at)[0][0, 1:]))

    def estimate(times: np.ndarray) -> tuple[np.ndarray, Callable[[], np.ndarray]]:
        parameters = _scored(start, z, times @ fell, times @ own)
        values, slopes = _quantities(parameters, at)
        return values, lambda: _errors(parameters, slopes, z, times, fell, own)

    found = bootstrap_t(units, how, estimate, widened(units))
    bounds[0] = np.append(expit(found[0, :1]), np.exp(found[0, 1:]))
    bounds[1] = np.append(np.fmin(expit(found[1, :1]), 1.0), np.exp(found[1, 1:]))
    return np.stack([np.minimum(bounds[0], told), np.maximum(bounds[1], told)])


def _parts(values: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities (n, n_intensity) and their derivatives (n, n_intensity, 3) by the parameters (n, 3):
    logit(share), ln(median), ln(dispersion)."""
    share, dispersion = expit(values[:, :1]), np.exp(values[:, 2:])
    eta = (z - values[:, 1:2]) / dispersion
    density = share * np.exp(-0.5 * eta**2) / np.sqrt(2 * np.pi)
    curve = share * ndtr(eta)
    slopes = np.stack([(1 - share) * curve, -density / dispersion, -density * eta], axis=-1)
    return np.clip(curve, 1e-12, 1 - 1e-12), slopes


def _scored(start: np.ndarray, z: np.ndarray, yes: np.ndarray, runs: np.ndarray) -> np.ndarray:
    """Parameters (n, 3) of largest likelihood of counts, by Fisher's scoring with steps that are halved."""
    values = np.broadcast_to(start, (len(yes), 3)).copy()
    low, high = ENDS + np.array([0.0, 1.0, 0.0]) * start[0, 1]

    active = np.arange(len(values))
    for _ in range(SCORINGS):
        fell, all_runs = yes[active], runs[active]
        curve, slopes = _parts(values[active], z)
        weight = 1 / (curve * (1 - curve))
        score = np.einsum("nj,njk->nk", (fell - all_runs * curve) * weight, slopes)
        information = np.einsum("nj,njk,njl->nkl", all_runs * weight, slopes, slopes)
        information += np.eye(3) * 1e-9 * (np.trace(information, axis1=1, axis2=2)[:, None, None] + 1e-9)
        step = np.linalg.solve(information, score[..., None])[..., 0]
        step /= np.maximum(np.abs(step).max(axis=1, keepdims=True) / 2, 1.0)
        value, moved = log_likelihood(fell, all_runs, curve), np.zeros(len(active))
        for part in 0.5 ** np.arange(8):
            trial = np.clip(values[active] + part * step, low, high)
            gain = log_likelihood(fell, all_runs, _parts(trial, z)[0]) - value
            better = (moved == 0) & (gain > 0)
            values[active[better]], moved[better] = trial[better], gain[better]
            if (moved > 0).all():
                break
        active = active[moved > 1e-7]
        if not active.size:
            break
    return values


def _quantities(values: np.ndarray, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """logit(share) and ln(intensity) at probabilities (n, 1 + n_at), with derivatives (n, 1 + n_at, 3)."""
    share, dispersion = expit(values[:, :1]), np.exp(values[:, 2:])
    with np.errstate(invalid="ignore", divide="ignore"):
        part = np.where(at < share, at / share, np.nan)
        k = ndtri(part)
        by_share = -dispersion * part * (1 - share) * np.sqrt(2 * np.pi) * np.exp(0.5 * k**2)
    found = np.concatenate([values[:, :1], values[:, 1:2] + dispersion * k], axis=1)
    slopes = np.stack([by_share, np.ones_like(k), dispersion * k], axis=-1)
    first = np.broadcast_to(np.array([1.0, 0.0, 0.0]), (len(values), 1, 3))
    found[:, 0] = np.where(found[:, 0] < ENDS[1, 0], found[:, 0], np.nan)
    return found, np.concatenate([first, slopes], axis=1)


def _errors(
    value: np.ndarray, slopes: np.ndarray, z: np.ndarray, times: np.ndarray, yes: np.ndarray, runs: np.ndarray
) -> np.ndarray:
    """Standard errors (n, m) of quantities of resamples, whose derivatives are ``slopes`` (n, m, 3)."""
    curve, by = _parts(value, z)
    part = by / (curve * (1 - curve))[..., None]
    information = np.einsum("nj,njk,njl->nkl", times @ runs, part, by)
    score = np.einsum("rj,njk->nrk", yes, part) - np.einsum("rj,nj,njk->nrk", runs, curve, part)
    return sandwich_errors(np.linalg.pinv(information, hermitian=True), score, times, slopes)
