"""Numbers as text."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray


def format_range(array: NDArray[Any], form: str = ".4g") -> str:
    """Smallest and largest value: ``0.4`` or ``0.39 to 0.41``."""
    low, high = format(array.min(), form), format(array.max(), form)
    return low if low == high else f"{low} to {high}"
