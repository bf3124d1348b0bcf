"""The table of the body, and how drawn numbers become mass properties, vertices and faces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from mcrock.body import (
    Faces,
    circle_polygon,
    cuboid_properties,
    frustum_properties,
    frustum_volume,
    prism_faces,
    prism_properties,
    prism_volume,
    scaled_base,
    stands_over,
)
from mcrock.config.bodies import (
    Array,
    Bodies,
    Draws,
    Points,
    Shape,
    Solid,
    Tensor,
    Triple,
    Upright,
    coordinates,
    drawn_tensor,
)
from mcrock.config.polyhedron import Polyhedron
from mcrock.tables.distributions import Distribution, Quantity, Uncertain
from mcrock.tables.fields import Integer, OneOf, exactly_one

MOST_SIDES = 120  # of a cylinder [1]
BASE = Points("a list of at least 3 corners [x, y] [m], counter-clockwise", size=2, least=3)
CENTRE = Triple(
    "[x, y, height above the base] [m]", (Uncertain("m"), Uncertain("m"), Uncertain("m", above=0.0))
)
Corners = tuple[tuple[Quantity, ...], ...]


def _on_face_0(
    mass: Array,
    inertia: Array,
    vertices: Array,
    draws: Draws,
    values: dict[str, Array],
    faces: Faces,
    stands_clear: bool = True,
    polygons: dict[str, Array] | None = None,
) -> Bodies:
    """Bodies that must stand on face 0, their only base."""
    start = np.zeros(len(mass), dtype=np.int64)
    return Bodies(
        mass,
        inertia,
        vertices,
        draws["body.gravity"],
        values,
        faces,
        start,
        (0,),
        stands_clear,
        settled=False,
        polygons=polygons or {},
    )


class Cuboid(Solid, Upright):
    """Rectangular block."""

    shape: Literal["cuboid"]
    width: Annotated[Quantity, Uncertain("m", above=0.0)]
    depth: Annotated[Quantity, Uncertain("m", above=0.0)]

    def build(self, draws: Draws) -> Bodies:
        width, depth, height = (draws[f"body.{name}"] for name in ("width", "depth", "height"))
        mass, com, values = self.weighed(draws, width * depth * height)
        inertia, vertices = cuboid_properties(width, depth, height, mass, com)
        values = {"body_width": width, "body_depth": depth, "body_height": height} | values
        return _on_face_0(mass, inertia, vertices, draws, values, prism_faces(4))


class Prism(Solid, Upright):
    """Right prism on a convex polygon."""

    shape: Literal["prism"]
    base: Annotated[Corners, BASE]

    def build(self, draws: Draws) -> Bodies:
        base, height = coordinates("base", self.base, draws), draws["body.height"]
        with np.errstate(divide="ignore", invalid="ignore"):  # a base without area is refused by `check`
            mass, com, values = self.weighed(draws, np.abs(prism_volume(base, height)))
            inertia, vertices = prism_properties(base, height, mass, com)
        values = {"body_height": height} | values
        faces = prism_faces(base.shape[1])
        return _on_face_0(mass, inertia, vertices, draws, values, faces, polygons={"base": base})


class Cylinder(Solid, Upright):
    """Upright circular cylinder, as a regular prism of the same volume."""

    settings: ClassVar = ("sides",)

    shape: Literal["cylinder"]
    radius: Annotated[Quantity, Uncertain("m", above=0.0)]
    sides: Annotated[int, Integer(3, MOST_SIDES)] = 24

    def build(self, draws: Draws) -> Bodies:
        radius, height = draws["body.radius"], draws["body.height"]
        base = circle_polygon(radius, self.sides)
        mass, com, values = self.weighed(draws, prism_volume(base, height))
        inertia, vertices = prism_properties(base, height, mass, com)
        width = 2.0 * radius
        values = {"body_width": width, "body_depth": width, "body_height": height} | values
        return _on_face_0(mass, inertia, vertices, draws, values, prism_faces(self.sides))


class Frustum(Solid, Upright):
    """Convex base, parallel top, plane tapered walls."""

    alternatives: ClassVar = (("density", "mass"), ("top_scale", "top"))

    shape: Literal["frustum"]
    base: Annotated[Corners, BASE]
    top_scale: Annotated[Quantity | None, Uncertain("1", above=0.0)] = None
    top: Annotated[Corners | None, BASE] = None

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        yield from super().conflicts(data)
        yield from exactly_one(data, {"top_scale": "1", "top": "m"})
        base, top = data.get("base"), data.get("top")
        if isinstance(base, list | tuple) and isinstance(top, list | tuple) and len(top) != len(base):
            yield ("top",), f"must have as many corners as the base, {len(base)}, got {len(top)}"

    def build(self, draws: Draws) -> Bodies:
        base, height = coordinates("base", self.base, draws), draws["body.height"]
        with np.errstate(divide="ignore", invalid="ignore"):  # a base without area is refused by `check`
            if self.top is None:
                top = scaled_base(base, draws["body.top_scale"])
            else:
                top = coordinates("top", self.top, draws)
            mass, com, values = self.weighed(draws, np.abs(frustum_volume(base, top, height)))
            inertia, vertices = frustum_properties(base, top, height, mass, com)
        faces = prism_faces(base.shape[1])
        values = {"body_height": height} | values
        polygons = {"base": base} if self.top is None else {"base": base, "top": top}
        clear = self._stands_clear(vertices)
        return _on_face_0(mass, inertia, vertices, draws, values, faces, clear, polygons)

    def _stands_clear(self, vertices: Array) -> bool:
        """Whether no realization can reach beyond its base; the same for every part of a study."""
        if self.top_scale is not None:
            if isinstance(self.top_scale, Distribution):
                return self.top_scale.share_outside(None, None, 1.0) == 0
            return self.top_scale <= 1
        shapes = (*self.base, *(self.top or ()))
        if any(isinstance(value, Distribution) for corner in shapes for value in corner):
            return False
        return bool(stands_over(vertices[:1], tuple(range(len(self.base))))[0])


class Free(Shape):
    """Measured or computed mass properties on a convex polygon."""

    shape: Literal["free"]
    base: Annotated[Corners, BASE]
    com: Annotated[tuple[Quantity, ...], CENTRE]
    mass: Annotated[Quantity, Uncertain("kg", above=0.0)]
    inertia: Annotated[tuple[tuple[Quantity, ...], ...], Tensor()]

    def build(self, draws: Draws) -> Bodies:
        corners = coordinates("base", self.base, draws)
        com = np.stack([draws[f"body.com[{i}]"] for i in range(3)], axis=-1)
        vertices = np.concatenate([corners, np.zeros_like(corners[..., :1])], axis=-1) - com[:, None, :]
        faces = (tuple(range(len(self.base))),)
        inertia = drawn_tensor(draws)
        return _on_face_0(draws["body.mass"], inertia, vertices, draws, {}, faces, polygons={"base": corners})


SHAPES: dict[str, type[Shape]] = {
    "cuboid": Cuboid,
    "prism": Prism,
    "frustum": Frustum,
    "cylinder": Cylinder,
    "polyhedron": Polyhedron,
    "free": Free,
}
AnyShape = Cuboid | Prism | Frustum | Cylinder | Polyhedron | Free
BodyTable = Annotated[AnyShape, OneOf("shape", SHAPES)]


def refusal(body: AnyShape) -> str | None:
    """Why the body whose every uncertain number has its median cannot exist or stand; None if it can."""
    try:
        impossible = body.build(body.medians()).first_impossible()
    except ValueError as error:  # no solid body can be made of the vertices
        return str(error)
    return None if impossible is None else impossible[1]
