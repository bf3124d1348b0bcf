"""Domains of the coefficients of planar rocking blocks over their aspect."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from mcrock.show.style import (
    BLUE,
    GREY,
    ORANGE,
    PAGE,
    add_note,
    axis_scale,
    new_figure,
    number_axis,
    styled,
)

PANELS = (  # title, label, domain without friction, domain with friction or slip, critical points
    ("Sliding (Fig. 2)", "e_{n21}", "e_n21, sliding", "", "b"),
    ("Sticking (Fig. 3)", "e_{n21}", "e_n21, sticking", "e_n21, sticking by friction", "a"),
    ("Slip against friction", "e_{n21}", "e_n21, slip left", "e_n21, slip right", "cd"),
    ("Sliding (Fig. 4)", "r", "r, sliding", "", "b"),
    ("Sticking (Fig. 5)", "r", "r, sticking", "", "a"),
    ("Half rocking", "e_{n1}", "e_n1, half rocking", "e_n1, half rocking, slip right", "bc"),
)


@styled
def plot_block_domains(ds: xr.Dataset) -> Axes:
    """Draw the admissible coefficients of blocks of every aspect.

    Parameters
    ----------
    ds : Dataset
        From `mcrock.laws.systems.block_domains.example`.

    Returns
    -------
    Axes
        The first of six panels: Figs. 2 to 5 of the source, slip against friction, and half rocking.
    """
    figure = new_figure(PAGE, 118.0)
    grid = figure.subplots(2, 3, sharex=True)
    critical = dict(zip(ds["point"].values, ds["critical_aspect"].values, strict=True))
    for ax, (title, symbol, plain, other, points) in zip(grid.flat, PANELS, strict=True):
        low, high = (-1.0, 0.0) if symbol == "r" else (0.0, 1.0)
        _draw(ax, ds.sel(domain=plain), BLUE, filled=True)
        if other:
            _draw(ax, ds.sel(domain=other), ORANGE, filled=False)
        for name in points:
            if 0.02 < critical[name] / float(ds["aspect"][-1]) < 1.0:
                ax.axvline(critical[name], ymax=0.96, color=GREY, linestyle=":", linewidth=0.8, zorder=0)
                ax.annotate(
                    name,
                    (critical[name], 1.0),
                    xycoords=("data", "axes fraction"),
                    ha="center",
                    color="0.35",
                    fontsize=6.5,
                )
        ax.set_ylim(low - 0.04, high + 0.09)
        ax.set_yticks(np.linspace(low, high, 5), [f"{value:g}" for value in np.linspace(low, high, 5)])
        ax.set_title(title, pad=8.0)
        ax.set_ylabel(f"${symbol}$ [1]")
        number_axis(ax)
    first = grid[0, 0]
    first.set_xlim(0.0, float(ds["aspect"][-1]))
    for ax in grid[1]:
        ax.set_xlabel(axis_scale(ds["aspect"])[1])
    mu = f"{ds.attrs['friction']:g}"
    handles = [
        Patch(facecolor=BLUE, alpha=0.35, label="without friction, or slip to the left"),
        Line2D([], [], color=ORANGE, label=f"with friction {mu}: sticking, or slip to the right"),
    ]
    figure.legend(handles=handles, loc="outside upper left", ncols=2, handlelength=1.4)
    add_note(
        first,
        "Coefficients of homogeneous blocks with which no corner is pulled and no energy is gained. "
        r"$e_{n21}$: velocity ratio of rocking, $r = -e_{n21}$; $e_{n1}$: rebound of the landing corner, the "
        "other stays down. "
        f"Shaded in the third panel: slip to the left against friction {mu}. With slip the energy bounds "
        "$e_{n21}$ further, by the speed. Dotted: critical aspects a to d.",
    )
    return first


def _draw(ax: Axes, ds: xr.Dataset, colour: str, filled: bool) -> None:
    """A domain as an area, or as its outline."""
    x, low, high = (ds[name].values for name in ("aspect", "low", "high"))
    if filled:
        ax.fill_between(x, low, high, color=colour, alpha=0.35, linewidth=0)
        ax.plot(x, low, color=colour)
        ax.plot(x, high, color=colour)
        return
    for values in (low, high):
        ax.plot(x, values, color=colour, linewidth=1.1)
    last = np.flatnonzero(np.isfinite(low))[-1:]
    if last.size and last[0] < len(x) - 1:  # the domain ends here
        ax.plot([x[last[0]]] * 2, [low[last[0]], high[last[0]]], color=colour, linewidth=1.1)
