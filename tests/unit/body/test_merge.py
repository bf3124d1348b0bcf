"""Orientation and merging of faces: any division of the same surface is the same body."""

from math import radians, tan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcrock.body import hull, merge_coplanar, orient, polyhedron
from tests.unit.body.shapes import CUBE, CUBE_FACES, clouds, ring, rotations, solids


def fan(face, first=0):
    """A polygon cut into triangles from one of its corners."""
    turned = face[first:] + face[:first]
    return [(turned[0], turned[i], turned[i + 1]) for i in range(1, len(turned) - 1)]


def finely_cut(vertices, faces):
    """A point in the middle of every face and of every edge, and a triangle to each half edge."""
    points, pieces = list(vertices), []
    middles = {}
    for face in faces:
        points.append(vertices[list(face)].mean(0))
        centre = len(points) - 1
        for v, w in zip(face, face[1:] + face[:1], strict=True):
            if frozenset((v, w)) not in middles:
                points.append(0.5 * (vertices[v] + vertices[w]))
                middles[frozenset((v, w))] = len(points) - 1
            middle = middles[frozenset((v, w))]
            pieces += [(v, middle, centre), (middle, w, centre)]
    return np.array(points), pieces


@given(solids(), st.randoms(use_true_random=False))
def test_triangles_in_any_order_and_sense_are_the_body(solid, random):
    vertices, faces = solid
    body = polyhedron(vertices, faces, 1000.0, start_face=0)
    parts = [(f, part) for f, face in enumerate(faces) for part in fan(face, random.randrange(len(face)))]
    first = [next(i for i, (g, _) in enumerate(parts) if g == f) for f in range(len(faces))]
    pieces = [part if random.random() < 0.5 else part[::-1] for _, part in parts]
    same = polyhedron(vertices, pieces, 1000.0, start_face=0)
    assert list(map(ring, same.faces)) == list(map(ring, body.faces))  # numbers as the first parts
    assert same.vertices == pytest.approx(body.vertices, abs=1e-13)
    assert same.mass == pytest.approx(body.mass, rel=1e-12)
    assert same.inertia == pytest.approx(body.inertia, abs=1e-12 * body.inertia.max())
    _, _, face_map, vertex_map = merge_coplanar(vertices, orient(vertices, pieces))
    assert face_map.tolist() == [f for f, _ in parts]
    assert (face_map[first] == np.arange(len(faces))).all()
    assert (vertex_map == np.arange(len(vertices))).all()


@given(solids(), rotations())
def test_points_inside_faces_and_on_edges_are_dropped(solid, turn):
    vertices, faces = solid
    points, pieces = finely_cut(vertices @ turn.T, faces)
    kept, merged, face_map, vertex_map = merge_coplanar(points, tuple(pieces))
    assert list(map(ring, merged)) == list(map(ring, faces))
    assert (kept == points[: len(vertices)]).all()
    assert vertex_map.tolist() == [*range(len(vertices)), *[-1] * (len(points) - len(vertices))]
    assert (np.diff(face_map) >= 0).all()


@given(solids(), rotations(), st.floats(-15, -9))
def test_hull_of_rounded_points(solid, turn, exponent):
    """Points inside, in faces and on edges change nothing, nor does rounding in their coordinates."""
    vertices, faces = solid
    points, _ = finely_cut(vertices @ turn.T, faces)
    rng = np.random.default_rng(1)
    points[len(vertices) :] += 10**exponent * rng.normal(size=(len(points) - len(vertices), 3))
    points = np.concatenate([points, 0.5 * points + 0.5 * points[: len(vertices)].mean(0)])
    found, plain = hull(points, 1.0), hull(points[: len(vertices)], 1.0)
    assert found.faces == plain.faces
    assert found.vertices == pytest.approx(plain.vertices, abs=1e-9)


@given(clouds(), st.randoms(use_true_random=False))
def test_orient(points, random):
    body = hull(points, 1.0)
    mixed = tuple(face if random.random() < 0.5 else face[::-1] for face in body.faces)
    found = orient(body.vertices, mixed)
    assert list(map(ring, found)) == list(map(ring, body.faces))
    assert all(a[0] == b[0] for a, b in zip(found, mixed, strict=True))


def test_faces_as_given_stay_as_they_are():
    body = polyhedron(CUBE, CUBE_FACES, 1.0, start_face=0)
    assert body.faces == CUBE_FACES
    assert (body.vertices == CUBE - [0.5, 0.5, 1.0]).all()
    outside = polyhedron(CUBE, [face[::-1] for face in CUBE_FACES], 1.0, start_face=0)
    assert list(map(ring, outside.faces)) == list(map(ring, CUBE_FACES))


def test_start_face_is_numbered_as_given():
    """Base in two halves, numbers 4 and 5 of the list; every later number moves up."""
    faces = [*CUBE_FACES[1:5], (0, 1, 2), (2, 3, 0), CUBE_FACES[5]]
    body = polyhedron(CUBE, faces, 1.0, start_face=5, base_faces=[6])
    assert (body.start_face, body.base_faces) == (4, (4, 5))
    assert set(body.faces[4]) == {0, 1, 2, 3}


def roof(angle):
    """A cube whose top is two planes that meet at ``angle`` [rad]."""
    points = CUBE.copy()
    points[4:] += [0, 0, 1]
    top = [(0.5, y, 3.0 + 0.5 * tan(0.5 * angle)) for y in (0.0, 1.0)]
    return np.concatenate([points, top])


@pytest.mark.parametrize(("angle", "n_face"), [(0.5e-6, 6), (0.99e-6, 6), (1.5e-6, 7), (0.9e-3, 7)])
def test_merging_angle(angle, n_face):
    """Below 1e-6 rad faces are one; up to 1e-3 rad they are not, with a warning."""
    if n_face == 6:
        assert len(hull(roof(angle), 1.0).faces) == 6
    else:
        with pytest.warns(UserWarning, match=r"hull: faces \d and \d meet at \S+ rad, less than 0\.001"):
            assert len(hull(roof(angle), 1.0).faces) == n_face


def test_clear_angles_do_not_warn():
    assert len(hull(roof(1.1e-3), 1.0).faces) == 7
    assert len(hull(roof(radians(3)), 1.0).faces) == 7


def test_several_shallow_edges_are_counted():
    points = [*CUBE, (0.5, 0.5, 2.0001)]
    with pytest.warns(UserWarning, match=r"faces \d and \d and 3 more pairs meet at 0\.000\d+ rad"):
        assert len(hull(points, 1.0).faces) == 9


def test_strips_that_are_rounding_join_their_neighbour():
    """A chamfer of a millionth of the size is no face; a wider one is."""
    for width, n_face in ((1e-7, 6), (1e-4, 7)):
        points = np.array([p for p in CUBE if tuple(p) not in ((1, 0, 2), (1, 1, 2))])
        chamfer = [(1.0 - width, y, 2.0) for y in (0.0, 1.0)] + [(1.0, y, 2.0 - width) for y in (0.0, 1.0)]
        body = hull([*points, *chamfer], 1.0)
        assert len(body.faces) == n_face
        assert body.mass == pytest.approx(2.0, rel=1e-6)
