"""Impacts of a run that sticks: a vertex lands beside its neighbour, or a whole face lands flat.

The angular velocity jumps and the state changes in place; what strains the model is counted in the results.
Equation numbers are those of Várkonyi, Kocsis and Ther (2022), see `mcrock.impact.varkonyi_2022`.
"""

from __future__ import annotations

from math import hypot, isnan, nan, sqrt
from typing import NamedTuple

import numpy as np

from mcrock.base.jit import jit
from mcrock.base.params import Response
from mcrock.impact.planar import (
    PLASTIC,
    PROJECT,
    VARKONYI,
    drawn_place,
    edge_place,
    planar_place,
    takes_whole_face,
)
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
    plastic_facet,
    project_edge,
    project_facet,
    side_of,
)
from mcrock.kernel import codes
from mcrock.kernel.dynamics import (
    FIRST,
    NONE,
    angular_velocity,
    edge_between,
    in_body,
    in_face,
    inertia_of,
    lay_flat,
    lowest_azimuth,
    move_contact,
    move_pivot,
    orientation,
    point_of,
    point_of_face,
    rim_point,
    upward,
    vertex_lift,
)
from mcrock.kernel.edge import edge_pose, enter_edge
from mcrock.kernel.rest import enter_rest, settles_on_rim, stand_from
from mcrock.kernel.results import edge_impact_demand, impulse, impulse_moment, point_demand, see_impact
from mcrock.kernel.roots import BISECTIONS
from mcrock.kernel.rotation import turned, vertical
from mcrock.kernel.shaking import acceleration


@jit(inline=True)
def land_edge(run, quantiles, old, new):
    """Vertex ``new`` lands while the body turns about ``old``, which lifts if it can.

    Returns the new mode, its index (of edge or vertex) and the change of energy [J].
    """
    body, state, result = run.body, run.state, run.result
    mass, inertia = body.mass, inertia_of(body)
    a, b = point_of(body, new), point_of(body, old)
    w = angular_velocity(state)
    up = vertical(orientation(state))
    before = kinetic_energy(mass, inertia, b, w)
    after, energy, plain = drawn_impact(run, quantiles, b, a, w, up, before)
    lift = lift_speed(b, a, after, up)
    state.w_x, state.w_y, state.w_z = after
    if lift > 0.0 and not sequence_ends(run, state, w, up, old, new, lift):
        move_pivot(body, state, old, new)
        normal, square, _ = impulse(b, a, w, after, up)
        see_lifting_impact(result, normal, square, before - energy, plain)
        return codes.VERTEX, new, energy - before
    result[Response.EDGE_IMPACTS] += 1.0
    after = plastic_edge(mass, inertia, b, a, w)
    energy = kinetic_energy(mass, inertia, a, after)
    result[Response.IMPACT_ENERGY_LOSS] += before - energy
    if not lift > 0.0:
        result[Response.INFEASIBLE_EDGE_IMPACTS] += 1.0
        result[Response.INFEASIBLE_ENERGY_LOSS] += (before - energy) / body.barrier
    state.w_x, state.w_y, state.w_z = after
    normal, square, _ = impulse(b, a, w, after, up)
    see_impact(result, edge_impact_demand(mass, inertia, b, a, w, after, up), square, normal)
    mode, index = enter_edge(body, state, old, edge_between(body, old, new))
    return mode, index, energy - before


@jit(inline=True, internal=True)
def see_lifting_impact(result, normal, square, loss, plain):
    """Note an impact after which the old pivot lifts, by its impulse over mass: the normal part [m/s] and the
    square of the horizontal part; energy lost [J], and whether friction could give it."""
    result[Response.EDGE_IMPACTS] += 1.0
    result[Response.IMPACT_ENERGY_LOSS] += loss
    see_impact(result, point_demand(square, normal) if plain else np.inf, square, normal)


@jit(internal=True)
def drawn_impact(run, quantiles, old, new, w, up, before):
    """Angular velocity [rad/s] and kinetic energy [J] after an impact by the parameters of the law.

    Where it would gain energy over ``before`` [J] that is counted, and lambda projected if so asked. Also
    whether it is one that friction could give: not projected, and without angular impulse.
    """
    result, law = run.result, run.law
    mass = run.body.mass
    inertia = inertia_of(run.body)
    impact = np.int64(result[Response.EDGE_IMPACTS] + result[Response.FACET_IMPACTS])
    lambda_, tau = edge_place(law, quantiles, impact, mass, inertia, (old, new), up, w)
    after = edge_map(mass, inertia, old, new, w, up, lambda_, tau)
    energy = kinetic_energy(mass, inertia, new, after)
    plain = tau == 0.0
    if energy > before * (1.0 + GAIN):
        result[Response.ENERGY_GAIN_IMPACTS] += 1.0
        if law.energy_gain == PROJECT:
            plain = False
            lambda_, tau = project_edge(mass, inertia, old, new, w, up, lambda_, tau)
            after = edge_map(mass, inertia, old, new, w, up, lambda_, tau)
            energy = kinetic_energy(mass, inertia, new, after)
    return after, energy, plain


@jit(inline=True, internal=True)
def sequence_ends(run, state, w, up, old, new, lift):
    """Whether edge impacts accumulate within ``zeno_time`` [s] (Zeno behaviour).

    Impacts to and fro shrink by the ratio of lift to approach speed; the time that is left is a
    geometric series in the flight times 2u/|a| of both ends.
    """
    body, zeno_time = run.body, run.settings.edge_zeno_time
    a = acceleration(run.segment, run.t)
    approach = -lift_speed(point_of(body, new), point_of(body, old), w, up)
    ratio = lift / approach
    if not 0.0 <= ratio < 1.0:
        return False
    sink = -vertex_lift(body, new, old, state, a)
    if sink <= 0.0 or 2.0 * lift > zeno_time * sink:
        return False
    back = -vertex_lift(body, old, new, state, a)
    if back <= 0.0:
        return False
    return 2.0 * lift * (1.0 / sink + ratio / back) < zeno_time * (1.0 - ratio * ratio)


INFEASIBLE = 1e300  # `facet_gain` where there is no feasible pivot


class Approach(NamedTuple):
    """How a face comes down flat, in face axes and once its spin about the vertical has stopped."""

    w: tuple[float, float]  # horizontal angular velocity [rad/s]
    vz: float  # vertical velocity of the COM [m/s]
    energy: float  # kinetic energy with the spin [J]
    spin_energy: float  # what stopping the spin adds to it [J]


@jit
def land_on_face(run, quantiles, f):
    """Facet impact: face ``f`` lands at the end of turning about an edge or a vertex, by its mode and index.

    Returns the new mode, its index (of edge, vertex or face) and the change of energy [J].
    """
    body, state, result, law, mode, index = run.body, run.state, run.result, run.law, run.mode, run.place
    if mode == codes.ROLL:
        return _land_on_rim(run, quantiles)
    pivot, old = _lay_flat(body, state, mode, index, f)
    approach = _approach(body, state, f, pivot)
    impact = np.int64(result[Response.EDGE_IMPACTS] + result[Response.FACET_IMPACTS])
    result[Response.FACET_IMPACTS] += 1.0
    point = nan, nan
    if takes_whole_face(law):
        after, corner, partner = _plastic_impact(body, f, approach)
    else:
        after, corner, partner, gains, point = _drawn_impact(run, quantiles, f, pivot, old, impact, approach)
        if gains:
            result[Response.ENERGY_GAIN_IMPACTS] += 1.0
        if corner < 0:
            result[Response.INFEASIBLE_FACET_IMPACTS] += 1.0
        if law.facet_fallback == PLASTIC:
            if corner < 0 or gains:
                point = nan, nan
                after, corner, partner = _plastic_impact(body, f, approach)
        elif corner < 0:
            result[Response.INFEASIBLE_ENERGY_LOSS] += approach.energy / body.barrier
    if corner < 0:
        result[Response.IMPACT_ENERGY_LOSS] += approach.energy
        see_impact(result, np.inf, 0.0, 0.0)
        rest, index = enter_rest(run, pivot, f)
        return rest, index, -approach.energy
    new = body.face_vertices[body.face_first[f] + corner]
    _see_impulse(run, f, point_of(body, pivot), point_of(body, new), after, point)
    energy = kinetic_energy(body.mass, inertia_of(body), point_of(body, new), after)
    result[Response.IMPACT_ENERGY_LOSS] += approach.energy - energy
    state.w_x, state.w_y, state.w_z = after
    move_pivot(body, state, pivot, new)
    if partner >= 0:
        k = edge_between(body, new, body.face_vertices[body.face_first[f] + partner])
        edge, index = enter_edge(body, state, new, k)
        return edge, index, energy - approach.energy
    return codes.VERTEX, new, energy - approach.energy


@jit(inline=True, internal=True)
def _lay_flat(body, state, mode, index, f):
    """Turn the body as little as it takes for face ``f`` to lie flat.

    Returns the old contact vertex and the corner at which the old edge begins: of a vertex the side whose
    other end lands more slowly.
    """
    first, n, face = body.face_first[f], body.face_first[f + 1] - body.face_first[f], body.faces[f]
    pivot = corner = index
    if mode == codes.EDGE:
        edge, on_first = body.edges[index], body.edge_faces[index, 0] == f
        state.angle = 0.0 if on_first else edge.opening
        edge_pose(edge, state, state.angle, state.rate)
        pivot = body.edge_vertices[index, 0]
        corner = pivot if on_first else body.edge_vertices[index, 1]
    lay_flat(face, state, state)
    old = _corner_of(body, f, corner)
    if mode == codes.VERTEX:
        w, up, here = angular_velocity(state), upward(face), point_of(body, pivot)
        before = lift_speed(point_of(body, body.face_vertices[first + (old + n - 1) % n]), here, w, up)
        after = lift_speed(point_of(body, body.face_vertices[first + (old + 1) % n]), here, w, up)
        old = old if abs(after) < abs(before) else (old + n - 1) % n
    return pivot, old


@jit(inline=True, internal=True)
def _corner_of(body, f, vertex):
    """Corner of face ``f`` at which a vertex is."""
    first = body.face_first[f]
    corner = FIRST
    for i in range(body.face_first[f + 1] - first):
        if body.face_vertices[first + i] == vertex:
            corner = i
    return corner


@jit(inline=True, internal=True)
def _approach(body, state, f, pivot):
    """The `Approach` of a body that turns about ``pivot``, lying flat on face ``f``."""
    face, mass, inertia = body.faces[f], body.mass, inertia_of(body)
    w = angular_velocity(state)
    x, y, spin = in_face(face, w)
    corner = body.face_first[f] + _corner_of(body, f, pivot)
    px, py = body.corners[corner, 0], body.corners[corner, 1]
    vz = y * px - x * py
    energy = kinetic_energy(mass, inertia, point_of(body, pivot), w)
    push_x, push_y = _spin_push(face, mass, inertia, spin, px, py)
    x, y = x + push_x, y + push_y
    spin_energy = 0.0
    if spin != 0.0:
        cxx, cxy, cyy = face.c_xx, face.c_xy, face.c_yy
        turning = cyy * x * x - 2.0 * cxy * x * y + cxx * y * y
        spin_energy = 0.5 * (turning / (cxx * cyy - cxy * cxy) + mass * vz * vz) - energy
    return Approach((x, y), vz, energy, spin_energy)


@jit(internal=True)
def _spin_push(face, mass, inertia, spin, px, py):
    """Change of horizontal angular velocity by stopping a spin about the vertical [rad/s]."""
    if spin == 0.0:
        return 0.0, 0.0
    xx, xy, xz, yy, yz, zz = inertia
    ux, uy, uz = upward(face)
    t = xx * ux + xy * uy + xz * uz, xy * ux + yy * uy + yz * uz, xz * ux + yz * uy + zz * uz
    x, y, _ = in_face(face, t)
    jx, jy = spin * (x + mass * face.height * px), spin * (y + mass * face.height * py)
    return face.c_xx * jx + face.c_xy * jy, face.c_xy * jx + face.c_yy * jy


@jit(inline=True, internal=True)
def _plastic_impact(body, f, approach):
    """The impact nearest to the motion before: as few corners stay down as can."""
    first, last, face = body.face_first[f], body.face_first[f + 1], body.faces[f]
    compliance = face.c_xx, face.c_xy, face.c_yy
    x, y, corner, partner = plastic_facet(
        body.mass, compliance, body.corners, first, last, approach.w, approach.vz
    )
    return in_body(face, x, y), corner, partner


@jit(inline=True, internal=True)
def _drawn_impact(run, quantiles, f, pivot, old, impact, approach):
    """The impact by the parameters of the law; also whether they make it gain energy, and the point R where
    the impulse acts, NaN for an impact that friction could not give.

    A given torque that drives a gain is dropped where gains are projected or fall back.
    """
    body, state, law = run.body, run.state, run.law
    first, last = body.face_first[f], body.face_first[f + 1]
    mass, inertia = body.mass, inertia_of(body)
    lon, lat, tau = place_on_face(run, quantiles, impact, f, old, state)
    point = law.point[0], law.point[1]
    if isnan(law.point[0]):
        point = facet_point(body.corners, first, last, old, lon, lat)
    twisted = not isnan(tau)
    if twisted:
        w = angular_velocity(state)
        after, corner = _torque_impact(body, f, pivot, w, approach.vz, point, tau)
        gains = False
        if corner >= 0:
            new = point_of(body, body.face_vertices[first + corner])
            energy = kinetic_energy(mass, inertia, new, after)
            gains = energy > approach.energy * (1.0 + GAIN)
        if not gains or (law.energy_gain != PROJECT and law.facet_fallback != PLASTIC):
            return after, corner, NONE, gains, (nan, nan)
    after, corner, partner, gains = _spinless_impact(run, f, old, lon, lat, approach, point)
    if twisted:
        return after, corner, partner, True, (nan, nan)
    if gains and law.energy_gain == PROJECT:
        point = nan, nan
    return after, corner, partner, gains, point


@jit(internal=True)
def place_on_face(run, quantiles, impact, f, old, state):
    """Lambda_lon, lambda_lat [1] and tau_facet [N m s] of an impact, by its number, of face ``f`` whose old
    edge is the side at corner ``old``."""
    if run.law.law == VARKONYI:
        return drawn_place(run.law, quantiles, impact, f)
    body, face = run.body, run.body.faces[f]
    corners, first, last = body.corners, body.face_first[f], body.face_first[f + 1]
    ox, oy, ex, ey, depth = side_of(corners, first, last, old)
    edge = ex * oy - ey * ox  # place of the old edge from the foot of the COM, rising across the face
    mass, inertia, axis = body.mass, inertia_of(body), in_body(face, ex, ey)
    rate = state.w_x * axis[0] + state.w_y * axis[1] + state.w_z * axis[2]
    base = face.height, edge, edge + depth
    return planar_place(run.law, quantiles, impact, mass, inertia, axis, base, rate)


@jit(inline=True, internal=True)
def _see_impulse(run, f, old, new, after, point):
    """Note the impulse of an impact at ``point`` in face axes [m], and the friction that it asks for: the
    couple that stops the spin takes its share (`mcrock.kernel.friction.impacts`)."""
    body, state, result = run.body, run.state, run.result
    face, mass, inertia = body.faces[f], body.mass, inertia_of(body)
    up = upward(face)
    before = angular_velocity(state)
    normal, square, p = impulse(old, new, before, after, up)
    demand = np.inf
    if not isnan(point[0]):
        r = point_of_face(face, point[0], point[1])
        x, y, z = impulse_moment(mass, inertia, r, before, after, p)
        couple = (x * up[0] + y * up[1] + z * up[2]) / mean_radius(body, f)
        square += couple * couple
        demand = point_demand(square, normal)
    see_impact(result, demand, square, normal)


@jit(internal=True)
def mean_radius(body, f):
    """Mean distance of the corners of a face from their mean, or radius of its rim [m]."""
    if body.rim > 0.0:
        return body.rim
    first, last = body.face_first[f], body.face_first[f + 1]
    x, y, radius = 0.0, 0.0, 0.0
    for i in range(first, last):
        x += body.corners[i, 0] / (last - first)
        y += body.corners[i, 1] / (last - first)
    for i in range(first, last):
        radius += hypot(body.corners[i, 0] - x, body.corners[i, 1] - y) / (last - first)
    return radius


@jit(inline=True, internal=True)
def _spinless_impact(run, f, old, lon, lat, approach, point):
    """The impact at ``point`` in face axes [m] that leaves no spin about the vertical, condition (24); also
    whether lambda_lon and lambda_lat make it gain energy, which the projection of lambda_lon prevents."""
    body, law = run.body, run.law
    first, last, face = body.face_first[f], body.face_first[f + 1], body.faces[f]
    mass, compliance = body.mass, (face.c_xx, face.c_xy, face.c_yy)
    w, vz = approach.w, approach.vz
    motion = w, vz, approach.spin_energy
    gain = facet_gain(mass, compliance, body.corners, first, last, motion, point)
    gains = GAIN * abs(vz) < gain < INFEASIBLE
    if gains and law.energy_gain == PROJECT and law.facet_fallback != PLASTIC and isnan(law.point[0]):
        lon = project_facet(mass, compliance, body.corners, first, last, old, motion, (lon, lat))
        point = facet_point(body.corners, first, last, old, lon, lat)
    if isnan(lon):
        return (0.0, 0.0, 0.0), NONE, NONE, gains
    x, y, corner, partner = facet_map(
        mass, compliance, body.corners, first, last, approach.w, approach.vz, point
    )
    return in_body(face, x, y), corner, partner, gains


@jit(internal=True)
def _torque_impact(body, f, pivot, w, vz, point, tau):
    """The impact with a given angular impulse about the vertical: equation (18) for each corner.

    Conditions (22) and (23) may leave no corner (-1), or two: then the one that loses more energy.
    """
    first, last = body.face_first[f], body.face_first[f + 1]
    face, mass, inertia = body.faces[f], body.mass, inertia_of(body)
    up, r, old = upward(face), point_of_face(face, point[0], point[1]), point_of(body, pivot)
    best, least = NONE, np.inf
    result = (0.0, 0.0, 0.0)
    speed = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
    for i in range(first, last):
        new = point_of(body, body.face_vertices[i])
        after = general_map(mass, inertia, r, old, new, w, up, tau)
        rise = -lift_speed(new, (0.0, 0.0, 0.0), after, up)
        feasible = rise > vz
        for j in range(first, last):
            other = point_of(body, body.face_vertices[j])
            if lift_speed(other, new, after, up) < -1e-9 * speed * body.radius:
                feasible = False
        if feasible:
            energy = kinetic_energy(mass, inertia, new, after)
            if energy < least:
                best, least, result = i - first, energy, after
    return result, best


@jit(internal=True)
def _land_on_rim(run, quantiles):
    """Facet impact of a circular base: as of a polygon of ever more corners.

    Returns the new mode, its index and the change of energy [J]. The body leaves from the tilt at which it
    came, over the point of the rim that the impact leaves at rest; it turns about the rim there.
    """
    body, state, result, law, f = run.body, run.state, run.result, run.law, run.place
    mass, inertia, face = body.mass, inertia_of(body), body.faces[f]
    c, s, tilt = lowest_azimuth(vertical(orientation(state)))
    old, w = rim_point(body, c, s), angular_velocity(state)
    before = kinetic_energy(mass, inertia, old, w)
    lay_flat(face, state, state)
    push_x, push_y = _spin_push(face, mass, inertia, w[2], old[0], old[1])
    motion = w[0] + push_x, w[1] + push_y, w[1] * old[0] - w[0] * old[1]
    impact = np.int64(result[Response.EDGE_IMPACTS] + result[Response.FACET_IMPACTS])
    result[Response.FACET_IMPACTS] += 1.0
    place, point = _place_on_rim(run, quantiles, impact, f, (c, s)), (nan, nan)
    if takes_whole_face(law):
        x, y, speed = _plastic_on_rim(body, face, motion, (c, s))
    else:
        point = _point_in_rim(body, place)
        x, y, speed = _leaves_over(body, face, motion, point)
    energy = _energy_on_rim(body, x, y, speed)
    gains = energy > before * (1.0 + GAIN)
    if gains:
        result[Response.ENERGY_GAIN_IMPACTS] += 1.0
    if not speed > 0.0:
        result[Response.INFEASIBLE_FACET_IMPACTS] += 1.0
    if law.facet_fallback == PLASTIC and (gains or not speed > 0.0):
        x, y, speed = _plastic_on_rim(body, face, motion, (c, s))
        point = nan, nan
    elif gains and law.energy_gain == PROJECT:
        x, y, speed = _without_gain(body, face, motion, place, before)
        point = nan, nan
    elif not speed > 0.0:
        result[Response.INFEASIBLE_ENERGY_LOSS] += before / body.barrier
        point = nan, nan
    energy, after, new = (
        _energy_on_rim(body, x, y, speed),
        (-speed * y, speed * x, 0.0),
        rim_point(body, x, y),
    )
    _see_impulse(run, f, old, new, after, point)
    result[Response.IMPACT_ENERGY_LOSS] += before - energy
    state.w_x, state.w_y, state.w_z = after
    move_contact(state, old, new)
    a = acceleration(run.segment, run.t)
    if not speed > 0.0 or settles_on_rim(run, state, x, y, a):
        stand_from(run, new)
        return codes.REST, f, -before
    state.q0, state.q1, state.q2, state.q3 = turned(orientation(state), -y, x, 0.0, tilt)
    run.sweeps += 1
    run.falls = run.known = False
    return codes.ROLL, f, energy - before


@jit(internal=True)
def _energy_on_rim(body, x, y, speed):
    """Kinetic energy of a body that turns at a ``speed`` [rad/s] about its rim, at the azimuth with cosine
    ``x`` and sine ``y`` [J]."""
    w = -speed * y, speed * x, 0.0
    return kinetic_energy(body.mass, inertia_of(body), rim_point(body, x, y), w)


@jit(internal=True)
def _place_on_rim(run, quantiles, impact, f, old):
    """Cosine and sine of the azimuth of the ``old`` contact, and lambda_lon and lambda_lat [1] of an impact
    by its number."""

    body, state, (c, s) = run.body, run.state, old
    if run.law.law == VARKONYI:
        lon, lat, _ = drawn_place(run.law, quantiles, impact, f)
        return c, s, lon, lat
    edge = -(body.base_x * c + body.base_y * s) - body.rim  # from the foot of the COM, rising across the face
    base, rate = (-body.base_z, edge, edge + 2.0 * body.rim), state.w_y * c - state.w_x * s
    axis, inertia = (-s, c, 0.0), inertia_of(body)
    lon, lat, _ = planar_place(run.law, quantiles, impact, body.mass, inertia, axis, base, rate)
    return c, s, lon, lat


@jit(internal=True)
def _point_in_rim(body, place):
    """Where the impulse acts, in face axes [m]: on the chord across the way from the old contact to the
    opposite point, as `_place_on_rim` has it."""
    c, s, lon, lat = place
    across = lat * sqrt(max(1.0 - lon * lon, 0.0))
    return body.base_x - body.rim * (lon * c + across * s), body.base_y - body.rim * (lon * s - across * c)


@jit(internal=True)
def _plastic_on_rim(body, face, motion, old):
    """The plastic impact of the whole face: the impulse acts at the point that stays on the ground."""
    x, y, speed = -old[0], -old[1], 0.0
    for _ in range(BISECTIONS):
        before_x, before_y = x, y
        x, y, speed = _leaves_over(body, face, motion, _point_in_rim(body, (-x, -y, 1.0, 0.0)))
        if speed == 0.0 or abs(x - before_x) + abs(y - before_y) < GAIN:
            break
    return x, y, speed


@jit(internal=True)
def _leaves_over(body, face, motion, point):
    """The point of the rim about which the body turns after an impact: cosine and sine of its azimuth and
    the angular velocity [rad/s], 0 where an impulse at ``point`` [m] allows none.

    With D the jump of the vertical velocity of the COM, points of the rim at the azimuth n get
    u + D k = u_0 + D k_0 + (u_n + D k_n) . n, and D is the least that drives none into the ground. ``motion``
    is the horizontal angular velocity without spin [rad/s] and the vertical velocity of the COM [m/s].
    """
    mass, rim, x, y = body.mass, body.rim, body.base_x, body.base_y
    push_x = face.c_xx * point[1] - face.c_xy * point[0]
    push_y = face.c_xy * point[1] - face.c_yy * point[0]
    wx, wy, vz = motion
    u0, ux, uy = vz + wx * y - wy * x, -rim * wy, rim * wx
    k0, kx, ky = 1.0 + mass * (y * push_x - x * push_y), -mass * rim * push_y, mass * rim * push_x
    a, b, c = k0 * k0 - kx * kx - ky * ky, u0 * k0 - ux * kx - uy * ky, u0 * u0 - ux * ux - uy * uy
    if not (k0 > 0.0 and a > 0.0 and b * b >= a * c):
        return 1.0, 0.0, 0.0
    jump = (sqrt(b * b - a * c) - b) / a
    nx, ny = ux + jump * kx, uy + jump * ky
    size = sqrt(nx * nx + ny * ny)
    if not (jump > 0.0 and size > 0.0):
        return 1.0, 0.0, 0.0
    return -nx / size, -ny / size, size / rim


@jit(internal=True)
def _without_gain(body, face, motion, place, before):
    """The impact of the nearest lambda_lon, upwards, that leaves no more than the energy ``before`` [J]; that
    of 1 where none does."""
    c, s, low, lat = place
    high = 1.0
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        x, y, speed = _leaves_over(body, face, motion, _point_in_rim(body, (c, s, middle, lat)))
        if _energy_on_rim(body, x, y, speed) > before:
            low = middle
        else:
            high = middle
    return _leaves_over(body, face, motion, _point_in_rim(body, (c, s, high, lat)))
