"""What the tables of all body shapes share: many bodies at once, and kinds of values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mcrock.body import Faces, check_bodies, check_polygons
from mcrock.params import GRAVITY
from mcrock.tables.distributions import Distribution, Quantity, Uncertain
from mcrock.tables.errors import mistake, refuse, shown
from mcrock.tables.fields import Kind, Number, Table, each, exactly_one

Array = NDArray[np.float64]
Draws = Mapping[str, Array]  # values (n,) by dotted name, such as "body.width"


ARRAYS = ("mass", "inertia", "vertices", "gravity", "start_face")  # of `Bodies`, one item for each body


class Bodies(NamedTuple):
    """Many bodies of one shape, one per realization."""

    mass: Array  # (n,) [kg]
    inertia: Array  # (n, 3, 3) about the centre of mass [kg m2]
    vertices: Array  # (n, n_vertex, 3) relative to the centre of mass [m]
    gravity: Array  # (n,) [m/s2]
    values: dict[str, Array]  # dataset variables on realization
    faces: Faces  # vertices of each face, counter-clockwise from above when the body lies on it
    start_face: NDArray[np.int64]  # (n,) face on which each body starts
    base_faces: tuple[int, ...]  # faces that may touch the ground without overturning
    stands_clear: bool  # up to a tilt of 90 degrees nothing but face 0 can touch the ground
    settled: bool  # put down on a face that carries it; otherwise it must stand on face 0
    polygons: dict[str, Array]  # convex polygons (n, k, 2) that it is made of, as the study lists them [m]

    def repeated(self, n: int) -> Bodies:
        """The only body of these n times, where nothing about it is uncertain."""
        arrays = {name: np.repeat(getattr(self, name), n, axis=0) for name in ARRAYS}
        return self._replace(
            **arrays,
            values={name: np.repeat(array, n) for name, array in self.values.items()},
            polygons={name: np.repeat(array, n, axis=0) for name, array in self.polygons.items()},
        )

    def check(self, part: slice = slice(None)) -> None:
        """Refuse impossible bodies among those in ``part`` (ValueError)."""
        for name, corners in self.polygons.items():  # first, for the sake of coordinates as listed
            check_polygons(name, corners[part])
        mass, inertia, gravity = self.mass[part], self.inertia[part], self.gravity[part]
        if not self.settled:  # in words about the base
            check_bodies(mass, inertia, self.vertices[part, : len(self.faces[0])], gravity)
        if self.settled or len(self.faces) > 1:
            check_bodies(mass, inertia, self.vertices[part], gravity, self.faces, self.start_face[part])

    def first_impossible(self) -> tuple[int, str] | None:
        """Index of the first body that cannot exist or stand, and why; None if all can."""
        try:
            self.check()
            return None
        except ValueError:
            good, bad = 0, len(self.mass)
        while bad - good > 1:  # the first `good` bodies are possible, the first `bad` are not
            middle = (good + bad) // 2
            try:
                self.check(slice(middle))
                good = middle
            except ValueError:
                bad = middle
        try:
            self.check(slice(good, bad))
        except ValueError as error:
            name = "vertices" if self.settled else "base"
            return good, str(error).replace("Body.vertices", name).replace("Body.", "")
        raise AssertionError("a body refused in company must be refused alone")


@dataclass(frozen=True)
class Points(Kind):
    """A list of points of ``size`` coordinates, each a number or a distribution."""

    expected: str
    size: int
    least: int

    def _point(self, value: Any) -> tuple[Quantity, ...]:
        if not isinstance(value, list | tuple) or len(value) != self.size:
            refuse(mistake(f"expected {self.size} coordinates [m], got {shown(value)}"))
        return each(value, Uncertain("m").parse)

    def parse(self, value: Any) -> tuple[tuple[Quantity, ...], ...]:
        if not isinstance(value, list | tuple):
            refuse(self.wrong(value))
        if len(value) < self.least:
            refuse(mistake(f"expected {self.expected}, got {len(value)} of them"))
        return each(value, self._point)


@dataclass(frozen=True)
class Triple(Kind):
    """Three numbers or distributions [m]."""

    expected: str
    kinds: tuple[Number, Number, Number]

    def parse(self, value: Any) -> tuple[Quantity, ...]:
        if not isinstance(value, list | tuple) or len(value) != 3:
            refuse(self.wrong(value))
        kinds = iter(self.kinds)
        return each(value, lambda item: next(kinds).parse(item))


@dataclass(frozen=True)
class Tensor(Kind):
    """A symmetric 3 x 3 inertia tensor; both entries of a pair are written, and are the same."""

    expected: str = "3 rows of 3 numbers or distributions [kg m2]"

    def _row(self, value: Any) -> tuple[Quantity, ...]:
        if not isinstance(value, list | tuple) or len(value) != 3:
            refuse(mistake(f"expected a row of 3 numbers [kg m2], got {shown(value)}"))
        return each(value, Uncertain("kg m2").parse)

    def parse(self, value: Any) -> tuple[tuple[Quantity, ...], ...]:
        if not isinstance(value, list | tuple) or len(value) != 3:
            refuse(self.wrong(value))
        rows = each(value, self._row)
        skew = [(i, j) for i in range(3) for j in range(i) if rows[i][j] != rows[j][i]]
        if skew:
            refuse(*(mistake(f"must equal inertia[{j}][{i}], for symmetry", (i, j)) for i, j in skew))
        return rows


def drawn_tensor(draws: Draws) -> Array:
    """Inertia (n, 3, 3) from the drawn entries on and above the diagonal [kg m2]."""
    inertia = np.empty((len(draws["body.inertia[0][0]"]), 3, 3))
    for i in range(3):
        for j in range(i, 3):
            inertia[:, i, j] = inertia[:, j, i] = draws[f"body.inertia[{i}][{j}]"]
    return inertia


class Shape(Table):
    """What every shape has in common."""

    settings: ClassVar[tuple[str, ...]] = ()  # keys that are no quantities

    gravity: Annotated[Quantity, Uncertain("m/s2", above=0.0)] = GRAVITY

    def quantities(self) -> Iterator[tuple[str, Quantity]]:
        """All numbers of the body, fixed or uncertain, with their keys."""
        below = {f"inertia[{i}][{j}]" for i in range(3) for j in range(i)}  # the same as above
        for name in type(self).model_fields:
            value = getattr(self, name)
            if name in self.settings or isinstance(value, str) or value is None:
                continue
            entries = _entries(name, value) if isinstance(value, tuple) else [(name, value)]
            yield from ((key, item) for key, item in entries if key not in below)

    def build(self, draws: Draws) -> Bodies:
        """Bodies from the drawn numbers, unchecked."""
        raise NotImplementedError

    def medians(self) -> Draws:
        """Draws of the one body whose every uncertain number has its median."""
        return {
            f"body.{name}": np.atleast_1d(
                value.quantile(0.5) if isinstance(value, Distribution) else value
            ).astype(float)
            for name, value in self.quantities()
        }


class Upright(Shape):
    """Between a base and a parallel top."""

    height: Annotated[Quantity, Uncertain("m", above=0.0)]


class Solid(Shape):
    """A homogeneous solid, whose centre of mass may be off its centroid."""

    alternatives: ClassVar = (("density", "mass"),)

    density: Annotated[Quantity | None, Uncertain("kg/m3", above=0.0)] = None
    mass: Annotated[Quantity | None, Uncertain("kg", above=0.0)] = None
    com_x: Annotated[Quantity, Uncertain("m")] = 0.0
    com_y: Annotated[Quantity, Uncertain("m")] = 0.0
    com_z: Annotated[Quantity, Uncertain("m")] = 0.0

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        yield from exactly_one(data, {"density": "kg/m3", "mass": "kg"})

    def weighed(self, draws: Draws, volume: Array) -> tuple[Array, Array, dict[str, Array]]:
        """Mass (n,) [kg], offset of the centre of mass (n, 3) [m] and dataset variables."""
        if self.mass is None:
            density = draws["body.density"]
            mass = density * volume
        else:
            mass = draws["body.mass"]
            density = mass / volume
        com = np.stack([draws[f"body.com_{axis}"] for axis in "xyz"], axis=-1)
        values = {"body_density": density}
        return mass, com, values | {f"body_com_{axis}": draws[f"body.com_{axis}"] for axis in "xyz"}


def coordinates(
    name: str, points: tuple[tuple[Quantity, ...], ...], draws: Draws, kept: Iterable[int] | None = None
) -> Array:
    """Points (n, n_point, size) [m] of the key ``name``, those with the numbers ``kept`` or all."""
    n = len(next(iter(draws.values())))
    numbers = list(range(len(points)) if kept is None else kept)
    found = np.empty((n, len(numbers), len(points[0])))
    for row, i in enumerate(numbers):
        for j, value in enumerate(points[i]):
            if isinstance(value, Distribution):
                found[:, row, j] = draws[f"body.{name}[{i}][{j}]"]
            else:
                found[:, row, j] = value
    return found


def _entries(name: str, value: tuple[Any, ...]) -> Iterator[tuple[str, Quantity]]:
    for i, item in enumerate(value):
        if isinstance(item, tuple):
            yield from _entries(f"{name}[{i}]", item)
        else:
            yield f"{name}[{i}]", item
