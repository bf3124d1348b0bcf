"""Two studies run by run: whether their runs are pairs, and how many of each record overturned in either.

Runs are pairs where both studies draw the same numbers for everything that they have in common: recordings,
azimuths and strength of the shaking first of all. What the recordings do is then the same in both, and drops
out of their difference.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import xarray as xr

from mcrock.base.checks import ROUNDING
from mcrock.dataset.create import differing_keys
from mcrock.dataset.schema import OUTER
from mcrock.statistics.efficiency import own_measure
from mcrock.statistics.nested import GROUPS
from mcrock.statistics.runs import (
    Classes,
    check_runs,
    config_of,
    is_cloud,
    overturn_levels,
    read_slices,
    record_groups,
    run_intensity,
    study_of,
)
from mcrock.study.sampling import OF_MOTION, variable_name

OF_SHAKING = ("record", "azimuth", "polarity", "intensity_value", "own_intensity")
OF_MOTIONS = ("motion_name", "motion_group", "motion_intensity")
WITHOUT_RUNS = (
    "title",
    "description",
    "limits",
    "report",
    "ensemble",
)  # of a study file: no run depends on them


class PairingError(ValueError):
    """Two studies whose runs are not pairs."""


def check_pairs(first: xr.Dataset, second: xr.Dataset) -> None:
    """Refuse two studies whose runs are not pairs.

    Raises
    ------
    PairingError
        If they differ in their size, in a number that both draw alike, in the recordings or their
        intensities, or if the intensity depends on the body and the bodies differ.
    """
    if sum("intensity_measure" in ds.attrs and "config" not in ds.attrs for ds in (first, second)) == 1:
        raise PairingError(
            "one is a study of mcrock and the other a table of outcomes: nothing says that their runs were "
            "drawn alike; write the runs of the study that are pairs to a table too (`mcrock export --as "
            "outcomes`)"
        )
    for name in (OUTER, "realization", "motion"):
        sizes = [ds.sizes.get(name, 1) for ds in (first, second)]
        if sizes[0] != sizes[1]:
            raise PairingError(
                f"the studies have {sizes[0]} and {sizes[1]} of the dimension {name!r}: runs are compared "
                "pair by pair; extend the smaller one (`mcrock run --extend`)"
            )
    if is_cloud(first) != is_cloud(second):
        raise PairingError("one study has fixed levels of the intensity and the other one is a cloud")
    if first.attrs.get("seed") != second.attrs.get("seed"):
        seeds = f"{first.attrs.get('seed')} and {second.attrs.get('seed')}"
        raise PairingError(f"the studies have the seeds {seeds}: give both the same")
    for name in OF_MOTIONS:
        if name in first and name in second and not _same(first[name], second[name]):
            raise PairingError(f"the studies differ in {name}: their runs do not have the same recordings")
    _check_measure(first, second)
    for name in OF_SHAKING:
        if name in first and name in second and not _same(first[name], second[name]):
            raise PairingError(
                f"the studies differ in {name}: their runs are not shaken alike. A Sobol design or "
                "hypercube moves when an uncertain input is added; ensemble.design = 'random' does not"
            )
    for name in _drawn_in_both(first, second):
        if not _same_order(first[name], second[name]):
            raise PairingError(
                f"the studies draw other numbers for {name}: with ensemble.design = 'random' every input "
                "has a stream of its own"
            )


def _same(first: xr.DataArray, second: xr.DataArray) -> bool:
    a, b = first.values, second.values
    if a.shape != b.shape or "f" not in a.dtype.kind + b.dtype.kind:
        return np.array_equal(a, b)
    return np.allclose(a, b, rtol=ROUNDING, atol=0.0, equal_nan=True)


def _same_order(first: xr.DataArray, second: xr.DataArray) -> bool:
    """True if two inputs come of the same quantiles: one rises where the other does."""
    a, b = first.values.ravel(), second.values.ravel()
    order = np.lexsort((b, a))
    return bool((np.diff(b[order]) >= 0).all())


def _drawn_in_both(first: xr.Dataset, second: xr.Dataset) -> list[str]:
    """Variables of inputs that both studies draw from a distribution."""
    names = []
    for ds in (first, second):
        study = study_of(ds)
        names.append({variable_name(name) for name in study.uncertain} if study is not None else set())
    shared = (name for name in sorted(names[0] & names[1]) if name in first and name in second)
    return [name for name in shared if first[name].dtype.kind == "f" and first[name].notnull().all()]


def _check_measure(first: xr.Dataset, second: xr.Dataset) -> None:
    """Refuse an intensity that is another one, or that contains bodies that differ."""
    tables = [config_of(ds) for ds in (first, second)]
    asked = [
        {
            key: item
            for key, item in table.get("intensity", {}).items()
            if not key.startswith(("levels", "value"))
        }
        for table in tables
    ]
    if asked[0] != asked[1]:
        raise PairingError(
            "the studies scale their motions to different intensities, so the same level differs"
        )
    own = [f"{own_measure(ds)} [{run_intensity(ds).attrs.get('units', '1')}]" for ds in (first, second)]
    if own[0] != own[1]:
        raise PairingError(f"the studies have the intensities {' and '.join(own)}: give both the same")
    measure = asked[0].get("measure")
    if measure in OF_MOTION and tables[0].get("body") != tables[1].get("body"):
        raise PairingError(
            f"the intensity {measure!r} contains the body, and the bodies differ: the same level is another "
            f"motion; take {OF_MOTION[measure]!r} as intensity.measure"
        )


def what_differs(first: xr.Dataset, second: xr.Dataset) -> list[tuple[str, object, object]]:
    """Dotted keys of the study file, with both values, in which two studies differ in what is run."""
    found = differing_keys(config_of(first), config_of(second))
    return [
        item for item in found if not item[0].startswith(WITHOUT_RUNS) and "intensity.level" not in item[0]
    ]


class Pairs(NamedTuple):
    """Numbers of runs by record and place along the intensity."""

    runs: np.ndarray  # (n_record, n_class)
    first: np.ndarray  # (3, n_record, n_class) overturned, by the readings of `Passed`
    second: np.ndarray  # (3, n_record, n_class)
    only_first: np.ndarray  # (n_class,) pairs of which the run of one study alone overturned, as simulated
    only_second: np.ndarray  # (n_class,)


def count_pairs(first: xr.Dataset, second: xr.Dataset, places: Classes) -> Pairs:
    """Count the runs of two studies that `check_pairs` has passed, at the same intensities.

    Records that are independent realizations are dealt into groups, each counted as one.
    """
    for ds in (first, second):
        check_runs(ds)
    record = record_groups(first, GROUPS)
    shape = int(record.max()) + 1, len(places.centre)
    totals, only = np.zeros((7, *shape)), np.zeros((2, shape[1]))
    slices = zip(*(read_slices(ds, (), allow_missing=False) for ds in (first, second)), strict=True)
    for (where, part, _), (_, other, _) in slices:
        index = np.arange(shape[1]) if places.of_run is None else places.of_run[where]
        row = record[where].astype(np.int64)
        cell = (row[:, None] if places.of_run is None else row) * shape[1] + index
        counted = [overturn_levels(each).readings.reshape(3, *cell.shape) for each in (part, other)]
        for total, values in zip(totals, [np.ones(cell.shape), *counted[0], *counted[1]], strict=True):
            total += np.bincount(cell.ravel(), values.ravel(), minlength=total.size).reshape(shape)
        at = np.broadcast_to(index, cell.shape).ravel()
        fell = [each[2].ravel() for each in counted]
        for total, alone in zip(only, (fell[0] - fell[1], fell[1] - fell[0]), strict=True):
            total += np.bincount(at, np.maximum(alone, 0), minlength=shape[1])
    there = totals[0].any(axis=1)
    return Pairs(totals[0, there], totals[1:4, there], totals[4:, there], *only)
