"""The probability from the first realizations is that of a smaller study."""

import numpy as np
import pytest
import xarray as xr

from mcrock.base.params import Outcome
from mcrock.statistics import overturning_probability, size_convergence


@pytest.mark.parametrize("undecided", [0.0, 0.2])
def test_each_size_is_a_study_of_its_own(make_study, undecided):
    ds = make_study(records=22, per_record=8, undecided=undecided)
    found = size_convergence(ds)
    sizes = found["size"].values
    assert sizes[-1] == ds.sizes["realization"]
    assert (np.diff(sizes) > 0).all()
    assert (sizes % 22 == 0).all()
    for k, size in enumerate(sizes):
        part = overturning_probability(ds.isel(realization=slice(int(size))))
        np.testing.assert_allclose(found["probability"][k], part["probability"], atol=1e-12)


def test_change_is_that_of_the_second_half(make_study):
    ds = make_study(records=10, per_record=8)
    half, whole = (
        overturning_probability(part)["probability"] for part in (ds.isel(realization=slice(40)), ds)
    )
    np.testing.assert_allclose(size_convergence(ds)["change"], whole - half, atol=1e-12)


def test_classes_of_a_cloud_are_those_of_the_whole(make_study):
    ds = make_study(records=10, per_record=30, cloud=True)
    found, whole = size_convergence(ds), overturning_probability(ds)
    np.testing.assert_allclose(found["probability"][-1], whole["probability"], atol=1e-12)
    np.testing.assert_array_equal(found["intensity"], whole["intensity"])


def test_independent_realizations_and_few():
    outcome = np.full((3, 1), Outcome.OVERTURNED, "i1")
    ds = xr.Dataset({"outcome": (("realization", "intensity"), outcome)}, coords={"intensity": [1.0]})
    for n in (1, 2, 3):
        found = size_convergence(ds.isel(realization=slice(n)))
        assert found["size"].values[-1] == n
        assert (found["probability"] == 1).all()
        assert (found["change"] == 0).all()


def test_missing_runs_are_left_out_when_asked(make_study):
    ds = make_study(records=4, per_record=4)
    ds["outcome"][:8] = Outcome.NOT_RUN
    with pytest.raises(ValueError, match="have not been run yet"):
        size_convergence(ds)
    found = size_convergence(ds, allow_missing=True)
    assert np.isnan(found["probability"][0]).all()
    assert np.isfinite(found["probability"][-1]).all()
