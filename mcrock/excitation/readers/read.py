"""Reading a record file, or a folder with record files of any mix of formats.

The reader of a file is chosen by its content and what is given about it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise
from pathlib import Path

import numpy as np

from mcrock.base.checks import Choice, by_number
from mcrock.base.keywords import suggesting
from mcrock.base.units import ACCELERATIONS, parse_unit, plain_number
from mcrock.excitation.motion import Motion, MotionError, checked
from mcrock.excitation.readers import collections, obspy_stream, us_formats, world_formats
from mcrock.excitation.readers.assemble import assemble
from mcrock.excitation.readers.csv_file import read_csv, split_fields, without_unit
from mcrock.excitation.readers.text_file import (
    DECLARED,
    GIVEN,
    BinaryFileError,
    NotRecordError,
    RecordedComponent,
    TextFile,
    known_unit,
)


@dataclass
class RecordFormat:
    """A format of record files."""

    key: str
    matches: Callable[[TextFile], bool]  # whether the content of a file looks like it
    read: Callable[[TextFile], list[RecordedComponent]]


_FORMATS = (  # in the order in which they are asked
    RecordFormat("at2", us_formats.is_at2, us_formats.read_at2),
    RecordFormat("esm", world_formats.is_esm, world_formats.read_esm),
    RecordFormat("knet", world_formats.is_knet, world_formats.read_knet),
    RecordFormat("cosmos", us_formats.is_cosmos, us_formats.read_cosmos),
    RecordFormat("geonet", world_formats.is_geonet, world_formats.read_geonet),
    RecordFormat("csmip", us_formats.is_csmip, us_formats.read_csmip),
    RecordFormat("smc", us_formats.is_smc, us_formats.read_smc),
    RecordFormat("afad", world_formats.is_afad, world_formats.read_afad),
    RecordFormat("jma", world_formats.is_jma, world_formats.read_jma),
    RecordFormat("asa", world_formats.is_asa, world_formats.read_asa),
    RecordFormat("tsmip", world_formats.is_tsmip, world_formats.read_tsmip),
    RecordFormat("bbp", us_formats.is_bbp, us_formats.read_bbp),
)
READERS = {item.key: item for item in _FORMATS}
FORMATS = (*READERS, "csv", "obspy")
PROSE = 5  # lines above a table, from which on it is a format of its own
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
        file = TextFile.load(path, parse_unit(unit))
    except BinaryFileError:
        if format is not None and alone:
            raise
        if format is not None:
            raise NotRecordError("not a text file") from None
        return _read_with_obspy(path, unit, forced=False)
    reader = READERS[format] if format else detect(file)
    if reader is not None and (_is_other(file) or not reader.matches(file)):
        reason = f"is not in the format '{format}': {file.lines[0].strip()[:60]!r}"
        raise MotionError(f"{path}: {reason}") if alone else NotRecordError(reason)
    if reader is not None:
        with failing_in_words(path, reader.key):
            return reader.read(file)
    if network := _unread(file):
        raise NotRecordError(f"format of {network}, which is not read; export it as a table or as COSMOS")
    if collections.is_search_results(file):
        raise NotRecordError("table of a PEER download")
    if not (_is_table(file) or (alone and unit is not None)):
        raise NotRecordError("no format that is known")
    if unit is None and (why := without_unit(path, dt, columns)) is not None:
        above = next(i for i, line in enumerate(file.lines) if _numbers_in(line))
        what = "table of numbers"
        if above >= PROSE:
            why, what = "", f"numbers below {above} lines, in no format that is known"
        raise NotRecordError(why or f"{what}; say its unit, as unit='cm/s2' or --unit cm/s2")
    return [_read_table(path, unit, dt, columns)]


def detect(file: TextFile) -> RecordFormat | None:
    """Reader of a text file by its content, None if no format fits."""
    if _is_other(file):
        return None
    return next((reader for reader in READERS.values() if reader.matches(file)), None)


def _is_other(file: TextFile) -> bool:
    """Whether a file is of no reader, though it may quote one: JSON, XML, a format that is not read."""
    return file.lines[0].lstrip()[:1] in ("{", "[", "<") or bool(_unread(file))


def _unread(file: TextFile) -> str:
    """Network whose files are known and not read, empty for others."""
    head = file.lines[:13]
    if len(head) < 13:
        return ""
    if head[0].startswith("* VOL") and head[6].startswith("COMP"):
        return "BHRC (Iran)"
    numbered = all(line[72:74].strip().isdecimal() for line in head[2:12])  # its lines of text
    return "USC" if numbered and "CORRECTED ACCELEROGRAM" in head[0].upper() else ""


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
    with failing_in_words(path, "csv"):
        motion = read_csv(path, unit, dt, columns=columns)
    missing = [axis for axis, samples in zip("xyz", motion.acceleration, strict=True) if not samples.any()]
    facts = {"format": "table", "unit_known": GIVEN if unit else DECLARED} | (
        {"missing": ", ".join(missing)} if missing else {}
    )
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


def _unused(
    folder: Path,
    pieces: list[RecordedComponent | Motion],
    unit: str | None,
    dt: float | None,
    columns: Sequence[str] | None,
    channels: Sequence[int] | None,
) -> list[str]:
    """What is given and no file of a folder needs, or says too."""
    known, tables = parse_unit(unit), [piece for piece in pieces if isinstance(piece, Motion)]
    components = [piece for piece in pieces if isinstance(piece, RecordedComponent)]
    used = {
        f"the unit '{unit}'": unit is None
        or tables
        or any(each.unit_known == GIVEN or each.unit == known for each in components),
        f"dt = {dt} s": dt is None or any(abs(dt - piece.dt) <= 1e-3 * piece.dt for piece in pieces),
        "a list of columns": not columns or tables,
        "a list of channels": not channels or any(each.channel is not None for each in components),
    }
    return [
        f"{folder}: {what} is given, and no file of the folder needs it; leave it out"
        for what, there in used.items()
        if pieces and not there
    ]


def _is_table(file: TextFile) -> bool:
    """Whether there are two lines of as many numbers among the first ones."""
    widths = [_numbers_in(line) for line in file.lines[:TABLE_LINES]]
    return any(one == two and one > 0 for one, two in pairwise(widths))


def _numbers_in(line: str) -> int:
    """Fields of a line if all are numbers, else 0."""
    try:
        return len([plain_number(field) for field in split_fields(line.strip()) if field])
    except ValueError:
        return 0


SHOWN = 5  # files in a warning


@dataclass
class FolderContents:
    """What a file or folder holds."""

    motions: list[Motion] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)  # files and recordings that cannot be used
    left_out: dict[Path, str] = field(default_factory=dict)  # files that are not records, and why


@suggesting
def read_records(
    path: str | Path,
    *,
    format: str | None = None,
    unit: str | None = None,
    dt: float | None = None,
    channels: Sequence[int] | None = None,
    columns: Sequence[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Motion]:
    """Read ground motions from a record file, or from all record files of a folder.

    The format is known by the content of a file: PEER AT2, ESM/ITACA, K-NET/KiK-net, COSMOS, GeoNet,
    CSMIP, SMC, AFAD, JMA, ASA, TSMIP, SCEC BBP, a table of text, or, where ObsPy is installed and `unit`
    is given, what ObsPy reads. The components of one recording become one motion: ground x and y are the
    horizontal ones as recorded, y counter-clockwise of x seen from above; z is up. Of a structure with
    sensors in several places each place becomes one, if the file says the places; else choose the channels.

    Parameters
    ----------
    path : str or Path
        File, or folder that is searched with the folders in it. Names that begin with a dot are
        passed over.
    format : str, optional
        One of `FORMATS`, to read every file as that.
    unit : str, optional
        Of the acceleration in files that only ObsPy reads, and in tables of text that do not say it:
        "m/s2", "cm/s2", "mm/s2", "gal", "g", "mg", "%g", "ft/s2" or "in/s2". A file that says another
        one is refused.
    dt : float, optional
        Time step of tables without a time column [s].
    channels : sequence of int, optional
        Numbers of the channels that make one motion, in files that number theirs (COSMOS, CSMIP, ASA)
        or come through ObsPy.
    columns : sequence of str, optional
        Names of the columns of tables of text that do not name them, as ``["time", "EW", "NS", "UD"]``.
    progress : callable, optional
        Called with the numbers of files read and found.

    Returns
    -------
    list of Motion
        In the order of the names of the files. `Motion.metadata` says format, unit and how it was
        known, components, azimuths [rad], what is missing, what the reader did and found suspicious.

    Raises
    ------
    MotionError
        If a record is damaged or declares what it does not hold, or nothing was found; all of these
        at once, each with file, line and reason.

    Warns
    -----
    UserWarning
        Of files in a folder that are not records, and of records whose header and samples disagree.
    """
    scan = scan_records(
        path, format=format, unit=unit, dt=dt, channels=channels, columns=columns, progress=progress
    )
    if scan.problems:
        raise MotionError("\n".join(scan.problems))
    if not scan.motions:
        raise MotionError(nothing_found(Path(path), scan))
    remarked = [motion.metadata for motion in scan.motions if "remarks" in motion.metadata]
    for note in word_left_out(scan) + [f"{facts['file']}: {facts['remarks']}" for facts in remarked]:
        warnings.warn(note, UserWarning, stacklevel=2)
    return scan.motions


def scan_records(
    path: str | Path,
    *,
    format: str | None = None,
    unit: str | None = None,
    dt: float | None = None,
    channels: Sequence[int] | None = None,
    columns: Sequence[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> FolderContents:
    """What `read_records` reads, with what cannot be read next to it instead of an exception.

    Raises
    ------
    MotionError
        If `path` does not exist or an argument is wrong.
    """
    path = Path(path)
    if format is not None:
        checked(Choice(FORMATS), "format", format)
    if unit is not None:
        known_unit(path, unit)
    if channels is not None and not (channels and all(isinstance(i, int) and i > 0 for i in channels)):
        raise MotionError(f"channels must be whole numbers > 0, got {channels!r}")
    if not (path.is_file() or path.is_dir()):  # a pipe could be read once
        raise MotionError(f"{path}: no such file or folder")
    files = _files(path) if path.is_dir() else [path]
    scan = FolderContents()
    folders: dict[Path, list[RecordedComponent | Motion]] = {}
    for i, name in enumerate(files):
        pieces = folders.setdefault(name.parent, [])
        try:
            found = read_file(name, format, unit, dt, columns, alone=path.is_file())
            if path.is_file() and isinstance(found[0], RecordedComponent):
                _check_given(found[0], unit, dt, columns)
            pieces += found if channels is None else _choose(name, found, channels, alone=path.is_file())
        except NotRecordError as error:
            scan.left_out[name] = str(error)
        except MotionError as error:
            scan.problems.append(str(error))
        if progress:
            progress(i + 1, len(files))
    if path.is_dir():
        scan.problems += _unused(path, [*chain(*folders.values())], unit, dt, columns, channels)
    for folder, pieces in folders.items():
        if path.is_dir():
            pieces = _with_table(folder, pieces, scan)
        motions, problems = assemble(_by_time(pieces), chosen=channels is not None)
        scan.motions += motions
        scan.problems += problems
    return scan


def _files(folder: Path) -> list[Path]:
    """Files below a folder, those of one folder together, names with numbers in their order."""

    inside = (path for path in folder.rglob("*") if path.is_file())
    hidden = (path for path in inside if not _is_hidden(path.relative_to(folder)))
    return sorted(hidden, key=lambda path: (path.parent, by_number(path.name.lower())))


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _choose(
    path: Path, pieces: list[RecordedComponent] | list[Motion], channels: Sequence[int], alone: bool
) -> list[RecordedComponent] | list[Motion]:
    """The chosen channels of a file; files that do not number theirs stay whole in a folder."""
    components = [piece for piece in pieces if isinstance(piece, RecordedComponent)]
    numbered = [piece for piece in components if piece.channel is not None]
    if not numbered:
        if alone:
            raise MotionError(f"{path}: channels are chosen, but the file does not number its channels")
        return pieces
    there = ", ".join(str(piece.channel) for piece in numbered)
    chosen = [piece for piece in numbered if piece.channel in channels]
    if not chosen:
        raise NotRecordError(f"none of the chosen channels; it has {there}")
    missing = {*channels} - {piece.channel for piece in chosen}
    if missing and (alone or len(numbered) > 1):
        lacks = ", ".join(str(i) for i in sorted(missing))
        raise MotionError(f"{path}: there is no channel {lacks}; it has {there}")
    return chosen


def _by_time(pieces: list[RecordedComponent | Motion]) -> list[RecordedComponent | Motion]:
    """Pieces in their order, of which those that ObsPy read are told apart by time."""
    components = [piece for piece in pieces if isinstance(piece, RecordedComponent)]
    traces = [piece for piece in components if piece.format.startswith(obspy_stream.NAME)]
    grouped = dict(zip(map(id, traces), obspy_stream.group_by_time(traces), strict=True))
    return [grouped.get(id(piece), piece) for piece in pieces]


def _with_table(
    folder: Path, pieces: list[RecordedComponent | Motion], scan: FolderContents
) -> list[RecordedComponent | Motion]:
    """Pieces of a folder with what the table of a PEER download, if one is there, says of them."""
    left_out = scan.left_out.items()
    tables = [path for path, why in left_out if path.parent == folder and "PEER download" in why]
    for path in tables:
        del scan.left_out[path]
        components = [piece for piece in pieces if isinstance(piece, RecordedComponent)]
        recordings = [piece for piece in components if piece.format == us_formats.AT2_NAME]
        others = [piece for piece in pieces if getattr(piece, "format", None) != us_formats.AT2_NAME]
        try:
            with failing_in_words(path, "at2"):
                listed = collections.read_search_results(TextFile.load(path))
                recordings, missing = collections.with_search_results(recordings, listed, path)
        except MotionError as error:
            scan.problems.append(str(error))
            continue
        if missing:
            scan.left_out[path] = f"lists {len(missing)} files that are not there: {_some(missing)}"
        pieces = [*recordings, *others]
    return pieces


def _some(names: Iterable[object]) -> str:
    """The first few of some names."""
    shown = [str(name) for name in names]
    return ", ".join(shown[:SHOWN]) + (", ..." if len(shown) > SHOWN else "")


def word_left_out(scan: FolderContents) -> list[str]:
    """Files of a folder that are not records, one line for each reason."""
    reasons: dict[str, list[str]] = {}
    for path, reason in scan.left_out.items():
        reasons.setdefault(reason, []).append(path.name)
    return [f"{len(names)} left out ({reason}): {_some(names)}" for reason, names in reasons.items()]


def nothing_found(path: Path, scan: FolderContents) -> str:
    """Message where no record was found."""
    if path.is_file():
        return (
            f"{path}: {scan.left_out[path]}; known are {', '.join(READERS)} and tables of time and "
            "acceleration with a unit given"
        )
    return "\n".join([f"{path}: no record found in this folder", *word_left_out(scan)])
