"""Recordings of inertial sensors, and of markers on a body, in the files that loggers and trackers write.

Forms are taken from: phyphox, its experiment ``gyroscope.phyphox``; x-IMU3, example data of
``xioTechnologies/x-IMU3-CSV``; Xsens MT Manager, MTw user manual and test data of OpenSim's ``IMUHelper``;
Xsens DOT, user manual XD0502P, section 4.2, and ``XsensDotLogger`` of its SDK; Shimmer Consensys, files of
Shimmer3 in public repositories; OpenLog Artemis, its ``SENSOR_UNITS.md`` and firmware; PicoQuake, its
``acquisition_data.md``; .gcsv, the page of Gyroflow on the format; MetaBase, source of the app; Sensor
Logger, its ``UNITS.md``.
"""

from __future__ import annotations

import csv
import re
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from mcrock.base.tables.parsing import ConfigError, read_columns, read_data, separator_of
from mcrock.base.units import (
    ACCELERATIONS,
    ANGLES,
    ANGULAR_VELOCITIES,
    TIMES,
    factor_to,
    plain_number,
    split_header,
)
from mcrock.measurement.recording import ALONG, LARGEST, QUIET, Recording, rate_noise

# columns as people and most programs name them, with their unit in brackets; the last group is the axis
NAMES = {
    "time": re.compile(r"(?:time|timestamp|t)()", re.IGNORECASE),
    "omega_": re.compile(r"(?:omega|gyroscope|gyro|gyr|angular[ _]velocity)[ _]?([xyz])", re.IGNORECASE),
    "angle_": re.compile(r"(?:angle|phi)[ _]?([xyz])", re.IGNORECASE),
    "acceleration_": re.compile(r"(?:acceleration|accelerometer|accel|acc)[ _]?([xyz])", re.IGNORECASE),
}
ABOVE = 100  # lines above the header at most
BELOW = "below"  # the unit of a column stands in the line below its name
WRAPS = {"SampleTimeFine": 2.0**32, "PacketCounter": 2.0**16}  # counters start again from 0 after so many


class LoggerFormat(NamedTuple):
    """What a program writes."""

    mark: str  # pattern found in the lines above the table or in its header
    time: tuple[tuple[str, str], ...]  # pattern and unit of columns; the first that is there and not empty
    omega: tuple[str, str]  # pattern, whose last group is the axis, and unit
    acceleration: tuple[tuple[str, str], ...]
    file: str = ""  # pattern of the name of the file

    @property
    def columns(self) -> list[tuple[str, str, str]]:
        """Quantity, pattern and unit of all columns, the best first."""
        rows = [("time", pattern + "()", unit) for pattern, unit in self.time]
        return [*rows, ("omega_", *self.omega), *(("acceleration_", *each) for each in self.acceleration)]


# {NAME} in a unit is the number that follows this name in a line above the table
EXPORTS = (
    LoggerFormat(  # MT Manager of Xsens: older devices count samples and leave their time empty
        r"(?m)^//",
        (("SampleTimeFine", "1e-4 s"), ("PacketCounter", "1/{Rate} s")),
        ("Gyr_([XYZ])", "rad/s"),
        (("Acc_([XYZ])", "m/s2"),),
    ),
    LoggerFormat(  # Xsens DOT, later Movella DOT: the same columns in other units
        r"(?m)^DeviceTag:", (("SampleTimeFine", "us"),), ("Gyr_([XYZ])", "deg/s"), (("Acc_([XYZ])", "m/s2"),)
    ),
    LoggerFormat(  # Consensys of Shimmer; of two accelerometers that of low noise
        "_CAL",
        (("(?:.*_)?Timestamp_(?:Unix|Shimmer)_CAL", BELOW),),
        ("(?:.*_)?Gyro_([XYZ])_CAL", BELOW),
        (("(?:.*_)?Accel_LN_([XYZ])_CAL", BELOW), ("(?:.*_)?Accel_WR_([XYZ])_CAL", BELOW)),
    ),
    LoggerFormat(  # OpenLog Artemis, if it logs microseconds: its clock has hundredths of a second
        "(?m)^(?:rtc|micros).*output_Hz", (("micros", "us"),), ("g([XYZ])", "deg/s"), (("a([XYZ])", "mg"),)
    ),
    LoggerFormat(  # PicoQuake
        "PLab PicoQuake", (("count", "1/{data_rate} s"),), ("g_([xyz])", "deg/s"), (("a_([xyz])", "g"),)
    ),
    LoggerFormat(  # .gcsv, which self-made loggers write for Gyroflow
        "^GYROFLOW IMU LOG",
        (("t", "{tscale} s"),),
        ("g([xyz])", "{gscale} rad/s"),
        (("a([xyz])", "{ascale} g"),),
    ),
    LoggerFormat(  # MetaBase of MbientLab
        r"epoch? \(ms\)",
        ((r"elapsed \(s\)", "s"),),
        (r"([xyz])-axis \(deg/s\)", "deg/s"),
        ((r"([xyz])-axis \(g\)", "g"),),
    ),
    LoggerFormat(  # Sensor Logger: a file for each sensor of a telephone
        "^time,seconds_elapsed,", (("seconds_elapsed", "s"),), ("([xyz])", "rad/s"), (), "(?i)gyroscope"
    ),
)


class FoundTable(NamedTuple):
    """Where the table of a file is, and what its columns are."""

    header: int  # line of the names, from 0
    first: int  # line of the first readings
    columns: dict[str, tuple[str, str]]  # of a header: quantity and unit
    wraps: dict[str, float]  # of a quantity that is counted: after how many it starts again


def find_table(lines: list[str], file: str, own: Callable[[str], str]) -> FoundTable:
    """The table in the lines of a file.

    Parameters
    ----------
    lines : list of str
    file : str
        Name of the file.
    own : callable
        The quantity of a column that the user named, empty for others.
    """
    found = [_columns(lines, at, file, own) for at in range(min(len(lines), ABOVE))]
    best = max(range(len(found)), key=lambda at: len(found[at]), default=0)
    columns = found[best] if found else {}
    first = best + 1
    if any(unit == BELOW for _, unit in columns.values()):
        units = dict(zip(cells_of(lines[best]), cells_of("".join(lines[first : first + 1])), strict=False))
        columns = {
            name: (what, units.get(name, "") if unit == BELOW else unit)
            for name, (what, unit) in columns.items()
        }
        first += 1
    wraps = {what: WRAPS[name] for name, (what, _) in columns.items() if name in WRAPS}
    return FoundTable(best, first, columns, wraps)


def cells_of(line: str) -> list[str]:
    """Cells of a line without spaces around them."""
    try:
        rows = list(csv.reader([line], skipinitialspace=True, delimiter=separator_of(line)))
    except csv.Error:  # a cell of 131072 characters
        return []
    return [cell.strip() for cell in rows[0]] if rows else []


def _columns(lines: list[str], at: int, file: str, own: Callable[[str], str]) -> dict[str, tuple[str, str]]:
    """Columns that a line would be the header of: quantity and unit by their headers."""
    heads = [head for head in cells_of(lines[at]) if head]
    named = {head: (what, split_header(head)[1]) for head in heads if (what := own(head))}
    taken = {what for what, _ in named.values()}
    above = "\n".join(lines[: at + 1])
    for export in EXPORTS:
        if re.search(export.mark, above) and re.search(export.file, file):
            filled = dict(zip(heads, cells_of("".join(lines[at + 1 : at + 2])), strict=False))
            known = _of_export(export, [head for head in heads if filled.get(head)], above, taken)
            if known:
                return known | named
    for head in heads:
        name, unit = split_header(head)
        for quantity, form in NAMES.items():
            if (item := form.fullmatch(name)) and (what := quantity + item[1].lower()) not in taken:
                named.setdefault(head, (what, unit))
    return named


def _of_export(
    export: LoggerFormat, heads: list[str], above: str, taken: set[str]
) -> dict[str, tuple[str, str]]:
    known: dict[str, tuple[str, str]] = {}
    there = set(taken)
    for quantity, pattern, unit in export.columns:
        found = {
            head: quantity + item[1].lower()
            for head in heads
            if (item := re.fullmatch(pattern, head, re.IGNORECASE))
        }
        if there.isdisjoint(found.values()):
            known |= {head: (what, _with_numbers(unit, above)) for head, what in found.items()}
            there |= set(found.values())
    return known


def _with_numbers(unit: str, above: str) -> str:
    """A unit with the numbers that the lines above the table give; empty if one is missing."""
    for name in re.findall(r"{(\w+)}", unit):
        number = re.search(rf"(?i){name}\s*[:=,]\s*([-+.e\d]+)", above)
        if number is None:
            return ""
        unit = unit.replace(f"{{{name}}}", number[1].rstrip("e"))
    return unit


Array = NDArray[np.float64]

# first line of a text file, and who writes it
FORMS = {
    "Vicon": r"Trajector(?:y|ies)\b",
    "Qualisys": r"(?:FILE_VERSION|NO_OF_FRAMES)\t",
    "DLTdv": r"pt1_cam1_X\b",
    "Tracker": r"#multi:",
}
STIFF = 0.02  # of the size of the markers: how far they move against each other at most [1]
LONGEST = 0.04  # over which a rate may be a mean [s]
TRUST = 3  # markers that a frame needs; of a video two


class Markers(NamedTuple):
    """Places of markers over time, NaN where one was not seen."""

    name: str
    time: Array  # (n,) [s]
    labels: list[str]  # of the m markers
    places: Array  # (n, m, 3), or (n, m, 2) of a video: x to the right, y up


def is_of_markers(path: Path) -> bool:
    """Whether a file has markers: C3D, or a text that begins as one of `FORMS`."""
    if path.suffix.lower() == ".c3d":
        return True
    try:
        with path.open(encoding="utf-8-sig", errors="replace") as file:
            return _form(file.readline(1000)) is not None
    except OSError:
        return False  # what reads it says why


def read_markers(path: Path, frame_rate: float | None = None) -> Markers:
    """Markers of a C3D file, a CSV file of Vicon, a TSV file of Qualisys, or points of DLTdv or Tracker.

    Parameters
    ----------
    path : Path
    frame_rate : float, optional
        Of a file that does not have it, as of DLTdv [1/s].

    Raises
    ------
    ConfigError
        If the file cannot be read, has no markers or no frame rate.
    ValueError
        If the library for C3D is missing.
    """
    if path.suffix.lower() == ".c3d":
        return _of_c3d(path)
    lines = read_data(path).splitlines()
    form = _form(lines[0]) if lines else None
    if form is None:
        raise ConfigError(f"{path}: no markers; expected C3D or a text of {', '.join(FORMS)}")
    try:
        return _READERS[form](path, lines, frame_rate)
    except ConfigError:
        raise
    except (IndexError, StopIteration, ValueError):
        raise ConfigError(f"{path}: it begins as {form} writes markers, and has no table of them") from None


def turned_with(
    markers: Markers, rest: tuple[float, float] | None = None, chosen: list[str] | None = None
) -> tuple[Recording, list[str]]:
    """Angular velocity of the body that carries markers, and what to say of them.

    In each frame the turn from the pose at rest is that which brings the markers closest to their places
    (Kabsch 1976, doi 10.1107/S0567739476001873, by `Rotation.align_vectors`). The angular velocity between
    two frames is their turn over the time between them, in axes of the body: a mean over a sample, as a fit
    takes the readings of a gyroscope to be. Markers shake, and frames close together make much noise of that;
    then it is between frames as far apart as it takes to see the release, where the noise is less by as much.

    Parameters
    ----------
    markers : Markers
    rest : tuple of 2 float, optional
        Between these times the body stands on its base, and its axes are those of the laboratory [s]; by
        default in the last frame that has all markers. The axes of a video are x to the right, y up and z
        towards the camera.
    chosen : list of str, optional
        Labels of the markers on the body, by default all.

    Returns
    -------
    recording : Recording
        Without frames in which too few markers were seen.
    said : list of str

    Raises
    ------
    ValueError
        If a marker is unknown, there are too few, they lie on a line, they are not of one rigid body, or they
        shake too much.
    """
    labels, places = markers.labels, markers.places
    if unknown := set(chosen or ()) - set(labels):
        raise ValueError(
            f"{markers.name}: no marker {', '.join(sorted(unknown))}; it has {', '.join(labels)}"
        )
    if chosen:
        places = places[:, [labels.index(label) for label in chosen]]
    flat = places.shape[2] == 2
    least = 2 if flat else TRUST
    seen = np.logical_and.reduce(np.isfinite(places), axis=2)
    if rest is None:
        at_rest = np.flatnonzero(seen.all(1))[-1:]
    else:
        at_rest = np.flatnonzero((markers.time >= rest[0]) & (markers.time <= rest[1]))
    known = seen[at_rest].any(0)
    if known.sum() < least:
        raise ValueError(
            f"{markers.name}: {known.sum()} markers seen at rest, and {least} are needed"
            + ("; say when it stood by `--rest START END`" if rest is None else "")
        )
    shape = np.nanmean(places[at_rest][:, known], 0)
    size = np.linalg.svd(shape - shape.mean(0), compute_uv=False)
    if not flat and size[1] < STIFF * size[0]:
        raise ValueError(f"{markers.name}: the markers lie on a line, about which no turn is seen")
    places, seen = places[:, known], seen[:, known]
    good = np.flatnonzero(seen.sum(1) >= least)
    turns, misses = zip(*(_turn(shape[seen[i]], places[i, seen[i]]) for i in good), strict=True)
    miss = float(np.sqrt(np.mean(np.square(misses)))) / float(np.sqrt((size**2).sum() / len(shape)))
    if miss > STIFF:
        raise ValueError(
            f"{markers.name}: the markers move against each other by {100 * miss:.2g} % of their size; "
            f"choose those of one rigid body by `--markers`: it has {', '.join(labels)}"
        )
    found, step = rates_of_turns(markers.name, markers.time, good, Rotation.concatenate(list(turns)))
    fits = f"the markers fit a rigid body to {100 * miss:.2g} % of their size"
    far = [f"they shake: rates are means over {step} frames"] * (step > 1)
    return found, [*_said_of_gaps(seen, least), fits, *far]


def rates_of_turns(
    name: str, frames: Array, good: NDArray[np.intp], attitude: Rotation
) -> tuple[Recording, int]:
    """Rates between frames as near to each other as their noise allows, and how many frames that is.

    Parameters
    ----------
    name : str
    frames : ndarray (n,)
        Times of all frames [s].
    good : ndarray (m,)
        Those that show the attitude.
    attitude : Rotation (m,)
        Axes of the body to those of the laboratory.
    """
    frame = float(np.median(np.diff(frames)))
    for step in range(1, max(int(LONGEST / frame), 1) + 1):
        chosen = np.flatnonzero(good % step == 0)
        time, turns = frames[good[chosen]], attitude[chosen]
        rates = (turns[:-1].inv() * turns[1:]).as_rotvec() / np.diff(time)[:, None]
        noise, fastest = max(map(rate_noise, rates.T)), float(np.abs(rates).max(initial=0.0))
        if noise <= QUIET * fastest:
            found = Recording(0.5 * (time[:-1] + time[1:]), rates, name=name, widths=np.diff(time))
            return found, step
    raise ValueError(
        f"{name}: markers or angles shake too much: rates have a noise of {noise:.2g} rad/s as means over "
        f"{step * frame:.2g} s, and the largest is {fastest:.2g} rad/s; put markers further apart, or take a "
        "gyroscope"
    )


def _said_of_gaps(seen: NDArray[np.bool_], least: int) -> list[str]:
    """What to say of frames in which markers are missing."""
    some, few = int((~seen.all(1)).sum()), int((seen.sum(1) < least).sum())
    if not some:
        return []
    rest = f", fewer than {least} are seen in {few}, which are left out" if few else ""
    return [f"markers are missing in {some} of {len(seen)} frames{rest}"]


def _turn(shape: Array, places: Array) -> tuple[Rotation, float]:
    """Turn of markers (m, 2 or 3) from a shape to where they are, and the root mean square of the rest."""
    a, b = shape - shape.mean(0), places - places.mean(0)
    if a.shape[1] == 2:
        angle = np.angle(np.sum(np.conj(a @ [1.0, 1.0j]) * (b @ [1.0, 1.0j])))
        turn = Rotation.from_rotvec([0.0, 0.0, float(angle)])
        left = b - a @ turn.as_matrix()[:2, :2].T
        return turn, float(np.sqrt((left**2).sum() / len(a)))
    turn, left = Rotation.align_vectors(b, a)
    return turn, float(left / np.sqrt(len(a)))


def _form(line: str) -> str | None:
    return next((name for name, pattern in FORMS.items() if re.match(pattern, line.strip('"'))), None)


def _of_c3d(path: Path) -> Markers:
    try:
        import c3d
    except ImportError:
        raise ValueError(f"{path}: C3D files are read by c3d: pip install 'mcrock[c3d]'") from None
    try:
        # it warns of files without analog channels
        with path.open("rb") as file, warnings.catch_warnings(action="ignore"):
            reader = c3d.Reader(file)
            labels = [str(label).strip() for label in reader.point_labels]
            points = np.array([points for _, points, _ in reader.read_frames()], float)
            rate = float(reader.point_rate)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    except Exception as error:  # the library raises many kinds for files that are none
        raise ConfigError(f"{path}: not a C3D file: {error}") from None
    if points.ndim != 3 or not rate > 0.0:
        raise ConfigError(f"{path}: no markers in this C3D file")
    places = np.where(points[:, :, 3:4] < 0.0, np.nan, points[:, :, :3])  # residual -1: not seen
    return Markers(path.name, np.arange(len(places)) / rate, labels[: places.shape[1]], places)


def _numbers(path: Path, lines: list[str], first: int, separator: str) -> Array:
    """Cells of a table (n, k), NaN for empty ones."""
    rows: list[list[float]] = []
    for number, line in enumerate(lines[first:], first + 1):
        try:
            cells = line.rstrip(separator + " ").split(separator)
            if cells != [""]:
                rows.append([np.nan if c.strip().lower() in ("", "nan") else plain_number(c) for c in cells])
        except ValueError as error:
            raise ConfigError(f"{path}, line {number}: in the table of markers {error}") from None
    width = max(map(len, rows))
    return np.array([row + [np.nan] * (width - len(row)) for row in rows])


def _of_vicon(path: Path, lines: list[str], _: float | None) -> Markers:
    at = next(i for i, line in enumerate(lines) if re.match(r'"?Frame"?[,;\t]', line))
    separator = separator_of(lines[at])
    labels = [name.strip() for name in lines[at - 1].split(separator) if name.strip()]
    rate = float(lines[1].split(separator)[0])
    table = _numbers(path, lines, at + 2, separator)[:, 2 : 2 + 3 * len(labels)]
    return Markers(path.name, np.arange(len(table)) / rate, labels, table.reshape(len(table), len(labels), 3))


def _of_qualisys(path: Path, lines: list[str], _: float | None) -> Markers:
    heads = {line.split("\t")[0]: i for i, line in enumerate(lines[:40])}
    at = heads.get("MARKER_NAMES")
    labels = [] if at is None else [name for name in lines[at].split("\t")[1:] if name.strip()]
    rate = float(lines[heads["FREQUENCY"]].split("\t")[1]) if "FREQUENCY" in heads else 0.0
    if at is None or not labels or not rate > 0.0:
        raise ConfigError(
            f"{path}: expected FREQUENCY and MARKER_NAMES above the data; export 3D data with them"
        )
    first = next(i for i in range(at + 1, len(lines)) if re.match(r"\s*[-+.\d]", lines[i]))
    table = _numbers(path, lines, first, "\t")[:, : 2 + 3 * len(labels)]
    extra = table.shape[1] - 3 * len(labels)  # frame and time, if they were exported
    places = table[:, max(extra, 0) :].reshape(len(table), len(labels), 3)
    places = np.where((places == 0.0).all(2, keepdims=True), np.nan, places)  # not seen
    return Markers(path.name, np.arange(len(table)) / rate, labels, places)


def _of_dltdv(path: Path, lines: list[str], frame_rate: float | None) -> Markers:
    if frame_rate is None:
        raise ConfigError(f"{path}: points of DLTdv have no time: give `--frame-rate HZ`")
    heads = lines[0].split(",")
    if any("cam2" in head for head in heads):
        raise ConfigError(f"{path}: points of one camera are read; of several export C3D or a CSV file in 3D")
    table = _numbers(path, lines, 1, ",")
    labels = [head.split("_")[0] for head in heads[::2]]
    places = table[:, : 2 * len(labels)].reshape(len(table), len(labels), 2)
    # rows of pixels count from the top since DLTdv8
    return Markers(path.name, np.arange(len(table)) / frame_rate, labels, places * [1.0, -1.0])


def _of_tracker(path: Path, lines: list[str], _: float | None) -> Markers:
    separator = separator_of(lines[2])
    heads = [head.strip() for head in lines[2].split(separator)]
    x, y = ([i for i, head in enumerate(heads) if head == axis] for axis in "xy")
    if heads[:1] != ["t"] or not x or len(x) != len(y):
        raise ConfigError(f"{path}: expected columns t and x, y of each point, got {' '.join(heads)}")
    labels = [name.strip() for name in lines[1].split(separator) if name.strip()]
    table = _numbers(path, lines, 3, separator)
    return Markers(path.name, table[:, 0], labels, np.stack([table[:, x], table[:, y]], -1))


_READERS = {"Vicon": _of_vicon, "Qualisys": _of_qualisys, "DLTdv": _of_dltdv, "Tracker": _of_tracker}

QUANTITIES = ("time", *(f"{name}_{axis}" for name in ("omega", "angle", "acceleration") for axis in ALONG))
EPOCH = 1e8  # [s]: a time that begins beyond three years is that since 1970
# of a unit: what a reading of 1 is in it, as in "1/131 deg/s" and "1e-4 s", and its word
NUMBER = r"\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?"
COUNTS = re.compile(rf"(?:({NUMBER})(?:/({NUMBER}))?\s+)?(.*)", re.DOTALL)


def write_recording(recording: Recording, path: str | Path) -> Path:
    """Write a recording as a CSV file that `read_recording` reads, to nine digits: rates in deg/s, m/s2.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    heads = ["time [s]", *(f"omega_{axis} [deg/s]" for axis in ALONG)]
    parts = [recording.time, np.degrees(recording.angular_velocity)]
    if recording.acceleration is not None:
        heads += [f"acceleration_{axis} [m/s2]" for axis in ALONG]
        parts.append(recording.acceleration)
    np.savetxt(path, np.column_stack(parts), "%.9g", ",", header=",".join(heads), comments="")
    return Path(path)


def read_recording(
    path: str | Path, axes: str = "x y z", columns: Mapping[str, str] | None = None
) -> Recording:
    """Recording of an inertial sensor from a CSV file with a header.

    Columns are ``time``, ``omega_x``, ``omega_y``, ``omega_z`` and, if it has them, ``acceleration_x`` and so
    on, each with its unit in brackets, as in ``omega_x [deg/s]``. Names that sensors and their programs write
    are known too (`mcrock.measurement.files`), as in ``Gyroscope x (rad/s)`` of phyphox, and lines that
    they put above the header. Other columns are left out. Cells are separated by commas, semicolons or tabs.
    Time since 1970 is counted from the first reading.

    In place of rates a file may have the angles ``angle_x``, ``angle_y``, ``angle_z`` of `euler_angles`, of
    which those that it lacks are 0: their rates are means between samples, as those of `turned_with`.

    Parameters
    ----------
    path : str or Path
    axes : str
        Which axes of the sensor point along x, y and z of the body: ``"y -x z"`` where its y points along x
        of the body and its x against y.
    columns : mapping of str to str, optional
        Headers of the file by these names, if it has others; with a unit in brackets behind a header that has
        none, and a number before the unit for counts: ``{"omega_x": "GyX [1/131 deg/s]"}``.

    Raises
    ------
    ConfigError
        If the file cannot be read, a column is missing, has no unit or one that is not known.
    ValueError
        If the axes are not three different ones, or are left-handed; if readings are not numbers or time does
        not rise.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "test.csv"
    ...     head = "time [ms], omega_x [deg/s], omega_y [deg/s], omega_z [deg/s]"
    ...     _ = path.write_text(head + "\\n0, 0, 0, 0\\n4, 0, 180, 0\\n")
    ...     read_recording(path).angular_velocity[1].round(3).tolist()
    [0.0, 3.142, 0.0]
    """
    place, given = Path(path), columns or {}
    named = {split_header(header)[0]: (name, split_header(header)[1]) for name, header in given.items()}
    if unknown := set(given) - set(QUANTITIES):
        raise ValueError(f"columns are of {', '.join(QUANTITIES)}, got {', '.join(sorted(unknown))}")

    def own(header: str) -> str:
        return named.get(split_header(header)[0], ("",))[0]

    table = find_table(read_data(place).splitlines(), place.name, own)
    if not table.columns:
        raise ConfigError(
            f"{place}: no header with columns of a sensor, such as time [s], omega_x [deg/s], in its "
            f"first {ABOVE} lines; say which they are by `columns` (`--columns 'omega_x=HEADER [deg/s]'`)"
        )
    by_name: dict[str, tuple[str, list[float]]] = {}
    read = read_columns(place, lambda header: header in table.columns, table.header, table.first)
    plain = {name for header in read if (name := split_header(header)[0]) in QUANTITIES}
    for header, numbers in read.items():
        (name, unit), spoken = table.columns[header], split_header(header)[0]
        if name in plain and spoken not in {name, *named}:
            continue
        if name in by_name:
            raise ConfigError(f"{place}: two columns for {name!r}; say which one by `columns` (`--columns`)")
        by_name[name] = (unit or named.get(spoken, ("", ""))[1], numbers)
    if (period := table.wraps.get("time")) is not None:
        unit, numbers = by_name["time"]
        by_name["time"] = (unit, np.unwrap(numbers, period=period).tolist())
    turn, angles = axes_of(axes), [f"angle_{axis}" for axis in "zyx"]
    if not by_name.keys().isdisjoint(angles) and "omega_x" not in by_name:
        time = _column(place, by_name, "time", TIMES)
        found = dict.fromkeys(angles, ("rad", [0.0] * time.size)) | by_name
        cells = [_column(place, found, name, ANGLES) for name in angles]
        turns = Rotation.from_euler("ZYX", np.stack(cells, -1))
        from_turns, _ = rates_of_turns(place.name, time, np.arange(time.size), turns)
        return from_turns.turned(Rotation.from_matrix(turn))
    rates = np.stack([_column(place, by_name, f"omega_{axis}", ANGULAR_VELOCITIES) for axis in ALONG], -1)
    time = _column(place, by_name, "time", TIMES)
    forces = [f"acceleration_{axis}" for axis in ALONG]
    force = None
    if any(name in by_name for name in forces):
        force = np.stack([_column(place, by_name, name, ACCELERATIONS) for name in forces], -1) @ turn.T
    return Recording(time, rates @ turn.T, force, place.name)


def _column(
    path: Path, columns: dict[str, tuple[str, list[float]]], name: str, units: dict[str, float]
) -> Array:
    known = ", ".join(units)
    if name not in columns:
        raise ConfigError(
            f"{path}: no column {name!r}; expected it with its unit, one of {known}, in brackets, or say "
            f"which column it is by `columns` (`--columns '{name}=HEADER'`)"
        )
    unit, numbers = columns[name]
    form = COUNTS.fullmatch(re.sub(r"[()]", "", unit))
    counts, counted, plain = form.groups("1") if form else ("1", "1", "")
    size = factor_to(plain, next(iter(units)))
    if size is None or not float(counted) > 0.0:
        raise ConfigError(
            f"{path}, column {name!r}: expected its unit in brackets, one of {known}, got {unit!r}; or give "
            f"it by `columns` (`--columns '{name}=HEADER [{next(iter(units))}]'`)"
        )
    values, factor = np.asarray(numbers, float), float(counts) / float(counted) * size
    if name == "time" and values.size and values[0] > min(EPOCH / factor, LARGEST):
        values = values - values[0]  # since 1970, or of a counter
    return np.where(np.abs(values) < LARGEST, values, np.nan) * factor


def axes_of(axes: str) -> Array:
    """Matrix (3, 3) from axes of a sensor to those of the body, by words as ``y -x z``.

    Raises
    ------
    ValueError
        If they are not three different ones, or left-handed.
    """
    parts = axes.split()
    names = [part.lstrip("-+") for part in parts]
    if sorted(names) != list(ALONG):
        raise ValueError(f"axes must name x, y and z of the sensor once each, as in 'y -x z', got {axes!r}")
    turn = np.zeros((3, 3))
    for row, (part, name) in enumerate(zip(parts, names, strict=True)):
        turn[row, ALONG.index(name)] = -1.0 if part.startswith("-") else 1.0
    if np.linalg.det(turn) < 0.0:
        raise ValueError(f"axes {axes!r} are left-handed: no sensor can be turned so; check the signs")
    return turn
