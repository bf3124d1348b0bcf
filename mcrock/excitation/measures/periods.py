"""Periods and damping of the oscillators whose peak responses are measures of a motion.

Apart from `mcrock.excitation.measures.response_spectra`, which computes the responses and loads the compiler.
"""

from __future__ import annotations

from math import isfinite

import numpy as np
from numpy.typing import ArrayLike

from mcrock.base.checks import Integer, Number
from mcrock.excitation.motion import FloatArray, MotionError, checked

AVERAGED = 20  # periods of a range that AvgSA takes by default
MOST_AVERAGED = 1000  # periods that AvgSA takes [1]
SHORTEST_PERIOD = 1e-3  # of a spectrum [s]; memory and time grow with dt / period
LARGEST_DAMPING = 0.8  # of a spectrum [1]; above it the swing after the record takes too long to follow


def check_spectrum(periods: ArrayLike, damping: float) -> None:
    """Refuse periods [s] and a damping [1] that no spectrum is made for."""
    listed = np.atleast_1d(np.asarray(periods, dtype=np.float64))
    bad = listed[~(np.isfinite(listed) & ((listed == 0) | (listed >= SHORTEST_PERIOD)))]
    if len(bad):
        raise MotionError(
            f"periods of a spectrum must be 0 or at least {SHORTEST_PERIOD} and finite [s], got {bad[0]:g}"
        )
    checked(Number("1", least=0.0, most=LARGEST_DAMPING), "damping", damping)


def one_period(period: float) -> float:
    """A single period [s]."""
    if np.ndim(period):
        raise MotionError(f"period must be one number [s], got {period!r}; for several use 'avgsa'")
    return float(period)


def averaged(
    periods: ArrayLike | None = None,
    low: float | None = None,
    high: float | None = None,
    count: int = AVERAGED,
    damping: float = 0.05,
) -> tuple[FloatArray, float]:
    """Periods [s] over which AvgSA is taken, and the damping [1].

    Either the list `periods`, or `count` of them equally spaced from `low` to `high`.

    >>> averaged(low=0.5, high=2.0, count=4)[0].tolist()
    [0.5, 1.0, 1.5, 2.0]
    """
    if (periods is None) == (low is None and high is None):
        raise MotionError("AvgSA needs either periods, a list [s], or low and high, the ends of a range [s]")
    if periods is not None:
        chosen = np.array(periods, dtype=np.float64)
        if chosen.ndim != 1 or not len(chosen):
            raise MotionError(f"periods of AvgSA must be a list of at least one [s], got {periods!r}")
        if len(chosen) > MOST_AVERAGED:
            raise MotionError(f"periods of AvgSA are at most {MOST_AVERAGED}, got {len(chosen)}")
        return chosen, damping
    if low is None or high is None or not (isfinite(high) and 0 < low < high):
        raise MotionError(f"AvgSA needs 0 < low < high, both finite [s], got {low!r} and {high!r}")
    n = checked(Integer(2, MOST_AVERAGED), "count of periods of AvgSA", count)
    return np.linspace(low, high, n), damping
