"""Measured tests of a campaign within those that its population predicts, the quantities of Figure 6."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from mcrock.measurement.measures import VARIABLES
from mcrock.show import style
from mcrock.show.tables import format_table

LEVEL = 0.9  # of the predictive intervals
REST, LINE = 45.0, 2.9  # of the figure: what is not rows, each row [mm]


def format_check(check: xr.Dataset, left_out: list[str]) -> list[str]:
    """A row for each measure, and how to read it.

    Parameters
    ----------
    check : Dataset
        Of `mcrock.measurement.replicates.check_of`.
    left_out : list of str
        Tests that it has not, and why.
    """
    low, high = _interval(check)
    inside = (low <= check["measured"]) & (check["measured"] <= high)
    tests, campaigns = check.sizes["test"], check.sizes["replicate"]
    rows = [
        [
            VARIABLES[name][2],
            f"{int(inside.sel(measure=name).sum())} of {tests}",
            f"{float(check['rank'].sel(measure=name).mean()):.2f}",
            f"{float(check['p_value'].sel(measure=name)):.2g}",
        ]
        for name in check["measure"].values.tolist()
    ]
    heads = ["measured tests", f"inside {LEVEL:.0%} of those predicted", "mean rank", "p-value of the ranks"]
    return [
        format_table(heads, rows, left=True),
        f"rank: share of {campaigns} simulated campaigns in which the test has less, 0.5 in the mean if the "
        "population predicts the tests",
        "p-value: share of these campaigns whose own ranks among the others are as far from uniform, "
        f"{1.0 / (campaigns + 1):.2g} at least",
        "the population was fitted to the same tests, which makes p-values too large rather than too small",
        *(f"left out: {reason}" for reason in left_out),
    ]


def _interval(check: xr.Dataset) -> tuple[xr.DataArray, xr.DataArray]:
    ends = check["simulated"].quantile([0.5 - 0.5 * LEVEL, 0.5 + 0.5 * LEVEL], "replicate")
    return ends.isel(quantile=0), ends.isel(quantile=1)


@style.styled
def plot_check(check: xr.Dataset) -> Axes:
    """Draw measures of tests over the intervals predicted for them, and how their ranks are distributed.

    Parameters
    ----------
    check : Dataset
        Of `mcrock.measurement.replicates.check_of`.

    Returns
    -------
    Axes
        That of the first measure; a column for each, above it a row for each test, below the distribution
        function of the ranks.
    """
    names, measures = check["test"].values.tolist(), check["measure"].values.tolist()
    figure = style.new_figure(style.PAGE, REST + 25.0 + LINE * len(names))
    heights = [LINE * len(names) + 10.0, 35.0]
    above, below = figure.subplots(2, len(measures), sharey="row", height_ratios=heights, squeeze=False)
    low, high = _interval(check)
    backwards = slice(None, None, -1)
    for ax, lower, name in zip(above, below, measures, strict=True):
        ends = np.stack([each.sel(measure=name).values[backwards] for each in (low, high)])
        row = style.interval_rows(ax, names[backwards], ends, [style.BLUE])
        middle = check["simulated"].sel(measure=name).median("replicate").values[backwards]
        ax.plot(middle, row, "|", color=style.BLUE, markersize=3.0)
        values = check["measured"].sel(measure=name).values[backwards]
        ax.plot(values, row, "o", color=style.ORANGE, markersize=2.4)
        ax.tick_params(axis="y", labelsize=style.NOTE_SIZE)
        ax.locator_params(axis="x", nbins=4)  # of four in a row, with three digits each
        unit = check["units"].sel(measure=name).item()
        words = name.upper() if len(name) == 4 else name.replace("_", " ").capitalize()
        ax.set_xlabel(words if unit == "1" else f"{words} [{unit}]")
        rank = np.sort(check["rank"].sel(measure=name).values)
        lower.plot([0.0, 1.0], [0.0, 1.0], color=style.GREY, linewidth=0.8, linestyle=":")
        lower.step([0.0, *rank, 1.0], [0.0, *(np.arange(rank.size) + 1) / rank.size, 1.0], where="post")
        lower.set_title(f"p = {float(check['p_value'].sel(measure=name)):.2g}")
        lower.set_xticks([0.0, 0.5, 1.0], ["0", "0.5", "1"])
        lower.set_xlabel("Rank")
    style.probability_axis(below[0], "Tests below")
    style.add_note(
        above[0],
        f"Bars: {LEVEL:.0%} of {check.sizes['replicate']} simulated campaigns, with their medians; dots: "
        "measured. Below: distribution function of the ranks of the measured among the simulated, dotted "
        "that of uniform ranks.",
    )
    return above[0]
