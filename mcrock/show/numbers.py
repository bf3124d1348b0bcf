"""Numbers as text: ranges, times, intensities, probabilities, counts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from mcrock.base.units import as_written
from mcrock.params import STANDARD_GRAVITY


def format_range(array: NDArray[Any], form: str = ".4g") -> str:
    """Smallest and largest value: ``0.4`` or ``0.39 to 0.41``."""
    low, high = format(array.min(), form), format(array.max(), form)
    return low if low == high else f"{low} to {high}"


def format_time(seconds: float) -> str:
    """A time span in the unit that suits it.

    >>> format_time(0.2), format_time(7.4), format_time(300), format_time(9000), format_time(3e6)
    ('less than 1 s', '7 s', '5.0 min', '2.5 h', '34.7 days')
    """
    if seconds < 1:
        return "less than 1 s"
    for limit, size, unit in ((120, 1, "s"), (7200, 60, "min"), (172800, 3600, "h")):
        if seconds < limit:
            return f"{seconds / size:.{0 if size == 1 else 1}f} {unit}"
    return f"{seconds / 86400:.1f} days"


def format_estimated_time(seconds: float) -> str:
    """An estimated time span.

    >>> format_estimated_time(0.2), format_estimated_time(300)
    ('less than 1 s', 'about 5.0 min')
    """
    return f"{'about ' if seconds >= 1 else ''}{format_time(seconds)}"


def label_intensities(values: Sequence[float], units: str) -> list[str]:
    """Intensities as readers know them: accelerations in g.

    >>> label_intensities([1.961330, 4.903325], "m s-2"), label_intensities([0.5], "m s-1")
    (['0.2 g', '0.5 g'], ['0.5 m/s'])
    """
    if units == "m s-2":
        return [f"{value / STANDARD_GRAVITY:.3g} g" for value in values]
    unit = "" if units == "1" else f" {as_written(units)}"
    return [f"{value:.3g}{unit}" for value in values]


def label_place(at: float, is_below: bool, units: str) -> str:
    """Where a rising curve has a probability: at or below an intensity, or beyond the runs.

    >>> label_place(1.961330, True, "m s-2"), label_place(math.inf, False, "m s-2")
    ('below 0.2 g', 'beyond the runs')
    """
    if math.isnan(at):
        return "-"
    return (
        "beyond the runs"
        if math.isinf(at)
        else f"{'below' if is_below else 'at'} {label_intensities([at], units)[0]}"
    )


def format_probability(share: float) -> str:
    """A probability; a small one with its two leading digits.

    >>> format_probability(0.25), format_probability(2.6e-18), format_probability(3.689e-7)
    ('0.2500', '0.0000', '3.7e-07')
    """
    return f"{share:.2g}" if 1e-12 < share < 0.0005 else f"{share:.4f}"


def format_count(number: int, noun: str) -> str:
    """A number of things.

    >>> format_count(1, "record"), format_count(22, "record")
    ('1 record', '22 records')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
