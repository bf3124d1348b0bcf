"""Statistics and figures take the place of a store or file as well as its dataset."""

import inspect

import numpy as np
import pandas as pd
import psutil
import pytest
import xarray as xr

import mcrock as mr
from mcrock import plots, statistics
from mcrock.dataset import build_dataset, opened
from mcrock.dataset.opened import save_table, save_zarr
from tests.unit.conftest import copy_store


@pytest.fixture
def store(computed):
    """A store that other tests read too."""
    return computed


@pytest.fixture
def part(computed, tmp_path):
    """A copy of it that lacks a chunk."""
    copy = copy_store(computed, tmp_path / "part.zarr")
    (copy / "chunks" / "1.zip").unlink()
    return copy


def test_results_are_those_of_the_dataset(store, tmp_path):
    ds = mr.load_dataset(store)
    mr.dataset.save_dataset(ds, tmp_path / "s.nc")
    for source in (store, str(store), tmp_path / "s.nc"):
        xr.testing.assert_identical(mr.overturning_probability(source), mr.overturning_probability(ds))
        found = mr.fit_fragility(ds=source, level=0.9, resamples=50)
        xr.testing.assert_identical(found, mr.fit_fragility(ds, level=0.9, resamples=50))
    assert len(mr.plot_fragility(store).lines) == len(mr.plot_fragility(ds).lines)


def test_files_are_closed_at_the_end_of_a_block(store, tmp_path):
    with mr.load_dataset(store) as ds:
        mr.dataset.save_dataset(ds, tmp_path / "s.nc")
    with mr.load_dataset(tmp_path / "s.nc") as ds:
        assert ds["outcome"].shape == (40, 3)
        assert str(tmp_path / "s.nc") in open_files()
    assert str(tmp_path / "s.nc") not in open_files()


def open_files():
    return [file.path for file in psutil.Process().open_files()]


@pytest.mark.parametrize("module", [statistics, plots])
def test_every_function_of_a_study_takes_a_path(module):
    functions = {
        name: getattr(module, name) for name in module.__all__ if not name.endswith(("_run", "_spectrum"))
    }
    found = {name: item for name, item in functions.items() if next(iter(_parameters(item)), "") == "ds"}
    assert len(found) > 10
    for name, function in found.items():
        assert inspect.unwrap(function) is not function, f"{name} needs @accepts_path"
        required = [each for each in _parameters(function).values() if each.default is each.empty]
        others = ["x"] * (sum(each.kind < each.VAR_POSITIONAL for each in required) - 1)
        with pytest.raises(ValueError, match="no such store or file"):
            function("nothing.zarr", *others)


def _parameters(function):
    return inspect.signature(function).parameters


def test_designs_are_compared_by_their_places(store):
    found = statistics.compare_designs(store, store)
    assert (found["difference"] == 0).all()


def test_missing_runs_are_left_out_when_told(part):
    with pytest.raises(ValueError, match="is incomplete"):
        mr.overturning_probability(part)
    assert mr.overturning_probability(part, allow_missing=True)["runs"].max() < 40
    with pytest.raises(mr.dataset.DatasetError, match="incomplete"):
        xr.open_dataset(part)
    assert xr.open_dataset(part, allow_incomplete=True)["outcome"].shape == (40, 3)


def test_what_is_no_study_is_said(store):
    with pytest.raises(ValueError, match="a Dataset is needed"):
        mr.overturning_probability(5)


@pytest.mark.parametrize("outer", [False, True])
def test_a_file_is_written_in_slices(outer, tmp_path, monkeypatch):
    values = {"outcome": np.arange(42, dtype="i1").reshape(21, 2) % 4, "intensity": [1.0, 2.0]}
    ds = build_dataset(values | {"gravity": np.linspace(9, 10, 21)}, units="m s-2")
    if outer:
        ds = xr.concat([ds, ds.assign(outcome=4 - ds["outcome"])], "outer", data_vars="all", join="exact")
    monkeypatch.setitem(opened.AT_ONCE, "realization", 8)
    monkeypatch.setitem(opened.IN_FILE, "realization", 4)
    mr.dataset.save_dataset(ds, tmp_path / "s.nc")
    with xr.open_dataset(tmp_path / "s.nc") as found:
        xr.testing.assert_equal(found, ds)
        assert found["outcome"].encoding["chunksizes"] == ((1, 4, 2) if outer else (4, 2))
        assert found["gravity"].encoding["chunksizes"] == ((1, 4) if outer else (4,))


@pytest.mark.parametrize("options", [{}, {"chunks": {}}, {"chunks": "auto"}, {"engine": "mcrock"}])
def test_xarray_opens_a_store_itself(store, options):
    found = xr.open_dataset(str(store), drop_variables="chunk_done", **options)
    xr.testing.assert_identical(found.load(), mr.load_dataset(store).drop_vars("chunk_done").load())
    fallen = found.where(found["outcome"] == 3, drop=True)
    assert fallen["peak_tilt"].count() == (found["outcome"] == 3).sum()


@pytest.mark.parametrize("outer", [False, True])
def test_copies_for_other_programs_have_all_runs(store, tmp_path, monkeypatch, outer):
    """Written in slices; the one by a reader of Zarr alone, the other by one of Parquet."""
    monkeypatch.setitem(opened.AT_ONCE, "realization", 16)
    ds = mr.load_dataset(store).load()
    if outer:
        of_runs = [name for name, item in ds.items() if "realization" in item.dims or name == "chunk_done"]
        doubled = xr.concat([ds[of_runs]] * 2, "outer", data_vars="all", join="exact")
        ds = doubled.assign(ds.drop_vars(of_runs)).assign_attrs(ds.attrs)
    save_zarr(ds, tmp_path / "plain.zarr")
    save_table(ds, tmp_path / "runs.parquet")
    with xr.open_zarr(tmp_path / "plain.zarr") as plain:
        for name, item in ds.variables.items():
            np.testing.assert_array_equal(plain[name].values.astype(item.dtype), item.values)
            assert plain[name].attrs == item.attrs
    xr.testing.assert_identical(mr.load_dataset(tmp_path / "plain.zarr").load(), ds)
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "runs.parquet"), mr.to_frame(ds))
    chunk = next((tmp_path / "plain.zarr" / "peak_tilt" / "c").rglob("0"))
    while chunk.is_dir():
        chunk /= "0"
    chunk.write_bytes(chunk.read_bytes()[:-5] + b"x" + chunk.read_bytes()[-4:])
    with pytest.raises(mr.dataset.DamageError):
        mr.load_dataset(tmp_path / "plain.zarr")["peak_tilt"].load()
    for save, path in ((save_zarr, "plain.zarr"), (save_table, "runs.parquet")):
        with pytest.raises(mr.dataset.DatasetError, match="exists already"):
            save(ds, tmp_path / path)
        save(ds, tmp_path / path, overwrite=True)
    with pytest.raises(mr.dataset.DatasetError, match="not written by"):
        save_zarr(ds, store, overwrite=True)
