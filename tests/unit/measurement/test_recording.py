"""Recordings of sensors: read, put right, and turned into attitudes."""

from itertools import pairwise
from math import log2

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import mcrock as mr
from mcrock.measurement import (
    Recording,
    euler_angles,
    read_recording,
    write_recording,
    zero_crossing_correction,
)


def spinning(n, end=1.0):
    """A turn about an axis that itself turns, with its attitude at the end."""
    time = np.linspace(0.0, end, n + 1)
    rotation = Rotation.from_euler(
        "ZYX", np.stack([1.3 * time, np.sin(2 * time), 0.7 * np.cos(3 * time)], -1)
    )
    angle = np.stack([1.3 * time, np.sin(2 * time), 0.7 * np.cos(3 * time)])
    _, y, x = angle
    dz, dy, dx = 1.3 + 0 * time, 2 * np.cos(2 * time), -2.1 * np.sin(3 * time)
    w = np.stack([dx - dz * np.sin(y), dy * np.cos(x) + dz * np.cos(y) * np.sin(x),
                  dz * np.cos(y) * np.cos(x) - dy * np.sin(x)], -1)  # fmt: skip
    return Recording(time, w), rotation


def test_order_of_the_attitude():
    """The mean of two ends is of second order; where the rate is linear the turn has fourth order."""
    errors = []
    for n in (32, 64, 128):
        recording, rotation = spinning(n)
        found = recording.orientation(rotation[0].as_quat(scalar_first=True))
        assert np.linalg.norm(found, axis=1) == pytest.approx(1.0)
        errors.append((Rotation.from_quat(found[-1], scalar_first=True).inv() * rotation[-1]).magnitude())
    assert log2(errors[0] / errors[1]) > 1.9
    assert log2(errors[1] / errors[2]) > 1.9
    time = np.linspace(0.0, 1.0, 9)
    line = np.outer(1.0 - time, [2.0, 0.0, 0.5]) + np.outer(time, [0.0, 2.0, -0.5])
    coarse = Recording(time, line).orientation()[-1]
    finely = np.linspace(0.0, 1.0, 4097)
    readings = np.stack([np.interp(finely, time, column) for column in line.T], -1)
    fine = Recording(finely, readings).orientation()[-1]
    ends = [Rotation.from_quat(each, scalar_first=True) for each in (coarse, fine)]
    gap = (ends[0].inv() * ends[1]).magnitude()
    plain = Rotation.identity()
    for a, b in pairwise(line):
        plain = plain * Rotation.from_rotvec(0.5 / 8 * (a + b))
    assert gap < 0.1 * (plain.inv() * Rotation.from_quat(fine, scalar_first=True)).magnitude()


def test_bias_and_mounting_are_put_right():
    """A block that stands, rocks and stands again, with a sensor that is askew and drifts."""
    block = mr.cuboid(0.1, 0.3, 0.4, 2700.0)
    run = mr.simulate(
        block, start=mr.Start(edge=0, tilt=0.18), controls=mr.Controls(max_step=1e-3), t_end=5.0
    )
    phi = euler_angles(run.history.orientation.values)
    quaternions = run.history.orientation.values
    turns = Rotation.from_quat(quaternions, scalar_first=True)
    body_rates = turns.inv().apply(run.history.angular_velocity.values)
    time = np.arange(0.0, run.history.time.values[-1], 1.0 / 256)
    inside = np.searchsorted(run.history.time.values, time).clip(0, len(turns) - 1)
    still = np.arange(-2.0, 0.0, 1.0 / 256)
    rng = np.random.default_rng(3)
    t = np.concatenate([still, time])
    rates = np.concatenate([np.zeros((still.size, 3)), body_rates[inside]])
    askew = Rotation.from_rotvec([0.01, -0.02, 0.0])
    bias = np.array([0.01, -0.02, 0.015])
    force = np.tile(askew.inv().apply([0.0, 0.0, 9.81]), (t.size, 1)) + rng.normal(0.0, 0.02, (t.size, 3))
    noisy = askew.inv().apply(rates) + bias + rng.normal(0.0, 2e-3, (t.size, 3))
    raw = Recording(t, noisy, force)
    level, _ = Rotation.align_vectors([[0.0, 0.0, 1.0]], [force[(t > -2.0) & (t < -0.05)].mean(0)])
    right = raw.unbiased((-2.0, -0.05)).turned(level).between(0.0, time[-1])
    assert np.median(np.abs(right.angular_velocity - body_rates[inside][: right.time.size])) < 3e-3
    found = euler_angles(right.orientation(quaternions[0]))[:, 1]
    truth = phi[inside, 1][: right.time.size]
    corrected = zero_crossing_correction(right.time, found, right.angular_velocity[:, 1])
    early = right.time < 1.5
    assert np.abs(found - truth)[early].max() < 0.02
    assert np.abs(corrected - truth)[early].max() < 0.05


def test_what_needs_still_intervals_says_so():
    recording = Recording(np.linspace(0.0, 1.0, 5), np.zeros((5, 3)))
    for call, says in (
        (recording.unbiased, "was still"),
        (lambda: recording.unbiased((3.0, 4.0)), "0 samples"),
    ):
        with pytest.raises(ValueError, match=says):
            call()


def test_bias_that_changes_evenly_is_known_from_two_intervals():
    time = np.linspace(0.0, 10.0, 101)
    drifting = np.outer(1.0 + 0.1 * time, [0.02, -0.01, 0.005])
    found = Recording(time, drifting).unbiased((0.0, 1.0), (9.0, 10.0))
    middle = (time >= 0.5) & (time <= 9.5)
    assert np.abs(found.angular_velocity[middle]).max() < 1e-12


def test_a_recording_that_was_written_is_read_again(tmp_path):
    rates = np.random.default_rng(1).normal(0.0, 3.0, (50, 3))
    recording = Recording(np.arange(50) / 256.0, rates).clipped(4.0)
    assert abs(recording.angular_velocity).max() == 4.0
    again = read_recording(write_recording(recording, tmp_path / "test.csv"))
    assert again.time == pytest.approx(recording.time, rel=1e-8)
    assert again.angular_velocity == pytest.approx(recording.angular_velocity, rel=1e-8)
    with pytest.raises(ValueError, match=r"most must be .* > 0 \[rad/s\]"):
        recording.clipped(0.0)
