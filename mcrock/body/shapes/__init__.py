"""The shapes of a study's bodies: each file has the keys of one and makes its bodies from drawn numbers.

Python constructors of single bodies do not need this: it loads what reads study files.
"""

from mcrock.base.tables.inputs import Declaration, declare
from mcrock.body.shapes.cuboid import Cuboid
from mcrock.body.shapes.cylinder import Cylinder
from mcrock.body.shapes.free import Free
from mcrock.body.shapes.frustum import Frustum
from mcrock.body.shapes.polyhedron import Polyhedron
from mcrock.body.shapes.prism import Prism
from mcrock.body.shapes.shape import Shape

SHAPES: dict[str, type[Shape]] = {
    "cuboid": Cuboid,
    "prism": Prism,
    "frustum": Frustum,
    "cylinder": Cylinder,
    "polyhedron": Polyhedron,
    "free": Free,
}


def declarations() -> list[Declaration]:
    """Dataset variables of what realizations draw, of all shapes."""
    return [item for shape in SHAPES.values() for item in declare(shape, shape.inputs, "body_")]


__all__ = ["SHAPES", "Shape", "declarations"]
