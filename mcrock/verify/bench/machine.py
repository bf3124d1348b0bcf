"""Conditions of a figure: the machine, the versions, the memory of this process."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from mcrock.base.arithmetic import arithmetic
from mcrock.base.code_cache import source_hash
from mcrock.base.version import mcrock_version

PACKAGES = ("numpy", "numba", "llvmlite", "scipy", "xarray", "dask", "zarr")


def describe_machine() -> dict[str, Any]:
    """Processor, cores, memory [GiB], system and load average, as far as the system tells."""
    from dask.system import CPU_COUNT
    from llvmlite.binding import get_host_cpu_name

    return {
        "cpu": cpu_model(),
        "compiled_for": get_host_cpu_name(),
        "cores": os.cpu_count(),
        "usable_cores": CPU_COUNT,
        "memory_GiB": _memory(),
        "os": platform.platform(),
        "load_average": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
    }


def describe_versions() -> dict[str, str]:
    """Versions of mcrock, its compiled source, Python and the packages that decide the speed."""
    found = {"mcrock": mcrock_version(), "kernel": source_hash(), "python": platform.python_version()}
    if special := arithmetic():
        found["arithmetic"] = special
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def cpu_model() -> str:
    """Name of the processor."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    if sys.platform == "darwin":
        command = ["sysctl", "-n", "machdep.cpu.brand_string"]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    return platform.processor() or platform.machine()


def _memory() -> float | None:
    """Memory of the machine [GiB]."""
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1)
    except (AttributeError, ValueError, OSError):
        return None
