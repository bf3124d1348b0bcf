"""Recordings of inertial sensors in files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from mcrock.base.tables.errors import ConfigError
from mcrock.base.tables.parsing import read_columns, read_data
from mcrock.base.units import ACCELERATIONS, ANGLES, ANGULAR_VELOCITIES, TIMES, factor_to, split_header
from mcrock.measurement.exports import ABOVE, find_table
from mcrock.measurement.markers import rates_of_turns
from mcrock.measurement.recording import ALONG, LARGEST, Recording

Array = NDArray[np.float64]

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
    are known too (`mcrock.measurement.exports`), as in ``Gyroscope x (rad/s)`` of phyphox, and lines that
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
