"""Memory and time of commands that read large stores: the table of `mcrock docs large-studies`.

`python -m tests.benchmarks.large_stores 1e6 FOLDER stats risk` makes stores of so many runs in a folder, from
the main example at its levels, as a cloud with an uncertain body, and nested in 100 draws, whose runs are
those of a small study drawn again; it keeps stores that are there. Then it runs the commands named, or all.
"""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import xarray as xr

from mcrock.dataset.create import create_store
from mcrock.dataset.store import write_chunk
from mcrock.ensemble import run_study
from mcrock.ensemble.opening import prepare_job, template_of
from mcrock.study import load_config
from mcrock.study.sampling import load_motions

ROOT = Path(__file__).parents[2]
UNCERTAIN = '{ distribution = "normal", mean = 0.4, std = 0.02'
LEVELS = {"levels": "levels_g = [0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 1.3, 1.6, 2.0]"}
STORES = {  # lines that take the place of others in the main example, realizations of the small study, draws
    "example": (LEVELS, 880, 1),
    "cloud": (
        {
            "levels": 'value = { distribution = "lognormal", median = 7.0, dispersion = 0.6 }',
            "width": f"width = {UNCERTAIN} }}",
        },
        8800,
        1,
    ),
    "nested": (
        LEVELS | {"width": f"width = {UNCERTAIN}, epistemic = true }}", "design": "outer = 100"},
        22,
        100,
    ),
}
HAZARD = "pga [g], mean\n0.05, 0.02\n0.1, 0.01\n0.3, 1e-3\n1.0, 5e-5\n2.0, 5e-6\n"
COMMANDS = {
    "status": ["status", "example.zarr"],
    "verify": ["verify", "example.zarr"],
    "stats": ["stats", "example.zarr"],
    "stats-cloud": ["stats", "cloud.zarr"],
    "stats-nested": ["stats", "nested.zarr"],
    "risk": ["risk", "example.zarr", "hazard.csv"],
    "risk-cloud": ["risk", "cloud.zarr", "hazard.csv"],
    "fragility": ["fragility", "example.zarr"],
    "fragility-cloud": ["fragility", "cloud.zarr"],
    "plot": ["plot", "example.zarr", "-o", "plots"],
    "compare": ["compare", "example.zarr", "example.zarr"],
    "sensitivity": ["sensitivity", "example.zarr"],
    "calibrate": ["calibrate", "labels.csv", "nested.zarr"],
    "report": ["report", "example.zarr", "-o", "report.html"],
    "export": ["export", "example.zarr", "-o", "all.nc", "--overwrite"],
    "merge": ["merge", "merged.zarr", "example.zarr"],
}
USAGE = """
import resource, subprocess, sys, time
start = time.monotonic()
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
used, clock = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic() - start
print(f"{used.ru_utime + used.ru_stime:.1f} s, {used.ru_maxrss / 1024:.0f} MiB; {clock:.0f} s by the clock")
"""  # a process of its own: Linux counts the peak memory of the one that starts another


def write_store(folder: Path, name: str, n_runs: int) -> None:
    """Write a store of runs that are drawn again from those of a small study, or of its epistemic draw."""
    changes, few, draws = STORES[name]
    lines = (ROOT / "configs" / "quickstart.toml").read_text(encoding="utf-8").splitlines()
    study = folder / f"{name}.toml"
    study.write_text("\n".join(changes.get(line.split(" ")[0], line) for line in lines), encoding="utf-8")
    small = load_config(study, [f"ensemble.realizations={few}"])
    store = folder / f"{name}-small.zarr"
    with run_study(small, store, resume=store.exists()) as opened:
        runs: xr.Dataset = opened.load()
    number = round(n_runs / draws / small.n_intensity)
    large = load_config(study, [f"ensemble.realizations={number}"])
    path = folder / f"{name}.zarr"
    template = template_of(prepare_job(large, load_motions(large), path.absolute()))
    create_store(path, template)
    for key in template.chunks():
        first, last = template.realizations(key)
        again = np.random.default_rng(key[-1]).integers(0, few, last - first)
        part = runs.isel(outer=key[0]) if draws > 1 else runs
        write_chunk(path, template, key, {item: part[item].values[again] for item in template.chunked})


def measured(folder: Path, arguments: Sequence[str]) -> str:
    """What a command took, or how it failed."""
    command = [sys.executable, "-c", USAGE, sys.executable, "-m", "mcrock", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout or f"failed: {done.stderr.strip()}\n"


def main(n_runs: int, folder: Path, names: Sequence[str]) -> None:
    """Make what the commands read, and measure them."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "hazard.csv").write_text(HAZARD)
    (folder / "labels.csv").write_text("realization,intensity,fallen\n0,2,0\n3,2,1\n5,4,1\n")
    for name in names or COMMANDS:
        for store in STORES:
            if f"{store}.zarr" in COMMANDS[name] and not (folder / f"{store}.zarr").exists():
                write_store(folder, store, n_runs)
        print(f"{name}: {measured(folder, COMMANDS[name])}", end="", flush=True)


if __name__ == "__main__":
    main(round(float(sys.argv[1])), Path(sys.argv[2]), sys.argv[3:])
