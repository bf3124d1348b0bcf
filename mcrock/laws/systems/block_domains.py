"""Admissible coefficients of planar rocking blocks of every aspect: the domains of e_n21 and of r.

A rocking block can lose only so much energy in an impact that its corners push and do not pull. What is left
for the coefficient depends on the aspect height over width, on whether the corners slip or stick, and on
friction. Slender blocks are left a narrow interval below 1, and friction to the right leaves none beyond
width over height.

Brogliato, B., Zhang, H., Liu, C. (2012), Figs. 2 to 5 and Table 1; see `mcrock.laws.brogliato_2012`.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from mcrock.base.checks import Number
from mcrock.base.units import variable
from mcrock.laws.brogliato_2012 import (
    Interval,
    angular_domain,
    block_coefficients,
    critical_aspects,
    half_rocking_domain,
    rocking_cases,
    sliding_coulomb_domain,
    sliding_domain,
    sticking_domain,
)
from mcrock.laws.problem import coefficient
from mcrock.laws.systems.drawing import label_axes
from mcrock.planar.block import PlanarBlock, rectangle
from mcrock.show import style

POINTS = 481  # aspects
DOMAINS: dict[str, Callable[[PlanarBlock, float], Interval]] = {
    "e_n21, sliding": lambda block, mu: sliding_domain(block),
    "e_n21, sticking": lambda block, mu: sticking_domain(block),
    "r, sliding": lambda block, mu: angular_domain(sliding_domain(block)),
    "r, sticking": lambda block, mu: angular_domain(sticking_domain(block)),
    "e_n21, sticking by friction": sticking_domain,
    "e_n21, slip right": lambda block, mu: sliding_coulomb_domain(block, mu, "right"),
    "e_n21, slip left": lambda block, mu: sliding_coulomb_domain(block, mu, "left"),
    "e_n1, half rocking": lambda block, mu: half_rocking_domain(block),
    "e_n1, half rocking, slip right": half_rocking_domain,
}
PANELS = (  # title, label, domain without friction, domain with friction or slip, critical points
    ("Sliding (Fig. 2)", "e_{n21}", "e_n21, sliding", "", "b"),
    ("Sticking (Fig. 3)", "e_{n21}", "e_n21, sticking", "e_n21, sticking by friction", "a"),
    ("Slip against friction", "e_{n21}", "e_n21, slip left", "e_n21, slip right", "cd"),
    ("Sliding (Fig. 4)", "r", "r, sliding", "", "b"),
    ("Sticking (Fig. 5)", "r", "r, sticking", "", "a"),
    ("Half rocking", "e_{n1}", "e_n1, half rocking", "e_n1, half rocking, slip right", "bc"),
)


def example(friction: float = 0.3, aspect: float = 2.0, largest_aspect: float = 6.0) -> xr.Dataset:
    """Domains of the coefficients over the aspect, and Table 1 for one block.

    Parameters
    ----------
    friction : float
        Coefficient mu of the motions with friction [1].
    aspect : float
        Height over width of the block of the table [1].
    largest_aspect : float
        Up to which the domains are given [1].

    Returns
    -------
    Dataset
        ``low``, ``high`` (domain, aspect), nan where empty; ``critical_aspect``, ``critical_angle`` (point),
        cases (a) to (d); of Table 1, over ``motion``: ``e_n1_low``, ``e_n1_high``, ``e_n21_low``,
        ``e_n21_high``, ``r_low``, ``r_high``, and ``shrinks_at``, the aspect from which the domain shrinks
        or ends, with its kinetic angle ``shrinks_at_angle``.

    Raises
    ------
    ValueError
        If the friction is negative or an aspect not positive.
    """
    mu = coefficient("friction", friction, 0.0, inf)
    aspect = Number("1", above=0.0).check("aspect", aspect)
    largest_aspect = Number("1", above=0.0).check("largest_aspect", largest_aspect)
    critical = critical_aspects(mu)
    # the critical aspects themselves are points, so that corners and ends of domains are drawn where they are
    marks = [point.aspect for point in critical.values()] + [1.0 / mu if mu > 0.0 else np.inf, mu]
    axis = np.linspace(0.0, largest_aspect, POINTS)[1:]
    inside = [place for place in marks if 0.0 < place < largest_aspect]
    aspects = np.unique(np.concatenate([axis, inside]))
    blocks = [rectangle(1.0, a) for a in aspects]
    ends = np.array([[_ends(domain(block, mu)) for block in blocks] for domain in DOMAINS.values()])
    rows = rocking_cases(rectangle(1.0, aspect), mu)
    table = {}
    for name in ("e_n1", "e_n21", "r"):
        for side, word in enumerate(("low", "high")):
            values = [_ends(getattr(row, name))[side] for row in rows]
            table[f"{name}_{word}"] = variable("motion", values, "1", f"{word} end of the domain of {name}")
    return xr.Dataset(
        {
            "low": variable("domain aspect", ends[..., 0], "1", "least admissible coefficient"),
            "high": variable("domain aspect", ends[..., 1], "1", "largest admissible coefficient"),
            "critical_aspect": variable(
                "point", [point.aspect for point in critical.values()], "1", "critical aspect"
            ),
            "critical_angle": variable(
                "point", [point.angle for point in critical.values()], "rad", "critical kinetic angle"
            ),
            **table,
            "shrinks_at": variable(
                "motion",
                [row.critical_aspect for row in rows],
                "1",
                "aspect from which the domain shrinks or ends",
            ),
            "shrinks_at_angle": variable(
                "motion", [row.critical_angle for row in rows], "rad", "kinetic angle of this aspect"
            ),
            "aspect": variable("aspect", aspects, "1", "aspect, height over width l/L"),
            "domain": ("domain", list(DOMAINS)),
            "point": ("point", list(critical)),
            "motion": ("motion", [row.motion for row in rows]),
        },
        attrs={
            "title": "Admissible coefficients of a planar rocking block",
            "description": _describe(mu, aspect),
            "friction": mu,
        },
    )


def _describe(mu: float, aspect: float) -> str:
    bounds = block_coefficients(rectangle(1.0, aspect), mu)
    return (
        "Coefficients with which a homogeneous block can go on after an impact so that no corner is pulled "
        "and no energy is gained. e_n21 is the velocity ratio of rocking from one corner to the other, "
        "r = -e_n21 the one of the source, e_n1 the one of half rocking, where the landing corner rebounds "
        "and the other stays. Slender blocks lose little: the lower end of e_n21 is Housner's ratio where "
        f"the corners stick. Table for the aspect {aspect:g} and friction {mu:g}: e_c1+ = "
        f"{bounds.e_c1_plus:.4g}, e_c1- = {bounds.e_c1_minus:.4g}, e_c2+ = e_c3+ = {bounds.e_c2_plus:.4g}, "
        f"mu_c = {bounds.mu_c:.4g}. Brogliato, Zhang and Liu (2012), Figs. 2 to 5 and Table 1, with slip to "
        "the right empty beyond l/L = 1/mu and slip to the left bounded above, which the source omits."
    )


def _ends(domain: Interval) -> tuple[float, float]:
    return (np.nan, np.nan) if domain is None else domain


@style.styled
def plot(ds: xr.Dataset) -> Axes:
    """Draw the admissible coefficients of blocks of every aspect.

    Parameters
    ----------
    ds : Dataset
        From `example`.

    Returns
    -------
    Axes
        The first of six panels: Figs. 2 to 5 of the source, slip against friction, and half rocking.
    """
    figure = style.new_figure(style.PAGE, 118.0)
    grid = figure.subplots(2, 3, sharex=True)
    critical = dict(zip(ds["point"].values, ds["critical_aspect"].values, strict=True))
    for ax, (title, symbol, plain, other, points) in zip(grid.flat, PANELS, strict=True):
        low, high = (-1.0, 0.0) if symbol == "r" else (0.0, 1.0)
        _draw(ax, ds.sel(domain=plain), style.BLUE, filled=True)
        if other:
            _draw(ax, ds.sel(domain=other), style.ORANGE, filled=False)
        for name in points:
            if 0.02 < critical[name] / float(ds["aspect"][-1]) < 1.0:
                ax.axvline(
                    critical[name], ymax=0.96, color=style.GREY, linestyle=":", linewidth=0.8, zorder=0
                )
                ax.annotate(
                    name,
                    (critical[name], 1.0),
                    xycoords=("data", "axes fraction"),
                    ha="center",
                    color="0.35",
                    fontsize=6.5,
                )
        ax.set_ylim(low - 0.04, high + 0.09)
        ax.set_yticks(np.linspace(low, high, 5), [f"{value:g}" for value in np.linspace(low, high, 5)])
        ax.set_title(title, pad=8.0)
        ax.set_ylabel(f"${symbol}$ [1]")
        style.number_axis(ax)
    first = grid[0, 0]
    first.set_xlim(0.0, float(ds["aspect"][-1]))
    for ax in grid[1]:
        label_axes(ax, ds["aspect"])
    mu = f"{ds.attrs['friction']:g}"
    handles = [
        Patch(facecolor=style.BLUE, alpha=0.35, label="without friction, or slip to the left"),
        Line2D([], [], color=style.ORANGE, label=f"with friction {mu}: sticking, or slip to the right"),
    ]
    figure.legend(handles=handles, loc="outside upper left", ncols=2, handlelength=1.4)
    style.add_note(
        first,
        "Coefficients of homogeneous blocks with which no corner is pulled and no energy is gained. "
        r"$e_{n21}$: velocity ratio of rocking, $r = -e_{n21}$; $e_{n1}$: rebound of the landing corner, the "
        "other stays down. "
        f"Shaded in the third panel: slip to the left against friction {mu}. With slip the energy bounds "
        "$e_{n21}$ further, by the speed. Dotted: critical aspects a to d.",
    )
    return first


def _draw(ax: Axes, ds: xr.Dataset, colour: str, filled: bool) -> None:
    """A domain as an area, or as its outline."""
    x, low, high = (ds[name].values for name in ("aspect", "low", "high"))
    if filled:
        ax.fill_between(x, low, high, color=colour, alpha=0.35, linewidth=0)
        ax.plot(x, low, color=colour)
        ax.plot(x, high, color=colour)
        return
    for values in (low, high):
        ax.plot(x, values, color=colour, linewidth=1.1)
    last = np.flatnonzero(np.isfinite(low))[-1:]
    if last.size and last[0] < len(x) - 1:  # the domain ends here
        ax.plot([x[last[0]]] * 2, [low[last[0]], high[last[0]]], color=colour, linewidth=1.1)
