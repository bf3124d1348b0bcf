"""Bootstrap-t intervals of rates: against the jackknife, by hand, and what scales must not change."""

import numpy as np
import pytest
import xarray as xr
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression

from mcrock.statistics import annual_rate
from mcrock.statistics.intervals import Bootstrap
from mcrock.statistics.likelihood import fit_curves
from mcrock.statistics.rates import (
    bounding_steps,
    isotonic_bounds,
    isotonic_curve,
    log_rates,
    lognormal_bounds,
    lognormal_rates,
    refine,
)
from mcrock.statistics.rates import weighted_fractions as fractions_of
from mcrock.statistics.resampling import Units, draw_units, fit_sample, pivots_of
from mcrock.statistics.runs import ESTIMATE
from tests.unit.statistics.conftest import simulate_study
from tests.unit.statistics.test_likelihood import LEVELS, draw_counts
from tests.unit.statistics.test_risk import power_law

TABLE = refine(np.geomspace(0.1, 40.0, 12), 1e-3 * np.geomspace(0.1, 40.0, 12) ** -2.5, LEVELS)
POINTS = xr.Dataset(  # intervals that say nothing
    {"interval": (("bound", "intensity"), np.stack([0 * LEVELS, 1 + 0 * LEVELS]))},
    coords={"intensity": LEVELS},
)


def units_of(records, per_record=20, seed=0):
    yes = draw_counts(records, per_record, seed=seed)
    runs = np.full(yes.shape, float(per_record))
    return Units(LEVELS, runs, np.stack([yes] * 3), np.ones(records, int))


def curve_of(yes, runs):
    """Median and dispersion fitted to the runs of some records."""
    curves = fit_curves(LEVELS, yes.sum(axis=0)[None], runs.sum(axis=0)[None])
    return curves.low_median[0], curves.low_dispersion[0]


def test_pivots_are_in_standard_errors_of_the_infinitesimal_jackknife():
    """The variance of a resample is the sum of the squared derivatives of its rate by its units' weights."""
    units, how, step = units_of(9), Bootstrap(resamples=6), 1e-4
    yes, runs = units.overturned[2], units.runs

    def log_rate(weights):
        curve = curve_of(weights[:, None] * yes, weights[:, None] * runs)
        return np.log(lognormal_rates(*TABLE, *curve).sum())

    centre, error, pivots = pivots_of(fit_sample(units, yes, how), log_rates([TABLE]))
    assert centre[0] == pytest.approx(log_rate(np.ones(9)), rel=1e-9)
    left_out = [log_rate(np.arange(9) != k) for k in range(9)]
    assert error[0] == pytest.approx(np.sqrt(8 * np.var(left_out)), rel=1e-9)
    (drawn,) = draw_units(units, how)
    for times, (pivot,) in zip(drawn, pivots, strict=True):
        moves = [(log_rate(times + e) - log_rate(times - e)) / (2 * step) for e in step * np.eye(9)]
        expected = (log_rate(times) - centre[0]) / np.sqrt(times @ np.square(moves))
        assert pivot == pytest.approx(expected, rel=1e-5)


def test_rising_fractions_move_with_their_units_by_the_infinitesimal_jackknife():
    units, step = units_of(9, seed=3), 1e-6
    weights, there = np.stack(bounding_steps(LEVELS, *TABLE)[:2]), np.ones(10, bool)
    (drawn,) = draw_units(units, Bootstrap(resamples=4))
    rate, variance = fractions_of(units, ESTIMATE, there, weights, drawn)
    for times, together, expected in zip(drawn, rate, variance, strict=True):
        np.testing.assert_array_equal(
            fractions_of(units, ESTIMATE, there, weights, times[None])[0][0], together
        )
        ends = [
            fractions_of(units, ESTIMATE, there, weights, times + sign * step * np.eye(9))[0]
            for sign in (1, -1)
        ]
        off = (ends[0] - ends[1]) / (2 * step)
        np.testing.assert_allclose(times @ off**2, expected, rtol=1e-4, atol=1e-18)


def test_rates_of_fractions_that_rise_already_are_those_of_isotonic_regression(monkeypatch):
    """Resamples take the short way where no level has to be pooled; the long one is the same to the bit."""
    units = units_of(12, seed=5)
    weights, there = np.stack(bounding_steps(LEVELS, *TABLE)[:2]), np.ones(10, bool)
    (drawn,) = draw_units(units, Bootstrap(resamples=50))
    calls = []

    def counted(y, weights):
        calls.append(len(y))
        return isotonic_regression(y, weights=weights)

    monkeypatch.setattr("mcrock.statistics.rates.isotonic_regression", counted)
    found = fractions_of(units, ESTIMATE, there, weights, drawn)
    assert len(calls) < 25
    fits = [
        isotonic_regression((t @ units.overturned[ESTIMATE]) / (t @ units.runs), weights=t @ units.runs).x
        for t in drawn
    ]
    np.testing.assert_array_equal(found[0], [weights @ x for x in fits])


def test_a_hazard_of_another_size_scales_the_bounds_alone():
    units, how, other = units_of(12), Bootstrap(resamples=50), (TABLE[0], 9 * TABLE[1])
    for bounds in (
        lognormal_bounds(units, how, [TABLE, other]),
        isotonic_bounds(units, how, [TABLE, other], POINTS),
    ):
        np.testing.assert_allclose(bounds[:, 1], 9 * bounds[:, 0], rtol=1e-6)


def test_several_curves_at_once_are_those_one_by_one():
    median, dispersion = np.array([1.0, 3.0, 8.0]), np.array([0.2, 0.4, 0.9])
    together = lognormal_rates(*TABLE, median[:, None], dispersion[:, None])
    for k in range(3):
        np.testing.assert_allclose(together[k], lognormal_rates(*TABLE, median[k], dispersion[k]), rtol=1e-12)


def test_the_interval_of_rising_fractions_holds_all_that_the_levels_leave_open():
    """Also at a level of 0: the steps between the levels are no matter of sampling."""
    units = units_of(22)
    least, most, beyond = bounding_steps(LEVELS, *TABLE)
    fraction = isotonic_curve(units).fraction
    low, high = isotonic_bounds(units, Bootstrap(level=1e-3, resamples=99), [TABLE], POINTS)[:, 0]
    assert low <= least @ fraction
    assert high >= most @ fraction + beyond


def test_few_records_have_what_the_levels_tell():
    units = units_of(5)
    assert np.isnan(lognormal_bounds(units, Bootstrap(), [TABLE])).all()
    low, high = isotonic_bounds(units, Bootstrap(), [TABLE], POINTS)[:, 0]
    assert (low, high) == pytest.approx((0, TABLE[1][0] - TABLE[1][-1]))


@given(
    seed=st.integers(0, 2**32),
    records=st.integers(2, 30),
    between=st.floats(0, 0.6),
    within=st.floats(0.01, 0.6),
    median=st.floats(0.3, 20),
    undecided=st.sampled_from([0.0, 0.02, 0.1, 0.5]),
    levels=st.lists(st.floats(0.3, 9), min_size=1, max_size=8, unique=True),
)
@example(18, 18, 0.0, 0.25, 0.5, 0.5, [1.0, 2.0, 6.0, 7.0, 1.5, 1.75, 1.375, 7.5])  # a median below 1e-308
def test_every_rate_lies_in_its_interval(seed, records, between, within, median, undecided, levels):
    """Studies drawn at random: falling, flat, separated, undecided, with nothing or everything overturned."""
    ds = simulate_study(records, 5, sorted(levels), median, between, within, undecided, seed=seed)
    found = annual_rate(ds, power_law(0.2, 20.0), resamples=49)
    low, high = found["rate_interval"].values
    rate, known = found["rate"].values, np.isfinite(low)
    assert (low[known] <= rate[known] * (1 + 1e-12)).all()
    assert (rate[known] <= high[known] * (1 + 1e-12)).all()
    assert known[1].all()
