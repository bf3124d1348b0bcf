"""Edge impacts to and fro, a whole step of them at once.

A body that rolls about an edge rocks sideways between its two ends, in flights that shrink by the ratio of
the impact map. While they are short against a step, gravity, ground acceleration and pose change little: all
flights of a step are taken with accelerations that change evenly over it, each of them a parabola that needs
no search for its end. Impacts, their parameters and what they are noted for are those of single flights.
"""

from __future__ import annotations

from math import inf, sqrt

from mcrock.base.jit import jit
from mcrock.base.params import Response
from mcrock.impact.planar import LAMBDA, is_fixed
from mcrock.impact.varkonyi_2022 import edge_map, kinetic_energy, plastic_edge
from mcrock.kernel import results
from mcrock.kernel.dynamics import (
    NONE,
    angular_velocity,
    attitude,
    copy_pose,
    force_turn,
    inertia_of,
    normalize,
    orientation,
    point_of,
    pulled,
    rates_at,
    rise,
    vertex_force,
)
from mcrock.kernel.ending import note_impact
from mcrock.kernel.friction.impacts import impulse_sticks, may_slip_in_impacts
from mcrock.kernel.landing import drawn_impact, see_lifting_impact
from mcrock.kernel.results import impacts, impulse
from mcrock.kernel.rotation import to_ground, vertical
from mcrock.kernel.step import height_and_rate, see_step, tilt_rate
from mcrock.kernel.vertex import vertex_margin

SHORT = 0.25  # flights that last up to this share of the largest step are taken together [1]
MOST_FLIGHTS = 1000  # at once
STEADY = 0.5  # share of the deceleration that may change on the way [1]


ZERO = 0.0, 0.0, 0.0
LEAST_COSINE = 0.2  # of the tilt: overturning is looked for in steps of one flight [1]


@jit(inline=True, internal=True)
def _turn_by(q, turn):
    """Turn a quaternion by a small rotation vector in body axes [rad], to its third power."""
    x, y, z = 0.5 * turn[0], 0.5 * turn[1], 0.5 * turn[2]
    q0, q1, q2, q3 = orientation(q)
    c = 1.0 - 0.5 * (x * x + y * y + z * z)
    q.q0 = c * q0 - q1 * x - q2 * y - q3 * z
    q.q1 = c * q1 + q0 * x + q2 * z - q3 * y
    q.q2 = c * q2 + q0 * y - q1 * z + q3 * x
    q.q3 = c * q3 + q0 * z + q1 * y - q2 * x


@jit(inline=True, internal=True)
def _plus(a, factor, b):
    """a + factor b of two vectors."""
    return a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]


@jit(inline=True, internal=True)
def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@jit(inline=True, internal=True)
def _cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@jit(inline=True, internal=True)
def _slope(before, after, time):
    """Rate of change of a vector."""
    return (after[0] - before[0]) / time, (after[1] - before[1]) / time, (after[2] - before[2]) / time


@jit(inline=True, internal=True)
def _turned(vector, turn):
    """A vector after a small turn by a rotation vector, to its second power."""
    x = _cross(turn, vector)
    return _plus(_plus(vector, 1.0, x), 0.5, _cross(turn, x))


@jit(inline=True, internal=True)
def _sink(roll, yaw, side, up, acceleration, third):
    """Deceleration of the height of the far end of an edge over its length [1/s2], ``third`` [s] after the
    velocity (its parts along the edge and the vertical) and the vertical ``up``: the rate of the height
    changes with the velocity, and as the vertical turns in body axes. ``side`` is the edge times ``up``."""
    return -(yaw * roll + _dot(acceleration, side) + third * roll * _dot(acceleration, up))


@jit(internal=True)
def _lay_map(row, body, first, second, lambda_):
    """Impact of an edge with the impulse at a place ``lambda_`` that stays, and no angular impulse, about its
    ``first`` vertex.

    The jump of the angular velocity, the impulse over mass [m/s] and the energy lost [J] are linear and
    quadratic forms of the velocity before, in body axes, whatever the pose.
    """
    mass, inertia = body.mass, inertia_of(body)
    p, o = body.pivots[first], body.pivots[second]
    old, new = point_of(body, first), point_of(body, second)
    for j in range(3):
        w = (1.0 if j == 0 else 0.0), (1.0 if j == 1 else 0.0), (1.0 if j == 2 else 0.0)
        after = edge_map(mass, inertia, old, new, w, w, lambda_, 0.0)
        push = _plus(_cross(new, after), -1.0, _cross(old, w))
        before = _momentum(p, w)
        for i in range(3):
            row.jump[3 * i + j], row.push[3 * i + j] = after[i], push[i]
            row.loss[3 * i + j] = 0.5 * mass * before[i]
    for j in range(3):
        after = _momentum(o, (row.jump[j], row.jump[3 + j], row.jump[6 + j]))
        for i in range(3):
            column = row.jump[i], row.jump[3 + i], row.jump[6 + i]
            row.loss[3 * i + j] -= 0.5 * mass * _dot(column, after)


@jit(inline=True, internal=True)
def _momentum(p, w):
    """Angular momentum over mass about the pivot with constants ``p`` [m2/s]."""
    return (
        p.k_xx * w[0] + p.k_xy * w[1] + p.k_xz * w[2],
        p.k_xy * w[0] + p.k_yy * w[1] + p.k_yz * w[2],
        p.k_xz * w[0] + p.k_yz * w[1] + p.k_zz * w[2],
    )


@jit(inline=True, internal=True)
def _times(matrix, w):
    """Product of a matrix (9 numbers) and a vector."""
    x, y, z = w
    return (
        matrix[0] * x + matrix[1] * y + matrix[2] * z,
        matrix[3] * x + matrix[4] * y + matrix[5] * z,
        matrix[6] * x + matrix[7] * y + matrix[8] * z,
    )


@jit(inline=True, internal=True)
def _about(row):
    """Angular acceleration about the old pivot, and its rate."""
    return (row.about_x, row.about_y, row.about_z), (row.rate_x, row.rate_y, row.rate_z)


@jit(inline=True, internal=True)
def _set_about(row, about, rate):
    row.about_x, row.about_y, row.about_z = about
    row.rate_x, row.rate_y, row.rate_z = rate


@jit(inline=True, internal=True)
def _clear_time(body, state, pivot, other, k, most, least):
    """Time up to ``most`` in which every neighbour of the pivot but ``other`` surely stays off the ground,
    as it loses half of its height at most; or any time below ``least`` [s]. ``k`` are the `vertex_rates`
    about the pivot."""
    turned, time = attitude(state), most
    for i in range(body.spoke_first[pivot], body.spoke_first[pivot + 1]):
        vertex = body.spokes[i]
        if time < least:
            break
        if vertex == other:
            continue
        height, rate = height_and_rate(body, turned, pivot, vertex)
        sink, height = -rise(body, k, turned, pivot, vertex), max(height, 0.0)
        if -4.0 * rate * time > height:
            time = -0.25 * height / rate
        if 2.0 * sink * time * time > height:
            time = sqrt(0.5 * height / sink)
    return time


@jit(internal=True)
def _lay_edge(q, along):
    """Turn a pose so that the edge ``along`` [m], level but for terms of second order, is level."""
    for _ in range(2):
        up = vertical(orientation(q))
        gradient = _cross(along, up)
        _turn_by(q, _plus((0.0, 0.0, 0.0), -_dot(along, up) / _dot(gradient, gradient), gradient))
    normalize(q)


@jit(internal=True)
def advance_train(run, quantiles, trace, h, late):
    """Flights between the pivot and the vertex that has just left the ground (`run.lifted`) that begin within
    ``h`` [s] and end before ``late`` [s].

    All but the last end with their impacts. With friction they are impacts in which the contact sticks, so
    that a run is the one without friction to the bit as long as it does. Returns the time advanced [s], 0 if
    the next flight is no short one, and the vertex that lands at the end.
    """
    body, result, state, segment, t = run.body, run.result, run.state, run.segment, run.t
    pivot, other, short = run.place, run.lifted, SHORT * run.step
    old, new = point_of(body, pivot), point_of(body, other)
    edge = _plus(new, -1.0, old)
    length = sqrt(_dot(edge, edge))
    edge = _plus(ZERO, 1.0 / length, edge)
    start = vertical(orientation(state))
    w = angular_velocity(state)
    # the height of the far end and its rates are over the length of the edge [1, 1/s, 1/s2]
    side = _cross(edge, start)
    lift, roll, yaw = _dot(w, side), _dot(w, edge), _dot(w, start)
    a, late, flight = _first_flight(run, (edge, start), (lift, roll, yaw), h, late)
    if late < flight:
        return 0.0, NONE
    forces, da, b, db = _accelerations(run, (edge, start), (roll, yaw), a, h)
    if run.friction.on and (
        vertex_margin(run.friction, body.gravity, forces[0], forces[1]) < 0.0
        or vertex_margin(run.friction, body.gravity, forces[2], forces[3]) < 0.0
    ):
        return 0.0, NONE
    # of accelerations that change evenly those after a third of a time give the way, those after half the
    # speed
    early = _plus(a, flight / 3.0, da)
    first_sink = _sink(roll, yaw, side, start, a, 0.0)
    sink, back = _sink(roll, yaw, side, start, early, flight / 3.0), -_sink(roll, yaw, side, start, b, 0.0)
    if not (sink > STEADY * first_sink and back > 0.0):
        return 0.0, NONE
    flight, push = 2.0 * lift / sink, ZERO
    if t + flight > segment.end:
        push = _push(body.pivots[pivot], state, segment)
        if abs(_dot(push, side)) * (t + flight - segment.end) > STEADY * sink:
            return 0.0, NONE
    if flight > min(short, late):
        return 0.0, NONE
    results.see_force(result, body.gravity, forces[1], forces[0], start[2])
    results.see_vertex(result, forces[1], forces[0])
    results.see_vertex(result, forces[3], forces[2])
    first = _lay_maps(run, pivot, other)
    _set_about(run.maps[first], a, da)
    _set_about(run.maps[1 - first], b, db)
    return _fly(
        run,
        quantiles,
        trace,
        (edge, length, start),
        (lift, sink, back, flight, early, push),
        (first, h, late),
    )


@jit(internal=True)
def _first_flight(run, frame, rates, h, late):
    """The angular acceleration about the pivot, the time before which other vertices surely stay off the
    ground [s], and that of the first flight [s], which is longer if the flight is no short one."""
    body, state, trial, pivot, other = run.body, run.state, run.trial, run.place, run.lifted
    edge, up = frame
    lift, roll, yaw = rates
    short = SHORT * run.step
    trial.q0, trial.q1, trial.q2, trial.q3 = orientation(state)
    trial.p_x, trial.p_y = state.p_x, state.p_y
    # Accelerations in body axes about both pivots now and half a step ahead, after half of the roll about the
    # edge. What the flights turn sideways meanwhile is of second order.
    trial.w_x, trial.w_y, trial.w_z = _plus(_plus(ZERO, roll, edge), yaw, up)
    k = rates_at(body.pivots[pivot], body.gravity, trial, run.segment, run.t)
    a = k[4], k[5], k[6]
    sink = _sink(roll, yaw, _cross(edge, up), up, a, 0.0)
    if not 0.0 < 2.0 * lift <= min(short, late) * sink or up[2] < LEAST_COSINE:
        return a, 0.0, inf
    flight = 2.0 * lift / sink
    late = _clear_time(body, state, pivot, other, k, min(late, h + short), flight)
    if late >= flight:
        late = _clear_time(body, state, other, pivot, k, late, flight)
    if run.friction.on and may_slip_in_impacts(run.friction, run.law):
        return a, 0.0, inf
    return a, late, flight


@jit(internal=True)
def _accelerations(run, frame, rates, a, h):
    """Forces over mass about the pivot now and about the other vertex half a step ahead (normal and square of
    the horizontal part of both), the rate of the angular acceleration about the pivot, that about the other
    vertex and its rate. The state in ``run.trial`` turns as the body rolls."""
    body, state, trial, segment, t = run.body, run.state, run.trial, run.segment, run.t
    p, o, gravity = body.pivots[run.place], body.pivots[run.lifted], body.gravity
    old, new = point_of(body, run.place), point_of(body, run.lifted)
    edge, up = frame
    roll, yaw = rates
    normal, square = vertex_force(p, state, rates_at(p, gravity, state, segment, t), up)
    half = 0.5 * h
    pull = plastic_edge(body.mass, inertia_of(body), old, new, a)
    k = rates_at(o, gravity, trial, segment, t)
    b = k[4], k[5], k[6]
    turn = _plus(_plus(_plus(ZERO, half * roll, edge), half * yaw, up), 0.5 * half * half, pull)
    _turn_by(trial, turn)
    middle = vertical(orientation(trial))
    trial.w_x, trial.w_y, trial.w_z = _plus(_plus(_plus(ZERO, roll, edge), half, pull), yaw, middle)
    k = rates_at(p, gravity, trial, segment, t + half)
    da = _slope(a, (k[4], k[5], k[6]), half)
    k = rates_at(o, gravity, trial, segment, t + half)
    back_normal, back_square = vertex_force(o, trial, k, middle)
    return (normal, square, back_normal, back_square), da, b, _slope(b, (k[4], k[5], k[6]), half)


@jit(internal=True)
def _lay_maps(run, pivot, other):
    """Row of ``run.maps`` for the impact of ``other`` about ``pivot``; where impacts are all alike their maps
    are laid once for a pair."""
    if not is_fixed(run.law):
        return 0
    known = run.maps[0]
    if known.old == other and known.new == pivot:
        return 1
    if known.old != pivot or known.new != other:
        _lay_map(run.maps[0], run.body, pivot, other, run.law.values[LAMBDA])
        _lay_map(run.maps[1], run.body, other, pivot, run.law.values[LAMBDA])
        known.old, known.new = pivot, other
    return 0


@jit(inline=True, internal=True)
def _impact(run, quantiles, row, pair, w, up):
    """Impact at the end of a flight about the first of a ``pair`` of vertices, with angular velocity ``w``:
    that after it, energy lost [J], impulse over mass (normal, square of the horizontal part), and whether
    friction could give it."""
    if is_fixed(run.law):
        kick = _times(row.push, w)
        normal = _dot(kick, up)
        square = max(_dot(kick, kick) - normal * normal, 0.0)
        return _times(row.jump, w), _dot(w, _times(row.loss, w)), normal, square, True
    body = run.body
    old, new = point_of(body, pair[0]), point_of(body, pair[1])
    before = kinetic_energy(body.mass, inertia_of(body), old, w)
    after, energy, plain = drawn_impact(run, quantiles, old, new, w, up, before)
    normal, square, _ = impulse(old, new, w, after, up)
    return after, before - energy, normal, square, plain


@jit(internal=True)
def _fly(run, quantiles, trace, frame, flying, limits):
    """All flights of a train, and the state at the end of the last; returns as `advance_train`.

    ``frame`` has the direction and the length of the edge [m] and the vertical at the start; ``flying`` the
    rate of the height of the far end [1/s], its decelerations in this flight and the next [1/s2], the time of
    this one [s], the angular acceleration in it and what a kink of the ground acceleration adds; ``limits``
    the row of the first map, the time in which flights begin and that before which they end [s].
    """
    body, result, state, segment, t = run.body, run.result, run.state, run.segment, run.t
    friction = run.friction
    (edge, length, start), (first, h, late) = frame, limits
    lift, sink, back, flight, early, push = flying
    most = min(run.settings.max_impacts - impacts(result), MOST_FLIGHTS)
    row, following, pivot, other = run.maps[first], run.maps[1 - first], run.place, run.lifted
    w, fixed, zeno_time = angular_velocity(state), is_fixed(run.law), run.settings.edge_zeno_time
    time, way, turn, shift = 0.0, 1.0, ZERO, ZERO
    side = _cross(edge, start)
    for number in range(1, MOST_FLIGHTS + 1):
        rest = max(t + time + flight - segment.end, 0.0)
        if rest > 0.0:  # the kink there shifts the landing and the velocity at it
            flight += way * _dot(push, side) * rest * rest * rest / (6.0 * lift)
            rest = max(t + time + flight - segment.end, 0.0)
        step = _plus(_plus(ZERO, flight, w), 0.5 * flight * flight, early)
        step = _plus(step, rest * rest * rest / 6.0, push)
        turn = _plus(_plus(turn, 1.0, step), 0.5, _cross(turn, step))
        w = _plus(w, flight, _plus(early, flight / 6.0, _about(row)[1]))
        w = _plus(w, 0.5 * rest * rest, push)
        time += flight
        up = _turned(start, _plus(ZERO, -1.0, turn))
        side = _cross(edge, up)
        gains = result[Response.ENERGY_GAIN_IMPACTS]
        after, loss, normal, square, plain = _impact(run, quantiles, row, (pivot, other), w, up)
        next_lift = -way * _dot(after, side)
        last = number >= most or not next_lift > 0.0 or (fixed and loss < 0.0)
        if not last:
            third, ratio = 2.0 / 3.0 * next_lift / back, next_lift / lift
            about, rate = _about(following)
            early = _plus(about, time + third, rate)
            before_back = back
            back = -way * _sink(_dot(after, edge), _dot(after, up), side, up, early, third)
            flight = 2.0 * next_lift / back
            left = flight + 2.0 * next_lift * ratio / sink
            last = not 0.0 < flight <= SHORT * run.step or time >= h or time + flight > late
            last |= not back > STEADY * before_back
            if t + time + flight > segment.end:
                push = _push(body.pivots[other], state, segment)
                last |= abs(_dot(push, side)) * (t + time + flight - segment.end) > STEADY * back
            last |= ratio < 1.0 and left < zeno_time * (1.0 - ratio * ratio)
        if friction.on and not last:
            last = not (plain and impulse_sticks(friction, normal, square))
            last |= result[Response.ENERGY_GAIN_IMPACTS] > gains
        if last:
            result[Response.ENERGY_GAIN_IMPACTS] = gains  # that impact is left to the caller
            break
        see_lifting_impact(result, normal, square, loss, plain)
        shift = _plus(shift, way, _turned(edge, turn))
        if trace.history.shape[0] > 0:
            _pose(state, run.trial, turn, _plus(ZERO, length, shift))
            note_impact(body, trace, t + time, run.trial, after, other, -loss)
        w, lift, sink, back, row, following = after, next_lift, back, sink, following, row
        pivot, other, way = other, pivot, -way
    run.place = pivot
    _end_flights(run, (edge, start), (turn, _plus(ZERO, length, shift)), w, time)
    return time, other


@jit(internal=True)
def _end_flights(run, frame, moved, w, time):
    """State and peaks after flights of ``time`` [s] in which the body turned and its pivot shifted."""
    state, trial, segment, result = run.state, run.trial, run.segment, run.result
    edge, start = frame
    _pose(state, trial, moved[0], moved[1])
    _lay_edge(trial, edge)
    trial.w_x, trial.w_y, trial.w_z = w
    after = vertical(orientation(trial))
    if run.t + time > segment.end:  # forces have their extremes at samples
        p, gravity = run.body.pivots[run.place], run.body.gravity
        normal, square = vertex_force(p, trial, rates_at(p, gravity, trial, segment, segment.end), after)
        results.see_force(result, gravity, square, normal, after[2])
        results.see_vertex(result, square, normal)
    d0 = tilt_rate(start, state.w_x, state.w_y, state.w_z)
    d1 = tilt_rate(after, trial.w_x, trial.w_y, trial.w_z)
    copy_pose(trial, state)
    state.p_x, state.p_y = trial.p_x, trial.p_y
    see_step(result, start, after, d0, d1, time)


@jit(inline=True, internal=True)
def _push(p, state, segment):
    """Change of the angular acceleration about the pivot with constants ``p``, in body axes, for that of the
    rate at which the ground acceleration changes at the end of a segment [rad/s3]."""
    q = orientation(state)
    return force_turn(p, pulled(q, 0.0, (segment.kink_x, segment.kink_y, segment.kink_z)))


@jit(internal=True)
def _pose(state, trial, turn, shift):
    """Pose of ``state`` after a small turn, the pivot ``shift`` [m] from the first one, into ``trial``.

    Both are in the body axes of ``state``.
    """
    trial.q0, trial.q1, trial.q2, trial.q3 = orientation(state)
    x, y, _ = to_ground(orientation(state), shift[0], shift[1], shift[2])
    trial.p_x, trial.p_y = state.p_x + x, state.p_y + y
    _turn_by(trial, turn)
