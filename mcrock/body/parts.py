"""Bodies of several parts that are fixed to each other, walls of hollow parts, and the table of all shapes.

The whole is one rigid body: mass, centre of mass and inertia are sums over the parts, by the parallel axis
theorem. It stands on the hull of what is at height 0, and what can touch the ground is the convex hull of all
parts; where sizes or places are uncertain, so that faces of the hull may come and go between realizations, it
is the base drawn up to the top instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from pydantic import ValidationError

from mcrock.base.params import GRAVITY
from mcrock.base.tables.distributions import Distribution, Quantity, Uncertain
from mcrock.base.tables.fields import Declaration, Input, Kind, OneOf, Table, declare, each, entry, optional
from mcrock.base.tables.parsing import ConfigError, format_mistakes, refuse
from mcrock.body.body import Bodies, Body, on_base
from mcrock.body.faces import (
    Array,
    Faces,
    check_polygons,
    face_heights,
    face_normals,
    lowest_face,
    solid_moments,
    stands_over,
)
from mcrock.body.keys import Draws, RoundBase, Shape
from mcrock.body.shapes import Cuboid, Cylinder, Free, Frustum, Polyhedron, Prism
from mcrock.body.solids import Weight, between, prism_faces, round_solids
from mcrock.body.surface import hull_surface

NEAR = 1e-6  # of the size of the whole: what differs by less is at one height [1]
TOUCH = 2e-3  # the same of parts that touch: circles are drawn as polygons [1]
OF_MATTER = ("gravity", "density", "mass", "com", "inertia")  # begin keys that change no outline
NOT_OF_PARTS = dict.fromkeys(
    ("rim_width", "rim_height", "base_faces", "base_angle_deg", "shape_error"),
    "is of a body in one piece: leave it out of a part",
) | {"gravity": "is that of the whole: give it in [body]"}


class PlacedPart(Table):
    """A part of a composite body: the keys of its shape (all but `free`) and those of its place."""

    x: Quantity | None = optional(
        Uncertain("m"),
        "position of its centre along body x, added to the corners of a prism or frustum; by default that of "
        "the part before it",
        0.05,
    )
    y: Quantity | None = optional(Uncertain("m"), "the same along body y", 0.05)
    z: Quantity | None = optional(
        Uncertain("m", least=0.0),
        "height of its underside above the ground, by default that of the top of the part before it; 0 of "
        "the first",
        0.9,
    )
    turn_deg: Quantity = entry(
        Uncertain("deg"), "turn about the vertical, counter-clockwise seen from above", default=0.0
    )
    wall: Quantity | None = optional(
        Uncertain("m", above=0.0),
        "thickness of walls, bottom and top where it is a closed shell, which has the mass or density alone",
        0.004,
    )

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        yield from super().conflicts(data)
        yield from (((key,), reason) for key, reason in NOT_OF_PARTS.items() if key in data)
        if data.get("wall") is not None:
            if data.get("shape") == "polyhedron":
                yield ("wall",), "not of points: give the mesh of the shell, or mass, com and inertia"
            if data.get("inner_radius") is not None:
                yield ("wall",), "makes a closed shell, and inner_radius a tube: give one of them"


class CuboidPart(PlacedPart, Cuboid):
    """A cuboid in its place."""


class PrismPart(PlacedPart, Prism):
    """A prism in its place."""


class FrustumPart(PlacedPart, Frustum):
    """A frustum in its place."""


class CylinderPart(PlacedPart, Cylinder):
    """A cylinder in its place."""


class PolyhedronPart(PlacedPart, Polyhedron):
    """A polyhedron in its place, put down as if it stood alone."""


PARTS: dict[str, Any] = {
    table.__name__.removesuffix("Part").lower(): table for table in PlacedPart.__subclasses__()
}


class Piece(NamedTuple):
    """A part of many bodies, in the axes of the whole: z from the ground."""

    name: str  # its place in the study
    bodies: Bodies  # as if each stood alone
    place: Array  # (n, 3) of the centre of its underside [m]
    centre: Array  # (n, 3) of mass [m]
    inertia: Array  # (n, 3, 3) about it [kg m2]
    vertices: Array  # (n, n_vertex, 3) [m]
    too_thick: Array  # (n,) its wall where that leaves no space inside, otherwise 0 [m]

    @property
    def ends(self) -> Array:
        """Lowest and highest coordinates (2, n, 3) [m]."""
        return np.stack([self.vertices.min(1), self.vertices.max(1)])


def about_point(mass: Array, arm: Array) -> Array:
    """Inertia (n, 3, 3) of point masses (n,) [kg] at the ends of ``arm`` (n, 3) [m]."""
    outer = arm[:, :, None] * arm[:, None, :]
    return mass[:, None, None] * (np.trace(outer, axis1=1, axis2=2)[:, None, None] * np.eye(3) - outer)


def _inner_cone(outer: Bodies, wall: Array, draws: Draws) -> tuple[Array, Array, Array, Array]:
    """Cavity of a round solid, as `_cavity`."""
    radius, height = draws["radius"], draws["height"]
    top = draws.get("top_radius", radius)
    slope = (top - radius) / height
    across = wall * np.hypot(1.0, slope)
    low, high, tall = radius + slope * wall - across, top - slope * wall - across, height - 2.0 * wall
    weight = Weight(np.ones_like(wall), None, np.zeros((len(wall), 3)))
    inner = round_solids(low, tall, weight, draws["gravity"], top=high)
    offset = np.zeros((len(wall), 3))
    offset[:, 2] = wall - inner.vertices[:, 0, 2] + outer.vertices[:, 0, 2]
    return inner.mass, offset, inner.inertia, np.minimum(np.minimum(low, high), tall)


def _cavity(outer: Bodies, wall: Array) -> tuple[Array, Array, Array, Array]:
    """Space inside walls of ``wall`` (n,) [m]: its volume (n,) [m3], its centroid (n, 3) from that of the
    solid [m], its inertia about it for a density of 1 (n, 3, 3) [m5], and its room: above 0 if there is any.

    Each corner of such a solid joins three faces: that of the cavity lies deeper than all three.
    """
    vertices, faces = outer.vertices, outer.faces
    normals = face_normals(vertices, faces)
    depth = face_heights(vertices, faces, normals) - wall[:, None]
    joins = np.array([[v in face for face in faces] for v in range(vertices.shape[1])])
    three = np.nonzero(joins)[1].reshape(-1, 3)
    corners = np.asarray(np.linalg.solve(normals[:, three], depth[:, three][..., None])[..., 0], float)
    volume, offset, spread = solid_moments(corners, faces)
    apart = depth[:, None] - np.einsum("nvi,nfi->nvf", corners, normals)  # corners from walls
    room = np.where(joins, np.inf, apart).min((1, 2))
    return volume, offset, volume[:, None, None] * spread, room


def _built(name: str, part: Any, draws: Draws) -> tuple[Bodies, Array]:
    """A part by itself, and its wall where that leaves no space inside, otherwise 0 (n,) [m]."""
    n = len(draws["gravity"])
    if part.wall is None:
        return part.build(draws), np.zeros(n)
    drop = {"mass", "com_x", "com_y", "com_z"}
    solid = {key: value for key, value in draws.items() if key not in drop} | {"density": np.ones(n)}
    outer = part.build(solid | dict.fromkeys(("com_x", "com_y", "com_z"), np.zeros(n)))
    for polygon, corners in outer.polygons.items():
        check_polygons(f"{name}.{polygon}", corners)
    wall = draws["wall"]
    *cavity, room = _cavity(outer, wall) if outer.rim is None else _inner_cone(outer, wall, draws)
    inside, offset, inner = (np.where((room > 0).reshape(-1, *[1] * (a.ndim - 1)), a, 0.0) for a in cavity)
    volume = outer.mass - inside
    shift = -(inside / volume)[:, None] * offset
    inertia = outer.inertia + about_point(outer.mass, shift) - inner - about_point(inside, offset - shift)
    weight = part.weight(draws)
    mass = weight.of(volume)
    shell = outer._replace(
        mass=mass,
        inertia=(mass / volume)[:, None, None] * inertia,
        vertices=outer.vertices - (shift + weight.offset)[:, None],
        values=outer.values | weight.values(volume),
    )
    return shell, np.where(room > 0, 0.0, wall)


def _piece(name: str, part: Any, draws: Draws, before: Piece | None) -> Piece:
    """A part in its place."""
    from scipy.spatial.transform import Rotation  # a tenth of a second

    bodies, too_thick = _built(name, part, draws)
    low, high = bodies.vertices.min(1), bodies.vertices.max(1)
    centre = np.concatenate([-0.5 * (low + high)[:, :2], -low[:, 2:]], axis=1)  # from that of the underside
    if "base" in bodies.polygons:
        centre[:, :2] = bodies.polygons["base"][:, 0] - bodies.vertices[:, 0, :2]
    there = np.zeros_like(centre)
    if before is not None:
        there = np.concatenate([before.place[:, :2], before.ends[1][:, 2:]], axis=1)
    place = np.stack([draws.get(axis, there[:, i]) for i, axis in enumerate("xyz")], axis=-1)
    turn = Rotation.from_euler("z", draws["turn_deg"][:, None], degrees=True).as_matrix()
    middle = np.einsum("nij,nj->ni", turn, centre) + place
    return Piece(
        name,
        bodies,
        place,
        middle,
        turn @ bodies.inertia @ turn.transpose(0, 2, 1),
        np.einsum("nij,nvj->nvi", turn, bodies.vertices) + middle[:, None],
        too_thick,
    )


@dataclass(frozen=True)
class PartTables(Kind):
    """Tables of parts."""

    expected: str = "a list of tables, one for each part, as [[body.parts]]"

    def parse(self, value: Any) -> tuple[Table, ...]:
        if not isinstance(value, list | tuple) or not value:
            refuse(self.wrong(value))
        return each(value, OneOf("shape", PARTS).parse)


class Skeleton(NamedTuple):
    """What all realizations of a composite body have in common."""

    base: list[int]  # numbers of the points that are corners of the base, in their order
    level: list[int]  # numbers of all points at the ground
    others: list[int]  # numbers of the corners of the hull above; of a body of uncertain sizes none
    faces: Faces


class Composite(Shape):
    """Several parts that are fixed to each other, as a bust to its plinth."""

    settings: ClassVar = ("parts",)

    shape: Literal["composite"]
    parts: tuple[PlacedPart, ...] = entry(
        PartTables(),
        "parts from the lowest up, each on top of the one before it, and centred on it, unless it says where",
        [
            {"shape": "cuboid", "width": 0.4, "depth": 0.4, "height": 0.9, "density": 2600.0},
            {"shape": "cylinder", "radius": 0.15, "height": 0.6, "density": 2700.0},
        ],
    )

    @classmethod
    def take_in_files(cls, data: dict[str, Any], folder: Path) -> None:
        parts = data.get("parts")
        for i, part in enumerate(parts if isinstance(parts, list) else []):
            shape = PARTS.get(str(part.get("shape"))) if isinstance(part, dict) else None
            try:
                if shape is not None:
                    shape.take_in_files(part, folder)
            except ConfigError as error:
                raise ConfigError(f"parts[{i}].{error}") from None

    def quantities(self) -> Iterator[tuple[str, Quantity]]:
        yield "gravity", self.gravity
        for i, part in enumerate(self._shapes):
            yield from ((f"parts[{i}].{key}", value) for key, value in part.quantities() if key != "gravity")

    @property
    def _shapes(self) -> tuple[Any, ...]:
        """The parts, whose keys are those of their shapes too."""
        return self.parts

    @property
    def has_one_outline(self) -> bool:
        """Whether sizes and places are the same in all realizations."""
        drawn = [key for key, value in self.quantities() if isinstance(value, Distribution)]
        return all(key.rpartition("].")[2].startswith(OF_MATTER) for key in drawn if "]." in key)

    def pieces(self, draws: Draws) -> list[Piece]:
        """The parts of many bodies, each in its place."""
        found: list[Piece] = []
        for i, part in enumerate(self._shapes):
            begin = f"parts[{i}]."
            own = {key.removeprefix(begin): value for key, value in draws.items() if key.startswith(begin)}
            own["gravity"] = draws["gravity"]
            found.append(_piece(begin[:-1], part, own, found[-1] if found else None))
        return found

    def pieces_at_medians(self) -> list[Piece]:
        """The parts of the one body whose every uncertain number has its median."""
        return self.pieces(self._medians())

    @property
    def standing(self) -> list[int]:
        """Numbers of the parts that stand on the ground."""
        return [i for i, part in enumerate(self._shapes) if part.z == 0.0 or (part.z is None and i == 0)]

    @cached_property
    def skeleton(self) -> Skeleton:
        """Base, and faces of the hull of the body at the medians.

        Raises
        ------
        ValueError
            If nothing stands on the ground, or not on a face.
        """
        points = np.concatenate([piece.vertices[0] for piece in self.pieces_at_medians()])
        near = NEAR * np.ptp(points, axis=0).max()
        kept, surface = hull_surface(points, "parts")[:2]
        down = lowest_face(points[kept], surface)
        base = [int(kept[v]) for v in surface[down]]
        if not self.standing or points[base, 2].max() > near:
            raise ValueError("parts: expected a part with z = 0 m that stands on a flat underside")
        level = np.flatnonzero(points[:, 2] <= near).tolist()
        if not self.has_one_outline:
            return Skeleton(base, level, [], prism_faces(len(base)))
        others = [int(v) for v in kept if v not in base]
        number = {v: i for i, v in enumerate([*base, *others])}
        walls = (face for f, face in enumerate(surface) if f != down)
        faces = tuple(range(len(base))), *(tuple(number[kept[v]] for v in face) for face in walls)
        return Skeleton(base, level, others, faces)

    def build(self, draws: Draws) -> Bodies:
        pieces = self.pieces(draws)
        masses = np.stack([piece.bodies.mass for piece in pieces])
        mass = masses.sum(0)
        centre = np.einsum("pn,pni->ni", masses / mass, np.stack([piece.centre for piece in pieces]))
        moved = [about_point(piece.bodies.mass, piece.centre - centre) + piece.inertia for piece in pieces]
        points = np.concatenate([piece.vertices for piece in pieces], axis=1)
        base, level, others, faces = self.skeleton
        corners = points[:, base, :2]
        vertices = points[:, [*base, *others]] if others else between(corners, corners, points[..., 2].max(1))
        vertices = vertices - centre[:, None]
        inertia: Array = np.sum(moved, axis=0)
        is_clear = not others or bool(stands_over(vertices[:1], faces[0])[0])
        bodies = on_base(mass, inertia, vertices, draws["gravity"], faces, stands_clear=is_clear)
        outside = ~stands_over(points[:, [*base, *level]], faces[0])
        return bodies._replace(
            rim=pieces[self.standing[0]].bodies.rim if len(self.standing) == 1 else None,
            polygons={
                f"{piece.name}.{key}": item for piece in pieces for key, item in piece.bodies.polygons.items()
            },
            parts=tuple(
                (piece.vertices - centre[:, None], piece.bodies.faces) for piece in pieces if len(mass) == 1
            ),
            faults=(*_faults(pieces), (outside.astype(float), OTHER_BASE)),
        )

    def overlaps(self) -> list[tuple[int, int]]:
        """Pairs of solid parts that share space at the medians, by the boxes round them."""
        gap, near = gaps(self.pieces_at_medians())
        hollow = [{"wall", "inner_radius"} & {*dict(part.quantities())} for part in self._shapes]
        pairs = np.argwhere(np.triu(gap[0] < -near[0], 1)).tolist()
        return [(i, j) for i, j in pairs if not (hollow[i] or hollow[j])]


def gaps(pieces: Sequence[Piece]) -> tuple[Array, Array]:
    """Gaps between the boxes round parts (n, part, part) [m], negative where they share space, and the
    largest across which parts touch (n,)."""
    low, high = (np.stack([piece.ends[end] for piece in pieces], axis=1) for end in (0, 1))
    gap = np.maximum(low[:, :, None] - high[:, None], low[:, None] - high[:, :, None]).max(-1)
    return gap, TOUCH * np.ptp(np.concatenate([low, high], axis=1), axis=1).max(-1)


def _faults(pieces: Sequence[Piece]) -> Iterator[tuple[Array, str]]:
    """What makes parts impossible: by how much (n,) where that is above 0, and in words."""
    gap, near = gaps(pieces)
    touching = gap <= near[:, None, None]
    reached = np.arange(len(pieces)) == np.zeros((len(gap), 1))
    for _ in pieces:
        reached = reached | (touching & reached[:, None]).any(-1)
    apart = np.where(reached, 0.0, np.where(reached[:, None], gap, np.inf).min(-1))
    for piece, far in zip(pieces, apart.T, strict=True):
        yield (
            piece.too_thick,
            f"{piece.name}.wall: must be less than half of the least thickness, to leave a space inside, got "
            "{:.4g} m",
        )
        yield (
            far,
            f"{piece.name}: must touch another part, but is {{:.4g}} m away from those before it; without z "
            "it stands on the part before it",
        )


OTHER_BASE = (
    "parts: the corners of the base at the medians must be those of all realizations, but here another one "
    "is outside of it; vary those sizes and places less"
)


def composite(parts: Sequence[Mapping[str, Any]], *, gravity: float = GRAVITY) -> Body:
    """Body of parts that are fixed to each other.

    Parameters
    ----------
    parts : sequence of mapping
        Keys and values of each part as a study file has them (`mcrock docs study-file body`), SI units: its
        ``shape`` with sizes and density or mass; ``x``, ``y``, ``z``, ``turn_deg`` where it is, by default
        centred on top of the part before it; ``wall`` of a closed shell.
    gravity : float
        [m/s2].

    Raises
    ------
    ValueError
        With every mistake; for a distribution; or if the whole cannot stand.

    Examples
    --------
    >>> plinth = {"shape": "cuboid", "width": 0.4, "depth": 0.4, "height": 0.9, "density": 2600}
    >>> bust = {"shape": "cylinder", "radius": 0.15, "height": 0.6, "density": 8700, "wall": 0.005}
    >>> body = composite([plinth, bust])
    >>> round(body.mass, 1), round(body.com_height, 4), round(body.slenderness, 4)
    (404.3, 0.5055, 0.3767)
    """
    tables = [dict(part) for part in parts]
    try:
        shape = Composite.model_validate({"shape": "composite", "gravity": gravity, "parts": tables})
    except ValidationError as error:
        raise ValueError("\n".join(format_mistakes(error, "composite", (), {}, {}))) from None
    drawn = [key for key, value in shape.quantities() if isinstance(value, Distribution)]
    if drawn:
        raise ValueError(
            f"composite: {', '.join(drawn)}: a distribution, and this is one body; give a number"
        )
    impossible = shape.refusal()
    if impossible:
        raise ValueError(f"composite: {impossible}")
    return shape.at_medians().only()


SHAPES: dict[str, type[Shape]] = {
    "cuboid": Cuboid,
    "prism": Prism,
    "frustum": Frustum,
    "cylinder": Cylinder,
    "polyhedron": Polyhedron,
    "composite": Composite,
    "free": Free,
}


def declarations() -> list[Declaration]:
    """Dataset variables of what realizations draw, of all shapes and of parts."""
    rim = [*declare(RoundBase, {"rim": Input("radius of the circular base")}, "body_base_")]
    whole = [item for shape in SHAPES.values() for item in declare(shape, shape.inputs, "body_")]
    of_parts = {
        item.name: item
        for shape in PARTS.values()
        for item in declare(shape, _inputs_of_part(shape), "body_parts_#_")
    }
    return [*rim, *whole, *of_parts.values()]


def _inputs_of_part(shape: type[Shape]) -> dict[str, Input]:
    """What may be drawn of a part, with the number of the part in front of the others in its words."""
    words = {
        key: field.description or key
        for key, field in shape.model_fields.items()
        if isinstance(shape.kind(key), Uncertain)
    }
    words |= {key: item.long_name.format("{1}", "{2}") for key, item in shape.inputs.items()}
    known = {key: text.partition(";")[0] for key, text in words.items() if key not in NOT_OF_PARTS}
    return {key: Input(f"part {{0}}: {text}") for key, text in known.items()}
