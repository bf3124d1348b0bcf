"""Base of the tables of all shapes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from mcrock.base.params import GRAVITY
from mcrock.base.tables.distributions import Distribution, Quantity, Uncertain
from mcrock.base.tables.fields import Table, entry, exactly_one, optional
from mcrock.base.tables.inputs import Inputs
from mcrock.body.bodies import Bodies
from mcrock.body.shapes.coordinates import Draws
from mcrock.body.shapes.random_underside import RandomUnderside
from mcrock.body.solids.parts import Weight


class Shape(Table):
    """Section ``body`` of a study: the keys of a shape, and the bodies that drawn numbers make."""

    settings: ClassVar[tuple[str, ...]] = ()  # keys that are not quantities
    inputs: ClassVar[Inputs] = {}  # what realizations may have of their own, beside what datasets of all have
    if TYPE_CHECKING:
        shape: str  # every shape has its own, in its place among the keys

    gravity: Quantity = entry(Uncertain("m/s2", above=0.0), "gravity that acts on the body", default=GRAVITY)

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
        "offset of the centre of mass from the centroid of the solid along body x; the "
        "inertia about the centre of mass stays that of the homogeneous solid",
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
