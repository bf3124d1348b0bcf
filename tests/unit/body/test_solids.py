"""Frusta and cylinders: closed forms, convergence with the number of sides, and every refusal."""

from math import pi, tan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcrock.base.params import GRAVITY
from mcrock.body import Body, cylinder, frustum, hull, prism
from mcrock.body.faces import sections
from mcrock.body.solids import Weight, frusta, scaled_polygon
from tests.unit.body.shapes import quadrature

RTOL = 1e-12
SQUARE = [(-0.3, -0.3), (0.3, -0.3), (0.3, 0.3), (-0.3, 0.3)]


@pytest.mark.parametrize("scale", [0.05, 0.5, 1.0, 1.4])
def test_square_frustum(scale):
    """Volume h (A + sqrt(A B) + B)/3 and centroid h (A + 2 sqrt(A B) + 3 B)/(4 (A + sqrt(A B) + B))."""
    height, density = 0.9, 2600.0
    body = frustum(SQUARE, height, density, top_scale=scale)
    a, ab, b = 0.36, 0.36 * scale, 0.36 * scale**2
    assert body.mass == pytest.approx(density * height * (a + ab + b) / 3, rel=RTOL)
    centroid = height * (a + 2 * ab + 3 * b) / (4 * (a + ab + b))
    assert body.com_height == pytest.approx(centroid, rel=RTOL)
    # I_zz: integral of w^4/6 over the height, w the width
    widths = 0.6**4 * (1 + scale + scale**2 + scale**3 + scale**4) / 5
    assert body.inertia[2, 2] == pytest.approx(density * height * widths / 6, rel=RTOL)
    assert body.inertia[0, 0] == pytest.approx(body.inertia[1, 1], rel=RTOL)
    assert body.inertia[0, 1] == pytest.approx(0, abs=RTOL * body.inertia[2, 2])
    assert body.slenderness == pytest.approx(np.arctan(0.3 / centroid), rel=RTOL)
    assert body.faces[0] == (0, 1, 2, 3)
    assert body.faces[-1] == (7, 6, 5, 4)
    assert body.vertices[4:, :2] == pytest.approx(np.multiply(SQUARE, scale), abs=RTOL)


def test_frustum_of_scale_1_is_the_prism():
    corners = [(0, 0), (1, 0), (1.2, 0.5), (0.3, 0.9)]
    a = frustum(corners, 1.5, 1000.0, top_scale=1.0, com=(0.01, 0.02, -0.1))
    b = prism(corners, 1.5, 1000.0, com=(0.01, 0.02, -0.1))
    assert a.faces == b.faces
    assert a.vertices == pytest.approx(b.vertices, abs=RTOL)
    assert a.inertia == pytest.approx(b.inertia, abs=RTOL * b.inertia.max())


def test_frustum_with_a_given_top():
    """A roof shape: base and top rectangles of other proportions, against quadrature."""
    top = [(-0.3, -0.05), (0.1, -0.05), (0.1, 0.05), (-0.3, 0.05)]
    body = frustum(SQUARE, 0.8, mass=100.0, top=top)
    volume, centroid, inertia = quadrature(body.vertices)
    assert centroid == pytest.approx(np.zeros(3), abs=RTOL)
    assert body.inertia == pytest.approx(100 * inertia, abs=100 * RTOL)
    assert frustum(SQUARE, 0.8, 10.0, top=top).mass == pytest.approx(10 * volume, rel=RTOL)
    assert not frustum(SQUARE, 0.8, 10.0, top=np.multiply(SQUARE, 1.1)).stands_clear


def test_many_frusta_at_once():
    rng = np.random.default_rng(3)
    base = np.array(SQUARE) * rng.uniform(0.5, 2, (6, 1, 1)) + rng.uniform(-1, 1, (6, 1, 2))
    scale, height, mass = rng.uniform(0.3, 1.2, (3, 6))
    com = rng.uniform(-0.02, 0.02, (6, 3))
    top, gravity = scaled_polygon(base, scale), np.full(6, GRAVITY)
    bodies = frusta(base, top, height, Weight(None, mass, com), gravity)
    volume = frusta(base, top, height, Weight(np.ones(6), None, com), gravity).mass
    for i in range(6):
        one = frustum(base[i], height[i], mass=mass[i], top_scale=scale[i], com=com[i])
        assert (bodies.inertia[i] == one.inertia).all()
        assert (bodies.vertices[i] == one.vertices).all()
        assert frustum(base[i], height[i], 1.0, top=top[i]).mass == volume[i]


def test_cylinder_has_the_volume_and_faces_it_should():
    body = cylinder(0.2, 1.0, 48, density=1000.0)
    assert body.mass == pytest.approx(1000 * pi * 0.04, rel=RTOL)
    assert len(body.faces) == 50
    assert body.faces[0] == tuple(range(48))
    assert body.stands_clear
    x, y, z = body.base[:2].mean(0)  # the middle of edge 0
    assert (x > 0.19, y, z) == (True, pytest.approx(0, abs=1e-16), pytest.approx(-0.5))
    assert (body.vertices[48:, :2] == body.vertices[:48, :2]).all()


def test_cylinder_of_four_sides_is_numbered_as_the_cuboid():
    body = cylinder(0.2, 1.0, 4, 1000.0)
    half = 0.1 * np.sqrt(pi)
    corners = [[half, -half, -0.5], [half, half, -0.5], [-half, half, -0.5], [-half, -half, -0.5]]
    assert body.base == pytest.approx(np.array(corners), abs=1e-15)


def test_cylinder_converges_with_the_sides():
    """Inertia at order n^-4, slenderness over edges and corners at pi^2/6 and -pi^2/3 over n^2."""
    radius, height, errors = 0.2, 1.0, []
    for n in (8, 16, 32, 64):
        body = cylinder(radius, height, n, mass=1.0)
        edge, corner = tan(body.slenderness) * height / 2, np.hypot(*body.base[0, :2])
        errors.append(
            [
                abs(body.inertia[2, 2] / (0.5 * radius**2) - 1) * n**4,
                abs(body.inertia[0, 0] / (radius**2 / 4 + height**2 / 12) - 1) * n**4,
                (1 - edge / radius) * n**2,
                (corner / radius - 1) * n**2,
            ]
        )
    found = np.array(errors)
    assert found[-1, 0] == pytest.approx((2 * pi) ** 4 / 180, rel=0.01)
    assert found[-1, 2:] == pytest.approx([pi**2 / 6, pi**2 / 3], rel=0.01)
    assert (np.abs(np.diff(found, axis=0)[-1]) < 0.02 * found[-1]).all()


@given(
    radius=st.floats(0.05, 3.0),
    top=st.floats(0.1, 2.0),
    hole=st.floats(0.0, 0.9),
    height=st.floats(0.1, 8.0),
    off=st.tuples(st.floats(-0.5, 0.5), st.floats(-0.5, 0.5), st.floats(-0.2, 0.2)),
)
@settings(max_examples=50, deadline=None)
def test_a_solid_of_revolution_has_the_moments_of_its_discs(radius, top, hole, height, off):
    """Volume, centroid and inertia against Gauss's rule over rings, exact for the polynomials they are."""
    hole = hole * min(radius, top * radius)
    com = np.multiply(off, (radius / 2, radius / 2, height))
    body = cylinder(
        radius,
        height,
        density=1000.0,
        com=com,
        top_radius=top * radius,
        inner_radius=hole if hole > 0 else None,
    )
    nodes, weights = np.polynomial.legendre.leggauss(5)
    z, dz = height * (nodes + 1) / 2, weights * height / 2
    outer = radius + (top - 1) * radius * z / height
    area, polar = pi * (outer**2 - hole**2), pi / 2 * (outer**4 - hole**4)
    volume, centre = (area * dz).sum(), (area * z * dz).sum() / (area * dz).sum()
    across = (polar / 2 * dz).sum() + (area * (z - centre) ** 2 * dz).sum()
    assert body.mass == pytest.approx(1000 * volume, rel=1e-9)
    assert body.com_height == pytest.approx(centre + com[2], rel=1e-9)
    expected = 1000 * np.diag([across, across, (polar * dz).sum()])
    assert body.inertia == pytest.approx(expected, rel=1e-9)
    assert body.rim == radius
    assert body.stands_clear == (top <= 1)
    reach = radius - np.hypot(*com[:2])
    assert body.slenderness == pytest.approx(np.arctan(reach / body.com_height), rel=1e-9)
    assert body.radius == pytest.approx(np.hypot(reach, body.com_height), rel=1e-9)


@pytest.mark.parametrize("off", [(0.0, 0.0), (0.05, 0.02)])
def test_a_round_base_is_the_limit_of_its_polygons(off):
    """Slenderness, frequency and reach in every direction, at order sides^-2."""
    circle = cylinder(0.3, 1.5, density=1000.0, com=(*off, 0.1))
    directions = np.linspace(0.1, 6.2, 17)
    errors = []
    for sides in (48, 96, 192):
        polygon = cylinder(0.3, 1.5, sides, 1000.0, com=(*off, 0.1))
        reach = [
            sections(
                np.array([each.mass]), each.inertia[None], each.vertices[None], each.faces, np.array([0]),
                directions, np.array([each.rim]) if each.rim else None,
            ).reach[0]
            for each in (circle, polygon)
        ]  # fmt: skip
        numbers = [[each.slenderness, each.frequency, each.radius] for each in (circle, polygon)]
        errors.append([np.ptp(numbers, axis=0).max() * sides**2, np.ptp(reach, axis=0).max() * sides**2])
    assert np.max(errors) < 4.0  # pi^2/3 of the radius, and what it makes of p [1/s]


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_a_base_of_few_corners_is_no_circle(scale):
    """A rectangle has its corners on one, and a rim of another size would reach through its sides."""
    corners = [(x * scale, y, z) for z in (0.0, 2.0) for x in (-1.0, 1.0) for y in (-1.0, 1.0)]
    for radius in (1.2, 1.41, 2.2):
        with pytest.raises(
            ValueError, match=r"not round: of its 4 corners, .* sides come as near as 1 m; give more points"
        ):
            hull(corners, mass=1.0, base={"rim": radius})


def test_a_rim_is_of_one_base_and_within_it():
    drum = cylinder(0.2, 1.0, density=1000.0)
    common = drum.mass, drum.inertia, drum.vertices, drum.gravity, drum.faces, 0
    with pytest.raises(ValueError, match=r"of a body with one base, its start face 0, got \(0, 1\)"):
        Body(*common, (0, 1), 0.2)
    with pytest.raises(
        ValueError, match=r"between the circles in and about the base, 0\.199572 to 0\.2 m, got 0\.5 m"
    ):
        Body(*common, (0,), 0.5)


def test_round_bodies_that_cannot_be():
    for more, words in (
        (
            {"inner_radius": 0.2},
            "inner_radius must be less than the radius of base and top, 0.2 m, got 0.2 m",
        ),
        ({"top_radius": 0.1, "inner_radius": 0.15}, "of base and top, 0.1 m, got 0.15 m"),
        ({"sides": 8, "top_radius": 0.1}, "sides makes a prism, without inner_radius and top_radius"),
        ({"com": (0.2, 0.0, 0.0)}, "centre of mass must be over the base: it is 0.2 m off the centre"),
        ({"top_radius": -1.0}, "top_radius must be"),
    ):
        with pytest.raises(ValueError, match=words):
            cylinder(0.2, 1.0, density=1000.0, **more)
