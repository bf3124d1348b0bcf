"""What limits an answer: against studies with more runs and more recordings, exact cases, invariances."""

import numpy as np
import pytest

from mcrock.ensemble.pilot import FEW, MORE, next_size
from mcrock.statistics import fit_fragility, overturning_probability, what_limits
from tests.benchmarks.stopping import covered
from tests.unit.statistics.conftest import simulate_study
from tests.unit.statistics.test_risk import power_law

ASKED = {"median": {}, "probability": {"intensity": 3.0}, "rate": {"hazard": power_law()}}
LEVELS = (1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 7.0)


def spread_of(asked, records, per_record, studies=640):
    """Standard deviation of an answer over studies, with the mean of what limits one of them."""
    found = []
    for seed in range(studies):
        ds = simulate_study(records, per_record, LEVELS, between=0.3, within=0.3, seed=seed)
        found.append(what_limits(ds, **asked, resamples=50))
    answers = np.array([float(each["answer"]) for each in found])
    answers = answers if "intensity" in asked else np.log(answers)
    return answers.std(), *(
        np.mean([float(each[f"narrower_by_{name}"]) for each in found]) for name in ("runs", "records")
    )


@pytest.mark.slow
@pytest.mark.parametrize("kind", ASKED)
def test_what_more_runs_and_recordings_bring(kind):
    """A ratio of two spreads of 640 studies has an error of 0.04."""
    now, by_runs, by_records = spread_of(ASKED[kind], 20, 4)
    many_runs, *_ = spread_of(ASKED[kind], 20, 40)
    many_records, *_ = spread_of(ASKED[kind], 40, 4)
    assert 0.05 < by_runs < 0.3
    assert many_runs / now == pytest.approx(1 - by_runs, abs=0.15)
    assert many_records / now == pytest.approx(1 - by_records, abs=0.15)


@pytest.mark.slow
def test_intervals_of_studies_that_end_by_themselves_hold_random_truths():
    """Median, probability and rate; 1000 studies: `python -m tests.benchmarks.stopping coverage 1000`."""
    found = np.array([covered(np.random.default_rng([5, k])) for k in range(100)])
    assert (found[:, :, 0].mean(axis=0) > 0.89).all()  # of 0.95 one in a hundred studies of these has less


def test_the_answer_is_that_of_the_statistic_that_prints_it():
    ds = simulate_study(levels=LEVELS)
    fit, points = fit_fragility(ds), overturning_probability(ds)
    found = what_limits(ds)
    assert float(found["answer"]) == float(fit["accepted_reached"][-1])
    np.testing.assert_array_equal(found["answer_interval"], fit["accepted_reached_interval"][:, -1])
    found = what_limits(ds, intensity=3.0)
    assert float(found["answer"]) == float(points["probability"].sel(intensity=3.0))


def test_runs_that_repeat_each_other_add_nothing():
    ds = simulate_study(levels=LEVELS, within=0.0)
    for asked in ASKED.values():
        found = what_limits(ds, **asked)
        assert float(found["runs_share"]) == pytest.approx(0.0, abs=1e-12)
        assert found.attrs["limit"] == "recordings"
        assert next_size(found, 440, 22, 10_000) == ds.sizes["realization"]


def test_without_recordings_of_their_own_runs_are_all_there_is():
    shares = [
        float(what_limits(simulate_study(levels=LEVELS, between=0.0, seed=k))["runs_share"])
        for k in range(20)
    ]
    assert np.mean(shares) > 0.75
    alone = what_limits(simulate_study(levels=LEVELS).drop_vars(["record", "motion_group"]))
    assert np.isnan(alone["runs_share"])
    assert alone.attrs["limit"] == "runs"
    wanted = next_size(alone, 440, 16, 10_000, width=float(alone["half_width"]) / 1.5)
    assert wanted == pytest.approx(2.25 * 440, abs=16)


def test_where_every_run_falls_or_none_exact_bounds_decide():
    ds = simulate_study(levels=(0.001, 3.0, 1000.0))
    for level in (0.001, 1000.0):
        found = what_limits(ds, intensity=level)
        assert float(found["runs_share"]) == 0.0
        assert next_size(found, 440, 22, 10_000) == ds.sizes["realization"]
    found = what_limits(ds.isel(intensity=[0, 2]))
    assert found.attrs["limit"] == "levels"
    assert np.isnan(found["records_needed"])


def test_the_order_of_realizations_changes_nothing():
    ds, rng = simulate_study(levels=LEVELS), np.random.default_rng(3)
    other = ds.isel(realization=rng.permutation(ds.sizes["realization"]))
    for asked in ASKED.values():
        found, again = what_limits(ds, **asked), what_limits(other, **asked)
        for name in found.data_vars:
            np.testing.assert_allclose(again[name], found[name], rtol=1e-9)


def test_a_cloud_has_the_share_of_its_records():
    clouds = [simulate_study(40, 10, cloud=True, between=0.4, within=0.05, seed=k) for k in range(10)]
    shares = [float(what_limits(ds)["runs_share"]) for ds in clouds]
    assert 0.05 < np.mean(shares) < 0.3
    independent = [simulate_study(40, 10, cloud=True, between=0.0, within=0.4, seed=k) for k in range(10)]
    assert np.mean([float(what_limits(ds)["runs_share"]) for ds in independent]) > np.mean(shares)


def test_numbers_of_realizations_are_multiples_that_grow_and_end():
    sizes = []
    for seed in range(10):
        found = what_limits(simulate_study(22, FEW, LEVELS, between=0.3, within=0.2, seed=seed), resamples=50)
        sizes.append(next_size(found, 88, 22, 10_000))
        assert sizes[-1] % 22 == 0
        assert MORE[0] * 88 <= sizes[-1] <= MORE[1] * 88
        assert next_size(found, 88, 22, 100) == 100
        assert next_size(found, 88, 22, 10_000, runs_share=1.0) == 88
    assert len({*sizes}) > 1


def test_what_is_not_valid_is_refused():
    ds = simulate_study(levels=LEVELS)
    with pytest.raises(ValueError, match="half-width that is wanted must be > 0"):
        what_limits(ds, width=0.0)
    with pytest.raises(ValueError, match="no level of the study"):
        what_limits(ds, intensity=2.2)
