"""What a run remembers in its results, and the least friction coefficient that contacts that stick ask for.

With plastic impacts a run with friction is the run of contacts that stick up to the first instant at which
the friction demanded exceeds what there is: at rest, on an edge, on a vertex, in an impact. A run without
friction keeps the largest demand, above which it is certified to be the run with friction.
"""

from __future__ import annotations

from enum import IntEnum, auto
from math import asin, atan2, isnan, pi, sqrt

import numpy as np

from mcrock.base.jit import jit
from mcrock.base.params import Mode, Response
from mcrock.kernel.roots import cubic_peak
from mcrock.kernel.rotation import to_ground


class Scratch(IntEnum):
    """Columns behind the responses that a run needs on its way: peaks after the first impact."""

    LATER_X = len(Response)
    LATER_Y = auto()


RESULT_SIZE = len(Response) + len(Scratch)


# an array: compiled code would copy a tuple at every index, 3 % of a run of free rocking
START = np.array([response.start for response in Response] + len(Scratch) * [0.0])


# the last part of every fall unloads the contact and its friction demand diverges: contact forces
# are watched up to a tilt of 45 degrees, given by its cosine [1]
_FALL_UP = sqrt(0.5)


@jit(internal=True)
def clear(result):
    """Start a run: every column at its start value."""
    for i in range(RESULT_SIZE):
        result[i] = START[i]


@jit(inline=True, internal=True)
def impacts(result):
    """Impacts so far, and flights."""
    return result[Response.EDGE_IMPACTS] + result[Response.FACET_IMPACTS] + result[Response.FLIGHTS]


@jit(internal=True)
def impacts_so_far(result):
    """Number of the next edge or facet impact, by which its parameters are drawn."""
    return np.int64(result[Response.EDGE_IMPACTS] + result[Response.FACET_IMPACTS])


@jit(internal=True)
def see_overturning(result, t, q):
    """Note that the body overturns at ``t`` [s] with orientation ``q``."""
    x, y, _ = to_ground(q, 0.0, 0.0, 1.0)
    result[Response.OVERTURNING_TIME] = t
    result[Response.OVERTURNING_DIRECTION] = atan2(y, x)


@jit(inline=True, internal=True)
def has_overturned(result):
    """Whether the body has overturned before."""
    return not isnan(result[Response.OVERTURNING_TIME])


@jit(inline=True, internal=True)
def see_pose(result, x, y):
    """Update the peaks with a pose whose vertical has body components ``x`` and ``y``.

    The tilt is the angle between body axis and vertical; the rotations about the base axes are the
    components of the rotation vector without its yaw, tilt/sin(tilt) (y, -x). A fall that is
    followed adds nothing to the peaks.
    """
    if has_overturned(result):
        return
    square = x * x + y * y
    if square > result[Response.PEAK_TILT]:  # kept as sin(tilt)^2 until the run is over
        result[Response.PEAK_TILT] = square
    after_impact = result[Response.EDGE_IMPACTS] + result[Response.FACET_IMPACTS] > 0.0
    x, y = abs(x), abs(y)
    widest = 0.5 * pi  # upper bound of tilt/sin(tilt)
    if (
        y * widest > result[Response.PEAK_ROTATION_X]
        or x * widest > result[Response.PEAK_ROTATION_Y]
        or (after_impact and (y * widest > result[Scratch.LATER_X] or x * widest > result[Scratch.LATER_Y]))
    ):
        sine = sqrt(min(square, 1.0))
        factor = asin(sine) / sine if sine > 0.0 else 1.0
        result[Response.PEAK_ROTATION_X] = max(result[Response.PEAK_ROTATION_X], factor * y)
        result[Response.PEAK_ROTATION_Y] = max(result[Response.PEAK_ROTATION_Y], factor * x)
        if after_impact:
            result[Scratch.LATER_X] = max(result[Scratch.LATER_X], factor * y)
            result[Scratch.LATER_Y] = max(result[Scratch.LATER_Y], factor * x)


@jit(inline=True, internal=True)
def see_turning_point(result, s0, d0, s1, d1, h):
    """Peak tilt between the ends of a step, from sin(tilt)^2 and its rate there."""
    if d0 > 0.0 and d1 < 0.0 and not has_overturned(result):
        result[Response.PEAK_TILT] = max(result[Response.PEAK_TILT], cubic_peak(s0, d0, s1, d1, h))


@jit(inline=True, internal=True)
def see_force(result, gravity, square, normal, up_z):
    """Update contact diagnostics with a ground reaction over mass: its normal part [m/s2] and the
    square of its horizontal part."""
    if up_z < _FALL_UP or has_overturned(result):
        return
    result[Response.LOWEST_NORMAL_FORCE] = min(result[Response.LOWEST_NORMAL_FORCE], normal / gravity)
    if normal <= 0.0:
        result[Response.CONTACT_LOST] = 1.0
    # the demand is kept as its square until the run is over
    elif square > result[Response.PEAK_FRICTION_DEMAND] * (normal * normal):
        result[Response.PEAK_FRICTION_DEMAND] = square / (normal * normal)


@jit(inline=True, internal=True)
def certifiable(result):
    """Whether some friction coefficient is left at which the run is certified."""
    return result[Response.CERTIFIED_FRICTION] < np.inf


@jit(inline=True, internal=True)
def see_vertex(result, square, normal):
    """Update the friction at which the run is certified with the force at a vertex over mass: its normal part
    [m/s2] and the square of its horizontal part. The certificate is kept as its square until the run is
    over."""
    known = square <= result[Response.CERTIFIED_FRICTION] * (normal * normal) and normal > 0.0
    if not (known or has_overturned(result)):
        demand = point_demand(square, normal)
        result[Response.CERTIFIED_FRICTION] = max(result[Response.CERTIFIED_FRICTION], demand)


@jit(inline=True, internal=True)
def see_edge(result, ends):
    """The same with the forces of an edge: normal at both ends, across at both ends, and along it."""
    n_p, n_q, f_p, f_q, along = ends
    known = edge_sticks(result[Response.CERTIFIED_FRICTION], n_p, n_q, f_p, f_q, along)
    if not (known or has_overturned(result)):
        demand = edge_demand(n_p, n_q, f_p, f_q, along)
        result[Response.CERTIFIED_FRICTION] = max(result[Response.CERTIFIED_FRICTION], demand)


@jit(inline=True, internal=True)
def see_pull(result, gravity, square, az):
    """The same at rest, with the square of the horizontal and the vertical ground acceleration [m/s2]."""
    down = gravity + az
    if square > result[Response.CERTIFIED_FRICTION] * (down * down) or down <= 0.0:
        demand = point_demand(square, down)
        result[Response.CERTIFIED_FRICTION] = max(result[Response.CERTIFIED_FRICTION], demand)


@jit(internal=True)
def see_impact(result, demand, square, normal):
    """Note an impact with the impulse over mass: its normal part [m/s] and the square of its horizontal part,
    and the square of the friction coefficient that it asks for."""
    if has_overturned(result):
        return
    result[Response.CERTIFIED_FRICTION] = max(result[Response.CERTIFIED_FRICTION], demand)
    if normal < 0.0:
        result[Response.PULLING_IMPACTS] += 1.0
    elif square > (result[Response.PEAK_IMPACT_FRICTION] * normal) ** 2:
        result[Response.PEAK_IMPACT_FRICTION] = sqrt(square) / normal


@jit(inline=True, internal=True)
def see_rest(result, gravity, az):
    """Update contact diagnostics with a vertical ground acceleration [m/s2] felt at rest."""
    normal = 1.0 + az / gravity
    result[Response.LOWEST_NORMAL_FORCE] = min(result[Response.LOWEST_NORMAL_FORCE], normal)
    if normal <= 0.0:
        result[Response.CONTACT_LOST] = 1.0


@jit(inline=True, internal=True)
def see_moments(result, overturning, restoring):
    """Update the largest ratio of the moments about a side of the face at rest, in any unit."""
    if overturning > result[Response.UPLIFT_MARGIN] * restoring:  # kept as the ratio until the run is over
        result[Response.UPLIFT_MARGIN] = overturning / restoring if restoring > 0.0 else 1.0


@jit(internal=True)
def see_slip(result, t):
    """Note that the run is no longer that of contacts that stick, at ``t`` [s]."""
    result[Response.CERTIFIED_UNTIL] = min(result[Response.CERTIFIED_UNTIL], t)
    result[Response.CERTIFIED_FRICTION] = np.inf


@jit(internal=True)
def spend(result, mode, time):
    """Add the time [s] spent in a mode to its share."""
    if mode == Mode.REST:
        result[Response.REST_SHARE] += time
    elif mode == Mode.EDGE or mode == Mode.VERTEX or mode == Mode.ROLL:
        result[Response.ROCKING_SHARE] += time
    elif mode == Mode.FLIGHT:
        result[Response.FLIGHT_SHARE] += time
    elif mode == Mode.SLIDE or mode == Mode.SPIN:
        result[Response.SLIDING_SHARE] += time
    else:
        result[Response.SLIDE_ROCKING_SHARE] += time


@jit(internal=True)
def finish_friction(result, t, mass):
    """Turn times into shares, and the energy lost in slip over the mass into one."""
    scale = 1.0 / t if t > 0.0 else 0.0
    result[Response.REST_SHARE] *= scale
    result[Response.ROCKING_SHARE] *= scale
    result[Response.FLIGHT_SHARE] *= scale
    result[Response.SLIDING_SHARE] *= scale
    result[Response.SLIDE_ROCKING_SHARE] *= scale
    result[Response.FRICTION_ENERGY_LOSS] *= mass
    # with friction every impact has an answer
    result[Response.INFEASIBLE_EDGE_IMPACTS] = 0.0
    result[Response.INFEASIBLE_ENERGY_LOSS] = 0.0


@jit(internal=True)
def finish(result, outcome, t, slenderness):
    """Turn the running peaks into results when a run ends with ``outcome`` at ``t`` [s]."""
    result[Response.OUTCOME] = outcome
    result[Response.END_TIME] = t
    result[Response.PEAK_FRICTION_DEMAND] = sqrt(result[Response.PEAK_FRICTION_DEMAND])
    result[Response.CERTIFIED_FRICTION] = sqrt(result[Response.CERTIFIED_FRICTION])
    result[Response.UPLIFT_MARGIN] = min(result[Response.UPLIFT_MARGIN], 1.0) - 1.0
    tilt = asin(sqrt(min(result[Response.PEAK_TILT], 1.0)))
    result[Response.PEAK_TILT] = tilt
    result[Response.PEAK_TILT_RATIO] = tilt / slenderness if slenderness > 0.0 else np.nan
    if result[Response.EDGE_IMPACTS] + result[Response.FACET_IMPACTS] > 0.0:
        x, y = result[Scratch.LATER_X], result[Scratch.LATER_Y]
        if max(x, y) > 0.0:
            result[Response.OUT_OF_PLANE_FACTOR] = min(x, y) / max(x, y)


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
