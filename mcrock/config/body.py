"""The table of the body, and how drawn numbers become mass properties and base vertices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mcrock.body import check_bodies, cuboid_properties, prism_properties, prism_volume
from mcrock.config.distributions import Distribution, Quantity, Uncertain
from mcrock.config.errors import mistake, refuse, shown
from mcrock.config.fields import Kind, OneOf, Table, each, exactly_one
from mcrock.params import GRAVITY

Array = NDArray[np.float64]
Draws = Mapping[str, Array]  # values (n,) by dotted name, such as "body.width"


class Bodies(NamedTuple):
    """Many bodies, one per realization."""

    mass: Array  # (n,) [kg]
    inertia: Array  # (n, 3, 3) about the centre of mass [kg m2]
    vertices: Array  # (n, k, 3) relative to the centre of mass [m]
    gravity: Array  # (n,) [m/s2]
    values: dict[str, Array]  # dataset variables on realization

    def check(self, until: int | None = None) -> None:
        """Refuse impossible bodies among the first ``until`` (ValueError)."""
        part = slice(until)
        check_bodies(self.mass[part], self.inertia[part], self.vertices[part], self.gravity[part])

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
                self.check(middle)
                good = middle
            except ValueError:
                bad = middle
        one = slice(good, bad)
        try:
            check_bodies(self.mass[one], self.inertia[one], self.vertices[one], self.gravity[one])
        except ValueError as error:
            return good, str(error).replace("Body.vertices", "base corners").replace("Body.", "")
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
class Centre(Kind):
    """The centre of mass [x, y, height]; its height is positive."""

    expected: str = "[x, y, height above the base] [m]"

    def parse(self, value: Any) -> tuple[Quantity, ...]:
        if not isinstance(value, list | tuple) or len(value) != 3:
            refuse(self.wrong(value))
        kinds = iter((Uncertain("m"), Uncertain("m"), Uncertain("m", above=0.0)))
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


class _Body(Table):
    """What every shape has in common."""

    gravity: Annotated[Quantity, Uncertain("m/s2", above=0.0)] = GRAVITY

    def quantities(self) -> Iterator[tuple[str, Quantity]]:
        """All numbers of the body, fixed or uncertain, with their keys."""
        for name in type(self).model_fields:
            value = getattr(self, name)
            if isinstance(value, tuple):
                yield from _entries(name, value)
            elif value is not None and not isinstance(value, str):
                yield name, value

    def build(self, draws: Draws) -> Bodies:
        """Bodies from the drawn numbers, unchecked."""
        raise NotImplementedError


class _Solid(_Body):
    """A homogeneous solid, whose centre of mass may be off its centre."""

    alternatives: ClassVar = (("density", "mass"),)

    height: Annotated[Quantity, Uncertain("m", above=0.0)]
    density: Annotated[Quantity | None, Uncertain("kg/m3", above=0.0)] = None
    mass: Annotated[Quantity | None, Uncertain("kg", above=0.0)] = None
    com_x: Annotated[Quantity, Uncertain("m")] = 0.0
    com_y: Annotated[Quantity, Uncertain("m")] = 0.0
    com_z: Annotated[Quantity, Uncertain("m")] = 0.0

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        yield from exactly_one(data, {"density": "kg/m3", "mass": "kg"})

    def _weighed(self, draws: Draws, volume: Array) -> tuple[Array, Array, dict[str, Array]]:
        """Mass (n,) [kg], offset of the centre of mass (n, 3) [m] and dataset variables."""
        if self.mass is None:
            density = draws["body.density"]
            mass = density * volume
        else:
            mass = draws["body.mass"]
            density = mass / volume
        com = np.stack([draws[f"body.com_{axis}"] for axis in "xyz"], axis=-1)
        values = {"body_height": draws["body.height"], "body_density": density}
        return mass, com, values | {f"body_com_{axis}": draws[f"body.com_{axis}"] for axis in "xyz"}


class Cuboid(_Solid):
    """Rectangular block."""

    shape: Literal["cuboid"]
    width: Annotated[Quantity, Uncertain("m", above=0.0)]
    depth: Annotated[Quantity, Uncertain("m", above=0.0)]

    def build(self, draws: Draws) -> Bodies:
        width, depth, height = (draws[f"body.{name}"] for name in ("width", "depth", "height"))
        mass, com, values = self._weighed(draws, width * depth * height)
        inertia, vertices = cuboid_properties(width, depth, height, mass, com)
        values = {"body_width": width, "body_depth": depth} | values
        return Bodies(mass, inertia, vertices, draws["body.gravity"], values)


BASE = Points("a list of at least 3 corners [x, y] [m], counter-clockwise", size=2, least=3)
Corners = tuple[tuple[Quantity, ...], ...]


def _base(corners: Corners, draws: Draws) -> Array:
    """Corners of the bases (n, k, 2) [m]."""
    return np.stack(
        [np.stack([draws[f"body.base[{i}][{j}]"] for j in range(2)], -1) for i in range(len(corners))], axis=1
    )


class Prism(_Solid):
    """Right prism on a convex polygon."""

    shape: Literal["prism"]
    base: Annotated[Corners, BASE]

    def build(self, draws: Draws) -> Bodies:
        base, height = _base(self.base, draws), draws["body.height"]
        with np.errstate(divide="ignore", invalid="ignore"):  # a base without area is refused by `check`
            mass, com, values = self._weighed(draws, np.abs(prism_volume(base, height)))
            inertia, vertices = prism_properties(base, height, mass, com)
        return Bodies(mass, inertia, vertices, draws["body.gravity"], values)


class Free(_Body):
    """Measured or computed mass properties on a convex polygon."""

    shape: Literal["free"]
    base: Annotated[Corners, BASE]
    com: Annotated[tuple[Quantity, ...], Centre()]
    mass: Annotated[Quantity, Uncertain("kg", above=0.0)]
    inertia: Annotated[tuple[tuple[Quantity, ...], ...], Tensor()]

    def quantities(self) -> Iterator[tuple[str, Quantity]]:
        below = {f"inertia[{i}][{j}]" for i in range(3) for j in range(i)}  # the same as above
        return ((name, value) for name, value in super().quantities() if name not in below)

    def build(self, draws: Draws) -> Bodies:
        corners = _base(self.base, draws)
        com = np.stack([draws[f"body.com[{i}]"] for i in range(3)], axis=-1)
        vertices = np.concatenate([corners, np.zeros_like(corners[..., :1])], axis=-1) - com[:, None, :]
        inertia = np.empty((len(com), 3, 3))
        for i in range(3):
            for j in range(i, 3):
                inertia[:, i, j] = inertia[:, j, i] = draws[f"body.inertia[{i}][{j}]"]
        return Bodies(draws["body.mass"], inertia, vertices, draws["body.gravity"], {})


def _entries(name: str, value: tuple[Any, ...]) -> Iterator[tuple[str, Quantity]]:
    for i, item in enumerate(value):
        if isinstance(item, tuple):
            yield from _entries(f"{name}[{i}]", item)
        else:
            yield f"{name}[{i}]", item


BodyTable = Annotated[Cuboid | Prism | Free, OneOf("shape", {"cuboid": Cuboid, "prism": Prism, "free": Free})]


def typical(body: Cuboid | Prism | Free) -> Bodies:
    """The one body whose every uncertain number has its median."""
    draws = {
        f"body.{name}": np.atleast_1d(value.quantile(0.5) if isinstance(value, Distribution) else value)
        for name, value in body.quantities()
    }
    return body.build({name: value.astype(float) for name, value in draws.items()})
