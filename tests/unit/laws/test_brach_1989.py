"""Brach's law: ratios of impulses there and back, and what it refuses."""

from math import inf

import numpy as np
import pytest
from hypothesis import assume, given

from mcrock.laws.impulse_space import brach, chatterjee_ruina, contact_tangents
from mcrock.laws.problem import SingleContact
from tests.unit.laws.single_contacts import SHARES, TANGENTIAL, contacts, size

MASS = np.array([[2.0, 0.5, -0.3], [0.5, 1.5, 0.2], [-0.3, 0.2, 1.2]])
CONTACT = SingleContact(MASS, [-1.0, -0.8, 0.3], [1.0, 0.0, 0.0], 0.5)


@given(contacts(), SHARES, TANGENTIAL)
def test_reaches_what_another_law_gives(contact, e, et):
    impact = chatterjee_ruina(contact, restitution=e, tangential_restitution=et)
    assume(contact.normal @ impact.impulse > 1e-3 * size(contact))
    normal = float(contact.normal @ impact.impulse)
    approach = float(contact.normal @ contact.velocity)
    restitution = -(approach + float(contact.normal @ contact.inverse @ impact.impulse)) / approach
    assert restitution == pytest.approx(e, abs=1e-8)
    ratios = contact_tangents(contact, None) @ impact.impulse / normal
    back = brach(contact, restitution=max(0.0, restitution), ratios=ratios)
    assert back.impulse == pytest.approx(impact.impulse, abs=1e-8 * size(contact))


def test_reports_what_is_not_permissible():
    assert not brach(CONTACT, restitution=0.5, ratios=[0.6, 0.0]).friction
    assert not brach(CONTACT, restitution=0.5, ratios=[-0.4, 0.0]).energetic
    assert not brach(CONTACT, restitution=1.6, ratios=[0.0, 0.0]).energetic
    assert brach(CONTACT, restitution=0.5, ratios=[0.2, -0.1]).consistent


def test_restitution_above_one_may_be_permissible():
    """Section 3.5: friction may lend its energy to the normal direction."""
    mass = np.array([[2.0, -1.0], [-1.0, 1.5]])
    contact = SingleContact(mass, [-0.1, -1.0], [1.0, 0.0], 2.0)
    assert brach(contact, restitution=2.0, ratios=[1.0]).consistent


def test_default_tangents_oppose_the_slip():
    impact = brach(CONTACT, restitution=0.5, ratios=[0.2, 0.0])
    assert impact.impulse[1:] @ CONTACT.velocity[1:] < 0.0


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"restitution": -0.1}, r"restitution must be from 0 to inf, got -0\.1"),
        ({"ratios": [0.1]}, r"ratios must have the shape \(2,\)"),
        ({"ratios": [inf, 0.0]}, "ratios must be finite"),
        ({"ratios": [20.0, 0.0]}, "does not push the bodies apart"),
        ({"tangents": [[1, 0, 0], [0, 1, 0]]}, "tangents must be unit vectors at right angles"),
        ({"tangents": [[0, 2, 0], [0, 0, 1]]}, "tangents must be unit vectors at right angles"),
        ({"tangents": [[0, 1, 0]]}, r"tangents must have the shape \(2, 3\)"),
    ],
)
def test_refuses(wrong, message):
    inputs = {"restitution": 0.5, "ratios": [0.0, 0.0], "tangents": [[0, 1, 0], [0, 0, 1]]} | wrong
    with pytest.raises(ValueError, match=message):
        brach(CONTACT, **inputs)


def test_a_grazing_contact_has_no_impulse():
    grazing = SingleContact(np.eye(2), [0.0, 1.0], [1.0, 0.0], 0.5)
    assert not brach(grazing, restitution=0.5, ratios=[0.1]).impulse.any()
