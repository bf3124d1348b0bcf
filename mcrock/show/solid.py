"""The body as figures show it: its faces, a parallel projection, what of it is visible, and how it is lit."""

from __future__ import annotations

from math import cos, sin
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_rgb
from numpy.typing import NDArray

from mcrock.body import Body

Array = NDArray[np.float64]

STONE, BASE = np.array(to_rgb("#e3d8c5")), np.array(to_rgb("#8fb4d9"))  # of the faces
HINT = "walls not known: drawn up to twice\nthe height of the centre of mass"
HINT_ALPHA = 0.55  # of faces where the walls are guessed [1]
GROUND, GRID, SHADOW = "#f3f3f1", "#d9d9d6", "#dcdcd8"
HIDDEN: dict[str, Any] = {"linewidth": 0.6, "linestyle": (0, (1, 2))}  # of edges behind the body
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
