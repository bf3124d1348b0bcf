"""Contacts along normal and tangents, friction against the slip it leaves, and the gap of two ellipsoids."""

from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

from mcrock.laws.inequalities import newton
from mcrock.laws.problem import (
    ContactProblem,
    Ellipsoid,
    NormalForm,
    SingleContact,
    ellipsoid_contact,
    sliding_impulse,
    tangent_basis,
)
from tests.unit.laws.single_contacts import contacts, masses

VECTOR = st.lists(st.floats(-1, 1), min_size=2, max_size=2).map(np.array)


@given(contacts(dimensions=(2, 3)))
def test_basis_is_orthonormal_and_first_opposes_the_slip(contact):
    frame = np.vstack([contact.normal, tangent_basis(contact)])
    assert frame @ frame.T == pytest.approx(np.eye(len(frame)), abs=1e-12)
    _, slip = contact.split(contact.velocity)
    assert frame[1] @ slip == pytest.approx(-np.linalg.norm(slip), abs=1e-12)
    assert np.linalg.norm(frame[2:] @ slip) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("normal", [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.6, 0.0, -0.8]])
def test_basis_without_slip(normal):
    contact = SingleContact(np.eye(3), -np.array(normal), normal)
    frame = np.vstack([contact.normal, tangent_basis(contact)])
    assert frame @ frame.T == pytest.approx(np.eye(3), abs=1e-12)


@given(contacts())
def test_velocities_are_those_of_the_contact(contact):
    form = NormalForm.of(contact)
    x = np.linspace(0.3, -0.2, len(form.slip))
    after = contact.velocity + contact.inverse @ form.impulse(0.7, x)
    assert form.normal_velocity(0.7, x) == pytest.approx(contact.normal @ after, abs=1e-10)
    assert form.tangential_velocity(0.7, x) == pytest.approx(form.basis[1:] @ after, abs=1e-10)


@given(masses(2), VECTOR, st.floats(0.01, 3.0))
def test_sliding_impulse_opposes_what_it_leaves(w_tt, slip, limit):
    x = sliding_impulse(w_tt, slip, limit)
    left = slip + w_tt @ x
    length = np.linalg.norm(x)
    assert length <= limit * (1 + 1e-12)
    if np.linalg.norm(left) > 1e-9 * np.linalg.norm(slip):
        assert length == pytest.approx(limit, rel=1e-12)
        assert left * length == pytest.approx(-x * np.linalg.norm(left), abs=1e-9 * limit)


@given(masses(2), VECTOR.filter(lambda slip: np.linalg.norm(slip) > 0.1), st.floats(0.05, 3.0))
def test_sliding_impulse_is_the_minimum_that_scipy_finds(w_tt, slip, limit):
    def energy(x):
        return 0.5 * x @ w_tt @ x + slip @ x

    ball = {"type": "ineq", "fun": lambda x: limit**2 - x @ x, "jac": lambda x: -2 * x}
    found = minimize(
        energy, np.zeros(2), jac=lambda x: w_tt @ x + slip, constraints=ball, method="SLSQP", tol=1e-14
    )
    assert energy(sliding_impulse(w_tt, slip, limit)) <= found.fun + 1e-7 * abs(found.fun)


@given(masses(2), VECTOR, st.floats(0.05, 3.0), st.sampled_from([1e-9, 1e9]))
def test_sliding_impulse_scales_with_the_mass(w_tt, slip, limit, factor):
    """A body so much lighter needs as much less of an impulse."""
    scaled = factor * sliding_impulse(factor * w_tt, slip, limit / factor)
    assert scaled == pytest.approx(sliding_impulse(w_tt, slip, limit), rel=1e-9, abs=1e-9 * limit)


def test_sliding_impulse_in_special_cases():
    assert sliding_impulse(np.eye(2), np.zeros(2), 1.0) == pytest.approx([0.0, 0.0], abs=0)
    assert sliding_impulse(np.eye(2), np.array([1.0, 0.0]), 0.0) == pytest.approx([0.0, 0.0], abs=0)
    assert sliding_impulse(np.diag([2.0, 4.0]), np.array([1.0, 1.0]), inf) == pytest.approx([-0.5, -0.25])
    # where W_tt is singular the slip along its null direction stays
    assert sliding_impulse(np.diag([1.0, 0.0]), np.array([0.0, 2.0]), 0.5) == pytest.approx([0.0, -0.5])
    assert sliding_impulse(np.zeros((1, 1)), np.array([2.0]), 0.5) == pytest.approx([-0.5])
    assert sliding_impulse(np.diag([1.0, 0.0]), np.array([0.3, 0.0]), 0.5) == pytest.approx([-0.3, 0.0])


STEP = 1e-5  # of the finite difference [s]
DIFFERENCE = 1e-7  # its error of second order, over the speed


def random_body(rng, centre):
    return Ellipsoid(
        centre,
        rng.uniform(0.2, 1.2, 3),
        Rotation.random(random_state=rng).as_matrix(),
        velocity=rng.normal(size=3),
        spin=rng.normal(size=3),
    )


def random_pair(seed, distance=(2.5, 4.0)):
    rng = np.random.default_rng(seed)
    away = rng.normal(size=3)
    away *= rng.uniform(*distance) / np.linalg.norm(away)
    return random_body(rng, rng.normal(size=3)), away, rng


def pair(seed):
    first, away, rng = random_pair(seed)
    return first, random_body(rng, first.centre + away)


def moved(body, time):
    turn = Rotation.from_rotvec(body.spin * time).as_matrix()
    return Ellipsoid(
        body.centre + time * body.velocity, body.semi_axes, turn @ body.axes, body.velocity, body.spin
    )


@given(st.integers(0, 2**32 - 1))
def test_gap_rate_is_that_of_the_gap(seed):
    """Against central differences: the contact points wander, and that does not matter."""
    first, second = pair(seed)
    contact = ellipsoid_contact(first, second)
    ahead, behind = (ellipsoid_contact(moved(first, time), moved(second, time)).gap for time in (STEP, -STEP))
    speed = 1.0 + np.abs([first.velocity, second.velocity, first.spin, second.spin]).max() ** 2
    assert contact.gap_rate == pytest.approx((ahead - behind) / (2 * STEP), abs=DIFFERENCE * speed * 10)
    twist = np.concatenate([first.velocity, first.spin, second.velocity, second.spin])
    assert contact.direction @ twist == pytest.approx(contact.gap_rate)


@given(st.integers(0, 2**32 - 1))
def test_contact_points_fulfil_their_equations(seed):
    """Equation (2.10): on both surfaces, with opposite normals, along the line between them."""
    first, second = pair(seed)
    contact = ellipsoid_contact(first, second)
    for body, point, normal in (
        (first, contact.point_1, contact.normal),
        (second, contact.point_2, -contact.normal),
    ):
        local = body.axes.T @ (point - body.centre)
        assert np.sum((local / body.semi_axes) ** 2) == pytest.approx(1.0)
        outward = body.axes @ (local / body.semi_axes**2)
        assert outward / np.linalg.norm(outward) == pytest.approx(normal, abs=1e-10)
    assert contact.point_2 - contact.point_1 == pytest.approx(contact.gap * contact.normal, abs=1e-10)
    assert contact.gap > 0.0


@given(st.integers(0, 2**32 - 1))
def test_gap_is_the_least_distance(seed):
    """Twin: a general optimisation over both bodies."""
    first, second = pair(seed)

    def apart(points):
        return np.sum((second_point(points) - first_point(points)) ** 2)

    def first_point(points):
        return first.centre + first.axes @ (first.semi_axes * points[:3])

    def second_point(points):
        return second.centre + second.axes @ (second.semi_axes * points[3:])

    inside = [
        {"type": "ineq", "fun": lambda points: 1.0 - points[:3] @ points[:3]},
        {"type": "ineq", "fun": lambda points: 1.0 - points[3:] @ points[3:]},
    ]
    found = minimize(apart, np.zeros(6), method="SLSQP", constraints=inside, options={"ftol": 1e-14})
    assert ellipsoid_contact(first, second).gap == pytest.approx(np.sqrt(found.fun), abs=1e-5)


@given(st.integers(0, 2**32 - 1))
def test_exchange_of_the_bodies(seed):
    first, second = pair(seed)
    one, other = ellipsoid_contact(first, second), ellipsoid_contact(second, first)
    assert other.gap == pytest.approx(one.gap)
    assert other.gap_rate == pytest.approx(one.gap_rate)
    assert other.normal == pytest.approx(-one.normal, abs=1e-10)
    assert other.point_1 == pytest.approx(one.point_2, abs=1e-9)


def test_two_balls():
    first = Ellipsoid([0.0, 0.0, 0.0], [0.5] * 3, velocity=[0.1, 0.2, 0.3], spin=[5.0, -3.0, 2.0])
    second = Ellipsoid([1.0, 2.0, 2.0], [0.8] * 3, velocity=[-1.0, 0.0, 0.4], spin=[1.0, 1.0, 1.0])
    contact = ellipsoid_contact(first, second)
    line = np.array([1.0, 2.0, 2.0]) / 3.0
    assert contact.gap == pytest.approx(3.0 - 1.3)
    assert contact.normal == pytest.approx(line)
    assert contact.gap_rate == pytest.approx(line @ [-1.1, -0.2, 0.1])


def test_overlap_is_a_negative_gap():
    first = Ellipsoid([0.0, 0.0, 0.0], [1.0, 1.0, 1.0])
    second = Ellipsoid([0.0, 0.0, 1.9], [1.0, 1.0, 1.0])
    assert ellipsoid_contact(first, second).gap == pytest.approx(-0.1)


@pytest.mark.parametrize("gap", [1e-3, 0.0, -1e-3])
def test_gap_goes_smoothly_through_zero(gap):
    """Along the normal of a touching pair the gap is the distance moved."""
    first, second = pair(7)
    contact = ellipsoid_contact(first, second)
    closer = Ellipsoid(second.centre + (gap - contact.gap) * contact.normal, second.semi_axes, second.axes)
    assert ellipsoid_contact(first, closer).gap == pytest.approx(gap, abs=1e-12)


def test_flat_and_long_bodies():
    """A disc of 1 mm above a needle of 2 m, crosswise: the gap is that of their middle planes."""
    disc = Ellipsoid([0.0, 0.0, 0.0], [1.0, 1.0, 1e-3])
    needle = Ellipsoid([0.0, 0.0, 0.5], [2.0, 1e-2, 1e-2])
    assert ellipsoid_contact(disc, needle).gap == pytest.approx(0.5 - 0.011)


def ellipsoid_problem(first, second, density):
    """The impact of two homogeneous ellipsoids that touch, in the coordinates (v1, spin1, v2, spin2)."""
    mass = np.zeros((12, 12))
    for start, body in ((0, first), (6, second)):
        weight = density * 4.0 / 3.0 * np.pi * np.prod(body.semi_axes)
        squares = body.semi_axes**2
        inertia = weight / 5.0 * (squares.sum() - squares)
        mass[start : start + 3, start : start + 3] = weight * np.eye(3)
        mass[start + 3 : start + 6, start + 3 : start + 6] = (body.axes * inertia) @ body.axes.T
    velocity = np.concatenate([first.velocity, first.spin, second.velocity, second.spin])
    return ContactProblem(
        0.5 * (mass + mass.T), ellipsoid_contact(first, second).direction[:, None], velocity
    )


def test_central_impact_of_two_balls_exchanges_their_speeds():
    first = Ellipsoid([0.0, 0.0, 0.0], [0.5] * 3, velocity=[2.0, 0.0, 0.0])
    second = Ellipsoid([1.0, 0.0, 0.0], [0.5] * 3)
    problem = ellipsoid_problem(first, second, 1000.0)
    result = newton(problem, restitution=1.0)
    assert result.velocity == pytest.approx([0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0], abs=1e-12)


def test_impact_of_two_ellipsoids_keeps_momentum_and_turns_them():
    rng = np.random.default_rng(2)
    first, second = random_body(rng, [0.0, 0.0, 0.0]), random_body(rng, [2.5, 0.4, 0.0])
    second = Ellipsoid(second.centre, second.semi_axes, second.axes, velocity=[-5.0, 0.0, 0.0])
    problem = ellipsoid_problem(first, second, 500.0)
    result = newton(problem, restitution=0.6)
    before, after = problem.mass @ problem.velocity, problem.mass @ result.velocity
    assert after[:3] + after[6:9] == pytest.approx(before[:3] + before[6:9])
    assert result.normal_velocity == pytest.approx(-0.6 * problem.normal_velocity)
    contact = ellipsoid_contact(first, second)
    angular_1 = np.cross(contact.point_1 - first.centre, -result.impulse[0] * contact.normal)
    assert after[3:6] - before[3:6] == pytest.approx(angular_1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"semi_axes": [1.0, 0.0, 1.0]}, "Ellipsoid.semi_axes must be > 0"),
        ({"axes": np.ones((3, 3))}, "Ellipsoid.axes must be orthogonal unit vectors"),
        ({"centre": [0.0, 0.0]}, "Ellipsoid.centre must have the shape"),
        ({"spin": [np.nan, 0.0, 0.0]}, "Ellipsoid.spin must be finite"),
    ],
)
def test_wrong_bodies_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        Ellipsoid(**({"centre": [0.0, 0.0, 0.0], "semi_axes": [1.0, 1.0, 1.0]} | change))


def test_one_body_inside_the_other_is_refused():
    body = Ellipsoid([0.0, 0.0, 0.0], [1.0, 1.0, 1.0])
    with pytest.raises(ValueError, match="the centres of the ellipsoids coincide"):
        ellipsoid_contact(body, body)
