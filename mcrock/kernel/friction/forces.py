"""The contact problem for accelerations: rates without contact, and the rows of the contacts."""

from __future__ import annotations

from mcrock.base.jit import jit
from mcrock.kernel.contact import GRAVITY, MASS
from mcrock.kernel.dynamics import V_X, V_Y, V_Z, W_X, W_Y, W_Z
from mcrock.kernel.friction.contact_table import B_X, B_Y, B_Z, GIVEN, S_X, S_Y, place_contact
from mcrock.kernel.friction.state import SLOW, STOPPED
from mcrock.kernel.rotation import norm, to_ground


@jit(internal=True)
def free_rates(body, state, a, m, J, rates):
    """Rates of the twist without contact: ``rates`` (6,), ground axes."""
    wx, wy, wz = state[W_X], state[W_Y], state[W_Z]
    i, mass = body.inertia, body.scalars[MASS]
    hx, hy, hz = (
        (i[0] * wx + i[1] * wy + i[2] * wz) / mass,
        (i[1] * wx + i[3] * wy + i[4] * wz) / mass,
        (i[2] * wx + i[4] * wy + i[5] * wz) / mass,
    )
    tx, ty, tz = hy * wz - hz * wy, hz * wx - hx * wz, hx * wy - hy * wx
    x, y, z = to_ground(state, tx, ty, tz)
    rates[0], rates[1], rates[2] = -a[0], -a[1], -(body.scalars[GRAVITY] + a[2])
    rates[3] = J[0] * x + J[1] * y + J[2] * z
    rates[4] = J[1] * x + J[3] * y + J[4] * z
    rates[5] = J[2] * x + J[4] * y + J[5] * z


@jit(internal=True)
def place_forces(body, friction, state, n, J, m):
    """Rows of the contacts of ``friction.touching`` [:n] at the level of accelerations, and whether one
    slips.

    The velocity in the state is that of `load_twist`.
    """
    v = state[V_X], state[V_Y], state[V_Z]
    w = to_ground(state, state[W_X], state[W_Y], state[W_Z])
    any_slips, any_stands = False, False
    for i in range(n):
        c, p = friction.contacts[i], body.vertices[friction.touching[i]]
        dx, dy, dz = to_ground(state, p[0], p[1], p[2])
        place_contact(c, J, dx, dy, dz, 0.0)
        ux, uy, uz = w[1] * dz - w[2] * dy, w[2] * dx - w[0] * dz, w[0] * dy - w[1] * dx
        c[B_X], c[B_Y], c[B_Z] = w[1] * uz - w[2] * uy, w[2] * ux - w[0] * uz, w[0] * uy - w[1] * ux
        x, y = v[0] + ux, v[1] + uy
        speed = norm(x, y)
        if speed > 0.0:
            c[S_X], c[S_Y] = x / speed, y / speed
        c[GIVEN] = speed
    slow = max(2.0 * STOPPED, friction.found[SLOW])
    for i in range(n):
        c = friction.contacts[i]
        c[GIVEN] = 1.0 if c[GIVEN] > slow else 0.0
        any_slips, any_stands = any_slips or c[GIVEN] != 0.0, any_stands or c[GIVEN] == 0.0
    return any_slips, any_stands
