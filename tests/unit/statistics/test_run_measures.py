"""Intensity measures of every run that a study did not keep."""

import numpy as np
import pytest
import xarray as xr

from mcrock.excitation.measures import intensity
from mcrock.statistics import by_measure, fit_fragility, measures_of, overturning_probability, with_measures
from tests.unit.statistics.measured import measured_study

CLOUD = [
    "intensity={ measure = 'sa', period = 0.5, value_g = { distribution = 'uniform', low = 0.2, high = 1 }, "
    "variables = ['pga', 'pgv', 'arias', 'd5_95', { measure = 'sa', period = 1.0 }] }",
    "motion.scaling={ distribution = 'lognormal', median = 1.0, dispersion = 0.3 }",
]


def test_what_a_cloud_kept_is_computed_again():
    """Measures that grow with all powers of the scale, of motions that are scaled by chance too."""
    ds, _, _ = measured_study(CLOUD)
    names = ["im_pga", "im_pgv", "im_arias", "im_d5_95", "im_sa_1s"]
    asked = ["pga", "pgv", "arias", "d5_95", {"measure": "sa", "period": 1.0}]
    found = with_measures(ds.drop_vars(names), asked)
    for name in names:
        np.testing.assert_allclose(found[name], ds[name], rtol=1e-12)
        assert found[name].attrs == ds[name].attrs
    assert with_measures(ds, asked) is not None
    xr.testing.assert_identical(with_measures(ds, asked), ds)


@pytest.mark.parametrize("measure", ["pga", "uplift_ratio", "factor"])
def test_runs_at_levels_have_the_measures_of_their_scaled_motions(measure):
    size = "body.width={ distribution = 'uniform', low = 0.3, high = 0.5 }"
    intensities = f"intensity={{ measure = '{measure}', levels = [1.0, 2.5] }}"
    ds, inputs, motions = measured_study([size, intensities])
    flat = with_measures(ds, ["pgv", "arias"])
    assert flat.sizes["realization"] == ds["outcome"].size
    assert measures_of(flat) == [measure if measure != "factor" else "factor", "pgv", "arias"]
    for k in (0, 17, 43):
        motion = motions[inputs.record[k]]
        for level in (0, 1):
            factor, run = abs(inputs.scale[k, level]), flat.isel(realization=2 * k + level)
            assert float(run["im_pgv"]) == pytest.approx(factor * intensity(motion, "pgv"), rel=1e-12)
            assert float(run["im_arias"]) == pytest.approx(factor**2 * intensity(motion, "arias"), rel=1e-12)
            assert int(run["record"]) == inputs.record[k]
            assert float(run["intensity_value"]) == ds["intensity"].values[level]


def test_a_study_at_levels_is_the_same_study_as_a_cloud_of_its_runs():
    ds, _, _ = measured_study(overturned=lambda inputs: np.abs(inputs.scale) > 2.5)
    flat = with_measures(ds, ["pgv"])
    whole, parts = overturning_probability(ds), overturning_probability(flat)
    assert int(whole["overturned"].sum()) == int(parts["overturned"].sum()) > 0
    levels, runs = (fit_fragility(each, resamples=50) for each in (ds, flat))
    for name in ("median_capacity", "dispersion", "median_capacity_interval", "dispersion_interval"):
        np.testing.assert_allclose(levels[name], runs[name], rtol=1e-9)


def test_runs_under_a_floor():
    """A stiff floor moves as the ground does; a soft one does not."""
    for frequency, same in ((45.0, True), (1.0, False)):
        floor = [f"motion.floor={{ frequency = {frequency}, damping = 0.05 }}"]
        ds, _, _ = measured_study(floor)
        ground, beneath = (with_measures(ds, ["pgv"], under_body=under) for under in (False, True))
        ratio = (beneath["im_pgv"] / ground["im_pgv"]).values
        assert (np.abs(ratio - 1).max() < 0.05) == same


def test_measures_that_cannot_be_known(make_study):
    with pytest.raises(ValueError, match="the study does not hold pgv, and its motions are not there"):
        with_measures(make_study(), ["pgv"])
    with pytest.raises(ValueError, match=r"^measures: expected 'pga', 'pgv'"):
        with_measures(make_study(), ["speed"])
    cloud = make_study(cloud=True).assign_attrs(intensity_measure="pga")
    assert by_measure(with_measures(cloud, ["pga"]), "pga") is not None
