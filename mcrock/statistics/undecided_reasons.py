"""Reasons of undecided runs."""

from __future__ import annotations

import numpy as np
import xarray as xr

from mcrock.base.params import Outcome
from mcrock.dataset.opened import takes_path
from mcrock.statistics.result_table import table
from mcrock.statistics.runs import NOT_DECIDED, check_runs, guessed, read_slices

GUESS = "infeasible_impact"  # the reason of runs whose outcome rests on a guess
REASONS = (GUESS, *(outcome.name.lower() for outcome in NOT_DECIDED))


@takes_path
def undecided_runs(ds: xr.Dataset, *, allow_missing: bool = False) -> xr.Dataset:
    """Numbers of undecided runs by reason.

    Parameters
    ----------
    ds : Dataset
        As for `overturning_probability`.
    allow_missing : bool
        Leave out runs that have not been run, rather than refuse.

    Returns
    -------
    Dataset
        `runs` (reason), and `overturned` (reason), how many of them overturned as simulated [1]. A reason is
        "infeasible_impact", where the outcome rests on a guess, or the outcome of a run that broke off, such
        as "rocking" or "step_limit".

    Raises
    ------
    ValueError
        If the dataset does not fit or holds runs not yet run.

    Examples
    --------
    >>> outcome = ("realization", "intensity"), np.array([[1, 2, 3, 2]], "i1")
    >>> ds = xr.Dataset({"outcome": outcome}, coords={"intensity": [1.0, 2.0, 3.0, 4.0]})
    >>> int(undecided_runs(ds)["runs"].sel(reason="rocking"))
    2
    """
    check_runs(ds)
    runs, fell = np.zeros((2, len(REASONS)), np.int64)
    for _, part, there in read_slices(ds, (), allow_missing):
        outcome, guess = part["outcome"].values, guessed(part).values
        for k, reason in enumerate(REASONS):
            of = guess if reason == GUESS else (outcome == Outcome[reason.upper()]) & ~guess
            runs[k] += (of & there).sum()
            fell[k] += (of & (outcome == Outcome.OVERTURNED)).sum()
    return table(
        {
            "runs": ("reason", runs, {"long_name": "number of undecided runs"}),
            "overturned": ("reason", fell, {"long_name": "of these, overturned as simulated"}),
        },
        coords={"reason": list(REASONS)},
    )
