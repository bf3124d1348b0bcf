"""A small valid study file, to be broken by the tests."""

import pytest

from mcrock.study import ConfigError, load_config

VALID = """\
seed = 7

[body]
shape = "cuboid"
width = { distribution = "normal", mean = 0.4, std = 0.01 }
depth = 0.4
height = 1.6
density = 2600

[motion]
source = "fema_p695"
azimuth_deg = { distribution = "uniform", low = 0, high = 360 }

[intensity]
measure = "pga"
levels_g = [0.2, 0.4, 0.8]

[ensemble]
realizations = 64
"""

BLOCK = """\
shape = "cuboid"
width = { distribution = "normal", mean = 0.4, std = 0.01 }
depth = 0.4
height = 1.6
density = 2600
"""
FRUSTUM = """\
shape = "frustum"
base = [[-0.3, -0.3], [0.3, -0.3], [0.3, 0.3], [-0.3, 0.3]]
top_scale = 0.6
height = 0.9
density = 2600
"""
CYLINDER = 'shape = "cylinder"\nradius = 0.2\nheight = 1.1\nmass = 80\n'
CORNERS = "[[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 2], [1, 0, 2], [1, 1, 2], [0, 1, 2]]"
ROCK = f'shape = "polyhedron"\nvertices = {CORNERS}\ndensity = 2600\n'
GIVEN = "com = [0.4, 0.5, 0.9]\nmass = 500\ninertia = [[90, 0, 0], [0, 90, 1], [0, 1, 40]]\n"
BODIES = {"frustum": FRUSTUM, "cylinder": CYLINDER, "rock": ROCK}


def mistakes(path, *overrides):
    """Messages of a study file, without its folder."""
    with pytest.raises(ConfigError) as caught:
        load_config(path, overrides)
    return [line.replace(f"{path.parent}/", "") for line in caught.value.mistakes]


@pytest.fixture
def study_file(tmp_path):
    """Write a study file: ``study_file(old, new, ...)`` replaces pieces of the valid text."""

    def write(*replacements, text=VALID):
        for old, new in zip(replacements[::2], replacements[1::2], strict=True):
            assert old in text
            text = text.replace(old, new)
        path = tmp_path / "study.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write
