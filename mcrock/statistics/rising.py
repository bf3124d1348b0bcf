"""Fragility without a formula: the fractions of the levels made rising, and what lies between the levels.

It is the one curve behind every number "by the fractions": its value, the intensity at which it reaches a
probability, and its rate. The levels leave open where between two of them a body overturns; `RisingCurve`
takes a curve between them, and `bounding_steps` the least and the most that rising fractions allow.

Barlow, R. E., Bartholomew, D. J., Bremner, J. M. and Brunk, H. D. (1972). Statistical inference under order
restrictions. Wiley (isotonic regression).
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import isotonic_regression
from scipy.special import ndtr, ndtri

from mcrock.statistics.rates import CLOSE, stripe_rates
from mcrock.statistics.resample import Units

PIECES = 16  # straight lines in ln(intensity) between two levels, where the curve is integrated


class RisingCurve:
    """Rising fractions, probit-linear in ln(intensity) between the levels.

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

    >>> curve = RisingCurve(np.array([1.0, 2.0, 4.0]), np.array([0.0, 50.0, 84.13]), np.full(3, 100.0))
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
        for gap in np.unique(k[k < len(at) - 1]):
            here = (k == gap) & (z > at[gap])
            found[here] = self._between(gap, (z[here] - at[gap]) / (at[gap + 1] - at[gap]))
        return np.where(z < at[0] - CLOSE, 0.0, found)

    def _between(self, k: int, part: np.ndarray) -> np.ndarray:
        """Probability at parts of the way from level ``k`` to the next one in ln(intensity)."""
        (low, high), (first, last) = self.fraction[k : k + 2], self._probit[k : k + 2]
        span = ndtr(last) - ndtr(first)
        if span <= 0:  # also where the fractions of a resample differ in their last digit alone
            return np.full(part.shape, low) + part * (high - low)
        shape = (ndtr(first + part * (last - first)) - ndtr(first)) / span
        return low + (high - low) * shape

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
        """Rate of overturning from each piece of a hazard table (n - 1,) [1/a].

        Straight lines in ln(intensity) between `places` stand for the curve, all of them rows of the table if
        inside (`mcrock.statistics.rates.refine`).
        """
        at = places(self.level)
        return stripe_rates(x, rate, at, self.at(at))


def rising_curve(units: Units) -> RisingCurve:
    """The rising curve of the runs of a study, undecided ones as in every estimate."""
    return RisingCurve(*units.sums(), units.number)


def places(level: np.ndarray) -> np.ndarray:
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
    """Weights of the least and the largest rate that rising fractions leave open.

    Any rising curve through the fractions lies above the step that keeps to the last level passed, and below
    the one that keeps to the next level to come, which is 1 above the strongest level. Their rates are
    ``least @ fraction`` and ``most @ fraction + beyond``.

    Parameters
    ----------
    level : ndarray (n_level,)
        Rising intensities of the fractions.
    x, rate : ndarray (n,)
        Rising intensities of a hazard, and the annual rates at which they are exceeded [1/a].

    Returns
    -------
    tuple of ndarray (n_level,), ndarray (n_level,), float
        ``least``, ``most`` and ``beyond`` [1/a], of the intensities in the table.
    """
    z = np.log(np.clip(level, x[0], x[-1]))
    at = np.exp(np.interp(z, np.log(x), np.log(rate)))
    above, below = np.append(at[1:], rate[-1]), np.append(rate[0], at[:-1])
    return at - above, below - at, float(at[-1] - rate[-1])


def bounding_ratios(
    fractions: np.ndarray, level: np.ndarray, x: np.ndarray, rate: np.ndarray
) -> tuple[float, float]:
    """Least and largest ratio of the rates of two designs that their rising fractions leave open.

    No run says where between two levels the bodies overturn: anywhere in each gap, that below the weakest
    level and that beyond the strongest included, but of both designs at the same place. With places of their
    own for each the bounds would be those of `bounding_steps`, which say nothing: in the studies of
    `mcrock docs coverage` they are a factor of 1e5 apart.

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
