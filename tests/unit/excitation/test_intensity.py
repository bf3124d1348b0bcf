"""Intensity measures against exact integrals of the piecewise-linear acceleration."""

from math import pi, sqrt

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mcrock.excitation import MEASURES, Motion, MotionError, intensity
from mcrock.excitation.intensity import peak_velocity

ROUNDING = 1e-12  # sums of at most 30 products
COMPONENT = arrays(np.float64, st.integers(2, 30), elements=st.integers(-50, 50).map(lambda i: i / 4))
DT = st.sampled_from([0.0024, 0.005, 0.5, 1.0])


def motion(x, y=None, z=None, dt=1.0):
    zero = np.zeros(len(x))
    return Motion([x, zero if y is None else y, zero if z is None else z], dt=dt, name="shake")


def test_geometric_mean_of_the_pair():
    pair = motion([0, 8, 0, 0], [0, 0, -2, 0])
    assert intensity(pair, "pga") == 4.0
    assert intensity(pair, "pgv") == 4.0  # triangles of area 8 and 2


@pytest.mark.parametrize("measure", MEASURES)
def test_a_single_component_counts_alone(measure):
    single = [0.0, 3.0, -5.0, 1.0]
    value = MEASURES[measure].function(np.array(single), 1.0)
    assert intensity(motion(single), measure) == value
    assert intensity(motion([0.0] * 4, single), measure) == value


@pytest.mark.parametrize("measure", MEASURES)
def test_the_vertical_does_not_count(measure):
    x, y = [0.0, 3.0, 1.0], [0.0, 1.0, 2.0]
    assert intensity(motion(x, y, [0.0, 90.0, 0.0]), measure) == intensity(motion(x, y), measure)


def test_velocity_peaks_between_samples_where_the_acceleration_changes_sign():
    # a = 3 - 4 t on the only step: v = 3 t - 2 t^2 is 9/8 at t = 3/4 and 1 at the end
    assert peak_velocity(np.array([3.0, -1.0]), 1.0) == 9 / 8


def test_velocity_of_a_sine_pulse():
    # one cycle of amplitude a reaches 2 a / omega at half time, where a sample lies; the polygon
    # through n samples a cycle loses the share (pi / n)^2 / 3 to first order
    n, peak = 1000, 3.0
    time = np.linspace(0, 1, n + 1)
    velocity = peak_velocity(peak * np.sin(2 * pi * time), 1 / n)
    assert velocity == pytest.approx(2 * peak / (2 * pi) * (1 - (pi / n) ** 2 / 3), rel=(pi / n) ** 4)


@given(COMPONENT, DT)
def test_peak_velocity_agrees_with_a_fine_integral(component, dt):
    refinement = 64
    n = (len(component) - 1) * refinement
    fine = np.interp(np.arange(n + 1) / refinement, np.arange(len(component)), component)
    step = dt / refinement
    velocity = np.concatenate([[0], np.cumsum((fine[:-1] + fine[1:]) * step / 2)])  # exact at its points
    exact = peak_velocity(component, dt)
    largest_miss = np.abs(np.diff(component)).max() * dt / refinement**2 / 8  # parabola between points
    assert np.abs(velocity).max() <= exact * (1 + ROUNDING)
    assert exact <= np.abs(velocity).max() * (1 + ROUNDING) + largest_miss * (1 + ROUNDING)


@given(COMPONENT, COMPONENT, DT, st.floats(0.01, 100), st.sampled_from(list(MEASURES)))
def test_intensity_scales_with_the_motion(x, y, dt, factor, measure):
    n = min(len(x), len(y))
    assume(x[:n].any() or y[:n].any())
    pair = motion(x[:n], y[:n], dt=dt)
    expected = factor * intensity(pair, measure)
    assert intensity(pair.scaled(factor), measure) == pytest.approx(expected, rel=ROUNDING)
    assert intensity(pair.scaled(-1.0), measure) == intensity(pair, measure)


@given(COMPONENT, DT)
def test_stretching_time_stretches_the_velocity_alone(component, dt):
    assume(component.any())
    slow, fast = motion(component, dt=2 * dt), motion(component, dt=dt)
    assert intensity(slow, "pgv") == pytest.approx(2 * intensity(fast, "pgv"), rel=ROUNDING)
    assert intensity(slow, "pga") == intensity(fast, "pga")


def test_rotation_changes_the_measured_value():
    # why the intensity of a pair has to be taken before it is turned
    pair = motion([0.0, 2.0, 0.0], [0.0, 0.0, 2.0])
    assert intensity(pair, "pga") == 2.0
    assert intensity(pair.rotated(pi / 4), "pga") == pytest.approx(sqrt(2.0), rel=ROUNDING)


def test_measures_say_their_units():
    assert {name: measure.units for name, measure in MEASURES.items()} == {"pga": "m s-2", "pgv": "m s-1"}


def test_refuses_an_unknown_measure():
    with pytest.raises(MotionError, match="intensity measure must be one of pga, pgv, got 'pgd'"):
        intensity(motion([0.0, 1.0]), "pgd")


@pytest.mark.parametrize("measure", MEASURES)
def test_refuses_a_motion_without_horizontal_shaking(measure):
    with pytest.raises(MotionError, match=f"motion 'shake' has no horizontal .* no {measure} to"):
        intensity(motion([0.0, 0.0], z=[1.0, 2.0]), measure)
