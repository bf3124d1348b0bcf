"""Figures 8 to 10: the flexible rod, the rod against two obstacles and the rocking"""

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcrock.laws import system_example
from mcrock.laws.inequalities import newton
from mcrock.laws.systems.rods import (
    flexible_rod_problem,
    kinetic_cosine,
    mode_shapes,
    rigid_restitution,
    rocking_rod_problem,
    rod_problem,
)

CRITICAL = 1.0 / sqrt(3.0)


@pytest.mark.parametrize("places", [(0.2, 0.7), (-0.2, -0.7), (0.7, 0.2)])
def test_of_two_obstacles_on_one_side_the_nearer_acts(places):
    """Figure 9a, without rebound: the rod stays on the nearer one, turns and separates from the other."""
    result = newton(rod_problem(2.0, 1.0, places, [-1.0, 0.0]), restitution=0.0)
    near = int(np.argmin(np.abs(places)))
    assert result.impulse[near] > 0.0
    assert result.impulse[1 - near] == 0.0
    assert result.normal_velocity[near] == pytest.approx(0.0, abs=1e-14)
    assert result.normal_velocity[1 - near] > 0.0
    assert np.sign(result.velocity[1]) == np.sign(places[0])


@pytest.mark.parametrize("places", [(-0.2, 0.7), (-0.5, 0.5)])
def test_obstacles_on_both_sides_stop_the_rod(places):
    """Figure 9b."""
    result = newton(rod_problem(2.0, 1.0, places, [-1.0, 0.0]), restitution=0.0)
    assert np.all(result.impulse > 0.0)
    assert result.velocity == pytest.approx([0.0, 0.0], abs=1e-14)


def test_obstacle_below_the_centre_takes_it_all():
    result = newton(rod_problem(2.0, 1.0, [0.0, 0.7], [-1.0, 0.0]), restitution=0.0)
    assert result.impulse == pytest.approx([2.0, 0.0])


def test_figure_9():
    ds = system_example("rod", points=41)
    place, impulse = ds["place"].values, ds["impulse"].values
    other_side, beyond = place < -1e-9, place > 0.4 + 1e-9
    between = (place > 1e-9) & (place < 0.4 - 1e-9)
    assert np.all(impulse[:, other_side] > 0.0)
    assert np.all(impulse[0, between] == 0.0)
    assert np.all(impulse[1, beyond] == 0.0)
    assert np.all(ds["gap_rate"].values > -1e-12)


@given(st.floats(0.01, 0.99).filter(lambda share: abs(share - CRITICAL) > 1e-6), st.floats(0.1, 10.0))
def test_rocking_rod_on_both_sides_of_the_critical_distance(share, half):
    """Figure 10: ratio of the spins (I - m a^2)/(I + m a^2) below l/sqrt(3), a stop above."""
    mass, spin = 3.0, 0.8
    a = share * half
    result = newton(rocking_rod_problem(mass, half, a, spin), restitution=0.0)
    inertia = mass * half**2 / 3.0
    if share < CRITICAL:
        ratio = (inertia - mass * a**2) / (inertia + mass * a**2)
        assert result.velocity == pytest.approx([a * ratio * spin, ratio * spin])
        assert result.impulse[1] == 0.0
        assert result.normal_velocity[1] > 0.0
    else:
        assert result.velocity == pytest.approx([0.0, 0.0], abs=1e-12 * spin * half)
        assert np.all(result.impulse > 0.0)


def test_at_the_critical_distance_the_directions_are_orthogonal():
    problem = rocking_rod_problem(1.0, 2.0, 2.0 * CRITICAL, 1.0)
    assert kinetic_cosine(problem) == pytest.approx(0.0, abs=1e-14)
    result = newton(problem, restitution=0.0)
    assert result.velocity == pytest.approx([0.0, 0.0], abs=1e-14)
    assert result.impulse[1] == pytest.approx(0.0, abs=1e-14)


def test_rocking_rod_turning_the_other_way_is_its_mirror_image():
    one = newton(rocking_rod_problem(1.0, 1.0, 0.4, 1.0), restitution=0.3)
    other = newton(rocking_rod_problem(1.0, 1.0, 0.4, -1.0), restitution=0.3)
    assert other.velocity == pytest.approx(one.velocity * [1.0, -1.0])
    assert other.impulse == pytest.approx(one.impulse[::-1])


def test_rod_at_rest_stays_at_rest():
    result = newton(rocking_rod_problem(1.0, 1.0, 0.4, 0.0), restitution=0.5)
    assert np.all(result.impulse == 0.0)


def test_figure_10():
    ds = system_example("rocking_rod", points=50)
    near = ds["distance"].values < ds.attrs["critical_distance"]
    assert np.all(ds["spin_ratio"].values[near] > 0.0)
    assert ds["spin_ratio"].values[~near] == pytest.approx(0.0, abs=1e-12)
    assert np.all(ds["impulse"].sel(contact="left").values[near] == 0.0)
    assert np.all(np.diff(ds["energy_ratio"]) < 1e-12)
    mirrored = system_example("rocking_rod", points=50, spin=-2.0)
    assert mirrored["spin_ratio"].values == pytest.approx(ds["spin_ratio"].values, abs=1e-12)


@given(st.floats(0.0, 1.0), st.floats(-1.0, 1.0), st.integers(0, 5))
def test_flexible_rod_gets_the_rigid_motion_of_the_smaller_coefficient(restitution, place, modes):
    """Equations (3.6) to (3.8): both models through the same law, the same rigid-body velocity."""
    before = [-1.0, 0.2]
    hybrid = flexible_rod_problem(2.0, 1.0, place, modes, before)
    receptance = hybrid.directions[:, 0] ** 2 / np.diag(hybrid.mass)
    small = rigid_restitution(restitution, receptance[:2].sum(), receptance[2:].sum())
    assert small <= restitution + 1e-12
    after = newton(hybrid, restitution=restitution).velocity[:2]
    rigid = flexible_rod_problem(2.0, 1.0, place, 0, before)
    if small >= 0.0:
        assert after == pytest.approx(newton(rigid, restitution=small).velocity)
    rates = rigid.directions[:, 0] @ after, rigid.normal_velocity[0]
    assert rates[0] == pytest.approx(-small * rates[1])


def test_at_a_node_both_coefficients_are_equal():
    ds = system_example("flexible_rod", points=3)
    node = float(ds["node"][1])
    problem = flexible_rod_problem(1.0, 1.0, node, 1, [-1.0, 0.0])
    assert problem.directions[2, 0] == pytest.approx(0.0, abs=1e-12)
    assert node == pytest.approx(2.0 * (0.5 - 0.22416), abs=1e-5)  # 0.22416 of the length from the end


def test_one_mode_at_the_end_takes_half():
    """G of the rigid part is 4/m at an end and so is that of each mode."""
    problem = flexible_rod_problem(2.0, 1.0, 1.0, 4, [-1.0, 0.0])
    receptance = problem.directions[:, 0] ** 2 / np.diag(problem.mass)
    assert receptance[:2].sum() == pytest.approx(2.0)
    assert receptance[2:] == pytest.approx([2.0] * 4)
    assert rigid_restitution(1.0, 2.0, 2.0) == pytest.approx(0.0)


def test_modes_are_orthogonal_and_free_of_rigid_motion():
    x = np.linspace(-1.0, 1.0, 20_001)
    shapes = np.vstack([np.ones_like(x), sqrt(3.0) * x, mode_shapes(5, x)])
    products = np.trapezoid(shapes[:, None] * shapes, x) / 2.0
    assert products == pytest.approx(np.eye(7), abs=1e-5)


def test_figure_8_coefficient_is_never_the_larger():
    ds = system_example("flexible_rod", points=41)
    assert np.all(ds["rigid_restitution"].values <= 0.8 + 1e-12)
    assert np.all(np.diff(ds["rigid_restitution"].values, axis=0) <= 1e-12)  # more modes take more
    assert float(ds["rigid_restitution"].min()) < 0.0


def test_stiff_rod_is_rigid():
    assert rigid_restitution(0.6, 1.0, 0.0) == pytest.approx(0.6)
