"""Memory that a process takes."""

from __future__ import annotations

import sys
from pathlib import Path


def peak_memory() -> float | None:
    """Largest memory this process has held so far [MiB]; None where the system does not tell.

    Linux keeps in ``ru_maxrss`` what the parent held when it started the process, so that there its
    own high-water mark is read instead.
    """
    try:
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM"):
                return round(int(line.split()[1]) / 1024, 1)
    except OSError:
        pass
    try:
        import resource
    except ImportError:
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20, 1)
