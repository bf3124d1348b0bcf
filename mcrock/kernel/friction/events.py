"""What follows an event of a run with friction: the new mode, and the name of the event.

Impacts and contacts that stick throughout are left to the kernel without friction, so that such a run has
its bits.
"""

from __future__ import annotations

from math import hypot

import numpy as np

from mcrock.impact.dispatch import edge_place
from mcrock.impact.varkonyi_2022 import GAIN as MOST_GAIN
from mcrock.impact.varkonyi_2022 import edge_map, kinetic_energy, lift_speed, plastic_edge
from mcrock.jit import jit
from mcrock.kernel.advance import EDGE_IMPACT, EDGE_RELEASE, FACET_IMPACT, NO_EVENT, UPLIFT
from mcrock.kernel.contact import F_HEIGHT, F_UX, F_UY, F_UZ, GRAVITY, MASS
from mcrock.kernel.dynamics import (
    Q0,
    Q1,
    Q2,
    Q3,
    S0_X,
    S0_Y,
    S1_X,
    S1_Y,
    V_X,
    V_Y,
    V_Z,
    W_X,
    W_Y,
    W_Z,
    Z,
    vertex_lift,
)
from mcrock.kernel.edge_landing import sequence_ends
from mcrock.kernel.friction.advance import CHANGE, LANDS, rise, slip_velocity
from mcrock.kernel.friction.decide import UNDECIDED, decide, decide_face, face_of
from mcrock.kernel.friction.impacts import (
    AT_A_POINT,
    BOTH_ENDS,
    all_take_part,
    common_face,
    count_impact,
    edge_carries,
    edge_impact,
    facet_impact,
    landing_impact,
    old_corner,
)
from mcrock.kernel.friction.landing import (
    ROUNDING,
    UNSOLVED,
    corners_of,
    hold_down,
    keep_lowest,
    lever,
    rise_of,
)
from mcrock.kernel.friction.single import SLIPPING
from mcrock.kernel.friction.state import CHANGE as GAIN
from mcrock.kernel.friction.state import (
    CREEP,
    FRICTION,
    HELD,
    IMPACT_RESTITUTION,
    MAP,
    SLOW,
    STOOD,
    STOPS_IN,
    TANGENTIAL,
    free_body,
    load_twist,
    of_slips,
    settle,
    sticks,
    stopped_within,
    store_twist,
    to_contact,
    twist_energy,
)
from mcrock.kernel.friction.step import mode_rates
from mcrock.kernel.modes import (
    EDGE,
    EDGE_SLIP,
    EDGE_SLIP_FIRST,
    EDGE_SLIP_SECOND,
    FLIGHT,
    NONE,
    REST,
    SLIDE,
    SPIN,
    VERTEX,
    VERTEX_SLIP,
    comes_to_rest,
    contact_vertex,
    flatter_face,
    inertia_of,
    lay_sides,
    point_of,
)
from mcrock.kernel.record import see_slip
from mcrock.kernel.rotation import flattened, vertical
from mcrock.kernel.shaking import acceleration
from mcrock.kernel.watch import edge_impact_demand, impulse
from mcrock.params import Event
from mcrock.response import Response

SLIP, STICK, REVERSAL = np.int64(Event.SLIP), np.int64(Event.STICK), np.int64(Event.SLIP_REVERSAL)
CHATTER_TIME = 1e-6  # an end that lands this soon after its release was not released [s]
STILL = 10.0  # speed of a face that stands where SPIN ends, over that at which it ends [1]
LIFTOFF, LANDING = np.int64(Event.LIFTOFF), np.int64(Event.LANDING)


@jit(internal=True)
def touch_contacts(top, friction, mode, index):
    """The vertices on the ground in a mode into ``friction.touching``, and their number."""
    touching = friction.touching
    if mode == FLIGHT:
        return 0
    if mode in (VERTEX, VERTEX_SLIP):
        touching[0] = index
        return 1
    if mode in (REST, SLIDE, SPIN):
        return corners_of(top, friction, index)
    touching[0], touching[1] = top.edge_vertices[index, 0], top.edge_vertices[index, 1]
    return 2


@jit(internal=True)
def change_contacts(top, body, work, friction, result, t, sides):
    """Decide the contacts of the present mode anew: the new mode and its index, and the name of the event."""
    mode, index = work.mode[0], work.mode[1]
    if sticks(mode):
        free_body(top, body, work.state, mode, index)
    if mode == SPIN:
        friction.found[SLOW] = STILL * friction.found[CREEP]
    n = touch_contacts(top, friction, mode, index)
    if mode in (REST, SLIDE, SPIN):
        new, place = decide_face(top, body, work, friction, result, t, index, sides)
    else:
        new, place = decide(top, body, work, friction, result, t, n, sides)
    return new, place, _named(mode, index, new, place, friction.found[STOOD] != 0.0)


@jit(internal=True)
def _slips(mode):
    """Which contacts slip: bit 1 the first or only one, bit 2 the second end of an edge."""
    if mode == EDGE_SLIP:
        return 3
    if mode == EDGE_SLIP_SECOND:
        return 2
    if mode in (EDGE_SLIP_FIRST, VERTEX_SLIP, SLIDE, SPIN):
        return 1
    return 0


@jit(internal=True)
def _touches(mode):
    """How much of a body is on the ground: 0 nothing, 1 a vertex, 2 an edge, 3 a face."""
    if mode == FLIGHT:
        return 0
    if mode in (VERTEX, VERTEX_SLIP):
        return 1
    if mode in (REST, SLIDE, SPIN):
        return 3
    return 2


@jit(internal=True)
def _named(old, old_index, new, new_index, stood):
    """Name of the event that leads from one mode to another without impact."""
    if new < 0 or (old == new and old_index == new_index and sticks(new)):
        return NO_EVENT
    if new == FLIGHT:
        return LIFTOFF
    if _touches(new) < _touches(old):
        return UPLIFT if _touches(old) == 3 else EDGE_RELEASE
    before, after = _slips(old), _slips(new)
    if after & ~before:
        return SLIP
    if after == before:
        return REVERSAL if stood else NO_EVENT
    return STICK


@jit(internal=True)
def edge_sticks_through(top, body, work, friction, law, result, new, zeno_time, a):
    """Whether the edge impact of vertex ``new`` in VERTEX mode is that of contacts that stick.

    If not, it is done in ``friction.before``, with the velocities after it in ``friction.twist``.
    """
    old, state, copy = work.mode[1], work.state, friction.before
    _copy(state, copy)
    free_body(top, body, copy, VERTEX, old)
    kind = edge_impact(top, body, friction, copy, law, impacts_so_far(result), old, new, a, zeno_time)
    if kind == AT_A_POINT:
        lift = rise_of(friction.twist, lever(body, copy, old))
        up = vertical(state[Q0], state[Q1], state[Q2], state[Q3])
        before = state[W_X], state[W_Y], state[W_Z]
        store_twist(copy, friction.twist)
        if not sequence_ends(body, copy, before, up, old, new, lift, zeno_time, a[0], a[1], a[2]):
            return True
        both_ends(top, body, friction, copy, state, old, False)
        return edge_carries(body, friction, copy, new, old)
    return kind == BOTH_ENDS and edge_carries(body, friction, copy, new, old)


@jit(inline=True, internal=True)
def plainly_sticks(body, state, friction, law, result, old, new, zeno_time, a):
    """What `edge_sticks_through` finds for most impacts, at less cost: the impulse of contacts that stick is
    within the cone of friction."""
    if may_slip_in_impacts(friction, law):
        return False
    mass, inertia = body.scalars[MASS], inertia_of(body)
    p, q = point_of(body, new), point_of(body, old)
    w = state[W_X], state[W_Y], state[W_Z]
    up = vertical(state[Q0], state[Q1], state[Q2], state[Q3])
    lambda_, tau = edge_place(law, impacts_so_far(result), mass, inertia, q, p, up)
    after = edge_map(mass, inertia, q, p, w, up, lambda_, tau)
    normal, square, _ = impulse(q, p, w, after, up)
    if not impulse_sticks(friction, normal, square):
        return False
    if kinetic_energy(mass, inertia, p, after) > kinetic_energy(mass, inertia, q, w) * (1.0 + MOST_GAIN):
        return False
    lift = lift_speed(q, p, after, up)
    if lift > 0.0:
        state[W_X], state[W_Y], state[W_Z] = after
        ends = sequence_ends(body, state, w, up, old, new, lift, zeno_time, a[0], a[1], a[2])
        state[W_X], state[W_Y], state[W_Z] = w
        if not ends:
            return True
    after = plastic_edge(mass, inertia, q, p, w)
    return edge_impact_demand(mass, inertia, q, p, w, after, up) < friction.values[FRICTION] ** 2 * (
        1.0 - ROUNDING
    )


@jit(inline=True, internal=True)
def may_slip_in_impacts(friction, law):
    """Whether impacts are none of contacts that stick, whatever their impulse."""
    rebounds = friction.values[IMPACT_RESTITUTION] != 0.0 or friction.values[TANGENTIAL] != 0.0
    return rebounds or law.law in SLIPPING


@jit(inline=True, internal=True)
def impulse_sticks(friction, normal, square):
    """Whether an impulse, its normal part and the square of its horizontal part, is within the cone of
    friction."""
    return normal > 0.0 and square < friction.values[FRICTION] ** 2 * (1.0 - ROUNDING) * normal * normal


@jit(internal=True)
def both_ends(top, body, friction, copy, state, old, hold):
    """Do the impact of ``friction.touching`` [:2] again, as one of both ends without rebound.

    With ``hold`` neither rises after it: an end that the impact of both lifts lands again, and lifts the
    other, in a train of impacts that is over at once.
    """
    for i in range(3):
        copy[W_X + i], copy[V_X + i] = state[W_X + i], state[V_X + i]
    if old >= 0:
        free_body(top, body, copy, VERTEX, old)
    load_twist(copy, friction.twist)
    energy = twist_energy(body, copy, friction.twist, body.scalars[MASS])
    all_take_part(body, friction, copy, 2, 0.0, energy)
    if hold:
        hold_down(body, friction, copy)
    friction.found[GAIN] = twist_energy(body, copy, friction.twist, body.scalars[MASS]) - energy


@jit(internal=True)
def face_sticks_through(top, body, work, friction, law, result, f, edge, vertex, zeno_time, a):
    """Whether the facet impact of face ``f`` in EDGE or VERTEX mode is that of contacts that stick, as
    `edge_sticks_through`."""
    state, copy = work.state, friction.before
    _copy(state, copy)
    free_body(top, body, copy, work.mode[0], work.mode[1])
    load_twist(copy, friction.twist)
    old = old_corner(top, body, friction, copy, f, edge, vertex)
    number = impacts_so_far(result)
    return facet_impact(top, body, friction, copy, law, number, f, old, a, zeno_time) == AT_A_POINT


@jit(internal=True)
def impacts_so_far(result):
    """Number of the next edge or facet impact, by which its parameters are drawn."""
    return np.int64(result[Response.EDGE_IMPACTS] + result[Response.FACET_IMPACTS])


@jit(internal=True)
def _copy(state, copy):
    for i in range(state.size):
        copy[i] = state[i]


@jit(internal=True)
def after_impact(top, body, work, friction, result, settings, t, n, face, sides):
    """The mode and index after an impact that was done in ``friction.before``, of ``friction.touching`` [:n].

    ``face`` is the one that landed or NONE.
    """
    state, copy, twist = work.state, friction.before, friction.twist
    fastest = 0.0
    load_twist(copy, friction.speeds)
    for i in range(n):
        fastest = max(fastest, abs(rise_of(friction.speeds, lever(body, copy, friction.touching[i]))))
    new, old = friction.touching[0], friction.touching[1]
    edge = (face < 0 and n == 2 and not sticks(work.mode[0])) or (face < 0 and work.mode[0] == VERTEX)
    flew = work.mode[0] == FLIGHT
    _copy(copy, state)
    store_twist(state, twist)
    if friction.found[MAP] == UNSOLVED:
        count_impact(top, body, friction, result, face, flew)
        return UNDECIDED, NONE
    kept = keep_lowest(body, friction, state, n, fastest)
    # a sequence of edge impacts this short is over: so is the slip that friction would stop in a part of it
    friction.found[SLOW] = stopped_within(body, friction, STOPS_IN * settings.edge_zeno_time)
    mode, index = decide(top, body, work, friction, result, t, kept, sides)
    if edge and kept == 1 and not flew:
        load_twist(state, twist)
        lift = rise_of(twist, lever(body, state, old))
        if _hops(top, body, work, friction, t, mode, index, old, lift, settings.edge_zeno_time):
            friction.touching[0], friction.touching[1] = new, old
            both_ends(top, body, friction, copy, copy, NONE, True)
            _copy(copy, state)
            store_twist(state, twist)
            mode, index = decide(top, body, work, friction, result, t, 2, sides)
    count_impact(top, body, friction, result, face, flew)
    friction.found[SLOW] = 0.0
    return mode, index


@jit(internal=True)
def _hops(top, body, work, friction, t, mode, index, vertex, lift, short):
    """Whether a vertex that leaves the ground with a speed ``lift`` [m/s] is back within ``short`` [s]."""
    state = work.state
    a = acceleration(work.segment, t)
    if mode == VERTEX:
        sink = -vertex_lift(body, index, vertex, state, body.scalars[GRAVITY], a[0], a[1], a[2])
    elif mode == VERTEX_SLIP:
        k = friction.rates[0]
        _copy(state, friction.other)
        links, shape, forces = of_slips(top, body, friction)
        to_contact(links, shape, friction.other, mode, index)
        mode_rates(links, shape, forces, mode, index, friction.other, state, a, k)
        sink = -rise(body, state, mode, index, vertex, k)
    else:
        return False
    return sink > 0.0 and 2.0 * lift < short * sink


@jit(internal=True)
def settles(top, body, work, friction, result, settings, t, f, sides):
    """Whether the motion that is left on face ``f`` ends within the rest time; the slip of the base goes on.

    If it does the body lies flat, in the mode and with the index returned; else the mode is below 0.
    """
    state, other, trial = work.state, friction.other, work.trial
    mode, index = work.mode[0], work.mode[1]
    if not (_touches(mode) == 1 or _touches(mode) == 2) or f < 0:
        return NONE, NONE
    a = acceleration(work.segment, t)
    pivot = contact_vertex(top, mode, index)
    if sticks(mode):
        if comes_to_rest(top, body, state, trial, pivot, f, sides, settings, a[0], a[1], a[2]):
            free_body(top, body, state, mode, index)
            for i in range(3):
                state[V_X + i], state[W_X + i] = 0.0, 0.0
            return decide_face(top, body, work, friction, result, t, f, sides)
        return NONE, NONE
    _copy(state, other)
    up = vertical(state[Q0], state[Q1], state[Q2], state[Q3])
    spin = up[0] * state[W_X] + up[1] * state[W_Y] + up[2] * state[W_Z]
    for i in range(3):
        other[W_X + i] -= spin * up[i]
    vx, vy = slip_velocity(body, state, pivot)
    d = lever(body, state, pivot)
    fastest = 0.0  # of the corners: about one that sticks the face may spin
    for i in range(top.face_first[f], top.face_first[f + 1]):
        o = lever(body, state, top.face_vertices[i])
        fastest = max(fastest, hypot(vx - spin * (o[1] - d[1]), vy + spin * (o[0] - d[0])))
    speed = hypot(vx, vy)
    ax, ay = a[0], a[1]
    mu, down = friction.values[FRICTION], body.scalars[GRAVITY] + a[2]
    stops = fastest < mu * down * settings.rest_time
    if not stops and speed > 0.0:
        ax, ay = -mu * down * vx / speed, -mu * down * vy / speed
    if not comes_to_rest(top, body, other, trial, pivot, f, sides, settings, ax, ay, a[2]):
        return NONE, NONE
    if stops:
        vx, vy, spin = 0.0, 0.0, 0.0
    face = body.faces[f]
    state[V_X], state[V_Y], state[V_Z] = vx + spin * d[1], vy - spin * d[0], 0.0
    state[Q0], state[Q1], state[Q2], state[Q3] = flattened(state, face[F_UX], face[F_UY], face[F_UZ])
    state[W_X], state[W_Y], state[W_Z] = spin * face[F_UX], spin * face[F_UY], spin * face[F_UZ]
    state[Z] = face[F_HEIGHT]
    return decide_face(top, body, work, friction, result, t, f, sides)


@jit(internal=True)
def slip_landing(top, body, work, friction, result, law, settings, t, count, sides):
    """Impact of the vertices ``friction.touching`` [:count] that land in a mode with slip or from flight.

    Returns the mode and index after it, the name of the event and the face that lands, NONE if none does.
    """
    state, copy = work.state, friction.before
    mode, index = work.mode[0], work.mode[1]
    _copy(state, copy)
    number, a, short = impacts_so_far(result), acceleration(work.segment, t), settings.edge_zeno_time
    if mode == FLIGHT:
        landing_impact(top, body, friction, law, copy, count, a, short)
        f = face_of(top, friction, count) if count > 2 else NONE
        new, place = after_impact(top, body, work, friction, result, settings, t, count, NONE, sides)
        return new, place, LANDING, f
    landed = friction.touching[0]
    if mode == VERTEX_SLIP and count == 1:
        edge_impact(top, body, friction, copy, law, number, index, landed, a, short)
        new, place = after_impact(top, body, work, friction, result, settings, t, 2, NONE, sides)
        return new, place, EDGE_IMPACT, NONE
    load_twist(copy, friction.twist)
    if mode == VERTEX_SLIP:
        f = common_face(top, index, landed, friction.touching[1])
        edge = NONE
    else:
        edge = index
        f = common_face(top, top.edge_vertices[index, 0], top.edge_vertices[index, 1], landed)
    if f < 0:  # neighbours that belong to no common face: the first of them alone
        edge_impact(top, body, friction, copy, law, number, index, landed, a, short)
        new, place = after_impact(top, body, work, friction, result, settings, t, 2, NONE, sides)
        return new, place, EDGE_IMPACT, NONE
    old = old_corner(top, body, friction, copy, f, edge, index)
    facet_impact(top, body, friction, copy, law, number, f, old, a, short)
    n = corners_of(top, friction, f)
    new, place = after_impact(top, body, work, friction, result, settings, t, n, f, sides)
    return new, place, FACET_IMPACT, f


@jit(internal=True)
def opened_end(top, mode, index, pivot):
    """The end of an edge that left the ground when the body turned to the vertex ``pivot``."""
    if _touches(mode) != 2:
        return NONE
    first, second = top.edge_vertices[index, 0], top.edge_vertices[index, 1]
    return second if pivot == first else first


@jit(internal=True)
def hold_edge(top, body, work, friction, result, t, vertex, sides):
    """Undo the release of the end ``vertex`` of an edge that did not last; returns whether that is possible.

    A slow slip turns within microseconds, and with it the force that lifts an end: it would leave the ground
    by less than an atom's size, and again and again. Ends that friction stops within `CHATTER_TIME` stand.
    """
    mode, state, twist = work.mode, work.state, friction.twist
    old = mode[1]
    k = top.edge_of[old, vertex]
    if not (mode[0] == VERTEX or mode[0] == VERTEX_SLIP) or k < 0:
        return False
    if mode[0] == VERTEX:
        free_body(top, body, state, VERTEX, old)
    p, q = top.edge_vertices[k, 0], top.edge_vertices[k, 1]
    friction.touching[0], friction.touching[1] = p, q
    both_ends(top, body, friction, state, state, NONE, True)
    result[Response.IMPACT_ENERGY_LOSS] -= friction.found[GAIN] * body.scalars[MASS]
    store_twist(state, twist)
    slow = stopped_within(body, friction, CHATTER_TIME)
    vx, vy = slip_velocity(body, state, p)
    ux, uy = slip_velocity(body, state, q)
    first, second = hypot(vx, vy), hypot(ux, uy)
    friction.found[HELD] = 1.0
    if min(first, second) > slow:
        state[S0_X], state[S0_Y], state[S1_X], state[S1_Y] = vx / first, vy / first, ux / second, uy / second
        mode[0], mode[1] = EDGE_SLIP, k
        settle(top, body, state, EDGE_SLIP, k)
        return True
    friction.found[SLOW] = slow
    mode[0], mode[1] = decide(top, body, work, friction, result, t, 2, sides)
    friction.found[SLOW] = 0.0
    return True


@jit(internal=True)
def lands_off_base(body, friction, n):
    """Whether one of the vertices ``friction.touching`` [:n] that land is none of the base."""
    off = False
    for i in range(n):
        off = off or not body.standing[friction.touching[i]]
    return off


@jit(internal=True)
def lay_sides_of(top, body, state, mode, sides, n):
    """Renew the table of the sides of a face the body is flat on; their number, ``n`` in other modes."""
    if _touches(mode[0]) == 3:
        return lay_sides(top, body, state, mode[1], sides)
    return n


@jit(internal=True)
def settle_event(
    top, body, work, friction, result, law, settings, t, event, vertex, face, count, chatter, sides
):
    """What an event of a run with friction leads to, unless it is one of contacts that stick through it.

    Returns
    -------
    done : bool
        False if the kernel without friction has to deal with it.
    event : int
        Its name.
    change : float
        Of the energy in an impact [J].
    face : int
        That lands, or NONE.
    """
    mode, a = work.mode, acceleration(work.segment, t)
    friction.found[HELD] = 0.0
    if event == CHANGE:
        if sticks(mode[0]):
            see_slip(result, t)
        mode[0], mode[1], event = change_contacts(top, body, work, friction, result, t, sides)
        friction.found[SLOW] = 0.0
        return True, event, 0.0, NONE
    held = event == LANDS and chatter and count == 1
    if held and hold_edge(top, body, work, friction, result, t, vertex, sides):
        return True, NO_EVENT, 0.0, NONE
    if event == LANDS:
        mode[0], mode[1], event, face = slip_landing(
            top, body, work, friction, result, law, settings, t, count, sides
        )
    elif event == EDGE_IMPACT:
        if edge_sticks_through(top, body, work, friction, law, result, vertex, settings.edge_zeno_time, a):
            return False, event, 0.0, face
        see_slip(result, t)
        if chatter and hold_edge(top, body, work, friction, result, t, vertex, sides):
            return True, NO_EVENT, 0.0, NONE
        face = NONE
        mode[0], mode[1] = after_impact(top, body, work, friction, result, settings, t, 2, face, sides)
    else:
        edge = mode[1] if mode[0] == EDGE else NONE
        zeno_time = settings.edge_zeno_time
        if face_sticks_through(top, body, work, friction, law, result, face, edge, mode[1], zeno_time, a):
            return False, event, 0.0, face
        see_slip(result, t)
        n = corners_of(top, friction, face)
        mode[0], mode[1] = after_impact(top, body, work, friction, result, settings, t, n, face, sides)
    return True, event, friction.found[GAIN] * body.scalars[MASS], face


@jit(internal=True)
def face_to_settle(top, body, state, mode, index, landed):
    """The face on which a body may come to rest after an impact."""
    if landed >= 0:
        return landed
    if _touches(mode) == 2:
        return flatter_face(top, body, state, index)
    if _touches(mode) == 1:
        return flattest_face(top, body, state, index)
    return NONE


@jit(internal=True)
def flattest_face(top, body, state, vertex):
    """The face at a vertex that is closest to lying flat."""
    ux, uy, uz = vertical(state[Q0], state[Q1], state[Q2], state[Q3])
    best, flattest = NONE, -2.0
    for f in range(top.face_first.size - 1):
        for i in range(top.face_first[f], top.face_first[f + 1]):
            if top.face_vertices[i] == vertex:
                face = body.faces[f]
                level = ux * face[F_UX] + uy * face[F_UY] + uz * face[F_UZ]
                if level > flattest:
                    best, flattest = f, level
    return best
