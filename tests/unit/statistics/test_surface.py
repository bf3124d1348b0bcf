"""Fragility over two measures: exact recovery, another optimizer, invariances."""

import numpy as np
import pytest
import xarray as xr
from scipy.optimize import minimize
from scipy.special import ndtr
from scipy.stats import t

from mcrock.base.params import Outcome
from mcrock.statistics import by_measure, fit_fragility, fit_surface
from mcrock.statistics.likelihood import LINKS, PROBIT, fit_planes

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
    order = np.random.default_rng(1).permutation(ds.sizes["realization"])
    np.testing.assert_allclose(
        fit_surface(ds.isel(realization=order), ["pga", "pgv"])["coefficient"],
        found["coefficient"],
        rtol=1e-9,
    )


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
