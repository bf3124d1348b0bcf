"""The bilinear law: that of Chatterjee and Ruina for spheres, refused for other bodies."""

from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcrock.laws.impulse_space import bilinear, chatterjee_ruina
from mcrock.laws.problem import SingleContact
from tests.unit.laws.single_contacts import FRICTION, SHARES, TANGENTIAL

SPEEDS = st.one_of(st.just(0.0), st.floats(1e-9, 1.0))


@given(FRICTION, SHARES, TANGENTIAL, SPEEDS, st.floats(-1.0, 1.0), st.floats(-1.0, 1.0))
def test_is_the_law_of_two_coefficients_for_a_sphere(mu, e, et, approach, slip, sideways):
    ball = SingleContact(np.diag([1.0, 2 / 7, 2 / 7]), [-approach, slip, sideways], [1.0, 0.0, 0.0], mu)
    impact = bilinear(ball, restitution=e, tangential_restitution=et)
    expected = chatterjee_ruina(ball, restitution=e, tangential_restitution=et)
    assert impact.impulse == pytest.approx(expected.impulse, abs=1e-11)
    assert impact.consistent


def test_slip_along_one_principal_axis_is_enough():
    body = SingleContact(np.diag([1.0, 0.5, 0.2]), [-1.0, 0.0, 0.4], [1.0, 0.0, 0.0], inf)
    impact = bilinear(body, restitution=0.5, tangential_restitution=0.0)
    assert impact.velocity == pytest.approx([0.5, 0.0, 0.0])


def test_normal_incidence_needs_no_principal_tangent():
    body = SingleContact(
        [[2.0, 0.0, 0.0], [0.0, 1.0, 0.3], [0.0, 0.3, 1.0]], [-1.0, 0.0, 0.0], [1.0, 0, 0], 0.3
    )
    assert bilinear(body, restitution=0.5, tangential_restitution=0.2).impulse == pytest.approx(
        [3.0, 0.0, 0.0]
    )


@pytest.mark.parametrize(
    ("mass", "name"),
    [
        ([[2.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 1.0]], "the normal"),
        (np.diag([1.0, 0.5, 0.2]), "the direction of slip"),
    ],
)
def test_refuses_masses_that_couple(mass, name):
    contact = SingleContact(mass, [-1.0, 0.3, 0.4], [1.0, 0.0, 0.0], 0.3)
    with pytest.raises(ValueError, match=f"needs {name} to be an eigenvector of the mass"):
        bilinear(contact, restitution=0.5, tangential_restitution=0.2)
