"""Axes of the systems' figures: what they all have."""

from __future__ import annotations

from typing import Any

import xarray as xr
from matplotlib.axes import Axes

from mcrock.show.style import BLUE, axis_scale, number_axis

LEVELS = 9  # of a map


def label_axes(
    ax: Axes, x: str | xr.DataArray = "", y: str | xr.DataArray = "", *, legend: int = 0, **options: Any
) -> None:
    """Labels, few numbers along the axes that get one, and a legend above in so many columns.

    Labels are words or a variable with its unit; ``options`` are further ones of the legend.
    """
    for name, label in (("x", x), ("y", y)):
        words = label if isinstance(label, str) else axis_scale(label)[1]
        if words:
            ax.set(**{f"{name}label": words})
            number_axis(ax, name)
    if legend:
        ax.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=legend, columnspacing=1.2, **options)


def draw_levels(ax: Axes, x: Any, y: Any, values: Any) -> None:
    """Level lines of a map, with their values."""
    lines = ax.contour(x, y, values, LEVELS, colors=BLUE, linewidths=0.9, linestyles="solid")
    ax.clabel(lines, fmt=lambda value: f"{value:.3g}", fontsize=6.5)
