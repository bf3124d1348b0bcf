"""Weights over draws by a tempered likelihood of what fell and what stood.

With q the fraction of the runs of a draw that do what was seen, the likelihood of a label is e + (1 - 2 e) q:
a label is wrong, or a run is not what the object did, with the error rate e. Those of all labels are
multiplied and raised to a power between 0 and 1, the temper, which allows for dependent labels and for a
truth that is among none of the draws.

Del Moral, P., Doucet, A. and Jasra, A. (2006). Sequential Monte Carlo samplers. Journal of the Royal
Statistical Society B 68(3), 411-436 (tempering, effective sample size).

Bissiri, P. G., Holmes, C. C. and Walker, S. G. (2016). A general framework for updating belief distributions.
Journal of the Royal Statistical Society B 78(5), 1103-1130 (the power of a likelihood).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

# where weights do not suffice: the draws of a prior that is cut lie where the labels point
REMEDY = (
    "take more draws (ensemble.outer), or cut the distributions (low, high) where the labels leave nothing, "
    "and run again"
)
ERROR_RATE = 0.05  # of a label, by default [1]
LEAST_EFFECTIVE = 10.0  # number of draws below which weights are refused [1]
BISECTIONS = 60


@dataclass(frozen=True, eq=False)
class Weights:
    """Weights of the outer draws, given labels.

    Attributes
    ----------
    weight : ndarray (n_draw,)
        Weights, with the sum 1 [1].
    temper : float
        Power of the likelihood [1].
    log_likelihood : ndarray (n_draw,)
        Logarithm of the likelihood of all labels, before the temper [1].
    """

    weight: Array
    temper: float
    log_likelihood: Array

    @property
    def effective(self) -> float:
        """Effective number of draws: one over the sum of the squared weights [1]."""
        return float(1.0 / (self.weight**2).sum())

    def mean(self, values: ArrayLike) -> Array:
        """Weighted mean (...) of values of the draws (n_draw, ...), in their unit."""
        return np.tensordot(self.weight, np.asarray(values, float), axes=1)

    def quantile(self, values: ArrayLike, probability: ArrayLike) -> Array:
        """Weighted quantiles, of the shape of ``probability``, of values of the draws (n_draw,)."""
        x = np.asarray(values, float)
        order = np.argsort(x, kind="stable")
        reached = np.cumsum(self.weight[order])
        place = np.searchsorted(reached / reached[-1], probability)
        return x[order][np.minimum(place, len(x) - 1)]


def log_likelihoods(share: ArrayLike, fallen: ArrayLike, error_rate: float = ERROR_RATE) -> Array:
    """Logarithm of the likelihood of each label under each draw (n_draw, n_label) [1].

    Parameters
    ----------
    share : array_like (n_draw, n_label)
        Fraction of the runs of a draw, of what has the label, that overturned; one run that is not decided
        counts one half [1].
    fallen : array_like (n_label,)
        1 for what fell, 0 for what stood.
    error_rate : float
        Between 0 and 0.5 [1].

    Raises
    ------
    ValueError
        If the shapes do not fit, a label is neither 0 nor 1, a share is outside 0 to 1 or the error rate
        outside (0, 0.5).
    """
    p, y = np.asarray(share, float), np.asarray(fallen, float)
    if p.ndim != 2 or y.shape != p.shape[1:] or not p.size:
        raise ValueError(f"share must be (draws, labels) and fallen (labels,), got {p.shape} and {y.shape}")
    if not np.isin(y, (0.0, 1.0)).all():
        raise ValueError(
            f"labels must be 1 for fallen and 0 for standing, got {y[~np.isin(y, (0.0, 1.0))][0]:g}"
        )
    if not ((p >= 0.0) & (p <= 1.0)).all():
        raise ValueError("shares of runs that overturned must be 0 to 1")
    if not 0.0 < error_rate < 0.5:
        raise ValueError(f"the error rate must be between 0 and 0.5, got {error_rate:g}")
    return np.log(error_rate + (1.0 - 2.0 * error_rate) * np.where(y == 1.0, p, 1.0 - p))


def weigh_draws(
    share: ArrayLike,
    fallen: ArrayLike,
    *,
    error_rate: float = ERROR_RATE,
    temper: float | None = None,
    least_effective: float = LEAST_EFFECTIVE,
) -> Weights:
    """Weight outer draws by what fell and what stood.

    The likelihood of a label is e + (1 - 2 e) q, with the error rate e and the fraction q of the runs that do
    what was seen.

    Parameters
    ----------
    share : array_like (n_draw, n_label)
        Overturned fraction of the runs of each draw that each label refers to; an undecided run counts as one
        half [1].
    fallen : array_like (n_label,)
        1 for fallen, 0 for standing.
    error_rate : float
        e, probability that a label is wrong, in (0, 0.5) [1].
    temper : float, optional
        Power of the likelihood, above 0 and at most 1; by default the largest that leaves ``least_effective``
        draws [1].
    least_effective : float
        Effective number of draws that the weights must leave [1].

    Returns
    -------
    Weights

    Raises
    ------
    ValueError
        If there are fewer draws than ``least_effective``, or the given ``temper`` leaves fewer effective
        ones; if shapes do not fit, or a number is outside its range.

    Examples
    --------
    >>> share = np.repeat([[0.0, 0.0], [1.0, 1.0]], 10, axis=0)
    >>> weights = weigh_draws(share, [1, 1], error_rate=0.1, least_effective=5)
    >>> float(weights.weight[:10].sum().round(4)), round(weights.effective, 2)
    (0.0122, 10.25)
    """
    each = log_likelihoods(share, fallen, error_rate)
    n = len(each)
    if n < least_effective:
        raise ValueError(
            f"{n} draws cannot leave {least_effective:g} effective ones: raise their number (ensemble.outer)"
        )
    total = each.sum(axis=1)
    if temper is None:
        temper = _largest_temper(total, least_effective)
    elif not 0.0 < temper <= 1.0:
        raise ValueError(f"the temper must be above 0 and at most 1, got {temper:g}")
    found = Weights(normalized(temper * total), float(temper), total)
    if found.effective < least_effective * (1.0 - 1e-6):
        raise ValueError(
            f"the weights collapse on {found.effective:.1f} of {n} draws, where {least_effective:g} are "
            f"asked for: give a smaller temper than {temper:g} or none, or a larger error rate; or {REMEDY}"
        )
    return found


def left_out(
    share: ArrayLike,
    fallen: ArrayLike,
    group: ArrayLike,
    *,
    error_rate: float = ERROR_RATE,
    temper: float | None = None,
    least_effective: float = LEAST_EFFECTIVE,
) -> tuple[Array, Array]:
    """Probabilities of the labelled objects, each by the draws weighted with the labels of all other groups.

    Parameters
    ----------
    group : array_like (n_label,)
        Group of each label, such as its recording; groups are left out one at a time.
    share, fallen, error_rate, temper, least_effective
        As for `weigh_draws`.

    Returns
    -------
    probability : ndarray (n_label,)
        Of falling [1].
    effective : ndarray (n_label,)
        Effective number of draws behind each [1].

    Raises
    ------
    ValueError
        As `weigh_draws`.
    """
    p, y, of = np.asarray(share, float), np.asarray(fallen, float), np.asarray(group)
    probability, effective = np.empty(len(y)), np.empty(len(y))
    for name in np.unique(of):
        own = of == name
        weights = weigh_draws(
            p[:, ~own], y[~own], error_rate=error_rate, temper=temper, least_effective=least_effective
        )
        probability[own], effective[own] = weights.mean(p[:, own]), weights.effective
    return np.clip(probability, 0.0, 1.0), effective  # what rounding leaves of a sum of weights


def normalized(log_weight: Array) -> Array:
    """Weights with sum 1 from their logarithms."""
    weight = np.exp(log_weight - log_weight.max())
    return weight / weight.sum()


def _largest_temper(total: Array, least: float) -> float:
    """Largest power of the likelihood that leaves so many effective draws."""

    def enough(temper: float) -> bool:
        weight = normalized(temper * total)
        return bool(1.0 / (weight**2).sum() >= least)

    if enough(1.0):
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if enough(middle) else (low, middle)
    return low
