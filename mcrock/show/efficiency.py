"""Deviance of a cloud study explained by each of its intensity measures."""

from __future__ import annotations

from typing import Unpack

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from mcrock.base.estimates import format_estimate
from mcrock.dataset.opened import takes_path
from mcrock.show.style import (
    BLUE,
    NOTE_SIZE,
    add_note,
    axis_scale,
    count_words,
    new_axes,
    number_axis,
    styled,
    unit_of,
)
from mcrock.statistics import by_measure, compare_measures, measures_of
from mcrock.statistics.inference import Bootstrap, BootstrapKeywords, takes

LINE = 12.0  # height of a measure in the figure [mm]
REST = 34.0  # height of everything else [mm]
WIDTH = 130.0  # so that the longest names fit beside their axis [mm]


@takes_path
@styled
@takes(Bootstrap)
def plot_measures(
    ds: xr.Dataset,
    ax: Axes | None = None,
    *,
    found: xr.Dataset | None = None,
    **keywords: Unpack[BootstrapKeywords],
) -> Axes:
    """Draw the fraction of the deviance that each intensity measure explains, with its interval.

    Parameters
    ----------
    ds : Dataset
        Cloud study with several measures, as for `mcrock.statistics.compare_measures`.
    ax : Axes, optional
        Where to draw; by default on a new figure 130 mm wide.
    found : Dataset, optional
        From `mcrock.statistics.compare_measures`, of the same runs and keywords; by default computed.
    **keywords
        As for `mcrock.statistics.compare_measures`.

    Returns
    -------
    Axes
        The measure that explains most on top.

    Raises
    ------
    ValueError
        As `mcrock.statistics.compare_measures`.
    """
    found = compare_measures(ds, **keywords) if found is None else found
    words = {
        name: by_measure(ds, name)["intensity_value"].attrs.get("long_name", name) for name in measures_of(ds)
    }
    found = found.isel(measure=found["explained"].argsort().values)
    ax = new_axes(WIDTH, REST + LINE * found.sizes["measure"]) if ax is None else ax
    share, row = found["explained"].values, np.arange(found.sizes["measure"])
    low, high = found["explained_interval"].values
    ax.hlines(row, low, high, color=BLUE, alpha=0.45, linewidth=3.0)
    ax.plot(share, row, "o", color=BLUE, markersize=4.0)
    for i, name in enumerate(found["measure"].values.tolist()):
        fit = found.isel(measure=i)
        for text, above in ((words[name], 5.0), (_curve(fit), -11.0)):
            label = ax.annotate(
                text,
                (0.0, i),
                xycoords=("axes fraction", "data"),
                xytext=(3.0, above),
                textcoords="offset points",
                fontsize=NOTE_SIZE,
            )
            label.set_in_layout(False)  # it has the width of the axes and would take more
    ax.set_yticks(row, found["measure"].values.tolist())
    ax.set_ylim(-0.7, len(row) - 0.4)
    largest = np.nanmax([0.1, *np.where(np.isfinite(high), high, share)])
    ax.set_xlim(0, min(1.0, 1.15 * largest))
    ax.set_xlabel("Fraction of the deviance explained [1]")
    number_axis(ax)
    note = f"{count_words(found, ds.sizes['realization'])}. "
    if np.isfinite(low).all():
        drawn = f"{found.attrs['resamples']} resamples of the {found.attrs['independent']}"
        note += f"Bars: {found.attrs['level']:.0%} intervals, {drawn}. "
    add_note(ax, note + "1: the measure decides overturning; 0: it says nothing about it.")
    return ax


def _curve(fit: xr.Dataset) -> str:
    """Median and dispersion of the curve by a measure."""
    if not np.isfinite(fit["median_capacity"]):
        return "no curve"
    median = xr.DataArray(fit["median_capacity"].values, attrs={"units": fit["units"].item()})
    factor, label = axis_scale(median)
    unit = unit_of(label).replace("1", "")
    dispersion = format_estimate(float(fit["dispersion"]), *fit["dispersion_interval"].values.tolist())
    return f"median {float(median) * factor:.3g} {unit}".rstrip() + f", dispersion {dispersion}"
