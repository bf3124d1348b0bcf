"""Impulses and energy of a planar rocking block over its coefficient, and the coefficients of a rebound."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap

from mcrock.show.style import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PAGE,
    add_note,
    axis_scale,
    new_figure,
    number_axis,
    styled,
)

LOOKS = {"no friction": (BLUE, "-"), "corners stick": (ORANGE, "--"), "Coulomb friction": (GREEN, "-.")}


@styled
def plot_planar_block(ds: xr.Dataset) -> Axes:
    """Draw corner impulses and energy over e_n21, and the plane of coefficients of a rebound.

    Parameters
    ----------
    ds : Dataset
        From `mcrock.laws.systems.planar_block.example`.

    Returns
    -------
    Axes
        The first of three panels.
    """
    figure = new_figure(PAGE, 84.0)
    first, energy, plane = figure.subplots(1, 3)
    x = ds["e_n21"].values
    for motion, (colour, line) in LOOKS.items():
        one = ds.sel(motion=motion)
        first.plot(x, one["leaving"], color=colour, linestyle=line, label=motion)
        first.plot(x, one["landing"], color=colour, linestyle=line, linewidth=0.8)
        energy.plot(x, one["energy_ratio"], color=colour, linestyle=line)
    first.axhline(0.0, color=GREY, linewidth=0.6, zorder=0)
    first.axhspan(min(0.0, float(ds["leaving"].min())), 0.0, color=GREY, alpha=0.2, linewidth=0)
    first.set_ylabel("Impulse [N s]")
    number_axis(first, "y")
    energy.set_ylabel(axis_scale(ds["energy_ratio"])[1])
    _draw_ranges(energy, ds)
    for ax in (first, energy):
        ax.set_xlabel(r"$e_{n21}$ of the leaving corner [1]")
        ax.set_xlim(0.0, 1.0)
        number_axis(ax)
    _draw_plane(plane, ds)
    figure.legend(*first.get_legend_handles_labels(), loc="outside upper left", ncols=3)
    add_note(
        first,
        f"{ds.attrs['title']}, Housner's ratio {ds.attrs['housner']:.3g}. Left, thick: the corner that "
        "leaves; thin: the one that lands; grey: pulled. Middle, bars: coefficients that "
        "pass all checks, with Coulomb's law for this slip. Right: rebound without slip before and after; "
        "shaded: admissible, solid: no energy is lost, dashed: no impulse at the leaving corner, dot: "
        "Housner's impact.",
    )
    return first


def _draw_ranges(ax: Axes, ds: xr.Dataset) -> None:
    """Bars of the admissible coefficients under the curves."""
    step = 0.06
    for place, (motion, (colour, _)) in enumerate(LOOKS.items()):
        low, high = float(ds["low"].sel(motion=motion)), float(ds["high"].sel(motion=motion))
        ax.plot([low, high], [-step * (place + 1)] * 2, color=colour, linewidth=3.0, solid_capstyle="butt")
    top = max(1.05, float(ds["energy_ratio"].max()) + 0.05)
    ax.set_ylim(-step * (len(LOOKS) + 1), top)
    ax.set_yticks([0.0, 0.25, 0.5, 0.75, 1.0], ["0", "0.25", "0.5", "0.75", "1"])


def _draw_plane(ax: Axes, ds: xr.Dataset) -> None:
    """Admissible coefficients of a rebound."""
    x, y = ds["e_n1"].values, ds["rebound"].values
    loss, landing, leaving = (ds[name].values.T for name in ("loss", "landing_push", "leaving_push"))
    admissible = (loss >= 0) & (landing >= 0) & (leaving >= 0) & (x[None, :] >= 0) & (y[:, None] >= 0)
    ax.pcolormesh(
        x,
        y,
        np.where(admissible, 1.0, np.nan),
        cmap=ListedColormap([BLUE]),
        alpha=0.3,
        shading="nearest",
        rasterized=True,
    )
    for values, colour, line in ((loss, BLUE, "-"), (leaving, ORANGE, "--")):
        ax.contour(x, y, values, levels=[0.0], colors=[colour], linestyles=[line], linewidths=1.2)
    ax.axhline(0.0, color=GREY, linewidth=0.6, zorder=0)
    ax.axvline(0.0, color=GREY, linewidth=0.6, zorder=0)
    if ds.attrs["housner"] >= 0.0:
        ax.plot(0.0, ds.attrs["housner"], "o", color="black", markersize=3.5)
    ax.set_aspect("equal")
    ax.set_xlabel(r"$e_{n1}$ of the landing corner [1]")
    ax.set_ylabel(r"$e_{n21}$ of the leaving corner [1]")
    for name in "xy":
        number_axis(ax, name)
