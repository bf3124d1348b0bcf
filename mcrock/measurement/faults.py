"""Faults of a recording that is to be fitted: readings at the end of the range, gaps, a second release."""

from __future__ import annotations

import numpy as np

from mcrock.measurement.recording import ALONG, QUIET, Recording

FLAT = 3  # equal readings in a row at the largest of an axis: the end of the range of the sensor
LARGE = 0.5  # of the largest reading of all axes: an axis below it has not reached its range [1]
GAP = 3.5  # of the usual interval between samples: more than two are lost [1]


def check_readings(recording: Recording) -> None:
    """Refuse a recording of a test whose readings do not tell what the body did.

    Parameters
    ----------
    recording : Recording
        In axes of the sensor, from before the release to rest.

    Raises
    ------
    ValueError
        If an axis was clipped, or samples are missing.
    """
    readings = recording.angular_velocity
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
