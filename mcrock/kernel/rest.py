"""REST: a face lies flat and nothing moves, until the body rocks or slips.

It ends where a side of the face lifts, or, with friction, where the ground no longer holds the body. Rest is
also how a sequence of impacts ends.
"""

from __future__ import annotations

from math import cos, inf, sin, sqrt

import numpy as np

from mcrock.base.jit import jit
from mcrock.base.params import BLOCK, Response
from mcrock.impact.varkonyi_2022 import kinetic_energy
from mcrock.kernel import codes
from mcrock.kernel.dynamics import (
    FIRST,
    NONE,
    attitude,
    edge_between,
    edge_contact,
    in_body,
    inertia_of,
    lay_flat,
    lowest_azimuth,
    move_contact,
    move_pivot,
    orientation,
    point_of,
    pulled,
    rim_point,
    upward,
    vertex_lift,
)
from mcrock.kernel.edge import enter_edge
from mcrock.kernel.results import see_moments, see_pull, see_rest
from mcrock.kernel.roots import BISECTIONS, EVENT_TIME, LOOKS
from mcrock.kernel.rotation import largest_eigenvalue, norm, to_ground, turned, vertical
from mcrock.kernel.shaking import acceleration, load

SLIP_BISECTIONS = 80
HARDLY = 1e-4  # tilt that is left to a body on a rim when it counts as at rest, over the slenderness [1]
BORDER = 0.01  # moment that holds it down, over that under the middle of the base, below which it may not [1]
LEAST_TILT = 1e-8  # with which a body at rest begins to roll [rad]
INSIDE = 1.0 - 1e-9  # of the square of Coulomb's bound [1]


@jit(internal=True)
def holds(a, static, gravity):
    """Whether rest is possible: the horizontal force is within the cone of friction.

    At its boundary it is not, by more than rounding: the instant at which slip begins is one of slip.
    """
    down = gravity + a[2]
    return down > 0.0 and a[0] * a[0] + a[1] * a[1] <= INSIDE * static * static * down * down


@jit(internal=True)
def next_slip(segment, t, static, gravity, step):
    """Time in the segment, from ``t`` [s] on, at which friction no longer holds the body; infinite if it
    does.

    On a linear segment |a_h|^2 = mu^2 (g + a_z)^2 is a quadratic equation; a sine is looked through in steps
    of ``step`` [s], or longer ones where these would be too many.
    """
    begin, end = t, segment.end
    if not holds(acceleration(segment, begin), static, gravity):
        return begin
    linear, step = segment.sine == 0.0, max(step, (end - t) / LOOKS)
    for _ in range(2 * LOOKS):
        last = end if linear else min(begin + step, end)
        a, b = acceleration(segment, begin), acceleration(segment, last)
        if not holds(b, static, gravity):
            if linear:
                root = begin + (last - begin) * _first_root(a, b, static, gravity)
                late = min(root + EVENT_TIME, last)
                if not holds(acceleration(segment, late), static, gravity):
                    return late
            low, high = begin, last
            for _ in range(SLIP_BISECTIONS):
                middle = 0.5 * (low + high)
                if holds(acceleration(segment, middle), static, gravity):
                    low = middle
                else:
                    high = middle
            return high
        if last >= end:
            break
        begin = last
    return inf


@jit(internal=True)
def _first_root(a, b, static, gravity):
    """Share of the way from ``a`` to ``b``, accelerations, at which the demand reaches the friction [1]."""
    x, y, z = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    down = gravity + a[2]
    square = INSIDE * static * static
    c2 = x * x + y * y - square * z * z
    c1 = a[0] * x + a[1] * y - square * down * z
    c0 = a[0] * a[0] + a[1] * a[1] - square * down * down  # not positive
    root = sqrt(max(c1 * c1 - c2 * c0, 0.0))
    # the root where the quadratic becomes positive, without cancellation
    if c1 > 0.0:
        return -c0 / (c1 + root)
    return (root - c1) / c2 if c2 != 0.0 else inf


@jit(inline=True, internal=True)
def advance_rest(run, motions):
    """Rest until a face lifts or friction no longer holds it, or to the end of the segment."""
    run.event, segment = codes.NO_EVENT, run.segment
    if run.piece % BLOCK == 0 and run.t <= segment.begin:
        quiet = pass_quiet(run, motions)
        if quiet > run.piece:
            load(run, motions, quiet - 1)
            run.t = segment.end
            return
    first, event = next_tip(run) if run.body.rim > 0.0 else next_uplift(run), codes.UPLIFT
    if run.friction.on:
        slip = next_slip(segment, run.t, run.friction.static, run.body.gravity, run.step)
        if slip < first or (slip == first and slip < np.inf):
            first, event = slip, codes.SLIP
    if first <= segment.end:
        run.at_instant = run.at_instant + 1 if first - run.t <= EVENT_TIME else 0
        run.t, run.event = first, event
    elif run.t >= run.shaken or run.piece >= run.pieces:
        run.outcome = codes.AT_REST
    else:
        run.t = segment.end


SAFE = 1.0 + 1e-9  # rounding of the bound for quiet blocks [1]


@jit(internal=True)
def lay_sides(body, state, f, sides):
    """Table of the sides of face ``f`` lying flat in the pose of ``state``, for `side_margin`.

    Per side: the distance of the COM inside it [m] and the COM height times its inward normal in
    ground axes [m].
    """
    first, last = body.face_first[f], body.face_first[f + 1]
    n, face = last - first, body.faces[f]
    for i in range(n):
        a, b = body.corners[first + i], body.corners[first + (i + 1) % n]
        ex, ey = b[0] - a[0], b[1] - a[1]
        length = sqrt(ex * ex + ey * ey)
        nx, ny = -ey / length, ex / length
        x, y, z = in_body(face, nx, ny)
        gx, gy, _ = to_ground(orientation(state), x, y, z)
        sides[i].distance = -(a[0] * nx + a[1] * ny)
        sides[i].pull_x, sides[i].pull_y = face.height * gx, face.height * gy
    return n


@jit(inline=True, internal=True)
def side_margin(side, down, ax, ay):
    """How far the centre of pressure at rest is inside a side, times gravity [m2/s2].

    -M/m of the lift-off moment about that side, linear in the acceleration of the ground;
    negative lifts. ``down`` is gravity plus the vertical acceleration of the ground [m/s2].
    """
    return side.distance * down - (side.pull_x * ax + side.pull_y * ay)


@jit(inline=True, internal=True)
def _see_side(result, side, down, ax, ay):
    """Update the uplift margin with a ground acceleration at which a face at rest does not lift."""
    see_moments(result, side.pull_x * ax + side.pull_y * ay, side.distance * down)


@jit(internal=True)
def enter_rest(run, pivot, f):
    """Lay the body flat on face ``f``, keeping ``pivot`` where it is."""
    body, state, sides = run.body, run.state, run.sides
    lay_flat(body.faces[f], state, state)
    state.w_x, state.w_y, state.w_z = 0.0, 0.0, 0.0
    move_pivot(body, state, pivot, body.face_vertices[body.face_first[f]])
    lay_sides(body, state, f, sides)
    return codes.REST, f


@jit(inline=True, internal=True)
def pass_quiet(run, motions):
    """Segment up to which a face at rest cannot lift or slip, in whole blocks of a recorded motion.

    The extremes of a block bound the moment about every side and the share of friction that is used.
    """
    motion, turn, piece, result = run.motion, run.turn, run.piece, run.result
    t_end, sides, n, grip = run.end, run.sides, run.corners, run.grip
    gravity = run.body.gravity
    segments = motions.length[motion] - 1
    if segments <= 0 or turn[3] != 0.0 or turn[4] != 0.0:  # extremes are those on level ground
        return piece
    inside, pull = np.inf, 0.0
    for i in range(n):
        side = sides[i]
        inside = min(inside, side.distance)
        pull = max(pull, side.pull_x * side.pull_x + side.pull_y * side.pull_y)
    pull, scale = sqrt(pull), turn[2]
    if run.body.rim > 0.0:
        inside, pull = run.body.rim - norm(run.body.base_x, run.body.base_y), -run.body.base_z
    while piece < segments:
        block = motions.block[motions.first_block[motion] + piece // BLOCK]
        after = min(piece + BLOCK, segments)
        least, most = min(scale * block[1], scale * block[2]), max(scale * block[1], scale * block[2])
        if after * motions.dt[motion] > t_end or gravity + least <= 0.0:
            break
        moment = pull * abs(scale) * block[0] * SAFE
        if not inside * (gravity + least) > moment:
            break
        square = scale * scale * block[0] * block[0] * SAFE
        if not square <= grip * (gravity + least) ** 2:
            break
        if square > result[Response.CERTIFIED_FRICTION] * (gravity + least) ** 2:
            _see_samples(run, motions, piece, after)
        if moment > result[Response.UPLIFT_MARGIN] * inside * (gravity + least):
            _see_sides(run, motions, piece, after, pull / inside)
        see_rest(result, gravity, least)
        see_rest(result, gravity, most)
        piece = after
    return piece


@jit(internal=True)
def _see_samples(run, motions, begin, end):
    """Update what friction rest asks for, with samples ``begin`` to ``end``: between them it is no larger."""
    motion, result = run.motion, run.result
    scale = run.turn[2]
    gravity = run.body.gravity
    for i in range(motions.first[motion] + begin, motions.first[motion] + end + 1):
        a = motions.samples[i]
        see_pull(result, gravity, scale * scale * (a[0] * a[0] + a[1] * a[1]), scale * a[2])


@jit(internal=True)
def _see_sides(run, motions, begin, end, most):
    """Update the uplift margin with samples ``begin`` to ``end``: between them it is no larger.

    ``most`` bounds the overturning over the restoring moment of any side, over that of accelerations [1].
    """
    motion, turn, sides, n, result = run.motion, run.turn, run.sides, run.corners, run.result
    gravity = run.body.gravity
    c, s, scale = turn[0], turn[1], turn[2]
    most *= scale * SAFE
    for i in range(motions.first[motion] + begin, motions.first[motion] + end + 1):
        a = motions.samples[i]
        down = gravity + scale * a[2]
        restoring = result[Response.UPLIFT_MARGIN] * down
        if most * most * (a[0] * a[0] + a[1] * a[1]) > restoring * restoring:
            x, y = c * a[0] - s * a[1], s * a[0] + c * a[1]
            if run.body.rim > 0.0:
                see_moments(result, pressure_reach(run, (x, y, scale * a[2])), 1.0)
                continue
            for j in range(n):
                _see_side(result, sides[j], down, x, y)


@jit(inline=True, internal=True)
def next_uplift(run):
    """Time in the segment, from ``t`` on, at which a face at rest lifts; infinite if it does not.

    ``sides`` [:n] is its table. On a linear segment the lift-off moments are linear and their
    roots exact; a sine is looked through in steps.
    """
    sides, n, segment, t, step, result = run.sides, run.corners, run.segment, run.t, run.step, run.result
    gravity = run.body.gravity
    end = segment.end
    begin, step = t, max(step, (end - t) / LOOKS)
    for _ in range(2 * LOOKS):
        last = segment.end if segment.sine == 0.0 else min(begin + step, end)
        a, b = acceleration(segment, begin), acceleration(segment, last)
        first = np.inf
        for i in range(n):
            m0 = side_margin(sides[i], gravity + a[2], a[0], a[1])
            if not m0 >= 0.0:  # so does what is not a number, which ends the run
                result[Response.UPLIFT_MARGIN] = 1.0
                return begin
            _see_side(result, sides[i], gravity + a[2], a[0], a[1])
            m1 = side_margin(sides[i], gravity + b[2], b[0], b[1])
            if m1 < 0.0:
                if segment.sine == 0.0:
                    first = min(first, begin + (last - begin) * (m0 / (m0 - m1)))
                else:
                    low, high = begin, last
                    for _ in range(BISECTIONS):
                        middle = 0.5 * (low + high)
                        if high - low <= EVENT_TIME or middle <= low or middle >= high:
                            break
                        c = acceleration(segment, middle)
                        if side_margin(sides[i], gravity + c[2], c[0], c[1]) < 0.0:
                            high = middle
                        else:
                            low = middle
                    first = min(first, high)
            else:
                _see_side(result, sides[i], gravity + b[2], b[0], b[1])
        see_rest(result, gravity, a[2])
        see_pull(result, gravity, a[0] * a[0] + a[1] * a[1], a[2])
        if first <= last:
            result[Response.UPLIFT_MARGIN] = 1.0
            return first
        see_rest(result, gravity, b[2])
        see_pull(result, gravity, b[0] * b[0] + b[1] * b[1], b[2])
        if last >= end:
            break
        begin = last
    return np.inf


@jit(internal=True)
def pressure_reach(run, a):
    """Where the centre of pressure is under a body at rest on a circular base, on the way from the foot of
    the centre of mass to the rim: at 1 the body tips [1]. ``a`` is the ground acceleration [m/s2]."""
    body = run.body
    down = body.gravity + a[2]
    if not down > 0.0:
        return inf
    x, y, _ = pulled(orientation(run.state), 0.0, (a[0], a[1], 0.0))
    x, y = -body.base_z * x / down, -body.base_z * y / down
    along = x * body.base_x + y * body.base_y
    inside = body.rim * body.rim - body.base_x * body.base_x - body.base_y * body.base_y
    return (sqrt(along * along + inside * (x * x + y * y)) - along) / inside


@jit(internal=True)
def next_tip(run):
    """`next_uplift` of a body on a circular base.

    Of a linear acceleration of the ground the distance of the centre of pressure inside the rim times the
    weight is a concave function: it becomes negative once at most where it is positive at both ends.
    """
    segment, result, gravity, end = run.segment, run.result, run.body.gravity, run.segment.end
    begin, step = run.t, max(run.step, (end - run.t) / LOOKS)
    for _ in range(2 * LOOKS):
        last = end if segment.sine == 0.0 else min(begin + step, end)
        a, b = acceleration(segment, begin), acceleration(segment, last)
        reach = pressure_reach(run, a)
        if not reach <= 1.0:  # so does what is not a number, which ends the run
            result[Response.UPLIFT_MARGIN] = 1.0
            return begin
        see_moments(result, reach, 1.0)
        see_rest(result, gravity, a[2])
        see_pull(result, gravity, a[0] * a[0] + a[1] * a[1], a[2])
        reach = pressure_reach(run, b)
        if not reach <= 1.0:
            low, high = begin, last
            for _ in range(BISECTIONS):
                middle = 0.5 * (low + high)
                if high - low <= EVENT_TIME or middle <= low or middle >= high:
                    break
                if pressure_reach(run, acceleration(segment, middle)) <= 1.0:
                    low = middle
                else:
                    high = middle
            result[Response.UPLIFT_MARGIN] = 1.0
            return high
        see_moments(result, reach, 1.0)
        see_rest(result, gravity, b[2])
        see_pull(result, gravity, b[0] * b[0] + b[1] * b[1], b[2])
        if last >= end:
            break
        begin = last
    return inf


@jit(internal=True)
def tip(run, c, s, tilt):
    """Lean a body at rest by ``tilt`` [rad] over the point of its rim at an azimuth with cosine ``c`` and
    sine ``s``; it does not move."""
    body, state, face = run.body, run.state, run.place
    first = point_of(body, body.face_vertices[body.face_first[face]])
    move_contact(state, first, rim_point(body, c, s))
    state.q0, state.q1, state.q2, state.q3 = turned(orientation(state), -s, c, 0.0, tilt)
    run.mode = codes.ROLL


@jit(internal=True)
def tip_over(run):
    """Leave the base over the point of the rim where the centre of pressure is."""
    body, state = run.body, run.state
    a = acceleration(run.segment, run.t)
    down = body.gravity + a[2]
    x, y, _ = pulled(orientation(state), 0.0, (a[0], a[1], 0.0))
    x, y = -body.base_z * x - body.base_x * down, -body.base_z * y - body.base_y * down
    far = sqrt(x * x + y * y)
    c, s = (x / far, y / far) if far > 0.0 else (1.0, 0.0)
    tip(run, c, s, LEAST_TILT)
    return codes.ROLL, run.place


@jit(internal=True)
def stand(run):
    """Lay a body that rolls flat on its base, where it comes to rest."""
    body, state = run.body, run.state
    c, s, _ = lowest_azimuth(vertical(orientation(state)))
    lay_flat(body.faces[run.place], state, state)
    stand_from(run, rim_point(body, c, s))


@jit(internal=True)
def stand_from(run, point):
    """Rest of a flat body whose contact with the ground was ``point`` in body axes [m]."""
    body, state = run.body, run.state
    state.w_x, state.w_y, state.w_z = 0.0, 0.0, 0.0
    move_contact(state, point, point_of(body, body.face_vertices[body.face_first[run.place]]))
    run.mode, run.left = codes.REST, NONE


@jit(inline=True, internal=True)
def uplift(run, f):
    """Leave face ``f``: over a point of its rim, or over the edge whose moment lifts, or over a vertex."""
    body, state, result, sides = run.body, run.state, run.result, run.sides
    if body.rim > 0.0:
        return tip_over(run)
    a = acceleration(run.segment, run.t)
    ax, ay, az = a
    first, last = body.face_first[f], body.face_first[f + 1]
    n = last - first
    anchor = body.face_vertices[first]
    slack = 1e-9 * body.gravity * body.radius
    best, best_acceleration, lowest, lowest_margin = NONE, -1.0, FIRST, np.inf
    for i in range(n):
        margin = side_margin(sides[i], body.gravity + az, ax, ay)
        if margin < lowest_margin:
            lowest, lowest_margin = i, margin
        if margin > slack:
            continue
        k = edge_between(body, body.face_vertices[first + i], body.face_vertices[first + (i + 1) % n])
        edge = body.edges[k]
        x, y, _ = to_ground(orientation(state), edge.along_x, edge.along_y, edge.along_z)
        angle = 0.0 if body.edge_faces[k, 0] == f else edge.opening
        c, s = cos(angle), sin(angle)
        inward, lengthwise, down = ay * x - ax * y, ax * x + ay * y, body.gravity + az
        turning, moment, _, normal, _ = edge_contact(edge, c, s, 0.0, inward, lengthwise, down)
        within = moment <= 0.0 and moment + edge.length * normal >= 0.0
        if within and abs(turning) > best_acceleration:
            best, best_acceleration = k, abs(turning)
    if best >= 0:
        return enter_edge(body, state, anchor, best)
    for i in range(n):
        p = body.face_vertices[first + i]
        before, after = body.face_vertices[first + (i + n - 1) % n], body.face_vertices[first + (i + 1) % n]
        if vertex_lift(body, p, before, state, a) > 0.0 and vertex_lift(body, p, after, state, a) > 0.0:
            move_pivot(body, state, anchor, p)
            return codes.VERTEX, p
    result[Response.EDGE_STICK_INFEASIBLE] = 1.0  # neither: the edge that lifts most, held at both ends
    k = edge_between(body, body.face_vertices[first + lowest], body.face_vertices[first + (lowest + 1) % n])
    return enter_edge(body, state, anchor, k)


@jit(internal=True)
def stands_under(run, n, a):
    """Whether a body flat on a face of ``n`` sides, or on its circle, stands under the acceleration ``a``."""
    if run.body.rim > 0.0:
        return pressure_reach(run, a) <= 1.0
    stands = True
    for i in range(n):
        stands = stands and side_margin(run.sides[i], run.body.gravity + a[2], a[0], a[1]) >= 0.0
    return stands


@jit(inline=True, internal=True)
def comes_to_rest(run, state, pivot, f, ax, ay, az):
    """`settles` of a body that turns about a vertex."""
    return settles(run, state, point_of(run.body, pivot), run.body.pivots[pivot].largest, f, (ax, ay, az))


@jit(inline=True, internal=True)
def settles(run, state, v, largest, f, a):
    """Whether the motion that is left on face ``f`` ends within the rest time.

    The energy above the flat position, in the present effective gravity, allows one more half
    cycle of rocking; rest if that would be shorter than the rest time. The body turns about ``v`` [m], where
    the ``largest`` principal moment over the mass is known [m2]. ``trial`` and ``sides`` are scratch.
    """
    body, trial, sides, settings = run.body, run.trial, run.sides, run.settings
    ax, ay, az = a
    face = body.faces[f]
    (ux, uy, uz), w = attitude(state)
    x, y, z = upward(face)
    dx, dy, dz = ux - x, uy - y, uz - z
    if dx * dx + dy * dy + dz * dz > settings.rest_tilt * settings.rest_tilt:
        return False
    mass, gravity = body.mass, body.gravity
    x, y, z = to_ground(orientation(state), -v[0], -v[1], -v[2])
    lay_flat(face, state, trial)
    fx, fy, fz = to_ground(orientation(trial), -v[0], -v[1], -v[2])
    energy = kinetic_energy(mass, inertia_of(body), v, w)
    energy += mass * ((gravity + az) * (z - fz) + ax * (x - fx) + ay * (y - fy))
    margin, down = np.inf, gravity + az
    if body.rim > 0.0:
        h = -body.base_z
        x, y, _ = pulled(orientation(trial), 0.0, (ax, ay, 0.0))
        margin = body.rim * down - norm(h * x - body.base_x * down, h * y - body.base_y * down)
    else:
        for i in range(lay_sides(body, trial, f, sides)):
            margin = min(margin, side_margin(sides[i], down, ax, ay))
    if margin <= 0.0:
        return False
    if body.rim > 0.0:
        if margin < BORDER * body.rim * down:
            return False
        if energy < HARDLY * body.slenderness * mass * margin:
            return True
    return 2.0 * sqrt(2.0 * max(energy, 0.0) * mass * largest) < settings.rest_time * mass * margin


@jit(internal=True)
def settles_on_rim(run, state, c, s, a):
    """`settles` of a body that turns about the point of its rim at an azimuth with cosine ``c`` and sine
    ``s``."""
    body, i, m = run.body, run.body.inertia, run.body.mass
    x, y, z = rim_point(body, c, s)
    largest = largest_eigenvalue(
        i[0] / m + y * y + z * z, i[1] / m - x * y, i[2] / m - x * z,
        i[3] / m + x * x + z * z, i[4] / m - y * z, i[5] / m + x * x + y * y,
    )  # fmt: skip
    return settles(run, state, (x, y, z), largest, body.start, a)
