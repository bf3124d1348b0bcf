"""What the shapes of bodies have in common: kinds of their keys, rims, and the tables that they extend."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from mcrock.base.params import GRAVITY
from mcrock.base.tables.distributions import Distribution, Quantity, Uncertain
from mcrock.base.tables.fields import (
    FlagKey,
    Input,
    Inputs,
    ListOf,
    NumberKey,
    Table,
    entry,
    exactly_one,
    optional,
)
from mcrock.base.tables.parsing import mistake, refuse
from mcrock.body.body import Bodies
from mcrock.body.faces import Array
from mcrock.body.polyhedron import UNDERSIDE
from mcrock.body.solids import Weight

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


class RoundBase(Table):
    """A base that is a circle, on whose rim the body rolls."""

    rim: Quantity = entry(
        Uncertain("m", above=0.0),
        "radius of the circle, or of the outer edge of a ring, that it stands on",
        0.3,
    )


class CornersOrRim(ListOf):
    """Corners of a base, or a table with the radius of a circle."""

    def parse(self, value: Any) -> Any:
        round_base = isinstance(value, RoundBase) or (isinstance(value, Mapping) and "rim" in value)
        return RoundBase.model_validate(value) if round_base else super().parse(value)


CORNERS_OR_RIM = CornersOrRim(
    BASE.item, f"{BASE.expected}, or {{ rim = radius [m] }}", distinct=False, least=3
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
            if isinstance(value, RoundBase):
                name, value = f"{name}.rim", value.rim
            entries = _entries(name, value) if isinstance(value, tuple) else [(name, value)]
            yield from ((key, item) for key, item in entries if key not in below)

    @property
    def underside(self) -> RandomUnderside | None:
        """The error of its shape, drawn with every hull; None if it has none."""
        return None

    @property
    def is_one_draw(self) -> bool:
        """Whether realizations share the error of the shape, that of their epistemic draw."""
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
