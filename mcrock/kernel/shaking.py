"""Ground acceleration as compiled code sees it: one smooth segment at a time."""

from __future__ import annotations

from math import sin

from mcrock.base.jit import jit
from mcrock.base.params import PulseColumn


@jit(inline=True, internal=True)
def load(run, motions, piece):
    """Go to segment ``piece`` of the shaking."""
    run.piece = piece
    load_segment(motions, run.motion, run.turn, piece, run.end, run.segment)


# columns of a segment: its span [s]; acceleration at its start [m/s2] and rate [m/s3], or the
# amplitude [m/s2] and the frequency [rad/s], phase [rad] and start [s] of a sine, which has what is added to
# it [m/s2] in place of the rate; if asked for, how much the rate differs in the next segment [m/s3]
(
    BEGIN, END, A_X, A_Y, A_Z, B_X, B_Y, B_Z, SINE, OMEGA, PHASE, ORIGIN, KINK_X, KINK_Y, KINK_Z,
    SEGMENT_SIZE,
) = range(16)  # fmt: skip


@jit(inline=True, internal=True)
def acceleration(segment, t):
    """Ground acceleration at time ``t`` [s] of a segment (3 numbers) [m/s2]."""
    if segment[SINE] != 0.0:
        s = sin(segment[OMEGA] * (t - segment[ORIGIN]) + segment[PHASE])
        return segment[A_X] * s + segment[B_X], segment[A_Y] * s + segment[B_Y], segment[A_Z] * s
    d = t - segment[BEGIN]
    return segment[A_X] + segment[B_X] * d, segment[A_Y] + segment[B_Y] * d, segment[A_Z] + segment[B_Z] * d


@jit
def count_segments(motions, motion):
    """Number of segments in which the ground moves (or is about to)."""
    length = motions.length[motion]
    return length - 1 if length > 0 else 2


@jit
def end_of_shaking(motions, motion):
    """Time after which the ground stays still [s]."""
    length = motions.length[motion]
    return (length - 1) * motions.dt[motion] if length > 0 else motions.pulse[motion, PulseColumn.END]


@jit
def end_of_run(motions, motion, tail):
    """Time at which a run is given up [s], ``tail`` after the ground came to rest."""
    return end_of_shaking(motions, motion) + tail


@jit(inline=True)
def load_segment(motions, motion, turn, piece, t_end, segment):
    """Fill ``segment`` with a piece of a motion, by its number.

    ``turn`` is its scale times cosine and sine of its azimuth, the scale, and the pull of a slope along x and
    y [m/s2]: on ground that is not level bodies are pulled as if it moved so.

    After the last piece comes one of rest that ends at ``t_end`` [s].
    """
    c, s, scale, slope_x, slope_y = turn[0], turn[1], turn[2], turn[3], turn[4]
    segment[SINE] = 0.0
    if piece >= count_segments(motions, motion):
        segment[BEGIN], segment[END] = end_of_shaking(motions, motion), t_end
        segment[A_X], segment[A_Y], segment[A_Z] = slope_x, slope_y, 0.0
        segment[B_X], segment[B_Y], segment[B_Z] = 0.0, 0.0, 0.0
    elif motions.length[motion] > 0:
        dt = motions.dt[motion]
        i = motions.first[motion] + piece
        now, after = motions.samples[i], motions.samples[i + 1]
        rate = 1.0 / dt
        segment[BEGIN], segment[END] = piece * dt, (piece + 1) * dt
        x, y = c * now[0] - s * now[1], s * now[0] + c * now[1]
        segment[A_X], segment[A_Y], segment[A_Z] = x + slope_x, y + slope_y, scale * now[2]
        segment[B_X] = (c * after[0] - s * after[1] - x) * rate
        segment[B_Y] = (s * after[0] + c * after[1] - y) * rate
        segment[B_Z] = (scale * after[2] - segment[A_Z]) * rate
    else:
        pulse = motions.pulse[motion]
        segment[B_X], segment[B_Y], segment[B_Z] = 0.0, 0.0, 0.0
        if piece == 0:
            segment[BEGIN], segment[END] = 0.0, pulse[PulseColumn.START]
            segment[A_X], segment[A_Y], segment[A_Z] = slope_x, slope_y, 0.0
        else:
            segment[B_X], segment[B_Y] = slope_x, slope_y
            x, y = pulse[PulseColumn.A_X], pulse[PulseColumn.A_Y]
            segment[A_X], segment[A_Y] = c * x - s * y, s * x + c * y
            segment[A_Z] = scale * pulse[PulseColumn.A_Z]
            segment[SINE], segment[ORIGIN] = 1.0, pulse[PulseColumn.START]
            segment[OMEGA], segment[PHASE] = pulse[PulseColumn.OMEGA], pulse[PulseColumn.PHASE]
            segment[BEGIN], segment[END] = pulse[PulseColumn.START], pulse[PulseColumn.END]
    segment[END] = min(segment[END], t_end)


@jit(inline=True, internal=True)
def see_kink(run, samples):
    """Fill in how the rate of a recorded acceleration changes at the end of the present piece. Returns
    whether the motion and the run go on there."""
    turn, piece, t_end, segment = run.turn, run.piece, run.end, run.segment
    segment[KINK_X], segment[KINK_Y], segment[KINK_Z] = 0.0, 0.0, 0.0
    if piece + 1 >= run.length - 1 or segment[END] >= t_end:
        return False
    c, s, scale = turn[0], turn[1], turn[2]
    i, rate = run.first + piece, 1.0 / run.dt
    before, now, after = samples[i], samples[i + 1], samples[i + 2]
    x, y = after[0] - 2.0 * now[0] + before[0], after[1] - 2.0 * now[1] + before[1]
    segment[KINK_X], segment[KINK_Y] = rate * (c * x - s * y), rate * (s * x + c * y)
    segment[KINK_Z] = rate * scale * (after[2] - 2.0 * now[2] + before[2])
    return True
