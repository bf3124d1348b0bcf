"""Probit and logit curves: exact fits, symmetry, reading."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from mcrock.statistics import capacity_at, fit_fragility
from mcrock.statistics.likelihood import LINKS, LOGIT, PROBIT, FitKind, evaluate_curves, fit_curves

both = pytest.mark.parametrize("link", LINKS.values(), ids=LINKS)


@both
@given(st.floats(0.01, 0.4), st.floats(0.45, 0.99), st.floats(0.01, 100), st.floats(1.1, 20))
def test_two_stripes_are_met_exactly(link, low, high, x, ratio):
    """Through two points goes one curve: 1 / b = ln(x2 / x1) / (q(p2) - q(p1))."""
    levels, runs = np.array([x, x * ratio]), np.array([[1.0, 1.0]])
    found = fit_curves(levels, np.array([[low, high]]), runs, link)
    slope = (link.quantile(high) - link.quantile(low)) / np.log(ratio)
    assert found.kind[0] == FitKind.MAXIMUM
    assert found.low_dispersion[0] == pytest.approx(1 / slope, rel=1e-5)
    assert np.log(found.low_median[0] / x) == pytest.approx(-link.quantile(low) / slope, rel=1e-5, abs=1e-6)
    np.testing.assert_allclose(evaluate_curves(found, levels)[0], [[low, high]], rtol=1e-6)


@both
def test_hazards_and_bends_are_derivatives(link):
    eta, step = np.linspace(-6, 6, 41), 1e-5
    up, down = link.hazards(eta)
    slope = (link.log_cdf(eta + step) - link.log_cdf(eta - step)) / (2 * step)
    np.testing.assert_allclose(up, slope, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(down, up[::-1], rtol=1e-12)
    bend = -(link.hazards(eta + step)[0] - link.hazards(eta - step)[0]) / (2 * step)
    np.testing.assert_allclose(link.bends(eta, up, down)[0], bend, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(link.bends(eta, up, down)[1], bend[::-1], rtol=1e-6, atol=1e-9)


def test_logistic_maximum_is_that_of_another_optimizer():
    rng = np.random.default_rng(5)
    z, runs = np.linspace(-1, 1, 7), rng.integers(20, 60, 7)
    yes = rng.binomial(runs, LOGIT.cdf(0.3 + 2.5 * z))

    def loss(c):
        eta = c[0] + c[1] * z
        return -(yes * LOGIT.log_cdf(eta) + (runs - yes) * LOGIT.log_cdf(-eta)).sum()

    a, b = minimize(loss, [0.0, 1.0], tol=1e-12).x
    found = fit_curves(np.exp(z), yes[None], runs[None], LOGIT)
    assert found.low_dispersion[0] == pytest.approx(1 / b, rel=1e-5)
    assert np.log(found.low_median[0]) == pytest.approx(-a / b, rel=1e-4)


def test_curve_band_and_reading_of_a_log_logistic_fit(make_study):
    """Of lognormal capacities a log-logistic curve has about the median and dispersion, with wider tails."""
    ds = make_study(records=60)
    probit, logit = (fit_fragility(ds, link=link, resamples=200) for link in ("probit", "logit"))
    assert (probit.attrs["link"], logit.attrs["link"]) == ("probit", "logit")
    assert float(logit["median_capacity"]) == pytest.approx(float(probit["median_capacity"]), rel=0.01)
    assert float(logit["dispersion"]) == pytest.approx(float(probit["dispersion"]), rel=0.06)
    low, high = logit["dispersion_interval"].values
    assert low < float(logit["dispersion"]) < high
    curve, (lower, upper) = logit["curve"].values, logit["band"].values
    assert (lower <= curve + 1e-12).all()
    assert (curve <= upper + 1e-12).all()
    tail = capacity_at(logit, [0.3, 0.5, 0.8])["capacity"].values
    np.testing.assert_allclose(np.interp(tail, logit["intensity_grid"], curve), [0.3, 0.5, 0.8], atol=2e-4)
    assert tail[1] == float(logit["median_capacity"])
    at = float(logit["median_capacity"]) * 0.2
    assert np.interp(at, logit["intensity_grid"], curve) > np.interp(
        at, probit["intensity_grid"], probit["curve"]
    )
    assert PROBIT.deviation == 1.0


def test_a_link_that_is_none(make_study):
    with pytest.raises(ValueError, match="link must be 'probit' or 'logit', got 'cloglog'"):
        fit_fragility(make_study(), link="cloglog")
