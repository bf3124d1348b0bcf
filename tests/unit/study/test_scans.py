"""Studies of scanned bodies: what a file holds is in the study, and equals what Python makes of it."""

import re

import numpy as np
import pytest
import trimesh

from mcrock.body import hull_surface, scanned, shapes, stable_faces, with_shape_error
from mcrock.body.polyhedron import read_scan
from mcrock.show.describe import describe
from mcrock.study import ConfigError, Study, load_config
from mcrock.study.sampling import draw_inputs, load_motions

STUDY = """
seed = 4
[body]
shape = "polyhedron"
file = "rock.stl"
unit = "mm"
density = 2600
[impact]
lambda = 1
[motion]
source = "pulse"
shape = "one-sine"
period = 0.8
[intensity]
measure = "pga"
levels_g = [0.3]
[ensemble]
realizations = 3
"""


@pytest.fixture
def rock(tmp_path):
    """Mesh in millimetres: an egg with a flat foot and a dent in its top."""
    egg = trimesh.creation.icosphere(subdivisions=2)
    points = np.asarray(egg.vertices) * [300, 250, 500]
    points[:, 2] = np.maximum(points[:, 2], -420 + 0.02 * points[:, 0])
    points[np.argmax(points[:, 2])] *= 0.6
    mesh = trimesh.Trimesh(points, egg.faces, process=False)
    mesh.export(tmp_path / "rock.stl")
    return mesh


@pytest.fixture
def load(rock, tmp_path):
    """The study with overrides."""
    path = tmp_path / "study.toml"
    path.write_text(STUDY)
    return lambda *overrides: load_config(path, overrides)


@pytest.fixture
def motions(load):
    return load_motions(load())


def test_a_study_of_a_mesh_has_the_body_of_python(load, motions, tmp_path):
    inputs = draw_inputs(load(), motions, 0, 2)
    body = scanned(tmp_path / "rock.stl", 2600, unit="mm", settle=True)
    assert inputs.faces == body.faces
    assert inputs.start_face[0] == body.start_face
    np.testing.assert_allclose(inputs.vertices[0], body.vertices, atol=1e-12)
    np.testing.assert_allclose(inputs.inertia[0], body.inertia, rtol=1e-12, atol=1e-12)
    assert inputs.values["body_density"][0] == pytest.approx(2600)


def test_a_mesh_is_read_once_until_its_file_changes(load, rock, tmp_path, monkeypatch):
    read = []
    monkeypatch.setattr(shapes, "read_scan", lambda *given: read.append(given) or read_scan(*given))
    first = load().body.vertices
    assert load("body.density=2000").body.vertices == first
    assert len(read) == 1
    rock.apply_scale(0.9).export(tmp_path / "rock.stl")
    assert load().body.vertices != load("body.unit='cm'").body.vertices
    assert len(read) == 3


def test_the_mass_is_of_the_mesh(load, motions, rock):
    study = load()
    assert draw_inputs(study, motions, 0, 1).mass[0] == pytest.approx(2600e-9 * rock.volume, rel=1e-6)
    assert rock.convex_hull.volume > 1.005 * rock.volume
    volumes = f"it has a volume of {rock.volume * 1e-9:.4g} m3, and its hull, which touches the ground,"
    assert volumes in describe(study, motions)
    given = load("body.mass=300")
    assert draw_inputs(given, motions, 0, 1).mass[0] == 300


def test_a_study_keeps_what_the_file_holds(load, motions, tmp_path):
    study = load()
    text = study.to_json()
    (tmp_path / "rock.stl").unlink()
    again = Study.from_json(text)
    assert again.to_json() == text
    assert "rock.stl" not in text
    np.testing.assert_array_equal(
        draw_inputs(again, motions, 0, 1).vertices, draw_inputs(study, motions, 0, 1).vertices
    )


def test_a_scaled_mesh(load, motions):
    plain, larger = (draw_inputs(load(f"body.scale={s}"), motions, 0, 1) for s in (1, 1.5))
    np.testing.assert_allclose(larger.mass, 1.5**3 * plain.mass)
    np.testing.assert_allclose(larger.inertia, 1.5**5 * plain.inertia, atol=1e-9)
    np.testing.assert_allclose(larger.vertices, 1.5 * plain.vertices, atol=1e-12)


@pytest.mark.parametrize("scale", [1.0, 0.5])
def test_a_mesh_with_an_error_of_its_shape(load, motions, rock, scale):
    """Its mass stays; the hull is that of all its points that the surface may bring out."""
    error = "body.shape_error={ std = 0.002, correlation_length = 0.1 }"
    study = load(error, f"body.scale={scale}")
    plain = draw_inputs(load(f"body.scale={scale}"), motions, 0, 1)
    inputs = draw_inputs(study, motions, 2, 3)
    assert inputs.mass[0] == pytest.approx(plain.mass[0], rel=1e-12)
    points = np.asarray(rock.vertices).astype(np.float32).astype(float) * 0.001 * scale
    moved = with_shape_error(points, 0.002, 0.1, seed=4, draw=2)
    spans = np.sort(np.linalg.norm(inputs.vertices[0][:, None] - inputs.vertices[0], axis=-1).ravel())
    corners = moved[hull_surface(moved).kept]
    expected = np.sort(np.linalg.norm(corners[:, None] - corners, axis=-1).ravel())
    np.testing.assert_allclose(spans, expected, atol=1e-9)


def test_an_open_mesh_with_mass_properties_from_elsewhere(load, rock, motions, tmp_path):
    trimesh.Trimesh(rock.vertices, rock.faces[1:], process=False).export(tmp_path / "rock.stl")
    with pytest.raises(ConfigError, match=r"\[body\] file: .*rock\.stl: the mesh is not closed: 3 edges"):
        load()
    given = ["body.mass=300", "body.com=[0.0, 0.0, 0.0]", "body.inertia=[[25, 0, 0], [0, 25, 0], [0, 0, 9]]"]
    inputs = draw_inputs(load(*given), motions, 0, 1)
    assert inputs.mass[0] == 300


def test_points_in_millimetres(load, motions, rock, tmp_path):
    np.savetxt(tmp_path / "rock.txt", rock.vertices)
    inputs = draw_inputs(load("body.file=rock.txt"), motions, 0, 1)
    assert inputs.mass[0] == pytest.approx(2600e-9 * rock.convex_hull.volume, rel=1e-6)


def test_the_unit_of_a_mesh_is_asked_for(load, tmp_path):
    path = tmp_path / "study.toml"
    path.write_text(STUDY.replace('unit = "mm"\n', ""))
    message = r"\[body\] file: .*rock\.stl: a mesh does not say the unit of its lengths: give unit = 'm'"
    with pytest.raises(ConfigError, match=message) as caught:
        load()
    assert len(caught.value.mistakes) == 1


def test_a_mesh_with_y_up_stands_as_with_z_up_and_lies_without_the_key(load, motions, rock, tmp_path):
    upright = load()
    turned = rock.copy()
    turned.apply_transform([[1, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]])  # z becomes y
    turned.export(tmp_path / "rock.stl")
    study = load("body.up=y")
    assert study.body.up == "y"
    stands, lies = (draw_inputs(one, motions, 0, 1) for one in (study, load()))
    expected = draw_inputs(upright, motions, 0, 1)
    np.testing.assert_allclose(stands.vertices[0], expected.vertices[0], atol=1e-7)
    np.testing.assert_allclose(stands.inertia[0], expected.inertia[0], rtol=1e-6, atol=1e-6)
    assert np.ptp(lies.vertices[0, :, 2]) < 0.7 * np.ptp(expected.vertices[0, :, 2])
    note = re.search(r"note: its longest side, ([\d.]+) m, lies down.*up = \"y\"", describe(load(), motions))
    assert float(note[1]) == pytest.approx(np.ptp(lies.vertices[0], axis=0).max(), rel=1e-3)
    assert "lies down" not in describe(study, motions)
    assert "in the axes of the file after y was turned up" in describe(study, motions)
    stored = Study.from_json(study.to_json())
    assert stored.to_json() == study.to_json()
    np.testing.assert_array_equal(draw_inputs(stored, motions, 0, 1).vertices, stands.vertices)


def test_of_many_faces_those_of_the_base_its_neighbours_and_stable_ones_are_listed(load, motions):
    study = load()
    body = study.body.at_medians()
    lines = describe(study, motions).splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("  face ")) + 1
    last = next(i for i, line in enumerate(lines) if line.endswith(" others, neither stable nor base"))
    rows = [line.split() for line in lines[first:last]]
    assert len(body.faces) == len(rows) + int(lines[last].split()[1])
    listed = {int(row[0]) for row in rows}
    stable = np.flatnonzero(stable_faces(body.vertices, body.faces)[0])
    foot = set(body.faces[int(body.start_face[0])])
    joining = {f for f, corners in enumerate(body.faces) if len(foot & set(corners)) >= 2}
    assert listed >= joining | set(stable.tolist()) | set(body.base_faces)
    assert len(listed) < 60


def test_the_centre_of_mass_of_a_mesh_is_told_in_the_axes_of_its_file(load, motions, rock, tmp_path):
    moved = rock.copy()
    moved.apply_translation([1000, -2000, 3000])
    moved.export(tmp_path / "rock.stl")
    x, y, z = (f"{value / 1000:.4g}" for value in moved.center_mass)
    where = f"centre of mass at x {x} m, y {y} m, z {z} m in the axes of the file"
    text = describe(load(), motions)
    assert "  centre of mass and inertia are those of the homogeneous mesh, 2600 kg/m3\n" in text
    assert where in text
    path = tmp_path / "study.toml"
    path.write_text(STUDY.replace("density = 2600", "mass = 90"))
    text, density = describe(load(), motions), 90 / (rock.volume / 1e9)
    assert f"homogeneous mesh, {density:.4g} kg/m3; if it is hollow, give com and inertia" in text
    assert where in text
    text = describe(load("body.com_x=0.02"), motions)
    assert f"x {moved.center_mass[0] / 1000 + 0.02:.4g} m, y {y} m" in text
    assert "  inertia is that of the homogeneous mesh" in text
