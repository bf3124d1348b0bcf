"""Coverage of the intervals of variance shares, annual rates and differences; run by hand, as it takes
minutes."""

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from mcrock.statistics import Bootstrap, compare_designs, variance_shares
from mcrock.statistics.rate_intervals import rate_bounds
from mcrock.statistics.rates import lognormal_rates, refine
from mcrock.statistics.resample import Units
from tests.unit.statistics.nested import crossed_of, draw_scores, nested_study, true_components
from tests.unit.statistics.test_comparison import BETWEEN, CHANGE, OWN, WITHIN, pair_of_designs
from tests.unit.statistics.test_studentized import draw_counts

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
    """400 studies, level 0.95, standard error 0.011. Coverage of first-order / total share:

    | draws x records x runs | P = 0.16      | 0.5           |
    |------------------------|---------------|---------------|
    | 32 x 10 x 8            | 0.988 / 0.850 | 0.985 / 0.952 |
    | 16 x 22 x 16           | 0.952 / 0.888 | 0.980 / 0.980 |
    | 64 x 22 x 16           | 0.955 / 0.902 | 0.962 / 0.975 |
    | 64 x 60 x 10           | 0.942 / 0.920 | 0.952 / 0.952 |
    """
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


LEVELS = np.array([0.5, 0.8, 1.1, 1.4, 1.7, 2.0, 2.3, 2.9, 3.6, 4.2, 4.8, 5.4, 6.0, 7.5])


@pytest.mark.slow
@pytest.mark.parametrize("records", [10, 22, 60])
def test_intervals_cover_the_annual_rate(records):
    """400 studies of 40 runs for each record, two thirds of the variance of ln(capacity) between records,
    hazard slope 2.5, 599 resamples, level 0.95, standard error 0.011. Coverage (truth above the interval):

    | records | lognormal    | stripes      |
    |---------|--------------|--------------|
    | 10      | 0.917 (0.08) | 0.910 (0.08) |
    | 22      | 0.928 (0.06) | 0.925 (0.06) |
    | 60      | 0.955 (0.03) | 0.945 (0.02) |

    (500 resamples of 300, 400 and 200 studies.)
    """
    x = np.geomspace(0.2, 40, 20)
    table = refine(x, 1e-3 * x**-2.5, LEVELS)
    true = lognormal_rates(*table, 3.0, np.hypot(BETWEEN, WITHIN)).sum()
    covered, above = np.zeros((2, STUDIES, 2), bool)
    for seed in range(STUDIES):
        yes = draw_counts(records, 40, LEVELS, 3.0, BETWEEN, WITHIN, seed=seed)
        units = Units(LEVELS, np.full_like(yes, 40.0), np.stack([yes] * 3), np.ones(records, int))
        low, high = rate_bounds(units, Bootstrap(resamples=599, seed=seed), [table])[..., 0]
        covered[seed], above[seed] = ~((true < low) | (true > high)), true > high
    print(records, covered.mean(axis=0), above.mean(axis=0))
    assert (covered.mean(axis=0) >= 0.9).all()


@pytest.mark.slow
@pytest.mark.parametrize("records", [10, 22, 60])
def test_intervals_cover_the_difference_of_designs(records):
    """400 studies of pairs, level 0.95, standard error 0.011. Least to largest coverage of the difference
    over ten levels, and of the ratio of medians:

    | records | difference     | ratio |
    |---------|----------------|-------|
    | 10      | 0.962 to 1.000 | 0.968 |
    | 22      | 0.912 to 1.000 | 0.960 |
    | 60      | 0.898 to 1.000 | 0.943 |
    """
    total = np.hypot(BETWEEN, WITHIN)
    other = np.sqrt(total**2 + CHANGE**2 + OWN**2)
    covered, of_ratio = [], []
    for seed in range(400):
        found = compare_designs(*pair_of_designs(records=records, seed=seed))
        x = found["intensity"].values
        true = ndtr(np.log(x / 3.3) / other) - ndtr(np.log(x / 3.0) / total)
        low, high = found["difference_interval"].values
        covered.append((low <= true) & (true <= high))
        low, high = found["median_ratio_interval"].values
        of_ratio.append(low <= 1.1 <= high)
    print(records, np.mean(covered, axis=0).round(3), np.mean(of_ratio))
    assert (np.mean(covered, axis=0) >= 0.88).all()
    assert np.mean(of_ratio) >= 0.92
