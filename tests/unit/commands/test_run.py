"""`mcrock run`: what it prints, its store, and what survives an interruption."""

import json
import os
import re
import signal
import time

import pytest

from mcrock.dataset import load_dataset
from mcrock.dataset.contents import chunks_done
from mcrock.dataset.create import leftovers
from tests.unit.commands.processes import PATIENCE, PROGRAM, started


def test_a_run_ends_with_its_table_and_path(mcrock, study_file, tmp_path):
    code, output, errors = mcrock("run", study_file, "-o", tmp_path / "s.zarr", "--workers", 2)
    assert code == 0, errors
    lines = output.splitlines()
    table = next(i for i, line in enumerate(lines) if line.startswith("intensity"))
    chance, curve, independent, limit = lines[: lines.index("")]  # the answer comes first
    assert [place.split(" at ")[1] for place in chance.split("): ")[1].split(", ")] == [
        f"{x} g" for x in ("0.102", "0.408", "0.918")
    ]
    assert curve.startswith("In 70 of 120 runs of 2 records the body overturns; ")
    assert "intervals count" in independent
    assert limit.startswith("limited by its 2 recordings: 10 times the runs would narrow the interval")
    assert lines[table].split()[:4] == ["intensity", "runs", "overturned", "undecided"]
    assert [line.split()[:3] for line in lines[table + 1 : table + 4]] == [
        [x, "g", "40"] for x in ("0.102", "0.408", "0.918")
    ]
    assert lines[-1] == str(tmp_path / "s.zarr")


def test_impacts_that_nobody_chose_are_noted_beside_the_result(mcrock, study_file, tmp_path):
    default = ("--set", "impact.lambda=1.0", "--set", "impact.lambda_lon=1.0")
    notes = [
        line for line in mcrock("check", study_file, *default)[1].splitlines() if "impact.lambda " in line
    ]
    code, output, errors = mcrock("run", study_file, "-o", tmp_path / "s.zarr", *default)
    assert (code, len(notes)) == (0, 1), errors
    assert output.splitlines()[-2:] == [*notes, str(tmp_path / "s.zarr")]


def test_a_dry_run_writes_nothing(mcrock, study_file, tmp_path):
    before = sorted(tmp_path.iterdir())
    code, output, _ = mcrock("run", study_file, "-o", tmp_path / "s.zarr", "--dry-run")
    assert code == 0
    assert "5 chunks of up to 8 realizations" in output
    assert sorted(tmp_path.iterdir()) == before


def test_a_dry_run_refuses_and_counts_as_the_run_does(mcrock, study_file, store):
    run = ("run", study_file, "-o", store, "--dry-run")
    code, output, errors = mcrock(*run)
    assert (code, output) == (2, "")
    assert "--resume, in Python resume=True" in errors
    assert "--overwrite, in Python overwrite=True" in errors
    (store / "chunks" / "3.zip").unlink()
    for options, line in (
        (("--resume",), "1 of the 5 chunks would be computed"),
        (("--task", "2/2"), "1 of the 3 chunks of task 2/2 would be computed"),
        (("--overwrite",), "5 of the 5 chunks would be computed"),
    ):
        code, output, _ = mcrock(*run, *options)
        assert (code, output.splitlines()[-1]) == (0, line)


def test_seed_and_keys_can_be_overridden(mcrock, study_file, tmp_path):
    options = ("--seed", 9, "--set", "ensemble.realizations=11", "--set", "body.height=1.1")
    assert mcrock("run", study_file, "-o", tmp_path / "s.zarr", *options)[0] == 0
    with load_dataset(tmp_path / "s.zarr") as ds:
        config = json.loads(ds.attrs["config"])
        assert ds.sizes["realization"] == 11
    assert (config["seed"], config["body"]["height"]) == (9, 1.1)


def test_tasks_say_how_far_the_study_is(mcrock, study_file, tmp_path):
    run = ("run", study_file, "-o", tmp_path / "s.zarr")
    code, output, _ = mcrock(*run, "--task", "1/2")
    assert (code, output) == (0, f"task 1/2 has ended; 2 of 5 chunks of {tmp_path / 's.zarr'} are done\n")
    code, output, _ = mcrock(*run, "--task", "2/2")
    assert code == 0


@pytest.mark.parametrize(
    ("interrupted", "message"),
    [
        (
            "mcrock.dataset.create.create_store",
            "interrupted before anything was computed; {store} is as it was",
        ),
        (
            "mcrock.dataset.create.remove_leftovers",
            "{new} and deletes what is left of the old store in {old}",
        ),
        ("mcrock.ensemble.study._compute", "{new}"),
    ],
)
def test_an_interrupted_replacement_says_which_store_is_there(
    mcrock, store, study_file, monkeypatch, interrupted, message
):
    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    def end(code):
        raise SystemExit(code)

    monkeypatch.setattr(interrupted, interrupt)
    monkeypatch.setattr("os._exit", end)
    code, _, errors = mcrock("run", study_file, "-o", store, "--overwrite")
    new = (
        f"interrupted; 0 of 5 chunks of {store} are done, the same command with --resume in place of "
        "--overwrite computes the others"
    )
    old = ", ".join(map(str, leftovers(store)))
    assert code == 130
    assert errors == f"mcrock: {message.format(store=store, new=new, old=old)}\n"
    assert chunks_done(store).all() == ("as it was" in message)


def test_a_failed_run_is_exit_1(mcrock, study_file, tmp_path, monkeypatch):
    def fail(*args, **more):
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr("mcrock.ensemble.part.simulate_part", fail)
    code, output, errors = mcrock("run", study_file, "-o", tmp_path / "s.zarr")
    assert (code, output) == (1, "")
    assert "mcrock: realizations 0 to 7 failed: ZeroDivisionError" in errors
    assert "0 of 5 chunks are done" in errors
    assert "Traceback" not in errors


@pytest.mark.parametrize(
    ("sent", "code", "processes"),
    [
        (signal.SIGINT, 130, False),
        (signal.SIGTERM, 143, True),
        pytest.param(signal.SIGTERM, 143, False, marks=pytest.mark.slow),
        pytest.param(signal.SIGINT, 130, True, marks=pytest.mark.slow),
    ],
)
def test_an_interrupted_run_goes_on_with_resume(study_file, tmp_path, sent, code, processes):
    path = tmp_path / "s.zarr"
    options = ["--set", "ensemble.realizations=20000", "--workers", "2"]
    command = [*PROGRAM, "run", study_file, "-o", path, *options, *(["--processes"] if processes else [])]
    with started(command) as process:
        while not path.exists() or not chunks_done(path).any():
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(sent)
        output, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == code
    assert output == ""
    *progress, last = errors.splitlines()  # a slow machine may have shown progress before
    assert re.fullmatch(r"mcrock: interrupted; \d+ of \d+ chunks of .* are done, .* --resume .*", last)
    assert all(re.match(r"\d+ of \d+ runs", line) for line in progress)
    assert 0 < chunks_done(path).sum() < len(chunks_done(path))


@pytest.mark.parametrize(
    "delay", [pytest.param(0.0, marks=pytest.mark.slow), 0.2, pytest.param(0.6, marks=pytest.mark.slow)]
)
def test_worker_processes_that_start_say_nothing_of_an_interruption(study_file, tmp_path, delay):
    command = [*PROGRAM, "run", study_file, "-o", tmp_path / "s.zarr", "--processes", "--workers", "2"]
    command += ["--set", "ensemble.realizations=20000"]
    with started(command, process_group=0) as process:
        while not (tmp_path / "s.zarr.log").exists():
            assert process.poll() is None
            time.sleep(0.01)
        time.sleep(delay)
        os.killpg(process.pid, signal.SIGINT)  # a terminal sends it to all processes
        _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    *progress, last = errors.splitlines()
    assert last.startswith("mcrock: interrupted; ")
    assert all(re.match(r"\d+ of \d+ runs", line) for line in progress)
