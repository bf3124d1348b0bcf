"""How much an impact leaves of the motion, and how far it leaves the plane (section 3.2)."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mcrock.measurement.angles import BEYOND

Array = NDArray[np.float64]

PEAKS = 10  # of which the source takes the median of nine ratios


def uplift(angle: ArrayLike, half_width: ArrayLike, height: float, *, as_printed: bool = False) -> Array:
    """Rise of the centre of mass of a body that turns about an edge by an angle (section 3.2) [m].

    Parameters
    ----------
    angle : array_like
        From the base flat [rad]; of either sign.
    half_width : array_like
        Horizontal distance of the edge from the centre of mass, b_1, one or one for each angle [m].
    height : float
        Of the centre of mass over the base, h [m].
    as_printed : bool
        The formula of the source, h sin(phi) - b_1 (1 - cos(phi)), in which both lengths are exchanged.

    Returns
    -------
    ndarray
        b_1 sin(abs(phi)) - h (1 - cos(phi)), of the shape of ``angle``.

    Raises
    ------
    ValueError
        If a length is not positive.
    """
    for name, value in (("half_width", half_width), ("height", height)):
        if not np.all(np.asarray(value, float) > 0.0):
            raise ValueError(f"{name} must be > 0 m, got {value!r}")
    phi = np.abs(np.asarray(angle, float))
    width = np.asarray(half_width, float)
    along, across = (height, width) if as_printed else (width, height)
    return along * np.sin(phi) - across * (1.0 - np.cos(phi))


def peak_angles(angle: ArrayLike, *, least: float = 0.0) -> Array:
    """Largest absolute angle between any two changes of its sign (m,) [rad].

    Of a series (n,) that starts at its largest value the body was released there, which counts; the last
    stretch does if it is past its largest value.

    Parameters
    ----------
    angle : array_like (n,)
        [rad].
    least : float
        Angles up to this are noise: they change no sign and are no peak [rad].

    Raises
    ------
    ValueError
        If ``least`` is negative.
    """
    if not least >= 0.0:
        raise ValueError(f"least must be >= 0 rad, got {least!r}")
    phi = np.asarray(angle, float)
    signs = np.where(np.abs(phi) > least, np.sign(phi), 0.0)
    for i in range(1, signs.size):  # a zero belongs to what came before it
        if signs[i] == 0.0:
            signs[i] = signs[i - 1]
    bounds = [0, *(1 + np.flatnonzero(signs[1:] * signs[:-1] < 0.0)), phi.size]
    peaks = []
    for begin, end in pairwise(bounds):
        part = np.abs(phi[begin:end])
        largest = int(part.argmax()) if part.size else 0
        if part.size and part[largest] > least and not (end == phi.size and largest == part.size - 1):
            peaks.append(part[largest])
    return np.array(peaks)


def reduction_factors(
    peaks: ArrayLike, half_width: ArrayLike, height: float, *, as_printed: bool = False
) -> Array:
    """Angular velocity reduction factor (AVRF) r of each impact between two peaks: sqrt(u_{i+1}/u_i).

    Parameters
    ----------
    peaks : array_like (m,)
        Successive peaks of the absolute angle, as `peak_angles` finds them [rad].
    half_width, height, as_printed
        As in `uplift`.

    Returns
    -------
    ndarray (m - 1,)
        [1].

    Raises
    ------
    ValueError
        If there are fewer than two peaks, or one from which the body does not come back.
    """
    rise = uplift(peaks, half_width, height, as_printed=as_printed)
    if rise.ndim != 1 or rise.size < 2:
        raise ValueError(f"peaks [rad] must be a series of two or more, got the shape {rise.shape}")
    if not (rise > 0.0).all():
        lowest = int(np.argmin(rise))
        raise ValueError(
            f"peak {lowest} of {np.asarray(peaks, float)[lowest]:.4g} rad is not a rise of the centre of "
            "mass, and the body does not come back from there; check half_width and height [m]"
        )
    return np.sqrt(rise[1:] / rise[:-1])


def reduction_factor(
    peaks: ArrayLike, half_width: float, height: float, *, as_printed: bool = False
) -> float:
    """AVRF of a test: the median of the `reduction_factors` between its first ten peaks [1].

    Fewer peaks than ten give the median of what there is. Arguments and errors as in `reduction_factors`; an
    AVRF above 1 is refused, as no impact gains energy: peaks of noise or a drift made it.
    """
    first = np.asarray(peaks, float)[:PEAKS]
    found = float(np.median(reduction_factors(first, half_width, height, as_printed=as_printed)))
    if found > 1.0:
        raise ValueError(
            f"an AVRF of {found:.4g} would gain energy at impacts: the peaks [rad] are not those of a body "
            "that rocks down; take away drift and noise first (`zero_crossing_correction`, `noise`)"
        )
    return found


def out_of_plane_motion_factor(
    time: ArrayLike, across: ArrayLike, along: ArrayLike, first_impact: float, *, noise: float | None = None
) -> float:
    """Out-of-plane motion factor (OPMF): peak abs(phi_x) over peak abs(phi_y) after the first impact [1].

    An angle that a sensor's rate was integrated to drifts by the noise: it walks at random, by noise times
    sqrt(interval times duration). With ``noise`` it is held at zero at both ends, before the release and at
    rest, by a line that is taken away, and refused where it is not beyond ``BEYOND`` times that walk.

    Parameters
    ----------
    time : array_like (n,)
        [s].
    across, along : array_like (n,)
        Angles of the motion out of the plane and in it, phi_x and phi_y of `euler_angles` [rad].
    first_impact : float
        Time of the first impact [s].
    noise : float, optional
        Standard deviation of the noise of the angular velocity about x of a sensor, as `rate_noise` finds it
        [rad/s]; none for a simulated run.

    Raises
    ------
    ValueError
        If no sample comes after the first impact, nothing moves in the plane there, ``noise`` is negative, or
        the motion out of the plane is within what the noise makes of none, which is then an upper bound.
    """
    t, x, y = (np.asarray(item, float) for item in (time, across, along))
    after = t > first_impact
    if not after.any():
        raise ValueError(
            f"no sample comes after first_impact = {first_impact!r} s; the last is at {t.max()!r} s"
        )
    largest = np.abs(y[after]).max()
    if not largest > 0.0:
        raise ValueError("the angle in the plane [rad] is zero after the first impact: there is no motion")
    if noise is None:
        return float(np.abs(x[after]).max() / largest)
    if not noise >= 0.0:
        raise ValueError(f"noise must be >= 0 rad/s, got {noise!r}")
    leaving = np.abs(x - np.interp(t, t[[0, -1]], x[[0, -1]]))[after].max()
    walk = BEYOND * drift(t, noise)
    if leaving <= walk and noise > 0.0:
        raise ValueError(
            f"the motion out of the plane, {leaving:.2g} rad, is within what a noise of {noise:.2g} rad/s "
            f"makes of none: the OPMF is below {(leaving + walk) / largest:.2g}; take a sensor of less noise"
        )
    return float(leaving / largest)


def drift(time: ArrayLike, noise: float) -> float:
    """Standard deviation of an angle to which the white ``noise`` [rad/s] of a rate is integrated [rad]."""
    t = np.asarray(time, float)
    return noise * float(np.sqrt(np.median(np.diff(t)) * (t[-1] - t[0])))
