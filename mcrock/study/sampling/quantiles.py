"""Tables of distributions, from which compiled code draws at every impact.

A continuous distribution is tabulated over standard normal scores: there its quantiles are smooth
in both tails, and the interpolation of `mcrock.base.random_numbers.quantile` is accurate to 1e-5 of the
spread or better. A discrete one is a list of probabilities and values that is searched, exactly.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from mcrock.base.random_numbers import SCORE_LIMIT
from mcrock.base.tables.distributions import Discrete, Distribution
from mcrock.study import ConfigError, Study

Array = NDArray[np.float64]

NODES = 529  # odd, so that the median is a node; 1/32 of a standard deviation apart
FIXED, INTERPOLATED, STEPS = 0, 1, 2  # codes of `Inputs.redrawn`


def quantile_table(distribution: Distribution) -> Array:
    """Table (529,) of one distribution for `mcrock.base.random_numbers.quantile`, in the unit of the number.

    Raises
    ------
    ValueError
        If a discrete distribution has more values than the table has room for.
    """
    if isinstance(distribution, Discrete):
        table, room = np.ones(NODES), NODES // 2
        values, reached = distribution.steps
        if len(values) > room:
            raise ValueError(
                f"a discrete distribution drawn at every impact may have {room} values, got {len(values)}"
            )
        table[: len(values) - 1], table[room : room + len(values)] = reached[:-1], values
        return table
    score = np.linspace(-SCORE_LIMIT, SCORE_LIMIT, NODES)
    tail = ndtr(-np.abs(score))
    return np.where(score <= 0, distribution.quantile(tail), distribution.upper_quantile(tail))


def impact_tables(study: Study) -> tuple[NDArray[np.int8], Array]:
    """How each column of impact parameters is drawn at every impact (n_parameter,), and its table
    (n_parameter, 529), zero where it is fixed.

    Raises
    ------
    ConfigError
        If a distribution has no table.
    """
    columns = study.impact.columns
    redrawn, tables = np.zeros(len(columns), np.int8), np.zeros((len(columns), NODES))
    for i, key in enumerate(columns):
        distribution = study.impact.redrawn.get(key)
        if distribution is not None:
            redrawn[i] = STEPS if isinstance(distribution, Discrete) else INTERPOLATED
            try:
                tables[i] = quantile_table(distribution)
            except ValueError as error:
                raise ConfigError(f"{study.source} [impact] {key}: {error}") from None
    return redrawn, tables
