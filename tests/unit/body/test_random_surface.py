"""Random surfaces have the stated spread and correlation, and belong to their draw alone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcrock.body import hull, random_surface, with_shape_error
from mcrock.body.polyhedron import near_surface, underside

STD, LENGTH = 0.002, 0.07
DRAWS = 4000
BOX = np.array([[x, y, z] for x in (0.0, 0.4) for y in (0.0, 0.4) for z in (0.0, 1.6)])
places = st.lists(st.tuples(*[st.floats(-2.0, 2.0)] * 2), min_size=1, max_size=8)


@pytest.fixture(scope="module")
def heights():
    """Of many surfaces at a place, and at one, two and a half correlation lengths from it, (DRAWS, 4)."""
    angle = 0.7
    along = np.array([np.cos(angle), np.sin(angle)])
    points = np.array([0.3, -0.2]) + LENGTH * np.outer([0.0, 1.0, 2.0, 2.5], along)
    return np.array([random_surface(points, STD, LENGTH, seed=3, draw=k) for k in range(DRAWS)])


def test_spread_and_correlation(heights):
    """Five standard errors of 4000 draws: false alarms in 1 of 100,000 changes of the seed."""
    z = heights / STD
    assert np.abs(z.mean(axis=0)).max() < 5 / DRAWS**0.5
    assert np.abs(z.std(axis=0) - 1).max() < 5 / (2 * DRAWS) ** 0.5
    correlation = np.corrcoef(z.T)[0, 1:]
    expected = np.exp(-0.5 * np.square([1.0, 2.0, 2.5]))
    np.testing.assert_array_less(np.abs(correlation - expected), 5 * (1 - expected**2) / DRAWS**0.5)


def test_heights_are_normal(heights):
    """Skewness and excess kurtosis within five standard errors, of single heights and of differences."""
    for values in (heights[:, 0], heights[:, 1] - heights[:, 0]):
        z = (values - values.mean()) / values.std()
        assert abs((z**3).mean()) < 5 * (6 / DRAWS) ** 0.5
        assert abs((z**4).mean() - 3) < 5 * (24 / DRAWS) ** 0.5 + 6 / 512


def test_slopes(heights):
    """The standard deviation of the slope of such a surface is std / length."""
    step = 1e-5
    ends = [random_surface([(0, 0), (step, 0)], STD, LENGTH, draw=k) for k in range(1000)]
    slopes = np.diff(ends, axis=1)[:, 0] / step
    assert slopes.std() == pytest.approx(STD / LENGTH, rel=5 / 2000**0.5)


@given(places, st.integers(0, 2**40), st.integers(0, 2**20), st.data())
def test_a_height_belongs_to_its_place_and_draw(points, seed, draw, data):
    whole = random_surface(points, STD, LENGTH, seed=seed, draw=draw)
    i = data.draw(st.integers(0, len(points) - 1))
    np.testing.assert_array_equal(random_surface(points[i:], STD, LENGTH, seed=seed, draw=draw), whole[i:])
    assert (random_surface(points, 0.0, LENGTH, seed=seed, draw=draw) == 0).all()
    assert not (random_surface(points, STD, LENGTH, seed=seed, draw=draw + 1) == whole).any()
    assert not (random_surface(points, STD, LENGTH, seed=seed + 1, draw=draw) == whole).any()


@given(places, st.floats(0.1, 10.0))
def test_surfaces_scale(points, factor):
    """Heights by the standard deviation, places by the correlation length."""
    whole = random_surface(points, STD, LENGTH, draw=2)
    np.testing.assert_allclose(random_surface(points, factor * STD, LENGTH, draw=2), factor * whole)
    larger = random_surface(np.multiply(points, factor), STD, factor * LENGTH, draw=2)
    np.testing.assert_allclose(larger, whole, atol=1e-10 * STD)  # phases of up to 100 waves


def test_sections_of_many_places_are_seamless():
    line = np.stack([np.linspace(0, 1, 5000), np.zeros(5000)], axis=1)
    whole = random_surface(line, STD, LENGTH)
    np.testing.assert_array_equal(random_surface(line[4000:4200], STD, LENGTH), whole[4000:4200])


def test_the_underside_moves_and_nothing_else():
    inside = [[0.2, 0.2, 0.001], [0.2, 0.2, 0.8], [0.0, 0.2, 0.8]]
    points = np.vstack([BOX, inside])
    moved = with_shape_error(points, 0.0005, 0.1, seed=4, draw=9)
    changed = (moved != points).any(axis=1)
    assert np.flatnonzero(changed).tolist() == [0, 2, 4, 6, 8]  # the bottom, and 1 mm above it
    assert (moved[:, :2] == points[:, :2]).all()
    expected = random_surface(points[changed, :2], 0.0005, 0.1, seed=4, draw=9)
    np.testing.assert_array_equal(moved[changed, 2], points[changed, 2] + expected)
    np.testing.assert_array_equal(with_shape_error(points, 0.0, 0.1), points)


@pytest.mark.filterwarnings("ignore:hull. faces")  # that differ by little
def test_a_point_inside_comes_to_the_surface():
    """A point 0.1 mm above the middle of the base is a corner where the surface bends down there."""
    points = np.vstack([BOX, [[0.2, 0.2, 0.0001]]])
    found = [len(hull(with_shape_error(points, 0.001, 0.1, draw=k), 2600).vertices) for k in range(40)]
    assert set(found) == {8, 9}


@pytest.mark.parametrize(("steepest", "corners"), [(20.0, 4), (40.0, 8)])
def test_how_steep_the_underside_is(steepest, corners):
    """A chamfer of 30 degrees below walls."""
    square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    slope = np.tan(np.radians(30)) * 0.1
    levels = [(0.3, 0.0), (0.4, slope), (0.4, 1.0)]
    points = np.vstack([np.column_stack([half * square, np.full(4, z)]) for half, z in levels])
    assert underside(points, 0.0, steepest).sum() == corners
    moved = with_shape_error(points, 0.001, 0.1, underside_deg=steepest)
    assert (moved[:, 2] != points[:, 2]).sum() == corners


def test_points_deep_inside_are_told():
    points = np.vstack([BOX, [[0.2, 0.2, 0.02], [0.39, 0.2, 0.8]]])
    assert near_surface(points, 0.015).tolist() == [True] * 8 + [False, True]
    assert near_surface(points, 0.0).tolist() == [True] * 8 + [False, False]
