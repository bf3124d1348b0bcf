"""The shapes of a study's bodies: the keys of each, and the bodies made from drawn numbers.

Python constructors of single bodies do not need this: it loads what reads study files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from math import inf, radians
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Self

import numpy as np

from mcrock.base.params import GRAVITY
from mcrock.base.tables.distributions import Distribution, Quantity, Uncertain
from mcrock.base.tables.fields import (
    ChoiceKey,
    Declaration,
    FlagKey,
    Input,
    Inputs,
    IntegerKey,
    ListOf,
    NumberKey,
    Table,
    Text,
    declare,
    entry,
    exactly_one,
    given,
    optional,
)
from mcrock.base.tables.parsing import ConfigError, mistake, refuse
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
from mcrock.body.polyhedron import (
    REACH,
    UNDERSIDE,
    UP,
    hull_corners,
    is_mesh,
    near_surface,
    read_scan,
    with_shape_error,
)
from mcrock.body.solids import Weight, cuboids, cylinders, frusta, prisms, scaled_polygon, with_rim
from mcrock.body.surface import hull_surface

Draws = Mapping[str, Array]  # value (n,) of every one of `Shape.quantities`, by key: "width", "com[2]"


def point_list(expected: str, size: int, least: int) -> ListOf:
    """A list of points of ``size`` coordinates, each a number or a distribution."""
    point = ListOf((Uncertain("m"),) * size, f"{size} coordinates [m]", distinct=False)
    return ListOf(point, expected, distinct=False, least=least)


def triple(expected: str, *kinds: NumberKey) -> ListOf:
    """Three numbers or distributions."""
    return ListOf(kinds, expected, distinct=False)


class Tensor(ListOf):
    """A symmetric 3 x 3 inertia tensor; both entries of a pair are written, and are the same."""

    def __init__(self, kind: NumberKey, expected: str) -> None:
        row = ListOf((kind,) * 3, f"a row of 3 numbers [{kind.unit}]", distinct=False)
        super().__init__((row,) * 3, expected, distinct=False)

    def parse(self, value: Any) -> Any:
        rows = super().parse(value)
        skew = [(i, j) for i in range(3) for j in range(i) if rows[i][j] != rows[j][i]]
        if skew:
            refuse(*(mistake(f"must equal inertia[{j}][{i}], for symmetry", (i, j)) for i, j in skew))
        return rows


BASE = point_list("a list of at least 3 corners [x, y] [m], counter-clockwise", size=2, least=3)
INERTIA_KEY = Tensor(Uncertain("kg m2"), "3 rows of 3 numbers or distributions [kg m2]")
Corners = tuple[tuple[Quantity, ...], ...]
CORNERS = Input("base corner {0}, coordinate {1} of the study (0 x, 1 y)")
CENTRE_OF_MASS = Input("centre of mass, coordinate {0} of the study (0 x, 1 y, 2 z or height)")
INERTIA = Input("inertia about the centre of mass, entry {0}, {1} in the axes of the study")


def coordinates(
    name: str, points: tuple[tuple[Quantity, ...], ...], draws: Draws, kept: Iterable[int] | None = None
) -> Array:
    """Points (n, n_point, size) [m] of the key ``name``, those with the numbers ``kept`` or all."""
    n = len(draws["gravity"])
    numbers = list(range(len(points)) if kept is None else kept)
    found = np.empty((n, len(numbers), len(points[0])))
    for row, i in enumerate(numbers):
        for j, value in enumerate(points[i]):
            if isinstance(value, Distribution):
                found[:, row, j] = draws[f"{name}[{i}][{j}]"]
            else:
                found[:, row, j] = value
    return found


def drawn_triple(name: str, draws: Draws) -> Array:
    """Triples (n, 3) of the key ``name``."""
    return np.stack([draws[f"{name}[{i}]"] for i in range(3)], axis=-1)


def drawn_tensor(draws: Draws) -> Array:
    """Inertia (n, 3, 3) from the drawn entries on and above the diagonal [kg m2]."""
    inertia = np.empty((len(draws["inertia[0][0]"]), 3, 3))
    for i in range(3):
        for j in range(i, 3):
            inertia[:, i, j] = inertia[:, j, i] = draws[f"inertia[{i}][{j}]"]
    return inertia


class RandomUnderside(Table):
    """A smooth random surface added to the height of the underside (`mcrock docs bodies`); z must be up."""

    std: float = entry(NumberKey("m", least=0.0), "standard deviation", 0.0007)
    correlation_length: float = entry(
        NumberKey("m", above=0.0), "horizontal distance at which the correlation is exp(-1/2)", 0.05
    )
    underside_deg: float = entry(
        NumberKey("deg", above=0.0, most=90.0),
        "inclination of the steepest face of the underside; corners of steeper faces alone stay",
        default=UNDERSIDE,
    )
    epistemic: bool | None = optional(
        FlagKey(),
        "one unknown shape for all runs, drawn `ensemble.outer` times, instead of one for each realization",
        True,
    )


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


class Shape(Table):
    """Section ``body`` of a study: the keys of a shape, and the bodies that drawn numbers make."""

    settings: ClassVar[tuple[str, ...]] = ()  # keys that are not quantities
    inputs: ClassVar[Inputs] = {}  # what realizations may have of their own, beside what datasets of all have
    if TYPE_CHECKING:
        shape: str  # every shape has its own, in its place among the keys

    gravity: Quantity = entry(Uncertain("m/s2", above=0.0), "acceleration of gravity", default=GRAVITY)

    @classmethod
    def take_in_files(cls, data: dict[str, Any], folder: Path) -> None:
        """Put what files hold in their place in the raw table, so that a study does not depend on them.

        Raises
        ------
        ConfigError
            If a file cannot be read; begins with the key.
        """

    def quantities(self) -> Iterator[tuple[str, Quantity]]:
        """All numbers of the body, fixed or uncertain, with their keys."""
        below = {f"inertia[{i}][{j}]" for i in range(3) for j in range(i)}  # the same as above
        for name in type(self).model_fields:
            value = getattr(self, name)
            if name in self.settings or isinstance(value, str) or value is None:
                continue
            entries = _entries(name, value) if isinstance(value, tuple) else [(name, value)]
            yield from ((key, item) for key, item in entries if key not in below)

    @property
    def underside(self) -> RandomUnderside | None:
        """The error of its shape, drawn with every hull; None if it has none."""
        return None

    @property
    def is_one_draw(self) -> bool:
        """Whether realizations share the error of the shape, that of their outer draw."""
        return self.underside is None or bool(self.underside.epistemic)

    @property
    def own_hulls(self) -> bool:
        """Whether realizations have faces of their own."""
        return not self.is_one_draw

    def on_hull(self, draws: Draws, seed: int, number: int) -> Self:
        """This body with the draw ``number`` of the error of its shape, by the first of ``draws``."""
        return self

    def build(self, draws: Draws) -> Bodies:
        """Bodies from the drawn numbers, unchecked.

        Raises
        ------
        ValueError
            If no solid body can be made, whatever is drawn.
        """
        raise NotImplementedError

    @np.errstate(all="ignore")  # what overflows and counts is refused as not finite
    def at_medians(self) -> Bodies:
        """The one body whose every uncertain number has its median; raises as `build`."""
        return self.build(self._medians())

    @np.errstate(all="ignore")
    def refusal(self) -> str | None:
        """Why the body at the medians cannot exist or stand; None if it can."""
        try:
            impossible = self.at_medians().first_impossible()
        except ValueError as error:
            return str(error)
        return None if impossible is None else impossible[1]

    def _medians(self) -> Draws:
        return {
            name: np.atleast_1d(value.quantile(0.5) if isinstance(value, Distribution) else value).astype(
                float
            )
            for name, value in self.quantities()
        }


class Upright(Shape):
    """Between a base and a parallel top."""

    height: Quantity = entry(Uncertain("m", above=0.0), "height along body z", 1.6)


class Solid(Shape):
    """A homogeneous solid, whose centre of mass may be off its centroid."""

    alternatives: ClassVar[tuple[tuple[str, ...], ...]] = (("density", "mass"),)

    density: Quantity | None = optional(Uncertain("kg/m3", above=0.0), "density", 2600.0)
    mass: Quantity | None = optional(Uncertain("kg", above=0.0), "mass", 650.0)
    com_x: Quantity = entry(
        Uncertain("m"),
        "offset of the centre of mass from the centroid along body x; the inertia about the centre of mass "
        "stays that of the homogeneous solid",
        0.02,
        default=0.0,
    )
    com_y: Quantity = entry(Uncertain("m"), "the same along body y", 0.02, default=0.0)
    com_z: Quantity = entry(Uncertain("m"), "the same along body z", -0.1, default=0.0)

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        yield from exactly_one(data, {"density": "kg/m3", "mass": "kg"})

    def weight(self, draws: Draws) -> Weight:
        """Drawn density or mass, and offset of the centre of mass."""
        offset = np.stack([draws[f"com_{axis}"] for axis in "xyz"], axis=-1)
        return Weight(draws.get("density"), draws.get("mass"), offset)


def _entries(name: str, value: tuple[Any, ...]) -> Iterator[tuple[str, Quantity]]:
    for i, item in enumerate(value):
        if isinstance(item, tuple):
            yield from _entries(f"{name}[{i}]", item)
        else:
            yield f"{name}[{i}]", item


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


MOST_SIDES = 120  # of a cylinder [1]


class Cylinder(Solid, Upright):
    """Upright circular cylinder, as a regular prism of the same volume."""

    settings: ClassVar = ("sides",)
    # the radius of a body is the distance from its centre of mass to an edge
    inputs: ClassVar = {"radius": Input("radius of the cylinder", variable="base_radius")}

    shape: Literal["cylinder"]
    radius: Quantity = entry(Uncertain("m", above=0.0), "radius of the circle", 0.3)
    sides: int = entry(IntegerKey(3, MOST_SIDES), "sides of the polygon that it stands on", default=48)

    def build(self, draws: Draws) -> Bodies:
        weight = self.weight(draws)
        return cylinders(draws["radius"], draws["height"], self.sides, weight, draws["gravity"])


CENTRE = triple(
    "[x, y, height above the base] [m]", Uncertain("m"), Uncertain("m"), Uncertain("m", above=0.0)
)


class Free(Shape):
    """Measured or computed mass properties on a convex polygon."""

    inputs: ClassVar = {"base": CORNERS, "com": CENTRE_OF_MASS, "inertia": INERTIA}

    shape: Literal["free"]
    base: Corners = entry(
        BASE,
        "corners of the base seen from above; each coordinate may be a distribution",
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
        base = coordinates("base", self.base, draws)
        corners = np.concatenate([base, np.zeros_like(base[..., :1])], axis=-1)
        vertices = corners - drawn_triple("com", draws)[:, None, :]
        inertia, faces = drawn_tensor(draws), (tuple(range(len(self.base))),)
        return on_base(draws["mass"], inertia, vertices, draws["gravity"], faces, polygons={"base": base})


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
        written = place.stat().st_mtime_ns if place.is_file() else 0
        try:
            points, solid = _taken(place, written, unit, up, weighs, _reach(data))
        except ValueError as error:
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
        if self.base_faces is None:
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
