"""Section 2.1: the dynamics of a block between impacts, as printed in (3) to (6)."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mcrock.base.params import GRAVITY
from mcrock.laws.complementarity import unilateral_impulses
from mcrock.laws.problem import ContactProblem
from mcrock.planar import rectangle
from tests.physics.planar_friction import block_forces

ANGLES = st.one_of(st.just(0.0), st.floats(-1.4, -1e-3), st.floats(1e-3, 1.4))


def printed(block, angle, rate):
    """A and B of (4), with l the height and L the width."""
    length, width, m, inertia = 2.0 * block.com_height, block.width, block.mass, block.inertia
    s, c = np.sin(angle), np.cos(angle)
    off = 1 / m + (length**2 * s**2 - width**2 * c**2) / (4 * inertia)
    delassus = [
        [1 / m + (length * s + width * c) ** 2 / (4 * inertia), off],
        [off, 1 / m + (length * s - width * c) ** 2 / (4 * inertia)],
    ]
    free = [
        -GRAVITY + 0.5 * rate**2 * (length * c - width * s),
        -GRAVITY + 0.5 * rate**2 * (length * c + width * s),
    ]
    return np.array(delassus), np.array(free)


def on_the_ground(block, angle):
    level = np.array([block.right, -block.left]) * np.sin(angle) - block.com_height * np.cos(angle)
    return np.array([0.0, -level.min(), angle]), int(level.argmin())


@given(st.floats(0.2, 5.0), ANGLES, st.floats(-3.0, 3.0), st.floats(-2.0, 2.0))
def test_frictionless_forces_solve_the_printed_complementarity_problem(aspect, angle, rate, speed):
    block = rectangle(0.5, 0.5 * aspect, mass=3.0)
    position, corner = on_the_ground(block, angle)
    rate = rate if angle else 0.0  # two corners on the ground: no rotation
    lever = block.right if corner == 0 else -block.left
    arm = np.cos(angle) * lever + np.sin(angle) * block.com_height
    velocity = np.array([speed, -arm * rate, rate])  # the corner stays on the ground
    (found,) = block_forces(block, position, velocity, friction=0.0)
    delassus, free = printed(block, angle, rate)
    acting = [0, 1] if angle == 0.0 else [corner]
    problem = ContactProblem(np.eye(2), np.linalg.cholesky(delassus).T[:, acting], np.zeros(2))
    twin = unilateral_impulses(problem, free[acting])
    assert found.normal[acting] == pytest.approx(twin.impulse, abs=1e-8 * block.mass * GRAVITY)
    assert not found.tangential.any()
    # the second derivatives of both gaps, as (4) has them
    s, c = np.sin(angle), np.cos(angle)
    half, height = 0.5 * block.width, block.com_height
    x, y, turn = found.acceleration
    assert x == 0.0
    gaps = [
        y + (height * s + half * c) * turn + rate**2 * (height * c - half * s),
        y + (height * s - half * c) * turn + rate**2 * (height * c + half * s),
    ]
    assert gaps == pytest.approx(delassus @ found.normal + free, abs=1e-8 * GRAVITY)


@given(st.floats(0.2, 5.0), st.floats(-1.5, 1.5))
def test_determinant(aspect, angle):
    """det A = L^2 cos^2(theta)/(m I): the forces are unique but for a block on its side."""
    block = rectangle(0.5, 0.5 * aspect, mass=3.0)
    delassus, _ = printed(block, angle, 0.0)
    expected = (block.width * np.cos(angle)) ** 2 / (block.mass * block.inertia)
    assert np.linalg.det(delassus) == pytest.approx(expected, rel=1e-6)


@given(st.floats(-1.2, 1.2), st.floats(-2.0, 2.0), st.floats(-2.0, 2.0), st.floats(0.05, 1.0))
def test_forces_and_slips_of_equation_5(angle, rate, speed, friction):
    """The printed lines of (5) and the slips below (6), on a block that slips on one corner."""
    assume(abs(angle) > 1e-3)
    block = rectangle(0.5, 1.2, mass=3.0)
    position, corner = on_the_ground(block, angle)
    s, c = np.sin(angle), np.cos(angle)
    length, width = 2.0 * block.com_height, block.width
    levers = np.array([0.5 * length * s + 0.5 * width * c, 0.5 * length * s - 0.5 * width * c])
    across = np.array([0.5 * length * c - 0.5 * width * s, 0.5 * length * c + 0.5 * width * s])
    velocity = np.array([speed, -levers[corner] * rate, rate])
    slip = speed + across[corner] * rate
    assume(abs(slip) > 1e-6)
    for found in block_forces(block, position, velocity, friction=friction):
        x, y, turn = found.acceleration
        assert block.mass * x == pytest.approx(found.tangential.sum(), abs=1e-9)
        weight = block.mass * GRAVITY
        assert block.mass * y == pytest.approx(found.normal.sum() - weight, abs=1e-9 * weight)
        moment = levers @ found.normal + across @ found.tangential
        assert block.inertia * turn == pytest.approx(moment, abs=1e-8 * weight)
        assert found.tangential[corner] == pytest.approx(-friction * found.normal[corner] * np.sign(slip))
        assert found.normal[1 - corner] == 0.0
