"""Rocking rod: does it rock on or stop?"""

from __future__ import annotations

import xarray as xr
from matplotlib.axes import Axes

from mcrock.show.style import (
    BLUE,
    COLUMN,
    GREEN,
    GREY,
    ORANGE,
    add_note,
    axis_scale,
    new_figure,
    number_axis,
    styled,
)


@styled
def plot_rocking_rod(ds: xr.Dataset) -> Axes:
    """Draw spin and energy kept by an impact, and the impulses, over the distance of the supports.

    Parameters
    ----------
    ds : Dataset
        From `mcrock.laws.systems.rocking_rod.example`.

    Returns
    -------
    Axes
        Of the ratios, above that of the impulses.
    """
    figure = new_figure(COLUMN, 100.0)
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=[3, 2])
    distance, critical = ds["distance"].values, ds.attrs["critical_distance"]
    above.plot(distance, ds["spin_ratio"], color=BLUE, label="spin")
    above.plot(distance, ds["energy_ratio"], color=ORANGE, linestyle="--", label="energy")
    below.plot(distance, ds["impulse"].sel(contact="hit"), color=GREEN, label="support that is hit")
    below.plot(
        distance, ds["impulse"].sel(contact="left"), color=GREY, linestyle="--", label="support left behind"
    )
    for ax in (above, below):
        ax.axvline(critical, color="0.35", linestyle=":", linewidth=0.8)
        number_axis(ax, "y")
    top = above.get_ylim()[1]
    above.set_ylim(top=1.12 * top)
    for place, side, words in ((-3.0, "right", "rocks on"), (3.0, "left", "both supports push")):
        above.annotate(
            words,
            (critical, 1.12 * top),
            xytext=(place, -1.0),
            textcoords="offset points",
            ha=side,
            va="top",
            fontsize=7.0,
            color="0.35",
        )
    above.set_ylabel("After over before [1]")
    below.set_ylabel("Impulse [N s]")
    below.set_xlabel(axis_scale(ds["distance"])[1])
    below.set_xlim(0.0, distance[-1])
    number_axis(below)
    above.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2, columnspacing=1.2)
    below.legend(loc="upper left")
    below.set_ylim(top=1.45 * below.get_ylim()[1])
    figure.align_ylabels([above, below])
    add_note(
        above,
        f"Newton's law as inequalities, restitution {ds.attrs['restitution']:g}. Dotted: half length / √3 "
        f"= {critical:.3g} m from the centre, where the directions of both gaps are orthogonal in "
        "the kinetic metric. Nearer, the support left behind takes no impulse.",
    )
    return above
