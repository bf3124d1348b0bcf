"""One step of smooth motion in any mode with slip or in flight.

A slow slip turns to the direction of its force within |V|/(mu g), much faster than the body moves, so that an
explicit step would have to be as short. There the step is that of the linearly implicit Euler method,
extrapolated to third order (Deuflhard, P., Bornemann, F. (2002), Scientific Computing with Ordinary
Differential Equations, Springer, section 6.4.2): implicit in the velocities of slip alone. It is of third
order for any approximation of that Jacobian, so differences of rates do.
"""

from __future__ import annotations

from math import sqrt

from mcrock.base.jit import jit
from mcrock.kernel.dynamics import LOSS, Q0, Q1, Q2, Q3, V_X, V_Y, W_X, W_Y, W_Z, X
from mcrock.kernel.friction.flat import flat_rates
from mcrock.kernel.friction.motion import REGULAR, slip_rates
from mcrock.kernel.friction.spin import WEIGHTS, prepare_spin, spin_step
from mcrock.kernel.friction.state import (
    BEND_0,
    R_VX,
    R_VY,
    R_WX,
    STIFF_SIZE,
    STIFFNESS,
    STOPPED,
    STOPPING,
    T_SPIN,
    T_SQUARE,
    T_VX,
    T_VY,
)
from mcrock.kernel.modes import EDGE_SLIP, SLIDE, SPIN, VERTEX_SLIP
from mcrock.kernel.rotation import to_ground, vertical
from mcrock.kernel.shaking import acceleration

STIFF = 1.0  # product of step and rate of settling above which a step is implicit [1]
PROBE = 1e-5  # turn of a slip by which the change of the rates is found [rad]


@jit(inline=True, internal=True)
def inlined_rates(run, mode, index, y, start, a, k):
    """`slip_rates` or `flat_rates`, by the mode."""
    if mode in (SLIDE, SPIN):
        return flat_rates(run, mode, index, y, start, a, k)
    return slip_rates(run, mode, index, y, start, a, k)


@jit(internal=True)
def mode_rates(run, mode, index, y, start, a, k):
    """`inlined_rates` by a call: its code in every caller costs compile time."""
    return inlined_rates(run, mode, index, y, start, a, k)


@jit(inline=True, internal=True)
def _stage(y, k, h, out):
    for i in range(W_Z + 1):
        out[i] = y[i] + h * k[i]
    for i in range(X, LOSS + 1):
        out[i] = y[i] + h * k[i]


@jit(internal=True)
def mode_step(run, h):
    """One step from ``t`` over ``h`` [s] into ``out``; returns whether the motion was regular throughout.

    ``friction.rates[0]`` are the `mode_rates` at the start; `prepare_step` has chosen the method.
    """
    friction, mode, out = run.friction, run.mode, run.trial
    if friction.found[STOPPING] != 0.0:
        good = _midpoint_step(run, h)
    elif friction.stiff[0, T_VX] != 0.0 or friction.stiff[0, T_VY] != 0.0:
        good = spin_step(run, h) if mode == SPIN else _implicit_step(run, h)
    else:
        good = _explicit_step(run, h)
    norm = 1.0 / sqrt(out[Q0] ** 2 + out[Q1] ** 2 + out[Q2] ** 2 + out[Q3] ** 2)
    for i in range(Q0, Q3 + 1):
        out[i] *= norm
    return good


@jit(inline=True, internal=True)
def _explicit_step(run, h):
    """The classical Runge-Kutta method."""
    friction, mode, index, y = run.friction, run.mode, run.place, run.state
    segment, t, out = run.segment, run.t, run.trial
    rates, bad = friction.rates, REGULAR
    for stage in range(1, 4):
        part = h if stage == 3 else 0.5 * h
        _stage(y, rates[stage - 1], part, out)
        bad |= inlined_rates(run, mode, index, out, y, acceleration(segment, t + part), rates[stage])
    k1, k2, k3, k4 = rates[0], rates[1], rates[2], rates[3]
    for i in range(W_Z + 1):
        out[i] = y[i] + h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i])
    for i in range(X, LOSS + 1):
        out[i] = y[i] + h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i])
    return bad == REGULAR


@jit(inline=True, internal=True)
def _midpoint_step(run, h):
    """The midpoint rule, for a slip that stops: halfway it has its direction still, at the end none."""
    rates, y, out = run.friction.rates, run.state, run.trial
    _stage(y, rates[0], 0.5 * h, out)
    a = acceleration(run.segment, run.t + 0.5 * h)
    bad = mode_rates(run, run.mode, run.place, out, y, a, rates[1])
    _stage(y, rates[1], h, out)
    return bad == REGULAR


@jit(inline=True, internal=True)
def prepare_step(run, a, h):
    """Choose the method of steps from a state, for steps of up to ``h`` [s].

    An implicit one gets, for each slip, how the rates change with its direction (columns R) and how its
    direction changes with the velocity of the first contact and the spin (columns T), and in time with the
    square of the spin, as the edge turns. A slip along itself changes nothing. Returns the step, shorter in
    `mcrock.kernel.friction.spin` where a slip would change too much.
    """
    body, friction, mode, index, y = run.body, run.friction, run.mode, run.place, run.state
    stiff, found, k, probe = friction.stiff, friction.found, friction.rates[0], friction.rates[1]
    stiff[0, T_VX] = stiff[0, T_VY] = 0.0
    for i in range(STIFF_SIZE):
        stiff[1, i] = 0.0
    implicit = mode in (VERTEX_SLIP, EDGE_SLIP, SLIDE, SPIN) and h * found[STIFFNESS] > STIFF
    if not implicit or found[STOPPING] != 0.0:
        return h
    if mode == SPIN:
        stiff[0, T_VX] = 1.0  # an implicit one
        return prepare_spin(run, a, h)
    for contact in range(2 if mode == EDGE_SLIP else 1):
        row = stiff[contact]
        found[BEND_0 + contact] = PROBE
        mode_rates(run, mode, index, y, y, a, probe)
        found[BEND_0 + contact] = 0.0
        row[R_VX], row[R_VY] = (probe[V_X] - k[V_X]) / PROBE, (probe[V_Y] - k[V_Y]) / PROBE
        for i in range(3):
            row[R_WX + i] = (probe[W_X + i] - k[W_X + i]) / PROBE
        vx, vy, lever_x, lever_y = y[V_X], y[V_Y], 0.0, 0.0
        if contact == 1:
            p, q = body.vertices[body.edge_vertices[index, 0]], body.vertices[body.edge_vertices[index, 1]]
            lever_x, lever_y, _ = to_ground(y, q[0] - p[0], q[1] - p[1], q[2] - p[2])
            _, _, spin = to_ground(y, y[W_X], y[W_Y], y[W_Z])
            vx, vy = vx - spin * lever_y, vy + spin * lever_x
        square = max(vx * vx + vy * vy, STOPPED * STOPPED)
        row[T_VX], row[T_VY] = -vy / square, vx / square
        row[T_SPIN] = (vx * lever_x + vy * lever_y) / square
        row[T_SQUARE] = (vy * lever_x - vx * lever_y) / square
    return h


@jit(inline=True, internal=True)
def _bend(row, up, vx, vy, wx, wy, wz):
    """Turn of a slip [rad] by a change of the velocity of the first contact and of the angular velocity."""
    return row[T_VX] * vx + row[T_VY] * vy + row[T_SPIN] * (up[0] * wx + up[1] * wy + up[2] * wz)


@jit(inline=True, internal=True)
def _implicit_step(run, h):
    """The extrapolated linearly implicit Euler method."""
    friction, mode, index, y = run.friction, run.mode, run.place, run.state
    segment, t, out = run.segment, run.t, run.trial
    k, now, stiff = friction.rates[1], friction.rates[2], friction.stiff
    total = friction.rates[3]
    bad = REGULAR
    for i in range(y.size):
        total[i] = 0.0
    first, second = stiff[0], stiff[1]
    up = vertical(y[Q0], y[Q1], y[Q2], y[Q3])
    for parts in range(1, 4):
        part_h = h / parts
        for i in range(y.size):
            now[i] = y[i]
        for part in range(parts):
            if part == 0:
                for i in range(y.size):
                    k[i] = friction.rates[0, i]
            else:
                bad |= inlined_rates(run, mode, index, now, y, acceleration(segment, t + part * part_h), k)
            # turns of the slips in the step: z_i = T_i (h f + h sum R_j z_j)
            a_00 = 1.0 - part_h * _bend(first, up, first[0], first[1], first[2], first[3], first[4])
            a_01 = -part_h * _bend(first, up, second[0], second[1], second[2], second[3], second[4])
            a_10 = -part_h * _bend(second, up, first[0], first[1], first[2], first[3], first[4])
            a_11 = 1.0 - part_h * _bend(second, up, second[0], second[1], second[2], second[3], second[4])
            b_0 = part_h * _bend(first, up, k[V_X], k[V_Y], k[W_X], k[W_Y], k[W_Z])
            spin = up[0] * now[W_X] + up[1] * now[W_Y] + up[2] * now[W_Z]
            b_1 = part_h * _bend(second, up, k[V_X], k[V_Y], k[W_X], k[W_Y], k[W_Z])
            b_1 += part_h * second[T_SQUARE] * spin * spin
            scale = part_h / (a_00 * a_11 - a_01 * a_10)
            z_0, z_1 = (a_11 * b_0 - a_01 * b_1) * scale, (a_00 * b_1 - a_10 * b_0) * scale
            _stage(now, k, part_h, now)
            now[V_X] += first[R_VX] * z_0 + second[R_VX] * z_1
            now[V_Y] += first[R_VY] * z_0 + second[R_VY] * z_1
            for i in range(3):
                now[W_X + i] += first[R_WX + i] * z_0 + second[R_WX + i] * z_1
        for i in range(y.size):
            total[i] += WEIGHTS[parts - 1] * now[i]
    for i in range(y.size):
        out[i] = total[i]
    return bad == REGULAR
