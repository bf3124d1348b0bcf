"""Damaged input ends in one clear message: no traceback, no hang, no more memory than `bounded.MEMORY`.

A share of each fuzz belongs to the suite; the whole ones, marked slow, take some minutes each.
"""

import subprocess
import sys

import pytest

from tests.fuzz.bounded import findings

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="the memory of a process is bounded on Linux alone"
)
WHOLE = {"configs": 10_000, "records": 10_000, "files": 10_000, "cases": 5_000, "stores": 2000}
QUICK = {"configs": 40, "records": 500, "files": 80, "cases": 50, "stores": 6}


@pytest.mark.parametrize("module", QUICK)
def test_a_share_of_damaged_input(module, tmp_path):
    assert findings(module, range(QUICK[module]), tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize("module", WHOLE)
def test_damaged_input(module, tmp_path):
    assert findings(module, range(WHOLE[module]), tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize("module", ["kills", "killed_commands", "surroundings"])
def test_what_is_killed_loses_nothing(module):
    command = [sys.executable, "-m", f"tests.fuzz.{module}", "60"]
    ran = subprocess.run(command, capture_output=True, check=False)
    assert (ran.returncode, ran.stdout.splitlines()[-1:]) == (0, [b"nothing was lost"])


def test_what_is_a_finding(tmp_path, monkeypatch):
    monkeypatch.setattr("tests.fuzz.bounded.SECONDS", 2.0)
    expected = [
        "examples 1: AttributeError: 'int' object has no attribute",
        "examples 2: MemoryError",
        "examples 3: ValueError: of numpy",
        "examples 4: the process died with -9",
        "examples 5: RuntimeWarning: overflow",
        "examples 6: no end within 2 s",
    ]
    found = findings("examples", [*range(7), 0], tmp_path)  # a mistake in words is none
    assert [line[: len(start)] for line, start in zip(found, expected, strict=True)] == expected
