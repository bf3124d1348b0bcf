"""Chains of balls: momentum, published formulas, cradle."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mcrock.laws.brogliato_2012 import post_impact_ellipsoid
from mcrock.laws.systems.collisions import before_impact, chain_impact, chain_problem

MASS = st.floats(0.1, 10.0)
COEFFICIENT = st.floats(-1.0, 1.0)


@given(st.data(), st.integers(2, 7))
def test_momentum_energy_and_partial_sums(data, balls):
    masses = np.array(data.draw(st.lists(MASS, min_size=balls, max_size=balls)))
    before = np.array(data.draw(st.lists(COEFFICIENT, min_size=balls, max_size=balls)))
    flat = data.draw(st.lists(COEFFICIENT, min_size=(balls - 1) ** 2, max_size=(balls - 1) ** 2))
    E = np.array(flat).reshape(balls - 1, balls - 1)
    result = chain_impact(masses, before, E)
    after = result.velocity
    scale = masses.sum() * (1 + np.abs(after).max())
    assert masses @ after == pytest.approx(masses @ before, abs=1e-10 * scale)
    # impulse of contact i is what the balls 1..i have lost
    assert np.allclose(result.impulse, np.cumsum(masses * (before - after))[:-1], atol=1e-10 * scale)
    reduced = np.sqrt(masses[:-1] * masses[1:] / (masses[:-1] + masses[1:]))
    assert np.allclose(reduced * np.diff(after), -E @ (reduced * np.diff(before)), atol=1e-10 * scale)
    energy = 0.5 * masses @ (after**2 - before**2)
    assert result.energy_change == pytest.approx(energy, abs=1e-9 * scale * (1 + np.abs(after).max()))


@given(st.lists(COEFFICIENT, min_size=3, max_size=3))
def test_four_equal_balls_are_equation_59(e):
    normal = np.zeros((3, 3))
    normal[:, 0] = e
    result = chain_impact(np.ones(4), before_impact(4, "first"), normal)
    e1, e21, e31 = e
    velocities = [
        1 - 3 * e1 - 2 * e21 - e31,
        1 + e1 - 2 * e21 - e31,
        1 + e1 + 2 * e21 - e31,
        1 + e1 + 2 * e21 + 3 * e31,
    ]
    impulses = [3 + 3 * e1 + 2 * e21 + e31, 2 * (1 + e1 + 2 * e21 + e31), 1 + e1 + 2 * e21 + 3 * e31]
    assert result.velocity == pytest.approx(np.array(velocities) / 4, abs=1e-12)
    assert result.impulse == pytest.approx(np.array(impulses) / 4, abs=1e-12)
    limit = -1e-9 * max(1.0, *e)  # approach within the rounding of the checks
    assume(abs(min(e) - limit) > 1e-12)  # which decides on the limit itself
    assert result.kinematic == (min(e) >= limit)


@given(st.integers(2, 9), st.floats(0.1, 10.0), st.floats(-2.0, 2.0))
def test_cradle_of_equal_balls_reverses_the_order(balls, mass, speed):
    """All that one end brings leaves at the other: without loss for any number of equal balls."""
    before = np.zeros(balls)
    before[0] = 1.0
    normal = np.eye(balls - 1)[::-1]
    result = chain_impact(np.full(balls, mass), before + speed, normal)
    assert result.velocity == pytest.approx(before[::-1] + speed, abs=1e-9)
    assert result.energy_change == pytest.approx(0.0, abs=1e-9 * mass * balls * (1 + speed**2))


@pytest.mark.parametrize("balls", [3, 4, 5, 8])
def test_ellipsoid_of_equal_balls(balls):
    """Q(w) = w D^-1 w/m; relative kinetic energy m Q/2 of the first case is m (n - 1)/(2 n)."""
    for case, momentum, total in (("first", 1.0, 1.0), ("second", -1.0, 5.0)):
        ellipsoid = post_impact_ellipsoid(chain_problem(np.full(balls, 2.0), before_impact(balls, case)))
        assert ellipsoid.level == pytest.approx(2.0 * (total - momentum**2 / balls))


def test_two_balls_are_newtons_law():
    result = chain_impact([1.0, 3.0], [2.0, 0.0], [[0.5]])
    assert result.velocity == pytest.approx([-0.25, 0.75])
    assert result.impulse == pytest.approx([2.25])


def test_balls_that_move_together_do_not_collide():
    result = chain_impact([1.0, 2.0, 3.0], [0.7, 0.7, 0.7], np.eye(2))
    assert result.velocity == pytest.approx([0.7, 0.7, 0.7])
    assert result.impulse == pytest.approx([0.0, 0.0], abs=1e-15)
    assert result.consistent
