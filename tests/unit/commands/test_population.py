"""`mcrock population`: from a table of fits to files, and again from its own file."""

from __future__ import annotations

import tomllib

import pytest

from mcrock.measurement.population import inference_data
from tests.unit.measurement.populations import TRUTH, posterior_of, table_of


def test_table_to_section_figure_and_posterior(mcrock, tmp_path):
    pytest.importorskip("numpyro", reason="NumPyro is not installed: pip install 'mcrock[population]'")
    table_of(3, {"lambda": TRUTH["lambda"]}, specimens=6).to_csv(tmp_path / "fits.csv", index=False)
    code, output, errors = mcrock("population", tmp_path / "fits.csv", "-o", tmp_path / "out", "--seed", 1)
    assert (code, errors) == (0, "")
    made = [tmp_path / "out" / name for name in ("population.nc", "population.png", "impact.toml")]
    assert output.splitlines()[-3:] == list(map(str, made))
    section = made[2].read_text()
    assert tomllib.loads(section)["impact"]["lambda"]["distribution"] == "truncated_normal"
    code, _, errors = mcrock("population", made[0], "-o", tmp_path / "again")
    assert (code, errors) == (0, "")
    assert (tmp_path / "again" / "impact.toml").read_text() == section
    assert not (tmp_path / "again" / "population.nc").exists()


def test_posterior_of_chains_that_differ_gives_no_section(mcrock, tmp_path):
    posterior = posterior_of(1.0, 0.3, blur=0.1)
    table = table_of(1, {"lambda": TRUTH["lambda"]})
    names = {
        name: ("row", table[name].to_numpy(dtype=str))
        for name in ("test", "specimen", "position", "parameter")
    }
    import xarray as xr

    data = inference_data(
        posterior=posterior.assign(mean=posterior["mean"] + 0.2 * posterior["chain"]),
        observed_data=xr.Dataset({"estimate": ("row", table["estimate"].to_numpy())}),
        constant_data=xr.Dataset(names | {"standard_error": ("row", table["standard_error"].to_numpy())}),
    )
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
