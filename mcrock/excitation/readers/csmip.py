"""CSMIP, formerly DMG, of California: volumes 1 (uncorrected) and 2 (corrected), several channels a file.

Text, 100 whole numbers, 100 numbers (volume 1: fewer), then a line that announces the acceleration,
its time step, unit and format; volume 2 adds velocity and displacement. Shakal, A. F., Huang, M. J.
(1985). Standard tape format for CSMIP strong-motion data tapes. California Division of Mines and
Geology, Office of Strong Motion Studies, report 85-03.
"""

from __future__ import annotations

import re
from dataclasses import replace

from mcrock.excitation.motion import FloatArray
from mcrock.excitation.readers.text_file import (
    NUMBER,
    NotRecordError,
    RecordedComponent,
    TextFile,
    number_channels,
    parse_orientation,
)

NAME = "CSMIP"
TITLE = re.compile(r"\s*(UN)?CORRECTED ACCELEROGRAM", re.IGNORECASE)
OTHER = re.compile(r"\s*RESPONSE AND FOURIER AMPLITUDE SPECTRA", re.IGNORECASE)
HEADER_LINES = 60  # in which the line that announces the acceleration has to come
ANNOUNCED = re.compile(r"\s*\d+\s+(?:POINTS OF ACCEL DATA|ACCELEROGRAM POINTS)", re.IGNORECASE)
STEP = re.compile(rf"EQUALLY SPACED AT\s+({NUMBER})\s*SEC|AT\s+({NUMBER})\s*PTS/SEC", re.IGNORECASE)
CHANNEL = re.compile(
    r"CHA?N\s*(\d+):\s*([NS]\s*\d+(?:\.\d+)?\s*[EW]\b|\d+(?:\.\d+)?(?:\s*DEG\b)?|\w+(?:-\w\b)?)",
    re.IGNORECASE,
)
LOCATION = re.compile(r"LOCATION:\s*(.*?)\s*$", re.IGNORECASE)
PEAK = re.compile(rf"PEAK ACCELERATION\s*=\s*({NUMBER})\s*CM/SEC/SEC", re.IGNORECASE)
INTERVAL = re.compile(rf"EQUALLY-SPACED INTERVALS OF\s*({NUMBER})\s*SEC", re.IGNORECASE)
LENGTH = re.compile(rf"RECORD LENGTH\s*=\s*({NUMBER})\s*SEC", re.IGNORECASE)
INITIAL_VELOCITY = re.compile(rf"INITIAL VELOCITY\s*=\s*({NUMBER})\s*CM/SEC", re.IGNORECASE)
PEAK_VELOCITY = re.compile(rf"PEAK\s+VELOCITY\s*=\s*({NUMBER})\s*CM/SEC", re.IGNORECASE)
MAGNITUDE = re.compile(rf"M[LWS]\s*[=:]\s*({NUMBER})", re.IGNORECASE)
YEAR = re.compile(r"\b(19|20)\d\d\b")
STATION = re.compile(r"STATION\s+(?:NO|ID)\.\s*(\S+)", re.IGNORECASE)
NEAR_ZERO = 0.05  # initial velocity over the peak velocity [1]
USUAL = 8, 10  # numbers in a line, and the width of their columns


def matches(file: TextFile) -> bool:
    """Whether the file begins like a volume of CSMIP, also one of spectra."""
    if OTHER.match(file.lines[0]):
        return True
    head = " ".join(file.lines[:3]).upper()
    return bool(TITLE.match(file.lines[0])) and ("ACCELEROGRAM DATA" in head) and "GNS" not in head


def read(file: TextFile) -> list[RecordedComponent]:
    """Read the channels of a file.

    Raises
    ------
    MotionError
        With file, line and reason, if the file is damaged, is a volume of spectra, or holds pairs of
        time and acceleration.
    """
    if OTHER.match(file.lines[0]):
        raise NotRecordError("response and Fourier spectra, no acceleration")
    recordings = []
    index = 0
    while index <= file.last:
        recording, index = _read_channel(file, index)
        recordings.append(recording)
        while index <= file.last and not file.lines[index].strip():
            index += 1
    return number_channels(recordings)


def _read_channel(file: TextFile, start: int) -> tuple[RecordedComponent, int]:
    """The channel that begins in line `start`, and the line after it."""
    title = TITLE.match(file.lines[start])
    if not title:
        raise file.error(start, f"expected the title of a channel, got {file.lines[start].strip()[:40]!r}")
    last = start + HEADER_LINES
    head = enumerate(file.lines[start:last], start)
    index = next((i for i, line in head if ANNOUNCED.match(line)), None)
    if index is None:
        if last > file.last:
            raise file.error(file.last, "the file ends in the header of a channel; is it truncated?")
        raise file.error(
            last,
            "up to here no line announces the acceleration, as in '12000 points of accel data equally "
            "spaced at .005 sec'; volume 1 with pairs of time and acceleration is not read",
        )
    announced = file.lines[index]
    step = STEP.search(announced)
    if not step:
        raise file.error(index, f"the time step is missing in {announced.strip()!r}")
    unit, known = file.spoken_unit([index], "UNITS: CM/SEC/SEC")
    number = file.number(index, step[1] or step[2], "time step or rate", positive=True)
    dt = number if step[1] else 1.0 / number
    samples, end = file.counted(index, "samples", *USUAL)
    if not title[1]:
        for what in ("velocities", "displacements"):
            if re.match(r"\s*\d+\s+POINTS OF", file.lines[end] if end <= file.last else "", re.IGNORECASE):
                _, end = file.counted(end, what, *USUAL)
    if end <= file.last and file.lines[end].lstrip().startswith("/&"):
        end += 1
    text = file.lines[start:index]
    return replace(_recording(file, start, text, samples, dt, unit, not title[1]), unit_known=known), end


def _recording(
    file: TextFile, start: int, text: list[str], samples: FloatArray, dt: float, unit: str, corrected: bool
) -> RecordedComponent:
    """The channel with the facts of its header, which volume 2 begins with a line of its own."""
    fewest = 7 + corrected
    if len(text) < fewest:
        raise file.error(start, f"the header has {len(text)} lines of text, expected at least {fewest}")
    joined = "\n".join(text[:26])
    channel, location = CHANNEL.search(joined), LOCATION.search(text[6 + corrected])
    orientation = parse_orientation(channel[2]) if channel else None
    if channel is None or orientation is None:
        raise file.error(start, "no line such as 'Chan 1: 90 Deg' says the direction of the channel")
    event = re.sub(r"\s+", " ", text[1 + corrected].split("(")[0]).strip()
    event = re.sub(r"^(Record|Rcrd) of ", "", event)
    place = text[5 + corrected][:40].strip()
    if event.isupper():
        event, place = event.title(), place.title()
    station = STATION.search(joined)
    number = station[1] if station else place
    volume = f"V{1 + corrected}"
    facts: dict[str, str | float] = {"event": event, "station": place, "station_number": number}
    for name, pattern, group in (("year", YEAR, 0), ("magnitude", MAGNITUDE, 1)):
        found = pattern.search(joined)
        if found:
            facts[name] = int(found[group]) if name == "year" else float(found[group])
    recording = file.recorded(
        samples,
        dt,
        unit,
        channel[2],
        orientation,
        format=f"{NAME} {volume}",
        record=f"{(text[3 + corrected].split() or [number])[0]} {volume}",
        name=f"{event}, {place}",
        channel=int(channel[1]),
        location=" ".join(location[1].split()) if location else "",
        facts=facts,
        remarks=_initial_velocity(joined, channel[2]),
    )
    peak, interval, length = (_number(pattern, joined) for pattern in (PEAK, INTERVAL, LENGTH))
    return recording.compared(peak=None if peak is None else 0.01 * peak, dt=interval, duration=length)


def _number(pattern: re.Pattern[str], text: str) -> float | None:
    found = pattern.search(text)
    return float(found[1]) if found else None


def _initial_velocity(text: str, component: str) -> tuple[str, ...]:
    """A remark where the corrected record begins with a velocity."""
    initial, peak = (_number(pattern, text) for pattern in (INITIAL_VELOCITY, PEAK_VELOCITY))
    if initial is None or peak is None or abs(initial) <= NEAR_ZERO * abs(peak):
        return ()
    return (
        f"component {component}: the record begins with a velocity of {0.01 * initial:.3g} m/s by its header",
    )
