"""VERTEX: the body turns about a vertex, three degrees of freedom.

It ends where a neighbour of the vertex lands, alone or with a whole face, or, with friction, where the vertex
slips.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from mcrock.base.jit import jit
from mcrock.base.params import Response
from mcrock.kernel import codes, results
from mcrock.kernel.dynamics import (
    NONE,
    angular_velocity,
    attitude,
    copy_pose,
    edge_between,
    nudge,
    orientation,
    rates_at,
    rates_with,
    rise,
    vertex_force,
)
from mcrock.kernel.roots import BISECTIONS, EVENT_TIME, first_landing, stays_off
from mcrock.kernel.rotation import vertical
from mcrock.kernel.step import (
    HOP,
    NUDGE,
    REFINEMENTS,
    RISES,
    SLIP_SLACK,
    STILL,
    TOGETHER,
    TOUCH,
    UPRIGHT,
    corrected,
    height_and_rate,
    lifts_off,
    see_step,
    tilt_rate,
)
from mcrock.kernel.window import acceleration_after, open_window, passes_peaks, rare_step_ahead, step_ahead


@jit(internal=True)
def advance_vertex(run, samples, h):
    """One step of VERTEX mode over at most ``h`` [s], or over several ``samples`` of the motion where nothing
    is lost between them.

    Returns the time advanced [s], the event, the vertex that lands and the face if a whole one does.
    """
    body, result, friction, state, trial = run.body, run.result, run.friction, run.state, run.trial
    window, pivot = run.window, run.place
    window[0].count = 0.0
    known, run.goes_on = run.goes_on, False
    p, gravity = body.pivots[pivot], body.gravity
    up = vertical(orientation(state))
    k1 = rates_at(p, gravity, state, run.segment, run.t)
    normal, square = vertex_force(p, state, k1, up)
    results.see_force(result, gravity, square, normal, up[2])
    results.see_vertex(result, square, normal)
    if normal < 0.0 and lifts_off(run, up):
        return 0.0, codes.NO_EVENT, NONE, NONE
    if friction.on and vertex_margin(friction, gravity, normal, square) < 0.0:
        return 0.0, codes.SLIP, NONE, NONE
    together = open_window(run, samples, h, k1, up)
    single = _lay_heights(run, k1, up, (h, together), known)
    h = together if window[0].count > 0.0 else single
    step_ahead(run, p, k1, h)
    if window[0].count > 0.0:
        after = vertical(orientation(trial))
        before_w, after_w = angular_velocity(state), angular_velocity(trial)
        if passes_peaks(result, up, after, before_w, after_w, h):
            window[0].count, h = 0.0, single
            rare_step_ahead(run, p, k1, h)
    h, event, vertex, face = _first_of_landings(run, k1, h)
    if friction.on:
        if _vertex_margin_at(run, h) < 0.0:
            h = _first_time(run, k1, h, codes.SLIP)
            event, vertex, face = codes.SLIP, NONE, NONE
    elif event != codes.NO_EVENT and results.certifiable(result):
        k = rates_with(p, gravity, trial, acceleration_after(run.segment, window, run.t, h))
        normal, square = vertex_force(p, trial, k, vertical(orientation(trial)))
        results.see_vertex(result, square, normal)
    after = vertical(orientation(trial))
    if after[2] <= (UPRIGHT if event != codes.NO_EVENT else 0.0) and not results.has_overturned(result):
        h, event = _first_time(run, k1, h, codes.OVERTURN), codes.OVERTURN
        after = vertical(orientation(trial))
        result[Response.PEAK_TILT] = 1.0
    d0 = tilt_rate(up, state.w_x, state.w_y, state.w_z)
    d1 = tilt_rate(after, trial.w_x, trial.w_y, trial.w_z)
    copy_pose(trial, state)
    see_step(result, up, after, d0, d1, h)
    run.goes_on = event == codes.NO_EVENT
    return h, event, vertex, face


@jit(inline=True, internal=True)
def _lay_heights(run, k1, up, times, known):
    """Heights of the neighbours at the start of a step, those at the end of the last one where they are
    ``known``; one that has just left the ground, maybe for a hop, shortens the step, which is returned [s],
    and closes the window. ``times`` are those of the step and of the window [s]."""
    body, state, window, heights = run.body, run.state, run.window, run.heights
    h, together = times
    ground, first_spoke = TOUCH * body.radius, body.spoke_first[run.place]
    turned = up, angular_velocity(state)
    for i in range(body.spoke_first[run.place + 1] - first_spoke):
        other = body.spokes[first_spoke + i]
        row = heights[i]
        if known and row.offset == 0.0:
            row.before, row.rate_before = row.after, row.rate_after
        else:
            row.before, row.rate_before = height_and_rate(body, turned, run.place, other)
        row.offset = 0.0
        if run.friction.on and row.before < -ground and row.rate_before > 0.0:
            # landed from flight, a little too low: it lands again where it comes back to this height
            row.offset, row.before = row.before, 0.0
        if row.before <= ground and row.rate_before > 0.0:
            sink = -rise(body, k1, turned, run.place, other)
            if 4.0 * row.rate_before < sink * h:
                h = max(HOP * 2.0 * row.rate_before / sink, EVENT_TIME)
                window[0].count = 0.0
            elif RISES * row.rate_before < sink * together:
                window[0].count = 0.0
    return h


@jit(inline=True, internal=True)
def _first_of_landings(run, k1, whole):
    """The first neighbour that lands in a step over ``whole`` [s], of which the end is in ``run.trial``.

    Returns its time [s], or the whole step, the event, the vertex and the face if a whole one lands.
    """
    body, trial, heights, pivot = run.body, run.trial, run.heights, run.place
    first_spoke = body.spoke_first[pivot]
    n = body.spoke_first[pivot + 1] - first_spoke
    _see_landings(run, whole, n)
    if run.friction.on:
        turned = attitude(run.state)
        for i in range(n):
            rests = 0.0 <= heights[i].lands_at <= EVENT_TIME and heights[i].rate_before > -STILL
            if rests and rise(body, k1, turned, pivot, body.spokes[first_spoke + i]) > 0.0:
                whole = _short_of_return(run, k1, whole, i, n)
    for _ in range(n):
        at, first = np.inf, NONE
        for i in range(n):
            if 0.0 <= heights[i].lands_at < at:
                at, first = heights[i].lands_at, i
        if first < 0:
            break
        h, lands = _locate_landing(run, k1, whole, at, first, n)
        if h >= 0.0:
            vertex = body.spokes[first_spoke + lands]
            face = _landing_face(body, trial, pivot, vertex)
            return h, codes.FACET_IMPACT if face >= 0 else codes.EDGE_IMPACT, vertex, face
        heights[first].lands_at = -1.0  # the interpolation dips below the ground, the motion does not
        rare_step_ahead(run, body.pivots[pivot], k1, whole)
    return whole, codes.NO_EVENT, NONE, NONE


@jit(inline=True, internal=True)
def _see_landings(run, h, n):
    """When each of ``n`` neighbours lands in a step over ``h`` [s], of which the end is in ``run.trial``."""
    body, heights, pivot = run.body, run.heights, run.place
    first_spoke, ground, turned = body.spoke_first[pivot], TOUCH * body.radius, attitude(run.trial)
    for i in range(n):
        row = heights[i]
        z0, v0 = row.before, row.rate_before
        z1, v1 = height_and_rate(body, turned, pivot, body.spokes[first_spoke + i])
        z1 -= row.offset
        row.after, row.rate_after, row.lands_at = z1, v1, -1.0
        if not stays_off(z0, v0, z1, v1, h, ground):
            row.lands_at = first_landing(z0, v0, z1, v1, h, ground)


@jit(internal=True)
def _short_of_return(run, k1, h, rises, n):
    """Shorten a step until neighbour ``rises``, which leaves the ground from rest, does not seem to sink from
    its start: it comes back within the step, far beyond the landing of another."""
    body, heights = run.body, run.heights
    run.window[0].count = 0.0
    h = min(h, run.segment.end - run.t)
    for _ in range(BISECTIONS):
        if not 0.0 <= heights[rises].lands_at <= EVENT_TIME or h <= EVENT_TIME:
            break
        h = 0.5 * h
        rare_step_ahead(run, body.pivots[run.place], k1, h)
        _see_landings(run, h, n)
    return h


@jit(inline=True, internal=True)
def vertex_margin(friction, gravity, normal, square):
    """How far the force at a vertex is within the cone of static friction, over the weight [1]."""
    return (friction.static * normal - sqrt(square)) / gravity + SLIP_SLACK


@jit(internal=True)
def _vertex_margin_at(run, h):
    """`vertex_margin` of the state tried, ``h`` after the start ``t`` of the step [s]."""
    body, friction, t = run.body, run.friction, run.t
    trial, p, gravity = run.trial, body.pivots[run.place], body.gravity
    k = rates_with(p, gravity, trial, acceleration_after(run.segment, run.window, t, h))
    normal, square = vertex_force(p, trial, k, vertical(orientation(trial)))
    return vertex_margin(friction, gravity, normal, square)


@jit(internal=True)
def _first_time(run, k1, high, event):
    """First time in a step of VERTEX mode at which the body axis is level, or, for the event SLIP, the vertex
    cannot stick [s]; the state there is in ``run.trial``."""
    trial, p, low = run.trial, run.body.pivots[run.place], 0.0
    for _ in range(BISECTIONS):
        if high - low <= EVENT_TIME:
            break
        middle = 0.5 * (low + high)
        rare_step_ahead(run, p, k1, middle)
        if event == codes.SLIP:
            beyond = _vertex_margin_at(run, middle) < 0.0
        else:
            beyond = vertical(orientation(trial))[2] <= 0.0
        if beyond:
            high = middle
        else:
            low = middle
    rare_step_ahead(run, p, k1, high)
    return high


@jit(inline=True, internal=True)
def _locate_landing(run, k1, whole, guess, lands, n):
    """When the neighbour at place ``lands`` touches the ground, first guessed at ``guess`` [s] after ``t``.

    Returns the time [s], negative if it does not, and the place of the neighbour that lands: another
    one that is found lower already was first. The state at that time is in ``run.trial``.
    """
    body, t = run.body, run.t
    trial, segment, heights, window = run.trial, run.segment, run.heights, run.window
    pivot = run.place
    first_spoke = body.spoke_first[pivot]
    p, gravity, size = body.pivots[pivot], body.gravity, body.radius
    low, high, h = 0.0, whole, max(guess, EVENT_TIME)
    gap, speed, found = 0.0, 0.0, 0
    for _ in range(REFINEMENTS):
        step_ahead(run, p, k1, h)
        turned = attitude(trial)
        gap, speed = height_and_rate(body, turned, pivot, body.spokes[first_spoke + lands])
        gap -= heights[lands].offset
        if found == 1:
            break
        for i in range(n):
            if i != lands and heights[i].before > TOUCH * size:
                lower, its_speed = height_and_rate(body, turned, pivot, body.spokes[first_spoke + i])
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
            gap, speed = height_and_rate(body, attitude(trial), pivot, body.spokes[first_spoke + lands])
            gap -= heights[lands].offset
            break
    if heights[lands].after > 0.0 and not (gap <= TOUCH * size and speed < 0.0):
        h = -1.0
    return h, lands


@jit(inline=True, internal=True)
def _landing_face(body, state, pivot, vertex):
    """The face that lands whole with ``vertex``, -1 if only the edge from the pivot does."""
    size, turned = body.radius, attitude(state)
    a = edge_between(body, pivot, vertex)
    for i in range(body.spoke_first[pivot], body.spoke_first[pivot + 1]):
        other, b = body.spokes[i], body.spoke_edges[i]
        if other == vertex:
            continue
        height, rate = height_and_rate(body, turned, pivot, other)
        if abs(height) <= TOGETHER * size and rate < 0.0:
            for side in range(2):
                f = body.edge_faces[a, side]
                if f >= 0 and (f == body.edge_faces[b, 0] or f == body.edge_faces[b, 1]):
                    return f
    return NONE
