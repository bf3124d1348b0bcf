"""Moreau's law: projection in the kinetic metric, never a gain of energy, one outcome whatever the order."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.linalg import solve_triangular
from scipy.optimize import lsq_linear

from mcrock.laws.inequalities import moreau
from mcrock.laws.problem import ContactProblem

from .contact_problems import assert_same_velocity, size, systems

ROUNDING = 1e-9  # of the energy


@given(systems(), st.floats(0.0, 1.0))
def test_is_the_projection_on_the_tangent_cone(problem, restitution):
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
def test_splits_the_velocity_as_equation_10(problem, restitution):
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


@given(st.data())
def test_coordinates_do_not_matter(data):
    """u = T z: mass T'MT, directions T'W."""
    problem = data.draw(systems())
    n = len(problem.velocity)
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    change = np.linalg.qr(rng.normal(size=(n, n)))[0] * rng.uniform(0.5, 2.0, n)
    mass = change.T @ problem.mass @ change
    turned = ContactProblem(
        0.5 * (mass + mass.T), change.T @ problem.directions, np.linalg.solve(change, problem.velocity)
    )
    result = moreau(problem, restitution=0.5)
    assert_same_velocity(problem, result.velocity, change @ moreau(turned, restitution=0.5).velocity)


@given(systems(closing=True), st.floats(-12.0, 12.0))
def test_speed_scales_the_impact(problem, power):
    factor = 10.0**power
    fast = ContactProblem(problem.mass, problem.directions, factor * problem.velocity)
    result = moreau(problem, restitution=0.3)
    assert_same_velocity(fast, factor * result.velocity, moreau(fast, restitution=0.3).velocity)


def test_a_contact_that_separates_can_end_up_approaching():
    """Two contacts of which one hits and one leaves: the law reverses part of what leaves. It is told."""
    problem = ContactProblem(np.eye(2), [[1.0, -0.8], [0.0, 0.6]], [-1.0, -1.0])
    assert problem.normal_velocity == pytest.approx([-1.0, 0.2])
    result = moreau(problem, restitution=1.0)
    assert not result.kinematic
    assert result.energetic
