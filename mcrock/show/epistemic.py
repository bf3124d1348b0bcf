"""Nested studies: the probability of every outer draw, and where the variance comes from."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import xarray as xr

from mcrock.dataset.opened import takes_path
from mcrock.show import style
from mcrock.show.numbers import label, labels, percent, with_ends
from mcrock.show.tables import table_along
from mcrock.statistics import epistemic_bounds, epistemic_fragility, epistemic_probability, variance_shares

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COMPONENTS = {  # by component: its name in the figure and its colour, neighbours apart in grey
    "epistemic": ("epistemic alone", style.GREEN),
    "epistemic_record": ("epistemic x record", style.YELLOW),
    "epistemic_within": ("epistemic x azimuth etc.", style.ORANGE),
    "within_record": ("azimuth etc. in records", style.PALE_BLUE),
    "record": ("record", "0.92"),
}


class Nested(NamedTuple):
    """Statistics of a nested study, each a dataset."""

    shares: xr.Dataset  # from `variance_shares`
    probability: xr.Dataset  # from `epistemic_probability`
    fragility: xr.Dataset  # from `epistemic_fragility`
    bounds: xr.Dataset  # from `epistemic_bounds`


def summarize_nested(ds: xr.Dataset, level: float) -> Nested:
    """All statistics that a nested study has in addition to those of its pooled runs."""
    return Nested(
        variance_shares(ds, level=level),
        epistemic_probability(ds, level=level),
        epistemic_fragility(ds),
        epistemic_bounds(ds, level=level),
    )


def format_nested(nested: Nested) -> list[str]:
    """Lines on what ignorance does to the probability, and what it does in single earthquakes."""
    shares, bounds = nested.shares, nested.bounds
    level, draws = f"{percent(shares)} interval", int(shares["draws"])
    fractiles = nested.probability["fractile_probability"]
    both = shares.assign(of_all=nested.probability["probability"], fractiles=fractiles[[0, -1]])
    table = table_along(
        both,
        "intensity",
        [
            ("intensity", lambda one: label(one["intensity"])),
            ("probability", lambda one: _words(one["of_all"])),
            ("5 to 95 % of draws", lambda one: _words(one["fractiles"])),
            ("deviation", lambda one: _words(one["deviation"])),
            (f"first order ({level})", lambda one: with_ends(one, "first_order", ".3f")),
            ("total", lambda one: with_ends(one, "total", ".3f")),
        ],
    )
    over_the_range = table_along(
        bounds,
        "intensity",
        [
            ("intensity", lambda one: label(one["intensity"])),
            ("least", lambda one: _words(one["estimate"][0])),
            ("largest", lambda one: _words(one["estimate"][1])),
            ("as counted", lambda one: _words(one["naive"])),
            (f"all draws at once ({level})", lambda one: _words(one["interval"])),
        ],
    )
    return [
        "",
        f"Epistemic uncertainty: {draws} outer draws that meet the same motions",
        table,
        "first order: part of the variance of overturning that the draws explain over all earthquakes; "
        "total: part that they take part in, in single earthquakes too",
        "",
        f"Over the whole range: smallest and largest probability of {draws} draws, chosen on one half of the "
        "records and estimated on the other",
        over_the_range,
        f"the largest exceeds the probability on {100 * float(bounds['content']):.3g} % of the range with "
        f"{percent(bounds)} confidence, but for the noise of its runs",
        *_dispersions(nested.fragility),
        *_drivers(bounds),
        "",
    ]


def _words(values: xr.DataArray) -> str:
    """A probability, or the two ends of a range of them."""
    return " to ".join(f"{p:.3f}" for p in values.values.ravel())


def _dispersions(fragility: xr.Dataset) -> list[str]:
    """Dispersions of the fragility by their kinds; none where a draw has no curve."""
    names = ("aleatory", "epistemic", "sampling", "uncertainty")
    beta_r, epistemic, sampling, beta_u = (float(fragility[name]) for name in names)
    if math.isnan(beta_u):
        return ["a draw has no fragility curve of its own: more levels or records tell its dispersions apart"]
    return [
        f"dispersion for given unknown numbers beta_R = {beta_r:.3f}; of the median beta_U = {beta_u:.3f}: "
        f"{epistemic:.3f} from epistemic inputs and {sampling:.3f} from the number of records"
    ]


def _drivers(bounds: xr.Dataset) -> list[str]:
    """Inputs most correlated with the fractions of the draws, at each intensity."""
    if "rank_correlation" not in bounds:
        return []
    found = []
    for place, column in zip(labels(bounds["intensity"]), bounds["rank_correlation"].values.T, strict=True):
        if not np.isnan(column).all():
            k = int(abs(column).argmax())
            found.append(f"{bounds['input'].values[k]} at {place} ({column[k]:+.2f})")
    return [f"they go most with {', '.join(found)}: rank correlation over the draws"] if found else []


@takes_path
@style.styled
def plot_probability_box(
    ds: xr.Dataset, ax: Axes | None = None, *, level: float = 0.95, found: xr.Dataset | None = None
) -> Axes:
    """Draw the probability of each outer draw, their box, and the interval for new earthquakes.

    Parameters
    ----------
    ds : Dataset
        Nested study, as for `mcrock.statistics.epistemic_probability`.
    ax : Axes, optional
        Where to draw; by default on a new figure one column wide.
    level : float
        Coverage of the intervals [1].
    found : Dataset, optional
        From `mcrock.statistics.epistemic_probability`, of the same study and level; by default computed.

    Returns
    -------
    Axes
        Acceleration in g, other intensities in their own unit.

    Raises
    ------
    ValueError
        As `mcrock.statistics.epistemic_probability`.
    """
    found = epistemic_probability(ds, level=level) if found is None else found
    found = found.sortby("intensity")
    ax = style.new_axes() if ax is None else ax
    x = found["intensity"].values * style.level_axis(ax, found["intensity"])
    look: dict[str, Any] = {"color": style.BLUE, "alpha": 0.3, "linewidth": 0}
    ax.fill_between(x, *found["box"].values, label="box, 5 to 95 %", **look)
    ax.plot(x, found["draw_probability"].values.T, color="0.4", linewidth=0.25, alpha=0.6)
    look = {"fmt": "o-", "color": style.DEEP_RED, "linewidth": 1.0, "clip_on": False}
    mean, ends = found["probability"].values, found["interval"].values
    style.error_bars(ax, x, mean, ends, label=f"mean, {level:.0%} interval", **look)
    style.probability_axis(ax, "Probability of overturning [1]")
    style.legend_above(ax)
    style.add_note(
        ax,
        f"Thin lines: {int(found['draws'])} outer draws, less the noise of their runs; box: their spread, "
        f"epistemic uncertainty. Bars: sampling error of {int(found['records'])} recordings. "
        f"{int(found['runs'])} runs.",
    )
    return ax


@takes_path
@style.styled
def plot_variance_shares(
    ds: xr.Dataset, ax: Axes | None = None, *, level: float = 0.95, found: xr.Dataset | None = None
) -> Axes:
    """Draw the shares of the variance of overturning by source, and the total share of the epistemic inputs.

    Parameters
    ----------
    ds : Dataset
        Nested study, as for `mcrock.statistics.variance_shares`.
    ax : Axes, optional
        Where to draw; by default on a new figure one column wide.
    level : float
        Coverage of the interval of the total share [1].
    found : Dataset, optional
        From `mcrock.statistics.variance_shares`, of the same study and level; by default computed.

    Returns
    -------
    Axes
        A bar for each intensity; none where all runs ended alike.

    Raises
    ------
    ValueError
        As `mcrock.statistics.variance_shares`.
    """
    found = variance_shares(ds, level=level) if found is None else found
    found = found.sortby("intensity")
    ax = style.new_axes(height=78.0) if ax is None else ax
    factor, axis_label = style.axis_scale(found["intensity"])
    parts = [
        (words, np.nan_to_num(found["share"].sel(component=name).values), {"color": colour, "linewidth": 0})
        for name, (words, colour) in COMPONENTS.items()
    ]
    style.stacked_bars(ax, style.short_numbers(found["intensity"].values * factor), parts)
    total, ends = found["total"].values, found["total_interval"].values
    look: dict[str, Any] = {"fmt": "D", "color": "0.15", "label": f"epistemic, total, {level:.0%} interval"}
    style.error_bars(ax, np.arange(len(total)), total, ends, **look)
    ax.set_xlabel(axis_label)
    style.probability_axis(ax, "Share of the variance [1]")
    style.legend_above(ax, left=-0.14, handlelength=1.0)
    style.add_note(
        ax,
        f"{int(found['draws'])} outer draws x {int(found['records'])} recordings, {int(found['runs'])} runs. "
        "Alone: effect of the epistemic inputs on the probability over all earthquakes; total: with their "
        "effect in single earthquakes.",
    )
    return ax
