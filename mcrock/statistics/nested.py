"""Nested studies: every outer draw meets the same realizations of everything else."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import xarray as xr

from mcrock.dataset.opened import takes_path
from mcrock.dataset.schema import OUTER
from mcrock.statistics.runs import SMALL, check_runs, is_given, overturn_levels, read_slices, record_groups

LOOK = 64  # realizations by which it is told what changes from draw to draw alone [1]
GROUPS = 64  # of realizations that share no motion, in place of records [1]


def is_nested(ds: xr.Dataset) -> bool:
    """True if a study has outer draws."""
    return OUTER in ds["outcome"].dims if "outcome" in ds else False


@takes_path
def pooled(ds: xr.Dataset) -> xr.Dataset:
    """The runs of all outer draws as one study.

    Its probabilities are over both kinds of uncertainty, the mean over the draws. Intervals count recordings
    and take the draws as given; `variance_shares` tells what another set of draws would change.

    Parameters
    ----------
    ds : Dataset
        Result of a study; one that is not nested is returned as it is.

    Returns
    -------
    Dataset
        Without the dimension `outer`: realizations of the first draw come first.
    """
    if not is_nested(ds):
        return ds
    chunks = [str(name) for name in ds.variables if "chunk" in ds[name].dims]
    of_run = [name for name in ds.data_vars if OUTER in ds[name].dims and name not in chunks]
    runs = ds[of_run] if ds[of_run].nbytes <= SMALL else ds[of_run].chunk({OUTER: 1})
    flat = runs.stack(run=(OUTER, "realization"), create_index=False)
    flat = flat.rename(run="realization")
    rest = ds.drop_vars([*of_run, *chunks]).drop_dims(["realization"], errors="ignore")
    order = [name for name in ds.data_vars if name in flat or name in rest]
    result = xr.merge([flat, rest], combine_attrs="drop_conflicts").assign_attrs(ds.attrs)
    return result[order].transpose("realization", ...)


def unknown_inputs(ds: xr.Dataset) -> dict[str, np.ndarray]:
    """Inputs that are one number for each outer draw, and differ between draws (n_outer,).

    What follows from them, such as the slenderness of a body of unknown width, is among them.
    """
    found = {}
    for name, array in ds.data_vars.items():
        there = array.dims == (OUTER, "realization") and array.dtype.kind == "f"
        if there and is_given(ds, str(name)):
            some = array.isel(realization=slice(LOOK)).values
            if (some == some[:, :1]).all() and len(np.unique(some[:, 0])) > 1:
                found[str(name)] = some[:, 0]
    return found


class Crossed(NamedTuple):
    """Outcomes of a nested study, with the realizations of a record side by side."""

    outcome: np.ndarray  # (3, n_outer, n_realization, n_intensity) uint8, twice the readings of `Passed`
    starts: np.ndarray  # (n_record,) first realization of each record
    has_records: bool  # False where realizations share no motion: groups of them stand for records

    @property
    def runs(self) -> np.ndarray:
        """Realizations of each record (n_record,)."""
        return np.diff(self.starts, append=self.outcome.shape[2])

    def cells(self, reading: int) -> np.ndarray:
        """Runs that overturned (n_outer, n_record, n_intensity), by one of the readings of `Passed`."""
        doubled = np.add.reduceat(self.outcome[reading], self.starts, axis=1, dtype=np.int64)
        return doubled / 2.0


def read_crossed(ds: xr.Dataset) -> Crossed:
    """Read the outcomes of a nested study.

    Raises
    ------
    ValueError
        If the study is not nested, the draws do not meet the same motions at fixed levels of the intensity,
        runs are missing, or there are fewer than two records.
    """
    if not is_nested(ds):
        raise ValueError(
            "the study is not nested: mark distributions with 'epistemic = true' and give 'ensemble.outer', "
            "the number of their draws"
        )
    if ds.sizes[OUTER] < 2:
        raise ValueError("a nested study needs at least 2 outer draws, got 1")
    if "record" in ds and not (ds["record"] == ds["record"].isel({OUTER: 0})).all():
        raise ValueError("the outer draws must meet the same records, and they do not")
    group = record_groups(ds.isel({OUTER: 0}), GROUPS)
    if len(np.unique(group)) < 2:
        raise ValueError("a nested study needs at least 2 recordings, or independent realizations")
    order = np.argsort(group, kind="stable")
    draws = []
    for k in range(ds.sizes[OUTER]):
        one = ds.isel({OUTER: k})
        check_runs(one)
        parts = [
            np.rint(2 * overturn_levels(part).readings).astype(np.uint8)
            for _, part, _ in read_slices(one, (), allow_missing=False)
        ]
        draws.append(np.concatenate(parts, axis=1)[:, order])
    starts = np.flatnonzero(np.diff(group[order], prepend=-1))
    return Crossed(np.stack(draws, axis=1), starts, "record" in ds)
