"""Runs of a collection: the same earthquakes for all, and bits of each object that depend on no other."""

import shutil
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import xarray as xr
from scipy.stats import kstest

from mcrock.base.tables.parsing import ConfigError
from mcrock.dataset.create import StoreError
from mcrock.ensemble import run_study
from mcrock.ensemble.collection import merge_collections, open_collection, run_collection
from mcrock.statistics import what_limits
from mcrock.study import load_config
from mcrock.study.collection import load_collection, of_object
from mcrock.study.design import own_seed, unit_numbers
from mcrock.study.sampling import draw_inputs, load_motions
from tests.unit.conftest import write_study
from tests.unit.statistics.test_risk import power_law

SECTION = """
[collection]
table = "objects.csv"
[collection.floors.first]
frequency = { distribution = "uniform", low = 2.0, high = 4.0 }
"""
HEAD = "object,width [cm],body.com_x [cm],number,place,value,group,realizations"
ROWS = ("a,,,1,,1,,", "b,25 to 30,,2,first,3,pair,", "c,30,-1 to 1,1,ground,1,pair,")
FEW = ("impact.draw=run",)


@pytest.fixture
def load(tmp_path):
    """Function that loads a collection of some rows and the small study with overrides."""

    def of_rows(rows=ROWS, *overrides, **more):
        path = write_study(tmp_path)
        text = path.read_text(encoding="utf-8").replace("realizations = 40", "realizations = 16")
        path.write_text(text + SECTION, encoding="utf-8")
        (tmp_path / "objects.csv").write_text("\n".join([HEAD, *rows]) + "\n")
        return load_collection(path, [*FEW, *overrides], **more)

    return of_rows


def same(results, other):
    """Whether the objects of results are those of others to the last bit."""
    names = [name for _, name in results.members]
    for name in names:
        found, expected = (each.load().drop_dims("chunk") for each in (results.open(name), other(name)))
        xr.testing.assert_identical(found, expected)  # a store that grew has other chunks
    return names


def test_an_object_is_that_study_alone(load, tmp_path):
    collection = load()
    results = run_collection(collection, tmp_path / "c")
    made = same(results, lambda name: run_study(collection.members[name], tmp_path / f"{name}.zarr"))
    assert made == ["a", "b", "b (2)", "c"]
    keys = ("ensemble.object=c", "body.width=0.3", "title=c")  # the same, as a study file would have it
    com = 'body.com_x={ distribution = "uniform", low = -0.01, high = 0.01 }'
    alone = run_study(
        load_config(write_study(tmp_path), [*FEW, *keys, com, "ensemble.realizations=16"]),
        tmp_path / "alone.zarr",
    )
    held = results.open("c").load()
    for name in set(alone.data_vars) | {"intensity"}:
        xr.testing.assert_identical(alone[name].load(), held[name])


def test_no_other_object_nor_way_of_computing_changes_an_object(load, tmp_path):
    whole = run_collection(load(), tmp_path / "whole", workers=1)
    results = run_collection(load(ROWS[::-1]), tmp_path / "backwards", workers=2, part_size=5)
    assert same(results, whole.open) == ["c", "b", "b (2)", "a"]
    same(run_collection(load(ROWS[1:2]), tmp_path / "one"), whole.open)
    same(run_collection(load(), tmp_path / "processes", workers=2, processes=True), whole.open)
    for k in (1, 2):
        run_collection(load(), tmp_path / f"part {k}", task=(k, 2))
        tasks = run_collection(load(), tmp_path / "tasks", task=(k, 2))
    same(tasks, whole.open)
    folders = [tmp_path / "part 1", tmp_path / "part 2"]
    assert all(0 < open_collection(folder).done[0] < open_collection(folder).done[1] for folder in folders)
    same(merge_collections(tmp_path / "merged", folders), whole.open)


def test_what_is_missing_is_computed_and_more_is_added(load, tmp_path):
    whole, path = run_collection(load(), tmp_path / "whole"), tmp_path / "grown"
    few = "ensemble.realizations=8"
    run_collection(load(ROWS[:2], few, "intensity.levels=[4.0]"), path)
    run_collection(load(ROWS[:2], few), path, extend=True)
    run_collection(load(ROWS, few), path, extend=True)
    grown = run_collection(load(), path, extend=True)
    same(grown, whole.open)
    shutil.rmtree(whole.store("b"))
    next((whole.store("c") / "chunks").iterdir()).unlink()
    assert whole.done[0] < whole.done[1]
    again = run_collection(load(), whole.path, resume=True)
    assert again.done[0] == again.done[1]
    same(again, grown.open)


@pytest.mark.parametrize(
    ("design", "assignment"),
    [(design, "cycle") for design in ("random", "sobol", "sobol_by_record", "latin_hypercube")]
    + [(design, "random") for design in ("random", "sobol")],
)
def test_all_objects_meet_the_same_earthquakes(load, design, assignment):
    """Whatever each is uncertain in, and on a floor."""
    members = load(ROWS, f"ensemble.design={design}", f'motion.assignment="{assignment}"').members
    motions = load_motions(members["a"])
    a, b, copy, c = (draw_inputs(study, motions, 0, 16) for study in members.values())
    assert len({tuple(study.uncertain) for study in members.values()}) == 3
    for name, other in product(("record", "azimuth"), (b, copy, c)):
        np.testing.assert_array_equal(other.values[name], a.values[name])
    np.testing.assert_array_equal(a.scale, c.scale)
    np.testing.assert_array_equal(*(each.values["motion_floor_frequency"] for each in (b, copy)))


@pytest.mark.parametrize(
    ("design", "rows", "words"),
    [
        ("latin_hypercube", (*ROWS, "d,,,,,,,8"), "'latin_hypercube' depends on the number of realizations"),
        ("sobol_indices", ROWS, "'sobol_indices' depends on the inputs of each object, and they would not"),
    ],
)
def test_designs_that_differ_between_objects_are_refused(load, design, rows, words):
    with pytest.raises(ConfigError, match=words):
        load(rows, f"ensemble.design={design}")


def numbers(study, n=4000):
    return unit_numbers(study, 2, 0, n)


@pytest.mark.parametrize("design", ["random", "sobol"])
def test_what_objects_draw_by_themselves_is_independent(load, design):
    """Correlations beyond 4.5 standard errors: by chance in 1 of 2000 runs of 110 pairs, twice."""
    members = load(ROWS, f"ensemble.design={design}").members
    drawn = {name: numbers(study) for name, study in members.items()}
    own = ("body.width", "impact.lambda", "impact.lambda_lon")
    table = np.array([drawn[name][key] for name in ("a", "b", "b (2)") for key in own])
    table = np.vstack([table, drawn["a"]["motion.azimuth"], drawn["b"]["motion.floor.frequency"]])
    for power in (1, 2):
        off = np.corrcoef(table**power) - np.eye(len(table))
        assert np.abs(off).max() < 4.5 / np.sqrt(4000)
    assert min(kstest(row, "uniform").pvalue for row in table) > 1e-4
    assert len({own_seed(study) for study in members.values()}) == len(members)


def test_a_changed_object_keeps_its_draws(load):
    study = load().members["c"]
    wider = load((*ROWS[:2], "c,40,,3,first,9,,")).members["c"]
    assert set(study.uncertain) ^ set(wider.uncertain) == {"body.com_x", "motion.floor.frequency"}
    before, after = numbers(study, 50), numbers(wider, 50)
    for name in before.keys() & after.keys():
        np.testing.assert_array_equal(before[name], after[name])
    assert own_seed(of_object(study, "c")) == own_seed(study) != own_seed(of_object(study, "d"))


def test_draws_at_impacts_differ_between_objects_and_copies(load, tmp_path):
    rows = ("a,30,,2,,,,", "d,30,,1,,,,")
    results = run_collection(load(rows, "impact.draw=impact", "body.width=0.3"), tmp_path / "c")
    a, copy, d = (results.open(name).load() for _, name in results.members)
    for first, second in ((a, copy), (a, d), (copy, d)):
        assert (first["peak_tilt"] != second["peak_tilt"]).any()  # of those that hit the ground and stand
        xr.testing.assert_identical(first["azimuth"], second["azimuth"])
    assert [(row.name, name) for row, name in results.members] == [("a", "a"), ("a", "a (2)"), ("d", "d")]


def test_own_responses_of_the_study_are_computed(load, tmp_path):
    (tmp_path / "own.py").write_text("def spin(run):\n    return 2.0\n")
    collection = load(ROWS[:1], 'ensemble.responses=["own.py:spin"]', trust_code=True)
    assert (run_collection(collection, tmp_path / "c").open("a")["own_spin"] == 2.0).all()


def listed(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_refusals_leave_nothing(load, tmp_path):
    path = tmp_path / "c"
    for arguments, options, words in (
        ((ROWS, "intensity.measure=uplift_ratio"), {}, "depends on the body or its floor, and"),
        ((ROWS,), {"workers": 0}, "workers must be at least 1, got 0"),
        ((ROWS,), {"task": (3, 2)}, "task must be i/n with 1 <= i <= n"),
        (((*ROWS, "d,30,-40 to 40,1,,,,"),), {}, r"objects.csv, line 5 \(d\).*the centre of mass"),
    ):
        collection = load(*arguments)
        before = listed(tmp_path)
        with pytest.raises(ValueError, match=words):
            run_collection(collection, path, **options)
        assert listed(tmp_path) == before
    path.mkdir()
    with pytest.raises(StoreError, match="exists and has no results of a collection; choose another output"):
        run_collection(load(), path)
    with pytest.raises(StoreError, match=r"the folder .*gone does not exist"):
        run_collection(load(), tmp_path / "gone" / "c")
    with pytest.raises(ConfigError, match="has no results of a collection: `mcrock run` makes them"):
        open_collection(path)


def test_a_folder_is_continued_only_with_its_objects(load, tmp_path):
    path = tmp_path / "c"
    results = run_collection(load(ROWS[:2]), path)
    stored, before = results.open("a").load(), listed(path)
    for rows, options, words in (
        (ROWS[:2], {}, r"exists already; continue it \(--resume"),
        (ROWS, {"resume": True}, "lacks objects of the table: c; --extend adds them"),
        (ROWS[1:], {"extend": True}, "has objects that the table lacks: a; choose another output"),
    ):
        with pytest.raises(StoreError, match=words):
            run_collection(load(rows), path, **options)
        assert listed(path) == before
    again = run_collection(load(ROWS[:1], "seed=6"), path, overwrite=True)
    assert [name for _, name in open_collection(path).members] == ["a"]
    assert not again.open("a").load().equals(stored)
    assert {name[0] for name in listed(path / "objects")} == {"a"}  # and nothing of b


@pytest.mark.parametrize("name", ["Büste 1", "像", "a/b", "50 %", "..", "x" * 100, "像" * 50])
def test_any_name_has_a_store(load, tmp_path, name):
    results = run_collection(load((f"{name},,,1,,,,",), "ensemble.realizations=2"), tmp_path / "c")
    assert results.store(name).parent == tmp_path / "c" / "objects"
    assert open_collection(tmp_path / "c").open(name).sizes["realization"] == 2


def test_chosen_levels_are_those_of_the_stores_that_are_there(load, tmp_path):
    """None are there where a folder was ended before its first store."""
    path, chosen = tmp_path / "c", load(ROWS[:1], "intensity.levels=auto")
    levels = run_collection(chosen, path).open("a")["intensity"].values
    (item,) = chosen.items
    given = chosen._replace(items=[replace(item, study=item.study.at_intensities([0.5, *levels[1:]]))])
    other = run_collection(given, tmp_path / "d").open("a")["intensity"].values
    again = run_collection(chosen, tmp_path / "d", resume=True).open("a")["intensity"].values
    np.testing.assert_array_equal(again, other)
    shutil.rmtree(tmp_path / "d" / "objects")
    again = run_collection(chosen, tmp_path / "d", resume=True).open("a")["intensity"].values
    np.testing.assert_array_equal(again, levels)


@pytest.mark.parametrize("asked", [{}, {"intensity": 5.0}, "hazard"])
def test_objects_end_by_themselves_each_at_its_number(load, tmp_path, asked):
    """By the answer that is asked for, whose level is one of the study."""
    changes = "ensemble.realizations=auto", "ensemble.most_realizations=40", "intensity.levels=auto"
    if asked == "hazard":
        asked = {"hazard": power_law()}
    results = run_collection(load(ROWS[:2], *changes), tmp_path / "c", **asked)
    numbers = {name: results.open(name).sizes["realization"] for _, name in results.members}
    limits = {name: float(what_limits(results.open(name), **asked)["runs_share"]) for name in numbers}
    assert all(n == 40 or (8 <= n < 40 and limits[name] <= 0.05) for name, n in numbers.items())
    if "intensity" in asked:
        assert (results.open("a")["intensity"] == 5.0).any()
    tasks = load(ROWS[:2], *changes)
    for i in (1, 2):
        run_collection(tasks, tmp_path / "t", task=(i, 2), **asked)
    assert len({open_collection(tmp_path / "t").open(name).sizes["realization"] for name in numbers}) == 1
