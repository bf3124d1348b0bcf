"""Runs that strain the model: counted by hand, in any order and slice, and refusals."""

import numpy as np
import pytest
import xarray as xr

from mcrock.params import Outcome
from mcrock.statistics import model_validity, runs
from mcrock.statistics.validity import FLAGS

STEP = 1.001  # demands are rounded up by at most this factor


@pytest.fixture
def strained(make_study):
    """Simulated study with random departures from the model."""

    def make(cloud=False):
        ds = make_study(cloud=cloud)
        rng = np.random.default_rng(5)
        dims, shape = ds["outcome"].dims, ds["outcome"].shape
        for name, share in (
            ("contact_lost", 0.04),
            ("edge_stick_infeasible", 0.3),
            ("energy_gain_impacts", 0.1),
        ):
            ds[name] = (dims, (rng.random(shape) < share).astype("i1"))
        ds["infeasible_energy_loss"] = (dims, np.where(rng.random(shape) < 0.05, 2.0, 0.001).astype("f4"))
        moved = ds["peak_tilt"].values > 0
        ds["peak_friction_demand"] = (dims, np.where(moved, rng.uniform(0.2, 0.5, shape), 0.0).astype("f4"))
        ds["lowest_normal_force"] = (dims, np.where(moved, rng.uniform(0.1, 1.0, shape), 1.0).astype("f4"))
        return ds

    return make


def test_shares_and_demands_are_those_of_the_runs(strained):
    ds = strained()
    result = model_validity(ds, friction=0.4)
    stands = (ds["outcome"] == Outcome.AT_REST).values
    marks = {name: ds[name].values > 0 for name in FLAGS if name != "infeasible_impacts"}
    marks["infeasible_impacts"] = ds["infeasible_energy_loss"].values > 1.0
    for j in range(10):
        stood = stands[:, j]
        assert result["runs"].values[:, j].tolist() == [440, stood.sum()]
        for name, mark in marks.items():
            assert float(result[name][0, j]) == pytest.approx(mark[:, j].mean())
            if stood.any():
                assert float(result[name][1, j]) == pytest.approx(mark[stood, j].mean())
        rocked = stood & (ds["peak_tilt"].values[:, j] > 0)
        assert int(result["rocked"][j]) == rocked.sum()
        if not rocked.any():
            assert np.isnan(result["friction_demand"][j])
            continue
        demand = np.where(marks["contact_lost"][:, j], np.inf, ds["peak_friction_demand"].values[:, j])[
            rocked
        ]
        expected = np.sort(demand)[int(np.ceil(0.95 * len(demand))) - 1]
        found = float(result["friction_demand"][j])
        assert found == expected or expected <= found <= STEP * expected
        assert float(result["largest_friction_demand"][j]) == demand.max()
        assert float(result["beyond_friction"][j]) == pytest.approx((demand > 0.4).mean())
        force = ds["lowest_normal_force"].values[stood, j]
        assert float(result["lowest_normal_force"][j]) == pytest.approx(force.min())


def test_demand_of_the_whole_study_with_and_without_the_runs_that_lost_contact(strained):
    ds = strained()
    rocked = (ds["outcome"] == Outcome.AT_REST).values & (ds["peak_tilt"].values > 0)
    held = rocked & (ds["contact_lost"].values == 0)
    result = model_validity(ds)
    assert "beyond_friction" not in result
    expected = np.quantile(ds["peak_friction_demand"].values[held], 0.95, method="inverted_cdf")
    assert expected <= float(result["study_held_friction_demand"]) <= STEP * expected
    assert np.isfinite(result["study_friction_demand"])  # 4 % lost contact
    ds["contact_lost"][:44] = 1
    assert float(model_validity(ds)["study_friction_demand"]) == np.inf
    assert np.isfinite(model_validity(ds)["study_held_friction_demand"])


@pytest.mark.parametrize("cloud", [False, True])
def test_order_and_slices_change_nothing(strained, monkeypatch, cloud):
    ds = strained(cloud)
    whole = model_validity(ds, 0.3)
    assert whole.sizes["intensity"] == 10
    shuffled = ds.isel(realization=np.random.default_rng(1).permutation(440))
    xr.testing.assert_identical(model_validity(shuffled, 0.3), whole)
    monkeypatch.setattr(runs, "SLICE", 7)
    xr.testing.assert_identical(model_validity(ds, 0.3), whole)


def test_missing_runs_and_mistakes(strained):
    ds = strained()
    with pytest.raises(ValueError, match="friction must be finite and > 0"):
        model_validity(ds, friction=0.0)
    with pytest.raises(ValueError, match="classes must be at least 1"):
        model_validity(ds, classes=0)
    with pytest.raises(ValueError, match="no variable 'contact_lost'"):
        model_validity(ds.drop_vars("contact_lost"))
    ds["outcome"][:22] = Outcome.NOT_RUN
    with pytest.raises(ValueError, match="have not been run"):
        model_validity(ds)
    rest = model_validity(ds.isel(realization=slice(22, None)))
    xr.testing.assert_identical(model_validity(ds, allow_missing=True), rest)
