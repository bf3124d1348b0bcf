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
    lower = _lower_end(x, (1 - level) / 2)
    return lower, 1.0 - _lower_end(1.0 - x, (1 - level) / 2)


def _lower_end(x: np.ndarray, tail: float) -> np.ndarray:
    """Least mean (...) that bets on a larger one do not exclude: the capital falls as it rises."""
    ends = np.zeros(x.shape[1:])
    for place in np.ndindex(ends.shape):
        values, number = np.unique(x[:, *place], return_counts=True)
        low, high = 0.0, 1.0
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            gain = np.log1p(np.outer(BETS, values / middle - 1.0)) @ number
            excluded = logsumexp(gain) - np.log(len(BETS)) >= -np.log(tail)
            low, high = (middle, high) if excluded else (low, middle)
        ends[place] = low
    return ends


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
    index, number = record_index(ds)
    size = 1 if index is None else int(ds["record"].max()) + 1
    if index is not None and not np.array_equal(ds["record"].values, np.arange(len(index)) % size):
        raise ValueError(
            "intervals at every look need realizations that take their records in turn: "
            "motion.assignment = 'cycle'"
        )
    blocks = ds.sizes["realization"] // size
    if not blocks:
        raise ValueError(f"intervals at every look need a realization of each of the {size} records")
    readings = np.concatenate(
        [overturn_levels(part).readings for _, part, _ in read_slices(ds, (), False)], axis=1
    )
    share = readings[:, : blocks * size].reshape(3, blocks, size, -1).mean(axis=2)
    ends = betting_interval(share[ALL_STAND], level)[0], betting_interval(share[ALL_OVERTURN], level)[1]
    return table(
        {
            "probability": ("intensity", share[ESTIMATE].mean(axis=0)),
            "interval": (("bound", "intensity"), np.stack(ends)),
            "blocks": ((), blocks),
            "records": ((), number),
        },
        coords={"bound": ["lower", "upper"], "intensity": ds["intensity"]},
        attrs={"level": level, "shared": index is not None},
    )
