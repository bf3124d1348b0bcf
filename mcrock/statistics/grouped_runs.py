"""Runs with the measures of their motions, those alike counted together.

At fixed levels all runs of a motion at a level have the same measures, so that a few hundred numbers stand
for any number of runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import xarray as xr

from mcrock.statistics.efficiency import by_measure
from mcrock.statistics.resample import Units, place_in_cells
from mcrock.statistics.run_measures import Asked, has_records, with_measures
from mcrock.statistics.runs import (
    Classes,
    count_runs,
    cut,
    is_cloud,
    numbered,
    overturn_levels,
    read_slices,
    record_lots,
    slices,
)
from mcrock.study import Study
from mcrock.study.sampling.intensities import OF_MOTION


class WeighedRuns(NamedTuple):
    """Runs, or groups of runs of equal measures."""

    cloud: xr.Dataset  # of runs that stand for the groups, with their measures
    runs: np.ndarray  # (n_group,) runs of each group
    overturned: np.ndarray  # (3, n_group) of them, by the readings of `Passed`
    record: np.ndarray  # (n_group,) recording, or lot of recordings

    def values(self, measure: str) -> np.ndarray:
        """A measure of each group (n_group,)."""
        found: np.ndarray = by_measure(self.cloud, measure)["intensity_value"].values
        return found

    def units_of(self, measure: str) -> str:
        """Units of a measure."""
        return str(by_measure(self.cloud, measure)["intensity_value"].attrs.get("units", "1"))

    def units(self, x: np.ndarray) -> Units:
        """Counts of each recording over some intensities (n_group,) of the groups."""
        x = np.where(self.runs > 0, x, 0.0)
        places = place_in_cells(x.__getitem__, len(x))
        assert places.of_run is not None
        shape = int(self.record.max()) + 1, len(places.centre)
        tables = np.zeros((4, *shape))
        for where in cut(len(x)):
            place = places.of_run[where]
            cell = self.record[where].astype(np.int64) * shape[1] + place
            for table, counts in zip(tables, (self.runs, *self.overturned), strict=True):
                weights = counts[where][place >= 0]
                table += np.bincount(cell[place >= 0], weights, minlength=table.size).reshape(shape)
        runs, *overturned = tables[:, tables[0].any(axis=1)]
        return Units(places.centre, runs, np.stack(overturned), np.ones(len(runs), np.int64))


def weigh_runs(
    ds: xr.Dataset,
    measures: Sequence[Asked],
    allow_missing: bool,
    folder: str | Path = ".",
    *,
    under_body: bool = False,
) -> WeighedRuns:
    """Runs of a study, not nested, with measures as `with_measures` gives them."""
    ds = ds.transpose("realization", ...)
    if _alike(ds):
        records, index = numbered(ds, "record")
        first = np.full(len(records), len(index))
        for where in slices(ds):
            here, place = np.unique(index[where], return_index=True)
            first[here] = np.minimum(first[here], where.start + place)
        level = ds["intensity"].values.astype(float)
        places = Classes(level, level, level, None)
        tally = count_runs(ds, overturn_levels, 1, places, index, allow_missing=allow_missing)
        ds = ds.isel(realization=first)
        runs, overturned = tally.runs, tally.beyond.readings[..., 0]
        group = np.repeat(record_lots(ds), len(level))
        cloud = with_measures(ds, measures, folder=folder, under_body=under_body)
        return WeighedRuns(cloud, runs.ravel(), overturned.reshape(3, -1), group)
    cloud = with_measures(ds, measures, folder=folder, under_body=under_body)
    counts = [
        np.concatenate([there[None], overturn_levels(part).readings * there]).astype(np.float16)
        for _, part, there in read_slices(cloud, (), allow_missing)
    ]
    tables: np.ndarray = np.concatenate(counts, axis=1)
    return WeighedRuns(cloud, tables[0], tables[1:], record_lots(cloud))


def _alike(ds: xr.Dataset) -> bool:
    """True if all runs of a motion at a level are shaken with the same strength."""
    if is_cloud(ds) or not has_records(ds) or "motion_scaling" in ds:
        return False
    return Study.from_json(ds.attrs["config"]).intensity.measure not in OF_MOTION
