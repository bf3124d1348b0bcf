"""Coefficients between contacts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcrock.laws.inequalities import fremond, newton
from mcrock.laws.problem import ContactProblem

from .contact_problems import assert_same_velocity, coefficients, reordered, systems


def chain(n, velocity):
    return ContactProblem(np.eye(n), np.diff(np.eye(n), axis=0).T, velocity)


@given(st.data())
def test_a_diagonal_matrix_is_newtons_law(data):
    problem = data.draw(systems(independent=True))
    eps = data.draw(coefficients(problem.directions.shape[1]))
    one, other = newton(problem, restitution=eps), fremond(problem, restitution=np.diag(eps))
    assert_same_velocity(problem, one.velocity, other.velocity)


@given(st.data())
def test_unsymmetric_matrices_keep_the_conditions_and_the_order(data):
    problem = data.draw(systems(independent=True))
    m = problem.directions.shape[1]
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    matrix = rng.uniform(-0.5, 1.0, (m, m))
    result = fremond(problem, restitution=matrix)
    asked = result.normal_velocity + matrix @ problem.normal_velocity
    size = np.abs(problem.normal_velocity).max()
    assert np.all(asked >= -1e-8 * size)
    assert np.all(np.minimum(asked, result.impulse * np.diag(problem.delassus)) <= 1e-8 * size)
    order = list(data.draw(st.permutations(range(m))))
    other = fremond(reordered(problem, order), restitution=matrix[np.ix_(order, order)])
    assert_same_velocity(problem, result.velocity, other.velocity)


@pytest.mark.parametrize("n", [3, 4, 5])
def test_cradle(n):
    """Newton's cradle: one coefficient between the first and the last contact, no loss of energy."""
    matrix = np.zeros((n - 1, n - 1))
    matrix[-1, 0] = 1.0
    problem = chain(n, [1.0] + [0.0] * (n - 1))
    result = fremond(problem, restitution=matrix)
    assert result.velocity == pytest.approx([0.0] * (n - 1) + [1.0], abs=1e-12)
    assert result.energy_change == pytest.approx(0.0, abs=1e-12)
    assert newton(problem, restitution=1.0).velocity != pytest.approx(result.velocity, abs=0.1)


def test_energy_can_grow_and_is_told():
    result = fremond(chain(3, [1.0, 0.0, 0.0]), restitution=[[1.0, 0.0], [1.5, 0.0]])
    assert result.energy_change > 0.0
    assert not result.energetic


def test_penetration_is_told():
    result = fremond(chain(3, [1.0, 0.0, 0.0]), restitution=[[0.0, 0.0], [-0.5, 0.0]])
    assert result.normal_velocity.min() < 0.0
    assert not result.kinematic


def test_dependent_contacts_with_different_demands_are_refused():
    problem = ContactProblem(np.eye(1), [[1.0, -1.0]], [-1.0])
    with pytest.raises(ValueError, match="Fremond's law has no solution"):
        fremond(problem, restitution=[[0.5, 0.0], [0.0, 0.2]])


@pytest.mark.parametrize("matrix", [[[0.5]], [0.5, 0.5], 0.5, [[0.5, np.nan], [0.0, 0.5]], "hard"])
def test_other_matrices_are_refused(matrix):
    with pytest.raises(ValueError, match="restitution must"):
        fremond(chain(3, [1.0, 0.0, 0.0]), restitution=matrix)
