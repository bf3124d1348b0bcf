"""Upright cylinders of a study."""

from __future__ import annotations

from typing import ClassVar, Literal

from mcrock.base.tables.distributions import Quantity, Uncertain
from mcrock.base.tables.fields import IntegerKey, entry
from mcrock.base.tables.inputs import Input
from mcrock.body.bodies import Bodies
from mcrock.body.shapes.coordinates import Draws
from mcrock.body.shapes.shape import Solid, Upright
from mcrock.body.solids.cylinder import cylinders

MOST_SIDES = 120  # of a cylinder [1]


class Cylinder(Solid, Upright):
    """Upright circular cylinder, as a regular prism of the same volume."""

    settings: ClassVar = ("sides",)
    # the radius of a body is the distance from its centre of mass to an edge
    inputs: ClassVar = {"radius": Input("radius of the cylinder", variable="base_radius")}

    shape: Literal["cylinder"]
    radius: Quantity = entry(Uncertain("m", above=0.0), "radius of the circle", 0.3)
    sides: int = entry(
        IntegerKey(3, MOST_SIDES), "number of sides of the polygon that the cylinder stands on", default=48
    )

    def build(self, draws: Draws) -> Bodies:
        weight = self.weight(draws)
        return cylinders(draws["radius"], draws["height"], self.sides, weight, draws["gravity"])
