"""The table of contacts of which impulses (or forces) are sought, one row each."""

from __future__ import annotations

from mcrock.base.jit import jit
from mcrock.kernel.friction.mobility import mobility, turned_by

# columns of a table of contacts: place from the COM [m]; impulse over mass [m/s]; direction of slip, and
# whether it is given; normal velocity to be reached [m/s]; mobility [1]; what its velocity has beside that
# of the twist [m/s]; how often it was solved
(
    D_X, D_Y, D_Z, P_X, P_Y, P_Z, S_X, S_Y, GIVEN, TARGET,
    W_XX, W_XY, W_XZ, W_YY, W_YZ, W_ZZ, B_X, B_Y, B_Z, SOLVES,
    CONTACT_SIZE,
) = range(21)  # fmt: skip


@jit(internal=True)
def place_contact(contact, J, dx, dy, dz, target):
    """Fill the row of a free contact at (dx, dy, dz) from the COM."""
    contact[D_X], contact[D_Y], contact[D_Z] = dx, dy, dz
    contact[P_X], contact[P_Y], contact[P_Z] = 0.0, 0.0, 0.0
    contact[S_X], contact[S_Y], contact[GIVEN], contact[TARGET] = 1.0, 0.0, 0.0, target
    contact[B_X], contact[B_Y], contact[B_Z], contact[SOLVES] = 0.0, 0.0, 0.0, 0.0
    w = mobility(J, dx, dy, dz, dx, dy, dz)
    contact[W_XX], contact[W_XY], contact[W_XZ] = w[0], w[1], w[2]
    contact[W_YY], contact[W_YZ], contact[W_ZZ] = w[4], w[5], w[8]


@jit(internal=True)
def push(twist, J, d, p):
    """Add the effect of an impulse over mass ``p`` at a point, ``d`` from the COM, to ``twist``."""
    x, y, z = turned_by(J, d[1] * p[2] - d[2] * p[1], d[2] * p[0] - d[0] * p[2], d[0] * p[1] - d[1] * p[0])
    twist[0] += p[0]
    twist[1] += p[1]
    twist[2] += p[2]
    twist[3] += x
    twist[4] += y
    twist[5] += z
