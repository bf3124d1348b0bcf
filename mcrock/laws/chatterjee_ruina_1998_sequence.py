"""Many contacts as a sequence of single collisions, the fastest approach first.

Chatterjee, A., Ruina, A. (1998). A new algebraic rigid-body collision law based on impulse space
considerations. Journal of Applied Mechanics 65, 939-951, section 6.4, after Ivanov (1995) and Baraff (1989).
The relative velocities U of all contacts and the impulses G obey W G = U+ - U-, equation (15). The contact
that approaches fastest collides as if it were alone and all velocities follow; this is repeated until none
approaches. Below e = 1 the sequence converges, though it may be infinite (three equal balls, e = 0); with
e = 1 it need not. It is cut off where what approaches is rounding, or after ``limit`` collisions, which is
told.

A hinge may take part as one more place of collision (section 6.5): it opens while other contacts collide, at
the speed of its relative velocity, whatever its direction, and closes by the impulse of a plastic, sticking
collision, which needs no parameter and may pull. The mechanism is then a set of bodies; with its hinges in
the coordinates of the system instead, it collides as a whole, and the outcome differs.

Contacts that approach equally fast are a matter of choice, in the paper and here: the first in ``priority``
collides, or one at random (Ivanov 1995), so that what the experiment leaves open stays open. Where such a
choice was made the sequence is run with a priority and its opposite, and all outcomes are given that differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypedDict, Unpack

import numpy as np

from mcrock.base.keywords import takes
from mcrock.base.random_numbers import uniforms
from mcrock.laws.chatterjee_ruina_1998 import chatterjee_ruina
from mcrock.laws.problem import (
    ROUNDING,
    TOLERANCE,
    ContactProblem,
    ImpactResult,
    SingleContact,
    coefficient,
    coefficients,
    finite_array,
    symmetric_matrix,
)

LIMIT = 10_000  # collisions
NEGLIGIBLE = 1e-12  # approach speed that ends the sequence, over the largest speed before [1]
TIE = 1e-9  # approach speeds that differ by this share are equal [1]
STREAM = 0  # of the random order of ties


class Collisions(NamedTuple):
    """A sequence of single collisions and what it leads to."""

    velocity: np.ndarray  # relative velocities U+, one block for each contact [m/s]
    impulse: np.ndarray  # G, in the same blocks [N s]
    order: list[int]  # contacts, and hinges behind their numbers, in the order in which they collided
    truncated: bool  # the limit came before the end
    ties: int  # collisions at which there was a choice among coupled contacts


class TieKeywords(TypedDict, total=False):
    """Fields of `Ties` as keywords."""

    priority: Sequence[int] | None
    seed: int | None
    realization: int
    limit: int


@dataclass(frozen=True, kw_only=True)
class Ties:
    """Which of the places that approach equally fast collides, and when a sequence is cut off."""

    priority: Sequence[int] | None = None
    seed: int | None = None
    realization: int = 0
    limit: int = LIMIT

    def order(self, contacts: int, hinges: int) -> list[int]:
        """Places in the order in which they collide, checked."""
        places = list(range(contacts + hinges))
        order = places if self.priority is None else list(self.priority)
        if sorted(order) != places:
            raise ValueError(
                f"priority must name each of the contacts 0 to {contacts - 1} once"
                + (f", and the hinges {contacts} to {contacts + hinges - 1}" if hinges else "")
                + f"; got {order}"
            )
        if self.priority is not None and self.seed is not None:
            raise ValueError("ties are broken by a priority or at random: give either priority or seed")
        if self.seed is not None:
            coefficient("seed", self.seed, 0, 2**64 - 1)
            coefficient("realization", self.realization, 0, 2**64 - 1)
        coefficient("limit", self.limit, 1, np.inf)
        return order

    def choose(self, tied: Sequence[int], collisions: int) -> int:
        """The one of the tied places that collides after so many collisions."""
        if self.seed is None or len(tied) == 1:
            return tied[0]
        u = uniforms(self.seed, STREAM, self.realization, 1, n=collisions)[0]
        return tied[int(u * len(tied))]


@takes(Ties)
def sequential(
    problem: ContactProblem,
    *,
    restitution: float | Sequence[float],
    tangential_restitution: float | Sequence[float] = 0.0,
    hinges: Sequence[Any] = (),
    **ties: Unpack[TieKeywords],
) -> ImpactResult:
    """Impact as a sequence of collisions by the law of Chatterjee and Ruina.

    Parameters
    ----------
    problem : ContactProblem
        The system; without tangents the contacts are frictionless.
    restitution : float or sequence of float (m,)
        e of all contacts or of each, 0 to 1 [1].
    tangential_restitution : float or sequence of float (m,)
        e_t of all contacts or of each, -1 to 1 [1].
    hinges : sequence of array_like (n, k)
        For each hinge the directions of relative motion that it prevents, the gradients of its constraints.
        Hinges are numbered after the contacts: hinge i is place m + i.
    priority : sequence of int (m + number of hinges,), optional
        Order in which places that approach equally fast collide; by default that of their numbers.
    seed, realization : int, optional
        With a seed, 0 to 2**64 - 1, they collide in random order instead, a pure function of seed,
        realization and number of the collision.
    limit : int
        Largest number of collisions.

    Returns
    -------
    ImpactResult
        With the notes ``sequence``, the places in the order of collision; ``truncated``; ``ties``, collisions
        at which there was a choice; ``tangential_impulse`` (m, k), ``hinge_impulses`` (k,) of each hinge [N
        s]. Where another order of the ties leads to another velocity or to other impulses, ``solutions`` has
        the outcomes of this one, of the priority and of its opposite, as far as they differ, and
        ``unique_velocity`` or ``unique_impulse`` is false. ``kinematic`` also requires that no hinge opens.

    Raises
    ------
    ValueError
        If a coefficient is outside its domain, ``priority`` is not an order of the places or is given with a
        seed, or a hinge has the wrong shape.

    Examples
    --------
    >>> import numpy as np
    >>> gaps = np.diff(np.eye(3), axis=0).T
    >>> result = sequential(ContactProblem(np.eye(3), gaps, [1.0, 0.0, 0.0]), restitution=1.0)
    >>> result.velocity, result.notes["sequence"]
    (array([0., 0., 1.]), [0, 1])
    """
    n, m = problem.directions.shape
    tangents = np.zeros((n, m, 0)) if problem.tangents is None else problem.tangents
    frames = np.concatenate([problem.directions[:, :, None], tangents], axis=2)
    size = frames.shape[2]
    held = [_hinge(hinge, n) for hinge in hinges]
    columns = np.hstack([frames.reshape(n, -1), *held])
    velocity = columns.T @ problem.velocity
    velocity[: m * size : size] += problem.drift
    inverse = columns.T @ np.linalg.solve(problem.mass, columns)
    widths = [hinge.shape[1] for hinge in held]

    def run(**broken: Unpack[TieKeywords]) -> ImpactResult:
        collisions = collide_in_turn(
            0.5 * (inverse + inverse.T),
            velocity,
            [np.eye(size)[0]] * m,
            friction=np.broadcast_to(problem.friction, m).tolist() if size > 1 else 0.0,
            restitution=restitution,
            tangential_restitution=tangential_restitution,
            hinges=widths,
            **broken,
        )
        return _outcome(problem, columns, collisions, size, widths, float(np.abs(velocity).max()))

    result = run(**ties)
    if not result.notes["ties"]:
        return result
    choice = Ties(**ties)
    order = choice.order(m, len(held))
    orders = [order[::-1]] if choice.seed is None else [order, order[::-1]]
    others = [run(priority=places, limit=choice.limit) for places in orders]
    outcomes = [result]
    for other in others:
        if all(
            _differ(columns, velocity, other, known) or _push_otherwise(other, known) for known in outcomes
        ):
            outcomes.append(other)
    if len(outcomes) == 1:
        return result
    alone = not any(_differ(columns, velocity, other, result) for other in outcomes[1:])
    return replace(result, unique_velocity=alone, unique_impulse=False, solutions=tuple(outcomes))


def _outcome(
    problem: ContactProblem,
    columns: np.ndarray,
    collisions: Collisions,
    size: int,
    widths: Sequence[int],
    speed: float,
) -> ImpactResult:
    """What collisions lead to, with contacts of ``size`` components and hinges of ``widths``; ``speed`` is
    the largest before."""
    m = problem.directions.shape[1]
    impulse = collisions.impulse[: m * size].reshape(m, size)
    finite = np.where(np.isinf(problem.friction), 0.0, problem.friction)
    after = problem.velocity + np.linalg.solve(problem.mass, columns @ collisions.impulse)
    slip = np.linalg.norm(impulse[:, 1:], axis=1)
    slack = TOLERANCE * np.abs(collisions.impulse).max(initial=0.0)
    outside = (slip - finite * impulse[:, 0]) / np.hypot(1.0, finite)  # of the friction cone
    within = (slip <= slack) | (outside <= slack) | np.isinf(problem.friction)
    ends = np.cumsum(widths)[:-1]
    notes = {
        "sequence": collisions.order,
        "truncated": collisions.truncated,
        "ties": collisions.ties,
        "tangential_impulse": impulse[:, 1:],
        "hinge_impulses": np.split(collisions.impulse[m * size :], ends) if widths else [],
    }
    outcome = problem.outcome(after, impulse[:, 0].copy(), friction=bool(within.all()), notes=notes)
    opening = np.abs(collisions.velocity[m * size :]).max(initial=0.0)
    closed = bool(opening <= TOLERANCE * speed)
    return replace(
        outcome, kinematic=outcome.kinematic and closed, kinetic=bool(np.all(impulse[:, 0] >= -slack))
    )


def _hinge(value: Any, n: int) -> np.ndarray:
    """Directions of a hinge (n, k)."""
    hinge = finite_array("hinge", value)
    if hinge.ndim != 2 or len(hinge) != n or hinge.shape[1] == 0:
        raise ValueError(
            f"a hinge must have {n} rows, one for each coordinate, and a column for each direction that it "
            f"holds; got the shape {hinge.shape}"
        )
    return hinge


def _differ(columns: np.ndarray, velocity: np.ndarray, one: ImpactResult, other: ImpactResult) -> bool:
    """Whether two outcomes have other relative velocities."""
    speed = np.abs(one.normal_velocity).max() + np.abs(other.normal_velocity).max()
    change = columns.T @ (other.velocity - one.velocity)
    return bool(np.abs(change).max() > TIE * max(speed, np.abs(velocity).max()))


def _push_otherwise(one: ImpactResult, other: ImpactResult) -> bool:
    """Whether two outcomes have other impulses, as contacts that move together can have."""
    pushes = [
        np.concatenate(
            [each.impulse, each.notes["tangential_impulse"].ravel(), *each.notes["hinge_impulses"]]
        )
        for each in (one, other)
    ]
    return bool(np.abs(pushes[0] - pushes[1]).max() > TIE * np.abs(pushes).max())


@takes(Ties)
def collide_in_turn(
    inverse: np.ndarray,
    velocity: np.ndarray,
    normals: Sequence[np.ndarray],
    *,
    friction: float | Sequence[float],
    restitution: float | Sequence[float],
    tangential_restitution: float | Sequence[float] = 0.0,
    hinges: Sequence[int] = (),
    **ties: Unpack[TieKeywords],
) -> Collisions:
    """The sequence in relative velocities, equation (15), where W is known and the system is not.

    Parameters
    ----------
    inverse : ndarray (d, d)
        W, what unit impulses do to the relative velocities, positive semidefinite.
    velocity : ndarray (d,)
        Relative velocities before, one block for each contact and behind these one for each hinge [m/s].
    normals : sequence of ndarray
        Unit normal of each contact in the axes of its own block, 1 to 3 components.
    friction : float or sequence of float (m,)
        Coefficient of all contacts or of each, 0 to infinity [1].
    hinges : sequence of int
        Numbers of components of the blocks of the hinges.
    restitution, tangential_restitution, priority, seed, realization, limit
        As in `sequential`.

    Raises
    ------
    ValueError
        If the blocks do not fill the velocity, ``inverse`` is not positive semidefinite, a normal is no unit
        vector, a coefficient is outside its domain, or both priority and seed are given.
    """
    normals = [finite_array("normal", normal) for normal in normals]
    m, sizes = len(normals), [*(normal.size for normal in normals), *hinges]
    ends = np.cumsum(sizes)
    blocks = [slice(end - size, end) for size, end in zip(sizes, ends, strict=True)]
    velocity = finite_array("velocity", velocity, (int(ends[-1]) if sizes else 0,)).copy()
    inverse = symmetric_matrix("inverse", inverse, len(velocity))
    low = np.linalg.eigvalsh(inverse)
    if low[0] < -ROUNDING * abs(low[-1]):
        raise ValueError(f"inverse must be positive semidefinite, got the eigenvalues {low}")
    for normal, block in zip(normals, blocks, strict=False):
        SingleContact.of_inverse(inverse[block, block], np.zeros(normal.size), normal)  # checks both
    mu = coefficients("friction", friction, m, 0.0, np.inf)
    e = coefficients("restitution", restitution, m, 0.0, 1.0)
    et = coefficients("tangential_restitution", tangential_restitution, m, -1.0, 1.0)
    choice = Ties(**ties)
    order = choice.order(m, len(blocks) - m)
    coupled = np.array([[np.abs(inverse[i, j]).max() for j in blocks] for i in blocks])
    coupled = coupled > ROUNDING * coupled.max()
    negligible = NEGLIGIBLE * np.abs(velocity).max()
    reachable = [_reachable(inverse[block, block]) for block in blocks]
    impulse, several = np.zeros_like(velocity), 0
    sequence: list[int] = []
    while True:
        closing = [-normal @ velocity[block] for normal, block in zip(normals, blocks, strict=False)]
        approach = np.array(closing + [np.linalg.norm(velocity[block]) for block in blocks[m:]])
        fastest = approach.max()
        if fastest <= negligible or len(sequence) == choice.limit:
            return Collisions(velocity, impulse, sequence, bool(fastest > negligible), several)
        tied = [place for place in order if approach[place] >= (1.0 - TIE) * fastest]
        several += bool(np.any(coupled[np.ix_(tied, tied)] & ~np.eye(len(tied), dtype=bool)))
        place = choice.choose(tied, len(sequence))
        block = blocks[place]
        local = inverse[block, block]
        now = reachable[place] @ velocity[block]
        if np.linalg.norm(now - velocity[block]) > 0.1 * negligible:
            now = velocity[block]
        if place >= m:
            given = -np.linalg.pinv(local, rcond=1e-12, hermitian=True) @ now
        else:
            given = chatterjee_ruina(
                SingleContact.of_inverse(local, now, normals[place], float(mu[place])),
                restitution=float(e[place]),
                tangential_restitution=float(et[place]),
            ).impulse
        impulse[block] += given
        velocity += inverse[:, block] @ given
        sequence.append(place)


def _reachable(inverse: np.ndarray) -> np.ndarray:
    """Projection on the velocities that impulses can change, where a mechanism leaves some that they cannot:
    there, only rounding adds up over many collisions."""
    values, vectors = np.linalg.eigh(inverse)
    vectors = vectors[:, values > 1e-12 * values[-1]]
    return vectors @ vectors.T
