"""`mcrock status`: what is done, who works on it, and the probabilities so far."""

import json
import re
import signal
import socket
import subprocess
import sys
import textwrap
import time
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from mcrock.base.compiled_code import source_hash
from mcrock.base.environment import peak_memory
from mcrock.dataset.contents import chunks_done
from mcrock.ensemble.opening import Log, log_path, read_log
from tests.unit.commands.processes import PATIENCE, started
from tests.unit.conftest import copy_store

SLOW = """
    import sys, time
    from mcrock.study import load_config
    from mcrock.ensemble import part, run_study
    simulate_part = part.simulate_part
    def slow(*args, **more):
        outcomes = simulate_part(*args, **more)
        time.sleep(1.0)
        return outcomes
    part.simulate_part = slow
    run_study(load_config(sys.argv[1]), sys.argv[2], workers=1, resume=True)
"""


INTERRUPTIBLE = """import signal
from mcrock.base import session
from tests.unit.commands.processes import started
session.listen(signal.SIGTERM)
run_study(load_config(sys.argv[1])"""


def test_a_finished_study_shows_its_probabilities(mcrock, store):
    code, output, errors = mcrock("status", store)
    lines = output.splitlines()
    assert (code, errors) == (0, "")
    assert lines[0] == "5 of 5 chunks are done (120 of 120 runs), 0 missing, 0 damaged"
    table = mcrock("stats", store)[1].splitlines()
    assert "\n".join(lines[1:]) in "\n".join(table)
    assert lines[1].startswith("Probability of overturning by")


def test_the_process_at_work_is_named_and_its_end_is_noticed(mcrock, study_file, tmp_path):
    path = tmp_path / "s.zarr"
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(SLOW), str(study_file), str(path)])
    while not path.exists() or chunks_done(path).sum() < 2:
        assert process.poll() is None
        time.sleep(0.01)
    code, output, _ = mcrock("status", path)
    process.send_signal(signal.SIGKILL)
    process.wait()
    name = rf"{re.escape(socket.gethostname())}:{process.pid}"
    assert code == 0
    assert re.search(r"^[23] of 5 chunks are done \((48|72) of 120 runs\), [23] missing, 0 damaged\n", output)
    assert re.search(r"\n1 process at work, \S+ runs/s, .* left\n", output)
    assert re.search(rf"\n *{name} +1/1 +1 +at work +(8|16|24) ", output)
    assert "Probability of overturning" in output
    code, output, _ = mcrock("status", path)
    assert "no process is at work, as far as the log tells: --resume computes what is missing" in output
    assert re.search(rf"\n *{name} +1/1 +1 +gone ", output)


def test_of_several_stores_each_has_a_line(mcrock, store):
    """One done, one at work elsewhere at 12 runs/s with 48 runs to go, one left alone, one damaged."""
    work, idle, bad = (copy_store(store, store.with_name(f"{name}.zarr")) for name in ("work", "idle", "bad"))
    for path in (work, idle):
        for number in (3, 4):
            (path / "chunks" / f"{number}.zip").unlink()
    log_path(idle).unlink()
    (bad / "chunks" / "3.zip").write_bytes(b"xx")
    entry = {"host": "node-7", "process": 5, "task": "1/1", "workers": 1}
    now = datetime.now(UTC)
    steps = (
        (now - timedelta(seconds=2), {"event": "start"}),
        (now, {"event": "part", "start": 0, "stop": 8}),
    )
    lines = [json.dumps({"time": time.isoformat(), **entry, **more}) for time, more in steps]
    log_path(work).write_text("\n".join(lines) + "\n")
    code, output, errors = mcrock("status", store, work, idle)
    assert (code, errors) == (0, "")
    found = [re.split(r" {2,}", line.strip()) for line in output.splitlines()]
    assert found[0] == ["store", "done", "runs", "processes", "rate", "left", "state"]
    assert found[1][1:] == ["100 %", "120 of 120", "0", "-", "-", "done"]
    assert found[2][1:] == ["60 %", "72 of 120", "1", "12 runs/s", "4 s", "at work"]
    assert found[3][1:] == ["60 %", "72 of 120", "0", "-", "-", "not begun"]
    assert [line[0] for line in found[1:]] == [str(path) for path in (store, work, idle)]
    code, output, errors = mcrock("status", work, bad, "--json")
    assert (code, f"`mcrock verify {bad} --repair`" in errors) == (1, True)
    first, second = json.loads(output)["stores"]
    assert (first["runs"], first["runs_done"]) == (120, 72)
    assert (first["runs_per_second"], first["seconds_left"]) == (12.0, 4.0)
    assert (second["state"], second["chunks_damaged"], second["at_work"]) == ("damaged", 1, 0)
    (bad / "study.zip").write_bytes(b"xx")
    code, output, errors = mcrock("status", store, bad)
    assert code == 1
    assert output.splitlines()[2].split() == [str(bad), *"-----", "damaged"]


def test_a_path_without_a_store_hides_no_other(mcrock, store):
    """One that is missing, one with but a log, a collection that was killed, and another folder."""
    none, task, folder, other = (store.with_name(name) for name in ("none", "task", "folder", "other"))
    log_path(task, (2, 8)).parent.mkdir()
    log_path(task, (2, 8)).touch()
    (folder / "objects").mkdir(parents=True)
    other.mkdir()
    code, output, errors = mcrock("status", store, none, task, folder, other)
    found = [re.split(r" {2,}", line.strip()) for line in output.splitlines()]
    states = [(line[0], line[-1]) for line in found[1:]]
    alien = "not a store of mcrock of the present format"
    assert states == [
        (str(store), "done"),
        (str(none), "no such store"),
        (str(task), "not begun"),
        (str(folder), "not begun"),
        (str(other), alien),
    ]
    assert (code, errors) == (2, f"mcrock: {none}: no such store\nmcrock: {other}: {alien}\n")
    assert mcrock("status", folder) == (0, f"{folder}: not begun\n", "")
    code, output, errors = mcrock("status", none)
    assert (code, output, errors) == (2, "", f"mcrock: {none}: no such store\n")


def test_damage_is_said(mcrock, store):
    (store / "chunks" / "3.zip").write_bytes(b"xx")
    (store / "chunks" / "4.zip").unlink()
    code, output, errors = mcrock("status", store)
    assert code == 1
    assert "3 of 5 chunks are done (72 of 120 runs), 1 missing, 1 damaged" in output
    assert "chunks/3.zip is not as it was written\n" in output
    assert f"`mcrock verify {store} --repair` computes it again" in errors


def test_a_study_of_which_nothing_is_done_has_no_probabilities(mcrock, store):
    for file in (store / "chunks").iterdir():
        file.unlink()
    log_path(store).unlink()
    code, output, _ = mcrock("status", store)
    assert (code, len(output.splitlines())) == (0, 2)


@pytest.fixture
def log(tmp_path, monkeypatch):
    """Log of a store with two processes of another machine: one ended, one did not; and half a line."""
    monkeypatch.setattr(socket, "gethostname", lambda: "node-7")
    for number in (11, 12):
        monkeypatch.setattr("os.getpid", lambda number=number: number)
        writer = Log(tmp_path / "s.zarr")
        writer.write("start", task=f"{number - 10}/2", workers=4)
        writer.write("part", start=0, stop=30, worker="", seconds=1.0)
        writer.write("failed", start=30, stop=40, worker="", error="out of paper", trace="")
        if number == 11:
            writer.write("end", runs=30)
    monkeypatch.undo()
    with log_path(tmp_path / "s.zarr").open("a") as file:
        file.write('{"time": "2026-01-0\n[1]\n{"event": "part"}\n')
    return tmp_path / "s.zarr"


def test_a_process_elsewhere_is_at_work_until_it_is_silent_for_long(log):
    ended, silent = read_log(log)
    assert (ended.host, ended.number, ended.task, ended.workers) == ("node-7", 11, "1/2", 4)
    assert (silent.realizations, silent.failed) == (30, ["realizations 30 to 39: out of paper"])
    now = datetime.now(UTC)
    assert ended.state(now) == "ended"
    assert silent.state(now) == "at work"
    assert silent.state(now + timedelta(seconds=70)) == "silent"
    silent.longest = 10.0
    assert silent.state(now + timedelta(seconds=70)) == "at work"


def test_of_many_processes_the_last_ones_are_listed(mcrock, store, monkeypatch):
    (store / "chunks" / "1.zip").unlink()
    monkeypatch.setattr(socket, "gethostname", lambda: "node-7")
    for number in range(1, 31):
        monkeypatch.setattr("os.getpid", lambda number=number: number)
        Log(store).write("start", task=f"{number}/30", workers=1)
    monkeypatch.undo()
    lines = mcrock("status", store)[1].splitlines()
    assert [line.split()[0] for line in lines if "node-7:" in line] == [f"node-7:{i}" for i in range(11, 31)]
    assert "30 processes at work, 0 runs/s" in lines
    assert "and 10 processes that began before" in lines


def entries(path):
    """Lines of a log by their events; of several the last."""
    return {entry["event"]: entry for entry in map(json.loads, path.read_text().splitlines())}


def test_every_task_has_a_log_of_its_own(mcrock, study_file, tmp_path):
    path = tmp_path / "s.zarr"
    for i in (1, 2):
        assert mcrock("run", study_file, "-o", path, "--task", f"{i}/2")[0] == 0
    logs = [log_path(path, (i, 2)) for i in (1, 2)]
    assert sorted((tmp_path / "s.zarr.logs").iterdir()) == logs
    assert not log_path(path).exists()
    first, second = read_log(path)
    assert (first.task, second.task) == ("1/2", "2/2")
    assert (first.realizations, second.realizations) == (16, 24)
    assert (first.ending, second.ending) == ("ended", "ended")


def test_a_log_says_where_with_what_and_with_how_much_memory(mcrock, study_file, tmp_path, monkeypatch):
    monkeypatch.setenv("SLURM_JOB_ID", "4711")
    assert mcrock("run", study_file, "-o", tmp_path / "s.zarr", "--processes", "--workers", "1")[0] == 0
    found = entries(log_path(tmp_path / "s.zarr"))
    assert {entry["host"] for entry in found.values()} == {socket.gethostname()}
    assert found["start"]["versions"].keys() >= {"mcrock", "python", "numpy", "numba"}
    assert found["start"]["versions"]["numpy"] == np.__version__
    assert found["start"]["kernel"] == source_hash()
    assert found["start"]["job"] == {"SLURM_JOB_ID": "4711"}
    assert found["end"]["runs_per_second"] > 0
    worker, own = found["part"]["memory"], found["end"]["memory"]
    assert 50 < worker < 2000
    assert own <= peak_memory() < 4000
    assert worker != own
    (process,) = read_log(tmp_path / "s.zarr")
    assert process.memory == max(worker, own)


@pytest.mark.parametrize(("number", "name"), [(signal.SIGTERM, "SIGTERM"), (signal.SIGINT, "SIGINT")])
def test_what_interrupts_a_task_is_in_its_log(mcrock, study_file, tmp_path, number, name):
    path = tmp_path / "s.zarr"
    script = textwrap.dedent(SLOW).replace("run_study(load_config(sys.argv[1])", INTERRUPTIBLE)
    process = started([sys.executable, "-c", script, study_file, path])
    while not log_path(path).exists() or '"part"' not in log_path(path).read_text():
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(number)
    process.communicate(timeout=PATIENCE)
    assert entries(log_path(path))["interrupted"]["signal"] == name
    output = mcrock("status", path)[1]
    assert re.search(rf":{process.pid} +1/1 +1 +interrupted +\d+ +\S+ +\d+ MiB ", output)


@pytest.mark.parametrize(
    ("was", "becomes"),
    [
        ('"task"', '"x"'),
        ('"workers"', '"x"'),
        ('"process": ', '"process": 1e999'),
        ('"stop": ', '"stop": 1e999'),
        ('"versions": {', '"versions": 5, "x": {'),
        ("+00:00", ""),
    ],
)
def test_lines_of_the_log_that_were_changed_are_left_out(mcrock, store, was, becomes):
    log = log_path(store)
    assert was in log.read_text()
    log.write_text(log.read_text().replace(was, becomes))
    for arguments in (("status", store), ("verify", store, "--repair")):
        code, output, errors = mcrock(*arguments)
        assert (code, errors) == (0, "")
        assert "5 of 5 chunks" in output


def test_messages_and_the_dashboard_are_shown(mcrock, store):
    (store / "chunks" / "1.zip").unlink()
    writer = Log(store)
    writer.write("start", task="1/1", workers=None, dashboard="http://127.0.0.1:8787/status")
    for i in range(7):
        writer.write("failed", start=8 * i, stop=8 * i + 8, worker="", error=f"reason {i}", trace="")
    writer.write("no_run", realization=3, error="it cannot stand", trace="")
    lines = mcrock("status", store)[1].splitlines()
    assert f"dask's dashboard, of {socket.gethostname()}: http://127.0.0.1:8787/status" in lines
    first = lines.index("7 parts failed so far:")
    assert lines[first + 6] == "  and 2 more; the log has them all"
    assert lines[first + 1 : first + 6] == [
        f"realizations {8 * i} to {8 * i + 7}: reason {i}" for i in range(5)
    ]
    assert lines[first + 7 : first + 9] == [
        "no run could be made of 1 realization:",
        "realization 3: it cannot stand",
    ]


def test_a_run_that_cannot_go_on_says_so_in_its_log(mcrock, study_file, tmp_path, monkeypatch):
    def write(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("mcrock.ensemble.part.write_part", write)
    assert mcrock("run", study_file, "-o", tmp_path / "s.zarr")[0] == 1
    found = entries(log_path(tmp_path / "s.zarr"))
    assert "No space left on device" in found["stopped"]["error"]
    assert "stopped" in mcrock("status", tmp_path / "s.zarr")[1]


@pytest.mark.parametrize("seconds", [2.0, 0.1])
def test_a_rate_is_that_until_the_last_part(tmp_path, seconds):
    began = datetime(2026, 1, 1, tzinfo=UTC)
    entries = [
        {"event": "start", "task": "1/1", "workers": None},
        *({"event": "part", "start": 10 * i, "stop": 10 * i + 10} for i in range(3)),
    ]
    common = {"host": "a", "process": 1}
    with log_path(tmp_path / "s.zarr").open("w") as file:
        for i, entry in enumerate(entries):
            stamp = (began + timedelta(seconds=seconds * i)).isoformat()
            file.write(json.dumps({"time": stamp, **common, **entry}) + "\n")
    (process,) = read_log(tmp_path / "s.zarr")
    assert process.rate == pytest.approx(30 / (3 * seconds))
