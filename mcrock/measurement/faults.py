"""Faults of a recording that is to be fitted: nothing in it, readings at the end of the range, gaps, a second
release, another unit or body."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mcrock.measurement.angles import rate_noise
from mcrock.measurement.landings import landings
from mcrock.measurement.recording import ALONG, QUIET, Recording

if TYPE_CHECKING:
    from mcrock.body import Body

Array = NDArray[np.float64]

FLAT = 3  # equal readings in a row at the largest of an axis: the end of the range of the sensor
LARGE = 0.5  # of the largest reading of all axes: an axis below it has not reached its range [1]
NOTHING = 5.0  # of the noise: what a thousand readings of noise alone seldom exceed [1]
ALIKE = 2.0  # ratio of energies up to which body and recording may be of one test [1]
MOVES = 0.1  # of the largest rate: a sensor whose rates differ by more does not rest [1]
HAND = 0.002  # the same where nobody says that it rests: a hand may turn the body before it lets go [1]
HELD = 0.5  # shortest rest that a bias is taken from, and how long before the release it ends [s]
NO_REST = "no rest before the release: a bias of the sensor is in all numbers; --still START END takes it out"
GAP = 3.5  # of the usual interval between samples: more than two are lost [1]
LOST = 1.5  # the same from which one is [1]
SPIKE = 2.0  # over the two readings on either side: no body turns so [1]
NOISE_REACHES = 4.0  # medians, of the speed of white noise in a million readings [1]


def check_readings(recording: Recording) -> None:
    """Refuse a recording of a test whose readings do not tell what the body did.

    Parameters
    ----------
    recording : Recording
        In axes of the sensor, from before the release to rest.

    Raises
    ------
    ValueError
        If nothing moves, an axis was clipped, or samples are missing.
    """
    readings = recording.angular_velocity
    noise = max(map(rate_noise, readings.T))
    if np.linalg.norm(readings, axis=1).max() < NOTHING * noise:
        raise ValueError(
            f"{recording.name}: no release in it: no rate is above {NOTHING:g} times the noise of "
            f"{noise:.3g} rad/s; give the recording of a test, or check its columns"
        )
    for axis, values in zip(ALONG, readings.T, strict=True):
        for end in (values.max(), values.min()):
            if abs(end) < LARGE * np.abs(readings).max():
                continue
            flat = np.convolve(values == end, np.ones(FLAT), "valid") >= FLAT
            if flat.any():
                raise ValueError(
                    f"{recording.name}: omega_{axis} is clipped: at {recording.time[int(flat.argmax())]:.4g} "
                    f"s {FLAT} readings or more in a row are {end:.6g} rad/s; choose a larger range of the "
                    "sensor"
                )
    steps = np.diff(recording.time)
    widest = int(steps.argmax())
    if steps[widest] > GAP * np.median(steps):
        raise ValueError(
            f"{recording.name}: samples are missing for {steps[widest]:.3g} s from "
            f"{recording.time[widest]:.4g} s on, and elsewhere there is one in {np.median(steps):.3g} s; a "
            "fit needs all of them"
        )


def check_spikes(recording: Recording) -> None:
    """Refuse a reading that stands alone and is as fast as half of all others: nothing finds a release then.

    Raises
    ------
    ValueError
        If there is one.
    """
    speed = np.linalg.norm(recording.angular_velocity, axis=1)
    around = [np.roll(speed, k) for k in (-2, -1, 1, 2)]
    alone = np.flatnonzero((speed > SPIKE * np.max(around, axis=0))[2:-2]) + 2
    for i in alone[np.argsort(-speed[alone])][:1]:
        if speed[i] >= max(LARGE * np.delete(speed, i).max(), NOISE_REACHES * np.median(speed)):
            k = int(np.abs(recording.angular_velocity[i]).argmax())
            raise ValueError(
                f"{recording.name}: a spike: at {recording.time[i]:.4g} s omega_{ALONG[k]} is "
                f"{recording.angular_velocity[i, k]:.4g} rad/s in a single reading, and at most "
                f"{np.max(around, axis=0)[i]:.3g} rad/s beside it; take the mean of its neighbours there"
            )


def lost_samples(recording: Recording) -> str | None:
    """What to say of samples that are missing one or two at a time, if any are."""
    steps = np.diff(recording.time) / np.median(np.diff(recording.time))
    lost = int(np.rint(steps[steps > LOST] - 1.0).sum())
    if not lost:
        return None
    share = 100.0 * lost / (lost + recording.time.size)
    return f"{lost} samples are missing, {share:.2g} %: rates are taken straight between those beside them"


def check_still(recording: Recording, begin: float, end: float) -> None:
    """Refuse times [s] between which the sensor does not rest, so that their mean is no bias.

    Raises
    ------
    ValueError
        If its rates differ there by more than its noise and a tenth of the largest of all, or there are none.
    """
    if not _rests(recording, begin, end, MOVES):
        raise ValueError(
            f"{recording.name}: the sensor does not rest from {begin:.4g} to {end:.4g} s: rates there "
            "are too large for a bias; check `--still`"
        )


def rest_before(recording: Recording) -> tuple[float, float] | None:
    """Start and end [s] of the rest before the release, for the bias; None if it is too short or is none."""
    begin, end = float(recording.time[0]), recording.motion()[0] - max(HELD, recording.slow_start())
    return (begin, end) if end - begin >= HELD and _rests(recording, begin, end, HAND) else None


def _rests(recording: Recording, begin: float, end: float, moves: float) -> bool:
    own, rates = recording.between(begin, end).angular_velocity, recording.angular_velocity
    most = moves * np.linalg.norm(rates, axis=1).max() + NOTHING * max(map(rate_noise, own.T))
    return bool(np.linalg.norm(own - own.mean(0), axis=1).max() <= most)


def later_motion(whole: Recording, part: Recording) -> str | None:
    """What to say of motion after the part that is fitted as fast as half of that in it, if there is any."""
    speed = np.linalg.norm(whole.angular_velocity, axis=1)
    most = float(np.linalg.norm(part.angular_velocity, axis=1).max())
    after = whole.time > part.time[-1]
    again = np.flatnonzero(after & (speed >= LARGE * most))
    if not again.size:
        return None
    quiet = np.flatnonzero(speed[: again[0]] <= QUIET * most)
    begin = whole.time[quiet[-1]] if quiet.size else whole.time[again[0]]
    return (
        f"the body moves again from {begin:.4g} s on, by a second release or a hand; the first motion is "
        f"fitted, up to {part.time[-1]:.4g} s"
    )


def check_motion(recording: Recording, body: Body, along: Array, across: Array) -> None:
    """Refuse a recording that cannot be of this body, released over this edge.

    What the body falls until its first impact and the rate that it has there go together by its energy: a
    rate in another unit changes both, and the square of the one grows faster than the other.

    Parameters
    ----------
    recording : Recording
        In axes of the body, from before the release to rest.
    body : Body
    along, across : ndarray (3,)
        Unit vectors along the edge, about which a positive turn lifts the body, and square to it, inwards.

    Raises
    ------
    ValueError
        If the body falls to the other side, its rates are in another unit, or it falls
        as another body.
    """
    rate = recording.angular_velocity @ along
    until = recording.time <= landings(recording.time, rate).landing[0]  # `alignment` refuses others
    fallen = -float(np.trapezoid(rate[until], recording.time[until]))
    fastest = float(np.abs(rate[until]).max())
    if fallen < 0.0:
        raise ValueError(
            f"{recording.name}: the body falls away from its base; it was released over the opposite edge, "
            "or two axes of the sensor point the other way: check `--edge` and `--axes`"
        )
    corner = body.vertices[list(body.faces[body.start_face])]
    edge = corner[(corner @ across).argmin()]
    width, height = -float(edge @ across), float(edge @ np.cross(along, across))
    inertia = float(along @ body.inertia @ along) + body.mass * (width**2 + height**2)

    def energies(factor: float) -> float:
        """Potential energy lost over kinetic energy gained, of rates times a factor."""
        angle = factor * fallen
        if angle > 1.1 * np.arctan2(width, abs(height)):
            return 0.0
        rise = width * np.sin(angle) - abs(height) * (1.0 - np.cos(angle))
        return 2.0 * body.mass * body.gravity * rise / (inertia * (factor * fastest) ** 2)

    def alike(factor: float) -> bool:
        return 1.0 / ALIKE < energies(factor) < ALIKE

    if alike(1.0):
        return
    for factor, is_unit, was_unit in ((np.pi / 180.0, "deg/s", "rad/s"), (180.0 / np.pi, "rad/s", "deg/s")):
        if alike(factor):
            raise ValueError(
                f"{recording.name}: rates of {fastest:.3g} rad/s after a fall of {fallen:.3g} rad are not of "
                f"this body, and are if they are in {is_unit}; say so in the header or by `--columns "
                f"'omega_x=HEADER [{is_unit}]'`, which is now {was_unit}"
            )
    raise ValueError(
        f"{recording.name}: rates of {fastest:.3g} rad/s after a fall of {fallen:.3g} rad are not of this "
        "body, by its energy; check the body of `--body`, the edge, and the units of time and rates"
    )
