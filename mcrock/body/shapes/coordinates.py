"""Points, triples and tensors: as a study file lists them, and the arrays of their drawn values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from mcrock.base.tables.distributions import Distribution, Quantity, Uncertain
from mcrock.base.tables.errors import mistake, refuse
from mcrock.base.tables.fields import ListOf, NumberKey
from mcrock.base.tables.inputs import Input
from mcrock.body.faces import Array

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
