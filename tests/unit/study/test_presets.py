"""Presets of impact parameters: what studies make of them and keep, and that every number has a source."""

import re

import numpy as np
import pytest

from mcrock import cuboid, planar, run_study
from mcrock.base.tables.distributions import Uniform
from mcrock.base.tables.parsing import toml
from mcrock.impact.registry import ImpactParameter
from mcrock.show.describe import describe
from mcrock.study import ConfigError, Study, impact, load_config
from mcrock.study.impact import BOUNDS, PRESETS, Given
from mcrock.study.sampling import load_motions
from tests.unit.conftest import write_study

NAMES = (  # stored studies have them
    "varkonyi_2022_bounds",
    "varkonyi_2022_fitted",
    "varkonyi_2022_block_4",
    "kalliontzis_2016",
    "housner_1963",
    "ther_kollar_2017",
    "moreau_1988",
    "concrete_base",
    "rubber_base",
)
WHERE = r"((section|figure) \d|abstract)"
COMPLETE = [name for name, preset in PRESETS.items() if not preset.lacking]
IMPACT = "[impact]\n{}\n\n[motion]"


def uniform(low, high):
    return Uniform(distribution="uniform", low=low, high=high)


@pytest.fixture
def study_of(study_file):
    """Study of the valid file with lines of [impact] and overrides."""

    def load(*lines, overrides=(), **options):
        return load_config(
            study_file("[motion]", IMPACT.format("\n".join(lines))), list(overrides), **options
        )

    return load


def message(study_of, *lines, **options):
    with pytest.raises(ConfigError) as error:
        study_of(*lines, **options)
    return str(error.value)


def test_names_stay():
    assert set(NAMES) <= set(PRESETS)


@pytest.mark.parametrize("preset", PRESETS.values(), ids=PRESETS)
def test_every_preset_and_every_number_has_a_source(preset):
    assert re.search(r"\(\d{4}\)\. .*\d|, doi 10\.\d+/\S+, abstract$", preset.source)
    for parameter, given in preset.parameters.items():
        assert parameter.row.law == preset.law
        assert re.search(WHERE, given.source)
        assert given.low <= given.high
    assert not set(preset.parameters) & set(preset.lacking)
    assert all(re.search(WHERE, reason) for reason in preset.lacking.values())
    needed = {parameter for parameter in preset.law.parameters if parameter.row.needed}
    assert needed <= {*preset.parameters, *preset.lacking}


@pytest.mark.parametrize(
    ("name", "readings"),  # height over width, and measured over Housner's velocity ratio
    [
        ("concrete_base", {5: (0.95, 0.95**0.5), 3: (0.97, 0.97**0.5)}),
        ("rubber_base", {5: (0.67, 0.67**0.5)}),
    ],
)
def test_interfaces_give_the_measured_velocity_ratios_to_blocks_of_the_tests(name, readings):
    given = PRESETS[name].parameters[ImpactParameter["LAMBDA_LON"]]
    found = []
    for aspect, shares in readings.items():
        block = planar.planar_block(cuboid(width=0.2, depth=0.5, height=0.2 * aspect, density=2400))
        ratios = [share * planar.housner_1963(block) for share in shares]
        found += [planar.lambda_of_ratio(block, ratio) for ratio in ratios]
    assert (given.low, given.high) == (round(min(found), 2), round(max(found), 2))
    assert given.low > 1  # more loss than by Housner's rule


@pytest.mark.parametrize("name", COMPLETE)
def test_preset_is_what_it_stands_for_written_out(study_of, name):
    study, preset = study_of(f'preset = "{name}"'), PRESETS[name]
    assert study.impact.law == preset.law.key
    for parameter, given in preset.parameters.items():
        expected = given.low if given.low == given.high else uniform(given.low, given.high)
        assert study.impact.parameters[parameter.key] == expected
    written = study_of(*(f"{key} = {toml(item)}" for key, item in preset.table.items()))
    assert study.impact.model_copy(update={"preset": None}) == written.impact


def test_keys_beside_a_preset_win(study_of):
    study = study_of('preset = "varkonyi_2022_bounds"', "lambda = 0.7", 'draw = "impact"')
    assert (study.impact.lambda_, study.impact.lambda_lon) == (0.7, uniform(0, 1))
    assert study.impact.draw == "impact"
    laws = study_of('preset = "varkonyi_2022_bounds"', 'law = ["varkonyi_2022", "moreau_1988"]').impact
    assert (laws.law, laws.lambda_lat) == (("varkonyi_2022", "moreau_1988"), uniform(-1, 1))


def test_override_of_a_key_wins_over_a_preset_of_the_file(study_of):
    study = study_of('preset = "varkonyi_2022_bounds"', overrides=["impact.lambda_lat=0.2"])
    assert (study.impact.lambda_lat, study.impact.lambda_lon) == (0.2, uniform(0, 1))


def test_preset_of_an_override_takes_the_place_of_the_impacts_of_the_file(study_of):
    lines = "lambda = 0.7", "lambda_lat = 0.1", 'draw = "impact"', "faces = [{ face = 0, lambda_lon = 0.5 }]"
    impact = study_of(*lines, overrides=["impact.preset=housner_1963"]).impact
    assert (impact.law, impact.lambda_, impact.lambda_lat, impact.faces) == ("housner_1963", 1.0, 0.0, ())
    assert impact.draw == "impact"
    both = ["impact.preset=varkonyi_2022_bounds", "impact.lambda=0.8"]
    impact = study_of(*lines, overrides=both).impact
    assert (impact.lambda_, impact.lambda_lat) == (0.8, uniform(-1, 1))


def test_column_of_a_table_wins(study_of):
    columns = {"impact.lambda": np.linspace(0.4, 0.6, 64)}
    study = study_of('preset = "varkonyi_2022_fitted"', inputs=columns)
    assert study.impact.lambda_.values[0] == 0.4
    assert study.impact.lambda_lon == uniform(0, 1.5)


def test_what_the_source_lacks_is_to_be_given(study_of):
    text = message(study_of, 'preset = "varkonyi_2022_fitted"')
    assert len(text.splitlines()) == 1
    assert "[impact] preset: 'varkonyi_2022_fitted' has no 'lambda' [1]; give it next to the preset: " in text
    assert study_of('preset = "varkonyi_2022_fitted"', "lambda = 1.0").impact.lambda_lat == uniform(-5, 5)


def changed(monkeypatch, name):
    """Give a preset other numbers, and the law a parameter that it did not have."""
    other = dict.fromkeys(
        (*PRESETS[name].parameters, ImpactParameter["TAU_FACET"]), Given(0.1, 0.2, "section 9")
    )
    monkeypatch.setitem(impact.PRESETS, name, PRESETS[name]._replace(parameters=other))


def test_store_keeps_what_was_drawn_from(tmp_path, monkeypatch):
    path = write_study(tmp_path)
    overrides = ["impact.preset=varkonyi_2022_bounds", "impact.draw=run", "ensemble.realizations=8"]
    ds = run_study(load_config(path, overrides), tmp_path / "a.zarr", workers=1)
    stored = ds.attrs["config"]
    assert 0 <= ds.impact_lambda_lat.min() + 1 < 0.5
    changed(monkeypatch, "varkonyi_2022_bounds")
    assert load_config(path, overrides).impact.lambda_ == uniform(0.1, 0.2)
    study = Study.from_json(stored, tmp_path)
    assert study.to_json() == stored
    assert (study.impact.preset, study.impact.lambda_) == ("varkonyi_2022_bounds", uniform(0, 1))
    assert study.impact.tau_facet is None
    again = run_study(study, tmp_path / "b.zarr", workers=1)
    assert again.identical(ds)


def test_check_tells_what_a_preset_stands_for_and_which_bounds_it_leaves(tmp_path):
    path = write_study(tmp_path)

    def words(*overrides):
        study = load_config(path, overrides)
        return describe(study, load_motions(study))

    inside = words("impact.preset=varkonyi_2022_bounds", "impact.lambda=0.7")
    assert "impacts: preset varkonyi_2022_bounds, theoretical bounds" in inside
    assert f"\n  {BOUNDS.source}\n" in inside
    assert "\n  lambda 0 to 1 [1]: the study has its own\n" in inside
    assert "\n  lambda_lat -1 to 1 [1]: section 4.9, equation 27\n" in inside
    assert "theoretical bounds [" not in inside
    beyond = words("impact.preset=varkonyi_2022_fitted", "impact.lambda=-0.1")
    assert "\n  lambda: the study's own\n" in beyond
    for name, ends in (("lambda", "0, 1"), ("lambda_lon", "0, 1"), ("lambda_lat", "-1, 1")):
        assert f"note: impact.{name} leaves the theoretical bounds [{ends}] (Várkonyi" in beyond
    assert "preset" not in words()


def test_a_law_that_does_without_the_parameters_is_refused_by_the_name_of_the_preset(study_of):
    text = message(study_of, 'preset = "varkonyi_2022_bounds"', 'law = "housner_1963"')
    assert "study.toml, preset 'varkonyi_2022_bounds': [impact] lambda: is a parameter of the law" in text
