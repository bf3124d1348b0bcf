"""Distributions and sections from a population: closed forms, bounds, and what a study reads."""

import re
import tomllib
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from scipy.stats import norm

from mcrock.measurement.population import inference_data
from mcrock.measurement.predictive import parameter_distributions
from mcrock.show.population import dependence_notes, format_population, impact_section
from mcrock.study import load_config
from tests.unit.measurement.populations import as_fitted, posterior_of, table_of

KEYS = ("lambda", "tau", "lambda_lon", "lambda_lat")
QUICKSTART = Path(__file__).parents[3] / "configs" / "quickstart.toml"


@pytest.fixture
def population():
    """Hyper-parameters that are as good as known; tests as if they were fitted."""
    posterior = posterior_of([1.4, 0.0, 0.7, -0.5], [0.5, 0.01, 0.4, 2.0], keys=KEYS)
    return as_fitted(posterior, table_of(1), source="fits.csv", sha256="0123456789abcdef", seed=3)


def test_known_population_is_written_as_it_is(population):
    found = parameter_distributions(population, "none")
    assert found["lambda"].table == {"distribution": "normal", "mean": 1.4, "std": 0.5}
    assert found["lambda_lat"].table == {"distribution": "normal", "mean": -0.5, "std": 2.0}
    assert all(item.distance < 1e-5 and item.cut == 0.0 for item in found.values())


def test_energy_bound_cuts_what_theory_excludes(population):
    found = parameter_distributions(population, "energy")
    expected = {"distribution": "truncated_normal", "mean": 0.7, "std": 0.4, "low": 0.0, "high": 3.9}
    assert found["lambda_lon"].table == expected
    assert found["lambda_lon"].cut == pytest.approx(norm.cdf(-0.7 / 0.4), rel=1e-4)
    assert found["lambda"].table["high"] == pytest.approx(1.4 + 8 * 0.5)
    assert [found[key].table["distribution"] for key in ("tau", "lambda_lat")] == ["normal", "normal"]
    assert max(item.distance for item in found.values()) < 1e-5


def test_bounds_that_tests_contradict_are_refused(population):
    with pytest.raises(ValueError, match=r"lambda: 79% of what the tests predict lies outside \[0, 1\]"):
        parameter_distributions(population, "base")
    inside = posterior_of([0.8, 0.7, 0.1], [0.1, 0.1, 0.4], keys=("lambda", "lambda_lon", "lambda_lat"))
    found = parameter_distributions(inference_data(posterior=inside), "base")
    ends = {key: (item.table["low"], item.table["high"]) for key, item in found.items()}
    assert ends == {"lambda": (0.0, 1.0), "lambda_lon": (0.0, 1.0), "lambda_lat": (-1.0, 1.0)}
    assert found["lambda"].cut == pytest.approx(norm.cdf(-2.0), rel=1e-4)
    with pytest.raises(ValueError, match="cut must be one of energy, none, base, got 'all'"):
        parameter_distributions(population, "all")


def test_distance_tells_that_a_mixture_is_not_normal():
    """Means that are known badly beside a small scatter, at two values: no normal distribution."""
    posterior = posterior_of(0.0, 0.1)
    posterior["mean"] += xr.DataArray(np.arange(500) % 2 * 2.0 + 1.0, dims="draw")
    item = parameter_distributions(inference_data(posterior=posterior), "none")["lambda"]
    assert item.table["mean"] == pytest.approx(2.0, rel=1e-3)
    assert item.table["std"] == pytest.approx(np.sqrt(1.01), rel=1e-3)
    # between its two lumps the mixture stays at 1/2, where the normal distribution goes on
    assert item.distance == pytest.approx(norm.sf(1.0 / np.sqrt(1.01) - 0.2), abs=0.15)
    assert item.distance > 0.2


@pytest.mark.parametrize("cut", ["energy", "none"])
def test_section_is_read_by_a_study(population, cut, tmp_path):
    section = impact_section(population, cut)
    text = re.sub(r"\[impact\].*\n(.*\n)*?(?=\n?\[)", section + "\n", QUICKSTART.read_text(encoding="utf-8"))
    (tmp_path / "study.toml").write_text(text, encoding="utf-8")
    study = load_config(tmp_path / "study.toml")
    written = parameter_distributions(population, cut)
    for key in KEYS:
        item = study.impact.parameters[key]
        assert item.quantile(0.1) == pytest.approx(written[key].distribution.quantile(0.1))
    assert study.impact.draw == "run"
    assert study.impact.law == "varkonyi_2022"


def test_section_says_what_it_is_from(population):
    lines = impact_section(population).splitlines()
    assert lines[0] == (
        "# For a test on a new specimen, from 80 tests of 8 specimens in 16 positions, fits.csv "
        "(sha256 0123456789ab)."
    )
    assert re.fullmatch(r"# mcrock \S+, seed 3: R-hat 1\.\d{3}, \d+ effective draws\.", lines[1])
    assert "# lambda: mean 1.4 (1.4 to 1.4), scatter of specimens 0.5 (0.5 to 0.5)" in lines
    assert set(tomllib.loads("\n".join(lines))["impact"]) == {"law", "draw", *KEYS}


def test_no_section_of_chains_that_cannot_be_trusted(population):
    shifted = population.posterior.assign(mean=population.posterior["mean"] + population.posterior["chain"])
    with pytest.raises(
        ValueError, match="no section is made of chains that cannot be trusted: R-hat reaches"
    ):
        impact_section(inference_data(posterior=shifted))


def test_text_names_cuts_and_units(population):
    lines = format_population(population)
    assert lines[0].startswith("a new specimen, from 80 tests of 8 specimens in 16 positions, fits.csv")
    assert "tau [N m s]" in lines[1]
    place = next(i for i, line in enumerate(lines) if line.startswith("lambda_lon = "))
    assert lines[place + 1].endswith("of a new test's, 0.04 of it cut away")


def test_parameters_that_go_together_are_named(population):
    assert dependence_notes(inference_data(posterior=population.posterior)) == []
    names, estimate = population.constant_data, population.observed_data["estimate"].copy()
    own = {key: (names["parameter"] == key).values for key in ("lambda", "lambda_lon")}
    estimate[own["lambda_lon"]] = -3.0 * estimate[own["lambda"]].values
    together = inference_data(
        posterior=population.posterior, constant_data=names, observed_data=xr.Dataset({"estimate": estimate})
    )
    notes = dependence_notes(together)
    assert len(notes) == 1
    assert notes[0].startswith(
        "note: the estimates of lambda and lambda_lon go together (rank correlation -1.00)"
    )
