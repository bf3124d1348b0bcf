"""Incremental dynamic analysis: the intensity at which each realization first overturns.

Vamvatsikos, D. and Cornell, C. A. (2002). Incremental dynamic analysis. Earthquake Engineering and
Structural Dynamics 31(3), 491-514. Every realization of a stripe study meets every level, so that the study
is an incremental one too.
"""

from __future__ import annotations

import numpy as np
import xarray as xr

from mcrock.base.params import Outcome
from mcrock.dataset.opened import takes_path
from mcrock.statistics.result_table import table
from mcrock.statistics.runs import check_runs, is_cloud, run_intensity, slices, undecided


@takes_path
def capacities(ds: xr.Dataset) -> xr.Dataset:
    """Levels between which each realization first overturns, and whether it survives a stronger one.

    Rocking is not monotone: a body may survive a level above one that overturns it. Such realizations are
    said to be resurrected (Vamvatsikos and Cornell 2002); their number tells how much a capacity means.

    Parameters
    ----------
    ds : Dataset
        As for `overturning_probability`, with at least two levels.

    Returns
    -------
    Dataset
        On (realization): `capacity_low`, the strongest level survived below, 0 if there is none, and
        `capacity_high`, the weakest that overturns, inf if none does [unit of the intensity]; `resurrected`
        (bool). A realization with an undecided run at or below its first overturning has the capacities
        NaN, and is resurrected only if decided runs alone say so.

    Raises
    ------
    ValueError
        If the dataset does not fit, is a cloud study or has a single level.

    Examples
    --------
    >>> import numpy as np, xarray as xr
    >>> outcome = ("realization", "intensity"), np.array([[1, 3, 1, 3], [1, 1, 3, 3]], "i1")
    >>> ds = xr.Dataset({"outcome": outcome}, coords={"intensity": [1.0, 2.0, 3.0, 4.0]})
    >>> found = capacities(ds)
    >>> found["capacity_high"].values.tolist(), found["resurrected"].values.tolist()
    ([2.0, 3.0], [True, False])
    """
    check_runs(ds)
    if is_cloud(ds) or ds.sizes["intensity"] < 2:
        raise ValueError("capacities need a study in which every realization meets two levels or more")
    ds = ds.sortby("intensity")
    level = run_intensity(ds).values.astype(float)
    over = (ds["outcome"] == Outcome.OVERTURNED).transpose("realization", "intensity").values
    unknown = undecided(ds).transpose("realization", "intensity").values
    unknown |= (ds["outcome"] == Outcome.NOT_RUN).transpose("realization", "intensity").values
    over &= ~unknown
    stands = ~over & ~unknown
    first = np.where(over.any(axis=1), over.argmax(axis=1), len(level))
    doubtful = (unknown & (np.arange(len(level)) <= first[:, None])).any(axis=1)
    bounds = np.concatenate([[0.0], level, [np.inf]])
    attrs = {"units": run_intensity(ds).attrs.get("units", "1")}
    low, high = (np.where(doubtful, np.nan, ends) for ends in (bounds[first], bounds[first + 1]))
    later = stands & (np.arange(len(level)) > first[:, None])
    return table(
        {
            "capacity_low": ("realization", low, attrs | {"long_name": "strongest level survived below"}),
            "capacity_high": ("realization", high, attrs | {"long_name": "weakest level that overturns"}),
            "resurrected": ("realization", later.any(axis=1), {"units": "1"}),
        },
        coords={},
    )


def count_resurrected(ds: xr.Dataset) -> tuple[int, int]:
    """Realizations that overturn and survive a stronger motion, and all that have been run, in slices."""
    resurrected = total = 0
    for where in slices(ds):
        part = ds.isel(realization=where)
        there = (part["outcome"] != Outcome.NOT_RUN).any("intensity").values
        if there.any():
            resurrected += int(capacities(part.isel(realization=there))["resurrected"].sum())
            total += int(there.sum())
    return resurrected, total
