"""Edge and facet impacts of a block in three dimensions as generalized kinematic laws."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mcrock.body import cuboid
from mcrock.impact.varkonyi_2022 import kinetic_energy, lift_speed
from mcrock.laws.brogliato_2012 import kinetic_frame
from mcrock.laws.systems.spatial_blocks import corner_impulses, edge_impact, facet_impact, spatial_problem
from mcrock.planar import chatzis_2017, planar_block

RTOL = 1e-9
SIZE = st.floats(0.2, 2.0)
LAMBDA = st.floats(0.0, 1.0)
BODY = cuboid(0.4, 0.6, 1.2, mass=576.0)


@st.composite
def bodies(draw):
    return cuboid(draw(SIZE), draw(SIZE), draw(SIZE), mass=draw(st.floats(1.0, 1000.0)))


@st.composite
def edge_impacts(draw, tau=True):
    body = draw(bodies())
    rate = (draw(st.floats(-2.0, 2.0)), draw(st.floats(0.1, 2.0)), draw(st.floats(-2.0, 2.0)))
    moment = draw(st.floats(-0.1, 0.1)) * body.inertia[2, 2] if tau else 0.0
    return edge_impact(body, draw(st.integers(0, 3)), draw(st.floats(0.0, 0.5)), rate, draw(LAMBDA), moment)


def close(found):
    """Whether law and map agree, relative to the velocity in the kinetic metric."""
    size = np.sqrt(2 * found.problem.energy)
    rest = found.velocity - found.result.velocity
    return np.sqrt(rest @ found.problem.mass @ rest) <= RTOL * size


@given(edge_impacts())
def test_edge_map_is_a_generalized_law(found):
    assert close(found)
    change = 0.5 * (found.velocity @ found.problem.mass @ found.velocity) - found.problem.energy
    assert found.result.energy_change == pytest.approx(change, abs=RTOL * found.problem.energy)
    assert found.normal[0, 0] == pytest.approx(0.0, abs=1e-9)  # the corner that lands stays
    assert found.normal[:, 1] == pytest.approx([0.0, 0.0], abs=1e-9)  # the old pivot brings nothing


@given(edge_impacts())
def test_edge_impulses_are_split_by_lambda(found):
    """p_new : p_old as (1 + lambda) : (1 - lambda), and both corners explain the whole momentum."""
    impulse, notes = found.result.impulse, found.result.notes
    total = impulse.sum()
    old, new = found.problem.directions[3:, 1], found.problem.directions[3:, 0]
    share = np.linalg.norm(np.cross(found.point, (0, 0, 1)) - old) / np.linalg.norm(new - old)
    assert notes["unexplained"] <= 1e-9
    assert total == pytest.approx(notes["momentum"][2], rel=1e-9)
    assert impulse == pytest.approx([share * total, (1 - share) * total], abs=1e-8 * np.abs(impulse).max())
    assert found.result.unique_impulse


@given(edge_impacts(tau=False))
def test_coefficient_of_the_old_pivot_is_its_lift(found):
    """e of the old pivot from lift speeds of the map's own functions, over the roots of D."""
    u, M = found.problem.velocity, found.problem.mass
    b, a = (
        np.cross((0, 0, 1), found.problem.directions[3:, 1]),
        np.cross((0, 0, 1), found.problem.directions[3:, 0]),
    )
    up = (0.0, 0.0, 1.0)
    down = lift_speed(tuple(a), tuple(b), tuple(u[3:]), up)
    lift = lift_speed(tuple(b), tuple(a), tuple(found.velocity[3:]), up)
    scale = kinetic_frame(found.problem).scale
    assert M.shape == (6, 6)
    assert found.normal[1, 0] == pytest.approx(-(lift / scale[1]) / (down / scale[0]), abs=1e-8)


def test_energy_of_the_problem_is_that_of_the_kernel():
    found = edge_impact(BODY, 1, 0.2, (0.3, 1.0, -0.4), 0.6)
    mass = found.problem.mass
    inertia = tuple(mass[3:, 3:][np.triu_indices(3)])
    pivot = -np.cross(found.problem.velocity[3:], found.problem.velocity[:3])
    # the pivot is any point r at rest: v = r x w; take the one nearest to the COM
    w = found.problem.velocity[3:]
    pivot = np.cross(w, found.problem.velocity[:3]) / (w @ w)
    expected = kinetic_energy(BODY.mass, inertia, tuple(pivot), tuple(w))
    assert found.problem.energy == pytest.approx(expected, rel=1e-12)


def test_coefficient_in_three_dimensions_depends_on_the_motion():
    """The same block, edge and lambda: a spin or a tilt changes e, a roll about the edge does not change it
    without them."""

    def e(tilt, rate):
        return edge_impact(BODY, 0, tilt, rate, 0.5).normal[1, 0]

    still = e(0.0, (0.0, 1.0, 0.0))
    assert e(0.0, (0.7, 1.0, 0.0)) == pytest.approx(still, abs=1e-12)
    assert abs(e(0.2, (0.0, 1.0, 0.0)) - still) > 1e-4
    assert abs(e(0.2, (0.0, 1.0, 0.7)) - e(0.2, (0.0, 1.0, 0.0))) > 1e-3


def test_plane_limit_of_the_edge_map():
    """A block whose edge impact is plane motion: the COM above the edge, remark 7."""
    body = cuboid(1.0, 1e-5, 2.0, mass=3.0)  # a plate: its base is the edge
    found = edge_impact(body, 3, 0.0, (0.0, 1.0, 0.0), 1.0)
    assert found.normal[1, 0] == pytest.approx(0.7, abs=1e-6)  # Housner, l = 2 L
    assert found.tangential_ratio == pytest.approx(0.7, abs=1e-6)


@given(bodies(), st.integers(0, 3), LAMBDA, st.floats(-1.0, 1.0))
def test_facet_map_is_a_generalized_law(body, edge, lon, lat):
    try:
        found = facet_impact(body, edge, 1.3, lon, lat)
    except ValueError:  # no corner can carry the motion on: squat blocks
        assume(False)
    assert close(found)
    assert found.result.kinematic
    change = 0.5 * (found.velocity @ found.problem.mass @ found.velocity) - found.problem.energy
    assert found.result.energy_change == pytest.approx(change, abs=RTOL * found.problem.energy)
    assert np.abs(found.normal[:, 1:]).max() <= 1e-9  # only the landing corner brings something
    assert found.normal[0, 0] == pytest.approx(0.0, abs=1e-9)
    assert found.result.notes["unexplained"] <= 1e-9


@pytest.mark.parametrize("lambda_", [0.2, 0.6, 1.0])
@pytest.mark.parametrize("edge", [0, 1, 2, 3])
def test_plane_limit_of_the_facet_map(lambda_, edge):
    """lambda_lat = 0: both corners of the old edge have the planar ratio, the tangential part too."""
    found = facet_impact(BODY, edge, 1.0, lambda_)
    block = planar_block(BODY, axis="x" if edge % 2 == 0 else "y")
    ratio = chatzis_2017(block, lambda_)
    assert found.normal[1:, 0] == pytest.approx([ratio, ratio], abs=1e-9)
    assert found.tangential_ratio == pytest.approx(ratio, abs=1e-9)
    notes = found.result.notes
    assert np.allclose(notes["tangential_after"], ratio * notes["tangential_before"], atol=1e-9)


@given(bodies(), LAMBDA, st.floats(-1.0, 1.0))
def test_corner_impulses_have_the_resultant_at_the_point(body, lon, lat):
    corners = body.base[:, :2]
    point = np.array([lon - 0.5, 0.5 * lat]) * np.ptp(corners, axis=0) * 0.999
    split, low, high = corner_impulses(corners, point, 7.0)
    assert split.sum() == pytest.approx(7.0)
    assert split @ corners == pytest.approx(7.0 * point, abs=1e-9)
    assert np.all(low <= split + 1e-9)
    assert np.all(split <= high + 1e-9)
    # ends of the ranges: one corner of each pair is free of impulse
    for end in (low, high):
        assert np.all(end >= 0.0)
    assert low.min() == pytest.approx(0.0, abs=1e-9)
    # nothing smaller in the square: the rest of the splits differ by a see-saw
    saw = np.array([1.0, -1.0, 1.0, -1.0])
    for step in (-0.01, 0.01):
        other = split + step * saw
        assert other.min() < 0.0 or other @ other >= split @ split - 1e-9


def test_corner_impulses_on_the_border_are_unique():
    corners = BODY.base[:, :2]
    split, low, high = corner_impulses(corners, 0.5 * (corners[0] + corners[1]), 2.0)
    for values in (split, low, high):
        assert values == pytest.approx([1.0, 1.0, 0.0, 0.0], abs=1e-9)


def test_spatial_problem_is_a_rigid_body():
    pivot, rate = np.array([0.2, -0.1, -0.6]), np.array([0.3, -0.2, 0.5])
    problem = spatial_problem(3.0, np.diag([1.0, 2.0, 1.5]), np.array([pivot, [0.1, 0.3, -0.6]]), pivot, rate)
    assert problem.normal_velocity[0] == pytest.approx(0.0, abs=1e-15)
    assert problem.tangents[:, 0].T @ problem.velocity == pytest.approx([0.0, 0.0], abs=1e-15)
    corner = problem.velocity[:3] + np.cross(rate, [0.1, 0.3, -0.6])
    assert problem.normal_velocity[1] == pytest.approx(corner[2])
    assert problem.tangents[:, 1].T @ problem.velocity == pytest.approx(corner[:2])
