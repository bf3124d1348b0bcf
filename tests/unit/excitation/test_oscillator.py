"""The oscillator against exact solutions and an independent integration; the spectrum of a motion."""

from math import pi

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

from mcrock.excitation import Motion
from mcrock.excitation.response_spectra import (
    COMBINATIONS,
    absolute_acceleration,
    motion_spectrum,
    oscillate,
    response_spectrum,
    rotated_spectrum,
)


def test_critically_damped_under_a_ramp():
    omega, dt = 3.0, 0.02
    time = np.arange(200) * dt
    displacement, _ = oscillate(time, dt, omega / (2 * pi), 1.0)
    exact = -(time - 2 / omega + (time + 2 / omega) * np.exp(-omega * time)) / omega**2
    np.testing.assert_allclose(displacement, exact, atol=1e-11)


@pytest.mark.parametrize("omega", [0.3, 5.0, 60.0])
@pytest.mark.parametrize("damping", [0.0, 0.3, 1.0, 2.5])
def test_agrees_with_an_integration_step_by_step(damping, omega):
    ground, dt = np.random.default_rng(4).standard_normal(30), 0.1
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


def test_combinations_of_a_motion():
    rng = np.random.default_rng(9)
    motion = Motion(rng.normal(size=(3, 200)), dt=0.01, name="noise")
    periods = [0.1, 1.0]
    x, y, z = (response_spectrum(a, 0.01, periods) for a in motion.acceleration)
    found = {c: motion_spectrum(motion, periods, combination=c) for c in COMBINATIONS}
    for name, expected in {"x": x, "y": y, "z": z, "geometric_mean": np.sqrt(x * y)}.items():
        np.testing.assert_allclose(found[name], expected, rtol=1e-14)
    np.testing.assert_array_equal(found["rotd50"], rotated_spectrum(*motion.acceleration[:2], 0.01, periods))
    assert (found["rotd100"] >= np.maximum(x, y) * (1 - 1e-10)).all()


@pytest.mark.parametrize("combination", ["geometric_mean", "rotd50", "rotd100"])
@pytest.mark.parametrize("role", [0, 1])
def test_a_single_component_counts_alone(combination, role):
    samples = np.zeros((3, 50))
    samples[role] = np.random.default_rng(10).normal(size=50)
    motion = Motion(samples, dt=0.01, name="one component")
    expected = response_spectrum(samples[role], 0.01, [0.5])
    np.testing.assert_array_equal(motion_spectrum(motion, [0.5], combination=combination), expected)


def test_damping_and_quantity_are_passed_on():
    motion = Motion(np.random.default_rng(12).normal(size=(3, 50)), dt=0.01, name="noise")
    for quantity in ("displacement", "velocity"):
        expected = response_spectrum(motion.acceleration[2], 0.01, [0.5], 0.2, quantity)
        np.testing.assert_array_equal(motion_spectrum(motion, [0.5], 0.2, quantity, "z"), expected)


def test_a_still_pair_has_a_spectrum_of_zeros():
    still = Motion([[0.0, 0.0], [0.0, 0.0], [0.0, 1.0]], dt=0.1, name="vertical")
    assert motion_spectrum(still, [1.0])[0] == 0
    assert motion_spectrum(still, [1.0], combination="z")[0] > 0
