"""Impact at a re-entrant corner, where it is enough that one of several gaps does not close.

Glocker, C. (2005). The geometry of Newtonian impacts. In: G. Rega, F. Vestroni (eds.), IUTAM Symposium on
Chaotic Dynamics and Control of Systems and Processes in Mechanics, Springer. Where two blocks meet corner to
corner, or a particle meets the tip of a wedge, the admitted velocities are

    K = {u : w_1 . u >= 0 or w_2 . u >= 0 ...}

which is not convex. Equation (17) asks for the stationary points v of the distance to u- in K and then
reverses the rest as Moreau (1988) does, u+ = v - eps (u- - v). There can be several, each one a possible
impact: along a face, or stopped by an edge, where faces meet.

Of a u- that K admits nothing needs to happen, and v = u- is a solution. Yet (17) has others as well where
u- leaves by one face and still presses on the faces together, as a sharp wedge allows: u- lies in the cone of
the normals. They are listed behind the one without impact, which is the nearest.

Further contacts c, all of which must stay closed or open, may be there too, such as the ground that a block
stands on: K is then the union of the faces cut by c_1 . u >= 0, c_2 . u >= 0 ... At a v at which the gaps of
some faces F and contacts C stay as they are and no other face opens, the normals that (17) admits are the
cone of those of F and C together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from mcrock.laws.complementarity import RANK, least_impulses, nonnegative_least_squares
from mcrock.laws.problem import ContactProblem, ImpactResult, coefficient

MOST_FACES = 12  # all sets of faces are tried
BORDER = 1e-10  # of the speed: rates of a gap and impulses below it count as 0 [1]
NO_IMPACT = "none"


def reentrant_corner(
    problem: ContactProblem, *, restitution: float, faces: Sequence[int] | None = None
) -> ImpactResult:
    """All impacts at a re-entrant corner, whose faces are contacts of ``problem``.

    No energy is gained. Without further contacts every outcome is admissible to at least one face.

    Parameters
    ----------
    problem : ContactProblem
        The system; each contact is a face of the obstacle, or one more contact besides. Drift must be 0, and
        friction is ignored.
    restitution : float
        eps, 0 to 1 [1].
    faces : sequence of int, optional
        Numbers of the contacts that are faces of the corner, all by default; the others are further contacts,
        none of which may close.

    Returns
    -------
    ImpactResult
        The impact nearest to u-, the first of equally near ones. ``solutions`` has all: no impact at the
        corner if that is admitted, then those of several faces, then those of one. Each has the notes
        ``kind`` ("none", "face1", "edge", in full "edge1-3" where there are more than two faces),
        ``distance`` of its stationary point from u- [kg^1/2 m/s], and ``admitted_part`` and ``normal_part``,
        v and v_perp (n,) of u- = v + v_perp.
        The one returned also has ``admitted``, whether u- is in K, and ``nearest``, the kinds at the least
        distance. ``kinematic`` is true if one face and all further contacts admit it.

    Raises
    ------
    ValueError
        If the coefficient is outside its domain, there is only one face or more than twelve, ``faces`` are no
        numbers of contacts, or a contact moves.

    Examples
    --------
    A particle meets the tip of a right-angled wedge head on.

    >>> import numpy as np
    >>> result = reentrant_corner(ContactProblem(np.eye(2), -np.eye(2), [1.0, 1.0]), restitution=0.5)
    >>> [str(solution.notes["kind"]) for solution in result.solutions]
    ['edge', 'face1', 'face2']
    """
    eps = coefficient("restitution", restitution, 0.0, 1.0)
    m = problem.directions.shape[1]
    numbers = list(range(m)) if faces is None else list(faces)
    if len(set(numbers)) < len(numbers) or not set(numbers) <= set(range(m)):
        raise ValueError(f"faces must name contacts, 0 to {m - 1}, each once; got {numbers}")
    if not 2 <= len(numbers) <= MOST_FACES:
        raise ValueError(f"a corner needs 2 to {MOST_FACES} faces, got {len(numbers)}")
    if np.any(problem.drift):
        raise ValueError("the faces of a corner must not move: drift must be 0")
    corner = _Corner(problem, numbers)
    points = list(corner.stationary_points(-corner.border))
    if not points:  # on the borderline between a face and an edge
        points = list(corner.stationary_points(corner.border))
    stationary = [corner.outcome(problem, eps, *point) for point in points]
    distance = [result.notes["distance"] for result in stationary]
    near = min(distance) + BORDER * corner.speed
    nearest = [result for result in stationary if result.notes["distance"] <= near]
    notes = {
        **nearest[0].notes,
        "admitted": corner.admits(corner.velocity),
        "nearest": [result.notes["kind"] for result in nearest],
    }
    return replace(nearest[0], notes=notes, unique_velocity=len(stationary) == 1, solutions=tuple(stationary))


class _Point(NamedTuple):
    """A stationary point."""

    kind: str
    velocity: np.ndarray  # v in the coordinates of the corner (n,)
    impulse: np.ndarray  # of v - u- (m,)
    unique: bool  # no other impulses do the same


class _Corner:
    """Velocities and contacts in coordinates in which the kinetic energy is half of the length squared."""

    def __init__(self, problem: ContactProblem, faces: list[int]) -> None:
        self.faces = faces
        self.further = [i for i in range(problem.directions.shape[1]) if i not in faces]
        self.factor, directions, self.lengths = problem.in_kinetic_metric()
        self.normals = directions / self.lengths
        self.velocity = self.factor.T @ problem.velocity
        self.speed = float(np.linalg.norm(self.velocity))
        self.border = BORDER * self.speed

    def admits(self, velocity: np.ndarray) -> bool:
        """Whether a velocity (n,) opens a face and closes no further contact."""
        rates = self.normals.T @ velocity
        return bool(
            rates[self.faces].max() >= -self.border and rates[self.further].min(initial=0.0) >= -self.border
        )

    def stationary_points(self, below: float) -> Iterator[_Point]:
        """First the one without an impact at the corner, then those of many faces, then those of one.

        The gaps of other faces must close faster than ``below``.
        """
        free = self._point([])
        alone = free is not None and self.admits(free.velocity)
        if free is not None and alone:
            yield free
        for size in range(len(self.faces), 0, -1):
            for chosen in combinations(self.faces, size):
                point = self._point(list(chosen))
                if point is None:
                    continue
                others = np.setdiff1d(self.faces, chosen)
                if np.any(self.normals[:, others].T @ point.velocity >= below):
                    continue
                if (
                    alone
                    and free is not None
                    and np.linalg.norm(point.velocity - free.velocity) <= self.border
                ):
                    continue  # the faces are touched and do not push
                yield point

    def _point(self, chosen: list[int]) -> _Point | None:
        """The stationary point at which the gaps of the chosen faces stay as they are, if it is one."""
        m = self.normals.shape[1]
        faces, beside = self.normals[:, chosen], self.normals[:, self.further]
        along = np.eye(len(self.velocity)) - faces @ np.linalg.pinv(faces, rcond=RANK)
        stayed, slopes = along @ self.velocity, along @ beside
        lengths = np.linalg.norm(slopes, axis=0)
        bound = lengths > RANK
        if bound.any():
            units = slopes[:, bound] / lengths[bound]
            stayed = stayed + units @ nonnegative_least_squares(units, -stayed)
        removed = self.velocity - stayed
        closed = self.normals[:, self.further].T @ stayed <= self.border
        pushing = [*chosen, *np.array(self.further, int)[closed]]
        impulse, unique = np.zeros(m), True
        if np.linalg.norm(removed) > self.border and pushing:
            normals = self.normals[:, pushing]
            nearest = normals @ nonnegative_least_squares(normals, -removed)
            if np.linalg.norm(nearest + removed) > self.border:
                return None
            impulse[pushing], _, unique = least_impulses(normals * self.lengths[pushing], -removed)
        elif chosen:
            return None
        return _Point(self._kind(chosen), stayed, impulse, unique)

    def _kind(self, chosen: list[int]) -> str:
        numbers = [self.faces.index(face) + 1 for face in chosen]
        if len(chosen) < 2:
            return f"face{numbers[0]}" if numbers else NO_IMPACT
        return "edge" if len(self.faces) == 2 else "edge" + "-".join(map(str, numbers))

    def outcome(
        self,
        problem: ContactProblem,
        eps: float,
        kind: str,
        stayed: np.ndarray,
        impulse: np.ndarray,
        unique: bool,
    ) -> ImpactResult:
        """The impact of a stationary point."""
        admitted = np.linalg.solve(self.factor.T, stayed) if impulse.any() else problem.velocity
        normal = problem.velocity - admitted
        velocity = admitted - eps * normal
        result = problem.outcome(velocity, (1.0 + eps) * impulse)
        return replace(
            result,
            kinematic=self.admits(self.factor.T @ velocity),
            unique_impulse=unique,
            notes={
                "kind": kind,
                "distance": float(np.linalg.norm(self.velocity - stayed)),
                "admitted_part": admitted,
                "normal_part": normal,
            },
        )
