"""When a rocking body turns back and lands, from its angular velocity."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

NOISE = 0.05  # of the largest rate: a change of sign below it is none [1]


class Landings(NamedTuple):
    """Marks of a rocking motion about one axis."""

    landing: Array  # (n,) times at which the rate is largest between two changes of its sign [s]
    turning: Array  # (n - 1,) or (n,) times at which it changes its sign, one after each landing [s]


def landings(time: ArrayLike, rate: ArrayLike, least: float | None = None) -> Landings:
    """Landings and turning points of a body that rocks to and fro about one axis.

    Between two turning points gravity first brings the body down and then, on the other side, takes its speed
    away: the rate is largest where it lands, with or without a loss. A last stretch that ends before its
    rate has fallen has no landing.

    Parameters
    ----------
    time : array_like (n,)
        [s], not falling.
    rate : array_like (n,)
        Angular velocity about the axis [rad/s], of a sensor or of a simulation.
    least : float, optional
        Rates up to this have no sign [rad/s]; by default a twentieth of the largest.

    Returns
    -------
    Landings

    Raises
    ------
    ValueError
        If the lengths differ or nothing moves.

    Examples
    --------
    >>> t = np.linspace(0.0, 2.5, 251)
    >>> found = landings(t, np.sin(np.pi * t))
    >>> found.landing.round(2).tolist(), found.turning.round(2).tolist()
    ([0.5, 1.5], [1.0, 2.0])
    """
    t, w = np.asarray(time, float), np.asarray(rate, float)
    if t.ndim != 1 or t.shape != w.shape or not t.size:
        raise ValueError(f"time [s] and rate [rad/s] must have one length, got {t.shape} and {w.shape}")
    if least is None:
        least = NOISE * float(np.abs(w).max())
    moving = np.flatnonzero(np.abs(w) > least)
    if not moving.size:
        raise ValueError(f"no rate is above {least:g} rad/s: nothing moves")
    signs = np.sign(w[moving])
    first = np.flatnonzero(np.concatenate([[True], signs[1:] != signs[:-1]]))  # of each stretch, in `moving`
    last = np.append(first[1:] - 1, moving.size - 1)
    landing, turning = [], []
    for i, (a, b) in enumerate(zip(moving[first], moving[last], strict=True)):
        largest = a + int(np.abs(w[a : b + 1]).argmax())
        ended = i + 1 < first.size
        if not ended and largest == w.size - 1:
            break
        landing.append(t[largest])
        if ended:
            after = moving[first[i + 1]]
            # on a line between both stretches, as noise may cross zero more than once
            share = abs(w[b]) / (abs(w[b]) + abs(w[after]))
            turning.append(t[b] + share * (t[after] - t[b]))
    return Landings(np.array(landing), np.array(turning))
