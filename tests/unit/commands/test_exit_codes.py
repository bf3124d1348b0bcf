"""How any command ends: exit codes, messages, interruptions, output that cannot be written."""

import re
import signal
import subprocess
import sys
import time

import pytest

from mcrock.base import session
from mcrock.commands.options import one_line_if_interrupted
from tests.unit.commands.processes import PATIENCE, PROGRAM, program, started


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


def test_missing_runs_can_be_accepted(mcrock, store, tmp_path):
    for chunk in (2, 3, 4):
        (store / "chunks" / f"{chunk}.zip").unlink()
    code, output, _ = mcrock("stats", store, "--allow-incomplete")
    assert code == 0
    assert output.splitlines()[0] == "incomplete: 2 of 5 chunks"
    rows = [line.split() for line in output.splitlines()]
    assert [row[2] for row in rows if row[:2] == ["0.102", "g"]] == ["16"]
    code, output, _ = mcrock("plot", store, "-o", tmp_path / "figures", "--allow-incomplete")
    assert (code, output.splitlines()[0]) == (0, "incomplete: 2 of 5 chunks")


@pytest.mark.parametrize(
    ("command", "place", "remedy"),
    [
        ("stats", "mcrock.show.summary.summarize", "give it more: `mcrock docs large-studies` has"),
        ("run", "mcrock.ensemble.run_study", "use fewer --workers or a smaller --part-size"),
    ],
)
def test_what_is_out_of_memory_says_what_helps(
    mcrock, store, study_file, monkeypatch, command, place, remedy
):
    def fail(*args, **kwargs):
        raise MemoryError

    monkeypatch.setattr(place, fail)
    arguments = (store,) if command == "stats" else (study_file, "-o", store, "--resume")
    code, output, errors = mcrock(command, *arguments)
    assert (code, output) == (1, "")
    assert re.fullmatch(rf"mcrock: out of memory, with \d+ MiB taken; {remedy}.*\n", errors)


@pytest.mark.parametrize("command", [("stats",), ("export", "-o", "x.nc"), ("plot", "-o", "figures")])
@pytest.mark.parametrize("place", [0.4, 1.0])
def test_a_damaged_store_is_one_line(mcrock, store, monkeypatch, command, place):
    monkeypatch.chdir(store.parent)
    name, *rest = command
    file = store / "chunks" / "3.zip"
    content = bytearray(file.read_bytes())
    first = int(place * len(content)) - 400
    content[first : first + 400] = bytes(400)
    file.write_bytes(content)
    code, output, errors = mcrock(name, "s.zarr", *rest)
    assert (code, output) == (1, "")
    assert errors == (
        "mcrock: s.zarr is damaged: chunks/3.zip is not as it was written; "
        "`mcrock verify s.zarr --repair` computes it again\n"
    )
    assert not (store.parent / "x.nc").exists()


@pytest.mark.parametrize(
    ("arguments", "interrupted"),
    [
        (("check", "study.toml"), "mcrock.ensemble.estimate_time"),
        (("simulate", "study.toml"), "mcrock.simulation.runs.simulate_realization"),
        (("run", "study.toml", "-o", "s.zarr"), "mcrock.study.load_config"),
        (("stats", "s.zarr"), "mcrock.dataset.load_dataset"),
        (("plot", "s.zarr", "-o", "figures"), "mcrock.dataset.load_dataset"),
        (("verify",), "mcrock.verify.run_file"),
    ],
)
def test_an_interruption_is_one_line(mcrock, study_file, monkeypatch, arguments, interrupted):
    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.chdir(study_file.parent)
    monkeypatch.setattr(interrupted, interrupt)
    code, _, errors = mcrock(*arguments)
    assert (code, errors) == (130, "mcrock: interrupted\n")


def test_an_interruption_that_a_library_makes_another_error_of_is_one(
    mcrock, monkeypatch, study_file, listen
):
    def load(*args, **kwargs):  # as an extension module does that is interrupted while it is loaded
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            raise ImportError("initialization failed") from None

    monkeypatch.setattr("mcrock.study.load_config", load)
    listen(signal.SIGINT)
    code, output, errors = mcrock("check", study_file)
    assert (code, output, errors) == (130, "", "mcrock: interrupted\n")
    assert session.interruption() is None


def as_typer(number):
    """A signal, where Typer makes another exit of it."""
    with one_line_if_interrupted():
        try:
            signal.raise_signal(number)
        except KeyboardInterrupt:
            raise SystemExit(130) from None


def test_an_interruption_that_typer_makes_an_exit_of_has_its_own_code(listen):
    listen(signal.SIGTERM)
    with pytest.raises(SystemExit, match="143"):
        as_typer(signal.SIGTERM)
    with pytest.raises(SystemExit, match="130"), one_line_if_interrupted():
        raise SystemExit(130)


@pytest.mark.parametrize(
    ("name", "handler"), [("/usr/bin/mcrock", signal.SIG_DFL), ("pytest", signal.default_int_handler)]
)
def test_the_system_ends_the_program_before_it_listens(name, handler):
    script = (
        f"import sys; sys.argv[0] = {name!r}\n"
        "import mcrock.__main__, signal; print(signal.getsignal(signal.SIGINT))"
    )
    with started([sys.executable, "-c", script]) as process:
        output, _ = process.communicate()
    assert output == f"{handler}\n" or (output == "0\n" and handler == 0)


# the program, saying when it listens to Ctrl-C: before, the system ends it without a word
LISTENING = """
import signal
from mcrock import __main__
from mcrock.base import session
listen = session.listen
def report(number):
    listen(number)
    if number == session.SIGNALS[-1]:
        print("listens", flush=True)
session.listen = report
__main__.main()
"""


@pytest.mark.parametrize(
    ("delay", "number"), [(0.0, signal.SIGINT), (0.2, signal.SIGTERM), (0.8, signal.SIGHUP)]
)
def test_an_early_signal_is_one_line_too(study_file, tmp_path, delay, number):
    with started([sys.executable, "-c", LISTENING, "run", study_file, "-o", tmp_path / "s.zarr"]) as process:
        assert process.stdout.readline() == "listens\n"
        time.sleep(delay)
        process.send_signal(number)
        output, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 128 + number
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


def test_warnings_are_lines_too(mcrock, study_file):
    record = study_file.parent / "one.csv"
    rows = record.read_text().splitlines()
    rows[5] = rows[5].split(",")[0] + ",90,0"
    record.write_text("\n".join(rows))
    command = program("run", study_file, "-o", study_file.parent / "s.zarr", "--dry-run")
    assert command.returncode == 0
    assert re.match(r"mcrock: warning: .*one", command.stderr)
    assert "site-packages" not in command.stderr


def test_a_reader_that_leaves_is_no_error():
    for arguments in (["--help"], ["docs", "assessment"]):
        command = [*PROGRAM, *arguments]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            process.stdout.close()
            assert process.stderr.read() == b""
        assert process.returncode in (0, 1)


def test_output_that_cannot_be_written_is_an_error():
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*PROGRAM, "docs", "trust"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 1
    assert done.stderr == "mcrock: No space left on device\n"
