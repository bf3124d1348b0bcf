"""A ground motion from a text table: columns of time and acceleration, with a stated unit."""

from __future__ import annotations

import re
import warnings
from math import isfinite
from pathlib import Path

import numpy as np

from mcrock.excitation.motion import FloatArray, Motion, MotionError
from mcrock.params import STANDARD_GRAVITY

UNITS = {  # [m/s2], in lower case
    "m/s2": 1.0,
    "cm/s2": 0.01,
    "mm/s2": 0.001,
    "gal": 0.01,
    "g": STANDARD_GRAVITY,
    "mg": STANDARD_GRAVITY / 1000,
}
LARGEST_PGA = 3 * STANDARD_GRAVITY  # [m/s2]; hardly a record of an earthquake exceeds it
STEP_TOLERANCE = 0.01  # deviation of a printed time from the uniform grid, in steps [1]
DT_TOLERANCE = 1e-3  # between the step of the time column and a given one [1]


def read_csv(path: str | Path, unit: str, dt: float | None = None, name: str | None = None) -> Motion:
    """Read a ground motion from columns of text.

    Columns are ``[time,] x [, y [, z]]``, separated by commas, semicolons, tabs or blanks. A line
    of column names settles which is which: `time` or `t`, and `x`, `y`, `z`, also as `ax`, `a_x` or
    `acc_x`, or a lone `acceleration`. Without names the first column is the time, unless `dt` is
    given and the column decreases somewhere. Lines of text without a number may precede the table,
    and lines that begin with ``#`` or ``%`` are skipped.

    Parameters
    ----------
    path : str or Path
        Text file. Its first sample is taken as time 0.
    unit : str
        Of the acceleration: "m/s2", "cm/s2", "mm/s2", "gal", "g" (9.80665 m/s2) or "mg".
    dt : float, optional
        Time step [s], needed without a time column.
    name : str, optional
        Name of the motion, by default the name of the file without its ending.

    Returns
    -------
    Motion
        In [m/s2], components that the file lacks filled with zeros.

    Raises
    ------
    MotionError
        With the file, the line and the reason: unreadable, no or unequal numbers of columns,
        something that is not a finite number, a time that does not increase in equal steps, a step
        that contradicts `dt`, or another unit in the column names than `unit`.

    Warns
    -----
    UserWarning
        If the peak exceeds 3 g, most likely from a wrong unit.
    """
    path = Path(path)
    if not isinstance(unit, str) or unit.lower() not in UNITS:
        raise MotionError(f"{path}: unit of the acceleration must be one of {', '.join(UNITS)}, got {unit!r}")
    if dt is not None and not (isfinite(dt) and dt > 0):
        raise MotionError(f"{path}: dt must be finite and > 0 [s], got {dt!r}")
    headers, lines, table = read_table(path)
    roles = _roles_named(path, headers, unit, table.shape[1]) or _roles_by_place(path, table, dt)
    acceleration = np.zeros((3, len(table)))
    for role, column in zip(roles, table.T, strict=True):
        if role == "time":
            dt = _uniform_step(path, lines, column, dt)
        else:
            acceleration["xyz".index(role)] = column * UNITS[unit.lower()]
    if dt is None:
        raise MotionError(f"{path}: there is no time column; give dt, the time step [s]")
    peak = np.abs(acceleration).max()
    if peak > LARGEST_PGA:
        warnings.warn(
            f"{path}: peak acceleration {peak / STANDARD_GRAVITY:.3g} g with the unit '{unit}'; "
            "is the unit right?",
            UserWarning,
            stacklevel=2,
        )
    return Motion(acceleration, dt, name or path.stem, metadata={"file": path.name, "unit": unit})


def read_table(path: Path) -> tuple[list[str], list[int], FloatArray]:
    """Read a text file of numbers: lines of text above them, line numbers of the rows, (n_row, n_column).

    Raises
    ------
    MotionError
        With file, line and column, if a field is no finite number or rows differ in length.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise MotionError(f"{path}: not a text file in UTF-8") from None
    except OSError as error:
        raise MotionError(f"{path}: cannot be read: {error.strerror}") from None
    headers: list[str] = []
    lines: list[int] = []
    rows: list[list[float]] = []
    for line, content in enumerate(text.splitlines(), start=1):
        content = content.strip()
        if not content or content[0] in "#%":
            continue
        fields = _split(content)
        if not rows and not any(_is_number(field) for field in fields):
            headers.append(content)
            continue
        for column, field in enumerate(fields, start=1):
            if not _is_number(field):
                raise MotionError(
                    f"{path}, line {line}, column {column}: expected a number with a decimal point, "
                    f"got {field!r}; begin a line of text with #"
                )
            if not isfinite(float(field)):
                raise MotionError(f"{path}, line {line}, column {column}: not finite: {field!r}")
        if rows and len(fields) != len(rows[0]):
            raise MotionError(
                f"{path}, line {line}: {len(fields)} columns, but {len(rows[0])} in line {lines[0]}"
            )
        lines.append(line)
        rows.append([float(field) for field in fields])
    if len(rows) < 2:
        raise MotionError(f"{path}: at least 2 lines of numbers are needed, got {len(rows)}")
    return headers, lines, np.array(rows)


def _split(content: str) -> list[str]:
    """Fields of a line: the strongest separator in it separates."""
    separator = next((s for s in ";\t," if s in content), None)
    return [field.strip().strip("\"'") for field in content.split(separator)]


def _is_number(field: str) -> bool:
    """Whether a field is a number: not `1_000`, nor the `05` that a decimal comma leaves of 0,05."""
    try:
        float(field)
    except ValueError:
        return False
    return not re.search(r"_|^[+-]?0\d", field)


def _roles_named(path: Path, headers: list[str], unit: str, n_column: int) -> list[str]:
    """Role of each column, `time`, `x`, `y` or `z`, from a line of names; empty if there is none."""
    unknown = []
    for header in reversed(headers):
        fields = _split(re.sub(r"[(\[].*?[)\]]", "", header))
        roles = [_role(field) for field in fields]
        if "" not in roles:
            break
        if len(fields) == n_column > 1:
            unknown += [field for field, role in zip(fields, roles, strict=True) if not role]
    else:
        if unknown:
            raise MotionError(
                f"{path}: column {unknown[0]!r} is not known; name the columns time, x, y, z, "
                "or begin the line with # to have them taken in this order"
            )
        return []
    if len(roles) != n_column:
        raise MotionError(
            f"{path}: {len(roles)} column names ({', '.join(fields)}) for {n_column} columns; "
            "begin a title with #"
        )
    if len({*roles}) < n_column or roles == ["time"]:
        raise MotionError(f"{path}: expected one column each of time, x, y, z, got {', '.join(fields)}")
    for found in re.findall(r"[(\[]\s*(.*?)\s*[)\]]", header):
        if found.lower() not in ("s", "sec") and UNITS.get(found.lower()) != UNITS[unit.lower()]:
            raise MotionError(
                f"{path}: the column names say '{found}', but the unit given is '{unit}' (and s for the time)"
            )
    return roles


def _role(name: str) -> str:
    """Role of a column by its name, empty if unknown."""
    name = name.lower()
    if name in ("time", "t"):
        return "time"
    match = re.fullmatch(r"(?:(?:a|acc|acceleration)_?)?([xyz])|a|acc|acceleration", name)
    return (match[1] or "x") if match else ""


def _roles_by_place(path: Path, table: FloatArray, dt: float | None) -> list[str]:
    """Role of each column of a table without names.

    A first column that only increases is a time even if `dt` is given: no shaking does that.
    """
    n_column = table.shape[1]
    increases = len(table) > 2 and np.ptp(table[:, 0]) > 0 and (np.diff(table[:, 0]) >= 0).all()
    has_time = n_column > 1 and (dt is None or n_column == 4 or bool(increases))
    if n_column - has_time > 3:
        raise MotionError(f"{path}: expected at most 4 columns, time, x, y, z, got {n_column}")
    return ["time"] * has_time + ["x", "y", "z"][: n_column - has_time]


def _uniform_step(path: Path, lines: list[int], time: FloatArray, dt: float | None) -> float:
    """Time step [s] of a time column, which has to agree with `dt` where that is given."""
    steps = np.diff(time)
    if (steps <= 0).any():
        i = int(np.argmax(steps <= 0))
        raise MotionError(
            f"{path}, line {lines[i + 1]}: time does not increase: {time[i + 1]:g} s after {time[i]:g} s; "
            "if the first column is no time, give dt [s] and name the columns x, y, z"
        )
    mean = float(time[-1] - time[0]) / len(steps)
    deviation = time - time[0] - mean * np.arange(len(time))
    if np.abs(deviation).max() > STEP_TOLERANCE * mean:
        usual = np.median(steps)
        i = int(np.argmax(np.abs(steps - usual)))
        raise MotionError(
            f"{path}, line {lines[i + 1]}: the time step is not uniform: {steps[i]:.6g} s here, "
            f"{usual:.6g} s elsewhere; resample the record, or take out a column of rounded times and give dt"
        )
    if dt is None:
        return float(f"{mean:.9g}")  # times are printed decimals: drop the noise of their differences
    if abs(mean - dt) > DT_TOLERANCE * dt:
        raise MotionError(f"{path}: the time column steps by {mean:.6g} s, but dt = {dt:g} s is given")
    return float(dt)
