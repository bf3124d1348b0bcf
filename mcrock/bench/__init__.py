"""How fast mcrock is on this machine: named workloads, start-up, memory, scaling."""

from mcrock.bench.report import run_bench
from mcrock.bench.workloads import WORKLOADS

__all__ = ["WORKLOADS", "run_bench"]
