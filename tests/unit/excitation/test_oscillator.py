"""The oscillator against exact solutions and an independent integration."""

from math import cos, exp, pi, sin, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

from mcrock.excitation.response_spectra import absolute_acceleration, oscillate, response_spectrum

ROUNDING = 1e-10  # of the peak: 1e-16 over the square of the smallest angle per step, 1e-3 here


@pytest.mark.parametrize("frequency", [0.05, 1.0, 17.0])
@pytest.mark.parametrize("damping", [0.0, 0.05, 0.7])
def test_suddenly_applied_acceleration(frequency, damping):
    dt = 0.01
    omega = 2 * pi * frequency
    damped = omega * sqrt(1 - damping**2)
    displacement, velocity = oscillate(np.full(300, 2.0), dt, frequency, damping)
    for i in (1, 50, 299):
        t = i * dt
        free = exp(-damping * omega * t)
        wave = cos(damped * t) + damping * omega / damped * sin(damped * t)
        assert displacement[i] == pytest.approx(
            -2 / omega**2 * (1 - free * wave), abs=ROUNDING * 4 / omega**2
        )
        rate = omega**2 / damped * free * sin(damped * t)
        assert velocity[i] == pytest.approx(-2 / omega**2 * rate, abs=ROUNDING * 4 / omega)


def test_critically_damped_under_a_ramp():
    omega, dt = 3.0, 0.02
    time = np.arange(200) * dt
    displacement, _ = oscillate(time, dt, omega / (2 * pi), 1.0)
    exact = -(time - 2 / omega + (time + 2 / omega) * np.exp(-omega * time)) / omega**2
    np.testing.assert_allclose(displacement, exact, atol=1e-11)


@pytest.mark.parametrize("damping", [0.0, 0.3, 1.0, 2.5])
def test_agrees_with_an_integration_step_by_step(damping):
    rng = np.random.default_rng(4)
    ground, dt, omega = rng.standard_normal(30), 0.1, 5.0
    displacement, velocity = oscillate(ground, dt, omega / (2 * pi), damping)
    state = np.zeros(2)
    for i in range(29):
        a, slope = ground[i], (ground[i + 1] - ground[i]) / dt

        def rate(t, y, a=a, slope=slope):
            return [y[1], -2 * damping * omega * y[1] - omega**2 * y[0] - a - slope * t]

        state = solve_ivp(rate, (0, dt), state, method="DOP853", rtol=1e-12, atol=1e-14).y[:, -1]
        assert displacement[i + 1] == pytest.approx(state[0], abs=1e-10)
        assert velocity[i + 1] == pytest.approx(state[1], abs=1e-10)


def test_peak_agrees_with_the_spectrum_of_absolute_acceleration():
    ground, dt = np.random.default_rng(5).standard_normal(800), 0.01
    mass = absolute_acceleration(np.concatenate([ground, np.zeros(100)]), dt, 2.0, 0.05)
    peak = response_spectrum(ground, dt, [0.5], 0.05, "acceleration")[0]
    # the spectrum looks between the samples as well: (2 pi dt/T)^2/8 of the peak
    assert peak * (1 - 0.002) <= np.abs(mass).max() <= peak * (1 + 1e-9)


@settings(max_examples=30)
@given(
    seed=st.integers(0, 999),
    factor=st.floats(-4.0, 4.0),
    frequency=st.floats(0.05, 20.0),
    damping=st.floats(0.0, 1.5),
    late=st.integers(0, 20),
)
def test_linear_and_the_same_at_any_time(seed, factor, frequency, damping, late):
    one, other = np.random.default_rng(seed).standard_normal((2, 40))
    one[0] = other[0] = 0.0  # else the delay adds a ramp
    both = absolute_acceleration(np.stack([one, other]), 0.02, frequency, damping)
    total = absolute_acceleration(one + factor * other, 0.02, frequency, damping)
    np.testing.assert_allclose(total, both[0] + factor * both[1], atol=1e-8)
    shifted = absolute_acceleration(np.concatenate([np.zeros(late), one]), 0.02, frequency, damping)
    np.testing.assert_allclose(shifted[late:], both[0], atol=1e-8)


def test_very_stiff_and_very_soft():
    ground = np.sin(np.arange(400) * 0.01 * 2 * pi)
    stiff = absolute_acceleration(ground, 0.01, 500.0, 0.3)
    # a time lag of 2 damping/omega and a share of (1/500)^2
    np.testing.assert_allclose(stiff[20:], ground[20:], atol=2e-3)
    assert np.abs(absolute_acceleration(ground, 0.01, 0.001, 0.05)).max() < 1e-2
