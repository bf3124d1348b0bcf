"""Fresh processes of this Python with this mcrock: one that ends, or workers that wait for orders."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import process_time
from typing import IO, NoReturn

from mcrock.verify.bench.workloads import PreparedWork, prepare

WORKER = "from mcrock.verify.bench.processes import serve; serve({names!r}, {runs!r})"


def environment(cache: Path | None = None) -> dict[str, str]:
    """Environment of a process that imports this mcrock; ``cache`` is its folder of compiled code."""
    home = str(Path(__file__).parents[3])
    path = os.pathsep.join(filter(None, [home, os.environ.get("PYTHONPATH")]))
    own = {} if cache is None else {"NUMBA_CACHE_DIR": str(cache)}
    return {**os.environ, "PYTHONPATH": path, **own}


def last_words(errors: str, code: int | None) -> str:
    """Last line of the error stream of a process, or its exit code."""
    return (errors.strip().splitlines() or [f"exit code {code}"])[-1]


class Worker:
    """A process that runs workloads when it is told to."""

    def __init__(self, names: Sequence[str], runs: int | None, errors: IO[str]) -> None:
        self.errors = errors
        # a session of its own does not hear of Ctrl-C
        self.process = subprocess.Popen(
            [sys.executable, "-c", WORKER.format(names=list(names), runs=runs)],
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            bufsize=1,
            start_new_session=True,
        )

    def order(self, name: str, passes: int) -> None:
        """Have a workload run; returns at once."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(f"{name} {passes}\n")
        except BrokenPipeError:
            self._fail()

    def wait(self) -> float:
        """Wait until the process is ready or the order is done; the processor time it took [s].

        Raises
        ------
        RuntimeError
            If the process died.
        """
        assert self.process.stdout is not None
        try:
            return float(self.process.stdout.readline())
        except ValueError:  # the end of the stream
            self._fail()

    def _fail(self) -> NoReturn:
        self.process.wait()
        self.errors.seek(0)
        raise RuntimeError(
            f"a worker process died: {last_words(self.errors.read(), self.process.returncode)}"
        )


@contextmanager
def workers_ready(n: int, names: Sequence[str], runs: int | None) -> Iterator[list[Worker]]:
    """Worker processes that have run every workload once; they are ended at the end."""
    with tempfile.TemporaryFile("w+") as errors:
        workers: list[Worker] = []
        try:
            workers += (Worker(names, runs, errors) for _ in range(n))
            for worker in workers:
                worker.wait()
            yield workers
        finally:
            for worker in workers:
                worker.process.kill()
            for worker in workers:
                worker.process.communicate()


def serve(names: list[str], runs: int | None) -> None:
    """Serve orders of the parent until it ends."""
    works = {name: prepare(name, runs) for name in names}
    for work in works.values():
        work.run()
    print(process_time(), flush=True)
    for line in sys.stdin:
        name, passes = line.split()
        began = process_time()
        repeat_work(works[name], int(passes))
        print(process_time() - began, flush=True)


def repeat_work(work: PreparedWork, passes: int) -> None:
    """Some passes through a workload."""
    for _ in range(passes):
        work.run()
