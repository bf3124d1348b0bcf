"""Cross-validated scores of simple rules: twins, exact cases, invariances."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import xlogy
from scipy.stats import norm

from mcrock.statistics.goodness import (
    best_thresholds,
    by_probit,
    by_threshold,
    constant,
    held_out,
    judged,
    record_units,
)
from mcrock.statistics.intervals import student_interval
from mcrock.statistics.likelihood import fit_curves
from mcrock.statistics.resampling import Units

RULES = (constant, by_threshold, by_probit)


def make_units(x, yes, runs):
    yes, runs = np.asarray(yes, float), np.asarray(runs, float)
    return Units(np.asarray(x, float), runs, np.stack([yes, yes, yes]), np.ones(len(runs), np.int64))


@st.composite
def counts(draw):
    """Units of 3 records at 4 intensities."""
    runs = draw(st.lists(st.integers(1, 9), min_size=12, max_size=12))
    yes = [draw(st.integers(0, n)) for n in runs]
    return make_units([0.5, 1.0, 2.0, 5.0], np.reshape(yes, (3, 4)), np.reshape(runs, (3, 4)))


@given(counts())
def test_the_threshold_has_the_fewest_wrong_runs(units):
    yes, runs = units.overturned[0], units.runs
    for k, (one, n) in zip(best_thresholds(yes, runs), zip(yes, runs, strict=True), strict=True):
        wrong = [one[:j].sum() + (n - one)[j:].sum() for j in range(5)]
        assert wrong[k] == min(wrong)


@given(counts(), st.permutations(range(3)), st.floats(1e-3, 1e3))
def test_order_of_records_and_unit_of_the_intensity_change_no_score(units, order, factor):
    order = np.array(order)
    other = make_units(factor * units.intensity, units.overturned[0][order], units.runs[order])
    for rule in RULES:
        one, two = held_out(units, rule), held_out(other, rule)
        np.testing.assert_array_equal(one.wrong[order], two.wrong)
        np.testing.assert_allclose(one.log_loss[order], two.log_loss, rtol=1e-9, atol=1e-9)


@given(counts())
def test_a_threshold_sees_the_order_of_intensities_alone(units):
    squared = units._replace(intensity=units.intensity**2)
    for one, two in zip(held_out(units, by_threshold), held_out(squared, by_threshold), strict=True):
        np.testing.assert_array_equal(one, two)


@given(counts())
def test_a_probit_curve_turned_round_is_as_good(units):
    """A measure and its reciprocal tell the same."""
    turned = make_units(1 / units.intensity[::-1], units.overturned[0][:, ::-1], units.runs[:, ::-1])
    one, two = held_out(units, by_probit), held_out(turned, by_probit)
    np.testing.assert_allclose(one.log_loss, two.log_loss, rtol=1e-6, atol=1e-6)


def test_scores_are_those_of_a_loop_over_records():
    rng = np.random.default_rng(3)
    x, runs = np.array([0.5, 1.0, 2.0, 4.0, 8.0]), rng.integers(5, 30, (6, 5))
    yes = rng.binomial(runs, norm.cdf(np.log(x / 2) / 0.7))
    found = held_out(make_units(x, yes, runs), by_probit)
    for r in range(6):
        others = np.arange(6) != r
        k, n = yes[others].sum(axis=0), runs[others].sum(axis=0)
        fit = fit_curves(x, k[None], n[None])
        p = norm.cdf((np.log(x) - np.log(fit.low_median[0])) / fit.low_dispersion[0])
        p = np.clip(p, 0.5 / (n.sum() + 1), 1 - 0.5 / (n.sum() + 1))
        assert found.log_loss[r] == pytest.approx(-(xlogy(yes[r], p) + xlogy(runs[r] - yes[r], 1 - p)).sum())
        assert found.wrong[r] == np.where(p > 0.5, runs[r] - yes[r], yes[r]).sum()
        assert found.runs[r] == runs[r].sum()


def test_exact_rules_are_never_wrong_and_constants_know_the_base_rate():
    x = np.arange(1.0, 11.0)
    yes = np.tile(np.where(x > 4, 100, 0), (20, 1))
    units = make_units(x, yes, np.full((20, 10), 100))
    for rule in (by_threshold, by_probit):
        found = held_out(units, rule)
        assert found.wrong.sum() == 0
        assert found.log_loss.sum() / found.runs.sum() < 1e-3  # the floor of half a run of 19,000
    assert held_out(units, constant).wrong.sum() == 0.4 * 20 * 1000
    loss, _ = student_interval(held_out(units, constant).log_loss, np.full(20, 1000.0), 0.95)
    assert loss == pytest.approx(-0.6 * np.log(0.6) - 0.4 * np.log(0.4), rel=1e-4)
    assert judged(units, 4.5).wrong.sum() == 0
    assert judged(units, 6.5).wrong.sum() == 2 * 2000


def test_log_loss_of_the_true_curve_is_its_entropy():
    """The expected score of lognormal runs, whatever their spread: the mean entropy of their curve."""
    rng = np.random.default_rng(11)
    x = np.geomspace(0.2, 5, 25)
    p = norm.cdf(np.log(x) / 0.5)
    units = make_units(x, rng.binomial(400, p, (50, 25)), np.full((50, 25), 400))
    entropy = -(xlogy(p, p) + xlogy(1 - p, 1 - p)).mean()
    losses = [held_out(units, rule).log_loss.sum() / 5e5 for rule in (by_probit, by_threshold, constant)]
    assert losses[0] == pytest.approx(entropy, abs=2.5e-3)  # 500,000 runs: standard error 5e-4
    assert losses[0] < losses[1] < losses[2]


def test_interval_of_a_mean_is_students():
    total, runs = np.array([1.0, 3.0, 5.0, 11.0]), np.full(4, 2.0)
    mean, half_width = student_interval(total, runs, 0.9)
    values = total / 2
    half = 2.353363434801823 * values.std(ddof=1) / 2  # t(3) at 0.95
    assert mean == values.mean()
    np.testing.assert_allclose(half_width, half, rtol=1e-9)
    assert np.isnan(student_interval(total[:1], runs[:1], 0.9)[1])


def test_many_records_are_left_out_in_lots(make_study):
    assert record_units(make_study(records=22), False).number == 22
    assert record_units(make_study().drop_vars(["record", "motion_group"]), False).number == 400
