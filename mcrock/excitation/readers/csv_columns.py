"""Meaning of the columns of a text table, by the names above them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from mcrock.base.tables.parsing import with_points
from mcrock.base.units import factor_to, split_header
from mcrock.excitation.motion import MotionError
from mcrock.excitation.readers.orientation import is_clockwise, is_square, parse_orientation

TIME_NAMES = {"time", "t", "seconds", "sec", "zeit", "temps", "tiempo", "tempo"}
ACCELERATION_NAMES = {"a", "acc", "accel", "acceleration"}
ACCELERATION_NAMES |= {"beschleunigung", "accélération", "aceleración", "accelerazione"}
AXIS = re.compile(r"(?:a|acc|accel|acceleration)?([xyz])")
# names of directions that are not quantities: `u`, `v` and `d` may be displacement and velocity
DIRECTION = re.compile(
    r"[ne]|[nsewu]-?[nsewd]|north|east|south|west|up|vert|vertical|h[12]|long\w*|tran\w*|fn|fp|"
    r"[ns]\d{1,2}[ew]|[bcehlms][hln][zne123](?:[. -]?\d\d)?"
)
BRACKETS = re.compile(r"[(\[].*?[)\]]")


class UnknownColumnError(MotionError):
    """A line of column names with one that is not known."""


class Column(NamedTuple):
    """What a column holds: "time", or what goes along ground "x", "y" or "z"."""

    role: str
    component: str = ""  # its name, if it says a direction
    azimuth: float | None = None  # clockwise from north [rad]
    unit: str = ""  # that the file says


def split_fields(content: str) -> list[str]:
    """Fields of a line: the strongest separator in it separates, semicolons and tabs decimal commas too.

    >>> split_fields("0,01;-1,5e-3"), split_fields("0.01 2")
    (['0.01', '-1.5e-3'], ['0.01', '2'])
    """
    separator = next((s for s in ";\t," if s in content), None)
    text = with_points(content) if separator in (";", "\t") else content
    return [field.strip().strip("\"'") for field in text.split(separator)]


def named_columns(path: Path, headers: list[str], n_column: int) -> list[Column]:
    """Columns by a line of names: time, x, y, z, or directions; empty if there is no such line.

    Directions are put in order as in `mcrock.excitation.readers.assemble`: of two horizontal ones x is
    the one from which y lies 90 degrees counter-clockwise, and the first one where none is known.

    Raises
    ------
    MotionError
        If a name is not known, or names or directions do not fit together.
    """
    unknown = []
    for header in reversed(headers):
        fields = split_fields(BRACKETS.sub("", header))
        meanings = [_meaning(field) for field in fields]
        if "" not in meanings:
            break
        if len(fields) == n_column > 1 and not all(_is_unit(field) for field in fields):
            unknown += [field for field, meaning in zip(fields, meanings, strict=True) if not meaning]
    else:
        if unknown:
            raise UnknownColumnError(
                f"{path}: column {unknown[0]!r} is not known; name the columns time, x, y, z, or by "
                "directions such as EW, NS, UD, in the file (or with --columns of mcrock records, columns of "
                "[motion])"
            )
        return []
    names = ", ".join(fields)
    if len(meanings) != n_column:
        raise MotionError(
            f"{path}: {len(meanings)} column names ({names}) for {n_column} columns; begin a title with #"
        )
    if len({*meanings}) < n_column or meanings == ["time"]:
        raise MotionError(f"{path}: expected one column each of time, x, y, z, got {names}")
    said = units_said(headers, header, n_column)
    columns = zip(_in_order(path, meanings, names), said, strict=True)
    return [column._replace(unit=unit) for column, unit in columns]


def comment_names(comments: list[str], n_column: int) -> str:
    """The comment that names the columns, or at least a time as the first one; empty if there is none.

    >>> comment_names(["# Sim NGAH, stat=2001", "# time(sec)  N-S(cm/s/s)  E-W(cm/s/s)  U-D(cm/s/s)"], 4)
    'time(sec)  N-S(cm/s/s)  E-W(cm/s/s)  U-D(cm/s/s)'
    """
    for comment in reversed(comments):
        text = comment.strip().lstrip("#%").strip()
        fields = split_fields(BRACKETS.sub("", text))
        if len(fields) != n_column or any(re.match(r"[-+.]?\d", field) for field in fields):
            continue
        meanings = [_meaning(field) for field in fields]
        if all(meanings) or (n_column > 1 and meanings[0] == "time"):
            return text
    return ""


def _meaning(name: str) -> str:
    """What a name says: "time", "x", "y", "z", a direction in upper case, or nothing."""
    words = [word.strip(".:,") for word in re.split(r"[\s_]+", name.strip().lower())]
    kept = [word for word in words if word not in {*ACCELERATION_NAMES, "in", "/"} and not _is_unit(word)]
    if not kept:
        if ACCELERATION_NAMES.intersection(words):
            return "x"
        return "time" if words[0] in TIME_NAMES else ""
    if len(kept) > 1:
        return ""
    if kept[0] in TIME_NAMES:
        return "time"
    axis = AXIS.fullmatch(kept[0])
    if axis:
        return axis[1]
    return kept[0].upper() if DIRECTION.fullmatch(kept[0]) and parse_orientation(kept[0]) else ""


def _is_unit(word: str) -> bool:
    return any(factor_to(word, unit) is not None for unit in ("m/s2", "s", "Hz"))


def units_said(lines: Sequence[str], header: str, n_column: int) -> list[str]:
    """Unit of each column, empty where it is not said: by the line of names, or one of nothing but units.

    >>> units_said([], "period [s], Sa_g", 2), units_said(["time x", "s cm/s2"], "time x", 2)
    (['s', 'g'], ['s', 'cm/s2'])
    """
    found = [""] * n_column
    for line in [*lines, header]:
        fields = split_names(line, n_column)
        if fields and all(map(_is_unit, fields)):
            found = fields
        elif fields and line == header:
            named = [split_header(field) for field in fields]
            behind = [[w for w in re.split(r"[\s_]+", name)[1:] if _is_unit(w)] for name, _ in named]
            found = [
                said or "".join(words[-1:]) or before
                for (_, said), words, before in zip(named, behind, found, strict=True)
            ]
    return found


def split_names(line: str, n_column: int) -> list[str]:
    """Names of so many columns in a line, with their units in brackets; empty if there are others.

    >>> split_names("# Period (s)  Spectral acceleration (g)", 2)
    ['Period (s)', 'Spectral acceleration (g)']
    """
    text = line.strip().lstrip("#%").strip()
    fields = split_fields(re.sub(r"\s+(?=[(\[])", "", text))
    if len(fields) != n_column:
        fields = [field.strip(" ,;\t") for field in re.findall(r"[^)\]]*[)\]]", text)]
    return fields if len(fields) == n_column else []


def _in_order(path: Path, meanings: list[str], names: str) -> list[Column]:
    """Columns with their roles, directions as ground x, y and z."""
    directions = {
        meaning: found
        for meaning in meanings
        if meaning.isupper() and (found := parse_orientation(meaning)) is not None
    }
    horizontal = [name for name, found in directions.items() if found.role == "horizontal"]
    vertical = [name for name in directions if name not in horizontal]
    twice = (horizontal and {"x", "y"} & {*meanings}) or (vertical and "z" in meanings)
    if len(horizontal) > 2 or len(vertical) > 1 or twice:
        raise MotionError(
            f"{path}: expected at most two horizontal columns and a vertical one, called x, y, z or by "
            f"their directions, got {names}"
        )
    one, two = [directions[name].azimuth for name in horizontal] if len(horizontal) == 2 else (None, None)
    if one is not None and two is not None:
        if not is_square(one, two):
            raise MotionError(f"{path}: the directions {' and '.join(horizontal)} are not 90 deg apart")
        if is_clockwise(one, two):
            horizontal.reverse()
    roles = dict(zip(horizontal, "xy", strict=False)) | dict.fromkeys(vertical, "z")
    return [
        Column(roles[meaning], meaning, directions[meaning].azimuth) if meaning in roles else Column(meaning)
        for meaning in meanings
    ]
