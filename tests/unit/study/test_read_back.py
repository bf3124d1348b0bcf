"""A study file read back as answers of `mcrock new`, with what no question asks kept."""

import json

import pytest

from mcrock.base.environment import shipped
from mcrock.base.tables.parsing import parse_toml
from mcrock.study.load import study_of
from mcrock.study.new import answers_of, keep, new_study

CASES = [
    {},
    {"title": "Bust", "width": "0.38 to 0.42 m", "material": "marble", "com_z": "-5 to 5 cm"},
    {"shape": "cylinder", "diameter": "0.5 to 0.6 m", "material": "weighed", "mass": "120 kg"},
    {"shape": "prism", "sides": 6, "base_width": 0.7, "impacts": "granite", "measure": "as_recorded"},
    {"shape": "frustum", "base_depth": "30 cm", "top_scale": "0.5 to 0.7", "impacts": "concrete"},
    {
        "shape": "bust",
        "place": "plinth",
        "surfaces": "polished_floor",
        "edge_distance": "12 cm",
        "impacts": "housner_1963",
    },
    {"place": "storey", "storey": 3, "storeys_above": 1, "surfaces": "measured", "friction": 0.4},
    {"place": "plinth_on_storey", "building_frequency": "3 Hz", "measure": "pgv", "pgv_levels": "0.2, 0.7"},
    {"earthquakes": "spectrum", "spectrum": "rg_1_60", "pga_levels": "0.3 0.5 g", "realizations": 77},
    {"earthquakes": "nearfield_pulse", "impacts": "rubber"},
]


@pytest.mark.parametrize("given", CASES, ids=str)
def test_answers_come_back_from_the_file_that_they_made(given, tmp_path):
    text = new_study(tmp_path, **given).text
    answers, kept = answers_of(parse_toml(text), tmp_path)
    assert kept == {}
    again = parse_toml(new_study(tmp_path, **answers).text)
    assert study_of(again, tmp_path / "s").to_json() == study_of(parse_toml(text), tmp_path / "s").to_json()


@pytest.mark.parametrize("path", sorted(shipped("configs").glob("*.toml")), ids=lambda path: path.stem)
def test_what_no_question_asks_is_kept(path):
    tables = parse_toml(path.read_text(encoding="utf-8"))
    answers, kept = answers_of(tables, path.parent)
    made = keep(parse_toml(new_study(path.parent, **answers).text), kept)
    found, wanted = (json.loads(study_of(each, path).to_json()) for each in (made, tables))
    assert found == wanted


def test_a_new_answer_leaves_what_is_kept(tmp_path):
    tables = parse_toml(new_study(tmp_path).text)
    tables["body"]["gravity"] = 3.7
    tables["controls"] = {"tail": 30.0}
    answers, kept = answers_of(tables, tmp_path)
    assert kept == {"body": {"gravity": 3.7}, "controls": {"tail": 30.0}}
    made = keep(parse_toml(new_study(tmp_path, **{**answers, "height": "2 m"}).text), kept)
    study = json.loads(study_of(made, tmp_path / "s").to_json())
    assert (study["body"]["height"], study["body"]["gravity"], study["controls"]["tail"]) == (2.0, 3.7, 30.0)
