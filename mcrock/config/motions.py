"""The table of the ground motions of a study: where they come from, and what is uncertain about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Annotated, Any, ClassVar, Literal

from pydantic import field_validator

from mcrock.config.sections import DEGREE
from mcrock.excitation.fema_p695 import SETS
from mcrock.excitation.motion import MotionError
from mcrock.excitation.processing import check_steps
from mcrock.excitation.readers import FORMATS
from mcrock.excitation.units import UNITS, parse_unit
from mcrock.params import Ground, PulseShape
from mcrock.rules import joined
from mcrock.tables.distributions import Quantity, Uncertain
from mcrock.tables.errors import mistake, refuse
from mcrock.tables.fields import (
    Choice,
    Flag,
    Integer,
    Kind,
    ListOf,
    ListWith,
    Number,
    OneOf,
    Table,
    Text,
    Weights,
    exactly_one,
)

MOST_DAMPING = 0.99  # share of the critical damping [1]
BAND = (0.05, 4.0)  # of the periods in which motions are compatible with their spectrum [s]
WAVELET = "mavroeidis-papageorgiou"  # the shape with cycles and phase
SHAPES = tuple(shape.name.lower().replace("_", "-") for shape in PulseShape)
GROUNDS = tuple(ground.name for ground in Ground)


@dataclass(frozen=True)
class Unit(Kind):
    """A unit of acceleration, however it is written."""

    expected: str = joined(UNITS)

    def parse(self, value: Any) -> str:
        unit = parse_unit(value)
        if unit is None:
            refuse(self.wrong(value))
        return unit


@dataclass(frozen=True)
class Steps(Kind):
    """Steps of processing, each a table with the key ``step``."""

    expected: str = 'a list of steps, as in [{ step = "bandpass", low = 0.1, high = 25 }]'

    def parse(self, value: Any) -> tuple[dict[str, Any], ...]:
        if not isinstance(value, list | tuple):
            refuse(self.wrong(value))
        try:
            check_steps(value)
        except MotionError as error:
            refuse(mistake(str(error)))
        return tuple(dict(step) for step in value)


Masses = ListWith(Number("kg", above=0.0), "a list of masses [kg], from the first floor up")
Stiffnesses = ListWith(
    Number("N/m", above=0.0), "a list of stiffnesses [N/m] of the storeys, from the lowest up"
)


class Floor(Table):
    """A floor of a building between ground and body, in both horizontal directions alike: an oscillator, or
    a chain of masses."""

    frequency: Annotated[Quantity | None, Uncertain("Hz", above=0.0)] = None
    factor: Annotated[Quantity, Uncertain("1")] = 1.0
    damping: Annotated[Quantity, Uncertain("1", above=0.0, most=MOST_DAMPING)] = 0.05
    masses: Annotated[tuple[float, ...] | None, Masses] = None
    stiffnesses: Annotated[tuple[float, ...] | None, Stiffnesses] = None
    number: Annotated[int | None, Integer(1)] = None

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        chain = [key for key in ("masses", "stiffnesses", "number") if key in data]
        if ("frequency" in data) == bool(chain) or (chain and len(chain) < 3):
            yield (
                (),
                "give the 'frequency' [Hz] of an oscillator, or 'masses', 'stiffnesses' and the 'number' of "
                "a floor",
            )
        if chain and "factor" in data:
            yield ("factor",), "is of an oscillator; that of a floor of a chain follows from its masses"
        masses, stiffnesses, number = (data.get(key) for key in ("masses", "stiffnesses", "number"))
        if isinstance(masses, list | tuple) and isinstance(stiffnesses, list | tuple):
            if len(masses) != len(stiffnesses):
                yield ("stiffnesses",), f"expected as many as masses, {len(masses)}, got {len(stiffnesses)}"
            if isinstance(number, int) and number > len(masses):
                yield ("number",), f"the building has {len(masses)} floors, got {number}"

    def chain(self, damping: float) -> tuple[tuple[float, ...], tuple[float, ...], float, int]:
        """Arguments of `mcrock.excitation.floor.chain_modes`, of a floor that is one of a chain."""
        assert self.masses is not None
        assert self.stiffnesses is not None
        assert self.number is not None
        return self.masses, self.stiffnesses, damping, self.number

    @property
    def quantities(self) -> dict[str, Any]:
        """What may differ between realizations, by key."""
        return {"damping": self.damping} | (
            {} if self.frequency is None else {"frequency": self.frequency, "factor": self.factor}
        )


class _Motion(Table):
    """What every source of ground motions has in common."""

    alternatives: ClassVar = (("azimuth", "azimuth_deg"),)
    own: ClassVar[tuple[str, ...]] = ()  # keys of what every realization has of its own
    choices: ClassVar[tuple[str, ...]] = ()  # and of choices among words
    is_generated: ClassVar[bool] = False  # whether every realization has a motion made for it

    azimuth: Annotated[Quantity | None, Uncertain("rad")] = None
    azimuth_deg: Annotated[Quantity | None, Uncertain("deg")] = None
    polarity: Annotated[int | tuple[int, ...], Choice((1, -1), several=True)] = 1
    scaling: Annotated[Quantity, Uncertain("1", above=0.0)] = 1.0
    vertical: Annotated[bool, Flag()] = True
    floor: Floor | None = None

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

    @property
    def quantities(self) -> dict[str, Any]:
        """Specification of what may differ between realizations, by key, beside azimuth and polarity."""
        found: dict[str, Any] = {"scaling": self.scaling}
        for key in (*self.own, *self.choices):
            if getattr(self, key) is not None:
                found[key] = getattr(self, key)
        if self.floor is not None:
            found |= {f"floor.{key}": item for key, item in self.floor.quantities.items()}
        return found

    @property
    def has_own_motions(self) -> bool:
        """Whether the motion of a realization is its own."""
        return self.is_generated or self.floor is not None


class Recorded(_Motion):
    """A list of recorded motions, which the realizations share."""

    assignment: Annotated[str, Choice(("cycle", "random"))] = "cycle"
    weights: Annotated[tuple[float, ...] | None, Weights()] = None
    processing: Annotated[tuple[dict[str, Any], ...], Steps()] = ()

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        yield from super().conflicts(data)
        if data.get("weights") is not None and data.get("assignment") != "random":
            yield ("weights",), "are those with which motions are drawn: give assignment = 'random' too"


class FemaMotion(Recorded):
    """Record pairs of FEMA P695."""

    source: Literal["fema_p695"]
    set: Annotated[str | tuple[str, ...], Choice(SETS, several=True, purpose="")] = "farfield"
    records: Annotated[
        str | tuple[int, ...], ListOf(Integer(1), "'all' or a list of record numbers", or_word="all")
    ] = "all"

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        yield from super().conflicts(data)
        if isinstance(data.get("set"), list | tuple) and data.get("records", "all") != "all":
            yield ("records",), "are numbers of one set, and several are listed"

    @property
    def sets(self) -> tuple[str, ...]:
        """The sets, one or several."""
        return (self.set,) if isinstance(self.set, str) else self.set


class CsvMotion(Recorded):
    """Ground motions from text files; relative names start from the folder of the study file."""

    source: Literal["csv"]
    files: Annotated[tuple[str, ...], ListOf(Text(), "a list of file names")]
    unit: Annotated[str, Unit()]
    dt: Annotated[float | None, Number("s", above=0.0)] = None

    @field_validator("files", mode="after")
    @classmethod
    def _with_slashes(cls, files: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(PurePath(file).as_posix() for file in files)


class FileMotion(Recorded):
    """Records in files of any format that is known, and folders of them."""

    source: Literal["files"]
    paths: Annotated[tuple[str, ...], ListOf(Text(), "a list of files or folders")]
    format: Annotated[str | None, Choice(FORMATS)] = None
    unit: Annotated[str | None, Unit()] = None
    dt: Annotated[float | None, Number("s", above=0.0)] = None
    channels: Annotated[tuple[int, ...] | None, ListOf(Integer(1), "a list of channel numbers")] = None

    @field_validator("paths", mode="after")
    @classmethod
    def _with_slashes(cls, paths: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(PurePath(path).as_posix() for path in paths)


class PulseAlong(Table):
    """The pulse along y or z, where it is another one than that along x."""

    ratio: Annotated[Quantity, Uncertain("1")]
    delay: Annotated[Quantity, Uncertain("s")] = 0.0
    shape: Annotated[str | None, Choice(SHAPES)] = None
    period: Annotated[Quantity | None, Uncertain("s", above=0.0)] = None
    cycles: Annotated[Quantity | None, Uncertain("1", above=1.0)] = None
    phase: Annotated[Quantity | None, Uncertain("rad")] = None

    @property
    def quantities(self) -> dict[str, Any]:
        """What may differ between realizations, by key; what is not given is as along x."""
        keys = ("ratio", "delay", "period", "cycles", "phase")
        return {key: getattr(self, key) for key in keys if getattr(self, key) is not None}


class PulseMotion(_Motion):
    """A pulse with a peak of 1 m/s2 along x before it is scaled, for each realization."""

    is_generated: ClassVar = True
    assignment: ClassVar[str] = "cycle"
    own: ClassVar = ("period", "ratio_y", "ratio_z", "cycles", "phase")
    choices: ClassVar = ("shape",)

    source: Literal["pulse"]
    shape: Annotated[str | tuple[str, ...], Choice(SHAPES, several=True)]
    period: Annotated[Quantity, Uncertain("s", above=0.0)]
    ratio_y: Annotated[Quantity, Uncertain("1")] = 0.0
    ratio_z: Annotated[Quantity, Uncertain("1")] = 0.0
    cycles: Annotated[Quantity, Uncertain("1", above=1.0)] = 2.0
    phase: Annotated[Quantity, Uncertain("rad")] = 0.0
    y: PulseAlong | None = None
    z: PulseAlong | None = None

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        yield from super().conflicts(data)
        shapes = data.get("shape")
        listed = shapes if isinstance(shapes, list | tuple) else [shapes]
        if not ({"y", "z"} & set(data) or WAVELET in listed):
            for key in ("cycles", "phase"):
                if key in data:
                    yield (key,), f"is of the shape {WAVELET!r} alone"
        for axis in "yz":
            if axis in data and f"ratio_{axis}" in data:
                yield (
                    (f"ratio_{axis}",),
                    f"the table {axis!r} has a ratio of its own: give one of the two",
                )

    @property
    def quantities(self) -> dict[str, Any]:
        along = {"y": self.y, "z": self.z}
        found = super().quantities
        for axis, pulse in along.items():
            if pulse is not None:
                found |= {f"{axis}.{key}": item for key, item in pulse.quantities.items()}
        return found


class SyntheticMotion(_Motion):
    """Filtered white noise, made anew for each realization."""

    alternatives: ClassVar = (("azimuth", "azimuth_deg"), ("middle", "middle_ratio"))
    is_generated: ClassVar = True
    assignment: ClassVar[str] = "cycle"
    own: ClassVar = (
        "arias",
        "duration",
        "middle",
        "middle_ratio",
        "frequency",
        "frequency_slope",
        "damping",
        "arias_ratio_y",
        "arias_ratio_z",
    )

    source: Literal["synthetic"]
    arias: Annotated[Quantity, Uncertain("m/s", above=0.0)]
    duration: Annotated[Quantity, Uncertain("s", above=0.0)]
    middle: Annotated[Quantity | None, Uncertain("s", above=0.0)] = None
    middle_ratio: Annotated[Quantity | None, Uncertain("1", above=0.21)] = None
    frequency: Annotated[Quantity, Uncertain("Hz", above=0.0)]
    frequency_slope: Annotated[Quantity, Uncertain("Hz/s")] = 0.0
    damping: Annotated[Quantity, Uncertain("1", above=0.0, most=MOST_DAMPING)] = 0.2
    arias_ratio_y: Annotated[Quantity, Uncertain("1", least=0.0)] = 1.0
    arias_ratio_z: Annotated[Quantity, Uncertain("1", least=0.0)] = 0.0
    corner: Annotated[float, Number("Hz", above=0.0)] = 0.1
    dt: Annotated[float, Number("s", above=0.0)] = 0.01

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        yield from super().conflicts(data)
        yield from exactly_one(data, {"middle": "s", "middle_ratio": "of the duration"})


class FittedMotion(_Motion):
    """Filtered white noise with the parameters of a record, made anew for each realization."""

    is_generated: ClassVar = True
    assignment: ClassVar[str] = "cycle"
    own: ClassVar = ("arias_factor", "duration_factor", "frequency_factor", "damping_factor")

    source: Literal["fitted"]
    path: Annotated[str | None, Text()] = None
    set: Annotated[str | None, Choice(SETS)] = None
    record: Annotated[int | None, Integer(1)] = None
    unit: Annotated[str | None, Unit()] = None
    processing: Annotated[tuple[dict[str, Any], ...], Steps()] = ()
    arias_factor: Annotated[Quantity, Uncertain("1", above=0.0)] = 1.0
    duration_factor: Annotated[Quantity, Uncertain("1", above=0.0)] = 1.0
    frequency_factor: Annotated[Quantity, Uncertain("1", above=0.0)] = 1.0
    damping_factor: Annotated[Quantity, Uncertain("1", above=0.0)] = 1.0

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        yield from super().conflicts(data)
        yield from exactly_one(data, {"path": "a file", "set": "of FEMA P695"})
        if ("set" in data) != ("record" in data):
            yield (), "'set' and 'record' go together"
        if "set" in data and "unit" in data:
            yield ("unit",), "is that of a file; the records of FEMA P695 have their own"


class SpectrumMotion(_Motion):
    """A motion that is compatible with a target spectrum, made anew for each realization."""

    is_generated: ClassVar = True
    assignment: ClassVar[str] = "cycle"
    choices: ClassVar = ("ground",)

    source: Literal["spectrum"]
    ground: Annotated[str | tuple[str, ...] | None, Choice(GROUNDS, several=True)] = None
    spectrum_type: Annotated[int, Choice((1, 2))] = 1
    table: Annotated[str | None, Text()] = None
    table_z: Annotated[str | None, Text()] = None
    unit: Annotated[str | None, Unit()] = None
    damping: Annotated[float, Number("1", above=0.0, most=0.8)] = 0.05
    components: Annotated[int, Choice((1, 2, 3))] = 2
    band: Annotated[tuple[float, ...], ListOf(Number("s", above=0.0), "a list of two periods [s]")] = BAND
    corner: Annotated[float, Number("Hz", above=0.0)] = 0.1
    rise: Annotated[float, Number("s", above=0.0)] = 2.0
    level: Annotated[float, Number("s", above=0.0)] = 10.0
    decay: Annotated[float, Number("s", above=0.0)] = 8.0
    dt: Annotated[float, Number("s", above=0.0)] = 0.01

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        yield from super().conflicts(data)
        yield from exactly_one(
            data, {"ground": "of EN 1998-1", "table": "a file of periods and accelerations"}
        )
        if "table" in data:
            if "unit" not in data:
                yield (), "a table needs the key 'unit', that of its accelerations"
            if "spectrum_type" in data:
                yield ("spectrum_type",), "is of the spectra of EN 1998-1, not of a table"
            if (data.get("components") == 3) != ("table_z" in data):
                yield ("table_z",), "is the target of the vertical component, and goes with components = 3"
        else:
            for key in ("unit", "table_z"):
                if key in data:
                    yield (key,), "goes with a table, not with a spectrum of EN 1998-1"
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


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


class StillGround(Table):
    """Ground that does not move: free rocking of released bodies."""

    source: Literal["none"]

    # what a motion has, so that a study can be read without asking
    rotation: ClassVar[tuple[float, float]] = (0.0, 1.0)
    polarity: ClassVar[int] = 1
    assignment: ClassVar[str] = "cycle"
    quantities: ClassVar[dict[str, Any]] = {}
    vertical: ClassVar[bool] = True
    floor: ClassVar[Floor | None] = None
    is_generated: ClassVar[bool] = False
    has_own_motions: ClassVar[bool] = False


SOURCES: dict[str, type[Table]] = {
    "fema_p695": FemaMotion,
    "files": FileMotion,
    "csv": CsvMotion,
    "pulse": PulseMotion,
    "synthetic": SyntheticMotion,
    "fitted": FittedMotion,
    "spectrum": SpectrumMotion,
    "none": StillGround,
}
Motions = Annotated[
    FemaMotion
    | FileMotion
    | CsvMotion
    | PulseMotion
    | SyntheticMotion
    | FittedMotion
    | SpectrumMotion
    | StillGround,
    OneOf("source", SOURCES),
]
