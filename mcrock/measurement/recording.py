"""What an inertial sensor on a body recorded while it rocked freely."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.transform import Rotation

from mcrock.base.checks import Number
from mcrock.base.tables.errors import ConfigError
from mcrock.base.tables.parsing import read_columns
from mcrock.base.units import ACCELERATIONS, ANGULAR_VELOCITIES, TIMES, split_header

Array = NDArray[np.float64]

ALONG = "xyz"
QUANTITIES = ("time", *(f"{name}_{axis}" for name in ("omega", "acceleration") for axis in ALONG))
# columns as sensors and their programs name them, without the unit; the axis is the group
NAMES = {
    "time": re.compile(r"(?:time|timestamp|t)()", re.IGNORECASE),
    "omega_": re.compile(r"(?:omega|gyroscope|gyro|gyr|angular[ _]velocity)[ _]?([xyz])", re.IGNORECASE),
    "acceleration_": re.compile(r"(?:acceleration|accelerometer|accel|acc)[ _]?([xyz])", re.IGNORECASE),
}
LARGEST = 1e9  # reading, in any unit: beyond are mistakes, whose squares may be infinite
QUIET = 0.02  # of the largest angular velocity: what is no motion [1]


@dataclass(frozen=True, eq=False)
class Recording:
    """Readings of a sensor, in its own axes until they are turned into those of the body.

    Attributes
    ----------
    time : ndarray (n,)
        [s], rising.
    angular_velocity : ndarray (n, 3)
        [rad/s].
    acceleration : ndarray (n, 3), optional
        Specific force: at rest it points up with 9.81 m/s2 [m/s2].
    name : str
    """

    time: Array
    angular_velocity: Array
    acceleration: Array | None = None
    name: str = "recording"

    def __post_init__(self) -> None:
        n = len(self.time)
        shapes = {"angular_velocity [rad/s]": self.angular_velocity, "acceleration [m/s2]": self.acceleration}
        for what, array in shapes.items():
            if array is not None and array.shape != (n, 3):
                raise ValueError(f"{self.name}: {what} must have the shape ({n}, 3), got {array.shape}")
            if array is not None and not (np.abs(array) < LARGEST).all():
                raise ValueError(
                    f"{self.name}: {what} has values that are not numbers, or beyond {LARGEST:g}"
                )
        if n < 2 or not (np.diff(self.time) > 0.0).all():
            raise ValueError(f"{self.name}: time [s] must rise from sample to sample, over two at least")

    def between(self, begin: float, end: float) -> Recording:
        """The part from ``begin`` to ``end`` [s]; the time is kept.

        Raises
        ------
        ValueError
            If fewer than two samples are left.
        """
        chosen = self._within(begin, end)
        force = None if self.acceleration is None else self.acceleration[chosen]
        return replace(
            self,
            time=self.time[chosen],
            angular_velocity=self.angular_velocity[chosen],
            acceleration=force,
        )

    def unbiased(self, *still: tuple[float, float]) -> Recording:
        """The recording less the bias of its gyroscope, known from intervals in which the body was still.

        Parameters
        ----------
        *still : tuple of 2 float
            Start and end of each interval [s]. Of one the mean is taken away, of several the means and what
            is linear between their middles.

        Raises
        ------
        ValueError
            If there is none, or one has fewer than two samples.
        """
        if not still:
            raise ValueError("unbiased() needs an interval [s] in which the body was still")
        chosen = [self._within(*interval) for interval in still]
        middles = np.array([self.time[at].mean() for at in chosen])
        means = np.array([self.angular_velocity[at].mean(0) for at in chosen])
        order = np.argsort(middles)
        bias = np.stack([np.interp(self.time, middles[order], column[order]) for column in means.T], -1)
        return replace(self, angular_velocity=self.angular_velocity - bias)

    def trimmed(self, margin: float = 0.5, rest: float = 0.25) -> Recording:
        """The part from shortly before the release to rest, of a recording without bias.

        Motion is an angular velocity above a fiftieth of the largest. The release is the last sample without,
        before half of the largest is reached for the first time; rest is where motion has been over for some
        time.

        Parameters
        ----------
        margin : float
            Kept before the first motion, and of rest [s]: near its unstable pose a body starts slowly.
        rest : float
            A pause of this length is rest, a shorter one a turning point [s].

        Raises
        ------
        ValueError
            If the body is moving from the first sample on.
        """
        begin, end = self.motion(rest)
        return self.between(begin - margin, end + margin)

    def motion(self, rest: float = 0.25) -> tuple[float, float]:
        """Times of the release and of rest [s], as `trimmed` finds them.

        Raises
        ------
        ValueError
            If the body is moving from the first sample on.
        """
        speed = np.linalg.norm(self.angular_velocity, axis=1)
        still = np.flatnonzero(speed <= QUIET * speed.max())
        fast = int(np.flatnonzero(speed >= 0.5 * speed.max())[0])
        before = still[still < fast]
        if not before.size:
            raise ValueError(
                f"{self.name}: no sample before the fast motion is below {QUIET * speed.max():.3g} rad/s; "
                "give a recording that starts with the body held still, without bias"
            )
        moving = np.setdiff1d(np.arange(speed.size), still)
        moving = moving[moving > before[-1]]
        times = np.append(self.time[moving], np.inf)
        return float(self.time[before[-1]]), float(times[np.flatnonzero(np.diff(times) > rest)[0]])

    def turned(self, turn: Rotation) -> Recording:
        """The recording in axes of the body: ``turn`` takes vectors from those of the sensor to them."""
        force = None if self.acceleration is None else turn.apply(self.acceleration)
        return replace(self, angular_velocity=turn.apply(self.angular_velocity), acceleration=force)

    def clipped(self, most: float) -> Recording:
        """The recording of a gyroscope that reads at most some angular velocity [rad/s] along each axis.

        Raises
        ------
        ValueError
            If that is not positive.
        """
        Number("rad/s", above=0.0).check("most", most)
        return replace(self, angular_velocity=np.clip(self.angular_velocity, -most, most))

    def levelled(self, begin: float, end: float) -> Recording:
        """The recording after the smallest turn that makes what it measures at rest, between two times [s],
        point up: a sensor that was not quite level on a body that stands.

        Raises
        ------
        ValueError
            Without acceleration, or if fewer than two samples lie between.
        """
        if self.acceleration is None:
            raise ValueError(f"{self.name}: levelled() needs acceleration [m/s2], and there is none")
        up = self.acceleration[self._within(begin, end)].mean(0)
        turn, _ = Rotation.align_vectors([[0.0, 0.0, 1.0]], [up / np.linalg.norm(up)])
        return self.turned(turn)

    def orientation(self, start: ArrayLike = (1.0, 0.0, 0.0, 0.0)) -> Array:
        """Attitude by integration of the angular velocity in axes of the body.

        Over a sample the angular velocity is taken to be linear; the turn is exact to the third power of the
        interval. What the sensor drifts stays in it: see `zero_crossing_correction`.

        Parameters
        ----------
        start : array_like (4,)
            Unit quaternion body to ground of the first sample, the real part first.

        Returns
        -------
        ndarray (n, 4)
            Unit quaternions body to ground.
        """
        w, h = self.angular_velocity, np.diff(self.time)[:, None]
        # of a linear angular velocity: its mean, and what its two ends do not commute
        turns = Rotation.from_rotvec(0.5 * h * (w[:-1] + w[1:]) + h * h / 12.0 * np.cross(w[:-1], w[1:]))
        found = [Rotation.from_quat(np.asarray(start, float), scalar_first=True)]
        for turn in turns:
            found.append(found[-1] * turn)
        return Rotation.concatenate(found).as_quat(scalar_first=True)

    def _within(self, begin: float, end: float) -> NDArray[np.intp]:
        chosen = np.flatnonzero((self.time >= begin) & (self.time <= end))
        if chosen.size < 2:
            raise ValueError(
                f"{self.name}: from {begin!r} to {end!r} s there are {chosen.size} samples, and two are "
                f"needed; it goes from {self.time[0]:.6g} to {self.time[-1]:.6g} s"
            )
        return chosen


def write_recording(recording: Recording, path: str | Path) -> Path:
    """Write the rates of a recording as a CSV file that `read_recording` reads, in deg/s to nine digits.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    head = ",".join(["time [s]", *(f"omega_{axis} [deg/s]" for axis in ALONG)])
    rows = np.column_stack([recording.time, np.degrees(recording.angular_velocity)])
    np.savetxt(path, rows, fmt="%.9g", delimiter=",", header=head, comments="")
    return Path(path)


def read_recording(
    path: str | Path, axes: str = "x y z", columns: Mapping[str, str] | None = None
) -> Recording:
    """Recording of an inertial sensor from a CSV file with a header.

    Columns are ``time``, ``omega_x``, ``omega_y``, ``omega_z`` and, if it has them, ``acceleration_x`` and so
    on, each with its unit in brackets, as in ``omega_x [deg/s]``. Names that sensors and their programs write
    are known too (`NAMES`), as in ``Gyroscope x (rad/s)`` of phyphox. Other columns are left out. Cells are
    separated by commas, semicolons or tabs.

    Parameters
    ----------
    path : str or Path
    axes : str
        Which axes of the sensor point along x, y and z of the body: ``"y -x z"`` where its y points along x
        of the body and its x against y.
    columns : mapping of str to str, optional
        Headers of the file by these names, if it has others; with a unit in brackets behind a header that has
        none: ``{"omega_x": "GyrX [deg/s]"}``.

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

    def known(header: str) -> str:
        """Which of `QUANTITIES` a column has, empty for none."""
        own = split_header(header)[0]
        if own in named:
            return named[own][0]
        found = (f"{name}{item[1].lower()}" for name, form in NAMES.items() if (item := form.fullmatch(own)))
        return next((name for name in found if name not in given), "")

    by_name: dict[str, tuple[str, list[float]]] = {}
    read = read_columns(place, lambda header: bool(known(header)))
    plain = {name for header in read if (name := split_header(header)[0]) in QUANTITIES}
    for header, numbers in read.items():
        name, (own, unit) = known(header), split_header(header)
        if name in plain and own not in {name, *named}:
            continue
        if name in by_name:
            raise ConfigError(f"{place}: two columns for {name!r}; say which one by `columns` (`--columns`)")
        by_name[name] = (unit or named.get(own, ("", ""))[1], numbers)
    turn = _axes(axes)
    time = _column(place, by_name, "time", TIMES)
    rates = np.stack([_column(place, by_name, f"omega_{axis}", ANGULAR_VELOCITIES) for axis in ALONG], -1)
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
    plain = unit.replace("°", "deg").replace("²", "2").replace("^", "")
    if plain not in units:
        raise ConfigError(
            f"{path}, column {name!r}: expected its unit in brackets, one of {known}, got {unit!r}; or give "
            f"it by `columns` (`--columns '{name}=HEADER [{next(iter(units))}]'`)"
        )
    values = np.asarray(numbers, float)
    return np.where(np.abs(values) < LARGEST, values, np.nan) * units[plain]


def _axes(axes: str) -> Array:
    """Matrix from axes of the sensor to those of the body."""
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
