"""Angular velocity of a body that rocks freely as a sensor on it feels it: in its own axes, with jumps."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mcrock.base.response import HistoryColumn
from mcrock.measurement.readings import OMEGA_X, Q0, Q3, TIME, fill_rates

if TYPE_CHECKING:
    from mcrock.simulation.run import Run

Array = NDArray[np.float64]


class Rates(NamedTuple):
    """Angular velocity in axes of the body; where it jumps, twice: before and after."""

    time: Array  # (n,) [s]
    angular_velocity: Array  # (n, 3) [rad/s]


def rates_of(history: Array) -> Rates:
    """Rates from the rows of a history, (n, k) with the columns of `HistoryColumn`.

    An impact has a row before it and one after it. Where several fall into a step, which then is a train of
    short flights, they are taken to be linear.
    """
    time, rates = np.empty(len(history)), np.empty((len(history), 3))
    fill_rates(history, time, rates)
    return Rates(time, rates)


def rates_in_body(run: Run) -> Rates:
    """Angular velocity of a run of free rocking in axes of its body, with its jumps.

    Parameters
    ----------
    run : Run
        Without motion of the ground, with its history.

    Raises
    ------
    ValueError
        If the run has no history.
    """
    history = run.history
    if history.sizes["time"] < 2:
        raise ValueError("the run has no history to read; simulate with history=True")
    rows = np.zeros((history.sizes["time"], len(HistoryColumn)))
    rows[:, TIME] = history["time"]
    rows[:, Q0 : Q3 + 1], rows[:, OMEGA_X : OMEGA_X + 3] = history["orientation"], history["angular_velocity"]
    return rates_of(rows)
