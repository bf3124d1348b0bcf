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
from math import ceil, inf, isfinite, log, sqrt

import numpy as np
from numpy.typing import ArrayLike

from mcrock.excitation.motion import FloatArray, Motion, MotionError
from mcrock.excitation.rezaeian_2010 import remove_slow_motion
from mcrock.excitation.spectra import response_spectrum
from mcrock.excitation.target_spectrum import TargetSpectrum

BAND = (0.9, 1.3)  # in which the ratio of spectrum to target has to be [1]
MARGIN = 0.02  # of the ratios at the periods looked at, for those between them [1]
BAND_PERIODS = (0.05, 4.0)  # by default [s]; 0, the peak of the ground, is looked at as well
PERIODS = 120  # looked at in the band while a motion is adapted
CHECKED = 1280  # looked at in the end: spectra have cusps, which a step of 0.3 % misses by 0.01 at the most
BEYOND = 1.15  # how far the correction reaches past the ends of the band
ITERATIONS = 25
DRAWS = 8  # of the noise, until one leads into the band
REST = 1.5  # periods of the slow filter after the envelope, in the first third of which the noise fades
ONSET = 0.25  # in which a motion starts from nothing [s]
CLIPPED = 1.15  # of the wanted peak, to which a higher one is cut before the next correction [1]


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
    samples = np.zeros((3, length))
    facts: dict[str, str | float] = {"source": "spectrum-compatible noise"}
    for axis, (direction, target) in enumerate(zip("xyz", listed, strict=False)):
        if target is None:
            continue
        for _ in range(DRAWS):
            start = np.zeros(length)
            start[:noise_length] = shape * rng.standard_normal(noise_length)
            samples[axis], least, most = _adapt(start, dt, target, band_periods, corner)
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
        samples[axis], least, most = _adapt(samples[axis], motion.dt, target, band_periods, corner)
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


def _inside(least: float, most: float, margin: float = 0.0) -> bool:
    """Whether the ratios are in the band, less a margin."""
    return BAND[0] + margin <= least and most <= BAND[1] - margin


def _adapt(
    start: FloatArray, dt: float, target: TargetSpectrum, band_periods: tuple[float, float], corner: float
) -> tuple[FloatArray, float, float]:
    """Component (n_time,) [m/s2] whose spectrum is nearest to the middle of the band, and its ratios."""
    from scipy.fft import next_fast_len

    first = max(band_periods[0], float(target.periods[0]))
    last = min(band_periods[1], float(target.periods[-1]))
    if not 0 < first < last:
        raise MotionError(
            f"target spectrum '{target.name}': no period of the band from {band_periods[0]:g} to "
            f"{band_periods[1]:g} s is within it"
        )
    looked_at = np.geomspace(first, last, PERIODS)
    # past the ends of the band the target goes on level
    corrected = np.concatenate([[first / BEYOND], looked_at, [last * BEYOND]])
    middle = sqrt(BAND[0] * BAND[1])
    aim = middle * target.at(np.clip(corrected, first, last))
    n = len(start)
    window = np.minimum(np.arange(n) * dt / ONSET, 1.0)
    fading = round(REST / corner / dt)
    window[-fading:] *= np.clip(1 - 3 * np.arange(fading) / fading, 0.0, 1.0)
    strong = n - fading + ceil(fading / 3)  # after it the ground comes to rest, and no peak is missed
    padded = next_fast_len(n + ceil(2 / corner / dt), real=True)  # so that no end runs into the beginning
    frequencies = np.log(np.maximum(np.fft.rfftfreq(padded, dt), 1e-6))
    places = -np.log(corrected[::-1])
    density = np.fft.rfft(start, padded)
    wanted_peak = float(target.at(0.0)[0]) if target.periods[0] == 0 else None
    best, smallest_miss = start, inf
    for turn in range(ITERATIONS):
        rough = window * np.fft.irfft(density, padded)[:n]
        shaken = remove_slow_motion(rough, dt, corner)
        spectrum = response_spectrum(shaken[:strong], dt, corrected, target.damping)
        if turn == 0:  # the noise has no size yet
            size = float(np.exp(np.mean(np.log(aim / spectrum))))
            rough, shaken, spectrum = size * rough, size * shaken, size * spectrum
        ratios = middle * spectrum[1:-1] / aim[1:-1]
        if wanted_peak is not None:
            ratios = np.append(ratios, np.abs(shaken).max() / wanted_peak)
        miss = float(np.abs(np.log(ratios / middle)).max())
        if miss < smallest_miss:
            best, smallest_miss = shaken, miss
        if _inside(ratios.min(), ratios.max(), MARGIN):
            break
        if wanted_peak is not None:
            rough = np.clip(rough, -CLIPPED * wanted_peak, CLIPPED * wanted_peak)
        gain = np.log(aim / spectrum)
        density = np.fft.rfft(rough, padded) * np.exp(np.interp(frequencies, places, gain[::-1]))
    between = np.geomspace(first, last, CHECKED)
    if wanted_peak is not None:
        between = np.append(0.0, between)
    ratios = response_spectrum(best, dt, between, target.damping) / target.at(np.minimum(between, last))
    return best, float(ratios.min()), float(ratios.max())
