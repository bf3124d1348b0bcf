"""Labelled datasets: made, checked, exported."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest
import xarray as xr

from mcrock.base.params import Outcome
from mcrock.dataset import (
    SCHEMA,
    DatasetError,
    build_dataset,
    check_folder,
    is_declared,
    load_dataset,
    outputs,
    replacing,
    save_dataset,
)
from mcrock.dataset.schema import table_inputs

OUTPUTS = outputs(friction=False)


@pytest.fixture
def result():
    """A result of 6 realizations at 2 intensities."""
    rng = np.random.default_rng(1)
    values = {name: rng.integers(1, 4, (6, 2)) for name in OUTPUTS}
    values |= {"intensity": [1.0, 2.0], "record": np.arange(6) % 2, "motion_name": ["a", "b"]}
    values |= {"motion_group": [0, 1], "motion_intensity": [3.0, 4.0], "chunk_done": [1, 1]}
    attrs = {"title": "t", "seed": 2**63 - 1, "config": "{}"}
    return build_dataset(values, units="m s-1", long_name="peak ground velocity", attrs=attrs)


def test_a_result_says_what_it_holds(result):
    """Every variable its name, every number its unit, intensities the measure's, codes a meaning."""
    for name, array in result.variables.items():
        assert array.attrs["long_name"]
        assert array.dtype.kind == "O" or array.attrs["units"], name
    assert result["intensity"].attrs == {"units": "m s-1", "long_name": "peak ground velocity"}
    assert result["motion_intensity"].attrs["units"] == "m s-1"
    attrs = result["outcome"].attrs
    assert attrs["flag_values"] == [int(code) for code in Outcome]
    assert attrs["flag_meanings"].split()[Outcome.OVERTURNED] == "overturned"
    assert all(result[name].dtype == SCHEMA[name].dtype for name in OUTPUTS)
    # a choice of a motion is a byte; a number keeps all the digits that were drawn
    assert (table_inputs()["motion_shape"].dtype, table_inputs()["motion_period"].dtype) == ("i1", "f8")
    cloud = build_dataset({"outcome": [1, 3], "intensity_value": [0.1, 0.2]}, units="m s-2")
    assert cloud["outcome"].dims == cloud["intensity_value"].dims == ("realization",)


def test_inputs_with_numbers_are_declared_with_them():
    ds = build_dataset({"outcome": [1, 3], "body_vertices_12_0": [0.1, 0.2]})
    assert ds["body_vertices_12_0"].attrs == {
        "units": "m",
        "long_name": "vertex 12, coordinate 0 of the study (0 x, 1 y, 2 z)",
    }
    assert is_declared("impact_face_3_lambda_lat")
    for name in ("body_vertices_1", "body_vertices_#_#", "body_vertices_a_0", "body_mass_1", "impact_face_3"):
        assert not is_declared(name)
        with pytest.raises(ValueError, match=f"'{name}' is not a variable of mcrock"):
            build_dataset({name: [0.0]})


def test_a_folder_is_checked_before_anything_is_written(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    check_folder(tmp_path)
    check_folder(tmp_path / "new" / "folder")
    for name in ("file", "file/new"):
        with pytest.raises(DatasetError, match=r"file is a file, not a folder; choose another output"):
            check_folder(tmp_path / name)
    monkeypatch.setattr("os.access", lambda *args: False)
    with pytest.raises(DatasetError, match=r"new/x: the folder .* cannot be written to"):
        check_folder(tmp_path / "new" / "x")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"heigth": [1.0]}, "'heigth' is not a variable of mcrock"),
        ({"body_mass": [[1.0]]}, r"'body_mass' must have the dims \('realization',\), got the shape"),
        ({"outcome": 3}, r"'outcome' must have the dims"),
    ],
)
def test_what_is_not_in_the_schema_is_refused(values, message):
    with pytest.raises(ValueError, match=message):
        build_dataset(values)


@pytest.mark.parametrize("suffix", [".zarr", ".nc"])
def test_a_file_gives_back_what_was_written(result, tmp_path, suffix):
    path = tmp_path / f"r{suffix}"
    if suffix == ".zarr":
        result.to_zarr(path, consolidated=False, zarr_format=3)
    else:
        save_dataset(result, path)
    loaded = load_dataset(path).load()
    xr.testing.assert_identical(loaded, result)
    assert list(loaded.data_vars) == [name for name in SCHEMA if name in result.data_vars]
    loaded.close()


@pytest.mark.parametrize("suffix", [".zarr", ".nc"])
def test_variables_come_as_declared_in_whatever_order_they_are_stored(tmp_path, suffix):
    """Also those that no row of the schema names: measures, numbered inputs, and strangers."""
    ordered = ["body_mass", "body_width", "body_com_z", "body_top_scale", "motion_scaling", "azimuth"]
    ordered += ["body_vertices_2_0", "body_vertices_10_0", "body_vertices_10_1", "impact_face_0_lambda_lon"]
    ordered += ["im_pga", "im_tm", "im_sa_0p5s", "im_sa_1s", *OUTPUTS, "chunk_done", "mine", "yours_2"]
    ordered += ["yours_10"]
    sizes = {name: (2, 3) if name in OUTPUTS else (2,) for name in ordered}
    whole = build_dataset({name: np.ones(sizes[name]) for name in ordered if is_declared(name)})
    whole = whole.assign({name: ("realization", np.ones(2)) for name in ordered if not is_declared(name)})
    for seed in range(3):
        shuffled = whole[np.random.default_rng(seed).permutation(ordered).tolist()]
        path = tmp_path / f"{seed}{suffix}"
        if suffix == ".zarr":
            shuffled.to_zarr(path, consolidated=False, zarr_format=3)
        else:
            save_dataset(shuffled, path)
        with load_dataset(path) as loaded:
            assert list(loaded.data_vars) == ordered


def test_an_export_of_lazy_arrays_equals_that_of_loaded_ones(result, tmp_path):
    result.to_zarr(tmp_path / "r.zarr", consolidated=False, zarr_format=3)
    save_dataset(load_dataset(tmp_path / "r.zarr", chunks={}), tmp_path / "r.nc")
    with load_dataset(tmp_path / "r.nc") as loaded:
        xr.testing.assert_identical(loaded.load(), result)


def test_missing_runs_are_refused_unless_allowed(result, tmp_path):
    result["chunk_done"][1] = 0
    save_dataset(result, tmp_path / "r.nc")
    with pytest.raises(
        DatasetError,
        match=r"incomplete: 1 of 2 chunks are done, the first that is not is 1; .* --allow-incomplete",
    ):
        load_dataset(tmp_path / "r.nc")
    load_dataset(tmp_path / "r.nc", allow_incomplete=True).close()


def _without_names(change):
    return lambda ds, path: change(ds.drop_vars("motion_name")).to_netcdf(path)


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (lambda ds, path: None, r"r\.nc: no such store or file"),
        (lambda ds, path: path.mkdir(), "neither a zarr store nor a NetCDF file"),
        (lambda ds, path: path.write_text("no"), "neither a zarr store nor a NetCDF file"),
        (lambda ds, path: xr.Dataset({"x": 1}).to_netcdf(path), "not a result .* no variable 'outcome'"),
        (
            _without_names(lambda ds: ds.assign(peak_tilt=ds["peak_tilt"].assign_attrs(units="deg"))),
            "units 'rad', got 'deg'",
        ),
        (
            _without_names(lambda ds: ds.assign(outcome=ds["outcome"].astype("f8"))),
            "'outcome' must be of type int8",
        ),
        (
            _without_names(lambda ds: ds.assign(record=("motion", np.zeros(2, "i4")))),
            "'record' must have the dims",
        ),
    ],
)
def test_what_is_no_result_is_refused(result, tmp_path, write, message):
    write(result, tmp_path / "r.nc")
    with pytest.raises(DatasetError, match=message):
        load_dataset(tmp_path / "r.nc")


def test_an_export_replaces_nothing_but_a_netcdf_file_and_only_if_told(result, tmp_path):
    path = tmp_path / "r.nc"
    save_dataset(result, path)
    with pytest.raises(DatasetError, match=r"r\.nc exists already; replace it with --overwrite"):
        save_dataset(result, path)
    save_dataset(result, path, overwrite=True)
    notes = tmp_path / "notes.txt"
    notes.write_text("years of work")
    for other in (notes, tmp_path):
        with pytest.raises(DatasetError, match="exists and is not a NetCDF file"):
            save_dataset(result, other, overwrite=True)
    assert notes.read_text() == "years of work"
    for place, says in (("none/r.nc", "the folder .* does not exist"), ("a.txt", "must end in")):
        with pytest.raises(DatasetError, match=says):
            save_dataset(result, tmp_path / place)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["notes.txt", "r.nc"]


def test_an_export_that_fails_leaves_the_old_file_and_nothing_else(result, tmp_path):
    path = tmp_path / "r.nc"
    save_dataset(result, path)
    before = path.read_bytes()
    script = textwrap.dedent("""
        import resource, signal, sys
        from pathlib import Path
        import numpy as np
        from mcrock.dataset import build_dataset, save_dataset
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
        values = {"outcome": np.ones((1000, 2)), "peak_tilt": np.random.default_rng(0).random((100_000, 2))}
        values["outcome"] = np.ones((100_000, 2))
        try:
            save_dataset(build_dataset(values), Path(sys.argv[1]), overwrite=True)
        except OSError as error:
            print(error)
    """)
    done = subprocess.run([sys.executable, "-c", script, path], capture_output=True, text=True, check=False)
    assert "r.nc" in done.stdout, done.stderr
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["r.nc"]


def test_a_temporary_name_is_not_in_the_message(tmp_path):
    with pytest.raises(OSError, match="Permission denied") as caught, replacing(tmp_path / "r.nc") as scratch:
        raise PermissionError(13, "Permission denied", str(scratch))
    assert caught.value.filename == str(tmp_path / "r.nc")
