"""Routh's law: closed form in the plane, integrated in space, against a twin in small steps."""

from math import inf

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

from mcrock.laws.impulse_space import routh
from mcrock.laws.problem import NormalForm, SingleContact, sliding_impulse
from tests.unit.laws.single_contacts import SHARES, changed, contacts, size

MASS = np.array([[2.0, 0.5, -0.3], [0.5, 1.5, 0.2], [-0.3, 0.2, 1.2]])
VELOCITY = np.array([-1.0, -0.8, 0.3])
NORMAL = np.eye(3)[0]
ROUNDING = 1e-9  # of impulses, over those that end the motion
FINITE = st.floats(0.01, 5.0)
# friction jams this contact: after the first compression it approaches again and sticks
JAMMING = SingleContact.of_inverse(
    [[1.247, 0.174, -2.552], [0.174, 2.422, -0.392], [-2.552, -0.392, 5.322]],
    [-0.28, -1.18, 0.515],
    NORMAL,
    2.34,
)


def small_steps(contact, restitution, n):
    """Impulse by steps of friction against the slip that each leaves, about n of them in compression."""
    form, mu = NormalForm.of(contact), contact.friction
    step = float(np.linalg.norm(contact.compression)) / n
    p, x, end = 0.0, np.zeros_like(form.slip), inf
    while p < end * (1 - 1e-12):
        h = min(step, end - p)
        before = form.normal_velocity(p, x)
        more = sliding_impulse(form.w_tt, form.tangential_velocity(p + h, x), mu * h)
        after = form.normal_velocity(p + h, x + more)
        if end == inf and before < 0.0 <= after:
            end = (1 + restitution) * (p + h * before / (before - after))
        p, x = p + h, x + more
    return form.impulse(p, x)


@given(contacts(dimensions=(3,)), SHARES)
def test_in_space_only_a_jam_can_penetrate(contact, e):
    impact = routh(contact, restitution=e)
    assert impact.kinetic
    assert impact.energetic
    assert impact.friction
    form = NormalForm.of(contact)
    coupling = np.linalg.norm(form.w_tn)  # without it no friction jams, infinite or not
    jam = coupling > 0.0 and contact.friction * coupling > form.w_nn
    assert impact.kinematic or jam


def test_jam_in_space_penetrates_and_says_so():
    impact = routh(JAMMING, restitution=1.0)
    assert impact.normal_velocity[0] < -0.01
    assert not impact.kinematic
    assert impact.notes["phases"] == ("slip", "stick")
    assert routh(JAMMING, restitution=0.0).consistent


@given(contacts(), SHARES)
def test_normal_impulse_is_poissons(contact, e):
    impact = routh(contact, restitution=e)
    expected = (1 + e) * impact.notes["compression_impulse"]
    assert contact.normal @ impact.impulse == pytest.approx(expected, abs=ROUNDING * size(contact))


@given(contacts())
def test_plastic_collision_ends_the_approach(contact):
    impact = routh(contact, restitution=0.0)
    at_once = contact.friction == inf and impact.notes["compression_impulse"] == 0.0
    assert at_once or impact.normal_velocity[0] == pytest.approx(0.0, abs=1e-9)


@given(contacts(dimensions=(3,), friction=FINITE), SHARES)
def test_space_against_an_integration_in_the_normal_impulse(contact, e):
    """Equation (7) by itself, dx/dp = -mu w/|w|, where the contact never stops slipping."""
    impact = routh(contact, restitution=e)
    assume(impact.notes["phases"] == ("slip",))
    form, mu = NormalForm.of(contact), contact.friction
    end = float(contact.normal @ impact.impulse)

    def rate(p, x):
        slip = form.tangential_velocity(p, x)
        return -mu * slip / np.linalg.norm(slip)

    slowest = np.linalg.norm(form.basis[1:] @ impact.velocity)
    assume(slowest > 1e-3 * np.linalg.norm(form.slip))
    path = solve_ivp(rate, (0, end), np.zeros(2), method="Radau", rtol=1e-10, atol=1e-13)
    expected = form.impulse(end, path.y[:, -1])
    assert impact.impulse == pytest.approx(expected, abs=1e-6 * size(contact))


@pytest.mark.parametrize(
    ("contact", "phases"),
    [
        (SingleContact(MASS, VELOCITY, NORMAL, 0.3), ("slip",)),
        (SingleContact(MASS, VELOCITY, NORMAL, 0.6), ("slip", "stick")),
        (JAMMING, ("slip",)),
    ],
)
def test_small_steps_converge_at_order_one(contact, phases):
    impact = routh(contact, restitution=0.7)
    assert impact.notes["phases"] == phases
    errors = [np.linalg.norm(small_steps(contact, 0.7, n) - impact.impulse) for n in (250, 1000, 4000)]
    assert errors[-1] < 1e-3 * np.linalg.norm(impact.impulse)
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)
    assert errors[1] / errors[2] == pytest.approx(4.0, rel=0.1)


def test_small_steps_find_the_slip_that_changes_its_sign():
    contact = SingleContact(MASS[:2, :2], [-1.0, 0.05], [1.0, 0.0], 0.1)
    impact = routh(contact, restitution=0.7)
    assert impact.notes["phases"] == ("slip", "slip on")
    assert small_steps(contact, 0.7, 4000) == pytest.approx(impact.impulse, abs=1e-4)


def test_slip_that_friction_cannot_hold_goes_straight_on():
    contact = SingleContact(MASS, [-1.0, 0.0, 0.0], NORMAL, 0.1)
    form, impact = NormalForm.of(contact), routh(contact, restitution=0.5)
    assert impact.notes["phases"] == ("slip on",)
    slip = form.basis[1:] @ impact.velocity
    x = form.basis[1:] @ impact.impulse
    assert x / np.linalg.norm(x) == pytest.approx(-slip / np.linalg.norm(slip), abs=1e-12)


@given(contacts(dimensions=(2,), grazing=True), SHARES)
def test_grazing_rebounds_only_where_friction_presses(contact, e):
    impact = routh(contact, restitution=e)
    form = NormalForm.of(contact)
    toward = float(form.w_tn @ form.slip) / np.linalg.norm(form.slip)
    rate = -toward if contact.friction == inf else form.w_nn - contact.friction * toward
    assume(abs(rate) > 1e-6)
    if rate >= 0.0:
        assert not impact.impulse.any()
    else:
        assert contact.normal @ impact.impulse > 0.0
        assert impact.consistent


def test_grazing_in_space():
    mass = np.array([[1.0, 0.85, 0.1], [0.85, 1.0, 0.0], [0.1, 0.0, 1.0]])
    contact = SingleContact(mass, [0.0, -1.0, 0.2], NORMAL, 1.8)
    assert routh(contact, restitution=0.5).normal_velocity[0] > 0.01
    assert not routh(changed(contact, friction=0.2), restitution=0.5).impulse.any()


@given(contacts(), SHARES)
def test_infinite_friction_sticks_and_is_the_limit_if_that_leaves_an_approach(contact, e):
    contact = changed(contact, friction=inf)
    impact = routh(contact, restitution=e)
    form = NormalForm.of(contact)
    stop = sliding_impulse(form.w_tt, form.slip, inf)
    assert form.basis[1:] @ impact.velocity == pytest.approx(np.zeros(len(stop)), abs=1e-9)
    assert impact.consistent
    speed = np.linalg.norm(contact.velocity)
    turning = len(stop) == 2  # the normal velocity may pass 0 twice while the slip turns
    if form.normal_velocity(0.0, stop) < -0.01 * speed and not turning:
        near = routh(changed(contact, friction=1e9), restitution=e)
        assert impact.impulse == pytest.approx(near.impulse, abs=1e-5 * size(contact))


def test_infinite_friction_that_cannot_stop_the_slip():
    stiff = SingleContact.of_inverse(np.diag([1.0, 0.0]), [-1.0, 0.5], [1.0, 0.0], inf)
    with pytest.raises(ValueError, match="infinite friction: no impulse ends the slip"):
        routh(stiff, restitution=0.5)
    # Coulomb friction slides on
    assert routh(changed_friction(stiff, 0.3), restitution=0.5).velocity == pytest.approx([0.5, 0.5])


def changed_friction(contact, mu):
    return SingleContact.of_inverse(contact.inverse, contact.velocity, contact.normal, mu)


@pytest.mark.parametrize("velocity", [(1.0, -1.0), (-1.0, -1.0)])
@pytest.mark.parametrize("friction", [1e3, inf])
def test_an_unbounded_mass_whose_approach_no_impulse_ends_is_named(friction, velocity):
    """Rank one: impulses change the velocity along (1, 0.5) alone, and friction holds the tangential part."""
    along = np.array([1.0, 0.5])
    contact = SingleContact.of_inverse(np.outer(along, along), velocity, [0.0, 1.0], friction)
    with pytest.raises(ValueError, match="law of Routh has no solution: the mass is unbounded"):
        routh(contact, restitution=0.5)
    # with less friction the contact is pushed open, along (1, 0.5)
    slow = routh(changed_friction(contact, 0.3), restitution=0.5)
    left = slow.velocity - velocity
    assert left[0] == pytest.approx(2.0 * left[1])
    assert slow.consistent


def test_without_friction_an_unbounded_mass_leaves_no_choice():
    stiff = SingleContact.of_inverse(np.diag([1.0, 0.0]), [-1.0, 0.5], [1.0, 0.0], 0.0)
    impact = routh(stiff, restitution=0.5)
    assert impact.impulse == pytest.approx([1.5, 0.0])
    assert impact.unique_impulse
