"""The body as it stands: its faces and light, its sides and base as figures, and a sketch for terminals.

The sketch has both outlines and the numbers that decide over rocking.
"""

from __future__ import annotations

from itertools import combinations
from math import cos, pi, sin
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_rgb
from numpy.typing import NDArray

from mcrock.base.params import STANDARD_GRAVITY
from mcrock.body import Body, body_axes, face_normals, uplift_slenderness
from mcrock.show.style import COLUMN, add_note, new_axes, new_figure, styled
from mcrock.study import Study

Array = NDArray[np.float64]

STONE, BASE = np.array(to_rgb("#e3d8c5")), np.array(to_rgb("#8fb4d9"))  # of the faces
HINT = "walls not known: drawn up to twice\nthe height of the centre of mass"
HINT_ALPHA = 0.55  # of faces where the walls are guessed [1]
GROUND, GRID, SHADOW = "#f3f3f1", "#d9d9d6", "#dcdcd8"
HIDDEN: dict[str, Any] = {"linewidth": 0.6, "linestyle": (0, (1, 2))}  # of edges behind the body
NEAR = 1e-6  # of the size of a body: points that are nearer are one [1]
ELEVATION = 0.26  # of the eye above the ground [rad]
USUAL = -1.05  # azimuth of the eye that is preferred [rad]


class DrawnSolid(NamedTuple):
    """The body as it is drawn.

    ``vertices`` (n, 3) are in body axes [m], each of ``faces`` runs counter-clockwise seen from
    inside. Of a body whose base alone is known the base is extruded to twice the height of the
    centre of mass, and ``is_whole`` is False.
    """

    vertices: Array
    faces: tuple[tuple[int, ...], ...]
    is_whole: bool


def solid_of(body: Body) -> DrawnSolid:
    """The body as it is drawn; its own vertices come first, numbered as they are."""
    if body.parts:
        return _solid_of_parts(body)
    if len(body.faces) > 1:
        return DrawnSolid(body.vertices, body.faces, True)
    base = body.faces[0]
    n, first = len(base), len(body.vertices)
    top = body.vertices[list(base)] * (1.0, 1.0, -1.0)
    walls = [
        (first + i, first + (i + 1) % n, base[(i + 1) % n], base[i])  # of body edge i
        for i in range(n)
    ]
    faces = (base, *walls, tuple(range(first + n - 1, first - 1, -1)))
    return DrawnSolid(np.concatenate([body.vertices, top]), faces, False)


def _solid_of_parts(body: Body) -> DrawnSolid:
    """The base, and the other faces of each part before those of what stands on it; parts inside another one
    are left out."""
    ends = np.array([[vertices.min(axis=0), vertices.max(axis=0)] for vertices, _ in body.parts])
    size = float(np.ptp(body.vertices, axis=0).max())
    points, faces = [body.vertices], [body.faces[body.start_face]]
    for i, (vertices, own) in enumerate(body.parts):
        larger = (ends[:, 0] <= ends[i, 0]).all(axis=1) & (ends[:, 1] >= ends[i, 1]).all(axis=1)
        if larger[:i].any() or (larger & (ends != ends[i]).any(axis=(1, 2))).any():
            continue
        far = np.linalg.norm(vertices[:, None] - body.vertices, axis=-1)
        same = np.where(far.min(axis=1) < NEAR * size, far.argmin(axis=1), -1)
        new = sum(map(len, points)) + np.arange(len(vertices))
        number = np.where(same >= 0, same, new).tolist()  # corners of the whole that touch keep theirs
        above = vertices[:, 2] > body.base[:, 2].min() + NEAR * size
        faces += [tuple(number[v] for v in face) for face in own if above[list(face)].any()]
        points.append(vertices)
    return DrawnSolid(np.concatenate(points), tuple(faces), True)


class View(NamedTuple):
    """Direction from the scene to the eye: azimuth from ground x towards y, and elevation [rad]."""

    azimuth: float
    elevation: float

    def project(self, points: Array) -> Array:
        """Ground points (..., 3) on the picture (..., 2), to the right and upwards [m]."""
        a, e = self.azimuth, self.elevation
        right = (-sin(a), cos(a), 0.0)
        upwards = (-sin(e) * cos(a), -sin(e) * sin(a), cos(e))
        return points @ np.array([right, upwards]).T

    @property
    def light(self) -> Array:
        """Direction from which light comes: over the left shoulder of the observer (3,)."""
        a = self.azimuth - 0.7
        return np.array([0.6 * cos(a), 0.6 * sin(a), 0.8])


def is_seen(polygon: Array) -> bool:
    """Whether a face is turned to the eye, from its projected vertices (n, 2) in their order."""
    x, y = polygon[:, 0], polygon[:, 1]
    return bool((x * np.roll(y, -1) - np.roll(x, -1) * y).sum() < 0.0)


def seen_faces(solid: DrawnSolid, flat: Array) -> list[tuple[int, ...]]:
    """Faces that are turned to the eye, from the far ones to the near ones, by projected vertices (n, 2)."""
    seen = [face for face in solid.faces if is_seen(flat[list(face)])]
    return seen[::-1] if is_seen(flat[list(solid.faces[0])]) else seen  # who sees the base, sees it first


def brightness(corners: Array, light: Array) -> float:
    """Share of the light on a face, from its vertices (n, 3) in ground axes, 0 to 1."""
    inwards = np.cross(corners, np.roll(corners, -1, axis=0)).sum(axis=0)
    return 0.5 - 0.5 * float(inwards @ light) / float(np.linalg.norm(inwards))


def face_colour(corners: Array, light: Array, is_base: bool) -> tuple[float, float, float]:
    """Colour of a face in its light, from its vertices (n, 3) in ground axes."""
    red, green, blue = ((0.55 + 0.45 * brightness(corners, light)) * (BASE if is_base else STONE)).tolist()
    return red, green, blue


def draw_floor(ax: Axes, view: View, low: Array, high: Array, step: float, autolim: bool = True) -> None:
    """A patch of ground between two corners (2,) [m] with a grid, for scale."""
    (x0, y0), (x1, y1) = low, high
    corners = view.project(np.array([(x0, y0, 0.0), (x1, y0, 0.0), (x1, y1, 0.0), (x0, y1, 0.0)]))
    ax.add_collection(PolyCollection([corners], facecolor=GROUND, linewidth=0, zorder=1), autolim=autolim)
    lines = [[(x, y0, 0.0), (x, y1, 0.0)] for x in step * np.arange(np.ceil(x0 / step), x1 / step)]
    lines += [[(x0, y, 0.0), (x1, y, 0.0)] for y in step * np.arange(np.ceil(y0 / step), y1 / step)]
    segments = [view.project(np.array(line)) for line in lines]
    ax.add_collection(LineCollection(segments, color=GRID, linewidth=0.6, zorder=2), autolim=autolim)


def grid_step(size: float) -> float:
    """Step of the grid on the ground for a scene of a size [m]: 1, 2 or 5 times a power of ten.

    >>> grid_step(1.6), grid_step(14.0)
    (0.5, 2.0)
    """
    power = 10.0 ** np.floor(np.log10(size / 3.0))
    return float(power * max(factor for factor in (1.0, 2.0, 5.0) if factor * power <= size / 3.0))


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
    return add_note(side, " ".join(filter(None, [name and f"{name}.", _numbers(body)])))


@styled
def plot_side(body: Body) -> Axes:
    """The view from the side of `plot_body` alone, for a narrow place."""
    ax = new_axes(52.0, 58.0)
    _draw_side(ax, body, _upright(body))
    return ax


@styled
def plot_base(body: Body) -> Axes:
    """The base from above of `plot_body` alone."""
    ax = new_axes(52.0, 44.0)
    _draw_plan(ax, body, _upright(body))
    return ax


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
    seen = seen_faces(solid, flat)
    colours = [face_colour(points[list(face)], view.light, face == base) for face in seen]
    thin = 0.7 if len(seen) < SMOOTH and not body.rim else 0.15
    whole: dict[str, Any] = {} if solid.is_whole else {"linestyle": (0, (4, 3)), "alpha": HINT_ALPHA}
    ax.add_collection(
        PolyCollection(
            [flat[list(face)] for face in seen],
            facecolor=colours,
            edgecolor="face" if body.rim else "0.25",
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
    if body.rim:
        low, high = base.mean(axis=0) - body.rim, base.mean(axis=0) + body.rim
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


ROWS = 9  # of the outline
ASPECT = 2.0  # height over width of a letter [1]
WIDEST = 30  # letters


def object_numbers(study: Study) -> dict[str, float]:
    """Numbers of the object of a study, with every uncertain number at its median.

    Returns
    -------
    dict of str to float
        ``slenderness`` [rad], of the edge that lifts first; ``radius`` R from the centre of mass to it [m];
        ``frequency`` p [rad/s]; ``uplift``, the peak horizontal acceleration that starts rocking [g].
    """
    body = study.body.at_medians()
    slenderness = float(uplift_slenderness(body.vertices, body.faces, body.start_face, body.rim)[0])
    found = {name: float(array[0]) for name, array in body.derived().items()}
    uplift = float(body.gravity[0]) * float(np.tan(slenderness)) / STANDARD_GRAVITY
    return found | {"slenderness": slenderness, "uplift": uplift}


def describe_object(study: Study) -> str:
    """The numbers of an object in a line."""
    found = object_numbers(study)
    of = "peak acceleration of its floor" if study.motion.on_floor else "PGA"
    return (
        f"slenderness {np.degrees(found['slenderness']):.1f} deg, R {found['radius']:.3g} m, "
        f"p {found['frequency']:.3g} rad/s; rocks from a {of} of {found['uplift']:.2g} g on"
    )


def sketch(study: Study) -> str:
    """The outline of the object of a study along x and along y, with its centre of mass and sizes.

    Raises
    ------
    ValueError
        As `Shape.at_medians`.
    """
    body = study.body.at_medians()
    corners = body.vertices[0]
    low, high = corners[:, 2].min(), corners[:, 2].max()
    reach = np.ptp(corners, axis=0)
    row = max((high - low) / ROWS, max(reach[:2]) / WIDEST * ASPECT)  # [m]
    views = [_outline(corners[:, [axis, 2]], row) for axis in (0, 1)]
    labels = [f"{extent:.3g} m along {axis}" for extent, axis in zip(reach, "xy", strict=False)]
    width = max(map(len, (*views[0], labels[0]))) + 4
    lines = [f"  {left:<{width}}{right}".rstrip() for left, right in zip(*views, strict=True)]
    lines.append(f"  {labels[0]:<{width}}{labels[1]}, {reach[2]:.3g} m high; o: its centre of mass")
    return "\n".join(lines)


def _outline(points: Array, row: float) -> list[str]:
    """Rows, `row` [m] high, of the hull of points (n, 2) about the centre of mass, from above."""
    low, high = points[:, 1].min(), points[:, 1].max()
    column = row / ASPECT
    left = points[:, 0].min()
    n = max(round((high - low) / row), 1)
    heights = high - (np.arange(n) + 0.5) * (high - low) / n
    lines = []
    for z in heights:
        ends = [
            a[0] + (b[0] - a[0]) * (z - a[1]) / (b[1] - a[1])
            for a, b in combinations(points, 2)
            if (a[1] - z) * (b[1] - z) < 0.0
        ]
        begin, end = (round((edge - left) / column) for edge in (min(ends), max(ends)))
        inside = [" "] * max(end - begin - 1, 0)
        if abs(z) <= (high - low) / n / 2 and inside:
            inside[min(max(round(-left / column) - begin - 1, 0), len(inside) - 1)] = "o"
        lines.append(" " * begin + "|" + "".join(inside) + "|")
    across = max(map(len, lines))
    top = lines[0].replace("|", " ").replace("o", " ")
    first = lines[0].index("|")
    return [" " * first + "_" * (len(top) - first), *lines, "=" * across]
