"""Figures of the impact laws and of the systems that show them."""

from __future__ import annotations

import importlib

import xarray as xr
from matplotlib.axes import Axes


def plot_system(ds: xr.Dataset) -> Axes:
    """Draw a system of `mcrock.laws.SYSTEMS`.

    Parameters
    ----------
    ds : Dataset
        From `mcrock.laws.system_example`.

    Returns
    -------
    Axes
        The first of the figure.

    Raises
    ------
    ValueError
        If the dataset is of no system.
    """
    name = ds.attrs.get("system")
    if name is None:
        raise ValueError("the dataset is of no system; make it with mcrock.laws.system_example")
    axes: Axes = getattr(importlib.import_module(f"mcrock.plots.laws.{name}"), f"plot_{name}")(ds)
    return axes
