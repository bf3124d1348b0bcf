"""Coefficients, energy and corner impulses of a block in space over the position of the impulse."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from mcrock.show.style import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PAGE,
    PURPLE,
    add_note,
    axis_scale,
    new_figure,
    number_axis,
    styled,
)

COLOURS = (BLUE, ORANGE, GREEN, PURPLE)
LINES = ("-", "--", "-.", ":")


@styled
def plot_block_3d(ds: xr.Dataset) -> Axes:
    """Draw coefficients and energy ratio, and the impulses of the corners.

    Parameters
    ----------
    ds : Dataset
        From `mcrock.laws.systems.block_3d.example`.

    Returns
    -------
    Axes
        The first of two panels.
    """
    figure = new_figure(PAGE, 88.0)
    first, ax = figure.subplots(1, 2)
    x = ds["lambda"].values
    looks = list(zip(ds["corner"].values, COLOURS, LINES, strict=False))
    for corner, colour, line in looks:
        values = ds["coefficient"].sel(corner=corner).values
        if np.isfinite(values).any() and np.nanmax(np.abs(values)) > 1e-9:
            first.plot(x, values, color=colour, linestyle=line, label=f"coefficient, {corner}")
    first.plot(
        x,
        ds["tangential_ratio"],
        ".",
        color=GREY,
        markevery=4,
        clip_on=False,
        label="tangential velocity ratio",
    )
    first.plot(x, ds["energy_ratio"], color="black", linewidth=0.8, label="kinetic energy ratio")
    for corner, colour, line in looks:
        one = ds.sel(corner=corner)
        ax.plot(x, one["impulse"], color=colour, linestyle=line, label=corner)
        if float(np.abs(one["impulse_high"] - one["impulse_low"]).max()) > 0.0:
            ax.fill_between(x, one["impulse_low"], one["impulse_high"], color=colour, alpha=0.12, linewidth=0)
    first.set_ylabel("After over before [1]")
    ax.set_ylabel("Vertical impulse of a corner [N s]")
    ax.set_ylim(bottom=min(0.0, float(ds["impulse_low"].min())))
    for panel in (first, ax):
        panel.set_xlim(x[0], x[-1])
        panel.set_xlabel(axis_scale(ds["lambda"])[1])
        number_axis(panel)
        number_axis(panel, "y")
        panel.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=1)
    bands = " Bands: all splits that pull at no corner; lines: the one of least squares." * (
        ds.attrs["impact"] == "facet"
    )
    add_note(
        first,
        f"{ds.attrs['title']}. Left: coefficients with which the generalized kinematic law gives the "
        f"velocity of the impact map; corners not shown stay or land with 0.{bands}",
    )
    return first
