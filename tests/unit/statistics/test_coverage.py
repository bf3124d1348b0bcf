"""Coverage of the intervals by simulation; run by hand, as each study takes minutes."""

import numpy as np
import pytest
from scipy.special import ndtr

from mcrock.statistics import Bootstrap
from mcrock.statistics.intervals import clustered_interval
from mcrock.statistics.resampling import Units, resampled_bounds
from tests.unit.statistics.conftest import draw_events
from tests.unit.statistics.test_likelihood import LEVELS, draw_counts

MEDIAN, DISPERSION = 3.0, 0.43
SCORES = np.array([-2.326, -1.645, -1.0, 0.0, 1.0, 1.645, 2.326])  # of the points of the curve
STUDIES = 2000


def bounds_of(units, seed, grid):
    found = resampled_bounds(units, Bootstrap(resamples=599, seed=seed), grid)
    return np.full((2, 2 + len(grid)), np.nan) if found is None else found


@pytest.mark.slow
@pytest.mark.parametrize("records", [10, 22, 60])
@pytest.mark.parametrize("between", [0.25, 0.67, 0.95])
def test_bootstrap_t_covers_median_dispersion_and_curve(records, between):
    """2000 studies of 40 runs for each record at ten levels, 599 resamples, level 0.95.

    ``between`` is the part of the variance of the capacity between records. `mcrock docs evidence` has
    the coverage, of the curve at its 1 to 99 % points; standard error 0.005.
    """
    truth = np.concatenate([[MEDIAN, DISPERSION], ndtr(SCORES)])
    grid = MEDIAN * np.exp(DISPERSION * SCORES)
    covered = np.zeros((STUDIES, len(truth)), bool)
    for seed in range(STUDIES):
        spread = DISPERSION * np.sqrt([between, 1 - between])
        yes = draw_counts(records, 40, LEVELS, MEDIAN, *spread, seed=seed)
        units = Units(LEVELS, np.full_like(yes, 40.0), np.stack([yes] * 3), np.ones(records, int))
        low, high = bounds_of(units, seed, grid)
        covered[seed] = ~((truth < low) | (truth > high))  # nothing known covers
    shares = covered.mean(axis=0)
    print(records, between, shares.round(3))
    assert (shares >= 0.925).all()
    assert shares[:2].max() <= 0.98


@pytest.mark.slow
@pytest.mark.parametrize("records", [10, 22, 60])
@pytest.mark.parametrize("per_record", [20, 200])
def test_clustered_intervals_cover(records, per_record):
    """4000 samples each; ``between`` is the part of the probit variance between records."""
    rng = np.random.default_rng(records)
    least = 1.0
    for probability in (0.005, 0.02, 0.1, 0.5):
        for between in (0.25, 0.67, 0.95):
            yes = draw_events(rng, records, per_record, probability, between, 4000)
            lower, upper = clustered_interval(yes, np.full(yes.shape, per_record))
            share = np.mean((lower <= probability) & (probability <= upper))
            width = np.median(upper - lower)
            print(f"{records} {per_record} {probability} {between} {share:.3f} {width:.3f}")
            least = min(least, share)
    assert least >= 0.95


@pytest.mark.slow
@pytest.mark.parametrize("records", [10, 22, 60])
def test_bootstrap_t_covers_in_clouds_with_unequal_records(records):
    """1000 clouds of 10 to 50 runs for each record, two thirds of the variance between records.

    Coverage of median / dispersion / curve (least to largest), standard error 0.007: 10 records
    0.969/0.949/0.946..0.973, 22 records 0.948/0.948/0.945..0.966, 60 records 0.947/0.953/0.948..0.956.
    """
    truth = np.concatenate([[MEDIAN, DISPERSION], ndtr(SCORES)])
    grid, places = MEDIAN * np.exp(DISPERSION * SCORES), np.geomspace(0.4, 20.0, 60)
    covered = np.zeros((STUDIES // 2, len(truth)), bool)
    for seed in range(len(covered)):
        rng = np.random.default_rng([seed, records])
        runs = np.zeros((records, len(places)))
        yes = np.zeros_like(runs)
        for i, number in enumerate(rng.integers(10, 51, records)):
            own = DISPERSION * (
                np.sqrt(0.67) * rng.standard_normal() + np.sqrt(0.33) * rng.standard_normal(number)
            )
            at = np.clip(np.searchsorted(places, MEDIAN * np.exp(0.6 * rng.standard_normal(number))), 0, 59)
            np.add.at(runs[i], at, 1)
            np.add.at(yes[i], at, places[at] > MEDIAN * np.exp(own))
        units = Units(places, runs, np.stack([yes] * 3), np.ones(records, int))
        low, high = bounds_of(units, seed, grid)
        covered[seed] = ~((truth < low) | (truth > high))
    shares = covered.mean(axis=0)
    print(records, shares.round(3))
    assert (shares >= 0.92).all()
