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
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

import numpy as np

from mcrock.laws.complementarity import RANK, least_impulses
from mcrock.laws.least_squares import nonnegative_least_squares
from mcrock.laws.problem import ContactProblem, ImpactResult, coefficient

MOST_FACES = 12  # all sets of faces are tried
BORDER = 1e-10  # of the speed: rates of a gap and impulses below it count as 0 [1]
NO_IMPACT = "none"


def reentrant_corner(problem: ContactProblem, *, restitution: float) -> ImpactResult:
    """All impacts at a re-entrant corner, whose faces are the contacts of ``problem``.

    No energy is gained, and every outcome is admissible to at least one face.

    Parameters
    ----------
    problem : ContactProblem
        The system; each contact is a face of the obstacle, drift must be 0, and friction is ignored.
    restitution : float
        eps, 0 to 1 [1].

    Returns
    -------
    ImpactResult
        The impact nearest to u-, the first of equally near ones. ``solutions`` has all: no impact if K admits
        u-, then those of several faces, then those of one. Each has the notes ``kind`` ("none", "face1",
        "edge", in full "edge1-3" where there are more than two faces) and ``distance`` of its stationary
        point from u- [kg^1/2 m/s].
        The one returned also has ``admitted``, whether u- is in K, and ``nearest``, the kinds at the least
        distance. ``kinematic`` is true if one face admits it.

    Raises
    ------
    ValueError
        If the coefficient is outside its domain, there is only one face or more than twelve, or a face moves.

    Examples
    --------
    A particle meets the tip of a right-angled wedge head on.

    >>> import numpy as np
    >>> result = reentrant_corner(ContactProblem(np.eye(2), -np.eye(2), [1.0, 1.0]), restitution=0.5)
    >>> [str(solution.notes["kind"]) for solution in result.solutions]
    ['edge', 'face1', 'face2']
    """
    eps = coefficient("restitution", restitution, 0.0, 1.0)
    faces = problem.directions.shape[1]
    if not 2 <= faces <= MOST_FACES:
        raise ValueError(f"a corner needs 2 to {MOST_FACES} faces, got {faces}")
    if np.any(problem.drift):
        raise ValueError("the faces of a corner must not move: drift must be 0")
    corner = _Corner(problem)
    admitted = bool(corner.approach.max() >= -corner.border)
    points = list(corner.stationary_points(-corner.border))
    if not (points or admitted):  # on the borderline between a face and an edge
        points = list(corner.stationary_points(corner.border))
    if admitted:
        points.insert(0, (NO_IMPACT, problem.velocity, np.zeros(faces), True))
    stationary = [corner.outcome(problem, eps, *point) for point in points]
    distance = [result.notes["distance"] for result in stationary]
    near = min(distance) + BORDER * corner.speed
    nearest = [result for result in stationary if result.notes["distance"] <= near]
    notes = {
        **nearest[0].notes,
        "admitted": admitted,
        "nearest": [result.notes["kind"] for result in nearest],
    }
    return replace(nearest[0], notes=notes, unique_velocity=len(stationary) == 1, solutions=tuple(stationary))


class _Corner:
    """Velocities and faces in coordinates in which the kinetic energy is half of the length squared."""

    def __init__(self, problem: ContactProblem) -> None:
        self.factor = np.linalg.cholesky(problem.mass)
        faces = np.linalg.solve(self.factor, problem.directions)
        self.lengths = np.linalg.norm(faces, axis=0)
        self.normals = faces / self.lengths
        self.velocity = self.factor.T @ problem.velocity
        self.speed = float(np.linalg.norm(self.velocity))
        self.border = BORDER * self.speed
        self.approach = self.normals.T @ self.velocity

    def stationary_points(self, below: float) -> Iterator[tuple[str, np.ndarray, np.ndarray, bool]]:
        """Kind, v (n,), the impulses of u- - v (m,) and whether no others are; those of many faces first.

        The gaps of other faces must close faster than ``below``.
        """
        m = self.normals.shape[1]
        for size in range(m, 0, -1):
            for chosen in combinations(range(m), size):
                point = self._point(list(chosen), below)
                if point is not None:
                    yield _kind(chosen, m), *point

    def _point(self, chosen: list[int], below: float) -> tuple[np.ndarray, np.ndarray, bool] | None:
        """The stationary point at which the gaps of the chosen faces stay as they are, if it is one."""
        unique = True
        others = np.setdiff1d(np.arange(self.normals.shape[1]), chosen)
        normals = self.normals[:, chosen]
        if len(chosen) == 1:
            if self.approach[chosen[0]] >= -self.border:
                return None
            weights = -self.approach[chosen]
        else:
            removed = np.linalg.lstsq(normals.T, self.approach[chosen], rcond=RANK)[0]
            nearest = normals @ nonnegative_least_squares(normals, -removed)
            if np.linalg.norm(nearest + removed) > self.border:
                return None
            lengths = self.lengths[chosen]
            impulse, _, unique = least_impulses(normals * lengths, -removed)
            weights = impulse * lengths
        stayed = self.velocity + normals @ weights
        if np.any(self.normals[:, others].T @ stayed >= below):
            return None
        impulses = np.zeros(self.normals.shape[1])
        impulses[chosen] = weights / self.lengths[chosen]
        return np.linalg.solve(self.factor.T, stayed), impulses, unique

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
        removed = self.factor.T @ (problem.velocity - stayed)
        velocity = stayed - eps * (problem.velocity - stayed)
        result = problem.outcome(velocity, (1.0 + eps) * impulse)
        after = self.normals.T @ (self.factor.T @ velocity)
        return replace(
            result,
            kinematic=bool(after.max() >= -self.border),
            unique_impulse=unique,
            notes={"kind": kind, "distance": float(np.linalg.norm(removed))},
        )


def _kind(chosen: tuple[int, ...], faces: int) -> str:
    if len(chosen) == 1:
        return f"face{chosen[0] + 1}"
    return "edge" if faces == 2 else "edge" + "-".join(str(face + 1) for face in chosen)
