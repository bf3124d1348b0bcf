"""One run from its start to its outcome.

`integrate` is the whole method: load the next segment of shaking, advance the mode to its next event, let the
event change the mode, until the run is decided. `advance` maps the mode to its motion, `change` the event to
what it makes of the mode; friction takes over where contacts do not stick.
"""

from __future__ import annotations

from math import ceil

import numpy as np

from mcrock.base.jit import jit
from mcrock.base.params import Response
from mcrock.impact.varkonyi_2022 import plastic_edge
from mcrock.kernel import codes, results
from mcrock.kernel.dynamics import (
    FIRST,
    NONE,
    angular_velocity,
    edge_between,
    inertia_of,
    move_pivot,
    orientation,
    point_of,
)
from mcrock.kernel.edge import advance_edge, edge_pose, enter_edge, flatter_face
from mcrock.kernel.ending import check_limits, finish, is_over, note, outcome_of_time
from mcrock.kernel.friction.events import (
    CHATTER_TIME,
    begin_friction,
    lands_off_base,
    see_passage,
    step_slip,
    takes_over,
)
from mcrock.kernel.friction.motion import STOPS_IN
from mcrock.kernel.landing import land_edge, land_on_face
from mcrock.kernel.rest import advance_rest, comes_to_rest, enter_rest, lay_sides, stand, uplift
from mcrock.kernel.rolling import advance_roll
from mcrock.kernel.roots import EVENT_TIME
from mcrock.kernel.rotation import vertical
from mcrock.kernel.shaking import acceleration, count_segments, end_of_shaking, load, see_kink
from mcrock.kernel.step import HOLD_TIME
from mcrock.kernel.train import SHORT, advance_train
from mcrock.kernel.vertex import advance_vertex
from mcrock.kernel.window import row_at


@jit(internal=True)
def integrate(run, motions, quantiles, trace, slips):
    """Integrate one run from its start until rest without shaking, overturning or the end of the time.

    Parameters
    ----------
    run : record
        Of `mcrock.kernel.layout.run_type`, with body, law, settings, shaking and start; what is found is in
        it.
    motions : MotionPack
    quantiles : ndarray (n_parameter, n_node)
        Of impact parameters that are drawn at every impact.
    trace : Trace
        Room for the history and the events.
    slips : bool or None
        None where no contact ever slips: then what friction needs is not compiled.
    """
    begin(run, motions, slips)
    note(run, trace, codes.NO_EVENT, 0.0, NONE)
    while goes_on(run, motions):
        advance(run, motions, quantiles, trace, slips)
        if run.event != codes.NO_EVENT:
            change(run, quantiles, trace, slips)
        check_limits(run)
    note(run, trace, codes.NO_EVENT, 0.0, NONE)
    finish(run)


@jit(internal=True)
def begin(run, motions, slips):
    """Set a run up from its start: mode, place and state are given."""
    body, state, settings, result = run.body, run.state, run.settings, run.result
    run.step = min(settings.max_step, settings.step / body.frequency)
    results.clear(result)
    run.maps[0].old = NONE
    run.shaken = min(end_of_shaking(motions, run.motion), run.end)
    run.pieces = count_segments(motions, run.motion)
    run.first, run.length = motions.first[run.motion], motions.length[run.motion]
    run.dt = motions.dt[run.motion]
    run.outcome, run.event, run.t, run.at_instant = codes.NOT_RUN, codes.NO_EVENT, 0.0, 0
    run.held_until, run.released_end, run.release_time, run.slipped = -1.0, NONE, -1.0, 0
    run.goes_on, run.highest = False, 0.0
    run.sweeps, run.calm, run.falls, run.pushed, run.known = 0, 0, False, False, False
    run.lifted, run.left, run.vertex, run.face, run.count = NONE, NONE, NONE, NONE, 0
    load(run, motions, FIRST)
    flat = run.mode == codes.REST or run.mode == codes.SLIDE or run.mode == codes.SPIN
    run.corners = lay_sides(body, state, run.place if flat else body.start, run.sides)
    if run.mode == codes.EDGE:
        edge_pose(body.edges[run.place], state, state.angle, state.rate)
    up = vertical(orientation(state))
    results.see_pose(result, up[0], up[1])
    run.grip, run.bend, run.took_off, run.stops = np.inf, 0.0, 0.0, STOPS_IN * settings.edge_zeno_time
    if slips is not None and run.friction.on:
        begin_friction(run)
    run.since, run.last_mode, run.last_place, run.swing, run.bounced = 0.0, run.mode, run.place, 0.0, 0


@jit(inline=True, internal=True)
def goes_on(run, motions):
    """Load the segment of shaking the run has come to; False once the run is decided, as it is at its end."""
    if run.outcome != codes.NOT_RUN:
        return False
    if run.friction.on:
        see_passage(run)
    while run.segment.end <= run.t < run.end:
        load(run, motions, run.piece + 1)
        if run.piece > run.pieces:
            break
    if not run.t < run.end:
        run.outcome = outcome_of_time(run, end_of_shaking(motions, run.motion))
    elif run.settings.stop_at_settling and is_over(run):
        run.outcome = codes.SETTLING
    return run.outcome == codes.NOT_RUN


@jit(inline=True, internal=True)
def advance(run, motions, quantiles, trace, slips):
    """Advance the mode by a step, or to its first event in it; the run has the event."""
    if run.mode == codes.REST:
        advance_rest(run, motions)
        return
    run.result[Response.STEPS] += 1.0
    run.event = codes.NO_EVENT
    if run.result[Response.STEPS] > run.settings.max_steps:
        run.outcome = codes.STEP_LIMIT
        return
    room = run.segment.end - run.t
    h = room / ceil(room / run.step)
    if run.mode == codes.EDGE:
        whole = h
        h, run.event, run.face = advance_edge(run, h)
        run.vertex, run.to_end = NONE, whole == room and h == whole
    elif run.mode == codes.VERTEX:
        h = _advance_vertex(run, motions, quantiles, trace, h)
    elif run.mode == codes.ROLL:
        h, run.event = advance_roll(run, quantiles)
        run.to_end = h == room
    elif slips is not None:
        h = step_slip(run, quantiles, h)
    run.at_instant = run.at_instant + 1 if h <= EVENT_TIME and run.event != codes.NO_EVENT else 0
    run.t = run.segment.end if run.to_end and run.event == codes.NO_EVENT else run.t + h
    run.lifted = NONE
    if run.event in (
        codes.NO_EVENT,
        codes.EDGE_IMPACT,
        codes.FACET_IMPACT,
        codes.LANDING,
    ):  # the state before a jump too
        note(run, trace, codes.NO_EVENT, 0.0, NONE)


@jit(inline=True, internal=True)
def _advance_vertex(run, motions, quantiles, trace, h):
    """A train of short flights if an edge impact has just lifted a vertex, else a step of VERTEX mode."""
    room, whole = run.segment.end - run.t, h
    if run.lifted >= 0:
        late = h
        if see_kink(run, motions.samples):
            late += SHORT * run.step
        together, vertex = advance_train(run, quantiles, trace, h, late)
        if together > 0.0:
            run.event, run.vertex, run.face = codes.EDGE_IMPACT, vertex, NONE
            if run.t + together > run.segment.end:
                load(run, motions, run.piece + 1)
            return together
    h, run.event, run.vertex, run.face = advance_vertex(run, motions.samples, h)
    passed = 0
    if run.window[0].count > 0.0:
        passed = row_at(run.window, h)
        whole = run.window[passed + 1].at
    run.to_end = h == whole and (whole >= room if run.window[0].count > 0.0 else whole == room)
    if passed > 0:
        load(run, motions, run.piece + passed)
    return h


@jit(inline=True, internal=True)
def change(run, quantiles, trace, slips):
    """What an event makes of the mode. The event is noted with what it led to."""
    body = run.body
    run.change, run.rest_face = 0.0, NONE
    if run.event == codes.OVERTURN or _lands_off_base(run):
        _overturn(run, trace)
        if run.outcome != codes.NOT_RUN or run.event == codes.OVERTURN:
            return
    if (
        slips is not None
        and run.friction.on
        and run.event not in (codes.UPLIFT, codes.EDGE_RELEASE, codes.REST_EVENT)
        and takes_over(run, quantiles, trace)
    ):
        return
    if run.event == codes.UPLIFT:
        run.left = run.place
        run.mode, run.place = uplift(run, run.place)
    elif run.event == codes.EDGE_RELEASE:
        _release(run)
    elif run.event == codes.EDGE_IMPACT:
        run.left = NONE
        _land_edge(run, quantiles)
    elif run.event == codes.FACET_IMPACT:
        run.left = run.released_end = NONE
        run.mode, run.place, run.change = land_on_face(run, quantiles, run.face)
        run.rest_face = run.face
    elif run.event == codes.REST_EVENT:
        _lie_down(run)
    note(run, trace, run.event, run.change, run.face if run.event == codes.FACET_IMPACT else NONE)
    if run.rest_face >= 0 and run.mode != codes.REST and run.mode != codes.ROLL:
        _may_rest(run, trace)
    if run.mode == codes.REST:
        run.corners = body.face_first[run.place + 1] - body.face_first[run.place]


@jit(inline=True, internal=True)
def _may_rest(run, trace):
    """Come to rest after an impact where what is left of the motion soon ends."""
    body = run.body
    pivot = run.place if run.mode == codes.VERTEX else body.edge_vertices[run.place, 0]
    a = acceleration(run.segment, run.t)
    if comes_to_rest(run, run.state, pivot, run.rest_face, a[0], a[1], a[2]):
        run.mode, run.place = enter_rest(run, pivot, run.rest_face)
        note(run, trace, codes.REST_EVENT, 0.0, NONE)


@jit(internal=True)
def _lands_off_base(run):
    """Whether contact overturns, and a vertex that is none of the base touches the ground."""
    body, event = run.body, run.event
    if not run.settings.contact_overturns or results.has_overturned(run.result):
        return False
    if event == codes.EDGE_IMPACT:
        return not body.standing[run.vertex]
    if event == codes.FACET_IMPACT:
        for i in range(body.face_first[run.face], body.face_first[run.face + 1]):
            if not body.standing[body.face_vertices[i]]:
                return True
    if run.friction.on and event == codes.LANDING:
        return lands_off_base(body, run.friction, run.count)
    return False


@jit(internal=True)
def _overturn(run, trace):
    """Note that the body overturns; a fall that is followed goes on."""
    results.see_overturning(run.result, run.t, orientation(run.state))
    note(run, trace, codes.OVERTURN, 0.0, NONE)
    if not run.settings.follow_fall:
        run.outcome = codes.OVERTURNED
    for i in range(run.result.size):
        run.kept[i] = run.result[i]


@jit(internal=True)
def _lie_down(run):
    """An uplift from rest came to nothing, or a body that rolls comes to rest."""
    if run.mode == codes.ROLL:
        stand(run)
        return
    if run.mode in (codes.REST, codes.SLIDE, codes.SPIN):  # so does one that slips on its rim
        return
    run.mode, run.place = enter_rest(run, run.body.edge_vertices[run.place, 0], run.face)
    run.event = codes.NO_EVENT


@jit(internal=True)
def _release(run):
    """The body turns on about one end of its edge."""
    body, state, edge = run.body, run.state, run.place
    edge_pose(body.edges[edge], state, state.angle, state.rate)
    pivot = body.edge_vertices[edge, run.kept_end]
    move_pivot(body, state, body.edge_vertices[edge, 0], pivot)
    run.released_end, run.release_time, run.slipped = body.edge_vertices[edge, 1 - run.kept_end], run.t, 0
    run.mode, run.place = codes.VERTEX, pivot


@jit(inline=True, internal=True)
def _land_edge(run, quantiles):
    """A vertex lands beside the one in contact."""
    body, state, old, vertex = run.body, run.state, run.place, run.vertex
    if vertex == run.released_end and run.t - run.release_time < CHATTER_TIME and not run.slipped:
        # the release did not last: undone, and not an impact, as both ends stuck before it
        run.event, run.held_until, run.released_end = codes.NO_EVENT, run.t + HOLD_TIME, NONE
        w = angular_velocity(state)
        w = plastic_edge(body.mass, inertia_of(body), point_of(body, old), point_of(body, vertex), w)
        state.w_x, state.w_y, state.w_z = w
        run.mode, run.place = enter_edge(body, state, old, edge_between(body, old, vertex))
        return
    run.released_end = NONE
    k = edge_between(body, old, vertex)
    run.mode, run.place, run.change = land_edge(run, quantiles, old, vertex)
    run.rest_face = flatter_face(body, state, k)
    if run.mode == codes.VERTEX:
        run.lifted = old  # the flights that follow may be short: see `train`
