"""Rates of overturning: fragility curves weighted with the rates at which intensities occur.

With H(x) the annual rate at which x is exceeded, the rate is the integral of F |dH| or, by parts, of H dF. H
is log-log between the rows of its table, so that both fragilities here have closed forms on each piece.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_ndtr, ndtr, ndtri

from mcrock.statistics.probit import FitKind, fit_curves

CLOSE = 1e-9  # difference of ln(x) up to which intensities are the same


def refine(x: np.ndarray, rate: np.ndarray, further: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A hazard curve at further intensities inside its table too: rising x, and rates (n,) [1/a].

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
    """Rate of overturning from each piece of a hazard table (..., n - 1) [1/a].

    Over all x with ``H = k0 x**-k`` the sum is ``k0 median**-k exp(k**2 dispersion**2 / 2)``.

    Parameters
    ----------
    x, rate : ndarray (n,)
        Rising intensities, and the annual rates at which they are exceeded [1/a].
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
    [1/a].

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
        """Rate of overturning from each piece of a hazard table (n - 1,) [1/a]."""
        if np.isnan(self.median):
            return np.full(len(x) - 1, np.nan)
        return lognormal_rates(x, rate, self.median, self.dispersion)


def stripe_rates(x: np.ndarray, rate: np.ndarray, level: np.ndarray, fraction: np.ndarray) -> np.ndarray:
    """Rate of overturning from each piece of a hazard table, by rising fractions (n - 1,) [1/a].

    The fragility is linear in ln(x) between the levels, 0 below the lowest and constant above the highest.

    Parameters
    ----------
    x, rate : ndarray (n,)
        As for `lognormal_rates`; every level inside the table is one of ``x`` (`refine`).
    level, fraction : ndarray (n_level,)
        Rising intensities of the stripes, and fractions that overturned, not falling [1].
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
