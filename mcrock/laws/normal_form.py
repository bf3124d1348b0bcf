"""A single contact in coordinates along its normal and tangents, and the sliding problem in them.

With the impulse (p, x) and the velocity (v, w) along the normal and the tangents

    v+ = v + W_nn p + W_tn . x,    w+ = w + W_tn p + W_tt x

where W = M^-1. Laws that divide the impulse by its normal part are written in this form.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isinf

import numpy as np
from scipy.optimize import brentq

from mcrock.laws.problem import SingleContact

NEGLIGIBLE = 1e-14  # part of a velocity or an impulse that is rounding [1]


@dataclass(frozen=True, slots=True, eq=False)
class NormalForm:
    """Velocity and inverse mass of a contact with k = 0, 1 or 2 tangents."""

    approach: float  # v, normal velocity before the collision, <= 0 [m/s]
    slip: np.ndarray  # w, tangential velocity before (k,) [m/s]
    w_nn: float  # [1/kg]
    w_tn: np.ndarray  # (k,)
    w_tt: np.ndarray  # (k, k)
    basis: np.ndarray  # rows are the normal and the tangents (1 + k, d)

    @classmethod
    def of(cls, contact: SingleContact) -> NormalForm:
        """Normal form of a contact, its tangents those of `tangent_basis`."""
        basis = np.vstack([contact.normal, tangent_basis(contact)])
        inverse = basis @ contact.inverse @ basis.T
        velocity = basis @ contact.velocity
        approach = float(velocity[0])
        if approach > -NEGLIGIBLE * float(np.linalg.norm(velocity)):
            approach = 0.0
        return cls(approach, velocity[1:], float(inverse[0, 0]), inverse[1:, 0], inverse[1:, 1:], basis)

    @property
    def inverse(self) -> np.ndarray:
        """M^-1 (1 + k, 1 + k) along the normal and the tangents [1/kg]."""
        return np.block([[np.array([[self.w_nn]]), self.w_tn[None]], [self.w_tn[:, None], self.w_tt]])

    def impulse(self, normal: float, tangential: np.ndarray) -> np.ndarray:
        """Impulse (d,) with the given parts [N s]."""
        return normal * self.basis[0] + tangential @ self.basis[1:]

    def normal_velocity(self, normal: float, tangential: np.ndarray) -> float:
        """Normal velocity after an impulse of the given parts [m/s]."""
        return self.approach + self.w_nn * normal + float(self.w_tn @ tangential)

    def tangential_velocity(self, normal: float, tangential: np.ndarray) -> np.ndarray:
        """Tangential velocity (k,) after an impulse of the given parts [m/s]."""
        return self.slip + self.w_tn * normal + self.w_tt @ tangential


def tangent_basis(contact: SingleContact) -> np.ndarray:
    """Orthonormal tangents (d - 1, d) of a contact.

    The first opposes the tangential velocity before the collision, as in Chatterjee and Ruina (1998);
    without one it is along the first axis that is not normal.
    """
    normal = contact.normal
    d = len(normal)
    if d == 1:
        return np.empty((0, 1))
    _, first = contact.split(-contact.velocity)
    if np.linalg.norm(first) <= NEGLIGIBLE * np.linalg.norm(contact.velocity):
        _, first = contact.split(np.eye(d)[int(np.argmin(np.abs(normal) > 0.9))])
    first = first / np.linalg.norm(first)
    first = first - (first @ normal) * normal
    first = first / np.linalg.norm(first)
    return first[None] if d == 2 else np.stack([first, np.cross(normal, first)])


def sliding_impulse(w_tt: np.ndarray, slip: np.ndarray, limit: float) -> np.ndarray:
    """Tangential impulse x (k,) against the slip it would leave, no longer than a limit [N s].

    The minimum of x . W_tt x / 2 + slip . x over the ball |x| <= limit: either it ends the slip, or it is
    as long as the limit and opposes the slip w+ = slip + W_tt x that is left.

    Parameters
    ----------
    w_tt : ndarray (k, k)
        Positive semidefinite [1/kg].
    slip : ndarray (k,)
        Slip without the impulse [m/s].
    limit : float
        May be infinite if W_tt is regular [N s].
    """
    if not slip.any() or limit == 0.0:
        return np.zeros_like(slip)
    if isinf(limit):
        return -np.linalg.lstsq(w_tt, slip, rcond=NEGLIGIBLE)[0]
    if len(slip) == 1:
        reach = limit * w_tt[0, 0]
        return -slip / w_tt[0, 0] if abs(slip[0]) <= reach else -limit * np.sign(slip)
    values, vectors = np.linalg.eigh(w_tt)
    values = np.maximum(values, 0.0)
    along = vectors.T @ slip
    if values[0] > NEGLIGIBLE * values[-1]:
        sticking = -along / values
        if np.linalg.norm(sticking) <= limit:
            return vectors @ sticking

    # in units of the limit and of |slip| / limit, with u = slip / |slip|: |u / (values + shift)| = 1
    size = float(np.linalg.norm(along))
    values, along = values * (limit / size), along / size

    def excess(shift: float) -> float:
        return 1.0 - 1.0 / float(np.linalg.norm(along / (values + shift)))

    # 1 / (largest + shift) <= |u / (values + shift)| <= 1 / (smallest + shift)
    low = max(1.0 - values[-1], NEGLIGIBLE * (1.0 + values[-1]))
    shift = brentq(excess, low, 2.0, xtol=1e-300, rtol=1e-15) if excess(low) > 0.0 else low
    return -limit * (vectors @ (along / (values + shift)))
