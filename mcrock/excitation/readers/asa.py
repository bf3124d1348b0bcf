"""ASA of Mexico (archivo estándar de aceleración, version 2.0): up to twelve channels in one file.

A header of 109 lines, most of them `DESCRIPTION : value` with fields `/C1/C2/C3...` for the channels: among
them orientation (`N00E;+/V;+/N90W`, bearing and sign), sampling interval, number of samples and largest
acceleration. Above the samples a line `CANAL-1 CANAL-2 ...` and one that repeats the orientations. UNAM and
other institutions, Base Mexicana de Datos de Sismos Fuertes and RAII-UNAM; read in the same way by gmprocess
of the USGS (https://code.usgs.gov/ghsc/esi/groundmotion-processing, `gmprocess.io.unam`) and by the strong
motion toolkit of GEM (https://github.com/GEMScienceTools/gmpe-smtk), which lists spellings met in files.
"""

from __future__ import annotations

import re

from mcrock.base.units import parse_unit
from mcrock.excitation.readers.text_file import (
    NUMBER,
    Orientation,
    RecordedComponent,
    TextFile,
    number_channels,
    opposite,
    parse_orientation,
)

NAME = "ASA"
TITLE = "ARCHIVO ESTANDAR DE ACELERACION"
PLAIN = str.maketrans("ÁÓ", "AO")
TITLE_LINES = 12  # in which it has to come
HEADER_LINES = 200  # in which the samples have to begin
CHANNELS = re.compile(r"\s*CANAL\s*-?\s*1\b")
ORIENTATION, STEP, COUNT = "ORIENTACION", "INTERVALO DE MUESTREO", "NUM. TOTAL DE MUESTRAS"
UNIT, STATION, DATE = "UNIDADES DE LOS DATOS", "CLAVE DE LA ESTACION", "FECHA DEL SISMO"


def matches(file: TextFile) -> bool:
    """Whether the file begins with the title of the format, and keys follow."""
    head = [line.upper().translate(PLAIN) for line in file.lines[:HEADER_LINES]]
    return any(TITLE in line for line in head[:TITLE_LINES]) and any(ORIENTATION in line for line in head)


def read(file: TextFile) -> list[RecordedComponent]:
    """Read the channels of a file.

    Raises
    ------
    MotionError
        With file, line and reason, if the file is damaged, does not say unit or directions, or
        contradicts itself about them.
    """
    end = next((i for i, line in enumerate(file.lines[:HEADER_LINES]) if CHANNELS.match(line.upper())), None)
    if end is None:
        raise file.error(min(HEADER_LINES, file.last), "no line 'CANAL-1 CANAL-2 CANAL-3' up to here")
    line, texts = _channels(file, end, ORIENTATION)
    found = [_orientation(text) for text in texts]
    orientations = [orientation for orientation in found if orientation]
    said = "/".join(texts)
    if not found or len(orientations) < len(found):
        raise file.error(line, f"{ORIENTATION} must be bearings such as /N00E/V/N90W, got {said!r}")
    _check_heads(file, end + 1, texts)
    line, text = _common(file, end, STEP, len(texts))
    dt = file.number(line, text, f"{STEP} [s]", positive=True)
    count = file.count(*_common(file, end, COUNT, len(texts)), COUNT)
    line, text = _value(file, end, UNIT)
    words = re.split(r"[()]", text.lower().replace("gales", "gal").replace("seg", "s"))
    unit = next((known for word in words if (known := parse_unit(word))), None)
    if unit is None:
        raise file.error(line, f"{UNIT} must be a unit of acceleration such as Gal or cm/s2, got {text!r}")
    first = next((i for i in range(end + 2, file.last + 1) if re.search(r"\d", file.lines[i])), file.last + 1)
    table = file.table(first, len(texts), count)
    station, date = _value(file, end, STATION)[1], _value(file, end, DATE)[1]
    began = next((_after(line) for line in file.lines[:end] if line.startswith("HORA DE LA PRIMERA")), "")
    year = re.search(r"\b\d{4}\b", date)
    record = f"{station} {date} {began}".strip()
    facts = {"station": station} | ({"year": int(year[0])} if year else {})
    peaks = [re.match(NUMBER, text) for text in _channels(file, end, "ACEL. MAX")[1]]
    recordings = []
    for i, (text, orientation, samples) in enumerate(zip(texts, orientations, table.T, strict=True)):
        recording = file.recorded(
            samples, dt, unit, text, orientation, format=NAME, record=record, name=record, facts=facts
        )
        peak = peaks[i] if len(peaks) == len(texts) else None
        recordings.append(recording.compared(peak=0.01 * float(peak[0]) if peak else None))
    return number_channels(recordings) if len(recordings) > 3 else recordings


def _after(line: str) -> str:
    return line.partition(":")[2].strip()


def _value(file: TextFile, end: int, key: str) -> tuple[int, str]:
    """Line and value of a description, empty if it is not there."""
    for i, line in enumerate(file.lines[:end]):
        if line.strip().upper().startswith(key) and ":" in line:
            return i, _after(line)
    return end, ""


def _channels(file: TextFile, end: int, key: str) -> tuple[int, list[str]]:
    """First line and fields of the channels, C1-C6 and, where there are more, C7-C12."""
    lines = [i for i, line in enumerate(file.lines[:end]) if line.strip().upper().startswith(key)]
    fields = [field.strip() for i in lines for field in _after(file.lines[i]).split("/")]
    return lines[0] if lines else end, [field for field in fields if field]


def _common(file: TextFile, end: int, key: str, channels: int) -> tuple[int, str]:
    """Line and number that all channels share."""
    line, texts = _channels(file, end, key)
    if len(texts) != channels or len({*texts}) > 1:
        said = "/".join(texts)
        raise file.error(line, f"{key} must be one number, the same for {channels} channels, got {said!r}")
    return line, texts[0]


def _orientation(text: str) -> Orientation | None:
    """Orientation of a channel: a bearing, V or the like, with a sign before it or behind a semicolon."""
    name, sign = _split(text)
    orientation = parse_orientation(name)
    return opposite(orientation) if orientation and sign.count("-") % 2 else orientation


def _split(text: str) -> tuple[str, str]:
    """Name and sign of a channel."""
    name, _, sign = text.upper().replace(" ", "").partition(";")
    if name[:1] in ("+", "-"):
        name, sign = name[1:], name[0] + sign
    bearing = re.fullmatch(r"([NS])([\dO]{1,2})([EWO])", name)  # O for 0, and oeste for west
    if bearing:
        name = bearing[1] + bearing[2].replace("O", "0") + bearing[3].replace("O", "W")
    return name.replace("--", "-"), sign


def _check_heads(file: TextFile, index: int, texts: list[str]) -> None:
    """Refuse names above the columns that say other directions than the header; they often lack the signs."""
    heads = file.line(index).split()
    if len(heads) != len(texts):
        return
    for head, text in zip(heads, texts, strict=True):
        column = parse_orientation(_split(head)[0])
        if column and column != parse_orientation(_split(text)[0]):
            raise file.error(index, f"the column {head!r} is {text!r} by {ORIENTATION} of the header")
