"""Contact modes: how one is entered and what ends it without an impact.

Uplift from rest, release of an edge at one end, and rest as the end of a sequence of impacts. Each
function that enters a mode changes the state in place and returns the mode and its index (of
edge, vertex or face).
"""

from __future__ import annotations

from math import atan2, cos, sin, sqrt

import numpy as np

from mcrock.impact.varkonyi_2022 import kinetic_energy
from mcrock.jit import jit
from mcrock.kernel.contact import (
    E_X,
    E_Y,
    E_Z,
    F_HEIGHT,
    F_UX,
    F_UY,
    F_UZ,
    F_XX,
    F_XY,
    F_XZ,
    F_YX,
    F_YY,
    F_YZ,
    GRAVITY,
    LARGEST,
    LENGTH,
    MASS,
    N_X,
    N_Y,
    N_Z,
    OPENING,
    SHARE,
    SIZE,
    UP_X,
    UP_Y,
    UP_Z,
)
from mcrock.kernel.dynamics import (
    ALONG_X,
    ALONG_Y,
    ANGLE,
    F0,
    F1,
    F2,
    F3,
    P_X,
    P_Y,
    Q0,
    Q1,
    Q2,
    Q3,
    RATE,
    W_X,
    W_Y,
    W_Z,
    edge_contact,
    edge_frame,
    vertex_lift,
)
from mcrock.kernel.events import BISECTIONS, EVENT_TIME
from mcrock.kernel.record import see_moments, see_pull, see_rest
from mcrock.kernel.rotation import flattened, to_ground, turned, vertical
from mcrock.kernel.shaking import END, SINE, acceleration
from mcrock.params import BLOCK, Mode
from mcrock.response import Response

# numpy integers throughout: a Python integer constant would compile a function once for each value
REST, EDGE, VERTEX = np.int64(Mode.REST), np.int64(Mode.EDGE), np.int64(Mode.VERTEX)
FLIGHT, SLIDE, SPIN = np.int64(Mode.FLIGHT), np.int64(Mode.SLIDE), np.int64(Mode.SPIN)
VERTEX_SLIP, EDGE_SLIP = np.int64(Mode.VERTEX_SLIP), np.int64(Mode.EDGE_SLIP)
EDGE_SLIP_FIRST, EDGE_SLIP_SECOND = np.int64(Mode.EDGE_SLIP_FIRST), np.int64(Mode.EDGE_SLIP_SECOND)
NONE, FIRST, SECOND = np.int64(-1), np.int64(0), np.int64(1)

LOOKS = 1_000_000  # at most at a sine for an uplift
SAFE = 1.0 + 1e-9  # rounding of the bound for quiet blocks [1]
DISTANCE, PULL_X, PULL_Y, SIDE_SIZE = range(4)  # columns of the table of the sides of a face at rest


@jit(internal=True)
def contact_vertex(top, mode, index):
    """A vertex on the ground, one that sticks where only one end of an edge does; any vertex in flight."""
    if mode == FLIGHT:
        return FIRST
    if mode in (VERTEX, VERTEX_SLIP):
        return index
    if mode in (REST, SLIDE, SPIN):
        return top.face_vertices[top.face_first[index]]
    return top.edge_vertices[index, 1 if mode == EDGE_SLIP_FIRST else 0]


@jit(inline=True)
def point_of(body, vertex):
    v = body.vertices[vertex]
    return v[0], v[1], v[2]


@jit(inline=True)
def inertia_of(body):
    i = body.inertia
    return i[0], i[1], i[2], i[3], i[4], i[5]


@jit(internal=True)
def move_pivot(body, state, old, new):
    """Ground position of the pivot when vertex ``new`` takes over from ``old``."""
    if old != new:
        a, b = body.vertices[old], body.vertices[new]
        x, y, _ = to_ground(state, b[0] - a[0], b[1] - a[1], b[2] - a[2])
        state[P_X] += x
        state[P_Y] += y


@jit(internal=True)
def edge_pose(edge, state, angle, rate):
    """Orientation and angular velocity in EDGE mode at a given angle [rad] and rate [rad/s]."""
    q = turned(state[F0:], edge[E_X], edge[E_Y], edge[E_Z], angle)
    state[Q0], state[Q1], state[Q2], state[Q3] = q
    state[W_X], state[W_Y], state[W_Z] = rate * edge[E_X], rate * edge[E_Y], rate * edge[E_Z]


@jit(internal=True)
def enter_edge(top, body, state, pivot, k):
    """Start EDGE mode on edge ``k`` from a pose with both ends on the ground."""
    edge = body.edges[k]
    ux, uy, uz = vertical(state[Q0], state[Q1], state[Q2], state[Q3])
    across = ux * edge[N_X] + uy * edge[N_Y] + uz * edge[N_Z]
    state[ANGLE] = atan2(across, ux * edge[UP_X] + uy * edge[UP_Y] + uz * edge[UP_Z])
    state[RATE] = state[W_X] * edge[E_X] + state[W_Y] * edge[E_Y] + state[W_Z] * edge[E_Z]
    q = turned(state, edge[E_X], edge[E_Y], edge[E_Z], -state[ANGLE])
    state[F0], state[F1], state[F2], state[F3] = q
    q = flattened(state[F0:], edge[UP_X], edge[UP_Y], edge[UP_Z])
    state[F0], state[F1], state[F2], state[F3] = q
    x, y, _ = to_ground(state[F0:], edge[E_X], edge[E_Y], edge[E_Z])
    norm = sqrt(x * x + y * y)
    state[ALONG_X], state[ALONG_Y] = x / norm, y / norm
    move_pivot(body, state, pivot, top.edge_vertices[k, 0])
    edge_pose(edge, state, state[ANGLE], state[RATE])
    return EDGE, k


@jit(internal=True)
def lay_sides(top, body, q, f, sides):
    """Table of the sides of face ``f`` lying flat with orientation ``q``, for `side_margin`.

    Per side: the distance of the COM inside it [m] and the COM height times its inward normal in
    ground axes [m].
    """
    first, last = top.face_first[f], top.face_first[f + 1]
    n, face = last - first, body.faces[f]
    for i in range(n):
        a, b = body.corners[first + i], body.corners[first + (i + 1) % n]
        ex, ey = b[0] - a[0], b[1] - a[1]
        length = sqrt(ex * ex + ey * ey)
        nx, ny = -ey / length, ex / length
        gx, gy, _ = to_ground(
            q,
            nx * face[F_XX] + ny * face[F_YX],
            nx * face[F_XY] + ny * face[F_YY],
            nx * face[F_XZ] + ny * face[F_YZ],
        )
        sides[i, DISTANCE] = -(a[0] * nx + a[1] * ny)
        sides[i, PULL_X], sides[i, PULL_Y] = face[F_HEIGHT] * gx, face[F_HEIGHT] * gy
    return n


@jit(inline=True, internal=True)
def side_margin(side, down, ax, ay):
    """How far the centre of pressure at rest is inside a side, times gravity [m2/s2].

    -M/m of the lift-off moment about that side, linear in the acceleration of the ground;
    negative lifts. ``down`` is gravity plus the vertical acceleration of the ground [m/s2].
    """
    return side[DISTANCE] * down - (side[PULL_X] * ax + side[PULL_Y] * ay)


@jit(inline=True, internal=True)
def _see_side(result, side, down, ax, ay):
    """Update the uplift margin with a ground acceleration at which a face at rest does not lift."""
    see_moments(result, side[PULL_X] * ax + side[PULL_Y] * ay, side[DISTANCE] * down)


@jit(internal=True)
def enter_rest(top, body, state, pivot, f, sides):
    """Lay the body flat on face ``f``, keeping ``pivot`` where it is."""
    face = body.faces[f]
    q = flattened(state, face[F_UX], face[F_UY], face[F_UZ])
    state[Q0], state[Q1], state[Q2], state[Q3] = q
    state[W_X], state[W_Y], state[W_Z] = 0.0, 0.0, 0.0
    move_pivot(body, state, pivot, top.face_vertices[top.face_first[f]])
    lay_sides(top, body, state, f, sides)
    return REST, f


@jit(inline=True, internal=True)
def pass_quiet(motions, motion, turn, number, t_end, gravity, sides, n, hold, result):
    """Segment up to which a face at rest cannot lift or slip, in whole blocks of a recorded motion.

    ``number`` is the first segment of a block and ``sides`` [:n] the table of the face. The
    extremes of a block bound the moment about every side. ``hold`` is the square of the static
    friction coefficient, infinite without friction.
    """
    segments = motions.length[motion] - 1
    if segments <= 0 or turn[3] != 0.0 or turn[4] != 0.0:  # extremes are those on level ground
        return number
    inside, pull = np.inf, 0.0
    for i in range(n):
        side = sides[i]
        inside = min(inside, side[DISTANCE])
        pull = max(pull, side[PULL_X] * side[PULL_X] + side[PULL_Y] * side[PULL_Y])
    pull, scale = sqrt(pull), turn[2]
    while number < segments:
        block = motions.block[motions.first_block[motion] + number // BLOCK]
        after = min(number + BLOCK, segments)
        least, most = min(scale * block[1], scale * block[2]), max(scale * block[1], scale * block[2])
        if after * motions.dt[motion] > t_end or gravity + least <= 0.0:
            break
        moment = pull * abs(scale) * block[0] * SAFE
        if not inside * (gravity + least) > moment:
            break
        square = scale * scale * block[0] * block[0] * SAFE
        if not square <= hold * (gravity + least) ** 2:
            break
        if square > result[Response.CERTIFIED_FRICTION] * (gravity + least) ** 2:
            _see_samples(motions, motion, scale, number, after, gravity, result)
        if moment > result[Response.UPLIFT_MARGIN] * inside * (gravity + least):
            _see_sides(motions, motion, turn, number, after, gravity, sides, n, pull / inside, result)
        see_rest(result, gravity, least)
        see_rest(result, gravity, most)
        number = after
    return number


@jit(internal=True)
def _see_samples(motions, motion, scale, begin, end, gravity, result):
    """Update what friction rest asks for, with samples ``begin`` to ``end``: between them it is no larger."""
    for i in range(motions.first[motion] + begin, motions.first[motion] + end + 1):
        a = motions.samples[i]
        see_pull(result, gravity, scale * scale * (a[0] * a[0] + a[1] * a[1]), scale * a[2])


@jit(internal=True)
def _see_sides(motions, motion, turn, begin, end, gravity, sides, n, most, result):
    """Update the uplift margin with samples ``begin`` to ``end``: between them it is no larger.

    ``most`` bounds the overturning over the restoring moment of any side, over that of accelerations [1].
    """
    c, s, scale, _, _ = turn
    most *= scale * SAFE
    for i in range(motions.first[motion] + begin, motions.first[motion] + end + 1):
        a = motions.samples[i]
        down = gravity + scale * a[2]
        hold = result[Response.UPLIFT_MARGIN] * down
        if most * most * (a[0] * a[0] + a[1] * a[1]) > hold * hold:
            for j in range(n):
                _see_side(result, sides[j], down, c * a[0] - s * a[1], s * a[0] + c * a[1])


@jit(inline=True, internal=True)
def next_uplift(sides, n, gravity, segment, t, step, result):
    """Time in the segment, from ``t`` on, at which a face at rest lifts; infinite if it does not.

    ``sides`` [:n] is its table. On a linear segment the lift-off moments are linear and their
    roots exact; a sine is looked through in steps.
    """
    end = segment[END]
    begin, step = t, max(step, (end - t) / LOOKS)
    for _ in range(2 * LOOKS):
        last = segment[END] if segment[SINE] == 0.0 else min(begin + step, end)
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
                if segment[SINE] == 0.0:
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


@jit(inline=True, internal=True)
def uplift(top, body, state, result, f, sides, ax, ay, az):
    """Leave face ``f``: over the edge whose moment lifts, or over a vertex."""
    first, last = top.face_first[f], top.face_first[f + 1]
    n = last - first
    anchor = top.face_vertices[first]
    slack = 1e-9 * body.scalars[GRAVITY] * body.scalars[SIZE]
    best, best_acceleration, lowest, lowest_margin = NONE, -1.0, FIRST, np.inf
    for i in range(n):
        margin = side_margin(sides[i], body.scalars[GRAVITY] + az, ax, ay)
        if margin < lowest_margin:
            lowest, lowest_margin = i, margin
        if margin > slack:
            continue
        k = top.edge_of[top.face_vertices[first + i], top.face_vertices[first + (i + 1) % n]]
        edge = body.edges[k]
        x, y, _ = to_ground(state, edge[E_X], edge[E_Y], edge[E_Z])
        angle = 0.0 if top.edge_faces[k, 0] == f else edge[OPENING]
        c, s = cos(angle), sin(angle)
        inward, lengthwise, down = ay * x - ax * y, ax * x + ay * y, body.scalars[GRAVITY] + az
        turning, moment, _, normal, _ = edge_contact(edge, c, s, 0.0, inward, lengthwise, down)
        within = moment <= 0.0 and moment + edge[LENGTH] * normal >= 0.0
        if within and abs(turning) > best_acceleration:
            best, best_acceleration = k, abs(turning)
    if best >= 0:
        return enter_edge(top, body, state, anchor, best)
    for i in range(n):
        p = top.face_vertices[first + i]
        before, after = top.face_vertices[first + (i + n - 1) % n], top.face_vertices[first + (i + 1) % n]
        if (
            vertex_lift(body, p, before, state, body.scalars[GRAVITY], ax, ay, az) > 0.0
            and vertex_lift(body, p, after, state, body.scalars[GRAVITY], ax, ay, az) > 0.0
        ):
            move_pivot(body, state, anchor, p)
            return VERTEX, p
    result[Response.EDGE_STICK_INFEASIBLE] = 1.0  # neither: the edge that lifts most, held at both ends
    k = top.edge_of[top.face_vertices[first + lowest], top.face_vertices[first + (lowest + 1) % n]]
    return enter_edge(top, body, state, anchor, k)


@jit(inline=True, internal=True)
def release(top, body, k, state, angle, rate, c, s, a):
    """Contact along edge ``k`` at an angle with cosine ``c`` and sine ``s``, and whether it can be released.

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
    edge, gravity = body.edges[k], body.scalars[GRAVITY]
    inward, lengthwise, down = edge_frame(state, gravity, a)
    acceleration, moment, force_n, normal, twist = edge_contact(edge, c, s, rate, inward, lengthwise, down)
    over_first = moment * edge[SHARE]
    over_second = -over_first - normal * edge[LENGTH] * edge[SHARE]
    square = lengthwise * lengthwise + force_n * force_n
    margin = max(over_first, over_second)
    end = FIRST if over_first >= over_second else SECOND
    stuck = False
    if margin > 0.0:
        lift = freed_lift(top, body, k, end, state, angle, rate, a[0], a[1], a[2])
        margin, stuck = min(margin, lift / gravity), lift <= 0.0
    second, across = -over_first * gravity, twist * edge[SHARE] * gravity
    ends = normal - second, second, force_n - across, across, lengthwise
    return margin, end, stuck, acceleration, normal, square, ends


@jit(internal=True)
def freed_lift(top, body, k, end, state, angle, rate, ax, ay, az):
    """Vertical acceleration of the other end once edge ``k`` is held at ``end`` alone [m/s2]."""
    edge_pose(body.edges[k], state, angle, rate)
    kept, freed = top.edge_vertices[k, end], top.edge_vertices[k, 1 - end]
    return vertex_lift(body, kept, freed, state, body.scalars[GRAVITY], ax, ay, az)


@jit(inline=True, internal=True)
def flatter_face(top, body, state, k):
    """The face at edge ``k`` that is closer to lying flat."""
    first, other = top.edge_faces[k, 0], top.edge_faces[k, 1]
    if other < 0:
        return first
    ux, uy, uz = vertical(state[Q0], state[Q1], state[Q2], state[Q3])
    a, b = body.faces[first], body.faces[other]
    on_first = ux * a[F_UX] + uy * a[F_UY] + uz * a[F_UZ]
    on_other = ux * b[F_UX] + uy * b[F_UY] + uz * b[F_UZ]
    return first if on_first >= on_other else other


@jit(inline=True, internal=True)
def comes_to_rest(top, body, state, trial, pivot, f, sides, settings, ax, ay, az):
    """Whether the motion that is left on face ``f`` ends within the rest time.

    The energy above the flat position, in the present effective gravity, allows one more half
    cycle of rocking; rest if that would be shorter than the rest time. ``trial`` and ``sides`` are
    scratch.
    """
    face = body.faces[f]
    ux, uy, uz = vertical(state[Q0], state[Q1], state[Q2], state[Q3])
    dx, dy, dz = ux - face[F_UX], uy - face[F_UY], uz - face[F_UZ]
    if dx * dx + dy * dy + dz * dz > settings.rest_tilt * settings.rest_tilt:
        return False
    mass, gravity = body.scalars[MASS], body.scalars[GRAVITY]
    v = body.vertices[pivot]
    x, y, z = to_ground(state, -v[0], -v[1], -v[2])
    w = state[W_X], state[W_Y], state[W_Z]
    trial[Q0], trial[Q1], trial[Q2], trial[Q3] = flattened(state, face[F_UX], face[F_UY], face[F_UZ])
    fx, fy, fz = to_ground(trial, -v[0], -v[1], -v[2])
    energy = kinetic_energy(mass, inertia_of(body), (v[0], v[1], v[2]), w)
    energy += mass * ((gravity + az) * (z - fz) + ax * (x - fx) + ay * (y - fy))
    margin = np.inf
    for i in range(lay_sides(top, body, trial, f, sides)):
        margin = min(margin, side_margin(sides[i], gravity + az, ax, ay))
    if margin <= 0.0:
        return False
    return (
        2.0 * sqrt(2.0 * max(energy, 0.0) * mass * body.pivots[pivot, LARGEST])
        < settings.rest_time * mass * margin
    )
