"""A rigid block that slides on level ground and never tips, and how near mcrock is to it.

    python -m tests.benchmarks.newmark

prints the errors of mcrock over both components of the 22 far-field record pairs of FEMA P695, scaled to 1 g,
along one axis: alone, and with half of the other component as a vertical one (the data have none).

Newmark, N. M. (1965). Effects of earthquakes on dams and embankments. Geotechnique 15(2), 139-160.
"""

from itertools import pairwise
from math import copysign, hypot, inf, sqrt

import numpy as np
from numpy.typing import NDArray

from mcrock.base.params import STANDARD_GRAVITY
from mcrock.body import cuboid
from mcrock.excitation import Motion, fema_p695
from mcrock.impact.conditions import Contact
from mcrock.show.text import format_table
from mcrock.simulation.runs import simulate

Array = NDArray[np.float64]
REST = 10.0  # time to come to rest after the motion [s]
FLAT = cuboid(1.0, 0.8, 0.6, mass=400.0)  # friction times height of the centre is less than half a width
FRICTIONS = 0.05, 0.1, 0.2, 0.3, 0.5


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


def straight_slip(acceleration: Array, dt: float, most: Array | float) -> tuple[float, float]:
    """Slip path and final displacement [m] under one component, exactly.

    A record is linear between its samples and zero after them, so the speed of a block that slips is a
    parabola in each segment, and so is the time of its next stop. `most` is the friction coefficient times
    gravity [m/s2], or that at every sample under a vertical component, always positive.
    """
    x = speed = path = 0.0
    sense = 0  # of the slip; 0: the block sticks
    limits = np.broadcast_to(most, acceleration.shape).tolist()
    samples = zip(pairwise(acceleration.tolist()), pairwise(limits), strict=True)
    segments = [(a, (b - a) / dt, m, (n - m) / dt, dt) for (a, b), (m, n) in samples]
    for first, slope, limit, growth, end in [*segments, (0.0, 0.0, limits[-1], 0.0, inf)]:
        t = 0.0
        while True:
            onset = False
            if sense == 0:
                if abs(first + slope * t) <= limit + growth * t:
                    ways = [
                        (limit - sign * first) / (sign * slope - growth)
                        for sign in (-1, 1)
                        if sign * slope > growth
                    ]
                    t, onset = max(t, min(ways, default=inf)), True
                if not t < end:
                    break
                sense = -1 if first + slope * t > 0.0 else 1
            rate = slope + sense * growth
            change = 0.0 if onset else first + sense * limit + rate * t  # -dv/dt
            stop = inf if onset else first_root(speed, -change, -0.5 * rate)
            span = min(stop, end - t)
            moved = ((-rate * span / 6.0 - 0.5 * change) * span + speed) * span
            x, path, t = x + moved, path + abs(moved), t + span
            speed -= (change + 0.5 * rate * span) * span
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


def straight_errors(acceleration: Array, vertical: Array, dt: float, friction: float) -> tuple[float, float]:
    """Errors of slip path and final displacement in mcrock along one axis, over the exact slip path [1]."""
    motion = Motion(np.stack([acceleration, 0.0 * acceleration, vertical]), dt=dt, name="line")
    run = simulate(FLAT, motion, contact=Contact(friction=friction), history=False)
    path, moved = straight_slip(acceleration, dt, friction * (FLAT.gravity + vertical))
    return abs(run.slip_path / path - 1.0), abs(run.final_displacement_x - moved) / path


def main() -> None:
    """Median, 95 % point and largest of the errors, by friction and with or without a vertical component."""
    rows = []
    for share in (0.0, 0.5):
        for friction in FRICTIONS:
            errors = []
            for pair in fema_p695("farfield"):
                x, y = (STANDARD_GRAVITY * a / np.abs(a).max() for a in pair.acceleration[:2])
                errors += [straight_errors(a, share * b, pair.dt, friction) for a, b in ((x, y), (y, x))]
            found = np.quantile(errors, [0.5, 0.95, 1.0], axis=0)
            cells = [f"{value:.1e}" for value in found.T.ravel()]
            rows.append(["half of the other" if share else "none", f"{friction:g}", f"{len(errors)}", *cells])
    heads = [f"{what}: {point}" for what in ("path", "residual") for point in ("median", "95 %", "largest")]
    print(format_table(["vertical", "friction", "components", *heads], rows))


if __name__ == "__main__":
    main()
