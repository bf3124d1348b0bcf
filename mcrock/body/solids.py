"""Homogeneous solids of simple shape: cuboid, prism, frustum, cylinder.

The ``..._properties`` functions work on many bodies at once, one per realization of a study. All
solids on a base of k corners number their vertices and faces alike: vertices 0 to k-1 are the base
and k to 2k-1 the top above them; face 0 is the base, faces 1 to k are the walls over base edges 0 to
k-1, face k+1 is the top.
"""

from __future__ import annotations

from math import pi, sin
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mcrock.body.base import check_polygons
from mcrock.body.body import Body
from mcrock.body.check import check_bodies
from mcrock.body.faces import Array, Faces
from mcrock.body.mass import solid_moments
from mcrock.params import GRAVITY
from mcrock.rules import Integer, Number, check_array, shown


def cuboid(
    width: float,
    depth: float,
    height: float,
    density: float | None = None,
    *,
    mass: float | None = None,
    com: ArrayLike = (0.0, 0.0, 0.0),
    gravity: float = GRAVITY,
) -> Body:
    """Homogeneous rectangular block standing on its ``width`` x ``depth`` face.

    Parameters
    ----------
    width, depth, height : float
        Edges along body x, y and z [m].
    density, mass : float
        One of the two [kg/m3], [kg].
    com : array_like (3,)
        Offset of the COM from the centre of the block [m]; the inertia about the COM stays that
        of the homogeneous block.
    gravity : float
        [m/s2].

    Raises
    ------
    ValueError
        If a size is not positive, both or neither of density and mass are given, or the body
        cannot stand.

    Examples
    --------
    >>> body = cuboid(width=0.4, depth=0.4, height=1.6, density=2600)
    >>> round(body.mass, 1), round(body.slenderness, 4), round(body.frequency, 4)
    (665.6, 0.245, 2.987)
    """
    sizes = {"width": width, "depth": depth, "height": height}
    width, depth, height = (positive(f"cuboid.{name}", value, "m") for name, value in sizes.items())
    mass = mass_of("cuboid", density, mass, width * depth * height)
    inertia, vertices = cuboid_properties(
        *(np.array([value]) for value in (width, depth, height, mass)), _offset("cuboid", com)
    )
    return _standing("cuboid", mass, inertia, vertices, gravity)


def prism(
    base: ArrayLike,
    height: float,
    density: float | None = None,
    *,
    mass: float | None = None,
    com: ArrayLike = (0.0, 0.0, 0.0),
    gravity: float = GRAVITY,
) -> Body:
    """Homogeneous right prism on a convex polygon.

    Parameters
    ----------
    base : array_like (n, 2)
        Corners of the base, counter-clockwise [m].
    height : float
        [m].
    density, mass : float
        One of the two [kg/m3], [kg].
    com : array_like (3,)
        Offset of the COM from the centroid of the prism [m]; the inertia about the COM stays that
        of the homogeneous prism.
    gravity : float
        [m/s2].

    Raises
    ------
    ValueError
        As `cuboid`, and for a base that is not a convex polygon.

    Examples
    --------
    >>> block = prism([(-0.2, -0.2), (0.2, -0.2), (0.2, 0.2), (-0.2, 0.2)], 1.6, density=2600)
    >>> round(block.frequency, 4)
    2.987
    """
    corners = _polygon("prism.base", base)
    heights = np.array([positive("prism.height", height, "m")])
    mass = mass_of("prism", density, mass, float(prism_volume(corners[None], heights)[0]))
    inertia, vertices = prism_properties(corners[None], heights, np.array([mass]), _offset("prism", com))
    return _standing("prism", mass, inertia, vertices, gravity)


def frustum(
    base: ArrayLike,
    height: float,
    density: float | None = None,
    *,
    top_scale: float | None = None,
    top: ArrayLike | None = None,
    mass: float | None = None,
    com: ArrayLike = (0.0, 0.0, 0.0),
    gravity: float = GRAVITY,
) -> Body:
    """Homogeneous body with a convex base, a parallel top and plane, tapered walls.

    Parameters
    ----------
    base : array_like (n, 2)
        Corners of the base, counter-clockwise [m].
    height : float
        [m].
    density, mass : float
        One of the two [kg/m3], [kg].
    top_scale, top : float, array_like (n, 2)
        One of the two: the top is the base scaled about its centroid [1], or has these corners, each
        above the corner of the base of the same number, in the axes of the base [m].
    com : array_like (3,)
        Offset of the COM from the centroid of the frustum [m]; the inertia about the COM stays that
        of the homogeneous frustum.
    gravity : float
        [m/s2].

    Raises
    ------
    ValueError
        As `prism`, for the top too, and if a wall is not plane: its edges at base and top must be
        parallel.

    Examples
    --------
    >>> plinth = frustum([(-0.3, -0.3), (0.3, -0.3), (0.3, 0.3), (-0.3, 0.3)], 0.9, 2600, top_scale=0.5)
    >>> round(plinth.mass, 1), round(plinth.com_height, 4)
    (491.4, 0.3536)
    """
    corners = _polygon("frustum.base", base)
    heights = np.array([positive("frustum.height", height, "m")])
    if (top_scale is None) == (top is None):
        raise ValueError(f"frustum needs exactly one of top_scale [1] and top [m], got {top_scale=}, {top=}")
    if top is None:
        upper = scaled_base(corners[None], np.array([positive("frustum.top_scale", top_scale, "1")]))
    else:
        upper = _polygon("frustum.top", top)[None]
        if len(upper[0]) != len(corners):
            raise ValueError(
                f"frustum.top must have as many corners as the base, {len(corners)}, got {len(upper[0])}"
            )
    mass = mass_of("frustum", density, mass, float(frustum_volume(corners[None], upper, heights)[0]))
    inertia, vertices = frustum_properties(
        corners[None], upper, heights, np.array([mass]), _offset("frustum", com)
    )
    return _standing("frustum", mass, inertia, vertices, gravity)


def cylinder(
    radius: float,
    height: float,
    n_sides: int = 24,
    density: float | None = None,
    *,
    mass: float | None = None,
    com: ArrayLike = (0.0, 0.0, 0.0),
    gravity: float = GRAVITY,
) -> Body:
    """Homogeneous upright circular cylinder as a regular prism of ``n_sides`` walls.

    The polygon has the area of the circle, so that mass and density fit together. The inertia is
    then that of the cylinder to order n_sides^-4; the base edges are nearer to the axis than
    ``radius`` by a share pi^2/(6 n_sides^2) and the corners farther by twice as much (0.3 % and
    0.6 % for 24 sides), and the slenderness over edges and corners converges at that rate. Edge 0
    faces +x.

    Parameters
    ----------
    radius, height : float
        [m].
    n_sides : int
        At least 3.
    density, mass : float
        One of the two [kg/m3], [kg].
    com : array_like (3,)
        Offset of the COM from the centre of the cylinder [m]; the inertia about the COM stays that
        of the homogeneous solid.
    gravity : float
        [m/s2].

    Raises
    ------
    ValueError
        As `cuboid`, and if ``n_sides`` is not an integer >= 3.

    Examples
    --------
    >>> drum = cylinder(0.2, 1.0, density=1000)
    >>> round(drum.mass, 3), len(drum.faces)
    (125.664, 26)
    """
    radii, heights = (
        np.array([positive(f"cylinder.{name}", value, "m")])
        for name, value in (("radius", radius), ("height", height))
    )
    if not Integer(3).fits(n_sides):
        raise ValueError(f"cylinder.n_sides must be an integer >= 3, got {shown(n_sides)}")
    corners = circle_polygon(radii, int(n_sides))
    mass = mass_of("cylinder", density, mass, float(prism_volume(corners, heights)[0]))
    inertia, vertices = prism_properties(corners, heights, np.array([mass]), _offset("cylinder", com))
    return _standing("cylinder", mass, inertia, vertices, gravity)


def cuboid_properties(
    width: Array, depth: Array, height: Array, mass: Array, com: Array
) -> tuple[Array, Array]:
    """Inertia (n, 3, 3) [kg m2] and vertices (n, 8, 3) [m] of homogeneous cuboids.

    ``width``, ``depth``, ``height`` [m] and ``mass`` [kg] have shape (n,), ``com`` (n, 3) is the
    offset of the COM from the centre [m]. Vertex 0 is at (+x, -y), the order is counter-clockwise.
    """
    inertia = np.zeros((len(mass), 3, 3))
    inertia[:, 0, 0] = mass * (depth**2 + height**2) / 12.0
    inertia[:, 1, 1] = mass * (width**2 + height**2) / 12.0
    inertia[:, 2, 2] = mass * (width**2 + depth**2) / 12.0
    base = np.array([[1.0, -1.0, -1.0], [1.0, 1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, -1.0]])
    signs = np.concatenate([base, base * [1.0, 1.0, -1.0]])
    half = 0.5 * np.stack([width, depth, height], axis=-1)
    return inertia, signs * half[:, None, :] - com[:, None, :]


def prism_properties(base: Array, height: Array, mass: Array, com: Array) -> tuple[Array, Array]:
    """Inertia (n, 3, 3) [kg m2] and vertices (n, 2 k, 3) [m] of homogeneous prisms.

    ``base`` (n, k, 2) [m] counter-clockwise, ``height`` (n,) [m], ``mass`` (n,) [kg], ``com``
    (n, 3) the offset of the COM from the centroid of the prism [m].
    """
    x, y = base[..., 0], base[..., 1]
    x1, y1 = np.roll(x, -1, axis=-1), np.roll(y, -1, axis=-1)
    cross = x * y1 - x1 * y
    area = 0.5 * cross.sum(-1)
    cx = ((x + x1) * cross).sum(-1) / (6.0 * area)
    cy = ((y + y1) * cross).sum(-1) / (6.0 * area)
    xx = ((x * x + x * x1 + x1 * x1) * cross).sum(-1) / (12.0 * area) - cx * cx
    yy = ((y * y + y * y1 + y1 * y1) * cross).sum(-1) / (12.0 * area) - cy * cy
    xy = ((x * y1 + 2.0 * (x * y + x1 * y1) + x1 * y) * cross).sum(-1) / (24.0 * area) - cx * cy
    inertia = np.zeros((len(mass), 3, 3))
    inertia[:, 0, 0] = mass * (yy + height**2 / 12.0)
    inertia[:, 1, 1] = mass * (xx + height**2 / 12.0)
    inertia[:, 2, 2] = mass * (xx + yy)
    inertia[:, 0, 1] = inertia[:, 1, 0] = -mass * xy
    centre = np.stack([cx, cy, 0.5 * height], axis=-1) + com
    return inertia, _tapered(base, base, height) - centre[:, None, :]


def frustum_properties(
    base: Array, top: Array, height: Array, mass: Array, com: Array
) -> tuple[Array, Array]:
    """Inertia (n, 3, 3) [kg m2] and vertices (n, 2 k, 3) [m] of homogeneous frusta.

    ``base`` and ``top`` (n, k, 2) [m], the rest as in `prism_properties`.
    """
    vertices = _tapered(base, top, height)
    _, centroid, inertia = solid_moments(vertices, prism_faces(base.shape[1]))
    return mass[:, None, None] * inertia, vertices - (centroid + com)[:, None, :]


def _tapered(base: Array, top: Array, height: Array) -> Array:
    """Vertices (n, 2 k, 3) [m] with the base at z = 0."""
    flat = np.zeros_like(base[..., :1])
    lower = np.concatenate([base, flat], axis=-1)
    return np.concatenate([lower, np.concatenate([top, flat + height[:, None, None]], axis=-1)], axis=1)


def prism_volume(base: Array, height: Array) -> Array:
    """Volume (n,) [m3] of prisms on ``base`` (n, k, 2) [m] of ``height`` (n,) [m]."""
    x, y = base[..., 0], base[..., 1]
    return 0.5 * (x * np.roll(y, -1, -1) - np.roll(x, -1, -1) * y).sum(-1) * height


def frustum_volume(base: Array, top: Array, height: Array) -> Array:
    """Volume (n,) [m3] of frusta from ``base`` to ``top`` (n, k, 2) [m] of ``height`` (n,) [m]."""
    return solid_moments(_tapered(base, top, height), prism_faces(base.shape[1]))[0]


def scaled_base(base: Array, scale: Array) -> Array:
    """Polygons ``base`` (n, k, 2) [m] scaled about their centroids by ``scale`` (n,) [1]."""
    x, y = base[..., 0], base[..., 1]
    x1, y1 = np.roll(x, -1, axis=-1), np.roll(y, -1, axis=-1)
    cross = x * y1 - x1 * y
    area = 3.0 * cross.sum(-1)
    centroid = np.stack([((x + x1) * cross).sum(-1) / area, ((y + y1) * cross).sum(-1) / area], -1)
    return centroid[:, None, :] + scale[:, None, None] * (base - centroid[:, None, :])


def circle_polygon(radius: Array, n_sides: int) -> Array:
    """Regular polygons (n, n_sides, 2) [m] of the area of circles of ``radius`` (n,) [m]."""
    angles = 2 * pi * (np.arange(n_sides) - 0.5) / n_sides
    unit = np.stack([np.cos(angles), np.sin(angles)], -1)
    return np.sqrt(2 * pi / (n_sides * sin(2 * pi / n_sides))) * radius[:, None, None] * unit


def prism_faces(k: int) -> Faces:
    """Faces of a solid on a base of ``k`` corners: base, walls over its edges, top."""
    walls = [((i + 1) % k, i, k + i, k + (i + 1) % k) for i in range(k)]
    return (tuple(range(k)), *walls, tuple(range(2 * k - 1, k - 1, -1)))


def _standing(name: str, mass: float, inertia: Array, vertices: Array, gravity: float) -> Body:
    """A solid, refused with the words for a base if it cannot stand on its own."""
    k = vertices.shape[1] // 2
    gravity = positive(f"{name}.gravity", gravity, "m/s2")
    check_bodies(np.array([mass]), inertia, vertices[:, :k], np.array([gravity]))
    return Body(mass, inertia[0], vertices[0], gravity, prism_faces(k))


def _offset(name: str, com: ArrayLike) -> Array:
    """Offset of the COM (1, 3) [m]."""
    return check_array(f"{name}.com", com, (3,), "m")[None]


def _polygon(name: str, points: ArrayLike) -> Array:
    """Checked corners (n, 2) of a convex polygon that runs counter-clockwise [m]."""
    corners = list_of_points(name, points, 2)
    if len(corners) < 3:
        raise ValueError(f"{name} must have at least 3 corners [m], got {len(corners)}")
    area = float(prism_volume(corners[None], np.ones(1))[0])
    if abs(area) <= 1e-12 * float(np.ptp(corners, axis=0).max()) ** 2:
        raise ValueError(f"{name} must be a convex polygon, but its corners enclose no area [m2]")
    if area < 0:
        raise ValueError(
            f"{name} must run counter-clockwise seen from above; reverse the order of its corners"
        )
    check_polygons(name, corners[None])
    return corners


def list_of_points(name: str, points: ArrayLike, size: int) -> Array:
    """Finite points (n, size) [m] of a list."""
    try:
        array = np.array(points, float)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be an array of numbers of shape (n, {size}) [m]") from None
    if array.ndim != 2 or array.shape[1] != size:
        raise ValueError(f"{name} must have shape (n, {size}) [m], got {array.shape}")
    if not np.isfinite(array).all():
        worst = int(np.argmin(np.isfinite(array).all(1)))
        raise ValueError(f"{name} must be finite [m], got {array[worst].tolist()} at {worst}")
    return array


def positive(name: str, value: Any, unit: str) -> float:
    """A finite positive number; ValueError for anything else."""
    return Number(unit, above=0.0).check(name, value)


def mass_of(name: str, density: float | None, mass: float | None, volume: float) -> float:
    """Mass [kg] from exactly one of density [kg/m3] and mass [kg]."""
    if (density is None) == (mass is None):
        raise ValueError(
            f"{name} needs exactly one of density [kg/m3] and mass [kg], got {density=}, {mass=}"
        )
    if density is not None:
        return positive(f"{name}.density", density, "kg/m3") * volume
    return positive(f"{name}.mass", mass, "kg")
