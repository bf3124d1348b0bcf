"""Fragility curves of several limit states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from mcrock.dataset.opened import takes_path
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
    unit_of,
)
from mcrock.statistics import by_limit, fragility_by_limit, pooled
from mcrock.statistics.inference import Bootstrap, BootstrapKeywords, takes
from mcrock.statistics.limit_states import limit_words


@takes_path
@styled
@takes(Bootstrap)
def plot_limits(
    ds: xr.Dataset,
    limits: Sequence[tuple[str, float]] | None = None,
    ax: Axes | None = None,
    *,
    found: xr.Dataset | None = None,
    **keywords: Unpack[BootstrapKeywords],
) -> Axes:
    """Draw the fragility curve of each of several limit states, with the observed fractions.

    Parameters
    ----------
    ds, limits, **keywords
        As for `mcrock.statistics.fragility_by_limit`.
    ax : Axes, optional
        Where to draw; by default on a new figure one column wide.
    found : Dataset, optional
        From `mcrock.statistics.fragility_by_limit`, of the same runs and keywords; by default computed.

    Returns
    -------
    Axes
        Acceleration in g, other intensities in their own unit.

    Raises
    ------
    ValueError
        As `mcrock.statistics.fragility_by_limit`.
    """
    how = Bootstrap(**keywords)
    ds = pooled(ds)
    fits = fragility_by_limit(ds, limits, **keywords) if found is None else found
    ax = new_axes(height=70.0 + 4.0 * fits.sizes["limit"]) if ax is None else ax
    factor, label = axis_scale(fits["intensity_grid"])
    for i in range(fits.sizes["limit"]):
        fit, colour = fits.isel(limit=i), COLOURS[i % len(COLOURS)]
        variable, marker = str(fit["variable"].item()), MARKERS[i % len(MARKERS)]
        points = observed(by_limit(ds, variable, float(fit["value"])) if variable else ds, how)
        if np.isfinite(fit["median_capacity"]):
            draw_curve(ax, fits["intensity_grid"].values * factor, fit, colour)
        at, share = points["intensity"] * factor, points["probability"]
        ax.plot(at, share, marker, color=colour, markersize=3.2, clip_on=False, zorder=3)
        ax.plot([], [], f"{marker}-", color=colour, markersize=3.2, label=_name(fit, factor, label))
    ax.set_xlim(0, float(fits["intensity_grid"][-1]) * factor)
    ax.set_xlabel(label)
    number_axis(ax)
    probability_axis(ax, "Probability of exceeding the limit [1]")
    title = f"Limit: median ({how.level:.0%} interval), dispersion"
    ax.legend(loc="lower left", bbox_to_anchor=(-0.1, 1.02), ncols=1, title=title, handlelength=1.6)
    note = f"{count_words(fits, int(fits['runs'][0]))}. Overturned runs exceed every limit. "
    if int(fits["undecided"].max()):
        note += f"Up to {int(fits['undecided'].max())} undecided: both ways in the intervals. "
    add_note(ax, f"{note}Dashed: no run supports the curve.")
    return ax


def _name(fit: xr.Dataset, factor: float, label: str) -> str:
    """``uplift: 0.21 g (0.2 to 0.23), 0.1``."""
    median, (low, high) = (
        float(fit["median_capacity"]) * factor,
        fit["median_capacity_interval"].values * factor,
    )
    unit = unit_of(label)
    name = limit_words(fit)
    if not np.isfinite(median):
        return f"{name}: no curve"
    words = f"{low:.3g} to {high:.3g}" if np.isfinite(high) else f"above {low:.3g}"
    return f"{name}: {median:.3g} {unit} ({words}), {float(fit['dispersion']):.2g}"
