"""Fit of one test of free rocking (section 5 of the source): parameters, profiles, other explanations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation
from scipy.stats import chi2, norm
from threadpoolctl import threadpool_limits

from mcrock.base.checks import Integer, Number
from mcrock.base.session import Displayed
from mcrock.body import Body
from mcrock.impact.conditions import Impact
from mcrock.measurement.misfit import (
    AXES,
    LARGER,
    LEAST_PUSH,
    OTHERS,
    PARAMETERS,
    ROUND_SIZES,
    SENSOR,
    SIZES,
    Comparison,
    Misfit,
    far,
    misfit,
    noise_of,
    search,
    search_bounds,
    size_effects,
)
from mcrock.measurement.recording import INSTANT, Landings, Recording

Array = NDArray[np.float64]

OPEN = 10.0  # bounds wide that a standard error is at most where data tell nothing [1]
TRIES = 8  # steps of a local fit at a point of a profile
POINTS = 20  # of a profile to one side of a minimum, at most
GAIN = 0.5  # root of the deviance from one point to the next
BEYOND, FAR = 1.3, 2.0  # a profile goes on to this multiple of the quantile, and is refined beyond that one
MODES = 4  # that are profiled, at most
RIDGE = 0.5  # between two modes, in variances [1]
LOWER = 0.1  # deviance by which another minimum is lower [1]


class Profile(NamedTuple):
    """What the best fit costs if one parameter is held.

    The deviance is twice the cost above its least, over the variance that makes it a chi square with one
    degree of freedom near the minimum: see `Uncertainty`.
    """

    values: Array  # (n,) of the parameter, rising
    deviance: Array  # (n,) [1]
    interval: tuple[float, float]  # where the deviance is below the quantile
    quantile: float  # that deviance [1]
    closed: bool  # whether it ends within the bounds on both sides


class Uncertainty(NamedTuple):
    """Sampling covariance of the unknowns near a minimum.

    With the derivative psi of the loss, the Jacobian J and H, the sum of psi' J J^T, it is the larger of two,
    for each unknown. The first holds for white noise: the mean of psi^2 over that of psi' times H^-1. The
    second does without that assumption: H^-1 S H^-1, where S is the long-run covariance of the scores psi J,
    each over one less its leverage (Newey and West 1987, bandwidth of Andrews 1991, leverage as in MacKinnon
    and White 1985). It is that of a model which is not quite right, with residuals that hang together; but
    where few samples tell of a parameter, as of lambda those after an impact, it is itself uncertain and more
    often too small than not: alone it gave intervals at 95 % that held lambda in 16 of 20 tests.
    """

    covariance: Array  # (k, k)
    variance: Array  # (k,) ratio of its diagonal to that of H^-1, by which costs are divided [rad2/s2]


def uncertainty(comparison: Comparison, x: Array, scale: float) -> Uncertainty:
    """Uncertainty at a minimum of the cost with a scale of the loss."""
    ratio = comparison.residuals(x) / scale
    jacobian = comparison.jacobian(x)
    root = np.sqrt(1.0 + ratio * ratio)
    psi, slope = scale * ratio / root, 1.0 / root**3
    white = float((psi * psi).mean() / slope.mean())
    weak = np.diag(white / (OPEN * (comparison.upper - comparison.lower)) ** 2)
    inverse = np.linalg.inv((jacobian * slope[:, None]).T @ jacobian + weak)
    blocks = (jacobian * slope[:, None]).reshape(-1, AXES, x.size)
    leverage = np.einsum("tai,ij,taj->t", blocks, inverse, jacobian.reshape(-1, AXES, x.size)) / AXES
    scores = (psi[:, None] * jacobian).reshape(-1, AXES, x.size).sum(1)
    scores /= np.maximum(1.0 - leverage, 0.1)[:, None]
    found = inverse @ (long_run_covariance(scores) * len(scores)) @ inverse
    variance = np.maximum(np.diag(found) / np.diag(inverse), white)
    spread = np.sqrt(variance)
    return Uncertainty(np.asarray(inverse * spread * spread[:, None], float), np.asarray(variance, float))


def long_run_covariance(series: Array) -> Array:
    """Covariance of the mean of a series (n, k), times n: Bartlett weights, bandwidth of Andrews (1991).

    Andrews, D. W. K. (1991). Heteroskedasticity and autocorrelation consistent covariance matrix estimation.
    Econometrica 59(3), 817-858: equations (6.2) and (6.4) with a first-order autoregression of each column.
    """
    n = len(series)
    d = series - series.mean(0)
    power = (d[:-1] ** 2).sum(0)
    rho = np.divide((d[1:] * d[:-1]).sum(0), power, out=np.zeros(d.shape[1]), where=power > 0.0)
    rho = np.clip(rho, -0.97, 0.97)
    # each column that varies counts alike, whatever its unit: weights over squared variances of innovations
    above = (4.0 * rho**2 / ((1.0 - rho) ** 6 * (1.0 + rho) ** 2))[power > 0.0].sum()
    below = (1.0 / (1.0 - rho) ** 4)[power > 0.0].sum()
    lags = min(int(1.1447 * (above / below * n) ** (1.0 / 3.0)), n // 3)
    found: Array = d.T @ d / n
    for lag in range(1, lags + 1):
        part = d[lag:].T @ d[:-lag] / n
        found = found + (1.0 - lag / (lags + 1.0)) * (part + part.T)
    return found


def quantile_of(comparison: Comparison, level: float, several: bool) -> float:
    """Root of the deviance up to which values belong to an interval.

    Near one minimum that of a chi square with one degree of freedom. Among several that the data do not tell
    apart the lowest is partly an accident of the noise, which had as many chances: then that with a degree
    for every parameter, of the region of all of them at once.
    """
    return float(np.sqrt(chi2.ppf(level, len(comparison.names) if several else 1)))


def near_minima(comparison: Comparison, minima: list[Array], scale: float, level: float) -> list[Array]:
    """Local minima, the lowest first, that the data do not tell from it: all parameters at once.

    Two are one where nothing lies between them: in a valley along which the data tell nothing.
    """
    costs = [comparison.cost(x, scale) for x in minima]
    variance = float(uncertainty(comparison, minima[0], scale).variance.max())
    most = quantile_of(comparison, level, True) ** 2 * variance
    found: list[int] = []
    for i, cost in enumerate(costs):
        if 2.0 * (cost - costs[0]) <= most and all(
            comparison.cost(0.5 * (minima[i] + minima[other]), scale) > cost + RIDGE * variance
            for other in found
        ):
            found.append(i)
    return [minima[i] for i in found[:MODES]]


def profiles(
    comparison: Comparison, modes: list[Array], scale: float, level: float, names: Sequence[str], many: bool
) -> tuple[dict[str, Profile], Array | None]:
    """Profile of each parameter named, and a better minimum than the first mode if one was met on the way.

    The least cost over the other unknowns is followed from every mode to both sides, until the deviance from
    the best is beyond the quantile or a bound is reached. The interval holds all values at which some branch
    is below it: modes that fit as well as the best belong to it. ``many`` says whether there may be more
    minima that fit as well, see `quantile_of`.
    """
    quantile = quantile_of(comparison, level, many)
    best = comparison.cost(modes[0], scale)
    least, better = best, None
    near = [uncertainty(comparison, mode, scale) for mode in modes]
    variances = near[0].variance
    curves: dict[str, list[dict[float, float]]] = {}
    for name in names:
        k, curves[name] = comparison.names.index(name), []
        for mode, around in zip(modes, near, strict=True):
            points = {float(mode[k]): comparison.cost(mode, scale)}
            for side in (-1.0, 1.0):
                gain = 2.0 * GAIN if many else GAIN
                walk = _Walk(comparison, scale, k, side, best, float(variances[k]), quantile, gain)
                for x, cost in walk.points(mode, around.covariance):
                    points[float(x[k])] = cost
                    if cost < least:
                        least, better = cost, x
            curves[name].append(points)
    found = {}
    for name in names:
        k, branches = comparison.names.index(name), []
        for points in [*curves[name], {} if better is None else {float(better[k]): least}]:
            if not points:
                continue
            values = np.array(sorted(points))
            costs = np.array([points[value] for value in values.tolist()])
            branches.append((values, 2.0 * (costs - least) / float(variances[k])))
        found[name] = _merged(branches, quantile, float(comparison.lower[k]), float(comparison.upper[k]))
    lower = 2.0 * (best - least) / float(variances.min()) > LOWER
    return found, better if lower else None


class _Walk(NamedTuple):
    """Along a profile to one side."""

    comparison: Comparison
    scale: float
    k: int
    side: float
    best: float
    variance: float
    quantile: float
    gain: float  # of the root from one point to the next [1]

    def root(self, cost: float) -> float:
        """Root of the deviance [1]."""
        return float(np.sqrt(max(2.0 * (cost - self.best) / self.variance, 0.0)))

    def points(self, mode: Array, covariance: Array) -> list[tuple[Array, float]]:
        """Unknowns and cost at steps from a mode, each with the others fitted."""
        comparison, k = self.comparison, self.k
        width = comparison.upper[k] - comparison.lower[k]
        end = comparison.upper[k] if self.side > 0.0 else comparison.lower[k]
        step = float(np.clip(self.gain * np.sqrt(covariance[k, k]), 1e-7 * width, 0.05 * width))
        tangent = covariance[:, k] / covariance[k, k]
        x, last, found = mode, self.root(comparison.cost(mode, self.scale)), []
        for _ in range(POINTS):
            if abs(end - x[k]) <= 1e-6 * width:
                break
            value = x[k] + self.side * min(step, abs(end - x[k]))
            guess = np.clip(x + tangent * (value - x[k]), *comparison.limits(x))
            guess[k] = value
            result = comparison.fitted(guess, self.scale, tries=TRIES, fixed=(k,), central=False)
            root = self.root(float(result.cost))
            found.append((result.x, float(result.cost)))
            if root > FAR * self.quantile and step > 1e-7 * width:
                step *= 0.5
                continue
            if root > BEYOND * self.quantile:
                break
            step *= float(np.clip(self.gain / max(abs(root - last), 1e-3), 0.5, 2.0))
            x, last = result.x, root
        return found


def _merged(branches: list[tuple[Array, Array]], quantile: float, lower: float, upper: float) -> Profile:
    values = np.unique(np.concatenate([branch[0] for branch in branches]))
    deviance = np.min([np.interp(values, *branch, left=np.inf, right=np.inf) for branch in branches], axis=0)
    ends = []
    for side in (-1, 1):
        crossings = []
        for at, above in branches:
            v, root = at[::side], np.sqrt(np.maximum(above[::side], 0.0))  # outwards to the end of the branch
            inside = np.flatnonzero(root <= quantile)
            if inside.size:
                i = int(inside[-1])
                crossings.append(
                    float(v[i])
                    if i + 1 == v.size
                    else float(np.interp(quantile, root[i : i + 2], v[i : i + 2]))
                )
        ends.append(min(crossings) if side < 0 else max(crossings))
    room = 1e-5 * (upper - lower)
    closed = ends[0] > lower + room and ends[1] < upper - room
    return Profile(values, deviance, (ends[0], ends[1]), quantile**2, closed)


Function = TypeVar("Function", bound=Callable[..., Any])

# for functions whose matrices are small: threads of the linear algebra would wait for each other
one_thread: Callable[[Function], Function] = threadpool_limits.wrap(limits=1, user_api="blas")
LAMBDAS = ("lambda", "lambda_lon", "lambda_lat")
ROLLING = ("rolling_loss", "push")  # fitted instead on a circular base
UNITS = {"time": "s", "tilt": "rad", **dict.fromkeys((*LAMBDAS, *SIZES, *ROUND_SIZES), "1")}
UNITS |= {"tau": "N m s", "slip": "m", "rate": "rad/s", "push": "rad/s"}
UNITS |= dict.fromkeys(("rolling_loss", "clearance"), "1")
OBJECTIVES = ("robust", "mean")
SCALE = 2.0  # of the loss over that of the noise: 99 % as efficient as least squares on white noise [1]
LATERAL = ("lambda", "lambda_lat", "tau")  # what only lateral rocking shows
RESOLVED = 2.0  # samples that its first flight must last [1]
AT_BOUND = 1e-3  # of the width of the search: an estimate so near to its end lies there [1]
STARTS = 2  # of the search, while the model does not explain the test
CLOSE = 1.25  # misfit of another minimum over the least that is said [1]
# between an impact and a reading at an instant: first wider than a wrong kind of reading errs, and in the end
# three times the standard error of an impact in a train [samples]
ROOM = (0.45, 0.2, 0.2)
ROUNDS = 3  # of the fit, while the profiles meet a lower minimum


class Optimum(NamedTuple):
    """A local minimum beside the best."""

    estimates: dict[str, float]
    error: float  # equation (28) over that of the best [1]


@dataclass(frozen=True, eq=False)
class Fit(Displayed):
    """What a test says of its release and of the impact parameters.

    Attributes
    ----------
    name : str
        Of the recording.
    edge : int
    estimates : dict of float
        ``time`` of the release in that of the recording [s], ``tilt`` there [rad], and the fitted impact
        parameters by their keys.
    intervals : dict of tuple of 2 float
        At ``level``, from the profiles, widened by `Misfit.widening` and by what ``size_error`` says; none of
        a parameter that ended at a bound of the search, or with a ``size_error`` whose effect was not found.
    standard_errors : dict of float
        Half of each interval over the normal quantile; infinite where the interval ends at a bound of the
        search, so that the test does not determine the parameter.
    profiles : dict of Profile
        By parameter; empty after a fit of the mean error.
    covariance : ndarray (k, k)
        Of the estimates in their order, by the standard errors and the correlations near the minimum.
    error : float
        Equation (28): mean of abs(omega_measured - omega_simulated) from the release on [rad/s].
    noise : float
        Standard deviation of the residuals by their median [rad/s].
    time, measured, simulated : ndarray (n,), (n, 3), (n, 3)
        Of the part of the test: [s] and [rad/s] in axes of the body, both less the bias found.
    kept : ndarray (n,)
        Which of them were compared: all but readings at an instant that lie near an impact.
    bias : ndarray (3,)
        [rad/s].
    turn : ndarray (3,)
        Rotation vector that takes axes of the body to those of the sensor as it was given [rad].
    landings : Landings
        Of the recording.
    along, across : ndarray (3,)
        Unit vectors along the edge and square to it.
    impact : Impact
        With the estimates.
    bounds : dict of tuple of 2 float
        Of the search.
    resolved : bool
        Whether the first flight of the lateral rocking, from the facet impact to the first edge impact, lasts
        two samples. If not, readings do not follow it: lambda, lambda_lat and tau are not determined, have no
        profiles, and their intervals are the bounds.
    misfit : Misfit
        Residuals and the noise of the sensor.
    by_size : ndarray (3, k)
        Change of each estimate if the body were 1 % larger along x, y or z: what an error in its size costs.
    averaging : float
        Part of a sample over which a reading was taken for the mean [1].
    level : float
    objective : str
    simulations : int
        That were run.
    size_error : float
        Standard deviation of each dimension of the body that intervals contain [1].
    preferred : float
        How much larger the deviance of the other averaging is; 0 if it was given [1].
    optima : tuple of Optimum
        Other local minima whose misfit is at most a quarter larger.
    turns : float
        Of turns between frames the time over which `noise` and the residuals are that of the attitude, and
        ``bias`` its error in the first frame [s]; 0 of rates.
    held : tuple of tuple of str
        What was added to the model in each neighbour whose interval these hold too.
    """

    name: str
    edge: int
    estimates: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    standard_errors: dict[str, float]
    profiles: dict[str, Profile]
    covariance: Array
    error: float
    noise: float
    time: Array
    measured: Array
    simulated: Array
    kept: NDArray[np.bool_]
    bias: Array
    turn: Array
    landings: Landings
    along: Array
    across: Array
    impact: Impact
    bounds: dict[str, tuple[float, float]] = field(repr=False)
    resolved: bool
    misfit: Misfit
    by_size: Array
    averaging: float
    level: float
    objective: str
    simulations: int
    size_error: float = 0.0
    preferred: float = 0.0
    optima: tuple[Optimum, ...] = ()
    turns: float = 0.0
    held: tuple[tuple[str, ...], ...] = ()

    def __repr__(self) -> str:
        words = ", ".join(f"{name} {value:.4g}" for name, value in self.estimates.items())
        return f"Fit({self.name}: {words}; error {self.error:.3g} rad/s; .intervals, .profiles, .impact)"

    @property
    def residuals(self) -> Array:
        """Measured less simulated (n, 3) [rad/s]; NaN where they were not compared."""
        return np.where(self.kept[:, None], self.measured - self.simulated, np.nan)

    @property
    def parameters(self) -> tuple[str, ...]:
        """Keys of what was free besides the release: impact parameters, and others as ``slip``."""
        return tuple(name for name in self.estimates if name not in ("time", "tilt"))

    @property
    def at_bound(self) -> tuple[str, ...]:
        """Keys of parameters whose estimate is a bound of the search, and no estimate."""
        return tuple(key for key in self.parameters if _is_end(self.estimates[key], self.bounds[key]))

    def rows(self, test: str, specimen: str, position: str, repetition: str) -> list[dict[str, Any]]:
        """Rows of the table of `fit_population`: one for each impact parameter that the test determines.

        A parameter without a standard error has none: one whose interval ends at a bound, and all of a fit of
        the mean error.
        """
        names = {"test": test, "specimen": specimen, "position": position, "repetition": repetition}
        return [
            {
                **names,
                "parameter": key,
                "estimate": self.estimates[key],
                "standard_error": self.standard_errors[key],
            }
            for key in self.parameters
            if np.isfinite(self.standard_errors.get(key, np.inf))
        ]


def fitted_by_default(body: Body) -> tuple[str, ...]:
    """What `fit_test` fits unless it is told."""
    return ROLLING if body.rim > 0.0 else LAMBDAS


@one_thread
def fit_test(
    body: Body,
    recording: Recording,
    edge: int,
    *,
    free: Sequence[str] | None = None,
    impact: Impact | None = None,
    landings: int = 2,
    objective: str = "robust",
    averaging: float | None = None,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    level: float = 0.95,
    size_error: float = 0.0,
    seed: int = 0,
) -> Fit:
    """Release and impact parameters with which the model comes closest to a test of free rocking.

    The source minimizes the mean absolute difference of the angular velocities (28) by trial and error and a
    simplex. Here the loss is smooth and robust: the pseudo-Huber function of each component, quadratic up to
    about twice the noise, linear beyond, where the sensor rings after an impact. The fit is extended impact
    by impact (`mcrock.measurement.misfit.search`), so that phase does not dominate. The bias that the
    gyroscope has left is fitted too.

    Intervals are those of the profile: all values at which the least loss over the other unknowns is not
    above the quantile. The loss is scaled to the variance of its scores
    (`mcrock.measurement.fit.Uncertainty`), so that residuals of a model that is not quite right, which
    hang together, do not make it look sure. They are of this model with constant parameters over the fitted
    part of this one test; the next test of the same block may have others.

    Parameters
    ----------
    body : Body
    recording : Recording
        Angular velocity in axes of the body, from shortly before the release, as `Recording.trimmed` leaves
        it.
    edge : int
        Over which the body was released: edge k of its base joins the vertices k and k + 1.
    free : sequence of str, optional
        Impact parameters to fit, of ``lambda``, ``lambda_lon``, ``lambda_lat``, ``tau``; and ``rate`` at the
        release [rad/s] and ``slip`` of the foot [m], as in `mcrock.measurement.misfit.FreeRocking`. By
        default the first three. Of a circular base ``rolling_loss``, ``clearance``, ``lambda_lon``,
        ``lambda_lat``, ``rate`` and the ``push`` at the release [rad/s]; by default `ROLLING`.
    impact : Impact, optional
        The others, and what to do with impacts that would gain energy.
    landings : int
        Up to which landing to fit, at least two. That is the part that the source takes: it has the first
        facet impact, the edge impacts after it, and ends where the old edge lands again.
    objective : str
        "robust", or "mean" for (28), by a simplex from the robust minimum; then there are no intervals.
    averaging : float, optional
        Part of a sample over which a reading is the mean, as in `sensed` [1]; by default 1 or `INSTANT`,
        whichever the readings prefer: the wrong one puts an impact up to half a sample off.
    bounds : mapping of str to tuple of 2 float, optional
        Of the search, by parameter; by default lambda 0 to 4, lambda_lon 0 to 2, lambda_lat -5 to 5,
        rolling_loss 0 to 2, clearance 0 to 0.02.
    level : float
        Of the intervals [1].
    size_error : float
        Standard deviation of each dimension of the body, over it [1]: intervals contain what it changes, to
        first order.
    seed : int
        Of the design of the search; the same gives the same to the last bit.

    Returns
    -------
    Fit

    Raises
    ------
    ValueError
        If the recording does not show a body released over this edge, or an argument is not what it must be.
    """
    Integer(2).check("landings", landings)
    if not 0.0 < level < 1.0:
        raise ValueError(f"level must be > 0 and < 1, got {level!r}")
    Number("1", least=0.0).check("size_error", size_error)
    if objective not in OBJECTIVES:
        raise ValueError(f"objective must be one of {', '.join(OBJECTIVES)}, got {objective!r}")
    impact, free = impact or Impact(), fitted_by_default(body) if free is None else free
    averaging = averaging if recording.widths is None else 1.0  # which turns between frames are
    limits = _bounds(body, recording, free, bounds or {})

    def compare(other: Body, averaging: float) -> Comparison:
        return Comparison(other, recording, edge, impact, free, limits, landings, averaging)

    whole = compare(body, 1.0 if averaging is None else averaging)
    modes, scale = _minima(whole, seed)
    preferred = 0.0
    if averaging is None:
        whole, modes, preferred = _preferred(whole, compare(body, INSTANT), modes, scale)
    comparison, modes = between_impacts(whole, modes, scale)
    for again in range(1, STARTS):  # a search may have missed what explains the test
        if misfit(comparison, modes[0]).explained is not False:
            break
        modes = best_of(whole, [*modes, *_minima(whole, seed + again)[0]], scale)
        comparison, modes = between_impacts(whole, modes, scale)
    noise = noise_of(comparison.residuals(modes[0]), comparison.least)
    scale = SCALE * noise
    found: dict[str, Profile] = {}
    if objective == "mean":
        x = comparison.fitted_mean(modes[0])
    else:
        for _ in range(ROUNDS):
            near, names = near_minima(comparison, modes, scale, level), comparison.names
            several = len(near) > 1
            if not _resolved(comparison, modes[0]):
                near, several = near[:1], True
                names = tuple(name for name in names if name not in LATERAL)
            found, better = profiles(comparison, near, scale, level, names, several)
            if better is None:
                break
            modes = best_of(comparison, [better, *modes], scale)
        x = modes[0]
    by_size = size_effects(
        body, lambda other: compare(other, comparison.averaging).only(comparison.kept), x, scale
    )
    fit = _result(comparison, x, limits, found, noise, by_size, level, objective)
    turns = 0.0 if recording.widths is None else comparison.sample
    fit = replace(fit, preferred=preferred, optima=_optima(comparison, modes, scale), turns=turns)
    return _widened(fit, float(size_error))


def _widened(fit: Fit, size_error: float) -> Fit:
    """With what residuals have above the noise of the sensor, and what the size of the body leaves open."""
    by_size = fit.by_size * (size_error / LARGER)
    spread = np.sqrt((by_size**2).sum(0)) if size_error else np.zeros(len(fit.estimates))
    quantile, times = float(norm.ppf(0.5 + 0.5 * fit.level)), fit.misfit.widening
    if times == 1.0 and not size_error:
        return fit
    intervals, errors = dict(fit.intervals), dict(fit.standard_errors)
    for (name, value), other in zip(fit.estimates.items(), spread.tolist(), strict=True):
        if np.isnan(other):  # the fit of a body of another size did not end
            errors[name] = np.inf
            intervals.pop(name, None)
        elif name in intervals:
            low, high = (float(np.hypot(times * (end - value), quantile * other)) for end in intervals[name])
            least, most = fit.bounds.get(name, (-np.inf, np.inf))
            intervals[name] = max(value - low, least), min(value + high, most)
            errors[name] = float(np.hypot(times * errors[name], other))
    covariance = fit.covariance * times**2 + (by_size.T @ by_size if size_error else 0.0)
    return replace(
        fit, intervals=intervals, standard_errors=errors, covariance=covariance, size_error=size_error
    )


def _bounds(
    body: Body, recording: Recording, free: Sequence[str], given: Mapping[str, tuple[float, float]]
) -> dict[str, tuple[float, float]]:
    known = search_bounds(body, float(np.abs(recording.angular_velocity).max()))
    sizes = (*SIZES, *ROUND_SIZES)  # which are measured: see `neighbours`
    names = [key for key in known if key not in sizes]
    if not free or len(set(free)) != len(free) or not set(free) <= set(names):
        raise ValueError(f"free must name parameters of {', '.join(names)}, each once, got {tuple(free)!r}")
    for key, (low, high) in given.items():
        if key not in free:
            raise ValueError(f"bounds are of fitted parameters, {', '.join(free)}, got {key!r}")
        if not low < high:
            raise ValueError(f"bounds of {key} [{UNITS[key]}] must rise, got {(low, high)}")
    return {key: tuple(map(float, given.get(key, known[key]))) for key in free}  # type: ignore[misc]


def _minima(comparison: Comparison, seed: int) -> tuple[list[Array], float]:
    """Local minima of a search, the lowest first, and the scale of the loss [rad/s]."""
    modes, noise = search(comparison, seed)
    for central in (False, True):
        modes = best_of(comparison, modes, SCALE * noise, central)
        noise = noise_of(comparison.residuals(modes[0]), comparison.least)
    return best_of(comparison, modes, SCALE * noise), SCALE * noise


def _optima(comparison: Comparison, modes: list[Array], scale: float) -> tuple[Optimum, ...]:
    """Other minima whose misfit is close to that of the first."""
    least = comparison.mean_error(modes[0])
    others = [Optimum(comparison.values(x), comparison.mean_error(x) / least) for x in modes[1:]]
    return tuple(other for other in others if other.error <= CLOSE)


def best_of(
    comparison: Comparison, candidates: list[Array], scale: float, central: bool = True
) -> list[Array]:
    """Local minima from candidates, the lowest first, each once."""
    found = [comparison.fitted(candidate, scale, central=central) for candidate in candidates]
    kept: list[Array] = []
    for result in sorted(found, key=lambda result: float(result.cost)):
        if all(far(comparison, result.x, other) for other in kept):
            kept.append(result.x)
    return kept


def _preferred(
    mean: Comparison, instant: Comparison, modes: list[Array], scale: float
) -> tuple[Comparison, list[Array], float]:
    """The comparison that the readings prefer, its minima, and the difference of the deviances."""
    instant.start, instant.lower, instant.upper = mean.start, mean.lower.copy(), mean.upper.copy()
    between, others = between_impacts(instant, modes, scale)
    shift = np.zeros(others[0].size)
    shift[0] = ROOM[-1] * instant.sample
    losses = [instant.losses(others[0] + side * shift, scale) for side in (0.0, -1.0, 1.0)]
    # what is left out tells a mean from an instant best: at an instant it lies on one side of its impact
    least = float(np.where(between.kept, losses[0], np.min(losses, axis=0)).sum())
    costs = mean.cost(modes[0], scale), least
    instant.simulations += mean.simulations
    by = 2.0 * abs(costs[0] - costs[1]) / (scale / SCALE) ** 2
    return (mean, modes, by) if costs[0] <= costs[1] else (instant, others, by)


def between_impacts(
    comparison: Comparison, modes: list[Array], scale: float
) -> tuple[Comparison, list[Array]]:
    """The comparison without readings at an instant that lie near impacts, and its minima; of readings that
    are means all are kept."""
    part = comparison
    for room in ROOM if comparison.averaging <= INSTANT else ():
        part = part.only(part.away_from_impacts(modes[0], room))
        modes = best_of(part, modes, scale)
    comparison.simulations = part.simulations
    return part, modes


def _resolved(comparison: Comparison, x: Array) -> bool:
    """Whether readings follow the lateral rocking; with shorter flights many parameters fit the noise."""
    return comparison.first_flight(x) >= RESOLVED * comparison.sample


def _intervals(
    comparison: Comparison,
    x: Array,
    limits: dict[str, tuple[float, float]],
    found: dict[str, Profile],
    noise: float,
    level: float,
) -> tuple[dict[str, tuple[float, float]], dict[str, float], Array]:
    """Interval and standard error of each unknown, and the covariance, from profiles around x."""
    names, n = comparison.names, len(comparison.names)
    covariance = np.full((n, n), np.nan)
    if not found:
        return {}, {}, covariance
    estimates = dict(zip(names, x.tolist(), strict=False))
    quantile = float(norm.ppf(0.5 + 0.5 * level))
    intervals, errors = dict(limits), dict.fromkeys(names, np.inf)  # what has no profile is not determined
    for name, profile in found.items():
        low, high = min(profile.interval[0], estimates[name]), max(profile.interval[1], estimates[name])
        if name == "push":  # smaller ones are one motion
            low, high = (0.0 if abs(end) <= LEAST_PUSH else end for end in (low, high))
        intervals[name] = low, high
        errors[name] = (high - low) / (2.0 * quantile) if profile.closed else np.inf
    raw = uncertainty(comparison, x, SCALE * noise).covariance[:n, :n]
    own = np.array([errors[name] for name in names])
    known = np.isfinite(own)
    own = own[known] / np.sqrt(np.diag(raw)[known])
    covariance[np.ix_(known, known)] = raw[np.ix_(known, known)] * own * own[:, None]
    ended = {key for key, ends in limits.items() if np.isinf(errors[key]) and _is_end(estimates[key], ends)}
    return {name: intervals[name] for name in names if name not in ended}, errors, covariance


def _is_end(value: float, ends: tuple[float, float]) -> bool:
    """Whether an estimate lies at an end of its search."""
    return min(abs(value - end) for end in ends) <= AT_BOUND * (ends[1] - ends[0])


def _result(
    comparison: Comparison,
    x: Array,
    limits: dict[str, tuple[float, float]],
    found: dict[str, Profile],
    noise: float,
    by_size: Array,
    level: float,
    objective: str,
) -> Fit:
    estimates = comparison.values(x)
    intervals, errors, covariance = _intervals(comparison, x, limits, found, noise, level)
    fitted: Any = {PARAMETERS[key].argument: estimates[key] for key in comparison.free if key in PARAMETERS}
    back = Rotation.from_rotvec(-x[-SENSOR:-AXES])
    return Fit(
        comparison.name,
        comparison.edge,
        estimates,
        intervals,
        errors,
        found,
        covariance,
        comparison.mean_error(x),
        noise,
        comparison.time,
        back.apply(comparison.measured - comparison.bias(x)),
        back.apply(comparison.simulated(x)),
        comparison.kept,
        x[-AXES:],
        x[-SENSOR:-AXES],
        comparison.landings,
        comparison.rocking.along,
        comparison.rocking.across,
        replace(comparison.impact, **fitted),
        limits,
        _resolved(comparison, x),
        misfit(comparison, x),
        by_size,
        comparison.averaging,
        level,
        objective,
        comparison.simulations,
    )


ENERGY_GAIN = "energy_gain"
# unknowns, of which each neighbour has one, of those that its body may have
ADDED = (*SIZES[:2], *ROUND_SIZES, "rate", "slip", "tau", "push", "clearance")


class Neighbour(NamedTuple):
    """The best fit of a model with more unknowns."""

    # unknowns: sizes over those given, rate at the release, slip, tau; or ``energy_gain`` allowed
    added: tuple[str, ...]
    estimates: dict[str, float]  # of all
    standard_errors: dict[str, float]  # near the minimum
    deviance: float  # less that of the model, at the noise at rest [1]
    misfit: Misfit


@one_thread
def neighbours(body: Body, recording: Recording, fit: Fit, *, seed: int = 0) -> list[Neighbour]:
    """Fits of models next to that of a fit which does not explain its test, the best first.

    Each has one unknown more: the size of the body along an axis, the rate at the release, how far the foot
    slips across the edge when the base lands for the first time, or ``tau``, an angular impulse about the
    vertical in each edge impact; of a circular base the push at the release and the clearance; and one lets
    impacts gain energy. The last has all sizes at once, and starts from the best with one. All are searched
    for from the start, as a model that is wrong leads astray. A deviance tells nothing but which neighbour is
    nearest: the truth may be none of them.

    Parameters
    ----------
    body : Body
    recording : Recording
        As they were given to `fit_test`.
    fit : Fit
        What it found.
    seed : int
        Of the search.

    Raises
    ------
    ValueError
        If the noise at rest is not known.
    """
    noise = fit.misfit.noise
    if not np.isfinite(noise):
        raise ValueError(f"{fit.name}: the noise of the sensor is not known, and without it no misfit")
    scale = SCALE * noise
    n_landings = int((fit.landings.landing <= fit.time[-1] + 1e-9).sum())
    limits = search_bounds(body, float(np.abs(fit.measured).max())) | fit.bounds

    def compare(impact: Impact, added: Sequence[str], averaging: float = fit.averaging) -> Comparison:
        free = [*fit.parameters, *added]
        bounds = {key: limits[key] for key in free}
        whole = Comparison(body, recording, fit.edge, impact, free, bounds, n_landings, averaging)
        return whole.only(fit.kept)

    here = np.array([*fit.estimates.values(), *fit.turn, *fit.bias])

    def tried(impact: Impact, added: tuple[str, ...], starts: list[Array]) -> Neighbour:
        comparison = compare(impact, added)
        if not starts:
            more = [OTHERS.get(key, 0.0) for key in added]
            starts = [np.concatenate([here[:-SENSOR], more, here[-SENSOR:]])]
            if added != ("rate",):  # which readings before the release tell, not a search
                starts += search(comparison, seed)[0]
        ends = best_of(comparison, best_of(comparison, starts, scale, central=False)[:2], scale)[:1]
        both = [(comparison, ends[0])]
        if recording.widths is None:  # a wrong model may prefer the wrong kind of readings
            other = compare(impact, added, INSTANT if fit.averaging > INSTANT else 1.0)
            both.append((other, best_of(other, ends, scale)[0]))
        comparison, x = min(both, key=lambda pair: pair[0].cost(pair[1], scale))
        deviance = 2.0 * comparison.cost(x, scale) / noise**2
        if "slip" in added:  # its impacts are elsewhere than those of the fit, near which none are kept
            comparison, (x, *_) = between_impacts(comparison, [x], scale)
        errors = comparison.values(np.sqrt(np.diag(uncertainty(comparison, x, scale).covariance)))
        return Neighbour(added, comparison.values(x), errors, deviance, misfit(comparison, x))

    base = tried(fit.impact, (), [here])
    sizes = tuple(key for key in ADDED if key in limits and key in (*SIZES, *ROUND_SIZES))
    added = [key for key in ADDED if key in limits and key not in fit.parameters]
    found = [tried(fit.impact, (key,), []) for key in added]
    if fit.impact.energy_gain != "allow":
        allowed = replace(fit.impact, energy_gain="allow")
        found.append(tried(allowed, (), [])._replace(added=(ENERGY_GAIN,)))
    nearest = min((each for each in found if each.added[0] in sizes), key=lambda each: each.deviance)
    start = [nearest.estimates.get(key, OTHERS.get(key, 0.0)) for key in (*base.estimates, *sizes)]
    found.append(tried(fit.impact, sizes, [np.array([*start, *here[-SENSOR:]])]))
    changes = [each._replace(deviance=each.deviance - base.deviance) for each in found]
    return sorted(changes, key=lambda each: each.deviance)


def widen_intervals(fit: Fit, found: Sequence[Neighbour]) -> Fit:
    """The fit with intervals that also hold those of the neighbours that explain its test.

    A model that does not explain a test has intervals of its own parameters, which may be far from those of
    the model that does. Of several that do, no test tells which is true, so all belong to the interval. The
    estimate stays; its standard error grows with the interval.

    Parameters
    ----------
    fit : Fit
    found : sequence of Neighbour
        From `neighbours`.
    """
    quantile = float(norm.ppf(0.5 + 0.5 * fit.level))
    intervals, ratio = dict(fit.intervals), dict.fromkeys(fit.estimates, 1.0)
    for name, own in fit.intervals.items():
        ends, (least, most) = [*own], fit.bounds.get(name, (-np.inf, np.inf))
        for each in explaining_neighbours(found):
            room = quantile * each.misfit.widening * each.standard_errors[name]
            ends += np.clip(each.estimates[name] + np.array([-room, room]), least, most).tolist()
        intervals[name] = min(ends), max(ends)
        ratio[name] = (max(ends) - min(ends)) / (own[1] - own[0])
    errors = {name: error * ratio[name] for name, error in fit.standard_errors.items()}
    times = np.array(list(ratio.values()))
    covariance = fit.covariance * times * times[:, None]
    held = tuple(each.added for each in explaining_neighbours(found))
    return replace(fit, intervals=intervals, standard_errors=errors, covariance=covariance, held=held)


def explaining_neighbours(found: Sequence[Neighbour]) -> list[Neighbour]:
    """Neighbours that explain a test to the noise, of one added unknown if there are any."""
    good = [each for each in found if each.misfit.explained]
    return [each for each in good if len(each.added) == 1] or good
