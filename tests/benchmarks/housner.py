"""A plain planar Housner block in numba, as a researcher writes it in an afternoon.

Runge-Kutta of fourth order on equal parts of the step of the record, impacts by bisection of the step
length, uplift where the record crosses the threshold. With many parts it is a reference that shares no
code with mcrock.
"""

from math import atan2, copysign, cos, hypot, pi, sin, sqrt, tan

import numba
import numpy as np

ROOM = 1000  # impacts and uplifts within one step


@numba.njit(nogil=True)
def angular_acceleration(phi, a, alpha, square):
    """phi'' at the tilt ``phi`` [rad] and the push ``a`` of the ground towards uplift, over g [1]."""
    return -square * (sin(alpha - phi) - a * cos(alpha - phi))


@numba.njit(nogil=True)
def step(phi, w, a, slope, h, alpha, square):
    """Tilt and rate after ``h`` [s] while the push grows from ``a`` at ``slope`` [1/s]."""
    half, end = a + 0.5 * h * slope, a + h * slope
    k1 = angular_acceleration(phi, a, alpha, square)
    k2 = angular_acceleration(phi + 0.5 * h * w, half, alpha, square)
    k3 = angular_acceleration(phi + 0.5 * h * (w + 0.5 * h * k1), half, alpha, square)
    k4 = angular_acceleration(phi + h * (w + 0.5 * h * k2), end, alpha, square)
    return phi + h * (w + h * (k1 + k2 + k3) / 6.0), w + h * (k1 + 2.0 * (k2 + k3) + k4) / 6.0


@numba.njit(nogil=True)
def peak_tilt(record, dt, factor, parts, alpha, square, r):
    """Largest tilt of a block at rest at the start [rad], pi/2 where it overturns.

    ``record`` (n,) times ``factor`` is the acceleration of the ground over g [1], linear between samples
    ``dt`` [s] apart; ``parts`` steps each. ``square`` is p^2 [1/s2], ``r`` the velocity ratio [1].
    """
    limit, rest = tan(alpha), 1e-6 * sqrt(square) * alpha
    side, phi, w, peak, h = 0.0, 0.0, 0.0, 0.0, dt / parts
    for i in range((len(record) - 1) * parts):
        k = i // parts
        slope = factor * (record[k + 1] - record[k]) / dt
        a, left = factor * record[k] + slope * h * (i - k * parts), h
        for _ in range(ROOM):
            if side == 0.0:
                if abs(a) < limit:
                    if abs(a + slope * left) <= limit:
                        break
                    wait = (copysign(limit, slope) - a) / slope
                    a, left = a + slope * wait, left - wait
                side, phi, w = copysign(1.0, a), 0.0, 0.0
            phi1, w1 = step(phi, w, side * a, side * slope, left, alpha, square)
            if phi1 > 0.0:
                phi, w = phi1, w1
                break
            if phi == 0.0 and w == 0.0:  # an uplift that comes to nothing
                side = 0.0
                break
            low, high = 0.0, left
            while high - low > 1e-13:
                middle = 0.5 * (low + high)
                if step(phi, w, side * a, side * slope, middle, alpha, square)[0] > 0.0:
                    low = middle
                else:
                    high = middle
            w = -r * step(phi, w, side * a, side * slope, high, alpha, square)[1]
            side, phi, a, left = -side, 0.0, a + slope * high, left - high
            if w < rest:
                side, w = 0.0, 0.0
        peak = max(peak, phi)
        if phi > 0.5 * pi:
            return 0.5 * pi
    return peak


@numba.njit(nogil=True)
def _peak_tilts(record, dt, factors, parts, alpha, square, r, out):
    for i in range(len(factors)):
        out[i] = peak_tilt(record, dt, factors[i], parts, alpha, square, r)


def constants(width: float, height: float, gravity: float) -> tuple[float, float, float]:
    """Slenderness [rad], p^2 [1/s2] and Housner's velocity ratio of a homogeneous rectangle."""
    alpha, radius = atan2(width, height), 0.5 * hypot(width, height)
    return alpha, 0.75 * gravity / radius, 1.0 - 1.5 * sin(alpha) ** 2


def peak_tilts(record, dt, factors, width, height, gravity=9.81, parts=1):
    """Largest tilts (n,) of a rectangle [rad] under ``record`` (n_time,) [m/s2] times each factor (n,)."""
    factors, out = np.asarray(factors, float), np.empty(len(factors))
    scaled = np.asarray(record, float) / gravity
    _peak_tilts(scaled, float(dt), factors, parts, *constants(width, height, gravity), out)
    return out
