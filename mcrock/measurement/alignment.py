"""How a sensor is turned on the body that carries it, from what it recorded."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.transform import Rotation

from mcrock.measurement.landings import landings
from mcrock.measurement.recording import Recording

Array = NDArray[np.float64]

MOST = np.radians(30.0)  # between the edge and what the body first turns about [rad]


def alignment(recording: Recording, along: ArrayLike, rest: tuple[float, float] | None = None) -> Rotation:
    """Turn from axes of a sensor to those of the body, for `Recording.turned`.

    Until the first landing the body turns about the edge over which it was released and about nothing else:
    the principal axis of what the sensor then records is that edge. What is left is a turn about the edge
    itself, which follows from gravity, as the accelerometer records it at rest on the base.

    Parameters
    ----------
    recording : Recording
        From shortly before the release; its axes must be those of the body to some 30 deg.
    along : array_like (3,)
        Direction of the edge in axes of the body: from its vertex k to k + 1, as (0, 1, 0) is that of edge 0
        of a cuboid.
    rest : tuple of 2 float, optional
        Between these times the body stands on its base [s]. Without, and without acceleration, the smallest
        turn is taken that brings the principal axis to the edge.

    Raises
    ------
    ValueError
        If ``rest`` is given and there is no acceleration, or the body first turns about another axis.
    """
    edge = np.asarray(along, float) / np.linalg.norm(along)
    speed = np.linalg.norm(recording.angular_velocity, axis=1)
    fast = int(np.argmax(speed >= 0.5 * speed.max()))
    off = _angle(_axis(recording.angular_velocity[: fast + 1], edge), edge)
    if off > MOST:
        raise ValueError(
            f"{recording.name}: the body first turns about an axis that is {np.degrees(off):.0f} deg off the "
            "edge; check the edge, the axes of the sensor, and that the recording starts at the release"
        )
    rate = recording.angular_velocity @ edge
    swing = recording.angular_velocity[recording.time < landings(recording.time, rate).landing[0]]
    axis = _axis(swing, edge)
    if rest is None:
        return Rotation.align_vectors([edge], [axis])[0]
    if recording.acceleration is None:
        raise ValueError(f"{recording.name}: rest needs acceleration [m/s2], and there is none")
    up = recording.between(*rest).acceleration
    assert up is not None
    # the edge without compromise: the bias of an accelerometer is worth degrees
    return Rotation.align_vectors([edge, [0.0, 0.0, 1.0]], [axis, up.mean(0)], weights=[np.inf, 1.0])[0]


def _axis(rates: Array, edge: Array) -> Array:
    """Principal axis of angular velocities (n, 3), to the side of the edge."""
    axis: Array = np.linalg.svd(rates, full_matrices=False)[2][0]
    return axis if axis @ edge > 0.0 else -axis


def _angle(axis: Array, other: Array) -> float:
    return float(np.arccos(np.clip(axis @ other, -1.0, 1.0)))
