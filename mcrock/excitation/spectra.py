"""Response spectra: the largest response of damped linear oscillators to a ground motion.

The ground acceleration is linear between samples, so that the response on a step is a line plus a
damped sinusoid and the states at the steps follow exactly, whatever the period (Nigam and Jennings
1969). The peak between two states is the root of the rate on that step, not the larger end: nothing is
upsampled, and no step is too long. After the last sample the ground rests and the oscillator swings on;
its first swing counts too.

Nigam, N. C., Jennings, P. C. (1969). Calculation of response spectra from strong-motion earthquake
records. Bulletin of the Seismological Society of America 59(2), 909-922.

Boore, D. M. (2010). Orientation-independent, nongeometric-mean measures of seismic intensity from two
horizontal components of motion. Bulletin of the Seismological Society of America 100(4), 1830-1835.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, exp, hypot, isfinite, pi, sin, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mcrock.excitation.measures import check_spectrum
from mcrock.excitation.motion import FloatArray, MotionError
from mcrock.jit import jit

DAMPING = 0.05  # share of the critical damping [1], by default
STEPS_PER_PERIOD = 4  # at least; below two the rate could change its sign unseen
FREE_STEPS = 4  # of a quarter period each, after the last sample: enough up to the largest damping
SERIES = 40  # terms; the last one is (3 pi / 2)^40 / 40! = 1e-21 at the most
ROOT_STEPS = 60  # bisections at the most
ANGLES = 180  # directions of RotD, one degree apart
QUANTITIES = ("displacement", "velocity", "acceleration", "pseudo_velocity", "pseudo_acceleration")


def response_spectrum(
    acceleration: ArrayLike,
    dt: float,
    periods: ArrayLike,
    damping: float = DAMPING,
    quantity: str = "pseudo_acceleration",
) -> FloatArray:
    """Response spectrum of one component.

    Parameters
    ----------
    acceleration : array_like (n_time,)
        Of the ground [m/s2], linear between samples and zero after the last; the oscillators start
        at rest.
    dt : float
        Time step [s].
    periods : array_like (n_period,)
        Undamped natural periods [s], 0 or at least 0.001, in any order. At 0 the oscillator is rigid:
        the accelerations are the peak of the ground, the others 0.
    damping : float
        Share of the critical damping [1], from 0 to 0.8.
    quantity : str
        "displacement" Sd [m] and "velocity" Sv [m/s] of the mass relative to the ground,
        "acceleration" Sa [m/s2], that of the mass, or "pseudo_velocity" ``2 pi/T Sd`` [m/s] and
        "pseudo_acceleration" ``(2 pi/T)^2 Sd`` [m/s2].

    Returns
    -------
    ndarray (n_period,)
        Exact for the piecewise linear acceleration: the relative error is of the order of 1e-11.

    Raises
    ------
    MotionError
        If the samples, a period, the damping or the quantity are unsuitable.

    Examples
    --------
    Suddenly applied and held, an acceleration moves an undamped mass twice as far as slowly applied:

    >>> step = np.full(200, 1.0)
    >>> response_spectrum(step, 0.01, [0.5, 1.0], damping=0.0).round(9).tolist()
    [2.0, 2.0]
    """
    return _peaks([acceleration, acceleration], dt, periods, damping, quantity, np.zeros(1))[:, 0]


def rotated_spectrum(
    x: ArrayLike,
    y: ArrayLike,
    dt: float,
    periods: ArrayLike,
    damping: float = DAMPING,
    quantity: str = "pseudo_acceleration",
    percentile: float = 50.0,
) -> FloatArray:
    """RotD spectrum of a horizontal pair: a percentile of the response over all directions.

    The response is computed along 180 directions one degree apart, as Boore (2010) does, each exact.
    RotD100 is thus low by 4e-5 of itself at the most. RotD50 is off by 2e-4 of itself in the middle of
    the FEMA P695 far-field records and 1e-3 at the worst; 0.9 % of RotD100 is the bound.

    Parameters
    ----------
    x, y : array_like (n_time,)
        Components of the ground acceleration at right angles [m/s2].
    dt, periods, damping, quantity
        As for `response_spectrum`.
    percentile : float
        50 for RotD50, 100 for RotD100, from 0 to 100.

    Returns
    -------
    ndarray (n_period,)
        In the units of the quantity.

    Raises
    ------
    MotionError
        As `response_spectrum`, and if the components differ in length or the percentile is no such.

    Examples
    --------
    A motion along one line is felt in a direction by the cosine of the angle to it:

    >>> step, still = np.full(200, 1.0), np.zeros(200)
    >>> [float(rotated_spectrum(step, still, 0.01, [1.0], 0.0, percentile=p)[0].round(4)) for p in (50, 100)]
    [1.4142, 2.0]
    """
    if not (isfinite(percentile) and 0 <= percentile <= 100):
        raise MotionError(f"percentile of the directions must be from 0 to 100, got {percentile!r}")
    angles = np.arange(ANGLES, dtype=np.float64) * (pi / ANGLES)
    return np.percentile(_peaks([x, y], dt, periods, damping, quantity, angles), percentile, axis=1)


def _peaks(
    components: Sequence[ArrayLike],
    dt: float,
    periods: ArrayLike,
    damping: float,
    quantity: str,
    angles: FloatArray,
) -> FloatArray:
    """Largest response along each direction (n_period, n_angle), `angles` [rad] from x towards y."""
    x, y = (np.array(component, dtype=np.float64) for component in components)
    periods = np.array(periods, dtype=np.float64)
    _check(x, y, dt, periods, damping, quantity)
    ground, directions = np.stack([x, y]), np.stack([np.cos(angles), np.sin(angles)])
    out = np.zeros((len(periods), len(angles)))
    rigid = periods == 0
    if quantity.endswith("acceleration") and rigid.any():
        out[rigid] = np.abs(directions.T @ ground).max(axis=1)
    moving = periods[~rigid]
    divisions = np.maximum(np.ceil(STEPS_PER_PERIOD * dt / moving), 1).astype(np.int64)
    states = np.zeros((4, (len(x) - 1) * divisions.max(initial=1) + 1 + FREE_STEPS))
    found = np.empty((len(moving), len(angles)))
    kind = 0 if quantity.startswith("pseudo") else QUANTITIES.index(quantity)
    _fill(ground, float(dt), moving, float(damping), divisions, kind, directions, states, found)
    if quantity.startswith("pseudo"):
        found *= ((2 * pi / moving) ** (1 + (quantity == "pseudo_acceleration")))[:, None]
    out[~rigid] = found
    return out


def _check(
    x: FloatArray, y: FloatArray, dt: float, periods: FloatArray, damping: float, quantity: str
) -> None:
    """Refuse what has no spectrum."""
    if x.ndim != 1 or x.shape != y.shape or len(x) < 2:
        raise MotionError(
            f"a spectrum needs components (n_time,) of equal length, at least 2 samples, "
            f"got the shapes {x.shape} and {y.shape}"
        )
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise MotionError("a spectrum needs finite accelerations [m/s2], got others among the samples")
    if not (isfinite(dt) and dt > 0):
        raise MotionError(f"dt of a spectrum must be finite and > 0 [s], got {dt!r}")
    if periods.ndim != 1:
        raise MotionError(f"periods of a spectrum must be a list [s], got the shape {periods.shape}")
    check_spectrum(periods, damping)
    if quantity not in QUANTITIES:
        raise MotionError(f"quantity of a spectrum must be one of {', '.join(QUANTITIES)}, got {quantity!r}")


@jit
def _fill(
    ground: FloatArray,
    dt: float,
    periods: FloatArray,
    damping: float,
    divisions: NDArray[np.int64],
    kind: int,
    directions: FloatArray,
    states: FloatArray,
    out: FloatArray,
) -> None:
    """Peaks `out` (n_period, n_angle) of the quantity `kind`: 0 displacement, 1 velocity, 2 acceleration.

    `ground` (2, n_time) [m/s2], `directions` (2, n_angle); `states` (4, the largest number of states) is
    overwritten: displacement and velocity of the oscillators along x, then along y if there are several
    directions.
    """
    for i in range(len(periods)):
        omega = 2 * pi / periods[i]
        _respond(ground[0], dt, divisions[i], omega, damping, states[0], states[1])
        if directions.shape[1] > 1:
            _respond(ground[1], dt, divisions[i], omega, damping, states[2], states[3])
        # the quantity is on_u u + on_v v
        on_u, on_v = 1.0, 0.0
        if kind == 1:
            on_u, on_v = 0.0, 1.0
        elif kind == 2:
            on_u, on_v = omega * omega, 2 * damping * omega
        n = (ground.shape[1] - 1) * divisions[i] + 1 + FREE_STEPS
        _peak_at_states(n, on_u, on_v, directions, states, out[i])
        _peak_between(ground, dt, divisions[i], omega, damping, on_u, on_v, directions, states, out[i])


@jit(internal=True)
def _advance(step: float, omega: float, damping: float) -> tuple[float, ...]:
    """Exact advance of (u, v) over `step` [s] as rows u, v of factors of u, v, a before, a after.

    With M the matrix of the free oscillator and e the unit force, exp(M t) e and its integrals with the
    load's two ends are summed as power series in t: the closed forms lose (omega step)^-3 in digits,
    nearly all of them for long periods.
    """
    r_u, r_v = 0.0, 1.0  # M^k e step^k / k!
    e_u, e_v = 0.0, 0.0
    before_u, before_v = 0.0, 0.0
    after_u, after_v = 0.0, 0.0
    for k in range(SERIES):
        e_u += r_u
        e_v += r_v
        before_u += r_u / (k + 2)
        before_v += r_v / (k + 2)
        after_u += r_u / ((k + 1) * (k + 2))
        after_v += r_v / ((k + 1) * (k + 2))
        factor = step / (k + 1)
        r_u, r_v = r_v * factor, -(omega * omega * r_u + 2 * damping * omega * r_v) * factor
    return (
        e_v + 2 * damping * omega * e_u,
        e_u,
        -step * before_u,
        -step * after_u,
        -omega * omega * e_u,
        e_v,
        -step * before_v,
        -step * after_v,
    )


@jit(internal=True)
def _respond(
    a: FloatArray, dt: float, division: int, omega: float, damping: float, u: FloatArray, v: FloatArray
) -> None:
    """States at every `division`-th of a step, and after the record at FREE_STEPS quarter periods."""
    uu, uv, u_before, u_after, vu, vv, v_before, v_after = _advance(dt / division, omega, damping)
    disp, vel = 0.0, 0.0
    u[0], v[0] = 0.0, 0.0
    n = 0
    for i in range(len(a) - 1):
        rise = (a[i + 1] - a[i]) / division
        before = a[i]
        for j in range(1, division + 1):
            after = a[i] + j * rise
            disp, vel = (
                uu * disp + uv * vel + (u_before * before + u_after * after),
                vu * disp + vv * vel + (v_before * before + v_after * after),
            )
            before = after
            n += 1
            u[n], v[n] = disp, vel
    uu, uv, _, _, vu, vv, _, _ = _advance(pi / 2 / omega, omega, damping)
    for _ in range(FREE_STEPS):
        disp, vel = uu * disp + uv * vel, vu * disp + vv * vel
        n += 1
        u[n], v[n] = disp, vel


@jit(internal=True)
def _peak_at_states(
    n: int, on_u: float, on_v: float, directions: FloatArray, states: FloatArray, peaks: FloatArray
) -> None:
    """Largest absolute value of the quantity among the first `n` states, along each direction."""
    for k in range(len(peaks)):
        peaks[k] = 0.0
    for i in range(n):
        x, y = on_u * states[0, i] + on_v * states[1, i], on_u * states[2, i] + on_v * states[3, i]
        for k in range(len(peaks)):
            q = abs(directions[0, k] * x + directions[1, k] * y)
            peaks[k] = q if q > peaks[k] else peaks[k]


@jit(internal=True)
def _peak_between(
    ground: FloatArray,
    dt: float,
    division: int,
    omega: float,
    damping: float,
    on_u: float,
    on_v: float,
    directions: FloatArray,
    states: FloatArray,
    peaks: FloatArray,
) -> None:
    """Raise the peaks of the states to those between them.

    r is the acceleration relative to the ground, the rate of v.
    """
    stiffness, drag = omega * omega, 2 * damping * omega
    x, y = ground[0], ground[1]
    ux, vx, uy, vy = states[0], states[1], states[2], states[3]
    least = _least(peaks)
    step, parts = dt / division, division
    # r is a decaying sinusoid: times the step it stays below this times the sum of its ends
    reach = step * exp(damping * omega * step) / cos(omega * step / 2)
    n = 0
    rx1, ry1 = -x[0], -y[0]
    for i in range(len(x)):
        ax, ay, rise_x, rise_y = x[i], y[i], 0.0, 0.0
        if i < len(x) - 1:
            rise_x, rise_y = (x[i + 1] - x[i]) / division, (y[i + 1] - y[i]) / division
        else:
            ax, ay, step, parts = 0.0, 0.0, pi / 2 / omega, FREE_STEPS
            reach = step * exp(damping * pi / 2) / cos(pi / 4)
            rx1, ry1 = rx1 + x[i], ry1 + y[i]
        for j in range(parts):
            n += 1
            rx0, ry0 = rx1, ry1
            rx1 = -(ax + (j + 1) * rise_x + drag * vx[n] + stiffness * ux[n])
            if len(peaks) > 1:
                ry1 = -(ay + (j + 1) * rise_y + drag * vy[n] + stiffness * uy[n])
                farthest, speed = hypot(ux[n], uy[n]), hypot(vx[n], vy[n])
                change = reach * (hypot(rx0, ry0) + hypot(rx1, ry1))
            else:
                farthest, speed, change = abs(ux[n]), abs(vx[n]), reach * (abs(rx0) + abs(rx1))
            bound = on_u * (farthest + step * (speed + 0.5 * change)) + on_v * (speed + change)
            if bound <= least:
                continue  # nearly always
            for k in range(len(peaks)):
                if bound > peaks[k]:
                    c, s = directions[0, k], directions[1, k]
                    slope = (c * rise_x + s * rise_y) / step
                    before = c * ux[n - 1] + s * uy[n - 1], c * vx[n - 1] + s * vy[n - 1]
                    after = c * ux[n] + s * uy[n], c * vx[n] + s * vy[n]
                    a = c * (ax + j * rise_x) + s * (ay + j * rise_y)
                    peaks[k] = _peak_on_step(
                        a, slope, step, omega, damping, on_u, on_v, before, after, peaks[k]
                    )
            least = _least(peaks)


@jit(internal=True)
def _least(values: FloatArray) -> float:
    """Smallest of some values."""
    least = float(values[0])
    for value in values:
        least = min(least, value)
    return least


@jit(internal=True)
def _peak_on_step(
    a: float,
    slope: float,
    step: float,
    omega: float,
    damping: float,
    on_u: float,
    on_v: float,
    before: tuple[float, float],
    after: tuple[float, float],
    peak: float,
) -> float:
    """Raise `peak` to the largest absolute value of the quantity between two states (u, v).

    The ground acceleration is `a` at the first of them and changes at the rate `slope`.
    """
    (u0, v0), (u1, v1) = before, after
    stiffness, drag = omega * omega, 2 * damping * omega
    r0 = -(a + drag * v0 + stiffness * u0)
    r1 = -(a + slope * step + drag * v1 + stiffness * u1)
    rate0, rate1 = on_u * v0 + on_v * r0, on_u * v1 + on_v * r1
    bend0 = on_u * r0 - on_v * (slope + drag * r0 + stiffness * v0)
    bend1 = on_u * r1 - on_v * (slope + drag * r1 + stiffness * v1)
    # from rest the bend says where the quantity goes
    onset = rate0 if rate0 != 0 else bend0
    turns, bends = onset * rate1 < 0, bend0 * bend1 < 0
    if not turns and not (bends and onset * bend0 < 0):
        return peak  # the quantity does not turn, nor twice
    q0, q1 = abs(on_u * u0 + on_v * v0), abs(on_u * u1 + on_v * v1)
    if not bends and min(q0 + step * abs(rate0), q1 + step * abs(rate1)) <= peak:
        return peak
    line1 = -slope / stiffness
    line0 = -(a + drag * line1) / stiffness
    wave, decay = omega * sqrt(1 - damping * damping), damping * omega
    cosine = u0 - line0
    sine = (v0 - line1 + decay * cosine) / wave
    b0, b1 = on_u * line0 + on_v * line1, on_u * line1
    cosine, sine = (
        on_u * cosine + on_v * (wave * sine - decay * cosine),
        on_u * sine - on_v * (wave * cosine + decay * sine),
    )
    if max(abs(b0), abs(b0 + b1 * step)) + hypot(cosine, sine) > peak:
        peak = max(peak, _turn(b0, b1, cosine, sine, decay, wave, step, turns))
    return peak


@jit(internal=True)
def _turn(
    b0: float,
    b1: float,
    cosine: float,
    sine: float,
    decay: float,
    wave: float,
    step: float,
    once: bool,
) -> float:
    """Largest ``|q|`` where q = b0 + b1 s + exp(-decay s) (cosine cos + sine sin)(wave s) turns, or 0."""
    rate_cosine, rate_sine = wave * sine - decay * cosine, -wave * cosine - decay * sine
    first, last = 0.0, step
    if not once:
        # the rate comes close to zero between the ends: up to its own turn and from there on
        bend_cosine = wave * rate_sine - decay * rate_cosine
        bend_sine = -wave * rate_cosine - decay * rate_sine
        middle = _root(0.0, bend_cosine, bend_sine, decay, wave, 0.0, step)
        there = b1 + exp(-decay * middle) * (
            rate_cosine * cos(wave * middle) + rate_sine * sin(wave * middle)
        )
        if there * (b1 + rate_cosine) >= 0:
            return 0.0
        last = middle
    peak = 0.0
    for _ in range(2):
        t = _root(b1, rate_cosine, rate_sine, decay, wave, first, last)
        q = b0 + b1 * t + exp(-decay * t) * (cosine * cos(wave * t) + sine * sin(wave * t))
        peak = max(peak, abs(q))
        if once:
            break
        first, last = last, step
    return peak


@jit(internal=True)
def _root(
    b: float, cosine: float, sine: float, decay: float, wave: float, first: float, last: float
) -> float:
    """Zero of b + exp(-decay s) (cosine cos + sine sin)(wave s) between `first` and `last` [s].

    Newton's method, and a bisection wherever it would leave the bracket. The value at `first` may be zero
    too, as at the start from rest; the zero found is the other one.
    """
    end = b + exp(-decay * last) * (cosine * cos(wave * last) + sine * sin(wave * last))
    t = 0.5 * (first + last)
    for _ in range(ROOT_STEPS):
        co, si, envelope = cos(wave * t), sin(wave * t), exp(-decay * t)
        value = b + envelope * (cosine * co + sine * si)
        if (value > 0) == (end > 0):
            last = t
        else:
            first = t
        slope = envelope * ((wave * sine - decay * cosine) * co - (wave * cosine + decay * sine) * si)
        new = t - value / slope if slope != 0.0 else 0.5 * (first + last)
        if not first < new < last:
            new = 0.5 * (first + last)
        if abs(new - t) <= 1e-10 * last:  # the value of q there is off by the square
            return new
        t = new
    return t
