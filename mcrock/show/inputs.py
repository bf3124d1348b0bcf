"""Uncertain inputs of a study: what was drawn, and from which distributions."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator

from mcrock.base.tables.distributions import Discrete, Distribution, Listed
from mcrock.base.units import as_printed
from mcrock.dataset.opened import takes_path
from mcrock.impact.registry import ImpactParameter
from mcrock.show import style
from mcrock.study import Study
from mcrock.study.sampling import variable_name

ROW = 24.0  # height of a row of axes [mm]
ACROSS = 3  # axes in a row, of more than four
MOST = 12  # axes
BINS = 24
FINE = 200  # points of a density
TAIL = 1e-3  # probability beyond each end of a density
_OF_IMPACTS = {item.variable: item.row.rule.unit for item in ImpactParameter}  # where they are drawn anew


def distributed_inputs(study: Study) -> dict[str, Distribution]:
    """Inputs with a distribution by dotted name, drawn once for each realization or anew at every impact."""
    items = {name: study.quantities[name] for name in study.uncertain if name in study.quantities}
    items |= {f"impact.{key}": item for key, item in study.impact.redrawn.items()}
    return {name: item for name, item in items.items() if isinstance(item, Distribution)}


def has_distributions(ds: xr.Dataset) -> bool:
    """Whether a dataset says what its study is, and any number of that has a distribution."""
    config = ds.attrs.get("config") or "{}"
    return "body" in json.loads(config) and bool(distributed_inputs(Study.from_json(config)))


@takes_path
@style.styled
def plot_inputs(ds: xr.Dataset) -> Axes:
    """Draw the distribution of every uncertain number, and what was drawn from it.

    Parameters
    ----------
    ds : Dataset
        Study, with the attribute `config`; of a nested one the runs together, or one draw.

    Returns
    -------
    Axes
        Those of the first of at most twelve inputs, in SI units; azimuths as the study file has them.

    Raises
    ------
    ValueError
        If no number of the study has a distribution.
    """
    study = Study.from_json(ds.attrs["config"])
    inputs = distributed_inputs(study)
    if not inputs:
        raise ValueError("no number of this study has a distribution: there is nothing to draw")
    shown = list(inputs)[:MOST]
    across = 2 if len(shown) in (2, 4) else ACROSS
    rows = -(-len(shown) // across)
    figure = style.new_figure(style.COLUMN, ROW * rows + 14.0)
    grid: list[Axes] = figure.subplots(rows, across, squeeze=False).ravel().tolist()
    for ax, name in zip(grid, shown, strict=False):
        _draw(ax, inputs[name], _drawn(ds, study, name))
        key = style.input_name(name).partition(" ")[2] or name
        ax.set_title(f"{key} [{_unit(ds, study, name)}]", fontsize=7.0, loc="left", pad=3)
    for ax in grid[len(shown) :]:
        ax.set_axis_off()
    more = f" {len(inputs) - MOST} more are not shown." if len(inputs) > MOST else ""
    style.add_note(
        grid[0], f"Densities. Lines: distributions; bars: {ds.sizes['realization']} realizations.{more}"
    )
    return grid[0]


def _drawn(ds: xr.Dataset, study: Study, name: str) -> np.ndarray:
    """Values of an input, in the unit of its key; none of one that is drawn anew at every impact."""
    variable = variable_name(name)
    if variable not in ds:
        return np.zeros(0)
    values = ds[variable].values.astype(float)
    if name == "motion.azimuth":
        values = values / study.motion.rotation[1]
    return values[np.isfinite(values)]


def _unit(ds: xr.Dataset, study: Study, name: str) -> str:
    """Unit in which an input is drawn."""
    if name == "motion.azimuth":
        return "rad" if study.motion.rotation[1] == 1.0 else "°"
    variable = variable_name(name)
    units = str(ds[variable].attrs.get("units", "1")) if variable in ds else _OF_IMPACTS.get(variable, "1")
    return as_printed(units)


def _draw(ax: Axes, item: Distribution, values: np.ndarray) -> None:
    if isinstance(item, Discrete):
        given, reached = item.steps
        ax.vlines(given, 0, np.diff(reached, prepend=0.0), color=style.DEEP_RED, linewidth=1.0)
        found = [(values == value).mean() for value in given] if len(values) else []
        ax.plot(given[: len(found)], found, "o", color=style.BLUE, markersize=2.5, alpha=0.6)
    else:
        _draw_density(ax, item, values)
    ax.set_ylim(bottom=0)
    ax.set_yticks([])
    ax.spines["left"].set_visible(False)
    ax.xaxis.set_major_locator(MaxNLocator(3))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def _draw_density(ax: Axes, item: Distribution, values: np.ndarray) -> None:
    low, high = (float(item.quantile(p)) for p in (TAIL, 1 - TAIL))
    if len(values):
        low, high = min(low, values.min()), max(high, values.max())
        few = np.unique(values)
        if len(few) < len(values) / BINS:  # one number for many realizations: a mark for each
            ax.vlines(few, 0, 0.12, transform=ax.get_xaxis_transform(), color=style.BLUE, linewidth=0.5)
        else:
            look: dict[str, Any] = {"color": style.BLUE, "alpha": 0.35, "linewidth": 0}
            ax.hist(values, bins=BINS, range=(low, high), density=True, **look)
    if isinstance(item, Listed):
        return
    x = np.linspace(low, high, FINE)
    with np.errstate(all="ignore"):
        density = np.asarray(item.frozen.pdf(x), float)
    ax.plot(x, np.where(np.isfinite(density), density, np.nan), color=style.DEEP_RED, linewidth=1.0)
