"""What solids share: polygons (n, k, 2) [m], what stands between two of them, weight, arguments."""

from __future__ import annotations

from math import pi, sin
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mcrock.base.checks import Number, check_array
from mcrock.body.base import check_polygons
from mcrock.body.faces import Array, Faces


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


def circle_polygon(radius: Array, sides: int) -> Array:
    """Regular polygons (n, sides, 2) [m] of the area of circles of ``radius`` (n,) [m]."""
    angles = 2 * pi * (np.arange(sides) - 0.5) / sides
    unit = np.stack([np.cos(angles), np.sin(angles)], -1)
    return np.sqrt(2 * pi / (sides * sin(2 * pi / sides))) * radius[:, None, None] * unit


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
