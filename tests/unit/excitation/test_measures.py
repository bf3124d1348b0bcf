"""Measures of one component against exact integrals, of lines between samples and of band-limited signals."""

from math import pi

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mcrock.base.params import STANDARD_GRAVITY
from mcrock.excitation.measures import (
    arias_intensity,
    cumulative_absolute_velocity,
    displacement_of,
    energy_of,
    mean_period,
    peak_acceleration,
    peak_displacement,
    peak_velocity,
    significant_duration,
    significant_times,
    velocity_of,
)

ROUNDING = 1e-12  # sums of at most 30 products
COMPONENT = arrays(np.float64, st.integers(2, 30), elements=st.integers(-50, 50).map(lambda i: i / 4))
DT = st.sampled_from([0.0024, 0.005, 0.5, 1.0])
FINE = 64  # parts of a step


def on_fine_grid(component):
    """The polygon at more points, which changes nothing about it."""
    n = (len(component) - 1) * FINE + 1
    return np.interp(np.arange(n) / FINE, np.arange(len(component)), component)


def test_velocity_peaks_between_samples_where_the_acceleration_changes_sign():
    # a = 3 - 4 t on the only step: v = 3 t - 2 t^2 is 9/8 at t = 3/4 and 1 at the end
    assert peak_velocity(np.array([3.0, -1.0]), 1.0) == 9 / 8


def test_displacement_peaks_between_samples_where_the_velocity_changes_sign():
    # a = 1 - 3 t on [0, 2]: v = t - 3/2 t^2 is zero at 2/3, where d = t^2/2 - t^3/2 = 2/27
    assert displacement_of(np.array([1.0, -5.0]), 2.0)[-1] == pytest.approx(-2.0, rel=ROUNDING)
    assert peak_displacement(np.array([1.0, -5.0]), 2.0) == pytest.approx(2.0, rel=ROUNDING)
    # a = 1 - 2 t up to t = 1.6, v = t - t^2, d = t^2/2 - t^3/3 with its largest value 1/6 at t = 1
    assert peak_displacement(np.array([1.0, -2.2]), 1.6) == pytest.approx(1 / 6, rel=ROUNDING)


def test_a_sine_cycle():
    # peak velocity 2 a / w, displacement at the end 2 pi a / w^2, Arias pi/(2 g) a^2 T / 2, CAV 2 a T / pi;
    # the polygon through n samples a cycle loses the share (pi / n)^2 / 3 of the sine's areas, and nothing of
    # the sum of its squares
    n, peak = 1000, 3.0
    wave = peak * np.sin(2 * pi * np.linspace(0, 1, n + 1))
    lost, order = (pi / n) ** 2 / 3, (pi / n) ** 4
    assert peak_velocity(wave, 1 / n) == pytest.approx(peak / pi * (1 - lost), rel=order)
    assert peak_displacement(wave, 1 / n) == pytest.approx(peak / (2 * pi) * (1 - lost), rel=3 * order + lost)
    assert cumulative_absolute_velocity(wave, 1 / n) == pytest.approx(2 * peak / pi * (1 - lost), rel=order)
    expected = pi / (2 * STANDARD_GRAVITY) * peak**2 / 2
    assert arias_intensity(wave, 1 / n) == pytest.approx(expected, rel=ROUNDING)


@pytest.mark.parametrize("frequency", [5.0, 20.0, 40.0])
def test_arias_intensity_of_a_wave_packet_does_not_depend_on_the_sampling(frequency):
    """Of a band-limited signal; lines between the samples would lose 60 % at 40 Hz."""
    energies = []
    for dt in (0.01, 0.0125 / 16):
        time = np.arange(-5, 5, dt)
        packet = np.exp(-(time**2)) * np.cos(2 * pi * frequency * time + 0.7)
        energies.append((arias_intensity(packet, dt), significant_duration(packet, dt)))
    (coarse, long), (fine, duration) = energies
    assert coarse == pytest.approx(fine, rel=1e-9)
    assert long == pytest.approx(duration, abs=0.01)
    exact = pi / (2 * STANDARD_GRAVITY) * np.sqrt(pi / 2) / 2  # half the integral of exp(-2 t^2)
    assert fine == pytest.approx(exact, rel=1e-9)


@given(COMPONENT, DT)
def test_peaks_agree_with_a_fine_integral(component, dt):
    fine, step = on_fine_grid(component), dt / FINE
    bend = np.abs(np.diff(component)).max() * dt / FINE**2 / 8  # of the velocity between points
    velocity, displacement = velocity_of(fine, step), displacement_of(fine, step)
    for exact, points, missed in (
        (peak_acceleration(component, dt), fine, 0.0),
        (peak_velocity(component, dt), velocity, bend),
        (peak_displacement(component, dt), displacement, np.abs(component).max() * step**2 / 8),
    ):
        scale = np.abs(points).max() + 1e-12
        assert np.abs(points).max() <= exact + ROUNDING * scale
        assert exact <= np.abs(points).max() + missed * (1 + ROUNDING) + ROUNDING * scale


@given(COMPONENT, DT)
def test_points_on_the_lines_change_nothing(component, dt):
    fine = on_fine_grid(component)
    for measure in (peak_acceleration, peak_velocity, peak_displacement):
        assert measure(fine, dt / FINE) == pytest.approx(measure(component, dt), rel=1e-9, abs=1e-12)


@given(COMPONENT, DT, st.floats(0.01, 0.49))
def test_shares_of_the_energy_are_reached_at_the_significant_times(component, dt, share):
    assume(component.any())
    first, last = significant_times(component, dt, share, 1 - share)
    assert 0 <= first <= last <= (len(component) - 1) * dt
    energy = energy_of(component, dt)
    assert energy[-1] == pytest.approx(np.trapezoid(component**2, dx=dt), rel=1e-12)
    for time, expected in ((first, share), (last, 1 - share)):
        reached = np.interp(time, np.arange(len(component)) * dt, energy)
        assert reached == pytest.approx(expected * energy[-1], rel=1e-9)


def test_duration_of_a_constant_acceleration():
    assert significant_duration(np.ones(11), 0.1) == pytest.approx(0.9, rel=ROUNDING)
    quiet = np.concatenate([np.zeros(5), np.ones(11), np.zeros(5)])
    first, last = significant_times(quiet, 0.1, 0.0, 1.0)
    assert (first, last) == (pytest.approx(0.4), pytest.approx(1.6))


@given(COMPONENT, DT)
@settings(max_examples=30)
def test_stretching_time(component, dt):
    assume(component.any())
    for measure, power in (
        (peak_acceleration, 0),
        (peak_velocity, 1),
        (peak_displacement, 2),
        (arias_intensity, 1),
        (cumulative_absolute_velocity, 1),
        (significant_duration, 1),
    ):
        expected = 2.0**power * measure(component, dt)
        assert measure(component, 2 * dt) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("frequency", [0.5, 1.0, 3.7, 15.0])
def test_mean_period_of_a_sine(frequency):
    # a window of 80 s spreads the line by 0.0125 Hz, whose tails lean to long periods a little
    time = np.arange(0, 80, 0.005)
    assert mean_period(np.sin(2 * pi * frequency * time), 0.005) == pytest.approx(1 / frequency, rel=0.02)


def test_mean_period_of_two_sines_is_weighted_by_their_squares():
    time = np.arange(0, 81.92, 0.005)  # whole cycles of both in a power of two of samples: lines, no tails
    lines = [16 / 81.92, 64 / 81.92, 256 / 81.92]  # the first one is below the band
    wave = 5 * np.sin(2 * pi * lines[0] * time)
    wave += 2 * np.sin(2 * pi * lines[1] * time) + np.cos(2 * pi * lines[2] * time)
    assert len(time) == 2**14
    expected = (4 / lines[1] + 1 / lines[2]) / 5
    assert mean_period(wave, 0.005) == pytest.approx(expected, rel=1e-9)


def test_agrees_with_eqsig():
    """eqsig takes g = 9.81 and the peaks of velocity and displacement at samples."""
    eqsig = pytest.importorskip("eqsig", reason="eqsig, a second library, is not installed")
    dt = 0.01
    time = np.arange(0, 20, dt)
    shake = np.sin(time * (3 + time / 4)) * np.exp(-(((time - 7) / 4) ** 2))
    record = eqsig.AccSignal(shake, dt)
    # frequencies below w = 3 + 20/2 rad/s: (w dt)^2 / 12 of the integral of squares at the most, 4 times
    # over for their double frequency
    rule = 4 * (13 * dt) ** 2 / 12
    arias = eqsig.im.calc_arias_intensity(record)[-1] * 9.81 / STANDARD_GRAVITY
    assert arias_intensity(shake, dt) == pytest.approx(arias, rel=ROUNDING)
    assert cumulative_absolute_velocity(shake, dt) == pytest.approx(
        eqsig.im.calc_cav(record)[-1], rel=ROUNDING
    )
    # its times are samples
    assert significant_duration(shake, dt) == pytest.approx(eqsig.im.calc_sig_dur(record), abs=2 * dt)
    assert peak_acceleration(shake, dt) == record.pga
    assert peak_velocity(shake, dt) == pytest.approx(record.pgv, rel=rule)
    assert peak_displacement(shake, dt) == pytest.approx(record.pgd, rel=rule)
