"""How runs ended: shares, reasons, responses, representative runs, limits of the model, convergence."""

import numpy as np
import pytest
import xarray as xr

from mcrock.base.params import Outcome
from mcrock.dataset import build_dataset
from mcrock.show.outcomes import format_own_responses, format_strain
from mcrock.statistics import (
    displacement_limit,
    model_validity,
    outcome_shares,
    overturned,
    overturning_probability,
    own_responses,
    runs,
    size_convergence,
    undecided,
    with_displacement_limit,
)
from mcrock.statistics.outcomes import FLAGS, MEANINGS, UNDECIDED, Ending, RunPlace, representative_runs

RUNS = {  # outcome, peak tilt [rad], slip path [m], longest flight [s], peak displacement [m]
    Ending.RESTED: (Outcome.AT_REST, 0.0, 1e-4, 0.0, 1e-4),
    Ending.SLID: (Outcome.AT_REST, 1e-9, 0.02, 1e-9, 0.02),  # with the rounding of a hop
    Ending.ROCKED: (Outcome.AT_REST, 0.1, 1e-4, 0.001, 0.01),
    Ending.SLID_AND_ROCKED: (Outcome.SETTLING, 0.1, 0.02, 0.0, 0.05),
    Ending.LEFT_THE_GROUND: (Outcome.AT_REST, 0.1, 0.02, 0.02, 0.05),
    Ending.FELL_OFF_ITS_SUPPORT: (Outcome.AT_REST, 0.0, 0.3, 0.0, 0.3),
    Ending.OVERTURNED: (Outcome.OVERTURNED, 1.6, 0.3, 0.1, 0.9),
    Ending.STILL_ROCKING: (Outcome.ROCKING, 0.1, 0.0, 0.0, 0.0),
    Ending.LIMIT_MET: (Outcome.STEP_LIMIT, 0.1, 0.0, 0.0, 0.3),
    Ending.FRICTION_UNDECIDED: (Outcome.PAINLEVE, 0.1, 0.0, 0.0, 0.0),
    Ending.LIFTED_OFF: (Outcome.LIFTED_OFF, 0.0, 0.0, 0.0, 0.0),
    Ending.FAILED: (Outcome.FAILED, np.nan, np.nan, np.nan, np.nan),
}
RUNS[Ending.BEYOND_STROKE] = (Outcome.OVERTURNED, 1.6, 0.3, 0.1, 0.9)
NAMES = ("outcome", "peak_tilt", "slip_path", "longest_flight", "peak_displacement")


def every_ending(copies=1, limit=0.15):
    """A study at one intensity with runs of every ending but infeasible impacts."""
    columns = zip(*(RUNS[ending] for ending in RUNS for _ in range(copies)), strict=True)
    values = {name: np.array(column)[:, None] for name, column in zip(NAMES, columns, strict=True)}
    values["beyond_stroke"] = np.repeat([ending == Ending.BEYOND_STROKE for ending in RUNS], copies)[:, None]
    ds = build_dataset(values | {"intensity": [2.0]}, units="m s-2")
    return ds.assign_attrs(config=f'{{"limits": {{"displacement": {limit}}}}}')


def test_every_ending_is_told():
    for i, ending in enumerate(RUNS):
        share = outcome_shares(every_ending().isel(realization=[i]))["share"].isel(intensity=0)
        assert share.sel(ending=ending.words) == 1, ending
        assert share.sum() == 1
    assert outcome_shares(every_ending())["ending"].values.tolist() == [ending.words for ending in Ending]


def test_runs_in_doubt_are_those_that_are_undecided():
    ds = every_ending()
    ds["infeasible_energy_loss"] = "realization", np.where(np.arange(len(RUNS)) == 1, 2.0, 0.0)
    ds["infeasible_energy_loss"] = ds["infeasible_energy_loss"].expand_dims(intensity=1, axis=1)
    share = outcome_shares(ds)["share"]
    assert float(share.sel(ending="infeasible impact").item()) == pytest.approx(1 / len(RUNS))
    words = [ending.words for ending in UNDECIDED]
    assert float(share.sel(ending=words).sum()) == pytest.approx(float(undecided(ds).mean()))
    assert float(share.sel(ending="overturned").item()) == pytest.approx(float(overturned(ds).mean()))


def test_the_limit_is_judged_after_the_run():
    ds = every_ending(limit=0.15)
    fell = {"ending": Ending.FELL_OFF_ITS_SUPPORT.words}
    assert displacement_limit(ds) == 0.15
    for limit, expected in ((0.04, 3), (0.15, 1), (0.5, 0)):
        other = with_displacement_limit(ds, limit)
        assert displacement_limit(other) == limit
        result = outcome_shares(other)
        assert float(result["share"].sel(fell).item()) == pytest.approx(expected / len(RUNS))
        assert result.attrs["displacement_limit"] == limit
    assert displacement_limit(ds.drop_attrs()) is None
    assert float(outcome_shares(ds.drop_attrs())["share"].sel(fell).item()) == 0
    with pytest.raises(ValueError, match=r"the displacement limit must be a finite number > 0 \[m\]"):
        with_displacement_limit(ds, -1.0)
    with pytest.raises(ValueError, match="needs runs with friction: the dataset has no variable"):
        with_displacement_limit(ds.drop_vars("peak_displacement"), 0.1)


@pytest.mark.parametrize("cluster", [True, False])
@pytest.mark.parametrize("cloud", [False, True])
def test_the_interval_of_overturning_is_that_of_its_probability(make_study, cluster, cloud):
    ds = make_study(undecided=0.05, cloud=cloud)
    shares = outcome_shares(ds, cluster=cluster)
    probability = overturning_probability(ds, cluster=cluster)
    np.testing.assert_allclose(
        shares["interval"].sel(ending="overturned").values, probability["interval"].values
    )
    np.testing.assert_array_equal(shares["intensity"], probability["intensity"])
    assert shares.attrs["independent"] == probability.attrs["independent"]
    np.testing.assert_allclose(shares["share"].sum("ending"), 1)


def test_doubt_widens_what_is_decided_upwards():
    sure = every_ending(40).isel(realization=slice(0, 280))
    doubtful = every_ending(40)
    low, high = outcome_shares(doubtful)["interval"].sel(ending="rested").values[:, 0]
    assert low < 40 / 400 < (40 + 120) / 400 < high
    low, high = outcome_shares(sure)["interval"].sel(ending="rested").values[:, 0]
    assert 0.1 < low < 40 / 280 < high < 0.2


STUDIES = 400
LEVEL = 0.9
FALSE_ALARM = 4.0  # standard deviations of a binomial count


def result(values, record):
    values = np.asarray(values, float)
    shape = ("realization", "intensity")
    own = xr.DataArray(values, dims=shape, attrs={"units": "s"})
    coords = {"intensity": ("intensity", np.arange(1.0, values.shape[1] + 1), {"units": "m s-2"})}
    outcome = xr.DataArray(np.ones(values.shape, "i1"), dims=shape)
    return xr.Dataset({"own_time": own, "outcome": outcome, "record": ("realization", record)}, coords)


def test_the_numbers_are_those_of_the_known_runs():
    values = np.arange(24.0).reshape(12, 2)
    values[3, 0] = np.nan
    found = own_responses(result(values, np.arange(12) % 4)).sel(response="own_time")
    assert found["unknown"].values.tolist() == [1, 0]
    assert found["mean"].values == pytest.approx([np.nanmean(values[:, 0]), 12.0])
    assert found["quantile"].sel(share=0.5).values == pytest.approx([np.nanmedian(values[:, 0]), 12.0])
    assert found["units"].item() == "s"
    text = "\n".join(format_own_responses(own_responses(result(values, np.arange(12) % 4))))
    assert text.startswith("own_time [s]\n")
    assert text.endswith("count as undecided by a limit of it")
    rare = np.where(np.arange(12) == 3, 5.0, 0.0)[:, None]  # a mean time begins at 0, that of a change below
    assert own_responses(result(rare, np.arange(12) % 4))["interval"].values[0] == 0.0
    assert own_responses(result(rare - 1.0, np.arange(12) % 4))["interval"].values[0] < -1.0
    assert own_responses(result(values, np.zeros(12, int)))["interval"].isnull().all()
    assert own_responses(result(values, np.zeros(12, int)).drop_vars("own_time")) is None


@pytest.mark.parametrize("cloud", [False, True])
def test_an_input_is_no_response_of_the_user(cloud):
    """The intensity of generated motions before they are scaled, at fixed levels and in a cloud."""
    ds = result(np.ones((12, 2)), np.arange(12) % 4).assign(own_intensity=("realization", np.ones(12)))
    assert own_responses(ds)["response"].values.tolist() == ["own_time"]
    if cloud:
        ds = ds.isel(intensity=0, drop=True).assign(intensity_value=("realization", np.ones(12)))
    assert own_responses(ds.drop_vars("own_time")) is None


def test_intervals_of_the_mean_hold_with_few_recordings_of_unequal_effect():
    rng, held = np.random.default_rng(5), 0
    for _ in range(STUDIES):
        records, each = rng.integers(4, 25), rng.integers(1, 12)
        between, within = 10.0 ** rng.uniform(-1.0, 1.0, 2)
        effect = rng.normal(3.0, between, records)
        record = np.repeat(np.arange(records), each)
        values = effect[record] + rng.normal(0.0, within, records * each)
        low, high = own_responses(result(values[:, None], record), level=LEVEL)["interval"].values.ravel()
        held += low <= 3.0 <= high
    spread = np.sqrt(STUDIES * LEVEL * (1.0 - LEVEL))
    assert abs(held - STUDIES * LEVEL) < FALSE_ALARM * spread


def study(outcome, tilt=None, **more):
    dims = ("outer", "realization", "intensity")[-np.ndim(outcome) :]
    levels = np.arange(1.0, np.shape(outcome)[-1] + 1.0)
    ratio = np.zeros(np.shape(outcome)) if tilt is None else tilt
    found = {"outcome": (dims, np.array(outcome, "i1")), "peak_tilt_ratio": (dims, np.array(ratio))}
    return xr.Dataset(found | more, coords={"intensity": levels})


def brute(ds):
    """The three runs by sorting all of them."""
    outcome, tilt = ds["outcome"].values, ds["peak_tilt_ratio"].values
    number = [(i, j) for i in range(len(outcome)) for j in range(outcome.shape[1])]
    fell = [at for at in number if outcome[at] == Outcome.OVERTURNED]
    stood = [at for at in number if outcome[at] in (Outcome.AT_REST, Outcome.SETTLING)]
    levels = sorted(j for _, j in fell)
    middle = levels[(len(levels) - 1) // 2]
    return {
        "median_overturned": next(RunPlace(*at) for at in fell if at[1] == middle),
        "strongest_survivor": RunPlace(*min(stood, key=lambda at: (-at[1], -tilt[at], at[0]))),
        "weakest_overturned": RunPlace(*min(fell, key=lambda at: (at[1], at[0]))),
    }


@pytest.mark.parametrize("slice_", [3, 1 << 17])
def test_runs_are_those_of_sorting_all(monkeypatch, slice_):
    monkeypatch.setattr(runs, "SLICE", slice_)
    rng = np.random.default_rng(4)
    for _ in range(20):
        outcome = rng.choice([1, 2, 3, 8], size=(17, 5))
        ds = study(outcome, rng.integers(0, 4, (17, 5)) / 4)
        assert representative_runs(ds) == brute(ds)


def test_undecided_runs_are_none_of_them():
    ds = study([[Outcome.ROCKING, Outcome.STEP_LIMIT]])
    assert representative_runs(ds) == {}
    ds = study([[1, 3]], infeasible_energy_loss=(("realization", "intensity"), [[0.0, 2.0]]))
    assert set(representative_runs(ds)) == {"strongest_survivor"}


def test_of_a_nested_study_the_outer_draw_is_told():
    ds = study([[[1, 1]], [[1, 3]]])
    assert representative_runs(ds)["weakest_overturned"] == RunPlace(realization=0, intensity=1, outer=1)
    assert representative_runs(ds)["strongest_survivor"] == RunPlace(realization=0, intensity=1, outer=0)


def test_a_cloud_has_its_own_intensities():
    ds = xr.Dataset(
        {
            "outcome": ("realization", np.array([3, 1, 3, 3], "i1")),
            "intensity_value": ("realization", [4.0, 9.0, 2.0, 3.0]),
        }
    )
    assert [representative_runs(ds)[name].realization for name in MEANINGS] == [3, 1, 2]


@pytest.fixture
def strained(make_study):
    """Simulated study with random departures from the model."""

    def make(cloud=False):
        ds = make_study(cloud=cloud)
        rng = np.random.default_rng(5)
        dims, shape = ds["outcome"].dims, ds["outcome"].shape
        for name, share in (
            ("contact_lost", 0.04),
            ("edge_stick_infeasible", 0.3),
            ("energy_gain_impacts", 0.1),
        ):
            ds[name] = (dims, (rng.random(shape) < share).astype("i1"))
        ds["infeasible_energy_loss"] = (dims, np.where(rng.random(shape) < 0.05, 2.0, 0.001).astype("f4"))
        moved = ds["peak_tilt"].values > 0
        needed = np.where(rng.random(shape) < 0.2, np.inf, rng.uniform(0.1, 1.5, shape))
        ds["certified_friction"] = (dims, needed.astype("f4"))
        ds["lowest_normal_force"] = (dims, np.where(moved, rng.uniform(0.1, 1.0, shape), 1.0).astype("f4"))
        return ds

    return make


def test_shares_are_those_of_the_runs(strained):
    ds = strained()
    result = model_validity(ds, (0.4, 1.0))
    stands = (ds["outcome"] == Outcome.AT_REST).values
    marks = {name: ds[name].values > 0 for name in FLAGS if name != "infeasible_impacts"}
    marks["infeasible_impacts"] = ds["infeasible_energy_loss"].values > 1.0
    for j in range(10):
        stood = stands[:, j]
        assert result["runs"].values[:, j].tolist() == [440, stood.sum()]
        shares = [(result[name], mark[:, j]) for name, mark in marks.items()]
        for coefficient in (0.4, 1.0):
            enough = ds["certified_friction"].values[:, j] <= coefficient
            shares.append((result["certified"].sel(friction=coefficient), enough))
        for found, mark in shares:
            assert float(found[0, j]) == pytest.approx(mark.mean())
            if stood.any():
                assert float(found[1, j]) == pytest.approx(mark[stood].mean())
        if stood.any():
            force = ds["lowest_normal_force"].values[stood, j]
            assert float(result["lowest_normal_force"][j]) == pytest.approx(force.min())


def test_runs_with_friction_are_certified_throughout_or_not(strained):
    ds = strained()
    until = np.where(np.random.default_rng(2).random(ds["outcome"].shape) < 0.3, np.inf, 4.0)
    ds["certified_until"] = ds["outcome"].dims, until
    result = model_validity(ds)
    assert "certified" not in result
    np.testing.assert_allclose(result["certified_throughout"].sel(among="all"), np.isinf(until).mean(axis=0))
    assert "certified" not in model_validity(strained().drop_vars("certified_friction"))
    ds["contact_lost"][:] = 1
    (of_friction,), (stuck,) = (
        [line for line in format_strain(model_validity(each)) if line.startswith("contact was lost")]
        for each in (ds, ds.drop_vars("certified_until"))
    )
    assert stuck == f"{of_friction}; a study with [contact] friction lets bodies slide and leave the ground"


def test_a_friction_of_zero_is_no_certificate(strained):
    ds = strained()
    ds["certified_friction"][:] = 0.0
    assert (model_validity(ds)["certified"] == 0).all()


def test_mistakes(strained):
    ds = strained()
    with pytest.raises(ValueError, match="friction must list coefficients that are finite and > 0"):
        model_validity(ds, friction=[0.3, 0.0])
    with pytest.raises(ValueError, match="friction must list coefficients"):
        model_validity(ds, friction=0.3)
    with pytest.raises(ValueError, match="classes must be at least 1"):
        model_validity(ds, classes=0)
    with pytest.raises(ValueError, match="no variable 'contact_lost'"):
        model_validity(ds.drop_vars("contact_lost"))


@pytest.mark.parametrize("undecided", [0.0, 0.2])
def test_each_size_is_a_study_of_its_own(make_study, undecided):
    ds = make_study(records=22, per_record=8, undecided=undecided)
    found = size_convergence(ds)
    sizes = found["size"].values
    assert sizes[-1] == ds.sizes["realization"]
    assert (np.diff(sizes) > 0).all()
    assert (sizes % 22 == 0).all()
    for k, size in enumerate(sizes):
        part = overturning_probability(ds.isel(realization=slice(int(size))))
        np.testing.assert_allclose(found["probability"][k], part["probability"], atol=1e-12)


def test_change_is_that_of_the_second_half(make_study):
    ds = make_study(records=10, per_record=8)
    half, whole = (
        overturning_probability(part)["probability"] for part in (ds.isel(realization=slice(40)), ds)
    )
    np.testing.assert_allclose(size_convergence(ds)["change"], whole - half, atol=1e-12)


def test_classes_of_a_cloud_are_those_of_the_whole(make_study):
    ds = make_study(records=10, per_record=30, cloud=True)
    found, whole = size_convergence(ds), overturning_probability(ds)
    np.testing.assert_allclose(found["probability"][-1], whole["probability"], atol=1e-12)
    np.testing.assert_array_equal(found["intensity"], whole["intensity"])


def test_independent_realizations_and_few():
    outcome = np.full((3, 1), Outcome.OVERTURNED, "i1")
    ds = xr.Dataset({"outcome": (("realization", "intensity"), outcome)}, coords={"intensity": [1.0]})
    for n in (1, 2, 3):
        found = size_convergence(ds.isel(realization=slice(n)))
        assert found["size"].values[-1] == n
        assert (found["probability"] == 1).all()
        assert (found["change"] == 0).all()


def test_missing_runs_are_left_out_when_asked(make_study):
    ds = make_study(records=4, per_record=4)
    ds["outcome"][:8] = Outcome.NOT_RUN
    with pytest.raises(ValueError, match="have not been run yet"):
        size_convergence(ds)
    found = size_convergence(ds, allow_missing=True)
    assert np.isnan(found["probability"][0]).all()
    assert np.isfinite(found["probability"][-1]).all()
