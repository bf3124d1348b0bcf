"""Algebraic laws of one contact: two coefficients, given ratios, the bilinear law, and weighted sums."""

from math import inf, nan

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mcrock.laws.impulse_space import (
    bilinear,
    brach,
    chatterjee_ruina,
    composite,
    contact_tangents,
    routh,
    sweep,
)
from mcrock.laws.problem import SingleContact
from tests.unit.laws.single_contacts import FRICTION, SHARES, TANGENTIAL, changed, contacts, size

MASS = np.array([[2.0, 0.5, -0.3], [0.5, 1.5, 0.2], [-0.3, 0.2, 1.2]])
VELOCITY = np.array([-1.0, -0.8, 0.3])
NORMAL = np.eye(3)[0]
ROUNDING = 1e-11  # of impulses, over those that end the motion


def collide(contact, e=0.5, et=0.2):
    return chatterjee_ruina(contact, restitution=e, tangential_restitution=et)


@given(contacts(), SHARES, TANGENTIAL)
def test_always_permissible(contact, e, et):
    impact = collide(contact, e, et)
    assert impact.consistent
    assert 0.0 <= impact.notes["kappa"] <= 1.0 + et
    assert not impact.solutions


@given(contacts(), SHARES, TANGENTIAL)
def test_reverses_the_normal_velocity_by_e(contact, e, et):
    before, after = contact.normal @ contact.velocity, collide(contact, e, et).normal_velocity[0]
    assert after == pytest.approx(-e * before, abs=1e-10)


@given(contacts(), SHARES, TANGENTIAL)
def test_energy_is_that_of_the_two_parts(contact, e, et):
    """P_I and P_II - P_I are orthogonal in the metric of M^-1, so their energies add."""
    impact = collide(contact, e, et)
    plastic, step = contact.compression, contact.sticking - contact.compression
    kappa = impact.notes["kappa"]
    lost = 0.5 * (1 - e**2) * plastic @ contact.inverse @ plastic
    lost += 0.5 * (1 - (1 - kappa) ** 2) * step @ contact.inverse @ step
    assert impact.energy_change == pytest.approx(-lost, abs=1e-10 * contact.energy)


@given(contacts(grazing=True), SHARES, TANGENTIAL)
def test_grazing_sticks_in_the_cone_or_does_nothing(contact, e, et):
    """Section 5.2: P = (1 + e_t) P_II if that is inside the friction cone, else 0."""
    normal, across = contact.split(contact.sticking)
    limit = normal if contact.friction == inf else contact.friction * normal - np.linalg.norm(across)
    # rounding of the approach, 1e-16, comes into the impulse over the distance from the edge of the cone
    if abs(limit) < 1e-7 * size(contact):
        return
    expected = (1 + et) * contact.sticking if limit > 0 else np.zeros_like(across)
    assert collide(contact, e, et).impulse == pytest.approx(expected, abs=1e-9 * size(contact))


def test_sticking_impulse_along_the_normal():
    """d = P_II - P_I = 0: the quotient of (13) would be 0/0."""
    normal = SingleContact(np.diag([2.0, 1.0, 1.0]), [-1.0, 0.0, 0.0], NORMAL, 0.0)
    for mu in (0.0, 0.4, inf):
        impact = collide(changed(normal, friction=mu), 0.5, 0.3)
        assert impact.impulse == pytest.approx([3.0, 0.0, 0.0])
        assert impact.notes["kappa"] == 1.3


def test_candidate_that_pulls_is_stopped_at_the_tangential_plane():
    contact = SingleContact([[1.2, -0.9], [-0.9, 1.3]], [-0.6, -1.0], [1.0, 0.0], inf)
    impact = collide(contact, 0.5, 1.0)
    assert impact.notes["clipped"]
    assert impact.impulse[0] == pytest.approx(0.0, abs=1e-12)
    assert impact.consistent


def test_tangential_velocity_is_reversed_by_et_without_coupling():
    ball = SingleContact(np.diag([1.0, 2 / 7, 2 / 7]), [-1.0, -0.1, 0.0], NORMAL, 0.5)
    assert collide(ball, 0.8, 0.4).velocity == pytest.approx([0.8, 0.04, 0.0])


def test_velocity_that_no_impulse_can_change():
    stiff = SingleContact.of_inverse(np.diag([1.0, 0.0]), [-1.0, 0.5], [1.0, 0.0], 0.3)
    with pytest.raises(ValueError, match="no impulse ends the relative motion"):
        collide(stiff)


@pytest.mark.parametrize("d", [2, 3])
def test_sweep_is_the_law_row_by_row(d):
    rng = np.random.default_rng(7)
    root = rng.standard_normal((50, d, d))
    mass = root @ root.mT + 0.2 * np.eye(d)
    normal = rng.standard_normal((50, d))
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    velocity = rng.standard_normal((50, d))
    velocity *= -np.sign(np.sum(velocity * normal, axis=1, keepdims=True))
    friction = np.where(np.arange(50) % 5 == 0, inf, rng.uniform(0, 1, 50))
    e, et = rng.uniform(0, 1, 50), rng.uniform(-1, 1, 50)
    out = sweep(mass, velocity, normal, friction, restitution=e, tangential_restitution=et)
    for i in range(50):
        impact = collide(SingleContact(mass[i], velocity[i], normal[i], friction[i]), e[i], et[i])
        assert out.impulse[i] == pytest.approx(impact.impulse, rel=1e-9, abs=1e-10)
        assert out.velocity[i] == pytest.approx(impact.velocity, abs=1e-9)
        assert out.energy_change[i] == pytest.approx(impact.energy_change, abs=1e-9)
        assert out.kappa[i] == pytest.approx(impact.notes["kappa"], abs=1e-9)
        assert out.clipped[i] == impact.notes["clipped"]


def test_sweep_takes_one_value_for_all():
    friction = np.linspace(0.0, 2.0, 11)
    out = sweep(MASS, VELOCITY, NORMAL, friction, restitution=0.5, tangential_restitution=0.2)
    assert out.impulse.shape == (11, 3)
    for i, mu in enumerate(friction):
        contact = SingleContact(MASS, VELOCITY, NORMAL, mu)
        assert out.impulse[i] == pytest.approx(collide(contact).impulse, abs=1e-12)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"mass": np.eye(4)}, r"mass must have the shape \(d, d\) or \(n, d, d\) with d = 2 or 3"),
        ({"mass": [MASS, -MASS]}, "mass must be positive definite; row 1 is not"),
        ({"mass": [MASS, MASS + np.eye(3)[[0, 0, 1]]]}, "mass must be symmetric; row 1 is not"),
        ({"velocity": [VELOCITY, -VELOCITY]}, "n . V must be negative or 0; row 1 is not"),
        ({"velocity": [nan, 0, 0]}, "velocity must be finite"),
        ({"normal": [NORMAL, 2 * NORMAL]}, "normal must be a unit vector; row 1 is not"),
        ({"friction": [0.1, -0.1]}, "friction must be from 0 to inf, got -0.1"),
        ({"restitution": [0.1, nan]}, "restitution must be from 0 to 1, got nan"),
        ({"friction": [0.1, 0.2, 0.3], "restitution": [0.1, 0.2]}, r"restitution must .* \(\) or \(3,\)"),
        ({"velocity": np.zeros((2, 2))}, r"velocity must have the shape \(3,\) or \(2, 3\)"),
        ({"friction": "rough"}, "friction must be numbers"),
    ],
)
def test_sweep_refuses(wrong, message):
    inputs = {"mass": MASS, "velocity": VELOCITY, "normal": NORMAL, "friction": 0.3}
    inputs |= {"restitution": 0.5, "tangential_restitution": 0.0} | wrong
    with pytest.raises(ValueError, match=message):
        sweep(**inputs)


@pytest.mark.parametrize(("friction", "tangential"), [(0.0, 0.4), (0.0, -1.0), (0.3, -1.0), (inf, -1.0)])
@pytest.mark.parametrize("velocity", [(-1.0, 0.5), (-1.0, 0.0)])
def test_unbounded_mass_without_a_tangential_effect(friction, tangential, velocity):
    """(1 + e) P_I, whether an impulse could end the slip or not."""
    stiff = SingleContact.of_inverse(np.diag([2.0, 0.0]), velocity, [1.0, 0.0], friction)
    impact = collide(stiff, 0.5, tangential)
    assert impact.impulse == pytest.approx([0.75, 0.0])
    assert impact.velocity == pytest.approx([0.5, velocity[1]])
    assert impact.unique_impulse
    assert impact.consistent


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
def test_brach_refuses(wrong, message):
    inputs = {"restitution": 0.5, "ratios": [0.0, 0.0], "tangents": [[0, 1, 0], [0, 0, 1]]} | wrong
    with pytest.raises(ValueError, match=message):
        brach(CONTACT, **inputs)


def test_a_grazing_contact_has_no_impulse():
    grazing = SingleContact(np.eye(2), [0.0, 1.0], [1.0, 0.0], 0.5)
    assert not brach(grazing, restitution=0.5, ratios=[0.1]).impulse.any()


SPEEDS = st.one_of(st.just(0.0), st.floats(1e-9, 1.0))


@given(FRICTION, SHARES, TANGENTIAL, SPEEDS, st.floats(-1.0, 1.0), st.floats(-1.0, 1.0))
def test_bilinear_is_the_law_of_two_coefficients_for_a_sphere(mu, e, et, approach, slip, sideways):
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
def test_bilinear_refuses_masses_that_couple(mass, name):
    contact = SingleContact(mass, [-1.0, 0.3, 0.4], [1.0, 0.0, 0.0], 0.3)
    with pytest.raises(ValueError, match=f"needs {name} to be an eigenvector of the mass"):
        bilinear(contact, restitution=0.5, tangential_restitution=0.2)


@given(contacts(), SHARES, TANGENTIAL)
def test_ends_of_a_composite_are_the_two_laws(contact, e, et):
    inputs = {"restitution": e, "tangential_restitution": et}
    new, old = chatterjee_ruina(contact, **inputs), routh(contact, restitution=e)
    one, zero = composite(contact, weight=1.0, **inputs), composite(contact, weight=0.0, **inputs)
    assert one.impulse == pytest.approx(new.impulse, abs=1e-12 * size(contact))
    assert zero.impulse == pytest.approx(old.impulse, abs=1e-12 * size(contact))
    assert one.notes["routh"].impulse == pytest.approx(old.impulse)


def test_a_composite_grazing_rebounds_in_both_directions():
    contact = SingleContact([[1.0, 0.85], [0.85, 1.0]], [0.0, -1.0], [1.0, 0.0], 1.8)
    impact = composite(contact, restitution=0.5, tangential_restitution=0.5, weight=0.5)
    assert (impact.velocity > 0.01).all()
    assert impact.consistent
