"""Two small studies: one to run, a second of shaking with a short tail, and one of known statistics."""

import os
import shutil
import sys
import time
from functools import cache

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


STORED = {  # overrides of the small study
    "plain": [],
    "friction": ["contact.friction=0.3", "limits.displacement=0.2"],
    "cloud": [
        'intensity={ measure = "pga", value = { distribution = "uniform", low = 1.0, high = 9.0 }, '
        'variables = ["pgv"] }'
    ],
    "nested": [
        *("body.width.epistemic=true", "impact.lambda.epistemic=true", "impact.draw=run"),
        *("ensemble.outer=3", "ensemble.realizations=12"),
    ],
}


@pytest.fixture(scope="session")
def made_once(tmp_path_factory):
    """Function that gives a folder by its name, which the first worker that asks fills: not to be changed."""
    from tests.traces import OWN  # here, as it is a plugin that is loaded later

    own = tmp_path_factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    OWN.append(str(shared / "stored-"))  # no trace of the test that is the first to ask

    def folder(name, fill):
        path, done = shared / f"stored-{name}", shared / f"stored-{name}" / "done"
        try:
            path.mkdir()
        except FileExistsError:  # another worker is at it
            until = time.monotonic() + 600
            while not done.exists():
                assert time.monotonic() < until, f"{path} was not finished by its worker"
                time.sleep(0.05)
        else:
            fill(path)
            done.touch()
        return path

    return folder


@pytest.fixture(scope="session")
def stored(made_once):
    """Function that gives the store of one of `STORED`, computed once for all workers: to be copied only."""

    @cache
    def store(name="plain"):
        from mcrock.ensemble import run_study
        from mcrock.study import load_config  # here, as few folders need them

        def fill(folder):
            study = load_config(write_study(folder), STORED[name])
            run_study(study, folder / "s.zarr", workers=1).close()

        return made_once(name, fill) / "s.zarr"

    return store


@pytest.fixture
def copied(stored, tmp_path):
    """Function that copies a stored study into the folder of the test, under a name."""
    return lambda name="plain", to="s.zarr": copy_store(stored(name), tmp_path / to)


@pytest.fixture(scope="session")
def computed(stored):
    """Store of the small study: to be copied, not changed."""
    return stored()


@pytest.fixture(scope="session")
def runs_of_labels(made_once):
    """Folder, a nested study of labels and what the block of the known centre of mass does."""
    from mcrock.dataset import load_dataset
    from mcrock.ensemble import run_study
    from tests.unit.statistics.labels.test_calibrate import TRUE, study

    def fill(folder):
        run_study(study(folder), folder / "study.zarr").close()
        run_study(study(folder, "true", com=str(TRUE), outer=""), folder / "true.zarr").close()

    folder = made_once("labels", fill)
    return folder, *(load_dataset(folder / f"{name}.zarr").load() for name in ("study", "true"))


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
