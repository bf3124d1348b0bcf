"""Difference of two designs under the same earthquakes."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from mcrock.base.estimates import format_ratio
from mcrock.show.style import (
    BARS,
    BLUE,
    GREY,
    add_note,
    axis_scale,
    count_words,
    new_axes,
    number_axis,
    styled,
)
from mcrock.statistics import compare_designs


@styled
def plot_comparison(
    first: xr.Dataset, second: xr.Dataset, ax: Axes | None = None, *, level: float = 0.95
) -> Axes:
    """Draw by how much the second design overturns more often, with intervals with and without pairs.

    Parameters
    ----------
    first, second, level
        As for `mcrock.statistics.compare_designs`.
    ax : Axes, optional
        Where to draw; by default on a new figure one column wide.

    Returns
    -------
    Axes
        Acceleration in g, other intensities in their own unit.

    Raises
    ------
    ValueError
        As `mcrock.statistics.compare_designs`.
    """
    found = compare_designs(first, second, level=level).sortby("intensity")
    ax = new_axes() if ax is None else ax
    factor, label = axis_scale(found["intensity"])
    x, y = found["intensity"].values * factor, found["difference"].values
    ax.axhline(0.0, color="0.6", linewidth=0.6)
    for name, look in (
        ("unpaired_interval", {"color": GREY, "elinewidth": 3.0, "alpha": 0.5, "label": "without pairs"}),
        (
            "difference_interval",
            {
                "color": BLUE,
                "label": f"{level:.0%} interval",
                **BARS,
            },
        ),
    ):
        ends = np.abs(np.nan_to_num(found[name].values - y))
        ax.errorbar(x, y, ends, fmt="none", **look)
    ax.plot(x, y, "o", color=BLUE, markersize=3.2, zorder=3)
    ax.set_xlim(0, 1.05 * x.max())
    ax.set_xlabel(label)
    ax.set_ylabel("Difference of the probability [1]")
    number_axis(ax)
    number_axis(ax, "y")
    ax.legend(loc="lower left", bbox_to_anchor=(-0.1, 1.0), ncols=2, handlelength=1.2, columnspacing=1.0)
    words = count_words(found, int(found["pairs"].sum())).replace(" run", " pair of runs", 1)
    words = words.replace("pair of runss", "pairs of runs")
    ratio, ends = float(found["median_ratio"]), found["median_ratio_interval"].values.tolist()
    note = f"Second less first study, {words}."
    if np.isfinite([ratio, ends[0]]).all():
        note += f" Ratio of the medians {format_ratio(ratio, *ends)}."
    add_note(ax, note)
    return ax
