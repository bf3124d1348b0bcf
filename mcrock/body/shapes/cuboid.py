"""Rectangular blocks of a study."""

from __future__ import annotations

from typing import Literal

from mcrock.base.tables.distributions import Quantity, Uncertain
from mcrock.base.tables.fields import entry
from mcrock.body.bodies import Bodies
from mcrock.body.shapes.coordinates import Draws
from mcrock.body.shapes.shape import Solid, Upright
from mcrock.body.solids.cuboid import cuboids


class Cuboid(Solid, Upright):
    """Rectangular block."""

    shape: Literal["cuboid"]
    width: Quantity = entry(Uncertain("m", above=0.0), "edge along body x", 0.4)
    depth: Quantity = entry(Uncertain("m", above=0.0), "edge along body y", 0.4)

    def build(self, draws: Draws) -> Bodies:
        width, depth, height = (draws[key] for key in ("width", "depth", "height"))
        return cuboids(width, depth, height, self.weight(draws), draws["gravity"])
