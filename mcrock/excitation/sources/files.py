"""Source ``files``: records in files of any known format, and folders of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Literal

from mcrock.base.tables.fields import ChoiceKey, IntegerKey, ListOf, NumberKey, Text, entry, optional
from mcrock.excitation.motion import Motion
from mcrock.excitation.readers import FORMATS, read_records
from mcrock.excitation.sources.kinds import Paths, Unit
from mcrock.excitation.sources.recorded import RecordedSource


class FilesSource(RecordedSource):
    """Record files of any known format, and folders of them."""

    source: Literal["files"]
    paths: tuple[str, ...] = entry(
        Paths(Text(), "a list of files or folders"),
        "files and folders, from the folder of the study file",
        ["records"],
    )
    format: str | None = optional(
        ChoiceKey(FORMATS), "format, where it is not to be found by the content", "at2"
    )
    unit: str | None = optional(Unit(), "unit of the accelerations, where a file does not say", "cm/s2")
    dt: float | None = optional(NumberKey("s", above=0.0), "time step, where a file does not say", 0.005)
    channels: tuple[int, ...] | None = optional(
        ListOf(IntegerKey(1), "a list of channel numbers"),
        "channels of one sensor, in files of structures that do not say the places of their sensors",
        [1, 2, 3],
    )
    columns: tuple[str, ...] | None = optional(
        ListOf(Text(), "a list of column names"),
        "names of the columns of tables of text that do not name them",
        ["time", "EW", "NS", "UD"],
    )

    def readings(self, folder: Path) -> Iterator[Callable[[], list[Motion]]]:
        how = {key: getattr(self, key) for key in ("format", "unit", "dt", "channels", "columns")}
        for path in self.paths:
            yield partial(read_records, folder / path, **how)

    def doubles(self, folder: Path) -> list[str]:
        places = [(folder / path).resolve() for path in self.paths]
        return [
            f"{path}: is listed twice"
            if places[i] == other
            else f"{path}: lies in {self.paths[j]}, which is listed too"
            for i, path in enumerate(self.paths)
            for j, other in enumerate(places)
            if (j < i and places[i] == other) or other in places[i].parents
        ]
