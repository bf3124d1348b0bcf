"""Impulses that a single collision may have: half an ellipsoid inside a cone.

Chatterjee, A., Ruina, A. (1998). A new algebraic rigid-body collision law based on impulse space
considerations. Journal of Applied Mechanics 65(4), 939-951, sections 3.2 and 4.1. An impulse P is permissible
if it gains no energy (equation 6, an ellipsoid about P_II whose semi-axes are proportional to the square
roots of the eigenvalues of M; the text of section 3.1 says inversely), leaves no approach (a half-space),
does not pull (another) and is inside the friction cone. The region is convex and compact.

Three ways to name each point of it by numbers within fixed bounds: angles and a share of the distance to the
boundary from an inner point (`spherical_impulse`), any impulse, projected towards an inner point
(`projected_impulse`), and the impulse ratios of `mcrock.laws.brach_1989`.
"""

from __future__ import annotations

from math import cos, hypot, inf, isinf, pi, sin, sqrt
from typing import Any

import numpy as np

from mcrock.laws.brach_1989 import contact_tangents
from mcrock.laws.chatterjee_ruina_1998 import chatterjee_ruina
from mcrock.laws.problem import (
    NEGLIGIBLE,
    ROUNDING,
    TOLERANCE,
    ImpactResult,
    SingleContact,
    coefficient,
    finite_array,
)


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
