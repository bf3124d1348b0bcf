"""Probabilities of overturning and of other limits, with their intervals."""

from functools import partial

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from mcrock.base.params import FacetFallback, Outcome
from mcrock.statistics import (
    by_limit,
    exceedance_probability,
    fit_fragility,
    overturned,
    overturning_probability,
    runs,
    undecided,
    undecided_runs,
)
from mcrock.statistics.intervals import clustered_interval, expanded_tail, wilson_interval
from tests.unit.statistics.conftest import draw_events, simulate_study


def test_counts_and_intervals_are_those_of_the_runs(make_study):
    ds = make_study()
    result = overturning_probability(ds)
    fell = (ds["outcome"] == Outcome.OVERTURNED).values
    np.testing.assert_array_equal(result["overturned"], fell.sum(axis=0))
    np.testing.assert_allclose(result["probability"], fell.mean(axis=0))
    per_record = np.stack([fell[ds["record"].values == i].sum(axis=0) for i in range(22)])
    lower, upper = clustered_interval(per_record, np.full_like(per_record, 20))
    np.testing.assert_allclose(result["interval"], [lower, upper])
    assert int(result["records"]) == 22
    assert result["intensity"].attrs["units"] == "m s-2"
    alone = overturning_probability(ds, cluster=False)
    np.testing.assert_allclose(alone["interval"], wilson_interval(fell.sum(axis=0), 440))


def test_ignoring_records_narrows_the_interval(make_study):
    ds = make_study()
    wide, narrow = (overturning_probability(ds, cluster=c)["interval"].diff("bound") for c in (True, False))
    middle = slice(3, 8)  # probabilities between 0.2 and 0.9
    assert (wide / narrow).values[0, middle].min() > 1.4


def test_motions_of_one_recording_are_one_record(make_study):
    ds = make_study()
    ds["motion_group"] = ("motion", np.arange(22) // 2)
    result = overturning_probability(ds)
    assert int(result["records"]) == 11
    assert float(result["interval"][1, 0]) == pytest.approx(1 - 0.025 ** (1 / 11))


def test_a_dataset_without_records_has_independent_realizations(make_study):
    ds = make_study().drop_vars(["record", "motion_group"])
    result = overturning_probability(ds)
    assert result.attrs["independent"] == "realizations"
    assert int(result["records"]) == 440
    xr.testing.assert_equal(result["interval"], overturning_probability(ds, cluster=False)["interval"])


@pytest.mark.parametrize(
    "code",
    [
        Outcome.ROCKING,
        Outcome.STEP_LIMIT,
        Outcome.IMPACT_LIMIT,
        Outcome.CONTACT_LIMIT,
        Outcome.INSTANT_LIMIT,
        Outcome.PAINLEVE,
        Outcome.NOT_FINITE,
        Outcome.LIFTED_OFF,
    ],
)
def test_undecided_runs_widen_and_count_half(make_study, code):
    ds = make_study()
    sure = overturning_probability(ds)
    ds["outcome"][:44] = code
    some = overturning_probability(ds)
    assert (some["undecided"] == 44).all()
    assert undecided(ds)[:44].all()
    assert not overturned(ds)[:44].any()
    np.testing.assert_allclose(some["probability"], (some["overturned"] + 22) / 440)
    survived = ds.assign(outcome=ds["outcome"].where(ds["outcome"] != code, Outcome.AT_REST))
    fell = ds.assign(outcome=ds["outcome"].where(ds["outcome"] != code, Outcome.OVERTURNED))
    one, other = (overturning_probability(reading)["interval"] for reading in (survived, fell))
    np.testing.assert_array_equal(some["interval"][0], np.minimum(one[0], other[0]))
    np.testing.assert_array_equal(some["interval"][1], np.maximum(one[1], other[1]))
    wider = some["interval"].diff("bound") > sure["interval"].diff("bound")
    assert wider[0, 3:8].all()  # probabilities between 0.2 and 0.9


def test_infeasible_facet_impact_makes_any_outcome_undecided(make_study):
    ds = make_study()
    ds["infeasible_energy_loss"][:] = 2
    result = overturning_probability(ds)
    assert (result["overturned"] == 0).all()
    assert (result["undecided"] == 440).all()
    np.testing.assert_array_equal(result["interval"][0], 0)
    np.testing.assert_array_equal(result["interval"][1], 1)
    # a peak reached after the guess proves nothing either
    assert (exceedance_probability(ds, 0.1)["undecided"] == 440).all()
    # but the estimate follows the simulation
    for function in (overturning_probability, partial(exceedance_probability, threshold=0.1)):
        np.testing.assert_array_equal(function(ds)["probability"], function(make_study())["probability"])


@pytest.mark.parametrize(
    ("energy", "facets", "fallback", "doubtful"),
    [
        (0.99, 1, FacetFallback.REST, False),  # less than it takes to overturn
        (1.01, 1, FacetFallback.REST, True),
        (1.01, 0, FacetFallback.REST, False),  # edges alone: plastic contact
        (1.01, 1, FacetFallback.PLASTIC, False),
        (1.01, 1, None, True),  # a dataset without its inputs, or a store that lacks the variable
        (1.01, None, None, True),
        (0.99, None, None, False),
    ],
)
@pytest.mark.parametrize("cloud", [False, True])
def test_plastic_impacts_leave_no_doubt_and_faces_put_to_rest_do(
    make_study, energy, facets, fallback, doubtful, cloud
):
    ds = make_study(cloud=cloud)
    where = {"realization": slice(40, 80)}
    ds["infeasible_energy_loss"][where] = energy
    if facets is not None:
        ds["infeasible_facet_impacts"] = ds["outcome"] * 0 + facets
    if fallback is not None:
        ds["facet_fallback"] = ("realization", np.full(440, int(fallback), "i1"))
    sure = (ds["outcome"] == Outcome.OVERTURNED).sum().item()
    expected = 40 * ds.sizes.get("intensity", 1) * doubtful
    found = undecided(ds)
    assert found.dims == ds["outcome"].dims
    assert int(found.sum()) == int(found[where].sum()) == expected
    assert int(overturning_probability(ds)["undecided"].sum()) == expected
    assert (
        int(overturned(ds).sum()) == sure - int((ds["outcome"] == Outcome.OVERTURNED)[where].sum()) * doubtful
    )


@pytest.mark.parametrize("cloud", [False, True])
def test_reasons_of_undecided_runs_are_complete(make_study, cloud):
    ds = make_study(undecided=0.05, cloud=cloud)
    ds["infeasible_energy_loss"][40:80] = 2
    ds["outcome"][:5] = Outcome.STEP_LIMIT
    found, guess = undecided_runs(ds), ds["infeasible_energy_loss"] > 1
    assert int(found["runs"].sum()) == int(undecided(ds).sum())
    assert int(found["runs"].sel(reason="infeasible_impact")) == int(guess.sum())
    assert int(found["runs"].sel(reason="step_limit")) == int((ds["outcome"] == Outcome.STEP_LIMIT).sum())
    fell = int(((ds["outcome"] == Outcome.OVERTURNED) & guess).sum())
    np.testing.assert_array_equal(found["overturned"], [fell, *[0] * 10])
    ds["outcome"][70:] = Outcome.NOT_RUN
    assert int(undecided_runs(ds, allow_missing=True)["runs"][0]) == int(guess[:70].sum())
    with pytest.raises(ValueError, match="have not been run"):
        undecided_runs(ds)


def isolated_study():
    """A study on an isolator of 0.2 m stroke, which runs at strong intensities exceed."""
    ds = simulate_study(undecided=0.02)
    moved = np.random.default_rng(3).uniform(0.0, 0.1, ds["outcome"].shape) * ds["intensity"].values
    values = {"isolator_displacement": moved.astype("f4"), "beyond_stroke": (moved > 0.2).astype("i1")}
    return ds.assign({name: (ds["outcome"].dims, array, {}) for name, array in values.items()})


def test_a_run_beyond_the_stroke_counts_both_ways():
    isolated = isolated_study()
    beyond, fell = isolated["beyond_stroke"] > 0, isolated["outcome"] == Outcome.OVERTURNED
    found = undecided_runs(isolated)
    assert int(found["runs"].sel(reason="beyond_stroke")) == int(beyond.sum())
    assert int(found["overturned"].sel(reason="beyond_stroke")) == int((beyond & fell).sum())
    assert int(found["runs"].sum()) == int(undecided(isolated).sum())
    as_run, with_stop = (
        overturning_probability(ds) for ds in (isolated.drop_vars("beyond_stroke"), isolated)
    )
    np.testing.assert_array_equal(as_run["probability"], with_stop["probability"])
    ends = [found["interval"].sel(bound=["lower", "upper"]) for found in (as_run, with_stop)]
    assert (ends[1][0] <= ends[0][0]).all()
    assert (ends[1][1] >= ends[0][1]).all()
    assert float((ends[1] - ends[0])[1].max()) > 0.1


def test_the_displacement_of_an_isolator_is_that_of_its_motion_alone():
    isolated = isolated_study()
    moved = isolated["isolator_displacement"].values
    found = exceedance_probability(isolated, [0.0, 0.1, 0.2], "isolator_displacement")
    expected = (moved[None] > np.float32([0.0, 0.1, 0.2])[:, None, None]).mean(axis=1)
    np.testing.assert_allclose(found["probability"], expected, rtol=1e-12)
    assert not found["undecided"].any()
    judged = by_limit(isolated, "isolator_displacement", 0.2)
    np.testing.assert_array_equal(overturned(judged), moved > np.float32(0.2))
    assert not undecided(judged).any()
    tilted = by_limit(isolated, "peak_tilt_ratio", 0.5)
    assert (undecided(tilted) >= (isolated["beyond_stroke"] > 0)).all()
    rocked = by_limit(isolated, "peak_tilt_ratio", 0.0)
    assert not undecided(rocked).where(isolated["peak_tilt_ratio"] > 0, False).any()


def test_missing_runs_are_refused_unless_allowed(make_study):
    ds = make_study()
    ds["outcome"][:22] = Outcome.NOT_RUN
    with pytest.raises(ValueError, match="220 of 4400 runs have not been run"):
        overturning_probability(ds)
    left = overturning_probability(ds, allow_missing=True)
    xr.testing.assert_allclose(left, overturning_probability(ds.isel(realization=slice(22, None))))
    ds["outcome"][:] = Outcome.NOT_RUN
    with pytest.raises(ValueError, match="nothing to count"):
        overturning_probability(ds, allow_missing=True)


def test_exceedance_is_counted_as_by_hand(make_study):
    ds = make_study(undecided=0.03)
    thresholds = [0.9, 0.0, 0.5, 0.25, 3.0]  # any order
    result = exceedance_probability(ds, thresholds)
    assert result["exceeding"].dims == ("threshold", "intensity")
    np.testing.assert_array_equal(result["threshold"], thresholds)
    fell = (ds["outcome"] == Outcome.OVERTURNED).values
    doubt = undecided(ds).values
    for i, threshold in enumerate(thresholds):
        passed = (ds["peak_tilt_ratio"].values > threshold) | fell
        np.testing.assert_array_equal(result["exceeding"][i], passed.sum(axis=0))
        np.testing.assert_array_equal(result["undecided"][i], (doubt & ~passed).sum(axis=0))
    one = exceedance_probability(ds, 0.5)
    assert "threshold" not in one.dims
    xr.testing.assert_equal(one["interval"], result["interval"].isel(threshold=2))


def test_an_infeasible_impact_does_not_undo_that_the_body_rocked(make_study):
    ds = make_study()
    ds["infeasible_energy_loss"][:] = 2
    rocked = (ds["peak_tilt_ratio"] > 0).sum("realization")
    still = 440 - rocked
    at = exceedance_probability(ds, [0.0, 0.01])
    np.testing.assert_array_equal(at["exceeding"][0], rocked)
    np.testing.assert_array_equal(at["undecided"][0], still)
    np.testing.assert_array_equal(at["exceeding"][1], 0)  # how far it rocked before is not known
    np.testing.assert_array_equal(at["undecided"][1], 440)
    ds["peak_rotation_y"] = ds["peak_tilt_ratio"]  # may have become other than 0 only after the impact
    assert (exceedance_probability(ds, 0.0, "peak_rotation_y")["undecided"] == 440).all()


def test_exceeding_a_tilt_that_only_overturning_reaches_is_overturning(make_study):
    ds = make_study(undecided=0.02)
    ds["peak_tilt_ratio"] = ds["peak_tilt_ratio"].where(ds["outcome"] == Outcome.OVERTURNED, 0.5)
    at, fell = exceedance_probability(ds, 2.0), overturning_probability(ds)
    for name in ("probability", "interval", "undecided"):
        np.testing.assert_array_equal(at[name], fell[name])


def test_peak_that_is_not_a_number_is_in_doubt(make_study):
    ds = make_study()
    ds["outcome"][0], ds["peak_tilt_ratio"][0] = Outcome.NOT_FINITE, np.nan
    result = exceedance_probability(ds, [0.0, 1.0])
    assert (result["undecided"] == 1).all()


def test_cloud_is_cut_into_classes_of_equal_numbers(make_study):
    ds = make_study(cloud=True, per_record=40)
    result = overturning_probability(ds)
    assert result.sizes["intensity"] == 10
    np.testing.assert_array_equal(result["runs"], 88)
    assert int(result["overturned"].sum()) == int((ds["outcome"] == Outcome.OVERTURNED).sum())
    lower, upper = result["intensity_range"].values
    assert (lower <= result["intensity"]).all()
    assert (upper[:-1] < lower[1:]).all()
    whole = overturning_probability(ds, classes=1)
    assert float(whole["probability"][0]) == pytest.approx(float(overturned(ds).mean()))


def test_classes_of_a_cloud_with_equal_intensities(make_study):
    ds = make_study(cloud=True)
    ds["intensity_value"][:] = 2.0
    assert overturning_probability(ds).sizes["intensity"] == 1
    assert overturning_probability(ds.isel(realization=[0])).sizes["intensity"] == 1


def test_datasets_that_do_not_fit_are_refused(make_study):
    ds = make_study()
    with pytest.raises(ValueError, match="lacks the variable `outcome`"):
        overturning_probability(ds.drop_vars("outcome"))
    with pytest.raises(ValueError, match="lacks `intensity`"):
        overturning_probability(ds.drop_vars("intensity"))
    with pytest.raises(ValueError, match="a Dataset is needed, as load_dataset opens one, got 3"):
        overturning_probability(3)
    with pytest.raises(ValueError, match="lacks `intensity_value`"):
        overturning_probability(ds.isel(intensity=0, drop=True))
    with pytest.raises(ValueError, match=r"got dims \('realization', 'batch'\)"):
        overturning_probability(ds.drop_vars("intensity").rename(intensity="batch"))
    with pytest.raises(ValueError, match=r"intensity must be finite and >= 0 \[m s-2\]"):
        overturning_probability(ds.assign_coords(intensity=ds["intensity"] - 1))
    with pytest.raises(ValueError, match="holds no runs"):
        overturning_probability(ds.isel(realization=slice(0, 0)))
    with pytest.raises(ValueError, match="level must lie"):
        overturning_probability(ds, level=95)
    with pytest.raises(ValueError, match="classes must be at least 1"):
        overturning_probability(ds, classes=0)
    with pytest.raises(ValueError, match="no variable 'peak_height'"):
        exceedance_probability(ds, 1.0, "peak_height")
    with pytest.raises(ValueError, match="threshold must be one finite number"):
        exceedance_probability(ds, [0.1, np.nan])


CASES = [(0, 22), (1, 22), (7, 22), (22, 22), (3, 1000), (999, 1000), (0, 1), (1, 1)]
ROUNDING = 1e-10  # binomtest solves for its bounds with a tolerance of this size


@pytest.mark.parametrize(("yes", "runs"), CASES)
@pytest.mark.parametrize("level", [0.5, 0.95, 0.99])
def test_wilson_bounds_are_those_of_scipy(yes, runs, level):
    expected = binomtest(yes, runs).proportion_ci(level, method="wilson")
    assert wilson_interval(yes, runs, level) == pytest.approx((expected.low, expected.high), abs=ROUNDING)


@pytest.mark.parametrize(("yes", "records"), CASES)
@pytest.mark.parametrize("level", [0.5, 0.95, 0.99])
@pytest.mark.parametrize("per_record", [1, 20])
def test_records_that_act_as_one_run_give_the_exact_binomial_interval(yes, records, level, per_record):
    expected = binomtest(yes, records).proportion_ci(level, method="exact")
    counts = per_record * (np.arange(records) < yes)
    found = clustered_interval(counts, np.full(records, per_record), level)
    assert found == pytest.approx((expected.low, expected.high), abs=ROUNDING)


def test_two_records_have_the_closed_form():
    """Weights (u, v, 1 - u - v), uniform on a triangle: a mean that is <= t on a part cut off by a line."""
    x, y, tail = 0.2, 0.5, 0.025
    # the part above t is the corner of the additional record: (1 - t)^2 / ((1 - x) (1 - y)) of the triangle
    expected = 1 - np.sqrt(tail * (1 - x) * (1 - y))
    assert clustered_interval([2, 5], [10, 10])[1] == pytest.approx(expected, abs=1e-14)


def test_bounds_are_quantiles_of_randomly_weighted_means():
    """Against 200000 draws of the weights, with unequal runs; three standard errors of the probability."""
    rng = np.random.default_rng(2)
    runs = rng.integers(5, 40, 15)
    yes = rng.binomial(runs, rng.beta(0.5, 1.0, 15))
    weight = rng.exponential(size=(200_000, 16))
    total = weight[:, :15] @ runs + weight[:, 15] * runs.mean()
    lower, upper = clustered_interval(yes, runs)
    above = (weight[:, :15] @ yes + weight[:, 15] * runs.mean() > upper * total).mean()
    below = (weight[:, :15] @ yes < lower * total).mean()
    assert (above, below) == pytest.approx((0.025, 0.025), abs=3 * np.sqrt(0.025 / 200_000))


counts = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=1, max_size=12)


@given(counts, st.integers(0, 11), st.sampled_from([0.5, 0.95]))
def test_more_events_never_lower_a_bound(pairs, where, level):
    runs = np.array([a + b + 1 for a, b in pairs])
    yes = np.array([a for a, _ in pairs])
    more = yes + (np.arange(len(pairs)) == where % len(pairs))
    before, after = clustered_interval(yes, runs, level), clustered_interval(more, runs, level)
    assert after[0] >= before[0] - 1e-13
    assert after[1] >= before[1] - 1e-13
    assert before[0] <= yes.sum() / runs.sum() <= before[1]


def test_all_runs_are_at_least_as_sure_as_all_but_one():
    """The strongest levels of the main example: 878, 879 and 880 of 880 runs of 22 records."""
    yes = np.full((22, 3), 40)
    yes[0], yes[5, 0] = [39, 39, 40], 39
    lower, upper = clustered_interval(yes, np.full((22, 3), 40))
    assert (np.diff(lower) >= 0).all()
    assert (np.diff(upper) >= 0).all()


def test_one_record_is_one_run():
    """Its weight is uniform: the bounds are the share, moved to the ends by 0.975 of the way."""
    assert clustered_interval([10], [40]) == pytest.approx((0.25 * 0.025, 1 - 0.75 * 0.025), abs=1e-14)


def test_no_runs_know_nothing():
    assert clustered_interval(np.zeros(3), np.zeros(3)) == (0, 1)
    assert wilson_interval(0, 0) == (0, 1)


def test_records_without_runs_are_left_out():
    runs = np.array([20, 0, 20, 0, 20])
    yes = np.array([3, 0, 20, 0, 0])
    np.testing.assert_allclose(
        clustered_interval(yes, runs), clustered_interval([3, 20, 0], [20] * 3), rtol=1e-13
    )


def test_intervals_mirror():
    rng = np.random.default_rng(4)
    runs = rng.integers(1, 30, 15)
    yes = rng.binomial(runs, rng.uniform(0, 1, 15))
    lower, upper = clustered_interval(yes, runs)
    np.testing.assert_allclose(clustered_interval(runs - yes, runs), (1 - upper, 1 - lower), atol=1e-12)


@pytest.mark.parametrize("p", [0.02, 0.3])
def test_coverage_with_clustered_runs(p):
    """22 records of 200 runs; two thirds of the probit variance lie between records.

    Of 2000 samples at least 0.96 must be covered: `tests/unit/statistics/test_coverage.py` finds 0.985 and
    0.978, five standard deviations more.
    """
    rng = np.random.default_rng(11)
    yes = draw_events(rng, 22, 200, p, 2 / 3, 2000)
    lower, upper = clustered_interval(yes, np.full(yes.shape, 200))
    assert np.mean((lower <= p) & (p <= upper)) > 0.96
    lower, upper = wilson_interval(yes.sum(axis=0), 4400)
    assert np.mean((lower <= p) & (p <= upper)) < 0.70  # what ignoring the records costs


def test_expanded_tail_widens_and_tends_to_the_plain_tail():
    assert expanded_tail(0.95, 6) < expanded_tail(0.95, 22) < 0.025
    assert expanded_tail(0.95, 10**7) == pytest.approx(0.025, rel=1e-5)


@pytest.mark.parametrize("level", [0, 1, 95, float("nan")])
def test_level_is_checked(level):
    with pytest.raises(ValueError, match=r"level must lie in \(0, 1\)"):
        wilson_interval(1, 2, level)


def sliding_study(**settings):
    """Study whose base centre moves by 0.1 m times the square of intensity over capacity, if it stands."""
    ds = simulate_study(**settings)
    ratio = np.sqrt(ds["peak_tilt_ratio"].values.astype(float))  # 0 below 0.4, beyond 1 where it overturns
    dims, angle = ds["outcome"].dims, np.random.default_rng(1).uniform(0, 2 * np.pi, ratio.shape)
    moved = 0.1 * ratio**2
    for name, values in {
        "slip_path": 1.5 * moved,
        "peak_displacement": moved,
        "final_displacement_x": 0.8 * moved * np.cos(angle),
        "final_displacement_y": 0.8 * moved * np.sin(angle),
        "final_yaw": angle - np.pi,
        "longest_flight": 0.0 * moved,
    }.items():
        ds[name] = dims, values.astype("f4")
    return ds


@pytest.mark.parametrize("cloud", [False, True])
@pytest.mark.parametrize(
    ("variable", "limit"),
    [("peak_displacement", 0.03), ("residual_displacement", 0.04), ("residual_yaw", 2.0), ("peak_tilt", 0.0)],
)
def test_beyond_a_limit_is_exceeding_a_threshold(variable, limit, cloud):
    ds = sliding_study(cloud=cloud, undecided=0.05)
    ds["infeasible_energy_loss"][:9] = 2.0
    judged = overturning_probability(by_limit(ds, variable, limit))
    xr.testing.assert_identical(
        judged.drop_attrs(),
        exceedance_probability(ds, limit, variable)
        .rename(exceeding="overturned")
        .drop_vars("threshold")
        .drop_attrs(),
    )


def test_the_fragility_of_a_limit_is_that_of_the_capacities():
    """Displaced by more than 0.1 m / 4 from half the overturning intensity on: median 1.5 m/s2."""
    ds = sliding_study(records=200, per_record=5)
    fit = fit_fragility(by_limit(ds, "peak_displacement", 0.025))
    low, high = fit["median_capacity_interval"].values
    assert low < 1.5 < high
    assert high / low < 1.2
    assert fit.attrs["event"] == "peak displacement beyond 0.025 m"
    assert "event" not in fit_fragility(ds).attrs


def test_a_residual_of_an_undecided_run_is_not_known():
    ds = sliding_study(records=1, per_record=4, levels=(2.0,))
    ds["peak_displacement"][:] = 0.5
    ds["final_displacement_x"][:], ds["final_displacement_y"][:] = 0.3, -0.4
    ds["outcome"][:, 0] = [Outcome.AT_REST, Outcome.ROCKING, Outcome.OVERTURNED, Outcome.PAINLEVE]
    peak, residual = (
        exceedance_probability(ds, [0.49, 0.51], f"{kind}_displacement", cluster=False)
        for kind in ("peak", "residual")
    )
    assert peak["exceeding"].values[:, 0].tolist() == [4, 1]
    assert residual["exceeding"].values[:, 0].tolist() == [2, 1]
    assert residual["undecided"].values[:, 0].tolist() == [2, 2]
    assert residual["threshold"].attrs["units"] == "m"


def test_missing_runs_stay_missing_and_slices_change_nothing(monkeypatch):
    ds = sliding_study(undecided=0.05)
    whole = exceedance_probability(ds, [0.01, 0.05], "residual_displacement")
    monkeypatch.setattr(runs, "SLICE", 7)
    xr.testing.assert_identical(exceedance_probability(ds, [0.01, 0.05], "residual_displacement"), whole)
    ds["outcome"][:22] = Outcome.NOT_RUN
    judged = by_limit(ds, "slip_path", 0.01)
    assert (judged["outcome"][:22] == Outcome.NOT_RUN).all()
    with pytest.raises(ValueError, match="have not been run"):
        fit_fragility(judged)


def test_mistakes_name_what_is_missing(make_study):
    with pytest.raises(ValueError, match="no variable 'final_displacement_x' on the dims of `outcome`"):
        by_limit(make_study(), "residual_displacement", 0.1)
    with pytest.raises(ValueError, match=r"the limit of peak_tilt must be a finite number \[rad\]"):
        by_limit(make_study(), "peak_tilt", np.inf)
