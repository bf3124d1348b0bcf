"""The direction from which a run is shown."""

from __future__ import annotations

from math import atan2, pi

import numpy as np

from mcrock.body import rotation_matrix
from mcrock.show.animation.frames import Frames
from mcrock.show.solid import ELEVATION, USUAL, View

OBLIQUE = 1.15  # between the plane of the motion and the direction of view [rad]


def choose_view(frames: Frames, size: float) -> View:
    """The view that shows the motion of a body of a size [m] best: across the direction in which it tilts
    most, or is displaced most where that is more of its size."""
    tip = rotation_matrix(frames.orientation)[:, :2, 2]  # where the body axis leans, ground x and y
    moved = (frames.base - frames.base[0])[:, :2] / size
    shown = max(tip, moved, key=lambda vectors: float(np.abs(vectors).max()))
    if not np.abs(shown).max() > 1e-6:
        return View(USUAL, ELEVATION)
    lean = np.linalg.svd(shown, full_matrices=False)[2][0]
    along = atan2(lean[1], lean[0])
    choices = [along + side * OBLIQUE + turn for side in (-1, 1) for turn in (0.0, pi)]
    return View(min(choices, key=lambda azimuth: abs((azimuth - USUAL + pi) % (2.0 * pi) - pi)), ELEVATION)
