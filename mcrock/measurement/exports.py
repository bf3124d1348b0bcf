"""How loggers write their files: what marks them, which columns they have, and units that headers leave out.

The page on fits (`mcrock docs fitting`) names the document that each was taken from.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from typing import NamedTuple

from mcrock.base.tables.parsing import separator_of
from mcrock.base.units import split_header

# columns as people and most programs name them, with their unit in brackets; the last group is the axis
NAMES = {
    "time": re.compile(r"(?:time|timestamp|t)()", re.IGNORECASE),
    "omega_": re.compile(r"(?:omega|gyroscope|gyro|gyr|angular[ _]velocity)[ _]?([xyz])", re.IGNORECASE),
    "angle_": re.compile(r"(?:angle|phi)[ _]?([xyz])", re.IGNORECASE),
    "acceleration_": re.compile(r"(?:acceleration|accelerometer|accel|acc)[ _]?([xyz])", re.IGNORECASE),
}
ABOVE = 100  # lines above the header at most
BELOW = "below"  # the unit of a column stands in the line below its name
WRAPS = {"SampleTimeFine": 2.0**32, "PacketCounter": 2.0**16}  # counters start again from 0 after so many


class LoggerFormat(NamedTuple):
    """What a program writes."""

    mark: str  # pattern found in the lines above the table or in its header
    time: tuple[tuple[str, str], ...]  # pattern and unit of columns; the first that is there and not empty
    omega: tuple[str, str]  # pattern, whose last group is the axis, and unit
    acceleration: tuple[tuple[str, str], ...]
    file: str = ""  # pattern of the name of the file

    @property
    def columns(self) -> list[tuple[str, str, str]]:
        """Quantity, pattern and unit of all columns, the best first."""
        rows = [("time", pattern + "()", unit) for pattern, unit in self.time]
        return [*rows, ("omega_", *self.omega), *(("acceleration_", *each) for each in self.acceleration)]


# {NAME} in a unit is the number that follows this name in a line above the table
EXPORTS = (
    LoggerFormat(  # MT Manager of Xsens: older devices count samples and leave their time empty
        r"(?m)^//",
        (("SampleTimeFine", "1e-4 s"), ("PacketCounter", "1/{Rate} s")),
        ("Gyr_([XYZ])", "rad/s"),
        (("Acc_([XYZ])", "m/s2"),),
    ),
    LoggerFormat(  # Xsens DOT, later Movella DOT: the same columns in other units
        r"(?m)^DeviceTag:", (("SampleTimeFine", "us"),), ("Gyr_([XYZ])", "deg/s"), (("Acc_([XYZ])", "m/s2"),)
    ),
    LoggerFormat(  # Consensys of Shimmer; of two accelerometers that of low noise
        "_CAL",
        (("(?:.*_)?Timestamp_(?:Unix|Shimmer)_CAL", BELOW),),
        ("(?:.*_)?Gyro_([XYZ])_CAL", BELOW),
        (("(?:.*_)?Accel_LN_([XYZ])_CAL", BELOW), ("(?:.*_)?Accel_WR_([XYZ])_CAL", BELOW)),
    ),
    LoggerFormat(  # OpenLog Artemis, if it logs microseconds: its clock has hundredths of a second
        "(?m)^(?:rtc|micros).*output_Hz", (("micros", "us"),), ("g([XYZ])", "deg/s"), (("a([XYZ])", "mg"),)
    ),
    LoggerFormat(  # PicoQuake
        "PLab PicoQuake", (("count", "1/{data_rate} s"),), ("g_([xyz])", "deg/s"), (("a_([xyz])", "g"),)
    ),
    LoggerFormat(  # .gcsv, which self-made loggers write for Gyroflow
        "^GYROFLOW IMU LOG",
        (("t", "{tscale} s"),),
        ("g([xyz])", "{gscale} rad/s"),
        (("a([xyz])", "{ascale} g"),),
    ),
    LoggerFormat(  # MetaBase of MbientLab
        r"epoch? \(ms\)",
        ((r"elapsed \(s\)", "s"),),
        (r"([xyz])-axis \(deg/s\)", "deg/s"),
        ((r"([xyz])-axis \(g\)", "g"),),
    ),
    LoggerFormat(  # Sensor Logger: a file for each sensor of a telephone
        "^time,seconds_elapsed,", (("seconds_elapsed", "s"),), ("([xyz])", "rad/s"), (), "(?i)gyroscope"
    ),
)


class FoundTable(NamedTuple):
    """Where the table of a file is, and what its columns are."""

    header: int  # line of the names, from 0
    first: int  # line of the first readings
    columns: dict[str, tuple[str, str]]  # of a header: quantity and unit
    wraps: dict[str, float]  # of a quantity that is counted: after how many it starts again


def find_table(lines: list[str], file: str, own: Callable[[str], str]) -> FoundTable:
    """The table in the lines of a file.

    Parameters
    ----------
    lines : list of str
    file : str
        Name of the file.
    own : callable
        The quantity of a column that the user named, empty for others.
    """
    found = [_columns(lines, at, file, own) for at in range(min(len(lines), ABOVE))]
    best = max(range(len(found)), key=lambda at: len(found[at]), default=0)
    columns = found[best] if found else {}
    first = best + 1
    if any(unit == BELOW for _, unit in columns.values()):
        units = dict(zip(cells_of(lines[best]), cells_of("".join(lines[first : first + 1])), strict=False))
        columns = {
            name: (what, units.get(name, "") if unit == BELOW else unit)
            for name, (what, unit) in columns.items()
        }
        first += 1
    wraps = {what: WRAPS[name] for name, (what, _) in columns.items() if name in WRAPS}
    return FoundTable(best, first, columns, wraps)


def cells_of(line: str) -> list[str]:
    """Cells of a line without spaces around them."""
    try:
        rows = list(csv.reader([line], skipinitialspace=True, delimiter=separator_of(line)))
    except csv.Error:  # a cell of 131072 characters
        return []
    return [cell.strip() for cell in rows[0]] if rows else []


def _columns(lines: list[str], at: int, file: str, own: Callable[[str], str]) -> dict[str, tuple[str, str]]:
    """Columns that a line would be the header of: quantity and unit by their headers."""
    heads = [head for head in cells_of(lines[at]) if head]
    named = {head: (what, split_header(head)[1]) for head in heads if (what := own(head))}
    taken = {what for what, _ in named.values()}
    above = "\n".join(lines[: at + 1])
    for export in EXPORTS:
        if re.search(export.mark, above) and re.search(export.file, file):
            filled = dict(zip(heads, cells_of("".join(lines[at + 1 : at + 2])), strict=False))
            known = _of_export(export, [head for head in heads if filled.get(head)], above, taken)
            if known:
                return known | named
    for head in heads:
        name, unit = split_header(head)
        for quantity, form in NAMES.items():
            if (item := form.fullmatch(name)) and (what := quantity + item[1].lower()) not in taken:
                named.setdefault(head, (what, unit))
    return named


def _of_export(
    export: LoggerFormat, heads: list[str], above: str, taken: set[str]
) -> dict[str, tuple[str, str]]:
    known: dict[str, tuple[str, str]] = {}
    there = set(taken)
    for quantity, pattern, unit in export.columns:
        found = {
            head: quantity + item[1].lower()
            for head in heads
            if (item := re.fullmatch(pattern, head, re.IGNORECASE))
        }
        if there.isdisjoint(found.values()):
            known |= {head: (what, _with_numbers(unit, above)) for head, what in found.items()}
            there |= set(found.values())
    return known


def _with_numbers(unit: str, above: str) -> str:
    """A unit with the numbers that the lines above the table give; empty if one is missing."""
    for name in re.findall(r"{(\w+)}", unit):
        number = re.search(rf"(?i){name}\s*[:=,]\s*([-+.e\d]+)", above)
        if number is None:
            return ""
        unit = unit.replace(f"{{{name}}}", number[1].rstrip("e"))
    return unit
