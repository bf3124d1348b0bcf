"""Body tables of a study file: what they mean."""

import pickle

import pytest

from mcrock.study import ConfigError, Study, load_config
from tests.unit.study.conftest import BLOCK, CORNERS, CYLINDER, FRUSTUM, GIVEN, ROCK


@pytest.fixture
def body_file(study_file):
    """Study file with another body: ``body_file(text, old, new, ...)``."""
    return lambda body, *changes: study_file(BLOCK, body, *changes)


@pytest.mark.parametrize(
    ("body", "quantities"),
    [
        (FRUSTUM, ["gravity", "height", "density", "com_x", "com_y", "com_z", "base", "top_scale"]),
        (CYLINDER, ["gravity", "height", "mass", "com_x", "com_y", "com_z", "radius"]),
        (ROCK, ["gravity", "density", "com_x", "com_y", "com_z", "scale"]),
        (ROCK.replace("density = 2600\n", GIVEN), ["gravity", "mass", "scale", "com", "inertia"]),
    ],
    ids=["frustum", "cylinder", "polyhedron", "polyhedron with given mass properties"],
)
def test_shapes(body_file, body, quantities):
    study = load_config(body_file(body))
    assert list(dict.fromkeys(name.split("[")[0] for name, _ in study.body.quantities())) == quantities
    again = Study.from_json(study.to_json())
    assert again.body == study.body
    assert again.to_json() == study.to_json()


def test_any_number_can_be_uncertain(body_file):
    wide = "{ distribution = 'uniform', low = 0.3, high = 0.32 }"
    study = load_config(
        body_file(FRUSTUM, "top_scale = 0.6", f"top_scale = {wide}", "[0.3, 0.3]", f"[{wide}, 0.3]")
    )
    assert study.uncertain[:2] == ["body.base[2][0]", "body.top_scale"]
    study = load_config(body_file(ROCK, "[1, 1, 2]", f"[1, 1, {wide}]", "[0, 1, 2]", f"[0, 1, {wide}]"))
    assert study.uncertain[:2] == ["body.vertices[6][2]", "body.vertices[7][2]"]
    study = load_config(body_file(CYLINDER), [f"body.radius={wide}"])
    assert study.uncertain[:1] == ["body.radius"]


def test_settings_of_a_polyhedron(body_file):
    study = load_config(
        body_file(ROCK), ["body.start_face=2", "body.axis=[1, 0, 0.1]", "body.base_faces=[3, 2]"]
    )
    assert (study.body.start_face, study.body.axis, study.body.base_faces) == (2, (1.0, 0.0, 0.1), (3, 2))
    assert study.uncertain == ["motion.azimuth"]


def test_points_from_a_file_become_part_of_the_study(body_file):
    path = body_file(ROCK, f"vertices = {CORNERS}", 'file = "rock.csv"')
    points = path.parent / "rock.csv"
    points.write_text("# x y z\n\n0 0 0\n1, 0, 0 # corner\n0 , 1.5, 0\n 0.2\t0.2 1\n")
    study = load_config(path)
    points.unlink()
    assert study.body.vertices == ((0, 0, 0), (1, 0, 0), (0, 1.5, 0), (0.2, 0.2, 1))
    assert study.body.file is None
    again = Study.from_json(study.to_json())
    assert again.body.outline == study.body.outline
    assert again.body == study.body
    assert pickle.loads(pickle.dumps(study)).body == study.body


def test_file_in_an_override_replaces_the_vertices(body_file):
    path = body_file(ROCK)
    (path.parent / "rock.txt").write_text("0 0 0\n1 0 0\n0 1.5 0\n0.2 0.2 1\n")
    assert len(load_config(path, ["body.file=rock.txt"]).body.vertices) == 4


def test_a_name_that_no_file_can_have_is_refused(body_file):
    path = body_file(ROCK, f"vertices = {CORNERS}", f'file = "{"long" * 100}.csv"')
    with pytest.raises(ConfigError, match=r"\[body\] file: .*File name too long"):
        load_config(path)
