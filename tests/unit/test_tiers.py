"""Which tests a run collects: what is run by hand only where -m names it, whatever else -m says."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import BY_HAND, named

ROOT = Path(__file__).parents[2]


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


RUNS = """
import sys
import pytest
for options in ((), ("-m", "not long"), ("-m", "cluster"), ("-m", "slow or not slow")):
    pytest.main([*sys.argv[1:], *options])
    print("next")
"""


def test_tests_run_by_hand_are_collected_only_by_name(tmp_path):
    marked = [f"@pytest.mark.{mark}\ndef test_{mark}():\n    pass\n" for mark in BY_HAND]
    (tmp_path / "test_marks.py").write_text(
        "\n\n".join(["import pytest", *marked, "def test_plain():\n    pass\n"])
    )
    command = [sys.executable, "-c", RUNS, str(tmp_path), "--collect-only", "-q", "-p", "no:cacheprovider"]
    command += ["-c", str(ROOT / "pyproject.toml"), "-p", "tests.conftest"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    *outputs, rest = done.stdout.split("next\n")
    assert rest == ""
    for output, runs in zip(outputs, [set(), set(), {"cluster"}, {"slow"}], strict=True):
        assert "test_plain" in output or "cluster" in runs
        assert {mark for mark in BY_HAND if f"::test_{mark}\n" in output} == runs
        held = {mark: int(number) for number, mark in re.findall(r"held out: (\d+) (\w+) tests", output)}
        assert held == dict.fromkeys(set(BY_HAND) - runs, 1)
    assert f"({len(BY_HAND)} deselected)" in outputs[0]


def test_what_continuous_integration_runs_is_there():
    """A file that moved ends the run before the first test."""
    paths = re.findall(r"\b(?:tests|mcrock)/[\w/.]+", (ROOT / ".ci" / "run").read_text())
    assert len(paths) > 5
    assert [path for path in paths if not (ROOT / path.rstrip(".")).exists()] == []


def test_what_is_skipped_is_named_at_the_end(tmp_path):
    skip = '    pytest.skip("no GPU here")\n'
    (tmp_path / "test_skips.py").write_text(
        f"import pytest\n\n\ndef test_a():\n{skip}\n\ndef test_b():\n{skip}"
    )
    command = [sys.executable, "-m", "pytest", str(tmp_path), "-q", "--basetemp", str(tmp_path / "base")]
    command += ["-c", str(ROOT / "pyproject.toml"), "-p", "tests.conftest", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-2:][0] == "skipped: 2 for no GPU here"
