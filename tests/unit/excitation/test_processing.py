"""Steps of processing: trimming, directions, roles, and lists of steps with their messages."""

from math import pi

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcrock.excitation import Motion, MotionError, intensity
from mcrock.excitation.measures import energy_of, significant_times
from mcrock.excitation.processing import STEPS, assign, check_steps, process, reverse, rotate, trim, vertical

DT = 0.01


def noise(seed=0, n=3000):
    """Noise that swells and fades."""
    samples = np.random.default_rng(seed).normal(size=(3, n)) * np.hanning(n) ** 4
    return Motion(samples, dt=DT, name="noise", group="event", metadata={"magnitude": 6.5})


def test_trimming_keeps_the_significant_part_as_it_is():
    motion = noise()
    short = trim(motion, 0.05, 0.95, padding=2.0, taper=1.0)
    energy = sum(energy_of(component, DT) for component in motion.acceleration[:2])
    inside = np.flatnonzero((energy > 0.05 * energy[-1]) & (energy < 0.95 * energy[-1]))
    first = round(float(short.metadata["history"].split("to ")[1].split("-")[0]) / DT)
    assert abs(inside[0] - first - 200) <= 2
    assert abs(first + short.acceleration.shape[1] - 1 - inside[-1] - 200) <= 2
    kept = slice(inside[0] - 95, inside[-1] + 95)
    new = slice(kept.start - first, kept.stop - first)
    np.testing.assert_array_equal(short.acceleration[:, new], motion.acceleration[:, kept])
    assert not short.acceleration[:, 0].any()
    assert not short.acceleration[:, -1].any()
    assert (short.group, short.metadata["magnitude"]) == ("event", 6.5)


def test_trimming_by_one_component_agrees_with_its_duration():
    samples = noise().acceleration * np.array([[1.0], [0.0], [1.0]])
    motion = Motion(samples, dt=DT, name="single")
    short = trim(motion, padding=0.0, taper=0.0)
    first, last = significant_times(motion.acceleration[0], DT)
    assert short.duration == pytest.approx(last - first, abs=2 * DT)
    assert short.acceleration[2].any()  # the vertical goes along


def test_a_record_that_is_all_significant_stays_whole():
    motion = Motion(np.ones((3, 100)), dt=DT, name="constant")
    np.testing.assert_array_equal(trim(motion, padding=5.0).acceleration, motion.acceleration)
    upwards = Motion([[0.0] * 50, [0.0] * 50, [0.0] * 20 + [1.0] * 10 + [0.0] * 20], dt=DT, name="vertical")
    assert trim(upwards, padding=0.0, taper=0.0).duration < 0.15


@given(st.floats(-10, 10))
def test_turning_there_and_back(azimuth):
    motion = noise(n=50)
    back = rotate(rotate(motion, azimuth), -azimuth)
    np.testing.assert_allclose(back.acceleration, motion.acceleration, atol=1e-12)
    assert intensity(rotate(motion, pi), "pga") == pytest.approx(intensity(motion, "pga"), rel=1e-12)


def test_turning_is_named():
    assert rotate(noise(), pi / 6).metadata["history"] == "rotated by 30 deg"


@pytest.mark.parametrize("components", ["xyz", "x", "zy"])
def test_reversing_twice_changes_nothing(components):
    motion = noise(n=50)
    once = reverse(motion, components)
    for axis, row, new in zip("xyz", motion.acceleration, once.acceleration, strict=True):
        np.testing.assert_array_equal(new, -row if axis in components else row)
    np.testing.assert_array_equal(reverse(once, components).acceleration, motion.acceleration)
    assert once.metadata["history"] == f"sign of {components} reversed"


def test_reversing_the_pair_is_half_a_turn():
    motion = noise(n=50)
    np.testing.assert_allclose(
        reverse(motion, "xy").acceleration, rotate(motion, pi).acceleration, atol=1e-15 * 10
    )


def test_roles():
    motion = noise(n=50)
    x, y, z = motion.acceleration
    turned = assign(motion, x="y", y="-x")
    np.testing.assert_array_equal(turned.acceleration, [y, -x, z])
    np.testing.assert_allclose(turned.acceleration, rotate(motion, -pi / 2).acceleration, atol=1e-14)
    np.testing.assert_array_equal(assign(motion, x="z", z="none").acceleration, [z, y, 0 * z])
    assert turned.metadata["history"] == "components assigned: x = y, y = -x, z = z"


def test_vertical():
    motion = noise(n=50)
    off = vertical(motion, on=False)
    assert off.acceleration[:2].any()
    assert not off.acceleration[2].any()
    np.testing.assert_array_equal(vertical(motion, on=True).acceleration, motion.acceleration)
    with pytest.raises(MotionError, match="motion 'noise' has no vertical component that could be on"):
        vertical(off, on=True)


def test_steps_act_in_their_order_and_are_named():
    motion = noise()
    steps = [
        {"step": "remove_mean", "duration": 1},
        {"step": "bandpass", "low": 0.1, "high": 25.0, "order": 2},
        {"step": "baseline", "order": 2},
        {"step": "resample", "dt": 0.005},
        {"step": "trim", "start": 0.01, "end": 0.99},
        {"step": "rotate", "azimuth_deg": 30},
        {"step": "reverse"},
        {"step": "assign", "x": "y", "y": "x"},
        {"step": "vertical", "on": False},
    ]
    processed = process(motion, steps)
    history = processed.metadata["history"].split("; ")
    assert [phrase.split()[0] for phrase in history] == [
        "mean",
        "band-pass",
        "baseline:",
        "resampled",
        "trimmed",
        "rotated",
        "sign",
        "components",
        "vertical",
    ]
    by_hand = motion
    for name, parameters in check_steps(steps):
        by_hand = STEPS[name].function(by_hand, **parameters)
    np.testing.assert_array_equal(processed.acceleration, by_hand.acceleration)
    assert processed.dt == 0.005
    assert "history" not in motion.metadata
    assert process(motion, []) is motion


def test_every_step_declares_its_parameters():
    import inspect

    for step in STEPS.values():
        _, *parameters = inspect.signature(step.function).parameters.values()
        assert [parameter.name for parameter in parameters] == list(step.parameters)
