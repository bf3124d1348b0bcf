"""Flexible rod: the coefficient that a rigid model of it needs."""

from __future__ import annotations

import xarray as xr
from matplotlib.axes import Axes

from mcrock.show.style import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    RED,
    STROKES,
    add_note,
    axis_scale,
    new_axes,
    number_axis,
    styled,
)

COLOURS = (BLUE, ORANGE, GREEN, PURPLE, RED)


@styled
def plot_flexible_rod(ds: xr.Dataset) -> Axes:
    """Draw the restitution of the rigid model over the place that is hit.

    Parameters
    ----------
    ds : Dataset
        From `mcrock.laws.systems.flexible_rod.example`.
    """
    ax = new_axes(height=84.0)
    place = ds["place"].values
    for number, modes in enumerate(ds["modes"].values.tolist()):
        ax.plot(
            place,
            ds["rigid_restitution"].sel(modes=modes).values,
            color=COLOURS[number % len(COLOURS)],
            linestyle=STROKES[(number + number // len(COLOURS)) % len(STROKES)],
            label=f"{modes} mode" + "s" * (modes != 1),
        )
    restitution = ds.attrs["restitution"]
    ax.axhline(restitution, color=GREY, linewidth=0.8)
    ax.axhline(0.0, color="0.35", linestyle=":", linewidth=0.8)
    nodes = ds["node"].values
    ax.plot(nodes, [restitution] * len(nodes), "o", color="0.35", markersize=3.5, clip_on=False)
    ax.set_xlabel(axis_scale(ds["place"])[1])
    ax.set_ylabel(axis_scale(ds["rigid_restitution"])[1])
    ax.set_xlim(place[0], place[-1])
    number_axis(ax)
    number_axis(ax, "y")
    ax.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=3, columnspacing=1.2)
    add_note(
        ax,
        f"Thin: restitution at the contact, {restitution:g}. Dots: nodes of the first bending mode, where it "
        "takes no energy. Dotted: below 0 a rigid contact would still approach after the impact.",
    )
    return ax
