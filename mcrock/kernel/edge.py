"""EDGE: the body turns about an edge, one degree of freedom.

It ends where a face lands, where one end lifts off, or, with friction, where the edge slips.
"""

from __future__ import annotations

from math import atan2, cos, sin, sqrt

import numpy as np

from mcrock.base.jit import jit
from mcrock.base.params import Response
from mcrock.kernel import codes, results
from mcrock.kernel.dynamics import (
    FIRST,
    NONE,
    SECOND,
    contact_vertex,
    edge_com,
    edge_contact,
    edge_frame,
    edge_step,
    in_face,
    move_pivot,
    on_rim,
    orientation,
    place_rim,
    point_of,
    small_turn,
    vertex_lift,
)
from mcrock.kernel.results import edge_demand, edge_sticks
from mcrock.kernel.roots import BISECTIONS, EVENT_TIME, first_landing
from mcrock.kernel.rotation import flattened, to_ground, turned, vertical
from mcrock.kernel.shaking import acceleration
from mcrock.kernel.step import (
    REFINEMENTS,
    RELEASE_TIME,
    SLIP_SLACK,
    STILL,
    TOUCH,
    UPRIGHT,
    corrected,
    lifts_off,
    see_step,
    tilt_rate,
)


@jit(internal=True)
def advance_edge(run, h):
    """One step of EDGE mode over at most ``h`` [s]; no release before ``run.held_until`` [s].

    Returns the time advanced [s], the event, and the face that lands.
    """
    body, result, t, friction = run.body, run.result, run.t, run.friction
    state, segment, k = run.state, run.segment, run.place
    edge, gravity, angle0, rate0 = body.edges[k], body.gravity, state.angle, state.rate
    c0, s0 = cos(angle0), sin(angle0)
    before, end, stuck, k1, normal, square, ends = release(
        body, k, state, (angle0, rate0, c0, s0), acceleration(segment, t)
    )
    up = edge_up(edge, c0, s0)
    results.see_force(result, gravity, square, normal, up[2])
    results.see_edge(result, ends)
    if normal < 0.0 and lifts_off(run, up):
        return 0.0, codes.NO_EVENT, NONE
    if friction.on and _slips(friction, gravity, ends):
        return 0.0, codes.SLIP, NONE
    if stuck:
        result[Response.EDGE_STICK_INFEASIBLE] = 1.0
    if before > 0.0 and t >= run.held_until:
        run.kept_end = end
        return 0.0, codes.EDGE_RELEASE, NONE
    com_n, com_z = edge_com(edge, c0, s0)
    start = gravity, com_n, com_z, k1
    turn, rate1 = edge_step(edge, state, start, segment, t, h)
    landing, face, sign, target = _first_face(body, k, (angle0, rate0), (turn, rate1), h)
    if 0.0 <= landing <= STILL and sign * (angle0 - target) <= TOUCH and abs(rate0) <= STILL:
        return 0.0, codes.REST_EVENT, face
    event = codes.NO_EVENT
    if landing >= 0.0:
        dips = sign * (angle0 + turn - target) > 0.0
        h, turn, rate1, event = _locate_face(run, start, h, landing, (sign, target, dips))
    c1, s1 = _turned(c0, s0, turn)
    seen = t + h > run.held_until
    if seen:
        margin, end, stuck, _, _, _, ends = release(
            body, k, state, (angle0 + turn, rate1, c1, s1), acceleration(segment, t + h)
        )
        if stuck:
            result[Response.EDGE_STICK_INFEASIBLE] = 1.0
        if margin > 0.0:
            times = max(0.0, run.held_until - t), h
            h, run.kept_end, turn, rate1 = _locate_release(run, start, times, (before, margin), end)
            event, face, seen = codes.EDGE_RELEASE, NONE, False
            c1, s1 = _turned(c0, s0, turn)
    if friction.on:
        if not seen:
            ends = _ends_of(run, t + h, angle0 + turn, rate1, c1, s1)
        if _slips(friction, gravity, ends):
            h, turn, rate1 = _first_time(run, start, h, codes.SLIP)
            event = codes.SLIP
            c1, s1 = _turned(c0, s0, turn)
    elif event != codes.NO_EVENT and results.certifiable(result):
        results.see_edge(result, _ends_of(run, t + h, angle0 + turn, rate1, c1, s1))
    after = edge_up(edge, c1, s1)
    if after[2] <= (UPRIGHT if event == codes.FACET_IMPACT else 0.0) and not results.has_overturned(result):
        h, turn, rate1 = _first_time(run, start, h, codes.OVERTURN)
        event, after = codes.OVERTURN, edge_up(edge, cos(angle0 + turn), sin(angle0 + turn))
        result[Response.PEAK_TILT] = 1.0
    state.angle, state.rate = angle0 + turn, rate1
    d0 = tilt_rate(up, rate0 * edge.along_x, rate0 * edge.along_y, rate0 * edge.along_z)
    d1 = tilt_rate(after, rate1 * edge.along_x, rate1 * edge.along_y, rate1 * edge.along_z)
    see_step(result, up, after, d0, d1, h)
    if event == codes.OVERTURN:
        edge_pose(edge, state, state.angle, rate1)
    return h, event, face


@jit(inline=True, internal=True)
def _turned(c0, s0, turn):
    """Cosine and sine of an angle after a further turn [rad]."""
    c, s = small_turn(turn)
    return c0 * c - s0 * s, s0 * c + c0 * s


@jit(inline=True, internal=True)
def _first_face(body, k, begin, end, h):
    """When a face at edge ``k`` lands in a step over ``h`` [s], from angle and rate at its start, and turn
    and rate at its end: the time [s], negative if none does, the face, and sign and target of its angle."""
    (angle0, rate0), (turn, rate1), opening = begin, end, body.edges[k].opening
    landing = first_landing(angle0, rate0, angle0 + turn, rate1, h, TOUCH)
    if opening < np.inf:
        other = first_landing(opening - angle0, -rate0, opening - angle0 - turn, -rate1, h, TOUCH)
        if other >= 0.0 and (landing < 0.0 or other < landing):
            return other, body.edge_faces[k, 1], -1.0, opening
    return landing, body.edge_faces[k, 0], 1.0, 0.0


@jit(internal=True)
def _locate_face(run, start, whole, landing, goal):
    """When a face lands, first guessed at ``landing`` [s], in a step over ``whole`` [s]; ``goal`` has sign
    and target of its angle, and whether it rises again. Returns the time [s], the turn [rad], the rate
    [rad/s] and the event."""
    state, segment, t = run.state, run.segment, run.t
    edge, angle0 = run.body.edges[run.place], run.state.angle
    sign, target, dips = goal
    low, high, h = 0.0, whole, max(landing, EVENT_TIME)
    turn, rate = 0.0, 0.0
    for _ in range(REFINEMENTS):
        turn, rate = edge_step(edge, state, start, segment, t, h)
        gap, speed = sign * (angle0 + turn - target), sign * rate
        if gap > 0.0:
            low = max(low, h)
        else:
            high = min(high, h)
        h, found = corrected(h, gap, speed, low, high)
        if found == 1:
            turn, rate = edge_step(edge, state, start, segment, t, h)
        if found > 0:
            break
    if dips and not (sign * (angle0 + turn - target) <= TOUCH and sign * rate < 0.0):
        # the interpolation dips below the ground, the motion does not
        turn, rate = edge_step(edge, state, start, segment, t, whole)
        return whole, turn, rate, codes.NO_EVENT
    return h, turn, rate, codes.FACET_IMPACT


@jit(internal=True)
def _first_time(run, start, high, event):
    """First time in a step of EDGE mode at which the body axis is level, or, for the event SLIP, the edge
    cannot stick [s], the turn [rad] and the rate [rad/s]."""
    state, segment, t = run.state, run.segment, run.t
    edge, angle0, low = run.body.edges[run.place], run.state.angle, 0.0
    for _ in range(BISECTIONS):
        if high - low <= EVENT_TIME:
            break
        middle = 0.5 * (low + high)
        turn, rate = edge_step(edge, state, start, segment, t, middle)
        angle = angle0 + turn
        c, s = cos(angle), sin(angle)
        if event == codes.SLIP:
            beyond = _slips(run.friction, start[0], _ends_of(run, t + middle, angle, rate, c, s))
        else:
            beyond = edge_up(edge, c, s)[2] <= 0.0
        if beyond:
            high = middle
        else:
            low = middle
    turn, rate = edge_step(edge, state, start, segment, t, high)
    return high, turn, rate


@jit(inline=True, internal=True)
def edge_up(edge, c, s):
    """The vertical in body axes at an angle of EDGE mode with cosine and sine (3 numbers)."""
    return (
        c * edge.up_x + s * edge.normal_x,
        c * edge.up_y + s * edge.normal_y,
        c * edge.up_z + s * edge.normal_z,
    )


@jit(inline=True, internal=True)
def _ends_of(run, t, angle, rate, c, s):
    """Forces at both ends of the edge in EDGE mode, as `release` has them."""
    body = run.body
    a = acceleration(run.segment, t)
    _, _, _, _, _, _, ends = release(body, run.place, run.state, (angle, rate, c, s), a)
    return ends


@jit(internal=True)
def _slips(friction, gravity, ends):
    """Whether an edge cannot stick with the static friction coefficient; as an end unloads both its forces
    go to zero, and their rounding does not count."""
    static, slack = friction.static, SLIP_SLACK * gravity
    n_p, n_q, f_p, f_q, along = ends
    n_p, n_q = n_p + slack, n_q + slack
    square = static * static
    return (
        not edge_sticks(square, n_p, n_q, f_p, f_q, along) and edge_demand(n_p, n_q, f_p, f_q, along) > square
    )


@jit(internal=True)
def _locate_release(run, start, times, margins, end):
    """First release between two ``times`` after ``t`` [s], by the Illinois method.

    ``margins`` are those there. Returns its time [s], the end kept, the turn [rad] and the rate [rad/s].
    """
    body, t = run.body, run.t
    state, segment, k = run.state, run.segment, run.place
    edge, angle0, (low, high), (below, above) = body.edges[k], state.angle, times, margins
    for i in range(REFINEMENTS):
        if high - low <= RELEASE_TIME:
            break
        guess = low + (high - low) * below / (below - above)
        if i % 4 == 3 or not low < guess < high:  # below is discontinuous where an edge is stuck
            guess = 0.5 * (low + high)
        turn, rate = edge_step(edge, state, start, segment, t, guess)
        angle, a = angle0 + turn, acceleration(segment, t + guess)
        margin, which, _, _, _, _, _ = release(body, k, state, (angle, rate, cos(angle), sin(angle)), a)
        if margin > 0.0:
            high, above, end = guess, margin, which
            below *= 0.5
        else:
            low, below = guess, min(margin, -1e-300)
            above *= 0.5
    turn, rate = edge_step(edge, state, start, segment, t, high)
    return high, end, turn, rate


@jit(internal=True)
def edge_pose(edge, state, angle, rate):
    """Orientation and angular velocity in EDGE mode at a given angle [rad] and rate [rad/s]."""
    q = turned((state.f0, state.f1, state.f2, state.f3), edge.along_x, edge.along_y, edge.along_z, angle)
    state.q0, state.q1, state.q2, state.q3 = q
    state.w_x, state.w_y, state.w_z = rate * edge.along_x, rate * edge.along_y, rate * edge.along_z


@jit(internal=True)
def posed(run):
    """A vertex on the ground, once the state has the orientation and velocity of EDGE mode."""
    state = run.state
    if run.mode == codes.EDGE:
        edge_pose(run.body.edges[run.place], state, state.angle, state.rate)
    return contact_vertex(run.body, run.mode, run.place)


@jit(internal=True)
def touching_point(run):
    """The same as a point in body axes (3 numbers) [m]."""
    body = run.body
    if on_rim(body, run.mode, run.place):
        place_rim(body, run.state)
    return point_of(body, posed(run))


@jit(internal=True)
def lay_edge(edge, state, q):
    """Keep the pose ``q`` from which the angle about an edge counts, and the direction of the edge."""
    state.f0, state.f1, state.f2, state.f3 = q
    x, y, _ = to_ground(q, edge.along_x, edge.along_y, edge.along_z)
    norm = sqrt(x * x + y * y)
    state.along_x, state.along_y = x / norm, y / norm


@jit(internal=True)
def enter_edge(body, state, pivot, k):
    """Start EDGE mode on edge ``k`` from a pose with both ends on the ground."""
    edge = body.edges[k]
    ux, uy, uz = vertical(orientation(state))
    across = ux * edge.normal_x + uy * edge.normal_y + uz * edge.normal_z
    state.angle = atan2(across, ux * edge.up_x + uy * edge.up_y + uz * edge.up_z)
    state.rate = state.w_x * edge.along_x + state.w_y * edge.along_y + state.w_z * edge.along_z
    q = orientation(state)
    q = turned(q, edge.along_x, edge.along_y, edge.along_z, -state.angle)
    q = flattened(q, edge.up_x, edge.up_y, edge.up_z)
    lay_edge(edge, state, q)
    move_pivot(body, state, pivot, body.edge_vertices[k, 0])
    edge_pose(edge, state, state.angle, state.rate)
    return codes.EDGE, k


@jit(inline=True, internal=True)
def release(body, k, state, lean, a):
    """Contact along edge ``k`` and whether it can be released; ``lean`` is its angle, rate, cosine and sine.

    The centre of pressure must be beyond an end AND the other end must accelerate upwards once
    released. A centre of pressure outside alone is not enough: a tilted block shaken along its
    edge would then drive the free end into the ground.

    Returns
    -------
    margin : float
        The smaller of the two conditions over gravity, positive if released [1].
    end : int
        0 or 1, the end about which the body would turn.
    stuck : bool
        The centre of pressure is outside and the edge cannot be released.
    acceleration : float
        Angular acceleration about the edge [rad/s2].
    normal, square : float
        Ground reaction over mass: normal part [m/s2] and the square of the horizontal part.
    ends : tuple of 5 float
        The same as forces at both ends: normal at the first and the second, across the edge at the first
        and the second, and along the edge at both together [m/s2].
    """
    edge, gravity = body.edges[k], body.gravity
    angle, rate, c, s = lean
    inward, lengthwise, down = edge_frame(state, gravity, a)
    acceleration, moment, force_n, normal, twist = edge_contact(edge, c, s, rate, inward, lengthwise, down)
    over_first = moment * edge.share
    over_second = -over_first - normal * edge.length * edge.share
    square = lengthwise * lengthwise + force_n * force_n
    margin = max(over_first, over_second)
    end = FIRST if over_first >= over_second else SECOND
    stuck = False
    if margin > 0.0:
        lift = freed_lift(body, k, end, state, angle, rate, a)
        margin, stuck = min(margin, lift / gravity), lift <= 0.0
    second, across = -over_first * gravity, twist * edge.share * gravity
    ends = normal - second, second, force_n - across, across, lengthwise
    return margin, end, stuck, acceleration, normal, square, ends


@jit(internal=True)
def freed_lift(body, k, end, state, angle, rate, a):
    """Vertical acceleration of the other end once edge ``k`` is held at ``end`` alone [m/s2]."""
    edge_pose(body.edges[k], state, angle, rate)
    kept, freed = body.edge_vertices[k, end], body.edge_vertices[k, 1 - end]
    return vertex_lift(body, kept, freed, state, a)


@jit(inline=True, internal=True)
def flatter_face(body, state, k):
    """The face at edge ``k`` that is closer to lying flat."""
    first, other = body.edge_faces[k, 0], body.edge_faces[k, 1]
    if other < 0:
        return first
    up = vertical(orientation(state))
    on_first, on_other = in_face(body.faces[first], up)[2], in_face(body.faces[other], up)[2]
    return first if on_first >= on_other else other
