"""Which device computes: what is refused, and in which order a GPU takes runs."""

import importlib.util
from types import SimpleNamespace

import numpy as np
import pytest
from numba import cuda

from mcrock.dataset.create import StoreError
from mcrock.ensemble import plan_study, run_study
from mcrock.ensemble.part import _check_arithmetic
from mcrock.excitation import Motion, Pulse, pack_motions
from mcrock.impact.conditions import Controls
from mcrock.kernel.contact import topology
from mcrock.kernel.layout import run_type
from mcrock.simulation import device
from mcrock.simulation.device.launch import (
    LARGEST,
    RESIDENT,
    _peaks,
    _threads,
    room_of,
    run_codes,
    template_of,
)
from mcrock.simulation.runs import settings_of
from mcrock.study import load_config

SQUARE = topology(((0, 1, 2, 3),), 4)


@pytest.fixture
def no_gpu(monkeypatch):
    """A machine with numba-cuda and without a GPU."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: True)

    def no_context():
        raise RuntimeError("Error at driver init:\n\nno driver found.\n:")

    monkeypatch.setattr(cuda, "current_context", no_context)


@pytest.mark.parametrize("command", [["run", "-o", "s.zarr"], ["run", "-o", "s.zarr", "--dry-run"]])
def test_without_a_gpu_there_is_a_message(no_gpu, mcrock, study_file, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    code, output, errors = mcrock(*command, study_file, "--device", "cuda")
    assert (code, output) == (2, "")
    assert errors == (
        "mcrock: device cuda: no GPU that CUDA can use is found on this machine: "
        "Error at driver init: no driver found.\n"
    )
    assert not (tmp_path / "s.zarr").exists()


def test_without_numba_cuda_there_is_a_message(mcrock, study_file, tmp_path, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    code, output, errors = mcrock("run", study_file, "-o", tmp_path / "s.zarr", "--device", "cuda")
    assert (code, output) == (2, "")
    assert errors == "mcrock: device cuda: numba-cuda is not installed; pip install 'mcrock[cuda]'\n"


def test_without_a_compiler_there_is_a_message(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: True)
    monkeypatch.setattr(cuda, "current_context", lambda: None)
    monkeypatch.setattr(cuda, "is_available", lambda: False)
    assert device.missing_gpu() == "numba-cuda lacks a compiler; pip install 'mcrock[cuda]'"


def test_a_worker_without_a_gpu_says_so(no_gpu):
    with pytest.raises(StoreError, match="the worker host:7: device cuda: no GPU that CUDA can use is found"):
        _check_arithmetic(SimpleNamespace(device="cuda", attrs={}), "host:7")


def test_a_device_that_is_not_known_is_refused(study_file, tmp_path):
    with pytest.raises(ValueError, match="device must be one of cpu, cuda, got 'gpu'"):
        run_study(load_config(study_file), tmp_path / "s.zarr", device="gpu")


def test_a_gpu_takes_neither_processes_nor_contraction(study_file, tmp_path, monkeypatch):
    monkeypatch.setattr(device, "missing_gpu", lambda: "")
    with pytest.raises(ValueError, match="a GPU is shared by threads: leave processes"):
        run_study(load_config(study_file), tmp_path / "s.zarr", device="cuda", processes=True)
    monkeypatch.setattr(device, "contracts", lambda: True)
    with pytest.raises(ValueError, match="MCROCK_CONTRACT and --contract are for processors"):
        device.check_device("cuda")
    device.check_device("cpu")


def test_a_gpu_computes_no_friction(study_file, tmp_path, monkeypatch):
    monkeypatch.setattr(device, "missing_gpu", lambda: "")
    for call in (run_study, plan_study):
        with pytest.raises(
            ValueError, match=r"device cuda computes contacts that stick, the study has \[contact\]"
        ):
            call(load_config(study_file, ["contact.friction=0.3"]), tmp_path / "s.zarr", device="cuda")
    assert not (tmp_path / "s.zarr").exists()


def test_strong_runs_come_first_and_repetitions_before_them():
    strong, weak = (
        Motion(np.array([[0.0, a, 0.0], 3 * [0.0], 3 * [0.0]]), dt=0.1, name="m") for a in (3.0, -2.0)
    )
    pack = pack_motions([weak, strong, Pulse((0.0, 9.0, 0.0), 4.0)])
    np.testing.assert_array_equal(_peaks(pack), [2.0, 3.0, 9.0])
    batch = SimpleNamespace(
        scale=np.array([[1.0, 4.0], [1.0, 3.0], [0.1, 0.2]]),
        record=np.array([0, 1, 2]),
        recheck=np.array([False, True, False]),
    )
    # strengths 2, 8; 3, 9; 0.9, 1.8
    codes = run_codes(pack, batch)
    assert codes.tolist() == [2 * 3 + 1, 2 * 2 + 1, *(2 * k for k in (3, 1, 2, 0, 5, 4))]


def ring(n):
    return topology((tuple(range(n)),), n)


def test_a_record_on_a_gpu_is_no_larger_than_it_must():
    assert [room_of(ring(n)) for n in (3, 4, 5, 24)] == [4, 4, 8, 32]
    template = template_of(SQUARE, settings_of(Controls(step=0.02)), room_of(SQUARE))
    assert template.dtype == run_type(4)
    assert template[0].settings.step == 0.02
    assert template[0].body.edge_vertices[:5].tolist() == [[0, 1], [1, 2], [2, 3], [3, 0], [0, 0]]


def test_a_body_too_large_for_a_thread_is_refused():
    assert run_type(room_of(ring(200))).itemsize <= LARGEST
    with pytest.raises(ValueError, match=r"device cuda: a body of 2000 vertices needs .* leave --device out"):
        template_of(ring(2000), settings_of(Controls()), room_of(ring(2000)))


@pytest.mark.parametrize(
    ("runs", "memory", "threads"),
    [(1, 80e9, 32), (65, 80e9, 96), (10**6, 80e9, 132 * RESIDENT), (10**6, 1.0, 32)],
)
def test_as_many_threads_as_the_gpu_holds(monkeypatch, runs, memory, threads):
    context = SimpleNamespace(
        device=SimpleNamespace(MULTIPROCESSOR_COUNT=132), get_memory_info=lambda: SimpleNamespace(free=memory)
    )
    monkeypatch.setattr(cuda, "current_context", lambda: context)
    assert _threads(np.zeros(1, run_type(4)), runs) == threads
