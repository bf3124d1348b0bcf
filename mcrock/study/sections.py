"""The tables of a study file for the start, the ensemble and the controls."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields
from math import pi
from typing import Any, ClassVar

from mcrock.base.tables.distributions import Quantity, Uncertain
from mcrock.base.tables.fields import (
    ChoiceKey,
    IntegerKey,
    ListOf,
    NumberKey,
    SeveralIntegers,
    Table,
    Text,
    entry,
    exactly_one,
    given,
    kind_of,
    optional,
)
from mcrock.impact.conditions import CONTROL_PRESETS, STEEPEST, Controls

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

    edge: int | tuple[int, ...] = entry(
        SeveralIntegers(0), "edge of the start face over which the body is released", default=0
    )
    tilt: Quantity | None = optional(Uncertain("rad", least=0.0), "tilt of release", 0.1)
    tilt_deg: Quantity | None = optional(Uncertain("deg", least=0.0), "the same in degrees", 5.0)
    tilt_ratio: Quantity | None = optional(
        Uncertain("1", least=0.0), "the same over the slenderness at that edge", 0.5
    )

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        yield from exactly_one(data, RELEASES)

    @property
    def kind_of_tilt(self) -> str:
        """Key of the tilt that is given."""
        return next(key for key in RELEASES if getattr(self, key) is not None)


class GroundTable(Table):
    """What the body stands on, where it is not level."""

    slope_x_deg: Quantity = entry(
        Uncertain("deg", least=-STEEPEST, most=STEEPEST),
        "angle by which the ground rises along x; the axis of the body is perpendicular to the ground",
        default=0.0,
    )
    slope_y_deg: Quantity = entry(
        Uncertain("deg", least=-STEEPEST, most=STEEPEST), "the same along y", default=0.0
    )


class LimitsTable(Table):
    """What results are judged by after the runs; no run depends on it."""

    displacement: float | None = optional(
        NumberKey("m", above=0.0),
        "horizontal displacement of the base centre beyond which the body falls off its support, such as "
        "a plinth; needs `contact.friction`",
        0.15,
    )


class ReportTable(Table):
    """Who answers for the study and of what it is: heads the page of `mcrock report`, whose options win."""

    object: str = entry(Text(), "what is judged", "Cabinet, inventory number 1984.12", default="")
    author: str = entry(Text(), "who made the study", "A. Author", default="")
    checker: str = entry(Text(), "who checked it", "C. Checker", default="")
    reference: str = entry(Text(), "number of the document or revision", "R-17, revision 2", default="")


class EnsembleTable(Table):
    """How many realizations, and how their inputs are spread."""

    realizations: int = entry(
        IntegerKey(1, MOST_REALIZATIONS),
        "number of realizations, the draws of all inputs; a study has realizations times levels runs",
        1000,
    )
    design: str = entry(
        ChoiceKey(("sobol", "sobol_by_record", "random", "latin_hypercube", OF_INDICES)),
        "how the inputs are spread: evenly over all realizations (`sobol`, scrambled), evenly "
        "over those of each record (`sobol_by_record`), or not (`random`), where the first n "
        "realizations stay as they are when the number is raised; a `latin_hypercube` is "
        "drawn whole; `sobol_indices` changes one input at a time, for `mcrock sensitivity`",
        default="sobol",
    )
    table: str | None = optional(
        Text(),
        "CSV file with inputs from elsewhere, one realization per row, instead of a design: its "
        "header has keys, as `body.width` or `body.width [m]`, the cells numbers in their units, and "
        "`motion.record` numbers of records from 0. Columns replace what the file says of their keys and "
        "become lists (`listed`) of the study; without `realizations` there are as many as rows",
        "inputs.csv",
    )
    outer: int | None = optional(
        IntegerKey(2, MOST_OUTER),
        "number of independent draws of all distributions with `epistemic = true`; every one meets all "
        "realizations, with the same recordings, azimuths and other inputs",
        59,
    )
    responses: tuple[str, ...] | None = optional(
        ListOf(Text(), "a list of names"),
        "responses of your own, as `module:function` of a file next to the study file or by the names that "
        "packages give them (`mcrock docs extending`); code, which runs with `--trust-code` alone; every run "
        "is then run twice",
        ["my_responses:time_of_peak"],
    )

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        number = given(data, "realizations")
        if number and number[0] > MOST_WHOLE and data.get("design") == "latin_hypercube":
            yield (
                ("realizations",),
                f"a latin_hypercube is drawn whole and has at most {MOST_WHOLE} realizations; other designs "
                "may have more",
            )


def _setting(name: str) -> Any:
    """Key of a field of `Controls`."""
    field = FIELDS[name]
    return entry(kind_of(field.metadata["rule"]), field.metadata["words"], default=field.default)


class ControlsTable(Table):
    """Numerical settings; rules and defaults are those of `Controls`."""

    preset: str | None = optional(
        ChoiceKey(tuple(CONTROL_PRESETS)),
        "named settings, which other keys here change; written out when the file is read. `fast` stands "
        "for "
        + ", ".join(f"`{key} = {json.dumps(value)}`" for key, value in CONTROL_PRESETS["fast"].items())
        + ', and `controls = "fast"` at the top of the file for a section with this key alone',
        "fast",
    )
    step: float = _setting("step")
    max_step: float = _setting("max_step")
    tail: float = _setting("tail")
    edge_zeno_time: float = _setting("edge_zeno_time")
    rest_time: float = _setting("rest_time")
    max_steps: int = _setting("max_steps")
    max_impacts: int = _setting("max_impacts")
    max_contact_solves: int = _setting("max_contact_solves")
    recheck: float = _setting("recheck")
    follow_fall: bool = _setting("follow_fall")
    overturned_by: str = _setting("overturned_by")
    stop_at_settling: bool = _setting("stop_at_settling")


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
