"""Admissible velocities after the impact of a chain of balls, and three outcomes."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from mcrock.show.style import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PAGE,
    RED,
    add_note,
    axis_scale,
    new_figure,
    number_axis,
    styled,
)

LOOKS = ((BLUE, "o"), (GREEN, "s"), (RED, "^"))


@styled
def plot_ball_chain(ds: xr.Dataset) -> Axes:
    """Draw what the energy allows after the impact of a chain, and the velocities of three outcomes.

    Parameters
    ----------
    ds : Dataset
        From `mcrock.laws.systems.ball_chain.example`.

    Returns
    -------
    Axes
        The first of two panels.
    """
    figure = new_figure(PAGE, 88.0)
    ax, balls = figure.subplots(1, 2, width_ratios=[1.0, 1.15])
    x, y = ds["horizontal"].values, ds["vertical"].values
    ax.contourf(x, y, ds["energy"].values, levels=[0.0, 1.0], colors=[BLUE], alpha=0.25)
    for name, colour, line in (("energy", BLUE, "-"), ("printed", ORANGE, "--")):
        ax.contour(x, y, ds[name].values, levels=[1.0], colors=[colour], linestyles=[line], linewidths=1.3)
    axes = ds.attrs["axes"]
    others = [name for name in ds["contact"].values if name not in axes]
    before = ds["velocity_before"].values
    numbers = ds["ball"].values
    balls.plot(numbers, before, "_", color="0.35", markersize=9.0, label="before the impact")
    handles = [
        Line2D([], [], color=BLUE, label="no energy is lost"),
        Line2D([], [], color=ORANGE, linestyle="--", label="limit as printed"),
    ]
    count = ds.sizes["outcome"]
    for place, (outcome, (colour, marker)) in enumerate(zip(ds["outcome"].values, LOOKS, strict=True)):
        one = ds.sel(outcome=outcome)
        rates = one["relative_velocity"]
        if not np.abs(rates.sel(contact=others).values).max(initial=0.0) > 1e-9:
            place_in_plane = [rates.sel(contact=name) for name in axes[::-1]]
            ax.plot(*place_in_plane, marker, color=colour, clip_on=False, zorder=3)
        shift = 0.13 * (place - 0.5 * (count - 1))
        change = float(one["energy_change"])
        words = "no loss" if abs(change) < 1e-9 else f"{change:+.3g} J"
        balls.plot(numbers + shift, one["velocity"], marker, color=colour, label=f"{outcome}, {words}")
    balls.axhline(0.0, color=GREY, linewidth=0.6, zorder=0)
    balls.set_xticks(numbers)
    balls.set_xlabel("Ball")
    balls.set_ylabel("Velocity [m/s]")
    number_axis(balls, "y")
    balls.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0))
    ax.legend(handles=handles, loc="lower left", bbox_to_anchor=(0.0, 1.0))
    ax.set_aspect("equal")
    ax.set_xlabel(axis_scale(ds["horizontal"])[1])
    ax.set_ylabel(axis_scale(ds["vertical"])[1])
    for name in "xy":
        number_axis(ax, name)
    held = f", contact {' and '.join(others)} closed" if others else ""
    add_note(
        ax,
        f"{ds.attrs['title']}. Left: velocities with which the contacts open{held}; shaded: allowed by the "
        "energy. Momentum and the sign of the impulses allow all of them. Right: three outcomes, each a "
        "mark on the left where it lies in the plane; the last one is allowed by the printed condition.",
    )
    return ax
