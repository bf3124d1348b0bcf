"""Arguments that the constructors of single bodies share, checked."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mcrock.base.checks import Number, check_array
from mcrock.body.base import check_polygons
from mcrock.body.faces import Array
from mcrock.body.solids.polygon import polygon_area
from mcrock.body.solids.weight import Weight


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
