"""PEER strong-motion records: files `.AT2`, one component each, and the table of a download folder.

Four lines of header: database, event with date, station and component, quantity with its unit, and
number of samples and time step; then the samples, separated by blanks. Pacific Earthquake
Engineering Research Center, NGA-West2 ground motion database.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from mcrock.excitation.csv_file import UNITS
from mcrock.excitation.motion import MotionError
from mcrock.excitation.readers.orientation import parse_orientation
from mcrock.excitation.readers.recording import DECLARED, NotRecordError, Recording
from mcrock.excitation.readers.text_file import NUMBER, TextFile

NAME = "PEER AT2"
HEADER_LINES = 8  # in which the number of samples is looked for; usual is the fourth
QUANTITY = re.compile(r"(ACCEL\w*|VELOC\w*|DISPL\w*)\s+TIME[\s-]*(?:SERIES|HISTORY)", re.IGNORECASE)
UNIT = re.compile(r"\bUNITS?\s+OF\s+([A-Z][A-Z0-9/*^]*)", re.IGNORECASE)
UNIT_WORDS = {"G": "g", "CM/S/S": "cm/s2", "CM/SEC/SEC": "cm/s2", "CM/S**2": "cm/s2", "CM/S^2": "cm/s2"}
STEP = rf"({NUMBER}(?:E[-+]?\d+)?)"
# `NPTS= 7999, DT= .0050 SEC` today, `4000 0.0100 NPTS, DT` in old files
NEW_COUNTS = re.compile(rf"NPTS\s*=\s*([^\s,]+)\s*,?\s*DT\s*=\s*{STEP}", re.IGNORECASE)
OLD_COUNTS = re.compile(rf"^\s*([^\s,]+)\s+{STEP}\s+NPTS\s*,\s*DT", re.IGNORECASE)
DATE = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{2,4})")
# end of a file name: RSN864_LANDERS_JOS-UP, ..._1061-N, ..._HVSCS26W, ..._GIL067
ENDING = re.compile(
    r"(?:[-_.](UP|DWN|VER[T]?|DN|[NESWVZLT]|BH[12Z])|([NS]\d\d[EW])|(\d{3})|(UP|DWN|VER))$", re.I
)


def matches(file: TextFile) -> bool:
    """Whether the file looks like one of PEER, of any quantity."""
    head = file.lines[:HEADER_LINES]
    return any(_counts(line) for line in head) and any(
        QUANTITY.search(line) or "PEER" in line.upper() for line in head
    )


def read(file: TextFile) -> list[Recording]:
    """Read the component of a file.

    Raises
    ------
    MotionError
        With file, line and reason, if the file is damaged or its unit is missing or unknown.
    """
    index, counts = next(
        (i, found) for i, line in enumerate(file.lines[:HEADER_LINES]) if (found := _counts(line))
    )
    unit = _unit(file, index)
    count = file.count(index, counts[1], "NPTS")
    dt = file.number(index, counts[2], "DT [s]", positive=True)
    samples, _ = file.samples(index + 1, count)
    title = _parse_title(file.lines[1] if index > 1 else "")
    stem, ending = _parse_name(file.path.stem)
    component = next((words for words in (title.component, ending) if parse_orientation(words)), "")
    orientation = parse_orientation(component)
    if orientation is None:
        raise file.error(
            1,
            f"the direction of the component is neither in {file.lines[1].strip()!r} nor in the name of the "
            "file; expected an azimuth in degrees, N, E, UP or the like at the end",
        )
    rsn = re.match(r"RSN(\d+)_", file.path.name, re.IGNORECASE)
    record = f"{title.event} {title.date}, {title.station}".strip(" ,") or stem
    facts: dict[str, str | float] = {"rsn": int(rsn[1])} if rsn else {}
    if title.event:
        facts |= {"event": title.event, "station": title.station, "year": title.year}
    return [
        Recording(
            samples * UNITS[unit],
            dt,
            file.path,
            NAME,
            unit,
            DECLARED,
            record=f"RSN {rsn[1]}" if rsn else record,
            name=f"{title.event} {title.year}, {title.station}" if title.event and title.station else stem,
            component=component,
            role=orientation.role,
            azimuth=orientation.azimuth,
            facts=facts,
        )
    ]


def _counts(line: str) -> re.Match[str] | None:
    return NEW_COUNTS.search(line) or OLD_COUNTS.search(line)


def _unit(file: TextFile, end: int) -> str:
    """Unit in the lines of text before the counts."""
    for i, line in enumerate(file.lines[:end]):
        quantity = QUANTITY.search(line)
        if quantity and not quantity[1].upper().startswith("ACCEL"):
            raise NotRecordError(f"a {quantity[0].lower()}, no acceleration")
        found = UNIT.search(line)
        if found:
            if found[1].upper() not in UNIT_WORDS:
                raise file.error(
                    i, f"unit of the acceleration must be one of {', '.join(UNIT_WORDS)}, got {found[1]!r}"
                )
            return UNIT_WORDS[found[1].upper()]
    raise file.error(end - 1, "the header does not say the unit; expected 'IN UNITS OF G'")


class _Title(NamedTuple):
    """Second line of a file: event, date, station and component, empty where not understood."""

    event: str
    date: str
    year: int
    station: str
    component: str


def _parse_title(line: str) -> _Title:
    date = DATE.search(line)
    if not date:
        return _Title("", "", 0, "", line.rpartition(",")[2].strip())
    year = int(date[3]) if len(date[3]) == 4 else 1900 + int(date[3])  # two digits: before 2000
    rest = [field.strip() for field in line[date.end() :].split(",")]
    component = re.split(r"[\s(]", rest[-1], maxsplit=1)[0] if len(rest) > 1 else ""
    if component.isdigit():
        component = component.zfill(3)  # an azimuth, not a number of an axis
    event = line[: date.start()].strip(" ,").replace("_", ",")
    return _Title(event, date[0], year, ", ".join(rest[1:-1]), component)


def _parse_name(stem: str) -> tuple[str, str]:
    """Name of a file without and with only the component at its end."""
    found = ENDING.search(stem)
    return (stem[: found.start()], next(filter(None, found.groups()))) if found else (stem, "")


# column of `_SearchResults.csv`: (fact, factor to SI units)
FACTS: dict[str, tuple[str, float]] = {
    "Magnitude": ("magnitude", 1.0),
    "Rjb (km)": ("distance_joyner_boore", 1000.0),
    "Rrup (km)": ("distance_rupture", 1000.0),
    "Vs30 (m/sec)": ("vs30", 1.0),
    "Lowest Useable Frequency (Hz)": ("lowest_usable_frequency", 1.0),
    "Scale Factor": ("scale_factor", 1.0),  # of the search, not applied
    "Tp-Pulse Period (sec)": ("pulse_period", 1.0),
}
TABLE = "summary of metadata of selected records"
SLOTS = ("Horizontal-1 Acc. Filename", "Horizontal-2 Acc. Filename", "Vertical Acc. Filename")


class Listed(NamedTuple):
    """What `_SearchResults.csv` says of a file."""

    rsn: str
    slot: int  # 0 and 1 horizontal, 2 vertical
    facts: dict[str, str | float]


def is_search_results(file: TextFile) -> bool:
    """Whether the file is the table that comes with a download."""
    return any(TABLE in line.lower() for line in file.lines)


def read_search_results(file: TextFile) -> dict[str, Listed]:
    """Files that the table of a download folder lists, by their names in lower case.

    Raises
    ------
    MotionError
        If the columns with the record number or the file names are missing.
    """
    start = next(i for i, line in enumerate(file.lines) if TABLE in line.lower()) + 1
    rows = [[field.strip().strip('"').strip() for field in row] for row in _rows(file.lines[start:])]
    heads = rows[0] if rows else []
    for needed in ("Record Sequence Number", *SLOTS):
        if needed not in heads:
            raise MotionError(f"{file.path}, line {start + 1}: column {needed!r} is missing")
    listed: dict[str, Listed] = {}
    for row in rows[1:]:
        values = dict(zip(heads, row, strict=False))
        facts = _facts(values)
        for slot, column in enumerate(SLOTS):
            name = values.get(column, "")
            if Path(name).suffix:
                listed[name.lower()] = Listed(values["Record Sequence Number"], slot, facts)
    return listed


def _rows(lines: Iterable[str]) -> Iterable[list[str]]:
    """Rows of the table, up to the first empty one."""
    for row in csv.reader(lines, skipinitialspace=True):
        if not any(field.strip() for field in row):
            return
        yield row


def _facts(values: dict[str, str]) -> dict[str, str | float]:
    """Facts of a row in SI units; what is not a number is left out."""
    facts: dict[str, str | float] = {
        "event": values.get("Earthquake Name", "").replace("_", ","),
        "station": values.get("Station Name", ""),
        "fault_type": values.get("Mechanism", ""),
    }
    if values.get("Year", "").isdigit():
        facts["year"] = int(values["Year"])
    for column, (name, factor) in FACTS.items():
        try:
            facts[name] = round(factor * float(values[column]), 6)  # [km] to [m], less noise of the product
        except (KeyError, ValueError):
            continue
    return {name: value for name, value in facts.items() if value != ""}


def with_search_results(
    recordings: list[Recording], listed: dict[str, Listed], table: Path
) -> tuple[list[Recording], list[str]]:
    """Recordings of a download folder with the facts of its table, and the listed files not there.

    The table says which files belong together, and puts them in order: where directions are not
    known, Horizontal-1 becomes ground x.
    """
    found = {recording.path.name.lower(): recording for recording in recordings}
    missing = [name for name in listed if name not in found]
    ordered = sorted(recordings, key=lambda recording: _place(recording, listed))
    completed = []
    for recording in ordered:
        entry = listed.get(recording.path.name.lower())
        if entry is None:
            completed.append(recording)
            continue
        if (entry.slot == 2) != (recording.role != "horizontal"):
            wanted = "vertical" if entry.slot == 2 else "horizontal"
            raise MotionError(
                f"{recording.path}: {table.name} lists it as a {wanted} component, its header says "
                f"{recording.component!r}"
            )
        facts = {**recording.facts, **entry.facts, "rsn": int(entry.rsn)}
        name = recording.name
        if {"event", "year", "station"} <= facts.keys():
            name = f"{facts['event']} {facts['year']}, {facts['station']}"
        completed.append(replace(recording, record=f"RSN {entry.rsn}", name=name, facts=facts))
    return completed, missing


def _place(recording: Recording, listed: dict[str, Listed]) -> int:
    """Place of a component in its recording."""
    entry = listed.get(recording.path.name.lower())
    return entry.slot if entry else 0
