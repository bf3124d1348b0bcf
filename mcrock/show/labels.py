"""Unknown inputs before and after labels."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from mcrock.base.units import as_printed
from mcrock.show import style
from mcrock.show.numbers import label, percent
from mcrock.show.tables import Column, table_along
from mcrock.statistics.labels import REMEDY

COLUMNS = 3
BINS = 24  # at most
MOST = 12  # inputs that are drawn
TEMPERED = 0.999  # of the power of the likelihood, below which it is said


def format_labels(found: xr.Dataset, studies: Sequence[str]) -> str:
    """Weights, unknown inputs and probabilities before and after labels.

    Parameters
    ----------
    found : Dataset
        From `mcrock.statistics.labels`.
    studies : sequence of str
        Names of the studies.
    """
    attrs, level = found.attrs, percent(found)
    lines = [
        f"{found.sizes['seen']} labels, {float(found['count_seen']):g} fallen; "
        f"error rate {attrs['error_rate']:g}",
        f"{attrs['effective']:.1f} effective of {attrs['draws']} draws",
    ]
    if attrs["temper"] < TEMPERED:
        lines.append(
            f"the draws do not suffice for these labels: their likelihood is taken to the power "
            f"{attrs['temper']:.3g}, the largest that leaves so many; for all that they say, {REMEDY}"
        )
    stages = found["stage"].values.tolist()

    def mean(stage: str, one: xr.Dataset) -> str:
        return f"{float(one['mean'].sel(stage=stage)):.4g} +-{float(one['std'].sel(stage=stage)):.2g}"

    def quantiles(stage: str, one: xr.Dataset) -> str:
        return " to ".join(f"{x:.4g}" for x in one["quantile"].sel(stage=stage).values)

    columns: list[Column] = [("", lambda one: f"{one['input'].item()} [{one['unit'].item()}]")]
    for stage in stages:
        columns += [(stage, partial(mean, stage)), (level, partial(quantiles, stage))]
    if found.sizes["input"]:
        lines += ["", "Unknown inputs", table_along(found, "input", columns, left=True)]
    lines += ["", "How many of the labelled should have fallen"]
    for stage in stages:
        one = found.sel(stage=stage)
        lines.append(
            f"  {stage} the labels {float(one['count']):.1f} +-{float(one['count_std']):.1f}, seen "
            f"{float(found['count_seen']):g}: P {float(one['tail']):.2g} of being as far off"
        )
    for number, name in enumerate(studies):
        lines += ["", f"Probability of overturning, {name}", _probabilities(found, number)]
    return "\n".join(lines)


def _probabilities(found: xr.Dataset, number: int) -> str:
    """Table of the probabilities of a study by its stages."""
    names = {"p": f"probability_{number}", "ends": f"probability_interval_{number}"}
    study = found[list(names.values())].rename({old: new for new, old in names.items()})
    (axis,) = set(study["p"].dims) - {"stage"}

    def mean(stage: str, one: xr.Dataset) -> str:
        return f"{float(one['p'].sel(stage=stage)):.4f}"

    def interval(stage: str, one: xr.Dataset) -> str:
        return " to ".join(f"{end:.3f}" for end in one["ends"].sel(stage=stage).values)

    columns: list[Column] = [("intensity", lambda one: label(one[axis]) if axis in one.coords else "all")]
    for stage in found["stage"].values.tolist():
        columns += [(stage, partial(mean, stage)), (f"{percent(found)} of draws", partial(interval, stage))]
    return str(table_along(study, str(axis), columns))


@style.styled
def plot_labels(found: xr.Dataset) -> Axes:
    """Draw the unknown inputs before and after labels, those that changed most first.

    Parameters
    ----------
    found : Dataset
        From `mcrock.statistics.labels`.

    Returns
    -------
    Axes
        The first of up to twelve, with histograms of the draws: grey before the labels, blue after.

    Raises
    ------
    ValueError
        If there is no unknown input.
    """
    names = [name for name in found["input"].values.tolist() if f"draw_{name}" in found]
    if not names:
        raise ValueError("no unknown input has values to draw")
    before, after = (found.sel(stage=stage) for stage in found["stage"].values)
    shift = (after["mean"] - before["mean"]).values / before["std"].values
    change = np.abs(shift) + np.abs(1.0 - after["std"].values / before["std"].values)
    order = [names[k] for k in np.argsort(-np.nan_to_num(change), kind="stable")][:MOST]
    rows = -(-len(order) // COLUMNS)
    figure = style.new_figure(style.PAGE, 14.0 + 42.0 * rows)
    weight = found["weight"].values
    drawn = []
    for k, name in enumerate(order):
        ax = figure.add_subplot(rows, COLUMNS, k + 1)
        values = found[f"draw_{name}"].values
        bins = min(BINS, round(2 * len(values) ** (1 / 3)))  # Rice's rule
        edges = np.linspace(values.min(), values.max(), bins + 1).tolist()
        ax.hist(values, edges, density=True, color="0.8", label="before")
        look: dict[str, Any] = {"weights": weight, "histtype": "step", "color": style.BLUE}
        ax.hist(values, edges, density=True, label="after", **look)
        unit = as_printed(str(found["unit"].sel(input=name).item()))
        ax.set(xlabel=f"{name.replace('_', ' ')} [{unit}]", yticks=[])
        style.number_axis(ax)
        drawn.append(ax)
    drawn[0].legend(loc="best", handlelength=1.2)
    style.add_note(
        drawn[0],
        f"Draws of the unknown inputs before and after {found.sizes['seen']} labels, "
        f"{float(found['count_seen']):g} fallen; {found.attrs['effective']:.1f} effective of "
        f"{found.attrs['draws']} draws. Densities.",
    )
    return drawn[0]
