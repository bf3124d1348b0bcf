"""Two coefficients of restitution, one for the normal and one for the tangential direction, with friction.

Chatterjee, A., Ruina, A. (1998). A new algebraic rigid-body collision law based on impulse space
considerations. Journal of Applied Mechanics 65(4), 939-951. Equation numbers are those of the paper.

The impulse is a sum of two: P_I ends the approach without friction (3), P_II ends all relative motion (4).

    P = (1 + e) P_I + kappa (P_II - P_I)                                                              (11)

kappa is 1 + e_t (14), or less where the friction cone is narrower (13). The outcome is unique and always
permissible: no penetration, no pull, no gain of energy, inside the friction cone.
"""

from __future__ import annotations

from math import inf, sqrt
from typing import Any, NamedTuple

import numpy as np

from mcrock.jit import jit
from mcrock.laws.problem import ROUNDING, ImpactResult, SingleContact, coefficient, finite_array

PIVOT = 1e-14  # smallest pivot of a positive definite mass matrix over its largest diagonal element [1]


@jit
def tangential_share(plastic, sticking, tangential, mu, e, et):
    """Share kappa of P_II - P_I [1], equations (12) to (14), and whether the friction cone limits it.

    ``plastic`` is n . P_I >= 0, ``sticking`` is n . P_II, ``tangential`` the length of the tangential part
    of P_II [N s]. The printed (13) is NaN for mu = inf; the limit is used there.
    """
    coupling = sticking - plastic  # n . (P_II - P_I)
    available = (1.0 + e) * plastic
    if mu == inf:
        if available + (1.0 + et) * coupling < 0.0:
            return available / -coupling, True
        return 1.0 + et, False
    beyond = tangential - mu * coupling
    # (12) solved for the denominator of (13): it is positive wherever (13) is evaluated
    if (1.0 + et) * beyond > mu * available:
        return mu * available / beyond, True
    return 1.0 + et, False


@jit
def impulse_2d(mass, velocity, normal, mu, e, et):
    """Impulse [N s], kappa [1] and whether it is limited by friction, in two dimensions.

    ``mass`` is (11, 12, 22) [kg]; ``velocity`` [m/s] and the unit vector ``normal`` have two components.
    """
    a, b, c = mass
    u, v = velocity
    nx, ny = normal
    inverse = (c * nx * nx - 2.0 * b * nx * ny + a * ny * ny) / (a * c - b * b)
    plastic = max(0.0, -(nx * u + ny * v) / inverse)  # a separation of rounding size is grazing
    sx, sy = -(a * u + b * v), -(b * u + c * v)
    along = nx * sx + ny * sy
    kappa, limited = tangential_share(plastic, along, abs(nx * sy - ny * sx), mu, e, et)
    rest = (1.0 + e - kappa) * plastic
    return (rest * nx + kappa * sx, rest * ny + kappa * sy), kappa, limited


@jit
def impulse_3d(mass, velocity, normal, mu, e, et):
    """Impulse [N s], kappa [1] and whether it is limited by friction, in three dimensions.

    ``mass`` is (11, 12, 13, 22, 23, 33) [kg]; ``velocity`` [m/s] and the unit vector ``normal`` have three
    components.
    """
    a, b, c, d, f, g = mass
    u, v, w = velocity
    nx, ny, nz = normal
    # n . M^-1 n from the cofactors of M
    aa, bb, cc = d * g - f * f, c * f - b * g, b * f - c * d
    dd, ff, gg = a * g - c * c, b * c - a * f, a * d - b * b
    inverse = (
        aa * nx * nx + dd * ny * ny + gg * nz * nz + 2.0 * (bb * nx * ny + cc * nx * nz + ff * ny * nz)
    ) / (a * aa + b * bb + c * cc)
    plastic = max(0.0, -(nx * u + ny * v + nz * w) / inverse)
    sx, sy, sz = -(a * u + b * v + c * w), -(b * u + d * v + f * w), -(c * u + f * v + g * w)
    along = nx * sx + ny * sy + nz * sz
    tx, ty, tz = sx - along * nx, sy - along * ny, sz - along * nz
    tangential = sqrt(tx * tx + ty * ty + tz * tz)
    kappa, limited = tangential_share(plastic, along, tangential, mu, e, et)
    rest = (1.0 + e - kappa) * plastic
    return (rest * nx + kappa * sx, rest * ny + kappa * sy, rest * nz + kappa * sz), kappa, limited


def chatterjee_ruina(
    contact: SingleContact, *, restitution: float, tangential_restitution: float
) -> ImpactResult:
    """Collision by the law of two restitution coefficients.

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
        kappa, clipped = 0.0, et > -1.0
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
    """Many collisions by the law of two restitution coefficients, in compiled code.

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
    masses = finite_array("mass", mass)
    d = masses.shape[-1] if masses.ndim else 0
    if d not in (2, 3) or masses.shape[-2:] != (d, d):
        raise ValueError(f"mass must have the shape (d, d) or (n, d, d) with d = 2 or 3, got {masses.shape}")
    rows = {
        "mass": _rows("mass", masses, (d, d)),
        "velocity": _rows("velocity", finite_array("velocity", velocity), (d,)),
        "normal": _rows("normal", finite_array("normal", normal), (d,)),
        "friction": _rows("friction", _bounded("friction", friction, 0.0, inf), ()),
        "restitution": _rows("restitution", _bounded("restitution", restitution, 0.0, 1.0), ()),
        "tangential_restitution": _rows(
            "tangential_restitution",
            _bounded("tangential_restitution", tangential_restitution, -1.0, 1.0),
            (),
        ),
    }
    n = max(len(values) for values in rows.values())
    for name, values in rows.items():
        if len(values) not in (1, n):
            raise ValueError(f"{name} must be one value or have {n} rows, got {len(values)}")
    size = np.abs(rows["mass"]).max(axis=(1, 2), keepdims=True)
    _refuse("mass must be symmetric", np.abs(rows["mass"] - rows["mass"].mT) > ROUNDING * size)
    _refuse(
        "normal must be a unit vector",
        np.abs(np.linalg.norm(rows["normal"], axis=1, keepdims=True) - 1.0) > ROUNDING,
    )
    out = Sweep(np.empty((n, d)), np.empty((n, d)), np.empty(n), np.empty(n), np.empty(n, np.bool_))
    loop = _loop_2d if d == 2 else _loop_3d
    row, wrong = loop(*rows.values(), *out)
    if wrong == 1:
        raise ValueError(f"mass must be positive definite; that of row {row} is not")
    if wrong == 2:
        raise ValueError(
            f"the contact of row {row} separates: n . V must be negative or 0 before a collision"
        )
    return out


def _rows(name: str, array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Array with one row for each collision, or a single one; as compiled code takes it."""
    if array.shape == shape:
        array = array[None]
    if array.shape[1:] != shape or array.ndim != len(shape) + 1 or len(array) == 0:
        whole = f"{(*shape,)} or (n, {', '.join(map(str, shape))})" if shape else "() or (n,)"
        raise ValueError(f"{name} must have the shape {whole}, got {array.shape}")
    return np.require(array, float, ["C", "W"])


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
        raise ValueError(f"{message}; row {int(np.argwhere(wrong)[0, 0])} is not")


@jit
def _loop_2d(
    mass, velocity, normal, friction, restitution, tangential, impulse, after, energy, kappa, clipped
):
    """All collisions in two dimensions; the row that is refused and why, or (-1, 0)."""
    for i in range(len(impulse)):
        m, v, n = mass[i % len(mass)], velocity[i % len(velocity)], normal[i % len(normal)]
        a, b, c = m[0, 0], m[0, 1], m[1, 1]
        if not (a > 0.0 and c - b * b / a > PIVOT * max(a, c)):
            return i, 1
        x, y, nx, ny = v[0], v[1], n[0], n[1]
        if nx * x + ny * y > ROUNDING * sqrt(x * x + y * y):
            return i, 2
        p, share, limited = impulse_2d(
            (a, b, c),
            (x, y),
            (nx, ny),
            friction[i % len(friction)],
            restitution[i % len(restitution)],
            tangential[i % len(tangential)],
        )
        scale = 1.0 / (a * c - b * b)
        dx, dy = (c * p[0] - b * p[1]) * scale, (a * p[1] - b * p[0]) * scale
        impulse[i, 0], impulse[i, 1] = p
        after[i, 0], after[i, 1] = x + dx, y + dy
        energy[i] = p[0] * (x + 0.5 * dx) + p[1] * (y + 0.5 * dy)
        kappa[i], clipped[i] = share, limited
    return -1, 0


@jit
def _loop_3d(
    mass, velocity, normal, friction, restitution, tangential, impulse, after, energy, kappa, clipped
):
    """All collisions in three dimensions; the row that is refused and why, or (-1, 0)."""
    for i in range(len(impulse)):
        m, v, n = mass[i % len(mass)], velocity[i % len(velocity)], normal[i % len(normal)]
        a, b, c, d, f, g = m[0, 0], m[0, 1], m[0, 2], m[1, 1], m[1, 2], m[2, 2]
        aa, bb, cc = d * g - f * f, c * f - b * g, b * f - c * d
        dd, ff, gg = a * g - c * c, b * c - a * f, a * d - b * b
        det = a * aa + b * bb + c * cc
        size = PIVOT * max(a, d, g)
        if not (a > 0.0 and gg > size * a and det > size * gg):
            return i, 1
        x, y, z = v[0], v[1], v[2]
        nx, ny, nz = n[0], n[1], n[2]
        if nx * x + ny * y + nz * z > ROUNDING * sqrt(x * x + y * y + z * z):
            return i, 2
        p, share, limited = impulse_3d(
            (a, b, c, d, f, g),
            (x, y, z),
            (nx, ny, nz),
            friction[i % len(friction)],
            restitution[i % len(restitution)],
            tangential[i % len(tangential)],
        )
        px, py, pz = p
        dx = (aa * px + bb * py + cc * pz) / det
        dy = (bb * px + dd * py + ff * pz) / det
        dz = (cc * px + ff * py + gg * pz) / det
        impulse[i, 0], impulse[i, 1], impulse[i, 2] = px, py, pz
        after[i, 0], after[i, 1], after[i, 2] = x + dx, y + dy, z + dz
        energy[i] = px * (x + 0.5 * dx) + py * (y + 0.5 * dy) + pz * (z + 0.5 * dz)
        kappa[i], clipped[i] = share, limited
    return -1, 0
