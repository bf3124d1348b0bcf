"""Bodies: mass properties against closed forms and a triangulation, and every refusal."""

from math import atan, atan2, cos, hypot, inf, nan, pi, sin, sqrt

import numpy as np
import pytest

from mcrock.base.params import GRAVITY
from mcrock.body import Body, check_bodies, cuboid, prism
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


SQUARE = [[0.2, -0.2, -1.0], [0.2, 0.2, -1.0], [-0.2, 0.2, -1.0], [-0.2, -0.2, -1.0]]
INERTIA = np.diag([4.0, 4.0, 1.0])


def changed(i, **coordinates):
    vertices = np.array(SQUARE)
    for name, value in coordinates.items():
        vertices[i, "xyz".index(name)] = value
    return vertices


REFUSED = [
    ({"mass": 0.0}, r"Body\.mass must be a finite number > 0 \[kg\], got 0\.0$"),
    ({"mass": nan}, r"Body\.mass must be a finite number > 0 \[kg\], got nan"),
    ({"mass": -3.5}, r"Body\.mass must be a finite number > 0 \[kg\], got -3\.5"),
    ({"gravity": 0.0}, r"Body\.gravity must be a finite number > 0 \[m/s2\], got 0"),
    ({"gravity": inf}, r"Body\.gravity must be a finite number > 0 \[m/s2\], got inf"),
    ({"inertia": "heavy"}, r"Body\.inertia must be an array of numbers of shape \(3, 3\) \[kg m2\]"),
    ({"inertia": [1.0, 2.0, 3.0]}, r"Body\.inertia must have shape \(3, 3\) \[kg m2\], got \(3,\)"),
    ({"inertia": np.ones((2, 3))}, r"Body\.inertia must have shape \(3, 3\) \[kg m2\], got \(2, 3\)"),
    ({"inertia": np.diag([4.0, nan, 1.0])}, r"Body\.inertia must be finite \[kg m2\], got \[\[4\.0"),
    ({"inertia": INERTIA + np.eye(3, k=1)}, r"Body\.inertia must be symmetric \[kg m2\], got \[\[4\.0, 1\.0"),
    (
        {"inertia": np.diag([4.0, 4.0, 0.0])},
        r"inertia must be positive definite; .* \[0\.0, 4\.0, 4\.0\] kg m2",
    ),
    ({"inertia": np.diag([1.0, 2.0, 3.5])}, r"Body\.inertia breaks .* they are \[1\.0, 2\.0, 3\.5\] kg m2"),
    ({"vertices": [[1, 2], [3, 4]]}, r"Body\.vertices must have shape \(n, 3\) \[m\], got \(2, 2\)"),
    ({"vertices": [[1, 2, 3], [4, 5]]}, r"Body\.vertices must be an array of numbers of .* \(n, 3\) \[m\]"),
    ({"vertices": SQUARE[:2]}, r"Body\.vertices must list at least 3 base vertices, got 2"),
    ({"vertices": changed(1, y=nan)}, r"Body\.vertices must be finite \[m\], got \[\[0\.2"),
    (
        {"vertices": changed(2, z=-1.001)},
        r"in one plane .* z differ by 0\.001 m; for a whole body give faces",
    ),
    ({"vertices": np.add(SQUARE, [0, 0, 1.5])}, r"Body\.vertices must lie below .* < 0 m\), got z = 0\.5 m"),
    ({"vertices": changed(1, y=-0.2)}, r"Body\.vertices: corners 0 and 1 coincide at \[0\.2, -0\.2\] m"),
    ({"vertices": SQUARE[::-1]}, r"must run counter-clockwise seen from above; .* the order of its corners"),
    (
        {"vertices": [*SQUARE[:2], [0.0, 0.2, -1.0], *SQUARE[2:]]},
        r"corners of a convex polygon.*corner 2 at \[0\.0, 0\.2\] m .* is straight or turns the wrong way",
    ),
    (
        {"vertices": [*SQUARE[:2], [0.0, 0.1, -1.0], *SQUARE[2:]]},
        r"corners of a convex polygon.*corner 2 at \[0\.0, 0\.1\] m .* is straight or turns the wrong way",
    ),
    (
        {"vertices": np.column_stack([regular(5)[[0, 2, 4, 1, 3]], np.full(5, -1.0)])},
        r"Body\.vertices must go round the base once; the polygon crosses itself",
    ),
    ({"vertices": np.add(SQUARE, [0.25, 0, 0])}, r"must stand over the .* lies 0\.05 m outside base edge 2"),
]


@pytest.mark.parametrize(("bad", "message"), REFUSED)
def test_impossible_bodies_are_refused(bad, message):
    with pytest.raises(ValueError, match=message):
        Body(**({"mass": 10.0, "inertia": INERTIA, "vertices": SQUARE, "gravity": 9.81} | bad))


def test_the_first_bad_body_of_many_is_named():
    mass = np.array([1.0, -2.0, -3.0])
    with pytest.raises(ValueError, match=r"got -2 \(body 1 of 3\)"):
        check_bodies(mass, np.array([INERTIA] * 3), np.array([SQUARE] * 3))


@pytest.mark.parametrize("value", [0.0, -1.0, nan, inf])
def test_sizes_must_be_positive(value):
    for position, name in enumerate(("width", "depth", "height")):
        sizes = [0.4, 0.4, 1.6]
        sizes[position] = value
        with pytest.raises(
            ValueError, match=rf"cuboid\.{name} must be a finite number > 0 \[m\], got {value!r}"
        ):
            cuboid(*sizes, 2000.0)
    with pytest.raises(ValueError, match=rf"prism\.height must be a finite number > 0 \[m\], got {value!r}"):
        prism(regular(5), value, 2000.0)
    for maker, name in (
        (lambda **k: cuboid(0.4, 0.4, 1.6, **k), "cuboid"),
        (lambda **k: prism(regular(5), 1.0, **k), "prism"),
    ):
        with pytest.raises(
            ValueError, match=rf"{name}\.density must be a finite number > 0 \[kg/m3\], got {value!r}"
        ):
            maker(density=value)
        with pytest.raises(
            ValueError, match=rf"{name}\.mass must be a finite number > 0 \[kg\], got {value!r}"
        ):
            maker(mass=value)


@pytest.mark.parametrize("given", [{}, {"density": 2000.0, "mass": 100.0}])
def test_exactly_one_of_density_and_mass(given):
    expected = r"needs exactly one of density \[kg/m3\] and mass \[kg\], got density="
    with pytest.raises(ValueError, match="cuboid " + expected):
        cuboid(0.4, 0.4, 1.6, **given)
    with pytest.raises(ValueError, match="prism " + expected):
        prism(regular(5), 1.6, **given)


@pytest.mark.parametrize(
    ("base", "message"),
    [
        ([1.0, 2.0], r"prism\.base must have shape \(n, 2\) \[m\], got \(2,\)"),
        ([(0.0, 0.0, 0.0)], r"prism\.base must have shape \(n, 2\) \[m\], got \(1, 3\)"),
        ([(0.0, 0.0), (1.0, 0.0)], r"prism\.base must have at least 3 corners \[m\], got 2"),
        (regular(4)[::-1], r"must run counter-clockwise seen from above; reverse the order of its corners"),
        ([(0, 0), (1, 0), (0.1, 0.1), (0, 1)], r"convex polygon"),
        ([(0, 0), (1, 0), (1, nan)], r"prism\.base must be finite|Body\.vertices must be finite"),
        ([(0, 0), (1, 0), (2, 0)], r"convex polygon|area"),
    ],
)
def test_bad_bases_are_refused(base, message):
    for given in ({"mass": 10.0}, {"density": 2000.0}):
        with pytest.raises(ValueError, match=message):
            prism(base, 1.0, **given)


def test_offset_that_leaves_the_base_is_refused():
    with pytest.raises(ValueError, match=r"it lies 0\.1 m outside base edge 0"):
        cuboid(0.4, 0.4, 1.6, 2000.0, com=(0.3, 0.0, 0.0))
    with pytest.raises(ValueError, match=r"below the centre of mass"):
        cuboid(0.4, 0.4, 1.6, 2000.0, com=(0.0, 0.0, -0.9))


def test_a_body_says_its_size_and_not_its_vertices():
    body = cuboid(0.4, 0.4, 1.6, density=2600)
    assert repr(body) == (
        f"Body(665.6 kg, slenderness {atan(0.25):.4g} rad, p {body.frequency:.4g} rad/s, 8 corners, 6 faces)"
    )
    base = Body(2.0, 0.1 * np.eye(3), [[0.1, -0.1, -0.3], [0.1, 0.1, -0.3], [-0.1, 0.0, -0.3]])
    assert repr(base).endswith("3 corners, 1 face)")
