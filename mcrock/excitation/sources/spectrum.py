"""Source ``spectrum``: motions that are compatible with a target spectrum."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from mcrock.base.params import Ground
from mcrock.base.tables.fields import ChoiceKey, ListOf, NumberKey, Text, entry, exactly_one, optional
from mcrock.base.tables.inputs import Input, Numbers
from mcrock.excitation.motion import Motion
from mcrock.excitation.sources.generated import GeneratedSource, stamp
from mcrock.excitation.sources.kinds import Unit
from mcrock.excitation.synthesis.target_spectrum import TargetSpectrum, ac156, en_1998_1, read_target, rg_1_60

BAND = (0.05, 4.0)  # of the periods in which motions are compatible with their spectrum [s]
GROUNDS = tuple(ground.name for ground in Ground)
STANDARDS = {"rg_1_60": "RG 1.60", "ac156": "AC156"}


class SpectrumSource(GeneratedSource):
    """A motion compatible with a target spectrum, generated for each realization."""

    inputs: ClassVar = {"ground": Input("ground type of the target spectrum", Ground)}

    source: Literal["spectrum"]
    ground: str | tuple[str, ...] | None = optional(
        ChoiceKey(GROUNDS, several=True),
        "ground type of EN 1998-1; the spectrum is that of a_g = 1 m/s2",
        "B",
    )
    standard: str | None = optional(
        ChoiceKey(tuple(STANDARDS)),
        "spectrum of RG 1.60, for a peak ground acceleration of 1 m/s2, or that of AC156, for S_DS = 1 m/s2",
        "ac156",
    )
    height_ratio: float = entry(
        NumberKey("1", least=0.0, most=1.0), "height z/h of the support of AC156", 0.5, default=0.0
    )
    spectrum_type: int = entry(ChoiceKey((1, 2)), "type of the spectrum of EN 1998-1", 2, default=1)
    table: str | None = optional(
        Text(),
        "file of periods or frequencies and accelerations, from the folder of the study file",
        "spectrum.txt",
    )
    table_z: str | None = optional(
        Text(), "the same for the vertical component, with `components = 3`", "vertical.txt"
    )
    unit: str | None = optional(Unit(), "unit of the accelerations, where the table does not say it", "g")
    damping: float = entry(
        NumberKey("1", above=0.0, most=0.8),
        "damping ratio of the spectrum; motions can be generated for 0.01 to about 0.5",
        0.05,
        default=0.05,
    )
    components: int = entry(ChoiceKey((1, 2, 3)), "number of components of the motion", 2, 3, default=2)
    band: tuple[float, ...] = entry(
        ListOf(NumberKey("s", above=0.0), "a list of two periods [s]"),
        "shortest and longest period at which the motion fits the spectrum; give a longer one "
        "for a table that extends further",
        default=BAND,
    )
    corner: float = entry(NumberKey("Hz", above=0.0), "corner frequency of the high-pass filter", default=0.1)
    rise: float = entry(NumberKey("s", above=0.0), "duration of the rise of the envelope", default=2.0)
    level: float = entry(NumberKey("s", above=0.0), "duration of its constant part", default=10.0)
    decay: float = entry(NumberKey("s", above=0.0), "duration of its decay", default=8.0)
    dt: float = entry(NumberKey("s", above=0.0), "time step", default=0.01)

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        yield from super().conflicts(data)
        yield from exactly_one(
            data,
            {
                "ground": "of EN 1998-1",
                "standard": "rg_1_60 or ac156",
                "table": "a file of periods and accelerations",
            },
        )
        if "table" in data:
            if (data.get("components") == 3) != ("table_z" in data):
                yield ("table_z",), "is the target of the vertical component, and goes with components = 3"
        else:
            for key in ("unit", "table_z"):
                if key in data:
                    yield (key,), "goes with a table, not with the spectrum of a standard"
        standard = data.get("standard")
        if "spectrum_type" in data and "ground" not in data:
            yield ("spectrum_type",), "is of the spectra of EN 1998-1, and goes with 'ground'"
        if "height_ratio" in data and standard != "ac156":
            yield ("height_ratio",), "goes with standard = 'ac156'"
        least, most = {"rg_1_60": (0.005, 0.1), "ac156": (0.05, 0.05)}.get(str(standard), (0.0, 1.0))
        damping = data.get("damping", 0.05)
        if str(standard) in STANDARDS and _is_number(damping) and not least <= damping <= most:
            held = "0.05" if least == most else f"{least:g} to {most:g}"
            yield ("damping",), f"{STANDARDS[str(standard)]} has {held} [1], got {damping:g}"
        band, dt = data.get("band", BAND), data.get("dt", 0.01)
        if isinstance(band, list | tuple) and len(band) == 2 and _is_number(band[0]) and _is_number(band[1]):
            if not band[0] < band[1]:
                yield ("band",), f"the periods must rise, got {band[0]:g} and {band[1]:g} s"
            elif _is_number(dt) and dt > band[0] / 4:
                yield (
                    ("dt",),
                    f"must be at most a quarter of the shortest period of 'band' ({band[0]:g} s), "
                    f"{band[0] / 4:g} s, got {dt:g}",
                )
        elif isinstance(band, list | tuple) and len(band) != 2:
            yield ("band",), f"expected two periods [s], as in [0.05, 4.0], got {len(band)}"

    def read(self, folder: Path) -> None:
        if self.table is not None:
            self._tables(self.table, folder)

    def make(self, numbers: Numbers, rng: np.random.Generator, realization: int, folder: Path) -> Motion:
        from mcrock.excitation.synthesis.spectrum_compatible import (  # loads the compiler
            Envelope,
            compatible_motion,
        )

        return compatible_motion(
            self._targets(numbers, folder),
            rng,
            self.dt,
            Envelope(self.rise, self.level, self.decay),
            band_periods=(self.band[0], self.band[1]),
            corner=self.corner,
            name=f"spectrum-compatible {realization}",
        )

    def _targets(self, numbers: Numbers, folder: Path) -> list[TargetSpectrum]:
        """Spectra that the components are to have."""
        if self.table is not None:
            return self._tables(self.table, folder)
        upright = [axis == 2 for axis in range(self.components)]
        if self.standard == "rg_1_60":
            return [rg_1_60(1.0, self.damping, vertical) for vertical in upright]
        if self.standard == "ac156":
            return [ac156(1.0, self.height_ratio, vertical) for vertical in upright]
        ground = GROUNDS[int(numbers["ground"])]
        return [en_1998_1(1.0, ground, self.spectrum_type, self.damping, vertical) for vertical in upright]

    def _tables(self, table: str, folder: Path) -> list[TargetSpectrum]:
        """Spectra in files, read once, and again when a file has changed."""
        names = [table] * min(self.components, 2) + [name for name in [self.table_z] if name]
        paths = [folder / name for name in names]
        return [_target(str(path), self.unit, self.damping, stamp(path)) for path in paths]

    def sampling_step(self, motions: Sequence[Motion]) -> float:
        return self.dt

    def origin(self, folder: Path) -> str:
        target = STANDARDS.get(str(self.standard), f"table {self.table}")
        if self.ground is not None:
            grounds = self.ground if isinstance(self.ground, tuple) else (self.ground,)
            target = f"EN 1998-1 type {self.spectrum_type}, ground {' or '.join(grounds)}"
        return f"compatible with a target spectrum ({target})"

    def notes(self, measure: str, motions: Sequence[Motion], factors: NDArray[np.float64]) -> list[str]:
        found = super().notes(measure, motions, factors)
        changes = [] if measure == "factor" else [f"scaled to levels of {measure}"]
        if self.components > 1 and self.rotation[0] != 0:
            changes.append("turned")
        if changes:
            found.append(
                f"note: the motions follow their spectrum before they are {' and '.join(changes)}; the "
                "measure 'factor' and no azimuth keep them within 0.9 to 1.3 of the spectrum times the level"
            )
        return found


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


@lru_cache(maxsize=8)
def _target(
    path: str, unit: str | None, damping: float, stamp: tuple[tuple[str, int, int], ...]
) -> TargetSpectrum:
    return read_target(path, unit, damping)
