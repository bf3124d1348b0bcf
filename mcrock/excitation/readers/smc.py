"""SMC of the United States Geological Survey (National Strong-Motion Program): one component a file.

Eleven lines of text, 48 whole numbers in columns of 10, 50 numbers in columns of 15, comments that
begin with `|`, then the acceleration in cm/s2 in eight columns of 10. Converse, A. M., Brady, A. G.
(1992). BAP: basic strong-motion accelerogram processing software. USGS Open-File Report 92-296A.
"""

from __future__ import annotations

import re
from math import radians

from mcrock.excitation.readers.text_file import (
    FIXED,
    NotRecordError,
    Orientation,
    RecordedComponent,
    TextFile,
)

NAME = "SMC"
TEXT_LINES = 11
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
SERIAL, YEAR, VERTICAL, HORIZONTAL, COMMENTS, COUNT = 7, 1, 12, 13, 15, 16
RATE, MAGNITUDE, DISTANCE, LARGEST, SMALLEST = 1, 5, 16, 29, 31


def matches(file: TextFile) -> bool:
    """Whether the file begins like one of this format, of any quantity."""
    return _kind(file) is not None and any(line.startswith("*") for line in file.lines[1:TEXT_LINES])


def _kind(file: TextFile) -> str | None:
    title = re.match(r"\s*\d\s+(.*)", file.lines[0])
    return next((kind for kind in KINDS if title and title[1].upper().startswith(kind)), None)


def read(file: TextFile) -> list[RecordedComponent]:
    """Read the component of a file.

    Raises
    ------
    MotionError
        With file, line and reason, if the file is damaged, holds no acceleration or has a problem by
        its own word.
    """
    kind = _kind(file)
    if kind is None or not KINDS[kind]:
        raise NotRecordError(f"{file.lines[0].strip()[2:].lower()}, no acceleration")
    text = [file.line(i).strip() for i in range(TEXT_LINES)]
    integers = _numbers(file, TEXT_LINES, INTEGERS)
    reals = _numbers(file, TEXT_LINES + INTEGERS[0], REALS)
    unknown, absent = integers[0], reals[0]
    comments = TEXT_LINES + INTEGERS[0] + REALS[0]
    first = comments + (int(integers[COMMENTS]) if integers[COMMENTS] != unknown else 0)
    for i in range(comments, first):
        if not file.line(i).startswith("|"):
            raise file.error(i, f"expected a comment that begins with |, got {file.line(i)[:40]!r}")
    count_line, rate_line = TEXT_LINES + COUNT // 8, TEXT_LINES + INTEGERS[0]
    count = file.count(count_line, f"{integers[COUNT]:.0f}")
    if reals[RATE] == absent:
        raise file.error(rate_line, "the sampling rate [Hz] is unknown by the header")
    rate = file.number(rate_line, str(reals[RATE]), "sampling rate [Hz]", positive=True)
    samples, end = file.samples(first, count, PER_LINE, WIDTH)
    if file.last >= end:
        raise file.error(file.last, f"the file goes on after {count} samples, the number in its header")
    component = re.search(r"component\s*=\s*(.*)", text[5], re.IGNORECASE)
    orientation = _orientation(file, integers)
    station = re.search(r"station\s*=\s*(.*?)\s*component", text[5], re.IGNORECASE)
    place = station[1] if station else text[2]
    event = re.sub(r"\s+", " ", text[3])
    recording = file.recorded(
        samples,
        1.0 / rate,
        "cm/s2",
        component[1].strip() if component else "",
        orientation,
        format=NAME,
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


def _orientation(file: TextFile, integers: list[float]) -> Orientation:
    """Angle from the upward vertical, 0 is up, and azimuth of the component."""
    vertical, horizontal = integers[VERTICAL], integers[HORIZONTAL]
    if vertical in (0, 180):
        return Orientation("up" if vertical == 0 else "down")
    if vertical == 90:
        known = 0 <= horizontal <= 360
        return Orientation("horizontal", radians(horizontal % 360) if known else None)
    raise file.error(
        TEXT_LINES + VERTICAL // 8,
        f"angle of the component from the vertical must be 0, 90 or 180 deg, got {vertical:g}",
    )


def _facts(text: list[str], integers: list[float], reals: list[float], place: str) -> dict[str, str | float]:
    facts: dict[str, str | float] = {"station": place}
    event = re.match(r"\d{4}\s+\d+\s+\d+\s+\d+\s+(.*)", text[3])
    if event:
        facts["event"] = event[1].strip()
    for name, values, i, factor in (
        ("year", integers, YEAR, 1.0),
        ("magnitude", reals, MAGNITUDE, 1.0),
        ("distance_epicentral", reals, DISTANCE, 1000.0),
    ):
        if values[i] not in (values[0], 0.0):
            facts[name] = int(values[i]) if name == "year" else factor * values[i]
    return facts
