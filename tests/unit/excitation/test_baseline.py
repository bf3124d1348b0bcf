"""Baseline corrections take away what was added to a motion, and nothing of one that needs none."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcrock.excitation import Motion
from mcrock.excitation.measures import velocity_of
from mcrock.excitation.processing import correct_baseline, correct_segments, remove_mean

DT = 0.01
TIME = np.arange(4001) * DT
ROUNDING = 1e-9  # least squares on 4001 points


def shake(*components):
    """Motion of up to three components, the others zero."""
    samples = np.zeros((3, len(TIME)))
    samples[: len(components)] = components
    return Motion(samples, dt=DT, name="shake")


def burst():
    """Waves from 10 to 20 s, with no velocity and no displacement left at the end."""
    inside = (TIME > 10) & (TIME < 20)
    phase = np.where(inside, (TIME - 10) / 10, 0.0)
    # second derivative of sin^4(pi s) cos(12 pi s), formed from exact differences of the samples
    displacement = np.sin(np.pi * phase) ** 4 * np.cos(12 * np.pi * phase) * inside
    return np.gradient(np.gradient(displacement, DT), DT)


@given(st.lists(st.floats(-2, 2), min_size=1, max_size=3))
@settings(max_examples=20)
def test_polynomial_of_the_velocity_is_taken_away(factors):
    added = sum(k * c * (TIME / 40) ** (k - 1) for k, c in enumerate(factors, start=1))
    corrected = correct_baseline(shake(added), order=len(factors))
    np.testing.assert_allclose(corrected.acceleration[0], 0, atol=ROUNDING)


@pytest.mark.parametrize("order", [1, 2, 3, 6])
def test_corrected_once_is_corrected_for_good(order):
    noise = np.random.default_rng(1).normal(size=(2, len(TIME))) + 0.3
    once = correct_baseline(shake(*noise), order)
    twice = correct_baseline(once, order)
    np.testing.assert_allclose(twice.acceleration, once.acceleration, atol=1e-8)
    assert not once.acceleration[2].any()  # what was not recorded stays zero
    velocity = velocity_of(once.acceleration[0], DT)
    assert np.abs(velocity[-1]) < np.abs(velocity_of(noise[0], DT)[-1])


def test_constant_offset_of_a_clean_record():
    clean = burst()
    corrected = correct_baseline(shake(clean + 0.05), order=1)
    untouched = correct_baseline(shake(clean), order=1)
    np.testing.assert_allclose(corrected.acceleration, untouched.acceleration, atol=ROUNDING)
    assert np.abs(untouched.acceleration[0] - clean).max() < 1e-4 * np.abs(clean).max()


def test_mean_of_the_quiet_start():
    record = burst() + 0.02
    corrected = remove_mean(shake(record), duration=8.0)
    np.testing.assert_allclose(corrected.acceleration[0], burst(), atol=1e-12)
    assert corrected.metadata["history"] == "mean of the first 8 s removed"
    whole = remove_mean(shake(record))
    assert np.abs(whole.acceleration[0].mean()) < 1e-12
    assert whole.metadata["history"] == "mean removed"


def test_segments_remove_a_shifted_baseline():
    # the instrument shifts at 12 s by one offset and settles at 18 s on another
    shifted = burst() + np.where(TIME < 12, 0, np.where(TIME < 18, 0.03, -0.01))
    corrected = correct_segments(shake(shifted), start=12.0, end=18.0, fit_from=25.0)
    velocity = velocity_of(corrected.acceleration[0], DT)
    # the jump of an offset falls between two samples: half a step of it stays in the velocity
    half_steps = DT * (0.03 + 0.04 + 0.01)
    np.testing.assert_allclose(velocity[2500:], 0, atol=half_steps)
    np.testing.assert_allclose(corrected.acceleration[0], burst(), atol=half_steps / 6 + 1e-4)
    assert corrected.metadata["history"].startswith("baseline: constant offsets from 12 to 18 s and after")


def test_segments_leave_a_clean_record():
    corrected = correct_segments(shake(burst()), start=12.0, end=25.0)
    np.testing.assert_allclose(corrected.acceleration[0], burst(), atol=1e-9)
