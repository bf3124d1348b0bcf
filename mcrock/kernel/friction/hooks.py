"""Where friction enters the driver: the start of a run, the time between steps, a step, an event.

Rest asks `friction.rest` when a slip begins; edge, vertex, windows and trains compare the forces of contacts
that stick with Coulomb's bound.
"""

from __future__ import annotations

from mcrock.base.jit import jit
from mcrock.base.response import Response
from mcrock.kernel import results
from mcrock.kernel.dynamics import RATE
from mcrock.kernel.ending import PAINLEVE, see_displacement
from mcrock.kernel.friction.advance import LANDING, advance_slip
from mcrock.kernel.friction.events import (
    CHATTER_TIME,
    change_contacts,
    face_to_settle,
    lay_sides_of,
    opened_end,
    settle_event,
    settles,
)
from mcrock.kernel.friction.state import CREEP, CREEPS_IN, HELD, clear_friction, sticks, stopped_within
from mcrock.kernel.friction.sticking import plainly_sticks
from mcrock.kernel.modes import EDGE, FLIGHT, NONE, VERTEX, VERTEX_SLIP
from mcrock.kernel.shaking import END
from mcrock.kernel.step import (
    EDGE_IMPACT,
    EDGE_RELEASE,
    FACET_IMPACT,
    HOLD_TIME,
    NO_EVENT,
    REST_EVENT,
    STATIC,
    UPLIFT,
)
from mcrock.kernel.trace import note

HOLD_EVENTS = 20  # events at one instant before the ends of an edge are held
BEND, MOST_BEND = 10.0, 0.3  # turn of a slip in a step, over the step of `Controls` and at most [rad]


@jit(internal=True)
def begin_friction(run):
    """What slip and flight need in addition; a body that starts with a slip decides which contacts slip."""
    friction, result = run.friction, run.result
    run.grip, run.bend = friction.values[STATIC] ** 2, min(BEND * run.settings.step, MOST_BEND)
    clear_friction(friction)
    friction.found[CREEP] = stopped_within(run.body, friction, CREEPS_IN * run.settings.edge_zeno_time)
    if not sticks(run.mode) and run.mode != FLIGHT:
        run.mode, run.place, _ = change_contacts(run, False)
        lay_sides_of(run)
        results.see_slip(result, run.t)
    if run.mode == FLIGHT:
        result[Response.FLIGHTS] = 1.0


@jit(internal=True)
def see_passage(run):
    """Times, flights and displacements of a run with friction since the step before."""
    result, state, mode = run.result, run.state, run.mode
    results.spend(result, run.last_mode, run.t - run.since)
    if run.event == UPLIFT:  # from rest: nothing has moved
        run.since, run.last_mode = run.t, mode
        return
    turned = mode != EDGE or run.place != run.last_place or state[RATE] * run.swing <= 0.0
    if turned and (mode != run.last_mode or run.t != run.since):
        # on an edge the base moves along a line: it is farthest at its ends
        see_displacement(run)
    run.swing, run.last_place = state[RATE], run.place
    if run.last_mode == FLIGHT:
        result[Response.LONGEST_FLIGHT] = max(result[Response.LONGEST_FLIGHT], run.t - run.took_off)
    if mode == FLIGHT and (run.last_mode != FLIGHT or run.bounced):
        result[Response.FLIGHTS] += 1.0
        run.took_off = run.t
    run.since, run.last_mode, run.bounced = run.t, mode, 0


@jit(internal=True)
def step_slip(run, h):
    """A step of a mode with slip or of flight."""
    whole, to_end = h, h == run.segment[END] - run.t
    run.friction.found[HELD] = 1.0 if run.t < run.held_until else 0.0
    if run.t < run.held_until:
        h = min(h, run.held_until - run.t)
    h, run.event, run.count = advance_slip(run, h)
    run.vertex, run.face, run.to_end = run.friction.touching[0], NONE, to_end and h == whole
    return h


@jit(internal=True)
def takes_over(run, quantiles, trace):
    """Let an event change the contacts by the laws of friction; False where they stick through it, which is
    left to the kernel without friction."""
    if run.event == EDGE_IMPACT and plainly_sticks(run, quantiles, run.vertex):
        return False
    chatter = run.vertex == run.released_end and run.t - run.release_time < CHATTER_TIME
    before, place = run.mode, run.place
    done, event, run.change, face = settle_event(
        run, quantiles, run.event, run.vertex, run.face, run.count, chatter
    )
    if not done:
        return False
    run.event = NO_EVENT
    if run.mode < 0:
        run.outcome = PAINLEVE
        return True
    if event == EDGE_RELEASE:
        run.released_end, run.release_time = opened_end(run.body, before, place, run.place), run.t
        run.slipped = before != EDGE
    elif run.place != place or run.mode not in (VERTEX, VERTEX_SLIP):
        run.released_end = NONE
    run.bounced = event == LANDING and run.mode == FLIGHT
    held = run.friction.found[HELD] != 0.0 or run.at_instant > HOLD_EVENTS
    run.held_until = run.t + HOLD_TIME if held else -1.0
    lay_sides_of(run)
    note(run, trace, event, run.change, face)
    if event in (EDGE_IMPACT, FACET_IMPACT, LANDING):
        rest_face = face_to_settle(run.body, run.state, run.mode, run.place, face)
        mode, place = settles(run, rest_face)
        if mode >= 0:
            run.mode, run.place = mode, place
            lay_sides_of(run)
            note(run, trace, REST_EVENT, 0.0, NONE)
    return True
