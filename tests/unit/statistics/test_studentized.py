"""Standard errors and bounds of bootstrap-t intervals: closed forms and an independent computation."""

import numpy as np
import pytest
from scipy.special import ndtr, ndtri
from scipy.stats import norm
from scipy.stats import t as student

from mcrock.statistics import Bootstrap
from mcrock.statistics.likelihood import (
    PROBIT,
    Curves,
    covariances,
    curve_model,
    fit_curves,
    jackknife,
    log_parameters,
    standard_errors,
    values_of,
)
from mcrock.statistics.resampling import Units, curve_quantity, fit_sample, readings_of, studentized_bounds

X = np.array([1.0, 2.0])
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


def bounds_of(units, yes, how, grid):
    return studentized_bounds(fit_sample(units, yes, how), how.level, grid)


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
    np.testing.assert_allclose(errors_of(yes, runs, X, X), expected, rtol=1e-7)


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
    ends = np.log(bounds_of(units, yes, how, LEVELS)[:, :2])
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
    low, high = bounds_of(units, yes, Bootstrap(level=1e-3, resamples=99), LEVELS)
    counts = yes.sum(axis=0)[None], np.full((1, 10), 240.0)
    (centre,) = estimates(fit_curves(LEVELS, *counts), np.log(LEVELS))
    estimate = np.concatenate([np.exp(centre[:2]), ndtr(centre[2:])])
    assert (low <= estimate).all()
    assert (estimate <= high).all()


def test_intervals_of_higher_levels_hold_those_of_lower_ones():
    yes = draw_counts(22, 20)
    units = Units(LEVELS, np.full((22, 10), 20.0), np.stack([yes] * 3), np.ones(22, int))
    levels = (0.3, 0.6, 0.9, 0.99)
    bounds = [bounds_of(units, yes, Bootstrap(level=level), LEVELS[1:8]) for level in levels]
    lower, upper = np.stack(bounds, axis=1)
    assert (np.diff(lower, axis=0) < 0).all()
    assert (np.diff(upper, axis=0) > 0).all()


def test_a_level_without_runs_is_left_out():
    yes, there, how = draw_counts(12, 20), np.arange(10) != 4, Bootstrap(resamples=50)
    runs = np.full((12, 10), 20.0)
    empty = Units(LEVELS, runs * there, np.stack([yes * there] * 3), np.ones(12, int))
    short = Units(LEVELS[there], runs[:, there], np.stack([yes[:, there]] * 3), np.ones(12, int))
    found, expected = (bounds_of(u, u.overturned[2], how, LEVELS) for u in (empty, short))
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_resamples_without_a_maximum_leave_nothing_known():
    """Eight records of which two overturn at the strongest level: a tenth of the resamples hold neither."""
    yes = np.zeros((8, 3))
    yes[0, 2], yes[1, 1:] = 20, 20
    units = Units(LEVELS[:3], np.full((8, 3), 20.0), np.stack([yes] * 3), np.ones(8, int))
    assert np.isnan(bounds_of(units, yes, Bootstrap(), LEVELS)).all()


def test_the_curve_is_zero_where_nothing_moves():
    yes = draw_counts(12, 20)
    units = Units(LEVELS, np.full((12, 10), 20.0), np.stack([yes] * 3), np.ones(12, int))
    low, high = bounds_of(units, yes, Bootstrap(resamples=100), np.array([0.0, 3.0]))
    assert (low[2], high[2]) == (0.0, 0.0)
    assert 0 < low[3] < ndtr(0.0) < high[3] < 1


def test_curves_without_a_maximum_have_noestimates():
    one = np.ones(1)
    step = Curves(np.array([1]), one, one, 0 * one, 0 * one, one)
    assert np.isnan(estimates(step, np.log(X))).all()


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
