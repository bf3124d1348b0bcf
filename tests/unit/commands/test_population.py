"""`mcrock population`: from a table of fits to files, and again from its own file."""

import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

from mcrock.impact.registry import DEFAULT_LAW
from mcrock.measurement.population import inference_data, new_test
from mcrock.show.population import study_of_draws
from mcrock.study import load_config
from mcrock.study.impact import PRESETS
from mcrock.study.sampling import draw_inputs, load_motions
from tests.unit.measurement.populations import TRUTH, as_fitted, posterior_of, table_of

QUICKSTART = Path(__file__).parents[3] / "configs" / "quickstart.toml"


def test_table_to_section_figure_and_posterior(mcrock, tmp_path):
    pytest.importorskip("numpyro", reason="NumPyro is not installed: pip install 'mcrock[population]'")
    table = table_of(3, {"lambda": TRUTH["lambda"]}, specimens=6, repetitions=2)
    table.to_csv(tmp_path / "fits.csv", index=False)
    code, output, errors = mcrock("population", tmp_path / "fits.csv", "-o", tmp_path / "out", "--seed", 1)
    assert (code, errors) == (0, "")
    names = "population.nc", "population.png", "impact.toml", "draws.csv"
    made = [tmp_path / "out" / name for name in names]
    assert output.splitlines()[-4:] == list(map(str, made))
    section = made[2].read_text()
    assert tomllib.loads(section)["impact"]["lambda"]["distribution"] == "truncated_normal"
    code, _, errors = mcrock("population", made[0], "-o", tmp_path / "again")
    assert (code, errors) == (0, "")
    assert (tmp_path / "again" / "impact.toml").read_text() == section
    assert not (tmp_path / "again" / "population.nc").exists()


def test_draws_go_into_a_study(mcrock, tmp_path):
    """As many as it has realizations, with their correlations; what else it says stays."""
    posterior = posterior_of([1.2, 0.8], [0.2, 0.1], keys=("lambda", "lambda_lon"))
    together = np.random.default_rng(1).uniform(-0.81, -0.79, (4, 500, 1))
    posterior["correlation"] = ("chain", "draw", "pair"), together
    posterior = posterior.assign_coords(pair=["lambda, lambda_lon"])
    data = inference_data(posterior=posterior, predictions=new_test(posterior))
    data.to_netcdf(str(tmp_path / "population.nc"))
    text = QUICKSTART.read_text().replace("[impact]", '[impact]\nenergy_gain = "allow"')
    (tmp_path / "mine.toml").write_text(text)
    command = "population", tmp_path / "population.nc", "-o", tmp_path, "--into", tmp_path / "mine.toml"
    code, output, errors = mcrock(*command)
    assert (code, errors) == (0, "")
    made = tmp_path / "mine-population.toml"
    assert output.splitlines()[-2:] == [str(made), str(made.with_suffix(".csv"))]
    given, found = load_config(tmp_path / "mine.toml"), load_config(made)
    assert found.n_realizations == 880  # ten times the first batch of a study that ends by itself
    assert (found.body, found.motion, found.intensity) == (given.body, given.motion, given.intensity)
    assert found.impact.energy_gain == "allow"
    drawn = np.loadtxt(made.with_suffix(".csv"), delimiter=",", skiprows=1)
    assert np.corrcoef(drawn.T)[0, 1] == pytest.approx(-0.8, abs=0.15)
    inputs = draw_inputs(found.at_intensities([1.0]), load_motions(found), 0, len(drawn))
    assert inputs.values["impact_lambda"] == pytest.approx(drawn[:, 0])
    assert (tmp_path / "mine.toml").read_text() == text
    code, _, errors = mcrock(*command)
    assert code == 2
    assert "mine-population.toml is there; --overwrite replaces it" in errors
    assert mcrock(*command, "--overwrite")[0] == 0


@pytest.mark.parametrize(("name", "preset"), PRESETS.items())
def test_draws_take_the_place_of_a_preset(tmp_path, name, preset):
    """Of any law; parameters that no test told stay those of a preset of the law of the fits."""
    own = f'[impact]\npreset = "{name}"\nfacet_fallback = "plastic"\n\n'
    text = re.sub(r"(?ms)^\[impact\].*?(?=^\[)", own, QUICKSTART.read_text())
    (tmp_path / "draws.csv").write_text("impact.lambda [1],impact.lambda_lon [1]\n1.2,0.8\n")
    (tmp_path / "made.toml").write_text(study_of_draws(text, "draws.csv", 1, ("lambda", "lambda_lon")))
    assert load_config(tmp_path / "made.toml").impact.preset is None
    found = tomllib.loads((tmp_path / "made.toml").read_text())["impact"]
    given = preset.table if preset.law == DEFAULT_LAW else {}
    drawn = {key: given[key] for key in ("tau", "lambda_lat") if key in given}
    assert found == drawn | {"law": DEFAULT_LAW.key, "draw": "run", "facet_fallback": "plastic"}


def test_posterior_of_another_sampler(mcrock, tmp_path):
    """It knows no tests: a section without a figure."""
    inference_data(posterior=posterior_of(1.0, 0.3, blur=0.1)).to_netcdf(str(tmp_path / "other.nc"))
    code, output, errors = mcrock("population", tmp_path / "other.nc", "-o", tmp_path, "--cut", "none")
    assert (code, errors) == (0, "")
    assert output.startswith("a new specimen, from tests that the data do not name; median and 95 % interval")
    assert output.splitlines()[-1] == str(tmp_path / "impact.toml")
    section = tomllib.loads((tmp_path / "impact.toml").read_text())["impact"]
    assert section["lambda"]["mean"] == pytest.approx(1.0, abs=0.02)
    assert section["lambda"]["std"] == pytest.approx((0.3**2 + 0.1**2) ** 0.5, rel=0.02)
    assert not (tmp_path / "population.png").exists()


def test_two_specimens_tell_nothing_of_a_new_one(mcrock, tmp_path):
    """As of a table: a population that was saved by --for speaks of its own specimens."""
    table = table_of(1, {"lambda": TRUTH["lambda"]}, specimens=2)
    as_fitted(posterior_of(1.0, 0.3, blur=0.1), table).to_netcdf(str(tmp_path / "two.nc"))
    code, output, errors = mcrock("population", tmp_path / "two.nc", "-o", tmp_path / "new")
    assert (code, output, (tmp_path / "new").exists()) == (2, "", False)
    assert "lambda: tests of 2 specimens; the scatter between specimens needs 3 or more" in errors


def test_posterior_of_chains_that_differ_gives_no_section(mcrock, tmp_path):
    posterior = posterior_of(1.0, 0.3, blur=0.1)
    apart = posterior.assign(mean=posterior["mean"] + 0.2 * posterior["chain"])
    data = as_fitted(apart, table_of(1, {"lambda": TRUTH["lambda"]}))
    data.to_netcdf(str(tmp_path / "bad.nc"))
    (tmp_path / "impact.toml").write_text("of an earlier population")
    code, output, errors = mcrock("population", tmp_path / "bad.nc", "-o", tmp_path)
    assert code == 1
    assert "R-hat" in output
    assert errors.startswith("mcrock: no section is made of chains that cannot be trusted: R-hat reaches")
    assert (tmp_path / "population.png").exists()
    assert not (tmp_path / "impact.toml").exists()
