"""Damaged input, taken on in a process of its own whose memory and patience are bounded.

A module of fuzz has `attempt(number, folder)`, which damages an input in the way of that number and takes it
on. It may raise what the command line answers with one message and exit code 2; anything else is a finding:
another exception, a warning of numpy, a dead process, more memory or time than the bounds.
"""

import json
import os
import queue
import resource
import subprocess
import sys
import threading
import traceback
import warnings
from collections.abc import Iterable
from contextlib import redirect_stdout
from importlib import import_module
from pathlib import Path

import mcrock

MEMORY = 2**30  # that a process may take beyond what it has when it begins [bytes]
SECONDS = 120.0  # in which every single attempt has ended; the longest take some seconds on a busy machine
STARTING = 1200.0  # in which a process has loaded the package, and compiled it if need be
PACKAGE = Path(mcrock.__file__).parent


def findings(module: str, numbers: Iterable[int], folder: Path) -> list[str]:
    """What went wrong in the attempts of some numbers; a process that dies or hangs is replaced."""
    left, found = list(numbers), []
    while left:
        found += _run(module, left, folder)
    return found


def _run(module: str, left: list[int], folder: Path) -> list[str]:
    """Work a list of numbers off in a process, until that ends."""
    found: list[str] = []
    command = [sys.executable, "-m", "tests.fuzz.bounded", module, str(folder)]
    pipe = subprocess.PIPE
    # Arrow's own allocator reserves 1 GiB with its first table, all that a process may take
    surroundings = os.environ | {"ARROW_DEFAULT_MEMORY_POOL": "system"}
    with subprocess.Popen(
        command, stdin=pipe, stdout=pipe, text=True, cwd=PACKAGE.parent, env=surroundings
    ) as process:
        lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=_forward, args=(process.stdout, lines), daemon=True).start()
        process.stdin.write(json.dumps(left))
        process.stdin.close()
        assert lines.get(timeout=STARTING) == "ready\n"
        while left:
            try:
                line = lines.get(timeout=SECONDS)
            except queue.Empty:
                process.kill()
                return [*found, f"{module} {left.pop(0)}: no end within {SECONDS:g} s"]
            if not line:
                return [*found, f"{module} {left.pop(0)}: the process died with {process.wait()}"]
            number, finding = json.loads(line)
            assert number == left.pop(0)
            found += [f"{module} {number}: {finding}"] if finding else []
    return found


def _forward(stream, lines) -> None:
    for line in stream:
        lines.put(line)
    lines.put("")


def work(module: str, folder: Path) -> None:
    """Read numbers, and say after each what was found."""
    numbers = json.load(sys.stdin)
    fuzz = import_module(f"tests.fuzz.{module}")
    if hasattr(fuzz, "prepare"):
        with redirect_stdout(None):
            fuzz.prepare(folder)
    print("ready", flush=True)
    warnings.simplefilter("ignore")
    warnings.simplefilter("error", RuntimeWarning)
    limit_memory()
    for number in numbers:
        try:
            with redirect_stdout(None):
                fuzz.attempt(number, folder)
            finding = ""
        except Exception as error:
            finding = judge(error)
        print(json.dumps([number, finding]), flush=True)


def limit_memory() -> None:
    """Bound what this process may take from now on."""
    status = Path("/proc/self/status").read_text()
    taken = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmData"))
    resource.setrlimit(resource.RLIMIT_DATA, (taken * 1024 + MEMORY,) * 2)


def judge(error: Exception) -> str:
    """What is wrong with an error; nothing if it is a mistake in words of mcrock."""
    frames = traceback.extract_tb(error.__traceback__)
    if isinstance(error, ValueError) and Path(frames[-1].filename).is_relative_to(PACKAGE) and str(error):
        return ""
    own = [frame for frame in frames if Path(frame.filename).is_relative_to(PACKAGE)] or frames
    places = " < ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in reversed(own[-3:]))
    return f"{type(error).__name__}: {str(error)[:200]} [{places}]"


if __name__ == "__main__":
    work(sys.argv[1], Path(sys.argv[2]))
