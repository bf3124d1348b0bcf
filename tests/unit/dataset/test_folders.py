"""Copies of results in plain zarr arrays are read and not continued; nothing in a folder is run."""

import json
import os
import pickle

import numpy as np
import pytest
import xarray as xr
import zarr

from mcrock.dataset import DamageError, DatasetError, build_dataset, load_dataset, outputs
from mcrock.dataset.contents import check_copy
from mcrock.dataset.create import StoreError, check_removable, check_same_study, known_length

OUTPUTS = outputs(friction=False)


def written(path, **attrs):
    """A copy of 5 realizations at 3 intensities, in chunks of 3 and 2 realizations."""
    rng = np.random.default_rng(1)
    values = {name: rng.integers(0, 4, (5, 3)) for name in OUTPUTS}
    values |= {"outcome": np.full((5, 3), 3), "intensity": [1.0, 2.0, 3.0], "record": np.zeros(5)}
    values |= {"motion_name": ["a"], "motion_group": [0], "motion_intensity": [3.0], "chunk_done": (1, 1)}
    ds = build_dataset(values, attrs={"source": "mcrock 0", "seed": 1, "config": "{}"} | attrs)
    encoding = {"outcome": {"write_empty_chunks": True, "chunks": (3, 2)}}
    ds.to_zarr(path, consolidated=False, zarr_format=3, encoding=encoding)
    return ds


def test_it_is_read_and_not_continued(tmp_path):
    path = tmp_path / "copy"
    ds = written(path)
    xr.testing.assert_identical(load_dataset(path).load(), ds)
    check_copy(path)
    check_removable(path)
    assert known_length(path) is None
    with pytest.raises(StoreError, match=r"can be read, but not continued\. Choose another output"):
        check_same_study(path, ds.attrs)


def test_a_store_of_the_first_format_is_refused(tmp_path):
    written(tmp_path / "old")
    zarr.open_array(tmp_path / "old" / "chunk_done", mode="r+").attrs["variables"] = "outcome chunk_done"
    with pytest.raises(DatasetError, match="first format, which is no longer read: run its study again"):
        load_dataset(tmp_path / "old")


def test_what_cannot_be_decoded_is_named(tmp_path):
    store = tmp_path / "copy"
    written(store)
    (store / "outcome" / "c" / "1" / "1").write_bytes(b"xx")
    with pytest.raises(
        DamageError, match=r"copy is damaged: outcome/c/1/1 cannot be decoded; copy the result"
    ):
        check_copy(store)
    outcome = load_dataset(store)["outcome"]
    with pytest.raises(DamageError, match=r"outcome/c/1/1 cannot be decoded; copy the result"):
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
