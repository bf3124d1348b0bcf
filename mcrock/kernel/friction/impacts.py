"""Impacts of a run with friction: which acts, whether contacts stick through it, and what it leaves.

An impact that contacts which stick can carry is that of the kernel without friction, to the last bit:
`edge_carries` says so, and nothing here is done to the state. Else a vertex that lands beside one on the
ground is an edge impact, a face that lands beside an edge a facet impact: the impulse acts at the point R
where the impact parameters say, and a law of one contact (`mcrock.impact.single`) gives it. Where that would
push a vertex into the ground, pull, or gain energy, and where several vertices land from flight, all of them
take part (`coulomb`).

That R need not be the vertex a that lands is the uncertainty of Várkonyi, P. L., Kocsis, M., Ther, T. (2022),
Rigid impacts of three-dimensional rocking structures, Nonlinear Dynamics 107, 1839-1858. How strong the
impulse is follows from the law of Chatterjee, A., Ruina, A. (1998), A new algebraic rigid-body collision law
based on impulse space considerations, Journal of Applied Mechanics 65, 939-951, written for the velocity of
a with the compliance between R and a, which is not symmetric; at R = a it is their law. The other laws need a
symmetric compliance, R = a; faces have the form of Chatterjee and Ruina by every law. A face stops its spin
too, and the friction that stops it takes its share of Coulomb's bound by the ellipsoidal limit surface
(Goyal, S., Ruina, A., Papadopoulos, J. (1991), Planar sliding with dry friction, Wear 143, 307-330).
"""

from __future__ import annotations

from math import hypot, inf, sqrt

import numpy as np

from mcrock.base.jit import by_code, jit
from mcrock.base.params import Response
from mcrock.impact import single
from mcrock.impact.planar import PROJECT, edge_place, takes_whole_face
from mcrock.impact.registry import Law
from mcrock.impact.varkonyi_2022 import GAIN, edge_map, facet_point, kinetic_energy, lift_speed, plastic_edge
from mcrock.kernel import codes
from mcrock.kernel.dynamics import (
    NONE,
    angular_velocity,
    copy_state,
    edge_between,
    inertia_of,
    lay_flat,
    orientation,
    place_rim,
    point_of,
    point_of_face,
)
from mcrock.kernel.friction.coulomb import (
    NONE_FOUND,
    UNSETTLED,
    ground_compliance,
    mobility,
    place_contact,
    push,
    solve_contacts,
    turned_by,
)
from mcrock.kernel.friction.motion import (
    clear_report,
    count_passes,
    count_solves,
    free_body,
    load_twist,
    store_twist,
    twist_energy,
)
from mcrock.kernel.friction.step import mode_rates, rise
from mcrock.kernel.landing import mean_radius, place_on_face, sequence_ends
from mcrock.kernel.results import edge_demand, edge_impact_demand, impacts_so_far, impulse
from mcrock.kernel.rotation import matrix, to_ground, vertical
from mcrock.kernel.shaking import acceleration

SLIPPING = tuple(np.int64(law) for law in Law if law.of_one_contact and law.of_one_contact.slips)
GAINING = tuple(np.int64(law) for law in Law if law.of_one_contact and law.of_one_contact.gains)
# laws of `single` that take the symmetric mobility
SYMMETRIC = [law for law in Law if law.of_one_contact and law != Law.CHATTERJEE_RUINA_1998]
SYMMETRIC_CODES = tuple(np.int64(law) for law in SYMMETRIC)
NONE_LEFT = 1e-9  # velocities after an impact that are none, over that before [1]

symmetric_impulse = by_code(
    globals(),
    "symmetric_impulse(code, w, v, e, et, mu)",
    {int(law): f"single.{law.key}(w, v, e, et, mu)" for law in SYMMETRIC},
    "0.0, 0.0, 0.0",
)


@jit
def vertex_impulse(law, w, v, mu, e, et):
    """Impulse over mass of a vertex that lands, by the law of a run.

    Parameters
    ----------
    law : int
        Code of `Law`: one of one contact, or any other for that of Chatterjee and Ruina.
    w : tuple of 9 float
        Velocity of the vertex for unit impulses, row by row [1].
    v : tuple of 3 float
        Its velocity before [m/s], the third below 0.
    mu, e, et : float
        Friction, normal and tangential restitution [1].

    Returns
    -------
    px, py, pz, kappa, slips
        As of `point_impulse`, whose kappa is 0 for other laws; whether the vertex slips after it.
    possible : bool
        Whether the ground can give the impulse, which pushes, and the vertex does not go into it.
    """
    s, (vx, vy, vz) = (w[0], w[1], w[2], w[4], w[5], w[8]), v
    if law not in SYMMETRIC_CODES:
        px, py, pz, kappa, clipped, inward = single.chatterjee_ruina_1998(w, vx, vy, vz, mu, e, et)
        pushes = pz > 0.0 or mu == inf
        return px, py, pz, kappa, clipped, pushes and (inward > 0.0 or not (clipped or e > 0.0))
    px, py, pz = symmetric_impulse(law, s, v, e, et, mu)
    speed = NONE_LEFT * sqrt(vx * vx + vy * vy + vz * vz)
    slips = hypot(vx + w[0] * px + w[1] * py + w[2] * pz, vy + w[3] * px + w[4] * py + w[5] * pz) > speed
    # where much friction jams the contact a law may leave an approach
    rises = vz < 0.0 and vz + w[6] * px + w[7] * py + w[8] * pz >= -speed
    return px, py, pz, 0.0, slips, pz > 0.0 and rises


@jit
def face_impulse(matrix, w, turn, v, mu, restitution, radius):
    """Impulse and couple over mass of a face that lands and stops its spin.

    Parameters
    ----------
    matrix : ndarray (4, 5)
        Scratch.
    w : tuple of 9 float
        As in `mcrock.impact.single.chatterjee_ruina_1998`.
    turn : tuple
        Velocity of the vertex for a unit couple about the vertical (3) [1/m], spin for unit impulses at R (3)
        [1/m] and for a unit couple [1/m2].
    v : tuple of 4 float
        Velocity of the vertex [m/s] and angular velocity about the vertical [rad/s] before.
    mu : float
    restitution : tuple of 2 float
        Normal and tangential.
    radius : float
        By which the couple is divided to compare it with friction [m].

    Returns
    -------
    px, py, pz, couple, kappa, clipped, inward
        As there; the couple over mass [m2/s].
    """
    (cx, cy, cz), row, spin_compliance = turn
    (vx, vy, vz, spin), (e, et) = v, restitution
    inward = -vz / w[8]
    a = matrix
    for i in range(3):
        a[i, 0], a[i, 1], a[i, 2] = w[3 * i], w[3 * i + 1], w[3 * i + 2]
    a[0, 3], a[1, 3], a[2, 3] = cx, cy, cz
    a[3, 0], a[3, 1], a[3, 2], a[3, 3] = row[0], row[1], row[2], spin_compliance
    a[0, 4], a[1, 4], a[2, 4], a[3, 4] = -vx, -vy, -vz, -spin
    eliminate(a, 4)
    dx, dy, dz, dt = a[0, 4], a[1, 4], a[2, 4] - inward, a[3, 4]
    kappa = 1.0 + et
    x, y, z, t = kappa * dx, kappa * dy, (1.0 + e) * inward + kappa * dz, kappa * dt
    clipped = mu < np.inf and not sqrt(x * x + y * y + (t / radius) ** 2) <= mu * z
    if clipped:
        kappa = mu * (1.0 + e) * inward / (sqrt(dx * dx + dy * dy + (dt / radius) ** 2) - mu * dz)
        x, y, z, t = kappa * dx, kappa * dy, (1.0 + e) * inward + kappa * dz, kappa * dt
    return x, y, z, t, kappa, clipped, inward


@jit(internal=True)
def eliminate(a, n):
    """Solve n linear equations (n, n + 1) in place; the solution is in column n."""
    for i in range(n):
        pivot = i
        for r in range(i + 1, n):
            if abs(a[r, i]) > abs(a[pivot, i]):
                pivot = r
        if pivot != i:
            for c in range(n + 1):
                a[i, c], a[pivot, c] = a[pivot, c], a[i, c]
        scale = 1.0 / a[i, i]
        for c in range(i, n + 1):
            a[i, c] *= scale
        for r in range(n):
            if r != i:
                factor = a[r, i]
                for c in range(i, n + 1):
                    a[r, c] -= factor * a[i, c]


AT_VERTEX, OF_FACE, SEVERAL, UNSOLVED = 0, 1, 2, 3  # maps of an impact
STAYS = 3e-8  # a vertex that leaves the ground no faster after an impact stays: it rises 5e-17 m [m/s]
ROUNDING = 1e-9  # velocities after an impact that are none, over the largest before [1]


@jit(internal=True)
def lever(body, state, vertex):
    """Place of a vertex from the COM, ground axes (3 numbers) [m]."""
    if vertex == body.n_vertex:
        place_rim(body, state)
    p = body.vertices[vertex]
    return to_ground(orientation(state), p[0], p[1], p[2])


@jit(internal=True)
def rise_of(twist, d):
    """Vertical velocity of a point [m/s]."""
    return twist[2] + twist[3] * d[1] - twist[4] * d[0]


@jit(internal=True)
def apply(friction, J, d, p, couple):
    """Change the twist by an impulse ``p`` at a point, ``d`` from the COM, and a couple about the vertical,
    all over the mass, and note them."""
    twist, found = friction.twist, friction.found
    push(twist, J, d, p)
    twist[3] += J[2] * couple
    twist[4] += J[4] * couple
    twist[5] += J[5] * couple
    found.i_x, found.i_y, found.i_z, found.couple = p[0], p[1], p[2], couple


@jit
def face_impact(run, state, f, r, e, et):
    """Face ``f`` lands flat and the impulse acts at R, ``r`` from the COM; the twist is changed.

    Of the vertices that come down the one whose impulse is largest obeys the law, if no other is then driven
    into the ground. Returns whether there is one.
    """
    body, friction = run.body, run.friction
    twist, found = friction.twist, friction.found
    rx, ry, rz = r
    clear_report(found)
    m = matrix(orientation(state))
    J = ground_compliance(body, m)
    mu = friction.mu
    first, last = body.face_first[f], body.face_first[f + 1]
    approach = approach_speed(body, state, twist, f)
    radius = mean_radius(body, f)
    # spin for unit impulses at R: the z row of J [R]
    ax, ay, az = J[2], J[4], J[5]
    row = (ay * rz - az * ry, az * rx - ax * rz, ax * ry - ay * rx)
    best, bx, by, bz, bt, bk, bc = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, False
    for i in range(first, last):
        d = lever(body, state, body.face_vertices[i])
        vz = rise_of(twist, d)
        if not vz < -ROUNDING * approach:
            continue
        count_passes(friction, last - first)
        w = mobility(J, d[0], d[1], d[2], rx, ry, rz)
        vx = twist[0] + twist[4] * d[2] - twist[5] * d[1]
        vy = twist[1] + twist[5] * d[0] - twist[3] * d[2]
        # velocity of the vertex for a unit couple: (J e_z) x d
        cx, cy, cz = ay * d[2] - az * d[1], az * d[0] - ax * d[2], ax * d[1] - ay * d[0]
        px, py, pz, couple, kappa, clipped, _ = face_impulse(
            friction.matrix, w, ((cx, cy, cz), row, J[5]), (vx, vy, vz, twist[5]), mu, (e, et), radius
        )
        if not pz > best or ((clipped or e > 0.0 or et != 0.0) and not w[8] > 0.0):
            continue
        x, y, _z = turned_by(J, ry * pz - rz * py, rz * px - rx * pz, rx * py - ry * px + couple)
        feasible = True
        for j in range(first, last):
            o = lever(body, state, body.face_vertices[j])
            up = rise_of(twist, o) + pz + x * o[1] - y * o[0]
            feasible = feasible and up >= -ROUNDING * approach
        if feasible:
            best, bx, by, bz, bt, bk, bc = pz, px, py, pz, couple, kappa, clipped
    if best <= 0.0:
        return False
    apply(friction, J, r, (bx, by, bz), bt)
    found.kappa, found.clipped, found.map = bk, 1.0 if bc else 0.0, OF_FACE
    return True


@jit(internal=True)
def approach_speed(body, state, twist, f):
    """Largest vertical speed of the corners of a face [m/s]."""
    speed = 0.0
    for i in range(body.face_first[f], body.face_first[f + 1]):
        speed = max(speed, abs(rise_of(twist, lever(body, state, body.face_vertices[i]))))
    return speed


@jit
def several_impact(body, friction, state, n, e):
    """Vertices ``friction.touching`` [:n] take part, by the law of Moreau with friction; the twist is
    changed.

    Returns the state of the solver (`coulomb.DONE` if all is well).
    """
    twist, found, contacts = friction.twist, friction.found, friction.contacts
    clear_report(found)
    m = matrix(orientation(state))
    J = ground_compliance(body, m)
    approach = 0.0
    for i in range(n):
        approach = max(approach, -rise_of(twist, lever(body, state, friction.touching[i])))
    for i in range(n):
        d = lever(body, state, friction.touching[i])
        u = rise_of(twist, d)
        place_contact(contacts[i], J, d[0], d[1], d[2], -e * u if u < -ROUNDING * approach else 0.0)
    status = solve_contacts(contacts, n, J, twist, friction.mu, friction.mu)
    count_solves(friction, n)
    for i in range(n):
        found.i_x += contacts[i].p_x
        found.i_y += contacts[i].p_y
        found.i_z += contacts[i].p_z
    found.map = SEVERAL
    return status


@jit(internal=True)
def keep_lowest(body, friction, state, n, approach):
    """Of the vertices ``friction.touching`` [:n] keep those that do not rise after an impact; their
    number."""
    twist, kept = friction.twist, 0
    for i in range(n):
        v = friction.touching[i]
        if rise_of(twist, lever(body, state, v)) <= 10.0 * ROUNDING * approach + STAYS:
            friction.touching[kept] = v
            kept += 1
    return kept


@jit
def hold_down(body, friction, state):
    """Take the vertical velocities of the vertices ``friction.touching`` [:2] by vertical impulses.

    Of all motions in which neither rises it is the nearest in energy, of which it has no more than before.
    """
    twist = friction.twist
    m = matrix(orientation(state))
    J = ground_compliance(body, m)
    p, q = lever(body, state, friction.touching[0]), lever(body, state, friction.touching[1])
    first = mobility(J, p[0], p[1], p[2], p[0], p[1], p[2])[8]
    second = mobility(J, q[0], q[1], q[2], q[0], q[1], q[2])[8]
    mixed = mobility(J, p[0], p[1], p[2], q[0], q[1], q[2])[8]
    rise_p, rise_q = rise_of(twist, p), rise_of(twist, q)
    size = first * second - mixed * mixed
    push(twist, J, p, (0.0, 0.0, (mixed * rise_q - second * rise_p) / size))
    push(twist, J, q, (0.0, 0.0, (mixed * rise_p - first * rise_q) / size))


@jit(internal=True)
def corners_of(body, friction, f):
    """The corners of a face as those that touch; their number."""
    first, last = body.face_first[f], body.face_first[f + 1]
    for i in range(first, last):
        friction.touching[i - first] = body.face_vertices[i]
    return last - first


@jit(internal=True)
def face_lever(body, state, f, x, y):
    """Place from the COM of a point of a face with the face axes coordinates x and y, ground axes [m]."""
    px, py, pz = point_of_face(body.faces[f], x, y)
    return to_ground(orientation(state), px, py, pz)


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
    if e > 0.0 and twist_energy(body, state, friction.twist, body.mass) > before * (1.0 + GAIN):
        load_twist(state, friction.twist)
        status = several_impact(body, friction, state, n, 0.0)
    if status == NONE_FOUND:
        friction.found.map = UNSOLVED
    friction.found.unconverged = 1.0 if status == UNSETTLED else 0.0


@jit(internal=True)
def _rebound(run, state, n, e):
    """Restitution of an impact of ``friction.touching`` [:n]: ``e``, or 0 where all bounces that follow would
    be over within the time of a sequence of edge impacts (`Controls.edge_zeno_time`)."""
    body, friction, short = run.body, run.friction, run.settings.edge_zeno_time
    a = acceleration(run.segment, run.t)
    if not 0.0 < e < 1.0:
        return e
    rates, longest = friction.rates[1], 0.0
    mode_rates(run, codes.FLIGHT, NONE, state, state, a, rates)
    for i in range(n):
        v = friction.touching[i]
        speed = -rise_of(friction.twist, lever(body, state, v))
        sink = -rise(body, state, codes.FLIGHT, NONE, v, rates)
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
    m = matrix(orientation(state))
    J = ground_compliance(body, m)
    dx, dy, dz = lever(body, state, a)
    mu = friction.mu
    if tau != 0.0:
        apply(friction, J, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), tau)
    w = mobility(J, dx, dy, dz, r[0], r[1], r[2])
    vx = twist[0] + twist[4] * dz - twist[5] * dy
    vy = twist[1] + twist[5] * dx - twist[3] * dz
    vz = twist[2] + twist[3] * dy - twist[4] * dx
    px, py, pz, kappa, slips, possible = vertex_impulse(law.law, w, (vx, vy, vz), mu, e, et)
    apply(friction, J, r, (px, py, pz), 0.0)
    found.couple, found.kappa, found.clipped, found.map = tau, kappa, 1.0 if slips else 0.0, AT_VERTEX
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
    mass = body.mass
    load_twist(state, friction.twist)
    before = twist_energy(body, state, friction.twist, mass)
    friction.touching[0], friction.touching[1] = new, old
    e, et = friction.impact_restitution, friction.tangential
    e = _rebound(run, state, 1, e)
    p, q = point_of(body, new), point_of(body, old)
    up = vertical(orientation(state))
    w = angular_velocity(state)
    lambda_, tau = edge_place(law, quantiles, impact, mass, inertia_of(body), (q, p), up, w)
    share = 0.5 * (1.0 + lambda_)
    r = to_ground(
        orientation(state),
        q[0] + share * (p[0] - q[0]),
        q[1] + share * (p[1] - q[1]),
        q[2] + share * (p[2] - q[2]),
    )
    good = vertex_impact(run, state, new, r, tau / mass, e, et)
    sticks = friction.found.clipped == 0.0
    lifts = rise_of(friction.twist, lever(body, state, old)) > 0.0
    after = twist_energy(body, state, friction.twist, mass)
    carried = good and lifts and not _gains(law, before, after)
    if not carried:
        all_take_part(body, friction, state, 2, e, before)
        after = twist_energy(body, state, friction.twist, mass)
    friction.found.gained = after - before
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
    along = (first.p_x + second.p_x) * ex + (first.p_y + second.p_y) * ey
    f_p = first.p_y * ex - first.p_x * ey
    f_q = second.p_y * ex - second.p_x * ey
    demand = edge_demand(first.p_z, second.p_z, f_p, f_q, along)
    return demand < friction.mu**2 * (1.0 - 1e-9)


@jit(internal=True)
def facet_impact(run, quantiles, state, f, old):
    """Facet impact of face ``f``, whose old edge is the side at corner ``old``; changes ``friction.twist``.

    The state is laid flat. Returns as `edge_impact`; the corners of the face are those that take part.
    """
    body, friction, law = run.body, run.friction, run.law
    impact = impacts_so_far(run.result)
    mass, face = body.mass, body.faces[f]
    lay_flat(face, state, state)
    state.z = face.height
    load_twist(state, friction.twist)
    before = twist_energy(body, state, friction.twist, mass)
    e, et = friction.impact_restitution, friction.tangential
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
    friction.found.gained = after - before
    plain = e == 0.0 and et == 0.0
    return AT_A_POINT if carried and plain and friction.found.clipped == 0.0 else OTHERWISE


@jit(internal=True)
def landing_impact(run, state, n):
    """Vertices ``friction.touching`` [:n] land from flight, as `edge_impact`."""
    body, friction, law = run.body, run.friction, run.law
    mass = body.mass
    load_twist(state, friction.twist)
    before = twist_energy(body, state, friction.twist, mass)
    e, et = friction.restitution, friction.tangential
    e = _rebound(run, state, n, e)
    if n == 1:
        d = lever(body, state, friction.touching[0])
        good = vertex_impact(run, state, friction.touching[0], d, 0.0, e, et)
        if law.law in GAINING:
            good = good and not _gains(law, before, twist_energy(body, state, friction.twist, mass))
        if not good:
            all_take_part(body, friction, state, 1, e, before)
    else:
        all_take_part(body, friction, state, n, e, before)
    friction.found.gained = twist_energy(body, state, friction.twist, mass) - before


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
    result[Response.IMPACT_ENERGY_LOSS] -= found.gained * body.mass
    result[Response.UNCONVERGED_IMPACTS] += found.unconverged
    if found.i_z > 0.0:
        couple = found.couple / mean_radius(body, face) if face >= 0 else 0.0
        square = found.i_x**2 + found.i_y**2 + couple * couple
        demand = sqrt(square) / found.i_z
        result[Response.PEAK_IMPACT_FRICTION] = max(result[Response.PEAK_IMPACT_FRICTION], demand)
    elif found.i_z < 0.0:
        result[Response.PULLING_IMPACTS] += 1.0


@jit(internal=True)
def corner_on_rim(body, state):
    """The corner of a circular base that is nearest to the point of its rim on the ground."""
    place_rim(body, state)
    p, nearest, least = point_of(body, body.n_vertex), NONE, inf
    for i in range(body.face_first[body.start], body.face_first[body.start + 1]):
        v = point_of(body, body.face_vertices[i])
        away = (v[0] - p[0]) ** 2 + (v[1] - p[1]) ** 2
        if away < least:
            nearest, least = body.face_vertices[i], away
    return nearest


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


@jit(internal=True)
def edge_sticks_through(run, quantiles, new):
    """Whether the edge impact of vertex ``new`` in VERTEX mode is that of contacts that stick.

    If not, it is done in ``friction.before``, with the velocities after it in ``friction.twist``.
    """
    body, friction = run.body, run.friction
    old, state, copy = run.place, run.state, friction.before
    copy_state(state, copy)
    free_body(body, copy, codes.VERTEX, old)
    kind = edge_impact(run, quantiles, copy, old, new)
    if kind == AT_A_POINT:
        lift = rise_of(friction.twist, lever(body, copy, old))
        up = vertical(orientation(state))
        before = angular_velocity(state)
        store_twist(copy, friction.twist)
        if not sequence_ends(run, copy, before, up, old, new, lift):
            return True
        both_ends(run, copy, state, old, False)
        return edge_carries(body, friction, copy, new, old)
    return kind == BOTH_ENDS and edge_carries(body, friction, copy, new, old)


@jit(inline=True, internal=True)
def plainly_sticks(run, quantiles, new):
    """What `edge_sticks_through` finds for most impacts, at less cost: the impulse of contacts that stick is
    within the cone of friction."""
    body, state, friction = run.body, run.state, run.friction
    law, result, old = run.law, run.result, run.place
    if may_slip_in_impacts(friction, law):
        return False
    mass, inertia = body.mass, inertia_of(body)
    p, q = point_of(body, new), point_of(body, old)
    w = angular_velocity(state)
    up = vertical(orientation(state))
    lambda_, tau = edge_place(law, quantiles, impacts_so_far(result), mass, inertia, (q, p), up, w)
    after = edge_map(mass, inertia, q, p, w, up, lambda_, tau)
    normal, square, _ = impulse(q, p, w, after, up)
    if not impulse_sticks(friction, normal, square):
        return False
    if kinetic_energy(mass, inertia, p, after) > kinetic_energy(mass, inertia, q, w) * (1.0 + GAIN):
        return False
    lift = lift_speed(q, p, after, up)
    if lift > 0.0:
        state.w_x, state.w_y, state.w_z = after
        ends = sequence_ends(run, state, w, up, old, new, lift)
        state.w_x, state.w_y, state.w_z = w
        if not ends:
            return True
    after = plastic_edge(mass, inertia, q, p, w)
    return edge_impact_demand(mass, inertia, q, p, w, after, up) < friction.mu**2 * (1.0 - ROUNDING)


@jit(inline=True, internal=True)
def may_slip_in_impacts(friction, law):
    """Whether impacts are none of contacts that stick, whatever their impulse."""
    rebounds = friction.impact_restitution != 0.0 or friction.tangential != 0.0
    return rebounds or law.law in SLIPPING


@jit(inline=True, internal=True)
def impulse_sticks(friction, normal, square):
    """Whether an impulse, its normal part and the square of its horizontal part, is within the cone of
    friction."""
    return normal > 0.0 and square < friction.mu**2 * (1.0 - ROUNDING) * normal * normal


@jit(internal=True)
def both_ends(run, copy, state, old, held):
    """Do the impact of ``friction.touching`` [:2] again, as one of both ends without rebound.

    With ``held`` neither rises after it: an end that the impact of both lifts lands again, and lifts the
    other, in a train of impacts that is over at once.
    """
    body, friction = run.body, run.friction
    copy.w_x, copy.w_y, copy.w_z = angular_velocity(state)
    copy.v_x, copy.v_y, copy.v_z = state.v_x, state.v_y, state.v_z
    if old >= 0:
        free_body(body, copy, codes.VERTEX, old)
    load_twist(copy, friction.twist)
    energy = twist_energy(body, copy, friction.twist, body.mass)
    all_take_part(body, friction, copy, 2, 0.0, energy)
    if held:
        hold_down(body, friction, copy)
    friction.found.gained = twist_energy(body, copy, friction.twist, body.mass) - energy


@jit(internal=True)
def face_sticks_through(run, quantiles, f):
    """Whether the facet impact of face ``f`` in EDGE or VERTEX mode is that of contacts that stick, as
    `edge_sticks_through`."""
    body, friction, vertex = run.body, run.friction, run.place
    edge = run.place if run.mode == codes.EDGE else NONE
    if run.mode == codes.ROLL:
        vertex = corner_on_rim(body, run.state)
    state, copy = run.state, friction.before
    copy_state(state, copy)
    free_body(body, copy, run.mode, run.place)
    load_twist(copy, friction.twist)
    old = old_corner(body, friction, copy, f, edge, vertex)
    return facet_impact(run, quantiles, copy, f, old) == AT_A_POINT
