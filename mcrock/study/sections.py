"""Tables of a study file that stand by themselves, from start and ground to contact and intensity.

The keys and rules of [contact] are those of `mcrock.impact.conditions.Contact`; the table of the intensity
says how strong the motions of a study are made.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from math import inf, pi
from typing import Any, ClassVar

import numpy as np
from pydantic import ConfigDict, ValidationError, create_model, model_validator
from scipy.special import ndtr

from mcrock.base.params import STANDARD_GRAVITY
from mcrock.base.tables.distributions import Distribution, Listed, Quantity, Uncertain
from mcrock.base.tables.fields import (
    AUTO,
    ChoiceKey,
    IntegerKey,
    Kind,
    Levels,
    ListOf,
    NumberKey,
    OrAuto,
    SeveralIntegers,
    Table,
    Text,
    each,
    entry,
    exactly_one,
    given,
    kind_of,
    optional,
)
from mcrock.base.tables.parsing import mistake, refuse
from mcrock.excitation.measures import MEASURES, check_parameters, named_measure, variable_name
from mcrock.excitation.motion import MotionError
from mcrock.excitation.response_spectra import MOST_AVERAGED
from mcrock.impact.conditions import CONTROL_PRESETS, STEEPEST, Contact, Controls

MOST_REALIZATIONS = 2**30  # length of a Sobol sequence of 30 bits [1]
RUNS_SHARE, MOST_AUTO = 0.05, 2000  # of studies that end by themselves, unless they say otherwise [1]
FOR_AUTO = ("runs_share", "width", "most_realizations")  # keys that go with it
MOST_OUTER = 4096  # epistemic draws, each of them a file or more of the store [1]
MOST_WHOLE = 1_000_000  # of a design that every process holds [1]
OF_INDICES = "sobol_indices"  # design of `mcrock sensitivity`
UNEXTENDABLE = ("latin_hypercube", OF_INDICES)  # designs whose first realizations depend on their number
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
        "angle by which the ground rises along x; the body stands perpendicular to it",
        default=0.0,
    )
    slope_y_deg: Quantity = entry(
        Uncertain("deg", least=-STEEPEST, most=STEEPEST), "the same along y", default=0.0
    )


class LimitsTable(Table):
    """What results are judged by after the runs; no run depends on it."""

    displacement: float | None = optional(
        NumberKey("m", above=0.0),
        "horizontal displacement of the base centre beyond which the body falls off its support; needs "
        "`contact.friction`",
        0.15,
    )


class CorrelationTable(Table):
    """Pairs of inputs in quotes, each with its correlation."""

    model_config = ConfigDict(frozen=True, extra="allow")  # keys are pairs

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        for key, value in data.items():
            names = pair_of(key)
            if len(names) != 2 or not all(names) or names[0] == names[1]:
                yield (key,), 'expected two inputs in quotes, as in "body.width, body.height" = 0.6'
            try:
                NumberKey("1", least=-1.0, most=1.0).parse(value)
            except ValidationError as error:
                yield (key,), error.errors()[0]["ctx"]["message"]

    @property
    def pairs(self) -> dict[str, float]:
        """Correlations [1] by their keys."""
        return {key: float(value) for key, value in (self.model_extra or {}).items()}


def pair_of(key: str) -> list[str]:
    """Names in a key of [correlation].

    >>> pair_of("body.width, body.parts.1.height")
    ['body.width', 'body.parts[1].height']
    """
    return [re.sub(r"\.(\d+)(?=\.|$)", r"[\1]", name.strip()) for name in key.split(",")]


class ReportTable(Table):
    """Who answers for the study and of what it is: heads the page of `mcrock report`, whose options win."""

    object: str = entry(Text(), "what is judged", "Cabinet, inventory number 1984.12", default="")
    author: str = entry(Text(), "who made the study", "A. Author", default="")
    checker: str = entry(Text(), "who checked it", "C. Checker", default="")
    reference: str = entry(Text(), "number of the document or revision", "R-17, revision 2", default="")


class EnsembleTable(Table):
    """How many realizations, and how their inputs are spread."""

    realizations: int | str = entry(
        OrAuto(IntegerKey(1, MOST_REALIZATIONS)),
        "draws of all inputs; a study has realizations times levels runs. `auto` runs batches until more of "
        "them would change little",
        "auto",
        1000,
    )
    design: str = entry(
        ChoiceKey(("sobol", "sobol_by_record", "random", "latin_hypercube", OF_INDICES)),
        "how the inputs are spread: evenly over all realizations (`sobol`) or over those of each record "
        "(`sobol_by_record`), or independently (`random`); these can be extended, a `latin_hypercube` not. "
        "`sobol_indices` changes one input at a time, for `mcrock sensitivity`",
        default="sobol",
    )
    table: str | None = optional(
        Text(),
        "CSV file with inputs from elsewhere, instead of a design (`mcrock docs guide inputs`); without "
        "`realizations` there are as many as rows",
        "inputs.csv",
    )
    outer: int | None = optional(
        IntegerKey(2, MOST_OUTER),
        "draws of all distributions with `epistemic = true`; each meets all realizations",
        59,
    )
    object: str | None = optional(
        Text(),
        "name of an object of a collection: studies of one seed share the draws of [motion] and [intensity] "
        "whatever their names, and those of body, contact and impacts if they share the name "
        "(`mcrock docs collection`)",
        "vase",
    )
    responses: tuple[str, ...] | None = optional(
        ListOf(Text(), "a list of names"),
        "responses of your own, as `module:function` or the name of an entry point; runs with "
        "`--trust-code` alone, every run twice (`mcrock docs extending`)",
        ["my_responses:time_of_peak"],
    )
    runs_share: float | None = optional(
        NumberKey("1", above=0.0, most=1.0),
        f"share of the variance of the answer that runs may add with `auto`; {RUNS_SHARE} by default",
        RUNS_SHARE,
    )
    width: float | None = optional(
        NumberKey("1", above=0.0, most=1.0),
        "half-width of the interval at which `auto` ends too: of a probability itself, of a median or a rate "
        "relative to it",
        0.2,
    )
    most_realizations: int | None = optional(
        IntegerKey(1, MOST_REALIZATIONS),
        f"where `auto` ends at the latest; {MOST_AUTO} by default",
        MOST_AUTO,
    )

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        number = given(data, "realizations")
        if data.get("realizations") == AUTO and (design := data.get("design")) in UNEXTENDABLE:
            yield (
                ("realizations",),
                f"{AUTO!r} extends a study, and a {design!r} depends on its size: give a number",
            )
        if number:
            yield from (((key,), f"goes with realizations = {AUTO!r}") for key in FOR_AUTO if key in data)
        if data.get("object") is not None and data.get("design") == OF_INDICES:
            yield ("object",), "draws by itself, and this design changes one input at a time: leave it out"
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
        "`fast` stands for "
        + ", ".join(f"`{key} = {json.dumps(value)}`" for key, value in CONTROL_PRESETS["fast"].items())
        + '; `controls = "fast"` at the top of the file is a section with this key alone',
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


EXAMPLES = {"friction": [0.5], "static_friction": [0.6]}
PROBABILITIES = ndtr(np.linspace(-6.0, 6.0, 1537))  # at which quantiles are compared: to 1e-9 in both tails
RULES = {field.name: field.metadata["rule"] for field in fields(Contact)}

_of_contact: dict[str, Any] = {
    field.name: (
        Quantity | None,
        entry(
            Uncertain(**vars(RULES[field.name])),
            field.metadata["words"],
            *EXAMPLES.get(field.name, ()),
            default=field.default,
        ),
    )
    for field in fields(Contact)
}
_ContactKeys = create_model("_ContactKeys", __base__=Table, **_of_contact)


class ContactTable(_ContactKeys):  # type: ignore[misc, valid-type]
    """Friction and rebound of the contacts."""

    @model_validator(mode="before")
    @classmethod
    def _settle_infinite(cls, data: Any) -> Any:
        """Infinite friction is none: contacts stick."""
        if not isinstance(data, Mapping) or data.get("friction") != inf:
            return data
        return {key: value for key, value in data.items() if key != "friction"}

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        if data.get("friction") in (None, inf):
            reason = "needs the key 'friction' [1] too: without it contacts stick and nothing rebounds"
            yield from (((key,), reason) for key in RULES if key in data and key != "friction")
        elif data.get("static_friction") is not None:
            yield from _below_friction(data["friction"], data["static_friction"])

    @property
    def parameters(self) -> dict[str, Quantity]:
        """Specifications by their keys; none without friction."""
        if self.friction is None:
            return {}
        values = ((key, getattr(self, key)) for key in self.key_names())
        return {key: value for key, value in values if value is not None}

    @property
    def tied(self) -> dict[str, str]:
        """Keys that are drawn with another one.

        A rough pair of surfaces has both coefficients high. Where both are distributions a realization
        therefore has the same quantile of each, so that distributions may overlap.
        """
        both = (self.friction, self.static_friction)
        drawn = [isinstance(item, Distribution) and not isinstance(item, Listed) for item in both]
        return {"static_friction": "friction"} if all(drawn) else {}


def _below_friction(friction: Any, static: Any) -> Iterator[tuple[tuple[str, ...], str]]:
    """The mistake of a static friction below the friction that it comes with."""
    rule = Uncertain(**vars(RULES["friction"]))
    try:
        items = [rule.parse(value) for value in (friction, static)]
    except ValidationError:  # a mistake of its own
        return
    listed = [isinstance(item, Listed) for item in items]
    if all(listed):
        rows = min(len(item.values) for item in items)
        pairs = zip(*(item.values[:rows] for item in items), strict=True)
        for i, (slip, stick) in enumerate(pairs):
            if stick < slip:
                words = f"must be at least the friction [1], but is {stick:.4g} where that is {slip:.4g}"
                yield ("static_friction", "values", str(i)), words
                return
        return
    if any(listed) and all(isinstance(item, Distribution) for item in items):
        yield ("static_friction",), "both it and the friction are listed, or neither"
        return
    low, high = (
        item.quantile(PROBABILITIES) if isinstance(item, Distribution) else np.full(len(PROBABILITIES), item)
        for item in items
    )
    below = high < low
    if below.any():
        worst = int(np.argmin(high - low))
        share = np.diff(PROBABILITIES, prepend=0.0)[below].sum()
        drawn = [item for item in items if isinstance(item, Distribution)]
        yield (
            ("static_friction",),
            f"must be at least the friction [1], but is {high[worst]:.4g} where that is {low[worst]:.4g}"
            + f"; it lies below with probability {share:.2g}" * (len(drawn) > 0)
            + ", as a realization has the same quantile of both" * (len(drawn) > 1),
        )


INTENSITIES = {"levels": "SI", "levels_g": "g", "value": "SI", "value_g": "g"}
PARAMETERS = ("period", "damping", "periods", "low", "high", "count", "pulse_period")
OF_BODY = ("slenderness", "gravity", "frequency_parameter")  # parameters that each realization has itself
SI = "SI units of the measure"
UNSETTLED = f"intensities {AUTO!r} are chosen by a pilot, which mcrock.ensemble.settle(study) runs"


class _Measured(Table):
    """A measure with its parameters."""

    period: float | None = optional(NumberKey("s", above=0.0), "natural period, of `sa`", 1.0)
    damping: float | None = optional(
        NumberKey("1", least=0.0), "damping ratio, of `sa` and `avgsa`; 0.05 by default", 0.05
    )
    periods: tuple[float, ...] | None = optional(
        ListOf(NumberKey("s", above=0.0), "a list of periods [s]"),
        "periods of `avgsa`, instead of a range",
        [0.5, 1.0, 2.0],
    )
    low: float | None = optional(NumberKey("s", above=0.0), "shortest period of `avgsa`", 0.2)
    high: float | None = optional(NumberKey("s", above=0.0), "longest period of `avgsa`", 2.0)
    count: int | None = optional(IntegerKey(2, MOST_AVERAGED), "number of periods from `low` to `high`", 10)

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        measure = data.get("measure")
        if not isinstance(measure, str) or measure not in MEASURES:
            if measure == "factor":
                for key in PARAMETERS:
                    if key in data:
                        yield (key,), "the measure 'factor' takes no parameters"
            return
        kinds = {key: cls.kind(key) for key in PARAMETERS if key in cls.model_fields and key in data}
        try:
            own = {key: kind.parse(data[key]) for key, kind in kinds.items() if kind is not None}
        except ValidationError:  # a mistake of its own
            return
        body = {key: 1.0 for key in OF_BODY if key in MEASURES[measure].parameters}
        try:
            check_parameters(measure, own | body)
        except MotionError as error:
            yield (), str(error)

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters of the measure next to the motion, without what belongs to the body."""
        found = {key: getattr(self, key, None) for key in PARAMETERS}
        return {key: value for key, value in found.items() if value is not None}


class KeptMeasure(_Measured):
    """An intensity measure that is kept for every realization."""

    measure: str = entry(
        ChoiceKey(tuple(MEASURES)), "what is measured", "sa", "avgsa", "frequency_ratio", "pgv"
    )
    pulse_period: float | None = optional(
        NumberKey("s", above=0.0),
        "period of `frequency_ratio`, by default that of the pulse or Tm of the record",
        0.8,
    )

    @property
    def name(self) -> str:
        """Name of the variable: ``im_sa_0p5s`` is Sa at 0.5 s."""
        return f"im_{variable_name(self.measure, self.parameters)}"


@dataclass(frozen=True)
class Variables(Kind):
    """Measures by name, or with their parameters in a table."""

    expected: str = 'a list of measures, as in ["pgv", { measure = "sa", period = 1.0 }]'

    def parse(self, value: Any) -> tuple[KeptMeasure, ...]:
        if not isinstance(value, list | tuple):
            refuse(self.wrong(value))
        variables: tuple[KeptMeasure, ...] = each(value, self._one)
        names = [variable.name for variable in variables]
        for i, name in enumerate(names):
            if name in names[:i]:
                refuse(mistake(f"{name} is listed twice", (i,)))
        return variables

    @staticmethod
    def _one(value: Any) -> KeptMeasure:
        return KeptMeasure.model_validate({"measure": value} if isinstance(value, str) else value)


class Intensity(_Measured):
    """How strong the motions are made: fixed levels, or one random value per realization."""

    alternatives: ClassVar = (tuple(INTENSITIES),)

    measure: str = entry(
        ChoiceKey((*MEASURES, "factor")),
        "what the motions are scaled to, or `factor`, which multiplies them as they are",
        "pga",
        "sa",
        "avgsa",
        "factor",
    )
    levels: tuple[float, ...] | str | None = optional(
        OrAuto(Levels(SI)),
        "intensities, of which every realization meets every one; `auto` finds where some overturn and "
        "others do not",
        "auto",
        [1.0, 2.0, 4.0],
    )
    levels_g: tuple[float, ...] | None = optional(Levels("g"), "the same in units of g", [0.1, 0.2, 0.4])
    value: Quantity | str | None = optional(
        OrAuto(Uncertain(SI, above=0.0)),
        "intensity of each realization: a cloud study; `auto` draws it where a hazard, given to the run, "
        "has bodies overturn",
        {"distribution": "uniform", "low": 0.5, "high": 6.0},
    )
    value_g: Quantity | None = optional(
        Uncertain("g", above=0.0),
        "the same in units of g",
        {"distribution": "lognormal", "median": 0.4, "dispersion": 0.6},
    )
    variables: tuple[KeptMeasure, ...] = entry(
        Variables(),
        "further measures that a cloud study keeps for every realization, as `im_pgv`, `im_sa_1s` and so on",
        ["pgv", {"measure": "sa", "period": 1.0}],
        default=(),
    )

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        yield from exactly_one(data, INTENSITIES)
        yield from super().conflicts(data)
        measure = data.get("measure")
        if isinstance(measure, str) and measure in MEASURES:
            units = MEASURES[measure].units
            for key in ("levels_g", "value_g"):
                if key in data and units != "m s-2":
                    yield (key,), f"{measure!r} is not in g; give {key[:-2]!r} [{units}]"
            if MEASURES[measure].power == 0:
                yield (
                    ("measure",),
                    (
                        f"{measure!r} does not change when a motion is scaled, so none is brought to it; "
                        "list it in intensity.variables of a cloud study"
                    ),
                )
        elif measure == "factor":
            for key in ("levels_g", "value_g"):
                if key in data:
                    yield (key,), f"'factor' is not in g; give {key[:-2]!r} [1]"
        if data.get("variables") and not {"value", "value_g"} & set(data):
            yield ("variables",), "belong to a cloud study: give 'value' or 'value_g' in place of levels"

    @property
    def is_cloud(self) -> bool:
        """Whether every realization has an intensity of its own."""
        return self.levels is None and self.levels_g is None

    @property
    def si_levels(self) -> tuple[float, ...]:
        """Levels in the units of the measure; empty in a cloud study."""
        if self.levels_g is not None:
            return tuple(level * STANDARD_GRAVITY for level in self.levels_g)
        if isinstance(self.levels, str):
            raise ValueError(UNSETTLED)
        return self.levels or ()

    @property
    def is_auto(self) -> bool:
        """Whether a pilot chooses them."""
        return AUTO in (self.levels, self.value)

    @property
    def distribution(self) -> tuple[Quantity, float] | None:
        """Specification of the random intensity and its factor to SI; None for fixed levels."""
        if self.value_g is not None:
            return self.value_g, STANDARD_GRAVITY
        if isinstance(self.value, str):
            raise ValueError(UNSETTLED)
        return None if self.value is None else (self.value, 1.0)

    @property
    def units(self) -> str:
        """Units of the measure, as datasets write them."""
        return "1" if self.measure == "factor" else MEASURES[self.measure].units

    @property
    def long_name(self) -> str:
        """Name of the measure for people."""
        if self.measure == "factor":
            return "factor on the ground motion"
        return MEASURES[self.measure].long_name + self.suffix

    @property
    def suffix(self) -> str:
        """Parameters of the measure in words."""
        return named_measure(variable_name(self.measure, self.parameters))[1]
