"""Parameters of the systems that are one number or several."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mcrock.base.checks import Rule


def numbers(name: str, values: Any, rule: Rule, count: int | None = None) -> list[Any]:
    """One number or several of them, at least one, each of which keeps a rule.

    Raises
    ------
    ValueError
        If one of them does not, or there are not ``count`` of them.

    >>> from mcrock.base.checks import Integer, Number
    >>> numbers("modes", 2, Integer(0)), numbers("velocity", (1, 2), Number("m/s"), 2)
    ([2], [1.0, 2.0])
    """
    listed = list(values) if isinstance(values, Iterable) and not isinstance(values, str) else [values]
    if not listed or (count is not None and len(listed) != count):
        expected = "at least one number" if count is None else f"{count} numbers"
        raise ValueError(f"{name} must be {expected}, each {rule.words}, got {values!r}")
    return [rule.check(name, value) for value in listed]
