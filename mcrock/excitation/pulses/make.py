"""Pulses by name, peak and direction.

Sines, cosines and the rectangle are a `Pulse`, which the kernel integrates without sampling; Ricker and
Mavroeidis-Papageorgiou wavelets are functions of time as well.
"""

from __future__ import annotations

from math import cos, pi, sin

import numpy as np

from mcrock.base.checks import Number
from mcrock.excitation.motion import MotionError, checked
from mcrock.excitation.pulses.pulse import MavroeidisPapageorgiou, Pulse, Ricker

SLOW = 1e-9  # phase through which the sine of a rectangle runs [rad]; its top is flat to SLOW**2/2
SHAPES = (
    "one-sine",
    "one-cosine",
    "half-sine",
    "rectangle",
    "ricker-symmetric",
    "ricker-antisymmetric",
    "mavroeidis-papageorgiou",
)

AnalyticPulse = Pulse | Ricker | MavroeidisPapageorgiou


def make_pulse(
    shape: str,
    *,
    period: float,
    peak: float | None = None,
    peak_velocity: float | None = None,
    azimuth: float = 0.0,
    inclination: float = 0.0,
    start: float = 0.0,
    cycles: float = 2.0,
    phase: float = 0.0,
) -> AnalyticPulse:
    """Make a pulse of a named shape, size and direction.

    Parameters
    ----------
    shape : str
        "one-sine", "one-cosine", "half-sine", "rectangle", "ricker-symmetric", "ricker-antisymmetric" or
        "mavroeidis-papageorgiou".
    period : float
        [s], positive. Half-sine and rectangle last for half of it.
    peak, peak_velocity : float
        Largest absolute acceleration [m/s2] or velocity [m/s]: one of the two. A negative value turns
        the pulse round. The accelerations of the last shape and all velocities are right to 2e-6.
    azimuth, inclination : float
        Direction of the shaking, from ground x towards y and from the horizontal upwards [rad]: a vertical
        pulse has the inclination pi/2. For a pulse in each direction give `sample_pulse` several.
    start : float
        [s], not negative.
    cycles, phase : float
        gamma [1] and nu [rad] of "mavroeidis-papageorgiou", read by it alone.

    Returns
    -------
    Pulse, Ricker or MavroeidisPapageorgiou

    Raises
    ------
    MotionError
        If the shape is unknown, a number is out of its range, or not one of the two sizes is given.

    Examples
    --------
    >>> make_pulse("rectangle", period=1.0, peak=3.0).end
    0.5
    >>> pulse = make_pulse("one-sine", period=2.0, peak_velocity=0.5)
    >>> round(pulse.amplitude[0], 4)  # pi v/T
    0.7854
    """
    if shape not in SHAPES:
        raise MotionError(f"shape of a pulse must be one of {', '.join(SHAPES)}, got {shape!r}")
    name = f"{shape} pulse"
    if (peak is None) == (peak_velocity is None):
        raise MotionError(f"{name}: give either peak [m/s2] or peak_velocity [m/s], and not both")
    checked(Number("s", above=0.0), f"{name}: period", period)
    for key, value in (("azimuth", azimuth), ("inclination", inclination)):
        checked(Number("rad"), f"{name}: {key}", value)
    unit = _make(shape, (1.0, 0.0, 0.0), period, 0.0, cycles, phase)
    # the middle is among the moments, where several of the shapes have their peak
    moments = np.linspace(0.0, unit.end, 4001)
    if peak is None:
        wanted = checked(Number("m/s"), f"{name}: peak_velocity", peak_velocity)
        factor = wanted / np.abs(unit.velocity_at(moments)[0]).max()
    else:
        checked(Number("m/s2"), f"{name}: peak", peak)
        of_unit = isinstance(unit, MavroeidisPapageorgiou)  # velocity, not acceleration
        factor = peak / np.abs(unit.acceleration_at(moments)[0]).max() if of_unit else peak
    flat = cos(inclination)
    direction = np.array([flat * cos(azimuth), flat * sin(azimuth), sin(inclination)])
    direction[np.abs(direction) < 1e-15] = 0.0  # what rounding leaves at right angles
    x, y, z = (factor * direction).tolist()
    return _make(shape, (x, y, z), period, start, cycles, phase)


def _make(
    shape: str, size: tuple[float, float, float], period: float, start: float, cycles: float, phase: float
) -> AnalyticPulse:
    """Pulse of a shape with its amplitudes along the three axes."""
    name = f"{shape} pulse"
    if shape == "mavroeidis-papageorgiou":
        return MavroeidisPapageorgiou(size, period, cycles, phase, start, name)
    if shape.startswith("ricker"):
        return Ricker(size, period, shape == "ricker-symmetric", start, name)
    if shape == "rectangle":
        # the top of a sine so slow that it is flat
        slow = 2 * SLOW / period
        return Pulse(size, slow, pi / 2, cycles=SLOW / (2 * pi), start=start, name=name)
    turn = 2 * pi / period
    if shape == "half-sine":
        return Pulse(size, turn, cycles=0.5, start=start, name=name)
    return Pulse(size, turn, phase=pi / 2 if shape == "one-cosine" else 0.0, start=start, name=name)
