"""Wavelets for the long pulses of near-fault ground motion, as functions of time.

Ricker, N. (1943). Further developments in the wavelet theory of seismogram structure. Bulletin of
the Seismological Society of America 33(3), 197-228.

Vassiliou, M. F., Makris, N. (2011). Estimating time scales and length scales in pulselike earthquake
acceleration records with wavelet analysis. Bulletin of the Seismological Society of America 101(2),
596-618.

Mavroeidis, G. P., Papageorgiou, A. S. (2003). A mathematical representation of near-fault ground
motions. Bulletin of the Seismological Society of America 93(3), 1099-1131.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, isfinite, pi, sqrt

import numpy as np

from mcrock.excitation.motion import FloatArray, MotionError

# the exponentials of the Ricker wavelets are cut where less than 2e-8 of the peak is left
HALF_LENGTH = {True: 1.5, False: 2.0}  # symmetric or not: periods on either side of the middle [1]


@dataclass(frozen=True)
class Ricker:
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
    period: float
    symmetric: bool = True
    start: float = 0.0
    name: str = "Ricker pulse"

    def __post_init__(self) -> None:
        object.__setattr__(self, "amplitude", vector_of(self.amplitude, "amplitude", "m/s2", self.name))
        check_numbers(self.name, period=("> 0 [s]", self.period > 0, self.period))
        check_numbers(self.name, start=(">= 0 [s]", self.start >= 0, self.start))

    @property
    def middle(self) -> float:
        """Time about which the wavelet is even or odd [s]."""
        return self.start + HALF_LENGTH[self.symmetric] * self.period

    @property
    def end(self) -> float:
        """Time at which the ground comes to a stop [s]."""
        return self.start + 2 * HALF_LENGTH[self.symmetric] * self.period

    @property
    def group(self) -> str:
        """A pulse comes from no recording and is its own group."""
        return self.name

    def acceleration_at(self, time: FloatArray | float) -> FloatArray:
        """Ground acceleration at the times `time` [s]: ndarray (3, ...) [m/s2]."""
        time = np.asarray(time, dtype=np.float64)
        s = 2 * pi * (time - self.middle) / self.period
        if self.symmetric:
            wave = (1 - s**2 / 2) * np.exp(-(s**2) / 4)
        else:
            u = s / sqrt(3)
            wave = u * (3 - u**2) * np.exp(-(u**2) / 2) / ODD_PEAK
        wave = np.where((time >= self.start) & (time < self.end), wave, 0.0)
        return np.asarray(np.multiply.outer(np.array(self.amplitude), wave))

    def velocity_at(self, time: FloatArray | float) -> FloatArray:
        """Ground velocity at the times `time` [s], from rest: ndarray (3, ...) [m/s]."""
        time = np.clip(np.asarray(time, dtype=np.float64), self.start, self.end)
        wave = self._velocity(time) - self._velocity(np.array(self.start))
        return np.asarray(np.multiply.outer(np.array(self.amplitude), wave))

    def _velocity(self, time: FloatArray) -> FloatArray:
        """Antiderivative of the wave of unit peak [s]."""
        s = 2 * pi * (time - self.middle) / self.period
        if self.symmetric:
            return np.asarray(self.period / (2 * pi) * s * np.exp(-(s**2) / 4))
        u = s / sqrt(3)
        return np.asarray(sqrt(3) * self.period / (2 * pi) * (u**2 - 1) * np.exp(-(u**2) / 2) / ODD_PEAK)


# peak of u (3 - u^2) exp(-u^2/2), where u^2 = 3 - sqrt(6)
ODD_PEAK = sqrt(3 - sqrt(6)) * sqrt(6) * exp(-(3 - sqrt(6)) / 2)


@dataclass(frozen=True)
class MavroeidisPapageorgiou:
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

    velocity: tuple[float, float, float]
    period: float
    cycles: float = 2.0
    phase: float = 0.0
    start: float = 0.0
    name: str = "Mavroeidis-Papageorgiou pulse"

    def __post_init__(self) -> None:
        object.__setattr__(self, "velocity", vector_of(self.velocity, "velocity", "m/s", self.name))
        check_numbers(self.name, period=("> 0 [s]", self.period > 0, self.period))
        check_numbers(self.name, cycles=("> 1 [1]", self.cycles > 1, self.cycles))
        check_numbers(self.name, phase=("finite [rad]", True, self.phase))
        check_numbers(self.name, start=(">= 0 [s]", self.start >= 0, self.start))

    @property
    def end(self) -> float:
        """Time at which the ground comes to a stop [s]."""
        return self.start + self.cycles * self.period

    @property
    def group(self) -> str:
        """A pulse comes from no recording and is its own group."""
        return self.name

    def acceleration_at(self, time: FloatArray | float) -> FloatArray:
        """Ground acceleration at the times `time` [s]: ndarray (3, ...) [m/s2]."""
        turn, slow = self._angles(time)
        rate = -pi / self.period
        wave = rate * (np.sin(slow) * np.cos(turn) / self.cycles + np.sin(turn) * (1 + np.cos(slow)))
        return np.asarray(np.multiply.outer(np.array(self.velocity), wave))

    def velocity_at(self, time: FloatArray | float) -> FloatArray:
        """Ground velocity at the times `time` [s]: ndarray (3, ...) [m/s]."""
        turn, slow = self._angles(time)
        return np.asarray(np.multiply.outer(np.array(self.velocity), 0.5 * (1 + np.cos(slow)) * np.cos(turn)))

    def _angles(self, time: FloatArray | float) -> tuple[FloatArray, FloatArray]:
        """Angles of cosine and envelope [rad]; outside the pulse those of its ends, where it is at rest."""
        time = np.clip(np.asarray(time, dtype=np.float64), self.start, self.end)
        turn = 2 * pi * (time - 0.5 * (self.start + self.end)) / self.period
        return turn + self.phase, turn / self.cycles


def vector_of(value: object, field_name: str, unit: str, name: str) -> tuple[float, float, float]:
    """Checked components along ground x, y, z."""
    if not (isinstance(name, str) and name):
        raise MotionError(f"the name of a pulse must be a non-empty text, got {name!r}")
    try:
        x, y, z = (float(part) for part in value)  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        x = y = z = float("nan")
    if not all(isfinite(part) for part in (x, y, z)):
        raise MotionError(
            f"pulse '{name}': {field_name} must be three finite numbers [{unit}], for ground x, y, z, "
            f"got {value!r}"
        )
    return x, y, z


def check_numbers(name: str, **numbers: tuple[str, bool, float]) -> None:
    """Refuse a number that is not finite or out of its range: field -> (expected, within, value)."""
    for number, (expected, within, value) in numbers.items():
        if not (within and isfinite(value)):
            raise MotionError(f"pulse '{name}': {number} must be {expected}, got {value!r}")
