"""Scene of an animation, whatever draws it: the body, the ground around it, and the view."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import TYPE_CHECKING

import numpy as np

from mcrock.show.animation.frames import Frames, sample_run
from mcrock.show.animation.view import choose_view
from mcrock.show.contacts import FLAT
from mcrock.show.history import has_friction
from mcrock.show.solid import Array, DrawnSolid, View, grid_step, solid_of

if TYPE_CHECKING:
    from mcrock.body import Body
    from mcrock.simulation.runs import Run

NEAR = 0.1  # of the slenderness, from which on a tilt is drawn with it [1]
MARGIN = 0.15  # of ground around the motion over the size of the body [1]


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """Scene of an animation.

    Attributes
    ----------
    frames : Frames
    solid : Solid
    base : tuple of int
        The face on which the body stood at first; face 0 if it did not start at rest.
    footprint : ndarray (n, 3)
        Where that face was, or the ground below it [m].
    corners : ndarray (4, 3)
        Of the ground that is drawn: what the body comes over, with a margin [m].
    grid : float
        Step of the grid on it [m].
    view : View
    slenderness : float or None
        Level to mark in the tilt [rad]: that of the body, where the tilt comes anywhere near it.
    slips : bool
        Whether the body may slip: then the path of its base is drawn, and its displacement over time.
    """

    frames: Frames
    solid: DrawnSolid
    base: tuple[int, ...]
    footprint: Array
    corners: Array
    grid: float
    view: View
    slenderness: float | None
    slips: bool


def build_stage(run: Run, body: Body, frames: Frames, view: View | None) -> Stage:
    """What is shown of a run at some frames; without a view the one that shows most is chosen."""
    solid = solid_of(body)
    mode, index = (run.history[name].values[0] for name in ("mode", "index"))
    base = solid.faces[int(index) if mode in FLAT else 0]
    start = sample_run(run, body, run.history["time"].values[:1])
    footprint = start.points[0, list(base)] * (1.0, 1.0, 0.0)
    size = float(np.ptp(solid.vertices, axis=0).max())
    covered = np.concatenate([frames.points.reshape(-1, 3), footprint])[:, :2]
    (x0, y0), (x1, y1) = covered.min(axis=0) - MARGIN * size, covered.max(axis=0) + MARGIN * size
    corners = np.array([(x0, y0, 0.0), (x1, y0, 0.0), (x1, y1, 0.0), (x0, y1, 0.0)])
    grid = grid_step(max(size, 0.5 * (x1 - x0), 0.5 * (y1 - y0)))
    view = view or choose_view(frames, size)
    return Stage(frames, solid, base, footprint, corners, grid, view, _level(run, body), has_friction(run))


def _level(run: Run, body: Body) -> float | None:
    slenderness = body.slenderness
    has_level = 0.0 < slenderness < pi / 2 and float(run.history["tilt"].max()) > NEAR * slenderness
    return slenderness if has_level else None
