"""Intensity measures of one component of ground acceleration.

Velocities and displacements are exact for the acceleration that is linear between its samples and starts
from rest: parabolas and cubics on each step. Arias intensity, D5-95 and CAV are integrals by the
trapezoidal rule, as in all flatfiles: of the square of a band-limited signal that is its integral, while the
lines between the samples of a record at 100 Hz can lose a tenth of it.

Arias, A. (1970). A measure of earthquake intensity. In: Hansen, R. J. (ed.), Seismic design for nuclear
power plants, MIT Press, 438-483.

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

from math import ceil, log2, pi, tan

import numpy as np

from mcrock.base.checks import Number
from mcrock.base.params import GRAVITY, STANDARD_GRAVITY
from mcrock.excitation.motion import MOST_SAMPLES, FloatArray, MotionError, checked

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
