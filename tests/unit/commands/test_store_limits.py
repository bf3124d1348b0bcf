"""Stores that cannot be written, are only read, or come from elsewhere: one message, nothing half done."""

import resource
import shutil
import signal
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest
import xarray as xr

from mcrock.base import session
from mcrock.ensemble import run_study
from mcrock.study import load_config


def tree(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@contextmanager
def files_of_at_most(size):
    """No file may become longer, as on a disk that is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


WRITING = [
    ("run", "study.toml", "-o", "new.zarr"),
    ("run", "study.toml", "-o", "half.zarr", "--resume"),
    ("run", "study.toml", "-o", "s.zarr", "--overwrite"),
    ("merge", "new.zarr", "s.zarr"),
    ("merge", "half.zarr", "s.zarr"),
    ("verify", "half.zarr", "--repair"),
    ("export", "s.zarr", "-o", "new.nc"),
    ("report", "s.zarr", "-o", "new.html"),
]


@pytest.fixture
def half(store):
    """The store without three of its chunks."""
    shutil.copytree(store, store.with_name("half.zarr"))
    for i in (0, 2, 4):
        (store.with_name("half.zarr") / "chunks" / f"{i}.zip").unlink()


@pytest.mark.usefixtures("half")
@pytest.mark.parametrize("arguments", WRITING, ids=" ".join)
def test_a_full_disk_is_one_message_and_nothing_is_lost(mcrock, store, tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    before = {name: file for name, file in tree(tmp_path).items() if name.suffix != ".log"}
    with files_of_at_most(3000):
        code, _, errors = mcrock(*arguments)
    assert code == 1
    assert "Traceback" not in errors
    assert "too large" in errors or "disk full" in errors
    if arguments[0] in ("export", "report"):
        assert arguments[-1] in errors
    assert {name: file for name, file in tree(tmp_path).items() if name.suffix != ".log"} == before
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith(".")]
    assert mcrock(*arguments)[0] == 0


def test_a_store_is_read_without_writing_anything(mcrock, store, tmp_path):
    before = tree(tmp_path)
    with files_of_at_most(0):
        for arguments in (("verify", store), ("stats", store, "--json"), ("status", store)):
            assert mcrock(*arguments)[0] == 0
    assert tree(tmp_path) == before


def test_two_writers_on_one_store_make_the_store_of_one(store, study_file, tmp_path):
    path, study = tmp_path / "two.zarr", load_config(study_file)
    errors = []

    def write():
        try:
            run_study(study, path, resume=True, workers=1, part_size=1).close()
        except Exception as error:
            errors.append(error)

    writers = [threading.Thread(target=write) for _ in range(2)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert errors == []
    assert tree(path) == tree(store)
    assert not [entry.name for entry in tmp_path.iterdir() if entry.name.startswith(".")]


@pytest.mark.parametrize("number", session.SIGNALS)
def test_an_interrupted_export_leaves_nothing(mcrock, store, tmp_path, monkeypatch, listen, number):
    def write_half(ds, path, **options):
        Path(path).write_bytes(b"half")
        signal.raise_signal(number)

    monkeypatch.setattr(xr.Dataset, "to_netcdf", write_half)
    (tmp_path / "s.nc").write_bytes(b"\x89HDF old")
    before = tree(tmp_path)
    listen(number)
    code, output, errors = mcrock("export", store, "-o", tmp_path / "s.nc", "--overwrite")
    assert (code, output, errors) == (128 + number, "", "mcrock: interrupted\n")
    assert tree(tmp_path) == before
