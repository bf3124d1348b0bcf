"""Steps of a face that spins while one of its corners hardly moves.

The friction of a corner that creeps follows its slip within microseconds, and an explicit step would have to
be as short. These steps are those of the linearly implicit Euler method, extrapolated to third order
(Deuflhard, P., Bornemann, F. (2002), Scientific Computing with Ordinary Differential Equations, Springer,
section 6.4.2): implicit in the spin and in the velocity of the slowest corner, about which the body turns.
"""

from __future__ import annotations

from math import inf

from mcrock.base.jit import jit
from mcrock.kernel.contact import GRAVITY, SIZE
from mcrock.kernel.dynamics import LOSS, Q0, Q1, Q2, Q3, V_X, V_Y, W_X, W_Y, W_Z, X, Y
from mcrock.kernel.friction.flat import FADING, corner_velocity, flat_rates, solve_3, vertical_inertia
from mcrock.kernel.friction.motion import REGULAR
from mcrock.kernel.friction.state import CREEP, FRICTION, from_contact, to_contact
from mcrock.kernel.modes import NONE, SPIN, VERTEX_SLIP
from mcrock.kernel.rotation import norm, to_ground, vertical
from mcrock.kernel.shaking import acceleration

PROBE = 1e-3  # change of a velocity by which that of the rates is found, over the speed of fading [1]
MOST = 0.7  # change of a slip in a step, over its speed [1]
TRIALS = 12  # of a shorter step
CUT, LEAST = 0.95, 0.1  # of a step that is too long: aimed at, and at most [1]
OVER = 2.0  # what friction and the ground can do, for the error of a step [1]
WEIGHTS = (0.5, -4.0, 4.5)  # of 1, 2 and 3 substeps: order 3


@jit(internal=True)
def _slowest(body, index, y):
    """The corner of face ``index`` that moves least."""
    slowest, least = NONE, 0.0
    for i in range(body.face_first[index], body.face_first[index + 1]):
        vx, vy = corner_velocity(body, y, body.face_vertices[i])
        speed = norm(vx, vy)
        if slowest == NONE or speed < least:
            slowest, least = body.face_vertices[i], speed
    return slowest


@jit(internal=True)
def _turn_about(body, corner, y, k):
    """Turn the rates ``k`` of a state ``y`` of the COM into those of a corner."""
    p = body.vertices[corner]
    x, z, _ = to_ground(y, p[0], p[1], p[2])
    _, _, spin = to_ground(y, y[W_X], y[W_Y], y[W_Z])
    _, _, turning = to_ground(y, k[W_X], k[W_Y], k[W_Z])
    k[X], k[Y] = k[X] - spin * z, k[Y] + spin * x
    k[V_X] += -turning * z - spin * spin * x
    k[V_Y] += turning * x - spin * spin * z


@jit(internal=True)
def _rates(run, corner, y, a, k):
    """`flat_rates` of a state ``y`` whose position and velocity are those of a corner."""
    body, index = run.body, run.place
    from_contact(body, y, VERTEX_SLIP, corner)
    regular = flat_rates(run, SPIN, index, y, y, a, k)
    _turn_about(body, corner, y, k)
    to_contact(body, y, VERTEX_SLIP, corner)
    return regular


@jit(internal=True)
def prepare_spin(run, a, h):
    """How the rates change with the velocity and with the spin: a row of ``friction.stiff`` for each.

    Returns the step [s], of at most ``h``, in which no slip changes too much.
    """
    body, friction, index, y = run.body, run.friction, run.place, run.state
    probe, near, k = friction.rates[1], friction.rates[2], friction.rates[3]
    corner = _slowest(body, index, y)
    up = vertical(y[Q0], y[Q1], y[Q2], y[Q3])
    for i in range(y.size):
        k[i] = friction.rates[0, i]
    _turn_about(body, corner, y, k)
    for unknown in range(3):
        for i in range(y.size):
            near[i] = y[i]
        to_contact(body, near, VERTEX_SLIP, corner)
        change = PROBE * FADING * friction.found[CREEP]
        if unknown < 2:
            near[V_X + unknown] += change
        else:
            change /= body.scalars[SIZE]
            for i in range(3):
                near[W_X + i] += change * up[i]
        _rates(run, corner, near, a, probe)
        row = friction.stiff[unknown]
        row[0], row[1], row[2] = (probe[V_X] - k[V_X]) / change, (probe[V_Y] - k[V_Y]) / change, 0.0
        row[3] = (probe[LOSS] - k[LOSS]) / change
        for i in range(3):
            row[2] += up[i] * (probe[W_X + i] - k[W_X + i]) / change
    for _ in range(TRIALS):
        change = _change(run, corner, up, k, h)
        if change <= MOST:
            break
        h *= max(CUT * MOST / change, LEAST)
    return h


@jit(internal=True)
def _change(run, corner, up, k, h):
    """The largest change of a slip in a step over its speed, about [1]."""
    body, friction, index, y = run.body, run.friction, run.place, run.state
    if not _solve(friction, up, k, h):
        return inf
    most = 0.0
    vx, vy, spin = friction.matrix[0, 3], friction.matrix[1, 3], friction.matrix[2, 3]
    p = body.vertices[corner]
    for i in range(body.face_first[index], body.face_first[index + 1]):
        q = body.vertices[body.face_vertices[i]]
        x, z, _ = to_ground(y, q[0] - p[0], q[1] - p[1], q[2] - p[2])
        ux, uy = corner_velocity(body, y, body.face_vertices[i])
        speed = max(norm(ux, uy), FADING * friction.found[CREEP])
        most = max(most, norm(vx - spin * z, vy + spin * x) / speed)
    return most


@jit(internal=True)
def _solve(friction, up, k, h):
    """The change z = h f + h J z of velocity and spin, for the rates f, into ``friction.matrix`` [:3, 3]."""
    a = friction.matrix
    for row in range(3):
        for col in range(3):
            a[row, col] = -h * friction.stiff[col, row]
        a[row, row] += 1.0
    a[0, 3], a[1, 3] = h * k[V_X], h * k[V_Y]
    a[2, 3] = h * (up[0] * k[W_X] + up[1] * k[W_Y] + up[2] * k[W_Z])
    return solve_3(a)


@jit(internal=True)
def spin_step(run, h):
    """One step from ``t`` over ``h`` [s] into ``out``, as `mcrock.kernel.friction.step.mode_step`."""
    body, friction, index, y = run.body, run.friction, run.place, run.state
    segment, t, out = run.segment, run.t, run.trial
    k, now, first, a = friction.rates[1], friction.rates[2], friction.rates[3], friction.matrix
    corner = _slowest(body, index, y)
    up = vertical(y[Q0], y[Q1], y[Q2], y[Q3])
    for i in range(y.size):
        out[i], first[i] = 0.0, friction.rates[0, i]
    _turn_about(body, corner, y, first)
    bad = REGULAR
    for parts in range(1, 4):
        part_h = h / parts
        for i in range(y.size):
            now[i] = y[i]
        to_contact(body, now, VERTEX_SLIP, corner)
        for part in range(parts):
            for i in range(y.size):
                k[i] = first[i]
            if part > 0:
                ground = acceleration(segment, t + part * part_h)
                bad |= _rates(run, corner, now, ground, k)
            if not _solve(friction, up, k, part_h):
                return False
            for i in range(Q0, Q3 + 1):
                now[i] += part_h * k[i]
            now[X] += part_h * k[X]
            now[Y] += part_h * k[Y]
            now[V_X] += a[0, 3]
            now[V_Y] += a[1, 3]
            now[LOSS] += part_h * k[LOSS]
            for i in range(3):
                now[W_X + i] += a[2, 3] * up[i]
                now[LOSS] += part_h * friction.stiff[i, 3] * a[i, 3]
        for i in range(y.size):
            out[i] += WEIGHTS[parts - 1] * now[i]
    from_contact(body, out, VERTEX_SLIP, corner)
    return bad == REGULAR and _is_driven(run, up, h)


@jit(internal=True)
def _is_driven(run, up, h):
    """Whether friction and the ground can change the velocity and the spin by so much in a step.

    Pressures that fall as a corner speeds up make an implicit step too long blow up.
    """
    body, friction, before = run.body, run.friction, run.state
    after, segment, t = run.trial, run.segment, run.t
    a, b = acceleration(segment, t), acceleration(segment, t + h)
    mu, down = friction.values[FRICTION], body.scalars[GRAVITY] + max(a[2], b[2])
    shift = norm(after[V_X] - before[V_X], after[V_Y] - before[V_Y])
    spin = up[0] * (after[W_X] - before[W_X])
    for i in range(1, 3):
        spin += up[i] * (after[W_X + i] - before[W_X + i])
    most = OVER * h * mu * down
    turn = most * body.scalars[SIZE] / vertical_inertia(body, up)
    return shift <= most + OVER * h * max(norm(a[0], a[1]), norm(b[0], b[1])) and abs(spin) <= turn


@jit(internal=True)
def count_spin(body, friction, index, before, after, h):
    """Add the slip of the corners in a step to their paths, by Simpson's rule."""
    for i in range(body.face_first[index], body.face_first[index + 1]):
        corner = body.face_vertices[i]
        vx, vy = corner_velocity(body, before, corner)
        ux, uy = corner_velocity(body, after, corner)
        middle = norm(0.5 * (vx + ux), 0.5 * (vy + uy))
        friction.path[corner] += h / 6.0 * (norm(vx, vy) + 4.0 * middle + norm(ux, uy))
