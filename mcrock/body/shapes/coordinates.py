"""Points, triples and tensors: as a study file lists them, and the arrays of their drawn values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from mcrock.body.faces import Array
from mcrock.tables.distributions import Distribution, Quantity, Uncertain
from mcrock.tables.errors import mistake, refuse, shown
from mcrock.tables.fields import Kind, NumberKey, each
from mcrock.tables.inputs import Input

Draws = Mapping[str, Array]  # value (n,) of every one of `Shape.quantities`, by key: "width", "com[2]"


@dataclass(frozen=True)
class PointList(Kind):
    """A list of points of ``size`` coordinates, each a number or a distribution."""

    unit: ClassVar = "m"
    n_places: ClassVar = 2  # [1] that tell a number from the others

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
    """Three numbers or distributions."""

    n_places: ClassVar = 1  # as `PointList`

    expected: str
    kinds: tuple[NumberKey, NumberKey, NumberKey]

    @property
    def unit(self) -> str:
        """That all three have."""
        return self.kinds[0].unit

    def parse(self, value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple) or len(value) != 3:
            refuse(self.wrong(value))
        kinds = iter(self.kinds)
        return each(value, lambda item: next(kinds).parse(item))


@dataclass(frozen=True)
class Tensor(Kind):
    """A symmetric 3 x 3 inertia tensor; both entries of a pair are written, and are the same."""

    n_places: ClassVar = 2  # as `PointList`

    expected: str = "3 rows of 3 numbers or distributions [kg m2]"
    kind: NumberKey = field(default_factory=lambda: Uncertain("kg m2"))  # of its entries

    @property
    def unit(self) -> str:
        """That all entries have."""
        return self.kind.unit

    def _row(self, value: Any) -> tuple[Quantity, ...]:
        if not isinstance(value, list | tuple) or len(value) != 3:
            refuse(mistake(f"expected a row of 3 numbers [{self.unit}], got {shown(value)}"))
        return each(value, self.kind.parse)

    def parse(self, value: Any) -> tuple[tuple[Quantity, ...], ...]:
        if not isinstance(value, list | tuple) or len(value) != 3:
            refuse(self.wrong(value))
        rows = each(value, self._row)
        skew = [(i, j) for i in range(3) for j in range(i) if rows[i][j] != rows[j][i]]
        if skew:
            refuse(*(mistake(f"must equal inertia[{j}][{i}], for symmetry", (i, j)) for i, j in skew))
        return rows


BASE = PointList("a list of at least 3 corners [x, y] [m], counter-clockwise", size=2, least=3)
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
