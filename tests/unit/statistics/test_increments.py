"""Fragility from brackets of capacities: against another optimizer, closed forms, invariances."""

import numpy as np
import pytest
import xarray as xr
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import CensoredData, norm

from mcrock.base.params import Outcome
from mcrock.statistics import fit_capacities, fit_fragility
from mcrock.statistics.increments import _derivatives, _fit, _log_likelihood
from mcrock.statistics.probit import LINKS, PROBIT

FEW = {"resamples": 60}
both = pytest.mark.parametrize("link", LINKS.values(), ids=LINKS)


@both
def test_derivatives(link):
    rng = np.random.default_rng(1)
    z, counts = np.linspace(-1, 1.2, 5), rng.integers(0, 20, (3, 6)).astype(float)
    a, b, h = rng.normal(size=3), rng.uniform(0.5, 3, 3), 1e-5
    gradient, bend = _derivatives(a, b, z, counts, link)

    def value(da, db):
        return _log_likelihood(a + da, b + db, z, counts, link)

    np.testing.assert_allclose(gradient[0], (value(h, 0) - value(-h, 0)) / (2 * h), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(gradient[1], (value(0, h) - value(0, -h)) / (2 * h), rtol=1e-6, atol=1e-6)
    slopes = [
        _derivatives(a + da, b + db, z, counts, link)[0] for da, db in ((h, 0), (-h, 0), (0, h), (0, -h))
    ]
    np.testing.assert_allclose(bend[:, 0], -(slopes[0] - slopes[1]) / (2 * h), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(bend[:, 1], -(slopes[2] - slopes[3]) / (2 * h), rtol=1e-5, atol=1e-5)


def test_scipys_fit_of_censored_data_finds_the_same():
    rng = np.random.default_rng(2)
    level = np.array([0.5, 0.8, 1.1, 1.5])
    capacity = np.exp(0.4 * rng.standard_normal(300))
    place = np.searchsorted(level, capacity)
    counts = np.bincount(place, minlength=5).astype(float)
    edges = np.concatenate([[-np.inf], np.log(level), [np.inf]])
    data = CensoredData(
        left=np.repeat(edges[1], counts[0]),
        right=np.repeat(edges[-2], counts[-1]),
        interval=np.stack([edges[place], edges[place + 1]], axis=1)[(place > 0) & (place < 4)],
    )
    location, scale = norm.fit(data)
    found = _fit(level, counts[None], PROBIT)[0]
    np.testing.assert_allclose(found, [location, np.log(scale)], atol=2e-4)  # of its Nelder-Mead


@both
def test_exact_fractions_give_the_distribution_back(link):
    """Brackets filled by the probabilities of a distribution are the most likely with just that one."""
    level = np.geomspace(0.3, 4, 9)
    share = link.cdf((np.log(level) - 0.2) / 0.35)
    found = _fit(level, np.diff(np.concatenate([[0.0], share, [1.0]]))[None], link)[0]
    np.testing.assert_allclose(found, [0.2, np.log(0.35)], atol=1e-6)


def test_known_capacities_are_found_again(make_study):
    ds = make_study(records=400, levels=np.geomspace(0.8, 8, 12))
    found = fit_capacities(ds, **FEW)
    assert float(found["median_capacity"]) == pytest.approx(3.0, rel=0.05)  # 400 records: 2 % is one sigma
    assert float(found["dispersion"]) == pytest.approx(np.hypot(0.35, 0.25), rel=0.08)
    assert int(found["resurrected"]) == 0


def test_truncated_analysis(make_study):
    """Levels that only a part of the bodies fails at; the median lies beyond them."""
    ds = make_study(records=400, levels=np.linspace(0.5, 2.5, 9))
    found = fit_capacities(ds, **FEW)
    assert float(found["capacity"][-1]) > 0.6 * ds.sizes["realization"]
    assert float(found["bracket_high"][-1]) == np.inf
    assert float(found["median_capacity"]) == pytest.approx(3.0, rel=0.1)


def test_unit_of_the_intensity_and_order_change_nothing(make_study):
    ds = make_study(undecided=0.02)
    found = fit_capacities(ds, **FEW)
    scaled = fit_capacities(ds.assign_coords(intensity=10 * ds["intensity"]), **FEW)
    for name, factor in (("median_capacity", 10), ("dispersion", 1)):
        assert float(scaled[name]) == pytest.approx(factor * float(found[name]), rel=1e-6)
        np.testing.assert_allclose(scaled[f"{name}_interval"], factor * found[f"{name}_interval"], rtol=1e-5)
    order = np.random.default_rng(0).permutation(ds.sizes["realization"])
    xr.testing.assert_allclose(fit_capacities(ds.isel(realization=order), **FEW), found, rtol=1e-6)


def test_intervals_hold_the_estimate_and_that_of_the_runs(make_study):
    ds = make_study()
    brackets, runs = fit_capacities(ds, resamples=400), fit_fragility(ds, resamples=400)
    for name in ("median_capacity", "dispersion"):
        low, high = brackets[f"{name}_interval"].values
        assert low < float(brackets[name]) < high
        assert low < float(runs[name]) < high


def test_undecided_runs_count_both_ways(make_study):
    decided, doubtful = make_study(), make_study()
    doubtful["outcome"][:40, 4] = Outcome.ROCKING
    ends = [fit_capacities(ds, **FEW)["median_capacity_interval"].values for ds in (decided, doubtful)]
    assert ends[1][1] - ends[1][0] > ends[0][1] - ends[0][0]
    half = fit_capacities(doubtful, **FEW)["capacity"].values
    assert half.sum() == doubtful.sizes["realization"]


def test_without_records_each_realization_is_independent(make_study):
    ds = make_study()
    alone, together = fit_capacities(ds, cluster=False, **FEW), fit_capacities(ds, **FEW)
    assert float(alone["median_capacity"]) == pytest.approx(float(together["median_capacity"]), rel=1e-9)
    widths = [np.diff(found["median_capacity_interval"].values) for found in (alone, together)]
    assert widths[0] < widths[1]


def test_capacities_in_two_neighbouring_brackets_have_no_distribution(make_study):
    ds = make_study()
    step = np.where(ds["intensity"].values > 3, Outcome.OVERTURNED, Outcome.AT_REST)
    ds["outcome"][:] = np.broadcast_to(step, ds["outcome"].shape)
    found = fit_capacities(ds, **FEW)
    assert np.isnan(float(found["median_capacity"]))
    assert np.isnan(found["dispersion_interval"]).all()


def test_a_cloud_has_no_increments(make_study):
    with pytest.raises(ValueError, match="two levels or more"):
        fit_capacities(make_study(cloud=True))


@given(counts=st.lists(st.integers(0, 50), min_size=6, max_size=6))
def test_capacities_that_tell_no_curve_are_none(counts):
    """Nearly all below or beyond the levels: a median of e**1e10 or 0 is no estimate."""
    assume(sum(counts) > 0)
    found = _fit(np.array([1.0, 2.0, 3.0, 4.0, 6.0]), np.array([counts], float), PROBIT)[0]
    assert np.isnan(found).all() or (found[1] < np.log(10) and np.isfinite(np.exp(found)).all())
    if not any(counts[1:-1]):
        assert np.isnan(found).all()
