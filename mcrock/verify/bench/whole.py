"""The shipped study as ``mcrock run`` does it: drawing, parts, threads and the store included."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

from mcrock.verify.bench.throughput import figures
from mcrock.verify.bench.workloads import study_file


def measure_study(runs: int | None, workers: int, repeat: int, say: Callable[[str], None]) -> dict[str, Any]:
    """Run the shipped study into a temporary store; `seconds` are from a loaded study to a finished store.

    Parameters
    ----------
    runs : int, optional
        Approximate number of runs; all by default.
    workers : int
        Threads.
    repeat : int
        How often.
    say : callable
        Told of what is done.

    Raises
    ------
    ConfigError
        If the records of the study are not installed.
    """
    from mcrock.ensemble import run_study
    from mcrock.study import load_config

    study = load_config(study_file())
    if runs is not None:
        realizations = max(1, runs // study.n_intensity)
        study = load_config(study_file(), [f"ensemble.realizations={realizations}"])
    seconds = []
    with tempfile.TemporaryDirectory(prefix="mcrock-bench-") as folder:
        store = Path(folder) / "study.zarr"
        run_study(load_config(study_file(), ["ensemble.realizations=1"]), store, workers=1)  # imports
        for i in range(repeat):
            say(f"the whole study on {workers} threads, round {i + 1} of {repeat}")
            began = perf_counter()
            run_study(study, store, workers=workers, overwrite=True)
            seconds.append(perf_counter() - began)
    return {"runs": study.n_runs, "workers": workers, "seconds": figures(seconds)}
