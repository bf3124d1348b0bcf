"""Outcomes of a facet impact over the position of the impulse, and the motion after it."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from mcrock.laws.systems.facet_impact import OUTCOMES
from mcrock.show.style import (
    BLUE,
    DEEP_BLUE,
    GREEN,
    PAGE,
    PALE_BLUE,
    add_note,
    new_figure,
    number_axis,
    styled,
)

SHADES = ("0.94", PALE_BLUE, GREEN, DEEP_BLUE)  # of `OUTCOMES`
LEVELS = 9  # of a map


@styled
def plot_facet_impact(ds: xr.Dataset) -> Axes:
    """Draw Fig. 11 and Fig. 12 of the source.

    Parameters
    ----------
    ds : Dataset
        From `mcrock.laws.systems.facet_impact.example`.

    Returns
    -------
    Axes
        The first panel: the outcomes with (24).
    """
    number = ds.sizes["condition"]
    figure = new_figure(PAGE, 140.0)
    upper, lower = figure.subfigures(2, 1, height_ratios=[1.0, 1.1], squeeze=False)[:, 0]
    panels = np.atleast_1d(upper.subplots(1, number, sharey=True))
    x, y = ds["lambda_lat"].values, ds["lambda_lon"].values
    for ax, name in zip(panels, ds["condition"].values, strict=True):
        one = ds.sel(condition=name)
        ax.pcolormesh(
            x,
            y,
            one["outcome"].values,
            cmap=ListedColormap(SHADES),
            vmin=-0.5,
            vmax=3.5,
            alpha=0.75,
            linewidth=0,
        )
        ax.add_patch(
            Rectangle((-1, -1), 2, 2, fill=False, edgecolor="black", linestyle=(0, (3, 2)), linewidth=0.9)
        )
        energy = one["energy_change"].values
        ax.contour(
            x, y, np.ma.masked_invalid(energy), [0.0], colors="black", linewidths=1.1, linestyles="solid"
        )
        for corner in ds["corner"].values:
            regular = one["regular"].sel(corner=corner).values
            ax.contour(x, y, regular, [0.0], colors="0.25", linewidths=0.8, linestyles="dashdot")
        ax.set_aspect("equal")
        ax.set_title(name.replace(" after the impact", "").replace("tau =", r"$\tau$ ="))
        ax.set_xlabel(r"$\lambda_\mathrm{lat}$ [1]")
        number_axis(ax)
    panels[0].set_ylabel(r"Fig. 11: $\lambda_\mathrm{lon}$ [1]")
    number_axis(panels[0], "y")
    maps = lower.subplots(1, 2, sharey=True)
    for ax, name, letter in zip(maps, ds["axis"].values, "xy", strict=True):
        values = ds["omega"].sel(axis=name).values
        lines = ax.contour(
            ds["lat_on_base"],
            ds["lon_on_base"],
            values,
            LEVELS,
            colors=BLUE,
            linewidths=0.9,
            linestyles="solid",
        )
        ax.clabel(lines, fmt=lambda value: f"{value:.3g}", fontsize=6.5)
        ax.set_title(rf"Fig. 12: $\omega^+_{letter}$ [rad/s]")
        ax.set_xlabel(r"Across the motion, $\lambda_\mathrm{lat}$ [1]")
        number_axis(ax)
    maps[0].set_ylabel(r"Along it, $\lambda_\mathrm{lon}$ [1]")
    number_axis(maps[0], "y")
    handles = [
        *(
            Patch(facecolor=colour, alpha=0.75, label=words.replace("V_3", "$V_3$").replace("V_4", "$V_4$"))
            for colour, words in zip(SHADES, OUTCOMES, strict=True)
        ),
        Line2D([], [], color="black", label="no energy gained above"),
        Line2D([], [], color="0.25", linestyle="dashdot", linewidth=0.8, label="singular"),
    ]
    figure.legend(handles=[*handles], loc="outside upper left", ncols=6, handlelength=1.3, columnspacing=1.2)
    add_note(
        panels[0],
        f"{ds.attrs['title']}. After Várkonyi et al. (2022), Figs. 11 and 12; before the impact it turned "
        "about $V_1V_2$ at 1 rad/s. Dashed: places on the base, (27). Bottom: angular velocity after the "
        "impact with (24).",
    )
    return panels[0]
