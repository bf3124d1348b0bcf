"""Motions and tables of the command line."""

from math import pi
from pathlib import Path

import numpy as np
import pytest

from mcrock.commands.spectrum_options import overturning_table, parse_numbers, read_motions, rocking_table
from mcrock.excitation import Motion, MotionError, one_sine
from mcrock.excitation.pulses import SHAPES, make_pulse, sample_pulse
from mcrock.params import STANDARD_GRAVITY
from mcrock.planar import overturning_spectrum, rocking_spectrum

RECORD = Path(__file__).parents[1] / "excitation" / "records" / "AKBMR.V1"


@pytest.fixture
def csv(tmp_path):
    """Record of two components and a vertical one."""
    path = tmp_path / "record.csv"
    path.write_text("time,x,y,z\n0,0,0,0\n0.1,0.2,-0.3,0.1\n0.2,-0.1,0.1,0\n")
    return path


def test_pulses_by_period_and_peak():
    (pulse,) = read_motions(pulse="one-sine", pulse_period=0.5, peak_g=0.3)
    assert pulse.angular_frequency == pytest.approx(4 * pi)
    assert pulse.amplitude[0] == pytest.approx(0.3 * STANDARD_GRAVITY)


def test_components_of_a_record_are_motions_along_x(csv):
    x, y = read_motions(files=[csv], unit="g", scale=2.0)
    assert (x.name, y.name) == ("record, x", "record, y")
    assert x.group == y.group == "record"
    np.testing.assert_allclose(y.acceleration[0], 2 * STANDARD_GRAVITY * np.array([0, -0.3, 0.1]))
    np.testing.assert_allclose(y.acceleration[2], 2 * STANDARD_GRAVITY * np.array([0, 0.1, 0]))
    assert not y.acceleration[1].any()
    assert [motion.name for motion in read_motions(files=[csv], unit="g", component="y")] == ["record, y"]


def test_a_component_that_does_not_shake_is_left_out(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("time,x\n0,0\n0.1,0.2\n")
    assert [motion.name for motion in read_motions(files=[path], unit="g")] == ["x, x"]
    with pytest.raises(MotionError, match="motion 'x' has no acceleration along y"):
        read_motions(files=[path], unit="g", component="y")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "name one source of ground motion: --pulse, --fema or --record"),
        ({"pulse": "one-sine", "fema": "farfield"}, "name one source"),
        ({"pulse": "step"}, r"--pulse must be one of one-sine, .*, got 'step'"),
        ({"pulse": "one-sine", "peak_g": -1.0}, r"--peak-g must be finite and > 0 g, got -1\.0"),
        ({"pulse": "one-sine", "pulse_period": 0.0}, r"--pulse-period must be .* > 0 s, got 0\.0"),
        ({"pulse": "one-sine", "unit": "g"}, "--unit goes with --record"),
        ({"fema": "farfield", "peak_g": 0.1}, "--peak-g goes with --pulse"),
        ({"pulse": "one-sine", "scale": 2.0}, "--scale goes with --fema or --record"),
        ({"pulse": "one-sine", "component": "x"}, "--component goes with --fema or --record"),
        ({"fema": "farfield", "scale": 0.0}, r"--scale must be finite and not 0, got 0\.0"),
        ({"fema": "farfield", "scale": float("inf")}, "--scale must be finite and not 0, got inf"),
        ({"fema": "farfield", "component": "z"}, "--component must be x, y or both, got 'z'"),
        ({"fema": "farfield", "records": "one"}, "--records must be record numbers .* got 'one'"),
        ({"fema": "farfields"}, "FEMA P695 set must be one of"),
    ],
)
def test_what_names_no_motion_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        read_motions(**options)


def test_a_file_can_be_named_once(csv):
    again = csv.parent / "." / csv.name
    with pytest.raises(ValueError, match=r"--record .*record\.csv is given twice"):
        read_motions(files=[csv, again], unit="g")


def test_a_table_needs_its_unit(csv):
    with pytest.raises(MotionError, match=r"record\.csv: .*unit"):
        read_motions(files=[csv])


def test_records_of_any_format_and_folders(csv):
    """A folder with a table, and a file that says its unit itself."""
    names = [motion.name for motion in read_motions(files=[csv.parent, RECORD], unit="g")]
    assert names[:2] == ["record, x", "record, y"]
    assert len(names) == 4


@pytest.mark.parametrize("shape", SHAPES)
def test_every_pulse_has_its_peak(shape):
    (pulse,) = read_motions(pulse=shape, pulse_period=2.0, peak_g=0.3)
    sampled = pulse if isinstance(pulse, Motion) else sample_pulse(pulse)
    assert np.abs(sampled.acceleration[0]).max() == pytest.approx(0.3 * STANDARD_GRAVITY, rel=1e-4)


def test_a_wavelet_has_cycles_and_phase():
    of = {"pulse": "mavroeidis-papageorgiou", "pulse_period": 2.0}
    (plain,), (own,) = read_motions(**of), read_motions(**of, cycles=3.0, phase_deg=90)
    wavelet = make_pulse("mavroeidis-papageorgiou", period=2.0, peak=9.80665, cycles=3.0, phase=pi / 2)
    expected = sample_pulse(wavelet, dt=0.002)
    np.testing.assert_array_equal(own.acceleration, expected.acceleration)
    assert own.duration > plain.duration
    with pytest.raises(ValueError, match="--pulse-cycles goes with --pulse mavroeidis-papageorgiou"):
        read_motions(pulse="one-sine", cycles=3.0)


@pytest.mark.parametrize("text", ["", "1,x", "1:2", "1:2:1", "1:2:1.5", "1:2:3:4", "1:2:99999"])
def test_lists_that_are_none(text):
    with pytest.raises(ValueError, match=r"--periods must be numbers as in 1,2,5 or FIRST:LAST:COUNT"):
        parse_numbers(text, "--periods")


def test_tables_have_few_rows_and_all_bands():
    ds = overturning_spectrum(one_sine(1.0, 6.0), [0.2, 0.25], np.linspace(1, 10, 40), scan=100)
    heads, rows = overturning_table(ds)
    assert heads == ["omega_p/p", "slenderness [deg]", "overturns at (after impacts)"]
    assert len(rows) == 24
    assert {row[1] for row in rows} == {"11.5", "14.3"}
    assert rows[4][2].count("(1)") == rows[4][2].count("(0)") == 1
    short = overturning_spectrum(one_sine(1.0, 6.0), 0.2, [30.0], largest_amplitude=5.0, scan=100)
    assert overturning_table(short)[1] == [["30", "11.5", "stands"]]


def test_the_last_band_is_always_in_the_table():
    ds = overturning_spectrum(one_sine(1.0, 6.0), np.radians(14), [0.5], largest_amplitude=15.0)
    words = overturning_table(ds)[1][0][2]
    assert words.startswith("1.049-1.050 (9), 1.052-1.056 (7), 3 more, above 1.117 (0)")
    four = ds.isel(band=[0, 1, 4, 5])
    assert overturning_table(four)[1][0][2].count("(") == 4  # one of four is not hidden


def test_ends_of_thin_bands_are_told_apart():
    ds = overturning_spectrum(one_sine(1.0, 6.0), 0.2, [2.0], scan=5)
    thin = ds.assign(
        lower=(ds["lower"].dims, np.array([[[[1.1460212, 5.0]]]])),
        upper=(ds["upper"].dims, np.array([[[[1.1460298, np.inf]]]])),
        impacts=(ds["impacts"].dims, np.array([[[[2, 0]]]])),
    )
    assert overturning_table(thin)[1][0][2] == "1.14602-1.14603 (2), above 5.000 (0)"


def test_tables_of_several_motions_give_the_median():
    rng = np.random.default_rng(2)
    motions = [Motion(3 * rng.normal(size=(3, 100)), 0.02, f"noise {i}") for i in range(3)]
    ds = rocking_spectrum(motions, 0.15, [0.3, 20.0])
    heads, rows = rocking_table(ds)
    assert heads == ["2 pi/p [s]", "slenderness 8.59 deg"]
    fallen = (ds["outcome"].values == 3).sum((0, 1))
    assert [f"({number} of 3 overturn)" in row[1] for number, row in zip(fallen, rows, strict=True)] == [
        True
    ] * 2
    bands = overturning_spectrum(motions, 0.15, periods=[0.3, 20.0], scan=30, tolerance=1e-2)
    heads, rows = overturning_table(bands)
    assert heads[2:] == ["lowest of the motions", "median"]
    assert rows[0][2] == f"{float(bands['lower'][:, 0, 0, 0].min()):.3g}"
    assert rows[1][2:] == ["none", "none"]
