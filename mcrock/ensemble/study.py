"""A study from its first realization to its last, or until its probabilities are known well enough.

Either begins a store or goes on where an earlier run ended.
"""

from __future__ import annotations

import platform
import sys
import uuid
import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from math import prod
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import xarray as xr
from dask.system import CPU_COUNT

from mcrock.base.checks import shown, suggest_keyword
from mcrock.base.environment import peak_memory
from mcrock.base.params import MotionPack
from mcrock.base.session import shown_progress
from mcrock.dataset import DamageError, contents, is_store, load_dataset
from mcrock.dataset.create import check_extent, check_same_study, known_length
from mcrock.dataset.store import chunk_length
from mcrock.ensemble import opening
from mcrock.ensemble.part import (
    JOBS,
    NO_WORK,
    Failure,
    Job,
    OwnResponse,
    Part,
    PartResult,
    Work,
    cut_parts,
    describe_error,
    named_responses,
    own_values,
    share_of,
)
from mcrock.ensemble.pilot import first_size, settle, size_that_tells
from mcrock.ensemble.schedule import run_distributed, run_local
from mcrock.excitation import Motion, pack_motions
from mcrock.simulation.device import CPU, CUDA, check_device
from mcrock.simulation.runs import Run
from mcrock.study import Study
from mcrock.study.sampling import check_inputs, draw_inputs, load_motions

if TYPE_CHECKING:
    from distributed import Client

SHOWN_FAILURES = 5
LAUNCH = 2**18  # runs of a part on a GPU, eight for each of the threads that a large one holds


class EnsembleError(RuntimeError):
    """A study that could not be computed to its end; what is done stays in the store."""


@dataclass
class Progress:
    """Progress of a process in its share of a study."""

    total_runs: int
    overturned: np.ndarray  # (n_intensity,) runs
    intensities: Sequence[float] | None = None  # levels, None in a cloud study
    units: str = "1"  # of the intensities
    finished: int = 0  # realizations
    first: int = 0  # realizations finished when the first part was: until then the kernel is compiled
    began: float = field(default_factory=perf_counter)
    first_seconds: float = 0.0  # time that took [s]
    work: Work = NO_WORK  # of the finished runs
    job: str = ""  # by which workers know it
    studies: int = 1  # that are run together

    def stop(self) -> None:
        """End a run of threads from another one: parts at work are given up within a second, and `run_study`
        raises `mcrock.ensemble.part.Stopped`."""
        JOBS.pop(self.job, None)

    @property
    def finished_runs(self) -> int:
        return self.finished * len(self.overturned)

    def add(self, n_realizations: int, overturned: np.ndarray, work: Work = NO_WORK) -> None:
        """Count a part that was finished."""
        self.work += work
        self.finished += n_realizations
        self.overturned += overturned
        if not self.first:
            self.first, self.first_seconds = n_realizations, perf_counter() - self.began

    @property
    def rate(self) -> float:
        """Runs per second since the first part was finished, before that since the start [1/s]."""
        seconds, counted = perf_counter() - self.began, self.finished
        if counted > self.first:
            seconds, counted = seconds - self.first_seconds, counted - self.first
        return counted * len(self.overturned) / max(seconds, 1e-9)

    @property
    def seconds_left(self) -> float:
        """Time left at the rate so far [s], NaN before the first part is done."""
        return (self.total_runs - self.finished_runs) / self.rate if self.finished else float("nan")


@suggest_keyword
def run_study(
    study: Study,
    output: str | Path,
    *,
    workers: int | None = None,
    part_size: int | None = None,
    overwrite: bool = False,
    resume: bool = False,
    extend: bool = False,
    task: tuple[int, int] = (1, 1),
    processes: bool = False,
    client: Client | None = None,
    device: str = CPU,
    law: Callable[..., float] | None = None,
    responses: Sequence[Callable[[Run], float] | str] = (),
    progress: Callable[[Progress], None] | None = None,
    hazard: xr.Dataset | None = None,
    intensity: float | None = None,
) -> xr.Dataset:
    """Run a study into a zarr store and open the result.

    The result depends on the study alone: not on workers, part size, tasks or interruptions. What the study
    leaves open, by ``levels = "auto"`` and ``realizations = "auto"``, depends on what is asked too. Of
    several tasks each finds the same number by the first batch, or takes that of the store.

    Parameters
    ----------
    study : Study
        From `load_config`.
    output : str or Path
        Folder of the store; a log is written next to it as ``<output>.log``, one JSON object a line, of each
        task of several as ``<output>.logs/3-of-8.log``.
    workers : int, optional
        Threads or processes; by default one for each CPU this process may use.
    part_size : int, optional
        Realizations computed together, rounded up to whole chunks of the store; one chunk by default.
    overwrite : bool
        Replace an existing store (and nothing but a store of mcrock). It stays until the new
        one, still without runs, takes its place.
    resume : bool
        Continue an unfinished store; finished chunks are kept, missing files are made.
    extend : bool
        As `resume`, and give the store more realizations, epistemic draws or intensities if it lacks some.
    task : tuple of int
        ``(i, n)``: compute the i-th of n shares; the tasks may run at the same time.
    processes : bool
        Worker processes instead of threads. They are spawned, so a script that calls this needs
        ``if __name__ == "__main__":``.
    client : distributed.Client, optional
        Run on this cluster, whose workers must see `output` under the same path.
    device : str
        ``cpu``, or ``cuda`` for the GPU of this machine, or of each worker of the cluster. Threads then draw
        inputs and store results, and parts are larger.
    law : callable, optional
        Function of one's own that impacts follow, as `Study.with_law` takes it; not on a GPU.
    responses : sequence of callable or str, optional
        Functions of a `mcrock.simulation.runs.Run` that give a number, with its unit as attribute ``units``,
        or the names that packages give them (entry points ``mcrock.responses``), which take a study that was
        loaded with ``trust_code=True``; results have them as ``own_NAME``. Every run is run again with its
        history.
    progress : callable, optional
        Called with a `Progress` at the start and after every part.
    hazard, intensity : Dataset and float, optional
        What is asked of a study with "auto", as of `mcrock.statistics.what_limits`: the median by default.

    Returns
    -------
    Dataset
        The result, read from disk when it is used; with runs missing only where ``task`` leaves some.

    Raises
    ------
    StoreError
        If the output is refused.
    ValueError
        If an option or the study is not valid.
    EnsembleError
        If parts failed or could not be stored; the others are stored.
    DamageError
        If a file of the store cannot be decoded.
    """
    if not isinstance(study, Study):
        made = "as load_config('study.toml') makes one"
        raise ValueError(f"run_study.study must be a Study, {made}, got {shown(study)}")
    study = study if law is None else study.with_law(law)
    options = Options(workers, part_size, overwrite, resume, extend, task, processes, client, device)
    own = [
        OwnResponse.named(one, study.folder, study.trust_code)
        if isinstance(one, str)
        else OwnResponse.of(one)
        for one in responses
    ]
    known = {each.variable: each for each in (*named_responses(study), *own)}
    motions: tuple[list[Motion], MotionPack] | None = None  # the same for every batch

    def run(study: Study, output: Path, options: Options) -> xr.Dataset:
        nonlocal motions
        path, job = options.prepare(study, output, (*known.values(),), motions)
        motions = job.motions, job.pack
        _try_responses(job)
        run_jobs({path: job}, options, progress)
        return load_dataset(path, allow_incomplete=options.task[1] > 1)

    path = Path(output)
    if study.intensity.is_auto:
        opening.check_output(path, overwrite, options.joining)
    (study,) = settle([study], hazard, intensity=intensity, output=path if options.joining else None)
    if not study.has_fixed_size and task[1] > 1:
        there = contents.read_template(path).n_realizations if is_store(path) else None
        study = fix_size(study, hazard, intensity=intensity) if there is None else study.of_size(there)
        opening.Log(path, task).write("size", realizations=study.n_realizations)
    if study.has_fixed_size:
        return run(study, path, options)
    n = first_size(study)
    if options.joining and is_store(path):
        n = max(n, contents.read_template(path).n_realizations)
    while True:
        ds = run(study.of_size(n), path, options)
        if (least := size_that_tells(study, ds, hazard=hazard, intensity=intensity)) <= n:
            return ds
        n, options = least, replace(options, overwrite=False, resume=False, extend=True)


def fix_size(
    study: Study,
    hazard: xr.Dataset | None = None,
    *,
    intensity: float | None = None,
    workers: int | None = None,
) -> Study:
    """The study with the intensities and the number of realizations that its first batch wants.

    So that the tasks of an array agree on them. The batch is computed here, in threads, and not kept.

    Parameters
    ----------
    study, hazard, intensity, workers
        As of `run_study`.

    Raises
    ------
    ValueError, EnsembleError
        As of `run_study`.
    """
    (study,) = settle([study], hazard, intensity=intensity)
    if study.has_fixed_size:
        return study
    with contents.scratch_folder() as folder:
        first = run_study(study.of_size(first_size(study)), folder / "first.zarr", workers=workers)
        return study.of_size(size_that_tells(study, first, hazard=hazard, intensity=intensity))


def run_jobs(
    jobs: Mapping[Path, Job], options: Options, progress: Callable[[Progress], None] | None = None
) -> None:
    """Run studies together, each into its store; errors as `run_study`, of which ``options`` are."""
    path = next(iter(jobs))
    try:
        for path, job in jobs.items():
            opening.open_output(job, path, options.overwrite, options.joining, options.extend)
    except DamageError:
        raise
    except OSError as error:
        raise EnsembleError(f"{path}: {describe_error(error)}") from error
    try:
        with shown_progress(progress) as report:
            _compute(jobs, options, report)
    except DamageError:
        raise
    except (OSError, BrokenProcessPool) as error:
        raise EnsembleError(f"{path}: {describe_error(error)}{_state(path)}") from error


class Plan(NamedTuple):
    """Work that a call of `run_study` would do."""

    chunk_length: int  # realizations
    chunks: int  # of the study
    share: int  # of the chunks, of the task
    left: int  # of the share, still to be computed


def plan_study(
    study: Study,
    output: str | Path,
    *,
    workers: int | None = None,
    part_size: int | None = None,
    overwrite: bool = False,
    resume: bool = False,
    extend: bool = False,
    task: tuple[int, int] = (1, 1),
    processes: bool = False,
    device: str = CPU,
) -> Plan:
    """Say what `run_study` would do with these arguments, and refuse what it refuses; nothing is written.

    Raises
    ------
    StoreError
        If the output is refused.
    ValueError
        If an option or the study is not valid.
    """
    options = Options(workers, part_size, overwrite, resume, extend, task, processes, None, device)
    path, job = options.prepare(study, output)
    template = opening.template_of(job, known_length(path) if options.joining else None)
    if options.joining and path.exists():
        with suppress(DamageError):  # what is damaged is written again
            check_extent(path, template) if extend else check_same_study(path, job.attrs, template.study)
    else:
        check_inputs(study, job.motions)
    chunks = prod(template.grid)
    first, last = share_of(task, chunks)
    done = _inventory_of_share(path, template, task).done.sum() if options.joining else 0
    return Plan(template.length, chunks, last - first, last - first - int(done))


def _inventory_of_share(path: Path, template: contents.Template, task: tuple[int, int]) -> contents.Inventory:
    """Chunks of a task's share that are there, every byte checked; nothing whole is to be overwritten."""
    keys = islice(template.chunks(), *share_of(task, prod(template.grid)))
    found = contents.take_inventory(path, template, keys, thorough=True)
    error = found.error(path, template)
    if isinstance(error, contents.ForeignError):
        raise error
    return found


@dataclass(frozen=True)
class Options:
    """Options of `run_study`."""

    workers: int | None
    part_size: int | None
    overwrite: bool
    resume: bool
    extend: bool
    task: tuple[int, int]
    processes: bool
    client: Client | None
    device: str

    @property
    def joining(self) -> bool:
        """True if the store may be there, and others may work on it."""
        return self.resume or self.extend or self.task[1] > 1

    def prepare(
        self,
        study: Study,
        output: str | Path,
        responses: tuple[OwnResponse, ...] = (),
        motions: tuple[list[Motion], MotionPack] | None = None,
    ) -> tuple[Path, Job]:
        """The store, and what the workers need, of valid options; ``motions`` are those of the study, if they
        are at hand."""
        self.check(study)
        path = Path(output)
        opening.check_output(path, self.overwrite, self.joining)
        loaded, pack = motions or (load_motions(study), None)
        job = opening.prepare_job(study, loaded, path.absolute(), self.device, responses, pack)
        return path, opening.job_as_stored(job) if self.joining else job

    def size_of_parts(self, study: Study) -> int | None:
        """Realizations of a part, None for what the store and the scheduler give."""
        if self.device == CUDA and self.part_size is None:
            return -(-LAUNCH // study.n_intensity)
        return self.part_size

    def check(self, study: Study) -> None:
        """Refuse options that are not valid, or not for a study (ValueError)."""
        check_device(self.device)
        self._check_on_device(study)
        if self.device == CUDA and self.processes:
            raise ValueError("a GPU is shared by threads: leave processes (--processes) out")
        for name in ("workers", "part_size"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"{name} must be at least 1, got {value}")
        i, n = self.task
        if not 1 <= i <= n:
            raise ValueError(f"task must be i/n with 1 <= i <= n, got {i}/{n}")
        if self.overwrite and (self.resume or self.extend):
            raise ValueError("overwrite starts again, resume and extend continue: give one of them")
        if self.overwrite and n > 1:
            raise ValueError("overwrite would delete what the other tasks have done: remove the store first")
        if self.client is not None and (self.processes or self.workers is not None):
            raise ValueError("workers and processes are set by the cluster: leave them out")
        if self.client is not None and (status := getattr(self.client, "status", self.client)) != "running":
            raise ValueError(
                f"client must be a client of dask that is connected, got {status!r}: open one, as in "
                "`with distributed.Client(...) as client:`, and call run_study inside"
            )
        program = getattr(sys.modules["__main__"], "__file__", None)
        if self.processes and program is not None and not Path(program).exists():
            raise ValueError(
                f"processes=True starts processes that read the program again, and {program} cannot be: "
                'save it as a file, with run_study below `if __name__ == "__main__":`, or leave processes out'
            )

    def _check_on_device(self, study: Study) -> None:
        if self.device == CUDA and study.contact is not None:
            raise ValueError(
                "device cuda computes contacts that stick, the study has [contact]: leave device (--device) "
                "out"
            )
        if self.device == CUDA and study.own_law is not None:
            raise ValueError(
                "device cuda has no law of one's own, which is compiled for processors: leave device "
                "(--device) out"
            )
        if self.device == CUDA and study.body.own_hulls:
            raise ValueError(
                "device cuda computes many runs of bodies with the same faces, and each realization has its "
                "own: leave device (--device) out, or give body.shape_error 'epistemic = true' and points of "
                "one size"
            )


def _try_responses(job: Job) -> None:
    """Compute responses of a user for the first realization at its lowest and highest intensity, so that a
    function that fails is refused before all others, and one that gives NaN is told."""
    if job.responses:
        inputs = draw_inputs(job.study, job.motions, 0, 1)
        inputs = replace(inputs, scale=inputs.scale[:, [0, -1]])
        pack = pack_motions(inputs.motions) if inputs.motions else job.pack
        found, wrong = own_values(job.responses, inputs, pack, job.study)
        if wrong:
            raise ValueError(wrong[0])
        for name, values in found.items():
            if np.isnan(values).all():
                where = (
                    "in both runs that it was tried on, of realization 0 at the lowest and highest intensity"
                )
                told = "NaN counts as undecided: give 0 where a body does not rock"
                warnings.warn(f"{name} is NaN {where}; {told}", stacklevel=3)


def _compute(jobs: Mapping[Path, Job], options: Options, progress: Callable[[Progress], None] | None) -> None:
    client, study = options.client, next(iter(jobs.values())).study
    state = Progress(
        0,
        np.zeros(study.n_intensity, int),
        None if study.is_cloud else study.intensity.si_levels,
        opening.measure_of(study)[0],
        job=f"mcrock-{uuid.uuid4().hex}",
        studies=len(jobs),
    )
    workers, parts, trackers = options.workers or CPU_COUNT, list[Part](), list[_Tracker]()
    part_size = options.size_of_parts(study)
    if part_size is None and len(jobs) > 1:  # as of one study with all their runs
        part_size = chunk_length(sum(job.study.n_realizations for job in jobs.values()), study.n_intensity)
    for member, (path, job) in enumerate(jobs.items()):
        tracker, own = _begun(path, job, options, workers, member, part_size, state, progress)
        trackers.append(tracker)
        parts += own
    state.total_runs = sum(part.stop - part.start for part in parts) * study.n_intensity
    if progress:
        progress(state)

    def report(result: PartResult) -> None:
        trackers[result.part.member].report(result)

    with ExitStack() as logs:
        for tracker in trackers:
            logs.enter_context(tracker.log.noting_its_end())
        every, fixed = [*jobs.values()], options.size_of_parts(study) is not None
        if client is not None:
            run_distributed(state.job, every, parts, client, report, fixed=fixed)
        elif parts:
            realizations = state.total_runs // study.n_intensity
            run_local(state.job, every, parts, min(workers, realizations), options.processes, report)
    for tracker in trackers:
        tracker.close()
    if failed := [tracker for tracker in trackers if tracker.failures]:
        raise EnsembleError(
            "\n".join(_describe_failures(each.failures) + _state(each.path) for each in failed)
        )


def _begun(
    path: Path,
    job: Job,
    options: Options,
    workers: int,
    member: int,
    part_size: int | None,
    state: Progress,
    progress: Callable[[Progress], None] | None,
) -> tuple[_Tracker, list[Part]]:
    """What follows a study of several, and the parts of it that are to be computed, as its log says."""
    study, task = job.study, options.task
    template = contents.read_template(path)
    found = _inventory_of_share(path, template, task)
    parts = list(cut_parts(found.done, template.length, study.n_realizations, part_size, task, member))
    log = opening.Log(path, task)
    log.write(
        "start",
        **_versions_and_machine(job),
        **_route(options, workers),
        task=f"{task[0]}/{task[1]}",
        part_size=part_size,
        chunk_length=template.length,
        chunks_done=int(found.done.sum()),
        chunks=found.done.size,
        parts=len(parts),
    )
    for key, what in found.damaged.items():
        file = contents.chunk_path(path, key).relative_to(path)
        log.write("damaged", file=str(file), what=what)
        warnings.warn(f"{path}: {file} is {what}; it is computed again", stacklevel=3)
    return _Tracker(path, log, state, progress, sum(part.stop - part.start for part in parts)), parts


def _versions_and_machine(job: Job) -> dict[str, Any]:
    """Entries of a log: by what a study is computed."""
    return {
        "versions": opening.describe_versions(),
        "kernel": job.attrs["kernel_digest"],
        "arithmetic": job.attrs.get("arithmetic"),
        "config": job.attrs["config"],
        "machine": platform.machine(),
        "job": opening.batch_job(),
    }


def _route(options: Options, workers: int) -> dict[str, Any]:
    """Entries of a log: who computes the parts."""
    client, local = options.client, "processes" if options.processes else "threads"
    return {
        "dashboard": (client.dashboard_link or None) if client else None,
        "scheduler": getattr(client.scheduler, "address", "dask") if client is not None else local,
        "workers": None if client else workers,
    }


@dataclass
class _Tracker:
    """Takes the results of the parts of a study as they finish."""

    path: Path
    log: opening.Log
    state: Progress  # of all studies that are run together
    progress: Callable[[Progress], None] | None
    left: int  # realizations
    runs: int = 0
    began: float = field(default_factory=perf_counter)
    failures: list[PartResult] = field(default_factory=list)
    impossible: list[Failure] = field(default_factory=list)

    def report(self, result: PartResult) -> None:
        """Count and log a part.

        Raises
        ------
        EnsembleError
            If it could not be stored: no other would be.
        """
        outer = {} if result.part.outer is None else {"outer": result.part.outer}
        place = {"start": result.part.start, "stop": result.part.stop, **outer}
        realizations = place | {"worker": result.worker}
        if result.error:
            self.failures.append(result)
            if result.fatal:
                raise EnsembleError(f"{self.path}: cannot store results: {result.error}{_state(self.path)}")
            self.log.write("failed", **realizations, error=result.error, trace=result.trace)
        else:
            self.state.add(result.part.stop - result.part.start, result.overturned)
            self.runs += (result.part.stop - result.part.start) * len(result.overturned)
            self.log.write("part", **realizations, seconds=round(result.seconds, 3), memory=result.memory)
            for failure in result.failures:
                entry = failure._asdict()
                self.log.write("no_response" if entry.pop("has_runs") else "no_run", **outer, **entry)
            self.impossible.extend(result.failures)
        self.left -= result.part.stop - result.part.start
        if not self.left:
            self._log_end()
        if self.progress:
            self.progress(self.state)

    def _log_end(self) -> None:
        seconds = round(perf_counter() - self.began, 3)
        self.log.write(
            "end",
            runs=self.runs,
            seconds=seconds,
            runs_per_second=round(self.runs / max(seconds, 1e-3), 1),
            failed_parts=len(self.failures),
            failed_realizations=sum(not each.has_runs for each in self.impossible),
            memory=peak_memory(),
        )

    def close(self) -> None:
        """Log the end of a study that had no parts, and warn of realizations that could not be computed."""
        if not self.runs and not self.failures:
            self._log_end()
        for has_runs, words in (
            (False, "no run could be made of {}, which count as undecided"),
            (True, "responses of runs of {} are NaN, as their function failed"),
        ):
            if of_kind := [each for each in self.impossible if each.has_runs == has_runs]:
                warnings.warn(_describe_impossible(of_kind, words, self.log.path), stacklevel=4)


def _describe_impossible(failures: list[Failure], words: str, log: Path) -> str:
    count = f"{len(failures)} realization{'s' * (len(failures) > 1)}"
    lines = [f"{words.format(count)}; {log} has the messages:"]
    lines += [f"realization {failure.realization}: {failure.error}" for failure in failures[:SHOWN_FAILURES]]
    return "\n".join(lines)


def _describe_failures(failures: list[PartResult]) -> str:
    failures = sorted(failures, key=lambda failure: (failure.part.outer or 0, failure.part))
    lines = [
        f"realizations {f.part.start} to {f.part.stop - 1}"
        f"{'' if f.part.outer is None else f' of the epistemic draw {f.part.outer}'} failed: {f.error}"
        for f in failures
    ]
    if len(lines) > SHOWN_FAILURES:
        lines[SHOWN_FAILURES:] = [f"and {len(lines) - SHOWN_FAILURES} more parts; the log has them all"]
    return "\n".join(lines)


def _state(path: Path) -> str:
    """State of the store and how to go on, as the end of a message."""
    try:
        done = contents.chunks_done(path)
    except OSError:
        return ""
    if done.all():
        return f"\nall {done.size} chunks are done and kept"
    return f"\n{done.sum()} of {done.size} chunks are done and kept; --resume computes the others"
