"""Checks of `mcrock verify` as lines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mcrock.show.tables import shorten
from mcrock.verify.checks import ComparedQuantity

LONGEST_VALUE = 27  # characters


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
