"""The command line: exit codes, messages, and what survives an interruption."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest
import xarray as xr

from mcrock.dataset import load_dataset
from mcrock.dataset.store import chunks_done, leftovers

PROGRAM = [sys.executable, "-m", "mcrock"]


def program(*arguments, **options):
    """Run the command line in a process of its own."""
    command = [*PROGRAM, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def test_help_and_version_come_without_the_heavy_imports():
    script = (
        "import sys; from mcrock.commands import program; sys.argv = ['mcrock', '--help']\n"
        "try: program.main()\n"
        "finally: print(sorted({'numba', 'xarray', 'dask', 'scipy', 'zarr', 'pydantic'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1] == "[]"
    assert re.fullmatch(r"mcrock \S+\n", program("--version").stdout)


def test_a_run_ends_with_its_table_and_path(mcrock, study_file, tmp_path):
    code, output, errors = mcrock("run", study_file, "-o", tmp_path / "s.zarr", "--workers", 2)
    assert code == 0, errors
    lines = output.splitlines()
    assert lines[1].split()[:4] == ["intensity", "runs", "overturned", "undecided"]
    assert [line.split()[:3] for line in lines[2:5]] == [[x, "g", "40"] for x in ("0.102", "0.408", "0.918")]
    assert "Fragility: no curve (separated: " in output
    assert lines[-1] == str(tmp_path / "s.zarr")


def test_stats_say_the_same_as_the_run(mcrock, study_file, tmp_path):
    _, at_the_end, _ = mcrock("run", study_file, "-o", tmp_path / "s.zarr")
    code, output, _ = mcrock("stats", tmp_path / "s.zarr")
    assert code == 0
    assert output == at_the_end[: len(output)]


def test_stats_as_json(mcrock, store):
    code, output, _ = mcrock("stats", store, "--json")
    result = json.loads(output)
    assert code == 0
    assert result["overturning_probability"]["variables"]["runs"]["values"] == [40, 40, 40]
    assert result["fragility"]["variables"]["median"]["units"] == "m s-2"


def test_a_cloud_is_looked_at_by_any_of_its_measures(mcrock, study_file, tmp_path):
    cloud, store = tmp_path / "cloud.toml", tmp_path / "s.zarr"
    value = 'value = { distribution = "uniform", low = 1.0, high = 9.0 }\nvariables = ["pgv"]'
    cloud.write_text(study_file.read_text().replace("levels = [1.0, 4.0, 9.0]", value))
    assert mcrock("run", cloud, "-o", store)[0] == 0
    _, output, _ = mcrock("stats", store)
    assert {line.split()[0] for line in output.splitlines() if line.strip()} >= {"measure", "pga", "pgv"}
    _, output, _ = mcrock("stats", store, "--measure", "pgv")
    assert output.startswith("Probability of overturning by peak ground velocity")
    result = json.loads(mcrock("stats", store, "--measure", "pgv", "--json")[1])
    assert result["fragility"]["variables"]["median"]["units"] == "m s-1"
    assert result["intensity_measures"]["variables"]["measure"]["values"] == ["pgv", "pga"]
    code, output, _ = mcrock("plot", store, "--measure", "pgv", "-o", tmp_path / "figures")
    assert code == 0
    assert "measures.png" in output
    code, _, errors = mcrock("stats", store, "--measure", "sa")
    assert code == 2
    assert "no intensity measure 'sa': it has pga, pgv; list others in intensity.variables" in errors


def test_check_says_size_and_time(mcrock, study_file):
    code, output, _ = mcrock("check", study_file)
    assert code == 0
    assert "40 realizations x 3 intensities = 120 runs" in output
    assert re.search(
        r"\n(about .*|less than 1 s) on the \d+ cores of this machine, .* ms per run, mean of \d+ runs",
        output,
    )


def test_a_dry_run_writes_nothing(mcrock, study_file, tmp_path):
    before = sorted(tmp_path.iterdir())
    code, output, _ = mcrock("run", study_file, "-o", tmp_path / "s.zarr", "--dry-run")
    assert code == 0
    assert "5 chunks of up to 8 realizations" in output
    assert sorted(tmp_path.iterdir()) == before


def test_seed_and_keys_can_be_overridden(mcrock, study_file, tmp_path):
    options = ("--seed", 9, "--set", "ensemble.realizations=11", "--set", "body.height=1.1")
    assert mcrock("run", study_file, "-o", tmp_path / "s.zarr", *options)[0] == 0
    with load_dataset(tmp_path / "s.zarr") as ds:
        config = json.loads(ds.attrs["config"])
        assert ds.sizes["realization"] == 11
    assert (config["seed"], config["body"]["height"]) == (9, 1.1)


def test_export_equals_the_store(mcrock, store, tmp_path):
    assert mcrock("export", store, "-o", tmp_path / "s.nc")[0] == 0
    with load_dataset(tmp_path / "s.nc") as exported, load_dataset(store) as stored:
        xr.testing.assert_identical(exported.load(), stored.load())
    code, _, errors = mcrock("export", store, "-o", tmp_path / "s.nc")
    assert (code, errors.count("\n")) == (2, 1)
    assert mcrock("export", store, "-o", tmp_path / "s.nc", "--overwrite")[0] == 0


def test_tasks_say_how_far_the_study_is(mcrock, study_file, tmp_path):
    run = ("run", study_file, "-o", tmp_path / "s.zarr")
    code, output, _ = mcrock(*run, "--task", "1/2")
    assert (code, output) == (0, f"task 1/2 has ended; 2 of 5 chunks of {tmp_path / 's.zarr'} are done\n")
    code, output, _ = mcrock(*run, "--task", "2/2")
    assert code == 0
    assert "Fragility: no curve (separated: " in output


@pytest.mark.parametrize("command", [("stats",), ("export", "-o", "x.nc"), ("plot", "-o", "figures")])
def test_missing_runs_are_refused(mcrock, study_file, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    mcrock("run", study_file, "-o", "s.zarr", "--task", "1/2")
    name, *rest = command
    code, _, errors = mcrock(name, "s.zarr", *rest)
    assert code == 2
    assert errors.startswith("mcrock: s.zarr is incomplete: 2 of 5 chunks are done; finish it with")
    assert not (tmp_path / "x.nc").exists()
    assert not (tmp_path / "figures").exists()


def test_missing_runs_can_be_accepted(mcrock, study_file, tmp_path):
    mcrock("run", study_file, "-o", tmp_path / "s.zarr", "--task", "1/2")
    code, output, _ = mcrock("stats", tmp_path / "s.zarr", "--allow-incomplete")
    assert code == 0
    assert output.splitlines()[0] == "incomplete: 2 of 5 chunks"
    assert output.splitlines()[3].split()[2] == "16"
    code, output, _ = mcrock("plot", tmp_path / "s.zarr", "-o", tmp_path / "figures", "--allow-incomplete")
    assert code == 0
    assert output.splitlines()[0] == "incomplete: 2 of 5 chunks"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("run", "none.toml", "-o", "s.zarr"), r"none\.toml: no such file"),
        (("check", "study.toml", "--set", "body.heigth=1"), "unknown key 'heigth'; did you mean 'height'"),
        (("run", "study.toml", "-o", "none/s.zarr"), r"the folder none does not exist"),
        (("run", "study.toml", "-o", "study.toml", "--overwrite"), "not a store of mcrock; choose another"),
        (("run", "study.toml", "-o", "s.zarr", "--task", "one"), "--task must be i/n, as in 3/8, got 'one'"),
        (("run", "study.toml", "-o", "s.zarr", "--task", "3/2"), "task must be i/n with 1 <= i"),
        (("run", "study.toml", "-o", "s.zarr", "--workers", "0"), "workers must be at least 1, got 0"),
        (("run", "study.toml", "-o", "s.zarr", "--address", "none.json"), "no dask scheduler answers at"),
        (("stats", "none.zarr"), r"none\.zarr: no such store or file"),
        (("stats", "study.toml"), "neither a zarr store nor a NetCDF file"),
        (("plot", ".", "-o", "figures"), "neither a zarr store nor a NetCDF file"),
        (("plot", "none.zarr", "-o", "study.toml"), r"study\.toml is a file, not a folder; choose another"),
        (("plot", "none.zarr", "-o", "study.toml/x"), r"study\.toml is a file, not a folder; choose another"),
        (("plot", ".", "-o", "figures", "--format", "bmpx"), "must be one of png, pdf, svg, got 'bmpx'"),
        (("export", "none.zarr", "-o", "x.nc"), "no such store or file"),
        (("verify", "none.json"), r"none\.json: no such file"),
        (("verify", "bad.json"), r"bad\.json: is not JSON"),
        (("run", "study.toml", "-o", "none/s.zarr", "--dry-run"), r"the folder none does not exist"),
        (("run", "study.toml", "-o", "study.toml", "--dry-run"), "not a store of mcrock; choose another"),
        (("run", "study.toml", "-o", "s.zarr", "--task", "3/2", "--dry-run"), "task must be i/n with 1 <= i"),
    ],
)
def test_a_mistake_is_one_line_and_exit_2(mcrock, study_file, monkeypatch, arguments, message):
    monkeypatch.chdir(study_file.parent)
    (study_file.parent / "bad.json").write_text("{")
    monkeypatch.setattr("mcrock.commands.run.CONNECT_SECONDS", 0.5)
    code, output, errors = mcrock(*arguments)
    assert (code, output) == (2, "")
    assert re.fullmatch(rf"mcrock: .*{message}.*\n", errors)


def test_a_dry_run_refuses_and_counts_as_the_run_does(mcrock, study_file, store):
    run = ("run", study_file, "-o", store, "--dry-run")
    code, output, errors = mcrock(*run)
    assert (code, output) == (2, "")
    assert "--resume, in Python resume=True" in errors
    assert "--overwrite, in Python overwrite=True" in errors
    (store / "steps" / "c" / "3" / "0").unlink()
    for options, line in (
        (("--resume",), "1 of the 5 chunks would be computed"),
        (("--task", "2/2"), "1 of the 3 chunks of task 2/2 would be computed"),
        (("--overwrite",), "5 of the 5 chunks would be computed"),
    ):
        code, output, _ = mcrock(*run, *options)
        assert (code, output.splitlines()[-1]) == (0, line)


@pytest.mark.parametrize(
    "command", [("stats",), ("export", "-o", "x.nc"), ("plot", "-o", "figures"), ("run",)]
)
def test_a_file_that_cannot_be_decoded_is_one_line(mcrock, study_file, store, monkeypatch, command):
    monkeypatch.chdir(store.parent)
    (store / "outcome" / "c" / "3" / "0").write_bytes(b"xx")
    name, *rest = command
    arguments = (study_file, "-o", "s.zarr", "--resume") if name == "run" else ("s.zarr", *rest)
    code, output, errors = mcrock(name, *arguments)
    assert (code, output) == (1, "")
    assert re.fullmatch(r"mcrock: s\.zarr is damaged: outcome/c/3/0 cannot be decoded; .*--resume\n", errors)
    assert not (store.parent / "x.nc").exists()


def test_a_damaged_store_is_one_line_and_resume_mends_it(mcrock, study_file, store):
    before = mcrock("stats", store)
    (store / "infeasible_energy_loss" / "c" / "3" / "0").unlink()
    code, output, errors = mcrock("stats", store)
    assert (code, output) == (2, "")
    assert re.fullmatch(r"mcrock: .*infeasible_energy_loss/c/3/0 .* is missing; .*--resume\n", errors)
    assert mcrock("run", study_file, "-o", store, "--resume")[0] == 0
    assert mcrock("stats", store) == before


@pytest.mark.parametrize(
    ("arguments", "interrupted"),
    [
        (("check", "study.toml"), "mcrock.ensemble.estimate_time"),
        (("simulate", "study.toml"), "mcrock.simulation.simulate_realization"),
        (("run", "study.toml", "-o", "s.zarr"), "mcrock.config.load_config"),
        (("stats", "s.zarr"), "mcrock.dataset.load_dataset"),
        (("plot", "s.zarr", "-o", "figures"), "mcrock.dataset.load_dataset"),
        (("verify",), "mcrock.verification.run_file"),
    ],
)
def test_an_interruption_is_one_line(mcrock, study_file, monkeypatch, arguments, interrupted):
    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.chdir(study_file.parent)
    monkeypatch.setattr(interrupted, interrupt)
    code, _, errors = mcrock(*arguments)
    assert (code, errors) == (130, "mcrock: interrupted\n")


@pytest.mark.parametrize(
    ("interrupted", "message"),
    [
        (
            "mcrock.ensemble.study.create_store",
            "interrupted before anything was computed; {store} is as it was",
        ),
        ("mcrock.dataset.store.remove_leftovers", "{new} and deletes what is left of the old store in {old}"),
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


def started(command, **options):
    """A program that Ctrl-C reaches, also where the tests themselves run in the background."""
    return subprocess.Popen(
        command,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        **options,
    )


# the program, saying when it listens to Ctrl-C: before, Python itself answers
LISTENING = """
import signal
from mcrock import __main__, interrupt
listen = interrupt.listen
def report(number):
    listen(number)
    if number == signal.SIGINT:
        print("listens", flush=True)
interrupt.listen = report
__main__.main()
"""


@pytest.mark.parametrize("delay", [0.0, 0.1, 0.2, 0.4, 0.8])
def test_an_early_signal_is_one_line_too(study_file, tmp_path, delay):
    with started([sys.executable, "-c", LISTENING, "run", study_file, "-o", tmp_path / "s.zarr"]) as process:
        assert process.stdout.readline() == "listens\n"
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert output == ""
    assert re.fullmatch(r"mcrock: interrupted.*\n", errors)


def test_all_mistakes_are_listed(mcrock, study_file):
    options = ("--set", "body.heigth=1", "--set", "body.depth=-1", "--set", "seed=0.5")
    code, _, errors = mcrock("run", study_file, "-o", study_file.parent / "s.zarr", *options)
    assert (code, errors.count("\n")) == (2, 3)


def test_wrong_options_are_exit_2(mcrock, study_file):
    assert mcrock("run", study_file)[0] == 2
    assert mcrock("run", study_file, "-o", "x", "--workers", "many")[0] == 2
    assert mcrock("fly")[0] == 2


def test_a_failed_run_is_exit_1(mcrock, study_file, tmp_path, monkeypatch):
    def fail(*args):
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr("mcrock.ensemble.part.simulate_part", fail)
    code, output, errors = mcrock("run", study_file, "-o", tmp_path / "s.zarr")
    assert (code, output) == (1, "")
    assert "mcrock: realizations 0 to 7 failed: ZeroDivisionError" in errors
    assert "0 of 5 chunks are done" in errors
    assert "Traceback" not in errors


def test_warnings_are_lines_too(mcrock, study_file):
    record = study_file.parent / "one.csv"
    rows = record.read_text().splitlines()
    rows[5] = rows[5].split(",")[0] + ",90,0"
    record.write_text("\n".join(rows))
    command = program("run", study_file, "-o", study_file.parent / "s.zarr", "--dry-run")
    assert command.returncode == 0
    assert re.match(r"mcrock: warning: .*one", command.stderr)
    assert "site-packages" not in command.stderr


def test_a_full_disk_is_one_message_and_exit_1(study_file, tmp_path):
    path = tmp_path / "s.zarr"
    limited = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)\n"
        "sys.argv = ['mcrock', 'run', *sys.argv[2:], '--resume']\n"
        "from mcrock.commands import program; program.main()"
    )
    many = ("--set", "ensemble.realizations=400", "--set", "intensity.levels=[1, 2, 3, 4]")
    for size in (200, 1800, 10**9):  # the template, the log of the parts, nothing fails
        command = [sys.executable, "-c", limited, str(size), study_file, "-o", path, *many]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert "Traceback" not in done.stderr
        if size < 10**9:
            assert done.returncode == 1, done.stderr
            assert "File too large" in done.stderr
            assert not path.exists() or not chunks_done(path).all()
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("processes", [False, True])
def test_an_interrupted_run_goes_on_with_resume(study_file, tmp_path, sent, code, processes):
    path = tmp_path / "s.zarr"
    options = ["--set", "ensemble.realizations=20000", "--workers", "2"]
    command = [*PROGRAM, "run", study_file, "-o", path, *options, *(["--processes"] if processes else [])]
    with started(command) as process:
        while not path.exists() or not chunks_done(path).any():
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(sent)
        output, errors = process.communicate(timeout=30)
    assert process.returncode == code
    assert output == ""
    *progress, last = errors.splitlines()  # a slow machine may have shown progress before
    assert re.fullmatch(r"mcrock: interrupted; \d+ of \d+ chunks of .* are done, .* --resume .*", last)
    assert all(re.match(r"\d+ of \d+ runs", line) for line in progress)
    assert 0 < chunks_done(path).sum() < len(chunks_done(path))


@pytest.mark.parametrize("delay", [0.0, 0.2, 0.6])
def test_worker_processes_that_start_say_nothing_of_an_interruption(study_file, tmp_path, delay):
    command = [*PROGRAM, "run", study_file, "-o", tmp_path / "s.zarr", "--processes", "--workers", "2"]
    command += ["--set", "ensemble.realizations=20000"]
    with started(command, process_group=0) as process:
        while not (tmp_path / "s.zarr.log").exists():
            assert process.poll() is None
            time.sleep(0.01)
        time.sleep(delay)
        os.killpg(process.pid, signal.SIGINT)  # a terminal sends it to all processes
        _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    *progress, last = errors.splitlines()
    assert last.startswith("mcrock: interrupted; ")
    assert all(re.match(r"\d+ of \d+ runs", line) for line in progress)


def test_a_reader_that_leaves_is_no_error(store):
    for arguments in (["--help"], ["stats", store, "--json"]):
        command = [*PROGRAM, *arguments]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            process.stdout.close()
            assert process.stderr.read() == b""
        assert process.returncode in (0, 1)


def test_output_that_cannot_be_written_is_an_error(store):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*PROGRAM, "stats", store], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 1
    assert done.stderr == "mcrock: No space left on device\n"
