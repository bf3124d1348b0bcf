"""Random convex bases, bodies and motions just before an impact."""

from typing import NamedTuple

import numpy as np
import pytest
from scipy.spatial.transform import Rotation


class EdgeCase(NamedTuple):
    """A body about to land on a horizontal edge, ground axes."""

    mass: float
    inertia: np.ndarray
    old: np.ndarray
    new: np.ndarray
    omega: np.ndarray


class FacetCase(NamedTuple):
    """A body about to land on its base after turning about base edge ``edge``, ground axes."""

    mass: float
    inertia: np.ndarray
    vertices: np.ndarray
    edge: int
    omega: np.ndarray


def random_polygon(rng, n=None):
    """Corners (n, 2) on an ellipse around an inner point: convex, COM off centre [m]."""
    n = n or int(rng.integers(3, 13))
    gaps = rng.uniform(0.4, 1.6, n)
    angles = np.cumsum(gaps) / gaps.sum() * 2 * np.pi
    corners = rng.uniform(0.1, 0.5) * np.stack([np.cos(angles), rng.uniform(0.5, 1) * np.sin(angles)], -1)
    weights = rng.dirichlet(np.full(n, 2.0))
    return corners - weights @ corners


def random_inertia(rng, mass, radius):
    """Inertia of a body with random principal gyration radii near ``radius`` [m] in random axes."""
    spread = rng.uniform(0.2, 1.0, 3) * radius**2  # of mass along three axes: any such body exists
    turn = Rotation.random(random_state=rng).as_matrix()
    return turn @ np.diag(mass * (spread.sum() - spread)) @ turn.T


@pytest.fixture(scope="session")
def edge_cases():
    rng = np.random.default_rng(20220107)
    cases = []
    for _ in range(300):
        corners = random_polygon(rng)
        height, mass = rng.uniform(0.2, 1.5), rng.uniform(1.0, 500.0)
        vertices = np.column_stack([corners, np.full(len(corners), -height)])
        k = int(rng.integers(len(corners)))
        ends = vertices[[k, (k + 1) % len(corners)]]
        edge = (ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0])
        turn = Rotation.from_euler("z", rng.uniform(-3, 3)) * Rotation.from_rotvec(rng.uniform(0, 0.4) * edge)
        old, new = turn.apply(ends[:: rng.choice([-1, 1])])
        inertia = turn.as_matrix() @ random_inertia(rng, mass, 0.4 * height) @ turn.as_matrix().T
        omega = rng.normal(size=3)
        if np.cross(omega, new - old)[2] > 0:  # the new pivot comes down
            omega = -omega
        cases.append(EdgeCase(mass, inertia, old, new, omega))
    return cases


@pytest.fixture(scope="session")
def facet_cases():
    rng = np.random.default_rng(1839)
    cases = []
    for _ in range(600):
        corners = random_polygon(rng)
        height, mass = rng.choice([rng.uniform(0.05, 0.4), rng.uniform(0.4, 1.5)]), rng.uniform(1.0, 500.0)
        vertices = np.column_stack([corners, np.full(len(corners), -height)])
        k = int(rng.integers(len(corners)))
        edge = vertices[(k + 1) % len(corners)] - vertices[k]
        omega = -rng.uniform(0.1, 2.0) * edge / np.linalg.norm(edge)
        cases.append(FacetCase(mass, random_inertia(rng, mass, 0.6 * height), vertices, k, omega))
    return cases
