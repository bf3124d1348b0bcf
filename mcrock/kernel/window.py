"""Several samples of a recorded motion in one step.

Samples are closer than the motion of the body asks for. In a step over several of them the acceleration of
the ground is replaced by the parabola that starts with its value and has its integral and its double
integral over the step: velocity and displacement of the ground at the end are exact, and what is left out
has no part in either. A step that ends between samples, at an event, has a parabola of its own.
"""

from __future__ import annotations

from math import ceil, sqrt

from mcrock.base.jit import jit
from mcrock.base.params import Response
from mcrock.kernel import results
from mcrock.kernel.dynamics import force_turn, orientation, pulled, turning, vertex_step
from mcrock.kernel.results import Scratch
from mcrock.kernel.shaking import acceleration

SPAN = 2.0  # longest step over several samples, over the largest step [1]
MOST_SAMPLES = 16  # in one step
LEAST_COSINE = 0.2  # of the tilt: overturning is looked for in steps of one sample [1]


@jit(inline=True, internal=True)
def open_window(run, samples, usual, k, up):
    """Lay out the samples of a step from ``t`` [s], from the segment of the run on.

    Between its start and its last sample, or its end if it is longer than the ``usual`` one [s], the force of
    VERTEX mode is surely no extreme of the run and within the cone of friction. ``grip`` is the square of the
    static friction coefficient, infinite without friction, ``k`` are the `vertex_rates` at the start and
    ``up`` is the vertical in body axes. Returns the length of the step [s], 0 if it would not be longer than
    the usual one or the motion is no recorded one.
    """
    state, segment, window, result, turn = run.state, run.segment, run.window, run.result, run.turn
    t, t_end, piece, grip = run.t, run.end, run.piece, run.grip
    longest = SPAN * run.step
    gravity = run.body.gravity
    p = run.body.pivots[run.place]
    dt, segments, room = run.dt, run.length - 1, segment.end - t
    if segments < 1 or up[2] < LEAST_COSINE or results.has_overturned(result):
        return 0.0
    if room > longest:
        room /= ceil(room / longest)
    end = t + room if room < segment.end - t else segment.end
    c, s, scale, slope_x, slope_y = turn[0], turn[1], turn[2], turn[3], turn[4]
    x0, y0, z0 = acceleration(segment, t)
    row = window[0]
    row.at, row.g_x, row.g_y, row.g_z = 0.0, x0, y0, z0
    ax, ay, az, vx, vy, vz, dx, dy, dz = x0, y0, z0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    bx, by, bz = acceleration(segment, end)
    fx, fy, fz = turning(k, state.w_x, state.w_y, state.w_z, p.com_x, p.com_y, p.com_z)
    force = fx - k[7], fy - k[8], fz - k[9]
    drift = _drift(p, state, k, longest)
    at, d, n = 0.0, room, 0
    while True:
        n += 1
        dx, vx = dx + d * (vx + d * (2.0 * ax + bx) / 6.0), vx + 0.5 * d * (ax + bx)
        dy, vy = dy + d * (vy + d * (2.0 * ay + by) / 6.0), vy + 0.5 * d * (ay + by)
        dz, vz = dz + d * (vz + d * (2.0 * az + bz) / 6.0), vz + 0.5 * d * (az + bz)
        ax, ay, az, at = bx, by, bz, at + d
        row = window[n]
        row.at, row.v_x, row.v_y, row.v_z = at, vx, vy, vz
        row.d_x, row.d_y, row.d_z, row.g_x, row.g_y, row.g_z = dx, dy, dz, ax, ay, az
        after = piece + n + 1
        last = n == MOST_SAMPLES or after > segments or at + dt > longest or after * dt > t_end
        if last and (n > 1 or at <= usual):
            break
        change = _force_change(p, state, ax - x0, ay - y0, az - z0)
        if _may_be_extreme(result, gravity, force, change, drift * at, up, grip):
            if n == 1:
                return 0.0
            break
        if last:
            break
        sample, d = samples[run.first + after], dt
        bx, by = c * sample[0] - s * sample[1] + slope_x, s * sample[0] + c * sample[1] + slope_y
        bz = scale * sample[2]
    if at <= usual:
        return 0.0
    window[0].count = n
    return at


@jit(inline=True, internal=True)
def _drift(p, state, k, h):
    """Bound of the rate at which the force over the mass changes in ``h`` [s] while the acceleration of the
    ground does not [m/s3]: it turns with the body, and its centripetal part changes with the velocity."""
    spin = sqrt(state.w_x**2 + state.w_y**2 + state.w_z**2)
    gain = sqrt(k[4] * k[4] + k[5] * k[5] + k[6] * k[6])
    pull = sqrt(k[7] * k[7] + k[8] * k[8] + k[9] * k[9])
    arm = sqrt(p.com_x * p.com_x + p.com_y * p.com_y + p.com_z * p.com_z)
    spin += h * gain
    return spin * (pull + arm * (4.0 * gain + 2.0 * spin * spin))


@jit(inline=True, internal=True)
def _force_change(p, state, ax, ay, az):
    """Change of the force over the mass in body axes (3 numbers) [m/s2] for one of the acceleration of the
    ground, of the same pose and velocity."""
    x, y, z = pulled(orientation(state), 0.0, (ax, ay, az))
    wx, wy, wz = force_turn(p, (x, y, z))
    return wy * p.com_z - wz * p.com_y - x, wz * p.com_x - wx * p.com_z - y, wx * p.com_y - wy * p.com_x - z


@jit(inline=True, internal=True)
def _may_be_extreme(result, gravity, force, change, drift, up, grip):
    """Whether a force over the mass, known but for ``drift`` [m/s2], may be an extreme of the run, or ask for
    more than the square ``grip`` of the static friction coefficient."""
    x, y, z = force[0] + change[0], force[1] + change[1], force[2] + change[2]
    normal = x * up[0] + y * up[1] + z * up[2]
    most = sqrt(max(x * x + y * y + z * z - normal * normal, 0.0)) + drift
    least, demand = normal - drift, most * most
    square = least * least
    return not (
        least > gravity * result[Response.LOWEST_NORMAL_FORCE]
        and demand <= result[Response.PEAK_FRICTION_DEMAND] * square
        and demand <= min(result[Response.CERTIFIED_FRICTION], grip) * square
    )


@jit(inline=True, internal=True)
def row_at(window, h):
    """Row before a time ``h`` [s] after the start of a step."""
    j = 1
    while j < window[0].count and window[j].at < h:
        j += 1
    return j - 1


@jit(inline=True, internal=True)
def acceleration_after(segment, window, t, h):
    """Ground acceleration ``h`` [s] after the start ``t`` [s] of a step (3 numbers) [m/s2]."""
    if window[0].count == 0.0 or h <= window[1].at:
        return acceleration(segment, t + h)
    j = row_at(window, h)
    a, b = window[j], window[j + 1]
    x = (h - a.at) / (b.at - a.at)
    return a.g_x + x * (b.g_x - a.g_x), a.g_y + x * (b.g_y - a.g_y), a.g_z + x * (b.g_z - a.g_z)


@jit(inline=True, internal=True)
def accelerations_of_step(segment, window, t, h):
    """Ground acceleration for the middle and the end of a step from ``t`` over ``h`` [s] (two of 3 numbers)
    [m/s2]."""
    if window[0].count == 0.0 or h <= window[1].at:
        return acceleration(segment, t + 0.5 * h), acceleration(segment, t + h)
    j = row_at(window, h)
    a, b, start = window[j], window[j + 1], window[0]
    d, rate = h - a.at, 1.0 / (b.at - a.at)
    x, y, z = a.g_x, a.g_y, a.g_z
    ex, ey, ez = d * rate * (b.g_x - x), d * rate * (b.g_y - y), d * rate * (b.g_z - z)
    # velocity and displacement at the end, over the step and its square
    i, e = 1.0 / h, d / 6.0
    vx, dx = (a.v_x + d * (x + 0.5 * ex)) * i, (a.d_x + d * a.v_x + d * e * (3.0 * x + ex)) * (i * i)
    vy, dy = (a.v_y + d * (y + 0.5 * ey)) * i, (a.d_y + d * a.v_y + d * e * (3.0 * y + ey)) * (i * i)
    vz, dz = (a.v_z + d * (z + 0.5 * ez)) * i, (a.d_z + d * a.v_z + d * e * (3.0 * z + ez)) * (i * i)
    # Simpson's rule for both integrals: v = (start + 4 middle + end)/6, d = (start + 2 middle)/6
    x, y, z = start.g_x, start.g_y, start.g_z
    mx, my, mz = 3.0 * dx - 0.5 * x, 3.0 * dy - 0.5 * y, 3.0 * dz - 0.5 * z
    middle = mx, my, mz
    return middle, (6.0 * vx - x - 4.0 * mx, 6.0 * vy - y - 4.0 * my, 6.0 * vz - z - 4.0 * mz)


@jit(inline=True, internal=True)
def passes_peaks(result, up, after, before_w, after_w, h):
    """Whether the pose may turn back beyond a peak of the run within a step over ``h`` [s], which is then
    looked at in steps of one sample. ``up`` and ``after`` are the verticals in body axes at its ends."""
    dx, dy = up[1] * before_w[2] - up[2] * before_w[1], up[2] * before_w[0] - up[0] * before_w[2]
    ex = after[1] * after_w[2] - after[2] * after_w[1]
    ey = after[2] * after_w[0] - after[0] * after_w[2]
    beyond_x, beyond_y = 0.0, 0.0
    if dx * up[0] > 0.0 and ex * after[0] < 0.0:
        beyond_x = 0.25 * h * (abs(dx) + abs(ex))
    if dy * up[1] > 0.0 and ey * after[1] < 0.0:
        beyond_y = 0.25 * h * (abs(dy) + abs(ey))
    tilts = up[0] * dx + up[1] * dy > 0.0 and after[0] * ex + after[1] * ey < 0.0
    if beyond_x == 0.0 and beyond_y == 0.0 and not tilts:
        return False
    x, y = max(abs(up[0]), abs(after[0])) + beyond_x, max(abs(up[1]), abs(after[1])) + beyond_y
    x, y = x * x, y * y
    rest = 1.0 - x - y  # tilt/sin(tilt) is at most 1/cos(tilt)
    return (
        x + y > result[Response.PEAK_TILT]
        or y > rest * min(result[Response.PEAK_ROTATION_X], result[Scratch.LATER_X]) ** 2
        or x > rest * min(result[Response.PEAK_ROTATION_Y], result[Scratch.LATER_Y]) ** 2
    )


@jit(inline=True, internal=True)
def step_ahead(run, p, k1, h):
    """Step of VERTEX mode over ``h`` [s] into `run.trial`, of any length up to that of the window."""
    state, segment, window, t, out = run.state, run.segment, run.window, run.t, run.trial
    gravity = run.body.gravity
    vertex_step(p, gravity, state, k1, accelerations_of_step(segment, window, t, h), h, out)


@jit(internal=True)
def rare_step_ahead(run, p, k1, h):
    """`step_ahead` where few runs come by: not part of the caller, as each copy is long to compile."""
    step_ahead(run, p, k1, h)
