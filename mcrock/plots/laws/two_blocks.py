"""Two blocks corner to corner: all impacts that the re-entrant corner allows."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.patches import Polygon, Wedge

from mcrock.show.style import (
    BLUE,
    GREEN,
    ORANGE,
    PAGE,
    add_note,
    new_figure,
    number_axis,
    styled,
)

LOOKS = {
    "edge": (GREEN, "-.", "edge"),
    "face1": (BLUE, "-", "face 1"),
    "face2": (ORANGE, "--", "face 2"),
}
NEAREST_WIDTH = 2.6  # of the line of the nearest impact [pt]


@styled
def plot_two_blocks(ds: xr.Dataset) -> Axes:
    """Draw the velocities of one impact and the energy that all impacts lose.

    Parameters
    ----------
    ds : Dataset
        From `mcrock.laws.systems.two_blocks.example`.

    Returns
    -------
    Axes
        Of the velocities, next to that of the energies.
    """
    figure = new_figure(PAGE, 84.0)
    plane, ax = figure.subplots(1, 2, width_ratios=[4, 5])
    _draw_velocities(plane, ds)
    degrees = np.degrees(ds["direction"].values)
    nearest = ds["distance"].min("kind") * (1.0 + 1e-9)
    for kind, (colour, style, words) in LOOKS.items():
        loss = ds["energy_loss"].sel(kind=kind)
        ax.plot(degrees, loss, color=colour, linestyle=style, label=words)
        near = loss.where(ds["distance"].sel(kind=kind) <= nearest)
        ax.plot(degrees, near, color=colour, linewidth=NEAREST_WIDTH)
    ax.axvline(np.degrees(ds.attrs["direction"]), color="0.35", linestyle=":", linewidth=0.8)
    ax.set_xlabel("Direction from which the block comes [°]")
    ax.set_ylabel("Energy lost over energy before [1]")
    ax.set_xlim(degrees[0], degrees[-1])
    ax.set_ylim(bottom=0.0)
    number_axis(ax)
    number_axis(ax, "y")
    ax.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=3, columnspacing=1.2)
    most, least = int(ds["solutions"].max()), int(ds["solutions"].min())
    add_note(
        plane,
        f"Left: relative velocity of the corners; shaded: those that close both gaps. Restitution "
        f"{ds.attrs['restitution']:g}. Right: every impact that the law allows ({least}"
        + (f" to {most}" if most > least else "")
        + " at each direction); thick: the nearest in the kinetic metric; dotted: the direction shown on "
        "the left. The rigid model does not tell which one occurs.",
    )
    _draw_blocks(plane, ds)
    return plane


def _draw_blocks(ax: Axes, ds: xr.Dataset) -> None:
    """The blocks, small, where no velocity is drawn."""
    corners = ds["corner"].values
    small = ax.inset_axes((0.7, 0.7, 0.3, 0.3))
    small.set_axis_off()
    small.set_aspect("equal", anchor="NE")
    for outline, words in zip(corners, ("1", "2"), strict=True):
        small.add_patch(Polygon(outline, facecolor="0.96", edgecolor="0.35", linewidth=0.8, clip_on=False))
        x, y = outline.mean(axis=0)
        small.text(x, y, words, ha="center", va="center", color="0.35", fontsize=7.0)
    low, high = corners.reshape(-1, 2).min(axis=0), corners.reshape(-1, 2).max(axis=0)
    small.set_xlim(low[0], high[0])
    small.set_ylim(low[1], high[1])


def _draw_velocities(ax: Axes, ds: xr.Dataset) -> None:
    """Velocities that both gaps forbid, the one before and those after."""
    before = tuple(ds["before"].values)
    after = ds["after"].values
    reach = 1.25 * max(np.abs(before).max(), np.nanmax(np.abs(after)))
    normals = ds["normal"].values
    angle = np.degrees(np.arctan2(normals[:, 1], normals[:, 0]))
    ax.add_patch(
        Wedge((0.0, 0.0), 3.0 * reach, angle[0] + 90.0, angle[1] + 270.0, facecolor="0.9", edgecolor="none")
    )
    arrow = {"arrowstyle": "-|>", "shrinkA": 0.0, "shrinkB": 0.0, "mutation_scale": 8.0}
    ax.annotate("", before, (0.0, 0.0), arrowprops={**arrow, "color": "0.25", "linewidth": 1.3})
    ax.annotate(
        "before", before, xytext=(4.0, -3.0), textcoords="offset points", va="top", color="0.25", fontsize=7.0
    )
    for row, (_, (colour, style, words)) in enumerate(LOOKS.items()):
        if np.isfinite(after[row]).all():
            look = {**arrow, "color": colour, "linewidth": 1.3, "linestyle": style}
            ax.annotate("", after[row], (0.0, 0.0), arrowprops=look)
            ax.annotate(
                words, after[row], xytext=(3.0, 3.0), textcoords="offset points", color=colour, fontsize=7.0
            )
    ax.axhline(0.0, color="0.7", linewidth=0.5, zorder=0)
    ax.axvline(0.0, color="0.7", linewidth=0.5, zorder=0)
    ax.set_xlim(-reach, reach)
    ax.set_ylim(-reach, reach)
    ax.set_aspect("equal")
    ax.set_xlabel("Relative velocity, horizontal [m/s]")
    ax.set_ylabel("Relative velocity, vertical [m/s]")
    number_axis(ax)
    number_axis(ax, "y")
