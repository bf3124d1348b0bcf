"""The program for a GPU compiles for one, as far as that can be seen without it: types and instructions.

What numba asks the driver of a GPU for, its compute capability, is given here. Nothing is run.
"""

import re
from types import SimpleNamespace

import numpy as np
import pytest
from numba import config

from mcrock.excitation import STILL
from mcrock.impact.conditions import Controls
from mcrock.kernel.contact import topology
from mcrock.simulation.runs import simulate_part
from tests.benchmarks.speed.workloads import block, inputs_of

pytest.importorskip("numba_cuda", reason="numba-cuda is not installed: pip install 'mcrock[cuda]'")
pytestmark = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="nothing is compiled")
CAPABILITY = (9, 0)  # of an H100
LOCAL, SHARED = 512, 48 * 1024  # of a thread, and of a block [byte]


class LaunchedError(Exception):
    """With the arguments of a launch."""


class Launch:
    """In the place of the program for a GPU."""

    def __getitem__(self, shape):
        def launch(*arguments):
            raise LaunchedError(*arguments)

        return launch


def test_it_compiles_for_a_gpu(monkeypatch):
    from numba import cuda, typeof
    from numba.cuda import dispatcher

    from mcrock.simulation.device import launch

    device = SimpleNamespace(compute_capability=CAPABILITY, MULTIPROCESSOR_COUNT=132)
    memory = SimpleNamespace(free=80 * 10**9)
    context = SimpleNamespace(device=device, get_memory_info=lambda: memory)
    monkeypatch.setattr(dispatcher, "get_current_device", lambda: device)
    monkeypatch.setattr(cuda, "current_context", lambda: context)
    monkeypatch.setattr(cuda, "to_device", np.asarray)
    monkeypatch.setattr(cuda, "device_array", np.empty)
    program = launch.program(launch.room_of(topology(block().faces[:1], 4)))
    monkeypatch.setattr(launch, "program", lambda corners: Launch())
    inputs = inputs_of(block(), np.ones(3))
    with pytest.raises(LaunchedError) as launched:
        simulate_part(inputs, STILL, Controls(recheck=0.5), "cuda")
    types = tuple(map(typeof, launched.value.args))
    ptx, _ = cuda.compile(program.py_func, types, cc=CAPABILITY, device=False, abi="numba")
    assert ".target sm_90" in ptx
    assert ".f64" in ptx
    assert "div.rn.f64" in ptx  # no arithmetic that is quicker and less exact
    assert "sqrt.rn.f64" in ptx
    # the record of a run is not in local memory, nor are arrays: what the assembler spills comes on top
    assert sum(map(int, re.findall(r"__local_depot\d+\[(\d+)\]", ptx))) <= LOCAL
    (shared,) = re.findall(r"\.shared [^\[]*\[(\d+)\]", ptx)
    assert int(shared) <= SHARED
