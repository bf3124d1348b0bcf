"""Intensity of a motion: what the registry says of the measures, pairs, directions, parameters."""

from math import pi, sqrt, tan

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mcrock.base.params import GRAVITY
from mcrock.excitation import MEASURES, Motion, MotionError, intensity
from mcrock.excitation.measures import _KNOWN, KEPT, mean_period
from mcrock.excitation.response_spectra import averaged, response_spectrum, rotated_spectrum

ROUNDING = 1e-10  # sums of at most 30 products; of spectra, of some hundred
GIVEN = {"period": 0.6, "periods": [0.2, 0.5, 1.0], "slenderness": 0.25, "frequency_parameter": 2.0}
COMPONENT = arrays(np.float64, st.integers(2, 30), elements=st.integers(-50, 50).map(lambda i: i / 4))
DT = st.sampled_from([0.0024, 0.005, 0.5, 1.0])


def motion(x, y=None, z=None, dt=1.0):
    zero = np.zeros(len(x))
    return Motion([x, zero if y is None else y, zero if z is None else z], dt=dt, name="shake")


def given_to(measure):
    """Parameters of a measure, where it needs any."""
    taken = MEASURES[measure].parameters
    return {name: value for name, value in GIVEN.items() if name in taken}


def test_geometric_mean_of_the_pair():
    pair = motion([0, 8, 0, 0], [0, 0, -2, 0])
    assert intensity(pair, "pga") == 4.0
    assert intensity(pair, "pgv") == 4.0  # triangles of area 8 and 2


@pytest.mark.parametrize("measure", MEASURES)
def test_a_single_component_counts_alone(measure):
    single = [0.0, 3.0, -5.0, 1.0]
    alone = MEASURES[measure.split("_rotd")[0]]
    parameters = given_to(measure)
    value = alone.function(np.array(single), 0.1, **parameters)
    assert value > 0
    assert intensity(motion(single, dt=0.1), measure, **parameters) == pytest.approx(value, rel=1e-15)
    assert intensity(motion([0.0] * 4, single, dt=0.1), measure, **parameters) == pytest.approx(
        value, rel=1e-15
    )


@pytest.mark.parametrize("measure", MEASURES)
def test_the_vertical_does_not_count(measure):
    x, y = [0.0, 3.0, 1.0], [0.0, 1.0, 2.0]
    parameters = given_to(measure)
    assert intensity(motion(x, y, [0.0, 90.0, 0.0], dt=0.1), measure, **parameters) == intensity(
        motion(x, y, dt=0.1), measure, **parameters
    )


@pytest.mark.parametrize("measure", MEASURES)
@settings(max_examples=10)
@given(pair=arrays(np.float64, (2, 12), elements=st.integers(-50, 50).map(float)), factor=st.floats(0.1, 10))
def test_the_power_says_how_a_measure_grows(measure, pair, factor):
    assume(pair[0, :-1].any() and pair[1, :-1].any())
    parameters = given_to(measure)
    shake = motion(*pair, dt=0.1)
    expected = factor ** MEASURES[measure].power * intensity(shake, measure, **parameters)
    for moved in (shake.scaled(factor), shake.scaled(-factor)):
        assert intensity(moved, measure, **parameters) == pytest.approx(expected, rel=ROUNDING)


@pytest.mark.parametrize("measure", [name for name in MEASURES if MEASURES[name].of_pair])
def test_rotd_does_not_change_when_the_pair_is_turned(measure):
    # by whole degrees, the directions of the scan
    pair = motion(*np.random.default_rng(1).normal(size=(2, 60)), dt=0.02)
    parameters = given_to(measure)
    before = intensity(pair, measure, **parameters)
    for degrees in (17, 90, 213):
        turned = intensity(pair.rotated(degrees * pi / 180), measure, **parameters)
        assert turned == pytest.approx(before, rel=ROUNDING)


def test_rotd_of_peaks():
    # a quarter of a circle: its peak is the same, 2, along every direction between the axes
    angle = np.linspace(0, pi / 2, 721)
    quarter = motion(2 * np.cos(angle), 2 * np.sin(angle))
    assert intensity(quarter, "pga_rotd100") == pytest.approx(2.0, rel=4e-5)
    # beyond the axes it is that of the nearer end, 2 cos(t) with t from 0 to 45 degrees and back
    assert intensity(quarter, "pga_rotd50") == pytest.approx(2.0, rel=2e-3)
    line = motion([0, 3, 0], [0, 4, 0])
    assert intensity(line, "pga_rotd100") == pytest.approx(5.0, rel=4e-5)
    # of |cos| over all directions half lies below cos 45 deg
    assert intensity(line, "pga_rotd50") == pytest.approx(5.0 * sqrt(0.5), rel=1e-3)
    assert intensity(line, "pgv_rotd100") == pytest.approx(5.0, rel=4e-5)


def test_spectral_measures_are_those_of_the_spectra():
    pair = motion(*np.random.default_rng(2).normal(size=(2, 80)), dt=0.02)
    x, y, _ = pair.acceleration
    periods = [0.2, 0.5, 1.0]
    sa = [response_spectrum(component, 0.02, periods, 0.03) for component in (x, y)]
    both = np.sqrt(sa[0] * sa[1])
    for period, value in zip(periods, both, strict=True):
        assert intensity(pair, "sa", period=period, damping=0.03) == pytest.approx(value, rel=1e-12)
    mean = np.prod(both) ** (1 / 3)
    assert intensity(pair, "avgsa", periods=periods, damping=0.03) == pytest.approx(mean, rel=1e-12)
    rotated = rotated_spectrum(x, y, 0.02, periods, 0.03, percentile=100)
    assert intensity(pair, "sa_rotd100", period=0.5, damping=0.03) == pytest.approx(rotated[1], rel=1e-12)
    assert intensity(pair, "avgsa_rotd100", periods=periods, damping=0.03) == pytest.approx(
        np.prod(rotated) ** (1 / 3), rel=1e-12
    )
    by_range = intensity(pair, "avgsa", low=0.2, high=2.0, count=7)
    assert by_range == pytest.approx(intensity(pair, "avgsa", periods=np.linspace(0.2, 2, 7)), rel=1e-12)
    assert len(averaged(low=0.2, high=2.0)[0]) == 20


def test_measures_of_rocking():
    pair = motion([0, 8, 0, 0], [0, 0, -2, 0], dt=0.5)
    uplift = GRAVITY * tan(0.25)
    assert intensity(pair, "uplift_ratio", slenderness=0.25) == pytest.approx(4.0 / uplift, rel=ROUNDING)
    assert intensity(pair, "uplift_ratio", slenderness=0.25, gravity=2 * GRAVITY) == pytest.approx(
        2.0 / uplift, rel=ROUNDING
    )
    velocity = intensity(pair, "velocity_ratio", slenderness=0.25, frequency_parameter=3.0)
    assert velocity == pytest.approx(3.0 * 2.0 / uplift, rel=ROUNDING)
    tm = [mean_period(component, 0.5) for component in pair.acceleration[:2]]
    ratio = intensity(pair, "frequency_ratio", frequency_parameter=3.0)
    assert ratio == pytest.approx(2 * pi / sqrt(tm[0] * tm[1]) / 3.0, rel=ROUNDING)
    of_pulse = intensity(pair, "frequency_ratio", frequency_parameter=3.0, pulse_period=1.6)
    assert of_pulse == pytest.approx(2 * pi / 1.6 / 3.0, rel=ROUNDING)


def test_values_are_kept_but_not_without_end():
    pair = motion([0, 8, 0, 0], [0, 0, -2, 0])
    for i in range(KEPT + 10):
        intensity(pair, "uplift_ratio", slenderness=0.1 + i * 1e-4)
    assert 0 < len(_KNOWN[pair]) <= KEPT
    assert intensity(pair, "uplift_ratio", slenderness=0.1) > intensity(pair, "uplift_ratio", slenderness=0.2)


def test_rotation_changes_the_measured_value():
    # why the intensity of a pair has to be taken before it is turned
    pair = motion([0.0, 2.0, 0.0], [0.0, 0.0, 2.0])
    assert intensity(pair, "pga") == 2.0
    assert intensity(pair.rotated(pi / 4), "pga") == pytest.approx(sqrt(2.0), rel=ROUNDING)


def test_measures_say_their_units():
    units = {name: measure.units for name, measure in MEASURES.items() if not measure.of_pair}
    assert units == {
        "pga": "m s-2",
        "pgv": "m s-1",
        "pgd": "m",
        "pgv_pga": "s",
        "arias": "m s-1",
        "cav": "m s-1",
        "d5_95": "s",
        "tm": "s",
        "sa": "m s-2",
        "avgsa": "m s-2",
        "uplift_ratio": "1",
        "velocity_ratio": "1",
        "frequency_ratio": "1",
        "pfa": "m s-2",
        "pfv": "m s-1",
    }
    for name, measure in MEASURES.items():
        if measure.of_pair:
            base, words = name.split("_rotd")
            assert (measure.units, measure.power) == (MEASURES[base].units, MEASURES[base].power)
            assert measure.long_name.endswith(f"(RotD{words})")


@pytest.mark.parametrize("measure", MEASURES)
def test_refuses_a_motion_without_horizontal_shaking(measure):
    with pytest.raises(MotionError, match=f"motion 'shake' has no horizontal .* no {measure}$"):
        intensity(motion([0.0, 0.0], z=[1.0, 2.0]), measure, **given_to(measure))
