"""What all laws of one contact with friction have in common."""

from math import inf, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcrock.laws.final_slip import smith, two_phase, whittaker
from mcrock.laws.impulse_space import bilinear, chatterjee_ruina, composite, routh
from mcrock.laws.problem import SingleContact
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


@pytest.mark.parametrize(
    ("name", "dimensions"), [("chatterjee_ruina", (2, 3)), ("two_phase", (2, 3)), ("routh", (2,))]
)
@given(data=st.data(), e=SHARES, et=TANGENTIAL, weight=SHARES)
def test_permissible(name, dimensions, data, e, et, weight):
    """The composite too, as a weighted sum of impulses of a convex region."""
    contact = data.draw(contacts(dimensions=dimensions))
    impact = collide(name, contact, e, et)
    assert impact.consistent
    if name == "routh":
        assert composite(contact, restitution=e, tangential_restitution=et, weight=weight).consistent


@pytest.mark.parametrize(
    ("name", "friction", "dimensions"),
    [("chatterjee_ruina", 1e12, (2, 3)), ("two_phase", 1e9, (2,)), ("whittaker", 1e10, (2,))],
)
@given(data=st.data(), e=SHARES, et=TANGENTIAL)
def test_infinite_friction_is_the_limit_of_large_friction(name, friction, dimensions, data, e, et):
    contact = data.draw(contacts(dimensions=dimensions))
    limit, near = (collide(name, changed(contact, friction=mu), e, et) for mu in (inf, friction))
    tolerance = 1e-6 if name == "chatterjee_ruina" else 1e-5
    assert limit.impulse == pytest.approx(near.impulse, abs=tolerance * size(contact))
    assert name != "chatterjee_ruina" or limit.consistent


WITH_DEFAULTS = {
    chatterjee_ruina: {"tangential_restitution": 0.0},
    bilinear: {"tangential_restitution": 0.0},
    composite: {"tangential_restitution": 0.0, "weight": 0.5},
    **{law: {} for law in (routh, smith, two_phase, whittaker)},
}
DOMAINS = {"restitution": (0, 1), "tangential_restitution": (-1, 1), "weight": (0, 1)}


@pytest.mark.parametrize("law", WITH_DEFAULTS)
@pytest.mark.parametrize(
    ("beyond", "message"), [(1.01, r"got 1\.01"), (-1.5, r"got -1\.5"), (nan, "got nan"), ("x", "number")]
)
def test_coefficients_outside_their_domain(law, beyond, message):
    contact = SingleContact(np.eye(2), [-1.0, 0.3], [1.0, 0.0], 0.3)
    given = {"restitution": 0.5} | WITH_DEFAULTS[law]
    for name in given:
        low, high = DOMAINS[name]
        expected = message if message == "number" else f"from {low} to {high}, {message}"
        with pytest.raises(ValueError, match=f"{name} must be .*{expected}"):
            law(contact, **given | {name: beyond})


@pytest.mark.parametrize("name", ["tangential_restitution", "reversibility"])
def test_stored_impulses_have_shares(name):
    contact = SingleContact(np.eye(2), [-1.0, 0.0], [1.0, 0.0])
    with pytest.raises(ValueError, match=f"{name} must be from 0 to 1, got -0.5"):
        two_phase(contact, restitution=0.5, **{name: -0.5})
