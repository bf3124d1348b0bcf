"""What all laws of one contact with friction have in common."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcrock.laws.chatterjee_ruina_1998 import chatterjee_ruina
from mcrock.laws.pfeiffer_glocker_1996 import two_phase
from mcrock.laws.problem import SingleContact
from mcrock.laws.routh_1905 import routh
from mcrock.laws.smith_1991 import smith
from mcrock.laws.whittaker_1904 import whittaker
from tests.unit.laws.single_contacts import SHARES, TANGENTIAL, changed, contacts, embedded, size

LAWS = {law.__name__: law for law in (chatterjee_ruina, routh, smith, two_phase, whittaker)}
TWIN = {"chatterjee_ruina": 1e-11, "routh": 1e-9, "smith": 1e-7, "two_phase": 1e-8, "whittaker": 1e-8}
each_law = pytest.mark.parametrize("name", LAWS)


def collide(name, contact, e=0.5, et=0.2):
    """Only the law of Chatterjee and Ruina needs a tangential restitution."""
    more = {"tangential_restitution": et} if name == "chatterjee_ruina" else {}
    return LAWS[name](contact, restitution=e, **more)


@each_law
@given(contacts(dimensions=(2,)), SHARES, TANGENTIAL, st.floats(0.1, 10.0))
def test_a_plane_problem_in_space(name, contact, e, et, third):
    """One of the solutions, where there are several, stays in the plane."""
    flat, deep = collide(name, contact, e, et), collide(name, embedded(contact, third), e, et)
    if deep.unique_velocity or deep.solutions:  # else what is counted is the compression
        gaps = [np.abs(s.impulse - [*flat.impulse, 0.0]).max() for s in deep.solutions or (deep,)]
        assert min(gaps) < TWIN[name] * size(contact)


@each_law
@given(contacts(), SHARES, TANGENTIAL)
def test_without_friction_the_impulse_is_normal(name, contact, e, et):
    impact = collide(name, changed(contact, friction=0.0), e, et)
    assert impact.impulse == pytest.approx((1 + e) * contact.compression, abs=1e-11 * size(contact))


@each_law
def test_no_motion_no_impulse(name):
    mass = np.array([[2.0, 0.5, -0.3], [0.5, 1.5, 0.2], [-0.3, 0.2, 1.2]])
    impact = collide(name, SingleContact(mass, np.zeros(3), np.eye(3)[0], 0.3))
    assert not impact.impulse.any()
    assert impact.consistent


@each_law
def test_a_contact_of_one_dimension(name):
    impact = collide(name, SingleContact([[2.0]], [-1.0], [1.0], 0.3))
    assert impact.velocity == pytest.approx([0.5])


@each_law
@pytest.mark.parametrize(
    ("e", "message"), [(1.01, r"0 to 1, got 1\.01"), (-0.1, "0 to 1, got"), ("x", "number")]
)
def test_a_restitution_outside_its_domain(name, e, message):
    with pytest.raises(ValueError, match=f"restitution must be .*{message}"):
        collide(name, SingleContact(np.eye(2), [-1.0, 0.3], [1.0, 0.0], 0.3), e)
