"""Solids of known shape: many at once as arrays, and one `Body` from checked arguments of Python.

Homogeneous rectangular blocks, right prisms, upright circular cylinders (as regular prisms of the same
volume) and frusta, whose plane, tapered walls stand between a convex base and a parallel top. Polygons are
(n, k, 2) [m].

Solids on a base of k corners number their vertices and faces alike: vertices 0 to k-1 are the base and k to
2k-1 the top above them; face 0 is the base, faces 1 to k are the walls over base edges 0 to k-1, face k+1
is the top.
"""

from __future__ import annotations

from math import pi, sin
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mcrock.base.checks import Integer, Number, check_array, shown, suggest_keyword
from mcrock.base.params import GRAVITY
from mcrock.body.body import Bodies, Body, on_base
from mcrock.body.faces import Array, Faces, check_polygons, solid_moments


def cross_products(base: Array) -> Array:
    """Twice the signed area of the triangle of each side with the origin (n, k) [m2]."""
    x, y = base[..., 0], base[..., 1]
    return x * np.roll(y, -1, axis=-1) - np.roll(x, -1, axis=-1) * y


def polygon_area(base: Array) -> Array:
    """Areas (n,) [m2]; negative where the corners run clockwise."""
    return 0.5 * cross_products(base).sum(-1)


def polygon_centroid(base: Array) -> Array:
    """Centroids (n, 2) [m]."""
    beside = base + np.roll(base, -1, axis=-2)
    cross = cross_products(base)
    area = 3.0 * cross.sum(-1)
    return np.stack([(beside[..., i] * cross).sum(-1) / area for i in range(2)], -1)


def scaled_polygon(base: Array, scale: Array) -> Array:
    """Polygons scaled about their centroids by ``scale`` (n,) [1]."""
    centroid = polygon_centroid(base)[:, None]
    return centroid + scale[:, None, None] * (base - centroid)


def regular_polygon(radius: Array, sides: int) -> Array:
    """Regular polygons (n, sides, 2) [m] with corners on circles of ``radius`` (n,) [m]."""
    angles = 2 * pi * (np.arange(sides) - 0.5) / sides
    return radius[:, None, None] * np.stack([np.cos(angles), np.sin(angles)], -1)


def circle_polygon(radius: Array, sides: int) -> Array:
    """Regular polygons (n, sides, 2) [m] of the area of circles of ``radius`` (n,) [m]."""
    return regular_polygon(np.sqrt(2 * pi / (sides * sin(2 * pi / sides))) * radius, sides)


def prism_faces(k: int) -> Faces:
    """Faces of a solid on a base of ``k`` corners: base, walls over its edges, top."""
    walls = [((i + 1) % k, i, k + i, k + (i + 1) % k) for i in range(k)]
    return (tuple(range(k)), *walls, tuple(range(2 * k - 1, k - 1, -1)))


def between(base: Array, top: Array, height: Array) -> Array:
    """Vertices (n, 2 k, 3) [m] of what stands between ``base`` at z = 0 and ``top`` at ``height`` (n,)."""
    flat = np.zeros_like(base[..., :1])
    lower = np.concatenate([base, flat], axis=-1)
    return np.concatenate([lower, np.concatenate([top, flat + height[:, None, None]], axis=-1)], axis=1)


class Weight(NamedTuple):
    """Density or mass of many homogeneous solids, whose centre of mass may be off the centroid."""

    density: Array | None  # (n,) [kg/m3]; None if the mass is given
    mass: Array | None  # (n,) [kg]
    offset: Array  # (n, 3) of the centre of mass from the centroid [m]

    def of(self, volume: Array) -> Array:
        """Mass (n,) [kg] of the ``volume`` (n,) [m3]."""
        if self.mass is not None:
            return self.mass
        assert self.density is not None
        return self.density * volume

    def values(self, volume: Array) -> dict[str, Array]:
        """Density [kg/m3] and offsets [m] by key, each (n,)."""
        density = self.density
        if density is None:
            assert self.mass is not None
            density = self.mass / volume
        return {"density": density} | {f"com_{axis}": self.offset[:, i] for i, axis in enumerate("xyz")}


def positive(name: str, value: Any, unit: str) -> float:
    """A finite positive number; ValueError for anything else."""
    return Number(unit, above=0.0).check(name, value)


def length(name: str, value: Any) -> Array:
    """A finite positive length (1,) [m]."""
    return np.array([positive(name, value, "m")])


def gravity_of(name: str, gravity: Any) -> Array:
    """Gravity (1,) [m/s2] on the body that the constructor ``name`` makes."""
    return np.array([positive(f"{name}.gravity", gravity, "m/s2")])


def weight_of(
    name: str, density: float | None, mass: float | None, com: ArrayLike = (0.0, 0.0, 0.0)
) -> Weight:
    """Weight from exactly one of density [kg/m3] and mass [kg], and the offset of the COM (3,) [m]."""
    if (density is None) == (mass is None):
        raise ValueError(
            f"{name} needs exactly one of density [kg/m3] and mass [kg], got {density=}, {mass=}"
        )
    per_volume, whole = (
        None if value is None else np.array([positive(f"{name}.{key}", value, unit)])
        for key, value, unit in (("density", density, "kg/m3"), ("mass", mass, "kg"))
    )
    return Weight(per_volume, whole, check_array(f"{name}.com", com, (3,), "m")[None])


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


def polygon(name: str, points: ArrayLike) -> Array:
    """Corners (1, n, 2) of a convex polygon that runs counter-clockwise [m]."""
    corners = list_of_points(name, points, 2)
    if len(corners) < 3:
        raise ValueError(f"{name} must have at least 3 corners [m], got {len(corners)}")
    area = float(polygon_area(corners[None])[0])
    if abs(area) <= 1e-12 * float(np.ptp(corners, axis=0).max()) ** 2:
        raise ValueError(f"{name} must be a convex polygon, but its corners enclose no area [m2]")
    if area < 0:
        raise ValueError(
            f"{name} must run counter-clockwise seen from above; reverse the order of its corners"
        )
    check_polygons(name, corners[None])
    return corners[None]


def cuboids(width: Array, depth: Array, height: Array, weight: Weight, gravity: Array) -> Bodies:
    """Cuboids with edges ``width``, ``depth`` and ``height`` along body x, y and z, each (n,) [m].

    Vertex 0 is at (+x, -y), the order is counter-clockwise. The inertia about the COM stays that of the
    homogeneous block. ``gravity`` (n,) [m/s2].
    """
    volume = width * depth * height
    mass = weight.of(volume)
    inertia = np.zeros((len(mass), 3, 3))
    inertia[:, 0, 0] = mass * (depth**2 + height**2) / 12.0
    inertia[:, 1, 1] = mass * (width**2 + height**2) / 12.0
    inertia[:, 2, 2] = mass * (width**2 + depth**2) / 12.0
    base = np.array([[1.0, -1.0, -1.0], [1.0, 1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, -1.0]])
    signs = np.concatenate([base, base * [1.0, 1.0, -1.0]])
    half = 0.5 * np.stack([width, depth, height], axis=-1)
    vertices = signs * half[:, None, :] - weight.offset[:, None, :]
    values = {"width": width, "depth": depth, "height": height} | weight.values(volume)
    return on_base(mass, inertia, vertices, gravity, prism_faces(4), values=values)


def with_rim(bodies: Bodies, reach: Array, rise: Array) -> Bodies:
    """Cuboids with a raised rim round the base, as of outriggers, that weighs nothing.

    ``reach`` (n,) is how far it stands out on each side, ``rise`` (n,) its height [m]. Faces 1 to 4 are
    between base and rim, bases too, on which the body lands. A rim as high as the body, or that reaches
    further than its longest edge, is refused.
    """
    low, top = bodies.vertices[:, :4], bodies.vertices[:, 4:]
    rim = low.copy()
    rim[..., :2] += reach[:, None, None] * np.array([[1.0, -1.0], [1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0]])
    rim[..., 2] += rise[:, None]
    edges = np.ptp(bodies.vertices, axis=1)
    most = {
        "rim_height must be below the height of the body": (rise, rise >= edges[:, 2]),
        "rim_width must be at most the longest edge of the body": (reach, reach > edges.max(axis=1)),
    }
    base, *walls, upper = prism_faces(4)
    rings = [tuple(corner + 4 * ring for corner in wall) for ring in (0, 1) for wall in walls]
    return bodies._replace(
        vertices=np.concatenate([low, rim, top], axis=1),
        faces=(base, *rings, tuple(corner + 4 for corner in upper)),
        base_faces=tuple(range(5)),
        stands_clear=False,
        faults=tuple(
            (np.where(bad, size, 0.0), f"{words} [m], got {{:.6g}}") for words, (size, bad) in most.items()
        ),
    )


@suggest_keyword
def cuboid(
    width: float,
    depth: float,
    height: float,
    density: float | None = None,
    *,
    mass: float | None = None,
    com: ArrayLike = (0.0, 0.0, 0.0),
    gravity: float = GRAVITY,
    rim_width: float | None = None,
    rim_height: float | None = None,
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
    rim_width, rim_height : float, optional
        Both or neither: reach of outriggers or of a raised rim beyond the base on each side, and its height
        over the ground [m]. It weighs nothing; a tilted body lands on it.

    Raises
    ------
    ValueError
        If a size is not positive, both or neither of density and mass are given, one alone of the rim, the
        rim is too high or reaches too far, or the body cannot stand.

    Examples
    --------
    >>> body = cuboid(width=0.4, depth=0.4, height=1.6, density=2600)
    >>> round(body.mass, 1), round(body.slenderness, 4), round(body.frequency, 4)
    (665.6, 0.245, 2.987)
    """
    sizes = {"width": width, "depth": depth, "height": height}
    x, y, z = (length(f"cuboid.{name}", value) for name, value in sizes.items())
    weight = weight_of("cuboid", density, mass, com)
    bodies = cuboids(x, y, z, weight, gravity_of("cuboid", gravity))
    if rim_width is not None or rim_height is not None:
        rim = {"rim_width": rim_width, "rim_height": rim_height}
        bodies = with_rim(bodies, *(length(f"cuboid.{name}", value) for name, value in rim.items()))
    return bodies.only()


def prisms(base: Array, height: Array, weight: Weight, gravity: Array) -> Bodies:
    """Prisms on ``base`` (n, k, 2) [m] of ``height`` (n,) [m].

    The inertia about the COM stays that of the homogeneous prism. ``gravity`` (n,) [m/s2].
    """
    x, y = base[..., 0], base[..., 1]
    x1, y1 = np.roll(x, -1, axis=-1), np.roll(y, -1, axis=-1)
    cross, area = cross_products(base), polygon_area(base)
    with np.errstate(divide="ignore", invalid="ignore"):  # `Bodies.check` refuses a base without area
        volume = np.abs(area * height)
        mass, values = weight.of(volume), {"height": height} | weight.values(volume)
        cx, cy = polygon_centroid(base).T
        xx = ((x * x + x * x1 + x1 * x1) * cross).sum(-1) / (12.0 * area) - cx * cx
        yy = ((y * y + y * y1 + y1 * y1) * cross).sum(-1) / (12.0 * area) - cy * cy
        xy = ((x * y1 + 2.0 * (x * y + x1 * y1) + x1 * y) * cross).sum(-1) / (24.0 * area) - cx * cy
        inertia = np.zeros((len(mass), 3, 3))
        inertia[:, 0, 0] = mass * (yy + height**2 / 12.0)
        inertia[:, 1, 1] = mass * (xx + height**2 / 12.0)
        inertia[:, 2, 2] = mass * (xx + yy)
        inertia[:, 0, 1] = inertia[:, 1, 0] = -mass * xy
    centre = np.stack([cx, cy, 0.5 * height], axis=-1) + weight.offset
    vertices = between(base, base, height) - centre[:, None, :]
    faces = prism_faces(base.shape[1])
    return on_base(mass, inertia, vertices, gravity, faces, polygons={"base": base}, values=values)


@suggest_keyword
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
    corners, heights = polygon("prism.base", base), length("prism.height", height)
    weight = weight_of("prism", density, mass, com)
    return prisms(corners, heights, weight, gravity_of("prism", gravity)).only()


def cylinders(radius: Array, height: Array, sides: int, weight: Weight, gravity: Array) -> Bodies:
    """Cylinders of ``radius`` and ``height`` (n,) [m] with ``sides`` walls; ``gravity`` (n,) [m/s2]."""
    bodies = prisms(circle_polygon(radius, sides), height, weight, gravity)
    width = 2.0 * radius
    return bodies._replace(polygons={}, values={"width": width, "depth": width} | bodies.values)


DRAWN_SIDES = 48  # of the polygon by which a circle is drawn [1]


def round_solids(
    radius: Array,
    height: Array,
    weight: Weight,
    gravity: Array,
    *,
    inner: Array | None = None,
    top: Array | None = None,
) -> Bodies:
    """Solids of revolution on a circle of ``radius`` (n,) [m]: cylinders, or frusta to the radius ``top``.

    With ``inner`` (n,) [m] a hole of that radius, narrower than both, goes through them along the axis.
    Volume, centroid and inertia are exact; the surface is drawn with `DRAWN_SIDES` walls. ``height`` (n,)
    [m], ``gravity`` (n,) [m/s2].
    """
    top = radius if top is None else top
    hole = np.zeros_like(radius) if inner is None else inner
    base, faces = regular_polygon(radius, DRAWN_SIDES), prism_faces(DRAWN_SIDES)
    solid, through = (_round_moments(*ends, height) for ends in ((radius, top), (hole, hole)))
    volume, first, second, axial = (whole - part for whole, part in zip(solid, through, strict=True))
    centre, mass = first / volume, weight.of(volume)
    inertia = np.zeros((len(radius), 3, 3))
    inertia[:, 0, 0] = inertia[:, 1, 1] = mass * (second / volume - centre**2 + axial / (2.0 * volume))
    inertia[:, 2, 2] = mass * axial / volume
    middle = weight.offset + np.stack([np.zeros_like(centre), np.zeros_like(centre), centre], axis=-1)
    size = {"width": 2.0 * radius, "depth": 2.0 * radius, "height": height}
    vertices = between(base, regular_polygon(top, DRAWN_SIDES), height) - middle[:, None]
    values = size | weight.values(volume)
    return on_base(mass, inertia, vertices, gravity, faces, values=values)._replace(rim=radius)


def _round_moments(low: Array, high: Array, height: Array) -> tuple[Array, Array, Array, Array]:
    """Volume [m3], integrals of z [m4] and of z^2 [m5] over it, z from the base, and moment of inertia about
    the axis [m5] of frusta of cones from the radius ``low`` to ``high`` (n,) [m]."""
    lengths = pi * height
    volume = lengths * (low**2 + low * high + high**2) / 3
    first = lengths * height * (low**2 + 2 * low * high + 3 * high**2) / 12
    second = lengths * height**2 * (low**2 + 3 * low * high + 6 * high**2) / 30
    powers = low**4 + low**3 * high + low**2 * high**2 + low * high**3 + high**4
    return volume, first, second, lengths * powers / 10


@suggest_keyword
def cylinder(
    radius: float,
    height: float,
    sides: int | None = None,
    density: float | None = None,
    *,
    mass: float | None = None,
    com: ArrayLike = (0.0, 0.0, 0.0),
    inner_radius: float | None = None,
    top_radius: float | None = None,
    gravity: float = GRAVITY,
) -> Body:
    """Homogeneous upright circular cylinder, whole or hollow, or the frustum of a cone.

    It stands on a circle, on whose rim it rolls, unless ``sides`` makes it a regular prism. The polygon has
    the area of the circle, so that mass and density fit together. The inertia is then that of the cylinder to
    order sides^-4; the base edges are nearer to the axis than ``radius`` by a share pi^2/(6 sides^2) and the
    corners farther by twice as much (0.07 % and 0.14 % for 48 sides). Edge 0 faces +x.

    Parameters
    ----------
    radius, height : float
        [m].
    sides : int, optional
        At least 3.
    density, mass : float
        One of the two [kg/m3], [kg].
    com : array_like (3,)
        Offset of the COM from the centroid [m]; the inertia about the COM stays that of the homogeneous
        solid.
    inner_radius : float, optional
        Of a hole along the axis [m].
    top_radius : float, optional
        Of the top, where the body tapers or widens [m].
    gravity : float
        [m/s2].

    Raises
    ------
    ValueError
        As `cuboid`, if ``sides`` is not an integer >= 3 or is given with a hole or a top, and if the hole is
        as wide as base or top.

    Examples
    --------
    >>> drum = cylinder(0.2, 1.0, density=1000)
    >>> round(drum.mass, 3), drum.rim
    (125.664, 0.2)
    >>> len(cylinder(0.2, 1.0, 24, density=1000).faces)
    26
    """
    radii, heights = length("cylinder.radius", radius), length("cylinder.height", height)
    weight, pull = weight_of("cylinder", density, mass, com), gravity_of("cylinder", gravity)
    inner = None if inner_radius is None else length("cylinder.inner_radius", inner_radius)
    top = None if top_radius is None else length("cylinder.top_radius", top_radius)
    if sides is None:
        narrow = min(radii[0], np.inf if top is None else top[0])
        if inner is not None and inner[0] >= narrow:
            raise ValueError(
                f"cylinder.inner_radius must be less than the radius of base and top, {narrow:g} m, got "
                f"{inner[0]:g} m"
            )
        return round_solids(radii, heights, weight, pull, inner=inner, top=top).only()
    if not Integer(3).fits(sides):
        raise ValueError(f"cylinder.sides must be an integer >= 3, got {shown(sides)}")
    if inner is not None or top is not None:
        raise ValueError("cylinder.sides makes a prism, without inner_radius and top_radius: leave it out")
    return cylinders(radii, heights, int(sides), weight, pull).only()


def frusta(base: Array, top: Array, height: Array, weight: Weight, gravity: Array) -> Bodies:
    """Frusta from ``base`` to ``top`` (n, k, 2) [m] of ``height`` (n,) [m].

    The inertia about the COM stays that of the homogeneous frustum. ``gravity`` (n,) [m/s2]. Whether
    they stand clear is left to who knows all of them.
    """
    vertices, faces = between(base, top, height), prism_faces(base.shape[1])
    with np.errstate(divide="ignore", invalid="ignore"):  # `Bodies.check` refuses a base without area
        signed, centroid, spread = solid_moments(vertices, faces)
        volume = np.abs(signed)
        mass, values = weight.of(volume), {"height": height} | weight.values(volume)
        inertia = mass[:, None, None] * spread
    return on_base(
        mass,
        inertia,
        vertices - (centroid + weight.offset)[:, None, :],
        gravity,
        faces,
        stands_clear=False,
        polygons={"base": base, "top": top},
        values=values,
    )


@suggest_keyword
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
    corners, heights = polygon("frustum.base", base), length("frustum.height", height)
    if (top_scale is None) == (top is None):
        raise ValueError(f"frustum needs exactly one of top_scale [1] and top [m], got {top_scale=}, {top=}")
    if top is None:
        upper = scaled_polygon(corners, np.array([positive("frustum.top_scale", top_scale, "1")]))
    else:
        upper = polygon("frustum.top", top)
        if upper.shape != corners.shape:
            raise ValueError(
                f"frustum.top must have as many corners as the base, {corners.shape[1]}, got {upper.shape[1]}"
            )
    weight = weight_of("frustum", density, mass, com)
    return frusta(corners, upper, heights, weight, gravity_of("frustum", gravity)).only()
