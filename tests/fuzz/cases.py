"""Damaged case files, run as `mcrock verify` does it."""

import copy
import json
import warnings
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from mcrock.verify import CASES, run_file
from mcrock.verify.checks import print_checks
from tests.fuzz.damage import damage_table, damaged_text


def prepare(folder: Path) -> None:
    """Load the compiled code."""
    _run(json.dumps({"cases": sound_cases()}), folder)


def attempt(number: int, folder: Path) -> None:
    """Run a case that is damaged."""
    random = Random(f"case {number}")
    case = copy.deepcopy(random.choice(sound_cases()))
    content: dict[str, Any] = {"cases": [case]}
    if random.random() < 0.25:
        text = damaged_text(random, json.dumps(content, indent=1))
    else:
        for _ in range(random.choice((1, 1, 2, 3))):
            damage_table(random, case)
        text = json.dumps(content)
    _run(text, folder)


def _run(text: str, folder: Path) -> None:
    path = folder / "cases.json"
    path.write_text(text, encoding="utf-8", errors="replace")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of numpy, in laws that are given numbers beyond all measure
        print_checks(run_file(path), failures=True)


@cache
def sound_cases() -> list[dict[str, Any]]:
    """Shipped cases to damage."""
    return [case for path in CASES for case in _of(path)]


def _of(path: Path) -> Iterable[dict[str, Any]]:
    cases: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["cases"]
    return cases
