"""A body released over an edge, again and again with other impact parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mcrock.base.params import MotionPack
from mcrock.body import Body
from mcrock.excitation import STILL, Pulse, pack_motions
from mcrock.impact.conditions import Controls, Impact
from mcrock.impact.registry import DEFAULT_LAW, ImpactParameter
from mcrock.kernel.batch import NO_RESULTS, Batch, empty_batch, run_part, start_tilted
from mcrock.kernel.contact import fill_constants
from mcrock.kernel.ending import empty_trace
from mcrock.kernel.layout import set_fields
from mcrock.measurement.rates import Rates, rates_of
from mcrock.simulation.runs import body_tables, impact_law, run_alone, set_law, settings_of

Array = NDArray[np.float64]

# finer than those of a study, so that what a fit sees is smooth in the parameters; without a limit, lateral
# rocking that loses nothing would go on for as many impacts as there is time for
CONTROLS = Controls(step=0.005, edge_zeno_time=1e-6, rest_time=1e-4, max_impacts=1000)
COARSE = replace(CONTROLS, step=0.02)  # to search with: readings to 1e-4 rad/s of those with `CONTROLS`
PARAMETERS = {
    parameter.key: parameter
    for parameter in (
        ImpactParameter.LAMBDA,
        ImpactParameter.LAMBDA_LON,
        ImpactParameter.LAMBDA_LAT,
        ImpactParameter.TAU,
    )
}
SIZES = ("size_x", "size_y", "size_z")
# of a run, with what they are unless they are given
OTHERS = {**dict.fromkeys(SIZES, 1.0), "rate": 0.0, "slip": 0.0}
SLIPPING = 0.01  # time that a foot takes to slip [s]
# then: rates are linear between steps, and within one of `CONTROLS` a slip of 0.2 mm bends them by more
# than the noise of an inexpensive sensor
FINE_STEP = SLIPPING / 40.0  # [s]
AXES = 3


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
        self.body = body
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
        towards the inside: ``slip`` [m].
        """
        for key, value in parameters.items():
            if key in PARAMETERS:
                self._values[PARAMETERS[key]] = value
        sizes, slip = [parameters.get(key, 1.0) for key in SIZES], parameters.get("slip", 0.0)
        self._stretch(np.array(sizes))
        release = float(tilt), float(parameters.get("rate", 0.0))
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

    def _released(self, tilt: float, rate: float, ground: MotionPack, until: float) -> Rates:
        while True:
            self._trace.used[:] = 0
            start_tilted(self._run, self._edge, tilt, rate)
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
        fill_constants(self._run.body, body.mass, inertia, vertices, body.gravity, body.start_face)


def stretched_inertia(inertia: Array, factors: Array) -> Array:
    """Inertia (3, 3) about the centre of mass of a body stretched along its axes by factors (3,) [1]."""
    second = 0.5 * np.trace(inertia) * np.eye(3) - inertia  # moments of mass about the centre
    second *= np.outer(factors, factors)
    return np.asarray(np.trace(second) * np.eye(3) - second)
