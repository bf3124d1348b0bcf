"""A body that tips from a face while friction cannot hold the edge or vertex under it."""

from __future__ import annotations

from mcrock.base.jit import jit
from mcrock.kernel.contact import F_UX, F_UY, F_UZ, GRAVITY, SIZE
from mcrock.kernel.dynamics import Q0, Q1, Q2, Q3, attitude
from mcrock.kernel.edge import flatter_face
from mcrock.kernel.friction.advance import rise
from mcrock.kernel.friction.state import STOPPED, sticks, to_contact
from mcrock.kernel.friction.step import mode_rates
from mcrock.kernel.friction.sticking import copy_state
from mcrock.kernel.modes import EDGE, FLIGHT, NONE, SLIDE, SPIN, VERTEX, contact_vertex
from mcrock.kernel.rotation import vertical
from mcrock.kernel.shaking import acceleration
from mcrock.kernel.step import SLIP_SLACK, TOUCH, height_and_rate


@jit(internal=True)
def still_flat(run):
    """The face on which a body on an edge or a vertex lies that has just begun to tip, or NONE."""
    body, state, mode, index = run.body, run.state, run.mode, run.place
    if mode not in (EDGE, VERTEX):
        return NONE
    f = flattest_face(body, state, index) if mode == VERTEX else flatter_face(body, state, index)
    pivot, turned = contact_vertex(body, mode, index), attitude(state)
    for i in range(body.face_first[f], body.face_first[f + 1]):
        height, rate = height_and_rate(body, turned, pivot, body.face_vertices[i])
        if abs(height) > TOUCH * body.scalars[SIZE] or abs(rate) > STOPPED:
            return NONE
    return f


@jit(internal=True)
def pushes_down(run, mode, index, f):
    """Whether a body that is flat on face ``f`` would push a corner of it into the ground in a mode with
    slip."""
    body, state = run.body, run.state
    if mode < 0 or sticks(mode) or mode == FLIGHT or mode in (SLIDE, SPIN):
        return False
    k = run.friction.rates[0]
    copy_state(state, run.friction.other)
    to_contact(body, run.friction.other, mode, index)
    mode_rates(run, mode, index, run.friction.other, state, acceleration(run.segment, run.t), k)
    pivot, lowest = contact_vertex(body, mode, index), 0.0
    for i in range(body.face_first[f], body.face_first[f + 1]):
        lowest = min(lowest, rise(body, state, mode, pivot, body.face_vertices[i], k))
    return lowest < -SLIP_SLACK * body.scalars[GRAVITY]


@jit(internal=True)
def flattest_face(body, state, vertex):
    """The face at a vertex that is closest to lying flat."""
    ux, uy, uz = vertical(state[Q0], state[Q1], state[Q2], state[Q3])
    best, flattest = NONE, -2.0
    for f in range(body.n_face):
        for i in range(body.face_first[f], body.face_first[f + 1]):
            if body.face_vertices[i] == vertex:
                face = body.faces[f]
                level = ux * face[F_UX] + uy * face[F_UY] + uz * face[F_UZ]
                if level > flattest:
                    best, flattest = f, level
    return best
