"""Nonnegative least squares for the few columns of an impact.

Lawson, C. L., Hanson, R. J. (1974). Solving Least Squares Problems, chapter 23. `scipy.optimize.nnls` does
the same, but since its version 1.15 it sometimes returns another point without a warning where a multiplier
is 0 but for rounding (github.com/scipy/scipy/issues/25389), as it is at every contact that just touches; the
bounded solver `lsq_linear` fails on some of those, too. Here the conditions of the minimum are checked.
"""

from __future__ import annotations

import numpy as np

NEGLIGIBLE = 1e-15  # slope of the sum of squares that counts as 0, over the target [1]
ACCURACY = 1e-9  # to which the conditions of the minimum hold, over the target [1]
ROUNDING = 1e-15  # of the slope, over the sum of the weights of columns of length 1 [1]
RANK = 1e-13  # singular values below this share count as 0 [1]
STEPS = 30  # of the search, for each column


def nonnegative_least_squares(matrix: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Weights x >= 0 with the least norm of A x - b.

    Parameters
    ----------
    matrix, target : ndarray (n, m), (n,)
        A, its columns of length 1, and b.

    Returns
    -------
    ndarray (m,)
        Exactly 0 where the limit holds.

    Raises
    ------
    ArithmeticError
        If the search does not find the minimum.

    Examples
    --------
    >>> nonnegative_least_squares(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([2.0, -1.0]))
    array([2., 0.])
    """
    m = matrix.shape[1]
    size = float(np.linalg.norm(target))
    weights = np.zeros(m)
    if size == 0.0:
        return weights
    unit = target / size
    free = np.zeros(m, bool)
    useless = np.zeros(m, bool)  # columns that rounding alone offers
    for _ in range(STEPS * (m + 1)):
        slope = matrix.T @ (unit - matrix @ weights)
        offered = ~free & ~useless & (slope > NEGLIGIBLE)
        if not offered.any():
            break
        best = int(np.argmax(np.where(offered, slope, -np.inf)))
        free[best] = True
        tried = _unbounded(matrix, unit, free)
        if tried[best] <= 0.0:
            free[best] = False
            useless[best] = True
            continue
        useless[:] = False
        while free.any() and tried[free].min() <= 0.0:
            falling = free & (tried <= 0.0)
            part = (weights[falling] / (weights[falling] - tried[falling])).min()
            weights = weights + part * (tried - weights)
            free &= weights > NEGLIGIBLE * weights.max()
            weights[~free] = 0.0
            tried = _unbounded(matrix, unit, free)
        weights = tried
    slope = matrix.T @ (unit - matrix @ weights)
    # columns that all but cancel have huge weights, whose rounding is in the slope
    rounding = ROUNDING * float(weights.sum())
    if max(slope.max(), np.abs(slope[free]).max(initial=0.0)) > ACCURACY + rounding:
        raise ArithmeticError(f"no nonnegative least squares found for {m} contacts")
    return weights * size


def _unbounded(matrix: np.ndarray, target: np.ndarray, free: np.ndarray) -> np.ndarray:
    """Least squares of the free columns, corrected once by those of what is left: columns that all but cancel
    have huge weights, whose rounding would be left in the slope."""
    weights = np.zeros(len(free))
    if free.any():
        columns = matrix[:, free]
        found = np.linalg.lstsq(columns, target, rcond=RANK)[0]
        weights[free] = found + np.linalg.lstsq(columns, target - columns @ found, rcond=RANK)[0]
    return weights
