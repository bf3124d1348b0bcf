"""Two coefficients of restitution, one for the normal and one for the tangential direction, with friction.

Chatterjee, A., Ruina, A. (1998). A new algebraic rigid-body collision law based on impulse space
considerations. Journal of Applied Mechanics 65(4), 939-951. Equation numbers are those of the paper.

The impulse is a sum of two: P_I ends the approach without friction (3), P_II ends all relative motion (4).

    P = (1 + e) P_I + kappa (P_II - P_I)                                                              (11)

kappa is 1 + e_t (14), or less where the friction cone is narrower (13). The outcome is unique and always
permissible: no penetration, no pull, no gain of energy, inside the friction cone.
"""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

import numpy as np

from mcrock.laws.problem import ROUNDING, ImpactResult, SingleContact, coefficient, finite_array


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
