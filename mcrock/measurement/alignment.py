"""How a sensor is turned on the body that carries it, from what it recorded."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.transform import Rotation
from scipy.stats import norm, t

from mcrock.base.params import GRAVITY
from mcrock.measurement.angles import rate_noise
from mcrock.measurement.landings import landings
from mcrock.measurement.recording import Recording

Array = NDArray[np.float64]

MOST = np.radians(30.0)  # between the edge and what the body first turns about [rad]


class Mounting(NamedTuple):
    """How a sensor sits on a body."""

    turn: Rotation  # from axes of the sensor to those of the body
    uncertainty: Array  # (3,) half widths of 95 % intervals about x, y and z of the body [rad]

    def __str__(self) -> str:
        x, y, z = np.degrees(self.uncertainty)
        return (
            f"the sensor is turned by {np.degrees(self.turn.magnitude()):.3g} deg on the body, to {x:.2g}, "
            f"{y:.2g} and {z:.2g} deg about x, y and z (95 %), by gravity and the first swing"
        )


def alignment(recording: Recording, along: ArrayLike, rest: tuple[float, float] | None = None) -> Rotation:
    """Turn from axes of a sensor to those of the body, for `Recording.turned`.

    Until the first landing the body turns about the edge over which it was released and about nothing else:
    the principal axis of what the sensor then records is that edge. What is left is a turn about the edge
    itself, which follows from gravity, as the accelerometer records it at rest on the base: `mounting`.

    Parameters
    ----------
    recording : Recording
        From shortly before the release; without ``rest`` its axes must be those of the body to some 30 deg.
    along : array_like (3,)
        Direction of the edge in axes of the body: from its vertex k to k + 1, as (0, 1, 0) is that of edge 0
        of a cuboid.
    rest : tuple of 2 float, optional
        Between these times the body stands on its base [s]. Without, the smallest turn is taken that brings
        the principal axis to the edge.

    Raises
    ------
    ValueError
        If ``rest`` is given and there is no acceleration, or the body first turns about another axis.
    """
    if rest is not None:
        return mounting(recording, recording, along, rest).turn
    edge = np.asarray(along, float) / np.linalg.norm(along)
    axis = _axis(recording.angular_velocity[: _fast(recording) + 1])
    off = float(np.arccos(np.clip(abs(axis @ edge), -1.0, 1.0)))
    if off > MOST:
        raise ValueError(
            f"{recording.name}: the body first turns about an axis that is {np.degrees(off):.0f} deg off the "
            "edge; check the edge, the axes of the sensor, and that the recording starts at the release"
        )
    swing = _swing(recording, edge)
    axis = _axis(swing)
    return Rotation.align_vectors([edge], [axis if axis @ edge > 0.0 else -axis])[0]


def mounting(part: Recording, whole: Recording, along: ArrayLike, rest: tuple[float, float]) -> Mounting:
    """How a sensor that was mounted anyhow is turned on the body, from gravity and the first swing.

    The edge is the axis about which the body first turns, and it falls: the turn about it is negative.
    Gravity gives what is left, a turn about the edge. The errors of both axes across the edge come from the
    noise of the gyroscope. That about the edge comes from the bias of the accelerometer square to edge and
    vertical, which nothing shows; but its biases along the edge and the vertical show, as the edge is level
    and gravity known. If the three are alike, the third lies within 4.30 times their root mean square in
    95 %: Student's t of two.

    Parameters
    ----------
    part, whole : Recording
        From shortly before the release to rest, and all of it, with acceleration.
    along : array_like (3,)
        As for `alignment`, a horizontal edge of the base on which the body rests.
    rest : tuple of 2 float
        Between these times of ``whole`` the body stands on its base [s].

    Raises
    ------
    ValueError
        Without acceleration, or if the body first turns about an axis that is not level.
    """
    if whole.acceleration is None:
        raise ValueError(f"{whole.name}: rest needs acceleration [m/s2], and there is none")
    forces = whole.between(*rest).acceleration
    assert forces is not None
    force = forces.mean(0)
    edge = np.asarray(along, float) / np.linalg.norm(along)
    axis = _falling(part.angular_velocity[: _fast(part) + 1])
    swing = _swing(part, axis)
    axis = _falling(swing)
    level, off = float(axis @ force), float(np.arcsin(abs(axis @ force) / np.linalg.norm(force)))
    if off > MOST:
        raise ValueError(
            f"{part.name}: the body first turns about an axis that is {np.degrees(off):.0f} deg off level; "
            f"check that it stands on its base from {rest[0]:g} to {rest[1]:g} s, that this acceleration has "
            "gravity in it, and that the recording starts at the release"
        )
    # the edge without compromise: the bias of an accelerometer is worth degrees
    turn = Rotation.align_vectors([edge, [0.0, 0.0, 1.0]], [axis, force], weights=[np.inf, 1.0])[0]
    noise = max(rate_noise(part.angular_velocity @ other) for other in turn.inv().apply(np.eye(3)))
    sides = norm.ppf(0.975) * noise / np.linalg.norm(swing @ axis)
    biases = np.array([level, np.linalg.norm(force) - GRAVITY]) / GRAVITY
    mean = forces.std(0).max() / np.sqrt(len(forces)) / GRAVITY
    about = t.ppf(0.975, 2) * np.hypot(np.sqrt((biases**2).mean()), mean)
    return Mounting(turn, np.hypot(edge * about, np.sqrt(1.0 - edge * edge) * sides))


def _fast(recording: Recording) -> int:
    """First sample with half of the largest rate."""
    speed = np.linalg.norm(recording.angular_velocity, axis=1)
    return int(np.argmax(speed >= 0.5 * speed.max()))


def _swing(recording: Recording, axis: Array) -> Array:
    """Rates until the first landing (n, 3)."""
    rate = recording.angular_velocity @ axis
    found = landings(recording.time, rate).landing
    if not found.size:
        raise ValueError(
            f"{recording.name}: no impact in it: the rate about the edge grows up to its end; record until "
            "the body is at rest again"
        )
    return recording.angular_velocity[recording.time < found[0]]


def _axis(rates: Array) -> Array:
    """Principal axis of angular velocities (n, 3)."""
    axis: Array = np.linalg.svd(rates, full_matrices=False)[2][0]
    return axis


def _falling(rates: Array) -> Array:
    """Principal axis, about which the rates are negative."""
    axis = _axis(rates)
    return axis if (rates @ axis).sum() < 0.0 else -axis
