"""What the contacts of a body do at an instant: stick, slip or open, from the forces there.

Contacts that slip keep their direction; those that do not move stick if they can with the static coefficient,
else the complementarity problem with the coefficient of slip decides (`coulomb`). At the start of a slip the
coefficient is taken a little lower: where it sets in smoothly, forces are at the bound and no acceleration
would tell its direction. Where friction leaves no contact force (Painlevé's paradox) there are impulses
without a collision (`jam`). The state is that of `mcrock.kernel.friction.motion.load_twist`;
``friction.twist`` are the rates of the twist before, and the velocities after.
"""

from __future__ import annotations

from math import cos, hypot, sin, sqrt

import numpy as np

from mcrock.base.jit import jit
from mcrock.base.params import Response
from mcrock.kernel import codes
from mcrock.kernel.dynamics import (
    NONE,
    angular_velocity,
    copy_state,
    edge_between,
    lay_flat,
    move_contact,
    orientation,
    place_rim,
    point_of,
    rates_at,
    rim_turn,
    rim_way,
    rolling_drag,
    vertex_force,
)
from mcrock.kernel.edge import enter_edge, release
from mcrock.kernel.friction.coulomb import (
    DONE,
    NONE_FOUND,
    ground_compliance,
    on_two,
    place_contact,
    solve_contacts,
    turned_by,
)
from mcrock.kernel.friction.flat import base_margin, corner_pressures, corner_velocity, tips
from mcrock.kernel.friction.motion import (
    KICK,
    STOPPED,
    count_solves,
    load_twist,
    place_pivot,
    settle,
    store_twist,
    twist_energy,
)
from mcrock.kernel.rest import LEAST_TILT, enter_rest, holds, lay_sides, stands_under, tip, uplift
from mcrock.kernel.results import edge_demand
from mcrock.kernel.rolling import roll_rates
from mcrock.kernel.rotation import matrix, norm, to_ground, vertical
from mcrock.kernel.shaking import acceleration
from mcrock.kernel.step import SLIP_SLACK

SLOWER = 0.03  # least speed with which the slower of two slips begins, over `KICK` [1]
MOST_KICK = 100.0  # and the largest of the faster


@jit(internal=True)
def level_velocity(twist, c):
    """Horizontal velocity of a contact [m/s]."""
    return twist[0] + twist[4] * c.d_z - twist[5] * c.d_y, twist[1] + twist[5] * c.d_x - twist[3] * c.d_z


@jit(internal=True)
def set_slip(friction, state, c):
    """Give the slip of a vertex that begins its first speed: the body shifts."""
    twist = friction.twist
    load_twist(state, twist)
    vx, vy = level_velocity(twist, c)
    twist[0] += KICK * c.s_x - vx
    twist[1] += KICK * c.s_y - vy
    store_twist(state, twist)


@jit(internal=True)
def set_turn(friction, state, c, stays):
    """The same for an end of an edge whose other end sticks: the body turns about the vertical there."""
    twist = friction.twist
    load_twist(state, twist)
    vx, vy = level_velocity(twist, c)
    ux, uy = level_velocity(twist, stays)  # little, and none once it stands
    vx, vy = vx - ux, vy - uy
    x, y = c.d_x - stays.d_x, c.d_y - stays.d_y
    missing = (KICK * c.s_y - vy) * x - (KICK * c.s_x - vx) * y
    twist[5] += missing / (x * x + y * y)
    store_twist(state, twist)


@jit(internal=True)
def set_slips(friction, state, c, d):
    """The same for both ends of an edge: it shifts and turns about the vertical, and no end leaves the
    ground."""
    twist = friction.twist
    ex, ey = d.d_x - c.d_x, d.d_y - c.d_y
    length = hypot(ex, ey)
    ex, ey = ex / length, ey / length
    # two slips that begin grow in proportion to their accelerations
    ax, ay = level_velocity(twist, c)
    bx, by = level_velocity(twist, d)
    gain_c, gain_d = hypot(ax + c.b_x, ay + c.b_y), hypot(bx + d.b_x, by + d.b_y)
    load_twist(state, twist)
    vx, vy = level_velocity(twist, c)
    ux, uy = level_velocity(twist, d)
    speed_c = hypot(vx, vy) if c.given != 0.0 else KICK
    speed_d = hypot(ux, uy) if d.given != 0.0 else KICK
    if c.given == 0.0 and d.given == 0.0:
        most, least = max(gain_c, gain_d), min(gain_c, gain_d)
        faster = KICK * min(max(SLOWER * most / max(least, 1e-300), 1.0), MOST_KICK)
        slower = max(faster * least / most, SLOWER * KICK)
        speed_c, speed_d = (faster, slower) if gain_c >= gain_d else (slower, faster)
    cx, cy, dx, dy = speed_c * c.s_x, speed_c * c.s_y, speed_d * d.s_x, speed_d * d.s_y
    # across the edge each end as it should; along it both as one that begins, as the edge does not stretch
    begins = cx * ex + cy * ey if c.given == 0.0 else dx * ex + dy * ey
    across_c, across_d = cy * ex - cx * ey, dy * ex - dx * ey
    cx, cy = begins * ex - across_c * ey, begins * ey + across_c * ex
    dx, dy = begins * ex - across_d * ey, begins * ey + across_d * ex
    # what is missing at both ends: a turn about the vertical and a shift
    mx, my, lx, ly = cx - vx, cy - vy, dx - ux, dy - uy
    turn = ((ly - my) * ex - (lx - mx) * ey) / length
    twist[5] += turn
    twist[0] += mx + turn * c.d_y
    twist[1] += my - turn * c.d_x
    store_twist(state, twist)


@jit(internal=True)
def free_rates(body, state, a, m, J, rates):
    """Rates of the twist without contact: ``rates`` (6,), ground axes."""
    wx, wy, wz = angular_velocity(state)
    i, mass = body.inertia, body.mass
    hx, hy, hz = (
        (i[0] * wx + i[1] * wy + i[2] * wz) / mass,
        (i[1] * wx + i[3] * wy + i[4] * wz) / mass,
        (i[2] * wx + i[4] * wy + i[5] * wz) / mass,
    )
    tx, ty, tz = hy * wz - hz * wy, hz * wx - hx * wz, hx * wy - hy * wx
    x, y, z = to_ground(orientation(state), tx, ty, tz)
    rates[0], rates[1], rates[2] = -a[0], -a[1], -(body.gravity + a[2])
    rates[3] = J[0] * x + J[1] * y + J[2] * z
    rates[4] = J[1] * x + J[3] * y + J[4] * z
    rates[5] = J[2] * x + J[4] * y + J[5] * z


@jit(internal=True)
def place_forces(body, friction, state, n, J, m):
    """Rows of the contacts of ``friction.touching`` [:n] at the level of accelerations, and whether one
    slips.

    The velocity in the state is that of `load_twist`.
    """
    v = state.v_x, state.v_y, state.v_z
    w = to_ground(orientation(state), state.w_x, state.w_y, state.w_z)
    any_slips, any_stands = False, False
    if n == 1 and friction.touching[0] == body.n_vertex:
        place_rim(body, state)
    for i in range(n):
        c, p = friction.contacts[i], body.vertices[friction.touching[i]]
        dx, dy, dz = to_ground(orientation(state), p[0], p[1], p[2])
        place_contact(c, J, dx, dy, dz, 0.0)
        ux, uy, uz = w[1] * dz - w[2] * dy, w[2] * dx - w[0] * dz, w[0] * dy - w[1] * dx
        bx, by, bz = ux, uy, uz
        if friction.touching[i] == body.n_vertex:  # which moves along the rim
            along = rim_way(body, rim_turn(vertical(orientation(state)), angular_velocity(state)))
            along = to_ground(orientation(state), along[0], along[1], 0.0)
            bx, by, bz = bx + along[0], by + along[1], bz + along[2]
        c.b_x, c.b_y, c.b_z = w[1] * bz - w[2] * by, w[2] * bx - w[0] * bz, w[0] * by - w[1] * bx
        x, y = v[0] + ux, v[1] + uy
        speed = norm(x, y)
        if speed > 0.0:
            c.s_x, c.s_y = x / speed, y / speed
        c.given = speed
    slow = max(2.0 * STOPPED, friction.found.slow)
    for i in range(n):
        c = friction.contacts[i]
        c.given = 1.0 if c.given > slow else 0.0
        any_slips, any_stands = any_slips or c.given != 0.0, any_stands or c.given == 0.0
    return any_slips, any_stands


STOPS = 4.0  # time of a jam, over that in which friction stops what is taken as no slip [1]


@jit(internal=True)
def jam(run, n):
    """An impulse without a collision at the contacts ``friction.touching`` [:n], which friction leaves no
    single force.

    Forces that grow beyond all bounds stop a slip at once (Lecornu, L. (1905), Comptes rendus 140, 635-637;
    Genot, F., Brogliato, B. (1999), European Journal of Mechanics A 18, 653-677). It is the limit of an
    implicit step for the velocities, which has a solution where the forces have none (Stewart, D. E.,
    Trinkle, J. C. (1996), International Journal for Numerical Methods in Engineering 39, 2673-2691): here one
    of the time in which a slip gets its first speed, or what is taken as none would stop.

    Returns the number of contacts that stay on the ground, the first of ``friction.touching``; -1 if there is
    no impulse.
    """
    body, friction, state = run.body, run.friction, run.state
    twist, contacts, mu = friction.twist, friction.contacts, friction.mu
    m = matrix(orientation(state))
    J = ground_compliance(body, m)
    load_twist(state, twist)
    place_forces(body, friction, state, n, J, m)
    fastest = KICK  # of the slips that are none
    for i in range(n):
        if contacts[i].given == 0.0:
            x, y = level_velocity(twist, contacts[i])
            fastest = max(fastest, STOPS * hypot(x, y))
    h = fastest / (mu * body.gravity)
    for i in range(n):  # a slip that ends has no velocity then, up to the last bit
        c = contacts[i]
        c.given, c.b_x, c.b_y, c.b_z = 0.0, 0.0, 0.0, h * c.b_z
    free_rates(body, state, acceleration(run.segment, run.t), m, J, friction.speeds)
    before = twist_energy(body, state, twist, body.mass)
    for i in range(6):
        twist[i] += h * friction.speeds[i]
    solved = solve_contacts(contacts, n, J, twist, mu, mu) == DONE
    count_solves(friction, n)
    if not solved:
        return -1
    store_twist(state, twist)
    gained = twist_energy(body, state, twist, body.mass) - before
    run.result[Response.IMPACT_ENERGY_LOSS] -= gained * body.mass
    run.result[Response.JAMS] += 1.0
    friction.found.slow = 0.0
    kept = 0
    for i in range(n):
        if contacts[i].p_z > 0.0:
            friction.touching[kept] = friction.touching[i]
            kept += 1
    return kept


LOWER = 1e-6  # share by which friction is lowered to see the direction of a slip that begins [1]
FACE_SLACK = 1e-5  # acceleration of a corner that opens where a spin ends, over gravity [1]
INSIDE = (1.0 - 1e-9) * (1.0 - LOWER)  # of the cone of friction, where a contact sticks [1]
UNDECIDED = np.int64(-2)  # in the place of a mode: no force meets the laws, or more than one
STAYS_FLAT = np.int64(-3)  # the same: a face does not tip over


@jit(internal=True)
def decide(run, n):
    """Mode and index of a body of which vertices ``friction.touching`` [:n] are on the ground and do not
    rise.

    The state is that of the six degrees of freedom; it is brought to the mode. Where friction leaves no
    single force, an impulse changes the velocities first (`jam`); `UNDECIDED` if that does not help.
    """
    mode, index = _decide_once(run, n)
    if mode == UNDECIDED and n <= 2:
        kept = jam(run, n)
        if kept >= 0:
            return _decide_once(run, kept)
    return mode, index


@jit(internal=True)
def _decide_once(run, n):
    """`decide` by forces alone; a corner of a circular base stands for the point of its rim there."""
    mode, index = _by_forces(run, n)
    return onto_rim(run, mode, index) if run.body.rim > 0.0 else (mode, index)


@jit(internal=True)
def onto_rim(run, mode, index):
    """The mode and index on a rim that stand for those on a corner or an edge of the face that is drawn for
    its circle, as a body that lay flat begins to tip there."""
    body, state = run.body, run.state
    if index == body.n_vertex or mode not in (
        codes.VERTEX, codes.VERTEX_SLIP, codes.EDGE, codes.EDGE_SLIP, codes.EDGE_SLIP_FIRST,
        codes.EDGE_SLIP_SECOND,
    ):  # fmt: skip
        return mode, index
    edge = mode not in (codes.VERTEX, codes.VERTEX_SLIP)
    corner = body.edge_vertices[index, 0] if edge else index
    p = point_of(body, corner)
    x, y = p[0] - body.base_x, p[1] - body.base_y
    if edge:
        q = point_of(body, body.edge_vertices[index, 1])
        x, y = x + q[0] - body.base_x, y + q[1] - body.base_y
    far = norm(x, y)
    sticks = mode in (codes.VERTEX, codes.EDGE)
    run.place = body.start
    if sticks:
        move_contact(state, p, point_of(body, body.face_vertices[body.face_first[body.start]]))
    tip(run, x / far, y / far, LEAST_TILT)
    if sticks:
        return codes.ROLL, body.start
    if mode == codes.EDGE_SLIP_SECOND:
        state.s0_x, state.s0_y = state.s1_x, state.s1_y
    settle(body, state, codes.VERTEX_SLIP, body.n_vertex)
    return codes.VERTEX_SLIP, np.int64(body.n_vertex)


@jit(internal=True)
def _by_forces(run, n):
    body, friction, t = run.body, run.friction, run.t
    state, segment = run.state, run.segment
    a = acceleration(segment, t)
    state.path_0, state.path_1, state.loss = 0.0, 0.0, 0.0
    if n == 0:
        return _fly(body, state)
    if n > 2 or (n == 2 and edge_between(body, friction.touching[0], friction.touching[1]) < 0):
        return decide_face(run, face_of(body, friction, n))
    m = matrix(orientation(state))
    J = ground_compliance(body, m)
    any_slips, any_stands = place_forces(body, friction, state, n, J, m)
    friction.found.stood = 1.0 if any_stands else 0.0
    if not any_slips:
        mode, index = _from_standing(run, n, a)
        if mode >= 0:
            return mode, index
    free_rates(body, state, a, m, J, friction.twist)
    if friction.touching[0] == body.n_vertex:
        _drag_rim(run, J, friction.twist)
    return enter(run, n, J, 0.0)


@jit(internal=True)
def _drag_rim(run, J, rates):
    """Add what the rolling loss of a rim does to the rates of a twist."""
    body, state = run.body, run.state
    w = angular_velocity(state)
    turned = rim_turn(vertical(orientation(state)), w)
    x, y, z = rolling_drag(body, run.rolling_loss, turned, w)
    x, y, z = to_ground(orientation(state), x, y, z)
    x, y, z = turned_by(J, x, y, z)
    rates[3], rates[4], rates[5] = rates[3] + x, rates[4] + y, rates[5] + z


@jit(inline=True, internal=True)
def _fly(body, state):
    """FLIGHT, in which the place of vertex 0 is kept."""
    place_pivot(body, state, 0)
    return codes.FLIGHT, NONE


@jit(internal=True)
def face_of(body, friction, n):
    """The face of which three corners touch, and with them all, or both of two: a face that stands on corners
    that are no neighbours is flat."""
    for f in range(body.n_face):
        inside = 0
        for i in range(body.face_first[f], body.face_first[f + 1]):
            for j in range(n):
                if friction.touching[j] == body.face_vertices[i]:
                    inside += 1
        if inside >= min(n, 3):
            return f
    return NONE


@jit(internal=True)
def _from_standing(run, n, a):
    """The mode of contacts none of which moves, if they stick or stay on the ground; else a mode below 0."""
    body, friction, t = run.body, run.friction, run.t
    state, gravity = run.state, body.gravity
    # less than where a contact that sticks is said to slip: at that instant it does not stick again
    static, slack = friction.static**2, 0.5 * SLIP_SLACK * gravity
    p = friction.touching[0]
    if n == 1 and p == body.n_vertex:
        k = roll_rates(body, run.rolling_loss, orientation(state), angular_velocity(state), a)
        up = vertical(orientation(state))
        normal = k[9] * up[0] + k[10] * up[1] + k[11] * up[2]
        square = max(k[9] * k[9] + k[10] * k[10] + k[11] * k[11] - normal * normal, 0.0)
        if normal > slack and sqrt(square) <= friction.static * normal + slack:
            place_pivot(body, state, p)
            return codes.ROLL, body.start
        return NONE, NONE
    if n == 1:
        k = rates_at(body.pivots[p], gravity, state, run.segment, t)
        up = vertical(orientation(state))
        normal, square = vertex_force(body.pivots[p], state, k, up)
        if normal > slack and sqrt(square) <= friction.static * normal + slack:
            place_pivot(body, state, p)
            return codes.VERTEX, p
        return NONE, NONE
    k = edge_between(body, p, friction.touching[1])
    if k < 0:
        return NONE, NONE
    other = friction.other
    copy_state(state, other)
    place_pivot(body, other, p)
    enter_edge(body, other, p, k)
    c, s = cos(other.angle), sin(other.angle)
    margin, _, _, _, _, _, ends = release(body, k, other, (other.angle, other.rate, c, s), a)
    if margin <= 0.0 and edge_demand(ends[0] + slack, ends[1] + slack, ends[2], ends[3], ends[4]) <= static:
        copy_state(other, state)
        return codes.EDGE, k
    return NONE, NONE


@jit(internal=True)
def enter(run, n, J, slack):
    """Mode and index that the contact problem for accelerations, ``friction.twist``, leads to; the state is
    brought there. `STAYS_FLAT` where no one or two of more contacts can carry it, others going down by no
    more than ``slack`` [m/s2]."""
    body, friction, state = run.body, run.friction, run.state
    touching, contacts, mu = friction.touching, friction.contacts, friction.mu
    free = mu * (1.0 - LOWER)
    if n > 2:
        found = on_two(contacts, n, J, friction.twist, mu, free, 0.0)
        found = found or (slack > 0.0 and on_two(contacts, n, J, friction.twist, mu, free, slack))
        failed = STAYS_FLAT
    else:
        found = solve_contacts(contacts, n, J, friction.twist, mu, free) != NONE_FOUND
        failed = UNDECIDED
    count_solves(friction, n)
    if not found:
        return failed, NONE
    least = SLIP_SLACK * body.gravity
    kept, first, second = 0, 0, 0
    for i in range(n):
        if contacts[i].p_z > least:
            if kept == 0:
                first = i
            else:
                second = i
            kept += 1
    if kept == 0:
        return _fly(body, state)
    if not _regular(contacts, first, mu) or (kept == 2 and not _regular(contacts, second, mu)):
        return UNDECIDED, NONE
    slips_first = _direction(contacts, first, friction.twist, mu)
    if kept == 1:
        p = touching[first]
        if not slips_first:
            place_pivot(body, state, p)
            return (codes.ROLL, body.start) if p == body.n_vertex else (codes.VERTEX, p)
        begins = contacts[first].given == 0.0
        state.s0_x, state.s0_y = contacts[first].s_x, contacts[first].s_y
        if begins:
            set_slip(friction, state, contacts[first])
        settle(body, state, codes.VERTEX_SLIP, p)
        return codes.VERTEX_SLIP, p
    slips_second = _direction(contacts, second, friction.twist, mu)
    p, q = touching[first], touching[second]
    k = edge_between(body, p, q)
    if k < 0:
        return UNDECIDED, NONE
    if not slips_first and not slips_second:
        place_pivot(body, state, p)
        return enter_edge(body, state, p, k)
    if body.edge_vertices[k, 0] != p:  # first and second are those of the edge from here on
        first, second = second, first
        slips_first, slips_second = slips_second, slips_first
        p, q = q, p
    state.s0_x, state.s0_y = contacts[first].s_x, contacts[first].s_y
    state.s1_x, state.s1_y = contacts[second].s_x, contacts[second].s_y
    if slips_first and slips_second:
        if contacts[first].given == 0.0 or contacts[second].given == 0.0:
            set_slips(friction, state, contacts[first], contacts[second])
        settle(body, state, codes.EDGE_SLIP, k)
        return codes.EDGE_SLIP, k
    mode = codes.EDGE_SLIP_FIRST if slips_first else codes.EDGE_SLIP_SECOND
    place_pivot(body, state, q if slips_first else p)
    moves, stays = (first, second) if slips_first else (second, first)
    if contacts[moves].given == 0.0:
        set_turn(friction, state, contacts[moves], contacts[stays])
    settle(body, state, mode, k)
    return mode, k


@jit(internal=True)
def _regular(contacts, i, mu):
    """Whether a contact that slips has a single force."""
    c = contacts[i]
    tangent = hypot(c.p_x, c.p_y)
    if c.given == 0.0 and (tangent == 0.0 or tangent < mu * c.p_z * INSIDE):
        return True
    x, y = (c.s_x, c.s_y) if c.given != 0.0 else (-c.p_x / tangent, -c.p_y / tangent)
    return c.w_zz - mu * (c.w_xz * x + c.w_yz * y) > 0.0


@jit(internal=True)
def _direction(contacts, i, twist, mu):
    """Whether a contact slips; a slip that begins gets its direction. ``twist`` are the rates."""
    c = contacts[i]
    if c.given != 0.0:
        return True
    tangent = hypot(c.p_x, c.p_y)
    if mu == 0.0:  # there is no friction to tell it
        x, y = level_velocity(twist, c)
        x, y = x + c.b_x, y + c.b_y
        gain = hypot(x, y)
        if gain == 0.0:
            return False
        c.s_x, c.s_y = x / gain, y / gain
        return True
    if tangent == 0.0 or tangent < mu * c.p_z * INSIDE:
        return False
    c.s_x, c.s_y = -c.p_x / tangent, -c.p_y / tangent
    return True


@jit(internal=True)
def _set_yaw(friction, state):
    """Flat on a face the body turns about the vertical alone."""
    load_twist(state, friction.twist)
    friction.twist[2], friction.twist[3], friction.twist[4] = 0.0, 0.0, 0.0
    store_twist(state, friction.twist)


@jit(internal=True)
def decide_face(run, f):
    """`decide` for a body flat on face ``f``: at rest, sliding, spinning, or over an edge or a vertex."""
    if f < 0:
        return UNDECIDED, NONE
    body, friction, state = run.body, run.friction, run.state
    a, face = acceleration(run.segment, run.t), body.faces[f]
    lay_flat(face, state, state)
    state.z = face.height
    _set_yaw(friction, state)
    n = lay_sides(body, state, f, run.sides)
    if body.gravity + a[2] <= 0.0:
        return _fly(body, state)
    fastest = 0.0
    for i in range(n):
        vx, vy = corner_velocity(body, state, body.face_vertices[body.face_first[f] + i])
        fastest = max(fastest, hypot(vx, vy))
    stands = fastest <= max(2.0 * STOPPED, friction.found.slow)
    friction.found.stood = 1.0 if stands else 0.0
    if stands:
        sx, sy = _against(a)
        mode, place = _from_stop(run, f, n, a, (sx, sy))
        return (mode, place) if mode != STAYS_FLAT else _from_slide(run, f, n, (sx, sy, KICK))
    if abs(friction.twist[5]) * body.radius > 2.0 * STOPPED:
        return _from_spin(run, f, friction.twist[5], body.gravity + a[2])
    speed = hypot(state.v_x, state.v_y)
    return _from_slide(run, f, n, (state.v_x / speed, state.v_y / speed, speed))


@jit(internal=True)
def _against(a):
    """The direction in which a body begins to slide: against the acceleration of the ground."""
    pull = hypot(a[0], a[1])
    return (-a[0] / pull, -a[1] / pull) if pull > 0.0 else (1.0, 0.0)


@jit(internal=True)
def _from_stop(run, f, n, a, slip):
    """`decide_face` of a body that stands, under the ground acceleration ``a``: at rest, or over an edge or a
    vertex; `STAYS_FLAT` where it begins to slide in the direction ``slip``."""
    body, friction, state = run.body, run.friction, run.state
    mu, static, gravity = friction.mu, friction.static, body.gravity
    pivot, (sx, sy) = body.face_vertices[body.face_first[f]], slip
    state.v_x = state.v_y = state.v_z = state.w_x = state.w_y = state.w_z = 0.0
    place_pivot(body, state, pivot)
    stands = stands_under(run, n, a)
    grips = holds(a, static, gravity)
    if stands and grips:
        return enter_rest(run, pivot, f)
    if not stands and (grips or tips(run, n, mu, sx, sy)):
        run.place = f
        mode, place = uplift(run, f)
        # an edge that cannot stick tips over if friction of slip does that too, else the face slides
        if mode != codes.EDGE or tips(run, n, mu, sx, sy) or _edge_holds(body, state, place, static, a):
            return mode, place
    return STAYS_FLAT, NONE


@jit(internal=True)
def _from_spin(run, f, spin, down):
    """`decide_face` of a body that spins, under the effective gravity ``down`` [m/s2]."""
    body, friction, state = run.body, run.friction, run.state
    place_pivot(body, state, body.face_vertices[body.face_first[f]])
    m = matrix(orientation(state))
    balanced = corner_pressures(run, f, state, m, spin, down)
    if balanced and run.mode != codes.SPIN:  # at the end of SPIN it is by a rounded number at most
        return codes.SPIN, f
    mode, place = tip_over(run, f, FACE_SLACK * body.gravity)
    if mode == STAYS_FLAT or (mode == UNDECIDED and balanced):
        friction.found.held = 1.0  # until the friction of a corner that creeps has followed its slip
        return codes.SPIN, f
    return mode, place


@jit(internal=True)
def _from_slide(run, f, n, slip):
    """`decide_face` of a body that slides; ``slip`` has the direction and the speed [m/s]."""
    body, friction, state = run.body, run.friction, run.state
    mu, (sx, sy, speed) = friction.mu, slip
    state.v_x, state.v_y, state.v_z = speed * sx, speed * sy, 0.0
    state.w_x = state.w_y = state.w_z = 0.0
    state.s0_x, state.s0_y = sx, sy
    if tips(run, n, mu, sx, sy):
        mode, place = tip_over(run, f, 0.0)
        if mode != STAYS_FLAT:
            return mode, place
        # at the border of the base: friction is a little lower where a slip begins, and margins are rounded
        least = base_margin(run, n, mu, sx, sy)
        if friction.found.stood == 0.0 and least < -SLIP_SLACK * body.radius:
            return UNDECIDED, NONE
    place_pivot(body, state, body.face_vertices[body.face_first[f]])
    return codes.SLIDE, f


@jit(internal=True)
def _edge_holds(body, state, k, static, a):
    """Whether edge ``k`` of a body in EDGE mode can stick."""
    slack, c, s = SLIP_SLACK * body.gravity, cos(state.angle), sin(state.angle)
    _, _, _, _, _, _, ends = release(body, k, state, (state.angle, state.rate, c, s), a)
    return edge_demand(ends[0] + slack, ends[1] + slack, ends[2], ends[3], ends[4]) <= static * static


@jit(internal=True)
def tip_over(run, f, slack):
    """Edge, vertex or point of a rim about which a body that slips flat on face ``f`` tips over, as
    `enter`."""
    mode, place = _tip_over_corners(run, f, slack)
    return onto_rim(run, mode, place) if run.body.rim > 0.0 else (mode, place)


@jit(internal=True)
def _tip_over_corners(run, f, slack):
    body, friction, t = run.body, run.friction, run.t
    state = run.state
    first, last = body.face_first[f], body.face_first[f + 1]
    for i in range(last - first):
        friction.touching[i] = body.face_vertices[first + i]
    friction.found.slow = min(friction.found.slow, friction.found.creep)
    m = matrix(orientation(state))
    J = ground_compliance(body, m)
    place_forces(body, friction, state, last - first, J, m)
    free_rates(body, state, acceleration(run.segment, t), m, J, friction.twist)
    return enter(run, last - first, J, slack)
