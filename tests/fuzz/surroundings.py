"""Commands on full and read-only disks, with jumping clocks, late network file systems and a second writer.

`python -m tests.fuzz.surroundings 500` gives as many commands in surroundings drawn at random: each writes
what it should, or ends with one message and nothing half written; given again in peace it writes the rest.
Only root may make small disks; for others the size of a file is limited instead.
"""

from __future__ import annotations

import builtins
import errno
import io
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Any

from mcrock.ensemble import opening
from tests.fuzz.commands import COMMANDS, LONGEST, Bench

JUMP = 1e6  # of a clock, forwards or backwards [s]
LATE = 0.05  # probability that something of others is not seen when it is first asked for


class Attack:
    """A bench, what its commands write in peace, and what was found."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.bench, self.random, self.tried = Bench(folder), Random(seed), Counter[str]()
        self.findings: list[str] = []
        self.expected = {name: self._in_peace(name) for name in COMMANDS}

    def _in_peace(self, name: str) -> dict[str, bytes]:
        self.bench.set_up()
        assert self.bench.call(name) == 0, (name, self.bench.said())
        return self.bench.output(name)

    def cycle(self) -> None:
        """Give a command in surroundings of some kind."""
        name, kind = self.random.choice(list(COMMANDS)), self.random.choice(list(KINDS))
        self.bench.set_up()
        before = self.bench.output(name)
        with KINDS[kind](self, name) as prepare:
            processes = [self.bench.start(name, prepare) for _ in range(2 if kind == "writers" else 1)]
            for process in processes:
                process.join(LONGEST)
            codes = {process.exitcode for process in processes}
            what = f"{name}, {kind}: "
            if not codes <= {0, 1, 2} or "Traceback" in self.bench.said():
                self.findings.append(f"{what}it ends with {codes}: {self.bench.said()}")
            if left := self.bench.litter():
                self.findings.append(f"{what}left is {left}")
            found = self.bench.output(name)
            expected = self.expected[name]
            wrong = [key for key in found if found[key] not in (expected.get(key), before.get(key))]
            if wrong or (codes == {0} and found != expected):
                self.findings.append(f"{what}exit codes {codes}, {wrong} differ: {self.bench.said()}")
        if self.bench.call(name) or self.bench.output(name) != expected or self.bench.litter():
            said, left = self.bench.said(), self.bench.litter()
            self.findings.append(f"{what}given again it does not write the rest, left is {left}: {said}")
        self.tried[kind] += 1


Surroundings = Iterator[Callable[[], Any]]


@contextmanager
def full_disk(attack: Attack, name: str) -> Surroundings:
    """A disk with room for some of what a command writes."""
    room = int(sum(map(len, attack.expected[name].values())) * attack.random.uniform(0.0, 1.2)) + 1
    if not may_mount():
        yield partial(limit_files, room)
        return
    with mounted(attack.bench, f"size={taken(attack.bench.work) + room}"):
        yield bool


@contextmanager
def limited(attack: Attack, name: str) -> Surroundings:
    """A limit on the size of a file, as a quota."""
    largest = max(map(len, attack.expected[name].values()), default=1000)
    yield partial(limit_files, int(largest * attack.random.uniform(0.0, 1.1)) + 1)


@cache
def may_mount() -> bool:
    """Whether this process may make disks: root often may, not in every container."""
    ran = subprocess.run(["unshare", "--mount", "true"], check=False, stderr=subprocess.DEVNULL)
    return os.geteuid() == 0 and ran.returncode == 0


def limit_files(size: int) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@contextmanager
def read_only(attack: Attack, name: str) -> Surroundings:
    """A disk that nothing can be written to."""
    if not may_mount():
        yield bool
        return
    with mounted(attack.bench, "size=1g"):
        subprocess.run(["mount", "-o", "remount,ro", attack.bench.work], check=True)
        yield bool
        subprocess.run(["mount", "-o", "remount,rw", attack.bench.work], check=True)


@contextmanager
def mounted(bench: Bench, options: str) -> Iterator[None]:
    """A copy of the inputs on a disk of its own, which is copied back in the end."""
    place = str(bench.work)
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", place], check=True)
    try:
        subprocess.run(["cp", "-a", f"{bench.sound}/.", place], check=True)
        yield
        subprocess.run(["cp", "-a", place, f"{place}.copy"], check=True)
    finally:
        subprocess.run(["umount", place], check=True)
    shutil.rmtree(bench.work)
    Path(f"{place}.copy").rename(place)


def taken(folder: Path) -> int:
    """Bytes that the files of a folder take in pages."""
    return sum(-(-path.stat().st_size // 4096) * 4096 for path in folder.rglob("*") if path.is_file())


@contextmanager
def clock(attack: Attack, name: str) -> Surroundings:
    """A clock that jumps, and files of the future and of the past."""
    for path in attack.bench.work.rglob("*"):
        when = max(0.0, time.time() + attack.random.uniform(-1, 1) * 10 ** attack.random.uniform(0, 9))
        os.utime(path, (when, when))
    yield partial(jumping, attack.random.random())


def jumping(seed: float) -> None:
    random, now = Random(seed), time.time

    class Jumping(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> datetime:
            return datetime.now(tz) + timedelta(seconds=random.uniform(-JUMP, JUMP))

    time.time = lambda: now() + random.uniform(-JUMP, JUMP)
    opening.datetime = Jumping  # type: ignore[misc]


@contextmanager
def late(attack: Attack, name: str) -> Surroundings:
    """A file system on which what others wrote is not there at first, or stale."""
    yield partial(hiding, str(attack.bench.work), attack.random.random())


def hiding(home: str, seed: float) -> None:
    random, seen = Random(seed), set[str]()

    def hidden(function: Callable[..., Any], numbers: tuple[int, ...]) -> Callable[..., Any]:
        def ask(place: Any = ".", *args: Any, **kwargs: Any) -> Any:
            path = os.path.abspath(place) if isinstance(place, str | os.PathLike) else ""
            others = path.startswith(home) and path not in seen and os.path.lexists(path)
            seen.add(path)
            if others and random.random() < LATE:
                number = random.choice(numbers)
                raise OSError(number, os.strerror(number), str(place))
            return function(place, *args, **kwargs)

        return ask

    missing = (errno.ENOENT,)
    io.open = builtins.open = hidden(open, (errno.ENOENT, errno.ESTALE))  # type: ignore[assignment]
    os.stat, os.listdir = hidden(os.stat, missing), hidden(os.listdir, (errno.ESTALE,))  # type: ignore


@contextmanager
def writers(attack: Attack, name: str) -> Surroundings:
    """The same command given twice at once."""
    yield bool


KINDS = {
    "full disk": full_disk,
    "limit": limited,
    "read only": read_only,
    "clock": clock,
    "late": late,
    "writers": writers,
}


def show(number: int, seed: int) -> int:
    """Try so many times and print what was found."""
    with tempfile.TemporaryDirectory(prefix="mcrock-surroundings-") as folder:
        attack = Attack(Path(folder), seed)
        while sum(attack.tried.values()) < number:
            attack.cycle()
            if sum(attack.tried.values()) % 10 == 0:
                print(dict(attack.tried), *attack.findings, sep="\n", flush=True)
    print(dict(attack.tried), *(attack.findings or ["nothing was lost"]), sep="\n")
    return bool(attack.findings)


if __name__ == "__main__":
    sys.exit(show(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0))
