"""The solid inside a mesh, as a study keeps it."""

from __future__ import annotations

import numpy as np

from mcrock.base.tables.fields import NumberKey, Table, entry
from mcrock.body.faces import Array
from mcrock.body.shapes.coordinates import Tensor, triple


class MeshSolid(Table):
    """Volume, centroid and inertia of the body itself, which is not its convex hull, in the axes of the
    points. They are worked out from a mesh file."""

    volume: float = entry(NumberKey("m3", above=0.0), "volume", 0.124)
    centroid: tuple[float, ...] = entry(
        triple("[x, y, z] in the axes of the vertices [m]", *[NumberKey("m")] * 3),
        "centroid",
        [0.0, 0.0, 0.3],
    )
    inertia: tuple[tuple[float, ...], ...] = entry(
        Tensor(NumberKey("m2"), "3 rows of 3 numbers [m2]"),
        "inertia tensor about the centroid over the mass",
        [[0.06, 0.0, 0.0], [0.0, 0.05, 0.0], [0.0, 0.0, 0.04]],
    )

    def scaled(self, factor: float) -> MeshSolid:
        """The same solid with all lengths times a factor."""
        centroid = tuple((factor * np.array(self.centroid)).tolist())
        inertia = tuple(map(tuple, (factor**2 * np.array(self.inertia)).tolist()))
        return self.model_construct(volume=factor**3 * self.volume, centroid=centroid, inertia=inertia)

    def moments(self, n: int) -> tuple[Array, Array, Array]:
        """Volume (n,) [m3], centroid (n, 3) [m] and inertia per mass (n, 3, 3) [m2], ``n`` times the same."""
        return (
            np.full(n, self.volume),
            np.tile(np.array(self.centroid), (n, 1)),
            np.tile(np.array(self.inertia), (n, 1, 1)),
        )
