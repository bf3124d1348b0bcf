"""Tables of distributions, from which compiled code draws at every impact.

A continuous distribution is tabulated over standard normal scores: there its quantiles are smooth
in both tails, and the interpolation of `mcrock.counter.quantile` is accurate to 1e-5 of the
spread or better. A discrete one is tabulated over probabilities and looked up, to 1/529.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from mcrock.config import Study
from mcrock.counter import SCORE_LIMIT
from mcrock.tables.distributions import Discrete, Distribution

Array = NDArray[np.float64]

NODES = 529  # odd, so that the median is a node; 1/32 of a standard deviation apart
FIXED, INTERPOLATED, STEPS = 0, 1, 2  # codes of `Inputs.redrawn`


def quantile_table(distribution: Distribution) -> Array:
    """Quantiles of one distribution at the nodes (529,), in the unit of the number."""
    if isinstance(distribution, Discrete):
        return distribution.quantile((np.arange(NODES) + 0.5) / NODES)
    score = np.linspace(-SCORE_LIMIT, SCORE_LIMIT, NODES)
    tail = ndtr(-np.abs(score))
    return np.where(score <= 0, distribution.quantile(tail), distribution.upper_quantile(tail))


def impact_tables(study: Study) -> tuple[NDArray[np.int8], Array]:
    """How each column of impact parameters is drawn at every impact (n_parameter,), and its table
    (n_parameter, 529), zero where it is fixed."""
    columns = study.impact.columns
    redrawn, tables = np.zeros(len(columns), np.int8), np.zeros((len(columns), NODES))
    for i, key in enumerate(columns):
        distribution = study.impact.redrawn.get(key)
        if distribution is not None:
            redrawn[i] = STEPS if isinstance(distribution, Discrete) else INTERPOLATED
            tables[i] = quantile_table(distribution)
    return redrawn, tables
