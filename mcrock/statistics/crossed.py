"""Components of the variance of yes or no where draws of two kinds are crossed.

Every outer draw k meets every realization i, and realizations are nested in records r. With y
the outcomes, means of products of two of them over all pairs of one kind are unbiased for

====  ==================================  ======================================================
mean  pairs                               expectation
====  ==================================  ======================================================
q     the same run                        E[y^2]
a     same realization, two draws         E[P(i)^2]
b     same draw and record, two of its    E[P(k, r)^2]
      realizations
c     same record, two draws and          E[P(r)^2]
      realizations
d     same draw, two records              E[P(k)^2]
e     two draws, two records              P^2
====  ==================================  ======================================================

so that every component is a difference of them. Where records have equal numbers of realizations these are
the estimators of the analysis of variance: d - e is (MS_k - MS_kr) / (R m).

Searle, S. R., Casella, G. and McCulloch, C. E. (1992). Variance components. Wiley, chapter 4 (expected mean
squares of the balanced case).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mcrock.statistics.nested import Crossed
from mcrock.statistics.runs import ESTIMATE

COMPONENTS = ("epistemic", "record", "within_record", "epistemic_record", "epistemic_within")


class Sums(NamedTuple):
    """Sums of outcomes and of their products, from which the components come."""

    cells: np.ndarray  # (n_outer, n_record, n_intensity) sums of y
    squares: np.ndarray  # (n_outer, n_record, n_intensity) sums of y**2
    both: np.ndarray  # (n_record, n_intensity) sums of y over pairs of draws of the same realization
    mixed: np.ndarray  # (n_outer, n_record, n_intensity) sums of y times its sum over the draws
    runs: np.ndarray  # (n_record,) realizations

    def without_record(self, r: int) -> Sums:
        """The sums of the other records."""
        cells, squares, mixed = (np.delete(array, r, 1) for array in (self.cells, self.squares, self.mixed))
        return Sums(cells, squares, np.delete(self.both, r, 0), mixed, np.delete(self.runs, r))

    def without_draw(self, k: int) -> Sums:
        """The sums of the other draws; not for leaving out another one."""
        both = self.both - 2 * self.mixed[k] + 2 * self.squares[k]
        cells, squares, mixed = (np.delete(array, k, 0) for array in (self.cells, self.squares, self.mixed))
        return Sums(cells, squares, both, mixed, self.runs)


def sums_of(crossed: Crossed) -> Sums:
    """Sums of the outcomes as they count in an estimate."""
    y = crossed.outcome[ESTIMATE]
    total = y.sum(axis=0, dtype=np.int64)

    def by_record(array: np.ndarray) -> np.ndarray:
        return np.add.reduceat(array, crossed.starts, axis=-2, dtype=np.int64) / 4.0

    squares = np.stack([by_record(draw.astype(np.int64) ** 2) for draw in y])
    mixed = np.stack([by_record(draw * total) for draw in y])
    both = by_record(total * total) - squares.sum(axis=0)
    return Sums(crossed.cells(ESTIMATE), squares, both, mixed, crossed.runs)


@np.errstate(invalid="ignore", divide="ignore")
def components_of(sums: Sums, has_records: bool) -> np.ndarray:
    """The components of `COMPONENTS` and their sum (6, n_intensity) [1]; they may be negative.

    Without records, those within and between them are one: that of the realizations is called that of the
    record, and those within are NaN, as they are where no record has two realizations. With a single draw or
    record they are not known either.
    """
    cells, m = sums.cells, sums.runs.astype(float)
    draws, n = len(cells), m.sum()
    pairs, inside = draws * (draws - 1), (m * (m - 1)).sum()
    across = n * n - (m * m).sum()
    of_draw, of_record = cells.sum(axis=1), cells.sum(axis=0)
    square = (cells**2).sum(axis=0)  # (n_record, n_intensity)
    q = sums.squares.sum(axis=(0, 1)) / (draws * n)
    a = sums.both.sum(axis=0) / (pairs * n)
    d = ((of_draw**2).sum(axis=0) - square.sum(axis=0)) / (draws * across)
    two = of_draw.sum(axis=0) ** 2 - (of_draw**2).sum(axis=0)
    e = (two - (of_record**2).sum(axis=0) + square.sum(axis=0)) / (pairs * across)
    if not has_records or inside == 0:
        none = np.full_like(q, np.nan)
        return np.stack([d - e, a - e, none, q - a - d + e, none, q - e])
    b = (square - sums.squares.sum(axis=0)).sum(axis=0) / (draws * inside)
    c = (of_record**2 - square - sums.both).sum(axis=0) / (pairs * inside)
    return np.stack([d - e, c - e, a - c, b - c - d + e, q - a - b + c, q - e])


def covariance_between_records(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Variance over the draws of what all records have in common, without bias: may be negative.

    Mean over all pairs of records, with the products of their weights, of the covariance over the draws:
    what records scatter by is not in it, as two of them share nothing but the draw.

    Parameters
    ----------
    values : ndarray (n_outer, n_record, ...)
        Of each draw in each record.
    weights : ndarray (n_record,)
        Such as numbers of realizations.
    """
    share = (weights / weights.sum()).reshape(-1, *(1,) * (values.ndim - 2))
    whole = (values * share).sum(axis=1).var(axis=0, ddof=1)
    own = (share**2 * values.var(axis=0, ddof=1)).sum(axis=0)
    return (whole - own) / (1 - (share**2).sum())


def jackknifed(sums: Sums, has_records: bool) -> Iterator[np.ndarray]:
    """Components without each of the records, and without each of the draws: (n, 6, n_intensity)."""
    records, draws = len(sums.runs), len(sums.cells)
    yield np.stack([components_of(sums.without_record(r), has_records) for r in range(records)])
    yield np.stack([components_of(sums.without_draw(k), has_records) for k in range(draws)])
