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


@jit(inline=True, internal=True)
def acceleration(segment, t):
    """Ground acceleration at time ``t`` [s] of a segment (3 numbers) [m/s2]."""
    if segment.sine != 0.0:
        s = sin(segment.omega * (t - segment.origin) + segment.phase)
        return segment.a_x * s + segment.b_x, segment.a_y * s + segment.b_y, segment.a_z * s
    d = t - segment.begin
    return segment.a_x + segment.b_x * d, segment.a_y + segment.b_y * d, segment.a_z + segment.b_z * d


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
    segment.sine = 0.0
    if piece >= count_segments(motions, motion):
        segment.begin, segment.end = end_of_shaking(motions, motion), t_end
        segment.a_x, segment.a_y, segment.a_z = slope_x, slope_y, 0.0
        segment.b_x, segment.b_y, segment.b_z = 0.0, 0.0, 0.0
    elif motions.length[motion] > 0:
        dt = motions.dt[motion]
        i = motions.first[motion] + piece
        now, after = motions.samples[i], motions.samples[i + 1]
        rate = 1.0 / dt
        segment.begin, segment.end = piece * dt, (piece + 1) * dt
        x, y = c * now[0] - s * now[1], s * now[0] + c * now[1]
        segment.a_x, segment.a_y, segment.a_z = x + slope_x, y + slope_y, scale * now[2]
        segment.b_x = (c * after[0] - s * after[1] - x) * rate
        segment.b_y = (s * after[0] + c * after[1] - y) * rate
        segment.b_z = (scale * after[2] - segment.a_z) * rate
    else:
        pulse = motions.pulse[motion]
        segment.b_x, segment.b_y, segment.b_z = 0.0, 0.0, 0.0
        if piece == 0:
            segment.begin, segment.end = 0.0, pulse[PulseColumn.START]
            segment.a_x, segment.a_y, segment.a_z = slope_x, slope_y, 0.0
        else:
            segment.b_x, segment.b_y = slope_x, slope_y
            x, y = pulse[PulseColumn.A_X], pulse[PulseColumn.A_Y]
            segment.a_x, segment.a_y = c * x - s * y, s * x + c * y
            segment.a_z = scale * pulse[PulseColumn.A_Z]
            segment.sine, segment.origin = 1.0, pulse[PulseColumn.START]
            segment.omega, segment.phase = pulse[PulseColumn.OMEGA], pulse[PulseColumn.PHASE]
            segment.begin, segment.end = pulse[PulseColumn.START], pulse[PulseColumn.END]
    segment.end = min(segment.end, t_end)


@jit(inline=True, internal=True)
def see_kink(run, samples):
    """Fill in how the rate of a recorded acceleration changes at the end of the present piece. Returns
    whether the motion and the run go on there."""
    turn, piece, t_end, segment = run.turn, run.piece, run.end, run.segment
    segment.kink_x, segment.kink_y, segment.kink_z = 0.0, 0.0, 0.0
    if piece + 1 >= run.length - 1 or segment.end >= t_end:
        return False
    c, s, scale = turn[0], turn[1], turn[2]
    i, rate = run.first + piece, 1.0 / run.dt
    before, now, after = samples[i], samples[i + 1], samples[i + 2]
    x, y = after[0] - 2.0 * now[0] + before[0], after[1] - 2.0 * now[1] + before[1]
    segment.kink_x, segment.kink_y = rate * (c * x - s * y), rate * (s * x + c * y)
    segment.kink_z = rate * scale * (after[2] - 2.0 * now[2] + before[2])
    return True
