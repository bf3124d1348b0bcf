"""GeoNet (New Zealand): files V1A (uncorrected) and V2A (corrected), three components in one file.

For each component 16 lines of text, 4 of ten whole numbers, 6 of ten numbers, then the acceleration
in mm/s2 in columns of 8, and in V2A velocity and displacement. GNS Science, strong-motion data
products, file formats.
"""

from __future__ import annotations

import re

from mcrock.excitation.readers.text_file import NUMBER, RecordedComponent, TextFile

NAME = "GeoNet"
TEXT_LINES = 16
NUMBER_LINES = 10
PER_LINE = 10
WIDTH = 8


def matches(file: TextFile) -> bool:
    """Whether the file begins with an accelerogram of GNS Science."""
    return bool(re.match(r"\s*(un)?corrected accelerogram .*GNS", file.lines[0], re.IGNORECASE))


def read(file: TextFile) -> list[RecordedComponent]:
    """Read the components of a file.

    Raises
    ------
    MotionError
        With file, line and reason, if the file is damaged or the unit is not mm/s/s.
    """
    recordings = []
    index = 0
    while index <= file.last:
        recording, index = _read_component(file, index)
        recordings.append(recording)
    return recordings


def _read_component(file: TextFile, start: int) -> tuple[RecordedComponent, int]:
    """One component that begins in line `start`, and the line after it."""
    text = [file.line(start + i) for i in range(TEXT_LINES)]
    title = re.match(r"\s*(un)?corrected accelerogram\s+(\S+)", text[0], re.IGNORECASE)
    if not title:
        raise file.error(start, f"expected the title of a component, got {text[0].strip()[:40]!r}")
    rows = [_header_row(file, start + TEXT_LINES + i) for i in range(NUMBER_LINES)]
    unit = re.search(rf"peak\s+{NUMBER}\s*(\S+)\s+at", text[13], re.IGNORECASE)
    if not unit or unit[1].lower() != "mm/s/s":
        raise file.error(start + 13, f"expected a peak in mm/s/s, got {text[13].strip()!r}")
    corrected = not title[1]
    sizes = rows[3][3:6] if corrected else rows[3][:1]  # acceleration, velocity, displacement
    dt_line = start + TEXT_LINES + 6
    dt = file.number(dt_line, str(rows[6][5]), "time step [s]", positive=True)
    first = start + TEXT_LINES + NUMBER_LINES
    count = file.count(start + TEXT_LINES + 3, str(sizes[0]))
    samples, end = file.samples(first, count, PER_LINE, WIDTH)
    for size in sizes[1:]:
        _, end = file.samples(end, int(size), PER_LINE, WIDTH) if size else (None, end)
    name = text[12].split()[1] if len(text[12].split()) > 1 else ""
    site = text[1].split()
    station = site[1] if len(site) > 1 else ""
    peak = re.search(rf"peak\s+({NUMBER})", text[13], re.IGNORECASE)
    interval = re.search(rf"at\s+({NUMBER})\s+(?:s|sec)\s+intervals|intervals of\s+({NUMBER})\s*s", text[10])
    volume = "V2A" if corrected else "V1A"
    recording = file.recorded(
        samples,
        dt,
        "mm/s2",
        name,
        file.orientation(start + 12, name, "component"),
        format=f"{NAME} {volume}",
        record=f"{title[2]} {volume}",
        name=title[2].replace("_", " "),
        facts=_facts(text, station, rows),
    )
    recording = recording.compared(
        peak=0.001 * float(peak[1]) if peak else None,
        dt=float(interval[1] or interval[2]) if interval else None,
        duration=rows[6][3] if corrected else rows[6][0],
    )
    return recording, end


def _header_row(file: TextFile, index: int) -> list[float]:
    """Ten numbers of the header."""
    line = file.line(index)
    fields = [line[i : i + WIDTH] for i in range(0, PER_LINE * WIDTH, WIDTH)]
    return [file.number(index, field, "number of the header") for field in fields]


def _facts(text: list[str], station: str, rows: list[list[float]]) -> dict[str, str | float]:
    facts: dict[str, str | float] = {"station": station, "year": int(rows[0][0])}
    magnitude = re.search(rf"M[wL]\s*({NUMBER})", text[8])
    if magnitude:
        facts["magnitude"] = float(magnitude[1])
    distance = re.search(r"Dist\s+(\d+)\s*km", text[8])
    if distance:
        facts["distance_epicentral"] = 1000.0 * float(distance[1])
    return facts
