"""Two blocks meet corner to corner: the same impact can end in three ways.

Where the corners meet, either of two gaps may stay open: the corner of one block above the top of the other,
or beside its side. The admitted velocities form a re-entrant corner, and a head-on approach has three
impacts: the corner slides off along either face, or both are stopped. Which one happens the rigid model does
not tell.
Glocker (2005), The geometry of Newtonian impacts, section 6 and figure 4.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import cos, pi, radians, sin

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.patches import Polygon, Wedge

from mcrock.base.checks import Integer, Number
from mcrock.base.units import variable
from mcrock.laws.inequalities import reentrant_corner
from mcrock.laws.problem import ContactProblem, ImpactResult
from mcrock.laws.systems.drawing import label_axes, numbers
from mcrock.show import style

KINDS = ("edge", "face1", "face2")
WORDS = (
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
    first, second = _checked_sizes(sizes)
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


def example(
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

    Raises
    ------
    ValueError
        If a parameter is outside its domain, or the shown direction does not close both gaps.
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

    loss, distance = _losses([problem_of(direction) for direction in directions], restitution)
    number_of = np.isfinite(loss).sum(axis=0)
    outlines = np.array([_outline(-np.array(first)), _outline(second, tilt)])
    before = -pace * np.array([cos(shown), sin(shown)])
    normals, after = _shown(problem_of(shown), restitution)
    return xr.Dataset(
        {
            "energy_loss": variable("kind direction", loss, "1", "energy lost over energy before"),
            "distance": variable(
                "kind direction", distance, "kg^0.5 m s-1", "distance of the stationary velocity"
            ),
            "solutions": variable("direction", number_of, "1", "number of impacts that the law allows"),
            "before": variable("axis", before, "m s-1", "relative velocity of the corners before"),
            "after": variable("kind axis", after, "m s-1", "relative velocity of the corners after"),
            "corner": variable("block point axis", outlines, "m", "corners of the blocks"),
            "normal": variable("face axis", normals, "1", "normal of the face"),
            "direction": variable("direction", directions, "rad", "direction from which the block comes"),
            "kind": ("kind", list(KINDS)),
            "axis": ("axis", ["x", "y"]),
        },
        attrs={
            "title": "Two blocks corner to corner",
            "description": (
                f"A block of {second[0]:g} m x {second[1]:g} m meets the corner of one of {first[0]:g} m x "
                f"{first[1]:g} m at rest with its own corner (tilt {tilt_deg:g} deg, restitution "
                f"{restitution:g}). At {np.mean(number_of > 1):.0%} of the directions of approach {WORDS}"
            ),
            "direction": shown,
            "restitution": float(restitution),
            "speed": pace,
        },
    )


def _impacts(problem: ContactProblem, restitution: float) -> Iterator[tuple[int, ImpactResult]]:
    """Impacts that the law allows, each with the number of its kind."""
    for solution in reentrant_corner(problem, restitution=restitution).solutions:
        yield KINDS.index(solution.notes["kind"]), solution


def _losses(problems: Sequence[ContactProblem], restitution: float) -> tuple[np.ndarray, np.ndarray]:
    """Energy lost over that before, and distance of the stationary point (kind, n); NaN where an impact does
    not exist."""
    loss = np.full((len(KINDS), len(problems)), np.nan)
    distance = np.full_like(loss, np.nan)
    for column, problem in enumerate(problems):
        for row, impact in _impacts(problem, restitution):
            loss[row, column] = -impact.energy_change / problem.energy
            distance[row, column] = impact.notes["distance"]
    return loss, distance


def _shown(problem: ContactProblem, restitution: float) -> tuple[np.ndarray, np.ndarray]:
    """Normals of the faces (2, 2), and relative velocities of the corners after each impact (kind, 2)."""
    normals = np.array([problem.directions[3:5, face] for face in range(2)])
    after = np.full((len(KINDS), 2), np.nan)
    for row, impact in _impacts(problem, restitution):
        after[row] = np.linalg.solve(normals, impact.normal_velocity)
    return normals, after


def _checked_sizes(sizes: Sequence[Sequence[float]]) -> list[np.ndarray]:
    names = ("first", "second")
    if len(sizes) != 2:
        raise ValueError(f"sizes must be those of two blocks [m], got {len(sizes)}")
    return [
        np.array(numbers(name, size, Number("m", above=0.0), 2))
        for name, size in zip(names, sizes, strict=True)
    ]


def _outline(size: Sequence[float] | np.ndarray, tilt: float = 0.0) -> np.ndarray:
    """Corners of a block from the one that meets the other (4, 2)."""
    width, height = size
    sides = np.array([[0.0, 0.0], [width, 0.0], [width, height], [0.0, height]])
    return sides @ np.array([[cos(tilt), sin(tilt)], [-sin(tilt), cos(tilt)]])


def _cross(arm: np.ndarray, vector: np.ndarray) -> float:
    return float(arm[0] * vector[1] - arm[1] * vector[0])


LOOKS = {
    "edge": (style.GREEN, "-.", "edge"),
    "face1": (style.BLUE, "-", "face 1"),
    "face2": (style.ORANGE, "--", "face 2"),
}
NEAREST_WIDTH = 2.6  # of the line of the nearest impact [pt]


@style.styled
def plot(ds: xr.Dataset) -> Axes:
    """Draw the velocities of one impact and the energy that all impacts lose.

    Parameters
    ----------
    ds : Dataset
        From `example`.

    Returns
    -------
    Axes
        Of the velocities, next to that of the energies.
    """
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
