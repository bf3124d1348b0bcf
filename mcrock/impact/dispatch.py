"""Where the impulse of an impact acts, by the law that a run follows.

The laws of planar blocks tell how much velocity a landing leaves. Where the ground would have to push for
that is a place between the old and the new edge, lambda (Várkonyi, P. L., Kocsis, M., Ther, T. (2022), Rigid
impacts of three-dimensional rocking structures, Nonlinear Dynamics 107, 1839-1858, section 2). The maps of
three-dimensional impacts take that place: of the plane through the centre of mass across the old edge in a
facet impact, of the upright plane along the edge in an edge impact. In plane motion the law is met exactly.
"""

from __future__ import annotations

import numpy as np

from mcrock.impact import brogliato_2012, kalliontzis_2016, ther_kollar_2017
from mcrock.jit import jit
from mcrock.params import Law

THER_KOLLAR, KALLIONTZIS = np.int64(Law.THER_KOLLAR_2017), np.int64(Law.KALLIONTZIS_2016)
BROGLIATO = np.int64(Law.BROGLIATO_2012)


@jit
def law_place(law, inertia, mass, height, old, new, nu, e_n21):
    """Place lambda of the impulse by the law with a code [1]: -1 old edge, 1 new edge.

    Parameters
    ----------
    law : int
        Code of `mcrock.params.Law`; one without a ratio of its own has all of the impulse at the new edge.
    inertia, mass, height : float
        About the COM in the plane of the motion [kg m2], [kg], height of the COM over the base [m].
    old, new : float
        Places of both edges from the foot of the COM [m], old < new.
    nu, e_n21 : float
        Parameters of the laws that have them [1].
    """
    about = inertia + mass * height * height
    if law == THER_KOLLAR:
        ratio = ther_kollar_2017.velocity_ratio(about, mass, old, new)
    elif law == KALLIONTZIS:
        ratio = kalliontzis_2016.velocity_ratio(about, mass, old, new, nu)
    elif law == BROGLIATO:
        ratio = brogliato_2012.velocity_ratio(inertia, mass, old, new, e_n21)
    else:
        return 1.0
    # of a ratio below 0 the ground takes all motion; an impulse beyond the base is judged by the maps
    ratio = max(ratio, 0.0)
    lever = mass * (ratio * new - old)
    if lever <= 0.0:  # the COM is not over the base, where no planar law was made for
        return 1.0
    point = about * (1.0 - ratio) / lever
    return 2.0 * (point - old) / (new - old) - 1.0
