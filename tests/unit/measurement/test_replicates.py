"""Campaigns simulated from a population: their parameters, their runs, and the ranks of tests among them."""

import json

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy.stats import kstest

import mcrock as mr
from mcrock.commands.measurement import CheckOptions, PopulationOutput
from mcrock.measurement import sensed
from mcrock.measurement.misfit import FreeRocking
from mcrock.measurement.predictive import (
    MEASURES,
    ReplicatedTest,
    describe_test,
    predictive_check,
    replicated_parameters,
    simulated_measures,
)
from tests.unit.measurement.populations import as_fitted, posterior_of, table_of

BODY = '[body]\nshape = "cuboid"\nwidth = 0.1\ndepth = 0.14\nheight = 0.4\ndensity = 2700\n'
KEYS = ("lambda", "lambda_lon")


def campaigns(rng, number, shift=0.0):
    """Four measures of 24 tests of 4 specimens in many campaigns; tests of a specimen hang together."""
    specimen = np.repeat(rng.normal(size=(number, 4, len(MEASURES))), 6, axis=1)
    return shift + 2.0 * specimen + rng.normal(size=(number, 24, len(MEASURES)))


def p_values(seed, shift):
    rng = np.random.default_rng(seed)
    measured = [dict(zip(MEASURES, row, strict=True)) for row in campaigns(rng, 1, shift)[0]]
    runs = list(campaigns(rng, 99).swapaxes(0, 1))
    return predictive_check(measured, runs, [str(i) for i in range(24)])["p_value"].values


def test_ranks_of_repeated_tests_are_no_evidence_by_themselves():
    """p-values of campaigns like those simulated are uniform, though their tests are no independent ones;
    of campaigns that are off by twice the scatter of single tests, they are small."""
    like = np.concatenate([p_values(seed, 0.0) for seed in range(60)])
    assert kstest(like, "uniform").pvalue > 1e-3
    assert np.median(np.concatenate([p_values(seed, 5.0) for seed in range(8)])) < 0.05


def population(scatter, positions=2, repetitions=2):
    sizes = {"specimens": 3, "positions": positions, "repetitions": repetitions}
    table = table_of(1, dict.fromkeys(KEYS, (0.0, 0.1, 0.1, 0.1)), **sizes)
    posterior = posterior_of([1.0, 0.7], [0.0, 0.0], keys=KEYS)
    for name, value in scatter.items():
        posterior[f"sd_{name}"] = posterior["mean"] * 0.0 + value
    posterior["correlation"] = ("chain", "draw", "pair"), np.full((4, 500, 1), -0.8)
    data = as_fitted(posterior.assign_coords(pair=[", ".join(KEYS)]), table)
    return data, list(dict.fromkeys(data.constant_data["test"].values.tolist()))


def test_drawn_tests_have_the_levels_of_the_population():
    """Covariances of tests of a specimen, of a position and of one test, within 5 standard errors."""
    data, tests = population({"specimen": 0.3, "position": 0.2, "repetition": 0.1})
    values = replicated_parameters(data, tests, 2000, 1)
    assert values.mean((0, 1)) == pytest.approx([1.0, 0.7], abs=0.03)
    places = {test: i for i, test in enumerate(tests)}
    for other, level in (("1A1", 0.14), ("1A2", 0.13), ("1B1", 0.09), ("2A1", 0.0)):
        one, two = values[:, places["1A1"]], values[:, places[other]]
        together = np.cov(one.T, two.T)[:2, 2:]
        assert together == pytest.approx(
            level * np.array([[1.0, -0.8], [-0.8, 1.0]]), abs=5 * 0.14 / 2000**0.5
        )


def test_simulated_tests_are_those_of_simulate_through_a_sensor():
    """The quick runs of the fit against those of a study; the sensor has little noise."""
    body, rng = mr.cuboid(0.1, 0.14, 0.4, density=2700), np.random.default_rng(1)
    impact = mr.Impact(lambda_=1.0, lambda_lon=0.7, lambda_lat=-0.6)
    run = mr.simulate(body, None, impact, start=mr.Start(edge=0, tilt=0.2))
    axes = FreeRocking(body, 0, mr.Impact())
    recording = sensed(run, before=1.0, after=1.0, noise_density=1e-5, seed=2).trimmed()
    there = describe_test(body, recording, axes.along, axes.across, 1.0)
    keys, values = ("lambda", "lambda_lon", "lambda_lat"), np.array([[1.0, 0.7, -0.6]])
    duration = there["measures"]["duration"]
    sensor = there["sensor"]
    test = ReplicatedTest(
        "A", body, mr.Impact(), 0, 0.2, sensor, duration, keys, values, int(rng.integers(100))
    )
    name, found = simulated_measures(test)
    assert name == "A"
    assert dict(zip(MEASURES, found[0], strict=True)) == pytest.approx(there["measures"], rel=0.03)


def test_a_campaign_is_checked(tmp_path, capsys):
    """Tests of the population that is drawn from are among those it predicts; what has no fit is left out."""
    data, tests = population({"specimen": 0.05, "position": 0.03, "repetition": 0.02}, 1, 1)
    data.posterior.attrs["seed"] = 1
    (tmp_path / "block.toml").write_text(BODY)
    body = mr.cuboid(0.1, 0.14, 0.4, density=2700)
    sensor = {"rate": 256.0, "noise": 1e-3, "averaging": 1.0}
    for name, values in zip(tests, replicated_parameters(data, tests, 1, 5)[0], strict=True):
        run = ReplicatedTest(name, body, mr.Impact(), 0, 0.2, sensor, 1.5, KEYS, values[None], 3)
        measures = dict(zip(MEASURES, simulated_measures(run)[1][0].tolist(), strict=True))
        (tmp_path / name).mkdir()
        numbers = {"edge": 0, "estimates": {"tilt": {"value": 0.2}}, "sensor": sensor, "measures": measures}
        (tmp_path / name / "fit.json").write_text(json.dumps(numbers))
    (tmp_path / tests[-1] / "fit.json").write_text("{}")
    rows = [{"test": name, "body": tmp_path / "block.toml"} for name in tests]
    pd.DataFrame(rows).to_csv(tmp_path / "tests.csv", index=False)
    options, output = CheckOptions(check=19, workers=1), PopulationOutput(output=tmp_path)
    options.refuse(tmp_path)
    options.show(data, tmp_path, output, trust_code=False)
    lines = capsys.readouterr().out.splitlines()
    assert lines[-3:] == [
        f"left out: {tests[-1]}: fitted before fits had measures",
        str(tmp_path / "check.nc"),
        str(tmp_path / "check.png"),
    ]
    check = xr.load_dataset(tmp_path / "check.nc")
    assert check["measured"].shape == (2, 4)
    assert ((check["rank"] > 0.0) & (check["rank"] < 1.0)).all()
    assert check["p_value"].mean() > 0.1  # of uniform ones, four with this mean have a probability of 0.001
    for wrong, says in ((CheckOptions(check=5), "at least 19"), (options, "a check needs the folder")):
        with pytest.raises(ValueError, match=says):
            wrong.refuse(tmp_path / "none")
