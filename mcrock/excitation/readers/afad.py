"""AFAD, the strong-motion network of Turkey: text files with three columns in gal.

Lines `KEY : value`, a line with the names of the columns (N-S, E-W, U-D), then one line for each
time step. Disaster and Emergency Management Authority of Turkey; files of today have the form of
`mcrock.excitation.readers.esm`.
"""

from __future__ import annotations

import re

from mcrock.excitation.readers.orientation import Orientation, parse_orientation
from mcrock.excitation.readers.recording import FIXED, RecordedComponent
from mcrock.excitation.readers.text_file import NUMBER, TextFile

NAME = "AFAD"
TITLE = "STRONG GROUND MOTION RECORDS OF TURK"
HEADER_LINES = 30  # in which the names of the columns have to come
COLUMNS = 3


def matches(file: TextFile) -> bool:
    """Whether the file begins with the title of the network."""
    return file.lines[0].strip().upper().startswith(TITLE)


def read(file: TextFile) -> list[RecordedComponent]:
    """Read the three components of a file.

    Raises
    ------
    MotionError
        With file, line and reason, if the file is damaged.
    """
    header: dict[str, tuple[int, str]] = {}
    heads: list[str] = []
    first = 0
    for i in range(HEADER_LINES):
        names = file.line(i).split()
        if len(names) == COLUMNS and all(_direction(name) for name in names):
            heads, first = names, i + 1
            break
        key, colon, value = file.line(i).partition(":")
        if colon:
            header[key.strip()] = (i, value.strip())
    else:
        raise file.error(HEADER_LINES - 1, "no line with the names of the columns N-S, E-W, U-D up to here")
    for key in ("NUMBER OF DATA", "SAMPLING INTERVAL (sec)", "STATION ID", "RECORD TIME"):
        if key not in header:
            raise file.error(first - 1, f"the header has no line '{key} :'")
    count = file.count(*header["NUMBER OF DATA"], "NUMBER OF DATA")
    dt = file.number(*header["SAMPLING INTERVAL (sec)"], "SAMPLING INTERVAL [s]", positive=True)
    table = file.table(first, COLUMNS, count)
    station, began = header["STATION ID"][1], header["RECORD TIME"][1]
    key, peaks = next(
        ((key, value[1]) for key, value in header.items() if key.startswith("RAW PGA")), ("", "")
    )
    recordings = []
    for name, samples in zip(heads, table.T, strict=True):
        orientation = _direction(name)
        assert orientation is not None
        recording = RecordedComponent(
            0.01 * samples,
            dt,
            file.path,
            NAME,
            "gal",
            FIXED,
            record=f"{station} {began}",
            name=f"{station} {began.partition('.')[0]}",
            component=name,
            role=orientation.role,
            azimuth=orientation.azimuth,
            facts=_facts(header),
        )
        declared = re.search(rf"\({re.escape(name)}\)\s*([-+.\d]+)", peaks)
        recordings.append(
            recording.compared(
                peak=0.01 * file.number(header[key][0], declared[1], f"{key} of {name}") if declared else None
            )
        )
    return recordings


def _direction(name: str) -> Orientation | None:
    return parse_orientation(name) if re.fullmatch(r"[NEU]-?[SWD]", name.upper()) else None


def _facts(header: dict[str, tuple[int, str]]) -> dict[str, str | float]:
    facts: dict[str, str | float] = {"station": header["STATION ID"][1]}
    if "PLACE" in header:
        facts["place"] = header["PLACE"][1]
    date = header.get("EARTHQUAKE DATE", (0, ""))[1]
    if date[:4].isdecimal():
        facts["year"] = int(date[:4])
    magnitude = re.match(NUMBER, header.get("EARTHQUAKE MAGNITUDE", (0, ""))[1])
    if magnitude:
        facts["magnitude"] = float(magnitude[0])
    return facts
