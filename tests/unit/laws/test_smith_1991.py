"""Smith's law: its equations, all of its solutions, energy and cone."""

from math import inf

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import root

from mcrock.laws.final_slip import smith, whittaker
from mcrock.laws.problem import NormalForm, SingleContact
from tests.unit.laws.single_contacts import SHARES, changed, contacts, size

FINITE = st.floats(0.01, 5.0)
NORMAL = np.eye(3)[0]


def all_of(impact):
    return impact.solutions or (impact,)


def mean_direction(before, after):
    u, v = np.linalg.norm(before), np.linalg.norm(after)
    return (before * u + after * v) / (u**2 + v**2)


def many_starts(contact, restitution, rng, n=150):
    """Slips after the collision that Newton's method finds from random starts."""
    form, mu = NormalForm.of(contact), contact.friction
    change = -(1 + restitution) * form.approach

    def residual(after):
        g = mean_direction(form.slip, after)
        return (after - form.slip) * (form.w_nn - mu * form.w_tn @ g) - change * (
            form.w_tn - mu * form.w_tt @ g
        )

    found = []
    speed = np.linalg.norm(contact.velocity)
    for _ in range(n):
        out = root(residual, rng.standard_normal(2) * speed * 10 ** rng.uniform(-1.5, 1.5), tol=1e-13)
        below = form.w_nn - mu * form.w_tn @ mean_direction(form.slip, out.x)
        solved = np.linalg.norm(residual(out.x)) < 1e-10 * form.w_nn * speed and below > 1e-9 * form.w_nn
        if solved and all(np.linalg.norm(out.x - other) > 1e-5 * speed for other in found):
            found.append(out.x)
    return found


@given(contacts(), SHARES)
def test_every_solution_obeys_the_law_and_is_permissible(contact, e):
    approach, mu = contact.normal @ contact.velocity, contact.friction
    _, before = contact.split(contact.velocity)
    for impact in all_of(smith(contact, restitution=e)):
        assert impact.consistent
        assert impact.normal_velocity[0] == pytest.approx(-e * approach, abs=1e-8)
        normal, across = contact.split(impact.impulse)
        _, after = contact.split(impact.velocity)
        if mu < inf:
            expected = -mu * normal * mean_direction(before, after)
            assert across == pytest.approx(expected, abs=1e-7 * (1 + mu) * size(contact))


@given(contacts(dimensions=(2,)), SHARES)
def test_one_solution_in_the_plane(contact, e):
    assert smith(contact, restitution=e).unique_velocity


def test_three_solutions():
    inverse = [[0.097, 0.027, -0.217], [0.027, 0.055, -0.18], [-0.217, -0.18, 0.848]]
    contact = SingleContact.of_inverse(inverse, [-0.11, -0.91, 0.34], NORMAL, 4.0)
    impact = smith(contact, restitution=0.4)
    assert len(impact.solutions) == 3
    assert not impact.unique_velocity
    assert impact.impulse == pytest.approx(impact.solutions[0].impulse)
    found = [NORMAL @ solution.impulse for solution in impact.solutions]
    assert found == sorted(found)
    slips = many_starts(contact, 0.4, np.random.default_rng(1))
    assert len(slips) == 3


def test_all_solutions_that_newtons_method_finds():
    rng = np.random.default_rng(3)
    for _ in range(60):
        factor = rng.standard_normal((3, 3)) * 10 ** rng.uniform(-1, 1, size=(3, 1))
        velocity = rng.standard_normal(3)
        velocity[0] = -0.3 * abs(velocity[0])
        mass = factor @ factor.T + 1e-3 * np.eye(3)
        contact = SingleContact(mass, velocity, NORMAL, rng.uniform(1.0, 20.0))
        slips = [
            NormalForm.of(contact).basis[1:] @ s.velocity for s in all_of(smith(contact, restitution=0.4))
        ]
        for after in many_starts(contact, 0.4, rng, 40):
            gap = min(np.linalg.norm(after - slip) for slip in slips)
            assert gap < 1e-4 * np.linalg.norm(velocity)


@given(contacts(), SHARES)
def test_without_slip_before_it_is_whittakers(contact, e):
    straight = changed(contact, velocity=-contact.normal)
    expected = whittaker(straight, restitution=e)
    assert smith(straight, restitution=e).impulse == pytest.approx(expected.impulse, abs=1e-9 * size(contact))


@given(contacts(dimensions=(2,)), SHARES)
def test_infinite_friction_is_the_limit(contact, e):
    limit = smith(changed(contact, friction=inf), restitution=e)
    near = smith(changed(contact, friction=1e6), restitution=e)
    normal, across = contact.split(near.impulse)
    g = np.linalg.norm(across) / (1e6 * normal)  # 0 in the limit, unless the normal impulse is
    assume(g < 1e-3)
    assert limit.impulse == pytest.approx(near.impulse, abs=(1e-6 + 10 * g) * size(contact))


@given(contacts(dimensions=(2,), grazing=True, friction=FINITE), SHARES)
def test_grazing_is_the_limit_of_slow_approaches(contact, e):
    form = NormalForm.of(contact)
    pressed = form.w_nn - contact.friction * float(form.w_tn @ form.slip) / np.linalg.norm(form.slip)
    assume(abs(pressed) > 1e-2 * form.w_nn)
    impact = smith(contact, restitution=e)
    approach = 1e-9 * np.linalg.norm(contact.velocity) * contact.normal
    near = smith(changed(contact, velocity=contact.velocity - approach), restitution=e)
    assert near.impulse == pytest.approx(impact.impulse, abs=1e-4 * size(contact))
    assert bool(impact.impulse.any()) == (pressed < 0.0)


def test_grazing_in_space_does_not_rebound():
    mass = np.array([[1.0, 0.85, 0.1], [0.85, 1.0, 0.0], [0.1, 0.0, 1.0]])
    impact = smith(SingleContact(mass, [0.0, -1.0, 0.2], NORMAL, 1.8), restitution=0.5)
    assert impact.normal_velocity[0] == pytest.approx(0.0, abs=1e-9)
    assert np.linalg.norm(impact.impulse) > 0.1


def test_a_stuck_iteration_ends_without_overflow():
    """A grazing contact so close to an axis that the inverse of a slip overflows; it is not pressed on."""
    contact = SingleContact(np.diag([10.0, 1.0]), [1.83e-202, -0.416], [1.0, 4.39e-202], 1.0)
    assert not smith(contact, restitution=0.0).impulse.any()


@pytest.mark.parametrize("friction", [0.3, 1e6, inf])
@pytest.mark.parametrize("slip", [3.67e-6, 1e-9, 1e-11])
def test_little_slip_is_reversed(slip, friction):
    """A mass that does not couple turns the little that slips, whatever the friction."""
    for turn in (0.0, 1.0):
        axes = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
        contact = SingleContact(np.eye(2), [-1.0, -slip] @ axes, axes[0], friction)
        impact = smith(contact, restitution=0.5)
        # a slip below 1e-10 of the velocity counts as none
        assert axes @ impact.velocity == pytest.approx([0.5, slip], rel=1e-6, abs=1e-10)


def test_unbounded_mass():
    """Figure 8: the curve ends where the tip rebounds with the opposite of its velocity."""
    tip = np.array([np.sin(0.7), np.cos(0.7)])
    contact = SingleContact.of_inverse(np.outer(tip, tip), -tip, [1.0, 0.0], 1.4)
    assert smith(contact, restitution=1.0).velocity == pytest.approx(tip, abs=1e-9)
