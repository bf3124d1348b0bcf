"""Records as text: a table of their measures that fits the terminal, and what is suspicious."""

from __future__ import annotations

from math import isnan

from mcrock.base.params import STANDARD_GRAVITY
from mcrock.excitation.motion import Motion
from mcrock.excitation.survey import Survey, component_values
from mcrock.show.tables import format_table, shorten, wrap

NAME = 44  # of a record in the table [characters]
SHORT_NAME, SHORTEST_NAME = 24, 12  # where the terminal is narrow: in one table and in two [characters]
COLUMNS = (  # of the table, with their units
    ("no.", ""),
    ("record", ""),
    ("format", ""),
    ("comp.", ""),
    ("dt", "[s]"),
    ("length", "[s]"),
    ("PGA", "[g]"),
    ("PGV", "[m/s]"),
    ("PGD", "[m]"),
    ("Arias", "[m/s]"),
    ("D5-95", "[s]"),
    ("Tm", "[s]"),
    ("unit", ""),
    ("flags", ""),
)
PARTS = ((0, 1, 2, 3, 4, 5, 12, 13), (0, 1, 6, 7, 8, 9, 10, 11))  # columns of two narrow tables
COMPONENT = 3  # column of it
MARKS = {"fixed by the format": "*", "given": "+"}  # how the unit was known, else declared in the file


def format_surveys(surveys: list[Survey], width: int, components: bool = False) -> str:
    """Table of records or of their components, its legend, and what is suspicious.

    Parameters
    ----------
    surveys : list of Survey
        From `mcrock.excitation.survey.survey`.
    width : int
        Of the terminal [characters].
    components : bool
        A line for each component instead of each record.
    """
    rows = _component_rows(surveys) if components else _rows(surveys)
    legend = _legend(components, width)
    return "\n".join([_fit_table(rows, components, width), *legend, *_flag_lines(surveys, width)])


def _fit_table(rows: list[list[str]], components: bool, width: int) -> str:
    """The table in lines that fit: with long heads, with short ones, or in two parts."""
    whole = format_table([f"{name} {unit}".rstrip() for name, unit in COLUMNS], rows)
    if len(whole.partition("\n")[0]) <= width:
        return whole
    every = tuple(range(len(COLUMNS)))
    narrow = _narrow(rows, every, width, SHORT_NAME)
    if len(narrow.partition("\n")[0]) <= width:
        return narrow
    first, second = PARTS
    if components:
        second = (0, COMPONENT, *second[2:])
    return "\n\n".join(_narrow(rows, part, width, SHORTEST_NAME) for part in (first, second))


def _narrow(rows: list[list[str]], part: tuple[int, ...], width: int, shortest: int) -> str:
    """Some columns with the units below their heads, and names as short as the width wants."""
    heads = [COLUMNS[i][0] for i in part]
    body = [[COLUMNS[i][1] for i in part], *([row[i] for i in part] for row in rows)]
    excess = len(format_table(heads, body).partition("\n")[0]) - width
    if excess > 0:
        longest = max(len(row[1]) for row in body)
        body = [[row[0], shorten(row[1], max(longest - excess, shortest)), *row[2:]] for row in body]
    return format_table(heads, body)


def _rows(surveys: list[Survey]) -> list[list[str]]:
    """A line for each record."""
    rows = []
    for number, found in enumerate(surveys, start=1):
        motion = found.motion
        axes = "".join(
            axis for axis, samples in zip("xyz", motion.acceleration, strict=True) if samples.any()
        )
        rows.append(_row(number, motion, axes, found.values, str(len(found.flags) or "")))
    return rows


def _component_rows(surveys: list[Survey]) -> list[list[str]]:
    """A line for each component that is not zero throughout."""
    rows = []
    for number, found in enumerate(surveys, start=1):
        for axis, values in component_values(found.motion).items():
            name = found.motion.metadata.get(f"component_{axis}", "")
            rows.append(
                _row(number, found.motion, f"{axis} {name}".strip(), values, str(len(found.flags) or ""))
            )
    return rows


def _row(number: int, motion: Motion, components: str, values: dict[str, float], flags: str) -> list[str]:
    numbers = [values["pga"] / STANDARD_GRAVITY, *(values[name] for name in list(values)[1:])]
    return [
        str(number),
        shorten(motion.name, NAME),
        str(motion.metadata.get("format", "")),
        components,
        f"{motion.dt:g}",
        f"{motion.duration:.4g}",
        *("-" if isnan(value) else f"{value:.3g}" for value in numbers),
        f"{motion.metadata.get('unit', '')}{MARKS.get(str(motion.metadata.get('unit_known')), '')}",
        flags,
    ]


def _legend(components: bool, width: int) -> list[str]:
    measures = (
        "PGA to Tm: of each component as recorded"
        if components
        else "PGA to Tm: geometric mean of the horizontal components as recorded (--components for each)"
    )
    marks = ", ".join(f"{mark} {known}" for known, mark in MARKS.items())
    return [
        wrap(f"{measures}; velocity and displacement integrated from rest", width, "  "),
        wrap(f"unit: declared in the file, or {marks}", width, "  "),
    ]


def _flag_lines(surveys: list[Survey], width: int) -> list[str]:
    """Suspicious features, record by record."""
    flagged = [(number, found) for number, found in enumerate(surveys, start=1) if found.flags]
    if not flagged:
        return [f"nothing suspicious in {len(surveys)} records"]
    lines = [f"suspicious in {len(flagged)} of {len(surveys)} records:"]
    for number, found in flagged:
        where = found.motion.metadata.get("file", "")
        lines.append(
            wrap(f"  {number}  {found.motion.name}" + (f" ({where})" if where else ""), width, "     ")
        )
        lines += [wrap(f"     - {flag}", width, "       ") for flag in found.flags]
    return lines
