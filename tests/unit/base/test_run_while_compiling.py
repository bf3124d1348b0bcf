"""Results before the compiler is done are those of compiled code, to the last bit; no process is left."""

import os
import subprocess
import sys

import numba
import numpy as np
import pytest

import mcrock
from mcrock.base.compiled_code import Abandoned, uncompiled
from mcrock.simulation import runs as simulation
from tests.benchmarks.speed.workloads import synthetic_record

pytestmark = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")

BODY = mcrock.cuboid(0.31, 0.42, 1.3, 2600)
IMPACT = mcrock.Impact(lambda_=0.7, lambda_lon=0.6, lambda_lat=0.1)
FRICTION = mcrock.Contact(friction=0.4, restitution=0.3)
LEANING = np.array([1.0, 0.014, -0.014, 0.0]) / np.linalg.norm([1.0, 0.014, -0.014, 0.0])
RUNS = {
    "free": {"start": mcrock.Start(edge=1, tilt=0.12)},
    "vertex": {"start": mcrock.Start(vertex=3, orientation=LEANING), "t_end": 2.0},
    "slope": {"start": mcrock.Start(edge=0, tilt=0.1), "slope": (0.01, -0.02), "t_end": 2.0},
    "record": {"motion": synthetic_record(3), "impact": IMPACT, "t_end": 12.0},
    "pulse": {"motion": mcrock.Pulse((5.0, 2.0, 0.0), 3.0), "impact": IMPACT},
    "friction": {"motion": synthetic_record(3).scaled(1.5), "contact": FRICTION, "t_end": 6.0},
    "slip": {"start": mcrock.Start(velocity=(1.0, 0.3, 0.0), yaw_rate=2.0), "contact": FRICTION},
    "fall": {"start": mcrock.Start(position=(0.0, 0.0, 0.9)), "contact": FRICTION, "t_end": 1.0},
}


@pytest.mark.parametrize("name", RUNS)
def test_plain_python_repeats_compiled_code_to_the_last_bit(monkeypatch, name):
    expected = mcrock.simulate(BODY, **RUNS[name])
    turns = []
    plain = uncompiled(simulation._traced, lambda: turns.append(None))
    monkeypatch.setattr(simulation, "_traced", plain)
    with np.errstate(all="ignore"):
        found = mcrock.simulate(BODY, **RUNS[name])
    assert len(turns) >= expected.steps  # it has not called compiled code
    assert found.outcome == expected.outcome
    assert repr(found.results) == repr(expected.results)
    assert repr(found.events) == repr(expected.events)
    assert len(found.events) > 1
    assert found.history.identical(expected.history)


def test_plain_python_can_be_abandoned(monkeypatch):
    def check():
        raise Abandoned

    monkeypatch.setattr(simulation, "_traced", uncompiled(simulation._traced, check))
    with pytest.raises(Abandoned):
        mcrock.simulate(BODY, t_end=0.1)


COLD = """
import os, sys, time
from numba.core import event
from mcrock.base import compiled_code
from mcrock.base.random_numbers import uniforms
compiled_code.PATIENCE = float(sys.argv[1])
with event.install_listener("numba:compile", event.RecordingListener()) as compiled:
    first = compiled_code.run_while_compiling(uniforms, 1, 2, 3, 4)
    (process,) = compiled_code._behind
    waited = process.returncode is not None
    if sys.argv[2:]:
        process.wait()
    second = compiled_code.run_while_compiling(uniforms, 1, 2, 3, 4)
print(process.pid, waited, len(compiled.buffer), *first, *second)
"""


def cold(cache, *arguments):
    """Two calls with an empty cache: whether the second process was waited for, compilations, numbers."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": os.pathsep.join(sys.path)}
    del environment["MCROCK_COMPILE_FIRST"]
    command = [sys.executable, "-c", COLD, *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    process, waited, compiled, *numbers = done.stdout.split()
    with pytest.raises(ProcessLookupError):
        os.kill(int(process), 0)
    return waited == "True", int(compiled), [float(number) for number in numbers]


def test_a_cold_start_waits_for_nothing_and_leaves_no_process(tmp_path):
    numbers = mcrock.base.random_numbers.uniforms(1, 2, 3, 4).tolist()
    assert cold(tmp_path, "600") == (False, 0, 2 * numbers)


def test_what_was_compiled_behind_is_loaded(tmp_path):
    numbers = mcrock.base.random_numbers.uniforms(1, 2, 3, 4).tolist()
    assert cold(tmp_path, "600", "wait") == (False, 0, 2 * numbers)
    assert list(tmp_path.rglob("_fill-*.pickle"))


def test_who_has_no_patience_waits_for_the_process_that_compiles(tmp_path):
    numbers = mcrock.base.random_numbers.uniforms(1, 2, 3, 4).tolist()
    assert cold(tmp_path, "-1") == (True, 0, 2 * numbers)


def test_without_a_cache_the_compiler_is_waited_for(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    code = (
        "from mcrock.base import compiled_code as c, random_numbers; "
        "print(*c.run_while_compiling(random_numbers.uniforms, 1, 2, 3, 4), c._behind)"
    )
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "file"), "MCROCK_COMPILE_FIRST": ""}
    found = subprocess.check_output([sys.executable, "-c", code], env=environment, text=True)
    assert found.split() == [*map(str, mcrock.base.random_numbers.uniforms(1, 2, 3, 4)), "[]"]


def test_a_mistake_is_said_at_once(tmp_path):
    code = (
        "import mcrock as mr\n"
        "try: mr.simulate(mr.cuboid(1, 1, 3, 1), start=mr.Start(edge=9, tilt=0.1))\n"
        "except ValueError as error: print(error)"
    )
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "MCROCK_COMPILE_FIRST": ""}
    found = subprocess.check_output([sys.executable, "-c", code], env=environment, text=True)
    assert found.startswith("Start.edge must be an edge of the start face, 0, 1, 2, 3, got 9")
