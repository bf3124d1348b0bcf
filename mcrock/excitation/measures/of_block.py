"""Measures of one component of ground acceleration and of the block that it rocks, without dimension.

Dimitrakopoulos, E. G., Paraskeva, T. S. (2015). Dimensionless fragility curves for rocking response to
near-fault excitations. Earthquake Engineering and Structural Dynamics 44(12), 2015-2033.
"""

from __future__ import annotations

from math import pi, tan

from mcrock.excitation.measures.component import mean_period, peak_acceleration, peak_velocity
from mcrock.excitation.motion import FloatArray, MotionError, checked
from mcrock.params import GRAVITY
from mcrock.rules import Number


def uplift_ratio(acceleration: FloatArray, dt: float, slenderness: float, gravity: float = GRAVITY) -> float:
    """PGA over ``g tan(slenderness)``, the acceleration at which a block begins to rock [1].

    >>> import numpy as np
    >>> round(uplift_ratio(np.array([0.0, 4.0, 0.0]), 0.01, slenderness=np.arctan(0.25), gravity=8.0), 12)
    2.0
    """
    return peak_acceleration(acceleration, dt) / _uplift(slenderness, gravity)


def velocity_ratio(
    acceleration: FloatArray,
    dt: float,
    slenderness: float,
    frequency_parameter: float,
    gravity: float = GRAVITY,
) -> float:
    """Dimensionless velocity ``p PGV / (g tan(slenderness))`` of a block of frequency parameter p [1]."""
    p = checked(Number("rad/s", above=0.0), "frequency_parameter", frequency_parameter)
    return p * peak_velocity(acceleration, dt) / _uplift(slenderness, gravity)


def frequency_ratio(
    acceleration: FloatArray, dt: float, frequency_parameter: float, pulse_period: float | None = None
) -> float:
    """Circular frequency of the shaking over that of the block, ``omega_p / p`` [1].

    omega_p is 2 pi over the pulse period [s] if one is given, else over the mean period Tm of the record.
    """
    period = mean_period(acceleration, dt) if pulse_period is None else pulse_period
    period = checked(Number("s", above=0.0), "pulse_period", period)
    return 2 * pi / period / checked(Number("rad/s", above=0.0), "frequency_parameter", frequency_parameter)


def _uplift(slenderness: float, gravity: float) -> float:
    """``g tan(slenderness)`` [m/s2] of checked numbers."""
    if not 0 < slenderness < pi / 2:
        raise MotionError(f"slenderness must be between 0 and pi/2 [rad], got {slenderness!r}")
    return checked(Number("m/s2", above=0.0), "gravity", gravity) * tan(slenderness)
