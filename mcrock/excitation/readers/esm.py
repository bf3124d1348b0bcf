"""ESM and ITACA: ASCII files with lines `KEY: value`, 64 in header format DYNA 1.2, one component each.

Also what AFAD (Turkey) hands out today, which has the same form. Luzi, L. et al. (2016). The
engineering strong-motion database: a platform to access pan-European accelerometric data.
Seismological Research Letters 87(4), 987-997.
"""

from __future__ import annotations

from datetime import UTC, datetime

from mcrock.base.units import ACCELERATIONS, parse_unit
from mcrock.excitation.readers.orientation import parse_orientation
from mcrock.excitation.readers.recording import DECLARED, NotRecordError, RecordedComponent
from mcrock.excitation.readers.text_file import TextFile

NAME = "ESM"
HEADER_LINES = 64  # at most; older files have fewer
FACTS = {  # key: (fact, factor to SI units)
    "MAGNITUDE_L": ("magnitude", 1.0),
    "MAGNITUDE_W": ("magnitude", 1.0),  # where there are both, this one stays
    "VS30_M/S": ("vs30", 1.0),
    "EPICENTRAL_DISTANCE_KM": ("distance_epicentral", 1000.0),
    "EVENT_DEPTH_KM": ("event_depth", 1000.0),
    "LOW_CUT_FREQUENCY_HZ": ("low_cut_frequency", 1.0),
    "HIGH_CUT_FREQUENCY_HZ": ("high_cut_frequency", 1.0),
}


def matches(file: TextFile) -> bool:
    """Whether the file begins with the header of the format."""
    head = file.lines[:HEADER_LINES]
    return head[0].startswith("EVENT_NAME:") and any(line.startswith("SAMPLING_INTERVAL_S:") for line in head)


def read(file: TextFile) -> list[RecordedComponent]:
    """Read the component of a file.

    Raises
    ------
    MotionError
        With file, line and reason, if the file is damaged or holds no acceleration.
    """
    header: dict[str, str] = {}
    lines: dict[str, int] = {}
    first = 0
    while first < HEADER_LINES and ":" in file.line(first):
        key, _, value = file.lines[first].partition(":")
        header[key.strip()], lines[key.strip()] = value.strip(), first
        first += 1
    for key in ("NDATA", "UNITS", "STREAM", "STATION_CODE", "DATE_TIME_FIRST_SAMPLE_YYYYMMDD_HHMMSS"):
        if key not in header:
            raise file.error(first - 1, f"the header ends here and has no line '{key}:'")
    quantity = header.get("DATA_TYPE", "")
    if quantity and quantity.upper() != "ACCELERATION":
        raise NotRecordError(f"{quantity.lower()}, no acceleration")
    unit = parse_unit(header["UNITS"])
    if unit is None:
        raise file.error(
            lines["UNITS"],
            "UNITS of an acceleration must be one of cm/s^2, m/s^2, mm/s^2, gal, g, mg, got "
            f"{header['UNITS']!r}",
        )
    step = "SAMPLING_INTERVAL_S"
    dt = file.number(lines[step], header[step], f"{step}", positive=True)
    count = file.count(lines["NDATA"], header["NDATA"], "NDATA")
    samples, _ = file.samples(first, count)
    orientation = parse_orientation(header["STREAM"])
    if orientation is None:
        raise file.error(
            lines["STREAM"], f"STREAM must be a channel such as HNE, HNN or HNZ, got {header['STREAM']!r}"
        )
    places = [header.get(key, "") for key in ("NETWORK", "STATION_CODE", "LOCATION")]
    station = ".".join(filter(None, places))
    event = header.get("EVENT_ID") or header.get("EVENT_DATE_YYYYMMDD", "")
    recording = RecordedComponent(
        samples * ACCELERATIONS[unit],
        dt,
        file.path,
        NAME,
        unit,
        DECLARED,
        # the same shaking is handed out raw and processed
        record=" ".join(filter(None, (station, event, header.get("PROCESSING", "")))),
        name=f"{_event(header)}, {station}",
        component=header["STREAM"],
        role=orientation.role,
        azimuth=orientation.azimuth,
        start=_seconds(file, lines, header),
        facts=_facts(header) | {"station": station},
    )
    return [
        recording.compared(
            peak=_declared(file, header, lines, "PGA_CM/S^2", 0.01),
            duration=_declared(file, header, lines, "DURATION_S", 1.0),
        )
    ]


def _declared(
    file: TextFile, header: dict[str, str], lines: dict[str, int], key: str, factor: float
) -> float | None:
    return factor * file.number(lines[key], header[key], key) if header.get(key) else None


def _event(header: dict[str, str]) -> str:
    name = header.get("EVENT_NAME", "").title()
    return f"{name} {header.get('EVENT_DATE_YYYYMMDD', '')[:4]}".strip()


def _seconds(file: TextFile, lines: dict[str, int], header: dict[str, str]) -> float | None:
    """Time of the first sample after 1970 [s]."""
    key = "DATE_TIME_FIRST_SAMPLE_YYYYMMDD_HHMMSS"
    text = header[key]
    if not text:
        return None
    for form in ("%Y%m%d_%H%M%S.%f", "%Y%m%d_%H%M%S"):
        try:
            return datetime.strptime(text, form).replace(tzinfo=UTC).timestamp()
        except ValueError:
            continue
    raise file.error(lines[key], f"expected a time as in 20190728_160919.870, got {text!r}")


def _facts(header: dict[str, str]) -> dict[str, str | float]:
    facts: dict[str, str | float] = {}
    if header.get("EVENT_NAME"):
        facts["event"] = header["EVENT_NAME"].title()
    if header.get("EVENT_DATE_YYYYMMDD", "")[:4].isdecimal():
        facts["year"] = int(header["EVENT_DATE_YYYYMMDD"][:4])
    for key, (name, factor) in FACTS.items():
        try:
            facts[name] = factor * float(header[key])
        except (KeyError, ValueError):
            continue
    return facts
