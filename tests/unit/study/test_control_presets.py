"""Presets of the numerical settings."""

import pytest

from mcrock.impact.conditions import CONTROL_PRESETS, Controls
from mcrock.study import Study, load_config

STUDY = """seed = 1
body = {{ shape = "cuboid", width = 0.4, depth = 0.4, height = 1.6, density = 2600 }}
{top}
[motion]
source = "pulse"
shape = "one-sine"
period = 1.0
[intensity]
measure = "pga"
levels_g = [0.4]
[ensemble]
realizations = 4
{end}
"""


@pytest.fixture
def study_of(tmp_path):
    def study_of(top="", end="", overrides=()):
        (tmp_path / "study.toml").write_text(STUDY.format(top=top, end=end))
        return load_config(tmp_path / "study.toml", overrides)

    return study_of


@pytest.mark.parametrize("name", CONTROL_PRESETS)
def test_a_preset_is_its_settings_written_out(study_of, name):
    whole = Controls(**CONTROL_PRESETS[name])
    in_words = study_of(top=f'controls = "{name}"')
    assert in_words.controls == study_of(end=f'[controls]\npreset = "{name}"').controls == whole
    assert study_of(overrides=[f"controls={name}"]).controls == whole
    assert Study.from_json(in_words.to_json()).controls == whole
    assert Controls.fast() == Controls(**CONTROL_PRESETS["fast"]) != Controls()


def test_other_keys_win(study_of):
    study = study_of(end='[controls]\npreset = "fast"\nstep = 0.01\ntail = 5.0')
    assert (study.controls.step, study.controls.tail) == (0.01, 5.0)
    assert study.controls.edge_zeno_time == CONTROL_PRESETS["fast"]["edge_zeno_time"]
    study = study_of(top='controls = "fast"', overrides=["controls.tail=7"])
    assert study.controls == Controls.fast(tail=7.0)
