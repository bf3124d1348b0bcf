"""`mcrock export`: one file that equals the store."""

import xarray as xr

from mcrock.dataset import load_dataset


def test_export_equals_the_store(mcrock, store, tmp_path):
    assert mcrock("export", store, "-o", tmp_path / "s.nc")[0] == 0
    with load_dataset(tmp_path / "s.nc") as exported, load_dataset(store) as stored:
        xr.testing.assert_identical(exported.load(), stored.load())
    code, _, errors = mcrock("export", store, "-o", tmp_path / "s.nc")
    assert (code, errors.count("\n")) == (2, 1)
    assert mcrock("export", store, "-o", tmp_path / "s.nc", "--overwrite")[0] == 0
