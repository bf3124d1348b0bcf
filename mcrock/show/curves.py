"""Fragility curves of the same runs by several ways of fitting."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Unpack

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from mcrock.dataset.opened import takes_path
from mcrock.show.fragility import draw_curve, observed
from mcrock.show.style import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    add_note,
    axis_scale,
    count_words,
    new_axes,
    number_axis,
    probability_axis,
    styled,
    unit_of,
)
from mcrock.statistics import pooled
from mcrock.statistics.inference import Bootstrap, BootstrapKeywords, takes
from mcrock.statistics.limits import EVENT
from mcrock.statistics.runs import is_cloud
from mcrock.statistics.ways import WORDS, fragility_by_way

COLOURS = {"probit": BLUE, "logit": PURPLE, "plateau": GREY, "capacities": GREEN, "monotone": ORANGE}
MARKS = {"probit": "s", "logit": "^", "plateau": "v", "capacities": "D"}


@takes_path
@styled
@takes(Bootstrap)
def plot_ways(
    ds: xr.Dataset,
    ax: Axes | None = None,
    *,
    folder: str | Path = ".",
    found: xr.Dataset | None = None,
    **keywords: Unpack[BootstrapKeywords],
) -> Axes:
    """Draw the fragility curves of the same runs by several ways of fitting, with the observed fractions.

    Parameters
    ----------
    ds, folder, **keywords
        As for `mcrock.statistics.fragility_by_way`.
    ax : Axes, optional
        Where to draw; by default on a new figure one column wide.
    found : Dataset, optional
        From `mcrock.statistics.fragility_by_way`, of the same runs and keywords; by default computed.

    Returns
    -------
    Axes
        Acceleration in g, other intensities in their own unit.

    Raises
    ------
    ValueError
        As `mcrock.statistics.fragility_by_way`.
    """
    how = Bootstrap(**keywords)
    ds = pooled(ds)
    found = fragility_by_way(ds, folder=folder, **keywords) if found is None else found
    points = observed(ds, how)
    ax = new_axes(height=80.0) if ax is None else ax
    factor, label = axis_scale(found["intensity_grid"])
    x = found["intensity_grid"].values * factor
    low, high = found["band"].sel(way="monotone").values
    ax.fill_between(x, low, high, color=ORANGE, alpha=0.16, linewidth=0)
    for way in found["way"].values.tolist():
        one = found.sel(way=way)
        if way == "monotone":
            ax.plot(x, one["curve"], color=COLOURS[way], label=WORDS[way])
        elif np.isfinite(one["median_capacity"]):
            look: dict[str, Any] = {"marker": MARKS[way], "markersize": 3.0, "markevery": (0.03, 0.12)}
            draw_curve(ax, x, one, COLOURS[way], label=WORDS[way], **look)
    at, p = points["intensity"].values * factor, points["probability"].values
    ax.plot(at, p, "o", color="0.2", markersize=3.0, clip_on=False, zorder=3, label="fractions of the runs")
    ax.set_xlim(0, x[-1])
    ax.set_xlabel(label)
    number_axis(ax)
    event = "exceeding the limit" if EVENT in ds.attrs else "overturning"
    probability_axis(ax, f"Probability of {event} [1]")
    ax.legend(loc="lower left", bbox_to_anchor=(-0.1, 1.0), ncols=2, handlelength=1.4, columnspacing=1.0)
    note = f"{count_words(points, int(points['runs'].sum()))}. "
    note += f"Shaded: all rising curves through the {how.level:.0%} intervals of the fractions. "
    static = found["static_threshold"].values * factor
    if np.isfinite(static).all():
        unit = unit_of(label)
        ax.axvline(static[0], color=ORANGE, linestyle=":", linewidth=0.9)
        note += f"Dotted: {static[0]:.3g} {unit}, below which no realization can rock. "
    note += "Dashed: no run supports the curve."
    if is_cloud(ds):
        note += f" Points: {points.sizes['intensity']} bins of the intensity, at their medians."
    add_note(ax, note)
    return ax
