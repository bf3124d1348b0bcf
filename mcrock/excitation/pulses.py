"""Pulses of the ground: analytic ones, by name, and sampled as motions.

Sines, cosines and the rectangle are a `Pulse`, which the kernel integrates exactly, without sampling;
Ricker and Mavroeidis-Papageorgiou wavelets, for the long pulses of near-fault ground motion, are functions
of time as well. Any of them, or the sum of several, can be sampled. `pack_motions` lays the motions of a
part end to end in one array, the form in which compiled code reads them.

Mavroeidis, G. P., Papageorgiou, A. S. (2003). A mathematical representation of near-fault ground motions.
Bulletin of the Seismological Society of America 93(3), 1099-1131.

Ricker, N. (1943). Further developments in the wavelet theory of seismogram structure. Bulletin of the
Seismological Society of America 33(3), 197-228.

Vassiliou, M. F., Makris, N. (2011). Estimating time scales and length scales in pulselike earthquake
acceleration records with wavelet analysis. Bulletin of the Seismological Society of America 101(2),
596-618.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, dataclass
from math import cos, exp, isfinite, pi, sin, sqrt
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from mcrock.base.checks import Number, ruled, suggest_keyword
from mcrock.base.params import BLOCK, MotionPack, PulseColumn
from mcrock.excitation.motion import (
    FloatArray,
    Motion,
    MotionError,
    check_length,
    checked,
    checked_fields,
    checked_vector,
)

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


@suggest_keyword
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
    >>> from mcrock.excitation.pulses import make_pulse
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


NO_PULSE = np.zeros(len(PulseColumn))  # row of a recorded motion


def pack_motions(motions: Sequence[Motion | Pulse]) -> MotionPack:
    """Pack motions for the kernel, which then knows them by their index.

    Parameters
    ----------
    motions : sequence of Motion or Pulse
        At least one. A pulse stays analytic: it has no samples, length 0 and time step 0.

    Returns
    -------
    MotionPack
        `samples` (n_sample, 3) [m/s2]; `first`, `length` (n_motion,); `dt` (n_motion,) [s];
        `pulse` (n_motion, `PulseColumn`), all zero for a recorded motion; `block` (n_block, 3) [m/s2]
        and `first_block` (n_motion,).

    Raises
    ------
    MotionError
        If there is no motion.

    Examples
    --------
    >>> shake = Motion([[0.0, 2.0], [0.0, 0.0], [0.0, 1.0]], dt=0.5, name="shake")
    >>> pack = pack_motions([shake, Pulse((1.0, 0.0, 0.0), angular_frequency=6.0), shake])
    >>> pack.first.tolist(), pack.length.tolist(), pack.dt.tolist()
    ([0, 2, 2], [2, 0, 2], [0.5, 0.0, 0.5])
    """
    if not motions:
        raise MotionError("at least one ground motion is needed, got none")
    samples = [np.empty((0, 3)) if isinstance(m, Pulse) else m.acceleration.T for m in motions]
    length = np.array([len(rows) for rows in samples], dtype=np.int64)
    blocks = [_extremes(rows) for rows in samples]
    count = np.array([len(rows) for rows in blocks], dtype=np.int64)
    return MotionPack(
        samples=np.ascontiguousarray(np.concatenate(samples)),
        first=np.cumsum(length) - length,
        length=length,
        dt=np.array([0.0 if isinstance(m, Pulse) else m.dt for m in motions]),
        pulse=np.stack([_pulse_row(m) if isinstance(m, Pulse) else NO_PULSE for m in motions]),
        block=np.concatenate(blocks),
        first_block=np.cumsum(count) - count,
    )


def _extremes(samples: FloatArray) -> FloatArray:
    """Rows of `MotionPack.block` of one motion (n_sample, 3); both ends belong to a block."""
    starts = np.arange(0, max(len(samples) - 1, 0), BLOCK)
    rows = [samples[i : i + BLOCK + 1] for i in starts]
    return np.array([(np.hypot(r[:, 0], r[:, 1]).max(), r[:, 2].min(), r[:, 2].max()) for r in rows]).reshape(
        -1, 3
    )


def _pulse_row(pulse: Pulse) -> FloatArray:
    """Row of `MotionPack.pulse`."""
    row = np.zeros(len(PulseColumn))
    row[[PulseColumn.A_X, PulseColumn.A_Y, PulseColumn.A_Z]] = pulse.amplitude
    row[PulseColumn.OMEGA], row[PulseColumn.PHASE] = pulse.angular_frequency, pulse.phase
    row[PulseColumn.START], row[PulseColumn.END] = pulse.start, pulse.end
    return row


# ground that never moves: a pulse that is over when it begins
STILL = pack_motions([Pulse((0.0, 0.0, 0.0), angular_frequency=1.0)])._replace(pulse=NO_PULSE[None])
