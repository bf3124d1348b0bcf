"""Whether the kernel is compiled with fused multiply-add is the user's choice, made before it is loaded."""

import subprocess
import sys

import pytest

from mcrock.base import environment


@pytest.mark.parametrize(("value", "wanted"), [(None, False), ("", False), ("0", False), ("1", True)])
def test_the_environment_chooses(monkeypatch, value, wanted):
    monkeypatch.delenv("MCROCK_CONTRACT", raising=False)
    if value is not None:
        monkeypatch.setenv("MCROCK_CONTRACT", value)
    assert environment.contracts.__wrapped__() == wanted


def test_another_value_is_refused(monkeypatch):
    monkeypatch.setenv("MCROCK_CONTRACT", "yes")
    with pytest.raises(ValueError, match="MCROCK_CONTRACT must be 0 or 1, got 'yes'"):
        environment.contracts.__wrapped__()


def test_plain_arithmetic_is_the_default_and_has_no_name():
    assert not environment.contracts()
    assert environment.arithmetic() is None


def test_a_kernel_that_is_loaded_stays_as_it_is(monkeypatch):
    monkeypatch.setenv("MCROCK_CONTRACT", "0")
    with pytest.raises(ValueError, match="loaded already, without contraction: start Python with MCROCK_CO"):
        environment.contract()


def test_contracted_code_has_a_cache_of_its_own():
    """numba would take code of one setting for that of the other."""
    code = (
        "from mcrock.base import compiled_code, environment; {}; "
        "print(compiled_code.folder_name(str(compiled_code.ROOT / 'base/random_numbers.py')));"
        "print(environment.arithmetic())"
    )
    options = {"env": {"PYTHONPATH": ":".join(sys.path), "NUMBA_CPU_NAME": "haswell"}, "text": True}
    plain, contracted = (
        subprocess.check_output([sys.executable, "-c", code.format(first)], **options).split(maxsplit=1)
        for first in ("pass", "environment.contract()")
    )
    assert plain[0] != contracted[0]
    assert plain[1].strip() == "None"
    assert contracted[1].startswith("fused multiply-add, by LLVM ")
    assert " for haswell with features " in contracted[1]
