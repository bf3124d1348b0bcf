"""Impact on a base of reduced effective width.

Kalliontzis, D., Sritharan, S., Schultz, A. (2016). Improved coefficient of restitution estimation for free
rocking members. Journal of Structural Engineering 142(12), 06016002.
"""

from __future__ import annotations

from math import sqrt

from mcrock.base.jit import jit


@jit
def velocity_ratio(about: float, mass: float, old: float, new: float, nu: float) -> float:
    """Angular velocity after a landing over that before [1], for nu = effective over true width.

    A smooth convex strip along both edges, on which no energy is lost, and a hollow between them that is nu
    times the width of the base. The other parameters are as in `housner_1963`.

    >>> round(velocity_ratio(17.0 / 12.0, 1.0, -0.5, 0.5, 0.5), 6)
    0.915493
    """
    middle, half = 0.5 * (old + new), 0.5 * nu * (new - old)
    first, last = middle - half, middle + half
    # cosine of the angle between both pivots in the metric of the kinetic energy
    kept = (about + mass * first * last) / sqrt((about + mass * first**2) * (about + mass * last**2))
    return kept * sqrt((about + mass * old * old) / (about + mass * new * new))
