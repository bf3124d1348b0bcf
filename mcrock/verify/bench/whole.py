"""The shipped study as ``mcrock run`` does it: drawing, parts, threads and the store included."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from mcrock.verify.bench.throughput import MeasuredRate
from mcrock.verify.bench.workloads import study_file


@dataclass(frozen=True)
class WholeStudy:
    """Time of the shipped study.

    Attributes
    ----------
    runs, workers : int
        Runs of the study and threads it was given.
    seconds : Rates
        From a loaded study to a finished store, compiled code loaded before [s].
    """

    runs: int
    workers: int
    seconds: MeasuredRate


def measure_study(runs: int | None, workers: int, repeat: int, say: Callable[[str], None]) -> WholeStudy:
    """Run the shipped study into a temporary store.

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
    from mcrock.config import load_config
    from mcrock.ensemble import run_study

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
    return WholeStudy(study.n_runs, workers, MeasuredRate(tuple(seconds)))
