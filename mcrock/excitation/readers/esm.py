"""ESM and ITACA: ASCII files with lines `KEY: value`, 64 in header format DYNA 1.2, one component each.

Also what AFAD (Turkey) hands out today, which has the same form. Luzi, L. et al. (2016). The
engineering strong-motion database: a platform to access pan-European accelerometric data.
Seismological Research Letters 87(4), 987-997.
"""

from __future__ import annotations

from mcrock.excitation.readers.text_file import (
    Header,
    NotRecordError,
    RecordedComponent,
    TextFile,
    start_of,
    year_of,
)

NAME = "ESM"
BEGAN = "DATE_TIME_FIRST_SAMPLE_YYYYMMDD_HHMMSS"
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
    first = next((i for i in range(HEADER_LINES) if ":" not in file.line(i)), HEADER_LINES)
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
        format=NAME,
        # the same shaking is handed out raw and processed
        record=" ".join(filter(None, (station, header["EVENT_ID"] or date, header["PROCESSING"]))),
        name=f"{f'{event} {date[:4]}'.strip()}, {station}",
        start=start,
        remarks=remarks,
        facts=facts | year_of(date) | header.facts(FACTS) | {"station": station},
    )
    return [
        recording.compared(
            peak=0.01 * header.number("PGA_CM/S^2", positive=False) if header["PGA_CM/S^2"] else None,
            duration=header.number("DURATION_S", positive=False) if header["DURATION_S"] else None,
        )
    ]
