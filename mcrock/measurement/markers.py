"""Markers on a body, as motion capture and video trackers write them, and how the body turned with them."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from mcrock.base.tables.errors import ConfigError
from mcrock.base.tables.parsing import read_data, separator_of
from mcrock.base.units import plain_number
from mcrock.measurement.angles import rate_noise
from mcrock.measurement.recording import QUIET, Recording

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
            return Recording(0.5 * (time[:-1] + time[1:]), rates, name=name), step
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
