"""Right prisms of a study."""

from __future__ import annotations

from typing import Annotated, Literal

from mcrock.body.bodies import Bodies
from mcrock.body.shapes.coordinates import BASE, Corners, Draws, coordinates
from mcrock.body.shapes.shape import Solid, Upright
from mcrock.body.solids.prism import prisms


class Prism(Solid, Upright):
    """Right prism on a convex polygon."""

    shape: Literal["prism"]
    base: Annotated[Corners, BASE]

    def build(self, draws: Draws) -> Bodies:
        base = coordinates("base", self.base, draws)
        return prisms(base, draws["height"], self.weight(draws), draws["gravity"])
