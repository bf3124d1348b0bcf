"""Generalized kinematic law: restitution of the velocities normal to all contacts, in the kinetic metric.

Brogliato, B., Zhang, H., Liu, C. (2012). Analysis of a generalized kinematic impact law for
multibody-multicontact systems, with application to the planar rocking block and chains of balls. Multibody
System Dynamics 27, 351-382. Equation numbers are those of the paper; where its text is wrong the corrected
form is used and the comment says so.

With D = W^T M^-1 W the velocity u is seen along n_i = M^-1 w_i/sqrt(D_ii), the unit normals of the contacts
in the kinetic metric, and along t_j, an orthonormal basis of what moves no contact:

    q_norm = n^T M u = (rate of gap i)/sqrt(D_ii),    q_tan = t^T M u,    u = n A^-1 q_norm + t q_tan

with A = n^T M n. The law is q_norm+ = -E_n q_norm-, q_tan+ = -E_tan q_tan-, (12) and (14). It enforces none
of the three checks of an impact: coefficients that let a contact pull or the energy grow are taken as given.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import eigh, null_space

from mcrock.laws.problem import TOLERANCE, ContactProblem, ImpactResult, finite_array, inverse_of

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
