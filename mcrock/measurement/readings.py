"""What a fit asks for thousands of times, compiled: rates of a body with their jumps, and readings.

Called by `mcrock.measurement.rates` and `mcrock.measurement.sensor`, which say what the arguments are.
"""

from __future__ import annotations

import numpy as np

from mcrock.base.jit import jit
from mcrock.base.response import HistoryColumn
from mcrock.kernel.rotation import to_ground

TIME, OMEGA_X = int(HistoryColumn.TIME), int(HistoryColumn.OMEGA_X)
Q0, Q1, Q2, Q3 = (int(HistoryColumn[f"Q{i}"]) for i in range(4))


@jit(inline=True, internal=True)
def _turned_back(row, x, y, z):
    """A vector of the ground in axes of the body, by the quaternion of a row."""
    return to_ground((row[Q0], -row[Q1], -row[Q2], -row[Q3]), x, y, z)


@jit
def fill_rates(history, time, rates):
    """Rates of all rows in axes of the body, into ``time`` (n,) and ``rates`` (n, 3)."""
    for i in range(history.shape[0]):
        row = history[i]
        time[i] = row[TIME]
        rates[i, 0], rates[i, 1], rates[i, 2] = _turned_back(
            row, row[OMEGA_X], row[OMEGA_X + 1], row[OMEGA_X + 2]
        )


@jit
def fill_means(time, values, at, width, integral, found):
    """`mcrock.measurement.sensor.means` into ``found``; ``integral`` is room for that of the values."""
    last = time.size - 1
    for axis in range(values.shape[1]):
        integral[0, axis] = 0.0
        for i in range(last):
            mean = 0.5 * (values[i, axis] + values[i + 1, axis])
            integral[i + 1, axis] = integral[i, axis] + (time[i + 1] - time[i]) * mean
    for j in range(at.size):
        for end in range(2):
            t = min(max(at[j] + (end - 0.5) * width, time[0]), time[last])
            i = min(max(np.searchsorted(time, t, "right") - 1, 0), last - 1)
            s, h = t - time[i], time[i + 1] - time[i]
            for axis in range(values.shape[1]):
                slope = (values[i + 1, axis] - values[i, axis]) / h if h > 0.0 else 0.0
                value = integral[i, axis] + s * (values[i, axis] + 0.5 * s * slope)
                found[j, axis] = (value - found[j, axis]) / width if end else value
