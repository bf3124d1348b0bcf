"""Studies and motions small enough to draw in a moment."""

import numpy as np
import pytest

from mcrock.excitation.motion import Motion
from mcrock.study import load_config

STUDY = """\
seed = 11
[body]
shape = "cuboid"
width = { distribution = "normal", mean = 0.4, std = 0.01 }
depth = 0.4
height = { distribution = "uniform", low = 1.5, high = 1.7 }
density = 2600
com_x = { distribution = "normal", mean = 0, std = 0.01 }
[impact]
lambda = { distribution = "beta", alpha = 2, beta = 3 }
energy_gain = ["project", "allow"]
[motion]
source = "csv"
files = ["a.csv"]
unit = "g"
azimuth_deg = { distribution = "uniform", low = 0, high = 360 }
polarity = [1, -1]
[intensity]
measure = "pga"
levels_g = [0.2, 0.4]
[ensemble]
realizations = 200
"""


@pytest.fixture(scope="session")
def make_study(tmp_path_factory):
    """Study of the text above with overrides: ``make_study("ensemble.design=random")``."""
    path = tmp_path_factory.mktemp("study") / "study.toml"
    path.write_text(STUDY)
    return lambda *overrides: load_config(path, overrides)


@pytest.fixture(scope="session")
def motions():
    """Three motions with peak accelerations of 1, 2 and 3 m/s2."""
    shape = np.array([0.0, 1.0, -0.5, 0.0])
    return [
        Motion(np.array([shape * k, shape * k, shape * 0]), dt=0.1, name=f"motion {k}") for k in (1, 2, 3)
    ]
