"""Convex polyhedra: mass properties, faces, frames, settling and stable faces."""

from math import cos, degrees, radians, sin, tan

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from mcrock.body import (
    Body,
    body_axes,
    cuboid,
    cylinder,
    face_areas,
    frustum,
    hull,
    polyhedron,
    prism,
    settle,
    solid_moments,
)
from mcrock.body.faces import connected, directed_edges, downwards, rotation_matrix
from tests.unit.body.shapes import CUBE, clouds, quadrature, ring, rotations, solids

RTOL = 1e-10  # sums over up to a hundred tetrahedra


def shape_of(body):
    """What does not change with the axes: distances and inertia of the vertices about the COM."""
    v = body.vertices
    return v @ v.T, v @ body.inertia @ v.T, np.linalg.eigvalsh(body.inertia)


def assert_same(found, expected, rtol=RTOL):
    assert found.mass == pytest.approx(expected.mass, rel=rtol)
    for a, b in zip(shape_of(found), shape_of(expected), strict=True):
        assert a == pytest.approx(b, abs=rtol * np.abs(b).max())


@given(clouds())
def test_mass_properties_of_hulls(points):
    """Against SciPy's volume, and quadrature over another division into tetrahedra."""
    body = hull(points, 1000.0)
    volume, centroid, inertia = quadrature(points)
    assert body.mass == pytest.approx(1000 * ConvexHull(points).volume, rel=RTOL)
    assert body.mass == pytest.approx(1000 * volume, rel=RTOL)
    surface = hull(points, 1000.0, axis=(0, 0, 1), com=centroid)  # keeps the given axes
    assert surface.inertia == pytest.approx(body.mass * inertia, abs=RTOL * body.mass * inertia.max())
    turned = body_axes(surface.face_normals[[surface.start_face]])[0]
    assert body.vertices == pytest.approx(surface.vertices @ turned.T, abs=1e-12 * np.abs(points).max())


@given(solids())
def test_volume_by_the_divergence_theorem(solid):
    """V = sum of A h / 3, and the area vectors of a closed surface cancel."""
    vertices, faces = solid
    body = polyhedron(vertices, faces, 1.0)
    areas = face_areas(body.vertices[None], body.faces)[0]
    assert body.mass == pytest.approx(areas @ body.face_heights / 3, rel=RTOL)
    assert areas @ body.face_normals == pytest.approx(np.zeros(3), abs=1e-12 * areas.sum())


def test_closed_forms():
    """The general formulas give those of cuboid and prism."""
    angles = 2 * np.pi * np.arange(7) / 7
    base = np.stack([0.4 * np.cos(angles), 0.3 * np.sin(angles)], -1)
    for body in (cuboid(0.4, 0.6, 1.8, 2500.0), prism(base, 1.2, 1800.0), cylinder(0.3, 0.9, 12, 1000.0)):
        density = body.mass / solid_moments(body.vertices[None], body.faces)[0][0]
        same = polyhedron(np.add(body.vertices, [1.0, -2.0, 0.5]), body.faces, density)
        assert same.faces == body.faces
        assert same.vertices == pytest.approx(body.vertices, abs=1e-14)
        assert same.mass == pytest.approx(body.mass, rel=1e-13)
        assert same.inertia == pytest.approx(body.inertia, abs=1e-13 * body.inertia.max())
        assert same.frequency == pytest.approx(body.frequency, rel=1e-12)
        assert same.slenderness == pytest.approx(body.slenderness, rel=1e-12)


def test_regular_tetrahedron():
    """I = m a^2/20 about every axis, height of the COM a/sqrt(24)."""
    points = np.array([(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)]) / np.sqrt(8)  # edge 1
    body = hull(points, mass=3.0)
    assert body.inertia == pytest.approx(3.0 / 20 * np.eye(3), abs=1e-15)
    assert body.face_heights == pytest.approx(np.full(4, 1 / np.sqrt(24)), rel=1e-14)
    assert body.com_height == pytest.approx(1 / np.sqrt(24), rel=1e-14)
    assert body.edge_slenderness == pytest.approx(np.full(3, np.arctan(np.sqrt(2))), rel=1e-14)


@given(clouds(), rotations(), st.integers(0, 3))
@settings(max_examples=20)
def test_other_axes_give_the_same_body(points, turn, start):
    """Faces, heights and stability do not depend on the axes the vertices are given in."""
    body = hull(points, 1.0, start_face=start)
    other = hull(points @ turn.T + [0.3, -0.7, 0.2], 1.0, start_face=start)
    assert other.faces == body.faces
    assert_same(other, body)
    assert other.face_heights == pytest.approx(body.face_heights, rel=1e-9)
    assert other.com_height == pytest.approx(body.com_height, rel=1e-9)
    assert other.edge_slenderness == pytest.approx(body.edge_slenderness, abs=1e-9)
    assert (other.face_stable == body.face_stable).all()


@given(clouds(), st.randoms(use_true_random=False))
@settings(max_examples=20)
def test_order_of_the_points_gives_the_same_body(points, random):
    order = list(range(len(points)))
    random.shuffle(order)
    body, other = (hull(p, 1.0, axis=(0, 0, 1)) for p in (points, points[order]))
    kept = [order.index(i) for i in range(len(points))]
    corners, places = (ConvexHull(p).vertices for p in (points, points[order]))
    number = dict(zip(sorted(corners), range(len(corners)), strict=True))
    renamed = dict(zip(sorted(places), range(len(places)), strict=True))
    change = {number[i]: renamed[kept[i]] for i in sorted(corners)}
    assert {ring(tuple(change[v] for v in face)) for face in body.faces} == set(map(ring, other.faces))
    assert other.vertices[[change[v] for v in range(len(change))]] == pytest.approx(body.vertices, abs=1e-12)
    assert other.inertia == pytest.approx(body.inertia, abs=1e-12 * body.inertia.max())


@given(solids(), st.integers(0, 2))
def test_start_face_lies_flat(solid, start):
    vertices, faces = solid
    body = polyhedron(vertices, faces, 1.0, start_face=start)
    assert body.start_face == start
    assert body.face_normals[start] == pytest.approx([0, 0, -1], abs=1e-12)
    assert body.base[:, 2] == pytest.approx(np.full(len(faces[start]), -body.com_height), rel=1e-12)


@given(solids(), st.lists(st.floats(-1, 1), min_size=3, max_size=3))
@settings(max_examples=20)
def test_pose_on_the_ground_does_not_depend_on_the_axis(solid, lean):
    vertices, faces = solid
    plain = polyhedron(vertices, faces, 1.0)
    inward = -polyhedron(vertices, faces, 1.0, axis=(0, 0, 1)).face_normals[plain.start_face]
    body = polyhedron(vertices, faces, 1.0, axis=inward + 0.5 * np.array(lean))
    pose = downwards(body.face_normals[[body.start_face]])[0]
    assert body.vertices @ pose.T == pytest.approx(plain.vertices, abs=1e-9)
    axis = pose @ [0, 0, 1]
    given_axis = downwards(-inward[None])[0] @ (inward + 0.5 * np.array(lean))
    assert axis == pytest.approx(given_axis / np.linalg.norm(given_axis), abs=1e-9)


def test_rotation_matrices_are_those_of_scipy():
    """Body to ground, of quaternions with the scalar first."""
    turns = Rotation.random(20, rng=0)
    q = turns.as_quat(scalar_first=True)
    np.testing.assert_allclose(rotation_matrix(q), turns.as_matrix(), rtol=0, atol=1e-15)  # rounding of a sum


def test_axis_along_z_keeps_the_given_axes():
    body = hull(CUBE, 1.0, axis=(0, 0, 1), start_face=0)
    assert (body.vertices == CUBE - [0.5, 0.5, 1.0]).all()


@pytest.mark.parametrize(
    "normal", [[0, 0, -1], [0, 0, 1], [1, 0, 0], [0, -0.6, 0.8], [1e-9, 0, 1], [0, 1e-9, -1]]
)
def test_smallest_rotation(normal):
    """Turns the normal down about a horizontal axis perpendicular to it, by the angle between."""
    unit = np.array(normal) / np.linalg.norm(normal)
    turn = downwards(unit[None])[0]
    assert turn @ unit == pytest.approx([0, 0, -1], abs=1e-15)
    assert turn @ turn.T == pytest.approx(np.eye(3), abs=1e-14)
    assert np.linalg.det(turn) == pytest.approx(1)
    assert np.trace(turn) == pytest.approx(1 - 2 * unit[2], abs=1e-14)  # 1 + 2 cos
    if normal[:2] == [0, 0]:
        assert (turn == np.diag([1, -unit[2], -unit[2]])).all()


@given(solids())
def test_lowest_face_is_stable(solid):
    """Where the COM is nearest to a face, it stands over it."""
    body = polyhedron(*solid, 1.0)
    heights = body.face_heights
    lowest = heights <= heights.min() * (1 - 1e-9)
    assert body.face_stable[int(heights.argmin())] or lowest.sum() > 1


@given(solids(), st.integers(0, 2**32 - 1))
@settings(max_examples=20)
def test_settling(solid, seed):
    """Ends on a stable face, lower at every roll; a stable face is kept; many bodies at once agree."""
    body = polyhedron(*solid, 1.0)
    weights = np.random.default_rng(seed).exponential(size=len(body.vertices)) ** 3
    vertices = body.vertices - weights @ body.vertices / weights.sum()  # COM anywhere inside
    normals = body.face_normals
    depth = [normals[f] @ vertices[face[0]] for f, face in enumerate(body.faces)]
    assume(min(depth) > 1e-8 * np.abs(vertices).max())  # on a face no body stands
    n = len(body.faces)
    many = settle(np.broadcast_to(vertices, (n, *vertices.shape)), body.faces, np.arange(n))
    off_centre = Body(body.mass, body.inertia, vertices, faces=body.faces, start_face=body.start_face)
    for start in range(n):
        end = settle(vertices, body.faces, start)
        assert many[start] == end
        assert off_centre.face_stable[end]
        assert (end == start) == off_centre.face_stable[start]
        assert end == start or off_centre.face_heights[end] < off_centre.face_heights[start]


def test_settling_rolls_over_the_side_that_is_overhung():
    """A tall block whose centre of mass is beyond a wall's lower edge falls on that wall."""
    body = cuboid(0.4, 0.6, 1.8, mass=1.0)
    leaning = hull([(x + 1.0 * z, y, z) for x, y, z in body.vertices], mass=1.0)
    assert not leaning.face_stable[leaning.start_face]
    end = settle(leaning.vertices, leaning.faces, leaning.start_face)
    assert leaning.face_normals[end] @ [1, 0, 0] > 0.5


def strips(*angles_deg, length=0.9, width=0.6, height=1.8):
    """A block whose base is made of strips along y, at these angles to the horizontal."""
    steps = np.array([(cos(radians(a)), sin(radians(a))) for a in angles_deg])
    line = np.concatenate([[(0.0, 0.0)], np.cumsum(steps * width / len(steps), axis=0)])
    line -= [line[:, 0].mean(), line[:, 1].min()]
    top = [(x, height) for x in line[[0, -1], 0]]
    points = [(x, y, z) for y in (0.0, length) for x, z in (*line, *top)]
    lowest = int(np.argmin(np.abs(angles_deg)))
    return points, lowest


def face_of(body, *vertices):
    return next(f for f, face in enumerate(body.faces) if set(vertices) <= set(face))


def test_shallow_facets_are_base_by_default():
    points, _ = strips(-3.0, 1.0, 4.0)
    body = hull(points, 2000.0, axis=(0, 0, 1))
    facets = [face_of(body, i, i + 1, i + 6, i + 7) for i in range(3)]
    assert body.start_face == facets[1]  # the one nearest to the horizontal
    assert body.base_faces == tuple(sorted(facets))
    assert not body.stands_clear
    steep = hull(strips(-3.0, 1.0, 6.5)[0], 2000.0, axis=(0, 0, 1))
    assert steep.base_faces == tuple(sorted(facets[:2]))
    chosen = hull(points, 2000.0, base_faces=[facets[2]])
    assert chosen.base_faces == tuple(sorted({facets[2], chosen.start_face}))


def test_base_is_connected():
    """A face that counts as base belongs to it only if it is reached across others that do."""
    faces = prism([(0, 0), (3, 0), (3, 3), (0, 3)], 1.0, 1.0).faces
    assert connected(faces, (0, 1, 2), 0) == (0, 1, 2)
    assert connected(faces, (3,), 1) == (1,)  # opposite walls
    assert connected(faces, (0, 3), 1) == (0, 1, 3)


def test_start_pose_of_a_facet_keeps_the_axis():
    """Tilt is measured from the axis given, also if the start face is inclined to it."""
    body = hull(strips(2.0, 6.5)[0], 2000.0, axis=(0, 0, 1))
    tilt = degrees(np.arccos(-body.face_normals[body.start_face, 2]))
    assert tilt == pytest.approx(2.0, abs=1e-9)
    assert body.base_faces == tuple(sorted([body.start_face, face_of(body, 1, 2, 6, 7)]))


def test_what_stands_clear():
    square = [(-0.2, -0.2), (0.2, -0.2), (0.2, 0.2), (-0.2, 0.2)]
    assert frustum(square, 1.0, 1.0, top_scale=0.6).stands_clear
    assert frustum(square, 1.0, 1.0, top_scale=1.0).stands_clear
    assert not frustum(square, 1.0, 1.0, top_scale=1.001).stands_clear
    assert hull(CUBE, 1.0).stands_clear
    assert not hull(CUBE, 1.0, base_faces=[0, 1]).stands_clear
    assert not hull(CUBE, 1.0, axis=(0.1, 0, 1)).stands_clear


def test_body_of_a_single_face_takes_any_vertex_first():
    base = cuboid(0.4, 0.6, 1.8, mass=1.0).base
    body = Body(1.0, np.eye(3), base, faces=[[2, 3, 0, 1]])
    assert (body.base == base[[2, 3, 0, 1]]).all()
    assert body.edge_slenderness[0] == pytest.approx(np.arctan(0.2 / 0.9))


def test_given_mass_properties():
    inertia = [[5.0, 0.1, 0.0], [0.1, 4.0, 0.2], [0.0, 0.2, 3.0]]
    body = hull(CUBE, mass=10.0, com=(0.4, 0.5, 0.7), inertia=inertia)
    assert body.vertices == pytest.approx(CUBE - [0.4, 0.5, 0.7], abs=1e-15)
    assert (body.inertia == inertia).all()
    offset = hull(CUBE, mass=12.0, com=(0.4, 0.5, 0.7))
    assert offset.inertia == pytest.approx(np.diag([5.0, 5.0, 2.0]), rel=1e-13)
    # lying on the wall x = 0: half a turn of the axes would be too much, a quarter does
    wall = face_of(body, 0, 3, 4, 7)
    lying = hull(CUBE, mass=10.0, com=(0.4, 0.5, 0.7), inertia=inertia, start_face=wall)
    assert lying.com_height == pytest.approx(0.4)
    assert np.linalg.eigvalsh(lying.inertia) == pytest.approx(np.linalg.eigvalsh(inertia), rel=1e-13)
    assert lying.inertia[2, 2] == pytest.approx(5.0, rel=1e-13)


def test_slenderness_of_an_inclined_body():
    """An oblique prism on its base: tan(slenderness) = distance to the edge over COM height."""
    shear = 0.1
    body = hull([(x + shear * z, y, z) for x, y, z in CUBE], 1.0, start_face=0)
    x_com = 0.5 + shear * 1.0
    assert tan(body.slenderness) == pytest.approx((1 - x_com) / 1.0, rel=1e-12)


def test_polyhedron_without_faces_is_the_hull():
    body, other = polyhedron(CUBE, density=3.0), hull(CUBE, 3.0)
    assert body.faces == other.faces
    assert (body.vertices == other.vertices).all()


OBLIQUE = [(x + 0.7 * z, y, z) for x in (0.0, 0.4) for y in (0.0, 0.4) for z in (0.0, 1.0)]


@pytest.mark.parametrize("make", [hull, polyhedron])
def test_a_body_settles_if_it_is_told_to(make):
    """An oblique prism falls on the side that overhangs; one that stands stays."""
    leaning, settled = make(OBLIQUE, density=1000), make(OBLIQUE, density=1000, settle=True)
    assert not leaning.face_stable[leaning.start_face]
    assert settled.start_face == settle(leaning.vertices, leaning.faces, leaning.start_face)
    assert settled.face_stable[settled.start_face]
    again = make(OBLIQUE, density=1000, start_face=settled.start_face)
    np.testing.assert_array_equal(settled.vertices, again.vertices)
    np.testing.assert_array_equal(
        make(CUBE, density=1000, settle=True).vertices, make(CUBE, density=1000).vertices
    )


def test_base_by_an_angle():
    """A keel of strips of 2 and 10 degrees beside a flat middle."""
    x, z, half = 0.2, 0.0, [(0.2, 0.0)]
    for slope in (2.0, 10.0):
        x, z = x + 0.1, z + 0.1 * tan(radians(slope))
        half.append((x, z))
    outline = [*((-a, b) for a, b in half[::-1]), *half, (0.4, 1.0), (-0.4, 1.0)]
    points = [(a, y, b) for y in (0.0, 0.8) for a, b in outline]
    found = {angle: hull(points, 1000, base_angle_deg=angle).base_faces for angle in (1.0, 5.0, 11.0)}
    assert [len(faces) for faces in found.values()] == [1, 3, 5]
    assert hull(points, 1000).base_faces == found[5.0] == hull(points, 1000, base_faces=found[5.0]).base_faces


def test_slenderness_of_a_base_with_a_notch():
    """A flat square with four strips of 3 degrees, three of which are base: the COM gets over the side of the
    square that is missing its strip first, and not over the diagonals, which do not reach so far."""
    rise, square = 0.2 * tan(radians(3.0)), np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    levels = ((0.2, 0.0), (0.4, rise), (0.4, 1.0))
    points = [(*half * corner, z) for half, z in levels for corner in square]
    whole = hull(points, 1000)
    assert len(whole.base_faces) == 5
    strips = [face for face in whole.base_faces if face != whole.start_face]
    for missing in strips:
        body = hull(points, 1000, base_faces=tuple({*whole.base_faces} - {missing}))
        assert tan(body.slenderness) == pytest.approx(0.2 / body.com_height, rel=1e-12)
    assert tan(whole.slenderness) == pytest.approx(0.4 / (whole.com_height - rise), rel=1e-12)


@pytest.mark.filterwarnings("ignore:hull. faces")
@given(st.integers(0, 2**32), st.floats(1.0, 60.0))
@settings(max_examples=20)
def test_slenderness_of_a_rough_base(seed, angle):
    """That of the point that is nearest to the COM on one of the edges of the border, by looking at many."""
    generator = np.random.default_rng(seed)
    xy = generator.uniform(-0.4, 0.4, (40, 2))
    bowl = np.column_stack([xy, 0.6 * np.square(xy).sum(axis=1) + generator.uniform(0, 0.004, 40)])
    points = np.vstack([bowl, [(-0.4, -0.4, 1), (0.4, -0.4, 1), (0, 0.5, 1)]])
    body = hull(points, 1000, settle=True, base_angle_deg=angle)
    inside = {edge for f in body.base_faces for edge in directed_edges(body.faces[f])}
    border = np.array([(v, w) for v, w in inside if (w, v) not in inside])
    assume(len(border))
    share = np.linspace(0, 1, 301)[:, None, None]
    places = (1 - share) * body.vertices[border[:, 0]] + share * body.vertices[border[:, 1]]
    nearest = np.square(places).sum(axis=-1).argmin(axis=0)
    x, y, z = places[nearest, np.arange(len(border))].T
    assert body.slenderness == pytest.approx(np.arctan2(np.hypot(x, y), -z).min(), abs=1e-3)
