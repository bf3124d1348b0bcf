"""Speed of mcrock on this machine: named workloads, start-up, memory, scaling."""

from mcrock.verify.bench.report import run_bench
from mcrock.verify.bench.workloads import WORKLOADS

__all__ = ["WORKLOADS", "run_bench"]
