"""Impulses without a collision, where friction leaves no contact force (Painlevé's paradox)."""

from __future__ import annotations

from math import hypot

from mcrock.base.jit import jit
from mcrock.base.response import Response
from mcrock.kernel.contact import GRAVITY, MASS
from mcrock.kernel.dynamics import Q0, Q1, Q2, Q3
from mcrock.kernel.friction.contact_table import B_X, B_Y, B_Z, GIVEN, P_Z
from mcrock.kernel.friction.coulomb import DONE, solve_contacts
from mcrock.kernel.friction.forces import free_rates, place_forces
from mcrock.kernel.friction.mobility import ground_compliance
from mcrock.kernel.friction.onset import level_velocity
from mcrock.kernel.friction.state import (
    FRICTION,
    KICK,
    SLOW,
    count_solves,
    load_twist,
    store_twist,
    twist_energy,
)
from mcrock.kernel.rotation import matrix
from mcrock.kernel.shaking import acceleration

STOPS = 4.0  # time of a jam, over that in which friction stops what is taken as no slip [1]


@jit(internal=True)
def jam(run, n):
    """An impulse without a collision at the contacts ``friction.touching`` [:n], which friction leaves no
    single force.

    Forces that grow beyond all bounds stop a slip at once (Lecornu, L. (1905), Comptes rendus 140, 635-637;
    Genot, F., Brogliato, B. (1999), European Journal of Mechanics A 18, 653-677). It is the limit of an
    implicit step for the velocities, which has a solution where the forces have none (Stewart, D. E.,
    Trinkle, J. C. (1996), International Journal for Numerical Methods in Engineering 39, 2673-2691): here one
    of the time in which a slip gets its first speed, or what is taken as none would stop.

    Returns the number of contacts that stay on the ground, the first of ``friction.touching``; -1 if there is
    no impulse.
    """
    body, friction, state = run.body, run.friction, run.state
    twist, contacts, mu = friction.twist, friction.contacts, friction.values[FRICTION]
    m = matrix(state[Q0], state[Q1], state[Q2], state[Q3])
    J = ground_compliance(body.scalars, m)
    load_twist(state, twist)
    place_forces(body, friction, state, n, J, m)
    fastest = KICK  # of the slips that are none
    for i in range(n):
        if contacts[i, GIVEN] == 0.0:
            x, y = level_velocity(twist, contacts[i])
            fastest = max(fastest, STOPS * hypot(x, y))
    h = fastest / (mu * body.scalars[GRAVITY])
    for i in range(n):  # a slip that ends has no velocity then, up to the last bit
        c = contacts[i]
        c[GIVEN], c[B_X], c[B_Y], c[B_Z] = 0.0, 0.0, 0.0, h * c[B_Z]
    free_rates(body, state, acceleration(run.segment, run.t), m, J, friction.speeds)
    before = twist_energy(body, state, twist, body.scalars[MASS])
    for i in range(6):
        twist[i] += h * friction.speeds[i]
    solved = solve_contacts(contacts, n, J, twist, mu, mu) == DONE
    count_solves(friction, n)
    if not solved:
        return -1
    store_twist(state, twist)
    gained = twist_energy(body, state, twist, body.scalars[MASS]) - before
    run.result[Response.IMPACT_ENERGY_LOSS] -= gained * body.scalars[MASS]
    run.result[Response.JAMS] += 1.0
    friction.found[SLOW] = 0.0
    kept = 0
    for i in range(n):
        if contacts[i, P_Z] > 0.0:
            friction.touching[kept] = friction.touching[i]
            kept += 1
    return kept
