"""Impact parameters that nobody chose are named, with what another choice does and how to write it."""

import json
import re
from pathlib import Path

import pytest

from mcrock.ensemble import run_study
from mcrock.show.describe import MAIN_EXAMPLE, describe, loss_notes
from mcrock.statistics import overturning_probability
from mcrock.study import Study, load_config
from mcrock.study.sampling import load_motions
from tests.unit.conftest import write_study

QUICKSTART = Path(__file__).parents[3] / "configs" / "quickstart.toml"


@pytest.fixture
def without(tmp_path):
    """The small study with these lines in the place of its section [impact], of which there may be none."""

    def of(lines="", *overrides):
        file = write_study(tmp_path)
        section = f"[impact]\n{lines}\n" if lines else ""
        file.write_text(
            re.sub(r"\[impact\].*?(?=\[motion\])", lambda _: section, file.read_text(), flags=re.S)
        )
        return load_config(file, overrides)

    return of


def test_no_impact_section_is_noted_with_effect_and_remedy(without):
    study = without()
    (note,) = loss_notes(study)
    assert note in describe(study, load_motions(study)).splitlines()
    assert "impact.lambda and impact.lambda_lon are 1" in note
    assert all(f"{fraction:.3f}" in note for fraction in MAIN_EXAMPLE)
    ranges = re.findall(r"\w+ = \{[^}]*\}", note)
    assert [text.partition(" =")[0] for text in ranges] == ["lambda", "lambda_lon"]
    for remedy in ("\n".join(ranges), *re.findall(r'(?:preset|law) = "\w+"', note)):
        assert not loss_notes(without(remedy)), remedy


def test_the_parameter_that_is_left_is_named_alone(without):
    for lines, left in (
        ("lambda = 0.8", "lambda_lon"),
        ("lambda_lon = 0.8", "lambda"),
        ("faces = [{ face = 0, lambda_lon = 0.8 }]", "lambda"),
    ):
        (note,) = loss_notes(without(lines))
        assert note.startswith(f"note: impact.{left} is 1")


def test_other_laws_have_no_such_note_and_a_list_with_the_default_law_has(without):
    assert not loss_notes(without('law = "ther_kollar_2017"'))
    assert loss_notes(without('law = ["varkonyi_2022", "ther_kollar_2017"]'))


def test_a_stored_study_has_the_same_note(without):
    study = without()
    assert loss_notes(Study.from_json(study.to_json())) == loss_notes(study)
    assert json.loads(study.to_json())["impact"]["lambda"] == 1.0


@pytest.mark.slow
def test_the_fractions_of_the_note_are_those_of_the_main_example(tmp_path):
    found = []
    constants = ("impact.lambda=1.0", "impact.lambda_lon=1.0", "impact.lambda_lat=0.0")
    for i, overrides in enumerate((constants, (), ("impact.preset=varkonyi_2022_bounds",))):
        study = load_config(QUICKSTART, [*overrides, "intensity.levels_g=[0.4]"])
        ds = run_study(study, tmp_path / f"{i}.zarr")
        found.append(round(float(overturning_probability(ds)["probability"].item()), 3))
    assert tuple(found) == MAIN_EXAMPLE
