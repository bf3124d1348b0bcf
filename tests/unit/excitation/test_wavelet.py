"""Wavelets against their formulas, their spectra and their integrals."""

from math import pi, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import minimize_scalar

from mcrock.excitation.pulses import MavroeidisPapageorgiou, Ricker

ROUNDING = 1e-12  # a handful of roundings of numbers of the size of the peak
CUT = 2e-8  # of the peak: what the wavelets leave out at their ends
X = (1.0, 0.0, 0.0)


def along_x(pulse, time):
    return pulse.acceleration_at(time)[0]


def test_symmetric_ricker_is_the_wavelet_of_its_peak_frequency():
    pulse = Ricker((3.0, 0.0, 0.0), period=0.8, start=0.5)
    s = np.linspace(-1, 1, 201)
    expected = 3.0 * (1 - 2 * (pi * s / 0.8) ** 2) * np.exp(-((pi * s / 0.8) ** 2))
    np.testing.assert_allclose(along_x(pulse, pulse.middle + s), expected, atol=ROUNDING)


def test_antisymmetric_ricker_is_a_derivative_of_the_symmetric_one():
    # the third and the second derivative of one Gaussian: exp(-s^2/6) and exp(-s^2/4) of their periods
    odd, even = Ricker(X, 1.0, symmetric=False), Ricker(X, sqrt(3 / 2))
    s, h = np.linspace(-0.9, 0.9, 100), 1e-5
    slope = (along_x(even, even.middle + s + h) - along_x(even, even.middle + s - h)) / (2 * h)
    wave = along_x(odd, odd.middle + s)
    factor = (wave @ slope) / (slope @ slope)
    np.testing.assert_allclose(factor * slope, wave, atol=1e-6)  # h**2 of the difference


@pytest.mark.parametrize("symmetric", [True, False])
def test_ricker_has_unit_peak_and_its_largest_fourier_amplitude_at_its_period(symmetric):
    pulse = Ricker(X, period=0.8, symmetric=symmetric)
    middle = pulse.middle
    peak = minimize_scalar(
        lambda t: -float(along_x(pulse, t)), bounds=(middle - 0.01, middle + 0.2), options={"xatol": 1e-9}
    )
    assert -peak.fun == pytest.approx(1.0, abs=ROUNDING)
    time = np.linspace(0, pulse.end, 2000)
    wave = along_x(pulse, time)
    largest = minimize_scalar(
        lambda f: -abs(np.trapezoid(wave * np.exp(-2j * pi * f * time), time)), bounds=(0.5, 3.0)
    )
    assert 1 / largest.x == pytest.approx(0.8, rel=1e-4)  # the maximum is flat


@pytest.mark.parametrize("symmetric", [True, False])
def test_ricker_is_even_or_odd_and_fades_before_it_is_cut(symmetric):
    pulse = Ricker(X, period=1.3, symmetric=symmetric, start=2.0)
    s = np.linspace(0, 1.2, 50)
    mirrored = along_x(pulse, pulse.middle - s) * (1 if symmetric else -1)
    np.testing.assert_allclose(along_x(pulse, pulse.middle + s), mirrored, atol=ROUNDING)
    assert abs(along_x(pulse, pulse.start)) < CUT
    assert (along_x(pulse, np.array([0.0, 1.999, pulse.end, 99.0])) == 0).all()


def test_velocity_pulse_follows_the_paper():
    # acceleration of the paper, in its own parameters
    a, period, gamma, nu, start = 0.8, 1.6, 2.3, 0.7, 0.4
    pulse = MavroeidisPapageorgiou((a, 0.0, 0.0), period, gamma, nu, start)
    s = np.linspace(-0.499, 0.499, 77) * gamma * period
    slow, turn = 2 * pi * s / (gamma * period), 2 * pi * s / period + nu
    expected = np.sin(slow) * np.cos(turn) + gamma * np.sin(turn) * (1 + np.cos(slow))
    time = s + start + gamma * period / 2
    np.testing.assert_allclose(
        along_x(pulse, time), -a * pi / (period * gamma) * expected, atol=10 * ROUNDING
    )
    velocity = a / 2 * (1 + np.cos(slow)) * np.cos(turn)
    np.testing.assert_allclose(pulse.velocity_at(time)[0], velocity, atol=ROUNDING)


def test_velocity_pulse_begins_and_ends_without_a_jump():
    pulse = MavroeidisPapageorgiou(X, 2.0, 1.7, 1.1, start=1.0)
    for moment in (1.0, pulse.end, 0.0, 50.0):
        assert along_x(pulse, moment) == pytest.approx(0.0, abs=1e-14)
        assert pulse.velocity_at(moment)[0] == pytest.approx(0.0, abs=1e-14)
    assert np.abs(MavroeidisPapageorgiou(X, 2.0, 1.7).velocity_at(1.7)[0]) == pytest.approx(1.0)


@given(
    period=st.floats(0.1, 8.0),
    start=st.floats(0.0, 3.0),
    share=st.floats(0.05, 1.0),
    shape=st.sampled_from(["even", "odd", "velocity"]),
    cycles=st.floats(1.05, 4.0),
    phase=st.floats(-pi, pi),
)
def test_velocity_is_the_integral_of_the_acceleration(period, start, share, shape, cycles, phase):
    if shape == "velocity":
        pulse = MavroeidisPapageorgiou(X, period, cycles, phase, start)
    else:
        pulse = Ricker(X, period, shape == "even", start)
    time = start + share * (pulse.end - start)
    middle = start + 0.5 * share * (pulse.end - start)
    area = sum(
        quad(lambda t: float(along_x(pulse, t)), *ends, limit=200)[0]
        for ends in ((start, middle), (middle, time))
    )
    assert pulse.velocity_at(time)[0] == pytest.approx(area, abs=1e-7 * max(period, 1.0))  # quad's own error


@given(factor=st.floats(0.2, 5.0), share=st.floats(0.0, 0.999), symmetric=st.booleans())
def test_a_wavelet_stretches_with_its_period(factor, share, symmetric):
    one, other = Ricker(X, 1.0, symmetric), Ricker(X, factor, symmetric)
    # near the ends of the cut a rounding of the time decides
    if 0.001 < share < 0.998:
        assert along_x(one, share * one.end) == pytest.approx(along_x(other, share * other.end), abs=1e-11)
    pulse, slow = MavroeidisPapageorgiou(X, 1.0), MavroeidisPapageorgiou(X, factor)
    assert along_x(pulse, share * pulse.end) == pytest.approx(
        factor * along_x(slow, share * slow.end), abs=1e-11
    )


def test_all_components_share_the_wave_and_shapes_follow_the_time():
    pulse = Ricker((1.0, -2.0, 0.5), 1.0)
    x, y, z = pulse.acceleration_at(np.linspace(0, 3, 40))
    np.testing.assert_allclose([y, z], [-2 * x, 0.5 * x], atol=ROUNDING)
    assert pulse.acceleration_at(0.1).shape == pulse.velocity_at(0.1).shape == (3,)
    assert (
        pulse.acceleration_at(np.zeros((2, 5))).shape
        == pulse.velocity_at(np.zeros((2, 5))).shape
        == (3, 2, 5)
    )
    assert Ricker([1, -2, 0.5], 1.0) == pulse
    assert pulse.group == pulse.name == "Ricker pulse"
    assert MavroeidisPapageorgiou(X, 1.0).group == "Mavroeidis-Papageorgiou pulse"
