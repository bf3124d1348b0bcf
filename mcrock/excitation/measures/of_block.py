"""Measures of one component of ground acceleration and of the block that it rocks, without dimension.

Dimitrakopoulos, E. G., Paraskeva, T. S. (2015). Dimensionless fragility curves for rocking response to
near-fault excitations. Earthquake Engineering and Structural Dynamics 44(12), 2015-2033.
"""

from __future__ import annotations

from math import isfinite, pi, tan

from mcrock.excitation.measures.component import mean_period, peak_acceleration, peak_velocity
from mcrock.excitation.motion import FloatArray, MotionError
from mcrock.params import GRAVITY


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
    p = _positive("frequency_parameter", frequency_parameter, "rad/s")
    return p * peak_velocity(acceleration, dt) / _uplift(slenderness, gravity)


def frequency_ratio(
    acceleration: FloatArray, dt: float, frequency_parameter: float, pulse_period: float | None = None
) -> float:
    """Circular frequency of the shaking over that of the block, ``omega_p / p`` [1].

    omega_p is 2 pi over the pulse period [s] if one is given, else over the mean period Tm of the record.
    """
    period = mean_period(acceleration, dt) if pulse_period is None else pulse_period
    period = _positive("pulse_period", period, "s")
    return 2 * pi / period / _positive("frequency_parameter", frequency_parameter, "rad/s")


def _uplift(slenderness: float, gravity: float) -> float:
    """``g tan(slenderness)`` [m/s2] of checked numbers."""
    if not 0 < slenderness < pi / 2:
        raise MotionError(f"slenderness must be between 0 and pi/2 [rad], got {slenderness!r}")
    return _positive("gravity", gravity, "m/s2") * tan(slenderness)


def _positive(name: str, value: float, units: str) -> float:
    """`value` if it is finite and positive."""
    if not (isfinite(value) and value > 0):
        raise MotionError(f"{name} must be finite and > 0 [{units}], got {value!r}")
    return value
