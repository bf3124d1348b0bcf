"""Source ``csv``: ground motions from tables of text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path, PurePath
from typing import Literal

from mcrock.base.tables.fields import ListOf, NumberKey, Text, entry, optional
from mcrock.excitation.motion import Motion
from mcrock.excitation.readers.csv_file import read_csv
from mcrock.excitation.sources.kinds import Paths, Unit
from mcrock.excitation.sources.recorded import RecordedSource


class CsvSource(RecordedSource):
    """Ground motions from text files; relative names start from the folder of the study file."""

    source: Literal["csv"]
    files: tuple[str, ...] = entry(
        Paths(Text(), "a list of file names"), "files, from the folder of the study file", ["motion.csv"]
    )
    unit: str | None = optional(Unit(), "unit of the accelerations, where the files do not say it", "g")
    dt: float | None = optional(
        NumberKey("s", above=0.0), "time step, where there is no column of times", 0.01
    )
    columns: tuple[str, ...] | None = optional(
        ListOf(Text(), "a list of column names"),
        "names of the columns, where the files do not say them",
        ["time", "EW", "NS", "UD"],
    )

    def readings(self, folder: Path) -> Iterator[Callable[[], list[Motion]]]:
        for file, name in zip(self.files, self._names(), strict=True):
            yield partial(self._read, folder / file, name)

    def _read(self, path: Path, name: str) -> list[Motion]:
        return [read_csv(path, self.unit, self.dt, name, self.columns)]

    def _names(self) -> list[str]:
        """Names of the motions: of the files without ending, with their folders where that is not unique."""
        stems = Counter(PurePath(file).stem for file in self.files)
        return [file if stems[PurePath(file).stem] > 1 else PurePath(file).stem for file in self.files]
