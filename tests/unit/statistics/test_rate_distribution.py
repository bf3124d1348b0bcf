"""One distribution of the annual rate: closed forms of a power-law hazard, shares, survival."""

import numpy as np
import pytest
import xarray as xr
from scipy.special import ndtr

from mcrock.statistics import annual_rate, fit_fragility
from mcrock.statistics.rate_distribution import SOURCES, hazard_strata, rate_distribution
from mcrock.text.risk import format_distribution
from tests.unit.statistics.nested import nested_study
from tests.unit.statistics.test_risk import K0, SLOPE, power_law

SCORES = {"0.05": -1.6448536, "0.16": -0.9944579, "0.5": 0.0, "0.84": 0.9944579, "0.95": 1.6448536}


def spread_hazard(sigma):
    """A power law with lognormal fractiles of this standard deviation, and its mean."""
    plain = power_law()
    factors = {"mean": np.exp(sigma**2 / 2)} | {q: np.exp(sigma * z) for q, z in SCORES.items()}
    rate = np.stack([f * plain["rate"].sel(hazard="mean").values for f in factors.values()])
    return xr.Dataset(
        {"rate": (("hazard", "hazard_intensity"), rate, {"units": "1/a"})},
        coords={"hazard": list(factors), "hazard_intensity": plain["hazard_intensity"]},
        attrs=plain.attrs,
    )


def test_a_hazard_alone_is_its_mean(make_study):
    assert hazard_strata(power_law()).shape == (1, 60)
    sigma = 0.6
    strata = np.log(hazard_strata(spread_hazard(sigma))[:, 0])
    assert strata.std() == pytest.approx(sigma, rel=0.03)  # of 20 strata


def test_the_users_own_dispersion_has_the_closed_form(make_study):
    """With H = k0 x**-k the rate moves by exp(k beta_u z): its logarithm by k beta_u."""
    ds = make_study(records=400, per_record=5)
    plain, wide = (rate_distribution(ds, power_law(), beta_u=b, resamples=200) for b in (0.0, 0.4))
    sampling = float(plain["log_rate_deviation"])
    expected = np.hypot(SLOPE * 0.4, sampling)
    assert float(wide["log_rate_deviation"]) == pytest.approx(expected, rel=0.04)
    shares = dict(zip(SOURCES, wide["variance_share"].values, strict=True))
    assert shares["beta_u"] == pytest.approx((SLOPE * 0.4 / expected) ** 2, abs=0.03)
    assert sum(shares.values()) == pytest.approx(1)
    assert shares["hazard"] == shares["epistemic"] == 0


def test_shares_of_the_hazard_and_the_records(make_study):
    ds, sigma = make_study(), 0.5
    found = rate_distribution(ds, spread_hazard(sigma), resamples=400)
    shares = dict(zip(SOURCES, found["variance_share"].values, strict=True))
    records = rate_distribution(ds, power_law(), resamples=400)["log_rate_deviation"]
    assert shares["hazard"] == pytest.approx(sigma**2 / (sigma**2 + float(records) ** 2), rel=0.12)
    low, middle, high = found["rate_fractile"].values[[0, 2, 4]]
    assert low < middle < float(found["rate_mean"]) < high
    mean = float(annual_rate(ds, spread_hazard(sigma))["rate"].sel(fragility="lognormal", hazard="mean"))
    assert float(found["rate_mean"]) == pytest.approx(mean, rel=0.15)


def test_the_power_law_at_the_middle_of_the_disaggregation(make_study):
    ds = make_study()
    found, fit = rate_distribution(ds, power_law(), resamples=50), fit_fragility(ds)
    assert float(found["hazard_slope"]) == pytest.approx(SLOPE)
    assert float(found["hazard_factor"]) == pytest.approx(K0)
    median, beta = float(fit["median_capacity"]), float(fit["dispersion"])
    closed = K0 * median**-SLOPE * np.exp((SLOPE * beta) ** 2 / 2)
    assert float(found["closed_form"]) == pytest.approx(closed)
    grid = np.geomspace(1e-3, 1e4, 400_001)
    density = ndtr(np.log(grid / median) / beta) * grid**-SLOPE  # of F |dH| over ln(x)
    parts = np.cumsum(density) / density.sum()
    expected = np.interp([0.05, 0.5, 0.95], parts, grid)
    np.testing.assert_allclose(found["part_intensity"], expected, rtol=0.02)


def test_survival_is_averaged_over_the_hazard(make_study):
    """The mean rate rejects a hazard too often: E exp(-rate T) > exp(-E rate T)."""
    ds, age = make_study(), 2000.0
    found = rate_distribution(ds, spread_hazard(1.0), age=age, resamples=200)
    at_mean = np.exp(-float(found["rate_mean"]) * age)
    low, high = found["survival_interval"].values
    assert at_mean < float(found["survival"])
    assert low <= float(found["survival"]) <= high
    text = "\n".join(format_distribution(found, "m s-2", age))
    assert "A body that has stood for 2000 years: " in text
    assert "over 20 hazard curves of equal weight" in text
    assert "nan" not in text
    with pytest.raises(ValueError, match="age must be finite"):
        rate_distribution(ds, power_law(), age=-1.0)


def test_a_nested_study_has_an_epistemic_share_and_no_curve_has_none(make_study):
    ds = nested_study(unknown=0.3)
    found = rate_distribution(ds, power_law(), resamples=100)
    assert found["variance_share"].sel(source="epistemic") > 0.1
    assert (found["p_value"] > 0).all()
    assert "rank correlation of the rate" in "\n".join(format_distribution(found, "m s-2"))
    none = rate_distribution(make_study(median=1000.0), power_law(), resamples=20)
    assert none["rate_fractile"].isnull().all()
    assert np.isnan(none["rate_mean"])
