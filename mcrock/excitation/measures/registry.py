"""Every intensity measure with its units, name and parameters, and its names in datasets and in words.

Baker, J. W., Cornell, C. A. (2006). Spectral shape, epsilon and record selection. Earthquake Engineering
and Structural Dynamics 35(9), 1077-1095 (the averaged spectral acceleration).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from math import cos, pi, sin
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mcrock.base.params import GRAVITY
from mcrock.excitation.measures.component import (
    arias_intensity,
    cumulative_absolute_velocity,
    frequency_ratio,
    mean_period,
    peak_acceleration,
    peak_displacement,
    peak_velocity,
    significant_duration,
    uplift_ratio,
    velocity_over_acceleration,
    velocity_ratio,
)
from mcrock.excitation.measures.periods import AVERAGED, averaged, one_period
from mcrock.excitation.motion import FloatArray

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


def spectral_acceleration(
    acceleration: FloatArray, dt: float, period: float, damping: float = 0.05, **direction: Any
) -> float:
    """Pseudo-spectral acceleration of one component, or of a pair, at a period [s]: [m/s2]."""
    return float(_spectrum(acceleration, dt, [one_period(period)], damping, **direction)[0])


def average_spectral_acceleration(
    acceleration: FloatArray,
    dt: float,
    periods: ArrayLike | None = None,
    *,
    across: FloatArray | None = None,
    percentile: float = 50.0,
    **parameters: Any,
) -> float:
    """Geometric mean of the pseudo-spectral accelerations at several periods [m/s2]: see `averaged`."""
    values = _spectrum(acceleration, dt, *averaged(periods, **parameters), across, percentile)
    return float(np.exp(np.log(values).mean())) if (values > 0).all() else 0.0


def _spectrum(
    acceleration: FloatArray,
    dt: float,
    periods: ArrayLike,
    damping: float,
    across: FloatArray | None = None,
    percentile: float = 50.0,
) -> FloatArray:
    """Spectrum of a component, or with another one `across` it the percentile over all directions (RotD)."""
    # loads the compiler
    from mcrock.excitation.measures.response_spectra import response_spectrum, rotated_spectrum

    if across is None:
        return response_spectrum(acceleration, dt, periods, damping)
    return rotated_spectrum(acceleration, across, dt, periods, damping, percentile=percentile)


def _rotated(function: Callable[..., float], percentile: float) -> Callable[..., float]:
    """The percentile over all directions of a measure of one component."""

    def rotated(x: FloatArray, y: FloatArray, dt: float, **parameters: Any) -> float:
        if function in (spectral_acceleration, average_spectral_acceleration):
            return function(x, dt, across=y, percentile=percentile, **parameters)
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
    for _key in ("pga", "pgv", "sa", "avgsa"):
        _mean = MEASURES[_key]
        MEASURES[f"{_key}_rotd{_percentile}"] = _mean._replace(
            long_name=_mean.long_name.replace(_MEAN, f" (RotD{_percentile})"),
            function=_rotated(_mean.function, _percentile),
            of_pair=True,
        )

_PIECE = r"(?:\d[\dpme]*s|to|n\d+|d\d[\dpme]*)"  # of the parameters in a name


def variable_name(measure: str, parameters: Mapping[str, Any] | None = None) -> str:
    """Name of a measure with its parameters as that of a variable: digits, letters and underscores alone.

    >>> variable_name("pgv"), variable_name("sa", {"period": 0.5, "damping": 0.02})
    ('pgv', 'sa_0p5s_d0p02')
    >>> variable_name("avgsa", {"low": 0.2, "high": 2}), variable_name("avgsa", {"periods": [0.5, 1]})
    ('avgsa_0p2s_to_2s', 'avgsa_0p5s_1s')
    """
    given = parameters or {}
    words = [measure]
    words += [f"{given[key]:g}s" for key in ("period", "pulse_period") if key in given]
    words += [f"{period:g}s" for period in given.get("periods", ())]
    if "low" in given:
        words.append(f"{given['low']:g}s_to_{given['high']:g}s")
    words += [f"n{given['count']}"] if "count" in given else []
    words += [f"d{given['damping']:g}"] if "damping" in given else []
    return "_".join(words).replace(".", "p").replace("-", "m").replace("+", "")


def named_measure(name: str) -> tuple[str, str]:
    """Measure of a name that `variable_name` gave, and its parameters in words; ("", "") of another name.

    >>> named_measure("sa_0p5s_d0p02"), named_measure("avgsa_0p2s_to_2s"), named_measure("d5_95")
    (('sa', ' at 0.5 s, damping 0.02'), ('avgsa', ' from 0.2 s to 2 s'), ('d5_95', ''))
    """
    found = [key for key in MEASURES if re.fullmatch(rf"{key}(_{_PIECE})*", name)]
    if not found:
        return "", ""
    measure = max(found, key=len)
    pieces = re.findall(_PIECE, name[len(measure) :])
    times = [f"{_number(piece[:-1])} s" for piece in pieces if piece.endswith("s")]
    words = [_word_times(measure, times, "to" in pieces)] if times else []
    words += [f"{piece[1:]} periods" for piece in pieces if piece.startswith("n")]
    words += [f"damping {_number(piece[1:])}" for piece in pieces if piece.startswith("d")]
    return measure, " " + ", ".join(words) if words else ""


def _number(text: str) -> str:
    """A number of a name, written as usual."""
    return text.replace("p", ".").replace("m", "-")


def _word_times(measure: str, times: list[str], is_range: bool) -> str:
    """Periods of a measure in words."""
    if is_range:
        return f"from {times[0]} to {times[1]}"
    if measure == "frequency_ratio":
        return f"with a pulse of {times[0]}"
    return f"{'at' if len(times) == 1 else 'over'} {', '.join(times)}"
