"""Right prisms of a study."""

from __future__ import annotations

from typing import ClassVar, Literal

from mcrock.base.tables.fields import entry
from mcrock.body.bodies import Bodies
from mcrock.body.shapes.coordinates import BASE, CORNERS, Corners, Draws, coordinates
from mcrock.body.shapes.shape import Solid, Upright
from mcrock.body.solids.prism import prisms


class Prism(Solid, Upright):
    """Right prism on a convex polygon."""

    inputs: ClassVar = {"base": CORNERS}

    shape: Literal["prism"]
    base: Corners = entry(
        BASE,
        "corners of the base seen from above; each coordinate may be a distribution",
        [[0.3, -0.2], [0.3, 0.2], [-0.3, 0.2], [-0.3, -0.2]],
    )

    def build(self, draws: Draws) -> Bodies:
        base = coordinates("base", self.base, draws)
        return prisms(base, draws["height"], self.weight(draws), draws["gravity"])
