"""Nested studies: the probability of every outer draw, and where the variance comes from."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from mcrock.dataset.opened import takes_path
from mcrock.show.style import (
    BARS,
    BLUE,
    DEEP_RED,
    GREEN,
    ORANGE,
    PALE_BLUE,
    YELLOW,
    add_note,
    axis_scale,
    new_axes,
    number_axis,
    probability_axis,
    short_numbers,
    styled,
)
from mcrock.statistics import epistemic_probability, variance_shares

COMPONENTS = {  # by component: its name in the figure and its colour, neighbours apart in grey
    "epistemic": ("epistemic alone", GREEN),
    "epistemic_record": ("epistemic x record", YELLOW),
    "epistemic_within": ("epistemic x azimuth etc.", ORANGE),
    "within_record": ("azimuth etc. in records", PALE_BLUE),
    "record": ("record", "0.92"),
}


@takes_path
@styled
def plot_probability_box(ds: xr.Dataset, ax: Axes | None = None, *, level: float = 0.95) -> Axes:
    """Draw the probability of each outer draw, their box, and the interval for new earthquakes.

    Parameters
    ----------
    ds : Dataset
        Nested study, as for `mcrock.statistics.epistemic_probability`.
    ax : Axes, optional
        Where to draw; by default on a new figure one column wide.
    level : float
        Coverage of the intervals [1].

    Returns
    -------
    Axes
        Acceleration in g, other intensities in their own unit.

    Raises
    ------
    ValueError
        As `mcrock.statistics.epistemic_probability`.
    """
    found = epistemic_probability(ds, level=level).sortby("intensity")
    ax = new_axes() if ax is None else ax
    factor, label = axis_scale(found["intensity"])
    x = found["intensity"].values * factor
    ax.fill_between(x, *found["box"].values, color=BLUE, alpha=0.3, linewidth=0, label="box, 5 to 95 %")
    ax.plot(x, found["draw_probability"].values.T, color="0.4", linewidth=0.25, alpha=0.6)
    mean = found["probability"].values
    errors = np.clip(np.abs(found["interval"].values - mean), 0, None)
    ax.errorbar(
        x,
        mean,
        errors,
        fmt="o-",
        color=DEEP_RED,
        linewidth=1.0,
        markersize=3.2,
        clip_on=False,
        zorder=3,
        label=f"mean, {level:.0%} interval",
        **BARS,
    )
    ax.set_xlim(0, 1.05 * x.max())
    ax.set_xlabel(label)
    number_axis(ax)
    probability_axis(ax, "Probability of overturning [1]")
    ax.legend(loc="lower left", bbox_to_anchor=(-0.1, 1.0), ncols=2, handlelength=1.2, columnspacing=1.0)
    add_note(
        ax,
        f"Thin lines: {int(found['draws'])} outer draws, less the noise of their runs; box: their spread, "
        f"epistemic uncertainty. Bars: sampling error of {int(found['records'])} recordings. "
        f"{int(found['runs'])} runs.",
    )
    return ax


@takes_path
@styled
def plot_variance_shares(ds: xr.Dataset, ax: Axes | None = None, *, level: float = 0.95) -> Axes:
    """Draw the shares of the variance of overturning by source, and the total share of the epistemic inputs.

    Parameters
    ----------
    ds : Dataset
        Nested study, as for `mcrock.statistics.variance_shares`.
    ax : Axes, optional
        Where to draw; by default on a new figure one column wide.
    level : float
        Coverage of the interval of the total share [1].

    Returns
    -------
    Axes
        A bar for each intensity; none where all runs ended alike.

    Raises
    ------
    ValueError
        As `mcrock.statistics.variance_shares`.
    """
    found = variance_shares(ds, level=level).sortby("intensity")
    ax = new_axes(height=78.0) if ax is None else ax
    factor, label = axis_scale(found["intensity"])
    place, base = np.arange(found.sizes["intensity"]), np.zeros(found.sizes["intensity"])
    for name, (words, colour) in COMPONENTS.items():
        height = np.nan_to_num(found["share"].sel(component=name).values)
        if height.any():
            ax.bar(place, height, 0.62, base, color=colour, linewidth=0, label=words)
        base += height
    total = found["total"].values
    ends = np.abs(found["total_interval"].values - total)
    there = np.isfinite(total)
    ax.errorbar(
        place[there],
        total[there],
        ends[:, there],
        fmt="D",
        color="0.15",
        markersize=3.0,
        label=f"epistemic, total, {level:.0%} interval",
        **BARS,
    )
    ax.set_xticks(place, short_numbers(found["intensity"].values * factor))
    ax.set_xlabel(label)
    probability_axis(ax, "Share of the variance [1]")
    ax.legend(loc="lower left", bbox_to_anchor=(-0.14, 1.0), ncols=2, handlelength=1.0, columnspacing=1.0)
    add_note(
        ax,
        f"{int(found['draws'])} outer draws x {int(found['records'])} recordings, {int(found['runs'])} runs. "
        "Alone: effect of the epistemic inputs on the probability over all earthquakes; total: with their "
        "effect in single earthquakes.",
    )
    return ax
