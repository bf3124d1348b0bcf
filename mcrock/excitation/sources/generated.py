"""What sources of generated motions have in common: every realization has a motion made for it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from mcrock.base.tables.distributions import Distribution
from mcrock.excitation.motion import Motion
from mcrock.excitation.sources.shaking import ShakingSource


class GeneratedSource(ShakingSource):
    """Motions made for each realization, from its numbers and its stream of noise."""

    is_generated: ClassVar = True
    draws_noise: ClassVar = True
    finer: ClassVar = "make dt shorter"
    strength: ClassVar[str | None] = None  # key of how strong motions are made

    def origin(self, folder: Path) -> str:
        """How the motions are made, in words."""
        raise NotImplementedError

    def details(self, folder: Path) -> list[str]:
        """More lines of words about the motions."""
        return []

    def steps_of(self, motion: Motion, folder: Path) -> list[str]:
        return [
            f"{self.origin(folder)}, one for each realization",
            *([] if self.vertical else ["vertical off"]),
        ]

    def describe(self, motions: Sequence[Motion], folder: Path) -> list[str]:
        off = "" if self.vertical else ", vertical off"
        what = f"{self.origin(folder)}, one for each realization{off}"
        return [f"motions: {what}{self._where_and_how()}", *self.details(folder)]

    def notes(self, measure: str, motions: Sequence[Motion], factors: NDArray[np.float64]) -> list[str]:
        found = super().notes(measure, motions, factors)
        if self.strength and measure != "factor" and isinstance(getattr(self, self.strength), Distribution):
            found.append(
                f"note: motion.{self.strength} changes nothing, as every motion is scaled to its {measure}; "
                "the measure 'factor' leaves motions as strong as they are made"
            )
        return found


def stamp(path: Path | None) -> tuple[tuple[str, int, int], ...]:
    """What changes with a file, or with those of a folder: names, times and sizes."""
    if path is None or not path.exists():
        return ()
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    return tuple((str(file), file.stat().st_mtime_ns, file.stat().st_size) for file in files)
