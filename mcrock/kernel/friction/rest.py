"""When a body at rest starts to slip."""

from __future__ import annotations

from math import inf, sqrt

from mcrock.base.jit import jit
from mcrock.kernel.roots import EVENT_TIME, LOOKS
from mcrock.kernel.shaking import END, SINE, acceleration

BISECTIONS = 80
INSIDE = 1.0 - 1e-9  # of the square of Coulomb's bound [1]


@jit(internal=True)
def holds(a, static, gravity):
    """Whether rest is possible: the horizontal force is within the cone of friction.

    At its boundary it is not, by more than rounding: the instant at which slip begins is one of slip.
    """
    down = gravity + a[2]
    return down > 0.0 and a[0] * a[0] + a[1] * a[1] <= INSIDE * static * static * down * down


@jit(internal=True)
def next_slip(segment, t, static, gravity, step):
    """Time in the segment, from ``t`` [s] on, at which friction no longer holds the body; infinite if it
    does.

    On a linear segment |a_h|^2 = mu^2 (g + a_z)^2 is a quadratic equation; a sine is looked through in steps
    of ``step`` [s], or longer ones where these would be too many.
    """
    begin, end = t, segment[END]
    if not holds(acceleration(segment, begin), static, gravity):
        return begin
    linear, step = segment[SINE] == 0.0, max(step, (end - t) / LOOKS)
    for _ in range(2 * LOOKS):
        last = end if linear else min(begin + step, end)
        a, b = acceleration(segment, begin), acceleration(segment, last)
        if not holds(b, static, gravity):
            if linear:
                root = begin + (last - begin) * _first_root(a, b, static, gravity)
                late = min(root + EVENT_TIME, last)
                if not holds(acceleration(segment, late), static, gravity):
                    return late
            low, high = begin, last
            for _ in range(BISECTIONS):
                middle = 0.5 * (low + high)
                if holds(acceleration(segment, middle), static, gravity):
                    low = middle
                else:
                    high = middle
            return high
        if last >= end:
            break
        begin = last
    return inf


@jit(internal=True)
def _first_root(a, b, static, gravity):
    """Share of the way from ``a`` to ``b``, accelerations, at which the demand reaches the friction [1]."""
    x, y, z = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    down = gravity + a[2]
    square = INSIDE * static * static
    c2 = x * x + y * y - square * z * z
    c1 = a[0] * x + a[1] * y - square * down * z
    c0 = a[0] * a[0] + a[1] * a[1] - square * down * down  # not positive
    root = sqrt(max(c1 * c1 - c2 * c0, 0.0))
    # the root where the quadratic becomes positive, without cancellation
    if c1 > 0.0:
        return -c0 / (c1 + root)
    return (root - c1) / c2 if c2 != 0.0 else inf
