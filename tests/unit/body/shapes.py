"""Random convex bodies, and what they are compared with."""

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st
from scipy.spatial import Delaunay
from scipy.spatial.transform import Rotation

from mcrock.body import exterior_angles, hull_surface
from mcrock.body.surface import SHALLOW

CUBE = np.array([(x, y, z) for z in (0.0, 2.0) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))], float)
CUBE_FACES = (
    (0, 1, 2, 3), (1, 0, 4, 5), (2, 1, 5, 6), (3, 2, 6, 7), (0, 3, 7, 4), (7, 6, 5, 4),
)  # fmt: skip


@st.composite
def clouds(draw, least=4, most=30):
    """Points (n, 3) on an ellipsoid or in its neighbourhood, whose hull has no shallow edge."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    points = rng.normal(size=(draw(st.integers(least, most)), 3))
    points[:4] = [(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)]  # encloses a volume
    if draw(st.booleans()):
        points /= np.linalg.norm(points, axis=1)[:, None]
    points = points * rng.uniform(0.2, 2.0, 3) + rng.uniform(-1, 1, 3)
    surface = hull_surface(points)
    assume(exterior_angles(points[surface.kept][None], surface.faces)[1].min() > 2 * SHALLOW)
    return points


@st.composite
def rotations(draw):
    """Rotation matrices."""
    return Rotation.random(rng=np.random.default_rng(draw(st.integers(0, 2**32 - 1)))).as_matrix()


@st.composite
def solids(draw):
    """Vertices and faces of random prisms, frusta and hulls: faces of many corners and triangles."""
    kind = draw(st.sampled_from(["hull", "frustum"]))
    if kind == "hull":
        points = draw(clouds())
        surface = hull_surface(points)
        return points[surface.kept], surface.faces
    n = draw(st.integers(3, 12))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    angles = 2 * np.pi * (np.arange(n) + rng.uniform(-0.3, 0.3, n)) / n
    base = np.stack([np.cos(angles), rng.uniform(0.5, 1) * np.sin(angles), np.zeros(n)], -1)
    vertices = np.concatenate([base, base * [*([rng.uniform(0.3, 1.5)] * 2), 1] + [0.1, 0.2, 1.5]])
    walls = [((i + 1) % n, i, n + i, n + (i + 1) % n) for i in range(n)]
    faces = (tuple(range(n)), *walls, tuple(range(2 * n - 1, n - 1, -1)))
    return vertices @ draw(rotations()).T, faces


def ring(face):
    """The same face, begun at its lowest vertex."""
    at = face.index(min(face))
    return face[at:] + face[:at]


def quadrature(points):
    """Volume, centroid and inertia per mass: 4-point rule, exact to degree 2, over a Delaunay mesh."""
    near, far = (5 + 3 * np.sqrt(5)) / 20, (5 - np.sqrt(5)) / 20
    corners = points[Delaunay(points).simplices]
    volumes = np.abs(np.linalg.det(corners[:, 1:] - corners[:, :1])) / 6
    nodes = far * corners.sum(1, keepdims=True) + (near - far) * corners
    weights = np.repeat(volumes / 4, 4)
    nodes = nodes.reshape(-1, 3)
    volume = weights.sum()
    centroid = weights @ nodes / volume
    arms = nodes - centroid
    second = np.einsum("k,ki,kj->ij", weights, arms, arms) / volume
    return volume, centroid, np.trace(second) * np.eye(3) - second
