"""Any pulse, or the sum of several, as a sampled motion."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from mcrock.excitation.motion import FloatArray, Motion, MotionError, check_length
from mcrock.excitation.pulses.make import AnalyticPulse
from mcrock.excitation.pulses.pulse import MavroeidisPapageorgiou

STEPS = 250  # of a sampled pulse, in its period or length, whichever is shorter


def sample_pulse(
    pulses: AnalyticPulse | Sequence[AnalyticPulse], dt: float | None = None, name: str | None = None
) -> Motion:
    """Sample a pulse, or the sum of several, as a motion.

    Where a pulse begins or ends with a jump, the sample next to it is chosen so that the velocity after
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
    >>> from mcrock.excitation.pulses.make import make_pulse
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
        dt = min(min(pulse.period, pulse.end - pulse.start) for pulse in listed) / STEPS
    if not (isfinite(dt) and 0 < dt <= shortest):
        raise MotionError(
            f"{name}: dt must be > 0 and at most the shortest pulse, {shortest:g} [s], got {dt!r}"
        )
    check_length(name, max(pulse.end for pulse in listed), dt)
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
    smooth = ~ramps[:-1]
    apart = 0.0
    for within in np.linspace(0.0, 1.0, 10, endpoint=False).tolist():
        exact = np.sum([p.acceleration_at((time[:-1] + within * dt)[smooth]) for p in pulses], axis=0)
        straight = (samples[:, :-1] * (1 - within) + samples[:, 1:] * within)[:, smooth]
        apart = max(apart, float(np.abs(straight - exact).max(initial=0.0)))
    velocity = np.zeros_like(samples)
    np.cumsum(0.5 * dt * (samples[:, 1:] + samples[:, :-1]), axis=1, out=velocity[:, 1:])
    off = np.abs(velocity - np.sum([p.velocity_at(time) for p in pulses], axis=0))
    calm = ~(ramps | np.roll(ramps, 1))
    return apart, float(off[:, calm].max(initial=0.0))


def _jumps(pulse: AnalyticPulse) -> list[tuple[float, FloatArray]]:
    """Times [s] and sizes (3,) [m/s2] of the jumps with which a pulse begins and ends."""
    if isinstance(pulse, MavroeidisPapageorgiou):
        return []
    last = np.nextafter(pulse.end, pulse.start)
    return [(pulse.start, pulse.acceleration_at(pulse.start)), (pulse.end, -pulse.acceleration_at(last))]
