"""Importance sampling on the intensity: runs drawn where they matter, weighted by how often it occurs.

The intensity of a cloud study has a density q of its own, which the study file gives. The probability for
another density f, or the annual rate for a hazard with -dH/dx in its place, is the mean of w Y with w = f /
q: no fragility curve is fitted, and no shape of its tail assumed. Of independent runs q in proportion to f
sqrt(F), with the fragility F, has the least variance.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr
from scipy.special import ndtr, stdtrit

from mcrock.config import Study
from mcrock.dataset.opened import takes_path
from mcrock.statistics.efficiency import own_measure
from mcrock.statistics.fragility import fit_fragility
from mcrock.statistics.hazard import MEAN, check_measure
from mcrock.statistics.intervals import check_level
from mcrock.statistics.probability import BOUNDS
from mcrock.statistics.runs import (
    ALL_OVERTURN,
    ALL_STAND,
    ESTIMATE,
    check_runs,
    is_cloud,
    overturn_levels,
    read_slices,
    record_index,
    run_intensity,
)
from mcrock.tables.distributions import DISTRIBUTIONS, Distribution, Stepped
from mcrock.tables.fields import OneOf

GRID = 2000  # places of the integrals over the intensity
TAIL = 1e-6  # of the density of the runs, beyond which it has none [1]


def drawn_intensity(ds: xr.Dataset) -> tuple[Any, float] | None:
    """SciPy's distribution of the intensities of a study, and the factor to SI; None without a density."""
    study = Study.from_json(ds.attrs["config"]) if ds.attrs.get("config") else None
    given = None if study is None else study.intensity.distribution
    if given is None or not is_cloud(ds):
        return None
    table, factor = given
    if not isinstance(table, Distribution) or isinstance(table, Stepped):
        return None
    return table.frozen, factor


@takes_path
def weighted_probability(
    ds: xr.Dataset, target: xr.Dataset | Mapping[str, Any], *, level: float = 0.95
) -> xr.Dataset:
    """Probability or annual rate of overturning from the weighted runs of a cloud study.

    Runs are weighted by the target density over that of their intensity (importance sampling). Intervals are
    Student's on the logarithm, with the totals of the records as units, and hold for new earthquakes.
    Undecided runs count both ways.

    Parameters
    ----------
    ds : Dataset
        Cloud study whose intensity has a continuous distribution, with all its runs.
    target : Dataset or mapping
        Hazard from `load_hazard`, whose mean curve is used, or a distribution of the intensity as a table of
        a study file, in SI units, such as ``{"distribution": "lognormal", ...}``.
    level : float
        Coverage of the interval [1].

    Returns
    -------
    Dataset
        `probability` [1], or `rate` [1/a] for a hazard, with `interval` (bound), NaN where nothing
        overturned; `effective_runs`, (sum w Y)^2 / sum (w Y)^2 of what overturned [1]; `runs` and
        `records`; `outside` [1, or 1/a], the part of the target beyond the intensities of the study;
        `proposal_median` [unit of the intensity] and `proposal_dispersion` [1], the lognormal distribution
        of the intensity nearest to the best one, NaN without a fragility curve.

    Raises
    ------
    ValueError
        If the study is not a cloud, its intensity has no density, runs are missing or ``level`` is outside
        (0, 1).
    HazardError
        If the hazard is of another intensity.
    """
    check_level(level)
    check_runs(ds)
    drawn = drawn_intensity(ds)
    if drawn is None:
        raise ValueError(
            "weights need a cloud study whose intensity has a continuous distribution, intensity.value"
        )
    spread, factor = drawn
    x = run_intensity(ds).values.astype(float)
    ends = factor * np.array([spread.ppf(TAIL), spread.isf(TAIL)])
    of_hazard = isinstance(target, xr.Dataset)
    if isinstance(target, xr.Dataset):
        check_measure(run_intensity(ds), target, own_measure(ds))
    weight = _density(target, x) / (spread.pdf(x / factor) / factor)
    readings = np.concatenate(
        [overturn_levels(part).readings for _, part, _ in read_slices(ds, (), False)], axis=-1
    )
    index, records = record_index(ds)
    index = np.arange(len(x)) if index is None else index
    found = [_estimate(weight * y, index, level) for y in readings]
    name, units = ("rate", "1/a") if of_hazard else ("probability", "1")
    low, high = found[ALL_STAND][1], found[ALL_OVERTURN][2]
    grid = np.geomspace(*_support(target), GRID)
    density = _density(target, grid)
    inside = (grid >= ends[0]) & (grid <= ends[1])
    whole, kept = (np.trapezoid(np.where(mask, density, 0.0), grid) for mask in (True, inside))
    centre, dispersion = _proposal(ds, grid, density)
    one = {"units": "1"}
    return xr.Dataset(
        {
            name: ((), found[ESTIMATE][0], {"units": units}),
            "interval": ("bound", [low, high], {"units": units}),
            "effective_runs": ((), _effective(weight * readings[ESTIMATE]), one),
            "runs": ((), len(x), one),
            "records": ((), records, one),
            "outside": ((), max(whole - kept, 0.0), {"units": units}),
            "proposal_median": ((), centre, {"units": run_intensity(ds).attrs.get("units", "1")}),
            "proposal_dispersion": ((), dispersion, one),
        },
        coords={"bound": BOUNDS},
        attrs={"level": level},
    )


def _effective(values: np.ndarray) -> float:
    """Number of equal values that would scatter as these do [1]; 0 if all are 0."""
    square = float((values**2).sum())
    return float(values.sum()) ** 2 / square if square > 0 else 0.0


def _estimate(values: np.ndarray, index: np.ndarray, level: float) -> tuple[float, float, float]:
    """Mean of values, and its interval with records as units."""
    n, total = np.bincount(index), np.bincount(index, values)
    mean = values.mean()
    units = len(n)
    if mean <= 0 or units < 2:
        return float(mean), np.nan, np.nan
    error = np.sqrt(units / (units - 1) * ((total - n * mean) ** 2).sum()) / n.sum()
    half = stdtrit(units - 1, (1 + level) / 2) * error / mean
    return float(mean), float(mean * np.exp(-half)), float(mean * np.exp(half))


def _frozen(target: Mapping[str, Any]) -> Any:
    parsed = OneOf("distribution", DISTRIBUTIONS).parse(dict(target))
    if isinstance(parsed, Stepped) or not isinstance(parsed, Distribution):
        raise ValueError(
            f"the target of weights must be a continuous distribution, got {target['distribution']!r}"
        )
    return parsed.frozen


def _support(target: xr.Dataset | Mapping[str, Any]) -> tuple[float, float]:
    """Where nearly all of the target is, above 0."""
    if isinstance(target, xr.Dataset):
        rows = target["hazard_intensity"].values
        return float(rows[0]), float(rows[-1])
    spread = _frozen(target)
    high = float(spread.isf(TAIL))
    return max(float(spread.ppf(TAIL)), 1e-6 * high), high


def _density(target: xr.Dataset | Mapping[str, Any], x: np.ndarray) -> np.ndarray:
    """Density of the target, or -dH/dx of its mean curve, log-log between the rows and 0 outside."""
    if not isinstance(target, xr.Dataset):
        return np.asarray(_frozen(target).pdf(x), float)
    rows = np.log(target["hazard_intensity"].values)
    rate = np.log(target["rate"].sel(hazard=MEAN).values)
    slope = -np.diff(rate) / np.diff(rows)
    z = np.log(np.maximum(x, np.finfo(float).tiny))
    segment = np.clip(np.searchsorted(rows, z, side="right") - 1, 0, len(slope) - 1)
    inside = (z >= rows[0]) & (z <= rows[-1])
    found: np.ndarray = np.where(inside, slope[segment] * np.exp(np.interp(z, rows, rate)) / np.exp(z), 0.0)
    return found


def _proposal(ds: xr.Dataset, grid: np.ndarray, density: np.ndarray) -> tuple[float, float]:
    """Median and dispersion of the lognormal distribution nearest to f sqrt(F)."""
    fit = fit_fragility(ds, resamples=1)
    median, dispersion = float(fit["median_capacity"]), float(fit["dispersion"])
    if not (np.isfinite([median, dispersion]).all() and dispersion > 0):
        return np.nan, np.nan
    z = np.log(grid)
    best = density * grid * np.sqrt(ndtr((z - np.log(median)) / dispersion))
    best = best / best.sum()
    mean = float((best * z).sum())
    return float(np.exp(mean)), float(np.sqrt((best * (z - mean) ** 2).sum()))
