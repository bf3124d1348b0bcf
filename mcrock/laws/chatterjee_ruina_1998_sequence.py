"""Many contacts as a sequence of single collisions, the fastest approach first.

Chatterjee, A., Ruina, A. (1998). A new algebraic rigid-body collision law based on impulse space
considerations. Journal of Applied Mechanics 65, 939-951, section 6.4, after Ivanov (1995) and Baraff (1989).
The relative velocities U of all contacts and the impulses G obey W G = U+ - U-, equation (15). The contact
that approaches fastest collides as if it were alone and all velocities follow; this is repeated until none
approaches. Below e = 1 the sequence converges, though it may be infinite (three equal balls, e = 0); with
e = 1 it need not. It is cut off where what approaches is rounding, or after ``limit`` collisions, which is
told.

Contacts that approach equally fast are a matter of choice, in the paper and here: the first in ``priority``
collides. Where such a choice was made the sequence is run once more with the opposite priority, and both
outcomes are given if they differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from mcrock.laws.chatterjee_ruina_1998 import chatterjee_ruina
from mcrock.laws.complementarity import contact_coefficients
from mcrock.laws.problem import (
    ROUNDING,
    TOLERANCE,
    ContactProblem,
    ImpactResult,
    SingleContact,
    coefficient,
    finite_array,
    friction_coefficients,
    symmetric_matrix,
)

LIMIT = 10_000  # collisions
NEGLIGIBLE = 1e-12  # approach speed that ends the sequence, over the largest speed before [1]
TIE = 1e-9  # approach speeds that differ by this share are equal [1]


class Collisions(NamedTuple):
    """A sequence of single collisions and what it leads to."""

    velocity: np.ndarray  # relative velocities U+, one block for each contact [m/s]
    impulse: np.ndarray  # G, in the same blocks [N s]
    order: list[int]  # contacts in the order in which they collided
    truncated: bool  # the limit came before the end
    ties: int  # collisions at which the priority chose among coupled contacts


def sequential(
    problem: ContactProblem,
    *,
    restitution: float | Sequence[float],
    tangential_restitution: float | Sequence[float] = 0.0,
    priority: Sequence[int] | None = None,
    limit: int = LIMIT,
) -> ImpactResult:
    """Impact as a sequence of collisions by the law of Chatterjee and Ruina.

    Parameters
    ----------
    problem : ContactProblem
        System; without tangents the contacts are frictionless.
    restitution : float or sequence of float (m,)
        e of all contacts or of each, 0 to 1 [1].
    tangential_restitution : float or sequence of float (m,)
        e_t of all contacts or of each, -1 to 1 [1].
    priority : sequence of int (m,), optional
        Order in which contacts that approach equally fast collide; by default by their number.
    limit : int
        Largest number of collisions.

    Returns
    -------
    ImpactResult
        Notes: ``sequence``, the contacts in the order of collision; ``truncated``; ``ties``, collisions at
        which the priority chose; ``tangential_impulse`` (m, k) [N s]. Where the opposite priority leads to
        another velocity, ``solutions`` has both and ``unique_velocity`` is false.

    Raises
    ------
    ValueError
        If a coefficient is outside its domain, or ``priority`` is no order of the contacts.

    Examples
    --------
    >>> import numpy as np
    >>> gaps = np.diff(np.eye(3), axis=0).T
    >>> result = sequential(ContactProblem(np.eye(3), gaps, [1.0, 0.0, 0.0]), restitution=1.0)
    >>> result.velocity, result.notes["sequence"]
    (array([0., 0., 1.]), [0, 1])
    """
    m = problem.directions.shape[1]
    tangents = np.zeros((*problem.directions.shape, 0)) if problem.tangents is None else problem.tangents
    frames = np.concatenate([problem.directions[:, :, None], tangents], axis=2)
    size = frames.shape[2]
    columns = frames.reshape(len(problem.velocity), -1)
    velocity = columns.T @ problem.velocity
    velocity[::size] += problem.drift
    inverse = columns.T @ np.linalg.solve(problem.mass, columns)
    order = list(range(m)) if priority is None else list(priority)

    finite = np.where(np.isinf(problem.friction), 0.0, problem.friction)

    def run(order: list[int]) -> ImpactResult:
        collisions = collide_in_turn(
            0.5 * (inverse + inverse.T),
            velocity,
            [np.eye(size)[0]] * m,
            friction=np.broadcast_to(problem.friction, m).tolist() if size > 1 else 0.0,
            restitution=restitution,
            tangential_restitution=tangential_restitution,
            priority=order,
            limit=limit,
        )
        impulse = collisions.impulse.reshape(m, size)
        after = problem.velocity + np.linalg.solve(problem.mass, columns @ collisions.impulse)
        slip = np.linalg.norm(impulse[:, 1:], axis=1)
        slack = TOLERANCE * np.abs(impulse).max(initial=0.0)
        outside = (slip - finite * impulse[:, 0]) / np.hypot(1.0, finite)  # of the friction cone
        within = (slip <= slack) | (outside <= slack) | np.isinf(problem.friction)
        notes = {
            "sequence": collisions.order,
            "truncated": collisions.truncated,
            "ties": collisions.ties,
            "tangential_impulse": impulse[:, 1:],
        }
        outcome = problem.outcome(after, impulse[:, 0].copy(), friction=bool(within.all()), notes=notes)
        return replace(outcome, kinetic=bool(np.all(impulse[:, 0] >= -slack)))

    result = run(order)
    if result.notes["ties"]:
        other = run(order[::-1])
        speed = np.abs(result.normal_velocity).max() + np.abs(other.normal_velocity).max()
        change = columns.T @ (other.velocity - result.velocity)
        if np.abs(change).max() > TIE * max(speed, np.abs(velocity).max()):
            return replace(result, unique_velocity=False, unique_impulse=False, solutions=(result, other))
    return result


def collide_in_turn(
    inverse: np.ndarray,
    velocity: np.ndarray,
    normals: Sequence[np.ndarray],
    *,
    friction: float | Sequence[float],
    restitution: float | Sequence[float],
    tangential_restitution: float | Sequence[float] = 0.0,
    priority: Sequence[int] | None = None,
    limit: int = LIMIT,
) -> Collisions:
    """The sequence in relative velocities, equation (15), where W is known and the system is not.

    Parameters
    ----------
    inverse : ndarray (d, d)
        W, what unit impulses do to the relative velocities, positive semidefinite.
    velocity : ndarray (d,)
        Relative velocities before, one block for each contact [m/s].
    normals : sequence of ndarray
        Unit normal of each contact in the axes of its own block, 1 to 3 components.
    friction : float or sequence of float (m,)
        Coefficient of all contacts or of each, 0 to infinity [1].
    restitution, tangential_restitution, priority, limit
        As in `sequential`.

    Raises
    ------
    ValueError
        If the blocks do not fill the velocity, ``inverse`` is not positive semidefinite, a normal is no unit
        vector, or a coefficient is outside its domain.
    """
    normals = [finite_array("normal", normal) for normal in normals]
    m, ends = len(normals), np.cumsum([normal.size for normal in normals])
    blocks = [slice(end - normal.size, end) for normal, end in zip(normals, ends, strict=True)]
    velocity = finite_array("velocity", velocity, (int(ends[-1]) if m else 0,)).copy()
    inverse = symmetric_matrix("inverse", inverse, len(velocity))
    low = np.linalg.eigvalsh(inverse)
    if low[0] < -ROUNDING * abs(low[-1]):
        raise ValueError(f"inverse must be positive semidefinite, got the eigenvalues {low}")
    for normal, block in zip(normals, blocks, strict=True):
        SingleContact.of_inverse(inverse[block, block], np.zeros(normal.size), normal)  # checks both
    mu = friction_coefficients(friction, m)
    e = contact_coefficients("restitution", restitution, m)
    et = contact_coefficients("tangential_restitution", tangential_restitution, m, low=-1.0)
    order = list(range(m)) if priority is None else list(priority)
    if sorted(order) != list(range(m)):
        raise ValueError(f"priority must name each of the contacts 0 to {m - 1} once, got {order}")
    coefficient("limit", limit, 1, np.inf)

    coupled = np.array([[np.abs(inverse[i, j]).max() for j in blocks] for i in blocks])
    coupled = coupled > ROUNDING * coupled.max()
    negligible = NEGLIGIBLE * np.abs(velocity).max()
    reachable = [_reachable(inverse[block, block]) for block in blocks]
    impulse, ties = np.zeros_like(velocity), 0
    sequence: list[int] = []
    while True:
        approach = np.array([normal @ velocity[block] for normal, block in zip(normals, blocks, strict=True)])
        fastest = approach.min()
        if fastest >= -negligible or len(sequence) == limit:
            return Collisions(velocity, impulse, sequence, bool(fastest < -negligible), ties)
        tied = [contact for contact in order if approach[contact] <= (1.0 - TIE) * fastest]
        ties += bool(np.any(coupled[np.ix_(tied, tied)] & ~np.eye(len(tied), dtype=bool)))
        contact = tied[0]
        block = blocks[contact]
        now = reachable[contact] @ velocity[block]
        if np.linalg.norm(now - velocity[block]) > 0.1 * negligible:
            now = velocity[block]
        single = SingleContact.of_inverse(inverse[block, block], now, normals[contact], float(mu[contact]))
        if single.friction == 0.0:  # the law without a tangential part
            given = (1.0 + e[contact]) * single.compression
        else:
            given = chatterjee_ruina(
                single, restitution=float(e[contact]), tangential_restitution=float(et[contact])
            ).impulse
        impulse[block] += given
        velocity += inverse[:, block] @ given
        sequence.append(contact)


def _reachable(inverse: np.ndarray) -> np.ndarray:
    """Projection on the velocities that impulses can change, where a mechanism leaves some that they cannot:
    there, only rounding adds up over many collisions."""
    values, vectors = np.linalg.eigh(inverse)
    vectors = vectors[:, values > 1e-12 * values[-1]]
    return vectors @ vectors.T
