"""Bootstrap-t intervals of rates: against the jackknife, by hand, and what scales must not change."""

import numpy as np
import pytest

from mcrock.statistics.inference import Bootstrap
from mcrock.statistics.probit import fit_curves
from mcrock.statistics.rate_intervals import lognormal_sample, rate_bounds, stripe_sample
from mcrock.statistics.rates import lognormal_rates, refine, stripe_rates
from mcrock.statistics.resample import Units, draw_units
from tests.unit.statistics.test_studentized import LEVELS, draw_counts

SAMPLES = [lognormal_sample, stripe_sample]
TABLE = refine(np.geomspace(0.1, 40.0, 12), 1e-3 * np.geomspace(0.1, 40.0, 12) ** -2.5, LEVELS)


def units_of(records, per_record=20, seed=0):
    yes = draw_counts(records, per_record, seed=seed)
    runs = np.full(yes.shape, float(per_record))
    return Units(LEVELS, runs, np.stack([yes] * 3), np.ones(records, int))


@pytest.mark.parametrize("make", SAMPLES)
def test_resamples_have_their_own_standard_errors(make):
    """With 300 records the middle half of the pivots is that of a normal variable, to 4 standard errors of a
    quartile of 2000 and its skewness; the tails are not: few records have most of the rate."""
    units = units_of(300)
    centre, left_out, pivots = make(units, units.overturned[2], Bootstrap(resamples=2000))(TABLE)
    assert centre.shape == (1,)
    assert left_out.shape == (300,)
    np.testing.assert_allclose(np.quantile(pivots, [0.25, 0.5, 0.75]), [-0.6745, 0, 0.6745], atol=0.17)
    spread = np.diff(np.quantile(pivots, [0.25, 0.75])) / 1.349
    assert spread == pytest.approx(1, abs=0.08)


def curve_of(yes, runs):
    """Median and dispersion fitted to the runs of some records."""
    curves = fit_curves(LEVELS, yes.sum(axis=0)[None], runs.sum(axis=0)[None])
    return curves.low_median[0], curves.low_dispersion[0]


@pytest.mark.parametrize("make", SAMPLES)
def test_a_level_without_runs_is_left_out(make):
    units, how = units_of(12), Bootstrap(resamples=20)
    there = np.arange(10) != 4
    empty = units._replace(runs=units.runs * there, overturned=units.overturned * there)
    parts = units.intensity[there], units.runs[:, there], units.overturned[..., there]
    without = Units(*parts, units.copies)
    for found, expected in zip(
        *(make(u, u.overturned[2], how)(TABLE) for u in (empty, without)), strict=True
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_left_out_are_the_rates_of_the_others():
    units = units_of(8)
    yes, runs = units.overturned[2], units.runs
    (centre,), lognormal, _ = lognormal_sample(units, yes, Bootstrap(resamples=2))(TABLE)
    (share,), stripes, _ = stripe_sample(units, yes, Bootstrap(resamples=2))(TABLE)
    assert np.exp(centre) == pytest.approx(lognormal_rates(*TABLE, *curve_of(yes, runs)).sum())
    assert np.exp(share) == pytest.approx(stripe_rates(*TABLE, LEVELS, yes.sum(0) / runs.sum(0)).sum())
    for k in range(8):
        kept = np.arange(8) != k
        share = yes[kept].sum(axis=0) / runs[kept].sum(axis=0)
        if (np.diff(share) >= 0).all():
            assert np.exp(stripes[k]) == pytest.approx(stripe_rates(*TABLE, LEVELS, share).sum())
        (median, dispersion) = curve_of(yes[kept], runs[kept])
        assert np.exp(lognormal[k]) == pytest.approx(lognormal_rates(*TABLE, median, dispersion).sum())


@pytest.mark.parametrize("make", SAMPLES)
def test_pivots_are_in_standard_errors_of_the_infinitesimal_jackknife(make):
    """The variance of a resample is the sum of the squared derivatives of its rate by its units' weights."""
    units, how, step = units_of(9), Bootstrap(resamples=6), 1e-4
    yes, runs = units.overturned[2], units.runs

    def log_rate(weights):
        if make is stripe_sample:
            return np.log(stripe_rates(*TABLE, LEVELS, weights @ yes / (weights @ runs)).sum())
        return np.log(
            lognormal_rates(*TABLE, *curve_of(weights[:, None] * yes, weights[:, None] * runs)).sum()
        )

    centre, _, pivots = make(units, yes, how)(TABLE)
    (drawn,) = draw_units(units, how)
    for times, pivot in zip(drawn, pivots, strict=True):
        moves = [(log_rate(times + e) - log_rate(times - e)) / (2 * step) for e in step * np.eye(9)]
        error = np.sqrt(times @ np.square(moves))
        assert pivot == pytest.approx((log_rate(times) - centre[0]) / error, rel=1e-5)


@pytest.mark.parametrize("make", SAMPLES)
def test_a_hazard_of_another_size_moves_the_centre_alone(make):
    units, how = units_of(12), Bootstrap(resamples=50)
    sample = make(units, units.overturned[2], how)
    (centre, left_out, pivots), (other, others, same) = sample(TABLE), sample((TABLE[0], 9 * TABLE[1]))
    np.testing.assert_allclose(other - centre, np.log(9))
    np.testing.assert_allclose(others - left_out, np.log(9))
    np.testing.assert_allclose(same, pivots, rtol=1e-6)


def test_several_curves_at_once_are_those_one_by_one():
    median, dispersion = np.array([1.0, 3.0, 8.0]), np.array([0.2, 0.4, 0.9])
    together = lognormal_rates(*TABLE, median[:, None], dispersion[:, None])
    for k in range(3):
        np.testing.assert_allclose(together[k], lognormal_rates(*TABLE, median[k], dispersion[k]), rtol=1e-12)


def test_few_records_have_no_interval():
    assert np.isnan(rate_bounds(units_of(5), Bootstrap(), [TABLE])).all()
    found = rate_bounds(units_of(22), Bootstrap(), [TABLE])
    assert found.shape == (2, 2, 1)
    assert (found[0] > 0).all()
    assert (found[0] < found[1]).all()


def test_the_narrowest_interval_holds_the_estimate():
    """The median of the pivots is not 0: on one side of it both their quantiles have one sign."""
    for seed in range(4):
        units, how = units_of(12, seed=seed), Bootstrap(level=1e-3, resamples=99)
        bounds = rate_bounds(units, how, [TABLE])
        for (low, high), make in zip(bounds[:, :, 0].T, SAMPLES, strict=True):
            estimate = np.exp(make(units, units.overturned[2], how)(TABLE)[0][0])
            assert low <= estimate <= high
