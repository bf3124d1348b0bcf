"""`mcrock stats`: text and JSON, and other measures of a cloud."""

import json


def test_stats_say_the_same_as_the_run(mcrock, study_file, tmp_path):
    _, at_the_end, _ = mcrock("run", study_file, "-o", tmp_path / "s.zarr", "--all")
    code, output, _ = mcrock("stats", tmp_path / "s.zarr", "--folder", study_file.parent)
    assert code == 0
    assert output in at_the_end
    assert "Rules of thumb and code checks" in output
    _, elsewhere, _ = mcrock("stats", tmp_path / "s.zarr")
    assert "no rules of thumb: stored config [motion]: one.csv: cannot be read" in elsewhere


def test_stats_as_json(mcrock, store):
    code, output, _ = mcrock("stats", store, "--json")
    result = json.loads(output)
    assert code == 0
    assert result["overturning_probability"]["variables"]["runs"]["values"] == [40, 40, 40]
    assert result["fragility"]["variables"]["median_capacity"]["units"] == "m s-2"


def test_a_cloud_is_looked_at_by_any_of_its_measures(mcrock, study_file, tmp_path):
    cloud, store = tmp_path / "cloud.toml", tmp_path / "s.zarr"
    value = 'value = { distribution = "uniform", low = 1.0, high = 9.0 }\nvariables = ["pgv"]'
    cloud.write_text(study_file.read_text().replace("levels = [1.0, 4.0, 9.0]", value))
    assert mcrock("run", cloud, "-o", store)[0] == 0
    _, output, _ = mcrock("stats", store)
    assert {line.split()[0] for line in output.splitlines() if line.strip()} >= {"measure", "pga", "pgv"}
    _, output, _ = mcrock("stats", store, "--measure", "pgv")
    assert "\nProbability of overturning by peak ground velocity" in output
    result = json.loads(mcrock("stats", store, "--measure", "pgv", "--json")[1])
    assert result["fragility"]["variables"]["median_capacity"]["units"] == "m s-1"
    assert result["intensity_measures"]["variables"]["measure"]["values"] == ["pgv", "pga"]
    code, output, _ = mcrock("plot", store, "--measure", "pgv", "-o", tmp_path / "figures")
    assert code == 0
    assert "measures.png" in output
    code, _, errors = mcrock("stats", store, "--measure", "sa")
    assert code == 2
    assert "no intensity measure 'sa': it has pga, pgv; list others in intensity.variables" in errors


def test_a_displacement_limit_needs_runs_with_friction(mcrock, store, tmp_path):
    for command in (("stats", store), ("plot", store, "-o", tmp_path / "figures")):
        code, output, error = mcrock(*command, "--displacement-limit", "0.1")
        assert (code, output) == (2, "")
        assert "a displacement limit needs runs with friction: the dataset has no variable" in error


def test_runs_are_judged_by_another_displacement_limit(mcrock, study_file, tmp_path):
    friction = "--set", "contact.friction=0.3", "--set", "limits.displacement=0.2"
    assert mcrock("run", study_file, "-o", tmp_path / "f.zarr", *friction)[0] == 0
    for options, limit in (
        ((), "0.2 m"),
        (("--displacement-limit", "0.05"), "0.05 m"),
        (("--displacement-limit", "50 mm"), "0.05 m"),
    ):
        code, output, _ = mcrock("stats", tmp_path / "f.zarr", *options)
        assert code == 0
        assert f"Overturning or peak displacement beyond {limit}: " in output
        assert "Fractions of the runs in % (95 % interval)" in output
        table = json.loads(mcrock("stats", tmp_path / "f.zarr", *options, "--json")[1])
        assert {"outcome_shares", "support_fragility"} <= set(table)
