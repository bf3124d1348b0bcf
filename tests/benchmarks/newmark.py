"""A rigid block that slides in two directions on level ground and never tips.

Newmark, N. M. (1965). Effects of earthquakes on dams and embankments. Geotechnique 15(2), 139-160.
"""

from itertools import pairwise
from math import copysign, hypot, inf, sqrt

import numpy as np
from numpy.typing import NDArray

from mcrock.excitation import Motion

Array = NDArray[np.float64]
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


def straight_slip(acceleration: Array, dt: float, most: float) -> tuple[float, float]:
    """Slip path and final displacement [m] under one component, exactly.

    A record is linear between its samples and zero after them, so the speed of a block that slips is a
    parabola in each segment, and so is the time of its next stop. `most` is the friction coefficient times
    gravity [m/s2].
    """
    x = speed = path = 0.0
    sense = 0  # of the slip; 0: the block sticks
    segments = [(a, (b - a) / dt, dt) for a, b in pairwise(acceleration.tolist())] + [(0.0, 0.0, inf)]
    for first, slope, end in segments:
        t = 0.0
        while True:
            onset = False
            if sense == 0:
                if abs(first + slope * t) <= most:
                    t = (copysign(most, slope) - first) / slope if slope else inf
                    onset = True
                if not t < end:
                    break
                sense = -1 if first + slope * t > 0.0 else 1
            change = 0.0 if onset else first + slope * t + sense * most  # -dv/dt
            stop = inf if onset else first_root(speed, -change, -0.5 * slope)
            span = min(stop, end - t)
            moved = ((-slope * span / 6.0 - 0.5 * change) * span + speed) * span
            x, path, t = x + moved, path + abs(moved), t + span
            speed -= (change + 0.5 * slope * span) * span
            if stop > span:
                break
            sense, speed = 0, 0.0
    return path, x


def first_root(c: float, b: float, a: float) -> float:
    """Smallest x > 0 at which c + b x + a x^2 = 0, inf without one; with c = 0 x = 0 is none."""
    if c == 0.0:
        roots = [-b / a] if a else []
    elif a == 0.0:
        roots = [-c / b] if b else []
    elif b * b < 4.0 * a * c:
        roots = []
    else:
        q = -0.5 * (b + copysign(sqrt(b * b - 4.0 * a * c), b))
        roots = [q / a, c / q]
    return min((root for root in roots if root > 0.0), default=inf)
