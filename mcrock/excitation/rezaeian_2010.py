"""Synthetic motions by the model of Rezaeian and Der Kiureghian, and its fit to a record.

White noise is modulated and goes through a filter that changes with time. The intensity of the motion follows
a gamma function of time, its frequency and bandwidth those of an oscillator driven by white noise; six
parameters describe both. A slow oscillator removes what would leave the ground moving or displaced at the
end.

In the fit, as in the paper of 2010, the modulation has the Arias intensity of the record and its times of 5,
45 and 95 % of it; the frequency is fitted to the count of zero crossings as it grows, the damping of the
filter to that of the negative maxima and positive minima, which a broad band has many of. Where the paper
corrects rates for the time step and counts extremes in simulations, both are computed here for the samples
themselves.

Rezaeian, S., Der Kiureghian, A. (2008). A stochastic ground motion model with separable temporal and
spectral nonstationarity. Earthquake Engineering and Structural Dynamics 37(13), 1565-1584.

Rezaeian, S., Der Kiureghian, A. (2010). Simulation of synthetic ground motions for specified earthquake
and site characteristics. Earthquake Engineering and Structural Dynamics 39(10), 1155-1180.

Rezaeian, S., Der Kiureghian, A. (2012). Simulation of orthogonal horizontal ground motion components for
specified earthquake and site characteristics. Earthquake Engineering and Structural Dynamics 41(2),
335-353.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, asdict, dataclass
from functools import cache
from math import atan2, ceil, inf, isfinite, log, pi, sqrt

import numpy as np

from mcrock.base.checks import Number, ruled
from mcrock.base.params import STANDARD_GRAVITY
from mcrock.excitation.measures import arias_intensity, energy_of, time_of_share
from mcrock.excitation.motion import FloatArray, Motion, MotionError, check_length, checked_fields
from mcrock.excitation.response_spectra import absolute_acceleration

LOWEST_FREQUENCY = 0.3  # of the filter [Hz]: a falling frequency stays there
HIGHEST_SHARE = 0.5  # of the highest frequency of the samples, where a rising one stays
TAIL = 1e-4  # share of the energy that may come after the end of the noise
REST = 1.5  # periods of the slow oscillator after the noise; 8e-4 of its motion is left
FORGOTTEN = log(1e5)  # decay of the filter's response after which it is left out, in powers of e
LONGEST = 3600.0  # duration and middle time [s]
LARGEST_SHAPE = 1e6  # of the gamma function: a duration of a few thousandths of the middle time


@dataclass(frozen=True)
class StochasticModel:
    """Parameters of one component of ground motion.

    Parameters
    ----------
    arias : float
        Expected Arias intensity [m/s], positive.
    duration : float
        Time between 5 and 95 % of the expected Arias intensity, D5-95 [s]; positive and at most 4.9 times
        `middle`, where the modulation would begin at its peak.
    middle : float
        Time at which 45 % of the expected Arias intensity is reached, t_mid [s]; positive.
    frequency : float
        Of the filter at `middle`, omega_mid/2 pi [Hz]: about the rate at which the motion crosses zero
        upwards. Positive.
    frequency_slope : float
        Change of that frequency per second, omega'/2 pi [Hz/s]. The frequency stays within 0.3 Hz and
        half the highest frequency that the step can show.
    damping : float
        zeta_f, share of the critical damping of the filter [1], in (0, 1): the bandwidth.
    corner : float
        Frequency of the critically damped oscillator that filters out slow motion [Hz].
        What it takes away, some 2 % of the energy, is made good beforehand, so that `arias`, `duration` and
        `middle` are those of the motion that comes out. (In the paper they are those before.)

    Raises
    ------
    MotionError
        If a number is not finite or out of its range.

    Examples
    --------
    >>> model = StochasticModel(arias=1.0, duration=15.0, middle=10.0, frequency=5.0)
    >>> model.modulation(np.array([0.0, 10.0])).round(4).tolist()
    [0.0, 0.7549]
    """

    arias: float = ruled(MISSING, Number("m/s", above=0.0))
    duration: float = ruled(MISSING, Number("s", above=0.0, most=LONGEST))
    middle: float = ruled(MISSING, Number("s", above=0.0, most=LONGEST))
    frequency: float = ruled(MISSING, Number("Hz", above=0.0))
    frequency_slope: float = ruled(0.0, Number("Hz/s"))
    damping: float = ruled(0.2, Number("1", above=0.0))
    corner: float = ruled(0.1, Number("Hz", above=0.0))

    def __post_init__(self) -> None:
        checked_fields(self)
        if not self.damping < 1:
            raise MotionError(f"StochasticModel.damping must be in (0, 1) [1], got {self.damping!r}")
        low, high = _duration_limits()
        if not low < self.duration / self.middle < high:
            raise MotionError(
                f"StochasticModel.duration must be between {low:.4f} and {high:.3f} times middle, which is "
                f"{self.middle:g} s, got {self.duration!r} s"
            )

    @property
    def gamma(self) -> tuple[float, float]:
        """Shape [1] and scale [s] of the gamma distribution that the energy has over time."""
        from scipy.optimize import brentq
        from scipy.special import gammaincinv

        wanted = log(self.duration / self.middle)
        # the ratio falls steadily with the shape, nearly as a power
        power = brentq(
            lambda p: log(_duration_ratio(np.exp(p))) - wanted, 0.0, log(LARGEST_SHAPE), xtol=1e-12
        )
        shape = float(np.exp(power))
        return shape, float(self.middle / gammaincinv(shape, 0.45))

    def modulation(self, time: FloatArray) -> FloatArray:
        """Standard deviation of the motion that comes out, at the times `time` [s] [m/s2].

        The gamma function ``alpha_1 t**(alpha_2 - 1) exp(-alpha_3 t)`` of the paper: its square is a
        gamma density with the shape ``2 alpha_2 - 1`` and the scale ``1/(2 alpha_3)``.
        """
        from scipy.special import gammaln, xlogy

        shape, scale = self.gamma
        t = np.maximum(np.asarray(time, dtype=np.float64), 0.0) / scale
        density = np.exp(xlogy(shape - 1, t) - t - gammaln(shape)) / scale
        return np.asarray(np.sqrt(2 * STANDARD_GRAVITY / pi * self.arias * density))

    def filter_frequency(self, time: FloatArray, dt: float) -> FloatArray:
        """Frequency of the filter at the times `time` [s] for samples `dt` [s] apart [Hz]."""
        line = self.frequency + self.frequency_slope * (np.asarray(time, dtype=np.float64) - self.middle)
        return np.clip(line, LOWEST_FREQUENCY, max(LOWEST_FREQUENCY, HIGHEST_SHARE * 0.5 / dt))

    def noise_length(self) -> float:
        """Time after which less than 1e-4 of the expected energy is to come [s]."""
        from scipy.special import gammaincinv

        shape, scale = self.gamma
        return float(scale * gammaincinv(shape, 1 - TAIL))


def simulate_motion(
    models: StochasticModel | Sequence[StochasticModel | None],
    rng: np.random.Generator,
    dt: float = 0.01,
    azimuth: float = 0.0,
    correlation: float = 0.0,
    name: str = "synthetic motion",
) -> Motion:
    """Draw one synthetic ground motion.

    Parameters
    ----------
    models : StochasticModel or sequence of up to three, each may be None
        Of the components along x, y and z. Two horizontal models are those along the principal axes,
        where the noises of the components are independent (Rezaeian and Der Kiureghian 2012).
    rng : Generator
        Source of the white noise; the same state gives the same motion. Every component draws its
        noise from it in turn.
    dt : float
        Time step [s]; at most a fifth of the period of every filter at its middle.
    azimuth : float
        Of the first component from ground x towards y [rad].
    correlation : float
        Of the noises of the first two components [1], in [-1, 1]; 0 for principal axes.
    name : str
        What messages, datasets and figures call the motion.

    Returns
    -------
    Motion
        The ground ends at rest but for 1e-3 of its peak velocity. `metadata` has the parameters.

    Raises
    ------
    MotionError
        If there is no model or more than three, or a number is out of its range.

    Examples
    --------
    >>> model = StochasticModel(arias=0.5, duration=8.0, middle=5.0, frequency=4.0, frequency_slope=-0.1)
    >>> motion = simulate_motion(model, np.random.default_rng(1))
    >>> motion.acceleration.shape, motion.metadata["arias_x"]
    ((3, 3481), 0.5)
    """
    listed = [models] if isinstance(models, StochasticModel) else list(models)
    drawn = [model for model in listed if model is not None]
    if not (drawn and len(listed) <= 3):
        raise MotionError(f"'{name}': one to three models are needed, for x, y and z, got {models!r}")
    if not -1 <= correlation <= 1:
        raise MotionError(f"'{name}': correlation must be in [-1, 1], got {correlation!r}")
    if correlation and None in [*listed, None, None][:2]:
        raise MotionError(f"'{name}': correlation = {correlation:g} needs a model for x and one for y")
    try:
        check_step(drawn, dt)
    except MotionError as error:
        raise MotionError(f"'{name}': {error}") from None
    length = max(model.noise_length() for model in drawn)
    still = max(REST / model.corner for model in drawn)
    check_length(name, length + still, dt)
    n_noise, rest = ceil(length / dt) + 1, ceil(still / dt)
    samples = np.zeros((3, n_noise + rest))
    noise = np.zeros((3, n_noise))
    facts: dict[str, str | float] = {"source": "Rezaeian and Der Kiureghian (2010)"}
    for axis, component in enumerate(listed):
        if component is None:
            continue
        noise[axis] = rng.standard_normal(n_noise)
        if axis == 1 and correlation:
            noise[1] = correlation * noise[0] + sqrt(1 - correlation**2) * noise[1]
        samples[axis] = color_noise(component, noise[axis], dt, rest)
        facts |= {f"{parameter}_{'xyz'[axis]}": value for parameter, value in asdict(component).items()}
    history = "synthetic motion"
    if azimuth:
        samples = Motion(samples, dt, name).rotated(azimuth).acceleration
        history += f"; rotated by {azimuth:g} rad"
    return Motion(samples, dt, name, metadata=facts | {"history": history})


def check_step(models: Sequence[StochasticModel | None], dt: float) -> None:
    """Refuse a time step [s] that is too long for the frequencies of the models.

    Raises
    ------
    MotionError
        Unless it is positive and at most a fifth of the period of every filter at its middle.
    """
    for model in models:
        if model is not None and not (isfinite(dt) and 0 < dt <= 0.2 / model.frequency):
            raise MotionError(
                f"dt must be > 0 and at most 0.2/frequency, {0.2 / model.frequency:g} s, got {dt!r}"
            )


def color_noise(model: StochasticModel, noise: FloatArray, dt: float, rest: int = 0) -> FloatArray:
    """Ground acceleration made of white noise.

    Parameters
    ----------
    model : StochasticModel
    noise : ndarray (..., n_time)
        Independent standard normal numbers [1].
    dt : float
        Time step [s].
    rest : int
        Samples after the noise, in which the slow filter comes to rest.

    Returns
    -------
    ndarray (..., n_time + rest)
        [m/s2].
    """
    time = np.arange(noise.shape[-1], dtype=np.float64) * dt
    process, variance = _filter(model.filter_frequency(time, dt), model.damping, dt, noise)
    deviation = np.sqrt(np.where(variance > 0, variance, inf))
    still = np.zeros((*noise.shape[:-1], rest))
    left, _ = _slow_filter(2 * pi * model.filter_frequency(time, dt), model.damping, 2 * pi * model.corner)
    rough = np.concatenate([model.modulation(time) / np.sqrt(left) * process / deviation, still], axis=-1)
    return remove_slow_motion(rough, dt, model.corner)


def remove_slow_motion(acceleration: FloatArray, dt: float, corner: float) -> FloatArray:
    """Acceleration (..., n_time) [m/s2] less that of a critically damped oscillator of `corner` [Hz] on it.

    What is left is the acceleration of the oscillator relative to its base, whose velocity and displacement
    return to zero.
    """
    return np.asarray(acceleration - absolute_acceleration(acceleration, dt, corner, 1.0))


def _filter(
    frequency: FloatArray, damping: float, dt: float, noise: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Noise (..., n) through the filter, and the variance (n,) that it has for unit noise.

    The filter answers a pulse at sample k as an oscillator with the frequency (n,) of that sample [Hz],
    and keeps it while the answer dies away. The sum runs over the lags, all samples at once.
    """
    n = len(frequency)
    omega = 2 * pi * frequency
    turn = np.exp((-damping + 1j * sqrt(1 - damping**2)) * omega * dt)
    driven = noise * omega
    power = omega**2
    answer = np.ones(n, dtype=np.complex128)
    process, variance = np.zeros_like(noise), np.zeros(n)
    lags = FORGOTTEN / (damping * omega * dt)  # after which an answer is forgotten; monotonous
    rising = lags[-1] >= lags[0]
    for lag in range(1, min(n, ceil(lags.max()))):
        if rising:
            first, last = int(np.searchsorted(lags, lag)), n - lag
        else:
            first, last = 0, min(n - lag, n - int(np.searchsorted(lags[::-1], lag)))
        if first >= last:
            break
        answer[first:last] *= turn[first:last]
        height = answer[first:last].imag
        process[..., first + lag : last + lag] += driven[..., first:last] * height
        variance[first + lag : last + lag] += power[first:last] * height**2
    return process, variance


def _slow_filter(omega: FloatArray, damping: float, corner: float) -> tuple[FloatArray, FloatArray]:
    """What the slow filter leaves of the variance of filtered noise [1], and its crossing rate [1/s].

    Stationary; `omega` and `corner` in [rad/s]. Both filters in a row are a system of fourth order driven by
    white noise, and the motion is the second derivative of its state. The products of that state with its
    equation of motion have the mean zero, which gives the variances of all derivatives.
    """
    a1 = 2 * damping * omega + 2 * corner
    a2 = omega**2 + 4 * damping * omega * corner + corner**2
    a3 = 2 * corner * omega**2 + 2 * damping * omega * corner**2
    a4 = corner**2 * omega**2
    left = 2 * damping * omega**3 * a3 / (a1 * a2 * a3 - a1**2 * a4 - a3**2)
    return left, np.sqrt(a2 - a4 * a1 / a3) / (2 * pi)


@cache
def _duration_limits() -> tuple[float, float]:
    """Smallest and largest D5-95 over the time of 45 % of the energy [1]."""
    return _duration_ratio(LARGEST_SHAPE), _duration_ratio(1.0)


def _duration_ratio(shape: float) -> float:
    """D5-95 over the time of 45 % of the energy [1], for a gamma function of that shape."""
    from scipy.special import gammaincinv

    low, middle, high = gammaincinv(shape, [0.05, 0.45, 0.95])
    return float((high - low) / middle)


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
