"""The table of the ground motions of a study: where they come from, and what is uncertain about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Annotated, Any, ClassVar, Literal

from pydantic import field_validator

from mcrock.config.distributions import Quantity, Uncertain
from mcrock.config.fields import (
    Choice,
    Integer,
    ListOf,
    Number,
    OneOf,
    Table,
    Text,
    exactly_one,
)
from mcrock.config.sections import DEGREE
from mcrock.excitation.csv_file import UNITS
from mcrock.excitation.fema_p695 import SETS


class _Motion(Table):
    """What every source of ground motions has in common."""

    alternatives: ClassVar = (("azimuth", "azimuth_deg"),)

    azimuth: Annotated[Quantity | None, Uncertain("rad")] = None
    azimuth_deg: Annotated[Quantity | None, Uncertain("deg")] = None
    polarity: Annotated[int | tuple[int, ...], Choice((1, -1), several=True)] = 1
    assignment: Annotated[str, Choice(("cycle", "random"))] = "cycle"

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        if "azimuth" in data and "azimuth_deg" in data:
            yield from exactly_one(data, {"azimuth": "rad", "azimuth_deg": "deg"})

    @property
    def rotation(self) -> tuple[Quantity, float]:
        """Specification of the azimuth, and the factor that makes it [rad]."""
        if self.azimuth_deg is not None:
            return self.azimuth_deg, DEGREE
        return (0.0 if self.azimuth is None else self.azimuth), 1.0


class FemaMotion(_Motion):
    """Record pairs of FEMA P695."""

    source: Literal["fema_p695"]
    set: Annotated[str, Choice(SETS)] = "farfield"
    records: Annotated[
        str | tuple[int, ...], ListOf(Integer(1), "'all' or a list of record numbers", or_word="all")
    ] = "all"


class CsvMotion(_Motion):
    """Ground motions from text files; relative names start from the folder of the study file."""

    source: Literal["csv"]
    files: Annotated[tuple[str, ...], ListOf(Text(), "a list of file names")]
    unit: Annotated[str, Choice(tuple(UNITS))]
    dt: Annotated[float | None, Number("s", above=0.0)] = None

    @field_validator("files", mode="after")
    @classmethod
    def _with_slashes(cls, files: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(PurePath(file).as_posix() for file in files)


class StillGround(Table):
    """Ground that does not move: free rocking of released bodies."""

    source: Literal["none"]

    # what a motion has, so that a study can be read without asking
    rotation: ClassVar[tuple[float, float]] = (0.0, 1.0)
    polarity: ClassVar[int] = 1
    assignment: ClassVar[str] = "cycle"


SOURCES = {"fema_p695": FemaMotion, "csv": CsvMotion, "none": StillGround}
Motions = Annotated[FemaMotion | CsvMotion | StillGround, OneOf("source", SOURCES)]
