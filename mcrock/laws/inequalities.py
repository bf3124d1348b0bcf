"""Laws of several contacts: as inequalities, at re-entrant corners, and as a sequence of single collisions.

Newton's, Fremond's, Poisson's and Moreau's laws ask of each contact that one of two quantities is 0 and the
other not below it; each function has its source.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, NamedTuple, TypedDict, Unpack

import numpy as np
from scipy.linalg import cho_solve

from mcrock.base.checks import shared_keywords
from mcrock.base.random_numbers import uniforms
from mcrock.laws.complementarity import (
    RANK,
    Impulses,
    frictional_impulses,
    has_friction,
    ill_conditioned,
    law_with_friction,
    least_impulses,
    nonnegative_least_squares,
    refuse_friction,
    rounding_of_rates,
    unilateral_impulses,
    within_cone,
)
from mcrock.laws.impulse_space import chatterjee_ruina
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


def newton(problem: ContactProblem, *, restitution: float | Sequence[float]) -> ImpactResult:
    """Impact with a ratio of velocities for each contact.

    Newton's law for many contacts, as inequalities: a contact that is hit rebounds, one that is not may
    leave.

    Glocker, C. (2001). On frictionless impact models in rigid-body systems. Philosophical Transactions of the
    Royal Society A 359, 2385-2404, equation (3.2). For each contact

        0 <= gamma+ + eps gamma-   and   0 <= L,   one of them 0

    With friction as Brogliato, Zhang and Liu (2012) have it in remark 6: Coulomb's law for the impulses, with
    the slip after the impact (`mcrock.laws.complementarity`). Of one contact it is the law of Whittaker.

    No energy is gained where no contact separates before the impact, equation (3.5). A contact that separates
    may end up approaching, and energy may be gained: ``kinematic`` and ``energetic`` tell. It is for the
    caller to leave such contacts out. With friction and eps > 0 energy may be gained in any case.

    Parameters
    ----------
    problem : ContactProblem
        The system; friction needs its tangents.
    restitution : float or sequence of float (m,)
        eps of all contacts or of each, 0 to 1 [1].

    Returns
    -------
    ImpactResult
        Where contacts depend on each other the impulses are those of least norm, and ``unique_impulse`` is
        false. With friction the note ``tangential_impulse`` (m, k) [N s]; of several solutions the one with
        the least sum of normal impulses, and all that were found in ``solutions``. In space, or with more
        than five contacts, others are not sought: ``unique_velocity`` is true only where friction is low
        enough to exclude them.

    Raises
    ------
    ValueError
        If a coefficient is outside its domain, dependent contacts ask for different velocities, or
        friction is given without tangents.
    ArithmeticError
        If the problem is so ill-conditioned that the impulses are lost in rounding, or no solution with
        friction is found: there is none where friction jams a contact that is to rebound.

    Examples
    --------
    The first of three balls in a row hits the others, which touch.

    >>> import numpy as np
    >>> gaps = np.array([[-1.0, 0.0], [1.0, -1.0], [0.0, 1.0]])
    >>> newton(ContactProblem(np.eye(3), gaps, [1.0, 0.0, 0.0]), restitution=1.0).velocity.round(12)
    array([-0.33333333,  0.66666667,  0.66666667])
    """
    eps = coefficients("restitution", restitution, problem.directions.shape[1], 0.0, 1.0)
    if has_friction(problem):
        return law_with_friction(problem, (1.0 + eps) * problem.normal_velocity, problem.slip)
    rates = (1.0 + eps) * problem.normal_velocity
    found = _impulses(
        problem, rates, f"Newton's law has no solution: {DEPENDENT}; give them the same restitution"
    )
    return problem.outcome(problem.velocity + found.change, found.impulse, unique_impulse=found.unique)


def fremond(problem: ContactProblem, *, restitution: np.ndarray) -> ImpactResult:
    """Impact with a matrix of coefficients, which need not be symmetric.

    Newton's law with coefficients between contacts: what one approaches with may come back at another.

    Fremond, M. (1995). Rigid bodies collisions. Physics Letters A 204, 33-41; in the form of Glocker (2001),
    Philosophical Transactions of the Royal Society A 359, equation (3.9). For each contact

        0 <= gamma+_i + sum_j eps_ij gamma-_j   and   0 <= L_i,   one of them 0

    Energy may be gained and contacts may penetrate: ``energetic`` and ``kinematic`` tell. The matrix changes
    the velocities required, not the Delassus matrix, so that the problem is as convex as those of the other
    laws and the velocity is unique.

    Parameters
    ----------
    problem : ContactProblem
        The system, without friction.
    restitution : ndarray (m, m)
        eps_ij [1]; a diagonal matrix gives Newton's law.

    Returns
    -------
    ImpactResult
        Where contacts depend on each other the impulses are those of least norm, and ``unique_impulse`` is
        false.

    Raises
    ------
    ValueError
        If the matrix is of another size or not finite, dependent contacts require different velocities, or a
        contact has friction, for which the source has no rule.
    ArithmeticError
        If the problem is so ill-conditioned that the impulses are lost in rounding.

    Examples
    --------
    Newton's cradle: the last of four balls leaves with the speed of the first.

    >>> import numpy as np
    >>> gaps = np.diff(np.eye(4), axis=0).T
    >>> cradle = ContactProblem(np.eye(4), gaps, [1.0, 0.0, 0.0, 0.0])
    >>> matrix = [[0, 0, 0], [0, 0, 0], [1, 0, 0]]
    >>> np.abs(fremond(cradle, restitution=matrix).velocity.round(12))
    array([0., 0., 0., 1.])
    """
    refuse_friction(problem, "Fremond's law")
    m = problem.directions.shape[1]
    matrix = finite_array("restitution", restitution, (m, m))
    approach = problem.normal_velocity
    found = _impulses(problem, approach + matrix @ approach, f"Fremond's law has no solution: {DEPENDENT}")
    return problem.outcome(problem.velocity + found.change, found.impulse, unique_impulse=found.unique)


DEPENDENT = "contacts that depend on each other ask for different velocities"
MOVING = "the obstacles move so that no velocity is admitted"
MISSED = 5e-9  # of the rates after the impact by its velocity, over the largest scaled rate [1]
EXPANDED = 1e-15  # rounding of a rate that impulses change, over the sum of what each of them changes [1]


def poisson(problem: ContactProblem, *, restitution: float | Sequence[float]) -> ImpactResult:
    """Impact with a ratio of impulses for each contact.

    Poisson's law for many contacts, as inequalities: compression, then an impulse in proportion to it.

    Glocker, C., Pfeiffer, F. (1995). Multiple impacts with friction in rigid multibody systems. Nonlinear
    Dynamics 7, 471-497; without friction in Glocker (2001), Philosophical Transactions of the Royal Society A
    359, equations (3.3) and (3.4). For each contact

        0 <= gamma_c   and   0 <= Lc,             one of them 0   (compression)
        0 <= gamma+    and   0 <= Ld - eps Lc,    one of them 0   (expansion)

    Glocker warns that energy may grow where coefficients differ. That is so of the equality Ld = eps Lc; the
    inequalities never gain any: Ld minimises 1/2 Ld . D Ld + gamma_c . Ld over Ld >= eps Lc, and Lc itself is
    among those, hence T+ - T_c <= 1/2 Lc . D Lc = T- - T_c.

    With friction both phases obey Coulomb's law with the slips at their ends (`mcrock.laws.complementarity`),
    without tangential restitution, which `two_phase` has for one contact in the plane. With one eps for all
    contacts no energy is gained, as eps times the impulses of the compression are within the bounds of the
    expansion; with several it may be.

    Parameters
    ----------
    problem : ContactProblem
        The system; friction needs its tangents.
    restitution : float or sequence of float (m,)
        eps of all contacts or of each, 0 to 1 [1].

    Returns
    -------
    ImpactResult
        With the notes ``compression`` and ``expansion``, the impulses of both phases (m,) [N s]. Where
        contacts depend on each other the compression impulses are those of least norm; where others could
        have led to another velocity, ``unique_velocity`` is false. With friction also ``tangential_impulse``
        (m, k) of both phases together [N s] and ``n_solutions``, how many velocities were found for the end
        of each phase, of which the one with the least sum of normal impulses is taken. In space, or with
        more than four contacts, others are not sought: ``unique_velocity`` is true only where friction is
        low enough to exclude them.

    Raises
    ------
    ValueError
        If a coefficient is outside its domain, obstacles move such that no velocity is admissible, or
        friction is given without tangents.
    ArithmeticError
        If the problem is so ill-conditioned that the impulses are lost in rounding.

    Examples
    --------
    >>> import numpy as np
    >>> gaps = np.array([[-1.0, 0.0], [1.0, -1.0], [0.0, 1.0]])
    >>> problem = ContactProblem(np.eye(3), gaps, [1.0, 0.0, -0.5])
    >>> poisson(problem, restitution=[0.8, 0.3]).velocity.round(12)
    array([-0.5,  0.5,  0.5])
    """
    eps = coefficients("restitution", restitution, problem.directions.shape[1], 0.0, 1.0)
    if has_friction(problem):
        return _with_friction(problem, eps)
    nothing = f"Poisson's law has no solution: {MOVING}"
    compression = _impulses(problem, problem.normal_velocity, nothing)
    least = eps * compression.impulse
    # the coefficient of half of all that pushes gives back the change itself: impulses between light bodies,
    # or of a mass nearly singular, all but cancel, and those of the others are known to their rounding
    order, lengths = np.argsort(eps), problem.in_kinetic_metric()[2]
    pushes = np.cumsum((compression.impulse * lengths)[order])
    common = float(eps[order][np.searchsorted(pushes, 0.5 * pushes[-1])])
    uneven = (eps - common) * compression.impulse
    moved = cho_solve((np.linalg.cholesky(problem.mass), True), problem.directions)
    back = common * compression.change + moved @ uneven
    # of several contacts in a plane all may come to rest: what cancels leaves its rounding
    rounding = EXPANDED * np.abs(problem.directions.T @ moved) @ np.abs(uneven)
    expansion = _impulses(problem, compression.rates + problem.directions.T @ back, nothing, rounding)
    velocity = problem.velocity + compression.change + back + expansion.change
    missed = problem.directions.T @ velocity + problem.drift - expansion.rates
    size = max(
        np.abs(rates / lengths).max() for rates in (problem.normal_velocity, problem.directions.T @ back)
    )
    if np.any(np.abs(missed) > MISSED * size * lengths + rounding_of_rates(problem)):
        raise ill_conditioned(len(eps))
    exchanged = problem.directions @ (eps[:, None] * compression.exchange)
    indifferent = np.abs(exchanged).max(initial=0.0) <= TOLERANCE * np.abs(problem.directions).max()
    return problem.outcome(
        velocity,
        compression.impulse + least + expansion.impulse,
        unique_velocity=compression.unique or bool(indifferent),
        unique_impulse=compression.unique and expansion.unique,
        notes={"compression": compression.impulse, "expansion": least + expansion.impulse},
    )


def _with_friction(problem: ContactProblem, eps: np.ndarray) -> ImpactResult:
    """Both phases with friction against the slip at their ends."""
    compressions, first = frictional_impulses(problem, problem.normal_velocity, problem.slip)
    compression = compressions[0]
    least = eps * compression.normal
    expansions, second = frictional_impulses(problem, compression.rates, compression.slips, least)
    expansion = expansions[0]
    more = np.maximum(expansion.normal, least)  # but for the rounding of its scale
    normal, tangential = compression.normal + more, compression.tangential + expansion.tangential
    return problem.outcome(
        problem.velocity + compression.change + expansion.change,
        normal,
        friction=within_cone(problem, normal, tangential),
        unique_velocity=first and second and (compression.unique or not eps.any()),
        unique_impulse=first and second and compression.unique and expansion.unique,
        notes={
            "compression": compression.normal,
            "expansion": more,
            "tangential_impulse": tangential,
            "n_solutions": (len(compressions), len(expansions)),
        },
    )


def _impulses(
    problem: ContactProblem, rates: np.ndarray, otherwise: str, rounding: np.ndarray | float = 0.0
) -> Impulses:
    """Impulses without friction; a ValueError with the words given where there are none."""
    found = unilateral_impulses(problem, rates, rounding)
    if found is None:
        raise ValueError(otherwise)
    return found


def moreau(problem: ContactProblem, *, restitution: float) -> ImpactResult:
    """Impact with one coefficient for the system, its dissipation index.

    Impact as a projection: the part of the velocity that the contacts do not admit is reversed.

    Moreau, J. J. (1988). Unilateral contact and dry friction in finite freedom dynamics. In: Nonsmooth
    Mechanics and Applications, CISM Courses and Lectures 302, Springer, 1-82. In the form of Glocker (2005),
    The geometry of Newtonian impacts, equations (10) to (15): v is the admissible velocity nearest to u- in
    the kinetic metric, and

        u+ = v - eps (u- - v) = (1 + eps) prox(u-) - eps u-

    With friction v and its impulses obey Coulomb's law (`mcrock.laws.complementarity`), and the same is done
    to them, as Moreau has it: friction opposes the mean of the slips after and before, (s+ + eps s-)/(1 +
    eps), so that a contact which sticks in the mean gives back eps of its slip. The energy falls by the
    friction on that mean and by (1 - eps)/(1 + eps) of the energy of the change of velocity.

    No energy is gained where the obstacles are at rest. A contact that already separates, or just touches,
    can end up approaching; ``kinematic`` tells.

    Parameters
    ----------
    problem : ContactProblem
        The system; friction needs its tangents.
    restitution : float
        eps, 0 to 1 [1].

    Returns
    -------
    ImpactResult
        Without friction the notes ``admitted_part`` and ``normal_part`` are v and v_perp (n,) of the
        splitting (10), u- = v + v_perp. Where contacts depend on each other the impulses are those of least
        norm, and ``unique_impulse`` is false. With friction the note ``tangential_impulse`` (m, k) [N s]; of
        several solutions the one with the least sum of normal impulses, and all that were found in
        ``solutions``. In space, or with more than five contacts, others are not sought: ``unique_velocity``
        is true only where friction is low enough to exclude them.

    Raises
    ------
    ValueError
        If the coefficient is outside its domain, obstacles move such that no velocity is admissible, or
        friction is given without tangents.
    ArithmeticError
        If the problem is so ill-conditioned that the impulses are lost in rounding.

    Examples
    --------
    A ball falls into a right-angled corner.

    >>> import numpy as np
    >>> moreau(ContactProblem(np.eye(2), np.eye(2), [-1.0, -2.0]), restitution=0.5).velocity
    array([0.5, 1. ])
    """
    eps = coefficient("restitution", restitution, 0.0, 1.0)
    if has_friction(problem):
        return law_with_friction(problem, problem.normal_velocity, problem.slip, 1.0 + eps)
    found = _impulses(problem, problem.normal_velocity, f"Moreau's law has no solution: {MOVING}")
    return problem.outcome(
        problem.velocity + (1.0 + eps) * found.change,
        (1.0 + eps) * found.impulse,
        unique_impulse=found.unique,
        notes={"admitted_part": problem.velocity + found.change, "normal_part": -found.change},
    )


MOST_FACES = 12  # all sets of faces are tried
BORDER = 1e-10  # of the speed: rates of a gap and impulses below it count as 0 [1]
NO_IMPACT = "none"


def reentrant_corner(
    problem: ContactProblem, *, restitution: float, faces: Sequence[int] | None = None
) -> ImpactResult:
    """All impacts at a re-entrant corner, whose faces are contacts of ``problem``.

    Impact at a re-entrant corner, where it is enough that one of several gaps does not close.

    Glocker, C. (2005). The geometry of Newtonian impacts. In: G. Rega, F. Vestroni (eds.), IUTAM Symposium on
    Chaotic Dynamics and Control of Systems and Processes in Mechanics, Springer. Where two blocks meet corner
    to corner, or a particle meets the tip of a wedge, the admitted velocities are

        K = {u : w_1 . u >= 0 or w_2 . u >= 0 ...}

    which is not convex. Equation (17) asks for the stationary points v of the distance to u- in K and then
    reverses the rest as Moreau (1988) does, u+ = v - eps (u- - v). There can be several, each one a possible
    impact: along a face, or stopped by an edge, where faces meet.

    Of a u- that K admits nothing needs to happen, and v = u- is a solution. Yet (17) has others as well where
    u- leaves by one face and still presses on the faces together, as a sharp wedge allows: u- lies in the
    cone of the normals. They are listed behind the one without impact, which is the nearest.

    Further contacts c, all of which must stay closed or open, may be there too, such as the ground that a
    block stands on: K is then the union of the faces cut by c_1 . u >= 0, c_2 . u >= 0 ... At a v at which
    the gaps of some faces F and contacts C stay as they are and no other face opens, the normals that (17)
    admits are the cone of those of F and C together.

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


@shared_keywords(Ties)
def sequential(
    problem: ContactProblem,
    *,
    restitution: float | Sequence[float],
    tangential_restitution: float | Sequence[float] = 0.0,
    hinges: Sequence[Any] = (),
    **ties: Unpack[TieKeywords],
) -> ImpactResult:
    """Impact as a sequence of collisions by the law of Chatterjee and Ruina.

    Many contacts as a sequence of single collisions, the fastest approach first.

    Chatterjee, A., Ruina, A. (1998). A new algebraic rigid-body collision law based on impulse space
    considerations. Journal of Applied Mechanics 65, 939-951, section 6.4, after Ivanov (1995) and Baraff
    (1989). The relative velocities U of all contacts and the impulses G obey W G = U+ - U-, equation (15).
    The contact that approaches fastest collides as if it were alone and all velocities follow; this is
    repeated until none approaches. Below e = 1 the sequence converges, though it may be infinite (three equal
    balls, e = 0); with e = 1 it need not. It is cut off where what approaches is rounding, or after ``limit``
    collisions, which is told.

    A hinge may take part as one more place of collision (section 6.5): it opens while other contacts collide,
    at the speed of its relative velocity, whatever its direction, and closes by the impulse of a plastic,
    sticking collision, which needs no parameter and may pull. The mechanism is then a set of bodies; with its
    hinges in the coordinates of the system instead, it collides as a whole, and the outcome differs.

    Contacts that approach equally fast are a matter of choice, in the paper and here: the first in
    ``priority`` collides, or one at random (Ivanov 1995), so that what the experiment leaves open stays open.
    Where such a choice was made the sequence is run with a priority and its opposite, and all outcomes are
    given that differ.

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
    after = problem.velocity + np.linalg.solve(problem.mass, columns @ collisions.impulse)
    slack = TOLERANCE * np.abs(collisions.impulse).max(initial=0.0)
    within = within_cone(problem, impulse[:, 0], impulse[:, 1:])
    ends = np.cumsum(widths)[:-1]
    notes = {
        "sequence": collisions.order,
        "truncated": collisions.truncated,
        "ties": collisions.ties,
        "tangential_impulse": impulse[:, 1:],
        "hinge_impulses": np.split(collisions.impulse[m * size :], ends) if widths else [],
    }
    outcome = problem.outcome(after, impulse[:, 0].copy(), friction=within, notes=notes)
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


@shared_keywords(Ties)
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
