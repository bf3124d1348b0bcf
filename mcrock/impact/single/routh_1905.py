"""Coulomb friction followed through the collision, kinetic restitution of Poisson.

Routh, E. J. (1905). The Elementary Part of a Treatise on the Dynamics of a System of Rigid Bodies, seventh
edition. Macmillan, London; see `mcrock.laws.routh_1905`. With T, b and zz the tangential, coupling and normal
parts of the mobility, the slip V = L s changes with the normal impulse p by dV/dp = b - mu T s. In the time t
with dp = L dt its direction turns by itself and its length decays exponentially,

    d(angle)/dt = a . (b - mu T s),   d(log L)/dt = s . (b - mu T s),   a at right angles to s

until the slip is over: then the contact sticks, or slips straight on. One equation for the angle is left and
quadratures along it, for which Gauss's method with four stages (order 8) needs no storage. No energy is
gained. Where much friction jams the contact it may penetrate, in three dimensions; a landing is then left
with a normal velocity below 0.
"""

from __future__ import annotations

from math import atan2, cos, exp, hypot, inf, sin

import numpy as np

from mcrock.base.jit import jit
from mcrock.impact.single.pfeiffer_glocker_1996 import sliding_impulse
from mcrock.impact.single.whittaker_1904 import EPSILON, STEPS

STRIDE = 0.2  # of the integration, over the fastest change of angle and log L [1]
LONGEST = 20_000  # steps; what is left then goes straight
STEADY = 1e-14  # rate at which the direction of slip turns that is rounding, relative [1]
NEGLIGIBLE = 1e-14  # slip that is rounding, over the speed before the collision [1]


def _gauss() -> tuple[tuple[float, ...], ...]:
    """Matrix, and as the last row weights, of Gauss's method with four stages."""
    nodes, weights = np.polynomial.legendre.leggauss(4)
    nodes = 0.5 * (nodes + 1.0)
    powers = np.vander(nodes, increasing=True)
    integrals = np.array([nodes ** (k + 1) / (k + 1) for k in range(4)])
    rows = np.linalg.solve(powers.T, integrals).T
    return (*(tuple(row.tolist()) for row in rows), tuple((0.5 * weights).tolist()))


(A11, A12, A13, A14), (A21, A22, A23, A24), (A31, A32, A33, A34), (A41, A42, A43, A44), WEIGHTS = _gauss()
B1, B2, B3, B4 = WEIGHTS


@jit
def impulse(w, v, e, et, mu):
    """Impulse of the law [N s]; `mcrock.impact.single`. Friction must be finite.

    >>> px, _, pz = impulse((3.5, 0.0, 0.0, 3.5, 0.0, 1.0), (2.0, 0.0, -1.0), 0.5, 0.0, 0.3)  # a ball slips
    >>> round(px, 9), round(pz, 9)
    (-0.45, 1.5)
    """
    xx, xy, xz, yy, yz, zz = w
    length = hypot(v[0], v[1])
    speed = hypot(length, v[2])
    angle = atan2(v[1], v[0])
    scale = mu * (xx + yy) + hypot(xz, yz)
    x = y = p = 0.0
    end = inf  # normal impulse at the end of the collision, known from the end of the compression on
    for _ in range(LONGEST):
        _, turn, decay = _rates(w, mu, angle)
        # what is left of a slip that decays cannot turn it much
        steady = STEADY * scale * (max(speed / length, 1.0) if decay < 0.0 and length > 0.0 else 1.0)
        if length <= NEGLIGIBLE * speed or abs(turn) <= steady:
            break
        stride = STRIDE / scale
        state = _advanced(w, mu, (x, y, p, angle, length), stride)
        miss, _ = _beyond(w, v[2], mu, state, end)
        closing = miss >= 0.0
        if closing:
            state = _close(w, v[2], mu, (x, y, p, angle, length), end, stride)
        x, y, p, angle, length = state
        if closing:
            if end < inf or e == 0.0:
                return x, y, p
            end = (1.0 + e) * p

    # straight to the end of the slip, and on without it or along the one that friction cannot hold
    _, _, decay = _rates(w, mu, angle)
    for leg in range(2):
        if leg == 0:
            rate_x, rate_y = -mu * cos(angle), -mu * sin(angle)
            longest = 0.0
            if length > NEGLIGIBLE * speed:
                longest = -length / decay if decay < 0.0 else inf
        else:
            rate_x, rate_y = sliding_impulse(xx, xy, yy, xz, yz, mu)
            longest = inf
        if end == inf:
            growth = zz + xz * rate_x + yz * rate_y
            reach = -(v[2] + zz * p + xz * x + yz * y) / growth if growth > 0.0 else inf
            if reach <= longest:
                end = (1.0 + e) * (p + reach)
        run = min(longest, end - p)
        x, y, p = x + run * rate_x, y + run * rate_y, p + run
        if run < longest:
            break
    return x, y, p


@jit(internal=True)
def _beyond(w, approach, mu, state, end):
    """What a state is beyond the end of its phase by, and how fast: normal velocity, or normal impulse."""
    x, y, p, angle, length = state
    if end < inf:
        return p - end, length
    along, _, _ = _rates(w, mu, angle)
    return approach + w[5] * p + w[2] * x + w[4] * y, length * (w[5] - mu * along)


@jit(internal=True)
def _close(w, approach, mu, state, end, stride):
    """State at the end of a phase, which is within a stride: Newton's method, kept inside by bisection."""
    low, high, part = 0.0, stride, 0.5 * stride
    found = state
    for _ in range(STEPS):
        found = _advanced(w, mu, state, part)
        miss, growth = _beyond(w, approach, mu, found, end)
        if miss < 0.0:
            low = part
        else:
            high = part
        following = part - miss / growth if growth != 0.0 else low
        if not low < following < high:
            following = 0.5 * (low + high)
        if abs(following - part) <= EPSILON * stride:
            break
        part = following
    return found


@jit(internal=True)
def _advanced(w, mu, state, stride):
    """Impulses, angle and length of the slip after a stride of the time t."""
    x, y, p, angle, length = state
    f1 = f2 = f3 = f4 = angle
    l1 = l2 = l3 = l4 = 0.0
    k1 = k2 = k3 = k4 = 0.0
    for _ in range(STEPS):
        _, k1, l1 = _rates(w, mu, f1)
        _, k2, l2 = _rates(w, mu, f2)
        _, k3, l3 = _rates(w, mu, f3)
        _, k4, l4 = _rates(w, mu, f4)
        g1 = angle + stride * (A11 * k1 + A12 * k2 + A13 * k3 + A14 * k4)
        g2 = angle + stride * (A21 * k1 + A22 * k2 + A23 * k3 + A24 * k4)
        g3 = angle + stride * (A31 * k1 + A32 * k2 + A33 * k3 + A34 * k4)
        g4 = angle + stride * (A41 * k1 + A42 * k2 + A43 * k3 + A44 * k4)
        change = max(abs(g1 - f1), abs(g2 - f2), abs(g3 - f3), abs(g4 - f4))
        f1, f2, f3, f4 = g1, g2, g3, g4
        if change <= 4.0 * EPSILON * (1.0 + abs(angle)):
            break
    n1 = B1 * length * exp(stride * (A11 * l1 + A12 * l2 + A13 * l3 + A14 * l4))
    n2 = B2 * length * exp(stride * (A21 * l1 + A22 * l2 + A23 * l3 + A24 * l4))
    n3 = B3 * length * exp(stride * (A31 * l1 + A32 * l2 + A33 * l3 + A34 * l4))
    n4 = B4 * length * exp(stride * (A41 * l1 + A42 * l2 + A43 * l3 + A44 * l4))
    x -= stride * mu * (n1 * cos(f1) + n2 * cos(f2) + n3 * cos(f3) + n4 * cos(f4))
    y -= stride * mu * (n1 * sin(f1) + n2 * sin(f2) + n3 * sin(f3) + n4 * sin(f4))
    angle += stride * (B1 * k1 + B2 * k2 + B3 * k3 + B4 * k4)
    decayed = length * exp(stride * (B1 * l1 + B2 * l2 + B3 * l3 + B4 * l4))
    return x, y, p + stride * (n1 + n2 + n3 + n4), angle, decayed


@jit(internal=True)
def _rates(w, mu, angle):
    """b . s, and the rates of the angle and of log L [1/kg]."""
    xx, xy, xz, yy, yz, _ = w
    c, s = cos(angle), sin(angle)
    qx, qy = xz - mu * (xx * c + xy * s), yz - mu * (xy * c + yy * s)
    return xz * c + yz * s, qy * c - qx * s, qx * c + qy * s
