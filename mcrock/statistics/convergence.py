"""Convergence with the number of realizations of the same motions, and with the time step."""

from __future__ import annotations

import numpy as np
import xarray as xr

from mcrock.base.params import STANDING, Outcome
from mcrock.dataset.opened import takes_path
from mcrock.statistics.intervals import check_level, wilson_interval
from mcrock.statistics.probability import CLASSES, intensity_coordinate
from mcrock.statistics.result_table import table
from mcrock.statistics.runs import (
    check_runs,
    count_runs,
    intensity_classes,
    overturn_levels,
    record_index,
    slices,
)

SIZES = 24  # at which a study is looked at
LEAST = 10  # realizations of the first of them


@takes_path
def size_convergence(ds: xr.Dataset, *, classes: int = CLASSES, allow_missing: bool = False) -> xr.Dataset:
    """Overturning probability from a growing number of the first realizations of a study.

    In random and Sobol designs the first realizations are a smaller study of the same kind. Where the
    probability settles, more realizations would change little; other recordings still may, which is what the
    interval of `overturning_probability` is for.

    Parameters
    ----------
    ds : Dataset
        As for `overturning_probability`.
    classes : int
        Number of bins, of equal numbers of runs, of a cloud study.
    allow_missing : bool
        Leave out runs that have not been run, rather than refuse.

    Returns
    -------
    Dataset
        `probability` (size, intensity) [1] from the first `size` realizations, whole rounds of the recordings
        where there are as many; NaN where none of them has a run. `change` (intensity) [1], that from the
        first half of the realizations to all of them.

    Raises
    ------
    ValueError
        If the dataset does not fit or holds runs not yet run.
    """
    check_runs(ds)
    places, n = intensity_classes(ds, classes), ds.sizes["realization"]
    index, records = record_index(ds)
    step = records if index is not None and n >= 2 * records else 1
    rounds = np.geomspace(max(1.0, min(LEAST, n) / step), n / step, SIZES)
    half = max(1, round(n / (2 * step))) * step
    sizes = np.unique(np.append(np.round(rounds[:-1]).astype(int) * step, [half, n]))
    sizes = sizes[(sizes > 0) & (sizes <= n)]
    # each ends where a size does
    block = np.repeat(np.arange(len(sizes), dtype=np.int8), np.diff(sizes, prepend=0))
    tally = count_runs(ds, overturn_levels, 1, places, block, allow_missing=allow_missing)
    runs = tally.runs.cumsum(axis=0)
    with np.errstate(invalid="ignore"):
        share = tally.beyond.estimate[..., 0].cumsum(axis=0) / runs
    change = share[-1] - share[np.searchsorted(sizes, half)]
    return table(
        {
            "probability": (("size", "intensity"), share, {"long_name": "overturning probability"}),
            "change": ("intensity", change, {"long_name": "from the first half to all"}),
        },
        coords={
            "size": ("size", sizes, {"units": "1", "long_name": "number of realizations"}),
            "intensity": intensity_coordinate(ds, places),
        },
    )


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
