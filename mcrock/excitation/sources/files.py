"""Source ``files``: records in files of any known format, and folders of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path, PurePath
from typing import Annotated, Literal

from pydantic import field_validator

from mcrock.excitation.motion import Motion
from mcrock.excitation.readers import FORMATS, read_records
from mcrock.excitation.sources.kinds import Unit
from mcrock.excitation.sources.recorded import RecordedSource
from mcrock.tables.fields import ChoiceKey, IntegerKey, ListOf, NumberKey, Text, about


class FilesSource(RecordedSource):
    """Record files of any known format, and folders of them."""

    source: Literal["files"]
    paths: Annotated[
        tuple[str, ...],
        ListOf(Text(), "a list of files or folders"),
        about("files and folders, from the folder of the study file", ["records"]),
    ]
    format: Annotated[
        str | None, ChoiceKey(FORMATS), about("format, where it is not to be found by the content", "at2")
    ] = None
    unit: Annotated[
        str | None, Unit(), about("unit of the accelerations, where a file does not say", "cm/s2")
    ] = None
    dt: Annotated[
        float | None, NumberKey("s", above=0.0), about("time step, where a file does not say", 0.005)
    ] = None
    channels: Annotated[
        tuple[int, ...] | None,
        ListOf(IntegerKey(1), "a list of channel numbers"),
        about(
            "channels of one sensor, in files of structures that do not say the places of their sensors",
            [1, 2, 3],
        ),
    ] = None
    columns: Annotated[
        tuple[str, ...] | None,
        ListOf(Text(), "a list of column names"),
        about("names of the columns of tables of text that do not name them", ["time", "EW", "NS", "UD"]),
    ] = None

    @field_validator("paths", mode="after")
    @classmethod
    def _with_slashes(cls, paths: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(PurePath(path).as_posix() for path in paths)

    def readings(self, folder: Path) -> Iterator[Callable[[], list[Motion]]]:
        read = partial(
            read_records,
            format=self.format,
            unit=self.unit,
            dt=self.dt,
            channels=self.channels,
            columns=self.columns,
        )
        for path in self.paths:
            yield partial(read, folder / path)

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
