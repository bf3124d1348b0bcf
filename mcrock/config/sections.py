"""The tables of a study file other than the body: impact, motion, intensity, ensemble, controls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from math import pi
from pathlib import PurePath
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, field_validator

from mcrock.config.distributions import Distribution, Quantity, Uncertain
from mcrock.config.errors import mistake, refuse
from mcrock.config.fields import (
    Choice,
    Integer,
    Kind,
    Levels,
    ListOf,
    Number,
    OneOf,
    SeveralIntegers,
    Table,
    Text,
    each,
    exactly_one,
    kind_of,
)
from mcrock.excitation.csv_file import UNITS
from mcrock.excitation.fema_p695 import SETS
from mcrock.excitation.intensity import MEASURES
from mcrock.params import STANDARD_GRAVITY, Controls, Law, joined

MOST_REALIZATIONS = 2**30  # length of a Sobol sequence of 30 bits [1]
DEGREE = pi / 180.0  # [rad]
IMPACT_KEYS = (
    "lambda",
    "tau",
    "lambda_lon",
    "lambda_lat",
    "tau_facet",
    "nu",
    "e_n21",
)  # as `ImpactParameter`
LAWS = tuple(law.name.lower() for law in Law)
LAW_KEYS = {  # keys of the laws that have some
    "varkonyi_2022": ("lambda", "tau", "lambda_lon", "lambda_lat", "tau_facet", "faces"),
    "kalliontzis_2016": ("nu",),
    "brogliato_2012": ("e_n21",),
}
FACE_KEYS = ("lambda_lon", "lambda_lat")
FIELDS = {field.name: field for field in fields(Controls)}


class FaceImpact(Table):
    """Impact parameters of one face; those not given are the ones of the body."""

    face: Annotated[int, Integer(0)]
    lambda_lon: Annotated[Quantity | None, Uncertain("1")] = None
    lambda_lat: Annotated[Quantity | None, Uncertain("1")] = None

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        if not set(FACE_KEYS) & set(data):
            yield (), f"expected {joined(FACE_KEYS)} or both for the face; give one or leave the table out"


@dataclass(frozen=True)
class FaceTables(Kind):
    """Tables of faces, every face at most once."""

    expected: str = "a list of tables with the keys 'face', 'lambda_lon', 'lambda_lat'"

    def parse(self, value: Any) -> tuple[FaceImpact, ...]:
        if not isinstance(value, list | tuple):
            refuse(self.wrong(value))
        faces = each(value, FaceImpact.model_validate)
        numbers = [table.face for table in faces]
        for i, number in enumerate(numbers):
            if number in numbers[:i]:
                refuse(mistake(f"face {number} is listed twice; list every face once", (i, "face")))
        return faces


class Impact(Table):
    """Where and how the ground pushes back in an impact."""

    law: Annotated[str | tuple[str, ...], Choice(LAWS, several=True)] = LAWS[0]
    lambda_: Annotated[Quantity, Uncertain("1")] = Field(1.0, alias="lambda")
    tau: Annotated[Quantity, Uncertain("N m s")] = 0.0
    lambda_lon: Annotated[Quantity, Uncertain("1")] = 1.0
    lambda_lat: Annotated[Quantity, Uncertain("1")] = 0.0
    tau_facet: Annotated[Quantity | None, Uncertain("N m s")] = None
    faces: Annotated[tuple[FaceImpact, ...], FaceTables()] = ()
    nu: Annotated[Quantity | None, Uncertain("1", least=0.0, most=1.0)] = None
    e_n21: Annotated[Quantity | None, Uncertain("1", least=0.0)] = None
    draw: Annotated[str | tuple[str, ...], Choice(("run", "impact"), several=True)] = "run"
    energy_gain: Annotated[str | tuple[str, ...], Choice(("project", "allow"), several=True)] = "project"
    facet_fallback: Annotated[str | tuple[str, ...], Choice(("rest", "plastic"), several=True)] = "rest"

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        laws = data.get("law", LAWS[0])
        laws = (laws,) if isinstance(laws, str) else laws
        if not isinstance(laws, list | tuple) or not set(LAWS).issuperset(laws):
            return
        for law, keys in LAW_KEYS.items():
            if law in laws and len(keys) == 1 and keys[0] not in data:
                yield (), f"the law {law!r} needs the key {keys[0]!r} [1]"
            if law not in laws:
                for key in keys:
                    if key in data and data[key] != _DEFAULTS.get(key):
                        yield (
                            (key,),
                            f"is a parameter of the law {law!r}; the study has {joined(laws, 'and')}",
                        )

    @property
    def parameters(self) -> dict[str, Quantity | None]:
        """Specifications by their keys in the table, and by the number of the face for those of one;
        None is a parameter left to the default."""
        values = self.lambda_, self.tau, self.lambda_lon, self.lambda_lat, self.tau_facet, self.nu, self.e_n21
        found: dict[str, Quantity | None] = dict(zip(IMPACT_KEYS, values, strict=True))
        for table in self.faces:
            for key in FACE_KEYS:
                if getattr(table, key) is not None:
                    found[f"face_{table.face}.{key}"] = getattr(table, key)
        return found

    @property
    def columns(self) -> tuple[str, ...]:
        """Key of each column of `mcrock.params.Inputs.impact`."""
        pairs = [(f"face_{table.face}.{key}", key) for table in self.faces for key in FACE_KEYS]
        return *IMPACT_KEYS, *(own if own in self.parameters else key for own, key in pairs)

    @property
    def redrawn(self) -> dict[str, Distribution]:
        """Parameters that may be drawn anew at every impact, by their keys."""
        anew = "impact" in (self.draw if isinstance(self.draw, tuple) else (self.draw,))
        return {key: item for key, item in self.parameters.items() if anew and isinstance(item, Distribution)}


# of the parameters of impacts, which a stored study gives
_DEFAULTS = {"lambda": 1.0, "tau": 0.0, "lambda_lon": 1.0, "lambda_lat": 0.0, "faces": []}


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

RELEASES = {"tilt": "rad", "tilt_deg": "deg", "tilt_ratio": "1"}


class Start(Table):
    """Released from a tilt over an edge, in place of standing at rest."""

    alternatives: ClassVar = (tuple(RELEASES),)

    edge: Annotated[int | tuple[int, ...], SeveralIntegers(0)] = 0
    tilt: Annotated[Quantity | None, Uncertain("rad", least=0.0)] = None
    tilt_deg: Annotated[Quantity | None, Uncertain("deg", least=0.0)] = None
    tilt_ratio: Annotated[Quantity | None, Uncertain("1", least=0.0)] = None

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        yield from exactly_one(data, RELEASES)

    @property
    def kind_of_tilt(self) -> str:
        """Key of the tilt that is given."""
        return next(key for key in RELEASES if getattr(self, key) is not None)


INTENSITIES = {"levels": "SI", "levels_g": "g", "value": "SI", "value_g": "g"}


class Intensity(Table):
    """How strong the motions are made: fixed levels, or one random value per realization."""

    alternatives: ClassVar = (tuple(INTENSITIES),)

    measure: Annotated[str, Choice((*MEASURES, "factor"))]
    levels: Annotated[tuple[float, ...] | None, Levels("m/s2 for pga, m/s for pgv, 1 for factor")] = None
    levels_g: Annotated[tuple[float, ...] | None, Levels("g")] = None
    value: Annotated[Quantity | None, Uncertain("m/s2 for pga, m/s for pgv, 1 for factor", above=0.0)] = None
    value_g: Annotated[Quantity | None, Uncertain("g", above=0.0)] = None

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        yield from exactly_one(data, INTENSITIES)
        measure = data.get("measure")
        for key in ("levels_g", "value_g"):
            if key in data and measure in (*MEASURES, "factor") and measure != "pga":
                unit = "m/s" if measure == "pgv" else "1"
                yield (key,), f"only the measure 'pga' is in g; for {measure!r} give {key[:-2]!r} [{unit}]"

    @property
    def is_cloud(self) -> bool:
        """Whether every realization has an intensity of its own."""
        return self.levels is None and self.levels_g is None

    @property
    def si_levels(self) -> tuple[float, ...]:
        """Levels in the units of the measure; empty in a cloud study."""
        if self.levels_g is not None:
            return tuple(level * STANDARD_GRAVITY for level in self.levels_g)
        return self.levels or ()

    @property
    def distribution(self) -> tuple[Quantity, float] | None:
        """Specification of the random intensity and its factor to SI; None for fixed levels."""
        if self.value_g is not None:
            return self.value_g, STANDARD_GRAVITY
        return None if self.value is None else (self.value, 1.0)

    @property
    def units(self) -> str:
        """Units of the measure, as datasets write them."""
        return "1" if self.measure == "factor" else MEASURES[self.measure].units

    @property
    def long_name(self) -> str:
        """Name of the measure for people."""
        if self.measure == "factor":
            return "factor on the motion as recorded"
        return MEASURES[self.measure].long_name


class Ensemble(Table):
    """How many realizations, and how their inputs are spread."""

    realizations: Annotated[int, Integer(1, MOST_REALIZATIONS)]
    design: Annotated[str, Choice(("sobol", "random", "latin_hypercube"))] = "sobol"


def _default(name: str) -> Any:
    return Field(FIELDS[name].default)


def _kind(name: str) -> Kind:
    return kind_of(FIELDS[name].metadata["rule"])


class ControlsTable(Table):
    """Numerical settings; rules and defaults are those of `Controls`."""

    step: Annotated[float, _kind("step")] = _default("step")
    max_step: Annotated[float, _kind("max_step")] = _default("max_step")
    tail: Annotated[float, _kind("tail")] = _default("tail")
    edge_zeno_time: Annotated[float, _kind("edge_zeno_time")] = _default("edge_zeno_time")
    rest_time: Annotated[float, _kind("rest_time")] = _default("rest_time")
    max_steps: Annotated[int, _kind("max_steps")] = _default("max_steps")
    max_impacts: Annotated[int, _kind("max_impacts")] = _default("max_impacts")
    recheck: Annotated[float, _kind("recheck")] = _default("recheck")
    follow_fall: Annotated[bool, _kind("follow_fall")] = _default("follow_fall")
    overturned_by: Annotated[str, _kind("overturned_by")] = _default("overturned_by")
