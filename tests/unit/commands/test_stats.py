"""`mcrock stats`: text and JSON, and other measures of a cloud."""

from __future__ import annotations

import json


def test_stats_say_the_same_as_the_run(mcrock, study_file, tmp_path):
    _, at_the_end, _ = mcrock("run", study_file, "-o", tmp_path / "s.zarr")
    code, output, _ = mcrock("stats", tmp_path / "s.zarr")
    assert code == 0
    assert output == at_the_end[: len(output)]


def test_stats_as_json(mcrock, store):
    code, output, _ = mcrock("stats", store, "--json")
    result = json.loads(output)
    assert code == 0
    assert result["overturning_probability"]["variables"]["runs"]["values"] == [40, 40, 40]
    assert result["fragility"]["variables"]["median"]["units"] == "m s-2"


def test_a_cloud_is_looked_at_by_any_of_its_measures(mcrock, study_file, tmp_path):
    cloud, store = tmp_path / "cloud.toml", tmp_path / "s.zarr"
    value = 'value = { distribution = "uniform", low = 1.0, high = 9.0 }\nvariables = ["pgv"]'
    cloud.write_text(study_file.read_text().replace("levels = [1.0, 4.0, 9.0]", value))
    assert mcrock("run", cloud, "-o", store)[0] == 0
    _, output, _ = mcrock("stats", store)
    assert {line.split()[0] for line in output.splitlines() if line.strip()} >= {"measure", "pga", "pgv"}
    _, output, _ = mcrock("stats", store, "--measure", "pgv")
    assert output.startswith("Probability of overturning by peak ground velocity")
    result = json.loads(mcrock("stats", store, "--measure", "pgv", "--json")[1])
    assert result["fragility"]["variables"]["median"]["units"] == "m s-1"
    assert result["intensity_measures"]["variables"]["measure"]["values"] == ["pgv", "pga"]
    code, output, _ = mcrock("plot", store, "--measure", "pgv", "-o", tmp_path / "figures")
    assert code == 0
    assert "measures.png" in output
    code, _, errors = mcrock("stats", store, "--measure", "sa")
    assert code == 2
    assert "no intensity measure 'sa': it has pga, pgv; list others in intensity.variables" in errors
