"""Homogeneous frusta: plane, tapered walls between a convex base and a parallel top."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from mcrock.base.keywords import suggesting
from mcrock.base.params import GRAVITY
from mcrock.body.bodies import Bodies, on_base
from mcrock.body.body import Body
from mcrock.body.faces import Array
from mcrock.body.mass import solid_moments
from mcrock.body.solids.parts import (
    Weight,
    between,
    gravity_of,
    length,
    polygon,
    positive,
    prism_faces,
    scaled_polygon,
    weight_of,
)


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


@suggesting
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
