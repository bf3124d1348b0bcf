"""Impacts: an edge or a face lands and the angular velocity jumps.

Each function changes the state in place and returns the new mode, its index (of edge, vertex or
face) and the change of energy [J]. What strains the model is counted in the results.
"""

from __future__ import annotations

from math import isnan, sqrt

import numpy as np

from mcrock.impact.dispatch import edge_place, facet_place, takes_whole_face
from mcrock.impact.moreau_1988 import plastic_facet
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
    BARRIER,
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
    MASS,
    OPENING,
    SIZE,
)
from mcrock.kernel.dynamics import ANGLE, Q0, Q1, Q2, Q3, RATE, W_X, W_Y, W_Z, vertex_lift
from mcrock.kernel.modes import (
    FIRST,
    VERTEX,
    edge_pose,
    enter_edge,
    enter_rest,
    inertia_of,
    move_pivot,
    point_of,
)
from mcrock.kernel.rotation import flattened, vertical
from mcrock.params import EnergyGain, FacetFallback
from mcrock.response import Response

PROJECT, PLASTIC = np.int64(EnergyGain.PROJECT), np.int64(FacetFallback.PLASTIC)


@jit(inline=True)
def edge_impact(top, body, state, result, law, old, new, zeno_time, ax, ay, az):
    """Vertex ``new`` lands while the body turns about ``old``. Also returns the change of energy."""
    mass, inertia = body.scalars[MASS], inertia_of(body)
    a, b = point_of(body, new), point_of(body, old)
    w = state[W_X], state[W_Y], state[W_Z]
    up = vertical(state[Q0], state[Q1], state[Q2], state[Q3])
    number = np.int64(result[Response.EDGE_IMPACTS] + result[Response.FACET_IMPACTS])
    lambda_, tau = edge_place(law, number, mass, inertia, b, a, up)
    k = top.edge_of[old, new]
    before = kinetic_energy(mass, inertia, b, w)
    after = edge_map(mass, inertia, b, a, w, up, lambda_, tau)
    energy = kinetic_energy(mass, inertia, a, after)
    if energy > before * (1.0 + GAIN):
        result[Response.ENERGY_GAIN_IMPACTS] += 1.0
        if law.energy_gain == PROJECT:
            lambda_, tau = project_edge(mass, inertia, b, a, w, up, lambda_, tau)
            after = edge_map(mass, inertia, b, a, w, up, lambda_, tau)
            energy = kinetic_energy(mass, inertia, a, after)
    result[Response.EDGE_IMPACTS] += 1.0
    lift = lift_speed(b, a, after, up)
    state[W_X], state[W_Y], state[W_Z] = after
    infeasible = not lift > 0.0
    plastic = infeasible
    if not plastic:
        plastic = _sequence_ends(body, state, w, up, old, new, lift, zeno_time, ax, ay, az)
    if not plastic:
        move_pivot(body, state, old, new)
        result[Response.IMPACT_ENERGY_LOSS] += before - energy
        return VERTEX, new, energy - before
    after = plastic_edge(mass, inertia, b, a, w)
    energy = kinetic_energy(mass, inertia, a, after)
    result[Response.IMPACT_ENERGY_LOSS] += before - energy
    if infeasible:
        result[Response.INFEASIBLE_EDGE_IMPACTS] += 1.0
        result[Response.INFEASIBLE_ENERGY_LOSS] += (before - energy) / body.scalars[BARRIER]
    state[W_X], state[W_Y], state[W_Z] = after
    mode, index = enter_edge(top, body, state, old, k)
    return mode, index, energy - before


@jit(inline=True, internal=True)
def _sequence_ends(body, state, w, up, old, new, lift, zeno_time, ax, ay, az):
    """Whether edge impacts accumulate within ``zeno_time`` [s] (Zeno behaviour).

    Impacts to and fro shrink by the ratio of lift to approach speed; the time that is left is a
    geometric series in the flight times 2u/|a| of both ends.
    """
    approach = -lift_speed(point_of(body, new), point_of(body, old), w, up)
    ratio = lift / approach
    if not 0.0 <= ratio < 1.0:
        return False
    sink = -vertex_lift(body, new, old, state, body.scalars[GRAVITY], ax, ay, az)
    if sink <= 0.0 or 2.0 * lift > zeno_time * sink:
        return False
    back = -vertex_lift(body, old, new, state, body.scalars[GRAVITY], ax, ay, az)
    if back <= 0.0:
        return False
    return 2.0 * lift * (1.0 / sink + ratio / back) < zeno_time * (1.0 - ratio * ratio)


@jit
def facet_impact(top, body, state, result, law, f, pivot, old, sides):
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
    at = FIRST
    for i in range(last - first):
        if top.face_vertices[first + i] == pivot:
            at = first + i
    px, py = body.corners[at, 0], body.corners[at, 1]
    vz = w[1] * px - w[0] * py
    compliance = face[F_CXX], face[F_CXY], face[F_CYY]
    inertia = inertia_of(body)
    before = kinetic_energy(mass, inertia, point_of(body, pivot), (wx, wy, wz))
    push = _spin_push(face, mass, inertia, compliance, spin, px, py)
    stopped = w[0] + push[0], w[1] + push[1]
    number = np.int64(result[Response.EDGE_IMPACTS] + result[Response.FACET_IMPACTS])
    x_axis, y_axis = (face[F_XX], face[F_XY], face[F_XZ]), (face[F_YX], face[F_YY], face[F_YZ])
    lon, lat, tau = facet_place(
        law, number, mass, inertia, body.corners, first, last, old, f, x_axis, y_axis, face[F_HEIGHT]
    )
    result[Response.FACET_IMPACTS] += 1.0
    given = not isnan(law.point[0])
    point = facet_point(body.corners, first, last, old, lon, lat)
    if given:
        point = law.point[0], law.point[1]
    moreau = takes_whole_face(law)
    partner, gains, drops_torque = -1, False, isnan(tau) and not moreau
    after, winner = (0.0, 0.0, 0.0), -1
    if not isnan(tau):
        after, winner = _facet_with_torque(top, body, f, pivot, (wx, wy, wz), vz, point, tau)
        if winner >= 0:
            new = point_of(body, top.face_vertices[first + winner])
            gains = kinetic_energy(mass, inertia, new, after) > before * (1.0 + GAIN)
    plastic = law.facet_fallback == PLASTIC
    if gains and (law.energy_gain == PROJECT or plastic):  # a torque that drives a gain is dropped
        drops_torque = True
    if drops_torque:
        spin_energy = 0.0
        if spin != 0.0:
            determinant = compliance[0] * compliance[2] - compliance[1] * compliance[1]
            x, y = stopped
            turning = compliance[2] * x * x - 2.0 * compliance[1] * x * y + compliance[0] * y * y
            spin_energy = 0.5 * (turning / determinant + mass * vz * vz) - before
        gain = facet_gain(mass, compliance, body.corners, first, last, stopped, vz, spin_energy, point)
        if GAIN * abs(vz) < gain < 1e300:
            gains = True
            if law.energy_gain == PROJECT and not given and not plastic:
                lon = project_facet(
                    mass, compliance, body.corners, first, last, old, stopped, vz, spin_energy, lon, lat
                )
                point = facet_point(body.corners, first, last, old, lon, lat)
        winner = -1
        if not isnan(lon):
            ox, oy, winner, partner = facet_map(
                mass, compliance, body.corners, first, last, stopped, vz, point
            )
            after = _in_body_axes(face, ox, oy)
    if gains:
        result[Response.ENERGY_GAIN_IMPACTS] += 1.0
    if winner < 0 and not moreau:
        result[Response.INFEASIBLE_FACET_IMPACTS] += 1.0
        if not plastic:
            result[Response.INFEASIBLE_ENERGY_LOSS] += before / body.scalars[BARRIER]
    if moreau or (plastic and (winner < 0 or gains)):
        ox, oy, winner, partner = plastic_facet(mass, compliance, body.corners, first, last, stopped, vz)
        after = _in_body_axes(face, ox, oy)
    if winner < 0:
        result[Response.IMPACT_ENERGY_LOSS] += before
        mode, index = enter_rest(top, body, state, pivot, f, sides)
        return mode, index, -before
    new = top.face_vertices[first + winner]
    energy = kinetic_energy(mass, inertia, point_of(body, new), after)
    result[Response.IMPACT_ENERGY_LOSS] += before - energy
    state[W_X], state[W_Y], state[W_Z] = after
    move_pivot(body, state, pivot, new)
    if partner >= 0:
        k = top.edge_of[new, top.face_vertices[first + partner]]
        mode, index = enter_edge(top, body, state, new, k)
        return mode, index, energy - before
    return VERTEX, new, energy - before


@jit(internal=True)
def _in_body_axes(face, x, y):
    """A vector in the plane of a face in body axes."""
    return x * face[F_XX] + y * face[F_YX], x * face[F_XY] + y * face[F_YY], x * face[F_XZ] + y * face[F_YZ]


@jit(internal=True)
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


@jit(internal=True)
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
def land_edge_on_face(top, body, state, result, law, k, f, sides):
    """Facet impact at the end of turning about edge ``k``."""
    edge = body.edges[k]
    first, last = top.face_first[f], top.face_first[f + 1]
    on_first = top.edge_faces[k, 0] == f
    state[ANGLE] = 0.0 if on_first else edge[OPENING]
    edge_pose(edge, state, state[ANGLE], state[RATE])
    face = body.faces[f]
    q = flattened(state, face[F_UX], face[F_UY], face[F_UZ])
    state[Q0], state[Q1], state[Q2], state[Q3] = q
    start = top.edge_vertices[k, 0] if on_first else top.edge_vertices[k, 1]
    old = FIRST
    for i in range(last - first):
        if top.face_vertices[first + i] == start:
            old = i
    return facet_impact(top, body, state, result, law, f, top.edge_vertices[k, 0], old, sides)


@jit
def land_vertex_on_face(top, body, state, result, law, f, pivot, sides):
    """Facet impact when both neighbours of a pivot land together.

    The old edge is the side at the pivot whose other end lands more slowly.
    """
    first, last = top.face_first[f], top.face_first[f + 1]
    n = last - first
    face = body.faces[f]
    q = flattened(state, face[F_UX], face[F_UY], face[F_UZ])
    state[Q0], state[Q1], state[Q2], state[Q3] = q
    at = FIRST
    for i in range(n):
        if top.face_vertices[first + i] == pivot:
            at = i
    w = state[W_X], state[W_Y], state[W_Z]
    up = face[F_UX], face[F_UY], face[F_UZ]
    here = point_of(body, pivot)
    before = lift_speed(point_of(body, top.face_vertices[first + (at + n - 1) % n]), here, w, up)
    after = lift_speed(point_of(body, top.face_vertices[first + (at + 1) % n]), here, w, up)
    old = at if abs(after) < abs(before) else (at + n - 1) % n
    return facet_impact(top, body, state, result, law, f, pivot, old, sides)
