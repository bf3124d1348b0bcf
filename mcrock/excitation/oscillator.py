"""Response of a damped linear oscillator to ground acceleration that is linear between samples.

The states at the samples are exact at any period and damping, as in Nigam and Jennings (1969): floors,
and the filter that brings synthetic ground motion to rest, are such oscillators.

Nigam, N. C., Jennings, P. C. (1969). Calculation of response spectra from strong-motion earthquake
records. Bulletin of the Seismological Society of America 59(2), 909-922.
"""

from __future__ import annotations

from functools import lru_cache
from math import pi

import numpy as np

from mcrock.excitation.motion import FloatArray


def oscillate(
    acceleration: FloatArray, dt: float, frequency: float, damping: float
) -> tuple[FloatArray, FloatArray]:
    """Displacement [m] and velocity [m/s] of the mass relative to the ground, from rest.

    Parameters
    ----------
    acceleration : ndarray (..., n_time)
        Of the ground [m/s2].
    dt : float
        Time step [s].
    frequency : float
        Undamped natural frequency [Hz], positive.
    damping : float
        Share of the critical damping [1], not negative; 1 and more are allowed.

    Returns
    -------
    tuple of ndarray (..., n_time)
        At the samples. The relative error is about ``1e-16/(2 pi frequency dt)**2``.

    Examples
    --------
    >>> step = np.full(101, 1.0)  # applied suddenly and held: 1 - cos(2 pi t)
    >>> displacement, _ = oscillate(step, 0.005, frequency=1.0, damping=0.0)
    >>> round(float(displacement[-1]) * (2 * pi) ** 2, 9)
    -2.0
    """
    from scipy.signal import lfilter

    (uu, uv, early_u, late_u), (vu, vv, early_v, late_v) = _advance(dt, frequency, damping)
    before, after = acceleration[..., :-1], acceleration[..., 1:]
    load_u, load_v = early_u * before + late_u * after, early_v * before + late_v * after
    # two equations of first order as one of second order for each unknown
    recursion = [1.0, -(uu + vv), uu * vv - uv * vu]
    displacement, velocity = np.zeros_like(acceleration), np.zeros_like(acceleration)
    displacement[..., 1:] = lfilter([1.0, -vv], recursion, load_u) + lfilter([0.0, uv], recursion, load_v)
    velocity[..., 1:] = lfilter([1.0, -uu], recursion, load_v) + lfilter([0.0, vu], recursion, load_u)
    return displacement, velocity


def absolute_acceleration(
    acceleration: FloatArray, dt: float, frequency: float, damping: float
) -> FloatArray:
    """Acceleration of the mass in space, (..., n_time) [m/s2]; arguments as for `oscillate`.

    >>> push = np.full(501, 1.0)
    >>> round(float(absolute_acceleration(push, 0.01, frequency=1.0, damping=1.0)[-1]), 6)
    1.0
    """
    omega = 2 * pi * frequency
    displacement, velocity = oscillate(acceleration, dt, frequency, damping)
    return np.asarray(-2 * damping * omega * velocity - omega**2 * displacement)


@lru_cache(maxsize=64)  # an adaptation filters by the same oscillator again and again
def _advance(dt: float, frequency: float, damping: float) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Factors of displacement, velocity and ground acceleration before a step, and of the latter after it.

    The first row gives the displacement after the step, the second the velocity.
    """
    from scipy.linalg import expm

    omega = 2 * pi * frequency
    # displacement, velocity, acceleration of the ground and the change of it in the step
    rates = np.zeros((4, 4))
    rates[0, 1] = 1.0
    rates[1, :3] = -(omega**2), -2 * damping * omega, -1.0
    rates[2, 3] = 1.0 / dt
    u, v = expm(rates * dt)[:2].tolist()
    return (u[0], u[1], u[2] - u[3], u[3]), (v[0], v[1], v[2] - v[3], v[3])
