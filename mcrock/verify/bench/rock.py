"""A rock with a rough base, as a scan gives it: many corners that may touch the ground."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

SEED = 150
BASE_CORNERS, UPPER_POINTS = 150, 60
BASE_RADIUS = 0.3  # of the base [m]
CURVATURE_RADIUS = 5.0  # of the paraboloid that the corners of the base lie on [m]
SEMI_AXES = 0.4, 0.35, 0.7  # of the ellipsoid that the other corners lie on [m]
GOLDEN_ANGLE = np.pi * (3.0 - np.sqrt(5.0))  # [rad]


def rock_points() -> NDArray[np.float64]:
    """Corners of the rock, z up: first those of its base, then the others (n, 3) [m].

    The base is slightly convex, as the hull of a scan is: each of its corners is a corner of the hull, and
    its 275 faces are inclined by less than 5 deg.
    """
    rng = np.random.default_rng(SEED)
    i = np.arange(BASE_CORNERS)
    spacing = BASE_RADIUS * np.sqrt(np.pi / BASE_CORNERS)
    r, angle = BASE_RADIUS * np.sqrt((i + 0.5) / BASE_CORNERS), GOLDEN_ANGLE * i
    base = np.stack([r * np.cos(angle), r * np.sin(angle)], 1)
    base += rng.uniform(-0.2, 0.2, base.shape) * spacing
    height = (base**2).sum(1) / (2.0 * CURVATURE_RADIUS)
    # even over the upper two thirds of the ellipsoid's height
    z, around = rng.uniform(-0.3, 1.0, UPPER_POINTS), rng.uniform(0.0, 2.0 * np.pi, UPPER_POINTS)
    ring = np.sqrt(1.0 - z * z)
    upper = np.stack([ring * np.cos(around), ring * np.sin(around), z + 1.0], 1) * SEMI_AXES
    return np.concatenate([np.column_stack([base, height]), upper])
