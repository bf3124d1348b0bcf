"""Annual rate of overturning by the intensities that it comes from."""

from __future__ import annotations

from typing import Unpack

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from mcrock.base.estimates import format_estimate, format_interval
from mcrock.dataset.opened import takes_path
from mcrock.show.style import BLUE, GREY, ORANGE, add_note, axis_scale, new_axes, number_axis, styled
from mcrock.statistics import annual_rate
from mcrock.statistics.hazard import MEAN
from mcrock.statistics.inference import Bootstrap, BootstrapKeywords, takes

LOOKS = {"lognormal": (BLUE, "-"), "stripes": (ORANGE, "-.")}


@takes_path
@styled
@takes(Bootstrap)
def plot_risk(
    ds: xr.Dataset,
    hazard: xr.Dataset,
    ax: Axes | None = None,
    *,
    years: float = 50.0,
    **keywords: Unpack[BootstrapKeywords],
) -> Axes:
    """Draw from which intensities the rate of overturning comes, by both fragilities.

    Parameters
    ----------
    ds, hazard, years, **keywords
        As for `mcrock.statistics.annual_rate`.
    ax : Axes, optional
        Where to draw; by default on a new figure one column wide.

    Returns
    -------
    Axes
        Logarithmic along the intensity, acceleration in g, so that areas are parts of the rate.

    Raises
    ------
    ValueError
        As `mcrock.statistics.annual_rate`.
    """
    found = annual_rate(ds, hazard, years=years, **keywords)
    ax = new_axes() if ax is None else ax
    factor, label = axis_scale(found["bin_lower"])
    edges = np.append(found["bin_lower"].values, found["bin_upper"].values[-1]) * factor
    width = np.log(edges[1] / edges[0])
    for curve, (colour, line) in LOOKS.items():
        one = found.sel(fragility=curve, hazard=MEAN)
        density = np.nan_to_num(found["share"].sel(fragility=curve).values) * float(one["rate"]) / width
        ax.stairs(
            np.nan_to_num(density),
            edges,
            color=colour,
            fill=False,
            linewidth=1.3,
            linestyle=line,
            label=f"{curve}, {format_estimate(float(one['rate']), *one['rate_interval'].values)} /a",
        )
    for name, style in (("weakest_overturning", ":"), ("strongest_run", "--")):
        at = float(found[name]) * factor
        if edges[0] < at < edges[-1]:
            ax.axvline(at, color=GREY, linestyle=style, linewidth=0.9)
    ax.set_xscale("log")
    ax.set_xlim(edges[0], edges[-1])
    ax.set_ylim(bottom=0)
    ax.set_xlabel(label)
    ax.set_ylabel("Rate per ln(intensity) [1/a]")
    number_axis(ax, "y")
    ax.legend(loc="lower left", bbox_to_anchor=(-0.1, 1.0), ncols=2, handlelength=1.8, columnspacing=1.0)
    rows = []
    for curve in LOOKS:
        ends = found["rate_interval"].sel(fragility=curve, hazard=MEAN).values
        rows.append(f"{curve} {format_interval(*ends)} /a" if np.isfinite(ends[0]) else f"{curve} unknown")
    add_note(
        ax,
        f"Mean hazard; areas are parts of the rate. {found.attrs['level']:.0%} intervals from "
        f"{int(found['records'])} {found.attrs['independent']}: {', '.join(rows)}. Dotted: weakest "
        f"intensity at which a run overturned; dashed: strongest run. Go by {found.attrs['headline']}: "
        f"{found.attrs['why']}.",
    )
    return ax
