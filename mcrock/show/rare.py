"""Small probabilities of overturning, of each recording and of all."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from mcrock.show.style import (
    BARS,
    BLUE,
    GREY,
    add_note,
    axis_scale,
    new_axes,
    number_axis,
    styled,
)


@styled
def plot_rare(found: xr.Dataset, ax: Axes | None = None) -> Axes:
    """Draw small probabilities with what runs and what recordings leave open.

    Parameters
    ----------
    found : Dataset
        From `mcrock.rare.rare_probability`.
    ax : Axes, optional
        Where to draw; by default on a new figure one column wide.

    Returns
    -------
    Axes
        Logarithmic; a recording in which no run overturned has no mark.
    """
    ax = new_axes(height=78.0) if ax is None else ax
    level, least = found.attrs["level"], found.attrs["least"]
    if "intensity" in found.dims:
        found = found.sortby("intensity")
        factor, label = axis_scale(found["intensity"])
        x = found["intensity"].values * factor
        ax.set_xlim(0.85 * x.min(), 1.15 * x.max())
        ax.set_xlabel(label)
        number_axis(ax)
    else:
        x = np.zeros(1)
        ax.set_xticks([])
    p = np.atleast_1d(found["probability"].values)
    records = found["record_probability"].values.reshape(found.sizes["record"], -1)
    if len(records) > 1:
        new = np.maximum(found["new_interval"].values.reshape(2, -1), least / len(records))
        ax.vlines(
            x, *new, color=GREY, alpha=0.4, linewidth=4.0, label=f"{level:.0%} interval, new earthquakes"
        )
        at = np.broadcast_to(x, records.shape)[records > 0]
        share = records[records > 0]
        ax.plot(at, share, "_", color="0.45", markersize=7.0, markeredgewidth=0.6, label="single recordings")
    known = p > 0
    ends = np.nan_to_num(np.abs(found["interval"].values.reshape(2, -1) - p))
    words = "these recordings" if len(records) > 1 else "new motions"
    ax.errorbar(
        x[known],
        p[known],
        ends[:, known],
        fmt="o-",
        color=BLUE,
        linewidth=1.0,
        markersize=3.2,
        label=f"{level:.0%} interval, {words}",
        **BARS,
    )
    ax.set_yscale("log")
    ax.set_ylim(max(least / len(records), 0.1 * p[known].min() if known.any() else least), 1.3)
    ax.set_ylabel("Probability of overturning [1]")
    ax.legend(loc="lower left", bbox_to_anchor=(-0.14, 1.0), ncols=1, handlelength=1.4)
    runs = int(np.sum(found["runs"].values))
    note = f"Subset simulation, {runs} runs, {found.attrs['repetitions']} repetitions. "
    if len(records) > 1:
        note += (
            f"The interval for new earthquakes is limited by {int(found['records'])} independent recordings, "
            "not by the runs."
        )
    add_note(ax, note)
    return ax
