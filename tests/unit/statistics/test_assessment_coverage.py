"""Coverage of the intervals of variance shares and annual rates; run by hand, as it takes minutes."""

import numpy as np
import pytest
import xarray as xr
from scipy.special import ndtr, ndtri

from mcrock.statistics import Bootstrap, variance_shares
from mcrock.statistics.intervals import clustered_interval
from mcrock.statistics.rates import (
    integration_points,
    isotonic_bounds,
    lognormal_bounds,
    lognormal_rates,
    refine,
)
from mcrock.statistics.resampling import Units
from mcrock.statistics.risk import _low_quantile
from tests.benchmarks.curve_coverage import KINDS, of_rates
from tests.unit.statistics.conditions import CHOICES, held
from tests.unit.statistics.nested import crossed_of, draw_scores, nested_study, true_components
from tests.unit.statistics.test_likelihood import draw_counts

STUDIES = 400
STUDY = nested_study(2, 2, 1, levels=(1.0,))  # for its intensity; its runs are replaced


@pytest.mark.slow
@pytest.mark.parametrize(
    ("draws", "records", "per_record"), [(16, 22, 16), (64, 22, 16), (32, 10, 8), (64, 60, 10)]
)
@pytest.mark.parametrize("probability", [0.16, 0.5])
def test_intervals_cover_the_shares_of_what_is_epistemic(
    monkeypatch, draws, records, per_record, probability
):
    """400 studies, level 0.95, standard error 0.011."""
    true = true_components(probability)
    shares = true[0] / true[5], true[[0, 3, 4]].sum() / true[5]
    rng, covered = np.random.default_rng(1), []
    for _ in range(STUDIES):
        crossed = crossed_of(draw_scores(rng, draws, records, per_record) < ndtri(probability))
        monkeypatch.setattr("mcrock.statistics.epistemic.read_crossed", lambda ds, crossed=crossed: crossed)
        found = variance_shares(STUDY)
        ends = (found[f"{name}_interval"].values[:, 0] for name in ("first_order", "total"))
        covered.append([low <= share <= high for share, (low, high) in zip(shares, ends, strict=True)])
    found = np.mean(covered, axis=0)
    print(draws, records, per_record, probability, found.round(3))
    assert found[0] >= 0.93
    assert found[1] >= 0.84


def rate_study(rng, levels, records, between, slope):
    """True rate, and its bounds (2, 2) by the lognormal curve and by the fractions, of one study."""
    at, dispersion, runs = CHOICES[levels](rng), rng.uniform(0.3, 0.6), int(rng.integers(5, 41))
    spread = dispersion * np.sqrt([between, 1 - between])
    yes = draw_counts(records, runs, at, 1.0, *spread, seed=rng.integers(2**32))
    x = np.geomspace(0.1, 10, 24)
    row, all_runs = (x, 1e-3 * x**-slope), np.full_like(yes, float(runs))
    units = Units(at, all_runs, np.stack([yes] * 3), np.ones(records, int))
    how = Bootstrap(resamples=499, seed=int(rng.integers(2**32)))

    def by_fractions(ends):
        points = xr.Dataset({"interval": (("bound", "intensity"), ends)}, coords={"intensity": at})
        return isotonic_bounds(units, how, [refine(*row, integration_points(at))], points)[:, 0]

    ends = by_fractions(np.full((2, len(at)), np.nan))  # what resampling does not tell, with what it costs:
    if np.isnan(ends).any():
        ends = by_fractions(np.stack(clustered_interval(yes, all_runs)))
    bounds = np.stack([lognormal_bounds(units, how, [row])[:, 0], ends], axis=1)
    return lognormal_rates(*row, 1.0, dispersion).sum(), bounds


def rate_coverage(levels, records, between, studies=1000):
    """Hazard slopes (n,), whether both intervals hold (n, 2), and whether the lognormal one is there (n,)."""
    rng = np.random.default_rng([records, int(100 * between), list(CHOICES).index(levels)])
    slope = rng.choice([2.0, 2.5, 3.0, 4.0], studies)
    found = [rate_study(rng, levels, records, between, each) for each in slope]
    inside = np.array([held(bounds, true) for true, bounds in found])
    return slope, inside, np.array([np.isfinite(bounds[:, 0]).all() for _, bounds in found])


@pytest.mark.slow
@pytest.mark.parametrize("between", [0.0, 0.6, 0.95])
@pytest.mark.parametrize("records", [10, 22, 60])
@pytest.mark.parametrize("levels", CHOICES)
def test_intervals_cover_the_annual_rate(levels, records, between):
    """1000 studies a cell, hazard slope 2, 2.5, 3 or 4, 5 to 40 runs for each record, dispersion from 0.3 to
    0.6; 499 resamples, level 0.95, standard error 0.007: 0.939 to 0.968. The table is in the page on
    assessment.

    The interval of the empirical fractions holds also what the levels leave open, and so covers more.
    """
    _, inside, there = rate_coverage(levels, records, between)
    shares = inside[there, 0].mean(), inside[:, 1].mean()
    print(levels, records, between, np.round(shares, 3), there.mean())
    assert shares[0] >= 0.93 - 2 * 0.007
    assert shares[0] <= 0.985
    assert shares[1] >= 0.93


@pytest.mark.slow
@pytest.mark.parametrize("records", [10, 22, 60])
def test_the_capacity_has_its_confidence(records):
    """900 studies with all conditions drawn at random, 499 resamples, standard error 0.008.

    At most 5 % overturn at the capacity in 0.949 (10 records, of 2000 studies), 0.958 (22) and 0.964 (60).
    """
    rng, held = np.random.default_rng(records), []
    for seed in range(900):
        at = CHOICES[rng.choice(list(CHOICES))](rng)
        dispersion, between, runs = rng.uniform(0.3, 0.6), rng.uniform(0, 0.95), int(rng.integers(5, 41))
        spread = dispersion * np.sqrt([between, 1 - between])
        yes = draw_counts(records, runs, at, 1.0, *spread, seed=rng.integers(2**32))
        units = Units(at, np.full_like(yes, float(runs)), np.stack([yes] * 3), np.ones(records, int))
        bound = _low_quantile(units, Bootstrap(resamples=499, seed=seed))
        held += [] if np.isnan(bound) else [ndtr(bound / dispersion) <= 0.05]
    print(records, len(held), np.mean(held))
    assert np.mean(held) >= 0.95 - 3 * 0.008


@pytest.mark.parametrize(
    ("kind", "studies", "least"),
    [
        *((kind, 24, 17) for kind in KINDS),  # of a true 0.93 fewer than 17 hold in 2e-4
        *(pytest.param(kind, 400, 354, marks=pytest.mark.slow) for kind in KINDS),
    ],
)
def test_the_rate_of_the_rule_covers_whatever_the_curve(kind, studies, least):
    """Standard error 0.010 with 500 studies: 0.948 of lognormal truths, 0.935 of log-logistic ones (too low
    in 0.051; by the lognormal curve alone 0.873 and 0.116) and 0.984 of plateaus."""
    rng = np.random.default_rng(52)
    rows = np.array([of_rates(rng, kind)[:3] for _ in range(studies)])
    assert ((rows[:, 1] <= rows[:, 0]) & (rows[:, 0] <= rows[:, 2])).sum() >= least
