"""Attitude as angles, and their drift."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.transform import Rotation

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
    found: Array = Rotation.from_quat(given, scalar_first=True).as_euler("ZYX")[:, ::-1]
    return found


def zero_crossing_correction(time: ArrayLike, angle: ArrayLike, angular_velocity: ArrayLike) -> Array:
    """An angle without the drift of its sensor, as the source corrects it (section 3.1).

    At the local maxima of the absolute angular velocity an edge lands and the angle is zero: a piecewise
    linear function that is the angle there is taken away, before the first and after the last maximum its
    value there.

    Parameters
    ----------
    time : array_like (n,)
        [s], rising.
    angle : array_like (n,)
        phi_x or phi_y [rad].
    angular_velocity : array_like (n,)
        About the same axis [rad/s].

    Returns
    -------
    ndarray (n,)
        [rad].

    Raises
    ------
    ValueError
        If the lengths differ, time does not rise, or the angular velocity has no local maximum.
    """
    t, phi, rate = (np.asarray(item, float) for item in (time, angle, angular_velocity))
    if not (t.ndim == 1 and t.shape == phi.shape == rate.shape):
        raise ValueError(
            "time [s], angle [rad] and angular velocity [rad/s] must have one length, "
            f"got {t.shape}, {phi.shape} and {rate.shape}"
        )
    if not (np.diff(t) > 0.0).all():
        raise ValueError("time [s] must rise from sample to sample")
    speed = np.abs(rate)
    landed = 1 + np.flatnonzero((speed[1:-1] > speed[:-2]) & (speed[1:-1] >= speed[2:]))
    if not landed.size:
        raise ValueError("the angular velocity [rad/s] has no local maximum: no impact to hold the angle at")
    return phi - np.interp(t, t[landed], phi[landed])
