"""Standards next to the result, as a table: what is asked of the body, what it has, and the verdict."""

from __future__ import annotations

import math

import xarray as xr

from mcrock.base.estimates import format_estimate
from mcrock.show.numbers import estimate, label_intensities, percent
from mcrock.show.tables import table_along


def format_standards(found: xr.Dataset) -> list[str]:
    """Table of a result of `mcrock.statistics.standards`, and the lines on what it could not say."""
    columns = [
        ("check", lambda one: str(one["check"].item())),
        (f"demand ({percent(found)})", lambda one: _cell(one, "demand")),
        (f"capacity ({percent(found)})", lambda one: _cell(one, "capacity")),
        ("verdict", lambda one: str(one["verdict"].item())),
        ("source", lambda one: str(one["source"].item())),
    ]
    title = "Standards: passed or failed where the intervals of demand and capacity are apart"
    return [title, table_along(found, "check", columns, left=True), *found.attrs["notes"].splitlines()]


def _cell(one: xr.Dataset, name: str) -> str:
    """A number with its interval, if it has one, in the unit of its row; "-" where nothing is known."""
    value, low, high = estimate(one, name)
    units = str(one["units"].item())
    if math.isnan(value) and (low, high) == (0.0, math.inf):
        return "-"

    def word(x: float) -> str:
        if math.isnan(x):
            return "-"
        return f"{format_estimate(x, low, high)} 1/a" if units == "1/a" else label_intensities([x], units)[0]

    if low == high:
        return word(value)
    interval = f"above {word(low)}" if math.isinf(high) else f"{word(low)} to {word(high)}"
    if low == 0 and units != "1/a":
        interval = "interval open" if math.isinf(high) else f"below {word(high)}"
    return f"{word(value)} ({interval})"
