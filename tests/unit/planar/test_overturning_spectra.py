"""Spectra as datasets: every ordinate is a run, bands are complete and honest, messages."""

from dataclasses import replace
from itertools import pairwise
from math import pi, tan

import numpy as np
import pytest
import xarray as xr

from mcrock.base.params import Outcome
from mcrock.body import cuboid
from mcrock.dataset import save_dataset
from mcrock.excitation import Motion, Pulse, half_sine, one_cosine, one_sine
from mcrock.impact.conditions import Controls
from mcrock.planar import overturning_spectrum, rectangle, rectangle_of, rocking_spectrum, simulate_planar
from mcrock.planar.spectra import COUNTED_IMPACTS

SLENDERNESS = 0.2


@pytest.fixture(scope="module")
def record():
    """A noisy record with a vertical component."""
    rng = np.random.default_rng(7)
    envelope = np.sin(np.linspace(0, pi, 400))
    samples = np.cumsum(rng.normal(size=(3, 400)), axis=1) * envelope * [[1.0], [0.0], [0.2]]
    return Motion(samples, dt=0.02, name="noise")


def test_a_rocking_spectrum_is_made_of_runs(record):
    pulse = one_sine(3.0, 6.0)
    periods = [1.0, 2.5, 5.0]
    blocks = [SLENDERNESS, rectangle(0.5, 2.0, offset=0.05)]
    ds = rocking_spectrum([record, pulse], blocks, periods, r="chatzis_2017:lambda=0.8")
    assert dict(ds.sizes) == {"motion": 2, "slenderness": 2, "period": 3, "edge": 2}
    for i, motion in enumerate((record, pulse)):
        for j, family in enumerate((rectangle_of(SLENDERNESS, 1.0), blocks[1])):
            for k, period in enumerate(periods):
                block = family.resized(2 * pi / period)
                run = simulate_planar(block, motion, "chatzis_2017:lambda=0.8")
                part = ds.isel(motion=i, slenderness=j, period=k)
                assert (part["outcome"] == Outcome.OVERTURNED) == (run.outcome == Outcome.OVERTURNED)
                assert float(part["peak_tilt"]) == pytest.approx(run.peak_tilt, abs=1e-6)
                assert float(part["peak_tilt_ratio"]) == pytest.approx(run.peak_tilt_ratio, abs=1e-5)
                assert float(ds["radius"][j, k]) == pytest.approx(block.radius)
    assert ds["motion"].values.tolist() == ["noise", "one-sine pulse"]


def outcome_at(ds, amplitude, **where):
    """State that the bands of one ordinate tell: None if it stands, else the impacts that are told apart."""
    part = ds.sel(**where) if where else ds
    for low, high, impacts in zip(
        *(part[name].values.ravel() for name in ("lower", "upper", "impacts")), strict=True
    ):
        if low <= amplitude < high:
            return min(int(impacts), COUNTED_IMPACTS)
    return None


def test_bands_tell_the_outcome_of_every_run():
    """Runs at random amplitudes, half of them close to the limits."""
    pulse = one_cosine(1.0, 6.0)
    ds = overturning_spectrum(pulse, SLENDERNESS, [1.0, 1.7, 3.0], largest_amplitude=8.0)
    rng = np.random.default_rng(3)
    for ratio in ds["frequency_ratio"].values:
        block = rectangle_of(SLENDERNESS, 6.0 / ratio)
        part = ds.sel(frequency_ratio=ratio)
        edges = part["lower"].values.ravel()
        edges = edges[np.isfinite(edges)]
        near = rng.choice(edges, 20) * (1 + rng.choice([-1, 1], 20) * 1e-4)
        for amplitude in [*rng.uniform(1.0, 8.0, 20), *near]:
            peak = float(amplitude * block.gravity * tan(SLENDERNESS))
            run = simulate_planar(block, one_cosine(peak, 6.0), controls=Controls(max_step=1.0))
            fell = run.outcome == Outcome.OVERTURNED
            expected = min(run.impacts, COUNTED_IMPACTS) if fell else None
            assert outcome_at(part, amplitude) == expected


def test_bands_are_ordered_and_apart():
    ds = overturning_spectrum(
        one_cosine(1.0, 6.0), [0.1, 0.25], np.linspace(0.5, 4.0, 8), largest_amplitude=8.0, scan=500
    )
    lower, upper, impacts = (ds[name].values for name in ("lower", "upper", "impacts"))
    there = impacts >= 0
    assert (np.isfinite(lower) == there).all()
    assert (np.isnan(upper) == ~there).all()
    assert (lower[there] < upper[there]).all()
    both = there[..., 1:]
    assert (lower[..., 1:][both] >= upper[..., :-1][both]).all()
    assert (there[..., :-1] >= both).all()
    ends = np.isfinite(lower).sum() + np.isfinite(upper).sum()
    touching = (lower[..., 1:][both] == upper[..., :-1][both]).sum()
    assert int(ds["limits"].sum()) == ends - touching
    assert (ds["half_scan_limits"] <= ds["limits"]).all()
    assert int(ds["undecided"].sum()) == 0


def test_size_and_amplitude_of_the_pulse_do_not_matter():
    ratios = np.linspace(1.0, 6.0, 6)
    one = overturning_spectrum(one_sine(1.0, 2.0), SLENDERNESS, ratios, scan=500, tolerance=1e-9)
    other = overturning_spectrum(one_sine(-7.0, 50.0), SLENDERNESS, ratios, scan=500, tolerance=1e-9)
    np.testing.assert_allclose(one["lower"], other["lower"], rtol=1e-8)
    np.testing.assert_allclose(one["upper"], other["upper"], rtol=1e-8)


def test_threads_change_nothing():
    spectra = [
        overturning_spectrum(one_sine(1.0, 6.0), SLENDERNESS, [2.0, 4.0], scan=500, workers=workers)
        for workers in (1, 3)
    ]
    xr.testing.assert_identical(*spectra)


def test_periods_and_frequency_ratios_are_the_same_axis(record):
    pulse = one_sine(1.0, 6.0)
    by_ratio = overturning_spectrum(pulse, SLENDERNESS, [2.0, 4.0], scan=500)
    by_period = overturning_spectrum(
        pulse, SLENDERNESS, periods=2 * pi * np.array([2.0, 4.0]) / 6.0, scan=500
    )
    np.testing.assert_allclose(by_ratio["lower"], by_period["lower"], rtol=1e-12)
    given = overturning_spectrum(
        record, SLENDERNESS, [2.0, 4.0], angular_frequency=5.0, scan=20, tolerance=1e-3
    )
    periods = overturning_spectrum(
        record, SLENDERNESS, periods=2 * pi * np.array([2.0, 4.0]) / 5.0, scan=20, tolerance=1e-3
    )
    np.testing.assert_allclose(given["lower"], periods["lower"], rtol=1e-12)


def test_the_scan_begins_where_the_vertical_lets_rocking_begin():
    """With a vertical as strong as the horizontal the block lifts below g tan(slenderness)."""
    pulse = Pulse((1.0, 0.0, -1.0), 6.0)
    ds = overturning_spectrum(pulse, 0.3, [0.02], r=0.9, largest_amplitude=3.0)
    # slow as it is, the pulse tips the block as soon as it lifts it
    assert float(ds["lower"][0, 0, 0, 0]) == pytest.approx(1 / (1 + tan(0.3)), rel=1e-3)


def test_finer_scans_find_at_least_as_much(record):
    """Under a record there are bands at every scale; the lowest amplitude does not rise."""
    spectra = [
        overturning_spectrum(
            record, SLENDERNESS, periods=[0.8, 1.6], scan=scan, largest_amplitude=8.0, tolerance=1e-9
        )
        for scan in (20, 40, 80, 160)
    ]
    assert [ds.attrs["scan"] for ds in spectra] == [33, 65, 129, 257]
    for coarse, fine in pairwise(spectra):
        assert (fine["lower"][..., 0] <= coarse["lower"][..., 0] * (1 + 1e-8)).all()
        assert (fine["limits"] >= coarse["limits"]).all()
        assert (fine["half_scan_limits"] <= coarse["limits"]).all()
    assert spectra[-1].attrs["scan_step"] == pytest.approx(
        (8.0 / float(spectra[-1]["uplift_amplitude"][0, 0])) ** (1 / 256) - 1
    )


def test_islands_between_many_impacts_are_found():
    """One slow sine: bands after 9, 7, 5, 3 impacts within 8 % above the beginning of rocking."""
    ds = overturning_spectrum(one_sine(1.0, 6.0), np.radians(14), [0.5], largest_amplitude=15.0)
    assert ds["impacts"].values.ravel().tolist() == [9, 7, 5, 3, 1, 0]
    lower, upper = ds["lower"].values.ravel(), ds["upper"].values.ravel()
    assert (lower[1:] > upper[:-1]).all()


OFF_CENTRE = rectangle(0.5, 2.0, offset=0.1)
SHAKES = [
    one_sine(2.0, 6.0),
    half_sine(-2.0, 6.0),  # towards the edge farther away
    Pulse((2.0, 0.0, 1.5), 6.0, phase=1.0, cycles=0.3),
    Pulse((2.0, 0.0, -1.5), 6.0, phase=4.0, cycles=0.7),
]


@pytest.mark.parametrize("motion", [*SHAKES, None])
def test_rocking_begins_at_the_uplift_amplitude(motion, record):
    """Just below no edge lifts, just above one does: vertical component, either edge, part of a sine."""
    motion = motion or record
    ds = overturning_spectrum(motion, OFF_CENTRE, periods=[3.0], scan=3, tolerance=0.1)
    amplitude = float(ds["uplift_amplitude"][0, 0])
    threshold = OFF_CENTRE.gravity * tan(OFF_CENTRE.slenderness)
    assert float(ds["uplift_acceleration"][0, 0]) == pytest.approx(amplitude * threshold)
    for factor, lifts in ((1 - 1e-9, False), (1 + 1e-9, True)):
        if isinstance(motion, Pulse):
            scale = factor * amplitude * threshold / abs(motion.amplitude[0])
            scaled = replace(motion, amplitude=tuple(scale * a for a in motion.amplitude))
        else:
            scaled = motion.scaled(factor * amplitude * threshold / np.abs(motion.acceleration[0]).max())
        assert (simulate_planar(OFF_CENTRE, scaled).uplifts > 0) is lifts


def test_a_symmetric_block_on_level_shaking_lifts_at_one():
    ds = overturning_spectrum([one_sine(1.0, 6.0), one_cosine(-3.0, 2.0)], [0.1, 0.3], [2.0], scan=3)
    np.testing.assert_allclose(ds["uplift_amplitude"], 1.0, rtol=1e-12)
    np.testing.assert_allclose(ds["uplift_acceleration"], 9.81 * np.tan([[0.1, 0.3]] * 2), rtol=1e-12)


def test_datasets_record_what_shook(record):
    ds = rocking_spectrum([record, one_sine(3.0, 6.0)], 0.2, [1.0, 2.0])
    peaks = np.abs(record.acceleration).max(1)
    np.testing.assert_allclose(ds["peak_acceleration"], [peaks[0], 3.0])
    np.testing.assert_allclose(ds["peak_vertical_acceleration"], [peaks[2], 0.0])
    np.testing.assert_allclose(ds["duration"], [record.duration, 2 * pi / 6])
    np.testing.assert_allclose(ds["pulse_period"], [np.nan, 2 * pi / 6])
    assert ds["uplift_acceleration"].dims == ("motion", "slenderness")
    over_periods = overturning_spectrum(one_sine(1.0, 6.0), 0.2, periods=[2.0], scan=5)
    assert over_periods["pulse_period"].values.tolist() == pytest.approx([2 * pi / 6])
    named = overturning_spectrum(record, 0.2, periods=[2.0], scan=5, angular_frequency=4.0)
    assert named["pulse_period"].values.tolist() == pytest.approx([pi / 2])


def test_a_pulse_far_too_short_overturns_nothing():
    ds = overturning_spectrum(one_sine(1.0, 6.0), SLENDERNESS, [50.0], largest_amplitude=5.0)
    assert ds["impacts"].values.tolist() == [[[[-1]]]]
    assert np.isnan(ds["lower"]).all()
    assert int(ds["limits"].sum()) == 0


def test_undecided_runs_are_counted():
    ds = overturning_spectrum(
        one_sine(1.0, 6.0),
        SLENDERNESS,
        [2.0],
        scan=50,
        controls=Controls(max_steps=20),
        largest_amplitude=3.0,
    )
    assert ds.attrs["scan"] == 65
    assert int(ds["undecided"].sum()) == 64  # all that rock


@pytest.mark.parametrize("kind", ["rocking", "overturning"])
def test_datasets_say_what_they_are_and_can_be_stored(record, tmp_path, kind):
    if kind == "rocking":
        ds = rocking_spectrum([record, one_sine(3.0, 6.0)], [0.15, 0.2], [1.0, 2.0], r=(0.9, 0.8))
    else:
        ds = overturning_spectrum(one_sine(1.0, 6.0), [0.15, 0.2], [2.0, 4.0], r=(0.9, 0.8), scan=50)
    for name, variable in ds.variables.items():
        if variable.dtype.kind in "fi":
            assert {"units", "long_name"} <= set(variable.attrs), name
    assert ds.attrs["source"].startswith("mcrock ")
    assert ds.attrs["restitution"] == "0.9 0.8"
    assert ds["velocity_ratio"].values.tolist() == [[0.9, 0.8]] * 2
    save_dataset(ds, tmp_path / "spectrum.nc")
    with xr.open_dataset(tmp_path / "spectrum.nc") as stored:
        xr.testing.assert_equal(stored.load(), ds)


PULSE = one_sine(1.0, 6.0)
SHAKE = Motion(np.ones((3, 4)), 0.1, "shake")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rocking_spectrum([], 0.2, [1.0]), "at least one ground motion is needed"),
        (lambda: rocking_spectrum(PULSE, [], [1.0]), r"at least one slenderness \[rad\] is needed"),
        (lambda: rocking_spectrum(PULSE, 2.0, [1.0]), r"slenderness must be between 0 and .* rad, got 2\.0"),
        (lambda: rocking_spectrum(PULSE, 0.2, [2.0, 1.0]), r"periods 2 pi/p must be .* increasing \[s\]"),
        (lambda: rocking_spectrum(PULSE, 0.2, []), r"periods 2 pi/p must be a list of numbers \[s\]"),
        (lambda: rocking_spectrum(PULSE, 1.1, [1.0]), "too squat to rock on"),
        (lambda: overturning_spectrum(PULSE, 0.2), "give either frequency_ratios"),
        (lambda: overturning_spectrum(PULSE, 0.2, [1.0], periods=[1.0]), "give either frequency_ratios"),
        (lambda: overturning_spectrum(SHAKE, 0.2, [1.0]), "motion 'shake' is a record and has no omega_p"),
        (lambda: overturning_spectrum(PULSE, 0.2, [1.0], angular_frequency=0.0), r"> 0 \[rad/s\], got 0\.0"),
        (lambda: overturning_spectrum(PULSE, 0.2, [0.0]), r"frequency ratios omega_p/p .* > .* got \[0\.0\]"),
        (lambda: overturning_spectrum(PULSE, 0.2, [1.0], scan=2), "from 3 to 1048577, got 2"),
        (lambda: overturning_spectrum(PULSE, 0.2, [1.0], tolerance=0.0), r"at least 1e-12 .*, got 0\.0"),
        (
            lambda: overturning_spectrum(PULSE, 0.2, [1.0], largest_amplitude=1.0),
            r"must be finite and exceed 1, .* got 1\.0",
        ),
        (
            lambda: overturning_spectrum(PULSE, 0.2, [1.0], largest_amplitude=float("inf")),
            "must be finite and exceed 1, .* got inf",
        ),
        (
            lambda: overturning_spectrum(PULSE, cuboid(0.4, 0.4, 1.6, 2600), [1.0]),
            r"needs a slenderness \[rad\] or a PlanarBlock, got a Body; planar_block\(body, axis='x'\)",
        ),
        (
            lambda: overturning_spectrum(PULSE, 0.2, [1.0], r=np.linspace(0.8, 0.9, 5)),
            r"one velocity ratio, or two .*, got an array of shape \(5,\)",
        ),
        (lambda: rocking_spectrum(PULSE, 0.2, [1.0], workers=0), "at least 1, got 0"),
        (
            lambda: overturning_spectrum(Pulse((0.0, 1.0, 0.0), 6.0), 0.2, [1.0]),
            "motion 'pulse' has no acceleration along x, the axis of the plane",
        ),
        (
            lambda: overturning_spectrum(Pulse((0.1, 0.0, 1.0), 6.0, cycles=0.5), 0.2, [1.0]),
            "motion 'pulse' lifts the block at no amplitude",
        ),
    ],
)
def test_what_makes_no_spectrum_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
