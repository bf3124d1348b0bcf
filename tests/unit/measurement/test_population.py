"""Populations of tests: the sampler against quadrature and known scatters, its diagnostics, its files."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from mcrock.base.tables.parsing import ConfigError
from mcrock.measurement.campaign import chosen_parameters, read_tests
from mcrock.measurement.population import (
    WIDE_MEAN,
    WIDE_SCATTER,
    _levels,
    diagnose,
    fit_population,
    inference_data,
    load_population,
    origin_in_words,
)
from mcrock.measurement.predictive import predictive_density, predictive_moments, predictive_probability
from tests.unit.measurement.populations import TRUTH, posterior_of, table_of

HYPER = ("mean", "sd_specimen", "sd_position", "sd_repetition")


@pytest.fixture(scope="module")
def sampler():
    pytest.importorskip("numpyro", reason="NumPyro is not installed: pip install 'mcrock[population]'")


@pytest.fixture(scope="module")
def small():
    """One parameter, 24 tests of 6 specimens."""
    return table_of(3, {"lambda": TRUTH["lambda"]}, specimens=6, repetitions=2)


@pytest.fixture(scope="module")
def fitted(sampler, small):
    return fit_population(small, seed=1)


def quadrature(table):
    """Posterior means and standard deviations of the unknowns of one parameter, on a grid of the scatters.

    The covariance of the estimates is written out; the mean of the population is integrated in closed form.
    """
    y, error = table["estimate"].to_numpy(), table["standard_error"].to_numpy()
    width = y.std(ddof=1)
    y = y - y.mean()
    specimen = table["specimen"].to_numpy()
    place = specimen.astype(str) + table["position"].to_numpy().astype(object)
    same = [(names[:, None] == names).astype(float) for names in (specimen, place, np.arange(len(y)))]
    node, weight = np.polynomial.legendre.leggauss(36)
    end = 4.0 * width  # beyond it the posterior has nothing left: see the test of the end
    node, weight = 0.5 * end * (node + 1.0), 0.5 * end * weight
    grid = np.stack(np.meshgrid(node, node, node, indexing="ij"), -1).reshape(-1, 3)
    log = np.log(np.stack(np.meshgrid(weight, weight, weight, indexing="ij"), -1)).sum(-1).ravel()
    log -= 0.5 * (grid**2).sum(1) / (WIDE_SCATTER * width) ** 2
    mean, spread = np.empty(len(grid)), np.empty(len(grid))
    for part in np.array_split(np.arange(len(grid)), 20):
        covariance = np.diag(error**2) + np.einsum("gk,kij->gij", grid[part] ** 2, np.array(same))
        both = np.linalg.solve(covariance, np.stack([y, np.ones_like(y)], -1)[None])
        precision = both[:, :, 1].sum(1) + 1.0 / (WIDE_MEAN * width) ** 2
        pull = both[:, :, 0].sum(1)
        mean[part], spread[part] = pull / precision, 1.0 / precision
        log[part] += -0.5 * (np.linalg.slogdet(covariance)[1] + both[:, :, 0] @ y - pull**2 / precision)
        log[part] -= 0.5 * np.log(precision)
    share = np.exp(log - log.max())
    share /= share.sum()
    moments = {"mean": (share @ mean, share @ (mean**2 + spread))}
    moments |= {name: (share @ grid[:, i], share @ grid[:, i] ** 2) for i, name in enumerate(HYPER[1:])}
    found = {name: (first, np.sqrt(second - first**2)) for name, (first, second) in moments.items()}
    found["mean"] = (found["mean"][0] + table["estimate"].mean(), found["mean"][1])
    beyond = max(share[(grid[:, i] > 0.9 * end)].sum() for i in range(3))
    return found, beyond


def test_sampler_agrees_with_quadrature(fitted, small):
    """Within five standard errors of the sampler; one false alarm in 200,000 such tests."""
    exact, beyond = quadrature(small)
    assert beyond < 1e-3
    import arviz

    posterior = fitted.posterior.sel(parameter="lambda")
    effective = arviz.ess(posterior)
    for name, (mean, std) in exact.items():
        error = std / np.sqrt(float(effective[name]))
        assert abs(float(posterior[name].mean()) - mean) < 5.0 * error, name
        assert float(posterior[name].std()) == pytest.approx(std, rel=0.15), name


def test_fit_is_the_same_again_and_in_any_order_of_rows(fitted, small):
    again = fit_population(small.sample(frac=1.0, random_state=0), seed=1)
    xr.testing.assert_identical(again.posterior, fitted.posterior)
    xr.testing.assert_identical(again.predictions, fitted.predictions)
    other = fit_population(small, seed=2)
    assert not np.array_equal(other.posterior["mean"], fitted.posterior["mean"])


def test_draws_of_a_new_test_are_those_of_the_mixture(fitted):
    """Mean and standard deviation of 4000 draws within five standard errors."""
    mean, std = (values[0] for values in predictive_moments(fitted.posterior))
    draws = fitted.predictions["new_test"].sel(parameter="lambda").values.ravel()
    assert draws.mean() == pytest.approx(mean, abs=5.0 * std / np.sqrt(draws.size))
    assert draws.std() == pytest.approx(std, rel=5.0 * np.sqrt(1.0 / draws.size))


@pytest.mark.parametrize(
    ("positions", "repetitions", "levels"),
    [(1, 3, ("specimen", "repetition")), (2, 1, ("specimen", "position")), (1, 1, ("specimen",))],
)
def test_levels_that_no_test_tells_apart(positions, repetitions, levels):
    table = table_of(4, {"lambda": TRUTH["lambda"]}, positions=positions, repetitions=repetitions)
    assert _levels(read_tests(table)) == levels


def test_a_level_that_no_test_tells_apart_is_left_out(sampler):
    """The scatter of single tests of 40 specimens is then all that there is."""
    table = table_of(4, {"lambda": TRUTH["lambda"]}, specimens=40, positions=1, repetitions=1)
    data = fit_population(table, seed=1)
    assert [name for name in HYPER[1:] if name in data.posterior] == ["sd_specimen"]
    draws = data.posterior["sd_specimen"].values
    assert abs(draws.mean() - np.hypot.reduce(TRUTH["lambda"][1:])) < 3.0 * draws.std()


def test_parameters_of_fewer_tests_and_others_of_the_table(sampler):
    """As in the source, which fitted lambda_lat to six of its eight blocks."""
    table = table_of(6)
    table = table[~((table["parameter"] == "lambda_lat") & (table["specimen"] > 6))]
    tilt = table[table["parameter"] == "lambda"].assign(parameter="tilt")
    table = np.concatenate([table.to_numpy(), tilt.to_numpy()])
    frame = pd.DataFrame(table, columns=tilt.columns)
    data = fit_population(frame, seed=1, draws=200)
    assert data.posterior["parameter"].values.tolist() == ["lambda", "lambda_lon", "lambda_lat"]
    assert data.posterior.attrs["left_out"] == "tilt"
    assert origin_in_words(data).startswith("80 tests of 8 specimens in 16 positions, a table in memory (sha")


def test_netcdf_holds_all_of_it(fitted, tmp_path):
    fitted.to_netcdf(str(tmp_path / "population.nc"))
    again = load_population(tmp_path / "population.nc")
    for group in ("posterior", "predictions", "sample_stats", "observed_data", "constant_data"):
        xr.testing.assert_equal(again[group], fitted[group])
    assert diagnose(again) == diagnose(fitted)
    assert origin_in_words(again) == origin_in_words(fitted)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"draws": 10}, "draws must be at least 100, got 10"),
        ({"target_accept": 1.0}, r"target_accept must be >= 0.5 and < 1 \[1\], got 1.0"),
        ({"prior_scale": 0.0}, r"prior_scale must be finite and > 0 \[1\], got 0.0"),
        ({"parameters": ["lamda"]}, "no rows of the parameter 'lamda'; did you mean 'lambda'"),
    ],
)
def test_options_out_of_range_are_named(small, options, message):
    with pytest.raises(ValueError, match=message):
        fit_population(small, **options)


def test_too_few_specimens_and_no_scatter_are_named(sampler, small):
    with pytest.raises(ValueError, match=r"lambda: tests of 2 specimens; .* between specimens needs 3"):
        fit_population(small[small["specimen"] < 3])
    with pytest.raises(ValueError, match="lambda: all 24 estimates are 1; there is no scatter to fit"):
        fit_population(small.assign(estimate=1.0))


def test_a_missing_sampler_is_named(small, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "jax", None)
    with pytest.raises(ValueError, match=r"needs NumPyro; get it: pip install 'mcrock\[population\]'"):
        fit_population(small)


def test_mixture_of_two_normal_distributions():
    """Means 0 and 2 with scatters 1 and 1: closed forms."""
    from scipy.stats import norm

    dims = ("chain", "draw", "parameter")
    posterior = xr.Dataset(
        {
            "mean": (dims, np.array([0.0, 2.0]).reshape(1, 2, 1)),
            "sd_specimen": (dims, np.full((1, 2, 1), 0.6)),
            "sd_repetition": (dims, np.full((1, 2, 1), 0.8)),
        },
        coords={"parameter": ["lambda"]},
    )
    mean, std = predictive_moments(posterior)
    assert (mean[0], std[0]) == (pytest.approx(1.0), pytest.approx(np.sqrt(2.0)))
    x = np.array([-1.0, 0.5, 3.0])
    expected = 0.5 * (norm.cdf(x) + norm.cdf(x - 2.0))
    assert predictive_probability(posterior, "lambda", x) == pytest.approx(expected, rel=1e-14)
    expected = 0.5 * (norm.pdf(x) + norm.pdf(x - 2.0))
    assert predictive_density(posterior, "lambda", x) == pytest.approx(expected, rel=1e-14)


def test_diagnosis_tells_each_fault():
    good = posterior_of(1.0, 0.3, blur=0.1)
    assert diagnose(inference_data(posterior=good)).problems == ()
    assert diagnose(inference_data(posterior=good)).divergences is None
    apart = good.assign(mean=good["mean"] + 0.1 * good["chain"])
    problems = diagnose(inference_data(posterior=apart)).problems
    assert "chains differ" in problems[0]
    few = inference_data(posterior=posterior_of(1.0, 0.3, blur=0.1, draws=80))
    assert any("effective draws of an unknown" in words for words in diagnose(few).problems)
    stats = xr.Dataset({"diverging": (("chain", "draw"), np.eye(4, 500, dtype=bool))})
    diagnosis = diagnose(inference_data(posterior=good, sample_stats=stats))
    assert (diagnosis.divergences, len(diagnosis.problems)) == (4, 1)
    assert diagnosis.problems[0].startswith("4 divergent transitions")


def test_data_that_hold_no_population_are_named(tmp_path):
    with pytest.raises(ValueError, match=r"none\.nc: no such file"):
        load_population(tmp_path / "none.nc")
    (tmp_path / "text.nc").write_text("no netCDF")
    with pytest.raises(ValueError, match=r"text\.nc: no InferenceData in netCDF"):
        load_population(tmp_path / "text.nc")
    other = posterior_of(1.0, 0.3).rename({"sd_specimen": "tau"})
    with pytest.raises(ValueError, match="expected a posterior with 'mean' and one or more of 'sd_specimen'"):
        diagnose(inference_data(posterior=other))
    flat = posterior_of(1.0, 0.3).isel(parameter=0)
    with pytest.raises(ValueError, match=r"of which 'mean' is over \('chain', 'draw'\)"):
        diagnose(inference_data(posterior=flat))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"columns": {"specimen": "block"}}, "no column 'specimen'; a table of tests has test, specimen,"),
        ({"estimate": np.nan}, r"row 2, column 'estimate': expected a finite number in the unit"),
        ({"standard_error": 0.0}, r"row 2, column 'standard_error': expected a finite number > 0"),
        ({"position": None}, r"row 2, column 'position': expected a name, got nothing"),
        ({"test": "1A1"}, "test '1A1' has the parameter 'lambda' twice"),
    ],
)
def test_tables_that_do_not_fit_are_named(small, change, message):
    table = small.rename(columns=change.get("columns", {})).astype(object)
    for column, value in change.items():
        if column != "columns":
            table.loc[1, column] = value
    with pytest.raises(ConfigError, match=message):
        read_tests(table)


def test_files_that_do_not_fit_are_named(small, tmp_path):
    path = tmp_path / "fits.csv"
    for text, message in (
        ("", "no table of comma-separated columns"),
        ("a,b\n1,2,3\n4\n5,6,7,8\n", "no table of comma-separated columns"),
        (",".join(small.columns) + "\n", "there are no rows below the header"),
    ):
        path.write_text(text)
        with pytest.raises(ConfigError, match=message):
            read_tests(path)
    small.to_csv(path, index=False)
    assert read_tests(path).equals(read_tests(small))
    moved = small.assign(test="one", parameter=[f"p{i}" for i in range(len(small))])
    with pytest.raises(ConfigError, match="test 'one' has rows of several specimens"):
        read_tests(moved)
    with pytest.raises(ConfigError, match=r"has no impact parameter \(lambda, tau, .* only tilt"):
        chosen_parameters(read_tests(small.assign(parameter="tilt")))
    assert chosen_parameters(read_tests(table_of(1)), ["lambda_lat", "lambda"]) == ["lambda", "lambda_lat"]
