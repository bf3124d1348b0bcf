"""Laws of planar blocks, and where the impulse of an impact acts by the law that a run follows.

The laws of planar blocks tell how much velocity a landing leaves. Where the ground would have to push for
that is a place between the old and the new edge, lambda (Várkonyi, P. L., Kocsis, M., Ther, T. (2022), Rigid
impacts of three-dimensional rocking structures, Nonlinear Dynamics 107, 1839-1858, section 2). The maps of
three-dimensional impacts take that place: of the plane through the centre of mass across the old edge in a
facet impact, of the upright plane along the edge in an edge impact. In plane motion the law is met exactly.
Each law is a function of its name with its source, which takes what it names as its arguments: of the landing
(`law_place`), and its parameters. The registry of laws tells which there are.
"""

from __future__ import annotations

import ctypes
import inspect
from math import nan, sqrt
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from mcrock.base.jit import by_code, jit
from mcrock.base.params import FACE_STREAM, EnergyGain, FacetFallback
from mcrock.base.random_numbers import quantile, uniform
from mcrock.impact.registry import IMPACT_STREAMS, ImpactParameter, Law


@jit
def housner_1963(about: float, mass: float, old: float, new: float) -> float:
    """Angular velocity after a landing over that before [1]; the paper's energy ratio r is its square.

    One inelastic impact at the new edge: its angular momentum is conserved.

    Housner, G. W. (1963). The behavior of inverted pendulum structures during earthquakes. Bulletin of the
    Seismological Society of America 53(2), 403-417.

    Parameters
    ----------
    about : float
        Inertia A = I + m h^2 about the foot of the COM on the base [kg m2].
    mass : float
        [kg]
    old, new : float
        Places of the edge that turned and of the edge that lands, from that foot [m], old < new.

    >>> round(housner_1963(17.0 / 12.0, 1.0, -0.5, 0.5), 12)  # 1 m wide, 2 m high
    0.7
    """
    return (about + mass * old * new) / (about + mass * new * new)


@jit
def ther_kollar_2017(about: float, mass: float, old: float, new: float) -> float:
    """Angular velocity after a landing over that before [1]; parameters as in `housner_1963`.

    Two inelastic impacts, at the middle of the base and at the new edge.

    Ther, T., Kollár, L. P. (2017). Refinement of Housner's model on rocking blocks. Bulletin of Earthquake
    Engineering 15, 2305-2319.

    >>> round(ther_kollar_2017(17.0 / 12.0, 1.0, -0.5, 0.5), 12)
    0.85
    """
    middle = 0.5 * (old + new)
    first = (about + mass * old * middle) / (about + mass * middle * middle)
    return first * (about + mass * middle * new) / (about + mass * new * new)


@jit
def kalliontzis_2016(about: float, mass: float, old: float, new: float, nu: float) -> float:
    """Angular velocity after a landing over that before [1], for nu = effective over true width.

    Impact on a base of reduced effective width.

    Kalliontzis, D., Sritharan, S., Schultz, A. (2016). Improved coefficient of restitution estimation for
    free rocking members. Journal of Structural Engineering 142(12), 06016002.

    A smooth convex strip along both edges, on which no energy is lost, and a hollow between them that is nu
    times the width of the base. The other parameters are as in `housner_1963`.

    >>> round(kalliontzis_2016(17.0 / 12.0, 1.0, -0.5, 0.5, 0.5), 6)
    0.915493
    """
    middle, half = 0.5 * (old + new), 0.5 * nu * (new - old)
    first, last = middle - half, middle + half
    # cosine of the angle between both pivots in the metric of the kinetic energy
    kept = (about + mass * first * last) / sqrt((about + mass * first**2) * (about + mass * last**2))
    return kept * sqrt((about + mass * old * old) / (about + mass * new * new))


@jit
def brogliato_2012(inertia: float, mass: float, old: float, new: float, e_n21: float) -> float:
    """Angular velocity after a landing over that before [1], for a coefficient e_n21.

    Generalized kinematic law: what the edge that lands does to the edge that leaves.

    Brogliato, B., Zhang, H., Liu, C. (2012). Analysis of a generalized kinematic impact law for
    multibody-multicontact systems, with application to the planar rocking and chains of balls. Multibody
    System Dynamics 27, 351-382, law (12) with e_n1 = 0 and sticking contacts.

    The normal velocity of the edge that leaves after the impact over that of the edge that lands before it,
    each divided by the square root of D_ii = 1/m + x_i^2/I with I the inertia about the COM [kg m2]. The
    other parameters are as in `housner_1963`. A COM above the middle of the base makes the roots equal, and
    the ratio is e_n21.

    >>> round(brogliato_2012(5.0 / 12.0, 1.0, -0.5, 0.5, 0.7), 12)
    0.7
    """
    lands, leaves = 1.0 / mass + new * new / inertia, 1.0 / mass + old * old / inertia
    return e_n21 * sqrt(leaves / lands)


N_ARGUMENTS = 7
PROTOTYPE = ctypes.CFUNCTYPE(ctypes.c_double, *[ctypes.c_double] * N_ARGUMENTS)


def at_address(address, inertia, mass, height, old, new, rate, parameter):
    """What the code at an address returns."""
    return PROTOTYPE(address)(inertia, mass, height, old, new, rate, parameter)


@intrinsic
def _called(_context: Any, _address: Any, _numbers: Any) -> Any:
    """The same in compiled code, of the arguments in a tuple."""
    signature = types.float64(types.int64, types.UniTuple(types.float64, N_ARGUMENTS))

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        real, (address, numbers) = ir.DoubleType(), arguments
        kind = ir.FunctionType(real, [real] * N_ARGUMENTS).as_pointer()
        taken = [builder.extract_value(numbers, i) for i in range(N_ARGUMENTS)]
        return builder.call(builder.inttoptr(address, kind), taken)

    return signature, generate


@overload(at_address)
def _compiled(address, inertia, mass, height, old, new, rate, parameter):
    return lambda address, inertia, mass, height, old, new, rate, parameter: _called(  # type: ignore[call-arg]
        address, (inertia, mass, height, old, new, rate, parameter)
    )


@jit(internal=True)
def own(address, inertia, mass, height, old, new, rate, own_parameter):
    """Angular velocity after a landing over that before [1], NaN without a law.

    Impulse where a law of one's own places it: a function of the user, compiled outside the kernel.

    A function of one's own, by the name that results give with the hash of its source. The kernel knows such
    a law by the address of its code, so that no law of a user compiles the kernel anew; the address is that
    of the process, 0 if there is none. `mcrock.impact.conditions` makes it.

    Parameters
    ----------
    address : int
        Of the code of the law.
    inertia, mass : float
        Of the body, about its centre of mass in the plane of the motion [kg m2], [kg].
    height : float
        Of the centre of mass over the base [m].
    old, new : float
        Places of the edges from the foot of the centre of mass, old < new [m].
    rate : float
        Angular velocity just before about an axis across that plane, 0 or more [rad/s].
    own_parameter : float
        Of the run or impact [1], NaN without one.
    """
    if address == 0:
        return nan
    return at_address(address, inertia, mass, height, old, new, rate, own_parameter)


VARKONYI, MOREAU = np.int64(Law.VARKONYI_2022), np.int64(Law.MOREAU_1988)
AT_NEW_EDGE = tuple(
    np.int64(law) for law in Law if law in (Law.HOUSNER_1963, Law.MOREAU_1988) or law.of_one_contact
)
LAMBDA, TAU = np.int64(ImpactParameter["LAMBDA"]), np.int64(ImpactParameter["TAU"])
TAU_FACET = np.int64(ImpactParameter["TAU_FACET"])
ROLLING_LOSS, CLEARANCE = np.int64(ImpactParameter["ROLLING_LOSS"]), np.int64(ImpactParameter["CLEARANCE"])
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


def _call(law: Law) -> str:
    """The function of a law, called with what it names."""
    values = {item.argument: f"parameter(law, quantiles, {item:d}, impact)" for item in law.parameters}
    taken = inspect.signature(globals()[law.key]).parameters
    return f"{law.key}({', '.join(values.get(name, name) for name in taken)})"


velocity_ratio = by_code(
    globals(),
    "velocity_ratio(code, law, quantiles, impact, about, inertia, mass, height, old, new, rate, address)",
    {int(law): _call(law) for law in Law if int(law) not in (VARKONYI, *AT_NEW_EDGE)},
    "nan",
)


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
    if law.law in AT_NEW_EDGE:
        return 1.0
    height, old, new = base
    about = inertia + mass * height * height
    ratio = velocity_ratio(
        law.law, law, quantiles, impact, about, inertia, mass, height, old, new, abs(rate), law.function
    )
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
