"""Recordings that do not tell what a body did are found out, and others are not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mcrock as mr
from mcrock.measurement import Recording, sensed
from mcrock.measurement.faults import check_readings, later_motion


@pytest.fixture(scope="module")
def run():
    block = mr.cuboid(0.1, 0.14, 0.4, density=2700)
    return mr.simulate(block, None, mr.Impact(lambda_lat=-0.6), start=mr.Start(edge=0, tilt=0.2), t_end=3.0)


def rounded(recording, bit):
    """As a sensor with this resolution reads it [rad/s]."""
    return Recording(recording.time, np.round(recording.angular_velocity / bit) * bit)


@given(bit=st.floats(1e-5, 2e-3), seed=st.integers(0, 1000))
def test_what_a_sensor_reads_within_its_range_is_no_fault(run, bit, seed):
    recording = rounded(sensed(run, before=1.0, after=0.5, seed=seed), bit)  # to twice the noise
    part = recording.trimmed()
    check_readings(part)
    assert later_motion(recording, part) is None


@given(share=st.floats(0.6, 0.9), seed=st.integers(0, 1000))
def test_clipped_readings_are_found(run, share, seed):
    recording = sensed(run, before=1.0, seed=seed)
    limit = share * np.abs(recording.angular_velocity).max()
    clipped = Recording(recording.time, recording.angular_velocity.clip(-limit, limit))
    with pytest.raises(ValueError, match=r"omega_y is clipped: at .* s 3 readings or more"):
        check_readings(clipped.trimmed())


@given(first=st.integers(260, 400), lost=st.integers(3, 40))
def test_a_gap_is_found(run, first, lost):
    recording = sensed(run, before=1.0)
    keep = np.delete(np.arange(recording.time.size), slice(first, first + lost))
    part = Recording(recording.time[keep], recording.angular_velocity[keep])
    with pytest.raises(ValueError, match=f"missing for .* from {recording.time[first - 1]:.4g} s on"):
        check_readings(part)


def test_a_second_release_is_said(run):
    recording = sensed(run, before=1.0, after=1.0)
    time = np.concatenate([recording.time, recording.time[-1] + recording.time[1] + recording.time])
    both = Recording(time, np.tile(recording.angular_velocity, (2, 1)))
    part = both.trimmed()
    assert part.time[-1] < recording.time[-1]
    said = later_motion(both, part)
    begin = float(said.partition("from ")[2].partition(" s")[0])
    assert begin == pytest.approx(time[recording.time.size] + 1.0, abs=0.1)
