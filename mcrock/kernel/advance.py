"""One step of smooth motion, cut at the first event in it."""

from __future__ import annotations

from math import cos, sin, sqrt

import numpy as np

from mcrock.jit import jit
from mcrock.kernel import record
from mcrock.kernel.contact import E_X, E_Y, E_Z, GRAVITY, N_X, N_Y, N_Z, OPENING, SIZE, UP_X, UP_Y, UP_Z
from mcrock.kernel.dynamics import (
    ANGLE,
    Q0,
    Q1,
    Q2,
    Q3,
    RATE,
    W_X,
    W_Y,
    W_Z,
    edge_com,
    edge_step,
    nudge,
    rare_edge_step,
    rates_at,
    rates_with,
    small_turn,
    turning,
    vertex_force,
)
from mcrock.kernel.events import BISECTIONS, EVENT_TIME, first_landing
from mcrock.kernel.modes import NONE, edge_pose, release
from mcrock.kernel.rotation import vertical
from mcrock.kernel.shaking import acceleration
from mcrock.kernel.watch import edge_demand, edge_sticks
from mcrock.kernel.window import (
    COUNT,
    acceleration_after,
    open_window,
    passes_peaks,
    rare_step_ahead,
    step_ahead,
)
from mcrock.params import ContactColumn, Event
from mcrock.response import Response

NO_EVENT, UPLIFT, EDGE_RELEASE = np.int64(0), np.int64(Event.UPLIFT), np.int64(Event.EDGE_RELEASE)
EDGE_IMPACT, FACET_IMPACT = np.int64(Event.EDGE_IMPACT), np.int64(Event.FACET_IMPACT)
REST_EVENT, OVERTURN, SLIP = np.int64(Event.REST), np.int64(Event.OVERTURN), np.int64(Event.SLIP)
STATIC = int(ContactColumn.STATIC_FRICTION)
SLIP_SLACK = 1e-8  # forces beyond Coulomb's bound that are rounding, over the weight [1]

RELEASE_TIME = 1e-12  # releases are located to this [s]
TOUCH = 1e-12  # height that counts as on the ground, over the size of the body [1]
STILL = 1e-9  # an uplift this slow [rad/s] that ends this soon [s] is none
TOGETHER = 1e-10  # two vertices this low land together, over the size of the body [1]
UPRIGHT = 1e-9  # cosine of the tilt at which a landing and overturning coincide [1]
REFINEMENTS = 40  # of the time of an event, by stepping again from the start of the step
# Newton's error after a correction d is about d^2 over the time of flight: corrections below this
# share of the step (and below a time, [s]) leave a relative error of 1e-8
CONVERGED, CONVERGED_TIME = 1e-4, 1e-7
EXACT = 1e-11  # corrections below this share of the step need no further one [1]
NUDGE = 1e-8  # corrections up to this are made by the rates alone; what is left is of its square [s]
HOP = 1.1  # step tried for a flight that is shorter than half the step, over the flight [1]
RISES = 1.0  # speed of what just left the ground over its loss in a step over several samples, at least [1]
BEFORE, RATE_BEFORE, AFTER, RATE_AFTER, LANDING, OFFSET, HEIGHTS_SIZE = range(7)  # of `Workspace.heights`


@jit(inline=True, internal=True)
def height_and_rate(body, state, pivot, vertex):
    """Height of a vertex over the pivot [m] and its rate [m/s]."""
    p, v = body.vertices[pivot], body.vertices[vertex]
    x, y, z = v[0] - p[0], v[1] - p[1], v[2] - p[2]
    ux, uy, uz = vertical(state[Q0], state[Q1], state[Q2], state[Q3])
    wx, wy, wz = state[W_X], state[W_Y], state[W_Z]
    rate = ux * (wy * z - wz * y) + uy * (wz * x - wx * z) + uz * (wx * y - wy * x)
    return ux * x + uy * y + uz * z, rate


@jit(inline=True, internal=True)
def edge_up(edge, c, s):
    """The vertical in body axes at an angle of EDGE mode with cosine and sine (3 numbers)."""
    return c * edge[UP_X] + s * edge[N_X], c * edge[UP_Y] + s * edge[N_Y], c * edge[UP_Z] + s * edge[N_Z]


@jit(inline=True, internal=True)
def corrected(h, gap, speed, low, high):
    """Next guess of the time at which a height falls to zero, from its value and rate at ``h``, and how
    the search goes on: 2 if ``h`` was good enough, 1 if the guess is, 0 if neither."""
    guess = h - gap / speed if speed < 0.0 else -1.0
    moved = abs(guess - h)
    if moved <= EXACT * h:
        return h, 2
    if moved <= min(CONVERGED * h, CONVERGED_TIME):
        return min(max(guess, low), high), 1
    return guess if low < guess < high else 0.5 * (low + high), 0


@jit(inline=True, internal=True)
def advance_edge(top, body, work, result, t, h, hold, friction):
    """One step of EDGE mode from ``t`` over at most ``h`` [s]; no release before ``hold`` [s].

    Returns the time advanced [s], the event, and the face that lands or the end kept in a release.
    """
    state, segment = work.state, work.segment
    k = work.mode[1]
    edge, gravity = body.edges[k], body.scalars[GRAVITY]
    angle0, rate0, opening = state[ANGLE], state[RATE], edge[OPENING]
    c0, s0 = cos(angle0), sin(angle0)
    before, end, stuck, k1, normal, square, ends = release(
        top, body, k, state, angle0, rate0, c0, s0, acceleration(segment, t)
    )
    up = edge_up(edge, c0, s0)
    record.see_force(result, gravity, square, normal, up[2])
    record.see_edge(result, ends)
    if friction is not None and _slips(friction, gravity, ends):
        return 0.0, SLIP, NONE
    if stuck:
        result[Response.EDGE_STICK_INFEASIBLE] = 1.0
    if before > 0.0 and t >= hold:
        return 0.0, EDGE_RELEASE, end
    com_n, com_z = edge_com(edge, c0, s0)
    turn, rate1 = edge_step(edge, gravity, state, com_n, com_z, k1, segment, t, h)
    landing = first_landing(angle0, rate0, angle0 + turn, rate1, h, TOUCH)
    face = top.edge_faces[k, 0]
    sign, target = 1.0, 0.0
    if opening < np.inf:
        gap0, gap1 = opening - angle0, opening - angle0 - turn
        other = first_landing(gap0, -rate0, gap1, -rate1, h, TOUCH)
        if other >= 0.0 and (landing < 0.0 or other < landing):
            landing, face, sign, target = other, top.edge_faces[k, 1], -1.0, opening
    if 0.0 <= landing <= STILL and sign * (angle0 - target) <= TOUCH and abs(rate0) <= STILL:
        return 0.0, REST_EVENT, face
    event = NO_EVENT
    if landing >= 0.0:
        low, high, whole, dips = 0.0, h, h, sign * (angle0 + turn - target) > 0.0
        h = max(landing, EVENT_TIME)
        for _ in range(REFINEMENTS):
            turn, rate1 = edge_step(edge, gravity, state, com_n, com_z, k1, segment, t, h)
            gap, speed = sign * (angle0 + turn - target), sign * rate1
            if gap > 0.0:
                low = max(low, h)
            else:
                high = min(high, h)
            h, found = corrected(h, gap, speed, low, high)
            if found == 1:
                turn, rate1 = edge_step(edge, gravity, state, com_n, com_z, k1, segment, t, h)
            if found > 0:
                break
        event = FACET_IMPACT
        if dips and not (sign * (angle0 + turn - target) <= TOUCH and sign * rate1 < 0.0):
            h, event = whole, NO_EVENT  # the interpolation dips below the ground, the motion does not
            turn, rate1 = rare_edge_step(edge, gravity, state, com_n, com_z, k1, segment, t, h)
    c, s = small_turn(turn)
    c1, s1 = c0 * c - s0 * s, s0 * c + c0 * s
    seen = t + h > hold
    if seen:
        margin, end, stuck, _, _, _, ends = release(
            top, body, k, state, angle0 + turn, rate1, c1, s1, acceleration(segment, t + h)
        )
        if stuck:
            result[Response.EDGE_STICK_INFEASIBLE] = 1.0
        if margin > 0.0:
            h, face, turn, rate1 = _locate_release(
                top, body, work, k1, t, max(0.0, hold - t), h, before, margin, end
            )
            event, seen = EDGE_RELEASE, False
            c, s = small_turn(turn)
            c1, s1 = c0 * c - s0 * s, s0 * c + c0 * s
    if friction is not None:
        if not seen:
            ends = _ends_of(top, body, work, t + h, angle0 + turn, rate1, c1, s1)
        if _slips(friction, gravity, ends):
            h, turn, rate1 = _locate_edge_slip(top, body, work, friction, k1, t, h)
            event = SLIP
            c, s = small_turn(turn)
            c1, s1 = c0 * c - s0 * s, s0 * c + c0 * s
    elif event != NO_EVENT and record.certifiable(result):
        record.see_edge(result, _ends_of(top, body, work, t + h, angle0 + turn, rate1, c1, s1))
    after = edge_up(edge, c1, s1)
    if after[2] <= (UPRIGHT if event == FACET_IMPACT else 0.0) and not record.has_overturned(result):
        low, high = 0.0, h
        for _ in range(BISECTIONS):
            if high - low <= EVENT_TIME:
                break
            middle = 0.5 * (low + high)
            turn, _ = rare_edge_step(edge, gravity, state, com_n, com_z, k1, segment, t, middle)
            if edge_up(edge, cos(angle0 + turn), sin(angle0 + turn))[2] <= 0.0:
                high = middle
            else:
                low = middle
        h, event = high, OVERTURN
        turn, rate1 = rare_edge_step(edge, gravity, state, com_n, com_z, k1, segment, t, h)
        after = edge_up(edge, cos(angle0 + turn), sin(angle0 + turn))
        result[Response.PEAK_TILT] = 1.0
    state[ANGLE], state[RATE] = angle0 + turn, rate1
    d0 = tilt_rate(up, rate0 * edge[E_X], rate0 * edge[E_Y], rate0 * edge[E_Z])
    d1 = tilt_rate(after, rate1 * edge[E_X], rate1 * edge[E_Y], rate1 * edge[E_Z])
    see_step(result, up, after, d0, d1, h)
    if event == OVERTURN:
        edge_pose(edge, state, state[ANGLE], rate1)
    return h, event, face


@jit(inline=True, internal=True)
def _ends_of(top, body, work, t, angle, rate, c, s):
    """Forces at both ends of the edge in EDGE mode, as `release` has them."""
    a = acceleration(work.segment, t)
    _, _, _, _, _, _, ends = release(top, body, work.mode[1], work.state, angle, rate, c, s, a)
    return ends


@jit(internal=True)
def _slips(friction, gravity, ends):
    """Whether an edge cannot stick with the static friction coefficient; as an end unloads both its forces
    go to zero, and their rounding does not count."""
    static, slack = friction.values[STATIC], SLIP_SLACK * gravity
    n_p, n_q, f_p, f_q, along = ends
    n_p, n_q = n_p + slack, n_q + slack
    square = static * static
    return (
        not edge_sticks(square, n_p, n_q, f_p, f_q, along) and edge_demand(n_p, n_q, f_p, f_q, along) > square
    )


@jit(internal=True)
def _locate_edge_slip(top, body, work, friction, k1, t, high):
    """First time in a step of EDGE mode at which the edge cannot stick [s], the turn [rad] and the rate
    [rad/s]."""
    state, segment, k = work.state, work.segment, work.mode[1]
    edge, gravity, angle0 = body.edges[k], body.scalars[GRAVITY], state[ANGLE]
    com_n, com_z = edge_com(edge, cos(angle0), sin(angle0))
    low = 0.0
    for _ in range(2 * REFINEMENTS):
        if high - low <= RELEASE_TIME:
            break
        middle = 0.5 * (low + high)
        turn, rate = rare_edge_step(edge, gravity, state, com_n, com_z, k1, segment, t, middle)
        angle = angle0 + turn
        if _slips(
            friction, gravity, _ends_of(top, body, work, t + middle, angle, rate, cos(angle), sin(angle))
        ):
            high = middle
        else:
            low = middle
    turn, rate = rare_edge_step(edge, gravity, state, com_n, com_z, k1, segment, t, high)
    return high, turn, rate


@jit(internal=True)
def _locate_release(top, body, work, k1, t, low, high, below, above, end):
    """First release between ``low`` and ``high`` [s] after ``t``, by the Illinois method.

    ``below`` and ``above`` are the margins there. Returns its time [s], the end kept, the turn
    [rad] and the rate [rad/s].
    """
    state, segment, k = work.state, work.segment, work.mode[1]
    edge, gravity, angle0 = body.edges[k], body.scalars[GRAVITY], state[ANGLE]
    com_n, com_z = edge_com(edge, cos(angle0), sin(angle0))
    for i in range(REFINEMENTS):
        if high - low <= RELEASE_TIME:
            break
        guess = low + (high - low) * below / (below - above)
        if i % 4 == 3 or not low < guess < high:  # below is discontinuous where an edge is stuck
            guess = 0.5 * (low + high)
        turn, rate = edge_step(edge, gravity, state, com_n, com_z, k1, segment, t, guess)
        angle, a = angle0 + turn, acceleration(segment, t + guess)
        margin, which, _, _, _, _, _ = release(top, body, k, state, angle, rate, cos(angle), sin(angle), a)
        if margin > 0.0:
            high, above, end = guess, margin, which
            below *= 0.5
        else:
            low, below = guess, min(margin, -1e-300)
            above *= 0.5
    turn, rate = edge_step(edge, gravity, state, com_n, com_z, k1, segment, t, high)
    return high, end, turn, rate


@jit(inline=True, internal=True)
def see_step(result, up, after, d0, d1, h):
    """Peaks over a step, from the vertical and the rate of sin(tilt)^2 at both ends."""
    s0, s1 = up[0] * up[0] + up[1] * up[1], after[0] * after[0] + after[1] * after[1]
    record.see_turning_point(result, s0, d0, s1, d1, h)
    record.see_pose(result, after[0], after[1])


@jit(inline=True, internal=True)
def tilt_rate(up, wx, wy, wz):
    """Rate of sin(tilt)^2; the vertical turns with up x w in body axes."""
    return 2.0 * (up[0] * (up[1] * wz - up[2] * wy) + up[1] * (up[2] * wx - up[0] * wz))


@jit(inline=True, internal=True)
def advance_vertex(top, body, work, result, t, h, friction, motions, motion, turn, number, t_end, longest):
    """One step of VERTEX mode from ``t`` over at most ``h`` [s], or over several samples of the motion up to
    ``longest`` [s] where nothing is lost between them.

    Returns the time advanced [s], the event, the vertex that lands and the face if a whole one does.
    """
    state, trial, segment, heights, window = work.state, work.trial, work.segment, work.heights, work.window
    pivot = work.mode[1]
    window[0, COUNT] = 0.0
    p, gravity, ground = body.pivots[pivot], body.scalars[GRAVITY], TOUCH * body.scalars[SIZE]
    up = vertical(state[Q0], state[Q1], state[Q2], state[Q3])
    k1 = rates_at(p, gravity, state, segment, t)
    normal, square = vertex_force(p, state, k1, up)
    record.see_force(result, gravity, square, normal, up[2])
    record.see_vertex(result, square, normal)
    if friction is not None and vertex_margin(friction, gravity, normal, square) < 0.0:
        return 0.0, SLIP, NONE, NONE
    grip = np.inf
    if friction is not None:
        grip = friction.values[STATIC] ** 2
    together = open_window(
        motions, motion, turn, number, t, t_end, h, longest, segment, window,
        result, gravity, p, state, k1, up, grip,
    )  # fmt: skip
    n = top.neighbours.shape[1]
    here = body.vertices[pivot]
    for i in range(n):
        other = top.neighbours[pivot, i]
        if other < 0:
            n = i
            break
        row = heights[i]
        row[BEFORE], row[RATE_BEFORE] = height_and_rate(body, state, pivot, other)
        row[OFFSET] = 0.0
        if friction is not None and row[BEFORE] < -ground and row[RATE_BEFORE] > 0.0:
            # landed from flight, a little too low: it lands again where it comes back to this height
            row[OFFSET], row[BEFORE] = row[BEFORE], 0.0
        if row[BEFORE] <= ground and row[RATE_BEFORE] > 0.0:  # it just left the ground, maybe for a hop
            there = body.vertices[other]
            x, y, z = turning(
                k1, state[W_X], state[W_Y], state[W_Z],
                there[0] - here[0], there[1] - here[1], there[2] - here[2],
            )  # fmt: skip
            sink = -(up[0] * x + up[1] * y + up[2] * z)
            if 4.0 * row[RATE_BEFORE] < sink * h:
                h = max(HOP * 2.0 * row[RATE_BEFORE] / sink, EVENT_TIME)
                window[0, COUNT] = 0.0
            elif RISES * row[RATE_BEFORE] < sink * together:
                window[0, COUNT] = 0.0
    single, h = h, together if window[0, COUNT] > 0.0 else h
    step_ahead(p, gravity, state, k1, segment, window, t, h, trial)
    if window[0, COUNT] > 0.0:
        after = vertical(trial[Q0], trial[Q1], trial[Q2], trial[Q3])
        before_w, after_w = (state[W_X], state[W_Y], state[W_Z]), (trial[W_X], trial[W_Y], trial[W_Z])
        if passes_peaks(result, up, after, before_w, after_w, h):
            window[0, COUNT], h = 0.0, single
            rare_step_ahead(p, gravity, state, k1, segment, window, t, h, trial)
    for i in range(n):
        row = heights[i]
        row[AFTER], row[RATE_AFTER] = height_and_rate(body, trial, pivot, top.neighbours[pivot, i])
        row[AFTER] -= row[OFFSET]
        row[LANDING] = first_landing(
            row[BEFORE], row[RATE_BEFORE], row[AFTER], row[RATE_AFTER], h, ground
        )  # fmt: skip
    whole, event, vertex, face = h, NO_EVENT, NONE, NONE
    for _ in range(n):
        at, first = np.inf, NONE
        for i in range(n):
            if 0.0 <= heights[i, LANDING] < at:
                at, first = heights[i, LANDING], i
        if first < 0:
            break
        h, lands = _locate_landing(top, body, work, k1, t, whole, at, first, n)
        if h >= 0.0:
            event, vertex = EDGE_IMPACT, top.neighbours[pivot, lands]
            face = _landing_face(top, body, trial, pivot, vertex)
            if face >= 0:
                event = FACET_IMPACT
            break
        heights[first, LANDING] = -1.0  # the interpolation dips below the ground, the motion does not
        h = whole
        rare_step_ahead(p, gravity, state, k1, segment, window, t, h, trial)
    if friction is not None:
        if _vertex_margin_at(body, work, friction, t, h) < 0.0:
            h = _locate_vertex_slip(body, work, friction, k1, t, h)
            event, vertex, face = SLIP, NONE, NONE
    elif event != NO_EVENT and record.certifiable(result):
        k = rates_with(p, gravity, trial, acceleration_after(segment, window, t, h))
        normal, square = vertex_force(p, trial, k, vertical(trial[Q0], trial[Q1], trial[Q2], trial[Q3]))
        record.see_vertex(result, square, normal)
    after = vertical(trial[Q0], trial[Q1], trial[Q2], trial[Q3])
    if after[2] <= (UPRIGHT if event != NO_EVENT else 0.0) and not record.has_overturned(result):
        low, high = 0.0, h
        for _ in range(BISECTIONS):
            if high - low <= EVENT_TIME:
                break
            middle = 0.5 * (low + high)
            rare_step_ahead(p, gravity, state, k1, segment, window, t, middle, trial)
            if vertical(trial[Q0], trial[Q1], trial[Q2], trial[Q3])[2] <= 0.0:
                high = middle
            else:
                low = middle
        h, event = high, OVERTURN
        rare_step_ahead(p, gravity, state, k1, segment, window, t, h, trial)
        after = vertical(trial[Q0], trial[Q1], trial[Q2], trial[Q3])
        result[Response.PEAK_TILT] = 1.0
    d0 = tilt_rate(up, state[W_X], state[W_Y], state[W_Z])
    d1 = tilt_rate(after, trial[W_X], trial[W_Y], trial[W_Z])
    for i in range(W_Z + 1):
        state[i] = trial[i]
    see_step(result, up, after, d0, d1, h)
    return h, event, vertex, face


@jit(inline=True, internal=True)
def vertex_margin(friction, gravity, normal, square):
    """How far the force at a vertex is within the cone of static friction, over the weight [1]."""
    return (friction.values[STATIC] * normal - sqrt(square)) / gravity + SLIP_SLACK


@jit(internal=True)
def _vertex_margin_at(body, work, friction, t, h):
    """`vertex_margin` of the state tried, ``h`` after the start ``t`` of the step [s]."""
    trial, p, gravity = work.trial, body.pivots[work.mode[1]], body.scalars[GRAVITY]
    k = rates_with(p, gravity, trial, acceleration_after(work.segment, work.window, t, h))
    normal, square = vertex_force(p, trial, k, vertical(trial[Q0], trial[Q1], trial[Q2], trial[Q3]))
    return vertex_margin(friction, gravity, normal, square)


@jit(internal=True)
def _locate_vertex_slip(body, work, friction, k1, t, high):
    """First time in a step of VERTEX mode at which the vertex cannot stick [s]; the state there is in
    ``work.trial``."""
    state, trial, segment, window = work.state, work.trial, work.segment, work.window
    p, gravity = body.pivots[work.mode[1]], body.scalars[GRAVITY]
    low = 0.0
    for _ in range(2 * REFINEMENTS):
        if high - low <= RELEASE_TIME:
            break
        middle = 0.5 * (low + high)
        rare_step_ahead(p, gravity, state, k1, segment, window, t, middle, trial)
        if _vertex_margin_at(body, work, friction, t, middle) < 0.0:
            high = middle
        else:
            low = middle
    rare_step_ahead(p, gravity, state, k1, segment, window, t, high, trial)
    return high


@jit(inline=True, internal=True)
def _locate_landing(top, body, work, k1, t, whole, guess, lands, n):
    """When the neighbour at place ``lands`` touches the ground, first guessed at ``guess`` [s] after ``t``.

    Returns the time [s], negative if it does not, and the place of the neighbour that lands: another
    one that is found lower already was first. The state at that time is in ``work.trial``.
    """
    state, trial, segment, heights, window = work.state, work.trial, work.segment, work.heights, work.window
    pivot = work.mode[1]
    p, gravity, size = body.pivots[pivot], body.scalars[GRAVITY], body.scalars[SIZE]
    low, high, h = 0.0, whole, max(guess, EVENT_TIME)
    gap, speed, found = 0.0, 0.0, 0
    for _ in range(REFINEMENTS):
        step_ahead(p, gravity, state, k1, segment, window, t, h, trial)
        gap, speed = height_and_rate(body, trial, pivot, top.neighbours[pivot, lands])
        gap -= heights[lands, OFFSET]
        if found == 1:
            break
        for i in range(n):
            if i != lands and heights[i, BEFORE] > TOUCH * size:
                lower, its_speed = height_and_rate(body, trial, pivot, top.neighbours[pivot, i])
                if lower < -TOGETHER * size and lower < gap:
                    lands, gap, speed, low = i, lower, its_speed, 0.0
        if gap > 0.0:
            low = max(low, h)
        else:
            high = min(high, h)
        tried = h
        h, found = corrected(h, gap, speed, low, high)
        if found == 2:
            break
        if found == 1 and abs(h - tried) <= NUDGE:
            nudge(p, gravity, trial, acceleration_after(segment, window, t, tried), h - tried)
            gap, speed = height_and_rate(body, trial, pivot, top.neighbours[pivot, lands])
            gap -= heights[lands, OFFSET]
            break
    if heights[lands, AFTER] > 0.0 and not (gap <= TOUCH * size and speed < 0.0):
        h = -1.0
    return h, lands


@jit(inline=True, internal=True)
def _landing_face(top, body, state, pivot, vertex):
    """The face that lands whole with ``vertex``, -1 if only the edge from the pivot does."""
    size = body.scalars[SIZE]
    for i in range(top.neighbours.shape[1]):
        other = top.neighbours[pivot, i]
        if other < 0:
            break
        if other == vertex:
            continue
        height, rate = height_and_rate(body, state, pivot, other)
        if abs(height) <= TOGETHER * size and rate < 0.0:
            a, b = top.edge_of[pivot, vertex], top.edge_of[pivot, other]
            for side in range(2):
                f = top.edge_faces[a, side]
                if f >= 0 and (f == top.edge_faces[b, 0] or f == top.edge_faces[b, 1]):
                    return f
    return NONE
