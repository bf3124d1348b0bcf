"""The weighted sum of two laws."""

import numpy as np
import pytest
from hypothesis import given, settings

from mcrock.laws.chatterjee_ruina_1998 import chatterjee_ruina
from mcrock.laws.chatterjee_ruina_1998_composite import composite
from mcrock.laws.problem import SingleContact
from mcrock.laws.routh_1905 import routh
from tests.unit.laws.single_contacts import SHARES, TANGENTIAL, contacts, size


@given(contacts(dimensions=(2,)), SHARES, TANGENTIAL, SHARES)
def test_permissible_in_the_plane(contact, e, et, weight):
    assert composite(contact, restitution=e, tangential_restitution=et, weight=weight).consistent


@settings(max_examples=25)
@given(contacts(), SHARES, TANGENTIAL)
def test_ends_are_the_two_laws(contact, e, et):
    inputs = {"restitution": e, "tangential_restitution": et}
    new, old = chatterjee_ruina(contact, **inputs), routh(contact, restitution=e)
    one, zero = composite(contact, weight=1.0, **inputs), composite(contact, weight=0.0, **inputs)
    assert one.impulse == pytest.approx(new.impulse, abs=1e-12 * size(contact))
    assert zero.impulse == pytest.approx(old.impulse, abs=1e-12 * size(contact))
    assert one.notes["routh"].impulse == pytest.approx(old.impulse)


def test_grazing_rebounds_in_both_directions():
    contact = SingleContact([[1.0, 0.85], [0.85, 1.0]], [0.0, -1.0], [1.0, 0.0], 1.8)
    impact = composite(contact, restitution=0.5, tangential_restitution=0.5, weight=0.5)
    assert (impact.velocity > 0.01).all()
    assert impact.consistent


def test_weight_outside_its_domain():
    contact = SingleContact(np.eye(2), [-1.0, 0.0], [1.0, 0.0], 0.3)
    with pytest.raises(ValueError, match=r"weight must be from 0 to 1, got 1\.5"):
        composite(contact, restitution=0.5, tangential_restitution=0.0, weight=1.5)
