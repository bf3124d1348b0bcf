"""The body with its six degrees of freedom: from a contact that sticks and back.

A mode with slip or flight keeps the COM and its velocity in the state; a mode that sticks keeps the ground
position of its pivot. What a contact prescribes (its height, no normal velocity) is never integrated:
`settle` restores it after each step.
"""

from __future__ import annotations

from math import sqrt

from mcrock.base.jit import jit
from mcrock.base.params import ContactColumn
from mcrock.kernel.contact import GRAVITY, MASS
from mcrock.kernel.dynamics import (
    ANGLE,
    P_X,
    P_Y,
    Q0,
    Q1,
    Q2,
    Q3,
    RATE,
    V_X,
    V_Y,
    V_Z,
    W_X,
    W_Y,
    W_Z,
    X,
    Y,
    Z,
)
from mcrock.kernel.edge import edge_pose
from mcrock.kernel.friction.contact_table import SOLVES
from mcrock.kernel.modes import (
    EDGE,
    EDGE_SLIP_FIRST,
    EDGE_SLIP_SECOND,
    FLIGHT,
    REST,
    SLIDE,
    SPIN,
    VERTEX,
    VERTEX_SLIP,
    contact_vertex,
)
from mcrock.kernel.rotation import matrix, to_ground

FRICTION = int(ContactColumn.FRICTION)
RESTITUTION, IMPACT_RESTITUTION = int(ContactColumn.RESTITUTION), int(ContactColumn.IMPACT_RESTITUTION)
TANGENTIAL = int(ContactColumn.TANGENTIAL_RESTITUTION)
STOPPED = 1e-9  # slip this slow has stopped [m/s]
STOPS_IN = 0.1  # a slip that ends this soon has stopped, over the time of a sequence of edge impacts [1]
CREEPS_IN = 0.03  # the same for a face that spins, whose slowest corner creeps then [1]
KICK = 1e-7  # speed with which a slip begins, so that it has a direction [m/s]
PASSED = 32  # corners looked at in the time in which a contact is solved, about [1]


# what advancing and impacts leave in `run.friction.found`: forces over mass at both contacts [m/s2], how fast
# slips turn [rad/s] and would settle to their direction [1/s]; impulse over mass [m/s] and couple [m2/s] of
# an impact, its kappa, whether it is clipped, by which map, whether its impulses did not converge, and its
# change of energy over mass [m2/s2];
# whether a contact stood when contacts were decided; angles added to the directions of slip [rad];
# whether the ends of an edge are held, whatever their forces; slip this slow has stopped [m/s]; slip
# that friction stops at once, for corners of a face [m/s]; how often contacts were solved in the run;
# whether a step is the last of a slip that stops
(
    N_0, N_1, T_0, T_1, TURNING, STIFFNESS, I_X, I_Y, I_Z, COUPLE, KAPPA, CLIPPED, MAP, UNCONVERGED,
    GAINED, STOOD,
    BEND_0, BEND_1, HELD, SLOW, CREEP, SOLVED, STOPPING,
    FOUND_SIZE,
) = range(24)  # fmt: skip


# columns of `run.friction.stiff`
R_VX, R_VY, R_WX, R_WY, R_WZ, T_VX, T_VY, T_SPIN, T_SQUARE, STIFF_SIZE = range(10)


@jit(internal=True)
def clear_friction(friction):
    """Forget the run before: what a run gives must not depend on which ran before it."""
    friction.found[:] = 0.0
    friction.path[:] = 0.0
    friction.stiff[:] = 0.0
    friction.contacts[:] = 0.0
    friction.rates[:] = 0.0


@jit(internal=True)
def count_solves(friction, n):
    """Add how often the contacts [:n] were solved to the count of the run."""
    for i in range(n):
        friction.found[SOLVED] += friction.contacts[i, SOLVES]
        friction.contacts[i, SOLVES] = 0.0


@jit(inline=True, internal=True)
def count_passes(friction, n):
    """Count a pass over ``n`` corners; one over `PASSED` of them costs as much as to solve a contact."""
    friction.found[SOLVED] += 1.0 + n // PASSED


@jit(inline=True, internal=True)
def sticks(mode):
    """Whether a mode is one of those without slip and flight."""
    return mode in (REST, EDGE, VERTEX)


@jit(inline=True, internal=True)
def stopped_within(body, friction, time):
    """Speed of slip that friction stops within a time [m/s]; at least that which is none."""
    return max(friction.values[FRICTION] * body.scalars[GRAVITY] * time, STOPPED)


@jit
def free_body(body, state, mode, index):
    """Position and velocity of the COM of a body in a mode that sticks."""
    if mode == EDGE:
        edge_pose(body.edges[index], state, state[ANGLE], state[RATE])
    v = body.vertices[contact_vertex(body, mode, index)]
    x, y, z = to_ground(state, -v[0], -v[1], -v[2])
    state[X], state[Y], state[Z] = state[P_X] + x, state[P_Y] + y, z
    wx, wy, wz = to_ground(state, state[W_X], state[W_Y], state[W_Z])
    state[V_X], state[V_Y], state[V_Z] = wy * z - wz * y, wz * x - wx * z, wx * y - wy * x


@jit
def place_pivot(body, state, vertex):
    """Ground position of the pivot from that of the COM."""
    v = body.vertices[vertex]
    x, y, _ = to_ground(state, v[0], v[1], v[2])
    state[P_X], state[P_Y] = state[X] + x, state[Y] + y


@jit(internal=True)
def load_twist(state, twist):
    """Velocity of the COM and angular velocity in ground axes."""
    twist[0], twist[1], twist[2] = state[V_X], state[V_Y], state[V_Z]
    twist[3], twist[4], twist[5] = to_ground(state, state[W_X], state[W_Y], state[W_Z])


@jit(internal=True)
def store_twist(state, twist):
    """The reverse of `load_twist`."""
    m = matrix(state[Q0], state[Q1], state[Q2], state[Q3])
    x, y, z = twist[3], twist[4], twist[5]
    state[V_X], state[V_Y], state[V_Z] = twist[0], twist[1], twist[2]
    state[W_X] = m[0] * x + m[3] * y + m[6] * z
    state[W_Y] = m[1] * x + m[4] * y + m[7] * z
    state[W_Z] = m[2] * x + m[5] * y + m[8] * z


@jit(internal=True)
def twist_energy(body, state, twist, mass):
    """Kinetic energy over the mass [m2/s2] of a twist at the pose of ``state``."""
    m = matrix(state[Q0], state[Q1], state[Q2], state[Q3])
    x, y, z = twist[3], twist[4], twist[5]
    wx, wy, wz = (
        m[0] * x + m[3] * y + m[6] * z,
        m[1] * x + m[4] * y + m[7] * z,
        m[2] * x + m[5] * y + m[8] * z,
    )
    i = body.inertia
    spin = wx * (i[0] * wx + i[1] * wy + i[2] * wz) + wy * (i[1] * wx + i[3] * wy + i[4] * wz)
    spin += wz * (i[2] * wx + i[4] * wy + i[5] * wz)
    return 0.5 * (spin / mass + twist[0] ** 2 + twist[1] ** 2 + twist[2] ** 2)


@jit(internal=True)
def moving_energy(body, state):
    """Kinetic energy [J] of a body in a mode with slip or in flight."""
    wx, wy, wz = state[W_X], state[W_Y], state[W_Z]
    i = body.inertia
    spin = wx * (i[0] * wx + i[1] * wy + i[2] * wz) + wy * (i[1] * wx + i[3] * wy + i[4] * wz)
    spin += wz * (i[2] * wx + i[4] * wy + i[5] * wz)
    return 0.5 * (spin + body.scalars[MASS] * (state[V_X] ** 2 + state[V_Y] ** 2 + state[V_Z] ** 2))


@jit(internal=True)
def to_contact(body, state, mode, index):
    """Turn position and velocity of the COM into those of the contact by which smooth motion is
    integrated."""
    if mode in (FLIGHT, SLIDE, SPIN):
        return
    v = body.vertices[contact_vertex(body, mode, index)]
    x, y, z = to_ground(state, v[0], v[1], v[2])
    wx, wy, wz = to_ground(state, state[W_X], state[W_Y], state[W_Z])
    state[X] += x
    state[Y] += y
    state[V_X] += wy * z - wz * y
    state[V_Y] += wz * x - wx * z


@jit(internal=True)
def from_contact(body, state, mode, index):
    """The reverse of `to_contact`."""
    if mode in (FLIGHT, SLIDE, SPIN):
        return
    v = body.vertices[contact_vertex(body, mode, index)]
    x, y, z = to_ground(state, v[0], v[1], v[2])
    wx, wy, wz = to_ground(state, state[W_X], state[W_Y], state[W_Z])
    state[X] -= x
    state[Y] -= y
    state[V_X] -= wy * z - wz * y
    state[V_Y] -= wz * x - wx * z


@jit(internal=True)
def settle(body, state, mode, index):
    """Bring a state back to what its contacts prescribe: heights, no normal velocity, a pivot that stays."""
    if mode in (FLIGHT, SLIDE, SPIN):
        place_pivot(body, state, contact_vertex(body, mode, index))
        return
    first = contact_vertex(body, mode, index)
    m = matrix(state[Q0], state[Q1], state[Q2], state[Q3])
    v = body.vertices[first]
    if mode != VERTEX_SLIP:
        # the other end comes to the same height: a turn about the horizontal across the edge
        u = body.vertices[body.edge_vertices[index, 0 if mode == EDGE_SLIP_FIRST else 1]]
        ex, ey, ez = u[0] - v[0], u[1] - v[1], u[2] - v[2]
        rise = m[6] * ex + m[7] * ey + m[8] * ez
        ux, uy, uz = m[6], m[7], m[8]  # the vertical in body axes
        bx, by, bz = ey * uz - ez * uy, ez * ux - ex * uz, ex * uy - ey * ux  # e x up
        square = bx * bx + by * by + bz * bz
        angle = -rise / sqrt(square)  # the lift of e for a turn about e x up is the length of e x up
        norm = sqrt(square)
        _turn_body(state, bx / norm, by / norm, bz / norm, angle)
        m = matrix(state[Q0], state[Q1], state[Q2], state[Q3])
        ux, uy, uz = m[6], m[7], m[8]
        bx, by, bz = ey * uz - ez * uy, ez * ux - ex * uz, ex * uy - ey * ux
        square = bx * bx + by * by + bz * bz
        rate = (state[W_X] * bx + state[W_Y] * by + state[W_Z] * bz) / square
        state[W_X] -= rate * bx
        state[W_Y] -= rate * by
        state[W_Z] -= rate * bz
    x, y, z = to_ground(state, v[0], v[1], v[2])
    wx, wy, wz = to_ground(state, state[W_X], state[W_Y], state[W_Z])
    state[Z] = -z
    state[V_Z] = -(wx * y - wy * x)
    if mode in (EDGE_SLIP_FIRST, EDGE_SLIP_SECOND):
        state[V_X], state[V_Y] = -(wy * z - wz * y), -(wz * x - wx * z)
        state[X], state[Y] = state[P_X] - x, state[P_Y] - y
    else:
        state[P_X], state[P_Y] = state[X] + x, state[Y] + y


@jit(internal=True)
def _turn_body(state, x, y, z, angle):
    """Turn by a small angle [rad] about a unit body vector."""
    s, c = 0.5 * angle, 1.0 - 0.125 * angle * angle
    q0, q1, q2, q3 = state[Q0], state[Q1], state[Q2], state[Q3]
    x, y, z = s * x, s * y, s * z
    state[Q0] = q0 * c - q1 * x - q2 * y - q3 * z
    state[Q1] = q0 * x + q1 * c + q2 * z - q3 * y
    state[Q2] = q0 * y - q1 * z + q2 * c + q3 * x
    state[Q3] = q0 * z + q1 * y - q2 * x + q3 * c
