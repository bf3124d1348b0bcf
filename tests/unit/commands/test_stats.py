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


def test_a_cloud_is_looked_at_by_any_of_its_measures(mcrock, copied, tmp_path):
    store = copied("cloud")
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


def test_runs_are_judged_by_another_displacement_limit(mcrock, copied):
    store, asked = copied("friction"), "--displacement-limit"
    for options, limit in (((), "0.2 m"), ((asked, "0.05"), "0.05 m"), ((asked, "50 mm"), "0.05 m")):
        code, output, _ = mcrock("stats", store, *options)
        assert code == 0
        assert f"Overturning or peak displacement beyond {limit}: " in output
        assert "Fractions of the runs in % (95 % interval)" in output
        table = json.loads(mcrock("stats", store, *options, "--json")[1])
        assert {"outcome_shares", "support_fragility"} <= set(table)
