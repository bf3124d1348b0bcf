"""Recordings of a free rocking test and what was measured: angles, rates, sensors, forces.

What a fit asks for thousands of times is compiled.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.transform import Rotation, Slerp

from mcrock.base.checks import Number
from mcrock.base.jit import jit
from mcrock.base.params import STANDARD_GRAVITY, HistoryColumn
from mcrock.kernel.rotation import to_ground

if TYPE_CHECKING:
    from mcrock.body import Body
    from mcrock.simulation.runs import Run

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
    """`mcrock.measurement.recording.means` into ``found``; ``integral`` is room for that of the values."""
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


ALONG = "xyz"
LARGEST = 1e9  # reading, in any unit: beyond are mistakes, whose squares may be infinite
LEAST = 1e-6  # rate of any motion [rad/s]
SLOW = 1.5  # time of a start that is too slow to be seen, over that from there to half of the largest rate
QUIET = 0.02  # of the largest angular velocity: what is no motion [1]


@dataclass(frozen=True, eq=False)
class Recording:
    """Readings of a sensor, in its own axes until they are turned into those of the body.

    Attributes
    ----------
    time : ndarray (n,)
        [s], rising.
    angular_velocity : ndarray (n, 3)
        [rad/s].
    acceleration : ndarray (n, 3), optional
        Specific force: at rest it points up with 9.81 m/s2 [m/s2].
    name : str
    widths : ndarray (n,), optional
        Of rates that are turns between frames, by markers or angles: the time between these [s]. Their noise
        is that of the attitude in each frame, and they have no bias.
    """

    time: Array
    angular_velocity: Array
    acceleration: Array | None = None
    name: str = "recording"
    widths: Array | None = None

    def __post_init__(self) -> None:
        n = len(self.time)
        shapes = {"angular_velocity [rad/s]": self.angular_velocity, "acceleration [m/s2]": self.acceleration}
        for what, array in shapes.items():
            if array is not None and array.shape != (n, 3):
                raise ValueError(f"{self.name}: {what} must have the shape ({n}, 3), got {array.shape}")
            if array is not None and (wrong := ~(np.abs(array) < LARGEST).all(1)).any():
                where = f"{what} has, at {self.time[wrong.argmax()]:.6g} s for the first time,"
                raise ValueError(f"{self.name}: {where} values that are not numbers, or beyond {LARGEST:g}")
        if n < 2:
            raise ValueError(f"{self.name}: a recording needs two samples at least, got {n}")
        if not (rises := np.diff(self.time) > 0.0).all():
            now, then = self.time[rises.argmin() :][:2]
            raise ValueError(
                f"{self.name}: time [s] must rise from sample to sample, and after {now:.6g} comes {then:.6g}"
            )

    def between(self, begin: float, end: float) -> Recording:
        """The part from ``begin`` to ``end`` [s]; the time is kept.

        Raises
        ------
        ValueError
            If fewer than two samples are left.
        """
        chosen = self._within(begin, end)
        rates = self.angular_velocity[chosen]
        force = None if self.acceleration is None else self.acceleration[chosen]
        widths = None if self.widths is None else self.widths[chosen]
        return replace(
            self, time=self.time[chosen], angular_velocity=rates, acceleration=force, widths=widths
        )

    def unbiased(self, *still: tuple[float, float]) -> Recording:
        """The recording less the bias of its gyroscope, known from intervals in which the body was still.

        Parameters
        ----------
        *still : tuple of 2 float
            Start and end of each interval [s]. Of one the mean is taken away, of several the means and what
            is linear between their middles.

        Raises
        ------
        ValueError
            If there is none, or one has fewer than two samples.
        """
        if not still:
            raise ValueError("unbiased() needs an interval [s] in which the body was still")
        if self.widths is not None:
            return self
        chosen = [self._within(*interval) for interval in still]
        middles = np.array([self.time[at].mean() for at in chosen])
        means = np.array([self.angular_velocity[at].mean(0) for at in chosen])
        order = np.argsort(middles)
        bias = np.stack([np.interp(self.time, middles[order], column[order]) for column in means.T], -1)
        return replace(self, angular_velocity=self.angular_velocity - bias)

    def trimmed(self, margin: float = 0.5, rest: float = 0.25) -> Recording:
        """The part from shortly before the release to rest, of a recording without bias.

        Motion is an angular velocity above a fiftieth of the largest. The release is the last sample without,
        before half of the largest is reached for the first time; rest is where motion has been over for some
        time.

        Parameters
        ----------
        margin : float
            Kept before the first motion, where the `slow_start` is not longer, and of rest [s].
        rest : float
            A pause of this length is rest, a shorter one a turning point [s].

        Raises
        ------
        ValueError
            If the body is moving from the first sample on.
        """
        begin, end = self.motion(rest)
        return self.between(begin - max(margin, self.slow_start()), end + margin)

    def slow_start(self) -> float:
        """How long before the release that `motion` finds a body may have moved unseen [s].

        Near its unstable pose it starts as slowly as the hyperbolic sine of p t: what is seen, from a
        fiftieth to half of the largest rate, takes 3.2/p then, and what is not 3.7/p at a thousandth of the
        slenderness from that pose, 1.4/p at a hundredth.
        """
        speed = np.linalg.norm(self.angular_velocity, axis=1)
        return SLOW * float(self.time[np.argmax(speed >= 0.5 * speed.max())] - self.motion()[0])

    def motion(self, rest: float = 0.25) -> tuple[float, float]:
        """Times of the release and of rest [s], as `trimmed` finds them.

        Raises
        ------
        ValueError
            If the body is moving from the first sample on, or never.
        """
        speed = np.linalg.norm(self.angular_velocity, axis=1)
        if not (speed > LEAST).any():
            raise ValueError(f"{self.name}: no release in it: all rates are below {LEAST:g} rad/s")
        still = np.flatnonzero(speed <= QUIET * speed.max())
        fast = int(np.flatnonzero(speed >= 0.5 * speed.max())[0])
        before = still[still < fast]
        if not before.size:
            raise ValueError(
                f"{self.name}: no sample before the fast motion is below {QUIET * speed.max():.3g} rad/s; "
                "give a recording that starts with the body held still; --still takes out a bias"
            )
        moving = np.setdiff1d(np.arange(speed.size), still)
        moving = moving[moving > before[-1]]
        times = np.append(self.time[moving], np.inf)
        return float(self.time[before[-1]]), float(times[np.flatnonzero(np.diff(times) > rest)[0]])

    def turned(self, turn: Rotation) -> Recording:
        """The recording in axes of the body: ``turn`` takes vectors from those of the sensor to them."""
        force = None if self.acceleration is None else turn.apply(self.acceleration)
        return replace(self, angular_velocity=turn.apply(self.angular_velocity), acceleration=force)

    def clipped(self, most: float) -> Recording:
        """The recording of a gyroscope that reads at most some angular velocity [rad/s] along each axis.

        Raises
        ------
        ValueError
            If that is not positive.
        """
        Number("rad/s", above=0.0).check("most", most)
        return replace(self, angular_velocity=np.clip(self.angular_velocity, -most, most))

    def orientation(self, start: ArrayLike = (1.0, 0.0, 0.0, 0.0)) -> Array:
        """Attitude by integration of the angular velocity in axes of the body.

        Over a sample the angular velocity is taken to be linear; the turn is exact to the third power of the
        interval. What the sensor drifts stays in it: see `zero_crossing_correction`.

        Parameters
        ----------
        start : array_like (4,)
            Unit quaternion body to ground of the first sample, the real part first.

        Returns
        -------
        ndarray (n, 4)
            Unit quaternions body to ground.
        """
        w, h = self.angular_velocity, np.diff(self.time)[:, None]
        # of a linear angular velocity: its mean, and what its two ends do not commute
        turns = Rotation.from_rotvec(0.5 * h * (w[:-1] + w[1:]) + h * h / 12.0 * np.cross(w[:-1], w[1:]))
        found = Rotation.concatenate([Rotation.from_quat(np.asarray(start, float), scalar_first=True), turns])
        step = 1
        while step < len(found):  # products of all turns before each, of twice as many at every pass
            found = Rotation.concatenate([found[:step], found[:-step] * found[step:]])
            step *= 2
        return found.as_quat(scalar_first=True)

    def _within(self, begin: float, end: float) -> NDArray[np.intp]:
        chosen = np.flatnonzero((self.time >= begin) & (self.time <= end))
        if chosen.size < 2:
            raise ValueError(
                f"{self.name}: from {begin!r} to {end!r} s there are {chosen.size} samples, and two are "
                f"needed; it goes from {self.time[0]:.6g} to {self.time[-1]:.6g} s"
            )
        return chosen


BEYOND = 4.0  # standard deviations of noise that a half cycle exceeds


def euler_angles(orientation: ArrayLike) -> Array:
    """Angles phi_x, phi_y, phi_z of successive turns about the local z, y and x axes.

    Parameters
    ----------
    orientation : array_like (n, 4)
        Unit quaternions body to ground, the real part first, as `Run.history.orientation`.

    Returns
    -------
    ndarray (n, 3)
        phi_x, phi_y, phi_z [rad]: first a turn by phi_z about z, then by phi_y about the new y, then by phi_x
        about the new x.

    Raises
    ------
    ValueError
        If the shape is not (n, 4).
    """
    given = np.asarray(orientation, float)
    if given.ndim != 2 or given.shape[1] != 4:
        raise ValueError(f"orientation must have the shape (n, 4), quaternions, got {given.shape}")
    return Rotation.from_quat(given, scalar_first=True).as_euler("ZYX")[:, ::-1]


def zero_crossing_correction(
    time: ArrayLike, angle: ArrayLike, angular_velocity: ArrayLike, *, noise: float | None = None
) -> Array:
    """An angle without the drift of its sensor, as the source corrects it (section 3.1).

    In every half cycle, from one change of the sign of the angular velocity to the next, its absolute value
    is largest where an edge lands, and the angle is zero there: a piecewise linear function that is the angle
    there is taken away, before the first and after the last maximum its value there. Changes of the sign that
    do not pass ``BEYOND`` times the noise on both sides are noise, and so are half cycles below it.

    Parameters
    ----------
    time : array_like (n,)
        [s], rising.
    angle : array_like (n,)
        phi_x or phi_y [rad].
    angular_velocity : array_like (n,)
        About the same axis [rad/s].
    noise : float, optional
        Standard deviation of the angular velocity's noise [rad/s]; by default from the median of its second
        differences, in which a motion that is sampled finely leaves little.

    Returns
    -------
    ndarray (n,)
        [rad].

    Raises
    ------
    ValueError
        If the lengths differ, time does not rise, the angular velocity has no local maximum beyond the noise,
        or ``noise`` is negative.
    """
    t, phi, rate = (np.asarray(item, float) for item in (time, angle, angular_velocity))
    if not (t.ndim == 1 and t.shape == phi.shape == rate.shape):
        raise ValueError(
            "time [s], angle [rad] and angular velocity [rad/s] must have one length, "
            f"got {t.shape}, {phi.shape} and {rate.shape}"
        )
    if not (np.diff(t) > 0.0).all():
        raise ValueError("time [s] must rise from sample to sample")
    if noise is not None and not noise >= 0.0:
        raise ValueError(f"noise must be >= 0 rad/s, got {noise!r}")
    landed = _landed(rate, rate_noise(rate) if noise is None else noise)
    if not landed.size:
        raise ValueError(
            "the angular velocity [rad/s] has no local maximum beyond its noise: no impact to hold it at"
        )
    return phi - np.interp(t, t[landed], phi[landed])


def rate_noise(angular_velocity: ArrayLike) -> float:
    """Standard deviation of white noise on a series (n,) that else changes little between samples."""
    second = np.diff(np.asarray(angular_velocity, float), 2)
    return float(np.median(np.abs(second)) / (0.6745 * np.sqrt(6.0))) if second.size else 0.0


def _landed(rate: Array, noise: float) -> NDArray[np.intp]:
    """Samples at which the absolute rate is largest in its half cycle, but for the ends of the series."""
    sure = np.flatnonzero(np.abs(rate) > BEYOND * noise)
    if not sure.size:
        return np.zeros(0, np.intp)
    turned = sure[1 + np.flatnonzero(np.diff(np.sign(rate[sure])))]
    cycles = np.split(sure, np.searchsorted(sure, turned))
    found = np.array([cycle[np.abs(rate[cycle]).argmax()] for cycle in cycles if cycle.size], np.intp)
    return found[(found > 0) & (found < rate.size - 1)]


RATE = 256.0  # of the recordings of the source [1/s]
# InvenSense MPU-6000 and MPU-6050 product specification, revision 3.4, section 6.1: 0.005 deg/s/sqrt(Hz)
NOISE_DENSITY = float(np.radians(0.005))  # [rad/s/sqrt(Hz)]

FORCE_DENSITY = 400e-6 * STANDARD_GRAVITY  # of its accelerometer, section 6.2 [m/s2/sqrt(Hz)]

INSTANT = 0.02  # part of a sample over which a reading at an instant is the mean: it does not jump [1]


def means(time: ArrayLike, values: ArrayLike, at: ArrayLike, width: float) -> Array:
    """Means of a piecewise linear function over windows around some times.

    Parameters
    ----------
    time : array_like (n,)
        [s], not falling; where the function jumps, twice.
    values : array_like (n, k)
        Zero before the first time and after the last.
    at : array_like (m,)
        Middles of the windows [s].
    width : float
        Of each window [s], > 0.

    Returns
    -------
    ndarray (m, k)

    Examples
    --------
    >>> means([0.0, 1.0, 1.0, 2.0], [[0.0], [0.0], [1.0], [1.0]], [0.5, 1.0, 1.25], 1.0).ravel().tolist()
    [0.0, 0.5, 0.75]
    """
    t, v, middles = (np.ascontiguousarray(each, float) for each in (time, values, at))
    found = np.empty((middles.size, v.shape[1]))
    fill_means(t, v, middles, float(width), np.empty_like(v), found)
    return found


def sensed(
    run: Run,
    *,
    rate: float = RATE,
    noise_density: float = NOISE_DENSITY,
    bias: ArrayLike = (0.0, 0.0, 0.0),
    before: float = 1.0,
    after: float = 0.0,
    averaging: float = 1.0,
    seed: int = 0,
) -> Recording:
    """Readings that a gyroscope on a simulated body would give, to try out what is done with real ones.

    A reading is the mean over one sample or a part of it, plus bias and white noise over the band up to half
    the sampling rate. The body is held still before the run, and is still after it.

    Parameters
    ----------
    run : Run
        Of free rocking, with its history.
    rate : float
        Samples per second [1/s]; those of the source are the default.
    noise_density : float
        [rad/s/sqrt(Hz)]; the default is 0.005 deg/s/sqrt(Hz), of the MPU-6050.
    bias : array_like (3,)
        [rad/s].
    before, after : float
        Time held still before the run, and added after it [s].
    averaging : float
        Part of a sample around its time over which a reading is the mean, > 0 to 1: 1 as a low-pass filter
        makes it, `INSTANT` for a sensor that is read at an instant [1].
    seed : int
        Of the noise.

    Returns
    -------
    Recording
        Its time is 0 ``before`` seconds before the release.

    Raises
    ------
    ValueError
        If the run has no history, the rate is not positive, or another number is negative.
    """
    Number("1/s", above=0.0).check("rate", rate)
    Number("rad/s/sqrt(Hz)", least=0.0).check("noise_density", noise_density)
    for name, value in (("before", before), ("after", after)):
        Number("s", least=0.0).check(name, value)
    Number("1", above=0.0, most=1.0).check("averaging", averaging)
    time, omega = rates_in_body(run)
    at = np.arange(round((before + time[-1] + after) * rate) + 1) / rate
    clean = means(time, omega, at - before, averaging / rate)
    noise = np.random.default_rng(seed).normal(0.0, noise_density * np.sqrt(0.5 * rate), clean.shape)
    return Recording(at, clean + noise + np.asarray(bias, float), name="sensed")


def with_acceleration(
    recording: Recording,
    run: Run,
    *,
    before: float = 1.0,
    noise_density: float = FORCE_DENSITY,
    bias: ArrayLike = (0.0, 0.0, 0.0),
    seed: int = 0,
) -> Recording:
    """A recording of `sensed` with what an accelerometer at the centre of mass reads.

    A reading is the mean of the specific force over a sample, which is the change of the velocity plus
    gravity, in axes of the body as it stands in the middle of the sample: an impact is in it.

    Parameters
    ----------
    recording, run : Recording, Run
        The recording is in axes of the body.
    before : float
        Time held still before the run [s].
    noise_density : float
        [m/s2/sqrt(Hz)]; the default is 400 micro-g/sqrt(Hz), of the MPU-6050.
    bias : array_like (3,)
        [m/s2].
    seed : int
        Of the noise.
    """
    history = run.history
    width = float(np.median(np.diff(recording.time)))
    since, at = history["time"].values, recording.time - before
    last = np.append(np.diff(since) > 0.0, True)  # of rows at one time that after an impact
    turns = Slerp(since[last], Rotation.from_quat(history["orientation"].values[last], scalar_first=True))
    velocity = history["velocity"].values
    ends = [
        np.stack([np.interp(at + side * width, since, each, 0.0, 0.0) for each in velocity.T], -1)
        for side in (-0.5, 0.5)
    ]
    force = (ends[1] - ends[0]) / width + [0.0, 0.0, run.body.gravity]
    clean = turns(at.clip(since[0], since[-1])).inv().apply(force)
    noise = np.random.default_rng([seed, 1]).normal(0.0, noise_density * np.sqrt(0.5 / width), clean.shape)
    return replace(recording, acceleration=clean + noise + np.asarray(bias, float))


NOISE = 0.05  # of the largest rate: a change of sign below it is none [1]


class Landings(NamedTuple):
    """Marks of a rocking motion about one axis."""

    landing: Array  # (n,) times at which the rate is largest between two changes of its sign [s]
    turning: Array  # (n - 1,) or (n,) times at which it changes its sign, one after each landing [s]


def landings(time: ArrayLike, rate: ArrayLike, least: float | None = None) -> Landings:
    """Landings and turning points of a body that rocks to and fro about one axis.

    Between two turning points gravity first brings the body down and then, on the other side, takes its speed
    away: the rate is largest where it lands, with or without a loss. A last stretch that ends before its
    rate has fallen has no landing.

    Parameters
    ----------
    time : array_like (n,)
        [s], not falling.
    rate : array_like (n,)
        Angular velocity about the axis [rad/s], of a sensor or of a simulation.
    least : float, optional
        Rates up to this have no sign [rad/s]; by default a twentieth of the largest.

    Returns
    -------
    Landings

    Raises
    ------
    ValueError
        If the lengths differ or nothing moves.

    Examples
    --------
    >>> t = np.linspace(0.0, 2.5, 251)
    >>> found = landings(t, np.sin(np.pi * t))
    >>> found.landing.round(2).tolist(), found.turning.round(2).tolist()
    ([0.5, 1.5], [1.0, 2.0])
    """
    t, w = np.asarray(time, float), np.asarray(rate, float)
    if t.ndim != 1 or t.shape != w.shape or not t.size:
        raise ValueError(f"time [s] and rate [rad/s] must have one length, got {t.shape} and {w.shape}")
    if least is None:
        least = NOISE * float(np.abs(w).max())
    moving = np.flatnonzero(np.abs(w) > least)
    if not moving.size:
        raise ValueError(f"no rate is above {least:g} rad/s: nothing moves")
    signs = np.sign(w[moving])
    first = np.flatnonzero(np.concatenate([[True], signs[1:] != signs[:-1]]))  # of each stretch, in `moving`
    last = np.append(first[1:] - 1, moving.size - 1)
    landing, turning = [], []
    for i, (a, b) in enumerate(zip(moving[first], moving[last], strict=True)):
        largest = a + int(np.abs(w[a : b + 1]).argmax())
        ended = i + 1 < first.size
        if not ended and largest == w.size - 1:
            break
        landing.append(t[largest])
        if ended:
            after = moving[first[i + 1]]
            # on a line between both stretches, as noise may cross zero more than once
            share = abs(w[b]) / (abs(w[b]) + abs(w[after]))
            turning.append(t[b] + share * (t[after] - t[b]))
    return Landings(np.array(landing), np.array(turning))


class Rolling(NamedTuple):
    """Motion of a body on the rim of its base, at each reading."""

    tilt: Array  # (n,) [rad]
    energy: Array  # (n,) potential and kinetic, above that at rest, over the weight [m]
    swept: Array  # (n,) angle by which the contact has gone along the rim, to either side [rad]


def rolling_of(body: Body, vertical: Array, angular_velocity: Array) -> Rolling:
    """Motion of a body that rolls, from the vertical (n, 3) and the rates (n, 3) [rad/s] in its own axes."""
    centre, sine = body.vertices[list(body.faces[body.start_face])].mean(0), np.hypot(*vertical[:, :2].T)
    point = centre - body.rim * np.column_stack([vertical[:, :2] / sine[:, None], np.zeros(sine.size)])
    w, theta = angular_velocity, body.inertia / body.mass
    twice = np.einsum("ij,jk,ik->i", w, theta, w) + (np.cross(w, point) ** 2).sum(1)
    rise = body.rim * sine - vertical @ centre + centre[2]
    azimuth = np.unwrap(np.arctan2(vertical[:, 1], vertical[:, 0]))
    swept = np.append(0.0, np.abs(np.diff(azimuth)).cumsum())
    return Rolling(np.arctan2(sine, vertical[:, 2]), rise + 0.5 * twice / body.gravity, swept)


class Wrench(NamedTuple):
    """A resultant impulse on its line of action and an angular impulse about the vertical."""

    impulse: NDArray[np.float64]  # (3,) rho [N s]
    point: NDArray[np.float64]  # (2,) x_R, y_R where the resultant meets the plane of the face [m]
    torque: float  # tau [N m s]


def equivalent_wrench(points: ArrayLike, impulses: ArrayLike, *, as_printed: bool = False) -> Wrench:
    """Modified wrench of impulses at points of a plane, equations (7) to (10).

    The printed (9) has y_R with the wrong sign, and the printed (10) is the angular impulse about the origin,
    from which that of the resultant at R is taken here: with both the wrench has the moments of the impulses.

    Parameters
    ----------
    points : array_like (n, 2)
        Where they act, in the plane of the face or edge [m].
    impulses : array_like (n, 3)
        Their components, z up [N s]; of a continuous distribution times the areas of a quadrature.
    as_printed : bool
        y_R and tau as the source prints them.

    Raises
    ------
    ValueError
        If the shapes do not fit or the vertical impulses have no sum.
    """
    at, p = np.asarray(points, float), np.asarray(impulses, float)
    if at.ndim != 2 or at.shape[1] != 2 or p.shape != (len(at), 3):
        raise ValueError(f"points [m] must be (n, 2) and impulses [N s] (n, 3), got {at.shape} and {p.shape}")
    rho = p.sum(0)
    if rho[2] == 0.0:
        raise ValueError("the vertical impulses [N s] have no sum: their resultant has no line of action")
    place = p[:, 2] @ at / rho[2]
    torque = float(at[:, 0] @ p[:, 1] - at[:, 1] @ p[:, 0])
    if as_printed:
        return Wrench(rho, place * [1.0, -1.0], torque)
    return Wrench(rho, place, torque - float(place[0] * rho[1] - place[1] * rho[0]))
