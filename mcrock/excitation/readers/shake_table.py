"""Tests on a shake table, all in one netCDF file, with what was seen of the objects on it.

The file has `acceleration` (sample) [m s-2] of all tests end to end, `start` from 0 and `length` (test), and
`record` (test), the label of the motion that the table followed; the attribute `sampling_rate_hz` [1/s].
Optional are `recording` (test), which tests of one earthquake record share, `pga` [m s-2] and `pgv` [m s-1]
(test), and outcomes: any variable (test) that is 1 where an object overturned and 0 where it stood.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mcrock.excitation.motion import Motion, MotionError

NEEDED = ("acceleration", "start", "length", "record")
OF_NGA = re.compile(r"(RSN\d+)[_ ]", re.IGNORECASE)  # components of a record have its sequence number


class ShakeTableTests(NamedTuple):
    """The tests of a file, in its order."""

    motions: list[Motion]  # along x; `group` is the recording
    record: list[str]  # (n_test,) label of the motion
    pga: NDArray[np.float64]  # (n_test,) [m/s2]
    pgv: NDArray[np.float64]  # (n_test,) [m/s]
    measures: dict[str, NDArray[np.float64]]  # other intensity measures of the file (n_test,), by name
    labels: dict[str, NDArray[np.int8]]  # what is 0 or 1 in the file (n_test,), by name

    @property
    def recording(self) -> NDArray[np.str_]:
        """Recording of each test (n_test,)."""
        return np.array([motion.group for motion in self.motions])


def read_shake_table(path: str | Path) -> ShakeTableTests:
    """Read the tests of a shake table.

    Parameters
    ----------
    path : str or Path
        A netCDF file, see the module. Without `recording` labels that begin with a record sequence number of
        NGA, as in ``RSN17_...``, are of the recording with that number, and others recordings of their own.

    Raises
    ------
    MotionError
        If the file is not there or no netCDF file, a variable is missing or of another length or unit, or a
        test lies outside the samples.
    """
    import xarray as xr  # here: reading a study file waits for no reader of stores

    place = Path(path)
    try:
        with xr.open_dataset(place, engine="netcdf4") as opened:
            ds = opened.load()
    except FileNotFoundError:
        raise MotionError(f"{place}: no such file") from None
    except (OSError, ValueError) as error:
        raise MotionError(f"{place}: expected a netCDF file of shake-table tests, {error}") from None
    missing = [name for name in NEEDED if name not in ds]
    if missing or "sampling_rate_hz" not in ds.attrs:
        lacks = ", ".join(missing) or "the attribute 'sampling_rate_hz'"
        raise MotionError(
            f"{place}: expected a file of shake-table tests with {', '.join(NEEDED)}; no {lacks}"
        )
    unit = ds["acceleration"].attrs.get("units", "m s-2")
    if unit not in ("m s-2", "m/s2", "m/s^2"):
        raise MotionError(f"{place}: acceleration: expected the unit m s-2, got {unit!r}")
    rate = float(ds.attrs["sampling_rate_hz"])
    samples = ds["acceleration"].values.astype(float)
    start, length = (ds[name].values.astype(np.int64) for name in ("start", "length"))
    record = [str(label) for label in ds["record"].values]
    if not rate > 0.0 or not len(record) == len(start) == len(length):
        raise MotionError(
            f"{place}: expected sampling_rate_hz > 0 and as many of start, length and record, got {rate:g}, "
            f"{len(start)}, {len(length)} and {len(record)}"
        )
    if (start < 0).any() or (length < 2).any() or (start + length > len(samples)).any():
        raise MotionError(
            f"{place}: a test has fewer than 2 samples or lies outside the {len(samples)} there are"
        )
    group = [_recording(label) for label in record]
    if "recording" in ds:
        group = [str(label) for label in ds["recording"].values]
    motions = []
    for i, (first, n) in enumerate(zip(start, length, strict=True)):
        x = samples[first : first + n]
        name = f"{record[i]}, test {i}"
        motions.append(Motion(np.stack([x, 0.0 * x, 0.0 * x]), 1.0 / rate, name, group[i]))
    measures = {
        str(name): ds[name].values.astype(float)
        for name in ds.data_vars
        if ds[name].dims == ds["record"].dims and ds[name].attrs.get("units") in ("m s-1", "m s-2")
    }
    labels = {
        str(name): ds[name].values.astype(np.int8)
        for name in ds.data_vars
        if ds[name].dims == ds["record"].dims
        and ds[name].dtype.kind in "iub"
        and np.isin(ds[name].values, (0, 1)).all()
    }
    pga, pgv = measures.get("pga"), measures.get("pgv")
    if pga is None:
        pga = np.array([np.abs(motion.acceleration[0]).max() for motion in motions])
    if pgv is None:
        pgv = np.array([_peak_velocity(motion) for motion in motions])
    return ShakeTableTests(motions, record, pga, pgv, measures, labels)


def _recording(label: str) -> str:
    found = OF_NGA.match(label)
    return found[1].upper() if found else label


def _peak_velocity(motion: Motion) -> float:
    """Largest velocity [m/s], from rest and without the mean of the acceleration."""
    a = motion.acceleration[0] - motion.acceleration[0].mean()
    return float(np.abs(np.cumsum(0.5 * motion.dt * (a[1:] + a[:-1]))).max())
