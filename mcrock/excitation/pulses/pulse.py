"""Sine pulses of the ground acceleration, exact: no samples, no interpolation."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, isfinite, pi, sin

import numpy as np

from mcrock.excitation.motion import FloatArray, MotionError


@dataclass(frozen=True)
class Pulse:
    """Ground acceleration ``amplitude * sin(angular_frequency * (t - start) + phase)``.

    It acts for ``start <= t < end`` and is zero elsewhere, so that a pulse with a phase begins and
    ends with a jump.

    Parameters
    ----------
    amplitude : tuple of 3 floats
        Along ground x, y and z (up) [m/s2].
    angular_frequency : float
        [rad/s], positive.
    phase : float
        [rad].
    cycles : float
        Length in periods [1], positive; 0.5 is a half sine.
    start : float
        [s], not negative.
    name : str
        What messages, datasets and figures call the pulse.

    Raises
    ------
    MotionError
        If a number is not finite or out of its range.

    Examples
    --------
    >>> pulse = Pulse(amplitude=(2.0, 0.0, 0.0), angular_frequency=6.0, cycles=0.5, start=1.0)
    >>> round(pulse.end, 4)
    1.5236
    """

    amplitude: tuple[float, float, float]
    angular_frequency: float
    phase: float = 0.0
    cycles: float = 1.0
    start: float = 0.0
    name: str = "pulse"

    def __post_init__(self) -> None:
        if not (isinstance(self.name, str) and self.name):
            raise MotionError(f"Pulse.name must be a non-empty text, got {self.name!r}")
        try:
            amplitude = tuple(float(value) for value in self.amplitude)
        except (TypeError, ValueError):
            amplitude = ()
        if len(amplitude) != 3 or not all(isfinite(value) for value in amplitude):
            raise MotionError(
                f"pulse '{self.name}': amplitude must be three finite numbers [m/s2], for ground x, y, z, "
                f"got {self.amplitude!r}"
            )
        object.__setattr__(self, "amplitude", amplitude)
        for field, expected, within in (
            ("angular_frequency", "> 0 [rad/s]", self.angular_frequency > 0),
            ("phase", "finite [rad]", True),
            ("cycles", "> 0 [1]", self.cycles > 0),
            ("start", ">= 0 [s]", self.start >= 0),
        ):
            value = getattr(self, field)
            if not (within and isfinite(value)):
                raise MotionError(f"pulse '{self.name}': {field} must be {expected}, got {value!r}")

    @property
    def end(self) -> float:
        """Time at which the ground comes to a stop [s]."""
        return self.start + self.cycles * 2 * pi / self.angular_frequency

    @property
    def group(self) -> str:
        """A pulse comes from no recording and is its own group."""
        return self.name

    def acceleration_at(self, time: FloatArray | float) -> FloatArray:
        """Ground acceleration at the times `time` [s]: ndarray (3, ...) [m/s2]."""
        time = np.asarray(time, dtype=np.float64)
        wave = np.sin(self.angular_frequency * (time - self.start) + self.phase)
        wave = np.where((time >= self.start) & (time < self.end), wave, 0.0)
        return np.asarray(np.multiply.outer(np.array(self.amplitude), wave))

    def velocity_at(self, time: FloatArray | float) -> FloatArray:
        """Ground velocity at the times `time` [s], from rest: ndarray (3, ...) [m/s].

        The difference of the two cosines of the integral is written as a product, which keeps its digits
        for the slow sine that stands for a constant.
        """
        gone = np.clip(np.asarray(time, dtype=np.float64), self.start, self.end) - self.start
        half = 0.5 * self.angular_frequency * gone
        wave = np.sin(half + self.phase) * np.sin(half) * (2.0 / self.angular_frequency)
        return np.asarray(np.multiply.outer(np.array(self.amplitude), wave))


def one_sine(peak: float, angular_frequency: float, azimuth: float = 0.0, start: float = 0.0) -> Pulse:
    """One full sine cycle of peak `peak` [m/s2] along the horizontal direction `azimuth` [rad]."""
    return Pulse(_along(peak, azimuth), angular_frequency, start=start, name="one-sine pulse")


def one_cosine(peak: float, angular_frequency: float, azimuth: float = 0.0, start: float = 0.0) -> Pulse:
    """One full cosine cycle, begun and ended at its peak `peak` [m/s2]; otherwise as `one_sine`."""
    return Pulse(_along(peak, azimuth), angular_frequency, phase=pi / 2, start=start, name="one-cosine pulse")


def half_sine(peak: float, angular_frequency: float, azimuth: float = 0.0, start: float = 0.0) -> Pulse:
    """Half a sine cycle, all of one sign; otherwise as `one_sine`."""
    return Pulse(_along(peak, azimuth), angular_frequency, cycles=0.5, start=start, name="half-sine pulse")


def _along(peak: float, azimuth: float) -> tuple[float, float, float]:
    """Horizontal vector of length `peak` in direction `azimuth` [rad] from ground x towards y."""
    if not isfinite(azimuth):
        raise MotionError(f"azimuth of a pulse must be finite [rad], got {azimuth!r}")
    return (peak * cos(azimuth), peak * sin(azimuth), 0.0)
