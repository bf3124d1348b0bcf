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

MOST = 10  # inputs drawn [1]
LEVELS = 4  # intensities drawn [1]
APART = 0.7  # of a row over which the marks of intensities are spread [1]
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
        A row for each of up to ten inputs, those with the largest values, with a mark for each of up to four
        intensities at which something is known. Total indices have intervals, first-order ones are strokes,
        and neither is drawn where the interval is nearly the whole range; distances that chance may reach are
        open marks.
    """
    from matplotlib import colormaps

    indices = "total" in found
    values = found["total" if indices else "distance"]
    values = values if indices else values.where(found["family_significance"] <= SIGNIFICANT)
    inputs = values.sizes["input"]
    largest = np.nan_to_num(values.values.reshape(inputs, -1)).max(axis=1)
    order = np.argsort(-largest, kind="stable")[:MOST]
    levels = [found.isel(input=order)]
    if "intensity" in found.dims:
        known = np.flatnonzero(values.notnull().any("input"))
        known = known if known.size else np.arange(found.sizes["intensity"])
        drawn = known[np.unique(np.linspace(0, len(known) - 1, min(len(known), LEVELS)).round().astype(int))]
        levels = [levels[0].isel(intensity=i) for i in drawn]
    ax = style.new_axes(height=34.0 + (4.0 + len(levels)) * len(order)) if ax is None else ax
    rows = np.arange(len(order), dtype=float)
    for i, one in enumerate(levels):
        shade = colormaps["viridis"](0.85 * i / max(len(levels) - 1, 1))
        name = label(one["intensity"]) if "intensity" in one.coords else ""
        look = {"color": shade, "label": name, "marker": style.MARKERS[i]}
        aside = APART * ((i + 0.5) / len(levels) - 0.5)
        (_draw_indices if indices else _draw_distances)(ax, rows + aside, one, look)
    ax.set_yticks(rows, [style.input_name(name) for name in levels[0]["input"].values.tolist()])
    ax.tick_params(axis="y", length=0)
    ax.set(ylim=(len(order) - 0.5, -0.5), xlim=(-0.02, 1.02))
    ax.hlines(rows[1:] - 0.5, 0.0, 1.0, color="0.85", linewidth=0.5, zorder=0)
    style.number_axis(ax)
    ax.set_xlabel("Sobol index [1]" if indices else "Distance of the inputs [1]")
    if len(levels) > 1:
        style.legend_of_levels(ax, style.axis_scale(found["intensity"])[1].rpartition(" [")[0], len(levels))
    left_out = f" {inputs - len(order)} more inputs are not drawn." if inputs > len(order) else ""
    note = (
        "Inputs of overturned runs against those of the others; open: reached by chance in more than "
        f"{SIGNIFICANT:.0%} of {found.attrs.get('permutations')} random permutations."
    )
    if indices:
        level = f"{found.attrs['level']:.0%}"
        note = f"Marks: total indices with {level} intervals; strokes: first-order indices. "
        note += f"{int(found['runs'])} runs."
    style.add_note(ax, note + left_out)
    return ax


def _draw_indices(ax: Axes, rows: np.ndarray, one: xr.Dataset, look: dict[str, Any]) -> None:
    low, high = one["total_interval"].values.reshape(2, -1)
    known = high - low < OPEN
    total = one["total"].values
    ends = np.abs(np.stack([total - low, high - total]))[:, known]
    thin = style.BARS | {"linestyle": "none", "markersize": 3.6, "zorder": 3}
    ax.errorbar(total[known], rows[known], xerr=ends, **look, **thin)
    ax.plot(one["first_order"].values[known], rows[known], "|", color=look["color"], markersize=6.0)


def _draw_distances(ax: Axes, rows: np.ndarray, one: xr.Dataset, look: dict[str, Any]) -> None:
    by_chance = one["family_significance"].values > SIGNIFICANT
    look = look | {"linestyle": "none", "markersize": 4.0}
    ax.plot(np.where(by_chance, np.nan, one["distance"].values), rows, **look)
    faint = {"markerfacecolor": "white", "alpha": 0.6, "label": "_"}
    ax.plot(np.where(by_chance, one["distance"].values, np.nan), rows, **look | faint)
