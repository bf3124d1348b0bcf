"""Sensitivity of overturning to the inputs, as text."""

from __future__ import annotations

import math

import xarray as xr

from mcrock.show.numbers import label_intensities
from mcrock.show.tables import Columns, format_table

FREAK = 0.05  # significance from which a distance is called one of chance [1]


def format_indices(found: xr.Dataset) -> list[str]:
    """Tables of the total and first-order indices of `mcrock.statistics.sobol_indices`."""
    level = f"{found.attrs['level'] * 100:.4g} % interval"
    lines: list[str] = []
    for name, words in (
        ("total", "Total indices: share of the variance of overturning that an input takes part in"),
        ("first_order", "First-order indices: share that an input explains alone"),
    ):
        low, high = found[f"{name}_interval"]
        cells = [
            [_interval(*three) for three in zip(*rows, strict=True)]
            for rows in zip(*(_table(array) for array in (found[name], low, high)), strict=True)
        ]
        lines += [f"{words} ({level})", _by_input(found, cells), ""]
    together = found["first_order"].sum("input", skipna=False)
    words = ", ".join(
        f"{p:.2f}{f' at {label}' if label else ''}"
        for label, p in zip(_labels(found), together.values.ravel().tolist(), strict=True)
        if not math.isnan(p)
    )
    runs, points = int(found["runs"]), int(found["points"])
    lines += [
        f"first-order indices add up to {words}: of yes or no even a sum is mostly interaction; rank by the "
        "total",
        f"{runs} runs: 8 independent designs of {points} points, whose scatter gives the intervals",
    ]
    return lines


def format_distances(found: xr.Dataset) -> list[str]:
    """Table of `mcrock.statistics.outcome_distances`, with a mark where chance does as much."""
    columns = [_table(found[name]) for name in ("distance", "direction", "family_significance")]
    cells = [[_distance(*three) for three in zip(*rows, strict=True)] for rows in zip(*columns, strict=True)]
    n = int(found.attrs["permutations"])
    notes = []
    if found.attrs["dependent"]:
        notes.append(
            f"vary together, so that the table cannot tell which one acts: {found.attrs['dependent']} (rank "
            "correlation)"
        )
    if found.attrs["constant"]:
        notes.append(f"the same in all runs, and so not in the table: {found.attrs['constant']}")
    return [
        "Inputs of runs that overturned against those of the others: distance of their distributions",
        _by_input(found, cells),
        "0 without effect, 1 where the input alone decides; + runs overturned at larger numbers, - at "
        "smaller ones",
        f"in brackets: in more than {FREAK:.0%} of {n} permutations of the outcomes within records chance "
        "makes a distance as large, of all inputs and intensities together",
        *notes,
    ]


def _labels(found: xr.Dataset) -> list[str]:
    if "intensity" not in found.dims:
        return [""]
    axis = found["intensity"]
    return label_intensities(axis.values.tolist(), axis.attrs.get("units", "1"))


def _table(array: xr.DataArray) -> list[list[float]]:
    """Rows of an array on (input, intensity), or on (input)."""
    rows: list[list[float]] = array.values.reshape(array.sizes["input"], -1).tolist()
    return rows


def _by_input(found: xr.Dataset, cells: list[list[str]]) -> Columns:
    names = found["input"].values.tolist()
    rows = [[name, *row] for name, row in zip(names, cells, strict=True)]
    return format_table(["input", *_labels(found)], rows)


def _interval(value: float, low: float, high: float) -> str:
    if math.isnan(value):
        return "-"
    return f"{value:.2f} ({low:.2f} to {high:.2f})" if math.isfinite(low) else f"{value:.2f}"


def _distance(distance: float, direction: float, significance: float) -> str:
    if math.isnan(distance):
        return "-"
    text = f"{'+' if direction > 0 else '-' if direction < 0 else ''}{distance:.2f}"
    return f"({text})" if significance > FREAK else text
