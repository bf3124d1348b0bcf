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


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ({"step": "trim"}, "processing must be a list of steps, got {'step': 'trim'}"),
        ("trim", "must be a list of steps, got 'trim'"),
        (["trim"], "step 1 of the processing must be a table with 'step', one of resample, .* got 'trim'"),
        ([{"low": 1.0}], "must be a table with 'step'"),
        ([{"step": "trim"}, {"step": "filter"}], "step 2 of the processing must be one of .* got 'filter'"),
        ([{"step": ["trim"]}], r"step 1 of the processing must be one of .* got \['trim'\]"),
        (
            [{"step": "bandpass", "hight": 2.0}],
            "step 1, bandpass: unknown parameter 'hight'; did you mean 'high",
        ),
        ([{"step": "rotate", "direction": 2.0}], "unknown parameter 'direction'; it takes azimuth"),
        ([{"step": "bandpass", "low_deg": 2.0}], "unknown parameter 'low_deg'"),
        ([{"step": "rotate"}], r"step 1, rotate: azimuth \[rad\] is missing"),
        ([{"step": "rotate", "azimuth": 1.0, "azimuth_deg": 1.0}], "give azimuth or azimuth_deg, not both"),
        ([{"step": "rotate", "azimut_deg": 30}], "did you mean 'azimuth_deg'"),
        ([{"step": "rotate", "azimuth": 30}], "azimuth = 30 rad is more than a circle; .* azimuth_deg"),
        ([{"step": "rotate", "azimuth_deg": "N"}], r"azimuth_deg must be a finite number \[deg\], got 'N'"),
        ([{"step": "bandpass", "low": "1 Hz"}], r"bandpass: low must be a finite number \[Hz\], got '1 Hz'"),
        ([{"step": "bandpass", "low": True}], "low must be a finite number .* got True"),
        ([{"step": "resample", "dt": float("inf")}], "dt must be a finite number .* got inf"),
        ([{"step": "baseline", "order": 1.0}], r"order must be a whole number \[1\], got 1.0"),
        ([{"step": "vertical", "on": 1}], r"on must be true or false \[1\], got 1"),
        ([{"step": "reverse", "components": 1}], "components must be a text .* got 1"),
    ],
)
def test_lists_of_steps_are_checked_before_anything_is_done(steps, message):
    with pytest.raises(MotionError, match=message):
        check_steps(steps)


@pytest.mark.parametrize(
    ("step", "message"),
    [
        ({"step": "trim", "start": 0.9, "end": 0.1}, r"step 1, trim: motion 'noise': shares .* 0.9 and 0.1"),
        ({"step": "trim", "padding": 1.0, "taper": 2.0}, "trim needs 0 <= taper <= padding .* 2.0 and 1.0"),
        ({"step": "reverse", "components": "xx"}, "components to reverse must be some of 'xyz', got 'xx'"),
        ({"step": "reverse", "components": ""}, "got ''"),
        ({"step": "assign", "x": "east"}, "role x must be x, y, z, one of them with a minus .* got 'east'"),
        ({"step": "assign", "x": "y"}, "a component can have one role, got x = 'y', y = 'y', z = 'z'"),
        ({"step": "resample", "dt": 60.0}, "the new dt must be below the duration"),
    ],
)
def test_steps_refuse(step, message):
    with pytest.raises(MotionError, match=message):
        process(noise(), [step])


def test_a_still_motion_cannot_be_trimmed():
    with pytest.raises(MotionError, match="motion 'still' is zero throughout, so no part of it is"):
        trim(Motion(np.zeros((3, 10)), dt=DT, name="still"))
