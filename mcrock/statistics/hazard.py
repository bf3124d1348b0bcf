"""Seismic hazard of a site: annual rates at which intensities are exceeded, from a CSV file."""

from __future__ import annotations

import csv
import math
import re
from pathlib import Path

import numpy as np
import xarray as xr

from mcrock.base.units import ACCELERATIONS, VELOCITIES, parse_intensity_unit
from mcrock.excitation.measures import MEASURES

UNITS = (*ACCELERATIONS, *VELOCITIES, "m", "cm", "s", "1")  # that messages propose
MEAN = "mean"
EXAMPLE = "the first line must be as in 'pga [g], mean, 0.16, 0.5, 0.84'"


class HazardError(ValueError):
    """A hazard file that cannot be used."""


def load_hazard(path: str | Path, *, years: float | None = None) -> xr.Dataset:
    """Read hazard curves from a CSV file.

    The first line names the intensity with its unit and the curves: "mean" and fractiles between 0 and 1, as
    in ``pga [g], mean, 0.16, 0.84``. Every other line has an intensity and the value of each curve there, in
    the order of rising intensities; lines that begin with # are comments.

    Parameters
    ----------
    path : str or Path
        CSV file.
    years : float, optional
        Exposure time [a], if the file has probabilities of exceedance; by default it has annual rates [1/a].

    Returns
    -------
    Dataset
        `rate` (hazard, hazard_intensity) [1/a], the annual rate at which an intensity [SI unit] is exceeded,
        with the names of the curves along `hazard`; the attribute `measure` is the name of the intensity.

    Raises
    ------
    HazardError
        If the file cannot be read, lacks a unit or the mean, numbers are missing or out of order, a rate is
        not > 0, fractile curves cross, or the mean lies below the lowest; the message gives the line.
    """
    if years is not None and not (math.isfinite(years) and years > 0):
        raise HazardError(f"years must be finite and > 0 [a], got {years!r}")
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise HazardError(f"{path}: no such file") from None
    except UnicodeDecodeError as error:
        raise HazardError(f"{path}: not a text file in UTF-8 (byte {error.start})") from None
    lines = [
        (number, [cell.strip() for cell in next(csv.reader([line]))])
        for number, line in enumerate(text.splitlines(), 1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    if len(lines) < 3:
        raise HazardError(f"{path}: expected a line of names and at least 2 of numbers; {EXAMPLE}")
    measure, units, factor, curves = _names(path, *lines[0])
    table = np.array([_numbers(path, number, cells, len(curves) + 1) for number, cells in lines[1:]])
    numbers = [number for number, _ in lines[1:]]
    x, rate = table[:, 0] * factor, table[:, 1:]
    if years is not None:
        wrong = ~((rate > 0) & (rate < 1)).all(axis=1)
        _refuse(path, numbers, wrong, f"a probability in {years:g} years must lie in (0, 1) [1]")
        rate = -np.log1p(-rate) / years
    _refuse(path, numbers, ~(rate > 0).all(axis=1), "an annual rate must be > 0 [1/a]: leave such lines out")
    fallen = np.append(False, np.diff(x) <= 0) | (x <= 0)
    _refuse(path, numbers, fallen, f"intensities must be > 0 and rise [{units}]")
    risen = np.append(False, (np.diff(rate, axis=0) > 0).any(axis=1))
    _refuse(path, numbers, risen, "what is exceeded more often must not be stronger: rates must not rise")
    fractiles = sorted((float(name), i) for i, name in enumerate(curves) if name != MEAN)
    ordered = rate[:, [i for _, i in fractiles]]
    crossed = (np.diff(ordered, axis=1) < 0).any(axis=1)
    _refuse(path, numbers, crossed, "fractile curves cross: those of the rate would be no fractiles")
    mean = rate[:, curves.index(MEAN)]
    for q, i in fractiles:
        least = rate[:, i] * (1.0 if q == fractiles[0][0] <= 0.5 else 1 - q)
        _refuse(
            path,
            numbers,
            mean < least,
            f"the mean is below the fractile {q:g}, or less than {1 - q:g} of it, as no mean of annual rates "
            "can be: look whether columns are exchanged",
        )
    return xr.Dataset(
        {"rate": (("hazard", "hazard_intensity"), rate.T, {"units": "1/a", "long_name": "annual rate"})},
        coords={"hazard": curves, "hazard_intensity": ("hazard_intensity", x, {"units": units})},
        attrs={"measure": measure, "source": str(path)},
    )


def _names(path: str | Path, number: int, cells: list[str]) -> tuple[str, str, float, list[str]]:
    """Measure, its unit in datasets and how many of those, and the names of the curves."""
    found = re.fullmatch(r"([\w.()-]+)\s*\[([^\]]+)\]", cells[0])
    if found is None and (";" in cells[0] or "\t" in cells[0]):
        raise HazardError(f"{path} line {number}: separate columns by commas, got {cells[0]!r}; {EXAMPLE}")
    unit = parse_intensity_unit(found[2].strip()) if found else None
    if found is None or unit is None:
        known, advice = ", ".join(UNITS), "write the unit in square brackets; " * (found is None)
        raise HazardError(
            f"{path} line {number}: the intensity needs a unit, one of {known}, got {cells[0]!r}; "
            + advice
            + EXAMPLE
        )
    curves = [cell.lower() for cell in cells[1:]]
    for name in curves:
        if name != MEAN and not _is_fractile(name):
            raise HazardError(
                f"{path} line {number}: a curve is 'mean' or a fractile between 0 and 1, got {name!r}; "
                + EXAMPLE
            )
    if MEAN not in curves or len(set(curves)) < len(curves):
        raise HazardError(
            f"{path} line {number}: expected the curve 'mean' once, and every fractile once; the mean rate "
            "of overturning needs the mean hazard"
        )
    return found[1].lower(), *unit, curves


def _is_fractile(name: str) -> bool:
    try:
        return 0 < float(name) < 1
    except ValueError:
        return False


def _numbers(path: str | Path, number: int, cells: list[str], n: int) -> list[float]:
    try:
        values = [float(cell) for cell in cells]
    except ValueError:
        values = []
    if len(values) != n or not all(map(math.isfinite, values)):
        raise HazardError(f"{path} line {number}: expected {n} numbers, got {', '.join(cells)!r}")
    return values


def _refuse(path: str | Path, numbers: list[int], wrong: np.ndarray | np.bool_, reason: str) -> None:
    if wrong.any():
        raise HazardError(f"{path} line {numbers[int(np.argmax(wrong))]}: {reason}")


def check_measure(intensity: xr.DataArray, hazard: xr.Dataset, measure: str) -> None:
    """Refuse a hazard of another intensity than that of a study; "intensity" is the name of any.

    Raises
    ------
    HazardError
        If the units or the names differ.
    """
    units, own = hazard["hazard_intensity"].attrs["units"], intensity.attrs.get("units", "1")
    name = hazard.attrs["measure"]
    other = len({name, measure} - {"intensity"}) > 1
    if units != own or other:
        asked = f"['{name}']" if name in MEASURES else "[...]"
        remedy = (
            f"; for a cloud study that has it, `--measure {name}`; in Python, with mcrock.statistics, take "
            f"by_measure(with_measures(ds, {asked}), '{name}')"
        )
        raise HazardError(
            f"{hazard.attrs['source']}: the hazard is of {name} [{units}], and the study's intensity is "
            f"{measure} [{own}]" + remedy * other
        )
