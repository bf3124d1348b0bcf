"""Small probabilities of overturning, of each recording and of all, with what no number of runs decides."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from mcrock.base.estimates import format_estimate
from mcrock.show import style
from mcrock.show.text import Column, Composition, format_count, percent, table_along

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_OF_ONE = 0.5  # of the sum of all repetitions that one may hold [1]


def compose_rare(found: xr.Dataset) -> Composition:
    """Small probabilities of `mcrock.ensemble.rare.rare_probability`."""
    return Composition({"rare_probability": found}, format_rare(found), {"rare": lambda: plot_rare(found)})


def format_rare(found: xr.Dataset) -> list[str]:
    """Table of `mcrock.ensemble.rare.rare_probability`, and what its recordings cannot decide."""
    several, level = found.sizes["record"] > 1, percent(found)
    columns: list[Column] = [
        "intensity",
        ("probability", lambda one: format_estimate(float(one["probability"]), *one["interval"].values)),
        (f"{level}, these motions", "{interval}"),
        (f"{level}, new earthquakes", "{new_interval}"),
        "runs",
        ("counting needs", "{brute_force_runs:.2g}"),
        ("records for 10 %", "{records_needed:.2g}"),
    ]
    if not several:
        columns = [column for i, column in enumerate(columns) if i not in (3, 6)]
    lines = [
        "Probability of overturning by subset simulation",
        table_along(found, "intensity", columns["intensity" not in found.dims :]),
        f"{found.attrs['repetitions']} independent repetitions with {found.attrs['states']} realizations at "
        f"each level of the score; probabilities below {found.attrs['least']:.1g} count as 0",
        "counting needs: runs of a plain study for the same accuracy",
    ]
    each = found["repetition_probability"].values
    largest = float((each.max(axis=0) / np.maximum(each.sum(axis=0), np.finfo(float).tiny)).max())
    if largest > MOST_OF_ONE:
        lines.append(
            f"one repetition holds {100 * largest:.0f} % of an estimate: the others may have missed where "
            "bodies overturn, and the interval is too narrow; raise --states"
        )
    if several:
        n = int(found["records"])
        none = -math.expm1(math.log((1 - found.attrs["level"]) / 2) / n)
        lines.append(
            f"{format_count(n, 'independent recording')} cannot show that a probability for new earthquakes "
            f"is below {none:.2g}, however many runs there are and though none overturns: only more "
            "recordings can. The interval of these motions says how often the body overturns in these "
            "recordings, scaled to this intensity, and nothing more"
        )
    return lines


@style.styled
def plot_rare(found: xr.Dataset, ax: Axes | None = None) -> Axes:
    """Draw small probabilities with what runs and what recordings leave open.

    Parameters
    ----------
    found : Dataset
        From `mcrock.ensemble.rare.rare_probability`.
    ax : Axes, optional
        Where to draw; by default on a new figure one column wide.

    Returns
    -------
    Axes
        Logarithmic; a recording in which no run overturned has no mark.
    """
    ax = style.new_axes(height=78.0) if ax is None else ax
    level, least = f"{found.attrs['level']:.0%} interval", found.attrs["least"]
    x = np.zeros(1)
    if "intensity" in found.dims:
        found = found.sortby("intensity")
        x = found["intensity"].values * style.level_axis(ax, found["intensity"])
        ax.set_xlim(0.85 * x.min(), 1.15 * x.max())
    else:
        ax.set_xticks([])
    p = np.atleast_1d(found["probability"].values)
    records = found["record_probability"].values.reshape(found.sizes["record"], -1)
    least /= len(records)
    note = f"Subset simulation, {int(np.sum(found['runs'].values))} runs, {found.attrs['repetitions']} "
    note += "repetitions."
    if len(records) > 1:
        new = np.maximum(found["new_interval"].values.reshape(2, -1), least)
        ax.vlines(x, *new, label=f"{level}, new earthquakes", color=style.GREY, alpha=0.4, linewidth=4.0)
        at, share = np.broadcast_to(x, records.shape)[records > 0], records[records > 0]
        ax.plot(at, share, "_", label="single recordings", color="0.45", markersize=7.0, markeredgewidth=0.6)
        note += f" The interval for new earthquakes is limited by {int(found['records'])} independent "
        note += "recordings, not by the runs."
    ends = found["interval"].values.reshape(2, -1)
    words = f"{level}, {'these recordings' if len(records) > 1 else 'new motions'}"
    look: dict[str, Any] = {"fmt": "o-", "color": style.BLUE, "linewidth": 1.0, "label": words}
    style.error_bars(ax, x, np.where(p > 0, p, np.nan), ends, **look)
    bottom = 0.1 * p[p > 0].min() if (p > 0).any() else found.attrs["least"]
    ax.set_ylim(max(least, bottom), 1.3)
    style.log_axis(ax, "y")
    ax.set_ylabel("Probability of overturning [1]")
    style.legend_above(ax, 1, -0.14)
    return style.add_note(ax, note)
