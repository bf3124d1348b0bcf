"""Studies killed at random moments and taken up again until they are whole: nothing is lost, no bit differs.

`python -m tests.fuzz.kills 900` kills so many times, in turn in threads, in processes, as tasks of an array
and on dask, by SIGKILL and SIGTERM, the program or a worker of it. What is whole must have the bytes of a
study that was left alone, and no other files beside it. Some are then replaced (`--overwrite`), and that is
killed too.
"""

import faulthandler
import multiprocessing
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from multiprocessing.process import BaseProcess
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import psutil

from mcrock.base import session
from mcrock.commands.program import main
from mcrock.dataset.contents import has_ended
from mcrock.ensemble.opening import prepare_job
from mcrock.ensemble.part import Part, simulate
from mcrock.study import load_config
from mcrock.study.sampling import load_motions
from tests.unit.conftest import write_study

REALIZATIONS = "ensemble.realizations=400"  # in 13 chunks
# that a program may take to end once it was killed, and a study that is not: seconds, but minutes where 16
# programs share two cores, on which a new worker of dask imports for as long [s]
LONGEST = 600.0
ROUTES = ("threads", "tasks", "dask", "threads", "tasks", "processes")  # new processes take seconds
SIGNALS = (signal.SIGKILL, signal.SIGTERM)
TRACKER = "resource_tracker"  # a process of Python's own
EXPECTED = {0, 1, 143, -signal.SIGKILL, -signal.SIGTERM}  # 1: a worker was killed


class Bench:
    """A folder with a study, workers of dask, and what was found."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.random = folder, Random(seed)
        self.study, self.store, self.log = write_study(folder), folder / "s.zarr", folder / "output.txt"
        self.kills: Counter[str] = Counter()
        self.wholes = 0
        self.findings: list[str] = []
        study = load_config(self.study, [REALIZATIONS])
        motions = load_motions(study)
        simulate(
            prepare_job(study, motions, self.store), Part(0, 1)
        )  # compiled: forked programs start at once
        self.expected = self.undisturbed(folder / "reference.zarr")

    def undisturbed(self, store: Path) -> dict[str, bytes]:
        """Files of a store that a program left alone makes or finishes."""
        self.log.unlink(missing_ok=True)
        (process,) = self.start([["--resume"]], store)
        process.join(LONGEST)
        self.end([process])
        if process.exitcode:
            self.findings.append(f"a run that nobody killed ends with {process.exitcode}: {self.said()}")
        return files(store)

    def start(self, options: list[list[str]], store: Path) -> list[BaseProcess]:
        """Programs at work on a store."""
        context = multiprocessing.get_context("fork")
        base = ["run", str(self.study), "-o", str(store), "--set", REALIZATIONS]
        processes = [context.Process(target=program, args=([*base, *more], self.log)) for more in options]
        for process in processes:
            process.start()
        return list(processes)

    def options(self, route: str) -> list[list[str]]:
        """Command lines of a route."""
        go_on = ["--resume"]
        if route == "threads" and self.store.exists() and files(self.store) == self.expected:
            go_on = ["--overwrite"]
        match route:
            case "processes":
                return [[*go_on, "--processes", "--workers", "2"]]
            case "tasks":
                return [[*go_on, "--workers", "1", "--task", f"{i}/2"] for i in (1, 2)]
            case "dask":
                return [[*go_on, "--address", str(self.folder / "dask.json"), "--part-size", "1"]]
        return [[*go_on, "--workers", "2", "--part-size", str(self.random.choice([1, 70]))]]

    def victims(self, route: str, processes: list[BaseProcess], workers: psutil.Process | None) -> list[int]:
        """Processes of which one is killed."""
        found = [process.pid for process in processes if process.pid and process.is_alive()]
        with suppress(psutil.Error):
            if route == "processes" and found:
                found += of_spawn(psutil.Process(found[0]))
            if route == "dask" and workers:
                found += of_spawn(workers)
        return found

    def cycle(self, seconds: dict[str, float], workers: psutil.Process | None) -> bool:
        """Start a program, kill it; whether it was at work until then."""
        route = ROUTES[sum(self.kills.values()) % len(ROUTES)]
        self.log.unlink(missing_ok=True)
        began = time.monotonic()
        processes = self.start(self.options(route), self.store)
        time.sleep(self.random.uniform(0, seconds[route]))
        victims = self.victims(route, processes, workers) if all(p.is_alive() for p in processes) else []
        if victims:
            with suppress(ProcessLookupError):
                os.kill(self.random.choice(victims), self.random.choice(SIGNALS))
        for process in processes:
            process.join(max(0.1, began + LONGEST - time.monotonic()))
        seconds[route] += 0.2 * (1.2 * (time.monotonic() - began) - seconds[route]) * (not victims)
        self.end(processes)
        codes = {process.exitcode for process in processes}
        if not codes <= EXPECTED or "Traceback" in self.said():
            self.findings.append(f"{route} ends with {codes}: {self.said()}")
        self.kills[route] += bool(victims)
        return bool(victims)

    def end(self, processes: list[BaseProcess]) -> None:
        """See that programs have ended."""
        for process in processes:
            if process.is_alive():
                assert process.pid
                os.kill(process.pid, signal.SIGUSR1)  # where it is, into the log
                time.sleep(1.0)
                self.findings.append(f"no end within {LONGEST:.0f} s: {self.said()}")
                process.kill()
                process.join()

    def check(self) -> None:
        """Finish the study and compare it; then remove it, or leave it to be replaced."""
        found = self.undisturbed(self.store)
        beside = [path.name for path in self.folder.iterdir() if path.name.startswith(".")]
        different = [name for name in differing(found, self.expected) if not is_at_work(name)]
        if different or beside:
            self.findings.append(f"a whole store differs in {different}; beside it are {beside}")
        self.wholes += 1
        if self.random.random() < 0.7:
            shutil.rmtree(self.store)

    def said(self) -> str:
        """Last words of the programs."""
        return self.log.read_text(encoding="utf-8", errors="replace")[-4000:] if self.log.exists() else ""


def program(arguments: list[str], log: Path) -> None:
    """The command line, in a process that was forked."""
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(file, 1)
    os.dup2(file, 2)
    sys.argv = ["mcrock", *arguments]
    faulthandler.register(signal.SIGUSR1, all_threads=False)
    for number in session.SIGNALS:
        session.listen(number)
    main()


def of_spawn(process: psutil.Process) -> list[int]:
    """Worker processes that another one has started."""
    found = []
    for child in process.children(recursive=True):
        line = " ".join(child.cmdline())
        if "spawn" in line and TRACKER not in line:
            found.append(child.pid)
    return found


def files(store: Path) -> dict[str, bytes]:
    """Contents by name of all that is in a store; none of what disappears meanwhile."""
    found = {}
    for path in sorted(store.rglob("*")):
        with suppress(FileNotFoundError):
            if path.is_file():
                found[str(path.relative_to(store))] = path.read_bytes()
    return found


def is_at_work(name: str) -> bool:
    """Whether a file is being written by a worker of dask: it ends its part when the program is killed."""
    scratch = re.fullmatch(r".*/\..+-(\d+)-[0-9a-f]{32}\..+", name)
    return scratch is not None and not has_ended(int(scratch[1]))


def differing(found: dict[str, bytes], expected: dict[str, bytes]) -> list[str]:
    return sorted(name for name in found.keys() | expected.keys() if found.get(name) != expected.get(name))


def dask_workers(folder: Path, stack: ExitStack) -> psutil.Process:
    """Start a scheduler and two workers that are replaced when they die; the process that sees to that."""

    def start(*arguments: str) -> subprocess.Popen[bytes]:
        place = ["--scheduler-file", str(folder / "dask.json"), "--no-dashboard"]
        command = [sys.executable, "-m", *arguments, *place]
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        stack.callback(process.wait)
        stack.callback(process.terminate)
        return process

    scheduler = start("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0")
    worker = ["--nworkers", "2", "--nthreads", "1", "--local-directory", str(folder / "workers")]
    nanny = start("distributed.cli.dask_worker", *worker)
    while not (folder / "dask.json").exists() and scheduler.poll() is None:
        time.sleep(0.1)
    return psutil.Process(nanny.pid)


def kill_at_random(number: int, seed: int, folder: Path) -> Iterator[Bench]:
    """Kill so many times; the bench as it stands each time that a study is whole."""
    with ExitStack() as stack:
        bench = Bench(folder, seed)
        workers = dask_workers(folder, stack)
        seconds = dict.fromkeys(ROUTES, 2.0)  # that a program takes, as it turns out
        while sum(bench.kills.values()) < number:
            killed = bench.cycle(seconds, workers)
            if not killed or bench.random.random() < 0.1 or sum(bench.kills.values()) == number:
                bench.check()
                yield bench


def show(number: int, seed: int) -> int:
    """Kill so many times and print what was found."""
    bench = None
    with TemporaryDirectory(prefix="mcrock-kills-") as folder:
        for bench in kill_at_random(number, seed, Path(folder)):
            print(
                f"{dict(bench.kills)}, {bench.wholes} studies whole, {len(bench.findings)} findings",
                flush=True,
            )
    findings = bench.findings if bench else ["nothing was killed"]
    print("\n".join(findings or ["nothing was lost"]))
    return bool(findings)


if __name__ == "__main__":
    sys.exit(show(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0))
