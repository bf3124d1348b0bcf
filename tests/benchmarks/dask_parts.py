"""What a study of many parts costs scheduler and client of dask: memory, and time for each part.

`python -m tests.benchmarks.dask_parts 100000` hands out so many parts that compute nothing, on two workers of
this machine, with the ground motions of the main example, and prints memory of both processes as it goes.
"""

import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import psutil

import mcrock.ensemble.schedule as route
from mcrock.ensemble.opening import prepare_job
from mcrock.ensemble.part import Part, PartResult
from mcrock.study import load_config
from mcrock.study.sampling import load_motions

ROOT = Path(__file__).parents[2]
WORKERS, SHOWN = 2, 10


def no_runs(name: str, part: Part) -> PartResult:
    """A part that takes no time; its answer has the size of a real one."""
    return PartResult(part, 5.0, "node0123:12345", np.zeros(10, int))


def dask(*arguments: Any) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "distributed.cli.dask_" + arguments[0], *map(str, arguments[1:])]
    return subprocess.Popen(command, stderr=subprocess.DEVNULL)


def main(n_parts: int) -> None:
    """Hand out parts and print what it takes."""
    from distributed import Client

    with TemporaryDirectory() as folder, ExitStack() as stack:
        file = Path(folder, "scheduler.json")
        scheduler = dask("scheduler", "--scheduler-file", file, "--host", "127.0.0.1", "--no-dashboard")
        stack.callback(scheduler.kill)
        for _ in range(WORKERS):
            worker = dask("worker", "--scheduler-file", file, "--nthreads", 1, "--no-dashboard")
            stack.callback(worker.terminate)
        while not file.exists():
            time.sleep(0.1)
        client = stack.enter_context(Client(scheduler_file=str(file)))
        client.wait_for_workers(WORKERS)
        study = load_config(ROOT / "configs" / "quickstart.toml")
        motions = load_motions(study)
        job = prepare_job(study, motions, Path(folder, "s.zarr"))
        finished = 0
        began = time.perf_counter()

        def report(result: PartResult) -> None:
            nonlocal finished
            assert not result.error, result.error
            finished += 1
            if finished % (n_parts // SHOWN) == 0:
                sizes = [psutil.Process(pid).memory_info().rss / 2**20 for pid in (scheduler.pid, None)]
                memory = "scheduler {:.0f} MiB, client {:.0f} MiB".format(*sizes)
                each = (time.perf_counter() - began) / finished
                print(f"{finished} parts: {memory}, {each * 1e3:.2f} ms each", flush=True)

        route.run_part = no_runs
        parts = (Part(i, i + 1) for i in range(n_parts))
        route.run_distributed("parts", job, parts, client, report, fixed=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
