"""Motions and numbers that options of the command line name."""

from math import pi
from pathlib import Path

import numpy as np
import pytest

from mcrock.base.params import STANDARD_GRAVITY
from mcrock.commands.motions import MotionOptions, parse_numbers, read_motions
from mcrock.excitation import Motion, MotionError
from mcrock.excitation.pulses import SHAPES, make_pulse, sample_pulse

RECORD = Path(__file__).parents[1] / "excitation" / "records" / "AKBMR.V1"


def motions_of(peak_g=None, scale=None, **options):
    return read_motions(MotionOptions(**options), peak_g, scale)


@pytest.fixture
def csv(tmp_path):
    """Record of two components and a vertical one."""
    path = tmp_path / "record.csv"
    path.write_text("time,x,y,z\n0,0,0,0\n0.1,0.2,-0.3,0.1\n0.2,-0.1,0.1,0\n")
    return path


def test_pulses_by_period_and_peak():
    (pulse,) = motions_of(pulse="one-sine", pulse_period=0.5, peak_g=0.3)
    assert pulse.angular_frequency == pytest.approx(4 * pi)
    assert pulse.amplitude[0] == pytest.approx(0.3 * STANDARD_GRAVITY)


def test_components_of_a_record_are_motions_along_x(csv):
    x, y = motions_of(files=[csv], unit="g", scale=2.0)
    assert (x.name, y.name) == ("record, x", "record, y")
    assert x.group == y.group == "record"
    np.testing.assert_allclose(y.acceleration[0], 2 * STANDARD_GRAVITY * np.array([0, -0.3, 0.1]))
    np.testing.assert_allclose(y.acceleration[2], 2 * STANDARD_GRAVITY * np.array([0, 0.1, 0]))
    assert not y.acceleration[1].any()
    assert [motion.name for motion in motions_of(files=[csv], unit="g", component="y")] == ["record, y"]


def test_a_component_that_does_not_shake_is_left_out(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("time,x\n0,0\n0.1,0.2\n")
    assert [motion.name for motion in motions_of(files=[path], unit="g")] == ["x, x"]
    with pytest.raises(MotionError, match="motion 'x' has no acceleration along y"):
        motions_of(files=[path], unit="g", component="y")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "name one source of ground motion: --pulse, --fema or --record"),
        ({"pulse": "one-sine", "fema": "farfield"}, "name one source"),
        ({"pulse": "step"}, r"--pulse must be one of one-sine, .*, got 'step'"),
        ({"pulse": "one-sine", "peak_g": -1.0}, r"--peak-g must be a finite number > 0 \[g\], got -1\.0"),
        ({"pulse": "one-sine", "pulse_period": 0.0}, r"--pulse-period must be .* > 0 \[s\], got 0\.0"),
        ({"pulse": "one-sine", "unit": "g"}, "--unit goes with --record"),
        ({"fema": "farfield", "peak_g": 0.1}, "--peak-g goes with --pulse"),
        ({"pulse": "one-sine", "scale": 2.0}, "--scale goes with --fema or --record"),
        ({"pulse": "one-sine", "component": "x"}, "--component goes with --fema or --record"),
        ({"fema": "farfield", "scale": 0.0}, r"--scale must be finite and not 0, got 0\.0"),
        ({"fema": "farfield", "scale": float("inf")}, "--scale must be finite and not 0, got inf"),
        ({"fema": "farfield", "component": "z"}, "--component must be x, y or both, got 'z'"),
        ({"fema": "farfield", "records": "one"}, "--records must list numbers from 1, .* got 'one'"),
        ({"fema": "farfields"}, "FEMA P695 set must be 'farfield'"),
    ],
)
def test_what_names_no_motion_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        motions_of(**options)


def test_a_file_can_be_named_once(csv):
    again = csv.parent / "." / csv.name
    with pytest.raises(ValueError, match=r"--record .*record\.csv is given twice"):
        motions_of(files=[csv, again], unit="g")


def test_a_table_needs_its_unit(csv):
    with pytest.raises(MotionError, match=r"record\.csv: .*unit"):
        motions_of(files=[csv])


def test_records_of_any_format_and_folders(csv):
    """A folder with a table, and a file that says its unit itself."""
    names = [motion.name for motion in motions_of(files=[csv.parent, RECORD], unit="g")]
    assert names[:2] == ["record, x", "record, y"]
    assert len(names) == 4


@pytest.mark.parametrize("shape", SHAPES)
def test_every_pulse_has_its_peak(shape):
    (pulse,) = motions_of(pulse=shape, pulse_period=2.0, peak_g=0.3)
    sampled = pulse if isinstance(pulse, Motion) else sample_pulse(pulse)
    assert np.abs(sampled.acceleration[0]).max() == pytest.approx(0.3 * STANDARD_GRAVITY, rel=1e-4)


def test_a_wavelet_has_cycles_and_phase():
    of = {"pulse": "mavroeidis-papageorgiou", "pulse_period": 2.0}
    (plain,), (own,) = motions_of(**of), motions_of(**of, pulse_cycles=3.0, pulse_phase_deg=90)
    wavelet = make_pulse("mavroeidis-papageorgiou", period=2.0, peak=9.80665, cycles=3.0, phase=pi / 2)
    expected = sample_pulse(wavelet, dt=0.002)
    np.testing.assert_array_equal(own.acceleration, expected.acceleration)
    assert own.duration > plain.duration
    with pytest.raises(ValueError, match="--pulse-cycles goes with --pulse mavroeidis-papageorgiou"):
        motions_of(pulse="one-sine", pulse_cycles=3.0)


@pytest.mark.parametrize("text", ["", "1,x", "1:2", "1:2:1", "1:2:1.5", "1:2:3:4", "1:2:99999"])
def test_lists_that_are_none(text):
    with pytest.raises(ValueError, match=r"--periods must be numbers as in 1,2,5 or FIRST:LAST:COUNT"):
        parse_numbers(text, "--periods")
