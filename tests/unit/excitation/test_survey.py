"""What is flagged, and what is not."""

import numpy as np
import pytest

from mcrock.excitation import Motion, fema_p695, intensity
from mcrock.excitation.motion import MotionError
from mcrock.excitation.readers.collections import SETS
from mcrock.excitation.selection import COLUMNS, component_values, survey, suspicions

G = 9.80665
DT = 0.01
TIME = np.arange(3001) * DT


def clean(factor=1.0, frequency=2.0):
    """Shaking that begins and ends with zero acceleration and velocity [m/s2]."""
    t = TIME - 15.0
    velocity = np.exp(-((t / 4.0) ** 2)) * np.sin(2 * np.pi * frequency * t)
    acceleration = np.gradient(velocity, DT)
    return 3.0 * factor * acceleration / np.abs(acceleration).max()


def motion(x, y=None, z=None, dt=DT, **metadata):
    other = 0.8 * clean(frequency=1.7)
    components = [x, other if y is None else y, 0.5 * clean(frequency=3.1) if z is None else z]
    return Motion(np.array(components), dt, "record", metadata=metadata)


def test_nothing_is_flagged_on_a_clean_record():
    assert suspicions(motion(clean())) == []


@pytest.mark.parametrize("set", SETS)
def test_hardly_anything_is_flagged_on_processed_records(set):
    """All 50 of FEMA P695 were processed by PEER."""
    try:
        records = fema_p695(set)
    except MotionError as error:
        pytest.skip(str(error))
    flags = [flag for record in survey(records) for flag in record.flags]
    assert [
        flag for flag in flags if "end" not in flag and "began" not in flag and "begins" not in flag
    ] == []
    assert len(flags) <= 0.15 * len(records)


def test_wrong_unit_is_suspected_at_both_ends():
    assert suspicions(motion(11 * clean())) == ["x: PGA 3.37 g; is the unit right?"]
    small = Motion(1e-3 * motion(clean()).acceleration, DT, "small")
    assert suspicions(small) == ["PGA 0.00031 g; is the unit right?"]


def test_cut_shaking_is_flagged():
    start = int(15.12 / DT)
    flags = suspicions(motion(*(clean(frequency=f)[start:] for f in (2.0, 1.7, 3.1))))
    assert [flag for flag in flags if "the record begins at" in flag]
    flags = suspicions(motion(*(clean(frequency=f)[:start] for f in (2.0, 1.7, 3.1))))
    assert [flag for flag in flags if "the record ends at" in flag]


def test_velocity_left_at_the_end_is_flagged():
    offset = clean() + 0.05 * (TIME < 29)
    flags = suspicions(motion(offset - offset[0] * (TIME == 0)))
    assert any("x: the ground has 1.4 m/s at the end" in flag for flag in flags)
    assert any("from where it began" in flag for flag in flags)


def test_clipped_samples_are_flagged():
    beyond = np.concatenate([[0], (clean() > 1.5).astype(int), [0]])
    longest = (np.flatnonzero(np.diff(beyond) < 0) - np.flatnonzero(np.diff(beyond) > 0)).max()
    flags = suspicions(motion(np.clip(clean(), -1.5, 1.5)))
    assert flags == [f"x: {longest} samples in a row at the same extreme: clipped?"]


@pytest.mark.parametrize("resolution", [0.3, 0.1, 0.01, 0.001])
def test_rounding_is_not_clipping(resolution):
    """The peak of a coarsely recorded motion is flat too, but not reached in a jump."""
    smooth = clean(frequency=0.5)
    rounded = np.round(smooth / resolution) * resolution
    assert not [flag for flag in suspicions(motion(rounded)) if "clipped" in flag]


def test_a_spike_is_flagged():
    spiked = clean()
    spiked[700] = 20.0
    assert "x: a single sample at 7 s is 6.7 times any other" in suspicions(motion(spiked))


def test_what_several_components_share_is_said_once():
    large = motion(11 * clean(), 12 * clean(frequency=1.7))
    assert suspicions(large) == ["x, y: PGA 3.67 g; is the unit right?"]


def test_time_step_and_length():
    coarse = motion(*(clean(frequency=f)[::5] for f in (2.0, 1.7, 3.1)), dt=0.05)
    assert "the time step of 0.05 s is longer than 0.02 s: short periods are lost" in suspicions(coarse)
    short = Motion(motion(clean()).acceleration, 0.0005, "short")
    assert "1.5 s long, shorter than 2 s" in suspicions(short)


def test_components():
    nothing = np.zeros_like(TIME)
    assert suspicions(motion(clean(), nothing, missing="y, z")) == ["one horizontal component only"]
    assert suspicions(motion(nothing, nothing, clean())) == ["no horizontal component"]
    assert suspicions(motion(nothing, nothing, nothing)) == ["zero throughout"]
    assert suspicions(motion(clean(), clean())) == ["the horizontal components are the same"]
    assert suspicions(motion(clean(), -clean())) == ["the horizontal components are the same"]
    assert "z: zero throughout" in suspicions(motion(clean(), z=nothing, missing=""))
    skewed = motion(clean(), azimuth_x=np.pi / 2, azimuth_y=0.15)
    assert suspicions(skewed) == ["the horizontal components are 9 deg off a right angle"]
    assert suspicions(motion(np.full_like(TIME, 2.0)))[0] == "x: all samples are equal"


def test_remarks_of_the_reader_are_flags():
    assert suspicions(motion(clean(), remarks="one; two")) == ["one", "two"]


def test_padding_does_not_hide_an_end_in_the_shaking():
    cut = clean()
    cut[1512:] = 0.0
    assert any(flag.startswith("x: the ground has") for flag in suspicions(motion(cut)))


def test_records_are_compared():
    one = motion(clean())
    same = Motion(one.acceleration, DT, "copy")
    assert survey([one, same])[1].flags == ("the same samples as 'record'",)
    assert survey([one, same])[0].flags == ()


def test_values_are_those_of_the_intensity_measures():
    record = motion(clean(), 0.5 * clean())
    found = survey([record])[0]
    assert found.values.keys() == {*COLUMNS}
    for name, value in found.values.items():
        assert value == intensity(record, name)
    by_component = component_values(record)
    assert by_component["y"]["pga"] == pytest.approx(0.5 * by_component["x"]["pga"], rel=1e-15)
    assert found.values["pga"] == pytest.approx(by_component["x"]["pga"] * np.sqrt(0.5), rel=1e-15)
    vertical = survey([motion(np.zeros_like(TIME), np.zeros_like(TIME), clean())])[0]
    assert all(np.isnan(value) for value in vertical.values.values())


def shaken(seed, dt, pga, resolution):
    """Random shaking below 5 Hz for 40 s, recorded in steps of a resolution [g]."""
    rng = np.random.default_rng(seed)
    n = round(40.0 / dt)
    spectrum = np.fft.rfft(rng.normal(size=n))
    frequency = np.fft.rfftfreq(n, dt)
    shape = np.fft.irfft(spectrum * ((frequency > 0.2) & (frequency < 5.0)), n)
    shape *= np.sin(np.pi * np.arange(n) / n)
    return np.round(pga * shape / np.abs(shape).max() / resolution) * resolution * G


def clipping(samples, dt):
    return [flag for flag in suspicions(motion(samples, samples[::-1], samples, dt)) if "clipped" in flag]


def test_clipping_in_separate_places_is_flagged():
    """At a time step of 0.02 s peaks are cut at one or two samples each."""
    whole = shaken(7, 0.02, 0.4, 1e-6)
    level = 0.93 * whole.max()
    cut = np.minimum(whole, level)
    at = (cut == level).astype(int)
    number, places = at.sum(), np.count_nonzero(np.diff(at) > 0)
    assert number >= 4
    assert not (at[2:] + at[1:-1] + at[:-2] == 3).any()
    flag = f"x, y, z: {number} samples at the same extreme in {places} places: clipped?"
    assert clipping(cut, 0.02) == clipping(-cut, 0.02) == [flag]
    assert clipping(whole, 0.02) == []


@pytest.mark.parametrize("dt", [0.005, 0.02])
@pytest.mark.parametrize("pga", [0.05, 0.1, 0.3])
def test_coarse_records_reach_their_extreme_by_chance(dt, pga):
    """A hundred records in steps of 0.01 g: no false alarm."""
    assert [flag for seed in range(100) for flag in clipping(shaken(seed, dt, pga, 0.01), dt)] == []


def test_progress_of_the_survey_is_told():
    seen = []
    survey([motion(clean())] * 2, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 2), (2, 2)]
