"""Whether the kernel is compiled with fused multiply-add is the user's choice, made before it is loaded."""

import subprocess
import sys

import pytest

from mcrock import arithmetic, jit
from mcrock.bench.machine import describe_versions


@pytest.mark.parametrize(("value", "wanted"), [(None, False), ("", False), ("0", False), ("1", True)])
def test_the_environment_chooses(monkeypatch, value, wanted):
    monkeypatch.delenv("MCROCK_CONTRACT", raising=False)
    if value is not None:
        monkeypatch.setenv("MCROCK_CONTRACT", value)
    assert arithmetic.contracts.__wrapped__() == wanted


def test_another_value_is_refused(monkeypatch):
    monkeypatch.setenv("MCROCK_CONTRACT", "yes")
    with pytest.raises(ValueError, match="MCROCK_CONTRACT must be 0 or 1, got 'yes'"):
        arithmetic.contracts.__wrapped__()


def test_plain_arithmetic_is_the_default_and_has_no_name():
    assert not arithmetic.contracts()
    assert arithmetic.arithmetic() is None
    assert "arithmetic" not in describe_versions()


def test_a_kernel_that_is_loaded_stays_as_it_is(monkeypatch):
    monkeypatch.setenv("MCROCK_CONTRACT", "0")
    with pytest.raises(ValueError, match="loaded already, without contraction: start Python with MCROCK_CO"):
        arithmetic.contract()


@pytest.mark.parametrize("own", [None, "own"])
def test_contracted_code_has_a_cache_of_its_own(tmp_path, own):
    """numba would take code of one setting for that of the other."""
    code = (
        "from mcrock import arithmetic; arithmetic.contract(); import numba, mcrock.jit; "
        "print(numba.config.CACHE_DIR, arithmetic.arithmetic())"
    )
    folder = {"NUMBA_CACHE_DIR": str(tmp_path / own)} if own else {"XDG_CACHE_HOME": str(tmp_path)}
    environment = {
        "HOME": str(tmp_path),
        "PYTHONPATH": ":".join(sys.path),
        "NUMBA_CPU_NAME": "haswell",
        **folder,
    }
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    cache, _, name = done.stdout.strip().partition(" ")
    assert cache.endswith(f"{own or jit.source_hash()}/contracted")
    assert name.startswith("fused multiply-add, by LLVM ")
    assert " for haswell with features " in name
