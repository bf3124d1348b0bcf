"""Mistakes in a study file: how they are collected and how they are worded.

Every check raises pydantic errors that carry one finished message, so that all mistakes of a file
can be listed together; `format_mistakes` puts file, section and key in front of each.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn

from pydantic import ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from mcrock.base.checks import joined, suggest

Location = tuple[int | str, ...]


class ConfigError(ValueError):
    """A study that cannot be run as written.

    Attributes
    ----------
    mistakes : tuple of str
        One line for each mistake, with file, section and key.
    """

    def __init__(self, mistakes: str | Sequence[str]) -> None:
        self.mistakes = (mistakes,) if isinstance(mistakes, str) else tuple(mistakes)
        super().__init__("\n".join(self.mistakes))

    def __reduce__(self) -> tuple[type[ConfigError], tuple[tuple[str, ...]]]:
        return type(self), (self.mistakes,)


class RealizationError(ConfigError):
    """What was drawn for one realization is impossible; others may well be run."""


def mistake(message: str, location: Location = (), **context: Any) -> InitErrorDetails:
    """One mistake at ``location``, relative to the table being checked."""
    error = PydanticCustomError("mistake", "{message}", {"message": message, **context})
    return InitErrorDetails(type=error, loc=location, input=None)


def refuse(*mistakes: InitErrorDetails | str) -> NoReturn:
    """Raise all of ``mistakes`` in one pydantic error; words alone are about the value that is checked."""
    found = [mistake(item) if isinstance(item, str) else item for item in mistakes]
    raise ValidationError.from_exception_data("study", found)


def nested(error: ValidationError, location: Location = ()) -> list[InitErrorDetails]:
    """The mistakes inside ``error``, moved below ``location``."""
    return [mistake(location=location + item["loc"], **item["ctx"]) for item in error.errors()]


def shown(value: Any) -> str:
    """A value as the user wrote it, in short."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, str | int | float | list):
        text = repr(value)
        return text if len(text) <= 60 else text[:56] + " ..."
    return str(value)


def unknown_key(key: str, known: Sequence[str], homes: Mapping[str, Sequence[str]]) -> str:
    """Message for a key that its table does not have.

    ``homes`` lists for each key of the whole study the tables that do have it.
    """
    here = suggest(key, known)
    elsewhere = homes.get(key, ())
    if elsewhere:
        return f"unknown key {key!r}; it belongs {' or '.join(elsewhere)}"
    if here:
        return f"unknown key {key!r}{here}"
    return f"unknown key {key!r}; the keys here are {joined(known, 'and')}"


def dotted(location: Location) -> str:
    """``width.std`` or ``base[2][0]``."""
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


def format_mistakes(
    error: ValidationError,
    source: str,
    sections: Iterable[str],
    homes: Mapping[str, Sequence[str]],
    overrides: Mapping[Location, str],
) -> list[str]:
    """One line per mistake: where it stands, what was expected, what came.

    Parameters
    ----------
    error : ValidationError
        Made of `mistake` items.
    source : str
        Name of the study file.
    sections : iterable of str
        Tables of the study.
    homes : mapping
        See `unknown_key`.
    overrides : mapping
        What else set a key path, in words; its mistakes are not the file's.
    """
    sections = set(sections)
    lines = []
    for item in error.errors():
        location, context = item["loc"], item["ctx"]
        origin = source
        for end in range(len(location), 0, -1):
            if location[:end] in overrides:
                origin = overrides[location[:end]]
                break
        message = context["message"]
        if "unknown" in context:
            nearby = homes if len(location) <= 2 else {}  # not inside a distribution
            message = unknown_key(context["unknown"], context["known"], nearby)
            location = location[:-1]
        section = f" [{location[0]}]" if location and location[0] in sections else ""
        key = dotted(location[1:] if section else location)
        separator = " " if section else ": "
        lines.append(f"{origin}{section}{separator + key if key else ''}: {message}")
    return list(dict.fromkeys(lines))
