"""Counts of runs per resampling unit: records, or single realizations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from mcrock.statistics.inference import Bootstrap
from mcrock.statistics.probit import PROBIT, Curves, Link, fit_curves
from mcrock.statistics.runs import (
    ESTIMATE,
    Classes,
    Tally,
    count_runs,
    cut,
    intensities,
    is_cloud,
    labelled,
    overturn_levels,
    read_slices,
)

KINDS = np.array(  # of runs, by doubt, and how often each counts in the readings of `Passed`
    [
        [0.0, 0.0, 0.0],  # survived
        [0.0, 1.0, 0.0],  # survived after a guess
        [0.0, 1.0, 0.5],  # broke off
        [0.0, 1.0, 1.0],  # overturned after a guess
        [1.0, 1.0, 1.0],  # overturned
    ]
)
MISSING = len(KINDS)
GRID = 200  # intensities of a curve by default
CELLS = 256  # places along the logarithm of a cloud's intensity
NO_INTENSITY = "a fragility curve needs intensities > 0, and all are 0"
BATCH = 4_000_000  # numbers held at a time while drawing


class Units(NamedTuple):
    """Units grouped by equal counts, with the size of each group."""

    intensity: np.ndarray  # (n_intensity,) rising, > 0
    runs: np.ndarray  # (n_kind, n_intensity)
    overturned: np.ndarray  # (3, n_kind, n_intensity) of them, by the readings of `Passed`
    copies: np.ndarray  # (n_kind,) number of units of the kind

    @property
    def number(self) -> int:
        """Number of units."""
        return int(self.copies.sum())

    def total(self, counts: np.ndarray) -> np.ndarray:
        """Counts (..., n_kind, n_intensity) summed over the whole sample (..., n_intensity)."""
        return self.copies @ counts

    def sums(self, reading: int = ESTIMATE) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Intensities with runs, overturned runs and all runs there, of the whole sample (n_intensity,)."""
        yes, runs = self.total(self.overturned[reading]), self.total(self.runs)
        there = runs > 0
        return self.intensity[there], yes[there], runs[there]

    def curve(self, link: Link = PROBIT) -> Curves:
        """The curve of the estimate, alone."""
        x, yes, runs = self.sums()
        return fit_curves(x, yes[None], runs[None], link)


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
    ds, places = _laid_out(ds)
    if record is not None:
        tally = count_runs(ds, overturn_levels, 1, places, record, allow_missing=allow_missing)
        there = tally.runs.sum(axis=1) > 0
        runs, overturned = tally.runs[there].astype(float), tally.beyond.readings[..., 0][:, there]
        return Units(places.centre, runs, overturned, np.ones(len(runs), np.int64))
    if is_cloud(ds):
        tally = count_runs(ds, overturn_levels, 1, places, None, allow_missing=allow_missing)
        copies = _numbers_of_kinds(tally)[0].ravel()
        one = np.eye(len(places.centre))
        runs, overturned = np.tile(one, (len(KINDS), 1)), np.kron(KINDS.T[:, :, None], one)
        return Units(places.centre, runs[copies > 0], overturned[:, copies > 0], copies[copies > 0])
    patterns, copies = _patterns(ds, allow_missing)
    return Units(places.centre, *_counts(patterns), copies)


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
    ds, places = _laid_out(ds)
    if record is None and not cloud:
        kinds = [_patterns(ds.isel(realization=option == k), allow_missing) for k in range(n)]
        tables = [_counts(patterns) for patterns, _ in kinds]
        copies = np.concatenate([number for _, number in kinds])
    else:
        own = option
        if record is not None:
            own = labelled(
                len(option),
                (int(record.max()) + 1) * n,
                lambda where: record[where].astype(np.int64) * n + option[where],
            )
        tally = count_runs(ds, overturn_levels, 1, places, own, allow_missing=allow_missing)
        if record is not None:
            counts = np.concatenate([tally.runs[None], tally.beyond.readings[..., 0]])
            counts = np.pad(counts, ((0, 0), (0, -counts.shape[1] % n), (0, 0)))
            counts = counts.reshape(4, -1, n, counts.shape[-1])
            runs, *overturned = counts[:, counts[0].any(axis=(1, 2))]
            one = np.ones(len(runs), np.int64)
            return [Units(places.centre, runs[:, k], np.stack(overturned)[:, :, k], one) for k in range(n)]
        # single runs of a cloud: each place and outcome is a kind
        unit = np.eye(len(places.centre))
        kind = np.tile(unit, (len(KINDS), 1)), np.kron(KINDS.T[:, :, None], unit)
        tables, copies = [kind] * n, _numbers_of_kinds(tally).ravel()
    ends = np.cumsum([0, *(len(runs) for runs, _ in tables)])
    found = []
    for k, table in enumerate(tables):
        whole = np.zeros((4, ends[-1], len(places.centre)))
        whole[:, ends[k] : ends[k + 1]] = np.concatenate([table[0][None], table[1]])
        runs, *overturned = whole[:, copies > 0]
        found.append(Units(places.centre, runs, np.stack(overturned), copies[copies > 0]))
    return found


def draw_units(units: Units, how: Bootstrap) -> Iterator[np.ndarray]:
    """Draw all units again with replacement, ``how.resamples`` times.

    Yields
    ------
    ndarray (n_batch, n_kind)
        How often each kind of unit was drawn; ``drawn @ counts`` are the counts of the resamples.
    """
    rng, resamples = np.random.default_rng(how.seed), how.resamples
    share = units.copies / units.number
    batch = max(1, min(resamples, BATCH // len(share)))
    for start in range(0, resamples, batch):
        yield rng.multinomial(units.number, share, size=min(batch, resamples - start)).astype(float)


def curve_grid(units: Units, grid: ArrayLike | None) -> np.ndarray:
    """Intensities (n_grid,) of a curve: those given, or 0, the levels, and `GRID` values beyond both ends."""
    if grid is None:
        level = units.sums()[0]
        x = np.concatenate([[0.0], np.geomspace(level[0] / 8, 1.1 * level[-1], GRID)])
        return x if len(level) > GRID else np.unique(np.concatenate([x, level]))
    x = np.asarray(grid, float)
    if x.ndim != 1 or x.size == 0 or not (np.isfinite(x).all() and (x >= 0).all() and (np.diff(x) > 0).all()):
        raise ValueError("grid must hold finite intensities >= 0 in rising order")
    return x


def _laid_out(ds: xr.Dataset) -> tuple[xr.Dataset, Classes]:
    """The runs, those at fixed levels at the intensities > 0, and where the ones there are counted."""
    if is_cloud(ds):
        values, n = ds["intensity_value"], ds.sizes["realization"]
        return ds, place_in_cells(lambda where: values.isel(realization=where).values.astype(float), n)
    (x,) = intensities(ds)
    order = np.flatnonzero(x > 0)[np.argsort(x[x > 0], kind="stable")]
    if not order.size:
        raise ValueError(NO_INTENSITY)
    if (np.diff(order) != 1).any():  # a list of levels is read more slowly than a slice of them
        return ds.isel(intensity=order), Classes(x[order], x[order], x[order], None)
    levels = slice(order[0], order[-1] + 1)
    return ds.isel(intensity=levels), Classes(x[levels], x[levels], x[levels], None)


class LogCells:
    """Places of intensities > 0 that are seen in slices: all are seen once, then counted once.

    Each intensity is by itself, or in one of ``most`` cells of equal width in the logarithm if they are more.
    """

    def __init__(self, most: int = CELLS) -> None:
        self.most, self.values, self.low, self.high = most, np.zeros(0), np.inf, -np.inf
        self.runs, self.total = np.zeros(most, np.int64), np.zeros(most)

    @property
    def few(self) -> bool:
        """Whether each intensity is by itself."""
        return len(self.values) <= self.most

    @property
    def size(self) -> int:
        """Number of places, empty ones included."""
        return len(self.values) if self.few else self.most

    def see(self, x: np.ndarray) -> None:
        """First pass."""
        x = x[x > 0]
        if self.few:
            self.values = np.unique(np.concatenate([self.values, x]))
        z = np.log(x)
        self.low, self.high = z.min(initial=self.low), z.max(initial=self.high)

    def count(self, x: np.ndarray) -> np.ndarray:
        """Second pass: place of each intensity (n,), -1 of those that are not > 0.

        Raises
        ------
        ValueError
            If none was > 0.
        """
        if not len(self.values):
            raise ValueError(NO_INTENSITY)
        place = np.full(len(x), -1)
        there = x > 0
        place[there] = index = self._place(x[there])
        if not self.few:
            self.runs += np.bincount(index, minlength=self.most)
            np.add.at(self.total, index, np.log(x[there]))  # one after the other, however they are cut
        return place

    def _place(self, x: np.ndarray) -> np.ndarray:
        if self.few:
            return np.searchsorted(self.values, x)
        width = (self.high - self.low) / self.most
        return np.minimum(((np.log(x) - self.low) / width).astype(np.int64), self.most - 1)

    @property
    def filled(self) -> np.ndarray:
        """Which places have intensities (size,), after the second pass."""
        return np.ones(self.size, bool) if self.few else self.runs > 0

    @property
    def centres(self) -> np.ndarray:
        """The intensities, or geometric means of those in each cell that has some."""
        there = self.filled
        return self.values if self.few else np.exp(self.total[there] / self.runs[there])


def place_in_cells(part: Callable[[slice], np.ndarray], n: int, most: int = CELLS) -> Classes:
    """Places of n intensities > 0, read in slices, by `LogCells`; -1 of others.

    Raises
    ------
    ValueError
        If none is > 0.
    """
    cells = LogCells(most)
    for where in cut(n):
        cells.see(part(where))
    of_run = labelled(n, cells.size, lambda where: cells.count(part(where)))
    names = np.append(cells.filled.cumsum() - 1, -1)  # that of -1 is the last
    for where in cut(n):
        of_run[where] = names[of_run[where]]
    return Classes(cells.centres, cells.centres, cells.centres, of_run)


def _patterns(ds: xr.Dataset, allow_missing: bool) -> tuple[np.ndarray, np.ndarray]:
    """Different rows of outcomes over the stripes, as numbers of `KINDS`, and how often each occurs."""
    rows, numbers = [], []
    for _, part, there in read_slices(ds, (), allow_missing):
        code = np.where(there, sum(overturn_levels(part)), MISSING).astype(np.int8)
        row, number = np.unique(_packed(code), return_counts=True)
        rows.append(row)
        numbers.append(number)
    packed, index = np.unique(np.concatenate(rows), return_inverse=True)
    copies = np.bincount(index, weights=np.concatenate(numbers)).astype(np.int64)
    patterns = packed.view(np.int8).reshape(len(packed), -1)
    some = (patterns != MISSING).any(axis=1)
    return patterns[some], copies[some]


def _counts(patterns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Runs (n_pattern, n_intensity) and overturned ones (3, n_pattern, n_intensity) of rows of outcomes."""
    there = patterns != MISSING
    overturned = np.moveaxis(KINDS[np.where(there, patterns, 0)], -1, 0)
    return there.astype(float), overturned


def _numbers_of_kinds(tally: Tally) -> np.ndarray:
    """Numbers of runs of each of `KINDS` (n_record, n_kind, n_class)."""
    rising = [np.zeros_like(tally.runs), *(x[..., 0] for x in tally.beyond), tally.runs]
    return np.diff(rising, axis=0)[::-1].swapaxes(0, 1)


def _packed(rows: np.ndarray) -> np.ndarray:
    """Rows of bytes as one sortable item each."""
    return np.ascontiguousarray(rows).view(np.dtype((np.void, rows.shape[1]))).ravel()
