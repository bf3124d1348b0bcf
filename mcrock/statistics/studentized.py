"""Bootstrap-t intervals of a fragility curve whose runs are dependent within units, such as recordings.

The units are drawn again with replacement. Every resample gives estimates and, from the scores of its units
(the cluster sandwich), their standard errors; the quantiles of what the resamples are off by, in standard
errors, take the place of Student's. The standard error of the sample itself is that of the jackknife, which
leaves out one unit at a time. The scales are ln(median), ln(dispersion) and probit or logit of the curve.

Davison, A. C. and Hinkley, D. V. (1997). Bootstrap methods and their application. Cambridge University
Press, section 5.2 (studentized bootstrap).

White, H. (1982). Maximum likelihood estimation of misspecified models. Econometrica 50(1), 1-25 (the
sandwich).
"""

from __future__ import annotations

import numpy as np

from mcrock.statistics.inference import Bootstrap
from mcrock.statistics.probit import PROBIT, Curves, Fit, Link, fit_curves
from mcrock.statistics.resample import Units, draw_units


def studentized_bounds(
    units: Units, overturned: np.ndarray, how: Bootstrap, grid: np.ndarray, link: Link = PROBIT
) -> np.ndarray:
    """Bounds of the median, of the dispersion and of the curve.

    Resamples without a maximum of the likelihood count in both tails.

    Parameters
    ----------
    units : Units
        Their likelihood has a maximum.
    overturned : ndarray (n_kind, n_intensity)
        Overturned runs, one of the readings of ``units``.
    how : Bootstrap
        Level, resamples and seed.
    grid : ndarray (n_grid,)
        Intensities of the curve, at least 0.
    link : Link
        Of the curve; the bounds of the dispersion are those of its `Curves`.

    Returns
    -------
    ndarray (2, 2 + n_grid)
        Lower and upper bounds of the median [unit of the intensity], the dispersion and the curve [1]. NaN
        where more resamples than the tail, or the sample without one of the units, have no maximum.
    """
    runs, yes = units.total(units.runs), units.total(overturned)
    there = runs > 0
    intensity, moves = units.intensity[there], grid > 0
    z, at = np.log(intensity), np.log(grid[moves])
    centre = _estimates(fit_curves(intensity, yes[None, there], runs[None, there], link), at)[0]
    left_out = fit_curves(intensity, (yes - overturned)[:, there], (runs - units.runs)[:, there], link)
    error = jackknife(_estimates(left_out, at), units.copies)

    off = []
    kinds = overturned[:, there], (units.runs - overturned)[:, there]
    for times in draw_units(units, how):
        counts = [times @ kind for kind in kinds]
        curves = fit_curves(intensity, counts[0], counts[0] + counts[1], link)
        drawn = _estimates(curves, at)
        with np.errstate(invalid="ignore", divide="ignore"):
            covariance = sandwich(curves, z, times, kinds, counts)
            off.append((drawn - centre) / _errors(curves, drawn[:, 2:], *covariance))
    pivots = np.concatenate(off)
    known, tail = np.isfinite(pivots), (1 - how.level) / 2
    low = np.quantile(np.where(known, pivots, -np.inf), tail, axis=0, method="lower")
    high = np.quantile(np.where(known, pivots, np.inf), 1 - tail, axis=0, method="higher")
    with np.errstate(invalid="ignore"):
        ends = centre - np.stack([np.maximum(high, 0.0), np.minimum(low, 0.0)]) * error
    bounds = np.zeros((2, 2 + len(grid)))
    bounds[:, np.concatenate([[True, True], moves])] = np.where(np.isfinite(ends), ends, np.nan)
    bounds[:, :2] = np.exp(bounds[:, :2])
    bounds[:, 2:] = np.where(moves, link.cdf(bounds[:, 2:]), 0.0)
    return bounds


def _estimates(curves: Curves, at: np.ndarray) -> np.ndarray:
    """ln(median), ln(dispersion) and probits at some ln(intensity) of n curves (n, 2 + n_at).

    NaN of curves that are no maximum of the likelihood.
    """
    regular = curves.kind == Fit.MAXIMUM
    median, dispersion = (
        np.where(regular, values, np.nan)[:, None] for values in (curves.low_median, curves.low_dispersion)
    )
    centre = np.log(median)
    return np.concatenate([centre, np.log(dispersion), (at - centre) / dispersion], axis=1)


def jackknife(left_out: np.ndarray, copies: np.ndarray) -> np.ndarray:
    """Standard error (n,) from estimates without one unit of each kind (n_kind, n)."""
    number = copies.sum()
    spread = left_out - copies @ left_out / number
    error: np.ndarray = np.sqrt((number - 1) / number * (copies @ spread**2))
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


def _errors(
    curves: Curves, probit: np.ndarray, v00: np.ndarray, v01: np.ndarray, v11: np.ndarray
) -> np.ndarray:
    """Standard errors (n, 2 + n_at) of ln(median), ln(dispersion) and probits (n, n_at) of resamples."""
    of_curve = v00[:, None] + 2 * probit * v01[:, None] + probit**2 * v11[:, None]
    own = [curves.low_dispersion[:, None] ** 2 * v00[:, None], v11[:, None]]
    return np.sqrt(np.concatenate([*own, of_curve], axis=1))
