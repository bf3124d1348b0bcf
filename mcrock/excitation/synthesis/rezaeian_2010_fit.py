"""Parameters of the stochastic model of Rezaeian and Der Kiureghian for a recorded component.

As in their paper of 2010 the modulation has the Arias intensity of the record and its times of 5, 45 and
95 % of it; the frequency is fitted to the count of zero crossings as it grows, the damping of the filter to
that of the negative maxima and positive minima, which a broad band has many of. Where the paper corrects
rates for the time step and counts extremes in simulations, both are computed here for the samples
themselves.

Rezaeian, S., Der Kiureghian, A. (2010). Simulation of synthetic ground motions for specified earthquake
and site characteristics. Earthquake Engineering and Structural Dynamics 39(10), 1155-1180.
"""

from __future__ import annotations

from math import atan2, pi, sqrt

import numpy as np

from mcrock.excitation.measures.component import arias_intensity, energy_of, time_of_share
from mcrock.excitation.motion import FloatArray, Motion, MotionError
from mcrock.excitation.synthesis.rezaeian_2010 import HIGHEST_SHARE, LOWEST_FREQUENCY, StochasticModel

FITTED = (0.01, 0.99)  # share of the Arias intensity between which counts are compared
DAMPINGS = (0.02, 0.98)  # searched [1]
TABLE = 80  # frequencies of the table of rates
ANGLES = 4000  # points of the integral over the spectral density
POINTS = 400  # times at which counts are compared


def fit_model(motion: Motion, component: str = "x", corner: float = 0.1) -> StochasticModel:
    """Find the parameters of the stochastic model for one component of a motion.

    Parameters
    ----------
    motion : Motion
    component : str
        "x", "y" or "z".
    corner : float
        Of the filter of slow motion in the simulations [Hz].

    Returns
    -------
    StochasticModel
        Simulate with the time step of the motion: the damping of the filter stands for its high
        frequencies as far as its samples show them.

    Raises
    ------
    MotionError
        If the component is still, or begins so abruptly that no gamma function follows it.
    """
    if component not in ("x", "y", "z"):
        raise MotionError(f"component must be 'x', 'y' or 'z', got {component!r}")
    acceleration = motion.acceleration["xyz".index(component)]
    if not acceleration.any():
        raise MotionError(f"motion '{motion.name}': component {component} is zero throughout")
    energy = energy_of(acceleration, motion.dt)
    early, middle, late = (time_of_share(energy, motion.dt, share) for share in (0.05, 0.45, 0.95))
    arias = arias_intensity(acceleration, motion.dt)
    try:
        start = StochasticModel(arias, late - early, middle, frequency=1.0, corner=corner)
    except MotionError as error:
        raise MotionError(
            f"motion '{motion.name}', component {component}: no gamma function has its times of 5, 45 and "
            f"95 % of the Arias intensity, {early:.2f}, {middle:.2f} and {late:.2f} s ({error})"
        ) from None
    frequency, slope, damping = _fit_filter(acceleration, motion.dt, energy, start)
    return StochasticModel(arias, late - early, middle, frequency, slope, damping, corner)


def fit_pair(motion: Motion, corner: float = 0.1) -> tuple[StochasticModel, StochasticModel | None, float]:
    """Find the models of a horizontal pair along its principal axes, and their direction.

    Along these axes the components are uncorrelated over the whole motion, so that their simulations
    have independent noises.

    Parameters
    ----------
    motion : Motion
    corner : float
        As for `fit_model`.

    Returns
    -------
    tuple of (StochasticModel, StochasticModel or None, float)
        Of the stronger and the weaker axis, along which a motion in one line has none, and the azimuth of
        the stronger one [rad], in (-pi/2, pi/2]:
        ``simulate_motion(pair[:2], rng, motion.dt, azimuth=pair[2])``.

    Raises
    ------
    MotionError
        As `fit_model`.
    """
    x, y, _ = motion.acceleration
    azimuth = 0.5 * atan2(2 * float(x @ y), float(x @ x - y @ y))
    principal = motion.rotated(-azimuth)
    weak = fit_model(principal, "y", corner) if principal.shaken[1] else None
    return fit_model(principal, "x", corner), weak, azimuth


def _fit_filter(
    acceleration: FloatArray, dt: float, energy: FloatArray, start: StochasticModel
) -> tuple[float, float, float]:
    """Frequency [Hz], its slope [Hz/s] and the damping [1] that follow the counts of a component."""
    from scipy.optimize import least_squares, minimize_scalar

    first, last = (round(time_of_share(energy, dt, share) / dt) for share in FITTED)
    a = acceleration[max(first - 1, 0) : last + 2]
    if len(a) < 10:
        raise MotionError(f"{len(a)} samples between 1 and 99 % of the Arias intensity are too few for a fit")
    crossings = np.cumsum((a[:-1] < 0) & (a[1:] >= 0))
    rises = np.diff(a)
    crests = (rises[:-1] > 0) & (rises[1:] <= 0) & (a[1:-1] < 0)
    troughs = (rises[:-1] < 0) & (rises[1:] >= 0) & (a[1:-1] > 0)
    extremes = np.cumsum(crests | troughs)
    pick = np.unique(np.linspace(0, len(extremes) - 1, POINTS).astype(int))
    offset = (max(first - 1, 0) + pick) * dt - start.middle
    span = offset[-1] - offset[0]
    mean = max(crossings[-1] / (len(a) * dt), 2 * LOWEST_FREQUENCY)
    highest = HIGHEST_SHARE * 0.5 / dt
    table = np.geomspace(LOWEST_FREQUENCY, highest, TABLE)

    def expected(rates: FloatArray, filter_: FloatArray) -> FloatArray:
        """Growing count of something with a rate per second for each frequency of the table."""
        line = np.clip(filter_[0] + filter_[1] * offset, LOWEST_FREQUENCY, highest)
        per_second = np.interp(line, table, rates)
        steps = 0.5 * (per_second[1:] + per_second[:-1]) * np.diff(offset)
        return np.concatenate([[0.0], np.cumsum(steps)])

    def follow(damping: float) -> tuple[FloatArray, FloatArray]:
        """Frequency and slope for a damping, and the rates of extremes of the table."""
        crossing_rates, extreme_rates = count_rates(table, damping, start.corner, dt)
        counted = crossings[pick] - crossings[pick[0]]
        found = least_squares(
            lambda f: expected(crossing_rates, f) - counted,
            x0=[mean, 0.0],
            x_scale=[mean, mean / span],
            bounds=([LOWEST_FREQUENCY, -np.inf], [highest, np.inf]),
        )
        return found.x, extreme_rates

    def misfit(damping: float) -> float:
        filter_, extreme_rates = follow(damping)
        counted = extremes[pick] - extremes[pick[0]]
        return float(np.sum((expected(extreme_rates, filter_) - counted) ** 2))

    damping = float(minimize_scalar(misfit, bounds=DAMPINGS, method="bounded", options={"xatol": 1e-3}).x)
    (frequency, slope), _ = follow(damping)
    return float(frequency), float(slope), damping


def count_rates(
    frequency: FloatArray, damping: float, corner: float, dt: float
) -> tuple[FloatArray, FloatArray]:
    """Zero crossings upwards, and negative maxima with positive minima, per second in samples of the model.

    Parameters
    ----------
    frequency : ndarray (n,)
        Of the filter, constant in time [Hz].
    damping, corner : float
        Of the filter [1], and frequency of the slow filter [Hz].
    dt : float
        Time step of the samples [s].

    Returns
    -------
    tuple of ndarray (n,)
        [1/s]. Exact for the sampled Gaussian process: the chance that two neighbours have opposite
        signs follows from their correlation, that of an extreme from those of three neighbours.
    """
    angle = np.geomspace(1e-4, pi, ANGLES)
    weight = np.gradient(angle)
    omega = 2 * pi * np.asarray(frequency)[:, None] * dt
    decay, turn = np.exp(-damping * omega), omega * sqrt(1 - damping**2)
    back = np.exp(-1j * angle)
    answer = 1 / np.abs(1 - 2 * decay * np.cos(turn) * back + (decay * back) ** 2) ** 2
    slow = 2 * pi * corner * dt
    density = answer * (angle**2 / (angle**2 + slow**2)) ** 2 * weight
    variance = density.sum(axis=1)
    near, far = ((density * np.cos(lag * angle)).sum(axis=1) / variance for lag in (1, 2))
    crossings = np.arccos(near) / (2 * pi * dt)
    # orthant of (-a_i, a_i - a_{i-1}, a_i - a_{i+1}), all positive: a negative maximum
    to_value = -np.sqrt((1 - near) / 2)
    to_each_other = (1 - 2 * near + far) / (2 * (1 - near))
    chance = 1 / 8 + (2 * np.arcsin(to_value) + np.arcsin(to_each_other)) / (4 * pi)
    return crossings, 2 * chance / dt
