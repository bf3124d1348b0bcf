"""Runs read in slices."""

from contextlib import ExitStack
from functools import partial
from unittest.mock import patch

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from mcrock import statistics
from mcrock.base.params import Outcome
from mcrock.dataset import build_dataset
from mcrock.dataset.reading import open_lazily
from mcrock.statistics import runs
from mcrock.statistics.goodness import by_probit, held_out, record_units
from mcrock.statistics.runs import CELLS, intensity_classes, place_in_cells, record_groups, record_lots

OUTCOMES = [Outcome.AT_REST, Outcome.ROCKING, Outcome.OVERTURNED, Outcome.STEP_LIMIT]


def by_tilt(ds):
    return statistics.by_limit(ds, "peak_tilt_ratio", 0.4)


def scores_left_out(ds):
    found = held_out(record_units(ds, allow_missing=False), by_probit)
    return xr.Dataset({name: ("record", value) for name, value in found._asdict().items()})


STATISTICS = {
    "scores_left_out": scores_left_out,
    "probability": statistics.overturning_probability,
    "fragility": lambda ds: statistics.fit_fragility(ds, resamples=10),
    "fragility_given_records": lambda ds: statistics.fit_fragility(ds, resamples=10, cluster=False),
    "exceedance": lambda ds: statistics.exceedance_probability(ds, [0.2, 0.9]),
    "limit": lambda ds: statistics.fit_fragility(
        statistics.by_limit(ds, "peak_tilt_ratio", 0.4), resamples=10
    ),
    "choice": lambda ds: statistics.fragility_by_choice(ds, resamples=10),
    "choice_given_records": lambda ds: statistics.fragility_by_choice(ds, resamples=10, cluster=False),
    "shares": statistics.outcome_shares,
    "sizes": statistics.size_convergence,
    "reasons": statistics.undecided_runs,
    "validity": statistics.model_validity,
}


BOTH = st.booleans()


@st.composite
def studies(draw, clouds=BOTH):
    """Clouds and fixed levels in any order, with and without records, with ties and zeros."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, cloud, some = draw(st.integers(2, 60)), draw(clouds), draw(st.sampled_from([0, 1, 2, 200]))
    levels = rng.permutation([0.0, 1.0, 2.0, 3.5, 6.0][: draw(st.integers(2, 5))])
    shape = (n,) if cloud else (n, len(levels))
    x = np.round(rng.lognormal(0.5, 0.8, n), draw(st.sampled_from([0, 1, 12]))) if cloud else levels
    x = x + 0.0 if x.any() else x + 1.0
    strong = rng.random(shape) < 0.5 * np.clip(x / 3, 0, 1)
    outcome = np.where(strong, Outcome.OVERTURNED, rng.choice(OUTCOMES, shape, p=[0.85, 0.05, 0.05, 0.05]))
    values = {"outcome": outcome.astype("i1"), ("intensity_value" if cloud else "intensity"): x}
    values |= {"peak_tilt_ratio": rng.random(shape), "peak_tilt": rng.random(shape)}
    values |= {"infeasible_energy_loss": 3 * rng.random(shape) ** 4, "lowest_normal_force": rng.random(shape)}
    names = ("infeasible_facet_impacts", "contact_lost", "edge_stick_infeasible", "energy_gain_impacts")
    values |= {name: rng.integers(0, 2, shape) for name in names}
    values |= {"body_slenderness": rng.random(n), "impact_law": rng.integers(0, 2, n)}
    values |= {"record": rng.integers(0, some, n)} if some else {}
    return build_dataset(values, units="m s-2")


def small_slices(stack, length):
    """Slices of few realizations, and nothing that is kept in memory as it is small."""
    for name, value in (("SLICE", length), ("SMALL", 0)):
        stack.enter_context(patch.object(runs, name, value))


def answer(statistic, ds):
    """Result of a statistic, or what it says in its place."""
    try:
        with np.errstate(all="ignore"):
            return statistic(ds)
    except ValueError as error:
        return xr.Dataset(attrs={"error": str(error)})


@given(name=st.sampled_from(list(STATISTICS)), ds=studies(), length=st.integers(1, 61))
def test_slices_change_no_number(name, ds, length):
    expected = answer(STATISTICS[name], ds)
    with ExitStack() as stack:
        small_slices(stack, length)
        found = answer(STATISTICS[name], ds)
    xr.testing.assert_identical(found, expected)


@given(
    ds=studies().filter(lambda ds: "intensity_value" in ds),
    number=st.integers(1, 70),
    length=st.integers(1, 61),
)
def test_classes_are_those_of_quantiles_of_all_intensities(ds, number, length):
    x = ds["intensity_value"].values
    edges = np.unique(np.quantile(x, np.linspace(0, 1, min(number, len(x)) + 1)[1:-1], method="lower"))
    index = np.unique(np.searchsorted(edges, x, side="left"), return_inverse=True)[1]
    with ExitStack() as stack:
        small_slices(stack, length)
        places = intensity_classes(ds, number)
    assert np.array_equal(places.of_run, index)
    parts = [x[index == k] for k in range(index.max() + 1)]
    for found, function in ((places.centre, np.median), (places.lower, np.min), (places.upper, np.max)):
        assert np.array_equal(found, [function(part) for part in parts])


@given(seed=st.integers(0, 2**32), n=st.integers(CELLS + 1, 3 * CELLS), length=st.integers(1, 900))
def test_cells_are_those_of_all_logarithms(seed, n, length):
    rng = np.random.default_rng(seed)
    x = rng.lognormal(size=n) * (rng.random(n) < 0.95)
    positive = x > 0
    z = np.log(x[positive])
    with patch.object(runs, "SLICE", length):
        places = place_in_cells(x.__getitem__, n, 50)
    cell = np.minimum(((z - z.min()) / (np.ptp(z) / 50)).astype(int), 49)
    index = np.unique(cell, return_inverse=True)[1]
    assert np.array_equal(places.of_run[positive], index)
    assert (places.of_run[~positive] == -1).all()
    assert np.array_equal(places.centre, np.exp(np.bincount(index, weights=z) / np.bincount(index)))


@pytest.mark.parametrize("number", [1, 127, 128, 129, 400, 401, 40_000])
def test_records_are_told_apart_in_as_few_bytes_as_hold_them(number):
    n = max(number, 300)
    record = np.random.default_rng(number).permutation(np.arange(n) % number)
    levels = {"outcome": np.ones((n, 1), "i1"), "intensity": [1.0], "record": record}
    ds = build_dataset(levels, units="m s-2")
    index, records = runs.record_index(ds)
    assert records == number
    assert np.array_equal(index, record)
    assert index.dtype.itemsize == (1 if number <= 128 else 2 if number <= 2**15 else 4)
    assert np.array_equal(record_lots(ds), record % runs.LOTS)
    assert np.array_equal(record_groups(ds, 64), record)
    alone = ds.drop_vars("record")
    assert np.array_equal(record_lots(alone), np.arange(n) % runs.LOTS)
    assert np.array_equal(record_groups(alone, 64), np.arange(n) * 64 // n)


def test_records_of_a_large_study_are_read_once_and_kept_in_few_bytes():
    record = np.arange(300, dtype="i4") % 22
    values = {"outcome": np.ones((300, 1), "i1"), "intensity": [1.0], "record": record}
    ds = build_dataset(values | {"motion_group": np.arange(22)}, units="m s-2").chunk(realization=50)
    with patch.object(runs, "SMALL", 0), patch.object(runs, "SLICE", 70):
        runs.read_once(ds)
    assert ds["record"].variable._data.nbytes == 300
    assert ds["outcome"].chunks is not None
    assert np.array_equal(ds["record"], record)


def test_runs_on_disk_are_counted_once_and_other_runs_anew(tmp_path):
    rng = np.random.default_rng(4)
    outcome = rng.choice([Outcome.AT_REST, Outcome.OVERTURNED], (300, 2)).astype("i1")
    path, record = tmp_path / "runs.nc", np.arange(300) % 7
    build_dataset({"outcome": outcome, "intensity": [1.0, 2.0]}, units="m s-2").to_netcdf(path)
    with (
        open_lazily(path, "netcdf4", str, None) as ds,
        patch.object(runs, "read_slices", wraps=runs.read_slices) as read,
    ):

        def counted(one, record=record):
            places = runs.intensity_classes(one, 2)
            return runs.count_runs(one, runs.overturn_levels, 1, places, record).beyond.sure[..., 0]

        first = counted(ds)
        assert np.array_equal(first, counted(ds.isel(intensity=slice(0, 2))))
        assert read.call_count == 1
        expected = [np.bincount(record, weights=row) for row in (outcome == Outcome.OVERTURNED).T]
        assert np.array_equal(first.T, expected)
        swapped = [ds.isel(realization=order) for order in (slice(None, None, -1), rng.permutation(300))]
        for one in (*swapped, ds.isel(intensity=[1, 0]), ds.assign(outcome=ds["outcome"][::-1])):
            found = counted(one)
            assert np.array_equal(found, counted(one.copy(deep=True).load()))
            assert not np.array_equal(found, first)
        assert not np.array_equal(counted(ds, record[::-1]), first)


@given(ds=studies(clouds=st.just(True)), step=st.integers(1, 9))
@pytest.mark.parametrize("statistic", [statistics.overturning_probability, statistics.fit_fragility])
def test_missing_runs_of_a_cloud_do_not_count(statistic, ds, step):
    there = np.arange(ds.sizes["realization"]) % step == 0
    x, outcome = ds["intensity_value"].copy(), ds["outcome"].copy()
    x[~there], outcome[~there] = np.nan, Outcome.NOT_RUN
    part, whole = ds.isel(realization=there), ds.assign(intensity_value=x, outcome=outcome)
    found, expected = (answer(partial(statistic, allow_missing=True), each) for each in (whole, part))
    xr.testing.assert_identical(
        found.drop_vars("records", errors="ignore"), expected.drop_vars("records", errors="ignore")
    )


CHOSEN = {  # as users of xarray choose, and by index
    "a level": (lambda ds: ds.sel(intensity=ds["intensity"].values[2]), {"intensity": [2]}),
    "the nearest level": (lambda ds: ds.sel(intensity=0.0, method="nearest"), {"intensity": [0]}),
    "a level by its number": (lambda ds: ds.isel(intensity=1), {"intensity": [1]}),
    "records, masked": (lambda ds: ds.where(ds["record"] < 3), {"realization": slice(0, 30)}),
    "records, dropped": (lambda ds: ds.where(ds["record"] < 3, drop=True), {"realization": slice(0, 30)}),
    "levels": (lambda ds: ds.where(ds["intensity"] > ds["intensity"][1]), {"intensity": slice(2, None)}),
}


@pytest.mark.parametrize("chosen", CHOSEN)
def test_parts_chosen_as_xarray_users_do_are_those_by_index(make_study, chosen):
    choose, index = CHOSEN[chosen]
    ds = make_study(records=6, per_record=10).sortby("record")
    ds["motion_name"] = "motion", [f"m{k}" for k in range(6)]
    xr.testing.assert_identical(
        statistics.overturning_probability(choose(ds)), statistics.overturning_probability(ds.isel(index))
    )


def test_a_mask_of_single_runs_is_refused_with_what_to_do(make_study):
    ds = make_study()
    with pytest.raises(ValueError, match=r"whole ones: choose by .* as in ds.where\(ds.record < 3\)"):
        statistics.overturning_probability(ds.where(ds["outcome"] == Outcome.OVERTURNED))
