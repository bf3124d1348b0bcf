"""Bootstrap-t intervals of a fragility curve whose runs are dependent within units, such as recordings.

The units are drawn again with replacement. Every resample gives estimates and, from the scores of its units
(the cluster sandwich), their standard errors; the quantiles of what the resamples are off by, in standard
errors, take the place of Student's. The standard error of the sample itself is that of the jackknife, which
leaves out one unit at a time. Any smooth quantity of ln(median) and ln(dispersion) has such an interval: both
themselves, probits of the curve, the intensity at which it reaches a probability, the logarithm of a rate.

Davison, A. C. and Hinkley, D. V. (1997). Bootstrap methods and their application. Cambridge University
Press, section 5.2 (studentized bootstrap).

White, H. (1982). Maximum likelihood estimation of misspecified models. Econometrica 50(1), 1-25 (the
sandwich).
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np

from mcrock.statistics.intervals import Bootstrap
from mcrock.statistics.probit import BATCH, PROBIT, Curves, FitKind, Link, Units, draw_units, fit_curves
from mcrock.statistics.runs import ALL_OVERTURN, ALL_STAND, ESTIMATE

SPLITS = 16  # places at which undecided runs are split, by their number
KEPT = 8  # results that are remembered, of at most `BATCH` resampled numbers each
STEP = 1e-4  # of ln(median) and ln(dispersion) in differences

# from ln(median) and ln(dispersion) of curves (n, 1) to quantities (n, m)
Quantity = Callable[[np.ndarray, np.ndarray], np.ndarray]
Shares = tuple[tuple[Link, float], ...]  # of links whose curves an interval is averaged over
Covariance = tuple[np.ndarray, np.ndarray, np.ndarray]  # see `sandwich`


class Fitted(NamedTuple):
    """Curves of a sample, without each kind of its units, and of its resamples."""

    whole: Curves
    left_out: Curves
    copies: np.ndarray  # (n_kind,) units of each kind
    drawn: list[tuple[Curves, Covariance, list[np.ndarray]]]  # with their overturned and other runs


T = TypeVar("T")
_FITS: dict[bytes, Fitted] = {}


def remembered(known: dict[bytes, T], make: Callable[[], T], *of: object) -> T:
    """One of the latest `KEPT` results, by the contents of what they are made of, or a new one."""
    key = pickle.dumps(of)
    if key not in known:
        known[key] = make()
        while len(known) > KEPT:
            known.pop(next(iter(known)))
    return known[key]


def fit_sample(units: Units, overturned: np.ndarray, how: Bootstrap, link: Link = PROBIT) -> Fitted:
    """Fit a sample, the sample without each kind of its units, and its resamples; once for the same ones.

    Parameters
    ----------
    units : Units
        Of the study.
    overturned : ndarray (n_kind, n_intensity)
        Overturned runs, one reading of those of ``units``.
    how : Bootstrap
        Resamples and seed.
    link : Link
        Of the curves.
    """
    if how.resamples * len(units.intensity) > BATCH:
        return _fitted(units, overturned, how, link)
    of = *units, overturned, how, link.name
    return remembered(_FITS, lambda: _fitted(units, overturned, how, link), *of)


def _fitted(units: Units, overturned: np.ndarray, how: Bootstrap, link: Link) -> Fitted:
    runs, yes = units.total(units.runs), units.total(overturned)
    there = runs > 0
    x = units.intensity[there]
    kinds = overturned[:, there], (units.runs - overturned)[:, there]
    whole = fit_curves(x, yes[None, there], runs[None, there], link)
    left_out = fit_curves(x, (yes - overturned)[:, there], (runs - units.runs)[:, there], link, whole)
    drawn = []
    for times in draw_units(units, how):
        counts = [times @ kind for kind in kinds]
        curves = fit_curves(x, counts[0], counts[0] + counts[1], link, whole)
        with np.errstate(invalid="ignore", divide="ignore"):
            drawn.append((curves, sandwich(curves, np.log(x), times, kinds, counts), counts))
    return Fitted(whole, left_out, units.copies, drawn)


def pivots_of(fitted: Fitted, quantity: Quantity) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Estimates and standard errors (m,) of a sample, and what resamples are off by in theirs (n, m)."""
    centre = values_of(fitted.whole, quantity)[0]
    left_out = values_of(fitted.left_out, quantity)
    with np.errstate(invalid="ignore", divide="ignore"):
        pivots = [
            (values_of(curves, quantity) - centre) / standard_errors(curves, covariance, quantity)
            for curves, covariance, _ in fitted.drawn
        ]
        return centre, jackknife(left_out, fitted.copies), np.concatenate(pivots)


def standard_errors(curves: Curves, covariance: Covariance, quantity: Quantity) -> np.ndarray:
    """Standard errors (n, m) of quantities of curves, by the delta method with differences over `STEP`."""
    # of c0 + c1 eta: ln(median) moves by -dispersion c0, ln(dispersion) by -c1
    with np.errstate(invalid="ignore"):
        by_median, by_dispersion = (
            (values_of(curves, quantity, *step) - values_of(curves, quantity, *(-s for s in step)))
            / (2 * STEP)
            for step in ((STEP, 0.0), (0.0, STEP))
        )
        by_median = by_median * curves.low_dispersion[:, None]
        v00, v01, v11 = (part[:, None] for part in covariance)
        variance = by_median**2 * v00 + 2 * by_median * by_dispersion * v01 + by_dispersion**2 * v11
        return np.sqrt(variance)


def curve_quantity(at: np.ndarray) -> Quantity:
    """ln(median), ln(dispersion) and probits at some ln(intensity) (n_at,)."""
    return lambda median, dispersion: np.concatenate(
        [median, dispersion, (at - median) / np.exp(dispersion)], axis=1
    )


def readings_of(units: Units, quantity: Quantity, link: Link = PROBIT) -> list[np.ndarray]:
    """Readings of the undecided runs whose intervals together hold what these leave open.

    The estimate, all survived, all overturned; and of the readings with the undecided runs up to some
    intensity overturned and those above survived, or the other way round, those at which a quantity of the
    curve is least and largest: between all survived and all overturned the median moves, between these the
    dispersion. One reading where every run is decided.

    Returns
    -------
    list of ndarray (n_kind, n_intensity)
        Overturned runs.
    """
    estimate = units.overturned[ESTIMATE]
    stand, fall = units.overturned[ALL_STAND], units.overturned[ALL_OVERTURN]
    open_runs = units.total(fall - stand)
    if not open_runs.any():
        return [estimate]
    place = np.arange(len(open_runs))
    share = open_runs.cumsum() / open_runs.sum()
    splits = np.unique(np.searchsorted(share, np.arange(1, SPLITS) / SPLITS) + 1)
    below = [place < k for k in (*splits, *np.flatnonzero(open_runs)[[0, -1]] + [1, 0])]
    tables = [estimate, stand, fall]
    tables += [np.where(weak, *pair) for weak in below for pair in ((fall, stand), (stand, fall))]
    runs, yes = units.total(units.runs), np.stack([units.total(table) for table in tables])
    there = runs > 0
    every = np.broadcast_to(runs, yes.shape)
    curves = fit_curves(units.intensity[there], yes[:, there], every[:, there], link)
    values = values_of(curves, quantity)
    worst = np.flatnonzero(curves.kind != FitKind.MAXIMUM)[:1]
    known = np.isfinite(values).all(axis=1)
    extreme = [np.where(known[:, None], sign * values, -np.inf).argmax(axis=0) for sign in (1, -1)]
    chosen = np.unique(np.concatenate([[0, 1, 2], worst, *extreme]))
    return [tables[k] for k in chosen]


def pivot_interval(centre: np.ndarray, error: np.ndarray, pivots: np.ndarray, level: float) -> np.ndarray:
    """Ends (2, m) of intervals from estimates and standard errors (m,) and the pivots (n, m) of resamples.

    Pivots that are not numbers count in both tails; the estimate lies inside. NaN where an end is not finite.
    """
    known, tail = np.isfinite(pivots), (1 - level) / 2
    low = np.quantile(np.where(known, pivots, -np.inf), tail, axis=0, method="lower")
    high = np.quantile(np.where(known, pivots, np.inf), 1 - tail, axis=0, method="higher")
    with np.errstate(invalid="ignore"):
        ends = centre - np.stack([np.maximum(high, 0.0), np.minimum(low, 0.0)]) * error
    return np.where(np.isfinite(ends), ends, np.nan)


def pivots_by_link(
    units: Units,
    how: Bootstrap,
    overturned: np.ndarray,
    shares: Shares,
    quantity: Callable[[Link], Quantity],
    power: int,
) -> list[tuple[float, np.ndarray, np.ndarray, np.ndarray]]:
    """Shares, and `pivots_of` quantities of the curves of several links, for `averaged_interval`.

    Standard errors are `widened` by a power. Nothing if the first link has no curve.
    """
    parts = []
    for link, share in shares:
        fitted = fit_sample(units, overturned, how, link)
        if fitted.whole.kind[0] == FitKind.MAXIMUM:
            centre, error, pivots = pivots_of(fitted, quantity(link))
            parts.append((share, centre, widened(units) ** power * error, pivots))
        elif not parts:
            break
    return parts


def averaged_interval(
    parts: list[tuple[float, np.ndarray, np.ndarray, np.ndarray]], level: float
) -> np.ndarray:
    """Ends (2, m) of intervals averaged over curves of several kinds, each with its share.

    Parameters
    ----------
    parts : list of (float, ndarray (m,), ndarray (m,), ndarray (n, m))
        Share of a kind [1], and estimates, standard errors and pivots as for `pivot_interval`, which these
        ends are of one kind alone. Kinds without errors are left out.
    level : float
        Coverage [1].
    """
    parts = [part for part in parts if np.isfinite(part[1]).all() and np.isfinite(part[2]).all()]
    if len(parts) < 2:
        return pivot_interval(*parts[0][1:], level) if parts else np.full((2, 1), np.nan)
    weight = np.concatenate([np.full(len(pivots), share / len(pivots)) for share, *_, pivots in parts])
    with np.errstate(invalid="ignore"):
        values = np.concatenate([centre - error * pivots for _, centre, error, pivots in parts])
    ends = parts[0][1] + np.zeros((2, 1))  # which lie inside
    for end, sign in zip(ends, (1, -1), strict=True):
        sided = np.where(np.isfinite(values), sign * values, -np.inf)
        order = sided.argsort(axis=0)
        place = (weight[order].cumsum(axis=0) > (1 - level) / 2 * weight.sum()).argmax(axis=0)
        found = np.take_along_axis(sided, order, axis=0)[place, np.arange(len(place))]
        end[:] = sign * np.minimum(found, sign * end)
    return np.where(np.isfinite(ends), ends, np.nan)


def studentized_bounds(fitted: Fitted, level: float, grid: np.ndarray) -> np.ndarray:
    """Bounds (2, 2 + n_grid) of the median, of the dispersion (that of `Curves`) and of the curve.

    Parameters
    ----------
    fitted : Fitted
        From `fit_sample`.
    level : float
        Coverage of the interval [1].
    grid : ndarray (n_grid,)
        Intensities of the curve, at least 0.

    Returns
    -------
    ndarray (2, 2 + n_grid)
        Lower and upper bounds of the median [unit of the intensity], the dispersion and the curve [1].
        Resamples without a maximum of the likelihood count in both tails; NaN where they are more than the
        tail, and where the sample, or it without one of its units, has none.
    """
    moves = grid > 0
    bounds = np.zeros((2, 2 + len(grid)))
    pivots = pivots_of(fitted, curve_quantity(np.log(grid[moves])))
    bounds[:, np.concatenate([[True, True], moves])] = pivot_interval(*pivots, level)
    bounds[:, :2] = np.exp(bounds[:, :2])
    bounds[:, 2:] = np.where(moves, fitted.whole.link.cdf(bounds[:, 2:]), 0.0)
    return bounds


def resampled_bounds(units: Units, how: Bootstrap, x: np.ndarray, link: Link = PROBIT) -> np.ndarray | None:
    """`studentized_bounds` over all readings of the undecided runs; None where one has no interval."""
    if not how.reaches_level(units.number):
        return None
    found = []
    for overturned in readings_of(units, _ends_of_curve, link):
        fitted = fit_sample(units, overturned, how, link)
        if fitted.whole.kind[0] != FitKind.MAXIMUM:
            return None
        found.append(studentized_bounds(fitted, how.level, x))
        if np.isnan(found[-1]).any():
            return None
    return np.stack([np.min(found, axis=0)[0], np.max(found, axis=0)[1]])


def _ends_of_curve(median: np.ndarray, dispersion: np.ndarray) -> np.ndarray:
    """ln(median), ln(dispersion), and ln(intensity) two dispersions below and above the median."""
    away = 2 * np.exp(dispersion)
    return np.concatenate([median, dispersion, median - away, median + away], axis=1)


def values_of(curves: Curves, quantity: Quantity, median: float = 0.0, dispersion: float = 0.0) -> np.ndarray:
    """Quantities (n, m) of curves whose ln(median) and ln(dispersion) are moved; NaN without a maximum."""
    regular = curves.kind == FitKind.MAXIMUM
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        log_median, log_dispersion = (
            np.log(np.where(regular, values, np.nan))[:, None]
            for values in (curves.low_median, curves.low_dispersion)
        )
        return quantity(log_median + median, log_dispersion + dispersion)


def bootstrap_t(
    units: Units,
    how: Bootstrap,
    estimate: Callable[[np.ndarray], tuple[np.ndarray, Callable[[], np.ndarray]]],
    widening: float = 1.0,
) -> np.ndarray:
    """Bootstrap-t intervals (2, m) of any quantities of samples of units.

    Parameters
    ----------
    units, how
        Units of the study, level, resamples and seed.
    estimate : callable
        From how often each kind of unit is in samples (n, n_kind) to the quantities (n, m), and what gives
        their standard errors (n, m).
    widening : float
        Factor on the standard error of the sample [1].
    """
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        centre = estimate(units.copies[None])[0][0]
        left_out = estimate(units.copies - np.eye(len(units.copies)))[0]
        pivots = []
        for times in draw_units(units, how):
            values, errors = estimate(times)
            pivots.append((values - centre) / errors())
        error = widening * jackknife(left_out, units.copies)
        return pivot_interval(centre, error, np.concatenate(pivots), how.level)


def widened(units: Units) -> float:
    """Factor on standard errors of what rests on the tail, of which few records hold too little.

    With 10 records and 0.95 of the variance between them it raises the coverage of level 0.95 from 0.92 to
    0.935; with 60 it is 1.008.
    """
    return float(np.sqrt(units.number / (units.number - 1)))


def sandwich_errors(
    inverse: np.ndarray, scores: np.ndarray, times: np.ndarray, slopes: np.ndarray
) -> np.ndarray:
    """Standard errors (n, m) of quantities of resamples, from the scores of their units (the sandwich).

    Parameters
    ----------
    inverse : ndarray (n, k, k)
        Of the information of the resamples about k parameters.
    scores : ndarray (n, n_kind, k)
        Of each kind of unit.
    times : ndarray (n, n_kind)
        How often each kind of unit was drawn.
    slopes : ndarray (n, m, k)
        Derivatives of the quantities by the parameters.
    """
    meat = np.einsum("nr,nrk,nrl->nkl", times, scores, scores)
    covariance = inverse @ meat @ inverse
    with np.errstate(invalid="ignore"):
        found: np.ndarray = np.sqrt(np.einsum("nmk,nkl,nml->nm", slopes, covariance, slopes))
    return found


def jackknife(left_out: np.ndarray, copies: np.ndarray | None = None) -> np.ndarray:
    """Standard error (...) from estimates without one unit of each kind (n_kind, ...), by default of one."""
    copies = np.ones(len(left_out)) if copies is None else copies
    number = copies.sum()
    with np.errstate(invalid="ignore"):  # a rate without the one record that overturns
        spread = left_out - np.tensordot(copies, left_out, 1) / number
        error: np.ndarray = np.sqrt((number - 1) / number * np.tensordot(copies, spread**2, 1))
    return error


def sandwich(
    curves: Curves,
    z: np.ndarray,
    times: np.ndarray,
    kinds: tuple[np.ndarray, np.ndarray],
    counts: list[np.ndarray],
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Covariance of resamples, from the scores of their units: variances of c0, of c1 and, between, theirs
    (n,).

    The curve is varied as ``c0 + c1 eta`` about ``eta = (z - ln median) / dispersion``.

    Parameters
    ----------
    curves : Curves
        Of the resamples.
    z : ndarray (n_intensity,)
        Logarithm of the intensities of the runs.
    times : ndarray (n, n_kind)
        How often each kind of unit was drawn.
    kinds, counts : sequences of ndarray (n_kind, n_intensity), (n, n_intensity)
        Overturned runs and others, of the kinds of units and of the resamples.
    """
    eta = (z - np.log(curves.low_median[:, None])) / curves.low_dispersion[:, None]
    up, down = curves.link.hazards(eta)
    bend_up, bend_down = curves.link.bends(eta, up, down)
    weight = counts[0] * bend_up + counts[1] * bend_down
    h00, h01, h11 = ((weight * eta**k).sum(axis=1) for k in range(3))
    s0, s1 = (up * power @ kinds[0].T - down * power @ kinds[1].T for power in (np.ones_like(eta), eta))
    m00, m01, m11 = ((times * product).sum(axis=1) for product in (s0 * s0, s0 * s1, s1 * s1))
    # V = inv(H) M inv(H), with inv(H) = [[h11, -h01], [-h01, h00]] / determinant
    square = (h00 * h11 - h01 * h01) ** 2
    v00 = (h11 * h11 * m00 - 2 * h11 * h01 * m01 + h01 * h01 * m11) / square
    v11 = (h01 * h01 * m00 - 2 * h01 * h00 * m01 + h00 * h00 * m11) / square
    v01 = ((h00 * h11 + h01 * h01) * m01 - h11 * h01 * m00 - h01 * h00 * m11) / square
    return v00, v01, v11
