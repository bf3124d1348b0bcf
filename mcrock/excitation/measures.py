"""Intensity measures of motions: each with its units, name and parameters, of one component and of a pair.

`MEASURES` lists them and `intensity` computes one of a motion: what a study scales its records to, or keeps
in addition to the result. Response spectra stand in `mcrock.excitation.response_spectra`, which loads the
compiler. The intensity of a pair is the geometric mean of its two components as they were recorded, or a
RotD measure of the pair (Boore 2010). It is taken before any rotation, so that turning a pair does not
change how far it is scaled.

Velocities and displacements are exact for the acceleration that is linear between its samples and starts
from rest: parabolas and cubics on each step. Arias intensity, D5-95 and CAV are integrals by the
trapezoidal rule, as in all flatfiles: of the square of a band-limited signal that is its integral, while
the lines between the samples of a record at 100 Hz can lose a tenth of it.

Arias, A. (1970). A measure of earthquake intensity. In: Hansen, R. J. (ed.), Seismic design for nuclear
power plants, MIT Press, 438-483.

Baker, J. W., Cornell, C. A. (2006). Spectral shape, epsilon and record selection. Earthquake Engineering
and Structural Dynamics 35(9), 1077-1095 (the averaged spectral acceleration).

Boore, D. M. (2010). Orientation-independent, nongeometric-mean measures of seismic intensity from two
horizontal components of motion. Bulletin of the Seismological Society of America 100(4), 1830-1835.

Dimitrakopoulos, E. G., Paraskeva, T. S. (2015). Dimensionless fragility curves for rocking response to
near-fault excitations. Earthquake Engineering and Structural Dynamics 44(12), 2015-2033 (the measures
without dimension, of a motion and of the block that it rocks).

Rathje, E. M., Abrahamson, N. A., Bray, J. D. (1998). Simplified frequency content estimates of earthquake
ground motions. Journal of Geotechnical and Geoenvironmental Engineering 124(2), 150-159.

Rathje, E. M., Faraj, F., Russell, S., Bray, J. D. (2004). Empirical relationships for frequency content
parameters of earthquake ground motions. Earthquake Spectra 20(1), 119-144.

Trifunac, M. D., Brady, A. G. (1975). A study on the duration of strong earthquake ground motion. Bulletin
of the Seismological Society of America 65(3), 581-626.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from math import ceil, cos, log2, pi, sin, sqrt, tan
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike

from mcrock.base.checks import Number
from mcrock.base.params import GRAVITY, STANDARD_GRAVITY
from mcrock.excitation.motion import MOST_SAMPLES, FloatArray, Motion, MotionError, checked
from mcrock.excitation.response_spectra import AVERAGED, averaged, check_spectrum, one_period

MEAN_PERIOD_BAND = (0.25, 20.0)  # [Hz], Rathje et al. (1998)
MEAN_PERIOD_RESOLUTION = 0.05  # [Hz] at the most, Rathje et al. (2004)


def peak_acceleration(acceleration: FloatArray, dt: float) -> float:
    """Largest absolute acceleration of one component (n_time,) [m/s2], given in [m/s2]."""
    return float(np.abs(acceleration).max())


def peak_velocity(acceleration: FloatArray, dt: float) -> float:
    """Largest absolute velocity of one component (n_time,) [m/s2], from rest: [m/s].

    Exact for the acceleration that is linear between samples `dt` [s] apart: the velocity is then
    a parabola on each step, with its extreme either at a sample or where the acceleration is zero.

    >>> peak_velocity(np.array([1.0, -1.0]), dt=1.0)
    0.25
    """
    before, after = acceleration[:-1], acceleration[1:]
    velocity = velocity_of(acceleration, dt)
    crossing = np.sign(before) * np.sign(after) < 0
    a, b = before[crossing], after[crossing]
    between = velocity[:-1][crossing] + a * (a / (a - b)) * (dt / 2)
    return float(max(np.abs(velocity).max(), np.abs(between).max(initial=0.0)))


def peak_displacement(acceleration: FloatArray, dt: float) -> float:
    """Largest absolute displacement of one component (n_time,) [m/s2], from rest: [m].

    The record is integrated twice as it is: what its baseline lacks shows here first.

    >>> round(peak_displacement(np.array([1.0, -1.0]), dt=1.0), 9)  # t^2 / 2 - t^3 / 3 at the end
    0.166666667
    """
    velocity = velocity_of(acceleration, dt)
    displacement = displacement_of(acceleration, dt)
    peak = float(np.abs(displacement).max())
    # the displacement turns where the velocity v + a s + (b - a) s^2 / (2 dt) is zero
    v, d, a = velocity[:-1], displacement[:-1], acceleration[:-1]
    half_slope = np.diff(acceleration) / (2 * dt)
    with np.errstate(all="ignore"):
        spread = np.sqrt(a * a - 4 * half_slope * v)
        q = -0.5 * (a + np.where(a < 0, -spread, spread))  # no cancellation, and no need of a slope
        for s in (q / half_slope, v / q):
            inside = (s > 0) & (s < dt)
            value = d + s * (v + s * (a / 2 + s * half_slope / 3))
            peak = max(peak, float(np.abs(value[inside]).max(initial=0.0)))
    return peak


def velocity_over_acceleration(acceleration: FloatArray, dt: float) -> float:
    """PGV over PGA of one component that is not zero throughout [s]."""
    return peak_velocity(acceleration, dt) / peak_acceleration(acceleration, dt)


def arias_intensity(acceleration: FloatArray, dt: float) -> float:
    """Arias intensity ``pi / (2 g)`` times the integral of the squared acceleration [m/s].

    By the trapezoidal rule, with the standard gravity, 9.80665 m/s2. Arias (1970).

    >>> round(arias_intensity(np.array([0.0, 3.0, 0.0]), dt=1.0) * 2 * STANDARD_GRAVITY / np.pi, 12)
    9.0
    """
    return float(pi / (2 * STANDARD_GRAVITY) * energy_of(acceleration, dt)[-1])


def cumulative_absolute_velocity(acceleration: FloatArray, dt: float) -> float:
    """Integral of the absolute acceleration over time, by the trapezoidal rule [m/s].

    >>> cumulative_absolute_velocity(np.array([0.0, 1.0, -1.0, 0.0]), dt=0.5)
    1.0
    """
    size = np.abs(acceleration)
    return float((size.sum() - (size[0] + size[-1]) / 2) * dt)


def significant_duration(
    acceleration: FloatArray, dt: float, start: float = 0.05, end: float = 0.95
) -> float:
    """Time between two shares of the final Arias intensity, D5-95 by default [s].

    Trifunac and Brady (1975). Inside of a step the intensity is taken as linear.

    >>> round(significant_duration(np.array([1.0, 1.0, 1.0]), dt=0.5), 12)
    0.9
    """
    first, last = significant_times(acceleration, dt, start, end)
    return last - first


def significant_times(
    acceleration: FloatArray, dt: float, start: float = 0.05, end: float = 0.95
) -> tuple[float, float]:
    """Times [s] at which the Arias intensity reaches the shares `start` and `end` of its final value.

    Raises
    ------
    MotionError
        Unless ``0 <= start < end <= 1`` and the component is not zero throughout.
    """
    if not 0 <= start < end <= 1:
        raise MotionError(
            f"shares of the Arias intensity must be 0 <= start < end <= 1 [1], got {start!r} and {end!r}"
        )
    energy = energy_of(acceleration, dt)
    if not energy[-1] > 0:
        raise MotionError("a component that is zero throughout has no significant duration")
    return (time_of_share(energy, dt, start), time_of_share(energy, dt, end))


def mean_period(acceleration: FloatArray, dt: float) -> float:
    """Mean period Tm: the periods weighted by the squared Fourier amplitudes from 0.25 to 20 Hz [s].

    Rathje et al. (1998). The record is continued with zeros to the next power of two that resolves
    0.05 Hz (Rathje et al. 2004).

    Raises
    ------
    MotionError
        If the component has no content in that band, or steps so short that it would be too many of them.

    >>> time = 0.01 * np.arange(4000)
    >>> round(mean_period(np.sin(2 * np.pi * 2.0 * time), dt=0.01), 2)
    0.5
    """
    least = 1 / MEAN_PERIOD_RESOLUTION / MOST_SAMPLES
    if not dt >= least:
        raise MotionError(f"the mean period needs a time step of at least {least:g} s, got {dt:g}")
    n = 2 ** ceil(log2(max(len(acceleration), 1 / (MEAN_PERIOD_RESOLUTION * dt))))
    power = np.abs(np.fft.rfft(acceleration, n)) ** 2
    frequency = np.fft.rfftfreq(n, dt)
    band = (frequency >= MEAN_PERIOD_BAND[0]) & (frequency <= MEAN_PERIOD_BAND[1])
    total = power[band].sum()
    if not total > 0:
        low, high = MEAN_PERIOD_BAND
        raise MotionError(
            f"the mean period needs content from {low:g} to {high:g} Hz, the component has none"
        )
    return float((power[band] / frequency[band]).sum() / total)


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


def velocity_of(acceleration: FloatArray, dt: float) -> FloatArray:
    """Velocity at the samples of one component (n_time,) [m/s2], from rest: ndarray (n_time,) [m/s]."""
    return np.concatenate([[0.0], np.cumsum((acceleration[:-1] + acceleration[1:]) * (dt / 2))])


def displacement_of(acceleration: FloatArray, dt: float) -> FloatArray:
    """Displacement at the samples of one component (n_time,) [m/s2], from rest: (n_time,) [m]."""
    velocity = velocity_of(acceleration, dt)
    steps = velocity[:-1] * dt + (2 * acceleration[:-1] + acceleration[1:]) * (dt * dt / 6)
    return np.concatenate([[0.0], np.cumsum(steps)])


def energy_of(acceleration: FloatArray, dt: float) -> FloatArray:
    """Integral of the squared acceleration up to each sample, trapezoidal rule: ndarray (n_time,) [m2/s3]."""
    square = acceleration**2
    return np.concatenate([[0.0], np.cumsum((square[:-1] + square[1:]) * (dt / 2))])


def time_of_share(energy: FloatArray, dt: float, share: float) -> float:
    """Time [s] at which `energy` (n_time,), of one component or of all, reaches a share of its last value.

    Linear inside of a step. Zeros at the onset and after the end are not part of the motion.
    """
    wanted = share * energy[-1]
    after = max(int(np.searchsorted(energy, wanted, side="left" if share else "right")), 1)
    rise = energy[after] - energy[after - 1]
    part = (wanted - energy[after - 1]) / rise if rise > 0 else 1.0
    return float((after - 1 + part) * dt)


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
    of_floor: bool = False  # whether it is of what the body stands on, a floor if there is one


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
    from mcrock.excitation.response_spectra import response_spectrum, rotated_spectrum

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
MEASURES["pfa"] = MEASURES["pga"]._replace(long_name="peak floor acceleration" + _MEAN, of_floor=True)
MEASURES["pfv"] = MEASURES["pgv"]._replace(long_name="peak floor velocity" + _MEAN, of_floor=True)

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


KEPT = 1000  # values kept for a motion

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
        raise MotionError(f"motion '{motion.name}' has no horizontal acceleration, so it has no {measure}")
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


def _hashable(value: Any) -> Any:
    """A list of periods as a key."""
    return tuple(np.ravel(value).tolist()) if np.ndim(value) else value
