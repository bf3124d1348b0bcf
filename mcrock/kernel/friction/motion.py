"""The body with its six degrees of freedom: forces and rates with slip on a vertex or an edge, and in flight.

A mode with slip or flight keeps position and velocity in the state, of the first contact, so that a slip is
not the small difference of large velocities, or in flight of the COM (`to_contact`); a mode that sticks keeps
the ground position of its pivot. What a contact prescribes (its height, no normal velocity) is never
integrated: `settle` restores it after each step.

A contact i that slips in the direction s_i pushes with N_i (e_z - mu s_i); the condition that it stays on the
ground is one linear equation for each. About an end that sticks the body turns as in VERTEX mode. The
direction of slip is that of the velocity; where that is (nearly) zero or has gone past a stop it is the one
at the start of the step, so that a straight slip is smooth up to its stop and beyond, where its root is
found.
"""

from __future__ import annotations

from math import sqrt

from mcrock.base.jit import jit
from mcrock.kernel import codes
from mcrock.kernel.dynamics import (
    angular_velocity,
    clear_state,
    contact_vertex,
    on_rim,
    orientation,
    place_rim,
    rim_turn,
    rim_way,
    rolling_drag,
)
from mcrock.kernel.edge import edge_pose
from mcrock.kernel.friction.coulomb import clear_contact, turned_by
from mcrock.kernel.rotation import matrix, norm, to_ground

STOPPED = 1e-9  # slip this slow has stopped [m/s]
STOPS_IN = 0.1  # a slip that ends this soon has stopped, over the time of a sequence of edge impacts [1]
CREEPS_IN = 0.03  # the same for a face that spins, whose slowest corner creeps then [1]
KICK = 1e-7  # speed with which a slip begins, so that it has a direction [m/s]
PASSED = 32  # corners looked at in the time in which a contact is solved, about [1]


@jit(internal=True)
def clear_friction(body, friction):
    """Forget the run before: what a run gives must not depend on which ran before it."""
    found = friction.found
    clear_report(found)
    found.n_0 = found.n_1 = found.t_0 = found.t_1 = found.turning = found.stiffness = found.stood = 0.0
    found.bend_0 = found.bend_1 = found.held = found.slow = found.creep = found.solved = found.stopping = 0.0
    friction.path[:] = 0.0
    friction.spinning[:] = 0.0
    clear_stiffness(friction.stiff[0])
    clear_stiffness(friction.stiff[1])
    for i in range(body.n_vertex):
        clear_contact(friction.contacts[i])
    for stage in range(4):
        clear_state(friction.rates[stage])


@jit(internal=True)
def clear_report(found):
    """Forget the impact before."""
    found.i_x = found.i_y = found.i_z = found.couple = found.kappa = 0.0
    found.clipped = found.map = found.unconverged = found.gained = 0.0


@jit(internal=True)
def clear_stiffness(row):
    """Rates do not change with a slip."""
    row.r_vx = row.r_vy = row.r_wx = row.r_wy = row.r_wz = 0.0
    row.t_vx = row.t_vy = row.t_spin = row.t_square = 0.0


@jit(internal=True)
def count_solves(friction, n):
    """Add how often the contacts [:n] were solved to the count of the run."""
    for i in range(n):
        friction.found.solved += friction.contacts[i].solves
        friction.contacts[i].solves = 0.0


@jit(inline=True, internal=True)
def count_passes(friction, n):
    """Count a pass over ``n`` corners; one over `PASSED` of them costs as much as to solve a contact."""
    friction.found.solved += 1.0 + n // PASSED


@jit(inline=True, internal=True)
def sticks(mode):
    """Whether a mode is one of those without slip and flight."""
    return mode in (codes.REST, codes.EDGE, codes.VERTEX, codes.ROLL)


@jit(inline=True, internal=True)
def stopped_within(body, friction, time):
    """Speed of slip that friction stops within a time [m/s]; at least that which is none."""
    return max(friction.mu * body.gravity * time, STOPPED)


@jit
def free_body(body, state, mode, index):
    """Position and velocity of the COM of a body in a mode that sticks."""
    if mode == codes.EDGE:
        edge_pose(body.edges[index], state, state.angle, state.rate)
    if mode == codes.ROLL:
        place_rim(body, state)
    v = body.vertices[contact_vertex(body, mode, index)]
    x, y, z = to_ground(orientation(state), -v[0], -v[1], -v[2])
    state.x, state.y, state.z = state.p_x + x, state.p_y + y, z
    wx, wy, wz = to_ground(orientation(state), state.w_x, state.w_y, state.w_z)
    state.v_x, state.v_y, state.v_z = wy * z - wz * y, wz * x - wx * z, wx * y - wy * x


@jit
def place_pivot(body, state, vertex):
    """Ground position of the pivot from that of the COM."""
    v = body.vertices[vertex]
    x, y, _ = to_ground(orientation(state), v[0], v[1], v[2])
    state.p_x, state.p_y = state.x + x, state.y + y


@jit(internal=True)
def load_twist(state, twist):
    """Velocity of the COM and angular velocity in ground axes."""
    twist[0], twist[1], twist[2] = state.v_x, state.v_y, state.v_z
    twist[3], twist[4], twist[5] = to_ground(orientation(state), state.w_x, state.w_y, state.w_z)


@jit(internal=True)
def store_twist(state, twist):
    """The reverse of `load_twist`."""
    m = matrix(orientation(state))
    x, y, z = twist[3], twist[4], twist[5]
    state.v_x, state.v_y, state.v_z = twist[0], twist[1], twist[2]
    state.w_x = m[0] * x + m[3] * y + m[6] * z
    state.w_y = m[1] * x + m[4] * y + m[7] * z
    state.w_z = m[2] * x + m[5] * y + m[8] * z


@jit(internal=True)
def twist_energy(body, state, twist, mass):
    """Kinetic energy over the mass [m2/s2] of a twist at the pose of ``state``."""
    m = matrix(orientation(state))
    x, y, z = twist[3], twist[4], twist[5]
    wx, wy, wz = (
        m[0] * x + m[3] * y + m[6] * z,
        m[1] * x + m[4] * y + m[7] * z,
        m[2] * x + m[5] * y + m[8] * z,
    )
    i = body.inertia
    spin = wx * (i[0] * wx + i[1] * wy + i[2] * wz) + wy * (i[1] * wx + i[3] * wy + i[4] * wz)
    spin += wz * (i[2] * wx + i[4] * wy + i[5] * wz)
    return 0.5 * (spin / mass + twist[0] ** 2 + twist[1] ** 2 + twist[2] ** 2)


@jit(internal=True)
def moving_energy(body, state):
    """Kinetic energy [J] of a body in a mode with slip or in flight."""
    wx, wy, wz = angular_velocity(state)
    i = body.inertia
    spin = wx * (i[0] * wx + i[1] * wy + i[2] * wz) + wy * (i[1] * wx + i[3] * wy + i[4] * wz)
    spin += wz * (i[2] * wx + i[4] * wy + i[5] * wz)
    return 0.5 * (spin + body.mass * (state.v_x**2 + state.v_y**2 + state.v_z**2))


@jit(internal=True)
def to_contact(body, state, mode, index):
    """Turn position and velocity of the COM into those of the contact by which smooth motion is
    integrated."""
    if mode in (codes.FLIGHT, codes.SLIDE, codes.SPIN):
        return
    rolls = on_rim(body, mode, index)
    if rolls:
        place_rim(body, state)
    v = body.vertices[contact_vertex(body, mode, index)]
    x, y, z = to_ground(orientation(state), v[0], v[1], v[2])
    wx, wy, wz = to_ground(orientation(state), state.w_x, state.w_y, state.w_z)
    if not rolls:  # the way of a contact along a rim would need steps of its own
        state.x += x
        state.y += y
    state.v_x += wy * z - wz * y
    state.v_y += wz * x - wx * z


@jit(internal=True)
def from_contact(body, state, mode, index):
    """The reverse of `to_contact`."""
    if mode in (codes.FLIGHT, codes.SLIDE, codes.SPIN):
        return
    rolls = on_rim(body, mode, index)
    if rolls:
        place_rim(body, state)
    v = body.vertices[contact_vertex(body, mode, index)]
    x, y, z = to_ground(orientation(state), v[0], v[1], v[2])
    wx, wy, wz = to_ground(orientation(state), state.w_x, state.w_y, state.w_z)
    if not rolls:
        state.x -= x
        state.y -= y
    state.v_x -= wy * z - wz * y
    state.v_y -= wz * x - wx * z


@jit(internal=True)
def settle(body, state, mode, index):
    """Bring a state back to what its contacts prescribe: heights, no normal velocity, a pivot that stays."""
    if mode in (codes.FLIGHT, codes.SLIDE, codes.SPIN):
        place_pivot(body, state, contact_vertex(body, mode, index))
        return
    first = contact_vertex(body, mode, index)
    if on_rim(body, mode, index):
        place_rim(body, state)
    m = matrix(orientation(state))
    v = body.vertices[first]
    if mode != codes.VERTEX_SLIP:
        # the other end comes to the same height: a turn about the horizontal across the edge
        u = body.vertices[body.edge_vertices[index, 0 if mode == codes.EDGE_SLIP_FIRST else 1]]
        ex, ey, ez = u[0] - v[0], u[1] - v[1], u[2] - v[2]
        rise = m[6] * ex + m[7] * ey + m[8] * ez
        ux, uy, uz = m[6], m[7], m[8]  # the vertical in body axes
        bx, by, bz = ey * uz - ez * uy, ez * ux - ex * uz, ex * uy - ey * ux  # e x up
        square = bx * bx + by * by + bz * bz
        angle = -rise / sqrt(square)  # the lift of e for a turn about e x up is the length of e x up
        norm = sqrt(square)
        _turn_body(state, bx / norm, by / norm, bz / norm, angle)
        m = matrix(orientation(state))
        ux, uy, uz = m[6], m[7], m[8]
        bx, by, bz = ey * uz - ez * uy, ez * ux - ex * uz, ex * uy - ey * ux
        square = bx * bx + by * by + bz * bz
        rate = (state.w_x * bx + state.w_y * by + state.w_z * bz) / square
        state.w_x -= rate * bx
        state.w_y -= rate * by
        state.w_z -= rate * bz
    x, y, z = to_ground(orientation(state), v[0], v[1], v[2])
    wx, wy, wz = to_ground(orientation(state), state.w_x, state.w_y, state.w_z)
    state.z = -z
    state.v_z = -(wx * y - wy * x)
    if mode in (codes.EDGE_SLIP_FIRST, codes.EDGE_SLIP_SECOND):
        state.v_x, state.v_y = -(wy * z - wz * y), -(wz * x - wx * z)
        state.x, state.y = state.p_x - x, state.p_y - y
    else:
        state.p_x, state.p_y = state.x + x, state.y + y


@jit(internal=True)
def _turn_body(state, x, y, z, angle):
    """Turn by a small angle [rad] about a unit body vector."""
    s, c = 0.5 * angle, 1.0 - 0.125 * angle * angle
    q0, q1, q2, q3 = orientation(state)
    x, y, z = s * x, s * y, s * z
    state.q0 = q0 * c - q1 * x - q2 * y - q3 * z
    state.q1 = q0 * x + q1 * c + q2 * z - q3 * y
    state.q2 = q0 * y - q1 * z + q2 * c + q3 * x
    state.q3 = q0 * z + q1 * y - q2 * x + q3 * c


STIFFER = 4.0  # mobility of a point over that of the COM, about [1]
SLOWEST = 1e-12  # a slip slower than this has the direction at the start of its step [m/s]
REGULAR, IRREGULAR = 0, 1


@jit(inline=True, internal=True)
def _cross(ax, ay, az, bx, by, bz):
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@jit(inline=True, internal=True)
def slip_direction(vx, vy, sx, sy):
    """Direction of a slip [1], and its speed [m/s], for the direction at the start of the step."""
    speed = norm(vx, vy)
    if speed > SLOWEST and vx * sx + vy * sy > 0.0:
        return vx / speed, vy / speed, speed
    return sx, sy, vx * sx + vy * sy


@jit(inline=True, internal=True)
def slip_rates(run, mode, index, y, start, a, k):
    """Rates ``k`` of a state ``y`` in a mode with slip or in flight, under the ground acceleration ``a``.

    ``start`` is the state whose directions of slip hold where a slip has none. The normal forces over mass
    and how fast the slips turn are left in ``friction.found``.

    Returns
    -------
    int
        IRREGULAR where friction leaves no single force (Painlevé, P. (1895), Comptes rendus 121, 112-115).
    """
    (q0, q1, q2, q3), (wx, wy, wz) = orientation(y), angular_velocity(y)
    k.q0 = 0.5 * (-q1 * wx - q2 * wy - q3 * wz)
    k.q1 = 0.5 * (q0 * wx + q2 * wz - q3 * wy)
    k.q2 = 0.5 * (q0 * wy + q3 * wx - q1 * wz)
    k.q3 = 0.5 * (q0 * wz + q1 * wy - q2 * wx)
    k.x, k.y, k.z = y.v_x, y.v_y, y.v_z
    k.path_0, k.path_1, k.loss = 0.0, 0.0, 0.0
    if mode in (codes.EDGE_SLIP_FIRST, codes.EDGE_SLIP_SECOND):
        return _pivot_rates(run, mode, index, y, start, a, k)
    found = run.friction.found
    found.n_0, found.n_1, found.turning, found.stiffness = 0.0, 0.0, 0.0, 0.0
    if mode == codes.FLIGHT:
        k.v_x, k.v_y, k.v_z = -a[0], -a[1], -(run.body.gravity + a[2])
        k.w_x, k.w_y, k.w_z = _free_turn(run.body, y)
        return REGULAR
    if mode == codes.VERTEX_SLIP:
        return _vertex_slip_rates(run, index, y, start, a, k)
    return _edge_slip_rates(run, index, y, start, a, k)


@jit(inline=True, internal=True)
def _compliance(body):
    """m Theta^-1 in body axes (6 numbers) [1/m2]."""
    return body.j_xx, body.j_xy, body.j_xz, body.j_yy, body.j_yz, body.j_zz


@jit(inline=True, internal=True)
def _free_turn(body, y):
    """Angular acceleration in flight, body axes (3 numbers) [rad/s2]."""
    i, mass, wx, wy, wz = body.inertia, body.mass, y.w_x, y.w_y, y.w_z
    hx = (i[0] * wx + i[1] * wy + i[2] * wz) / mass
    hy = (i[1] * wx + i[3] * wy + i[4] * wz) / mass
    hz = (i[2] * wx + i[4] * wy + i[5] * wz) / mass
    return turned_by(_compliance(body), hy * wz - hz * wy, hz * wx - hx * wz, hx * wy - hy * wx)


@jit(inline=True, internal=True)
def _contact(body, y, m, p, push):
    """What a contact at a point ``p`` of the body does, all in body axes: the angular acceleration for a unit
    normal force, with which ``push`` (coefficient of friction and direction of slip) goes; the moment of the
    vertical at it; and its centripetal acceleration."""
    (mu, sx, sy), (ux, uy, uz), wx, wy, wz = push, (m[6], m[7], m[8]), y.w_x, y.w_y, y.w_z
    cx, cy, cz = _cross(wx, wy, wz, p[0], p[1], p[2])
    fx, fy, fz = (
        ux - mu * (sx * m[0] + sy * m[3]),
        uy - mu * (sx * m[1] + sy * m[4]),
        uz - mu * (sx * m[2] + sy * m[5]),
    )
    x, y_, z = _cross(p[0], p[1], p[2], fx, fy, fz)
    turn = turned_by(_compliance(body), x, y_, z)
    return turn, _cross(p[0], p[1], p[2], ux, uy, uz), _cross(wx, wy, wz, cx, cy, cz)


@jit(inline=True, internal=True)
def _rise(lever, turn, m, centripetal):
    """Vertical acceleration of a contact by an angular acceleration, and its centripetal part [m/s2]."""
    x, y, z = centripetal
    return lever[0] * turn[0] + lever[1] * turn[1] + lever[2] * turn[2] + m[6] * x + m[7] * y + m[8] * z


@jit(inline=True, internal=True)
def _answer(lever, turn):
    """Vertical acceleration of a contact for a unit normal force that gives an angular acceleration [1]."""
    return 1.0 + lever[0] * turn[0] + lever[1] * turn[1] + lever[2] * turn[2]


@jit(internal=True)
def _vertex_slip_rates(run, index, y, start, a, k):
    """`slip_rates` on a vertex, or on the lowest point of a rim."""
    body, friction, found = run.body, run.friction, run.friction.found
    down, m = body.gravity + a[2], matrix(orientation(y))
    turned = 1.0, 0.0, 0.0
    if index == body.n_vertex:
        place_rim(body, y)
        turned = rim_turn((m[6], m[7], m[8]), angular_velocity(y))
    mu, p = friction.mu, body.vertices[index]
    if index == body.n_vertex:  # of the COM
        x, z, w = _cross(y.w_x, y.w_y, y.w_z, p[0], p[1], p[2])
        k.x -= m[0] * x + m[1] * z + m[2] * w
        k.y -= m[3] * x + m[4] * z + m[5] * w
    sx, sy, speed = slip_direction(y.v_x, y.v_y, start.s0_x, start.s0_y)
    sx, sy = sx - found.bend_0 * sy, sy + found.bend_0 * sx
    b, lever, g = _contact(body, y, m, p, (mu, sx, sy))
    o = _free_turn(body, y)
    if index == body.n_vertex:
        along = rim_way(body, turned)
        x, z, w = _cross(y.w_x, y.w_y, y.w_z, along[0], along[1], 0.0)
        g = g[0] + x, g[1] + z, g[2] + w
        drag = rolling_drag(body, run.rolling_loss, turned, angular_velocity(y))
        x, z, w = turned_by(_compliance(body), drag[0], drag[1], drag[2])
        o = o[0] + x, o[1] + z, o[2] + w
    per = _answer(lever, b)
    if not per > 0.0:
        return IRREGULAR
    n = -(_rise(lever, o, m, g) - down) / per
    found.n_0 = n
    o = o[0] + n * b[0], o[1] + n * b[1], o[2] + n * b[2]
    k.path_0 = speed
    k.loss = mu * n * speed
    found.stiffness = STIFFER * mu * n / max(speed, SLOWEST)
    v = -a[0] - mu * n * sx, -a[1] - mu * n * sy
    k.v_x, k.v_y, found.t_0 = _slip_acceleration(found, m, (o, v), (p[0], p[1], p[2], g), (sx, sy, speed))
    k.w_x, k.w_y, k.w_z = o
    k.v_z = 0.0
    return REGULAR


@jit(internal=True)
def _edge_slip_rates(run, index, y, start, a, k):
    """`slip_rates` on an edge of which both ends slip."""
    body, friction, found = run.body, run.friction, run.friction.found
    mu, down, m = friction.mu, body.gravity + a[2], matrix(orientation(y))
    p, r = body.vertices[body.edge_vertices[index, 0]], body.vertices[body.edge_vertices[index, 1]]
    wx, wy, wz = angular_velocity(y)
    sx, sy, speed = slip_direction(y.v_x, y.v_y, start.s0_x, start.s0_y)
    sx, sy = sx - found.bend_0 * sy, sy + found.bend_0 * sx
    (cx, cy, cz), (dx, dy, dz) = _cross(wx, wy, wz, p[0], p[1], p[2]), _cross(wx, wy, wz, r[0], r[1], r[2])
    mx, my, mz = dx - cx, dy - cy, dz - cz  # over the first end
    qx, qy, pace = slip_direction(
        y.v_x + m[0] * mx + m[1] * my + m[2] * mz, y.v_y + m[3] * mx + m[4] * my + m[5] * mz,
        start.s1_x, start.s1_y,
    )  # fmt: skip
    qx, qy = qx - found.bend_1 * qy, qy + found.bend_1 * qx
    b, lever, g = _contact(body, y, m, p, (mu, sx, sy))
    e, other, h = _contact(body, y, m, r, (mu, qx, qy))
    w = _free_turn(body, y)
    free, beside = _rise(lever, w, m, g) - down, _rise(other, w, m, h) - down
    per, a_01, a_10, a_11 = _answer(lever, b), _answer(lever, e), _answer(other, b), _answer(other, e)
    determinant = per * a_11 - a_01 * a_10
    if not (per > 0.0 and a_11 > 0.0 and determinant > 0.0):
        return IRREGULAR
    n, o = (a_01 * beside - a_11 * free) / determinant, (a_10 * free - per * beside) / determinant
    found.n_0, found.n_1 = n, o
    w = w[0] + n * b[0] + o * e[0], w[1] + n * b[1] + o * e[1], w[2] + n * b[2] + o * e[2]
    v = -a[0] - mu * (n * sx + o * qx), -a[1] - mu * (n * sy + o * qy)
    k.path_0, k.path_1 = speed, pace
    k.loss = mu * (n * speed + o * pace)
    found.stiffness = STIFFER * mu * max(n / max(speed, SLOWEST), o / max(pace, SLOWEST))
    k.v_x, k.v_y, found.t_0 = _slip_acceleration(found, m, (w, v), (p[0], p[1], p[2], g), (sx, sy, speed))
    first = found.turning
    _, _, found.t_1 = _slip_acceleration(found, m, (w, v), (r[0], r[1], r[2], h), (qx, qy, pace))
    found.turning = max(first, found.turning)
    k.w_x, k.w_y, k.w_z = w
    k.v_z = 0.0
    return REGULAR


@jit(inline=True, internal=True)
def _slip_acceleration(found, m, rates, contact, slip):
    """How fast a slip turns [rad/s], into ``found``; returns the acceleration of the contact and how fast the
    slip gains speed [m/s2].

    ``rates`` are those of the body and of its COM, ``contact`` has the place of the contact and its
    centripetal acceleration, ``slip`` direction and speed.
    """
    ((ox, oy, oz), (vx, vy)), (px, py, pz, g), (sx, sy, speed) = rates, contact, slip
    x, y, z = _cross(ox, oy, oz, px, py, pz)
    x, y, z = x + g[0], y + g[1], z + g[2]
    ax, ay = vx + m[0] * x + m[1] * y + m[2] * z, vy + m[3] * x + m[4] * y + m[5] * z
    found.turning = abs(ay * sx - ax * sy) / speed if speed > 0.0 else 0.0
    return ax, ay, ax * sx + ay * sy


@jit(inline=True, internal=True)
def _pivot_rates(run, mode, index, y, start, a, k):
    """`slip_rates` where one end of an edge sticks: the normal forces of the end that slips (N_1) and of the
    one that sticks (N_0), and the square of the friction over the mass there (T_0)."""
    body, friction = run.body, run.friction
    mu, found = friction.mu, friction.found
    m = matrix(orientation(y))
    down = body.gravity + a[2]
    slips = body.edge_vertices[index, 0 if mode == codes.EDGE_SLIP_FIRST else 1]
    stays = body.edge_vertices[index, 1 if mode == codes.EDGE_SLIP_FIRST else 0]
    c = body.pivots[stays]
    wx, wy, wz = angular_velocity(y)
    ux, uy, uz = m[6], m[7], m[8]
    u, v = body.vertices[slips], body.vertices[stays]
    rx, ry, rz = u[0] - v[0], u[1] - v[1], u[2] - v[2]
    # effective gravity in body axes
    gx = -(m[0] * a[0] + m[3] * a[1] + m[6] * down)
    gy = -(m[1] * a[0] + m[4] * a[1] + m[7] * down)
    gz = -(m[2] * a[0] + m[5] * a[1] + m[8] * down)
    kx = c.k_xx * wx + c.k_xy * wy + c.k_xz * wz
    ky = c.k_xy * wx + c.k_yy * wy + c.k_yz * wz
    kz = c.k_xz * wx + c.k_yz * wy + c.k_zz * wz
    tx = c.com_y * gz - c.com_z * gy - (wy * kz - wz * ky)
    ty = c.com_z * gx - c.com_x * gz - (wz * kx - wx * kz)
    tz = c.com_x * gy - c.com_y * gx - (wx * ky - wy * kx)
    ox = c.inv_xx * tx + c.inv_xy * ty + c.inv_xz * tz
    oy = c.inv_xy * tx + c.inv_yy * ty + c.inv_yz * tz
    oz = c.inv_xz * tx + c.inv_yz * ty + c.inv_zz * tz
    dx, dy, dz = _cross(wx, wy, wz, rx, ry, rz)
    first = mode == codes.EDGE_SLIP_FIRST
    sx, sy, speed = slip_direction(
        m[0] * dx + m[1] * dy + m[2] * dz, m[3] * dx + m[4] * dy + m[5] * dz,
        start.s0_x if first else start.s1_x, start.s0_y if first else start.s1_y,
    )  # fmt: skip
    fx, fy, fz = (
        ux - mu * (sx * m[0] + sy * m[3]),
        uy - mu * (sx * m[1] + sy * m[4]),
        uz - mu * (sx * m[2] + sy * m[5]),
    )
    ax, ay, az = _cross(rx, ry, rz, fx, fy, fz)
    bx = c.inv_xx * ax + c.inv_xy * ay + c.inv_xz * az
    by = c.inv_xy * ax + c.inv_yy * ay + c.inv_yz * az
    bz = c.inv_xz * ax + c.inv_yz * ay + c.inv_zz * az
    lx, ly, lz = _cross(rx, ry, rz, ux, uy, uz)
    hx, hy, hz = _cross(wx, wy, wz, dx, dy, dz)
    per = lx * bx + ly * by + lz * bz
    if not per > 0.0:
        return IRREGULAR
    n = -(lx * ox + ly * oy + lz * oz + ux * hx + uy * hy + uz * hz) / per
    ox, oy, oz = ox + n * bx, oy + n * by, oz + n * bz
    # acceleration of the COM, and with it the force at the end that sticks
    ex, ey, ez = _cross(wx, wy, wz, c.com_x, c.com_y, c.com_z)
    ax, ay, az = _cross(ox, oy, oz, c.com_x, c.com_y, c.com_z)
    ex, ey, ez = _cross(wx, wy, wz, ex, ey, ez)
    ax, ay, az = ax + ex, ay + ey, az + ez
    vx, vy = m[0] * ax + m[1] * ay + m[2] * az, m[3] * ax + m[4] * ay + m[5] * az
    vz = ux * ax + uy * ay + uz * az
    found.n_1, found.n_0 = n, vz + down - n
    found.t_0 = (vx + a[0] + mu * n * sx) ** 2 + (vy + a[1] + mu * n * sy) ** 2
    x, y_, z = _cross(ox, oy, oz, rx, ry, rz)
    x, y_, z = x + hx, y_ + hy, z + hz
    px, py = m[0] * x + m[1] * y_ + m[2] * z, m[3] * x + m[4] * y_ + m[5] * z
    found.t_1 = px * sx + py * sy
    found.turning = abs(py * sx - px * sy) / speed if speed > 0.0 else 0.0
    k.w_x, k.w_y, k.w_z = ox, oy, oz
    k.x, k.y, k.v_x, k.v_y, k.v_z = 0.0, 0.0, 0.0, 0.0, 0.0
    if first:
        k.path_0 = speed
    else:
        k.path_1 = speed
    k.loss = mu * n * speed
    return REGULAR
