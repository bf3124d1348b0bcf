"""A rigid block that slides in two directions on level ground and never tips.

Newmark, N. M. (1965). Effects of earthquakes on dams and embankments. Geotechnique 15(2), 139-160.
"""

from math import hypot

import numpy as np

from mcrock.excitation import Motion

REST = 10.0  # time to come to rest after the motion [s]


def slip(motion: Motion, friction: float, gravity: float, step: float = 1e-4) -> tuple[float, float]:
    """Slip path and final displacement [m], until `REST` after the motion.

    Each step takes the friction at its end: as large as it must be, and at most the friction coefficient
    times ``gravity`` [m/s2].
    """
    times = (np.arange(round((motion.duration + REST) / step)) + 0.5) * step
    push = [(-step * np.interp(times, motion.time, a, right=0.0)).tolist() for a in motion.acceleration[:2]]
    vx = vy = x = y = path = 0.0
    most = friction * gravity * step
    for px, py in zip(*push, strict=True):
        vx, vy = vx + px, vy + py
        speed = hypot(vx, vy)
        left = max(1.0 - most / speed, 0.0) if speed > 0.0 else 0.0
        vx, vy = left * vx, left * vy
        x, y, path = x + step * vx, y + step * vy, path + step * left * speed
    return path, hypot(x, y)
