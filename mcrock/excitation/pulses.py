"""Pulses by name, peak and direction, and any pulse as a sampled motion.

Sines, cosines and the rectangle are a `Pulse`, which the kernel integrates without sampling; Ricker and
Mavroeidis-Papageorgiou wavelets are functions of time as well. `sample_pulse` turns both into a `Motion`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, isfinite, pi, sin

import numpy as np
from numpy.typing import NDArray

from mcrock.excitation.motion import FloatArray, Motion, MotionError
from mcrock.excitation.pulse import Pulse
from mcrock.excitation.wavelet import MavroeidisPapageorgiou, Ricker, check_numbers

STEPS = 250  # of a sampled pulse, in its period or length, whichever is shorter
SLOW = 1e-9  # phase through which the sine of a rectangle runs [rad]; its top is flat to SLOW**2/2

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
    check_numbers(name, period=("> 0 [s]", period > 0, period), start=(">= 0 [s]", start >= 0, start))
    check_numbers(
        name, azimuth=("finite [rad]", True, azimuth), inclination=("finite [rad]", True, inclination)
    )
    if shape == "mavroeidis-papageorgiou":
        check_numbers(name, cycles=("> 1 [1]", cycles > 1, cycles), phase=("finite [rad]", True, phase))
    unit = _make(shape, (1.0, 0.0, 0.0), period, 0.0, cycles, phase)
    # the middle is among the moments, where several of the shapes have their peak
    moments = np.linspace(0.0, unit.end, 4001)
    if peak is None:
        assert peak_velocity is not None
        check_numbers(name, peak_velocity=("finite [m/s]", True, peak_velocity))
        factor = peak_velocity / np.abs(unit.velocity_at(moments)[0]).max()
    else:
        check_numbers(name, peak=("finite [m/s2]", True, peak))
        of_unit = isinstance(unit, MavroeidisPapageorgiou)  # velocity, not acceleration
        factor = peak / np.abs(unit.acceleration_at(moments)[0]).max() if of_unit else peak
    flat = cos(inclination)
    direction = np.array([flat * cos(azimuth), flat * sin(azimuth), sin(inclination)])
    direction[np.abs(direction) < 1e-15] = 0.0  # what rounding leaves at right angles
    x, y, z = (factor * direction).tolist()
    return _make(shape, (x, y, z), period, start, cycles, phase)


SHAPES = (
    "one-sine",
    "one-cosine",
    "half-sine",
    "rectangle",
    "ricker-symmetric",
    "ricker-antisymmetric",
    "mavroeidis-papageorgiou",
)


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


def sample_pulse(
    pulses: AnalyticPulse | Sequence[AnalyticPulse], dt: float | None = None, name: str | None = None
) -> Motion:
    """Sample a pulse, or the sum of several, as a motion.

    Where a pulse begins or ends with a jump, the sample beside it is chosen so that the velocity after
    the jump is exact; the jump itself becomes a ramp of one step.

    Parameters
    ----------
    pulses : pulse or sequence of pulses
        `Pulse`, `Ricker` or `MavroeidisPapageorgiou`; several act together, each along its own direction.
    dt : float, optional
        Time step [s]; by default 1/250 of the shortest period or length.
    name : str, optional
        By default the names of the pulses.

    Returns
    -------
    Motion
        `metadata`: ``acceleration_error`` [m/s2], the largest difference to the pulses at ten points of each
        step without a jump, about ``(2 pi dt/period)**2/8`` of the peak, and ``velocity_error`` [m/s], that
        of the velocities at the samples.

    Raises
    ------
    MotionError
        If there is no pulse, or `dt` is not finite and positive or longer than a pulse.

    Examples
    --------
    >>> motion = sample_pulse(make_pulse("half-sine", period=1.0, peak=3.0))
    >>> motion.dt, round(motion.metadata["acceleration_error"], 6)
    (0.002, 5.9e-05)
    """
    listed = list(pulses) if isinstance(pulses, Sequence) else [pulses]
    if not listed:
        raise MotionError("at least one pulse is needed, got none")
    name = name or " + ".join(pulse.name for pulse in listed)
    shortest = min(pulse.end - pulse.start for pulse in listed)
    if dt is None:
        dt = min(_finest(pulse) for pulse in listed) / STEPS
    if not (isfinite(dt) and 0 < dt <= shortest):
        raise MotionError(
            f"{name}: dt must be > 0 and at most the shortest pulse, {shortest:g} [s], got {dt!r}"
        )
    # a step more than the pulses need, so that the last jump has a sample on either side
    time = np.arange(int(np.ceil(max(pulse.end for pulse in listed) / dt - 1e-9)) + 2, dtype=np.float64) * dt
    samples = np.sum([pulse.acceleration_at(time) for pulse in listed], axis=0)
    ramps = np.zeros(len(time), dtype=bool)  # steps, by their first sample, that a jump bends
    for moment, jump in (jump for pulse in listed for jump in _jumps(pulse)):
        before = int(np.searchsorted(time, moment)) - 1
        if before < 0:
            continue  # a motion may begin with a jump
        share = (moment - time[before]) / dt
        if share < 0.5:
            # the first sample stands for half a step only
            samples[:, before] += (0.5 - share) * jump * (2 if before == 0 else 1)
        else:
            samples[:, before + 1] -= (share - 0.5) * jump
        ramps[max(before - 1, 0) : before + 3] = True
    error, velocity_error = _sampling_errors(listed, time, samples, ramps)
    facts: dict[str, str | float] = {
        "source": "pulse",
        "acceleration_error": error,
        "velocity_error": velocity_error,
        "history": f"sampled with a step of {dt:g} s",
    }
    return Motion(samples, dt, name, metadata=facts)


def _sampling_errors(
    pulses: Sequence[AnalyticPulse], time: FloatArray, samples: FloatArray, ramps: NDArray[np.bool_]
) -> tuple[float, float]:
    """Largest differences of acceleration [m/s2] and velocity [m/s] away from the ramps of jumps."""
    dt = time[1]
    within = np.linspace(0.0, 1.0, 10, endpoint=False)
    smooth = ~ramps[:-1]
    exact = np.sum([p.acceleration_at((time[:-1, None] + within * dt)[smooth]) for p in pulses], axis=0)
    straight = samples[:, :-1, None] * (1 - within) + samples[:, 1:, None] * within
    velocity = np.zeros_like(samples)
    np.cumsum(0.5 * dt * (samples[:, 1:] + samples[:, :-1]), axis=1, out=velocity[:, 1:])
    apart = np.abs(velocity - np.sum([p.velocity_at(time) for p in pulses], axis=0))
    calm = ~(ramps | np.roll(ramps, 1))
    return (
        float(np.abs(straight[:, smooth] - exact).max(initial=0.0)),
        float(apart[:, calm].max(initial=0.0)),
    )


def _finest(pulse: AnalyticPulse) -> float:
    """Shorter of the period and the length of a pulse [s]."""
    period = 2 * pi / pulse.angular_frequency if isinstance(pulse, Pulse) else pulse.period
    return min(period, pulse.end - pulse.start)


def _jumps(pulse: AnalyticPulse) -> list[tuple[float, FloatArray]]:
    """Times [s] and sizes (3,) [m/s2] of the jumps with which a pulse begins and ends."""
    if isinstance(pulse, MavroeidisPapageorgiou):
        return []
    last = np.nextafter(pulse.end, pulse.start)
    return [(pulse.start, pulse.acceleration_at(pulse.start)), (pulse.end, -pulse.acceleration_at(last))]
