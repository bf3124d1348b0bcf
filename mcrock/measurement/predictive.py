"""What a fitted population predicts: impact parameters of a new specimen, and replicated campaigns.

For a new specimen the parameters have a mixture of normal distributions, one for each draw of the posterior,
given as distributions of study files. In a replicated campaign the tested bodies are released as they were,
through a sensor like theirs, with parameters of new specimens, positions and repetitions; its measures are
held against those of the tests (posterior predictive check: Gelman, Meng and Stern 1996, Statistica Sinica 6,
733-807).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr
from scipy.stats import rankdata

from mcrock.base.tables.distributions import Distribution, Uncertain
from mcrock.base.tables.parsing import ConfigError, read_json
from mcrock.body import Body
from mcrock.impact.conditions import Controls, Impact
from mcrock.impact.registry import ImpactParameter
from mcrock.measurement.measures import VARIABLES, measure_test
from mcrock.measurement.misfit import FreeRocking
from mcrock.measurement.population import check_posterior, total_scatter
from mcrock.measurement.recording import Recording, means, rate_noise
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


class ParameterDistribution(NamedTuple):
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


def parameter_distributions(data: Any, cut: str = "energy") -> dict[str, ParameterDistribution]:
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
        item = ParameterDistribution(table, lost, 0.0)
        x = np.linspace(max(low, mean - FAR * std), min(high, mean + FAR * std), GRID)
        mixture = (predictive_probability(posterior, key, x) - inside[0]) / (inside[1] - inside[0])
        own = np.array([item.distribution.below(value) for value in x])
        found[key] = item._replace(distance=float(np.abs(own - mixture).max()))
    return found


def bounds(key: str, cut: str) -> tuple[float, float]:
    """Ends of a parameter, infinite where there is none."""
    parameter = ImpactParameter[key.upper()]
    given = BOUNDS.parameters.get(parameter)
    if cut == "none" or given is None or parameter == ImpactParameter["TAU"]:  # of which theory has no bounds
        return -np.inf, np.inf
    if cut == "base":
        return given.low, given.high
    return (given.low, np.inf) if given.low == 0.0 else (-np.inf, np.inf)


def _short(number: float) -> float:
    return float(f"{number:.4g}")


MEASURES = ("avrf", "opmf", "edge_impacts", "duration")
LONGER = 3.0  # times that a simulated test may last, of the measured [1]
STILL = 1.0  # before and after the motion [s]


class ReplicatedTest(NamedTuple):
    """A test to simulate, for another process."""

    name: str
    body: Body
    impact: Impact  # what is not drawn
    edge: int
    tilt: float  # of the release [rad]
    sensor: dict[str, float]  # rate [1/s], noise [rad/s] and averaging [1]
    duration: float  # as measured [s]
    parameters: tuple[str, ...]
    values: Array  # (replicates, k)
    seed: int


def describe_test(
    body: Body, recording: Recording, along: Array, across: Array, averaging: float
) -> dict[str, Any]:
    """What a check needs of a test besides its fit: ``measures``, and the ``sensor``.

    Where nothing can be measured, because the body does not rock back, all measures are 0.
    """
    noise = float(np.median([rate_noise(column) for column in recording.angular_velocity.T]))
    rate = 1.0 / float(np.median(np.diff(recording.time)))
    try:
        found = measure_test(body, recording, along, across).squeeze("test")
        measures = {name: float(found[name].fillna(0.0)) for name in MEASURES}
    except ValueError:
        measures = dict.fromkeys(MEASURES, 0.0)
    return {"measures": measures, "sensor": {"rate": rate, "noise": noise, "averaging": averaging}}


def replicated_parameters(data: Any, tests: list[str], replicates: int, seed: int) -> Array:
    """Impact parameters of campaigns (replicates, tests, k), each with specimens and positions of its own."""
    posterior, constant = data.posterior.stack(sample=("chain", "draw")), data.constant_data
    chosen = np.linspace(0, posterior.sizes["sample"] - 1, replicates).astype(int)
    posterior = posterior.isel(sample=chosen).transpose("sample", ...)
    keys = posterior["parameter"].values.tolist()
    rows = [int(np.flatnonzero(constant["test"].values == name)[0]) for name in tests]
    specimen = constant["specimen"].values[rows]
    place = np.array([f"{s}/{p}" for s, p in zip(specimen, constant["position"].values[rows], strict=True)])
    root = np.zeros((replicates, len(keys), len(keys))) + np.eye(len(keys))
    for i, one in enumerate(keys):
        for j, other in enumerate(keys[i + 1 :], i + 1):
            root[:, i, j] = root[:, j, i] = posterior["correlation"].sel(pair=f"{one}, {other}").values
    roots = np.linalg.cholesky(root)
    found = np.repeat(posterior["mean"].values[:, None, :], len(tests), 1)
    if "effect" in posterior:
        apart = constant["covariates"].values[rows] - posterior["at"].values
        found = found + np.einsum("tc,sck->stk", apart, posterior["effect"].transpose("sample", ...).values)
    rng = np.random.default_rng(np.random.SeedSequence((seed, 2)))
    for level, groups in (("specimen", specimen), ("position", place), ("repetition", np.array(tests))):
        if f"sd_{level}" in posterior:
            names, group = np.unique(groups, return_inverse=True)
            score = rng.standard_normal((replicates, len(names), len(keys)))
            term = np.einsum("sij,sgj->sgi", roots, score) * posterior[f"sd_{level}"].values[:, None, :]
            found = found + term[:, group]
    return found


def replicated_tests(
    data: Any, fits: dict[str, dict[str, Any]], bodies: list[tuple[Body, Impact]], replicates: int, seed: int
) -> list[ReplicatedTest]:
    """Tests of campaigns with parameters drawn from a population, from the numbers of their fits by name."""
    values = replicated_parameters(data, list(fits), replicates, seed)
    keys = tuple(data.posterior["parameter"].values.tolist())
    return [
        ReplicatedTest(
            name=name,
            body=body,
            impact=impact,
            edge=numbers["edge"],
            tilt=numbers["estimates"]["tilt"]["value"],
            sensor=numbers["sensor"],
            duration=numbers["measures"]["duration"],
            parameters=keys,
            values=values[:, i],
            seed=seed + i,
        )
        for i, ((name, numbers), (body, impact)) in enumerate(zip(fits.items(), bodies, strict=True))
    ]


def simulated_measures(test: ReplicatedTest) -> tuple[str, Array]:
    """Name of a test and `MEASURES` of its runs (replicates, 4), as its sensor shows them."""
    rocking, rate = FreeRocking(test.body, test.edge, test.impact, Controls()), test.sensor["rate"]
    rng, found = np.random.default_rng(test.seed), []
    for values in test.values:
        until = LONGER * test.duration + STILL
        run = rocking(test.tilt, dict(zip(test.parameters, values.tolist(), strict=True)), until)
        at = np.arange(round((run.time[-1] + 2.0 * STILL) * rate) + 1) / rate
        width = test.sensor["averaging"] / rate
        clean = means(run.time, run.angular_velocity, at - STILL, width)
        noisy = Recording(at, clean + rng.normal(0.0, test.sensor["noise"], clean.shape), name="simulated")
        measured = describe_test(test.body, noisy.trimmed(), rocking.along, rocking.across, 1.0)["measures"]
        found.append([measured[name] for name in MEASURES])
    return test.name, np.array(found)


def read_campaign_fits(folder: Path) -> dict[str, dict[str, Any]]:
    """Numbers of the fits of a campaign by test, with the body of each; of those that have measures.

    Raises
    ------
    ConfigError
        If the folder has no table of a campaign, or none of its fits has measures.
    """
    import pandas as pd

    found: dict[str, dict[str, Any]] = {}
    if not (folder / "tests.csv").is_file():
        raise ConfigError(f"{folder}: no tests.csv; a check needs the folder of `mcrock fit --table`")
    table = pd.read_csv(folder / "tests.csv", dtype=str)
    for test, body in zip(table["test"], table["body"], strict=True):
        place = folder / test / "fit.json"
        numbers = read_json(place) if place.is_file() else {}
        if "measures" in numbers:
            found[str(test)] = numbers | {"file": str(body)}
    if not found:
        raise ConfigError(f"{folder}: no fit has measures to check; `mcrock fit --overwrite` makes them")
    return found


def predictive_check(
    measured: list[dict[str, float]], simulated: list[Array], tests: list[str]
) -> xr.Dataset:
    """Measured tests within campaigns that were simulated for them.

    Parameters
    ----------
    measured : list of dict
        `MEASURES` of the tests.
    simulated : list of ndarray (replicates, m)
        The same of their runs, each row of all of one campaign.
    tests : list of str

    Returns
    -------
    Dataset
        ``measured`` (test, measure), ``simulated`` (replicate, test, measure), ``rank`` (test, measure): the
        share of simulated tests below the measured one, ties by halves [1]; ``p_value`` (measure) [1], of the
        Cramer-von Mises distance of the ranks from uniform ones. Its distribution is that of the simulated
        campaigns among each other, in which tests of a specimen hang together as they do in the measured one:
        if that is one of them, the p-value is uniform, whatever the repetitions.
    """
    values = np.array([[each[name] for name in MEASURES] for each in measured])
    runs = np.stack(simulated, 1)
    every = np.concatenate([values[None], runs])
    ranks = (rankdata(every, axis=0) - 0.5) / len(every)
    n = len(tests)
    even = (np.arange(n) + 0.5) / n
    distance = 1.0 / (12.0 * n) + ((np.sort(ranks, axis=1) - even[:, None]) ** 2).sum(1)
    dims = ("test", "measure")
    return xr.Dataset(
        {
            "measured": (dims, values),
            "simulated": (("replicate", *dims), runs),
            "rank": (dims, ranks[0], {"units": "1"}),
            "p_value": ("measure", (distance >= distance[0]).mean(0), {"units": "1"}),
        },
        coords={"test": tests, "measure": list(MEASURES)}
        | {"units": ("measure", [VARIABLES[name][1] for name in MEASURES])},
    )
