"""`mcrock warm`: what it compiles is what studies and single runs need, and it says what it found."""

import os
import subprocess
import sys

import numba
import pytest

from mcrock.base.compiled_code import cache_folder
from mcrock.verify import warm

compiled = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")


@pytest.fixture(scope="module")
def warmed(tmp_path_factory):
    """What is found where all that studies and single runs need is compiled, and the folder of a wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    found = list(warm.warm(list(warm.WORK), folder))
    if any(each.compiled for each in found):
        found = list(warm.warm(list(warm.WORK), folder))
    return found, folder


@compiled
def test_what_is_there_is_loaded(mcrock, monkeypatch, warmed):
    monkeypatch.setattr(warm, "warm", lambda names: [one for one in warmed[0] if one.name in names])
    code, output, errors = mcrock("warm", "--friction")
    assert code == 0
    *found, cache = output.splitlines()
    assert {line.partition(": ")[0] for line in found} == set(warm.WORK)
    assert all(": warm already, loaded in " in line for line in found)
    assert cache == f"cache: {cache_folder()}"
    assert errors == f"mcrock: compiling {', '.join(warm.WORK)}, unless the cache has it\n"


def test_what_is_missing_is_compiled(mcrock, monkeypatch):
    monkeypatch.setattr(warm, "warm", lambda names: [warm.Warmth(name, 5, 2.0) for name in names])
    code, output, _ = mcrock("warm")
    assert code == 0
    assert output.splitlines()[:-1] == [
        f"{name}: compiled in 2 s" for name in warm.WORK if name != warm.WITH_FRICTION
    ]


WHEEL = """
import sys
from pathlib import Path
from numba.core import event
from numba.core.registry import cpu_target
from mcrock.base import compiled_code
compiled_code.SHIPPED = Path(sys.argv[1])
own = cpu_target.target_context.codegen().magic_tuple()
compiled_code.baseline = lambda triple: own
import mcrock as mr
from tests.benchmarks.speed.workloads import study_file, synthetic_record
from mcrock.planar import rectangle, simulate_planar
body, motion, friction = mr.cuboid(0.4, 0.4, 1.6, 2600), synthetic_record(0), mr.Contact(friction=0.3)
with event.install_listener("numba:compile", event.RecordingListener()) as compiled:
    for number, contact in enumerate(([], ["contact.friction=0.5"])):
        study = mr.load_config(study_file(), ["ensemble.realizations=4", *contact])
        mr.run_study(study, f"{sys.argv[2]}/{number}.zarr", workers=1)
    mr.simulate(body, motion, mr.Impact(lambda_=0.8), t_end=1.0)
    mr.simulate(body, motion, contact=friction, t_end=1.0, slope=(0.01, 0.0))
    mr.simulate(body, contact=friction, start=mr.Start(position=(0, 0, 1.5)), t_end=0.1)
    simulate_planar(rectangle(0.4, 1.6), motion, history=True)
print(len(compiled.buffer))
"""


@compiled
def test_code_for_a_wheel_leaves_nothing_to_compile(warmed, tmp_path):
    """With an empty cache, all that studies and single runs call from Python is in the folder."""
    found, folder = warmed
    assert [each for each in found if each.compiled] == []
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    command = [sys.executable, "-c", WHEEL, str(folder), str(tmp_path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "0\n"
    assert not (tmp_path / "cache").exists()


def test_a_folder_that_cannot_be_written_to_is_refused(mcrock, monkeypatch, tmp_path):
    monkeypatch.setattr(warm.numba.config, "DISABLE_JIT", 0)
    (tmp_path / "file").touch()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file"))
    code, output, errors = mcrock("warm")
    assert (code, output) == (2, "")
    assert errors.splitlines()[-1] == (
        f"mcrock: {tmp_path / 'file' / 'mcrock'} cannot be written to (Not a directory): "
        "set NUMBA_CACHE_DIR to another folder"
    )


def test_without_compilation_there_is_nothing_to_warm(mcrock, monkeypatch):
    monkeypatch.setattr(warm.numba.config, "DISABLE_JIT", 1)
    code, output, errors = mcrock("warm")
    assert (code, output) == (2, "")
    assert errors.splitlines()[-1] == "mcrock: NUMBA_DISABLE_JIT is set, so nothing is compiled; unset it"
