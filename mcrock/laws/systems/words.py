"""A system of `mcrock.laws` as text: what it shows, its parameters and its numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from mcrock.show.tables import wrap

WIDTH = 100  # of text [characters]
FEW = 6  # numbers that are printed one by one
NAME = 72  # of a variable [characters]
ROUNDING = 1e-12  # a number that is so much smaller than the others is 0


def format_system(ds: xr.Dataset, parameters: Mapping[str, Any]) -> str:
    """Title, description, parameters and variables of a computed system."""
    items = ", ".join(f"{key} = {_format_parameter(value)}" for key, value in parameters.items())
    blocks = [ds.attrs["title"], wrap(ds.attrs["description"], WIDTH)]
    return "\n\n".join([*blocks, wrap(f"parameters: {items}", WIDTH, "  "), _variable_lines(ds)])


def _format_parameter(value: Any) -> str:
    if isinstance(value, tuple | list):
        return "[" + ", ".join(map(_format_parameter, value)) + "]"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _variable_lines(ds: xr.Dataset) -> str:
    """Values of every variable, or their range; one line for each label of a labelled dimension."""
    lines = []
    for name, variable in ds.data_vars.items():
        what = f"{variable.attrs.get('long_name', name)} [{variable.attrs.get('units', '1')}]"
        labelled = [dim for dim in variable.dims if dim in ds.coords and ds[dim].dtype.kind in "OU"]
        if not labelled or variable.size <= 2:
            lines.append(f"  {what:<{NAME}}{_format_values(variable)}")
            continue
        lines.append(f"  {what}")
        for label in ds[labelled[0]].values:
            lines.append(f"    {label:<{NAME - 2}}{_format_values(variable.sel({labelled[0]: label}))}")
    return "\n".join(lines)


def _format_values(variable: xr.DataArray) -> str:
    values = variable.values.ravel()
    if values.dtype == bool:
        share = values.mean()
        return "yes" if share == 1 else "no" if share == 0 else f"yes in {share:.0%}"
    if values.dtype.kind in "OSU":
        return ", ".join(map(str, values[:FEW])) + (", ..." if len(values) > FEW else "")
    finite = values[np.isfinite(values.astype(float))]
    if not finite.size:
        return "none"
    values = np.where(np.abs(values) < ROUNDING * np.abs(finite).max(), 0.0, values)
    if len(values) <= FEW:
        return ", ".join(f"{value:.6g}" for value in values)
    low, high = (f"{end(values):.4g}" for end in (np.nanmin, np.nanmax))
    return low if low == high else f"{low} to {high}"
