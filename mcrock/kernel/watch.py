"""Whether a contact that sticks can: the least friction coefficient its forces ask for.

With plastic impacts a run with friction is the run of contacts that stick up to the first instant at which
one of these demands exceeds the friction: at rest, on an edge, on a vertex, in an impact. A run without
friction keeps the largest demand, above which it is certified to be the run with friction.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from mcrock.base.jit import jit


@jit(internal=True)
def edge_demand(n_p, n_q, f_p, f_q, along):
    """Square of the least friction coefficient with which both ends of an edge can stick [1].

    Parameters
    ----------
    n_p, n_q : float
        Normal forces (or impulses) at both ends, in any unit.
    f_p, f_q : float
        Friction across the edge at both ends.
    along : float
        Friction along the edge: of both ends together, as its split is not determined.

    Returns
    -------
    float
        The least x = mu^2 with |f_i| <= mu n_i and |along| <= sum of sqrt(mu^2 n_i^2 - f_i^2).
    """
    if n_p < 0.0 or n_q < 0.0:
        return np.inf
    pp, qq, a, b, c = n_p * n_p, n_q * n_q, f_p * f_p, f_q * f_q, along * along
    least = 0.0
    if a > 0.0:
        least = a / pp if pp > 0.0 else np.inf
    if b > 0.0:
        least = max(least, b / qq if qq > 0.0 else np.inf)
    if least == np.inf:
        return least
    if sqrt(max(least * pp - a, 0.0)) + sqrt(max(least * qq - b, 0.0)) >= abs(along):
        return least
    # squared twice: the smaller root of a quadratic in x, where both roots add rather than subtract
    d, e = pp - qq, a - b + c
    beta = d * e + 2.0 * c * qq
    gamma = e * e + 4.0 * c * b
    square = beta * beta - d * d * gamma
    return max(least, gamma / (beta + sqrt(max(square, 0.0))))


@jit(inline=True, internal=True)
def edge_sticks(square, n_p, n_q, f_p, f_q, along):
    """Whether a friction coefficient, given by its square, is surely enough: with the force along the edge
    shared as the normal forces are. `edge_demand` decides where it is not sure."""
    both = n_p + n_q
    share = square * both * both - along * along
    return (
        n_p > 0.0
        and n_q > 0.0
        and f_p * f_p * both * both <= n_p * n_p * share
        and f_q * f_q * both * both <= n_q * n_q * share
    )


@jit(internal=True)
def point_demand(square, normal):
    """Square of the least friction coefficient for a normal force and the square of a friction force [1]."""
    return square / (normal * normal) if normal > 0.0 else np.inf


@jit(internal=True)
def impulse(old, new, before, after, up):
    """Impulse over mass of an impact that moves the pivot from ``old`` to ``new`` (points) while the angular
    velocity jumps: its normal part, the square of its horizontal part and itself (3 numbers) [m/s], all in
    body axes."""
    px = new[1] * after[2] - new[2] * after[1] - (old[1] * before[2] - old[2] * before[1])
    py = new[2] * after[0] - new[0] * after[2] - (old[2] * before[0] - old[0] * before[2])
    pz = new[0] * after[1] - new[1] * after[0] - (old[0] * before[1] - old[1] * before[0])
    normal = px * up[0] + py * up[1] + pz * up[2]
    return normal, max(px * px + py * py + pz * pz - normal * normal, 0.0), (px, py, pz)


@jit(internal=True)
def impulse_moment(mass, inertia, point, before, after, p):
    """Angular impulse over mass [m2/s] of an impact about a point with the impulse ``p`` over mass, body
    axes."""
    x, y, z = (after[0] - before[0]) / mass, (after[1] - before[1]) / mass, (after[2] - before[2]) / mass
    return (
        inertia[0] * x + inertia[1] * y + inertia[2] * z - (point[1] * p[2] - point[2] * p[1]),
        inertia[1] * x + inertia[3] * y + inertia[4] * z - (point[2] * p[0] - point[0] * p[2]),
        inertia[2] * x + inertia[4] * y + inertia[5] * z - (point[0] * p[1] - point[1] * p[0]),
    )


@jit(internal=True)
def edge_impact_demand(mass, inertia, old, new, before, after, up):
    """Square of the friction coefficient with which both ends of an edge can stick in a plastic impact of
    both."""
    normal, _, p = impulse(old, new, before, after, up)
    ex, ey, ez = old[0] - new[0], old[1] - new[1], old[2] - new[2]
    length = sqrt(ex * ex + ey * ey + ez * ez)
    ex, ey, ez = ex / length, ey / length, ez / length
    nx, ny, nz = up[1] * ez - up[2] * ey, up[2] * ex - up[0] * ez, up[0] * ey - up[1] * ex
    x, y, z = impulse_moment(mass, inertia, new, before, after, p)
    across_old = (up[0] * x + up[1] * y + up[2] * z) / length
    normal_old = -(nx * x + ny * y + nz * z) / length
    across = p[0] * nx + p[1] * ny + p[2] * nz
    along = p[0] * ex + p[1] * ey + p[2] * ez
    return edge_demand(normal - normal_old, normal_old, across - across_old, across_old, along)
