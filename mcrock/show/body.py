"""The body as it stands: drawn from the side, and its base from above."""

from __future__ import annotations

from math import pi
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection

from mcrock.body import Body, body_axes, face_normals
from mcrock.show.solid import (
    BASE,
    ELEVATION,
    HINT_ALPHA,
    SHADOW,
    USUAL,
    Array,
    View,
    draw_floor,
    face_colour,
    grid_step,
    is_seen,
    solid_of,
)
from mcrock.show.style import COLUMN, add_note, new_figure, styled

BODY = "The body from the side, and its base from above"
LABELLED = 8  # edges of a base that all have their slenderness written beside them
AROUND = 0.25  # ground that is drawn around the body, over its size [1]
SMOOTH = 60  # faces from which on edges are drawn thin
TEXT = 6.5  # [pt]
ARROW: dict[str, Any] = {"arrowstyle": "<->", "color": "0.35", "linewidth": 0.6, "shrinkA": 0, "shrinkB": 0}


@styled
def plot_body(body: Body, name: str = "") -> Axes:
    """Draw a body from the side with its centre of mass and height, and its base from above.

    Parameters
    ----------
    body : Body
        Stands on its start face.
    name : str
        What to call it in the note below.

    Returns
    -------
    Axes
        Those of the view from the side. Next to it the base from above, with its sizes, the slenderness of
        its edges (of more than eight the smallest) and the outline of the body.
    """
    figure = new_figure(COLUMN, 58.0)
    side, plan = figure.subplots(1, 2, width_ratios=(1.0, 1.0))
    points = _upright(body)
    _draw_side(side, body, points)
    _draw_plan(plan, body, points)
    add_note(side, " ".join(filter(None, [name and f"{name}.", _numbers(body)])))
    return side


def _upright(body: Body) -> Array:
    """Vertices of the solid with the start face on the ground and the centre of mass above the origin [m]."""
    solid = solid_of(body)
    points = solid.vertices
    if solid.is_whole:
        normal = face_normals(body.vertices[None], body.faces)[:, body.start_face]
        points = points @ body_axes(normal)[0].T
    return points - (0.0, 0.0, points[list(body.faces[body.start_face]), 2].mean())


def _draw_side(ax: Axes, body: Body, points: Array) -> None:
    solid, view = solid_of(body), View(USUAL, ELEVATION)
    base = solid.faces[body.start_face]
    low, high = points[:, :2].min(axis=0), points[:, :2].max(axis=0)
    size = float(np.ptp(points, axis=0).max())
    step = grid_step(size)
    draw_floor(ax, view, low - AROUND * size, high + AROUND * size, step)
    ax.text(0.0, 0.0, f"grid {step:g} m", fontsize=TEXT, color="0.35", transform=ax.transAxes)
    flat = view.project(points)
    shadow = view.project(points * (1.0, 1.0, 0.0))
    ax.add_collection(
        PolyCollection([shadow[list(face)] for face in solid.faces], facecolor=SHADOW, linewidth=0, zorder=3)
    )
    seen = [face for face in solid.faces if is_seen(flat[list(face)])]
    colours = [face_colour(points[list(face)], view.light, face == base) for face in seen]
    thin = 0.7 if len(seen) < SMOOTH else 0.15
    whole: dict[str, Any] = {} if solid.is_whole else {"linestyle": (0, (4, 3)), "alpha": HINT_ALPHA}
    ax.add_collection(
        PolyCollection(
            [flat[list(face)] for face in seen],
            facecolor=colours,
            edgecolor="0.25",
            linewidth=thin,
            joinstyle="round",
            zorder=5,
            **whole,
        )
    )
    ax.add_collection(LineCollection([flat[[*base, base[0]]]], color="0.25", linewidth=0.9, zorder=5.5))
    height = body.com_height
    plumb = view.project(np.array([(0.0, 0.0, height), (0.0, 0.0, 0.0)]))
    ax.plot(*plumb.T, color="0.15", linewidth=0.8, linestyle=(0, (2, 2)), zorder=6)
    ax.plot(*plumb[:1].T, "o", color="white", markeredgecolor="0.15", markersize=5, zorder=7)
    _draw_height(ax, view, height, float(flat[:, 0].max()) + 0.06 * size)
    if solid.is_whole:
        _draw_height(ax, view, float(points[:, 2].max()), float(flat[:, 0].max()) + 0.3 * size)
    ax.set_aspect("equal")
    ax.autoscale_view()
    ax.set_axis_off()


def _draw_height(ax: Axes, view: View, height: float, x: float) -> None:
    """A line as high as a point of the body, next to it."""
    lift = np.cos(view.elevation) * height
    ax.annotate("", (x, 0.0), (x, lift), arrowprops=ARROW)
    ax.annotate(
        f"{height:.3g} m",
        (x, 0.5 * lift),
        (2, 0),
        textcoords="offset points",
        fontsize=TEXT,
        va="center",
        rotation=90,
    )
    ax.update_datalim([(x, 0.0), (1.1 * x, lift)])


def _draw_plan(ax: Axes, body: Body, points: Array) -> None:
    """The base from above with sizes and slendernesses, the outline of the body, the centre of mass."""
    from scipy.spatial import ConvexHull

    base = points[list(body.faces[body.start_face]), :2]
    outline = points[ConvexHull(points[:, :2]).vertices, :2]
    ax.fill(*base.T, facecolor=BASE, edgecolor="0.25", linewidth=0.9, zorder=2)
    ax.plot(
        *np.append(outline, outline[:1], axis=0).T,
        color="0.45",
        linewidth=0.8,
        linestyle=(0, (3, 2)),
        zorder=3,
    )
    ax.plot(0, 0, "o", color="white", markeredgecolor="0.15", markersize=5, zorder=4)
    low, high = base.min(axis=0), base.max(axis=0)
    size = float(np.ptp(outline, axis=0).max())
    slenderness = body.edge_slenderness * 180.0 / pi
    number = len(base)
    least = int(np.argmin(slenderness))
    for k in range(number) if number <= LABELLED else [least]:
        middle = 0.5 * (base[k] + base[(k + 1) % number])
        inward = -middle / max(float(np.linalg.norm(middle)), 1e-12)
        x, y = (middle + 0.13 * size * inward).tolist()
        ax.text(
            x,
            y,
            f"{slenderness[k]:.3g}°",
            fontsize=TEXT,
            color="0.1",
            weight="bold" if k == least else "normal",
            ha="center",
            va="center",
            zorder=5,
        )
    below, left = outline[:, 1].min() - 0.12 * size, outline[:, 0].min() - 0.12 * size
    ax.annotate("", (low[0], below), (high[0], below), arrowprops=ARROW)
    ax.text(
        0.5 * (low[0] + high[0]),
        below - 0.03 * size,
        f"x  {high[0] - low[0]:.3g} m",
        fontsize=TEXT,
        ha="center",
        va="top",
    )
    ax.annotate("", (left, low[1]), (left, high[1]), arrowprops=ARROW)
    ax.text(
        left - 0.03 * size,
        0.5 * (low[1] + high[1]),
        f"y  {high[1] - low[1]:.3g} m",
        fontsize=TEXT,
        ha="right",
        va="center",
        rotation=90,
    )
    ax.update_datalim([(left - 0.15 * size, below - 0.15 * size), tuple(outline.max(axis=0))])
    ax.set_aspect("equal")
    ax.autoscale_view()
    ax.set_axis_off()


def _numbers(body: Body) -> str:
    return (
        f"{body.mass:.4g} kg; R {body.radius:.4g} m, slenderness {body.slenderness * 180 / pi:.4g}°, "
        f"p {body.frequency:.4g} rad/s. Left: from the side, with the centre of mass; right: the base from "
        "above, its slendernesses in degrees, and the outline of the body (dashed)."
        + (
            " Walls are not known: drawn up to twice the height of the centre of mass."
            * (len(body.faces) == 1)
        )
    )
