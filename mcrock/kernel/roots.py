"""Where within a step something lands: roots of heights known with their rates at both ends."""

from __future__ import annotations

from math import sqrt

from mcrock.base.jit import jit

EVENT_TIME = 1e-12  # events are located to this, and closer ones are at one instant [s]
ROOT_ITERATIONS = 60
LOOKS = 1_000_000  # at most at a sine for the end of rest
BISECTIONS = 60  # of the time of an event: enough for `EVENT_TIME` in a step of days
ROOT_PRECISION = 1e-5  # last correction of a root of the interpolating cubic, over the root [1]


@jit(internal=True)
def _polynomial_root(c0, c1, c2, c3, low, high):
    """Root of a cubic that is positive at ``low`` and not positive at ``high``: Newton's method, and
    bisection where that would leave the bracket."""
    x = 0.5 * (low + high)
    for _ in range(ROOT_ITERATIONS):
        value = c0 + x * (c1 + x * (c2 + x * c3))
        if value > 0.0:
            low = x
        else:
            high = x
        slope = c1 + x * (2.0 * c2 + x * (3.0 * c3))
        guess = x - value / slope if slope < 0.0 else low
        if not low < guess < high:
            guess = 0.5 * (low + high)
        moved = abs(guess - x)
        x = guess
        if moved <= ROOT_PRECISION * x:
            break
    return x


@jit(inline=True, internal=True)
def stays_off(z0, v0, z1, v1, h, touch):
    """Whether `first_landing` surely finds none: a cubic lies between the four points that span it."""
    if not (z0 > touch and z1 > 0.0):
        return False
    return not v0 < 0.0 < v1 or (3.0 * z0 + h * v0 > 0.0 and 3.0 * z1 - h * v1 > 0.0)


@jit
def first_landing(z0, v0, z1, v1, h, touch):
    """First time in (0, h] at which a height falls to zero, -1 if it does not [s].

    The height is the cubic through values z [m] and rates v [m/s] at both ends of the step. Where
    it starts on the ground, no higher than ``touch`` [m], that zero is not a landing unless it
    sinks at once, which returns 0.
    """
    if stays_off(z0, v0, z1, v1, h, touch):
        return -1.0
    c2 = (3.0 * (z1 - z0) / h - 2.0 * v0 - v1) / h
    c3 = (v0 + v1 - 2.0 * (z1 - z0) / h) / (h * h)
    if z0 <= touch:  # divide the zero at the start out: v0 + c2 s + c3 s^2
        if v0 <= 0.0:
            if not z1 < -touch:  # nor is what is no number
                return -1.0
            return min(-c2 / c3, h) if c2 > 0.0 and c3 < 0.0 else 0.0
        square = c2 * c2 - 4.0 * v0 * c3
        if z1 >= 0.0:  # a dip on the way must be more than rounding
            if not (c3 > 0.0 and -2.0 * h * c3 < c2 < 0.0 < square):
                return -1.0
            lowest = (sqrt(c2 * c2 - 3.0 * c3 * v0) - c2) / (3.0 * c3)
            if lowest * (v0 + lowest * (c2 + lowest * c3)) >= -touch:
                return -1.0
        return min(2.0 * v0 / (sqrt(max(square, 0.0)) - c2), h)
    if z1 <= 0.0:
        return _polynomial_root(z0, v0, c2, c3, 0.0, h)
    # falls and rises: it may have dipped below and come back
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
