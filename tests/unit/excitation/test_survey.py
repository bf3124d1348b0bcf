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


NOTHING = np.zeros_like(TIME)
START = int(15.12 / DT)
SPIKED = np.where(np.arange(len(TIME)) == 700, 20.0, clean())
OFFSET = clean() + 0.05 * (TIME < 29)
BEYOND = np.concatenate([[0], (clean() > 1.5).astype(int), [0]])
LONGEST = (np.flatnonzero(np.diff(BEYOND) < 0) - np.flatnonzero(np.diff(BEYOND) > 0)).max()
SAME = "the horizontal components are the same"
FLAGS = {  # all flags of a record
    "clean": (motion(clean()), []),
    "too large": (motion(11 * clean()), ["x: PGA 3.37 g; is the unit right?"]),
    "two too large": (
        motion(11 * clean(), 12 * clean(frequency=1.7)),
        ["x, y: PGA 3.67 g; is the unit right?"],  # what several components share is said once
    ),
    "too small": (
        Motion(1e-3 * motion(clean()).acceleration, DT, "small"),
        ["PGA 0.00031 g; is the unit right?"],
    ),
    "clipped": (
        motion(np.clip(clean(), -1.5, 1.5)),
        [f"x: {LONGEST} samples in a row at the same extreme: clipped?"],
    ),
    "one component": (motion(clean(), NOTHING, missing="y, z"), ["one horizontal component only"]),
    "vertical": (motion(NOTHING, NOTHING, clean()), ["no horizontal component"]),
    "still": (motion(NOTHING, NOTHING, NOTHING), ["zero throughout"]),
    "twice": (motion(clean(), clean()), [SAME]),
    "opposite": (motion(clean(), -clean()), [SAME]),
    "skew": (
        motion(clean(), azimuth_x=np.pi / 2, azimuth_y=0.15),
        ["the horizontal components are 9 deg off a right angle"],
    ),
    "remarks of the reader": (motion(clean(), remarks="one; two"), ["one", "two"]),
}
ONE_OF_THEM = {  # a flag among others
    "no vertical": (motion(clean(), z=NOTHING, missing=""), "z: zero throughout"),
    "equal samples": (motion(np.full_like(TIME, 2.0)), "x: all samples are equal"),
    "spike": (motion(SPIKED), "x: a single sample at 7 s is 6.7 times any other"),
    "coarse": (
        motion(*(clean(frequency=f)[::5] for f in (2.0, 1.7, 3.1)), dt=0.05),
        "the time step of 0.05 s is longer than 0.02 s: short periods are lost",
    ),
    "short": (Motion(motion(clean()).acceleration, 0.0005, "short"), "1.5 s long, shorter than 2 s"),
    "late": (motion(*(clean(frequency=f)[START:] for f in (2.0, 1.7, 3.1))), "the record begins at"),
    "early": (motion(*(clean(frequency=f)[:START] for f in (2.0, 1.7, 3.1))), "the record ends at"),
    "velocity": (
        motion(OFFSET - OFFSET[0] * (TIME == 0)),
        "x: the ground has 1.4 m/s at the end, 100 % of its peak velocity",
    ),
    "displacement": (motion(OFFSET - OFFSET[0] * (TIME == 0)), "from where it began"),
    # padding does not hide an end in the shaking
    "padded": (motion(np.where(np.arange(len(TIME)) < 1512, clean(), 0.0)), "x: the ground has"),
}


@pytest.mark.parametrize("case", FLAGS)
def test_all_that_is_suspicious_of_a_record(case):
    assert suspicions(FLAGS[case][0]) == FLAGS[case][1]


@pytest.mark.parametrize("case", ONE_OF_THEM)
def test_what_is_flagged_beside_others(case):
    record, flag = ONE_OF_THEM[case]
    assert any(flag in said for said in suspicions(record))


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


@pytest.mark.parametrize("resolution", [0.3, 0.1, 0.01, 0.001])
def test_rounding_is_not_clipping(resolution):
    """The peak of a coarsely recorded motion is flat too, but not reached in a jump."""
    smooth = clean(frequency=0.5)
    rounded = np.round(smooth / resolution) * resolution
    assert not [flag for flag in suspicions(motion(rounded)) if "clipped" in flag]


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
    for few in (3, 4):
        flags = clipping(np.minimum(whole, np.sort(whole)[-few]), 0.02)
        assert [flag.partition(" samples")[0] for flag in flags] == ["x, y, z: 4"] * (few == 4)


@pytest.mark.parametrize("dt", [0.005, 0.02])
@pytest.mark.parametrize("pga", [0.05, 0.1, 0.3])
def test_coarse_records_reach_their_extreme_by_chance(dt, pga):
    """A hundred records in steps of 0.01 g: no false alarm."""
    assert [flag for seed in range(100) for flag in clipping(shaken(seed, dt, pga, 0.01), dt)] == []


def test_progress_of_the_survey_is_told():
    seen = []
    survey([motion(clean())] * 2, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 2), (2, 2)]
