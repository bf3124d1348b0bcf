"""One run from its start to its outcome, and many runs in a row."""

from __future__ import annotations

from math import atan2, cos, sin, sqrt
from typing import NamedTuple

import numpy as np

from mcrock.impact.varkonyi_2022 import kinetic_energy
from mcrock.jit import jit
from mcrock.kernel import record
from mcrock.kernel.contact import E_X, E_Y, E_Z, FREQUENCY, GRAVITY, MASS, N_X, N_Y, N_Z, OPENING, SIZE
from mcrock.kernel.contact import SLENDERNESS, UP_X, UP_Y, UP_Z, fill_constants
from mcrock.kernel.dynamics import (
    ALONG_X,
    ALONG_Y,
    ANGLE,
    P_X,
    P_Y,
    Q0,
    Q1,
    Q2,
    Q3,
    RATE,
    STATE_SIZE,
    W_X,
    W_Y,
    W_Z,
    edge_contact,
    edge_step,
    vertex_force,
    vertex_step,
)
from mcrock.kernel.events import first_landing
from mcrock.kernel.record import EDGE_IMPACTS, EDGE_STICK, FACET_IMPACTS, STEPS
from mcrock.kernel.rotation import to_ground, vertical, wrapped
from mcrock.kernel.shaking import (
    BEGIN,
    END,
    SEGMENT_SIZE,
    SINE,
    acceleration,
    count_segments,
    end_of_shaking,
    load_segment,
)
from mcrock.kernel.transitions import (
    EDGE,
    REST,
    VERTEX,
    ImpactLaw,
    comes_to_rest,
    edge_impact,
    edge_pose,
    enter_edge,
    enter_rest,
    flatter_face,
    land_edge_on_face,
    land_vertex_on_face,
    move_pivot,
    plastic_edge,
    release_margin,
    rest_margin,
    uplift,
)
from mcrock.params import Event, Mode, Outcome

OVERTURNED_MODE = int(Mode.OVERTURNED)
AT_REST, ROCKING, OVERTURNED = int(Outcome.AT_REST), int(Outcome.ROCKING), int(Outcome.OVERTURNED)
STEP_LIMIT, IMPACT_LIMIT = int(Outcome.STEP_LIMIT), int(Outcome.IMPACT_LIMIT)
INSTANT_LIMIT, NOT_FINITE = int(Outcome.INSTANT_LIMIT), int(Outcome.NOT_FINITE)
NO_EVENT, UPLIFT, EDGE_RELEASE = 0, int(Event.UPLIFT), int(Event.EDGE_RELEASE)
EDGE_IMPACT, FACET_IMPACT = int(Event.EDGE_IMPACT), int(Event.FACET_IMPACT)
REST_EVENT, OVERTURN = int(Event.REST), int(Event.OVERTURN)

EVENT_TIME = 1e-12  # events are located to this, and closer ones are at one instant [s]
CHATTER_TIME = 1e-6  # an end that lands this soon after its release was not released [s]
HOLD_TIME = 1e-3  # after that the edge is held this long [s]
INSTANT_EVENTS = 200  # events at one instant before the run is given up
TOUCH = 1e-12  # height that counts as on the ground, over the size of the body [1]
STILL = 1e-9  # an uplift this slow [rad/s] that ends this soon [s] is none
TOGETHER = 1e-10  # two vertices this low land together, over the size of the body [1]
UPRIGHT = 1e-9  # cosine of the tilt at which a landing and overturning coincide [1]
REFINEMENTS = 40


class Settings(NamedTuple):
    """Numerical settings of a run, see `mcrock.params.Controls`."""

    step: float
    max_step: float
    edge_zeno_time: float
    rest_time: float
    rest_tilt: float
    max_steps: int
    max_impacts: int


class Batch(NamedTuple):
    """Inputs of consecutive realizations, see `mcrock.params.Inputs`."""

    seed: np.uint64
    start: np.uint64
    gravity: np.ndarray
    mass: np.ndarray
    inertia: np.ndarray
    vertices: np.ndarray
    record: np.ndarray
    azimuth: np.ndarray
    scale: np.ndarray
    impact: np.ndarray
    redrawn: np.ndarray
    quantiles: np.ndarray
    energy_gain: np.ndarray


class Workspace(NamedTuple):
    """Arrays a run writes to, allocated by the caller."""

    state: np.ndarray  # (17,)
    trial: np.ndarray  # (17,)
    mode: np.ndarray  # (2,) mode and index
    segment: np.ndarray  # (12,)
    heights: np.ndarray  # (n_max_neighbours, 4) height and rate before and after a step


def empty_workspace(n_neighbours: int) -> Workspace:
    """Workspace for a body whose vertices have at most ``n_neighbours`` neighbours."""
    return Workspace(
        np.zeros(STATE_SIZE),
        np.zeros(STATE_SIZE),
        np.zeros(2, dtype=np.int64),
        np.zeros(SEGMENT_SIZE),
        np.zeros((n_neighbours, 4)),
    )


@jit
def height_and_rate(body, state, pivot, vertex):
    """Height of a vertex over the pivot [m] and its rate [m/s]."""
    p, v = body.vertices[pivot], body.vertices[vertex]
    x, y, z = v[0] - p[0], v[1] - p[1], v[2] - p[2]
    ux, uy, uz = vertical(state[Q0], state[Q1], state[Q2], state[Q3])
    wx, wy, wz = state[W_X], state[W_Y], state[W_Z]
    rate = ux * (wy * z - wz * y) + uy * (wz * x - wx * z) + uz * (wx * y - wy * x)
    return ux * x + uy * y + uz * z, rate


@jit
def edge_up(edge, angle):
    """The vertical in body axes at an angle of EDGE mode (3 numbers)."""
    c, s = cos(angle), sin(angle)
    return c * edge[UP_X] + s * edge[N_X], c * edge[UP_Y] + s * edge[N_Y], c * edge[UP_Z] + s * edge[N_Z]


@jit
def note(top, body, work, trace, t, kind, change):
    """Add the present state to the history, and to the event list if ``kind`` is an event."""
    state, mode, index = work.state, work.mode[0], work.mode[1]
    if trace.history.shape[0] == 0:
        return
    if mode == EDGE:
        edge_pose(body.edges[index], state)
    pivot = index
    if mode == EDGE:
        pivot = top.edge_vertices[index, 0]
    elif mode == REST:
        pivot = top.face_vertices[top.face_first[index]]
    elif mode == OVERTURNED_MODE:
        pivot = work.mode[1]
    wx, wy, wz = to_ground(state, state[W_X], state[W_Y], state[W_Z])
    ux, uy, uz = vertical(state[Q0], state[Q1], state[Q2], state[Q3])
    tilt = atan2(sqrt(ux * ux + uy * uy), uz)
    if trace.used[0] < trace.history.shape[0]:
        row = trace.history[trace.used[0]]
        v = body.vertices[pivot]
        x, y, z = to_ground(state, -v[0], -v[1], -v[2])
        i = body.inertia
        spin = (state[W_X], state[W_Y], state[W_Z])
        energy = kinetic_energy(
            body.scalars[MASS], (i[0], i[1], i[2], i[3], i[4], i[5]), (v[0], v[1], v[2]), spin
        )
        row[0], row[1], row[2] = t, mode, index
        row[3], row[4], row[5], row[6] = state[Q0], state[Q1], state[Q2], state[Q3]
        row[7], row[8], row[9] = wx, wy, wz
        row[10], row[11], row[12] = state[P_X] + x, state[P_Y] + y, z
        row[13], row[14] = energy + body.scalars[MASS] * body.scalars[GRAVITY] * z, tilt
    trace.used[0] += 1
    if kind != NO_EVENT:
        if trace.used[1] < trace.events.shape[0]:
            row = trace.events[trace.used[1]]
            row[0], row[1], row[2], row[3] = t, kind, mode, index
            row[4], row[5], row[6] = wx, wy, wz
            row[7], row[8] = change, tilt
        trace.used[1] += 1


@jit
def next_uplift(top, body, state, f, segment, t, step):
    """Time in the segment, from ``t`` on, at which face ``f`` lifts; past its end if it does not.

    On a linear segment the lift-off moments are linear and their roots exact.
    """
    end = segment[END]
    n = top.face_first[f + 1] - top.face_first[f]
    begin = t
    while True:
        last = segment[END] if segment[SINE] == 0.0 else min(begin + step, end)
        a, b = acceleration(segment, begin), acceleration(segment, last)
        first = np.inf
        for i in range(n):
            m0 = rest_margin(top, body, state, f, i, a[0], a[1], a[2])
            if m0 < 0.0:
                return begin
            m1 = rest_margin(top, body, state, f, i, b[0], b[1], b[2])
            if m1 < 0.0:
                if segment[SINE] == 0.0:
                    first = min(first, begin + (last - begin) * (m0 / (m0 - m1)))
                else:
                    low, high = begin, last
                    while high - low > EVENT_TIME:
                        middle = 0.5 * (low + high)
                        c = acceleration(segment, middle)
                        if middle <= low or middle >= high:
                            break
                        if rest_margin(top, body, state, f, i, c[0], c[1], c[2]) < 0.0:
                            high = middle
                        else:
                            low = middle
                    first = min(first, high)
        if first <= last:
            return first
        if last >= end:
            return np.inf
        begin = last


@jit
def run(top, body, motions, motion, scale, azimuth, law, settings, t_end, work, result, trace):
    """Integrate one run from the state in ``work`` until rest without shaking, overturning or ``t_end``.

    Everything it finds is in ``result``, ``trace`` and ``work``; it returns nothing.
    """
    state, trial, mode, segment = work.state, work.trial, work.mode, work.segment
    gravity, size = body.scalars[GRAVITY], body.scalars[SIZE]
    slenderness = body.scalars[SLENDERNESS]
    step = min(settings.max_step, settings.step / body.scalars[FREQUENCY])
    base = body.faces[0]
    record.clear(result)
    shaken = min(end_of_shaking(motions, motion), t_end)
    number, pieces = 0, count_segments(motions, motion)
    t, at_instant, hold, released_end, release_time = 0.0, 0, -1.0, -1, -1.0
    load_segment(motions, motion, scale, azimuth, 0, t_end, segment)
    note(top, body, work, trace, t, NO_EVENT, 0.0)
    outcome = ROCKING
    if mode[0] == EDGE:
        edge_pose(body.edges[mode[1]], state)
    up = vertical(state[Q0], state[Q1], state[Q2], state[Q3])
    record.see_pose(result, up[0], up[1])
    while True:
        while segment[END] <= t and t < t_end:
            number += 1
            load_segment(motions, motion, scale, azimuth, number, t_end, segment)
            if number > pieces:
                break
        if t >= t_end:
            outcome = AT_REST if mode[0] == REST else ROCKING
            break
        if mode[0] == REST:
            lift = next_uplift(top, body, state, mode[1], segment, t, step)
            if lift > segment[END]:
                if t >= shaken or number >= pieces:
                    outcome = AT_REST
                    break
                t = segment[END]
                continue
            at_instant = at_instant + 1 if lift - t <= EVENT_TIME else 0
            t = lift
            a = acceleration(segment, t)
            mode[0], mode[1] = uplift(top, body, state, result, mode[1], a[0], a[1], a[2])
            note(top, body, work, trace, t, UPLIFT, 0.0)
            if at_instant > INSTANT_EVENTS:
                outcome = INSTANT_LIMIT
                break
        result[STEPS] += 1.0
        if result[STEPS] > settings.max_steps:
            outcome = STEP_LIMIT
            break
        room = segment[END] - t
        h = room / np.ceil(room / step)
        last = h == room
        if mode[0] == EDGE:
            h, event, face, released_end, release_time, hold = _edge_advance(
                top, body, work, result, t, h, hold, released_end, release_time
            )
            vertex = -1
        else:
            h, event, vertex, face = _vertex_advance(top, body, work, result, t, h)
        at_instant = at_instant + 1 if h <= EVENT_TIME and event != NO_EVENT else 0
        t = segment[END] if last and event == NO_EVENT else t + h
        a = acceleration(segment, t)
        change, pivot, rest_face = 0.0, -1, -1
        if event == OVERTURN:
            break_pose = vertical(state[Q0], state[Q1], state[Q2], state[Q3])
            direction = to_ground(state, 0.0, 0.0, 1.0)
            record.see_pose(result, break_pose[0], break_pose[1])
            result[record.OVERTURNING_TIME] = t
            result[record.OVERTURNING_DIRECTION] = atan2(direction[1], direction[0])
            note(top, body, work, trace, t, OVERTURN, 0.0)
            outcome = OVERTURNED
            break
        if event == EDGE_RELEASE:
            edge_pose(body.edges[mode[1]], state)
            pivot = top.edge_vertices[mode[1], face]
            move_pivot(body, state, top.edge_vertices[mode[1], 0], pivot)
            released_end, release_time = top.edge_vertices[mode[1], 1 - face], t
            mode[0], mode[1] = VERTEX, pivot
        elif event == EDGE_IMPACT:
            old = mode[1]
            if vertex == released_end and t - release_time < CHATTER_TIME:
                # the release did not last: undone, and not an impact
                event, hold, released_end = NO_EVENT, t + HOLD_TIME, -1
                v, o = body.vertices[vertex], body.vertices[old]
                i = body.inertia
                w = plastic_edge(
                    body.scalars[MASS],
                    (i[0], i[1], i[2], i[3], i[4], i[5]),
                    (o[0], o[1], o[2]),
                    (v[0], v[1], v[2]),
                    (state[W_X], state[W_Y], state[W_Z]),
                )
                state[W_X], state[W_Y], state[W_Z] = w
                mode[0], mode[1] = enter_edge(top, body, state, old, top.edge_of[old, vertex])
            else:
                released_end = -1
                k = top.edge_of[old, vertex]
                mode[0], mode[1], change = edge_impact(
                    top, body, state, result, law, old, vertex, settings.edge_zeno_time, a[0], a[1], a[2]
                )
                rest_face = flatter_face(top, body, state, k)
        elif event == FACET_IMPACT:
            released_end = -1
            if vertex >= 0:
                mode[0], mode[1], change = land_vertex_on_face(top, body, state, result, law, face, mode[1])
            else:
                mode[0], mode[1], change = land_edge_on_face(top, body, state, result, law, mode[1], face)
            rest_face = face
        elif event == REST_EVENT:  # an uplift that came to nothing
            mode[0], mode[1] = enter_rest(top, body, state, top.edge_vertices[mode[1], 0], face)
            event = NO_EVENT
        note(top, body, work, trace, t, event, change)
        if rest_face >= 0 and mode[0] != REST:
            pivot = mode[1] if mode[0] == VERTEX else top.edge_vertices[mode[1], 0]
            if comes_to_rest(
                top, body, state, pivot, rest_face, settings.rest_time, settings.rest_tilt, a[0], a[1], a[2]
            ):
                mode[0], mode[1] = enter_rest(top, body, state, pivot, rest_face)
                note(top, body, work, trace, t, REST_EVENT, 0.0)
        if at_instant > INSTANT_EVENTS:
            outcome = INSTANT_LIMIT
            break
        if result[EDGE_IMPACTS] + result[FACET_IMPACTS] > settings.max_impacts:
            outcome = IMPACT_LIMIT
            break
        if not np.isfinite(state[Q0] + state[W_X] + state[W_Y] + state[W_Z] + state[RATE]):
            outcome = NOT_FINITE
            break
    _report_position(top, body, work, result, base)
    record.finish(result, outcome, t, slenderness)


@jit
def _report_position(top, body, work, result, base):
    """Yaw and displacement of the base at the end of a run."""
    state, mode, index = work.state, work.mode[0], work.mode[1]
    pivot = index
    if mode == EDGE:
        edge_pose(body.edges[index], state)
        pivot = top.edge_vertices[index, 0]
    elif mode == REST:
        pivot = top.face_vertices[top.face_first[index]]
    first, last = top.face_first[0], top.face_first[1]
    x, y = 0.0, 0.0
    for i in range(first, last):
        x += body.vertices[top.face_vertices[i], 0] / (last - first)
        y += body.vertices[top.face_vertices[i], 1] / (last - first)
    v = body.vertices[pivot]
    gx, gy, _ = to_ground(state, x - v[0], y - v[1], body.vertices[top.face_vertices[first], 2] - v[2])
    result[record.YAW] = wrapped(2.0 * atan2(state[Q3], state[Q0]))
    result[record.DISPLACEMENT_X] = state[P_X] + gx - x
    result[record.DISPLACEMENT_Y] = state[P_Y] + gy - y


@jit
def _can_release(top, body, k, state, ax, ay, az):
    """Larger release margin of the two ends of edge ``k``, that end, and whether one is stuck."""
    m0, stuck0 = release_margin(top, body, k, state, 0, ax, ay, az)
    m1, stuck1 = release_margin(top, body, k, state, 1, ax, ay, az)
    if m0 >= m1:
        return m0, 0, stuck0 or stuck1
    return m1, 1, stuck0 or stuck1


@jit
def _edge_advance(top, body, work, result, t, h, hold, released_end, release_time):
    """One step in EDGE mode, cut at the first event.

    Returns the time advanced, the event, the face that lands (or the end kept in a release) and
    the release bookkeeping.
    """
    state, trial, segment = work.state, work.trial, work.segment
    k = work.mode[1]
    edge = body.edges[k]
    a = acceleration(segment, t)
    ex, ey = state[ALONG_X], state[ALONG_Y]
    angle0, rate0, opening = state[ANGLE], state[RATE], edge[OPENING]
    _, force_e, force_n, force_z = edge_contact(body, edge, ex, ey, angle0, rate0, a[0], a[1], a[2])
    up = edge_up(edge, angle0)
    record.see_force(result, body.scalars[GRAVITY], force_e, force_n, force_z, up[2])
    if t >= hold:
        margin, end, stuck = _can_release(top, body, k, state, a[0], a[1], a[2])
        if stuck:
            result[EDGE_STICK] = 1.0
        if margin > 0.0:
            return 0.0, EDGE_RELEASE, end, released_end, release_time, hold
    angle1, rate1 = edge_step(body, edge, state, segment, t, h)
    landing = first_landing(angle0, rate0, angle1, rate1, h, TOUCH)
    face = top.edge_faces[k, 0]
    sign, target = 1.0, 0.0
    if opening < np.inf:
        other = first_landing(opening - angle0, -rate0, opening - angle1, -rate1, h, TOUCH)
        if other >= 0.0 and (landing < 0.0 or other < landing):
            landing, face, sign, target = other, top.edge_faces[k, 1], -1.0, opening
    if 0.0 <= landing <= STILL and sign * (angle0 - target) <= TOUCH and sign * rate0 <= STILL:
        return 0.0, REST_EVENT, face, released_end, release_time, hold
    event = NO_EVENT
    if landing >= 0.0:
        # refine by stepping again, from the start of the step, to the landing
        low, high, trial_h = 0.0, h, max(landing, EVENT_TIME)
        for _ in range(REFINEMENTS):
            angle1, rate1 = edge_step(body, edge, state, segment, t, trial_h)
            gap, speed = sign * (angle1 - target), sign * rate1
            if gap > 0.0:
                low = max(low, trial_h)
            else:
                high = min(high, trial_h)
            guess = trial_h - gap / speed if speed < 0.0 else 0.5 * (low + high)
            if not low < guess < high:
                guess = 0.5 * (low + high)
            moved = abs(guess - trial_h)
            trial_h = guess
            if moved <= EVENT_TIME:
                break
        h, event = trial_h, FACET_IMPACT
        angle1, rate1 = edge_step(body, edge, state, segment, t, h)
    if t + h >= hold:
        for i in range(STATE_SIZE):
            trial[i] = state[i]
        trial[ANGLE], trial[RATE] = angle1, rate1
        b = acceleration(segment, t + h)
        margin, end, stuck = _can_release(top, body, k, trial, b[0], b[1], b[2])
        if stuck:
            result[EDGE_STICK] = 1.0
        if margin > 0.0:
            low, high = max(0.0, hold - t), h
            for _ in range(60):
                if high - low <= 1e-3 * CHATTER_TIME:
                    break
                middle = 0.5 * (low + high)
                trial[ANGLE], trial[RATE] = edge_step(body, edge, state, segment, t, middle)
                c = acceleration(segment, t + middle)
                margin, which, _ = _can_release(top, body, k, trial, c[0], c[1], c[2])
                if margin > 0.0:
                    high, end = middle, which
                else:
                    low = middle
            h, event, face = high, EDGE_RELEASE, end
            angle1, rate1 = edge_step(body, edge, state, segment, t, h)
    after = edge_up(edge, angle1)
    if after[2] <= (UPRIGHT if event == FACET_IMPACT else 0.0):
        low, high = 0.0, h
        for _ in range(60):
            if high - low <= EVENT_TIME:
                break
            middle = 0.5 * (low + high)
            angle1, rate1 = edge_step(body, edge, state, segment, t, middle)
            if edge_up(edge, angle1)[2] <= 0.0:
                high = middle
            else:
                low = middle
        h, event = high, OVERTURN
        angle1, rate1 = edge_step(body, edge, state, segment, t, h)
        after = edge_up(edge, angle1)
    state[ANGLE], state[RATE] = angle1, rate1
    _see_step(result, up, after, (edge[E_X], edge[E_Y], edge[E_Z]), rate0, rate1, h)
    if event == OVERTURN:
        edge_pose(edge, state)
    return h, event, face, released_end, release_time, hold


@jit
def _see_step(result, up, after, axis, rate0, rate1, h):
    """Peaks over a step of EDGE mode, in which the body turns about ``axis``."""
    d0 = _tilt_rate(up, axis[0] * rate0, axis[1] * rate0, axis[2] * rate0)
    d1 = _tilt_rate(after, axis[0] * rate1, axis[1] * rate1, axis[2] * rate1)
    s0, s1 = up[0] * up[0] + up[1] * up[1], after[0] * after[0] + after[1] * after[1]
    record.see_turning_point(result, s0, d0, s1, d1, h)
    record.see_pose(result, after[0], after[1])


@jit
def _tilt_rate(up, wx, wy, wz):
    """Rate of sin(tilt)^2; the vertical turns with up x w in body axes."""
    return 2.0 * (up[0] * (up[1] * wz - up[2] * wy) + up[1] * (up[2] * wx - up[0] * wz))


@jit
def _vertex_advance(top, body, work, result, t, h):
    """One step in VERTEX mode, cut at the first event.

    Returns the time advanced, the event, the vertex that lands and the face if a whole one does.
    """
    state, trial, segment, heights = work.state, work.trial, work.segment, work.heights
    pivot = work.mode[1]
    size = body.scalars[SIZE]
    a = acceleration(segment, t)
    up = vertical(state[Q0], state[Q1], state[Q2], state[Q3])
    force = vertex_force(body, pivot, state, a[0], a[1], a[2])
    record.see_force(result, body.scalars[GRAVITY], force[0], force[1], force[2], up[2])
    vertex_step(body, pivot, state, segment, t, h, trial)
    landing, vertex = np.inf, -1
    n = top.neighbours.shape[1]
    for i in range(n):
        other = top.neighbours[pivot, i]
        if other < 0:
            break
        row = heights[i]
        row[0], row[1] = height_and_rate(body, state, pivot, other)
        row[2], row[3] = height_and_rate(body, trial, pivot, other)
        when = first_landing(row[0], row[1], row[2], row[3], h, TOUCH * size)
        if 0.0 <= when < landing:
            landing, vertex = when, other
    event, face = NO_EVENT, -1
    if vertex >= 0:
        low, high, trial_h = 0.0, h, max(landing, EVENT_TIME)
        for _ in range(REFINEMENTS):
            vertex_step(body, pivot, state, segment, t, trial_h, trial)
            gap, speed = height_and_rate(body, trial, pivot, vertex)
            for i in range(n):  # another vertex may be lower already: then that one was first
                other = top.neighbours[pivot, i]
                if other >= 0 and other != vertex and heights[i, 0] > TOUCH * size:
                    lower, its_speed = height_and_rate(body, trial, pivot, other)
                    if lower < -TOGETHER * size and lower < gap:
                        vertex, gap, speed = other, lower, its_speed
                        low = 0.0
            if gap > 0.0:
                low = max(low, trial_h)
            else:
                high = min(high, trial_h)
            guess = trial_h - gap / speed if speed < 0.0 else 0.5 * (low + high)
            if not low < guess < high:
                guess = 0.5 * (low + high)
            moved = abs(guess - trial_h)
            trial_h = guess
            if moved <= EVENT_TIME:
                break
        h, event = trial_h, EDGE_IMPACT
        vertex_step(body, pivot, state, segment, t, h, trial)
        face = _landing_face(top, body, trial, pivot, vertex)
        if face >= 0:
            event = FACET_IMPACT
    after = vertical(trial[Q0], trial[Q1], trial[Q2], trial[Q3])
    if after[2] <= (UPRIGHT if event != NO_EVENT else 0.0):
        low, high = 0.0, h
        for _ in range(60):
            if high - low <= EVENT_TIME:
                break
            middle = 0.5 * (low + high)
            vertex_step(body, pivot, state, segment, t, middle, trial)
            if vertical(trial[Q0], trial[Q1], trial[Q2], trial[Q3])[2] <= 0.0:
                high = middle
            else:
                low = middle
        h, event = high, OVERTURN
        vertex_step(body, pivot, state, segment, t, h, trial)
        after = vertical(trial[Q0], trial[Q1], trial[Q2], trial[Q3])
    d0 = _tilt_rate(up, state[W_X], state[W_Y], state[W_Z])
    d1 = _tilt_rate(after, trial[W_X], trial[W_Y], trial[W_Z])
    s0, s1 = up[0] * up[0] + up[1] * up[1], after[0] * after[0] + after[1] * after[1]
    for i in range(W_Z + 1):
        state[i] = trial[i]
    record.see_turning_point(result, s0, d0, s1, d1, h)
    record.see_pose(result, after[0], after[1])
    return h, event, vertex, face


@jit
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
    return -1


@jit
def start_at_rest(top, body, work):
    """Stand the body on its first face with the COM over the origin of the ground frame."""
    state = work.state
    for i in range(STATE_SIZE):
        state[i] = 0.0
    state[Q0] = 1.0
    v = body.vertices[top.face_vertices[0]]
    state[P_X], state[P_Y] = v[0], v[1]
    work.mode[0], work.mode[1] = REST, 0


@jit
def run_part(top, body, motions, batch, settings, tail, work, result, trace, out):
    """Runs of consecutive realizations at all their intensities, into ``out`` (n, m, 23)."""
    no_point = np.full(2, np.nan)
    for i in range(batch.mass.shape[0]):
        fill_constants(top, batch.mass[i], batch.inertia[i], batch.vertices[i], batch.gravity[i], body)
        law = ImpactLaw(
            batch.impact[i],
            batch.redrawn,
            batch.quantiles,
            batch.energy_gain[i],
            no_point,
            batch.seed,
            batch.start + np.uint64(i),
        )
        motion = batch.record[i]
        t_end = end_of_shaking(motions, motion) + tail
        for j in range(batch.scale.shape[1]):
            start_at_rest(top, body, work)
            run(
                top, body, motions, motion, batch.scale[i, j], batch.azimuth[i], law, settings, t_end,
                work, result, trace,
            )  # fmt: skip
            for c in range(out.shape[2]):
                out[i, j, c] = result[c]
