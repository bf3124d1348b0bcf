"""Where friction enters the driver: the start of a run, the time between steps, a step, and after an event.

Rest asks when a slip begins; edge, vertex, windows and trains compare the forces of contacts that stick with
Coulomb's bound. Impacts and contacts that stick throughout are left to the kernel without friction, so that
such a run has its bits. A body may tip from a face while friction cannot hold the edge or vertex under it.
"""

from __future__ import annotations

from math import hypot

from mcrock.base.jit import jit
from mcrock.base.params import Response
from mcrock.kernel import codes, results
from mcrock.kernel.dynamics import (
    NONE,
    attitude,
    contact_vertex,
    copy_state,
    edge_between,
    lay_flat,
    on_rim,
    orientation,
    vertex_lift,
)
from mcrock.kernel.edge import flatter_face
from mcrock.kernel.ending import note, see_displacement
from mcrock.kernel.friction.decide import UNDECIDED, decide, decide_face, face_of, jam, tip_over
from mcrock.kernel.friction.impacts import (
    UNSOLVED,
    both_ends,
    common_face,
    corner_on_rim,
    corners_of,
    count_impact,
    edge_impact,
    edge_sticks_through,
    face_sticks_through,
    facet_impact,
    keep_lowest,
    landing_impact,
    lever,
    old_corner,
    plainly_sticks,
    rise_of,
)
from mcrock.kernel.friction.motion import (
    CREEPS_IN,
    STOPPED,
    STOPS_IN,
    clear_friction,
    free_body,
    load_twist,
    settle,
    sticks,
    stopped_within,
    store_twist,
    to_contact,
)
from mcrock.kernel.friction.step import advance_slip, mode_rates, rise, slip_velocity
from mcrock.kernel.rest import LEAST_TILT, comes_to_rest, lay_sides
from mcrock.kernel.results import see_slip
from mcrock.kernel.rolling import FLAT, draw_rim, falls_back, rolls_out
from mcrock.kernel.rotation import norm, vertical
from mcrock.kernel.shaking import acceleration
from mcrock.kernel.step import HOLD_TIME, SLIP_SLACK, TOUCH, height_and_rate


@jit(internal=True)
def still_flat(run):
    """The face on which a body on an edge or a vertex lies that has just begun to tip, or NONE."""
    body, state, mode, index = run.body, run.state, run.mode, run.place
    if mode not in (codes.EDGE, codes.VERTEX, codes.ROLL):
        return NONE
    f = flatter_face(body, state, index) if mode == codes.EDGE else flattest_face(body, state, index)
    pivot, turned = contact_vertex(body, mode, index), attitude(state)
    for i in range(body.face_first[f], body.face_first[f + 1]):
        height, rate = height_and_rate(body, turned, pivot, body.face_vertices[i])
        if abs(height) > TOUCH * body.radius or abs(rate) > STOPPED:
            return NONE
    return f


@jit(internal=True)
def pushes_down(run, mode, index, f):
    """Whether a body that is flat on face ``f`` would push a corner of it into the ground in a mode with
    slip."""
    body, state = run.body, run.state
    if mode < 0 or sticks(mode) or mode == codes.FLIGHT or mode in (codes.SLIDE, codes.SPIN):
        return False
    k = run.friction.rates[0]
    copy_state(state, run.friction.other)
    to_contact(body, run.friction.other, mode, index)
    mode_rates(run, mode, index, run.friction.other, state, acceleration(run.segment, run.t), k)
    pivot, lowest = contact_vertex(body, mode, index), 0.0
    for i in range(body.face_first[f], body.face_first[f + 1]):
        lowest = min(lowest, rise(body, state, mode, pivot, body.face_vertices[i], k))
    return lowest < -SLIP_SLACK * body.gravity


@jit(internal=True)
def flattest_face(body, state, vertex):
    """The face at a vertex that is closest to lying flat, or that of a rim."""
    if body.rim > 0.0:
        return body.start
    ux, uy, uz = vertical(orientation(state))
    best, flattest = NONE, -2.0
    for f in range(body.n_face):
        for i in range(body.face_first[f], body.face_first[f + 1]):
            if body.face_vertices[i] == vertex:
                face = body.faces[f]
                level = ux * face.up_x + uy * face.up_y + uz * face.up_z
                if level > flattest:
                    best, flattest = f, level
    return best


CHATTER_TIME = 1e-6  # an end that lands this soon after its release was not released [s]
STANDS = 10.0  # speed of a face that stands where SPIN ends, over that at which it ends [1]


@jit(internal=True)
def touch_contacts(body, friction, mode, index):
    """The vertices on the ground in a mode into ``friction.touching``, and their number."""
    touching = friction.touching
    if mode == codes.FLIGHT:
        return 0
    if mode in (codes.VERTEX, codes.VERTEX_SLIP, codes.ROLL):
        touching[0] = contact_vertex(body, mode, index)
        return 1
    if mode in (codes.REST, codes.SLIDE, codes.SPIN):
        return corners_of(body, friction, index)
    touching[0], touching[1] = body.edge_vertices[index, 0], body.edge_vertices[index, 1]
    return 2


@jit(internal=True)
def change_contacts(run, jams):
    """Decide the contacts of the present mode anew: the mode after it, its index, and the name of the event.

    With ``jams`` friction leaves the contacts that slip no force.
    """
    body, friction = run.body, run.friction
    mode, index = run.mode, run.place
    flat = NONE
    if sticks(mode):
        free_body(body, run.state, mode, index)
        flat = still_flat(run)
        copy_state(run.state, friction.before)
    if mode == codes.SPIN:
        friction.found.slow = STANDS * friction.found.creep
    n = touch_contacts(body, friction, mode, index)
    if mode in (codes.REST, codes.SLIDE, codes.SPIN):
        after, place = decide_face(run, index)
    else:
        if jams:
            n = max(jam(run, n), 0)
        after, place = decide(run, n)
        if flat >= 0 and pushes_down(run, after, place, flat):
            # about the edge or vertex over which it would tip if that stuck: others of the face carry it
            copy_state(friction.before, run.state)
            after, place = tip_over(run, flat, 0.0)
            if after < 0:
                copy_state(friction.before, run.state)
                after, place = decide_face(run, flat)
    return after, place, _named(mode, index, after, place, friction.found.stood != 0.0)


@jit(internal=True)
def _slips(mode):
    """Which contacts slip: bit 1 the first or only one, bit 2 the second end of an edge."""
    if mode == codes.EDGE_SLIP:
        return 3
    if mode == codes.EDGE_SLIP_SECOND:
        return 2
    if mode in (codes.EDGE_SLIP_FIRST, codes.VERTEX_SLIP, codes.SLIDE, codes.SPIN):
        return 1
    return 0


@jit(internal=True)
def _touches(mode):
    """How much of a body is on the ground: 0 nothing, 1 a vertex, 2 an edge, 3 a face."""
    if mode == codes.FLIGHT:
        return 0
    if mode in (codes.VERTEX, codes.VERTEX_SLIP, codes.ROLL):
        return 1
    if mode in (codes.REST, codes.SLIDE, codes.SPIN):
        return 3
    return 2


@jit(internal=True)
def _named(before, place_before, after, place, stood):
    """Name of the event that leads from one mode to another without impact."""
    if after < 0 or (before == after and place_before == place and sticks(after)):
        return codes.NO_EVENT
    if after == codes.FLIGHT:
        return codes.LIFTOFF
    if _touches(after) < _touches(before):
        return codes.UPLIFT if _touches(before) == 3 else codes.EDGE_RELEASE
    slipped, slips = _slips(before), _slips(after)
    if slips & ~slipped:
        return codes.SLIP
    if slips == slipped:
        return codes.REVERSAL if stood else codes.NO_EVENT
    return codes.STICK


@jit(internal=True)
def after_impact(run, n, face):
    """The mode and index after an impact that was done in ``friction.before``, of ``friction.touching`` [:n].

    ``face`` is the one that landed or NONE.
    """
    body, friction, settings = run.body, run.friction, run.settings
    state, copy, twist = run.state, friction.before, friction.twist
    fastest = 0.0
    load_twist(copy, friction.speeds)
    for i in range(n):
        fastest = max(fastest, abs(rise_of(friction.speeds, lever(body, copy, friction.touching[i]))))
    new, old = friction.touching[0], friction.touching[1]
    edge = (face < 0 and n == 2 and not sticks(run.mode)) or (face < 0 and run.mode == codes.VERTEX)
    flew = run.mode == codes.FLIGHT
    copy_state(copy, state)
    store_twist(state, twist)
    if friction.found.map == UNSOLVED:
        count_impact(run, face, flew)
        return UNDECIDED, NONE
    kept = keep_lowest(body, friction, state, n, fastest)
    # a sequence of edge impacts this short is over: so is the slip that friction would stop in a part of it
    friction.found.slow = stopped_within(body, friction, STOPS_IN * settings.edge_zeno_time)
    mode, index = decide(run, kept)
    if edge and kept == 1 and not flew:
        load_twist(state, twist)
        lift = rise_of(twist, lever(body, state, old))
        if _hops(run, mode, index, old, lift):
            friction.touching[0], friction.touching[1] = new, old
            both_ends(run, copy, copy, NONE, True)
            copy_state(copy, state)
            store_twist(state, twist)
            mode, index = decide(run, 2)
    count_impact(run, face, flew)
    friction.found.slow = 0.0
    return mode, index


@jit(internal=True)
def _hops(run, mode, index, vertex, lift):
    """Whether a vertex that leaves the ground with a speed ``lift`` [m/s] is back within ``short`` [s]."""
    body, friction, t, short = run.body, run.friction, run.t, run.settings.edge_zeno_time
    state = run.state
    a = acceleration(run.segment, t)
    if mode == codes.VERTEX:
        sink = -vertex_lift(body, index, vertex, state, a)
    elif mode == codes.VERTEX_SLIP:
        k = friction.rates[0]
        copy_state(state, friction.other)
        to_contact(body, friction.other, mode, index)
        mode_rates(run, mode, index, friction.other, state, a, k)
        sink = -rise(body, state, mode, index, vertex, k)
    else:
        return False
    return sink > 0.0 and 2.0 * lift < short * sink


@jit(internal=True)
def settles(run, f, ends):
    """Whether the motion that is left on face ``f`` ``ends``, or does so within the rest time; the slip of
    the base goes on.

    If it does the body lies flat, in the mode and with the index returned; else the mode is below 0.
    """
    body, friction, settings, t = run.body, run.friction, run.settings, run.t
    state, other = run.state, friction.other
    mode, index = run.mode, run.place
    if not (_touches(mode) == 1 or _touches(mode) == 2) or f < 0:
        return NONE, NONE
    a = acceleration(run.segment, t)
    pivot = contact_vertex(body, mode, index)
    if sticks(mode):
        if ends or _ends(run, state, pivot, f, a):
            free_body(body, state, mode, index)
            state.v_x = state.v_y = state.v_z = state.w_x = state.w_y = state.w_z = 0.0
            return decide_face(run, f)
        return NONE, NONE
    copy_state(state, other)
    up = vertical(orientation(state))
    spin = up[0] * state.w_x + up[1] * state.w_y + up[2] * state.w_z
    other.w_x -= spin * up[0]
    other.w_y -= spin * up[1]
    other.w_z -= spin * up[2]
    vx, vy = slip_velocity(body, state, pivot)
    d = lever(body, state, pivot)
    fastest = 0.0  # of the corners: about one that sticks the face may spin
    for i in range(body.face_first[f], body.face_first[f + 1]):
        o = lever(body, state, body.face_vertices[i])
        fastest = max(fastest, hypot(vx - spin * (o[1] - d[1]), vy + spin * (o[0] - d[0])))
    speed = hypot(vx, vy)
    ax, ay = a[0], a[1]
    mu, down = friction.mu, body.gravity + a[2]
    stops = fastest < mu * down * settings.rest_time
    if not stops and speed > 0.0:
        ax, ay = -mu * down * vx / speed, -mu * down * vy / speed
    if not (ends or _ends(run, other, pivot, f, (ax, ay, a[2]))):
        return NONE, NONE
    if stops:
        vx, vy, spin = 0.0, 0.0, 0.0
    face = body.faces[f]
    if mu == 0.0:  # the slip of the base is that of its rocking: the centre of mass keeps its velocity
        vx, vy = state.v_x - spin * d[1], state.v_y + spin * d[0]
    state.v_x, state.v_y, state.v_z = vx + spin * d[1], vy - spin * d[0], 0.0
    lay_flat(face, state, state)
    state.w_x, state.w_y, state.w_z = spin * face.up_x, spin * face.up_y, spin * face.up_z
    state.z = face.height
    return decide_face(run, f)


@jit(internal=True)
def _ends(run, state, pivot, f, a):
    """`comes_to_rest`, or that of a body on a rim, under the ground acceleration ``a``."""
    if pivot == run.body.n_vertex:
        return rolls_out(run, state, a)
    return comes_to_rest(run, state, pivot, f, a[0], a[1], a[2])


@jit(internal=True)
def slip_landing(run, quantiles, count):
    """Impact of the vertices ``friction.touching`` [:count] that land in a mode with slip or from flight.

    Returns the mode and index after it, the name of the event and the face that lands, NONE if none does.
    """
    body, friction = run.body, run.friction
    state, copy = run.state, friction.before
    mode, index = run.mode, run.place
    copy_state(state, copy)
    if mode == codes.FLIGHT:
        if body.rim > 0.0 and count == 1 and landed_flat(run):
            count = corners_of(body, friction, body.start)
        landing_impact(run, copy, count)
        f = face_of(body, friction, count) if count > 2 else NONE
        after, place = after_impact(run, count, NONE)
        return after, place, codes.LANDING, f
    landed = friction.touching[0]
    if count == 0:  # the base of a rim, at its clearance
        f, corner = body.start, corner_on_rim(body, copy)
        load_twist(copy, friction.twist)
        facet_impact(run, quantiles, copy, f, old_corner(body, friction, copy, f, NONE, corner))
        after, place = after_impact(run, corners_of(body, friction, f), f)
        return after, place, codes.FACET_IMPACT, f
    if mode == codes.VERTEX_SLIP and count == 1:
        edge_impact(run, quantiles, copy, index, landed)
        after, place = after_impact(run, 2, NONE)
        return after, place, codes.EDGE_IMPACT, NONE
    load_twist(copy, friction.twist)
    if mode == codes.VERTEX_SLIP:
        f = common_face(body, index, landed, friction.touching[1])
        edge = NONE
    else:
        edge = index
        f = common_face(body, body.edge_vertices[index, 0], body.edge_vertices[index, 1], landed)
    if f < 0:  # neighbours that belong to no common face: the first of them alone
        edge_impact(run, quantiles, copy, index, landed)
        after, place = after_impact(run, 2, NONE)
        return after, place, codes.EDGE_IMPACT, NONE
    old = old_corner(body, friction, copy, f, edge, index)
    facet_impact(run, quantiles, copy, f, old)
    n = corners_of(body, friction, f)
    after, place = after_impact(run, n, f)
    return after, place, codes.FACET_IMPACT, f


@jit(internal=True)
def landed_flat(run):
    """Whether the point of a rim that lands from flight does so with all of its circle."""
    up = vertical(orientation(run.state))
    flat = norm(up[0], up[1]) <= max(LEAST_TILT, run.clearance)
    return flat and run.friction.touching[0] == run.body.n_vertex


@jit(internal=True)
def opened_end(body, mode, index, pivot):
    """The end of an edge that left the ground when the body turned to the vertex ``pivot``."""
    if _touches(mode) != 2:
        return NONE
    first, second = body.edge_vertices[index, 0], body.edge_vertices[index, 1]
    return second if pivot == first else first


@jit(internal=True)
def hold_edge(run, vertex):
    """Undo the release of the end ``vertex`` of an edge that did not last; returns whether that is possible.

    A slow slip turns within microseconds, and with it the force that lifts an end: it would leave the ground
    by less than an atom's size, and again and again. Ends that friction stops within `CHATTER_TIME` stand.
    """
    body, friction, result = run.body, run.friction, run.result
    state, twist = run.state, friction.twist
    old = run.place
    k = edge_between(body, old, vertex)
    if not (run.mode == codes.VERTEX or run.mode == codes.VERTEX_SLIP) or k < 0:
        return False
    if run.mode == codes.VERTEX:
        free_body(body, state, codes.VERTEX, old)
    p, q = body.edge_vertices[k, 0], body.edge_vertices[k, 1]
    friction.touching[0], friction.touching[1] = p, q
    both_ends(run, state, state, NONE, True)
    result[Response.IMPACT_ENERGY_LOSS] -= friction.found.gained * body.mass
    store_twist(state, twist)
    slow = stopped_within(body, friction, CHATTER_TIME)
    vx, vy = slip_velocity(body, state, p)
    ux, uy = slip_velocity(body, state, q)
    first, second = hypot(vx, vy), hypot(ux, uy)
    friction.found.held = 1.0
    if min(first, second) > slow:
        state.s0_x, state.s0_y, state.s1_x, state.s1_y = vx / first, vy / first, ux / second, uy / second
        run.mode, run.place = codes.EDGE_SLIP, k
        settle(body, state, codes.EDGE_SLIP, k)
        return True
    friction.found.slow = slow
    run.mode, run.place = decide(run, 2)
    friction.found.slow = 0.0
    return True


@jit(internal=True)
def lands_off_base(body, friction, n):
    """Whether one of the vertices ``friction.touching`` [:n] that land is none of the base."""
    off = False
    for i in range(n):
        off = off or not body.standing[friction.touching[i]]
    return off


@jit(internal=True)
def lay_sides_of(run):
    """Renew the table of the sides of a face the body is flat on."""
    if _touches(run.mode) == 3:
        run.corners = lay_sides(run.body, run.state, run.place, run.sides)


@jit(internal=True)
def settle_event(run, quantiles, event, vertex, face, count, chatter):
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
    body, friction, result, t = run.body, run.friction, run.result, run.t
    friction.found.held = 0.0
    if event in (codes.SLIP, codes.PARADOX):
        if sticks(run.mode):
            see_slip(result, t)
        run.mode, run.place, event = change_contacts(run, event == codes.PARADOX)
        friction.found.slow = 0.0
        return True, event, 0.0, NONE
    held = event == codes.LANDING and chatter and count == 1
    if held and hold_edge(run, vertex):
        return True, codes.NO_EVENT, 0.0, NONE
    if event == codes.LANDING:
        run.mode, run.place, event, face = slip_landing(run, quantiles, count)
    elif event == codes.EDGE_IMPACT:
        if edge_sticks_through(run, quantiles, vertex):
            return False, event, 0.0, face
        see_slip(result, t)
        if chatter and hold_edge(run, vertex):
            return True, codes.NO_EVENT, 0.0, NONE
        face = NONE
        run.mode, run.place = after_impact(run, 2, face)
    else:
        if face_sticks_through(run, quantiles, face):
            return False, event, 0.0, face
        see_slip(result, t)
        n = corners_of(body, friction, face)
        run.mode, run.place = after_impact(run, n, face)
    return True, event, friction.found.gained * body.mass, face


@jit(internal=True)
def face_to_settle(body, state, mode, index, landed):
    """The face on which a body may come to rest after an impact."""
    if landed >= 0:
        return landed
    if _touches(mode) == 2:
        return flatter_face(body, state, index)
    if _touches(mode) == 1:
        return flattest_face(body, state, index)
    return NONE


HOLD_EVENTS = 20  # events at one instant before the ends of an edge are held
BEND, MOST_BEND = 10.0, 0.3  # turn of a slip in a step, over the step of `Controls` and at most [rad]


@jit(internal=True)
def begin_friction(run):
    """What slip and flight need in addition; a body that starts with a slip decides which contacts slip."""
    friction, result = run.friction, run.result
    run.grip, run.bend = friction.static**2, min(BEND * run.settings.step, MOST_BEND)
    clear_friction(run.body, friction)
    friction.found.creep = stopped_within(run.body, friction, CREEPS_IN * run.settings.edge_zeno_time)
    if not sticks(run.mode) and run.mode != codes.FLIGHT:
        run.mode, run.place, _ = change_contacts(run, False)
        lay_sides_of(run)
        results.see_slip(result, run.t)
    if run.mode == codes.FLIGHT:
        result[Response.FLIGHTS] = 1.0


@jit(internal=True)
def see_passage(run):
    """Times, flights and displacements of a run with friction since the step before."""
    result, state, mode = run.result, run.state, run.mode
    results.spend(result, run.last_mode, run.t - run.since)
    if run.event == codes.UPLIFT:  # from rest: nothing has moved
        run.since, run.last_mode = run.t, mode
        return
    turned = mode != codes.EDGE or run.place != run.last_place or state.rate * run.swing <= 0.0
    if turned and (mode != run.last_mode or run.t != run.since):
        # on an edge the base moves along a line: it is farthest at its ends
        see_displacement(run)
    run.swing, run.last_place = state.rate, run.place
    if run.last_mode == codes.FLIGHT:
        result[Response.LONGEST_FLIGHT] = max(result[Response.LONGEST_FLIGHT], run.t - run.took_off)
    if mode == codes.FLIGHT and (run.last_mode != codes.FLIGHT or run.bounced):
        result[Response.FLIGHTS] += 1.0
        run.took_off = run.t
    run.since, run.last_mode, run.bounced = run.t, mode, 0


@jit(internal=True)
def step_slip(run, quantiles, h):
    """A step of a mode with slip or of flight."""
    if on_rim(run.body, run.mode, run.place):
        if not run.known:
            draw_rim(run, quantiles)
        before, index = run.mode, run.place
        copy_state(run.state, run.friction.before)
        mode, place = settles(run, run.body.start, falls_back(run, FLAT))
        if mode in (codes.REST, codes.SLIDE, codes.SPIN):
            run.mode, run.place, run.event, run.to_end = mode, place, codes.REST_EVENT, False
            lay_sides_of(run)
            return 0.0
        copy_state(run.friction.before, run.state)
        run.mode, run.place = before, index
    whole, to_end = h, h == run.segment.end - run.t
    run.friction.found.held = 1.0 if run.t < run.held_until else 0.0
    if run.t < run.held_until:
        h = min(h, run.held_until - run.t)
    h, run.event, run.count = advance_slip(run, h)
    run.vertex, run.face, run.to_end = run.friction.touching[0], NONE, to_end and h == whole
    return h


@jit(internal=True)
def takes_over(run, quantiles, trace):
    """Let an event change the contacts by the laws of friction; False where they stick through it, which is
    left to the kernel without friction."""
    if run.event == codes.EDGE_IMPACT and plainly_sticks(run, quantiles, run.vertex):
        return False
    chatter = run.vertex == run.released_end and run.t - run.release_time < CHATTER_TIME
    before, place = run.mode, run.place
    done, event, run.change, face = settle_event(
        run, quantiles, run.event, run.vertex, run.face, run.count, chatter
    )
    if not done:
        return False
    run.event = codes.NO_EVENT
    if run.mode < 0:
        run.outcome = codes.PAINLEVE
        return True
    if event == codes.EDGE_RELEASE:
        run.released_end, run.release_time = opened_end(run.body, before, place, run.place), run.t
        run.slipped = before != codes.EDGE
    elif run.place != place or run.mode not in (codes.VERTEX, codes.VERTEX_SLIP):
        run.released_end = NONE
    run.bounced = event == codes.LANDING and run.mode == codes.FLIGHT
    held = run.friction.found.held != 0.0 or run.at_instant > HOLD_EVENTS
    run.held_until = run.t + HOLD_TIME if held else -1.0
    lay_sides_of(run)
    note(run, trace, event, run.change, face)
    if event in (codes.EDGE_IMPACT, codes.FACET_IMPACT, codes.LANDING):
        rest_face = face_to_settle(run.body, run.state, run.mode, run.place, face)
        mode, place = settles(run, rest_face, False)
        if mode >= 0:
            run.mode, run.place = mode, place
            lay_sides_of(run)
            note(run, trace, codes.REST_EVENT, 0.0, NONE)
    return True
