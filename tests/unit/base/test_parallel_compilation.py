"""What a second core compiles is what the call needs; its result is the same."""

import os
import subprocess
import sys

import numba
import pytest
from numba.core import event

import mcrock
from mcrock.base import compiled_code
from mcrock.base.compiled_code import NotCompiled
from mcrock.simulation import runs
from mcrock.simulation.parts import parts_with_friction, parts_without_friction

pytestmark = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")

COLD = """
import os, sys
from inspect import signature
import numpy as np
from mcrock.base import compiled_code, random_numbers
from tests.unit.base.test_parallel_compilation import filled
from mcrock.base.compiled_code import compile_in_parallel
compiled_code.cores = lambda: int(sys.argv[1])

processes, start = [], compiled_code.start_process
compiled_code.start_process = lambda *work: processes.append(start(*work)) or processes[-1]
out = np.zeros(2)
arguments = [*(np.uint64(number) for number in (1, 2, 3, 4)), out]
arguments = dict(zip(signature(random_numbers._fill).parameters, arguments))
compile_in_parallel(random_numbers._fill, arguments, filled, {})
for process in processes:
    process.wait()
print(len(processes), *out)
"""


def filled():
    """What another process can import."""
    return (mcrock.base.random_numbers._fill,)


@pytest.mark.parametrize("cores", [1, 2])
def test_two_cores_compile_together(tmp_path, cores):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", COLD, str(cores)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    processes, *numbers = done.stdout.split()
    assert int(processes) == cores - 1
    assert [float(number) for number in numbers] == mcrock.base.random_numbers.uniforms(
        1, 2, 3, 2, 4
    ).tolist()
    assert list(tmp_path.rglob("_fill-*.pickle"))


@pytest.mark.parametrize("friction", [None, 0.4])
def test_parts_are_compiled_as_the_call_needs_them(monkeypatch, friction):
    contact = mcrock.Contact(friction=friction)
    mcrock.simulate(mcrock.cuboid(0.4, 0.4, 1.6, 2500), contact=contact, t_end=0.1)  # compiles
    taken = []

    def start(lock, compile_parts, work):
        with event.install_listener("numba:compile", event.RecordingListener()) as compiled:
            compile_parts(*work)
        taken.append((work[0], len(compiled.buffer)))

    monkeypatch.setattr(compiled_code, "start_process", start)
    monkeypatch.setattr(compiled_code, "cores", lambda: 2)
    cold = _Cold(runs.run_part)
    monkeypatch.setattr(runs, "run_part", cold)
    mcrock.simulate(mcrock.cuboid(0.4, 0.4, 1.6, 2500), contact=contact, t_end=0.1)
    assert taken == [(parts_without_friction if friction is None else parts_with_friction, 0)]
    assert cold.calls == 2


class _Cold:
    """A compiled function that is not in the cache at its first call."""

    overloads, calls = {}, 0

    def __init__(self, function):
        self.function, self.py_func = function, function.py_func

    def __call__(self, *arguments):
        self.calls += 1
        if self.calls == 1:
            raise NotCompiled
        self.function(*arguments)


def test_who_comes_to_a_part_in_work_waits_for_it(monkeypatch):
    class Process:
        returncode = None

    process, looks = Process(), []

    def in_work():
        looks.append(True)
        return 1 if len(looks) < 3 else 2

    monkeypatch.setattr(compiled_code, "_in_work", in_work)
    names = [("a", "f"), ("a", "g"), ("a", "h")]
    assert compiled_code._wait(process, names, ("a", "g"))
    assert len(looks) == 3
    assert not compiled_code._wait(process, names, ("a", "g"))  # done: it is in the cache, or will not be
    assert not compiled_code._wait(process, names, ("b", "g"))
    process.returncode = -9
    monkeypatch.setattr(compiled_code, "_in_work", lambda: 0)
    assert not compiled_code._wait(process, names, ("a", "f"))  # it has died
