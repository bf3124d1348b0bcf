"""Every intensity measure with its units, name and parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import cos, pi, sin
from typing import NamedTuple

import numpy as np

from mcrock.excitation.measures.component import (
    arias_intensity,
    cumulative_absolute_velocity,
    mean_period,
    peak_acceleration,
    peak_displacement,
    peak_velocity,
    significant_duration,
    velocity_over_acceleration,
)
from mcrock.excitation.measures.of_block import frequency_ratio, uplift_ratio, velocity_ratio
from mcrock.excitation.measures.periods import AVERAGED
from mcrock.excitation.measures.spectral import (
    average_spectral_acceleration,
    rotated_average,
    rotated_spectral,
    spectral_acceleration,
)
from mcrock.excitation.motion import FloatArray
from mcrock.params import GRAVITY

ANGLES = 180  # directions of RotD, one degree apart: the largest is low by 4e-5 of itself at the most


class MeasureParameter(NamedTuple):
    """Parameter of a measure besides the motion."""

    units: str
    long_name: str
    required: bool


class Measure(NamedTuple):
    """An intensity measure, and what to call it."""

    units: str
    long_name: str
    function: Callable[..., float]  # (component, dt, **parameters) or (x, y, dt, **parameters) [m/s2], [s]
    power: int  # a motion scaled by a factor has the intensity times the absolute factor to this power
    parameters: Mapping[str, MeasureParameter] = {}
    of_pair: bool = False  # whether `function` takes both components at once


def _rotated(function: Callable[[FloatArray, float], float], percentile: float) -> Callable[..., float]:
    """The percentile over all directions of a measure of one component."""

    def rotated(x: FloatArray, y: FloatArray, dt: float) -> float:
        angles = np.arange(ANGLES) * (pi / ANGLES)
        values = [function(cos(angle) * x + sin(angle) * y, dt) for angle in angles]
        return float(np.percentile(values, percentile))

    return rotated


_PERIOD = {"period": MeasureParameter("s", "natural period", True)}
_DAMPING = {"damping": MeasureParameter("1", "share of the critical damping, 0.05 by default", False)}
_PERIODS = {
    "periods": MeasureParameter("s", "list of natural periods, or low and high", False),
    "low": MeasureParameter("s", "shortest period of a range", False),
    "high": MeasureParameter("s", "longest period of a range", False),
    "count": MeasureParameter("1", f"periods of a range, equally spaced, {AVERAGED} by default", False),
}
_BLOCK = {
    "slenderness": MeasureParameter("rad", "slenderness alpha", True),
    "gravity": MeasureParameter("m s-2", f"gravity, {GRAVITY} by default", False),
}
_SIZE = {"frequency_parameter": MeasureParameter("rad s-1", "frequency parameter p", True)}
_PULSE = {
    "pulse_period": MeasureParameter("s", "period of the pulse, that of the record's Tm by default", False)
}
_MEAN = " (geometric mean)"

MEASURES: dict[str, Measure] = {
    "pga": Measure("m s-2", "peak ground acceleration" + _MEAN, peak_acceleration, 1),
    "pgv": Measure("m s-1", "peak ground velocity" + _MEAN, peak_velocity, 1),
    "pgd": Measure("m", "peak ground displacement" + _MEAN, peak_displacement, 1),
    "pgv_pga": Measure("s", "PGV/PGA" + _MEAN, velocity_over_acceleration, 0),
    "arias": Measure("m s-1", "Arias intensity" + _MEAN, arias_intensity, 2),
    "cav": Measure("m s-1", "cumulative absolute velocity" + _MEAN, cumulative_absolute_velocity, 1),
    "d5_95": Measure("s", "significant duration D5-95" + _MEAN, significant_duration, 0),
    "tm": Measure("s", "mean period Tm" + _MEAN, mean_period, 0),
    "sa": Measure(
        "m s-2", "pseudo-spectral acceleration" + _MEAN, spectral_acceleration, 1, _PERIOD | _DAMPING
    ),
    "avgsa": Measure(
        "m s-2",
        "average pseudo-spectral acceleration" + _MEAN,
        average_spectral_acceleration,
        1,
        _PERIODS | _DAMPING,
    ),
    "uplift_ratio": Measure("1", "PGA/(g tan alpha)" + _MEAN, uplift_ratio, 1, _BLOCK),
    "velocity_ratio": Measure("1", "p PGV/(g tan alpha)" + _MEAN, velocity_ratio, 1, _BLOCK | _SIZE),
    "frequency_ratio": Measure("1", "omega_p/p" + _MEAN, frequency_ratio, 0, _SIZE | _PULSE),
}
for _percentile in (50, 100):
    _name, _words = f"rotd{_percentile}", f" (RotD{_percentile})"
    MEASURES |= {
        f"pga_{_name}": Measure(
            "m s-2",
            "peak ground acceleration" + _words,
            _rotated(peak_acceleration, _percentile),
            1,
            of_pair=True,
        ),
        f"pgv_{_name}": Measure(
            "m s-1", "peak ground velocity" + _words, _rotated(peak_velocity, _percentile), 1, of_pair=True
        ),
        f"sa_{_name}": Measure(
            "m s-2",
            "pseudo-spectral acceleration" + _words,
            rotated_spectral(_percentile),
            1,
            _PERIOD | _DAMPING,
            of_pair=True,
        ),
        f"avgsa_{_name}": Measure(
            "m s-2",
            "average pseudo-spectral acceleration" + _words,
            rotated_average(_percentile),
            1,
            _PERIODS | _DAMPING,
            of_pair=True,
        ),
    }
