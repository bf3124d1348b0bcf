"""Rates: closed forms, quadrature, and what refinement and scales must not change."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import ndtr

from mcrock.statistics.rates import lognormal_rates, refine, stripe_rates

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
    pieces = stripe_rates(grid, rate, level, fraction)
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
