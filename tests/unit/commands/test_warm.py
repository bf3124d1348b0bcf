"""`mcrock warm`: what it compiles is what studies and single runs need, and it says what it found."""

import subprocess
import sys
from pathlib import Path

import numba
import pytest

from mcrock.bench import warm
from mcrock.bench.processes import environment

compiled = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")


@compiled
def test_what_is_there_is_loaded(mcrock):
    assert mcrock("warm", "--friction")[0] == 0
    code, output, errors = mcrock("warm", "--friction")
    assert code == 0
    without, with_friction, cache = output.splitlines()
    assert without.startswith("the kernel without friction: warm already, loaded in ")
    assert with_friction.startswith("the kernel with friction: warm already, loaded in ")
    assert cache == f"cache: {numba.config.CACHE_DIR}"
    assert errors.splitlines() == [
        f"mcrock: compiling the kernel {which} friction, unless the cache has it"
        for which in ("without", "with")
    ]


@compiled
def test_what_is_missing_is_compiled(mcrock, monkeypatch):
    counts = iter([3, 5])
    monkeypatch.setattr(warm, "_compiled", lambda: next(counts))
    code, output, _ = mcrock("warm")
    assert code == 0
    assert output.startswith("the kernel without friction: compiled in ")


PROCESS = """
from mcrock.bench import warm
from mcrock.bench.workloads import block, prepare
from mcrock.conditions import Contact
from mcrock.simulation import simulate
found = [warm.warm_kernel(friction) for friction in (False, True)]
before = warm._compiled()
prepare("study", 10).run(), prepare("friction", 10).run()
simulate(block(), t_end=1.0), simulate(block(), contact=Contact(friction=0.3), t_end=1.0)
print(*(item.compiled for item in found), warm._compiled() - before)
"""


@compiled
def test_nothing_is_left_to_compile(mcrock):
    """Another process finds both kernels in the cache, and its studies and single runs need no more."""
    assert mcrock("warm", "--friction")[0] == 0
    done = subprocess.run(
        [sys.executable, "-c", PROCESS], env=environment(), capture_output=True, text=True, check=True
    )
    assert done.stdout == "False False 0\n"


def test_a_folder_that_cannot_be_written_to_is_refused(mcrock, monkeypatch, tmp_path):
    monkeypatch.setattr(warm.numba.config, "DISABLE_JIT", 0)
    monkeypatch.setattr(warm.numba.config, "CACHE_DIR", str(tmp_path))
    elsewhere = type("Entry", (), {"stats": type("Stats", (), {"cache_path": "/elsewhere/kernel"})})
    monkeypatch.setattr(warm, "run_part", elsewhere)
    code, output, errors = mcrock("warm")
    assert (code, output) == (2, "")
    assert errors.splitlines()[-1] == (
        f"mcrock: {tmp_path} cannot be written to, numba would use {Path('/elsewhere/kernel')}: "
        "set NUMBA_CACHE_DIR to another folder"
    )


def test_without_compilation_there_is_nothing_to_warm(mcrock, monkeypatch):
    monkeypatch.setattr(warm.numba.config, "DISABLE_JIT", 1)
    code, output, errors = mcrock("warm")
    assert (code, output) == (2, "")
    assert errors.splitlines()[-1] == "mcrock: NUMBA_DISABLE_JIT is set, so nothing is compiled; unset it"
