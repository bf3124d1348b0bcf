"""Where within a step something lands: roots of heights known with their rates at both ends."""

from __future__ import annotations

from mcrock.jit import jit

EVENT_TIME = 1e-12  # events are located to this, and closer ones are at one instant [s]
ROOT_ITERATIONS = 60


@jit
def _polynomial_root(c0, c1, c2, c3, low, high):
    """Root of a cubic that is positive at ``low`` and not positive at ``high``."""
    for _ in range(ROOT_ITERATIONS):
        middle = 0.5 * (low + high)
        if c0 + middle * (c1 + middle * (c2 + middle * c3)) > 0.0:
            low = middle
        else:
            high = middle
        if high - low <= 1e-4 * high:  # a first guess only: the caller refines it
            break
    return high


@jit
def first_landing(z0, v0, z1, v1, h, touch):
    """First time in (0, h] at which a height falls to zero, -1 if it does not [s].

    The height is the cubic through values z [m] and rates v [m/s] at both ends of the step. Where
    it starts on the ground, no higher than ``touch`` [m], that zero is not a landing unless it
    sinks at once, which returns 0.
    """
    c2 = (3.0 * (z1 - z0) / h - 2.0 * v0 - v1) / h
    c3 = (v0 + v1 - 2.0 * (z1 - z0) / h) / (h * h)
    if z0 <= touch:  # divide the zero at the start out: v0 + c2 s + c3 s^2
        if v0 <= 0.0:
            if z1 >= -touch:
                return -1.0
            return min(-c2 / c3, h) if c2 > 0.0 and c3 < 0.0 else 0.0
        if z1 < 0.0:
            return _polynomial_root(v0, c2, c3, 0.0, 0.0, h)
        if c3 > 0.0:
            dip = -0.5 * c2 / c3
            if 0.0 < dip < h and v0 + dip * (c2 + dip * c3) < 0.0:
                return _polynomial_root(v0, c2, c3, 0.0, 0.0, dip)
        return -1.0
    if z1 <= 0.0:
        return _polynomial_root(z0, v0, c2, c3, 0.0, h)
    if v0 < 0.0 < v1:  # may have dipped below and come back
        dip = _polynomial_root(-v0, -2.0 * c2, -3.0 * c3, 0.0, 0.0, h)
        if z0 + dip * (v0 + dip * (c2 + dip * c3)) < 0.0:
            return _polynomial_root(z0, v0, c2, c3, 0.0, dip)
    return -1.0


@jit
def cubic_peak(z0, v0, z1, v1, h):
    """Largest value of the cubic through both ends of a step, for v0 > 0 > v1."""
    c2 = (3.0 * (z1 - z0) / h - 2.0 * v0 - v1) / h
    c3 = (v0 + v1 - 2.0 * (z1 - z0) / h) / (h * h)
    s = _polynomial_root(v0, 2.0 * c2, 3.0 * c3, 0.0, 0.0, h)
    return max(z0 + s * (v0 + s * (c2 + s * c3)), max(z0, z1))
