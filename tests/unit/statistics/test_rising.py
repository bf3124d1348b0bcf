"""The one rising curve: values, inversion and rate of the same object, and what the levels leave open."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import ndtr

from mcrock.statistics.rates import RisingCurve, bounding_steps, integration_points, lognormal_rates, refine

LEVELS = np.array([0.2, 0.3, 0.4, 0.6, 0.9, 1.4])
COUNTS = st.lists(st.integers(0, 40), min_size=6, max_size=6)


def hazard(slope=2.5, low=0.05, high=3.0):
    x = np.geomspace(low, high, 12)
    return x, 1e-3 * x**-slope


@given(counts=COUNTS)
def test_value_and_inversion_are_of_one_curve(counts):
    curve = RisingCurve(LEVELS, np.array(counts, float), np.full(6, 40.0))
    grid = np.geomspace(0.1, 2.0, 400)
    assert (np.diff(curve.at(grid)) >= -1e-12).all()
    np.testing.assert_allclose(curve.at(LEVELS), curve.fraction, atol=1e-12)
    for p in (0.01, 0.05, 0.37, 0.5, 0.9):
        at = curve.reached(p)
        if curve.is_open(p):
            assert at == LEVELS[0]
        elif np.isinf(at):
            assert curve.fraction[-1] < p
        else:
            assert curve.at(np.array([at]))[0] == pytest.approx(p, abs=1e-9)
            assert curve.at(np.array([at * (1 - 1e-6)]))[0] <= p


def test_a_lognormal_truth_known_at_the_levels_is_found_between_them():
    """Where the levels have its fractions the rising curve is the lognormal one, and so is its rate."""
    truth = ndtr(np.log(LEVELS / 0.5) / 0.45)
    curve = RisingCurve(LEVELS, 1e9 * truth, np.full(6, 1e9))
    grid = np.geomspace(0.2, 1.4, 50)
    np.testing.assert_allclose(curve.at(grid), ndtr(np.log(grid / 0.5) / 0.45), atol=1e-8)
    for slope in (2.0, 4.0):
        table = refine(*hazard(slope), integration_points(LEVELS))
        inside = (table[0][:-1] >= 0.2 - 1e-12) & (table[0][1:] <= 1.4 + 1e-12)
        expected = lognormal_rates(*table, 0.5, 0.45)[inside].sum()
        assert curve.rates(*table)[inside].sum() == pytest.approx(expected, rel=2e-3)


@given(counts=COUNTS, slope=st.floats(1.0, 4.0))
def test_the_rate_is_the_integral_and_lies_between_the_steps(counts, slope):
    curve = RisingCurve(LEVELS, np.array(counts, float), np.full(6, 40.0))
    x, rate = hazard(slope)
    table = refine(x, rate, integration_points(LEVELS))
    found = curve.rates(*table).sum()
    least, most, beyond = bounding_steps(LEVELS, *table)
    assert least @ curve.fraction <= found * (1 + 1e-9)
    assert found <= (most @ curve.fraction + beyond) * (1 + 1e-9)
    assert (least >= 0).all()
    assert (most >= 0).all()


def test_the_rate_is_that_of_quadrature():
    curve = RisingCurve(LEVELS, np.array([1.0, 3, 3, 20, 30, 39]), np.full(6, 40.0))
    x, rate = hazard(2.5)
    table = refine(x, rate, integration_points(LEVELS))
    parts = [
        quad(lambda z: curve.at(np.exp([z]))[0] * 2.5e-3 * np.exp(-2.5 * z), *np.log(ends), epsabs=1e-12)[0]
        for ends in zip([0.2, *LEVELS[1:]], [*LEVELS[1:], 3.0], strict=True)
    ]
    assert curve.rates(*table).sum() == pytest.approx(sum(parts), rel=1e-3)


def test_steps_weigh_every_level_inside_the_table():
    """Levels outside the table weigh nothing; those inside, what the hazard says."""
    x, rate = np.array([0.25, 1.0]), np.array([1e-2, 1e-4])
    least, most, beyond = bounding_steps(LEVELS, x, rate)
    at = np.exp(np.interp(np.log([0.3, 0.4, 0.6, 0.9]), np.log(x), np.log(rate)))
    np.testing.assert_allclose(
        least, [rate[0] - at[0], *-np.diff(at), at[-1] - rate[1], 0], rtol=1e-9, atol=1e-15
    )
    np.testing.assert_allclose(
        most, [0, rate[0] - at[0], *-np.diff(at), at[-1] - rate[1]], rtol=1e-9, atol=1e-15
    )
    assert beyond == pytest.approx(0.0, abs=1e-15)


def test_fractions_that_differ_in_the_last_digit_alone():
    """Of one pair in ten the probits differ and the probabilities of these do not: 0 over 0."""
    for fraction in np.random.default_rng(0).uniform(0.01, 0.99, 200):
        counts = np.array([fraction, fraction + np.spacing(fraction)]) * 2**20
        curve = RisingCurve(np.array([1.0, 2.0]), counts, np.full(2, 2.0**20))
        np.testing.assert_allclose(curve.at(np.geomspace(1.0, 2.0, 17)), fraction, rtol=1e-12)


def test_the_last_runs_of_a_cloud_reach_nothing_alone():
    """Of 400 runs a fifth overturned at any intensity, and all of the last few, by chance."""
    x = np.geomspace(0.1, 2.0, 400)
    fell = np.where(np.arange(400) % 5 == 0, 1.0, 0.0)
    fell[-4:] = 1.0
    curve = RisingCurve(x, fell, np.ones(400))
    assert curve.fraction[-1] == 1.0
    assert curve.reached(0.5) == np.inf
    assert curve.reached(0.15) < 0.2
