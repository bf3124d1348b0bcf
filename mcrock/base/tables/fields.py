"""Kinds of values a study file may hold, the base class of its tables, and their inputs in datasets."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler, ValidationError, model_validator
from pydantic_core import CoreSchema, InitErrorDetails, core_schema

from mcrock.base import checks
from mcrock.base.checks import is_plain, joined, suggest
from mcrock.base.tables.parsing import mistake, nested, refuse, shown
from mcrock.base.units import parse_quantity, unit_in_dataset, units_of


class Kind:
    """A kind of value: `expected` words it, `parse` checks one."""

    expected: str

    def parse(self, value: Any) -> Any:
        """Return the checked value or raise a ValidationError of `mistake` items."""
        raise NotImplementedError

    def wrong(self, value: Any, hint: str = "") -> InitErrorDetails:
        """The mistake of a value that is not of this kind."""
        return mistake(f"expected {self.expected}, got {shown(value)}{hint}")

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(
            self.parse, serialization=core_schema.plain_serializer_function_ser_schema(plain)
        )


def entry(kind: Kind | None, words: str, *examples: Any, **of_field: Any) -> Any:
    """A key of a table: the kind of its value, what it means, and its default, without which it is required.

    Parameters
    ----------
    kind : Kind or None
        What the value must be; None for a table, whose own keys say it.
    words : str
        A phrase that goes on after the name of the key: what it is, not what values it may have.
    *examples : optional
        Values it may have; without any the default is the example.
    **of_field : optional
        ``default``, ``default_factory`` and ``alias``, as of pydantic's ``Field``.
    """
    info = Field(description=words, examples=list(examples), **of_field)
    if kind is not None:
        info.metadata.append(kind)
    return info


def optional(kind: Kind | None, words: str, *examples: Any, **of_field: Any) -> Any:
    """A key of a table that may be left out, and is None then; arguments as of `entry`."""
    return entry(kind, words, *examples, default=None, **of_field)


def plain(value: Any) -> Any:
    """A checked value as JSON can hold it."""
    if isinstance(value, BaseModel):
        return value.model_dump(by_alias=True, exclude_none=True)
    return [plain(item) for item in value] if isinstance(value, tuple) else value


def each(items: Sequence[Any], parse: Callable[[Any], Any]) -> tuple[Any, ...]:
    """Parse every item; the mistakes of all of them are raised together."""
    parsed, mistakes = [], []
    for i, item in enumerate(items):
        try:
            parsed.append(parse(item))
        except ValidationError as error:
            mistakes += nested(error, (i,))
    if mistakes:
        refuse(*mistakes)
    return tuple(parsed)


@dataclass(frozen=True)
class NumberKey(checks.Number, Kind):
    """A finite number within bounds, fixed for the whole study."""

    @property
    def expected(self) -> str:  # type: ignore[override]
        return " ".join(filter(None, ["a number", self.bounds, f"[{self.unit}]"]))

    def parse(self, value: Any) -> Any:
        if isinstance(value, bool) or not isinstance(value, int | float):
            refuse(self.wrong(value, self._meant(value)))
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            refuse(f"expected a finite number [{self.unit}], got {shown(value)}")
        if not self.within(number):
            refuse(f"must be {self.bounds} [{self.unit}], got {shown(value)}")
        return number

    def _meant(self, value: Any) -> str:
        """How to write a number that stands as text, with its unit or a decimal comma."""
        try:
            return f"; write {parse_quantity(str(value), units_of(self.unit))!r}, in {self.unit}"
        except ValueError:
            return ""


class Ruled(checks.Rule, Kind):
    """A kind that is a rule of Python, in the words of the rule."""

    @property
    def expected(self) -> str:  # type: ignore[override]
        return self.words

    def parse(self, value: Any) -> Any:
        if not self.fits(value):
            refuse(self.wrong(value))
        return value


@dataclass(frozen=True)
class IntegerKey(Ruled, checks.Integer):
    """An integer within bounds."""


AUTO = "auto"  # in the place of a value that a pilot chooses


@dataclass(frozen=True)
class OrAuto(Kind):
    """A value, or the word for one that is chosen when a study is run."""

    of: Kind

    @property
    def expected(self) -> str:  # type: ignore[override]
        return f'{self.of.expected}, or "{AUTO}"'

    @property
    def unit(self) -> str:
        """Of the value."""
        return str(getattr(self.of, "unit", "1"))

    def parse(self, value: Any) -> Any:
        if isinstance(value, str) and value != AUTO:
            refuse(self.wrong(value))
        return value if isinstance(value, str) else self.of.parse(value)


@dataclass(frozen=True)
class FlagKey(Ruled, checks.Flag):
    """Yes or no."""


@dataclass(frozen=True)
class Text(Kind):
    """Any text without control characters, in one line or, where they are allowed, in several."""

    expected: str = "text in quotes"
    lines: bool = False

    def parse(self, value: Any) -> str:
        if not isinstance(value, str):
            refuse(self.wrong(value))
        if not is_plain(value, "\t\n" if self.lines else ""):
            refuse(self.wrong(value, ", with control characters or ends of lines"))
        return value


@dataclass(frozen=True)
class ChoiceKey(checks.Choice, Kind):
    """One of a few words or codes, or with ``several`` also a list of them, by default to sample from."""

    several: bool = False
    purpose: str = " to sample from"  # of a list

    @property
    def expected(self) -> str:  # type: ignore[override]
        return self.words + (f", or a list of them{self.purpose}" if self.several else "")

    def _one(self, value: Any) -> str | int:
        if not self.fits(value):
            words = [option for option in self.options if isinstance(option, str)]
            hint = self.hint(value) or (suggest(value, words) if isinstance(value, str) else "")
            refuse(self.wrong(value, hint))
        return value

    def parse(self, value: Any) -> Any:
        if not (self.several and isinstance(value, list | tuple)):
            return self._one(value)
        return each(distinct(value, self.expected), self._one)


def kind_of(rule: checks.Rule) -> Kind:
    """The kind of value in a study file that keeps a rule of Python."""
    kinds: dict[type[checks.Rule], type[Kind]] = {
        checks.Number: NumberKey,
        checks.Integer: IntegerKey,
        checks.Flag: FlagKey,
        checks.Choice: ChoiceKey,
    }
    return kinds[type(rule)](**vars(rule))


@dataclass(frozen=True)
class ListOf(Kind):
    """A list of items of one kind, or of one kind in each place; or the word ``or_word``."""

    item: Kind | tuple[Kind, ...]
    expected: str
    or_word: str | None = None
    distinct: bool = True  # no item twice
    least: int = 1  # items

    @property
    def first(self) -> Kind:
        """Kind of the first item."""
        return self.item[0] if isinstance(self.item, tuple) else self.item

    @property
    def unit(self) -> str:
        """Unit of the numbers in it."""
        return str(getattr(self.first, "unit", "1"))

    @property
    def n_places(self) -> int:
        """Numbers [1] that tell an item from the others: its place in the list, and in those inside."""
        return 1 + (self.first.n_places if isinstance(self.first, ListOf) else 0)

    def parse(self, value: Any) -> Any:
        if self.or_word is not None and value == self.or_word:
            return value
        kinds = self.item if isinstance(self.item, tuple) else None
        if not isinstance(value, list | tuple) or (kinds and len(value) != len(kinds)):
            refuse(self.wrong(value))
        if len(value) < self.least:
            got = f"{len(value)} of them" if value else "an empty list"
            refuse(f"expected {self.expected}, got {got}")
        if self.distinct:
            distinct(value, self.expected)
        each_kind = iter(kinds or [self.first] * len(value))
        return each(value, lambda item: next(each_kind).parse(item))


def distinct(items: Sequence[Any], expected: str) -> Sequence[Any]:
    """Refuse an empty list and one with repetitions."""
    if not items:
        refuse(f"expected {expected}, got an empty list")
    repeated = [item for i, item in enumerate(items) if item in items[:i]]
    if repeated:
        refuse(f"{shown(repeated[0])} is listed twice; list every item once")
    return items


@dataclass(frozen=True)
class SeveralIntegers(IntegerKey):
    """An integer, or a list of them to sample from."""

    @property
    def expected(self) -> str:  # type: ignore[override]
        return f"{self.words}, or a list of them to sample from"

    def parse(self, value: Any) -> Any:
        if not isinstance(value, list | tuple):
            return super().parse(value)
        return each(distinct(value, self.expected), super().parse)


@dataclass(frozen=True)
class WeightsKey(ListOf):
    """Weights of several things, not negative."""

    item: Kind = field(default_factory=lambda: NumberKey("1", least=0.0))
    expected: str = "a list of numbers >= 0 [1], one for each motion, not all 0"
    distinct: bool = False

    def parse(self, value: Any) -> Any:
        weights = super().parse(value)
        if not 0 < sum(weights) < math.inf:
            refuse(self.wrong(value))
        return weights


@dataclass(frozen=True)
class Levels(Kind):
    """Positive, strictly increasing fixed numbers."""

    unit: str

    @property
    def expected(self) -> str:  # type: ignore[override]
        return f"a list of increasing numbers > 0 [{self.unit}]"

    def _level(self, value: Any) -> float:
        if isinstance(value, Mapping):
            refuse("a level is one number; for a random intensity give 'value' in place of 'levels'")
        return NumberKey(self.unit, above=0.0).parse(value)

    def parse(self, value: Any) -> tuple[float, ...]:
        if not isinstance(value, list | tuple):
            refuse(self.wrong(value))
        if not value:
            refuse(f"expected {self.expected}, got an empty list")
        levels = each(value, self._level)
        steps = enumerate(pairwise(levels), 1)
        fallen = [
            mistake(
                f"must be > the level before it, {low!r}, got {high!r}"
                + ", the same but for rounding" * (high > low),
                (i,),
            )
            for i, (low, high) in steps
            if high <= low * (1 + checks.ROUNDING)
        ]
        if fallen:
            refuse(*fallen)
        return levels


@dataclass(frozen=True)
class OneOf(Kind):
    """A table whose key ``tag`` says which keys the rest of it has."""

    tag: str
    tables: Mapping[str, type[Table]]

    @property
    def expected(self) -> str:  # type: ignore[override]
        return f"a table with {self.tag} = {joined(self.tables)}"

    def parse(self, value: Any) -> Table:
        if isinstance(value, Table):
            return value
        if not isinstance(value, Mapping):
            refuse(self.wrong(value))
        if self.tag not in value:
            refuse(f"missing key {self.tag!r}; expected {joined(self.tables)}")
        name = value[self.tag]
        if not isinstance(name, str) or name not in self.tables:
            hint = suggest(name, self.tables)
            refuse(mistake(f"expected {joined(self.tables)}, got {shown(name)}{hint}", (self.tag,)))
        return self.tables[name].model_validate(value)


class Table(BaseModel):
    """A table of a study file: no other keys, and all its mistakes found in one pass."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    # sets of keys of which at most one may be given; an override replaces the others
    alternatives: ClassVar[tuple[tuple[str, ...], ...]] = ()

    @classmethod
    def key_names(cls) -> tuple[str, ...]:
        """The keys of the table, as written in the file."""
        return tuple(field.alias or name for name, field in cls.model_fields.items())

    @classmethod
    def kind(cls, key: str) -> Kind | None:
        """What the value of ``key`` must be; None for a table."""
        for name, info in cls.model_fields.items():
            if key == (info.alias or name):
                return next((item for item in info.metadata if isinstance(item, Kind)), None)
        raise KeyError(key)

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        """Mistakes that involve several keys of the raw table: (location, message)."""
        return iter(())

    @model_validator(mode="wrap")
    @classmethod
    def _find_every_mistake(cls, data: Any, handler: Callable[[Any], Self]) -> Self:
        if isinstance(data, cls):
            return data
        if not isinstance(data, Mapping):
            refuse(f"expected a table, got {shown(data)}")
        mistakes: list[InitErrorDetails] = []
        try:
            table = handler(data)
        except ValidationError as error:
            for item in error.errors():
                if item["type"] == "missing":
                    mistakes.append(mistake(cls._missing(str(item["loc"][-1]))))
                elif item["type"] == "extra_forbidden":
                    key = str(item["loc"][-1])
                    mistakes.append(mistake("", item["loc"], unknown=key, known=cls.key_names()))
                else:
                    mistakes.append(mistake(location=item["loc"], **item["ctx"]))
        mistakes += [mistake(message, location) for location, message in cls.conflicts(cls.stated(data))]
        if mistakes:
            refuse(*mistakes)
        return table

    @classmethod
    def stated(cls, data: Mapping[str, Any]) -> dict[str, Any]:
        """The raw table without keys at their defaults, which a stored study has all of."""
        defaults = {field.alias or name: plain(field.default) for name, field in cls.model_fields.items()}
        return {key: item for key, item in data.items() if key not in defaults or item != defaults[key]}

    @classmethod
    def _missing(cls, key: str) -> str:
        kind = cls.kind(key)
        if kind is None or isinstance(kind, OneOf):
            return f"missing section [{key}]"
        return f"missing key {key!r}; expected {kind.expected}"


def given(data: Mapping[str, Any], *keys: str) -> list[float] | None:
    """The numbers under ``keys``, or None unless every one is there and is a finite number."""
    values: list[Any] = [data.get(key) for key in keys]
    return [float(value) for value in values] if all(map(checks.Number("1").fits, values)) else None


def exactly_one(data: Mapping[str, Any], keys: Mapping[str, str]) -> Iterator[tuple[tuple[str, ...], str]]:
    """The mistake of giving none or several of ``keys`` (key -> its unit or meaning)."""
    present = [key for key in keys if key in data]
    if len(present) != 1:
        wanted = " or ".join(f"{key!r} [{unit}]" for key, unit in keys.items())
        came = f"{joined(present, 'and')} are given" if present else "none is given"
        yield (), f"expected exactly one of {wanted}; {came}"


Numbers = Mapping[str, Any]  # what was drawn for one realization, by key; of a choice its code


class Input(NamedTuple):
    """Number or choice under a key of a table that realizations may have of their own."""

    long_name: str
    codes: type[IntEnum] | None = None  # of a choice, in the order of its options
    variable: str | None = None  # in datasets, where its key means something else there


Inputs = Mapping[str, Input]  # by key


class Declaration(NamedTuple):
    """Dataset variable of an input."""

    name: str
    units: str
    long_name: str
    codes: type[IntEnum] | None


def design_order(inputs: Inputs) -> list[str]:
    """Keys in the order of the design, where numbers come before choices."""
    return sorted(inputs, key=lambda key: inputs[key].codes is not None)


def declare(table: type[Table], inputs: Inputs, prefix: str) -> Iterator[Declaration]:
    """Variables of the inputs of a table, with the units of its keys.

    Of a list of numbers each has its own: # stands for its place, and {0} in the words.
    """
    for key, (long_name, codes, variable) in inputs.items():
        kind = table.kind(key)
        units = "1" if codes else unit_in_dataset(getattr(kind, "unit", "1"))
        places = "_#" * getattr(kind, "n_places", 0)
        yield Declaration(f"{prefix}{variable or key}{places}", units, long_name, codes)
