"""Record formats of other networks: AFAD, ASA, ESM, GeoNet, JMA, K-NET and KiK-net, TSMIP.

``is_X`` tells by its content whether a file is in format X, ``read_X`` makes recordings of its components.
"""

from __future__ import annotations

import re

import numpy as np

from mcrock.base.units import ACCELERATIONS, parse_unit
from mcrock.excitation.readers.csv_file import uniform_step
from mcrock.excitation.readers.text_file import (
    FIXED,
    NUMBER,
    Header,
    NotRecordError,
    Orientation,
    RecordedComponent,
    TextFile,
    number_channels,
    opposite,
    parse_orientation,
    start_of,
    year_of,
)

AFAD_NAME = "AFAD"
AFAD_TITLE = "STRONG GROUND MOTION RECORDS OF TURK"
AFAD_HEADER_LINES = 30  # in which the names of the columns have to come
DIRECTIONS = re.compile(r"\s*(?:[NEU]-?[SWD]\s*){1,3}", re.IGNORECASE)  # the names of the columns


def is_afad(file: TextFile) -> bool:
    """Whether the file begins with the title of the network, and keys follow."""
    return file.lines[0].strip().upper().startswith(AFAD_TITLE) and any(
        " : " in line for line in file.lines[1:5]
    )


def read_afad(file: TextFile) -> list[RecordedComponent]:
    """Read the components of a file.

    AFAD, the strong-motion network of Turkey: text files with three columns in gal.

    Lines `KEY : value`, a line with the names of the columns (N-S, E-W, U-D), then one line for each time
    step. Disaster and Emergency Management Authority of Turkey; files of today have
    the form of `read_esm`.

    Raises
    ------
    MotionError
        With file, line and reason, if the file is damaged.
    """
    names = next((i for i in range(AFAD_HEADER_LINES) if DIRECTIONS.fullmatch(file.line(i))), None)
    if names is None:
        raise file.error(
            AFAD_HEADER_LINES - 1, "no line with the names of the columns N-S, E-W, U-D up to here"
        )
    header = Header.of(file, names)
    header.need("NUMBER OF DATA", "SAMPLING INTERVAL (sec)", "STATION ID")
    dt, heads = header.number("SAMPLING INTERVAL (sec)"), file.lines[names].split()
    table = file.table(names + 1, len(heads), header.count("NUMBER OF DATA"))
    station, began = header["STATION ID"], header["RECORD TIME"]
    of_all = {
        "format": AFAD_NAME,
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


ASA_NAME = "ASA"
ASA_TITLE = "ARCHIVO ESTANDAR DE ACELERACION"
PLAIN = str.maketrans("ÁÓ", "AO")
TITLE_LINES = 12  # in which it has to come
ASA_HEADER_LINES = 200  # in which the samples have to begin
CHANNELS = re.compile(r"\s*CANAL\s*-?\s*1\b")
ORIENTATION, STEP, COUNT = "ORIENTACION", "INTERVALO DE MUESTREO", "NUM. TOTAL DE MUESTRAS"
UNIT, STATION, DATE = "UNIDADES DE LOS DATOS", "CLAVE DE LA ESTACION", "FECHA DEL SISMO"


def is_asa(file: TextFile) -> bool:
    """Whether the file begins with the title of the format, and keys follow."""
    head = [line.upper().translate(PLAIN) for line in file.lines[:ASA_HEADER_LINES]]
    return any(ASA_TITLE in line for line in head[:TITLE_LINES]) and any(ORIENTATION in line for line in head)


def read_asa(file: TextFile) -> list[RecordedComponent]:
    """Read the channels of a file.

    ASA of Mexico (archivo estándar de aceleración, version 2.0): up to twelve channels in one file.

    A header of 109 lines, most of them `DESCRIPTION : value` with fields `/C1/C2/C3...` for the channels:
    among them orientation (`N00E;+/V;+/N90W`, bearing and sign), sampling interval, number of samples and
    largest acceleration. Above the samples a line `CANAL-1 CANAL-2 ...` and one that repeats the
    orientations. UNAM and other institutions, Base Mexicana de Datos de Sismos Fuertes and RAII-UNAM; read in
    the same way by gmprocess of the USGS (https://code.usgs.gov/ghsc/esi/groundmotion-processing,
    `gmprocess.io.unam`) and by the strong motion toolkit of GEM
    (https://github.com/GEMScienceTools/gmpe-smtk), which lists spellings met in files.

    Raises
    ------
    MotionError
        With file, line and reason, if the file is damaged, does not say unit or directions, or
        contradicts itself about them.
    """
    end = next(
        (i for i, line in enumerate(file.lines[:ASA_HEADER_LINES]) if CHANNELS.match(line.upper())), None
    )
    if end is None:
        raise file.error(min(ASA_HEADER_LINES, file.last), "no line 'CANAL-1 CANAL-2 CANAL-3' up to here")
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
            samples, dt, unit, text, orientation, format=ASA_NAME, record=record, name=record, facts=facts
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


ESM_NAME = "ESM"
BEGAN = "DATE_TIME_FIRST_SAMPLE_YYYYMMDD_HHMMSS"
ESM_HEADER_LINES = 64  # at most; older files have fewer
ESM_FACTS = {  # key: (fact, factor to SI units)
    "MAGNITUDE_L": ("magnitude", 1.0),
    "MAGNITUDE_W": ("magnitude", 1.0),  # where there are both, this one stays
    "VS30_M/S": ("vs30", 1.0),
    "EPICENTRAL_DISTANCE_KM": ("distance_epicentral", 1000.0),
    "EVENT_DEPTH_KM": ("event_depth", 1000.0),
    "LOW_CUT_FREQUENCY_HZ": ("low_cut_frequency", 1.0),
    "HIGH_CUT_FREQUENCY_HZ": ("high_cut_frequency", 1.0),
}


def is_esm(file: TextFile) -> bool:
    """Whether the file begins with the header of the format."""
    head = file.lines[:ESM_HEADER_LINES]
    return head[0].startswith("EVENT_NAME:") and any(line.startswith("SAMPLING_INTERVAL_S:") for line in head)


def read_esm(file: TextFile) -> list[RecordedComponent]:
    """Read the component of a file.

    ESM and ITACA: ASCII files with lines `KEY: value`, 64 in header format DYNA 1.2, one component each.

    Also what AFAD (Turkey) hands out today, which has the same form. Luzi, L. et al. (2016). The engineering
    strong-motion database: a platform to access pan-European accelerometric data. Seismological Research
    Letters 87(4), 987-997.

    Raises
    ------
    MotionError
        With file, line and reason, if the file is damaged or holds no acceleration.
    """
    first = next((i for i in range(ESM_HEADER_LINES) if ":" not in file.line(i)), ESM_HEADER_LINES)
    header = Header.of(file, first)
    header.need("NDATA", "UNITS", "STREAM", "STATION_CODE")
    quantity = header["DATA_TYPE"]
    if quantity and quantity.upper() != "ACCELERATION":
        raise NotRecordError(f"{quantity.lower()}, no acceleration")
    unit, dt = header.unit("UNITS"), header.number("SAMPLING_INTERVAL_S")
    samples, _ = file.samples(first, header.count("NDATA"))
    stream, event = header["STREAM"], header["EVENT_NAME"].title()
    station = ".".join(filter(None, (header[key] for key in ("NETWORK", "STATION_CODE", "LOCATION"))))
    start, remarks = start_of(header[BEGAN])
    date, facts = header["EVENT_DATE_YYYYMMDD"], {"event": event} if event else {}
    recording = file.recorded(
        samples,
        dt,
        unit,
        stream,
        file.orientation(header.lines["STREAM"], stream, "STREAM"),
        format=ESM_NAME,
        # the same shaking is handed out raw and processed
        record=" ".join(filter(None, (station, header["EVENT_ID"] or date, header["PROCESSING"]))),
        name=f"{f'{event} {date[:4]}'.strip()}, {station}",
        start=start,
        remarks=remarks,
        facts=facts | year_of(date) | header.facts(ESM_FACTS) | {"station": station},
    )
    return [
        recording.compared(
            peak=0.01 * header.number("PGA_CM/S^2", positive=False) if header["PGA_CM/S^2"] else None,
            duration=header.number("DURATION_S", positive=False) if header["DURATION_S"] else None,
        )
    ]


GEONET_NAME = "GeoNet"
TEXT_LINES = 16
NUMBER_LINES = 10
PER_LINE = 10
WIDTH = 8


def is_geonet(file: TextFile) -> bool:
    """Whether the file begins with an accelerogram of GNS Science."""
    return bool(re.match(r"\s*(un)?corrected accelerogram .*GNS", file.lines[0], re.IGNORECASE))


def read_geonet(file: TextFile) -> list[RecordedComponent]:
    """Read the components of a file.

    GeoNet (New Zealand): files V1A (uncorrected) and V2A (corrected), three components in one file.

    For each component 16 lines of text, 4 of ten whole numbers, 6 of ten numbers, then the acceleration in
    mm/s2 in columns of 8, and in V2A velocity and displacement. GNS Science, strong-motion data products,
    file formats.

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
        format=f"{GEONET_NAME} {volume}",
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


JMA_NAME = "JMA"
JMA_HEADER_LINES = 20  # in which the names of the columns have to come
CENTURY = 50  # years of two digits from here on are of the 20th century


def is_jma(file: TextFile) -> bool:
    """Whether the file begins with the header of the format."""
    head = [_key(line) for line in file.lines[:JMA_HEADER_LINES]]
    return head[0] == "SITE CODE" and not {"SAMPLING RATE", "UNIT", "INITIAL TIME"}.isdisjoint(head)


def _key(line: str) -> str:
    key = " ".join(line.partition("=")[0].upper().split())
    return "SAMPLING RATE" if key == "SAMPLING FREQ" else key


def read_jma(file: TextFile) -> list[RecordedComponent]:
    """Read the components of a file.

    JMA, the Japan Meteorological Agency: accelerations of its seismic intensity meters, CSV files.

    Lines `SITE CODE=`, `LAT.=`, `LON.=`, `SAMPLING RATE= 100Hz`, `UNIT = gal(cm/s/s)`, `INITIAL TIME =`
    (Japan standard time), a line with the names of the columns, NS,EW,UD, then a line for each time step.
    North, east and up are positive. Old files have years of two digits and commas at the ends of the lines,
    texts are in Shift JIS. Japan Meteorological Agency, strong-motion records
    (https://www.data.jma.go.jp/eqev/data/kyoshin/jishin/). What the agency sells on discs, counts of the
    types 87 and 95 in binary or hexadecimal form, is not read.

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
        "format": JMA_NAME,
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


KNET_NAME = "K-NET"
HEADER = (  # first words of the lines
    "Origin Time",
    "Lat.",
    "Long.",
    "Depth",
    "Mag.",
    "Station Code",
    "Station Lat.",
    "Station Long.",
    "Station Height",
    "Record Time",
    "Sampling Freq",
    "Duration Time",
    "Dir.",
    "Scale Factor",
    "Max. Acc.",
    "Last Correction",
    "Memo.",
)
KNET_FACTS = {"Mag.": ("magnitude", 1.0), "Depth": ("event_depth", 1000.0)}
VALUE = 18  # column in which values begin
# directions of KiK-net: 1 to 3 in the borehole, 4 to 6 at the surface
KIKNET = {"1": "N-S", "2": "E-W", "3": "U-D", "4": "N-S", "5": "E-W", "6": "U-D"}


def is_knet(file: TextFile) -> bool:
    """Whether the file begins like one of K-NET or KiK-net."""
    return file.lines[0].startswith("Origin Time") and "".join(file.lines[5:6]).startswith("Station Code")


def read_knet(file: TextFile) -> list[RecordedComponent]:
    """Read the component of a file.

    K-NET and KiK-net of Japan: one component a file (`.NS`, `.EW`, `.UD`, or with 1 or 2 behind).

    Seventeen lines of header, then counts that a scale factor turns into gal. The counts carry the offset of
    the recorder, which the declared largest acceleration leaves out; their mean is removed. National Research
    Institute for Earth Science and Disaster Resilience (NIED), strong-motion networks.

    Raises
    ------
    MotionError
        With file, line and reason, if the file is damaged.
    """
    places = {name: i for i, name in enumerate(HEADER)}
    for name, i in places.items():
        if not file.line(i).startswith(name):
            raise file.error(i, f"expected '{name}', got {file.line(i)[:VALUE].strip()!r}")
    values = {name: file.line(i)[VALUE:].strip() for name, i in places.items()}
    header = Header(file, len(HEADER), places, values)
    rate = re.match(rf"({NUMBER})\s*Hz", header["Sampling Freq"])
    if not rate:
        raise header.error("Sampling Freq", f"expected a frequency in Hz, got {header['Sampling Freq']!r}")
    frequency = file.number(places["Sampling Freq"], rate[1], "sampling frequency [Hz]", positive=True)
    scale = re.fullmatch(rf"({NUMBER})\s*\(gal\)\s*/\s*({NUMBER})", header["Scale Factor"])
    if not (scale and float(scale[2])):
        got = header["Scale Factor"]
        raise header.error("Scale Factor", f"expected a factor as in 2000(gal)/8388608, got {got!r}")
    counts, _ = file.samples(len(HEADER), round(header.number("Duration Time") * frequency))
    component, sensor = header["Dir."], ""
    if component in KIKNET:
        component, sensor = KIKNET[component], " borehole" if component in "123" else " surface"
    elif component.upper() not in KIKNET.values():
        raise header.error("Dir.", f"direction must be N-S, E-W, U-D or 1 to 6, got {component!r}")
    station, began, origin = header["Station Code"] + sensor, header["Record Time"], header["Origin Time"]
    start, remarks = start_of(began)
    facts = year_of(origin) | ({"origin_time": origin} if year_of(origin) else {})
    recording = file.recorded(
        (counts - counts.mean()) * (float(scale[1]) / float(scale[2])),
        1 / frequency,
        "gal",
        component,
        file.orientation(places["Dir."], component, "direction"),
        format="KiK-net" if sensor else KNET_NAME,
        unit_known=FIXED,
        record=f"{station} {began}",
        name=f"{station} {began.replace('/', '-')}",
        start=start,
        remarks=remarks,
        facts=facts | header.facts(KNET_FACTS) | {"station": station},
        history=(f"mean of the counts removed ({np.mean(counts):.6g})",),
    )
    return [recording.compared(peak=0.01 * header.number("Max. Acc.", positive=False))]


TSMIP_NAME = "TSMIP"
SEQUENCE = "DataSequence"


def is_tsmip(file: TextFile) -> bool:
    """Whether the file begins with such lines, among them those of station and columns."""
    header = _header(file)
    return {"StationCode", SEQUENCE} <= header.values.keys()


def _header(file: TextFile) -> Header:
    """The comments above the table, time zones left out of the keys."""
    texts = ((i, line.strip()) for i, line in enumerate(file.lines))
    end = next((i for i, text in texts if text and not text.startswith("#")), len(file.lines))
    return Header.of(file, end, key=lambda key: key.strip()[1:].partition("(GMT")[0].strip())


def read_tsmip(file: TextFile) -> list[RecordedComponent]:
    """Read the components of a file.

    TSMIP, the strong-motion network of Taiwan: free-field records with time, U, N and E in gal.

    Lines ``#Key: value``, of which ``#DataSequence: Time U(+); N(+); E(+)`` says the order and the positive
    directions of the columns; then a line for each time step (4F10.3). Central Weather Administration (CWA,
    until 2023 CWB), Taiwan Strong Motion Instrumentation Program; read in the same way by gmprocess of the
    USGS (https://code.usgs.gov/ghsc/esi/groundmotion-processing, `gmprocess.io.cwb`).

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
        "format": TSMIP_NAME,
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
