"""Impulse of one impact: it acts at a point R, and the velocity of the vertex that lands obeys the law.

Where the impulse acts is the uncertainty of Várkonyi, P. L., Kocsis, M., Ther, T. (2022), Rigid impacts of
three-dimensional rocking structures, Nonlinear Dynamics 107, 1839-1858: R need not be the vertex a that
lands. How strong it is follows from the law of Chatterjee, A., Ruina, A. (1998), A new algebraic rigid-body
collision law based on impulse space considerations, Journal of Applied Mechanics 65, 939-951, written for
the velocity of a with the compliance between R and a, which is not symmetric; at R = a it is their law. A
face stops its spin too, and the friction that stops it takes its share of Coulomb's bound by the ellipsoidal
limit surface (Goyal, S., Ruina, A., Papadopoulos, J. (1991), Planar sliding with dry friction, Wear 143,
307-330).
"""

from __future__ import annotations

from math import hypot, sqrt

import numpy as np

from mcrock.impact.varkonyi_2022 import solve_3x3
from mcrock.jit import jit


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
    px, py, pz = solve_3x3(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], -vx, -vy, -vz)
    dx, dy, dz = px, py, pz - inward
    kappa = 1.0 + et
    x, y, z = kappa * dx, kappa * dy, (1.0 + e) * inward + kappa * dz
    clipped = mu < np.inf and not hypot(x, y) <= mu * z
    if clipped:
        kappa = mu * (1.0 + e) * inward / (hypot(dx, dy) - mu * dz)
        x, y, z = kappa * dx, kappa * dy, (1.0 + e) * inward + kappa * dz
    return x, y, z, kappa, clipped, inward


@jit
def face_impulse(matrix, w, cx, cy, cz, row, spin_compliance, vx, vy, vz, spin, mu, e, et, radius):
    """Impulse and couple over mass of a face that lands and stops its spin.

    Parameters
    ----------
    matrix : ndarray (4, 5)
        Scratch.
    w : tuple of 9 float
        As in `point_impulse`.
    cx, cy, cz : float
        Velocity of the vertex for a unit couple about the vertical [1/m].
    row : tuple of 3 float
        Spin for unit impulses at R [1/m].
    spin_compliance : float
        Spin for a unit couple [1/m2].
    vx, vy, vz, spin : float
        Velocity of the vertex [m/s] and angular velocity about the vertical [rad/s] before.
    mu, e, et : float
    radius : float
        By which the couple is divided to compare it with friction [m].

    Returns
    -------
    px, py, pz, couple, kappa, clipped, inward
        As in `point_impulse`; the couple over mass [m2/s].
    """
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
