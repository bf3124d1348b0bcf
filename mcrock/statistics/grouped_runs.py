"""Runs with the measures of their motions, those alike counted together.

At fixed levels all runs of a motion at a level have the same measures, so that a few hundred numbers stand
for any number of runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import xarray as xr

from mcrock.dataset.schema import declaration
from mcrock.statistics.efficiency import PREFIX, by_measure
from mcrock.statistics.resample import LogCells, Units
from mcrock.statistics.run_measures import (
    Asked,
    has_records,
    measure_name,
    measurer,
    missing_measures,
    with_measures,
)
from mcrock.statistics.runs import (
    Classes,
    count_runs,
    is_cloud,
    numbered,
    overturn_levels,
    read_slices,
    record_lots,
    run_intensity,
    slices,
)
from mcrock.study import Study
from mcrock.study.sampling import OF_MOTION

INPUTS = ("intensity_value", "record", "gravity", "motion_scaling", "body_slenderness", "body_frequency")
Measures = Mapping[str, np.ndarray]  # by name, of each run or group of runs


class Slice(NamedTuple):
    """Runs, or groups of runs of equal measures, that are read together."""

    measures: Measures  # (n,)
    runs: np.ndarray  # (n,) runs of each group
    overturned: np.ndarray  # (3, n) of them, by the readings of `Passed`
    record: np.ndarray  # (n,) recording, or lot of recordings


class WeighedRuns(NamedTuple):
    """Runs with their measures."""

    read: Callable[[], Iterator[Slice]]  # all of them, whenever it is called
    units_of: Mapping[str, str]  # units of the measures, by name
    records: int  # recordings, or lots

    def units(self, asked: Mapping[str, Callable[[Measures], np.ndarray]]) -> dict[str, Units]:
        """Counts of each recording over each measure, and over other intensities made of them, by name."""
        wanted = {name: lambda measures, name=name: measures[name] for name in self.units_of} | dict(asked)

        def intensities(part: Slice) -> Iterator[tuple[str, np.ndarray]]:
            return ((name, np.where(part.runs > 0, x(part.measures), 0.0)) for name, x in wanted.items())

        cells = {name: LogCells() for name in wanted}
        for part in self.read():
            for name, x in intensities(part):
                cells[name].see(x)
        tables = {name: np.zeros((4, self.records, found.size)) for name, found in cells.items()}
        for part in self.read():
            for name, x in intensities(part):
                place, table = cells[name].count(x), tables[name]
                cell = (part.record.astype(np.int64) * table.shape[2] + place)[place >= 0]
                for of, counts in zip(table, (part.runs, *part.overturned), strict=True):
                    of += np.bincount(cell, counts[place >= 0], minlength=of.size).reshape(of.shape)
        return {name: _units(cells[name], table) for name, table in tables.items()}


def _units(cells: LogCells, table: np.ndarray) -> Units:
    runs, *overturned = table[:, table[0].any(axis=1)][:, :, cells.filled]
    return Units(cells.centres, runs, np.stack(overturned), np.ones(len(runs), np.int64))


def weigh_runs(
    ds: xr.Dataset,
    measures: Sequence[Asked],
    allow_missing: bool,
    folder: str | Path = ".",
    *,
    under_body: bool = False,
) -> WeighedRuns:
    """Runs of a study, not nested, with measures as `with_measures` gives them; errors as there."""
    ds, names = ds.transpose("realization", ...), list(map(measure_name, measures))
    absent = missing_measures(ds, measures, under_body)
    computed = {item.name.removeprefix(PREFIX) for item in absent}
    units = {
        name: declaration(PREFIX + name).units
        if name in computed
        else str(_kept(ds, name).attrs.get("units", "1"))
        for name in names
    }
    if _alike(ds):
        group = _groups(ds, measures, allow_missing, folder, under_body)
        return WeighedRuns(lambda: iter([group]), units, int(group.record.max()) + 1)
    lots = record_lots(ds)
    measured = measurer(ds, absent, folder, under_body)
    read = tuple(str(name) for name in ds.data_vars if name in INPUTS or str(name).startswith(PREFIX))

    def parts() -> Iterator[Slice]:
        for where, part, there in read_slices(ds, read, allow_missing):
            found = {name.removeprefix(PREFIX): array.ravel() for name, array in measured(part).items()}
            for name in set(names) - computed:
                found[name] = np.broadcast_to(_kept(part, name).values, there.shape).ravel()
            counts = (overturn_levels(part).readings * there).reshape(3, -1)
            yield Slice(found, there.ravel(), counts, np.repeat(lots[where], there[0].size))

    return WeighedRuns(parts, units, int(lots.max()) + 1)


def _kept(ds: xr.Dataset, measure: str) -> xr.DataArray:
    """A measure that a study holds."""
    return run_intensity(by_measure(ds, measure) if is_cloud(ds) else ds)


def _groups(
    ds: xr.Dataset, measures: Sequence[Asked], allow_missing: bool, folder: str | Path, under_body: bool
) -> Slice:
    """All runs of a motion at a level as one group."""
    records, index = numbered(ds, "record")
    first = np.full(len(records), len(index))
    for where in slices(ds):
        here, place = np.unique(index[where], return_index=True)
        first[here] = np.minimum(first[here], where.start + place)
    level = ds["intensity"].values.astype(float)
    places = Classes(level, level, level, None)
    tally = count_runs(ds, overturn_levels, 1, places, index, allow_missing=allow_missing)
    ds = ds.isel(realization=first)
    runs, overturned = tally.runs.ravel(), tally.beyond.readings[..., 0].reshape(3, -1)
    cloud = with_measures(ds, measures, folder=folder, under_body=under_body)
    held = {
        name: PREFIX + name if PREFIX + name in cloud else "intensity_value"
        for name in map(measure_name, measures)
    }
    found = {name: cloud[variable].values for name, variable in held.items()}
    return Slice(found, runs, overturned, np.repeat(record_lots(ds), len(level)))


def _alike(ds: xr.Dataset) -> bool:
    """True if all runs of a motion at a level are shaken with the same strength."""
    if is_cloud(ds) or not has_records(ds) or "motion_scaling" in ds:
        return False
    return Study.from_json(ds.attrs["config"]).intensity.measure not in OF_MOTION
