"""Speed of the workloads, of one commit after another: `asv run` and `asv compare` in this folder."""

import subprocess
import sys
from time import process_time

from .workloads import WORKLOADS, prepare


class Workload:
    """One pass on one core: its processor time, and the memory of a process that does nothing else."""

    params = tuple(WORKLOADS)
    param_names = ("workload",)
    timer = staticmethod(process_time)
    timeout = 900  # as the first pass compiles [s]
    rounds, repeat, number, warmup_time = 3, (3, 10, 20.0), 1, 0.0

    def setup_cache(self) -> None:
        for name in WORKLOADS:
            prepare(name, 1).run()

    setup_cache.timeout = 900

    def setup(self, name: str) -> None:
        self.work = prepare(name)
        self.work.run()  # loads what is compiled

    def time_pass(self, name: str) -> None:
        self.work.run()

    def track_runs_per_second(self, name: str) -> float:
        began = process_time()
        self.work.run()
        return self.work.runs / (process_time() - began)

    track_runs_per_second.unit = "runs/s"

    def peakmem_pass(self, name: str) -> None:
        self.work.run()


class Start:
    """Seconds from the command line to its end, with compiled code on disk."""

    def time_help(self) -> None:
        subprocess.run([sys.executable, "-m", "mcrock", "--help"], check=True, capture_output=True)
