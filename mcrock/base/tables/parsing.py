"""TOML, JSON and columns of numbers as Python values, and the wording of mistakes in them.

What a text may ask of the machine has limits. Every check of a study file raises pydantic errors that carry
one finished message each, so that all mistakes of a file can be listed together; `format_mistakes` puts file,
section and key in front of them.
"""

from __future__ import annotations

import csv
import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from pydantic import ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from mcrock.base.checks import joined, suggest
from mcrock.base.units import plain_number

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


LONGEST = 2**24  # characters of a text
DEEPEST = 50  # levels of tables and lists [1]
DIGITS = 4300  # of an integer, which Python writes out only up to there [1]
NUMBER_DIGITS = 308  # of one that is a number of 64 bits too [1]
DEEP = f"tables or lists in more than {DEEPEST} levels"
LONG = "an integer of more than {} digits"
_LONG_KEY = re.compile(  # of which the time of tomllib grows with the square
    rf"""(?<![\w-])(?:(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){{{DEEPEST}}}"""
)


def read_text(path: Path) -> str:
    """Text of a file in UTF-8, with or without a byte order mark.

    Raises
    ------
    OSError
        If it cannot be read.
    ValueError
        If it is not such text, or longer than 16 million characters.
    """
    with path.open(encoding="utf-8-sig") as file:
        text = file.read(LONGEST + 1)
    if len(text) > LONGEST:
        raise ValueError(f"more than {LONGEST} characters")
    return text


def read_data(path: Path) -> str:
    """Text of a file with numbers next to the study file.

    Raises
    ------
    ConfigError
        Where `read_text` raises, with the name of the file.
    """
    try:
        return read_text(path)
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: not a text file in UTF-8; save it as one") from None
    except ValueError as error:
        raise ConfigError(f"{path}: cannot be read: {error}") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None


def separator_of(header: str) -> str:
    """What separates the cells of a table: the most frequent of comma, semicolon and tab."""
    return max(",;\t", key=header.count)


def with_points(text: str) -> str:
    """Text of a table whose cells are separated by semicolons or tabs, its decimal commas as points.

    >>> with_points("0,1;-1,5e-3;a, b")
    '0.1;-1.5e-3;a, b'
    """
    return re.sub(r"(?<=\d),(?=\d)", ".", text)


def read_columns(
    path: Path, wanted: Callable[[str], bool] = bool, header: int = 0, first: int | None = None
) -> dict[str, list[float]]:
    """Columns of a CSV file with a header and a number in every cell.

    Cells are separated by commas, or by semicolons or tabs as the header; then decimal commas are read too.

    Parameters
    ----------
    path : Path
    wanted : callable
        Whether a column is read, by its name; by default all are.
    header, first : int
        Lines of the header and of the first numbers, from 0; by default these follow the header.

    Raises
    ------
    ConfigError
        With file, line and column, if the file cannot be read or a cell holds no number.
    """
    lines = read_data(path).splitlines()
    top = "".join(lines[header : header + 1])
    begin = header + 1 if first is None else first
    form: dict[str, Any] = {"skipinitialspace": True, "delimiter": separator_of(top)}
    head = [name.strip() for name in next(csv.reader([top], **form), [])]
    if head and not head[-1]:
        head = head[:-1]  # some programs end each line with a separator
    columns: dict[str, list[float]] = {name: [] for name in head if wanted(name)}
    if len(set(head)) < len(head) or not all(head):
        raise ConfigError(
            f"{path}, line {header + 1}: every column needs a name of its own, got {','.join(head)!r}"
        )
    rows = csv.reader(lines[begin:], **form)
    for cells in _each(path, rows):
        place = f"{path}, line {begin + rows.line_num}"
        if not cells:
            continue
        if len(cells) == len(head) + 1 and not cells[-1].strip():
            del cells[-1]
        if len(cells) != len(head):
            raise ConfigError(f"{place}: expected {len(head)} cells as in the header, got {len(cells)}")
        for name, cell in zip(head, cells, strict=True):
            if name not in columns:
                continue
            try:
                columns[name].append(
                    plain_number(cell if form["delimiter"] == "," else cell.replace(",", "."))
                )
            except ValueError:
                raise ConfigError(f"{place}, column {name!r}: expected a number, got {cell!r}") from None
    return columns


def _each(path: Path, rows: Iterator[list[str]]) -> Iterator[list[str]]:
    try:
        yield from rows
    except csv.Error as error:
        raise ConfigError(f"{path}: no table: {error}") from None


def parse_toml(text: str) -> dict[str, Any]:
    """Tables of a TOML document.

    Raises
    ------
    tomllib.TOMLDecodeError
        If it is not TOML, or has tables and lists in more than 50 levels or an integer of more than 4300
        digits.

    Examples
    --------
    >>> parse_toml("[body]\\nwidth = 0.4")
    {'body': {'width': 0.4}}
    """
    if _LONG_KEY.search(text):
        raise tomllib.TOMLDecodeError(DEEP)
    try:
        tables = tomllib.loads(text)
    except RecursionError:
        raise tomllib.TOMLDecodeError(DEEP) from None
    except tomllib.TOMLDecodeError:
        raise
    except ValueError:  # of int()
        raise tomllib.TOMLDecodeError(LONG.format(DIGITS)) from None
    if problem := _beyond_limits(tables, DIGITS):
        raise tomllib.TOMLDecodeError(problem)
    return tables


def parse_json(text: str) -> Any:
    """Value of a JSON document.

    Raises
    ------
    ValueError
        If it is not JSON, has objects and lists in more than 50 levels or an integer of more than 308 digits,
        which is not finite in 64 bits.
    """
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError(DEEP) from None
    except json.JSONDecodeError:
        raise
    except ValueError:
        raise ValueError(LONG.format(NUMBER_DIGITS)) from None
    if problem := _beyond_limits(value, NUMBER_DIGITS):
        raise ValueError(problem)
    return value


def read_json(path: Path) -> Any:
    """Value of a JSON file; a ConfigError with its name if it cannot be read or `parse_json` refuses it."""
    text = read_data(path)
    try:
        return parse_json(text)
    except ValueError as error:
        raise ConfigError(f"{path}: expected JSON, {error}") from None


def _beyond_limits(value: Any, digits: int) -> str:
    """Which limit a value breaks, in words; no word if none."""
    level = [value]
    for _ in range(DEEPEST + 1):
        if any(isinstance(item, int) and abs(item) >= 10**digits for item in level):  # a hexadecimal one
            return LONG.format(digits)
        level = [
            item
            for part in level
            if isinstance(part, dict | list)
            for item in (part.values() if isinstance(part, dict) else part)
        ]
    return DEEP if level else ""


def toml(value: Any) -> str:
    """A value as a study file has it."""
    if isinstance(value, Mapping):
        return f"{{ {', '.join(toml_line(key, item) for key, item in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(toml, value))}]"
    return json.dumps(value, ensure_ascii=False)


def toml_line(key: str, value: Any) -> str:
    """A key with its value as a study file has them.

    >>> toml_line("body.width, body.height", 0.6)
    '"body.width, body.height" = 0.6'
    """
    bare = re.fullmatch(r"[\w-]+", key, re.ASCII)
    return f"{key if bare else json.dumps(key)} = {toml(value)}"
