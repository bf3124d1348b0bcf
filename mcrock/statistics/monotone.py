"""Fragility without a formula: rising fractions, and what no realization needs a run for.

A body on the ground at rest does not rock before the horizontal acceleration reaches ``tan(alpha)`` times
the acceleration that holds it down. Below that intensity, the static threshold of a realization, no run is
needed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from mcrock.dataset.opened import takes_path
from mcrock.statistics.accepted_curve import rising_band
from mcrock.statistics.fragility import PROBABILITIES
from mcrock.statistics.inference import Confidence, ConfidenceKeywords, takes
from mcrock.statistics.limits import EVENT
from mcrock.statistics.nested import pooled
from mcrock.statistics.probability import BOUNDS, overturning_probability, rising_bounds
from mcrock.statistics.resample import collect_units, curve_grid
from mcrock.statistics.result_table import table
from mcrock.statistics.rising import rising_curve
from mcrock.statistics.run_measures import static_thresholds
from mcrock.statistics.runs import axis_attrs, check_runs, record_index


@takes_path
@takes(Confidence)
def monotone_fragility(
    ds: xr.Dataset,
    *,
    grid: ArrayLike | None = None,
    folder: str | Path = ".",
    **keywords: Unpack[ConfidenceKeywords],
) -> xr.Dataset:
    """Fragility that rises through the fractions of the levels, with the static thresholds.

    It is the curve behind every number by the fractions (`mcrock.statistics.rising.RisingCurve`): isotonic
    fractions of the levels, probit-linear in ln(intensity) between them, 0 below the weakest.

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
        if not known; `reached` (probability) [unit of the intensity], where the curve has 1, 5 and 50 %, inf
        where it has not, and `reached_below` (probability), whether the weakest level has more already, so
        that the true intensity lies below it.

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
    curve = rising_curve(units)
    static = None if EVENT in ds.attrs else static_thresholds(ds, folder=folder)
    at = curve_grid(units, grid)
    value = curve.at(at)
    points = overturning_probability(ds, **how.keywords)
    band = rising_band(rising_bounds(points, at), value)
    axis = axis_attrs(ds)
    ends = [np.nan, np.nan] if static is None else [static.min(), static.max()]
    one = {"units": "1"}
    return table(
        {
            "curve": ("intensity_grid", value),
            "band": (("bound", "intensity_grid"), band),
            "level_fraction": ("intensity", curve.counted),
            "rising_fraction": ("intensity", curve.fraction),
            "reached": ("probability", [curve.reached(p) for p in PROBABILITIES], axis),
            "reached_below": ("probability", [curve.is_open(p) for p in PROBABILITIES]),
            "static_threshold": ("bound", ends, axis | {"long_name": "intensity below which nothing rocks"}),
            "records": ((), records),
        },
        coords={
            "bound": BOUNDS,
            "intensity_grid": ("intensity_grid", at, axis),
            "intensity": curve.level,
            "probability": ("probability", list(PROBABILITIES), one),
        },
        attrs=how.attrs(record),
    )
