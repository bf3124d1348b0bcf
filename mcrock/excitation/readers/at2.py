"""PEER strong-motion records: files `.AT2`, one component each.

Four lines of header: database, event with date, station and component, quantity with its unit, and
number of samples and time step; then the samples, separated by blanks. Pacific Earthquake
Engineering Research Center, NGA-West2 ground motion database.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from mcrock.excitation.readers.text_file import (
    NUMBER,
    NotRecordError,
    Orientation,
    RecordedComponent,
    TextFile,
    parse_orientation,
)

NAME = "PEER AT2"
HEADER_LINES = 8  # in which the number of samples is looked for; usual is the fourth
QUANTITY = re.compile(r"(ACCEL\w*|VELOC\w*|DISPL\w*)\s+TIME[\s-]*(?:SERIES|HISTORY)", re.IGNORECASE)
TITLE = re.compile(r"\s*PEER\b.*\bSTRONG\b.*\bRECORD\b", re.IGNORECASE)
UNIT = re.compile(r"\bUNITS?\s+OF\s+([A-Z][A-Z0-9/*^²]*)", re.IGNORECASE)
STEP = rf"({NUMBER}(?:E[-+]?\d+)?)"
ANY_COUNTS = re.compile(r"\bNPTS\s*=|^\s*\S+\s+\S+\s+NPTS\b", re.IGNORECASE)
# `NPTS= 7999, DT= .0050 SEC` today, `4000 0.0100 NPTS, DT` in old files, or the two numbers alone
NEW_COUNTS = re.compile(rf"NPTS\s*=\s*([^\s,]+)\s*,?\s*DT\s*=\s*{STEP}", re.IGNORECASE)
OLD_COUNTS = re.compile(rf"^\s*([^\s,]+)\s+{STEP}\s+NPTS\s*,\s*DT", re.IGNORECASE)
BARE_COUNTS = re.compile(rf"^\s*(\d+)\s+{STEP}\s*$", re.IGNORECASE)
SAMPLES = re.compile(r"[-+.\dEe\s]*\d[-+.\dEe\s]*")
DATE = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{2,4})")
CENTURY = 30  # years of two digits from here on are of the 20th century
CLOCK = re.compile(r"\d{1,2}:\d{2}(:\d{2})?")
# end of a file name: RSN864_LANDERS_JOS-UP, ..._CLW-LN, ..._VFS-90
APART = re.compile(r"[-_.]([A-Z][HLNG][ZNE123][-_.]?(?:\d\d|--)|[A-Z]+\d?|90)$", re.IGNORECASE)
# ..._HVSCS26W, ..._GIL067, ..._IWTH25NS2
TOUCHING = re.compile(
    r"([NS]\d\d[EW]|\d{3}|UP|DWN|VER|(?:NS|EW|UD)[12]?|XTE|YLN|ZUP|[BEH][HLN][NEZ12])$", re.IGNORECASE
)
SPOKEN = re.compile(  # in free text
    r"\b((?:NORTH|EAST|SOUTH|WEST)(?:[ -](?:NORTH|EAST|SOUTH|WEST))?|[NSEW]-?[NSEW]?|VERTICAL|UP|\d+ DEG\w*)"
    r"\s+COMPONENT"
    r"|\bCOMPONENT\s*[:=]?\s*([\w-]+)",
    re.IGNORECASE,
)
COMPONENT = re.compile(r"[A-Z][A-Z0-9-]{0,7}", re.IGNORECASE)  # of a name that may say nothing to us


def matches(file: TextFile) -> bool:
    """Whether the file looks like one of PEER, of any quantity, and however damaged; not if it is prose."""
    head = file.lines[:HEADER_LINES]
    if any(ANY_COUNTS.search(line) for line in head):
        return True
    named = any(TITLE.match(line) or (QUANTITY.search(line) and UNIT.search(line)) for line in head)
    return named and any(SAMPLES.fullmatch(line) for line in file.lines)


def read(file: TextFile) -> list[RecordedComponent]:
    """Read the component of a file.

    Raises
    ------
    MotionError
        With file, line and reason, if the file is damaged or its unit is missing or unknown.
    """
    index, counts = _find_counts(file)
    _refuse_other_quantity(file, index)
    unit, known = file.spoken_unit(range(index), "IN UNITS OF G")
    count = file.count(index, counts[1], "NPTS")
    dt = file.number(index, counts[2], "DT [s]", positive=True)
    samples, _ = file.samples(index + 1, count)
    title = _parse_title(file.lines[1] if index > 1 else "")
    stem, ending = _parse_name(file.path.stem)
    component, orientation, remarks = _direction(file, title, ending)
    rsn = re.match(r"RSN(\d+)_", file.path.name, re.IGNORECASE)
    facts: dict[str, str | float] = {"rsn": int(rsn[1])} if rsn else {}
    if title.event:
        facts |= {"event": title.event, "station": title.station, "year": title.year}
    return [
        file.recorded(
            samples,
            dt,
            unit,
            component,
            orientation,
            format=NAME,
            unit_known=known,
            record=f"RSN {rsn[1]}" if rsn else _record(title, stem, ending),
            name=f"{title.event} {title.year}, {title.station}" if title.event and title.station else stem,
            facts=facts,
            remarks=remarks,
        )
    ]


def _find_counts(file: TextFile) -> tuple[int, re.Match[str]]:
    """Line with the number of samples and the time step, and both as they stand there."""
    below = False  # below the line with the quantity the two numbers may stand alone
    for i, line in enumerate(file.lines[:HEADER_LINES]):
        found = NEW_COUNTS.search(line) or OLD_COUNTS.search(line)
        if below and not found:
            found = BARE_COUNTS.search(line)
        if found:
            return i, found
        below = bool(QUANTITY.search(line))
    head = file.lines[:HEADER_LINES]
    _refuse_other_quantity(file, len(head))
    index = next((i for i, line in enumerate(head) if ANY_COUNTS.search(line)), min(3, file.last))
    raise file.error(
        index,
        "expected the number of samples and the time step as in 'NPTS= 7999, DT= .0050 SEC', got "
        f"{file.lines[index].strip()[:60]!r}",
    )


def _record(title: _Title, stem: str, ending: str) -> str:
    """What the components of a recording share: event, date, time and station of the title.

    Without the time two earthquakes of a day at one station look the same: then the name of the file,
    if it ends in a component, tells them apart.
    """
    words = f"{title.event} {title.date} {title.time}".strip()
    record = f"{words}, {title.station}".strip(" ,")
    if not record:
        return stem
    return record if title.time or not ending else f"{record}, {stem}"


def _direction(file: TextFile, title: _Title, ending: str) -> tuple[str, Orientation, tuple[str, ...]]:
    """Name of the component, its orientation and a remark, where that is not known but must be horizontal."""
    said = SPOKEN.search(" ".join(file.lines[:HEADER_LINES]))
    for words in (title.component, ending, (said[1] or said[2]) if said else ""):
        orientation = parse_orientation(words)
        if orientation:
            return words, orientation, ()
    if title.station and COMPONENT.fullmatch(title.component):
        remark = f"component {title.component}: the name says no direction; taken as horizontal"
        return title.component, Orientation("horizontal"), (remark,)
    raise file.error(
        1,
        f"the direction of the component is neither in {file.line(1).strip()!r} nor in the name of the "
        "file; expected an azimuth in degrees, N, E, UP or the like at the end",
    )


def _refuse_other_quantity(file: TextFile, end: int) -> None:
    """Leave a file of velocities or displacements out."""
    for line in file.lines[:end]:
        quantity = QUANTITY.search(line)
        if quantity and not quantity[1].upper().startswith("ACCEL"):
            raise NotRecordError(f"a {quantity[0].lower()}, no acceleration")


class _Title(NamedTuple):
    """Second line of a file: event, date, time, station and component, empty where not understood."""

    event: str
    date: str
    time: str
    year: int
    station: str
    component: str


def _parse_title(line: str) -> _Title:
    date = DATE.search(line)
    if not date:
        return _Title("", "", "", 0, "", line.rpartition(",")[2].strip())
    year = int(date[3])
    if len(date[3]) < 4:
        year += 2000 if year < CENTURY else 1900
    rest = [field.strip() for field in line[date.end() :].split(",")]
    time = rest.pop(0)
    if rest and CLOCK.fullmatch(rest[0]):
        time = rest.pop(0)
    component = rest.pop().partition("(")[0].strip() if rest else ""
    if not parse_orientation(component) and rest:
        component = component.partition(" ")[0]  # less a comment
    if component.isdecimal():
        component = component.zfill(3)  # an azimuth, not a number of an axis
    event = line[: date.start()].strip(" ,").replace("_", ",")
    return _Title(event, date[0], time, year, ", ".join(rest), component)


def _parse_name(stem: str) -> tuple[str, str]:
    """Name of a file without and with only the component at its end."""
    found = APART.search(stem)
    if not (found and parse_orientation(found[1])):
        found = TOUCHING.search(stem)
    return (stem[: found.start()], found[1]) if found else (stem, "")
