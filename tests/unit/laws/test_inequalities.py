"""Laws of several contacts as inequalities: Newton's, Poisson's, Moreau's and Fremond's."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.linalg import solve_triangular
from scipy.optimize import lsq_linear

from mcrock.laws.inequalities import fremond, moreau, newton, poisson
from mcrock.laws.problem import ContactProblem

from .contact_problems import assert_same_velocity, coefficients, reordered, size, systems

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


def test_wrong_number_of_coefficients_is_refused():
    with pytest.raises(ValueError, match="restitution must be one number or 2"):
        newton(ContactProblem(np.eye(2), np.eye(2), [-1.0, -1.0]), restitution=[0.5])


@given(st.data())
def test_both_phases_are_complementary(data):
    problem = data.draw(systems())
    eps = np.array(data.draw(coefficients(problem.directions.shape[1])))
    result = poisson(problem, restitution=eps)
    compression, expansion = result.notes["compression"], result.notes["expansion"]
    middle = problem.normal_velocity + problem.delassus @ compression
    size = np.abs(problem.normal_velocity).max()
    scale = np.diag(problem.delassus)
    assert np.all(middle >= -1e-8 * size)
    assert np.all(np.minimum(middle, scale * compression) <= 1e-8 * size)
    assert np.all(np.minimum(result.normal_velocity, scale * (expansion - eps * compression)) <= 1e-8 * size)
    assert np.all(expansion >= eps * compression)
    assert result.impulse == pytest.approx(compression + expansion)


def test_the_equality_rule_gains_energy_and_the_inequality_does_not():
    """Erratum 1: Glocker (2001), section 3(a), warns of gains: they are those of Ld = eps Lc.

    D = [[2, -1], [-1, 2]] and Lc = (1, 0.6), coefficients (1, 0).
    """
    gaps = np.diff(np.eye(3), axis=0).T
    delassus = gaps.T @ gaps
    assert delassus == pytest.approx(np.array([[2.0, -1.0], [-1.0, 2.0]]))
    compression = np.array([1.0, 0.6])
    velocity = np.linalg.lstsq(gaps.T, -delassus @ compression, rcond=None)[0]
    problem = ContactProblem(np.eye(3), gaps, velocity)
    result = poisson(problem, restitution=[1.0, 0.0])
    assert result.notes["compression"] == pytest.approx(compression)
    printed = problem.result(compression + np.array([1.0, 0.0]) * compression)
    assert not printed.kinematic
    assert not printed.energetic
    assert result.kinematic
    assert result.energetic
    assert result.notes["expansion"][1] > 0.0


def test_dependent_contacts_with_unequal_coefficients_are_flagged():
    """Two copies of a contact, coefficients 1 and 0: compression by the first alone rebounds with 1, by both
    with 1/2, and the law does not say which."""
    problem = ContactProblem(np.eye(1), [[1.0, 1.0]], [-1.0])
    result = poisson(problem, restitution=[1.0, 0.0])
    assert result.velocity == pytest.approx([0.5])
    assert not result.unique_velocity
    assert not result.unique_impulse
    equal = poisson(problem, restitution=0.7)
    assert equal.unique_velocity
    assert not equal.unique_impulse


@given(systems(), st.floats(0.0, 1.0))
def test_moreau_is_the_projection_on_the_tangent_cone(problem, restitution):
    """Twin: the dual, a bounded minimisation; and v, v - u- are orthogonal, equation (11)."""
    factor = np.linalg.cholesky(problem.mass)
    scaled = solve_triangular(factor, problem.directions, lower=True)
    target = -factor.T @ problem.velocity
    impulse = lsq_linear(scaled, target, (0.0, np.inf), method="bvls", tol=1e-15).x
    slope = scaled.T @ (target - scaled @ impulse)
    assume(max(slope.max(), np.abs(impulse * slope).max()) < 1e-10 * min(1.0, problem.energy))
    twin = problem.velocity + (1.0 + restitution) * np.linalg.solve(
        problem.mass, problem.directions @ impulse
    )
    assert_same_velocity(problem, moreau(problem, restitution=restitution).velocity, twin)
    nearest = moreau(problem, restitution=0.0).velocity
    product = nearest @ problem.mass @ (problem.velocity - nearest)
    assert abs(product) <= ROUNDING * problem.energy


@given(systems(), st.floats(0.0, 1.0))
def test_moreau_splits_the_velocity_as_equation_10(problem, restitution):
    """u- = v + v_perp, orthogonal in the kinetic metric; v is admitted, v_perp is against the contacts."""
    result = moreau(problem, restitution=restitution)
    v, across = result.notes["admitted_part"], result.notes["normal_part"]
    speed = size(problem)
    assert_same_velocity(problem, v + across, problem.velocity, 1e-12)
    assert_same_velocity(problem, v - restitution * across, result.velocity, 1e-12)
    assert abs(v @ problem.mass @ across) <= 1e-8 * speed**2
    assert (problem.directions.T @ v / np.sqrt(np.diag(problem.delassus))).min() >= -1e-8 * speed
    pushed = -problem.mass @ across - problem.directions @ (result.impulse / (1.0 + restitution))
    assert np.sqrt(pushed @ np.linalg.solve(problem.mass, pushed)) <= 1e-8 * speed


@given(systems(closing=True), st.floats(0.0, 1.0))
def test_no_contact_approaches_where_all_did(problem, restitution):
    assert moreau(problem, restitution=restitution).kinematic


@given(systems())
def test_without_loss_the_energy_stays(problem):
    assert abs(moreau(problem, restitution=1.0).energy_change) <= ROUNDING * problem.energy


def test_moreau_can_end_a_separation_by_an_approach():
    """Two contacts of which one hits and one leaves: the law reverses part of what leaves. It is told."""
    problem = ContactProblem(np.eye(2), [[1.0, -0.8], [0.0, 0.6]], [-1.0, -1.0])
    assert problem.normal_velocity == pytest.approx([-1.0, 0.2])
    result = moreau(problem, restitution=1.0)
    assert not result.kinematic
    assert result.energetic


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


def test_energy_of_fremond_can_grow_and_is_told():
    result = fremond(chain(3, [1.0, 0.0, 0.0]), restitution=[[1.0, 0.0], [1.5, 0.0]])
    assert result.energy_change > 0.0
    assert not result.energetic


def test_penetration_of_fremond_is_told():
    result = fremond(chain(3, [1.0, 0.0, 0.0]), restitution=[[0.0, 0.0], [-0.5, 0.0]])
    assert result.normal_velocity.min() < 0.0
    assert not result.kinematic


@pytest.mark.parametrize("matrix", [[[0.5]], [0.5, 0.5], 0.5, [[0.5, np.nan], [0.0, 0.5]], "hard"])
def test_fremond_refuses_other_matrices(matrix):
    with pytest.raises(ValueError, match="restitution must"):
        fremond(chain(3, [1.0, 0.0, 0.0]), restitution=matrix)
