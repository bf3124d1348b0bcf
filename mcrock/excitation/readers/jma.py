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

from mcrock.excitation.readers.text_file import NUMBER, Header, RecordedComponent, TextFile

NAME = "JMA"
HEADER_LINES = 20  # in which the names of the columns have to come
CENTURY = 50  # years of two digits from here on are of the 20th century


def matches(file: TextFile) -> bool:
    """Whether the file begins with the header of the format."""
    head = [_key(line) for line in file.lines[:HEADER_LINES]]
    return head[0] == "SITE CODE" and not {"SAMPLING RATE", "UNIT", "INITIAL TIME"}.isdisjoint(head)


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
    first = 0
    while "=" in file.line(first) or not file.lines[first].strip(", \t"):
        first += 1
    header = Header.of(file, first, "=", _key)
    header.need("SAMPLING RATE", "UNIT")
    unit = header.unit("UNIT", "(")
    rate = re.sub(r"\s*hz$", "", header["SAMPLING RATE"], flags=re.IGNORECASE)
    dt = 1 / file.number(header.lines["SAMPLING RATE"], rate, "SAMPLING RATE [Hz]", positive=True)
    names = [name.strip() for name in file.lines[first].rstrip(", \t").split(",")]
    orientations = [file.orientation(first, name, "column") for name in names]
    table = file.table(first + 1, len(names), separator=",")
    code, began = _site(header["SITE CODE"]), " ".join(header["INITIAL TIME"].split())
    of_all = {
        "format": NAME,
        "record": f"{code} {began}".strip(),
        "name": f"{code}, {began}".strip(", "),
        "facts": {"station": code} | _year(began),
    }
    return [
        file.recorded(samples, dt, unit, name, orientation, **of_all)
        for name, orientation, samples in zip(names, orientations, table.T, strict=True)
    ]


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
