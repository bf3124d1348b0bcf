"""Stores of the first format, folders of zarr arrays: read while all their files are there."""

import json
import os
import pickle
import shutil

import numpy as np
import pytest
import xarray as xr
import zarr

from mcrock.dataset import DamageError, DatasetError, build_dataset, load_dataset, outputs
from mcrock.dataset.create import StoreError, check_removable
from mcrock.dataset.folders import FILES, check_folder
from mcrock.dataset.identity import check_same_study, known_length

OUTPUTS = outputs(friction=False)


def written(path, done=(1, 1), **attrs):
    """A store of 5 realizations at 3 intensities, in chunks of 3 and 2 realizations."""
    rng = np.random.default_rng(1)
    values = {name: rng.integers(0, 4, (5, 3)) for name in OUTPUTS}
    values |= {"outcome": np.full((5, 3), 3), "intensity": [1.0, 2.0, 3.0], "record": np.zeros(5)}
    values |= {"motion_name": ["a"], "motion_group": [0], "motion_intensity": [3.0], "chunk_done": done}
    ds = build_dataset(values, attrs={"source": "mcrock 0", "seed": 1, "config": "{}"} | attrs)
    ds["outcome"][3 : 3 if done[1] else 5] = 0
    sizes = {"realization": 3, "intensity": 2, "chunk": 1, "motion": 1}
    encoding = {
        name: {"write_empty_chunks": True, "chunks": tuple(sizes[dim] for dim in array.dims)}
        for name, array in ds.variables.items()
        if name != "realization"
    }
    ds.to_zarr(path, consolidated=False, zarr_format=3, encoding=encoding)
    zarr.open_array(path / "chunk_done", mode="r+").attrs[FILES] = " ".join(encoding)
    return ds


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    folder = tmp_path_factory.mktemp("original")
    written(folder / "old")
    return folder / "old"


@pytest.fixture
def store(original, tmp_path):
    return shutil.copytree(original, tmp_path / "old")


def test_it_is_read_and_not_continued(tmp_path):
    path = tmp_path / "old"
    ds = written(path)
    xr.testing.assert_identical(load_dataset(path).load(), ds)
    check_folder(path)
    check_removable(path)
    assert known_length(path) is None
    with pytest.raises(StoreError, match=r"can be read, but not continued\. Choose another output"):
        check_same_study(path, ds.attrs)


@pytest.mark.parametrize(
    "file",
    [
        "outcome/c/1/1",
        "peak_tilt/c/0/0",
        "record/c/1",
        "intensity/c/1",
        "motion_name/c/0",
        "record/zarr.json",
    ],
)
@pytest.mark.parametrize("is_empty", [False, True])
def test_a_lost_file_is_named(store, file, is_empty):
    (store / file).write_bytes(b"") if is_empty else (store / file).unlink()
    for read in (load_dataset, check_folder):
        with pytest.raises(DamageError, match=rf"old is damaged: {file} is missing; stores of this older"):
            read(store)


def test_many_lost_files_are_counted(store):
    shutil.rmtree(store / "outcome" / "c")
    with pytest.raises(DamageError, match=r"outcome/c/0/0 is missing \(and 3 more\); stores"):
        load_dataset(store)


def test_chunks_that_are_not_done_need_no_files(tmp_path):
    path = tmp_path / "old"
    written(path, done=(1, 0))
    shutil.rmtree(path / "outcome" / "c" / "1")
    (path / "record" / "c" / "1").unlink()
    (path / "chunk_done" / "c" / "1").unlink()
    with pytest.raises(DatasetError, match="incomplete: 1 of 2 chunks are done"):
        load_dataset(path)
    outcome = load_dataset(path, allow_incomplete=True)["outcome"].values
    np.testing.assert_array_equal(outcome, np.repeat([3, 0], [3, 2])[:, None] * np.ones((1, 3)))
    (path / "outcome" / "c" / "0" / "1").unlink()
    with pytest.raises(DamageError, match=r"outcome/c/0/1 is missing; stores"):
        load_dataset(path, allow_incomplete=True)


def test_what_cannot_be_decoded_is_named(store):
    (store / "outcome" / "c" / "1" / "1").write_bytes(b"xx")
    with pytest.raises(DamageError, match=r"old is damaged: outcome/c/1/1 cannot be decoded; stores"):
        check_folder(store)
    outcome = load_dataset(store)["outcome"]
    with pytest.raises(DamageError, match=r"outcome/c/1/1 cannot be decoded; stores"):
        outcome.load()


def test_other_folders_are_no_stores(tmp_path):
    written(tmp_path / "other", source="another model")
    load_dataset(tmp_path / "other")
    with pytest.raises(StoreError, match="is not a store of mcrock"):
        check_same_study(tmp_path / "other", {})


class Order:
    """What makes a folder when it is unpickled."""

    def __init__(self, folder):
        self.folder = folder

    def __reduce__(self):
        return os.mkdir, (str(self.folder),)


def test_nothing_in_a_folder_is_run(tmp_path, monkeypatch):
    """An array of the former zarr format may be pickled; numcodecs before 0.16.6 obeys it when it opens."""
    monkeypatch.setattr("numcodecs.pickles.ALLOW_UNSAFE_PICKLE_DECODE", True, raising=False)
    array = {"zarr_format": 2, "shape": [1], "chunks": [1], "dtype": "|O", "order": "C", "fill_value": ""}
    array |= {"compressor": {"id": "pickle"}, "filters": [{"id": "vlen-utf8"}]}
    folder = tmp_path / "s.zarr" / "x"
    folder.mkdir(parents=True)
    (folder.parent / ".zgroup").write_text('{"zarr_format": 2}')
    (folder / ".zarray").write_text(json.dumps(array))
    (folder / ".zattrs").write_text('{"_ARRAY_DIMENSIONS": ["x"]}')
    (folder / "0").write_bytes(pickle.dumps(Order(tmp_path / "obeyed")))
    with pytest.raises(DatasetError):
        load_dataset(folder.parent)
    assert not (tmp_path / "obeyed").exists()
