"""How well a curve fits: its test, and what it foretells of recordings left out.

`fit_p_value` is the test of fit: the distance of the curve from the fractions, against resamples of the
recordings. `held_out` and `left_out_losses` score rules of overturning on recordings that these were not
fitted to; a `Rule` is a curve, a curve to a plateau, empirical fractions or a threshold.

Good, I. J. (1952). Rational decisions. Journal of the Royal Statistical Society B 14(1), 107-114 (the
logarithmic score).

Stute, W., González Manteiga, W. and Presedo Quindimil, M. (1993). Bootstrap based goodness-of-fit tests.
Metrika 40(1), 243-256 (resamples of a fitted model, centred at the sample).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import xarray as xr

from mcrock.statistics.intervals import Bootstrap, student_interval
from mcrock.statistics.likelihood import (
    LOGIT,
    PROBIT,
    FitKind,
    Link,
    evaluate_curves,
    fit_curves,
    fit_plateau,
    log_likelihood,
    plateau_curve,
)
from mcrock.statistics.rates import IsotonicCurve, rise_already
from mcrock.statistics.resampling import Units, collect_units, draw_units, fit_sample
from mcrock.statistics.runs import ESTIMATE, record_lots

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


def rising_or_falling(rule: Rule) -> Rule:
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


by_probit, by_logit = rising_or_falling(by_curve(PROBIT)), by_curve(LOGIT)


def fitted_rule(units: Units, how: Bootstrap, link: Link) -> Rule:
    """The curves of the resamples of a study, which are asked for once, in the order of `draw_units`."""
    drawn = iter(fit_sample(units, units.overturned[ESTIMATE], how, link).drawn)
    return lambda x, yes, runs: np.mean(evaluate_curves(next(drawn)[0], x), axis=0)


def by_isotonic(x: np.ndarray, yes: np.ndarray, runs: np.ndarray) -> np.ndarray:
    """Isotonic fractions; between the intensities of a sample as `IsotonicCurve`."""
    with np.errstate(invalid="ignore"):
        predicted: np.ndarray = yes / runs
    for i in np.flatnonzero(~rise_already(predicted, runs)):
        there = runs[i] > 0
        curve = IsotonicCurve(x[there], yes[i, there], runs[i, there])
        predicted[i, there], predicted[i, ~there] = curve.fraction, curve.at(x[~there])
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


def by_plateau(x: np.ndarray, yes: np.ndarray, runs: np.ndarray) -> np.ndarray:
    """Probabilities of `fit_plateau`, a `Rule`; of `by_curve` where there is none."""
    found = fit_plateau(x, yes, runs)
    plain = by_curve(PROBIT)(x, yes, runs)
    return np.where(np.isfinite(found).all(axis=1, keepdims=True), plateau_curve(found, x), plain)


def plateau_rule(units: Units) -> Rule:
    """`by_plateau` of resamples of units that have a lognormal curve, each from the curve of the whole."""
    whole = fit_plateau(*units.sample())
    return lambda x, yes, runs: plateau_curve(fit_plateau(x, yes, runs, whole), x)
