"""Impacts of a run with friction: the one that lands, its counters, and the mode that follows.

An impact that contacts which stick can carry is that of the kernel without friction, to the last bit:
`edge_carries` says so, and nothing here is done to the state.
"""

from __future__ import annotations

from math import hypot, inf, sqrt

from mcrock.base.jit import jit
from mcrock.base.response import Response
from mcrock.impact.dispatch import PROJECT, edge_place, takes_whole_face
from mcrock.impact.varkonyi_2022 import GAIN, facet_point
from mcrock.kernel.contact import F_HEIGHT, MASS
from mcrock.kernel.dynamics import Q0, Q1, Q2, Q3, W_X, W_Y, W_Z, Z
from mcrock.kernel.faces import lay_flat
from mcrock.kernel.facet_landing import mean_radius, place_on_face
from mcrock.kernel.friction.advance import rise
from mcrock.kernel.friction.contact_table import P_X as IMPULSE_X
from mcrock.kernel.friction.contact_table import P_Y as IMPULSE_Y
from mcrock.kernel.friction.contact_table import P_Z as IMPULSE_Z
from mcrock.kernel.friction.coulomb import NONE_FOUND, UNSETTLED
from mcrock.kernel.friction.landing import (
    AT_VERTEX,
    UNSOLVED,
    apply,
    clear_report,
    corners_of,
    face_impact,
    face_lever,
    keep_lowest,
    lever,
    rise_of,
    several_impact,
)
from mcrock.kernel.friction.mobility import ground_compliance, mobility
from mcrock.kernel.friction.single import SLIPPING, WHITTAKER, vertex_impulse
from mcrock.kernel.friction.state import (
    CLIPPED,
    COUPLE,
    FRICTION,
    GAINED,
    I_X,
    I_Y,
    I_Z,
    IMPACT_RESTITUTION,
    KAPPA,
    MAP,
    RESTITUTION,
    TANGENTIAL,
    UNCONVERGED,
    load_twist,
    twist_energy,
)
from mcrock.kernel.friction.step import mode_rates
from mcrock.kernel.modes import FLIGHT, NONE, edge_between, inertia_of, point_of
from mcrock.kernel.results import impacts_so_far
from mcrock.kernel.rotation import matrix, to_ground, vertical
from mcrock.kernel.shaking import acceleration
from mcrock.kernel.watch import edge_demand

AT_A_POINT, BOTH_ENDS, OTHERWISE = 0, 1, 2


@jit(internal=True)
def common_face(body, first, second, third):
    """The face with three vertices, NONE if there is none."""
    for f in range(body.n_face):
        found = 0
        for i in range(body.face_first[f], body.face_first[f + 1]):
            v = body.face_vertices[i]
            if v in (first, second, third):
                found += 1
        if found == 3:
            return f
    return NONE


@jit(internal=True)
def _gains(law, before, after):
    """Whether an impact gains energy that it must not."""
    return law.energy_gain == PROJECT and after > before * (1.0 + GAIN)


@jit(internal=True)
def all_take_part(body, friction, state, n, e, before):
    """Impact of the vertices ``friction.touching`` [:n] together, without rebound if it would gain energy."""
    load_twist(state, friction.twist)
    status = several_impact(body, friction, state, n, e)
    if e > 0.0 and twist_energy(body, state, friction.twist, body.scalars[MASS]) > before * (1.0 + GAIN):
        load_twist(state, friction.twist)
        status = several_impact(body, friction, state, n, 0.0)
    if status == NONE_FOUND:
        friction.found[MAP] = UNSOLVED
    friction.found[UNCONVERGED] = 1.0 if status == UNSETTLED else 0.0


@jit(internal=True)
def _rebound(run, state, n, e):
    """Restitution of an impact of ``friction.touching`` [:n]: ``e``, or 0 where all bounces that follow would
    be over within the time of a sequence of edge impacts (`Controls.edge_zeno_time`)."""
    body, friction, short = run.body, run.friction, run.settings.edge_zeno_time
    a = acceleration(run.segment, run.t)
    if not 0.0 < e < 1.0:
        return e
    rates, longest = friction.rates[1], 0.0
    mode_rates(run, FLIGHT, NONE, state, state, a, rates)
    for i in range(n):
        v = friction.touching[i]
        speed = -rise_of(friction.twist, lever(body, state, v))
        sink = -rise(body, state, FLIGHT, NONE, v, rates)
        time = 2.0 * e * speed / (sink * (1.0 - e)) if sink > 0.0 else inf
        longest = max(longest, time)
    return e if not longest < short else 0.0


@jit(internal=True)
def vertex_impact(run, state, a, r, tau, e, et):
    """Vertex ``a`` lands and the impulse acts at R, ``r`` from the COM, with an angular impulse
    ``tau`` over the mass [m2/s]; the twist is changed. A law of one contact has R = a.

    Returns whether the impulse is one that the ground can give: it pushes.
    """
    body, friction, law = run.body, run.friction, run.law
    twist, found = friction.twist, friction.found
    clear_report(found)
    m = matrix(state[Q0], state[Q1], state[Q2], state[Q3])
    J = ground_compliance(body.scalars, m)
    dx, dy, dz = lever(body, state, a)
    mu = friction.values[FRICTION]
    if tau != 0.0:
        apply(friction, J, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), tau)
    w = mobility(J, dx, dy, dz, r[0], r[1], r[2])
    vx = twist[0] + twist[4] * dz - twist[5] * dy
    vy = twist[1] + twist[5] * dx - twist[3] * dz
    vz = twist[2] + twist[3] * dy - twist[4] * dx
    px, py, pz, kappa, slips, possible = vertex_impulse(law.law, w, (vx, vy, vz), mu, e, et)
    apply(friction, J, r, (px, py, pz), 0.0)
    found[COUPLE], found[KAPPA], found[CLIPPED], found[MAP] = tau, kappa, 1.0 if slips else 0.0, AT_VERTEX
    return possible


@jit(internal=True)
def edge_impact(run, quantiles, state, old, new):
    """Edge impact of vertex ``new`` while ``old`` is on the ground; changes ``friction.twist``.

    The vertices that take part are ``friction.touching`` [:2]. Bounces that would be over within the time of
    a sequence of edge impacts are left out.

    Returns
    -------
    int
        AT_A_POINT where an impulse at one point does it, without rebound and within the cone of friction:
        the impact of contacts that stick. BOTH_ENDS where the old end would not lift. OTHERWISE if neither.
    """
    body, friction, law = run.body, run.friction, run.law
    impact = impacts_so_far(run.result)
    mass = body.scalars[MASS]
    load_twist(state, friction.twist)
    before = twist_energy(body, state, friction.twist, mass)
    friction.touching[0], friction.touching[1] = new, old
    e, et = friction.values[IMPACT_RESTITUTION], friction.values[TANGENTIAL]
    e = _rebound(run, state, 1, e)
    p, q = point_of(body, new), point_of(body, old)
    up = vertical(state[Q0], state[Q1], state[Q2], state[Q3])
    w = state[W_X], state[W_Y], state[W_Z]
    lambda_, tau = edge_place(law, quantiles, impact, mass, inertia_of(body), (q, p), up, w)
    share = 0.5 * (1.0 + lambda_)
    r = to_ground(
        state, q[0] + share * (p[0] - q[0]), q[1] + share * (p[1] - q[1]), q[2] + share * (p[2] - q[2])
    )
    good = vertex_impact(run, state, new, r, tau / mass, e, et)
    sticks = friction.found[CLIPPED] == 0.0
    lifts = rise_of(friction.twist, lever(body, state, old)) > 0.0
    after = twist_energy(body, state, friction.twist, mass)
    carried = good and lifts and not _gains(law, before, after)
    if not carried:
        all_take_part(body, friction, state, 2, e, before)
        after = twist_energy(body, state, friction.twist, mass)
    friction.found[GAINED] = after - before
    if e == 0.0 and et == 0.0:
        if carried and sticks:
            return AT_A_POINT
        if not carried and not lifts and (sticks or law.law not in SLIPPING):
            return BOTH_ENDS
    return OTHERWISE


@jit(internal=True)
def edge_carries(body, friction, state, p, q):
    """Whether both ends of an edge can stick in the impact of both that was computed."""
    first, second = friction.contacts[0], friction.contacts[1]
    d, o = lever(body, state, p), lever(body, state, q)
    ex, ey = o[0] - d[0], o[1] - d[1]
    length = hypot(ex, ey)
    ex, ey = ex / length, ey / length
    along = (first[IMPULSE_X] + second[IMPULSE_X]) * ex + (first[IMPULSE_Y] + second[IMPULSE_Y]) * ey
    f_p = first[IMPULSE_Y] * ex - first[IMPULSE_X] * ey
    f_q = second[IMPULSE_Y] * ex - second[IMPULSE_X] * ey
    demand = edge_demand(first[IMPULSE_Z], second[IMPULSE_Z], f_p, f_q, along)
    return demand < friction.values[FRICTION] ** 2 * (1.0 - 1e-9)


@jit(internal=True)
def facet_impact(run, quantiles, state, f, old):
    """Facet impact of face ``f``, whose old edge is the side at corner ``old``; changes ``friction.twist``.

    The state is laid flat. Returns as `edge_impact`; the corners of the face are those that take part.
    """
    body, friction, law = run.body, run.friction, run.law
    impact = impacts_so_far(run.result)
    mass, face = body.scalars[MASS], body.faces[f]
    lay_flat(face, state, state)
    state[Z] = face[F_HEIGHT]
    load_twist(state, friction.twist)
    before = twist_energy(body, state, friction.twist, mass)
    e, et = friction.values[IMPACT_RESTITUTION], friction.values[TANGENTIAL]
    n = corners_of(body, friction, f)
    e = _rebound(run, state, n, e)
    first, last = body.face_first[f], body.face_first[f + 1]
    carried = False
    if not takes_whole_face(law):
        lon, lat, _ = place_on_face(run, quantiles, impact, f, old, state)
        x, y = facet_point(body.corners, first, last, old, lon, lat)
        r = face_lever(body, state, f, x, y)
        carried = face_impact(run, state, f, r, e, et)
        after = twist_energy(body, state, friction.twist, mass)
        carried = carried and not _gains(law, before, after)
    if not carried:
        all_take_part(body, friction, state, n, e, before)
    after = twist_energy(body, state, friction.twist, mass)
    friction.found[GAINED] = after - before
    plain = e == 0.0 and et == 0.0
    return AT_A_POINT if carried and plain and friction.found[CLIPPED] == 0.0 else OTHERWISE


@jit(internal=True)
def landing_impact(run, state, n):
    """Vertices ``friction.touching`` [:n] land from flight, as `edge_impact`."""
    body, friction, law = run.body, run.friction, run.law
    mass = body.scalars[MASS]
    load_twist(state, friction.twist)
    before = twist_energy(body, state, friction.twist, mass)
    e, et = friction.values[RESTITUTION], friction.values[TANGENTIAL]
    e = _rebound(run, state, n, e)
    if n == 1:
        d = lever(body, state, friction.touching[0])
        good = vertex_impact(run, state, friction.touching[0], d, 0.0, e, et)
        if law.law == WHITTAKER:  # the one law that may gain energy at the vertex that lands
            good = good and not _gains(law, before, twist_energy(body, state, friction.twist, mass))
        if not good:
            all_take_part(body, friction, state, 1, e, before)
    else:
        all_take_part(body, friction, state, n, e, before)
    friction.found[GAINED] = twist_energy(body, state, friction.twist, mass) - before


@jit(internal=True)
def count_impact(run, face, flew):
    """Counters of an impact with friction; ``face`` is the one that lands, or NONE. One that ends a flight is
    counted with the flight."""
    body, friction, result = run.body, run.friction, run.result
    found = friction.found
    if face >= 0:
        result[Response.FACET_IMPACTS] += 1.0
    elif not flew:
        result[Response.EDGE_IMPACTS] += 1.0
    result[Response.IMPACT_ENERGY_LOSS] -= found[GAINED] * body.scalars[MASS]
    result[Response.UNCONVERGED_IMPACTS] += found[UNCONVERGED]
    if found[I_Z] > 0.0:
        couple = found[COUPLE] / mean_radius(body, face) if face >= 0 else 0.0
        square = found[I_X] ** 2 + found[I_Y] ** 2 + couple * couple
        demand = sqrt(square) / found[I_Z]
        result[Response.PEAK_IMPACT_FRICTION] = max(result[Response.PEAK_IMPACT_FRICTION], demand)
    elif found[I_Z] < 0.0:
        result[Response.PULLING_IMPACTS] += 1.0


@jit(internal=True)
def old_corner(body, friction, state, f, mode_edge, pivot):
    """Corner of face ``f`` at which its old edge begins: the edge of contact, or at a pivot the side whose
    other end lands more slowly."""
    first, last = body.face_first[f], body.face_first[f + 1]
    n = last - first
    if mode_edge >= 0:
        p, q = body.edge_vertices[mode_edge, 0], body.edge_vertices[mode_edge, 1]
        for i in range(n):
            v, w = body.face_vertices[first + i], body.face_vertices[first + (i + 1) % n]
            if (v == p and w == q) or (v == q and w == p):
                return i
        return 0
    at = 0
    for i in range(n):
        if body.face_vertices[first + i] == pivot:
            at = i
    before = rise_of(friction.twist, lever(body, state, body.face_vertices[first + (at + n - 1) % n]))
    after = rise_of(friction.twist, lever(body, state, body.face_vertices[first + (at + 1) % n]))
    return at if abs(after) < abs(before) else (at + n - 1) % n


@jit
def impact_of(run, quantiles, standing, landing):
    """The impact of vertices that land while others stand on the ground; ``friction.twist`` becomes that
    after it.

    Parameters
    ----------
    standing, landing : ndarray of int
        None, one or the two ends of an edge; those that land.

    Returns
    -------
    int
        How many of the vertices do not rise after it; they are the first of ``friction.touching``.
    """
    body, friction, state = run.body, run.friction, run.state
    load_twist(state, friction.speeds)
    if standing.size == 0:
        n = landing.size
        for i in range(n):
            friction.touching[i] = landing[i]
        landing_impact(run, state, n)
    elif standing.size == 1 and landing.size == 1:
        n = 2
        edge_impact(run, quantiles, state, standing[0], landing[0])
    else:
        edge = edge_between(body, standing[0], standing[1]) if standing.size == 2 else NONE
        third = landing[0] if standing.size == 2 else landing[1]
        f = common_face(body, standing[0], standing[1] if standing.size == 2 else landing[0], third)
        load_twist(state, friction.twist)
        old = old_corner(body, friction, state, f, edge, standing[0])
        facet_impact(run, quantiles, state, f, old)
        n = corners_of(body, friction, f)
    fastest = 0.0
    for i in range(n):
        fastest = max(fastest, abs(rise_of(friction.speeds, lever(body, state, friction.touching[i]))))
    return keep_lowest(body, friction, state, n, fastest)
