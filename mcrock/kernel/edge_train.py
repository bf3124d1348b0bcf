"""Edge impacts to and fro, a whole step of them at once.

A body that rolls about an edge rocks sideways between its two ends, in flights that shrink by the ratio of
the impact map. While they are short against a step, gravity, ground acceleration and pose change little: all
flights of a step are taken with accelerations that change evenly over it, each of them a parabola that needs
no search for its end. Impacts, their parameters and what they are noted for are those of single flights.
"""

from __future__ import annotations

from math import sqrt

from mcrock.impact.varkonyi_2022 import kinetic_energy, plastic_edge
from mcrock.jit import jit
from mcrock.kernel import record
from mcrock.kernel.advance import height_and_rate, see_step, tilt_rate, vertex_margin
from mcrock.kernel.contact import GRAVITY, MASS
from mcrock.kernel.dynamics import (
    P_Y,
    Q0,
    Q1,
    Q2,
    Q3,
    W_X,
    W_Y,
    W_Z,
    rates_at,
    turning,
    vertex_force,
)
from mcrock.kernel.edge_landing import drawn_impact, see_edge_impact
from mcrock.kernel.friction.events import impulse_sticks, may_slip_in_impacts
from mcrock.kernel.modes import NONE, inertia_of, move_pivot, point_of
from mcrock.kernel.rotation import vertical
from mcrock.kernel.trace import note_impact
from mcrock.kernel.watch import impulse
from mcrock.response import Response

SHORT = 0.25  # flights that last up to this share of the largest step are taken together [1]
MOST_FLIGHTS = 1000  # at once
LEAST_COSINE = 0.2  # of the tilt: overturning is looked for in steps of one flight [1]


@jit(inline=True, internal=True)
def _turn_by(q, turn):
    """Turn a quaternion by a small rotation vector in body axes [rad], to its third power."""
    x, y, z = 0.5 * turn[0], 0.5 * turn[1], 0.5 * turn[2]
    q0, q1, q2, q3 = q[Q0], q[Q1], q[Q2], q[Q3]
    c = 1.0 - 0.5 * (x * x + y * y + z * z)
    q[Q0] = c * q0 - q1 * x - q2 * y - q3 * z
    q[Q1] = c * q1 + q0 * x + q2 * z - q3 * y
    q[Q2] = c * q2 + q0 * y - q1 * z + q3 * x
    q[Q3] = c * q3 + q0 * z + q1 * y - q2 * x


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
def _part(w, axis):
    """Part of a vector along an axis of any length."""
    return _plus((0.0, 0.0, 0.0), _dot(w, axis) / _dot(axis, axis), axis)


@jit(inline=True, internal=True)
def _slope(before, after, time):
    """Rate of change of a vector."""
    return (after[0] - before[0]) / time, (after[1] - before[1]) / time, (after[2] - before[2]) / time


@jit(inline=True, internal=True)
def _sink(w, up, along, acceleration, third):
    """Deceleration of the height of the far end of an edge [m/s2], ``third`` [s] after the velocity and the
    vertical: the rate of the height changes with the velocity, and as the vertical turns in body axes."""
    roll = _part(w, along)
    gradient = _cross(along, _plus(up, -third, _cross(roll, up)))
    return _dot(_cross(_part(w, up), roll), gradient) - _dot(acceleration, gradient)


@jit(inline=True, internal=True)
def _clear_time(top, body, state, pivot, other, k, most, least):
    """Time up to ``most`` in which every neighbour of the pivot but ``other`` surely stays off the ground,
    as it loses half of its height at most; or any time below ``least`` [s]. ``k`` are the `vertex_rates`
    about the pivot."""
    wx, wy, wz = state[W_X], state[W_Y], state[W_Z]
    up = vertical(state[Q0], state[Q1], state[Q2], state[Q3])
    p, time = body.vertices[pivot], most
    for i in range(top.neighbours.shape[1]):
        vertex = top.neighbours[pivot, i]
        if vertex < 0 or time < least:
            break
        if vertex == other:
            continue
        v = body.vertices[vertex]
        height, rate = height_and_rate(body, state, pivot, vertex)
        x, y, z = turning(k, wx, wy, wz, v[0] - p[0], v[1] - p[1], v[2] - p[2])
        sink, height = -(up[0] * x + up[1] * y + up[2] * z), max(height, 0.0)
        if -4.0 * rate * time > height:
            time = -0.25 * height / rate
        if 2.0 * sink * time * time > height:
            time = sqrt(0.5 * height / sink)
    return time


@jit(internal=True)
def _lay_edge(q, along):
    """Turn a pose so that the edge ``along`` [m], level but for terms of second order, is level."""
    for _ in range(2):
        up = vertical(q[Q0], q[Q1], q[Q2], q[Q3])
        gradient = _cross(along, up)
        _turn_by(q, _plus((0.0, 0.0, 0.0), -_dot(along, up) / _dot(gradient, gradient), gradient))
    norm = 1.0 / sqrt(q[Q0] * q[Q0] + q[Q1] * q[Q1] + q[Q2] * q[Q2] + q[Q3] * q[Q3])
    for i in range(4):
        q[Q0 + i] *= norm


@jit(internal=True)
def advance_train(top, body, work, result, t, h, short, most, law, zeno_time, other, trace, friction):
    """Flights between the pivot and vertex ``other``, which has just left the ground, within ``h`` [s].

    None is longer than ``short`` [s], there are ``most`` at most, and all but the last end with their
    impacts. With friction they are impacts in which the contact sticks, so that a run is the one without
    friction to the bit as long as it does. Returns the time advanced [s], 0 if the next flight is no short
    one, and the vertex that lands at the end.
    """
    state, trial, segment, pivot = work.state, work.trial, work.segment, work.mode[1]
    p, o, gravity = body.pivots[pivot], body.pivots[other], body.scalars[GRAVITY]
    mass, inertia = body.scalars[MASS], inertia_of(body)
    old, new = point_of(body, pivot), point_of(body, other)
    along = _plus(new, -1.0, old)
    up = vertical(state[Q0], state[Q1], state[Q2], state[Q3])
    w = state[W_X], state[W_Y], state[W_Z]
    k = rates_at(p, gravity, state, segment, t)
    sink = -_dot(up, turning(k, w[0], w[1], w[2], along[0], along[1], along[2]))
    lift = _dot(w, _cross(along, up))
    if not 0.0 < 2.0 * lift <= min(short, h) * sink or up[2] < LEAST_COSINE:
        return 0.0, NONE
    flight = 2.0 * lift / sink
    h = _clear_time(top, body, state, pivot, other, k, h, flight)
    if h >= flight:
        h = _clear_time(top, body, state, other, pivot, k, h, flight)
    if h < flight or (friction is not None and may_slip_in_impacts(friction, law)):
        return 0.0, NONE
    normal, square = vertex_force(p, state, k, up)
    # Accelerations in body axes about both pivots now and half a step ahead, after half of the roll about the
    # edge. What the flights turn sideways meanwhile is of second order.
    half, zero = 0.5 * h, (0.0, 0.0, 0.0)
    roll, yaw = _part(w, along), _dot(w, up)
    pull = plastic_edge(mass, inertia, old, new, (k[4], k[5], k[6]))
    for i in range(P_Y + 1):
        trial[i] = state[i]
    trial[W_X], trial[W_Y], trial[W_Z] = _plus(roll, yaw, up)
    k = rates_at(p, gravity, trial, segment, t)
    a = k[4], k[5], k[6]
    k = rates_at(o, gravity, trial, segment, t)
    b = k[4], k[5], k[6]
    _turn_by(trial, _plus(_plus(zero, half, roll), 0.5 * half * half, pull))
    middle = vertical(trial[Q0], trial[Q1], trial[Q2], trial[Q3])
    trial[W_X], trial[W_Y], trial[W_Z] = _plus(_plus(roll, half, pull), yaw, middle)
    k = rates_at(p, gravity, trial, segment, t + half)
    da = _slope(a, (k[4], k[5], k[6]), half)
    k = rates_at(o, gravity, trial, segment, t + half)
    db, back_force = _slope(b, (k[4], k[5], k[6]), half), vertex_force(o, trial, k, middle)
    if friction is not None and (
        vertex_margin(friction, gravity, normal, square) < 0.0
        or vertex_margin(friction, gravity, back_force[0], back_force[1]) < 0.0
    ):
        return 0.0, NONE
    # of accelerations that change evenly those after a third of a time give the way, those after half the
    # speed
    third = flight / 3.0
    early = _plus(a, third, da)
    sink, back = _sink(w, up, along, early, third), -_sink(w, up, along, b, 0.0)
    if not (sink > 0.0 and back > 0.0):
        return 0.0, NONE
    record.see_force(result, gravity, square, normal, up[2])
    record.see_vertex(result, square, normal)
    record.see_vertex(result, back_force[1], back_force[0])
    for i in range(4):
        trial[Q0 + i] = state[Q0 + i]
    flight, time = 2.0 * lift / sink, 0.0
    for number in range(1, MOST_FLIGHTS + 1):
        _turn_by(trial, _plus(_plus(zero, flight, w), 0.5 * flight * flight, early))
        w = _plus(w, flight, _plus(early, flight / 6.0, da))
        time += flight
        at = vertical(trial[Q0], trial[Q1], trial[Q2], trial[Q3])
        before, gains = kinetic_energy(mass, inertia, old, w), result[Response.ENERGY_GAIN_IMPACTS]
        after, energy, plain = drawn_impact(result, law, mass, inertia, old, new, w, at, before)
        along = -along[0], -along[1], -along[2]
        next_lift = _dot(after, _cross(along, at))
        last = number >= min(most, MOST_FLIGHTS) or not next_lift > 0.0
        if not last:
            third, ratio = 2.0 / 3.0 * next_lift / back, next_lift / lift
            early = _plus(b, time + third, db)
            back = _sink(after, at, along, early, third)
            flight = 2.0 * next_lift / back
            left = flight + 2.0 * next_lift * ratio / sink
            last = not 0.0 < flight <= min(short, h - time)
            last |= ratio < 1.0 and left < zeno_time * (1.0 - ratio * ratio)
        if friction is not None and not last:
            normal, square, _ = impulse(old, new, w, after, at)
            last = not (plain and impulse_sticks(friction, normal, square))
            last |= result[Response.ENERGY_GAIN_IMPACTS] > gains
        if last:
            result[Response.ENERGY_GAIN_IMPACTS] = gains  # that impact is left to the caller
            break
        see_edge_impact(result, old, new, w, after, at, before - energy, plain)
        move_pivot(body, trial, pivot, other)
        if trace.history.shape[0] > 0:
            note_impact(body, trace, t + time, trial, after, other, energy - before)
        w, lift, a, b, da, db, sink, back = after, next_lift, b, a, db, da, back, sink
        pivot, other, old, new = other, pivot, new, old
    _lay_edge(trial, along)
    trial[W_X], trial[W_Y], trial[W_Z] = w
    after = vertical(trial[Q0], trial[Q1], trial[Q2], trial[Q3])
    d0 = tilt_rate(up, state[W_X], state[W_Y], state[W_Z])
    d1 = tilt_rate(after, trial[W_X], trial[W_Y], trial[W_Z])
    for i in range(P_Y + 1):
        state[i] = trial[i]
    work.mode[1] = pivot
    see_step(result, up, after, d0, d1, time)
    return time, other
