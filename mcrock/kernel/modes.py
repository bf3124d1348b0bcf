"""Codes of contact modes, and what vertex, edge or pivot goes with each."""

from __future__ import annotations

import numpy as np

from mcrock.base.jit import jit
from mcrock.base.params import Mode
from mcrock.kernel.dynamics import P_X, P_Y
from mcrock.kernel.rotation import to_ground

# numpy integers throughout: a Python integer constant would compile a function once for each value
REST, EDGE, VERTEX = np.int64(Mode.REST), np.int64(Mode.EDGE), np.int64(Mode.VERTEX)
FLIGHT, SLIDE, SPIN = np.int64(Mode.FLIGHT), np.int64(Mode.SLIDE), np.int64(Mode.SPIN)
VERTEX_SLIP, EDGE_SLIP = np.int64(Mode.VERTEX_SLIP), np.int64(Mode.EDGE_SLIP)
EDGE_SLIP_FIRST, EDGE_SLIP_SECOND = np.int64(Mode.EDGE_SLIP_FIRST), np.int64(Mode.EDGE_SLIP_SECOND)
NONE, FIRST, SECOND = np.int64(-1), np.int64(0), np.int64(1)


@jit(internal=True)
def contact_vertex(body, mode, index):
    """A vertex on the ground, one that sticks where only one end of an edge does; any vertex in flight."""
    if mode == FLIGHT:
        return FIRST
    if mode in (VERTEX, VERTEX_SLIP):
        return index
    if mode in (REST, SLIDE, SPIN):
        return body.face_vertices[body.face_first[index]]
    return body.edge_vertices[index, 1 if mode == EDGE_SLIP_FIRST else 0]


@jit(internal=True)
def edge_between(body, first, second):
    """The edge that joins two vertices, NONE if none does."""
    for i in range(body.spoke_first[first], body.spoke_first[first + 1]):
        if body.spokes[i] == second:
            return body.spoke_edges[i]
    return NONE


@jit(inline=True)
def point_of(body, vertex):
    v = body.vertices[vertex]
    return v[0], v[1], v[2]


@jit(inline=True)
def inertia_of(body):
    i = body.inertia
    return i[0], i[1], i[2], i[3], i[4], i[5]


@jit(internal=True)
def move_pivot(body, state, old, new):
    """Ground position of the pivot when vertex ``new`` takes over from ``old``."""
    if old != new:
        a, b = body.vertices[old], body.vertices[new]
        x, y, _ = to_ground(state, b[0] - a[0], b[1] - a[1], b[2] - a[2])
        state[P_X] += x
        state[P_Y] += y
