"""Sources of ground motions: what each declares, and a new one that is known everywhere by its own file."""

from typing import Annotated, ClassVar, Literal

import numpy as np
import pytest

from mcrock.base.tables.distributions import Uncertain
from mcrock.base.tables.fields import ChoiceKey, Input
from mcrock.dataset import SCHEMA, declaration
from mcrock.dataset.schema import table_inputs
from mcrock.ensemble import run_study
from mcrock.excitation import Motion, MotionError
from mcrock.excitation.sources import SOURCES, declarations
from mcrock.excitation.sources.base import ShakingSource
from mcrock.excitation.sources.generated import GeneratedSource
from mcrock.show.describe import describe
from mcrock.study import ConfigError, load_config
from mcrock.study.sampling import check_inputs, draw_inputs, load_motions

STUDY = """
seed = 1
body = { shape = "cuboid", width = 0.3, depth = 0.3, height = 1.0, density = 2000 }
[ensemble]
realizations = 6
[intensity]
measure = "pga"
levels = [1.0, 3.0]
[motion]
source = "ramp"
length = { distribution = "uniform", low = 0.5, high = 2 }
"""


class RampSource(GeneratedSource):
    """An acceleration that rises and ends."""

    draws_noise: ClassVar = False
    inputs: ClassVar = {"length": Input("length of the ramp")}

    source: Literal["ramp"]
    length: Annotated[float, Uncertain("s", above=0.0)]

    def check(self, numbers, folder):
        if numbers["length"] > 3:
            raise MotionError("the ramp is too long")
        super().check(numbers, folder)

    def make(self, numbers, rng, realization, folder):
        rise = np.linspace(0.0, 1.0, 101)
        return Motion([rise, 0 * rise, 0 * rise], numbers["length"] / 100, f"ramp {realization}")

    def origin(self, folder):
        return "ramps"


@pytest.fixture
def study_of_ramps(tmp_path, monkeypatch):
    """A study of a source that mcrock does not have, and overrides."""
    monkeypatch.setitem(SOURCES, "ramp", RampSource)
    table_inputs.cache_clear()

    def load(*overrides):
        path = tmp_path / "study.toml"
        path.write_text(STUDY)
        return load_config(path, list(overrides))

    yield load
    table_inputs.cache_clear()


def test_a_new_source_is_a_subclass_and_its_line(study_of_ramps, tmp_path):
    study = study_of_ramps()
    motions = load_motions(study)
    text = describe(study, motions)
    assert "motions: ramps, one for each realization, azimuth 0 deg" in text
    assert "motion.length [s]: uniform, low 0.5, high 2" in text
    inputs = draw_inputs(study, motions, 0, 6)
    lengths = [motion.duration for motion in inputs.motions]
    np.testing.assert_allclose(inputs.values["motion_length"], lengths)
    ds = run_study(study, tmp_path / "ramps.zarr")
    assert ds["motion_length"].attrs == {"units": "s", "long_name": "length of the ramp"}
    assert ds["motion_history"].item() == "ramps, one for each realization"
    names = list(ds.data_vars)
    assert names.index("motion_length") < names.index("azimuth") < names.index("outcome")


def test_numbers_that_make_no_motion_name_the_realization(study_of_ramps):
    study = study_of_ramps("motion.length={distribution='discrete', values=[1, 4]}")
    with pytest.raises(ConfigError, match=r"realization \d: the ramp is too long \(drawn: length = 4\)"):
        check_inputs(study, load_motions(study))


@pytest.mark.parametrize("source", [item for item in SOURCES.values() if item.shakes])
def test_what_may_be_uncertain_is_declared(source):
    kinds = {key: source.kind(key) for key in source.key_names()}
    of_all = set(ShakingSource.key_names())
    numbers = [key for key, kind in kinds.items() if isinstance(kind, Uncertain) and key not in of_all]
    assert numbers == [key for key, item in source.inputs.items() if item.codes is None]
    for key, codes in ((key, item.codes) for key, item in source.inputs.items()):
        if codes is not None:
            assert isinstance(kinds[key], ChoiceKey)
            assert [word.lower().replace("-", "_") for word in kinds[key].options] == [
                code.name.lower() for code in codes
            ]
            assert [int(code) for code in codes] == list(range(len(codes)))


def test_declarations_are_of_one_meaning():
    names = [item.name for item in declarations()]
    assert len(set(names)) == len(names)
    assert not set(names) & set(SCHEMA)
    assert declaration("motion_frequency_slope").units == "Hz s-1"
    assert declaration("motion_floor_frequency").long_name == "natural frequency of the floor"
    with pytest.raises(KeyError):
        declaration("motion_of_nobody")
