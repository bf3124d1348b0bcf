"""Maximum likelihood: independent optimisers, known curves, sets without a maximum."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_ndtr, ndtr
from scipy.stats import norm

from mcrock.statistics.likelihood import FitKind, evaluate_curves, fit_curves

X = np.array([0.5, 1.0, 1.5, 2.0, 3.0, 4.5])


def log_likelihood(median, dispersion, x, yes, runs):
    eta = np.log(x / median) / dispersion
    return np.sum(yes * log_ndtr(eta) + (runs - yes) * log_ndtr(-eta))


def fit_by_simplex(x, yes, runs):
    """Median and dispersion by a search that knows no derivatives."""

    def cost(v):
        return -log_likelihood(np.exp(v[0]), np.exp(v[1]), x, yes, runs)

    options = {"xatol": 1e-10, "fatol": 1e-12, "maxiter": 4000}
    found = minimize(cost, [np.log(2), np.log(0.5)], method="Nelder-Mead", options=options)
    return np.exp(found.x)


def fit_by_weighted_least_squares(x, yes, runs):
    """The same by Fisher scoring, as generalised linear models are fitted."""
    design = np.column_stack([np.ones(len(x)), np.log(x)])
    coefficients = np.zeros(2)
    for _ in range(200):
        eta = design @ coefficients
        p, density = norm.cdf(eta), norm.pdf(eta)
        weight = runs * density**2 / (p * (1 - p))
        working = eta + (yes / runs - p) / density
        coefficients = np.linalg.solve(design.T @ (weight[:, None] * design), design.T @ (weight * working))
    return np.exp(-coefficients[0] / coefficients[1]), 1 / coefficients[1]


@pytest.mark.parametrize("seed", range(5))
def test_fit_equals_two_independent_ones(seed):
    rng = np.random.default_rng(seed)
    runs = rng.integers(20, 60, len(X)).astype(float)
    yes = rng.binomial(runs.astype(int), ndtr(np.log(X / 1.8) / 0.5)).astype(float)
    curves = fit_curves(X, yes[None], runs[None])
    found = curves.low_median[0], curves.low_dispersion[0]
    assert curves.kind[0] == FitKind.MAXIMUM
    # the cost near its minimum is flat to 1e-16 relative, so a search without slopes knows 1e-7
    assert found == pytest.approx(fit_by_simplex(X, yes, runs), rel=1e-6)
    assert found == pytest.approx(fit_by_weighted_least_squares(X, yes, runs), rel=1e-9)


@pytest.mark.parametrize("dispersion", [0.05, 0.4, 3.0])
def test_exact_shares_return_the_curve(dispersion):
    x = 1.8 * np.exp(dispersion * np.array([-2, -1, -0.3, 0.2, 1, 1.7]))
    p = ndtr(np.log(x / 1.8) / dispersion)
    curves = fit_curves(x, 100 * p[None], np.full((1, 6), 100.0))
    assert curves.low_median[0] == pytest.approx(1.8, rel=1e-7)
    assert curves.low_dispersion[0] == pytest.approx(dispersion, rel=1e-6)
    assert evaluate_curves(curves, x)[0][0] == pytest.approx(p, abs=1e-7)


@pytest.mark.parametrize("power", [1e-6, 1e-3, 30.0])
def test_close_and_distant_levels_have_the_curve_of_the_same_levels(power):
    """Dispersions grow with the distance of the levels in the logarithm, and nothing else changes."""
    yes, runs = np.array([[1, 4, 6, 15, 17, 20.0]]), np.full((1, 6), 20.0)
    plain, other = fit_curves(X, yes, runs), fit_curves(X**power, yes, runs)
    assert other.kind == plain.kind == FitKind.MAXIMUM
    rtol = 1e-15 / power + 1e-9  # of ln(intensity), which has the rounding of the intensity
    assert np.log(other.low_median) / power == pytest.approx(np.log(plain.low_median), rel=rtol)
    assert other.low_dispersion / power == pytest.approx(plain.low_dispersion, rel=rtol)


def test_many_runs_of_a_known_curve():
    """1e6 runs: the standard errors from the information matrix are 7e-4; five of them."""
    rng = np.random.default_rng(8)
    runs = np.full(6, 166_667)
    yes = rng.binomial(runs, ndtr(np.log(X / 1.8) / 0.5))
    curves = fit_curves(X, yes[None].astype(float), runs[None].astype(float))
    assert curves.low_median[0] == pytest.approx(1.8, rel=3.5e-3)
    assert curves.low_dispersion[0] == pytest.approx(0.5, rel=7e-3)


def test_sets_are_fitted_alone(make_study):
    rng = np.random.default_rng(3)
    runs = np.full((50, len(X)), 30.0)
    yes = rng.binomial(30, ndtr(np.log(X / 1.8) / 0.5), (50, len(X))).astype(float)
    together = fit_curves(X, yes, runs)
    for i in (0, 17, 49):
        alone = fit_curves(X, yes[i : i + 1], runs[i : i + 1])
        assert alone.low_median[0] == pytest.approx(together.low_median[i], rel=1e-12)


@pytest.mark.parametrize(
    ("shares", "kind", "median", "dispersion"),
    [
        ([0, 0, 0, 0, 0, 0], FitKind.NONE, (4.5, np.inf), (0, np.inf)),
        ([1, 1, 1, 1, 1, 1], FitKind.ALL, (0, 0.5), (0, np.inf)),
        ([0, 0, 0, 1, 1, 1], FitKind.SEPARATED, (1.5, 2.0), (0, 0)),
        ([0, 0, 0.3, 1, 1, 1], FitKind.SEPARATED, (1.5, 1.5), (0, 0)),
        ([0.2, 0.2, 0.2, 0.2, 0.2, 0.2], FitKind.FLAT, (np.inf, np.inf), (np.inf, np.inf)),
        ([0.9, 0.9, 0.8, 0.8, 0.7, 0.7], FitKind.FLAT, (0, 0), (np.inf, np.inf)),
        ([1, 1, 1, 0, 0, 0], FitKind.FLAT, (0, np.inf), (np.inf, np.inf)),
    ],
)
def test_sets_without_a_maximum_become_what_the_likelihood_tends_to(shares, kind, median, dispersion):
    runs = np.full((1, 6), 20.0)
    curves = fit_curves(X, 20.0 * np.array([shares]), runs)
    assert curves.kind[0] == kind
    assert (curves.low_median[0], curves.high_median[0]) == pytest.approx(median, rel=1e-15)
    assert (curves.low_dispersion[0], curves.high_dispersion[0]) == dispersion
    lower, upper = evaluate_curves(curves, X)
    assert (lower <= upper).all()
    if kind != FitKind.FLAT:
        decided = np.isin(shares, (0, 1))
        np.testing.assert_array_equal(lower[0][decided], np.floor(shares)[decided])
        assert (upper[0] >= shares).all()


def test_nearly_separated_counts_still_have_a_maximum():
    yes = np.array([[0, 0, 1, 19, 20, 20.0]])
    curves = fit_curves(X, yes, np.full((1, 6), 20.0))
    assert curves.kind[0] == FitKind.MAXIMUM
    found = curves.low_median[0], curves.low_dispersion[0]
    assert found == pytest.approx(fit_by_simplex(X, yes[0], np.full(6, 20.0)), rel=1e-6)
