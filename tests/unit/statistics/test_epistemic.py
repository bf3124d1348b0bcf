"""Nested studies: components of the variance against known ones, and what epistemic draws do to results."""

from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtri
from scipy.stats import t

from mcrock.base.params import Outcome
from mcrock.plots import plot_probability_box, plot_variance_shares
from mcrock.statistics import (
    epistemic_bounds,
    epistemic_fragility,
    epistemic_probability,
    overturning_probability,
    pooled,
    variance_shares,
)
from mcrock.statistics.epistemic import components_of, covariance_between_records, jackknifed, sums_of
from mcrock.statistics.probability import read_crossed, unknown_inputs
from tests.unit.statistics.nested import crossed_of, draw_scores, nested_study, true_components


def components(yes, starts=None):
    return components_of(sums_of(crossed_of(yes, starts)), has_records=True)[:, 0]


def draw(seed, draws=6, records=5, per_record=4):
    return draw_scores(np.random.default_rng(seed), draws, records, per_record) > 0


def mean_squares(y):
    """Of the balanced design (n_outer, n_record, n_realization), realizations nested in records."""
    K, R, m = y.shape
    k, r, i = y.mean((1, 2)), y.mean((0, 2)), y.mean(0)
    kr, mean = y.mean(2), y.mean()
    off = y - kr[:, :, None] - i[None] + r[None, :, None]
    return {
        "k": R * m * ((k - mean) ** 2).sum() / (K - 1),
        "r": K * m * ((r - mean) ** 2).sum() / (R - 1),
        "kr": m * ((kr - k[:, None] - r + mean) ** 2).sum() / ((K - 1) * (R - 1)),
        "i": K * ((i - r[:, None]) ** 2).sum() / (R * (m - 1)),
        "ki": (off**2).sum() / ((K - 1) * R * (m - 1)),
    }


@pytest.mark.parametrize("seed", range(4))
def test_balanced_components_are_those_of_the_analysis_of_variance(seed):
    y = draw(seed).astype(float)
    K, R, m = y.shape
    ms = mean_squares(y)
    expected = [
        (ms["k"] - ms["kr"]) / (R * m),
        (ms["r"] - ms["i"] - ms["kr"] + ms["ki"]) / (K * m),
        (ms["i"] - ms["ki"]) / K,
        (ms["kr"] - ms["ki"]) / m,
        ms["ki"],
    ]
    np.testing.assert_allclose(components(y)[:5], expected, atol=1e-12)


def by_pairs(y, starts):
    """Means of products over all pairs of each kind, by loops."""
    K, n = y.shape
    record = np.searchsorted(starts, np.arange(n), side="right")
    found = {name: [] for name in "qabcde"}
    for (k, i), (h, j) in product(product(range(K), range(n)), repeat=2):
        same_draw, same, near = k == h, i == j, record[i] == record[j]
        name = {
            (True, True, True): "q",
            (False, True, True): "a",
            (True, False, True): "b",
            (False, False, True): "c",
            (True, False, False): "d",
            (False, False, False): "e",
        }[same_draw, same, near]
        found[name].append(y[k, i] * y[h, j])
    q, a, b, c, d, e = (np.mean(values) for values in found.values())
    return np.array([d - e, c - e, a - c, b - c - d + e, q - a - b + c, q - e])


def test_records_of_unequal_size_count_by_pairs():
    rng, starts = np.random.default_rng(3), [0, 2, 3, 7]
    y = (rng.random((4, 9)) < 0.4).astype(float)
    np.testing.assert_allclose(components(y, starts), by_pairs(y, starts), atol=1e-12)
    y[1, 4] = 0.5  # a run that broke off
    np.testing.assert_allclose(components(y, starts), by_pairs(y, starts), atol=1e-12)


@given(st.integers(0, 10**6))
def test_components_add_up_and_do_not_depend_on_the_order(seed):
    rng, y = np.random.default_rng(seed), draw(seed)
    found = components(y)
    assert found[:5].sum() == pytest.approx(found[5], abs=1e-12)
    mixed = y[rng.permutation(len(y))][:, rng.permutation(y.shape[1])][:, :, rng.permutation(y.shape[2])]
    np.testing.assert_allclose(components(mixed), found, atol=1e-12)
    np.testing.assert_allclose(components(~y), found, atol=1e-12)  # survival has the variance of overturning


@pytest.mark.parametrize(("source", "axes"), [(0, (1, 2)), (1, (0, 2))])
def test_a_source_alone_has_all_the_variance(source, axes):
    """Outcomes that hang on the draw alone, or on the record alone."""
    size = (6, 8, 4)
    yes = np.arange(size[source]) % 2 == 0
    found = components(np.broadcast_to(np.expand_dims(yes, axes), size))
    n = size[source]
    expected = np.zeros(5)
    expected[source] = 0.25 * n / (n - 1)  # sample variance without bias
    np.testing.assert_allclose(found[:5], expected, atol=1e-12)


@pytest.mark.parametrize("probability", [0.16, 0.5])
def test_components_of_a_known_model_have_no_bias(probability):
    """4000 studies: the mean of each component is within 4 standard errors, and those are below 5 %."""
    rng, limit = np.random.default_rng(1), ndtri(probability)
    found = np.array([components(draw_scores(rng, 8, 7, 3) < limit) for _ in range(4000)])
    true, error = true_components(probability), found.std(axis=0) / np.sqrt(len(found))
    assert (error < 0.05 * true).all()
    assert (np.abs(found.mean(axis=0) - true) < 4 * error).all()


def test_what_records_share_is_the_first_component():
    y = draw(5)
    found = covariance_between_records(y.mean(axis=2), np.ones(5))
    assert float(found) == pytest.approx(components(y)[0], abs=1e-14)


def test_what_records_share_is_found_at_each_intensity():
    values, weights = np.random.default_rng(8).normal(size=(6, 5, 3, 2)), np.array([1.0, 4.0, 2.0, 3.0, 2.0])
    found = covariance_between_records(values, weights)
    assert found.shape == (3, 2)
    for at in product(range(3), range(2)):
        own = values[:, :, *at]
        between = np.cov(own, rowvar=False)  # of two records over the draws
        pairs = np.outer(weights, weights)
        np.fill_diagonal(pairs, 0.0)
        assert found[at] == pytest.approx((pairs * between).sum() / pairs.sum(), abs=1e-14)


def test_left_out_are_the_components_of_the_rest():
    y = draw(6)
    records, draws = jackknifed(sums_of(crossed_of(y)), has_records=True)
    for r in range(y.shape[1]):
        np.testing.assert_allclose(records[r, :, 0], components(np.delete(y, r, axis=1)), atol=1e-12)
    for k in range(len(y)):
        np.testing.assert_allclose(draws[k, :, 0], components(np.delete(y, k, axis=0)), atol=1e-12)


def test_without_records_realizations_stand_for_them():
    y = draw(7)
    crossed = crossed_of(y.reshape(6, 20, 1))
    found = components_of(sums_of(crossed), has_records=False)[:, 0]
    assert np.isnan(found[[2, 4]]).all()
    assert np.nansum(found[:5]) == pytest.approx(found[5])
    two = mean_squares(np.repeat(y.reshape(6, 20, 1), 2, axis=2).astype(float))  # m = 2 copies
    assert found[0] == pytest.approx((two["k"] - two["kr"]) / 40)


def test_with_one_realization_in_each_record_those_within_are_not_known():
    y = draw(7).reshape(6, 20, 1)
    np.testing.assert_array_equal(
        components(y), components_of(sums_of(crossed_of(y)), has_records=False)[:, 0]
    )


ALL = [variance_shares, epistemic_probability, epistemic_fragility, epistemic_bounds]


@pytest.fixture(scope="module")
def study():
    return nested_study()


def test_pooled_runs_are_those_of_all_draws(study):
    flat = pooled(study)
    assert dict(flat.sizes) == {"realization": 720, "intensity": 5, "motion": 10}
    for k in (0, 7):
        rows = flat.isel(realization=slice(60 * k, 60 * (k + 1)))
        for name in ("outcome", "record", "azimuth", "impact_lambda"):
            np.testing.assert_array_equal(rows[name], study[name][k])
    table = overturning_probability(flat)
    fell = (study["outcome"] == Outcome.OVERTURNED).mean(("outer", "realization"))
    np.testing.assert_allclose(table["probability"], fell)
    assert int(table["records"]) == 10
    xr.testing.assert_identical(pooled(flat), flat)


def test_unknown_inputs_are_one_number_for_each_draw(study):
    assert list(unknown_inputs(study)) == ["impact_lambda"]


def test_shares_add_up_and_total_is_first_order_and_interactions(study):
    found = variance_shares(study).sel(intensity=[2.0, 3.0, 4.5])
    assert (found["share"] >= 0).all()
    none_clipped = (found["share"] > 0).all("component")
    np.testing.assert_allclose(found["share"].sum("component").where(none_clipped, 1), 1, atol=1e-12)
    parts = (
        found["share"].sel(component=["epistemic", "epistemic_record", "epistemic_within"]).sum("component")
    )
    np.testing.assert_allclose(parts.where(none_clipped, found["total"]), found["total"], atol=1e-12)
    assert (found["first_order"] < found["total"]).all()
    assert (found["deviation"] < found["naive_deviation"]).all()


def test_shares_of_runs_that_all_ended_alike_are_not_known(study):
    found = variance_shares(study.assign(outcome=study["outcome"] * 0 + Outcome.AT_REST))
    for name in ("share", "first_order", "total", "first_order_interval", "total_interval"):
        assert found[name].isnull().all()
    assert (found["deviation"] == 0).all()


@pytest.mark.parametrize("few", [{"draws": 2}, {"records": 2}], ids=str)
def test_intervals_need_three_of_a_kind(few):
    found = variance_shares(nested_study(**few, unknown=0.4))
    assert found["share"].notnull().any()
    for name in ("first_order", "total", "deviation"):
        assert found[f"{name}_interval"].isnull().all()


def test_intervals_have_students_quantile(study):
    """Of 12 draws and 10 records: nine degrees of freedom."""
    both = [variance_shares(study, level=level) for level in (0.5, 0.95)]
    half, most = ((found["deviation_interval"][1] - found["deviation"]).values for found in both)
    known = half > 0
    assert known.sum() > 2
    np.testing.assert_allclose(most[known] / half[known], t.ppf(0.975, 9) / t.ppf(0.75, 9), rtol=1e-9)
    variance = 0.0
    for left_out in jackknifed(sums_of(read_crossed(study)), has_records=True):
        root = np.sign(left_out[:, 0]) * np.sqrt(np.abs(left_out[:, 0]))
        variance += (len(root) - 1) * root.var(axis=0)  # of the standard deviation, by records or draws
    np.testing.assert_allclose(half[known], t.ppf(0.75, 9) * np.sqrt(variance[known]), rtol=1e-9)


def test_draws_that_change_nothing_have_no_share(study):
    same = study.assign(outcome=study["outcome"].isel(outer=[0] * 12))
    found = variance_shares(same).sel(intensity=3.0)
    assert float(found["total"]) == pytest.approx(0, abs=1e-12)
    assert float(found["naive_deviation"]) == 0
    spread = epistemic_probability(same)
    assert (spread["draw_probability"].std("outer") < 1e-12).all()


def test_probabilities_of_draws_have_the_unbiased_variance(study):
    spread, shares = epistemic_probability(study), variance_shares(study)
    np.testing.assert_allclose(
        spread["draw_probability"].std("outer", ddof=1), shares["deviation"], rtol=1e-12, atol=1e-15
    )
    np.testing.assert_allclose(spread["draw_probability"].mean("outer"), spread["probability"])
    assert (spread["shrinkage"] <= 1).all()


def test_the_box_rises_and_holds_the_fractiles():
    levels = (7.0, 1.0, 3.0, 2.0)  # of any order
    spread = epistemic_probability(nested_study(levels=levels, unknown=0.3)).sortby("intensity")
    low, high = spread["box"].values
    assert (np.diff(low) >= 0).all()
    assert (np.diff(high) >= 0).all()
    assert (low <= spread["fractile_probability"][0]).all()
    assert (high >= spread["fractile_probability"][-1]).all()


def test_the_interval_is_that_of_the_pooled_runs(study):
    study = study.copy(deep=True)
    study["outcome"][3, :7, 2] = Outcome.ROCKING  # undecided
    np.testing.assert_allclose(
        epistemic_probability(study)["interval"], overturning_probability(pooled(study))["interval"]
    )


def test_dispersions_of_a_known_model():
    """Means over 40 studies within 4 standard errors of the truth."""
    names = ("epistemic", "aleatory", "sampling")
    found = np.array(
        [
            [float(fit[name]) for name in names]
            for fit in (
                epistemic_fragility(nested_study(16, 20, 12, unknown=0.15, seed=seed)) for seed in range(40)
            )
        ]
    )
    mean, error = (found**2).mean(axis=0), (found**2).std(axis=0) / np.sqrt(len(found))
    # the mean of 20 records, and of the runs within, which hardly count
    true = np.array([0.15**2, 0.3**2 + 0.2**2, 0.3**2 / 20 + 0.2**2 / 3840])
    true[1] *= 1 - 0.3**2 / (0.3**2 + 0.2**2) / 20  # one sample of 20 records has less spread
    assert (np.abs(mean - true) < 4 * error + [0, 0.003, 0.0005]).all()


def test_the_worst_draw_of_equal_ones_is_not_worse():
    """All draws have the same probability: the largest fraction is search, the estimate is not."""
    found = [
        epistemic_bounds(nested_study(20, unknown=0.0, seed=seed)).sel(intensity=3.0) for seed in range(60)
    ]
    estimate, naive = (
        np.array([(one[name] - one["estimate"].mean("end")).values for one in found])
        for name in ("estimate", "naive")
    )
    error = estimate.std(axis=0) / np.sqrt(len(estimate))
    assert (np.abs(estimate.mean(axis=0)) < 4 * error).all()
    assert naive[:, 1].mean() > 0.05
    assert naive[:, 0].mean() < -0.05


def test_bounds_find_the_worst_draw():
    ds = nested_study(unknown=0.6, records=30)
    found = epistemic_bounds(ds)
    theta = ds["impact_lambda"][:, 0].values
    middle = found.sel(intensity=3.0)
    assert float(middle["input_impact_lambda"].sel(end="largest")) == theta.min()
    assert float(middle["rank_correlation"][0]) < -0.9
    assert (found["interval"][0] <= found["naive"]).all()
    assert (found["naive"] <= found["interval"][1]).all()
    assert float(found["content"]) == pytest.approx(0.05 ** (1 / 12))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda ds: ds.isel(outer=0), "the study is not nested: mark distributions"),
        (lambda ds: ds.isel(outer=[0]), "at least 2 epistemic draws, got 1"),
        (lambda ds: ds.assign(outcome=ds["outcome"] * 0), "have not been run yet"),
        (lambda ds: ds.isel(realization=[0, 10, 20]), "at least 2 recordings"),
    ],
)
@pytest.mark.parametrize("function", ALL)
def test_what_is_no_nested_study_is_refused(study, function, change, message):
    with pytest.raises(ValueError, match=message):
        function(change(study))


def test_draws_that_meet_other_records_are_refused(study):
    other = study.copy(deep=True)
    other["record"][2, 0] = 5
    with pytest.raises(ValueError, match="must meet the same records"):
        read_crossed(other)


def test_a_statistic_of_plain_studies_says_what_to_take(study):
    with pytest.raises(ValueError, match=r"mcrock\.statistics\.pooled\(ds\) or one draw"):
        overturning_probability(study)


def test_figures_show_what_the_statistics_say(study):
    ax = plot_probability_box(study)
    assert "12 epistemic draws" in ax.get_figure().get_supxlabel().replace("\n", " ")
    spread = epistemic_probability(study)
    lines = np.stack([line.get_ydata() for line in ax.get_lines()[:12]])
    np.testing.assert_allclose(lines, spread["draw_probability"])
    bars = plot_variance_shares(study)
    heights = sum(patch.get_height() for patch in bars.patches)
    known = variance_shares(study)["share"].sum().item()
    assert heights == pytest.approx(known)
    plt.close("all")
