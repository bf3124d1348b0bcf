"""Smooth motion between events: accelerations, contact forces, one Runge-Kutta step, and a face lying flat.

The state of a run is one array with the columns below. About a fixed pivot p the inertia
K = Theta - m [V_p][V_p] is constant in body axes, so with c = -V_p

    VERTEX   K w' + w x (K w) = c x m R^T g_eff
    EDGE     theta'' = e . (c x m g_eff) / (e . K e)

Both are used per unit mass. Rows of constants (`body.pivots`, `body.edges` of the record) are passed
instead of the whole pack, and what is known at the start of a step is computed once for all steps
tried from there.
"""

from __future__ import annotations

from math import cos, pi, sin, sqrt

import numpy as np

from mcrock.base.jit import jit
from mcrock.kernel import codes
from mcrock.kernel.rotation import flattened, to_ground, vertical
from mcrock.kernel.shaking import acceleration

SMALL_TURN = 0.02  # angle up to which sine and cosine are power series to the last bit [rad]


@jit(inline=True, internal=True)
def orientation(state):
    """Quaternion from body to ground (4 numbers)."""
    return state.q0, state.q1, state.q2, state.q3


@jit(inline=True, internal=True)
def angular_velocity(state):
    """In body axes (3 numbers) [rad/s]."""
    return state.w_x, state.w_y, state.w_z


@jit(inline=True, internal=True)
def normalize(state):
    """Make the quaternion one of length 1."""
    q0, q1, q2, q3 = orientation(state)
    norm = 1.0 / sqrt(q0 * q0 + q1 * q1 + q2 * q2 + q3 * q3)
    state.q0, state.q1, state.q2, state.q3 = q0 * norm, q1 * norm, q2 * norm, q3 * norm


@jit(inline=True, internal=True)
def copy_pose(state, copy):
    """Copy orientation and angular velocity."""
    copy.q0, copy.q1, copy.q2, copy.q3 = orientation(state)
    copy.w_x, copy.w_y, copy.w_z = angular_velocity(state)


@jit(internal=True)
def copy_motion(state, copy):
    """Copy what changes smoothly in a mode with slip or in flight."""
    copy_pose(state, copy)
    copy.x, copy.y, copy.z = state.x, state.y, state.z
    copy.v_x, copy.v_y, copy.v_z = state.v_x, state.v_y, state.v_z
    copy.path_0, copy.path_1, copy.loss = state.path_0, state.path_1, state.loss


@jit(internal=True)
def copy_state(state, copy):
    """Copy all of a state."""
    copy_motion(state, copy)
    copy.p_x, copy.p_y, copy.angle, copy.rate = state.p_x, state.p_y, state.angle, state.rate
    copy.f0, copy.f1, copy.f2, copy.f3 = state.f0, state.f1, state.f2, state.f3
    copy.along_x, copy.along_y = state.along_x, state.along_y
    copy.s0_x, copy.s0_y, copy.s1_x, copy.s1_y = state.s0_x, state.s0_y, state.s1_x, state.s1_y


@jit(internal=True)
def clear_state(state):
    """Set all of a state to zero."""
    state.q0 = state.q1 = state.q2 = state.q3 = state.w_x = state.w_y = state.w_z = 0.0
    state.p_x = state.p_y = state.angle = state.rate = state.f0 = state.f1 = state.f2 = state.f3 = 0.0
    state.along_x = state.along_y = state.x = state.y = state.z = state.v_x = state.v_y = state.v_z = 0.0
    state.path_0 = state.path_1 = state.loss = state.s0_x = state.s0_y = state.s1_x = state.s1_y = 0.0


@jit(internal=True)
def advance_state(state, rates, h, out):
    """Write into ``out`` a state with slip or in flight after rates over ``h`` [s]; they may be one."""
    out.q0, out.q1 = state.q0 + h * rates.q0, state.q1 + h * rates.q1
    out.q2, out.q3 = state.q2 + h * rates.q2, state.q3 + h * rates.q3
    out.w_x, out.w_y = state.w_x + h * rates.w_x, state.w_y + h * rates.w_y
    out.w_z, out.loss = state.w_z + h * rates.w_z, state.loss + h * rates.loss
    out.x, out.y, out.z = state.x + h * rates.x, state.y + h * rates.y, state.z + h * rates.z
    out.v_x, out.v_y = state.v_x + h * rates.v_x, state.v_y + h * rates.v_y
    out.v_z, out.path_0 = state.v_z + h * rates.v_z, state.path_0 + h * rates.path_0
    out.path_1 = state.path_1 + h * rates.path_1


@jit(internal=True)
def weigh_rates(a, b, c, d, out):
    """Six times the mean of rates in the classical Runge-Kutta method, at the start, twice in the middle and
    at the end of a step, into ``out``."""
    out.q0, out.q1 = a.q0 + 2.0 * (b.q0 + c.q0) + d.q0, a.q1 + 2.0 * (b.q1 + c.q1) + d.q1
    out.q2, out.q3 = a.q2 + 2.0 * (b.q2 + c.q2) + d.q2, a.q3 + 2.0 * (b.q3 + c.q3) + d.q3
    out.w_x, out.w_y = a.w_x + 2.0 * (b.w_x + c.w_x) + d.w_x, a.w_y + 2.0 * (b.w_y + c.w_y) + d.w_y
    out.w_z, out.loss = a.w_z + 2.0 * (b.w_z + c.w_z) + d.w_z, a.loss + 2.0 * (b.loss + c.loss) + d.loss
    out.x, out.y = a.x + 2.0 * (b.x + c.x) + d.x, a.y + 2.0 * (b.y + c.y) + d.y
    out.z, out.v_x = a.z + 2.0 * (b.z + c.z) + d.z, a.v_x + 2.0 * (b.v_x + c.v_x) + d.v_x
    out.v_y, out.v_z = a.v_y + 2.0 * (b.v_y + c.v_y) + d.v_y, a.v_z + 2.0 * (b.v_z + c.v_z) + d.v_z
    out.path_0 = a.path_0 + 2.0 * (b.path_0 + c.path_0) + d.path_0
    out.path_1 = a.path_1 + 2.0 * (b.path_1 + c.path_1) + d.path_1


@jit(inline=True, internal=True)
def pulled(q, gravity, a):
    """Effective gravity R^T (-g e_z - a) in body axes (3 numbers) [m/s2]."""
    q0, q1, q2, q3 = q
    gx, gy, gz = -a[0], -a[1], -(gravity + a[2])
    # with the vector part v of the quaternion: g + q0 u + u x v, u = 2 g x v
    ux, uy, uz = 2.0 * (gy * q3 - gz * q2), 2.0 * (gz * q1 - gx * q3), 2.0 * (gx * q2 - gy * q1)
    return (
        gx + q0 * ux + (uy * q3 - uz * q2),
        gy + q0 * uy + (uz * q1 - ux * q3),
        gz + q0 * uz + (ux * q2 - uy * q1),
    )


@jit(inline=True, internal=True)
def force_turn(p, force):
    """Angular acceleration about the pivot with constants ``p`` by a force over the mass at the COM, in body
    axes (3 numbers) [rad/s2]."""
    fx, fy, fz = force
    tx, ty, tz = p.com_y * fz - p.com_z * fy, p.com_z * fx - p.com_x * fz, p.com_x * fy - p.com_y * fx
    return (
        p.inv_xx * tx + p.inv_xy * ty + p.inv_xz * tz,
        p.inv_xy * tx + p.inv_yy * ty + p.inv_yz * tz,
        p.inv_xz * tx + p.inv_yz * ty + p.inv_zz * tz,
    )


@jit(inline=True, internal=True)
def vertex_rates(p, gravity, q, w, a):
    """Rates in VERTEX mode about the pivot with constants ``p``.

    Returns twice the rate of the quaternion (4), the angular acceleration in body axes (3) [rad/s2]
    and the effective gravity in body axes (3) [m/s2].
    """
    q0, q1, q2, q3 = q
    wx, wy, wz = w
    fx, fy, fz = pulled(q, gravity, a)
    kx = p.k_xx * wx + p.k_xy * wy + p.k_xz * wz
    ky = p.k_xy * wx + p.k_yy * wy + p.k_yz * wz
    kz = p.k_xz * wx + p.k_yz * wy + p.k_zz * wz
    tx = p.com_y * fz - p.com_z * fy - (wy * kz - wz * ky)
    ty = p.com_z * fx - p.com_x * fz - (wz * kx - wx * kz)
    tz = p.com_x * fy - p.com_y * fx - (wx * ky - wy * kx)
    return (
        -q1 * wx - q2 * wy - q3 * wz,
        q0 * wx + q2 * wz - q3 * wy,
        q0 * wy + q3 * wx - q1 * wz,
        q0 * wz + q1 * wy - q2 * wx,
        p.inv_xx * tx + p.inv_xy * ty + p.inv_xz * tz,
        p.inv_xy * tx + p.inv_yy * ty + p.inv_yz * tz,
        p.inv_xz * tx + p.inv_yz * ty + p.inv_zz * tz,
        fx,
        fy,
        fz,
    )


@jit(inline=True, internal=True)
def rates_at(p, gravity, state, segment, t):
    """`vertex_rates` of a state at time ``t`` [s]."""
    return rates_with(p, gravity, state, acceleration(segment, t))


@jit(inline=True, internal=True)
def rates_with(p, gravity, state, a):
    """`vertex_rates` of a state with ground acceleration ``a`` [m/s2]."""
    q, w = orientation(state), angular_velocity(state)
    return vertex_rates(p, gravity, q, w, a)


@jit(inline=True, internal=True)
def _ahead(y, k, e, d):
    """Quaternion and angular velocity after rates: ``e`` is half of the time ``d``, as that of the quaternion
    comes doubled."""
    q = y[0] + e * k[0], y[1] + e * k[1], y[2] + e * k[2], y[3] + e * k[3]
    return q, (y[4] + d * k[4], y[5] + d * k[5], y[6] + d * k[6])


@jit(inline=True)
def vertex_step(p, gravity, state, k1, push, h, out):
    """One step of the classical Runge-Kutta method in VERTEX mode over ``h`` [s].

    ``k1`` are the `vertex_rates` at the start and ``push`` the accelerations of the ground for its middle
    and its end (two of 3 numbers) [m/s2].
    """
    q0, q1, q2, q3 = orientation(state)
    x, y, z = angular_velocity(state)
    d, e = 0.5 * h, 0.25 * h  # the rates of the quaternion come doubled
    a, b = push
    q, w = _ahead((q0, q1, q2, q3, x, y, z), k1, e, d)
    k2 = vertex_rates(p, gravity, q, w, a)
    q, w = _ahead((q0, q1, q2, q3, x, y, z), k2, e, d)
    k3 = vertex_rates(p, gravity, q, w, a)
    q, w = _ahead((q0, q1, q2, q3, x, y, z), k3, d, h)
    k4 = vertex_rates(p, gravity, q, w, b)
    d, e = h / 6.0, h / 12.0
    q0 += e * (k1[0] + 2.0 * (k2[0] + k3[0]) + k4[0])
    q1 += e * (k1[1] + 2.0 * (k2[1] + k3[1]) + k4[1])
    q2 += e * (k1[2] + 2.0 * (k2[2] + k3[2]) + k4[2])
    q3 += e * (k1[3] + 2.0 * (k2[3] + k3[3]) + k4[3])
    norm = 1.0 / sqrt(q0 * q0 + q1 * q1 + q2 * q2 + q3 * q3)
    out.q0, out.q1, out.q2, out.q3 = q0 * norm, q1 * norm, q2 * norm, q3 * norm
    out.w_x = x + d * (k1[4] + 2.0 * (k2[4] + k3[4]) + k4[4])
    out.w_y = y + d * (k1[5] + 2.0 * (k2[5] + k3[5]) + k4[5])
    out.w_z = z + d * (k1[6] + 2.0 * (k2[6] + k3[6]) + k4[6])


@jit(inline=True, internal=True)
def nudge(p, gravity, state, a, h):
    """Move a state of VERTEX mode with ground acceleration ``a`` on or back by a time ``h`` [s] so short that
    rates suffice."""
    k = rates_with(p, gravity, state, a)
    d = 0.5 * h  # the rates of the quaternion come doubled
    state.q0 += d * k[0]
    state.q1 += d * k[1]
    state.q2 += d * k[2]
    state.q3 += d * k[3]
    state.w_x += h * k[4]
    state.w_y += h * k[5]
    state.w_z += h * k[6]


@jit(inline=True, internal=True)
def turning(k, wx, wy, wz, dx, dy, dz):
    """Acceleration over the pivot of a point at (dx, dy, dz) from it, body axes (3 numbers) [m/s2]."""
    vx, vy, vz = wy * dz - wz * dy, wz * dx - wx * dz, wx * dy - wy * dx
    return (
        k[5] * dz - k[6] * dy + wy * vz - wz * vy,
        k[6] * dx - k[4] * dz + wz * vx - wx * vz,
        k[4] * dy - k[5] * dx + wx * vy - wy * vx,
    )


@jit(inline=True, internal=True)
def vertex_force(p, state, k, up):
    """Ground reaction over mass in VERTEX mode: normal [m/s2] and the square of the horizontal part.

    ``k`` are the `vertex_rates` of the state and ``up`` its vertical in body axes.
    """
    x, y, z = turning(k, state.w_x, state.w_y, state.w_z, p.com_x, p.com_y, p.com_z)
    x, y, z = x - k[7], y - k[8], z - k[9]
    normal = x * up[0] + y * up[1] + z * up[2]
    x, y, z = x - normal * up[0], y - normal * up[1], z - normal * up[2]
    return normal, x * x + y * y + z * z


@jit(inline=True, internal=True)
def attitude(state):
    """The vertical and the angular velocity in body axes (two of 3 numbers)."""
    return vertical(orientation(state)), angular_velocity(state)


@jit(inline=True, internal=True)
def rise(body, k, turned, pivot, other):
    """Vertical acceleration of ``other`` about ``pivot`` [m/s2], with `vertex_rates` and `attitude`."""
    v, o = body.vertices[pivot], body.vertices[other]
    up, (wx, wy, wz) = turned
    x, y, z = turning(k, wx, wy, wz, o[0] - v[0], o[1] - v[1], o[2] - v[2])
    return up[0] * x + up[1] * y + up[2] * z


@jit(internal=True)
def vertex_lift(body, pivot, other, state, a):
    """`rise` under the ground acceleration ``a`` [m/s2]."""
    k = rates_with(body.pivots[pivot], body.gravity, state, a)
    return rise(body, k, attitude(state), pivot, other)


@jit(inline=True, internal=True)
def edge_com(edge, c, s):
    """COM over the first end in EDGE mode, inwards and up [m], at an angle with cosine and sine."""
    return edge.com_n * c - edge.com_z * s, edge.com_n * s + edge.com_z * c


@jit(inline=True, internal=True)
def small_turn(angle):
    """Cosine and sine of an angle that is small in every step of a sensible size."""
    if abs(angle) > SMALL_TURN:
        return cos(angle), sin(angle)
    x = angle * angle
    c = 1.0 + x * (-1.0 / 2 + x * (1.0 / 24 - x / 720))
    s = angle * (1.0 + x * (-1.0 / 6 + x * (1.0 / 120 - x / 5040)))
    return c, s


@jit(inline=True, internal=True)
def edge_acceleration(edge, com_n, com_z, inward, down):
    """Angular acceleration in EDGE mode [rad/s2].

    ``inward`` is the ground acceleration along n = e_z x e, ``down`` gravity plus its vertical part.
    """
    return (com_z * inward - com_n * down) * edge.push


@jit(inline=True, internal=True)
def _turned_acceleration(edge, com_n, com_z, angle, inward, down):
    """`edge_acceleration` after a further turn by ``angle`` [rad]."""
    c, s = small_turn(angle)
    return edge_acceleration(edge, com_n * c - com_z * s, com_n * s + com_z * c, inward, down)


@jit(inline=True, internal=True)
def edge_frame(state, gravity, a):
    """Ground acceleration in EDGE mode: inwards, along the edge, and with gravity downwards [m/s2]."""
    x, y = state.along_x, state.along_y
    return a[1] * x - a[0] * y, a[0] * x + a[1] * y, gravity + a[2]


@jit(inline=True)
def edge_step(edge, state, start, segment, t, h):
    """One Runge-Kutta step in EDGE mode; returns the turn [rad] and the rate after it [rad/s].

    ``start`` has gravity and, at the start, the `edge_com` (2) and the `edge_acceleration`.
    """
    gravity, com_n, com_z, k1 = start
    rate, d = state.rate, 0.5 * h
    inward, _, down = edge_frame(state, gravity, acceleration(segment, t + d))
    k2 = _turned_acceleration(edge, com_n, com_z, d * rate, inward, down)
    k3 = _turned_acceleration(edge, com_n, com_z, d * (rate + d * k1), inward, down)
    inward, _, down = edge_frame(state, gravity, acceleration(segment, t + h))
    k4 = _turned_acceleration(edge, com_n, com_z, h * (rate + d * k2), inward, down)
    return h * (rate + h * (k1 + k2 + k3) / 6.0), rate + h * (k1 + 2.0 * (k2 + k3) + k4) / 6.0


@jit(inline=True, internal=True)
def edge_contact(edge, c, s, rate, inward, lengthwise, down):
    """Contact along an edge at an angle with cosine ``c`` and sine ``s``.

    Returns the angular acceleration [rad/s2], the moment M_n about its first end over mass
    [m2/s2], the reaction over mass inwards and up [m/s2] and its moment M_z about the vertical at that
    end [m2/s2]; along the edge it is ``lengthwise``. The centre of pressure lies at -M_n/F_z from the
    first end.
    """
    com_n, com_z = edge_com(edge, c, s)
    acc = edge_acceleration(edge, com_n, com_z, inward, down)
    square = rate * rate
    # rate of angular momentum about the first end, body axes of the edge, then ground
    change_n = acc * edge.k_en - square * edge.k_ez
    change_z = acc * edge.k_ez + square * edge.k_en
    moment_n = change_n * c - change_z * s + com_z * lengthwise - edge.com_e * down
    moment_z = change_n * s + change_z * c + edge.com_e * inward - com_n * lengthwise
    force_n = -acc * com_z - square * com_n + inward
    force_z = acc * com_n - square * com_z + down
    return acc, moment_n, force_n, force_z, moment_z


NONE, FIRST, SECOND = np.int64(-1), np.int64(0), np.int64(1)


@jit(internal=True)
def contact_vertex(body, mode, index):
    """A vertex on the ground, one that sticks where only one end of an edge does; any vertex in flight."""
    if mode == codes.FLIGHT:
        return FIRST
    if mode in (codes.VERTEX, codes.VERTEX_SLIP):
        return index
    if mode == codes.ROLL:
        return body.n_vertex
    if mode in (codes.REST, codes.SLIDE, codes.SPIN):
        return body.face_vertices[body.face_first[index]]
    return body.edge_vertices[index, 1 if mode == codes.EDGE_SLIP_FIRST else 0]


@jit(internal=True)
def edge_between(body, first, second):
    """The edge that joins two vertices, NONE if none does."""
    for i in range(body.spoke_first[first], body.spoke_first[first + 1]):
        if body.spokes[i] == second:
            return body.spoke_edges[i]
    return NONE


@jit(inline=True)
def point_of(body, vertex):
    v = body.vertices[vertex]
    return v[0], v[1], v[2]


@jit(inline=True)
def inertia_of(body):
    i = body.inertia
    return i[0], i[1], i[2], i[3], i[4], i[5]


@jit(internal=True)
def move_pivot(body, state, old, new):
    """Ground position of the pivot when vertex ``new`` takes over from ``old``."""
    if old != new:
        a, b = body.vertices[old], body.vertices[new]
        x, y, _ = to_ground(orientation(state), b[0] - a[0], b[1] - a[1], b[2] - a[2])
        state.p_x += x
        state.p_y += y


@jit(internal=True)
def move_contact(state, old, new):
    """Ground position of the contact when ``new`` takes over from ``old``, points in body axes [m]."""
    x, y, _ = to_ground(orientation(state), new[0] - old[0], new[1] - old[1], new[2] - old[2])
    state.p_x += x
    state.p_y += y


@jit(inline=True, internal=True)
def lowest_azimuth(up):
    """Cosine and sine of the azimuth of the lowest point of a rim, and sine of the tilt [1], from the
    vertical in body axes."""
    tilt = sqrt(up[0] * up[0] + up[1] * up[1])
    return -up[0] / tilt, -up[1] / tilt, tilt


@jit(inline=True, internal=True)
def rim_point(body, c, s):
    """The point of the rim at an azimuth with cosine and sine, in body axes (3 numbers) [m]."""
    return body.base_x + body.rim * c, body.base_y + body.rim * s, body.base_z


@jit(inline=True, internal=True)
def on_rim(body, mode, index):
    """Whether the lowest point of a circular base is the contact of a mode."""
    return mode == codes.ROLL or (mode == codes.VERTEX_SLIP and index == body.n_vertex)


@jit(internal=True)
def place_rim(body, state):
    """Write the lowest point of a circular base where it counts as a vertex, behind those that there are.

    Of a base that lies flat it is the one at the azimuth 0.
    """
    up = vertical(orientation(state))
    c, s = 1.0, 0.0
    if up[0] != 0.0 or up[1] != 0.0:
        c, s, _ = lowest_azimuth(up)
    v = body.vertices[body.n_vertex]
    v[0], v[1], v[2] = rim_point(body, c, s)


@jit(inline=True, internal=True)
def rim_turn(up, w):
    """Cosine and sine of the azimuth of the lowest point of a rim, and its rate [rad/s]; ``w`` is the angular
    velocity in body axes."""
    c, s, tilt = lowest_azimuth(up)
    return c, s, -up[2] * (c * w[0] + s * w[1]) / tilt - w[2]


@jit(inline=True, internal=True)
def rim_way(body, turned):
    """Velocity of that point along the rim, in body axes (2 numbers) [m/s]."""
    c, s, turn = turned
    return -body.rim * turn * s, body.rim * turn * c


@jit(internal=True)
def rolling_drag(body, loss, turned, w):
    """Moment of a rolling loss over the mass (3 numbers, body axes) [m2/s2]: `mcrock.kernel.rolling`."""
    (c, s, turn), (wx, wy, wz), i = turned, w, body.inertia
    x, y, z = rim_point(body, c, s)
    xx, xy, yy = i[0] / body.mass + y * y + z * z, i[1] / body.mass - x * y, i[3] / body.mass + x * x + z * z
    drag, roll = loss / (4.0 * pi) * abs(turn), c * wx + s * wy
    about, inwards = s * s * xx - 2.0 * s * c * xy + c * c * yy, c * x + s * y
    lever = inwards * roll + z * wz
    drag_r = drag * (about * roll - lever * inwards)
    return -drag_r * c, -drag_r * s, -drag * (about * wz - lever * z)


@jit(inline=True, internal=True)
def upward(face):
    """The vertical in body axes (3 numbers)."""
    return face.up_x, face.up_y, face.up_z


@jit(inline=True, internal=True)
def in_face(face, v):
    """A vector in body axes along the axes of a face (3 numbers)."""
    return (
        v[0] * face.x_x + v[1] * face.x_y + v[2] * face.x_z,
        v[0] * face.y_x + v[1] * face.y_y + v[2] * face.y_z,
        v[0] * face.up_x + v[1] * face.up_y + v[2] * face.up_z,
    )


@jit(internal=True)
def in_body(face, x, y):
    """A vector in the plane of a face in body axes (3 numbers)."""
    return x * face.x_x + y * face.y_x, x * face.x_y + y * face.y_y, x * face.x_z + y * face.y_z


@jit(internal=True)
def point_of_face(face, x, y):
    """A point of the plane of a face in body axes (3 numbers) [m]."""
    (a, b, c), h = in_body(face, x, y), face.height
    return a - h * face.up_x, b - h * face.up_y, c - h * face.up_z


@jit(internal=True)
def lay_flat(face, q, out):
    """Write into ``out`` the pose ``q`` after the smallest turn that lays a face flat; they may be one."""
    x, y, z = upward(face)
    out.q0, out.q1, out.q2, out.q3 = flattened(orientation(q), x, y, z)
