"""The law of two phases: optimality of each phase, permissible, its coincidences."""

from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcrock.laws.normal_form import NormalForm
from mcrock.laws.pfeiffer_glocker_1996 import two_phase
from mcrock.laws.problem import SingleContact
from mcrock.laws.whittaker_1904 import whittaker
from tests.unit.laws.single_contacts import SHARES, changed, contacts, embedded, size

FINITE = st.floats(0.01, 5.0)


@settings(max_examples=100, deadline=None)
@given(contacts(), SHARES)
def test_permissible(contact, e):
    assert two_phase(contact, restitution=e).consistent


@settings(max_examples=100, deadline=None)
@given(contacts(friction=FINITE), SHARES)
def test_each_phase_ends_with_friction_against_its_slip(contact, e):
    impact = two_phase(contact, restitution=e)
    first = impact.notes["compression_impulse"]
    compressed = contact.normal @ first
    phases = [(first, contact.result(first).velocity), (impact.impulse - first, impact.velocity)]
    for impulse, velocity in phases:
        normal, across = contact.split(impulse)
        _, slip = contact.split(velocity)
        length, left = np.linalg.norm(across), np.linalg.norm(slip)
        assert length <= contact.friction * normal + 1e-9 * size(contact)
        if left > 1e-6 * np.linalg.norm(contact.velocity):
            assert length == pytest.approx(contact.friction * normal, abs=1e-9 * size(contact))
            assert across @ slip == pytest.approx(-length * left, abs=1e-8 * size(contact) * left)
    assert contact.result(first).normal_velocity[0] == pytest.approx(0.0, abs=1e-9)
    expansion = contact.normal @ impact.impulse - compressed
    if not impact.notes["raised"]:
        assert expansion == pytest.approx(e * compressed, abs=1e-9 * size(contact))


@settings(max_examples=100, deadline=None)
@given(contacts())
def test_without_expansion_it_is_whittakers(contact):
    impact = two_phase(contact, restitution=0.0)
    assert impact.impulse == pytest.approx(
        whittaker(contact, restitution=0.0).impulse, abs=1e-9 * size(contact)
    )


@settings(max_examples=60, deadline=None)
@given(contacts(dimensions=(2,)), SHARES, st.floats(0.1, 10.0))
def test_plane_problem_in_space(contact, e, third):
    flat, deep = two_phase(contact, restitution=e), two_phase(embedded(contact, third), restitution=e)
    if deep.unique_velocity:
        assert deep.impulse == pytest.approx([*flat.impulse, 0.0], abs=1e-8 * size(contact))


@given(contacts(), SHARES)
@settings(max_examples=50, deadline=None)
def test_without_friction_the_impulse_is_normal(contact, e):
    impact = two_phase(changed(contact, friction=0.0), restitution=e)
    assert impact.impulse == pytest.approx((1 + e) * contact.compression, abs=1e-11 * size(contact))


@settings(max_examples=100, deadline=None)
@given(contacts(dimensions=(2,)), SHARES)
def test_infinite_friction_is_the_limit(contact, e):
    limit = two_phase(changed(contact, friction=inf), restitution=e)
    near = two_phase(changed(contact, friction=1e9), restitution=e)
    assert limit.impulse == pytest.approx(near.impulse, abs=1e-5 * size(contact))


def test_several_compressions_are_counted():
    contact = SingleContact(
        [[5.57, -2.056, 3.934], [-2.056, 1.763, -3.454], [3.934, -3.454, 7.391]],
        [-2.0933, -0.6721, -0.11235],
        [0.0, 0.0, 1.0],
        3.26,
    )
    impact = two_phase(contact, restitution=0.5)
    assert impact.notes["n_compressions"] == len(whittaker(contact, restitution=0.0).solutions) == 3
    assert not impact.unique_velocity


def test_no_motion_no_impulse():
    still = SingleContact(np.eye(3), np.zeros(3), [1.0, 0.0, 0.0], 0.3)
    assert not two_phase(still, restitution=0.5).impulse.any()


def test_contact_of_one_dimension():
    contact = SingleContact([[2.0]], [-1.0], [1.0], 0.3)
    assert NormalForm.of(contact).slip.shape == (0,)
    assert two_phase(contact, restitution=0.5).velocity == pytest.approx([0.5])


def test_restitution_outside_its_domain():
    with pytest.raises(ValueError, match="restitution must be from 0 to 1, got 2"):
        two_phase(SingleContact(np.eye(2), [-1.0, 0.0], [1.0, 0.0]), restitution=2)


def test_expansion_is_raised_where_friction_would_leave_an_approach():
    inverse = [[1.93, 3.14, -2.65], [3.14, 5.97, -2.64], [-2.65, -2.64, 8.48]]
    contact = SingleContact.of_inverse(inverse, [-0.132, 0.04, 0.83], [1.0, 0.0, 0.0], 2.68)
    impact = two_phase(contact, restitution=1.0)
    assert impact.notes["raised"]
    assert impact.impulse[0] > 2.0 * impact.notes["compression_impulse"][0]
    assert impact.normal_velocity[0] == pytest.approx(0.0, abs=1e-9)
    assert impact.consistent
