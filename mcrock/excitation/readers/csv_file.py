"""Ground motions in tables of text: columns of time and acceleration, by the names and units above them."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from mcrock.base.params import STANDARD_GRAVITY
from mcrock.base.tables.parsing import with_points
from mcrock.base.units import ACCELERATIONS, TIMES, factor_to, plain_number, split_header
from mcrock.excitation.motion import TIME_STEP, FloatArray, Motion, MotionError, checked
from mcrock.excitation.readers import text_file

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

    Directions are put in order as in `mcrock.excitation.readers.read`: of two horizontal ones x is
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
    return kept[0].upper() if DIRECTION.fullmatch(kept[0]) and text_file.parse_orientation(kept[0]) else ""


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
    known = {meaning: text_file.parse_orientation(meaning) for meaning in meanings if meaning.isupper()}
    directions = {meaning: found for meaning, found in known.items() if found}
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
        if not text_file.is_square(one, two):
            raise MotionError(f"{path}: the directions {' and '.join(horizontal)} are not 90 deg apart")
        if text_file.is_clockwise(one, two):
            horizontal.reverse()
    roles = dict(zip(horizontal, "xy", strict=False)) | dict.fromkeys(vertical, "z")
    return [
        Column(roles[meaning], meaning, directions[meaning].azimuth) if meaning in roles else Column(meaning)
        for meaning in meanings
    ]


LARGEST_PGA = 3 * STANDARD_GRAVITY  # [m/s2]; hardly a record of an earthquake exceeds it
STEP_TOLERANCE = 0.01  # deviation of a printed time from the uniform grid, in steps [1]
COARSEST_DIGIT = 1 / 3  # last printed digit of the times, in steps [1]; coarser ones hide a lost sample
MOST_DIGITS = 9  # decimals of printed times that are looked for
DT_TOLERANCE = 1e-3  # between the step of the time column and a given one [1]
# one number with a decimal comma, or two whole numbers
EITHER = re.compile(r"[-+]?\d+,\d+")
LEADING_ZERO = re.compile(r"(?<![\d.eE])(?<![eE][-+])0\d")  # what a decimal comma leaves of 0,05
FORTRAN_EXPONENT = re.compile(r"(?<=[\d.])[dD](?=[-+]?\d+$)")


def read_csv(
    path: str | Path,
    unit: str | None = None,
    dt: float | None = None,
    name: str | None = None,
    columns: Sequence[str] | None = None,
) -> Motion:
    """Read a ground motion from columns of text.

    Columns are separated by commas, semicolons, tabs or blanks. A line of column names above them, which may
    begin with ``#`` or ``%``, or `columns` says which is which: `time` or `t`, and `x`, `y`, `z`, also as
    `ax`, `a_x` or `Acceleration X`, or directions such as `EW`, `N`, `H1`, `UD`, or a lone `acceleration`.
    Without names the file has one column of accelerations, and before it one of times, unless `dt` is given
    and that column decreases somewhere. Lines of text may precede the table, without a number or of other
    than as many words as it has columns, and other lines that begin with ``#`` or ``%`` are skipped.

    Parameters
    ----------
    path : str or Path
        Text file. Its first sample is taken as time 0.
    unit : str, optional
        Of the acceleration: "m/s2", "cm/s2", "mm/s2", "gal", "g" (9.80665 m/s2), "mg" and others; needed
        where the file does not say it, as in ``time [ms], x [g]``.
    dt : float, optional
        Time step [s], needed without a time column.
    name : str, optional
        Name of the motion, by default the name of the file without its ending.
    columns : sequence of str, optional
        Names of the columns, where the file does not say them.

    Returns
    -------
    Motion
        In [m/s2], components that the file lacks filled with zeros. Of two directions x is the one from
        which y lies counter-clockwise; `metadata` has their names and azimuths [rad].

    Raises
    ------
    MotionError
        With the file, the line and the reason: unreadable, no or unequal numbers of columns,
        something that is not a finite number or may have a decimal comma, a time that does not
        increase in equal steps, a step that contradicts `dt`, another unit in the column names than
        `unit` or one that is none, no unit, several columns of accelerations without names, or names that
        contradict `columns`.

    Warns
    -----
    UserWarning
        If the peak exceeds 3 g, most likely from a wrong unit.
    """
    path = Path(path)
    known = None if unit is None else text_file.known_unit(path, unit)
    if dt is not None:
        checked(TIME_STEP, f"{path}: dt", dt)
    table = _read(path)
    found = _columns(path, table, dt, columns)
    acceleration = np.zeros((3, len(table.values)))
    units = [column.unit or str(known) for column in found if column.role != "time"]
    metadata: dict[str, str | float] = {"file": path.name, "unit": ", ".join(dict.fromkeys(units))}
    for column, samples in zip(found, table.values.T, strict=True):
        factor = _factor(path, column, known)
        if column.role == "time":
            dt = uniform_step(path, table.lines, samples * factor, dt)
            continue
        acceleration["xyz".index(column.role)] = samples * factor
        if column.component:
            metadata[f"component_{column.role}"] = column.component
        if column.azimuth is not None:
            metadata[f"azimuth_{column.role}"] = column.azimuth
    remarks = [words for column in found if (words := text_file.orientation_remark(column.component))]
    unknown = {column.role: column.component for column in found if column.azimuth is None}
    if unknown.get("x") and "component_y" in metadata:
        remarks.append(text_file.unknown_direction_remark(unknown["x"], str(metadata["component_y"])))
    if remarks:
        metadata["remarks"] = "; ".join(remarks)
    if dt is None:
        raise MotionError(f"{path}: there is no time column; give dt, the time step [s]")
    checked(TIME_STEP, f"{path}: the time step", dt)
    peak = np.abs(acceleration).max()
    if peak > LARGEST_PGA:
        warnings.warn(
            f"{path}: peak acceleration {peak / STANDARD_GRAVITY:.3g} g with the unit '{metadata['unit']}'; "
            "is the unit right?",
            UserWarning,
            stacklevel=2,
        )
    return Motion(acceleration, dt, name or path.stem, metadata=metadata)


def _factor(path: Path, column: Column, given: str | None) -> float:
    """Factor of a column to SI, by the unit that the file says or the one given, which must agree."""
    if column.role == "time":
        factor = factor_to(column.unit or "s", "s")
    else:
        factor = factor_to(column.unit or given or "", "m/s2")
        if given and column.unit and factor != ACCELERATIONS[given]:
            raise MotionError(
                f"{path}: the column names say '{column.unit}', but the unit given is '{given}'"
            )
    if factor is None and not column.unit:
        raise MotionError(f"{path}: a table does not say its unit; give the unit of the acceleration")
    if factor is None:
        kinds = TIMES if column.role == "time" else ACCELERATIONS
        raise MotionError(f"{path}: the column names say '{column.unit}', expected one of {', '.join(kinds)}")
    return factor


def without_unit(path: Path, dt: float | None, columns: Sequence[str] | None) -> str | None:
    """What a table says wrongly that has to say its unit; empty if it says none, None if it says one."""
    try:
        found = _columns(path, _read(path), dt, columns)
        for column in found:
            _factor(path, column, None)
    except MotionError as error:
        words = str(error).removeprefix(f"{path}: ")
        wrong = re.search("names say|one column each|, got", words)
        return words if wrong or isinstance(error, UnknownColumnError) else ""
    timed = dt or any(column.role == "time" for column in found)
    return None if timed else "there is no time column; give dt"


def read_table(path: Path) -> tuple[list[str], list[int], FloatArray]:
    """Read a text file of numbers: comments and lines of text, line numbers of the rows, (n_row, n_column).

    Raises
    ------
    MotionError
        With file, line and column, if a field is not a finite number or rows differ in length.
    """
    table = _read(path)
    return [*table.comments, *table.headers], table.lines, table.values


class _NumberTable(NamedTuple):
    """Numbers of a text file (n_row, n_column), the lines they stand in, and the text above them."""

    headers: list[str]
    comments: list[str]
    lines: list[int]
    values: FloatArray
    body: list[str]  # lines of text that hold the numbers


def _read(path: Path) -> _NumberTable:
    content = text_file.read_content(path)
    if b"\0" in content:
        raise MotionError(f"{path}: not a text file in UTF-8")
    lines = text_file.split_lines(content)
    while lines and not lines[-1].strip():
        del lines[-1]
    width = _width(lines)
    first = next((i for i, line in enumerate(lines) if _is_row(line, width)), len(lines))
    comments = [line for line in lines[:first] if _is_skipped(line)]
    headers = [line.strip() for line in lines[:first] if not _is_skipped(line)]
    body = lines[first:]
    values = _convert(body)
    if values is not None:
        return _NumberTable(headers, comments, list(range(first + 1, len(lines) + 1)), values, body)
    return _NumberTable(headers, comments, *_read_by_line(path, first, body))


def _width(lines: list[str]) -> int:
    """Columns of a table, by its first line of nothing but numbers; 0 if there is none."""
    rows = (split_fields(line.strip()) for line in lines if not _is_skipped(line))
    return next((len(fields) for fields in rows if all(map(_is_number, fields))), 0)


def _is_row(line: str, width: int) -> bool:
    """Whether a line belongs to the table: a number is in it, and it is neither comment nor prose."""
    fields = split_fields(line.strip())
    is_prose = len(fields) != width and re.search(r"[^\W\d_]{2}", line)
    return not (_is_skipped(line) or is_prose) and any(map(_is_number, fields))


def _convert(body: list[str]) -> FloatArray | None:
    """All numbers at once, None where a line is not plainly numbers: then each line is looked at."""
    text = "\n".join(body)
    separator = next((s for s in ";\t," if s in text), None)
    if separator in (";", "\t") and "," in text:
        text = with_points(text)
        body = text.split("\n")
    if any(character in text for character in "#%\"'_") or LEADING_ZERO.search(text):
        return None
    if "\n\n" in text or len(body) < 2 or (separator and any(separator not in line for line in body)):
        return None
    try:
        values = np.loadtxt(body, delimiter=separator, comments=None, ndmin=2)
    except ValueError:
        return None
    return values if len(values) == len(body) and np.isfinite(values).all() else None


def _read_by_line(path: Path, first: int, body: list[str]) -> tuple[list[int], FloatArray, list[str]]:
    """The table line by line, with a message that names the first thing that is wrong."""
    lines: list[int] = []
    rows: list[list[float]] = []
    kept: list[str] = []
    for line, content in enumerate(body, start=first + 1):
        if _is_skipped(content):
            continue
        fields = split_fields(content.strip())
        row = []
        for column, field in enumerate(fields, start=1):
            value = _number(field)
            if value is None:
                raise MotionError(
                    f"{path}, line {line}, column {column}: expected a number with a decimal point, "
                    f"got {field!r}; begin a line of text with #"
                    + ", and separate columns by semicolons where commas are decimal"
                    * (" " in field)
                )
            row.append(value)
        if rows and len(row) != len(rows[0]):
            raise MotionError(
                f"{path}, line {line}: {len(row)} columns, but {len(rows[0])} in line {lines[0]}"
            )
        lines.append(line)
        rows.append(row)
        kept.append(content)
    if len(rows) < 2:
        raise MotionError(f"{path}: at least 2 lines of numbers are needed, got {len(rows)}")
    return lines, np.array(rows), kept


def _is_skipped(line: str) -> bool:
    """Whether a line is blank or a comment."""
    return line.strip()[:1] in ("", "#", "%")


def _number(field: str) -> float | None:
    """A number, None if a field is none: not `1_000`, nor the `05` that a decimal comma leaves of 0,05."""
    if re.search(r"^[+-]?0\d", field):
        return None
    try:
        return plain_number(FORTRAN_EXPONENT.sub("E", field))
    except ValueError:
        return None


def _is_number(field: str) -> bool:
    return _number(field) is not None


def _columns(path: Path, table: _NumberTable, dt: float | None, given: Sequence[str] | None) -> list[Column]:
    """Meaning of each column, by its name in the file or as given, or of a lone component by its place."""
    n_column = table.values.shape[1]
    named: list[Column] = []
    try:
        named = named_columns(path, table.headers, n_column)
        comment = "" if named else comment_names(table.comments, n_column)
        if comment:
            named = named_columns(path, [comment], n_column)
    except UnknownColumnError:
        if not given:
            raise
    if not given:
        return named or _columns_by_place(path, table, dt)
    names = ", ".join(given)
    if len(given) != n_column:
        raise MotionError(f"{path}: columns = {names} is given, {len(given)} names for {n_column} columns")
    columns = named_columns(path, [",".join(given)], n_column)
    if not columns:
        raise MotionError(
            f"{path}: columns must be time, x, y, z or directions such as EW, NS, UD, got {names}"
        )
    if named and [column[:3] for column in columns] != [column[:3] for column in named]:
        said = ", ".join(column.component or column.role for column in named)
        raise MotionError(f"{path}: columns = {names} is given, but the file names them {said}")
    own = [column.unit for column in named] or units_said(table.headers, "", n_column)
    return [column._replace(unit=column.unit or unit) for column, unit in zip(columns, own, strict=True)]


def _columns_by_place(path: Path, table: _NumberTable, dt: float | None) -> list[Column]:
    """Columns of a table without names: a time, if it has one, and one of accelerations.

    Of two no place tells which lies counter-clockwise of the other. A first column that only increases is
    a time even if `dt` is given: no shaking does that.
    """
    values = table.values
    n_column = values.shape[1]
    increases = len(values) > 2 and np.ptp(values[:, 0]) > 0 and (np.diff(values[:, 0]) >= 0).all()
    has_time = n_column > 1 and (dt is None or n_column == 4 or bool(increases))
    if n_column - has_time > 3:
        raise MotionError(f"{path}: expected at most 4 columns, time, x, y, z, got {n_column}")
    if n_column == 2 and not has_time and all(EITHER.fullmatch(_bare(line)) for line in table.body):
        raise MotionError(
            f"{path}, line {table.lines[0]}: {table.body[0].strip()[:40]!r} and all lines below may be a "
            "number with a decimal comma or two columns; write a decimal point, or name the columns x,y"
        )
    if n_column - has_time > 1:
        names = ["time"] * has_time + ["EW", "NS", "UD"][: n_column - has_time]
        raise MotionError(
            f"{path}: no line names the {n_column} columns, and their directions are unknown; name them in a "
            f"first line, as in {','.join(names)} (or with --columns of mcrock records, columns of [motion])"
        )
    said = units_said(table.headers, "", n_column)
    return [Column(role, unit=unit) for role, unit in zip(["time"] * has_time + ["x"], said, strict=True)]


def _bare(line: str) -> str:
    """A line without blanks and quotation marks."""
    return re.sub(r"[\s\"']", "", line)


def uniform_step(path: Path, lines: Sequence[int], time: FloatArray, dt: float | None) -> float:
    """Time step [s] of a time column, which has to agree with `dt` where that is given."""
    steps = np.diff(time)
    if (steps <= 0).any():
        i = int(np.argmax(steps <= 0))
        raise MotionError(
            f"{path}, line {lines[i + 1]}: time does not increase: {time[i + 1]:g} s after {time[i]:g} s; "
            "if the first column is not the time, give dt [s] and name the columns x, y, z"
        )
    mean = float(time[-1] - time[0]) / len(steps)
    digit = _last_digit(time)
    # times cut to their last digit are off by up to half of it, and so are the two that give the mean
    rounding = digit if digit <= COARSEST_DIGIT * mean else 0.0
    deviation = time - time[0] - mean * np.arange(len(time))
    if np.abs(deviation).max() > max(STEP_TOLERANCE * mean, rounding):
        usual = np.median(steps)
        i = int(np.argmax(np.abs(steps - usual)))
        raise MotionError(
            f"{path}, line {lines[i + 1]}: the time step is not uniform: {steps[i]:.6g} s here, "
            f"{usual:.6g} s elsewhere; resample the record, or take out a column of rounded times and give dt"
        )
    if dt is None:
        return float(f"{mean:.9g}")  # times are printed decimals: drop the noise of their differences
    if abs(mean - dt) > DT_TOLERANCE * dt + rounding / len(steps):
        raise MotionError(f"{path}: the time column steps by {mean:.6g} s, but dt = {dt:g} s is given")
    return float(dt)


def _last_digit(time: FloatArray) -> float:
    """Place of the last printed digit of some times [s], 0 if they have more than are looked for."""
    for digits in range(MOST_DIGITS + 1):
        scaled = time * 10.0**digits
        if np.abs(scaled - np.round(scaled)).max() < 1e-6:
            return 10.0**-digits
    return 0.0
