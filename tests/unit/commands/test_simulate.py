"""The command `simulate`: the run of the study, its files, and refusals before anything is written."""

import csv
import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest
import xarray as xr
from scipy.spatial.transform import Rotation

from mcrock.dataset import load_dataset
from mcrock.measurement import read_recording

FREE = """
seed = 1
body = { shape = "cuboid", width = 0.1, depth = 0.1, height = 0.4, density = 2600 }
start = { edge = 0, tilt_ratio = 0.9 }
ensemble.realizations = 1
controls.tail = 3.0
[motion]
source = "none"
"""
REPLACED = "files of an earlier run in run are replaced; -o names another folder\n"
FILES = ["events.csv", "history.nc", "history.png"]


def test_a_replay_equals_the_run_in_the_store(mcrock, study_file, store, monkeypatch):
    monkeypatch.chdir(store.parent)
    code, output, _ = mcrock("simulate", study_file, "--realization", 17, "--intensity", 1)
    assert code == 0
    with load_dataset(store) as ds:
        one = ds.isel(realization=17, intensity=1).load()
    name = ("at rest", "overturned")[int(one["outcome"] == 3)]
    assert f"outcome: {name}" in output
    impacts = int(one["facet_impacts"])
    assert re.search(rf"number of facet impacts +{impacts}\n", output)
    assert output.count("facet impact  ") == impacts


def test_a_store_is_enough(mcrock, study_file, store, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    which = ("--realization", 17, "--intensity", 1)
    given = mcrock("simulate", store, *which, "--folder", study_file.parent, "-o", "run")
    assert given[0] == 0
    with load_dataset(store) as ds:
        alike = ds["outcome"].values[ds["record"].values == ds["record"].values[17], 1]
    words = rf": [\w ]+; of the 3 intensities it overturned at \w.*; of the {(alike != 0).sum()} runs of "
    said = next(line for line in given[1].splitlines() if line.startswith(f"outcome in {store}: "))
    assert re.search(rf"{words}its recording at this intensity {(alike == 3).sum()} overturned$", said)
    by_file = mcrock("simulate", study_file, *which, "-o", "run")[1].replace(REPLACED, "")
    assert given[1].replace(f"{said}\n", "") == by_file


def test_an_intensity_is_a_number_of_a_level_or_a_value_with_its_unit(mcrock, study_file, tmp_path):
    which = ("simulate", study_file, "--realization", 17, "-o", tmp_path / "run", "--intensity")
    by_number = mcrock(*which, 1)[1]
    by_value = mcrock(*which, by_number.split(" at ")[1].split(":")[0].replace(" ", ""))[1]
    said = [line for line in by_value.splitlines() if not line.startswith("files of an earlier run")]
    assert said == by_number.splitlines()


def test_a_replay_can_be_animated(mcrock, study_file, tmp_path):
    animation = tmp_path / "run.html"
    simulate = ("simulate", study_file, "--realization", 17, "-o", tmp_path / "run", "--animate", animation)
    code, output, errors = mcrock(*simulate, "--speed", 0.5, "--fps", 10)
    assert (code, errors) == (0, "")
    assert output.splitlines()[-1] == str(animation)
    text = animation.read_text()
    assert "realization 17 at 0.918 g" in text
    assert '"speed":0.5' in text


def test_the_folder_of_the_run_may_hold_the_animation(mcrock, study_file, tmp_path):
    folder = tmp_path / "an" / "new"
    code, output, errors = mcrock("simulate", study_file, "-o", folder, "--animate", folder / "run.html")
    assert (code, errors) == (0, "")
    assert sorted(path.name for path in folder.iterdir()) == [*FILES, "run.html"]
    assert [line for line in output.splitlines() if str(folder) in line][-4:] == [
        str(folder / name) for name in ("history.nc", "events.csv", "history.png", "run.html")
    ]


def test_a_folder_that_cannot_be_written_to_is_refused_before_the_run(mcrock, study_file, monkeypatch):
    def never(*args):
        raise AssertionError("the run was made")

    may = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK | os.X_OK and may(path, mode))
    monkeypatch.setattr("mcrock.simulation.runs.simulate_realization", never)
    folder = study_file.parent / "new"
    code, output, errors = mcrock("simulate", study_file, "-o", folder)
    assert (code, output) == (2, "")
    assert errors.startswith(f"mcrock: {folder}: the folder {study_file.parent} cannot be written to")


def test_a_reader_that_leaves_does_not_take_the_files_with_it(study_file, tmp_path):
    folder = tmp_path / "run"
    command = [sys.executable, "-m", "mcrock", "simulate", study_file, "-o", folder]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
    assert sorted(path.name for path in folder.iterdir()) == FILES


def test_the_figure_names_the_study_and_the_measure(mcrock, study_file, tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr("mcrock.show.run.save_figure", lambda ax, path: drawn.append(ax.get_figure()))
    assert mcrock("simulate", study_file, "--realization", 17, "-o", tmp_path / "run")[0] == 0
    title, note = drawn[0].get_suptitle(), drawn[0].get_supxlabel()
    assert "realization 17 at 0.918 g, peak ground acceleration" in re.sub(r"\s", " ", title)
    assert note.splitlines()[-1] == "unit test, seed 5"


def test_free_rocking_is_drawn_without_ground_motion(mcrock, tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr("mcrock.show.run.save_figure", lambda ax, path: drawn.append(ax.get_figure()))
    path = tmp_path / "free.toml"
    path.write_text(FREE)
    folder = tmp_path / "run"
    code, output, errors = mcrock("simulate", path, "-o", folder, "--animate", tmp_path / "run.html")
    assert (code, errors) == (0, "")
    assert output.startswith("realization 0: still ground\n")
    again = "simulate", path, "-o", folder, "--animate", tmp_path / "run.html"
    assert (mcrock(*again)[0], mcrock(*again, "--overwrite")[0]) == (2, 0)
    assert drawn[0].get_suptitle() == "still ground, realization 0"
    assert [ax.get_ylabel() for ax in drawn[0].axes] == ["Angle [°]", "Contact", "Energy [J]"]


def test_a_replay_as_json_has_velocities_with_units(mcrock, study_file, tmp_path):
    """Results, events and units alone on the output; the events are those of the file."""
    simulate = ("simulate", study_file, "--realization", 17, "--intensity", 1, "-o", tmp_path)
    code, output, errors = mcrock(*simulate, "--json")
    assert (code, errors) == (0, "")
    data = json.loads(output)
    assert (data["realization"], data["intensity"], data["outcome"]) == (17, 1, "overturned")
    assert data["files"] == [str(tmp_path / name) for name in ("history.nc", "events.csv", "history.png")]
    assert set(data["results"]) < set(data["units"])
    assert 0.0 < data["drawn"]["azimuth"] < 2.0 * np.pi
    assert (data["units"]["velocity"], data["units"]["peak_tilt"]) == ("m s-1", "rad")
    with (tmp_path / "events.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(data["events"]) > 3
    for row, event in zip(rows, data["events"], strict=True):
        assert [float(row[f"velocity_{axis} [m/s]"]) for axis in "xyz"] == event["velocity"]
        assert (row["kind"], row["mode"].lower(), row["index"]) == (
            event["kind"],
            event["mode"],
            str(event["index"]),
        )
    assert any(event["velocity"][2] > 0.0 for event in data["events"])
    with xr.open_dataset(tmp_path / "history.nc") as history:
        assert history["velocity"].attrs["units"] == "m s-1"
        assert history["displacement"].attrs["units"] == "m"


SENSOR = ("--sensor-bias", 0.5, -1, 0.3, "--sensor-turn", 0, 0, 90, "--sensor-range", 30, "--sensor-noise", 0)


def test_a_sensor_reads_the_run(mcrock, tmp_path):
    """In its own axes: turned by 90 degrees about z, its x is the y of the body."""
    (tmp_path / "free.toml").write_text(FREE)
    path = tmp_path / "test.csv"
    code, output, _ = mcrock("simulate", tmp_path / "free.toml", "-o", tmp_path, "--sensor", path, *SENSOR)
    assert code == 0
    assert str(path) in output
    before = path.read_bytes()
    code, _, errors = mcrock("simulate", tmp_path / "free.toml", "-o", tmp_path, "--sensor", path)
    assert (code, path.read_bytes()) == (2, before)
    assert "test.csv exists already; replace it with --overwrite" in errors
    found = read_recording(path)
    history = xr.load_dataset(tmp_path / "history.nc")
    still = found.between(0.0, 1.9).angular_velocity
    assert still == pytest.approx(np.radians(np.tile([0.5, -1.0, 0.3], (len(still), 1))), abs=1e-9)
    turned = found.unbiased((0.0, 1.9)).turned(Rotation.from_rotvec([0, 0, 90], degrees=True))
    along = np.interp(found.time - 2.0, history["time"], history["angular_velocity"][:, 1], left=0.0)
    within = (abs(along) < np.radians(28)) & (found.time < 2.2)  # before the first impact
    assert within.sum() > 30
    assert turned.angular_velocity[within, 1] == pytest.approx(along[within], abs=2e-3)
    assert abs(found.angular_velocity).max() == pytest.approx(np.radians(30))
