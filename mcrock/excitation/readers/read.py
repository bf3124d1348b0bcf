"""Reading a record file, or a folder with record files of any mix of formats."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from types import ModuleType

from mcrock.excitation.csv_file import UNITS, read_csv
from mcrock.excitation.motion import Motion, MotionError
from mcrock.excitation.readers import (
    afad,
    at2,
    cosmos,
    csmip,
    esm,
    geonet,
    knet,
    obspy_stream,
    smc,
)
from mcrock.excitation.readers.assemble import assemble
from mcrock.excitation.readers.recording import GIVEN, NotRecordError, Recording
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
}
FORMATS = (*READERS, "csv", "obspy")
TABLE_LINES = 60  # looked at for two lines of numbers
SHOWN = 5  # files in a warning


@dataclass
class Scan:
    """What a file or folder holds."""

    motions: list[Motion] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)  # files and recordings that cannot be used
    left_out: dict[Path, str] = field(default_factory=dict)  # files that are no records, and why


def read_records(
    path: str | Path,
    *,
    format: str | None = None,
    unit: str | None = None,
    dt: float | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Motion]:
    """Read ground motions from a record file, or from all record files of a folder.

    The format is known by the content of a file: PEER AT2, ESM/ITACA, K-NET/KiK-net, COSMOS, GeoNet,
    CSMIP, SMC, AFAD, a table of text, or, where ObsPy is installed and `unit` is given, what ObsPy
    reads. The components of one recording become one motion: ground x and y are the horizontal ones
    as recorded, y counter-clockwise of x seen from above; z is up.

    Parameters
    ----------
    path : str or Path
        File, or folder that is searched with the folders in it. Names that begin with a dot are
        passed over.
    format : str, optional
        One of `FORMATS`, to read every file as that.
    unit : str, optional
        Of the acceleration in tables of text and in files that only ObsPy reads: "m/s2", "cm/s2",
        "mm/s2", "gal", "g" or "mg". The other formats say it, and a single file that contradicts is
        refused.
    dt : float, optional
        Time step of tables without a time column [s].
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
        Of files in a folder that are no records, and of records whose header and samples disagree.
    """
    scan = scan_records(path, format=format, unit=unit, dt=dt, progress=progress)
    if scan.problems:
        raise MotionError("\n".join(scan.problems))
    if not scan.motions:
        raise MotionError(_nothing_found(Path(path), scan))
    notes = word_left_out(scan)
    notes += [
        f"{motion.metadata['file']}: {motion.metadata['remarks']}"
        for motion in scan.motions
        if "remarks" in motion.metadata
    ]
    for note in notes:
        warnings.warn(note, UserWarning, stacklevel=2)
    return scan.motions


def scan_records(
    path: str | Path,
    *,
    format: str | None = None,
    unit: str | None = None,
    dt: float | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Scan:
    """What `read_records` reads, with what cannot be read beside it instead of an exception.

    Raises
    ------
    MotionError
        If `path` does not exist or an argument is wrong.
    """
    path = Path(path)
    if format is not None and format not in FORMATS:
        raise MotionError(f"format must be one of {', '.join(FORMATS)}, got {format!r}")
    if unit is not None and (not isinstance(unit, str) or unit.lower() not in UNITS):
        raise MotionError(f"unit of the acceleration must be one of {', '.join(UNITS)}, got {unit!r}")
    if not path.exists():
        raise MotionError(f"{path}: no such file or folder")
    files = _files(path) if path.is_dir() else [path]
    scan = Scan()
    folders: dict[Path, list[Recording | Motion]] = {}
    for i, name in enumerate(files):
        pieces = folders.setdefault(name.parent, [])
        try:
            pieces += _read_file(name, format, unit, dt, alone=path.is_file())
        except NotRecordError as error:
            scan.left_out[name] = str(error)
        except MotionError as error:
            scan.problems.append(str(error))
        if progress:
            progress(i + 1, len(files))
    for folder, pieces in folders.items():
        if path.is_dir():
            pieces = _with_table(folder, pieces, scan)
        motions, problems = assemble(pieces)
        scan.motions += motions
        scan.problems += problems
    return scan


def _files(folder: Path) -> list[Path]:
    """Files below a folder, those of one folder together, names with numbers in their order."""

    def place(path: Path) -> tuple[Path, list[tuple[bool, int, str]]]:
        parts = re.split(r"(\d+)", path.name.lower())
        return path.parent, [(part.isdigit(), int(part) if part.isdigit() else 0, part) for part in parts]

    inside = (path for path in folder.rglob("*") if path.is_file())
    hidden = (path for path in inside if not _is_hidden(path.relative_to(folder)))
    return sorted(hidden, key=place)


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _read_file(
    path: Path, format: str | None, unit: str | None, dt: float | None, alone: bool
) -> list[Recording] | list[Motion]:
    """Components of a file, or the motion of a table of text.

    Raises
    ------
    NotRecordError
        If the file is no record of acceleration.
    MotionError
        If it is one and damaged.
    """
    if format == "obspy":
        return _read_with_obspy(path, unit, forced=True)
    if format == "csv":
        return [_read_table(path, unit, dt)]
    try:
        file = TextFile.load(path)
    except BinaryFileError:
        if format is not None:
            raise
        return _read_with_obspy(path, unit, forced=False)
    reader = READERS[format] if format else detect(file)
    if reader is not None:
        if not reader.matches(file):
            raise MotionError(f"{path}: is not in the format '{format}': {file.lines[0].strip()[:60]!r}")
        recordings: list[Recording] = reader.read(file)
        if alone:
            _check_given(recordings[0], unit, dt)
        return recordings
    if at2.is_search_results(file):
        raise NotRecordError("table of a PEER download")
    if not (_is_table(file) or (alone and unit is not None)):
        raise NotRecordError("no format that is known")
    if unit is None:
        raise NotRecordError("table of numbers; give its unit to have it read")
    return [_read_table(path, unit, dt)]


def detect(file: TextFile) -> ModuleType | None:
    """Reader of a text file by its content, None if no format fits."""
    return next((reader for reader in READERS.values() if reader.matches(file)), None)


def _read_with_obspy(path: Path, unit: str | None, forced: bool) -> list[Recording]:
    """Components of a file by way of ObsPy."""
    if not obspy_stream.is_installed():
        if forced:
            raise MotionError(f"{path}: ObsPy is not installed; get it: {obspy_stream.INSTALL}")
        raise NotRecordError("no text; ObsPy, which may know it, is not installed")
    if unit is None and not forced:
        raise NotRecordError("no text; give a unit to have ObsPy try it")
    recordings = obspy_stream.read_file(path, unit)
    if recordings is None:
        raise NotRecordError("no format that is known, to ObsPy neither")
    return recordings


def _read_table(path: Path, unit: str | None, dt: float | None) -> Motion:
    """Motion of a table of text."""
    if unit is None:
        raise MotionError(f"{path}: a table does not say its unit; give the unit of the acceleration")
    motion = read_csv(path, unit, dt)
    missing = [axis for axis, samples in zip("xyz", motion.acceleration, strict=True) if not samples.any()]
    facts = {"format": "table", "unit_known": GIVEN} | ({"missing": ", ".join(missing)} if missing else {})
    return replace(motion, metadata={**motion.metadata, **facts})


def _check_given(recording: Recording, unit: str | None, dt: float | None) -> None:
    """Refuse a unit or time step that a file of its own word does not have."""
    if unit is not None and UNITS[unit.lower()] != UNITS[recording.unit]:
        raise MotionError(
            f"{recording.path}: the unit '{unit}' is given, but in this {recording.format} file it is "
            f"'{recording.unit}' ({recording.unit_known})"
        )
    if dt is not None and abs(dt - recording.dt) > 1e-3 * recording.dt:
        raise MotionError(f"{recording.path}: dt = {dt:g} s is given, but the file says {recording.dt:g} s")


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


def _with_table(folder: Path, pieces: list[Recording | Motion], scan: Scan) -> list[Recording | Motion]:
    """Pieces of a folder with what the table of a PEER download, if one is there, says of them."""
    tables = [
        path for path, reason in scan.left_out.items() if path.parent == folder and "PEER download" in reason
    ]
    for path in tables:
        del scan.left_out[path]
        recordings = [piece for piece in pieces if isinstance(piece, Recording) and piece.format == at2.NAME]
        others = [piece for piece in pieces if piece not in recordings]
        try:
            listed = at2.read_search_results(TextFile.load(path))
            recordings, missing = at2.with_search_results(recordings, listed, path)
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


def word_left_out(scan: Scan) -> list[str]:
    """Files of a folder that are no records, one line for each reason."""
    reasons: dict[str, list[str]] = {}
    for path, reason in scan.left_out.items():
        reasons.setdefault(reason, []).append(path.name)
    return [f"{len(names)} left out ({reason}): {_some(names)}" for reason, names in reasons.items()]


def _nothing_found(path: Path, scan: Scan) -> str:
    """Message where no record was found."""
    if path.is_file():
        return (
            f"{path}: {scan.left_out[path]}; known are {', '.join(READERS)} and tables of time and "
            "acceleration with a unit given"
        )
    return "\n".join([f"{path}: no record found in this folder", *word_left_out(scan)])
