"""Impulse of one impact: it acts at a point R, and the velocity of the vertex that lands obeys the law.

Where the impulse acts is the uncertainty of Várkonyi, P. L., Kocsis, M., Ther, T. (2022), Rigid impacts of
three-dimensional rocking structures, Nonlinear Dynamics 107, 1839-1858: R need not be the vertex a that
lands. How strong it is follows from the law of Chatterjee, A., Ruina, A. (1998), A new algebraic rigid-body
collision law based on impulse space considerations, Journal of Applied Mechanics 65, 939-951, written for
the velocity of a with the compliance between R and a, which is not symmetric; at R = a it is their law. A
face stops its spin too, and the friction that stops it takes its share of Coulomb's bound by the ellipsoidal
limit surface (Goyal, S., Ruina, A., Papadopoulos, J. (1991), Planar sliding with dry friction, Wear 143,
307-330). The other laws of one contact (`mcrock.impact.single`) need a symmetric compliance, R = a; faces
have the form of Chatterjee and Ruina by every law.
"""

from __future__ import annotations

from math import hypot, inf, sqrt

import numpy as np

from mcrock.base.jit import jit
from mcrock.impact.registry import Law
from mcrock.impact.single import brach_1989, pfeiffer_glocker_1996, routh_1905, whittaker_1904
from mcrock.impact.single.chatterjee_ruina_1998 import point_impulse

WHITTAKER, BRACH, ROUTH = np.int64(Law.WHITTAKER_1904), np.int64(Law.BRACH_1989), np.int64(Law.ROUTH_1905)
PFEIFFER_GLOCKER = np.int64(Law.PFEIFFER_GLOCKER_1996)
SLIPPING = (BRACH, ROUTH)  # laws that may leave a slip which friction could have ended
NONE_LEFT = 1e-9  # velocities after an impact that are none, over that before [1]


@jit
def vertex_impulse(law, w, v, mu, e, et):
    """Impulse over mass of a vertex that lands, by the law of a run.

    Parameters
    ----------
    law : int
        Code of `Law`: one of one contact, or any other for that of Chatterjee and Ruina.
    w : tuple of 9 float
        Velocity of the vertex for unit impulses, row by row [1].
    v : tuple of 3 float
        Its velocity before [m/s], the third below 0.
    mu, e, et : float
        Friction, normal and tangential restitution [1].

    Returns
    -------
    px, py, pz, kappa, slips
        As of `point_impulse`, whose kappa is 0 for other laws; whether the vertex slips after it.
    possible : bool
        Whether the ground can give the impulse, which pushes, and the vertex does not go into it.
    """
    s, (vx, vy, vz) = (w[0], w[1], w[2], w[4], w[5], w[8]), v
    if law == WHITTAKER:
        px, py, pz = whittaker_1904.impulse(s, v, e, et, mu)
    elif law == PFEIFFER_GLOCKER:
        px, py, pz = pfeiffer_glocker_1996.impulse(s, v, e, et, mu)
    elif law == BRACH:
        px, py, pz = brach_1989.impulse(s, v, e, et, mu)
    elif law == ROUTH:
        px, py, pz = routh_1905.impulse(s, v, e, et, mu)
    else:
        px, py, pz, kappa, clipped, inward = point_impulse(w, vx, vy, vz, mu, e, et)
        pushes = pz > 0.0 or mu == inf
        return px, py, pz, kappa, clipped, pushes and (inward > 0.0 or not (clipped or e > 0.0))
    speed = NONE_LEFT * sqrt(vx * vx + vy * vy + vz * vz)
    slips = hypot(vx + w[0] * px + w[1] * py + w[2] * pz, vy + w[3] * px + w[4] * py + w[5] * pz) > speed
    # where much friction jams the contact a law may leave an approach
    rises = vz < 0.0 and vz + w[6] * px + w[7] * py + w[8] * pz >= -speed
    return px, py, pz, 0.0, slips, pz > 0.0 and rises


@jit
def face_impulse(matrix, w, turn, v, mu, restitution, radius):
    """Impulse and couple over mass of a face that lands and stops its spin.

    Parameters
    ----------
    matrix : ndarray (4, 5)
        Scratch.
    w : tuple of 9 float
        As in `mcrock.impact.single.chatterjee_ruina_1998.point_impulse`.
    turn : tuple
        Velocity of the vertex for a unit couple about the vertical (3) [1/m], spin for unit impulses at R (3)
        [1/m] and for a unit couple [1/m2].
    v : tuple of 4 float
        Velocity of the vertex [m/s] and angular velocity about the vertical [rad/s] before.
    mu : float
    restitution : tuple of 2 float
        Normal and tangential.
    radius : float
        By which the couple is divided to compare it with friction [m].

    Returns
    -------
    px, py, pz, couple, kappa, clipped, inward
        As there; the couple over mass [m2/s].
    """
    (cx, cy, cz), row, spin_compliance = turn
    (vx, vy, vz, spin), (e, et) = v, restitution
    inward = -vz / w[8]
    a = matrix
    for i in range(3):
        a[i, 0], a[i, 1], a[i, 2] = w[3 * i], w[3 * i + 1], w[3 * i + 2]
    a[0, 3], a[1, 3], a[2, 3] = cx, cy, cz
    a[3, 0], a[3, 1], a[3, 2], a[3, 3] = row[0], row[1], row[2], spin_compliance
    a[0, 4], a[1, 4], a[2, 4], a[3, 4] = -vx, -vy, -vz, -spin
    eliminate(a, 4)
    dx, dy, dz, dt = a[0, 4], a[1, 4], a[2, 4] - inward, a[3, 4]
    kappa = 1.0 + et
    x, y, z, t = kappa * dx, kappa * dy, (1.0 + e) * inward + kappa * dz, kappa * dt
    clipped = mu < np.inf and not sqrt(x * x + y * y + (t / radius) ** 2) <= mu * z
    if clipped:
        kappa = mu * (1.0 + e) * inward / (sqrt(dx * dx + dy * dy + (dt / radius) ** 2) - mu * dz)
        x, y, z, t = kappa * dx, kappa * dy, (1.0 + e) * inward + kappa * dz, kappa * dt
    return x, y, z, t, kappa, clipped, inward


@jit(internal=True)
def eliminate(a, n):
    """Solve n linear equations (n, n + 1) in place; the solution is in column n."""
    for i in range(n):
        pivot = i
        for r in range(i + 1, n):
            if abs(a[r, i]) > abs(a[pivot, i]):
                pivot = r
        if pivot != i:
            for c in range(n + 1):
                a[i, c], a[pivot, c] = a[pivot, c], a[i, c]
        scale = 1.0 / a[i, i]
        for c in range(i, n + 1):
            a[i, c] *= scale
        for r in range(n):
            if r != i:
                factor = a[r, i]
                for c in range(i, n + 1):
                    a[r, c] -= factor * a[i, c]
