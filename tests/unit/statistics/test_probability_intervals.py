"""Intervals of a probability: exact solutions, limits, and coverage by simulation."""

import numpy as np
import pytest
from scipy.special import ndtr, ndtri
from scipy.stats import binomtest

from mcrock.statistics.intervals import clustered_interval, exact_interval, expanded_tail, wilson_interval

CASES = [(0, 22), (1, 22), (7, 22), (22, 22), (3, 1000), (999, 1000), (0, 1), (1, 1)]
ROUNDING = 1e-10  # binomtest solves for its bounds with a tolerance of this size


@pytest.mark.parametrize(("yes", "runs"), CASES)
@pytest.mark.parametrize("level", [0.5, 0.95, 0.99])
@pytest.mark.parametrize(("function", "method"), [(wilson_interval, "wilson"), (exact_interval, "exact")])
def test_bounds_are_those_of_scipy(yes, runs, level, function, method):
    expected = binomtest(yes, runs).proportion_ci(level, method=method)
    assert function(yes, runs, level) == pytest.approx((expected.low, expected.high), abs=ROUNDING)


def test_no_event_in_22_records_has_the_closed_form():
    upper = exact_interval(0, 22)[1]
    assert upper == pytest.approx(1 - 0.025 ** (1 / 22), abs=1e-14)
    lower, upper_clustered, effective = clustered_interval(np.zeros(22), np.full(22, 20))
    assert (lower, effective) == (0, 22)
    assert upper_clustered == pytest.approx(upper, abs=1e-14)


def test_records_that_act_as_one_run_each_give_the_binomial_interval():
    yes = np.where(np.arange(22) < 7, 20, 0)
    lower, upper, effective = clustered_interval(yes, np.full(22, 20))
    assert effective == pytest.approx(22)
    np.testing.assert_allclose((lower, upper), exact_interval(7, 22), atol=1e-12)


def test_one_run_per_record_gives_the_binomial_interval():
    yes = (np.arange(400) < 3).astype(int)
    np.testing.assert_allclose(clustered_interval(yes, np.ones(400))[:2], exact_interval(3, 400), atol=1e-12)


def test_records_without_scatter_count_every_run():
    assert clustered_interval(np.full(22, 5), np.full(22, 20))[2] == 440


def test_one_record_is_one_run():
    lower, upper, effective = clustered_interval([10], [40])
    assert effective == pytest.approx(1)
    assert lower < 0.02
    assert upper > 0.98


def test_no_runs_know_nothing():
    assert clustered_interval(np.zeros(3), np.zeros(3)) == (0, 1, 0)
    assert wilson_interval(0, 0) == (0, 1)


def test_intervals_mirror():
    rng = np.random.default_rng(4)
    runs = rng.integers(1, 30, 15)
    yes = rng.binomial(runs, rng.uniform(0, 1, 15))
    lower, upper, effective = clustered_interval(yes, runs)
    mirrored = clustered_interval(runs - yes, runs)
    np.testing.assert_allclose(mirrored, (1 - upper, 1 - lower, effective), atol=1e-12)


@pytest.mark.parametrize("p", [0.05, 0.3])
def test_coverage_with_clustered_runs(p):
    """22 records of 20 runs; half of the probit variance lies between records.

    In 4000 other samples the clustered interval covered 0.969 (p 0.05) and 0.971 (p 0.3). Of 2000
    samples at least 0.94 must: five standard deviations, a false alarm in 1e-6.
    """
    rng = np.random.default_rng(11)
    record = (ndtri(p) + np.sqrt(0.5) * rng.standard_normal((22, 2000))) / np.sqrt(0.5)
    yes = rng.binomial(20, ndtr(record))
    lower, upper, _ = clustered_interval(yes, np.full(yes.shape, 20))
    assert np.mean((lower <= p) & (p <= upper)) > 0.94
    lower, upper = wilson_interval(yes.sum(axis=0), 440)
    assert np.mean((lower <= p) & (p <= upper)) < 0.70  # what ignoring the records costs


def test_expanded_tail_widens_and_tends_to_the_plain_tail():
    assert expanded_tail(0.95, 6) < expanded_tail(0.95, 22) < 0.025
    assert expanded_tail(0.95, 10**7) == pytest.approx(0.025, rel=1e-5)


@pytest.mark.parametrize("level", [0, 1, 95, float("nan")])
def test_level_is_checked(level):
    with pytest.raises(ValueError, match=r"level must lie in \(0, 1\)"):
        wilson_interval(1, 2, level)
