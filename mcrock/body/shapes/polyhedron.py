"""Polyhedra of a study: the convex hull of their vertices, put down on a face."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from math import isfinite
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np

from mcrock.body.bodies import Bodies
from mcrock.body.faces import Array, Faces, face_normals
from mcrock.body.frame import body_axes
from mcrock.body.mass import solid_moments
from mcrock.body.shapes.coordinates import (
    CENTRE_OF_MASS,
    INERTIA,
    Draws,
    Points,
    Tensor,
    Triple,
    coordinates,
    drawn_tensor,
    drawn_triple,
)
from mcrock.body.shapes.shape import Solid
from mcrock.body.standing import lowest_face, nearly_flat, settle
from mcrock.body.surface import hull_surface
from mcrock.tables.distributions import Distribution, Quantity, Uncertain
from mcrock.tables.errors import ConfigError, mistake, refuse
from mcrock.tables.fields import Integer, ListOf, Number, Text, about, exactly_one
from mcrock.tables.inputs import Input
from mcrock.tables.parsing import read_data

OFFSETS = ("com_x", "com_y", "com_z")


class Outline(NamedTuple):
    """What all realizations of a polyhedron share."""

    kept: tuple[int, ...]  # numbers of the listed vertices that are corners of the hull
    faces: Faces  # of the corners, as those of `Body`
    start_face: int  # face that the bodies are put down on
    base_faces: tuple[int, ...]


class Axis(Triple):
    """A direction."""

    def parse(self, value: Any) -> tuple[float, ...]:
        axis = super().parse(value)
        if not any(axis):
            refuse(mistake("must not be zero in all three coordinates"))
        return axis


class Polyhedron(Solid):
    """Convex hull of vertices; homogeneous, or with given mass properties.

    The faces are those of the hull of the vertices at their medians, numbered by their vertices in
    ascending order. Every realization has the same faces, and one whose drawn vertices do not lie in
    them is refused.
    """

    alternatives: ClassVar = (("density", "mass"), ("vertices", "file"))
    settings: ClassVar = ("vertices", "start_face", "axis", "base_faces")
    inputs: ClassVar = {
        "vertices": Input("vertex {0}, coordinate {1} of the study (0 x, 1 y, 2 z)"),
        "scale": Input("factor on the vertices of the study"),
        "com": CENTRE_OF_MASS,
        "inertia": INERTIA,
    }

    shape: Literal["polyhedron"]
    vertices: Annotated[
        tuple[tuple[Quantity, ...], ...] | None,
        Points("a list of at least 4 vertices [x, y, z] [m]", 3, 4),
        about(
            "points, in any axes; the body is their convex hull, and each coordinate may be a distribution",
            [[0.3, -0.3, 0.0], [0.3, 0.3, 0.0], [-0.3, 0.3, 0.0], [-0.3, -0.3, 0.0], [0.0, 0.0, 1.2]],
        ),
    ] = None
    file: Annotated[
        str | None, Text(), about("text file with a point x y z on each line, in m", "points.txt")
    ] = None  # `take_in_files` puts its rows in `vertices`
    scale: Annotated[Quantity, Uncertain("1", above=0.0), about("factor on all lengths")] = 1.0
    com: Annotated[
        tuple[Quantity, ...] | None,
        Triple("[x, y, z] in the axes of the vertices [m]", (Uncertain("m"),) * 3),
        about("centre of mass in the axes of the points, given with `inertia` and `mass`", [0.0, 0.0, 0.3]),
    ] = None
    inertia: Annotated[
        tuple[tuple[Quantity, ...], ...] | None,
        Tensor(),
        about(
            "inertia tensor about the centre of mass, in the axes of the points, given with `com` "
            "and `mass`; no larger than that of the mass placed in the corners",
            [[10.0, 0.0, 0.0], [0.0, 10.0, 0.0], [0.0, 0.0, 5.0]],
        ),
    ] = None
    start_face: Annotated[
        int | None,
        Integer(0),
        about(
            "face that the body is put down on; by default the lowest, and of equally low ones "
            "one that carries it. A body that the face does not carry settles on a stable one "
            "first, which `mcrock check` says",
            0,
        ),
    ] = None
    axis: Annotated[
        tuple[float, ...] | None,
        Axis("a direction [x, y, z] [1]", (Number("1"),) * 3),
        about(
            "direction that the tilt is measured from; by default the one that is up at the "
            "start. Give it where the start face is one of several shallow facets",
            [0.0, 0.0, 1.0],
        ),
    ] = None
    base_faces: Annotated[
        tuple[int, ...] | None,
        ListOf(Integer(0), "a list of face numbers"),
        about(
            "faces that may touch the ground without overturning; by default those within 5 "
            "degrees of the start face that join it",
            [0, 1],
        ),
    ] = None

    @classmethod
    def take_in_files(cls, data: dict[str, Any], folder: Path) -> None:
        if "vertices" not in data and isinstance(data.get("file"), str):
            try:
                data["vertices"] = read_points(folder / data["file"])
            except ConfigError as error:
                raise ConfigError(f"file: {error}") from None
            del data["file"]

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        yield from exactly_one(data, {"vertices": "m", "file": "rows of x, y, z"})
        if "com" not in data and "inertia" not in data:
            yield from super().conflicts(data)
            return
        missing = [repr(key) for key in ("com", "inertia", "mass") if key not in data]
        if missing:
            yield (
                (),
                f"'com', 'inertia' and 'mass' are given together or not at all; missing {', '.join(missing)}",
            )
        for key in ("density", *OFFSETS):
            if data.get(key, 0.0) not in (None, 0.0):
                yield (key,), "only for a homogeneous body; leave it out where 'com' and 'inertia' are given"

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
            If the vertices enclose no volume, or a face is named that does not exist.
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
        if self.base_faces is None:
            base = nearly_flat(corners, faces, settle(relative[0], faces, start))
        else:
            base = tuple(sorted(self.base_faces))
        return Outline(tuple(surface.kept.tolist()), faces, start, base)

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
        volume, centroid, spread = solid_moments(corners, faces)
        weight = self.weight(draws)
        mass, relative = weight.of(volume), corners - (centroid + weight.offset)[:, None]
        return mass, mass[:, None, None] * spread, relative, weight.values(volume)


def read_points(path: Path) -> list[list[float]]:
    """Points of a text file: one to a line, x y z [m] with commas or blanks between; ``#`` comments.

    Raises
    ------
    ConfigError
        With file and line, if the file cannot be read or a line does not hold 3 finite numbers.
    """
    text = read_data(path)
    points = []
    for line, content in enumerate(text.splitlines(), start=1):
        fields = content.partition("#")[0].replace(",", " ").split()
        if not fields:
            continue
        try:
            point = [float(field) for field in fields]
        except ValueError:
            point = []
        if len(point) != 3 or not all(map(isfinite, point)):
            raise ConfigError(f"{path}, line {line}: expected 3 numbers x, y, z, got {content.strip()!r}")
        points.append(point)
    return points
