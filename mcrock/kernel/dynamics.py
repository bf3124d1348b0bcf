"""Smooth motion between events: accelerations, contact forces and one Runge-Kutta step.

The state of a run is one array with the columns below. About a fixed pivot p the inertia
K = Theta - m [V_p][V_p] is constant in body axes, so with c = -V_p

    VERTEX   K w' + w x (K w) = c x m R^T g_eff
    EDGE     theta'' = e . (c x m g_eff) / (e . K e)
"""

from __future__ import annotations

from math import cos, sin, sqrt

from mcrock.jit import jit
from mcrock.kernel.contact import (
    COM_E,
    COM_N,
    COM_Z,
    GRAVITY,
    K_EE,
    K_EN,
    K_EZ,
    MASS,
)
from mcrock.kernel.rotation import matrix
from mcrock.kernel.shaking import acceleration

# orientation body to ground; angular velocity in body axes [rad/s]; ground position of the pivot,
# the first end of the edge or the first vertex of the face at rest [m]; angle from the first face
# flat [rad] and its rate [rad/s], orientation with that face flat and ground direction of the edge
Q0, Q1, Q2, Q3, W_X, W_Y, W_Z, P_X, P_Y, ANGLE, RATE, F0, F1, F2, F3, ALONG_X, ALONG_Y = range(17)
STATE_SIZE = 17


@jit
def vertex_rates(body, pivot, q0, q1, q2, q3, wx, wy, wz, ax, ay, az):
    """Time derivatives in VERTEX mode: quaternion (4) and angular velocity (3)."""
    m = matrix(q0, q1, q2, q3)
    gx, gy, gz = -ax, -ay, -(body.scalars[GRAVITY] + az)
    fx = m[0] * gx + m[3] * gy + m[6] * gz
    fy = m[1] * gx + m[4] * gy + m[7] * gz
    fz = m[2] * gx + m[5] * gy + m[8] * gz
    mass = body.scalars[MASS]
    v, k, i = body.vertices[pivot], body.about[pivot], body.inverse[pivot]
    cx, cy, cz = -mass * v[0], -mass * v[1], -mass * v[2]
    kx = k[0] * wx + k[1] * wy + k[2] * wz
    ky = k[1] * wx + k[3] * wy + k[4] * wz
    kz = k[2] * wx + k[4] * wy + k[5] * wz
    tx = cy * fz - cz * fy - (wy * kz - wz * ky)
    ty = cz * fx - cx * fz - (wz * kx - wx * kz)
    tz = cx * fy - cy * fx - (wx * ky - wy * kx)
    return (
        0.5 * (-q1 * wx - q2 * wy - q3 * wz),
        0.5 * (q0 * wx + q2 * wz - q3 * wy),
        0.5 * (q0 * wy + q3 * wx - q1 * wz),
        0.5 * (q0 * wz + q1 * wy - q2 * wx),
        i[0] * tx + i[1] * ty + i[2] * tz,
        i[1] * tx + i[3] * ty + i[4] * tz,
        i[2] * tx + i[4] * ty + i[5] * tz,
    )


@jit
def vertex_step(body, pivot, state, segment, t, h, out):
    """One step of the classical Runge-Kutta method in VERTEX mode from ``t`` over ``h`` [s].

    Returns the angular acceleration at its start, body axes (3 numbers) [rad/s2].
    """
    q0, q1, q2, q3 = state[Q0], state[Q1], state[Q2], state[Q3]
    x, y, z = state[W_X], state[W_Y], state[W_Z]
    a = acceleration(segment, t)
    k1 = vertex_rates(body, pivot, q0, q1, q2, q3, x, y, z, a[0], a[1], a[2])
    d = 0.5 * h
    a = acceleration(segment, t + d)
    k2 = vertex_rates(
        body, pivot, q0 + d * k1[0], q1 + d * k1[1], q2 + d * k1[2], q3 + d * k1[3],
        x + d * k1[4], y + d * k1[5], z + d * k1[6], a[0], a[1], a[2],
    )  # fmt: skip
    k3 = vertex_rates(
        body, pivot, q0 + d * k2[0], q1 + d * k2[1], q2 + d * k2[2], q3 + d * k2[3],
        x + d * k2[4], y + d * k2[5], z + d * k2[6], a[0], a[1], a[2],
    )  # fmt: skip
    a = acceleration(segment, t + h)
    k4 = vertex_rates(
        body, pivot, q0 + h * k3[0], q1 + h * k3[1], q2 + h * k3[2], q3 + h * k3[3],
        x + h * k3[4], y + h * k3[5], z + h * k3[6], a[0], a[1], a[2],
    )  # fmt: skip
    d = h / 6.0
    q0 += d * (k1[0] + 2.0 * (k2[0] + k3[0]) + k4[0])
    q1 += d * (k1[1] + 2.0 * (k2[1] + k3[1]) + k4[1])
    q2 += d * (k1[2] + 2.0 * (k2[2] + k3[2]) + k4[2])
    q3 += d * (k1[3] + 2.0 * (k2[3] + k3[3]) + k4[3])
    norm = 1.0 / sqrt(q0 * q0 + q1 * q1 + q2 * q2 + q3 * q3)
    out[Q0], out[Q1], out[Q2], out[Q3] = q0 * norm, q1 * norm, q2 * norm, q3 * norm
    out[W_X] = x + d * (k1[4] + 2.0 * (k2[4] + k3[4]) + k4[4])
    out[W_Y] = y + d * (k1[5] + 2.0 * (k2[5] + k3[5]) + k4[5])
    out[W_Z] = z + d * (k1[6] + 2.0 * (k2[6] + k3[6]) + k4[6])
    return k1[4], k1[5], k1[6]


@jit
def vertex_force(body, pivot, state, ex, ey, ez, ax, ay, az):
    """Ground reaction over mass in VERTEX mode, ground axes (3 numbers) [m/s2].

    (ex, ey, ez) is the angular acceleration in body axes [rad/s2].
    """
    m = matrix(state[Q0], state[Q1], state[Q2], state[Q3])
    wx, wy, wz = state[W_X], state[W_Y], state[W_Z]
    v = body.vertices[pivot]
    cx, cy, cz = -v[0], -v[1], -v[2]
    vx, vy, vz = wy * cz - wz * cy, wz * cx - wx * cz, wx * cy - wy * cx
    bx = ey * cz - ez * cy + wy * vz - wz * vy
    by = ez * cx - ex * cz + wz * vx - wx * vz
    bz = ex * cy - ey * cx + wx * vy - wy * vx
    return (
        m[0] * bx + m[1] * by + m[2] * bz + ax,
        m[3] * bx + m[4] * by + m[5] * bz + ay,
        m[6] * bx + m[7] * by + m[8] * bz + body.scalars[GRAVITY] + az,
    )


@jit
def vertex_lift(body, pivot, other, state, ax, ay, az):
    """Vertical acceleration of vertex ``other`` when the body turns about ``pivot`` [m/s2]."""
    m = matrix(state[Q0], state[Q1], state[Q2], state[Q3])
    wx, wy, wz = state[W_X], state[W_Y], state[W_Z]
    rates = vertex_rates(body, pivot, state[Q0], state[Q1], state[Q2], state[Q3], wx, wy, wz, ax, ay, az)
    ex, ey, ez = rates[4], rates[5], rates[6]
    v, o = body.vertices[pivot], body.vertices[other]
    dx, dy, dz = o[0] - v[0], o[1] - v[1], o[2] - v[2]
    vx, vy, vz = wy * dz - wz * dy, wz * dx - wx * dz, wx * dy - wy * dx
    return (
        m[6] * (ey * dz - ez * dy + wy * vz - wz * vy)
        + m[7] * (ez * dx - ex * dz + wz * vx - wx * vz)
        + m[8] * (ex * dy - ey * dx + wx * vy - wy * vx)
    )


@jit
def edge_acceleration(body, edge, along_x, along_y, angle, ax, ay, az):
    """Angular acceleration in EDGE mode [rad/s2]; ``edge`` is its row of constants."""
    c, s = cos(angle), sin(angle)
    inward = ay * along_x - ax * along_y  # ground acceleration along n = e_z x e
    down = body.scalars[GRAVITY] + az
    com_n, com_z = edge[COM_N] * c - edge[COM_Z] * s, edge[COM_N] * s + edge[COM_Z] * c
    return body.scalars[MASS] * (com_z * inward - com_n * down) / edge[K_EE]


@jit
def edge_step(body, edge, state, segment, t, h):
    """One Runge-Kutta step in EDGE mode; returns angle [rad] and rate [rad/s] after it."""
    ex, ey = state[ALONG_X], state[ALONG_Y]
    angle, rate = state[ANGLE], state[RATE]
    d = 0.5 * h
    a = acceleration(segment, t)
    k1 = edge_acceleration(body, edge, ex, ey, angle, a[0], a[1], a[2])
    a = acceleration(segment, t + d)
    k2 = edge_acceleration(body, edge, ex, ey, angle + d * rate, a[0], a[1], a[2])
    k3 = edge_acceleration(body, edge, ex, ey, angle + d * (rate + d * k1), a[0], a[1], a[2])
    a = acceleration(segment, t + h)
    k4 = edge_acceleration(body, edge, ex, ey, angle + h * (rate + d * k2), a[0], a[1], a[2])
    return angle + h * (rate + h * (k1 + k2 + k3) / 6.0), rate + h * (k1 + 2.0 * (k2 + k3) + k4) / 6.0


@jit
def edge_contact(body, edge, along_x, along_y, angle, rate, ax, ay, az):
    """Contact along an edge: moment M_n about its first end over mass, and the reaction.

    Returns M.n/m [m2/s2] in the ground frame (e, n, z) of the edge and the reaction over mass
    (F_e, F_n, F_z) [m/s2]. The centre of pressure lies at -M_n/F_z from the first end.
    """
    c, s = cos(angle), sin(angle)
    inward, lengthwise = ay * along_x - ax * along_y, ax * along_x + ay * along_y
    down = body.scalars[GRAVITY] + az
    com_n, com_z = edge[COM_N] * c - edge[COM_Z] * s, edge[COM_N] * s + edge[COM_Z] * c
    mass = body.scalars[MASS]
    acc = mass * (com_z * inward - com_n * down) / edge[K_EE]
    square = rate * rate
    # rate of angular momentum about the first end, body axes of the edge, then ground
    change_n = acc * edge[K_EN] - square * edge[K_EZ]
    change_z = acc * edge[K_EZ] + square * edge[K_EN]
    moment_n = (change_n * c - change_z * s) / mass - (-com_z * lengthwise + edge[COM_E] * down)
    force_n = -acc * com_z - square * com_n + inward
    force_z = acc * com_n - square * com_z + down
    return moment_n, lengthwise, force_n, force_z
