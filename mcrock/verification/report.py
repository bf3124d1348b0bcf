"""Reading case files and comparing what comes out with what was expected."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True)
class Check:
    """One compared quantity of a case.

    ``tolerance`` is the largest allowed difference; texts and lists of indices have none and must
    be equal.
    """

    case: str
    quantity: str
    expected: Any
    computed: Any
    tolerance: float | None
    passed: bool


class CaseError(ValueError):
    """A case file that cannot be read or a case that cannot be run."""


def compare(
    case: str, quantity: str, expected: Any, computed: Any, absolute: float, relative: float = 0.0
) -> Check:
    """Compare numbers of any shape: |x - y| <= abs + rel |y| for every element."""
    y, x = np.asarray(expected, float), np.asarray(computed, float)
    tolerance = absolute + relative * float(np.abs(y).max(initial=0.0))
    passed = x.shape == y.shape and bool(np.all(np.abs(x - y) <= absolute + relative * np.abs(y)))
    return Check(case, quantity, expected, computed, tolerance, passed)


def same(case: str, quantity: str, expected: Any, computed: Any) -> Check:
    """Compare texts, truth values or lists of indices."""
    return Check(case, quantity, expected, computed, None, expected == computed)


def is_information(key: str, value: Any) -> bool:
    """Whether an expected entry is not meant to be compared."""
    named = key in {
        "reference_summary",
        "n_events_checked",
        "outcome_robust_to_rel_amplitude",
        "t_max_tilt",
        "min_Fz_over_mg",
    }
    text = isinstance(value, str) and "not check" in value.lower()
    return named or key.startswith("note") or key.endswith("_note") or value is None or text


def run_file(path: Path | str) -> Iterator[Check]:
    """Run every case of a file.

    Parameters
    ----------
    path : Path or str
        JSON object with a list ``cases``.

    Yields
    ------
    Check
        In the order of the file.

    Raises
    ------
    CaseError
        If the file is missing or malformed, or a case is of an unknown kind.
    """
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise CaseError(f"{path}: cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise CaseError(f"{path}: is not JSON: {error}") from None
    if not isinstance(content, dict) or not isinstance(content.get("cases"), list):
        raise CaseError(f"{path}: must be a JSON object with a list 'cases'")
    yield from run_cases(content["cases"], str(path))


def run_cases(cases: Iterable[dict], source: str = "cases") -> Iterator[Check]:
    """Run cases given as dictionaries; see `run_file`."""
    from mcrock.verification.impacts import IMPACT_KINDS
    from mcrock.verification.motions import MOTION_KINDS

    kinds = IMPACT_KINDS | MOTION_KINDS
    for position, case in enumerate(cases):
        name = case.get("id", f"case {position}") if isinstance(case, dict) else f"case {position}"
        if not isinstance(case, dict) or case.get("kind") not in kinds:
            kind = case.get("kind") if isinstance(case, dict) else type(case).__name__
            raise CaseError(f"{source}: {name}: unknown kind {kind!r}; known are {', '.join(sorted(kinds))}")
        try:
            yield from kinds[case["kind"]](case)
        except KeyError as error:
            raise CaseError(f"{source}: {name}: lacks the field {error}") from None
        except (TypeError, IndexError, ValueError) as error:
            raise CaseError(f"{source}: {name}: {error}") from error
