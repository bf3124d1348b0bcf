"""How strong a motion is: the numbers a study scales its records to, or looks at beside the result.

The intensity of a pair is the geometric mean of its two components as they were recorded, or a RotD
measure of the pair. It is taken before any rotation, so that turning a pair does not change how far it is
scaled.

Baker, J. W., Cornell, C. A. (2006). Spectral shape, epsilon and record selection. Earthquake Engineering
and Structural Dynamics 35(9), 1077-1095 (the averaged spectral acceleration).

Boore, D. M. (2010). Orientation-independent, nongeometric-mean measures of seismic intensity from two
horizontal components of motion. Bulletin of the Seismological Society of America 100(4), 1830-1835.

Dimitrakopoulos, E. G., Paraskeva, T. S. (2015). Dimensionless fragility curves for rocking response to
near-fault excitations. Earthquake Engineering and Structural Dynamics 44(12), 2015-2033 (the rocking ones).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import cos, isfinite, pi, sin, sqrt, tan
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike

from mcrock.excitation.measures import (
    arias_intensity,
    cumulative_absolute_velocity,
    mean_period,
    peak_acceleration,
    peak_displacement,
    peak_velocity,
    significant_duration,
)
from mcrock.excitation.motion import FloatArray, Motion, MotionError
from mcrock.params import GRAVITY

AVERAGED = 20  # periods of a range that AvgSA takes by default
ANGLES = 180  # directions of RotD, one degree apart


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


def spectral_acceleration(acceleration: FloatArray, dt: float, period: float, damping: float = 0.05) -> float:
    """Pseudo-spectral acceleration of one component at a period [s]: [m/s2]."""
    from mcrock.excitation.spectra import response_spectrum

    return float(response_spectrum(acceleration, dt, [_period(period)], damping)[0])


def average_spectral_acceleration(
    acceleration: FloatArray, dt: float, periods: ArrayLike | None = None, **parameters: Any
) -> float:
    """Geometric mean of the pseudo-spectral accelerations at several periods [m/s2]: see `averaged`."""
    from mcrock.excitation.spectra import response_spectrum

    periods, damping = averaged(periods, **parameters)
    return _geometric_mean(response_spectrum(acceleration, dt, periods, damping))


def averaged(
    periods: ArrayLike | None = None,
    low: float | None = None,
    high: float | None = None,
    count: int = AVERAGED,
    damping: float = 0.05,
) -> tuple[FloatArray, float]:
    """Periods [s] over which AvgSA is taken, and the damping [1].

    Either the list `periods`, or `count` of them equally spaced from `low` to `high`.

    >>> averaged(low=0.5, high=2.0, count=4)[0].tolist()
    [0.5, 1.0, 1.5, 2.0]
    """
    if (periods is None) == (low is None and high is None):
        raise MotionError("AvgSA needs either periods, a list [s], or low and high, the ends of a range [s]")
    if periods is not None:
        chosen = np.array(periods, dtype=np.float64)
        if chosen.ndim != 1 or not len(chosen):
            raise MotionError(f"periods of AvgSA must be a list of at least one [s], got {periods!r}")
        return chosen, damping
    if low is None or high is None or not (isfinite(high) and 0 < low < high):
        raise MotionError(f"AvgSA needs 0 < low < high, both finite [s], got {low!r} and {high!r}")
    if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 2:
        raise MotionError(f"count of periods of AvgSA must be a whole number of at least 2, got {count!r}")
    return np.linspace(low, high, int(count)), damping


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
        from mcrock.excitation.spectra import rotated_spectrum

        return float(rotated_spectrum(x, y, dt, [_period(period)], damping, percentile=percentile)[0])

    return rotated


def _rotated_average(percentile: float) -> Callable[..., float]:
    """Geometric mean of RotD pseudo-spectral accelerations at several periods."""

    def rotated(
        x: FloatArray, y: FloatArray, dt: float, periods: ArrayLike | None = None, **parameters: Any
    ) -> float:
        from mcrock.excitation.spectra import rotated_spectrum

        periods, damping = averaged(periods, **parameters)
        return _geometric_mean(rotated_spectrum(x, y, dt, periods, damping, percentile=percentile))

    return rotated


def uplift_ratio(acceleration: FloatArray, dt: float, slenderness: float, gravity: float = GRAVITY) -> float:
    """PGA over ``g tan(slenderness)``, the acceleration at which a block begins to rock [1].

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
    "pgv_pga": Measure(
        "s", "PGV/PGA" + _MEAN, lambda a, dt: peak_velocity(a, dt) / peak_acceleration(a, dt), 0
    ),
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
        As recorded: rotate after taking the intensity, not before.
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
        zero throughout) the value of that component, also where the measure is a RotD one.

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
    (4.123, 3.015)
    """
    known = _KNOWN.setdefault(motion, {})
    key = (measure, *((name, _hashable(parameters[name])) for name in sorted(parameters)))
    if key in known:
        return known[key]
    check_parameters(measure, parameters)
    horizontal = [component for component in motion.acceleration[:2] if component.any()]
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
                f"intensity measure '{measure}' takes {', '.join(taken) or 'no parameters'}; unknown: {name!r}"
            )
    for name, parameter in taken.items():
        if parameter.required and name not in parameters:
            raise MotionError(
                f"intensity measure '{measure}' needs {name}, {parameter.long_name} [{parameter.units}]"
            )


def _hashable(value: Any) -> Any:
    """A list of periods as a key."""
    return tuple(np.ravel(value).tolist()) if np.ndim(value) else value


def _geometric_mean(values: FloatArray) -> float:
    """Geometric mean, zero if any is."""
    return float(np.exp(np.log(values).mean())) if (values > 0).all() else 0.0


def _uplift(slenderness: float, gravity: float) -> float:
    """``g tan(slenderness)`` [m/s2] of checked numbers."""
    if not 0 < slenderness < pi / 2:
        raise MotionError(f"slenderness must be between 0 and pi/2 [rad], got {slenderness!r}")
    return _positive("gravity", gravity, "m/s2") * tan(slenderness)


def _period(period: float) -> float:
    """A single period [s]."""
    if np.ndim(period):
        raise MotionError(f"period must be one number [s], got {period!r}; for several use 'avgsa'")
    return float(period)


def _positive(name: str, value: float, units: str) -> float:
    """`value` if it is finite and positive."""
    if not (isfinite(value) and value > 0):
        raise MotionError(f"{name} must be finite and > 0 [{units}], got {value!r}")
    return value
