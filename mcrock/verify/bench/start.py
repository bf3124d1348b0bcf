"""Time of a fresh process to its first result, and memory of a workload."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from mcrock.base.memory import peak_memory
from mcrock.verify.bench.processes import environment, last_words
from mcrock.verify.bench.throughput import figures
from mcrock.verify.bench.workloads import WORKLOADS, prepare

CHILD = """
from time import perf_counter
began = perf_counter()
import mcrock
seconds = perf_counter() - began
from mcrock.verify.bench.start import run_once
run_once({name!r}, {runs!r}, seconds)
"""


def run_once(name: str, runs: int | None, import_seconds: float) -> None:
    """Run a workload once, in a fresh process, and report time and memory."""
    prepare(name, runs).run()
    print(json.dumps({"import_seconds": import_seconds, "peak_memory_MiB": peak_memory()}))


def fresh_process(name: str, runs: int | None, cache: Path | None = None) -> tuple[float, dict[str, Any]]:
    """Run a workload in a process of its own; its time on the clock [s] and what it reports.

    Parameters
    ----------
    name : str
    runs : int or None
        As in `prepare`.
    cache : Path, optional
        Folder of compiled code; that of the user by default.

    Raises
    ------
    RuntimeError
        If the process fails; ends with its error.
    """
    command = [sys.executable, "-c", CHILD.format(name=name, runs=runs)]
    began = perf_counter()
    done = subprocess.run(command, env=environment(cache), capture_output=True, text=True, check=False)
    seconds = perf_counter() - began
    if done.returncode:
        reason = last_words(done.stderr, done.returncode)
        raise RuntimeError(f"a fresh process for the workload {name} failed: {reason}")
    return seconds, json.loads(done.stdout.splitlines()[-1])


def measure_memory(names: Sequence[str], runs: int | None) -> dict[str, float | None]:
    """Peak memory of a process that does one pass of a workload [MiB], by name."""
    return {name: fresh_process(name, runs)[1]["peak_memory_MiB"] for name in names}


def measure_start(names: Sequence[str], repeat: int, say: Callable[[str], None]) -> list[dict[str, Any]]:
    """Cold and warm start of each workload, with a cache of their own.

    A table for each, of fresh processes that make one run and end: seconds of ``import mcrock`` alone, of the
    first result with compiled code on disk, and without it, measured once for each kernel, else None.

    Parameters
    ----------
    names : sequence of str
    repeat : int
        Warm starts of each, in interleaved rounds.
    say : callable
        Told of what is done.
    """
    with tempfile.TemporaryDirectory(prefix="mcrock-bench-") as folder:
        cache = Path(folder)
        cold: dict[str, float] = {}
        for name in names:
            kernel = WORKLOADS[name].kernel
            if kernel not in [WORKLOADS[other].kernel for other in cold]:
                say(f"cold start: compiling the {kernel} kernel into an empty cache, half a minute or more")
                cold[name] = fresh_process(name, 1, cache)[0]
            else:
                fresh_process(name, 1, cache)
        imports: dict[str, list[float]] = {name: [] for name in names}
        warm: dict[str, list[float]] = {name: [] for name in names}
        for i in range(repeat):
            say(f"warm start, round {i + 1} of {repeat}")
            for name in names:
                seconds, said = fresh_process(name, 1, cache)
                warm[name].append(seconds)
                imports[name].append(said["import_seconds"])
    return [
        {
            "workload": name,
            "import_seconds": figures(imports[name]),
            "first_result_warm_seconds": figures(warm[name]),
            "first_result_cold_seconds": cold.get(name),
        }
        for name in names
    ]
