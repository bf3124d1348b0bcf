"""Physical parameters of the systems, checked and named in messages."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf, isfinite
from typing import Any


def quantity(name: str, value: Any, unit: str, *, above: float = -inf, most: float = inf) -> float:
    """A finite number above a limit and not over another.

    Raises
    ------
    ValueError
        If it is not.

    Examples
    --------
    >>> quantity("mass", -1, "kg", above=0)
    Traceback (most recent call last):
    ValueError: mass must be > 0 [kg], got -1
    """
    limits = [f"> {above:g}"] * (above > -inf) + [f"<= {most:g}"] * (most < inf)
    expected = " and ".join(limits) or "a finite number"
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be {expected} [{unit}], got {value!r}") from None
    if not (isfinite(number) and above < number <= most):
        raise ValueError(f"{name} must be {expected} [{unit}], got {value!r}")
    return number


def quantities(
    name: str, values: Any, unit: str, *, above: float = -inf, most: float = inf, number: int | None = None
) -> list[float]:
    """One number or several of them, at least one.

    Raises
    ------
    ValueError
        If one is outside the limits, or there are not ``number`` of them.
    """
    listed = list(values) if isinstance(values, Iterable) and not isinstance(values, str) else [values]
    if not listed or (number is not None and len(listed) != number):
        expected = "at least one number" if number is None else f"{number} numbers"
        raise ValueError(f"{name} must be {expected} [{unit}], got {values!r}")
    return [quantity(name, value, unit, above=above, most=most) for value in listed]


def count(name: str, value: Any, least: int, most: int) -> int:
    """A whole number between two limits; a ValueError if it is not."""
    try:
        whole = int(value)
    except (TypeError, ValueError, OverflowError):
        whole = least - 1
    if isinstance(value, bool) or whole != value or not least <= whole <= most:
        raise ValueError(f"{name} must be a whole number from {least} to {most}, got {value!r}")
    return whole
