"""Motions whose response spectrum follows a target.

White noise under an envelope is filtered a few times, each frequency by the ratio of the target to the
spectrum at its period, with its phases kept (Gasparini and Vanmarcke 1976). Where the spectrum is then still
far from the target, wavelets are added at the times of the peak responses: the impulse responses of the
oscillators, reversed in time, which change a peak with the least change of the motion (Lilhanand and Tseng
1988). A slow filter in the loop brings the ground to rest.

Al Atik, L., Abrahamson, N. (2010). An improved method for nonstationary spectral matching. Earthquake
Spectra 26(3), 601-617.

Gasparini, D. A., Vanmarcke, E. H. (1976). Simulated earthquake motions compatible with prescribed response
spectra. Report R76-4, Department of Civil Engineering, Massachusetts Institute of Technology.

Jennings, P. C., Housner, G. W., Tsai, N. C. (1968). Simulated earthquake motions. Earthquake Engineering
Research Laboratory, California Institute of Technology.

Lilhanand, K., Tseng, W. S. (1988). Development and application of realistic earthquake time histories
compatible with multiple-damping design spectra. Proceedings of the 9th World Conference on Earthquake
Engineering, Tokyo-Kyoto, Vol. II, 819-824.

EN 1998-1 (2004), clause 3.2.3.1.2: artificial accelerograms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, inf, isfinite, log, pi, sqrt, tanh

import numpy as np
from numpy.typing import NDArray

from mcrock.base.checks import Number, ruled
from mcrock.excitation.motion import FloatArray, Motion, MotionError, check_length, checked, checked_fields
from mcrock.excitation.response_spectra import peak_responses, response_spectrum
from mcrock.excitation.synthesis.rezaeian_2010 import remove_slow_motion
from mcrock.excitation.synthesis.target_spectrum import TargetSpectrum

BAND = (0.9, 1.3)  # in which the ratio of spectrum to target has to be [1]
BAND_PERIODS = (0.05, 4.0)  # by default [s]; 0, the peak of the ground, is looked at as well
MIDDLE = sqrt(BAND[0] * BAND[1])  # to which the motion is filtered [1]
AIM = (0.97, 1.19)  # to which wavelets bring a ratio from outside [1]: nearer, its neighbours miss the band
CLOSE = 0.25  # change of the logarithm of a ratio between periods looked at, at the most
EXACT = 0.005  # relative error of what is known of the ratios between them [1]
PERIODS = 60  # at which the filter is set
BEYOND = 1.15  # how far the filter reaches past the ends of the band
FILTERINGS = 3
CORRECTIONS = 30  # by wavelets, at the most; two or three are enough at a damping of 5 %
DRAWS = 8  # of the noise, until one leads into the band: nearly always the first
REACHED = 0.75  # of the largest amplification there is: more than that at many periods is hardly found [1]
REST = 1.5  # periods of the slow filter after the envelope, in the first third of which the noise fades
ONSET = 0.25  # in which a motion starts from nothing [s]
CLIPPED = 1.15  # of the wanted peak of the ground, to which a higher one is cut [1]
ROUNDING = 1e-3  # on the diagonal of the matrix of wavelets: those of close periods are nearly the same


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

    rise: float = ruled(2.0, Number("s", above=0.0))
    level: float = ruled(10.0, Number("s", above=0.0))
    decay: float = ruled(8.0, Number("s", above=0.0))

    def __post_init__(self) -> None:
        checked_fields(self)

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
        Of the filter of slow motion [Hz]: 1/corner should be longer than the longest period. The ground
        comes to rest within 1.5/corner after the envelope.
    name : str
        What messages, datasets and figures call the motion.

    Returns
    -------
    Motion
        `metadata` has the smallest and the largest ratio of each component at the periods looked at,
        ``ratio_least_x`` and so on; these are so close that the band holds between them.

    Raises
    ------
    MotionError
        If a number is out of its range, or the target asks for more amplification than its damping
        allows, or no motion in the band is found: the target then changes too fast from period to period.
    """
    wanted = _listed(targets, band_periods, corner, name)
    envelope = envelope or Envelope()
    shortest = min(band[0] for _, band in wanted.values())
    if not (isfinite(dt) and 0 < dt <= shortest / 4):
        raise MotionError(
            f"motion '{name}': dt must be > 0 and at most a quarter of the shortest period, "
            f"{shortest / 4:g} s, got {dt!r}: lower dt, or begin band_periods later"
        )
    check_length(name, envelope.rise + envelope.level + envelope.decay + REST / corner, dt)
    noise_length = ceil((envelope.rise + envelope.level + envelope.decay) / dt) + 1
    length = noise_length + ceil(REST / corner / dt)
    shape = envelope.at(np.arange(noise_length, dtype=np.float64) * dt)
    weight = np.append(shape, np.zeros(length - noise_length))
    samples = np.zeros((3, length))
    facts: dict[str, str | float] = {"source": "spectrum-compatible noise"}
    for direction, (target, band) in wanted.items():
        axis = "xyz".index(direction)
        _check_amplification(target, band)
        for _ in range(DRAWS):
            start = np.zeros(length)
            start[:noise_length] = shape * rng.standard_normal(noise_length)
            samples[axis], least, most = _adapt(start, weight, dt, target, band, corner)
            if not _outside(np.array([least, most])).any():
                break
        else:
            raise MotionError(
                f"motion '{name}': none of {DRAWS} draws has a spectrum between {BAND[0]} and {BAND[1]} of "
                f"the target '{target.name}' from {band[0]:g} to {band[1]:g} s; the last one reaches from "
                f"{least:.2f} to {most:.2f}. Make the target smoother or lower compared with its value at "
                f"period 0, the envelope longer or band_periods shorter"
            )
        facts |= {f"target_{direction}": target.name}
        facts |= {f"ratio_least_{direction}": least, f"ratio_largest_{direction}": most}
    facts["history"] = "synthetic motion adapted to a target spectrum"
    return Motion(samples, dt, name, metadata=facts)


def _listed(
    targets: TargetSpectrum | Sequence[TargetSpectrum | None],
    band_periods: tuple[float, float],
    corner: float,
    name: str,
) -> dict[str, tuple[TargetSpectrum, tuple[float, float]]]:
    """Targets by direction, each with the ends of the band as far as it reaches [s]."""
    listed = [targets] if isinstance(targets, TargetSpectrum) else list(targets)
    if not (any(target is not None for target in listed) and len(listed) <= 3):
        raise MotionError(
            f"motion '{name}': one to three target spectra are needed, for x, y and z, got {targets!r}"
        )
    checked(Number("Hz", above=0.0), f"motion '{name}': corner", corner)
    first, last = band_periods
    if not (isfinite(last) and 0 < first < last):
        raise MotionError(
            f"motion '{name}': band_periods must be two increasing periods > 0 [s], got {band_periods!r}"
        )
    wanted = {}
    for direction, target in zip("xyz", listed, strict=False):
        if target is None:
            continue
        band = max(first, float(target.periods[0])), min(last, float(target.periods[-1]))
        if not band[0] < band[1]:
            raise MotionError(
                f"target spectrum '{target.name}': no period of the band from {first:g} to {last:g} s is "
                f"within it; it reaches from {target.periods[0]:g} to {target.periods[-1]:g} s: change "
                f"band_periods"
            )
        wanted[direction] = target, band
    return wanted


def _check_amplification(target: TargetSpectrum, band: tuple[float, float]) -> None:
    """Refuse a target that no motion in the band has.

    The ground that always pushes an oscillator the way it goes, with its peak, moves it farthest: its
    pseudo-acceleration becomes the peak of the ground times coth(pi z/2 sqrt(1 - z^2)), z the damping.
    """
    if target.periods[0] > 0:
        return
    z = target.damping
    largest = 1 / tanh(pi * z / (2 * sqrt(1 - z * z)))
    periods = np.clip(target.periods, *band)
    highest = int(target.at(periods).argmax())
    wanted = float((target.at(periods) / target.at(0.0))[highest])
    allowed = REACHED * largest * BAND[1] / BAND[0]
    if wanted > allowed:
        raise MotionError(
            f"target spectrum '{target.name}': at {periods[highest]:g} s it is {wanted:.3g} times its "
            f"value at period 0, but no motion with the damping {z:g} has a spectrum near that: the limit is "
            f"{allowed:.3g} times. Lower the damping, or leave period 0 out of the target"
        )


def _adapt(
    start: FloatArray,
    weight: FloatArray,
    dt: float,
    target: TargetSpectrum,
    band: tuple[float, float],
    corner: float,
) -> tuple[FloatArray, float, float]:
    """Component (n_time,) [m/s2] with its spectrum in the band, or nearest to it, and its extreme ratios.

    `start` (n_time,) is filtered, and then changed by wavelets in proportion to the square of `weight`
    (n_time,) [1].
    """
    n = len(start)
    time = np.arange(n, dtype=np.float64) * dt
    window = np.minimum(time / ONSET, 1.0)
    fading = round(REST / corner / dt)
    window[-fading:] *= np.clip(1 - 3 * np.arange(fading) / fading, 0.0, 1.0)
    weight = (window * weight) ** 2
    rough = window * start
    for turn in range(FILTERINGS):
        shaken = remove_slow_motion(rough, dt, corner)
        if turn > 0:  # before that the noise has no size
            rough = rough + window * _towards_peak(shaken, target)
        rough = window * _filtered(rough, shaken, dt, target, band, corner)
    duration = np.count_nonzero(start) * dt
    periods = _close_periods(band, target.damping, duration)
    best, smallest_miss, least, most = rough, inf, 0.0, inf
    for _ in range(CORRECTIONS):
        shaken = remove_slow_motion(rough, dt, corner)
        peaks, times = peak_responses(shaken, dt, periods, target.damping)
        wanted = target.at(periods)
        ratios = np.abs(peaks) / wanted
        every = np.append(ratios, _peak_ratio(shaken, target))
        is_inside = not _outside(every).any()
        if is_inside:
            between, theirs = _look_between(shaken, dt, target, periods, ratios, duration)
            every = np.append(every, theirs)
        miss = float(np.abs(np.log(every / MIDDLE)).max())
        if miss < smallest_miss:
            best, smallest_miss, least, most = shaken, miss, float(every.min()), float(every.max())
        if is_inside:
            out = _outside(theirs)
            if not out.any():
                break
            periods = np.sort(np.append(periods, between[out]))  # are looked at from now on
            continue
        far = _farthest(ratios)
        change = np.sign(peaks[far]) * (np.clip(ratios[far], *AIM) - ratios[far])
        wavelets = _wavelets(time, dt, periods[far], times[far], target.damping, corner) / wanted[far, None]
        # what each wavelet does to each peak; einsum adds in the same order on any number of threads
        effects = np.einsum("it,jt->ij", weight * wavelets, wavelets)
        effects[np.diag_indices_from(effects)] *= 1 + ROUNDING
        heights = np.linalg.solve(effects, change)
        rough = rough + window * _towards_peak(shaken, target)
        rough += weight * np.einsum("i,it->t", heights, wavelets)
    return best, least, most


def _outside(ratios: FloatArray) -> NDArray[np.bool_]:
    """Mask of the ratios out of the band, less what they are exact to."""
    return (ratios < BAND[0] * (1 + EXACT)) | (ratios > BAND[1] / (1 + EXACT))


def _peak_ratio(motion: FloatArray, target: TargetSpectrum) -> FloatArray:
    """Peak of the ground over that of the target (1,), or (0,) if it has none [1]."""
    return np.abs(motion).max() / target.at(0.0) if target.periods[0] == 0 else np.empty(0)


def _towards_peak(motion: FloatArray, target: TargetSpectrum) -> FloatArray:
    """Change (n_time,) of the samples above the peak of the target, or of the highest one below it [m/s2]."""
    if target.periods[0] > 0:
        return np.zeros_like(motion)
    wanted = float(target.at(0.0)[0])
    change = np.clip(motion, -CLIPPED * wanted, CLIPPED * wanted) - motion
    highest = int(np.abs(motion).argmax())
    change[highest] += np.sign(motion[highest]) * max(AIM[0] * wanted - abs(motion[highest]), 0.0)
    return np.asarray(change)


def _filtered(
    rough: FloatArray,
    shaken: FloatArray,
    dt: float,
    target: TargetSpectrum,
    band: tuple[float, float],
    corner: float,
) -> FloatArray:
    """`rough` (n_time,) with each frequency times the target over the spectrum of `shaken` (n_time,)."""
    from scipy.fft import next_fast_len

    periods = np.geomspace(band[0] / BEYOND, band[1] * BEYOND, PERIODS)
    # before its own beginning the target is level, past its end it goes on as it ends
    known = np.clip(periods, target.periods[0], target.periods[-1])
    towards_end = np.maximum(target.periods[-1] / np.array([BEYOND, 1.0]), target.periods[0])
    slope = np.diff(np.log(target.at(towards_end))) / np.diff(np.log(towards_end))
    wanted = target.at(known) * np.maximum(periods / known, 1.0) ** slope
    gain = np.log(MIDDLE * wanted / response_spectrum(shaken, dt, periods, target.damping))
    padded = next_fast_len(len(rough) + ceil(2 / corner / dt), real=True)  # no end runs into the beginning
    frequencies = np.maximum(np.fft.rfftfreq(padded, dt), 1e-6)
    gains = np.exp(np.interp(-np.log(frequencies), np.log(periods), gain))
    return np.fft.irfft(np.fft.rfft(rough, padded) * gains, padded)[: len(rough)]


def _steepness(periods: FloatArray, damping: float, duration: float) -> FloatArray:
    """Change of the logarithm of a spectrum with that of the period, at the most (n_period,) [1].

    It goes with the radians that an oscillator remembers, 1/(2 damping) as a standard deviation, or with
    those that the motion lasts. The factor is measured: the steepest place in 100 000 reaches 1.01 of this
    at a damping of 1 % and 0.72 at 5 %.
    """
    return 1 + 1.3 * np.minimum(0.5 / damping, duration / periods)


def _close_periods(band: tuple[float, float], damping: float, duration: float) -> FloatArray:
    """Periods (n_period,) [s] between which the logarithm of a spectrum changes by `CLOSE` at the most."""
    fine = np.geomspace(*band, 1000)
    changes = _steepness(fine[1:], damping, duration) * np.diff(np.log(fine))
    change = np.append(0.0, np.cumsum(changes))
    return np.interp(np.linspace(0.0, change[-1], ceil(change[-1] / CLOSE) + 1), change, fine)


def _look_between(
    motion: FloatArray,
    dt: float,
    target: TargetSpectrum,
    periods: FloatArray,
    ratios: FloatArray,
    duration: float,
) -> tuple[FloatArray, FloatArray]:
    """Periods between those looked at and the ratios there, until the band holds everywhere or is left.

    A spectrum is the highest of many smooth curves, one for each swing of the oscillator, with cusps where
    they cross. Its steepness says how far it can go between two periods; if that is out of the band, the
    period in the middle is looked at.
    """
    new = np.zeros(len(periods), dtype=bool)
    while True:
        reach = np.exp(0.5 * _steepness(periods[:-1], target.damping, duration) * np.diff(np.log(periods)))
        middle = np.sqrt(ratios[:-1] * ratios[1:])
        out = _outside(ratios)
        unsure = (middle < BAND[0] * reach) | (middle * reach > BAND[1])
        at = np.flatnonzero(unsure & ~out[:-1] & ~out[1:])
        if not len(at):
            return periods[new], ratios[new]
        between = np.sqrt(periods[at] * periods[at + 1])
        theirs = response_spectrum(motion, dt, between, target.damping) / target.at(between)
        periods, ratios = np.insert(periods, at + 1, between), np.insert(ratios, at + 1, theirs)
        new = np.insert(new, at + 1, True)


def _farthest(ratios: FloatArray) -> NDArray[np.intp]:
    """Where ratios are outside of what the wavelets aim at, and farther than their neighbours."""
    miss = np.abs(np.log(ratios) - np.log(np.clip(ratios, *AIM)))
    around = np.concatenate([[0.0], miss, [0.0]])
    return np.flatnonzero((miss > 0) & (miss >= around[:-2]) & (miss > around[2:]))


def _wavelets(
    time: FloatArray, dt: float, periods: FloatArray, times: FloatArray, damping: float, corner: float
) -> FloatArray:
    """Responses of oscillators at their `times` (n_period,) to a unit sample at each `time` (n_time,) [1].

    (n_period, n_time). The pseudo-acceleration, with the slow filter before the oscillator, whose gain is
    taken at the pole of the oscillator.
    """
    omega = np.asarray(2 * pi / periods[:, None])
    wave = omega * sqrt(1 - damping * damping)
    pole = -damping * omega + 1j * wave
    height = -(omega**2) / wave * dt * (pole / (pole + 2 * pi * corner)) ** 2
    lag = times[:, None] - time
    since = np.maximum(lag, 0.0)
    swing = np.abs(height) * np.exp(-damping * omega * since) * np.sin(wave * since + np.angle(height))
    return np.where(lag > 0, swing, 0.0)
