"""Rod on two obstacles: which of them it feels."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from mcrock.show.style import (
    BLUE,
    COLUMN,
    GREY,
    ORANGE,
    add_note,
    axis_scale,
    new_figure,
    number_axis,
    styled,
)

LINES = {"fixed": (BLUE, "-", "fixed obstacle"), "other": (ORANGE, "--", "other obstacle")}


@styled
def plot_rod(ds: xr.Dataset) -> Axes:
    """Draw the impulses of both obstacles and the rates of their gaps over the place of one.

    Parameters
    ----------
    ds : Dataset
        From `mcrock.laws.systems.rod.example`.

    Returns
    -------
    Axes
        Of the impulses, above those of the gaps.
    """
    figure = new_figure(COLUMN, 96.0)
    above, below = figure.subplots(2, 1, sharex=True)
    place = ds["place"].values
    step = 0.6 * (place[1] - place[0])  # a line ends where the obstacles change their parts
    for contact, (colour, style, words) in LINES.items():
        for ax, name in ((above, "impulse"), (below, "gap_rate")):
            values = ds[name].sel(contact=contact).where(np.abs(place - ds.attrs["fixed"]) > step).values
            ax.plot(place, values, color=colour, linestyle=style, label=words)
    for ax in (above, below):
        ax.axvline(0.0, color=GREY, linewidth=0.6)
        ax.axvline(ds.attrs["fixed"], color=BLUE, linestyle=":", linewidth=0.8)
        number_axis(ax, "y")
    above.set_ylabel("Impulse [N s]")
    below.set_ylabel("Gap rate after [m/s]")
    below.set_xlabel(axis_scale(ds["place"])[1])
    below.set_xlim(place[0], place[-1])
    number_axis(below)
    above.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2, columnspacing=1.2)
    figure.align_ylabels([above, below])
    rise, spin = ds.attrs["velocity"]
    add_note(
        above,
        f"Before the impact the centre moves at {rise:g} m/s and the rod turns at {spin:g} rad/s; "
        f"restitution {ds.attrs['restitution']:g}, Newton's law as inequalities. Dotted: place of the fixed "
        "obstacle; thin: centre of the rod. Where a gap rate is above 0 without an impulse, the "
        "other obstacle turns the rod away from this one.",
    )
    return above
