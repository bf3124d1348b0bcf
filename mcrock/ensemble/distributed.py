"""Run parts on the workers of a dask scheduler, which may join, end and die while they do."""

from __future__ import annotations

import errno
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from queue import Empty, SimpleQueue
from statistics import median
from time import monotonic
from typing import TYPE_CHECKING, Any

from mcrock.ensemble.part import Job, Part, PartResult, describe_error, run_part

if TYPE_CHECKING:
    from distributed import Client, Future

AHEAD = 2  # parts that are with the scheduler for each thread of the workers [1]
FEWEST = 4  # that are with the scheduler, also before a worker has joined [1]
LOOK = 1.0  # between two looks at how many workers there are [s]
TARGET = 5.0  # that a part lasts, where chunks are shorter [s]
REMEMBERED = 32  # parts whose time tells how long the next ones last [1]
LOST = errno.ENOTCONN, "the dask scheduler is lost"
ALONE = 120.0  # without any worker of this machine, after which none comes back [s]
NO_WORKER = errno.ECHILD, f"no worker of this machine is left, and none has come back for {ALONE:.0f} s"
GATHER = 30.0  # for the result of a part, which may be lost with its worker and computed again [s]
RETRIES = 3  # of a part that could not be stored [1]; dask gives a part whose worker dies to three others


def run_distributed(
    name: str,
    job: Job,
    parts: Iterable[Part],
    client: Client,
    report: Callable[[PartResult], None],
    *,
    fixed: bool = False,
) -> None:
    """Run parts on the workers of `client`, which must see the store under the same path.

    The job goes to every worker once, also to those that join later; a part whose worker is lost is
    given to another one by the scheduler, which holds few parts at a time, however many there are.

    Parameters
    ----------
    name, job
        The job and what workers know it by.
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

    _check(client)
    _register(client, name, job)
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
                    wanted = 1 if fixed or not seconds else int(TARGET / max(median(seconds), 1e-6))
                    submit(take(left, min(wanted, fair)), 0)
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
                seconds.append(result.seconds / -(-(part.stop - part.start) // length))
            report(result)
    finally:
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
        if not left or (left[0].start, left[0].outer) != (part.stop, part.outer):
            break
        part = part._replace(stop=left.popleft().stop)
    return part


def _register(client: Client, name: str, job: Job) -> None:
    """Give a job to all workers; one that dies while it is told fails the call, not the next one."""
    from distributed.diagnostics.plugin import WorkerPlugin

    class HoldJob(WorkerPlugin):
        def setup(self, worker: Any) -> None:
            from mcrock.ensemble import part

            part.JOBS[name] = job

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
