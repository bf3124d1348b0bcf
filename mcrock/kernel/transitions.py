"""Changes of contact: uplift, release, edge impact, facet impact, rest.

Each function changes the state in place and returns the new mode and index (of edge, vertex or
face). What strains the model is counted in the results.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from mcrock.counter import quantile, uniform
from mcrock.impact.varkonyi_2022 import (
    GAIN,
    edge_map,
    facet_gain,
    facet_map,
    facet_point,
    general_map,
    kinetic_energy,
    lift_speed,
    plastic_edge,
    project_edge,
    project_facet,
)
from mcrock.jit import jit
from mcrock.kernel.contact import (
    COM_N,
    COM_Z,
    E_X,
    E_Y,
    E_Z,
    F_CXX,
    F_CXY,
    F_CYY,
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
    LENGTH,
    MASS,
    N_X,
    N_Y,
    N_Z,
    OPENING,
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
    edge_acceleration,
    edge_contact,
    vertex_lift,
)
from mcrock.kernel.record import EDGE_IMPACTS, EDGE_STICK, ENERGY_GAIN, ENERGY_LOSS, FACET_IMPACTS
from mcrock.kernel.record import INFEASIBLE_EDGE, INFEASIBLE_FACET
from mcrock.kernel.rotation import flattened, to_ground, turned, vertical
from mcrock.params import EnergyGain, ImpactParameter, Mode

REST, EDGE, VERTEX = int(Mode.REST), int(Mode.EDGE), int(Mode.VERTEX)
LAMBDA, TAU = int(ImpactParameter.LAMBDA), int(ImpactParameter.TAU)
LAMBDA_LON, LAMBDA_LAT = int(ImpactParameter.LAMBDA_LON), int(ImpactParameter.LAMBDA_LAT)
TAU_FACET = int(ImpactParameter.TAU_FACET)
PROJECT = int(EnergyGain.PROJECT)


class ImpactLaw(NamedTuple):
    """Impact parameters of one run and how they are drawn."""

    values: np.ndarray  # (5,) by `ImpactParameter`
    redrawn: np.ndarray  # (5,) int8, see `mcrock.params.Inputs`
    quantiles: np.ndarray  # (5, n_node)
    energy_gain: int  # code of `EnergyGain`
    point: np.ndarray  # (2,) impact point of every facet impact in face axes [m], NaN: from the lambdas
    seed: np.uint64
    realization: np.uint64


@jit
def parameter(law, which, number):
    """Value of an impact parameter for impact ``number`` of the run."""
    if law.redrawn[which] == 0:
        return law.values[which]
    u = uniform(law.seed, which, law.realization, number)
    return quantile(law.quantiles[which], u, law.redrawn[which] == 2)


@jit
def point_of(body, vertex):
    v = body.vertices[vertex]
    return v[0], v[1], v[2]


@jit
def inertia_of(body):
    i = body.inertia
    return i[0], i[1], i[2], i[3], i[4], i[5]


@jit
def move_pivot(body, state, old, new):
    """Ground position of the pivot when vertex ``new`` takes over from ``old``."""
    if old != new:
        a, b = body.vertices[old], body.vertices[new]
        x, y, _ = to_ground(state, b[0] - a[0], b[1] - a[1], b[2] - a[2])
        state[P_X] += x
        state[P_Y] += y


@jit
def edge_pose(edge, state):
    """Orientation and angular velocity from the angle and rate of EDGE mode."""
    q = turned(state[F0:], edge[E_X], edge[E_Y], edge[E_Z], state[ANGLE])
    state[Q0], state[Q1], state[Q2], state[Q3] = q
    state[W_X], state[W_Y], state[W_Z] = (
        state[RATE] * edge[E_X],
        state[RATE] * edge[E_Y],
        state[RATE] * edge[E_Z],
    )


@jit
def enter_edge(top, body, state, pivot, k):
    """Start EDGE mode on edge ``k`` from a pose with both ends on the ground."""
    edge = body.edges[k]
    ux, uy, uz = vertical(state[Q0], state[Q1], state[Q2], state[Q3])
    across = ux * edge[N_X] + uy * edge[N_Y] + uz * edge[N_Z]
    state[ANGLE] = np.arctan2(across, ux * edge[UP_X] + uy * edge[UP_Y] + uz * edge[UP_Z])
    state[RATE] = state[W_X] * edge[E_X] + state[W_Y] * edge[E_Y] + state[W_Z] * edge[E_Z]
    q = turned(state, edge[E_X], edge[E_Y], edge[E_Z], -state[ANGLE])
    q = flattened(q, edge[UP_X], edge[UP_Y], edge[UP_Z])
    state[F0], state[F1], state[F2], state[F3] = q
    x, y, _ = to_ground(q, edge[E_X], edge[E_Y], edge[E_Z])
    norm = sqrt(x * x + y * y)
    state[ALONG_X], state[ALONG_Y] = x / norm, y / norm
    move_pivot(body, state, pivot, top.edge_vertices[k, 0])
    edge_pose(edge, state)
    return EDGE, k


@jit
def enter_rest(top, body, state, pivot, f):
    """Lay the body flat on face ``f``, keeping ``pivot`` where it is."""
    face = body.faces[f]
    q = flattened(state, face[F_UX], face[F_UY], face[F_UZ])
    state[Q0], state[Q1], state[Q2], state[Q3] = q
    state[W_X], state[W_Y], state[W_Z] = 0.0, 0.0, 0.0
    move_pivot(body, state, pivot, top.face_vertices[top.face_first[f]])
    return REST, f


@jit
def rest_margin(top, body, state, f, i, ax, ay, az):
    """How far the centre of pressure at rest is inside side ``i`` of face ``f``, times gravity.

    -M_k/m of the lift-off moment about that side [m2/s2]: negative lifts. The state lies flat.
    """
    first, last = top.face_first[f], top.face_first[f + 1]
    face = body.faces[f]
    a = body.corners[first + i]
    b = body.corners[first + (i + 1) % (last - first)]
    ex, ey = b[0] - a[0], b[1] - a[1]
    length = sqrt(ex * ex + ey * ey)
    nx, ny = -ey / length, ex / length
    distance = -(a[0] * nx + a[1] * ny)
    gx, gy, _ = to_ground(
        state,
        nx * face[F_XX] + ny * face[F_YX],
        nx * face[F_XY] + ny * face[F_YY],
        nx * face[F_XZ] + ny * face[F_YZ],
    )
    return distance * (body.scalars[GRAVITY] + az) - face[F_HEIGHT] * (gx * ax + gy * ay)


@jit
def comes_to_rest(top, body, state, pivot, f, rest_time, rest_tilt, ax, ay, az):
    """Whether the motion that is left on face ``f`` ends within ``rest_time`` [s].

    The energy above the flat position, in the present effective gravity, allows one more half
    cycle of rocking; rest if that would be shorter than ``rest_time``.
    """
    face = body.faces[f]
    ux, uy, uz = vertical(state[Q0], state[Q1], state[Q2], state[Q3])
    dx, dy, dz = ux - face[F_UX], uy - face[F_UY], uz - face[F_UZ]
    if dx * dx + dy * dy + dz * dz > rest_tilt * rest_tilt:
        return False
    mass, gravity = body.scalars[MASS], body.scalars[GRAVITY]
    v = body.vertices[pivot]
    x, y, z = to_ground(state, -v[0], -v[1], -v[2])
    w = state[W_X], state[W_Y], state[W_Z]
    q = flattened(state, face[F_UX], face[F_UY], face[F_UZ])
    fx, fy, fz = to_ground(q, -v[0], -v[1], -v[2])
    energy = kinetic_energy(mass, inertia_of(body), (v[0], v[1], v[2]), w)
    energy += mass * ((gravity + az) * (z - fz) + ax * (x - fx) + ay * (y - fy))
    margin = np.inf
    for i in range(top.face_first[f + 1] - top.face_first[f]):
        margin = min(margin, rest_margin(top, body, q, f, i, ax, ay, az))
    if margin <= 0.0:
        return False
    return 2.0 * sqrt(2.0 * max(energy, 0.0) * body.largest[pivot]) < rest_time * mass * margin


@jit
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


@jit
def release_margin(top, body, k, state, end, ax, ay, az):
    """Whether edge ``k`` can be released so that the body turns about end 0 or 1.

    Returns (margin, stuck). The centre of pressure must be beyond that end AND the other end must
    accelerate upwards once released; the margin is the smaller of the two over gravity, positive
    if released. A centre of pressure outside alone is not enough: a tilted block shaken along its
    edge would then drive the free end into the ground (stuck = True).
    """
    edge = body.edges[k]
    gravity, length = body.scalars[GRAVITY], edge[LENGTH]
    moment, _, _, normal = edge_contact(
        body, edge, state[ALONG_X], state[ALONG_Y], state[ANGLE], state[RATE], ax, ay, az
    )
    beyond = moment if end == 0 else -(moment + length * normal)
    beyond /= gravity * length
    if beyond <= 0.0:
        return beyond, False
    edge_pose(edge, state)
    v, w = top.edge_vertices[k, 0], top.edge_vertices[k, 1]
    lift = vertex_lift(body, v, w, state, ax, ay, az) if end == 0 else vertex_lift(body, w, v, state, ax, ay, az)
    return min(beyond, lift / gravity), lift <= 0.0


@jit
def uplift(top, body, state, result, f, ax, ay, az):
    """Leave face ``f``: over the edge whose moment lifts, or over a vertex."""
    first, last = top.face_first[f], top.face_first[f + 1]
    n = last - first
    anchor = top.face_vertices[first]
    slack = 1e-9 * body.scalars[GRAVITY] * body.scalars[SIZE]
    best, best_acceleration, lowest, lowest_margin = -1, -1.0, 0, np.inf
    for i in range(n):
        margin = rest_margin(top, body, state, f, i, ax, ay, az)
        if margin < lowest_margin:
            lowest, lowest_margin = i, margin
        if margin > slack:
            continue
        k = top.edge_of[top.face_vertices[first + i], top.face_vertices[first + (i + 1) % n]]
        edge = body.edges[k]
        x, y, _ = to_ground(state, edge[E_X], edge[E_Y], edge[E_Z])
        angle = 0.0 if top.edge_faces[k, 0] == f else edge[OPENING]
        moment, _, _, normal = edge_contact(body, edge, x, y, angle, 0.0, ax, ay, az)
        if moment <= 0.0 and moment + edge[LENGTH] * normal >= 0.0:
            acceleration = abs(edge_acceleration(body, edge, x, y, angle, ax, ay, az))
            if acceleration > best_acceleration:
                best, best_acceleration = k, acceleration
    if best >= 0:
        return enter_edge(top, body, state, anchor, best)
    for i in range(n):
        p = top.face_vertices[first + i]
        before, after = top.face_vertices[first + (i + n - 1) % n], top.face_vertices[first + (i + 1) % n]
        if (
            vertex_lift(body, p, before, state, ax, ay, az) > 0.0
            and vertex_lift(body, p, after, state, ax, ay, az) > 0.0
        ):
            move_pivot(body, state, anchor, p)
            return VERTEX, p
    result[EDGE_STICK] = 1.0  # neither: the edge that lifts most, held at both ends
    k = top.edge_of[top.face_vertices[first + lowest], top.face_vertices[first + (lowest + 1) % n]]
    return enter_edge(top, body, state, anchor, k)


@jit
def edge_impact(top, body, state, result, law, old, new, zeno_time, ax, ay, az):
    """Vertex ``new`` lands while the body turns about ``old``. Also returns the change of energy."""
    mass, inertia = body.scalars[MASS], inertia_of(body)
    a, b = point_of(body, new), point_of(body, old)
    w = state[W_X], state[W_Y], state[W_Z]
    up = vertical(state[Q0], state[Q1], state[Q2], state[Q3])
    number = int(result[EDGE_IMPACTS] + result[FACET_IMPACTS])
    lam, tau = parameter(law, LAMBDA, number), parameter(law, TAU, number)
    k = top.edge_of[old, new]
    before = kinetic_energy(mass, inertia, b, w)
    after = edge_map(mass, inertia, b, a, w, up, lam, tau)
    energy = kinetic_energy(mass, inertia, a, after)
    if energy > before * (1.0 + GAIN):
        result[ENERGY_GAIN] += 1.0
        if law.energy_gain == PROJECT:
            lam, tau = project_edge(mass, inertia, b, a, w, up, lam, tau)
            after = edge_map(mass, inertia, b, a, w, up, lam, tau)
            energy = kinetic_energy(mass, inertia, a, after)
    result[EDGE_IMPACTS] += 1.0
    lift = lift_speed(b, a, after, up)
    state[W_X], state[W_Y], state[W_Z] = after
    plastic = not lift > 0.0
    if plastic:
        result[INFEASIBLE_EDGE] += 1.0
    else:
        plastic = _sequence_ends(body, state, w, up, old, new, lift, zeno_time, ax, ay, az)
    if not plastic:
        move_pivot(body, state, old, new)
        result[ENERGY_LOSS] += before - energy
        return VERTEX, new, energy - before
    after = plastic_edge(mass, inertia, b, a, w)
    energy = kinetic_energy(mass, inertia, a, after)
    result[ENERGY_LOSS] += before - energy
    state[W_X], state[W_Y], state[W_Z] = after
    mode, index = enter_edge(top, body, state, old, k)
    return mode, index, energy - before


@jit
def _sequence_ends(body, state, w, up, old, new, lift, zeno_time, ax, ay, az):
    """Whether edge impacts accumulate within ``zeno_time`` [s] (Zeno behaviour).

    Impacts to and fro shrink by the ratio of lift to approach speed; the time that is left is a
    geometric series in the flight times 2u/|a| of both ends.
    """
    approach = -lift_speed(point_of(body, new), point_of(body, old), w, up)
    ratio = lift / approach
    if not 0.0 <= ratio < 1.0:
        return False
    sink = -vertex_lift(body, new, old, state, ax, ay, az)
    if sink <= 0.0 or 2.0 * lift > zeno_time * sink:
        return False
    back = -vertex_lift(body, old, new, state, ax, ay, az)
    if back <= 0.0:
        return False
    return 2.0 * lift * (1.0 / sink + ratio / back) < zeno_time * (1.0 - ratio * ratio)


@jit
def facet_impact(top, body, state, result, law, f, pivot, old):
    """Face ``f`` lands flat. ``pivot`` is the old contact vertex, ``old`` the old side of ``f``.

    The state must lie flat on ``f`` with the angular velocity from before. Also returns the
    change of energy.
    """
    first, last = top.face_first[f], top.face_first[f + 1]
    face, mass = body.faces[f], body.scalars[MASS]
    wx, wy, wz = state[W_X], state[W_Y], state[W_Z]
    w = (
        wx * face[F_XX] + wy * face[F_XY] + wz * face[F_XZ],
        wx * face[F_YX] + wy * face[F_YY] + wz * face[F_YZ],
    )
    spin = wx * face[F_UX] + wy * face[F_UY] + wz * face[F_UZ]
    at = 0
    for i in range(last - first):
        if top.face_vertices[first + i] == pivot:
            at = first + i
    px, py = body.corners[at, 0], body.corners[at, 1]
    vz = w[1] * px - w[0] * py
    compliance = face[F_CXX], face[F_CXY], face[F_CYY]
    inertia = inertia_of(body)
    before = kinetic_energy(mass, inertia, point_of(body, pivot), (wx, wy, wz))
    push = _spin_push(face, mass, inertia, compliance, spin, px, py)
    number = int(result[EDGE_IMPACTS] + result[FACET_IMPACTS])
    lon, lat = parameter(law, LAMBDA_LON, number), parameter(law, LAMBDA_LAT, number)
    tau = parameter(law, TAU_FACET, number)
    result[FACET_IMPACTS] += 1.0
    given = not np.isnan(law.point[0])
    point = facet_point(body.corners, first, last, old, lon, lat)
    if given:
        point = law.point[0], law.point[1]
    partner = -1
    if np.isnan(tau):
        ox, oy, winner, partner = facet_map(
            mass, face[F_HEIGHT], compliance, body.corners, first, last, w, vz, push, point
        )
        rise = w[0] * push[0] + w[1] * push[1]
        if winner >= 0 and spin == 0.0 and rise == 0.0:
            gain = facet_gain(mass, compliance, body.corners, first, last, w, vz, point)
            if gain > GAIN * abs(vz):
                result[ENERGY_GAIN] += 1.0
                if law.energy_gain == PROJECT and not given:
                    lon = project_facet(mass, compliance, body.corners, first, last, old, w, vz, lon, lat)
                    winner = -1
                    if not np.isnan(lon):
                        point = facet_point(body.corners, first, last, old, lon, lat)
                        ox, oy, winner, partner = facet_map(
                            mass, face[F_HEIGHT], compliance, body.corners, first, last, w, vz, push, point
                        )
        after = (
            ox * face[F_XX] + oy * face[F_YX],
            ox * face[F_XY] + oy * face[F_YY],
            ox * face[F_XZ] + oy * face[F_YZ],
        )
    else:
        after, winner = _facet_with_torque(top, body, f, pivot, (wx, wy, wz), vz, point, tau)
    if winner < 0:
        result[INFEASIBLE_FACET] += 1.0
        result[ENERGY_LOSS] += before
        mode, index = enter_rest(top, body, state, pivot, f)
        return mode, index, -before
    new = top.face_vertices[first + winner]
    energy = kinetic_energy(mass, inertia, point_of(body, new), after)
    if not np.isnan(tau) and energy > before * (1.0 + GAIN):
        result[ENERGY_GAIN] += 1.0
    result[ENERGY_LOSS] += before - energy
    state[W_X], state[W_Y], state[W_Z] = after
    move_pivot(body, state, pivot, new)
    if partner >= 0:
        k = top.edge_of[new, top.face_vertices[first + partner]]
        mode, index = enter_edge(top, body, state, new, k)
        return mode, index, energy - before
    return VERTEX, new, energy - before


@jit
def _spin_push(face, mass, inertia, compliance, spin, px, py):
    """Change of horizontal angular velocity by stopping a spin about the vertical [rad/s]."""
    if spin == 0.0:
        return 0.0, 0.0
    xx, xy, xz, yy, yz, zz = inertia
    ux, uy, uz = face[F_UX], face[F_UY], face[F_UZ]
    tx, ty, tz = xx * ux + xy * uy + xz * uz, xy * ux + yy * uy + yz * uz, xz * ux + yz * uy + zz * uz
    jx = spin * (tx * face[F_XX] + ty * face[F_XY] + tz * face[F_XZ] + mass * face[F_HEIGHT] * px)
    jy = spin * (tx * face[F_YX] + ty * face[F_YY] + tz * face[F_YZ] + mass * face[F_HEIGHT] * py)
    return compliance[0] * jx + compliance[1] * jy, compliance[1] * jx + compliance[2] * jy


@jit
def _facet_with_torque(top, body, f, pivot, w, vz, point, tau):
    """Facet impact with a given angular impulse about the vertical: equation (18) for each pivot.

    Conditions (22) and (23) may leave no pivot (-1), or two: then the one that loses more energy.
    """
    first, last = top.face_first[f], top.face_first[f + 1]
    face, mass, inertia = body.faces[f], body.scalars[MASS], inertia_of(body)
    h = face[F_HEIGHT]
    up = face[F_UX], face[F_UY], face[F_UZ]
    r = (
        point[0] * face[F_XX] + point[1] * face[F_YX] - h * up[0],
        point[0] * face[F_XY] + point[1] * face[F_YY] - h * up[1],
        point[0] * face[F_XZ] + point[1] * face[F_YZ] - h * up[2],
    )
    old = point_of(body, pivot)
    best, least = -1, np.inf
    result = (0.0, 0.0, 0.0)
    speed = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
    for i in range(first, last):
        new = point_of(body, top.face_vertices[i])
        after = general_map(mass, inertia, r, old, new, w, up, tau)
        rise = -lift_speed(new, (0.0, 0.0, 0.0), after, up)
        feasible = rise > vz
        for j in range(first, last):
            other = point_of(body, top.face_vertices[j])
            if lift_speed(other, new, after, up) < -1e-9 * speed * body.scalars[SIZE]:
                feasible = False
        if feasible:
            energy = kinetic_energy(mass, inertia, new, after)
            if energy < least:
                best, least, result = i - first, energy, after
    return result, best


@jit
def land_edge_on_face(top, body, state, result, law, k, f):
    """Facet impact at the end of turning about edge ``k``."""
    edge = body.edges[k]
    first, last = top.face_first[f], top.face_first[f + 1]
    on_first = top.edge_faces[k, 0] == f
    state[ANGLE] = 0.0 if on_first else edge[OPENING]
    edge_pose(edge, state)
    face = body.faces[f]
    q = flattened(state, face[F_UX], face[F_UY], face[F_UZ])
    state[Q0], state[Q1], state[Q2], state[Q3] = q
    start = top.edge_vertices[k, 0] if on_first else top.edge_vertices[k, 1]
    old = 0
    for i in range(last - first):
        if top.face_vertices[first + i] == start:
            old = i
    return facet_impact(top, body, state, result, law, f, top.edge_vertices[k, 0], old)


@jit
def land_vertex_on_face(top, body, state, result, law, f, pivot):
    """Facet impact when both neighbours of a pivot land together.

    The old edge is the side at the pivot whose other end lands more slowly.
    """
    first, last = top.face_first[f], top.face_first[f + 1]
    n = last - first
    face = body.faces[f]
    q = flattened(state, face[F_UX], face[F_UY], face[F_UZ])
    state[Q0], state[Q1], state[Q2], state[Q3] = q
    at = 0
    for i in range(n):
        if top.face_vertices[first + i] == pivot:
            at = i
    w = state[W_X], state[W_Y], state[W_Z]
    up = face[F_UX], face[F_UY], face[F_UZ]
    here = point_of(body, pivot)
    before = lift_speed(point_of(body, top.face_vertices[first + (at + n - 1) % n]), here, w, up)
    after = lift_speed(point_of(body, top.face_vertices[first + (at + 1) % n]), here, w, up)
    old = at if abs(after) < abs(before) else (at + n - 1) % n
    return facet_impact(top, body, state, result, law, f, pivot, old)
