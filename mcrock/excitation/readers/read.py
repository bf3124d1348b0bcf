"""Motions from record files, from folders with any mix of formats, and from ObsPy streams.

The reader of a file is chosen by its content and what is given about it. Files that only ObsPy knows
(miniSEED, SAC and others) hold counts or any unit without saying so: the unit has to be given, and the
instrument removed before (`Stream.remove_response(output="ACC")` leaves m/s2).

Ground x and y are the horizontal components as they were recorded, not turned to north: of the two,
x is the one from which y lies 90 degrees counter-clockwise seen from above (east and north, if those
were recorded); ground z is up.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.util import find_spec
from itertools import chain, pairwise
from math import cos, degrees, inf, pi, radians
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from mcrock.base.checks import Choice, by_number, suggest_keyword
from mcrock.base.units import ACCELERATIONS, parse_unit, plain_number
from mcrock.excitation.motion import Motion, MotionError, checked
from mcrock.excitation.readers import collections, us_formats, world_formats
from mcrock.excitation.readers.csv_file import read_csv, split_fields, without_unit
from mcrock.excitation.readers.text_file import (
    DECLARED,
    GIVEN,
    BinaryFileError,
    NotRecordError,
    Orientation,
    RecordedComponent,
    TextFile,
    is_clockwise,
    is_square,
    known_unit,
    number_channels,
    orientation_remark,
    parse_orientation,
    unknown_direction_remark,
)

if TYPE_CHECKING:
    from obspy import Stream, Trace  # type: ignore[import-not-found,unused-ignore]


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
    if not has_obspy():
        if forced:
            raise MotionError(f"{path}: ObsPy is not installed; get it: {INSTALL}")
        raise NotRecordError("no text; ObsPy, which may know it, is not installed")
    if unit is None and not forced:
        raise NotRecordError("no text; give a unit to have ObsPy try it")
    with failing_in_words(path, "obspy"):
        recordings = read_with_obspy(path, unit)
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


@suggest_keyword
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
    traces = [piece for piece in components if piece.format.startswith(OBSPY)]
    grouped = dict(zip(map(id, traces), group_by_time(traces), strict=True))
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


DT_TOLERANCE = 1e-6  # between the time steps of two components [1]


def assemble(
    pieces: Iterable[RecordedComponent | Motion], *, chosen: bool = False
) -> tuple[list[Motion], list[str]]:
    """Put the components of each recording together.

    Parameters
    ----------
    pieces : iterable of Recording or Motion
        Components of any number of recordings, told apart by folder, format and `Recording.record`.
        Motions are whole already and stay as they are.
    chosen : bool
        Whether somebody chose the channels that belong together. Otherwise the channels of a structure
        whose sensors stand in different places become one motion for each place.

    Returns
    -------
    motions : list of Motion
        In the order of their first components. A component that was not recorded is zero, and
        `metadata["missing"]` names it; a shorter component is continued with zeros. The unit, how it
        was known, component names, azimuths [rad], remarks and facts stand in `metadata`.
    problems : list of str
        Recordings whose components do not fit together: of different time steps or starts, two of one
        direction, more than two horizontal ones.
    """
    groups: dict[object, list[RecordedComponent | Motion]] = {}
    for piece in pieces:
        # a record may lie in two folders, raw and processed, or in two formats
        key = (
            (piece.path.parent, piece.format, piece.record)
            if isinstance(piece, RecordedComponent)
            else id(piece)
        )
        groups.setdefault(key, []).append(piece)
    motions, problems = [], []
    for group in groups.values():
        if isinstance(group[0], Motion):
            motions.append(group[0])
            continue
        components = [piece for piece in group if isinstance(piece, RecordedComponent)]
        for sensor in [components] if chosen else _by_location(components):
            try:
                motions.append(assemble_one(sensor))
            except MotionError as error:
                problems.append(str(error))
    return motions, problems


def _by_location(components: list[RecordedComponent]) -> list[list[RecordedComponent]]:
    """Components of each sensor, if all say where they stand and those are different places."""
    places: dict[str, list[RecordedComponent]] = {}
    for component in components:
        places.setdefault(component.location.casefold(), []).append(component)
    if len(places) < 2 or "" in places:
        return [components]
    return [
        [replace(each, name=f"{each.name}, {each.location}") for each in place] for place in places.values()
    ]


def assemble_one(components: Sequence[RecordedComponent]) -> Motion:
    """Motion of the one, two or three components of a recording.

    Raises
    ------
    MotionError
        If they do not fit together.
    """
    roles = _roles(components)
    first = components[0]
    for other in components[1:]:
        _check_pair(first, other)
    acceleration = np.zeros((3, max(len(component.acceleration) for component in components)))
    metadata: dict[str, str | float] = {
        "file": ", ".join(dict.fromkeys(component.path.name for component in components)),
        "format": first.format,
        "unit": ", ".join(dict.fromkeys(component.unit for component in components)),
        "unit_known": first.unit_known,
    }
    history: list[str] = []
    remarks = [remark for component in components for remark in component.remarks]
    remarks += [words for component in components if (words := orientation_remark(component.component))]
    if {"x", "y"} <= roles.keys() and any(roles[axis].azimuth is None for axis in "xy"):
        remarks.append(unknown_direction_remark(roles["x"].component, roles["y"].component))
    for axis, component in sorted(roles.items()):
        samples = component.acceleration
        acceleration["xyz".index(axis), : len(samples)] = -samples if component.role == "down" else samples
        metadata[f"component_{axis}"] = component.component
        if component.azimuth is not None:
            metadata[f"azimuth_{axis}"] = component.azimuth
        history += [f"{axis}: {step}" for step in component.history]
        if component.role == "down":
            history.append(f"{axis}: sign reversed, recorded downwards")
        if len(samples) < acceleration.shape[1]:
            history.append(f"{axis}: continued with zeros after {len(samples) * component.dt:g} s")
    places = dict.fromkeys(component.location for component in components if component.location)
    if places:
        metadata["location"] = ", ".join(places)
    missing = [axis for axis in "xyz" if axis not in roles]
    if missing:
        metadata["missing"] = ", ".join(missing)
    if remarks:
        metadata["remarks"] = "; ".join(dict.fromkeys(remarks))  # what the header says is said by each
    if history:
        metadata["history"] = "; ".join(history)
    facts = {name: value for component in components for name, value in component.facts.items()}
    return Motion(acceleration, first.dt, first.name, group=first.record, metadata=metadata | facts)


def _roles(components: Sequence[RecordedComponent]) -> dict[str, RecordedComponent]:
    """Component of each ground axis."""
    vertical = [component for component in components if component.role != "horizontal"]
    horizontal = [component for component in components if component.role == "horizontal"]
    for kind, found, most in (("vertical", vertical, 1), ("horizontal", horizontal, 2)):
        if len(found) > most:
            raise MotionError(
                f"{_paths(components)}: recording {components[0].record} has {len(found)} {kind} components "
                f"({', '.join(_word_component(component) for component in found)}), expected at most {most}; "
                f"{_way_out(components)}"
            )
    roles = dict(zip("xy", _ordered(horizontal), strict=False))
    return roles | ({"z": vertical[0]} if vertical else {})


def _ordered(horizontal: list[RecordedComponent]) -> list[RecordedComponent]:
    """Horizontal components as x and y: right-handed where both azimuths are known."""
    if len(horizontal) < 2:
        return horizontal
    one, two = horizontal
    if one.azimuth is None or two.azimuth is None:
        return horizontal
    if not is_square(one.azimuth, two.azimuth):
        apart = abs(degrees(two.azimuth - one.azimuth)) % 360
        raise MotionError(
            f"{_paths(horizontal)}: the horizontal components of recording {one.record}, {one.component} and "
            f"{two.component}, are {apart:.0f} deg apart, expected 90 deg"
        )
    return [two, one] if is_clockwise(one.azimuth, two.azimuth) else [one, two]


def _word_component(component: RecordedComponent) -> str:
    number = "" if component.channel is None else f"channel {component.channel}: "
    return f"{number}{component.component}"


def _way_out(components: Sequence[RecordedComponent]) -> str:
    """Advice about too many components."""
    if any(component.channel is None for component in components):
        return "keep the files of one sensor and one earthquake together and others in a folder of their own"
    if len(components) == 3 and all(component.role == "horizontal" for component in components):
        return (
            "the file does not say which is the vertical: choose the two horizontal ones, as in "
            "`--channels 1,2` or channels=[1, 2]"
        )
    return "choose the channels of one sensor, as in `--channels 1,2,3` or channels=[1, 2, 3]"


def _check_pair(one: RecordedComponent, two: RecordedComponent) -> None:
    """Refuse components of different time steps or starts."""
    what = f"{_paths([one, two])}: components {one.component} and {two.component} of {one.record}"
    if abs(one.dt - two.dt) > DT_TOLERANCE * one.dt:
        raise MotionError(
            f"{what} have time steps of {one.dt:g} s and {two.dt:g} s; resample one of them, or read "
            "them apart"
        )
    if one.start is not None and two.start is not None and abs(one.start - two.start) > 0.5 * one.dt:
        raise MotionError(
            f"{what} start {abs(one.start - two.start):g} s apart; cut them to a common start, or read "
            "them apart"
        )


def _paths(components: Sequence[RecordedComponent]) -> str:
    """Files of some components, for messages: the folder once, then the names."""
    paths = list(dict.fromkeys(component.path for component in components))
    return ", ".join([str(paths[0]), *(path.name for path in paths[1:])])


def skew(motion: Motion) -> float | None:
    """Deviation of the horizontal components of a motion from a right angle [rad], None if unknown."""
    x, y = (motion.metadata.get(f"azimuth_{axis}") for axis in "xy")
    if not (isinstance(x, float) and isinstance(y, float)):
        return None
    return float(abs(np.arccos(np.clip(cos(y - x), -1, 1)) - pi / 2))


OBSPY = "ObsPy"
INSTALL = "pip install obspy"
PICKLE = "PICKLE"  # a format of ObsPy
ONE_AT_A_TIME = Lock()  # of the threads that read
QUANTITIES = {6: "displacement", 7: "velocity", 50: "voltage"}  # of SAC, by IDEP
GAP = 10.0  # between traces of a station that still are taken for one recording [s]


def has_obspy() -> bool:
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


def read_with_obspy(path: Path, unit: str | None) -> list[RecordedComponent] | None:
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
        f"{OBSPY} {stats.get('_format', '')}".strip(),
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
