"""Impulses of unilateral contacts without friction: the problem that all inequality laws come down to.

Impulses L >= 0 are sought that raise the given rates q of the gaps to D L + q >= 0, an impulse only where the
raised rate is 0. The Delassus matrix D = A^T A, A = C^-1 W with the mass M = C C^T, is symmetric and positive
semidefinite whatever the coefficients of a law are, for those enter q alone. The problem is therefore the
optimality condition of a convex one: v = A L is the shortest velocity change, measured by the kinetic energy,
with A^T v + q >= 0. That is a problem of nonnegative least squares; where q are not the rates of one
velocity, after Lawson and Hanson (1974), Solving Least Squares Problems, chapter 23, on least distance
programming, which also tells where there is no solution: where contacts depend on each other and q asks for
what they cannot do. v is unique; L need not be.
"""

from __future__ import annotations

from itertools import chain, combinations
from typing import NamedTuple

import numpy as np
from scipy.linalg import null_space
from scipy.optimize import linprog

from mcrock.laws.least_squares import NEGLIGIBLE, nonnegative_least_squares
from mcrock.laws.problem import ContactProblem

NO_SOLUTION = 1e-13  # squared residual of nonnegative least squares that is rounding, over the weights [1]
ACTIVE = 1e-9  # rate of a gap that counts as 0, over the largest one [1]
ROUNDING = 1e-13  # of a rate, over the velocities that it is the difference of [1]
RANK = 1e-10  # singular values below this share count as 0 [1]
ACCURACY = 1e-9  # to which the conditions on L must hold in scaled variables, over the largest rate [1]
MOST_TRIED = 12  # contacts of which all active sets are tried where the first one does not hold


class Impulses(NamedTuple):
    """Impulses of all contacts and what they do."""

    impulse: np.ndarray  # L (m,), of several solutions the one of least norm [N s]
    change: np.ndarray  # M^-1 W L (n,), without the rounding of impulses that all but cancel [m/s]
    rates: np.ndarray  # D L + q (m,)
    unique: bool  # no other impulses do the same
    exchange: np.ndarray  # (m, k), impulses that balance each other without moving anything


def unilateral_impulses(
    problem: ContactProblem, rates: np.ndarray, rounding: np.ndarray | float = 0.0
) -> Impulses | None:
    """Impulses L with 0 <= L, 0 <= D L + q and L . (D L + q) = 0.

    The conditions are checked, and the active sets are all tried where those of nonnegative least squares do
    not hold: between a heavy, a light and a heavy ball the impulses all but cancel.

    Parameters
    ----------
    problem : ContactProblem
        Mass and directions of the contacts.
    rates : ndarray (m,)
        q, what the rates of the gaps are to be raised from [m/s].
    rounding : ndarray (m,), optional
        Of these rates, where it is more than that of the velocity: a rate within it is 0 [m/s].

    Returns
    -------
    Impulses or None
        None if there are no such impulses.

    Raises
    ------
    ArithmeticError
        If the conditions do not hold to `ACCURACY` for any active set, as the problem is ill-conditioned.
    """
    factor, scaled, lengths = problem.in_kinetic_metric()
    units = scaled / lengths
    noise = rounding_of_rates(problem) + rounding
    given = np.where(np.abs(rates) <= noise, 0.0, rates) / lengths
    change = _change(units, given, noise / lengths)
    if change is None:
        return None
    raised = given + units.T @ change
    active = raised <= ACTIVE * max(np.abs(given).max(), raised.max())
    impulse = np.zeros(len(rates))
    exchange = np.zeros((len(rates), 0))
    unique = True
    if active.any():
        impulse[active], free, unique = least_impulses(scaled[:, active], change)
        exchange = np.zeros((len(rates), free.shape[1]))
        exchange[active] = free
    missing = np.linalg.norm(scaled @ impulse - change)
    if missing > ACCURACY * max(np.linalg.norm(change), (impulse * lengths).max()):
        raise ill_conditioned(len(rates))
    after = np.where(active, 0.0, raised) * lengths
    return Impulses(impulse, np.linalg.solve(factor.T, change), after, unique, exchange)


def rounding_of_rates(problem: ContactProblem) -> np.ndarray:
    """What the rates of the gaps are not known to, as differences of velocities (m,) [m/s]."""
    return ROUNDING * (np.abs(problem.directions).T @ np.abs(problem.velocity) + np.abs(problem.drift))


def _change(units: np.ndarray, rates: np.ndarray, noise: np.ndarray) -> np.ndarray | None:
    """Shortest v with U^T v + q >= 0, where there is one; U has columns of length 1.

    Rates of one velocity, q = -U^T b, always allow one, also where it is the only one that they allow, as
    between two walls: v is what is nearest to b in the cone of the columns of U. Other rates are granted the
    rounding, for the same reason.
    """
    m, size = len(rates), float(np.abs(rates).max())
    if rates.min() >= 0.0:
        return np.zeros(len(units))
    source = np.linalg.lstsq(units.T, -rates, rcond=RANK)[0]
    slack = noise + ACCURACY * size + NEGLIGIBLE * np.linalg.norm(source)
    if np.all(np.abs(units.T @ source + rates) <= slack):
        pushing: np.ndarray | None = nonnegative_least_squares(units, source) > 0.0
    else:
        nearest = shortest(units.T, -rates - noise)
        pushing = None if nearest is None else units.T @ nearest + rates <= ACTIVE * size
    sets = chain.from_iterable(combinations(range(m), k) for k in range(1, m + 1) if m <= MOST_TRIED)
    if pushing is not None:
        sets = chain([tuple(np.flatnonzero(pushing))], sets)
    for chosen in sets:
        change = _of_active_set(units, rates, list(chosen), ACCURACY * size)
        if change is not None:
            return change
    if pushing is None:
        return None
    raise ill_conditioned(m)


def _of_active_set(
    units: np.ndarray, rates: np.ndarray, chosen: list[int], slack: float
) -> np.ndarray | None:
    """Shortest v that holds the gaps of the chosen contacts, if these push and no other gap closes."""
    if not chosen:
        return None
    change: np.ndarray = np.linalg.lstsq(units[:, chosen].T, -rates[chosen], rcond=RANK)[0]
    raised = units.T @ change + rates
    if raised.min() < -slack or np.abs(raised[chosen]).max() > slack:
        return None
    weights = np.linalg.lstsq(units[:, chosen], change, rcond=RANK)[0]
    if weights.min() < 0.0:
        weights = nonnegative_least_squares(units[:, chosen], change)
    missing = np.linalg.norm(units[:, chosen] @ weights - change)
    return change if missing <= ACCURACY * max(np.linalg.norm(change), weights.max()) else None


def ill_conditioned(m: int) -> ArithmeticError:
    """The error of impulses that are lost in rounding."""
    return ArithmeticError(
        f"no impulses of {m} contacts obey the law to {ACCURACY:g}: they are lost in rounding, as masses "
        "next to each other differ too much, or as contacts all but depend on each other; leave out bodies "
        "that are light next to their neighbours, or one of such contacts"
    )


def shortest(matrix: np.ndarray, bounds: np.ndarray) -> np.ndarray | None:
    """Shortest vector v with G v >= h.

    Parameters
    ----------
    matrix, bounds : ndarray (m, n), (m,)
        G and h.

    Returns
    -------
    ndarray (n,) or None
        None if no vector fulfils all inequalities.
    """
    n = matrix.shape[1]
    lengths = np.linalg.norm(matrix, axis=1)
    asked = lengths > RANK * lengths.max(initial=0.0)
    if np.any(bounds[~asked] > ACTIVE * np.abs(bounds).max(initial=0.0)):
        return None
    rows = matrix[asked] / lengths[asked, None]
    levels = bounds[asked] / lengths[asked]
    scale = levels.max(initial=0.0)  # no vector is shorter
    if scale <= 0.0:
        return np.zeros(n)
    system = np.vstack([rows.T, levels / scale])
    target = np.zeros(n + 1)
    target[n] = 1.0
    reach = np.linalg.norm(system, axis=0)
    weights = nonnegative_least_squares(system / reach, target) / reach
    residual = system @ weights - target
    if -residual[n] <= NO_SOLUTION * (1.0 + weights.sum()):
        return None
    support = np.flatnonzero(weights > 0.0)
    return np.linalg.lstsq(rows[support], levels[support], rcond=RANK)[0]  # sharper than the residual


def least_impulses(columns: np.ndarray, change: np.ndarray) -> tuple[np.ndarray, np.ndarray, bool]:
    """Impulses of least norm, none negative, that make a change of velocity which such impulses can make.

    Parameters
    ----------
    columns, change : ndarray (n, m), (n,)
        What unit impulses change, and the change.

    Returns
    -------
    tuple of ndarray (m,), ndarray (m, k) and bool
        The impulses; those that balance each other, orthonormal; whether no others make that change.
    """
    lengths = np.linalg.norm(columns, axis=0)
    plain = np.linalg.lstsq(columns / lengths, change, rcond=None)[0] / lengths
    free = null_space(columns / lengths, rcond=RANK)
    if not free.size:
        return np.maximum(plain, 0.0), free, True
    free = np.linalg.qr(free / lengths[:, None])[0]
    plain -= free @ (free.T @ plain)
    found = shortest(free, -plain)
    impulse = np.maximum(plain if found is None else plain + free @ found, 0.0)
    return impulse, free, _is_only(impulse, free)


def _is_only(impulse: np.ndarray, free: np.ndarray) -> bool:
    """Whether no exchange of impulses leaves all of them nonnegative."""
    idle = free[impulse <= ACTIVE * impulse.max(initial=0.0)]
    if np.linalg.matrix_rank(idle, tol=RANK) < free.shape[1]:
        return False
    most = linprog(-idle.sum(axis=0), A_ub=-idle, b_ub=np.zeros(len(idle)), bounds=(-1.0, 1.0))
    return bool(-most.fun <= ACTIVE)
