"""What every result of statistics promises: numbers, intervals, units, JSON, order, slices, missing runs."""

import inspect
import json
import re
import warnings
from functools import cache
from unittest.mock import patch

import numpy as np
import pytest
import xarray as xr

from mcrock import statistics
from mcrock.base.params import Outcome
from mcrock.dataset import SCHEMA
from mcrock.show.text import dataset_as_json, present
from mcrock.statistics import runs
from tests.conftest import few_resamples
from tests.unit.statistics.results import RESULTS, study_of

ROUNDING = 1e-9  # of sums in another order
REFITTED = 1e-6  # of curves that are fitted anew
WIDE = 60  # places along a dimension, from which on a variable is a curve
NAMED = {  # numbers of an interval whose name is not NAME_interval
    "interval": ("probability", "share", "mean", "estimate", "naive"),
    "band": ("curve",),
}
PLAIN = re.compile(  # names that say what they are, in a table with no other words
    "(accepted_|isotonic_|level_|rank_|record_)?(reached|curve|fraction|correlation|runs|misclassified|log_loss)"
    "|share|value|mean|quantile|probability|estimate|naive|content|capacity|period|damping|demand|change"
    "|intercept|unknown|median_capacity|dispersion|(fit_)?p_value|strongest_run|input_.*"
)
OTHERS = {  # functions of other things than runs, and those that give no result
    *("Bootstrap", "Confidence", "by_limit", "by_measure", "by_support"),
    *("checks_of_body", "design_intensity", "displacement_limit", "hazard_consistency", "load_hazard"),
    *("measures_of", "overturned", "pooled", "required_median", "sliding_distance", "split_by_choice"),
    *("survival", "undecided", "with_displacement_limit", "with_measures"),
}
NUMBERS = ("intensity_value", "im_pgv", "own_time")  # NaN where a run has not been run
every = pytest.mark.parametrize("name", RESULTS)


def those(fits):
    return pytest.mark.parametrize("name", [name for name, one in RESULTS.items() if fits(one)])


def compute(name, ds=None, **more):
    one = RESULTS[name]
    with few_resamples(60), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of extrapolation
        return one.compute(study_of(one.study) if ds is None else ds, **more)


@cache
def result_of(name):
    return compute(name)


def pairs_of(found):
    """Names of numbers and of their intervals."""
    for name in found.data_vars:
        numbers = NAMED.get(name, (name.removesuffix("_interval"),))
        yield from ((each, name) for each in numbers if each != name and each in found.data_vars)


def test_every_statistic_is_held_to_this():
    called = set()
    for one in RESULTS.values():
        function = inspect.unwrap(one.compute)
        called |= {function.__name__, *function.__code__.co_names}
        held = inspect.getclosurevars(function).nonlocals.values()
        called |= {inspect.unwrap(each).__name__ for each in held if callable(each)}
    assert set(statistics.__all__) - OTHERS <= called


def test_every_variable_of_a_study_is_its_attribute():
    assert not set(SCHEMA) & set(dir(xr.Dataset))


@every
def test_a_number_lies_in_its_interval_and_has_its_unit(name):
    found = result_of(name)
    for number, interval in pairs_of(found):
        low, high = found[interval].sel(bound="lower"), found[interval].sel(bound="upper")
        known = (found[number] + low + high).notnull()
        off = ROUNDING * abs(found[number])
        inside = (low <= found[number] + off) & (found[number] <= high + off)
        assert known.any(), number
        assert inside.where(known, True).all(), number
        assert found[interval].attrs.get("units") == found[number].attrs.get("units"), interval


@every
def test_every_number_is_known_or_listed_and_has_unit_and_name(name):
    found = result_of(name)
    methods = {"mean", "quantile"} if name == "own responses" else set()
    assert {str(each) for each in found.variables} & set(dir(xr.Dataset)) == methods
    floats = {str(each): array for each, array in found.data_vars.items() if array.dtype.kind == "f"}
    unknown = {each for each, array in floats.items() if not np.isfinite(array).all()}
    assert unknown == set(RESULTS[name].open.split()) & set(floats)
    for each, array in floats.items():
        assert "units" in array.attrs or {"units", "value_units"} & set(found), each
        assert {"long_name", "bound"} & {*array.attrs, *array.dims} or PLAIN.fullmatch(each), each


@every
def test_json_has_the_numbers_and_text_shows_them(name):
    """Numbers in JSON make the same tables, which have every long name and no NaN."""
    found = result_of(name)
    found = found.drop_dims([dim for dim, size in found.sizes.items() if size > WIDE])
    table = json.loads(json.dumps(dataset_as_json(found)))["variables"]
    read = {}
    for each, array in found.variables.items():
        assert table[each]["dims"] == list(array.dims)
        assert table[each]["units"] == array.attrs.get("units")
        if array.dtype.kind == "f":
            values, known = np.array(table[each]["values"], float), np.isfinite(array.values)
            assert np.isnan(values[~known]).all(), each
            read[each] = array.copy(data=np.where(known, values, array.values))
        else:
            assert table[each]["values"] == array.values.tolist(), each
    if RESULTS[name].whole:
        shown = present(found, name)
        assert (
            present(found.assign({each: read[each] for each in read if each in found.data_vars}), name)
            == shown
        )
        text = "\n".join(shown)
        assert not re.search(r"\b(nan|inf|None)\b", text)
        for each, array in found.data_vars.items():
            if array.attrs.get("digits") != "curve" and "long_name" in array.attrs and array.notnull().any():
                assert array.attrs["long_name"] in text, each


def close(found, expected, rtol=ROUNDING):
    xr.testing.assert_allclose(found.drop_attrs(), expected.drop_attrs(), rtol=rtol, atol=ROUNDING)


@those(lambda one: one.order)
def test_the_order_of_runs_changes_nothing(name):
    ds = study_of(RESULTS[name].study)
    order = np.random.default_rng(1).permutation(ds.sizes["realization"])
    close(compute(name, ds.isel(realization=order)), result_of(name), REFITTED)


@those(lambda one: one.levels)
def test_neither_order_nor_unit_of_the_levels_changes_anything(name):
    """Intensities ten times as large make all that has their unit ten times as large."""
    ds = study_of(RESULTS[name].study)
    mixed = ds.isel(intensity=[3, 1, 0, 2, *range(4, ds.sizes["intensity"])])
    found = compute(name, mixed.assign_coords(intensity=10 * mixed["intensity"]))
    if "intensity" in found.dims:
        found = found.sortby("intensity")
    for each, array in result_of(name).variables.items():
        if array.dtype.kind == "f":
            factor = 10 if array.attrs.get("units") == "m s-2" or each == "intensity" else 1
            np.testing.assert_allclose(found[each], factor * array, REFITTED, REFITTED, err_msg=each)


@every
def test_slices_of_runs_change_nothing(name):
    with patch.object(runs, "SLICE", 37):
        close(compute(name), result_of(name))


def not_run(ds):
    """The study with, and without, every third round of its records, of whose runs nothing is known."""
    rounds = np.unique(ds["record"].values).size if "record" in ds else 1
    mask = xr.DataArray(np.arange(ds.sizes["realization"]) // rounds % 3 != 2, dims="realization")
    unknown = {each: ds[each].where(mask) for each in NUMBERS if each in ds}
    unknown |= {
        each: ds[each].where(mask, 0).astype("i1") for each in ("outcome", "impact_law") if each in ds
    }
    return ds.assign(unknown), ds.isel(realization=mask.values)


@those(lambda one: one.refuses)
def test_runs_that_have_not_been_run_are_refused(name):
    with pytest.raises(ValueError, match=r"\d+ of \d+ runs have not been run yet"):
        compute(name, not_run(study_of(RESULTS[name].study))[0])


@those(lambda one: one.missing)
def test_or_left_out_where_that_is_allowed(name):
    part, rest = not_run(study_of(RESULTS[name].study))
    assert (part["outcome"] == Outcome.NOT_RUN).any()
    close(compute(name, part, allow_missing=True), compute(name, rest), REFITTED)


@those(lambda one: one.level)
def test_a_level_is_a_probability_and_narrows_the_intervals(name):
    for level in (0, 1, 95, np.nan):
        with pytest.raises(ValueError, match=r"level must lie in \(0, 1\)"):
            compute(name, level=level)
    found, narrow = result_of(name), compute(name, level=0.6)
    for _, interval in pairs_of(found):
        wide, less = (np.ptp(one[interval].transpose("bound", ...).values, axis=0) for one in (found, narrow))
        known = np.isfinite(wide + less)
        assert (less[known] <= wide[known] * (1 + REFITTED)).all(), interval


@every
def test_keywords_are_checked(name):
    with pytest.raises(TypeError, match="levels"):
        compute(name, levels=0.9)
    parameters = inspect.signature(RESULTS[name].compute).parameters
    if "resamples" in parameters:
        with pytest.raises(ValueError, match="resamples must be at least 1"):
            compute(name, resamples=0)
