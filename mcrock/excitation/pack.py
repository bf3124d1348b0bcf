"""Ground motions end to end in one array, the form in which compiled code reads them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mcrock.excitation.motion import Motion, MotionError
from mcrock.excitation.pulse import Pulse
from mcrock.params import MotionPack


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
        `pulse` (n_motion, 7): ax, ay, az [m/s2], omega [rad/s], phase [rad], start, end [s], all
        zero for a recorded motion.

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
    blocks = [np.empty((0, 3)) if isinstance(m, Pulse) else m.acceleration.T for m in motions]
    length = np.array([len(block) for block in blocks], dtype=np.int64)
    return MotionPack(
        samples=np.ascontiguousarray(np.concatenate(blocks)),
        first=np.cumsum(length) - length,
        length=length,
        dt=np.array([0.0 if isinstance(m, Pulse) else m.dt for m in motions]),
        pulse=np.array([_pulse_row(m) if isinstance(m, Pulse) else (0.0,) * 7 for m in motions]),
    )


def _pulse_row(pulse: Pulse) -> tuple[float, ...]:
    """Columns of `MotionPack.pulse`."""
    return (*pulse.amplitude, pulse.angular_frequency, pulse.phase, pulse.start, pulse.end)
