"""A face that slides and spins flat on the ground.

Without spin all points slip alike, the reaction passes through the COM, and no pressure has to be known: the
motion is exact for any body. With spin the corners carry it, with the pressures of least sum of squares that
keep the face flat.

The friction of a corner that creeps follows its slip within microseconds, and an explicit step would have to
be as short. While one hardly moves, steps are those of the linearly implicit Euler method, extrapolated to
third order (Deuflhard, P., Bornemann, F. (2002), Scientific Computing with Ordinary Differential Equations,
Springer, section 6.4.2): implicit in the spin and in the velocity of the slowest corner, about which the
body turns.
"""

from __future__ import annotations

from math import inf, sqrt

from mcrock.base.jit import jit
from mcrock.kernel import codes
from mcrock.kernel.dynamics import (
    NONE,
    advance_state,
    angular_velocity,
    clear_state,
    copy_motion,
    copy_state,
    orientation,
)
from mcrock.kernel.friction.motion import (
    IRREGULAR,
    REGULAR,
    SLOWEST,
    STIFFER,
    count_passes,
    from_contact,
    slip_direction,
    to_contact,
)
from mcrock.kernel.rotation import matrix, norm, to_ground, vertical
from mcrock.kernel.shaking import acceleration


@jit(inline=True, internal=True)
def slide_margin(side, mu, sx, sy):
    """How far the centre of pressure is inside a side [m] while a face slides in a direction: it lies at mu
    h from the foot of the COM, whatever the shaking, speed and weight."""
    return side.distance + mu * (side.pull_x * sx + side.pull_y * sy)


@jit(internal=True)
def least_margin(sides, n, mu, sx, sy):
    """The least `slide_margin` of the sides of a face [m]."""
    least = inf
    for i in range(n):
        least = min(least, slide_margin(sides[i], mu, sx, sy))
    return least


@jit(internal=True)
def base_margin(run, n, mu, sx, sy):
    """`least_margin` of the face that the body lies on, or that of its circle [m]."""
    body = run.body
    if body.rim == 0.0:
        return least_margin(run.sides, n, mu, sx, sy)
    x, y, z = to_ground(orientation(run.state), body.base_x, body.base_y, body.base_z)
    return body.rim - norm(-mu * z * sx - x, -mu * z * sy - y)


@jit(internal=True)
def tips(run, n, mu, sx, sy):
    """Whether a face that slides in a direction tips over one of its sides."""
    return base_margin(run, n, mu, sx, sy) < 0.0


DROPS = 4  # of corners without pressure that are tried, over the number of corners
FADING = 0.1  # speed at which the friction of a corner fades, over that at which a face stops [1]
EVEN = 1e-12  # pivots below this are none, over the largest [1]


@jit(internal=True)
def flat_rates(run, mode, index, y, start, a, k):
    """Rates ``k`` of a state ``y`` flat on face ``index``; not REGULAR where no pressure keeps it flat."""
    body, friction = run.body, run.friction
    mu, found = friction.mu, friction.found
    down = body.gravity + a[2]
    k.q0 = k.q1 = k.q2 = k.q3 = k.w_x = k.w_y = k.w_z = 0.0
    k.x, k.y, k.z, k.v_z, k.path_1 = y.v_x, y.v_y, 0.0, 0.0, 0.0
    if mode == codes.SLIDE:
        sx, sy, speed = slip_direction(y.v_x, y.v_y, start.s0_x, start.s0_y)
        sx, sy = sx - found.bend_0 * sy, sy + found.bend_0 * sx
        down = max(down, 0.0)
        ax, ay = -a[0] - mu * down * sx, -a[1] - mu * down * sy
        k.v_x, k.v_y, k.path_0, k.loss = ax, ay, speed, mu * down * speed
        found.turning = abs(ay * sx - ax * sy) / speed if speed > 0.0 else 0.0
        found.stiffness = mu * down / max(speed, SLOWEST)
        return REGULAR
    (q0, q1, q2, q3), (wx, wy, wz) = orientation(y), angular_velocity(y)
    m = matrix(orientation(y))
    spin = m[6] * wx + m[7] * wy + m[8] * wz
    if not corner_pressures(run, index, y, m, spin, down):
        return IRREGULAR
    fx, fy, moment = 0.0, 0.0, 0.0
    first, last = body.face_first[index], body.face_first[index + 1]
    for i in range(last - first):
        c = friction.contacts[i]
        fx -= mu * c.p_z * c.s_x
        fy -= mu * c.p_z * c.s_y
        moment += mu * c.p_z * (c.d_y * c.s_x - c.d_x * c.s_y)
    turning = moment / vertical_inertia(body, (m[6], m[7], m[8]))
    k.v_x, k.v_y, k.path_0 = fx - a[0], fy - a[1], 0.0
    k.loss = -(fx * y.v_x + fy * y.v_y + moment * spin)
    k.w_x, k.w_y, k.w_z = turning * m[6], turning * m[7], turning * m[8]
    k.q0 = 0.5 * (-q1 * wx - q2 * wy - q3 * wz)
    k.q1 = 0.5 * (q0 * wx + q2 * wz - q3 * wy)
    k.q2 = 0.5 * (q0 * wy + q3 * wx - q1 * wz)
    k.q3 = 0.5 * (q0 * wz + q1 * wy - q2 * wx)
    found.turning = found.stiffness = 0.0
    for i in range(last - first):
        c = friction.contacts[i]
        # acceleration of the corner, and how fast its slip turns beside the turn of the body
        ax = k.v_x - turning * c.d_y - spin * spin * c.d_x
        ay = k.v_y + turning * c.d_x - spin * spin * c.d_y
        speed = max(c.speed, FADING * found.creep)
        if c.speed > found.creep:
            found.turning = max(found.turning, abs(ay * c.s_x - ax * c.s_y) / speed)
        found.stiffness = max(found.stiffness, max(STIFFER * mu * c.p_z, 2.0 * norm(ax, ay)) / speed)
    return REGULAR


@jit(internal=True)
def vertical_inertia(body, up):
    """Moment of inertia about the vertical ``up`` (3 numbers, body axes) over the mass [m2]."""
    i = body.inertia
    x, y, z = up
    turned = i[0] * x * x + i[3] * y * y + i[5] * z * z + 2.0 * (i[1] * x * y + i[2] * x * z + i[4] * y * z)
    return turned / body.mass


@jit(internal=True)
def corner_pressures(run, f, y, m, spin, down):
    """Pressures at the corners of face ``f`` over the mass, into the contacts; False where there are none.

    They are the least in sum of squares among those that leave no vertical acceleration and no turn about a
    horizontal axis. Of each contact S is the direction of slip, shorter where a corner near the point about
    which the body turns creeps: its friction is less.
    A face that is held has some in any case.
    """
    body, friction = run.body, run.friction
    mu, contacts = friction.mu, friction.contacts
    first, last = body.face_first[f], body.face_first[f + 1]
    n = last - first
    i = body.inertia
    # products of inertia of the vertical with the horizontal axes, over that about the vertical
    hx = (i[0] * m[6] + i[1] * m[7] + i[2] * m[8]) / body.mass
    hy = (i[1] * m[6] + i[3] * m[7] + i[4] * m[8]) / body.mass
    hz = (i[2] * m[6] + i[4] * m[7] + i[5] * m[8]) / body.mass
    xz = m[0] * hx + m[1] * hy + m[2] * hz
    yz = m[3] * hx + m[4] * hy + m[5] * hz
    zz = m[6] * hx + m[7] * hy + m[8] * hz
    for j in range(n):
        c, p = contacts[j], body.vertices[body.face_vertices[first + j]]
        dx, dy, dz = to_ground(orientation(y), p[0], p[1], p[2])
        vx, vy = y.v_x - spin * dy, y.v_y + spin * dx
        speed = sqrt(vx * vx + vy * vy + (FADING * friction.found.creep) ** 2)
        c.d_x, c.d_y, c.d_z, c.s_x, c.s_y, c.speed = dx, dy, dz, vx / speed, vy / speed, norm(vx, vy)
        moment = mu * (dy * c.s_x - dx * c.s_y)
        # the two moment equations of a unit pressure
        c.moment_x = dy + dz * mu * c.s_y - xz / zz * moment
        c.moment_y = -dx - dz * mu * c.s_x - yz / zz * moment
        c.carries, c.p_z = 1.0, 0.0
    goal_x, goal_y = -spin * spin * yz, spin * spin * xz
    a = friction.matrix
    for _ in range(DROPS * n):
        count_passes(friction, n)
        if not _least_squares(friction, n, down, goal_x, goal_y):
            break
        worst, which = 0.0, -1
        for j in range(n):
            c = contacts[j]
            pressure = a[0, 3] + c.moment_x * a[1, 3] + c.moment_y * a[2, 3]
            if c.carries > 0.0:
                c.p_z = pressure
                if pressure < worst:
                    worst, which = pressure, j
            else:
                c.p_z = 0.0
        if which < 0:
            # a corner left out that would carry now comes back
            for j in range(n):
                c = contacts[j]
                pressure = a[0, 3] + c.moment_x * a[1, 3] + c.moment_y * a[2, 3]
                if c.carries == 0.0 and pressure > 1e-12 * down:
                    which = j
            if which < 0:
                return True
            contacts[which].carries = 1.0
        else:
            contacts[which].carries = 0.0
    return friction.found.held != 0.0 and _unbalanced(friction, n, down, goal_x, goal_y)


@jit(internal=True)
def _least_squares(friction, n, down, goal_x, goal_y):
    """The multipliers of the pressures at the corners that carry into ``friction.matrix`` [:3, 3]."""
    a = friction.matrix
    for r in range(3):
        for col in range(4):
            a[r, col] = 0.0
    for j in range(n):
        c = friction.contacts[j]
        if c.carries > 0.0:
            g = (1.0, c.moment_x, c.moment_y)
            for r in range(3):
                for col in range(3):
                    a[r, col] += g[r] * g[col]
    a[0, 3], a[1, 3], a[2, 3] = down, goal_x, goal_y
    return solve_3(a)


@jit(internal=True)
def _unbalanced(friction, n, down, goal_x, goal_y):
    """The pressures that carry a face held flat where none balance it: the positive ones of all corners.

    The friction of a corner that creeps follows its slip within microseconds. Until it has, no pressures may
    balance a face that stays flat with that corner stuck.
    """
    contacts, a, total = friction.contacts, friction.matrix, 0.0
    for j in range(n):
        contacts[j].carries = 1.0
    if not _least_squares(friction, n, down, goal_x, goal_y):
        return False
    for j in range(n):
        c = contacts[j]
        c.p_z = max(a[0, 3] + c.moment_x * a[1, 3] + c.moment_y * a[2, 3], 0.0)
        total += c.p_z
    for j in range(n):
        contacts[j].p_z *= down / total
    return True


@jit(internal=True)
def corner_velocity(body, y, vertex):
    """Horizontal velocity of a vertex of a body that is flat and spins [m/s]."""
    p = body.vertices[vertex]
    dx, dy, _ = to_ground(orientation(y), p[0], p[1], p[2])
    _, _, spin = to_ground(orientation(y), y.w_x, y.w_y, y.w_z)
    return y.v_x - spin * dy, y.v_y + spin * dx


@jit(internal=True)
def solve_3(a):
    """Solve three equations (3, 4) in place; False if they are singular."""
    largest = 0.0
    for i in range(3):
        for j in range(3):
            largest = max(largest, abs(a[i, j]))
    for i in range(3):
        pivot = i
        for r in range(i + 1, 3):
            if abs(a[r, i]) > abs(a[pivot, i]):
                pivot = r
        if not abs(a[pivot, i]) > EVEN * largest:
            return False
        for col in range(4):
            a[i, col], a[pivot, col] = a[pivot, col], a[i, col]
        for r in range(3):
            if r != i:
                factor = a[r, i] / a[i, i]
                for col in range(4):
                    a[r, col] -= factor * a[i, col]
    for i in range(3):
        a[i, 3] /= a[i, i]
    return True


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
    x, z, _ = to_ground(orientation(y), p[0], p[1], p[2])
    _, _, spin = to_ground(orientation(y), y.w_x, y.w_y, y.w_z)
    _, _, turning = to_ground(orientation(y), k.w_x, k.w_y, k.w_z)
    k.x, k.y = k.x - spin * z, k.y + spin * x
    k.v_x += -turning * z - spin * spin * x
    k.v_y += turning * x - spin * spin * z


@jit(internal=True)
def _rates(run, corner, y, a, k):
    """`flat_rates` of a state ``y`` whose position and velocity are those of a corner."""
    body, index = run.body, run.place
    from_contact(body, y, codes.VERTEX_SLIP, corner)
    regular = flat_rates(run, codes.SPIN, index, y, y, a, k)
    _turn_about(body, corner, y, k)
    to_contact(body, y, codes.VERTEX_SLIP, corner)
    return regular


@jit(internal=True)
def prepare_spin(run, a, h):
    """How the rates change with the velocity and with the spin: a row of ``friction.spinning`` for each.

    Returns the step [s], of at most ``h``, in which no slip changes too much.
    """
    body, friction, index, y = run.body, run.friction, run.place, run.state
    probe, near, k = friction.rates[1], friction.rates[2], friction.rates[3]
    corner = _slowest(body, index, y)
    up = vertical(orientation(y))
    copy_motion(friction.rates[0], k)
    _turn_about(body, corner, y, k)
    for unknown in range(3):
        copy_state(y, near)
        to_contact(body, near, codes.VERTEX_SLIP, corner)
        change = PROBE * FADING * friction.found.creep
        if unknown == 0:
            near.v_x += change
        elif unknown == 1:
            near.v_y += change
        else:
            change /= body.radius
            near.w_x += change * up[0]
            near.w_y += change * up[1]
            near.w_z += change * up[2]
        _rates(run, corner, near, a, probe)
        row = friction.spinning[unknown]
        row[0], row[1] = (probe.v_x - k.v_x) / change, (probe.v_y - k.v_y) / change
        row[2] = up[0] * (probe.w_x - k.w_x) / change + up[1] * (probe.w_y - k.w_y) / change
        row[2] += up[2] * (probe.w_z - k.w_z) / change
        row[3] = (probe.loss - k.loss) / change
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
        x, z, _ = to_ground(orientation(y), q[0] - p[0], q[1] - p[1], q[2] - p[2])
        ux, uy = corner_velocity(body, y, body.face_vertices[i])
        speed = max(norm(ux, uy), FADING * friction.found.creep)
        most = max(most, norm(vx - spin * z, vy + spin * x) / speed)
    return most


@jit(internal=True)
def _solve(friction, up, k, h):
    """The change z = h f + h J z of velocity and spin, for the rates f, into ``friction.matrix`` [:3, 3]."""
    a = friction.matrix
    for row in range(3):
        for col in range(3):
            a[row, col] = -h * friction.spinning[col, row]
        a[row, row] += 1.0
    a[0, 3], a[1, 3] = h * k.v_x, h * k.v_y
    a[2, 3] = h * (up[0] * k.w_x + up[1] * k.w_y + up[2] * k.w_z)
    return solve_3(a)


@jit(internal=True)
def spin_step(run, h):
    """One step from ``t`` over ``h`` [s] into ``out``, as `mcrock.kernel.friction.step.mode_step`."""
    body, friction, index, y = run.body, run.friction, run.place, run.state
    segment, t, out = run.segment, run.t, run.trial
    k, now, first, a = friction.rates[1], friction.rates[2], friction.rates[3], friction.matrix
    corner = _slowest(body, index, y)
    up = vertical(orientation(y))
    clear_state(out)
    copy_motion(friction.rates[0], first)
    _turn_about(body, corner, y, first)
    bad = REGULAR
    for parts in range(1, 4):
        part_h = h / parts
        copy_state(y, now)
        to_contact(body, now, codes.VERTEX_SLIP, corner)
        for part in range(parts):
            copy_motion(first, k)
            if part > 0:
                ground = acceleration(segment, t + part * part_h)
                bad |= _rates(run, corner, now, ground, k)
            if not _solve(friction, up, k, part_h):
                return False
            now.q0 += part_h * k.q0
            now.q1 += part_h * k.q1
            now.q2 += part_h * k.q2
            now.q3 += part_h * k.q3
            now.x += part_h * k.x
            now.y += part_h * k.y
            now.v_x += a[0, 3]
            now.v_y += a[1, 3]
            now.loss += part_h * k.loss
            now.w_x += a[2, 3] * up[0]
            now.w_y += a[2, 3] * up[1]
            now.w_z += a[2, 3] * up[2]
            for i in range(3):
                now.loss += part_h * friction.spinning[i, 3] * a[i, 3]
        advance_state(out, now, WEIGHTS[parts - 1], out)
    from_contact(body, out, codes.VERTEX_SLIP, corner)
    return bad == REGULAR and _is_driven(run, up, h)


@jit(internal=True)
def _is_driven(run, up, h):
    """Whether friction and the ground can change the velocity and the spin by so much in a step.

    Pressures that fall as a corner speeds up make an implicit step too long blow up.
    """
    body, friction, before = run.body, run.friction, run.state
    after, segment, t = run.trial, run.segment, run.t
    a, b = acceleration(segment, t), acceleration(segment, t + h)
    mu, down = friction.mu, body.gravity + max(a[2], b[2])
    shift = norm(after.v_x - before.v_x, after.v_y - before.v_y)
    spin = up[0] * (after.w_x - before.w_x) + up[1] * (after.w_y - before.w_y)
    spin += up[2] * (after.w_z - before.w_z)
    most = OVER * h * mu * down
    turn = most * body.radius / vertical_inertia(body, up)
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
