"""Unknown inputs before and after labels."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from mcrock.base.units import as_printed
from mcrock.show.style import BLUE, PAGE, add_note, new_figure, number_axis, styled

COLUMNS = 3
BINS = 24  # at most
MOST = 12  # inputs that are drawn


@styled
def plot_labels(found: xr.Dataset) -> Axes:
    """Draw the unknown inputs before and after labels, those that changed most first.

    Parameters
    ----------
    found : Dataset
        From `mcrock.labels.calibrate`.

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
    figure = new_figure(PAGE, 14.0 + 42.0 * rows)
    weight = found["weight"].values
    drawn = []
    for k, name in enumerate(order):
        ax = figure.add_subplot(rows, COLUMNS, k + 1)
        values = found[f"draw_{name}"].values
        prior = found[f"before_{name}"].values if f"before_{name}" in found else values
        both = np.concatenate([prior, values])
        bins = min(BINS, round(2 * len(values) ** (1 / 3)))  # Rice's rule
        edges = np.linspace(both.min(), both.max(), bins + 1).tolist()
        ax.hist(prior, edges, density=True, color="0.8", label="before")
        ax.hist(values, edges, weights=weight, density=True, histtype="step", color=BLUE, label="after")
        unit = str(found["unit"].sel(input=name).item())
        ax.set_xlabel(f"{name.replace('_', ' ')} [{as_printed(unit)}]")
        ax.set_yticks([])
        number_axis(ax)
        if k == 0:
            ax.legend(loc="best", handlelength=1.2)
        drawn.append(ax)
    add_note(
        drawn[0],
        f"Draws of the unknown inputs before and after {found.sizes['seen']} labels, "
        f"{float(found['count_seen']):g} fallen; {found.attrs['effective']:.1f} effective of "
        f"{found.attrs['draws']} draws. Densities.",
    )
    return drawn[0]
