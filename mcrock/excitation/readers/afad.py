"""AFAD, the strong-motion network of Turkey: text files with three columns in gal.

Lines `KEY : value`, a line with the names of the columns (N-S, E-W, U-D), then one line for each
time step. Disaster and Emergency Management Authority of Turkey; files of today have the form of
`mcrock.excitation.readers.esm`.
"""

from __future__ import annotations

import re

from mcrock.excitation.readers.text_file import FIXED, NUMBER, Header, RecordedComponent, TextFile, year_of

NAME = "AFAD"
TITLE = "STRONG GROUND MOTION RECORDS OF TURK"
HEADER_LINES = 30  # in which the names of the columns have to come
DIRECTIONS = re.compile(r"\s*(?:[NEU]-?[SWD]\s*){1,3}", re.IGNORECASE)  # the names of the columns


def matches(file: TextFile) -> bool:
    """Whether the file begins with the title of the network, and keys follow."""
    return file.lines[0].strip().upper().startswith(TITLE) and any(" : " in line for line in file.lines[1:5])


def read(file: TextFile) -> list[RecordedComponent]:
    """Read the components of a file.

    Raises
    ------
    MotionError
        With file, line and reason, if the file is damaged.
    """
    names = next((i for i in range(HEADER_LINES) if DIRECTIONS.fullmatch(file.line(i))), None)
    if names is None:
        raise file.error(HEADER_LINES - 1, "no line with the names of the columns N-S, E-W, U-D up to here")
    header = Header.of(file, names)
    header.need("NUMBER OF DATA", "SAMPLING INTERVAL (sec)", "STATION ID")
    dt, heads = header.number("SAMPLING INTERVAL (sec)"), file.lines[names].split()
    table = file.table(names + 1, len(heads), header.count("NUMBER OF DATA"))
    station, began = header["STATION ID"], header["RECORD TIME"]
    of_all = {
        "format": NAME,
        "unit_known": FIXED,
        "record": f"{station} {began}".strip(),
        "name": f"{station} {began.partition('.')[0]}".strip(),
        "facts": {"station": station}
        | ({"place": header["PLACE"]} if header["PLACE"] else {})
        | year_of(header["EARTHQUAKE DATE"])
        | header.facts({"EARTHQUAKE MAGNITUDE": ("magnitude", 1.0)}),
    }
    peaks = next((value for key, value in header.values.items() if key.startswith("RAW PGA")), "")
    recordings = []
    for name, samples in zip(heads, table.T, strict=True):
        recording = file.recorded(samples, dt, "gal", name, file.orientation(names, name, "column"), **of_all)
        declared = re.search(rf"\({re.escape(name)}\)\s*({NUMBER})", peaks)
        recordings.append(recording.compared(peak=0.01 * float(declared[1]) if declared else None))
    return recordings
