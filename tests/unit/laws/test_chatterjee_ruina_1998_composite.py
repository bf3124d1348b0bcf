"""The weighted sum of two laws."""

import pytest
from hypothesis import given, settings

from mcrock.laws.impulse_space import chatterjee_ruina, composite, routh
from mcrock.laws.problem import SingleContact
from tests.unit.laws.single_contacts import SHARES, TANGENTIAL, contacts, size


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
