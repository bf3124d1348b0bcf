"""Source ``synthetic``: filtered white noise with given parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from mcrock.base.tables.distributions import Quantity, Uncertain
from mcrock.base.tables.fields import NumberKey, entry, exactly_one, optional
from mcrock.base.tables.inputs import Input, Numbers
from mcrock.excitation.motion import Motion
from mcrock.excitation.sources.floor import MOST_DAMPING
from mcrock.excitation.sources.generated import GeneratedSource
from mcrock.excitation.synthesis.rezaeian_2010 import StochasticModel, check_step, simulate_motion

NEGLIGIBLE = 1e-6  # Arias intensity of a component over that of the first, below which it is left out [1]


class SyntheticSource(GeneratedSource):
    """Filtered white noise, generated for each realization."""

    alternatives: ClassVar = (("azimuth", "azimuth_deg"), ("middle", "middle_ratio"))
    strength: ClassVar = "arias"
    inputs: ClassVar = {
        "arias": Input("expected Arias intensity along x before scaling"),
        "duration": Input("expected significant duration D5-95"),
        "middle": Input("time of 45 % of the expected Arias intensity"),
        "middle_ratio": Input("that time over the significant duration"),
        "frequency": Input("frequency of the filter in the middle"),
        "frequency_slope": Input("change of the frequency of the filter"),
        "damping": Input("damping of the filter"),
        "arias_ratio_y": Input("Arias intensity along y over that along x"),
        "arias_ratio_z": Input("vertical Arias intensity over that along x"),
    }

    source: Literal["synthetic"]
    arias: Quantity = entry(Uncertain("m/s", above=0.0), "Arias intensity along x before scaling", 1.5)
    duration: Quantity = entry(Uncertain("s", above=0.0), "significant duration D5-95", 12.0)
    middle: Quantity | None = optional(
        Uncertain("s", above=0.0), "time at which 45 % of the Arias intensity is reached, t_mid", 6.0
    )
    middle_ratio: Quantity | None = optional(Uncertain("1", above=0.21), "the same over the duration", 0.5)
    frequency: Quantity = entry(Uncertain("Hz", above=0.0), "frequency of the filter at t_mid", 4.0)
    frequency_slope: Quantity = entry(
        Uncertain("Hz/s"), "rate of change of the filter frequency", -0.1, default=0.0
    )
    damping: Quantity = entry(
        Uncertain("1", above=0.0, most=MOST_DAMPING), "damping ratio of the filter", default=0.2
    )
    arias_ratio_y: Quantity = entry(
        Uncertain("1", least=0.0), "Arias intensity along y over that along x", default=1.0
    )
    arias_ratio_z: Quantity = entry(
        Uncertain("1", least=0.0), "Arias intensity along z over that along x", 0.3, default=0.0
    )
    corner: float = entry(NumberKey("Hz", above=0.0), "corner frequency of the high-pass filter", default=0.1)
    dt: float = entry(NumberKey("s", above=0.0), "time step", default=0.01)

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        yield from super().conflicts(data)
        yield from exactly_one(data, {"middle": "s", "middle_ratio": "of the duration"})

    def check(self, numbers: Numbers, folder: Path) -> None:
        check_step(self._models(numbers), self.dt)
        super().check(numbers, folder)

    def make(self, numbers: Numbers, rng: np.random.Generator, realization: int, folder: Path) -> Motion:
        return simulate_motion(self._models(numbers), rng, self.dt, name=f"synthetic {realization}")

    def _models(self, numbers: Numbers) -> list[StochasticModel | None]:
        """Models of the components."""
        names = ("arias", "duration", "frequency", "frequency_slope", "damping")
        own = {name: float(numbers[name]) for name in names}
        ratio = numbers.get("middle_ratio")
        own["middle"] = float(numbers["middle"]) if ratio is None else float(ratio) * own["duration"]
        model = StochasticModel(**own, corner=self.corner)
        models: list[StochasticModel | None] = [model]
        for key in ("arias_ratio_y", "arias_ratio_z"):
            ratio = float(numbers[key])
            models.append(replace(model, arias=ratio * model.arias) if ratio > NEGLIGIBLE else None)
        return models

    def sampling_step(self, motions: Sequence[Motion]) -> float:
        return self.dt

    def origin(self, folder: Path) -> str:
        return "filtered white noise"
