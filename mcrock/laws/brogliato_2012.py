"""Generalized kinematic law, and what it says of a planar rocking block.

Brogliato, B., Zhang, H., Liu, C. (2012). Analysis of a generalized kinematic impact law for
multibody-multicontact systems, with application to the planar rocking block and chains of balls. Multibody
System Dynamics 27, 351-382. Equation numbers are those of the paper; where its text is wrong the corrected
form is used and the comment says so.

With D = W^T M^-1 W the velocity u is seen along n_i = M^-1 w_i/sqrt(D_ii), the unit normals of the contacts
in the kinetic metric, and along t_j, an orthonormal basis of what moves no contact:

    q_norm = n^T M u = (rate of gap i)/sqrt(D_ii),    q_tan = t^T M u,    u = n A^-1 q_norm + t q_tan

with A = n^T M n. The law is q_norm+ = -E_n q_norm-, q_tan+ = -E_tan q_tan-, (12) and (14). It enforces none
of the three checks of an impact: coefficients that let a contact pull or the energy grow are taken as given.

**The block** of height l and width L turns about its left corner A (contact 2) and lands with the right one,
B (contact 1). Coefficients: e_n1 of the corner that lands, e_n21 of what the landing does to the corner that
leaves, e_t3 of the horizontal velocity of the centre of mass (COM). The paper's own r is -e_n21; the velocity
ratio of `mcrock.planar` is +e_n21. Conditions are written with the aspect a = l/L and k = 4 I/(m L^2), which
is (1 + a^2)/3 for a homogeneous block: any block with its COM above the middle of the base is covered.

Its impact by given coefficients (`block_impact`), (15), (28), (48): they give the vertical velocities of both
corners and so the sum N of the normal impulses; the horizontal impulse moves impulse from corner to corner,

    p_1 + p_2 = N = (m L/2)(1 + e_n1 + e_n21) |rate|
    p_1 - p_2 = (2 I/L)(1 + e_n1 - e_n21) |rate| - (l/L) p_t

Both corners have the same horizontal velocity, so only the sum p_t of their horizontal impulses is known.
Coulomb's law holds for this sum, and its solution is unique, since N does not depend on p_t.

Its admissible coefficients (sections 3 to 5, Figs. 2 to 5, Table 1): with s = 1 for slip to the right after
the impact, -1 to the left, 0 without friction, neither corner pulls if

    |k (1 + e_n1 - e_n21) + s mu a (1 + e_n1 + e_n21)| <= 1 + e_n1 + e_n21                            (*)

A domain is an interval (low, high), or None where it is empty.
"""

from __future__ import annotations

from math import acos, inf, isfinite, pi, sqrt
from typing import Any, NamedTuple, TypeVar

import numpy as np
from scipy.linalg import eigh, null_space

from mcrock.base.checks import Number
from mcrock.laws.problem import TOLERANCE, ContactProblem, ImpactResult, coefficient, finite_array, inverse_of
from mcrock.planar.block import PlanarBlock
from mcrock.planar.restitution import admissible_ratios, housner_1963

INDEPENDENT = 1e-12  # smallest eigenvalue of A over its largest at which contacts count as independent [1]


class KineticFrame(NamedTuple):
    """Normals and tangents of the contacts of a system in the kinetic metric."""

    normals: np.ndarray  # n (n, m), unit vectors, along which the contacts push
    metric: np.ndarray  # A = n^T M n (m, m), ones on the diagonal
    tangents: np.ndarray  # t (n, n - m), orthonormal, orthogonal to all normals
    scale: np.ndarray  # sqrt(D_ii) (m,), rate of gap i over normal velocity i


class PostImpactEllipsoid(NamedTuple):
    """Rates of the gaps after an impact that are reached with a given energy: g . shape g = level."""

    shape: np.ndarray  # D^-1 (m, m) [kg] for gaps in metres
    level: float  # twice the kinetic energy in the normal directions [J]

    def value(self, rates: np.ndarray) -> float:
        """g . shape g over the level: below 1 energy is lost, above 1 it is gained [1]."""
        return float(rates @ self.shape @ rates) / self.level


def kinetic_frame(problem: ContactProblem) -> KineticFrame:
    """Normals, tangents and scale of a problem.

    Raises
    ------
    ValueError
        If the contacts are not independent, or the mass is so near to singular that they all but are not.
    """
    lower, scaled, scale = problem.in_kinetic_metric()
    unit = scaled / scale
    metric = unit.T @ unit
    n, m = unit.shape
    if m > n or eigh(metric, eigvals_only=True)[0] <= INDEPENDENT * m:
        plain = np.linalg.svd(
            problem.directions / np.linalg.norm(problem.directions, axis=0), compute_uv=False
        )
        if m <= n and plain[-1] ** 2 > INDEPENDENT * m:
            values = np.linalg.eigvalsh(problem.mass)
            raise ValueError(
                f"the mass is nearly singular, its eigenvalues {values[0]:.3g} to {values[-1]:.3g}: with it "
                f"the {m} contacts, whose directions are independent, depend on each other but for rounding; "
                "leave out bodies that are light next to their neighbours, or coordinates of one inertia"
            )
        raise ValueError(
            f"the generalized kinematic law needs independent contacts; the {m} directions of this problem "
            f"of {n} coordinates depend on each other (leave out those that follow from the others)"
        )
    basis = np.linalg.qr(unit, mode="complete").Q
    normals, tangents = np.linalg.solve(lower.T, unit), np.linalg.solve(lower.T, basis[:, m:])
    return KineticFrame(normals, metric, tangents, scale)


def kinetic_angles(problem: ContactProblem) -> np.ndarray:
    """Kinetic angles (9) between the boundaries that the contacts put on the motion (m, m) [rad].

    theta_ij = pi - arccos(D_ij/sqrt(D_ii D_jj)); pi/2 where contacts do not disturb each other, and pi on
    the diagonal and between contacts that are the same. Contacts may depend on each other.
    """
    delassus = problem.delassus
    scale = np.sqrt(np.diag(delassus))
    cosine = np.clip(delassus / np.outer(scale, scale), -1.0, 1.0)
    np.fill_diagonal(cosine, 1.0)
    return np.pi - np.arccos(cosine)


def energy_margin(problem: ContactProblem, normal: np.ndarray) -> float:
    """Largest growth of the normal kinetic energy over all velocities before an impact [1].

    The square of || A^-1/2 E_n A^1/2 ||_2: no velocity gains energy if and only if it is at most 1. The
    paper's Proposition 1 (eigenvalues of a symmetric E_n within -1 and 1) is not sufficient; it is where E_n
    commutes with A. The velocity of the problem is not read.

    Parameters
    ----------
    problem : ContactProblem
        With m independent contacts.
    normal : ndarray (m, m)
        E_n [1].

    Raises
    ------
    ValueError
        If the contacts depend on each other, or E_n is no (m, m) matrix of numbers.
    """
    return float(_growth(problem, normal)[0][-1])


def worst_velocity(problem: ContactProblem, normal: np.ndarray) -> np.ndarray:
    """A velocity before an impact (n,) that reaches the growth of `energy_margin`, of unit energy norm."""
    _, vectors = _growth(problem, normal)
    frame = kinetic_frame(problem)
    velocity = frame.normals @ np.linalg.solve(frame.metric, vectors[:, -1])
    return velocity / np.sqrt(velocity @ problem.mass @ velocity)


def _growth(problem: ContactProblem, normal: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues and vectors q of E^T A^-1 E q = growth A^-1 q."""
    metric = kinetic_frame(problem).metric
    matrix = finite_array("normal", normal, (len(metric),) * 2)
    inverse = inverse_of(metric)
    return eigh(matrix.T @ inverse @ matrix, inverse)


def generalized_kinematic(
    problem: ContactProblem,
    *,
    normal: np.ndarray,
    tangential: np.ndarray | float = -1.0,
    basis: np.ndarray | None = None,
) -> ImpactResult:
    """Impact by the generalized kinematic law (12), (14).

    Parameters
    ----------
    problem : ContactProblem
        With m independent contacts. Friction does not enter the law, but is checked where tangents are given.
    normal : ndarray (m, m)
        E_n [1], of the normalized velocities: the coefficient of the rates of the gaps themselves is
        E_n,ij sqrt(D_ii/D_jj), the same only where all D_ii are equal.
    tangential : float or ndarray (n - m, n - m)
        E_tan [1], a multiple of the identity or a matrix; -1, nothing changes, for contacts without
        friction.
    basis : ndarray (n, n - m), optional
        The directions t that a matrix ``tangential`` refers to: t^T M t = 1 and t^T W = 0.

    Returns
    -------
    ImpactResult
        Impulses of the contacts (m,) [N s]. Where ``tangential`` is not -1 and the problem has tangents, the
        change of momentum is split between normals and tangents, by least squares of the impulses where that
        is not unique. Notes: ``normal_before``, ``normal_after``, ``tangential_before``,
        ``tangential_after`` [J^1/2], ``momentum``, the generalized impulse M (u+ - u-), ``tangential``,
        the impulses along the tangents (m, k) [N s], and ``unexplained``, the fraction of the momentum that
        no impulse at the contacts can give [1].

    Raises
    ------
    ValueError
        If the contacts depend on each other, a coefficient has the wrong shape, or a matrix ``tangential`` is
        given without a basis.

    Examples
    --------
    Newton's cradle: three equal balls, and all of the velocity goes to the last contact.

    >>> directions = [[-1.0, 0.0], [1.0, -1.0], [0.0, 1.0]]
    >>> cradle = ContactProblem(np.eye(3), directions, [1.0, 0.0, 0.0])
    >>> impact = generalized_kinematic(cradle, normal=[[0.0, 0.0], [1.0, 0.0]])
    >>> impact.velocity.round(12) + 0.0, impact.consistent
    (array([0., 0., 1.]), True)
    """
    frame = kinetic_frame(problem)
    coefficients = finite_array("normal", normal, (len(frame.metric),) * 2)
    factor, tangents = _tangential(problem, frame, tangential, basis)
    before = problem.normal_velocity / frame.scale
    after = -coefficients @ before
    slip_before = tangents.T @ problem.mass @ problem.velocity
    slip_after = -factor @ slip_before
    jump = np.linalg.solve(frame.metric, after - before)
    change = frame.normals @ jump + tangents @ (slip_after - slip_before)
    momentum = problem.mass @ change
    notes = {
        "normal_before": before,
        "normal_after": after,
        "tangential_before": slip_before,
        "tangential_after": slip_after,
        "momentum": momentum,
    }
    impulse = jump / frame.scale
    known: dict[str, Any] = {}
    more: dict[str, Any] = {"unexplained": 0.0}
    if not np.array_equal(slip_after, slip_before):
        impulse, known, more = _impulses(problem, momentum, impulse)
    elif problem.tangents is not None:
        more["tangential"] = np.zeros(problem.tangents.shape[1:])
    notes |= more
    return problem.outcome(problem.velocity + change, impulse, notes=notes, **known)


def coefficients_of(
    problem: ContactProblem, velocity: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Coefficients of the law that leads to a given velocity after the impact.

    One impact does not determine the matrices: any part that the velocity before does not meet may be added.
    Those of least squares are returned. Where a single contact approaches, that is its column of E_n and
    zeros.

    Returns
    -------
    normal, tangential, basis : ndarray (m, m), (n - m, n - m), (n, n - m)
        E_n, E_tan [1] and the directions that E_tan refers to.

    Raises
    ------
    ValueError
        If the contacts depend on each other, or normal or tangential velocities come from nothing: a part
        that is zero before the impact stays zero in this law.
    """
    frame = kinetic_frame(problem)
    velocity = finite_array("velocity", velocity, problem.velocity.shape)
    rates = problem.directions.T @ velocity + problem.drift
    pairs = [
        (problem.normal_velocity / frame.scale, rates / frame.scale),
        tuple(frame.tangents.T @ problem.mass @ u for u in (problem.velocity, velocity)),
    ]
    size = np.sqrt(2.0 * problem.energy)
    matrices = []
    for (before, after), name in zip(pairs, ("normal", "tangential"), strict=True):
        square = float(before @ before)
        if square <= (TOLERANCE * size) ** 2:
            if np.linalg.norm(after) > TOLERANCE * size:
                raise ValueError(
                    f"no coefficients lead to this velocity: its {name} part is zero before the impact, so "
                    f"it stays zero, but it must become {after}"
                )
            square = np.inf
        matrices.append(-np.outer(after, before) / square)
    return matrices[0], matrices[1], frame.tangents


def post_impact_ellipsoid(problem: ContactProblem) -> PostImpactEllipsoid:
    """Rates of the gaps after an impact without friction that loses no energy: an ellipsoid.

    All coefficients that lead into it are admissible for the energy, all that lead on to it lose none, so
    the energy does not determine the coefficients (sections 5 and 7). For chains of equal balls it replaces
    (60) and (61), which the paper prints without the coupling of neighbours.

    Raises
    ------
    ValueError
        If the contacts depend on each other, or none has a velocity.
    """
    kinetic_frame(problem)
    shape = inverse_of(problem.delassus)
    rates = problem.normal_velocity
    level = float(rates @ shape @ rates)
    if not level > 0.0:
        raise ValueError("no contact has a normal velocity, so there is no impact")
    return PostImpactEllipsoid(shape, level)


def _tangential(
    problem: ContactProblem, frame: KineticFrame, tangential: np.ndarray | float, basis: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """E_tan as a matrix, and the basis that it refers to."""
    n, m = problem.directions.shape
    factor = finite_array("tangential", tangential)
    if factor.ndim == 0 and basis is None:
        return float(factor) * np.eye(n - m), frame.tangents
    if basis is None:
        raise ValueError(
            "a matrix tangential depends on the directions it refers to: give them as basis, the columns of "
            f"a ({n}, {n - m}) matrix"
        )
    tangents = finite_array("basis", basis, (n, n - m))
    square = tangents.T @ problem.mass @ tangents
    crossed = tangents.T @ problem.directions / frame.scale
    if max(np.abs(square - np.eye(n - m)).max(initial=0.0), np.abs(crossed).max(initial=0.0)) > TOLERANCE:
        raise ValueError(
            "basis must be orthonormal in the kinetic metric, t^T M t = 1, and move no contact, t^T W = 0"
        )
    if factor.ndim == 0:
        return float(factor) * np.eye(n - m), tangents
    return finite_array("tangential", factor, (n - m,) * 2), tangents


def _impulses(
    problem: ContactProblem, momentum: np.ndarray, along_normals: np.ndarray
) -> tuple[np.ndarray, dict[str, Any], dict[str, Any]]:
    """Normal impulses of a change of momentum that has tangential parts, further fields and notes."""
    if problem.tangents is None:
        rest = momentum - problem.directions @ along_normals
        return along_normals, {}, {"unexplained": _share(rest, momentum)}
    n, m = problem.directions.shape
    frame = np.hstack([problem.directions, problem.tangents.reshape(n, -1)])
    impulse = np.linalg.lstsq(frame, momentum, rcond=None)[0]
    free = null_space(frame)
    normal, slip = impulse[:m], impulse[m:].reshape(m, -1)
    size = TOLERANCE * float(np.linalg.norm(impulse))
    length = np.linalg.norm(slip, axis=1)
    # an infinite coefficient times no impulse is no impulse
    bound = np.where(normal > 0.0, problem.friction, 0.0) * np.maximum(normal, np.finfo(float).tiny)
    known = {
        "friction": bool(np.all(length <= bound + size)),
        "unique_impulse": bool(np.abs(free[:m]).max(initial=0.0) <= TOLERANCE),
    }
    notes = {"tangential": slip, "unexplained": _share(frame @ impulse - momentum, momentum)}
    return normal, known, notes


def _share(part: np.ndarray, whole: np.ndarray) -> float:
    size = float(np.linalg.norm(whole))
    return float(np.linalg.norm(part)) / size if size > 0.0 else 0.0


Interval = tuple[float, float] | None
Values = TypeVar("Values", float, np.ndarray)

ROUNDING = 1e-12  # by which an empty interval may miss a single point [1]
SLIPS = {"right": 1.0, "left": -1.0}  # sign s of the horizontal velocity of the corners after the impact


class BlockCoefficients(NamedTuple):
    """Bounds of the coefficients of a block with friction, for slip to the right (+) and to the left (-)."""

    e_c1_plus: float  # e_n21 below which A would pull; e_n1 = 0 (31)
    e_c1_minus: float  # (33)
    e_c2_plus: float  # e_n21 up to which slip to the right before and after loses energy, under (35)
    e_c3_plus: float  # e_n1 up to which it does in half rocking, under (38)
    mu_c: float  # friction above which no coefficient is that small
    mu_half_rocking_max: float  # largest friction of half rocking with slip to the right (39)


class CriticalAspect(NamedTuple):
    """An aspect l/L of a homogeneous block at which the domains change, and its kinetic angle."""

    aspect: float  # [1]
    angle: float  # theta_12 [rad]


class RockingCase(NamedTuple):
    """A row of Table 1."""

    motion: str
    e_n1: Interval  # of the corner that lands
    e_n21: Interval  # of the corner that leaves
    r: Interval  # angular velocity after over before, with the sign changed
    critical_aspect: float  # l/L of a homogeneous block at which the domain begins to shrink, or ends [1]
    critical_angle: float  # its kinetic angle [rad]


def aspect_of(block: PlanarBlock) -> float:
    """Aspect a = l/L, twice the height of the COM over the width of the base [1].

    Raises
    ------
    ValueError
        If the COM is not above the middle of the base.
    """
    if abs(block.left - block.right) > ROUNDING * block.width:
        raise ValueError(
            "the domains of the coefficients hold for a centre of mass above the middle of the base; this "
            f"one is {block.left:g} m from the left edge and {block.right:g} m from the right one"
        )
    return 2.0 * block.com_height / block.width


def inertia_ratio(block: PlanarBlock) -> float:
    """k = 4 I/(m L^2), inertia about the COM over that of the mass at the edges; (1 + a^2)/3 if homogeneous.

    Raises
    ------
    ValueError
        As `aspect_of`.
    """
    aspect_of(block)
    return 4.0 * block.inertia / (block.mass * block.width**2)


def kinetic_angle(block: PlanarBlock) -> float:
    """Kinetic angle theta_12 between the two corners when both are on the ground, (10) [rad].

    From pi/3 (flat, homogeneous) to pi (slender); at pi/2, l = sqrt(2) L, the corners do not disturb each
    other.

    >>> from mcrock.planar import rectangle
    >>> round(kinetic_angle(rectangle(width=1.0, height=1.0)), 6)
    1.369438
    """
    k = inertia_ratio(block)
    return pi - acos((k - 1.0) / (k + 1.0))


def sliding_ratio(block: PlanarBlock) -> float:
    """r of an impact at B alone that slides without friction: cos(theta_12), A ends free of impulse (23)."""
    k = inertia_ratio(block)
    return (1.0 - k) / (1.0 + k)


def housner_ratio(block: PlanarBlock) -> float:
    """r_H of an impact at B alone that sticks: Housner's velocity ratio with the sign changed."""
    aspect_of(block)
    return -housner_1963(block)


def sliding_domain(block: PlanarBlock) -> tuple[float, float]:
    """e_n21 in sliding rocking without friction (section 3.3, Fig. 2). Never empty.

    >>> from mcrock.planar import rectangle
    >>> sliding_domain(rectangle(width=1.0, height=2.0))
    (0.25, 1.0)
    """
    return max(0.0, -sliding_ratio(block)), 1.0


def sticking_domain(block: PlanarBlock, friction: float = inf) -> tuple[float, float]:
    """e_n21 in rocking without slip before and after, by friction of a coefficient (3.4, (30), Fig. 3).

    The velocity ratios of `mcrock.planar.admissible_ratios`. Never empty: without loss no friction is needed.

    Raises
    ------
    ValueError
        As `aspect_of`, or if the friction is negative.
    """
    aspect_of(block)
    return admissible_ratios(block, coefficient("friction", friction, 0.0, inf))


def sliding_coulomb_domain(
    block: PlanarBlock, friction: float, slip: str = "right", speed: float | None = None
) -> Interval:
    """e_n21 in rocking that slips after the impact, against friction (section 3.6.3).

    Parameters
    ----------
    block : PlanarBlock
    friction : float
        Coefficient mu, may be infinite [1].
    slip : str
        "right" or "left": direction in which the corners slip after the impact.
    speed : float, optional
        Horizontal velocity of the COM before the impact, positive to the right, over L |rate| of the block
        [1]. With it the energy and the direction of slip bound the domain too: it is then what Coulomb's
        law can reach. Without it only pulling is excluded.

    Returns
    -------
    tuple of 2 float, or None
        Empty for slip to the right if mu > L/l, as A would be pulled, and where friction to the left needs
        a pull at B; (33) as printed has no upper bound.

    Raises
    ------
    ValueError
        As `aspect_of`, or if the friction is negative or ``slip`` is another word.
    """
    sign = _sign(slip)
    a, k, mu = aspect_of(block), inertia_ratio(block), coefficient("friction", friction, 0.0, inf)
    if mu == inf:
        return None  # one of the corners would be pulled, unless mu a (1 + e) vanishes
    push = sign * mu * a
    low, high = 0.0, 1.0
    # (*) for A: (1 + k - push) e >= k - 1 + push; for B: (k - 1 - push) e <= 1 + k + push
    if 1.0 + k - push <= 0.0:
        return None  # then k - 1 + push > 0: the printed bound is negative, but nothing satisfies this
    low = max(low, (k - 1.0 + push) / (1.0 + k - push))
    if k - 1.0 - push > 0.0:
        high = min(high, (1.0 + k + push) / (k - 1.0 - push))
    if speed is not None:
        # energy: (k + 1)(e - 1) + mu^2 (1 + e) <= 4 s mu x; (35) as printed has 6 for 3
        high = min(high, (1.0 + k - mu * mu + 4.0 * sign * mu * speed) / (1.0 + k + mu * mu))
        # slip after the impact: s (x - a e/2) - mu (1 + e)/2 >= 0
        if mu + sign * a > 0.0:
            high = min(high, (2.0 * sign * speed - mu) / (mu + sign * a))
        elif mu + sign * a < 0.0:
            low = max(low, (2.0 * sign * speed - mu) / (mu + sign * a))
        elif 2.0 * sign * speed < mu:
            return None
    return _interval(low, high)


def sliding_coulomb_sufficient(block: PlanarBlock, friction: float) -> Interval:
    """e_n21 that is admissible for every impact with slip to the right before and after (end of 3.6.3).

    From e_c1+ to e_c2+: a smaller domain than that of a given speed, and empty above mu_c.
    """
    domain = sliding_coulomb_domain(block, friction, "right")
    if domain is None:
        return None
    return _interval(domain[0], min(domain[1], block_coefficients(block, friction).e_c2_plus))


def half_rocking_domain(block: PlanarBlock, friction: float = 0.0) -> Interval:
    """e_n1 in half rocking, where A stays on the ground and e_n21 = 0 (sections 3.5 and 3.6.4).

    Sufficient with friction: slip to the right before and after, at any speed. Empty for slender blocks,
    l > sqrt(2) L if homogeneous, and for friction above `BlockCoefficients.mu_half_rocking_max`.
    """
    bounds = block_coefficients(block, friction)
    limit = bounds.mu_half_rocking_max
    scale = ROUNDING * max(1.0, bounds.mu_c)
    if limit < -scale or friction > limit + scale:
        return None
    return _interval(0.0, min(1.0, bounds.e_c3_plus))


def angular_domain(domain: Interval) -> Interval:
    """r = -e_n21 for a domain of e_n21 (section 3.7, Figs. 4 and 5)."""
    return None if domain is None else (-domain[1], -domain[0])


def block_coefficients(block: PlanarBlock, friction: float) -> BlockCoefficients:
    """Bounds of the coefficients with friction, (31) to (39).

    A negative e_c1+ from a negative denominator, friction above (k + 1)/a, means that no coefficient is
    admissible, not that all are: `sliding_coulomb_domain` knows the difference.

    >>> from mcrock.planar import rectangle
    >>> bounds = block_coefficients(rectangle(width=1.0, height=1.2), friction=0.15)
    >>> round(bounds.e_c2_plus, 6), round(bounds.mu_half_rocking_max, 6)
    (0.975488, 0.155556)
    """
    a, k, mu = aspect_of(block), inertia_ratio(block), coefficient("friction", friction, 0.0, inf)
    mu_c = sqrt(1.0 + k)  # the printed one has 6 L^2 for 3 L^2
    most = min((1.0 - k) / a, mu_c)
    if mu == inf:
        return BlockCoefficients(-1.0, -1.0, -1.0, -1.0, mu_c, most)
    rest = 1.0 + k - mu * a
    plus = (k - 1.0 + mu * a) / rest if rest != 0.0 else inf
    minus = (k - 1.0 - mu * a) / (1.0 + k + mu * a)
    # e_c2+ is printed with other factors than e_c3+: the two are equal
    energy = (1.0 + k - mu * mu) / (1.0 + k + mu * mu)
    return BlockCoefficients(plus, minus, energy, energy, mu_c, most)


def critical_aspects(friction: float) -> dict[str, CriticalAspect]:
    """Aspects (a) to (d) of section 4 and their kinetic angles, of homogeneous blocks.

    a: r_H = 0, below it sticking rocking admits all e_n21. b: the same for sliding without friction.
    c, d: for slip to the right (e_c1+ = 0) and to the left (e_c1- = 0).

    Raises
    ------
    ValueError
        If the friction is negative.

    >>> {name: round(found.aspect, 4) for name, found in critical_aspects(0.3).items()}
    {'a': 0.7071, 'b': 1.4142, 'c': 1.0341, 'd': 1.9341}
    """
    mu = coefficient("friction", friction, 0.0, inf)
    larger = 0.5 * (3.0 * mu + sqrt(9.0 * mu * mu + 8.0))
    # the product of the two is 2: no digits are lost for large friction
    aspects = {"a": sqrt(0.5), "b": sqrt(2.0), "c": 2.0 / larger, "d": larger}
    return {name: CriticalAspect(a, angle_of_aspect(a)) for name, a in aspects.items()}


def angle_of_aspect(aspect: float) -> float:
    """Kinetic angle (10) of a homogeneous block of aspect l/L [rad]; pi of an infinite one."""
    if aspect == inf:
        return pi
    return pi - acos((aspect**2 - 2.0) / (aspect**2 + 4.0))


def rocking_cases(block: PlanarBlock, friction: float) -> list[RockingCase]:
    """Table 1 for one block: the admissible coefficients of each motion.

    Parameters
    ----------
    block : PlanarBlock
        With its COM above the middle of the base.
    friction : float
        Coefficient mu of the motions with friction [1].

    Raises
    ------
    ValueError
        As `aspect_of`, or if the friction is negative.
    """
    critical = critical_aspects(friction)
    gripping = min(
        critical["a"].aspect, coefficient("friction", friction, 0.0, inf)
    )  # (30) binds from l = mu L on
    critical["a, mu"] = CriticalAspect(gripping, angle_of_aspect(gripping))
    zero = (0.0, 0.0)
    rocking = [
        ("sliding rocking, no friction", sliding_domain(block), "b"),
        ("sticking rocking", sticking_domain(block), "a"),
        ("sticking rocking, Coulomb friction", sticking_domain(block, friction), "a, mu"),
        ("rocking, slip to the right", sliding_coulomb_domain(block, friction, "right"), "c"),
        ("rocking, slip to the left", sliding_coulomb_domain(block, friction, "left"), "d"),
    ]
    rows = [
        RockingCase(motion, zero if domain else None, domain, angular_domain(domain), *critical[name])
        for motion, domain, name in rocking
    ]
    for motion, domain, name in (
        ("half rocking, no friction", half_rocking_domain(block), "b"),
        ("half rocking, slip to the right", half_rocking_domain(block, friction), "c"),
    ):
        rows.append(RockingCase(motion, domain, zero if domain else None, domain, *critical[name]))
    return rows


def rebound_margins(
    block: PlanarBlock, e_n1: Values, e_n21: Values, e_t3: Values
) -> tuple[Values, Values, Values]:
    """Energy and corner impulses of an impact with rebound, after rocking without slip (section 5).

    Returns
    -------
    energy, landing, leaving : float
        Energy lost over m L^2 rate^2/8, inequalities (51), (52), and the impulses of B and of A over
        m L |rate|/4, (53) and (54), of which the printed constants and factors are wrong [1]. An impact is
        admissible if none is negative.
    """
    a, k = aspect_of(block), inertia_ratio(block)
    both, twist = e_n1 + e_n21, e_n21 - e_n1
    energy = 1.0 + k + a * a - both**2 - k * twist**2 - (a * e_t3) ** 2
    turn = k * (1.0 - twist) + a * a * (1.0 + e_t3)
    return energy, 1.0 + both + turn, 1.0 + both - turn


def _sign(slip: str) -> float:
    if slip not in SLIPS:
        raise ValueError(f"slip must be 'right' or 'left', got {slip!r}")
    return SLIPS[slip]


def _interval(low: float, high: float) -> Interval:
    """The interval, a single point where its ends cross by rounding, None where it is empty."""
    if not (isfinite(low) and isfinite(high)) or low > high + ROUNDING:
        return None
    return (high, high) if low > high else (low, high)


TANGENTIAL = ("frictionless", "sticking", "coulomb", "et3")


def block_problem(
    block: PlanarBlock, rate: float, speed: float | None = None, friction: float = 0.0
) -> ContactProblem:
    """A block on the ground that has turned about its left corner A: just before B lands.

    Coordinates are x and y of the centre of mass (COM) [m] and the rotation [rad], counter-clockwise.
    Contact 0 is B, the right corner, contact 1 is A. Each has one tangent, to the right.

    Parameters
    ----------
    block : PlanarBlock
        With its COM above the middle of the base.
    rate : float
        Angular velocity before the impact, negative; 0 is no impact [rad/s].
    speed : float, optional
        Horizontal velocity of the COM [m/s]; without it A does not slip.
    friction : float
        Coefficient mu of both corners [1].

    Raises
    ------
    ValueError
        If the rate is positive or the COM is not above the middle of the base.
    """
    aspect_of(block)
    if not (isfinite(rate) and rate <= 0.0):
        raise ValueError(
            "the rate of a block that lands on its right corner must be finite and negative, clockwise "
            f"[rad/s], got {rate!r}"
        )
    if speed is None:
        speed = -block.com_height * rate
    half = 0.5 * block.width
    slip = [1.0, 0.0, block.com_height]
    return ContactProblem(
        mass=np.diag([block.mass, block.mass, block.inertia]),
        directions=np.array([[0.0, 0.0], [1.0, 1.0], [half, -half]]),
        velocity=np.array([speed, half * rate, rate]),
        tangents=np.array([slip, slip]).T[:, :, None],
        friction=friction,
    )


def block_impact(
    block: PlanarBlock,
    rate: float,
    speed: float | None = None,
    *,
    e_n1: float = 0.0,
    e_n21: float = 0.0,
    tangential: str = "sticking",
    friction: float | None = None,
    e_t3: float | None = None,
) -> ImpactResult:
    """Impact of a block that turns about A and lands with B.

    Parameters
    ----------
    block : PlanarBlock
        With its COM above the middle of the base.
    rate : float
        Angular velocity before the impact, negative; 0 is no impact [rad/s].
    speed : float, optional
        Horizontal velocity of the COM before the impact [m/s]; without it A does not slip.
    e_n1 : float
        Coefficient of the corner that lands, 0 if it stays on the ground [1].
    e_n21 : float
        Coefficient of the corner that leaves, 0 if it stays on the ground [1].
    tangential : str
        "frictionless": no horizontal impulse. "sticking": the corners do not slip after the impact,
        whatever it takes. "coulomb": they stick if friction is enough and slip against it if not. "et3": the
        COM keeps -e_t3 of its horizontal velocity.
    friction : float, optional
        Coefficient mu, needed for "coulomb"; where it is given with "sticking" or "et3" the result says
        whether it is enough [1].
    e_t3 : float, optional
        For "et3" [1].

    Returns
    -------
    ImpactResult
        Velocity (x, y, rotation), impulses of B and A [N s]. Notes: ``tangential_impulse`` of both
        corners together [N s], ``slip_before`` and ``slip_after``, horizontal velocity of the corners [m/s].

    Raises
    ------
    ValueError
        If the rate is positive, a coefficient is not finite or missing, friction is negative, or
        ``tangential`` is another word.

    Examples
    --------
    Housner's impact leaves no impulse at A:

    >>> from mcrock.planar import rectangle
    >>> impact = block_impact(rectangle(width=1.0, height=2.0), rate=-1.0, e_n21=0.7)
    >>> impact.velocity.round(12), impact.impulse.round(12) + 0.0, impact.consistent
    (array([ 0.7 ,  0.35, -0.7 ]), array([0.85, 0.  ]), True)
    """
    for name, value in (("e_n1", e_n1), ("e_n21", e_n21)):
        Number("1").check(name, value)
    if tangential not in TANGENTIAL:
        raise ValueError(f"tangential must be one of {', '.join(TANGENTIAL)}, got {tangential!r}")
    if tangential == "coulomb" and friction is None:
        raise ValueError("tangential = 'coulomb' needs the coefficient of friction")
    if tangential == "et3":
        if e_t3 is None:
            raise ValueError("tangential = 'et3' needs the coefficient e_t3")
        Number("1").check("e_t3", e_t3)
    mu = inf if friction is None else coefficient("friction", friction, 0.0, inf)
    problem = block_problem(block, rate, speed, mu)
    before = problem.velocity
    width, height = block.width, 2.0 * block.com_height
    after_rate = (e_n21 - e_n1) * rate
    total = -0.5 * block.mass * width * (1.0 + e_n1 + e_n21) * rate
    sticking = block.mass * (-block.com_height * after_rate - before[0])
    bound = mu * total if total > 0.0 else 0.0  # no push, no friction
    if tangential == "frictionless":
        impulse = 0.0
    elif tangential == "sticking":
        impulse = sticking
    elif tangential == "coulomb":
        impulse = min(max(sticking, -bound), bound)
    else:
        assert e_t3 is not None  # checked above
        impulse = -block.mass * (1.0 + e_t3) * before[0]
    twist = (2.0 / width) * (block.inertia * (after_rate - rate) - 0.5 * height * impulse)
    velocity = np.array([before[0] + impulse / block.mass, -0.5 * width * (e_n1 + e_n21) * rate, after_rate])
    assert problem.tangents is not None  # one for each corner
    slip = problem.tangents[:, 0, 0]
    return problem.outcome(
        velocity,
        np.array([0.5 * (total + twist), 0.5 * (total - twist)]),
        friction=bool(abs(impulse) <= bound + TOLERANCE * (abs(impulse) + abs(total))),
        notes={
            "tangential_impulse": float(impulse),
            "slip_before": float(slip @ before),
            "slip_after": float(slip @ velocity),
        },
    )


def least_friction(block: PlanarBlock, e_n21: float) -> float:
    """Coefficient of friction that keeps a rocking block from slipping in an impact, (30) [1].

    (l/L)(1 - e_n21)/(1 + e_n21). At Housner's ratio of a homogeneous block it is 3 l L/(4 l^2 + L^2).

    Raises
    ------
    ValueError
        If e_n21 is not above -1, where nothing presses on the ground.
    """
    Number("1").check("e_n21", e_n21)
    if e_n21 <= -1.0:
        raise ValueError(f"e_n21 must be above -1, got {e_n21:g}: nothing presses the block on the ground")
    return aspect_of(block) * abs(1.0 - e_n21) / (1.0 + e_n21)
