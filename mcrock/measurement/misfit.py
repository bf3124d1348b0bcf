"""A recording against runs of the model: free rocking, the first guess and how far they differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import OptimizeResult, least_squares, minimize
from scipy.spatial.transform import Rotation
from scipy.stats import qmc

from mcrock.base.params import MotionPack
from mcrock.body import Body
from mcrock.excitation import STILL, Pulse, pack_motions
from mcrock.impact.conditions import Controls, Impact
from mcrock.impact.registry import DEFAULT_LAW, ImpactParameter
from mcrock.kernel.batch import NO_RESULTS, Batch, empty_batch, run_part, start_tilted
from mcrock.kernel.contact import fill_constants
from mcrock.kernel.ending import empty_trace
from mcrock.kernel.layout import set_fields
from mcrock.measurement.measures import contact_phases
from mcrock.measurement.recording import Landings, Rates, Recording, landings, means, rates_of
from mcrock.simulation.runs import body_tables, impact_law, run_alone, set_law, settings_of

Array = NDArray[np.float64]

# finer than those of a study, so that what a fit sees is smooth in the parameters; without a limit, lateral
# rocking that loses nothing would go on for as many impacts as there is time for
CONTROLS = Controls(step=0.005, edge_zeno_time=1e-6, rest_time=1e-4, max_impacts=1000)
COARSE = replace(CONTROLS, step=0.02)  # to search with: readings to 1e-4 rad/s of those with `CONTROLS`
PARAMETERS = {
    parameter.key: parameter
    for parameter in (
        ImpactParameter["LAMBDA"],
        ImpactParameter["LAMBDA_LON"],
        ImpactParameter["LAMBDA_LAT"],
        ImpactParameter["TAU"],
        ImpactParameter["ROLLING_LOSS"],
        ImpactParameter["CLEARANCE"],
    )
}
SIZES = ("size_x", "size_y", "size_z")
ROUND_SIZES = ("size_r", "size_z")  # of a body on a rim: its radius, and along its axis
# of a run, with what they are unless they are given
OTHERS = {**dict.fromkeys((*SIZES, *ROUND_SIZES), 1.0), "rate": 0.0, "slip": 0.0}
SLIPPING = 0.01  # time that a foot takes to slip [s]
# then: rates are linear between steps, and within one of `CONTROLS` a slip of 0.2 mm bends them by more
# than the noise of an inexpensive sensor
FINE_STEP = SLIPPING / 40.0  # [s]
LEAST_PUSH = 1e-7  # which says to which side a body that falls in a plane sweeps, and no more [rad/s]
SWEPT = 1e-5  # steps of a rim that are shorter are of a sweep, as quick as an impact [s]
AXES = 3
GAP = 1.5  # samples between frames from which on some are missing


class FreeRocking:
    """Runs of one body released over one edge, as `simulate` makes them, without their datasets.

    A run of a second takes half a millisecond; its datasets would take several.

    Parameters
    ----------
    body : Body
    edge : int
        Of its start face; edge k of a base joins its vertices k and k + 1.
    impact : Impact
        What stays fixed: the parameters that a run does not name, and what to do with impacts that would gain
        energy.
    controls : Controls
        By default those of fits, which end a run after 1000 impacts.

    Attributes
    ----------
    body : Body
    along : ndarray (3,)
        Unit vector along the edge in axes of the body; a turn about it lifts the body.
    across : ndarray (3,)
        Unit vector in the start face, square to the edge and towards its inside.
    most_tilt : float
        Tilt at which the centre of mass stands over the edge [rad].
    swept : float
        Rates jump in steps up to this: 0 of a polygon [s].

    Raises
    ------
    ValueError
        If the edge is not of the start face, or the impact has another law or parameters of its own for a
        place or a face.
    """

    def __init__(self, body: Body, edge: int, impact: Impact, controls: Controls = CONTROLS) -> None:
        if impact.law != DEFAULT_LAW.key or impact.point is not None or impact.faces:
            raise ValueError(
                f"the lambdas are parameters of the law {DEFAULT_LAW.key!r}, the same for all faces: leave "
                "law, point and faces of the impact out"
            )
        self.body, self.swept = body, SWEPT if body.rim > 0.0 else 0.0
        base_only = body.stands_clear and body.start_face == 0
        top, self._run = body_tables(body, base_only)
        own = np.flatnonzero((top.edge_faces == body.start_face).any(1))
        if edge not in own:
            numbers = ", ".join(map(str, own))
            raise ValueError(f"edge must be one of the start face, {numbers}, got {edge!r}")
        first = top.edge_vertices[edge]
        if top.edge_faces[edge, 0] != body.start_face:
            first = first[::-1]
        ends = body.vertices[first]
        self.along: Array = (ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0])
        up = -body.face_normals[body.start_face]
        self.across: Array = np.cross(up, self.along)
        place = list(body.faces[body.start_face]).index(int(first[0]))
        self.most_tilt = float(body.edge_slenderness[place])
        self._edge, self._trace = int(edge), empty_trace(4096, 1024)
        self._landing: tuple[object, float] = None, np.inf  # of a release: time of the first landing [s]
        self.control(controls)
        self._quantiles = set_law(self._run, impact_law(impact, len(body.faces)))
        self._batch: Batch | None = None  # from the second run on: the first one may have to compile
        self._run.turn[:] = 1.0, 0.0, 1.0, 0.0, 0.0
        self._values = self._run.law.values
        self._body, self._n_vertex, self._factors = body, int(self._run.body.n_vertex), np.ones(AXES)

    def control(self, controls: Controls) -> None:
        """Integrate with other controls from now on."""
        self._controls = controls
        set_fields(self._run.settings, settings_of(controls))

    def __call__(self, tilt: float, parameters: Mapping[str, float], until: float) -> Rates:
        """A run released from a tilt [rad], up to a time [s].

        Parameters are those of impacts by their keys, and `OTHERS`: ``size_x``, ``size_y`` and ``size_z``, by
        which the body is stretched along its axes [1], the ``rate`` at the release [rad/s], and how far the
        foot slips when the base lands for the first time, across the edge over which it was released and
        towards the inside: ``slip`` [m]. A body on a rim has ``size_r``, of its radius, and the ``push``
        at the release, its rate about the horizontal axis across the edge [rad/s].
        """
        for key, value in parameters.items():
            if key in PARAMETERS:
                self._values[PARAMETERS[key]] = value
        sizes, slip = [parameters.get(key, 1.0) for key in SIZES], parameters.get("slip", 0.0)
        if "size_r" in parameters:
            sizes[:2] = [parameters["size_r"]] * 2
        self._stretch(np.array(sizes))
        push = parameters.get("push", 0.0)
        release = float(tilt), float(parameters.get("rate", 0.0)), float(push)
        if not slip:
            return self._released(*release, STILL, float(until))
        if self._landing[0] != (release, sizes):  # which no other parameter changes
            found = self._released(*release, STILL, float(until))
            jumps = found.time[:-1][np.diff(found.time) == 0.0]
            if not jumps.size:
                return found
            self._landing = (release, sizes), float(jumps[0])
        # the foot moves as if the ground did, which half a period of a cosine starts and stops
        frequency = np.pi / SLIPPING
        x, y, _ = (0.5 * slip * frequency**2 * self.across).tolist()
        ground = Pulse((x, y, 0.0), frequency, 0.5 * np.pi, 0.5, self._landing[1])
        self._run.settings.max_step = FINE_STEP * np.sqrt(self._controls.step / CONTROLS.step)
        found = self._released(*release, pack_motions([ground]), float(until))
        self._run.settings.max_step = self._controls.max_step
        return found

    def _released(self, tilt: float, rate: float, push: float, ground: MotionPack, until: float) -> Rates:
        while True:
            self._trace.used[:] = 0
            start_tilted(self._run, self._edge, tilt, rate)
            if self.swept:
                x, y, _ = self.across * np.copysign(max(abs(push), LEAST_PUSH), push)
                self._run.state.w_x, self._run.state.w_y = self._run.state.w_x + x, self._run.state.w_y + y
            self._run.end = until
            if self._batch is None:
                run_alone(self._run, ground, self._quantiles, self._trace)
                self._batch = empty_batch(self._quantiles)
            else:  # what `run_alone` does, without looking each time for what is to be compiled
                run_part(self._run, ground, self._batch, 0.0, self._trace, NO_RESULTS, None)
            rows, events = map(int, self._trace.used)
            if rows <= len(self._trace.history) and events <= len(self._trace.events):
                break
            self._trace = empty_trace(rows, events)  # the run is repeatable: once more, with room
        return rates_of(self._trace.history[:rows])

    def _stretch(self, factors: Array) -> None:
        if (factors == self._factors).all():
            return
        body, self._factors = self._body, factors
        vertices = body.vertices[: self._n_vertex] * factors
        inertia = stretched_inertia(body.inertia, factors)
        self._run.body.rim = body.rim * factors[0]
        fill_constants(self._run.body, body.mass, inertia, vertices, body.gravity, body.start_face)


def stretched_inertia(inertia: Array, factors: Array) -> Array:
    """Inertia (3, 3) about the centre of mass of a body stretched along its axes by factors (3,) [1]."""
    second = 0.5 * np.trace(inertia) * np.eye(3) - inertia  # moments of mass about the centre
    second *= np.outer(factors, factors)
    return np.asarray(np.trace(second) * np.eye(3) - second)


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

    Turns between frames have errors of the attitude at both ends, which in the sum of all turns so far cancel
    but for the last: that sum is compared, over a sample, and in the place of the bias stands the error of
    the first frame. Turn by turn the same least squares would take for noise what the attitude tells.

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
        self.widths = None if recording.widths is None else recording.widths[used]
        self._last: tuple[tuple[int, bytes], Rates] | None = None
        self.simulations = 0
        falling = recording.time <= first - SLIPPING  # a foot that slips makes the largest rate larger
        tilt = self._tilt_of(body, float(np.abs(rate[falling]).max()))
        if recording.widths is not None:  # whose rates may be means over half of the fall
            fallen = abs(float((rate * recording.widths)[recording.time <= first].sum()))
            tilt = min(fallen, 0.99 * self.rocking.most_tilt)
        begin = {key: OTHERS.get(key, 0.0) for key in free}
        swing = self.rocking(tilt, begin, 60.0 / body.frequency)
        fall = float(landings(swing.time, swing.angular_velocity @ self.rocking.along).landing[0])
        earliest = min(float(self.time[0]), first - fall) - fall
        most = float(np.abs(self.measured).max())
        self.least = 1e-4 * most  # noise that every sensor is taken to have [rad/s]
        sensor = np.array([*[MOST_TURN] * AXES, *[most] * AXES])
        self.lower = np.array([earliest, 0.0, *(bounds[key][0] for key in free), *-sensor])
        most_tilt = self.rocking.most_tilt * max(
            bounds.get(key, (1.0, 1.0))[1] for key in (*SIZES, *ROUND_SIZES)
        )
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

    def limits(self, x: Array) -> tuple[Array, Array]:
        """Bounds of a local fit from x: a push keeps its sign, by which a body sweeps to one side."""
        lower, upper = self.lower.copy(), self.upper.copy()
        if "push" in self.names:
            i = self.names.index("push")
            if np.signbit(x[i]):
                upper[i] = -0.0
            else:
                lower[i] = 0.0
        return lower, upper

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
        impacts = np.append(time[:-1][np.diff(time) <= self.rocking.swept], np.inf) + x[0]
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
        rates, at = self._last[1], self.time[:n] - x[0]
        found = means(rates.time, rates.angular_velocity, at, self.averaging * self.sample)
        if self.widths is not None:
            for i in np.flatnonzero(self.widths[:n] > GAP * self.sample):  # frames that were not seen
                found[i] = means(rates.time, rates.angular_velocity, at[i : i + 1], self.widths[i])[0]
        return found

    def _summed(self, readings: Array) -> Array:
        """Turns (n, ...) so far over a sample, of rates between frames; other rates as they are [rad/s]."""
        if self.widths is None:
            return readings
        return np.asarray(
            np.einsum("i...,i->i...", readings, self.widths[: len(readings)]).cumsum(0) / self.sample
        )

    def first_flight(self, x: Array) -> float:
        """Time from the facet impact to the first edge impact after it [s]; 0 if there is none, and without
        end on a rim, which has no edges."""
        if self.rocking.swept:
            return np.inf
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
        return (self._summed(self.measured[:n] - self.simulated(x, n)) - x[-AXES:])[self.kept[:n]].ravel()

    def jacobian(self, x: Array, n: int | None = None, central: bool = True) -> Array:
        """Derivatives of the residuals (m, k): central differences within the bounds, or those to one side,
        with half of the simulations."""
        middle, turned, (lower, upper) = self._readings(x, n), _turned(x), self.limits(x)
        found = np.zeros((self.measured[:n].size, x.size))
        for i, step in enumerate(self._steps):
            low, high = x.copy(), x.copy()
            high[i] = min(x[i] + step, upper[i])
            if central or high[i] < x[i] + step:
                low[i] = max(x[i] - step, lower[i])
            below = middle if low[i] == x[i] else self._readings(low, n)
            found[:, i] = ((below - self._readings(high, n)) @ turned / (high[i] - low[i])).ravel()
        readings, turn = middle @ turned, x[-SENSOR:-AXES]
        for i, axis in enumerate(np.eye(AXES)):
            # derivative of a rotation by its vector, to the square of that
            found[:, i - SENSOR] = np.cross(readings, axis + 0.5 * np.cross(turn, axis)).ravel()
        found = self._summed(found.reshape(-1, AXES, x.size)).reshape(found.shape)
        for i in range(AXES):
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
        left = self.measured - self.simulated(x) - self.bias(x)
        return float(np.linalg.norm(left[self.kept & (self.time >= x[0])], axis=1).mean())

    def bias(self, x: Array) -> Array:
        """What is left of that of a gyroscope (3,) [rad/s]; turns between frames have none."""
        return x[-AXES:] if self.widths is None else np.zeros(AXES)

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
        lower, upper = self.limits(x)
        margin = 1e-9 * (self.upper - self.lower)
        x = np.clip(x, lower + margin, upper - margin)

        def whole(part: Array) -> Array:
            y = x.copy()
            y[free] = part
            return y

        found = least_squares(
            lambda part: self.residuals(whole(part), n),
            x[free],
            jac=lambda part: self.jacobian(whole(part), n, central)[:, free],
            bounds=(lower[free], upper[free]),
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


FEWEST = 50  # samples at rest that tell the noise of a sensor, to 6 % [1]
CHANCE = 1.1  # of that, which chance brings often [1]
OF_NORMAL = np.sqrt(8.0 / np.pi)  # mean norm of three normal components over their deviation [1]
SPREAD = np.sqrt(3.0 * np.pi / 8.0 - 1.0)  # of that norm over its mean [1]
FALSE_ALARM = 4.0  # standard deviations of a size or a correlation of white noise [1]


class Misfit(NamedTuple):
    """Size and correlation of the residuals of a fit.

    Sizes are mean norms, as in equation (28) of the source, over that of normal components.
    """

    noise: float  # of the sensor, before the release [rad/s]; NaN of few samples there or equal ones
    first_swing: float  # residuals from the release to the facet impact, over that noise [1]
    after_impact: float  # residuals after it, over that noise [1]
    excess: float  # of the larger over that noise, in standard deviations of white noise [1]
    correlation: float  # of a residual after it with the next, the mean of the axes [1]
    most_correlation: float  # that white noise would hardly exceed [1]

    @property
    def explained(self) -> bool | None:
        """Whether the model explains the test to the noise of the sensor; None if that noise is not known."""
        if not np.isfinite(self.noise):
            return None
        return self.excess <= FALSE_ALARM and self.correlation <= self.most_correlation

    @property
    def widening(self) -> float:
        """Of intervals: residuals over the noise, the larger of both parts of the motion, if chance does not
        bring them; else 1, as without a known noise [1]."""
        largest = max(self.first_swing, self.after_impact)
        return largest if largest > CHANCE else 1.0


def misfit(comparison: Comparison, x: Array) -> Misfit:
    """Misfit of the unknowns ``x`` of a comparison, of which the bias is taken away."""
    left, time = comparison.residuals(x).reshape(-1, AXES), comparison.time[comparison.kept]
    impact = float(comparison.landings.landing[0])
    rest = left[time < x[0] - comparison.sample]
    swing = left[(time > x[0]) & (time < impact - comparison.sample)]
    after = left[time > impact + comparison.sample]
    # a wrong model draws the bias off zero, which is not noise; readings that never change tell none
    noise = (_size(rest - np.median(rest, axis=0)) if len(rest) >= FEWEST else 0.0) or np.nan
    most = 3.0 * _size(after)  # a sample in which the sensor rings counts little
    near = after.clip(-most, most)
    correlations = (near[1:] * near[:-1]).sum(0) / (near * near).sum(0)
    sizes = _size(swing) / noise, _size(after) / noise
    spreads = [SPREAD * np.sqrt(1.0 / max(len(rest), 1) + 1.0 / max(len(part), 1)) for part in (swing, after)]
    return Misfit(
        noise,
        *sizes,
        max(float((size - 1.0) / spread) for size, spread in zip(sizes, spreads, strict=True)),
        float(correlations.mean()),
        FALSE_ALARM / float(np.sqrt(near.size)),
    )


def _size(residuals: Array) -> float:
    """Standard deviation of a component, by the mean norm [rad/s]."""
    return float(np.linalg.norm(residuals, axis=1).mean() / OF_NORMAL)


# where fits of the source lie and as much again
BOUNDS = {"lambda": (0.0, 4.0), "lambda_lon": (0.0, 2.0), "lambda_lat": (-5.0, 5.0)}
BOUNDS |= {"rolling_loss": (0.0, 2.0), "clearance": (0.0, 0.02)}
OF_RIMS = ("rolling_loss", "clearance", "push", "size_r")  # and of no polygon
OF_POLYGONS = ("lambda", "tau", "slip", "size_x", "size_y")
LEAST_SIZE = 0.4  # of what was given [1]
MOST_RATE = 0.5  # of the largest rate of the recording: at the release, and what tau changes the spin by [1]
MOST_SLIP = 0.05  # of the largest dimension of the body [1]
POINTS = 128  # of a design in the impact parameters
KEPT = 6  # candidates that go on
FIRST, GROWTH = 4.0, 1.35  # samples after the first landing that are fitted first, and their growth
NARROW = 0.1  # of the time of the first swing: how far from its fit the release may be [1]
APART = 0.005  # distance of two candidates over the width of the bounds [1]
# slips to begin with, over the most: through the right one alone do the first readings tell lambdas
SLIPS = np.outer((1.0, -1.0), 0.5 ** np.arange(4, 10)).ravel()
TRIES = 6  # steps of a local fit on the way
ROBUST = 3.0  # scale of the loss over that of the noise, on the way [1]


def search_bounds(body: Body, fastest: float) -> dict[str, tuple[float, float]]:
    """Of all that can be free in the fit of a recording of a body with a largest rate [rad/s]."""
    spin = float((body.vertices**2).sum(1).max()) * body.mass + float(body.inertia[2, 2])
    most = {"rate": MOST_RATE * fastest, "tau": MOST_RATE * fastest * spin, "push": MOST_RATE * fastest}
    most["slip"] = MOST_SLIP * float(np.ptp(body.vertices, axis=0).max())
    found = BOUNDS | dict.fromkeys((*SIZES, *ROUND_SIZES), (LEAST_SIZE, 1.0 / LEAST_SIZE))
    found |= {key: (-value, value) for key, value in most.items()}
    others = OF_POLYGONS if body.rim > 0.0 else OF_RIMS
    return {key: ends for key, ends in found.items() if key not in others}


def noise_of(residuals: Array, least: float) -> float:
    """Standard deviation by the median absolute value, at least ``least``, of the axes that were read: those
    that a file of angles lacks are 0 throughout."""
    sizes = 1.4826 * np.abs(residuals.reshape(-1, AXES))
    read = np.median(sizes, axis=0) > least
    return float(np.median(sizes[:, read])) if read.any() else least


def first_swing(comparison: Comparison) -> tuple[Array, float]:
    """Unknowns with time and tilt of the release fitted to what comes before the first landing, and the noise
    there [rad/s]."""
    n = int(np.searchsorted(comparison.time, comparison.landings.landing[0] - comparison.sample))
    x, scale = comparison.start, 1e-2 * float(np.abs(comparison.measured).max())
    # a slip, which comes later, would stop the fit early: its scale is small
    fixed = [*comparison.turns, *(2 + i for i, key in enumerate(comparison.free) if key == "slip")]
    for _ in range(2):
        x = comparison.fitted(x, scale, n, fixed=fixed).x
        scale = ROBUST * noise_of(comparison.residuals(x, n), comparison.least)
    return x, scale / ROBUST


def ends(comparison: Comparison) -> list[int]:
    """Numbers of samples to which the fit is extended step by step."""
    marks = comparison.landings
    first = int(np.searchsorted(comparison.time, marks.landing[0]))
    turning = marks.turning[marks.turning < comparison.time[-1]]
    n = comparison.time.size
    second = int(np.searchsorted(comparison.time, marks.landing[1])) if marks.landing.size > 1 else n
    found, more = [], FIRST + ("slip" in comparison.free) * SLIPPING / comparison.sample
    while first + more < min(second, n):
        found.append(int(first + more))
        more *= GROWTH
    later = [*marks.landing[1:], *turning[1:]]
    found += sorted(int(np.searchsorted(comparison.time, t)) for t in later if t < comparison.time[-1])
    return [*found, n]


def search(comparison: Comparison, seed: int) -> tuple[list[Array], float]:
    """Candidates for the best fit, the best first, and the noise [rad/s].

    Time and tilt follow from the first swing, which no impact parameter touches. Then the fit is extended:
    from a few samples after the first landing by a third at a time to the next, and from there by half a
    swing. The first samples show the velocities right after the facet impact, thus both its lambdas, and
    every edge impact that comes in shows lambda, while what came before predicts its time to less than the
    time between two: there is no phase to get wrong. A fit of all samples at once has a minimum for every
    number of edge impacts by which model and test may differ.

    What a short part does not show is not decided by it: each time the best of the last candidates, and of a
    new design with the lambda_lon and slip of the first of them, go on. Both signs of lambda_lat are in it.

    Parameters
    ----------
    comparison : Comparison
    seed : int
        Of the scrambled Sobol design in the impact parameters.
    """
    comparison.control(COARSE)
    widths, comparison.widths = comparison.widths, None  # turn by turn: sums have minima far from the truth
    x, noise = first_swing(comparison)
    if widths is not None:  # but tell the release
        comparison.start, comparison.widths = x, widths
        x, comparison.widths = first_swing(comparison)[0], None
        x[-AXES:] = 0.0
    comparison.narrow(x, NARROW)
    scale = ROBUST * noise
    free = slice(2, x.size - SENSOR)
    low, high = comparison.lower[free], comparison.upper[free]
    design = _spread(qmc.Sobol(low.size, rng=np.random.default_rng(seed)).random(POINTS), low, high)
    for i, key in enumerate(comparison.free):
        if key in OTHERS and key != comparison.size_along:  # the first swing tells it
            design[:, i] = x[2 + i]
    known = [0, 1, *(2 + i for i, key in enumerate(comparison.free) if key in ("lambda_lon", "slip"))]
    each = 1  # rows of the design for a point of it
    if "slip" in comparison.free:
        i, each = comparison.free.index("slip"), 1 + SLIPS.size
        design = design.repeat(each, axis=0)
        design[:, i] = np.tile([0.0, *SLIPS * high[i]], POINTS)
    candidates: list[Array] = []
    for n in ends(comparison):
        points = design[:: each if candidates else 1]
        others = np.tile(x, (len(points), 1))
        others[:, free] = points
        if candidates:
            others[:, known] = candidates[0][known]
        pool = [*candidates, *others]
        chosen: list[Array] = []
        for i in np.argsort([comparison.cost(candidate, scale, n) for candidate in pool], kind="stable"):
            if len(chosen) < KEPT and all(far(comparison, pool[i], other) for other in chosen):
                chosen.append(pool[i])
        found = [
            comparison.fitted(candidate, scale, n, TRIES, fixed=comparison.turns, central=False)
            for candidate in chosen
        ]
        candidates = [result.x for result in sorted(found, key=lambda result: float(result.cost))]
    comparison.control(CONTROLS)
    comparison.widths = widths
    return candidates, noise


def far(comparison: Comparison, x: Array, other: Array) -> bool:
    """Whether two candidates differ in an impact parameter."""
    width = comparison.upper - comparison.lower
    return bool((np.abs(x - other) > APART * width)[2:-SENSOR].any())


def _spread(u: Array, low: Array, high: Array) -> Array:
    """Points of the unit cube between bounds; denser around zero where that lies between them."""
    v = 2.0 * u - 1.0
    around = np.where(v < 0.0, -low, high) * np.sign(v) * v * v
    return np.where((low < 0.0) & (high > 0.0), around, low + u * (high - low))


LARGER = 0.01  # [1]


def stretched(body: Body, factors: Array) -> Body:
    """A body stretched along its axes, x, y and z, by factors (3,) [1]: faces stay, and so does the mass."""
    inertia = stretched_inertia(body.inertia, factors)
    return replace(body, inertia=inertia, vertices=body.vertices * factors, rim=body.rim * factors[0])


def size_effects(body: Body, compare: Callable[[Body], Comparison], x: Array, scale: float) -> Array:
    """Change of each unknown if the body were 1 % larger along an axis (3, k), by fits that start from ``x``;
    a circular base along x and y at once, and what is said of y is 0.

    A larger body may explain a test much worse, and its fit needs 15 to 30 steps. One that has not ended
    after 60 gives no change: NaN.

    Parameters
    ----------
    body : Body
    compare : callable
        The test and a body.
    x : ndarray (n,)
        The unknowns of the fit, the first k of them parameters.
    scale : float
        Of the loss [rad/s].
    """
    found, is_round = np.zeros((3, x.size - SENSOR)), body.rim > 0.0
    for axis in (0, 2) if is_round else range(3):
        along = np.isin(np.arange(3), (0, 1) if is_round and axis == 0 else axis)
        comparison = compare(stretched(body, np.where(along, 1.0 + LARGER, 1.0)))
        fit = comparison.fitted(x, scale, central=False)
        found[axis] = (fit.x - x)[:-SENSOR] if fit.success else np.nan
    return found
