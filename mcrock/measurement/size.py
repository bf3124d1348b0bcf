"""What an error in the size of a body does to the estimates of a fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mcrock.body import Body
from mcrock.measurement.comparison import Comparison
from mcrock.measurement.free_rocking import stretched_inertia

Array = NDArray[np.float64]

LARGER = 0.01  # [1]


def stretched(body: Body, factors: Array) -> Body:
    """A body stretched along its axes, x, y and z, by factors (3,) [1]: faces stay, and so does the mass."""
    inertia = stretched_inertia(body.inertia, factors)
    return replace(body, inertia=inertia, vertices=body.vertices * factors)


def size_effects(body: Body, compare: Callable[[Body], Comparison], x: Array, scale: float) -> Array:
    """Change of each unknown if the body were 1 % larger along an axis (3, k), by fits that start from ``x``.

    A larger body may explain a test much worse, and its fit needs 15 to 30 steps. One that has not ended
    after 60 gives no change: NaN.

    Parameters
    ----------
    body : Body
    compare : callable
        The test and a body.
    x : ndarray (n,)
        The unknowns of the fit, the first k of them parameters.
    scale : float
        Of the loss [rad/s].
    """
    found = []
    for axis in range(3):
        comparison = compare(stretched(body, np.where(np.arange(3) == axis, 1.0 + LARGER, 1.0)))
        fit = comparison.fitted(x, scale, central=False)
        change = (fit.x - x)[: len(comparison.names)]
        found.append(change if fit.success else np.full_like(change, np.nan))
    return np.array(found)
