"""Cross-validation of simple rules of overturning, leaving whole records out.

Every rule is fitted to the runs of all records but one, and scored on the runs of that one.

Good, I. J. (1952). Rational decisions. Journal of the Royal Statistical Society B 14(1), 107-114 (the
logarithmic score).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import xarray as xr

from mcrock.statistics.inference import Bootstrap
from mcrock.statistics.intervals import student_interval
from mcrock.statistics.probit import LOGIT, PROBIT, Link, evaluate_curves, fit_curves, log_likelihood
from mcrock.statistics.resample import Units, collect_units, draw_units
from mcrock.statistics.rising import RisingCurve
from mcrock.statistics.runs import ESTIMATE, record_lots

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


by_probit = either_way(by_curve(PROBIT))


def by_logit(x: np.ndarray, yes: np.ndarray, runs: np.ndarray) -> np.ndarray:
    """Log-logistic curve."""
    return by_curve(LOGIT)(x, yes, runs)


def by_rising(x: np.ndarray, yes: np.ndarray, runs: np.ndarray) -> np.ndarray:
    """Rising fractions; between the intensities of a sample as `RisingCurve`."""
    predicted = np.empty(np.shape(runs))
    for row, fell, number in zip(predicted, yes, runs, strict=True):
        there = number > 0
        curve = RisingCurve(x[there], fell[there], number[there])
        row[:] = curve.fraction if there.all() else curve.at(x)
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
    for name, table, words in (
        ("log_loss", losses, "mean log loss on records left out"),
        ("log_loss_difference", losses - losses[best], f"mean log loss over that of the best {dim}"),
    ):
        mean, half = student_interval(table.T, runs[:, None], level)
        result[name] = (dim, mean, {"units": "1", "long_name": words})
        result[f"{name}_interval"] = (("bound", dim), np.stack([mean - half, mean + half]), {"units": "1"})
