"""The log beside a store: what equal studies may differ in, times, hosts, workers. One JSON object a line."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mcrock.dataset.replace import has_ended

SILENT = 10.0  # times the longest silence between its parts after which a process seems to have ended
SHORTEST = 60.0  # silence that says something of a process [s]


class Log:
    """Writes the log of a store."""

    def __init__(self, store: Path) -> None:
        self.path = log_path(store)

    def write(self, event: str, **items: Any) -> None:
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        entry = {"time": now, "host": socket.gethostname(), "process": os.getpid(), "event": event, **items}
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")


def log_path(store: Path) -> Path:
    """Log of a store."""
    return store.with_name(f"{store.name}.log")


@dataclass
class Process:
    """A process that worked on a study, or does, by the log."""

    host: str
    number: int
    task: str
    workers: int | None  # None on a cluster of dask
    began: datetime
    heard: datetime  # last
    realizations: int = 0  # done
    failed: int = 0  # parts
    longest: float = 0.0  # silence so far [s]
    ended: bool = False

    @property
    def rate(self) -> float:
        """Realizations per second until it was last heard [1/s], compilation included."""
        seconds = (self.heard - self.began).total_seconds()
        return self.realizations / seconds if seconds > 0 else 0.0

    def state(self, now: datetime) -> str:
        """Whether it is at work, has ended, is gone without that, or silent."""
        if self.ended:
            return "ended"
        if self.host == socket.gethostname():
            return "gone" if has_ended(self.number) else "at work"
        silence = (now - self.heard).total_seconds()
        return "silent" if silence > max(SHORTEST, SILENT * self.longest) else "at work"


def read_log(store: Path) -> list[Process]:
    """Processes that worked on a store, in the order of their start; none where the log is missing."""
    found: list[Process] = []
    at_work: dict[tuple[str, int], Process] = {}
    for entry in _entries(log_path(store)):
        name = str(entry["host"]), int(entry["process"])
        time = datetime.fromisoformat(entry["time"])
        if entry["event"] == "start":
            at_work[name] = Process(*name, str(entry["task"]), entry["workers"], time, time)
            found.append(at_work[name])
        process = at_work.get(name)
        if process is None:
            continue
        process.longest = max(process.longest, (time - process.heard).total_seconds())
        process.heard = time
        if entry["event"] == "part":
            process.realizations += int(entry["stop"]) - int(entry["start"])
        process.failed += entry["event"] == "failed"
        process.ended |= entry["event"] == "end"
    return found


def _entries(path: Path) -> Iterator[dict[str, Any]]:
    """Lines that are whole: a process may be killed while it writes one."""
    if not path.is_file():
        return
    with path.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            if isinstance(entry, dict) and {"time", "host", "process", "event"} <= entry.keys():
                yield entry
