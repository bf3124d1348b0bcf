"""What a population says of a test on a new specimen: a mixture of normal distributions, one a draw."""

from __future__ import annotations

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from mcrock.measurement.population import total_scatter

Array = NDArray[np.float64]


def predictive_moments(posterior: xr.Dataset) -> tuple[Array, Array]:
    """Mean and standard deviation of a new test (parameter,), each in the unit of its parameter.

    The deviation holds the scatter of specimens, positions and repetitions, and how well the mean is known.
    """
    mean, scatter = posterior["mean"], total_scatter(posterior)
    draws = ("chain", "draw")
    variance = (scatter**2).mean(draws) + mean.var(draws)
    return mean.mean(draws).values, np.sqrt(variance.values)


def predictive_probability(posterior: xr.Dataset, parameter: str, value: ArrayLike) -> Array:
    """Probability that a new test does not exceed values [1], in their shape."""
    place, scatter = _mixture(posterior, parameter)
    x = np.asarray(value, float)
    return ndtr((x[..., None] - place) / scatter).mean(-1)


def predictive_density(posterior: xr.Dataset, parameter: str, value: ArrayLike) -> Array:
    """Density of a new test at values, in one over the unit of the parameter."""
    place, scatter = _mixture(posterior, parameter)
    score = (np.asarray(value, float)[..., None] - place) / scatter
    return (np.exp(-0.5 * score**2) / (scatter * np.sqrt(2.0 * np.pi))).mean(-1)


def _mixture(posterior: xr.Dataset, parameter: str) -> tuple[Array, Array]:
    """Means and standard deviations of the normal distributions (chain draw,)."""
    mean = posterior["mean"].sel(parameter=parameter).values.ravel()
    return mean, total_scatter(posterior).sel(parameter=parameter).values.ravel()
