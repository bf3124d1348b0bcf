"""Motions whose response spectrum follows a target.

White noise under an envelope is filtered again and again, each frequency by the ratio of the target to the
spectrum at its period, with its phases kept; a slow filter in the loop brings the ground to rest.

Gasparini, D. A., Vanmarcke, E. H. (1976). Simulated earthquake motions compatible with prescribed response
spectra. Report R76-4, Department of Civil Engineering, Massachusetts Institute of Technology.

Jennings, P. C., Housner, G. W., Tsai, N. C. (1968). Simulated earthquake motions. Earthquake Engineering
Research Laboratory, California Institute of Technology.

EN 1998-1 (2004), clause 3.2.3.1.2: artificial accelerograms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, inf, isfinite, log, pi, sqrt

import numpy as np
from numpy.typing import ArrayLike

from mcrock.excitation.motion import FloatArray, Motion, MotionError
from mcrock.excitation.rezaeian_2010 import remove_slow_motion
from mcrock.excitation.spectra import peak_responses, response_spectrum
from mcrock.excitation.target_spectrum import TargetSpectrum

BAND = (0.9, 1.3)  # in which the ratio of spectrum to target has to be [1]
MIDDLE = sqrt(BAND[0] * BAND[1])
MARGIN = 0.02
AIM = (0.97, 1.19)
EXACT = 0.005
CLOSE = 0.2
ROUNDING = 1e-3
BAND_PERIODS = (0.05, 4.0)  # by default [s]; 0, the peak of the ground, is looked at as well
PERIODS = 60
BEYOND = 1.15  # how far the correction reaches past the ends of the band
FILTERINGS = 3
CORRECTIONS = 30
DRAWS = 8  # of the noise, until one leads into the band
REST = 1.5  # periods of the slow filter after the envelope, in the first third of which the noise fades
ONSET = 0.25  # in which a motion starts from nothing [s]
CLIPPED = 1.22  # of the wanted peak, to which a higher one is cut before the next correction [1]


@dataclass(frozen=True)
class Envelope:
    """Standard deviation of the noise over time: a rise as the square, a level part, an exponential decay.

    Parameters
    ----------
    rise, level, decay : float
        Lengths of the three parts [s]. EN 1998-1 asks for a level part of 10 s unless the site is known
        better. At the end of the decay a twentieth is left.

    Raises
    ------
    MotionError
        If a length is not finite and positive.
    """

    rise: float = 2.0
    level: float = 10.0
    decay: float = 8.0

    def __post_init__(self) -> None:
        for name in ("rise", "level", "decay"):
            value = getattr(self, name)
            if not (isfinite(value) and value > 0):
                raise MotionError(f"Envelope.{name} must be finite and > 0 [s], got {value!r}")

    def at(self, time: FloatArray) -> FloatArray:
        """Share of the largest standard deviation at the times `time` [s] [1]."""
        late = np.maximum(time - self.rise - self.level, 0.0)
        return np.asarray(np.minimum(time / self.rise, 1.0) ** 2 * np.exp(-log(20) * late / self.decay))


def compatible_motion(
    targets: TargetSpectrum | Sequence[TargetSpectrum | None],
    rng: np.random.Generator,
    dt: float = 0.01,
    envelope: Envelope | None = None,
    band_periods: tuple[float, float] = BAND_PERIODS,
    corner: float = 0.1,
    name: str = "spectrum-compatible motion",
) -> Motion:
    """Draw one motion whose spectra lie between 0.9 and 1.3 of their targets.

    Parameters
    ----------
    targets : TargetSpectrum or sequence of up to three, each may be None
        Of the components along x, y and z, which have independent noises.
    rng : Generator
        Source of the noise; the same state gives the same motion.
    dt : float
        Time step [s], at most a quarter of the shortest period of the band.
    envelope : Envelope, optional
        2 s of rise, 10 s level and 8 s of decay by default.
    band_periods : tuple of 2 floats
        Shortest and longest period at which the spectrum has to be in the band [s]; that of the target
        if it reaches less far. The peak acceleration is held in the band as well if the target begins
        at period 0.
    corner : float
        Of the filter of slow motion [Hz]: the longest period should be well below 1/corner.
    name : str
        What messages, datasets and figures call the motion.

    Returns
    -------
    Motion
        `metadata` has the smallest and the largest ratio of each component, ``ratio_least_x`` and so on.

    Raises
    ------
    MotionError
        If a number is out of its range, or no motion in the band is found: the target then changes too
        fast from period to period for any motion, or the motion is too short for it.
    """
    listed = [targets] if isinstance(targets, TargetSpectrum) else list(targets)
    if not (any(target is not None for target in listed) and len(listed) <= 3):
        raise MotionError(
            f"'{name}': one to three target spectra are needed, for x, y and z, got {targets!r}"
        )
    if not (isfinite(corner) and corner > 0):
        raise MotionError(f"'{name}': corner must be finite and > 0 [Hz], got {corner!r}")
    envelope = envelope or Envelope()
    first, last = band_periods
    if not (isfinite(dt) and 0 < dt <= first / 4):
        raise MotionError(
            f"'{name}': dt must be > 0 and at most a quarter of the shortest period, {first / 4:g} s, "
            f"got {dt!r}"
        )
    noise_length = ceil((envelope.rise + envelope.level + envelope.decay) / dt) + 1
    length = noise_length + ceil(REST / corner / dt)
    shape = envelope.at(np.arange(noise_length, dtype=np.float64) * dt)
    weight = np.append(shape, np.zeros(length - noise_length))
    samples = np.zeros((3, length))
    facts: dict[str, str | float] = {"source": "spectrum-compatible noise"}
    for axis, (direction, target) in enumerate(zip("xyz", listed, strict=False)):
        if target is None:
            continue
        band = _common_periods(target, band_periods)
        for _ in range(DRAWS):
            start = np.zeros(length)
            start[:noise_length] = shape * rng.standard_normal(noise_length)
            samples[axis], least, most = _adapt(start, weight, dt, target, band, corner)
            if _inside(least, most):
                break
        else:
            raise MotionError(
                f"'{name}': none of {DRAWS} motions has a spectrum between {BAND[0]} and {BAND[1]} of the "
                f"target '{target.name}' from {first:g} to {last:g} s; the last one reaches from {least:.2f} "
                f"to {most:.2f}. Make the envelope longer, the band shorter or the target smoother"
            )
        facts |= {f"target_{direction}": target.name}
        facts |= {f"ratio_least_{direction}": least, f"ratio_largest_{direction}": most}
    facts["history"] = "synthetic motion adapted to a target spectrum"
    return Motion(samples, dt, name, metadata=facts)


def adapted_motion(
    motion: Motion,
    targets: TargetSpectrum | Sequence[TargetSpectrum | None],
    band_periods: tuple[float, float] = BAND_PERIODS,
    corner: float = 0.1,
) -> Motion:
    """Filter a recorded motion until its spectra follow their targets as well as they can.

    The phases of the record are kept, and with them much of its course in time. It is lengthened by the time
    in which the slow filter comes to rest.

    Parameters
    ----------
    motion : Motion
    targets, band_periods, corner
        As for `compatible_motion`; a component without a target is filtered of slow motion only.

    Returns
    -------
    Motion
        Of the same group. `metadata` has ``ratio_least_x`` and so on: whether they lie between 0.9 and 1.3
        depends on the record.

    Raises
    ------
    MotionError
        If a component is still, or a number is out of its range.
    """
    listed = [targets] if isinstance(targets, TargetSpectrum) else list(targets)
    if not (any(target is not None for target in listed) and len(listed) <= 3):
        raise MotionError(
            f"motion '{motion.name}': one to three target spectra are needed, for x, y and z, got {targets!r}"
        )
    rest = np.zeros((3, ceil(REST / corner / motion.dt)))
    samples = np.concatenate([motion.acceleration, rest], axis=1)
    facts = dict(motion.metadata)
    listed += [None] * (3 - len(listed))
    for axis, (direction, target) in enumerate(zip("xyz", listed, strict=True)):
        if target is None:
            samples[axis] = remove_slow_motion(samples[axis], motion.dt, corner)
            continue
        if not samples[axis].any():
            raise MotionError(f"motion '{motion.name}': component {direction} is zero throughout")
        band = _common_periods(target, band_periods)
        weight = np.ones(len(samples[axis]))
        samples[axis], least, most = _adapt(samples[axis], weight, motion.dt, target, band, corner)
        facts |= {f"target_{direction}": target.name}
        facts |= {f"ratio_least_{direction}": least, f"ratio_largest_{direction}": most}
    before = [str(facts["history"])] if "history" in facts else []
    facts["history"] = "; ".join([*before, "adapted to a target spectrum"])
    return Motion(samples, motion.dt, motion.name, motion.group, facts)


def spectrum_ratios(
    motions: Sequence[Motion], target: TargetSpectrum, periods: ArrayLike, component: str = "x"
) -> FloatArray:
    """Spectra of a component of motions over their target (n_motion, n_period) [1].

    EN 1998-1 asks of a set that the mean over the motions is at least 0.9 from 0.2 T_1 to 2 T_1, and at
    least 1 at period 0.
    """
    axis = "xyz".index(component)
    wanted = target.at(periods)
    rows = [response_spectrum(m.acceleration[axis], m.dt, periods, target.damping) for m in motions]
    return np.array(rows) / wanted


def _common_periods(target, band_periods):
    first = max(band_periods[0], float(target.periods[0]))
    last = min(band_periods[1], float(target.periods[-1]))
    if not 0 < first < last:
        raise MotionError(
            f"target spectrum '{target.name}': no period of the band from {band_periods[0]:g} to "
            f"{band_periods[1]:g} s is within it"
        )
    return first, last


def _inside(least: float, most: float, margin: float = 0.0) -> bool:
    """Whether the ratios are in the band, less a margin."""
    return BAND[0] + margin <= least and most <= BAND[1] - margin


def _adapt(
    start: FloatArray,
    weight: FloatArray,
    dt: float,
    target: TargetSpectrum,
    band: tuple[float, float],
    corner: float,
) -> tuple[FloatArray, float, float]:
    """Component (n_time,) [m/s2] with its spectrum in the band or nearest to it, and its extreme ratios.

    `start` (n_time,) is filtered first, then corrected by wavelets as far as `weight` (n_time,) [1] allows.
    """
    n = len(start)
    window = np.minimum(np.arange(n) * dt / ONSET, 1.0)
    fading = round(REST / corner / dt)
    window[-fading:] *= np.clip(1 - 3 * np.arange(fading) / fading, 0.0, 1.0)
    rough = window * start
    for turn in range(FILTERINGS):
        shaken = remove_slow_motion(rough, dt, corner)
        if turn > 0:  # before, the noise has no size
            rough = rough + window * _towards_peak(shaken, target)
        rough = window * _filtered(rough, shaken, dt, target, band, corner)
    duration = np.count_nonzero(start) * dt
    periods = _close_periods(*band, target.damping, duration)
    best, smallest_miss = rough, inf
    for _ in range(CORRECTIONS):
        shaken = remove_slow_motion(rough, dt, corner)
        peaks, times = peak_responses(shaken, dt, periods, target.damping)
        wanted = target.at(periods)
        ratios = np.abs(peaks) / wanted
        all_ratios = np.append(ratios, _peak_ratio(shaken, target))
        miss = float(np.abs(np.log(all_ratios / MIDDLE)).max())
        if miss < smallest_miss:
            best, smallest_miss = shaken, miss
        if _inside(all_ratios.min(), all_ratios.max(), MARGIN):
            more, theirs = _between(shaken, dt, target, periods, ratios, duration)
            out = (theirs < BAND[0]) | (theirs > BAND[1])
            if not out.any():
                best = shaken
                break
            periods = np.sort(np.append(periods, more[out]))  # these count from now on
            continue
        far = _farthest(ratios)
        wavelets = _wavelets(periods[far], times[far], n, dt, target.damping, corner) / wanted[far, None]
        change = np.sign(peaks[far]) * (np.clip(ratios[far], *AIM) - ratios[far])
        gram = np.einsum("it,jt->ij", wavelets * weight**2, wavelets)
        gram[np.diag_indices_from(gram)] *= 1 + ROUNDING
        sizes = np.linalg.solve(gram, change)
        rough = rough + window * _towards_peak(shaken, target) + weight**2 * np.einsum("i,it->t", sizes, wavelets)
    ratios = np.abs(peak_responses(best, dt, periods, target.damping)[0]) / target.at(periods)
    _, theirs = _between(best, dt, target, periods, ratios, duration)
    ratios = np.concatenate([ratios, theirs, _peak_ratio(best, target)])
    return best, float(ratios.min()), float(ratios.max())


def _peak_ratio(motion, target):
    """Peak of the ground over that wanted (1,), or () if none is."""
    return np.abs(motion).max() / target.at(0.0) if target.periods[0] == 0 else np.empty(0)


def _towards_peak(motion, target):
    """Change (n_time,) of the samples that are too high, or of the highest one if it is too low."""
    change = np.zeros(len(motion))
    if target.periods[0] == 0:
        wanted = float(target.at(0.0)[0])
        change = np.clip(motion, -CLIPPED * wanted, CLIPPED * wanted) - motion
        highest = int(np.abs(motion).argmax())
        change[highest] += np.sign(motion[highest]) * max(AIM[0] * wanted - abs(motion[highest]), 0.0)
    return change


def _filtered(rough, shaken, dt, target, band, corner):
    from scipy.fft import next_fast_len

    first, last = band
    # past the ends of the band the target goes on level
    periods = np.geomspace(first / BEYOND, last * BEYOND, PERIODS)
    wanted = MIDDLE * target.at(np.clip(periods, first, last))
    gain = np.log(wanted / response_spectrum(shaken, dt, periods, target.damping))
    padded = next_fast_len(len(rough) + ceil(2 / corner / dt), real=True)  # so that no end runs into the beginning
    frequencies = np.log(np.maximum(np.fft.rfftfreq(padded, dt), 1e-6))
    density = np.fft.rfft(rough, padded) * np.exp(np.interp(frequencies, -np.log(periods[::-1]), gain[::-1]))
    return np.fft.irfft(density, padded)[: len(rough)]


def _steepness(periods, damping, duration):
    return 1 + np.minimum(0.5 / damping, duration / periods)


def _close_periods(first, last, damping, duration):
    fine = np.geomspace(first, last, 1000)
    steps = _steepness(fine[1:], damping, duration) * np.diff(np.log(fine))
    way = np.append(0.0, np.cumsum(steps))
    n = ceil(way[-1] / CLOSE) + 1
    return np.interp(np.linspace(0, way[-1], n), way, fine)


def _between(motion, dt, target, periods, ratios, duration):
    added = np.zeros(len(periods), dtype=bool)
    while True:
        middle = np.sqrt(periods[:-1] * periods[1:])
        reach = _steepness(middle, target.damping, duration) * np.diff(np.log(periods)) / 2
        mean = np.sqrt(ratios[:-1] * ratios[1:])
        least, most = ratios.min(), ratios.max()
        at = np.flatnonzero((mean * np.exp(-reach) < least * (1 - EXACT)) | (mean * np.exp(reach) > most * (1 + EXACT)))
        if not len(at):
            return periods[added], ratios[added]
        new = middle[at]
        theirs = response_spectrum(motion, dt, new, target.damping) / target.at(new)
        periods, ratios, added = (np.insert(old, at + 1, more) for old, more in ((periods, new), (ratios, theirs), (added, True)))


def _farthest(ratios):
    miss = np.maximum(log(AIM[0]) - np.log(ratios), np.log(ratios) - log(AIM[1]))
    around = np.concatenate([[-inf], miss, [-inf]])
    return np.flatnonzero((miss > 0) & (miss >= around[:-2]) & (miss > around[2:]))


def _wavelets(periods, times, n, dt, damping, corner):
    omega = 2 * pi / periods[:, None]
    wave = omega * sqrt(1 - damping**2)
    pole = -damping * omega + 1j * wave
    height = -dt * omega**2 / wave * (pole / (pole + 2 * pi * corner)) ** 2
    lag = times[:, None] - np.arange(n) * dt
    since = np.maximum(lag, 0.0)
    return (lag > 0) * np.exp(-damping * omega * since) * (height.real * np.sin(wave * since) + height.imag * np.cos(wave * since))
