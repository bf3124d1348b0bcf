"""Confidence intervals of a probability, for independent runs and for runs that share ground motions.

Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference. Journal of
the American Statistical Association 22, 209-212.

Korn, E. L. and Graubard, B. I. (1998). Confidence intervals for proportions with small expected number
of positive counts estimated from survey data. Survey Methodology 24(2), 193-201.

Hesterberg, T. C. (2015). What teachers should know about the bootstrap. The American Statistician
69(4), 371-386.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv, ndtr, ndtri, stdtrit


def check_level(level: float) -> None:
    """Refuse a coverage that is not inside (0, 1).

    Raises
    ------
    ValueError
        If `level` is outside (0, 1).
    """
    if not 0 < level < 1:
        raise ValueError(f"level must lie in (0, 1) [1], got {level!r}; 0.95 is usual")


def wilson_interval(yes: ArrayLike, runs: ArrayLike, level: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
    """Score interval of a probability from independent runs.

    Parameters
    ----------
    yes, runs : array_like
        Number of runs with the event and of all runs, broadcast together [1].
    level : float
        Coverage of the interval [1].

    Returns
    -------
    tuple of ndarray
        Lower and upper bound [1]; 0 and 1 where there are no runs.

    >>> lower, upper = wilson_interval(2, 10)
    >>> print(f"{lower:.4f} {upper:.4f}")
    0.0567 0.5098
    """
    check_level(level)
    yes, runs = np.broadcast_arrays(np.asarray(yes, float), np.asarray(runs, float))
    z = ndtri((1 + level) / 2)
    n = np.maximum(runs, 1e-12)
    p = yes / n
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    lower = np.where(yes <= 0, 0.0, np.maximum(centre - half, 0.0))
    upper = np.where(yes >= runs, 1.0, np.minimum(centre + half, 1.0))
    return lower, upper


def exact_interval(yes: ArrayLike, runs: ArrayLike, level: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
    """Clopper-Pearson interval, which also takes effective (fractional) numbers of runs.

    Parameters
    ----------
    yes, runs : array_like
        Number of runs with the event and of all runs, broadcast together [1].
    level : float
        Coverage of the interval [1].

    Returns
    -------
    tuple of ndarray
        Lower and upper bound [1]; 0 and 1 where there are no runs.

    >>> lower, upper = exact_interval(0, 22)
    >>> print(f"{lower:.4f} {upper:.4f}")  # upper = 1 - 0.025**(1 / 22)
    0.0000 0.1544
    """
    check_level(level)
    yes, runs = np.broadcast_arrays(np.asarray(yes, float), np.asarray(runs, float))
    tail = (1 - level) / 2
    some, rest = np.maximum(yes, 1e-12), np.maximum(runs - yes, 1e-12)
    lower = np.where(yes <= 0, 0.0, betaincinv(some, runs - yes + 1, tail))
    upper = np.where(yes >= runs, 1.0, betaincinv(yes + 1, rest, 1 - tail))
    return lower, upper


def clustered_interval(
    yes: ArrayLike, runs: ArrayLike, level: float = 0.95
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Interval of a probability when the runs of one record are dependent.

    After Korn and Graubard (1998): the scatter of the records gives the number of independent runs
    that would know the probability as well, and Clopper-Pearson is applied to that number. Two
    changes keep the coverage where few records show the event. (a) The degrees of freedom of the
    scatter are those of the records that the events (or, if fewer, the survivals) effectively come
    from, ``(sum y)**2 / sum y**2``, at most records - 1. (b) The effective number stays between the
    number of records (Kish's, if they have unequal runs), as if the runs of a record were copies of
    each other, and the number of runs. If no run or every run shows the event there is no scatter to
    see, and the number of records counts.

    Measured on 4000 samples of 22 records with 20 runs each, at level 0.95: coverage 0.956 or more for
    probabilities from 0.005 to 0.5 and a fifth to all of the probit variance between records; with
    200 runs per record 0.90 at the worst (probability 0.02), 0.93 or more from 0.05 on.

    Parameters
    ----------
    yes, runs : array_like (n_record, ...)
        Number of runs with the event and of all runs of each record [1].
    level : float
        Coverage of the interval [1].

    Returns
    -------
    tuple of ndarray (...)
        Lower bound, upper bound and effective number of runs [1].

    >>> lower, upper, number = clustered_interval([10, 0, 9, 1, 10, 0], [10] * 6)  # 30 of 60 runs
    >>> print(f"{lower:.2f} {upper:.2f} {number:.1f}")
    0.12 0.88 6.0
    """
    check_level(level)
    yes, runs = np.broadcast_arrays(np.asarray(yes, float), np.asarray(runs, float))
    records = (runs > 0).sum(axis=0)
    n, k = runs.sum(axis=0), yes.sum(axis=0)
    rest = runs - yes
    with np.errstate(invalid="ignore", divide="ignore"):
        p = k / n
        scatter = ((yes - p * runs) ** 2).sum(axis=0) / n**2 * records / (records - 1)
        freedom = np.minimum(k**2 / (yes**2).sum(axis=0), (n - k) ** 2 / (rest**2).sum(axis=0))
        freedom = np.clip(np.minimum(freedom, records - 1), 1, None)
        upper_tail = (1 + level) / 2
        widening = (stdtrit(freedom, upper_tail) / stdtrit(np.maximum(n - 1, 1), upper_tail)) ** 2
        effective = p * (1 - p) / scatter / widening
        effective = np.where((records < 2) | ~np.isfinite(effective), 0.0, effective)
        floor = n**2 / (runs**2).sum(axis=0)
    # without scatter between records that do show the event, runs are as good as independent
    effective = np.where((scatter == 0) & (k > 0) & (k < n) & (records > 1), n, effective)
    effective = np.where((k <= 0) | (k >= n), records, np.clip(effective, floor, n))
    effective = np.where(n > 0, effective, 0.0)
    lower, upper = exact_interval(np.where(n > 0, p, 0.0) * effective, effective, level)
    lower = np.where(k <= 0, 0.0, lower)
    upper = np.where(k >= n, 1.0, upper)
    return lower, upper, effective


def expanded_tail(level: float, clusters: int) -> float:
    """Tail of the percentile interval from `clusters` resampled units [1].

    The percentile interval is too short by ``sqrt((n - 1) / n)`` and knows no Student quantile; the
    tail returned widens it by both (Hesterberg 2015) and tends to ``(1 - level) / 2`` as `clusters`
    grows.

    >>> round(expanded_tail(0.95, 22), 4)
    0.0166
    """
    quantile = stdtrit(clusters - 1, (1 + level) / 2)
    return float(ndtr(-np.sqrt(clusters / (clusters - 1)) * quantile))
