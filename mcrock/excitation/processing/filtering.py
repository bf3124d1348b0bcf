"""Another time step, and another frequency band.

Boore, D. M. (2005). On pads and filters: processing strong-motion data. Bulletin of the Seismological
Society of America 95(2), 745-750.
"""

from __future__ import annotations

from math import ceil, isfinite

import numpy as np

from mcrock.base.checks import Integer, Number
from mcrock.excitation.motion import (
    MOST_SAMPLES,
    FloatArray,
    Motion,
    MotionError,
    changed,
    check_length,
    checked,
)

CROSSINGS = 64  # zeros of the sinc on each side
ATTENUATION = 80.0  # of what lies above the lower Nyquist frequency [dB]
KAISER = 0.1102 * (ATTENUATION - 8.7)  # shape of the window, Kaiser's formula
# width of the transition over its centre, from Kaiser's formula for the length of the window
TRANSITION = (ATTENUATION - 8) / (2.285 * np.pi * 2 * CROSSINGS)
BATCH = 4096  # new samples computed together
PADDING = 1.5  # times order over the lowest corner frequency [s], Boore (2005)
SAME_STEP = 1e-9  # relative difference of steps that counts as none


def resample(motion: Motion, dt: float) -> Motion:
    """Return the motion at another time step, with the frequencies that both steps can show.

    The samples are taken for those of a band-limited signal, zero before the first and after the last:
    a sinc with 64 zeros on each side under a Kaiser window is laid through them. Up to 0.92 of the lower
    Nyquist frequency nothing changes (within 1e-4), above it everything is down by 80 dB. A record that
    does not begin and end at zero rings there.

    Parameters
    ----------
    motion : Motion
        Recorded at any step; no ratio of steps is special.
    dt : float
        New step [s].

    Returns
    -------
    Motion
        Its last sample is the first at or after the old last one.

    Raises
    ------
    MotionError
        If `dt` is not finite and positive, or leaves fewer than two samples.
    """
    checked(Number("s", above=0.0), f"motion '{motion.name}': the new dt", dt)
    if dt >= motion.duration:
        raise MotionError(
            f"motion '{motion.name}': the new dt must be below the duration, {motion.duration:g} s, "
            f"got {dt:g}"
        )
    if abs(dt - motion.dt) <= SAME_STEP * motion.dt:
        return changed(motion, motion.acceleration, f"step of {dt:g} s, as it was", dt)
    phrase = f"resampled from {motion.dt:g} s to {dt:g} s"
    n_old = motion.acceleration.shape[1]
    ratio = dt / motion.dt
    check_length(motion.name, motion.duration, dt)
    n_new = ceil((n_old - 1) / ratio - SAME_STEP) + 1
    cutoff = min(1.0, 1 / ratio) / (1 + TRANSITION / 2)  # over the old Nyquist frequency
    reach = ceil(CROSSINGS / cutoff)
    padded = np.pad(motion.acceleration, ((0, 0), (reach, reach + 2 + ceil(ratio))))
    new = np.empty((3, n_new))
    offsets = np.arange(-reach + 1, reach + 1)
    for first in range(0, n_new, BATCH):
        place = np.arange(first, min(first + BATCH, n_new)) * ratio  # in old steps
        nearest = np.floor(place + SAME_STEP).astype(np.int64)
        # steps in a simple ratio meet the same few places between samples again and again
        between, which = np.unique((place - nearest).round(9), return_inverse=True)
        weights = _windowed_sinc(cutoff * (offsets - between[:, None]))
        weights /= weights.sum(axis=1, keepdims=True)
        samples = padded[:, nearest[:, None] + (offsets + reach)]
        new[:, first : first + len(place)] = np.einsum("ctk,tk->ct", samples, weights[which])
    return changed(motion, new, phrase, dt)


def bandpass(
    motion: Motion,
    low: float | None = None,
    high: float | None = None,
    order: int = 4,
    causal: bool = False,
    keep_padding: bool = False,
) -> Motion:
    """Return the motion without what lies below `low` and above `high`: a Butterworth filter.

    The zero-phase filter runs forwards and backwards and delays nothing: its gain at the corners is
    1/2, and it begins before the motion does. The causal one runs once: gain 0.707, phase of its own.
    Zeros are added before filtering, Boore's (2005) 1.5 order/low seconds (order/high without a low
    corner), on both sides or, for the causal filter, at the end. They are cut off again unless
    `keep_padding` is set; what the filter put there is then lost, and velocity and displacement do not
    end at zero.

    Parameters
    ----------
    motion : Motion
    low, high : float, optional
        Corner frequencies [Hz]; one of them may be left out.
    order : int
        Of the filter run once [1].
    causal : bool
        Whether it runs forwards only.
    keep_padding : bool
        Whether the added time stays, which then moves the record to later times.

    Raises
    ------
    MotionError
        Unless ``0 < low < high <`` the Nyquist frequency, and the order is from 1 to 10.
    """
    nyquist = 0.5 / motion.dt
    corners = [corner for corner in (low, high) if corner is not None]
    if not corners:
        raise MotionError(f"motion '{motion.name}': a band-pass needs low or high, corner frequencies [Hz]")
    if not all(isfinite(corner) and 0 < corner < nyquist for corner in corners):
        raise MotionError(
            f"motion '{motion.name}': corner frequencies must be between 0 and the Nyquist frequency, "
            f"{nyquist:g} Hz, got {', '.join(f'{corner:g}' for corner in corners)}"
        )
    if len(corners) == 2 and corners[0] >= corners[1]:
        raise MotionError(
            f"motion '{motion.name}': low must be below high [Hz], got {corners[0]:g} and {corners[1]:g}"
        )
    checked(Integer(1, 10), f"motion '{motion.name}': order of a filter", order)
    from scipy.signal import butter, sosfilt, sosfiltfilt

    kind = "highpass" if high is None else "lowpass" if low is None else "bandpass"
    sections = butter(
        order, corners if len(corners) == 2 else corners[0], kind, fs=1 / motion.dt, output="sos"
    )
    n = ceil(PADDING * order / corners[0] / motion.dt)
    if n > MOST_SAMPLES:
        raise MotionError(
            f"motion '{motion.name}': a corner of {corners[0]:g} Hz needs {n * motion.dt:.3g} s of padding, "
            f"{n:.3g} samples, and {MOST_SAMPLES:g} are the most"
        )
    before = 0 if causal else n
    padded = np.pad(motion.acceleration, ((0, 0), (before, n)))
    filtered = sosfilt(sections, padded) if causal else sosfiltfilt(sections, padded, padlen=0)
    words = {"highpass": f"high-pass {low} Hz", "lowpass": f"low-pass {high} Hz"}
    phrase = f"{words.get(kind, f'band-pass {low} to {high} Hz')}, Butterworth order {order}, "
    phrase += "causal" if causal else "zero-phase"
    if keep_padding:
        phrase += f", {n * motion.dt:g} s of padding kept" + (" at the end" if causal else " at both ends")
    else:
        filtered = filtered[:, before : before + motion.acceleration.shape[1]]
    return changed(motion, filtered, phrase)


def _windowed_sinc(t: FloatArray) -> FloatArray:
    """Kaiser-windowed sinc at `t` zero crossings from its centre."""
    inside = np.clip(1 - (t / CROSSINGS) ** 2, 0, None)
    return np.where(np.abs(t) < CROSSINGS, np.sinc(t) * np.i0(KAISER * np.sqrt(inside)), 0.0)
