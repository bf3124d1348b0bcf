"""Ground motions end to end in one array, the form in which compiled code reads them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mcrock.base.params import BLOCK, MotionPack, PulseColumn
from mcrock.excitation.motion import FloatArray, Motion, MotionError
from mcrock.excitation.pulses.pulse import Pulse

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
