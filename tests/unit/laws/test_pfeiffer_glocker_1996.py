"""The law of two phases: optimality of each phase, permissible, its coincidences."""

from math import inf

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mcrock.laws.final_slip import two_phase, whittaker
from mcrock.laws.impulse_space import bilinear
from mcrock.laws.problem import SingleContact
from tests.unit.laws.single_contacts import SHARES, changed, contacts, size

FINITE = st.floats(0.01, 5.0)


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


@given(contacts())
def test_without_expansion_it_is_whittakers(contact):
    impact = two_phase(contact, restitution=0.0)
    assert impact.impulse == pytest.approx(
        whittaker(contact, restitution=0.0).impulse, abs=1e-9 * size(contact)
    )


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


PLANE = contacts(dimensions=(2,))


@given(contacts(), SHARES, SHARES)
def test_without_reversibility_nothing_is_stored(contact, e, et):
    plain = two_phase(contact, restitution=e)
    stored = two_phase(contact, restitution=e, tangential_restitution=et, reversibility=0.0)
    assert np.all(stored.impulse == plain.impulse)


@settings(max_examples=300)
@given(PLANE, SHARES, SHARES, SHARES)
def test_reversible_impulses_are_permissible(contact, e, et, nu):
    assert two_phase(contact, restitution=e, tangential_restitution=et, reversibility=nu).consistent


@settings(max_examples=200)
@given(contacts(dimensions=(2,), friction=FINITE), SHARES, SHARES, st.floats(0.01, 1.0))
def test_expansion_is_within_its_bounds_and_leaves_slip_at_them_only(contact, e, et, nu):
    impact = two_phase(contact, restitution=e, tangential_restitution=et, reversibility=nu)
    first = impact.notes["compression_impulse"]
    (p_c, x_c), (p, x) = contact.split(first), contact.split(impact.impulse - first)
    length = np.linalg.norm(x_c)
    assume(length > 1e-6 * p_c)
    axis = x_c / length
    given, slip = axis @ x, axis @ impact.velocity
    most, tiny = contact.friction * p, 1e-9 * size(contact)
    least = nu * e * et * length - (1.0 - nu) * most
    assert least - tiny <= given <= most + tiny
    speed = np.linalg.norm(contact.velocity)
    if slip > 1e-7 * speed:
        assert given == pytest.approx(least, abs=tiny)
    if slip < -1e-7 * speed:
        assert given == pytest.approx(most, abs=tiny)
    assert p >= e * p_c - tiny
    if p > e * p_c + tiny:  # raised as far as the contact closes
        assert impact.notes["raised"]
        assert impact.normal_velocity[0] == pytest.approx(0.0, abs=1e-8 * speed)


@pytest.mark.parametrize("nu", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("slip", [0.1, 0.5, 1.0, 1.6, 3.0])
@pytest.mark.parametrize(("e", "et"), [(0.8, 0.5), (1.0, 1.0), (0.4, 0.0)])
def test_disc(slip, e, et, nu):
    """Closed form without coupling, from sticking to slip throughout."""
    m, j, mu, v = 1.5, 0.5, 0.3, 1.2  # contact mass normal and tangential, friction, approach
    disc = SingleContact(np.diag([m, j]), [-v, -slip], [1.0, 0.0], mu)
    x_c = min(j * slip, mu * m * v)
    p = e * m * v
    x = np.clip(j * slip - x_c, nu * e * et * x_c - (1.0 - nu) * mu * p, mu * p)
    impact = two_phase(disc, restitution=e, tangential_restitution=et, reversibility=nu)
    assert impact.impulse == pytest.approx([(1.0 + e) * m * v, x_c + x])
    slip_after = -slip + (x_c + x) / j
    energy = 0.5 * m * (e * e - 1.0) * v * v + 0.5 * j * (slip_after**2 - slip**2)
    assert impact.energy_change == pytest.approx(energy, abs=1e-15)


@pytest.mark.parametrize("et", [0.0, 0.4, 1.0])
def test_sticking_disc_has_the_tangential_restitution_of_the_bilinear_law(et):
    disc = SingleContact(np.diag([1.0, 1.0 / 3.0]), [-1.0, -0.5], [1.0, 0.0], 0.4)
    impact = two_phase(disc, restitution=0.6, tangential_restitution=et, reversibility=1.0)
    twin = bilinear(disc, restitution=0.6, tangential_restitution=0.6 * et)
    assert impact.impulse == pytest.approx(twin.impulse)


@given(PLANE, SHARES, SHARES, SHARES)
def test_mirror(contact, e, et, nu):
    across = np.array([-contact.normal[1], contact.normal[0]])
    mirror = np.eye(2) - 2.0 * np.outer(across, across)
    other = SingleContact(
        mirror @ contact.mass @ mirror, mirror @ contact.velocity, contact.normal, contact.friction
    )
    kwargs = {"restitution": e, "tangential_restitution": et, "reversibility": nu}
    one, two = two_phase(contact, **kwargs), two_phase(other, **kwargs)
    assert two.impulse == pytest.approx(mirror @ one.impulse, abs=1e-8 * size(contact))


@given(contacts(dimensions=(2,), friction=FINITE), SHARES, SHARES)
def test_poisson_in_both_directions_gives_back_what_is_stored(contact, e, et):
    """nu = 1: neither impulse of the expansion is less than its share of that of the compression."""
    impact = two_phase(contact, restitution=e, tangential_restitution=et, reversibility=1.0)
    first = impact.notes["compression_impulse"]
    (p_c, x_c), (p, x) = contact.split(first), contact.split(impact.impulse - first)
    assert p >= e * p_c - 1e-9 * size(contact)
    if np.linalg.norm(x_c) > 1e-6 * p_c:
        assert x @ x_c >= e * et * (x_c @ x_c) - 1e-9 * size(contact) * np.linalg.norm(x_c)


def test_contacts_in_space_store_no_tangential_impulse():
    contact = SingleContact(np.eye(3), [-1.0, 0.2, 0.0], [1.0, 0.0, 0.0], 0.3)
    with pytest.raises(ValueError, match="tangential restitution in the plane only"):
        two_phase(contact, restitution=0.5, tangential_restitution=0.5, reversibility=0.5)


def test_expansion_is_raised_where_friction_would_leave_an_approach():
    inverse = [[1.93, 3.14, -2.65], [3.14, 5.97, -2.64], [-2.65, -2.64, 8.48]]
    contact = SingleContact.of_inverse(inverse, [-0.132, 0.04, 0.83], [1.0, 0.0, 0.0], 2.68)
    impact = two_phase(contact, restitution=1.0)
    assert impact.notes["raised"]
    assert impact.impulse[0] > 2.0 * impact.notes["compression_impulse"][0]
    assert impact.normal_velocity[0] == pytest.approx(0.0, abs=1e-9)
    assert impact.consistent


@pytest.mark.parametrize("friction", [1e12, 1e160, 1e300])
@pytest.mark.parametrize("d", [2, 3])
def test_huge_friction_is_the_limit(friction, d):
    mass = np.array([[1.4, 0.3, 0.1], [0.3, 2.0, -0.2], [0.1, -0.2, 1.1]])[:d, :d]
    contact = SingleContact(mass, [-1.1, 0.4, 0.2][:d], np.eye(d)[0], friction)
    limit = two_phase(changed(contact, friction=inf), restitution=0.5)
    assert two_phase(contact, restitution=0.5).impulse == pytest.approx(
        limit.impulse, abs=1e-6 * size(contact)
    )
