"""What parameters do to overturning, recordings aside: twins, and the test where they do nothing."""

import numpy as np
import pytest
import xarray as xr

from mcrock.base.params import Outcome
from mcrock.statistics import parameter_effect


def runs(rng, effect=0.0, records=22, per_record=40):
    """Runs at one intensity; recordings differ, and one of two parameters changes the chance."""
    record = np.repeat(np.arange(records), per_record)
    x = rng.uniform((-1.0, 3.0), (2.0, 5.0), (len(record), 2))
    chance = rng.uniform(0.0, 1.0 - abs(effect), records)[record] + effect * (x[:, 0] + 1.0) / 3.0
    fell = rng.random(len(record)) < chance
    outcome = np.where(fell, Outcome.OVERTURNED, Outcome.AT_REST)
    columns = {"outcome": outcome, "record": record, "a": x[:, 0], "b": x[:, 1]}
    return xr.Dataset({name: ("realization", values) for name, values in columns.items()})


def test_the_change_is_that_of_a_regression_with_a_level_for_each_recording():
    ds = runs(np.random.default_rng(1), effect=0.4)
    x = np.stack([(ds[name] - ds[name].min()) / (ds[name].max() - ds[name].min()) for name in "ab"], axis=1)
    dummies = ds["record"].values[:, None] == np.arange(22)
    y = (ds["outcome"] == Outcome.OVERTURNED).values.astype(float)
    expected = np.linalg.lstsq(np.hstack([x, dummies]), y, rcond=None)[0][:2]
    found = parameter_effect(ds, "ab")
    np.testing.assert_allclose(found["change"], expected, atol=1e-12)
    low, high = found["change_interval"].sel(parameter="a").values
    assert low < 0.4 < high
    assert float(found["p_value"]) < 1e-6


def test_the_p_value_is_that_of_permutations_within_recordings():
    rng = np.random.default_rng(4)
    ds = runs(rng, effect=0.15, per_record=12)
    own, larger = float(parameter_effect(ds, "ab")["p_value"]), []
    for _ in range(400):
        order = np.concatenate([12 * k + rng.permutation(12) for k in range(22)])
        mixed = ds.assign(outcome=("realization", ds["outcome"].values[order]))
        larger.append(float(parameter_effect(mixed, "ab")["p_value"]) <= own)
    assert 0.01 < own < 0.9
    assert np.mean(larger) == pytest.approx(own, abs=4 * np.sqrt(own * (1 - own) / 400))


def test_without_an_effect_the_test_rejects_as_often_as_it_says():
    rng = np.random.default_rng(7)
    rejected, held = [], []
    for _ in range(600):
        records = int(rng.integers(1, 30))
        found = parameter_effect(
            runs(rng, records=records, per_record=int(rng.integers(90 // records + 6, 120))), "ab"
        )
        rejected.append(float(found["p_value"]) < 0.05)
        low, high = found["change_interval"].values
        held += [*((low < 0.0) & (high > 0.0))]
    assert 0.025 < np.mean(rejected) < 0.075
    assert 0.925 < np.mean(held) < 0.975


def test_runs_that_all_ended_alike_know_no_effect():
    ds = runs(np.random.default_rng(0))
    ds["outcome"][:] = Outcome.AT_REST
    assert parameter_effect(ds, "ab").isnull().all().to_array().all()
