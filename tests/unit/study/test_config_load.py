"""What a study file means once it is read."""

from dataclasses import fields
from math import pi
from pathlib import Path

import pytest
from pydantic import ValidationError

from mcrock.base.params import STANDARD_GRAVITY
from mcrock.base.tables.distributions import Normal
from mcrock.impact.conditions import Controls
from mcrock.impact.registry import ImpactParameter
from mcrock.study import ConfigError, Study, load_config
from mcrock.study.study import tables

CONFIGS = sorted((Path(__file__).parents[3] / "configs").glob("*.toml"))


def test_study(study_file):
    study = load_config(study_file())
    assert (study.seed, study.n_realizations, study.n_intensity, study.is_cloud) == (7, 64, 3, False)
    assert study.body.width == Normal(distribution="normal", mean=0.4, std=0.01)
    assert study.intensity.si_levels == pytest.approx([level * STANDARD_GRAVITY for level in (0.2, 0.4, 0.8)])
    assert study.intensity.units == "m s-2"
    assert study.controls == Controls()
    assert tuple(study.impact.parameters.values())[:7] == (1.0, 0.0, 1.0, 0.0, None, None, None)
    assert study.impact.parameters == {item.key: item.row.default for item in ImpactParameter}
    assert study.uncertain == ["body.width", "motion.azimuth"]
    assert study.folder == study_file().parent
    assert load_config(str(study_file())).to_json() == study.to_json()


def test_an_angle_has_a_factor_to_radians(study_file):
    assert load_config(study_file(), ["motion.azimuth_deg=90"]).motion.rotation == (90.0, pi / 180)
    assert load_config(study_file(), ["motion.azimuth=0.5"]).motion.rotation == (0.5, 1.0)


def test_runs_of_a_study(study_file):
    study = load_config(study_file())
    assert (study.n_outer, study.n_runs) == (1, 64 * 3)
    nested = load_config(study_file(), ["body.width.epistemic=true", "ensemble.outer=5"])
    assert (nested.n_outer, nested.n_runs) == (5, 5 * 64 * 3)
    assert study.source == str(study_file())


RELEASED = (
    '"fema_p695"\nazimuth_deg = { distribution = "uniform", low = 0, high = 360 }',
    '"none"\n[start]\ntilt = 0.1',
    'measure = "pga"\nlevels_g = [0.2, 0.4, 0.8]',
)


def test_without_shaking_there_is_one_run_of_each_body(study_file):
    bare = load_config(study_file("[intensity]\n", "", *RELEASED, ""))
    assert (bare.intensity.measure, bare.intensity.si_levels, bare.n_intensity) == ("factor", (1.0,), 1)
    again = Study.from_json(bare.to_json())  # in which the intensity is stated
    assert again.to_json() == bare.to_json()
    stated = load_config(study_file(*RELEASED, 'measure = "factor"\nlevels = [1.0]'))
    assert stated.to_json() == bare.to_json()
    for other in ('measure = "factor"\nlevels = [2.0]', 'measure = "pga"\nlevels = [1.0]'):
        with pytest.raises(
            ConfigError, match=r"\[intensity\]: there is no shaking with motion.source = 'none'"
        ):
            load_config(study_file(*RELEASED, other))


def test_study_is_frozen(study_file):
    with pytest.raises(ValidationError, match="frozen"):
        load_config(study_file()).seed = 8


def test_controls_match_params():
    (table,) = tables()["controls"].values()
    assert table.key_names() == ("preset", *(field.name for field in fields(Controls)))


def test_uncertain_order(study_file):
    study = load_config(
        study_file(),
        [
            "impact.lambda={distribution='uniform', low=0.5, high=1}",
            "impact.energy_gain=['allow', 'project']",
            "motion.assignment=random",
            "motion.polarity=[1, -1]",
            "intensity.value={distribution='uniform', low=1, high=2}",
        ],
    )
    assert study.uncertain == [
        "body.width",
        "impact.lambda",
        "impact.energy_gain",
        "motion.azimuth",
        "motion.polarity",
        "intensity.value",
        "motion.record",
    ]
    assert study.is_cloud
    assert study.n_intensity == 1


def test_redrawn_parameters_are_no_dimension(study_file):
    distribution = "impact.lambda={distribution='uniform', low=0.5, high=1}"
    study = load_config(study_file(), [distribution, "impact.draw=impact", "impact.tau=0.5"])
    assert study.uncertain == ["body.width", "motion.azimuth"]
    assert study.redrawn == ["impact.lambda"]


def test_overrides(study_file):
    study = load_config(
        study_file(),
        [
            "seed=8",
            "title=bare words",
            "controls.tail = 5",
            "body.width.std=0.02",
            "body.mass=600",
            "motion.azimuth=1",
        ],
    )
    assert (study.seed, study.title, study.controls.tail, study.body.width.std) == (
        8,
        "bare words",
        5.0,
        0.02,
    )
    assert (study.body.density, study.body.mass) == (None, 600.0)  # replaces its alternative
    assert study.motion.rotation == (1.0, 1.0)


def test_override_twice_takes_the_last(study_file):
    assert load_config(study_file(), ["seed=8", "seed=9"]).seed == 9


def test_json_round_trip(study_file):
    study = load_config(study_file())
    again = Study.from_json(study.to_json())
    assert again.to_json() == study.to_json()
    assert again.quantities == study.quantities
    assert str(study.folder) not in study.to_json()
    assert '"Säule im Gewölbe"' in load_config(study_file(), ["title=Säule im Gewölbe"]).to_json()


def test_absolute_file_names_become_relative(study_file):
    fema = 'source = "fema_p695"'
    path = study_file(fema, 'source = "csv"\nunit = "g"\nfiles = ["a.csv"]')
    folder = path.parent
    study = load_config(path, [f"motion.files=['{folder}/records/b.csv', '{folder.parent}/c.csv']"])
    assert study.motion.files == ("records/b.csv", "../c.csv")


def test_prism_vertices_can_be_uncertain(study_file):
    width = 'width = { distribution = "normal", mean = 0.4, std = 0.01 }\ndepth = 0.4'
    corner = '{ distribution = "uniform", low = 0.4, high = 0.5 }'
    study = load_config(
        study_file('"cuboid"', '"prism"', width, f"base = [[0, 0], [{corner}, 0], [0.4, 0.4]]")
    )
    assert study.uncertain == ["body.base[1][0]", "motion.azimuth"]


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_shipped_configs_are_valid(path):
    study = load_config(path)
    assert study.title
    assert Study.from_json(study.to_json()).to_json() == study.to_json()


def test_laws_are_one_choice_among_others(study_file):
    study = load_config(
        study_file(),
        ["impact.law=['housner_1963', 'brogliato_2012']", "impact.e_n21=0.95", "impact.lambda=1"],
    )
    assert "impact.law" in study.uncertain
    assert study.impact.parameters["e_n21"] == 0.95
    assert Study.from_json(study.to_json()).to_json() == study.to_json()
