"""Capacities: levels of realizations, and intensities read from a curve."""

import warnings

import numpy as np
import pytest
from scipy.special import ndtr

from mcrock.base.params import Outcome
from mcrock.statistics import by_limit, capacities, capacity_at, fit_fragility, runs
from mcrock.statistics.fragility import count_resurrected
from tests.unit.statistics.conftest import LEVELS


def test_brackets_hold_the_capacities_and_their_distribution_is_the_curve(make_study):
    ds = make_study(per_record=100)
    found = capacities(ds)
    low, high = found["capacity_low"].values, found["capacity_high"].values
    assert not found["resurrected"].any()
    levels = np.array([0.0, *LEVELS, np.inf])
    np.testing.assert_array_equal(levels[np.searchsorted(levels, low) + 1], high)
    share = [(high <= level).mean() for level in LEVELS]
    np.testing.assert_allclose(share, (ds["outcome"] == Outcome.OVERTURNED).mean("realization"))
    assert float(fit_fragility(ds)["median_capacity"]) == pytest.approx(
        np.median((low + high)[high < np.inf]) / 2, rel=0.2
    )


def test_doubt_hides_a_capacity_but_no_resurrection(make_study):
    ds = make_study(per_record=1).isel(realization=slice(0, 4)).copy(deep=True)
    rows = [[1, 2, 3, 3], [1, 3, 2, 3], [1, 3, 1, 2], [2, 2, 1, 1]]
    ds = ds.isel(intensity=slice(0, 4))
    ds["outcome"].values[:] = rows
    found = capacities(ds)
    expected = [np.nan, LEVELS[1], LEVELS[1], np.nan]
    np.testing.assert_array_equal(found["capacity_high"], expected)
    assert found["resurrected"].values.tolist() == [False, False, True, False]


def test_counts_of_a_large_study_are_those_of_all_its_runs(make_study, monkeypatch):
    """Read in slices of seven realizations, some of which have not been run."""
    ds = make_study(per_record=3).copy(deep=True)
    ds["outcome"].values[4:13] = Outcome.NOT_RUN
    ds["outcome"].values[13:40:2, [2, 5]] = Outcome.OVERTURNED
    ran = ds.isel(realization=(ds["outcome"] != Outcome.NOT_RUN).any("intensity").values)
    records, index = np.unique(ds["record"].values, return_inverse=True)
    monkeypatch.setattr(runs, "SLICE", 7)
    found = int(capacities(ran)["resurrected"].sum())
    assert found > 5
    counted = count_resurrected(ds)
    assert (int(counted["resurrected"]), int(counted["realizations"])) == (found, ran.sizes["realization"])
    np.testing.assert_array_equal(runs.numbered(ds, "record")[0], records)
    np.testing.assert_array_equal(runs.numbered(ds, "record")[1], index)


def test_a_cloud_has_none(make_study):
    with pytest.raises(ValueError, match="meets two levels or more"):
        capacities(make_study(cloud=True))


@pytest.mark.parametrize("cloud", [False, True])
def test_support_is_counted_as_by_hand(make_study, cloud):
    ds = make_study(cloud=cloud, per_record=10)
    fit, fell = fit_fragility(ds), ds["outcome"].values == Outcome.OVERTURNED
    x = ds["intensity_value" if cloud else "intensity"].values * np.ones_like(fell, float)
    weakest = x[fell].min()
    assert float(fit["weakest_overturning"]) == pytest.approx(weakest, rel=1e-12)
    assert float(fit["strongest_run"]) == pytest.approx(x.max(), rel=1e-12)
    below = x < weakest * (1 - 1e-12)
    assert int(fit["runs_below"]) == below.sum() > 0
    curve = ndtr(np.log(x / float(fit["median_capacity"])) / float(fit["dispersion"]))
    assert float(fit["expected_below"]) == pytest.approx(curve[below].sum(), rel=1e-9)
    grid = fit["intensity_grid"].values
    outside = (grid < weakest * (1 - 1e-12)) | (grid > x.max() * (1 + 1e-12))
    np.testing.assert_array_equal(fit["extrapolated"], outside)


def test_a_study_without_overturning_supports_nothing(make_study):
    fit = fit_fragility(make_study(median=1000.0))
    assert fit["extrapolated"].all()
    assert int(fit["runs_below"]) == 4400
    assert np.isnan(fit["expected_below"])
    capacity = capacity_at(fit, 0.5)
    assert np.isnan(capacity["capacity"])
    assert bool(capacity["extrapolated"])


def test_a_capacity_is_that_of_the_curve_and_its_interval_that_of_the_band(make_study):
    fit = fit_fragility(make_study())
    wanted = np.array([0.16, 0.5, 0.84])
    found = capacity_at(fit, wanted)
    x = found["capacity"].values
    assert not found["extrapolated"].any()
    np.testing.assert_allclose(
        ndtr(np.log(x / float(fit["median_capacity"])) / float(fit["dispersion"])), wanted, rtol=1e-12
    )
    assert x[1] == pytest.approx(float(fit["median_capacity"]))
    lower, upper = found["capacity_interval"].values
    band = fit["band"].interp(intensity_grid=x)
    assert ((lower < x) & (x < upper)).all()
    for p, ends in zip(wanted, found["capacity_interval"].values.T, strict=True):
        low, high = fit["band"].sel(intensity_grid=ends).values  # (bound, end)
        assert high[0] < p <= low[1]
    assert ((band[0] < wanted) & (wanted < band[1])).all()
    # the interval of the median, to the resolution of the grid
    step = 1.04
    low, high = fit["median_capacity_interval"].values
    assert lower[1] <= low * step
    assert lower[1] >= low / step**2
    assert high / step <= upper[1] <= high * step**2


def test_reading_where_no_run_overturned_warns(make_study):
    fit = fit_fragility(make_study())
    weakest, expected = float(fit["weakest_overturning"]), float(fit["expected_below"])
    assert weakest == LEVELS[1]
    words = (
        rf"curve reaches 0.0001 at .* m s-2, below {weakest:g} m s-2, the weakest intensity at which a run "
        rf"overturned: .* expects {expected:.2g} among the {int(fit['runs_below'])} runs there, and there"
    )
    with pytest.warns(UserWarning, match=words):
        found = capacity_at(fit, 1e-4)
    assert bool(found["extrapolated"])
    assert found["capacity"].dims == ()
    with pytest.warns(UserWarning, match="beyond the strongest run, 6 m s-2: an extrapolation"):
        capacity_at(fit, 1 - 1e-4)
    of_limit = fit_fragility(by_limit(make_study(), "peak_tilt_ratio", 0.5))
    with pytest.warns(UserWarning, match="at which a run was beyond the limit: an extrapolation"):
        capacity_at(of_limit, 1e-5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        capacity_at(fit, [0.1, 0.9])


@pytest.mark.parametrize("wrong", [0, 1, 5, np.nan, [[0.5]]])
def test_a_probability_is_one(make_study, wrong):
    with pytest.raises(ValueError, match=r"probability must lie in \(0, 1\)"):
        capacity_at(fit_fragility(make_study(per_record=2), resamples=20), wrong)
