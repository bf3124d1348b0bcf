"""The generalized kinematic law: metric, momentum, energy bound, coefficients of given outcomes, refusals."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mcrock.laws.brogliato_2012 import (
    coefficients_of,
    energy_margin,
    generalized_kinematic,
    kinetic_angles,
    kinetic_frame,
    post_impact_ellipsoid,
    worst_velocity,
)
from mcrock.laws.problem import ContactProblem

RTOL = 1e-9  # of matrices whose condition is limited below
SEEDS = st.integers(0, 2**32 - 1)


def random_problem(rng, n=None, m=None, tangents=False):
    """A problem with eigenvalues of M from 0.2 to 5 and contacts at safe angles."""
    n = n or int(rng.integers(2, 7))
    m = m or int(rng.integers(1, n + 1))
    turn = np.linalg.qr(rng.normal(size=(n, n)))[0]
    mass = turn @ np.diag(rng.uniform(0.2, 5.0, n)) @ turn.T
    directions = np.linalg.qr(rng.normal(size=(n, m)))[0] + 0.3 * rng.uniform(-1, 1, (n, m)) / np.sqrt(n)
    slip = rng.normal(size=(n, m, 2)) if tangents else None
    return ContactProblem(0.5 * (mass + mass.T), directions, rng.normal(size=n), tangents=slip)


def with_velocity(problem, velocity):
    return ContactProblem(problem.mass, problem.directions, velocity)


def orthogonal(rng, n):
    return np.linalg.qr(rng.normal(size=(n, n)))[0]


@given(SEEDS)
def test_frame_is_orthonormal_and_rebuilds_the_velocity(seed):
    """u = n A^-1 q_norm + t q_tan."""
    problem = random_problem(np.random.default_rng(seed))
    n, metric, t, scale = kinetic_frame(problem)
    M, u = problem.mass, problem.velocity
    assert np.allclose(n.T @ M @ n, metric, atol=1e-12)
    assert np.allclose(np.diag(metric), 1.0)
    assert np.allclose(t.T @ M @ t, np.eye(t.shape[1]), atol=1e-12)
    assert np.allclose(n.T @ M @ t, 0.0, atol=1e-12)
    assert np.allclose(scale, np.sqrt(np.diag(problem.delassus)))
    q_norm, q_tan = n.T @ M @ u, t.T @ M @ u
    assert np.allclose(q_norm, problem.normal_velocity / scale)
    assert np.allclose(n @ np.linalg.solve(metric, q_norm) + t @ q_tan, u, atol=1e-11)


@given(SEEDS)
def test_kinetic_angles_are_those_of_the_metric(seed):
    problem = random_problem(np.random.default_rng(seed))
    angles = kinetic_angles(problem)
    assert np.allclose(np.cos(angles), -kinetic_frame(problem).metric, atol=1e-9)
    assert np.allclose(angles, angles.T)
    assert np.allclose(np.diag(angles), np.pi)


@pytest.mark.parametrize(("second", "angle"), [((0, 1), np.pi / 2), ((2, 0), np.pi), ((-1, 0), 0.0)])
def test_kinetic_angles_of_orthogonal_same_and_opposite_contacts(second, angle):
    """Contacts that depend on each other have angles though the law refuses them."""
    problem = ContactProblem(np.eye(2), np.array([[1.0, 0.0], second]).T, [0.0, 0.0])
    assert kinetic_angles(problem)[0, 1] == pytest.approx(angle, abs=1e-12)


@given(SEEDS)
def test_law_and_balance_of_momentum(seed):
    """Twin: the linear system of momentum, normal velocities and no change of the tangential ones."""
    rng = np.random.default_rng(seed)
    problem = random_problem(rng)
    M, W, u = problem.mass, problem.directions, problem.velocity
    n, m = W.shape
    normal = rng.uniform(-1.5, 1.5, (m, m))
    root = np.sqrt(np.diag(problem.delassus))
    rates = -(normal * np.outer(root, 1 / root)) @ (W.T @ u)  # E_ij sqrt(D_ii/D_jj) of the rates
    system = np.block([[M, -W], [W.T, np.zeros((m, m))]])
    expected = np.linalg.solve(system, np.concatenate([M @ u, rates]))
    result = generalized_kinematic(problem, normal=normal)
    scale = np.abs(expected).max()
    assert np.allclose(result.velocity, expected[:n], atol=RTOL * scale)
    assert np.allclose(result.impulse, expected[n:], atol=RTOL * scale)
    assert np.allclose(result.normal_velocity, rates, atol=RTOL * scale)
    assert np.allclose(result.notes["momentum"], W @ result.impulse, atol=RTOL * scale)
    assert np.allclose(result.notes["tangential_after"], result.notes["tangential_before"])


@given(SEEDS)
def test_energy_with_the_inverse_metric(seed):
    """dT = 1/2 q (E^T A^-1 E - A^-1) q + tangential part; (13) prints A for A^-1."""
    rng = np.random.default_rng(seed)
    problem = random_problem(rng)
    n, m = problem.directions.shape
    normal = rng.uniform(-1, 1, (m, m))
    tangential = float(rng.uniform(-1, 1))
    A = kinetic_frame(problem).metric
    result = generalized_kinematic(problem, normal=normal, tangential=tangential)
    q, p = result.notes["normal_before"], result.notes["tangential_before"]
    inverse = np.linalg.inv(A)
    expected = 0.5 * q @ (normal.T @ inverse @ normal - inverse) @ q + 0.5 * (tangential**2 - 1) * p @ p
    assert result.energy_change == pytest.approx(expected, rel=1e-8, abs=1e-9 * problem.energy)
    assert n == len(q) + len(p)


@given(SEEDS)
def test_no_velocity_gains_more_than_the_margin(seed):
    rng = np.random.default_rng(seed)
    problem = random_problem(rng)
    m = problem.directions.shape[1]
    normal = rng.normal(size=(m, m))
    margin = energy_margin(problem, normal)
    inverse = np.linalg.inv(kinetic_frame(problem).metric)
    for _ in range(20):
        trial = with_velocity(problem, rng.normal(size=len(problem.velocity)))
        notes = generalized_kinematic(trial, normal=normal).notes
        before, after = (
            notes[f"normal_{name}"] @ inverse @ notes[f"normal_{name}"] for name in ("before", "after")
        )
        assert after <= margin * before * (1 + 1e-9)
    normal /= np.sqrt(margin) * (1 + 1e-9)
    assert generalized_kinematic(problem, normal=normal).energetic


@given(SEEDS, st.floats(1.001, 3.0))
def test_beyond_the_margin_a_velocity_gains_energy(seed, excess):
    rng = np.random.default_rng(seed)
    problem = random_problem(rng)
    m = problem.directions.shape[1]
    normal = rng.normal(size=(m, m))
    normal *= np.sqrt(excess / energy_margin(problem, normal))
    velocity = worst_velocity(problem, normal)
    assert velocity @ problem.mass @ velocity == pytest.approx(1.0)
    result = generalized_kinematic(with_velocity(problem, velocity), normal=normal)
    assert not result.energetic
    assert result.energy_change == pytest.approx(0.5 * (excess - 1.0), rel=1e-6)


@given(SEEDS, st.floats(-1.0, 1.0))
def test_one_coefficient_for_all_contacts_keeps_its_square(seed, e):
    """E = e 1 commutes with A: the margin is e^2 for every coupling."""
    problem = random_problem(np.random.default_rng(seed))
    assert energy_margin(problem, e * np.eye(problem.directions.shape[1])) == pytest.approx(e * e, abs=1e-9)


@given(SEEDS)
def test_result_does_not_depend_on_the_order_of_contacts(seed):
    rng = np.random.default_rng(seed)
    problem = random_problem(rng)
    m = problem.directions.shape[1]
    normal, order = rng.normal(size=(m, m)), rng.permutation(m)
    other = ContactProblem(problem.mass, problem.directions[:, order], problem.velocity)
    one = generalized_kinematic(problem, normal=normal)
    two = generalized_kinematic(other, normal=normal[np.ix_(order, order)])
    assert np.allclose(one.velocity, two.velocity, atol=1e-9)
    assert np.allclose(one.impulse[order], two.impulse, atol=1e-9 * max(1.0, np.abs(one.impulse).max()))


@given(SEEDS)
def test_result_does_not_depend_on_the_coordinates_or_the_scale_of_the_gaps(seed):
    """u = T v: M, W and u transform, the coefficients stay, since they belong to the kinetic metric."""
    rng = np.random.default_rng(seed)
    problem = random_problem(rng)
    n, m = problem.directions.shape
    change = orthogonal(rng, n) @ np.diag(rng.uniform(0.5, 2.0, n)) @ orthogonal(rng, n)
    gaps = rng.uniform(0.5, 3.0, m)
    mass = change.T @ problem.mass @ change
    other = ContactProblem(
        0.5 * (mass + mass.T), change.T @ problem.directions * gaps, np.linalg.solve(change, problem.velocity)
    )
    normal, slip = rng.normal(size=(m, m)), float(rng.uniform(-1, 1))
    one = generalized_kinematic(problem, normal=normal, tangential=slip)
    two = generalized_kinematic(other, normal=normal, tangential=slip)
    assert np.allclose(change @ two.velocity, one.velocity, atol=1e-8)
    assert two.energy_change == pytest.approx(one.energy_change, rel=1e-7, abs=1e-8)


@given(SEEDS)
def test_coefficients_of_an_outcome_lead_to_it(seed):
    rng = np.random.default_rng(seed)
    problem = random_problem(rng)
    n, m = problem.directions.shape
    assume(np.linalg.norm(problem.normal_velocity) > 1e-3)
    problem = replace(problem, drift=rng.normal(size=m))
    target = rng.normal(size=n)
    if m < n:
        assume(np.linalg.norm(kinetic_frame(problem).tangents.T @ problem.mass @ problem.velocity) > 1e-3)
    normal, tangential, basis = coefficients_of(problem, target)
    result = generalized_kinematic(problem, normal=normal, tangential=tangential, basis=basis)
    assert np.allclose(result.velocity, target, atol=1e-8)


def test_coefficients_of_what_comes_from_nothing_are_refused():
    directions = np.array([[1.0], [0.0]])
    with pytest.raises(ValueError, match="its tangential part is zero before the impact"):
        coefficients_of(ContactProblem(np.eye(2), directions, [-1.0, 0.0]), np.array([0.0, 1.0]))
    with pytest.raises(ValueError, match="its normal part is zero before the impact"):
        coefficients_of(ContactProblem(np.eye(2), directions, [0.0, 1.0]), np.array([1.0, 1.0]))


def test_impulses_with_tangents_explain_the_momentum():
    """A tangential coefficient needs tangential impulses: they are found where the tangents allow it."""
    rng = np.random.default_rng(3)
    problem = random_problem(rng, n=6, m=2, tangents=True)
    result = generalized_kinematic(problem, normal=np.diag([0.5, 0.2]), tangential=0.3)
    notes = result.notes
    given_by_contacts = problem.directions @ result.impulse + np.einsum(
        "nmk,mk->n", problem.tangents, notes["tangential"]
    )
    assert notes["unexplained"] <= 1e-10
    assert np.allclose(given_by_contacts, notes["momentum"])
    assert result.unique_impulse


def test_momentum_that_no_contact_gives_is_named():
    """Without tangents a tangential coefficient is a force from outside: the result says how much."""
    problem = random_problem(np.random.default_rng(4), n=4, m=2)
    assert generalized_kinematic(problem, normal=np.eye(2), tangential=0.0).notes["unexplained"] > 0.01


def test_normal_impulses_that_the_tangents_can_replace_are_not_unique():
    """Both contacts push along the same line, one of them by its tangent."""
    directions = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    tangents = np.zeros((3, 2, 1))
    tangents[0, 1, 0] = 1.0  # the tangent of contact 1 is the normal of contact 0
    tangents[2, 0, 0] = 1.0
    problem = ContactProblem(np.eye(3), directions, [-1.0, -1.0, 0.5], tangents=tangents, friction=1.0)
    result = generalized_kinematic(problem, normal=np.zeros((2, 2)), tangential=0.0)
    assert not result.unique_impulse
    assert np.allclose(result.velocity, 0.0)


@pytest.mark.parametrize(("friction", "within"), [(np.inf, True), (0.6, True), (0.4, False), (0.0, False)])
def test_friction_is_judged_where_tangents_are_given(friction, within):
    problem = ContactProblem(
        np.eye(2), [[1.0], [0.0]], [-2.0, 1.0], tangents=[[[0.0]], [[1.0]]], friction=friction
    )
    result = generalized_kinematic(problem, normal=[[0.0]], tangential=0.0)
    assert result.friction is within
    assert np.allclose(result.notes["tangential"], [[-1.0]])


def test_obstacles_that_move_count_in_the_rates():
    """A wall that comes with 1 m/s at a ball at rest: elastic, the ball leaves with 2 m/s."""
    problem = ContactProblem([[3.0]], [[1.0]], [0.0], drift=-1.0)
    result = generalized_kinematic(problem, normal=[[1.0]])
    assert result.velocity == pytest.approx([2.0])
    assert result.normal_velocity == pytest.approx([1.0])


def test_matrix_of_the_tangential_part_needs_its_directions():
    """The velocity depends on the basis; reordered together with the matrix it gives the same."""
    problem = random_problem(np.random.default_rng(8), n=4, m=2)
    basis = kinetic_frame(problem).tangents
    matrix = np.diag([0.3, -0.9])
    one = generalized_kinematic(problem, normal=np.eye(2), tangential=matrix, basis=basis)
    two = generalized_kinematic(
        problem, normal=np.eye(2), tangential=matrix[::-1, ::-1], basis=basis[:, ::-1]
    )
    three = generalized_kinematic(problem, normal=np.eye(2), tangential=matrix, basis=basis[:, ::-1])
    assert np.allclose(one.velocity, two.velocity)
    assert not np.allclose(one.velocity, three.velocity)
    scalar = generalized_kinematic(problem, normal=np.eye(2), tangential=0.4, basis=basis)
    assert np.allclose(
        scalar.velocity, generalized_kinematic(problem, normal=np.eye(2), tangential=0.4).velocity
    )


@given(SEEDS)
def test_all_rates_on_the_ellipsoid_lose_nothing(seed):
    rng = np.random.default_rng(seed)
    problem = random_problem(rng)
    assume(np.linalg.norm(problem.normal_velocity) > 1e-3)
    ellipsoid = post_impact_ellipsoid(problem)
    rates = rng.normal(size=len(problem.normal_velocity))
    rates /= np.sqrt(ellipsoid.value(rates))
    impulse = np.linalg.solve(problem.delassus, rates - problem.normal_velocity)
    assert problem.result(impulse).energy_change == pytest.approx(0.0, abs=1e-9 * problem.energy)


def test_contacts_that_span_all_coordinates_leave_no_tangents():
    problem = ContactProblem(np.diag([1.0, 2.0]), np.eye(2), [-1.0, -3.0])
    result = generalized_kinematic(problem, normal=np.diag([0.5, 0.0]))
    assert result.velocity == pytest.approx([0.5, 0.0])
    assert result.notes["tangential_before"].shape == (0,)


def test_contact_at_rest_and_contact_that_separates():
    """With a diagonal matrix contact 0 stays at rest, and the rate of contact 1 is reversed by e."""
    problem = ContactProblem(np.eye(2), np.eye(2), [0.0, 2.0])
    result = generalized_kinematic(problem, normal=0.5 * np.eye(2))
    assert result.velocity == pytest.approx([0.0, -1.0])
    assert not result.kinematic
    assert not result.kinetic


ORTHOGONAL = ContactProblem(np.eye(3), np.eye(3)[:, :2], [-1.0, -1.0, 1.0])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: generalized_kinematic(
                ContactProblem(np.eye(2), [[1.0, 2.0], [1.0, 2.0]], [0, 0]), normal=np.eye(2)
            ),
            "needs independent contacts; the 2 directions",
        ),
        (
            lambda: energy_margin(ContactProblem(np.eye(1), [[1.0, -1.0]], [0]), np.eye(2)),
            "the 2 directions of this problem of 1 coordinates depend",
        ),
        (lambda: generalized_kinematic(ORTHOGONAL, normal=np.eye(3)), r"shape \(2, 2\), got \(3, 3\)"),
        (lambda: generalized_kinematic(ORTHOGONAL, normal=0.5), r"shape \(2, 2\), got \(\)"),
        (lambda: generalized_kinematic(ORTHOGONAL, normal=[[np.nan, 0], [0, 0]]), "normal must be finite"),
        (lambda: generalized_kinematic(ORTHOGONAL, normal=[["a", 0], [0, 0]]), "normal must be numbers"),
        (
            lambda: generalized_kinematic(ORTHOGONAL, normal=np.eye(2), tangential=np.nan),
            "tangential must be finite",
        ),
        (lambda: generalized_kinematic(ORTHOGONAL, normal=np.eye(2), tangential=[[0.5]]), "give .* as basis"),
        (
            lambda: generalized_kinematic(
                ORTHOGONAL, normal=np.eye(2), tangential=[[0.5]], basis=[[0.0], [0.0], [2.0]]
            ),
            "orthonormal in the kinetic metric",
        ),
        (
            lambda: generalized_kinematic(
                ORTHOGONAL, normal=np.eye(2), tangential=[[0.5]], basis=[[1.0], [0.0], [0.0]]
            ),
            "move no contact",
        ),
        (
            lambda: generalized_kinematic(
                ORTHOGONAL, normal=np.eye(2), tangential=np.eye(2), basis=[[0.0], [0.0], [1.0]]
            ),
            r"tangential must have the shape \(1, 1\)",
        ),
        (
            lambda: post_impact_ellipsoid(ContactProblem(np.eye(2), np.eye(2), [0.0, 0.0])),
            "no contact has a normal velocity",
        ),
        (lambda: coefficients_of(ORTHOGONAL, [1.0]), r"velocity must have the shape \(3,\)"),
    ],
)
def test_what_means_nothing_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_nearly_singular_mass_is_named_and_not_the_directions():
    mass = np.array([[1.0, 1.0 - 1e-13], [1.0 - 1e-13, 1.0]])
    with pytest.raises(ValueError, match=r"the mass is nearly singular, its eigenvalues .* are independent"):
        generalized_kinematic(ContactProblem(mass, np.eye(2), [-1.0, -0.5]), normal=np.zeros((2, 2)))
    # one that differs from it but for rounding is that of dependent directions
    with pytest.raises(ValueError, match="needs independent contacts"):
        generalized_kinematic(ContactProblem(mass, np.ones((2, 2)), [-1.0, -0.5]), normal=np.zeros((2, 2)))
