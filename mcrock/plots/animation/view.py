"""How the body is seen: a parallel projection, what of it is visible, and how it is lit."""

from __future__ import annotations

from math import atan2, cos, pi, sin
from typing import NamedTuple

import numpy as np

from mcrock.body import rotation_matrix
from mcrock.plots.animation.frames import Array, Frames

ELEVATION = 0.26  # of the eye above the ground [rad]
OBLIQUE = 1.15  # between the plane of the motion and the direction of view [rad]
USUAL = -1.05  # azimuth of the eye that is preferred [rad]


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
    return View(min(choices, key=lambda azimuth: abs(_wrapped(azimuth - USUAL))), ELEVATION)


def _wrapped(angle: float) -> float:
    return (angle + pi) % (2.0 * pi) - pi


def is_seen(polygon: Array) -> bool:
    """Whether a face is turned to the eye, from its projected vertices (n, 2) in their order."""
    x, y = polygon[:, 0], polygon[:, 1]
    return bool((x * np.roll(y, -1) - np.roll(x, -1) * y).sum() < 0.0)


def brightness(corners: Array, light: Array) -> float:
    """Share of the light on a face, from its vertices (n, 3) in ground axes, 0 to 1."""
    inwards = np.cross(corners, np.roll(corners, -1, axis=0)).sum(axis=0)
    return 0.5 - 0.5 * float(inwards @ light) / float(np.linalg.norm(inwards))


def grid_step(size: float) -> float:
    """Step of the grid on the ground for a scene of a size [m]: 1, 2 or 5 times a power of ten.

    >>> grid_step(1.6), grid_step(14.0)
    (0.5, 2.0)
    """
    power = 10.0 ** np.floor(np.log10(size / 3.0))
    return float(power * max(factor for factor in (1.0, 2.0, 5.0) if factor * power <= size / 3.0))
