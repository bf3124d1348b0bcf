"""Homogeneous rectangular blocks."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from mcrock.base.keywords import suggesting
from mcrock.base.params import GRAVITY
from mcrock.body.bodies import Bodies, on_base
from mcrock.body.body import Body
from mcrock.body.faces import Array
from mcrock.body.solids.parts import Weight, gravity_of, length, prism_faces, weight_of


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


@suggesting
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
    x, y, z = (length(f"cuboid.{name}", value) for name, value in sizes.items())
    weight = weight_of("cuboid", density, mass, com)
    return cuboids(x, y, z, weight, gravity_of("cuboid", gravity)).only()
