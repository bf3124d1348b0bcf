"""Two small studies: one to run, a second of shaking with a short tail, and one of known statistics."""

import shutil
import sys

import numpy as np
import pytest

STUDY = """
title = "unit test"
seed = 5
[body]
shape = "cuboid"
width = { distribution = "truncated_normal", mean = 0.3, std = 0.02, low = 0.2, high = 0.4 }
depth = 0.3
height = 1.0
density = 2000
[impact]
lambda = { distribution = "uniform", low = 0.6, high = 1.0 }
lambda_lon = { distribution = "uniform", low = 0.8, high = 1.0 }
draw = "impact"
[motion]
source = "csv"
files = ["one.csv", "two.csv"]
unit = "m/s2"
azimuth_deg = { distribution = "uniform", low = 0, high = 360 }
[intensity]
measure = "pga"
levels = [1.0, 4.0, 9.0]
[ensemble]
realizations = 40
design = "random"
[controls]
tail = 5.0
"""


@pytest.fixture
def study_file(tmp_path):
    """Path of a study file with its two records: 40 realizations at 3 intensities."""
    return write_study(tmp_path)


@pytest.fixture(scope="session")
def computed(tmp_path_factory):
    """Store of the small study, computed once by one worker: to be copied, not changed."""
    from mcrock.ensemble import run_study
    from mcrock.study import load_config  # here, as few folders need them

    folder = tmp_path_factory.mktemp("computed")
    run_study(load_config(write_study(folder)), folder / "s.zarr", workers=1).close()
    return folder / "s.zarr"


@pytest.fixture(scope="session")
def runs_of_labels(tmp_path_factory):
    """Folder, a nested study of labels and what the block of the known centre of mass does."""
    from mcrock.ensemble import run_study
    from tests.unit.statistics.labels.test_calibrate import TRUE, study

    folder = tmp_path_factory.mktemp("labels")
    ds = run_study(study(folder), folder / "study.zarr").load()
    true = run_study(study(folder, "true", com=str(TRUE), outer=""), folder / "true.zarr").load()
    return folder, ds, true


@pytest.fixture
def mcrock(monkeypatch, capsys):
    """Run the command line in this process: (exit code, output, errors)."""
    from mcrock.commands import program

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["mcrock", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            program.main()
        return ended.value.code or 0, *capsys.readouterr()

    return call


def copy_store(store, path):
    """Copy a store with its log."""
    shutil.copy(f"{store}.log", f"{path}.log")
    return shutil.copytree(store, path)


def write_study(folder):
    """Write the study file and its two records into a folder."""
    time = np.arange(0.0, 1.5, 0.02)
    for name, period in (("one", 0.8), ("two", 0.5)):
        x, y = np.sin(2 * np.pi * time / period), 0.5 * np.sin(2 * np.pi * time / period + 1.0) - 0.42
        np.savetxt(
            folder / f"{name}.csv",
            np.stack([time, x, y - y[0]], axis=1),
            delimiter=",",
            header="time,x,y",
            comments="",
        )
    path = folder / "study.toml"
    path.write_text(STUDY, encoding="utf-8")
    return path


@pytest.fixture
def make_study():
    """Function that makes the results of a study, see `simulate_study`."""
    from tests.unit.statistics.conftest import simulate_study

    return simulate_study
