"""The significant part of a motion."""

from __future__ import annotations

from math import ceil, floor, isfinite

import numpy as np

from mcrock.excitation.measures.component import energy_of, time_of_share
from mcrock.excitation.motion import FloatArray, Motion, MotionError, changed


def trim(
    motion: Motion, start: float = 0.05, end: float = 0.95, padding: float = 2.0, taper: float = 1.0
) -> Motion:
    """Return the part of the motion in which it is significant.

    That is from `padding` before the Arias intensities of the two horizontal components together reach
    the share `start` of their final sum (of the vertical, if there is no other) to `padding` after
    they reach `end`, at whole samples and as far as the record goes. Ends that were cut rise and fall
    with half a cosine of length `taper`.

    Parameters
    ----------
    motion : Motion
    start, end : float
        Shares of the Arias intensity [1].
    padding, taper : float
        [s], the taper not longer than the padding, so that the significant part stays as it is.

    Raises
    ------
    MotionError
        Unless ``0 <= start < end <= 1`` and ``0 <= taper <= padding``, or if the motion is zero
        throughout.
    """
    if not 0 <= start < end <= 1:
        raise MotionError(
            f"motion '{motion.name}': shares of the Arias intensity must be 0 <= start < end <= 1 [1], "
            f"got {start!r} and {end!r}"
        )
    if not (isfinite(padding) and 0 <= taper <= padding):
        raise MotionError(
            f"motion '{motion.name}': trim needs 0 <= taper <= padding [s], got {taper!r} and {padding!r}"
        )
    horizontal = motion.acceleration[:2]
    counted = horizontal if horizontal.any() else motion.acceleration[2:]
    energy = np.sum([energy_of(component, motion.dt) for component in counted], axis=0)
    if not energy[-1] > 0:
        raise MotionError(f"motion '{motion.name}' is zero throughout, so no part of it is significant")
    first_time, last_time = (time_of_share(energy, motion.dt, share) for share in (start, end))
    n = motion.acceleration.shape[1]
    first = max(floor((first_time - padding) / motion.dt), 0)
    last = min(ceil((last_time + padding) / motion.dt), n - 1)
    part = motion.acceleration[:, first : last + 1].copy()
    rise = _taper(part.shape[1], taper, motion.dt)
    if first > 0:
        part *= rise
    if last < n - 1:
        part *= rise[::-1]
    return changed(
        motion,
        part,
        f"trimmed to {first * motion.dt:g}-{last * motion.dt:g} s: {start:g} to {end:g} of the Arias "
        f"intensity with {padding:g} s around it, tapered over {taper:g} s",
    )


def _taper(n: int, taper: float, dt: float) -> FloatArray:
    """Factors (n,) that rise from 0 to 1 over the time `taper` [s] along half a cosine."""
    if taper == 0:
        return np.ones(n)
    angle = np.pi * np.clip(np.arange(n) * dt / taper, 0, 1)
    return np.asarray(0.5 - 0.5 * np.cos(angle), dtype=np.float64)
