"""Floors against exact solutions and a direct integration of the whole building."""

from itertools import pairwise
from math import pi

import numpy as np
import pytest
from scipy.linalg import expm

from mcrock.excitation.motion import Motion
from mcrock.excitation.processing import VibrationMode, chain_modes, floor_motion, oscillator_modes

X = (1.0, 0.0, 0.0)


@pytest.fixture
def shake():
    rng = np.random.default_rng(3)
    envelope = np.sin(np.linspace(0, pi, 600))
    return Motion(rng.standard_normal((3, 600)) * envelope, dt=0.01, name="shake", group="event 1")


def direct(ground, dt, masses, stiffnesses, damping):
    """Absolute accelerations of the floors (n_floor, n_time): matrix exponential of the whole chain."""
    n = len(masses)
    stiffness = np.zeros((n, n))
    for i, k in enumerate(stiffnesses):
        stiffness[i, i] += k
        if i:
            stiffness[i - 1, i - 1] += k
            stiffness[i, i - 1] -= k
            stiffness[i - 1, i] -= k
    inverse = np.diag(1 / np.asarray(masses))
    # damping of every mode alike: 2 damping sqrt(M^-1 K)
    values, vectors = np.linalg.eig(inverse @ stiffness)
    viscous = 2 * damping * (vectors @ np.diag(np.sqrt(values)) @ np.linalg.inv(vectors)).real
    rates = np.zeros((2 * n + 2, 2 * n + 2))
    rates[:n, n : 2 * n] = np.eye(n)
    rates[n : 2 * n, :n] = -inverse @ stiffness
    rates[n : 2 * n, n : 2 * n] = -viscous
    rates[n : 2 * n, 2 * n] = -1.0
    rates[2 * n, 2 * n + 1] = 1.0
    step = expm(rates * dt)
    state = np.zeros(2 * n + 2)
    floors = [np.zeros(n)]
    for before, after in pairwise(ground):
        state[2 * n :] = before, (after - before) / dt
        state = step @ state
        floors.append(-inverse @ stiffness @ state[:n] - viscous @ state[n : 2 * n])
    return np.array(floors).T


@pytest.mark.parametrize("floor", [1, 2, 3])
def test_chain_equals_the_whole_building(shake, floor):
    masses, stiffnesses = [2e5, 1.5e5, 1e5], [9e7, 7e7, 4e7]
    modes = chain_modes(masses, stiffnesses, 0.04, floor)
    motion = floor_motion(shake, modes, tail=0.0)
    whole = direct(shake.acceleration[0], shake.dt, masses, stiffnesses, 0.04)[floor - 1]
    np.testing.assert_allclose(motion.acceleration[0], whole, atol=1e-9)
    assert (motion.acceleration[1:] == shake.acceleration[1:]).all()


def test_two_equal_storeys_have_the_known_frequencies():
    # omega^2 = (3 -+ sqrt 5)/2 k/m
    modes = chain_modes([1e5, 1e5], [4e7, 4e7], 0.05, 2)
    squares = np.array([(2 * pi * mode.frequency) ** 2 for mode in modes])
    np.testing.assert_allclose(squares, (3 + np.array([-1, 1]) * np.sqrt(5)) / 2 * 400, rtol=1e-12)


@pytest.mark.parametrize("floor", [1, 4])
def test_shares_of_the_modes_of_a_chain_add_up_to_one(floor):
    modes = chain_modes([1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], 0.05, floor, axis="y")
    assert sum(mode.participation[1] * mode.shape[1] for mode in modes) == pytest.approx(1.0, abs=1e-12)
    assert all(mode.participation[0] == mode.shape[2] == 0 for mode in modes)


def test_single_oscillator_at_resonance():
    # steady amplification of the absolute acceleration: sqrt(1 + 4 z^2)/(2 z)
    time = np.arange(6000) * 0.005
    ground = np.sin(2 * pi * 2.0 * time)
    still = np.zeros_like(ground)
    motion = Motion([ground, still, still], dt=0.005, name="sine")
    floor = floor_motion(motion, oscillator_modes(2.0, 0.05, "x"), tail=0.0)
    steady = np.abs(floor.acceleration[0, 4000:]).max()
    # samples miss the peak by (omega dt)^2/8, and so does the straight line between them
    assert steady == pytest.approx(np.sqrt(1 + 0.01) / 0.1, rel=1e-3)


def test_a_stiff_building_moves_with_the_ground_and_a_soft_one_stays(shake):
    stiff = floor_motion(shake, oscillator_modes(5000.0, 0.5, "xyz"), tail=0.0)
    np.testing.assert_allclose(stiff.acceleration, shake.acceleration, atol=0.05)  # lag 2 z/omega
    soft = floor_motion(shake, oscillator_modes(1e-3, 0.01, "xyz"), tail=0.0)
    assert np.abs(soft.acceleration).max() < 2e-3
    first_mode_alone = floor_motion(shake, oscillator_modes(5000.0, 0.5, "xy", factor=1.3), tail=0.0)
    np.testing.assert_allclose(first_mode_alone.acceleration, shake.acceleration, atol=0.05)


def test_a_mode_couples_directions(shake):
    # torsion: shaking along x moves the corner of the floor along y
    mode = VibrationMode(3.0, 0.05, participation=X, shape=(0.0, 0.5, 0.0))
    floor = floor_motion(shake, [mode], tail=0.0)
    alone = floor_motion(shake, oscillator_modes(3.0, 0.05, "x"), tail=0.0)
    expected = shake.acceleration[1] + 0.5 * (alone.acceleration[0] - shake.acceleration[0])
    np.testing.assert_allclose(floor.acceleration[1], expected, atol=1e-12)
    assert (floor.acceleration[0] == shake.acceleration[0]).all()


def test_modes_of_several_lists_act_together(shake):
    modes = oscillator_modes(2.0, 0.05, "x") + oscillator_modes(3.0, 0.02, "y")
    both = floor_motion(shake, modes, tail=1.0)
    for axis, each in enumerate(modes):
        alone = floor_motion(shake, [each], tail=1.0)
        np.testing.assert_allclose(both.acceleration[axis], alone.acceleration[axis], atol=1e-12)


def test_the_floor_swings_on_until_little_is_left(shake):
    modes = oscillator_modes(1.0, 0.02, "xy")
    floor, long = floor_motion(shake, modes), floor_motion(shake, modes, tail=80.0)
    n = floor.acceleration.shape[1]
    np.testing.assert_allclose(floor.acceleration, long.acceleration[:, :n], atol=1e-12)
    peaks = np.abs(long.acceleration[:2]).max(axis=1, keepdims=True)
    assert (np.abs(long.acceleration[:2, n:]) <= 0.005 * peaks).all()
    assert shake.duration + 10 < floor.duration < shake.duration + 43  # -ln 0.005/(2 pi 0.02)
    assert floor_motion(shake, modes, tail=0.0).duration == shake.duration
    assert floor_motion(shake, modes, tail=2.0).duration == pytest.approx(shake.duration + 2.0)


def test_says_where_it_comes_from(shake):
    once = floor_motion(shake, oscillator_modes(2.0, 0.05, "x"))
    assert (once.name, once.group) == ("shake, floor", "event 1")
    assert once.metadata["history"] == "floor of a building with modes at 2 Hz"
    twice = floor_motion(once, oscillator_modes(3.0, 0.05, "x"))
    assert twice.metadata["history"] == once.metadata["history"] + "; floor of a building with modes at 3 Hz"
