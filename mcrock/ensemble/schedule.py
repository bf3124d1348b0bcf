"""Run parts on dask: threads or processes of this machine.

Each route calls `report` in the caller's thread with the result of every part as it finishes, and
holds no more parts than there are workers, so that memory does not grow with the study.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from functools import partial
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import Any

import dask.multiprocessing
import dask.threaded
from dask.callbacks import Callback

from mcrock.base.interrupt import FROM_TERMINAL, hold_interruptions
from mcrock.dataset.archive import scratch_folder
from mcrock.ensemble.part import JOBS, Job, Part, PartResult, Stopped, run_part
from mcrock.ensemble.share import Shared, open_shared, share

Report = Callable[[PartResult], None]
SAFE_PATH = "PYTHONSAFEPATH"


def run_local(
    name: str, job: Job, parts: Iterable[Part], workers: int, processes: bool, report: Report
) -> None:
    """Run parts in `workers` threads, or in as many processes.

    Raises
    ------
    BrokenProcessPool
        If a worker process dies.
    """
    if processes:
        with scratch_folder() as folder, importing_nothing_here():
            shared = share(job, folder / "arrays")
            pool = ProcessPoolExecutor(workers, _Context(), _start_process, (name, shared))
            _run_in(pool, name, parts, report)
    else:
        JOBS[name] = job
        _run_in(ThreadPoolExecutor(workers), name, parts, report)


def _run_in(
    pool: ProcessPoolExecutor | ThreadPoolExecutor, name: str, parts: Iterable[Part], report: Report
) -> None:
    processes = isinstance(pool, ProcessPoolExecutor)
    get = dask.multiprocessing.get if processes else dask.threaded.get
    # a plain graph: to build that of 16,383 delayed calls took 8 s, in which the interpreter did little else
    graph = {f"{name}-{i}": (partial(run_part, name, part),) for i, part in enumerate(parts)}
    more: dict[str, Any] = {"optimize_graph": False} if processes else {}
    with _ended(pool), _Reporter(report):
        try:
            get(graph, list(graph), pool=pool, chunksize=1, **more)
        finally:
            JOBS.pop(name, None)  # which ends what threads are at, if something else has ended the rest


def run_tasks(
    function: Callable[[Any], Any], items: Sequence[Any], workers: int, report: Callable[[Any], None]
) -> None:
    """Call a function of a module with each item, in processes, and report each result as it comes.

    Raises
    ------
    BrokenProcessPool
        If a worker process dies.
    """
    if workers == 1:
        for item in items:
            report(function(item))
        return
    with importing_nothing_here():
        pool = ProcessPoolExecutor(workers, _Context(), _obey_parent)
        with _ended(pool):
            for future in as_completed([pool.submit(function, item) for item in items]):
                report(future.result())


@contextmanager
def importing_nothing_here() -> Iterator[None]:
    """Let Python that is started within import nothing from the current folder, which may be a stranger's."""
    before = os.environ.get(SAFE_PATH)
    os.environ[SAFE_PATH] = "1"
    try:
        yield
    finally:
        os.environ.pop(SAFE_PATH)
        os.environ |= {} if before is None else {SAFE_PATH: before}


@contextmanager
def _ended(pool: ProcessPoolExecutor | ThreadPoolExecutor) -> Iterator[None]:
    """Shut a pool down: after its last task, or at once if it was interrupted."""
    processes = isinstance(pool, ProcessPoolExecutor)
    finished, wait = False, True
    before = set(multiprocessing.active_children())
    try:
        yield
        finished = True
    except (KeyboardInterrupt, Stopped):
        wait = False
        raise
    finally:
        # both give their part up: a chunk is there when it is whole, or not at all
        if processes and not finished:
            # also one that the pool does not know yet, as it was interrupted while it started it
            for process in multiprocessing.active_children():
                if isinstance(process, _Process) and process not in before:
                    process.terminate()
        pool.shutdown(wait=wait or processes, cancel_futures=True)


class _Reporter(Callback):
    def __init__(self, report: Report) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.report = report

    def _posttask(self, key: Any, result: Any, dsk: Any, state: Any, worker_id: Any) -> None:
        if isinstance(result, PartResult):
            self.report(result)


class _Process(SpawnProcess):
    """A worker process that Ctrl-C and a closed terminal do not reach, from its first moment.

    A terminal sends Ctrl-C to all processes. A new one inherits what is blocked in the thread that starts
    it, and is sent what it has to do before the parent may be interrupted.
    """

    def start(self) -> None:
        with hold_interruptions():
            if not hasattr(signal, "pthread_sigmask"):
                super().start()
                return
            from multiprocessing import resource_tracker

            resource_tracker.ensure_running()  # which unblocks Ctrl-C once it is started
            blocked = signal.pthread_sigmask(signal.SIG_BLOCK, FROM_TERMINAL)
            try:
                super().start()
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


class _Context(SpawnContext):
    Process = _Process


def _start_process(name: str, shared: Shared) -> None:
    """Set up a worker process that holds a job."""
    _obey_parent()
    JOBS[name] = open_shared(shared)


def _obey_parent() -> None:
    """Leave Ctrl-C to the parent process, and end with it."""
    for number in FROM_TERMINAL:
        signal.signal(number, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: multiprocessing.process.BaseProcess) -> None:
    parent.join()
    os._exit(1)
