"""Plastic impact of a whole face: the fallback where the facet map has no feasible pivot.

Any law that keeps the face on the ground or lets it rise satisfies u_i >= 0 at all its corners.
Among these velocities the plastic impact is the one nearest to the velocity before in the kinetic
metric (Moreau, J. J. (1988). Unilateral contact and dry friction in finite freedom dynamics. In:
Nonsmooth Mechanics and Applications, Springer, 1-82, inelastic case). It always exists, is unique
and never gains energy, and it needs no parameter.
"""

from __future__ import annotations

from mcrock.base.jit import jit
from mcrock.impact.varkonyi_2022 import TIE, corner_coefficient


@jit
def plastic_facet(mass, compliance, corners, first, last, w, vz):
    """Plastic impact of a face without spin after it.

    The projection x+ = argmin |x - x-| of x = (v_z, w_x, w_y) in the metric diag(m, J) on the
    cone u_i = v_z + w_x y_i - w_y x_i >= 0 is found by trying which corners stay on the ground:
    one, two (an edge), or all (rest). The impulses at them must not pull.

    Parameters
    ----------
    mass, compliance, corners, first, last, w, vz
        As in `mcrock.impact.varkonyi_2022.facet_map`.

    Returns
    -------
    w_x, w_y : float
        After the impact, face axes [rad/s].
    pivot, partner : int
        Corner that stays on the ground, and the other end if an edge does, else -1; pivot = -1 if the
        whole face stays.
    """
    n = last - first
    fastest = 0.0
    for i in range(n):
        fastest = max(fastest, abs(_corner_speed(corners, first + i, w, vz)))
    slack = TIE * fastest
    for i in range(n):
        u = _corner_speed(corners, first + i, w, vz)
        if u >= 0.0:
            continue
        push = -u / _coupling(mass, compliance, corners, first + i, first + i)
        ox, oy, oz = _pushed(mass, compliance, corners, first + i, push, w, vz)
        if _all_rise(corners, first, last, ox, oy, oz, slack):
            return ox, oy, i, -1
    for i in range(n):
        for j in range(i):
            a, b = first + i, first + j
            u, v = _corner_speed(corners, a, w, vz), _corner_speed(corners, b, w, vz)
            k_aa = _coupling(mass, compliance, corners, a, a)
            k_ab = _coupling(mass, compliance, corners, a, b)
            k_bb = _coupling(mass, compliance, corners, b, b)
            determinant = k_aa * k_bb - k_ab * k_ab
            push_a = (-u * k_bb + v * k_ab) / determinant
            push_b = (-v * k_aa + u * k_ab) / determinant
            if push_a < 0.0 or push_b < 0.0:
                continue
            ox, oy, oz = _pushed(mass, compliance, corners, a, push_a, w, vz)
            ox, oy, oz = _pushed(mass, compliance, corners, b, push_b, (ox, oy), oz)
            if _all_rise(corners, first, last, ox, oy, oz, slack):
                return ox, oy, i, j
    return 0.0, 0.0, -1, -1


@jit(internal=True)
def _corner_speed(corners, i, w, vz):
    """Vertical speed of a corner [m/s]."""
    return vz + w[0] * corners[i, 1] - w[1] * corners[i, 0]


@jit(internal=True)
def _coupling(mass, compliance, corners, i, j):
    """Vertical speed of corner ``j`` for a unit impulse at corner ``i`` [1/kg]."""
    point = corners[i, 0], corners[i, 1]
    return corner_coefficient(mass, compliance, point, corners[j, 0], corners[j, 1]) / mass


@jit(internal=True)
def _pushed(mass, compliance, corners, i, push, w, vz):
    """Velocity (w_x, w_y, v_z) after an upward impulse [N s] at a corner."""
    x, y = corners[i, 0], corners[i, 1]
    wx = w[0] + push * (compliance[0] * y - compliance[1] * x)
    wy = w[1] + push * (compliance[1] * y - compliance[2] * x)
    return wx, wy, vz + push / mass


@jit(internal=True)
def _all_rise(corners, first, last, wx, wy, vz, slack):
    """Whether no corner of the face moves down by more than ``slack`` [m/s]."""
    lowest = 0.0
    for i in range(first, last):
        lowest = min(lowest, _corner_speed(corners, i, (wx, wy), vz))
    return lowest >= -slack
