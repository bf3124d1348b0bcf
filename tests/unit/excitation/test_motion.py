"""Motion: what it stores, how it scales and turns, what it refuses."""

import pickle
from dataclasses import FrozenInstanceError
from math import pi

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mcrock.excitation import Motion
from mcrock.excitation.motion import changed

ROUNDING = 1e-12  # a handful of roundings of numbers of the size of the samples
SAMPLES = arrays(np.float64, st.tuples(st.just(3), st.integers(2, 20)), elements=st.floats(-30, 30))
ANGLE = st.floats(-10, 10)


def shake(**changes):
    usual = {"acceleration": [[0.0, 2.0, 1.0], [0.0, 0.0, 3.0], [0.0, 1.0, 0.0]], "dt": 0.5, "name": "shake"}
    return Motion(**(usual | changes))


def test_keeps_a_read_only_copy_of_the_samples():
    samples = np.ones((3, 4), dtype=np.float32)
    motion = shake(acceleration=samples)
    samples[:] = 7.0
    assert motion.acceleration.dtype == np.float64
    assert (motion.acceleration == 1.0).all()
    with pytest.raises(ValueError, match="read-only"):
        motion.acceleration[0, 0] = 2.0
    with pytest.raises(FrozenInstanceError):
        motion.dt = 1.0


def test_what_a_motion_knows_of_itself():
    """Contiguous samples, time from zero on, its own group unless told, a copy of its metadata."""
    assert shake(acceleration=np.ones((4, 3)).T).acceleration.flags.c_contiguous
    facts = {"vs30": 300.0}
    motion = shake(group="RSN 953", metadata=facts)
    facts["vs30"] = 0.0
    assert motion.time.tolist() == [0.0, 0.5, 1.0]
    assert motion.duration == motion.time[-1] == 1.0
    assert shake().group == "shake"
    for other in (motion, motion.scaled(2.0), motion.rotated(1.0), pickle.loads(pickle.dumps(motion))):
        assert (other.dt, other.name, other.group) == (0.5, "shake", "RSN 953")
        assert other.metadata == {"vs30": 300.0}
    np.testing.assert_array_equal(other.acceleration, motion.acceleration)  # through a pickle


def test_rotation_by_a_quarter_turn_is_counter_clockwise_from_above():
    turned = shake(acceleration=[[0, 2], [0, 0], [0, 1]]).rotated(pi / 2).acceleration[:, 1]
    np.testing.assert_allclose(turned, [0.0, 2.0, 1.0], atol=ROUNDING)


def test_rotation_is_by_the_complex_exponential():
    motion = shake()
    turned = motion.rotated(0.7).acceleration
    expected = (motion.acceleration[0] + 1j * motion.acceleration[1]) * np.exp(0.7j)
    np.testing.assert_allclose(turned[0] + 1j * turned[1], expected, atol=ROUNDING)


def test_no_rotation_changes_no_bit():
    motion = shake(acceleration=np.linspace(-3, 3, 30).reshape(3, 10))
    np.testing.assert_array_equal(motion.rotated(0.0).acceleration, motion.acceleration)


@given(SAMPLES, ANGLE, ANGLE)
def test_rotations_add_up_and_keep_length_and_vertical(samples, first, second):
    motion = shake(acceleration=samples)
    turned = motion.rotated(first)
    length = np.hypot(*motion.acceleration[:2])
    np.testing.assert_allclose(np.hypot(*turned.acceleration[:2]), length, atol=100 * ROUNDING)
    np.testing.assert_array_equal(turned.acceleration[2], motion.acceleration[2])
    both = motion.rotated(first + second).acceleration
    np.testing.assert_allclose(turned.rotated(second).acceleration, both, atol=100 * ROUNDING)


@given(SAMPLES, st.floats(-10, 10))
def test_scaling_multiplies_every_sample(samples, factor):
    np.testing.assert_array_equal(shake(acceleration=samples).scaled(factor).acceleration, factor * samples)


def test_phrases_follow_each_other():
    """The history of a motion grows by one phrase a step, and nothing else changes with it."""
    metadata = {"magnitude": 6.5}
    motion = Motion(np.ones((3, 4)), dt=0.1, name="shake", group="event", metadata=metadata)
    once = changed(motion, 2 * motion.acceleration, "doubled")
    twice = changed(once, once.acceleration[:, ::2], "thinned", dt=0.2)
    assert (once.metadata["history"], twice.metadata["history"]) == ("doubled", "doubled; thinned")
    assert (once.dt, twice.dt, twice.acceleration.shape) == (0.1, 0.2, (3, 2))
    assert (twice.name, twice.group, twice.metadata["magnitude"]) == ("shake", "event", 6.5)
    assert motion.metadata == metadata
