"""Collisions of one contact in impulse space: algebraic laws, Routh's path, and the permissible impulses.

The laws of Chatterjee and Ruina (1998), Brach (1989), Walton (1993) and Routh (1905) have their sources in
their functions. The impulses that any law may give are half an ellipsoid inside a cone: Chatterjee, A.,
Ruina, A. (1998). A new algebraic rigid-body collision law based on impulse space considerations. Journal of
Applied Mechanics 65(4), 939-951, sections 3.2 and 4.1. An impulse P is permissible if it gains no energy
(equation 6, an ellipsoid about P_II whose semi-axes are proportional to the square roots of the eigenvalues
of M; the text of section 3.1 says inversely), leaves no approach (a half-space), does not pull (another)
and is inside the friction cone. The region is convex and compact.

Three ways to name each point of it by numbers within fixed bounds: angles and a share of the distance to
the boundary from an inner point (`spherical_impulse`), any impulse, projected towards an inner point
(`projected_impulse`), and the impulse ratios of `brach`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import cos, hypot, inf, isinf, log, pi, sin, sqrt
from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

from mcrock.laws.final_slip import no_solution
from mcrock.laws.problem import (
    NEGLIGIBLE,
    ROUNDING,
    TOLERANCE,
    ImpactResult,
    NormalForm,
    SingleContact,
    coefficient,
    finite_array,
    sliding_impulse,
    tangent_basis,
)


def tangential_share(
    plastic: Any, sticking: Any, tangential: Any, mu: Any, e: Any, et: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Share kappa of P_II - P_I [1], equations (12) to (14), and whether the friction cone limits it.

    Of one collision or many: ``plastic`` is n . P_I >= 0, ``sticking`` is n . P_II, ``tangential`` the length
    of the tangential part of P_II [N s]. The printed (13) is NaN for mu = inf; the limit is used there.
    """
    hard = np.isinf(mu)
    mu, tangential = np.where(hard, 1.0, mu), np.where(hard, 0.0, tangential)
    available = mu * ((1.0 + e) * plastic)
    # (12) solved for the denominator of (13): it is positive wherever (13) is evaluated
    beyond = tangential - mu * (sticking - plastic)
    limited = (1.0 + et) * beyond > available
    return np.where(limited, available / np.where(limited, beyond, 1.0), 1.0 + et), limited


def chatterjee_ruina(
    contact: SingleContact, *, restitution: float, tangential_restitution: float
) -> ImpactResult:
    """Collision by the law of two restitution coefficients.

    Two coefficients of restitution, one for the normal and one for the tangential direction, with friction.

    Chatterjee, A., Ruina, A. (1998). A new algebraic rigid-body collision law based on impulse space
    considerations. Journal of Applied Mechanics 65(4), 939-951. Equation numbers are those of the paper.

    The impulse is a sum of two: P_I ends the approach without friction (3), P_II ends all relative motion
    (4).

        P = (1 + e) P_I + kappa (P_II - P_I)                                                              (11)

    kappa is 1 + e_t (14), or less where the friction cone is narrower (13). The outcome is unique and always
    permissible: no penetration, no pull, no gain of energy, inside the friction cone.

    Parameters
    ----------
    contact : SingleContact
        Its friction coefficient may be infinite, its mass unbounded: then the shortest P_II is taken, and
        ``unique_impulse`` is false. Without friction or with e_t = -1 no P_II is needed.
    restitution : float
        e, 0 to 1: the normal velocity after is -e times that before [1].
    tangential_restitution : float
        e_t, -1 (no tangential effect) over 0 (sticking) to 1 (reversal) [1].

    Returns
    -------
    ImpactResult
        With the notes ``kappa`` [1] and ``clipped``, whether friction limits it.

    Raises
    ------
    ValueError
        If a coefficient is outside its domain, or the mass is unbounded and the velocity has a part that
        no impulse can change, but for friction 0 or e_t = -1.

    Examples
    --------
    >>> ball = SingleContact(np.diag([1.0, 2 / 7, 2 / 7]), np.array([-1.0, -0.3, 0.0]), np.eye(3)[0], 0.3)
    >>> impact = chatterjee_ruina(ball, restitution=0.8, tangential_restitution=0.4)
    >>> impact.velocity.round(12), impact.consistent
    (array([0.8 , 0.12, 0.  ]), True)
    """
    e = coefficient("restitution", restitution, 0.0, 1.0)
    et = coefficient("tangential_restitution", tangential_restitution, -1.0, 1.0)
    plastic = max(0.0, float(contact.normal @ contact.compression))
    alone = contact.friction == 0.0 or et == -1.0  # (1 + e) P_I, whether there is a P_II or not
    if alone and contact.mass is None:
        kappa, clipped = np.array(0.0), np.array(et > -1.0)
        impulse = (1.0 + e) * plastic * contact.normal
    else:
        sticking = contact.sticking
        along, across = contact.split(sticking)
        kappa, clipped = tangential_share(
            plastic, along, float(np.linalg.norm(across)), float(contact.friction), e, et
        )
        impulse = (1.0 + e - kappa) * plastic * contact.normal + kappa * sticking
    notes = {"kappa": float(kappa), "clipped": bool(clipped)}
    return contact.result(impulse, unique_impulse=alone or contact.mass is not None, notes=notes)


class Sweep(NamedTuple):
    """Outcome of many collisions, one a row."""

    impulse: np.ndarray  # (n, d) [N s]
    velocity: np.ndarray  # after the collision (n, d) [m/s]
    energy_change: np.ndarray  # (n,) [J]
    kappa: np.ndarray  # (n,) [1]
    clipped: np.ndarray  # by the friction cone (n,)


def sweep(
    mass: Any, velocity: Any, normal: Any, friction: Any, *, restitution: Any, tangential_restitution: Any
) -> Sweep:
    """Many collisions by the law of two restitution coefficients.

    Each input is one value for all collisions or has one for each along the first axis.

    Parameters
    ----------
    mass : array_like (d, d) or (n, d, d)
        Contact mass, d = 2 or 3 [kg].
    velocity : array_like (d,) or (n, d)
        Relative velocity before the collision [m/s].
    normal : array_like (d,) or (n, d)
        Unit normal [1].
    friction : array_like () or (n,)
        Friction coefficient, may be infinite [1].
    restitution, tangential_restitution : array_like () or (n,)
        0 to 1 and -1 to 1 [1].

    Raises
    ------
    ValueError
        If shapes do not fit, or a row is refused by `SingleContact` or the law; the row is named.
    """
    m, v, n = (finite_array(*item) for item in (("mass", mass), ("velocity", velocity), ("normal", normal)))
    d = m.shape[-1] if m.ndim else 0
    if d not in (2, 3) or m.shape[-2:] != (d, d):
        raise ValueError(f"mass must have the shape (d, d) or (n, d, d) with d = 2 or 3, got {m.shape}")
    mu = _bounded("friction", friction, 0.0, inf)
    e = _bounded("restitution", restitution, 0.0, 1.0)
    et = _bounded("tangential_restitution", tangential_restitution, -1.0, 1.0)
    inputs = {"mass": (m, 2), "velocity": (v, 1), "normal": (n, 1), "friction": (mu, 0)}
    inputs |= {"restitution": (e, 0), "tangential_restitution": (et, 0)}
    rows = max(len(array) if array.ndim > k else 1 for array, k in inputs.values())
    for name, (array, k) in inputs.items():
        whole = (d,) * k
        if array.shape not in (whole, (1, *whole), (rows, *whole)) or rows == 0:
            raise ValueError(
                f"{name} must have the shape {whole} or {(rows, *whole)}, n rows, got {array.shape}"
            )
    _refuse("mass must be symmetric", np.abs(m - m.mT) > ROUNDING * np.abs(m).max((-2, -1), keepdims=True))
    _refuse("normal must be a unit vector", np.abs(np.linalg.norm(n, axis=-1) - 1.0) > ROUNDING)
    try:
        np.linalg.cholesky(m)
    except np.linalg.LinAlgError:
        _refuse("mass must be positive definite", np.linalg.eigvalsh(m)[..., 0] <= 0.0)
        raise
    approach = (n * v).sum(-1)
    _refuse("n . V must be negative or 0", approach > ROUNDING * np.linalg.norm(v, axis=-1))
    inverse, sticking = np.linalg.inv(m), -np.einsum("...ij,...j->...i", m, v)
    # a separation of rounding size is grazing
    plastic = np.maximum(0.0, -approach / np.einsum("...i,...ij,...j->...", n, inverse, n))
    along = (n * sticking).sum(-1)
    across = np.linalg.norm(sticking - along[..., None] * n, axis=-1)
    kappa, clipped = np.broadcast_arrays(*tangential_share(plastic, along, across, mu, e, et), np.ones(rows))[
        :2
    ]
    impulse = ((1.0 + e - kappa) * plastic)[..., None] * n + kappa[..., None] * sticking
    change = np.einsum("...ij,...j->...i", inverse, impulse)
    return Sweep(impulse, v + change, (impulse * (v + 0.5 * change)).sum(-1), kappa, clipped)


def _bounded(name: str, value: Any, low: float, high: float) -> np.ndarray:
    try:
        array = np.asarray(value, float)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be numbers from {low:g} to {high:g}, got {value!r}") from None
    wrong = ~((array >= low) & (array <= high))
    if wrong.any():
        raise ValueError(f"{name} must be from {low:g} to {high:g}, got {array[wrong].flat[0]:g}")
    return array


def _refuse(message: str, wrong: np.ndarray) -> None:
    if wrong.any():
        raise ValueError(f"{message}; row {int(np.argwhere(np.atleast_1d(wrong))[0, 0])} is not")


def brach(
    contact: SingleContact, *, restitution: float, ratios: Any, tangents: Any | None = None
) -> ImpactResult:
    """Collision with given impulse ratios (Brach 1989).

    Kinematic restitution and given ratios of the tangential impulses to the normal one.

    Brach, R. M. (1989). Rigid body collisions. Journal of Applied Mechanics 56(1), 133-138; and (1991).
    Mechanical Impact Dynamics. Wiley, New York. Form: Chatterjee and Ruina (1998), section 4.1.

    With ratios of any size the law reaches every permissible impulse, and many that are not; the checks of
    the result tell which of them the bounds of the book exclude.

    Parameters
    ----------
    contact : SingleContact
    restitution : float
        Newton's (kinematic) coefficient e >= 0 [1]. Above 1 energy may still be lost; ``energetic`` tells.
    ratios : array_like (d - 1,)
        Impulse along each tangent over the normal impulse, of either sign [1].
    tangents : array_like (d - 1, d), optional
        Orthonormal tangents; by default those of `tangent_basis`.

    Returns
    -------
    ImpactResult

    Raises
    ------
    ValueError
        If the coefficient is outside its domain, the tangents are not orthonormal, or with these ratios no
        compressive normal impulse reverses the approach.

    Examples
    --------
    >>> contact = SingleContact(np.diag([2.0, 1.0]), np.array([-1.0, 0.5]), np.eye(2)[0], 0.4)
    >>> brach(contact, restitution=0.5, ratios=[0.1]).impulse
    array([ 3. , -0.3])
    """
    e = coefficient("restitution", restitution, 0.0, inf)
    if e == inf:
        raise ValueError("restitution must be finite")
    axes = contact_tangents(contact, tangents)
    mu = finite_array("ratios", ratios, (len(axes),))
    direction = contact.normal + mu @ axes
    response = float(contact.normal @ contact.inverse @ direction)
    if not response > ROUNDING * float(np.linalg.norm(contact.inverse) * np.linalg.norm(direction)):
        raise ValueError(
            f"ratios {mu.tolist()}: an impulse in this direction does not push the bodies apart "
            f"(n . M^-1 (n + mu . t) = {response:.3g} must be positive)"
        )
    size = -(1.0 + e) * min(0.0, float(contact.normal @ contact.velocity)) / response
    return contact.result(size * direction)


def contact_tangents(contact: SingleContact, tangents: Any | None) -> np.ndarray:
    """Given tangents (d - 1, d), or those of `tangent_basis`.

    Raises
    ------
    ValueError
        If they are not orthonormal, or not across the normal.
    """
    if tangents is None:
        return tangent_basis(contact)
    d = len(contact.normal)
    axes = finite_array("tangents", tangents, (d - 1, d))
    frame = np.vstack([contact.normal, axes])
    if np.abs(frame @ frame.T - np.eye(d)).max() > ROUNDING:
        raise ValueError("tangents must be unit vectors at right angles to the normal and to each other")
    return axes


def bilinear(contact: SingleContact, *, restitution: float, tangential_restitution: float) -> ImpactResult:
    """Collision by the bilinear law.

    Two restitution coefficients and friction for spheres and discs: linear, then cut off.

    Walton, O. R. (1993). Numerical simulation of inelastic, frictional particle-particle interactions. In
    Roco, M. C. (ed.), Particulate Two-Phase Flow, Butterworth-Heinemann, Boston, 884-911. Form: Chatterjee
    and Ruina (1998), equation (9), where it is the bilinear law.

    Parameters
    ----------
    contact : SingleContact
        The normal and the direction of slip must be eigenvectors of its mass, as for spheres and discs.
    restitution : float
        Normal coefficient e, 0 to 1 [1].
    tangential_restitution : float
        Tangential coefficient e_t, -1 (frictionless) over 0 (sticking) to 1 (reversal) [1].

    Returns
    -------
    ImpactResult

    Raises
    ------
    ValueError
        If a coefficient is outside its domain, or the mass couples the normal and tangential directions: the
        law is then wrong even without friction.

    Examples
    --------
    >>> ball = SingleContact(np.diag([1.0, 2 / 7, 2 / 7]), np.array([-1.0, -0.3, 0.0]), np.eye(3)[0], 0.3)
    >>> bilinear(ball, restitution=0.8, tangential_restitution=0.4).impulse.round(9)
    array([1.8 , 0.12, 0.  ])
    """
    e = coefficient("restitution", restitution, 0.0, 1.0)
    et = coefficient("tangential_restitution", tangential_restitution, -1.0, 1.0)
    normal = contact.normal
    m_n = _eigenvalue(contact, normal, "the normal")
    approach, slip = contact.split(contact.velocity)
    speed = float(np.linalg.norm(slip))
    impulse = -(1.0 + e) * m_n * min(0.0, approach) * normal
    if speed > ROUNDING * float(np.linalg.norm(contact.velocity)):
        against = tangent_basis(contact)[0]
        m_t = _eigenvalue(contact, against, "the direction of slip")
        limit = contact.friction * float(normal @ impulse) if contact.friction < np.inf else np.inf
        impulse = impulse + min(limit, (1.0 + et) * m_t * speed) * against
    return contact.result(impulse)


def _eigenvalue(contact: SingleContact, direction: np.ndarray, name: str) -> float:
    """Mass along a direction [kg]; a ValueError if it is not a principal one."""
    change = contact.inverse @ direction
    value = float(direction @ change)
    size = float(np.linalg.norm(contact.inverse))
    if np.linalg.norm(change - value * direction) > 10.0 * ROUNDING * size or value <= ROUNDING * size:
        raise ValueError(
            f"the bilinear law needs {name} to be an eigenvector of the mass, as for spheres and discs; "
            "take the law of Chatterjee and Ruina (1998) for other bodies"
        )
    return 1.0 / value


def assess(contact: SingleContact, impulse: Any) -> ImpactResult:
    """Collision of a given impulse (d,) with its checks; ``consistent`` is the predicate of the region.

    >>> contact = SingleContact(np.array([[1.5, 0.6], [0.6, 1.0]]), np.array([1.2, -1.0]), np.eye(2)[1], 0.1)
    >>> result = assess(contact, [-0.5, 0.9])
    >>> result.energetic, result.kinematic, result.kinetic, result.friction
    (True, True, True, False)
    """
    return contact.result(finite_array("impulse", impulse, contact.normal.shape))


def inner_impulse(contact: SingleContact) -> np.ndarray:
    """A point inside the region, off its boundary (d,) [N s]: of half the restitution, and half the way to
    the friction cone or to sticking.

    Raises
    ------
    ValueError
        If the region has no inside: the contact grazes or has no friction.
    """
    if not (contact.friction > 0.0 and contact.normal @ contact.velocity < 0.0) or len(contact.normal) == 1:
        raise ValueError("the permissible region has no inside: give the contact friction and an approach")
    halfway = chatterjee_ruina(contact, restitution=0.5, tangential_restitution=0.0)
    return 0.5 * (halfway.impulse + 1.5 * contact.compression)


def boundary_distance(contact: SingleContact, inner: Any, direction: Any) -> float:
    """Length of the way from a permissible impulse to the boundary along a direction [N s].

    Infinite if the mass is unbounded and the way never ends.

    Parameters
    ----------
    contact : SingleContact
    inner : array_like (d,)
        A permissible impulse [N s].
    direction : array_like (d,)
        Of any length but zero.

    Raises
    ------
    ValueError
        If ``inner`` is not permissible or the direction is zero.
    """
    start = _permissible("inner", contact, inner)
    way = finite_array("direction", direction, contact.normal.shape)
    length = float(np.linalg.norm(way))
    if length == 0.0:
        raise ValueError("direction must not be zero")
    return _exit(contact, start, way / length)


def spherical_impulse(
    contact: SingleContact,
    inner: Any,
    polar: float,
    azimuth: float,
    share: float,
    *,
    tangents: Any | None = None,
) -> ImpactResult:
    """First parameterisation: P = P_0 + rho D d with D the distance from P_0 to the boundary along d.

    Parameters
    ----------
    contact : SingleContact
    inner : array_like (d,)
        P_0, permissible [N s].
    polar, azimuth : float
        psi_1 from the normal and psi_2 from the first tangent [rad]; in the plane psi_2 is 0 or pi:
        d = cos psi_1 n + sin psi_1 (cos psi_2 t_2 + sin psi_2 t_3).
    share : float
        rho, 0 to 1 [1].
    tangents : array_like (d - 1, d), optional
        t_2 and t_3, those of `tangent_basis` by default.

    Raises
    ------
    ValueError
        If the share is outside its domain, an angle is not finite, the tangents are none, ``inner`` is not
        permissible, or the region has no end in this direction.
    """
    rho = coefficient("share", share, 0.0, 1.0)
    psi1, psi2 = float(finite_array("polar", polar, ())), float(finite_array("azimuth", azimuth, ()))
    axes = contact_tangents(contact, tangents)
    around = np.array([cos(psi2), sin(psi2)])
    if len(axes) < 2 and abs(around[1]) > TOLERANCE:
        raise ValueError(f"azimuth must be 0 or pi in the plane, got {psi2:g} rad")
    direction = cos(psi1) * contact.normal + sin(psi1) * around[: len(axes)] @ axes
    distance = boundary_distance(contact, inner, direction)
    if isinf(distance) and rho > 0.0:
        raise ValueError("the permissible region has no end in this direction: the mass is unbounded")
    step = rho * distance if rho > 0.0 else 0.0
    return contact.result(np.asarray(inner, float) + step * direction, notes={"distance": distance})


def projected_impulse(contact: SingleContact, impulse: Any, inner: Any) -> ImpactResult:
    """Second parameterisation: an impulse, drawn towards an inner point until it is permissible.

    Parameters
    ----------
    contact : SingleContact
    impulse : array_like (d,)
        Any impulse [N s].
    inner : array_like (d,)
        P_0, permissible [N s].

    Returns
    -------
    ImpactResult
        With the note ``share``, the part of the way from P_0 to the impulse [1]; 1 if that is permissible.

    Raises
    ------
    ValueError
        If ``inner`` is not permissible.
    """
    start = _permissible("inner", contact, inner)
    way = finite_array("impulse", impulse, contact.normal.shape) - start
    length = float(np.linalg.norm(way))
    share = min(1.0, _exit(contact, start, way / length) / length) if length > 0.0 else 1.0
    return contact.result(start + share * way, notes={"share": share})


def region_outline(contact: SingleContact, inner: Any, n: int = 361, longest: float = inf) -> np.ndarray:
    """Boundary of the region in the plane (n, 2), closed [N s].

    Parameters
    ----------
    contact : SingleContact
    inner : array_like (2,)
        A permissible impulse [N s].
    n : int
        Number of points.
    longest : float
        Distance from ``inner`` at which an endless region of an unbounded mass is cut off [N s].

    Raises
    ------
    ValueError
        If the contact is not plane, or its mass unbounded and no ``longest`` given.
    """
    if len(contact.normal) != 2:
        raise ValueError(f"an outline needs a contact in the plane, got {len(contact.normal)} dimensions")
    if contact.mass is None and isinf(longest):
        raise ValueError("the mass is unbounded: give the longest distance at which to cut the region off")
    start = _permissible("inner", contact, inner)
    angles = np.linspace(0.0, 2.0 * pi, n)
    ways = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    distances = np.array([min(longest, _exit(contact, start, way)) for way in ways])
    return start + distances[:, None] * ways


def _permissible(name: str, contact: SingleContact, impulse: Any) -> np.ndarray:
    value = finite_array(name, impulse, contact.normal.shape)
    if not contact.result(value).consistent:
        raise ValueError(f"{name} must be a permissible impulse, got {value.tolist()}")
    return value


def _exit(contact: SingleContact, start: np.ndarray, way: np.ndarray) -> float:
    """Distance from a permissible impulse at which a unit direction leaves the region [N s]."""
    velocity, change = contact.velocity + contact.inverse @ start, contact.inverse @ way
    speed, size = float(np.linalg.norm(contact.velocity)), float(np.linalg.norm(contact.inverse))
    bend, rise = _but_rounding(float(way @ change), size), _but_rounding(float(way @ velocity), speed)
    energy = _quadratic_exit(bend, rise, float((velocity + contact.velocity) @ start))
    plane = _linear_exit(
        float(contact.normal @ velocity), _but_rounding(float(contact.normal @ change), size)
    )
    return min(energy, plane, _cone_exit(contact, start, way))


def _but_rounding(value: float, size: float) -> float:
    return 0.0 if abs(value) <= NEGLIGIBLE * size else value


def _linear_exit(value: float, rate: float) -> float:
    """Distance at which value + rate t, >= 0 at first, becomes negative."""
    return max(0.0, value) / -rate if rate < 0.0 else inf


def _quadratic_exit(a: float, b: float, c: float) -> float:
    """Distance at which a t^2 + 2 b t + c, <= 0 at first and convex, becomes positive."""
    c = min(0.0, c)
    if a <= 0.0:
        return -c / (2.0 * b) if b > 0.0 else inf
    spread = sqrt(b * b - a * c)
    return -c / (b + spread) if b > 0.0 else (spread - b) / a


def _cone_exit(contact: SingleContact, start: np.ndarray, way: np.ndarray) -> float:
    """Distance at which a way leaves the friction cone."""
    mu = contact.friction
    normal, across = contact.split(start)
    rise, turn = contact.split(way)
    if np.linalg.norm(turn) <= ROUNDING:
        turn = np.zeros_like(turn)
    end = _linear_exit(normal, rise)
    if isinf(mu):
        return end
    # |across + turn t|^2 <= mu^2 (normal + rise t)^2 as long as the right side is not of the other nappe;
    # over 1 + mu^2, which may overflow
    across, turn = across / hypot(1.0, mu), turn / hypot(1.0, mu)
    normal, rise = normal * mu / hypot(1.0, mu), rise * mu / hypot(1.0, mu)
    a = float(turn @ turn) - rise**2
    b = float(across @ turn) - normal * rise
    c = min(0.0, float(across @ across) - normal**2)
    if a >= 0.0 or b * b - a * c < 0.0:
        return min(end, _quadratic_exit(a, b, c))
    # the parabola opens downward: the way leaves through the nearer of two roots ahead, or never
    ahead = [root for root in _roots(a, b, c) if root > 0.0 or (root == 0.0 and b > 0.0)]
    return min([end, *ahead])


def _roots(a: float, b: float, c: float) -> tuple[float, float]:
    """Real roots of a t^2 + 2 b t + c with a != 0, without cancellation."""
    large = -(b + sqrt(max(0.0, b * b - a * c)) * (1.0 if b >= 0.0 else -1.0))
    return large / a, c / large if large != 0.0 else 0.0


RTOL = 1e-12  # of the integration in three dimensions, relative and for logarithms and angles absolute [1]
STEADY = 1e-13  # rate at which the direction of slip turns that is rounding, relative [1]
CLOSED = 1e-13  # normal velocity at a kink that is rounding, over the speed before the collision [1]
STIFF = 300.0  # ratio of the two rates at which slip decays beyond which an implicit method is faster [1]
PIECES = 8  # of a path that slips: it turns to the end of compression and on, and goes straight
LONGEST = 1e9  # of the integration, in units in which slip turns at a rate of about 1
FIRST_STEP = 1e-6  # of the integration, in the same units


class EndlessError(Exception):
    """The normal impulse grows without an end of the compression."""


@dataclass(slots=True)
class _Path:
    """The impulse on its way."""

    form: NormalForm
    mu: float
    restitution: float
    normal: float  # impulse so far [N s]
    tangential: np.ndarray  # (k,) [N s]
    compression: float | None = None  # normal impulse at the end of compression [N s]
    phases: list[str] = field(default_factory=list)

    @property
    def end(self) -> float:
        """Normal impulse at the end of the collision, infinite as long as it is not known [N s]."""
        return inf if self.compression is None else (1.0 + self.restitution) * self.compression

    @property
    def approach(self) -> float:
        return self.form.normal_velocity(self.normal, self.tangential)

    @property
    def slip(self) -> np.ndarray:
        return self.form.tangential_velocity(self.normal, self.tangential)

    def follow(self, rate: np.ndarray, longest: float) -> bool:
        """Go straight, dx/dp = ``rate``, for at most a given normal impulse; True at the end."""
        growth = self.form.w_nn + float(self.form.w_tn @ rate)
        if abs(growth) <= NEGLIGIBLE * (self.form.w_nn + float(np.abs(self.form.w_tn) @ np.abs(rate))):
            growth = 0.0  # of a mass that is unbounded along this way
        speed = abs(self.form.approach) + float(np.linalg.norm(self.form.slip))
        start, length = self.approach, inf
        if self.compression is None:
            if start >= -CLOSED * speed and not (self.normal == 0.0 and growth < 0.0):
                length = 0.0
            elif growth > 0.0 and start < 0.0:
                length = -start / growth
            if length <= longest:
                self.compression = self.normal + length
        length = min(longest, self.end - self.normal)
        if isinf(length):
            raise EndlessError
        self.normal, self.tangential = self.normal + length, self.tangential + length * rate
        return length < longest or isinf(longest)


def routh(contact: SingleContact, *, restitution: float) -> ImpactResult:
    """Collision by Routh's law.

    Collision without tangential compliance: slip and stick, followed in the normal impulse.

    Routh, E. J. (1905). The Elementary Part of a Treatise on the Dynamics of a System of Rigid Bodies,
    seventh edition. Macmillan, London (first edition 1860, fifth 1891). Kinetic restitution after Poisson:
    the impulse ends at 1 + e_k times its value at the end of compression. Here in the form of Chatterjee and
    Ruina (1998), equation (7).

    In the plane the path of the impulse is a line with a kink or two, so the law is in closed form. In three
    dimensions the direction of slip turns; the integration is exact where the contact sticks or slips
    straight.

    In the plane the outcome is permissible. In three dimensions it may penetrate where friction jams the
    contact, i.e. makes the normal velocity fall again after the compression; ``kinematic`` is then false.

    Parameters
    ----------
    contact : SingleContact
        Friction may be infinite: the contact then sticks at once, before any normal impulse. (The limit of
        growing friction differs where this first step already separates the contact.)
    restitution : float
        Poisson's (kinetic) coefficient e_k, 0 to 1 [1].

    Returns
    -------
    ImpactResult
        With the notes ``compression_impulse``, the normal impulse at the end of compression [N s], and
        ``phases``, the phases of the contact in order: "slip", "stick" or "slip on" (after the slip has come
        to zero, where friction cannot hold the contact).

    Raises
    ------
    ValueError
        If the coefficient is outside its domain, or the mass is unbounded and no impulse ends the slip, as
        infinite friction asks, or the approach.

    Examples
    --------
    >>> contact = SingleContact(np.array([[1.5, 0.6], [0.6, 1.0]]), np.array([1.2, -1.0]), np.eye(2)[1], 0.3)
    >>> routh(contact, restitution=0.6).velocity.round(6)
    array([0.342857, 0.6     ])
    """
    e = coefficient("restitution", restitution, 0.0, 1.0)
    form = NormalForm.of(contact)
    path = _Path(form, float(contact.friction), e, 0.0, np.zeros_like(form.slip))
    try:
        _collide(path, speed=float(np.linalg.norm(contact.velocity)))
    except EndlessError:
        raise no_solution(contact, "Routh") from None
    notes = {"compression_impulse": float(path.compression or 0.0), "phases": tuple(path.phases)}
    impulse = form.impulse(path.normal, path.tangential)
    # along a direction in which nothing can move, the impulse is internal
    unique = contact.mass is not None or contact.friction == 0.0
    return contact.result(impulse, unique_impulse=unique, notes=notes)


def _collide(path: _Path, speed: float) -> None:
    """Follow the impulse to the end of the collision."""
    form, mu = path.form, path.mu
    if mu == 0.0:
        path.phases.append("slip")
        path.follow(np.zeros_like(form.slip), inf)
        return
    slipping = float(np.linalg.norm(form.slip)) > NEGLIGIBLE * speed
    if slipping and isinf(mu):
        stop = sliding_impulse(form.w_tt, form.slip, inf)
        if np.linalg.norm(form.slip + form.w_tt @ stop) > CLOSED * speed:
            raise ValueError("infinite friction: no impulse ends the slip, which is not in the range of M^-1")
        if form.approach == 0.0 and float(form.w_tn @ stop) >= 0.0:  # grazing: nothing presses the contact
            path.compression = 0.0
            return
        path.tangential = stop
        path.phases.append("slip")
        if path.approach >= -CLOSED * speed:
            path.compression = 0.0
            return
    elif slipping:
        path.phases.append("slip")
        if _slip(path, speed):
            return
    # dx/dp is the impulse that best holds the slip that a unit of normal impulse would cause
    rate = sliding_impulse(form.w_tt, form.w_tn, mu)
    left = float(np.linalg.norm(form.w_tn + form.w_tt @ rate))
    held = left <= CLOSED * (form.w_nn + float(np.linalg.norm(form.w_tn)))
    path.phases.append("stick" if held else "slip on")
    path.follow(rate, inf)


def _slip(path: _Path, speed: float) -> bool:
    """Slip until the slip velocity is zero or the collision over; True if it is over."""
    form, mu = path.form, path.mu
    scale = (form.w_nn + float(np.trace(form.w_tt))) * (1.0 + mu)
    angle, length = 0.0, float(np.linalg.norm(path.slip))
    s = path.slip / length
    if len(s) == 2:
        angle = float(np.arctan2(s[1], s[0]))
    for _ in range(PIECES):
        pull = form.w_tn - mu * (form.w_tt @ s)  # dw/dp
        shrink = float(s @ pull)
        if np.linalg.norm((pull - shrink * s) / scale) <= STEADY:
            over = path.follow(-mu * s, length / -shrink if shrink < 0.0 else inf)
            if over or shrink < 0.0:
                return over
            continue
        # the slip that follows from the impulse so far would be blurred by rounding where it is small
        ending, angle, length = _turn(path, angle, length, speed, scale)
        if ending != "on":
            return ending == "over"
        s = np.array([np.cos(angle), np.sin(angle)])
    raise ArithmeticError(f"the slip did not end in {PIECES} pieces")


def _turn(path: _Path, start: float, length: float, speed: float, scale: float) -> tuple[str, float, float]:
    """Follow a slip that turns until it is straight or zero or the compression or the collision ends.

    In the time t with dp = |w| dt the direction of slip follows an equation of its own, and the length of
    the slip decays exponentially: its zero is no singularity.

    Parameters
    ----------
    path : _Path
    start, length : float
        Direction [rad] and length [m/s] of the slip.
    speed, scale : float
        Units of velocity [m/s] and of its change by the impulse [1/kg].

    Returns
    -------
    tuple of str, float, float
        "over" if the collision is, "zero" if the slip is, else "on"; direction and length of the slip.
    """
    form, mu = path.form, path.mu
    unit = speed / scale  # of the normal impulse
    wide = unit * (1.0 + mu)  # and of the tangential one

    def pull(angle: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        s = np.array([np.cos(angle), np.sin(angle)])
        return s, np.array([-s[1], s[0]]), (form.w_tn - mu * (form.w_tt @ s)) / scale

    def rates(_: float, y: np.ndarray) -> np.ndarray:
        s, across, q = pull(y[0])
        length = np.exp(y[1])
        return np.array([across @ q, s @ q, length, *(-mu / (1.0 + mu) * length * s)])

    def turning(_: float, y: np.ndarray) -> float:
        across, q = pull(y[0])[1:]
        return abs(float(across @ q)) - 0.5 * STEADY

    def slipping(_: float, y: np.ndarray) -> float:
        return float(y[1]) - log(0.5 * NEGLIGIBLE)

    def normal_velocity(_: float, y: np.ndarray) -> float:
        return form.normal_velocity(unit * y[2], wide * y[3:]) / speed

    def remaining(_: float, y: np.ndarray) -> float:
        return unit * float(y[2]) / path.end - 1.0

    third = remaining
    state = np.array([start, log(length / speed), path.normal / unit, *(path.tangential / wide)])
    if path.compression is None:
        third = normal_velocity
        growth = form.w_nn - mu * float(form.w_tn @ pull(start)[0])
        if path.normal == 0.0 and path.approach >= 0.0 and growth >= 0.0:  # grazing, and nothing presses
            path.compression = 0.0
            return "over", start, length
    values = np.linalg.eigvalsh(form.w_tt)
    method = "DOP853" if values[1] < STIFF * values[0] else "Radau"
    events = [turning, slipping, third]
    for event, direction in zip(events, (-1.0, -1.0, 1.0), strict=True):
        vars(event).update(terminal=True, direction=direction)  # where `solve_ivp` looks for them
    solution = solve_ivp(
        rates,
        (0.0, LONGEST),
        state,
        method,
        events=events,
        first_step=FIRST_STEP,  # small enough to see a grazing contact close before it opens
        rtol=RTOL,
        atol=RTOL,
    )
    if solution.status != 1:
        raise ArithmeticError(f"integration of the slip: {solution.message}")
    final = solution.y[:, -1]
    path.normal, path.tangential = unit * float(final[2]), wide * final[3:]
    ending = "zero" if len(solution.t_events[1]) else "on"
    if len(solution.t_events[2]):
        ending = "over"
        if path.compression is None:
            path.compression = path.normal
            ending = "on" if path.restitution > 0.0 else "over"
    return ending, float(final[0]), speed * float(np.exp(final[1]))


def composite(
    contact: SingleContact, *, restitution: float, tangential_restitution: float, weight: float
) -> ImpactResult:
    """Weighted sum of the impulses of `chatterjee_ruina` and `routh`.

    Weighted sum of two laws: a grazing collision can rebound in both directions.

    Chatterjee, A., Ruina, A. (1998). A new algebraic rigid-body collision law based on impulse space
    considerations. Journal of Applied Mechanics 65(4), 939-951, section 5.3.

    The permissible region is convex, so the sum is permissible where both are. Unlike the law of two
    coefficients it can rebound from a grazing collision.

    Parameters
    ----------
    contact : SingleContact
    restitution : float
        Coefficient e of the one law and e_k of the other, 0 to 1 [1].
    tangential_restitution : float
        e_t of `chatterjee_ruina`, -1 to 1 [1].
    weight : float
        sigma, 0 (Routh) to 1 (Chatterjee and Ruina) [1].

    Returns
    -------
    ImpactResult

    Raises
    ------
    ValueError
        If a coefficient is outside its domain.
    """
    sigma = coefficient("weight", weight, 0.0, 1.0)
    new = chatterjee_ruina(contact, restitution=restitution, tangential_restitution=tangential_restitution)
    old = routh(contact, restitution=restitution)
    notes = {"chatterjee_ruina": new, "routh": old}
    return contact.result(sigma * new.impulse + (1.0 - sigma) * old.impulse, notes=notes)
