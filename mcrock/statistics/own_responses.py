"""Responses of one's own: mean and quantiles of what a function of the user gives for every run."""

from __future__ import annotations

import warnings
from typing import Unpack

import numpy as np
import xarray as xr

from mcrock.base.params import Outcome
from mcrock.dataset.opened import takes_path
from mcrock.dataset.schema import own_names
from mcrock.statistics.inference import Confidence, ConfidenceKeywords, takes
from mcrock.statistics.intervals import student_interval
from mcrock.statistics.result_table import table
from mcrock.statistics.runs import axis_attrs, check_runs, is_cloud, record_index

SHARES = (0.05, 0.5, 0.95)  # of the runs below the quantiles


@takes_path
@takes(Confidence)
def own_responses(ds: xr.Dataset, **keywords: Unpack[ConfidenceKeywords]) -> xr.Dataset | None:
    """Mean and quantiles of each response of one's own, over the runs in which it is a number.

    Parameters
    ----------
    ds : Dataset
        Result of a study with responses ``own_NAME``; those of a cloud study are taken together.
    **keywords
        As for `overturning_probability`.

    Returns
    -------
    Dataset or None
        `mean` (response, intensity) with its `interval` (bound, response, intensity), Student's over the
        recordings and NaN with a single one, from 0 on at least where no run has a negative response, as
        then a time or distance has no negative mean and no coverage is lost; and `quantile` (share, response,
        intensity), in the units that `units` (response) names; `runs` (intensity) and `unknown` (response,
        intensity), runs in which the response is NaN [1]. None without such a response.

    Raises
    ------
    ValueError
        As `overturning_probability`.
    """
    how = Confidence(**keywords)
    check_runs(ds)
    names = own_names(ds)
    if not names:
        return None
    record, records = record_index(ds)
    unit = record if how.cluster and record is not None else np.arange(ds.sizes["realization"])
    n_unit, n = int(unit.max()) + 1, len(unit)
    done = (ds["outcome"].values != Outcome.NOT_RUN).reshape(n, -1)
    found: list[tuple[np.ndarray, ...]] = []
    for name in names:
        values = np.asarray(ds[name].values, float).reshape(n, -1)
        known = np.isfinite(values)
        total, runs = np.zeros((2, n_unit, values.shape[1]))
        np.add.at(total, unit, np.where(known, values, 0.0))
        np.add.at(runs, unit, known)
        with np.errstate(invalid="ignore"), warnings.catch_warnings(action="ignore"):  # where none is known
            mean, half = student_interval(total, runs, how.level)
            quantiles = np.nanquantile(np.where(known, values, np.nan), SHARES, axis=0)
        least = 0.0 if np.nanmin(values, initial=0.0) == 0.0 else -np.inf
        ends = np.stack([np.maximum(mean - half, least), mean + half])
        found.append((mean, ends, quantiles, (done & ~known).sum(axis=0)))
    mean, interval, quantiles, unknown = (np.stack(each, axis=-2) for each in zip(*found, strict=True))
    levels = {} if is_cloud(ds) else {"intensity": ("intensity", ds["intensity"].values, axis_attrs(ds))}
    of_runs = ("response", "intensity")
    return table(
        {
            "mean": (of_runs, mean),
            "interval": (("bound", *of_runs), interval),
            "quantile": (("share", *of_runs), quantiles),
            "unknown": (of_runs, unknown),
            "runs": ("intensity", done.sum(axis=0)),
            "records": ((), records),
            "units": ("response", [ds[name].attrs.get("units", "1") for name in names]),
        },
        coords={"response": names, "bound": ["lower", "upper"], "share": list(SHARES)} | levels,
        attrs=how.attrs(record),
    )
