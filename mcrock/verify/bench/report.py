"""The figures of a benchmark as plain numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from statistics import median
from typing import Any

from mcrock.base.arithmetic import contracts
from mcrock.show.tables import as_json
from mcrock.simulation.device import CUDA, check_device, missing_gpu
from mcrock.verify.bench.gpu import measure_gpu
from mcrock.verify.bench.machine import describe_machine, describe_versions
from mcrock.verify.bench.start import measure_memory, measure_start
from mcrock.verify.bench.throughput import Speed, figures, measure_scaling, measure_speed
from mcrock.verify.bench.whole import measure_study
from mcrock.verify.bench.workloads import SYNTHETIC, WORKLOADS, prepare

FORMAT = 1  # of the JSON document; raised when a figure changes its meaning
SLOW_REPEATS = 3  # at most, of what takes seconds

Document = dict[str, Any]


def run_bench(
    names: Sequence[str] = (),
    *,
    repeat: int = 5,
    workers: int | None = None,
    runs: int | None = None,
    seconds: float = 0.3,
    start: bool = True,
    scaling: bool = True,
    device: str | None = None,
    say: Callable[[str], None] = lambda text: None,
) -> Document:
    """Measure workloads on this machine.

    Parameters
    ----------
    names : sequence of str
        Of `WORKLOADS`; all by default.
    repeat : int
        Measurements of each figure, interleaved; of those that take seconds at most 3.
    workers : int, optional
        Most threads and processes; the cores this process may use by default.
    runs : int, optional
        Approximate number of runs in a workload, rather than its own: quick, and not comparable.
    seconds : float
        Least time of one measurement of speed [s].
    start, scaling : bool
        Whether to measure start-up, and the speed with several workers.
    device : str, optional
        ``cuda`` to insist on a GPU, ``cpu`` to leave it out; by default it is measured where there is one.
    say : callable
        Told of what is done.

    Returns
    -------
    dict
        Plain numbers and texts with the unit in their names: `machine`, `versions`, `options` and, as far
        as they were measured, `workloads`, `gpu`, `scaling`, `whole_study` and `start`. A measured figure is
        a table of `median`, `min`, `max` and `samples`.

    Raises
    ------
    ValueError
        If a name is not known or a number is too small.
    """
    chosen = _checked_names(names)
    if device is not None:
        check_device(device)
    with_gpu = device == CUDA or (device is None and not missing_gpu() and not contracts())
    for what, value, least in (("repeat", repeat, 1), ("workers", workers, 1), ("runs", runs, 1)):
        if value is not None and value < least:
            raise ValueError(f"{what} must be at least {least}, got {value}")
    if not 0 <= seconds <= 60:
        raise ValueError(f"seconds must be between 0 and 60 s, got {seconds!r}")
    machine = describe_machine()
    most = workers or machine["usable_cores"]
    document: Document = {
        "format": FORMAT,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": machine,
        "versions": describe_versions(),
        "options": {"repeat": repeat, "workers": most, "runs": runs, "seconds": seconds},
    }
    say("compiling or loading the workloads")
    works = {name: prepare(name, runs) for name in chosen}
    speeds = measure_speed(works, repeat, seconds, say)
    say("memory, in fresh processes")
    memory = measure_memory(chosen, runs)
    document["workloads"] = {name: _of_speed(name, speed, memory[name]) for name, speed in speeds.items()}
    slow = min(repeat, SLOW_REPEATS)
    if with_gpu:
        document["gpu"] = measure_gpu(speeds, runs, slow, say)
    if scaling:
        document["scaling"] = measure_scaling(speeds, runs, most, repeat, say)
        if "study" in works and works["study"].records != SYNTHETIC:
            document["whole_study"] = measure_study(runs, most, slow, say)
    if start:
        document["start"] = measure_start(chosen, slow, say)
    return as_json(document)


def _checked_names(names: Sequence[str]) -> list[str]:
    unknown = [name for name in names if name not in WORKLOADS]
    if unknown:
        raise ValueError(
            "\n".join(f"unknown workload {name!r}; there are {', '.join(WORKLOADS)}" for name in unknown)
        )
    return [name for name in WORKLOADS if name in names or not names]


def _of_speed(name: str, speed: Speed, memory: float | None) -> Document:
    steps_per_run = speed.done.steps / speed.work.runs
    return {
        "what": WORKLOADS[name].what,
        "records": speed.work.records,
        "runs": speed.work.runs,
        "steps_per_run": steps_per_run,
        "overturned": speed.done.overturned,
        "mean_peak_tilt_ratio_of_standing": speed.done.peak_tilt_ratio,
        "passes": speed.passes,
        "runs_per_second_per_core": figures(speed.rates),
        "steps_per_second_per_core": median(speed.rates) * steps_per_run,
        "peak_memory_MiB": memory,
    }
