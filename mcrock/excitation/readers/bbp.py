"""SCEC Broadband Platform: time histories `.bbp` with four columns, simulated or recorded.

Lines that begin with ``#`` or ``%``, one of which names the columns with their units, ``time(sec)
N-S(cm/s/s) E-W(cm/s/s) U-D(cm/s/s)``; then a line for each time step. North, east and up are positive;
velocities in cm/s have the same form. Southern California Earthquake Center, Broadband Platform, file
format guide (https://github.com/SCECcode/bbp, doc/File-Format-Guide.md).
"""

from __future__ import annotations

import re

from mcrock.base.units import parse_unit
from mcrock.excitation.readers.csv_file import uniform_step
from mcrock.excitation.readers.text_file import NotRecordError, RecordedComponent, TextFile, parse_orientation

NAME = "SCEC BBP"
COLUMN = re.compile(r"([A-Za-z-]+)\s*\(([^()]*)\)")  # a name and its unit
QUANTITIES = {"cm/s": "velocity", "m/s": "velocity", "cm": "displacement", "m": "displacement"}


def matches(file: TextFile) -> bool:
    """Whether a comment above the table names a time, directions and their units."""
    return _names(file) is not None


def _names(file: TextFile) -> tuple[int, list[tuple[str, str]]] | None:
    """Line that names the columns, and names and units of the components."""
    for i, line in enumerate(file.lines):
        text = line.strip()
        if not text:
            continue
        if text[0] not in "#%":
            return None
        columns = COLUMN.findall(text)
        if (
            COLUMN.sub("", text).strip("#% \t")
            or not 2 <= len(columns) <= 4
            or columns[0][0].lower() != "time"
        ):
            continue
        if all(parse_orientation(name) for name, _ in columns[1:]):
            return i, columns[1:]
    return None


def read(file: TextFile) -> list[RecordedComponent]:
    """Read the components of a file.

    Raises
    ------
    MotionError
        With file, line and reason, if the file is damaged or holds no acceleration.
    """
    found = _names(file)
    assert found is not None  # as `matches` says
    line, columns = found
    units = {unit.replace(" ", "").lower() for _, unit in columns}
    quantity = {QUANTITIES.get(unit.replace("sec", "s")) for unit in units}
    if quantity <= {*QUANTITIES.values()}:
        raise NotRecordError(f"{quantity.pop()}, no acceleration")
    known = {parse_unit(unit) for unit in units}
    unit = known.pop()
    if unit is None or known:
        raise file.error(
            line, f"expected one unit of acceleration such as cm/s/s or g, got {', '.join(sorted(units))}"
        )
    first = next(
        (i for i in range(line, file.last + 1) if file.lines[i].strip()[:1] not in ("", "#", "%")),
        file.last + 1,
    )
    table = file.table(first, 1 + len(columns))
    dt = uniform_step(file.path, file.numbers_from(first), table[:, 0], None)
    of_all = {"format": NAME, "record": file.path.stem, "name": file.path.stem}
    return [
        file.recorded(samples, dt, unit, name, file.orientation(line, name, "column"), **of_all)
        for (name, _), samples in zip(columns, table.T[1:], strict=True)
    ]
