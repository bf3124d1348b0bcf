"""Bodies of a study of which only the base and the mass properties are known."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from mcrock.base.tables.distributions import Quantity, Uncertain
from mcrock.base.tables.fields import entry
from mcrock.body.bodies import Bodies, on_base
from mcrock.body.shapes.coordinates import (
    BASE,
    CENTRE_OF_MASS,
    CORNERS,
    INERTIA,
    INERTIA_KEY,
    Corners,
    Draws,
    coordinates,
    drawn_tensor,
    drawn_triple,
    triple,
)
from mcrock.body.shapes.shape import Shape

CENTRE = triple(
    "[x, y, height above the base] [m]", Uncertain("m"), Uncertain("m"), Uncertain("m", above=0.0)
)


class Free(Shape):
    """Measured or computed mass properties on a convex polygon."""

    inputs: ClassVar = {"base": CORNERS, "com": CENTRE_OF_MASS, "inertia": INERTIA}

    shape: Literal["free"]
    base: Corners = entry(
        BASE,
        "corners of the base seen from above, in any frame with vertical z; each coordinate "
        "may be a distribution",
        [[0.3, -0.2], [0.3, 0.2], [-0.3, 0.2], [-0.3, -0.2]],
    )
    com: tuple[Quantity, ...] = entry(
        CENTRE, "centre of mass in the frame of the base: x, y and its height", [0.0, 0.0, 0.8]
    )
    mass: Quantity = entry(Uncertain("kg", above=0.0), "mass", 650.0)
    inertia: tuple[tuple[Quantity, ...], ...] = entry(
        INERTIA_KEY,
        "inertia tensor about the centre of mass; off-diagonal entries are negative products, "
        "I_xy = -∫ x y dm",
        [[140.0, 0.0, 0.0], [0.0, 140.0, 0.0], [0.0, 0.0, 17.0]],
    )

    def build(self, draws: Draws) -> Bodies:
        base = coordinates("base", self.base, draws)
        corners = np.concatenate([base, np.zeros_like(base[..., :1])], axis=-1)
        vertices = corners - drawn_triple("com", draws)[:, None, :]
        inertia, faces = drawn_tensor(draws), (tuple(range(len(self.base))),)
        return on_base(draws["mass"], inertia, vertices, draws["gravity"], faces, polygons={"base": base})
