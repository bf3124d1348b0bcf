"""Rest of a planar block, compiled: how long it lasts, and which motion ends in it."""

from __future__ import annotations

from math import asin, cos, pi

import numpy as np

from mcrock.base.jit import jit
from mcrock.kernel.shaking import A_X, A_Z, END, OMEGA, ORIGIN, PHASE, SINE, acceleration, count_segments
from mcrock.planar.columns import DISTANCE, EDGE_SIZE, GRAVITY, HEIGHT, INERTIA, PlanarResult

# numpy integers: a Python integer constant would compile a function once for each value
RIGHT, LEFT, REST = np.int64(0), np.int64(1), np.int64(-1)
SLACK = 1e-12  # share of the moment of the weight that is rounding [1]


@jit
def next_lift(block, segment, t):
    """When a block at rest lifts in the segment, from ``t`` on [s], and the edge about which it turns.

    Infinite if it does not. The moment about an edge is linear in the acceleration of the ground, so
    that the roots are exact on linear pieces and on sines.
    """
    when, lifts, lowest = np.inf, REST, 0.0
    a, b = acceleration(segment, t), acceleration(segment, segment[END])
    for side in (RIGHT, LEFT):
        arm = block[HEIGHT] if side == RIGHT else -block[HEIGHT]
        weight = block[GRAVITY] * block[side * EDGE_SIZE + DISTANCE]
        pull = weight / block[GRAVITY]
        now = weight + pull * a[2] + arm * a[0]  # moment that holds the block down, over its mass
        if segment[SINE] == 0.0:
            then = weight + pull * b[2] + arm * b[0]
            falling = then < now
            found = t + (segment[END] - t) * max(now / (now - then), 0.0) if then < 0.0 < now else np.inf
        else:
            swing = pull * segment[A_Z] + arm * segment[A_X]
            angle = segment[OMEGA] * (t - segment[ORIGIN]) + segment[PHASE]
            falling = swing * cos(angle) < 0.0
            found = np.inf
            if abs(swing) > weight:
                start = asin(weight / abs(swing)) + (pi if swing > 0.0 else 0.0)
                found = t + ((start - angle) % (2.0 * pi)) / segment[OMEGA]
        if now <= 0.0 and (falling or now < -SLACK * weight):
            found = t
        if found < when or (found == when and now < lowest):
            when, lifts, lowest = found, side, now
    return when, lifts


@jit
def last_still_piece(block, motions, motion, turn, piece, result):
    """Last piece of a record, from ``piece`` on, through which a block at rest stays at rest.

    Between samples the moments about the edges are linear: a block that the samples do not lift stays.
    """
    if motions.length[motion] == 0:
        return piece
    c, s, scale, _, _ = turn  # the ground is level
    first, gravity, height = motions.first[motion], block[GRAVITY], block[HEIGHT]
    pieces = count_segments(motions, motion)
    while piece + 1 < pieces:
        sample = motions.samples[first + piece + 2]
        down, across = gravity + scale * sample[2], height * (c * sample[0] - s * sample[1])
        if down * block[DISTANCE] + across <= 0.0 or down * block[EDGE_SIZE + DISTANCE] - across <= 0.0:
            break
        result[PlanarResult.NORMAL_FORCE] = min(result[PlanarResult.NORMAL_FORCE], down / gravity)
        piece += 1
    return piece


@jit
def comes_to_rest(block, edge, rate, a, settings):
    """Whether the next half-cycle of rocking, in the present acceleration, is shorter than the rest time."""
    down = block[GRAVITY] + a[2]
    held = min(
        down * block[DISTANCE] + block[HEIGHT] * a[0],
        down * block[EDGE_SIZE + DISTANCE] - block[HEIGHT] * a[0],
    )
    return held > 0.0 and 2.0 * edge[INERTIA] * rate < settings.rest_time * held


@jit
def see_rest(result, gravity, segment, begin, end):
    """Update contact diagnostics with what the vertical acceleration does at rest between two times."""
    lowest = min(acceleration(segment, begin)[2], acceleration(segment, end)[2])
    if segment[SINE] != 0.0 and segment[A_Z] != 0.0:
        angle = segment[OMEGA] * (begin - segment[ORIGIN]) + segment[PHASE]
        trough = -0.5 * pi if segment[A_Z] > 0.0 else 0.5 * pi
        if (trough - angle) % (2.0 * pi) <= segment[OMEGA] * (end - begin):
            lowest = -abs(segment[A_Z])
    result[PlanarResult.NORMAL_FORCE] = min(result[PlanarResult.NORMAL_FORCE], 1.0 + lowest / gravity)
    if lowest <= -gravity:
        result[PlanarResult.CONTACT_LOST] = 1.0


@jit
def leave_rest(block, motions, motion, turn, piece, t, t_end, trace):
    """How long a block at rest stays in its segment, or in the pieces that follow.

    Returns
    -------
    t, side, piece : float, int, int
        The time up to then [s], the edge about which it then lifts, REST if it does not, and the piece of
        the motion in which that is.
    """
    segment, result = trace.segment, trace.result
    when, lifts = next_lift(block, segment, t)
    see_rest(result, block[GRAVITY], segment, t, min(when, segment[END]))
    if when <= segment[END]:
        return when, lifts, piece
    if piece >= count_segments(motions, motion):
        return t, REST, piece
    last = last_still_piece(block, motions, motion, turn, piece, result)
    return segment[END] if last == piece else min((last + 1) * motions.dt[motion], t_end), REST, last
