"""Two inelastic impacts, at the middle of the base and at the new edge.

Ther, T., Kollár, L. P. (2017). Refinement of Housner's model on rocking blocks. Bulletin of Earthquake
Engineering 15, 2305-2319.
"""

from __future__ import annotations

from mcrock.base.jit import jit


@jit
def velocity_ratio(about: float, mass: float, old: float, new: float) -> float:
    """Angular velocity after a landing over that before [1]; parameters as in `housner_1963`.

    >>> round(velocity_ratio(17.0 / 12.0, 1.0, -0.5, 0.5), 12)
    0.85
    """
    middle = 0.5 * (old + new)
    first = (about + mass * old * middle) / (about + mass * middle * middle)
    return first * (about + mass * middle * new) / (about + mass * new * new)
