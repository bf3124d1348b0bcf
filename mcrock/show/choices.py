"""Fragility curves of the options of a choice, such as the impact law."""

from __future__ import annotations

from typing import Unpack

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from mcrock.base.estimates import format_ratio
from mcrock.dataset.opened import takes_path
from mcrock.impact.registry import Law
from mcrock.show.fragility import draw_curve, observed
from mcrock.show.style import (
    COLOURS,
    MARKERS,
    add_note,
    axis_scale,
    count_words,
    new_axes,
    number_axis,
    probability_axis,
    styled,
)
from mcrock.statistics import fragility_by_choice, overturning_probability, split_by_choice
from mcrock.statistics.choices import LAW
from mcrock.statistics.inference import Bootstrap, BootstrapKeywords, takes

LABELS = {law.key: law.label for law in Law}


@takes_path
@styled
@takes(Bootstrap)
def plot_choices(
    ds: xr.Dataset,
    choice: str = LAW,
    ax: Axes | None = None,
    *,
    found: xr.Dataset | None = None,
    **keywords: Unpack[BootstrapKeywords],
) -> Axes:
    """Draw the fragility curve of each option of a choice with the observed fractions.

    The legend gives the median of each curve over that of all runs, with its interval.

    Parameters
    ----------
    ds : Dataset
        Study, as for `mcrock.statistics.fragility_by_choice`.
    choice : str
        Variable of codes on realization: "impact_law" and the like.
    ax : Axes, optional
        Where to draw; by default on a new figure one column wide.
    found : Dataset, optional
        From `mcrock.statistics.fragility_by_choice`, of the same runs and keywords; by default computed.
    **keywords
        As for `mcrock.statistics.fragility_by_choice`.

    Returns
    -------
    Axes
        Acceleration in g, other intensities in their own unit.

    Raises
    ------
    ValueError
        As `mcrock.statistics.fragility_by_choice`.
    """
    how = Bootstrap(**keywords)
    fits = fragility_by_choice(ds, choice, **keywords) if found is None else found
    parts = split_by_choice(ds, choice)
    ax = new_axes(height=90.0) if ax is None else ax
    for i, (word, part) in enumerate(parts.items()):
        fit, colour = fits.sel({choice: word}), COLOURS[i % len(COLOURS)]
        points = observed(part, how)
        factor, label = axis_scale(points["intensity"])
        draw_curve(ax, fits["intensity_grid"].values * factor, fit, colour)
        ax.plot(
            points["intensity"] * factor,
            points["probability"],
            MARKERS[i % len(MARKERS)],
            color=colour,
            markersize=3.4,
            clip_on=False,
            zorder=3,
        )
        ax.plot([], [], f"{MARKERS[i % len(MARKERS)]}-", color=colour, markersize=3.4, label=_name(word, fit))
    ax.set_xlim(0, float(fits["intensity_grid"][-1]) * factor)
    ax.set_xlabel(label)
    number_axis(ax)
    probability_axis(ax, "Probability of overturning [1]")
    ax.legend(
        loc="lower left",
        bbox_to_anchor=(-0.1, 1.0),
        ncols=1,
        title=f"Median over that of all runs ({how.level:.0%})",
        handlelength=1.6,
    )
    whole = overturning_probability(ds, **how.keywords)
    note = f"{count_words(whole, int(fits['runs'].sum()))}. "
    doubtful = int(fits["undecided"].sum())
    if doubtful:
        note += f"{doubtful} undecided runs: both ways in the intervals. "
    drawn = f"{how.resamples} resamples of the {fits.attrs['independent']}"
    dashed = "Dashed: no run supports the curve."
    add_note(ax, f"{note}Intervals: {drawn}, the same ones for all curves. {dashed}")
    return ax


def _name(word: str, fit: xr.Dataset) -> str:
    """``Housner 1963: 1.11 (1.07 to 1.14)``."""
    name = LABELS.get(word) or " ".join(part.capitalize() for part in word.split("_"))
    ratio, ends = float(fit["ratio"]), fit["ratio_interval"].values.tolist()
    return f"{name}: {format_ratio(ratio, *ends)}" if np.isfinite(ratio) else name
