"""`mcrock population`: from a table of fits to files, and again from its own file."""

import tomllib

import pytest

from mcrock.measurement.population import inference_data
from tests.unit.measurement.populations import TRUTH, as_fitted, posterior_of, table_of


def test_table_to_section_figure_and_posterior(mcrock, tmp_path):
    pytest.importorskip("numpyro", reason="NumPyro is not installed: pip install 'mcrock[population]'")
    table_of(3, {"lambda": TRUTH["lambda"]}, specimens=6, repetitions=2).to_csv(
        tmp_path / "fits.csv", index=False
    )
    code, output, errors = mcrock("population", tmp_path / "fits.csv", "-o", tmp_path / "out", "--seed", 1)
    assert (code, errors) == (0, "")
    made = [
        tmp_path / "out" / name for name in ("population.nc", "population.png", "impact.toml", "draws.csv")
    ]
    assert output.splitlines()[-4:] == list(map(str, made))
    section = made[2].read_text()
    assert tomllib.loads(section)["impact"]["lambda"]["distribution"] == "truncated_normal"
    code, _, errors = mcrock("population", made[0], "-o", tmp_path / "again")
    assert (code, errors) == (0, "")
    assert (tmp_path / "again" / "impact.toml").read_text() == section
    assert not (tmp_path / "again" / "population.nc").exists()


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


def test_mistakes_are_one_line(mcrock, tmp_path):
    code, _, errors = mcrock("population", tmp_path / "none.csv")
    assert (code, errors.count("\n")) == (2, 1)
    (tmp_path / "fits.csv").write_text("test,specimen\n1,2\n")
    code, _, errors = mcrock("population", tmp_path / "fits.csv")
    assert (code, errors.count("\n")) == (2, 1)
    assert "no column 'position'" in errors
    code, _, errors = mcrock("population", tmp_path / "population.nc", "--seed", 1, "--draws", 500)
    assert (code, errors.count("\n")) == (2, 1)
    assert "has been sampled: seed, draws only go with a table of fits" in errors
    code, _, errors = mcrock("population", tmp_path / "fits.csv", "--format", "bmp")
    assert (code, errors.count("\n")) == (2, 1)
