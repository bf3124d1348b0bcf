"""Commands killed at random moments and given once more: they write what undisturbed ones do.

`python -m tests.fuzz.killed_commands 1000` kills as often, by SIGKILL, SIGTERM, SIGHUP and Ctrl-C. Nothing
hidden is left next to the store, the output and among temporary files, nor after a signal that is answered.
"""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random

from mcrock.base import interrupt
from mcrock.commands.program import main
from mcrock.dataset import load_dataset
from mcrock.ensemble import run_study
from mcrock.study import load_config
from tests.unit.conftest import write_study

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
LONGEST = 600.0  # that a command may take, where many programs share two cores [s]
MORE = ("--set", "intensity.levels=[1.0, 2.0, 4.0, 9.0]")
# command line, what it writes, and whether the same command may be given where that is there
COMMANDS = {
    "run": (("run", "study.toml", "-o", "new.zarr", "--resume", "--part-size", "1"), "new.zarr"),
    "processes": (
        ("run", "study.toml", "-o", "new.zarr", "--resume", "--processes", "--workers", "2"),
        "new.zarr",
    ),
    "overwrite": (("run", "study.toml", "-o", "old.zarr", "--overwrite", "--seed", "7"), "old.zarr"),
    "extend": (("run", "study.toml", "-o", "old.zarr", "--extend", *MORE), "old.zarr"),
    "merge": (("merge", "new.zarr", "1.zarr", "2.zarr"), "new.zarr"),
    "repair": (("verify", "hurt.zarr", "--repair"), "hurt.zarr"),
    "export": (("export", "s.zarr", "-o", "new.nc", "--overwrite"), "new.nc"),
    "openquake": (("export", "s.zarr", "-o", "new.xml", "--overwrite", "--stripes"), "new.xml"),
    "report": (("report", "s.zarr", "-o", "new.html", "--overwrite"), "new.html"),
    "plot": (("plot", "s.zarr", "-o", "figures"), "figures"),
    "stats": (("stats", "s.zarr", "--json"), None),
    "status": (("status", "s.zarr"), None),
    "submit": (("submit", "study.toml", "-o", "new.zarr", "--dry-run"), None),
}


class Bench:
    """A folder with stores, and what was found."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.random, self.kills = folder, Random(seed), Counter[str]()
        self.findings: list[str] = []
        self.work, self.temporary = folder / "work", folder / "temporary"
        sound = folder / "sound"
        for place in (sound, self.temporary):
            place.mkdir()
        study = load_config(write_study(sound))
        run_study(study, sound / "s.zarr").close()
        for i in (1, 2):
            run_study(study, sound / f"{i}.zarr", task=(i, 2)).close()
        for name in ("old", "hurt"):
            shutil.copytree(sound / "s.zarr", sound / f"{name}.zarr")
        (sound / "hurt.zarr" / "chunks" / "1.zip").write_bytes(b"")
        self.seconds: dict[str, float] = {}
        self.expected: dict[str, dict[str, bytes]] = {}
        for name in COMMANDS:
            self.set_up()
            began = time.monotonic()
            assert self.call(name) == 0, (name, self.said())
            self.seconds[name] = time.monotonic() - began
            self.expected[name] = self.output(name)

    def set_up(self) -> None:
        shutil.rmtree(self.work, ignore_errors=True)
        shutil.copytree(self.folder / "sound", self.work)

    def start(self, name: str) -> multiprocessing.process.BaseProcess:
        process = multiprocessing.get_context("fork").Process(
            target=program, args=(COMMANDS[name][0], self.work, self.temporary, self.folder / "said.txt")
        )
        process.start()
        return process

    def call(self, name: str) -> int | None:
        """Give a command and leave it alone."""
        process = self.start(name)
        process.join(LONGEST)
        return process.exitcode

    def output(self, name: str) -> dict[str, bytes]:
        """Contents of what a command has written."""
        written = COMMANDS[name][1]
        if written is None:
            return {}
        place = self.work / written
        files = [place] if place.is_file() else sorted(place.rglob("*"))
        return {str(path.relative_to(self.work)): content(path) for path in files if path.is_file()}

    def litter(self) -> list[str]:
        places = [*self.work.iterdir(), *self.temporary.iterdir(), *self.work.glob("*.zarr/**/*")]
        return sorted(path.name for path in places if path.name.startswith("."))

    def said(self) -> str:
        return (self.folder / "said.txt").read_text(encoding="utf-8", errors="replace")[-3000:]

    def cycle(self) -> None:
        """Kill a command, give it once more, and look at what it wrote."""
        name, number = self.random.choice(list(COMMANDS)), self.random.choice(SIGNALS)
        self.set_up()
        process = self.start(name)
        time.sleep(self.random.uniform(0.0, self.seconds[name]))
        if process.is_alive():
            os.kill(process.pid, number)
            self.kills[name] += 1
        process.join(LONGEST)
        what = f"{name} by {number.name}"
        if process.exitcode not in (0, -number, 128 + number):
            self.findings.append(f"{what} ends with {process.exitcode}: {self.said()}")
        if "Traceback" in self.said():
            self.findings.append(f"{what}: {self.said()}")
        if number != signal.SIGKILL and (left := self.litter()):
            self.findings.append(f"{what} leaves {left}")
        code = self.call(name)
        if code or (left := self.litter()):
            self.findings.append(f"after {what} it ends with {code} and leaves {left}: {self.said()}")
        found = self.output(name)
        if found != self.expected[name]:
            different = [
                key for key in found | self.expected[name] if found.get(key) != self.expected[name].get(key)
            ]
            self.findings.append(f"after {what} differ {different}")


def content(path: Path) -> bytes:
    """Bytes of a file, values of a NetCDF file: its arrays are written in any order."""
    if path.suffix == ".nc":
        with load_dataset(path) as ds:
            return repr(ds.to_dict()).encode()
    return path.read_bytes()


def program(arguments: tuple[str, ...], work: Path, temporary: Path, said: Path) -> None:
    """The command line, in a process that was forked."""
    os.chdir(work)
    tempfile.tempdir = str(temporary)
    file = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(file, 1)
    os.dup2(file, 2)
    sys.argv = ["mcrock", *arguments]
    for number in interrupt.SIGNALS:
        signal.signal(number, signal.SIG_DFL)
        interrupt.listen(number)
    main()


def show(number: int, seed: int) -> int:
    """Kill so many times and print what was found."""
    with tempfile.TemporaryDirectory(prefix="mcrock-kills-") as folder:
        bench = Bench(Path(folder), seed)
        while sum(bench.kills.values()) < number:
            bench.cycle()
            if sum(bench.kills.values()) % 10 == 0:
                print(dict(bench.kills), *bench.findings, sep="\n", flush=True)
    print(dict(bench.kills), *(bench.findings or ["nothing was lost"]), sep="\n")
    return bool(bench.findings)


if __name__ == "__main__":
    sys.exit(show(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0))
