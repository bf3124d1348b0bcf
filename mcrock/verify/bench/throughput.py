"""Speed on one core, and on several in threads or processes.

On one core the processor time of the process is taken, which other load changes little; with several
workers the time on the clock, which is what parallel work is for. Rounds go through everything that
is compared before they begin again, so that a machine that slows down slows down all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from math import ceil
from statistics import median
from time import perf_counter, process_time
from typing import Any, NamedTuple

from mcrock.verify.bench.processes import repeat_work, workers_ready
from mcrock.verify.bench.workloads import PreparedWork, WorkDone


def figures(samples: Sequence[float]) -> dict[str, Any]:
    """Repeated measurements of a quantity: median, smallest and largest."""
    return {"median": median(samples), "min": min(samples), "max": max(samples), "samples": list(samples)}


class Speed(NamedTuple):
    """Speed of a workload on one core."""

    work: PreparedWork
    done: WorkDone  # in one pass
    passes: int  # in one measurement
    rates: list[float]  # runs per second of processor time [1/s], of each measurement


def measure_speed(
    works: Mapping[str, PreparedWork], repeat: int, seconds: float, say: Callable[[str], None]
) -> dict[str, Speed]:
    """Speed of workloads on one core, in interleaved rounds.

    Parameters
    ----------
    works : mapping of str to PreparedWork
    repeat : int
        Measurements of each.
    seconds : float
        Least processor time of a measurement [s]; one pass at least.
    say : callable
        Told of every round.
    """
    speeds = {}
    for name, work in works.items():
        work.run()  # compiles or loads
        began = process_time()
        done = work.run()
        speeds[name] = Speed(work, done, passes_in(seconds, process_time() - began), [])
    for i in range(repeat):
        say(f"one core, round {i + 1} of {repeat}")
        for work, _, passes, rates in speeds.values():
            began = process_time()
            repeat_work(work, passes)
            rates.append(passes * work.runs / max(process_time() - began, 1e-9))
    return speeds


def passes_in(seconds: float, once: float) -> int:
    """Number of passes of ``once`` [s] that last ``seconds``.

    >>> passes_in(0.3, 0.2), passes_in(0.0, 0.2)
    (2, 1)
    """
    return max(1, ceil(seconds / max(once, 1e-6)))


def worker_counts(most: int) -> list[int]:
    """Powers of two up to ``most``, and that.

    >>> worker_counts(6)
    [1, 2, 4, 6]
    """
    return sorted({2**i for i in range(most.bit_length())} | {most})


def measure_scaling(
    speeds: Mapping[str, Speed], runs: int | None, most: int, repeat: int, say: Callable[[str], None]
) -> list[dict[str, Any]]:
    """Speed with 1 to ``most`` threads and processes: each worker does the same work over and over.

    A table for each number of workers: `runs_per_second` of all together, time on the clock [1/s];
    `cores_at_work` on average, median: fewer than workers where others had their turn or workers waited [1];
    `efficiency`, the rate of a worker over that of one alone in the same round, median [1].

    Parameters
    ----------
    speeds : mapping of str to Speed
        From `measure_speed`.
    runs : int, optional
        Runs in one pass, as the workloads were prepared.
    most : int
        Workers.
    repeat : int
        Measurements of each.
    say : callable
        Told of what is done.
    """
    counts = worker_counts(most)
    rates: dict[tuple[str, str, int], list[float]] = {}
    cores: dict[tuple[str, str, int], list[float]] = {}
    say(f"starting {most} worker processes")
    with ThreadPoolExecutor(most) as threads, workers_ready(most, list(speeds), runs) as processes:

        def in_threads(name: str, workers: int) -> float:
            began, work, passes = process_time(), speeds[name].work, speeds[name].passes
            for future in [threads.submit(repeat_work, work, passes) for _ in range(workers)]:
                future.result()
            return process_time() - began

        def in_processes(name: str, workers: int) -> float:
            for process in processes[:workers]:
                process.order(name, speeds[name].passes)
            return sum(process.wait() for process in processes[:workers])

        for i in range(repeat):
            say(f"threads and processes, round {i + 1} of {repeat}")
            for name, speed in speeds.items():
                for kind, run in (("threads", in_threads), ("processes", in_processes)):
                    for workers in counts:
                        began = perf_counter()
                        processor = run(name, workers)
                        seconds = perf_counter() - began
                        key = name, kind, workers
                        rates.setdefault(key, []).append(workers * speed.passes * speed.work.runs / seconds)
                        cores.setdefault(key, []).append(processor / seconds)
    return [
        {
            "workload": name,
            "kind": kind,
            "workers": workers,
            "runs_per_second": figures(found),
            "cores_at_work": median(cores[name, kind, workers]),
            "efficiency": median(
                rate / workers / alone for rate, alone in zip(found, rates[name, kind, 1], strict=True)
            ),
        }
        for (name, kind, workers), found in rates.items()
    ]
