"""Angular velocity of a body that rocks freely as a sensor on it feels it: in its own axes, with jumps."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mcrock.base.response import HistoryColumn
from mcrock.body import Body
from mcrock.kernel.contact import topology
from mcrock.measurement.readings import INDEX, MODE, OMEGA_X, Q0, Q3, TIME, fill_rates

if TYPE_CHECKING:
    from mcrock.simulation.run import Run

Array = NDArray[np.float64]
Codes = NDArray[np.int64]


class Rates(NamedTuple):
    """Angular velocity in axes of the body; where it jumps, twice: before and after."""

    time: Array  # (n,) [s]
    angular_velocity: Array  # (n, 3) [rad/s]


class Pivots(NamedTuple):
    """What turns a body about its vertices and edges, in its own axes."""

    vertices: Array  # (n, 3) from the centre of mass [m]
    inertia: Array  # (n, 3, 3) about each vertex [kg m2]
    inverse: Array  # (n, 3, 3) of that [1/(kg m2)]
    ends: Codes  # (k, 2) vertices of each edge
    along: Array  # (k, 3) unit vectors
    stiffness: Array  # (k,) moment of inertia about the edge [kg m2]
    weight: float  # [N]


def pivots_of(body: Body) -> Pivots:
    """Constants of a body for `with_jumps`."""
    ends = topology(body.faces, len(body.vertices), body.base_faces).edge_vertices.astype(np.int64)
    v = np.array(body.vertices)
    squares = (v * v).sum(1)[:, None, None] * np.eye(3)
    inertia = body.inertia + body.mass * (squares - v[:, :, None] * v[:, None, :])
    along = v[ends[:, 1]] - v[ends[:, 0]]
    along /= np.linalg.norm(along, axis=1)[:, None]
    stiffness = np.einsum("ni,nij,nj->n", along, inertia[ends[:, 0]], along)
    return Pivots(v, inertia, np.linalg.inv(inertia), ends, along, stiffness, body.mass * body.gravity)


def with_jumps(pivots: Pivots, history: Array, events: Array) -> Rates:
    """Rates from the rows of a history, which has the state after each impact alone.

    The state before an impact follows from the row before it and the acceleration there: over the rest of a
    step that is exact to its square. Where several impacts fall into a step, it is taken to be linear.

    Parameters
    ----------
    pivots : Pivots
    history : ndarray (n, k)
        Rows with the columns of `HistoryColumn`.
    events : ndarray (m,)
        Times of the events [s].
    """
    most = len(history) + len(events)
    time, rates = np.empty(most), np.empty((most, 3))
    used = fill_rates(pivots, history, events, time, rates)
    return Rates(time[:used], rates[:used])


def rates_in_body(run: Run) -> Rates:
    """Angular velocity of a run of free rocking in axes of its body, with its jumps.

    Parameters
    ----------
    run : Run
        Without motion of the ground, with its history.

    Raises
    ------
    ValueError
        If the run has no history.
    """
    history = run.history
    if history.sizes["time"] < 2:
        raise ValueError("the run has no history to read; simulate with history=True")
    rows = np.zeros((history.sizes["time"], len(HistoryColumn)))
    rows[:, TIME] = history["time"]
    rows[:, MODE], rows[:, INDEX] = history["mode"], history["index"]
    rows[:, Q0 : Q3 + 1], rows[:, OMEGA_X : OMEGA_X + 3] = history["orientation"], history["angular_velocity"]
    return with_jumps(pivots_of(run.body), rows, np.array([event["t"] for event in run.events], float))
