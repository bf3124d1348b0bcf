"""First runs killed while they compile, with their caches, and given once more: the store has the same bytes.

`python -m tests.fuzz.compile_kills 20` kills as often, the program or the process that helps it to compile;
what a kill has left of the cache is used by the next run, and after three kills one may end.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import psutil

from tests.fuzz.killed_commands import SIGNALS, left_processes
from tests.fuzz.kills import files
from tests.unit.conftest import write_study

LONGEST = 900.0  # that a first run may take on a busy machine [s]


class First:
    """A study, its store, and a cache of compiled code."""

    def __init__(self, folder: Path) -> None:
        self.study, self.store, self.cache = write_study(folder), folder / "s.zarr", folder / "cache"
        self.said = folder / "said.txt"

    def start(self) -> subprocess.Popen[bytes]:
        """A run in a process of its own, as a user starts it."""
        shutil.rmtree(self.store, ignore_errors=True)
        command = [sys.executable, "-m", "mcrock", "run", str(self.study), "-o", str(self.store)]
        environment = os.environ | {"NUMBA_CACHE_DIR": str(self.cache)}
        with self.said.open("wb") as said:
            return subprocess.Popen(command, env=environment, stdout=said, stderr=subprocess.STDOUT)

    def whole(self) -> dict[str, bytes]:
        """Files of a run that nobody kills."""
        code = self.start().wait(LONGEST)
        return files(self.store) if code == 0 else {self.said.read_text(): b""}


def show(number: int, seed: int = 0) -> int:
    """Kill so many times and print what was found."""
    os.setpgrp()  # to know whose processes are left
    random, kills, findings = Random(seed), 0, list[str]()
    with TemporaryDirectory(prefix="mcrock-compile-") as folder:
        first, began = First(Path(folder)), time.monotonic()
        expected, seconds = first.whole(), time.monotonic() - began
        while kills < number:
            shutil.rmtree(first.cache)
            for _ in range(3):
                process, name = first.start(), random.choice(SIGNALS)
                time.sleep(random.uniform(0.0, 0.5 * seconds))  # most of which it compiles
                kills += process.poll() is None
                with suppress(psutil.Error, ProcessLookupError):  # it has just ended
                    helpers = psutil.Process(process.pid).children()
                    os.kill(random.choice([process.pid] * 3 + [helper.pid for helper in helpers]), name)
                code, said = process.wait(LONGEST), first.said.read_text()
                if code not in (0, -name, 128 + name) or "Traceback" in said:
                    findings.append(f"{name.name} ends with {code}: {said}")
                if orphans := left_processes():
                    findings.append(f"{name.name} leaves processes {orphans}")
                print(kills, f"{name.name} {code}", flush=True)
            if first.whole() != expected:
                findings.append(f"after {name.name} the store differs: {first.said.read_text()}")
            print(*findings, sep="\n", flush=True)
    print(kills, *(findings or ["nothing was lost"]), sep="\n")
    return bool(findings)


if __name__ == "__main__":
    sys.exit(show(*map(int, sys.argv[1:3])))
