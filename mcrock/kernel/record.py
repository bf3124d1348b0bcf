"""What a run remembers: scalars always, its history and event list on request."""

from __future__ import annotations

from math import asin, atan2, isnan, pi, sqrt
from typing import NamedTuple

import numpy as np

from mcrock.jit import jit
from mcrock.kernel.events import cubic_peak
from mcrock.kernel.rotation import to_ground

# columns of the scalar results, in the order of `mcrock.dataset.OUTPUTS`
(
    OUTCOME,
    OVERTURNING_TIME,
    OVERTURNING_DIRECTION,
    PEAK_TILT,
    PEAK_TILT_RATIO,
    PEAK_X,
    PEAK_Y,
    OUT_OF_PLANE,
    EDGE_IMPACTS,
    FACET_IMPACTS,
    ENERGY_LOSS,
    FINAL_FACE,
    YAW,
    DISPLACEMENT_X,
    DISPLACEMENT_Y,
    FRICTION,
    NORMAL_FORCE,
    CONTACT_LOST,
    INFEASIBLE_EDGE,
    INFEASIBLE_FACET,
    INFEASIBLE_ENERGY,
    EDGE_STICK,
    ENERGY_GAIN,
    END_TIME,
    STEPS,
    HALF_STEP,
) = range(26)
# scratch columns behind them: peaks after the first impact
LATER_X, LATER_Y, RESULT_SIZE = 26, 27, 28

# the last part of every fall unloads the contact and its friction demand diverges: contact forces
# are watched up to a tilt of 45 degrees, given by its cosine [1]
_FALL_UP = sqrt(0.5)


class Trace(NamedTuple):
    """Room for the history and the events of one run; of length 0 nothing is kept."""

    history: np.ndarray  # (n, 15) t, mode, index, q (4), omega ground (3), com (3), energy, tilt
    events: np.ndarray  # (n, 10) t, kind, mode, index, omega ground (3), energy change, tilt, face
    used: np.ndarray  # (2,) rows written, past the end if there was no room


HISTORY_SIZE, EVENT_SIZE = 15, 10


@jit(internal=True)
def clear(result):
    """Start a run: everything zero, what has not happened NaN."""
    for i in range(result.size):
        result[i] = 0.0
    result[OVERTURNING_TIME] = np.nan
    result[OVERTURNING_DIRECTION] = np.nan
    result[OUT_OF_PLANE] = np.nan
    result[NORMAL_FORCE] = 1.0
    result[FINAL_FACE] = -1.0


@jit(internal=True)
def see_overturning(result, t, q):
    """Note that the body overturns at ``t`` [s] with orientation ``q`` (indexable)."""
    x, y, _ = to_ground(q, 0.0, 0.0, 1.0)
    result[OVERTURNING_TIME] = t
    result[OVERTURNING_DIRECTION] = atan2(y, x)


@jit(inline=True, internal=True)
def has_overturned(result):
    """Whether the body has overturned before."""
    return not isnan(result[OVERTURNING_TIME])


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
    if square > result[PEAK_TILT]:  # kept as sin(tilt)^2 until the run is over
        result[PEAK_TILT] = square
    after_impact = result[EDGE_IMPACTS] + result[FACET_IMPACTS] > 0.0
    x, y = abs(x), abs(y)
    widest = 0.5 * pi  # upper bound of tilt/sin(tilt)
    if (
        y * widest > result[PEAK_X]
        or x * widest > result[PEAK_Y]
        or (after_impact and (y * widest > result[LATER_X] or x * widest > result[LATER_Y]))
    ):
        sine = sqrt(min(square, 1.0))
        factor = asin(sine) / sine if sine > 0.0 else 1.0
        result[PEAK_X] = max(result[PEAK_X], factor * y)
        result[PEAK_Y] = max(result[PEAK_Y], factor * x)
        if after_impact:
            result[LATER_X] = max(result[LATER_X], factor * y)
            result[LATER_Y] = max(result[LATER_Y], factor * x)


@jit(inline=True, internal=True)
def see_turning_point(result, s0, d0, s1, d1, h):
    """Peak tilt between the ends of a step, from sin(tilt)^2 and its rate there."""
    if d0 > 0.0 and d1 < 0.0 and not has_overturned(result):
        result[PEAK_TILT] = max(result[PEAK_TILT], cubic_peak(s0, d0, s1, d1, h))


@jit(inline=True, internal=True)
def see_force(result, gravity, square, normal, up_z):
    """Update contact diagnostics with a ground reaction over mass: its normal part [m/s2] and the
    square of its horizontal part."""
    if up_z < _FALL_UP or has_overturned(result):
        return
    result[NORMAL_FORCE] = min(result[NORMAL_FORCE], normal / gravity)
    if normal <= 0.0:
        result[CONTACT_LOST] = 1.0
    elif square > result[FRICTION] * (normal * normal):  # kept as its square until the run is over
        result[FRICTION] = square / (normal * normal)


@jit(inline=True, internal=True)
def see_rest(result, gravity, az):
    """Update contact diagnostics with a vertical ground acceleration [m/s2] felt at rest."""
    normal = 1.0 + az / gravity
    result[NORMAL_FORCE] = min(result[NORMAL_FORCE], normal)
    if normal <= 0.0:
        result[CONTACT_LOST] = 1.0


@jit(internal=True)
def finish(result, outcome, t, slenderness):
    """Turn the running peaks into results when a run ends with ``outcome`` at ``t`` [s]."""
    result[OUTCOME] = outcome
    result[END_TIME] = t
    result[FRICTION] = sqrt(result[FRICTION])
    result[PEAK_TILT] = asin(sqrt(min(result[PEAK_TILT], 1.0)))
    result[PEAK_TILT_RATIO] = result[PEAK_TILT] / slenderness if slenderness > 0.0 else np.nan
    if result[EDGE_IMPACTS] + result[FACET_IMPACTS] > 0.0:
        larger = max(result[LATER_X], result[LATER_Y])
        if larger > 0.0:
            result[OUT_OF_PLANE] = min(result[LATER_X], result[LATER_Y]) / larger
