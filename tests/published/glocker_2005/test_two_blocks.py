"""Section 6 and figure 4: two blocks that meet corner to corner."""

from math import radians

import numpy as np
import pytest

from mcrock.laws import system_example
from mcrock.laws.inequalities import reentrant_corner
from mcrock.laws.systems.planar_blocks import two_blocks_problem

SIZES = ((0.4, 1.0), (0.6, 0.8))


def corner_velocities(problem, velocity, sizes, tilt):
    """Velocity of the second block's corner relative to that of the first, from rigid-body kinematics."""
    first, second = (0.5 * np.array(size) for size in sizes)
    turn = np.array([[np.cos(tilt), -np.sin(tilt)], [np.sin(tilt), np.cos(tilt)]])
    arms = first, turn @ -second
    points = [
        velocity[start : start + 2] + velocity[start + 2] * np.array([-arm[1], arm[0]])
        for start, arm in ((0, arms[0]), (3, arms[1]))
    ]
    return points[1] - points[0]


@pytest.mark.parametrize("tilt", [0.0, 0.5, -0.7])
def test_gap_rates_are_those_of_the_corners(tilt):
    rng = np.random.default_rng(1)
    velocity = rng.normal(size=6)
    problem = two_blocks_problem(SIZES, 700.0, tilt, velocity)
    apart = corner_velocities(problem, velocity, SIZES, tilt)
    normals = np.array(
        [[-np.sin(min(tilt, 0.0)), np.cos(min(tilt, 0.0))], [np.cos(max(tilt, 0.0)), np.sin(max(tilt, 0.0))]]
    )
    assert problem.normal_velocity == pytest.approx(normals @ apart)


@pytest.mark.parametrize("tilt", [0.0, 0.3, -0.3])
def test_faces_bound_the_places_where_the_blocks_overlap(tilt):
    """Moved by a small step, the blocks overlap exactly if both gaps close."""
    problem = two_blocks_problem(SIZES, 700.0, tilt, [0.0] * 6)
    normals = problem.directions[3:5].T
    first = np.array(SIZES[0])
    grid = np.stack(np.meshgrid(*[np.linspace(0.0, 0.2, 41)] * 2), axis=-1).reshape(-1, 2)
    turn = np.array([[np.cos(tilt), -np.sin(tilt)], [np.sin(tilt), np.cos(tilt)]])
    for angle in np.linspace(0.05, 2.0 * np.pi, 60, endpoint=False):
        step = 0.05 * np.array([np.cos(angle), np.sin(angle)])
        inside_2 = grid @ turn.T + step  # points of the second block
        overlap = np.any(np.all((inside_2 < -1e-4) & (inside_2 > -first), axis=1))
        closes = np.all(normals @ step < 0.0)
        margin = np.abs(normals @ step).min() / 0.05
        if margin > 0.15:
            assert overlap == closes


def test_head_on_approach_has_three_impacts():
    velocity = [0.0, 0.0, 0.0, -1.0, -1.0, 0.0]
    problem = two_blocks_problem(((0.5, 0.5), (0.5, 0.5)), 1000.0, 0.0, velocity)
    result = reentrant_corner(problem, restitution=0.4)
    assert [solution.notes["kind"] for solution in result.solutions] == ["edge", "face1", "face2"]
    assert not result.unique_velocity
    assert result.notes["nearest"] == ["face1", "face2"]  # a tie by symmetry
    edge, face_1, face_2 = result.solutions
    assert edge.normal_velocity == pytest.approx([0.4, 0.4])
    assert face_1.energy_change == pytest.approx(face_2.energy_change)
    assert face_1.normal_velocity == pytest.approx(face_2.normal_velocity[::-1])
    assert all(solution.energy_change < 0.0 for solution in result.solutions)


def test_momentum_is_kept():
    velocity = [0.1, 0.0, 0.2, -1.0, -0.6, -0.1]
    problem = two_blocks_problem(SIZES, 1000.0, 0.4, velocity)
    for solution in reentrant_corner(problem, restitution=0.4).solutions:
        change = problem.mass @ (solution.velocity - problem.velocity)
        assert change[:2] + change[3:5] == pytest.approx([0.0, 0.0], abs=1e-9)


def test_glancing_approach_is_no_impact():
    problem = two_blocks_problem(SIZES, 1000.0, 0.0, [0.0, 0.0, 0.0, -1.0, 0.2, 0.0])
    assert reentrant_corner(problem, restitution=0.4).notes["admitted"]


@pytest.mark.parametrize("tilt", [0.0, 40.0, -50.0])
def test_figure_4(tilt):
    ds = system_example("two_blocks", tilt_deg=tilt, first=(1.0, 0.4), second=(0.3, 0.8), points=41)
    solutions = ds["solutions"].values
    assert set(solutions) <= {1, 3}
    loss = ds["energy_loss"].values
    assert np.all((loss[np.isfinite(loss)] >= -1e-12) & (loss[np.isfinite(loss)] <= 1.0))
    nearest = np.nanargmin(ds["distance"].values, axis=0)
    assert np.all(nearest[solutions == 3] > 0)  # never the edge
    after = ds["after"].values
    rates = after @ ds["normal"].values.T
    assert np.all(np.isnan(rates).all(axis=1) | (np.nan_to_num(rates, nan=0.0).max(axis=1) > 0.0))


def test_angles_are_radians_in_the_problem():
    with pytest.raises(ValueError, match=r"tilt must be .* \[rad\]"):
        two_blocks_problem(SIZES, 1000.0, 40.0, [0.0] * 6)
    two_blocks_problem(SIZES, 1000.0, radians(40.0), [0.0] * 6)
