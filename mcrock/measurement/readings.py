"""What a fit asks for thousands of times, compiled: rates of a body with their jumps, and readings.

Called by `mcrock.measurement.rates` and `mcrock.measurement.sensor`, which say what the arguments are.
"""

from __future__ import annotations

import numpy as np

from mcrock.base.jit import jit
from mcrock.base.params import Mode
from mcrock.base.response import HistoryColumn
from mcrock.kernel.rotation import to_ground

EDGE, VERTEX = int(Mode.EDGE), int(Mode.VERTEX)
TIME, MODE, INDEX, OMEGA_X = (int(HistoryColumn[name]) for name in ("TIME", "MODE", "INDEX", "OMEGA_X"))
Q0, Q1, Q2, Q3 = (int(HistoryColumn[f"Q{i}"]) for i in range(4))


@jit(inline=True, internal=True)
def _turned_back(row, x, y, z):
    """A vector of the ground in axes of the body, by the quaternion of a row."""
    return to_ground((row[Q0], -row[Q1], -row[Q2], -row[Q3]), x, y, z)


@jit(inline=True, internal=True)
def _acceleration(pivots, row, w):
    """Angular acceleration in axes of the body where it turns about an edge or a vertex [rad/s2]."""
    mode, index = int(row[MODE]), int(row[INDEX])
    if mode != EDGE and mode != VERTEX:
        return 0.0, 0.0, 0.0
    at = pivots.ends[index, 0] if mode == EDGE else index
    v, k = pivots.vertices[at], pivots.inertia[at]
    fx, fy, fz = _turned_back(row, 0.0, 0.0, -pivots.weight)
    tx, ty, tz = v[2] * fy - v[1] * fz, v[0] * fz - v[2] * fx, v[1] * fx - v[0] * fy
    if mode == EDGE:
        e = pivots.along[index]
        rate = (e[0] * tx + e[1] * ty + e[2] * tz) / pivots.stiffness[index]
        return rate * e[0], rate * e[1], rate * e[2]
    kx = k[0, 0] * w[0] + k[0, 1] * w[1] + k[0, 2] * w[2]
    ky = k[1, 0] * w[0] + k[1, 1] * w[1] + k[1, 2] * w[2]
    kz = k[2, 0] * w[0] + k[2, 1] * w[1] + k[2, 2] * w[2]
    tx, ty, tz = tx - (w[1] * kz - w[2] * ky), ty - (w[2] * kx - w[0] * kz), tz - (w[0] * ky - w[1] * kx)
    i = pivots.inverse[at]
    return (
        i[0, 0] * tx + i[0, 1] * ty + i[0, 2] * tz,
        i[1, 0] * tx + i[1, 1] * ty + i[1, 2] * tz,
        i[2, 0] * tx + i[2, 1] * ty + i[2, 2] * tz,
    )


@jit
def fill_rates(pivots, history, events, time, rates):
    """Rates of all rows, and before each impact, into ``time`` and ``rates``; returns their number."""
    used, passed = 0, 0
    for i in range(history.shape[0]):
        row, t, before = history[i], history[i, TIME], passed
        while passed < events.size and events[passed] <= t:
            passed += 1
        if i > 0 and passed == before + 1 and events[before] == t and t > history[i - 1, TIME]:
            w = rates[used - 1]
            a = _acceleration(pivots, history[i - 1], w)
            h = t - history[i - 1, TIME]
            time[used] = t
            for axis in range(3):
                rates[used, axis] = w[axis] + h * a[axis]
            used += 1
        time[used] = t
        rates[used, 0], rates[used, 1], rates[used, 2] = _turned_back(
            row, row[OMEGA_X], row[OMEGA_X + 1], row[OMEGA_X + 2]
        )
        used += 1
    return used


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
