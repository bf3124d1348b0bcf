"""Choice of the reader of a file, by its content and what is given about it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import numpy as np

from mcrock.base.units import ACCELERATIONS, parse_unit
from mcrock.excitation.motion import Motion, MotionError
from mcrock.excitation.readers import (
    afad,
    asa,
    at2,
    bbp,
    cosmos,
    csmip,
    esm,
    geonet,
    jma,
    knet,
    obspy_stream,
    peer_table,
    smc,
    tsmip,
)
from mcrock.excitation.readers.csv_file import read_csv
from mcrock.excitation.readers.recording import GIVEN, NotRecordError, RecordedComponent
from mcrock.excitation.readers.text_file import BinaryFileError, TextFile

READERS: dict[str, ModuleType] = {
    "at2": at2,
    "esm": esm,
    "knet": knet,
    "cosmos": cosmos,
    "geonet": geonet,
    "csmip": csmip,
    "smc": smc,
    "afad": afad,
    "jma": jma,
    "asa": asa,
    "tsmip": tsmip,
    "bbp": bbp,
}
FORMATS = (*READERS, "csv", "obspy")
TABLE_LINES = 60  # looked at for two lines of numbers


@np.errstate(over="ignore")  # a motion refuses what overflows
def read_file(
    path: Path,
    format: str | None,
    unit: str | None,
    dt: float | None,
    columns: Sequence[str] | None,
    alone: bool,
) -> list[RecordedComponent] | list[Motion]:
    """Components of a file, or the motion of a table of text.

    Raises
    ------
    NotRecordError
        If the file is not a record of acceleration.
    MotionError
        If it is one and damaged.
    """
    if format == "obspy":
        return _read_with_obspy(path, unit, forced=True)
    if format == "csv":
        return [_read_table(path, unit, dt, columns)]
    try:
        file = TextFile.load(path)
    except BinaryFileError:
        if format is not None:
            raise
        return _read_with_obspy(path, unit, forced=False)
    reader = READERS[format] if format else detect(file)
    if reader is not None:
        recordings = _read_with(reader, file)
        if alone:
            _check_given(recordings[0], unit, dt, columns)
        return recordings
    if peer_table.is_search_results(file):
        raise NotRecordError("table of a PEER download")
    if not (_is_table(file) or (alone and unit is not None)):
        raise NotRecordError("no format that is known")
    if unit is None:
        raise NotRecordError("table of numbers; say its unit, as unit='cm/s2' or --unit cm/s2")
    return [_read_table(path, unit, dt, columns)]


def detect(file: TextFile) -> ModuleType | None:
    """Reader of a text file by its content, None if no format fits."""
    return next((reader for reader in READERS.values() if reader.matches(file)), None)


def _read_with(reader: ModuleType, file: TextFile) -> list[RecordedComponent]:
    """Components of a text file by the reader of one format."""
    name = reader.__name__.rpartition(".")[2]
    if not reader.matches(file):
        raise MotionError(f"{file.path}: is not in the format '{name}': {file.lines[0].strip()[:60]!r}")
    with failing_in_words(file.path, name):
        recordings: list[RecordedComponent] = reader.read(file)
    return recordings


@contextmanager
def failing_in_words(path: Path, reader: str) -> Iterator[None]:
    """One damaged file must not end the reading of a folder, whatever its reader did not think of."""
    try:
        yield
    except (MotionError, Warning):
        raise
    except Exception as error:
        raise MotionError(
            f"{path}: the reader '{reader}' could not understand the file "
            f"({type(error).__name__}: {error}); is it damaged?"
        ) from error


def _read_with_obspy(path: Path, unit: str | None, forced: bool) -> list[RecordedComponent]:
    """Components of a file by way of ObsPy."""
    if not obspy_stream.is_installed():
        if forced:
            raise MotionError(f"{path}: ObsPy is not installed; get it: {obspy_stream.INSTALL}")
        raise NotRecordError("no text; ObsPy, which may know it, is not installed")
    if unit is None and not forced:
        raise NotRecordError("no text; give a unit to have ObsPy try it")
    with failing_in_words(path, "obspy"):
        recordings = obspy_stream.read_file(path, unit)
    if recordings is None:
        raise NotRecordError("no format that is known, to ObsPy neither")
    return recordings


def _read_table(path: Path, unit: str | None, dt: float | None, columns: Sequence[str] | None) -> Motion:
    """Motion of a table of text."""
    if unit is None:
        raise MotionError(f"{path}: a table does not say its unit; give the unit of the acceleration")
    with failing_in_words(path, "csv"):
        motion = read_csv(path, unit, dt, columns=columns)
    missing = [axis for axis, samples in zip("xyz", motion.acceleration, strict=True) if not samples.any()]
    facts = {"format": "table", "unit_known": GIVEN} | ({"missing": ", ".join(missing)} if missing else {})
    return replace(motion, metadata={**motion.metadata, **facts})


def _check_given(
    recording: RecordedComponent, unit: str | None, dt: float | None, columns: Sequence[str] | None
) -> None:
    """Refuse a unit, time step or directions that a file of its own word does not have."""
    known = parse_unit(unit)
    if known and ACCELERATIONS[known] != ACCELERATIONS[recording.unit]:
        raise MotionError(
            f"{recording.path}: the unit '{unit}' is given, but in this {recording.format} file it is "
            f"'{recording.unit}' ({recording.unit_known})"
        )
    if dt is not None and abs(dt - recording.dt) > 1e-3 * recording.dt:
        raise MotionError(f"{recording.path}: dt = {dt:g} s is given, but the file says {recording.dt:g} s")
    if columns:
        raise MotionError(
            f"{recording.path}: columns are given, but a {recording.format} file says its directions; leave "
            "them out"
        )


def _is_table(file: TextFile) -> bool:
    """Whether there are two lines of as many numbers among the first ones."""
    widths = [_numbers_in(line) for line in file.lines[:TABLE_LINES]]
    return any(one == two and one > 0 for one, two in pairwise(widths))


def _numbers_in(line: str) -> int:
    """Fields of a line if all are numbers, else 0."""
    fields = [field for field in re.split(r"[;,\s]+", line.strip()) if field]
    try:
        return len([float(field) for field in fields])
    except ValueError:
        return 0
