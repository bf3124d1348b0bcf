"""Recordings of sensors: read, put right, and turned into attitudes."""

import re
from itertools import pairwise
from math import log2

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import mcrock as mr
from mcrock.base.tables.parsing import ConfigError
from mcrock.measurement import (
    Recording,
    euler_angles,
    read_recording,
    write_recording,
    zero_crossing_correction,
)

HEAD = "time [s], omega_x [deg/s], omega_y [deg/s], omega_z [deg/s]\n"


def written(tmp_path, text):
    path = tmp_path / "test.csv"
    path.write_text(text)
    return path


def test_columns_by_name_and_unit(tmp_path):
    path = written(
        tmp_path,
        "n, omega_z [rad/s], time [ms], omega_x [deg/s], omega_y [dps], acceleration_x [g], "
        "acceleration_y [g], acceleration_z [m/s2]\n1, 3, 0, 90, 0, 0, 0, 9.81\n2, 4, 5, 0, 180, 1, 0, 0\n",
    )
    found = read_recording(path)
    assert found.time == pytest.approx([0.0, 0.005])
    assert found.angular_velocity == pytest.approx(np.array([[np.pi / 2, 0.0, 3.0], [0.0, np.pi, 4.0]]))
    assert found.acceleration == pytest.approx(np.array([[0.0, 0.0, 9.81], [9.80665, 0.0, 0.0]]))


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        (
            '"Time (s)","Gyroscope x (rad/s)","Gyroscope y (rad/s)","Gyroscope z (rad/s)","Sum"\n'
            "0.0E0,1.0E0,2.0E0,-3.0E0,3.7E0\n5.0E-3,4.0E0,5.0E0,6.5E0,9.0E0\n",
            {},
        ),
        (
            "Time (s);Gyroscope x (rad/s);Gyroscope y (rad/s);Gyroscope z (rad/s)\n"
            "0,000;1,0;2,0;-3,0\n0,005;4,0;5,0;6,5\n",
            {},
        ),
        (
            "date\ttime [ms]\tgyroX [rad/s]\tGYRO_Y [rad/s]\tgyr_z [rad/s]\n"
            "mon\t0\t1\t2\t-3\ntue\t5\t4\t5\t6.5",
            {},
        ),
        (
            "tick,a,b,c\n0,1,2,-3\n5000,4,5,6.5\n",
            {"time": "tick [us]", "omega_x": "a [rad/s]", "omega_y": "b [rad/s]", "omega_z": "c [rad/s]"},
        ),
        (
            "time [s],omega_x [rad/s],omega_y [rad/s],omega_z [rad/s],raw [rad/s]\n"
            "0,9,2,-3,1\n.005,9,5,6.5,4\n",
            {"omega_x": "raw"},
        ),
        (
            "timestamp [ms],time [s],omega_x [rad/s],omega_y [rad/s],omega_z [rad/s]\n"
            "7,0,1,2,-3\n9,.005,4,5,6.5\n",
            {},
        ),
    ],
    ids=["phyphox", "semicolons", "tabs", "own names", "one of two", "two times"],
)
def test_files_as_they_come(tmp_path, text, columns):
    found = read_recording(written(tmp_path, text), columns=columns)
    assert found.time == pytest.approx([0.0, 0.005])
    assert found.angular_velocity == pytest.approx(np.array([[1.0, 2.0, -3.0], [4.0, 5.0, 6.5]]))


@pytest.mark.parametrize(
    ("head", "columns", "says"),
    [
        ("t [s], gyro_x, gyro_y [dps], gyro_z [dps]\n", {}, "'omega_x=HEADER [rad/s]'"),
        ("t [s], gyro_x [dps], gyr_x [dps], gyro_z [dps]\n", {}, "two columns for 'omega_x'"),
        ("t [s], p [dps], gyro_y [dps], gyro_z [dps]\n", {}, "'omega_x=HEADER'"),
        ("t [s], p [dps], gyro_y [dps], gyro_z [dps]\n", {"gyro": "p"}, "columns are of time, omega_x"),
        ("t [s], p [dps], gyro_y [dps], gyro_z [dps]\n", {"omega_x": "q"}, "no column 'omega_x'"),
    ],
)
def test_a_column_that_is_not_known_is_asked_for(tmp_path, head, columns, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        read_recording(written(tmp_path, head + "0, 1, 2, 3\n1, 1, 2, 3\n"), columns=columns)


def test_axes_of_the_sensor_are_those_of_the_body_after_it(tmp_path):
    path = written(tmp_path, HEAD + "0, 1, 2, 3\n1, 4, 5, 6\n")
    plain, turned = read_recording(path), read_recording(path, axes="y -x z")
    assert turned.angular_velocity == pytest.approx(plain.angular_velocity[:, [1, 0, 2]] * [1.0, -1.0, 1.0])


@pytest.mark.parametrize(
    ("text", "axes", "error", "says"),
    [
        (HEAD + "0, 1, 2, 3\n", "x y z", ValueError, "two samples at least, got 1"),
        (HEAD + "1, 1, 2, 3\n0, 1, 2, 3\n", "x y z", ValueError, "must rise .* after 1 comes 0"),
        ("", "x y z", ConfigError, "test.csv: no header with columns of a sensor"),
        (HEAD + "0, 1, 2, 3\n1, nan, 2, 3\n", "x y z", ConfigError, r"line 3, column .omega_x .* got .nan."),
        (HEAD + "0, 1, 2, 3\n1, 1e200, 2, 3\n", "x y z", ValueError, "or beyond 1e\\+09"),
        (HEAD + "0, 1, 2, 3\n1, 1, 2, 3\n", "x x z", ValueError, "once each"),
        (HEAD + "0, 1, 2, 3\n1, 1, 2, 3\n", "y x z", ValueError, "left-handed"),
        (HEAD.replace(", omega_z [deg/s]", ""), "x y z", ConfigError, "no column 'omega_z'"),
        (HEAD.replace("[s]", ""), "x y z", ConfigError, "expected its unit"),
        (HEAD.replace("_x [deg/s]", "_x [turns]"), "x y z", ConfigError, "rad/s, deg/s, dps"),
        (HEAD + "0, a, 2, 3\n", "x y z", ConfigError, "expected a number"),
    ],
)
def test_wrong_files_are_refused_with_the_reason(tmp_path, text, axes, error, says):
    with pytest.raises(error, match=says):
        read_recording(written(tmp_path, text), axes)


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


def test_angles_are_rates_over_time(tmp_path):
    """Angles that a file lacks are 0; the others are those of `euler_angles`, whatever their order."""
    turns = Rotation.from_rotvec(np.outer(np.arange(50) / 100.0, [0.3, -0.4, 0.2]))
    angles = euler_angles(turns.as_quat(scalar_first=True))
    head = "time [ms],angle_z [deg],angle_x [deg],angle_y [deg]"
    cells = np.column_stack([10.0 * np.arange(50), np.degrees(angles[:, [2, 0, 1]])])
    np.savetxt(tmp_path / "turned.csv", cells, delimiter=",", header=head, comments="")
    found = read_recording(tmp_path / "turned.csv", "y -x z")
    assert found.time[0] == pytest.approx(0.005)
    assert found.angular_velocity == pytest.approx(np.tile([-0.4, -0.3, 0.2], (49, 1)))
    (tmp_path / "tilt.csv").write_text("t [s],phi_y [rad]\n0,0.1\n0.1,0.05\n0.2,0\n")
    flat = read_recording(tmp_path / "tilt.csv").angular_velocity
    assert flat == pytest.approx(np.tile([0.0, -0.5, 0.0], (2, 1)))


@pytest.mark.parametrize("unit", ["deg/s", "DEG/SEC", "\u00b0/s", "dps"])
def test_units_in_other_words(tmp_path, unit):
    (tmp_path / "a.csv").write_text(
        f"time [Sec],omega_x [{unit}],omega_y [{unit}],omega_z [{unit}]\n0,180,0,0\n0.1,0,0,0\n"
    )
    assert read_recording(tmp_path / "a.csv").angular_velocity[0, 0] == pytest.approx(np.pi)
