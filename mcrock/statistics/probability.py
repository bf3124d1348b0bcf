"""Probabilities of overturning and of exceeding a threshold, with intervals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Unpack

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from mcrock.dataset.opened import takes_path
from mcrock.statistics.inference import Confidence, ConfidenceKeywords, takes
from mcrock.statistics.intervals import interval_of_readings
from mcrock.statistics.limits import limit_levels, response, sources
from mcrock.statistics.result_table import table
from mcrock.statistics.runs import (
    Classes,
    Passed,
    axis_attrs,
    check_runs,
    count_runs,
    intensity_classes,
    is_cloud,
    overturn_levels,
    record_index,
)

BOUNDS = ["lower", "upper"]
CLASSES = 10  # intensity classes of a cloud study


@takes_path
@takes(Confidence)
def overturning_probability(
    ds: xr.Dataset, *, classes: int = CLASSES, **keywords: Unpack[ConfidenceKeywords]
) -> xr.Dataset:
    """Overturning probability at each intensity with its interval.

    The probability is that of a new ground motion of the same kind. Runs that share a recording are
    dependent, and the interval is `mcrock.statistics.intervals.clustered_interval`; with `cluster` False, or
    in a dataset without records, it is Wilson's, for independent runs. With `cluster` False the interval is
    conditional on the given records: it is the sampling error of the probability for these very records, and
    says nothing about other earthquakes. In the probability an undecided run counts as simulated, or as one
    half if the simulation broke off; the interval is the union of those with all undecided runs survived and
    with all overturned. Low-discrepancy designs are treated as random ones, which makes intervals too wide,
    if anything.

    Parameters
    ----------
    ds : Dataset
        `outcome` (realization, intensity), or (realization) with `intensity_value` (realization).
    classes : int
        Number of bins, of equal numbers of runs, of a cloud study; 1 gives the probability over
        the study's own distribution of intensity.
    **keywords
        Of `mcrock.statistics.Confidence`: `level`, `cluster` and `allow_missing`.

    Returns
    -------
    Dataset
        `probability` (intensity) and `interval` (bound, intensity) [1]; `runs`, `overturned`,
        `undecided` (intensity), numbers of runs; `records`, the number of recordings. `intensity` is in the
        unit of the study: its levels or, for a cloud study, the medians of the bins, whose ends are
        `intensity_range` (bound, intensity).

    Raises
    ------
    ValueError
        If the dataset does not fit, holds runs not yet run, or `level` is outside (0, 1).
    """
    result = _probability(ds, overturn_levels, 1, Confidence(**keywords), classes)
    return result.isel(threshold=0).rename(exceeding="overturned")


@takes_path
@takes(Confidence)
def exceedance_probability(
    ds: xr.Dataset,
    threshold: ArrayLike,
    variable: str = "peak_tilt_ratio",
    *,
    classes: int = CLASSES,
    **keywords: Unpack[ConfidenceKeywords],
) -> xr.Dataset:
    """Probability that an outcome variable exceeds a threshold, at each intensity, with its interval.

    Overturned runs exceed every threshold. Undecided runs exceed those they have already passed (a
    residual none) and may yet exceed the others, which widens the interval; if the simulation broke off
    they count half there. A run in doubt after infeasible impacts counts as simulated, but may have passed
    thresholds only through the guess: the store knows one peak for the whole run, not whether it came
    before the first such impact or after. It is in doubt at every threshold above 0. A tilt above 0,
    however, means that it rocked, and no impact comes before the first rocking: of threshold 0 there is no
    doubt. Intervals as in `overturning_probability`, with
    `cluster` False for the given records only.

    Parameters
    ----------
    ds : Dataset
        As for `overturning_probability`, with `variable` on the dims of `outcome`.
    threshold : array_like
        One threshold or several, in the unit of `variable`.
    variable : str
        Response that grows towards overturning, such as `peak_tilt_ratio` [1] or `slip_path` [m], or
        `residual_displacement` [m] or `residual_yaw` [rad], which are computed after the run.
    classes, **keywords
        As for `overturning_probability`.

    Returns
    -------
    Dataset
        As from `overturning_probability`, with `exceeding` for `overturned` and a first dimension
        `threshold` if several thresholds are given.

    Raises
    ------
    ValueError
        As `overturning_probability`; also if `variable` is missing or a threshold not finite.
    """
    values = np.atleast_1d(np.asarray(threshold, float))
    if values.ndim > 1 or values.size == 0 or not np.isfinite(values).all():
        raise ValueError(f"threshold must be one finite number or a list of them, got {threshold!r}")
    names, rising = sources(ds, variable), np.unique(values)

    def beyond(part: xr.Dataset) -> Passed:
        return limit_levels(part, variable, rising)

    result = _probability(ds, beyond, len(rising), Confidence(**keywords), classes, names=names)
    units = response(ds.isel(realization=slice(0, 1)), variable).attrs["units"]
    result = result.assign_coords(threshold=("threshold", rising, {"units": units, "long_name": variable}))
    result = result.isel(threshold=np.searchsorted(rising, values))
    result.attrs["variable"] = variable
    return result.isel(threshold=0) if np.ndim(threshold) == 0 else result


def intensity_coordinate(ds: xr.Dataset, places: Classes) -> tuple[str, np.ndarray, dict[str, Any]]:
    """Coordinate `intensity` of a result counted at `places`, with the attributes of the study's."""
    return "intensity", places.centre, axis_attrs(ds)


def level_bounds(points: xr.Dataset) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Weakest and strongest intensity of each class of `overturning_probability`, and the interval there."""
    lower, upper = points["interval"].transpose("bound", "intensity").values
    weakest = strongest = points["intensity"].values
    if "intensity_range" in points:
        weakest, strongest = points["intensity_range"].values
    return weakest, strongest, lower, upper


def rising_bounds(points: xr.Dataset, x: np.ndarray) -> np.ndarray:
    """Bounds (2, n_grid) of all rising curves through the intervals of `overturning_probability`."""
    weakest, strongest, lower, upper = level_bounds(points)
    least = np.where(strongest <= x[:, None], lower, 0.0).max(axis=1)
    most = np.where(weakest >= x[:, None], upper, 1.0).min(axis=1)
    open_ended = least > most  # overturning falls beyond doubt: nothing rises through all intervals
    least, most = np.where(open_ended, 0.0, least), np.where(open_ended, 1.0, most)
    return np.stack([least, np.where(x > 0, most, 0.0)])


def _probability(
    ds: xr.Dataset,
    beyond: Callable[[xr.Dataset], Passed],
    levels: int,
    how: Confidence,
    classes: int,
    names: tuple[str, ...] = (),
) -> xr.Dataset:
    """Probabilities and intervals on (threshold, intensity) of passing some rising levels."""
    check_runs(ds)
    if classes < 1:
        raise ValueError(f"classes must be at least 1 [1], got {classes!r}")
    record, records = record_index(ds)
    places = intensity_classes(ds, classes)
    grouping = record if how.cluster else None
    tally = count_runs(ds, beyond, levels, places, grouping, names=names, allow_missing=how.allow_missing)
    runs = tally.runs.sum(axis=0)
    sure, possible, estimate = np.moveaxis(tally.beyond.readings, -1, 2)  # record, level, class
    clustered = grouping is not None
    ends = interval_of_readings(sure, possible, tally.runs[:, None], how.level, clustered=clustered)
    yes, doubt = (x.sum(axis=0).astype(np.int64) for x in (sure, possible - sure))
    with np.errstate(invalid="ignore"):
        probability = estimate.sum(axis=0) / runs
    dims = ("threshold", "intensity")
    result = table(
        {
            "probability": (dims, probability, {"long_name": "probability"}),
            "interval": (("bound", *dims), ends),
            "runs": ("intensity", runs),
            "exceeding": (dims, yes, {"long_name": "runs that exceed the threshold"}),
            "undecided": (dims, doubt, {"long_name": "undecided runs"}),
            "records": ((), records),
        },
        coords={"bound": BOUNDS, "intensity": intensity_coordinate(ds, places)},
        attrs={
            **how.attrs(record),
            "shared": int("record" in ds),  # whether realizations share ground motions
            "method": "Gaffke's bounds on the fractions of the records" if clustered else "Wilson",
        },
    )
    if is_cloud(ds):
        result["intensity_range"] = (("bound", "intensity"), np.stack([places.lower, places.upper]))
        result["intensity_range"].attrs = dict(result["intensity"].attrs)
    return result
