"""Impact parameters of a population of tests: means, scatters, covariates and predictions.

    estimate = mean + effects of covariates + of the specimen + of the position on it + of the repetition
        + error of the fit

Each term is normal, over all parameters together: the error with standard errors and correlations of the
fit, the others with a scatter for each parameter and one matrix of correlations that they share. The scale is
the parameter itself: fitted lambdas leave every bound that theory has for them (Várkonyi et al. 2022, section
5.3: lambda_lon up to 1.5, |lambda_lat| up to 5), and a scale that ends at a bound could not hold such
estimates. What physics excludes is cut away where the distribution is written into a study
(`mcrock.measurement.predictive`).

What may move the impact parameters from test to test: numbers and categories beside the tests.

NumPyro samples the model, ArviZ keeps what it found; both are optional.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from mcrock.base.checks import suggest
from mcrock.base.tables.parsing import ConfigError
from mcrock.base.units import plain_number
from mcrock.measurement.campaign import WORDS, chosen_parameters, left_out, read_tests, unexplained

if TYPE_CHECKING:
    import pandas as pd

    from mcrock.body import Body
    from mcrock.measurement.misfit import FreeRocking

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


# of a category: its values but the first have a column each, for what they change from it
COLUMN = re.compile(r"(?P<name>.+) = (?P<value>.+), not (?P<other>.+)")


class Design(NamedTuple):
    """Covariates of the rows of a table, each category in a column for all of its values but the first."""

    columns: tuple[str, ...]  # names; of a category as in "material = marble, not granite"
    values: NDArray[np.float64]  # (rows, c) numbers in the unit of the table; 1 where a row has that value
    centre: NDArray[np.float64]  # (c,) means over the tests
    width: NDArray[np.float64]  # (c,) standard deviations over the tests
    usual: NDArray[np.float64]  # (c,) means of numbers, and of categories what most tests have


def design(table: pd.DataFrame, names: Sequence[str]) -> Design:
    """Columns of a checked table of tests as covariates.

    Raises
    ------
    ConfigError
        If a cell is empty, a test has several values, all tests have one value, one column follows from the
        others, or there are too few specimens for them.
    """
    import pandas as pd

    columns: dict[str, NDArray[np.float64]] = {}
    usual: list[float] = []
    first = ~table.duplicated("test").to_numpy()
    for name in names:
        cells = table[name]
        if (cells == "").any():
            raise ConfigError(f"test {table['test'][(cells == '').idxmax()]!r} has no {name}; give it one")
        if (several := table.groupby("test")[name].nunique()).max() > 1:
            raise ConfigError(f"test {several.idxmax()!r} has several values of {name}; a test has one")
        if (values := sorted(cells.unique()))[:-1] == []:
            raise ConfigError(f"all tests have {name} {values[0]}: what else it would do does not show")
        numbers = pd.to_numeric(cells, "coerce").to_numpy(float)
        if np.isfinite(numbers).all():
            columns[name] = numbers
            usual.append(float(numbers[first].mean()))
        else:
            most = cells[first].mode()[0]
            columns |= {
                f"{name} = {one}, not {values[0]}": (cells == one).to_numpy(float) for one in values[1:]
            }
            usual += [float(one == most) for one in values[1:]]
    found = np.stack(list(columns.values()), -1) if columns else np.zeros((len(table), 0))
    tests, specimens = found[first], table["specimen"].nunique()
    if np.linalg.matrix_rank(np.column_stack([np.ones(len(tests)), tests])) <= len(columns):
        raise ConfigError(f"of {', '.join(columns)} one follows from the others in these tests; leave it out")
    if columns and specimens < len(columns) + 3:
        raise ConfigError(
            f"{', '.join(columns)}: tests of {specimens} specimens; to tell effects from the scatter between "
            f"specimens, {len(columns) + 3} or more are needed"
        )
    return Design(tuple(columns), found, tests.mean(0), tests.std(0), np.array(usual))


def at_values(
    columns: Sequence[str], given: Sequence[str], usual: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Covariates (c,) at words such as "depth=0.14" and "material=marble"; those not given stay as usual.

    Raises
    ------
    ValueError
        If a word names none of the covariates or of the values of a category, or a number is none.

    Examples
    --------
    >>> columns = ("depth", "material = marble, not granite")
    >>> at_values(columns, ["depth=0.14", "material=marble"], np.zeros(2)).tolist()
    [0.14, 1.0]
    """
    found = usual.copy()
    parts = [COLUMN.fullmatch(column) for column in columns]
    names = [column if part is None else part["name"] for column, part in zip(columns, parts, strict=True)]
    for word in given:
        name, _, value = (part.strip() for part in word.partition("="))
        own = [i for i, each in enumerate(names) if each == name]
        if not own or not value:
            known = ", ".join(f"{each}=VALUE" for each in dict.fromkeys(names))
            raise ValueError(
                f"--at needs a covariate and its value, got {word!r}{suggest(name, names)}; "
                f"{known or '--covariate takes covariates, and there are none'}"
            )
        values = [value for i in own if (part := parts[i]) for value in (part["other"], part["value"])]
        if values and value not in values:
            there = ", ".join(dict.fromkeys(values))
            raise ValueError(f"no test has {name} {value!r}{suggest(value, values)}; there are {there}")
        try:
            found[own] = [
                float(part["value"] == value) if (part := parts[i]) else plain_number(value) for i in own
            ]
        except ValueError:
            raise ValueError(f"{name} is a number in the tests, got {value!r}") from None
    return found


def at_in_words(columns: Sequence[str], values: NDArray[np.float64]) -> str:
    """Covariates (c,) as they are given.

    >>> at_in_words(("depth", "material = marble, not granite"), np.array([0.14, 0.0]))
    'depth = 0.14, material = granite'
    """
    words: dict[str, str] = {}
    for column, value in zip(columns, values.tolist(), strict=True):
        part = COLUMN.fullmatch(column)
        if part is None:
            words[column] = f"{value:.4g}"
        elif value == 1.0:
            words[part["name"]] = part["value"]
        else:
            words.setdefault(part["name"], part["other"])
    return ", ".join(f"{name} = {value}" for name, value in words.items())


def sizes(body: Body, rocking: FreeRocking) -> dict[str, float]:
    """Covariates that a body has by itself, as it was released; a table may have its own in their place.

    Returns
    -------
    dict of float
        ``depth``, along the edge of the release, ``width``, across it, and ``height`` [m], all of the whole
        body; ``slenderness`` over that edge [rad].
    """
    axes = {
        "depth": rocking.along,
        "width": rocking.across,
        "height": np.cross(rocking.along, rocking.across),
    }
    extents = {name: float(np.ptp(body.vertices @ axis)) for name, axis in axes.items()}
    return extents | {"slenderness": rocking.most_tilt}


FEWEST_SPECIMENS = 3  # of which the scatter between specimens is told apart from their mean
LARGEST_RHAT = 1.01
LEAST_DRAWS = 400.0  # effective number, in the bulk and in the tails
DIVERGENT = "divergent transitions: the sampler left out a part of the posterior"
HYPER = ("mean", "sd_specimen", "sd_position", "sd_repetition")


class Diagnosis(NamedTuple):
    """Whether the chains of a sampler can be trusted."""

    rhat: float  # largest of all unknowns [1]
    effective: float  # smallest effective number of draws of all unknowns, in the bulk and in the tails [1]
    divergences: int | None  # None: the data do not say
    problems: tuple[str, ...]  # empty: they can


def fit_population(
    source: str | Path | pd.DataFrame,
    *,
    seed: int = 0,
    parameters: list[str] | None = None,
    covariates: Sequence[str] = (),
    specimens: int = FEWEST_SPECIMENS,
    prior_scale: float = 1.0,
    draws: int = 2000,
    target_accept: float = 0.95,
) -> Any:
    """Sample the distribution of impact parameters between specimens, positions and repetitions.

    Parameters
    ----------
    source : str, Path or DataFrame
        Fits of single tests, see `mcrock.measurement.campaign.read_tests`.
    seed : int
        Of the sampler.
    parameters : list of str, optional
        Impact parameters to take; by default all of the table.
    covariates : sequence of str
        Columns of the table, numbers or categories, that may move the parameters: each with an effect on each
        parameter, whose prior is normal of width 2 s for one standard deviation of the covariate.
    specimens : int
        Fewest that will do. With fewer than three the scatter between specimens is that of its prior: nothing
        can be said of a new one, and of those that were tested by `of_specimen`.
    prior_scale : float
        Factor on the widths of the priors [1]: with s the standard deviation of the estimates of a parameter,
        the mean has a normal prior of width 5 s, each scatter a half-normal one of scale 2 s.
    draws : int
        That are kept of each of four chains, after 1000 of warm-up.
    target_accept : float
        Acceptance rate that the sampler aims at [1]: near 1 the steps are smaller, and divergences rarer.

    Returns
    -------
    arviz.InferenceData
        ``posterior`` with ``mean``, ``sd_specimen``, ``sd_position``, ``sd_repetition`` (chain, draw,
        parameter) in the unit of the parameter, and ``correlation`` (chain, draw, pair) of several [1]; with
        covariates ``effect`` (chain, draw, covariate, parameter), of one unit of it, and the mean is of tests
        with the covariates of the coordinate ``at``, those usual in the tests;
        ``predictions`` with ``new_test``, of a new specimen, and of those tested ``specimen_mean`` and, with
        scatters below it, ``specimen_test`` (chain, draw, specimen, parameter);
        ``sample_stats``, ``observed_data``, ``constant_data``. A level that the table cannot tell from the
        one above it is left out: its scatter is in that of the other.

    Raises
    ------
    ConfigError
        If the table does not fit.
    ValueError
        If an option is out of range, a parameter has tests of fewer than three specimens, or NumPyro or ArviZ
        is not installed.
    """
    if draws < 100:
        raise ValueError(f"draws must be at least 100, got {draws!r}")
    if not 0.5 <= target_accept < 1.0:
        raise ValueError(f"target_accept must be >= 0.5 and < 1 [1], got {target_accept!r}")
    if not (np.isfinite(prior_scale) and prior_scale > 0.0):
        raise ValueError(f"prior_scale must be finite and > 0 [1], got {prior_scale!r}")
    table = read_tests(source, covariates)
    keys = chosen_parameters(table, parameters)
    others = [key for key in table["parameter"].unique() if key not in keys]
    table = table[table["parameter"].isin(keys)].reset_index(drop=True)
    check_specimens(table, specimens)
    scales = _scales(table, keys)
    kind = Sampling(len(keys), table["specimen"].nunique(), _levels(table), prior_scale, draws, target_accept)
    data = _sample(table, keys, scales, design(table, covariates), kind, seed)
    is_file = isinstance(source, str | Path)
    data.posterior.attrs |= {
        "source": Path(source).name if isinstance(source, str | Path) else "a table in memory",
        "sha256": sha256(
            table.to_csv(index=False).encode()
        ).hexdigest(),  # of the rows that were taken, sorted
        "left_out": ", ".join(others),
        **{
            f"tests_{name}": "\n".join(of(Path(source), table["test"]) if is_file else [])
            for name, of in (("left_out", left_out), ("unexplained", unexplained))
        },
    }
    if divergences := int(data.sample_stats["diverging"].sum()):
        warnings.warn(f"{divergences} {DIVERGENT}; take a target_accept nearer to 1", stacklevel=2)
    return data


def inference_data(**groups: xr.Dataset) -> Any:
    """ArviZ's container of datasets."""
    return _arviz().InferenceData(**groups)


def load_population(path: str | Path) -> Any:
    """InferenceData from a netCDF file, of `fit_population` or of another sampler with its variables.

    Raises
    ------
    ValueError
        If the file is none, its posterior has not the variables, or ArviZ is not installed.
    """
    arviz = _arviz()
    if not Path(path).is_file():
        raise ValueError(f"{path}: no such file")
    try:
        data = arviz.from_netcdf(path)
    except (OSError, ValueError) as error:
        raise ValueError(f"{path}: no InferenceData in netCDF: {error}") from None
    check_posterior(data, str(path))
    return data


def check_posterior(data: Any, name: str = "the InferenceData") -> xr.Dataset:
    """The posterior of InferenceData, with the variables of a population.

    Raises
    ------
    ValueError
        If there is none or a variable is missing; the scatters are optional, but for one.
    """
    posterior: xr.Dataset = getattr(data, "posterior", xr.Dataset())
    found = [str(key) for key in posterior.data_vars]
    scatters = [key for key in HYPER[1:] if key in found]
    wrong = [
        key
        for key in ("mean", *scatters)
        if key in found and set(posterior[key].dims) != {"chain", "draw", "parameter"}
    ]
    if "mean" not in found or not scatters or wrong:
        raise ValueError(
            f"{name}: expected a posterior with 'mean' and one or more of {', '.join(map(repr, HYPER[1:]))} "
            f"over (chain, draw, parameter), got {', '.join(map(repr, found)) or 'none'}"
            + (f", of which {wrong[0]!r} is over {posterior[wrong[0]].dims}" if wrong else "")
        )
    return posterior


def diagnose(data: Any) -> Diagnosis:
    """What the chains say of themselves: R-hat, effective numbers of draws, divergences.

    Raises
    ------
    ValueError
        If the posterior has not the variables of a population.
    """
    arviz, posterior = _arviz(), check_posterior(data)
    rhat = _extreme(arviz.rhat(posterior), np.max)
    effective = min(_extreme(arviz.ess(posterior, method=method), np.min) for method in ("bulk", "tail"))
    stats = getattr(data, "sample_stats", None)
    known = stats is not None and "diverging" in stats
    divergences = int(stats["diverging"].sum()) if stats is not None and known else None
    problems = []
    if not rhat <= LARGEST_RHAT:
        problems.append(f"R-hat reaches {rhat:.3f}, and should be {LARGEST_RHAT} at most: chains differ")
    if not effective >= LEAST_DRAWS:
        problems.append(
            f"only {effective:.0f} effective draws of an unknown, and {LEAST_DRAWS:.0f} are needed"
        )
    if divergences:
        problems.append(f"{divergences} {DIVERGENT}")
    return Diagnosis(rhat, effective, divergences, tuple(problems))


def _sample(
    table: pd.DataFrame,
    keys: list[str],
    scales: tuple[NDArray[np.float64], NDArray[np.float64]],
    covariates: Design,
    kind: Sampling,
    seed: int,
) -> Any:
    """`fit_population` of a checked table."""
    jax, numpyro = load_numpyro()
    centre, width = scales
    specimens = list(dict.fromkeys(table["specimen"]))
    apart = (covariates.values - covariates.centre) / covariates.width
    with jax.enable_x64(True):
        both = sampler(kind)(jax.random.PRNGKey(seed), grouped(table, keys, scales, apart))
        found, extra = ({name: np.asarray(v) for name, v in each.items()} for each in both)
    dims = ("chain", "draw", "parameter")
    pairs = {f"{one}, {other}": (i, j) for i, one in enumerate(keys) for j, other in enumerate(keys) if i < j}
    variables: dict[str, Any] = {"mean": (dims, centre + width * found["mean"])}
    variables |= {f"sd_{name}": (dims, width * found[f"sd_{name}"]) for name in kind.levels}
    coords: dict[str, Any] = {"chain": np.arange(CHAINS), "draw": np.arange(kind.draws)}
    coords |= {"parameter": keys} | ({"pair": list(pairs)} if pairs else {})
    if pairs:
        together = found["correlation"] @ np.swapaxes(found["correlation"], -1, -2)
        cells = np.stack([together[..., i, j] for i, j in pairs.values()], -1)
        variables["correlation"] = (("chain", "draw", "pair"), cells)
    names = {name: ("row", table[name].to_numpy(dtype=str)) for name in WORDS}
    known: dict[str, Any] = {**names, "standard_error": ("row", table["standard_error"].to_numpy())}
    if covariates.columns:
        effect = found["effect"] / covariates.width[:, None] * width
        variables["effect"] = (("chain", "draw", "covariate", "parameter"), effect)
        coords |= {"covariate": list(covariates.columns), "at": ("covariate", covariates.centre)}
        known["covariates"] = (("row", "covariate"), covariates.values)
    posterior = xr.Dataset(
        variables,
        coords=coords,
        attrs={
            "inference_library": "numpyro",
            "inference_library_version": numpyro.__version__,
            "seed": seed,
            "prior_scale": kind.prior_scale,
            "target_accept": kind.target_accept,
        },
    )
    seen = centre + width * found["specimen_value"], found["specimen_covariance"] * np.outer(width, width)
    data = inference_data(
        posterior=posterior,
        predictions=new_test(posterior, seed).merge(_tests_of_specimens(posterior, specimens, *seen, seed)),
        sample_stats=xr.Dataset({name: (("chain", "draw"), v) for name, v in extra.items()}),
        observed_data=xr.Dataset({"estimate": ("row", table["estimate"].to_numpy())}),
        constant_data=xr.Dataset(known),
    )
    return at_covariates(data, covariates.usual) if covariates.columns else data


def _tests_of_specimens(
    posterior: xr.Dataset, specimens: list[str], value: Any, covariance: Any, seed: int
) -> xr.Dataset:
    """What each specimen that was tested is like, and a new test on it, for each draw."""
    mean, together = posterior["mean"].values[:, :, None, :], _correlations(posterior)
    scatter = {name: posterior[name].values for name in HYPER[1:] if name in posterior}
    wide = {name: together * sd[..., :, None] * sd[..., None, :] for name, sd in scatter.items()}
    prior, own = np.linalg.inv(wide.pop("sd_specimen"))[:, :, None], np.linalg.inv(covariance)
    left = np.linalg.inv(own + prior)
    middle = np.einsum("...ij,...j->...i", left, np.einsum("...ij,...j->...i", own, value))
    middle = middle + np.einsum("...ij,...jk,...k->...i", left, prior, mean)
    scores = np.random.default_rng(np.random.SeedSequence((seed, 1))).standard_normal((2, *middle.shape))
    own = middle + np.einsum("...ij,...j->...i", np.linalg.cholesky(left), scores[0])
    dims, found = ("chain", "draw", "specimen", "parameter"), {}
    if wide:
        root = np.linalg.cholesky(sum(wide.values()))[:, :, None]
        found["specimen_test"] = (dims, own + np.einsum("...ij,...j->...i", root, scores[1]))
    return xr.Dataset(
        {"specimen_mean": (dims, own), **found},
        coords={"specimen": specimens, "parameter": posterior["parameter"]},
    )


def _correlations(posterior: xr.Dataset) -> NDArray[np.float64]:
    """Matrices of correlation between parameters (chain, draw, k, k); of data without them, none."""
    keys = posterior["parameter"].values.tolist()
    shape = posterior["mean"].transpose("chain", "draw", "parameter").shape
    found = np.zeros((*shape, len(keys))) + np.eye(len(keys))
    for i, one in enumerate(keys):
        for j, other in enumerate(keys[i + 1 :], i + 1):
            if "correlation" in posterior:
                cells = posterior["correlation"].sel(pair=f"{one}, {other}").values
                found[..., i, j] = found[..., j, i] = cells
    return found


def of_specimen(data: Any, name: str) -> Any:
    """The population as it is for tests on one specimen, whose mean is that of this one.

    They are in a new position if the scatter of positions is known, else repetitions in that of its tests.

    Raises
    ------
    ValueError
        If no test was of this specimen, none was repeated on any, or the data do not say.
    """
    known = getattr(data, "predictions", xr.Dataset())
    names = known["specimen"].values.tolist() if "specimen_mean" in known else []
    if name not in names:
        raise ValueError(
            f"no tests of specimen {name!r}{suggest(name, names)}; there are those of "
            f"{', '.join(names) or 'none'}"
        )
    if "specimen_test" not in known:
        raise ValueError("no test was repeated on a specimen: what a new test on one would give is not known")
    if "effect" in data.posterior:  # its own covariates
        constant = data.constant_data
        of_it = constant["covariates"].values[constant["specimen"].values == name]
        data = at_covariates(data, of_it.mean(0))
        known = data.predictions
    own = known.sel(specimen=name).drop_vars("specimen")
    posterior = data.posterior.assign(mean=own["specimen_mean"]).drop_vars("sd_specimen")
    groups = {key: getattr(data, key) for key in ("sample_stats", "observed_data", "constant_data")}
    return inference_data(
        posterior=posterior.assign_attrs(specimen=name),
        predictions=xr.Dataset({"new_test": own["specimen_test"]}),
        **groups,
    )


def at_covariates(data: Any, given: Sequence[str] | NDArray[np.float64]) -> Any:
    """The population as it is for tests with other covariates.

    Parameters
    ----------
    data : arviz.InferenceData
    given : sequence of str or ndarray (c,)
        As "depth=0.14" and "material=marble"; those not given stay as they are. Or all of them in the order
        of the posterior.

    Raises
    ------
    ValueError
        If a word names none of the covariates, or a number is none.
    """
    posterior = data.posterior
    if isinstance(given, np.ndarray):
        values = given
    elif "effect" in posterior:
        values = at_values(posterior["covariate"].values.tolist(), given, posterior["at"].values)
    elif given:
        values = at_values([], given, np.zeros(0))
    else:
        return data
    shift = (posterior["effect"] * (xr.DataArray(values, dims="covariate") - posterior["at"])).sum(
        "covariate"
    )
    groups = {key: getattr(data, key) for key in ("sample_stats", "observed_data", "constant_data")}
    moved = {name: array + shift for name, array in data.predictions.data_vars.items()}
    return inference_data(
        posterior=posterior.assign(mean=posterior["mean"] + shift).assign_coords(at=("covariate", values)),
        predictions=data.predictions.assign(moved),
        **groups,
    )


def new_test(posterior: xr.Dataset, seed: int = 0) -> xr.Dataset:
    """A ``new_test`` (chain, draw, parameter) on a new specimen for each draw of the posterior."""
    scatter = total_scatter(posterior)
    score = np.random.default_rng(np.random.SeedSequence(seed)).standard_normal(scatter.shape)
    if "correlation" in posterior:
        score = np.einsum("...ij,...j->...i", np.linalg.cholesky(_correlations(posterior)), score)
    return xr.Dataset({"new_test": posterior["mean"] + scatter * score})


def has_tests(data: Any) -> bool:
    """Whether a population says which tests it is from; one of another sampler may not."""
    constant, observed = getattr(data, "constant_data", {}), getattr(data, "observed_data", {})
    return {*WORDS[:3], "parameter", "standard_error"} <= set(constant) and "estimate" in observed


def origin_in_words(data: Any) -> str:
    """How many tests a population is from, of how many specimens and positions, and which file."""
    attrs = data.posterior.attrs
    words = "tests that the data do not name"
    if has_tests(data):
        constant = data.constant_data
        pairs = zip(constant["specimen"].values.tolist(), constant["position"].values.tolist(), strict=True)
        tests, specimens = (len(np.unique(constant[name].values)) for name in ("test", "specimen"))
        words = f"{tests} tests of {specimens} specimens in {len(set(pairs))} positions"
    source = f", {attrs['source']}" if "source" in attrs else ""
    return words + source + (f" (sha256 {attrs['sha256'][:12]})" if "sha256" in attrs else "")


def total_scatter(posterior: xr.Dataset) -> xr.DataArray:
    """Standard deviation of single tests of new specimens, for each draw of the posterior."""
    squares = [posterior[name] ** 2 for name in HYPER[1:] if name in posterior]
    total: xr.DataArray = sum(squares[1:], squares[0]) ** 0.5
    return total.transpose(*posterior["mean"].dims)


def check_specimens(table: pd.DataFrame, fewest: int = FEWEST_SPECIMENS) -> None:
    """Refuse tests, rows with a ``parameter`` and a ``specimen``, that are of too few for a new one.

    Raises
    ------
    ValueError
        If a parameter has tests of fewer specimens.
    """
    for key, count in table.groupby("parameter", sort=False)["specimen"].nunique().items():
        if count < fewest:
            raise ValueError(
                f"{key}: tests of {count} specimens; the scatter between specimens needs {fewest} or more, "
                "and a distribution for a new one needs that scatter; --for NAME predicts one that was tested"
            )


def _scales(table: pd.DataFrame, keys: list[str]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean and standard deviation of the estimates of every parameter."""
    centre, width = np.empty(len(keys)), np.empty(len(keys))
    for i, key in enumerate(keys):
        rows = table[table["parameter"] == key]
        centre[i], width[i] = rows["estimate"].mean(), rows["estimate"].std()
        if not width[i] > 0.0:
            raise ValueError(
                f"{key}: all {len(rows)} estimates are {centre[i]:g}; there is no scatter to fit"
            )
    return centre, width


def _levels(table: pd.DataFrame) -> tuple[str, ...]:
    """Levels that the tests can tell apart."""
    several = table.groupby(["parameter", "specimen"])["position"].nunique().max() > 1
    again = table.groupby(["parameter", "specimen", "position"]).size().max() > 1
    return ("specimen", *(("position",) if several else ()), *(("repetition",) if again else ()))


def _extreme(values: xr.Dataset, function: Any) -> float:
    """Largest or smallest number of a dataset; NaN if there is one."""
    return float(function([function(array.values) for array in values.data_vars.values()]))


def _arviz() -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # of the next version, which the bound leaves out
            import arviz
    except ImportError as error:
        raise ValueError(f"a population needs ArviZ; get it: {INSTALL}") from error
    return arviz
