"""Impacts with friction and restitution: which law acts, and what it leaves on the ground.

A vertex that lands beside one on the ground is an edge impact, a face that lands beside an edge a facet
impact: the impulse acts where the impact parameters say, and a law of `single` gives it. Where that would
push a vertex into the ground, pull, or gain energy, and where several vertices land from flight, all of them
take part (`coulomb`).
"""

from __future__ import annotations

from mcrock.base.jit import jit
from mcrock.kernel.dynamics import Q0, Q1, Q2, Q3
from mcrock.kernel.faces import point_of_face
from mcrock.kernel.facet_landing import mean_radius
from mcrock.kernel.friction.contact_table import P_X, P_Y, P_Z, place_contact, push
from mcrock.kernel.friction.coulomb import solve_contacts
from mcrock.kernel.friction.mobility import ground_compliance, mobility, turned_by
from mcrock.kernel.friction.single import face_impulse
from mcrock.kernel.friction.state import (
    CLIPPED,
    COUPLE,
    FRICTION,
    GAINED,
    I_X,
    I_Y,
    I_Z,
    KAPPA,
    MAP,
    count_passes,
    count_solves,
)
from mcrock.kernel.rotation import matrix, to_ground

AT_VERTEX, OF_FACE, SEVERAL, UNSOLVED = 0, 1, 2, 3  # maps of an impact
STAYS = 3e-8  # a vertex that leaves the ground no faster after an impact stays: it rises 5e-17 m [m/s]
ROUNDING = 1e-9  # velocities after an impact that are none, over the largest before [1]


@jit(internal=True)
def lever(body, state, vertex):
    """Place of a vertex from the COM, ground axes (3 numbers) [m]."""
    p = body.vertices[vertex]
    return to_ground(state, p[0], p[1], p[2])


@jit(internal=True)
def rise_of(twist, d):
    """Vertical velocity of a point [m/s]."""
    return twist[2] + twist[3] * d[1] - twist[4] * d[0]


@jit(internal=True)
def clear_report(found):
    for i in range(I_X, GAINED + 1):
        found[i] = 0.0


@jit(internal=True)
def apply(friction, J, d, p, couple):
    """Change the twist by an impulse ``p`` at a point, ``d`` from the COM, and a couple about the vertical,
    all over the mass, and note them."""
    twist, found = friction.twist, friction.found
    push(twist, J, d, p)
    twist[3] += J[2] * couple
    twist[4] += J[4] * couple
    twist[5] += J[5] * couple
    found[I_X], found[I_Y], found[I_Z], found[COUPLE] = p[0], p[1], p[2], couple


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
    m = matrix(state[Q0], state[Q1], state[Q2], state[Q3])
    J = ground_compliance(body.scalars, m)
    mu = friction.values[FRICTION]
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
    found[KAPPA], found[CLIPPED], found[MAP] = bk, 1.0 if bc else 0.0, OF_FACE
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
    m = matrix(state[Q0], state[Q1], state[Q2], state[Q3])
    J = ground_compliance(body.scalars, m)
    approach = 0.0
    for i in range(n):
        approach = max(approach, -rise_of(twist, lever(body, state, friction.touching[i])))
    for i in range(n):
        d = lever(body, state, friction.touching[i])
        u = rise_of(twist, d)
        place_contact(contacts[i], J, d[0], d[1], d[2], -e * u if u < -ROUNDING * approach else 0.0)
    status = solve_contacts(contacts, n, J, twist, friction.values[FRICTION], friction.values[FRICTION])
    count_solves(friction, n)
    for i in range(n):
        found[I_X] += contacts[i, P_X]
        found[I_Y] += contacts[i, P_Y]
        found[I_Z] += contacts[i, P_Z]
    found[MAP] = SEVERAL
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
    m = matrix(state[Q0], state[Q1], state[Q2], state[Q3])
    J = ground_compliance(body.scalars, m)
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
    return to_ground(state, px, py, pz)
