"""Record formats of the United States: PEER, SCEC Broadband Platform, COSMOS, CSMIP and SMC.

``is_X`` tells by its content whether a file is in format X, ``read_X`` makes recordings of its components.
"""

from __future__ import annotations

import re
from dataclasses import replace
from math import radians
from typing import Any, NamedTuple

from mcrock.base.units import ACCELERATIONS, parse_unit
from mcrock.excitation.motion import FloatArray
from mcrock.excitation.readers.csv_file import uniform_step
from mcrock.excitation.readers.text_file import (
    FIXED,
    NUMBER,
    NotRecordError,
    Orientation,
    RecordedComponent,
    TextFile,
    number_channels,
    parse_orientation,
)

AT2_NAME = "PEER AT2"
AT2_HEADER_LINES = 8  # in which the number of samples is looked for; usual is the fourth
QUANTITY = re.compile(r"(ACCEL\w*|VELOC\w*|DISPL\w*)\s+TIME[\s-]*(?:SERIES|HISTORY)", re.IGNORECASE)
AT2_TITLE = re.compile(r"\s*PEER\b.*\bSTRONG\b.*\bRECORD\b", re.IGNORECASE)
UNIT = re.compile(r"\bUNITS?\s+OF\s+([A-Z][A-Z0-9/*^²]*)", re.IGNORECASE)
AT2_STEP = rf"({NUMBER}(?:E[-+]?\d+)?)"
ANY_COUNTS = re.compile(r"\bNPTS\s*=|^\s*\S+\s+\S+\s+NPTS\b", re.IGNORECASE)
# `NPTS= 7999, DT= .0050 SEC` today, `4000 0.0100 NPTS, DT` in old files, or the two numbers alone
NEW_COUNTS = re.compile(rf"NPTS\s*=\s*([^\s,]+)\s*,?\s*DT\s*=\s*{AT2_STEP}", re.IGNORECASE)
OLD_COUNTS = re.compile(rf"^\s*([^\s,]+)\s+{AT2_STEP}\s+NPTS\s*,\s*DT", re.IGNORECASE)
BARE_COUNTS = re.compile(rf"^\s*(\d+)\s+{AT2_STEP}\s*$", re.IGNORECASE)
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


def is_at2(file: TextFile) -> bool:
    """Whether the file looks like one of PEER, of any quantity, and however damaged; not if it is prose."""
    head = file.lines[:AT2_HEADER_LINES]
    if any(ANY_COUNTS.search(line) for line in head):
        return True
    named = any(AT2_TITLE.match(line) or (QUANTITY.search(line) and UNIT.search(line)) for line in head)
    return named and any(SAMPLES.fullmatch(line) for line in file.lines)


def read_at2(file: TextFile) -> list[RecordedComponent]:
    """Read the component of a file.

    PEER strong-motion records: files `.AT2`, one component each.

    Four lines of header: database, event with date, station and component, quantity with its unit, and number
    of samples and time step; then the samples, separated by blanks. Pacific Earthquake Engineering Research
    Center, NGA-West2 ground motion database.

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
            format=AT2_NAME,
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
    for i, line in enumerate(file.lines[:AT2_HEADER_LINES]):
        found = NEW_COUNTS.search(line) or OLD_COUNTS.search(line)
        if below and not found:
            found = BARE_COUNTS.search(line)
        if found:
            return i, found
        below = bool(QUANTITY.search(line))
    head = file.lines[:AT2_HEADER_LINES]
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
    said = SPOKEN.search(" ".join(file.lines[:AT2_HEADER_LINES]))
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


BBP_NAME = "SCEC BBP"
COLUMN = re.compile(r"([A-Za-z-]+)\s*\(([^()]*)\)")  # a name and its unit
QUANTITIES = {"cm/s": "velocity", "m/s": "velocity", "cm": "displacement", "m": "displacement"}


def is_bbp(file: TextFile) -> bool:
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


def read_bbp(file: TextFile) -> list[RecordedComponent]:
    """Read the components of a file.

    SCEC Broadband Platform: time histories `.bbp` with four columns, simulated or recorded.

    Lines that begin with ``#`` or ``%``, one of which names the columns with their units, ``time(sec)
    N-S(cm/s/s) E-W(cm/s/s) U-D(cm/s/s)``; then a line for each time step. North, east and up are positive;
    velocities in cm/s have the same form. Southern California Earthquake Center, Broadband Platform, file
    format guide (https://github.com/SCECcode/bbp, doc/File-Format-Guide.md).

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
    of_all = {"format": BBP_NAME, "record": file.path.stem, "name": file.path.stem}
    return [
        file.recorded(samples, dt, unit, name, file.orientation(line, name, "column"), **of_all)
        for (name, _), samples in zip(columns, table.T[1:], strict=True)
    ]


COSMOS_NAME = "COSMOS"
COSMOS_TITLE = re.compile(r".*\(Format\s+v(\d+\.\d+)\s+with\s+(\d+)\s+text\s+lines\)", re.IGNORECASE)
DATA = re.compile(r"\s*(\d+)\s+(\S+)\s+pts?,?.*?units\s*=\s*([^(,]+?)\s*\(\s*(\d+)\s*\)", re.IGNORECASE)
UNIT_CODES = {2: "g", 4: "cm/s2", 10: "gal", 11: "mg"}  # table 2 of the format
COUNTS = 50
COSMOS_TEXT_LINES = 13
PLACE = re.compile(r"Sta Chan?\s*:?\s*(\d+)?.*?(?:Location:\s*(.*?)\s*)?$", re.IGNORECASE)
VERTICALS = {400: "up", 401: "down", 402: "up"}  # 402: sense not known
# places in the header, from 0
YEAR_START, AZIMUTH = 39, 53
COSMOS_MAGNITUDE, COSMOS_DISTANCE, COSMOS_STEP, COSMOS_LENGTH, COSMOS_PEAK = 12, 16, 61, 62, 63


def is_cosmos(file: TextFile) -> bool:
    """Whether the first line is the title of the format, of any quantity."""
    return bool(COSMOS_TITLE.match(file.lines[0]))


def read_cosmos(file: TextFile) -> list[RecordedComponent]:
    """Read the channels of a file.

    COSMOS format 1.2: volumes V1 (uncorrected) and V2 (corrected), one or several channels a file.

    Each channel has lines of text, whole numbers, numbers and comments, each announced by a line with their
    count and Fortran format, then the data, announced with quantity and unit, and a line `End-of-data`.
    Consortium of Organizations for Strong-Motion Observation Systems (2001). COSMOS strong motion data
    format, version 1.20.

    Raises
    ------
    MotionError
        With file, line and reason, if the file is damaged, holds raw counts or no acceleration.
    """
    recordings = []
    index = 0
    while index <= file.last:
        recording, index = _cosmos_read_channel(file, index)
        if recording:
            recordings.append(recording)
    if not recordings:
        raise NotRecordError(f"{file.lines[0].split('(')[0].strip().lower()}, no acceleration")
    return number_channels(recordings)


def _cosmos_read_channel(file: TextFile, start: int) -> tuple[RecordedComponent | None, int]:
    """The channel that begins in line `start`, none where it has no acceleration, and the line after it."""
    title = COSMOS_TITLE.match(file.lines[start])
    if not title:
        raise file.error(start, f"expected the title of a channel, got {file.lines[start].strip()[:40]!r}")
    if int(title[2]) < COSMOS_TEXT_LINES:
        raise file.error(start, f"the header has {int(title[2])} lines of text, expected {COSMOS_TEXT_LINES}")
    text = [file.line(start + i) for i in range(int(title[2]))]
    at = start + len(text)
    integers, index = file.counted(at, "whole numbers", 10, 8)
    real_line = index
    reals, index = file.counted(index, "numbers", 5, 15)
    if len(integers) <= AZIMUTH or len(reals) <= COSMOS_PEAK:
        raise file.error(
            at, f"the header has {len(integers)} whole numbers and {len(reals)} numbers, expected 100"
        )
    words = file.line(index).split()
    if not (words and words[0].isdecimal() and "comment" in file.line(index).lower()):
        raise file.error(
            index, f"expected a line that says how many comments follow, got {file.line(index)[:40]!r}"
        )
    comments = [file.line(index + 1 + i) for i in range(int(words[0]))]
    index += 1 + len(comments)
    announced = DATA.match(file.line(index))
    if not announced:
        raise file.error(
            index, f"expected a line that announces the data and their unit, got {file.line(index)[:60]!r}"
        )
    samples, end = file.counted(index, "samples", 8, 10)
    if not re.match(r"\s*end[- ]of[- ]data", file.line(end) if end <= file.last else "", re.IGNORECASE):
        raise file.error(min(end, file.last), "the samples must end with a line 'End-of-data'")
    if not announced[2].lower().startswith("accel"):
        return None, end + 1
    unit = _unit(file, index, announced)
    unknown = _unknown(text)
    step = reals[COSMOS_STEP]
    if step == unknown or not step > 0:
        raise file.error(real_line, f"the time step, real number {COSMOS_STEP + 1} [ms], is {step:g}")
    orientation, component = _cosmos_orientation(file, at, integers[AZIMUTH], comments)
    recording = file.recorded(samples, 0.001 * step, unit, component, orientation, **_words_of(text))
    peak, length = reals[COSMOS_PEAK], reals[COSMOS_LENGTH]
    # the peak has the unit of the samples
    return recording.compared(
        peak=None if peak == unknown else ACCELERATIONS[unit] * peak,
        duration=None if length == unknown else float(length),
    ), end + 1


def _unit(file: TextFile, index: int, announced: re.Match[str]) -> str:
    code = int(announced[4])
    if code == COUNTS:
        raise file.error(index, "raw counts of the recorder (volume V0); get volume V1 or V2 of the record")
    if code not in UNIT_CODES:
        known = ", ".join(f"{unit} ({code:02d})" for code, unit in UNIT_CODES.items())
        raise file.error(
            index, f"unit of an acceleration must be one of {known}, got {announced[3]} ({announced[4]})"
        )
    word = parse_unit(announced[3])
    if word is None or ACCELERATIONS[word] != ACCELERATIONS[UNIT_CODES[code]]:
        raise file.error(
            index,
            f"the unit is {announced[3]!r} in words, but its code {announced[4]} means {UNIT_CODES[code]}",
        )
    return UNIT_CODES[code]


def _unknown(text: list[str]) -> float:
    """Number that stands for an unknown one, from the last line of text."""
    found = re.search(rf":\s*{NUMBER},\s*({NUMBER})\s*$", text[-1].rstrip())
    return float(found[1]) if found else -999.0


def _cosmos_orientation(
    file: TextFile, index: int, azimuth: float, comments: list[str]
) -> tuple[Orientation, str]:
    """Orientation of a channel: up or down by its SEED name or its code, else its azimuth.

    Files converted from SEED carry azimuth 0 for the vertical, so the name goes first.
    """
    names = " ".join(comment.partition("<SCNL>")[2] for comment in comments).split()
    channel = names[0].split(".")[1] if names and "." in names[0] else ""
    by_name = parse_orientation(channel)
    if by_name and (by_name.role != "horizontal" or not 0 <= azimuth <= 360):
        return by_name, channel
    code = int(azimuth)
    if code in VERTICALS:
        return Orientation(VERTICALS[code]), "Up" if VERTICALS[code] == "up" else "Down"
    by_azimuth = parse_orientation(f"{code:03d}") if 0 <= code <= 360 else None
    if by_azimuth:
        return by_azimuth, channel or f"{code:03d}"
    if 500 <= code < 800:  # radial, transverse, longitudinal: horizontal, direction not known
        return Orientation("horizontal"), channel or str(code)
    raise file.error(index, f"the direction of the channel, whole number {AZIMUTH + 1}, is {code}")


def _words_of(text: list[str]) -> dict[str, Any]:
    """What the text of a channel says about it."""
    station = re.search(r"Code:\s*(\S+)", text[4])
    code = station[1] if station else text[4].strip()
    title = re.sub(r"^(Record|Rcrd) of ", "", " ".join(text[1].split()))
    event = re.sub(r"\s+of\s+\w{3}\s+\w{3}\s.*$", "", title)  # less the date of a named earthquake
    volume = "V1" if text[0].lower().startswith("uncorrected") else "V2"
    year = re.search(r"\b(19|20)\d\d\b", text[1])
    magnitude = re.search(rf"M[wLs]?=\s*({NUMBER})", text[2])
    place = PLACE.match(text[8])
    return {
        "format": f"{COSMOS_NAME} {volume}",
        "record": f"{code} {title} {volume}",
        "name": f"{event} {year[0]}, {code}" if year and year[0] not in event else f"{event}, {code}",
        "channel": int(place[1]) if place and place[1] else None,
        "location": " ".join((place[2] or "").split()) if place else "",
        "facts": {"station": code, "event": event}
        | ({"year": int(year[0])} if year else {})
        | ({"magnitude": float(magnitude[1])} if magnitude else {}),
    }


CSMIP_NAME = "CSMIP"
CSMIP_TITLE = re.compile(r"\s*(UN)?CORRECTED ACCELEROGRAM", re.IGNORECASE)
OTHER = re.compile(r"\s*RESPONSE AND FOURIER AMPLITUDE SPECTRA", re.IGNORECASE)
CSMIP_HEADER_LINES = 60  # in which the line that announces the acceleration has to come
ANNOUNCED = re.compile(r"\s*\d+\s+(?:POINTS OF ACCEL DATA|ACCELEROGRAM POINTS)", re.IGNORECASE)
CSMIP_STEP = re.compile(rf"EQUALLY SPACED AT\s+({NUMBER})\s*SEC|AT\s+({NUMBER})\s*PTS/SEC", re.IGNORECASE)
CHANNEL = re.compile(
    r"CHA?N\s*(\d+):\s*([NS]\s*\d+(?:\.\d+)?\s*[EW]\b|\d+(?:\.\d+)?(?:\s*DEG\b)?|\w+(?:-\w\b)?)",
    re.IGNORECASE,
)
LOCATION = re.compile(r"LOCATION:\s*(.*?)\s*$", re.IGNORECASE)
CSMIP_PEAK = re.compile(rf"PEAK ACCELERATION\s*=\s*({NUMBER})\s*CM/SEC/SEC", re.IGNORECASE)
INTERVAL = re.compile(rf"EQUALLY-SPACED INTERVALS OF\s*({NUMBER})\s*SEC", re.IGNORECASE)
CSMIP_LENGTH = re.compile(rf"RECORD LENGTH\s*=\s*({NUMBER})\s*SEC", re.IGNORECASE)
INITIAL_VELOCITY = re.compile(rf"INITIAL VELOCITY\s*=\s*({NUMBER})\s*CM/SEC", re.IGNORECASE)
PEAK_VELOCITY = re.compile(rf"PEAK\s+VELOCITY\s*=\s*({NUMBER})\s*CM/SEC", re.IGNORECASE)
CSMIP_MAGNITUDE = re.compile(rf"M[LWS]\s*[=:]\s*({NUMBER})", re.IGNORECASE)
CSMIP_YEAR = re.compile(r"\b(19|20)\d\d\b")
STATION = re.compile(r"STATION\s+(?:NO|ID)\.\s*(\S+)", re.IGNORECASE)
NEAR_ZERO = 0.05  # initial velocity over the peak velocity [1]
USUAL = 8, 10  # numbers in a line, and the width of their columns


def is_csmip(file: TextFile) -> bool:
    """Whether the file begins like a volume of CSMIP, also one of spectra."""
    if OTHER.match(file.lines[0]):
        return True
    head = " ".join(file.lines[:3]).upper()
    return bool(CSMIP_TITLE.match(file.lines[0])) and ("ACCELEROGRAM DATA" in head) and "GNS" not in head


def read_csmip(file: TextFile) -> list[RecordedComponent]:
    """Read the channels of a file.

    CSMIP, formerly DMG, of California: volumes 1 (uncorrected) and 2 (corrected), several channels a file.

    Text, 100 whole numbers, 100 numbers (volume 1: fewer), then a line that announces the acceleration, its
    time step, unit and format; volume 2 adds velocity and displacement. Shakal, A. F., Huang, M. J. (1985).
    Standard tape format for CSMIP strong-motion data tapes. California Division of Mines and Geology, Office
    of Strong Motion Studies, report 85-03.

    Raises
    ------
    MotionError
        With file, line and reason, if the file is damaged, is a volume of spectra, or holds pairs of
        time and acceleration.
    """
    if OTHER.match(file.lines[0]):
        raise NotRecordError("response and Fourier spectra, no acceleration")
    recordings = []
    index = 0
    while index <= file.last:
        recording, index = _csmip_read_channel(file, index)
        recordings.append(recording)
        while index <= file.last and not file.lines[index].strip():
            index += 1
    return number_channels(recordings)


def _csmip_read_channel(file: TextFile, start: int) -> tuple[RecordedComponent, int]:
    """The channel that begins in line `start`, and the line after it."""
    title = CSMIP_TITLE.match(file.lines[start])
    if not title:
        raise file.error(start, f"expected the title of a channel, got {file.lines[start].strip()[:40]!r}")
    last = start + CSMIP_HEADER_LINES
    head = enumerate(file.lines[start:last], start)
    index = next((i for i, line in head if ANNOUNCED.match(line)), None)
    if index is None:
        if last > file.last:
            raise file.error(file.last, "the file ends in the header of a channel; is it truncated?")
        raise file.error(
            last,
            "up to here no line announces the acceleration, as in '12000 points of accel data equally "
            "spaced at .005 sec'; volume 1 with pairs of time and acceleration is not read",
        )
    announced = file.lines[index]
    step = CSMIP_STEP.search(announced)
    if not step:
        raise file.error(index, f"the time step is missing in {announced.strip()!r}")
    unit, known = file.spoken_unit([index], "UNITS: CM/SEC/SEC")
    number = file.number(index, step[1] or step[2], "time step or rate", positive=True)
    dt = number if step[1] else 1.0 / number
    samples, end = file.counted(index, "samples", *USUAL)
    if not title[1]:
        for what in ("velocities", "displacements"):
            if re.match(r"\s*\d+\s+POINTS OF", file.lines[end] if end <= file.last else "", re.IGNORECASE):
                _, end = file.counted(end, what, *USUAL)
    if end <= file.last and file.lines[end].lstrip().startswith("/&"):
        end += 1
    text = file.lines[start:index]
    return replace(_recording(file, start, text, samples, dt, unit, not title[1]), unit_known=known), end


def _recording(
    file: TextFile, start: int, text: list[str], samples: FloatArray, dt: float, unit: str, corrected: bool
) -> RecordedComponent:
    """The channel with the facts of its header, which volume 2 begins with a line of its own."""
    fewest = 7 + corrected
    if len(text) < fewest:
        raise file.error(start, f"the header has {len(text)} lines of text, expected at least {fewest}")
    joined = "\n".join(text[:26])
    channel, location = CHANNEL.search(joined), LOCATION.search(text[6 + corrected])
    orientation = parse_orientation(channel[2]) if channel else None
    if channel is None or orientation is None:
        raise file.error(start, "no line such as 'Chan 1: 90 Deg' says the direction of the channel")
    event = re.sub(r"\s+", " ", text[1 + corrected].split("(")[0]).strip()
    event = re.sub(r"^(Record|Rcrd) of ", "", event)
    place = text[5 + corrected][:40].strip()
    if event.isupper():
        event, place = event.title(), place.title()
    station = STATION.search(joined)
    number = station[1] if station else place
    volume = f"V{1 + corrected}"
    facts: dict[str, str | float] = {"event": event, "station": place, "station_number": number}
    for name, pattern, group in (("year", CSMIP_YEAR, 0), ("magnitude", CSMIP_MAGNITUDE, 1)):
        found = pattern.search(joined)
        if found:
            facts[name] = int(found[group]) if name == "year" else float(found[group])
    recording = file.recorded(
        samples,
        dt,
        unit,
        channel[2],
        orientation,
        format=f"{CSMIP_NAME} {volume}",
        record=f"{(text[3 + corrected].split() or [number])[0]} {volume}",
        name=f"{event}, {place}",
        channel=int(channel[1]),
        location=" ".join(location[1].split()) if location else "",
        facts=facts,
        remarks=_initial_velocity(joined, channel[2]),
    )
    peak, interval, length = (_number(pattern, joined) for pattern in (CSMIP_PEAK, INTERVAL, CSMIP_LENGTH))
    return recording.compared(peak=None if peak is None else 0.01 * peak, dt=interval, duration=length)


def _number(pattern: re.Pattern[str], text: str) -> float | None:
    found = pattern.search(text)
    return float(found[1]) if found else None


def _initial_velocity(text: str, component: str) -> tuple[str, ...]:
    """A remark where the corrected record begins with a velocity."""
    initial, peak = (_number(pattern, text) for pattern in (INITIAL_VELOCITY, PEAK_VELOCITY))
    if initial is None or peak is None or abs(initial) <= NEAR_ZERO * abs(peak):
        return ()
    return (
        f"component {component}: the record begins with a velocity of {0.01 * initial:.3g} m/s by its header",
    )


SMC_NAME = "SMC"
SMC_TEXT_LINES = 11
INTEGERS = (6, 8, 10)  # lines, columns, width
REALS = (10, 5, 15)
PER_LINE = 8
WIDTH = 10
KINDS = {  # first line, without its number
    "UNCORRECTED ACCELEROGRAM": True,
    "CORRECTED ACCELEROGRAM": True,
    "VELOCITY": False,
    "DISPLACEMENT": False,
    "RESPONSE SPECTR": False,
    "FOURIER": False,
}
# places among the whole numbers and the numbers of the header, from 0
SERIAL, SMC_YEAR, VERTICAL, HORIZONTAL, COMMENTS, COUNT = 7, 1, 12, 13, 15, 16
RATE, SMC_MAGNITUDE, SMC_DISTANCE, LARGEST, SMALLEST = 1, 5, 16, 29, 31


def is_smc(file: TextFile) -> bool:
    """Whether the file begins like one of this format, of any quantity."""
    return _kind(file) is not None and any(line.startswith("*") for line in file.lines[1:SMC_TEXT_LINES])


def _kind(file: TextFile) -> str | None:
    title = re.match(r"\s*\d\s+(.*)", file.lines[0])
    return next((kind for kind in KINDS if title and title[1].upper().startswith(kind)), None)


def read_smc(file: TextFile) -> list[RecordedComponent]:
    """Read the component of a file.

    SMC of the United States Geological Survey (National Strong-Motion Program): one component a file.

    Eleven lines of text, 48 whole numbers in columns of 10, 50 numbers in columns of 15, comments that begin
    with `|`, then the acceleration in cm/s2 in eight columns of 10. Converse, A. M., Brady, A. G. (1992).
    BAP: basic strong-motion accelerogram processing software. USGS Open-File Report 92-296A.

    Raises
    ------
    MotionError
        With file, line and reason, if the file is damaged, holds no acceleration or has a problem by
        its own word.
    """
    kind = _kind(file)
    if kind is None or not KINDS[kind]:
        raise NotRecordError(f"{file.lines[0].strip()[2:].lower()}, no acceleration")
    text = [file.line(i).strip() for i in range(SMC_TEXT_LINES)]
    integers = _numbers(file, SMC_TEXT_LINES, INTEGERS)
    reals = _numbers(file, SMC_TEXT_LINES + INTEGERS[0], REALS)
    unknown, absent = integers[0], reals[0]
    comments = SMC_TEXT_LINES + INTEGERS[0] + REALS[0]
    first = comments + (int(integers[COMMENTS]) if integers[COMMENTS] != unknown else 0)
    for i in range(comments, first):
        if not file.line(i).startswith("|"):
            raise file.error(i, f"expected a comment that begins with |, got {file.line(i)[:40]!r}")
    count_line, rate_line = SMC_TEXT_LINES + COUNT // 8, SMC_TEXT_LINES + INTEGERS[0]
    count = file.count(count_line, f"{integers[COUNT]:.0f}")
    if reals[RATE] == absent:
        raise file.error(rate_line, "the sampling rate [Hz] is unknown by the header")
    rate = file.number(rate_line, str(reals[RATE]), "sampling rate [Hz]", positive=True)
    samples, end = file.samples(first, count, PER_LINE, WIDTH)
    if file.last >= end:
        raise file.error(file.last, f"the file goes on after {count} samples, the number in its header")
    component = re.search(r"component\s*=\s*(.*)", text[5], re.IGNORECASE)
    orientation = _smc_orientation(file, integers)
    station = re.search(r"station\s*=\s*(.*?)\s*component", text[5], re.IGNORECASE)
    place = station[1] if station else text[2]
    event = re.sub(r"\s+", " ", text[3])
    recording = file.recorded(
        samples,
        1.0 / rate,
        "cm/s2",
        component[1].strip() if component else "",
        orientation,
        format=SMC_NAME,
        unit_known=FIXED,
        record=f"{place}, {event}, {integers[SERIAL]:.0f}",
        name=f"{event.partition(' ')[2].lstrip('0123456789 ') or event}, {place}",
        facts=_facts(text, integers, reals, place),
        remarks=("the file marks itself as having a problem",) if integers[COUNT + 1] == 1 else (),
    )
    extremes = [abs(reals[i]) for i in (LARGEST, SMALLEST) if reals[i] != absent]
    return [recording.compared(peak=0.01 * max(extremes) if extremes else None)]


def _numbers(file: TextFile, start: int, form: tuple[int, int, int]) -> list[float]:
    """Numbers of the header in lines of columns of one width."""
    lines, columns, width = form
    return [
        file.number(start + i, file.line(start + i)[width * j : width * (j + 1)], "number of the header")
        for i in range(lines)
        for j in range(columns)
    ]


def _smc_orientation(file: TextFile, integers: list[float]) -> Orientation:
    """Angle from the upward vertical, 0 is up, and azimuth of the component."""
    vertical, horizontal = integers[VERTICAL], integers[HORIZONTAL]
    if vertical in (0, 180):
        return Orientation("up" if vertical == 0 else "down")
    if vertical == 90:
        known = 0 <= horizontal <= 360
        return Orientation("horizontal", radians(horizontal % 360) if known else None)
    raise file.error(
        SMC_TEXT_LINES + VERTICAL // 8,
        f"angle of the component from the vertical must be 0, 90 or 180 deg, got {vertical:g}",
    )


def _facts(text: list[str], integers: list[float], reals: list[float], place: str) -> dict[str, str | float]:
    facts: dict[str, str | float] = {"station": place}
    event = re.match(r"\d{4}\s+\d+\s+\d+\s+\d+\s+(.*)", text[3])
    if event:
        facts["event"] = event[1].strip()
    for name, values, i, factor in (
        ("year", integers, SMC_YEAR, 1.0),
        ("magnitude", reals, SMC_MAGNITUDE, 1.0),
        ("distance_epicentral", reals, SMC_DISTANCE, 1000.0),
    ):
        if values[i] not in (values[0], 0.0):
            facts[name] = int(values[i]) if name == "year" else factor * values[i]
    return facts
