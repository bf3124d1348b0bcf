"""One run from its start to its outcome, and many runs in a row."""

from __future__ import annotations

from math import atan2, ceil, cos, isfinite, sin, sqrt
from typing import NamedTuple

import numpy as np

from mcrock.impact.dispatch import PROJECT, ImpactLaw
from mcrock.impact.varkonyi_2022 import kinetic_energy, plastic_edge
from mcrock.jit import jit
from mcrock.kernel import record
from mcrock.kernel.advance import (
    EDGE_IMPACT,
    EDGE_RELEASE,
    FACET_IMPACT,
    HEIGHTS_SIZE,
    NO_EVENT,
    OVERTURN,
    REST_EVENT,
    UPLIFT,
    advance_edge,
    advance_vertex,
)
from mcrock.kernel.contact import (
    BARRIER,
    BASE_X,
    BASE_Y,
    BASE_Z,
    F_HEIGHT,
    FREQUENCY,
    GRAVITY,
    MASS,
    SIZE,
    SLENDERNESS,
    START_X,
    START_Y,
    Topology,
    fill_constants,
)
from mcrock.kernel.dynamics import (
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
    Z,
)
from mcrock.kernel.edge_landing import land_edge
from mcrock.kernel.edge_train import MAP_SIZE, OLD, SHORT, advance_train
from mcrock.kernel.events import EVENT_TIME
from mcrock.kernel.facet_landing import land_on_face
from mcrock.kernel.friction.advance import LANDS, PARADOX, advance_slip
from mcrock.kernel.friction.events import (
    CHATTER_TIME,
    LANDING,
    change_contacts,
    face_to_settle,
    lands_off_base,
    lay_sides_of,
    opened_end,
    plainly_sticks,
    settle_event,
    settles,
)
from mcrock.kernel.friction.rest import next_slip
from mcrock.kernel.friction.state import (
    CREEP,
    CREEPS_IN,
    HELD,
    STATIC,
    STOPS_IN,
    clear_friction,
    moving_energy,
    sticks,
    stopped_within,
)
from mcrock.kernel.modes import (
    EDGE,
    FIRST,
    FLIGHT,
    NONE,
    REST,
    SIDE_SIZE,
    SLIDE,
    SPIN,
    VERTEX,
    VERTEX_SLIP,
    comes_to_rest,
    contact_vertex,
    edge_pose,
    enter_edge,
    enter_rest,
    flatter_face,
    inertia_of,
    lay_sides,
    move_pivot,
    next_uplift,
    pass_quiet,
    point_of,
    uplift,
)
from mcrock.kernel.rotation import to_ground, vertical, wrapped
from mcrock.kernel.shaking import (
    BEGIN,
    END,
    SEGMENT_SIZE,
    acceleration,
    count_segments,
    end_of_run,
    end_of_shaking,
    load_segment,
    see_kink,
)
from mcrock.kernel.start import set_start
from mcrock.kernel.trace import note
from mcrock.kernel.window import AT, COUNT, SPAN, empty_window, row_at
from mcrock.params import BLOCK, Outcome
from mcrock.response import Response

AT_REST, ROCKING, OVERTURNED = int(Outcome.AT_REST), int(Outcome.ROCKING), int(Outcome.OVERTURNED)
STEP_LIMIT, IMPACT_LIMIT = int(Outcome.STEP_LIMIT), int(Outcome.IMPACT_LIMIT)
INSTANT_LIMIT, NOT_FINITE = int(Outcome.INSTANT_LIMIT), int(Outcome.NOT_FINITE)
SETTLING, PAINLEVE = int(Outcome.SETTLING), int(Outcome.PAINLEVE)

HOLD_TIME = 1e-3  # after that the edge is held this long [s]
BEND, MOST_BEND = 10.0, 0.3  # turn of a slip in a step, over `Settings.step` and at most [rad]
HOLD_EVENTS = 20  # events at one instant before the ends of an edge are held
INSTANT_EVENTS = 200  # events at one instant before the run is given up


class Settings(NamedTuple):
    """Numerical settings of a run, see `mcrock.conditions.Controls`."""

    step: float
    max_step: float
    edge_zeno_time: float
    rest_time: float
    rest_tilt: float
    max_steps: int
    max_impacts: int
    follow_fall: bool
    contact_overturns: bool


class Batch(NamedTuple):
    """Inputs of consecutive realizations, see `mcrock.params.Inputs`."""

    seed: np.uint64
    number: np.ndarray
    gravity: np.ndarray
    mass: np.ndarray
    inertia: np.ndarray
    vertices: np.ndarray
    start_face: np.ndarray
    start_edge: np.ndarray
    start_tilt: np.ndarray
    slope: np.ndarray  # (n, 2)
    record: np.ndarray
    azimuth: np.ndarray
    scale: np.ndarray
    impact: np.ndarray
    redrawn: np.ndarray
    quantiles: np.ndarray
    face_parameters: np.ndarray
    law: np.ndarray
    energy_gain: np.ndarray
    facet_fallback: np.ndarray
    point: np.ndarray  # (2,) impact point of `ImpactLaw`: NaN
    recheck: np.ndarray  # (n,) bool: run again at half the step
    contact: np.ndarray  # (n, 5) by `mcrock.params.ContactColumn`, (0, 5) without friction


class Workspace(NamedTuple):
    """Arrays a run writes to, allocated by the caller."""

    state: np.ndarray  # (STATE_SIZE,)
    trial: np.ndarray  # (STATE_SIZE,)
    mode: np.ndarray  # (2,) mode and index
    segment: np.ndarray  # (SEGMENT_SIZE,)
    sides: np.ndarray  # (n_max_corners, SIDE_SIZE) sides of the face at rest
    kept: np.ndarray  # (RESULT_SIZE,) results at the time of overturning, while a fall is followed
    heights: np.ndarray  # (n_max_neighbours, HEIGHTS_SIZE) heights of a step: columns of `kernel.advance`
    maps: np.ndarray  # (2, MAP_SIZE) impacts of an edge to and fro: columns of `kernel.edge_train`
    window: np.ndarray  # (MOST_SAMPLES + 1, WINDOW_SIZE) samples of a step: columns of `kernel.window`


def empty_workspace(top: Topology) -> Workspace:
    """Workspace for bodies of a topology."""
    return Workspace(
        state=np.zeros(STATE_SIZE),
        trial=np.zeros(STATE_SIZE),
        mode=np.zeros(2, dtype=np.int64),
        segment=np.zeros(SEGMENT_SIZE),
        sides=np.zeros((int(np.diff(top.face_first).max()), SIDE_SIZE)),
        kept=np.zeros(record.RESULT_SIZE),
        heights=np.zeros((top.neighbours.shape[1], HEIGHTS_SIZE)),
        maps=np.zeros((2, MAP_SIZE)),
        window=empty_window(),
    )


@jit
def run(top, body, motions, motion, turn, law, settings, t_end, work, result, trace, friction):
    """Integrate one run from the state in ``work`` until rest without shaking, overturning or ``t_end`` [s].

    ``turn`` is that of `mcrock.kernel.shaking.load_segment`. What it finds is in ``result``, ``trace`` and
    ``work``. ``friction`` is None where contacts stick, and then nothing of friction is compiled.
    """
    state, mode, segment, sides = work.state, work.mode, work.segment, work.sides
    gravity = body.scalars[GRAVITY]
    slenderness = body.scalars[SLENDERNESS]
    step = min(settings.max_step, settings.step / body.scalars[FREQUENCY])
    record.clear(result)
    work.maps[0, OLD] = NONE
    tracing = trace.history.shape[0] > 0
    shaken = min(end_of_shaking(motions, motion), t_end)
    number, pieces = FIRST, count_segments(motions, motion)
    t, at_instant, hold, released_end, release_time, lifted = 0.0, 0, -1.0, NONE, -1.0, NONE
    load_segment(motions, motion, turn, number, t_end, segment)
    outcome = ROCKING
    flat = mode[0] == REST or mode[0] == SLIDE or mode[0] == SPIN
    corners = lay_sides(top, body, state, mode[1] if flat else body.start[0], sides)
    if mode[0] == EDGE:
        edge_pose(body.edges[mode[1]], state, state[ANGLE], state[RATE])
    up = vertical(state[Q0], state[Q1], state[Q2], state[Q3])
    record.see_pose(result, up[0], up[1])
    grip, bend, took_off, stops = np.inf, 0.0, 0.0, STOPS_IN * settings.edge_zeno_time
    if friction is not None:
        grip, bend = friction.values[STATIC] ** 2, min(BEND * settings.step, MOST_BEND)
        clear_friction(friction)
        friction.found[CREEP] = stopped_within(body, friction, CREEPS_IN * settings.edge_zeno_time)
        if not sticks(mode[0]) and mode[0] != FLIGHT:
            mode[0], mode[1], _ = change_contacts(top, body, work, friction, result, t, sides)
            corners = lay_sides_of(top, body, state, mode, sides, corners)
            record.see_slip(result, t)
        if mode[0] == FLIGHT:
            result[Response.FLIGHTS] = 1.0
    slipped = False  # whether the edge whose end was released slipped
    since, last_mode, last_index, swing, bounced = 0.0, mode[0], mode[1], 0.0, False
    if tracing:
        note(top, body, work, trace, t, NO_EVENT, 0.0, NONE, friction)
    while True:
        if friction is not None:
            record.spend(result, last_mode, t - since)
            turned = mode[0] != EDGE or mode[1] != last_index or state[RATE] * swing <= 0.0
            if turned and (mode[0] != last_mode or t != since):
                # on an edge the base moves along a line: it is farthest at its ends
                see_displacement(top, body, work, result)
            swing, last_index = state[RATE], mode[1]
            if last_mode == FLIGHT:
                result[Response.LONGEST_FLIGHT] = max(result[Response.LONGEST_FLIGHT], t - took_off)
            if mode[0] == FLIGHT and (last_mode != FLIGHT or bounced):
                result[Response.FLIGHTS] += 1.0
                took_off = t
            since, last_mode, bounced = t, mode[0], False
        while segment[END] <= t and t < t_end:
            number += 1
            load_segment(motions, motion, turn, number, t_end, segment)
            if number > pieces:
                break
        if t >= t_end:
            if t < end_of_shaking(motions, motion):  # later shaking may do anything
                outcome = ROCKING
            elif mode[0] == REST:
                outcome = AT_REST
            elif law.energy_gain == PROJECT and _energy(top, body, work, friction) < _barrier(body, turn):
                outcome = SETTLING
            break
        if mode[0] == REST:
            if number % BLOCK == 0 and t <= segment[BEGIN]:
                quiet = pass_quiet(
                    motions, motion, turn, number, t_end, gravity, sides, corners, grip, result
                )
                if quiet > number:
                    number = quiet - 1
                    load_segment(motions, motion, turn, number, t_end, segment)
                    t = segment[END]
                    continue
            lift = next_uplift(sides, corners, gravity, segment, t, step, result)
            if friction is not None:
                slip = next_slip(segment, t, friction.values[STATIC], gravity, step)
                if slip < lift or (slip == lift and slip < np.inf):
                    at_instant = at_instant + 1 if slip - t <= EVENT_TIME else 0
                    t = slip
                    record.see_slip(result, t)
                    mode[0], mode[1], event = change_contacts(top, body, work, friction, result, t, sides)
                    if mode[0] < 0:
                        outcome = PAINLEVE
                        break
                    corners = lay_sides_of(top, body, state, mode, sides, corners)
                    if tracing:
                        note(top, body, work, trace, t, event, 0.0, NONE, friction)
                    if at_instant > INSTANT_EVENTS:
                        outcome = INSTANT_LIMIT
                        break
                    continue
            if lift > segment[END]:
                if t >= shaken or number >= pieces:
                    outcome = AT_REST
                    break
                t = segment[END]
                continue
            at_instant = at_instant + 1 if lift - t <= EVENT_TIME else 0
            t = lift
            a = acceleration(segment, t)
            mode[0], mode[1] = uplift(top, body, state, result, mode[1], sides, a[0], a[1], a[2])
            if tracing:
                note(top, body, work, trace, t, UPLIFT, 0.0, NONE, friction)
            if at_instant > INSTANT_EVENTS:
                outcome = INSTANT_LIMIT
                break
        result[Response.STEPS] += 1.0
        if result[Response.STEPS] > settings.max_steps:
            outcome = STEP_LIMIT
            break
        room = segment[END] - t
        h = room / ceil(room / step)
        last = h == room
        whole, count, together = h, 0, 0.0
        if mode[0] == VERTEX and lifted >= 0:
            late = h
            if see_kink(motions, motion, turn, number, t_end, segment):
                late += SHORT * step
            together, vertex = advance_train(
                top,
                body,
                work,
                result,
                t,
                h,
                late,
                SHORT * step,
                settings.max_impacts - _impacts(result),
                law,
                settings.edge_zeno_time,
                lifted,
                trace,
                friction,
            )
        if together > 0.0:
            h, event, face = together, EDGE_IMPACT, NONE
            if t + h > segment[END]:
                number += 1
                load_segment(motions, motion, turn, number, t_end, segment)
        elif mode[0] == EDGE:
            h, event, face = advance_edge(top, body, work, result, t, h, hold, friction)
            vertex = NONE
        elif friction is None or mode[0] == VERTEX:
            h, event, vertex, face = advance_vertex(
                top, body, work, result, t, h, friction, motions, motion, turn, number, t_end, SPAN * step
            )
            if work.window[0, COUNT] > 0.0:
                passed = row_at(work.window, h)
                whole = work.window[passed + 1, AT]
                last = whole >= room
                if passed > 0:
                    number += passed
                    load_segment(motions, motion, turn, number, t_end, segment)
        if friction is not None and not sticks(mode[0]):
            friction.found[HELD] = 1.0 if t < hold else 0.0
            if t < hold:
                h = min(h, hold - t)
            h, event, count = advance_slip(top, body, work, friction, result, t, h, bend, stops, sides)
            vertex, face = friction.touching[0], NONE
            if event == PARADOX:
                t, outcome = t + h, PAINLEVE
                break
        at_instant = at_instant + 1 if h <= EVENT_TIME and event != NO_EVENT else 0
        t = segment[END] if last and h == whole and event == NO_EVENT else t + h
        a = acceleration(segment, t)
        change, pivot, rest_face, done, lifted = 0.0, NONE, NONE, False, NONE
        off_base = (
            settings.contact_overturns
            and not record.has_overturned(result)
            and event in (EDGE_IMPACT, FACET_IMPACT)
            and _lands_off_base(top, body, event, vertex, face)
        )
        if friction is not None and event == LANDS and settings.contact_overturns:
            off_base = not record.has_overturned(result) and lands_off_base(body, friction, count)
        if event == OVERTURN or off_base:
            record.see_overturning(result, t, state)
            if tracing:
                note(top, body, work, trace, t, OVERTURN, 0.0, NONE, friction)
            outcome = OVERTURNED
            if not settings.follow_fall:
                break
            for i in range(result.size):
                work.kept[i] = result[i]
            if event == OVERTURN:
                continue
        goes_on = event in (NO_EVENT, EDGE_RELEASE, REST_EVENT)
        if friction is not None and event == EDGE_IMPACT:
            goes_on = plainly_sticks(
                body, state, friction, law, result, mode[1], vertex, settings.edge_zeno_time, a
            )
        if friction is not None and not goes_on:
            # contacts that stick through it are left to the kernel without friction
            chatter = vertex == released_end and t - release_time < CHATTER_TIME
            before, place = mode[0], mode[1]
            done, event, change, face = settle_event(
                top,
                body,
                work,
                friction,
                result,
                law,
                settings,
                t,
                event,
                vertex,
                face,
                count,
                chatter,
                sides,
            )
            if done:
                if mode[0] < 0:
                    outcome = PAINLEVE
                    break
                if event == EDGE_RELEASE:
                    released_end, release_time = opened_end(top, before, place, mode[1]), t
                    slipped = before != EDGE
                elif mode[1] != place or mode[0] not in (VERTEX, VERTEX_SLIP):
                    released_end = NONE
                bounced = event == LANDING and mode[0] == FLIGHT
                hold = t + HOLD_TIME if friction.found[HELD] != 0.0 or at_instant > HOLD_EVENTS else -1.0
                corners = lay_sides_of(top, body, state, mode, sides, corners)
                if tracing:
                    note(top, body, work, trace, t, event, change, face, friction)
                if event in (EDGE_IMPACT, FACET_IMPACT, LANDING):
                    rest_face = face_to_settle(top, body, state, mode[0], mode[1], face)
                    new, place = settles(top, body, work, friction, result, settings, t, rest_face, sides)
                    if new >= 0:
                        mode[0], mode[1] = new, place
                        corners = lay_sides_of(top, body, state, mode, sides, corners)
                        if tracing:
                            note(top, body, work, trace, t, REST_EVENT, 0.0, NONE, friction)
                event, rest_face = NO_EVENT, NONE
        if event == EDGE_RELEASE:
            edge_pose(body.edges[mode[1]], state, state[ANGLE], state[RATE])
            pivot = top.edge_vertices[mode[1], face]
            move_pivot(body, state, top.edge_vertices[mode[1], 0], pivot)
            released_end, release_time, slipped = top.edge_vertices[mode[1], 1 - face], t, False
            mode[0], mode[1] = VERTEX, pivot
        elif event == EDGE_IMPACT:
            old = mode[1]
            if vertex == released_end and t - release_time < CHATTER_TIME and not slipped:
                # the release did not last: undone, and not an impact, as both ends stuck before it
                event, hold, released_end = NO_EVENT, t + HOLD_TIME, NONE
                w = state[W_X], state[W_Y], state[W_Z]
                w = plastic_edge(
                    body.scalars[MASS], inertia_of(body), point_of(body, old), point_of(body, vertex), w
                )
                state[W_X], state[W_Y], state[W_Z] = w
                mode[0], mode[1] = enter_edge(top, body, state, old, top.edge_of[old, vertex])
            else:
                released_end = NONE
                k = top.edge_of[old, vertex]
                mode[0], mode[1], change = land_edge(
                    top, body, state, result, law, old, vertex, settings.edge_zeno_time, a[0], a[1], a[2]
                )
                rest_face = flatter_face(top, body, state, k)
                lifted = old
        elif event == FACET_IMPACT:
            released_end = NONE
            mode[0], mode[1], change = land_on_face(
                top, body, state, result, law, mode[0], mode[1], face, sides
            )
            rest_face = face
        elif event == REST_EVENT:  # an uplift that came to nothing
            mode[0], mode[1] = enter_rest(top, body, state, top.edge_vertices[mode[1], 0], face, sides)
            event = NO_EVENT
        if tracing and (friction is None or not done):
            note(top, body, work, trace, t, event, change, face if event == FACET_IMPACT else NONE, friction)
        if rest_face >= 0 and mode[0] != REST:
            pivot = mode[1] if mode[0] == VERTEX else top.edge_vertices[mode[1], 0]
            if comes_to_rest(
                top, body, state, work.trial, pivot, rest_face, sides, settings, a[0], a[1], a[2]
            ):
                mode[0], mode[1] = enter_rest(top, body, state, pivot, rest_face, sides)
                if tracing:
                    note(top, body, work, trace, t, REST_EVENT, 0.0, NONE, friction)
        if mode[0] == REST:
            corners = top.face_first[mode[1] + 1] - top.face_first[mode[1]]
        if at_instant > INSTANT_EVENTS:
            outcome = INSTANT_LIMIT
            break
        if _impacts(result) > settings.max_impacts:
            outcome = IMPACT_LIMIT
            break
        if not isfinite(state[Q0] + state[W_X] + state[W_Y] + state[W_Z] + state[RATE]):
            outcome = NOT_FINITE
            break
    if tracing:
        note(top, body, work, trace, t, NO_EVENT, 0.0, NONE, friction)
    if record.has_overturned(result):
        outcome = OVERTURNED
        if settings.follow_fall:  # the fall says where the body ends, and nothing else
            steps = result[Response.STEPS]
            for i in range(result.size):
                result[i] = work.kept[i]
            result[Response.STEPS] = steps
    if mode[0] == REST:
        result[Response.FINAL_FACE] = mode[1]
    _report_position(top, body, work, result)
    if friction is not None:
        record.spend(result, last_mode, t - since)
        record.finish_friction(result, t, body.scalars[MASS])
    record.finish(result, outcome, t, slenderness)


@jit(inline=True, internal=True)
def _impacts(result):
    """Impacts so far, and flights."""
    return result[Response.EDGE_IMPACTS] + result[Response.FACET_IMPACTS] + result[Response.FLIGHTS]


@jit(inline=True, internal=True)
def _lands_off_base(top, body, event, vertex, face):
    """Whether a vertex that is none of the base touches the ground."""
    if event == EDGE_IMPACT:
        return not body.standing[vertex]
    for i in range(top.face_first[face], top.face_first[face + 1]):
        if not body.standing[top.face_vertices[i]]:
            return True
    return False


@jit(internal=True)
def _barrier(body, turn):
    """Energy that no overturning can do without [J]: on a slope less than on level ground by at most what its
    pull adds on the way of the centre of mass until it stands over a corner."""
    pull = sqrt(turn[3] * turn[3] + turn[4] * turn[4])
    return body.scalars[BARRIER] - body.scalars[MASS] * pull * body.scalars[SIZE]


@jit(internal=True)
def _energy(top, body, work, friction):
    """Mechanical energy above that of the body at the start [J]; no impact without gain adds to it."""
    state, mode, index = work.state, work.mode[0], work.mode[1]
    if friction is not None and not sticks(mode):
        weight = body.scalars[MASS] * body.scalars[GRAVITY]
        return moving_energy(body, state) + weight * (state[Z] - body.faces[body.start[0], F_HEIGHT])
    if mode == EDGE:
        edge_pose(body.edges[index], state, state[ANGLE], state[RATE])
    pivot = point_of(body, contact_vertex(top, mode, index))
    w = state[W_X], state[W_Y], state[W_Z]
    rise = -to_ground(state, pivot[0], pivot[1], pivot[2])[2] - body.faces[body.start[0], F_HEIGHT]
    weight = body.scalars[MASS] * body.scalars[GRAVITY]
    return kinetic_energy(body.scalars[MASS], inertia_of(body), pivot, w) + weight * rise


@jit(internal=True)
def _report_position(top, body, work, result):
    """Yaw and displacement of the base at the end of a run."""
    state, mode, index = work.state, work.mode[0], work.mode[1]
    if mode == EDGE:
        edge_pose(body.edges[index], state, state[ANGLE], state[RATE])
    pivot = contact_vertex(top, mode, index)
    dx, dy = base_displacement(body, state, pivot)
    result[Response.FINAL_YAW] = wrapped(2.0 * atan2(state[Q3], state[Q0]))
    result[Response.FINAL_DISPLACEMENT_X] = dx
    result[Response.FINAL_DISPLACEMENT_Y] = dy


@jit(internal=True)
def see_displacement(top, body, work, result):
    """Update the largest horizontal displacement of the base centre."""
    state, mode, index = work.state, work.mode[0], work.mode[1]
    if mode == EDGE:
        edge_pose(body.edges[index], state, state[ANGLE], state[RATE])
    x, y = base_displacement(body, state, contact_vertex(top, mode, index))
    result[Response.PEAK_DISPLACEMENT] = max(result[Response.PEAK_DISPLACEMENT], sqrt(x * x + y * y))


@jit(internal=True)
def base_displacement(body, state, pivot):
    """Horizontal displacement of the mean of the corners of the start face [m]."""
    s, v = body.scalars, body.vertices[pivot]
    x, y, _ = to_ground(state, s[BASE_X] - v[0], s[BASE_Y] - v[1], s[BASE_Z] - v[2])
    return state[P_X] + x - s[START_X], state[P_Y] + y - s[START_Y]


@jit(inline=True, internal=True)
def pull_down(batch, i):
    """Gravity across the ground under a realization [m/s2]."""
    return batch.gravity[i] * sqrt(1.0 - batch.slope[i, 0] ** 2 - batch.slope[i, 1] ** 2)


@jit(inline=True, internal=True)
def turn_of(batch, i, j):
    """What the motion of a run is made of, see `mcrock.kernel.shaking.load_segment`."""
    scale, azimuth, gravity = batch.scale[i, j], batch.azimuth[i], batch.gravity[i]
    return (
        scale * cos(azimuth),
        scale * sin(azimuth),
        scale,
        gravity * batch.slope[i, 0],
        gravity * batch.slope[i, 1],
    )


@jit
def run_part(top, body, motions, batch, settings, halved, tail, work, result, trace, out, friction):
    """Runs of consecutive realizations at all their intensities, into ``out`` (n, m, `Response`)."""
    for i in range(batch.mass.shape[0]):
        fill_constants(
            top, batch.mass[i], batch.inertia[i], batch.vertices[i], pull_down(batch, i),
            batch.start_face[i], body,
        )  # fmt: skip
        law = ImpactLaw(
            batch.impact[i],
            batch.redrawn[i],
            batch.quantiles,
            batch.face_parameters,
            batch.law[i],
            batch.energy_gain[i],
            batch.facet_fallback[i],
            batch.point,
            batch.seed,
            batch.number[i],
        )
        if friction is not None:
            for column in range(friction.values.size):
                friction.values[column] = batch.contact[i, column]
        motion = batch.record[i]
        t_end = end_of_run(motions, motion, tail)
        for j in range(batch.scale.shape[1]):
            turn = turn_of(batch, i, j)
            set_start(top, body, work, batch.start_edge[i], batch.start_tilt[i])
            run(
                top, body, motions, motion, turn, law, settings, t_end,
                work, result, trace, friction,
            )  # fmt: skip
            for column in range(out.shape[2]):
                out[i, j, column] = result[column]
            if batch.recheck[i]:
                set_start(top, body, work, batch.start_edge[i], batch.start_tilt[i])
                run(
                    top, body, motions, motion, turn, law, halved, t_end,
                    work, result, trace, friction,
                )  # fmt: skip
                out[i, j, Response.HALF_STEP_OUTCOME] = result[Response.OUTCOME]
