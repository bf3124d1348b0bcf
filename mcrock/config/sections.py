"""The tables of a study file for the start, the ensemble and the controls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from math import pi
from typing import Annotated, Any, ClassVar

from pydantic import Field

from mcrock.conditions import CONTROL_PRESETS, STEEPEST, Controls
from mcrock.tables.distributions import Quantity, Uncertain
from mcrock.tables.fields import (
    ChoiceKey,
    IntegerKey,
    Kind,
    NumberKey,
    SeveralIntegers,
    Table,
    Text,
    about,
    exactly_one,
    given,
    kind_of,
)

MOST_REALIZATIONS = 2**30  # length of a Sobol sequence of 30 bits [1]
MOST_OUTER = 4096  # outer draws, each of them a file or more of the store [1]
MOST_WHOLE = 1_000_000  # of a design that every process holds [1]
OF_INDICES = "sobol_indices"  # design of `mcrock sensitivity`
DEGREE = pi / 180.0  # [rad]
FIELDS = {field.name: field for field in fields(Controls)}


RELEASES = {"tilt": "rad", "tilt_deg": "deg", "tilt_ratio": "1"}


class StartTable(Table):
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


class GroundTable(Table):
    """What the body stands on, where it is not level."""

    slope_x_deg: Annotated[
        Quantity,
        Uncertain("deg", least=-STEEPEST, most=STEEPEST),
        about("angle by which the ground rises along x; the axis of the body is perpendicular to the ground"),
    ] = 0.0
    slope_y_deg: Annotated[
        Quantity, Uncertain("deg", least=-STEEPEST, most=STEEPEST), about("the same along y")
    ] = 0.0


class LimitsTable(Table):
    """What results are judged by after the runs; no run depends on it."""

    displacement: Annotated[
        float | None,
        NumberKey("m", above=0.0),
        about(
            "horizontal displacement of the base centre beyond which the body falls off its support, such as "
            "a plinth; needs `contact.friction`",
            0.15,
        ),
    ] = None


class EnsembleTable(Table):
    """How many realizations, and how their inputs are spread."""

    realizations: Annotated[
        int,
        IntegerKey(1, MOST_REALIZATIONS),
        about(
            "number of realizations, the draws of all inputs; a study has realizations times levels runs",
            1000,
        ),
    ]
    design: Annotated[
        str,
        ChoiceKey(("sobol", "sobol_by_record", "random", "latin_hypercube", OF_INDICES)),
        about(
            "how the inputs are spread: evenly over all realizations (`sobol`, scrambled), evenly "
            "over those of each record (`sobol_by_record`), or not (`random`), where the first n "
            "realizations stay as they are when the number is raised; a `latin_hypercube` is "
            "drawn whole; `sobol_indices` changes one input at a time, for `mcrock sensitivity`"
        ),
    ] = "sobol"
    table: Annotated[
        str | None,
        Text(),
        about(
            "CSV file with inputs from elsewhere, one realization per row, instead of a design: its "
            "header has keys, as `body.width` or `body.width [m]`, the cells numbers in their units, and "
            "`motion.record` numbers of records from 0. Columns replace what the file says of their keys and "
            "become lists (`listed`) of the study; without `realizations` there are as many as rows",
            "inputs.csv",
        ),
    ] = None
    outer: Annotated[
        int | None,
        IntegerKey(2, MOST_OUTER),
        about(
            "number of independent draws of all distributions with `epistemic = true`; every one meets all "
            "realizations, with the same recordings, azimuths and other inputs",
            59,
        ),
    ] = None

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        number = given(data, "realizations")
        if number and number[0] > MOST_WHOLE and data.get("design") == "latin_hypercube":
            yield (
                ("realizations",),
                f"a latin_hypercube is drawn whole and has at most {MOST_WHOLE} realizations; other designs "
                "may have more",
            )


def _default(name: str) -> Any:
    return Field(FIELDS[name].default, description=FIELDS[name].metadata["words"])


def _kind(name: str) -> Kind:
    return kind_of(FIELDS[name].metadata["rule"])


class ControlsTable(Table):
    """Numerical settings; rules and defaults are those of `Controls`."""

    preset: Annotated[
        str | None,
        ChoiceKey(tuple(CONTROL_PRESETS)),
        about(
            "named settings, which other keys here change; written out when the file is read. `fast` stands "
            "for "
            + " and ".join(f"`{key} = {value}`" for key, value in CONTROL_PRESETS["fast"].items())
            + ', and `controls = "fast"` at the top of the file for a section with this key alone',
            "fast",
        ),
    ] = None
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


def name_preset(data: dict[str, Any]) -> None:
    """Write a name in the place of the raw table [controls] as the table that it is short for."""
    if isinstance(data.get("controls"), str):
        data["controls"] = {"preset": data["controls"]}


def take_in_preset(data: dict[str, Any]) -> None:
    """Give the raw table [controls] what its preset stands for, but for keys that it has; an unknown name
    stays as it is."""
    name_preset(data)
    controls = data.get("controls")
    if isinstance(controls, dict) and isinstance(name := controls.get("preset"), str):
        data["controls"] = CONTROL_PRESETS.get(name, {}) | controls
