"""ROLL: a body with a circular base rolls on its rim, of which one point touches the ground.

Nothing slips. In body axes, with the vertical u, the point P on the ground is at the azimuth phi of -u on the
rim and moves along it, and rho = -P leads from it to the centre of mass:

    u' = u x w,   phi' = (u_x u_y' - u_y u_x')/(u_x^2 + u_y^2),   rho' = -P'
    (Theta - m [rho][rho]) w' = -w x Theta w - m rho x (w x (w x rho + rho') - g_eff)

which is the balance of angular momentum about the centre of mass with the force m (a - g_eff) at P (Koh, A.
S., Mustafa, G. (1990). Free rocking of cylindrical structures. Journal of Engineering Mechanics 116(1),
35-54).

A perfect rim does not land. With e_r the direction of P and e_t along the rim, the tilt s obeys s' = w_t and
s phi' = -w_r near flat, so that w changes by a finite amount while P sweeps a finite angle in no time: about
pi sqrt(1 + m R^2/A), with A the inertia about a diameter of the base, for a body of revolution without spin
(Srinivasan, M., Ruina, A. (2008). Rocking and rolling: A can that appears to rock might actually roll.
Physical Review E 78, 066609). Steps are a share of s/|w|, so that a sweep takes as many at every tilt.
Motion in a plane alone would end in a landing; there a drawn side decides to which it sweeps.

A rolling loss kappa is the moment -kappa/(4 pi) |phi'| (J W - m (rho . W) rho), with W and rho without their
parts along e_t and J the inertia about it at P: what the corners of a polygon of N sides take, to the first
order, with kappa = 4 pi^2 lambda m R^2/(N J). Without spin it is the share of the energy of the roll, of w_r,
that a turn of P takes, at every tilt and speed; of a sweep w_r = a sin(nu phi), with nu^2 = A/(A + m R^2), it
takes kappa/(4 nu) of all energy, to the first order, and no spin comes of it.
A base that is not flat lands where the tilt falls to its clearance (`mcrock.kernel.landing`).
"""

from __future__ import annotations

from math import ceil, sqrt

import numpy as np

from mcrock.base.jit import jit
from mcrock.base.params import SWEEP_STREAM, Response
from mcrock.base.random_numbers import uniform
from mcrock.impact.planar import CLEARANCE, ROLLING_LOSS, parameter
from mcrock.impact.varkonyi_2022 import solve_3x3
from mcrock.kernel import codes, results
from mcrock.kernel.dynamics import (
    NONE,
    angular_velocity,
    copy_pose,
    lowest_azimuth,
    orientation,
    pulled,
    rim_point,
    rim_turn,
    rolling_drag,
)
from mcrock.kernel.rest import HARDLY, pressure_reach, settles_on_rim
from mcrock.kernel.roots import BISECTIONS, EVENT_TIME, first_landing
from mcrock.kernel.rotation import norm, to_ground, vertical
from mcrock.kernel.shaking import acceleration
from mcrock.kernel.step import REFINEMENTS, TOUCH, UPRIGHT, corrected, lifts_off, see_step, tilt_rate
from mcrock.kernel.vertex import vertex_margin

TURN = 5.0  # of the contact on the rim, or change of the tilt over the tilt, over the time step times p [1]
DOWN, UP, EVEN = 0.7, 3.0, 0.5  # changes of the tilt over the tilt in a step of nearly plane motion [1]
PLANE = 1e-5  # velocity out of a plane over that in it, below which motion near flat is in that plane [1]
PUSH = 1e-7  # the same once it is pushed out of it: what is left of that later is no reason for a side [1]
FLAT = 1e-14  # tilt below which a body that slips has come down: friction need not let it sweep [rad]
PUSH_SLIP = 1e-4  # the same where it slips, so that times within a sweep are told apart [1]
SMALL = 0.01  # tilt that the motion allows, over the slenderness, below which steps are twice as long [1]
SPAN = 2.0  # longest step over the largest step [1]
SWAY = 1.4  # longest step near flat, over the time in which the shaking would turn the tilt [1]


@jit(inline=True, internal=True)
def roll_rates(body, loss, q, w, a):
    """Rates in ROLL mode with a rolling ``loss`` [1] and ground acceleration ``a`` [m/s2].

    Returns twice the rate of the quaternion (4), the angular acceleration in body axes (3) [rad/s2], the
    horizontal velocity of the COM in ground axes (2) [m/s] and the force over the mass in body axes (3)
    [m/s2].
    """
    up = vertical(q)
    q0, q1, q2, q3 = q
    wx, wy, wz = w
    c, s, turn = rim_turn(up, w)
    px, py, pz = rim_point(body, c, s)
    x, y, z = -px, -py, -pz
    vx, vy, vz = wy * z - wz * y, wz * x - wx * z, wx * y - wy * x
    ex, ey = vx + body.rim * turn * s, vy - body.rim * turn * c
    gx, gy, gz = pulled(q, body.gravity, a)
    fx, fy, fz = wy * vz - wz * ey - gx, wz * ex - wx * vz - gy, wx * ey - wy * ex - gz
    theta, share = body.inertia, 1.0 / body.mass  # all over the mass
    xx, xy, xz = share * theta[0], share * theta[1], share * theta[2]
    yy, yz, zz = share * theta[3], share * theta[4], share * theta[5]
    lx, ly, lz = xx * wx + xy * wy + xz * wz, xy * wx + yy * wy + yz * wz, xz * wx + yz * wy + zz * wz
    mx, my = z * fy - y * fz - (wy * lz - wz * ly), x * fz - z * fx - (wz * lx - wx * lz)
    mz = y * fx - x * fy - (wx * ly - wy * lx)
    xx, xy, xz, yy = xx + y * y + z * z, xy - x * y, xz - x * z, yy + x * x + z * z
    yz, zz = yz - y * z, zz + x * x + y * y
    if loss > 0.0:
        drag = rolling_drag(body, loss, (c, s, turn), w)
        mx, my, mz = mx + drag[0], my + drag[1], mz + drag[2]
    rows = (xx, xy, xz), (xy, yy, yz), (xz, yz, zz)
    dx, dy, dz = solve_3x3(rows, (mx, my, mz))
    along_x, along_y, _ = to_ground(q, vx, vy, vz)
    return (
        -q1 * wx - q2 * wy - q3 * wz,
        q0 * wx + q2 * wz - q3 * wy,
        q0 * wy + q3 * wx - q1 * wz,
        q0 * wz + q1 * wy - q2 * wx,
        dx,
        dy,
        dz,
        along_x,
        along_y,
        fx + dy * z - dz * y,
        fy + dz * x - dx * z,
        fz + dx * y - dy * x,
    )


@jit(internal=True)
def _roll_step(run, k1, h):
    """One step of the classical Runge-Kutta method in ROLL mode over ``h`` [s] into ``run.trial``; ``k1`` are
    the `roll_rates` at the start."""
    body, state, out, segment, t = run.body, run.state, run.trial, run.segment, run.t
    q, w, k, weight = orientation(state), angular_velocity(state), k1, h / 6.0
    y0, y1, y2, y3 = q
    wx, wy, wz = w
    x, y = 0.0, 0.0
    for stage in range(4):
        e = 0.5 * weight  # the rates of the quaternion come doubled
        y0, y1, y2, y3 = y0 + e * k[0], y1 + e * k[1], y2 + e * k[2], y3 + e * k[3]
        wx, wy, wz = wx + weight * k[4], wy + weight * k[5], wz + weight * k[6]
        x, y = x + weight * k[7], y + weight * k[8]
        if stage == 3:
            break
        d = h if stage == 2 else 0.5 * h
        e = 0.5 * d
        ahead = q[0] + e * k[0], q[1] + e * k[1], q[2] + e * k[2], q[3] + e * k[3]
        turning = w[0] + d * k[4], w[1] + d * k[5], w[2] + d * k[6]
        k = roll_rates(body, run.rolling_loss, ahead, turning, acceleration(segment, t + d))
        weight = h / 6.0 if stage == 2 else h / 3.0
    size = 1.0 / sqrt(y0 * y0 + y1 * y1 + y2 * y2 + y3 * y3)
    out.q0, out.q1, out.q2, out.q3 = y0 * size, y1 * size, y2 * size, y3 * size
    out.w_x, out.w_y, out.w_z = wx, wy, wz
    # the contact is under the centre of mass as the rim is: its own way would need steps of its own
    bx, by, _ = _com_from_contact(body, state)
    ax, ay, _ = _com_from_contact(body, out)
    out.p_x, out.p_y = state.p_x + bx + x - ax, state.p_y + by + y - ay


@jit(inline=True, internal=True)
def _com_from_contact(body, state):
    """The COM over the point on the ground, in ground axes (3 numbers) [m]."""
    c, s, _ = lowest_azimuth(vertical(orientation(state)))
    x, y, z = rim_point(body, c, s)
    return to_ground(orientation(state), -x, -y, -z)


@jit(inline=True, internal=True)
def longest_step(run, up, plane, pull):
    """Step that resolves the motion of the contact [s].

    ``plane`` is the change of the tilt over the tilt in nearly plane motion [1], and ``pull`` the angular
    acceleration with which the tilt falls [rad/s2].
    """
    state = run.state
    c, s, tilt = lowest_azimuth(up)
    across, along = abs(c * state.w_x + s * state.w_y), c * state.w_y - s * state.w_x
    # tilt times w_r is kept exactly, at every length of the step: what errs is the turn, of the fourth order
    share, weight = TURN * run.settings.step, tipping(run.body)
    if tilt + (across * across + along * along) / (2.0 * weight) < SMALL * run.body.slenderness:
        share *= 2.0
    if 0.5 * across < abs(along) * share**4:
        share = plane
    elif across < abs(along):
        share *= sqrt(sqrt(abs(along) / across))
    rate = across + abs(along) + abs(state.w_z) * tilt
    longest = share * tilt / rate if rate > 0.0 else np.inf
    root = sqrt(along * along + 2.0 * DOWN * pull * tilt) - along
    if root > 0.0:
        longest = min(longest, 2.0 * DOWN * tilt / root)
    # where the centre of pressure is near the rim, a shift of it turns the tilt
    return min(longest, SWAY * sqrt(tilt / weight))


@jit(inline=True, internal=True)
def tipping(body):
    """Angular acceleration about the rim by the weight, of a body flat on its base [rad/s2], about."""
    return body.gravity * body.rim / (body.inertia[0] / body.mass + body.base_z * body.base_z)


@jit(internal=True)
def sweep_time(state):
    """Time in which a body that tilts as fast as it does would be flat, or turn on its rim [s]."""
    up = vertical(orientation(state))
    rate = norm(state.w_x, state.w_y)
    return norm(up[0], up[1]) / rate if rate > 0.0 else np.inf


@jit(internal=True)
def push_aside(run, up):
    """Give a body that comes down in a plane a velocity out of it, to a drawn side and of no energy."""
    state, law = run.state, run.law
    c, s, tilt = lowest_azimuth(up)
    across, along = c * state.w_x + s * state.w_y, c * state.w_y - s * state.w_x
    if along >= 0.0:
        if run.falls:
            run.sweeps += 1
            run.falls = run.pushed = run.known = False
        return
    run.falls, run.left = True, NONE
    if run.pushed or tilt > run.settings.sweep_tilt or abs(across) >= PLANE * -along:
        return
    side = -1.0 if uniform(law.seed, SWEEP_STREAM, law.realization, run.sweeps) < 0.5 else 1.0
    run.pushed = True
    change = side * (PUSH if run.mode == codes.ROLL else PUSH_SLIP) * -along - across
    state.w_x, state.w_y = state.w_x + change * c, state.w_y + change * s


@jit(internal=True)
def draw_rim(run, quantiles):
    """Rolling loss and clearance of the time that the rim comes down next."""
    loss = parameter(run.law, quantiles, ROLLING_LOSS, run.sweeps)
    clearance = parameter(run.law, quantiles, CLEARANCE, run.sweeps)
    run.rolling_loss = loss if loss > 0.0 else 0.0  # which NaN, of none, is not
    run.clearance = clearance if clearance > 0.0 else 0.0
    run.known = True


@jit(internal=True)
def advance_roll(run, quantiles):
    """One step of ROLL mode.

    Returns the time advanced [s] and the event.
    """
    body, result, state, trial, t = run.body, run.result, run.state, run.trial, run.t
    up = vertical(orientation(state))
    push_aside(run, up)
    if run.t <= run.shaken:
        run.calm = run.sweeps
    if not run.known:
        draw_rim(run, quantiles)
    a = acceleration(run.segment, t)
    if rolls_out(run, state, a):
        return 0.0, codes.REST_EVENT
    if _is_down(run, up, a):
        return 0.0, codes.REST_EVENT
    k1 = roll_rates(body, run.rolling_loss, orientation(state), angular_velocity(state), a)
    normal = k1[9] * up[0] + k1[10] * up[1] + k1[11] * up[2]
    square = max(k1[9] * k1[9] + k1[10] * k1[10] + k1[11] * k1[11] - normal * normal, 0.0)
    results.see_force(result, body.gravity, square, normal, up[2])
    results.see_vertex(result, square, normal)
    if normal < 0.0 and lifts_off(run, up):
        return 0.0, codes.NO_EVENT
    if run.friction.on and vertex_margin(run.friction, body.gravity, normal, square) < 0.0:
        return 0.0, codes.SLIP
    c, s, _ = lowest_azimuth(up)
    resolved, room = longest_step(run, up, UP, max(s * k1[4] - c * k1[5], 0.0)), run.segment.end - t
    h, event = min(resolved, room / ceil(room / (SPAN * run.step))), codes.NO_EVENT
    _roll_step(run, k1, h)
    if run.clearance > 0.0:
        h, event = _locate_landing(run, k1, up, h)
        run.face = run.place
    if _falls(run) and not results.has_overturned(result):
        h, event = _time_of_fall(run, k1, h), codes.OVERTURN
    after = vertical(orientation(trial))
    if event != codes.NO_EVENT and after[2] <= UPRIGHT:
        result[Response.PEAK_TILT] = 1.0
    d0 = tilt_rate(up, state.w_x, state.w_y, state.w_z)
    d1 = tilt_rate(after, trial.w_x, trial.w_y, trial.w_z)
    copy_pose(trial, state)
    state.p_x, state.p_y = trial.p_x, trial.p_y
    see_step(result, up, after, d0, d1, h)
    return h, event


@jit(internal=True)
def rolls_out(run, state, a):
    """`settles_on_rim` of a body in a ``state`` that is nearly flat and not clearly too fast."""
    body, settings, up = run.body, run.settings, vertical(orientation(state))
    if up[0] * up[0] + up[1] * up[1] > settings.rest_tilt * settings.rest_tilt:
        return False
    c, s, _ = lowest_azimuth(up)
    down = body.gravity + abs(a[2])
    rise = body.rim * (c * state.w_y - s * state.w_x) + body.base_x * state.w_y - body.base_y * state.w_x
    slow = max(HARDLY * body.slenderness * body.rim, settings.rest_time * settings.rest_time * down / 8.0)
    if 0.5 * rise * rise > slow * down:
        return False
    return settles_on_rim(run, state, c, s, a)


@jit(inline=True, internal=True)
def above_clearance(run, state):
    """Sine of the tilt beyond the clearance [1], and its rate [1/s]."""
    up = vertical(orientation(state))
    c, s, tilt = lowest_azimuth(up)
    return tilt - run.clearance, up[2] * (c * state.w_y - s * state.w_x)


@jit(internal=True)
def falls_back(run, flat):
    """Whether a body that has not risen above its clearance falls back on its base, or is ``flat`` [rad]."""
    above, rate = above_clearance(run, run.state)
    return rate < 0.0 and (above < -TOUCH or above + run.clearance < flat)


@jit(internal=True)
def _is_down(run, up, a):
    """Whether it would rest there."""
    return falls_back(run, 0.0) and pressure_reach(run, a) < 1.0


@jit(internal=True)
def _locate_landing(run, k1, up, whole):
    """The time at which the tilt falls to the clearance in a step over ``whole`` [s], or that, and the
    event."""
    trial = run.trial
    before, rate = above_clearance(run, run.state)
    after, rate_after = above_clearance(run, trial)
    h = first_landing(before, rate, after, rate_after, whole, TOUCH) if before >= -TOUCH else -1.0
    if not h >= 0.0:
        return whole, codes.NO_EVENT
    low, high = 0.0, whole
    for _ in range(REFINEMENTS):
        _roll_step(run, k1, h)
        gap, speed = above_clearance(run, trial)
        if gap > 0.0:
            low = max(low, h)
        else:
            high = min(high, h)
        h, found = corrected(h, gap, speed, low, high)
        if found == 1:
            _roll_step(run, k1, h)
        if found > 0:
            break
    return h, codes.FACET_IMPACT


@jit(internal=True)
def _falls(run):
    """Whether in the state tried the axis is level, or a vertex off the base on the ground."""
    body, q = run.body, orientation(run.trial)
    up = vertical(q)
    if up[2] <= 0.0:
        return True
    if body.n_face > 1:
        c, s, _ = lowest_azimuth(up)
        x, y, z = rim_point(body, c, s)
        ground = up[0] * x + up[1] * y + up[2] * z
        for i in range(body.n_vertex):
            v = body.vertices[i]
            if not body.standing[i] and up[0] * v[0] + up[1] * v[1] + up[2] * v[2] <= ground:
                return True
    return False


@jit(internal=True)
def _time_of_fall(run, k1, high):
    """First time at which the state tried `_falls` in a step over ``high`` [s]."""
    low = 0.0
    for _ in range(BISECTIONS):
        if high - low <= EVENT_TIME:
            break
        middle = 0.5 * (low + high)
        _roll_step(run, k1, middle)
        if _falls(run):
            high = middle
        else:
            low = middle
    _roll_step(run, k1, high)
    return high
