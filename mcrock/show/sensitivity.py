"""Sensitivity of overturning to the inputs, by the intensity."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from mcrock.show.style import COLOURS, add_note, axis_scale, new_axes, number_axis, probability_axis, styled

MARKS = "osD^vPX*<>"
OPEN = 0.9  # width of an interval beyond which nothing is known [1]
SIGNIFICANT = 0.05  # fraction of the permutations below which a distance is none of chance [1]


@styled
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
    order = np.argsort(-largest, kind="stable")[: len(COLOURS)]
    found = found.isel(input=order)
    ax = new_axes(height=66.0 + 4.0 * -(-len(order) // 2)) if ax is None else ax
    has_levels = "intensity" in found.dims
    if has_levels:
        found = found.sortby("intensity")
        factor, label = axis_scale(found["intensity"])
        x = found["intensity"].values * factor
        ax.set_xlim(0, 1.05 * x.max())
        ax.set_xlabel(label)
        number_axis(ax)
    for i, name in enumerate(found["input"].values.tolist()):
        one = found.isel(input=i)
        if not has_levels:
            x = np.array([float(i)])
        draw = _draw_indices if indices else _draw_distances
        draw(ax, x, one, COLOURS[i], MARKS[i], _words(name), i, len(order))
    if not has_levels:
        ax.set_xticks([])
    probability_axis(ax, "Sobol index [1]" if indices else "Distance of the inputs [1]")
    ax.legend(loc="lower left", bbox_to_anchor=(-0.14, 1.0), ncols=2, handlelength=1.6, columnspacing=1.0)
    left_out = f" {inputs - len(order)} more inputs are not drawn." if inputs > len(order) else ""
    if indices:
        note = (
            f"Solid: total indices with {found.attrs['level']:.0%} intervals; dashed: first-order indices. "
            f"{int(found['runs'])} runs.{left_out}"
        )
    else:
        note = (
            "Inputs of overturned runs against those of the others; open: reached by chance in more than "
            f"{SIGNIFICANT:.0%} of {found.attrs['permutations']} random permutations.{left_out}"
        )
    add_note(ax, note)
    return ax


def _words(name: str) -> str:
    return name.replace("_", " ").replace(".", " ")


def _draw_indices(
    ax: Axes, x: np.ndarray, one: xr.Dataset, colour: str, mark: str, name: str, i: int, n: int
) -> None:
    ends = one["total_interval"].values.reshape(2, -1)
    known = ends[1] - ends[0] < OPEN
    total = np.where(known, one["total"].values, np.nan)
    first = np.where(known, one["first_order"].values, np.nan)
    # side by side, so that intervals do not hide each other
    aside = x + (i - (n - 1) / 2) * (0.006 * x.max() if len(x) > 1 else 0.0)
    ax.errorbar(
        aside,
        total,
        np.abs(np.nan_to_num(ends - total)),
        fmt=f"{mark}-",
        color=colour,
        linewidth=1.0,
        markersize=3.0,
        elinewidth=0.7,
        capsize=1.4,
        capthick=0.7,
        label=name,
    )
    look = "--" if len(x) > 1 else "_"
    ax.plot(x, first, look, color=colour, linewidth=0.8, markersize=6.0)


def _draw_distances(
    ax: Axes, x: np.ndarray, one: xr.Dataset, colour: str, mark: str, name: str, i: int, n: int
) -> None:
    distance = np.atleast_1d(one["distance"].values)
    by_chance = np.atleast_1d(one["family_significance"].values) > SIGNIFICANT
    look: dict[str, Any] = {"color": colour, "markersize": 3.4}
    ax.plot(x, np.where(by_chance, np.nan, distance), f"{mark}-", linewidth=1.0, label=name, **look)
    ax.plot(x[by_chance], distance[by_chance], mark, markerfacecolor="white", alpha=0.5, **look)
