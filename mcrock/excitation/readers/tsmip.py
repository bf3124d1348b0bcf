"""TSMIP, the strong-motion network of Taiwan: free-field records with time, U, N and E in gal.

Lines ``#Key: value``, of which ``#DataSequence: Time U(+); N(+); E(+)`` says the order and the positive
directions of the columns; then a line for each time step (4F10.3). Central Weather Administration (CWA,
until 2023 CWB), Taiwan Strong Motion Instrumentation Program; read in the same way by gmprocess of the USGS
(https://code.usgs.gov/ghsc/esi/groundmotion-processing, `gmprocess.io.cwb`).
"""

from __future__ import annotations

import re

from mcrock.base.units import ACCELERATIONS
from mcrock.excitation.readers.csv_file import uniform_step
from mcrock.excitation.readers.text_file import NUMBER, Header, RecordedComponent, TextFile, opposite, year_of

NAME = "TSMIP"
SEQUENCE = "DataSequence"


def matches(file: TextFile) -> bool:
    """Whether the file begins with such lines, among them those of station and columns."""
    header = _header(file)
    return {"StationCode", SEQUENCE} <= header.values.keys()


def _header(file: TextFile) -> Header:
    """The comments above the table, time zones left out of the keys."""
    texts = ((i, line.strip()) for i, line in enumerate(file.lines))
    end = next((i for i, text in texts if text and not text.startswith("#")), len(file.lines))
    return Header.of(file, end, key=lambda key: key.strip()[1:].partition("(GMT")[0].strip())


def read(file: TextFile) -> list[RecordedComponent]:
    """Read the components of a file.

    Raises
    ------
    MotionError
        With file, line and reason, if the file is damaged or does not say unit or directions.
    """
    header = _header(file)
    sequence, first = header[SEQUENCE], header.end
    (time, _), *columns = re.findall(r"([A-Za-z-]+)\s*(?:\(([-+])\))?", sequence) or [("", "")]
    if time.lower() != "time" or not columns:
        raise header.error(SEQUENCE, f"expected columns as in 'Time U(+); N(+); E(+)', got {sequence!r}")
    orientations = [file.orientation(header.lines[SEQUENCE], name, "column") for name, _ in columns]
    unit = header.unit("AmplitudeUnit", " ")
    dt = 1 / header.number("SampleRate(Hz)") if header["SampleRate(Hz)"] else None
    table = file.table(first, 1 + len(columns))
    dt = uniform_step(file.path, file.numbers_from(first), table[:, 0], dt)
    station, began = header["StationCode"], header["StartTime"]
    magnitudes = {
        key: ("magnitude", 1.0)
        for key, value in header.values.items()
        if key.startswith("Magnitude") and re.fullmatch(NUMBER, value)
    }
    of_all = {
        "format": NAME,
        "record": f"{station} {began}".strip(),
        "name": f"{station} {began.replace('/', '-').partition('.')[0]}".strip(),
        "facts": {"station": station} | year_of(began) | header.facts(magnitudes),
    }
    recordings = []
    for (name, sign), orientation, samples in zip(columns, orientations, table.T[1:], strict=True):
        way = opposite(orientation) if sign == "-" else orientation
        extremes = re.findall(NUMBER, header[f"AmplitudeMAX. {name}"])
        peak = ACCELERATIONS[unit] * max(abs(float(value)) for value in extremes) if extremes else None
        recordings.append(file.recorded(samples, dt, unit, name, way, **of_all).compared(peak=peak))
    return recordings
