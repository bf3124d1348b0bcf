"""Rules of thumb and checks of codes next to the result: how well they tell the runs."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import numpy as np
import xarray as xr

from mcrock.base.keywords import takes
from mcrock.dataset.opened import takes_path
from mcrock.show import style
from mcrock.show.fragility import accepted_label
from mcrock.show.numbers import label_intensities, percent, with_ends
from mcrock.show.tables import table_along
from mcrock.statistics import baselines
from mcrock.statistics.accepted_curve import choice_of, goes_by
from mcrock.statistics.intervals import Bootstrap, BootstrapKeywords
from mcrock.statistics.standards import FITTED, rule_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LINE = 7.5  # height of a rule in the figure [mm]
REST = 34.0  # height of everything else [mm]


def format_baselines(found: xr.Dataset) -> list[str]:
    """Table of what rules of thumb and checks of codes say."""
    level = percent(found)
    columns = [
        ("rule", rule_words),
        ("capacity", _capacity),
        (f"P there ({level})", lambda row: with_ends(row, "probability", ".2f")),
        ("by", lambda row: accepted_label(row) if goes_by(row) else "-"),
        (f"misclassified ({level})", lambda row: with_ends(row, "misclassified", ".2f")),
        (f"log loss ({level})", lambda row: with_ends(row, "log_loss", ".3f")),
    ]
    return [
        "Rules of thumb and code checks for comparison, scored on each record as fitted to the others",
        table_along(found, "rule", columns),
        *dict.fromkeys(
            f"over {row['measure'].item()} {choice_of(row).words}, so P is by the rising fractions"
            for row in (found.isel(rule=k) for k in range(found.sizes["rule"]))
            if goes_by(row) == "stripes"
        ),
    ]


def _capacity(row: xr.Dataset) -> str:
    capacity = float(row["capacity"])
    return label_intensities([capacity], str(row["units"].item()))[0] if math.isfinite(capacity) else "-"


@takes_path
@style.styled
@takes(Bootstrap)
def plot_baselines(
    ds: xr.Dataset,
    ax: Axes | None = None,
    *,
    folder: str | Path = ".",
    found: xr.Dataset | None = None,
    **keywords: Unpack[BootstrapKeywords],
) -> Axes:
    """Draw the log loss of rules of thumb and of checks of codes, with their capacities.

    Parameters
    ----------
    ds, folder, **keywords
        As for `mcrock.statistics.baselines`.
    ax : Axes, optional
        Where to draw; by default on a new figure one column wide.
    found : Dataset, optional
        From `mcrock.statistics.baselines`, of the same runs and keywords; by default computed.

    Returns
    -------
    Axes
        A rule in each row.

    Raises
    ------
    ValueError
        As `mcrock.statistics.baselines`.
    """
    found = baselines(ds, folder=folder, **keywords) if found is None else found
    found = found.isel(rule=slice(None, None, -1))
    ones = [found.isel(rule=i) for i in range(found.sizes["rule"])]
    ax = style.new_axes(height=REST + LINE * len(ones)) if ax is None else ax
    fitted, loss = found["rule"].isin(list(FITTED)).values, found["log_loss"].values
    ends = found["log_loss_interval"].values
    colours = np.where(fitted, style.BLUE, style.ORANGE).tolist()
    row = style.interval_rows(ax, [""] * len(ones), ends, colours)
    for group, colour, mark in ((fitted, style.BLUE, "o"), (~fitted, style.ORANGE, "s")):
        ax.scatter(loss[group], row[group], color=colour, marker=mark, s=16.0, zorder=3)
    style.words_above_rows(ax, [f"{rule_words(one)}: {_words(one)}" for one in ones])
    ax.set_xlim(0, 1.05 * np.nanmax([*ends[1], *loss]))
    ax.set_xlabel("Log loss on records left out [1]")
    style.add_note(
        ax,
        f"Bars: {found.attrs['level']:.0%} intervals over {found.sizes['left_out']} {found.attrs['scored']}, "
        "each predicted from the others. Circles: fitted to the runs of the others; squares: checks of the "
        "body alone, scored with the overturned fractions on either side. 0: perfect; 0.69: a coin toss. "
        "After the names: capacity; P, probability of overturning there by the accepted curve, f by "
        "the rising fractions; misclassified runs.",
    )
    return ax


def _words(row: xr.Dataset) -> str:
    """Capacity, probability there and misclassified fraction of a rule."""
    chance, missed = float(row["probability"]), f"{float(row['misclassified']):.0%} wrong"
    capacity, there = _capacity(row), f"P {chance:.2f}" if math.isfinite(chance) else ""
    there += " f" * (goes_by(row) == "stripes")
    return missed if capacity == "-" else ", ".join(filter(None, (capacity, there, missed)))
