"""One inelastic impact at the new edge: its angular momentum is conserved.

Housner, G. W. (1963). The behavior of inverted pendulum structures during earthquakes. Bulletin of the
Seismological Society of America 53(2), 403-417.
"""

from __future__ import annotations

from mcrock.base.jit import jit


@jit
def velocity_ratio(about: float, mass: float, old: float, new: float) -> float:
    """Angular velocity after a landing over that before [1]; the paper's energy ratio r is its square.

    Parameters
    ----------
    about : float
        Inertia A = I + m h^2 about the foot of the COM on the base [kg m2].
    mass : float
        [kg]
    old, new : float
        Places of the edge that turned and of the edge that lands, from that foot [m], old < new.

    >>> round(velocity_ratio(17.0 / 12.0, 1.0, -0.5, 0.5), 12)  # 1 m wide, 2 m high
    0.7
    """
    return (about + mass * old * new) / (about + mass * new * new)
