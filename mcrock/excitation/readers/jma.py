"""JMA, the Japan Meteorological Agency: accelerations of its seismic intensity meters, CSV files.

Lines `SITE CODE=`, `LAT.=`, `LON.=`, `SAMPLING RATE= 100Hz`, `UNIT  = gal(cm/s/s)`, `INITIAL TIME =`
(Japan standard time), a line with the names of the columns, NS,EW,UD, then a line for each time step. North,
east and up are positive. Old files have years of two digits and commas at the ends of the lines, texts are in
Shift JIS. Japan Meteorological Agency, strong-motion records
(https://www.data.jma.go.jp/eqev/data/kyoshin/jishin/). What the agency sells on discs, counts of the types 87
and 95 in binary or hexadecimal form, is not read.
"""

from __future__ import annotations

import re

from mcrock.base.units import ACCELERATIONS, parse_unit
from mcrock.excitation.readers.orientation import parse_orientation
from mcrock.excitation.readers.recording import DECLARED, RecordedComponent
from mcrock.excitation.readers.text_file import NUMBER, TextFile

NAME = "JMA"
HEADER_LINES = 20  # in which the names of the columns have to come
CENTURY = 50  # years of two digits from here on are of the 20th century


def matches(file: TextFile) -> bool:
    """Whether the file begins with the header of the format."""
    head = [_key(line) for line in file.lines[:HEADER_LINES]]
    return head[0] == "SITE CODE" and "INITIAL TIME" in head


def _key(line: str) -> str:
    key = " ".join(line.partition("=")[0].upper().split())
    return "SAMPLING RATE" if key == "SAMPLING FREQ" else key


def read(file: TextFile) -> list[RecordedComponent]:
    """Read the components of a file.

    Raises
    ------
    MotionError
        With file, line and reason, if the file is damaged or does not say unit or directions.
    """
    header: dict[str, tuple[int, str]] = {}
    first = 0
    while "=" in file.line(first) or not file.lines[first].strip(", \t"):
        value = file.lines[first].partition("=")[2]
        header[_key(file.lines[first])] = (first, value.strip(", \t"))
        first += 1
    for key in ("SAMPLING RATE", "UNIT"):
        if key not in header:
            raise file.error(first, f"the header ends here and has no line '{key}='")
    line, text = header["SAMPLING RATE"]
    text = re.sub(r"\s*hz$", "", text, flags=re.IGNORECASE)
    rate = file.number(line, text, "SAMPLING RATE [Hz]", positive=True)
    line, text = header["UNIT"]
    unit = parse_unit(text.partition("(")[0])
    if unit is None:
        raise file.error(line, f"UNIT must be one of acceleration such as gal(cm/s/s), got {text!r}")
    names = [name.strip() for name in file.lines[first].rstrip(", \t").split(",")]
    orientations = [parse_orientation(name) for name in names]
    if None in orientations:
        raise file.error(
            first, f"expected columns named by their directions, NS,EW,UD, got {','.join(names)[:40]!r}"
        )
    table = file.table(first + 1, len(names), separator=",")
    code, began = _site(header["SITE CODE"][1]), " ".join(header["INITIAL TIME"][1].split())
    recordings = []
    for name, orientation, samples in zip(names, orientations, table.T, strict=True):
        assert orientation is not None
        recordings.append(
            RecordedComponent(
                samples * ACCELERATIONS[unit],
                1 / rate,
                file.path,
                NAME,
                unit,
                DECLARED,
                record=f"{code} {began}",
                name=f"{code}, {began}",
                component=name,
                role=orientation.role,
                azimuth=orientation.azimuth,
                facts={"station": code} | _year(began),
            )
        )
    return recordings


def _site(text: str) -> str:
    """Code and name of the station, which are read as Latin-1 where the file is not UTF-8."""
    code = text.partition(",")[0].strip()
    try:
        return code.encode("latin-1").decode("cp932")
    except UnicodeError:
        return code


def _year(began: str) -> dict[str, str | float]:
    year = re.match(rf"({NUMBER})\s", began)
    if not (year and year[1].isdecimal()):
        return {}
    number = int(year[1])
    if number < 100:
        number += 1900 if number >= CENTURY else 2000
    return {"year": number}
