"""Fragility over two measures and sufficiency of one: exact recovery, other optimizers, known effects."""

from dataclasses import replace

import numpy as np
import pytest
import xarray as xr
from scipy.optimize import minimize
from scipy.special import ndtr
from scipy.stats import chi2, t

from mcrock.base.params import Outcome
from mcrock.show.curves import format_sufficiency
from mcrock.statistics import by_measure, fit_fragility, fit_surface, measure_sufficiency, with_measures
from mcrock.statistics.intervals import Confidence
from mcrock.statistics.likelihood import LINKS, PROBIT, fit_planes
from mcrock.statistics.sufficiency import ROCKED, _Demand, _overturning, _scatter
from mcrock.study.sampling import load_motions
from tests.unit.statistics.measured import measured_study

INTERCEPT, SLOPES = 0.4, np.array([1.5, 2.5])


def two_measures(records=40, per_record=100, slopes=SLOPES, between=0.0, seed=0):
    """Cloud in which ``F(c0 + c1 ln x1 + c2 ln x2)`` overturn, the records shifted by normal numbers."""
    rng = np.random.default_rng(seed)
    n = records * per_record
    record = np.arange(n) % records
    z = rng.normal(0, 0.6, (2, n))
    shift = between * rng.standard_normal(records)[record]
    fell = rng.random(n) < ndtr(INTERCEPT + slopes @ z + shift)
    return xr.Dataset(
        {
            "outcome": ("realization", np.where(fell, Outcome.OVERTURNED, Outcome.AT_REST).astype("i1")),
            "record": ("realization", record.astype("i4")),
            "intensity_value": ("realization", np.exp(z[0]), {"units": "m s-2", "long_name": "PGA"}),
            "im_pgv": ("realization", np.exp(z[1]), {"units": "m s-1", "long_name": "PGV"}),
        },
        attrs={"intensity_measure": "pga"},
    )


def test_known_coefficients_are_found_again():
    found = fit_surface(two_measures(), ["pga", "pgv"])
    np.testing.assert_allclose(found["coefficient"], SLOPES, rtol=0.1)  # 4000 runs: 4 % is one sigma
    assert float(found["intercept"]) == pytest.approx(INTERCEPT, abs=0.12)
    low, high = found["coefficient_interval"].values
    assert (low < SLOPES).all()
    assert (high > SLOPES).all()
    x, y = np.meshgrid(np.log(found["first"]), np.log(found["second"]), indexing="ij")
    truth = ndtr(INTERCEPT + SLOPES[0] * x + SLOPES[1] * y)
    inside = found["inside"].values
    assert 0.3 < inside.mean() < 0.95
    np.testing.assert_allclose(found["probability"].values[inside], truth[inside], atol=0.06)
    assert found["first"].attrs["units"] == "m s-2"


def test_the_second_measure_tells_more_only_if_it_does():
    both = fit_surface(two_measures(), ["pga", "pgv"])
    low, _ = both["log_loss_difference_interval"].sel(model=["first", "second"]).values
    assert (low > 0).all()
    one = fit_surface(two_measures(slopes=np.array([2.5, 0.0])), ["pga", "pgv"])
    low, high = one["log_loss_difference_interval"].sel(model="first").values
    assert low < 0 < high or high < 0  # a measure that tells nothing costs a little
    assert float(one["coefficient_interval"].sel(measure="pgv", bound="lower")) < 0
    assert float(one["coefficient_interval"].sel(measure="pgv", bound="upper")) > 0


def test_intervals_of_few_records_have_students_quantile():
    """Of 5 records: four degrees of freedom, whose quantiles grow with the level as no others do."""
    ds = two_measures(records=5, per_record=400)
    half, most = (
        np.ptp(fit_surface(ds, ["pga", "pgv"], level=level)["coefficient_interval"].values, axis=0)
        for level in (0.5, 0.95)
    )
    np.testing.assert_allclose(most / half, t.ppf(0.975, 4) / t.ppf(0.75, 4), rtol=1e-9)


def test_order_and_units_of_the_measures():
    ds = two_measures(per_record=30)
    found = fit_surface(ds, ["pga", "pgv"])
    turned = fit_surface(ds, ["pgv", "pga"])
    np.testing.assert_allclose(found["coefficient"], turned["coefficient"][::-1], rtol=1e-7)
    np.testing.assert_allclose(found["probability"], turned["probability"].values.T, atol=1e-9)
    in_cm = ds.assign(im_pgv=100 * ds["im_pgv"])
    scaled = fit_surface(in_cm, ["pga", "pgv"])
    np.testing.assert_allclose(found["coefficient"], scaled["coefficient"], rtol=1e-7)
    np.testing.assert_allclose(found["log_loss"], scaled["log_loss"], rtol=1e-9)


@pytest.mark.parametrize("link", LINKS.values(), ids=LINKS)
def test_the_maximum_is_that_of_another_optimizer(link):
    rng = np.random.default_rng(3)
    x = np.stack([np.ones(30), *rng.normal(size=(2, 30))])
    runs = rng.integers(5, 40, 30).astype(float)
    yes = rng.binomial(runs.astype(int), link.cdf(np.array([0.2, 1.0, -0.7]) @ x)).astype(float)

    def loss(c):
        return -(yes * link.log_cdf(c @ x) + (runs - yes) * link.log_cdf(-(c @ x))).sum()

    best = minimize(loss, np.zeros(3), tol=1e-12).x
    np.testing.assert_allclose(fit_planes(x, yes[None], runs[None], link)[0], best, atol=2e-5)


def test_along_one_measure_it_is_the_lognormal_curve():
    """A surface of a single column is the curve of that measure."""
    ds = two_measures(per_record=30)
    curve = fit_fragility(by_measure(ds, "pgv"), resamples=5)
    x = np.stack([np.ones(ds.sizes["realization"]), np.log(ds["im_pgv"].values)])
    fell = (ds["outcome"].values == Outcome.OVERTURNED).astype(float)
    a, b = fit_planes(x, fell[None], np.ones((1, len(fell))), PROBIT)[0]
    assert np.exp(-a / b) == pytest.approx(float(curve["median_capacity"]), rel=1e-3)  # cells of the curve
    assert 1 / b == pytest.approx(float(curve["dispersion"]), rel=1e-3)


def test_nothing_overturned_or_no_pair(make_study):
    ds = two_measures(per_record=5)
    none = fit_surface(ds.assign(outcome=ds["outcome"] * 0 + Outcome.AT_REST), ["pga", "pgv"])
    assert np.isnan(none["coefficient"]).all()
    with pytest.raises(ValueError, match="over two different measures"):
        fit_surface(ds, ["pga", "pga"])
    with pytest.raises(ValueError, match="needs a cloud with both measures"):
        fit_surface(make_study(), ["pga", "pgv"])


PAIR = ["intensity={ measure = 'pga', levels = [1.0, 2.5] }"]


def records(number=12, runs=30, seed=0):
    """Record of each run, a measure of each run and a property of each record, both as logarithms."""
    rng = np.random.default_rng(seed)
    record = np.arange(number * runs) % number
    return rng, record, rng.normal(0, 0.6, number * runs), rng.standard_normal(number)[record]


def test_demands_without_scatter_give_their_coefficients():
    _, record, x, z = records()
    demand = _Demand(-1.0 + 2.0 * x - 0.5 * z, np.ones(len(x), bool), record)
    found = demand.fit([x, z], 0.95)
    np.testing.assert_allclose(found.value[1:3], [2.0, -0.5], rtol=1e-9)
    assert found.value[-2] < 1e-6
    assert demand.fit([x, x], 0.95).p_value.shape == (5,)  # the same measure twice: no coefficients
    assert np.isnan(demand.fit([x, x], 0.95).value).all()
    few = _Demand(demand.value, record < 3, record)
    assert np.isnan(
        few._replace(value=x[record < 3], record=record[record < 3]).fit([x, z], 0.95).value
    ).all()


def test_intervals_are_of_least_squares_without_each_record():
    rng, record, x, z = records()
    y = 0.3 + 1.5 * x + 0.2 * z + 0.4 * rng.standard_normal(12)[record] + 0.3 * rng.standard_normal(len(x))
    found = _Demand(y, np.ones(len(x), bool), record).fit([x, z], 0.9)
    columns = np.stack([np.ones(len(x)), x, z], axis=1)
    left = y - columns @ np.linalg.lstsq(columns, y)[0]
    assert found.value[-2] == pytest.approx(np.sqrt((left**2).sum() / (len(x) - 3)), rel=1e-9)
    every = [np.linalg.lstsq(columns[keep], y[keep])[0] for keep in (record != i for i in range(-1, 12))]
    error = np.sqrt(11 / 12 * ((np.array(every[1:]) - np.mean(every[1:], axis=0)) ** 2).sum(axis=0))
    np.testing.assert_allclose(found.value[1:3], every[0][1:], rtol=1e-9)
    np.testing.assert_allclose((found.ends[1] - found.value)[1:3], t.ppf(0.95, 9) * error[1:], rtol=1e-9)
    np.testing.assert_allclose(found.p_value[1:3], 2 * t.sf(np.abs(every[0][1:]) / error[1:], 9), rtol=1e-9)
    assert found.value[-1] == pytest.approx(found.value[-2] / found.value[1])


def test_the_interval_of_the_scatter_holds_the_sum_of_that_between_and_within_recordings():
    """Of equal numbers of runs it is by hand; with one run each it is the chi-squared interval."""
    residual = np.array([[1.0, 2.0, 3.0], [-2.0, -1.0, 0.0], [0.0, -1.0, -2.0], [1.0, 0.0, -1.0]])
    found = np.exp(2 * _scatter(residual.ravel(), np.repeat(np.arange(4), 3), 2, 0.9))
    assert found[0] == pytest.approx(residual.mean(axis=1).var(ddof=1) + 2 / 3 * 1.0)
    assert found[1] < found[0] < found[2]
    alone = np.exp(2 * _scatter(residual[:, 0], np.arange(4), 2, 0.9))
    total = 3 * residual[:, 0].var(ddof=1)
    np.testing.assert_allclose(alone, [total / 3, *(total / chi2.ppf([0.95, 0.05], 3))], rtol=1e-9)


def test_effects_on_overturning_are_those_of_the_surface():
    ds = two_measures(records=12, per_record=40, between=0.3)
    surface = fit_surface(ds, ["pga", "pgv"])
    found = _overturning(
        ds, [np.log(ds["intensity_value"].values), np.log(ds["im_pgv"].values)], Confidence()
    )
    np.testing.assert_allclose(found.value[1:], surface["coefficient"], rtol=1e-9)
    np.testing.assert_allclose(found.ends[:, 1:], surface["coefficient_interval"], rtol=1e-9)
    assert np.isnan(
        _overturning(ds.isel(realization=ds["record"] < 3), [np.zeros(120)] * 2, Confidence()).value
    ).all()


@pytest.fixture(scope="module")
def study():
    """A study at levels with peaks of tilt that follow PGV and, beyond it, the duration."""
    ds, _, _ = measured_study(PAIR, overturned=lambda inputs: np.abs(inputs.scale) > 2.5)
    runs = with_measures(ds, ["pgv", "d5_95"])
    tilt = np.exp(np.log(runs["im_pgv"].values) - 0.3 * np.log(runs["im_d5_95"].values)).reshape(
        ds["outcome"].shape
    )
    return ds.assign(peak_tilt_ratio=(ds["outcome"].dims, tilt))


def test_what_a_property_tells_beyond_a_measure_is_found(study):
    found = measure_sufficiency(study, ["pga", "pgv", "uplift_ratio"])
    assert found["measure"].values.tolist() == ["pga", "pgv", "uplift_ratio"]
    names = ["ln(d5_95)", "ln(tm)", "magnitude", "ln(distance_rupture)"]  # records of FEMA P695 have the last
    assert found["property"].values.tolist() == names
    stood = (study["outcome"] == Outcome.AT_REST) & (study["peak_tilt_ratio"] >= ROCKED)
    assert int(found["demands"]) == int(stood.sum()) > 20
    one = found.sel(measure="pgv", property="ln(d5_95)")
    assert float(one["demand_effect"]) == pytest.approx(-0.3, abs=1e-6)
    assert float(one["demand_p_value"]) < 1e-6
    names = found["predictor"].values.tolist()
    assert {"pga", "pgv", "uplift_ratio", "pga, pgv"} <= set(names)
    assert "pga, uplift_ratio" not in names  # of one body they are one measure
    text = "\n".join(format_sufficiency(found))
    assert "of 24 tests 1.2 are below 0.05 by chance" in text


def test_a_pulse_is_a_property_where_the_set_names_pulses(study, monkeypatch):
    def named(config):
        motions = load_motions(config)
        facts = [each.metadata | ({"pulse_period": 2.0} if i % 2 else {}) for i, each in enumerate(motions)]
        return [replace(each, metadata=new) for each, new in zip(motions, facts, strict=True)]

    monkeypatch.setattr("mcrock.statistics.sufficiency.load_motions", named)
    assert "pulse" in measure_sufficiency(study, ["pga"])["property"]


def test_what_is_needed(study):
    with pytest.raises(ValueError, match="sufficiency needs the response peak_tilt_ratio"):
        measure_sufficiency(study.drop_vars("peak_tilt_ratio"), ["pga"])


@pytest.mark.slow
@pytest.mark.parametrize("least", [6, 15, 35])
def test_a_property_without_effect_is_taken_for_one_in_5_of_100(least):
    """Records of random number, 0 to 0.95 of the variance between them: p-values and intervals."""
    rng, found = np.random.default_rng(least), []
    for _ in range(600):
        number = int(rng.integers(least, int(2.3 * least)))
        record = np.repeat(np.arange(number), rng.integers(5, 41, number))
        n, shared = len(record), rng.uniform(0, 0.95)
        x, z = rng.normal(0, rng.uniform(0.3, 1.0), n), rng.standard_normal(number)[record]
        x += rng.choice([0.0, 0.4]) * rng.standard_normal(number)[record]
        noise = np.sqrt(shared) * rng.standard_normal(number)[record] + np.sqrt(
            1 - shared
        ) * rng.standard_normal(n)
        sigma, slope = rng.uniform(0.3, 0.6), rng.uniform(0.5, 2.5)
        demand = _Demand(slope * x + sigma * noise, np.ones(n, bool), record)
        beside, alone = demand.fit([x, z], 0.95), demand.fit([x], 0.95)
        fell = x / sigma + noise > rng.uniform(-1, 1)
        ds = xr.Dataset(
            {
                "outcome": ("realization", np.where(fell, Outcome.OVERTURNED, Outcome.AT_REST).astype("i1")),
                "record": ("realization", record.astype("i4")),
                "intensity_value": ("realization", np.exp(x), {"units": "m s-2"}),
            },
            attrs={"intensity_measure": "pga"},
        )
        over = _overturning(ds, [x, z], Confidence())
        truth = [slope, sigma, sigma / slope]
        held = (alone.ends[0, 1:] <= truth) & (truth <= alone.ends[1, 1:])
        assert ((alone.ends[0, 1:3] < alone.value[1:3]) & (alone.value[1:3] < alone.ends[1, 1:3])).all()
        known = over.p_value[2] < 0.05 if np.isfinite(over.p_value[2]) else np.nan
        held = np.where(np.isfinite(alone.value[1:]), held, np.nan)
        found.append([beside.p_value[2] < 0.05, known, *held])
    shares = np.nanmean(np.array(found, float), axis=0)
    words = "false: demand, overturning; held: slope, scatter, proficiency"
    print(least, words, shares.round(3), np.isnan(found).sum(axis=0))
    error = np.sqrt(0.05 * 0.95 / 600)
    assert (shares[:2] < 0.05 + 4 * error).all()
    assert (shares[2:] > 0.95 - 4 * error).all()
