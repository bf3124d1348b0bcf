"""Rules of thumb and checks of codes next to each other: how well they tell the runs."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from mcrock.dataset.opened import takes_path
from mcrock.show.style import (
    BLUE,
    NOTE_SIZE,
    ORANGE,
    add_note,
    axis_scale,
    new_axes,
    number_axis,
    styled,
    unit_of,
)
from mcrock.statistics import baselines
from mcrock.statistics.inference import Bootstrap, BootstrapKeywords, takes
from mcrock.statistics.simple_rules import FITTED, rule_words

LINE = 8.5  # height of a rule in the figure [mm]
REST = 26.0  # height of everything else [mm]
WIDTH = 160.0  # [mm]


@takes_path
@styled
@takes(Bootstrap)
def plot_baselines(
    ds: xr.Dataset,
    ax: Axes | None = None,
    *,
    folder: str | Path = ".",
    **keywords: Unpack[BootstrapKeywords],
) -> Axes:
    """Draw the log loss of rules of thumb and of checks of codes, with their capacities.

    Parameters
    ----------
    ds, folder, **keywords
        As for `mcrock.statistics.baselines`.
    ax : Axes, optional
        Where to draw; by default on a new figure 160 mm wide.

    Returns
    -------
    Axes
        A rule in each row.

    Raises
    ------
    ValueError
        As `mcrock.statistics.baselines`.
    """
    found = baselines(ds, folder=folder, **keywords)
    found = found.isel(rule=slice(None, None, -1))
    names = found["rule"].values.tolist()
    ax = new_axes(WIDTH, REST + LINE * len(names)) if ax is None else ax
    row = np.arange(len(names))
    colours = [BLUE if name in FITTED else ORANGE for name in names]
    fitted = np.isin(names, list(FITTED))
    low, high = found["log_loss_interval"].values
    ax.hlines(row, low, high, color=colours, alpha=0.45, linewidth=3.0)
    for group, colour, mark in ((fitted, BLUE, "o"), (~fitted, ORANGE, "s")):
        ax.scatter(found["log_loss"].values[group], row[group], color=colour, marker=mark, s=16.0, zorder=3)
    right = np.nanmax([*high, *found["log_loss"].values])
    for i in range(len(names)):
        ax.annotate(
            _words(found.isel(rule=i)),
            (1.02, i),
            xycoords=("axes fraction", "data"),
            fontsize=NOTE_SIZE,
            va="center",
            annotation_clip=False,
        )
    ax.set_yticks(row, [rule_words(found.isel(rule=i)) for i in row])
    ax.set_ylim(-0.6, len(row) - 0.4)
    ax.set_xlim(0, 1.05 * right)
    ax.set_xlabel("Log loss on records left out [1]")
    number_axis(ax)
    note = (
        f"Bars: {found.attrs['level']:.0%} intervals over {found.sizes['left_out']} {found.attrs['scored']}, "
        "each predicted from the others. Circles: fitted to the runs of the others; squares: checks of the "
        "body alone, scored with the overturned fractions on either side. 0: perfect; 0.69: a coin toss. P: "
        "probability of overturning at the capacity, by the curve of the runs."
    )
    add_note(ax, note)
    return ax


def _words(row: xr.Dataset) -> str:
    """Capacity, probability there and misclassified fraction of a rule."""
    missed = f"{float(row['misclassified']):.0%} misclassified"
    capacity = float(row["capacity"])
    if not np.isfinite(capacity):
        return missed
    factor, label = axis_scale(xr.DataArray(capacity, attrs={"units": row["units"].item()}, name="x"))
    unit = unit_of(label)
    chance = float(row["probability"])
    there = f", P = {chance:.2f}" if np.isfinite(chance) else ""
    return f"{capacity * factor:.3g} {unit}{there}, {missed}"
