"""Coordinates along normal and tangents, and friction against the slip that it leaves."""

from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from mcrock.laws.problem import NormalForm, SingleContact, sliding_impulse, tangent_basis
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


@settings(max_examples=25)
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
