"""Runs that strain the model: counted by hand, in any order and slice, and refusals."""

import numpy as np
import pytest
import xarray as xr

from mcrock.base.params import Outcome
from mcrock.statistics import model_validity, runs
from mcrock.statistics.outcomes import FLAGS


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
        needed = np.where(rng.random(shape) < 0.2, np.inf, rng.uniform(0.1, 1.5, shape))
        ds["certified_friction"] = (dims, needed.astype("f4"))
        ds["lowest_normal_force"] = (dims, np.where(moved, rng.uniform(0.1, 1.0, shape), 1.0).astype("f4"))
        return ds

    return make


def test_shares_are_those_of_the_runs(strained):
    ds = strained()
    result = model_validity(ds, (0.4, 1.0))
    stands = (ds["outcome"] == Outcome.AT_REST).values
    marks = {name: ds[name].values > 0 for name in FLAGS if name != "infeasible_impacts"}
    marks["infeasible_impacts"] = ds["infeasible_energy_loss"].values > 1.0
    for j in range(10):
        stood = stands[:, j]
        assert result["runs"].values[:, j].tolist() == [440, stood.sum()]
        shares = [(result[name], mark[:, j]) for name, mark in marks.items()]
        for coefficient in (0.4, 1.0):
            enough = ds["certified_friction"].values[:, j] <= coefficient
            shares.append((result["certified"].sel(friction=coefficient), enough))
        for found, mark in shares:
            assert float(found[0, j]) == pytest.approx(mark.mean())
            if stood.any():
                assert float(found[1, j]) == pytest.approx(mark[stood].mean())
        if stood.any():
            force = ds["lowest_normal_force"].values[stood, j]
            assert float(result["lowest_normal_force"][j]) == pytest.approx(force.min())


def test_runs_with_friction_are_certified_throughout_or_not(strained):
    ds = strained()
    until = np.where(np.random.default_rng(2).random(ds["outcome"].shape) < 0.3, np.inf, 4.0)
    ds["certified_until"] = ds["outcome"].dims, until
    result = model_validity(ds)
    assert "certified" not in result
    np.testing.assert_allclose(result["certified_throughout"].sel(among="all"), np.isinf(until).mean(axis=0))
    assert "certified" not in model_validity(strained().drop_vars("certified_friction"))


def test_a_friction_of_zero_is_no_certificate(strained):
    ds = strained()
    ds["certified_friction"][:] = 0.0
    assert (model_validity(ds)["certified"] == 0).all()


@pytest.mark.parametrize("cloud", [False, True])
def test_order_and_slices_change_nothing(strained, monkeypatch, cloud):
    ds = strained(cloud)
    whole = model_validity(ds, [0.3])
    assert whole.sizes["intensity"] == 10
    shuffled = ds.isel(realization=np.random.default_rng(1).permutation(440))
    xr.testing.assert_identical(model_validity(shuffled, [0.3]), whole)
    monkeypatch.setattr(runs, "SLICE", 7)
    xr.testing.assert_identical(model_validity(ds, [0.3]), whole)


def test_missing_runs_and_mistakes(strained):
    ds = strained()
    with pytest.raises(ValueError, match="friction must list coefficients that are finite and > 0"):
        model_validity(ds, friction=[0.3, 0.0])
    with pytest.raises(ValueError, match="friction must list coefficients"):
        model_validity(ds, friction=0.3)
    with pytest.raises(ValueError, match="classes must be at least 1"):
        model_validity(ds, classes=0)
    with pytest.raises(ValueError, match="no variable 'contact_lost'"):
        model_validity(ds.drop_vars("contact_lost"))
    ds["outcome"][:22] = Outcome.NOT_RUN
    with pytest.raises(ValueError, match="have not been run"):
        model_validity(ds)
    rest = model_validity(ds.isel(realization=slice(22, None)))
    xr.testing.assert_identical(model_validity(ds, allow_missing=True), rest)
