"""Angular velocity of a body that rocks freely as a sensor on it feels it: in its own axes, with jumps."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.transform import Rotation

from mcrock.base.params import Mode
from mcrock.body import Body
from mcrock.kernel.contact import topology

if TYPE_CHECKING:
    from mcrock.simulation.run import Run

Array = NDArray[np.float64]
Codes = NDArray[np.int64]


class Rates(NamedTuple):
    """Angular velocity in axes of the body; where it jumps, twice: before and after."""

    time: Array  # (n,) [s]
    angular_velocity: Array  # (n, 3) [rad/s]


class Accelerations:
    """Angular acceleration of a body that turns freely about an edge or a vertex."""

    def __init__(self, body: Body) -> None:
        self.ends = topology(body.faces, len(body.vertices), body.base_faces).edge_vertices
        v = np.array(body.vertices)
        squares = (v * v).sum(1)[:, None, None] * np.eye(3)
        self.inertia: Array = body.inertia + body.mass * (squares - v[:, :, None] * v[:, None, :])
        self.vertices, self.weight = v, body.mass * body.gravity

    def __call__(self, mode: Codes, index: Codes, turn: Rotation, omega: Array) -> Array:
        """In axes of the body (n, 3) [rad/s2], by mode, orientation and angular velocity (n, 3) [rad/s]."""
        found = np.zeros_like(omega)
        down = turn.inv().apply([0.0, 0.0, -1.0])
        edge, vertex = mode == Mode.EDGE, mode == Mode.VERTEX
        pivot = np.where(edge, self.ends[np.where(edge, index, 0), 0], np.where(vertex, index, 0))
        moment = self.weight * np.cross(-self.vertices[pivot], down)
        inertia = self.inertia[pivot]
        spin = np.cross(omega, (inertia @ omega[..., None])[..., 0])
        found[vertex] = np.linalg.solve(inertia[vertex], (moment - spin)[vertex][..., None])[..., 0]
        ends = self.vertices[self.ends[index[edge]]]
        e = (ends[:, 1] - ends[:, 0]) / np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)[:, None]
        stiff = np.einsum("ni,nij,nj->n", e, inertia[edge], e)
        found[edge] = e * ((e * moment[edge]).sum(1) / stiff)[:, None]
        return found


def with_jumps(
    accelerations: Accelerations,
    time: Array,
    mode: Codes,
    index: Codes,
    orientation: Array,
    omega_ground: Array,
    events: ArrayLike,
) -> Rates:
    """Rates from the rows of a history, which has the state after each impact alone.

    The state before an impact follows from the row before it and the acceleration there: over the rest of a
    step that is exact to its square. Where several impacts fall into a step, it is taken to be linear.

    Parameters
    ----------
    accelerations : Accelerations
    time, mode, index, orientation, omega_ground
        Of the rows (n,), quaternions (n, 4) scalar first, angular velocity (n, 3) in ground axes [rad/s].
    events : array_like (k,)
        Times of the events [s].
    """
    turn = Rotation.from_quat(orientation, scalar_first=True)
    omega = turn.inv().apply(omega_ground)
    events = np.asarray(events, float)
    number = np.searchsorted(events, time, side="right")
    last = 1 + np.flatnonzero((np.diff(number) == 1) & (np.diff(time) > 0.0) & np.isin(time[1:], events))
    before = last - 1
    h = (time[last] - time[before])[:, None]
    slope = accelerations(mode[before], index[before], turn[before], omega[before])
    order = np.argsort(np.concatenate([np.arange(time.size), last - 0.5]), kind="stable")
    return Rates(
        np.concatenate([time, time[last]])[order], np.concatenate([omega, omega[before] + h * slope])[order]
    )


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
    return with_jumps(
        Accelerations(run.body),
        history["time"].values,
        history["mode"].values.astype(int),
        history["index"].values.astype(int),
        history["orientation"].values,
        history["angular_velocity"].values,
        [event["t"] for event in run.events],
    )
