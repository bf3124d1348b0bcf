"""Response spectra of motions: the largest response of damped linear oscillators to a ground motion.

The ground acceleration is linear between samples, so that the response on a step is a line plus a damped
sinusoid and the states at the steps follow exactly, whatever the period (Nigam and Jennings 1969). The peak
between two states is the root of the rate on that step, not the larger end: nothing is upsampled, and no
step is too long. After the last sample the ground rests and the oscillator swings on; its first swing
counts too.

The states at the samples are exact at any period and damping: floors, and the filter that brings synthetic
ground motion to rest, are such oscillators.

Boore, D. M. (2010). Orientation-independent, nongeometric-mean measures of seismic intensity from two
horizontal components of motion. Bulletin of the Seismological Society of America 100(4), 1830-1835.

Nigam, N. C., Jennings, P. C. (1969). Calculation of response spectra from strong-motion earthquake records.
Bulletin of the Seismological Society of America 59(2), 909-922.
"""

from __future__ import annotations

from functools import lru_cache
from math import cos, exp, inf, isfinite, pi, sin, sqrt

import numpy as np
from numpy.typing import ArrayLike

from mcrock.base.checks import Choice, Integer, Number
from mcrock.base.jit import jit
from mcrock.excitation.motion import FloatArray, Motion, MotionError, checked

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


def oscillate(
    acceleration: FloatArray, dt: float, frequency: float, damping: float
) -> tuple[FloatArray, FloatArray]:
    """Displacement [m] and velocity [m/s] of the mass relative to the ground, from rest.

    Parameters
    ----------
    acceleration : ndarray (..., n_time)
        Of the ground [m/s2].
    dt : float
        Time step [s].
    frequency : float
        Undamped natural frequency [Hz], positive.
    damping : float
        Share of the critical damping [1], not negative; 1 and more are allowed.

    Returns
    -------
    tuple of ndarray (..., n_time)
        At the samples. The relative error is about ``1e-16/(2 pi frequency dt)**2``.

    Examples
    --------
    >>> step = np.full(101, 1.0)  # applied suddenly and held: 1 - cos(2 pi t)
    >>> displacement, _ = oscillate(step, 0.005, frequency=1.0, damping=0.0)
    >>> round(float(displacement[-1]) * (2 * pi) ** 2, 9)
    -2.0
    """
    from scipy.signal import lfilter

    (uu, uv, early_u, late_u), (vu, vv, early_v, late_v) = _advance_both(dt, frequency, damping)
    before, after = acceleration[..., :-1], acceleration[..., 1:]
    load_u, load_v = early_u * before + late_u * after, early_v * before + late_v * after
    # two equations of first order as one of second order for each unknown
    recursion = [1.0, -(uu + vv), uu * vv - uv * vu]
    displacement, velocity = np.zeros_like(acceleration), np.zeros_like(acceleration)
    displacement[..., 1:] = lfilter([1.0, -vv], recursion, load_u) + lfilter([0.0, uv], recursion, load_v)
    velocity[..., 1:] = lfilter([1.0, -uu], recursion, load_v) + lfilter([0.0, vu], recursion, load_u)
    return displacement, velocity


def absolute_acceleration(
    acceleration: FloatArray, dt: float, frequency: float, damping: float
) -> FloatArray:
    """Acceleration of the mass in space, (..., n_time) [m/s2]; arguments as for `oscillate`.

    >>> push = np.full(501, 1.0)
    >>> round(float(absolute_acceleration(push, 0.01, frequency=1.0, damping=1.0)[-1]), 6)
    1.0
    """
    omega = 2 * pi * frequency
    displacement, velocity = oscillate(acceleration, dt, frequency, damping)
    return np.asarray(-2 * damping * omega * velocity - omega**2 * displacement)


@lru_cache(maxsize=64)  # an adaptation filters by the same oscillator again and again
def _advance_both(dt: float, frequency: float, damping: float) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Factors of displacement, velocity and ground acceleration before a step, and of the latter after it.

    The first row gives the displacement after the step, the second the velocity.
    """
    from scipy.linalg import expm

    omega = 2 * pi * frequency
    # displacement, velocity, acceleration of the ground and the change of it in the step
    rates = np.zeros((4, 4))
    rates[0, 1] = 1.0
    rates[1, :3] = -(omega**2), -2 * damping * omega, -1.0
    rates[2, 3] = 1.0 / dt
    u, v = expm(rates * dt)[:2].tolist()
    return (u[0], u[1], u[2] - u[3], u[3]), (v[0], v[1], v[2] - v[3], v[3])


DAMPING = 0.05  # share of the critical damping [1], by default
STEPS_PER_PERIOD = 4  # at least; below two the rate could change its sign unseen
AT_REST = 1e-9  # rate that is rounding, over what the step changes [1]
SIDE_BY_SIDE = 4  # oscillators that are computed together
FREE_STEPS = 4  # of a quarter period each, after the last sample: enough up to the largest damping
SERIES = 40  # terms; the last one is (3 pi / 2)^40 / 40! = 1e-21 at the most
NEGLIGIBLE = 1e-20  # share of a term, far below the rounding
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
    component = np.array(acceleration, dtype=np.float64)
    peaks, _ = _peaks(component, component, dt, periods, damping, quantity, np.zeros(1))
    return np.abs(peaks[:, 0])


def peak_responses(
    acceleration: ArrayLike, dt: float, periods: ArrayLike, damping: float = DAMPING
) -> tuple[FloatArray, FloatArray]:
    """Which way and when the oscillators of `response_spectrum`, whose arguments these are, go farthest.

    Returns
    -------
    tuple of ndarray (n_period,)
        The pseudo-accelerations with the sign of the displacement [m/s2], at period 0 that of the ground,
        and the times of the states next to the peaks [s].

    Examples
    --------
    A mass lags behind the ground: after half a period it is farthest.

    >>> peaks, times = peak_responses(np.full(200, 1.0), 0.01, [0.5, 1.0])
    >>> peaks.round(6).tolist(), times.tolist()
    ([-1.854468, -1.854468], [0.25, 0.5])
    """
    component = np.array(acceleration, dtype=np.float64)
    peaks, times = _peaks(component, component, dt, periods, damping, QUANTITIES[-1], np.zeros(1))
    return peaks[:, 0], times[:, 0]


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
    peaks, _ = _peaks(x, y, dt, periods, damping, quantity, angles)
    return np.percentile(np.abs(peaks), percentile, axis=1)


def _peaks(
    x: ArrayLike, y: ArrayLike, dt: float, periods: ArrayLike, zeta: float, quantity: str, angles: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Peaks with their signs and their times (n_period, n_angle) along `angles` [rad] from x towards y."""
    x, y = np.array(x, dtype=np.float64), np.array(y, dtype=np.float64)
    periods = np.array(periods, dtype=np.float64)
    _check(x, y, dt, periods, zeta, quantity)
    directions = np.stack([np.cos(angles), np.sin(angles)])
    out = np.zeros((2, len(periods), len(angles)))
    rigid = periods == 0
    if quantity.endswith("acceleration") and rigid.any():
        along = directions.T @ np.stack([x, y])
        places = np.abs(along).argmax(axis=1)
        out[0, rigid], out[1, rigid] = along[range(len(angles)), places], dt * places
    divisions = np.ceil(STEPS_PER_PERIOD * dt / np.where(rigid, inf, periods)).astype(np.int64)
    kind = 0 if quantity.startswith("pseudo") else QUANTITIES.index(quantity)
    for division in np.unique(divisions[~rigid]):
        mine = divisions == division
        places = np.arange((len(x) - 1) * division + 1) / division
        ground = np.stack([np.interp(places, np.arange(len(x)), component) for component in (x, y)])
        found = np.empty((2, mine.sum(), len(angles)))
        work = np.empty((9 if len(angles) == 1 else 20, len(places)))
        _fill(ground, float(dt) / division, periods[mine], float(zeta), kind, directions, work, found)
        out[:, mine] = found
    if quantity.startswith("pseudo"):
        factors = (2 * pi / periods[~rigid]) ** (1 + (quantity == "pseudo_acceleration"))
        out[0, ~rigid] *= factors[:, None]
    return out[0], out[1]


def _check(
    x: FloatArray, y: FloatArray, dt: float, periods: FloatArray, damping: float, quantity: str
) -> None:
    """Refuse what has no spectrum."""
    if x.ndim != 1 or x.shape != y.shape or len(x) < 2:
        raise MotionError(
            f"a spectrum needs one component (n_time,), or two of equal length, of at least 2 samples, "
            f"got the shapes {x.shape} and {y.shape}; of a motion take acceleration[0]"
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
    kind: int,
    directions: FloatArray,
    work: FloatArray,
    out: FloatArray,
) -> None:
    """Peaks and their times `out` (2, n_period, n_angle) of the quantity `kind`.

    It is 0 for displacement, 1 for velocity, 2 for acceleration. `ground` (2, n_time) [m/s2], `directions`
    (2, n_angle). `work` is overwritten: 8 rows (n_time,) for the states of four oscillators and one for
    `_peak`; if there are several directions, 8 for the states along y and 3 for ground and state along one.
    """
    of_x, bound, of_y, along = work[:8], work[8], work[9:17], work[17:]
    last = len(periods) - 1
    for i in range(0, len(periods), SIDE_BY_SIDE):
        omega0, omega1 = 2 * pi / periods[i], 2 * pi / periods[min(i + 1, last)]
        omegas = omega0, omega1, 2 * pi / periods[min(i + 2, last)], 2 * pi / periods[min(i + 3, last)]
        _respond(ground[0], dt, omegas, damping, of_x)
        if directions.shape[1] > 1:
            _respond(ground[1], dt, omegas, damping, of_y)
        for j in range(min(SIDE_BY_SIDE, len(periods) - i)):
            u, v = 2 * j, 2 * j + 1
            for k in range(directions.shape[1]):
                if directions.shape[1] == 1:
                    found = _peak(ground[0], dt, omegas[j], damping, kind, of_x[u], of_x[v], bound)
                else:
                    c, s = directions[0, k], directions[1, k]
                    _combine(c, s, ground[0], ground[1], along[0])
                    _combine(c, s, of_x[u], of_y[u], along[1])
                    _combine(c, s, of_x[v], of_y[v], along[2])
                    found = _peak(along[0], dt, omegas[j], damping, kind, along[1], along[2], bound)
                out[0, i + j, k], out[1, i + j, k] = found


@jit(internal=True)
def _combine(c: float, s: float, x: FloatArray, y: FloatArray, out: FloatArray) -> None:
    """What x and y are along the direction with this cosine and sine."""
    for n in range(len(x)):
        out[n] = c * x[n] + s * y[n]


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
    share = 1.0  # of the next terms in the sums, at the most
    for k in range(SERIES):
        e_u += r_u
        e_v += r_v
        before_u += r_u / (k + 2)
        before_v += r_v / (k + 2)
        after_u += r_u / ((k + 1) * (k + 2))
        after_v += r_v / ((k + 1) * (k + 2))
        factor = step / (k + 1)
        r_u, r_v = r_v * factor, -(omega * omega * r_u + 2 * damping * omega * r_v) * factor
        share *= (1 + 2 * damping) * omega * factor
        if share < NEGLIGIBLE:
            break
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


@jit(inline=True)
def _next(factors: tuple[float, ...], u: float, v: float, before: float, after: float) -> tuple[float, float]:
    """State after a step from (u, v), by the factors of `_advance` and the ground at both ends."""
    uu, uv, u_before, u_after, vu, vv, v_before, v_after = factors
    return (
        uu * u + uv * v + (u_before * before + u_after * after),
        vu * u + vv * v + (v_before * before + v_after * after),
    )


@jit(internal=True)
def _respond(a: FloatArray, dt: float, omegas: tuple[float, ...], damping: float, states: FloatArray) -> None:
    """States (u0, v0, u1, ...) of four oscillators from rest.

    A step needs the one before, and the processor would mostly wait for it: while it waits for one
    oscillator it computes the others.
    """
    factors0, factors1 = _advance(dt, omegas[0], damping), _advance(dt, omegas[1], damping)
    factors2, factors3 = _advance(dt, omegas[2], damping), _advance(dt, omegas[3], damping)
    u0, v0, u1, v1, u2, v2, u3, v3 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for row in range(2 * SIDE_BY_SIDE):
        states[row, 0] = 0.0
    for n in range(len(a) - 1):
        before, after = a[n], a[n + 1]
        u0, v0 = _next(factors0, u0, v0, before, after)
        u1, v1 = _next(factors1, u1, v1, before, after)
        u2, v2 = _next(factors2, u2, v2, before, after)
        u3, v3 = _next(factors3, u3, v3, before, after)
        states[0, n + 1], states[1, n + 1] = u0, v0
        states[2, n + 1], states[3, n + 1] = u1, v1
        states[4, n + 1], states[5, n + 1] = u2, v2
        states[6, n + 1], states[7, n + 1] = u3, v3


@jit(internal=True)
def _peak(
    a: FloatArray,
    dt: float,
    omega: float,
    damping: float,
    kind: int,
    u: FloatArray,
    v: FloatArray,
    bound: FloatArray,
) -> tuple[float, float]:
    """Peak of the quantity with its sign, and the time of the state next to it.

    `bound` (n_time,) is overwritten. r is the acceleration relative to the ground, the rate of v.
    """
    stiffness, drag = omega * omega, 2 * damping * omega
    # the quantity is on_u u + on_v v
    on_u, on_v = (1.0, 0.0, stiffness)[kind], (0.0, 1.0, drag)[kind]
    quantity = omega, damping, on_u, on_v
    # r is a decaying sinusoid: times the step it stays below this times the sum of its ends
    reach = dt * exp(damping * omega * dt) / cos(omega * dt / 2)
    last = len(a) - 1
    for n in range(last):
        r0 = a[n] + drag * v[n] + stiffness * u[n]
        r1 = a[n + 1] + drag * v[n + 1] + stiffness * u[n + 1]
        farthest, speed, change = abs(u[n + 1]), abs(v[n + 1]), reach * (abs(r0) + abs(r1))
        bound[n] = on_u * (farthest + dt * (speed + 0.5 * change)) + on_v * (speed + change)
    peak, place = 0.0, 0
    for n in range(1, last + 1):
        q = abs(on_u * u[n] + on_v * v[n])
        if q > peak:
            peak, place = q, n
    for n in range(last):
        if bound[n] > peak:  # hardly ever
            before, after = (u[n], v[n]), (u[n + 1], v[n + 1])
            slope = (a[n + 1] - a[n]) / dt
            between = _peak_on_step(a[n], slope, dt, quantity, before, after, peak)
            if between > peak:
                q0, q1 = abs(on_u * u[n] + on_v * v[n]), abs(on_u * u[n + 1] + on_v * v[n + 1])
                peak, place = between, n + 1 if q1 >= q0 else n
    sign, time = on_u * u[place] + on_v * v[place], place * dt
    # the ground rests
    step = pi / 2 / omega
    factors = _advance(step, omega, damping)
    before = u[last], v[last]
    for n in range(FREE_STEPS):
        after = _next(factors, before[0], before[1], 0.0, 0.0)
        q0, q1 = on_u * before[0] + on_v * before[1], on_u * after[0] + on_v * after[1]
        between = max(abs(q1), _peak_on_step(0.0, 0.0, step, quantity, before, after, peak))
        if between > peak:
            later = abs(q1) >= abs(q0)
            peak, sign, time = between, q1 if later else q0, last * dt + (n + 1 if later else n) * step
        before = after
    return peak if sign > 0 else -peak, time


@jit(internal=True)
def _peak_on_step(
    a: float,
    slope: float,
    step: float,
    quantity: tuple[float, float, float, float],
    before: tuple[float, float],
    after: tuple[float, float],
    peak: float,
) -> float:
    """Raise `peak` to the largest absolute value of the quantity between two states (u, v).

    The ground acceleration is `a` at the first of them and changes at the rate `slope`. `quantity` has
    omega and damping of the oscillator, and the factors of the quantity on u and v.
    """
    omega, damping, on_u, on_v = quantity
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
    back = bends and onset * bend0 < 0  # the rate may pass zero and come back
    turns &= not (back and abs(rate1) <= AT_REST * step * abs(bend1))  # it came back, but for rounding
    if not turns and not back:
        return peak  # the quantity does not turn, nor twice
    q0, q1 = abs(on_u * u0 + on_v * v0), abs(on_u * u1 + on_v * v1)
    if not bends and min(q0 + step * abs(rate0), q1 + step * abs(rate1)) <= peak:
        return peak
    wave, decay = omega * sqrt(1 - damping * damping), damping * omega
    # the displacement is a line and a sinusoid, and so are its rate v and the quantity
    line = -slope / stiffness
    u_cosine = u0 + (a + drag * line) / stiffness
    u_sine = (v0 - line + decay * u_cosine) / wave
    v_cosine, v_sine = wave * u_sine - decay * u_cosine, -wave * u_cosine - decay * u_sine
    cosine, sine = on_u * u_cosine + on_v * v_cosine, on_u * u_sine + on_v * v_sine
    rate_cosine, rate_sine = wave * sine - decay * cosine, -wave * cosine - decay * sine
    for t in _turns(on_u * line, rate_cosine, rate_sine, decay, wave, step, turns):
        if t > 0:
            # not from line and sinusoid, which for long periods cancel
            u, v = _next(_advance(t, omega, damping), u0, v0, a, a + slope * t)
            peak = max(peak, abs(on_u * u + on_v * v))
    return peak


@jit(internal=True)
def _turns(
    line: float, cosine: float, sine: float, decay: float, wave: float, step: float, once: bool
) -> tuple[float, float]:
    """Times at which the rate line + exp(-decay s) (cosine cos + sine sin)(wave s) is zero, or 0."""
    if once:
        return _root(line, cosine, sine, decay, wave, 0.0, step), 0.0
    # the rate comes close to zero between the ends: up to its own turn and from there on
    bend_cosine, bend_sine = wave * sine - decay * cosine, -wave * cosine - decay * sine
    middle = _root(0.0, bend_cosine, bend_sine, decay, wave, 0.0, step)
    there = line + exp(-decay * middle) * (cosine * cos(wave * middle) + sine * sin(wave * middle))
    if there * (line + cosine) >= 0:
        return 0.0, 0.0
    return (
        _root(line, cosine, sine, decay, wave, 0.0, middle),
        _root(line, cosine, sine, decay, wave, middle, step),
    )


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


COMBINATIONS = ("geometric_mean", "rotd50", "rotd100", "x", "y", "z")


def motion_spectrum(
    motion: Motion,
    periods: ArrayLike,
    damping: float = DAMPING,
    quantity: str = "pseudo_acceleration",
    combination: str = "geometric_mean",
) -> FloatArray:
    """Response spectrum of a motion.

    Parameters
    ----------
    motion : Motion
        As recorded.
    periods, damping, quantity
        As for `mcrock.excitation.response_spectra.response_spectrum`.
    combination : str
        "geometric_mean", "rotd50" or "rotd100" of the horizontal pair; of a motion with a single
        horizontal component (the other is zero throughout) each is the spectrum of that component.
        "x", "y" or "z" for one component.

    Returns
    -------
    ndarray (n_period,)
        In the units of the quantity.

    Raises
    ------
    MotionError
        If the combination or another argument is unsuitable.

    Examples
    --------
    >>> pair = Motion([[0.0, 4.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 0.0]], dt=0.5, name="pair")
    >>> motion_spectrum(pair, [0.0, 1.0]).round(3).tolist()
    [2.0, 2.826]
    """
    checked(Choice(COMBINATIONS), "combination of the components", combination)
    x, y, _ = motion.acceleration
    if combination in "xyz":
        component = motion.acceleration["xyz".index(combination)]
        return response_spectrum(component, motion.dt, periods, damping, quantity)
    along_x, along_y, _ = motion.shaken
    if not (along_x and along_y):
        return response_spectrum(y if along_y else x, motion.dt, periods, damping, quantity)
    if combination == "geometric_mean":
        of_x, of_y = (response_spectrum(a, motion.dt, periods, damping, quantity) for a in (x, y))
        return np.sqrt(of_x * of_y)
    percentile = float(combination.removeprefix("rotd"))
    return rotated_spectrum(x, y, motion.dt, periods, damping, quantity, percentile)
