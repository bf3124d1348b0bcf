"""Two coefficients of restitution, one for the normal and one for the tangential direction, with friction.

Chatterjee, A., Ruina, A. (1998). A new algebraic rigid-body collision law based on impulse space
considerations. Journal of Applied Mechanics 65(4), 939-951; see `mcrock.laws.chatterjee_ruina_1998`. No
energy is gained for 0 <= e <= 1 and -1 <= e_t <= 1. The formula also serves impulses that act elsewhere than
at the vertex that obeys it (`mcrock.kernel.friction.impacts`), with a mobility that is not symmetric.
"""

from __future__ import annotations

from math import hypot

import numpy as np

from mcrock.base.jit import jit
from mcrock.impact.varkonyi_2022 import solve_3x3


@jit
def point_impulse(w, vx, vy, vz, mu, e, et):
    """Impulse over mass of an impact.

    Parameters
    ----------
    w : tuple of 9 float
        Velocity of the vertex for unit impulses at R, row by row [1].
    vx, vy, vz : float
        Velocity of the vertex before [m/s], vz < 0.
    mu, e, et : float
        Friction, normal and tangential restitution [1].

    Returns
    -------
    px, py, pz : float
        [m/s]
    kappa : float
        Share of the impulse that stops the slip; 1 + et within the cone of friction [1].
    clipped : bool
        Whether friction is at its bound.
    inward : float
        Normal impulse of the frictionless plastic impact [m/s].
    """
    inward = -vz / w[8]
    px, py, pz = solve_3x3(((w[0], w[1], w[2]), (w[3], w[4], w[5]), (w[6], w[7], w[8])), (-vx, -vy, -vz))
    dx, dy, dz = px, py, pz - inward
    kappa = 1.0 + et
    x, y, z = kappa * dx, kappa * dy, (1.0 + e) * inward + kappa * dz
    clipped = mu < np.inf and not hypot(x, y) <= mu * z
    if clipped:
        kappa = mu * (1.0 + e) * inward / (hypot(dx, dy) - mu * dz)
        x, y, z = kappa * dx, kappa * dy, (1.0 + e) * inward + kappa * dz
    return x, y, z, kappa, clipped, inward
