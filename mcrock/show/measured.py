"""Measures of tests of free rocking: table and figure."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from mcrock.base.estimates import format_interval
from mcrock.show import style
from mcrock.show.numbers import percent
from mcrock.show.tables import Column, table_along

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

REST, LINE = 33.0, 6.0  # of the figure: what is not rows, each row [mm]
SHOWN = ("avrf", "opmf")
LABEL = 24  # characters of a label in a line: two stand side by side in a column


def format_measured(found: xr.Dataset) -> list[str]:
    """A row for each test, and what the columns mean."""
    level = percent(found)

    def number(name: str, form: str) -> Column:
        head = f"{name.replace('_', ' ')} [{found[name].attrs['units']}]".removesuffix(" [1]")
        return head, lambda one: "-" if np.isnan(one[name]) else format(float(one[name]), form)

    def interval(name: str) -> Column:
        return f"{level} interval", lambda one: format_interval(*one[f"{name}_interval"].values.tolist())

    loss: Column = ("energy lost [%]", lambda one: f"{100 * float(one['energy_loss'].mean()):.1f}")
    columns: list[Column] = [
        ("test", lambda one: str(one["test"].item())),
        *((number("tilt", ".4f"), interval("tilt"))),
        number("duration", ".2f"),
        number("facet_impact", ".3f"),
        number("edge_impacts", ".0f"),
        *((number("avrf", ".4f"), interval("avrf"))),
        *((number("opmf", ".3g"), interval("opmf"))),
        loss,
        number("frequency", ".3g"),
        number("frequency_across", ".3g"),
    ]
    return [
        table_along(found, "test", columns, left=True),
        "avrf: angular velocity after an impact over that before, the median of up to nine from peak to peak",
        "opmf: largest angle out of the plane over that in it, after the first impact; - if drift hides it",
        "energy lost: mean share from peak to peak; frequency: where the spectrum of the rate is largest, in "
        "the plane and across it; facet impact: after the release; edge impacts: those "
        "that the sensor resolves from it to the next landing, a part of them where they follow quickly",
    ]


def measured_frame(found: xr.Dataset) -> DataFrame:
    """A row for each test, a column for each number, two of an interval, one for the loss of a half cycle."""
    import pandas as pd

    columns: dict[str, np.ndarray] = {"test": found["test"].values}
    for name, array in found.data_vars.items():
        if array.ndim == 1:
            columns[str(name)] = array.values
            continue
        is_interval = str(name).endswith("_interval")
        ends = ("_low", "_high") if is_interval else [f"_{k + 1}" for k in range(array.shape[1])]
        stem = str(name).removesuffix("_interval")
        columns |= {f"{stem}{end}": values for end, values in zip(ends, array.values.T, strict=True)}
    return pd.DataFrame(columns)


@style.styled
def plot_measured(found: xr.Dataset) -> Axes:
    """Draw the AVRF and the OPMF of tests with their intervals, the quantities of Figure 6 of the source.

    Parameters
    ----------
    found : Dataset
        Of `mcrock.measurement.measure_test`, of any number of tests along `test`.

    Returns
    -------
    Axes
        That of the AVRF; a row for each test.
    """
    figure = style.new_figure(style.COLUMN, REST + LINE * found.sizes["test"])
    panels = figure.subplots(1, len(SHOWN), sharey=True)
    backwards = found.isel(test=slice(None, None, -1))
    for ax, name, colour in zip(panels, SHOWN, (style.BLUE, style.ORANGE), strict=True):
        ends, values = backwards[f"{name}_interval"].values.T, backwards[name].values
        row = style.interval_rows(ax, backwards["test"].values.tolist(), ends, [colour])
        ax.plot(values, row, "o", color=colour, markersize=3.5)
        ax.locator_params(axis="x", nbins=4)  # of two in a column, with three digits each
        ax.set_xlabel(fill(style.axis_scale(found[name])[1], LABEL))
    style.add_note(
        panels[0],
        f"Bars: {percent(found)} intervals: of a median, and what the drift of the sensor leaves open; where "
        "that is all, there is no dot.",
    )
    return panels[0]
