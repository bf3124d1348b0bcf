"""A recording beside what the model says of the same test: residuals, their sensitivities and two errors."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import OptimizeResult, least_squares, minimize
from scipy.spatial.transform import Rotation

from mcrock.body import Body
from mcrock.impact.conditions import Controls, Impact
from mcrock.measurement.free_rocking import OTHERS, SIZES, SLIPPING, FreeRocking
from mcrock.measurement.landings import Landings, landings
from mcrock.measurement.phases import contact_phases
from mcrock.measurement.rates import Rates
from mcrock.measurement.recording import Recording
from mcrock.measurement.sensor import means

Array = NDArray[np.float64]

AXES = 3  # of the gyroscope
SENSOR = 2 * AXES  # last unknowns: how it is turned on the body [rad], and what is left of its bias [rad/s]
MOST_TURN = 0.2  # of the sensor about each axis [rad]
STEPS = {"time": 1e-5, "tilt": 1e-5}  # of differences [s], [rad]
STEP, SLIP_STEP = 1e-4, 1e-5  # of the other parameters, and with a slip, over the width of their bounds [1]
OFF_AXIS = 0.5  # share of the first swing that may turn about other axes than the edge [1]
TOO_FAST = 1.1  # landing rate over that of a body released where it tips over [1]


class Comparison:
    """One test, measured and simulated.

    The unknowns are ``time`` of the release [s], ``tilt`` there [rad], the free impact parameters, and two of
    the sensor about each axis, which are no parameters of the test but would otherwise be taken for some: the
    rotation vector from axes of the body to its own [rad], which `alignment` finds to the noise about two
    axes and not at all about the edge, and what is left of its bias [rad/s].

    A reading is compared with the mean of the simulated angular velocity over one sample, as a low-pass
    filter makes it, or over a small part of it, as without one. Either way the simulated reading changes
    continuously as an impact moves from one sample to the next; values at an instant would jump. Such a
    reading next to an impact says on which side of it lies, which no derivative shows: `only` leaves it out.

    Parameters
    ----------
    body : Body
    recording : Recording
        In axes of the body, from shortly before the release.
    edge : int
        Over which it was released.
    impact : Impact
        What is not fitted.
    free : sequence of str
        Keys of the impact parameters that are, and of `OTHERS` of a run.
    bounds : dict
        Of each of them, low and high.
    n_landings : int
        The last landing to compare up to.
    averaging : float
        Part of a sample over which a reading is the mean, as in `sensed` [1].

    Raises
    ------
    ValueError
        If the recording does not show a body that was released over this edge.
    """

    def __init__(
        self,
        body: Body,
        recording: Recording,
        edge: int,
        impact: Impact,
        free: Sequence[str],
        bounds: dict[str, tuple[float, float]],
        n_landings: int,
        averaging: float = 1.0,
    ) -> None:
        self.rocking = FreeRocking(body, edge, impact)
        self.names = ("time", "tilt", *free)
        self.size_along = SIZES[int(np.abs(self.rocking.along).argmax())]  # which no first swing shows
        self.free, self.impact, self.edge, self.name = tuple(free), impact, edge, recording.name
        rate = recording.angular_velocity @ self.rocking.along
        self.landings = self._landings(recording, rate, n_landings)
        first, end = self.landings.landing[0], self.landings.landing[n_landings - 1]
        self._check_axis(recording, rate, first)
        used = recording.time <= end
        self.time, self.measured = recording.time[used], recording.angular_velocity[used]
        self.kept = np.ones(self.time.size, bool)
        self.sample = float(np.median(np.diff(recording.time)))
        self.averaging = averaging
        self._last: tuple[tuple[int, bytes], Rates] | None = None
        self.simulations = 0
        falling = recording.time <= first - SLIPPING  # a foot that slips makes the largest rate larger
        tilt = self._tilt_of(body, float(np.abs(rate[falling]).max()))
        begin = {key: OTHERS.get(key, 0.0) for key in free}
        swing = self.rocking(tilt, begin, 60.0 / body.frequency)
        fall = float(landings(swing.time, swing.angular_velocity @ self.rocking.along).landing[0])
        earliest = min(float(self.time[0]), first - fall) - fall
        most = float(np.abs(self.measured).max())
        self.least = 1e-4 * most  # noise that every sensor is taken to have [rad/s]
        sensor = np.array([*[MOST_TURN] * AXES, *[most] * AXES])
        self.lower = np.array([earliest, 0.0, *(bounds[key][0] for key in free), *-sensor])
        most_tilt = self.rocking.most_tilt * max(bounds.get(key, (1.0, 1.0))[1] for key in SIZES)
        self.upper = np.array([first, most_tilt, *(bounds[key][1] for key in free), *sensor])
        self.start = np.array([first - fall, tilt, *begin.values(), *[0.0] * SENSOR])
        self.turns = tuple(range(len(self.start) - SENSOR, len(self.start) - AXES))
        width = self.upper - self.lower
        # with a slip minima are so sharp that wider differences move late impacts across readings
        step = SLIP_STEP if "slip" in free else STEP
        self._steps = np.array([STEPS.get(name, step * width[i]) for i, name in enumerate(self.names)])
        self._scales = np.concatenate(
            [[1e-3, 1e-3], 0.01 * width[2:-SENSOR], [1e-2] * AXES, [1e-3 * most] * AXES]
        )

    def values(self, x: Array) -> dict[str, float]:
        """Unknowns but those of the sensor, by name."""
        return dict(zip(self.names, x.tolist(), strict=False))

    def narrow(self, x: Array, share: float) -> None:
        """Start at x, and keep the release within a share of the time from there to the first landing."""
        self.start = x
        room = share * (self.landings.landing[0] - x[0])
        self.lower[0] = max(self.lower[0], x[0] - room)
        self.upper[0] = min(self.upper[0], x[0] + room)

    def only(self, kept: NDArray[np.bool_]) -> Comparison:
        """The same of some of the readings (n,)."""
        part = copy(self)
        part.kept = kept
        return part

    def away_from_impacts(self, x: Array, room: float) -> NDArray[np.bool_]:
        """Readings (n,) that lie further from an impact of the run than ``room`` [samples]."""
        self.simulated(x)
        assert self._last is not None
        time = self._last[1].time
        impacts = np.append(time[:-1][np.diff(time) == 0.0], np.inf) + x[0]
        at = np.searchsorted(impacts, self.time)
        nearest = np.minimum(impacts[at] - self.time, np.abs(impacts[at - 1] - self.time))
        return np.asarray(nearest > room * self.sample, bool)

    def control(self, controls: Controls) -> None:
        """Simulate with other controls from now on."""
        self.rocking.control(controls)
        self._last = None

    def simulated(self, x: Array, n: int | None = None) -> Array:
        """The first n readings by the model in axes of the sensor, without bias (n, 3) [rad/s]."""
        return self._readings(x, n) @ _turned(x)

    def _readings(self, x: Array, n: int | None) -> Array:
        """Those in axes of the body."""
        n = self.time.size if n is None else n
        key = n, x[1:-SENSOR].tobytes()
        if self._last is None or self._last[0] != key:
            # up to the same time whatever that of the release: the steps of a run depend on it
            until = float(self.time[n - 1] - self.lower[0]) + self.sample
            parameters = dict(zip(self.free, x[2:-SENSOR].tolist(), strict=True))
            self._last = key, self.rocking(float(x[1]), parameters, until)
            self.simulations += 1
        rates = self._last[1]
        return means(rates.time, rates.angular_velocity, self.time[:n] - x[0], self.averaging * self.sample)

    def first_flight(self, x: Array) -> float:
        """Time from the facet impact to the first edge impact after it [s]; 0 if there is none."""
        self.simulated(x)
        assert self._last is not None
        rates, rocking = self._last[1], self.rocking
        along, across = rates.angular_velocity @ rocking.along, rates.angular_velocity @ rocking.across
        if landings(rates.time, along).landing.size < 2:
            return 0.0
        phases = contact_phases(rates.time, along, across)
        return float(phases.edge_impacts[0] - phases.facet_impact) if phases.edge_impacts.size else 0.0

    def residuals(self, x: Array, n: int | None = None) -> Array:
        """Measured less simulated readings that are kept of the first n, flat [rad/s]."""
        return (self.measured[:n] - self.simulated(x, n) - x[-AXES:])[self.kept[:n]].ravel()

    def jacobian(self, x: Array, n: int | None = None, central: bool = True) -> Array:
        """Derivatives of the residuals (m, k): central differences within the bounds, or those to one side,
        with half of the simulations."""
        middle, turned = self._readings(x, n), _turned(x)
        found = np.zeros((self.measured[:n].size, x.size))
        for i, step in enumerate(self._steps):
            low, high = x.copy(), x.copy()
            high[i] = min(x[i] + step, self.upper[i])
            if central or high[i] < x[i] + step:
                low[i] = max(x[i] - step, self.lower[i])
            below = middle if low[i] == x[i] else self._readings(low, n)
            found[:, i] = ((below - self._readings(high, n)) @ turned / (high[i] - low[i])).ravel()
        readings, turn = middle @ turned, x[-SENSOR:-AXES]
        for i, axis in enumerate(np.eye(AXES)):
            # derivative of a rotation by its vector, to the square of that
            found[:, i - SENSOR] = np.cross(readings, axis + 0.5 * np.cross(turn, axis)).ravel()
            found[i::AXES, i - AXES] = -1.0
        return found if self.kept.all() else found[np.repeat(self.kept[:n], AXES)]

    def losses(self, x: Array, scale: float, n: int | None = None) -> Array:
        """Pseudo-Huber loss of each reading kept, scale^2 (sqrt(1 + (residual/scale)^2) - 1), summed over the
        axes [rad2/s2]."""
        ratio = self.residuals(x, n).reshape(-1, AXES) / scale
        return np.asarray((np.sqrt(1.0 + ratio * ratio) - 1.0).sum(1) * scale**2)

    def cost(self, x: Array, scale: float, n: int | None = None) -> float:
        """Sum of the losses [rad2/s2]."""
        return float(self.losses(x, scale, n).sum())

    def mean_error(self, x: Array) -> float:
        """Equation (28): mean |omega_measured - omega_simulated| since the release [rad/s]."""
        after = self.time[self.kept] >= x[0]
        return float(np.linalg.norm(self.residuals(x).reshape(-1, AXES)[after], axis=1).mean())

    def fitted(
        self,
        x: Array,
        scale: float,
        n: int | None = None,
        tries: int = 60,
        fixed: Sequence[int] = (),
        central: bool = True,
    ) -> OptimizeResult:
        """Local minimum of `cost` from x, by scipy's trust-region method; some unknowns may stay."""
        free = ~np.isin(np.arange(x.size), fixed)
        margin = 1e-9 * (self.upper - self.lower)
        x = np.clip(x, self.lower + margin, self.upper - margin)

        def whole(part: Array) -> Array:
            y = x.copy()
            y[free] = part
            return y

        found = least_squares(
            lambda part: self.residuals(whole(part), n),
            x[free],
            jac=lambda part: self.jacobian(whole(part), n, central)[:, free],
            bounds=(self.lower[free], self.upper[free]),
            x_scale=self._scales[free],
            loss="soft_l1",
            f_scale=scale,
            max_nfev=tries,
        )
        found.x = whole(found.x)
        return found

    def fitted_mean(self, x: Array) -> Array:
        """Minimum of (28) near x, by a simplex; bias and turn of the sensor stay."""
        free = slice(0, x.size - SENSOR)
        width = 0.01 * (self.upper - self.lower)[free]
        simplex = np.vstack([x[free], x[free] + np.diag(width)]).clip(self.lower[free], self.upper[free])
        found = minimize(
            lambda part: self.mean_error(np.concatenate([part, x[-SENSOR:]])),
            x[free],
            method="Nelder-Mead",
            bounds=list(zip(self.lower[free], self.upper[free], strict=True)),
            options={"initial_simplex": simplex, "maxfev": 2000, "xatol": 1e-6, "fatol": 1e-9},
        )
        return np.concatenate([found.x, x[-SENSOR:]])

    def _landings(self, recording: Recording, rate: Array, n_landings: int) -> Landings:
        found = landings(recording.time, rate)
        if len(found.landing) < n_landings:
            raise ValueError(
                f"{self.name}: {len(found.landing)} landings after the release over edge {self.edge}, and "
                f"{n_landings} are to be fitted; give a longer part of the recording or fewer landings"
            )
        return found

    def _check_axis(self, recording: Recording, rate: Array, first: float) -> None:
        swing = recording.time <= first
        whole = np.linalg.norm(recording.angular_velocity[swing], axis=1)
        at = int(np.abs(rate[swing]).argmax())
        if np.abs(rate[swing][at]) < (1.0 - OFF_AXIS) * whole.max():
            axis = recording.angular_velocity[swing][int(whole.argmax())]
            raise ValueError(
                f"{self.name}: at the first landing the body turns about {_words(axis)} of its axes, "
                f"and edge {self.edge} is along {_words(self.rocking.along)}; check the edge, the axes of "
                "the sensor, and that the recording starts at the release"
            )
        if rate[swing][at] > 0.0:
            raise ValueError(
                f"{self.name}: the body first turns about edge {self.edge} as one that is lifted; it was "
                "released over the opposite edge, or an axis of the sensor points the other way"
            )

    def _tilt_of(self, body: Body, rate: float) -> float:
        """Tilt from which the body lands with a rate [rad/s], by energy [rad]."""
        from scipy.optimize import brentq

        along, slope = self.rocking.along, self.rocking.most_tilt
        height = body.com_height
        half_width = height * np.tan(slope)
        inertia = along @ body.inertia @ along + body.mass * (half_width**2 + height**2)

        def rise(tilt: float) -> float:
            return float(half_width * np.sin(tilt) - height * (1.0 - np.cos(tilt)))

        needed = 0.5 * inertia * rate**2 / (body.mass * body.gravity)
        if rise(slope) > needed:
            return float(brentq(lambda tilt: rise(tilt) - needed, 0.0, slope))
        fastest = np.sqrt(2.0 * body.mass * body.gravity * rise(slope) / inertia)
        if rate > TOO_FAST * fastest:
            raise ValueError(
                f"{self.name}: the body lands at {rate:.4g} rad/s, and released over edge {self.edge} at "
                f"most at {fastest:.4g} rad/s; check the body, the unit of the angular velocity, and that "
                "the recording starts at the release"
            )
        return 0.99 * slope


def _turned(x: Array) -> Array:
    """Matrix that takes rows in axes of the body to those of the sensor."""
    return Rotation.from_rotvec(x[-SENSOR:-AXES]).as_matrix().T


def _words(vector: Array) -> str:
    unit = vector / np.linalg.norm(vector)
    return "(" + ", ".join(f"{value:.2f}" for value in unit) + ")"
