"""How strong a motion is: the number a study scales its records to.

The intensity of a pair is the geometric mean of its two components as they were recorded. It is
taken before any rotation, so that turning a pair does not change how far it is scaled.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from mcrock.excitation.motion import FloatArray, Motion, MotionError


def peak_acceleration(acceleration: FloatArray, dt: float) -> float:
    """Largest absolute acceleration of one component (n_time,) [m/s2], given in [m/s2]."""
    return float(np.abs(acceleration).max())


def peak_velocity(acceleration: FloatArray, dt: float) -> float:
    """Largest absolute velocity of one component (n_time,) [m/s2], from rest: [m/s].

    Exact for the acceleration that is linear between samples `dt` [s] apart: the velocity is then
    a parabola on each step, with its extreme either at a sample or where the acceleration is zero.

    >>> peak_velocity(np.array([1.0, -1.0]), dt=1.0)
    0.25
    """
    before, after = acceleration[:-1], acceleration[1:]
    velocity = np.concatenate([[0.0], np.cumsum((before + after) * (dt / 2))])
    crossing = np.sign(before) * np.sign(after) < 0
    a, b = before[crossing], after[crossing]
    between = velocity[:-1][crossing] + a * (a / (a - b)) * (dt / 2)
    return float(max(np.abs(velocity).max(), np.abs(between).max(initial=0.0)))


class Measure(NamedTuple):
    """An intensity measure of one component, and what to call it."""

    units: str
    long_name: str
    function: Callable[[FloatArray, float], float]  # (component [m/s2], dt [s]) -> value


MEASURES: dict[str, Measure] = {
    "pga": Measure("m s-2", "peak ground acceleration (geometric mean)", peak_acceleration),
    "pgv": Measure("m s-1", "peak ground velocity (geometric mean)", peak_velocity),
}


# a motion never changes, and every part of a study asks for the intensities of all of them
_KNOWN: WeakKeyDictionary[Motion, dict[str, float]] = WeakKeyDictionary()


def intensity(motion: Motion, measure: str) -> float:
    """Intensity of a motion: geometric mean over its two horizontal components.

    Parameters
    ----------
    motion : Motion
        As recorded: rotate after taking the intensity, not before.
    measure : str
        A key of `MEASURES`: "pga" [m/s2] or "pgv" [m/s].

    Returns
    -------
    float
        In the units of the measure. Of a motion with a single horizontal component (the other is
        zero throughout) the value of that component.

    Raises
    ------
    MotionError
        If the measure is unknown, or the motion does not shake horizontally.

    Examples
    --------
    >>> pair = Motion([[0.0, 4.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 0.0]], dt=0.5, name="pair")
    >>> intensity(pair, "pga"), intensity(pair, "pgv")
    (2.0, 1.0)
    """
    known = _KNOWN.setdefault(motion, {})
    if measure in known:
        return known[measure]
    if measure not in MEASURES:
        raise MotionError(f"intensity measure must be one of {', '.join(MEASURES)}, got {measure!r}")
    horizontal = [component for component in motion.acceleration[:2] if component.any()]
    if not horizontal:
        raise MotionError(
            f"motion '{motion.name}' has no horizontal acceleration, so it has no {measure} to scale to; "
            "leave it out or use the measure 'factor'"
        )
    peaks = [MEASURES[measure].function(component, motion.dt) for component in horizontal]
    known[measure] = sqrt(peaks[0] * peaks[-1])
    return known[measure]
