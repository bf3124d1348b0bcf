"""Friction against the slip after, or a mean: the laws of Whittaker, of Smith and of two phases."""

from math import inf

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import root

from mcrock.laws.final_slip import smith, two_phase, whittaker
from mcrock.laws.impulse_space import bilinear
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


NORMAL = np.eye(3)[0]


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
def test_smith_has_one_solution_in_the_plane(contact, e):
    assert smith(contact, restitution=e).unique_velocity


def test_smith_has_three_solutions():
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
def test_infinite_friction_is_smiths_limit(contact, e):
    limit = smith(changed(contact, friction=inf), restitution=e)
    near = smith(changed(contact, friction=1e6), restitution=e)
    normal, across = contact.split(near.impulse)
    g = np.linalg.norm(across) / (1e6 * normal)  # 0 in the limit, unless the normal impulse is
    assume(g < 1e-3)
    assert limit.impulse == pytest.approx(near.impulse, abs=(1e-6 + 10 * g) * size(contact))


@given(contacts(dimensions=(2,), grazing=True, friction=FINITE), SHARES)
def test_smiths_grazing_is_the_limit_of_slow_approaches(contact, e):
    form = NormalForm.of(contact)
    pressed = form.w_nn - contact.friction * float(form.w_tn @ form.slip) / np.linalg.norm(form.slip)
    assume(abs(pressed) > 1e-2 * form.w_nn)
    impact = smith(contact, restitution=e)
    approach = 1e-9 * np.linalg.norm(contact.velocity) * contact.normal
    near = smith(changed(contact, velocity=contact.velocity - approach), restitution=e)
    assert near.impulse == pytest.approx(impact.impulse, abs=1e-4 * size(contact))
    assert bool(impact.impulse.any()) == (pressed < 0.0)


def test_smiths_grazing_in_space_does_not_rebound():
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


def test_smith_of_an_unbounded_mass():
    """Figure 8: the curve ends where the tip rebounds with the opposite of its velocity."""
    tip = np.array([np.sin(0.7), np.cos(0.7)])
    contact = SingleContact.of_inverse(np.outer(tip, tip), -tip, [1.0, 0.0], 1.4)
    assert smith(contact, restitution=1.0).velocity == pytest.approx(tip, abs=1e-9)


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


@given(PLANE, SHARES, SHARES, SHARES)
def test_reversible_impulses_are_permissible(contact, e, et, nu):
    assert two_phase(contact, restitution=e, tangential_restitution=et, reversibility=nu).consistent


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
def test_two_phases_of_a_disc(slip, e, et, nu):
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
