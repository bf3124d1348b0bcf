"""Fragility without a formula: rising fractions, and zero below what any realization needs to rock at all.

A body on the ground at rest does not rock before the horizontal acceleration reaches ``tan(alpha)`` times
the acceleration that holds it down. Below that intensity, the static threshold of a realization, no run is
needed. A realization that first overturns at a level has its capacity between the level below, or its static
threshold, and that level.

Barlow, R. E., Bartholomew, D. J., Bremner, J. M. and Brunk, H. D. (1972). Statistical inference under order
restrictions. Wiley (isotonic regression).
"""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike
from scipy.optimize import isotonic_regression

from mcrock.dataset.opened import takes_path
from mcrock.params import Outcome
from mcrock.statistics.fragility import curve_grid, rising_bounds
from mcrock.statistics.inference import Confidence, ConfidenceKeywords, takes
from mcrock.statistics.limits import EVENT
from mcrock.statistics.nested import pooled
from mcrock.statistics.probability import BOUNDS, overturning_probability
from mcrock.statistics.resample import collect_units
from mcrock.statistics.run_measures import static_thresholds
from mcrock.statistics.runs import ESTIMATE, check_runs, is_cloud, record_index, run_intensity

CLOSE = 1e-9  # of ln(intensity)


@takes_path
@takes(Confidence)
def monotone_fragility(
    ds: xr.Dataset,
    *,
    grid: ArrayLike | None = None,
    folder: str | Path = ".",
    **keywords: Unpack[ConfidenceKeywords],
) -> xr.Dataset:
    """Fragility that rises through the fractions of the levels and is zero below the static thresholds.

    The fractions are made rising by isotonic regression (Barlow et al. 1972). Between two levels the curve
    rises by the realizations that first overturn at the upper one, each spread evenly over ln(intensity) from
    the lower level, or from its static threshold if that is higher; below the lowest level from the static
    threshold. In a cloud study straight lines in ln(intensity) join the rising fractions. Where no threshold
    is known the curve is zero below the lowest level.

    Parameters
    ----------
    ds : Dataset
        As for `fit_fragility`; the runs of a nested study are pooled.
    grid : array_like, optional
        Rising intensities of the curve, in the unit of the intensity; by default as for `fit_fragility`.
    folder : str or Path
        Folder that the names of record files start from.
    **keywords
        Of `mcrock.statistics.Confidence`: `level`, `cluster` and `allow_missing`.

    Returns
    -------
    Dataset
        `curve` (intensity_grid) [1]; `band` (bound, intensity_grid) [1], the envelope of all rising curves
        through the intervals of `overturning_probability`, which are for new earthquakes; `level_fraction`
        and `rising_fraction` (intensity) [1], as counted and made rising (in a cloud study at its cells);
        `static_threshold` (bound) [unit of the intensity], the least and the largest of the realizations, NaN
        if not known.

    Raises
    ------
    ValueError
        As `fit_fragility`.
    ConfigError
        If the records cannot be read.
    """
    how = Confidence(**keywords)
    ds = pooled(ds)
    check_runs(ds)
    record, records = record_index(ds)
    units = collect_units(ds, record if how.cluster else None, how.allow_missing)
    runs, yes = units.total(units.runs), units.total(units.overturned[ESTIMATE])
    there = runs > 0
    x, share = units.intensity[there], yes[there] / runs[there]
    rising = isotonic_regression(share, weights=runs[there]).x
    static = None if EVENT in ds.attrs else static_thresholds(ds, folder=folder)
    at = curve_grid(units, grid)
    if is_cloud(ds):
        curve = np.where(at < x[0], 0.0, np.interp(np.log(np.maximum(at, x[0])), np.log(x), rising))
        curve[at < (0.0 if static is None else static.min())] = 0.0
    else:
        curve = _between(at, x, rising, _starts(ds, x, static))
    points = overturning_probability(ds, **how.keywords)
    axis = {key: value for key, value in run_intensity(ds).attrs.items() if key in ("units", "long_name")}
    ends = [np.nan, np.nan] if static is None else [static.min(), static.max()]
    one = {"units": "1"}
    return xr.Dataset(
        {
            "curve": ("intensity_grid", curve, one | {"long_name": "overturning probability"}),
            "band": (("bound", "intensity_grid"), rising_bounds(points, at), one),
            "level_fraction": ("intensity", share, one),
            "rising_fraction": ("intensity", rising, one),
            "static_threshold": ("bound", ends, axis | {"long_name": "intensity below which nothing rocks"}),
            "records": ((), records, one | {"long_name": "number of independent recordings"}),
        },
        coords={"bound": BOUNDS, "intensity_grid": ("intensity_grid", at, axis), "intensity": x},
        attrs={
            "level": how.level,
            "independent": "records" if how.cluster and record is not None else "realizations",
        },
    )


def _starts(ds: xr.Dataset, x: np.ndarray, static: np.ndarray | None) -> list[np.ndarray]:
    """For each level the intensities above which those realizations overturn that first do so there."""
    order = np.argsort(ds["intensity"].values, kind="stable")
    order = order[np.isin(ds["intensity"].values[order], x)]
    outcome = ds["outcome"].transpose("realization", "intensity").values[:, order]
    over = outcome == Outcome.OVERTURNED
    first = np.where(over.any(axis=1), over.argmax(axis=1), len(x))
    starts = []
    for k in range(len(x)):
        below = x[k - 1] if k else 0.0
        low = np.full((first == k).sum(), below) if static is None else np.maximum(below, static[first == k])
        starts.append(low[low < x[k]])
    return starts


def _between(at: np.ndarray, x: np.ndarray, rising: np.ndarray, starts: list[np.ndarray]) -> np.ndarray:
    """The curve at some intensities: the fractions at the levels, and what is known between them."""
    curve, z = np.zeros(len(at)), np.log(x)
    before = np.concatenate([[0.0], rising[:-1]])
    with np.errstate(divide="ignore"):
        log_at = np.log(at)
    for k in range(len(x)):
        inside = (log_at < z[k] - CLOSE) & ((log_at >= z[k - 1] - CLOSE) if k else True)
        low = starts[k][starts[k] > 0]
        if not low.size and k:
            low = x[k - 1 : k]
        part = np.zeros(inside.sum())
        if low.size:
            part = _mean_rise(log_at[inside], np.log(low), z[k])
        curve[inside] = before[k] + (rising[k] - before[k]) * part
    curve[log_at >= z[-1] - CLOSE] = rising[-1]
    return curve


def _mean_rise(at: np.ndarray, low: np.ndarray, high: float) -> np.ndarray:
    """Mean over distributions that are uniform from each of ``low`` to ``high``, at some places (n_at,)."""
    values, number = np.unique(low, return_counts=True)
    found: np.ndarray = np.clip((at[:, None] - values) / (high - values), 0.0, 1.0) @ number / number.sum()
    return found
