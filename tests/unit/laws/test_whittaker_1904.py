"""Whittaker's law: its equations, all of its solutions, and the energy it may gain."""

from math import inf

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mcrock.laws.final_slip import whittaker
from mcrock.laws.problem import NormalForm, SingleContact, sliding_impulse
from tests.unit.laws.single_contacts import SHARES, changed, contacts, size

FINITE = st.floats(0.01, 5.0)
# three solutions
THREE = SingleContact(
    [[5.57, -2.056, 3.934], [-2.056, 1.763, -3.454], [3.934, -3.454, 7.391]],
    [-2.0933, -0.6721, -0.11235],
    [0.0, 0.0, 1.0],
    3.26,
)


def all_of(impact):
    return impact.solutions or (impact,)


def scanned(contact, restitution, n=1500):
    """Normal impulses at which a scan of the normal velocity over them finds a solution."""
    form, mu = NormalForm.of(contact), contact.friction
    scale = (1 + restitution) * abs(form.approach) / form.w_nn + np.linalg.norm(contact.sticking)

    def left(p):
        x = sliding_impulse(form.w_tt, form.slip + form.w_tn * p, mu * p)
        return form.normal_velocity(p, x) + restitution * form.approach

    places = scale * np.geomspace(1e-6, 1e4, n)
    values = np.array([left(p) for p in places])
    return places[:-1][np.sign(values[:-1]) != np.sign(values[1:])]


@given(contacts(), SHARES)
def test_every_solution_obeys_the_law(contact, e):
    approach, mu = contact.normal @ contact.velocity, contact.friction
    for impact in all_of(whittaker(contact, restitution=e)):
        assert impact.normal_velocity[0] == pytest.approx(-e * approach, abs=1e-9)
        normal, across = contact.split(impact.impulse)
        _, slip = contact.split(impact.velocity)
        assert normal >= -1e-12 * size(contact)
        assert impact.friction
        if np.linalg.norm(slip) > 1e-7 and np.linalg.norm(across) > 1e-9 * size(contact):
            if mu < inf:
                assert np.linalg.norm(across) == pytest.approx(mu * normal, abs=1e-8 * size(contact))
            along = across @ slip / np.linalg.norm(across) / np.linalg.norm(slip)
            assert along == pytest.approx(-1.0, abs=1e-8)


@given(contacts(dimensions=(2,)), SHARES)
def test_unique_in_the_plane(contact, e):
    impact = whittaker(contact, restitution=e)
    assert impact.unique_velocity
    assert not impact.solutions


@given(contacts(dimensions=(2,), friction=FINITE), SHARES)
def test_plane_is_the_point_of_sticking_drawn_into_the_cone(contact, e):
    """The geometric construction of section 4.2.2 along the line of constant e."""
    after = -e * (contact.normal @ contact.velocity) * contact.normal
    sticking = contact.mass @ (after - contact.velocity)
    start = (1 + e) * contact.compression
    normal, across = contact.split(sticking)
    beyond = np.linalg.norm(across) - contact.friction * (normal - contact.normal @ start)
    reach = contact.friction * (contact.normal @ start)
    share = min(1.0, reach / beyond) if beyond > reach else 1.0
    expected = start + share * (sticking - start)
    assert whittaker(contact, restitution=e).impulse == pytest.approx(expected, abs=1e-9 * size(contact))


@settings(max_examples=15)
@given(contacts(dimensions=(3,), friction=FINITE), SHARES)
def test_all_solutions_that_a_scan_finds(contact, e):
    found = [contact.normal @ impact.impulse for impact in all_of(whittaker(contact, restitution=e))]
    places = scanned(contact, e)
    assert len(places) <= len(found)
    for place in places:
        assert min(abs(p / place - 1) for p in found) < 0.02


def test_three_solutions_are_those_of_a_scan():
    impact = whittaker(THREE, restitution=0.3)
    found = [THREE.normal @ solution.impulse for solution in impact.solutions]
    assert found == sorted(found)
    assert np.array(found) == pytest.approx(scanned(THREE, 0.3, 10000), rel=4e-3)
    assert impact.impulse == pytest.approx(impact.solutions[0].impulse)
    assert not impact.unique_velocity
    assert not impact.unique_impulse


def test_random_contacts_with_much_coupling_and_friction():
    """Where several solutions are common: as many as the scan of F finds, but for pairs it steps over."""
    rng = np.random.default_rng(11)
    several = 0
    for _ in range(20):
        axes, _ = np.linalg.qr(rng.standard_normal((3, 3)))
        velocity = rng.standard_normal(3)
        velocity[2] = -0.1 * abs(velocity[2])
        contact = SingleContact(
            axes @ np.diag([0.02, 1.0, 9.0]) @ axes.T, velocity, [0.0, 0.0, 1.0], rng.uniform(2.0, 5.0)
        )
        found = all_of(whittaker(contact, restitution=0.2))
        assert len(scanned(contact, 0.2)) <= len(found) <= 3
        assert len(found) % 2 == 1  # F grows from negative to positive: an odd number of simple roots
        several += len(found) > 1
    assert several >= 1


def test_energy_grows_without_bound_and_is_reported():
    """Section 4.2.2: the stiffer the mass along an inclined direction, the more."""
    along = np.array([np.cos(0.7), -np.sin(0.7)])
    gains = []
    for stiff in (1e4, 1e6, 1e8):
        mass = np.eye(2) + (stiff - 1) * np.outer(along, along)
        across = np.array([-np.sin(0.7), -np.cos(0.7)])
        impact = whittaker(SingleContact(mass, across, [1.0, 0.0], 1.4), restitution=0.5)
        assert not impact.energetic
        gains.append(impact.energy_change)
    assert gains[1] / gains[0] == pytest.approx(100, rel=0.1)
    assert gains[2] / gains[1] == pytest.approx(100, rel=0.1)


def test_unbounded_mass_has_only_the_dead_solution():
    tip = np.array([np.sin(0.7), np.cos(0.7)])
    contact = SingleContact.of_inverse(np.outer(tip, tip), -tip, [1.0, 0.0], 1.4)
    assert whittaker(contact, restitution=0.0).velocity == pytest.approx([0.0, 0.0], abs=1e-12)
    with pytest.raises(ValueError, match="the law of Whittaker has no solution: the mass is unbounded"):
        whittaker(contact, restitution=0.5)


@given(contacts(dimensions=(2,), grazing=True, friction=FINITE), SHARES)
def test_grazing_sticks_in_the_cone_or_does_nothing(contact, e):
    normal, across = contact.split(contact.sticking)
    limit = contact.friction * normal - np.linalg.norm(across)
    assume(abs(limit) > 1e-6 * size(contact))
    expected = contact.sticking if limit > 0 else np.zeros(2)
    impact = whittaker(contact, restitution=e)
    assert impact.impulse == pytest.approx(expected, abs=1e-8 * size(contact))
    speed = np.linalg.norm(contact.velocity)
    slow = changed(contact, velocity=contact.velocity - 1e-8 * speed * contact.normal)
    near = whittaker(slow, restitution=e)
    assert near.impulse == pytest.approx(impact.impulse, abs=1e-4 * size(contact))


def test_grazing_has_all_solutions_of_slow_approaches():
    """Nothing, and two impulses that friction makes by itself."""
    mass = [[4.725, -2.641, -2.738], [-2.641, 3.424, 2.619], [-2.738, 2.619, 2.217]]
    still = SingleContact(mass, [-0.543, -1.201, 0.0], [0.0, 0.0, 1.0], 2.37)
    slow = changed(still, velocity=still.velocity - 1e-9 * still.normal)
    found, near = (all_of(whittaker(contact, restitution=0.3)) for contact in (still, slow))
    assert len(found) == 3
    assert not found[0].impulse.any()
    for one, other in zip(found, near, strict=True):
        assert one.impulse == pytest.approx(other.impulse, abs=1e-6 * size(still))


@pytest.mark.parametrize("friction", [1e12, 1e160, 1e300])
@pytest.mark.parametrize("space", [False, True])
def test_huge_friction_is_the_limit(friction, space):
    contact = THREE if space else SingleContact([[1.5, 0.6], [0.6, 1.0]], [1.2, -1.0], [0.0, 1.0])
    impacts = [all_of(whittaker(changed(contact, friction=mu), restitution=0.5)) for mu in (friction, inf)]
    for one, other in zip(*impacts, strict=True):
        assert one.impulse == pytest.approx(other.impulse, abs=1e-6 * size(contact))
