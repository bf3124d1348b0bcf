"""K-NET and KiK-net of Japan: one component a file (`.NS`, `.EW`, `.UD`, or with 1 or 2 behind).

Seventeen lines of header, then counts that a scale factor turns into gal. The counts carry the
offset of the recorder, which the declared largest acceleration leaves out; their mean is removed.
National Research Institute for Earth Science and Disaster Resilience (NIED), strong-motion networks.
"""

from __future__ import annotations

import re

import numpy as np

from mcrock.excitation.readers.text_file import (
    FIXED,
    NUMBER,
    Header,
    RecordedComponent,
    TextFile,
    start_of,
    year_of,
)

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
FACTS = {"Mag.": ("magnitude", 1.0), "Depth": ("event_depth", 1000.0)}
VALUE = 18  # column in which values begin
# directions of KiK-net: 1 to 3 in the borehole, 4 to 6 at the surface
KIKNET = {"1": "N-S", "2": "E-W", "3": "U-D", "4": "N-S", "5": "E-W", "6": "U-D"}


def matches(file: TextFile) -> bool:
    """Whether the file begins like one of K-NET or KiK-net."""
    return file.lines[0].startswith("Origin Time") and "".join(file.lines[5:6]).startswith("Station Code")


def read(file: TextFile) -> list[RecordedComponent]:
    """Read the component of a file.

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
    if not scale:
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
        format="KiK-net" if sensor else NAME,
        unit_known=FIXED,
        record=f"{station} {began}",
        name=f"{station} {began.replace('/', '-')}",
        start=start,
        remarks=remarks,
        facts=facts | header.facts(FACTS) | {"station": station},
        history=(f"mean of the counts removed ({np.mean(counts):.6g})",),
    )
    return [recording.compared(peak=0.01 * header.number("Max. Acc.", positive=False))]
