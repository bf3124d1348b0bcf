"""A body released over an edge, again and again with other impact parameters."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from mcrock.body import Body
from mcrock.excitation import STILL
from mcrock.impact.conditions import Controls, Impact
from mcrock.impact.registry import DEFAULT_LAW, ImpactParameter
from mcrock.kernel.layout import set_fields
from mcrock.kernel.start import start_tilted
from mcrock.kernel.trace import empty_trace
from mcrock.measurement.rates import Rates, rates_of
from mcrock.simulation.runs import body_tables, impact_law, run_alone, set_law, settings_of

Array = NDArray[np.float64]

# finer than those of a study, so that what a fit sees is smooth in the parameters; without a limit, lateral
# rocking that loses nothing would go on for as many impacts as there is time for
CONTROLS = Controls(step=0.005, edge_zeno_time=1e-6, rest_time=1e-4, max_impacts=1000)
PARAMETERS = {
    parameter.key: parameter
    for parameter in (
        ImpactParameter.LAMBDA,
        ImpactParameter.LAMBDA_LON,
        ImpactParameter.LAMBDA_LAT,
        ImpactParameter.TAU,
    )
}


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
        set_fields(self._run.settings, settings_of(controls))
        self._quantiles = set_law(self._run, impact_law(impact, len(body.faces)))
        self._run.turn[:] = 1.0, 0.0, 1.0, 0.0, 0.0
        self._values = self._run.law.values

    def __call__(self, tilt: float, parameters: Mapping[str, float], until: float) -> Rates:
        """A run released from a tilt [rad] with impact parameters by their keys, up to a time [s]."""
        for key, value in parameters.items():
            self._values[PARAMETERS[key]] = value
        while True:
            self._trace.used[:] = 0
            start_tilted(self._run, self._edge, float(tilt), 0.0)
            self._run.end = float(until)
            run_alone(self._run, STILL, self._quantiles, self._trace)
            rows, events = map(int, self._trace.used)
            if rows <= len(self._trace.history) and events <= len(self._trace.events):
                break
            self._trace = empty_trace(rows, events)  # the run is repeatable: once more, with room
        return rates_of(self._trace.history[:rows])
