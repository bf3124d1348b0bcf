"""How strong a motion is: the numbers a study scales its records to, or looks at beside the result.

The intensity of a pair is the geometric mean of its two components as they were recorded, or a RotD
measure of the pair (Boore 2010). It is taken before any rotation, so that turning a pair does not change
how far it is scaled.

Boore, D. M. (2010). Orientation-independent, nongeometric-mean measures of seismic intensity from two
horizontal components of motion. Bulletin of the Seismological Society of America 100(4), 1830-1835.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from math import cos, pi, sin, sqrt
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike

from mcrock.excitation.measures import (
    AVERAGED,
    arias_intensity,
    average_spectral_acceleration,
    averaged,
    check_spectrum,
    cumulative_absolute_velocity,
    frequency_ratio,
    geometric_mean,
    mean_period,
    one_period,
    peak_acceleration,
    peak_displacement,
    peak_velocity,
    significant_duration,
    spectral_acceleration,
    uplift_ratio,
    velocity_over_acceleration,
    velocity_ratio,
)
from mcrock.excitation.motion import FloatArray, Motion, MotionError
from mcrock.params import GRAVITY

ANGLES = 180  # directions of RotD, one degree apart: the largest is low by 4e-5 of itself at the most
KEPT = 1000  # values kept for a motion


class Parameter(NamedTuple):
    """What a measure asks for besides the motion."""

    units: str
    long_name: str
    required: bool


class Measure(NamedTuple):
    """An intensity measure, and what to call it."""

    units: str
    long_name: str
    function: Callable[..., float]  # (component, dt, **parameters) or (x, y, dt, **parameters) [m/s2], [s]
    power: int  # a motion scaled by a factor has the intensity times the absolute factor to this power
    parameters: Mapping[str, Parameter] = {}
    of_pair: bool = False  # whether `function` takes both components at once


def _rotated(function: Callable[[FloatArray, float], float], percentile: float) -> Callable[..., float]:
    """The percentile over all directions of a measure of one component."""

    def rotated(x: FloatArray, y: FloatArray, dt: float) -> float:
        angles = np.arange(ANGLES) * (pi / ANGLES)
        values = [function(cos(angle) * x + sin(angle) * y, dt) for angle in angles]
        return float(np.percentile(values, percentile))

    return rotated


def _rotated_spectral(percentile: float) -> Callable[..., float]:
    """RotD pseudo-spectral acceleration at a period."""

    def rotated(x: FloatArray, y: FloatArray, dt: float, period: float, damping: float = 0.05) -> float:
        from mcrock.excitation.response_spectra import rotated_spectrum

        return float(rotated_spectrum(x, y, dt, [one_period(period)], damping, percentile=percentile)[0])

    return rotated


def _rotated_average(percentile: float) -> Callable[..., float]:
    """Geometric mean of RotD pseudo-spectral accelerations at several periods."""

    def rotated(
        x: FloatArray, y: FloatArray, dt: float, periods: ArrayLike | None = None, **parameters: Any
    ) -> float:
        from mcrock.excitation.response_spectra import rotated_spectrum

        periods, damping = averaged(periods, **parameters)
        return geometric_mean(rotated_spectrum(x, y, dt, periods, damping, percentile=percentile))

    return rotated


_PERIOD = {"period": Parameter("s", "natural period", True)}
_DAMPING = {"damping": Parameter("1", "share of the critical damping, 0.05 by default", False)}
_PERIODS = {
    "periods": Parameter("s", "list of natural periods, or low and high", False),
    "low": Parameter("s", "shortest period of a range", False),
    "high": Parameter("s", "longest period of a range", False),
    "count": Parameter("1", f"periods of a range, equally spaced, {AVERAGED} by default", False),
}
_BLOCK = {
    "slenderness": Parameter("rad", "slenderness alpha", True),
    "gravity": Parameter("m s-2", f"gravity, {GRAVITY} by default", False),
}
_SIZE = {"frequency_parameter": Parameter("rad s-1", "frequency parameter p", True)}
_PULSE = {"pulse_period": Parameter("s", "period of the pulse, that of the record's Tm by default", False)}
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
            _rotated_spectral(_percentile),
            1,
            _PERIOD | _DAMPING,
            of_pair=True,
        ),
        f"avgsa_{_name}": Measure(
            "m s-2",
            "average pseudo-spectral acceleration" + _words,
            _rotated_average(_percentile),
            1,
            _PERIODS | _DAMPING,
            of_pair=True,
        ),
    }


# a motion never changes, and every part of a study asks for the intensities of all of them
_KNOWN: WeakKeyDictionary[Motion, dict[Any, float]] = WeakKeyDictionary()


def intensity(motion: Motion, measure: str, **parameters: Any) -> float:
    """Intensity of a motion: geometric mean over its two horizontal components, or RotD of the pair.

    Parameters
    ----------
    motion : Motion
        As recorded or processed, not yet turned to the azimuth of a run: a turn changes geometric means.
    measure : str
        A key of `MEASURES`, for example "pga" [m/s2], "pgv" [m/s], "sa" or "sa_rotd50" [m/s2].
    **parameters
        What `MEASURES` says that the measure takes: `period` [s] and `damping` [1] of "sa", `periods`
        or `low`, `high` and `count` of "avgsa", `slenderness` [rad] and `frequency_parameter` [rad/s] of
        the ratios of rocking.

    Returns
    -------
    float
        In the units of the measure. Of a motion with a single horizontal component (the other is
        zero throughout, `Motion.shaken`) the value of that component, also where the measure is a RotD one.

    Raises
    ------
    MotionError
        If the measure or a parameter is unknown, lacking or out of range, or the motion does not
        shake horizontally.

    Examples
    --------
    >>> pair = Motion([[0.0, 4.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 0.0]], dt=0.5, name="pair")
    >>> intensity(pair, "pga"), intensity(pair, "pgv")
    (2.0, 1.0)
    >>> round(intensity(pair, "pga_rotd100"), 3), round(intensity(pair, "sa", period=1.0), 3)
    (4.123, 2.826)
    """
    known = _KNOWN.setdefault(motion, {})
    key = (measure, *((name, _hashable(parameters[name])) for name in sorted(parameters)))
    if key in known:
        return known[key]
    if len(known) >= KEPT:  # parameters may differ from run to run
        known.clear()
    check_parameters(measure, parameters)
    horizontal = [
        component for component, moves in zip(motion.acceleration[:2], motion.shaken, strict=False) if moves
    ]
    if not horizontal:
        raise MotionError(
            f"motion '{motion.name}' has no horizontal acceleration, so it has no {measure} to scale to; "
            "leave it out or use the measure 'factor'"
        )
    chosen = MEASURES[measure]
    try:
        if chosen.of_pair and len(horizontal) == 2:
            known[key] = chosen.function(*horizontal, motion.dt, **parameters)
            return known[key]
        alone = MEASURES[measure.split("_rotd")[0]].function
        values = [alone(component, motion.dt, **parameters) for component in horizontal]
    except MotionError as error:
        raise MotionError(f"{measure} of motion '{motion.name}': {error}") from None
    known[key] = sqrt(values[0] * values[-1])
    return known[key]


def check_parameters(measure: str, parameters: Mapping[str, Any]) -> None:
    """Refuse a measure that does not exist, or parameters it does not take or lacks."""
    if measure not in MEASURES:
        raise MotionError(f"intensity measure must be one of {', '.join(MEASURES)}, got {measure!r}")
    taken = MEASURES[measure].parameters
    for name in parameters:
        if name not in taken:
            raise MotionError(
                f"intensity measure '{measure}' takes {', '.join(taken) or 'no parameters'}; "
                f"unknown: {name!r}"
            )
    for name, parameter in taken.items():
        if parameter.required and name not in parameters:
            raise MotionError(
                f"intensity measure '{measure}' needs {name}, {parameter.long_name} [{parameter.units}]"
            )
    try:
        if "period" in taken:
            check_spectrum(one_period(parameters["period"]), parameters.get("damping", 0.05))
        elif "periods" in taken:
            check_spectrum(*averaged(**parameters))
    except MotionError as error:
        raise MotionError(f"intensity measure '{measure}': {error}") from None


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


_PIECE = r"(?:\d[\dpme]*s|to|n\d+|d\d[\dpme]*)"  # of the parameters in a name


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


def _hashable(value: Any) -> Any:
    """A list of periods as a key."""
    return tuple(np.ravel(value).tolist()) if np.ndim(value) else value
