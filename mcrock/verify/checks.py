"""Comparing what comes out of a case with what was expected, and the lines of `mcrock verify` that say it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mcrock.base.checks import Number
from mcrock.show.tables import shorten

TOLERANCE = Number("1", least=0.0)
INDICES = ("outcome", "pivots", "map", "in_contact_after", "slipping_after")  # and words
LONGEST_VALUE = 27  # characters


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


def value_checks(case: dict[str, Any], computed: dict[str, Any]) -> Iterator[ComparedQuantity]:
    """Every expected value: words, truth values and indices as they are, numbers within a tolerance."""
    tolerance = case.get("tol", {})
    bounds = tolerance.get("abs") or 0.0, tolerance.get("rel") or 0.0
    for key, expected in case["expected"].items():
        if is_information(key, expected):
            continue
        if isinstance(expected, str | bool) or key in INDICES:
            wanted = sorted(expected) if isinstance(expected, list) else expected
            yield same(case["id"], key, wanted, computed[key])
        else:
            yield compare(case["id"], key, expected, computed[key], *bounds)


def checks_where_given(
    case: str, label: str, expected: dict[str, Any], values: dict[str, tuple[Any, str]]
) -> Iterator[ComparedQuantity]:
    """Values with the names of their tolerances, those that are expected with a tolerance."""
    for key, (value, tolerance) in values.items():
        if not is_information(key, expected.get(key)) and expected.get(tolerance) is not None:
            name = f"{label}{key.removesuffix('_after')}"
            yield compare(case, name, expected[key], value, expected[tolerance])


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


def print_checks(checks: Iterable[ComparedQuantity], failures: bool) -> bool:
    """Print checks as they come, in columns, and a summary; True if all passed."""
    heads = f"{'case':<28}{'quantity':<36}{'expected':>28}{'computed':>28}{'tolerance':>11}  verdict"
    total = failed = 0
    for check in checks:
        if not total:  # not before the first check: a file of cases may be broken
            print(heads)
        total += 1
        failed += not check.passed
        if check.passed and failures:
            continue
        if check.quantity == "case":  # one that could not be run
            print(f"{check.case:<28}FAILED, cannot be run: {check.computed}")
            continue
        tolerance = "" if check.tolerance is None else f"{check.tolerance:.2g}"
        verdict = "ok" if check.passed else "FAILED"
        expected, computed = _format_value(check.expected), _format_value(check.computed)
        print(f"{check.case:<28}{check.quantity:<36}{expected:>28}{computed:>28}{tolerance:>11}  {verdict}")
    print(f"{total} checks, {total - failed} passed, {failed} failed")
    return total > 0 and not failed


def _format_value(value: Any) -> str:
    """A number, text or the elements of an array, in at most 27 characters."""
    if value is None:
        return "none"
    if isinstance(value, bool | str):
        return str(value)
    if isinstance(value, int):
        return shorten(str(value), LONGEST_VALUE)
    if isinstance(value, float):
        return f"{value:.12g}"
    items = getattr(value, "tolist", lambda: value)()
    text = ",".join(_format_value(item) if not isinstance(item, float) else f"{item:.3g}" for item in items)
    return shorten(text, LONGEST_VALUE)
