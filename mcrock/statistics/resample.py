"""Counts of runs per resampling unit: records, or single realizations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import xarray as xr

from mcrock.statistics.inference import Bootstrap
from mcrock.statistics.runs import (
    Classes,
    count_runs,
    is_cloud,
    overturn_levels,
    read_slices,
    run_intensity,
)

CELLS = 256  # places along the logarithm of a cloud's intensity
BATCH = 4_000_000  # numbers held at a time while drawing


class Units(NamedTuple):
    """Units grouped by equal counts, with the size of each group."""

    intensity: np.ndarray  # (n_intensity,) rising, > 0
    runs: np.ndarray  # (n_kind, n_intensity)
    sure: np.ndarray  # (n_kind, n_intensity) overturned
    possible: np.ndarray  # (n_kind, n_intensity) overturned or undecided
    copies: np.ndarray  # (n_kind,) number of units of the kind

    @property
    def number(self) -> int:
        """Number of units."""
        return int(self.copies.sum())

    def total(self, counts: np.ndarray) -> np.ndarray:
        """Counts of the whole sample (n_intensity,)."""
        return self.copies @ counts


def collect_units(ds: xr.Dataset, record: np.ndarray | None, allow_missing: bool) -> Units:
    """Reduce a study to counts, whose size does not depend on the number of runs.

    Records are counted per intensity. Without records, realizations of a stripe study are counted
    by the pattern of their outcomes over the stripes, single runs of a cloud by their place and
    outcome. A cloud with more than `CELLS` different intensities is cut into as many cells of equal
    width in ln(intensity), each at the mean of ln(intensity) over its runs: with w the width, the
    variance of a fitted curve, dispersion**2, grows by less than w**2 / 12 (for intensities over a
    factor of 100 w is 0.018, and a dispersion of 0.3 is off by 0.02 %). Runs at zero intensity are
    left out: a lognormal curve is 0 there whatever its parameters.
    """
    ds, record, places, _ = _laid_out(ds, record)
    if record is not None:
        tally = count_runs(ds, overturn_levels, 1, places, record, allow_missing=allow_missing)
        there = tally.runs.sum(axis=1) > 0
        runs, sure, possible = (
            c[there].astype(float) for c in (tally.runs, tally.sure[..., 0], tally.possible[..., 0])
        )
        return Units(places.centre, runs, sure, possible, np.ones(len(runs), np.int64))
    if is_cloud(ds):
        tally = count_runs(ds, overturn_levels, 1, places, None, allow_missing=allow_missing)
        yes, maybe = tally.sure[0, :, 0], (tally.possible - tally.sure)[0, :, 0]
        copies = np.concatenate([tally.runs[0] - yes - maybe, yes, maybe])
        one, none = np.eye(len(places.centre)), np.zeros((len(places.centre),) * 2)
        kinds = ((one, one, one), (none, one, none), (none, one, one))
        runs, sure, possible = (np.concatenate(kind)[copies > 0] for kind in kinds)
        return Units(places.centre, runs, sure, possible, copies[copies > 0])
    patterns, copies = _patterns(ds, allow_missing)
    return Units(
        places.centre,
        (patterns < 3).astype(float),
        (patterns == 1).astype(float),
        ((patterns == 1) | (patterns == 2)).astype(float),
        copies,
    )


def split_units(
    ds: xr.Dataset, option: np.ndarray, record: np.ndarray | None, allow_missing: bool
) -> list[Units]:
    """The units of a study, with the runs of each option of a choice by themselves.

    Parameters
    ----------
    ds, record, allow_missing
        As for `collect_units`.
    option : ndarray (n_realization,)
        Number of the option of each realization, from 0.

    Returns
    -------
    list of Units
        One for each option. All have the same units, so that a resample is one of the whole study; a unit
        has no runs where it has none of the option.
    """
    cloud, n = is_cloud(ds), int(option.max()) + 1
    ds, record, places, kept = _laid_out(ds, record)
    option = option[kept]
    if record is None and not cloud:
        kinds = [_patterns(ds.isel(realization=option == k), allow_missing) for k in range(n)]
        tables = [
            np.stack([patterns < 3, patterns == 1, (patterns == 1) | (patterns == 2)])
            for patterns, _ in kinds
        ]
        copies = np.concatenate([number for _, number in kinds])
    else:
        own = option if record is None else record * n + option
        tally = count_runs(ds, overturn_levels, 1, places, own, allow_missing=allow_missing)
        counts = np.stack([tally.runs, tally.sure[..., 0], tally.possible[..., 0]]).astype(float)
        counts = np.pad(counts, ((0, 0), (0, -counts.shape[1] % n), (0, 0)))
        if record is not None:
            split = counts.reshape(3, -1, n, counts.shape[-1])
            one = np.ones(split.shape[1], np.int64)
            runs, sure, possible = split
            return [Units(places.centre, runs[:, k], sure[:, k], possible[:, k], one) for k in range(n)]
        # single runs of a cloud: each place and outcome is a kind
        unit, none = np.eye(len(places.centre)), np.zeros((len(places.centre),) * 2)
        kind = np.stack(
            [np.concatenate(rows) for rows in ((unit, unit, unit), (none, unit, none), (none, unit, unit))]
        )
        runs, sure, possible = counts
        numbers = np.concatenate([runs - possible, sure, possible - sure], axis=1)
        tables, copies = [kind] * n, numbers.ravel().astype(np.int64)
    ends = np.cumsum([0, *(table.shape[1] for table in tables)])
    found = []
    for k, table in enumerate(tables):
        whole = np.zeros((3, ends[-1], table.shape[2]))
        whole[:, ends[k] : ends[k + 1]] = table
        runs, sure, possible = whole[:, copies > 0]
        found.append(Units(places.centre, runs, sure, possible, copies[copies > 0]))
    return found


def draw_units(units: Units, how: Bootstrap) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Draw all units again with replacement, ``how.resamples`` times.

    Yields
    ------
    tuple of ndarray (n_batch, n_intensity)
        Runs, overturned, and overturned or undecided.
    """
    rng, resamples = np.random.default_rng(how.seed), how.resamples
    share = units.copies / units.number
    batch = max(1, min(resamples, BATCH // len(share)))
    for start in range(0, resamples, batch):
        drawn = rng.multinomial(units.number, share, size=min(batch, resamples - start)).astype(float)
        yield drawn @ units.runs, drawn @ units.sure, drawn @ units.possible


def _laid_out(
    ds: xr.Dataset, record: np.ndarray | None
) -> tuple[xr.Dataset, np.ndarray | None, Classes, np.ndarray | slice]:
    """The runs at intensities > 0, their records, where they are counted, and which realizations they are."""
    x = run_intensity(ds).values.astype(float)
    positive = x > 0
    if not positive.any():
        raise ValueError("a fragility curve needs intensities > 0, and all are 0")
    if is_cloud(ds):
        own = None if record is None else np.unique(record[positive], return_inverse=True)[1]
        return ds.isel(realization=positive), own, _cells(x[positive]), positive
    order = np.flatnonzero(positive)[np.argsort(x[positive], kind="stable")]
    places = Classes(x[order], x[order], x[order], None)
    return ds.isel(intensity=order), record, places, slice(None)


def _cells(x: np.ndarray) -> Classes:
    """Each intensity by itself, or cells of equal width in the logarithm if there are too many."""
    values, index = np.unique(x, return_inverse=True)
    if len(values) > CELLS:
        z = np.log(x)
        width = np.ptp(z) / CELLS
        cell = np.minimum(((z - z.min()) / width).astype(np.int64), CELLS - 1)
        index = np.unique(cell, return_inverse=True)[1]
        values = np.exp(np.bincount(index, weights=z) / np.bincount(index))
    return Classes(values, values, values, index)


def _patterns(ds: xr.Dataset, allow_missing: bool) -> tuple[np.ndarray, np.ndarray]:
    """Different rows of outcomes over the stripes (0 survived, 1 overturned, 2 undecided, 3 missing)."""
    rows, numbers = [], []
    for _, part, there in read_slices(ds, (), allow_missing):
        sure, possible = overturn_levels(part)
        code = np.where(there, np.where(possible > sure, 2, sure), 3).astype(np.int8)
        row, number = np.unique(_packed(code), return_counts=True)
        rows.append(row)
        numbers.append(number)
    packed, index = np.unique(np.concatenate(rows), return_inverse=True)
    copies = np.bincount(index, weights=np.concatenate(numbers)).astype(np.int64)
    patterns = packed.view(np.int8).reshape(len(packed), -1)
    some = (patterns < 3).any(axis=1)
    return patterns[some], copies[some]


def _packed(rows: np.ndarray) -> np.ndarray:
    """Rows of bytes as one sortable item each."""
    return np.ascontiguousarray(rows).view(np.dtype((np.void, rows.shape[1]))).ravel()
