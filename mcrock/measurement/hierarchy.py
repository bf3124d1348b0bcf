"""The hierarchical model of a population of tests.

    estimate = mean + effects of covariates + of the specimen + of the position on it + of the repetition
        + error of the fit

Each term is normal, over all parameters together: the error with standard errors and correlations of the
fit, the others with a scatter for each parameter and one matrix of correlations that they share. The scale is
the parameter itself: fitted lambdas leave every bound that theory has for them (Várkonyi et al. 2022, section
5.3: lambda_lon up to 1.5, |lambda_lat| up to 5), and a scale that ends at a bound could not hold such
estimates. What physics excludes is cut away where the distribution is written into a study
(`mcrock.measurement.written`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

INSTALL = "pip install 'mcrock[population]'"
WIDE_MEAN = 5.0  # standard deviation of the prior of the mean over that of the estimates [1]
WIDE_SCATTER = 2.0  # scale of the half-normal prior of each scatter over the same [1]
WIDE_EFFECT = 2.0  # standard deviation of the prior of an effect, for one of its covariate, over the same [1]
CONCENTRATION = 2.0  # of the prior of the correlations, LKJ: 1 is uniform, above it they are small
UNSEEN = 1e8  # variance of an estimate that a test lacks, over that of those there are [1]
CHAINS = 4
WARM_UP = 1000  # draws of each chain, in which the sampler finds its step


class Grouped(NamedTuple):
    """Tests as the model takes them: n of k parameters at m positions, with c covariates."""

    values: NDArray[np.float64]  # (n, k) estimates, in units of their scatter [1]
    errors: NDArray[np.float64]  # (n, k, k) covariances in these units [1]
    covariates: NDArray[np.float64]  # (n, c) less their means, over their standard deviations [1]
    place: NDArray[np.intp]  # (n,) position of each test
    specimen: NDArray[np.intp]  # (m,) specimen of each position


class Sampling(NamedTuple):
    """What a compiled sampler is for, but for the numbers that it is given."""

    parameters: int
    specimens: int
    levels: tuple[str, ...]
    prior_scale: float
    draws: int
    target_accept: float


def grouped(
    table: pd.DataFrame,
    keys: list[str],
    scales: tuple[NDArray[np.float64], NDArray[np.float64]],
    covariates: NDArray[np.float64],
) -> Grouped:
    """Tests of a checked table, with covariates of each of its rows (rows, c) in units of their scatter."""
    _, of_test = _groups(table, "specimen", "position", "test")
    _, of_place = _groups(table, "specimen", "position")
    _, of_specimen = _groups(table, "specimen")
    first = np.unique(of_test, return_index=True)[1]
    specimen = of_specimen[np.unique(of_place, return_index=True)[1]]
    return Grouped(*_by_test(table, keys, of_test, scales), covariates[first], of_place[first], specimen)


@lru_cache(maxsize=4)
def sampler(kind: Sampling) -> Callable[..., Any]:
    """NUTS of the model by a key and `Grouped`: draws, and what it says of them, both by chain.

    All of it is one compiled function, so that it is compiled once for tables of one shape: that takes longer
    than the sampling.
    """
    jax, numpyro = load_numpyro()

    def run(key: Any, tests: Grouped) -> tuple[dict[str, Any], dict[str, Any]]:
        chains = numpyro.infer.MCMC(
            numpyro.infer.NUTS(hierarchy(kind), target_accept_prob=kind.target_accept),
            num_warmup=WARM_UP,
            num_samples=kind.draws,
            num_chains=CHAINS,
            chain_method="vectorized",  # on one device, whatever the machine has
            progress_bar=False,
        )
        chains.run(key, *tests, extra_fields=("diverging", "num_steps", "energy"))
        return chains.get_samples(group_by_chain=True), chains.get_extra_fields(group_by_chain=True)

    return jax.jit(run)


def hierarchy(kind: Sampling) -> Callable[..., None]:
    """The hierarchical model, of the arrays of `Grouped`."""
    jax, numpyro = load_numpyro()
    jnp = jax.numpy
    number, prior_scale = kind.parameters, kind.prior_scale

    def pooled(value: Any, covariance: Any, group: Any, count: int) -> tuple[Any, Any, Any]:
        """Normal vectors of groups as one of each: value, covariance, and the logarithm of the rest."""
        total = partial(jax.ops.segment_sum, segment_ids=group, num_segments=count)
        weight, one = _inverse(jnp, covariance)
        left, two = _inverse(jnp, total(weight))
        middle = jnp.einsum("gij,gj->gi", left, total(jnp.einsum("nij,nj->ni", weight, value)))
        gap = value - middle[group]
        rest = jnp.einsum("ni,nij,nj->", gap, weight, gap) + one.sum() + two.sum()
        return middle, left, -0.5 * rest

    def model(values: Any, errors: Any, covariates: Any, place: Any, specimen: Any) -> None:
        normal, half = numpyro.distributions.Normal, numpyro.distributions.HalfNormal
        mean = numpyro.sample("mean", normal(0.0, WIDE_MEAN * prior_scale).expand([number]))
        if covariates.shape[1]:
            wide = normal(0.0, WIDE_EFFECT * prior_scale)
            effect = numpyro.sample("effect", wide.expand([covariates.shape[1], number]))
            values = values - covariates @ effect
        root = jnp.eye(number)
        if number > 1:
            lkj = numpyro.distributions.LKJCholesky(number, CONCENTRATION)
            root = numpyro.sample("correlation", lkj)
        scatter = {}
        for name in kind.levels:
            sd = numpyro.sample(f"sd_{name}", half(WIDE_SCATTER * prior_scale).expand([number]))
            scatter[name] = (sd[:, None] * root) @ (sd[:, None] * root).T
        # the terms of repetitions, positions and specimens are integrated out one after the other: what is
        # left to sample has none of the funnels on which samplers of such models get stuck
        single = errors + scatter.get("repetition", 0.0)
        at_place, left, one = pooled(values, single, place, specimen.shape[0])
        left = left + scatter.get("position", 0.0)
        at_specimen, left, two = pooled(at_place, left, specimen, kind.specimens)
        numpyro.deterministic("specimen_value", at_specimen)
        numpyro.deterministic("specimen_covariance", left)
        weight, three = _inverse(jnp, left + scatter["specimen"])
        gap = at_specimen - mean
        last = -0.5 * (jnp.einsum("ni,nij,nj->", gap, weight, gap) + three.sum())
        numpyro.factor("likelihood", one + two + last)

    return model


def _inverse(module: Any, matrices: Any) -> tuple[Any, Any]:
    """Inverses and logarithms of the determinants of positive definite matrices (n, k, k), by sweeps."""
    found, log = module.asarray(matrices), 0.0
    for k in range(found.shape[-1]):
        pivot, is_k = found[..., k, k], module.arange(found.shape[-1]) == k
        log = log + module.log(pivot)
        row, column = found[..., k, :] / pivot[..., None], found[..., :, k]
        rest = found - column[..., :, None] * row[..., None, :]
        rest = module.where(is_k[:, None], row[..., None, :], rest)
        column = module.where(is_k, 1.0, -column) / pivot[..., None]
        found = module.where(is_k, column[..., :, None], rest)
    return found, log


def _by_test(
    table: pd.DataFrame,
    keys: list[str],
    of_test: NDArray[np.intp],
    scales: tuple[NDArray[np.float64], NDArray[np.float64]],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Estimates (n, k) and covariances of their errors (n, k, k) test by test, in units of the scatter."""
    centre, width = scales
    number = int(of_test.max()) + 1
    values, spread = np.zeros((number, len(keys))), np.full((number, len(keys)), np.sqrt(UNSEEN))
    together = np.zeros((number, len(keys), len(keys))) + np.eye(len(keys))
    key = np.array([keys.index(name) for name in table["parameter"]])
    values[of_test, key] = (table["estimate"].to_numpy() - centre[key]) / width[key]
    spread[of_test, key] = table["standard_error"].to_numpy() / width[key]
    seen = spread < np.sqrt(UNSEEN)
    for j, name in enumerate(keys):
        if f"correlation_{name}" in table:
            cells = table[f"correlation_{name}"].to_numpy()
            together[of_test, key, j] = np.where(key == j, 1.0, cells * seen[of_test, j])
    return values, together * spread[:, :, None] * spread[:, None, :]


def _groups(table: pd.DataFrame, *columns: str) -> tuple[list[tuple[str, ...]], NDArray[np.intp]]:
    """Combinations of names in the order of the rows, and that of each row."""
    rows = list(zip(*(table[column] for column in columns), strict=True))
    groups = list(dict.fromkeys(rows))
    number = {group: i for i, group in enumerate(groups)}
    return groups, np.array([number[row] for row in rows])


def load_numpyro() -> tuple[Any, Any]:
    try:
        import jax
        import numpyro
        import numpyro.infer
    except ImportError as error:
        raise ValueError(f"fitting a population needs NumPyro; get it: {INSTALL}") from error
    return jax, numpyro
