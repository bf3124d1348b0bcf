"""Pulses of the ground as functions of time, exact: no samples, no interpolation.

Sines, and wavelets for the long pulses of near-fault ground motion.

Ricker, N. (1943). Further developments in the wavelet theory of seismogram structure. Bulletin of
the Seismological Society of America 33(3), 197-228.

Vassiliou, M. F., Makris, N. (2011). Estimating time scales and length scales in pulselike earthquake
acceleration records with wavelet analysis. Bulletin of the Seismological Society of America 101(2),
596-618.

Mavroeidis, G. P., Papageorgiou, A. S. (2003). A mathematical representation of near-fault ground
motions. Bulletin of the Seismological Society of America 93(3), 1099-1131.
"""

from __future__ import annotations

from dataclasses import MISSING, dataclass
from math import cos, exp, pi, sin, sqrt
from typing import ClassVar

import numpy as np

from mcrock.base.checks import Number, ruled
from mcrock.base.keywords import suggesting
from mcrock.excitation.motion import FloatArray, MotionError, checked, checked_fields, checked_vector

# the exponentials of the Ricker wavelets are cut where less than 2e-8 of the peak is left
HALF_LENGTH = {True: 1.5, False: 2.0}  # symmetric or not: periods on either side of the middle [1]


class Waveform:
    """A pulse in which all components follow one function of time, times their own size."""

    size: ClassVar[tuple[str, str]] = ("amplitude", "m/s2")  # field of the components, and its unit
    start: float
    name: str

    def __post_init__(self) -> None:
        if not (isinstance(self.name, str) and self.name):
            raise MotionError(f"the name of a pulse must be a non-empty text, got {self.name!r}")
        checked_fields(self)
        field, unit = self.size
        vector = checked_vector(f"pulse '{self.name}': {field}", getattr(self, field), unit)
        object.__setattr__(self, field, vector)

    @property
    def end(self) -> float:
        """Time at which the ground comes to a stop [s]."""
        raise NotImplementedError

    @property
    def group(self) -> str:
        """A pulse comes from no recording and is its own group."""
        return self.name

    def acceleration_at(self, time: FloatArray | float) -> FloatArray:
        """Ground acceleration at the times `time` [s]: ndarray (3, ...) [m/s2]."""
        t = np.asarray(time, dtype=np.float64)
        return self._of_size(np.where((t >= self.start) & (t < self.end), self._acceleration(t), 0.0))

    def velocity_at(self, time: FloatArray | float) -> FloatArray:
        """Ground velocity at the times `time` [s], from rest: ndarray (3, ...) [m/s]."""
        return self._of_size(
            self._velocity(np.clip(np.asarray(time, dtype=np.float64), self.start, self.end))
        )

    def _acceleration(self, time: FloatArray) -> FloatArray:
        """Acceleration of unit size between start and end [m/s2]."""
        raise NotImplementedError

    def _velocity(self, time: FloatArray) -> FloatArray:
        """Velocity of unit size from start to end [m/s]."""
        raise NotImplementedError

    def _of_size(self, wave: FloatArray) -> FloatArray:
        return np.asarray(np.multiply.outer(np.array(getattr(self, self.size[0])), wave))


@suggesting
@dataclass(frozen=True)
class Pulse(Waveform):
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
    angular_frequency: float = ruled(MISSING, Number("rad/s", above=0.0))
    phase: float = ruled(0.0, Number("rad"))
    cycles: float = ruled(1.0, Number("1", above=0.0))
    start: float = ruled(0.0, Number("s", least=0.0))
    name: str = "pulse"

    @property
    def period(self) -> float:
        """Period of the sine [s]."""
        return 2 * pi / self.angular_frequency

    @property
    def end(self) -> float:
        return self.start + self.cycles * 2 * pi / self.angular_frequency

    def _acceleration(self, time: FloatArray) -> FloatArray:
        return np.sin(self.angular_frequency * (time - self.start) + self.phase)

    def _velocity(self, time: FloatArray) -> FloatArray:
        # the difference of the two cosines of the integral as a product, which keeps its digits for the slow
        # sine that stands for a constant
        half = 0.5 * self.angular_frequency * (time - self.start)
        return np.sin(half + self.phase) * np.sin(half) * (2.0 / self.angular_frequency)


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
    checked(Number("rad"), "azimuth of a pulse", azimuth)
    return (peak * cos(azimuth), peak * sin(azimuth), 0.0)


@dataclass(frozen=True)
class Ricker(Waveform):
    """Ricker wavelet of the ground acceleration: second or third derivative of a Gaussian.

    With ``s = 2 pi (t - middle)/period`` the symmetric one is ``(1 - s**2/2) exp(-s**2/4)``, and the
    antisymmetric one, with ``u = s/sqrt(3)``, is ``u (3 - u**2) exp(-u**2/2)/1.3801``, of unit peak: the
    parameters of Vassiliou and Makris (2011). The Fourier amplitude is largest at the period.

    Parameters
    ----------
    amplitude : tuple of 3 floats
        Peak along ground x, y and z (up) [m/s2].
    period : float
        [s], positive.
    symmetric : bool
        Even about its middle, or odd.
    start : float
        Where the wavelet, cut at 2e-8 of its peak, begins [s]; not negative.
    name : str
        What messages, datasets and figures call the pulse.

    Raises
    ------
    MotionError
        If a number is not finite or out of its range.

    Examples
    --------
    >>> pulse = Ricker((2.0, 0.0, 0.0), period=0.8)
    >>> round(pulse.middle, 3), pulse.acceleration_at(pulse.middle).round(6).tolist()
    (1.2, [2.0, 0.0, 0.0])
    """

    amplitude: tuple[float, float, float]
    period: float = ruled(MISSING, Number("s", above=0.0))
    symmetric: bool = True
    start: float = ruled(0.0, Number("s", least=0.0))
    name: str = "Ricker pulse"

    @property
    def middle(self) -> float:
        """Time about which the wavelet is even or odd [s]."""
        return self.start + HALF_LENGTH[self.symmetric] * self.period

    @property
    def end(self) -> float:
        return self.start + 2 * HALF_LENGTH[self.symmetric] * self.period

    def _acceleration(self, time: FloatArray) -> FloatArray:
        s = 2 * pi * (time - self.middle) / self.period
        if self.symmetric:
            return np.asarray((1 - s**2 / 2) * np.exp(-(s**2) / 4))
        u = s / sqrt(3)
        return np.asarray(u * (3 - u**2) * np.exp(-(u**2) / 2) / ODD_PEAK)

    def _velocity(self, time: FloatArray) -> FloatArray:
        return self._integral(time) - self._integral(np.array(self.start))

    def _integral(self, time: FloatArray) -> FloatArray:
        """Antiderivative of the wave of unit peak [s]."""
        s = 2 * pi * (time - self.middle) / self.period
        if self.symmetric:
            return np.asarray(self.period / (2 * pi) * s * np.exp(-(s**2) / 4))
        u = s / sqrt(3)
        return np.asarray(sqrt(3) * self.period / (2 * pi) * (u**2 - 1) * np.exp(-(u**2) / 2) / ODD_PEAK)


# peak of u (3 - u^2) exp(-u^2/2), where u^2 = 3 - sqrt(6)
ODD_PEAK = sqrt(3 - sqrt(6)) * sqrt(6) * exp(-(3 - sqrt(6)) / 2)


@dataclass(frozen=True)
class MavroeidisPapageorgiou(Waveform):
    """Near-fault velocity pulse: a cosine under a raised-cosine envelope.

    The velocity is ``velocity/2 (1 + cos(2 pi s/(cycles period))) cos(2 pi s/period + phase)``, s being the
    time from the middle, and lasts for ``cycles`` periods. The acceleration is its derivative and has no
    jump.

    Parameters
    ----------
    velocity : tuple of 3 floats
        Amplitude A along ground x, y and z (up) [m/s]; about the peak velocity, and just that with
        phase 0.
    period : float
        Of the cosine, 1/f_p [s], positive.
    cycles : float
        Number gamma of periods under the envelope [1], more than 1.
    phase : float
        nu [rad]: 0 for a velocity even about its middle, pi/2 for an odd one.
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
    >>> pulse = MavroeidisPapageorgiou((1.0, 0.0, 0.0), period=2.0, cycles=1.5)
    >>> pulse.end, pulse.velocity_at(1.5).tolist()
    (3.0, [1.0, 0.0, 0.0])
    """

    size: ClassVar = ("velocity", "m/s")

    velocity: tuple[float, float, float]
    period: float = ruled(MISSING, Number("s", above=0.0))
    cycles: float = ruled(2.0, Number("1", above=1.0))
    phase: float = ruled(0.0, Number("rad"))
    start: float = ruled(0.0, Number("s", least=0.0))
    name: str = "Mavroeidis-Papageorgiou pulse"

    @property
    def end(self) -> float:
        return self.start + self.cycles * self.period

    def acceleration_at(self, time: FloatArray | float) -> FloatArray:
        """Ground acceleration at the times `time` [s]: ndarray (3, ...) [m/s2]; without jump at the ends."""
        turn, slow = self._angles(np.clip(np.asarray(time, dtype=np.float64), self.start, self.end))
        rate = -pi / self.period
        return self._of_size(
            rate * (np.sin(slow) * np.cos(turn) / self.cycles + np.sin(turn) * (1 + np.cos(slow)))
        )

    def _velocity(self, time: FloatArray) -> FloatArray:
        turn, slow = self._angles(time)
        return 0.5 * (1 + np.cos(slow)) * np.cos(turn)

    def _angles(self, time: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Angles of cosine and envelope [rad]."""
        turn = 2 * pi * (time - 0.5 * (self.start + self.end)) / self.period
        return turn + self.phase, turn / self.cycles
