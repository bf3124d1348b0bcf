"""The tables of a study file other than the body: impact, motion, intensity, ensemble, controls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from math import pi
from typing import Annotated, Any, ClassVar

from pydantic import Field

from mcrock.conditions import Controls
from mcrock.params import Law
from mcrock.rules import joined
from mcrock.tables.distributions import Distribution, Quantity, Uncertain
from mcrock.tables.errors import mistake, refuse
from mcrock.tables.fields import (
    Choice,
    Integer,
    Kind,
    SeveralIntegers,
    Table,
    about,
    each,
    exactly_one,
    kind_of,
)

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
        if not isinstance(laws, list | tuple) or not laws or not all(law in LAWS for law in laws):
            return
        listed = joined(list(dict.fromkeys(laws)), "and")
        for law, keys in LAW_KEYS.items():
            if law in laws and len(keys) == 1 and keys[0] not in data:
                yield (), f"the law {law!r} needs the key {keys[0]!r} [1]"
            if law not in laws:
                for key in keys:
                    if key in data and data[key] != _DEFAULTS.get(key):
                        yield (
                            (key,),
                            f"is a parameter of the law {law!r}; the study has {listed}",
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


RELEASES = {"tilt": "rad", "tilt_deg": "deg", "tilt_ratio": "1"}


class Start(Table):
    """Released from a tilt over an edge, in place of standing at rest."""

    alternatives: ClassVar = (tuple(RELEASES),)

    edge: Annotated[
        int | tuple[int, ...],
        SeveralIntegers(0),
        about("edge of the start face over which the body is released"),
    ] = 0
    tilt: Annotated[Quantity | None, Uncertain("rad", least=0.0), about("tilt of release", 0.1)] = None
    tilt_deg: Annotated[Quantity | None, Uncertain("deg", least=0.0), about("the same in degrees", 5.0)] = (
        None
    )
    tilt_ratio: Annotated[
        Quantity | None, Uncertain("1", least=0.0), about("the same over the slenderness at that edge", 0.5)
    ] = None

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        yield from exactly_one(data, RELEASES)

    @property
    def kind_of_tilt(self) -> str:
        """Key of the tilt that is given."""
        return next(key for key in RELEASES if getattr(self, key) is not None)


class Ensemble(Table):
    """How many realizations, and how their inputs are spread."""

    realizations: Annotated[
        int,
        Integer(1, MOST_REALIZATIONS),
        about(
            "number of realizations, the draws of all inputs; a study has realizations times levels runs",
            1000,
        ),
    ]
    design: Annotated[
        str,
        Choice(("sobol", "random", "latin_hypercube")),
        about(
            "how the inputs are spread: with `sobol` (scrambled) and `random` the first n "
            "realizations stay as they are when the number is raised, a `latin_hypercube` is "
            "drawn whole"
        ),
    ] = "sobol"


def _default(name: str) -> Any:
    return Field(FIELDS[name].default, description=FIELDS[name].metadata["words"])


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
