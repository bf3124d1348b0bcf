"""Impulses of several contacts with Coulomb friction, to which the inequality laws come down.

Normal impulses p and tangential impulses x of all contacts are sought that raise given rates of gaps and
slips, (r, s) = (q, w) + D (p, x), so that for each contact

    0 <= p - l   and   0 <= r,   one of them 0                     (l = 0 but for Poisson's expansion)
    |x| <= mu p,   and   x = -mu p s/|s|   where slip s is left

Brogliato, B., Zhang, H., Liu, C. (2012), remark 6, and Chatterjee, A., Ruina, A. (1998), section 6.2, name
the sources: Pfeiffer, F., Glocker, C. (1996). Multibody Dynamics with Unilateral Contacts. Wiley, New York
(in the plane); Anitescu, M., Potra, F. A. (1997). Formulating dynamic multi-rigid-body contact problems with
friction as solvable linear complementarity problems. Nonlinear Dynamics 14, 231-247 (in space).

Unlike the problem without friction this one may have several solutions, or none. In the plane each contact
is open, sticks or slips to one side, and all of these modes are tried. In space, or with many contacts, the
linear problem of Anitescu and Potra, whose friction cone is a pyramid, tells the mode; the impulses are then
those of the circular cone. Any impulses are checked before they are returned.
"""

from __future__ import annotations

from itertools import product
from math import prod
from typing import NamedTuple

import numpy as np
from scipy.linalg import null_space

from mcrock.laws.complementarity import ACCURACY, RANK
from mcrock.laws.coulomb_search import one_solution
from mcrock.laws.least_squares import NEGLIGIBLE, nonnegative_least_squares
from mcrock.laws.problem import TOLERANCE, ContactProblem, ImpactResult, first_of
from mcrock.laws.scaled_contacts import ScaledContacts

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
