"""Baselines: what an instrument adds to the ground's motion, and its integrals show.

Boore, D. M. (2001). Effect of baseline corrections on displacements and response spectra for several
recordings of the 1999 Chi-Chi, Taiwan, earthquake. Bulletin of the Seismological Society of America
91(5), 1199-1211.

Iwan, W. D., Moser, M. A., Peng, C.-Y. (1985). Some observations on strong-motion earthquake measurement
using a digital accelerograph. Bulletin of the Seismological Society of America 75(5), 1225-1246.
"""

from __future__ import annotations

from math import isfinite

import numpy as np
from numpy.typing import NDArray

from mcrock.base.checks import Integer
from mcrock.excitation.measures.component import velocity_of
from mcrock.excitation.motion import FloatArray, Motion, MotionError, changed, checked


def remove_mean(motion: Motion, duration: float | None = None) -> Motion:
    """Return the motion less the mean of each component, over its first `duration` [s] or all of it.

    The usual first step for a digital record: `duration` is the quiet time before the first wave.

    Raises
    ------
    MotionError
        If `duration` is not positive or longer than the record.
    """
    n = motion.acceleration.shape[1]
    words = "mean removed"
    if duration is not None:
        if not 0 < duration <= motion.duration:
            raise MotionError(
                f"motion '{motion.name}': duration of the mean must be above 0 and at most that of the "
                f"record, {motion.duration:g} s, got {duration!r}"
            )
        n = max(round(duration / motion.dt), 1)
        words = f"mean of the first {duration:g} s removed"
    mean = motion.acceleration[:, :n].mean(axis=1, keepdims=True)
    return changed(motion, motion.acceleration - mean, words)


def correct_baseline(motion: Motion, order: int = 1) -> Motion:
    """Return the motion less the derivative of a polynomial fitted to the velocity of each component.

    The polynomial of order `order` is zero at time 0 and fitted by least squares to the velocity at all
    samples: order 1 removes a constant acceleration, order 2 a constant and a trend, and so on. A
    component that is zero throughout stays so.

    Raises
    ------
    MotionError
        Unless `order` is a whole number from 1 to 6.
    """
    checked(Integer(1, 6), f"motion '{motion.name}': order of the baseline", order)
    # time over the duration keeps the columns comparable; of each power what its samples integrate to
    powers = np.arange(1, order + 1)
    slopes = powers * np.linspace(0, 1, motion.acceleration.shape[1])[:, None] ** (powers - 1)
    columns = np.stack([velocity_of(slope, motion.dt) for slope in slopes.T], axis=1)
    corrected = []
    for component in motion.acceleration:
        factors = np.linalg.lstsq(columns, velocity_of(component, motion.dt), rcond=None)[0]
        corrected.append(component - slopes @ factors)
    return changed(motion, corrected, f"baseline: polynomial of order {order} fitted to the velocity")


def correct_segments(motion: Motion, start: float, end: float, fit_from: float | None = None) -> Motion:
    """Return the motion less a constant offset in its strong phase and another one after it.

    A line is fitted to the velocity of each component from `fit_from` on. Its slope is the offset after
    `end`; that between `start` and `end` brings the velocity onto the line at `end`. Iwan et al. (1985)
    gave the scheme, with times at 0.5 m/s2; Boore (2001) shows how little its displacements can be
    trusted when the times are chosen otherwise.

    Parameters
    ----------
    motion : Motion
    start, end : float
        Times [s] between which the baseline moves.
    fit_from : float, optional
        Start [s] of the fitted part, `end` by default.

    Raises
    ------
    MotionError
        Unless ``0 <= start < end <= fit_from <`` the duration, and three samples remain to be fitted.
    """
    fitted = end if fit_from is None else fit_from
    times = (start, end, fitted)
    if not (all(map(isfinite, times)) and 0 <= start < end <= fitted <= motion.duration - 2 * motion.dt):
        raise MotionError(
            f"motion '{motion.name}': baseline needs 0 <= start < end <= fit_from, two steps before the end "
            f"of the record, {motion.duration:g} s, got {start!r}, {end!r} and {fitted!r} [s]"
        )
    time = motion.time
    part = time >= fitted - 1e-9 * motion.dt
    corrected = [
        component - _offset(time, part, velocity_of(component, motion.dt), start, end)
        for component in motion.acceleration
    ]
    return changed(
        motion,
        corrected,
        f"baseline: constant offsets from {start:g} to {end:g} s and after it, "
        f"line fitted to the velocity from {fitted:g} s",
    )


def _offset(
    time: FloatArray, part: NDArray[np.bool_], velocity: FloatArray, start: float, end: float
) -> FloatArray:
    """Offsets of the acceleration (n_time,) [m/s2] that bring the velocity to zero from `end` on."""
    late, level = np.polyfit(time[part] - end, velocity[part], 1)
    return np.where(time < start, 0.0, np.where(time < end, level / (end - start), late))
