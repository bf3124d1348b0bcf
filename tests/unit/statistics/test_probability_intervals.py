"""Intervals of a probability: exact solutions, limits, and coverage by simulation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from mcrock.statistics.intervals import clustered_interval, expanded_tail, wilson_interval
from tests.unit.statistics.conftest import draw_events

CASES = [(0, 22), (1, 22), (7, 22), (22, 22), (3, 1000), (999, 1000), (0, 1), (1, 1)]
ROUNDING = 1e-10  # binomtest solves for its bounds with a tolerance of this size


@pytest.mark.parametrize(("yes", "runs"), CASES)
@pytest.mark.parametrize("level", [0.5, 0.95, 0.99])
def test_wilson_bounds_are_those_of_scipy(yes, runs, level):
    expected = binomtest(yes, runs).proportion_ci(level, method="wilson")
    assert wilson_interval(yes, runs, level) == pytest.approx((expected.low, expected.high), abs=ROUNDING)


@pytest.mark.parametrize(("yes", "records"), CASES)
@pytest.mark.parametrize("level", [0.5, 0.95, 0.99])
@pytest.mark.parametrize("per_record", [1, 20])
def test_records_that_act_as_one_run_give_the_exact_binomial_interval(yes, records, level, per_record):
    expected = binomtest(yes, records).proportion_ci(level, method="exact")
    counts = per_record * (np.arange(records) < yes)
    found = clustered_interval(counts, np.full(records, per_record), level)
    assert found == pytest.approx((expected.low, expected.high), abs=ROUNDING)


def test_two_records_have_the_closed_form():
    """Weights (u, v, 1 - u - v), uniform on a triangle: a mean that is <= t on a part cut off by a line."""
    x, y, tail = 0.2, 0.5, 0.025
    # the part above t is the corner of the additional record: (1 - t)^2 / ((1 - x) (1 - y)) of the triangle
    expected = 1 - np.sqrt(tail * (1 - x) * (1 - y))
    assert clustered_interval([2, 5], [10, 10])[1] == pytest.approx(expected, abs=1e-14)


def test_bounds_are_quantiles_of_randomly_weighted_means():
    """Against 200000 draws of the weights, with unequal runs; three standard errors of the probability."""
    rng = np.random.default_rng(2)
    runs = rng.integers(5, 40, 15)
    yes = rng.binomial(runs, rng.beta(0.5, 1.0, 15))
    weight = rng.exponential(size=(200_000, 16))
    total = weight[:, :15] @ runs + weight[:, 15] * runs.mean()
    lower, upper = clustered_interval(yes, runs)
    above = (weight[:, :15] @ yes + weight[:, 15] * runs.mean() > upper * total).mean()
    below = (weight[:, :15] @ yes < lower * total).mean()
    assert (above, below) == pytest.approx((0.025, 0.025), abs=3 * np.sqrt(0.025 / 200_000))


counts = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=1, max_size=12)


@given(counts, st.integers(0, 11), st.sampled_from([0.5, 0.95]))
def test_more_events_never_lower_a_bound(pairs, where, level):
    runs = np.array([a + b + 1 for a, b in pairs])
    yes = np.array([a for a, _ in pairs])
    more = yes + (np.arange(len(pairs)) == where % len(pairs))
    before, after = clustered_interval(yes, runs, level), clustered_interval(more, runs, level)
    assert after[0] >= before[0] - 1e-13
    assert after[1] >= before[1] - 1e-13
    assert before[0] <= yes.sum() / runs.sum() <= before[1]


def test_all_runs_are_at_least_as_sure_as_all_but_one():
    """The strongest levels of the main example: 878, 879 and 880 of 880 runs of 22 records."""
    yes = np.full((22, 3), 40)
    yes[0], yes[5, 0] = [39, 39, 40], 39
    lower, upper = clustered_interval(yes, np.full((22, 3), 40))
    assert (np.diff(lower) >= 0).all()
    assert (np.diff(upper) >= 0).all()


def test_one_record_is_one_run():
    """Its weight is uniform: the bounds are the share, moved to the ends by 0.975 of the way."""
    assert clustered_interval([10], [40]) == pytest.approx((0.25 * 0.025, 1 - 0.75 * 0.025), abs=1e-14)


def test_no_runs_know_nothing():
    assert clustered_interval(np.zeros(3), np.zeros(3)) == (0, 1)
    assert wilson_interval(0, 0) == (0, 1)


def test_records_without_runs_are_left_out():
    runs = np.array([20, 0, 20, 0, 20])
    yes = np.array([3, 0, 20, 0, 0])
    np.testing.assert_allclose(
        clustered_interval(yes, runs), clustered_interval([3, 20, 0], [20] * 3), rtol=1e-13
    )


def test_intervals_mirror():
    rng = np.random.default_rng(4)
    runs = rng.integers(1, 30, 15)
    yes = rng.binomial(runs, rng.uniform(0, 1, 15))
    lower, upper = clustered_interval(yes, runs)
    np.testing.assert_allclose(clustered_interval(runs - yes, runs), (1 - upper, 1 - lower), atol=1e-12)


@pytest.mark.parametrize("p", [0.02, 0.3])
def test_coverage_with_clustered_runs(p):
    """22 records of 200 runs; two thirds of the probit variance lie between records.

    Of 2000 samples at least 0.96 must be covered: `tests/unit/statistics/test_coverage.py` finds 0.985 and
    0.978, five standard deviations more.
    """
    rng = np.random.default_rng(11)
    yes = draw_events(rng, 22, 200, p, 2 / 3, 2000)
    lower, upper = clustered_interval(yes, np.full(yes.shape, 200))
    assert np.mean((lower <= p) & (p <= upper)) > 0.96
    lower, upper = wilson_interval(yes.sum(axis=0), 4400)
    assert np.mean((lower <= p) & (p <= upper)) < 0.70  # what ignoring the records costs


def test_expanded_tail_widens_and_tends_to_the_plain_tail():
    assert expanded_tail(0.95, 6) < expanded_tail(0.95, 22) < 0.025
    assert expanded_tail(0.95, 10**7) == pytest.approx(0.025, rel=1e-5)


@pytest.mark.parametrize("level", [0, 1, 95, float("nan")])
def test_level_is_checked(level):
    with pytest.raises(ValueError, match=r"level must lie in \(0, 1\)"):
        wilson_interval(1, 2, level)
