"""Body tables of a study file: what they mean and what they refuse."""

# ruff: noqa: E501 -- a message stands on one line, as users see it

import pickle
import re

import pytest

from mcrock.study import Study, load_config
from tests.unit.study.conftest import mistakes

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


@pytest.fixture
def body_file(study_file):
    """Study file with another body: ``body_file(text, old, new, ...)``."""

    def write(body, *replacements):
        for old, new in zip(replacements[::2], replacements[1::2], strict=True):
            assert old in body
            body = body.replace(old, new)
        return study_file(BLOCK, body)

    return write


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


FLAT = "[[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]"
REFUSED = {
    FRUSTUM: {
        "top_scale = 0.6\n => ": "study.toml [body]: expected exactly one of 'top_scale' [1] or 'top' [m]; none is given",
        "top_scale = 0.6 => top = [[0, 0], [0.1, 0], [0, 0.1]]": "study.toml [body] top: must have as many corners as the base, 4, got 3",
        "0.6 => -0.6": "study.toml [body] top_scale: must be > 0 [1], got -0.6",
        "height => com_x = 0.31\nheight": "study.toml [body]: the centre of mass must stand over the inside of the base; it lies 0.01 m outside base edge 1",
        "height => com_z = 0.6\nheight": "study.toml [body]: the centre of mass must be inside the body; it lies 0.0765306 m outside face 5",
    },
    CYLINDER: {
        "mass => sides = 2\nmass": "study.toml [body] sides: expected an integer >= 3 and <= 120, got 2",
        "radius => radios": "study.toml [body]: missing key 'radius'; expected a number > 0 [m] or a distribution table",
    },
    ROCK: {
        f"vertices = {CORNERS}\n => ": "study.toml [body]: expected exactly one of 'vertices' [m] or 'file' [rows of x, y, z]; none is given",
        "density => file = 'rock.csv'\ndensity": "study.toml [body]: expected exactly one of 'vertices' [m] or 'file' [rows of x, y, z]; 'vertices' and 'file' are given",
        f'vertices = {CORNERS} => file = "none.csv"': "study.toml [body] file: none.csv: cannot be read: No such file or directory",
        f"{CORNERS} => [[0, 0, 0]]": "study.toml [body] vertices: expected a list of at least 4 vertices [x, y, z] [m], got 1 of them",
        "[1, 1, 2] => [1, 1]": "study.toml [body] vertices[6]: expected 3 coordinates [m], got [1, 1]",
        f"{CORNERS} => {FLAT}": "study.toml [body]: vertices must enclose a volume [m3], but all 4 lie in one plane",
        f"{CORNERS} => {FLAT.replace('[0, 1, 0]', '[0, 1, 1e-8]')}": "study.toml [body]: polyhedron: fewer than 4 faces are wider than 1e-06 of the size; is the body flat?",
        "density = 2600 => density = 2600\nmass = 3": "study.toml [body]: expected exactly one of 'density' [kg/m3] or 'mass' [kg]; 'density' and 'mass' are given",
        "density = 2600 => com = [0.4, 0.5, 0.9]\nmass = 3": "study.toml [body]: 'com', 'inertia' and 'mass' are given together or not at all; missing 'inertia'",
        f"density = 2600 => {GIVEN}com_y = 0.1": "study.toml [body] com_y: only for a homogeneous body; leave it out where 'com' and 'inertia' are given; give the entries of com as distributions",
        f"density = 2600 => {GIVEN.replace('0.9]', '2.4]')}": "study.toml [body]: the centre of mass must be inside the body; it lies 0.4 m outside face 5",
        "density => axis = [0, 0]\ndensity": "study.toml [body] axis: expected a direction [x, y, z] [1], got [0, 0]",
        "density => axis = [0, 0, 0]\ndensity": "study.toml [body] axis: must not be zero in all three coordinates",
        "density => axis = [0, 0, -1]\ndensity": "study.toml [body]: the axis of the body (z) must lean by less than 90 deg when face 0 lies on the ground, got 180.0 deg; choose another start_face or axis",
        "density => start_face = 6\ndensity": "study.toml [body]: start_face: the body has the faces 0 to 5, got 6",
        "density => base_faces = [0, 7]\ndensity": "study.toml [body]: base_faces: the body has the faces 0 to 5, got 7",
        "density => base_faces = []\ndensity": "study.toml [body] base_faces: expected a list of face numbers, got an empty list",
        "density => scale = 0\ndensity": "study.toml [body] scale: must be > 0 [1], got 0",
    },
}


@pytest.mark.parametrize(
    ("body", "change", "message"), [(body, *row) for body, rows in REFUSED.items() for row in rows.items()]
)
def test_one_mistake(body_file, body, change, message):
    assert message in mistakes(body_file(body, *change.split(" => ")))


def test_walls_must_be_plane(body_file):
    twisted = "top = [[-0.2, -0.2], [0.2, -0.1], [0.2, 0.2], [-0.2, 0.2]]"
    (message,) = mistakes(body_file(FRUSTUM, "top_scale = 0.6", twisted))
    assert re.fullmatch(
        r"study.toml \[body\]: faces: face 1 must be plane; vertex \d is 0.0294 m off its plane", message
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"0 0 0\n1 0\n", ", line 2: expected 3 numbers x, y, z, got '1 0'"),
        (b"0 0 0\n1 0 x # corner\n", ", line 2: expected 3 numbers x, y, z, got '1 0 x # corner'"),
        (b"0;0;0\n", ", line 1: expected 3 numbers x, y, z, got '0;0;0'"),
        (b"0 0 inf\n", ", line 1: expected 3 numbers x, y, z, got '0 0 inf'"),
        (b"\xff\xfe0", ": not a text file in UTF-8; save it as one"),
    ],
)
def test_files_that_are_no_points_are_refused(body_file, text, message):
    path = body_file(ROCK, f"vertices = {CORNERS}", 'file = "rock.csv"')
    (path.parent / "rock.csv").write_bytes(text)
    assert mistakes(path) == [f"study.toml [body] file: rock.csv{message}"]


def test_other_mistakes_are_found_beside_those_of_the_file(body_file):
    path = body_file(ROCK, f"vertices = {CORNERS}", 'file = "none.csv"', "density = 2600", "density = -1")
    assert mistakes(path) == [
        "study.toml [body] file: none.csv: cannot be read: No such file or directory",
        "study.toml [body] density: must be > 0 [kg/m3], got -1",
    ]
