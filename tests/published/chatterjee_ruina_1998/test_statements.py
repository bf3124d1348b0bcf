"""Statements and formulas of the paper, and those of them that are wrong as printed."""

from math import inf, sqrt

import numpy as np
import pytest

from mcrock.laws.final_slip import smith, two_phase, whittaker
from mcrock.laws.impulse_space import assess, bilinear, boundary_distance, chatterjee_ruina, routh
from mcrock.laws.problem import SingleContact

NORMAL = np.eye(3)[0]
MASS = np.array([[2.0, 0.5, -0.3], [0.5, 1.5, 0.2], [-0.3, 0.2, 1.2]])
VELOCITY = np.array([-1.0, -0.8, 0.3])
SPHERE = np.diag([1.0, 2 / 7, 2 / 7])


def printed_listing(mass, velocity, n, mu, e, e_t):
    """Appendix A.2, line by line."""
    one = -n * (n @ velocity) / (n @ np.linalg.inv(mass) @ n)
    two = -mass @ velocity
    hat = (1 + e) * one + (1 + e_t) * (two - one)
    if np.linalg.norm(hat - n * (n @ hat)) > mu * (n @ hat):
        across = np.linalg.norm(two - n * (n @ two))
        kappa = mu * (1 + e) * (n @ one) / (across - mu * (n @ (two - one)))
    else:
        kappa = 1 + e_t
    return (1 + e) * one + kappa * (two - one)


@pytest.mark.parametrize("mu", [0.0, 0.2, 0.5, 2.0])
def test_listing_is_the_law_for_finite_friction(mu):
    impact = chatterjee_ruina(
        SingleContact(MASS, VELOCITY, NORMAL, mu), restitution=0.5, tangential_restitution=0.2
    )
    assert printed_listing(MASS, VELOCITY, NORMAL, mu, 0.5, 0.2) == pytest.approx(impact.impulse)


def test_listing_is_nan_for_infinite_friction_and_a_candidate_that_pulls():
    """Erratum 1."""
    mass, velocity, n = np.array([[1.2, -0.9], [-0.9, 1.3]]), np.array([-0.6, -1.0]), np.array([1.0, 0.0])
    with np.errstate(invalid="ignore"):
        assert np.isnan(printed_listing(mass, velocity, n, inf, 0.5, 1.0)).all()
    impact = chatterjee_ruina(
        SingleContact(mass, velocity, n, inf), restitution=0.5, tangential_restitution=1.0
    )
    assert impact.consistent
    assert impact.impulse == pytest.approx(printed_listing(mass, velocity, n, 1e9, 0.5, 1.0), abs=1e-8)


def test_semi_axes_of_the_ellipsoid_grow_with_the_principal_masses():
    """Erratum 2: Section 3.1 says "in inverse proportion to the square roots of the eigenvalues of M"."""
    contact = SingleContact(np.diag([4.0, 1.0]), [-1.0, -1.0], [1.0, 0.0], inf)
    reach = np.linalg.norm(contact.velocity * np.sqrt([4.0, 1.0]))
    up = boundary_distance(contact, contact.sticking, [1.0, 0.0])
    across = boundary_distance(contact, contact.sticking, [0.0, 1.0])
    assert (up, across) == pytest.approx((reach * 2.0, reach * 1.0))
    assert up / across != pytest.approx(sqrt(1.0 / 4.0))


def test_whittakers_normal_velocity_is_not_the_printed_one():
    """Erratum 3: 4.2.2 prints V_f . n = -(1 + e) V_i . n: an elastic ball would rebound twice as fast."""
    ball = SingleContact(SPHERE, [-1.0, 0.0, 0.0], NORMAL, 0.0)
    printed = assess(ball, (1 + (1 + 1.0)) * ball.compression)
    assert printed.normal_velocity[0] == pytest.approx(2.0)
    assert not printed.energetic
    assert whittaker(ball, restitution=1.0).normal_velocity[0] == pytest.approx(1.0)


def test_laws_agree_without_friction_but_for_the_bilinear_one():
    """Erratum 4: 4.2.5, "all the laws become identical for mu = 0"; (9) with a mass that couples does not."""
    contact = SingleContact(MASS, VELOCITY, NORMAL, 0.0)
    expected = 1.5 * contact.compression
    for law in (routh, whittaker, smith, two_phase):
        assert law(contact, restitution=0.5).impulse == pytest.approx(expected, abs=1e-12)
    for et in (-1.0, 0.3):
        impact = chatterjee_ruina(contact, restitution=0.5, tangential_restitution=et)
        assert impact.impulse == pytest.approx(expected, abs=1e-12)
    printed = 1.5 * MASS[0, 0] * 1.0  # (9), -(1 + e) M11 V_in
    assert printed > 1.05 * expected[0]
    with pytest.raises(ValueError, match="needs the normal to be an eigenvector"):
        bilinear(contact, restitution=0.5, tangential_restitution=0.3)


def test_lossless_cases_of_footnote_7_and_the_one_it_misses():
    """Erratum 5."""
    rough, smooth = SingleContact(MASS, VELOCITY, NORMAL, 50.0), SingleContact(MASS, VELOCITY, NORMAL, 0.0)
    central = SingleContact(SPHERE, [-1.0, 0.0, 0.0], NORMAL, 0.3)
    listed = [(smooth, 0.4), (rough, 1.0), (central, 0.4)]
    missed = [(SingleContact(MASS, VELOCITY, NORMAL, mu), -1.0) for mu in (0.1, 0.5, inf)]
    for contact, et in listed + missed:
        impact = chatterjee_ruina(contact, restitution=1.0, tangential_restitution=et)
        assert impact.energy_change == pytest.approx(0.0, abs=1e-12)
    other = chatterjee_ruina(rough, restitution=1.0, tangential_restitution=0.4)
    assert other.energy_change < -0.1


def test_routh_is_not_always_permissible_in_space():
    """Erratum 6: Section 4.2.1 claims it for all 0 <= e_k <= 1; in space a jam can end in an approach."""
    inverse = [[1.247, 0.174, -2.552], [0.174, 2.422, -0.392], [-2.552, -0.392, 5.322]]
    contact = SingleContact.of_inverse(inverse, [-0.28, -1.18, 0.515], NORMAL, 2.34)
    assert not routh(contact, restitution=1.0).kinematic
    assert routh(contact, restitution=1.0).energetic


def test_smith_captures_a_slip_that_keeps_its_sign():
    """Erratum 7: Section 4.2.3: "cannot capture non-reversal of spin for positive mu"."""
    shallow = SingleContact(SPHERE, [-0.1, -1.0, 0.0], NORMAL, 0.3)
    steep = SingleContact(SPHERE, [-1.0, -0.1, 0.0], NORMAL, 0.3)
    assert smith(shallow, restitution=0.8).velocity[1] < -0.5
    assert smith(steep, restitution=0.8).velocity[1] > 0.0


def test_routh_is_not_the_only_law_that_rebounds_from_grazing():
    """Erratum 8: Section 4.2.1 says so; expansion after a compression that friction causes rebounds, too."""
    contact = SingleContact([[1.0, 0.85], [0.85, 1.0]], [0.0, -1.0], [1.0, 0.0], 1.8)
    assert routh(contact, restitution=0.5).normal_velocity[0] > 0.05
    assert two_phase(contact, restitution=0.5).normal_velocity[0] > 0.05
    for law in (whittaker, smith):
        assert law(contact, restitution=0.5).normal_velocity[0] == pytest.approx(0.0, abs=1e-9)
    impact = chatterjee_ruina(contact, restitution=0.5, tangential_restitution=0.5)
    assert impact.normal_velocity[0] == pytest.approx(0.0, abs=1e-12)
    assert impact.velocity[1] == pytest.approx(0.5)  # but it rebounds along the tangent


@pytest.mark.parametrize("e", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("et", [-1.0, -0.2, 0.6, 1.0])
def test_parallelogram_of_the_proof_is_permissible_without_friction(e, et):
    """Erratum 9: Section 5.1 (the conditions it calls those of section 3.1 are in 3.2)."""
    contact = SingleContact(MASS, VELOCITY, NORMAL, 0.0)
    one, two = contact.compression, contact.sticking
    result = assess(contact, (1 + e) * one + (1 + et) * (two - one))
    assert result.energetic
    assert result.kinematic


def test_spheres_and_discs():
    """Section 5.2 and 4.2: for masses that do not couple, the laws fall into two groups and Smith's."""
    rng = np.random.default_rng(4)
    for _ in range(50):
        velocity = rng.standard_normal(3)
        velocity[0] = -abs(velocity[0])
        ball = SingleContact(SPHERE, velocity, NORMAL, rng.uniform(0, 1))
        e, et = rng.uniform(0, 1), rng.uniform(-1, 1)
        coefficients = {"restitution": e, "tangential_restitution": et}
        assert chatterjee_ruina(ball, **coefficients).impulse == pytest.approx(
            bilinear(ball, **coefficients).impulse
        )
        same = [law(ball, restitution=e).impulse for law in (routh, whittaker, two_phase)]
        assert same[1] == pytest.approx(same[0], abs=1e-10)
        assert same[2] == pytest.approx(same[0], abs=1e-10)


def test_pfeiffer_and_glocker_access_an_area_in_the_plane():
    """Section 4.2.4: for a single contact the law of three parameters accesses a 2D subset, in the plane."""
    contact = SingleContact(np.array([[1.5, 0.1], [0.1, 1.0]]), [-1.0, 0.4], [1.0, 0.0], 0.8)
    corners = [
        two_phase(contact, restitution=e, tangential_restitution=et, reversibility=1.0).impulse
        for e, et in ((0.6, 0.3), (0.6, 0.9), (0.9, 0.3))
    ]
    sides = np.diff(corners, axis=0)
    assert abs(np.linalg.det(sides)) > 1e-3
    assert all(contact.result(corner).consistent for corner in corners)
