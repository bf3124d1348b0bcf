"""Fragility of several limit states in one call."""

import numpy as np
import pytest

from mcrock.statistics import by_limit, fit_fragility, fragility_by_limit
from tests.unit.statistics.test_probability import sliding_study

FEW = {"resamples": 60}


def test_every_limit_has_the_curve_of_the_study_judged_by_it(make_study):
    ds = make_study()
    found = fragility_by_limit(ds, [("peak_tilt_ratio", 0.3), ("peak_tilt", 0.1)], **FEW)
    assert found["limit"].values.tolist() == ["peak_tilt_ratio > 0.3", "peak_tilt > 0.1", "overturned"]
    assert found["value_units"].values.tolist() == ["1", "rad", "1"]
    grid = found["intensity_grid"].values
    for i, judged in enumerate([by_limit(ds, "peak_tilt_ratio", 0.3), by_limit(ds, "peak_tilt", 0.1), ds]):
        one = fit_fragility(judged, grid=grid, **FEW)
        for name in ("median_capacity_interval", "dispersion_interval", "curve", "band", "overturned"):
            np.testing.assert_array_equal(found[name].isel(limit=i), one[name])


def test_capacities_for_a_milder_limit_are_known():
    """Of a tilt that grows as the square of intensity over capacity, a quarter is reached at half of it."""
    from tests.unit.statistics.conftest import simulate_study

    levels = np.geomspace(0.4, 8, 15)
    ds = simulate_study(records=200, levels=levels)
    found = fragility_by_limit(ds, [("peak_tilt_ratio", 0.25)], **FEW)
    medians, dispersions = found["median_capacity"].values, found["dispersion"].values
    assert medians[0] / medians[1] == pytest.approx(0.5, rel=0.01)
    assert dispersions[0] / dispersions[1] == pytest.approx(1.0, rel=0.03)


def test_usual_limits(make_study):
    names = fragility_by_limit(make_study(), **FEW)["limit"].values.tolist()
    assert names == ["uplift", "peak_tilt_ratio > 0.1", "peak_tilt_ratio > 0.5", "overturned"]
    names = fragility_by_limit(sliding_study().assign_attrs(displacement_limit=0.2), **FEW)["limit"].values
    assert {"slip_path > 0.001", "peak_displacement > 0.2"} <= set(names.tolist())


def test_fractions_of_nested_limits_are_in_order(make_study):
    found = fragility_by_limit(make_study(), **FEW)
    assert (np.diff(found["overturned"].values) <= 0).all()
    assert (np.diff(found["median_capacity"].values) >= 0).all()


def test_a_response_that_is_not_there(make_study):
    with pytest.raises(ValueError, match="has no variable 'slip_path'"):
        fragility_by_limit(make_study(), [("slip_path", 0.1)], **FEW)
