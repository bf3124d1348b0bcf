"""ObsPy streams, and files that ObsPy reads: miniSEED, SAC and others. ObsPy has to be installed.

Seismological formats hold counts or any unit without saying so: the unit has to be given, and the
instrument removed before (`Stream.remove_response(output="ACC")` leaves m/s2).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from importlib.util import find_spec
from math import inf, radians
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from mcrock.base.units import ACCELERATIONS
from mcrock.excitation.motion import Motion, MotionError
from mcrock.excitation.readers.assemble import assemble
from mcrock.excitation.readers.text_file import (
    GIVEN,
    NotRecordError,
    Orientation,
    RecordedComponent,
    known_unit,
    number_channels,
    parse_orientation,
)

if TYPE_CHECKING:
    from obspy import Stream, Trace  # type: ignore[import-not-found,unused-ignore]

NAME = "ObsPy"
INSTALL = "pip install obspy"
PICKLE = "PICKLE"  # a format of ObsPy
ONE_AT_A_TIME = Lock()  # of the threads that read
QUANTITIES = {6: "displacement", 7: "velocity", 50: "voltage"}  # of SAC, by IDEP
GAP = 10.0  # between traces of a station that still are taken for one recording [s]


def is_installed() -> bool:
    """Whether ObsPy is there; it is not imported."""
    return find_spec("obspy") is not None


def from_stream(stream: Stream, unit: str) -> list[Motion]:
    """Ground motions out of an ObsPy stream of accelerations.

    Parameters
    ----------
    stream : obspy.Stream
        Traces of one or several stations, told apart by network, station and location. Traces of a
        station that overlap in time are one recording.
    unit : str
        Of the samples: a key of `mcrock.base.units.ACCELERATIONS`, "m/s2" after
        ``stream.remove_response(output="ACC")``.

    Returns
    -------
    list of Motion

    Raises
    ------
    MotionError
        If the unit is unknown, a trace has gaps or values that are not finite, its channel code does
        not say its direction, or the traces of a station do not fit together.
    """
    motions, problems = assemble(group_by_time(read_stream(stream, unit, Path("stream"))))
    if problems:
        raise MotionError("\n".join(problems))
    return motions


def read_file(path: Path, unit: str | None) -> list[RecordedComponent] | None:
    """Components of a file that ObsPy reads, or None if it does not know the format."""
    import obspy

    try:
        with _unpickling_nothing():
            stream = obspy.read(str(path))
    except TypeError:  # how ObsPy says that it does not know the format
        return None
    except Exception as error:  # its readers raise whatever goes wrong inside
        raise MotionError(f"{path}: ObsPy cannot read it: {error}") from error
    if unit is None:
        raise MotionError(
            f"{path}: the format {stream[0].stats.get('_format', '')} does not say the unit of its samples; "
            "give the unit of the acceleration"
        )
    return number_channels(read_stream(stream, unit, path))


@contextmanager
def _unpickling_nothing() -> Iterator[None]:
    """Take the format of ObsPy away that is a pickle, whatever its file is called: it would run as code."""
    from obspy.core.util.base import ENTRY_POINTS  # type: ignore[import-not-found,unused-ignore]

    with ONE_AT_A_TIME:
        formats = ENTRY_POINTS["waveform"]
        taken = formats.pop(PICKLE, None)
        try:
            yield
        finally:
            formats.update({PICKLE: taken} if taken else {})


def read_stream(stream: Stream, unit: str, path: Path) -> list[RecordedComponent]:
    """Components of a stream that was read from `path`."""
    known = known_unit(path, unit)
    return [_read_trace(trace, known, path) for trace in stream]


def group_by_time(pieces: Sequence[RecordedComponent]) -> list[RecordedComponent]:
    """Recordings of which those of a station that overlap in time share their `record`.

    Formats of seismology name the station, not the recording: components that begin a sample apart are
    one recording, also across a full minute, and pieces with a gap longer than `GAP` are several.
    """
    stations: dict[tuple[str, str], list[RecordedComponent]] = {}
    for piece in pieces:
        stations.setdefault((piece.format, piece.record), []).append(piece)
    began: dict[int, str] = {}
    for traces in stations.values():
        first, end = 0.0, -inf
        for trace in sorted(traces, key=_start):
            if _start(trace) > end + GAP:
                first = _start(trace)
            end = max(end, _start(trace) + len(trace.acceleration) * trace.dt)
            began[id(trace)] = f"{datetime.fromtimestamp(first, UTC):%Y-%m-%d %H:%M:%S}"
    return [
        replace(piece, record=f"{piece.record} {at}", name=f"{piece.name} {at.rpartition(':')[0]}")
        for piece, at in ((piece, began[id(piece)]) for piece in pieces)
    ]


def _start(recording: RecordedComponent) -> float:
    return recording.start or 0.0


def _read_trace(trace: Trace, unit: str, path: Path) -> RecordedComponent:
    stats = trace.stats
    where = f"{path}, trace {trace.id}"
    if np.ma.is_masked(trace.data):
        raise MotionError(f"{where}: the samples have gaps; fill them, or cut the record before them")
    quantity = QUANTITIES.get(int(stats.get("sac", {}).get("idep", 0)))
    if quantity:
        raise NotRecordError(
            f"trace {trace.id}: {quantity} by its header (IDEP), no acceleration; differentiate it, or "
            "remove the instrument with output='ACC'"
        )
    samples = np.asarray(trace.data, dtype=np.float64)
    if len(samples) < 2 or not np.isfinite(samples).all():
        raise MotionError(f"{where}: expected at least 2 samples, all of them finite")
    station = ".".join(filter(None, (stats.network, stats.station, stats.location)))
    orientation = _orientation(trace)
    if orientation is None:
        raise MotionError(
            f"{where}: the channel code {stats.channel!r} does not say the direction; expected one that ends "
            "in Z, N, E, 1 or 2"
        )
    began = stats.starttime
    return RecordedComponent(
        samples * ACCELERATIONS[unit],
        float(stats.delta),
        path,
        f"{NAME} {stats.get('_format', '')}".strip(),
        unit,
        GIVEN,
        record=station,
        name=station,
        component=stats.channel,
        role=orientation.role,
        azimuth=orientation.azimuth,
        start=float(began.timestamp),
        facts={"station": station, "year": int(began.year)},
    )


def _orientation(trace: Trace) -> Orientation | None:
    """Orientation by the header of SAC if it has one, else by the channel code or its last letter."""
    sac = trace.stats.get("sac", {})
    azimuth, inclination = sac.get("cmpaz", -12345.0), sac.get("cmpinc", -12345.0)
    if inclination == 0:
        return Orientation("up")
    if inclination == 90 and 0 <= azimuth <= 360:
        return Orientation("horizontal", radians(azimuth % 360))
    channel = trace.stats.channel
    if channel.isdecimal() and len(channel) == 1:  # a number, as of EVT, no azimuth
        return Orientation("horizontal")
    return parse_orientation(channel) or parse_orientation(channel[-1:])
