"""Smooth random surfaces: what a scan gets wrong, or rocks of one kind differ by.

A surface is a sum of plane waves with random wave numbers, amplitudes and phases: at every place normal
with the stated standard deviation, and correlated over the horizontal distance r by exp(-r^2 / (2 l^2)).
It belongs to the number of its draw alone. Which points ask for it changes nothing, so that a scan and a
coarser one of the same rock meet the same surface.
"""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mcrock.base.checks import Integer, Number
from mcrock.body.faces import Array
from mcrock.body.solids.parts import list_of_points

WAVES = 512  # of a surface; the kurtosis of its slopes exceeds that of a normal one by 6 / WAVES [1]
SECTION = 4096  # places worked out together [1]
REACH = 8.0  # standard deviations that no surface exceeds in practice: P < 2e-15 at a place [1]
UNDERSIDE = 45.0  # inclination to the ground of the steepest face of the underside [deg]
# random stream of the surfaces, made as those of the designs
STREAM = int.from_bytes(hashlib.blake2b(b"body.shape_error", digest_size=8).digest(), "little")


def random_surface(
    places: ArrayLike, std: float, correlation_length: float, *, seed: int = 0, draw: int = 0
) -> Array:
    """Heights of a smooth random surface.

    Parameters
    ----------
    places : array_like (n, 2)
        Horizontal coordinates [m].
    std : float
        Standard deviation of the heights over the draws, which have the mean 0 [m].
    correlation_length : float
        Horizontal distance at which heights have the correlation exp(-1/2) = 0.61 [m].
    seed, draw : int
        Surfaces of two draws, or of two seeds, are independent. With those of a study they are its surfaces.

    Returns
    -------
    ndarray (n,)
        [m].

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> heights = random_surface([(0.0, 0.0), (0.001, 0.0), (1.0, 0.0)], 0.002, 0.05, draw=3)
    >>> print((1000 * heights).round(2))
    [ 0.66  0.63 -0.28]
    """
    from mcrock.base.random_numbers import (
        uniforms,  # compiled code, which bodies without a surface do without
    )

    xy = list_of_points("random_surface.places", places, 2)
    std = Number("m", least=0.0).check("random_surface.std", std)
    length = Number("m", above=0.0).check("random_surface.correlation_length", correlation_length)
    seed, draw = (
        Integer(0).check(f"random_surface.{name}", value) for name, value in (("seed", seed), ("draw", draw))
    )
    u = [uniforms(seed, STREAM, 0, WAVES, 4 * draw + k) for k in range(4)]
    amplitude, phase = np.sqrt(-2.0 * np.log(u[0])), 2 * np.pi * u[1]
    number, direction = np.sqrt(-2.0 * np.log(u[2])) / length, 2 * np.pi * u[3]
    kx, ky = number * np.cos(direction), number * np.sin(direction)
    heights = np.empty(len(xy))
    for start in range(0, len(xy), SECTION):
        x, y = xy[start : start + SECTION, :1], xy[start : start + SECTION, 1:]
        heights[start : start + SECTION] = (amplitude * np.cos(kx * x + ky * y + phase)).sum(axis=1)
    return std / np.sqrt(WAVES) * heights


def underside(points: Array, within: float, steepest: float = UNDERSIDE) -> NDArray[np.bool_]:
    """Mask of the points on the underside of their hull (n,).

    Parameters
    ----------
    points : ndarray (n, 3)
        With z up [m].
    within : float
        Depth below a face of the underside up to which points inside the hull belong to it [m].
    steepest : float
        Inclination to the ground of the steepest face of the underside [deg].
    """
    planes = _planes(points)
    down = planes[-planes[:, 2] > np.cos(np.radians(steepest))]
    return _depth(points, down) <= max(within, _rounding(points))


def near_surface(points: Array, within: float) -> NDArray[np.bool_]:
    """Mask of the points at most ``within`` [m] inside their hull (n,)."""
    return _depth(points, _planes(points)) <= max(within, _rounding(points))


def with_shape_error(
    points: ArrayLike,
    std: float,
    correlation_length: float,
    *,
    seed: int = 0,
    draw: int = 0,
    underside_deg: float = UNDERSIDE,
) -> Array:
    """Points of a body whose underside has a smooth random error.

    The points of the underside are moved up or down by a `random_surface`; the others stay. The underside
    are the corners of all faces of the convex hull that look down and lie within ``underside_deg`` of the
    horizontal, and points inside the hull that are within eight standard deviations of such a face, as the
    surface may bring them out.

    Parameters
    ----------
    points : array_like (n, 3)
        At least 4, with z up as the body stands [m].
    std, correlation_length, seed, draw
        As `random_surface`; without an error (0 m) the points come back as they are.
    underside_deg : float
        In (0, 90] [deg].

    Returns
    -------
    ndarray (n, 3)
        In the order of the points; `hull` makes the body of them [m].

    Raises
    ------
    ValueError
        If the points enclose no volume, or an argument is out of range.

    Examples
    --------
    >>> from mcrock.body import hull
    >>> corners = [(x, y, z) for x in (0.0, 0.4) for y in (0.0, 0.4) for z in (0.0, 1.6)]
    >>> moved = with_shape_error(corners, 0.001, 0.1)
    >>> print((1000 * (moved - corners)[:, 2]).round(2))
    [0.16 0.   1.41 0.   0.24 0.   1.15 0.  ]
    >>> len(hull(moved, 2600).faces)  # two of them in the place of the base
    7
    """
    found = list_of_points("with_shape_error.points", points, 3)
    std = Number("m", least=0.0).check("with_shape_error.std", std)
    steepest = Number("deg", above=0.0, most=90.0).check("with_shape_error.underside_deg", underside_deg)
    moved = underside(found, REACH * std, steepest)
    found[moved, 2] += random_surface(found[moved, :2], std, correlation_length, seed=seed, draw=draw)
    return found


def _planes(points: Array) -> Array:
    """Outward normals [1] and offsets [m] of the planes of the hull (n_plane, 4)."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        equations = ConvexHull(points).equations
    except (QhullError, ValueError):
        raise ValueError(f"the {len(points)} points must enclose a volume [m3]") from None
    return np.unique(equations, axis=0)  # the triangles of a plane share its equation


def _depth(points: Array, planes: Array) -> Array:
    """Distance of each point from the nearest of the planes (n,) [m]; inf without any."""
    depth = np.full(len(points), np.inf)
    for start in range(0, len(planes) if len(points) else 0, size := max(1, 2**22 // len(points))):
        some = planes[start : start + size]
        np.minimum(depth, -(points @ some[:, :3].T + some[:, 3]).max(axis=1), out=depth)
    return depth


def _rounding(points: Array) -> float:
    """Distance from a plane of the hull that is rounding [m]."""
    return 1e-9 * float(np.ptp(points, axis=0).max())
