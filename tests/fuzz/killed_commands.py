"""Commands killed at random moments and given once more: they write what undisturbed ones do.

`python -m tests.fuzz.killed_commands 1000` kills as often, by SIGKILL, SIGTERM, SIGHUP and Ctrl-C; a seed and
names of commands may follow, to kill those alone. Nothing half written is left next to the store, the output
and among temporary files, nor after a signal that is answered, and no process.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random

import psutil

from tests.fuzz.commands import COMMANDS, LONGEST, Bench

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
ORPHANED = 300.0  # after which a process that has lost its parent is gone [s]


class Kills:
    """What was killed, and what was found."""

    def __init__(self, folder: Path, seed: int, names: list[str]) -> None:
        self.bench, self.random, self.kills = Bench(folder), Random(seed), Counter[str]()
        self.findings: list[str] = []
        self.seconds: dict[str, float] = {}
        self.expected: dict[str, dict[str, bytes]] = {}
        for name in names or COMMANDS:
            self.bench.set_up()
            began = time.monotonic()
            assert self.bench.call(name) == 0, (name, self.bench.said())
            self.seconds[name] = time.monotonic() - began
            self.expected[name] = self.bench.output(name)
            assert bool(self.expected[name]) == bool(COMMANDS[name][1]), name

    def cycle(self) -> None:
        """Kill a command, give it once more, and look at what it wrote; what takes long, more rarely."""
        bench = self.bench
        weights = [1.0 / seconds for seconds in self.seconds.values()]
        (name,), number = self.random.choices(list(self.seconds), weights), self.random.choice(SIGNALS)
        bench.set_up()
        process = bench.start(name)
        time.sleep(self.random.uniform(0.0, self.seconds[name]))
        what = f"{name} by {number.name}"
        if process.is_alive():
            os.kill(process.pid or 0, number)
            self.kills[name] += 1
        process.join(LONGEST)
        if process.exitcode not in (0, -number, 128 + number):
            self.findings.append(f"{what} ends with {process.exitcode}: {bench.said()}")
        if "Traceback" in bench.said():
            self.findings.append(f"{what}: {bench.said()}")
        if number != signal.SIGKILL and (left := bench.litter()):
            self.findings.append(f"{what} leaves {left}")
        if orphans := left_processes():
            self.findings.append(f"{what} leaves processes {orphans}")
        code = bench.call(name)
        if code or (left := bench.litter()):
            self.findings.append(f"after {what} it ends with {code} and leaves {left}: {bench.said()}")
        found = bench.output(name)
        if found != self.expected[name]:
            keys = sorted(found | self.expected[name])
            different = [key for key in keys if found.get(key) != self.expected[name].get(key)]
            self.findings.append(f"after {what} differ {different}")


def left_processes() -> list[str]:
    """Processes in the group of this one that have lost a parent."""
    until = time.monotonic() + ORPHANED
    while orphans := [process for process in psutil.process_iter(["cmdline"]) if _is_orphan(process)]:
        if time.monotonic() > until:
            for process in orphans:
                process.kill()
            return [" ".join(process.info["cmdline"]) for process in orphans]
        time.sleep(0.2)
    return []


def _is_orphan(process: psutil.Process) -> bool:
    try:
        return process.ppid() == 1 and os.getpgid(process.pid) == os.getpgrp()
    except (psutil.Error, ProcessLookupError):
        return False


def show(number: int, seed: int = 0, *names: str) -> int:
    """Kill so many times and print what was found."""
    os.setpgrp()  # to know whose processes are left
    with tempfile.TemporaryDirectory(prefix="mcrock-kills-") as folder:
        kills = Kills(Path(folder), seed, list(names))
        while sum(kills.kills.values()) < number:
            kills.cycle()
            if sum(kills.kills.values()) % 10 == 0:
                print(dict(kills.kills), *kills.findings, sep="\n", flush=True)
    print(dict(kills.kills), *(kills.findings or ["nothing was lost"]), sep="\n")
    return bool(kills.findings)


if __name__ == "__main__":
    sys.exit(show(*map(int, sys.argv[1:3]), *sys.argv[3:]))
