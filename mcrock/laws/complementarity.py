"""Impulses of several unilateral contacts, with and without Coulomb friction: all inequality laws need them.

Impulses p >= 0 along the normals and x along the tangents raise given rates of gaps and slips, (r, s) =
(q, w) + D (p, x), so that for each contact

    0 <= p - l   and   0 <= r,   one of them 0                     (l = 0 but for Poisson's expansion)
    |x| <= mu p,   and   x = -mu p s/|s|   where slip s is left

The Delassus matrix D = A^T A, A = C^-1 W with the mass M = C C^T, is symmetric and positive semidefinite
whatever the coefficients of a law are, for those enter q alone.

**Without friction** (`unilateral_impulses`) the problem is convex: v = A p is the shortest velocity change,
measured by the kinetic energy, with A^T v + q >= 0. It is one of nonnegative least squares, or, where q are
not the rates of one velocity, of least distance: Lawson, C. L., Hanson, R. J. (1974). Solving Least Squares
Problems, chapter 23. That also tells where there is no solution: where contacts depend on each other and q
asks for what they cannot do. v is unique; p need not be. `scipy.optimize.nnls` has since its version 1.15
sometimes returned another point without a warning where a multiplier is 0 but for rounding
(github.com/scipy/scipy/issues/25389), as it is at every contact that just touches; the bounded solver
`lsq_linear` fails on some of those, too. Here the conditions of the minimum are checked.

**With friction** (`frictional_impulses`) there may be several solutions, or none: Brogliato, B., Zhang, H.,
Liu, C. (2012), remark 6, and Chatterjee, A., Ruina, A. (1998), section 6.2, name the sources. In the plane
(Pfeiffer, F., Glocker, C. (1996). Multibody Dynamics with Unilateral Contacts. Wiley, New York) each contact
is open, sticks or slips to one side, and all of these modes are tried. In space, or with many contacts,
friction pyramids make the problem linear (Anitescu, M., Potra, F. A. (1997). Formulating dynamic
multi-rigid-body contact problems with friction as solvable linear complementarity problems. Nonlinear
Dynamics 14, 231-247), which Lemke's method solves (Cottle, R. W., Pang, J.-S., Stone, R. E. (1992). The
Linear Complementarity Problem. Academic Press, section 4.4); from there, or from repeated projection,
Newton's method solves the equations of the circular cone. All impulses are checked before they are returned.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations, product
from math import prod
from typing import NamedTuple

import numpy as np
from scipy.linalg import null_space
from scipy.optimize import linprog

from mcrock.laws.problem import TOLERANCE, ContactProblem, ImpactResult, first_of

NEGLIGIBLE = 1e-15  # slope of the sum of squares that counts as 0, over the target [1]
MINIMUM_ACCURACY = 1e-9  # to which the conditions of the minimum hold, over the target [1]
SLOPE_ROUNDING = 1e-15  # of the slope, over the sum of the weights of columns of length 1 [1]
COLUMN_RANK = 1e-13  # singular values below this share count as 0 [1]
SEARCH_STEPS = 30  # of the search, for each column


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
    for _ in range(SEARCH_STEPS * (m + 1)):
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
    rounding = SLOPE_ROUNDING * float(weights.sum())
    if max(slope.max(), np.abs(slope[free]).max(initial=0.0)) > MINIMUM_ACCURACY + rounding:
        raise ArithmeticError(f"no nonnegative least squares found for {m} contacts")
    return weights * size


def _unbounded(matrix: np.ndarray, target: np.ndarray, free: np.ndarray) -> np.ndarray:
    """Least squares of the free columns, corrected once by those of what is left: columns that all but cancel
    have huge weights, whose rounding would be left in the slope."""
    weights = np.zeros(len(free))
    if free.any():
        columns = matrix[:, free]
        found = np.linalg.lstsq(columns, target, rcond=COLUMN_RANK)[0]
        weights[free] = found + np.linalg.lstsq(columns, target - columns @ found, rcond=COLUMN_RANK)[0]
    return weights


PERTURBATION = 1e-9  # of q, over its largest component [1]
PIVOTS = 50  # for each component
PIVOT_RANK = 1e-10  # pivots below this share of their column count as 0 [1]


def lemke(matrix: np.ndarray, constant: np.ndarray) -> np.ndarray | None:
    """Lemke's solution z of 0 <= z, 0 <= M z + q, z . (M z + q) = 0; None if it ends on a ray.

    Solutions of q + z_0 are followed from a large z_0 down to 0. q is perturbed against cycling, so that what
    is returned is the start of a sharper solution.

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
        rising = column > PIVOT_RANK * np.abs(column).max()
        if not rising.any():
            return None
        ratios = np.where(rising, table[:, -1] / np.where(rising, column, 1.0), np.inf)
        row = int(np.argmin(ratios))
        if basis[row] != 2 * n and 2 * n in basis:  # of equal ratios the covering variable leaves
            last = int(np.flatnonzero(basis == 2 * n)[0])
            row = last if ratios[last] <= ratios[row] else row
    return None


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


class ScaledContacts(NamedTuple):
    """Contacts whose normal directions A = C^-1 W have the length 1, and their problem.

    Impulses times these lengths and rates over them have one unit, that of the largest rate given.
    """

    columns: np.ndarray  # normal and tangents of each contact in turn (n, m (1 + k))
    given: np.ndarray  # q and w over the largest of them (m, 1 + k)
    least: np.ndarray  # l in the same unit (m,)
    friction: np.ndarray  # mu (m,)
    size: float  # largest q or w [kg^1/2 m/s]
    lengths: np.ndarray  # of the normal directions (m,)
    factor: np.ndarray  # C (n, n), the mass is C C^T

    @classmethod
    def of(
        cls, problem: ContactProblem, rates: np.ndarray, slips: np.ndarray, least: np.ndarray | None
    ) -> ScaledContacts:
        """Contacts of a problem with tangents, and the q, w and l of `mcrock.laws.complementarity`."""
        frames = np.concatenate([problem.directions[:, :, None], np.asarray(problem.tangents)], axis=2)
        factor = np.linalg.cholesky(problem.mass)
        scaled = np.linalg.solve(factor, frames.reshape(len(factor), -1)).reshape(frames.shape)
        lengths = np.linalg.norm(scaled[:, :, 0], axis=0)
        columns = (scaled / lengths[:, None]).reshape(len(factor), -1)
        given = np.column_stack([rates, slips]) / lengths[:, None]
        bound = np.zeros(len(rates)) if least is None else least * lengths
        size = float(max(np.abs(given).max(), bound.max())) or 1.0
        mu = np.asarray(problem.friction, float)
        return cls(columns, given / size, bound / size, mu, size, lengths, factor)

    @property
    def k(self) -> int:
        """Number of tangents of a contact."""
        return self.given.shape[1] - 1

    def after(self, impulse: np.ndarray) -> np.ndarray:
        """Rates and slips (m, 1 + k) after impulses of the same shape."""
        return self.given + (self.columns.T @ (self.columns @ impulse.ravel())).reshape(self.given.shape)

    def reach(self, impulse: np.ndarray) -> float:
        """Size of what impulses and given velocities are the difference of."""
        return float(max(1.0, self.least.max(), np.abs(impulse).max()))

    def holds(self, impulse: np.ndarray) -> bool:
        """Whether impulses obey the law."""
        after = self.after(impulse)
        rate, slip = after[:, 0], after[:, 1:]
        speed = np.linalg.norm(slip, axis=1)
        p, x = impulse[:, 0], impulse[:, 1:]
        length = np.linalg.norm(x, axis=1)
        slack, push = ACCURACY, ACCURACY * self.reach(impulse)
        if rate.min() < -slack or np.any(p - self.least < -push):
            return False
        if np.any((rate > slack) & (p - self.least > push)):
            return False
        hard = np.isinf(self.friction)
        limit = np.where(hard, 0.0, self.friction) * p
        if np.any(~hard & (length > limit + push * (1.0 + np.where(hard, 0.0, self.friction)))):
            return False
        moving = speed > slack
        # |s| x = -mu p s; where mu is infinite p = 0, the gap is closed, and x still opposes the slip
        against = np.where(hard, length, limit)[:, None] * slip + speed[:, None] * x
        reach = 1.0 + np.where(hard, 0.0, self.friction)
        opposed = np.linalg.norm(against, axis=1) <= push * (1.0 + speed * reach)
        jammed = ~hard | (p <= push) & ((rate <= slack) | (length <= push))
        return bool(np.all(~moving | (self.friction == 0.0) | opposed & jammed))

    def is_monotone(self) -> bool:
        """Whether friction is low enough that no two solutions have different velocities.

        Of two solutions that differ by the impulses d and the velocity y = A d, the law leaves
        |y|^2 <= sum_i mu_i |d_p,i| |A_x,i^T y|. Where normal impulses follow from y, d_p = N y, this is at
        most |y|^2 sum_i mu_i (|N_i| |A_x,i| + |A_x,i^T N_i|)/2, so that y = 0 if the sum is below 1.
        """
        width, m = 1 + self.k, len(self.least)
        acting = np.repeat(self.friction > 0.0, width)
        acting[::width] = True
        places = np.cumsum(acting) - 1
        columns = self.columns[:, acting]
        back = np.linalg.pinv(columns, rcond=RANK)
        follows = back @ columns
        bound = 0.0
        for i in range(m):
            if self.friction[i] == 0.0:
                continue
            row = places[i * width]
            if np.abs(follows[row] - np.eye(len(follows))[row]).max() > RANK:
                return False
            tangents = self.columns[:, i * width + 1 : (i + 1) * width]
            lengths = np.linalg.norm(back[row]) * np.linalg.norm(tangents, 2)
            bound += 0.5 * self.friction[i] * (lengths + np.linalg.norm(tangents.T @ back[row]))
        return bool(bound < 1.0)


SIDES = (24, 64, 256)  # of further pyramids in space
ROUNDS = 2000  # of repeated projection
LARGE = 1e6  # friction of a pyramid in place of an infinite one [1]
NEWTON_STEPS = 60  # of Newton's method from there
DAMPED = range(15, 35)  # of which these are halved


def one_solution(contacts: ScaledContacts) -> np.ndarray | None:
    """Impulses (m, 1 + k) that obey the law, if any are found."""
    for impulse in _starts(contacts):
        for count in range(NEWTON_STEPS):
            left, slopes = _projected(contacts, impulse)
            step = np.linalg.lstsq(slopes, -left, rcond=RANK)[0]
            if count in DAMPED:  # off a cycle between two modes
                step = 0.5 * step
            impulse = impulse + step.reshape(impulse.shape)
            if np.abs(step).max() <= NEGLIGIBLE * contacts.reach(impulse):
                break
        if contacts.holds(impulse):
            return impulse
    return None


def _starts(contacts: ScaledContacts) -> Iterator[np.ndarray]:
    """Impulses (m, 1 + k) from which to search, the cheap ones first."""
    yield np.column_stack([contacts.least, np.zeros((len(contacts.least), contacts.k))])
    first = _of_pyramid(contacts, 2 if contacts.k == 1 else 8)
    if first is not None:
        yield first
    yield _settled(contacts)
    for sides in SIDES if contacts.k == 2 else ():
        further = _of_pyramid(contacts, sides)
        if further is not None:
            yield further


def _projected(contacts: ScaledContacts, impulse: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What impulses differ by from their projection on the law, and its slopes: zero at a solution.

    p - max(l, p - r) and x - (x - s, no longer than mu p): equations that are smooth in each mode.
    """
    after = contacts.after(impulse)
    width = 1 + contacts.k
    delassus = contacts.columns.T @ contacts.columns
    left, slopes = np.zeros(after.size), np.zeros((after.size, after.size))
    for i, (mu, bound) in enumerate(zip(contacts.friction, contacts.least, strict=True)):
        n, t = i * width, slice(i * width + 1, (i + 1) * width)
        closed = impulse[i, 0] - after[i, 0] > bound
        left[n] = after[i, 0] if closed else impulse[i, 0] - bound
        slopes[n] = delassus[n] if closed else np.eye(after.size)[n]
        push = impulse[i, 0] if closed else bound
        reach = impulse[i, 1:] - after[i, 1:]
        length = float(np.linalg.norm(reach))
        if push > 0.0 and length <= mu * push:
            left[t], slopes[t] = after[i, 1:], delassus[t]
            continue
        limit = mu * push if push > 0.0 and np.isfinite(mu) else 0.0
        way = reach / length if length > 0.0 else reach
        left[t] = impulse[i, 1:] - limit * way
        own = np.eye(after.size)[t]
        turned = (np.eye(contacts.k) - np.outer(way, way)) @ (own - delassus[t])
        slopes[t] = own - (limit / length * turned if length > 0.0 else 0.0)
        if closed and np.isfinite(mu):
            slopes[t, n] -= mu * way
    return left, slopes


def _settled(contacts: ScaledContacts) -> np.ndarray:
    """Impulses (m, 1 + k) that repeated projection of p - a r and x - a s on the law leads to."""
    impulse = np.zeros_like(contacts.given)
    mobility = 1.0 / np.linalg.norm(contacts.columns, 2) ** 2
    for _ in range(ROUNDS):
        impulse = impulse - mobility * contacts.after(impulse)
        impulse[:, 0] = np.maximum(impulse[:, 0], contacts.least)
        limit = np.minimum(contacts.friction, LARGE) * impulse[:, 0]
        length = np.linalg.norm(impulse[:, 1:], axis=1)
        within = np.divide(limit, length, out=np.ones_like(limit), where=length > limit)
        impulse[:, 1:] *= within[:, None]
    return impulse


def _of_pyramid(contacts: ScaledContacts, sides: int) -> np.ndarray | None:
    """Impulses (m, 1 + k) by friction pyramids, the problem of Anitescu and Potra."""
    m = len(contacts.least)
    angles = 2.0 * np.pi * np.arange(sides) / sides
    edges = np.array([[1.0, -1.0]]) if contacts.k == 1 else np.array([np.cos(angles), np.sin(angles)])
    p = edges.shape[1]
    mu = np.minimum(contacts.friction, LARGE)
    normals, along = np.zeros((contacts.given.size, m)), np.zeros((contacts.given.size, m * p))
    for i in range(m):
        normals[i * (1 + contacts.k), i] = 1.0
        along[i * (1 + contacts.k) + 1 : (i + 1) * (1 + contacts.k), i * p : (i + 1) * p] = edges
    forces = np.hstack([normals, along])
    moved = contacts.columns @ forces
    gather = np.kron(np.eye(m), np.ones((p, 1)))
    matrix = np.block(
        [[moved.T @ moved, np.vstack([np.zeros((m, m)), gather])], [np.diag(mu), -gather.T, np.zeros((m, m))]]
    )
    started = contacts.given.ravel() + contacts.columns.T @ (contacts.columns @ (normals @ contacts.least))
    constant = np.concatenate([forces.T @ started, mu * contacts.least])
    found = lemke(matrix, constant)
    if found is None:
        return None
    return (forces @ found[: m + m * p] + normals @ contacts.least).reshape(contacts.given.shape)


MOST_MODES = 1500  # modes of all contacts, up to which all are tried
SAME = 1e-7  # difference of two solutions that is rounding, relative [1]


class Friction(NamedTuple):
    """Impulses of all contacts with friction and what they do."""

    normal: np.ndarray  # p (m,) [N s]
    tangential: np.ndarray  # x (m, k) [N s]
    change: np.ndarray  # of the velocity (n,) [m/s]
    rates: np.ndarray  # r (m,), exactly 0 where a gap is closed [m/s]
    slips: np.ndarray  # s (m, k), exactly 0 where a contact sticks [m/s]
    unique: bool  # no other impulses do the same


class Solutions(NamedTuple):
    """Solutions with different velocities, in the order of the sum of their normal impulses."""

    found: list[Friction]
    only: bool  # there are no others


def has_friction(problem: ContactProblem) -> bool:
    """Whether friction acts at some contact.

    Raises
    ------
    ValueError
        If a contact has friction and the problem no tangents for it to act along.
    """
    rough = bool(np.any(np.asarray(problem.friction) > 0.0))
    if rough and (problem.tangents is None or problem.tangents.shape[2] == 0):
        raise ValueError(
            f"friction {np.max(problem.friction):g} needs the directions of slip: give tangents of the shape "
            "(n, m, k), n coordinates, m contacts and k = 1 (plane) or 2 (space), or friction = 0"
        )
    if rough and problem.tangents is not None and problem.tangents.shape[2] > 2:
        raise ValueError(f"a contact has 1 or 2 tangents, got {problem.tangents.shape[2]}")
    return rough


def refuse_friction(problem: ContactProblem, law: str) -> None:
    """A ValueError where a law without a rule for friction meets it."""
    if has_friction(problem):
        raise ValueError(
            f"{law} has no rule for friction, got friction {np.max(problem.friction):g}: take newton, "
            "moreau, poisson or sequential, which treat several contacts with friction, or friction = 0"
        )


def frictional_impulses(
    problem: ContactProblem, rates: np.ndarray, slips: np.ndarray, least: np.ndarray | None = None
) -> Solutions:
    """Solutions of the problem above.

    Parameters
    ----------
    problem : ContactProblem
        Mass, directions, tangents and friction of the contacts.
    rates, slips : ndarray (m,), (m, k)
        q and w [m/s].
    least : ndarray (m,), optional
        l, 0 if not given [N s].

    Returns
    -------
    Solutions
        All of them in the plane, up to some five contacts; else one, which is known to be the only one
        where friction is low enough to prove it.

    Raises
    ------
    ArithmeticError
        If none is found. There is one wherever q are rates of the velocity before and the obstacles rest.
    """
    contacts = ScaledContacts.of(problem, rates, slips, least)
    modes = _modes(contacts)
    if contacts.k == 1 and prod(len(each) for each in modes) <= MOST_MODES:
        tried = [_of_modes(contacts, each) for each in product(*modes)]
        fits = [found for found in tried if found is not None and contacts.holds(found[0])]
        impulses, only = [impulse for impulse, _ in fits], all(alone for _, alone in fits)
    else:
        one = one_solution(contacts)
        impulses, only = [] if one is None else [one], contacts.is_monotone()
    if not impulses:
        raise ArithmeticError(
            f"no impulses of {len(rates)} contacts with friction up to {np.max(problem.friction):g} obey the "
            "law: there are none where friction jams a contact that is to rebound, and rounding hides them "
            "where masses differ much; lower friction or restitution"
        )
    groups: list[list[np.ndarray]] = []  # of one velocity each
    for impulse in impulses:
        change = contacts.columns @ impulse.ravel()
        group = next((g for g in groups if _same(contacts.columns @ g[0].ravel(), change, 1.0)), None)
        if group is None:
            groups.append([impulse])
        elif not any(_same(known, impulse) for known in group):
            group.append(impulse)
    solutions = sorted((_shared(contacts, group) for group in groups), key=lambda each: each.normal.sum())
    return Solutions(solutions, only and len(solutions) == 1)


def law_with_friction(
    problem: ContactProblem, rates: np.ndarray, slips: np.ndarray, factor: float = 1.0
) -> ImpactResult:
    """The impact of the impulses that solve the problem above, times a factor.

    Of several solutions with different velocities the one with the least sum of normal impulses, and all in
    ``solutions``. The note ``tangential_impulse`` (m, k) is in N s.
    """
    found, only = frictional_impulses(problem, rates, slips)
    results = [
        problem.outcome(
            problem.velocity + factor * one.change,
            factor * one.normal,
            friction=within_cone(problem, one.normal, one.tangential),
            unique_velocity=only,
            unique_impulse=only and one.unique,
            notes={"tangential_impulse": factor * one.tangential},
        )
        for one in found
    ]
    return first_of(results)


def within_cone(problem: ContactProblem, normal: np.ndarray, tangential: np.ndarray) -> bool:
    """Whether no tangential impulse is longer than mu times the normal one."""
    mu = np.asarray(problem.friction)
    finite = np.where(np.isinf(mu), 0.0, mu)
    length = np.linalg.norm(tangential, axis=1)
    slack = TOLERANCE * max(np.abs(normal).max(), length.max())
    return bool(np.all(np.isinf(mu) | (length - finite * normal <= slack * np.hypot(1.0, finite))))


class _Mode(NamedTuple):
    """What one contact does."""

    closed: bool  # its gap rate is 0; else its normal impulse is the least one
    way: int | None  # 0: it sticks; 1 or -1: it slips, in the plane to this side; None: no friction acts


def _modes(contacts: ScaledContacts) -> list[list[_Mode]]:
    """The modes of each contact in the plane."""
    ways = [[None] if mu == 0.0 else [0, 1, -1] for mu in contacts.friction]
    held = [w if bound > 0.0 else [None] for w, bound in zip(ways, contacts.least, strict=True)]
    return [
        [_Mode(False, way) for way in apart] + [_Mode(True, way) for way in touching]
        for apart, touching in zip(held, ways, strict=True)
    ]


def _of_modes(contacts: ScaledContacts, modes: tuple[_Mode, ...]) -> tuple[np.ndarray, bool] | None:
    """Impulses that fit the equations of the modes in the plane, and whether only their velocity does."""
    m = len(modes)
    fixed, basis, equations = np.zeros(2 * m), [], []
    for i, ((closed, way), mu) in enumerate(zip(modes, contacts.friction, strict=True)):
        if closed and way:
            edge = np.array([0.0, -way]) if np.isinf(mu) else np.array([1.0, -way * mu])
            basis.append(_placed(edge, i, m))
        elif closed:
            basis.append(_placed(np.array([1.0, 0.0]), i, m))
        else:
            fixed[2 * i] = contacts.least[i]
            if way and np.isinf(mu):
                return None
            fixed[2 * i + 1] = -way * mu * contacts.least[i] if way else 0.0
        if way == 0:
            basis.append(_placed(np.array([0.0, 1.0]), i, m))
        equations += [2 * i] * closed + [2 * i + 1] * (way == 0)
    if not basis:
        return fixed.reshape(m, 2), True
    moved = contacts.columns @ np.array(basis).T
    rows = contacts.columns[:, equations].T
    wanted = -(contacts.given.ravel()[equations] + rows @ (contacts.columns @ fixed))
    matrix = rows @ moved
    weights = np.linalg.lstsq(matrix, wanted, rcond=RANK)[0]
    loose = moved @ null_space(matrix, rcond=RANK)
    return (fixed + np.array(basis).T @ weights).reshape(m, 2), not np.abs(loose).max(initial=0.0) > RANK


def _shared(contacts: ScaledContacts, group: list[np.ndarray]) -> Friction:
    """The impulses of least norm of those that lead to one velocity."""
    weight = 1.0 / np.repeat(contacts.lengths, 1 + contacts.k)
    impulse = group[0].copy()
    if len(group) > 1:
        ends = np.array([end.ravel() for end in group]).T
        scaled = ends * weight[:, None] / np.abs(ends * weight[:, None]).max()
        system = np.vstack([scaled, np.ones(len(group))])
        lengths = np.linalg.norm(system, axis=0)
        target = np.append(np.zeros(len(scaled)), 1.0)
        shares = nonnegative_least_squares(system / lengths, target) / lengths
        impulse = (ends @ shares / shares.sum()).reshape(impulse.shape)
    impulse[:, 0] = np.maximum(impulse[:, 0], contacts.least)
    impulse[np.abs(impulse) <= NEGLIGIBLE * contacts.reach(impulse)] = 0.0
    free = _exchanges(contacts, impulse)
    unique = len(group) == 1 and free.shape[1] == 0
    if len(group) == 1 and free.shape[1]:
        step = np.linalg.lstsq(free * weight[:, None], -impulse.ravel() * weight, rcond=None)[0]
        least = impulse + (free @ step).reshape(impulse.shape)
        impulse = least if contacts.holds(least) else impulse
    impulses = contacts.size * impulse / contacts.lengths[:, None]
    velocity = np.linalg.solve(contacts.factor.T, contacts.size * (contacts.columns @ impulse.ravel()))
    after = contacts.after(impulse)
    ended = np.linalg.norm(after[:, 1:], axis=1) <= ACCURACY
    rates = np.where(after[:, 0] <= ACCURACY, 0.0, after[:, 0]) * contacts.size * contacts.lengths
    slips = np.where(ended[:, None], 0.0, after[:, 1:]) * (contacts.size * contacts.lengths)[:, None]
    return Friction(impulses[:, 0], impulses[:, 1:], velocity, rates, slips, unique)


def _exchanges(contacts: ScaledContacts, impulse: np.ndarray) -> np.ndarray:
    """Impulses (m (1 + k), j) that move nothing and that contacts can exchange in their modes."""
    after = contacts.after(impulse)
    m, width = after.shape
    basis = []
    for i in range(m):
        slip = after[i, 1:]
        speed = float(np.linalg.norm(slip))
        closed, sticks = after[i, 0] <= ACCURACY, speed <= ACCURACY
        normal = np.eye(width)[0]
        if closed and not sticks and contacts.friction[i] > 0.0:
            edge = np.append(0.0, -slip / speed)
            basis.append(
                _placed(
                    edge if np.isinf(contacts.friction[i]) else normal + contacts.friction[i] * edge, i, m
                )
            )
        elif closed:
            basis.append(_placed(normal, i, m))
        if sticks and contacts.friction[i] > 0.0 and (closed or contacts.least[i] > 0.0):
            basis += [_placed(unit, i, m) for unit in np.eye(width)[1:]]
    forces = np.array(basis).T.reshape(after.size, -1)
    pushed = impulse[:, 0] > ACCURACY * contacts.reach(impulse)
    while True:
        free = forces @ null_space(contacts.columns @ forces, rcond=RANK)
        rising = np.abs(free.reshape(m, width, -1)[:, 0]).max(axis=-1, initial=0.0) > RANK
        # where no normal impulse is or can rise there is no friction to exchange
        bare = np.repeat(~(pushed | rising | np.isinf(contacts.friction)), width)
        bare[::width] = False
        idle = np.abs(forces[bare]).max(axis=0, initial=0.0) > 0.0
        if not idle.any():
            return free
        forces = forces[:, ~idle]


def _same(one: np.ndarray, other: np.ndarray, size: float = 0.0) -> bool:
    """Whether two differ by rounding."""
    return bool(np.linalg.norm(one - other) <= SAME * max(size, float(np.linalg.norm(other))))


def _placed(part: np.ndarray, contact: int, m: int) -> np.ndarray:
    """The impulses (m (1 + k),) of one contact among m."""
    whole = np.zeros((m, len(part)))
    whole[contact] = part
    return whole.ravel()
