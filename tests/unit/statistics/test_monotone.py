"""Rising fragility and static thresholds: exact cases, bounds, invariances."""

import numpy as np
import pytest
import xarray as xr

from mcrock.base.params import Outcome
from mcrock.statistics import isotonic_fragility, overturning_probability
from mcrock.statistics.measures import static_thresholds
from tests.unit.statistics.measured import measured_study


def test_it_passes_through_rising_fractions(make_study):
    ds = make_study()
    found = isotonic_fragility(ds)
    points = overturning_probability(ds)
    at = found["curve"].sel(intensity_grid=points["intensity"].values)
    np.testing.assert_allclose(at, points["probability"], rtol=1e-12)
    assert (np.diff(found["curve"]) >= -1e-12).all()
    np.testing.assert_array_equal(found["level_fraction"], points["probability"])
    assert np.isnan(found["static_threshold"]).all()
    below = found["curve"].sel(intensity_grid=slice(0, 0.499))
    assert (below == 0).all()


def test_fractions_that_fall_are_pooled():
    outcome = np.array([[1, 3, 1, 3], [1, 3, 1, 3], [1, 1, 1, 3], [1, 1, 3, 3]], "i1")
    ds = xr.Dataset(
        {"outcome": (("realization", "intensity"), outcome)}, coords={"intensity": [1.0, 2.0, 3.0, 4.0]}
    )
    found = isotonic_fragility(ds)
    assert found["level_fraction"].values.tolist() == [0, 0.5, 0.25, 1]
    assert found["isotonic_fraction"].values.tolist() == [0, 0.375, 0.375, 1]


def test_a_slope_lowers_the_static_threshold():
    """A body on a slope of 5 degrees was said not to rock below 0.194 g; it does from 0.126 g on."""
    level, slope = (
        static_thresholds(measured_study(["motion.vertical=false", *ground])[0]).min()
        for ground in ([], ["ground.slope_x_deg=3.0", "ground.slope_y_deg=4.0"])
    )
    lean = np.hypot(*np.sin(np.radians([3.0, 4.0])))
    assert slope / level == pytest.approx(np.sqrt(1 - lean**2) - lean / 0.25, rel=1e-9)


@pytest.mark.parametrize("measure", ["pga", "pgv", "uplift_ratio", "arias"])
def test_thresholds_of_all_measures_are_those_of_the_same_motions(measure):
    """A run at its threshold has the scale that tips the body, whatever the motions are scaled to."""
    size = "body.width={ distribution = 'uniform', low = 0.3, high = 0.5 }"
    spread = "motion.scaling={ distribution = 'lognormal', median = 1.0, dispersion = 0.3 }"
    levels = f"intensity={{ measure = '{measure}', levels = [1.0, 2.5] }}"
    ds, inputs, motions = measured_study([size, levels, spread])
    power = 2 if measure == "arias" else 1
    scale = np.abs(inputs.scale[:, 0]) * static_thresholds(ds) ** (1 / power)
    tangent = np.tan(ds["body_slenderness"].values)
    peak = np.array([np.hypot(*motion.acceleration[:2]).max() for motion in motions])[inputs.record]
    down = np.array([-motion.acceleration[2].min() for motion in motions])[inputs.record].clip(0)
    np.testing.assert_allclose(scale * (peak + down * tangent), 9.81 * tangent, rtol=1e-9)


def test_released_bodies_have_no_static_threshold(make_study):
    released = ["start.edge=0", "start.tilt_deg=3.0"]
    assert static_thresholds(measured_study(released)[0]) is None
    assert static_thresholds(make_study()) is None
    uncertain = "motion.floor={ frequency = { distribution = 'uniform', low = 2.0, high = 4.0 } }"
    assert static_thresholds(measured_study([uncertain])[0]) is None


def test_a_cloud_has_a_rising_curve_too(make_study):
    ds = make_study(cloud=True, records=60, per_record=60)
    found = isotonic_fragility(ds, grid=[1.5, 3.0, 5.0])
    truth = [0.053, 0.5, 0.883]  # of a median of 3 and a dispersion of 0.43
    np.testing.assert_allclose(found["curve"], truth, atol=0.1)
    weakest = ds["intensity_value"].values[ds["outcome"].values == Outcome.OVERTURNED].min()
    assert float(isotonic_fragility(ds, grid=[0.9 * weakest])["curve"][0]) == 0
