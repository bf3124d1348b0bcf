"""How a sensor is turned on a body, from gravity and the first swing, against the turn that it was given."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import mcrock as mr
from mcrock.commands.measurement import RecordingOptions
from mcrock.measurement import mounting, sensed, with_acceleration, write_recording
from mcrock.measurement.misfit import FreeRocking

BODY = mr.cuboid(0.1, 0.14, 0.4, 2700)
BIAS = 0.3  # of an inexpensive accelerometer [m/s2]


@pytest.fixture(scope="module")
def run():
    impact = mr.Impact(lambda_=0.7, lambda_lon=0.7, lambda_lat=0.3)
    return mr.simulate(BODY, None, impact, start=mr.Start(edge=1, tilt=0.15), t_end=20.0)


def recorded(run, turn, seed, bias=None):
    """Readings of a sensor that ``turn`` takes to axes of the body, and when it stood on its base."""
    rng = np.random.default_rng(seed)
    found = sensed(run, before=2.0, after=1.5, bias=rng.normal(0.0, 0.02, 3), seed=seed)
    bias = rng.normal(0.0, BIAS, 3) if bias is None else bias
    found = with_acceleration(found, run, before=2.0, bias=bias, seed=seed).turned(turn.inv())
    return found, (float(found.time[-1]) - 1.2, float(found.time[-1]))


def test_the_turn_of_a_sensor_comes_back_within_its_interval(run):
    """Of three angles of 24 sensors, 95 % are within: fewer than 64 of 72 once in 100 such tests."""
    inside = []
    along = FreeRocking(BODY, 1, mr.Impact()).along
    for seed in range(24):
        turn = Rotation.random(rng=np.random.default_rng(seed))
        data, rest = recorded(run, turn, seed)
        data = data.unbiased((0.0, 1.5))
        found = mounting(data.trimmed(), data, along, rest)
        inside.append(np.abs((found.turn * turn.inv()).as_rotvec()) <= found.uncertainty)
        assert found.uncertainty[1:].max() < np.radians(0.1)  # what the edge shows
    assert np.sum(inside) >= 64


def test_a_recording_is_turned_by_its_rest(run, tmp_path):
    """Without a word of its axes, and with what it says of them."""
    turn = Rotation.from_rotvec([100.0, 20.0, -130.0], degrees=True)
    data, rest = recorded(run, turn, 0, np.zeros(3))
    path = write_recording(data, tmp_path / "test.csv")
    found, (said,) = RecordingOptions(still=(0.0, 1.5), rest=rest).read(
        path, FreeRocking(BODY, 1, mr.Impact())
    )
    clean = sensed(run, before=2.0, after=1.5, noise_density=0.0).between(found.time[0], found.time[-1])
    assert np.abs(found.angular_velocity - clean.angular_velocity).max() < 0.01
    assert said.startswith(f"the sensor is turned by {np.degrees(turn.magnitude()):.3g} deg on the body, to ")


def test_an_accelerometer_at_rest_reads_gravity_and_an_impact(run):
    """At rest 9.81 m/s2 along the vertical, in an impact more."""
    found = with_acceleration(sensed(run, before=1.0, after=1.0), run, before=1.0, noise_density=0.0)
    assert found.acceleration[-100:] == pytest.approx(np.tile([0.0, 0.0, 9.81], (100, 1)), abs=0.02)
    assert np.linalg.norm(found.acceleration[50]) == pytest.approx(9.81)
    assert found.acceleration[50, 2] == pytest.approx(9.81 * np.cos(0.15))  # held at the tilt of the release
    assert np.linalg.norm(found.acceleration, axis=1).max() > 15.0


def test_rest_that_tells_nothing_is_refused(run):
    data, along = sensed(run, before=1.0), np.array([1.0, 0.0, 0.0])
    with pytest.raises(ValueError, match="rest needs acceleration"):
        mounting(data, data, along, (0.0, 0.5))
    lying = replace(data, acceleration=np.tile(9.81 * along, (data.time.size, 1)))
    with pytest.raises(ValueError, match="an axis that is 90 deg off level; check that it stands"):
        mounting(data, lying, along, (0.0, 0.5))
