"""TSMIP, the strong-motion network of Taiwan: free-field records with time, U, N and E in gal.

Lines ``#Key: value``, of which ``#DataSequence: Time U(+); N(+); E(+)`` says the order and the positive
directions of the columns; then a line for each time step (4F10.3). Central Weather Administration (CWA,
until 2023 CWB), Taiwan Strong Motion Instrumentation Program; read in the same way by gmprocess of the USGS
(https://code.usgs.gov/ghsc/esi/groundmotion-processing, `gmprocess.io.cwb`).
"""

from __future__ import annotations

import re

from mcrock.base.units import ACCELERATIONS, parse_unit
from mcrock.excitation.readers.csv_file import uniform_step
from mcrock.excitation.readers.orientation import Orientation, opposite, parse_orientation
from mcrock.excitation.readers.recording import DECLARED, RecordedComponent
from mcrock.excitation.readers.text_file import NUMBER, TextFile

NAME = "TSMIP"
SEQUENCE = "DataSequence"


def matches(file: TextFile) -> bool:
    """Whether the file begins with such lines, among them those of station and columns."""
    header, _ = _header(file)
    return "StationCode" in header and SEQUENCE in header


def _header(file: TextFile) -> tuple[dict[str, tuple[int, str]], int]:
    """Keys with their lines and values, time zones left out of the keys, and the line after the header."""
    header: dict[str, tuple[int, str]] = {}
    for i, line in enumerate(file.lines):
        text = line.strip()
        if text and not text.startswith("#"):
            return header, i
        key, colon, value = text[1:].partition(":")
        if colon:
            header[key.partition("(GMT")[0].strip()] = (i, value.strip())
    return header, len(file.lines)


def read(file: TextFile) -> list[RecordedComponent]:
    """Read the three components of a file.

    Raises
    ------
    MotionError
        With file, line and reason, if the file is damaged or does not say unit or directions.
    """
    header, first = _header(file)
    line, sequence = header[SEQUENCE]
    (time, _), *columns = re.findall(r"([A-Za-z-]+)\s*(?:\(([-+])\))?", sequence) or [("", "")]
    orientations = [_orientation(*column) for column in columns]
    if time.lower() != "time" or not columns or None in orientations:
        raise file.error(line, f"expected columns as in 'Time U(+); N(+); E(+)', got {sequence!r}")
    line, text = header.get("AmplitudeUnit", (first - 1, ""))
    unit = parse_unit(text.partition(" ")[0])
    if unit is None:
        raise file.error(line, f"AmplitudeUnit must be a unit of acceleration such as gal, got {text!r}")
    line, text = header.get("SampleRate(Hz)", (0, ""))
    dt = 1 / file.number(line, text, "SampleRate [Hz]", positive=True) if text else None
    table = file.table(first, 1 + len(columns))
    numbers = [file.skipped + first + 1 + i for i in range(len(table))]
    dt = uniform_step(file.path, numbers, table[:, 0], dt)
    station = header["StationCode"][1]
    began = header.get("StartTime", (0, ""))[1]
    recordings = []
    for (name, _), orientation, samples in zip(columns, orientations, table.T[1:], strict=True):
        assert orientation is not None
        recording = RecordedComponent(
            samples * ACCELERATIONS[unit],
            dt,
            file.path,
            NAME,
            unit,
            DECLARED,
            record=f"{station} {began}".strip(),
            name=f"{station} {began.replace('/', '-').partition('.')[0]}".strip(),
            component=name,
            role=orientation.role,
            azimuth=orientation.azimuth,
            facts=_facts(header, station),
        )
        extremes = re.findall(NUMBER, header.get(f"AmplitudeMAX. {name}", (0, ""))[1])
        peak = ACCELERATIONS[unit] * max(abs(float(value)) for value in extremes) if extremes else None
        recordings.append(recording.compared(peak=peak))
    return recordings


def _orientation(name: str, sign: str) -> Orientation | None:
    orientation = parse_orientation(name)
    return opposite(orientation) if orientation and sign == "-" else orientation


def _facts(header: dict[str, tuple[int, str]], station: str) -> dict[str, str | float]:
    facts: dict[str, str | float] = {"station": station}
    began = header.get("StartTime", (0, ""))[1]
    if began[:4].isdecimal():
        facts["year"] = int(began[:4])
    for key, (_, value) in header.items():
        if key.startswith("Magnitude") and re.fullmatch(NUMBER, value):
            facts["magnitude"] = float(value)
    return facts
