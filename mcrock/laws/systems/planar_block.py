"""Impact of a planar rocking block: what its corners receive for every coefficient e_n21.

The block turns about its left corner and lands with the right one. The coefficient e_n21 of the corner that
leaves is the velocity ratio of rocking. The example shows the impulses of both corners and the energy for
corners without friction, corners that stick, and Coulomb's friction, the coefficients that are admissible,
and how many coefficients of a rebound the energy leaves open.

Brogliato, B., Zhang, H., Liu, C. (2012), sections 3.3, 3.4, 3.6 and 5; see `mcrock.laws.brogliato_2012`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap

from mcrock.base.checks import Number
from mcrock.base.units import variable
from mcrock.laws.brogliato_2012 import (
    aspect_of,
    block_impact,
    block_problem,
    inertia_ratio,
    least_friction,
    rebound_margins,
    sliding_domain,
    sticking_domain,
)
from mcrock.laws.problem import ImpactResult
from mcrock.laws.systems.drawing import label_axes
from mcrock.planar.block import PlanarBlock, rectangle
from mcrock.planar.restitution import housner_1963
from mcrock.show import style

MOTIONS = {  # name and look of each
    "frictionless": ("no friction", style.BLUE, "-"),
    "sticking": ("corners stick", style.ORANGE, "--"),
    "coulomb": ("Coulomb friction", style.GREEN, "-."),
}
MARGINS = {
    "loss": "energy lost",
    "landing_push": "impulse of the landing corner",
    "leaving_push": "impulse of the leaving corner",
}
POINTS = 201  # coefficients from 0 to 1
GRID = 201  # coefficients of a rebound along each axis


def example(
    height: float = 2.0,
    width: float = 1.0,
    mass: float = 1.0,
    friction: float = 0.3,
    rate: float = -1.0,
    speed: float | None = None,
) -> xr.Dataset:
    """Impulses and energy of a block for every coefficient e_n21, and the coefficients of a rebound.

    Parameters
    ----------
    height, width : float
        l and L [m].
    mass : float
        [kg].
    friction : float
        Coefficient mu of both corners, may be infinite [1].
    rate : float
        Angular velocity before the impact, negative [rad/s].
    speed : float, optional
        Horizontal velocity of the centre of mass before the impact; without it the block does not slip
        before [m/s].

    Returns
    -------
    Dataset
        Over (motion, e_n21): ``landing`` and ``leaving``, impulses of the corners [N s], ``energy_ratio``
        [1], ``slip`` after [m/s] and ``consistent``. Over ``motion``: ``low``, ``high``, the coefficients
        that pass all checks [1]. Over (e_n1, rebound): ``loss``, ``landing_push``, ``leaving_push``, the
        margins of `mcrock.laws.brogliato_2012.rebound_margins` if nothing slips after the impact; below 0
        they are not admissible.

    Raises
    ------
    ValueError
        If a parameter is outside its range.
    """
    sizes = ("width", width, "m"), ("height", height, "m"), ("mass", mass, "kg")
    block = rectangle(*(Number(unit, above=0.0).check(name, value) for name, value, unit in sizes))
    rate = Number("rad/s").check("rate", rate)
    if not rate < 0.0:
        raise ValueError(f"the rate must be negative, as the right corner comes down [rad/s], got {rate!r}")
    speed = None if speed is None else Number("m/s").check("speed", speed)
    coefficients = np.linspace(0.0, 1.0, POINTS)
    before = block_problem(block, rate, speed).energy
    impacts = [
        [
            block_impact(block, rate, speed, e_n21=e, tangential=motion, friction=friction)
            for e in coefficients
        ]
        for motion in MOTIONS
    ]

    def table(value: Callable[[ImpactResult], Any]) -> np.ndarray:
        return np.array([[value(found) for found in row] for row in impacts])

    consistent = table(lambda found: found.consistent)
    slip = table(lambda found: found.notes["slip_after"])
    passing = [coefficients[row] for row in consistent]
    # the ellipse without slip after the impact, e_t3 = e_n1 - e_n21, reaches this far in both
    a, k = aspect_of(block), inertia_ratio(block)
    reach = 0.5 * np.sqrt((1.0 + k + a * a) * (1.0 + 1.0 / (k + a * a)))
    axis = np.linspace(-1.1 * reach, 1.1 * reach, GRID)
    e_n1, rebound = np.meshgrid(axis, axis, indexing="ij")
    margins = rebound_margins(block, e_n1, rebound, e_n1 - rebound)
    over = "motion e_n21"
    return xr.Dataset(
        {
            "landing": variable(over, table(lambda f: f.impulse[0]), "N s", "impulse of the landing corner"),
            "leaving": variable(over, table(lambda f: f.impulse[1]), "N s", "impulse of the leaving corner"),
            "energy_ratio": variable(
                over, 1.0 + table(lambda f: f.energy_change) / before, "1", "kinetic energy after over before"
            ),
            "slip": variable(over, slip, "m s-1", "horizontal velocity of the corners after"),
            "consistent": variable(over, consistent, "1", "whether all checks hold"),
            "low": variable("motion", [_end(row, 0) for row in passing], "1", "least admissible e_n21"),
            "high": variable("motion", [_end(row, -1) for row in passing], "1", "largest admissible e_n21"),
            **{
                name: variable("e_n1 rebound", margin, "1", f"{words} in a rebound")
                for (name, words), margin in zip(MARGINS.items(), margins, strict=True)
            },
            "e_n21": variable("e_n21", coefficients, "1", "coefficient e_n21 of the corner that leaves"),
            "e_n1": variable("e_n1", axis, "1", "coefficient e_n1 of the corner that lands"),
            "rebound": variable("rebound", axis, "1", "coefficient e_n21 of the corner that leaves"),
            "motion": ("motion", [name for name, _, _ in MOTIONS.values()]),
        },
        attrs={
            "title": f"Impact of a block of height {height:g} m and width {width:g} m",
            "description": _describe(block, friction),
            "housner": housner_1963(block),
        },
    )


def _describe(block: PlanarBlock, friction: float) -> str:
    sliding, sticking = sliding_domain(block), sticking_domain(block, friction)
    return (
        "The block has turned about its left corner and lands with the right one, which stays on the "
        "ground; e_n21 is what the left one gets, the velocity ratio of rocking. Corners without friction "
        f"admit e_n21 from {sliding[0]:.4g} to 1: below, the left corner would have to be pulled. Corners "
        f"that stick by a friction of {friction:g} admit {sticking[0]:.4g} to 1, and Housner's value is "
        f"{housner_1963(block):.4g} and needs a friction of "
        f"{least_friction(block, max(housner_1963(block), 0.0)):.4g}. With Coulomb's law the corners "
        "slip where that is not enough. With rebound of the right corner the energy allows all coefficients "
        "within an ellipse, of which the checks leave the shaded part: the coefficients are not unique. "
        "Brogliato, Zhang and Liu (2012), sections 3.3, 3.4, 3.6.2, 3.6.3 and 5, (29) to (35) and (51) to "
        "(55)."
    )


def _end(values: np.ndarray, index: int) -> float:
    return float(values[index]) if len(values) else np.nan


@style.styled
def plot(ds: xr.Dataset) -> Axes:
    """Draw corner impulses and energy over e_n21, and the plane of coefficients of a rebound.

    Parameters
    ----------
    ds : Dataset
        From `example`.

    Returns
    -------
    Axes
        The first of three panels.
    """
    figure = style.new_figure(style.PAGE, 84.0)
    first, energy, plane = figure.subplots(1, 3)
    x = ds["e_n21"].values
    for motion, colour, line in MOTIONS.values():
        one = ds.sel(motion=motion)
        first.plot(x, one["leaving"], color=colour, linestyle=line, label=motion)
        first.plot(x, one["landing"], color=colour, linestyle=line, linewidth=0.8)
        energy.plot(x, one["energy_ratio"], color=colour, linestyle=line)
    first.axhline(0.0, color=style.GREY, linewidth=0.6, zorder=0)
    first.axhspan(min(0.0, float(ds["leaving"].min())), 0.0, color=style.GREY, alpha=0.2, linewidth=0)
    label_axes(first, y="Impulse [N s]")
    energy.set_ylabel(style.axis_scale(ds["energy_ratio"])[1])
    _draw_ranges(energy, ds)
    for ax in (first, energy):
        label_axes(ax, r"$e_{n21}$ of the leaving corner [1]")
        ax.set_xlim(0.0, 1.0)
    _draw_plane(plane, ds)
    figure.legend(*first.get_legend_handles_labels(), loc="outside upper left", ncols=3)
    style.add_note(
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
    for place, (motion, colour, _) in enumerate(MOTIONS.values()):
        low, high = float(ds["low"].sel(motion=motion)), float(ds["high"].sel(motion=motion))
        ax.plot([low, high], [-step * (place + 1)] * 2, color=colour, linewidth=3.0, solid_capstyle="butt")
    top = max(1.05, float(ds["energy_ratio"].max()) + 0.05)
    ax.set_ylim(-step * (len(MOTIONS) + 1), top)
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
        cmap=ListedColormap([style.BLUE]),
        alpha=0.3,
        shading="nearest",
        rasterized=True,
    )
    for values, colour, line in ((loss, style.BLUE, "-"), (leaving, style.ORANGE, "--")):
        ax.contour(x, y, values, levels=[0.0], colors=[colour], linestyles=[line], linewidths=1.2)
    ax.axhline(0.0, color=style.GREY, linewidth=0.6, zorder=0)
    ax.axvline(0.0, color=style.GREY, linewidth=0.6, zorder=0)
    if ds.attrs["housner"] >= 0.0:
        ax.plot(0.0, ds.attrs["housner"], "o", color="black", markersize=3.5)
    ax.set_aspect("equal")
    label_axes(ax, r"$e_{n1}$ of the landing corner [1]", r"$e_{n21}$ of the leaving corner [1]")
