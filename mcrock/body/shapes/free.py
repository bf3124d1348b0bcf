"""Bodies of a study of which only the base and the mass properties are known."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import numpy as np

from mcrock.body.bodies import Bodies, on_base
from mcrock.body.shapes.coordinates import (
    BASE,
    CENTRE_OF_MASS,
    CORNERS,
    INERTIA,
    Corners,
    Draws,
    Tensor,
    Triple,
    coordinates,
    drawn_tensor,
    drawn_triple,
)
from mcrock.body.shapes.shape import Shape
from mcrock.tables.distributions import Quantity, Uncertain

CENTRE = Triple(
    "[x, y, height above the base] [m]", (Uncertain("m"), Uncertain("m"), Uncertain("m", above=0.0))
)


class Free(Shape):
    """Measured or computed mass properties on a convex polygon."""

    inputs: ClassVar = {"base": CORNERS, "com": CENTRE_OF_MASS, "inertia": INERTIA}

    shape: Literal["free"]
    base: Annotated[Corners, BASE]
    com: Annotated[tuple[Quantity, ...], CENTRE]
    mass: Annotated[Quantity, Uncertain("kg", above=0.0)]
    inertia: Annotated[tuple[tuple[Quantity, ...], ...], Tensor()]

    def build(self, draws: Draws) -> Bodies:
        base = coordinates("base", self.base, draws)
        corners = np.concatenate([base, np.zeros_like(base[..., :1])], axis=-1)
        vertices = corners - drawn_triple("com", draws)[:, None, :]
        inertia, faces = drawn_tensor(draws), (tuple(range(len(self.base))),)
        return on_base(draws["mass"], inertia, vertices, draws["gravity"], faces, polygons={"base": base})
