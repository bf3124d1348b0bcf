"""The table of the intensity: how strong the motions of a study are made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import ValidationError

from mcrock.base.params import STANDARD_GRAVITY
from mcrock.base.tables.distributions import Quantity, Uncertain
from mcrock.base.tables.errors import mistake, refuse
from mcrock.base.tables.fields import (
    ChoiceKey,
    IntegerKey,
    Kind,
    Levels,
    ListOf,
    NumberKey,
    Table,
    each,
    entry,
    exactly_one,
    optional,
)
from mcrock.excitation.measures import MEASURES, check_parameters, named_measure, variable_name
from mcrock.excitation.measures.periods import MOST_AVERAGED
from mcrock.excitation.motion import MotionError

INTENSITIES = {"levels": "SI", "levels_g": "g", "value": "SI", "value_g": "g"}
PARAMETERS = ("period", "damping", "periods", "low", "high", "count", "pulse_period")
OF_BODY = ("slenderness", "gravity", "frequency_parameter")  # parameters that each realization has itself
SI = "SI units of the measure"


class _Measured(Table):
    """A measure with its parameters."""

    period: float | None = optional(
        NumberKey("s", above=0.0), "natural period of the oscillator, of `sa` and its RotD measures", 1.0
    )
    damping: float | None = optional(
        NumberKey("1", least=0.0),
        "damping ratio of the oscillator, of `sa` and `avgsa`; 0.05 if it is not given",
        0.05,
    )
    periods: tuple[float, ...] | None = optional(
        ListOf(NumberKey("s", above=0.0), "a list of periods [s]"),
        "periods that `avgsa` averages over, instead of a range",
        [0.5, 1.0, 2.0],
    )
    low: float | None = optional(NumberKey("s", above=0.0), "shortest period of the range of `avgsa`", 0.2)
    high: float | None = optional(NumberKey("s", above=0.0), "longest period of the range of `avgsa`", 2.0)
    count: int | None = optional(
        IntegerKey(2, MOST_AVERAGED), "number of periods in the range of `avgsa`", 10
    )

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
        "period of `frequency_ratio`, in place of that of the pulse or the mean period Tm of the record",
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
        "what the motions are scaled to; the measures are listed below, and `factor` "
        "multiplies the motion as it is",
        "pga",
        "sa",
        "avgsa",
        "factor",
    )
    levels: tuple[float, ...] | None = optional(
        Levels(SI), "levels of the intensity: every realization meets every one", [1.0, 2.0, 4.0]
    )
    levels_g: tuple[float, ...] | None = optional(Levels("g"), "the same in units of g", [0.1, 0.2, 0.4])
    value: Quantity | None = optional(
        Uncertain(SI, above=0.0),
        "the intensity of each realization, instead of levels: a cloud study",
        {"distribution": "uniform", "low": 0.5, "high": 6.0},
    )
    value_g: Quantity | None = optional(
        Uncertain("g", above=0.0),
        "the same in units of g",
        {"distribution": "lognormal", "median": 0.4, "dispersion": 0.6},
    )
    variables: tuple[KeptMeasure, ...] = entry(
        Variables(),
        "further measures that a cloud study keeps for every realization: the dataset has "
        "them as `im_pgv`, `im_sa_1s` and so on, and `mcrock stats` and `mcrock plot` compare "
        "them",
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
            return "factor on the ground motion"
        return MEASURES[self.measure].long_name + self.suffix

    @property
    def suffix(self) -> str:
        """Parameters of the measure in words."""
        return named_measure(variable_name(self.measure, self.parameters))[1]
