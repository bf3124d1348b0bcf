"""Motion after an edge impact over its two parameters, and those that gain no energy."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from mcrock.show.style import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PAGE,
    PURPLE,
    add_note,
    new_figure,
    number_axis,
    styled,
)

LOOKS = ((BLUE, "-"), (ORANGE, "--"), (GREEN, "-."), (PURPLE, ":"))
LEVELS = 9  # of a map


@styled
def plot_edge_impact(ds: xr.Dataset) -> Axes:
    """Draw Fig. 9 and Fig. 13 of the source.

    Parameters
    ----------
    ds : Dataset
        From `mcrock.laws.systems.edge_impact.example`.

    Returns
    -------
    Axes
        The first of four panels.
    """
    figure = new_figure(PAGE, 132.0)
    upper, lower = figure.subfigures(2, 1, height_ratios=[1.0, 1.15], squeeze=False)[:, 0]
    panels = upper.subplots(1, 3, sharey=True)
    scale = 1e3  # of tau: it is small
    for ax, name, letter in zip(panels, ds["axis"].values, "xyz", strict=True):
        values = ds["omega"].sel(axis=name).values
        lines = ax.contour(
            ds["lambda"], scale * ds["tau"], values.T, LEVELS, colors=BLUE, linewidths=0.9, linestyles="solid"
        )
        ax.clabel(lines, fmt=lambda value: f"{value:.3g}", fontsize=6.5)
        ax.set_title(rf"Fig. 9: $\omega^+_{letter}$ [rad/s]")
        ax.set_xlabel(r"$\lambda$ [1]")
        number_axis(ax)
    panels[0].set_ylabel(r"$\tau$ [$10^{-3}$ N m s]")
    number_axis(panels[0], "y")
    ax = lower.subplots()
    for spin, (colour, line) in zip(ds["spin"].values, LOOKS * len(ds["spin"]), strict=False):
        x, low, high = _curve(ds.sel(spin=spin))
        ax.plot(x, scale * low, color=colour, linestyle=line, label=rf"$\{spin.replace(' rad/s', '$ rad/s')}")
        ax.plot(x, scale * high, color=colour, linestyle=line)
    for end in (-1.0, 1.0):
        ax.axvline(end, color=GREY, linestyle=(0, (1, 2)), linewidth=0.9)
    ax.axhline(0.0, color="0.85", linewidth=0.6, zorder=0)
    ax.set_xlim(float(ds["place"][0]), float(ds["place"][-1]))
    ax.set_title(r"Fig. 13: no energy is gained to the right of a curve, $\omega^- = (1, c, \omega_z)$")
    ax.set_xlabel(r"Position of the impulse along the edge, $\lambda$ [1]")
    ax.set_ylabel(r"$\tau$ [$10^{-3}$ N m s]")
    ax.legend(loc="upper left", title="Before the impact")
    number_axis(ax)
    number_axis(ax, "y")
    add_note(
        panels[0],
        f"{ds.attrs['title']}. After Várkonyi et al. (2022), Figs. 9 and 13. Top: angular velocity after the "
        "impact; before it (1, 0, 0) rad/s. Bottom: an impulse on the edge lies between the dotted lines, "
        "(25).",
    )
    return panels[0]


def _curve(ds: xr.Dataset) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Places and both ends of tau, closed at the least lambda."""
    low, high, x = ds["tau_low"].values, ds["tau_high"].values, ds["place"].values
    there = np.isfinite(low)
    middle = 0.5 * (low[there][0] + high[there][0])  # both ends meet: a double root
    start = float(ds["least_lambda"])
    return tuple(np.r_[first, values[there]] for first, values in ((start, x), (middle, low), (middle, high)))
