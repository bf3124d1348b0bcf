"""Resources that a study needs on a cluster, measured on some of its realizations, and cut into tasks."""

from __future__ import annotations

from math import ceil, prod
from typing import Any, NamedTuple

from mcrock.dataset.archive import scratch_folder
from mcrock.dataset.contents import STUDY, chunk_path
from mcrock.dataset.create import create_store
from mcrock.dataset.store import write_part
from mcrock.ensemble import estimate_time
from mcrock.ensemble.opening import prepare_job, template_of
from mcrock.ensemble.part import Job, Part, simulate
from mcrock.excitation import Motion
from mcrock.study import Study
from mcrock.study.sampling import check_inputs

SAMPLE = 3.0  # time spent on a chunk that is written [s]
START = 120.0  # of a task, with compilation [s]
RESERVE = 1.5  # times the measured time and memory that a task asks for [1]
USED = 0.8  # of the wall-time that tasks are planned for [1]
COPIES = 4  # of a chunk that a worker holds while it makes and packs it [1]
LEAST_MEMORY = 1e9  # that a task asks for [bytes]; compilation needs 0.6e9


class Estimate(NamedTuple):
    """Resources that a study needs."""

    runs: int
    seconds: float  # a run on one core [s]
    timed: int  # runs that this was measured on
    disk: float  # of the store [bytes]
    chunks: int
    files: int  # of the store
    chunk_memory: float  # a chunk in memory [bytes]

    @property
    def core_seconds(self) -> float:
        """Time on one core [s]."""
        return self.runs * self.seconds


class ArrayPlan(NamedTuple):
    """Tasks of an array job."""

    tasks: int
    cores: int  # of each
    walltime: int  # of each [s]
    memory: float  # of each [bytes]
    seconds: float  # that a task takes, without the start [s]

    @property
    def written_walltime(self) -> str:
        """Wall-time as ``HH:MM:SS``."""
        minutes, seconds = divmod(self.walltime, 60)
        return f"{minutes // 60:02d}:{minutes % 60:02d}:{seconds:02d}"

    @property
    def fits(self) -> bool:
        """True if a task is likely to end before its wall-time."""
        return START + RESERVE * self.seconds <= self.walltime


def measure(study: Study, motions: list[Motion]) -> Estimate:
    """Time runs of a study, and write some of them to a temporary store.

    Parameters
    ----------
    study, motions
        The study and what `load_motions` gives for it.
    """
    check_inputs(study, motions)
    seconds, timed = estimate_time(study, motions)
    with scratch_folder() as folder:
        job = prepare_job(study, motions, folder / "s.zarr")
        whole = template_of(job)
        affordable = int(SAMPLE / max(seconds * study.n_intensity, 1e-9))
        n = max(1, min(affordable, whole.length, study.n_realizations))
        outer = 0 if len(whole.grid) > 1 else None
        values = simulate(job, Part(0, n, outer))
        fixed, each = _size_of_chunk(job, values, n, outer)
        study_file = (job.store / STUDY).stat().st_size
    outers = prod(whole.grid[:-1])
    runs = study.n_realizations * study.n_intensity * outers
    return Estimate(
        runs=runs,
        seconds=seconds,
        timed=timed,
        disk=each * study.n_realizations * outers + fixed * prod(whole.grid) + study_file,
        chunks=prod(whole.grid),
        files=prod(whole.grid) + 2,  # of the study, and README.txt
        chunk_memory=sum(array.nbytes for array in values.values()) / n * whole.length,
    )


def _size_of_chunk(job: Job, values: dict[str, Any], n: int, outer: int | None) -> tuple[float, float]:
    """Size of a chunk on disk: constant part, and part of each realization [bytes]."""

    def written(n: int) -> int:
        template = template_of(job, n)
        create_store(job.store, template, replace=True)
        write_part(job.store, 0, {name: array[:n] for name, array in values.items()}, job.attrs, outer)
        return chunk_path(job.store, (0,) * len(template.grid)).stat().st_size

    whole, half = written(n), written(max(1, n // 2))
    each = (whole - half) / (n - n // 2) if n > 1 else whole
    return whole - n * each, each


def plan_tasks(
    estimate: Estimate, cores: int, walltime: int, memory: float, tasks: int | None, least: int = 1
) -> ArrayPlan:
    """Cut a study into tasks that end before their wall-time.

    Parameters
    ----------
    estimate : Estimate
        From `measure`.
    cores, walltime : int
        Of each task [1], [s].
    memory : float
        That this process has needed for it [bytes].
    tasks : int, optional
        By default as many as the wall-time asks for, at most one for `cores` chunks.
    least : int
        Tasks of the smallest array that the system takes.
    """
    usable = max(USED * walltime - START, 1.0) * cores
    if tasks is None:
        most = max(1, estimate.chunks // cores)
        tasks = min(most, ceil(RESERVE * estimate.core_seconds / usable))
    tasks = max(least, tasks)
    needed = RESERVE * (memory + cores * COPIES * estimate.chunk_memory)
    seconds = estimate.core_seconds / (tasks * cores)
    return ArrayPlan(tasks, cores, walltime, max(LEAST_MEMORY, needed), seconds)
