"""Processor time of `mcrock run` by phase, of a study whose code is compiled.

    python -m tests.benchmarks.phases configs/quickstart.toml

What a phase calls of another counts there alone; threads of the process count as they work.
"""

import importlib
import sys
import tempfile
from pathlib import Path
from time import process_time

START = process_time()
PHASES = {
    "study": ("mcrock.study", "load_config"),
    "pilot": ("mcrock.ensemble.study", "settle"),
    "runs and storing": ("mcrock.ensemble.study", "run_jobs"),
    "how many runs": ("mcrock.ensemble.study", "size_that_tells"),
    "answer": ("mcrock.commands.studies", "_print_results"),
}
ROOMS = "commands.program", "commands.studies", "statistics", "show.summary", "kernel.batch"


def timed(function, phase, seconds, within):
    """The function, whose own processor time is added to that of its phase."""

    def call(*args, **keywords):
        began = process_time()
        within.append(0.0)
        try:
            return function(*args, **keywords)
        finally:
            taken = process_time() - began
            seconds[phase] += taken - within.pop()
            if within:
                within[-1] += taken

    return call


def main(config):
    for room in ROOMS:
        importlib.import_module(f"mcrock.{room}")
    seconds, within = {"imports": process_time() - START} | dict.fromkeys(PHASES, 0.0), []
    for phase, (room, name) in PHASES.items():
        module = importlib.import_module(room)
        setattr(module, name, timed(getattr(module, name), phase, seconds, within))
    from mcrock.commands.program import app

    with tempfile.TemporaryDirectory() as folder:
        app(["run", config, "-o", str(Path(folder) / "study.zarr")], standalone_mode=False)
    whole = process_time() - START
    seconds["the rest"] = whole - sum(seconds.values())
    for phase, taken in seconds.items():
        print(f"{phase:18} {taken:6.2f} s {taken / whole:6.1%}", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1])
