"""The command `measure`: a row for each test, and a bad test does not stop the others."""

import csv
import json
import re

import numpy as np
import pytest

import mcrock as mr
from mcrock.measurement import sensed, write_recording

BODY = '[body]\nshape = "cuboid"\nwidth = 0.1\ndepth = 0.14\nheight = 0.4\ndensity = 2700\n'

# what a study draws is not asked for
DRAWN = '[impact]\nlambda = { distribution = "uniform", low = 0.5, high = 1.0 }\n'


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two tests of one block, and a file of noise."""
    path = tmp_path_factory.mktemp("tests")
    (path / "block.toml").write_text(BODY + DRAWN)
    block = mr.cuboid(width=0.1, depth=0.14, height=0.4, density=2700)
    for number, lambda_ in ((1, 0.9), (2, 0.7)):
        run = mr.simulate(block, None, mr.Impact(lambda_=lambda_), start=mr.Start(edge=0, tilt=0.15))
        test = sensed(run, before=2.0, after=1.0, bias=(0.01, -0.02, 0.005), seed=number)
        write_recording(test, path / f"test-{number}.csv")
    noise = np.random.default_rng(1).normal(0.0, 1.0, (500, 3))
    write_recording(mr.measurement.Recording(np.arange(500) / 256, noise), path / "noise.csv")
    return path


def test_tests_are_measured_and_a_bad_one_is_named(mcrock, folder, tmp_path, monkeypatch):
    monkeypatch.chdir(folder)
    how = ("--body", "block.toml", "--edge", 0, "--still", 0, 1.5)
    code, output, _ = mcrock("measure", "test-1.csv", "noise.csv", "test-2.csv", *how, "-o", tmp_path)
    assert code == 0
    assert "noise.csv: no sample before the fast motion" in output
    rows = list(csv.DictReader((tmp_path / "measures.csv").read_text().splitlines()))
    assert [row["test"] for row in rows] == ["block-1-1", "block-1-2", "block-1-3"]
    refused = rows.pop(1)
    for row in rows:
        assert f"{float(row['swing_1']):.3f}" in output
        assert float(row["peak_tilt_2"]) < float(row["peak_tilt_1"])
    assert all(float(row["tilt_low"]) < 0.15 < float(row["tilt_high"]) for row in rows)
    assert [row["reason"] for row in rows] == ["", ""]
    assert refused["reason"].startswith("noise.csv: no sample before the fast motion")
    assert refused["avrf"] == refused["edge_impacts"] == ""
    (line,) = [line for line in output.splitlines() if line.startswith("block-1-2 ")]
    assert re.search(r" +-( +\S+)* +noise.csv: no sample before the fast motion", line)
    assert (tmp_path / "measures.png").exists()
    svg = tmp_path / "svg"
    numbers = mcrock("measure", "test-1.csv", "noise.csv", *how, "-o", svg, "--format", "svg", "--json")[1]
    variables = json.loads(numbers)["measures"]["variables"]
    assert [bool(reason) for reason in variables["reason"]["values"]] == [False, True]
    assert variables["avrf"]["values"][1] is None
    assert (svg / "measures.svg").read_text().count("refused") == 2  # in both panels
    found = json.loads(mcrock("measure", "test-1.csv", *how, "--json")[1])
    assert found["measures"]["variables"]["avrf"]["values"][0] == pytest.approx(float(rows[0]["avrf"]))


def test_a_time_at_rest_may_be_a_tests_own(mcrock, folder, tmp_path, monkeypatch):
    """What a table says of a test holds, not the option: from 2.2 to 2.3 s the body falls."""
    monkeypatch.chdir(folder)
    table = "file,specimen,position,repetition,still\ntest-1.csv,block,1,1,0 1.5\n"
    (folder / "own.csv").write_text(table)
    how = "--body", "block.toml", "--edge", 0, "--json", "--still"
    own = mcrock("measure", "--table", "own.csv", *how, 2.2, 2.3)
    assert own[0] == 0
    assert own == mcrock("measure", "test-1.csv", *how, 0, 1.5)


def test_a_bias_is_taken_at_rest_or_said(mcrock, folder, monkeypatch):
    """From the rest before the release where nobody says when, never from motion; a table has semicolons."""
    monkeypatch.chdir(folder)
    (folder / "semi.csv").write_text("file;specimen;position;repetition\ntest-1.csv;block;1;1\n")
    how = "--body", "block.toml", "--edge", 0, "--json"
    measured = "measure", "--table", "semi.csv", *how
    found, said = (json.loads(mcrock(*measured, *still)[1]) for still in ((), ("--still", 0, 1.5)))
    assert found["notes"][0].startswith("block-1-1: bias of the sensor taken from 0 to 1.5")
    ends = [each["measures"]["variables"]["opmf_interval"]["values"][0] for each in (found, said)]
    assert ends[0] == pytest.approx(ends[1], abs=1e-4)
    code, _, errors = mcrock("measure", "test-1.csv", *how, "--still", 1.5, 3)
    assert code == 2
    assert "the sensor does not rest from 1.5 to 3 s" in errors
    assert "--level must be" in mcrock("measure", "test-1.csv", *how, "--level", 95)[2]


def test_the_part_that_is_taken_can_be_given(mcrock, folder, tmp_path, monkeypatch):
    """A knock before the release is the first fast motion; what lies outside is not looked at."""
    monkeypatch.chdir(folder)
    data = mr.measurement.read_recording(folder / "test-1.csv")
    knock = np.where(np.abs(data.time - 0.3) < 0.05, 3.0 * np.sin(60.0 * data.time), 0.0)
    rates = data.angular_velocity + knock[:, None] * [0.0, 1.0, 0.0]
    write_recording(mr.measurement.Recording(data.time, rates), tmp_path / "knock.csv")
    how = "--body", "block.toml", "--edge", 0, "--still", 0.6, 1.5, "--json"

    def measured(file, *part):
        code, output, errors = mcrock("measure", file, *how, *part)
        return (json.loads(output)["measures"]["variables"] if code == 0 else {}), errors

    known, cut = measured("test-1.csv")[0], measured(tmp_path / "knock.csv", "--from", 0.6, "--until", 4.5)[0]
    assert cut["tilt"]["values"] == pytest.approx(known["tilt"]["values"], rel=1e-3)
    assert (
        measured(tmp_path / "knock.csv")[0].get("tilt", {"values": [0.0]})["values"] != cut["tilt"]["values"]
    )
    assert "it goes from 0 to" in measured("test-1.csv", "--from", 90)[1]


def test_nothing_to_measure_is_refused(mcrock, folder, monkeypatch):
    monkeypatch.chdir(folder)
    code, output, errors = mcrock("measure", "noise.csv", "--body", "block.toml", "--edge", 0)
    assert (code, output) == (2, "")
    assert errors.startswith("mcrock: block-1-1: noise.csv: no sample before the fast motion")
