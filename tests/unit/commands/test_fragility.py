"""`mcrock fragility`: tables, figures, JSON, mistakes."""

import json

import pytest


def test_fragility_of_a_store(mcrock, study_file, store, tmp_path):
    folder = "--folder", study_file.parent
    options = "--limit", "peak_tilt_ratio=0.3", "--compare", "pga", "--compare", "pgv", *folder
    code, output, _ = mcrock("fragility", store, *options, "-o", tmp_path / "figures")
    assert code == 0
    for words in (
        "Fragility of the same runs by several ways of fitting",
        "no realization can rock below",
        "peak tilt ratio over 0.3",
        "Fragility by intensity measures",
    ):
        assert words in output
    assert "urface" in output
    names = {"fragility_methods", "fragility_limits", "fragility_measures", "fragility_surface", "baselines"}
    assert {path.stem for path in (tmp_path / "figures").iterdir()} == names
    result = json.loads(mcrock("fragility", store, *options, "--json")[1])
    methods = ["probit", "logit", "plateau", "monotone"]
    assert result["methods"]["variables"]["fitting_method"]["values"] == methods
    assert result["limits"]["variables"]["limit"]["values"] == ["peak_tilt_ratio > 0.3", "overturned"]
    assert set(result) == {"methods", "limits", "measures", "surface", "sufficiency"}


def test_the_folder_of_the_records_is_asked_for(mcrock, store):
    code, output, error = mcrock("fragility", store)
    assert (code, output) == (2, "")
    assert "give the folder of the study file with --folder" in error


STEP = ("0", "0", "1", "1"), "no curve (separated: ", "no log loss on records left out: a single recording"
NEVER = ("0", "0", "0", "0"), "no curve (none overturned: ", "a single recording"
FALLING = (("1", "1", "0", "0"), "no curve (not increasing: ", "least by: empirical fractions\n")


@pytest.mark.parametrize(
    ("fell", "why", "scores", "records"), [(*STEP, 1), (*NEVER, 1), (*FALLING, 9)], ids="snf"
)
def test_a_row_without_a_curve_says_why(mcrock, tmp_path, fell, why, scores, records):
    rows = [f"0.{k + 1},0.{k + 1},r{i},{x}" for i in range(records) for k, x in enumerate(fell)]
    (tmp_path / "t.csv").write_text("\n".join(["pga [g],pgv [m/s],record,overturned", *rows]))
    options = "--compare", "pgv", "-o", tmp_path
    code, output, error = mcrock("fragility", tmp_path / "t.csv", *options)
    assert (code, error) == (0, "")
    assert output.count(why) == 3  # of ways, limit states and measures
    assert scores in output
    assert ("scored on recordings left out" in output) == (records < 2)
