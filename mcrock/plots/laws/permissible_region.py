"""Permissible impulses of a plane collision, and what the laws reach of them."""

from __future__ import annotations

from math import isinf

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.patches import Polygon

from mcrock.show.style import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    SKY,
    add_note,
    figure_of,
    new_axes,
    number_axis,
    styled,
)

LAWS = {
    "smith": (GREEN, "-", "Smith"),
    "whittaker": (ORANGE, "-", "Whittaker"),
    "two_phase": (PURPLE, "--", "two phases"),
    "routh": (BLUE, ":", "Routh"),
}
WIDTHS = {"smith": 1.3, "whittaker": 2.6, "two_phase": 1.6, "routh": 1.6}
LINES = {
    "maximum_compression": ("--", "maximum compression"),
    "sticking": ("-.", "sticking"),
    "full_restitution": (":", "$e = 1$"),
}


@styled
def plot_permissible_region(ds: xr.Dataset) -> Axes:
    """Draw the region, the energy ellipse and the impulses that each law reaches.

    Parameters
    ----------
    ds : Dataset
        From `mcrock.laws.systems.permissible_region.example`.

    Returns
    -------
    Axes
        Tangential impulse across, normal impulse upwards, to one scale.
    """
    ax = new_axes(height=98.0)
    across, up = ds.sel(component="tangential"), ds.sel(component="normal")
    ax.add_patch(
        Polygon(
            np.column_stack([across["region"], up["region"]]),
            facecolor="0.9",
            edgecolor="none",
            label="permissible",
        )
    )
    ax.plot(across["ellipse"], up["ellipse"], color="0.35", linewidth=0.8, label="no loss of energy")
    _draw_friction(ax, ds)
    if ds.attrs["case"] == "construction":
        _draw_construction(ax, ds)
    else:
        _draw_laws(ax, ds)
    ax.plot(0.0, 0.0, marker="o", markersize=3.0, color="black")
    _name_point(ax, 0.0, 0.0, "O", (-9, -9))
    _name_point(ax, float(across["sticking"]), float(up["sticking"]), "$P_{II}$", (6, -5))
    ax.set_aspect("equal")
    _frame(ax, ds)
    number_axis(ax)
    number_axis(ax, "y")
    ax.set_xlabel("Tangential impulse [N s]")
    ax.set_ylabel("Normal impulse [N s]")
    figure_of(ax).legend(loc="outside upper left", ncols=3, handlelength=1.8, columnspacing=1.2)
    add_note(ax, _note(ds))
    return ax


def _draw_friction(ax: Axes, ds: xr.Dataset) -> None:
    """Friction lines from the origin."""
    mu, far = ds.attrs["friction"], float(np.abs(ds["lines"]).max())
    for side in (-1.0, 1.0):
        x, y = (side * far, 0.0) if isinf(mu) else (side * mu * far, far)
        label = "friction" if side > 0.0 else None
        ax.plot([0.0, x], [0.0, y], color=GREY, linewidth=0.8, label=label)


def _draw_construction(ax: Axes, ds: xr.Dataset) -> None:
    """Lines and points from which the region is built."""
    for line, (style, words) in LINES.items():
        ends = ds["lines"].sel(line=line)
        x, y = ends.sel(component="tangential"), ends.sel(component="normal")
        ax.plot(x, y, color=BLUE, linestyle=style, linewidth=1.0, label=words)
    along, up = (float(ds["compression"].sel(component=name)) for name in ("tangential", "normal"))
    _name_point(ax, along, up, "$P_I$", (-14, -4))
    _name_point(ax, 2.0 * along, 2.0 * up, "$2P_I$", (-3, 5))
    along, up = (float(ds["sticking"].sel(component=name)) for name in ("tangential", "normal"))
    _name_point(ax, 2.0 * along, 2.0 * up, "$2P_{II}$", (4, 2))


def _draw_laws(ax: Axes, ds: xr.Dataset) -> None:
    """What each law reaches: an area for two coefficients, a curve for one."""
    area = ds["area"]
    outline = np.column_stack([area.sel(component="tangential"), area.sel(component="normal")])
    ax.add_patch(Polygon(outline, facecolor=SKY, alpha=0.45, edgecolor="none", label="Chatterjee and Ruina"))
    ax.add_patch(Polygon(outline, facecolor="none", edgecolor=SKY, linewidth=1.2, joinstyle="round"))
    for law, (colour, style, words) in LAWS.items():
        curve = ds["reach"].sel(law=law)
        x, y = curve.sel(component="tangential").values, curve.sel(component="normal").values
        if not np.isfinite(x).any():
            continue
        ax.plot(x, y, color=colour, linestyle=style, linewidth=WIDTHS[law], label=words)
        found = np.flatnonzero(np.isfinite(x))
        first, last = found[0], found[-1]
        ax.plot(x[first], y[first], marker="o", markersize=3.5, color=colour, markerfacecolor="white")
        if last > first:
            ax.plot(x[last], y[last], marker="o", markersize=3.5, color=colour)


def _name_point(ax: Axes, x: float, y: float, words: str, offset: tuple[int, int]) -> None:
    ax.plot(x, y, marker="o", markersize=2.5, color="black")
    ax.annotate(words, (float(x), float(y)), xytext=offset, textcoords="offset points", fontsize=7.0)


def _frame(ax: Axes, ds: xr.Dataset) -> None:
    """Limits around the region and the laws; around the ellipse too, if it is to be built."""
    shown = [ds["area"], ds["reach"].stack(point=("law", "restitution")), ds["sticking"]]
    endless = ds.attrs["case"] == "unbounded"
    if not endless:
        shown += [ds["region"], ds["ellipse"]]
    limits = []
    for name in ("tangential", "normal"):
        values = np.concatenate([np.ravel(part.sel(component=name)) for part in shown] + [[0.0]])
        low, high = np.nanmin(values), np.nanmax(values)
        limits.append((low, high, high - low))
    margin = (0.35 if endless else 0.06) * max(span for _, _, span in limits)
    (left, right, _), (low, high, _) = limits
    ax.set_xlim(left - margin, right + margin)
    ax.set_ylim(low - margin, high + margin)


def _note(ds: xr.Dataset) -> str:
    normal, tangential = ds.attrs["velocity"]
    mu = "infinite" if isinf(ds.attrs["friction"]) else f"{ds.attrs['friction']:g}"
    words = [
        f"Before the collision {normal:.3g} m/s along the normal and {tangential:.3g} m/s along the tangent; "
        f"friction {mu}."
    ]
    if ds.attrs["case"] != "construction":
        words.append("Curves: restitution from 0 (open circle) to 1 (dot).")
        missing = [
            LAWS[str(law)][2] for law in ds["law"].values if not np.isfinite(ds["reach"].sel(law=law)).all()
        ]
        if missing:
            words.append(f"No solution for some coefficients: {', '.join(missing)}.")
        wild = [
            LAWS[str(law)][2]
            for law in ds["law"].values
            if float(ds["energy_change"].sel(law=law).max()) > 1e-9 * float(np.abs(ds["energy_change"]).max())
        ]
        if wild:
            words.append(f"Gains energy: {', '.join(wild)}.")
    return " ".join(words)
