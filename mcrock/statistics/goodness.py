"""How well a curve fits: its test, what it foretells, and a curve to a plateau.

Test of fit of a fragility curve: its distance from the fractions, against resamples of the recordings.

Stute, W., González Manteiga, W. and Presedo Quindimil, M. (1993). Bootstrap based goodness-of-fit tests.
Metrika 40(1), 243-256 (resamples of a fitted model, centred at the sample).

Cross-validation of simple rules of overturning, leaving whole records out.

Every rule is fitted to the runs of all records but one, and scored on the runs of that one.

Good, I. J. (1952). Rational decisions. Journal of the Royal Statistical Society B 14(1), 107-114 (the
logarithmic score).

Fragility with an upper asymptote: a share that ever overturns, times a lognormal curve.

Some bodies never overturn however strong the motion: they slide, or are held. The curve is the mixture (cure)
model of survival analysis with current status data, fitted by expectation and maximization, then by Fisher's
scoring.

Farewell, V. T. (1982). The use of mixture models for the analysis of survival data with long-term survivors.
Biometrics 38(4), 1041-1046.

Intervals are bootstrap-t intervals over the records (`mcrock.statistics.studentized`) of the logit of the
share and of the intensities at which the curve reaches a probability.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import xarray as xr
from scipy.special import expit, logit, ndtr, ndtri

from mcrock.statistics.intervals import Bootstrap, clustered_interval, student_interval
from mcrock.statistics.probit import (
    LOGIT,
    PROBIT,
    Curves,
    FitKind,
    Link,
    Units,
    collect_units,
    draw_units,
    evaluate_curves,
    fit_curves,
    log_likelihood,
)
from mcrock.statistics.rates import RisingCurve
from mcrock.statistics.runs import ALL_OVERTURN, ALL_STAND, ESTIMATE, record_lots
from mcrock.statistics.studentized import Fitted, bootstrap_t, fit_sample, sandwich_errors, widened

CLASSES = 12  # of neighbouring intensities, at most
REJECTED = 0.05  # p-value below which a curve is rejected [1]
FEWEST = 6  # units below which there is no test: with two and three a true curve was rejected in 40 and 15 %


def is_rejected(found: xr.Dataset) -> bool:
    """Whether runs contradict the lognormal curve of a result with `fit_p_value`; not where that is NaN."""
    return bool(found["fit_p_value"] < REJECTED)


def fit_p_value(units: Units, how: Bootstrap, link: Link = PROBIT) -> float:
    """Probability of fractions as far from the curve as these, if the curve is true [1].

    The distance is the sum over classes of the intensity of the squared difference between the runs that
    overturned and those that the curve expects, over the binomial variance. How large it is by chance, with
    runs that share recordings, is taken from resamples of these, each fitted anew and with the differences of
    the sample taken off. In 300 studies each of the truth at ten levels it rejected at 0.05 in 0.067, 0.033
    and 0.02 of them (10 recordings, 0, 0.6 and 0.95 of the variance between them), 0.067, 0.02 and 0.02 (22)
    and 0.043, 0.03 and 0.04 (60).

    Parameters
    ----------
    units : Units
        Of the study.
    how : Bootstrap
        Resamples and seed.
    link : Link
        Of the curve.

    Returns
    -------
    float
        NaN where there is no curve, or fewer than three classes or `FEWEST` units.
    """
    if units.number < FEWEST:
        return float("nan")
    fitted = fit_sample(units, units.overturned[ESTIMATE], how, link)
    runs, yes = units.total(units.runs), units.total(units.overturned[ESTIMATE])
    there = runs > 0
    x, runs, yes = units.intensity[there], runs[there], yes[there]
    place = np.minimum((runs.cumsum() - runs) * CLASSES // runs.sum(), CLASSES - 1)
    starts = np.flatnonzero(np.diff(place, prepend=-1)) if len(x) > CLASSES else np.arange(len(x))
    if fitted.whole.kind[0] != FitKind.MAXIMUM or len(starts) < 3:
        return float("nan")
    curve = evaluate_curves(fitted.whole, x)[0][0]
    variance = np.add.reduceat(runs * curve * (1 - curve), starts) + 0.5  # half a run where none is expected
    off = np.add.reduceat(yes - runs * curve, starts)
    distance, by_chance = (off**2 / variance).sum(), []
    for curves, _, (fell, stood) in fitted.drawn:
        expected = (fell + stood) * evaluate_curves(curves, x)[0]
        drawn = np.add.reduceat(fell - expected, starts, axis=1) - off
        by_chance.append((drawn**2 / variance).sum(axis=1)[curves.kind == FitKind.MAXIMUM])
    drawn = np.concatenate(by_chance)
    return float((1 + (drawn >= distance).sum()) / (1 + len(drawn)))


# from intensities, and overturned and all runs of n samples (n, n_intensity), to probabilities of the same
# shape
Rule = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


class HeldOut(NamedTuple):
    """Sums over the runs of each record, by a rule that is fitted to the other records."""

    runs: np.ndarray  # (n_record,)
    log_loss: np.ndarray  # (n_record,) minus the log of the probability that was given to what came
    wrong: np.ndarray  # (n_record,) runs in which the less probable came


def record_units(ds: xr.Dataset, allow_missing: bool) -> Units:
    """Counts of each record, or of lots of records or realizations (`record_lots`)."""
    return collect_units(ds, record_lots(ds), allow_missing)


def held_out(units: Units, rule: Rule) -> HeldOut:
    """Score a rule on records that it was not fitted to.

    A predicted probability is at least that of half a run among those fitted to, and at most that of all but
    half a run: what never occurred is not impossible. A run that broke off counts half either way.
    """
    return cross_validated(
        units.runs, units.overturned[ESTIMATE], lambda *others: rule(units.intensity, *others)
    )


def left_out_losses(units: Units, how: Bootstrap, rules: Sequence[Rule]) -> np.ndarray:
    """Log loss (n_rule, n) of rules that are fitted to resamples, on the units that these leave out.

    Of a kind of unit that stands for many, those left out are as many as is expected of it. Probabilities are
    bounded as those of `held_out`.
    """
    there = units.total(units.runs) > 0
    x, runs, yes = units.intensity[there], units.runs[:, there], units.overturned[ESTIMATE][:, there]
    least, losses = 0.5 / (units.total(runs).sum() + 1), []
    for times in draw_units(units, how):
        left = units.copies * (1 - 1 / units.copies) ** times
        told = [np.clip(rule(x, times @ yes, times @ runs), least, 1 - least) for rule in rules]
        losses.append([-log_likelihood(left @ yes, left @ runs, each) for each in told])
    return np.concatenate(losses, axis=1)


def cross_validated(
    runs: np.ndarray, yes: np.ndarray, predict: Callable[[np.ndarray, np.ndarray], np.ndarray]
) -> HeldOut:
    """`held_out` of counts (n_record, n_cell) in any cells; NaN of a single record, which has no others."""
    if len(runs) < 2:
        return HeldOut(runs.sum(axis=1), *np.full((2, len(runs)), np.nan))
    others = yes.sum(axis=0) - yes, runs.sum(axis=0) - runs
    least = 0.5 / (others[1].sum(axis=1, keepdims=True) + 1)
    predicted = np.clip(predict(*others), least, 1 - least)
    loss = -log_likelihood(yes, runs, predicted)
    wrong = np.where(predicted > 0.5, runs - yes, np.where(predicted < 0.5, yes, runs / 2)).sum(axis=1)
    return HeldOut(runs.sum(axis=1), loss, wrong)


def judged(units: Units, threshold: float) -> HeldOut:
    """Score a given threshold; its probabilities are the fractions on either side in the other records."""
    above = units.intensity > threshold
    runs, yes = units.runs, units.overturned[ESTIMATE]
    wrong = np.where(above, runs - yes, yes).sum(axis=1)
    return held_out(units, lambda x, *counts: _two_fractions(above, *counts))._replace(wrong=wrong)


def constant(x: np.ndarray, yes: np.ndarray, runs: np.ndarray) -> np.ndarray:
    """The fraction of all runs, whatever the intensity."""
    share = yes.sum(axis=1, keepdims=True) / np.maximum(runs.sum(axis=1, keepdims=True), 1)
    return np.broadcast_to(share, runs.shape)


def either_way(rule: Rule) -> Rule:
    """The curve of a rule, rising or falling, of the larger likelihood."""

    def of_both(x: np.ndarray, yes: np.ndarray, runs: np.ndarray) -> np.ndarray:
        rising = rule(x, yes, runs)
        falling = rule(1 / x[::-1], yes[:, ::-1], runs[:, ::-1])[:, ::-1]
        value = [log_likelihood(yes, runs, p) for p in (rising, falling)]
        return np.where((value[1] > value[0])[:, None], falling, rising)

    return of_both


def by_curve(link: Link) -> Rule:
    """The rising curve of a link."""
    return lambda x, yes, runs: np.mean(evaluate_curves(fit_curves(x, yes, runs, link), x), axis=0)


by_probit, by_logit = either_way(by_curve(PROBIT)), by_curve(LOGIT)


def fitted_rule(fitted: Fitted) -> Rule:
    """The curves of the resamples of a sample, which are asked for once, in the order of `draw_units`."""
    drawn = iter(fitted.drawn)
    return lambda x, yes, runs: np.mean(evaluate_curves(next(drawn)[0], x), axis=0)


def by_rising(x: np.ndarray, yes: np.ndarray, runs: np.ndarray) -> np.ndarray:
    """Rising fractions; between the intensities of a sample as `RisingCurve`."""
    predicted = np.empty(np.shape(runs))
    for row, fell, number in zip(predicted, yes, runs, strict=True):
        there = number > 0
        curve = RisingCurve(x[there], fell[there], number[there])
        row[there], row[~there] = curve.fraction, curve.at(x[~there])
    return predicted


def by_threshold(x: np.ndarray, yes: np.ndarray, runs: np.ndarray) -> np.ndarray:
    """Fractions above and below the threshold with the fewest wrong runs."""
    above = np.arange(len(x)) >= best_thresholds(yes, runs)[:, None]
    return _two_fractions(above, yes, runs)


def best_thresholds(yes: np.ndarray, runs: np.ndarray) -> np.ndarray:
    """Index (n,) of the weakest intensity that overturns by the threshold with the fewest wrong runs.

    Of several with as few the middle one.
    """
    zero = np.zeros((len(yes), 1))
    below = np.concatenate([zero, yes.cumsum(axis=1)], axis=1)
    above = np.concatenate([(runs - yes)[:, ::-1].cumsum(axis=1)[:, ::-1], zero], axis=1)
    wrong = below + above
    fewest = wrong <= wrong.min(axis=1, keepdims=True) + 1e-9
    place = np.cumsum(fewest, axis=1)
    return (place >= (place[:, -1:] + 1) // 2).argmax(axis=1)


def _two_fractions(above: np.ndarray, yes: np.ndarray, runs: np.ndarray) -> np.ndarray:
    predicted = np.zeros(runs.shape)
    for side in (above, ~above):
        number, count = (np.where(side, x, 0.0).sum(axis=1, keepdims=True) for x in (yes, runs))
        predicted = np.where(side, (number + 0.5) / (count + 1), predicted)
    return predicted


def add_log_losses(
    result: xr.Dataset, dim: str, losses: np.ndarray, runs: np.ndarray, level: float, best: int
) -> None:
    """Add the mean log loss of some predictors, and that over the best of them, with Student's intervals.

    Parameters
    ----------
    result : Dataset
        Gets `log_loss` and `log_loss_difference` along ``dim``, and their intervals (bound, ...) [1].
    dim : str
        Of the predictors.
    losses, runs : ndarray (n, n_record), (n_record,)
        Sums over the runs of each record, and its runs.
    level : float
        Coverage of the intervals [1].
    best : int
        Predictor that the others are compared with.
    """
    of = result.coords.get(f"{dim}_label", result[dim])[best].item()
    for name, table, words, digits in (
        ("log_loss", losses, "log loss on records left out", ".3f"),
        ("log_loss_difference", losses - losses[best], f"over that of {of}", "difference"),
    ):
        mean, half = student_interval(table.T, runs[:, None], level)
        result[name] = (dim, mean, {"units": "1", "long_name": words, "digits": digits})
        result[f"{name}_interval"] = (("bound", dim), np.stack([mean - half, mean + half]), {"units": "1"})


STEPS = 30  # of expectation and maximization, which crawl along a flat likelihood: Fisher's steps finish
SCORINGS = 60  # of them, at most
# of logit(share), ln(median) less the sample's, ln(dispersion)
ENDS = np.array([[-5.0, -9.0, -5.0], [7.0, 9.0, 3.0]])


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
    held = np.flatnonzero((curves.kind == plain.kind) & (plain.kind == FitKind.MAXIMUM))
    ever = np.ones(len(yes))
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
    """Probabilities of `fit_plateau`, a `mcrock.statistics.goodness.Rule`."""
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
