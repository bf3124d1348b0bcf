"""Whether contacts stick through an impact, which then is that of the kernel without friction."""

from __future__ import annotations

from mcrock.base.jit import jit
from mcrock.impact.dispatch import edge_place
from mcrock.impact.varkonyi_2022 import GAIN as MOST_GAIN
from mcrock.impact.varkonyi_2022 import edge_map, kinetic_energy, lift_speed, plastic_edge
from mcrock.kernel.contact import MASS
from mcrock.kernel.dynamics import Q0, Q1, Q2, Q3, V_X, W_X, W_Y, W_Z
from mcrock.kernel.edge_landing import sequence_ends
from mcrock.kernel.friction.impacts import (
    AT_A_POINT,
    BOTH_ENDS,
    all_take_part,
    edge_carries,
    edge_impact,
    facet_impact,
    old_corner,
)
from mcrock.kernel.friction.landing import ROUNDING, hold_down, lever, rise_of
from mcrock.kernel.friction.single import SLIPPING
from mcrock.kernel.friction.state import (
    FRICTION,
    GAINED,
    IMPACT_RESTITUTION,
    TANGENTIAL,
    free_body,
    load_twist,
    store_twist,
    twist_energy,
)
from mcrock.kernel.modes import EDGE, NONE, VERTEX, inertia_of, point_of
from mcrock.kernel.results import impacts_so_far
from mcrock.kernel.rotation import vertical
from mcrock.kernel.watch import edge_impact_demand, impulse


@jit(internal=True)
def edge_sticks_through(run, quantiles, new):
    """Whether the edge impact of vertex ``new`` in VERTEX mode is that of contacts that stick.

    If not, it is done in ``friction.before``, with the velocities after it in ``friction.twist``.
    """
    body, friction = run.body, run.friction
    old, state, copy = run.place, run.state, friction.before
    copy_state(state, copy)
    free_body(body, copy, VERTEX, old)
    kind = edge_impact(run, quantiles, copy, old, new)
    if kind == AT_A_POINT:
        lift = rise_of(friction.twist, lever(body, copy, old))
        up = vertical(state[Q0], state[Q1], state[Q2], state[Q3])
        before = state[W_X], state[W_Y], state[W_Z]
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
    mass, inertia = body.scalars[MASS], inertia_of(body)
    p, q = point_of(body, new), point_of(body, old)
    w = state[W_X], state[W_Y], state[W_Z]
    up = vertical(state[Q0], state[Q1], state[Q2], state[Q3])
    lambda_, tau = edge_place(law, quantiles, impacts_so_far(result), mass, inertia, (q, p), up, w)
    after = edge_map(mass, inertia, q, p, w, up, lambda_, tau)
    normal, square, _ = impulse(q, p, w, after, up)
    if not impulse_sticks(friction, normal, square):
        return False
    if kinetic_energy(mass, inertia, p, after) > kinetic_energy(mass, inertia, q, w) * (1.0 + MOST_GAIN):
        return False
    lift = lift_speed(q, p, after, up)
    if lift > 0.0:
        state[W_X], state[W_Y], state[W_Z] = after
        ends = sequence_ends(run, state, w, up, old, new, lift)
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
def both_ends(run, copy, state, old, held):
    """Do the impact of ``friction.touching`` [:2] again, as one of both ends without rebound.

    With ``held`` neither rises after it: an end that the impact of both lifts lands again, and lifts the
    other, in a train of impacts that is over at once.
    """
    body, friction = run.body, run.friction
    for i in range(3):
        copy[W_X + i], copy[V_X + i] = state[W_X + i], state[V_X + i]
    if old >= 0:
        free_body(body, copy, VERTEX, old)
    load_twist(copy, friction.twist)
    energy = twist_energy(body, copy, friction.twist, body.scalars[MASS])
    all_take_part(body, friction, copy, 2, 0.0, energy)
    if held:
        hold_down(body, friction, copy)
    friction.found[GAINED] = twist_energy(body, copy, friction.twist, body.scalars[MASS]) - energy


@jit(internal=True)
def face_sticks_through(run, quantiles, f):
    """Whether the facet impact of face ``f`` in EDGE or VERTEX mode is that of contacts that stick, as
    `edge_sticks_through`."""
    body, friction, vertex = run.body, run.friction, run.place
    edge = run.place if run.mode == EDGE else NONE
    state, copy = run.state, friction.before
    copy_state(state, copy)
    free_body(body, copy, run.mode, run.place)
    load_twist(copy, friction.twist)
    old = old_corner(body, friction, copy, f, edge, vertex)
    return facet_impact(run, quantiles, copy, f, old) == AT_A_POINT


@jit(internal=True)
def copy_state(state, copy):
    for i in range(state.size):
        copy[i] = state[i]
