"""Generalized kinematic law: what the edge that lands does to the edge that leaves.

Brogliato, B., Zhang, H., Liu, C. (2012). Analysis of a generalized kinematic impact law for
multibody-multicontact systems, with application to the planar rocking and chains of balls. Multibody System
Dynamics 27, 351-382, law (12) with e_n1 = 0 and sticking contacts.
"""

from __future__ import annotations

from math import sqrt

from mcrock.base.jit import jit


@jit
def velocity_ratio(inertia: float, mass: float, old: float, new: float, e_n21: float) -> float:
    """Angular velocity after a landing over that before [1], for a coefficient e_n21.

    The normal velocity of the edge that leaves after the impact over that of the edge that lands before it,
    each divided by the square root of D_ii = 1/m + x_i^2/I with I the inertia about the COM [kg m2]. The
    other parameters are as in `housner_1963`. A COM above the middle of the base makes the roots equal, and
    the ratio is e_n21.

    >>> round(velocity_ratio(5.0 / 12.0, 1.0, -0.5, 0.5, 0.7), 12)
    0.7
    """
    lands, leaves = 1.0 / mass + new * new / inertia, 1.0 / mass + old * old / inertia
    return e_n21 * sqrt(leaves / lands)
