"""Motion of a planar block, compiled: rest, rocking over one edge, impacts, overturning.

Over an edge the block has one angle, phi >= 0, its tilt over that edge; the signed rotation is phi
over the right edge and -phi over the left one. With the slenderness alpha and c = m R/K of the edge
(K the inertia about it) the equation of motion is

    phi'' = -c [ (g + a_z) sin(alpha - phi) + s a_x cos(alpha - phi) ],   s = 1 right, -1 left

exact for any tilt. It does not contain phi', so that Nystrom's method of fourth order needs three
evaluations in a step. A landing multiplies the angular velocity by the ratio r of the new edge.
Compiled code writes blocks, results, history and events by the names of their columns; Python reads by them.
"""

from __future__ import annotations

from enum import IntEnum, auto
from math import acos, asin, cos, pi, sin, sqrt
from typing import Any, NamedTuple

import numpy as np

from mcrock.base.jit import jit
from mcrock.base.params import Event, Outcome
from mcrock.kernel.layout import SEGMENT
from mcrock.kernel.roots import EVENT_TIME, cubic_peak, first_landing
from mcrock.kernel.shaking import acceleration, count_segments, end_of_run, end_of_shaking, load_segment
from mcrock.kernel.step import HARDLY

# columns of a block, those of an edge first: slenderness [rad], c = m R/K [1/m], R [m], K/m [m2],
# distance from the COM [m] and velocity ratio of landings on it [1]; those of the left edge follow
ALPHA, PULL, RADIUS, INERTIA, DISTANCE, RATIO, EDGE_SIZE = range(7)
# gravity [m/s2], COM height [m], p [rad/s], smallest slenderness [rad] and energy over mass that the
# lower of the two barriers takes [m2/s2]
GRAVITY, HEIGHT, FREQUENCY, SLENDERNESS, BARRIER, BLOCK_SIZE = range(2 * EDGE_SIZE, 2 * EDGE_SIZE + 6)


class PlanarResult(IntEnum):
    """Columns of the results of a run."""

    OUTCOME = 0  # code of `mcrock.base.params.Outcome`
    OVERTURNING_TIME = auto()  # [s]
    PEAK_RIGHT = auto()  # largest tilt over the right edge [rad]
    PEAK_LEFT = auto()  # and over the left one, in the next column [rad]
    PEAK_RATIO = auto()  # largest tilt over the smaller slenderness [1]
    IMPACTS = auto()
    UPLIFTS = auto()
    ENERGY_LOSS = auto()  # over mass [m2/s2]
    FRICTION = auto()  # largest horizontal over vertical contact force [1]
    NORMAL_FORCE = auto()  # smallest vertical contact force over the weight [1]
    CONTACT_LOST = auto()
    MARGIN = auto()  # of the free motion to overturning, see `mcrock.planar.integrate.decide` [1]
    END_TIME = auto()  # [s]
    STEPS = auto()


class PlanarTrace(NamedTuple):
    """Room for what one run writes; of a history and events of length 0 nothing is kept."""

    result: np.ndarray  # (`PlanarResult`,)
    segment: Any  # record of the motion, as it is now
    history: np.ndarray  # (n, `PlanarHistory`)
    events: np.ndarray  # (n, `PlanarEvent`)
    used: np.ndarray  # (2,) rows of each written, past the end if there was no room


class PlanarHistory(IntEnum):
    """Columns of the history: one row for each step."""

    TIME = 0  # [s]
    SIDE = auto()  # edge about which it turns
    ROTATION = auto()  # signed [rad]
    RATE = auto()  # signed [rad/s]
    ENERGY = auto()  # above lying flat, over mass [m2/s2]


class PlanarEvent(IntEnum):
    """Columns of the event list: one row for each change of contact."""

    TIME = 0  # [s]
    KIND = auto()  # code of `Event`
    SIDE = auto()  # edge about which it turns afterwards
    RATE = auto()  # signed, afterwards [rad/s]
    ENERGY_CHANGE = auto()  # over mass [m2/s2]
    ROTATION = auto()  # signed [rad]


def empty_trace(rows: int, events: int) -> PlanarTrace:
    """Room for the results of a run, ``rows`` of history and a number of ``events``."""
    return PlanarTrace(
        np.zeros(len(PlanarResult)),
        np.zeros(1, SEGMENT)[0],
        np.zeros((rows, len(PlanarHistory))),
        np.zeros((events, len(PlanarEvent))),
        np.zeros(2, dtype=np.int64),
    )


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
    a, b = acceleration(segment, t), acceleration(segment, segment.end)
    for side in (RIGHT, LEFT):
        arm = block[HEIGHT] if side == RIGHT else -block[HEIGHT]
        weight = block[GRAVITY] * block[side * EDGE_SIZE + DISTANCE]
        pull = weight / block[GRAVITY]
        now = weight + pull * a[2] + arm * a[0]  # moment that holds the block down, over its mass
        if segment.sine == 0.0:
            then = weight + pull * b[2] + arm * b[0]
            falling = then < now
            found = t + (segment.end - t) * max(now / (now - then), 0.0) if then < 0.0 < now else np.inf
        else:
            swing = pull * segment.a_z + arm * segment.a_x
            angle = segment.omega * (t - segment.origin) + segment.phase
            falling = swing * cos(angle) < 0.0
            found = np.inf
            if abs(swing) > weight:
                start = asin(weight / abs(swing)) + (pi if swing > 0.0 else 0.0)
                found = t + ((start - angle) % (2.0 * pi)) / segment.omega
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
    if segment.sine != 0.0 and segment.a_z != 0.0:
        angle = segment.omega * (begin - segment.origin) + segment.phase
        trough = -0.5 * pi if segment.a_z > 0.0 else 0.5 * pi
        if (trough - angle) % (2.0 * pi) <= segment.omega * (end - begin):
            lowest = -abs(segment.a_z)
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
    see_rest(result, block[GRAVITY], segment, t, min(when, segment.end))
    if when <= segment.end:
        return when, lifts, piece
    if piece >= count_segments(motions, motion):
        return t, REST, piece
    last = last_still_piece(block, motions, motion, turn, piece, result)
    return segment.end if last == piece else min((last + 1) * motions.dt[motion], t_end), REST, last


AT_REST, ROCKING, OVERTURNED = int(Outcome.AT_REST), int(Outcome.ROCKING), int(Outcome.OVERTURNED)
STEP_LIMIT, IMPACT_LIMIT = int(Outcome.STEP_LIMIT), int(Outcome.IMPACT_LIMIT)
INSTANT_LIMIT, NOT_FINITE = int(Outcome.INSTANT_LIMIT), int(Outcome.NOT_FINITE)
SETTLING, LIFTED_OFF = int(Outcome.SETTLING), int(Outcome.LIFTED_OFF)
START, UPLIFT, FACET_IMPACT = 0, int(Event.UPLIFT), int(Event.FACET_IMPACT)
REST_EVENT, OVERTURN = int(Event.REST), int(Event.OVERTURN)

TOUCH = 1e-12  # tilt that counts as flat [rad]
STILL = 1e-9  # an uplift this slow [rad/s] that ends this soon [s] is none
SMALL_TURN = 0.1  # turn up to which the series below is exact to rounding [rad]
SINE_STEP = 0.1  # largest step in a sine pulse, in radians of the pulse
REFINEMENTS = 40  # of the time of an event, by stepping again from the start of the step
CONVERGED, CONVERGED_TIME = 1e-4, 1e-7  # Newton corrections of a landing, over the step and [s]
INSTANT_EVENTS = 200  # events at one instant before the run is given up
SWINGS = 100  # swings of free motion looked at before the run is given up
PEAKS = int(PlanarResult.PEAK_RIGHT)  # column of the peak over the right edge, that over the left one follows
FALL = 0.25 * pi  # contact forces are watched up to this tilt: the end of every fall unloads the edge [rad]


class Runs(NamedTuple):
    """Runs from rest: what each takes, and where its results go."""

    block: np.ndarray  # (n,) row of the blocks
    motion: np.ndarray  # (n,) number in the pack
    scale: np.ndarray  # (n,) factor on the motion, which acts along x [1]
    out: np.ndarray  # (n, `PlanarResult`)


class Settings(NamedTuple):
    """Numerical settings of a run, see `mcrock.impact.conditions.Controls`."""

    step: float
    max_step: float
    rest_time: float
    max_steps: int
    max_impacts: int
    tail: float  # time after the shaking at which a run from rest ends [s]
    follow: bool  # integrate the free motion after the shaking, rather than decide it by its energy


@jit
def turned_back(lean, d):
    """Sine and cosine of an angle less ``d`` [rad], from those of the angle.

    A step turns the block by little: short series, exact to rounding, take half of the time of a step off.
    """
    if abs(d) > SMALL_TURN:
        sine, cosine = sin(d), cos(d)
    else:
        q = d * d
        sine = d * (1.0 - q / 6.0 * (1.0 - q / 20.0 * (1.0 - q / 42.0 * (1.0 - q / 72.0))))
        cosine = 1.0 - q / 2.0 * (1.0 - q / 12.0 * (1.0 - q / 30.0 * (1.0 - q / 56.0)))
    return lean[0] * cosine - lean[1] * sine, lean[1] * cosine + lean[0] * sine


@jit
def angular_acceleration(edge, gravity, sign, a, lean):
    """phi'' about an edge [rad/s2] at a ground acceleration and sine and cosine of alpha - phi."""
    return -edge[PULL] * ((gravity + a[2]) * lean[0] + sign * a[0] * lean[1])


@jit(inline=True)
def step(edge, gravity, sign, segment, now, h):
    """Turn [rad] and rate [rad/s] a time ``h`` [s] after ``now``.

    That is a time [s], the tilt [rad], its rate, sine and cosine of alpha less the tilt, and phi''.
    """
    t, _, rate, lean, start = now
    a, turn = acceleration(segment, t + 0.5 * h), h * (0.5 * rate + 0.125 * h * start)
    middle = angular_acceleration(edge, gravity, sign, a, turned_back(lean, turn))
    b, turn = acceleration(segment, t + h), h * (rate + 0.5 * h * middle)
    end = angular_acceleration(edge, gravity, sign, b, turned_back(lean, turn))
    return h * (rate + h * (start + 2.0 * middle) / 6.0), rate + h * (start + 4.0 * middle + end) / 6.0


@jit
def locate_landing(edge, gravity, sign, segment, now, h, first):
    """Time of a landing within a step [s] and the rate there, by Newton's method from a ``first`` guess."""
    low, high, h = 0.0, h, max(first, EVENT_TIME)
    for _ in range(REFINEMENTS):
        turn, rate1 = step(edge, gravity, sign, segment, now, h)
        phi1 = now[1] + turn
        if phi1 > 0.0:
            low = max(low, h)
        else:
            high = min(high, h)
        guess = h - phi1 / rate1 if rate1 < 0.0 else -1.0
        if abs(guess - h) <= min(CONVERGED * h, CONVERGED_TIME):
            h = min(max(guess, low), high)
            break
        h = guess if low < guess < high else 0.5 * (low + high)
    return h, min(step(edge, gravity, sign, segment, now, h)[1], 0.0)


@jit
def locate_overturning(edge, gravity, sign, segment, now, h):
    """Time within a step at which the tilt is 90 degrees [s] and the rate there, by bisection."""
    low, high = 0.0, h
    while high - low > EVENT_TIME:
        middle = 0.5 * (low + high)
        if middle <= low or middle >= high:
            break
        if now[1] + step(edge, gravity, sign, segment, now, middle)[0] < 0.5 * pi:
            low = middle
        else:
            high = middle
    return high, step(edge, gravity, sign, segment, now, high)[1]


@jit
def see_force(result, gravity, edge, rate, lean, second, down, push):
    """Update contact diagnostics with the ground reaction at a rate and second rate of the tilt.

    Returns its normal part over the mass [m/s2].
    """
    up, across = edge[RADIUS] * lean[1], edge[RADIUS] * lean[0]
    normal = down + across * second - up * rate * rate
    result[PlanarResult.NORMAL_FORCE] = min(result[PlanarResult.NORMAL_FORCE], normal / gravity)
    if normal <= 0.0:
        result[PlanarResult.CONTACT_LOST] = 1.0
    else:
        horizontal = abs(push + up * second + across * rate * rate)
        result[PlanarResult.FRICTION] = max(result[PlanarResult.FRICTION], horizontal / normal)
    return normal


@jit
def energy_of(block, side, phi, rate):
    """Energy above lying flat, over the mass [m2/s2]."""
    edge = block[side * EDGE_SIZE :]
    height = edge[RADIUS] * (cos(edge[ALPHA] - phi) - cos(edge[ALPHA]))
    return 0.5 * edge[INERTIA] * rate * rate + block[GRAVITY] * height


@jit
def decide(block, side, phi, rate, result):
    """How free motion on ground that stays still ends, in closed form.

    With p^2 = c g the block overturns about the edge it turns about, without another landing, if and
    only if phi'/p + 2 sin((phi - alpha)/2) > 0: that is the stable branch of the balanced state. Else it
    lands with the speed that its energy gives, and goes on over the other edge.
    """
    impacts = result[PlanarResult.IMPACTS]
    for swing in range(SWINGS):
        edge = block[side * EDGE_SIZE :]
        alpha, p = edge[ALPHA], sqrt(edge[PULL] * block[GRAVITY])
        growth = rate / p + 2.0 * sin(0.5 * (phi - alpha))
        result[PlanarResult.MARGIN] = max(result[PlanarResult.MARGIN], growth / (2.0 * sin(0.5 * alpha)))
        if growth > 0.0:
            result[PEAKS + side] = 0.5 * pi
            result[PlanarResult.IMPACTS] = impacts + swing
            return OVERTURNED
        level = 0.5 * (rate / p) ** 2 + cos(alpha - phi)  # cosine of alpha - phi where it turns back
        if rate > 0.0:
            result[PEAKS + side] = max(result[PEAKS + side], alpha - acos(min(level, 1.0)))
        # the peaks over both edges have been seen after three swings, and the later ones are lower
        if swing >= 2 and energy_of(block, side, phi, rate) < block[BARRIER]:
            return SETTLING
        speed = p * sqrt(max(2.0 * (level - cos(alpha)), 0.0))
        side = 1 - side
        phi, rate = 0.0, block[side * EDGE_SIZE + RATIO] * speed
    return ROCKING


@jit
def note(block, side, phi, rate, trace, t, kind, change):
    """Add the present state to the history, and to the event list if ``kind`` is an event."""
    if trace.history.shape[0] == 0:
        return
    sign = -1.0 if side == LEFT else 1.0
    if trace.used[0] < trace.history.shape[0]:
        row = trace.history[trace.used[0]]
        row[PlanarHistory.TIME], row[PlanarHistory.SIDE] = t, side
        row[PlanarHistory.ROTATION], row[PlanarHistory.RATE] = sign * phi, sign * rate
        row[PlanarHistory.ENERGY] = energy_of(block, side, phi, rate) if side >= 0 else 0.0
    trace.used[0] += 1
    if kind != START:
        if trace.used[1] < trace.events.shape[0]:
            row = trace.events[trace.used[1]]
            row[PlanarEvent.TIME], row[PlanarEvent.KIND], row[PlanarEvent.SIDE] = t, kind, side
            row[PlanarEvent.RATE], row[PlanarEvent.ENERGY_CHANGE] = sign * rate, change
            row[PlanarEvent.ROTATION] = sign * phi
        trace.used[1] += 1


@jit(inline=True)
def tried_step(block, side, phi, rate, trace, t, longest):
    """A step from ``t`` on, within its segment.

    Returns
    -------
    now : tuple
        The state at its start, see `step`.
    h : float
        Its length [s].
    ends_piece : bool
        Whether it ends the segment.
    phi1, rate1 : float
        Tilt [rad] and rate [rad/s] at its end.
    normal : float
        Ground reaction over the mass at its start [m/s2].
    """
    edge, gravity, segment, normal = block[side * EDGE_SIZE :], block[GRAVITY], trace.segment, np.inf
    sign = 1.0 if side == RIGHT else -1.0
    a = acceleration(segment, t)
    angle = edge[ALPHA] - phi
    lean = (sin(angle), cos(angle))
    second = angular_acceleration(edge, gravity, sign, a, lean)
    if phi <= FALL:
        normal = see_force(trace.result, gravity, edge, rate, lean, second, gravity + a[2], sign * a[0])
    room = segment.end - t
    allowed = longest if segment.sine == 0.0 else min(longest, SINE_STEP / segment.omega)
    h = room / np.ceil(room / allowed)
    now = (t, phi, rate, lean, second)
    turned, rate1 = step(edge, gravity, sign, segment, now, h)
    return now, h, h == room, phi + turned, rate1, normal


@jit
def land(block, side, now, h, first, settings, trace):
    """A landing within a step of ``h`` [s], about ``first`` [s] after its start.

    Returns
    -------
    h, side, rate : float, int, float
        When it is [s], the edge about which the block turns afterwards, REST if it comes to rest, and its
        rate [rad/s].
    change : float
        Energy after less energy before, over the mass [m2/s2].
    """
    edge, segment, result = block[side * EDGE_SIZE :], trace.segment, trace.result
    t, phi, rate = now[0], now[1], now[2]
    h, speed = locate_landing(
        edge, block[GRAVITY], 1.0 if side == RIGHT else -1.0, segment, now, h, first
    )  # fmt: skip
    if rate > 0.0:  # it rose and came back within the step
        result[PEAKS + side] = max(result[PEAKS + side], cubic_peak(phi, rate, 0.0, speed, h))
    side = 1 - side
    other = block[side * EDGE_SIZE :]
    rate = -other[RATIO] * speed
    change = 0.5 * (other[INERTIA] * rate * rate - edge[INERTIA] * speed * speed)
    result[PlanarResult.IMPACTS] += 1.0
    result[PlanarResult.ENERGY_LOSS] -= change
    if rate == 0.0 or comes_to_rest(block, other, rate, acceleration(segment, t + h), settings):
        return h, REST, 0.0, change
    return h, side, rate, change


@jit
def overturn(block, side, now, h, trace):
    """Time [s] at which the block passes 90 degrees within a step, with its results; notes the event."""
    result, sign = trace.result, 1.0 if side == RIGHT else -1.0
    edge = block[side * EDGE_SIZE :]
    h, rate = locate_overturning(edge, block[GRAVITY], sign, trace.segment, now, h)
    t, phi = now[0] + h, 0.5 * pi
    result[PEAKS + side], result[PlanarResult.MARGIN], result[PlanarResult.OVERTURNING_TIME] = phi, np.inf, t
    note(block, side, phi, rate, trace, t, OVERTURN, 0.0)
    return t


@jit
def clear(result):
    """Results of a run that has not begun."""
    for i in range(result.shape[0]):
        result[i] = 0.0
    result[PlanarResult.OVERTURNING_TIME] = np.nan
    result[PlanarResult.NORMAL_FORCE], result[PlanarResult.MARGIN] = 1.0, -1.0


@jit
def outcome_at_end(block, side, phi, rate, shakes):
    """Outcome of a run that meets its last time, while the ground ``shakes`` or after."""
    if shakes:
        return ROCKING
    if side < 0:
        return AT_REST
    settles = energy_of(block, side, phi, rate) < block[BARRIER] and phi < block[SLENDERNESS]
    return SETTLING if settles else ROCKING


@jit
def run(block, motions, motion, turn, settings, start, t_end, trace):
    """Integrate one run until rest without shaking, overturning or ``t_end`` [s].

    Parameters
    ----------
    block : ndarray (BLOCK_SIZE,)
        See `mcrock.planar.integrate`.
    motions, motion
        Pack of ground motions and the one that acts.
    turn : tuple of 5 float
        Scale of the motion times cosine and sine of its azimuth, the scale [1], and the pull of level
        ground, 0.
    settings : Settings
    start : tuple
        Edge (REST for none), tilt [rad] and its rate [rad/s].
    t_end : float
        [s].
    trace : PlanarTrace
        Room for what the run writes.
    """
    segment, result = trace.segment, trace.result
    clear(result)
    side, phi, rate = start
    longest = min(settings.max_step, settings.step / block[FREQUENCY])
    piece, pieces = np.int64(0), count_segments(motions, motion)
    t, at_instant, rested = 0.0, 0, False
    load_segment(motions, motion, turn, piece, t_end, segment)
    if side >= 0:
        result[PEAKS + side] = phi
    note(block, side, phi, rate, trace, t, START, 0.0)
    while True:
        outcome = INSTANT_LIMIT
        if at_instant > INSTANT_EVENTS:
            break
        while segment.end <= t and t < t_end:
            piece += 1
            load_segment(motions, motion, turn, piece, t_end, segment)
            if piece > pieces:
                break
        if t >= t_end:
            outcome = outcome_at_end(block, side, phi, rate, t < end_of_shaking(motions, motion))
            break
        if side < 0:
            when, lifts, piece = leave_rest(block, motions, motion, turn, piece, t, t_end, trace)
            if lifts < 0 and piece >= pieces:
                outcome = AT_REST
                break
            if lifts < 0:
                t = when
                continue
            at_instant = at_instant + 1 if when - t <= EVENT_TIME else 0
            if at_instant > INSTANT_EVENTS:
                break
            t, side, phi, rate, rested = when, lifts, 0.0, 0.0, True
            result[PlanarResult.UPLIFTS] += 1.0
            note(block, side, phi, rate, trace, t, UPLIFT, 0.0)
            if t >= segment.end:
                continue
        elif piece >= pieces and not settings.follow:
            outcome = decide(block, side, phi, rate, result)
            break
        result[PlanarResult.STEPS] += 1.0
        outcome = STEP_LIMIT
        if result[PlanarResult.STEPS] > settings.max_steps:
            break
        now, h, ends_piece, phi1, rate1, normal = tried_step(block, side, phi, rate, trace, t, longest)
        outcome = LIFTED_OFF
        if rested and normal < 0.0 and phi <= HARDLY * block[SLENDERNESS]:
            break
        if phi1 <= 0.0 or phi <= TOUCH or rate < 0.0 < rate1:
            landing = first_landing(phi, rate, phi1, rate1, h, TOUCH)
            if 0.0 <= landing <= STILL and phi <= TOUCH and rate <= STILL:
                side, phi, rate = REST, 0.0, 0.0
                at_instant += 1
                note(block, side, phi, rate, trace, t, REST_EVENT, 0.0)
                continue
            if landing >= 0.0:
                h, side, rate, change = land(block, side, now, h, landing, settings, trace)
                t, phi, at_instant, rested = t + h, 0.0, at_instant + 1 if h <= EVENT_TIME else 0, False
                note(block, side, phi, rate, trace, t, FACET_IMPACT, change)
                outcome = IMPACT_LIMIT
                if result[PlanarResult.IMPACTS] >= settings.max_impacts:
                    break
                continue
        if phi1 >= 0.5 * pi:
            t, outcome = overturn(block, side, now, h, trace), OVERTURNED
            break
        outcome = NOT_FINITE
        if not (phi1 > -np.inf and abs(rate1) < np.inf):
            break
        if rate > 0.0 > rate1:
            result[PEAKS + side] = max(result[PEAKS + side], cubic_peak(phi, rate, phi1, rate1, h))
        t = segment.end if ends_piece else t + h
        phi, rate, at_instant = phi1, rate1, 0
        result[PEAKS + side] = max(result[PEAKS + side], phi)
        note(block, side, phi, rate, trace, t, START, 0.0)
    result[PlanarResult.OUTCOME], result[PlanarResult.END_TIME] = outcome, t
    peak = max(result[PlanarResult.PEAK_RIGHT], result[PlanarResult.PEAK_LEFT])
    result[PlanarResult.PEAK_RATIO] = peak / block[SLENDERNESS]


@jit
def run_many(blocks, motions, runs, settings, first, last, trace):
    """Runs from rest number ``first`` to ``last`` - 1, each ended the tail after its motion at the latest."""
    for i in range(first, last):
        motion, scale = runs.motion[i], runs.scale[i]
        turn, t_end = (scale, 0.0, scale, 0.0, 0.0), end_of_run(motions, motion, settings.tail)
        run(blocks[runs.block[i]], motions, motion, turn, settings, (REST, 0.0, 0.0), t_end, trace)
        for column in range(runs.out.shape[1]):
            runs.out[i, column] = trace.result[column]
