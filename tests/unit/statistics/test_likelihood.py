"""Fitted curves, their standard errors and bootstrap-t bounds: closed forms and independent computations."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import log_ndtr, ndtr, ndtri
from scipy.stats import norm
from scipy.stats import t as student

from mcrock.statistics import Bootstrap, capacity_at, fit_fragility
from mcrock.statistics.likelihood import (
    LINKS,
    LOGIT,
    PROBIT,
    Curves,
    FitKind,
    covariances,
    curve_model,
    evaluate_curves,
    fit_curves,
    jackknife,
    log_parameters,
    standard_errors,
    values_of,
)
from mcrock.statistics.resampling import Units, curve_quantity, readings_of, resampled_bounds

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


TWO_LEVELS = np.array([1.0, 2.0])
LEVELS = np.array([0.5, 1.1, 1.7, 2.3, 2.9, 3.6, 4.2, 4.8, 5.4, 6.0])


def draw_counts(records, per_record, levels=LEVELS, median=3.0, between=0.35, within=0.25, seed=0):
    """Overturned runs (record, level) of lognormal capacities between and within records."""
    rng = np.random.default_rng(seed)
    z = between * rng.standard_normal((records, 1)) + within * rng.standard_normal((records, per_record))
    return (levels[:, None] > median * np.exp(z)[:, None]).sum(axis=-1).astype(float)


def errors_of(yes, runs, levels, at, times=None):
    """Standard errors of a sample of records by `covariances`."""
    times = np.ones((1, len(yes))) if times is None else times
    kinds = yes, runs - yes
    counts = [times @ kind for kind in kinds]
    curves = fit_curves(levels, counts[0], counts[0] + counts[1])
    theta = log_parameters(curves)
    covariance = covariances(curve_model(levels, PROBIT), theta, times, kinds, counts)
    return standard_errors(theta, covariance, curve_quantity(np.log(at)))[0]


def estimates(curves, at):
    return values_of(log_parameters(curves), curve_quantity(at))


def test_two_levels_have_the_scatter_of_the_records():
    """A curve through two shares: Var p = sum (k - p n)^2 / N^2 of each, and the delta method."""
    rng = np.random.default_rng(4)
    runs = rng.integers(5, 30, (12, 1)) * np.ones((1, 2))
    yes = rng.binomial(runs.astype(int), rng.beta([2.0, 6.0], [6.0, 2.0], (12, 2))).astype(float)
    total, share = runs.sum(axis=0), yes.sum(axis=0) / runs.sum(axis=0)
    eta = ndtri(share)
    off = (yes - share * runs) / total / norm.pdf(eta)  # of each record, in probits
    slope = (eta[1] - eta[0]) / np.log(2.0)
    of_log_dispersion = -(off[:, 1] - off[:, 0]) / (eta[1] - eta[0])
    of_log_median = -off[:, 0] / slope - eta[0] / slope * of_log_dispersion
    expected = [np.sqrt((x**2).sum()) for x in (of_log_median, of_log_dispersion, *off.T)]
    np.testing.assert_allclose(errors_of(yes, runs, TWO_LEVELS, TWO_LEVELS), expected, rtol=1e-7)


def test_errors_are_those_of_a_computation_by_differences():
    """Sandwich of finite differences of the log-likelihood in (intercept, slope), and the delta method."""
    yes, runs, at = draw_counts(15, 20, seed=2), np.full((15, 10), 20.0), np.array([1.0, 2.5, 5.0])
    curves = fit_curves(LEVELS, yes.sum(axis=0)[None], runs.sum(axis=0)[None])
    best = np.array([-np.log(curves.low_median[0]), 1.0]) / curves.low_dispersion[0]

    def likelihood(v):  # of each record
        eta = v[0] + v[1] * np.log(LEVELS)
        return (yes * norm.logcdf(eta) + (runs - yes) * norm.logsf(eta)).sum(axis=1)

    def quantities(v):
        return np.concatenate([[-v[0] / v[1], -np.log(v[1])], v[0] + v[1] * np.log(at)])

    def slopes(function, step=1e-4):
        moves = step * np.eye(2)
        return np.stack([(function(best + m) - function(best - m)) / (2 * step) for m in moves])

    def curvature(step=1e-3):
        moves = step * np.eye(2)
        total = [
            [
                sum(s * t * likelihood(best + s * m + t * n).sum() for s in (1, -1) for t in (1, -1))
                for n in moves
            ]
            for m in moves
        ]
        return np.array(total) / (4 * step**2)

    scores, bread = slopes(likelihood), np.linalg.inv(curvature())
    gradient = slopes(quantities)
    expected = np.sqrt(np.diag(gradient.T @ bread @ scores @ scores.T @ bread @ gradient))
    np.testing.assert_allclose(errors_of(yes, runs, LEVELS, at), expected, rtol=1e-5)


def test_a_record_drawn_twice_is_two_records():
    yes, runs = draw_counts(10, 20, seed=3), np.full((10, 10), 20.0)
    times = np.array([[2.0, 1, 1, 0, 0, 3, 1, 0, 1, 1]])
    chosen = np.repeat(np.arange(10), times[0].astype(int))
    np.testing.assert_allclose(
        errors_of(yes, runs, LEVELS, LEVELS, times),
        errors_of(yes[chosen], runs[chosen], LEVELS, LEVELS),
        rtol=1e-9,
    )


def test_jackknife_of_a_mean_is_its_standard_error():
    """Of a mean the jackknife is s / sqrt(n), with copies as without."""
    values = np.random.default_rng(5).normal(size=9)
    expected = values.std(ddof=1) / 3
    left_out = (values.sum() - values) / 8
    assert jackknife(left_out[:, None], np.ones(9, int))[0] == pytest.approx(expected, rel=1e-12)
    twice = np.repeat(values, 2)
    left_out = (twice.sum() - values) / 17
    expected = twice.std(ddof=1) / np.sqrt(18)
    assert jackknife(left_out[:, None], np.full(9, 2))[0] == pytest.approx(expected, rel=1e-12)


def test_many_records_give_the_interval_of_student():
    """With 400 records the quantiles of the resamples are Student's, to 3 standard errors of a quantile."""
    yes, how = draw_counts(400, 5, seed=6), Bootstrap(resamples=4000)
    runs = np.full((400, 10), 5.0)
    units = Units(LEVELS, runs, np.stack([yes] * 3), np.ones(400, int))
    ends = np.log(resampled_bounds(units, how, LEVELS)[:, :2])
    curves = fit_curves(LEVELS, yes.sum(axis=0)[None], runs.sum(axis=0)[None])
    without = fit_curves(LEVELS, yes.sum(axis=0) - yes, runs.sum(axis=0) - runs)
    error = jackknife(estimates(without, np.log(LEVELS)), units.copies)[:2]
    centre = estimates(curves, np.log(LEVELS))[0, :2]
    quantile = student.ppf(0.975, 399)
    of_quantile = np.sqrt(0.025 * 0.975 / 4000) / student.pdf(quantile, 399)
    bias = 0.15  # of ln(dispersion) over its error: the distribution is centred up to 1 / sqrt(400) terms
    np.testing.assert_allclose(
        (ends - centre) / error, [[-quantile] * 2, [quantile] * 2], atol=3 * of_quantile + bias
    )


@pytest.mark.parametrize("seed", range(4))
def test_the_narrowest_interval_holds_the_estimate(seed):
    """The median of the pivots is not 0: on one side of it both their quantiles have one sign."""
    yes = draw_counts(12, 20, seed=seed)
    units = Units(LEVELS, np.full((12, 10), 20.0), np.stack([yes] * 3), np.ones(12, int))
    low, high = resampled_bounds(units, Bootstrap(level=1e-3, resamples=99), LEVELS)
    counts = yes.sum(axis=0)[None], np.full((1, 10), 240.0)
    (centre,) = estimates(fit_curves(LEVELS, *counts), np.log(LEVELS))
    estimate = np.concatenate([np.exp(centre[:2]), ndtr(centre[2:])])
    assert (low <= estimate).all()
    assert (estimate <= high).all()


def test_intervals_of_higher_levels_hold_those_of_lower_ones():
    yes = draw_counts(22, 20)
    units = Units(LEVELS, np.full((22, 10), 20.0), np.stack([yes] * 3), np.ones(22, int))
    levels = (0.3, 0.6, 0.9, 0.99)
    bounds = [resampled_bounds(units, Bootstrap(level=level), LEVELS[1:8]) for level in levels]
    lower, upper = np.stack(bounds, axis=1)
    assert (np.diff(lower, axis=0) < 0).all()
    assert (np.diff(upper, axis=0) > 0).all()


def test_the_curve_is_zero_where_nothing_moves():
    yes = draw_counts(12, 20)
    units = Units(LEVELS, np.full((12, 10), 20.0), np.stack([yes] * 3), np.ones(12, int))
    low, high = resampled_bounds(units, Bootstrap(resamples=100), np.array([0.0, 3.0]))
    assert (low[2], high[2]) == (0.0, 0.0)
    assert 0 < low[3] < ndtr(0.0) < high[3] < 1


def test_curves_without_a_maximum_have_noestimates():
    one = np.ones(1)
    step = Curves(np.array([1]), one, one, 0 * one, 0 * one, one)
    assert np.isnan(estimates(step, np.log(TWO_LEVELS))).all()


def test_undecided_runs_at_both_ends_are_read_both_ways():
    """A tenth undecided at the two weakest and the two strongest levels: the flattest and the steepest curve
    are those of weak fell and strong stood, and the reverse."""
    yes = draw_counts(22, 20)
    runs = np.full(yes.shape, 20.0)
    doubt = np.zeros(10)
    doubt[[0, 1, 8, 9]] = 2.0
    stand, fall = np.minimum(yes, runs - doubt), np.maximum(yes, doubt)
    units = Units(LEVELS, runs, np.stack([stand, fall, yes]), np.ones(22, int))

    def dispersion(table):
        return fit_curves(LEVELS, table.sum(axis=0)[None], runs.sum(axis=0)[None]).low_dispersion[0]

    weak = np.arange(10) < 5
    ends = [np.where(weak, *pair) for pair in ((fall, stand), (stand, fall))]
    found = [dispersion(table) for table in readings_of(units, lambda median, spread: spread)]
    assert max(found) == pytest.approx(dispersion(ends[0]))
    assert min(found) == pytest.approx(dispersion(ends[1]))
    assert max(found) > max(dispersion(stand), dispersion(fall), dispersion(yes))
    decided = units._replace(overturned=np.stack([yes] * 3))
    assert len(readings_of(decided, lambda median, spread: spread)) == 1
