"""Regimes from rest: Shenton's rectangle, any base in any direction, and the dynamics of the onset itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from mcrock.body import cuboid, polyhedron, prism, uplift_slenderness
from mcrock.body.faces import (
    Regime,
    Sections,
    extreme_directions,
    regime_from_rest,
    sections,
    slide_rock_limit,
)
from tests.unit.body.shapes import rotations, solids

ROUNDING = 1e-9
lengths = st.floats(0.1, 3.0)
angles = st.floats(-np.pi, np.pi)


def arrays(body):
    """A body as one of many."""
    return (
        np.array([body.mass]),
        body.inertia[None],
        body.vertices[None],
        body.faces,
        np.array([body.start_face]),
    )


def in_direction(body, azimuth):
    return Sections(*(np.squeeze(item) for item in sections(*arrays(body), [azimuth])))


@st.composite
def leaning_prisms(draw):
    """Prisms on random convex bases whose COM is off the centroid, but over the base."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(3, 9))
    around = 2 * np.pi * (np.arange(n) + rng.uniform(-0.3, 0.3, n)) / n
    base = np.stack([np.cos(around), rng.uniform(0.5, 1.5) * np.sin(around)], -1)
    return prism(base, draw(lengths), mass=100.0, com=(*rng.uniform(-0.1, 0.1, 2), rng.uniform(-0.04, 0.04)))


@given(lengths, lengths, lengths, st.floats(0.01, 2.0))
def test_a_rectangle_has_shentons_limit(width, depth, height, friction):
    section = in_direction(cuboid(width, depth, height, 1000.0), 0.0)
    b, h, mu = width / 2, height / 2, friction
    below = 4 * b**2 + h**2 - 3 * mu * b * h
    limit = float(slide_rock_limit(mu, section))
    if mu <= section.tipping:
        assert np.isnan(limit)
    elif below <= 0:
        assert limit == np.inf
    else:
        expected = (mu * (4 * h**2 + b**2) - 3 * b * h) / below
        assert limit == pytest.approx(expected, rel=1e-6)  # the denominator cancels near its zero


@given(leaning_prisms(), angles)
def test_the_four_regions_meet_where_friction_and_acceleration_are_reach_over_height(body, azimuth):
    section = in_direction(body, azimuth)
    corner, off = float(section.tipping), 1e-6
    assert float(slide_rock_limit(corner * (1 + off), section)) == pytest.approx(corner, rel=1e3 * off)
    low, high = corner * (1 - off), corner * (1 + off)
    push, friction = [low / 4, high, high, 1e3 * high], [low / 2, low, 2 * high, high]
    assert regime_from_rest(push, friction, section).tolist() == list(Regime)


@given(leaning_prisms(), angles)
def test_the_reach_ends_on_the_border_of_the_base(body, azimuth):
    section = in_direction(body, azimuth)
    corners = body.base[:, :2]
    for share, inside in ((1 - ROUNDING, True), (1 + ROUNDING, False)):
        arms = corners - share * section.reach * np.array([np.cos(azimuth), np.sin(azimuth)])
        after = np.roll(arms, -1, axis=0)
        assert bool((arms[:, 0] * after[:, 1] > arms[:, 1] * after[:, 0]).all()) == inside
    assert section.height == pytest.approx(body.com_height)


@given(leaning_prisms(), angles, angles)
def test_a_turned_body_is_the_same_in_the_turned_direction(body, azimuth, turn):
    about = Rotation.from_rotvec([0, 0, turn]).as_matrix()
    mass, inertia, vertices, faces, start = arrays(body)
    turned = sections(mass, about @ inertia @ about.T, vertices @ about.T, faces, start, [azimuth + turn])
    for one, other in zip(turned, in_direction(body, azimuth), strict=True):
        assert float(np.squeeze(one)) == pytest.approx(float(other), rel=1e-7)


@given(solids(), rotations(), st.integers(0, 10**6))
def test_body_axes_do_not_matter(solid, turn, pick):
    """Whatever face it stands on: reach, height and gyration in the extreme directions stay."""
    points, faces = solid
    body = polyhedron(points, faces, density=1000.0)
    stable = np.flatnonzero(body.face_stable)
    start = stable[[pick % len(stable)]]
    mass, inertia, vertices, faces, _ = arrays(body)
    found = []
    for matrix in (np.eye(3), turn):
        moved = vertices @ matrix.T
        extremes = extreme_directions(moved, faces, start)
        found.append(sections(mass, matrix @ inertia @ matrix.T, moved, faces, start, extremes))
    np.testing.assert_allclose(found[0].reach, found[1].reach, rtol=1e-6)
    np.testing.assert_allclose(found[0].height, found[1].height, rtol=1e-6)
    every = sections(*arrays(body)[:4], start, np.linspace(0, 2 * np.pi, 60)).reach
    assert found[0].reach[0, 0] <= every.min() * (1 + ROUNDING)
    assert found[0].reach[0, 1] >= every.max() * (1 - ROUNDING)
    nearest = np.tan(uplift_slenderness(vertices, faces, start))
    assert found[0].tipping[0, 0] == pytest.approx(nearest[0], rel=1e-9)


def test_bodies_on_different_faces_are_told_apart():
    block = cuboid(0.4, 0.6, 1.6, 1000.0)
    mass, inertia, vertices, faces, _ = (
        np.repeat(item, 2, axis=0) if isinstance(item, np.ndarray) else item for item in arrays(block)
    )
    side = int(np.argmax(block.face_normals[:, 0]))
    found = sections(mass, inertia, vertices, faces, np.array([0, side]), [0.0, np.pi / 2])
    np.testing.assert_allclose(found.height[:, 0], [0.8, 0.2])
    np.testing.assert_allclose(np.sort(found.reach, axis=1), [[0.2, 0.3], [0.3, 0.8]])


def test_static_friction_holds_what_sliding_friction_would_not():
    section = in_direction(cuboid(0.4, 0.4, 1.6, 1000.0), 0.0)  # tips at 0.25
    kinetic, static = 0.2, 0.3
    assert regime_from_rest(0.22, kinetic, section) == Regime.SLIDE
    assert regime_from_rest([0.22, 0.3, 0.5], kinetic, section, static).tolist() == [
        Regime.REST,
        Regime.ROCK,
        Regime.SLIDE,  # the slip that starts is below the friction that would tip it
    ]
    assert regime_from_rest(0.5, 0.26, section, static) == Regime.SLIDE_ROCK


def cross(d):
    return np.array([[0, -d[2], d[1]], [d[2], 0, -d[0]], [-d[1], d[0], 0]])


def forces_at_onset(body, ends, push):
    """Forces (k, 3) of sticking corners on a body at rest that the ground pushes with (x, y) [m/s2]:
    no corner among ``ends`` accelerates."""
    free = np.array([*push, -body.gravity])
    corners, n = body.base[list(ends)], len(ends)
    turning = np.linalg.inv(body.inertia)
    mobility = np.zeros((n, n, 3, 3))
    for i, at in enumerate(corners):
        for j, of in enumerate(corners):
            mobility[i, j] = np.eye(3) / body.mass - cross(at) @ turning @ cross(of)
    stacked = mobility.transpose(0, 2, 1, 3).reshape(3 * n, 3 * n)
    return np.linalg.lstsq(stacked, -np.tile(free, n), rcond=None)[0].reshape(n, 3)


@given(lengths, lengths, lengths, st.floats(1.05, 4.0), st.integers(0, 3), st.floats(-0.3, 0.3))
def test_the_limit_over_a_side_is_where_sticking_ends_need_all_friction(a, b, c, factor, side, off):
    """Off-centre COM along the side, three-dimensional dynamics of the edge: both ends reach the friction."""
    along = np.array([[0, 1], [1, 0], [0, 1], [1, 0]])[side] * off * np.array([a, b])
    body = cuboid(a, b, c, 1000.0, com=(*along, 0.0))
    corners = body.base
    ends = (side, (side + 1) % 4)
    step = corners[ends[1]] - corners[ends[0]]
    outwards = np.array([step[1], -step[0]]) / np.hypot(step[0], step[1])
    section = in_direction(body, np.arctan2(outwards[1], outwards[0]))
    push = factor * float(section.tipping)
    force = forces_at_onset(body, ends, push * body.gravity * outwards)
    assert (force[:, 2] > 0).all()
    friction = np.abs(force[:, :2] @ outwards) / force[:, 2]
    np.testing.assert_allclose(friction[0], friction[1], rtol=1e-6)
    limit = slide_rock_limit(friction[0], section)
    assert float(limit) == pytest.approx(push, rel=1e-6)


@given(lengths, lengths, st.floats(1.05, 4.0), st.integers(0, 3))
def test_the_limit_over_a_corner_of_a_square_is_exact(width, height, factor, corner):
    body = cuboid(width, width, height, 1000.0)
    towards = body.base[corner, :2] / np.hypot(*body.base[corner, :2])
    section = in_direction(body, np.arctan2(towards[1], towards[0]))
    push = factor * float(section.tipping)
    force = forces_at_onset(body, (corner,), push * body.gravity * towards)[0]
    friction = np.hypot(force[0], force[1]) / force[2]
    assert float(slide_rock_limit(friction, section)) == pytest.approx(push, rel=1e-6)
