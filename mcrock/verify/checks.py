"""Comparing what comes out of a case with what was expected."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mcrock.base.checks import Number

TOLERANCE = Number("1", least=0.0)


@dataclass(frozen=True, slots=True)
class ComparedQuantity:
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
) -> ComparedQuantity:
    """Compare numbers of any shape: |x - y| <= abs + rel |y| for every element; what is not
    finite must be the same."""
    absolute, relative = (TOLERANCE.check("a tolerance", value) for value in (absolute, relative))
    y, x = np.asarray(expected, float), np.asarray(computed, float)
    tolerance = absolute + relative * float(np.abs(y).max(initial=0.0))
    passed = x.shape == y.shape
    if passed:
        finite = np.isfinite(y)
        alike = np.isclose(x, y, rtol=relative, atol=absolute, equal_nan=True)
        passed = bool(np.all(np.where(finite, alike, (x == y) | (np.isnan(x) & np.isnan(y)))))
    return ComparedQuantity(case, quantity, expected, computed, tolerance, passed)


def same(case: str, quantity: str, expected: Any, computed: Any) -> ComparedQuantity:
    """Compare texts, truth values or lists of indices."""
    return ComparedQuantity(case, quantity, expected, computed, None, expected == computed)


def failed(case: str, reason: str) -> ComparedQuantity:
    """A case that could not be run."""
    return ComparedQuantity(case, "case", "a result", reason, None, False)


def is_information(key: str, value: Any) -> bool:
    """True if an expected entry is not meant to be compared."""
    named = key in {
        "reference_summary",
        "n_events_checked",
        "outcome_robust_to_rel_amplitude",
        "t_max_tilt",
        "min_Fz_over_mg",
    }
    text = isinstance(value, str) and "not check" in value.lower()
    return named or key.startswith("note") or key.endswith("_note") or value is None or text
