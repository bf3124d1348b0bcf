"""One step of a mode with slip or of flight, cut at the first event in it.

A slow slip turns to the direction of its force within |V|/(mu g), much faster than the body moves, so that an
explicit step would have to be as short. There the step is that of the linearly implicit Euler method,
extrapolated to third order (Deuflhard, P., Bornemann, F. (2002), Scientific Computing with Ordinary
Differential Equations, Springer, section 6.4.2): implicit in the velocities of slip alone. It is of third
order for any approximation of that Jacobian, so differences of rates do. Margins say how far the motion is
from the end of its mode, and from slips that turn too far.
"""

from __future__ import annotations

from math import inf, sqrt

from mcrock.base.jit import jit
from mcrock.base.params import Response
from mcrock.kernel import codes, results
from mcrock.kernel.dynamics import (
    NONE,
    advance_state,
    clear_state,
    contact_vertex,
    copy_motion,
    copy_state,
    normalize,
    on_rim,
    orientation,
    place_rim,
    point_of,
    weigh_rates,
)
from mcrock.kernel.friction.flat import (
    WEIGHTS,
    base_margin,
    corner_velocity,
    count_spin,
    flat_rates,
    prepare_spin,
    spin_step,
)
from mcrock.kernel.friction.motion import (
    KICK,
    REGULAR,
    STOPPED,
    clear_stiffness,
    from_contact,
    settle,
    slip_direction,
    slip_rates,
    to_contact,
)
from mcrock.kernel.rolling import EVEN, above_clearance, longest_step, push_aside, sweep_time, tipping
from mcrock.kernel.roots import EVENT_TIME, first_landing
from mcrock.kernel.rotation import matrix, norm, to_ground, vertical
from mcrock.kernel.shaking import acceleration
from mcrock.kernel.step import HOP, REFINEMENTS, SLIP_SLACK, TOUCH, UPRIGHT, corrected, see_step, tilt_rate

STIFF = 1.0  # product of step and rate of settling above which a step is implicit [1]
PROBE = 1e-5  # turn of a slip by which the change of the rates is found [rad]


@jit(inline=True, internal=True)
def inlined_rates(run, mode, index, y, start, a, k):
    """`slip_rates` or `flat_rates`, by the mode."""
    if mode in (codes.SLIDE, codes.SPIN):
        return flat_rates(run, mode, index, y, start, a, k)
    return slip_rates(run, mode, index, y, start, a, k)


@jit(internal=True)
def mode_rates(run, mode, index, y, start, a, k):
    """`inlined_rates` by a call: its code in every caller costs compile time."""
    return inlined_rates(run, mode, index, y, start, a, k)


@jit(internal=True)
def mode_step(run, h):
    """One step from ``t`` over ``h`` [s] into ``out``; returns whether the motion was regular throughout.

    ``friction.rates[0]`` are the `mode_rates` at the start; `prepare_step` has chosen the method.
    """
    friction, mode, out = run.friction, run.mode, run.trial
    if friction.found.stopping != 0.0:
        good = _midpoint_step(run, h)
    elif friction.stiff[0].t_vx != 0.0 or friction.stiff[0].t_vy != 0.0:
        good = spin_step(run, h) if mode == codes.SPIN else _implicit_step(run, h)
    else:
        good = _explicit_step(run, h)
    normalize(out)
    return good


@jit(inline=True, internal=True)
def _explicit_step(run, h):
    """The classical Runge-Kutta method."""
    friction, mode, index, y = run.friction, run.mode, run.place, run.state
    segment, t, out = run.segment, run.t, run.trial
    rates, bad = friction.rates, REGULAR
    for stage in range(1, 4):
        part = h if stage == 3 else 0.5 * h
        advance_state(y, rates[stage - 1], part, out)
        bad |= inlined_rates(run, mode, index, out, y, acceleration(segment, t + part), rates[stage])
    weigh_rates(rates[0], rates[1], rates[2], rates[3], out)
    advance_state(y, out, h / 6.0, out)
    return bad == REGULAR


@jit(inline=True, internal=True)
def _midpoint_step(run, h):
    """The midpoint rule, for a slip that stops: halfway it has its direction still, at the end none."""
    rates, y, out = run.friction.rates, run.state, run.trial
    advance_state(y, rates[0], 0.5 * h, out)
    a = acceleration(run.segment, run.t + 0.5 * h)
    bad = mode_rates(run, run.mode, run.place, out, y, a, rates[1])
    advance_state(y, rates[1], h, out)
    return bad == REGULAR


@jit(inline=True, internal=True)
def prepare_step(run, a, h):
    """Choose the method of steps from a state, for steps of up to ``h`` [s].

    An implicit one gets, for each slip, how the rates change with its direction (columns R) and how its
    direction changes with the velocity of the first contact and the spin (columns T), and in time with the
    square of the spin, as the edge turns. A slip along itself changes nothing. Returns the step, shorter in
    `mcrock.kernel.friction.flat` where a slip would change too much.
    """
    body, friction, mode, index, y = run.body, run.friction, run.mode, run.place, run.state
    stiff, found, k, probe = friction.stiff, friction.found, friction.rates[0], friction.rates[1]
    stiff[0].t_vx = stiff[0].t_vy = 0.0
    clear_stiffness(stiff[1])
    implicit = (
        mode in (codes.VERTEX_SLIP, codes.EDGE_SLIP, codes.SLIDE, codes.SPIN) and h * found.stiffness > STIFF
    )
    if not implicit or found.stopping != 0.0:
        return h
    if mode == codes.SPIN:
        stiff[0].t_vx = 1.0  # an implicit one
        return prepare_spin(run, a, h)
    for contact in range(2 if mode == codes.EDGE_SLIP else 1):
        row = stiff[contact]
        found.bend_0, found.bend_1 = (PROBE, 0.0) if contact == 0 else (0.0, PROBE)
        mode_rates(run, mode, index, y, y, a, probe)
        found.bend_0 = found.bend_1 = 0.0
        row.r_vx, row.r_vy = (probe.v_x - k.v_x) / PROBE, (probe.v_y - k.v_y) / PROBE
        row.r_wx, row.r_wy = (probe.w_x - k.w_x) / PROBE, (probe.w_y - k.w_y) / PROBE
        row.r_wz = (probe.w_z - k.w_z) / PROBE
        vx, vy, lever_x, lever_y = y.v_x, y.v_y, 0.0, 0.0
        if contact == 1:
            p, q = body.vertices[body.edge_vertices[index, 0]], body.vertices[body.edge_vertices[index, 1]]
            lever_x, lever_y, _ = to_ground(orientation(y), q[0] - p[0], q[1] - p[1], q[2] - p[2])
            _, _, spin = to_ground(orientation(y), y.w_x, y.w_y, y.w_z)
            vx, vy = vx - spin * lever_y, vy + spin * lever_x
        square = max(vx * vx + vy * vy, STOPPED * STOPPED)
        row.t_vx, row.t_vy = -vy / square, vx / square
        row.t_spin = (vx * lever_x + vy * lever_y) / square
        row.t_square = (vy * lever_x - vx * lever_y) / square
    return h


@jit(inline=True, internal=True)
def _bend(row, up, change):
    """Turn of a slip [rad] by a change of the velocity of the first contact and of the angular velocity."""
    vx, vy, wx, wy, wz = change
    return row.t_vx * vx + row.t_vy * vy + row.t_spin * (up[0] * wx + up[1] * wy + up[2] * wz)


@jit(inline=True, internal=True)
def _implicit_step(run, h):
    """The extrapolated linearly implicit Euler method."""
    friction, mode, index, y = run.friction, run.mode, run.place, run.state
    segment, t, out = run.segment, run.t, run.trial
    k, now, stiff = friction.rates[1], friction.rates[2], friction.stiff
    total = friction.rates[3]
    bad = REGULAR
    clear_state(total)
    first, second = stiff[0], stiff[1]
    by_first = first.r_vx, first.r_vy, first.r_wx, first.r_wy, first.r_wz
    by_second = second.r_vx, second.r_vy, second.r_wx, second.r_wy, second.r_wz
    up = vertical(orientation(y))
    for parts in range(1, 4):
        part_h = h / parts
        copy_state(y, now)
        for part in range(parts):
            if part == 0:
                copy_motion(friction.rates[0], k)
            else:
                bad |= inlined_rates(run, mode, index, now, y, acceleration(segment, t + part * part_h), k)
            # turns of the slips in the step: z_i = T_i (h f + h sum R_j z_j)
            a_00 = 1.0 - part_h * _bend(first, up, by_first)
            a_01 = -part_h * _bend(first, up, by_second)
            a_10 = -part_h * _bend(second, up, by_first)
            a_11 = 1.0 - part_h * _bend(second, up, by_second)
            gain = k.v_x, k.v_y, k.w_x, k.w_y, k.w_z
            b_0 = part_h * _bend(first, up, gain)
            spin = up[0] * now.w_x + up[1] * now.w_y + up[2] * now.w_z
            b_1 = part_h * _bend(second, up, gain)
            b_1 += part_h * second.t_square * spin * spin
            scale = part_h / (a_00 * a_11 - a_01 * a_10)
            z_0, z_1 = (a_11 * b_0 - a_01 * b_1) * scale, (a_00 * b_1 - a_10 * b_0) * scale
            advance_state(now, k, part_h, now)
            now.v_x += first.r_vx * z_0 + second.r_vx * z_1
            now.v_y += first.r_vy * z_0 + second.r_vy * z_1
            now.w_x += first.r_wx * z_0 + second.r_wx * z_1
            now.w_y += first.r_wy * z_0 + second.r_wy * z_1
            now.w_z += first.r_wz * z_0 + second.r_wz * z_1
        advance_state(total, now, WEIGHTS[parts - 1], total)
    copy_motion(total, out)
    return bad == REGULAR


MOST_PULL = 1e-2  # force that keeps an end on the ground while its edge is held, over the weight [1]


@jit(inline=True, internal=True)
def _level_velocity(y, p):
    """Horizontal velocity [m/s] of a point ``p`` from that to which the velocity of a state belongs."""
    m = matrix(orientation(y))
    x = y.w_y * p[2] - y.w_z * p[1]
    z = y.w_z * p[0] - y.w_x * p[2]
    w = y.w_x * p[1] - y.w_y * p[0]
    return y.v_x + m[0] * x + m[1] * z + m[2] * w, y.v_y + m[3] * x + m[4] * z + m[5] * w


@jit(internal=True)
def slip_velocity(body, y, vertex):
    """Horizontal velocity of a vertex [m/s]."""
    if vertex == body.n_vertex:
        place_rim(body, y)
    return _level_velocity(y, point_of(body, vertex))


@jit(internal=True)
def _contact_velocity(body, y, mode, index, vertex):
    """`slip_velocity` of a state whose velocity is that of the contact."""
    p, o = body.vertices[vertex], body.vertices[contact_vertex(body, mode, index)]
    return _level_velocity(y, (p[0] - o[0], p[1] - o[1], p[2] - o[2]))


@jit(internal=True)
def mode_margin(run, y, a, k):
    """How far a state is from the end of its mode: the least of forces over the weight and slips [m/s].

    Negative beyond it. ``start`` is the state at the start of the step, ``k`` becomes the rates.
    """
    body, friction, mode = run.body, run.friction, run.mode
    index, start = run.place, run.state
    gravity, found = body.gravity, friction.found
    if inlined_rates(run, mode, index, y, start, a, k) != REGULAR:
        return -inf
    if mode == codes.FLIGHT:
        return inf
    if mode == codes.SLIDE:
        sx, sy, speed = slip_direction(y.v_x, y.v_y, start.s0_x, start.s0_y)
        margin = min(speed - STOPPED, (gravity + a[2]) / gravity)
        n = body.face_first[index + 1] - body.face_first[index]
        return min(margin, base_margin(run, n, friction.mu, sx, sy) / body.radius + SLIP_SLACK)
    if mode == codes.SPIN:
        fastest = -inf
        for i in range(body.face_first[index], body.face_first[index + 1]):
            vx, vy = corner_velocity(body, y, body.face_vertices[i])
            ux, uy = corner_velocity(body, start, body.face_vertices[i])
            speed = norm(ux, uy)
            if speed > 0.0:
                fastest = max(fastest, (vx * ux + vy * uy) / speed)
        return fastest - found.creep
    slack = MOST_PULL if found.held != 0.0 else SLIP_SLACK
    margin, first = found.n_0 / gravity + slack, (start.s0_x, start.s0_y)
    if mode == codes.VERTEX_SLIP:
        return min(margin, _still_slips(body, mode, index, y, index, first))
    margin = min(margin, found.n_1 / gravity + slack)
    p, q = body.edge_vertices[index, 0], body.edge_vertices[index, 1]
    if mode != codes.EDGE_SLIP_SECOND:
        margin = min(margin, _still_slips(body, mode, index, y, p, first))
    if mode != codes.EDGE_SLIP_FIRST:
        margin = min(margin, _still_slips(body, mode, index, y, q, (start.s1_x, start.s1_y)))
    if mode != codes.EDGE_SLIP:
        margin = min(margin, (friction.static * found.n_0 - sqrt(found.t_0)) / gravity + slack)
    return margin


@jit(internal=True)
def _still_slips(body, mode, index, y, vertex, slip):
    vx, vy = _contact_velocity(body, y, mode, index, vertex)
    return vx * slip[0] + vy * slip[1] - STOPPED


@jit(inline=True, internal=True)
def braking(run):
    """Time in which the first of the slips would stop, as it is braked now [s], and its speed [m/s]."""
    body, friction, mode, index, y = run.body, run.friction, run.mode, run.place, run.state
    left, fastest, found = inf, 0.0, friction.found
    if mode in (codes.FLIGHT, codes.SLIDE, codes.SPIN):
        return left, fastest
    for end in range(1 if mode == codes.VERTEX_SLIP else 2):
        if (mode == codes.EDGE_SLIP_FIRST and end == 1) or (mode == codes.EDGE_SLIP_SECOND and end == 0):
            continue
        vertex = index if mode == codes.VERTEX_SLIP else body.edge_vertices[index, end]
        pull = found.t_0 if mode == codes.VERTEX_SLIP or (mode == codes.EDGE_SLIP and end == 0) else found.t_1
        if pull < 0.0:
            vx, vy = _contact_velocity(body, y, mode, index, vertex)
            speed = norm(vx, vy)
            if speed < -pull * left:
                left, fastest = -speed / pull, speed
    return left, fastest


@jit(internal=True)
def _turned_too_far(run, vertex, slip, limit):
    """Whether a ``slip`` turned by more than an angle [rad] from its direction at the start of a step."""
    body, mode, index, y = run.body, run.mode, run.place, run.trial
    vx, vy = y.v_x, y.v_y
    if mode != codes.SLIDE:
        vx, vy = _contact_velocity(body, y, mode, index, vertex)
    along, across = vx * slip[0] + vy * slip[1], abs(vy * slip[0] - vx * slip[1])
    return across > limit * max(along, 0.0) + 3.0 * KICK


@jit(internal=True)
def bent_too_far(run, limit):
    """Whether any slip turned too far."""
    body, mode, index, start = run.body, run.mode, run.place, run.state
    first, second = (start.s0_x, start.s0_y), (start.s1_x, start.s1_y)
    if mode == codes.VERTEX_SLIP:
        return _turned_too_far(run, index, first, limit)
    if mode == codes.SLIDE:
        return _turned_too_far(run, NONE, first, limit)
    bent = False
    if mode in (codes.EDGE_SLIP, codes.EDGE_SLIP_FIRST):
        bent = _turned_too_far(run, body.edge_vertices[index, 0], first, limit)
    if mode in (codes.EDGE_SLIP, codes.EDGE_SLIP_SECOND):
        bent = bent or _turned_too_far(run, body.edge_vertices[index, 1], second, limit)
    return bent


AS_LOW = 1e-9  # vertices this low land together, over the size of the body [1]
HALVINGS = 60  # of a step in which a slip turns too far
JUMP = 0.5  # change of the contact force in a step that is too much, over the weight [1]
BRAKED = 0.7  # of the time in which a slip would stop that a step may take [1]
LAST = 0.5  # of the time in which a slip is stopped at once, left after the last step [1]
LAST_TURN = 1.0  # of a slip in the time in which it stops, beyond which no step is the last [rad]
ENDED = 1e-9  # margin below zero at which a mode has ended: forces over the weight [1] and slips [m/s]
SETTLED = 1e-2  # angle from the direction to which a slip settles that is none, over the turn aimed at [1]
SHORTEST = 1e-9  # step that is not halved for it [s]
TURNED = 3.0  # turn of a slip in a step that is too far, over the turn aimed at [1]


@jit(internal=True)
def _height(body, y, mode, pivot, vertex):
    """Height of a vertex [m] and its rate [m/s]; over the pivot in modes of contact."""
    if body.rim > 0.0:
        place_rim(body, y)
    m = matrix(orientation(y))
    v = body.vertices[vertex]
    x, z, w = v[0], v[1], v[2]
    if mode != codes.FLIGHT:
        p = body.vertices[pivot]
        x, z, w = x - p[0], z - p[1], w - p[2]
    a, b, c = y.w_y * w - y.w_z * z, y.w_z * x - y.w_x * w, y.w_x * z - y.w_y * x
    height, rate = m[6] * x + m[7] * z + m[8] * w, m[6] * a + m[7] * b + m[8] * c
    if mode == codes.FLIGHT:
        return height + y.z, rate + y.v_z
    return height, rate


@jit(inline=True, internal=True)
def _watch(run):
    """Fill ``friction.watched`` with the vertices that may land, and return their number."""
    body, friction, mode, index = run.body, run.friction, run.mode, run.place
    watched, n = friction.watched, 0
    if body.rim > 0.0 and mode in (codes.FLIGHT, codes.VERTEX_SLIP):
        for i in range(body.n_vertex):
            if not body.standing[i]:
                watched[n] = i
                n += 1
        if mode == codes.FLIGHT:
            watched[n] = body.n_vertex
            n += 1
        return n
    if mode == codes.FLIGHT:
        for i in range(body.n_vertex):
            watched[i] = i
        return body.n_vertex
    if mode == codes.VERTEX_SLIP:
        for i in range(body.spoke_first[index], body.spoke_first[index + 1]):
            watched[n] = body.spokes[i]
            n += 1
        return n
    if mode in (codes.SLIDE, codes.SPIN):
        return 0
    # the corner after the edge in each of its faces: with it the whole face lands
    for side in range(2):
        f = body.edge_faces[index, side]
        if f >= 0:
            first, last = body.face_first[f], body.face_first[f + 1]
            for i in range(first, last):
                v = body.face_vertices[i]
                if v != body.edge_vertices[index, 0] and v != body.edge_vertices[index, 1]:
                    watched[n] = v
                    n += 1
                    break
    return n


STOPS_IN_SWEEP, SHORT_IN_SWEEP = 1e-3, 0.1  # times in which a slip stops at once, over that of a sweep [1]


@jit(inline=True, internal=True)
def advance_slip(run, h):
    """One step of the mode over at most ``h`` [s], in which a slip turns by about ``run.bend`` [rad].

    A slip that would end within ``run.stops`` [s] ends at once; that of a vertex which would within the time
    of a sequence of edge impacts gets there in one step.

    Returns the time advanced [s] and the event: SLIP, LANDING, OVERTURN, PARADOX or none.
    ``friction.touching`` then holds the vertices that land; their number is the third value.
    """
    body, friction, result, t, turn = run.body, run.friction, run.result, run.t, run.bend
    state, trial, mode, index = run.state, run.trial, run.mode, run.place
    gravity = body.gravity
    a = acceleration(run.segment, t)
    if on_rim(body, mode, index):
        push_aside(run, vertical(orientation(state)))
        run.calm, run.goes_on = run.sweeps, False
    to_contact(body, state, mode, index)
    known, run.goes_on = run.goes_on, False
    if known:
        copy_motion(friction.other, friction.rates[0])
    margin = inf if known else mode_margin(run, state, a, friction.rates[0])
    if margin < 0.0:
        from_contact(body, state, mode, index)
        return 0.0, codes.PARADOX if margin == -inf else codes.SLIP, 0
    left, speed = braking(run)
    stops, short = run.stops, run.settings.edge_zeno_time
    if on_rim(body, mode, index):
        time = sweep_time(state)
        stops, short = min(stops, STOPS_IN_SWEEP * time), min(short, SHORT_IN_SWEEP * time)
    # without friction a slip does not stop but swings back
    if left < stops and friction.mu > 0.0:
        # with it any other no faster than a slip begins, or not much after many events
        from_contact(body, state, mode, index)
        friction.found.slow = max(speed + STOPPED, (2.0 if friction.found.held == 0.0 else 10.0) * KICK)
        return 0.0, codes.SLIP, 0
    # a slow slip settles to its direction at once: then the rate says nothing of the turn in a step
    if on_rim(body, mode, index):
        h = min(h, longest_step(run, vertical(orientation(state)), EVEN, 2.0 * tipping(body)))
    turning = friction.found.turning
    soon = stops <= left < short
    stopping = mode == codes.VERTEX_SLIP and soon and turning * left < LAST_TURN
    friction.found.stopping = 1.0 if stopping else 0.0
    h = min(h, left - LAST * stops if stopping else BRAKED * left)
    if not stopping and turning * h > turn and turning > SETTLED * turn * friction.found.stiffness:
        h = turn / turning
    pivot = contact_vertex(body, mode, index) if mode != codes.FLIGHT else NONE
    n = _watch(run)
    h = _lay_heights(run, h, n, pivot)
    normal = friction.found.n_0 + friction.found.n_1
    result[Response.LOWEST_NORMAL_FORCE] = min(
        result[Response.LOWEST_NORMAL_FORCE],
        0.0 if mode == codes.FLIGHT else _pressure(mode, normal, gravity, a),
    )
    before = above_clearance(run, state)[0] if run.clearance > 0.0 and pivot == body.n_vertex else -1.0
    h, event = _regular_step(run, prepare_step(run, a, h), n, pivot)
    if before >= 0.0 and above_clearance(run, trial)[0] < 0.0:
        h, event, n = _locate_first(run, h, False), codes.LANDING, 0
    up = vertical(orientation(state))
    after = vertical(orientation(trial))
    if after[2] <= (UPRIGHT if event == codes.LANDING else 0.0) and not results.has_overturned(result):
        h, event = _locate_first(run, h, True), codes.OVERTURN
        after = vertical(orientation(trial))
        result[Response.PEAK_TILT] = 1.0
    d0 = tilt_rate(up, state.w_x, state.w_y, state.w_z)
    d1 = tilt_rate(after, trial.w_x, trial.w_y, trial.w_z)
    count = _gather(run, pivot, n) if event == codes.LANDING and n > 0 else 0
    if mode == codes.SPIN:
        count_spin(body, friction, index, state, trial, h)
    copy_motion(trial, state)
    from_contact(body, state, mode, index)
    settle(body, state, mode, index)
    _count_slip(run)
    see_step(result, up, after, d0, d1, h)
    run.goes_on = event == codes.NO_EVENT and friction.found.held == 0.0
    return h, event, count


@jit(internal=True)
def _lay_heights(run, h, n, pivot):
    """Heights of the ``n`` vertices watched at the start of a step; one that has just left the ground, maybe
    for a hop, shortens the step, which is returned [s]."""
    body, friction, state, mode = run.body, run.friction, run.state, run.mode
    size = body.radius
    for i in range(n):
        row = friction.heights[i]
        row.before, row.rate_before = _height(body, state, mode, pivot, friction.watched[i])
        row.offset = 0.0
        if row.before <= AS_LOW * size:  # on the ground but for rounding
            row.offset, row.before = row.before, 0.0
        if row.before <= TOUCH * size and row.rate_before > 0.0:
            sink = -rise(body, state, mode, pivot, friction.watched[i], friction.rates[0])
            if 4.0 * row.rate_before < sink * h:
                h = max(HOP * 2.0 * row.rate_before / sink, EVENT_TIME)
    return h


@jit(inline=True, internal=True)
def _regular_step(run, h, n, pivot):
    """A step over at most ``h`` [s] in which forces stay regular and slips do not turn too far, up to its
    first event; the state there is in ``run.trial``. Returns the time [s] and the event."""
    body, friction, t, turn, trial = run.body, run.friction, run.t, run.bend, run.trial
    normal, event = friction.found.n_0 + friction.found.n_1, codes.NO_EVENT
    for _ in range(HALVINGS):
        whole = h
        event = codes.NO_EVENT
        regular = mode_step(run, h)
        if regular:
            h, event = _first_of_landings(run, h, n, pivot)
        a = acceleration(run.segment, t + h)
        after = mode_margin(run, trial, a, friction.other) if regular else -inf
        irregular = after == -inf
        if after < 0.0 and not (irregular and whole > SHORTEST):
            h, regular = _locate_end(run, h)
            event, irregular = codes.SLIP if regular else codes.PARADOX, not regular
        if irregular and whole > SHORTEST:  # a step too long, unless it is so after the shortest too
            h = 0.5 * whole
            continue
        pressed = friction.found.n_0 + friction.found.n_1
        jumps = not abs(pressed - normal) <= JUMP * body.gravity
        bends = friction.found.stopping == 0.0 and bent_too_far(run, TURNED * turn)
        if whole <= SHORTEST or not (jumps or bends):
            break
        h = 0.5 * whole
    return h, event


@jit(internal=True)
def _locate_first(run, high, falls):
    """First time in a step at which the axis is level if the body ``falls``, else the tilt is that of the
    clearance [s]; the state there is in ``run.trial``."""
    trial, low = run.trial, 0.0
    for _ in range(HALVINGS):
        if high - low <= EVENT_TIME:
            break
        middle = 0.5 * (low + high)
        mode_step(run, middle)
        above = vertical(orientation(trial))[2] if falls else above_clearance(run, trial)[0]
        if above <= 0.0:
            high = middle
        else:
            low = middle
    mode_step(run, high)
    return high


@jit(internal=True)
def _pressure(mode, normal, gravity, a):
    """Vertical contact force over the weight."""
    if mode in (codes.SLIDE, codes.SPIN):
        return 1.0 + a[2] / gravity
    return normal / gravity


@jit(internal=True)
def rise(body, y, mode, pivot, vertex, k):
    """Vertical acceleration of a vertex with the rates ``k`` [m/s2]."""
    if body.rim > 0.0:
        place_rim(body, y)
    m = matrix(orientation(y))
    v = body.vertices[vertex]
    x, z, w = v[0], v[1], v[2]
    if mode != codes.FLIGHT:
        p = body.vertices[pivot]
        x, z, w = x - p[0], z - p[1], w - p[2]
    a, b, c = y.w_y * w - y.w_z * z, y.w_z * x - y.w_x * w, y.w_x * z - y.w_y * x
    d, e, f = k.w_y * w - k.w_z * z, k.w_z * x - k.w_x * w, k.w_x * z - k.w_y * x
    d, e, f = d + y.w_y * c - y.w_z * b, e + y.w_z * a - y.w_x * c, f + y.w_x * b - y.w_y * a
    rise = m[6] * d + m[7] * e + m[8] * f
    return rise + k.v_z if mode == codes.FLIGHT else rise


@jit(inline=True, internal=True)
def _first_of_landings(run, h, n, pivot):
    """Time of the first landing in a step [s] and LANDING, or ``h`` and no event; the state then is in
    ``run.trial``."""
    body, friction = run.body, run.friction
    trial, heights = run.trial, friction.heights
    mode, size = run.mode, body.radius
    ground = TOUCH * size
    for i in range(n):
        row = heights[i]
        row.after, row.rate_after = _height(body, trial, mode, pivot, friction.watched[i])
        row.after -= row.offset
        row.lands_at = first_landing(row.before, row.rate_before, row.after, row.rate_after, h, ground)
    whole = h
    for _ in range(n):
        at, lands = inf, NONE
        for i in range(n):
            if 0.0 <= heights[i].lands_at < at:
                at, lands = heights[i].lands_at, i
        if lands < 0:
            break
        low, high, h = 0.0, whole, max(at, EVENT_TIME)
        gap, speed = 0.0, 0.0
        for _ in range(REFINEMENTS):
            mode_step(run, h)
            gap, speed = _height(body, trial, mode, pivot, friction.watched[lands])
            gap -= heights[lands].offset
            for i in range(n):
                if i != lands and heights[i].before > ground:
                    lower, its = _height(body, trial, mode, pivot, friction.watched[i])
                    if lower < -AS_LOW * size and lower < gap:
                        lands, gap, speed, low = i, lower, its, 0.0
            # one that left the ground in this step comes back when it sinks, whatever heights are rounded to
            if gap > 0.0 or (speed > 0.0 and heights[lands].before <= 0.0):
                low = max(low, h)
            else:
                high = min(high, h)
            h, found = corrected(h, gap, speed, low, high)
            if found == 1:
                mode_step(run, h)
                gap, speed = _height(body, trial, mode, pivot, friction.watched[lands])
                gap -= heights[lands].offset
            if found > 0:
                break
        if heights[lands].after <= 0.0 or (gap <= ground and speed < 0.0):
            friction.touching[0] = friction.watched[lands]
            return h, codes.LANDING
        heights[lands].lands_at = -1.0  # the interpolation dips below the ground, the motion does not
        h = whole
        mode_step(run, h)
    return whole, codes.NO_EVENT


@jit(inline=True, internal=True)
def _gather(run, pivot, n):
    """Vertices that land together with ``friction.touching[0]`` behind it, and the number of all."""
    body, friction, mode, y = run.body, run.friction, run.mode, run.trial
    count = 1
    for i in range(n):
        height, rate = _height(body, y, mode, pivot, friction.watched[i])
        lands = height <= AS_LOW * body.radius and rate < 0.0
        if lands and friction.watched[i] != friction.touching[0]:
            friction.touching[count] = friction.watched[i]
            count += 1
    return count


@jit(inline=True, internal=True)
def _locate_end(run, h):
    """First time at which the mode ends [s], by the Illinois method, and whether forces are regular there.

    ``run.trial`` becomes the state there, or the last before where they are not.
    """
    friction, t = run.friction, run.t
    trial, segment = run.trial, run.segment
    mode = run.mode
    low, high, below, above, side, ends_well = 0.0, h, 1.0, -1.0, 0, True
    for i in range(2 * REFINEMENTS):
        if high - low <= EVENT_TIME:
            break
        guess = low + (high - low) * below / (below - above)
        if i == 0 or i % 4 == 3 or not low < guess < high:
            guess = 0.5 * (low + high)
        regular = mode_step(run, guess)
        a = acceleration(segment, t + guess)
        margin = -inf
        if regular:
            margin = mode_margin(run, trial, a, friction.other)
        if margin < 0.0:
            ends_well = margin > -inf
            high, above = guess, max(margin, -1e3)
            below *= 0.5 if side < 0 else 1.0
            side = -1
            if margin > -ENDED:
                break
        else:
            low, below = guess, max(margin, 1e-300)
            above *= 0.5 if side > 0 else 1.0
            side = 1
    ends_well = ends_well or mode == codes.SPIN  # it tips over
    end = high if ends_well else low
    mode_step(run, end)
    a = acceleration(segment, t + end)
    mode_margin(run, trial, a, friction.other)
    return end, ends_well


@jit(inline=True, internal=True)
def _count_slip(run):
    """Add the slip of a step to the paths of its contacts, and renew the directions of slip."""
    body, friction, result = run.body, run.friction, run.result
    state, mode, index = run.state, run.mode, run.place
    path, first, second = friction.path, (state.s0_x, state.s0_y), (state.s1_x, state.s1_y)
    result[Response.FRICTION_ENERGY_LOSS] += state.loss
    if mode in (codes.SLIDE, codes.SPIN):
        for i in range(body.face_first[index], body.face_first[index + 1]):
            v = body.face_vertices[i]
            if mode == codes.SLIDE:
                path[v] += state.path_0
            result[Response.SLIP_PATH] = max(result[Response.SLIP_PATH], path[v])
        corner = body.face_vertices[body.face_first[index]]
        state.s0_x, state.s0_y = _renewed(body, state, corner, first)
    elif mode == codes.VERTEX_SLIP:
        path[index] += state.path_0
        result[Response.SLIP_PATH] = max(result[Response.SLIP_PATH], path[index])
        state.s0_x, state.s0_y = _renewed(body, state, index, first)
    elif mode != codes.FLIGHT:
        p, q = body.edge_vertices[index, 0], body.edge_vertices[index, 1]
        path[p] += state.path_0
        path[q] += state.path_1
        result[Response.SLIP_PATH] = max(result[Response.SLIP_PATH], path[p], path[q])
        state.s0_x, state.s0_y = _renewed(body, state, p, first)
        state.s1_x, state.s1_y = _renewed(body, state, q, second)
    state.path_0, state.path_1, state.loss = 0.0, 0.0, 0.0


@jit(internal=True)
def _renewed(body, state, vertex, slip):
    """The direction of a slip, that of the velocity where it has not stopped."""
    vx, vy = slip_velocity(body, state, vertex)
    speed = norm(vx, vy)
    if speed > STOPPED and vx * slip[0] + vy * slip[1] > 0.0:
        return vx / speed, vy / speed
    return slip
