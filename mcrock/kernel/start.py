"""How a run begins: at rest on the start face, or released over one of its edges."""

from __future__ import annotations

from mcrock.base.jit import jit
from mcrock.kernel.contact import E_X, E_Y, E_Z, OPENING
from mcrock.kernel.dynamics import ANGLE, P_X, P_Y, Q0, Q1, Q2, Q3, RATE, STATE_SIZE
from mcrock.kernel.edge import lay_edge
from mcrock.kernel.modes import EDGE, REST
from mcrock.kernel.rotation import to_ground, turned


@jit
def start_at_rest(run):
    """Stand the body on its start face with the COM over the origin of the ground frame."""
    body = run.body
    state, face = run.state, body.start
    for i in range(STATE_SIZE):
        state[i] = 0.0
    state[Q0], state[Q1], state[Q2], state[Q3] = body.pose[0], body.pose[1], body.pose[2], body.pose[3]
    v = body.vertices[body.face_vertices[body.face_first[face]]]
    state[P_X], state[P_Y], _ = to_ground(state, v[0], v[1], v[2])
    run.mode, run.place = REST, face


@jit
def start_tilted(run, k, tilt, rate):
    """Stand the body on edge ``k`` of its start face, lifted by ``tilt`` [rad] and turning at ``rate``
    [rad/s]."""
    body, state, edge = run.body, run.state, run.body.edges[k]
    start_at_rest(run)
    state[ANGLE], state[RATE] = tilt, rate
    q = state[Q0], state[Q1], state[Q2], state[Q3]
    if body.edge_faces[k, 0] != body.start:  # angles count from the other face lying flat
        q = turned(q, edge[E_X], edge[E_Y], edge[E_Z], -edge[OPENING])
        state[ANGLE], state[RATE] = edge[OPENING] - tilt, -rate
    lay_edge(edge, state, q)
    v = body.vertices[body.edge_vertices[k, 0]]
    state[P_X], state[P_Y], _ = to_ground(state, v[0], v[1], v[2])
    run.mode, run.place = EDGE, k


@jit(internal=True)
def set_start(run, k, tilt):
    """Start at rest, or released from ``tilt`` [rad] over edge ``k``."""
    if tilt == 0.0:
        start_at_rest(run)
    else:
        start_tilted(run, k, tilt, 0.0)
