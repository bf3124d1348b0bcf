"""Newton's law as inequalities."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcrock.laws.inequalities import moreau, newton, poisson
from mcrock.laws.problem import ContactProblem

from .contact_problems import assert_same_velocity, coefficients, systems

ROUNDING = 1e-9  # of the energy
THREE_BALLS = np.diff(np.eye(3), axis=0).T


@given(systems(closing=True), st.floats(0.0, 1.0))
def test_equal_coefficients_make_newton_poisson_and_moreau_one_law(problem, restitution):
    result = newton(problem, restitution=restitution)
    assert_same_velocity(problem, result.velocity, poisson(problem, restitution=restitution).velocity)
    assert_same_velocity(problem, result.velocity, moreau(problem, restitution=restitution).velocity)


def test_unequal_coefficients_make_newton_and_poisson_differ():
    """On three balls, and on every random system of two contacts that both push."""
    balls = ContactProblem(np.eye(3), THREE_BALLS, [1.0, 0.0, -0.5])
    assert newton(balls, restitution=[0.8, 0.3]).normal_velocity == pytest.approx([0.8, 0.15])
    assert poisson(balls, restitution=[0.8, 0.3]).normal_velocity == pytest.approx([1.0, 0.0])
    rng = np.random.default_rng(5)
    compared = 0
    while compared < 50:
        directions, velocity = rng.normal(size=(3, 2)), rng.normal(size=3)
        problem = ContactProblem(np.eye(3), -directions * np.sign(directions.T @ velocity), velocity)
        one, other = (law(problem, restitution=[0.9, 0.2]) for law in (newton, poisson))
        if one.impulse.min() > 0.0:
            compared += 1
            assert np.abs(one.velocity - other.velocity).max() > 1e-6


@given(st.data())
def test_dissipates_where_no_contact_separates(data):
    """Equation (3.5)."""
    problem = data.draw(systems(closing=True, independent=True))
    eps = np.array(data.draw(coefficients(problem.directions.shape[1])))
    result = newton(problem, restitution=eps)
    assert result.kinematic
    assert result.kinetic
    assert result.energy_change <= ROUNDING * problem.energy
    work = 0.5 * np.sum((1.0 - eps) * problem.normal_velocity * result.impulse)
    assert result.energy_change == pytest.approx(work, abs=1e-8 * problem.energy)


@given(st.data())
def test_complementarity_of_what_is_asked_and_the_impulses(data):
    problem = data.draw(systems(independent=True))
    eps = np.array(data.draw(coefficients(problem.directions.shape[1])))
    result = newton(problem, restitution=eps)
    asked = result.normal_velocity + eps * problem.normal_velocity
    size = max(np.abs(problem.normal_velocity).max(), 1e-300)
    assert np.all(asked >= -1e-8 * size)
    assert np.all(np.minimum(asked, result.impulse * np.diag(problem.delassus)) <= 1e-8 * size)


def test_a_contact_that_separates_can_gain_energy_and_penetrate():
    """Known of this law, and told: contact 2 separates, yet is asked to go on with -eps times its speed."""
    directions = np.array([[1.0, -0.8], [0.0, 0.6]])
    problem = ContactProblem(np.eye(2), directions, [-0.1, 3.0])
    assert problem.normal_velocity == pytest.approx([-0.1, 1.88])
    result = newton(problem, restitution=[1.0, 0.0])
    assert result.energetic
    found = False
    rng = np.random.default_rng(0)
    for _ in range(300):
        problem = ContactProblem(np.eye(2), rng.normal(size=(2, 2)), rng.normal(size=2))
        result = newton(problem, restitution=[1.0, 0.2])
        if not result.energetic:
            found = True
            assert problem.normal_velocity.max() > 0.0
            assert result.energy_change > 0.0
    assert found


def test_dependent_contacts_with_different_demands_are_refused():
    """A body between two walls that move together: restitution 0.5 at one and 0.2 at the other."""
    problem = ContactProblem(np.eye(1), [[1.0, -1.0]], [-1.0])
    with pytest.raises(ValueError, match="contacts that depend on each other ask for different velocities"):
        newton(problem, restitution=[0.5, 0.2])
    assert newton(problem, restitution=0.5).velocity == pytest.approx([0.5])


def test_wrong_number_of_coefficients_is_refused():
    with pytest.raises(ValueError, match="restitution must be one number or 2"):
        newton(ContactProblem(np.eye(2), np.eye(2), [-1.0, -1.0]), restitution=[0.5])
