"""What is no body: natural mistakes have one clear message, impossible matter and bad bases too."""

# ruff: noqa: E501 -- a message stands on one line, as users see it

from math import nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from mcrock.body import Body, cuboid, cylinder, frustum, hull, lowest_face, polyhedron, prism
from mcrock.body.solids import prism_faces

CUBE = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
SQUARE = [(0, 0), (1, 0), (1, 1), (0, 1)]
DENT = [(0, 0), (2, 0), (1, 0.2), (2, 2), (0, 2)]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: cuboid("a", 1, 1, 1000), r"cuboid\.width must be a finite number > 0 \[m\], got 'a'"),
        (lambda: cuboid(1, [1], 1, 1000), r"cuboid\.depth must be a finite number > 0 \[m\], got \[1\]"),
        (lambda: cuboid(1, 1, 1, "heavy"), r"cuboid\.density must be a finite number > 0 \[kg/m3\], got 'heavy'"),
        (lambda: cuboid(1, 1, 1, mass=None), r"cuboid needs exactly one of density \[kg/m3\] and mass \[kg\]"),
        (lambda: cuboid(1, 1, 1, 1000, com=0.1), r"cuboid\.com must be 3 finite numbers \[m\], got 0\.1"),
        (lambda: cuboid(1, 1, 1, 1000, gravity="g"), r"cuboid\.gravity must be a finite number > 0 \[m/s2\]"),
        (lambda: prism("square", 1, 1000), r"prism\.base must be an array of numbers of shape \(n, 2\) \[m\]"),
        (lambda: prism([0, 1, 2], 1, 1000), r"prism\.base must have shape \(n, 2\) \[m\], got \(3,\)"),
        (lambda: prism([(0, 0), (1, nan), (1, 1)], 1, 1000), r"prism\.base must be finite \[m\], got \[1\.0, nan\] at 1"),
        (lambda: frustum(SQUARE, 1, 1000, top_scale="a"), r"frustum\.top_scale must be a finite number > 0 \[1\], got 'a'"),
        (lambda: cylinder(1, 1, "many", 1000), r"cylinder\.sides must be an integer >= 3, got 'many'"),
        (lambda: hull(CUBE, mass=1.0, inertia=[[1, 2], [3, 4]]), r"hull\.inertia must be 3 x 3 finite numbers \[kg m2\], got \[\[1, 2\], \[3, 4\]\]"),
        (lambda: hull(CUBE, mass=1.0, inertia=0.1), r"hull\.inertia must be 3 x 3 finite numbers \[kg m2\], got 0\.1"),
        (lambda: hull(CUBE, 1.0, base_faces=0), r"hull\.base_faces must be a list of face numbers, as in \[0, 3\], got 0"),
        (lambda: hull(CUBE, 1.0, base_faces="0"), r"hull\.base_faces must be a list of face numbers, .* got '0'"),
        (lambda: hull(CUBE, 1.0, base_faces=["x"]), r"hull\.base_faces must be 0 to 5, got 'x'"),
        (lambda: hull(CUBE, 1.0, start_face="x"), r"hull\.start_face must be 0 to 5, got 'x'"),
        (lambda: hull(CUBE, 1.0, start_face=1.0), r"hull\.start_face must be 0 to 5, got 1\.0"),
        (lambda: hull(CUBE, 1.0, com="middle"), r"hull\.com must be 3 finite numbers \[m\], got 'middle'"),
        (lambda: hull(CUBE, 1.0, gravity=-1), r"hull\.gravity must be a finite number > 0 \[m/s2\], got -1"),
        (lambda: hull("rock.csv", 1.0), r"hull\.points must be an array of numbers of shape \(n, 3\) \[m\]"),
        (lambda: polyhedron(CUBE, 6, 1.0), r"polyhedron\.faces must list the vertex numbers of each face, as in .* got 6"),
        (lambda: polyhedron(CUBE, [(0, 1, "a")] * 4, 1.0), r"polyhedron\.faces must list the vertex numbers of each face"),
        (lambda: Body("a", np.eye(3), CUBE), r"Body\.mass must be a finite number > 0 \[kg\], got 'a'"),
        (lambda: Body(1.0, np.eye(3), CUBE, faces=3), r"Body\.faces must list the vertex numbers of each face"),
    ],
)  # fmt: skip
def test_natural_mistakes_have_one_clear_message(make, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        make()


@pytest.mark.parametrize("make", [prism, lambda *given: frustum(*given, top_scale=0.5)])
def test_a_dent_in_a_base_is_named_by_its_number_where_the_user_put_it(make):
    message = r"\.base must be the corners of a convex polygon, .*; corner 2 at \[1\.0, 0\.2\] m is straight"
    with pytest.raises(ValueError, match=message):
        make(DENT, 1.0, 1000)


def test_a_dent_in_a_top_is_named_too():
    base = np.multiply(DENT, 1.0)
    base[2] = (3.0, 1.0)
    with pytest.raises(ValueError, match=r"frustum\.top must be .*; corner 2 at \[1\.0, 0\.2\] m"):
        frustum(base, 1.0, 1000, top=DENT)


def test_corners_that_coincide_and_polygons_that_cross_themselves():
    with pytest.raises(ValueError, match=r"prism\.base: corners 1 and 2 coincide at \[2\.0, 0\.0\] m"):
        prism([(0, 0), (2, 0), (2, 0), (0, 2)], 1.0, 1000)
    star = [(np.cos(a), np.sin(a)) for a in 4 * np.pi / 5 * np.arange(5)]
    with pytest.raises(ValueError, match=r"prism\.base must go round the base once; the polygon crosses"):
        prism(star, 1.0, 1000)


def test_a_surface_that_is_inside_out():
    body = cuboid(1.0, 1.0, 1.0, mass=1.0)
    faces = tuple(face[::-1] for face in body.faces)
    with pytest.raises(ValueError, match=r"turn the body inside out: its faces, .* enclose -1 m3"):
        Body(1.0, body.inertia, body.vertices, faces=faces)


# --- how matter can be spread ------------------------------------------------------------------


def box(*half):
    """Vertices of a box about its middle, as a solid on a base of four corners has them."""
    signs = np.array([[1, -1], [1, 1], [-1, 1], [-1, -1]], float)
    return np.concatenate([np.column_stack([signs, np.full(4, z)]) for z in (-1.0, 1.0)]) * half


HALF = st.floats(0.1, 3.0)


@given(st.tuples(HALF, HALF, HALF), st.integers(0, 2**32 - 1), st.integers(1, 5))
def test_any_matter_inside_a_body_is_possible(half, seed, n):
    """Point masses anywhere inside, in pairs opposite each other so that the COM is in the middle."""
    rng = np.random.default_rng(seed)
    points, mass = rng.uniform(-1, 1, (n + 2, 3)) * half, rng.uniform(0.1, 1.0, n + 2)
    square = np.einsum("k,ki,kj->ij", 2 * mass, points, points)
    inertia = np.trace(square) * np.eye(3) - square
    Body(2 * mass.sum(), inertia, box(*half), faces=prism_faces(4))


@given(st.tuples(HALF, HALF, HALF))
def test_matter_reaches_its_bound_at_the_corners(half):
    """All mass in the corners is possible; no body can have more."""
    square = np.diag(np.square(half))
    inertia = np.trace(square) * np.eye(3) - square  # eight equal masses in the corners, 1 kg in all
    Body(1.0, inertia, box(*half), faces=prism_faces(4))
    with pytest.raises(ValueError, match=r"Body\.inertia has the principal moment .* check the units"):
        Body(1.0, 1.001 * inertia, box(*half), faces=prism_faces(4))


@given(st.integers(0, 2**32 - 1))
def test_the_bound_on_matter_does_not_depend_on_the_axes(seed):
    turn = Rotation.random(rng=np.random.default_rng(seed)).as_matrix()
    most = np.diag([3.0, 2.0, 3.0])  # of 1 kg in the corners of this box
    points, options = box(1.0, 2**0.5, 1.0) @ turn.T, {"mass": 1.0, "com": (0, 0, 0)}
    hull(points, inertia=turn @ (0.999 * most) @ turn.T, **options)
    with pytest.raises(ValueError, match=r"Body\.inertia has the principal moment"):
        hull(points, inertia=turn @ (1.001 * most) @ turn.T, **options)


def test_impossible_inertia_is_worded_with_numbers():
    with pytest.raises(
        ValueError, match=r"principal moment 50 kg m2, .* all of the 100 kg .* 0\.7071 m away, it would be 50"
    ) as caught:
        hull(CUBE, mass=100.0, com=(0.5, 0.5, 0.5), inertia=np.eye(3) * 50.001)
    assert "about the centre of mass" in str(caught.value)
    hull(CUBE, mass=100.0, com=(0.5, 0.5, 0.5), inertia=np.eye(3) * 49.999)


def test_of_a_body_whose_base_alone_is_known_nothing_bounds_the_inertia():
    Body(1.0, np.eye(3) * 100.0, [(1, -1, -1), (1, 1, -1), (-1, 1, -1), (-1, -1, -1)])


# --- the face a body is put down on ------------------------------------------------------------


def test_of_equally_low_faces_one_that_carries_the_body_is_taken():
    """A keel with its centre of mass off the middle stands on one side of it alone."""
    outline = [(0.0, -0.1), (0.5, 0.0), (0.5, 1.0), (-0.5, 1.0), (-0.5, 0.0)]
    points = [(x, y, z) for y in (0.0, 0.8) for x, z in outline]
    for side in (-0.3, 0.3):
        body = hull(points, 1000.0, com=(side, 0.4, 0.4), axis=(0, 0, 1))
        assert body.face_stable[body.start_face]
        assert body.face_normals[body.start_face] @ [side, 0, 0] > 0
        assert lowest_face(body.vertices, body.faces) == body.start_face
