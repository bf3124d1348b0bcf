"""One step of smooth motion, cut at the first event in it."""

from __future__ import annotations

from math import cos, sin

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
    edge_step,
    vertex_force,
    vertex_step,
)
from mcrock.kernel.events import EVENT_TIME, first_landing
from mcrock.kernel.modes import NONE, edge_pose, release
from mcrock.kernel.record import EDGE_STICK
from mcrock.kernel.rotation import vertical
from mcrock.kernel.shaking import acceleration
from mcrock.params import Event

NO_EVENT, UPLIFT, EDGE_RELEASE = np.int64(0), np.int64(Event.UPLIFT), np.int64(Event.EDGE_RELEASE)
EDGE_IMPACT, FACET_IMPACT = np.int64(Event.EDGE_IMPACT), np.int64(Event.FACET_IMPACT)
REST_EVENT, OVERTURN = np.int64(Event.REST), np.int64(Event.OVERTURN)

RELEASE_TIME = 1e-9  # releases are located to this [s]
TOUCH = 1e-12  # height that counts as on the ground, over the size of the body [1]
STILL = 1e-9  # an uplift this slow [rad/s] that ends this soon [s] is none
TOGETHER = 1e-10  # two vertices this low land together, over the size of the body [1]
UPRIGHT = 1e-9  # cosine of the tilt at which a landing and overturning coincide [1]
REFINEMENTS = 40  # of the time of an event, by stepping again from the start of the step
# Newton's error after a correction d is about d^2 over the time of flight: corrections below this
# share of the step (and below a time, [s]) leave a relative error of 1e-8
CONVERGED, CONVERGED_TIME = 1e-4, 1e-7


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
def advance_edge(top, body, work, result, t, h, hold):
    """One step of EDGE mode from ``t`` over at most ``h`` [s]; no release before ``hold`` [s].

    Returns the time advanced [s], the event, and the face that lands or the end kept in a release.
    """
    state, segment = work.state, work.segment
    k = work.mode[1]
    edge = body.edges[k]
    angle0, rate0, opening = state[ANGLE], state[RATE], edge[OPENING]
    a = acceleration(segment, t)
    before, end, stuck, force_e, force_n, force_z = release(
        top, body, k, state, angle0, rate0, a[0], a[1], a[2]
    )
    up = edge_up(edge, angle0)
    record.see_force(result, body.scalars[GRAVITY], force_e, force_n, force_z, up[2])
    if stuck:
        result[EDGE_STICK] = 1.0
    if before > 0.0 and t >= hold:
        return 0.0, EDGE_RELEASE, end
    angle1, rate1 = edge_step(body, edge, state, segment, t, h)
    landing = first_landing(angle0, rate0, angle1, rate1, h, TOUCH)
    face = top.edge_faces[k, 0]
    sign, target = 1.0, 0.0
    if opening < np.inf:
        other = first_landing(opening - angle0, -rate0, opening - angle1, -rate1, h, TOUCH)
        if other >= 0.0 and (landing < 0.0 or other < landing):
            landing, face, sign, target = other, top.edge_faces[k, 1], -1.0, opening
    if 0.0 <= landing <= STILL and sign * (angle0 - target) <= TOUCH and abs(rate0) <= STILL:
        return 0.0, REST_EVENT, face
    event = NO_EVENT
    if landing >= 0.0:
        low, high, h = 0.0, h, max(landing, EVENT_TIME)
        for _ in range(REFINEMENTS):
            angle1, rate1 = edge_step(body, edge, state, segment, t, h)
            gap, speed = sign * (angle1 - target), sign * rate1
            if gap > 0.0:
                low = max(low, h)
            else:
                high = min(high, h)
            guess = h - gap / speed if speed < 0.0 else 0.5 * (low + high)
            if not low < guess < high:
                guess = 0.5 * (low + high)
            moved = abs(guess - h)
            h = guess
            if moved <= min(CONVERGED * h, CONVERGED_TIME):
                break
        event = FACET_IMPACT
        angle1, rate1 = edge_step(body, edge, state, segment, t, h)
    if t + h > hold:
        b = acceleration(segment, t + h)
        margin, end, stuck, _, _, _ = release(top, body, k, state, angle1, rate1, b[0], b[1], b[2])
        if stuck:
            result[EDGE_STICK] = 1.0
        if margin > 0.0:
            h, face, angle1, rate1 = _locate_release(
                top, body, work, t, max(0.0, hold - t), h, before, margin, end
            )
            event = EDGE_RELEASE
    after = edge_up(edge, angle1)
    if after[2] <= (UPRIGHT if event == FACET_IMPACT else 0.0) and not record.has_overturned(result):
        low, high = 0.0, h
        while high - low > EVENT_TIME:
            middle = 0.5 * (low + high)
            angle1, rate1 = edge_step(body, edge, state, segment, t, middle)
            if edge_up(edge, angle1)[2] <= 0.0:
                high = middle
            else:
                low = middle
        h, event = high, OVERTURN
        angle1, rate1 = edge_step(body, edge, state, segment, t, h)
        after = edge_up(edge, angle1)
        result[record.PEAK_TILT] = 1.0
    state[ANGLE], state[RATE] = angle1, rate1
    d0 = _tilt_rate(up, rate0 * edge[E_X], rate0 * edge[E_Y], rate0 * edge[E_Z])
    d1 = _tilt_rate(after, rate1 * edge[E_X], rate1 * edge[E_Y], rate1 * edge[E_Z])
    _see_step(result, up, after, d0, d1, h)
    if event == OVERTURN:
        edge_pose(edge, state, angle1, rate1)
    return h, event, face


@jit
def _locate_release(top, body, work, t, low, high, below, above, end):
    """First release between ``low`` and ``high`` [s] after ``t``, by the Illinois method.

    ``below`` and ``above`` are the margins there. Returns its time [s], the end kept, angle and rate.
    """
    state, segment, k = work.state, work.segment, work.mode[1]
    edge = body.edges[k]
    for i in range(REFINEMENTS):
        if high - low <= RELEASE_TIME:
            break
        guess = low + (high - low) * below / (below - above)
        if i % 4 == 3 or not low < guess < high:  # below is discontinuous where an edge is stuck
            guess = 0.5 * (low + high)
        angle, rate = edge_step(body, edge, state, segment, t, guess)
        a = acceleration(segment, t + guess)
        margin, which, _, _, _, _ = release(top, body, k, state, angle, rate, a[0], a[1], a[2])
        if margin > 0.0:
            high, above, end = guess, margin, which
            below *= 0.5
        else:
            low, below = guess, min(margin, -1e-300)
            above *= 0.5
    angle, rate = edge_step(body, edge, state, segment, t, high)
    return high, end, angle, rate


@jit
def _see_step(result, up, after, d0, d1, h):
    """Peaks over a step, from the vertical and the rate of sin(tilt)^2 at both ends."""
    s0, s1 = up[0] * up[0] + up[1] * up[1], after[0] * after[0] + after[1] * after[1]
    record.see_turning_point(result, s0, d0, s1, d1, h)
    record.see_pose(result, after[0], after[1])


@jit
def _tilt_rate(up, wx, wy, wz):
    """Rate of sin(tilt)^2; the vertical turns with up x w in body axes."""
    return 2.0 * (up[0] * (up[1] * wz - up[2] * wy) + up[1] * (up[2] * wx - up[0] * wz))


@jit
def advance_vertex(top, body, work, result, t, h):
    """One step of VERTEX mode from ``t`` over at most ``h`` [s].

    Returns the time advanced [s], the event, the vertex that lands and the face if a whole one does.
    """
    state, trial, segment, heights = work.state, work.trial, work.segment, work.heights
    pivot = work.mode[1]
    size = body.scalars[SIZE]
    a = acceleration(segment, t)
    up = vertical(state[Q0], state[Q1], state[Q2], state[Q3])
    rates = vertex_step(body, pivot, state, segment, t, h, trial)
    force = vertex_force(body, pivot, state, rates[0], rates[1], rates[2], a[0], a[1], a[2])
    record.see_force(result, body.scalars[GRAVITY], force[0], force[1], force[2], up[2])
    landing, vertex = np.inf, NONE
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
    event, face = NO_EVENT, NONE
    if vertex >= 0:
        low, high, h = 0.0, h, max(landing, EVENT_TIME)
        for _ in range(REFINEMENTS):
            vertex_step(body, pivot, state, segment, t, h, trial)
            gap, speed = height_and_rate(body, trial, pivot, vertex)
            for i in range(n):  # another vertex may be lower already: then that one was first
                other = top.neighbours[pivot, i]
                if other >= 0 and other != vertex and heights[i, 0] > TOUCH * size:
                    lower, its_speed = height_and_rate(body, trial, pivot, other)
                    if lower < -TOGETHER * size and lower < gap:
                        vertex, gap, speed = other, lower, its_speed
                        low = 0.0
            if gap > 0.0:
                low = max(low, h)
            else:
                high = min(high, h)
            guess = h - gap / speed if speed < 0.0 else 0.5 * (low + high)
            if not low < guess < high:
                guess = 0.5 * (low + high)
            moved = abs(guess - h)
            h = guess
            if moved <= min(CONVERGED * h, CONVERGED_TIME):
                break
        event = EDGE_IMPACT
        vertex_step(body, pivot, state, segment, t, h, trial)
        face = _landing_face(top, body, trial, pivot, vertex)
        if face >= 0:
            event = FACET_IMPACT
    after = vertical(trial[Q0], trial[Q1], trial[Q2], trial[Q3])
    if after[2] <= (UPRIGHT if event != NO_EVENT else 0.0) and not record.has_overturned(result):
        low, high = 0.0, h
        while high - low > EVENT_TIME:
            middle = 0.5 * (low + high)
            vertex_step(body, pivot, state, segment, t, middle, trial)
            if vertical(trial[Q0], trial[Q1], trial[Q2], trial[Q3])[2] <= 0.0:
                high = middle
            else:
                low = middle
        h, event = high, OVERTURN
        vertex_step(body, pivot, state, segment, t, h, trial)
        after = vertical(trial[Q0], trial[Q1], trial[Q2], trial[Q3])
        result[record.PEAK_TILT] = 1.0
    d0 = _tilt_rate(up, state[W_X], state[W_Y], state[W_Z])
    d1 = _tilt_rate(after, trial[W_X], trial[W_Y], trial[W_Z])
    for i in range(W_Z + 1):
        state[i] = trial[i]
    _see_step(result, up, after, d0, d1, h)
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
    return NONE
