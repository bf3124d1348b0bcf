"""Overturning probability over the number of realizations."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
import seaborn as sns
import xarray as xr
from matplotlib.axes import Axes

from mcrock.dataset.opened import takes_path
from mcrock.show.style import (
    MARKERS,
    add_note,
    axis_scale,
    count_words,
    new_axes,
    probability_axis,
    short_numbers,
    styled,
)
from mcrock.statistics import overturning_probability, size_convergence
from mcrock.statistics.inference import Confidence, ConfidenceKeywords, takes
from mcrock.statistics.runs import is_shaken

CURVES, TICKS = 5, 5
SURE = 0.02  # from 0 or 1 at which there is nothing to see


@takes_path
@styled
@takes(Confidence)
def plot_convergence(ds: xr.Dataset, ax: Axes | None = None, **keywords: Unpack[ConfidenceKeywords]) -> Axes:
    """Draw the probability of overturning from the first realizations, more and more of them.

    Parameters
    ----------
    ds : Dataset
        Study, as for `mcrock.statistics.size_convergence`.
    ax : Axes, optional
        Where to draw; by default on a new figure one column wide.
    **keywords
        As for `mcrock.overturning_probability`, whose intervals stand at the end.

    Returns
    -------
    Axes
        A curve for each intensity, of at most five whose probability is least sure.

    Raises
    ------
    ValueError
        As `mcrock.statistics.size_convergence`.
    """
    how = Confidence(**keywords)
    found = size_convergence(ds, allow_missing=how.allow_missing)
    points = overturning_probability(ds, **how.keywords)
    last = points["probability"].values
    least = sorted(np.argsort(np.abs(np.nan_to_num(last) - 0.5), kind="stable")[:CURVES].tolist())
    unsure = [k for k in least if SURE < last[k] < 1 - SURE] or least[:1]
    worst = float(np.nanmax(np.abs(found["change"].values)))
    found, points = found.isel(intensity=unsure), points.isel(intensity=unsure)
    ax = new_axes() if ax is None else ax
    factor, label = axis_scale(found["intensity"])
    names = short_numbers(found["intensity"].values * factor)
    sizes = found["size"].values
    apart = (sizes[-1] / sizes[0]) ** 0.03 if len(sizes) > 1 else 1.1
    colours = sns.color_palette("viridis", len(unsure))
    for k, (name, colour) in enumerate(zip(names, colours, strict=True)):
        one = points.isel(intensity=k)
        p = float(one["probability"])
        mark = MARKERS[k]
        ax.plot(
            sizes, found["probability"].values[:, k], color=colour, marker=mark, markersize=2.6, label=name
        )
        low, high = (abs(end - p) for end in one["interval"].values)
        look: dict[str, Any] = {"fmt": mark, "markersize": 3.0, "elinewidth": 0.9, "capsize": 1.8}
        ax.errorbar(sizes[-1] * apart ** (1 + k), p, [[low], [high]], color=colour, **look)
    ax.set_xscale("log")
    ax.set_xlabel("Number of realizations [1]")
    wanted = np.geomspace(sizes[0], sizes[-1], TICKS)
    ticks = np.unique(sizes[np.abs(np.log(sizes) - np.log(wanted)[:, None]).argmin(axis=1)])
    ax.set_xticks(ticks, [str(tick) for tick in ticks])
    ax.set_xticks([], minor=True)
    probability_axis(ax, "Probability of overturning [1]")
    title = label.replace("Peak ground acceleration", "PGA").replace("Peak ground velocity", "PGV")
    ax.legend(
        title=title if is_shaken(ds) else None,
        loc="lower center",
        bbox_to_anchor=(0.5, 1.0),
        ncols=len(unsure),
        handlelength=1.6,
        columnspacing=1.0,
    )
    add_note(
        ax,
        f"{count_words(points, int(points['runs'].sum()))}. From the first half of the realizations to all "
        f"of them the probability changes by at most {worst:.3f}. Bars: {how.level:.0%} intervals for new "
        "ground motions.",
    )
    return ax
