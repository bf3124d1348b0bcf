"""Attitude as angles, and their drift."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.transform import Rotation

BEYOND = 4.0  # standard deviations of noise that a half cycle exceeds

Array = NDArray[np.float64]


def euler_angles(orientation: ArrayLike) -> Array:
    """Angles phi_x, phi_y, phi_z of successive turns about the local z, y and x axes.

    Parameters
    ----------
    orientation : array_like (n, 4)
        Unit quaternions body to ground, the real part first, as `Run.history.orientation`.

    Returns
    -------
    ndarray (n, 3)
        phi_x, phi_y, phi_z [rad]: first a turn by phi_z about z, then by phi_y about the new y, then by phi_x
        about the new x.

    Raises
    ------
    ValueError
        If the shape is not (n, 4).
    """
    given = np.asarray(orientation, float)
    if given.ndim != 2 or given.shape[1] != 4:
        raise ValueError(f"orientation must have the shape (n, 4), quaternions, got {given.shape}")
    return Rotation.from_quat(given, scalar_first=True).as_euler("ZYX")[:, ::-1]


def zero_crossing_correction(
    time: ArrayLike, angle: ArrayLike, angular_velocity: ArrayLike, *, noise: float | None = None
) -> Array:
    """An angle without the drift of its sensor, as the source corrects it (section 3.1).

    In every half cycle, from one change of the sign of the angular velocity to the next, its absolute value
    is largest where an edge lands, and the angle is zero there: a piecewise linear function that is the angle
    there is taken away, before the first and after the last maximum its value there. Changes of the sign that
    do not pass ``BEYOND`` times the noise on both sides are noise, and so are half cycles below it.

    Parameters
    ----------
    time : array_like (n,)
        [s], rising.
    angle : array_like (n,)
        phi_x or phi_y [rad].
    angular_velocity : array_like (n,)
        About the same axis [rad/s].
    noise : float, optional
        Standard deviation of the angular velocity's noise [rad/s]; by default from the median of its second
        differences, in which a motion that is sampled finely leaves little.

    Returns
    -------
    ndarray (n,)
        [rad].

    Raises
    ------
    ValueError
        If the lengths differ, time does not rise, the angular velocity has no local maximum beyond the noise,
        or ``noise`` is negative.
    """
    t, phi, rate = (np.asarray(item, float) for item in (time, angle, angular_velocity))
    if not (t.ndim == 1 and t.shape == phi.shape == rate.shape):
        raise ValueError(
            "time [s], angle [rad] and angular velocity [rad/s] must have one length, "
            f"got {t.shape}, {phi.shape} and {rate.shape}"
        )
    if not (np.diff(t) > 0.0).all():
        raise ValueError("time [s] must rise from sample to sample")
    if noise is not None and not noise >= 0.0:
        raise ValueError(f"noise must be >= 0 rad/s, got {noise!r}")
    landed = _landed(rate, rate_noise(rate) if noise is None else noise)
    if not landed.size:
        raise ValueError(
            "the angular velocity [rad/s] has no local maximum beyond its noise: no impact to hold it at"
        )
    return phi - np.interp(t, t[landed], phi[landed])


def rate_noise(angular_velocity: ArrayLike) -> float:
    """Standard deviation of white noise on a series (n,) that else changes little between samples."""
    second = np.diff(np.asarray(angular_velocity, float), 2)
    return float(np.median(np.abs(second)) / (0.6745 * np.sqrt(6.0))) if second.size else 0.0


def _landed(rate: Array, noise: float) -> NDArray[np.intp]:
    """Samples at which the absolute rate is largest in its half cycle, but for the ends of the series."""
    sure = np.flatnonzero(np.abs(rate) > BEYOND * noise)
    if not sure.size:
        return np.zeros(0, np.intp)
    turned = sure[1 + np.flatnonzero(np.diff(np.sign(rate[sure])))]
    cycles = np.split(sure, np.searchsorted(sure, turned))
    found = np.array([cycle[np.abs(rate[cycle]).argmax()] for cycle in cycles if cycle.size], np.intp)
    return found[(found > 0) & (found < rate.size - 1)]
