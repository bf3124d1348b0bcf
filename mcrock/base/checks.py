"""Rules of values and names: what they must be, and the message if they are not; and of keywords.

Keywords that several functions share are declared once, as the fields of a frozen dataclass.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import wraps
from inspect import Parameter, signature
from math import isfinite
from numbers import Integral
from typing import Any, TypeVar, cast
from unicodedata import category, decimal

import numpy as np

ROUNDING = 1e-7  # relative difference up to which levels are one: float32, sums of steps, units [1]


class Rule:
    """What a value must be: in words, and as a test."""

    @property
    def words(self) -> str:
        """What fits, as the end of "must be"."""
        raise NotImplementedError

    def fits(self, value: Any) -> bool:
        """Whether a value is what it must be."""
        raise NotImplementedError

    def hint(self, value: Any) -> str:
        """What to say behind a value that does not fit."""
        return ""

    def check(self, name: str, value: Any) -> Any:
        """The value as a plain one of its kind; a ValueError that names it if it does not fit."""
        if not self.fits(value):
            raise ValueError(f"{name} must be {self.words}, got {shown(value)}{self.hint(value)}")
        return value


@dataclass(frozen=True)
class Number(Rule):
    """A finite number within bounds."""

    unit: str
    above: float | None = None
    least: float | None = None
    most: float | None = None

    @property
    def bounds(self) -> str:
        """``> 0``, ``>= 0 and <= 1`` or nothing."""
        pairs = ((">", self.above), (">=", self.least), ("<=", self.most))
        return " and ".join(f"{sign} {bound:g}" for sign, bound in pairs if bound is not None)

    @property
    def words(self) -> str:
        return " ".join(filter(None, ["a finite number", self.bounds, f"[{self.unit}]"]))

    def within(self, number: float) -> bool:
        """Whether a number keeps the bounds."""
        low = self.above is not None and number <= self.above
        low = low or (self.least is not None and number < self.least)
        return not (low or (self.most is not None and number > self.most))

    def fits(self, value: Any) -> bool:
        try:
            if isinstance(value, bool | np.bool_ | str | bytes) or np.ndim(value) != 0:
                return False
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            return False
        return isfinite(number) and self.within(number)

    def check(self, name: str, value: Any) -> float:
        return float(super().check(name, value))


@dataclass(frozen=True)
class Integer(Rule):
    """An integer within bounds."""

    least: int
    most: int = 2**63 - 1

    @property
    def words(self) -> str:
        top = " and < 2**63" if self.most == 2**63 - 1 else f" and <= {self.most}"
        return f"an integer >= {self.least}{top}"

    def fits(self, value: Any) -> bool:
        if isinstance(value, bool) or not isinstance(value, Integral):
            return False
        return self.least <= int(value) <= self.most

    def check(self, name: str, value: Any) -> int:
        return int(super().check(name, value))


@dataclass(frozen=True)
class Flag(Rule):
    """Yes or no."""

    @property
    def words(self) -> str:
        return "true or false"

    def fits(self, value: Any) -> bool:
        return isinstance(value, bool | np.bool_)

    def check(self, name: str, value: Any) -> bool:
        return bool(super().check(name, value))


@dataclass(frozen=True)
class Choice(Rule):
    """One of a few words or codes."""

    options: tuple[str | int, ...]
    unfit: Mapping[str, str] = field(default_factory=dict, hash=False)  # known words, each with a reason

    @property
    def words(self) -> str:
        return joined(self.options)

    def hint(self, value: Any) -> str:
        reason = self.unfit.get(value) if isinstance(value, str) else None
        return f"; {reason}" if reason else ""

    def fits(self, value: Any) -> bool:
        return isinstance(value, str | int) and not isinstance(value, bool) and value in self.options


def check_array(name: str, value: Any, shape: tuple[int, ...], unit: str) -> np.ndarray:
    """Finite numbers of a fixed shape, as an array of its own; ValueError for anything else."""
    try:
        array = np.asarray(value)
    except ValueError:  # rows of different lengths
        array = np.empty(0)
    if array.shape != shape or array.dtype.kind not in "iuf" or not np.isfinite(array).all():
        size = " x ".join(map(str, shape))
        raise ValueError(f"{name} must be {size} finite numbers [{unit}], got {shown(value)}")
    return np.array(array, float)


def joined(options: Iterable[Any], word: str = "or") -> str:
    """``'a', 'b' or 'c'``."""
    texts = [repr(option) for option in options]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} {word} {texts[-1]}"


def shown(value: Any) -> str:
    """A value as Python writes it, in short."""
    text = repr(value.item() if isinstance(value, np.generic) else value).replace("\n", "")  # of arrays
    return text if len(text) <= 80 else f"{text[:76]} ..."


def ruled(default: Any, rule: Rule, words: str = "", *, optional: bool = False) -> Any:
    """Field of a dataclass whose values keep a rule; None too if it is ``optional``.

    ``words`` say what it is in the reference of the study file.
    """
    return field(default=default, metadata={"rule": rule, "words": words, "optional": optional})


def check_fields(instance: Any) -> None:
    """Refuse what breaks the rules of the fields of a dataclass; the others become plain values."""
    for item in fields(instance):
        value = getattr(instance, item.name)
        if "rule" not in item.metadata or (item.metadata["optional"] and value is None):
            continue
        name = f"{type(instance).__name__}.{item.name}"
        object.__setattr__(instance, item.name, item.metadata["rule"].check(name, value))


HIDDEN = ("Cc", "Cs", "Zl", "Zp")  # control characters, bytes that are no text, ends of lines and paragraphs


def is_plain(text: str, allowed: str = "") -> bool:
    r"""Whether a text has no control character and no end of a line, but for some that are allowed.

    >>> is_plain("tür 1.zarr"), is_plain("a\nrm -rf b"), is_plain("\x1b[2J"), is_plain("a\nb", "\n")
    (True, False, False, True)
    """
    return not any(category(letter) in HIDDEN and letter not in allowed for letter in text)


def check_name(text: str) -> str:
    """The text, if it is plain.

    Raises
    ------
    ValueError
        If it has a control character or an end of a line, which could add a line to a script or a log.
    """
    if not is_plain(text):
        raise ValueError(f"{text!r}: a name must be without control characters and ends of lines")
    return text


def by_number(text: str) -> tuple[tuple[bool, int, str, str], ...]:
    """Sort key of a name in which digits count as numbers, of any script and however many.

    >>> sorted(["b", "a10", "a09", "a8", "\uff11", "a\u00b2"], key=by_number)
    ['\uff11', 'a8', 'a09', 'a10', 'a\u00b2', 'b']
    """
    found = []
    for part in filter(None, re.split(r"(\d+)", text)):
        number = "".join(str(decimal(letter)) for letter in part).lstrip("0") if part.isdecimal() else ""
        found.append((not part.isdecimal(), len(number), number, part))
    return tuple(found)


def suggest(word: Any, options: Iterable[str]) -> str:
    """``; did you mean 'height'?``, or nothing if no option is close."""
    by_case = {option.casefold(): option for option in options}
    written = str(word).casefold()
    with_unit = [option for option in by_case if written.startswith(f"{option}_")]  # as in period_s
    begun = sorted((option for option in by_case if len(written) > 2 and option.startswith(written)), key=len)
    close = with_unit or begun or difflib.get_close_matches(written, list(by_case), n=1, cutoff=0.6)
    return f"; did you mean {by_case[close[0]]!r}?" if close else ""


Named = TypeVar("Named", bound=Callable[..., Any])
Function = TypeVar("Function", bound=Callable[..., Any])


def shared_keywords(pack: type[Any]) -> Callable[[Function], Function]:
    """Show the ``**keywords`` of a function in its signature as the fields of a pack; refuse others."""
    shown = [
        Parameter(each.name, Parameter.KEYWORD_ONLY, default=each.default, annotation=each.type)
        for each in fields(pack)
    ]

    def decorate(function: Function) -> Function:
        own = signature(function)
        kept = [each for each in own.parameters.values() if each.kind is not Parameter.VAR_KEYWORD]
        known = {each.name for each in (*kept, *shown)}

        @wraps(function)
        def checked(*args: Any, **keywords: Any) -> Any:
            for name in keywords.keys() - known:
                raise TypeError(_unexpected(function, name, known))
            return function(*args, **keywords)

        checked.__signature__ = own.replace(parameters=[*kept, *shown])  # type: ignore[attr-defined]
        return cast(Function, checked)

    return decorate


def suggest_keyword(named: Named) -> Named:
    """A function or class that answers a keyword it does not know with the one that may have been meant."""
    function = named.__init__ if isinstance(named, type) else named  # type: ignore[misc]

    @wraps(function)
    def checked(*args: Any, **keywords: Any) -> Any:
        try:
            return function(*args, **keywords)
        except TypeError:
            known = signature(function).parameters
            for name in keywords.keys() - known:
                raise TypeError(_unexpected(named, name, known)) from None
            raise

    if not isinstance(named, type):
        return cast(Named, checked)
    named.__init__ = checked  # type: ignore[misc]
    return named


def _unexpected(function: Callable[..., Any], name: str, known: Iterable[str]) -> str:
    meant = suggest(name, (each for each in known if each != "self"))
    return f"{function.__name__}() got an unexpected keyword argument {name!r}{meant}"
