"""Fragility of a study: intervals, undecided runs, limits, invariance, refusals."""

import numpy as np
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import log_ndtr, ndtr

from mcrock.base.params import Outcome
from mcrock.statistics import Bootstrap, by_limit, fit_fragility, overturning_probability, resampling
from mcrock.statistics.fragility import WORDS, _shape_bounds
from mcrock.statistics.likelihood import FitKind
from mcrock.statistics.resampling import resampled_bounds
from mcrock.statistics.runs import record_index
from tests.unit.statistics.conftest import LEVELS, simulate_study


def width(fit, name="median_capacity"):
    low, high = fit[f"{name}_interval"].values
    return high - low


def test_band_rises_where_pointwise_bounds_do_not(make_study):
    """Few records with clustered capacities: quantiles change abruptly along the curve."""
    fell = 0
    for seed in range(12):
        ds = make_study(records=14, per_record=40, between=0.28, within=0.1, seed=seed)
        fit = fit_fragility(ds)
        units = resampling.collect_units(ds, record_index(ds)[0], False)
        grid = fit["intensity_grid"].values
        single = resampled_bounds(units, Bootstrap(), grid)[:, 2:]
        low, high = fit["band"].values
        assert (np.diff(low) >= 0).all()
        assert (np.diff(high) >= 0).all()
        assert (low <= single[0]).all()
        assert (high >= single[1]).all()
        fell += (np.diff(single, axis=1) < 0).any()
    assert fell > 0


def test_ignoring_records_narrows_the_intervals(make_study):
    """With 0.66 of the variance between records and 20 runs in each, sqrt(1 + 19 * 0.66) = 3.7."""
    ds = make_study()
    wide, narrow = fit_fragility(ds), fit_fragility(ds, cluster=False)
    assert float(wide["median_capacity"]) == float(narrow["median_capacity"])
    assert 2.5 < width(wide) / width(narrow) < 5.5
    assert width(wide, "dispersion") > 1.5 * width(narrow, "dispersion")


def test_coverage_of_records_and_of_single_runs(make_study):
    """40 studies of 22 records, 200 resamples; intervals of half the width cover 0.67.

    In other studies (`test_coverage.py`) records covered both in 0.95 or more, single realizations the median
    in 0.40. With these coverages the binomial chance of a false alarm is 4e-3 for the median and the
    dispersion and 4e-5 for single realizations.
    """
    studies = 40
    covered = {"median_capacity": 0, "dispersion": 0, "alone": 0}
    for seed in range(studies):
        ds = make_study(seed=1000 + seed)
        fit = fit_fragility(ds, resamples=200, seed=seed, grid=[3.0])
        low, high = fit["median_capacity_interval"].values
        covered["median_capacity"] += low <= 3.0 <= high
        low, high = fit["dispersion_interval"].values
        covered["dispersion"] += low <= np.hypot(0.35, 0.25) <= high
        low, high = fit_fragility(ds, resamples=200, cluster=False, grid=[3.0])[
            "median_capacity_interval"
        ].values
        covered["alone"] += low <= 3.0 <= high
    assert covered["median_capacity"] >= 0.85 * studies
    assert covered["dispersion"] >= 0.85 * studies
    assert covered["alone"] <= 0.7 * studies


def test_same_seed_same_result_and_order_does_not_matter(make_study):
    ds, few = make_study(undecided=0.02), {"resamples": 200}
    fit = fit_fragility(ds, **few)
    xr.testing.assert_identical(fit_fragility(ds, **few), fit)
    shuffled = ds.isel(realization=np.random.default_rng(1).permutation(440))
    xr.testing.assert_identical(fit_fragility(shuffled, **few), fit)
    xr.testing.assert_identical(fit_fragility(ds.isel(intensity=slice(None, None, -1)), **few), fit)
    alone = [fit_fragility(each, cluster=False, **few) for each in (shuffled, ds)]
    xr.testing.assert_identical(*alone)


def in_doubt(ds, share, seed=3):
    """The study with guesses in a share of its runs at the weaker and all at the strongest intensities."""
    some = np.random.default_rng(seed).random(ds["outcome"].shape) < share
    some[..., -3:] = True
    return ds.assign(infeasible_energy_loss=ds["infeasible_energy_loss"].where(~some, 2.0))


def test_guesses_count_as_simulated_and_the_interval_holds_those_of_the_readings(make_study):
    ds = make_study()
    fit, plain = fit_fragility(in_doubt(ds, 0.05)), fit_fragility(ds)
    assert (float(fit["median_capacity"]), float(fit["dispersion"])) == (
        float(plain["median_capacity"]),
        float(plain["dispersion"]),
    )
    np.testing.assert_array_equal(fit["curve"], plain["curve"])
    guess = in_doubt(ds, 0.05)["infeasible_energy_loss"] > 1
    others = [fit_fragility(ds.assign(outcome=ds["outcome"].where(~guess, code))) for code in (1, 3)]
    for name in ("median_capacity_interval", "dispersion_interval", "band"):
        low, high = zip(*(one[name].values for one in (plain, *others)), strict=True)
        assert (fit[name][0] <= np.min(low, axis=0) + 1e-12).all()
        assert (fit[name][1] >= np.max(high, axis=0) - 1e-12).all()


@pytest.mark.parametrize("cloud", [False, True])
@pytest.mark.parametrize("cluster", [False, True])
@given(seed=st.integers(0, 2**32), share=st.floats(0.0, 0.6), undecided=st.floats(0.0, 0.3))
@settings(max_examples=12)
def test_estimates_lie_in_their_intervals_whatever_is_in_doubt(cloud, cluster, seed, share, undecided):
    ds = in_doubt(simulate_study(per_record=4, cloud=cloud, undecided=undecided, seed=seed), share, seed)
    fit = fit_fragility(ds, resamples=60, cluster=cluster)
    for name in ("median_capacity", "dispersion"):
        low, high = fit[f"{name}_interval"].values
        assert np.isnan(fit[name]) or low <= fit[name] <= high
    points = overturning_probability(ds, cluster=cluster)
    low, high = points["interval"].values
    assert ((low <= points["probability"]) & (points["probability"] <= high)).all()


def test_runs_that_broke_off_lie_between_both_readings(make_study):
    ds = make_study(undecided=0.05)
    fit = fit_fragility(ds)
    stood, fell = (
        fit_fragility(ds.assign(outcome=ds["outcome"].where(ds["outcome"] != Outcome.ROCKING, code)))
        for code in (Outcome.AT_REST, Outcome.OVERTURNED)
    )
    assert float(fell["median_capacity"]) < float(fit["median_capacity"]) < float(stood["median_capacity"])
    for name in ("median_capacity_interval", "dispersion_interval", "band"):
        assert (fit[name][0] <= np.minimum(stood[name][0], fell[name][0])).all()
        assert (fit[name][1] >= np.maximum(stood[name][1], fell[name][1])).all()


@pytest.mark.parametrize(("median", "kind"), [(1000.0, FitKind.NONE), (0.001, FitKind.ALL)])
def test_no_transition_leaves_the_bound_of_the_number_of_records(make_study, median, kind):
    ds = make_study(median=median)
    fit = fit_fragility(ds, grid=[0.0, 0.25, 3.0, 7.0])
    assert fit.attrs["fit"] == WORDS[kind]
    assert np.isnan(fit["median_capacity"])
    assert np.isnan(fit["dispersion"])
    assert np.isnan(fit["curve"]).all()
    bound = 1 - 0.025 ** (1 / 22)
    np.testing.assert_array_equal(fit["dispersion_interval"], [0, np.inf])
    if kind == FitKind.NONE:
        np.testing.assert_array_equal(fit["median_capacity_interval"], [6.0, np.inf])
        np.testing.assert_allclose(fit["band"], [[0, 0, 0, 0], [0, bound, bound, 1]], atol=1e-12)
    else:
        np.testing.assert_array_equal(fit["median_capacity_interval"], [0.0, 0.5])
        np.testing.assert_allclose(fit["band"], [[0, 0, 1 - bound, 1 - bound], [0, 1, 1, 1]], atol=1e-12)


def test_a_step_is_no_curve_and_has_honest_bounds(make_study):
    fit = fit_fragility(make_study(between=1e-6, within=1e-6))
    assert fit.attrs["fit"] == WORDS[FitKind.SEPARATED]
    assert np.isnan([fit["median_capacity"], fit["dispersion"]]).all()
    np.testing.assert_allclose(fit["median_capacity_interval"], [2.9, 3.6])
    # the flattest curve through the bounds of 22 records on either side of the step
    flattest = np.log(3.6 / 2.9) / (2 * 1.0177)
    assert fit["dispersion_interval"].values == pytest.approx([0, flattest], rel=1e-3)
    assert float(fit["band"][1].sel(intensity_grid=2.9)) == pytest.approx(1 - 0.025 ** (1 / 22))


@pytest.mark.parametrize(
    ("study", "how"),
    [
        ({"records": 1, "per_record": 400}, {}),
        ({"records": 1, "per_record": 1, "cloud": True}, {}),
        ({"records": 1, "per_record": 1, "cloud": True}, {"cluster": False}),
        ({"levels": [3.0]}, {}),
        ({"undecided": 1.0}, {}),
    ],
)
def test_what_tells_nothing_claims_nothing(make_study, study, how):
    """One record, one run, one intensity, or nothing that is decided."""
    fit = fit_fragility(make_study(**study), **how)
    assert np.isnan(fit["median_capacity"]) or study.get("per_record") == 400
    np.testing.assert_array_equal(fit["median_capacity_interval"], [0, np.inf])
    if "levels" in study:
        assert fit.attrs["fit"] == "one intensity: no curve to fit"
    if "undecided" in study:
        np.testing.assert_array_equal(fit["band"][:, 1:], [[0] * 210, [1] * 210])


def test_undecided_runs_alone_make_no_curve(make_study):
    fit = fit_fragility(make_study(median=1000.0, undecided=0.02))
    assert np.isnan(fit["median_capacity"])
    assert float(fit["median_capacity_interval"][1]) == np.inf


def test_too_few_records_to_resample(make_study):
    five, six = (fit_fragility(make_study(records=n, per_record=80, seed=2)) for n in (5, 6))
    assert five.attrs["method"] == "rising curves through exact intervals"
    assert six.attrs["method"] == "resampling"
    assert np.isfinite(five["median_capacity"])


def test_resamples_without_a_maximum_are_kept(make_study):
    """Eight records, two of which overturn: about a tenth of the resamples hold neither."""
    ds = make_study(records=8, levels=[1.0, 2.0, 3.0], median=6.0)
    ds["outcome"][:] = Outcome.AT_REST
    ds["outcome"][0::8, 2] = Outcome.OVERTURNED
    ds["outcome"][1::8, 1:] = Outcome.OVERTURNED
    fit = fit_fragility(ds)
    assert np.isfinite(fit["median_capacity"])
    assert float(fit["median_capacity_interval"][1]) == np.inf


@pytest.mark.parametrize("records", [22, 5])
def test_stripe_at_zero_intensity_is_left_out(make_study, records):
    ds = make_study(levels=(0.0, 1.0, 2.0, 3.0, 4.0, 5.0), records=records, per_record=80, seed=2)
    xr.testing.assert_identical(fit_fragility(ds), fit_fragility(ds.isel(intensity=slice(1, None))))


def test_a_stripe_without_runs_is_left_out(make_study):
    ds = make_study(levels=(1.0, 2.0, 3.0, 4.0, 5.0))
    for at in (0, 2, 4):
        part = ds.assign(outcome=ds["outcome"].copy(deep=True))
        part["outcome"][:, at] = Outcome.NOT_RUN
        fit = fit_fragility(part, allow_missing=True, grid=[0.5, 3.0, 6.0])
        without = fit_fragility(ds.drop_isel(intensity=at), grid=[0.5, 3.0, 6.0])
        xr.testing.assert_identical(fit.drop_attrs(), without.drop_attrs())
    part["outcome"][:, 1:] = Outcome.NOT_RUN
    assert fit_fragility(part, allow_missing=True).attrs["fit"] == "one intensity: no curve to fit"


def test_the_grid_holds_the_stripes_and_goes_beyond_them(make_study):
    fit = fit_fragility(make_study())
    grid = fit["intensity_grid"].values
    assert len(grid) == 1 + 200 + 10
    assert set(LEVELS) < set(grid)
    assert (grid[0], grid[1], grid[-1]) == pytest.approx((0.0, 0.5 / 8, 1.1 * 6.0))


def test_only_runs_that_start_at_rest_and_overturn_are_kept_from_it_by_sliding(make_study):
    ds = make_study(records=10, per_record=4)
    ds["body_slenderness"] = "realization", np.full(40, np.arctan(0.3))
    ds["contact_static_friction"] = "realization", np.repeat([0.2, 0.31, np.inf, np.nan], [9, 21, 5, 5])
    assert float(fit_fragility(ds)["only_slide"]) == pytest.approx(9 / 30)
    released = ds.assign(start_tilt_ratio=("realization", np.full(40, 0.1)))
    unknown = [ds.drop_vars(name) for name in ("body_slenderness", "contact_static_friction")]
    for other in (released, by_limit(ds, "peak_tilt_ratio", 0.5), *unknown):
        assert float(fit_fragility(other)["only_slide"]) == 0.0


STEP = 0.03  # of slopes: where few curves are left, the grid has some up to three steps of theirs away


def intervals(x, low, high):
    """Bounds of a probability at some intensities, in probits."""
    values = ("bound", "intensity"), np.stack([ndtr(low), ndtr(high)])
    return xr.Dataset({"interval": values}, coords={"intensity": x})


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 0, 1]])
@pytest.mark.parametrize(
    ("low", "high"),
    [
        ([-0.5, 0.0, 0.1], [-0.3, 0.2, 0.4]),
        ([-2.0, -0.4, 0.3], [-1.9, -0.2, 0.6]),
        ([0.1, 0.2, 0.3], [0.4, 2.0, 3.0]),
        ([-1.0, -1.0, -1.0], [1.0, 1.0, 1.0]),
    ],
)
def test_shape_bounds_are_those_of_all_curves(low, high, order):
    """Against all curves c + slope ln(x) of a grid that pass through the intervals of three intensities."""
    x = np.array([1.0, 2.0, 3.0])
    points = intervals(x[order], np.array(low)[order], np.array(high)[order])
    bounds = _shape_bounds(points, np.array([0.0, 0.5, 1.5, 2.0, 4.0]))
    slope, c = np.linspace(0.0, 4.0, 1001)[1:, None, None], np.linspace(-4.0, 4.0, 1001)[:, None]
    eta = c + slope * np.log(x)
    inside = ((eta >= low) & (eta <= high)).all(axis=-1)
    slopes, medians = np.broadcast_to(slope[..., 0], inside.shape)[inside], (-c / slope)[..., 0][inside]
    assert 1 / bounds[::-1, 1] == pytest.approx([slopes.min(), slopes.max()], abs=STEP)
    with np.errstate(divide="ignore"):
        lowest, highest = np.log(bounds[:, 0])
    assert lowest <= medians.min()
    assert medians.max() <= highest
    known = [0.5, 1.5, 2.0, 4.0]
    values = ndtr(c + slope * np.log(known))[inside]
    assert (bounds[0, 3:] <= values.min(axis=0)).all()
    assert (values.max(axis=0) <= bounds[1, 3:]).all()
    assert (bounds[:, 2] == 0).all()


def test_cloud_equals_the_bernoulli_likelihood(make_study):
    ds = make_study(cloud=True, per_record=200)
    x, fell = ds["intensity_value"].values, ds["outcome"].values == Outcome.OVERTURNED

    def cost(v):
        eta = np.log(x / np.exp(v[0])) / np.exp(v[1])
        return -np.sum(np.where(fell, log_ndtr(eta), log_ndtr(-eta)))

    expected = np.exp(minimize(cost, [1.0, -1.0], method="Nelder-Mead", options={"xatol": 1e-9}).x)
    fit = fit_fragility(ds)
    binning = 1e-3  # cells of width 0.02 in ln x: dispersion**2 is off by less than 0.02**2 / 12
    assert (float(fit["median_capacity"]), float(fit["dispersion"])) == pytest.approx(expected, rel=binning)
    assert fit.attrs["independent"] == "records"
    assert width(fit) > 2 * width(fit_fragility(ds, cluster=False))


def test_small_cloud_is_not_binned(make_study):
    ds = make_study(cloud=True, per_record=10)
    found = resampling.collect_units(ds, None, False).intensity
    np.testing.assert_array_equal(found, np.unique(ds["intensity_value"]))


def test_batches_hold_the_memory(make_study, monkeypatch):
    ds = make_study()
    monkeypatch.setattr(resampling, "BATCH", 2200)
    how = Bootstrap(resamples=50)
    sizes = [len(times) for times in resampling.draw_units(resampling.collect_units(ds, None, False), how)]
    assert max(sizes) <= 100
    assert sum(sizes) == 50
    assert np.isfinite(fit_fragility(ds)["median_capacity_interval"]).all()


def test_patterns_hold_every_realization(make_study):
    ds = make_study(undecided=0.02)
    units = resampling.collect_units(ds, None, False)
    assert units.number == 440
    points = overturning_probability(ds)
    stand, overturn, estimate = units.total(units.overturned)
    np.testing.assert_array_equal(stand, points["overturned"])
    np.testing.assert_array_equal(overturn - stand, points["undecided"])
    np.testing.assert_array_equal(estimate / units.total(units.runs), points["probability"])


def test_curve_is_the_lognormal_one(make_study):
    fit = fit_fragility(make_study(), grid=[0.0, 1.0, 3.0])
    eta = np.log([1.0, 3.0] / fit["median_capacity"].values) / fit["dispersion"].values
    np.testing.assert_allclose(fit["curve"], [0, *ndtr(eta)])
    assert fit.attrs["fit"] == WORDS[FitKind.MAXIMUM]


def test_arguments_are_checked(make_study):
    with pytest.raises(ValueError, match="grid must hold finite intensities"):
        fit_fragility(make_study(), grid=[2.0, 1.0])
    with pytest.raises(ValueError, match="needs intensities > 0"):
        fit_fragility(make_study(levels=[0.0]))
