"""What a run tells on request, its history and events; how it ends, and where the body is then."""

from __future__ import annotations

from math import atan2, cos, isfinite, sqrt
from typing import NamedTuple

import numpy as np

from mcrock.base.jit import jit
from mcrock.base.params import EventColumn, HistoryColumn, Response
from mcrock.impact.planar import PROJECT
from mcrock.impact.varkonyi_2022 import kinetic_energy
from mcrock.kernel import codes, results
from mcrock.kernel.dynamics import NONE, angular_velocity, inertia_of, on_rim, orientation
from mcrock.kernel.edge import touching_point
from mcrock.kernel.friction.motion import moving_energy, sticks
from mcrock.kernel.results import impacts
from mcrock.kernel.rotation import to_ground, vertical, wrapped


class Trace(NamedTuple):
    """Room for the history and the events of one run; of length 0 nothing is kept."""

    history: np.ndarray  # (n, `HistoryColumn`)
    events: np.ndarray  # (n, `EventColumn`)
    used: np.ndarray  # (2,) rows of each written, past the end if there was no room


def empty_trace(rows: int, events: int) -> Trace:
    """Room for ``rows`` of history and a number of ``events``."""
    return Trace(
        np.zeros((rows, len(HistoryColumn))),
        np.zeros((events, len(EventColumn))),
        np.zeros(2, dtype=np.int64),
    )


@jit(inline=True, internal=True)
def note(run, trace, kind, change, face):
    """`write_note` where the run keeps a history."""
    if trace.history.shape[0] > 0:
        write_note(run, trace, kind, change, face)


@jit(internal=True)
def write_note(run, trace, kind, change, face):
    """Add the present state to the history, and to the event list if ``kind`` is an event; ``face``
    is the one that lands."""
    body, t, friction = run.body, run.t, run.friction
    state, mode, index = run.state, run.mode, run.place
    if mode == codes.VERTEX_SLIP and on_rim(body, mode, index):
        mode, index = codes.ROLL_SLIP, body.start
    v = touching_point(run)
    wx, wy, wz = to_ground(orientation(state), state.w_x, state.w_y, state.w_z)
    x, y, z = to_ground(orientation(state), -v[0], -v[1], -v[2])
    vx, vy, vz = wy * z - wz * y, wz * x - wx * z, wx * y - wy * x
    if friction.on and not sticks(mode):
        z, vx, vy, vz = state.z, state.v_x, state.v_y, state.v_z
    ux, uy, uz = vertical(orientation(state))
    tilt = atan2(sqrt(ux * ux + uy * uy), uz)
    if trace.used[0] < trace.history.shape[0]:
        row = trace.history[trace.used[0]]
        w = angular_velocity(state)
        energy = kinetic_energy(body.mass, inertia_of(body), v, w)
        if friction.on and not sticks(mode):
            energy = moving_energy(body, state)
        row[HistoryColumn.TIME], row[HistoryColumn.MODE], row[HistoryColumn.INDEX] = t, mode, index
        row[HistoryColumn.Q0], row[HistoryColumn.Q1] = state.q0, state.q1
        row[HistoryColumn.Q2], row[HistoryColumn.Q3] = state.q2, state.q3
        row[HistoryColumn.OMEGA_X], row[HistoryColumn.OMEGA_Y], row[HistoryColumn.OMEGA_Z] = wx, wy, wz
        row[HistoryColumn.COM_X], row[HistoryColumn.COM_Y] = state.p_x + x, state.p_y + y
        row[HistoryColumn.COM_Z] = z
        row[HistoryColumn.ENERGY] = energy + body.mass * body.gravity * z
        row[HistoryColumn.TILT] = tilt
        row[HistoryColumn.VELOCITY_X], row[HistoryColumn.VELOCITY_Y] = vx, vy
        row[HistoryColumn.VELOCITY_Z] = vz
    trace.used[0] += 1
    if kind != codes.NO_EVENT:
        _add_event(trace, t, kind, (mode, index, face), (change, tilt), ((wx, wy, wz), (vx, vy, vz)))


@jit(internal=True)
def note_impact(body, trace, t, state, w, pivot, change):
    """Add an edge impact to the event list alone: ``pivot`` has landed, the body turns about it with ``w`` in
    body axes [rad/s], and ``state`` has its pose."""
    v = body.vertices[pivot]
    wx, wy, wz = to_ground(orientation(state), w[0], w[1], w[2])
    x, y, z = to_ground(orientation(state), -v[0], -v[1], -v[2])
    speed = wy * z - wz * y, wz * x - wx * z, wx * y - wy * x
    ux, uy, uz = vertical(orientation(state))
    tilt = atan2(sqrt(ux * ux + uy * uy), uz)
    _add_event(
        trace, t, codes.EDGE_IMPACT, (codes.VERTEX, pivot, NONE), (change, tilt), ((wx, wy, wz), speed)
    )


@jit(internal=True)
def _add_event(trace, t, kind, place, scalars, velocities):
    if trace.used[1] < trace.events.shape[0]:
        row = trace.events[trace.used[1]]
        row[EventColumn.TIME], row[EventColumn.KIND] = t, kind
        row[EventColumn.MODE], row[EventColumn.INDEX], row[EventColumn.FACE] = place
        row[EventColumn.OMEGA_X], row[EventColumn.OMEGA_Y], row[EventColumn.OMEGA_Z] = velocities[0]
        row[EventColumn.ENERGY_CHANGE], row[EventColumn.TILT] = scalars
        row[EventColumn.VELOCITY_X], row[EventColumn.VELOCITY_Y], row[EventColumn.VELOCITY_Z] = velocities[1]
    trace.used[1] += 1


@jit(inline=True, internal=True)
def check_limits(run):
    """Give a run up that gets nowhere."""
    state = run.state
    if run.outcome != codes.NOT_RUN:
        return
    if run.at_instant > INSTANT_EVENTS:
        run.outcome = codes.INSTANT_LIMIT
    elif impacts(run.result) > run.settings.max_impacts:
        run.outcome = codes.IMPACT_LIMIT
    elif run.friction.on and run.friction.found.solved > run.settings.max_contact_solves:
        run.outcome = codes.CONTACT_LIMIT
    elif not isfinite(state.q0 + state.w_x + state.w_y + state.w_z + state.rate):
        run.outcome = codes.NOT_FINITE


@jit(internal=True)
def finish(run):
    """Turn what was kept on the way into the results of the run."""
    result = run.result
    if results.has_overturned(result):
        run.outcome = codes.OVERTURNED
        if run.settings.follow_fall:  # the fall says where the body ends, and nothing else
            steps = result[Response.STEPS]
            for i in range(result.size):
                result[i] = run.kept[i]
            result[Response.STEPS] = steps
    if run.mode == codes.REST:
        result[Response.FINAL_FACE] = run.place
    _report_position(run)
    if run.friction.on:
        results.spend(result, run.last_mode, run.t - run.since)
        result[Response.CONTACT_SOLVES] = run.friction.found.solved
        results.finish_friction(result, run.t, run.body.mass)
    results.finish(result, run.outcome, run.t, run.body.slenderness)


@jit(internal=True)
def outcome_of_time(run, shaken):
    """What a run that comes to the end of its time is: the ground stays still from ``shaken`` [s] on."""
    if run.t < shaken:  # later shaking may do anything
        return codes.ROCKING
    if run.mode == codes.REST:
        return codes.AT_REST
    kinetic, potential = _energies(run)
    below = run.law.energy_gain == PROJECT and kinetic + potential < run.body.barrier - _lent(run)
    stands = (below and not _leans_over(run)) or _goes_round(run)
    return codes.SETTLING if stands else codes.ROCKING


ALIKE = 1e-9  # moments of inertia, or places, that differ by less are the same, over the largest [1]


@jit(internal=True)
def _goes_round(run):
    """Whether a body of revolution that rolls on its rim without loss has come down twice on still ground.

    Its energy and the two linear integrals of its rolling then make of its tilt a motion of one degree of
    freedom, which goes on as it has been (Chaplygin, S. A. (1897). On a motion of a heavy body of revolution
    on a horizontal plane).
    """
    body, i = run.body, run.body.inertia
    if run.mode != codes.ROLL or run.sweeps < run.calm + 2 or run.rolling_loss > 0.0 or run.clearance > 0.0:
        return False
    off = max(abs(i[0] - i[3]), abs(i[1]), abs(i[2]), abs(i[4]))
    centred = max(abs(body.base_x), abs(body.base_y)) <= ALIKE * body.rim
    return off <= ALIKE * i[0] and centred and run.turn[3] == 0.0 and run.turn[4] == 0.0


@jit(internal=True)
def is_over(run):
    """Whether the ground stays still and too little energy is left to overturn, and to rise as high again as
    the body has been."""
    if run.mode == codes.REST or results.has_overturned(run.result):
        return False
    kinetic, potential = _energies(run)
    run.highest = max(run.highest, potential)
    if run.t < run.shaken or run.law.energy_gain != PROJECT or _leans_over(run):
        return False
    return kinetic + potential < min(run.body.barrier, LOWER * run.highest) - _lent(run)


@jit(internal=True)
def _leans_over(run):
    """Whether the body may be past the pose from which it falls, whatever its energy, as it started there or
    slip took energy on the way: it leans further than a body that stands can."""
    q = run.state
    return vertical(orientation(q))[2] < cos(run.body.slenderness)


@jit(internal=True)
def _lent(run):
    """Energy that the pull of a slope adds at most on the way of the centre of mass until it stands over a
    corner [J]."""
    body, turn = run.body, run.turn
    return body.mass * sqrt(turn[3] * turn[3] + turn[4] * turn[4]) * body.radius


@jit(internal=True)
def _energies(run):
    """Kinetic and potential energy above those of the body at the start [J]; no impact without gain adds to
    their sum."""
    body, state = run.body, run.state
    weight, level = body.mass * body.gravity, body.faces[body.start].height
    if run.friction.on and not sticks(run.mode):
        return moving_energy(body, state), weight * (state.z - level)
    pivot, w = touching_point(run), angular_velocity(state)
    rise = -to_ground(orientation(state), pivot[0], pivot[1], pivot[2])[2] - level
    return kinetic_energy(body.mass, inertia_of(body), pivot, w), weight * rise


@jit(internal=True)
def _report_position(run):
    """Yaw and displacement of the base at the end of a run."""
    result, state = run.result, run.state
    result[Response.FINAL_DISPLACEMENT_X], result[Response.FINAL_DISPLACEMENT_Y] = _base_displacement(run)
    result[Response.FINAL_YAW] = wrapped(2.0 * atan2(state.q3, state.q0))


@jit(internal=True)
def see_displacement(run):
    """Update the largest horizontal displacement of the base centre."""
    x, y = _base_displacement(run)
    run.result[Response.PEAK_DISPLACEMENT] = max(run.result[Response.PEAK_DISPLACEMENT], sqrt(x * x + y * y))


@jit(internal=True)
def _base_displacement(run):
    """Horizontal displacement of the mean of the corners of the start face [m]."""
    state, body = run.state, run.body
    v = touching_point(run)
    x, y, _ = to_ground(orientation(state), body.base_x - v[0], body.base_y - v[1], body.base_z - v[2])
    return state.p_x + x - body.start_x, state.p_y + y - body.start_y


LOWER = 0.999  # energy left where a run may stop, over its largest potential energy: no error of steps [1]
INSTANT_EVENTS = 200  # events at one instant before the run is given up
