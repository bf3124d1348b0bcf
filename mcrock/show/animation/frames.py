"""Frames of an animation: pose, contact and events of a run, at even times."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from mcrock.base.params import Mode
from mcrock.body import rotation_matrix
from mcrock.kernel.contact import topology
from mcrock.show.contacts import FLAT, ON_EDGE, ON_VERTEX
from mcrock.show.history import moving_span
from mcrock.show.solid import Array, solid_of

if TYPE_CHECKING:
    from mcrock.body import Body
    from mcrock.simulation.runs import Run


@dataclass(frozen=True, slots=True, eq=False)
class Frames:
    """A run at the frames of its animation.

    Attributes
    ----------
    time : ndarray (n,)
        [s].
    orientation : ndarray (n, 4)
        Quaternions, scalar first, body to ground.
    com : ndarray (n, 3)
        Centre of mass in the ground frame [m].
    tilt : ndarray (n,)
        Angle between body axis and vertical [rad].
    mode, index : ndarray (n,)
        Contact, as in the history.
    contacts : list of tuple of int
        Vertices in contact.
    happened : ndarray (n,)
        Number of events up to the frame.
    points : ndarray (n, n_vertex, 3)
        Vertices of the solid in the ground frame [m].
    base : ndarray (n, 3)
        Centre of the face on which the body started, in the ground frame [m].
    """

    time: Array
    orientation: Array
    com: Array
    tilt: Array
    mode: NDArray[np.int64]
    index: NDArray[np.int64]
    contacts: list[tuple[int, ...]]
    happened: NDArray[np.int64]
    points: Array
    base: Array

    def __len__(self) -> int:
        return len(self.time)


def pick_span(run: Run, span: tuple[float, float] | None) -> tuple[float, float]:
    """Span of time to show [s]: as asked for, or the part in which something happens.

    Raises
    ------
    ValueError
        If the run has no history, or the span is empty or outside it.
    """
    time = run.history["time"].values
    if len(time) < 2:
        raise ValueError("the run has no history to animate; simulate with history=True")
    if span is None:
        return moving_span(run)
    begin, end = float(span[0]), float(span[1])
    if not time[0] <= begin < end <= time[-1]:
        raise ValueError(
            f"span must be two times (start, end) with {time[0]:g} <= start < end <= {time[-1]:.6g} s, "
            f"as long as the run, got ({begin:g}, {end:g})"
        )
    return begin, end


def frame_times(span: tuple[float, float], step: float) -> Array:
    """Times of the frames: every ``step`` [s] from the start of the span, and its end.

    >>> frame_times((0.0, 1.0), 0.4).tolist()
    [0.0, 0.4, 0.8, 1.0]
    """
    begin, end = span
    number = max(1, ceil((end - begin) / step - 1e-9))
    return np.append(begin + step * np.arange(number), end)


def sample_run(run: Run, body: Body, times: ArrayLike) -> Frames:
    """A run at given times [s], between the rows of its history by interpolation.

    Parameters
    ----------
    run : Run
        With its history.
    body : Body
        The body that it was made with.
    times : array_like (n,)
        Within the history [s].

    Notes
    -----
    Contact changes at rows of the history only, and the pose is continuous there: orientations
    turn evenly from row to row, the centre of mass moves straight, and the lowest vertex is kept on
    the ground, or in flight above it.
    """
    history, solid = run.history, solid_of(body)
    times = np.asarray(times, float)
    row = np.searchsorted(history["time"].values, times, side="right") - 1
    row = np.clip(row, 0, history.sizes["time"] - 1)
    orientation, com = _poses(history, times, row)
    turned = np.einsum("nij,vj->nvi", rotation_matrix(orientation), solid.vertices)
    mode, index = history["mode"].values[row].astype(int), history["index"].values[row].astype(int)
    on_ground = -turned[:, : len(body.vertices), 2].min(axis=1)
    com[:, 2] = np.where(mode == Mode.FLIGHT, np.maximum(com[:, 2], on_ground), on_ground)
    points = turned + com[:, None, :]
    up = 1.0 - 2.0 * (orientation[:, 1] ** 2 + orientation[:, 2] ** 2)
    return Frames(
        time=times,
        orientation=orientation,
        com=com,
        tilt=np.arccos(np.clip(up, -1.0, 1.0)),
        mode=mode,
        index=index,
        contacts=_contacts(body, mode, index),
        happened=np.searchsorted([event["t"] for event in run.events], times, side="right"),
        points=points,
        base=points[:, list(body.faces[body.start_face])].mean(axis=1),
    )


def _poses(history: xr.Dataset, times: Array, row: NDArray[np.int64]) -> tuple[Array, Array]:
    """Orientations (n, 4) and centres of mass (n, 3) [m] at times [s] that follow the given rows."""
    time, q, com = (history[name].values for name in ("time", "orientation", "com"))
    after = np.minimum(row + 1, len(time) - 1)
    step = time[after] - time[row]
    share = np.clip(np.divide(times - time[row], step, out=np.zeros(len(row)), where=step > 0), 0.0, 1.0)
    a, b = q[row], q[after]
    cosine = (a * b).sum(axis=1)
    b = b * np.where(cosine < 0.0, -1.0, 1.0)[:, None]
    angle = 2.0 * np.arcsin(np.clip(0.5 * np.linalg.norm(b - a, axis=1), 0.0, 1.0))  # exact for small ones
    weights = [np.sinc(part * angle / np.pi) * part / np.sinc(angle / np.pi) for part in (1.0 - share, share)]
    between = weights[0][:, None] * a + weights[1][:, None] * b
    between /= np.linalg.norm(between, axis=1)[:, None]
    return between, com[row] + share[:, None] * (com[after] - com[row])


def _contacts(body: Body, mode: NDArray[np.int64], index: NDArray[np.int64]) -> list[tuple[int, ...]]:
    """Vertices in contact, for each pair of mode and index."""
    edges = topology(body.faces, len(body.vertices)).edge_vertices.tolist()

    def in_contact(mode: int, index: int) -> tuple[int, ...]:
        if mode in FLAT:
            return tuple(body.faces[index])
        if mode in ON_EDGE:
            return tuple(edges[index])
        return (index,) if mode in ON_VERTEX else ()

    return [in_contact(m, i) for m, i in zip(mode.tolist(), index.tolist(), strict=True)]
