"""What every subject promises: tables that are in JSON, no number that is none, figures that can be drawn."""

import json
import re
import warnings
from functools import cache
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
import xarray as xr

from mcrock.base.params import STANDARD_GRAVITY
from mcrock.show.comparison import compose_comparison
from mcrock.show.curves import compose_fragility
from mcrock.show.risk import Site, compose_risk
from mcrock.show.sensitivity import compose_sensitivity, impact_effect, sensitivity_of
from mcrock.show.summary import (
    PLOTS,
    RESULTS,
    SECTIONS,
    STATISTICS,
    format_answer,
    format_summary,
    shown,
    summarize,
    summary_as_json,
)
from mcrock.show.text import Columns, as_json, dataset_as_json
from mcrock.statistics.intervals import Confidence
from tests.conftest import few_resamples
from tests.unit.statistics.results import study_of
from tests.unit.statistics.test_risk import power_law

NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")
CURVE = 60  # places, from which on a variable is one
SUMMARIES = ("levels", "cloud", "laws", "measures", "nested", "motions", "impacts", "isolated")
SITE = Site(power_law(fractiles=[0.84]).assign_attrs(reading="annual rates"), target=1e-3)


def twins(ds):
    other = ds["outcome"].isel(intensity=[0, *range(ds.sizes["intensity"] - 1)])
    other = ds.assign(outcome=(ds["outcome"].dims, other.values), seed=1).assign_attrs(seed=1)
    return compose_comparison(ds.assign_attrs(seed=1), other, (Path("a.zarr"), Path("b.zarr")), power_law())


def sensitivity(ds):
    return compose_sensitivity(sensitivity_of(ds, Confidence(), permutations=19))


SUBJECTS = {
    "risk": ("levels", lambda ds: compose_risk(ds, SITE, Confidence())),
    "risk of a nested study": ("nested", lambda ds: compose_risk(ds, SITE, Confidence())),
    "fragility": ("levels", compose_fragility),
    "fragility by measures": ("motions", lambda ds: compose_fragility(ds, measures=["pga", "pgv"])),
    "comparison": ("levels", twins),
    "sensitivity": ("inputs", sensitivity),
    "indices": ("indices", sensitivity),
}


@cache
def composed(name):
    kind, compose = SUBJECTS[name]
    with few_resamples(60), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of extrapolation
        return compose(study_of(kind))


@cache
def summarized(name):
    with few_resamples(60):
        return summarize(study_of(name), design="0.4g" if name == "motions" else None)


def numbers_in(table):
    """All numbers of JSON but those of curves."""
    if isinstance(table, dict | list):
        parts = list(table.values()) if isinstance(table, dict) else table if len(table) < CURVE else []
        return [number for each in parts for number in numbers_in(each)]
    return [float(table)] if isinstance(table, int | float) else []


def not_in_json(blocks, tables):
    """Numbers in cells of tables that no number of JSON rounds to, in SI units, in g or in per cent."""
    known = np.abs(numbers_in(tables))  # as a sign may say a direction
    known = np.unique(np.concatenate([known, known / STANDARD_GRAVITY, 100 * known]))
    cells = [cell for block in blocks if isinstance(block, Columns) for row in block.rows for cell in row]
    off = []
    for word in [word for cell in cells for word in NUMBER.findall(cell)]:
        mantissa, _, power = word.partition("e")
        last = 10.0 ** (int(power or 0) - len(mantissa.partition(".")[2]))
        if abs(known - abs(float(word))).min() > 1.01 * last:  # ends of intervals are rounded outwards
            off.append(word)
    return off


@pytest.mark.parametrize("name", SUBJECTS)
def test_tables_of_a_subject_are_in_its_json(name):
    found = composed(name)
    tables = found.tables if isinstance(found.tables, dict) else {"": found.tables}
    for each, table in tables.items():
        tables = tables | {each: dataset_as_json(table) if isinstance(table, xr.Dataset) else as_json(table)}
    assert not_in_json(found.blocks, json.loads(json.dumps(tables))) == []
    text = "\n".join(found.blocks)
    assert not re.search(r"\b(nan|inf|None)\b|<xarray", text)
    assert any(isinstance(block, Columns) for block in found.blocks)
    for block in found.blocks:
        assert not isinstance(block, Columns) or {len(block.heads)} == {len(row) for row in block.rows}


@pytest.mark.parametrize("name", SUBJECTS)
def test_every_drawing_of_a_subject_is_a_figure_or_says_why_not(name):
    with few_resamples(60), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for draw in composed(name).drawings.values():
            made = draw()
            assert isinstance(made, str) or made.get_figure() is not None
    plt.close("all")


@pytest.mark.parametrize("name", SUMMARIES)
def test_tables_of_a_summary_are_in_its_json(name):
    study = summarized(name)
    tables = json.loads(json.dumps(summary_as_json(study)))
    for each in RESULTS:
        blocks = [*shown(each, study)]
        if isinstance(study[each], xr.Dataset):
            blocks += RESULTS[each].page(study[each], study)
        assert not_in_json(blocks, tables) == [], each
        assert not re.search(r"\b(nan|inf|None)\b|<xarray", "\n".join(blocks)), each
    text = format_summary(study)
    assert all(
        line in text for each in RESULTS for block in shown(each, study) for line in block.splitlines()
    )
    assert format_answer(study).startswith("Probability of overturning (95 % interval): ")


def test_every_result_of_the_list_is_shown_by_one_of_these_studies():
    studies = [summarized(name) for name in SUMMARIES]
    known = {name for name in RESULTS for study in studies if isinstance(study[name], xr.Dataset)}
    assert known == set(RESULTS)
    assert {each.section for each in STATISTICS} - {""} <= set(SECTIONS)
    assert {plot.result for plot in PLOTS} <= set(RESULTS)


def test_the_effect_of_impacts_is_of_the_first_realizations_and_none_of_a_nested_study(monkeypatch):
    ds = study_of("impacts")
    monkeypatch.setattr("mcrock.show.sensitivity.MOST", 300)
    found = impact_effect(ds, Confidence())
    assert found.identical(impact_effect(ds.isel(realization=slice(300)), Confidence()))
    two = ds[["outcome", "record", "impact_lambda", "impact_lambda_lon"]].expand_dims(outer=2)
    assert summarize(two)["impact_effect"] is None
