"""Speed on one core, and on several in threads or processes.

On one core the processor time of the process is taken, which other load changes little; with several
workers the time on the clock, which is what parallel work is for. Rounds go through everything that
is compared before they begin again, so that a machine that slows down slows down all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import ceil
from statistics import median
from time import perf_counter, process_time

from mcrock.verify.bench.processes import repeat_work, workers_ready
from mcrock.verify.bench.workloads import Work, WorkDone


@dataclass(frozen=True)
class MeasuredRate:
    """Repeated measurements of a rate: median, smallest and largest."""

    samples: tuple[float, ...]

    @property
    def median(self) -> float:
        return median(self.samples)

    def as_json(self) -> dict[str, float | list[float]]:
        """Figures by name."""
        return {
            "median": self.median,
            "min": min(self.samples),
            "max": max(self.samples),
            "samples": list(self.samples),
        }


@dataclass(frozen=True)
class Speed:
    """Speed of a workload on one core.

    Attributes
    ----------
    work : Work
    tally : Tally
        Of one pass.
    passes : int
        In one measurement.
    runs_per_second : Rates
        Runs per second of processor time [1/s].
    """

    work: Work
    tally: WorkDone
    passes: int
    runs_per_second: MeasuredRate

    @property
    def steps_per_run(self) -> float:
        return self.tally.steps / self.work.runs


def measure_speed(
    works: Mapping[str, Work], repeat: int, seconds: float, say: Callable[[str], None]
) -> dict[str, Speed]:
    """Speed of workloads on one core, in interleaved rounds.

    Parameters
    ----------
    works : mapping of str to Work
    repeat : int
        Measurements of each.
    seconds : float
        Least processor time of a measurement [s]; one pass at least.
    say : callable
        Told of every round.
    """
    tallies, passes = {}, {}
    for name, work in works.items():
        work.run()  # compiles or loads
        began = process_time()
        tallies[name] = work.run()
        passes[name] = passes_in(seconds, process_time() - began)
    rates: dict[str, list[float]] = {name: [] for name in works}
    for i in range(repeat):
        say(f"one core, round {i + 1} of {repeat}")
        for name, work in works.items():
            began = process_time()
            for _ in range(passes[name]):
                work.run()
            rates[name].append(passes[name] * work.runs / max(process_time() - began, 1e-9))
    return {
        name: Speed(work, tallies[name], passes[name], MeasuredRate(tuple(rates[name])))
        for name, work in works.items()
    }


def passes_in(seconds: float, once: float) -> int:
    """Number of passes of ``once`` [s] that last ``seconds``.

    >>> passes_in(0.3, 0.2), passes_in(0.0, 0.2)
    (2, 1)
    """
    return max(1, ceil(seconds / max(once, 1e-6)))


@dataclass(frozen=True)
class Scaling:
    """Speed of a workload with several workers.

    Attributes
    ----------
    name : str
    kind : str
        "threads" or "processes".
    workers : int
    runs_per_second : Rates
        All workers together, time on the clock [1/s].
    cores : float
        Cores at work on average, median: fewer than workers where others had their turn or workers
        waited [1].
    efficiency : float
        Rate of a worker over that of one alone in the same round, median [1].
    """

    name: str
    kind: str
    workers: int
    runs_per_second: MeasuredRate
    cores: float
    efficiency: float


def worker_counts(most: int) -> list[int]:
    """Powers of two up to ``most``, and that.

    >>> worker_counts(6)
    [1, 2, 4, 6]
    """
    return sorted({2**i for i in range(most.bit_length())} | {most})


def measure_scaling(
    speeds: Mapping[str, Speed], runs: int | None, most: int, repeat: int, say: Callable[[str], None]
) -> list[Scaling]:
    """Speed with 1 to ``most`` threads and processes: each worker does the same work over and over.

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
    scaling = []
    for (name, kind, workers), found in rates.items():
        alone = rates[name, kind, 1]
        efficiency = median(rate / workers / one for rate, one in zip(found, alone, strict=True))
        at_work = median(cores[name, kind, workers])
        scaling.append(Scaling(name, kind, workers, MeasuredRate(tuple(found)), at_work, efficiency))
    return scaling
