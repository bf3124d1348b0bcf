"""One step of a mode with slip or of flight, cut at the first event in it."""

from __future__ import annotations

from math import hypot, inf, sqrt

import numpy as np

from mcrock.jit import jit
from mcrock.kernel import record
from mcrock.kernel.advance import (
    AFTER,
    BEFORE,
    HOP,
    LANDING,
    NO_EVENT,
    OFFSET,
    OVERTURN,
    RATE_AFTER,
    RATE_BEFORE,
    REFINEMENTS,
    TOUCH,
    UPRIGHT,
    corrected,
    see_step,
    tilt_rate,
)
from mcrock.kernel.contact import GRAVITY, SIZE
from mcrock.kernel.dynamics import (
    LOSS,
    PATH_0,
    PATH_1,
    Q0,
    Q1,
    Q2,
    Q3,
    S0_X,
    S0_Y,
    S1_X,
    V_X,
    V_Y,
    V_Z,
    W_X,
    W_Y,
    W_Z,
    X,
    Z,
)
from mcrock.kernel.events import EVENT_TIME, first_landing
from mcrock.kernel.friction.decide import slide_margin
from mcrock.kernel.friction.flat import corner_velocity
from mcrock.kernel.friction.motion import REGULAR, slip_direction
from mcrock.kernel.friction.spin import count_spin
from mcrock.kernel.friction.state import (
    CREEP,
    FRICTION,
    HELD,
    KICK,
    N_0,
    N_1,
    SLACK,
    SLOW,
    STATIC,
    STIFFNESS,
    STOPPED,
    T_0,
    T_1,
    TURNING,
    from_contact,
    of_slips,
    settle,
    to_contact,
)
from mcrock.kernel.friction.step import inlined_rates, mode_step, prepare_step
from mcrock.kernel.modes import (
    EDGE_SLIP,
    EDGE_SLIP_FIRST,
    EDGE_SLIP_SECOND,
    FLIGHT,
    NONE,
    SLIDE,
    SPIN,
    VERTEX_SLIP,
    contact_vertex,
)
from mcrock.kernel.rotation import matrix, vertical
from mcrock.kernel.shaking import acceleration
from mcrock.params import Event
from mcrock.response import Response

CHANGE, LANDS = (
    np.int64(Event.SLIP),
    np.int64(Event.LANDING),
)  # contacts are to be decided anew; vertices land
TOGETHER = 1e-9  # vertices this low land together, over the size of the body [1]
PARADOX = np.int64(-1)  # friction leaves no single force
HALVINGS = 60  # of a step in which a slip turns too far
JUMP = 0.5  # change of the contact force in a step that is too much, over the weight [1]
MOST_PULL = 1e-2  # force that keeps an end on the ground while its edge is held, over the weight [1]
BRAKED = 0.7  # of the time in which a slip would stop that a step may take [1]
ENDED = 1e-9  # margin below zero at which a mode has ended: forces over the weight [1] and slips [m/s]
SETTLED = 1e-2  # angle from the direction to which a slip settles that is none, over the turn aimed at [1]
SHORTEST = 1e-9  # step that is not halved for it [s]
TURNED = 3.0  # turn of a slip in a step that is too far, over the turn aimed at [1]


@jit(internal=True)
def slip_velocity(body, y, vertex):
    """Horizontal velocity of a vertex [m/s]."""
    p = body.vertices[vertex]
    m = matrix(y[Q0], y[Q1], y[Q2], y[Q3])
    x = y[W_Y] * p[2] - y[W_Z] * p[1]
    z = y[W_Z] * p[0] - y[W_X] * p[2]
    w = y[W_X] * p[1] - y[W_Y] * p[0]
    return y[V_X] + m[0] * x + m[1] * z + m[2] * w, y[V_Y] + m[3] * x + m[4] * z + m[5] * w


@jit(internal=True)
def _contact_velocity(top, body, y, mode, index, vertex):
    """`slip_velocity` of a state whose velocity is that of the contact."""
    p, o = body.vertices[vertex], body.vertices[contact_vertex(top, mode, index)]
    m = matrix(y[Q0], y[Q1], y[Q2], y[Q3])
    a, b, c = p[0] - o[0], p[1] - o[1], p[2] - o[2]
    x, z, w = y[W_Y] * c - y[W_Z] * b, y[W_Z] * a - y[W_X] * c, y[W_X] * b - y[W_Y] * a
    return y[V_X] + m[0] * x + m[1] * z + m[2] * w, y[V_Y] + m[3] * x + m[4] * z + m[5] * w


@jit(internal=True)
def _height(body, y, mode, pivot, vertex):
    """Height of a vertex [m] and its rate [m/s]; over the pivot in modes of contact."""
    m = matrix(y[Q0], y[Q1], y[Q2], y[Q3])
    v = body.vertices[vertex]
    x, z, w = v[0], v[1], v[2]
    if mode != FLIGHT:
        p = body.vertices[pivot]
        x, z, w = x - p[0], z - p[1], w - p[2]
    a, b, c = y[W_Y] * w - y[W_Z] * z, y[W_Z] * x - y[W_X] * w, y[W_X] * z - y[W_Y] * x
    height, rate = m[6] * x + m[7] * z + m[8] * w, m[6] * a + m[7] * b + m[8] * c
    if mode == FLIGHT:
        return height + y[Z], rate + y[V_Z]
    return height, rate


@jit(inline=True, internal=True)
def _watch(top, body, friction, mode, index):
    """Fill ``friction.watched`` with the vertices that may land, and return their number."""
    watched, n = friction.watched, 0
    if mode == FLIGHT:
        for i in range(body.vertices.shape[0]):
            watched[i] = i
        return body.vertices.shape[0]
    if mode == VERTEX_SLIP:
        for i in range(top.neighbours.shape[1]):
            if top.neighbours[index, i] >= 0:
                watched[n] = top.neighbours[index, i]
                n += 1
        return n
    if mode in (SLIDE, SPIN):
        return 0
    # the corner after the edge in each of its faces: with it the whole face lands
    for side in range(2):
        f = top.edge_faces[index, side]
        if f >= 0:
            first, last = top.face_first[f], top.face_first[f + 1]
            for i in range(first, last):
                v = top.face_vertices[i]
                if v != top.edge_vertices[index, 0] and v != top.edge_vertices[index, 1]:
                    watched[n] = v
                    n += 1
                    break
    return n


@jit(internal=True)
def _margin(top, body, friction, mode, index, y, start, sides, a, k):
    """How far a state is from the end of its mode: the least of forces over the weight and slips [m/s].

    Negative beyond it. ``start`` is the state at the start of the step, ``k`` becomes the rates.
    """
    gravity, found = body.scalars[GRAVITY], friction.found
    if inlined_rates(top, body, friction, mode, index, y, start, a, k) != REGULAR:
        return -inf
    if mode == FLIGHT:
        return inf
    if mode == SLIDE:
        sx, sy, speed = slip_direction(y[V_X], y[V_Y], start[S0_X], start[S0_Y])
        margin = min(speed - STOPPED, (gravity + a[2]) / gravity)
        mu, n = friction.values[FRICTION], top.face_first[index + 1] - top.face_first[index]
        for i in range(n):
            margin = min(margin, slide_margin(sides[i], mu, sx, sy) / body.scalars[SIZE] + SLACK)
        return margin
    if mode == SPIN:
        fastest = -inf
        for i in range(top.face_first[index], top.face_first[index + 1]):
            vx, vy = corner_velocity(body, y, top.face_vertices[i])
            ux, uy = corner_velocity(body, start, top.face_vertices[i])
            speed = hypot(ux, uy)
            if speed > 0.0:
                fastest = max(fastest, (vx * ux + vy * uy) / speed)
        return fastest - found[CREEP]
    slack = MOST_PULL if found[HELD] != 0.0 else SLACK
    margin = found[N_0] / gravity + slack
    if mode == VERTEX_SLIP:
        return min(margin, _still_slips(top, body, mode, index, y, start, index, S0_X))
    margin = min(margin, found[N_1] / gravity + slack)
    p, q = top.edge_vertices[index, 0], top.edge_vertices[index, 1]
    if mode != EDGE_SLIP_SECOND:
        margin = min(margin, _still_slips(top, body, mode, index, y, start, p, S0_X))
    if mode != EDGE_SLIP_FIRST:
        margin = min(margin, _still_slips(top, body, mode, index, y, start, q, S1_X))
    if mode != EDGE_SLIP:
        margin = min(margin, (friction.values[STATIC] * found[N_0] - sqrt(found[T_0])) / gravity + slack)
    return margin


@jit(internal=True)
def _still_slips(top, body, mode, index, y, start, vertex, column):
    vx, vy = _contact_velocity(top, body, y, mode, index, vertex)
    return vx * start[column] + vy * start[column + 1] - STOPPED


@jit(inline=True, internal=True)
def _braking(top, body, friction, mode, index, y):
    """Time in which the first of the slips would stop, as it is braked now [s], and its speed [m/s]."""
    left, fastest, found = inf, 0.0, friction.found
    if mode in (FLIGHT, SLIDE, SPIN):
        return left, fastest
    for end in range(1 if mode == VERTEX_SLIP else 2):
        if (mode == EDGE_SLIP_FIRST and end == 1) or (mode == EDGE_SLIP_SECOND and end == 0):
            continue
        vertex = index if mode == VERTEX_SLIP else top.edge_vertices[index, end]
        pull = found[T_0] if mode == VERTEX_SLIP or (mode == EDGE_SLIP and end == 0) else found[T_1]
        if pull < 0.0:
            vx, vy = _contact_velocity(top, body, y, mode, index, vertex)
            speed = hypot(vx, vy)
            if speed < -pull * left:
                left, fastest = -speed / pull, speed
    return left, fastest


@jit(internal=True)
def _turned_too_far(top, body, mode, index, y, start, vertex, column, limit):
    """Whether a slip turned by more than an angle [rad] from its direction at the start of a step."""
    vx, vy = y[V_X], y[V_Y]
    if mode != SLIDE:
        vx, vy = _contact_velocity(top, body, y, mode, index, vertex)
    along = vx * start[column] + vy * start[column + 1]
    across = abs(vy * start[column] - vx * start[column + 1])
    return across > limit * max(along, 0.0) + 3.0 * KICK


@jit(internal=True)
def _bent(top, body, mode, index, y, start, limit):
    """Whether any slip turned too far."""
    if mode == VERTEX_SLIP:
        return _turned_too_far(top, body, mode, index, y, start, index, S0_X, limit)
    if mode == SLIDE:
        return _turned_too_far(top, body, mode, index, y, start, NONE, S0_X, limit)
    bent = False
    if mode in (EDGE_SLIP, EDGE_SLIP_FIRST):
        bent = _turned_too_far(top, body, mode, index, y, start, top.edge_vertices[index, 0], S0_X, limit)
    if mode in (EDGE_SLIP, EDGE_SLIP_SECOND):
        bent = bent or _turned_too_far(
            top, body, mode, index, y, start, top.edge_vertices[index, 1], S1_X, limit
        )
    return bent


@jit(inline=True, internal=True)
def advance_slip(top, body, work, friction, result, t, h, turn, stops, sides):
    """One step of the mode from ``t`` over at most ``h`` [s], in which a slip turns by about ``turn`` [rad].

    A slip that would end within ``stops`` [s] ends at once.

    Returns the time advanced [s] and the event: CHANGE, LANDS, OVERTURN, PARADOX or none.
    ``friction.touching`` then holds the vertices that land; their number is the third value.
    """
    state, trial, segment, heights = work.state, work.trial, work.segment, friction.heights
    mode, index = work.mode[0], work.mode[1]
    gravity, ground = body.scalars[GRAVITY], TOUCH * body.scalars[SIZE]
    a = acceleration(segment, t)
    links, shape, forces = of_slips(top, body, friction)
    to_contact(links, shape, state, mode, index)
    if _margin(links, shape, forces, mode, index, state, state, sides, a, friction.rates[0]) < 0.0:
        from_contact(links, shape, state, mode, index)
        return 0.0, CHANGE, 0
    left, speed = _braking(links, shape, forces, mode, index, state)
    if left < stops:  # with it any other that is no faster than a slip begins, or not much after many events
        from_contact(links, shape, state, mode, index)
        friction.found[SLOW] = max(speed + STOPPED, (2.0 if friction.found[HELD] == 0.0 else 10.0) * KICK)
        return 0.0, CHANGE, 0
    h = min(h, BRAKED * left)
    # a slow slip settles to its direction at once: then the rate says nothing of the turn in a step
    turning = friction.found[TURNING]
    if turning * h > turn and turning > SETTLED * turn * friction.found[STIFFNESS]:
        h = turn / turning
    pivot = contact_vertex(top, mode, index) if mode != FLIGHT else NONE
    n = _watch(top, body, friction, mode, index)
    k = friction.rates[0]
    for i in range(n):
        row = heights[i]
        row[BEFORE], row[RATE_BEFORE] = _height(body, state, mode, pivot, friction.watched[i])
        row[OFFSET] = 0.0
        if row[BEFORE] <= TOGETHER * body.scalars[SIZE]:  # on the ground but for rounding
            row[OFFSET], row[BEFORE] = row[BEFORE], 0.0
        if row[BEFORE] <= ground and row[RATE_BEFORE] > 0.0:  # it just left the ground, maybe for a hop
            sink = -rise(body, state, mode, pivot, friction.watched[i], k)
            if 4.0 * row[RATE_BEFORE] < sink * h:
                h = max(HOP * 2.0 * row[RATE_BEFORE] / sink, EVENT_TIME)
    normal = friction.found[N_0] + friction.found[N_1]
    result[Response.LOWEST_NORMAL_FORCE] = min(
        result[Response.LOWEST_NORMAL_FORCE], 0.0 if mode == FLIGHT else _pressure(mode, normal, gravity, a)
    )
    h = prepare_step(links, shape, forces, mode, index, state, a, h)
    event, count = NO_EVENT, 0
    for _ in range(HALVINGS):
        whole = h
        event, count = NO_EVENT, 0
        regular = mode_step(links, shape, forces, mode, index, state, segment, t, h, trial)
        if regular:
            h, event = _first_of_landings(top, body, work, friction, t, h, n, pivot)
        a = acceleration(segment, t + h)
        after = (
            _margin(links, shape, forces, mode, index, trial, state, sides, a, friction.other)
            if regular
            else -inf
        )
        irregular = after == -inf
        if after < 0.0 and not (irregular and whole > SHORTEST):
            h, regular = _locate_end(top, body, work, friction, t, h, sides)
            event, irregular = CHANGE if regular else PARADOX, not regular
        if irregular and whole > SHORTEST:  # a step too long, unless it is so after the shortest too
            h = 0.5 * whole
            continue
        pressed = friction.found[N_0] + friction.found[N_1]
        jumps = not abs(pressed - normal) <= JUMP * gravity
        if whole <= SHORTEST or not (jumps or _bent(links, shape, mode, index, trial, state, TURNED * turn)):
            break
        h = 0.5 * whole
    up = vertical(state[Q0], state[Q1], state[Q2], state[Q3])
    after_up = vertical(trial[Q0], trial[Q1], trial[Q2], trial[Q3])
    if after_up[2] <= (UPRIGHT if event == LANDS else 0.0) and not record.has_overturned(result):
        low, high = 0.0, h
        for _ in range(HALVINGS):
            if high - low <= EVENT_TIME:
                break
            middle = 0.5 * (low + high)
            mode_step(links, shape, forces, mode, index, state, segment, t, middle, trial)
            if vertical(trial[Q0], trial[Q1], trial[Q2], trial[Q3])[2] <= 0.0:
                high = middle
            else:
                low = middle
        h, event = high, OVERTURN
        mode_step(links, shape, forces, mode, index, state, segment, t, h, trial)
        after_up = vertical(trial[Q0], trial[Q1], trial[Q2], trial[Q3])
        result[Response.PEAK_TILT] = 1.0
    d0 = tilt_rate(up, state[W_X], state[W_Y], state[W_Z])
    d1 = tilt_rate(after_up, trial[W_X], trial[W_Y], trial[W_Z])
    if event == LANDS:
        count = _gather(body, friction, mode, pivot, trial, n)
    if mode == SPIN:
        count_spin(top, body, friction, index, state, trial, h)
    for i in range(W_Z + 1):
        state[i] = trial[i]
    for i in range(X, LOSS + 1):
        state[i] = trial[i]
    from_contact(links, shape, state, mode, index)
    settle(links, shape, state, mode, index)
    _count_slip(top, body, friction, result, state, mode, index)
    see_step(result, up, after_up, d0, d1, h)
    return h, event, count


@jit(internal=True)
def _pressure(mode, normal, gravity, a):
    """Vertical contact force over the weight."""
    if mode in (SLIDE, SPIN):
        return 1.0 + a[2] / gravity
    return normal / gravity


@jit(internal=True)
def rise(body, y, mode, pivot, vertex, k):
    """Vertical acceleration of a vertex with the rates ``k`` [m/s2]."""
    m = matrix(y[Q0], y[Q1], y[Q2], y[Q3])
    v = body.vertices[vertex]
    x, z, w = v[0], v[1], v[2]
    if mode != FLIGHT:
        p = body.vertices[pivot]
        x, z, w = x - p[0], z - p[1], w - p[2]
    a, b, c = y[W_Y] * w - y[W_Z] * z, y[W_Z] * x - y[W_X] * w, y[W_X] * z - y[W_Y] * x
    d, e, f = k[W_Y] * w - k[W_Z] * z, k[W_Z] * x - k[W_X] * w, k[W_X] * z - k[W_Y] * x
    d, e, f = d + y[W_Y] * c - y[W_Z] * b, e + y[W_Z] * a - y[W_X] * c, f + y[W_X] * b - y[W_Y] * a
    rise = m[6] * d + m[7] * e + m[8] * f
    return rise + k[V_Z] if mode == FLIGHT else rise


@jit(inline=True, internal=True)
def _first_of_landings(top, body, work, friction, t, h, n, pivot):
    """Time of the first landing in a step [s] and LANDS, or ``h`` and no event; the state then is in
    ``work.trial``."""
    state, trial, segment, heights = work.state, work.trial, work.segment, friction.heights
    mode, index, size = work.mode[0], work.mode[1], body.scalars[SIZE]
    links, shape, forces = of_slips(top, body, friction)
    ground = TOUCH * size
    for i in range(n):
        row = heights[i]
        row[AFTER], row[RATE_AFTER] = _height(body, trial, mode, pivot, friction.watched[i])
        row[AFTER] -= row[OFFSET]
        row[LANDING] = first_landing(row[BEFORE], row[RATE_BEFORE], row[AFTER], row[RATE_AFTER], h, ground)
    whole = h
    for _ in range(n):
        at, lands = inf, NONE
        for i in range(n):
            if 0.0 <= heights[i, LANDING] < at:
                at, lands = heights[i, LANDING], i
        if lands < 0:
            break
        low, high, h = 0.0, whole, max(at, EVENT_TIME)
        gap, speed = 0.0, 0.0
        for _ in range(REFINEMENTS):
            mode_step(links, shape, forces, mode, index, state, segment, t, h, trial)
            gap, speed = _height(body, trial, mode, pivot, friction.watched[lands])
            gap -= heights[lands, OFFSET]
            for i in range(n):
                if i != lands and heights[i, BEFORE] > ground:
                    lower, its = _height(body, trial, mode, pivot, friction.watched[i])
                    if lower < -TOGETHER * size and lower < gap:
                        lands, gap, speed, low = i, lower, its, 0.0
            # one that left the ground in this step comes back when it sinks, whatever heights are rounded to
            if gap > 0.0 or (speed > 0.0 and heights[lands, BEFORE] <= 0.0):
                low = max(low, h)
            else:
                high = min(high, h)
            h, found = corrected(h, gap, speed, low, high)
            if found == 1:
                mode_step(links, shape, forces, mode, index, state, segment, t, h, trial)
                gap, speed = _height(body, trial, mode, pivot, friction.watched[lands])
                gap -= heights[lands, OFFSET]
            if found > 0:
                break
        if heights[lands, AFTER] <= 0.0 or (gap <= ground and speed < 0.0):
            friction.touching[0] = friction.watched[lands]
            return h, LANDS
        heights[lands, LANDING] = -1.0  # the interpolation dips below the ground, the motion does not
        h = whole
        mode_step(links, shape, forces, mode, index, state, segment, t, h, trial)
    return whole, NO_EVENT


@jit(inline=True, internal=True)
def _gather(body, friction, mode, pivot, y, n):
    """Vertices that land together with ``friction.touching[0]`` behind it, and the number of all."""
    count = 1
    for i in range(n):
        height, rate = _height(body, y, mode, pivot, friction.watched[i])
        lands = height <= TOGETHER * body.scalars[SIZE] and rate < 0.0
        if lands and friction.watched[i] != friction.touching[0]:
            friction.touching[count] = friction.watched[i]
            count += 1
    return count


@jit(inline=True, internal=True)
def _locate_end(top, body, work, friction, t, h, sides):
    """First time at which the mode ends [s], by the Illinois method, and whether forces are regular there.

    ``work.trial`` becomes the state there, or the last before where they are not.
    """
    state, trial, segment = work.state, work.trial, work.segment
    mode, index = work.mode[0], work.mode[1]
    links, shape, forces = of_slips(top, body, friction)
    low, high, below, above, side, ends_well = 0.0, h, 1.0, -1.0, 0, True
    for i in range(2 * REFINEMENTS):
        if high - low <= EVENT_TIME:
            break
        guess = low + (high - low) * below / (below - above)
        if i == 0 or i % 4 == 3 or not low < guess < high:
            guess = 0.5 * (low + high)
        regular = mode_step(links, shape, forces, mode, index, state, segment, t, guess, trial)
        a = acceleration(segment, t + guess)
        margin = -inf
        if regular:
            margin = _margin(links, shape, forces, mode, index, trial, state, sides, a, friction.other)
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
    ends_well = ends_well or mode == SPIN  # it tips over
    end = high if ends_well else low
    mode_step(links, shape, forces, mode, index, state, segment, t, end, trial)
    a = acceleration(segment, t + end)
    _margin(links, shape, forces, mode, index, trial, state, sides, a, friction.other)
    return end, ends_well


@jit(inline=True, internal=True)
def _count_slip(top, body, friction, result, state, mode, index):
    """Add the slip of a step to the paths of its contacts, and renew the directions of slip."""
    path = friction.path
    result[Response.FRICTION_ENERGY_LOSS] += state[LOSS]
    if mode in (SLIDE, SPIN):
        for i in range(top.face_first[index], top.face_first[index + 1]):
            v = top.face_vertices[i]
            if mode == SLIDE:
                path[v] += state[PATH_0]
            result[Response.SLIP_PATH] = max(result[Response.SLIP_PATH], path[v])
        _renew(body, state, top.face_vertices[top.face_first[index]], S0_X)
    elif mode == VERTEX_SLIP:
        path[index] += state[PATH_0]
        result[Response.SLIP_PATH] = max(result[Response.SLIP_PATH], path[index])
        _renew(body, state, index, S0_X)
    elif mode != FLIGHT:
        p, q = top.edge_vertices[index, 0], top.edge_vertices[index, 1]
        path[p] += state[PATH_0]
        path[q] += state[PATH_1]
        result[Response.SLIP_PATH] = max(result[Response.SLIP_PATH], path[p], path[q])
        _renew(body, state, p, S0_X)
        _renew(body, state, q, S1_X)
    state[PATH_0], state[PATH_1], state[LOSS] = 0.0, 0.0, 0.0


@jit(internal=True)
def _renew(body, state, vertex, column):
    vx, vy = slip_velocity(body, state, vertex)
    speed = hypot(vx, vy)
    if speed > STOPPED and vx * state[column] + vy * state[column + 1] > 0.0:
        state[column], state[column + 1] = vx / speed, vy / speed
