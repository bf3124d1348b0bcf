"""Edge impacts: a vertex lands while the body turns about its neighbour, and the angular velocity jumps.

The state changes in place. What strains the model is counted in the results.
"""

from __future__ import annotations

import numpy as np

from mcrock.base.jit import jit
from mcrock.base.response import Response
from mcrock.impact.dispatch import PROJECT, edge_place
from mcrock.impact.varkonyi_2022 import GAIN, edge_map, kinetic_energy, lift_speed, plastic_edge, project_edge
from mcrock.kernel.contact import BARRIER, MASS
from mcrock.kernel.dynamics import Q0, Q1, Q2, Q3, W_X, W_Y, W_Z, vertex_lift
from mcrock.kernel.edge import enter_edge
from mcrock.kernel.modes import VERTEX, edge_between, inertia_of, move_pivot, point_of
from mcrock.kernel.results import see_impact
from mcrock.kernel.rotation import vertical
from mcrock.kernel.shaking import acceleration
from mcrock.kernel.watch import edge_impact_demand, impulse, point_demand


@jit(inline=True)
def land_edge(run, quantiles, old, new):
    """Vertex ``new`` lands while the body turns about ``old``, which lifts if it can.

    Returns the new mode, its index (of edge or vertex) and the change of energy [J].
    """
    body, state, result = run.body, run.state, run.result
    mass, inertia = body.scalars[MASS], inertia_of(body)
    a, b = point_of(body, new), point_of(body, old)
    w = state[W_X], state[W_Y], state[W_Z]
    up = vertical(state[Q0], state[Q1], state[Q2], state[Q3])
    before = kinetic_energy(mass, inertia, b, w)
    after, energy, plain = drawn_impact(run, quantiles, b, a, w, up, before)
    lift = lift_speed(b, a, after, up)
    state[W_X], state[W_Y], state[W_Z] = after
    if lift > 0.0 and not sequence_ends(run, state, w, up, old, new, lift):
        move_pivot(body, state, old, new)
        normal, square, _ = impulse(b, a, w, after, up)
        see_lifting_impact(result, normal, square, before - energy, plain)
        return VERTEX, new, energy - before
    result[Response.EDGE_IMPACTS] += 1.0
    after = plastic_edge(mass, inertia, b, a, w)
    energy = kinetic_energy(mass, inertia, a, after)
    result[Response.IMPACT_ENERGY_LOSS] += before - energy
    if not lift > 0.0:
        result[Response.INFEASIBLE_EDGE_IMPACTS] += 1.0
        result[Response.INFEASIBLE_ENERGY_LOSS] += (before - energy) / body.scalars[BARRIER]
    state[W_X], state[W_Y], state[W_Z] = after
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
    mass = run.body.scalars[MASS]
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
