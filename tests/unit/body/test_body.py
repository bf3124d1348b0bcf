"""Bodies: mass properties against closed forms and a triangulation, and every refusal."""

from math import atan, atan2, cos, hypot, pi, sin, sqrt

import numpy as np
import pytest

from mcrock.base.params import GRAVITY
from mcrock.body import Body, cuboid, prism
from mcrock.body.solids import Weight, cuboids, prisms

RTOL = 1e-12  # closed forms of a few operations


def regular(n, radius=0.3, turn=0.2):
    angles = turn + 2 * pi * np.arange(n) / n
    return radius * np.stack([np.cos(angles), np.sin(angles)], -1)


def random_base(rng, n):
    angles = np.sort(rng.uniform(0, 2 * pi, n))
    while np.diff(angles, append=angles[0] + 2 * pi).max() > 0.9 * pi or np.diff(angles).min() < 0.1:
        angles = np.sort(rng.uniform(0, 2 * pi, n))
    return np.stack([0.5 * np.cos(angles), 0.3 * np.sin(angles)], -1) + rng.uniform(-2, 2, 2)


def tetrahedra(base, height):
    """A prism cut into tetrahedra (k, 4, 3): three per triangle of a fan."""
    for i in range(1, len(base) - 1):
        a, b, c = (np.append(base[j], 0.0) for j in (0, i, i + 1))
        up = np.array([0.0, 0.0, height])
        yield np.array([a, b, c, a + up])
        yield np.array([b, c, a + up, b + up])
        yield np.array([c, a + up, b + up, c + up])


def triangulated(base, height):
    """Volume, centroid (3,) and inertia per mass (3, 3) by exact moments of tetrahedra."""
    volume, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
    for corners in tetrahedra(base, height):
        v = abs(np.linalg.det(corners[1:] - corners[0])) / 6
        total = corners.sum(0)
        volume += v
        first += v * total / 4
        second += v / 20 * (corners.T @ corners + np.outer(total, total))
    centroid = first / volume
    spread = second / volume - np.outer(centroid, centroid)
    return volume, centroid, np.trace(spread) * np.eye(3) - spread


def test_cuboid_closed_form():
    body = cuboid(0.4, 0.6, 1.8, 2500.0)
    mass = 2500 * 0.4 * 0.6 * 1.8
    assert body.mass == pytest.approx(mass, rel=RTOL)
    expected = mass / 12 * np.diag([0.6**2 + 1.8**2, 0.4**2 + 1.8**2, 0.4**2 + 0.6**2])
    assert body.inertia == pytest.approx(expected, rel=RTOL)
    corners = [[0.2, -0.3, -0.9], [0.2, 0.3, -0.9], [-0.2, 0.3, -0.9], [-0.2, -0.3, -0.9]]
    assert body.base == pytest.approx(np.array(corners), rel=RTOL)
    assert (body.vertices == [*corners, *np.multiply(corners, [1, 1, -1])]).all()
    assert body.com_height == pytest.approx(0.9, rel=RTOL)
    assert body.gravity == GRAVITY
    walls = (1, 0, 4, 5), (2, 1, 5, 6), (3, 2, 6, 7), (0, 3, 7, 4)
    assert body.faces == ((0, 1, 2, 3), *walls, (7, 6, 5, 4))
    assert (body.start_face, body.base_faces, body.stands_clear) == (0, (0,), True)


def test_slenderness_radius_and_frequency_of_a_cuboid():
    body = cuboid(0.4, 0.6, 1.8, 2500.0)
    assert body.edge_slenderness == pytest.approx([atan(0.2 / 0.9), atan(0.3 / 0.9)] * 2, rel=RTOL)
    assert body.slenderness == pytest.approx(atan(0.2 / 0.9), rel=RTOL)
    assert body.radius == pytest.approx(hypot(0.2, 0.9), rel=RTOL)
    assert body.frequency == pytest.approx(sqrt(3 * GRAVITY / (4 * hypot(0.2, 0.9))), rel=RTOL)


def test_mass_instead_of_density_and_gravity():
    moon = cuboid(0.4, 0.6, 1.8, mass=50.0, gravity=1.62)
    assert moon.mass == 50.0
    assert moon.frequency == pytest.approx(sqrt(3 * 1.62 / (4 * hypot(0.2, 0.9))), rel=RTOL)


def test_offset_of_the_centre_of_mass():
    offset = np.array([0.05, -0.1, 0.2])
    body, centred = (cuboid(0.4, 0.6, 1.8, 2500.0, com=com) for com in (offset, (0, 0, 0)))
    assert body.vertices == pytest.approx(centred.vertices - offset, rel=RTOL)
    assert body.inertia == pytest.approx(centred.inertia, rel=RTOL)
    assert body.slenderness == pytest.approx(atan2(0.15, 1.1), rel=RTOL)
    about = centred.inertia[1, 1] + body.mass * (0.15**2 + 1.1**2)
    expected = sqrt(body.mass * GRAVITY * hypot(0.15, 1.1) / about)
    assert body.frequency == pytest.approx(expected, rel=RTOL)


def test_arrays_of_a_body_are_copies_that_cannot_be_written():
    inertia = np.diag([2.0, 2.0, 1.0])
    body = Body(1.0, inertia, cuboid(0.4, 0.4, 2.0, mass=1.0).base)
    assert body.faces == ((0, 1, 2, 3),)
    assert body.stands_clear
    inertia[0, 0] = 5.0
    assert body.inertia[0, 0] == 2.0
    with pytest.raises(ValueError, match="read-only"):
        body.vertices[0, 0] = 1.0


def test_prism_on_a_rectangle_is_a_cuboid():
    rectangle = [(0.2, -0.3), (0.2, 0.3), (-0.2, 0.3), (-0.2, -0.3)]
    block = cuboid(0.4, 0.6, 1.8, 2500.0, com=(0.01, -0.02, 0.1))
    for shift in ((0.0, 0.0), (5.0, -3.0)):
        same = prism(np.array(rectangle) + shift, 1.8, 2500.0, com=(0.01, -0.02, 0.1))
        rtol = RTOL * (1 + np.abs(shift).max() / 0.2) ** 2  # moments about the origin cancel
        assert same.mass == pytest.approx(block.mass, rel=rtol)
        assert same.inertia == pytest.approx(block.inertia, abs=rtol * block.inertia.max())
        assert same.vertices == pytest.approx(block.vertices, abs=rtol)


@pytest.mark.parametrize("n", [3, 4, 5, 6, 8, 12, 40])
def test_prism_on_a_regular_polygon(n):
    """I_zz/m = r^2 (2 + cos(2 pi/n))/6, half of it about the other axes plus the height's share."""
    body = prism(regular(n), 1.5, 1000.0)
    area = 0.5 * n * 0.3**2 * sin(2 * pi / n)
    square = 0.3**2 * (2 + cos(2 * pi / n)) / 6
    assert body.mass == pytest.approx(1500 * area, rel=RTOL)
    expected = body.mass * np.diag([square / 2 + 1.5**2 / 12, square / 2 + 1.5**2 / 12, square])
    assert body.inertia == pytest.approx(expected, abs=RTOL * expected.max())
    assert body.edge_slenderness == pytest.approx(np.full(n, atan(0.3 * cos(pi / n) / 0.75)), rel=RTOL)


def test_prism_on_random_polygons_against_a_triangulation():
    rng = np.random.default_rng(4)
    for _ in range(60):
        base, height = random_base(rng, int(rng.integers(3, 10))), rng.uniform(0.5, 3.0)
        volume, centroid, inertia = triangulated(base, height)
        weight = Weight(density=None, mass=np.array([2.0]), offset=np.zeros((1, 3)))
        found = prisms(base[None], np.array([height]), weight, np.array([GRAVITY]))
        scale = 100.0  # the base lies up to 2 m from the origin and is 0.3 m in size: moments cancel
        assert found.values["density"][0] == pytest.approx(2.0 / volume, rel=scale * RTOL)
        assert found.inertia[0] == pytest.approx(2.0 * inertia, abs=scale * RTOL * inertia.max())
        corners = np.column_stack([base, np.zeros(len(base))]) - centroid
        lower, upper = found.vertices[0, : len(base)], found.vertices[0, len(base) :]
        assert lower == pytest.approx(corners, abs=scale * RTOL)
        assert upper == pytest.approx(np.add(corners, [0, 0, height]), abs=scale * RTOL)
        body = prism(base, height, mass=2.0)
        assert body.inertia == pytest.approx(found.inertia[0], rel=RTOL)


def test_many_bodies_at_once():
    rng = np.random.default_rng(5)
    width, depth, height, mass = rng.uniform(0.3, 0.6, (4, 7))
    com = rng.uniform(-0.05, 0.05, (7, 3))
    bodies = cuboids(width, depth, height, Weight(None, mass, com), np.full(7, GRAVITY))
    bodies.check()
    found = bodies.derived()
    for i in range(7):
        one = cuboid(width[i], depth[i], height[i], mass=mass[i], com=com[i])
        assert (bodies.inertia[i] == one.inertia).all()
        assert (bodies.vertices[i] == one.vertices).all()
        for name in ("radius", "slenderness", "frequency"):
            assert found[name][i] == getattr(one, name)


def test_smallest_edge_of_a_triangle():
    """All three numbers belong to the edge of smallest slenderness."""
    body = prism([(0.0, 0.0), (0.9, 0.0), (0.0, 0.3)], 1.0, mass=10.0)
    k = int(np.argmin(body.edge_slenderness))
    v = body.vertices
    e = v[(k + 1) % 3] - v[k]
    e = e / np.linalg.norm(e)
    arm = v[k] - (v[k] @ e) * e
    assert body.radius == pytest.approx(np.linalg.norm(arm), rel=RTOL)
    about = e @ body.inertia @ e + body.mass * arm @ arm
    assert body.frequency == pytest.approx(sqrt(body.mass * GRAVITY * np.linalg.norm(arm) / about), rel=RTOL)
    assert body.slenderness == pytest.approx(body.edge_slenderness[k], rel=RTOL)


def test_a_body_says_its_size_and_not_its_vertices():
    body = cuboid(0.4, 0.4, 1.6, density=2600)
    assert repr(body) == (
        f"Body(665.6 kg, slenderness {atan(0.25):.4g} rad, p {body.frequency:.4g} rad/s, 8 corners, 6 faces)"
    )
    base = Body(2.0, 0.1 * np.eye(3), [[0.1, -0.1, -0.3], [0.1, 0.1, -0.3], [-0.1, 0.0, -0.3]])
    assert repr(base).endswith("3 corners, 1 face)")
