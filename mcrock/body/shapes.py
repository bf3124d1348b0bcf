"""The shapes of bodies in one piece: the keys of each, and the bodies made from drawn numbers.

Python constructors of single bodies do not need this: it loads what reads study files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache
from math import inf, radians
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np

from mcrock.base.tables.distributions import Distribution, Quantity, Uncertain
from mcrock.base.tables.fields import (
    ChoiceKey,
    Input,
    IntegerKey,
    ListOf,
    NumberKey,
    Table,
    Text,
    entry,
    exactly_one,
    given,
    optional,
)
from mcrock.base.tables.parsing import ConfigError, refuse
from mcrock.base.units import LENGTHS
from mcrock.body.body import Bodies, on_base
from mcrock.body.faces import (
    BASE_ANGLE,
    Array,
    Faces,
    body_axes,
    face_normals,
    lowest_face,
    nearly_flat,
    settle,
    solid_moments,
    stands_over,
)
from mcrock.body.keys import (
    BASE,
    CENTRE_OF_MASS,
    CORNERS,
    CORNERS_OR_RIM,
    INERTIA,
    INERTIA_KEY,
    Corners,
    Draws,
    RandomUnderside,
    RoundBase,
    Shape,
    Solid,
    Tensor,
    Upright,
    coordinates,
    drawn_tensor,
    drawn_triple,
    point_list,
    triple,
)
from mcrock.body.polyhedron import REACH, UP, hull_corners, is_mesh, near_surface, read_scan, with_shape_error
from mcrock.body.solids import (
    DRAWN_SIDES,
    cuboids,
    cylinders,
    frusta,
    prisms,
    regular_polygon,
    round_solids,
    scaled_polygon,
    with_rim,
)
from mcrock.body.surface import hull_surface


class MeshSolid(Table):
    """The body itself, where it is not its convex hull, in the axes of the points; a mesh file gives it."""

    volume: float = entry(NumberKey("m3", above=0.0), "volume", 0.124)
    centroid: tuple[float, ...] = entry(
        triple("[x, y, z] in the axes of the vertices [m]", *[NumberKey("m")] * 3),
        "centroid",
        [0.0, 0.0, 0.3],
    )
    inertia: tuple[tuple[float, ...], ...] = entry(
        Tensor(NumberKey("m2"), "3 rows of 3 numbers [m2]"),
        "inertia tensor about the centroid, over the mass",
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


class Cuboid(Solid, Upright):
    """Rectangular block, with or without a rim that limits its tilt."""

    inputs: ClassVar = {
        "rim_width": Input("reach of the rim beyond the base"),
        "rim_height": Input("height of the rim over the ground"),
    }

    shape: Literal["cuboid"]
    width: Quantity = entry(Uncertain("m", above=0.0), "edge along body x", 0.4)
    depth: Quantity = entry(Uncertain("m", above=0.0), "edge along body y", 0.4)
    rim_width: Quantity | None = optional(
        Uncertain("m", above=0.0),
        "how far outriggers or a raised rim, which weigh nothing, stand out on each side of the base",
        0.1,
    )
    rim_height: Quantity | None = optional(
        Uncertain("m", above=0.0), "height of the rim over the ground, on which the tilted body lands", 0.01
    )

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        yield from super().conflicts(data)
        if ("rim_width" in data) != ("rim_height" in data):
            yield (), "a rim has a 'rim_width' [m] and a 'rim_height' [m]: give both or neither"

    def build(self, draws: Draws) -> Bodies:
        width, depth, height = (draws[key] for key in ("width", "depth", "height"))
        bodies = cuboids(width, depth, height, self.weight(draws), draws["gravity"])
        return bodies if self.rim_width is None else with_rim(bodies, draws["rim_width"], draws["rim_height"])


MOST_SIDES = 192  # of a cylinder [1]


class Cylinder(Solid, Upright):
    """Upright circular cylinder, whole or hollow, or the frustum of a cone."""

    settings: ClassVar = ("sides",)
    # the radius of a body is the distance from its centre of mass to an edge
    inputs: ClassVar = {
        "radius": Input("radius of the cylinder", variable="base_radius"),
        "inner_radius": Input("radius of the hole along the axis"),
        "top_radius": Input("radius of the top"),
    }

    shape: Literal["cylinder"]
    radius: Quantity = entry(Uncertain("m", above=0.0), "radius of the circle that it stands on", 0.3)
    inner_radius: Quantity | None = optional(
        Uncertain("m", above=0.0), "radius of a hole along the axis, as of a ring or tube", 0.2
    )
    top_radius: Quantity | None = optional(
        Uncertain("m", above=0.0), "radius of the top, where it tapers", 0.25
    )
    sides: int | None = optional(
        IntegerKey(3, MOST_SIDES),
        "sides of a polygon of the same area that it stands on instead of the circle",
        48,
    )

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        yield from super().conflicts(data)
        for key in ("inner_radius", "top_radius"):
            if data.get(key) is not None and data.get("sides") is not None:
                yield (key,), "is of a body on a circle, and sides makes it a polygon: leave one of them out"
        for key in ("radius", "top_radius"):
            numbers = given(data, "inner_radius", key)
            if numbers is not None and numbers[0] >= numbers[1]:
                yield ("inner_radius",), f"must be less than {key}, {numbers[1]:g} m, got {numbers[0]:g} m"

    def build(self, draws: Draws) -> Bodies:
        radius, height, weight = draws["radius"], draws["height"], self.weight(draws)
        if self.sides is not None:
            return cylinders(radius, height, self.sides, weight, draws["gravity"])
        bodies = round_solids(
            radius,
            height,
            weight,
            draws["gravity"],
            inner=draws.get("inner_radius"),
            top=draws.get("top_radius"),
        )
        return bodies._replace(stands_clear=self._stands_clear())

    def _stands_clear(self) -> bool:
        """Whether no realization reaches beyond its base; the same for every part of a study."""
        if self.top_radius is None:
            return True
        widest, narrowest = (
            value.quantile(end) if isinstance(value, Distribution) else value
            for value, end in ((self.top_radius, 1.0), (self.radius, 0.0))
        )
        return bool(widest <= narrowest)


CENTRE = triple(
    "[x, y, height above the base] [m]", Uncertain("m"), Uncertain("m"), Uncertain("m", above=0.0)
)


class Free(Shape):
    """Measured or computed mass properties on a convex polygon."""

    inputs: ClassVar = {"base": CORNERS, "com": CENTRE_OF_MASS, "inertia": INERTIA}

    shape: Literal["free"]
    base: Corners | RoundBase = entry(
        CORNERS_OR_RIM,
        "corners of the base seen from above, each coordinate may be a distribution, or `{ rim = 0.3 }`, a "
        "circle about the origin",
        [[0.3, -0.2], [0.3, 0.2], [-0.3, 0.2], [-0.3, -0.2]],
    )
    com: tuple[Quantity, ...] = entry(CENTRE, "centre of mass in the frame of the base", [0.0, 0.0, 0.8])
    mass: Quantity = entry(Uncertain("kg", above=0.0), "mass", 650.0)
    inertia: tuple[tuple[Quantity, ...], ...] = entry(
        INERTIA_KEY,
        "inertia tensor about the centre of mass; I_xy = -∫ x y dm",
        [[140.0, 0.0, 0.0], [0.0, 140.0, 0.0], [0.0, 0.0, 17.0]],
    )

    def build(self, draws: Draws) -> Bodies:
        rim = draws.get("base.rim")
        base = (
            regular_polygon(draws["base.rim"], DRAWN_SIDES)
            if isinstance(self.base, RoundBase)
            else coordinates("base", self.base, draws)
        )
        corners = np.concatenate([base, np.zeros_like(base[..., :1])], axis=-1)
        vertices = corners - drawn_triple("com", draws)[:, None, :]
        inertia, faces = drawn_tensor(draws), (tuple(range(base.shape[1])),)
        bodies = on_base(draws["mass"], inertia, vertices, draws["gravity"], faces, polygons={"base": base})
        return bodies._replace(rim=rim)


class Frustum(Solid, Upright):
    """Convex base, parallel top, plane tapered walls."""

    alternatives: ClassVar = (("density", "mass"), ("top_scale", "top"))
    inputs: ClassVar = {
        "base": CORNERS,
        "top_scale": Input("size of the top over that of the base"),
        "top": Input("top corner {0}, coordinate {1} of the study (0 x, 1 y)"),
    }

    shape: Literal["frustum"]
    base: Corners = entry(
        BASE,
        "corners of the base seen from above; each coordinate may be a distribution",
        [[0.3, -0.2], [0.3, 0.2], [-0.3, 0.2], [-0.3, -0.2]],
    )
    top_scale: Quantity | None = optional(
        Uncertain("1", above=0.0), "size of the top over that of the base", 0.8
    )
    top: Corners | None = optional(
        BASE,
        "corners of the top, in the order of those of the base; the walls must be plane",
        [[0.2, -0.1], [0.2, 0.1], [-0.2, 0.1], [-0.2, -0.1]],
    )

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        yield from super().conflicts(data)
        yield from exactly_one(data, {"top_scale": "1", "top": "m"})
        base, top = data.get("base"), data.get("top")
        if isinstance(base, list | tuple) and isinstance(top, list | tuple) and len(top) != len(base):
            yield ("top",), f"must have as many corners as the base, {len(base)}, got {len(top)}"

    def build(self, draws: Draws) -> Bodies:
        base = coordinates("base", self.base, draws)
        if self.top is None:
            with np.errstate(divide="ignore", invalid="ignore"):  # `Bodies.check` refuses a base without area
                top = scaled_polygon(base, draws["top_scale"])
        else:
            top = coordinates("top", self.top, draws)
        bodies = frusta(base, top, draws["height"], self.weight(draws), draws["gravity"])
        listed = {"base": base} if self.top is None else {"base": base, "top": top}
        return bodies._replace(polygons=listed, stands_clear=self._stands_clear(bodies.vertices))

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


OFFSETS = ("com_x", "com_y", "com_z")


class Outline(NamedTuple):
    """Properties that all realizations of a polyhedron share."""

    kept: tuple[int, ...]  # numbers of the listed vertices that are corners of the hull
    faces: Faces  # of the corners, as those of `Body`
    start_face: int  # face that the bodies are put down on
    base_faces: tuple[int, ...]


class Axis(ListOf):
    """A direction."""

    def parse(self, value: Any) -> Any:
        axis = super().parse(value)
        if not any(axis):
            refuse("must not be zero in all three coordinates")
        return axis


class Polyhedron(Solid):
    """Convex hull of vertices; homogeneous, or with given mass properties.

    The faces are those of the hull of the vertices at their medians, numbered by their vertices in
    ascending order. Every realization has the same faces, and one whose drawn vertices do not lie in
    them is refused.
    """

    alternatives: ClassVar = (("density", "mass"), ("vertices", "file"), ("base_faces", "base_angle_deg"))
    settings: ClassVar = (
        "vertices",
        "start_face",
        "axis",
        "base_faces",
        "base_angle_deg",
        "shape_error",
        "solid",
    )
    inputs: ClassVar = {
        "vertices": Input("vertex {0}, coordinate {1} of the study (0 x, 1 y, 2 z)"),
        "scale": Input("factor on the vertices of the study"),
        "com": CENTRE_OF_MASS,
        "inertia": INERTIA,
    }

    shape: Literal["polyhedron"]
    vertices: tuple[tuple[Quantity, ...], ...] | None = optional(
        point_list("a list of at least 4 vertices [x, y, z] [m]", 3, 4),
        "points, of which the body is the convex hull; each coordinate may be a distribution",
        [[0.3, -0.3, 0.0], [0.3, 0.3, 0.0], [-0.3, 0.3, 0.0], [-0.3, -0.3, 0.0], [0.0, 0.0, 1.2]],
    )
    file: str | None = optional(
        Text(),
        "text file with a point x y z on each line, or mesh (.stl, .obj, .ply), which gives the mass "
        "properties too",
        "rock.stl",
    )  # `take_in_files` puts its points in `vertices`
    unit: str | None = optional(
        ChoiceKey(tuple(LENGTHS)),
        "unit of the lengths in `file`, required for a mesh; text files are in m by default",
        "mm",
    )
    up: str | None = optional(
        ChoiceKey(UP),
        "axis of the `file` that is up, z by default; the file is turned first (`mcrock docs bodies`)",
        "y",
    )
    solid: MeshSolid | None = optional(
        None,
        "the solid itself, where it is smaller than its hull",
        {
            "volume": 0.12,
            "centroid": [0.0, 0.0, 0.3],
            "inertia": [[0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.05]],
        },
    )
    scale: Quantity = entry(Uncertain("1", above=0.0), "factor on all lengths", default=1.0)
    base: RoundBase | None = optional(
        None, "a circle that the start face stands for, where its corners are points of one", {"rim": 0.3}
    )
    com: tuple[Quantity, ...] | None = optional(
        triple("[x, y, z] in the axes of the vertices [m]", *[Uncertain("m")] * 3),
        "centre of mass, given with `inertia` and `mass`; each coordinate may be a distribution",
        [0.0, 0.0, 0.3],
    )
    inertia: tuple[tuple[Quantity, ...], ...] | None = optional(
        INERTIA_KEY,
        "inertia tensor about the centre of mass in the same axes, given with `com` and `mass`; at most "
        "that of the mass placed in the corners",
        [[10.0, 0.0, 0.0], [0.0, 10.0, 0.0], [0.0, 0.0, 5.0]],
    )
    start_face: int | None = optional(
        IntegerKey(0),
        "face that the body is put down on, by default the lowest; a body that cannot stand on it settles "
        "on a stable one first, as `mcrock check` reports",
        0,
    )
    axis: tuple[float, ...] | None = optional(
        Axis((NumberKey("1"),) * 3, "a direction [x, y, z] [1]", distinct=False),
        "direction that the tilt is measured from, by default that which is up at the start; for a base "
        "of several shallow facets",
        [0.0, 0.0, 1.0],
    )
    base_faces: tuple[int, ...] | None = optional(
        ListOf(IntegerKey(0), "a list of face numbers"),
        "faces that may touch the ground without overturning, by default those within 5 degrees of the "
        "start face that join it",
        [0, 1],
    )
    base_angle_deg: float | None = optional(
        NumberKey("deg", above=0.0, most=90.0),
        "inclination to the start face below which a face that joins it is base",
        5.0,
    )
    shape_error: RandomUnderside | None = optional(
        None,
        "error of the shape of the underside; every draw has a hull of its own",
        {"std": 0.0007, "correlation_length": 0.05, "epistemic": True},
    )

    @classmethod
    def take_in_files(cls, data: dict[str, Any], folder: Path) -> None:
        unit, file, up = data.get("unit"), data.get("file"), data.get("up", "z")
        if up != "z" and "vertices" in data:
            raise ConfigError(
                "up: is an axis of the 'file', and vertices are taken as they are: leave it out"
            )
        known = unit in (None, *LENGTHS) and up in UP
        if "vertices" in data or not isinstance(file, str) or not known:
            return
        weighs, place = not data.keys() & {"com", "inertia", "solid"}, folder / file
        try:
            written = place.stat().st_mtime_ns if place.is_file() else 0
            points, solid = _taken(place, written, unit, up, weighs, _reach(data))
        except (ValueError, OSError) as error:  # as of a name that is too long
            raise ConfigError(f"file: {error}") from None
        if solid is not None:
            data["solid"] = _plain(solid)
        data["vertices"] = points.tolist()
        del data["file"]
        data.pop("unit", None)

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        yield from exactly_one(data, {"vertices": "m", "file": "rows of x, y, z"})
        if data.get("unit") is not None and "file" not in data:
            yield ("unit",), "is that of the lengths in 'file', and vertices are in m: leave it out"
        for key in ("start_face", "base_faces"):
            if data.get(key) is not None and data.get("shape_error") is not None:
                other = "; base_angle_deg says which faces are base" if key == "base_faces" else ""
                yield (key,), f"numbers faces, which every draw of shape_error has anew: leave it out{other}"
        if data.get("base_faces") is not None and data.get("base_angle_deg") is not None:
            yield ("base_angle_deg",), "tells the base, and base_faces lists it: give one of them"
        for key in ("base_faces", "base_angle_deg", "shape_error"):
            if data.get(key) is not None and data.get("base") is not None:
                yield (key,), "is of a base of plane faces, and base is a circle: give one of them"
        if "com" not in data and "inertia" not in data:
            yield from super().conflicts(data)
            return
        missing = [repr(key) for key in ("com", "inertia", "mass") if key not in data]
        if missing:
            yield (
                (),
                f"'com', 'inertia' and 'mass' are given together or not at all; missing {', '.join(missing)}",
            )
        for key in ("density", "solid", *OFFSETS):
            if data.get(key, 0.0) not in (None, 0.0):
                instead = "; give the entries of com as distributions" if key in OFFSETS else ""
                yield (
                    (key,),
                    "only for a homogeneous body; leave it out where 'com' and 'inertia' are given" + instead,
                )

    def quantities(self) -> Iterator[tuple[str, Quantity]]:
        """All numbers of the body with their keys, but of the vertices the uncertain ones alone."""
        for name, value in super().quantities():
            if self.com is None or name not in OFFSETS:
                yield name, value
        for i, vertex in enumerate(self.vertices or ()):
            for j, value in enumerate(vertex):
                if isinstance(value, Distribution):
                    yield f"vertices[{i}][{j}]", value

    @cached_property
    def outline(self) -> Outline:
        """Faces and base of the body with every uncertain number at its median.

        Raises
        ------
        ValueError
            If the vertices enclose no volume, a face is named that does not exist, or the underside is not
            that which has an error of its shape.
        """
        draws = self._medians()
        points = coordinates("vertices", self.vertices or (), draws)[0]
        surface = hull_surface(points, "vertices")
        corners, faces = points[surface.kept], surface.faces
        relative = self._matter(draws, corners[None], faces)[2]
        start = lowest_face(relative[0], faces) if self.start_face is None else self.start_face
        for key, numbers in (("start_face", (start,)), ("base_faces", self.base_faces or ())):
            if max(numbers, default=0) >= len(faces):
                raise ValueError(f"{key}: the body has the faces 0 to {len(faces) - 1}, got {max(numbers)}")
        if self.shape_error is not None:
            down = face_normals(relative, faces)[0, settle(relative[0], faces, start)]
            if np.degrees(np.arccos(min(1.0, -down[2]))) > self.shape_error.underside_deg:
                raise ValueError(
                    "shape_error is along z, but the body settles on a face with the outward normal "
                    f"{down.round(3).tolist()}: turn the points so that it looks down (-z)"
                )
        if self.base is not None:
            base: tuple[int, ...] = (int(settle(relative[0], faces, start)),)
        elif self.base_faces is None:
            angle = BASE_ANGLE if self.base_angle_deg is None else radians(self.base_angle_deg)
            base = nearly_flat(corners, faces, settle(relative[0], faces, start), angle)
        else:
            base = tuple(sorted(self.base_faces))
        return Outline(tuple(surface.kept.tolist()), faces, start, base)

    @property
    def centre_of_mass(self) -> Array:
        """Centre of mass (3,) in the axes of the points, with every uncertain number at its median [m]."""
        draws = self._medians()
        corners = coordinates("vertices", self.vertices or (), draws, self.outline.kept)
        relative = self._matter(draws, corners, self.outline.faces)[2]
        return draws["scale"][0] * corners[0, 0] - relative[0, 0]

    @property
    def underside(self) -> RandomUnderside | None:
        return self.shape_error

    @property
    def own_hulls(self) -> bool:
        return self.shape_error is not None and not (self.is_one_draw and self._has_one_size)

    @property
    def _has_one_size(self) -> bool:
        """Whether all realizations have the points of the study at one scale."""
        points = (value for vertex in self.vertices or () for value in vertex)
        return not any(isinstance(value, Distribution) for value in (self.scale, *points))

    @cached_property
    def _near_surface(self) -> list[int]:
        """Numbers of the points that may be corners of a hull with an error of the shape."""
        points = self.vertices or ()
        if self.shape_error is None or not self._has_one_size:
            return list(range(len(points)))
        there = self._medians()["scale"][0] * np.array(points, float)
        return np.flatnonzero(near_surface(there, REACH * self.shape_error.std)).tolist()

    def on_hull(self, draws: Draws, seed: int, number: int) -> Self:
        if self.shape_error is None:
            return self
        points = coordinates("vertices", self.vertices or (), draws, self._near_surface)[0]
        size = float(draws["scale"][0])
        moved = with_shape_error(
            points * size,
            self.shape_error.std,
            self.shape_error.correlation_length,
            seed=seed,
            draw=number,
            underside_deg=self.shape_error.underside_deg,
        )
        fields = {name: getattr(self, name) for name in type(self).model_fields}
        new: dict[str, Any] = {"vertices": tuple(map(tuple, moved.tolist())), "scale": 1.0}
        new |= {"shape_error": None, "solid": None if self.solid is None else self.solid.scaled(size)}
        return self.model_construct(**fields | new)

    def build(self, draws: Draws) -> Bodies:
        kept, faces, put_on, base = self.outline
        corners = coordinates("vertices", self.vertices or (), draws, kept)
        with np.errstate(divide="ignore", invalid="ignore"):  # `Bodies.check` refuses what has no volume
            mass, inertia, relative, values = self._matter(draws, corners, faces)
            start = settle(relative, faces, np.full(len(mass), put_on))
            normals = face_normals(relative, faces)[np.arange(len(mass)), start]
            turn = body_axes(normals, None if self.axis is None else np.array(self.axis))
        return Bodies(
            mass,
            turn @ inertia @ turn.transpose(0, 2, 1),
            np.einsum("nij,nvj->nvi", turn, relative),
            draws["gravity"],
            faces,
            start,
            base,
            stands_clear=False,
            put_on=put_on,
            polygons={},
            values=values,
            rim=draws.get("base.rim"),
        )

    def _matter(
        self, draws: Draws, corners: Array, faces: Faces
    ) -> tuple[Array, Array, Array, dict[str, Array]]:
        """Mass (n,) [kg], inertia (n, 3, 3) about the centre of mass [kg m2], vertices (n, n_vertex, 3)
        relative to it [m], both in the axes of ``corners``, and numbers worth keeping."""
        corners = corners * draws["scale"][:, None, None]
        if self.com is not None:
            relative = corners - drawn_triple("com", draws)[:, None]
            return draws["mass"], drawn_tensor(draws), relative, {}
        if self.solid is None:
            volume, centroid, spread = solid_moments(corners, faces)
        else:
            volume, centroid, spread = self.solid.moments(len(corners))
            size = draws["scale"]
            volume, centroid = size**3 * volume, size[:, None] * centroid
            spread = size[:, None, None] ** 2 * spread
        weight = self.weight(draws)
        mass, relative = weight.of(volume), corners - (centroid + weight.offset)[:, None]
        return mass, mass[:, None, None] * spread, relative, weight.values(volume)


@lru_cache(maxsize=2)  # a page reads its study at every change, and a mesh of a million triangles takes 25 s
def _taken(
    path: Path, written: int, unit: str | None, up: str, weighs: bool, reach: float
) -> tuple[Array, tuple[float, Array, Array] | None]:
    """Points of a scan that count, and what a mesh encloses; read anew where its time is another."""
    scan = read_scan(path, unit, up)
    solid = scan.solid() if weighs and is_mesh(path) else None
    return scan.points[hull_corners(scan.points, reach) if is_mesh(path) else slice(None)], solid


def _reach(data: Mapping[str, Any]) -> float:
    """Depth inside the hull up to which points count, by the raw table of a body [m]."""
    error, size = data.get("shape_error"), data.get("scale", 1.0)
    if not isinstance(error, Mapping):
        return 0.0
    numbers = given({"std": error.get("std"), "scale": size}, "std", "scale")
    return REACH * numbers[0] / numbers[1] if numbers and numbers[1] > 0 else inf


def _plain(solid: tuple[float, Array, Array]) -> dict[str, Any]:
    """Volume, centroid and inertia per mass of a solid as a study file has them."""
    volume, centroid, inertia = solid
    symmetric = 0.5 * (inertia + inertia.T)
    return {"volume": volume, "centroid": centroid.tolist(), "inertia": symmetric.tolist()}
