"""A study of a minute of processor time, its result by one process, and what jobs of a batch system are."""

import hashlib
import subprocess
import sys
import time

import psutil
import pytest

from mcrock.dataset.contents import chunks_done
from tests.unit.conftest import write_study

REALIZATIONS = 250_000
PATIENCE = 600.0  # for a job to do what it is to do: minutes on a busy machine [s]


@pytest.fixture(scope="session")
def config(tmp_path_factory):
    """The study of the unit tests, larger."""
    path = write_study(tmp_path_factory.mktemp("study"))
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("realizations = 40", f"realizations = {REALIZATIONS}"), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def expected(config):
    """Digest of every file of its store."""
    path = config.with_name("reference.zarr")
    subprocess.run(
        [sys.executable, "-m", "mcrock", "run", config, "-o", path], check=True, capture_output=True
    )
    return digests(path)


def digests(path):
    """Digest of every file of a store."""
    found = [file for file in sorted(path.rglob("*")) if file.is_file()]
    return {str(file.relative_to(path)): hashlib.sha256(file.read_bytes()).hexdigest() for file in found}


def wait_until(condition, may=lambda: True):
    """Wait until a condition holds, as long as it may."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert may(), "it will not be"
        assert time.monotonic() < end, "in vain"
        time.sleep(0.2)


def done(store):
    """Chunks of a store that are done, 0 while it is not there."""
    return int(chunks_done(store).sum()) if (store / "study.zip").exists() else 0


def processes(number, word):
    """Processes of a job of Slurm with a word in their command line, youngest first."""
    found = []
    for process in psutil.process_iter():
        try:
            job = process.environ().get("SLURM_JOB_ID")
            if job == number and word in " ".join(process.cmdline()):
                found.append(process)
        except (psutil.NoSuchProcess, psutil.AccessDenied, psutil.ZombieProcess):
            continue
    return sorted(found, key=lambda process: -process.create_time())


WORKERS = """
jobqueue:
  slurm:
    cores: 1
    memory: 1GB
    walltime: "00:10:00"
    interface: lo
distributed:
  adaptive:
    minimum: {jobs}
    maximum: {jobs}
"""


def processes_for_slurm(folder):
    """Write `sbatch` and `scancel` to a folder: jobs are processes of this machine, at once."""
    start = '#!/bin/sh\nsetsid bash -c "$(cat "$1")" >/dev/null 2>&1 &\necho "Submitted batch job $!"\n'
    for name, text in {"sbatch": start, "scancel": '#!/bin/sh\nkill -TERM -- "-$1"\n'}.items():
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
