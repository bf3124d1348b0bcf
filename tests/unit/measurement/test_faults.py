"""Recordings that do not tell what a body did are found out, and others are not."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mcrock as mr
from mcrock.measurement import Recording, sensed
from mcrock.measurement.measures import (
    alignment,
    check_motion,
    check_readings,
    check_spikes,
    later_motion,
    lost_samples,
    measure_test,
    rest_before,
)
from mcrock.measurement.misfit import FreeRocking

BLOCK = mr.cuboid(0.1, 0.14, 0.4, density=2700)


@pytest.fixture(scope="module")
def rocking():
    return FreeRocking(BLOCK, 0, mr.Impact())


@pytest.fixture(scope="module")
def run():
    return mr.simulate(BLOCK, None, mr.Impact(lambda_lat=-0.6), start=mr.Start(edge=0, tilt=0.2), t_end=3.0)


def rounded(recording, bit):
    """As a sensor with this resolution reads it [rad/s]."""
    return Recording(recording.time, np.round(recording.angular_velocity / bit) * bit)


@given(bit=st.floats(1e-5, 2e-3), seed=st.integers(0, 1000))
def test_what_a_sensor_reads_within_its_range_is_no_fault(run, bit, seed):
    recording = rounded(sensed(run, before=1.0, after=0.5, seed=seed), bit)  # to twice the noise
    check_spikes(recording)
    part = recording.trimmed()
    check_readings(part)
    assert later_motion(recording, part) is None
    assert lost_samples(part) is None


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


@given(at=st.integers(3, 500), size=st.floats(4, 60), axis=st.integers(0, 2))
def test_a_spike_is_found_and_named(run, at, size, axis):
    recording = sensed(run, before=1.0)
    rates = recording.angular_velocity.copy()
    rates[at, axis] = size * np.abs(rates).max()
    words = f"a spike: at {recording.time[at]:.4g} s omega_{'xyz'[axis]} is .* take the mean"
    with pytest.raises(ValueError, match=words):
        check_spikes(Recording(recording.time, rates))


def test_samples_that_are_lost_one_by_one_are_counted(run):
    recording = sensed(run, before=1.0)
    keep = np.delete(np.arange(recording.time.size), slice(7, None, 50))
    part = Recording(recording.time[keep], recording.angular_velocity[keep])
    check_readings(part)
    assert f"{recording.time.size - keep.size} samples are missing, 2 %" in lost_samples(part)


def test_a_rest_is_long_enough_for_a_bias(run):
    assert rest_before(sensed(run, before=0.9)) is None
    begin, end = rest_before(sensed(run, before=1.2, bias=(0.007, -0.005, 0.003)))
    assert (begin, end) == pytest.approx((0.0, 0.7), abs=0.1)
    held = sensed(run, before=2.2)
    turned = np.where(held.time < 1.5, 0.04 * np.sin(np.pi * held.time / 1.5), 0.0)  # 1.4 degrees by hand
    assert rest_before(held) is not None
    assert rest_before(Recording(held.time, held.angular_velocity + turned[:, None])) is None


def test_a_second_release_is_said(run):
    recording = sensed(run, before=1.0, after=1.0)
    time = np.concatenate([recording.time, recording.time[-1] + recording.time[1] + recording.time])
    both = Recording(time, np.tile(recording.angular_velocity, (2, 1)))
    part = both.trimmed()
    assert part.time[-1] < recording.time[-1]
    said = later_motion(both, part)
    begin = float(said.partition("from ")[2].partition(" s")[0])
    assert begin == pytest.approx(time[recording.time.size] + 1.0, abs=0.1)


@given(share=st.floats(0.1, 0.95), edge=st.integers(0, 3), seed=st.integers(0, 1000))
@settings(max_examples=12, deadline=None)
def test_a_test_of_the_body_is_no_fault_and_in_another_unit_is(share, edge, seed):
    """Released anywhere up to near its unstable pose, through a noisy sensor."""
    axes = FreeRocking(BLOCK, edge, mr.Impact())
    start = mr.Start(edge=edge, tilt=share * axes.most_tilt)
    released = mr.simulate(BLOCK, None, mr.Impact(), start=start, t_end=3.0)
    part = sensed(released, before=1.0, after=0.5, seed=seed).trimmed()
    check_motion(part, BLOCK, axes.along, axes.across)
    for factor, unit in ((np.pi / 180.0, "rad/s"), (180.0 / np.pi, "deg/s")):
        other = replace(part, angular_velocity=factor * part.angular_velocity)
        with pytest.raises(ValueError, match=f"are not of this body, and are if they are in {unit}"):
            check_motion(other, BLOCK, axes.along, axes.across)


def test_another_body_edge_and_time_are_found(run, rocking):
    part = sensed(run, before=1.0, after=0.5).trimmed()
    larger = mr.cuboid(0.4, 0.56, 1.6, density=2700)
    with pytest.raises(ValueError, match="check the body of `--body`, the edge, and the units of time"):
        check_motion(part, larger, rocking.along, rocking.across)
    with pytest.raises(ValueError, match="check the body of `--body`, the edge, and the units of time"):
        check_motion(replace(part, time=1e-3 * part.time), BLOCK, rocking.along, rocking.across)
    opposite, side = (FreeRocking(BLOCK, edge, mr.Impact()) for edge in (2, 1))
    turned = part.turned(alignment(part, opposite.along))
    with pytest.raises(ValueError, match="released over the opposite edge"):
        check_motion(turned, BLOCK, opposite.along, opposite.across)
    with pytest.raises(ValueError, match="90 deg off the edge"):
        alignment(part, side.along)


def test_a_recording_without_a_release_or_an_impact_says_so(run, rocking):
    whole = sensed(run, before=1.0, after=0.5)
    with pytest.raises(ValueError, match="no release in it: all rates are below 1e-06 rad/s"):
        replace(whole, angular_velocity=0.0 * whole.angular_velocity).trimmed()
    noise = np.random.default_rng(0).normal(0.0, 1e-3, (2000, 3))
    with pytest.raises(ValueError, match="no release in it: no rate is above 5 times the noise"):
        check_readings(Recording(np.arange(2000) / 256.0, noise))
    falling = whole.between(0.0, 1.35)  # the first impact is at 1.4 s
    with pytest.raises(ValueError, match=r"no impact in it: .* record until the body is at rest again"):
        alignment(falling, rocking.along)
    with pytest.raises(ValueError, match="1 impact in it, and two are needed; record until the body is at"):
        measure_test(BLOCK, whole.between(0.0, 1.42), rocking.along, rocking.across)
