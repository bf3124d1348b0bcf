"""What a population predicts for a new test, and as files of a study.

What a population says of a test on a new specimen: a mixture of normal distributions, one a draw.

Distributions of impact parameters, as study files know them, from a fitted population of tests.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from mcrock.base.tables.distributions import Distribution, Uncertain
from mcrock.impact.registry import ImpactParameter
from mcrock.measurement.population import check_posterior, total_scatter
from mcrock.study.impact import BOUNDS

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


CUTS = {
    "energy": "no impact that would gain energy",
    "none": "nothing is cut away",
    "base": "impulses on the base alone, and none that would gain energy",
}
FAR = 8.0  # end of a distribution that theory leaves open, in standard deviations from its mean [1]
MOST_CUT = 0.5  # of the distribution, before the fits contradict the bound [1]
GRID = 401  # values at which two distribution functions are compared


class Written(NamedTuple):
    """Entry of a parameter in a study file."""

    table: dict[str, Any]  # the distribution as a study file has it
    cut: float  # probability of what was cut away [1]
    distance: float  # largest difference to the distribution function of a new test, itself cut [1]

    @property
    def distribution(self) -> Distribution:
        """As a study reads it."""
        found = Uncertain("1").parse(self.table)
        assert isinstance(found, Distribution)
        return found


def written_distributions(data: Any, cut: str = "energy") -> dict[str, Written]:
    """Distribution of each parameter for a test on a new specimen, as study files know them.

    Mean and standard deviation are those of the mixture that the posterior predicts, which makes the normal
    distribution the nearest to it by information; ``distance`` says how near.

    Parameters
    ----------
    data : arviz.InferenceData
        Of `mcrock.measurement.fit_population`, or with its posterior.
    cut : str
        "energy": lambda and lambda_lon of at least 0, below which an impact of a symmetric body would gain
        energy. "base": also at most 1, and lambda_lat from -1 to 1: the impulse acts on the base, which most
        fits contradict. "none": all values.

    Raises
    ------
    ValueError
        If ``cut`` is another word, the posterior does not fit, or more than half would be cut away.
    """
    if cut not in CUTS:
        raise ValueError(f"cut must be one of {', '.join(CUTS)}, got {cut!r}")
    posterior = check_posterior(data)
    found = {}
    for key, mean, std in zip(
        posterior["parameter"].values.tolist(), *predictive_moments(posterior), strict=True
    ):
        low, high = bounds(key, cut)
        inside = predictive_probability(posterior, key, [low, high])
        lost = float(1.0 - (inside[1] - inside[0]))
        if lost > MOST_CUT:
            raise ValueError(
                f"{key}: {lost:.0%} of what the tests predict lies outside [{low:g}, {high:g}], where "
                f"{CUTS[cut]}: the tests contradict this bound; choose another, or none"
            )
        table: dict[str, Any] = {"distribution": "normal", "mean": _short(mean), "std": _short(std)}
        if np.isfinite([low, high]).any():
            ends = [
                low if np.isfinite(low) else mean - FAR * std,
                high if np.isfinite(high) else mean + FAR * std,
            ]
            table |= {"distribution": "truncated_normal", "low": _short(ends[0]), "high": _short(ends[1])}
        item = Written(table, lost, 0.0)
        x = np.linspace(max(low, mean - FAR * std), min(high, mean + FAR * std), GRID)
        mixture = (predictive_probability(posterior, key, x) - inside[0]) / (inside[1] - inside[0])
        own = np.array([item.distribution.below(value) for value in x])
        found[key] = item._replace(distance=float(np.abs(own - mixture).max()))
    return found


def bounds(key: str, cut: str) -> tuple[float, float]:
    """Ends of a parameter, infinite where there is none."""
    parameter = ImpactParameter[key.upper()]
    given = BOUNDS.parameters.get(parameter)
    if cut == "none" or given is None or parameter == ImpactParameter.TAU:  # of which theory has no bounds
        return -np.inf, np.inf
    if cut == "base":
        return given.low, given.high
    return (given.low, np.inf) if given.low == 0.0 else (-np.inf, np.inf)


def _short(number: float) -> float:
    return float(f"{number:.4g}")
