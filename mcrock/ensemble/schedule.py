"""Parts of a study on threads, processes and dask workers, which may join, end and die.

Each route calls `report` in the caller's thread with the result of every part as it finishes, and holds no
more than `AHEAD` parts a worker, so that memory does not grow with the study. The last parts are cut into
pieces, which the caller joins and stores, so that no worker is idle for long. All processes of a machine
share one copy of the ground motions: a file that each of them maps.
"""

from __future__ import annotations

import errno
import mmap
import multiprocessing
import os
import pickle
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from contextlib import contextmanager, suppress
from dataclasses import replace
from math import inf
from multiprocessing.context import SpawnContext, SpawnProcess
from pathlib import Path
from queue import Empty, SimpleQueue
from statistics import median
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

from mcrock.base.session import FROM_TERMINAL, hold_interruptions
from mcrock.dataset.contents import scratch_folder
from mcrock.ensemble.part import JOBS, WHOLE, Job, Part, PartResult, Stopped, describe_error, joined, run_part
from mcrock.simulation.device import CPU

if TYPE_CHECKING:
    from distributed import Client, Future

ALIGNMENT = 64  # of every array in the file [bytes]


class Shared(NamedTuple):
    """An object whose arrays lie in a file; what is sent to a process is small."""

    pickled: bytes  # all but the arrays
    path: Path
    spans: list[tuple[int, int]]  # first byte and the one behind the last of each array


def share(value: Any, path: Path) -> Shared:
    """Write the arrays of an object to the file `path`; `open_shared` gives the object back.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     shared = share({"samples": np.arange(3.0)}, Path(folder, "arrays"))
    ...     opened = open_shared(shared)
    >>> opened["samples"]
    array([0., 1., 2.])
    """
    buffers: list[pickle.PickleBuffer] = []
    pickled = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    spans = []
    with path.open("wb") as file:
        for buffer in buffers:
            file.write(b"\0" * (-file.tell() % ALIGNMENT))
            first = file.tell()
            file.write(buffer.raw())
            spans.append((first, file.tell()))
        file.write(b"\0")  # an empty file cannot be mapped
    return Shared(pickled, path, spans)


def open_shared(shared: Shared) -> Any:
    """The object, its arrays mapped: pages are read once for all processes, and copied if written to."""
    with shared.path.open("rb") as file:
        mapped = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY))
    return pickle.loads(shared.pickled, buffers=[mapped[first:end] for first, end in shared.spans])


Report = Callable[[PartResult], None]
Pool = ProcessPoolExecutor | ThreadPoolExecutor
SAFE_PATH = "PYTHONSAFEPATH"


def run_local(
    name: str, jobs: Sequence[Job], parts: Iterable[Part], workers: int, processes: bool, report: Report
) -> None:
    """Run parts of some studies in `workers` threads, or in as many processes.

    Raises
    ------
    BrokenProcessPool
        If a worker process dies.
    """
    if processes:
        with scratch_folder() as folder, without_current_folder():
            shared = share(jobs, folder / "arrays")
            JOBS[name] = jobs
            pool = ProcessPoolExecutor(workers, _Context(), _start_process, (name, shared))
            _run_in(pool, name, parts, workers, report)
    else:
        JOBS[name] = jobs
        _run_in(ThreadPoolExecutor(workers), name, parts, workers, report)


def _run_in(pool: Pool, name: str, parts: Iterable[Part], workers: int, report: Report) -> None:
    left, ended, at_work = deque(parts), SimpleQueue[Any](), 0
    cuts = JOBS[name][0].device == CPU  # a GPU computes all of a part at once

    def submit(part: Part) -> None:
        nonlocal at_work
        at_work += 1
        pool.submit(run_part, name, part).add_done_callback(ended.put)

    pieces = _Pieces(name, report, submit)
    with _ended(pool):
        try:
            while left or at_work:
                while left and at_work < AHEAD * workers:
                    submit((_cut(left, workers) if cuts else left).popleft())
                with suppress(Empty):  # a wait without end would not hear of Ctrl-C on Windows
                    result = ended.get(timeout=LOOK).result()
                    at_work -= 1
                    pieces.take(result)
        finally:
            JOBS.pop(name, None)  # which ends what threads are at, if something else has ended the rest


def _cut(left: deque[Part], workers: int, most: float = inf) -> deque[Part]:
    """The parts that are left, the next one cut, if it is one of the last, into up to so many pieces.

    >>> [part.piece for part in _cut(deque([Part(0, 5), Part(5, 10)]), 4)]
    [(0, 2), (1, 2), (0, 1)]
    """
    part = left[0]
    n = int(min(-(-workers // len(left)), part.stop - part.start, most))
    if part.piece == WHOLE and n > 1:
        left.popleft()
        left.extendleft(part._replace(piece=(i, n)) for i in reversed(range(n)))
    return left


class _Pieces:
    """Results on their way to `report`: pieces are held until their part can be stored as a whole, or is to
    be run ``again`` as one."""

    def __init__(self, name: str, report: Report, again: Callable[[Part], None]) -> None:
        self.name, self.report, self.again = name, report, again
        self.held: dict[Part, list[PartResult]] = {}

    def take(self, result: PartResult) -> None:
        part, n = result.part._replace(piece=WHOLE), result.part.piece[1]
        found = sorted([*self.held.pop(part, []), result], key=lambda piece: piece.part.piece)
        if len(found) < n:
            self.held[part] = found
            return
        if n > 1:
            wrong = [piece for piece in found if piece.error]
            values = [piece.values or {} for piece in found]
            whole = wrong[0] if wrong else run_part(self.name, part, joined(values))
            if whole.error:
                self.again(part)
                return
            seconds = whole.seconds + sum(piece.seconds for piece in found)
            result = replace(whole, seconds=seconds, worker=result.worker)
        self.report(result)


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
    with without_current_folder():
        pool = ProcessPoolExecutor(workers, _Context(), _obey_parent)
        with _ended(pool):
            for future in as_completed([pool.submit(function, item) for item in items]):
                report(future.result())


@contextmanager
def without_current_folder() -> Iterator[None]:
    """Let Python that is started within import nothing from the current folder, which may be a stranger's."""
    before = os.environ.get(SAFE_PATH)
    os.environ[SAFE_PATH] = "1"
    try:
        yield
    finally:
        os.environ.pop(SAFE_PATH)
        os.environ |= {} if before is None else {SAFE_PATH: before}


@contextmanager
def _ended(pool: Pool) -> Iterator[None]:
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
    """Set up a worker process that holds jobs."""
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


AHEAD = 2  # parts that are with the scheduler for each thread of the workers [1]
FEWEST = 4  # that are with the scheduler, also before a worker has joined [1]
LOOK = 1.0  # between two looks at how many workers there are [s]
TARGET = 5.0  # that a part lasts, where chunks are shorter [s]
LEAST = 1.0  # that a piece of one lasts [s]
REMEMBERED = 32  # parts whose time tells how long the next ones last [1]
LOST = errno.ENOTCONN, "the dask scheduler is lost"
ALONE = 120.0  # without any worker of this machine, after which none comes back [s]
NO_WORKER = errno.ECHILD, f"no worker of this machine is left, and none has come back for {ALONE:.0f} s"
GATHER = 30.0  # for the result of a part, which may be lost with its worker and computed again [s]
RETRIES = 3  # of a part that could not be stored [1]; dask gives a part whose worker dies to three others


def run_distributed(
    name: str,
    jobs: Sequence[Job],
    parts: Iterable[Part],
    client: Client,
    report: Callable[[PartResult], None],
    *,
    fixed: bool = False,
) -> None:
    """Run parts on the workers of `client`, which must see the store under the same path.

    The jobs go to every worker once, also to those that join later; a part whose worker is lost is
    given to another one by the scheduler, which holds few parts at a time, however many there are.

    Parameters
    ----------
    name, jobs
        What workers know the jobs by, and the jobs, one for each study.
    parts : iterable of Part
        In order.
    client : distributed.Client
        Of the scheduler.
    report : callable
        Called in this thread with the result of every part.
    fixed : bool
        Run the parts as they are; by default neighbours are joined while they last less than `TARGET`.

    Raises
    ------
    OSError
        If the scheduler is lost, or all workers that this process has started.
    """
    from distributed import LocalCluster

    left = deque(parts)
    length = max((part.stop - part.start for part in left), default=1)
    seconds: deque[float] = deque(maxlen=REMEMBERED)  # of a chunk
    at_work: dict[Future[Any], tuple[Part, int]] = {}
    ended: SimpleQueue[Future[Any]] = SimpleQueue()
    looked, threads = -LOOK, 0
    met = monotonic()  # a worker
    waits = not isinstance(client.cluster, LocalCluster)  # as long as a batch system lets jobs wait

    def submit(part: Part, tries: int) -> None:
        future = client.submit(run_part, name, part, pure=False)
        at_work[future] = part, tries
        future.add_done_callback(ended.put)

    pieces = _Pieces(name, report, lambda part: submit(part, 0))
    _check(client)
    _register(client, name, jobs)
    JOBS[name] = jobs
    try:
        while left or at_work:
            _check(client)
            if monotonic() - looked > LOOK:
                looked, threads = monotonic(), _threads(client)
                met = looked if threads else met
                if not waits and looked - met > ALONE:
                    raise OSError(*NO_WORKER)
            for _ in range(max(FEWEST, AHEAD * threads) - len(at_work)):
                if left:
                    fair = len(left) // max(1, AHEAD * threads)  # that no worker waits for the last one
                    each = max(median(seconds), 1e-6) if seconds else inf
                    wanted = 1 if fixed else int(TARGET / each)
                    submit(take(_cut(left, threads, 0 if fixed else each / LEAST), min(wanted, fair)), 0)
            try:
                future = ended.get(timeout=LOOK)
            except Empty:
                continue
            part, tries = at_work[future]
            result = _result(future, part)
            if result is None:
                future.add_done_callback(ended.put)
                continue
            del at_work[future]
            if result.fatal and tries < RETRIES:
                submit(part, tries + 1)
                continue
            if not result.error:
                seconds.append(result.seconds * part.piece[1] / -(-(part.stop - part.start) // length))
            pieces.take(result)
    finally:
        JOBS.pop(name, None)
        if client.status == "running":
            with suppress(OSError):  # of a worker that ends now, or of a scheduler that is lost
                client.cancel(list(at_work))
                client.unregister_worker_plugin(name)


def take(left: deque[Part], most: int) -> Part:
    """The next part: up to `most` that follow one another, as one.

    >>> part = take(deque([Part(0, 5), Part(5, 10), Part(15, 20)]), 3)
    >>> part.start, part.stop
    (0, 10)
    """
    part = left.popleft()
    for _ in range(most - 1):
        if not left or left[0]._replace(stop=0) != part._replace(start=part.stop, stop=0):
            break
        part = part._replace(stop=left.popleft().stop)
    return part


def _register(client: Client, name: str, jobs: Sequence[Job]) -> None:
    """Give jobs to all workers; one that dies while it is told fails the call, not the next one."""
    from distributed.diagnostics.plugin import WorkerPlugin

    class HoldJob(WorkerPlugin):
        def setup(self, worker: Any) -> None:
            from mcrock.ensemble import part

            part.JOBS[name] = jobs

        def teardown(self, worker: Any) -> None:
            from mcrock.ensemble import part

            part.JOBS.pop(name, None)

    for _ in range(RETRIES):
        with suppress(OSError):
            client.register_plugin(HoldJob(), name=name)
            return
    client.register_plugin(HoldJob(), name=name)


def _threads(client: Client) -> int:
    """Of all workers."""
    try:
        return sum(client.ncores().values())
    except OSError:
        raise OSError(*LOST) from None


def _result(future: Future[Any], part: Part) -> PartResult | None:
    """The result of a part, None while it is not to be had: a worker that is lost takes its results along."""
    from concurrent.futures import CancelledError

    try:
        return future.result(timeout=GATHER)
    except CancelledError:
        raise OSError(*LOST) from None
    except Exception as error:
        if isinstance(error, OSError) and future.status != "error":
            return None
        return PartResult(part, 0.0, "", error=describe_error(error))  # the workers died of it


def _check(client: Client) -> None:
    if client.status != "running":
        raise OSError(*LOST)
