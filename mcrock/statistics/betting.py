"""Confidence sequences: intervals of a mean that hold at every look, so that runs may stop at will.

A gambler bets that the mean is larger than m. With independent observations in [0, 1] of mean m the capital
is a martingale, whatever their distribution, and it ever exceeds 2 / alpha with a probability of at most
alpha / 2 (Ville). Values of m at which it does are excluded for good. Bets are constant fractions, mixed with
equal weights, so that the order of the observations before a look does not matter.

Waudby-Smith, I. and Ramdas, A. (2024). Estimating means of bounded random variables by betting. Journal of
the Royal Statistical Society B 86(1), 1-27. Ryu, J. J. and Bhatt, A. (2024). On confidence sequences for
bounded random processes via universal gambling strategies. IEEE Transactions on Information Theory 70(10),
7143-7161.
"""

from __future__ import annotations

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from mcrock.dataset.opened import takes_path
from mcrock.dataset.schema import OUTER
from mcrock.statistics.intervals import check_level
from mcrock.statistics.result_table import table
from mcrock.statistics.runs import (
    ALL_OVERTURN,
    ALL_STAND,
    ESTIMATE,
    check_runs,
    is_cloud,
    overturn_levels,
    read_slices,
    record_index,
    slices,
    study_of,
)

BETS = (np.arange(64) + 0.5) / 64  # fractions of the largest bet that cannot ruin [1]
HALVINGS = 40  # of the interval in which an end is looked for
INDEPENDENT = "random"  # design whose realizations are


def betting_interval(x: ArrayLike, level: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
    """Interval of a mean that holds at every look at a growing sample.

    Parameters
    ----------
    x : array_like (n, ...)
        Independent observations in [0, 1] with one mean, in an order that does not depend on them.
    level : float
        Probability with which the intervals at all numbers of observations hold the mean [1].

    Returns
    -------
    tuple of ndarray (...)
        Lower and upper end [1]; 0 and 1 without observations.

    >>> lower, upper = betting_interval(np.zeros(22))  # none of 22
    >>> print(f"{lower:.3f} {upper:.3f}")
    0.000 0.214
    """
    check_level(level)
    x = np.asarray(x, float)
    ends = np.stack([np.zeros(x.shape[1:]), np.ones(x.shape[1:])])
    for place in np.ndindex(x.shape[1:]) if len(x) else ():
        ends[:, *place] = _ends(*np.unique(x[:, *place], return_counts=True), level)
    return ends[0], ends[1]


def _ends(values: np.ndarray, number: np.ndarray, level: float) -> tuple[float, float]:
    """Interval of the mean of observations that have rising values, each so often."""
    tail = (1 - level) / 2
    return _lower_end(values, number, tail), 1.0 - _lower_end(1.0 - values[::-1], number[::-1], tail)


def _lower_end(values: np.ndarray, number: np.ndarray, tail: float) -> float:
    """Least mean that bets on a larger one do not exclude: the capital falls as it rises."""
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        gain = np.log1p(np.outer(BETS, values / middle - 1.0)) @ number
        excluded = logsumexp(gain) - np.log(len(BETS)) >= -np.log(tail)
        low, high = (middle, high) if excluded else (low, middle)
    return low


@takes_path
def sequential_probability(ds: xr.Dataset, *, level: float = 0.95) -> xr.Dataset:
    """Probability of overturning in the motions of a study, with intervals that hold at every look.

    An observation is the fraction overturned of one realization of every record; observations are independent
    where realizations are, with ``ensemble.design = "random"``. The study may be looked at repeatedly and
    extended until the interval is narrow enough. For recorded motions the interval is conditional on the
    given records: it says nothing about other earthquakes, whatever the number of runs. For motions generated
    for each realization it holds for new motions too.

    Parameters
    ----------
    ds : Dataset
        Study at fixed levels of the intensity with all its runs, whose realizations take their records in
        turn.
    level : float
        Probability with which the intervals at one intensity hold at all looks [1].

    Returns
    -------
    Dataset
        `probability` (intensity) and `interval` (bound, intensity), with undecided runs both ways; `blocks`,
        the number of observations, and `records`; all [1].

    Raises
    ------
    ValueError
        If realizations are not independent or take records in another order, runs are missing, the study is a
        cloud or nested, or ``level`` is outside (0, 1).
    """
    check_level(level)
    if OUTER in ds.dims or is_cloud(ds):
        raise ValueError("intervals at every look are of fixed levels of the intensity, without outer draws")
    check_runs(ds)
    study = study_of(ds)
    if study is not None and study.ensemble.design != INDEPENDENT:
        raise ValueError(
            f"intervals at every look need independent realizations: ensemble.design = {INDEPENDENT!r}, got "
            f"{study.ensemble.design!r}"
        )
    index, records = record_index(ds)
    given = [] if index is None else list(slices(ds))
    size = 1 + max((int(ds["record"][where].max()) for where in given), default=0)
    if any((ds["record"][where] != np.arange(where.start, where.stop) % size).any() for where in given):
        raise ValueError(
            "intervals at every look need realizations that take their records in turn: "
            "motion.assignment = 'cycle'"
        )
    blocks = ds.sizes["realization"] // size
    if not blocks:
        raise ValueError(f"intervals at every look need a realization of each of the {size} records")
    numbers, shares = _numbers_of_blocks(ds, size), np.arange(2 * size + 1) / 2 / size
    ends = np.empty((2, len(ds["intensity"])))
    for bound, reading in enumerate((ALL_STAND, ALL_OVERTURN)):
        for place, number in enumerate(numbers[reading]):
            there = number > 0
            ends[bound, place] = _ends(shares[there], number[there], level)[bound]
    return table(
        {
            "probability": ("intensity", numbers[ESTIMATE] @ shares / blocks),
            "interval": (("bound", "intensity"), ends),
            "blocks": ((), blocks),
            "records": ((), records),
        },
        coords={"bound": ["lower", "upper"], "intensity": ds["intensity"]},
        attrs={"level": level, "shared": index is not None},
    )


def _numbers_of_blocks(ds: xr.Dataset, size: int) -> np.ndarray:
    """Numbers of whole blocks of realizations in which so many half runs overturned.

    Returns
    -------
    ndarray (3, n_intensity, 2 * size + 1)
        By the readings of `Passed`; no run is kept.
    """
    shape = 3, len(ds["intensity"]), 2 * size + 1
    numbers, begun = np.zeros(shape, np.int64), np.zeros(shape[:2])
    for where, part, _ in read_slices(ds, (), False):
        readings = overturn_levels(part).readings
        starts = np.arange(-where.start % size, readings.shape[1], size)
        sums = np.add.reduceat(readings, np.unique([0, *starts]), axis=1)
        if where.start % size:
            sums[:, 0] += begun
        if where.stop % size:
            begun, sums = sums[:, -1], sums[:, :-1]
        cell = np.arange(numbers[..., 0].size).reshape(3, 1, -1) * shape[2] + np.rint(2 * sums).astype(
            np.int64
        )
        numbers += np.bincount(cell.ravel(), minlength=numbers.size).reshape(shape)
    return numbers
