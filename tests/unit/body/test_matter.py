"""How matter can be spread in a body, and the face that it is put down on."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from mcrock.body import Body, hull, lowest_face
from mcrock.body.solids import prism_faces


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


def test_of_a_body_whose_base_alone_is_known_nothing_bounds_the_inertia():
    Body(1.0, np.eye(3) * 100.0, [(1, -1, -1), (1, 1, -1), (-1, 1, -1), (-1, -1, -1)])


def test_of_equally_low_faces_one_that_carries_the_body_is_taken():
    """A keel with its centre of mass off the middle stands on one side of it alone."""
    outline = [(0.0, -0.1), (0.5, 0.0), (0.5, 1.0), (-0.5, 1.0), (-0.5, 0.0)]
    points = [(x, y, z) for y in (0.0, 0.8) for x, z in outline]
    for side in (-0.3, 0.3):
        body = hull(points, 1000.0, com=(side, 0.4, 0.4), axis=(0, 0, 1))
        assert body.face_stable[body.start_face]
        assert body.face_normals[body.start_face] @ [side, 0, 0] > 0
        assert lowest_face(body.vertices, body.faces) == body.start_face
