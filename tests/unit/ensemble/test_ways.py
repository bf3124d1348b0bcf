"""However a study is computed, its store is the same: every kind of study on every way to its end."""

import hashlib

import numpy as np
import pytest
import xarray as xr

from mcrock.base.params import Outcome
from mcrock.dataset import is_declared, load_dataset, save_dataset
from mcrock.dataset.contents import chunks_done
from mcrock.dataset.create import merge_stores
from mcrock.ensemble import plan_study, run_study
from mcrock.excitation import pack_motions
from mcrock.simulation.runs import simulate_realization
from mcrock.study import load_config
from mcrock.study.sampling import draw_inputs, load_motions
from tests.unit.conftest import STORED, copy_store, write_study
from tests.unit.ensemble.test_shape_error_study import EPISTEMIC, OWN, write_rock

ROUGH = {"hulls of draws": EPISTEMIC, "hulls of realizations": OWN}
FEWER = {  # of which the study is an extension: a chunk that is not full, further intensities, more draws
    "plain": ["ensemble.realizations=36", "intensity.levels=[1.0, 9.0]"],
    "friction": ["ensemble.realizations=36", "intensity.levels=[4.0, 9.0]"],
    "cloud": ["ensemble.realizations=36"],
    "nested": ["ensemble.outer=2", "intensity.levels=[4.0]"],
    "hulls of draws": ["ensemble.outer=2"],
    "hulls of realizations": ["ensemble.realizations=9"],
}
OPTIONS = {
    "single realizations": {"workers": 5, "part_size": 1},
    "parts across chunks": {"workers": 2, "part_size": 11},
    "one part": {"part_size": 1000},
    "pieces": {"workers": 5},
    "pieces in processes": {"workers": 3, "processes": True},
}


def overrides(kind):
    return ROUGH[kind] if kind in ROUGH else STORED[kind]


@pytest.fixture(scope="module")
def whole(stored, tmp_path_factory):
    """Function that gives a study file of a kind and the store that one worker makes of it at once."""
    made = {}

    def of(kind):
        if kind not in made:
            path = (write_rock if kind in ROUGH else write_study)(tmp_path_factory.mktemp("study"))
            store = path.with_name("s.zarr") if kind in ROUGH else stored(kind)
            if kind in ROUGH:
                run_study(load_config(path, overrides(kind)), store, workers=1).close()
            made[kind] = path, store
        return made[kind]

    return of


def files(path):
    """Digest of every file of a store."""
    found = [file for file in sorted(path.rglob("*")) if file.is_file() and file.suffix != ".partial"]
    return {str(f.relative_to(path)): hashlib.sha256(f.read_bytes()).hexdigest() for f in found}


def in_tasks(study, path):
    for i in (3, 1):
        run_study(study, path, task=(i, 3)).close()
    assert 0 < chunks_done(path).sum() < chunks_done(path).size
    run_study(study, path, task=(2, 3)).close()


def merged(study, path):
    stores = [path.with_name(f"{i}.zarr") for i in (1, 2)]
    for i, store in enumerate(stores, start=1):
        run_study(study, store, task=(i, 2)).close()
    merge_stores(path, stores)


WAYS = [("hulls of realizations" if way == "processes" else "plain", way) for way in OPTIONS]
WAYS += [(kind, way) for kind in FEWER for way in ("tasks", "stores that are merged")]
WAYS += [(kind, "parts across chunks") for kind in FEWER if kind != "plain"]


@pytest.mark.parametrize(("kind", "way"), WAYS)
def test_no_way_changes_a_bit(whole, tmp_path, kind, way):
    (file, store), path = whole(kind), tmp_path / "s.zarr"
    study = load_config(file, overrides(kind))
    if way in OPTIONS:
        run_study(study, path, **OPTIONS[way]).close()
    else:
        (in_tasks if way == "tasks" else merged)(study, path)
    xr.testing.assert_identical(load_dataset(path).load(), load_dataset(store).load())
    assert files(path) == files(store)


@pytest.mark.parametrize("kind", FEWER)
def test_a_lost_chunk_is_computed_again_and_a_file_holds_the_same(whole, tmp_path, kind):
    (file, store), path = whole(kind), tmp_path / "s.zarr"
    study = load_config(file, overrides(kind))
    copy_store(store, path)
    sorted((path / "chunks").rglob("*.zip"))[-1].unlink()
    assert plan_study(study, path, resume=True).left == 1
    ds, expected = run_study(study, path, resume=True).load(), load_dataset(store).load()
    xr.testing.assert_identical(ds, expected)
    assert files(path) == files(store)
    assert all(is_declared(str(name)) for name in ds.variables)
    assert (ds["outcome"] != Outcome.NOT_RUN).all()
    assert 0 < (ds["outcome"] == Outcome.OVERTURNED).mean() < 1  # or all this proves little
    save_dataset(ds, tmp_path / "s.nc")
    with load_dataset(tmp_path / "s.nc") as copy:
        xr.testing.assert_identical(copy.load(), expected)


@pytest.mark.parametrize("kind", FEWER)
def test_an_extended_store_is_that_of_the_whole_study(whole, tmp_path, kind):
    (file, store), path = whole(kind), tmp_path / "s.zarr"
    run_study(load_config(file, [*overrides(kind), *FEWER[kind]]), path).close()
    extended = run_study(load_config(file, overrides(kind)), path, extend=True, workers=2, part_size=20)
    expected = load_dataset(store)
    names = [name for name in expected.variables if name != "chunk_done"]
    xr.testing.assert_identical(extended[names].load(), expected[names].load())


@pytest.mark.parametrize("kind", FEWER)
def test_a_run_by_itself_is_that_of_the_store(whole, kind):
    file, store = whole(kind)
    study, ds = load_config(file, overrides(kind)), load_dataset(store).load()
    motions = load_motions(study)
    for realization in (1, 5, study.n_realizations - 1):
        outer = study.n_outer - 1
        inputs = draw_inputs(study, motions, realization, realization + 1, outer)
        for level in range(study.n_intensity):
            _, run = simulate_realization(inputs, 0, level, pack_motions(motions), study.controls)
            place = {"outer": outer, "realization": realization, "intensity": level}
            one = ds.isel({dim: i for dim, i in place.items() if dim in ds["outcome"].dims})
            for name in set(run.results) - {"half_step_outcome"}:
                value = np.asarray(run.results[name]).astype(one[name].dtype)
                np.testing.assert_equal(value, one[name].values, err_msg=name)
