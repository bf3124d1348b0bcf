"""Runs of a collection: the same earthquakes for all, and bits of each object that depend on no other."""

import shutil

import numpy as np
import pytest
import xarray as xr
from scipy.stats import kstest

from mcrock.base.tables.parsing import ConfigError
from mcrock.dataset import load_dataset
from mcrock.dataset.create import StoreError
from mcrock.ensemble import run_study
from mcrock.ensemble.collection import merge_collections, open_collection, run_collection
from mcrock.study import load_config
from mcrock.study.collection import load_collection, of_object
from mcrock.study.design import own_seed, unit_numbers
from mcrock.study.sampling import draw_inputs, load_motions
from tests.unit.conftest import write_study

SECTION = """
[collection]
table = "objects.csv"
[collection.floors.first]
frequency = { distribution = "uniform", low = 2.0, high = 4.0 }
"""
HEAD = "object,width [cm],body.com_x [cm],number,place,value,group"
ROWS = ("a,,,1,,1,", "b,25 to 30,,2,first,3,pair", "c,30,-1 to 1,1,ground,1,pair")
FEW = ("impact.draw=run", "ensemble.realizations=16")


@pytest.fixture
def load(tmp_path):
    """Function that loads a collection of some rows and the small study with overrides."""

    def of_rows(rows=ROWS, *overrides):
        path = write_study(tmp_path)
        path.write_text(path.read_text(encoding="utf-8") + SECTION, encoding="utf-8")
        (tmp_path / "objects.csv").write_text("\n".join([HEAD, *rows]) + "\n")
        return load_collection(path, [*FEW, *overrides])

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
    alone = run_study(load_config(write_study(tmp_path), [*FEW, *keys, com]), tmp_path / "alone.zarr")
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
    whole = run_collection(load(), tmp_path / "whole")
    path = tmp_path / "grown"
    few = load(ROWS[:2], "ensemble.realizations=8", "intensity.levels=[4.0]")
    run_collection(few, path)
    run_collection(load(ROWS[:2], "ensemble.realizations=8"), path, extend=True)
    run_collection(load(ROWS, "ensemble.realizations=8"), path, extend=True)
    grown = run_collection(load(), path, extend=True)
    same(grown, whole.open)
    shutil.rmtree(whole.store("b"))
    chunk = next((whole.store("c") / "chunks").iterdir())
    before = chunk.read_bytes()
    chunk.unlink()
    assert whole.done[0] < whole.done[1]
    again = run_collection(load(), whole.path, resume=True)
    assert again.done[0] == again.done[1]
    assert chunk.read_bytes() == before
    same(again, grown.open)


@pytest.mark.parametrize(
    ("design", "assignment"),
    [(design, "cycle") for design in ("random", "sobol", "sobol_by_record", "latin_hypercube")]
    + [("random", "random")],
)
def test_all_objects_meet_the_same_earthquakes(load, design, assignment):
    """Whatever each is uncertain in, and on a floor."""
    collection = load(ROWS, f"ensemble.design={design}", f'motion.assignment="{assignment}"')
    motions = load_motions(collection.members["a"])
    drawn = [draw_inputs(study, motions, 0, 16) for study in collection.members.values()]
    assert len({tuple(sorted(study.uncertain)) for study in collection.members.values()}) == 3
    for other in drawn[1:]:
        for name in ("record", "azimuth"):
            np.testing.assert_array_equal(other.values[name], drawn[0].values[name])
    np.testing.assert_array_equal(drawn[3].scale, drawn[0].scale)
    np.testing.assert_array_equal(
        drawn[1].values["motion_floor_frequency"], drawn[2].values["motion_floor_frequency"]
    )


def numbers(study, n=4000):
    return unit_numbers(study, 2, 0, n)


@pytest.mark.parametrize("design", ["random", "sobol"])
def test_what_objects_draw_by_themselves_is_independent(load, design):
    """Correlations of 4000 numbers beyond 4.5 standard errors: by chance in 1 of 10,000 runs of 24 pairs."""
    members = load(ROWS, f"ensemble.design={design}").members
    own, shared = ("body.width", "impact.lambda", "impact.lambda_lon"), "motion.azimuth"
    drawn = {name: numbers(study) for name, study in members.items()}
    tables = np.array([drawn[name][key] for name in ("a", "b", "b (2)") for key in own])
    tables = np.vstack([tables, drawn["a"][shared], drawn["b"]["motion.floor.frequency"]])
    off = np.corrcoef(tables) - np.eye(len(tables))
    assert np.abs(off).max() < 4.5 / np.sqrt(4000)
    assert np.abs(np.corrcoef(tables**2) - np.eye(len(tables))).max() < 4.5 / np.sqrt(4000)
    assert min(kstest(row, "uniform").pvalue for row in tables) > 1e-4
    assert len({own_seed(study) for study in members.values()}) == len(members)
    # the test has power: the numbers of one object under another name of the stream would be seen
    assert np.abs(np.corrcoef(np.vstack([tables, tables[0]]))[0, -1]) > 0.99


def test_a_changed_object_keeps_its_draws(load):
    study = load().members["c"]
    wider = load((*ROWS[:2], "c,40,,3,first,9,")).members["c"]
    assert set(study.uncertain) ^ set(wider.uncertain) == {"body.com_x", "motion.floor.frequency"}
    before, after = numbers(study, 50), numbers(wider, 50)
    for name in before.keys() & after.keys():
        np.testing.assert_array_equal(before[name], after[name])
    plain = of_object(study, "c")
    assert own_seed(plain) == own_seed(study) != own_seed(of_object(study, "d"))


def test_draws_at_impacts_differ_between_objects_and_copies(load, tmp_path):
    rows = ("a,30,,2,,,", "d,30,,1,,,")
    results = run_collection(load(rows, "impact.draw=impact", "body.width=0.3"), tmp_path / "c")
    tilts = [results.open(name)["peak_tilt"].values for _, name in results.members]
    for first, second in ((0, 1), (0, 2), (1, 2)):
        assert (tilts[first] != tilts[second]).any()  # those that hit the ground and stand
    first, copy = (results.open(name) for name in ("a", "a (2)"))
    xr.testing.assert_identical(first["record"].load(), copy["record"].load())
    assert [(row.name, name) for row, name in results.members] == [("a", "a"), ("a", "a (2)"), ("d", "d")]


def listed(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_refusals_leave_nothing(load, tmp_path):
    path = tmp_path / "c"
    cases = [
        ((ROWS, "intensity.measure=uplift_ratio"), {}, ConfigError, "depends on the body, and the objects"),
        ((ROWS,), {"workers": 0}, ValueError, "workers must be at least 1, got 0"),
        ((ROWS,), {"task": (3, 2)}, ValueError, "task must be i/n with 1 <= i <= n"),
        (
            ((*ROWS, "d,30,-40 to 40,1,,,"),),
            {},
            ConfigError,
            r"objects.csv, line 5 \(d\).*the centre of mass",
        ),
    ]
    for arguments, options, error, words in cases:
        collection = load(*arguments)
        before = listed(tmp_path)
        with pytest.raises(error, match=words):
            run_collection(collection, path, **options)
        assert listed(tmp_path) == before
    with pytest.raises(StoreError, match=r"the folder .*gone does not exist"):
        run_collection(load(), tmp_path / "gone" / "c")
    path.mkdir()
    with pytest.raises(StoreError, match="exists and has no results of a collection; choose another output"):
        run_collection(load(), path)
    with pytest.raises(ConfigError, match="has no results of a collection: `mcrock run` makes them"):
        open_collection(path)


def test_a_folder_is_continued_only_with_its_objects(load, tmp_path):
    path = tmp_path / "c"
    results = run_collection(load(ROWS[:2]), path)
    stored = load_dataset(results.store("a")).load()
    before = listed(path)
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
    assert listed(path / "objects") == ["a.zarr", "a.zarr.log", *listed_in(path / "objects", "a.zarr")]


def listed_in(folder, name):
    return [each for each in listed(folder) if each.startswith(f"{name}/")]


@pytest.mark.parametrize("name", ["Büste 1", "像", "a/b", "50 %", "..", "x" * 100, "像" * 50])
def test_any_name_has_a_store(load, tmp_path, name):
    results = run_collection(load((f"{name},,,1,,,",), "ensemble.realizations=2"), tmp_path / "c")
    assert results.store(name).parent == tmp_path / "c" / "objects"
    assert open_collection(tmp_path / "c").open(name).sizes["realization"] == 2
