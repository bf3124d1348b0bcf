"""COSMOS format 1.2: volumes V1 (uncorrected) and V2 (corrected), one or several channels a file.

Each channel has lines of text, whole numbers, numbers and comments, each announced by a line with
their count and Fortran format, then the data, announced with quantity and unit, and a line `End-of-data`.
Consortium of Organizations for Strong-Motion Observation Systems (2001). COSMOS strong motion data
format, version 1.20.
"""

from __future__ import annotations

import re
from typing import Any

from mcrock.base.units import ACCELERATIONS, parse_unit
from mcrock.excitation.readers.text_file import (
    NUMBER,
    NotRecordError,
    Orientation,
    RecordedComponent,
    TextFile,
    number_channels,
    parse_orientation,
)

NAME = "COSMOS"
TITLE = re.compile(r".*\(Format\s+v(\d+\.\d+)\s+with\s+(\d+)\s+text\s+lines\)", re.IGNORECASE)
DATA = re.compile(r"\s*(\d+)\s+(\S+)\s+pts?,?.*?units\s*=\s*([^(,]+?)\s*\(\s*(\d+)\s*\)", re.IGNORECASE)
UNIT_CODES = {2: "g", 4: "cm/s2", 10: "gal", 11: "mg"}  # table 2 of the format
COUNTS = 50
TEXT_LINES = 13
PLACE = re.compile(r"Sta Chan?\s*:?\s*(\d+)?.*?(?:Location:\s*(.*?)\s*)?$", re.IGNORECASE)
VERTICALS = {400: "up", 401: "down", 402: "up"}  # 402: sense not known
# places in the header, from 0
YEAR_START, AZIMUTH = 39, 53
MAGNITUDE, DISTANCE, STEP, LENGTH, PEAK = 12, 16, 61, 62, 63


def matches(file: TextFile) -> bool:
    """Whether the first line is the title of the format, of any quantity."""
    return bool(TITLE.match(file.lines[0]))


def read(file: TextFile) -> list[RecordedComponent]:
    """Read the channels of a file.

    Raises
    ------
    MotionError
        With file, line and reason, if the file is damaged, holds raw counts or no acceleration.
    """
    recordings = []
    index = 0
    while index <= file.last:
        recording, index = _read_channel(file, index)
        if recording:
            recordings.append(recording)
    if not recordings:
        raise NotRecordError(f"{file.lines[0].split('(')[0].strip().lower()}, no acceleration")
    return number_channels(recordings)


def _read_channel(file: TextFile, start: int) -> tuple[RecordedComponent | None, int]:
    """The channel that begins in line `start`, none where it has no acceleration, and the line after it."""
    title = TITLE.match(file.lines[start])
    if not title:
        raise file.error(start, f"expected the title of a channel, got {file.lines[start].strip()[:40]!r}")
    if int(title[2]) < TEXT_LINES:
        raise file.error(start, f"the header has {int(title[2])} lines of text, expected {TEXT_LINES}")
    text = [file.line(start + i) for i in range(int(title[2]))]
    at = start + len(text)
    integers, index = file.counted(at, "whole numbers", 10, 8)
    real_line = index
    reals, index = file.counted(index, "numbers", 5, 15)
    if len(integers) <= AZIMUTH or len(reals) <= PEAK:
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
    step = reals[STEP]
    if step == unknown or not step > 0:
        raise file.error(real_line, f"the time step, real number {STEP + 1} [ms], is {step:g}")
    orientation, component = _orientation(file, at, integers[AZIMUTH], comments)
    recording = file.recorded(samples, 0.001 * step, unit, component, orientation, **_words_of(text))
    peak, length = reals[PEAK], reals[LENGTH]
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


def _orientation(file: TextFile, index: int, azimuth: float, comments: list[str]) -> tuple[Orientation, str]:
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
        "format": f"{NAME} {volume}",
        "record": f"{code} {title} {volume}",
        "name": f"{event} {year[0]}, {code}" if year and year[0] not in event else f"{event}, {code}",
        "channel": int(place[1]) if place and place[1] else None,
        "location": " ".join((place[2] or "").split()) if place else "",
        "facts": {"station": code, "event": event}
        | ({"year": int(year[0])} if year else {})
        | ({"magnitude": float(magnitude[1])} if magnitude else {}),
    }
