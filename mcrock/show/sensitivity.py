"""Sensitivity of overturning to the inputs, by the intensity: tables and figure."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from mcrock.show import style
from mcrock.show.numbers import label, labels, percent, with_ends
from mcrock.show.tables import Column, Columns, table_along

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARKS = "osD^vPX*<>"
OPEN = 0.9  # width of an interval beyond which nothing is known [1]
SIGNIFICANT = 0.05  # fraction of the permutations from which a distance is called one of chance [1]


def format_indices(found: xr.Dataset) -> list[str]:
    """Tables of the total and first-order indices of `mcrock.statistics.sobol_indices`."""
    lines: list[str] = []
    for name, words in (
        ("total", "Total indices: share of the variance of overturning that an input takes part in"),
        ("first_order", "First-order indices: share that an input explains alone"),
    ):
        table = _by_input(found, partial(with_ends, name=name, form=".2f"))
        lines += [f"{words} ({percent(found)} interval)", table, ""]
    together = found["first_order"].sum("input", skipna=False)
    places = [f" at {place}" for place in labels(found["intensity"])] if "intensity" in found.dims else [""]
    sums = zip(together.values.ravel().tolist(), places, strict=True)
    words = ", ".join(f"{p:.2f}{place}" for p, place in sums if not math.isnan(p))
    return [
        *lines,
        f"first-order indices add up to {words}: of yes or no even a sum is mostly interaction; rank by the "
        "total",
        f"{int(found['runs'])} runs: 8 independent designs of {int(found['points'])} points, whose scatter "
        "gives the intervals",
    ]


def format_distances(found: xr.Dataset) -> list[str]:
    """Table of `mcrock.statistics.outcome_distances`, with a mark where chance does as much."""
    notes = {
        "dependent": "vary together, so that the table cannot tell which one acts: {} (rank correlation)",
        "constant": "the same in all runs, and so not in the table: {}",
    }
    return [
        "Inputs of runs that overturned against those of the others: distance of their distributions",
        _by_input(found, _distance),
        "0 without effect, 1 where the input alone decides; + runs overturned at larger numbers, - at "
        "smaller ones",
        f"in brackets: in more than {SIGNIFICANT:.0%} of {int(found.attrs['permutations'])} permutations of "
        "the outcomes within records chance makes a distance as large, of all inputs and intensities "
        "together",
        *(words.format(found.attrs[name]) for name, words in notes.items() if found.attrs[name]),
    ]


def _by_input(found: xr.Dataset, cell: Callable[[xr.Dataset], str]) -> Columns:
    """Table with a row for each input and a column for each intensity, if there are any."""
    columns: list[Column] = [("", cell)]
    if "intensity" in found.dims:
        columns = [(label(at), partial(_at, cell, j)) for j, at in enumerate(found["intensity"])]
    return table_along(found, "input", [("input", lambda one: str(one["input"].item())), *columns])


def _at(cell: Callable[[xr.Dataset], str], j: int, one: xr.Dataset) -> str:
    return cell(one.isel(intensity=j))


def _distance(one: xr.Dataset) -> str:
    distance, direction = float(one["distance"]), float(one["direction"])
    if math.isnan(distance):
        return "-"
    text = f"{'+' if direction > 0 else '-' if direction < 0 else ''}{distance:.2f}"
    return f"({text})" if float(one["family_significance"]) > SIGNIFICANT else text


@style.styled
def plot_sensitivity(found: xr.Dataset, ax: Axes | None = None) -> Axes:
    """Draw Sobol indices, or distances of the inputs given the outcome.

    Parameters
    ----------
    found : Dataset
        From `mcrock.statistics.sobol_indices` or `mcrock.statistics.outcome_distances`.
    ax : Axes, optional
        Where to draw; by default on a new figure one column wide.

    Returns
    -------
    Axes
        A line for each of up to ten inputs, those with the largest values; of a cloud study a mark. Total
        indices have intervals, first-order ones are dashed, and neither is drawn where the interval is nearly
        the whole range; distances that chance may reach are open marks.
    """
    indices = "total" in found
    values = found["total" if indices else "distance"]
    values = values if indices else values.where(found["family_significance"] <= SIGNIFICANT)
    inputs = values.sizes["input"]
    largest = np.nan_to_num(values.values.reshape(inputs, -1)).max(axis=1)
    order = np.argsort(-largest, kind="stable")[: len(style.COLOURS)]
    found = found.isel(input=order)
    ax = style.new_axes(height=66.0 + 4.0 * -(-len(order) // 2)) if ax is None else ax
    has_levels = "intensity" in found.dims
    if has_levels:
        found = found.sortby("intensity")
        x = found["intensity"].values * style.level_axis(ax, found["intensity"])
    for i, name in enumerate(found["input"].values.tolist()):
        at = x if has_levels else np.array([float(i)])
        look: dict[str, Any] = {"color": style.COLOURS[i], "label": name.replace("_", " ").replace(".", " ")}
        if indices:  # side by side, so that intervals do not hide each other
            aside = (i - (len(order) - 1) / 2) * (0.006 * at.max() if len(at) > 1 else 0.0)
            _draw_indices(ax, at, aside, found.isel(input=i), MARKS[i], look)
        else:
            _draw_distances(ax, at, found.isel(input=i), MARKS[i], look)
    if not has_levels:
        ax.set_xticks([])
    style.probability_axis(ax, "Sobol index [1]" if indices else "Distance of the inputs [1]")
    style.legend_above(ax, left=-0.14)
    left_out = f" {inputs - len(order)} more inputs are not drawn." if inputs > len(order) else ""
    note = (
        "Inputs of overturned runs against those of the others; open: reached by chance in more than "
        f"{SIGNIFICANT:.0%} of {found.attrs.get('permutations')} random permutations."
    )
    if indices:
        level = f"{found.attrs['level']:.0%}"
        note = f"Solid: total indices with {level} intervals; dashed: first-order indices. "
        note += f"{int(found['runs'])} runs."
    style.add_note(ax, note + left_out)
    return ax


def _draw_indices(
    ax: Axes, x: np.ndarray, aside: float, one: xr.Dataset, mark: str, look: dict[str, Any]
) -> None:
    ends = one["total_interval"].values.reshape(2, -1)
    known = ends[1] - ends[0] < OPEN
    total, first = (np.where(known, one[name].values, np.nan) for name in ("total", "first_order"))
    thin: dict[str, Any] = {"linewidth": 1.0, "elinewidth": 0.7, "capsize": 1.4, "capthick": 0.7}
    style.error_bars(ax, x + aside, total, ends, fmt=f"{mark}-", markersize=3.0, **look, **thin)
    line = "--" if len(x) > 1 else "_"
    ax.plot(x, first, line, color=look["color"], linewidth=0.8, markersize=6.0)


def _draw_distances(ax: Axes, x: np.ndarray, one: xr.Dataset, mark: str, look: dict[str, Any]) -> None:
    distance = np.atleast_1d(one["distance"].values)
    by_chance = np.atleast_1d(one["family_significance"].values) > SIGNIFICANT
    ax.plot(x, np.where(by_chance, np.nan, distance), f"{mark}-", linewidth=1.0, markersize=3.4, **look)
    faint: dict[str, Any] = {"markersize": 3.4, "markerfacecolor": "white", "alpha": 0.5}
    ax.plot(x[by_chance], distance[by_chance], mark, color=look["color"], **faint)
