"""Slope of what a slice of realizations stands on."""

from __future__ import annotations

import numpy as np

from mcrock.study.sampling.drawn import Drawn, Draws, variable_name

SLOPES = ("ground.slope_x_deg", "ground.slope_y_deg")


def draw_ground(draws: Draws, n: int) -> Drawn:
    """Slopes of ``n`` realizations; the ground is level where a study does not say."""
    if SLOPES[0] not in draws:
        return Drawn({"slope": np.zeros((n, 2))}, {})
    slope = np.sin(np.radians(np.stack([draws[name] for name in SLOPES], axis=-1)))
    return Drawn({"slope": slope}, {variable_name(name): draws[name] for name in SLOPES})
