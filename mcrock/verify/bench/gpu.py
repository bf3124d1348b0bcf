"""Speed on a GPU, compared with that of one core."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from statistics import median
from time import perf_counter
from typing import Any

from mcrock.simulation.device import CUDA, arithmetic_of
from mcrock.verify.bench.throughput import Speed, figures
from mcrock.verify.bench.workloads import BODY, WORKLOADS, prepare

RUNS = 2**20  # of a workload, so that no thread waits for work


def measure_gpu(
    speeds: Mapping[str, Speed], runs: int | None, repeat: int, say: Callable[[str], None]
) -> list[dict[str, Any]]:
    """Speed of workloads on a GPU, of bodies in space whose contacts stick.

    A table for each: `first_seconds` of the first pass, through as many runs as on the processor, with
    compiling or loading [s]; `runs_per_second`, time on the clock, from the inputs in the memory of the
    processor to the results there [1/s].

    Parameters
    ----------
    speeds : mapping of str to Speed
        From `measure_speed`.
    runs : int, optional
        Runs in one pass on the processor, as the workloads were prepared, and then on the GPU too.
    repeat : int
        Measurements of each.
    say : callable
        Told of every workload.
    """
    found = []
    for name, speed in speeds.items():
        if WORKLOADS[name].kernel != BODY:
            continue
        say(f"{name} on the GPU; the first workload compiles for a minute")
        began = perf_counter()
        done = prepare(name, runs, CUDA).run()
        first = perf_counter() - began
        work, rates = prepare(name, runs or RUNS, CUDA), []
        for _ in range(repeat):
            began = perf_counter()
            work.run()
            rates.append(work.runs / (perf_counter() - began))
        found.append(
            {
                "workload": name,
                "arithmetic": arithmetic_of(CUDA) or "",
                "runs": work.runs,
                "first_seconds": first,
                "runs_per_second": figures(rates),
                "over_one_core": median(rates) / median(speed.rates),
                "compared_runs": speed.work.runs,
                "overturned": done.overturned,
                "overturned_on_the_processor": speed.done.overturned,
            }
        )
    return found
