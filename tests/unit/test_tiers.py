"""Which tests a run collects: what is run by hand only where -m names it, whatever else -m says."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import BY_HAND, named

ROOT = Path(__file__).parents[2]
PLACES = ("tests/cluster/test_mpi.py", "tests/unit/statistics/test_betting.py")  # with tests of both marks


@pytest.mark.parametrize(
    ("expression", "marks"),
    [
        ("", set()),
        ("not long", set()),
        ("long", {"long"}),
        ("not slow and not cluster", set()),
        ("not (slow or cluster)", set()),
        ("slow or not slow", {"slow"}),
        ("not not cluster", {"cluster"}),
        ("long and (slow or not cluster)", {"long", "slow"}),
        ("slow and", set()),
    ],
)
def test_marks_behind_not_are_not_named(expression, marks):
    assert set(named(expression)) == marks


@pytest.mark.parametrize(
    ("options", "runs"),
    [
        ((), set()),
        (("-m", ""), set()),
        (("-m", "not long"), set()),
        (("-m", "cluster"), {"cluster"}),
        (("-m", "slow or not slow"), {"slow"}),
    ],
)
def test_tests_run_by_hand_are_collected_only_by_name(options, runs):
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *options]
    output = subprocess.run([*command, *PLACES], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert ("tests/cluster/test_mpi.py::" in output) == ("cluster" in runs)
    held = {mark: int(number) for number, mark in re.findall(r"held out: (\d+) (\w+) tests", output)}
    assert held.keys() == set(BY_HAND) - runs
    assert all(held.values())
    if not options:
        assert f"({sum(held.values())} deselected)" in output
