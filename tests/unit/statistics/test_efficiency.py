"""Intensity measures of a cloud: the dataset by another one, and how much each tells about overturning."""

import numpy as np
import pytest
import xarray as xr

from mcrock.base.params import Outcome
from mcrock.show.curves import format_measures
from mcrock.show.text import label_intensities
from mcrock.statistics import (
    by_measure,
    compare_measures,
    exceedance_probability,
    fit_fragility,
    measures_of,
    overturning_probability,
)
from mcrock.statistics.accepted_curve import FAMILIES, accept_curve, accepted_family
from mcrock.statistics.goodness import by_isotonic, by_probit, held_out, record_units, rising_or_falling
from mcrock.statistics.intervals import Bootstrap
from mcrock.statistics.measures import _explained
from tests.unit.statistics.conftest import simulate_study

VELOCITY = {"units": "m s-1", "long_name": "peak ground velocity"}
ARIAS = {"units": "m s-1", "long_name": "Arias intensity"}


@pytest.fixture(scope="module")
def cloud():
    """A study by PGA with a noisy velocity, the PGA squared, and a duration that tells nothing."""
    ds = simulate_study(cloud=True, per_record=50)
    rng = np.random.default_rng(8)
    x = ds["intensity_value"].values
    ds["im_pgv"] = ("realization", 0.1 * x * np.exp(0.8 * rng.standard_normal(len(x))), VELOCITY)
    ds["im_arias"] = ("realization", x**2, ARIAS)
    ds["im_d5_95"] = ("realization", 10 * np.exp(0.4 * rng.standard_normal(len(x))), {"units": "s"})
    return ds.assign_attrs(config='{"intensity": {"measure": "pga"}, "motion": {"source": "files"}}')


def test_the_own_measure_comes_first(cloud, make_study):
    assert measures_of(cloud) == ["pga", "pgv", "arias", "d5_95"]
    assert measures_of(cloud.assign_attrs(config="")) == ["intensity", "pgv", "arias", "d5_95"]
    of_sa = '{"intensity": {"measure": "sa", "period": 0.5}}'
    assert measures_of(cloud.assign_attrs(config=of_sa))[0] == "sa_0p5s"
    assert measures_of(make_study()) == []


@pytest.mark.parametrize("name", ["arias", "im_arias"])
def test_a_dataset_by_another_measure_has_the_same_runs(cloud, name):
    """A curve over x squared has the median squared and twice the dispersion."""
    squared = by_measure(cloud, name)
    assert measures_of(squared) == ["arias", "pgv", "d5_95", "pga"]
    assert squared["intensity_value"].attrs == ARIAS
    of_x, of_square = fit_fragility(cloud), fit_fragility(squared)
    assert float(of_square["median_capacity"]) == pytest.approx(float(of_x["median_capacity"]) ** 2, rel=1e-3)
    assert float(of_square["dispersion"]) == pytest.approx(2 * float(of_x["dispersion"]), rel=1e-3)
    probability = overturning_probability(squared)
    assert probability["intensity"].attrs["long_name"] == "Arias intensity"
    np.testing.assert_array_equal(
        probability["probability"], overturning_probability(cloud)["probability"]
    )  # a rising measure has the same classes
    assert exceedance_probability(squared, 1.0)["intensity"].attrs["units"] == "m s-1"


def test_there_and_back(cloud):
    assert by_measure(cloud, "pga") is cloud
    back = by_measure(by_measure(cloud, "pgv"), "pga")
    assert measures_of(back)[0] == "pga"
    xr.testing.assert_equal(back[sorted(back.data_vars)], cloud[sorted(cloud.data_vars)])


def test_a_measure_that_is_not_there_is_refused(cloud, make_study):
    with pytest.raises(ValueError, match=r"no intensity measure 'pgd': it has pga, pgv, arias, d5_95; list"):
        by_measure(cloud, "pgd")
    with pytest.raises(ValueError, match="no intensity measure 'pgv': one with fixed levels"):
        by_measure(make_study(), "pgv")
    with pytest.raises(ValueError, match="compared in a cloud study"):
        compare_measures(make_study())


@pytest.fixture(scope="module")
def compared(cloud):
    return compare_measures(cloud, resamples=300)


def test_what_a_measure_explains(cloud, compared):
    """The axis of the capacities tells most, whatever its power; noise tells less, a stranger nothing."""
    found = compared
    explained = found["explained"].to_series()
    assert explained["pga"] == pytest.approx(explained["arias"], abs=1e-3)  # cells are cut differently
    assert explained["pga"] > 0.3 > explained["pgv"] > 0.05
    assert 0 <= explained["d5_95"] < 0.005
    first = found["first"].to_series()
    assert first["pga"] + first["arias"] == 1.0
    assert found["units"].values.tolist() == ["m s-2", "m s-1", "m s-1", "s"]
    fit = fit_fragility(by_measure(cloud, "pgv"))
    assert found.sel(measure="pgv")["median_capacity"] == fit["median_capacity"]
    assert found.attrs["independent"] == "records"
    assert int(found["records"]) == 22


def test_intervals_hold_for_independent_realizations_too(cloud, compared):
    found = compare_measures(cloud.drop_vars(["record", "motion_group"]), resamples=300)
    assert found.attrs["independent"] == "realizations"
    low, high = found["explained_interval"].values
    # records share most of the variance of their capacities, so that realizations alone spread less
    shared = compared["explained_interval"].values
    assert low[0] > shared[0, 0]
    assert high[0] < shared[1, 0]


def test_intervals_of_realizations_are_those_of_a_bootstrap_by_hand(make_study):
    ds = make_study(cloud=True, records=1, per_record=600, between=0.0).drop_vars(["record", "motion_group"])
    ds["im_pgv"] = ("realization", ds["intensity_value"].values ** 2, VELOCITY)
    low, high = compare_measures(ds)["explained_interval"].values[:, 0]
    times = np.random.default_rng(1).multinomial(600, np.full(600, 1 / 600), size=1000)  # each is drawn
    order = np.argsort(ds["intensity_value"].values)
    runs, yes = times[:, order], (times * (ds["outcome"].values == Outcome.OVERTURNED))[:, order]
    drawn = _explained(ds["intensity_value"].values[order], runs, yes)
    assert (high - low) / np.ptp(np.quantile(drawn, [0.025, 0.975])) == pytest.approx(1.0, abs=0.1)


def test_few_recordings_give_no_interval(make_study):
    ds = make_study(cloud=True, records=5, per_record=50)
    ds["im_pgv"] = ("realization", ds["intensity_value"].values, VELOCITY)
    found = compare_measures(ds)
    assert np.isfinite(found["explained"]).all()
    assert np.isnan(found["explained_interval"]).all()
    assert np.isnan(found["first"]).all()


def test_nothing_is_explained_where_nothing_overturns(make_study):
    ds = make_study(cloud=True)
    ds["im_pgv"] = ("realization", ds["intensity_value"].values, VELOCITY)
    found = compare_measures(ds.assign(outcome=xr.full_like(ds["outcome"], Outcome.AT_REST)))
    assert np.isnan(found["explained"]).all()
    assert np.isnan(found["median_capacity"]).all()


def test_share_of_the_deviance_by_hand():
    """Two intensities: the curve goes through both shares, so that the deviance left is theirs."""
    x, runs, yes = np.array([1.0, 2.0]), np.array([[10.0, 10.0]]), np.array([[2.0, 7.0]])

    def likelihood(k, n, p):
        return k * np.log(p) + (n - k) * np.log(1 - p)

    whole, left = likelihood(9, 20, 0.45), likelihood(2, 10, 0.2) + likelihood(7, 10, 0.7)
    assert _explained(x, runs, yes)[0] == pytest.approx(1 - left / whole, rel=1e-9)


def test_a_falling_curve_explains_as_much_as_a_rising_one(cloud):
    cloud = cloud.assign(im_tm=1.0 / cloud["im_pgv"])
    found = compare_measures(cloud, resamples=20)["explained"].to_series()
    assert found["tm"] == pytest.approx(found["pgv"], abs=2e-3)


@pytest.mark.parametrize(
    ("yes", "expected"), [([0, 10], 1.0), ([10, 0], 1.0), ([0, 0], np.nan), ([10, 10], np.nan), ([5, 5], 0.0)]
)
def test_share_of_the_deviance_at_the_ends(yes, expected):
    """A step up or down explains all, a level share nothing; of one outcome nothing is to be explained."""
    counts = np.array([yes], float)
    found = _explained(np.array([1.0, 2.0]), np.full((1, 2), 10.0), counts)
    np.testing.assert_allclose(found, [expected], atol=1e-12)


def test_measures_are_chosen_by_their_log_loss_on_records_left_out(cloud):
    """The measure of the capacities is best, its square as good, a noisy one worse, a duration useless."""
    found = compare_measures(cloud, resamples=20)
    losses = found["log_loss"]
    assert losses.sortby(losses)["measure"].values.tolist()[2:] == ["pgv", "d5_95"]
    assert float(losses.sel(measure="arias")) == pytest.approx(float(losses.sel(measure="pga")), abs=1e-4)
    difference, interval = found["log_loss_difference"], found["log_loss_difference_interval"]
    assert float(difference.min()) == pytest.approx(0, abs=1e-12)
    low, high = interval.sel(measure=["pgv", "d5_95"]).values
    assert (low > 0).all()
    assert (high > difference.sel(measure=["pgv", "d5_95"]).values).all()
    np.testing.assert_allclose(difference, losses - losses.min(), atol=1e-12)


@pytest.mark.parametrize(("share", "family"), [(1.0, "lognormal"), (0.6, "stripes")])
def test_each_measure_has_the_median_of_its_accepted_curve_and_all_one_family(cloud, share, family):
    """All were lognormal, also where that is rejected."""
    free = np.random.default_rng(1).random(cloud.sizes["realization"]) < share
    ds = cloud.assign(outcome=cloud["outcome"].where(free, Outcome.AT_REST).astype("i1"))
    ds = ds.drop_vars(["im_pgv", "im_d5_95"])
    found = compare_measures(ds, resamples=200)
    assert accepted_family(found) == family
    rule = by_probit if family == "lognormal" else rising_or_falling(by_isotonic)
    for name in ("pga", "arias"):
        one, runs = found.sel(measure=name), by_measure(ds, name)
        accepted = accept_curve(runs, Bootstrap(resamples=200))
        assert accepted_family(one) == accepted.choice.family == family
        assert float(one["accepted_reached"][-1]) == accepted.curve.reached(0.5)
        score = held_out(record_units(runs, False), rule)
        assert float(one["log_loss"]) == pytest.approx(score.log_loss.sum() / score.runs.sum(), rel=1e-9)
    half = label_intensities([float(one["accepted_reached"][-1])], one["units"].item())[0]
    text = "\n".join(format_measures(found))
    assert half in text
    assert (f"arias: {accepted.choice.words}, so go by the empirical fractions" in text) == (share < 1)
    assert f"by {FAMILIES[family].words} of every measure" in text


def test_a_measure_that_tells_nothing_scores_as_the_base_rate(cloud):
    found = compare_measures(cloud, resamples=20)
    share = float(found["overturned"][0] / found["runs"][0])
    entropy = -share * np.log(share) - (1 - share) * np.log(1 - share)
    assert float(found["log_loss"].sel(measure="d5_95")) == pytest.approx(entropy, abs=0.02)
