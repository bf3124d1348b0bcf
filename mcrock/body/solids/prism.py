"""Homogeneous right prisms."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from mcrock.base.keywords import suggesting
from mcrock.base.params import GRAVITY
from mcrock.body.bodies import Bodies, on_base
from mcrock.body.body import Body
from mcrock.body.faces import Array
from mcrock.body.solids.parts import (
    Weight,
    between,
    cross_products,
    gravity_of,
    length,
    polygon,
    polygon_area,
    polygon_centroid,
    prism_faces,
    weight_of,
)


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


@suggesting
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
