"""Logs next to a store: what equal studies may differ in, times, hosts, memory. One JSON object a line.

Every task has a log of its own: on network file systems lines of several machines would be lost.
"""

from __future__ import annotations

import json
import os
import platform
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from mcrock.base.interrupt import number_of
from mcrock.base.memory import peak_memory
from mcrock.base.version import mcrock_version
from mcrock.dataset.archive import has_ended

SILENT = 10.0  # times the longest silence between its parts after which a process seems to have ended
SHORTEST = 60.0  # silence that says something of a process [s]
PACKAGES = ("numpy", "scipy", "numba", "xarray", "zarr", "dask")
IDENTIFIERS = (  # of the batch systems, from the environment
    "SLURM_JOB_ID",
    "SLURM_ARRAY_JOB_ID",
    "SLURM_ARRAY_TASK_ID",
    "PBS_JOBID",
    "PBS_ARRAY_INDEX",
    "LSB_JOBID",
    "LSB_JOBINDEX",
    "JOB_ID",
    "SGE_TASK_ID",
)
AT_WORK, ENDED, INTERRUPTED, STOPPED = "at work", "ended", "interrupted", "stopped"


class Log:
    """Writes the log of one task."""

    def __init__(self, store: Path, task: tuple[int, int] = (1, 1)) -> None:
        self.path = log_path(store, task)
        self.path.parent.mkdir(exist_ok=True)

    def write(self, event: str, **items: Any) -> None:
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        entry = {"time": now, "host": socket.gethostname(), "process": os.getpid(), "event": event, **items}
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")

    @contextmanager
    def noting_its_end(self) -> Iterator[None]:
        """Write what ends the work in the block, if something does."""
        try:
            yield
        except KeyboardInterrupt as error:
            self._last(INTERRUPTED, signal=number_of(error).name)
            raise
        except Exception as error:
            self._last(STOPPED, error=f"{type(error).__name__}: {error}")
            raise

    def _last(self, event: str, **items: Any) -> None:
        with suppress(OSError):  # perhaps of a disk that is full
            self.write(event, memory=peak_memory(), **items)


def log_path(store: Path, task: tuple[int, int] = (1, 1)) -> Path:
    """Log of a task on a store.

    >>> log_path(Path("s.zarr")).as_posix(), log_path(Path("s.zarr"), (3, 8)).as_posix()
    ('s.zarr.log', 's.zarr.logs/3-of-8.log')
    """
    if task == (1, 1):
        return store.with_name(f"{store.name}.log")
    return store.with_name(f"{store.name}.logs") / f"{task[0]}-of-{task[1]}.log"


def log_files(store: Path) -> list[Path]:
    """Logs of a store that are there."""
    alone = log_path(store)
    others = store.with_name(f"{store.name}.logs").glob("*.log")
    return [path for path in (alone, *sorted(others)) if path.is_file()]


def describe_versions() -> dict[str, str]:
    """Versions of mcrock, Python and what results may depend on."""
    return {
        "mcrock": mcrock_version(),
        "python": platform.python_version(),
        **{name: version(name) for name in PACKAGES},
    }


def batch_job() -> dict[str, str]:
    """Numbers that a batch system has given this process."""
    return {name: os.environ[name] for name in IDENTIFIERS if name in os.environ}


@dataclass
class Process:
    """A process that worked on a study, or does, by its log."""

    host: str
    number: int
    task: str
    workers: int | None  # None on a cluster of dask
    began: datetime
    heard: datetime  # last
    realizations: int = 0  # done
    failed: list[str] = field(default_factory=list)  # messages of parts
    impossible: list[str] = field(default_factory=list)  # messages of realizations without runs
    memory: float = 0.0  # that one of its workers has held at most [MiB]
    dashboard: str | None = None  # of dask
    config: str | None = None  # study in JSON
    longest: float = 0.0  # silence so far [s]
    ending: str = ""

    @property
    def rate(self) -> float:
        """Realizations per second until it was last heard [1/s], compilation included."""
        seconds = (self.heard - self.began).total_seconds()
        return self.realizations / seconds if seconds > 0 else 0.0

    def state(self, now: datetime) -> str:
        """At work, how it ended, gone without a word, or silent."""
        if self.ending:
            return self.ending
        if self.host == socket.gethostname():
            return "gone" if has_ended(self.number) else AT_WORK
        silence = (now - self.heard).total_seconds()
        return "silent" if silence > max(SHORTEST, SILENT * self.longest) else AT_WORK

    def hear(self, entry: dict[str, Any], time: datetime) -> None:
        """Take in a line of the log."""
        self.longest = max(self.longest, (time - self.heard).total_seconds())
        self.heard = time
        self.memory = max(self.memory, float(entry.get("memory") or 0.0))
        match entry["event"]:
            case "part":
                self.realizations += int(entry["stop"]) - int(entry["start"])
            case "failed":
                self.failed.append(f"realizations {entry['start']} to {entry['stop'] - 1}: {entry['error']}")
            case "no_run":
                self.impossible.append(f"realization {entry['realization']}: {entry['error']}")
            case "end":
                self.ending = ENDED
            case "interrupted" | "stopped" as ending:
                self.ending = ending


def read_log(store: Path) -> list[Process]:
    """Processes that worked on a store, in the order of their start; none where logs are missing."""
    found: list[Process] = []
    for path in log_files(store):
        at_work: dict[tuple[str, int], Process] = {}
        for entry in _entries(path):
            with suppress(KeyError, TypeError, ValueError, OverflowError):  # a line that was changed
                name = str(entry["host"]), int(entry["process"])
                time = datetime.fromisoformat(entry["time"]).astimezone(UTC)
                if entry["event"] == "start":
                    at_work[name] = Process(*name, str(entry["task"]), entry["workers"], time, time)
                    at_work[name].dashboard, at_work[name].config = (
                        entry.get("dashboard"),
                        entry.get("config"),
                    )
                    found.append(at_work[name])
                if name in at_work:
                    at_work[name].hear(entry, time)
    return sorted(found, key=lambda process: process.began)


def logged_versions(store: Path) -> list[dict[str, str]]:
    """Versions with which a store was computed, those of each process once; none where logs are missing."""
    entries = (entry for path in log_files(store) for entry in _entries(path))
    starts = (entry.get("versions") for entry in entries if entry["event"] == "start")
    found = [versions for versions in starts if isinstance(versions, dict)]
    return [versions for k, versions in enumerate(found) if versions not in found[:k]]


def _entries(path: Path) -> Iterator[dict[str, Any]]:
    """Lines that are whole: a process may be killed while it writes one, and a disk may be full."""
    with path.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            if isinstance(entry, dict) and {"time", "host", "process", "event"} <= entry.keys():
                yield entry
