"""K-NET and KiK-net of Japan: one component a file (`.NS`, `.EW`, `.UD`, or with 1 or 2 behind).

Seventeen lines of header, then counts that a scale factor turns into gal. The counts carry the
offset of the recorder, which the declared largest acceleration leaves out; their mean is removed.
National Research Institute for Earth Science and Disaster Resilience (NIED), strong-motion networks.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

import numpy as np

from mcrock.excitation.readers.orientation import Orientation, parse_orientation
from mcrock.excitation.readers.recording import FIXED, RecordedComponent
from mcrock.excitation.readers.text_file import NUMBER, TextFile

NAME = "K-NET"
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
VALUE = 18  # column in which values begin
PER_LINE = 8
# directions of KiK-net: 1 to 3 in the borehole, 4 to 6 at the surface
KIKNET = {"1": "N-S", "2": "E-W", "3": "U-D", "4": "N-S", "5": "E-W", "6": "U-D"}


def matches(file: TextFile) -> bool:
    """Whether the file begins like one of K-NET or KiK-net."""
    return (
        file.lines[0].startswith("Origin Time")
        and len(file.lines) > 5
        and (file.lines[5].startswith("Station Code"))
    )


def read(file: TextFile) -> list[RecordedComponent]:
    """Read the component of a file.

    Raises
    ------
    MotionError
        With file, line and reason, if the file is damaged.
    """
    header = {}
    for i, name in enumerate(HEADER):
        line = file.line(i)
        if not line.startswith(name):
            raise file.error(i, f"expected '{name}', got {line[:VALUE].strip()!r}")
        header[name] = line[VALUE:].strip()
    place = {name: i for i, name in enumerate(HEADER)}
    rate = re.match(rf"({NUMBER})\s*Hz", header["Sampling Freq"])
    if not rate:
        raise file.error(
            place["Sampling Freq"], f"expected a frequency in Hz, got {header['Sampling Freq']!r}"
        )
    frequency = file.number(place["Sampling Freq"], rate[1], "sampling frequency [Hz]", positive=True)
    duration = file.number(place["Duration Time"], header["Duration Time"], "duration [s]", positive=True)
    scale = re.fullmatch(rf"({NUMBER})\s*\(gal\)\s*/\s*({NUMBER})", header["Scale Factor"])
    if not scale:
        raise file.error(
            place["Scale Factor"],
            f"expected a factor as in 2000(gal)/8388608, got {header['Scale Factor']!r}",
        )
    counts, _ = file.samples(len(HEADER), round(duration * frequency))
    gal = (counts - counts.mean()) * (float(scale[1]) / float(scale[2]))
    orientation, component, sensor = _direction(file, place["Dir."], header["Dir."])
    station = header["Station Code"] + (f" {sensor}" if sensor else "")
    began = header["Record Time"]
    start = _seconds(file, place["Record Time"], began)
    recording = RecordedComponent(
        0.01 * gal,
        1 / frequency,
        file.path,
        "KiK-net" if sensor else NAME,
        "gal",
        FIXED,
        record=f"{station} {began}",
        name=f"{station} {began.replace('/', '-')}",
        component=component,
        role=orientation.role,
        azimuth=orientation.azimuth,
        start=start,
        facts=_facts(header) | {"station": station},
        history=(f"mean of the counts removed ({np.mean(counts):.6g})",),
    )
    peak = file.number(place["Max. Acc."], header["Max. Acc."], "largest acceleration [gal]")
    return [recording.compared(peak=0.01 * peak)]


def _direction(file: TextFile, index: int, text: str) -> tuple[Orientation, str, str]:
    """Orientation of the component, its name, and of KiK-net which sensor it is of."""
    if text in KIKNET:
        sensor = "borehole" if text in "123" else "surface"
        return _known(KIKNET[text]), KIKNET[text], sensor
    if text.upper() not in KIKNET.values():
        raise file.error(index, f"direction must be N-S, E-W, U-D or 1 to 6, got {text!r}")
    return _known(text), text, ""


def _known(text: str) -> Orientation:
    orientation = parse_orientation(text)
    assert orientation is not None
    return orientation


def _seconds(file: TextFile, index: int, text: str) -> float:
    try:
        return datetime.strptime(text, "%Y/%m/%d %H:%M:%S").replace(tzinfo=UTC).timestamp()
    except ValueError:
        raise file.error(index, f"expected a date as in 2000/10/06 13:31:24, got {text!r}") from None


def _facts(header: dict[str, str]) -> dict[str, str | float]:
    facts: dict[str, str | float] = {}
    if header["Origin Time"][:4].isdecimal():
        facts["year"] = int(header["Origin Time"][:4])
        facts["origin_time"] = header["Origin Time"]
    for name, key, factor in (
        ("magnitude", "Mag.", 1.0),
        ("event_depth", "Depth", 1000.0),
    ):
        try:
            facts[name] = factor * float(header[key])
        except ValueError:
            continue
    return facts
