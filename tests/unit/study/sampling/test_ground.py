"""Slopes of the ground in studies."""

import numpy as np
import pytest

from mcrock.excitation import pack_motions
from mcrock.simulation.runs import simulate_part, simulate_realization
from mcrock.study import Study, load_config
from mcrock.study.sampling import draw_inputs, load_motions

SHAKEN = """
seed = 3
body = { shape = "cuboid", width = 0.3, depth = 0.2, height = 0.8, density = 2600 }
[motion]
source = "pulse"
shape = "one-sine"
period = 0.3
azimuth_deg = 30
[intensity]
measure = "pga"
levels_g = [0.6]
[ensemble]
realizations = 16
"""
NORMAL = 'slope_x_deg = { distribution = "normal", mean = 0.5, std = 0.3 }\nslope_y_deg = -2.0'


@pytest.fixture
def study(tmp_path):
    def load(ground: str = "") -> Study:
        path = tmp_path / "sloping.toml"
        path.write_text(SHAKEN + ("[ground]\n" + ground if ground else ""))
        return load_config(path)

    return load


def inputs_and_results(study):
    inputs = draw_inputs(study, load_motions(study), 0, 16)
    pack = pack_motions(inputs.motions or load_motions(study))
    return inputs, pack, simulate_part(inputs, pack, study.controls)


def test_slopes_are_drawn_as_angles_and_reach_the_kernel(study):
    sloping = study(NORMAL)
    inputs, pack, found = inputs_and_results(sloping)
    drawn = inputs.values["ground_slope_x_deg"]
    assert len(np.unique(drawn)) == 16
    np.testing.assert_allclose(inputs.slope[:, 0], np.sin(np.radians(drawn)))
    np.testing.assert_allclose(inputs.slope[:, 1], np.sin(np.radians(-2.0)))
    for row in (0, 7):
        _, run = simulate_realization(inputs, row, 0, pack, sloping.controls)
        assert np.float32(run.results["peak_tilt"]) == np.float32(found["peak_tilt"][row, 0])
    level = inputs_and_results(study())[2]
    assert (found["peak_tilt"] != level["peak_tilt"]).all()


def test_level_ground_changes_no_bit(study):
    level, zero = inputs_and_results(study())[2], inputs_and_results(study("slope_x_deg = 0.0"))[2]
    for name, array in level.items():
        np.testing.assert_array_equal(array, zero[name])
