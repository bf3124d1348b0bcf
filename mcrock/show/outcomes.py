"""Fractions of the outcomes at each intensity."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from mcrock.dataset.opened import takes_path
from mcrock.show.style import (
    DEEP_BLUE,
    DEEP_RED,
    GREEN,
    GREY,
    ORANGE,
    PALE_BLUE,
    PINK,
    PURPLE,
    SAND,
    YELLOW,
    add_note,
    axis_scale,
    new_axes,
    probability_axis,
    run_words,
    short_numbers,
    styled,
)
from mcrock.statistics import outcome_shares
from mcrock.statistics.endings import UNDECIDED, Ending
from mcrock.statistics.limits import OF_SUPPORT
from mcrock.statistics.runs import is_cloud, is_shaken

CHARACTERS = 55  # that fit below the bars of a figure one column wide
LOOKS = {  # with the colours of the chart of motions from rest; neighbours are apart in grey
    Ending.RESTED: ("0.92", ""),
    Ending.SLID: (PALE_BLUE, ""),
    Ending.ROCKED: (GREEN, ""),
    Ending.SLID_AND_ROCKED: (ORANGE, ""),
    Ending.LEFT_THE_GROUND: (SAND, ""),
    Ending.FELL_OFF_ITS_SUPPORT: (DEEP_RED, ""),
    Ending.OVERTURNED: (DEEP_BLUE, ""),
    Ending.STILL_ROCKING: (YELLOW, "////"),
    Ending.LIMIT_MET: (PINK, "\\\\\\\\"),
    Ending.FRICTION_UNDECIDED: (GREY, "xxxx"),
    Ending.FAILED: ("1.0", "++++"),
    Ending.INFEASIBLE_IMPACT: (PURPLE, "...."),
}


@takes_path
@styled
def plot_outcomes(ds: xr.Dataset, ax: Axes | None = None, *, allow_missing: bool = False) -> Axes:
    """Draw stacked fractions of the outcomes over the intensities.

    Parameters
    ----------
    ds : Dataset
        Study, as for `mcrock.statistics.outcome_shares`.
    ax : Axes, optional
        Where to draw; by default on a new figure one column wide.
    allow_missing : bool
        Leave out runs that have not been run, rather than refuse.

    Returns
    -------
    Axes
        One bar for each intensity, or bin of the intensities of a cloud; one without an intensity
        where the ground does not move.

    Raises
    ------
    ValueError
        As `mcrock.statistics.outcome_shares`.
    """
    result = outcome_shares(ds, allow_missing=allow_missing)
    result = result.isel(intensity=result["runs"].values > 0).sortby("intensity")
    ax = new_axes(height=74.0) if ax is None else ax
    factor, label = axis_scale(result["intensity"])
    place = np.arange(result.sizes["intensity"])
    base = np.zeros(len(place))
    for ending, (colour, hatch) in LOOKS.items():
        share = result["share"].sel(ending=ending.words).values
        if not share.any():
            continue
        ax.bar(
            place,
            share,
            0.84,
            base,
            color=colour,
            hatch=hatch,
            edgecolor="0.25" if hatch else "white",
            linewidth=0.3,
            label=ending.words,
        )
        base = base + share
    names = short_numbers(result["intensity"].values * factor)
    step = int(np.ceil(len(names) * (max(map(len, names)) + 1) / CHARACTERS))  # that they keep apart
    ax.set_xticks(place[::step], names[::step])
    ax.tick_params(axis="x", length=0)
    ax.set_xlim(-0.6, len(place) - 0.4)
    if is_shaken(ds):
        ax.set_xlabel(label)
    else:
        ax.set_xticks([])
    probability_axis(ax, "Fraction of the runs [1]")
    ax.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2, handlelength=1.3, columnspacing=1.2)
    runs = result["runs"].values
    each = f"{runs[0]}" if np.ptp(runs) == 0 else f"{runs.min()} to {runs.max()}"
    where = f", {each} at each intensity" if is_shaken(ds) else ", on ground that does not move"
    if is_cloud(ds) and is_shaken(ds):
        where = f" in {len(runs)} bins of {each} runs by intensity, named by their medians"
    limit = ""
    if OF_SUPPORT in result.attrs:
        limit = f" Fell off: the base centre was displaced by more than {result.attrs[OF_SUPPORT]:g} m."
    add_note(ax, f"{run_words(runs.sum())}{where}.{limit}{_doubt(result)}")
    return ax


def _doubt(result: xr.Dataset) -> str:
    doubtful = [ending.words for ending in UNDECIDED]
    number = float((result["share"].sel(ending=doubtful).sum("ending") * result["runs"]).sum())
    if number == 0:
        return " All are decided."
    who = (
        "1 is undecided (with a pattern): it counts"
        if round(number) == 1
        else f"{number:.0f} are undecided (with a pattern): they count"
    )
    return f" {who} both ways in the intervals."
