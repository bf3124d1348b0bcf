"""Sensitivity of the outcomes to the time step: runs repeated at half the step."""

from __future__ import annotations

import numpy as np
import xarray as xr

from mcrock.base.params import STANDING, Outcome
from mcrock.dataset.opened import takes_path
from mcrock.statistics.intervals import check_level, wilson_interval
from mcrock.statistics.result_table import table
from mcrock.statistics.runs import slices


@takes_path
def step_check(ds: xr.Dataset, level: float = 0.95) -> xr.Dataset:
    """Fraction of the repeated runs whose outcome differs at half the time step.

    Single runs are chaotic, so some outcomes flip at any step; what matters is that as many flip one
    way as the other, so that the overturned fraction changes little.

    Parameters
    ----------
    ds : Dataset
        With `outcome` and `half_step_outcome` on the same dims.
    level : float
        Coverage of the interval [1].

    Returns
    -------
    Dataset
        `repeated` and `flipped`, numbers of runs; `share`, the fraction flipped, with its Wilson score
        `interval` (bound) [1]; `change`, the overturned fraction at half the step minus that at the full step
        [1]. NaN where nothing was repeated.

    Raises
    ------
    ValueError
        If `level` is outside (0, 1) or a variable is missing.
    """
    check_level(level)
    for name in ("outcome", "half_step_outcome"):
        if name not in ds:
            raise ValueError(f"the dataset has no variable {name!r}; is it the store of a mcrock study?")
    repeated = flipped = shift = 0
    for where in slices(ds):
        part = ds[["outcome", "half_step_outcome"]].isel(realization=where).load()
        first, second = part["outcome"].values, part["half_step_outcome"].values
        kept = (second != Outcome.NOT_RUN) & (first != Outcome.NOT_RUN)
        first, second = first[kept], second[kept]
        repeated += first.size
        flipped += int((_verdict(first) != _verdict(second)).sum())
        shift += int((second == Outcome.OVERTURNED).sum()) - int((first == Outcome.OVERTURNED).sum())
    lower, upper = wilson_interval(flipped, repeated, level)
    return table(
        {
            "repeated": ((), repeated, {"long_name": "runs repeated at half the step"}),
            "flipped": ((), flipped, {"long_name": "of these, runs that ended differently"}),
            "share": ((), flipped / repeated if repeated else np.nan),
            "interval": ("bound", [float(lower), float(upper)]),
            "change": ((), shift / repeated if repeated else np.nan),
        },
        coords={"bound": ["lower", "upper"]},
        attrs={"level": level},
    )


def _verdict(outcome: np.ndarray) -> np.ndarray:
    """0 undecided, 1 stands, 2 overturned."""
    return np.isin(outcome, STANDING) + 2 * (outcome == Outcome.OVERTURNED)
