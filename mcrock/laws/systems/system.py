"""What all systems share: their dataset, the sweep over a parameter, axes and lines of figures, and the text.

A system states its physics alone: `compute_NAME` computes a problem over a parameter and gives the result to
`system_dataset`, `draw_NAME` draws it. `mcrock.laws` finds both by the name and module in `SYSTEMS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from mcrock.base.checks import Rule
from mcrock.base.units import variable
from mcrock.show.style import BLUE, axis_scale, number_axis
from mcrock.show.text import wrap

LEVELS = 9  # of a map
Variables = Mapping[str, tuple[Any, ...]]
Quantities = Mapping[str, tuple[str, Callable[[Any], Any], str, str]]
Looks = Mapping[str, tuple[str, Any, str]]  # label -> colour, line and words of the legend


def system_dataset(title: str, description: str, variables: Variables, **attributes: Any) -> xr.Dataset:
    """Data of a system: variables as (dimensions, values, unit, long name), labels as (dimension, values)."""
    return xr.Dataset(
        {name: variable(*parts) if len(parts) == 4 else parts for name, parts in variables.items()},
        attrs={"title": title, "description": description, **attributes},
    )


def swept(dims: str, results: Sequence[Any], quantities: Quantities) -> dict[str, tuple[Any, ...]]:
    """Variables of the results of a sweep, in a list for one swept dimension, in lists of lists for two.

    A quantity is (its own dimensions, function of one result, unit, long name); swept dimensions come last.

    >>> swept("place", [1.0, 2.0], {"ends": ("end", lambda x: [-x, x], "m", "ends")})["ends"][:2]
    ('end place', array([[-1., -2.],
           [ 1.,  2.]]))
    """
    count = len(dims.split())
    last = tuple(range(-count, 0))

    def of(function: Callable[[Any], Any], part: Any) -> Any:
        return [of(function, one) for one in part] if isinstance(part, list) else function(part)

    variables = {}
    for name, (own, function, unit, words) in quantities.items():
        values = np.moveaxis(np.array(of(function, results)), range(count), last)
        variables[name] = (f"{own} {dims}".strip(), values, unit, words)
    return variables


def draw_lines(ax: Axes, x: Any, values: xr.DataArray, looks: Looks, **options: Any) -> None:
    """A line over x for each label of the first dimension of some values."""
    for label, (colour, line, words) in looks.items():
        one = values.sel({values.dims[0]: label})
        ax.plot(x, one, color=colour, linestyle=line, label=words, **options)


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


def numbers(name: str, values: Any, rule: Rule, count: int | None = None) -> list[Any]:
    """One number or several of them, at least one, each of which keeps a rule.

    Raises
    ------
    ValueError
        If one of them does not, or there are not ``count`` of them.

    >>> from mcrock.base.checks import Integer, Number
    >>> numbers("modes", 2, Integer(0)), numbers("velocity", (1, 2), Number("m/s"), 2)
    ([2], [1.0, 2.0])
    """
    listed = list(values) if isinstance(values, Iterable) and not isinstance(values, str) else [values]
    if not listed or (count is not None and len(listed) != count):
        expected = "at least one number" if count is None else f"{count} numbers"
        raise ValueError(f"{name} must be {expected}, each {rule.words}, got {values!r}")
    return [rule.check(name, value) for value in listed]


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
    """Values of every one, or their range; one line for each label of a labelled dimension."""
    lines = []
    for name, one in ds.data_vars.items():
        what = f"{one.attrs.get('long_name', name)} [{one.attrs.get('units', '1')}]"
        labelled = [dim for dim in one.dims if dim in ds.coords and ds[dim].dtype.kind in "OU"]
        if not labelled or one.size <= 2:
            lines.append(f"  {what:<{NAME}}{_format_values(one)}")
            continue
        lines.append(f"  {what}")
        for label in ds[labelled[0]].values:
            lines.append(f"    {label:<{NAME - 2}}{_format_values(one.sel({labelled[0]: label}))}")
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
