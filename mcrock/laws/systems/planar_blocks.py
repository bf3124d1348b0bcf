"""Blocks in a plane: the impact of rocking, its admissible coefficients, and two blocks corner to corner.

Brogliato, B., Zhang, H., Liu, C. (2012), sections 3.3, 3.4, 3.6 and 5, Figs. 2 to 5 and Table 1; see
`mcrock.laws.brogliato_2012`. The block turns about its left corner and lands with the right one. The
coefficient e_n21 of the corner that leaves is the velocity ratio of rocking. A rocking block can lose only so
much energy that its corners push and do not pull: slender blocks are left a narrow interval below 1, and
friction to the right leaves none beyond width over height.

Glocker, C. (2005). The geometry of Newtonian impacts, section 6 and figure 4. Where the corners of two blocks
meet either of two gaps may stay open, above the top or beside the side of the lower one. The admitted
velocities form a re-entrant corner, and a head-on approach has three impacts: the corner slides off along
either face, or both are stopped. Which one happens the rigid model does not tell.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import cos, inf, pi, radians, sin
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Polygon, Wedge

from mcrock.base.checks import Integer, Number
from mcrock.laws import brogliato_2012 as brogliato
from mcrock.laws.inequalities import reentrant_corner
from mcrock.laws.problem import ContactProblem, ImpactResult, coefficient
from mcrock.laws.systems.system import draw_lines, label_axes, numbers, swept, system_dataset
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
AFTER_OVER_BEFORE = "kinetic energy after over before"  # long name
COEFFICIENTS = 201  # coefficients from 0 to 1
GRID = 201  # coefficients of a rebound along each axis


def compute_planar_block(
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
    """
    sizes = ("width", width, "m"), ("height", height, "m"), ("mass", mass, "kg")
    block = rectangle(*(Number(unit, above=0.0).check(name, value) for name, value, unit in sizes))
    rate = Number("rad/s").check("rate", rate)
    if not rate < 0.0:
        raise ValueError(f"the rate must be negative, as the right corner comes down [rad/s], got {rate!r}")
    speed = None if speed is None else Number("m/s").check("speed", speed)
    coefficients = np.linspace(0.0, 1.0, COEFFICIENTS)
    before = brogliato.block_problem(block, rate, speed).energy
    impacts = [
        [
            brogliato.block_impact(block, rate, speed, e_n21=e, tangential=motion, friction=friction)
            for e in coefficients
        ]
        for motion in MOTIONS
    ]
    quantities = {
        "landing": ("", lambda found: found.impulse[0], "N s", "impulse of the landing corner"),
        "leaving": ("", lambda found: found.impulse[1], "N s", "impulse of the leaving corner"),
        "energy_ratio": ("", lambda found: 1.0 + found.energy_change / before, "1", AFTER_OVER_BEFORE),
        "slip": (
            "",
            lambda found: found.notes["slip_after"],
            "m s-1",
            "horizontal velocity of the corners after",
        ),
        "consistent": ("", lambda found: found.consistent, "1", "whether all checks hold"),
    }
    passing = [[e for e, found in zip(coefficients, row, strict=True) if found.consistent] for row in impacts]
    # the ellipse without slip after the impact, e_t3 = e_n1 - e_n21, reaches this far in both
    a, k = brogliato.aspect_of(block), brogliato.inertia_ratio(block)
    reach = 0.5 * np.sqrt((1.0 + k + a * a) * (1.0 + 1.0 / (k + a * a)))
    axis = np.linspace(-1.1 * reach, 1.1 * reach, GRID)
    e_n1, rebound = np.meshgrid(axis, axis, indexing="ij")
    margins = brogliato.rebound_margins(block, e_n1, rebound, e_n1 - rebound)
    return system_dataset(
        f"Impact of a block of height {height:g} m and width {width:g} m",
        _describe_impact(block, friction),
        {
            **swept("motion e_n21", impacts, quantities),
            "low": ("motion", [min(row, default=np.nan) for row in passing], "1", "least admissible e_n21"),
            "high": (
                "motion",
                [max(row, default=np.nan) for row in passing],
                "1",
                "largest admissible e_n21",
            ),
            **{
                name: ("e_n1 rebound", margin, "1", f"{words} in a rebound")
                for (name, words), margin in zip(MARGINS.items(), margins, strict=True)
            },
            "e_n21": ("e_n21", coefficients, "1", "coefficient e_n21 of the corner that leaves"),
            "e_n1": ("e_n1", axis, "1", "coefficient e_n1 of the corner that lands"),
            "rebound": ("rebound", axis, "1", "coefficient e_n21 of the corner that leaves"),
            "motion": ("motion", [name for name, _, _ in MOTIONS.values()]),
        },
        housner=housner_1963(block),
    )


def _describe_impact(block: PlanarBlock, friction: float) -> str:
    sliding, sticking = brogliato.sliding_domain(block), brogliato.sticking_domain(block, friction)
    housner = housner_1963(block)
    needed = brogliato.least_friction(block, max(housner, 0.0))
    return (
        "The block has turned about its left corner and lands with the right one, which stays on the "
        "ground; e_n21 is what the left one gets, the velocity ratio of rocking. Corners without friction "
        f"admit e_n21 from {sliding[0]:.4g} to 1: below, the left corner would have to be pulled. Corners "
        f"that stick by a friction of {friction:g} admit {sticking[0]:.4g} to 1, and Housner's value is "
        f"{housner:.4g} and needs a friction of {needed:.4g}. With Coulomb's law the corners "
        "slip where that is not enough. With rebound of the right corner the energy allows all coefficients "
        "within an ellipse, of which the checks leave the shaded part: the coefficients are not unique. "
        "Brogliato, Zhang and Liu (2012), sections 3.3, 3.4, 3.6.2, 3.6.3 and 5, (29) to (35) and (51) to "
        "(55)."
    )


def draw_planar_block(ds: xr.Dataset) -> Axes:
    """Corner impulses and energy over e_n21, and the plane of coefficients of a rebound."""
    figure = style.new_figure(style.PAGE, 84.0)
    first, energy, plane = figure.subplots(1, 3)
    x = ds["e_n21"].values
    looks = {motion: (colour, line, motion) for motion, colour, line in MOTIONS.values()}
    draw_lines(first, x, ds["leaving"], looks)
    draw_lines(first, x, ds["landing"], looks, linewidth=0.8)
    draw_lines(energy, x, ds["energy_ratio"], looks)
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


ASPECTS = 481
SHRINKS = "aspect from which the domain shrinks or ends"  # long name
DOMAINS: dict[str, Callable[[PlanarBlock, float], brogliato.Interval]] = {
    "e_n21, sliding": lambda block, mu: brogliato.sliding_domain(block),
    "e_n21, sticking": lambda block, mu: brogliato.sticking_domain(block),
    "r, sliding": lambda block, mu: brogliato.angular_domain(brogliato.sliding_domain(block)),
    "r, sticking": lambda block, mu: brogliato.angular_domain(brogliato.sticking_domain(block)),
    "e_n21, sticking by friction": brogliato.sticking_domain,
    "e_n21, slip right": lambda block, mu: brogliato.sliding_coulomb_domain(block, mu, "right"),
    "e_n21, slip left": lambda block, mu: brogliato.sliding_coulomb_domain(block, mu, "left"),
    "e_n1, half rocking": lambda block, mu: brogliato.half_rocking_domain(block),
    "e_n1, half rocking, slip right": brogliato.half_rocking_domain,
}
PANELS = (  # title, label, domain without friction, domain with friction or slip, critical points
    ("Sliding (Fig. 2)", "e_{n21}", "e_n21, sliding", "", "b"),
    ("Sticking (Fig. 3)", "e_{n21}", "e_n21, sticking", "e_n21, sticking by friction", "a"),
    ("Slip against friction", "e_{n21}", "e_n21, slip left", "e_n21, slip right", "cd"),
    ("Sliding (Fig. 4)", "r", "r, sliding", "", "b"),
    ("Sticking (Fig. 5)", "r", "r, sticking", "", "a"),
    ("Half rocking", "e_{n1}", "e_n1, half rocking", "e_n1, half rocking, slip right", "bc"),
)


def compute_block_domains(
    friction: float = 0.3, aspect: float = 2.0, largest_aspect: float = 6.0
) -> xr.Dataset:
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
    """
    mu = coefficient("friction", friction, 0.0, inf)
    aspect = Number("1", above=0.0).check("aspect", aspect)
    largest_aspect = Number("1", above=0.0).check("largest_aspect", largest_aspect)
    critical = brogliato.critical_aspects(mu)
    # the critical aspects themselves are points, so that corners and ends of domains are drawn where they are
    corners = [point.aspect for point in critical.values()]
    angles = [point.angle for point in critical.values()]
    marks = [*corners, 1.0 / mu if mu > 0.0 else np.inf, mu]
    axis = np.linspace(0.0, largest_aspect, ASPECTS)[1:]
    inside = [place for place in marks if 0.0 < place < largest_aspect]
    aspects = np.unique(np.concatenate([axis, inside]))
    blocks = [rectangle(1.0, a) for a in aspects]
    ends = np.array([[_ends(domain(block, mu)) for block in blocks] for domain in DOMAINS.values()])
    rows = brogliato.rocking_cases(rectangle(1.0, aspect), mu)
    table = {
        f"{name}_{word}": ("", _end_of(name, side), "1", f"{word} end of the domain of {name}")
        for name in ("e_n1", "e_n21", "r")
        for side, word in enumerate(("low", "high"))
    }
    table["shrinks_at"] = ("", lambda row: row.critical_aspect, "1", SHRINKS)
    table["shrinks_at_angle"] = ("", lambda row: row.critical_angle, "rad", "kinetic angle of this aspect")
    return system_dataset(
        "Admissible coefficients of a planar rocking block",
        _describe_domains(mu, aspect),
        {
            "low": ("domain aspect", ends[..., 0], "1", "least admissible coefficient"),
            "high": ("domain aspect", ends[..., 1], "1", "largest admissible coefficient"),
            "critical_aspect": ("point", corners, "1", "critical aspect"),
            "critical_angle": ("point", angles, "rad", "critical kinetic angle"),
            **swept("motion", list(rows), table),
            "aspect": ("aspect", aspects, "1", "aspect, height over width l/L"),
            "domain": ("domain", list(DOMAINS)),
            "point": ("point", list(critical)),
            "motion": ("motion", [row.motion for row in rows]),
        },
        friction=mu,
    )


def _describe_domains(mu: float, aspect: float) -> str:
    bounds = brogliato.block_coefficients(rectangle(1.0, aspect), mu)
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


def _end_of(name: str, side: int) -> Callable[[Any], float]:
    """The lower (0) or upper (1) end of a domain of a row of Table 1."""
    return lambda row: _ends(getattr(row, name))[side]


def _ends(domain: brogliato.Interval) -> tuple[float, float]:
    return (np.nan, np.nan) if domain is None else domain


def draw_block_domains(ds: xr.Dataset) -> Axes:
    """The admissible coefficients of blocks of every aspect."""
    figure = style.new_figure(style.PAGE, 118.0)
    grid = figure.subplots(2, 3, sharex=True)
    critical = dict(zip(ds["point"].values, ds["critical_aspect"].values, strict=True))
    for ax, (title, symbol, plain, other, points) in zip(grid.flat, PANELS, strict=True):
        low, high = (-1.0, 0.0) if symbol == "r" else (0.0, 1.0)
        _draw_domain(ax, ds.sel(domain=plain), style.BLUE, filled=True)
        if other:
            _draw_domain(ax, ds.sel(domain=other), style.ORANGE, filled=False)
        for name in points:
            if 0.02 < critical[name] / float(ds["aspect"][-1]) < 1.0:
                at, place = critical[name], ("data", "axes fraction")
                ax.axvline(at, ymax=0.96, color=style.GREY, linestyle=":", linewidth=0.8, zorder=0)
                ax.annotate(name, (at, 1.0), xycoords=place, ha="center", color="0.35", fontsize=6.5)
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


def _draw_domain(ax: Axes, ds: xr.Dataset, colour: str, filled: bool) -> None:
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


LOOKS = {
    "edge": (style.GREEN, "-.", "edge"),
    "face1": (style.BLUE, "-", "face 1"),
    "face2": (style.ORANGE, "--", "face 2"),
}
CORNER_WORDS = (
    "the law of the re-entrant corner allows several impacts: the corner slides off along face 1 (the "
    "upper) or face 2 (the side), or the edge stops both gaps. The nearest is what a minimisation would "
    "choose. After Glocker (2005), figure 4."
)
MOST_TILT = 60.0  # of the upper block [deg]


def two_blocks_problem(
    sizes: Sequence[Sequence[float]], density: float, tilt: float, velocity: Sequence[float]
) -> ContactProblem:
    """Two rectangular plates in their plane; the lower left corner of the second is at the upper right of the
    first.

    Parameters
    ----------
    sizes : sequence of sequence of float
        Width and height of the first and of the second block [m].
    density : float
        Mass per area of both [kg/m2].
    tilt : float
        Rotation of the second block about that corner, counter-clockwise, -60 to 60 degrees [rad].
    velocity : sequence of float
        Of both blocks (x, y, spin, x, y, spin), of the centres of mass [m/s], [rad/s].

    Returns
    -------
    ContactProblem
        Contact 1: the gap above the upper of the two faces that meet, contact 2: the gap beside the other.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    """
    if len(sizes) != 2:
        raise ValueError(f"sizes must be those of two blocks [m], got {len(sizes)}")
    length = Number("m", above=0.0)
    first, second = (
        np.array(numbers(name, size, length, 2))
        for name, size in zip(("first", "second"), sizes, strict=True)
    )
    weight = Number("kg/m2", above=0.0).check("density", density)
    turn = Number("rad", above=-radians(MOST_TILT + 1e-9), most=radians(MOST_TILT + 1e-9)).check("tilt", tilt)
    motion = numbers("velocity", velocity, Number("m/s, rad/s"), 6)
    inertia = []
    for width, height in (first, second):
        mass = weight * width * height
        inertia += [mass, mass, mass * (width**2 + height**2) / 12.0]
    arm_1 = 0.5 * first
    arm_2 = -0.5 * np.array(
        [cos(turn) * second[0] - sin(turn) * second[1], sin(turn) * second[0] + cos(turn) * second[1]]
    )
    # the obstacle in the plane of the corners' distance reaches from one face to the other
    columns = []
    for angle in (0.5 * pi + min(turn, 0.0), max(turn, 0.0)):
        normal = np.array([cos(angle), sin(angle)])
        columns.append([*-normal, -_cross(arm_1, normal), *normal, _cross(arm_2, normal)])
    return ContactProblem(np.diag(inertia), np.array(columns).T, np.array(motion))


def compute_two_blocks(
    *,
    first: Sequence[float] = (0.4, 1.0),
    second: Sequence[float] = (0.4, 1.0),
    density: float = 1000.0,
    tilt_deg: float = 0.0,
    speed: float = 1.0,
    restitution: float = 0.3,
    direction_deg: float = 45.0,
    points: int = 361,
) -> xr.Dataset:
    """All impacts of the second block on the first, at rest, for all directions of approach.

    Parameters
    ----------
    first, second : sequence of float
        Width and height of the blocks [m].
    density : float
        Mass per area [kg/m2].
    tilt_deg : float
        Rotation of the second block, -60 to 60 [deg].
    speed : float
        Of the second block, which does not turn [m/s].
    restitution : float
        0 to 1 [1].
    direction_deg : float
        From which direction it comes in the picture of the velocities: 0 from the right, 90 from above [deg].
    points : int
        Directions of approach, over all those that close both gaps.

    Returns
    -------
    Dataset
        On (kind, direction): ``energy_loss`` over the energy before [1] and ``distance`` of the stationary
        point [kg^1/2 m/s], NaN where that impact does not exist; ``solutions`` (direction). Of the shown
        direction the relative velocity of the corners ``before`` (axis) and ``after`` (kind, axis) [m/s];
        ``normal`` (face, axis) and, for the picture, ``corner`` (block, point, axis) [m].
    """
    tilt = radians(Number("deg").check("tilt_deg", tilt_deg))
    pace = Number("m/s", above=0.0).check("speed", speed)
    shown = radians(Number("deg").check("direction_deg", direction_deg))
    number = Integer(2, 100_000).check("points", points)
    low, high = min(tilt, 0.0), 0.5 * pi + max(tilt, 0.0)  # at right angles to the normals of the faces
    if not low < shown < high:
        raise ValueError(
            f"direction_deg must close both gaps, between {np.degrees(low):g} and {np.degrees(high):g} "
            f"[deg], got {direction_deg:g}"
        )
    directions = low + (high - low) * (np.arange(number) + 0.5) / number

    def problem_of(direction: float) -> ContactProblem:
        motion = [0.0, 0.0, 0.0, -pace * cos(direction), -pace * sin(direction), 0.0]
        return two_blocks_problem((first, second), density, tilt, motion)

    problems = [problem_of(direction) for direction in directions]
    impacts = [(problem, _impacts(problem, restitution)) for problem in problems]
    number_of = np.array([len(found) for _, found in impacts])
    quantities = {
        "energy_loss": (
            "kind",
            lambda case: _by_kind(case[1], lambda impact: -impact.energy_change / case[0].energy),
            "1",
            "energy lost over energy before",
        ),
        "distance": (
            "kind",
            lambda case: _by_kind(case[1], lambda impact: impact.notes["distance"]),
            "kg^0.5 m s-1",
            "distance of the stationary velocity",
        ),
    }
    outlines = np.array([_outline(-np.array(first)), _outline(second, tilt)])
    before = -pace * np.array([cos(shown), sin(shown)])
    one = problem_of(shown)
    normals = np.array([one.directions[3:5, face] for face in range(2)])
    after = _by_kind(
        _impacts(one, restitution),
        lambda impact: np.linalg.solve(normals, impact.normal_velocity),
        shape=(2,),
    )
    return system_dataset(
        "Two blocks corner to corner",
        f"A block of {second[0]:g} m x {second[1]:g} m meets the corner of one of {first[0]:g} m x "
        f"{first[1]:g} m at rest with its own corner (tilt {tilt_deg:g} deg, restitution "
        f"{restitution:g}). At {np.mean(number_of > 1):.0%} of the directions of approach {CORNER_WORDS}",
        {
            **swept("direction", impacts, quantities),
            "solutions": ("direction", number_of, "1", "number of impacts that the law allows"),
            "before": ("axis", before, "m s-1", "relative velocity of the corners before"),
            "after": ("kind axis", after, "m s-1", "relative velocity of the corners after"),
            "corner": ("block point axis", outlines, "m", "corners of the blocks"),
            "normal": ("face axis", normals, "1", "normal of the face"),
            "direction": ("direction", directions, "rad", "direction from which the block comes"),
            "kind": ("kind", list(LOOKS)),
            "axis": ("axis", ["x", "y"]),
        },
        direction=shown,
        restitution=float(restitution),
        speed=pace,
    )


def _impacts(problem: ContactProblem, restitution: float) -> dict[str, ImpactResult]:
    """Impacts that the law allows, by their kind."""
    solutions = reentrant_corner(problem, restitution=restitution).solutions
    return {solution.notes["kind"]: solution for solution in solutions}


def _by_kind(
    impacts: Mapping[str, ImpactResult], value: Callable[[ImpactResult], Any], shape: tuple[int, ...] = ()
) -> np.ndarray:
    """What each kind of impact gives (kind, ...), NaN where it does not exist."""
    none = np.full(shape, np.nan)
    return np.array([value(impacts[kind]) if kind in impacts else none for kind in LOOKS])


def _outline(size: Sequence[float] | np.ndarray, tilt: float = 0.0) -> np.ndarray:
    """Corners of a block from the one that meets the other (4, 2)."""
    width, height = size
    sides = np.array([[0.0, 0.0], [width, 0.0], [width, height], [0.0, height]])
    return sides @ np.array([[cos(tilt), sin(tilt)], [-sin(tilt), cos(tilt)]])


def _cross(arm: np.ndarray, vector: np.ndarray) -> float:
    return float(arm[0] * vector[1] - arm[1] * vector[0])


NEAREST_WIDTH = 2.6  # of the line of the nearest impact [pt]


def draw_two_blocks(ds: xr.Dataset) -> Axes:
    """The velocities of one impact and the energy that all impacts lose."""
    figure = style.new_figure(style.PAGE, 84.0)
    plane, ax = figure.subplots(1, 2, width_ratios=[4, 5])
    _draw_velocities(plane, ds)
    degrees = np.degrees(ds["direction"].values)
    nearest = ds["distance"].min("kind") * (1.0 + 1e-9)
    for kind, (colour, line, words) in LOOKS.items():
        loss = ds["energy_loss"].sel(kind=kind)
        ax.plot(degrees, loss, color=colour, linestyle=line, label=words)
        near = loss.where(ds["distance"].sel(kind=kind) <= nearest)
        ax.plot(degrees, near, color=colour, linewidth=NEAREST_WIDTH)
    ax.axvline(np.degrees(ds.attrs["direction"]), color="0.35", linestyle=":", linewidth=0.8)
    label_axes(ax, "Direction from which the block comes [°]", "Energy lost over energy before [1]", legend=3)
    ax.set_xlim(degrees[0], degrees[-1])
    ax.set_ylim(bottom=0.0)
    most, least = int(ds["solutions"].max()), int(ds["solutions"].min())
    style.add_note(
        plane,
        f"Left: relative velocity of the corners; shaded: those that close both gaps. Restitution "
        f"{ds.attrs['restitution']:g}. Right: every impact that the law allows ({least}"
        + (f" to {most}" if most > least else "")
        + " at each direction); thick: the nearest in the kinetic metric; dotted: the direction shown on "
        "the left. The rigid model does not tell which one occurs.",
    )
    _draw_blocks(plane, ds)
    return plane


def _draw_blocks(ax: Axes, ds: xr.Dataset) -> None:
    """The blocks, small, where no velocity is drawn."""
    corners = ds["corner"].values
    small = ax.inset_axes((0.7, 0.7, 0.3, 0.3))
    small.set_axis_off()
    small.set_aspect("equal", anchor="NE")
    for outline, words in zip(corners, ("1", "2"), strict=True):
        small.add_patch(Polygon(outline, facecolor="0.96", edgecolor="0.35", linewidth=0.8, clip_on=False))
        x, y = outline.mean(axis=0)
        small.text(x, y, words, ha="center", va="center", color="0.35", fontsize=7.0)
    low, high = corners.reshape(-1, 2).min(axis=0), corners.reshape(-1, 2).max(axis=0)
    small.set_xlim(low[0], high[0])
    small.set_ylim(low[1], high[1])


def _draw_velocities(ax: Axes, ds: xr.Dataset) -> None:
    """Velocities that both gaps forbid, the one before and those after."""
    before = tuple(ds["before"].values)
    after = ds["after"].values
    reach = 1.25 * max(np.abs(before).max(), np.nanmax(np.abs(after)))
    normals = ds["normal"].values
    angle = np.degrees(np.arctan2(normals[:, 1], normals[:, 0]))
    ax.add_patch(
        Wedge((0.0, 0.0), 3.0 * reach, angle[0] + 90.0, angle[1] + 270.0, facecolor="0.9", edgecolor="none")
    )
    arrow = {"arrowstyle": "-|>", "shrinkA": 0.0, "shrinkB": 0.0, "mutation_scale": 8.0}
    ax.annotate("", before, (0.0, 0.0), arrowprops={**arrow, "color": "0.25", "linewidth": 1.3})
    ax.annotate(
        "before", before, xytext=(4.0, -3.0), textcoords="offset points", va="top", color="0.25", fontsize=7.0
    )
    for row, (_, (colour, line, words)) in enumerate(LOOKS.items()):
        if np.isfinite(after[row]).all():
            look = {**arrow, "color": colour, "linewidth": 1.3, "linestyle": line}
            ax.annotate("", after[row], (0.0, 0.0), arrowprops=look)
            ax.annotate(
                words, after[row], xytext=(3.0, 3.0), textcoords="offset points", color=colour, fontsize=7.0
            )
    ax.axhline(0.0, color="0.7", linewidth=0.5, zorder=0)
    ax.axvline(0.0, color="0.7", linewidth=0.5, zorder=0)
    ax.set_xlim(-reach, reach)
    ax.set_ylim(-reach, reach)
    ax.set_aspect("equal")
    label_axes(ax, "Relative velocity, horizontal [m/s]", "Relative velocity, vertical [m/s]")
