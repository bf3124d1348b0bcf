"""What a question of a guided study is, and how an answer is read and checked.

Nothing heavy is imported, because the options of a command are made from questions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from mcrock.base.suggestions import suggest

Answers = Mapping[str, str]  # as they were typed, by the names of their questions


class Reading(Protocol):
    """How an answer is checked: `read` gives the value of the study file, or raises ValueError."""

    def read(self, text: str) -> Any: ...


@dataclass(frozen=True)
class Option:
    """One of a few words, or the start of one alone."""

    choices: Mapping[str, str]  # each with what it means

    def read(self, text: str) -> str:
        written = text.strip().casefold()
        found = [name for name in self.choices if name.casefold() == written]
        found = found or [name for name in self.choices if written and name.casefold().startswith(written)]
        if len(found) != 1:
            hint = f"; did you mean {' or '.join(found)}?" if found else suggest(text, self.choices)
            raise ValueError(f"expected {', '.join(self.choices)}, got {text!r}{hint}")
        return found[0]


@dataclass(frozen=True)
class Words:
    """A line of text; a name of a file is one that starts from the folder of the study file."""

    needed: bool = True

    def read(self, text: str) -> str:
        from mcrock.base.names import check_name

        if self.needed and not text.strip():
            raise ValueError("expected a name of a file or folder, got nothing")
        return check_name(text.strip())


@dataclass(frozen=True)
class Whole:
    """An integer from `least` on."""

    least: int
    most: int

    def read(self, text: str) -> int:
        if not re.fullmatch(r"\s*\d{1,9}\s*", text) or not self.least <= int(text) <= self.most:
            raise ValueError(f"expected an integer from {self.least} to {self.most}, got {text!r}")
        return int(text)


@dataclass(frozen=True)
class Amount:
    """A number in the first of `units` unless it names another, and perhaps a range: ``0.38 to 0.42 m``."""

    units: str  # name of a table of `mcrock.base.units`
    above: float | None = None  # in SI
    least: float | None = None
    most: float | None = None
    ranges: bool = False
    or_none: bool = False  # or the word none

    def read(self, text: str) -> float | dict[str, Any] | None:
        if self.or_none and text.strip().casefold() == "none":
            return None
        ends = re.split(r"\s+to\s+|\s*\.\.\s*", text.strip())
        if len(ends) == 1:
            return self._one(text)
        if len(ends) > 2 or not self.ranges:
            raise ValueError(f"expected one {'number or a range' if self.ranges else 'number'}, got {text!r}")
        unit = re.sub(r"^[-+\d.,\s]+(?:[eE][-+]?\d+)?", "", ends[1])
        low, high = (self._one(end if re.search(r"[^\W\d_]\S*$", end) else f"{end} {unit}") for end in ends)
        if not low < high:
            raise ValueError(f"expected a range from the smaller to the larger number, got {text!r}")
        return {"distribution": "uniform", "low": low, "high": high}

    def _one(self, text: str) -> float:
        from mcrock.base import units

        number = units.parse_quantity(text, getattr(units, self.units))
        bounds = (">", self.above), (">=", self.least), ("<=", self.most)
        kept = {">": float.__gt__, ">=": float.__ge__, "<=": float.__le__}
        for sign, bound in bounds:
            if bound is not None and not kept[sign](number, float(bound)):
                first = next(iter(getattr(units, self.units)))
                bare = sign == "<=" and self.units == "LENGTHS" and text.strip()[-1:].isdigit()
                meant = f"; did you mean '{text.strip()} cm'?" if bare else ""
                raise ValueError(f"expected a number {sign} {bound:g} [{first}], got {text.strip()!r}{meant}")
        return number


@dataclass(frozen=True)
class LevelList:
    """Increasing numbers with one unit behind them."""

    unit: str

    def read(self, text: str) -> list[float]:
        from mcrock.base.units import parse_number

        inner = re.sub(rf"\s*{re.escape(self.unit)}\s*$", "", text.strip())
        levels = [parse_number(part) for part in re.split(r"\s*[,;]\s+|\s*;\s*|\s+", inner)]
        if not all(a < b for a, b in zip([0.0, *levels], levels, strict=False)):
            raise ValueError(f"expected increasing numbers > 0 [{self.unit}], got {text!r}")
        return levels


@dataclass(frozen=True)
class Question:
    """One question: what is asked, why it matters, what is taken for an answer, and how it is checked."""

    name: str
    part: str  # of the form: object, place, contact, earthquakes, size
    prompt: str
    why: str
    default: str | Callable[[Answers], str]
    check: Reading
    unit: str = ""
    needs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # answers with which it is asked

    def is_asked(self, answers: Answers) -> bool:
        """Whether it is asked after these answers."""
        return all(answers.get(name) in values for name, values in self.needs.items())

    def default_after(self, answers: Answers) -> str:
        """The default, which may depend on earlier answers."""
        return self.default if isinstance(self.default, str) else self.default(answers)
