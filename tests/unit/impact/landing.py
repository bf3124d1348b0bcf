"""One facet impact as the kernel does it."""

from math import cos, sin

import numpy as np

from mcrock.body import Body
from mcrock.impact.conditions import Impact
from mcrock.kernel import codes
from mcrock.kernel.landing import land_on_face
from mcrock.simulation.runs import body_tables, impact_law, set_law


class Landing:
    """A body that turned about base edge ``edge`` at ``rate`` [rad/s] lands on its base.

    Attributes
    ----------
    mode, index, change
        What `land_on_face` returns: contact after, and change of energy [J].
    omega : ndarray (3,)
        Angular velocity after, body axes [rad/s].
    orientation : ndarray (4,)
        Quaternion after.
    pivots : list of int
        Vertices in contact after, one or two.
    results : ndarray
        Counters of the run.
    """

    def __init__(
        self, body: Body, rate=-1.0, edge=0, point=None, tau=np.nan, lon=1.0, lat=0.0, gain="allow", yaw=0.0
    ):
        top, run = body_tables(body, base_only=True)
        constants, state, self.results = run.body, run.state, run.result
        x, y = constants.edges[edge].along_x, constants.edges[edge].along_y
        state.f0, state.f3 = cos(yaw / 2), sin(yaw / 2)
        state.along_x, state.along_y = cos(yaw) * x - sin(yaw) * y, sin(yaw) * x + cos(yaw) * y
        state.rate = rate
        state.p_x, state.p_y = body.base[edge, :2]
        quantiles = set_law(run, _law(lon, lat, tau, gain, point))
        run.mode, run.place = int(codes.EDGE), edge
        contact = land_on_face(run, quantiles, 0)
        self._read(top, state, contact)

    @classmethod
    def from_vertex(cls, body: Body, pivot: int, omega, lon=1.0, lat=0.0, gain="allow"):
        """A body that turned about base vertex ``pivot`` with ``omega`` (3,) lands whole on its base."""
        self = cls.__new__(cls)
        top, run = body_tables(body, base_only=True)
        state, self.results = run.state, run.result
        state.q0 = 1.0
        state.w_x, state.w_y, state.w_z = omega
        state.p_x, state.p_y = body.base[pivot, :2]
        quantiles = set_law(run, _law(lon, lat, np.nan, gain, None))
        run.mode, run.place = int(codes.VERTEX), pivot
        contact = land_on_face(run, quantiles, 0)
        self._read(top, state, contact)
        return self

    def _read(self, top, state, contact):
        self.mode, self.index, self.change = contact
        self.omega = np.array([state.w_x, state.w_y, state.w_z])
        self.orientation = np.array([state.q0, state.q1, state.q2, state.q3])
        self.pivots = (
            sorted(top.edge_vertices[self.index].tolist()) if self.mode == codes.EDGE else [self.index]
        )


def _law(lon, lat, tau, gain, point):
    tau_facet = None if np.isnan(tau) else tau
    impact = Impact(lambda_lon=lon, lambda_lat=lat, tau_facet=tau_facet, energy_gain=gain, point=point)
    return impact_law(impact, n_face=1)
