"""Notes before a run come where something is odd, behind a floor too, and not for what hardly happens."""

import pytest

from mcrock.show.describe import describe
from mcrock.study import load_config
from mcrock.study.sampling import load_motions
from tests.unit.conftest import write_study

FLOOR = (
    'motion.floor={ frequency = { distribution = "lognormal", median = %g, dispersion = 0.5 }, factor = 1.3 }'
)


@pytest.fixture
def words(tmp_path):
    def of(*overrides):
        study = load_config(write_study(tmp_path), overrides)
        return describe(study, load_motions(study))

    return of


def test_floor_is_too_stiff_for_the_samples_only_where_some_are(words):
    assert "the floor has frequencies above" not in words(FLOOR % 1.4)
    assert "the floor has frequencies above 5 Hz" in words(FLOOR % 4.0)


@pytest.mark.parametrize("floor", [(), (FLOOR % 1.4,)])
def test_levels_and_factors_are_looked_at_behind_a_floor_too(words, floor):
    text = words("intensity.levels_g=[30.0]", *floor)
    assert "note: even the weakest motion has 30 g" in text
    assert "note: motions are scaled by up to" in text
    assert "scaled" not in words(*floor)


def test_weak_levels_are_no_matter_on_a_floor_which_amplifies(words):
    assert "the strongest motion has" in words("intensity.levels_g=[0.01]")
    assert "the strongest motion has" not in words("intensity.levels_g=[0.01]", FLOOR % 1.4)
