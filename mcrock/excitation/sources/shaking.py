"""What sources that shake the ground have in common: direction, components, scaling and floor."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import degrees, pi
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mcrock.base.tables.distributions import Distribution, Quantity, Uncertain
from mcrock.base.tables.fields import ChoiceKey, FlagKey, entry, exactly_one, optional
from mcrock.base.tables.inputs import Declaration, Numbers, declare, design_order
from mcrock.excitation.measures import MEASURES
from mcrock.excitation.motion import Motion
from mcrock.excitation.processing import vertical
from mcrock.excitation.sources.base import Source
from mcrock.excitation.sources.floor import Floor
from mcrock.excitation.sources.kinds import Sign

DEGREE = pi / 180.0  # [rad]
TURN = 2 * pi  # [rad]
SAMPLES_OF_FLOOR = 0.1  # frequency of a floor times the time step, at most [1]
WEAK = 0.1  # of the other horizontal component [1]


class ShakingSource(Source):
    """A source of motions of the ground."""

    alternatives: ClassVar[tuple[tuple[str, ...], ...]] = (("azimuth", "azimuth_deg"),)
    finer: ClassVar[str]  # how the time step of the motions is made shorter

    azimuth: Quantity | None = optional(
        Uncertain("rad"),
        "rotation of the motion about the vertical, counter-clockwise seen from above; 0 if it is not given",
        {"distribution": "uniform", "low": 0.0, "high": 6.2832},
    )
    azimuth_deg: Quantity | None = optional(Uncertain("deg"), "the same in degrees", 30.0)
    polarity: int | tuple[int, ...] | Distribution = entry(
        Sign((1, -1), several=True),
        "sign of all components; a discrete distribution if it is `epistemic`",
        [1, -1],
        default=1,
    )
    scaling: Quantity = entry(
        Uncertain("1", above=0.0),
        "factor in addition to that of the intensity: what is uncertain about the strength of the motion",
        {"distribution": "lognormal", "median": 1.0, "dispersion": 0.2},
        default=1.0,
    )
    vertical: bool = entry(FlagKey(), "whether the vertical component acts", default=True)
    floor: Floor | None = optional(
        None,
        "table of a floor between ground and body; intensities are those of the ground",
        {"frequency": 2.0, "damping": 0.05},
    )

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        if "azimuth" in data and "azimuth_deg" in data:
            yield from exactly_one(data, {"azimuth": "rad", "azimuth_deg": "deg"})

    @property
    def rotation(self) -> tuple[Quantity, float]:
        if self.azimuth_deg is not None:
            return self.azimuth_deg, DEGREE
        return (0.0 if self.azimuth is None else self.azimuth), 1.0

    @property
    def quantities(self) -> dict[str, Any]:
        found = {"azimuth": self.rotation[0], "polarity": self.polarity, "scaling": self.scaling}
        given = {key: getattr(self, key) for key in design_order(self.inputs)}
        found |= {key: item for key, item in given.items() if item is not None}
        if self.floor is not None:
            found |= {f"floor.{key}": item for key, item in self.floor.quantities.items()}
        return found

    @property
    def codes(self) -> Mapping[str, Callable[[Any], int]]:
        choices = [key for key, item in self.inputs.items() if item.codes is not None]
        return {**super().codes, **{key: self._options(key).index for key in choices}}

    def word(self, key: str, number: float) -> str:
        is_choice = key in self.inputs and self.inputs[key].codes is not None
        return str(self._options(key)[int(number)]) if is_choice else super().word(key, number)

    @classmethod
    def _options(cls, key: str) -> tuple[str | int, ...]:
        """Options of a choice, in the order of their codes."""
        kind = cls.kind(key)
        return kind.options if isinstance(kind, ChoiceKey) else ()

    @classmethod
    def declarations(cls) -> list[Declaration]:
        return list(declare(cls, cls.inputs, "motion_"))

    @property
    def on_floor(self) -> bool:
        return self.floor is not None

    def check(self, numbers: Numbers, folder: Path) -> None:
        if self.floor is not None:
            self.floor.check(numbers)

    def select(self, motion: Motion) -> Motion:
        return motion if self.vertical or not motion.acceleration[2].any() else vertical(motion, on=False)

    def under_body(self, motion: Motion, numbers: Numbers) -> Motion:
        return motion if self.floor is None else self.floor.respond(motion, numbers)

    def sampling_step(self, motions: Sequence[Motion]) -> float | None:
        """Longest time step of the motions [s], None where it is chosen as the motion needs it."""
        return None

    def fraction_of_weak_pairs(self, motions: Sequence[Motion]) -> float:
        """Fraction of the motions with one horizontal component that is much weaker than the other [1]."""
        return 0.0

    def _where_and_how(self) -> str:
        """Floor and direction in words, to be added to a list of words."""
        azimuth, factor = self.rotation
        turned = (
            f"azimuth {degrees(azimuth * factor):g} deg"
            if isinstance(azimuth, float)
            else "azimuth uncertain"
        )
        return f", {turned}" if self.floor is None else f", {self.floor.place}, {turned}"

    def history(self, motion: Motion, folder: Path) -> str:
        steps = [*self.steps_of(motion, folder), *([] if self.floor is None else [self.floor.history])]
        return "; ".join(steps)

    def steps_of(self, motion: Motion, folder: Path) -> list[str]:
        """Where a motion of the ground comes from and what was done to it, in words."""
        raise NotImplementedError

    def notes(self, measure: str, motions: Sequence[Motion], factors: NDArray[np.float64]) -> list[str]:
        return [*self._mean_note(measure, motions), *self._floor_note(motions), *self._azimuth_note()]

    def _mean_note(self, measure: str, motions: Sequence[Motion]) -> list[str]:
        """Whether the geometric mean of two components says little because one of them is small."""
        if measure == "factor" or MEASURES[measure].of_pair:
            return []
        weak = self.fraction_of_weak_pairs(motions)
        if weak < 1e-6:
            return []
        which = "all motions" if weak > 0.9995 else f"{100 * weak:.2g} % of the motions"
        other = f"{measure}_rotd100" if f"{measure}_rotd100" in MEASURES else "pga_rotd100"
        return [
            f"note: one horizontal component is less than {WEAK:g} of the other in {which}, "
            "so that their geometric mean is far below the stronger one; a measure such as "
            f"{other!r} does not depend on the axes"
        ]

    def _floor_note(self, motions: Sequence[Motion]) -> list[str]:
        """Whether the samples are too few for the frequency of a floor."""
        step = self.sampling_step(motions)
        if self.floor is None or step is None:
            return []
        most = SAMPLES_OF_FLOOR / step
        if not self.floor.reaches_above(most):
            return []
        return [
            f"note: the floor has frequencies above {most:.3g} Hz, of which a period has fewer than ten "
            f"samples of {step:g} s: its peaks come out too low by a few per cent; {self.finer}"
        ]

    def _azimuth_note(self) -> list[str]:
        """Whether an azimuth in radians looks like one in degrees."""
        azimuth, factor = self.rotation
        if isinstance(azimuth, Distribution):
            beyond = azimuth.share_outside(None, -TURN, TURN) > 1e-6
        else:
            beyond = abs(azimuth) > TURN
        if factor != 1.0 or not beyond:
            return []
        return ["note: motion.azimuth turns by more than a circle [rad]; in degrees it is azimuth_deg"]
