"""Scans: meshes of every format and unit are the bodies that they show; what is wrong with one is named."""

import os
import sys

import numpy as np
import pytest
import trimesh
from hypothesis import given
from hypothesis import strategies as st

from mcrock.base.units import LENGTHS
from mcrock.body import Scan, cuboid, hull, read_scan, scanned, solid_moments
from mcrock.body.polyhedron import MOST_CORNERS, UP, hull_corners

BOX = trimesh.creation.box((0.4, 0.3, 1.6))
CORNERS, TRIANGLES = np.asarray(BOX.vertices), np.asarray(BOX.faces)
MAP = (512_345.67, 4_312_345.67, 20.0)  # in metres, as of UTM
SINGLE = 1e-6  # coordinates of binary STL have 24 bits


@pytest.fixture
def save(tmp_path):
    """Path of a mesh: ``save(points, triangles, "a.ply")``."""

    def write(points, triangles, name="mesh.obj"):
        path = tmp_path / name
        trimesh.Trimesh(points, triangles, process=False).export(path)
        return path

    return write


@pytest.mark.parametrize("name", ["a.stl", "a.obj", "a.ply", "A.STL"])
@pytest.mark.parametrize("unit", list(LENGTHS))
def test_a_box_is_a_cuboid(save, name, unit):
    body = scanned(save(np.add(CORNERS, (3.0, 2.0, 0.8)) / LENGTHS[unit], TRIANGLES, name), 2600, unit=unit)
    expected = cuboid(0.4, 0.3, 1.6, 2600)
    assert body.mass == pytest.approx(expected.mass, rel=SINGLE)
    np.testing.assert_allclose(body.inertia, expected.inertia, atol=SINGLE * expected.mass)
    assert (len(body.vertices), len(body.faces)) == (8, 6)
    assert body.slenderness == pytest.approx(expected.slenderness, rel=10 * SINGLE)


@pytest.mark.parametrize("up", UP)
def test_the_axis_that_is_up_is_turned_up_without_mirroring(save, tmp_path, up):
    """A wedge of three different sides, written with each axis up: the same body, not its mirror image."""
    wedge = np.array([(0, 0, 0), (0.4, 0, 0), (0, 0.3, 0), (0.1, 0.05, 1.2)])
    faces = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)]
    x, y, z = wedge.T
    written = {
        "z": (x, y, z), "y": (x, z, -y), "x": (z, y, -x),
        "-z": (x, -y, -z), "-y": (x, -z, y), "-x": (-z, y, x),
    }  # fmt: skip
    turned = np.stack(written[up], 1)
    body = scanned(save(turned, faces), 2600, unit="m", up=up)
    expected = scanned(save(wedge, faces), 2600, unit="m")
    np.testing.assert_allclose(body.vertices, expected.vertices, atol=1e-7)
    np.testing.assert_allclose(body.inertia, expected.inertia, atol=1e-7)
    np.savetxt(tmp_path / "wedge.txt", turned)
    np.testing.assert_allclose(read_scan(tmp_path / "wedge.txt", "m", up).points, wedge, atol=1e-12)


def channel():
    """A block of 1 x 1 x 1 m with a groove of 0.5 x 0.5 m along y in its base."""
    outline = [(0, 0), (0.25, 0), (0.25, 0.5), (0.75, 0.5), (0.75, 0), (1, 0), (1, 1), (0, 1)]
    points = [(x, y, z) for y in (0.0, 1.0) for x, z in outline]
    side = [(0, 1, 2), (0, 2, 7), (2, 3, 6), (2, 6, 7), (3, 4, 5), (3, 5, 6)]
    pairs = [(a, (a + 1) % 8) for a in range(8)]
    walls = [triangle for a, b in pairs for triangle in ((b, a, a + 8), (b, a + 8, b + 8))]
    back = [(i + 8, k + 8, j + 8) for i, j, k in side]
    return np.array(points), np.array(side + back + walls)


def test_mass_is_of_the_mesh_and_contact_of_the_hull(save):
    """The groove has no mass, and is under the hull all the same; moments from three boxes."""
    points, triangles = channel()
    assert trimesh.Trimesh(points, triangles).volume == pytest.approx(0.75)
    body = scanned(save(points, triangles), 2000, unit="m")
    leg, top = (0.25, 1, 0.5), (1, 1, 0.5)
    boxes = [((0.125, 0.5, 0.25), leg), ((0.875, 0.5, 0.25), leg), ((0.5, 0.5, 0.75), top)]
    mass = np.array([np.prod(size) for _, size in boxes]) * 2000
    places = np.array([place for place, _ in boxes])
    com = mass @ places / mass.sum()
    inertia = np.zeros((3, 3))
    for m, arm, (_, size) in zip(mass, places - com, boxes, strict=True):
        square = np.square(size)
        inertia += m * (np.diag(square.sum() - square) / 12 + arm @ arm * np.eye(3) - np.outer(arm, arm))
    assert body.mass == pytest.approx(1500)
    np.testing.assert_allclose(body.inertia, inertia, atol=1e-9)
    assert (len(body.faces), body.base.shape) == (6, (4, 3))
    assert body.com_height == pytest.approx(com[2])


def test_cavities_are_no_mass(save):
    hollow = np.vstack([CORNERS, 0.5 * CORNERS]), np.vstack([TRIANGLES, TRIANGLES[:, ::-1] + 8])
    assert scanned(save(*hollow), 2600, unit="m").mass == pytest.approx(
        cuboid(0.4, 0.3, 1.6, 2600).mass * 7 / 8
    )


coordinates = st.floats(-1.0, 1.0, width=32)


@given(st.integers(5, 40), st.integers(0, 2**32), st.tuples(coordinates, coordinates, coordinates))
def test_the_solid_of_a_convex_mesh_is_that_of_its_hull(n, seed, shift):
    points = np.random.default_rng(seed).normal(size=(n, 3)) + 100 * np.array(shift)
    mesh = trimesh.convex.convex_hull(points)
    scan = Scan(np.asarray(mesh.vertices), np.asarray(mesh.faces), "hull")
    found = scan.solid()
    inside = tuple(map(tuple, np.asarray(mesh.faces)[:, ::-1].tolist()))  # faces seen from inside
    expected = solid_moments(np.asarray(mesh.vertices)[None], inside)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other[0], rtol=1e-8, atol=1e-8)


def test_no_corner_is_left_out(save):
    """A finely meshed egg: all of its 642 corners touch the ground in their turn."""
    egg = trimesh.creation.icosphere(subdivisions=3)
    points = np.asarray(egg.vertices) * [0.3, 0.25, 0.5]
    body = scanned(save(points, egg.faces, "egg.ply"), 2600, unit="m", settle=True)
    assert len(body.vertices) == 642
    assert body.face_stable[body.start_face]
    assert hull_corners(np.vstack([points, [[0, 0, 0.1]]])).tolist() == list(range(642))


def test_a_hull_of_too_many_corners_is_refused_at_once():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(MOST_CORNERS + 1, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    assert len(hull_corners(points[1:])) == MOST_CORNERS
    with pytest.raises(ValueError, match="has 20001 corners, more than 20000: reduce the mesh"):
        hull_corners(points)


def test_points_near_the_surface_are_kept_on_demand():
    inside = [[0.0, 0.0, -0.795], [0.0, 0.0, 0.0]]
    points = np.vstack([CORNERS, inside])
    assert hull_corners(points, 0.01).tolist() == list(range(9))
    assert hull_corners(points).tolist() == list(range(8))
    with pytest.raises(ValueError, match=r"the 4 points must enclose a volume \[m3\]"):
        hull_corners(CORNERS[CORNERS[:, 2] > 0])


def test_what_is_in_no_triangle_is_left_out(save, tmp_path):
    path = tmp_path / "stray.obj"
    path.write_text(save(CORNERS, TRIANGLES).read_text() + "v 9 9 9\nf 1 1 2\n")
    scan = read_scan(path, "m")
    assert scan.points.shape == (8, 3)
    assert len(scan.triangles) == 12


def test_point_clouds(tmp_path):
    """In a text file, in m unless told, and in PLY."""
    text, cloud = tmp_path / "p.txt", tmp_path / "p.ply"
    np.savetxt(text, CORNERS * 1000)
    trimesh.PointCloud(CORNERS * 1000).export(cloud)
    plain = hull(CORNERS, 2600)
    for path in (text, cloud):
        found = scanned(path, unit="mm", mass=499.2, com=(0, 0, 0), inertia=plain.inertia)
        np.testing.assert_allclose(found.inertia, plain.inertia, rtol=1e-9)
    assert scanned(text, 2600, unit="mm").mass == pytest.approx(plain.mass)
    assert scanned(text, 2600).mass == pytest.approx(plain.mass * 1e9)
    with pytest.raises(
        ValueError, match="points without triangles enclose no solid; read a mesh, or give com"
    ):
        scanned(cloud, 2600, unit="mm")


TWICE = np.vstack([CORNERS, np.add(CORNERS, (2.0, 0.0, 0.0))])


@pytest.mark.parametrize(
    ("points", "triangles", "message"),
    [
        (CORNERS, TRIANGLES[1:], r"closed: 3 edges of 11 triangles belong to one triangle alone and 0 to"),
        (CORNERS, TRIANGLES[2:], r"4 edges of 10 triangles .* the first from \[.*\] to \[.*\] m; close"),
        (CORNERS, np.vstack([TRIANGLES, TRIANGLES[:1]]), r"0 edges of 13 .* alone and 3 to more than two"),
        (CORNERS, np.vstack([TRIANGLES[:1, ::-1], TRIANGLES[1:]]), r"1 triangle of 12 faces the other way"),
        (CORNERS, np.vstack([TRIANGLES[:5, ::-1], TRIANGLES[5:]]), r"5 triangles of 12 face the other way"),
        (CORNERS, np.vstack([TRIANGLES[:9, ::-1], TRIANGLES[9:]]), r"3 triangles of 12 face the other way"),
        (CORNERS, TRIANGLES[:, ::-1], r"face inwards, as they enclose -0\.192 m3: invert the norm"),
        (TWICE, np.vstack([TRIANGLES, TRIANGLES + 8]), r"2 separate solids, of 0\.192 m3 down to 0\.192 m3"),
    ],
)  # fmt: skip
def test_meshes_that_enclose_no_solid(save, points, triangles, message):
    path = save(points, triangles)
    with pytest.raises(ValueError, match=rf"mesh\.obj: .*{message}.*or give com, inertia and mass"):
        scanned(path, 2600, unit="m")
    scanned(path, mass=500.0, com=points.mean(axis=0), inertia=np.diag([50.0, 50.0, 9.0]), unit="m")


def test_a_closed_surface_without_outside(save):
    """The projective plane in 6 points."""
    around = [(0, i, i % 5 + 1) for i in range(1, 6)]
    faces = [*around, (1, 2, 4), (2, 3, 5), (3, 4, 1), (4, 5, 2), (5, 1, 3)]
    points = np.random.default_rng(3).normal(size=(6, 3))
    with pytest.raises(ValueError, match="the triangles have no outside, as those of a Moebius strip"):
        scanned(save(points, faces), 2600, unit="m")


@pytest.mark.parametrize(
    ("name", "content", "unit", "message"),
    [
        ("a.stl", b"", None, r"a\.stl: a mesh does not say the unit of its .* give unit = 'm', 'cm', 'mm'"),
        ("a.stl", b"solid nothing", "m", r"no triangles and no points were found: is it in STL\?"),
        ("a.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n", "m", r"a\.obj: not a file in OBJ that trimesh"),
        ("a.ply", b"ply\nformat ascii", "m", r"a\.ply: not a file in PLY that trimesh reads"),
        ("a.obj", b"v 0 0 0\nv 1 0 nan\nv 0 1 0\nf 1 2 3\n", "m", "the points must be finite numbers"),
        ("a.obj", b"v 0 0 0\nv 1e99 0 0\nv 0 1 0\nf 1 2 3\n", "m", "the mesh is not closed"),
        ("a.obj", b"", "km", r"read_scan\.unit must be 'm', 'cm', 'mm', 'in' or 'ft', got 'km'"),
        ("a.txt", b"0 0 0\n1 2\n", None, r"a\.txt, line 2: expected 3 numbers x, y, z, got '1 2'"),
    ],
)
def test_files_that_are_none(tmp_path, name, content, unit, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=message):
        scanned(tmp_path / name, 2600, unit=unit)


def test_what_cannot_be_read(save, tmp_path, monkeypatch):
    path = save(CORNERS, TRIANGLES)
    os.mkfifo(tmp_path / "pipe.stl")
    for wrong, up, words in (
        (tmp_path / "none.stl", "z", r"none\.stl: cannot be read: No such file"),
        (tmp_path / "pipe.stl", "z", r"pipe\.stl: is a pipe, expected a file"),
        (path, "w", r"read_scan\.up must be 'z', 'y', 'x', '-z', '-y' or '-x', got 'w'"),
    ):
        with pytest.raises(ValueError, match=words):
            read_scan(wrong, "m", up=up)
    monkeypatch.setitem(sys.modules, "trimesh", None)
    with pytest.raises(ValueError, match=r"meshes are read by trimesh: pip install 'mcrock\[mesh\]'"):
        read_scan(path, "m")


@given(st.sampled_from(["stl", "obj", "ply"]), st.data())
def test_damage_is_refused_or_read(tmp_path_factory, kind, data):
    """Whatever is cut off or changed in a file: points, or one message."""
    content = BOX.export(file_type=kind)
    content = bytearray(content if isinstance(content, bytes) else content.encode())
    for _ in range(data.draw(st.integers(0, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.getbasetemp() / f"damaged.{kind}"
    path.write_bytes(content[: data.draw(st.integers(0, len(content)))])
    try:
        scan, message = read_scan(path, "mm"), ""
    except ValueError as error:
        scan, message = None, str(error)
    assert str(path) in message if scan is None else np.isfinite(scan.points).all()


@pytest.mark.parametrize("name", ["a.stl", "a.ply", "a.xyz"])
@pytest.mark.parametrize(
    ("offset", "said"),
    [((50.0, 43.0, 2.0), ""), ((12e3, 5e3, 20.0), "rounded to 0.00098 m"), (MAP, "rounded to 0.5 m")],
)
def test_coordinates_that_single_precision_has_moved(save, tmp_path, name, offset, said):
    """The body of map coordinates had 56 % more mass; in double precision it is right."""
    corners = CORNERS + np.array(offset)
    path = save(corners, TRIANGLES, name) if name != "a.xyz" else tmp_path / name
    if name == "a.xyz":
        np.savetxt(path, corners.astype(np.float32), "%.9g")
    if offset == MAP:
        with pytest.raises(ValueError, match=f"coordinates up to .*{said}.*subtract a common offset"):
            read_scan(path, "m")
    elif said:
        with pytest.warns(UserWarning, match=said):
            read_scan(path, "m")
    else:
        read_scan(path, "m")
    np.testing.assert_allclose(
        np.ptp(read_scan(save(corners, TRIANGLES), "m").points, axis=0), (0.4, 0.3, 1.6), rtol=1e-6
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [("a.ply", "comment TextureFile scan_0.png\n"), ("a.obj", "mtllib scan.mtl\nusemtl stone\n")],
)
def test_textures_are_neither_read_nor_spoken_of(save, capfd, caplog, name, text):
    path = save(CORNERS, TRIANGLES, name)
    if name == "a.ply":
        trimesh.Trimesh(CORNERS, TRIANGLES).export(path, encoding="ascii")
        text = path.read_text().replace("element vertex", f"{text}element vertex", 1)
    else:
        text += path.read_text()
    path.write_text(text)
    assert scanned(path, 2600, unit="m").mass == pytest.approx(cuboid(0.4, 0.3, 1.6, 2600).mass, rel=SINGLE)
    assert capfd.readouterr().err == "" == caplog.text


@pytest.mark.parametrize("head", ["x [mm], y [mm], z [mm]", "# X(mm) Y(mm) Z(mm)"])
def test_a_line_of_names_says_the_unit_of_points(tmp_path, head):
    """The unit of a comment was passed over, and the body was a thousand times as large."""
    path = tmp_path / "a.txt"
    np.savetxt(path, 1000 * CORNERS, header=head, comments="")
    for unit in (None, "mm"):
        np.testing.assert_allclose(read_scan(path, unit).points, CORNERS, atol=1e-12)
    with pytest.raises(ValueError, match="name the unit 'mm', and unit = 'cm' is given"):
        read_scan(path, "cm")
    path.write_text(path.read_text().replace("mm", "kg"))
    with pytest.raises(ValueError, match="line 1: expected one unit of length"):
        read_scan(path)
