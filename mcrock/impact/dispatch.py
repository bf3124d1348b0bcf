"""Where the impulse of an impact acts, by the law that a run follows.

The laws of planar blocks tell how much velocity a landing leaves. Where the ground would have to push for
that is a place between the old and the new edge, lambda (Várkonyi, P. L., Kocsis, M., Ther, T. (2022), Rigid
impacts of three-dimensional rocking structures, Nonlinear Dynamics 107, 1839-1858, section 2). The maps of
three-dimensional impacts take that place: of the plane through the centre of mass across the old edge in a
facet impact, of the upright plane along the edge in an edge impact. In plane motion the law is met exactly.
"""

from __future__ import annotations

from math import nan, sqrt
from typing import NamedTuple

import numpy as np

from mcrock.base.jit import jit
from mcrock.base.params import FACE_STREAM, EnergyGain, FacetFallback
from mcrock.base.random_numbers import quantile, uniform
from mcrock.impact import brogliato_2012, kalliontzis_2016, own, ther_kollar_2017
from mcrock.impact.registry import IMPACT_STREAMS, ImpactParameter, Law

VARKONYI, MOREAU = np.int64(Law.VARKONYI_2022), np.int64(Law.MOREAU_1988)
THER_KOLLAR, KALLIONTZIS = np.int64(Law.THER_KOLLAR_2017), np.int64(Law.KALLIONTZIS_2016)
BROGLIATO, HOUSNER = np.int64(Law.BROGLIATO_2012), np.int64(Law.HOUSNER_1963)
OWN = np.int64(Law.OWN)
AT_NEW_EDGE = (HOUSNER, MOREAU, *(np.int64(law) for law in Law if law.of_one_contact))
LAMBDA, TAU = np.int64(ImpactParameter.LAMBDA), np.int64(ImpactParameter.TAU)
TAU_FACET = np.int64(ImpactParameter.TAU_FACET)
NU, E_N21 = np.int64(ImpactParameter.NU), np.int64(ImpactParameter.E_N21)
OWN_PARAMETER = np.int64(ImpactParameter.OWN_PARAMETER)
N_PARAMETERS = len(ImpactParameter)
PROJECT, PLASTIC = np.int64(EnergyGain.PROJECT), np.int64(FacetFallback.PLASTIC)


class ImpactLaw(NamedTuple):
    """Impact parameters of one run and how they are drawn."""

    values: np.ndarray  # (n_parameter,) first by `ImpactParameter`, then of faces
    redrawn: np.ndarray  # (n_parameter,) int8, see `mcrock.base.params.Inputs`
    quantiles: np.ndarray  # (n_parameter, n_node)
    face_parameters: np.ndarray  # (n_face,) column of lambda_lon of each face; lambda_lat is the next
    law: int  # code of `Law`
    energy_gain: int  # code of `EnergyGain`
    facet_fallback: int  # code of `FacetFallback`
    point: np.ndarray  # (2,) impact point of every facet impact in face axes [m], NaN: from the lambdas
    seed: np.uint64
    realization: np.uint64
    function: int = 0  # address of the law `own` in this process, 0 of none


@jit(inline=True, internal=True)
def parameter(law, quantiles, which, impact):
    """Value of an impact parameter for an impact, by its number in the run."""
    if law.redrawn[which] == 0:
        return law.values[which]
    stream = IMPACT_STREAMS[which] if which < N_PARAMETERS else which - N_PARAMETERS + FACE_STREAM
    u = uniform(law.seed, stream, law.realization, impact)
    return quantile(quantiles[which], u, law.redrawn[which] == 2)


@jit(inline=True, internal=True)
def takes_whole_face(law):
    """Whether a facet impact is the plastic one of the whole face, wherever its impulse would act."""
    return law.law == MOREAU


@jit(inline=True, internal=True)
def is_fixed(law):
    """Whether every edge impact of a run has the same lambda, and no tau."""
    redrawn = law.redrawn[LAMBDA] != 0 or law.redrawn[TAU] != 0
    return law.law == VARKONYI and not redrawn and law.values[TAU] == 0.0


@jit
def law_place(law, quantiles, impact, inertia, mass, base, rate):
    """Place lambda of the impulse of a landing in a plane [1]: -1 old edge, 1 new edge.

    Parameters
    ----------
    law : ImpactLaw
        Housner's, Moreau's and the laws of one contact have all of the impulse at the new edge.
    impact : int
        Its number in the run.
    inertia, mass : float
        About the COM in the plane of the motion [kg m2], [kg].
    base : tuple of 3 float
        Height of the COM over the base, places of the old and the new edge from its foot, old < new [m].
    rate : float
        Angular velocity before across the plane, of either sign [rad/s].
    """
    height, old, new = base
    about = inertia + mass * height * height
    if law.law == THER_KOLLAR:
        ratio = ther_kollar_2017.velocity_ratio(about, mass, old, new)
    elif law.law == KALLIONTZIS:
        ratio = kalliontzis_2016.velocity_ratio(about, mass, old, new, parameter(law, quantiles, NU, impact))
    elif law.law == BROGLIATO:
        ratio = brogliato_2012.velocity_ratio(
            inertia, mass, old, new, parameter(law, quantiles, E_N21, impact)
        )
    elif law.law == OWN:
        own_parameter = parameter(law, quantiles, OWN_PARAMETER, impact)
        ratio = own.velocity_ratio(law.function, inertia, mass, height, old, new, abs(rate), own_parameter)
    else:  # a law that was forgotten here has no place, and all its impacts count as infeasible
        return 1.0 if law.law in AT_NEW_EDGE else nan
    # of a ratio below 0 the ground takes all motion; an impulse beyond the base is judged by the maps
    ratio = max(ratio, 0.0)
    lever = mass * (ratio * new - old)
    if lever <= 0.0:  # the COM is not over the base, where no planar law was made for
        return 1.0
    point = about * (1.0 - ratio) / lever
    return 2.0 * (point - old) / (new - old) - 1.0


@jit
def edge_place(law, quantiles, impact, mass, inertia, pivots, up, w):
    """Lambda [1] and tau [N m s] of an edge impact; ``pivots`` are the old and the new one, other arguments
    as in `mcrock.impact.varkonyi_2022`."""
    if law.law == VARKONYI:
        return parameter(law, quantiles, LAMBDA, impact), parameter(law, quantiles, TAU, impact)
    old, new = pivots
    ex, ey, ez = new[0] - old[0], new[1] - old[1], new[2] - old[2]
    length = sqrt(ex * ex + ey * ey + ez * ez)
    ex, ey, ez = ex / length, ey / length, ez / length
    # axis of the motion in the upright plane along the edge
    x, y, z = ey * up[2] - ez * up[1], ez * up[0] - ex * up[2], ex * up[1] - ey * up[0]
    place = law_place(
        law,
        quantiles,
        impact,
        inertia[0] * x * x + inertia[3] * y * y + inertia[5] * z * z
        + 2.0 * (inertia[1] * x * y + inertia[2] * x * z + inertia[4] * y * z),
        mass,
        (
            old[0] * up[0] + old[1] * up[1] + old[2] * up[2],
            old[0] * ex + old[1] * ey + old[2] * ez,
            new[0] * ex + new[1] * ey + new[2] * ez,
        ),
        w[0] * x + w[1] * y + w[2] * z,
    )  # fmt: skip
    return place, 0.0


@jit(internal=True)
def drawn_place(law, quantiles, impact, f):
    """Lambda_lon, lambda_lat [1] and tau_facet [N m s] of an impact of face ``f``, by Varkonyi's law."""
    column = law.face_parameters[f]
    lon, lat = parameter(law, quantiles, column, impact), parameter(law, quantiles, column + 1, impact)
    return lon, lat, parameter(law, quantiles, TAU_FACET, impact)


@jit(internal=True)
def planar_place(law, quantiles, impact, mass, inertia, axis, base, rate):
    """The same by a law of planar blocks.

    Parameters
    ----------
    law, impact, mass, inertia
        As in `edge_place`.
    axis : tuple of 3 float
        Direction of the old edge in axes of the body.
    base : tuple of 3 float
        Height of the COM over the face, places of the old edge and of the farthest corner from its foot,
        rising across the face [m].
    rate : float
        Angular velocity before about the old edge [rad/s].
    """
    x, y, z = axis
    xx, xy, xz, yy, yz, zz = inertia
    turning = xx * x * x + yy * y * y + zz * z * z
    turning += 2.0 * (xy * x * y + xz * x * z + yz * y * z)
    place = law_place(law, quantiles, impact, turning, mass, base, rate)
    return place, 0.0, nan
