"""Annual rates of overturning by a curve or by empirical fractions, and their intervals.

With H(x) the annual rate at which x is exceeded, the rate is the integral of F |dH| or, by parts, of H dF. H
is log-log between the rows of its table, so that both curves, `LognormalCurve` and `IsotonicCurve`, have
closed forms on each piece. The isotonic curve is behind every number "by the fractions": its value, the
intensity at which it reaches a probability, and its rate. The levels leave open where between two of them a
body overturns; `IsotonicCurve` takes a curve between them, `bounding_steps` the least and the most that the
fractions allow.

Intervals are bootstrap-t intervals, for new earthquakes (`mcrock.statistics.resampling`). Those of the
lognormal curve are of ln(rate) (`lognormal_bounds`). Those of the empirical fractions reach from the least to
the largest rate that the levels leave open, and so hold whatever curve there is between them
(`isotonic_bounds`); where resampling says nothing, as where nothing overturned or records are few, they
are those of all rising curves through the intervals of the levels.

Barlow, R. E., Bartholomew, D. J., Bremner, J. M. and Brunk, H. D. (1972). Statistical inference under order
restrictions. Wiley (isotonic regression).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike
from scipy.optimize import isotonic_regression
from scipy.special import log_ndtr, ndtr, ndtri

from mcrock.statistics.intervals import Bootstrap
from mcrock.statistics.likelihood import PROBIT, FitKind, Link, Quantity, Shares, fit_curves
from mcrock.statistics.probability import level_bounds
from mcrock.statistics.resampling import BATCH, Units, averaged_bounds, bootstrap_t, small_sample_factor
from mcrock.statistics.runs import ALL_OVERTURN, ALL_STAND

CLOSE = 1e-9  # difference of ln(x) up to which intensities are the same


def refine(x: np.ndarray, rate: np.ndarray, further: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A hazard curve at further intensities inside its table too: rising x, and rates (n,) [1/year].

    Those so close to another one that they are the same are left out, never a row of the table.
    """
    inside = np.unique(further[(further > x[0]) & (further < x[-1])])
    apart = np.abs(np.log(inside)[:, None] - np.log(x)).min(axis=1) > CLOSE
    inside = inside[apart & (np.diff(np.log(inside), prepend=-np.inf) > CLOSE)]
    grid = np.sort(np.concatenate([x, inside]))
    refined = np.exp(np.interp(np.log(grid), np.log(x), np.log(rate)))
    refined[np.isin(grid, x)] = rate
    return grid, refined


def lognormal_rates(x: np.ndarray, rate: np.ndarray, median: ArrayLike, dispersion: ArrayLike) -> np.ndarray:
    """Rate of overturning from each piece of a hazard table (..., n - 1) [1/year].

    Over all x with ``H = k0 x**-k`` the sum is ``k0 median**-k exp(k**2 dispersion**2 / 2)``.

    Parameters
    ----------
    x, rate : ndarray (n,)
        Rising intensities, and the annual rates at which they are exceeded [1/year].
    median, dispersion : array_like
        Of the lognormal fragility; a dispersion of 0 is a step. Of several fragilities, none a step, (...,
        1).

    >>> x = np.geomspace(1e-3, 1e4, 200)
    >>> found = lognormal_rates(x, 1e-3 * x**-2.0, 0.5, 0.4).sum()
    >>> print(f"{found:.6f} {1e-3 * 0.5**-2 * np.exp(2**2 * 0.4**2 / 2):.6f}")
    0.005509 0.005509
    """
    z, a = np.log(x), np.log(rate)
    median, dispersion = np.asarray(median, float), np.asarray(dispersion, float)
    if not dispersion.any():
        at = np.exp(np.interp(np.log(median), z, a))
        return np.clip(np.minimum(rate[:-1], at) - rate[1:], 0.0, None)
    u, slope = (z - np.log(median)) / dispersion, -np.diff(a) / np.diff(z)
    curve = ndtr(u)
    low, high = u[..., :-1] + slope * dispersion, u[..., 1:] + slope * dispersion
    turned = low > 0  # the difference of two upper tails is that of two lower ones
    low, high = np.where(turned, -high, low), np.where(turned, -low, high)
    with np.errstate(under="ignore"):
        below, share = log_ndtr(low), log_ndtr(high)
        ratio = np.minimum(
            below - np.where(np.isinf(share), 0.0, share), 0.0
        )  # both -inf far out: 0 comes of it
        share = share + np.log1p(-np.exp(ratio))
        moved = np.exp(a[:-1] + slope * (z[:-1] - np.log(median)) + (slope * dispersion) ** 2 / 2 + share)
    return np.maximum(rate[:-1] * curve[..., :-1] - rate[1:] * curve[..., 1:] + moved, 0.0)


def hazard_nodes(x: np.ndarray, rate: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Gauss-Legendre nodes in ln(intensity) on each piece of a hazard table, with rates, both (n - 1, 16).

    The rate of overturning from a piece is the sum of the probabilities at its nodes times their rates
    [1/year].

    >>> x = np.geomspace(1e-3, 1e4, 60)
    >>> z, weight = hazard_nodes(x, 1e-3 * x**-2.0)
    >>> print(f"{(ndtr((z - np.log(0.5)) / 0.4) * weight).sum():.6f}")
    0.005509
    """
    node, weight = np.polynomial.legendre.leggauss(16)
    low, wide = np.log(x[:-1, None]), np.diff(np.log(x))[:, None]
    slope, part = -np.diff(np.log(rate))[:, None] / wide, (node + 1) / 2
    return low + wide * part, rate[:-1, None] * slope * np.exp(-slope * wide * part) * wide * weight / 2


class LognormalCurve:
    """Lognormal curve of counts, as it is integrated; NaN where the likelihood has no maximum.

    Parameters
    ----------
    level, overturned, runs : ndarray (n_level,)
        Rising intensities with runs, > 0; overturned runs and all runs [1].
    units : float
        Number of independent units; the estimate does not depend on it.
    """

    def __init__(
        self, level: np.ndarray, overturned: np.ndarray, runs: np.ndarray, units: float = np.inf
    ) -> None:
        curves = fit_curves(level, overturned[None], runs[None])
        known = curves.kind[0] == FitKind.MAXIMUM
        self.median = float(curves.low_median[0]) if known else np.nan
        self.dispersion = float(curves.low_dispersion[0]) if known else np.nan

    def at(self, intensity: np.ndarray) -> np.ndarray:
        """Probability (n,) at some intensities, at least 0 [1]."""
        with np.errstate(divide="ignore"):
            return ndtr((np.log(intensity) - np.log(self.median)) / self.dispersion)

    def reached(self, probability: float) -> float:
        """Intensity with a probability."""
        return float(self.median * np.exp(self.dispersion * ndtri(probability)))

    def is_open(self, probability: float) -> bool:
        """False: the curve knows every intensity."""
        return False

    def rates(self, x: np.ndarray, rate: np.ndarray) -> np.ndarray:
        """Rate of overturning from each piece of a hazard table (n - 1,) [1/year]."""
        if np.isnan(self.median):
            return np.full(len(x) - 1, np.nan)
        return lognormal_rates(x, rate, self.median, self.dispersion)


def isotonic_rates(x: np.ndarray, rate: np.ndarray, level: np.ndarray, fraction: np.ndarray) -> np.ndarray:
    """Rate of overturning from each piece of a hazard table, by empirical fractions (n - 1,) [1/year].

    The fragility is linear in ln(x) between the levels, 0 below the lowest and constant above the highest.

    Parameters
    ----------
    x, rate : ndarray (n,)
        As for `lognormal_rates`; every level inside the table is one of ``x`` (`refine`).
    level, fraction : ndarray (n_level,)
        Rising intensities of the levels, and fractions that overturned, not falling [1].
    """
    z, at = np.log(x), np.log(level)
    ends = np.interp(z, at, fraction)
    below = z[1:] <= at[0] + CLOSE
    first, last = np.where(below, 0.0, ends[:-1]), np.where(below, 0.0, ends[1:])
    width, slope = np.diff(z), -np.diff(np.log(rate)) / np.diff(z)
    with np.errstate(invalid="ignore", divide="ignore"):
        area = np.where(slope * width > 1e-9, -np.diff(rate) / slope, (rate[:-1] + rate[1:]) / 2 * width)
    parts: np.ndarray = rate[:-1] * first - rate[1:] * last + (last - first) / width * area
    return np.maximum(parts, 0.0)


PIECES = 16  # straight lines in ln(intensity) between two levels, where the curve is integrated


class IsotonicCurve:
    """Isotonic fractions, probit-linear in ln(intensity) between the levels.

    Between two levels the probits of the fractions are joined by a straight line over ln(intensity), as those
    of a lognormal curve are. Where none or all of n independent units overturned the probit is that of half a
    unit, and the line is scaled to the fractions themselves. The curve is 0 below the weakest level, for lack
    of runs and not for a reason, and constant above the strongest.

    Parameters
    ----------
    level : ndarray (n_level,)
        Rising intensities with runs, > 0.
    overturned, runs : ndarray (n_level,)
        Overturned runs and all runs [1].
    units : float
        Number of independent units, such as recordings: n runs that share them tell less than n.

    Attributes
    ----------
    counted, fraction : ndarray (n_level,)
        Fractions as counted, and made rising by isotonic regression (Barlow et al. 1972) [1].

    >>> curve = IsotonicCurve(np.array([1.0, 2.0, 4.0]), np.array([0.0, 50.0, 84.13]), np.full(3, 100.0))
    >>> print(curve.at(np.array([0.5, 2.0, 2 * 2**0.5, 9.0])).round(4), round(curve.reached(0.6), 3))
    [0.     0.5    0.6914 0.8413] 2.384
    >>> curve.reached(0.9)
    inf
    """

    def __init__(
        self, level: np.ndarray, overturned: np.ndarray, runs: np.ndarray, units: float = np.inf
    ) -> None:
        self.level = level
        self.counted = overturned / runs
        self.fraction: np.ndarray = isotonic_regression(self.counted, weights=runs).x
        least = 0.5 / (np.minimum(runs, units) + 1)
        probit = ndtri(np.clip(self.fraction, least, 1 - least))
        self._probit = np.maximum.accumulate(probit)
        # of a cloud, whose last run alone may make the last fraction 1 (Woodroofe and Sun 1993, Statistica
        # Sinica 3, 501-515), a fraction counts as reached where as many runs as their scatter lie beyond
        fewest = np.sqrt(runs.sum()) if runs.max() <= 1 else 0.0
        self._beyond = np.cumsum(runs[::-1])[::-1] >= fewest

    def at(self, intensity: np.ndarray) -> np.ndarray:
        """Probability (n,) at some intensities, at least 0 [1]."""
        with np.errstate(divide="ignore"):
            z = np.log(intensity)
        at = np.log(self.level)
        k = np.clip(np.searchsorted(at, z, side="right") - 1, 0, len(at) - 1)
        found = self.fraction[k]
        inside = np.flatnonzero((k < len(at) - 1) & (z > at[k]))
        k = k[inside]
        part = (z[inside] - at[k]) / (at[k + 1] - at[k])
        first, last = self._probit[k], self._probit[k + 1]
        span = ndtr(last) - ndtr(first)
        level = span <= 0  # also where the fractions of a resample differ in their last digit alone
        shape = (ndtr(first + part * (last - first)) - ndtr(first)) / np.where(level, 1.0, span)
        found[inside] += (self.fraction[k + 1] - self.fraction[k]) * np.where(level, part, shape)
        return np.where(z < at[0] - CLOSE, 0.0, found)

    def reached(self, probability: float) -> float:
        """Weakest intensity at which the curve has a probability; inf if the strongest level has less.

        Of a cloud also if too few runs lie beyond to tell.

        It is the weakest level if that has as much: then the true one lies below it (`is_open`).
        """
        beyond = np.flatnonzero((self.fraction >= probability) & self._beyond)
        if not beyond.size:
            return float("inf")
        k = int(beyond[0])
        if k == 0 or self.fraction[k] == probability:
            return float(self.level[k])
        (low, high), (first, last) = self.fraction[k - 1 : k + 1], self._probit[k - 1 : k + 1]
        share = (probability - low) / (high - low)
        if last > first:
            share = (ndtri(ndtr(first) + share * (ndtr(last) - ndtr(first))) - first) / (last - first)
        z = np.log(self.level[k - 1 : k + 1])
        return float(np.exp(z[0] + share * (z[1] - z[0])))

    def is_open(self, probability: float) -> bool:
        """True if the weakest level has a probability already, so that it is reached below all runs."""
        return bool(self.fraction[0] > probability)

    def rates(self, x: np.ndarray, rate: np.ndarray) -> np.ndarray:
        """Rate of overturning from each piece of a hazard table (n - 1,) [1/year].

        Straight lines in ln(intensity) between `integration_points` stand for the curve, all of them rows of
        the table if inside (`mcrock.statistics.rates.refine`).
        """
        at = integration_points(self.level)
        return isotonic_rates(x, rate, at, self.at(at))


def isotonic_curve(units: Units) -> IsotonicCurve:
    """The isotonic curve of the runs of a study, undecided ones as in every estimate."""
    return IsotonicCurve(*units.sums(), units.number)


def integration_points(level: np.ndarray) -> np.ndarray:
    """Intensities between which a rising curve is integrated as straight lines in ln(intensity).

    Of `PIECES` lines between two levels the rate of a lognormal curve of dispersion 0.45 that is known at the
    levels 0.2, 0.4 ... 1.6 differs by less than 1e-3 of itself at a hazard slope of 4.
    """
    part = np.arange(PIECES) / PIECES
    low, high = level[:-1, None], level[1:, None]
    return np.append((low * (high / low) ** part).ravel(), level[-1])


def bounding_steps(
    level: np.ndarray, x: np.ndarray, rate: np.ndarray
) -> tuple[np.ndarray, np.ndarray, float]:
    """Weights of the least and the largest rate that empirical fractions leave open.

    Any rising curve through the fractions lies above the step that keeps to the last level passed, and below
    the one that keeps to the next level to come, which is 1 above the strongest level. Their rates are
    ``least @ fraction`` and ``most @ fraction + beyond``.

    Parameters
    ----------
    level : ndarray (n_level,)
        Rising intensities of the fractions.
    x, rate : ndarray (n,)
        Rising intensities of a hazard, and the annual rates at which they are exceeded [1/year].

    Returns
    -------
    tuple of ndarray (n_level,), ndarray (n_level,), float
        ``least``, ``most`` and ``beyond`` [1/year], of the intensities in the table.
    """
    z = np.log(np.clip(level, x[0], x[-1]))
    at = np.exp(np.interp(z, np.log(x), np.log(rate)))
    above, below = np.append(at[1:], rate[-1]), np.append(rate[0], at[:-1])
    weights = at - above, below - at, at[-1:] - rate[-1]
    least, most, beyond = (np.maximum(each, 0.0) for each in weights)  # at the ends of a table rounding
    return least, most, float(beyond[0])


def bounding_ratios(
    fractions: np.ndarray, level: np.ndarray, x: np.ndarray, rate: np.ndarray
) -> tuple[float, float]:
    """Least and largest ratio of the rates of two designs that their empirical fractions leave open.

    No run says where between two levels the bodies overturn: anywhere in each gap, that below the weakest
    level and that beyond the strongest included, but of both designs at the same place. With places of their
    own for each the bounds would be those of `bounding_steps`, which say nothing: in the studies of
    `mcrock docs evidence` they are a factor of 1e5 apart.

    Parameters
    ----------
    fractions : ndarray (2, n_level)
        Of both designs, not falling [1].
    level, x, rate
        As for `bounding_steps`.

    Returns
    -------
    tuple of float, float
        Of the second design over the first [1].

    >>> x, level = np.array([0.1, 1.0, 10.0]), np.array([0.5, 1.0, 2.0])
    >>> low, high = bounding_ratios(np.array([[0, 0.5, 1], [0, 0.25, 1]]), level, x, 1e-3 / x)
    >>> print(round(low, 3), round(high, 3))
    0.674 1.0
    """
    z = np.log(np.clip(level, x[0], x[-1]))
    at = np.exp(np.interp(z, np.log(x), np.log(rate))) - rate[-1]
    steps = np.diff(fractions, prepend=0.0, append=1.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        order = np.argsort(
            steps[1] / steps[0]
        )  # nan, where neither has a body, comes last and weighs nothing
        early, late = (
            np.cumsum(np.pad((steps * most)[:, order], ((0, 0), (1, 0))), axis=1)
            for most in (np.append(rate[0] - rate[-1], at), np.append(at, 0.0))
        )
        ends = [
            one + other[:, -1:] - other for one, other in ((early, late), (late, early))
        ]  # first bodies of the small ratios at the early places, the others at the late ones
        low, high = (rates[1] / rates[0] for rates in ends)
    return float(low.min()), float(high.max())


Table = tuple[np.ndarray, np.ndarray]  # rising intensities, and the annual rates at which they are exceeded


def log_rates(tables: list[Table], link: Link = PROBIT) -> Quantity:
    """ln(rate) of the curves of a link with some hazards (n, n_table)."""
    nodes = [] if link is PROBIT else [[part.ravel() for part in hazard_nodes(*table)] for table in tables]

    def quantity(median: np.ndarray, dispersion: np.ndarray) -> np.ndarray:
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            scale = np.exp(dispersion)
            rates = [link.cdf((z - median) / scale) @ weight for z, weight in nodes]
            if link is PROBIT:
                rates = [lognormal_rates(*table, np.exp(median), scale).sum(axis=-1) for table in tables]
            return np.log(np.stack(rates, axis=-1))

    return quantity


def lognormal_bounds(
    units: Units, how: Bootstrap, tables: list[Table], shares: Shares = ((PROBIT, 1.0),)
) -> np.ndarray:
    """Bounds (2, n_table) of the rates by the lognormal curve, over all readings of undecided runs [1/year].

    Averaged over the curves of the links that have ``shares``, the lognormal one first. NaN where a reading
    has no lognormal curve, or too many of its resamples, and with too few units for the level.
    """
    if not how.reaches_level(units.number):
        return np.full((2, len(tables)), np.nan)
    ends = averaged_bounds(units, how, partial(log_rates, tables), shares)
    return np.exp(np.minimum(ends, _largest(tables)))


def _largest(tables: list[Table]) -> np.ndarray:
    """ln(rate) (n_table,) if every earthquake of the table overturned."""
    return np.log([rate[0] - rate[-1] for _, rate in tables])


def isotonic_bounds(units: Units, how: Bootstrap, tables: list[Table], points: xr.Dataset) -> np.ndarray:
    """Bounds (2, n_table) of the rates of all curves that rise through the fractions of the levels [1/year].

    Parameters
    ----------
    units, how, tables
        Of the study.
    points : Dataset
        From `overturning_probability`, for what resampling does not tell.
    """
    there = units.total(units.runs) > 0
    steps = [bounding_steps(units.intensity[there], *table) for table in tables]
    least, most = (np.stack([step[k] for step in steps]) for k in (0, 1))
    beyond = np.array([step[2] for step in steps])
    outer = envelope_rates(points, tables)
    sides = (ALL_STAND, least, np.zeros(len(tables))), (ALL_OVERTURN, most, beyond)
    inner = [
        weighted_fractions(units, k, there, weights, units.copies[None])[0][0] + add
        for k, weights, add in sides
    ]
    bounds = np.full((2, len(tables)), np.nan)
    if how.reaches_level(units.number):
        for end, (reading, weights, add) in enumerate(sides):
            ends = isotonic_interval(units, reading, how, weights, add)[end]
            bounds[end] = np.exp(np.minimum(ends, _largest(tables)))
    bounds = np.where(np.isnan(bounds), outer, bounds)
    return np.stack([np.minimum(bounds[0], inner[0]), np.maximum(bounds[1], inner[1])])


def envelope_rates(points: xr.Dataset, tables: list[Table]) -> np.ndarray:
    """Rates (2, n_table) of the least and largest rising curve through the intervals of levels [1/year]."""
    weakest, strongest, lower, upper = level_bounds(points)
    there = weakest > 0
    weakest, strongest, lower, upper = (x[there] for x in (weakest, strongest, lower, upper))
    rates = []
    for table in tables:
        least, _, _ = bounding_steps(strongest, *table)
        _, most, beyond = bounding_steps(weakest, *table)
        ends = np.maximum.accumulate(lower), np.minimum.accumulate(upper[::-1])[::-1]
        rates.append([least @ ends[0], most @ ends[1] + beyond])
    return np.array(rates).T


def weighted_fractions(
    units: Units, reading: int, there: np.ndarray, weights: np.ndarray, times: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Weighted sums (n, n_table) of empirical fractions of samples, and the variance of what their units add.

    ``times`` (n, n_kind) is how often each kind of unit is in a sample.
    """
    own, yes = units.runs[:, there], units.overturned[reading][:, there]
    runs, counts = times @ own, times @ yes
    with np.errstate(invalid="ignore"):
        share = counts / runs
    rising = rise_already(share, runs)
    rate = np.empty((len(times), len(weights)))
    variance = np.empty_like(rate)
    rows = max(1, BATCH // own.size)
    for part in np.array_split(np.flatnonzero(rising), len(times) // rows + 1):
        x = share[part, None]
        off = (yes - x * own) @ (weights / runs[part, None]).swapaxes(1, 2)
        rate[part] = (weights @ x.swapaxes(1, 2))[..., 0]
        variance[part] = (times[part, None] @ off**2)[:, 0]
    for i in np.flatnonzero(~rising):
        some = runs[i] > 0
        fit = isotonic_regression(share[i, some], weights=runs[i, some])
        kept = _drawn_weights(weights, some)
        pooled = np.add.reduceat(kept, fit.blocks[:-1], axis=1) / fit.weights
        off = (yes[:, some] - fit.x * own[:, some]) @ np.repeat(pooled, np.diff(fit.blocks), axis=1).T
        rate[i], variance[i] = kept @ fit.x, times[i] @ off**2
    return rate, variance


def rise_already(share: np.ndarray, runs: np.ndarray) -> np.ndarray:
    """Which samples (n,) have fractions (n, n_intensity) that isotonic regression leaves as they are.

    They rise, or are equal at 0 or 1, and there are runs everywhere.
    """
    step = np.diff(share, axis=1)
    ends = (step == 0) & ((share[:, 1:] == 0) | (share[:, 1:] == 1))
    return ((step > 0) | ends).all(axis=1) & (runs > 0).all(axis=1)


def _drawn_weights(weights: np.ndarray, some: np.ndarray) -> np.ndarray:
    """Weights of the levels that have runs; that of one without goes to the one below, or the first."""
    if some.all():
        return weights
    home = np.maximum.accumulate(np.where(some, np.arange(len(some)), -1))
    home[home < 0] = np.flatnonzero(some)[0]
    moved = np.zeros_like(weights)
    np.add.at(moved.T, home, weights.T)
    return moved[:, some]


def isotonic_interval(
    units: Units, reading: int, how: Bootstrap, weights: np.ndarray, add: np.ndarray
) -> np.ndarray:
    """Bootstrap-t interval (2, n_table) of ln(rate), of ``weights @ fraction + add``, fractions rising."""
    there = units.total(units.runs) > 0

    def estimate(times: np.ndarray) -> tuple[np.ndarray, Callable[[], np.ndarray]]:
        rate, variance = weighted_fractions(units, reading, there, weights, times)
        return np.log(rate + add), lambda: np.sqrt(variance) / (rate + add)

    return bootstrap_t(units, how, estimate, small_sample_factor(units))
