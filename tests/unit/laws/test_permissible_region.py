"""The permissible region: predicate, convexity, distance along a ray, parameterisations."""

from math import inf, nan, pi

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mcrock.laws.impulse_space import (
    assess,
    boundary_distance,
    contact_tangents,
    inner_impulse,
    projected_impulse,
    region_outline,
    spherical_impulse,
)
from mcrock.laws.problem import SingleContact
from tests.unit.laws.single_contacts import SHARES, contacts, size

MASS = np.array([[1.4, 0.3, 0.1], [0.3, 2.0, -0.2], [0.1, -0.2, 1.1]])
CONTACT = SingleContact(MASS, [-1.1, 0.4, 0.2], [1.0, 0.0, 0.0], 0.5)
INNER = np.array([1.6, -0.2, 0.1])
ROUGH = st.one_of(st.just(inf), st.floats(0.05, 5.0))
ANGLES = st.tuples(st.floats(0.0, pi), st.floats(0.0, 2 * pi))


def direction(contact, angles):
    way = np.array(
        [np.cos(angles[0]), np.sin(angles[0]) * np.cos(angles[1]), np.sin(angles[0]) * np.sin(angles[1])]
    )
    return (
        way[: len(contact.normal)]
        if len(contact.normal) == 3
        else np.array([np.cos(angles[1]), np.sin(angles[1])])
    )


def excess(contact, impulse):
    """The four conditions as numbers that are negative inside, of the size of an impulse [N s]."""
    after = contact.velocity + contact.inverse @ impulse
    centre = impulse - contact.sticking
    energy = np.sqrt(centre @ contact.inverse @ centre / (2 * contact.energy)) - 1
    normal, across = contact.split(impulse)
    mu = contact.friction
    cone = -normal if mu == inf else (np.linalg.norm(across) - mu * normal) / np.hypot(1, mu)
    approach = -(contact.normal @ after) / np.linalg.norm(contact.inverse)
    return np.array([energy * size(contact), approach, -normal, cone])


@given(contacts(), st.lists(st.floats(-1.0, 1.0), min_size=3, max_size=3), st.floats(0.0, 2.0))
def test_predicate_is_the_four_conditions(contact, part, scale):
    impulse = scale * size(contact) * np.array(part)[: len(contact.normal)]
    expected = excess(contact, impulse)
    assume(np.abs(expected).min() > 1e-6 * size(contact))
    result = assess(contact, impulse)
    checks = [result.energetic, result.kinematic, result.kinetic, result.friction]
    assert checks == (expected < 0).tolist()
    assert result.consistent == all(checks)


@given(contacts(friction=ROUGH))
def test_inner_impulse_is_inside(contact):
    assert excess(contact, inner_impulse(contact)).max() < -1e-6 * contact.normal @ contact.compression


@given(contacts(friction=ROUGH), ANGLES)
def test_distance_ends_on_the_boundary(contact, angles):
    start, way = inner_impulse(contact), direction(contact, angles)
    distance = boundary_distance(contact, start, way)
    assert excess(contact, start + distance * way).max() == pytest.approx(0.0, abs=1e-9 * size(contact))
    assert excess(contact, start + 0.999 * distance * way).max() < 0.0
    assert boundary_distance(contact, start, 7.0 * way) == pytest.approx(distance, rel=1e-12)


@given(contacts(friction=ROUGH), ANGLES, ANGLES, SHARES, SHARES, SHARES)
def test_convex(contact, first, second, rho1, rho2, between):
    start = inner_impulse(contact)
    ends = []
    for angles, rho in ((first, rho1), (second, rho2)):
        way = direction(contact, angles)
        ends.append(start + rho * boundary_distance(contact, start, way) * way)
    assert assess(contact, between * ends[0] + (1 - between) * ends[1]).consistent


def spherical_parameters(contact, inner, impulse):
    """Angles psi_1 (0 to pi) and psi_2 (0 to 2 pi) [rad] and share rho [1] of an impulse."""
    way = impulse - np.asarray(inner)
    across = np.append(contact_tangents(contact, None) @ way, [0.0, 0.0])[:2]
    polar = np.arctan2(np.linalg.norm(across), contact.normal @ way)
    azimuth = np.arctan2(across[1], across[0]) % (2.0 * pi)
    return polar, azimuth, np.linalg.norm(way) / boundary_distance(contact, inner, way)


@given(contacts(dimensions=(3,), friction=ROUGH), ANGLES, SHARES)
def test_spherical_reaches_permissible_impulses_only_and_back(contact, angles, rho):
    start = inner_impulse(contact)
    impact = spherical_impulse(contact, start, *angles, rho)
    assert impact.consistent
    assume(rho > 1e-3 and 0.01 < angles[0] < pi - 0.01)
    polar, azimuth, share = spherical_parameters(contact, start, impact.impulse)
    assert share == pytest.approx(rho, rel=1e-6)
    assert polar == pytest.approx(angles[0], abs=1e-6)
    assert np.cos(azimuth - angles[1]) == pytest.approx(1.0, abs=1e-6)


def test_spherical_in_the_plane():
    contact = SingleContact([[1.5, 0.6], [0.6, 1.0]], [-1.0, 1.2], [1.0, 0.0], 0.5)
    start = inner_impulse(contact)
    one = spherical_impulse(contact, start, 0.4, 0.0, 1.0)
    other = spherical_impulse(contact, start, 0.4, pi, 1.0)
    assert one.consistent
    assert other.consistent
    assert one.impulse[1] < start[1] < other.impulse[1]  # the first tangent opposes the slip
    assert spherical_parameters(contact, start, other.impulse) == pytest.approx((0.4, pi, 1.0))
    with pytest.raises(ValueError, match="azimuth must be 0 or pi in the plane"):
        spherical_impulse(contact, start, 0.4, 1.0, 1.0)


@given(contacts(friction=ROUGH), ANGLES, st.floats(0.0, 3.0))
def test_projection_is_the_nearest_permissible_point_of_the_ray(contact, angles, reach):
    start, way = inner_impulse(contact), direction(contact, angles)
    target = start + reach * size(contact) * way
    impact = projected_impulse(contact, target, start)
    assert impact.consistent
    distance = boundary_distance(contact, start, way)
    expected = start + min(reach * size(contact), distance) * way
    assert impact.impulse == pytest.approx(expected, abs=1e-9 * size(contact))
    again = projected_impulse(contact, impact.impulse, start)
    assert again.impulse == pytest.approx(impact.impulse, abs=1e-9 * size(contact))


def test_projection_of_the_inner_point_itself():
    impact = projected_impulse(CONTACT, INNER, INNER)
    assert impact.impulse == pytest.approx(INNER)
    assert impact.notes["share"] == 1.0


def test_without_friction_the_region_is_a_piece_of_the_normal():
    contact = SingleContact(MASS, [-1.1, 0.4, 0.2], [1.0, 0.0, 0.0], 0.0)
    plastic = contact.compression
    assert boundary_distance(contact, plastic, [1.0, 0.0, 0.0]) == pytest.approx(plastic[0])
    assert boundary_distance(contact, plastic, [-1.0, 0.0, 0.0]) == pytest.approx(0.0, abs=1e-12)
    assert boundary_distance(contact, plastic, [1.0, 0.1, 0.0]) == 0.0
    with pytest.raises(ValueError, match="the permissible region has no inside"):
        inner_impulse(contact)


def test_from_points_on_the_boundary():
    flat = SingleContact(np.diag([1.0, 1.0]), [-1.0, -1.0], [1.0, 0.0], 0.5)
    corner = np.array([1.0, 0.5])  # of the friction line and the line of maximum compression
    assert boundary_distance(flat, corner, [0.0, 1.0]) == 0.0
    assert boundary_distance(flat, corner, [0.0, -1.0]) == pytest.approx(np.sqrt(2.0) - 0.5)
    assert boundary_distance(flat, corner, [-1.0, 0.0]) == 0.0
    grazing = SingleContact([[1.0, 0.85], [0.85, 1.0]], [0.0, -1.0], [1.0, 0.0], 1.8)
    assert boundary_distance(grazing, [0.0, 0.0], grazing.sticking) > np.linalg.norm(grazing.sticking)
    assert boundary_distance(grazing, [0.0, 0.0], [-1.0, 0.0]) == 0.0


def test_unbounded_mass():
    tip = np.array([np.sin(0.7), np.cos(0.7)])
    contact = SingleContact.of_inverse(np.outer(tip, tip), -tip, [1.0, 0.0], 1.4)
    start, along = inner_impulse(contact), [np.cos(0.7), -np.sin(0.7)]
    assert boundary_distance(contact, start, along) == inf
    assert boundary_distance(contact, start, tip) < inf
    with pytest.raises(ValueError, match="give the longest distance at which to cut"):
        region_outline(contact, start)
    with pytest.raises(ValueError, match="the permissible region has no end in this direction"):
        spherical_impulse(contact, start, 0.7, np.pi, 0.5, tangents=[[0.0, 1.0]])
    assert np.isfinite(region_outline(contact, start, longest=10.0)).all()


def test_outline_is_closed_and_on_the_boundary():
    contact = SingleContact([[1.5, -0.8], [-0.8, 1.0]], [-1.0, -1.1], [1.0, 0.0], 0.6)
    outline = region_outline(contact, inner_impulse(contact))
    assert outline[0] == pytest.approx(outline[-1], abs=1e-12)
    for point in outline[::20]:
        assert excess(contact, point).max() == pytest.approx(0.0, abs=1e-9)
    with pytest.raises(ValueError, match="an outline needs a contact in the plane, got 3 dimensions"):
        region_outline(CONTACT, INNER)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: assess(CONTACT, [1.0, 0.0]), r"impulse must have the shape \(3,\)"),
        (lambda: boundary_distance(CONTACT, [9.0, 0, 0], [1, 0, 0]), "inner must be a permissible impulse"),
        (lambda: boundary_distance(CONTACT, INNER, [0, 0, 0]), "direction must not be zero"),
        (lambda: projected_impulse(CONTACT, [1, 1, 1], [0, 0, 0]), "inner must be a permissible impulse"),
        (lambda: spherical_impulse(CONTACT, INNER, 0.1, 0.1, 1.2), r"share must be from 0 to 1, got 1\.2"),
        (lambda: spherical_impulse(CONTACT, INNER, nan, 0.1, 0.2), "polar must be finite"),
        (
            lambda: spherical_impulse(CONTACT, INNER, 0.1, 0.1, 0.2, tangents=np.eye(3)[:2]),
            "tangents must be unit vectors at right angles",
        ),
    ],
)
def test_refuses(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("friction", [1e9, 1e160, 1e300])
def test_huge_friction_leaves_the_half_space(friction):
    wide = SingleContact(MASS, CONTACT.velocity, CONTACT.normal, friction)
    infinite = SingleContact(MASS, CONTACT.velocity, CONTACT.normal, inf)
    for way in ([1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-0.3, 0.2, -0.9]):
        expected = boundary_distance(infinite, INNER, way)
        assert boundary_distance(wide, INNER, way) == pytest.approx(expected, rel=1e-6)
