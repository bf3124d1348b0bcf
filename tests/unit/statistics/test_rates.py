"""Annual rates by a curve and by empirical fractions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import ndtr

from mcrock.statistics.rates import (
    IsotonicCurve,
    bounding_steps,
    integration_points,
    isotonic_rates,
    lognormal_rates,
    refine,
)

X = np.array([0.05, 0.1, 0.3, 0.7, 2.0, 5.0])
H = np.array([1e-2, 3e-3, 2e-4, 1e-5, 2e-7, 2e-7])  # the last piece is flat: nothing happens in it


def integral(curve, k):
    """Integral of F |dH| over a piece of the table, by quadrature in ln(x)."""
    slope = -np.log(H[k + 1] / H[k]) / np.log(X[k + 1] / X[k])

    def integrand(z):
        return curve(np.exp(z)) * slope * H[k] * (np.exp(z) / X[k]) ** -slope

    return quad(integrand, np.log(X[k]), np.log(X[k + 1]), epsabs=0, epsrel=1e-12, limit=200)[0]


@pytest.mark.parametrize("slope", [0.5, 2.5, 4.0])
@pytest.mark.parametrize("dispersion", [0.1, 0.4, 0.8])
def test_a_power_law_has_the_closed_form(slope, dispersion):
    """k0 median**-k exp(k**2 dispersion**2 / 2), from a table that ends where F is 1."""
    x = np.geomspace(1e-6, 1e4, 300)
    rate = lognormal_rates(x, 3e-4 * x**-slope, 0.6, dispersion).sum() + 3e-4 * x[-1] ** -slope
    assert rate == pytest.approx(3e-4 * 0.6**-slope * np.exp((slope * dispersion) ** 2 / 2), rel=1e-9)


@pytest.mark.parametrize(("median", "dispersion"), [(0.5, 0.4), (0.09, 0.3), (3.0, 0.6), (0.02, 0.5)])
def test_lognormal_pieces_are_integrals(median, dispersion):
    pieces = lognormal_rates(X, H, median, dispersion)
    for k in range(4):
        expected = integral(lambda x: ndtr(np.log(x / median) / dispersion), k)
        assert pieces[k] == pytest.approx(expected, rel=1e-9)
    assert pieces[4] == pytest.approx(0, abs=1e-15 * H[4])


def test_a_step_is_the_rate_at_its_place():
    grid, rate = refine(X, H, np.array([0.4]))
    assert lognormal_rates(X, H, 0.4, 0.0).sum() == pytest.approx(rate[grid == 0.4].item() - H[-1])
    assert lognormal_rates(X, H, 0.4, 1e-4).sum() == pytest.approx(rate[grid == 0.4].item() - H[-1], rel=1e-6)
    assert lognormal_rates(X, H, 0.01, 0.0).sum() == pytest.approx(H[0] - H[-1])
    assert lognormal_rates(X, H, 9.0, 0.0).sum() == 0


@pytest.mark.parametrize("level", [[0.1, 0.2, 0.7, 1.5], [0.01, 0.02], [3.0, 4.0], [0.3]])
def test_stripe_pieces_are_integrals(level):
    level = np.array(level)
    fraction = np.linspace(0.1, 0.9, len(level))

    def curve(x):
        return np.where(x < level[0], 0.0, np.interp(np.log(x), np.log(level), fraction))

    grid, rate = refine(X, H, level)
    pieces = isotonic_rates(grid, rate, level, fraction)
    for low, high, piece in zip(grid[:-1], grid[1:], pieces, strict=True):
        k = min(np.searchsorted(X, low, side="right") - 1, 4)
        slope = -np.log(H[k + 1] / H[k]) / np.log(X[k + 1] / X[k])
        points = np.linspace(np.log(low), np.log(high), 2001)
        middle = (points[1:] + points[:-1]) / 2  # midpoints: curve jumps at its lowest level alone
        density = slope * H[k] * (np.exp(middle) / X[k]) ** -slope
        expected = (curve(np.exp(middle)) * density).sum() * np.diff(points)[0]
        assert piece == pytest.approx(expected, rel=1e-5, abs=1e-18)


@given(st.lists(st.floats(0.06, 4.9), min_size=1, max_size=8), st.floats(0.1, 1.0), st.floats(0.05, 3.0))
def test_refinement_and_scales_change_nothing(further, dispersion, median):
    whole = lognormal_rates(X, H, median, dispersion).sum()
    grid, rate = refine(X, H, np.array(further))
    assert lognormal_rates(grid, rate, median, dispersion).sum() == pytest.approx(whole, rel=1e-9, abs=1e-20)
    assert lognormal_rates(X, 7 * H, median, dispersion).sum() == pytest.approx(
        7 * whole, rel=1e-9, abs=1e-20
    )
    assert lognormal_rates(9 * X, H, 9 * median, dispersion).sum() == pytest.approx(
        whole, rel=1e-9, abs=1e-20
    )
    assert 0 <= whole <= H[0] - H[-1]


def test_tails_far_out_lose_no_digits():
    """Where F is 1e-50 the rate of a piece is right to nine digits, not a difference of rounding."""
    x = np.array([0.01, 0.011, 0.012])
    pieces = lognormal_rates(x, 1e-2 * (x / 0.01) ** -3.0, 5.0, 0.4)
    assert (pieces > 0).all()
    assert (pieces < 1e-40).all()


LEVELS = np.array([0.2, 0.3, 0.4, 0.6, 0.9, 1.4])
COUNTS = st.lists(st.integers(0, 40), min_size=6, max_size=6)


def hazard(slope=2.5, low=0.05, high=3.0):
    x = np.geomspace(low, high, 12)
    return x, 1e-3 * x**-slope


@given(counts=COUNTS)
def test_value_and_inversion_are_of_one_curve(counts):
    curve = IsotonicCurve(LEVELS, np.array(counts, float), np.full(6, 40.0))
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
    curve = IsotonicCurve(LEVELS, 1e9 * truth, np.full(6, 1e9))
    grid = np.geomspace(0.2, 1.4, 50)
    np.testing.assert_allclose(curve.at(grid), ndtr(np.log(grid / 0.5) / 0.45), atol=1e-8)
    for slope in (2.0, 4.0):
        table = refine(*hazard(slope), integration_points(LEVELS))
        inside = (table[0][:-1] >= 0.2 - 1e-12) & (table[0][1:] <= 1.4 + 1e-12)
        expected = lognormal_rates(*table, 0.5, 0.45)[inside].sum()
        assert curve.rates(*table)[inside].sum() == pytest.approx(expected, rel=2e-3)


@given(counts=COUNTS, slope=st.floats(1.0, 4.0))
def test_the_rate_is_the_integral_and_lies_between_the_steps(counts, slope):
    curve = IsotonicCurve(LEVELS, np.array(counts, float), np.full(6, 40.0))
    x, rate = hazard(slope)
    table = refine(x, rate, integration_points(LEVELS))
    found = curve.rates(*table).sum()
    least, most, beyond = bounding_steps(LEVELS, *table)
    assert least @ curve.fraction <= found * (1 + 1e-9)
    assert found <= (most @ curve.fraction + beyond) * (1 + 1e-9)
    assert (least >= 0).all()
    assert (most >= 0).all()


def test_the_rate_is_that_of_quadrature():
    curve = IsotonicCurve(LEVELS, np.array([1.0, 3, 3, 20, 30, 39]), np.full(6, 40.0))
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
    for last in np.geomspace(2e-7, 3e-4, 50):  # exp(ln(rate)) may be less than the rate, and no weight is
        least, most, beyond = bounding_steps(LEVELS, x, np.array([1e-2, last]))
        assert min(*least, *most, beyond) >= 0


def test_fractions_that_differ_in_the_last_digit_alone():
    """Of one pair in ten the probits differ and the probabilities of these do not: 0 over 0."""
    for fraction in np.random.default_rng(0).uniform(0.01, 0.99, 200):
        counts = np.array([fraction, fraction + np.spacing(fraction)]) * 2**20
        curve = IsotonicCurve(np.array([1.0, 2.0]), counts, np.full(2, 2.0**20))
        np.testing.assert_allclose(curve.at(np.geomspace(1.0, 2.0, 17)), fraction, rtol=1e-12)


def test_the_last_runs_of_a_cloud_reach_nothing_alone():
    """Of 400 runs a fifth overturned at any intensity, and all of the last few, by chance."""
    x = np.geomspace(0.1, 2.0, 400)
    fell = np.where(np.arange(400) % 5 == 0, 1.0, 0.0)
    fell[-4:] = 1.0
    curve = IsotonicCurve(x, fell, np.ones(400))
    assert curve.fraction[-1] == 1.0
    assert curve.reached(0.5) == np.inf
    assert curve.reached(0.15) < 0.2
