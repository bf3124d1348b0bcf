"""Probability of overturning over two intensity measures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from mcrock.dataset.opened import takes_path
from mcrock.params import Outcome
from mcrock.show.style import DEEP_RED, PALE_BLUE, add_note, axis_scale, new_axes, run_words, styled
from mcrock.statistics import by_measure, fit_surface, overturned
from mcrock.statistics.inference import Confidence, ConfidenceKeywords, takes

LEVELS = (0.05, 0.2, 0.5, 0.8, 0.95)  # of the contours [1]
DRAWN = 3000  # points at most
ROOM = 1.06  # beside the points [1]
SIDES = ("first", "second")


@takes_path
@styled
@takes(Confidence)
def plot_surface(
    ds: xr.Dataset,
    measures: Sequence[str],
    ax: Axes | None = None,
    *,
    link: str = "probit",
    found: xr.Dataset | None = None,
    **keywords: Unpack[ConfidenceKeywords],
) -> Axes:
    """Draw contours of the probability of overturning over two intensity measures, with the runs.

    Parameters
    ----------
    ds, measures, link, **keywords
        As for `mcrock.statistics.fit_surface`.
    ax : Axes, optional
        Where to draw; by default on a new figure one column wide.
    found : Dataset, optional
        From `mcrock.statistics.fit_surface`, of the same runs and keywords; by default computed.

    Returns
    -------
    Axes
        Logarithmic; acceleration in g, other intensities in their own unit.

    Raises
    ------
    ValueError
        As `mcrock.statistics.fit_surface`.
    """
    found = fit_surface(ds, measures, link=link, **keywords) if found is None else found
    ax = new_axes(height=92.0) if ax is None else ax
    scales = [axis_scale(found[name]) for name in SIDES]
    x, y = (
        by_measure(ds, name)["intensity_value"].values * factor
        for name, (factor, _) in zip(measures, scales, strict=True)
    )
    there = (ds["outcome"].values != Outcome.NOT_RUN) & (x > 0) & (y > 0)
    fell = overturned(ds).values[there]
    points, index = np.unique(np.stack([x, y])[:, there], axis=1, return_inverse=True)
    share = np.bincount(index, weights=fell) / np.bincount(index)
    drawn = np.random.default_rng(0).permutation(len(share))[:DRAWN]
    between = LinearSegmentedColormap.from_list("outcome", [PALE_BLUE, DEEP_RED])
    x, y = points[:, drawn]
    ax.scatter(x, y, s=3.0, c=between(share[drawn]), alpha=0.6, linewidths=0)
    for colour, label in ((PALE_BLUE, "stood"), (DEEP_RED, "overturned")):
        ax.plot([], [], "o", color=colour, markersize=3.5, label=label)
    ax.set_xscale("log")
    ax.set_yscale("log")
    first, second = (found[name].values * factor for name, (factor, _) in zip(SIDES, scales, strict=True))
    surface = found["probability"].where(found["inside"]).values.T
    if np.isfinite(surface).any():
        lines = ax.contour(first, second, surface, levels=LEVELS, colors="0.1", linewidths=1.0)
        ax.clabel(lines, fmt="%g", fontsize=6.5)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axis.set_minor_formatter(NullFormatter())
    ax.set_xlim(first[0] / ROOM, first[-1] * ROOM)
    ax.set_ylim(second[0] / ROOM, second[-1] * ROOM)
    ax.set_xlabel(scales[0][1])
    ax.set_ylabel(scales[1][1])
    ax.legend(loc="lower left", bbox_to_anchor=(-0.05, 1.0), ncols=2, handletextpad=0.2)
    add_note(ax, _note(found, measures))
    return ax


def _note(found: xr.Dataset, measures: Sequence[str]) -> str:
    text = f"{run_words(int(found['runs']))} of {int(found['records'])} records. "
    loss = found["log_loss"]
    words = [
        f"{name} {float(loss.sel(model=model)):.3f}" for name, model in zip(measures, SIDES, strict=True)
    ]
    words.append(f"both {float(loss.sel(model='both')):.3f}")
    text += "Lines: probability of overturning; points: runs, the darker the more overturned. "
    return text + f"Log loss on records left out: {', '.join(words)}."
