"""How far motion with slip or in flight is from the end of its mode, and from slips that turn too far."""

from __future__ import annotations

from math import inf, sqrt

from mcrock.base.jit import jit
from mcrock.kernel.contact import GRAVITY, SIZE
from mcrock.kernel.dynamics import Q0, Q1, Q2, Q3, S0_X, S0_Y, S1_X, V_X, V_Y, W_X, W_Y, W_Z
from mcrock.kernel.friction.flat import corner_velocity, slide_margin
from mcrock.kernel.friction.motion import REGULAR, slip_direction
from mcrock.kernel.friction.state import CREEP, FRICTION, HELD, KICK, N_0, N_1, STOPPED, T_0, T_1
from mcrock.kernel.friction.step import inlined_rates
from mcrock.kernel.modes import (
    EDGE_SLIP,
    EDGE_SLIP_FIRST,
    EDGE_SLIP_SECOND,
    FLIGHT,
    NONE,
    SLIDE,
    SPIN,
    VERTEX_SLIP,
    contact_vertex,
    point_of,
)
from mcrock.kernel.rotation import matrix, norm
from mcrock.kernel.step import SLIP_SLACK, STATIC

MOST_PULL = 1e-2  # force that keeps an end on the ground while its edge is held, over the weight [1]


@jit(inline=True, internal=True)
def _level_velocity(y, p):
    """Horizontal velocity [m/s] of a point ``p`` from that to which the velocity of a state belongs."""
    m = matrix(y[Q0], y[Q1], y[Q2], y[Q3])
    x = y[W_Y] * p[2] - y[W_Z] * p[1]
    z = y[W_Z] * p[0] - y[W_X] * p[2]
    w = y[W_X] * p[1] - y[W_Y] * p[0]
    return y[V_X] + m[0] * x + m[1] * z + m[2] * w, y[V_Y] + m[3] * x + m[4] * z + m[5] * w


@jit(internal=True)
def slip_velocity(body, y, vertex):
    """Horizontal velocity of a vertex [m/s]."""
    return _level_velocity(y, point_of(body, vertex))


@jit(internal=True)
def _contact_velocity(body, y, mode, index, vertex):
    """`slip_velocity` of a state whose velocity is that of the contact."""
    p, o = body.vertices[vertex], body.vertices[contact_vertex(body, mode, index)]
    return _level_velocity(y, (p[0] - o[0], p[1] - o[1], p[2] - o[2]))


@jit(internal=True)
def mode_margin(run, y, a, k):
    """How far a state is from the end of its mode: the least of forces over the weight and slips [m/s].

    Negative beyond it. ``start`` is the state at the start of the step, ``k`` becomes the rates.
    """
    body, friction, mode = run.body, run.friction, run.mode
    index, start, sides = run.place, run.state, run.sides
    gravity, found = body.scalars[GRAVITY], friction.found
    if inlined_rates(run, mode, index, y, start, a, k) != REGULAR:
        return -inf
    if mode == FLIGHT:
        return inf
    if mode == SLIDE:
        sx, sy, speed = slip_direction(y[V_X], y[V_Y], start[S0_X], start[S0_Y])
        margin = min(speed - STOPPED, (gravity + a[2]) / gravity)
        mu, n = friction.values[FRICTION], body.face_first[index + 1] - body.face_first[index]
        for i in range(n):
            margin = min(margin, slide_margin(sides[i], mu, sx, sy) / body.scalars[SIZE] + SLIP_SLACK)
        return margin
    if mode == SPIN:
        fastest = -inf
        for i in range(body.face_first[index], body.face_first[index + 1]):
            vx, vy = corner_velocity(body, y, body.face_vertices[i])
            ux, uy = corner_velocity(body, start, body.face_vertices[i])
            speed = norm(ux, uy)
            if speed > 0.0:
                fastest = max(fastest, (vx * ux + vy * uy) / speed)
        return fastest - found[CREEP]
    slack = MOST_PULL if found[HELD] != 0.0 else SLIP_SLACK
    margin = found[N_0] / gravity + slack
    if mode == VERTEX_SLIP:
        return min(margin, _still_slips(body, mode, index, y, start, index, S0_X))
    margin = min(margin, found[N_1] / gravity + slack)
    p, q = body.edge_vertices[index, 0], body.edge_vertices[index, 1]
    if mode != EDGE_SLIP_SECOND:
        margin = min(margin, _still_slips(body, mode, index, y, start, p, S0_X))
    if mode != EDGE_SLIP_FIRST:
        margin = min(margin, _still_slips(body, mode, index, y, start, q, S1_X))
    if mode != EDGE_SLIP:
        margin = min(margin, (friction.values[STATIC] * found[N_0] - sqrt(found[T_0])) / gravity + slack)
    return margin


@jit(internal=True)
def _still_slips(body, mode, index, y, start, vertex, column):
    vx, vy = _contact_velocity(body, y, mode, index, vertex)
    return vx * start[column] + vy * start[column + 1] - STOPPED


@jit(inline=True, internal=True)
def braking(run):
    """Time in which the first of the slips would stop, as it is braked now [s], and its speed [m/s]."""
    body, friction, mode, index, y = run.body, run.friction, run.mode, run.place, run.state
    left, fastest, found = inf, 0.0, friction.found
    if mode in (FLIGHT, SLIDE, SPIN):
        return left, fastest
    for end in range(1 if mode == VERTEX_SLIP else 2):
        if (mode == EDGE_SLIP_FIRST and end == 1) or (mode == EDGE_SLIP_SECOND and end == 0):
            continue
        vertex = index if mode == VERTEX_SLIP else body.edge_vertices[index, end]
        pull = found[T_0] if mode == VERTEX_SLIP or (mode == EDGE_SLIP and end == 0) else found[T_1]
        if pull < 0.0:
            vx, vy = _contact_velocity(body, y, mode, index, vertex)
            speed = norm(vx, vy)
            if speed < -pull * left:
                left, fastest = -speed / pull, speed
    return left, fastest


@jit(internal=True)
def _turned_too_far(run, vertex, column, limit):
    """Whether a slip turned by more than an angle [rad] from its direction at the start of a step."""
    body, mode, index, y, start = run.body, run.mode, run.place, run.trial, run.state
    vx, vy = y[V_X], y[V_Y]
    if mode != SLIDE:
        vx, vy = _contact_velocity(body, y, mode, index, vertex)
    along = vx * start[column] + vy * start[column + 1]
    across = abs(vy * start[column] - vx * start[column + 1])
    return across > limit * max(along, 0.0) + 3.0 * KICK


@jit(internal=True)
def bent_too_far(run, limit):
    """Whether any slip turned too far."""
    body, mode, index = run.body, run.mode, run.place
    if mode == VERTEX_SLIP:
        return _turned_too_far(run, index, S0_X, limit)
    if mode == SLIDE:
        return _turned_too_far(run, NONE, S0_X, limit)
    bent = False
    if mode in (EDGE_SLIP, EDGE_SLIP_FIRST):
        bent = _turned_too_far(run, body.edge_vertices[index, 0], S0_X, limit)
    if mode in (EDGE_SLIP, EDGE_SLIP_SECOND):
        bent = bent or _turned_too_far(run, body.edge_vertices[index, 1], S1_X, limit)
    return bent
