"""The command `mcrock bench`: tables, JSON, messages and exit codes."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from mcrock.commands import program
from mcrock.show.bench import format_bench
from mcrock.verify.bench import processes, report, run_bench, start, throughput
from mcrock.verify.bench.processes import workers_ready
from mcrock.verify.bench.start import fresh_process, measure_start
from mcrock.verify.bench.throughput import figures, worker_counts
from mcrock.verify.bench.workloads import WORKLOADS

SMALL = ("--runs", 3, "--seconds", 0, "--repeat", 2, "--workers", 2)
RATE = {"median", "min", "max", "samples"}


@pytest.fixture
def bench(monkeypatch, capsys):
    """Run the command in this process: (exit code, output, errors)."""

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["mcrock", "bench", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            program.main()
        return ended.value.code or 0, *capsys.readouterr()

    return call


@pytest.fixture
def no_processes(monkeypatch):
    """Without the fresh processes in which memory is measured."""
    monkeypatch.setattr(report, "measure_memory", lambda names, runs: dict.fromkeys(names, 100.0))


def test_tables_and_json(bench, tmp_path):
    file = tmp_path / "bench.json"
    code, output, errors = bench("--workload", "planar", *SMALL, "--no-start", "-o", file)
    assert code == 0, errors
    found = json.loads(file.read_text())
    assert output == f"{format_bench(found)}\n{file}\n"
    assert set(found) == {"format", "date", "machine", "versions", "options", "workloads", "scaling"}
    assert found["options"] == {"repeat": 2, "workers": 2, "runs": 3, "seconds": 0.0}
    assert list(found["workloads"]) == ["planar"]
    item = found["workloads"]["planar"]
    assert item["runs"] == 3
    assert item["what"] == WORKLOADS["planar"].what
    rate = item["runs_per_second_per_core"]
    assert set(rate) == RATE
    assert 0 < rate["min"] <= rate["median"] <= rate["max"]
    assert item["steps_per_second_per_core"] == pytest.approx(rate["median"] * item["steps_per_run"])
    assert 30 < item["peak_memory_MiB"] < 2000
    keys = [(item["workload"], item["kind"], item["workers"]) for item in found["scaling"]]
    assert keys == [("planar", kind, n) for kind in ("threads", "processes") for n in (1, 2)]
    for item in found["scaling"]:
        assert set(item["runs_per_second"]) == RATE
        assert 0 < item["cores_at_work"] < item["workers"] + 0.5
        assert (item["efficiency"] == 1.0) == (item["workers"] == 1)
    assert "runs/s/core" in output
    assert errors.splitlines()[-1] == "mcrock: threads and processes, round 2 of 2"


def test_columns_are_aligned(no_processes, monkeypatch):
    alone = {"workload": "planar", "kind": "threads", "workers": 1, "runs_per_second": figures([12345.6])}
    alone |= {"cores_at_work": 0.98, "efficiency": 1.0}
    monkeypatch.setattr(report, "measure_scaling", lambda *args: [alone, alone | {"kind": "processes"}])
    found = run_bench(["planar", "record"], runs=2, seconds=0, repeat=1, workers=1, start=False)
    assert list(found["workloads"]) == ["record", "planar"]  # in their own order
    text = format_bench(found)
    for block in text.split("\n\n")[1:]:
        _, head, *rows = block.splitlines()
        assert {len(row) for row in rows} == {len(head)}


def test_the_whole_study_is_run_into_a_store(no_processes, monkeypatch):
    monkeypatch.setattr(report, "measure_scaling", lambda *args: [])
    found = run_bench(["study"], runs=20, seconds=0, repeat=1, workers=2, start=False)
    if found["workloads"]["study"]["records"].startswith("synthetic"):
        assert "whole_study" not in found
        return
    assert found["whole_study"]["runs"] == 20
    assert found["whole_study"]["seconds"]["median"] > 0
    assert "20 runs on 2 threads" in format_bench(found)


@pytest.fixture
def started(monkeypatch):
    """Fresh processes that are not started: the calls, in order."""
    calls: list[tuple[str, Any, bool]] = []

    def fake(name, runs, cache=None):
        calls.append((name, runs, not any(cache.iterdir())))
        (cache / f"compiled {WORKLOADS[name].kernel}").touch()
        return float(len(calls)), {"import_seconds": 0.01, "peak_memory_MiB": 100.0}

    monkeypatch.setattr(start, "fresh_process", fake)
    return calls


def test_each_kernel_starts_cold_once(started):
    said = []
    found = measure_start(["record", "study", "planar"], 2, said.append)
    names = ["record", "study", "planar"]
    assert started == [(name, 1, i == 0) for i, name in enumerate(3 * names)]
    assert [item["first_result_cold_seconds"] for item in found] == [1.0, None, 3.0]
    warm = [item["first_result_warm_seconds"]["samples"] for item in found]
    assert warm == [[4.0, 7.0], [5.0, 8.0], [6.0, 9.0]]
    assert sum("empty cache" in text for text in said) == 2


def test_start_is_a_table(started, no_processes):
    found = run_bench(["planar"], runs=2, seconds=0, repeat=1, scaling=False)
    assert found["start"][0]["first_result_cold_seconds"] == 1.0
    assert format_bench(found).splitlines()[-1].split() == ["planar", "0.010", "2.00", "2.00", "2.00", "1.0"]


def test_a_fresh_process_uses_the_cache_it_is_given(monkeypatch, tmp_path):
    code = (
        "import json; from mcrock.base.code_cache import cache_folder as f; "
        "print(json.dumps([{name!r}, {runs!r}, str(f())]))"
    )
    monkeypatch.setattr(start, "CHILD", code)
    assert fresh_process("planar", 1, tmp_path)[1] == ["planar", 1, str(tmp_path / "mcrock")]


@pytest.mark.parametrize(("load", "busy"), [(0.1, False), (1.9, True), (None, False)])
def test_a_busy_machine_is_noticed(no_processes, monkeypatch, load, busy):
    machine = {
        "cpu": "x",
        "compiled_for": "y",
        "cores": 2,
        "usable_cores": 2,
        "os": "z",
        "load_average": load,
    }
    monkeypatch.setattr(report, "describe_machine", lambda: machine)
    found = run_bench(["planar"], runs=2, seconds=0, repeat=1, start=False, scaling=False)
    assert ("other programs are running" in format_bench(found)) == busy


def test_worker_counts():
    assert worker_counts(1) == [1]
    assert worker_counts(8) == [1, 2, 4, 8]
    assert worker_counts(12) == [1, 2, 4, 8, 12]


def test_workers_end_with_their_use():
    with workers_ready(1, ["planar"], 1) as workers:
        workers[0].order("planar", 2)
        workers[0].wait()
        assert workers[0].process.poll() is None
    assert workers[0].process.returncode is not None


def test_names_and_numbers_are_checked_before_anything_runs(bench):
    code, output, errors = bench("--workload", "reckord", "--workload", "planar", "--workload", "free")
    assert (code, output) == (2, "")
    assert errors.splitlines() == [
        f"mcrock: unknown workload {name!r}; there are {', '.join(WORKLOADS)}" for name in ("reckord", "free")
    ]
    for option, value, what in (
        ("--repeat", 0, "repeat must be at least 1, got 0"),
        ("--workers", -1, "workers must be at least 1, got -1"),
        ("--runs", 0, "runs must be at least 1, got 0"),
        ("--seconds", "nan", "seconds must be between 0 and 60 s, got nan"),
    ):
        assert bench(option, value) == (2, "", f"mcrock: {what}\n")


def test_an_output_that_cannot_be_written_is_refused_first(bench, tmp_path, monkeypatch):
    missing = tmp_path / "no" / "bench.json"
    folder_missing = f"mcrock: {missing}: the folder {missing.parent} does not exist\n"
    assert bench("-o", missing) == (2, "", folder_missing)
    is_folder = f"mcrock: {tmp_path} is a folder; give the name of a file\n"
    assert bench("-o", tmp_path) == (2, "", is_folder)
    monkeypatch.setattr("os.access", lambda *args: False)
    denied = f"mcrock: {tmp_path / 'bench.json'}: the folder {tmp_path} cannot be written to\n"
    assert bench("-o", tmp_path / "bench.json") == (2, "", denied)


def test_a_process_that_fails_is_one_line(bench, monkeypatch):
    monkeypatch.setattr(start, "CHILD", "import sys; sys.exit('no {name} today')")
    code, output, errors = bench("--workload", "planar", *SMALL)
    assert (code, output) == (1, "")
    assert (
        errors.splitlines()[-1] == "mcrock: a fresh process for the workload planar failed: no planar today"
    )


def test_a_worker_that_dies_is_one_line(bench, no_processes, monkeypatch):
    monkeypatch.setattr(processes, "WORKER", "import os; os._exit(9) # {names} {runs}")
    code, output, errors = bench("--workload", "planar", *SMALL)
    assert (code, output) == (1, "")
    assert errors.splitlines()[-1] == "mcrock: a worker process died: exit code 9"


def test_interrupted(bench, no_processes, monkeypatch, tmp_path):
    def interrupt(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr(throughput.ThreadPoolExecutor, "submit", interrupt)
    code, output, errors = bench("--workload", "planar", *SMALL, "-o", tmp_path / "bench.json")
    assert (code, output) == (130, "")
    assert errors.splitlines()[-1] == "mcrock: interrupted"
    assert list(Path(tmp_path).iterdir()) == []
