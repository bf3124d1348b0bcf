"""Speed on a GPU, compared with that of one core."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import perf_counter

from mcrock.device import CUDA, arithmetic_of
from mcrock.verify.bench.throughput import MeasuredRate, Speed
from mcrock.verify.bench.workloads import BODY, WORKLOADS, WorkDone, prepare

RUNS = 2**20  # of a workload, so that no thread waits for work


@dataclass(frozen=True)
class OnGpu:
    """Speed of a workload on a GPU.

    Attributes
    ----------
    name, arithmetic : str
        Workload, and on what it ran.
    runs : int
        In one pass.
    first_seconds : float
        Of the first pass, through as many runs as on the processor, with compiling or loading [s].
    runs_per_second : Rates
        Time on the clock, from the inputs in the memory of the processor to the results there [1/s].
    tally : Tally
        Of the first pass.
    speed : Speed
        On one core.
    """

    name: str
    arithmetic: str
    runs: int
    first_seconds: float
    runs_per_second: MeasuredRate
    tally: WorkDone
    speed: Speed


def measure_gpu(
    speeds: Mapping[str, Speed], runs: int | None, repeat: int, say: Callable[[str], None]
) -> list[OnGpu]:
    """Speed of workloads on a GPU, of bodies in space whose contacts stick.

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
        tally = prepare(name, runs, CUDA).run()
        first = perf_counter() - began
        work, rates = prepare(name, runs or RUNS, CUDA), []
        for _ in range(repeat):
            began = perf_counter()
            work.run()
            rates.append(work.runs / (perf_counter() - began))
        found.append(
            OnGpu(name, arithmetic_of(CUDA) or "", work.runs, first, MeasuredRate(tuple(rates)), tally, speed)
        )
    return found
