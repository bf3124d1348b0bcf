"""The friction from which the slip of a corner may be undetermined."""

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from mcrock.body.faces import painleve_friction

ROUNDING = 1e-9


def cuboid_friction(width, depth, height):
    inertia = np.diag([depth**2 + height**2, width**2 + height**2, width**2 + depth**2]) / 12
    corner = np.array([width, -depth, height]) / 2
    return painleve_friction([1.0], [inertia], [[corner]])[0, 0]


@pytest.mark.parametrize("size", [(1, 1, 1e-4), (1, 1e-4, 1e-4), (1e-5, 2.0, 1e-5), (1e-5, 1.0, 3.0)])
def test_thin_plates_and_rods(size):
    # the extreme eigenvalues of W are 1 / m along the arm of the corner and 7 / m across it
    assert cuboid_friction(*size) == pytest.approx(sqrt(7) / 3, rel=1e-6)


@given(st.floats(0.01, 100), st.floats(0.01, 100))
def test_no_cuboid_is_below_plates_and_rods(depth, height):
    assert cuboid_friction(1.0, depth, height) >= sqrt(7) / 3 * (1 - ROUNDING)


@given(st.integers(0, 2**32 - 1))
def test_it_is_the_least_over_all_poses(seed):
    """p = e_z.W e_z - mu e_z.W s is positive below it in every pose, and zero at it in one."""
    rng = np.random.default_rng(seed)
    mass, d = rng.uniform(0.5, 2.0), rng.uniform(-1, 1, 3)
    axes = Rotation.random(rng=rng).as_matrix()
    moments = rng.uniform(0.3, 1.0, 3)  # any two together exceed the third only sometimes: W needs no more
    inertia = axes @ np.diag(moments) @ axes.T
    mu = painleve_friction([mass], [inertia], [[d]])[0, 0]
    cross = np.cross(np.eye(3), d)  # rows e_i x d: -[d]x
    w = np.eye(3) / mass + cross @ np.linalg.inv(inertia) @ cross.T
    poses = Rotation.random(200, rng=rng).as_matrix()
    normal, slip = poses[:, 0], poses[:, 1]
    ratio = np.einsum("ni,ij,nj->n", normal, w, slip) / np.einsum("ni,ij,nj->n", normal, w, normal)
    assert np.abs(ratio).max() * mu <= 1 + ROUNDING
    values, vectors = np.linalg.eigh(w)
    turn = np.arctan2(sqrt(values[0]), sqrt(values[2]))  # of the normal from the axis of the largest value
    normal = np.cos(turn) * vectors[:, 0] + np.sin(turn) * vectors[:, 2]
    slip = -np.sin(turn) * vectors[:, 0] + np.cos(turn) * vectors[:, 2]
    worst = max(abs(n @ w @ s) / (n @ w @ n) for n, s in ((normal, slip), (slip, normal)))
    assert worst * mu == pytest.approx(1.0, rel=1e-6)


def test_many_bodies_are_those_of_each():
    rng = np.random.default_rng(3)
    mass, moments = rng.uniform(1, 2, 5), rng.uniform(1, 2, (5, 3))
    inertia, corners = np.einsum("ni,ij->nij", moments, np.eye(3)), rng.uniform(-1, 1, (5, 4, 3))
    together = painleve_friction(mass, inertia, corners)
    assert together.shape == (5, 4)
    alone = [painleve_friction(mass[i : i + 1], inertia[i : i + 1], corners[i : i + 1])[0] for i in range(5)]
    np.testing.assert_allclose(together, alone, rtol=1e-12)
