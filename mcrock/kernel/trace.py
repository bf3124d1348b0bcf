"""What a run tells on request: a row of its history for every step, and its events."""

from __future__ import annotations

from math import atan2, sqrt
from typing import NamedTuple

import numpy as np

from mcrock.base.jit import jit
from mcrock.base.response import EventColumn, HistoryColumn
from mcrock.impact.varkonyi_2022 import kinetic_energy
from mcrock.kernel.contact import GRAVITY, MASS
from mcrock.kernel.dynamics import P_X, P_Y, Q0, Q1, Q2, Q3, V_X, V_Y, V_Z, W_X, W_Y, W_Z, Z
from mcrock.kernel.edge import posed
from mcrock.kernel.friction.state import moving_energy, sticks
from mcrock.kernel.modes import NONE, VERTEX, inertia_of, point_of
from mcrock.kernel.rotation import to_ground, vertical
from mcrock.kernel.step import EDGE_IMPACT, NO_EVENT


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
    pivot = posed(run)
    wx, wy, wz = to_ground(state, state[W_X], state[W_Y], state[W_Z])
    v = body.vertices[pivot]
    x, y, z = to_ground(state, -v[0], -v[1], -v[2])
    vx, vy, vz = wy * z - wz * y, wz * x - wx * z, wx * y - wy * x
    if friction.on and not sticks(mode):
        z, vx, vy, vz = state[Z], state[V_X], state[V_Y], state[V_Z]
    ux, uy, uz = vertical(state[Q0], state[Q1], state[Q2], state[Q3])
    tilt = atan2(sqrt(ux * ux + uy * uy), uz)
    if trace.used[0] < trace.history.shape[0]:
        row = trace.history[trace.used[0]]
        w = state[W_X], state[W_Y], state[W_Z]
        energy = kinetic_energy(body.scalars[MASS], inertia_of(body), point_of(body, pivot), w)
        if friction.on and not sticks(mode):
            energy = moving_energy(body, state)
        row[HistoryColumn.TIME], row[HistoryColumn.MODE], row[HistoryColumn.INDEX] = t, mode, index
        row[HistoryColumn.Q0], row[HistoryColumn.Q1] = state[Q0], state[Q1]
        row[HistoryColumn.Q2], row[HistoryColumn.Q3] = state[Q2], state[Q3]
        row[HistoryColumn.OMEGA_X], row[HistoryColumn.OMEGA_Y], row[HistoryColumn.OMEGA_Z] = wx, wy, wz
        row[HistoryColumn.COM_X], row[HistoryColumn.COM_Y] = state[P_X] + x, state[P_Y] + y
        row[HistoryColumn.COM_Z] = z
        row[HistoryColumn.ENERGY] = energy + body.scalars[MASS] * body.scalars[GRAVITY] * z
        row[HistoryColumn.TILT] = tilt
        row[HistoryColumn.VELOCITY_X], row[HistoryColumn.VELOCITY_Y] = vx, vy
        row[HistoryColumn.VELOCITY_Z] = vz
    trace.used[0] += 1
    if kind != NO_EVENT:
        _add_event(trace, t, kind, (mode, index, face), (change, tilt), ((wx, wy, wz), (vx, vy, vz)))


@jit(internal=True)
def note_impact(body, trace, t, state, w, pivot, change):
    """Add an edge impact to the event list alone: ``pivot`` has landed, the body turns about it with ``w`` in
    body axes [rad/s], and ``state`` has its pose."""
    v = body.vertices[pivot]
    wx, wy, wz = to_ground(state, w[0], w[1], w[2])
    x, y, z = to_ground(state, -v[0], -v[1], -v[2])
    speed = wy * z - wz * y, wz * x - wx * z, wx * y - wy * x
    ux, uy, uz = vertical(state[Q0], state[Q1], state[Q2], state[Q3])
    tilt = atan2(sqrt(ux * ux + uy * uy), uz)
    _add_event(trace, t, EDGE_IMPACT, (VERTEX, pivot, NONE), (change, tilt), ((wx, wy, wz), speed))


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
