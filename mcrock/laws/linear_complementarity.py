"""The linear complementarity problem: 0 <= z, 0 <= M z + q, one of them 0 in each component.

Cottle, R. W., Pang, J.-S., Stone, R. E. (1992). The Linear Complementarity Problem. Academic Press, section
4.4: Lemke's method follows the solutions of q + z_0 from a large z_0 down to 0. It finds one for the
copositive matrices of impacts with friction wherever the problem can be solved. q is perturbed against
cycling, so that what it returns is the start of a sharper solution.
"""

from __future__ import annotations

import numpy as np

PERTURBATION = 1e-9  # of q, over its largest component [1]
PIVOTS = 50  # for each component
RANK = 1e-10  # pivots below this share of their column count as 0 [1]


def lemke(matrix: np.ndarray, constant: np.ndarray) -> np.ndarray | None:
    """Lemke's solution z of 0 <= z, 0 <= M z + q, z . (M z + q) = 0; None if it ends on a ray.

    Parameters
    ----------
    matrix, constant : ndarray (n, n), (n,)
        M and q.

    Examples
    --------
    >>> lemke(np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([-5.0, -1.0])).round(6)
    array([2.5, 0. ])
    """
    n = len(constant)
    size = float(np.abs(constant).max())
    spread = np.modf(np.arange(1.0, n + 1.0) * 0.6180339887498949)[0]
    right = constant + PERTURBATION * size * (1.0 + spread)
    if right.min() >= 0.0:
        return np.zeros(n)
    table = np.column_stack([np.eye(n), -matrix, -np.ones(n), right])
    basis = np.arange(n)
    entering, row = 2 * n, int(np.argmin(right))
    for _ in range(PIVOTS * n):
        table[row] /= table[row, entering]
        others = np.arange(n) != row
        table[others] -= np.outer(table[others, entering], table[row])
        leaving, basis[row] = int(basis[row]), entering
        if leaving == 2 * n:
            solution = np.zeros(2 * n + 1)
            solution[basis] = table[:, -1]
            return solution[n : 2 * n]
        entering = leaving + n if leaving < n else leaving - n
        column = table[:, entering]
        rising = column > RANK * np.abs(column).max()
        if not rising.any():
            return None
        ratios = np.where(rising, table[:, -1] / np.where(rising, column, 1.0), np.inf)
        row = int(np.argmin(ratios))
        if basis[row] != 2 * n and 2 * n in basis:  # of equal ratios the covering variable leaves
            last = int(np.flatnonzero(basis == 2 * n)[0])
            row = last if ratios[last] <= ratios[row] else row
    return None
