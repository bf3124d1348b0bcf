"""Loops over pieces of the kernel and over bare arithmetic, whose time is measured.

The same source runs uncompiled with numbers that count, so the count is that of what is timed.
"""

from __future__ import annotations

from math import cos, sin, sqrt
from typing import Any

import numpy as np

from mcrock.bench.workloads import block
from mcrock.jit import jit
from mcrock.kernel import dynamics, shaking  # by module: what is called from compiled code only
from mcrock.kernel.contact import GRAVITY
from mcrock.kernel.dynamics import (
    ANGLE,
    Q0,
    Q1,
    Q2,
    RATE,
    STATE_SIZE,
    W_X,
    edge_step,
    vertex_step,
)
from mcrock.kernel.edge_landing import land_edge
from mcrock.kernel.facet_landing import land_on_face
from mcrock.kernel.integrate import empty_workspace
from mcrock.kernel.shaking import A_X, A_Y, A_Z, B_X, B_Y, B_Z, BEGIN, END, SEGMENT_SIZE
from mcrock.kernel.start import start_tilted
from mcrock.simulation import body_tables

STEP = 1e-4  # [s]; short, that the body stays where it rocks while the loops run
FEW, MANY = 4, 8  # multiply-adds of a number between its load and its store; which is faster depends


def pieces(n: int) -> dict[str, tuple[Any, ...]]:
    """Arguments, less the number of rounds, of the loops over ``n`` states of the block by name."""
    top, body = body_tables(block(), True)
    work = empty_workspace(top)
    segment = np.zeros(SEGMENT_SIZE)
    segment[[END, A_X, A_Y, A_Z, B_X, B_Y, B_Z]] = 0.005, 1.0, 0.5, 0.1, 20.0, -30.0, 5.0
    start_tilted(top, body, work, 0, 0.1, 0.0)
    tilted = np.stack([work.state] * n)
    tilted[:, ANGLE] = np.linspace(0.05, 0.15, n)
    standing = np.zeros((n, STATE_SIZE))
    standing[:, [Q0, Q1, Q2]] = np.transpose(
        [np.full(n, 0.998), np.linspace(0.03, 0.05, n), np.linspace(0.04, 0.02, n)]
    )
    gravity = float(body.scalars[GRAVITY])
    return {
        "right_hand_sides": (body.pivots[0], gravity, standing.copy(), segment, STEP),
        "vertex_steps": (body.pivots[0], gravity, standing, segment, STEP),
        "edge_steps": (body.edges[0], gravity, tilted, segment, STEP),
    }


@jit
def right_hand_sides(p, gravity, states, segment, h, n):
    """``n`` right-hand sides of VERTEX mode for each state in turn, used by a step of Euler's method."""
    t = segment[BEGIN]
    for _ in range(n):
        for i in range(states.shape[0]):
            state = states[i]
            k = dynamics.rates_at(p, gravity, state, segment, t)
            for j in range(4):
                state[Q0 + j] += 0.5 * h * k[j]
            for j in range(3):
                state[W_X + j] += h * k[4 + j]


@jit
def vertex_steps(p, gravity, states, segment, h, n):
    """``n`` Runge-Kutta steps of VERTEX mode, four right-hand sides each, for each state in turn."""
    t = segment[BEGIN]
    for _ in range(n):
        for i in range(states.shape[0]):
            state = states[i]
            k1 = dynamics.rates_at(p, gravity, state, segment, t)
            vertex_step(p, gravity, state, k1, segment, t, h, state)


@jit
def edge_steps(edge, gravity, states, segment, h, n):
    """``n`` Runge-Kutta steps of EDGE mode, four right-hand sides each, for each state in turn."""
    t = segment[BEGIN]
    for _ in range(n):
        for i in range(states.shape[0]):
            state = states[i]
            c, s = cos(state[ANGLE]), sin(state[ANGLE])
            com_n, com_z = dynamics.edge_com(edge, c, s)
            inward, _, down = dynamics.edge_frame(state, gravity, shaking.acceleration(segment, t))
            k1 = dynamics.edge_acceleration(edge, com_n, com_z, inward, down)
            turn, rate = edge_step(edge, gravity, state, com_n, com_z, k1, segment, t, h)
            state[ANGLE] += turn
            state[RATE] = rate


@jit
def edge_impacts(top, body, states, places, pushes, state, result, law, zeno_time, n):
    """``n`` times the edge impacts of ``states`` (m, 17): ``places`` (m, 3) old and new vertex first,
    ``pushes`` (m, 3) acceleration of the ground [m/s2]."""
    for _ in range(n):
        for i in range(states.shape[0]):
            for j in range(STATE_SIZE):
                state[j] = states[i, j]
            a = pushes[i]
            land_edge(top, body, state, result, law, places[i, 0], places[i, 1], zeno_time, a[0], a[1], a[2])


@jit
def facet_impacts(top, body, states, places, state, result, law, sides, n):
    """``n`` times the facet impacts of ``states`` (m, 17): ``places`` (m, 3) mode, its index, face."""
    for _ in range(n):
        for i in range(states.shape[0]):
            for j in range(STATE_SIZE):
                state[j] = states[i, j]
            land_on_face(top, body, state, result, law, places[i, 0], places[i, 1], places[i, 2], sides)


# bare arithmetic, compiled with and without contraction by the caller


def scalar_multiply_adds(x, n, a, b):
    """``n`` times twelve independent multiply-adds of single numbers."""
    x0, x1, x2, x3, x4, x5 = x[0], x[1], x[2], x[3], x[4], x[5]
    x6, x7, x8, x9, x10, x11 = x[6], x[7], x[8], x[9], x[10], x[11]
    for _ in range(n):
        x0, x1, x2, x3 = x0 * a + b, x1 * a + b, x2 * a + b, x3 * a + b
        x4, x5, x6, x7 = x4 * a + b, x5 * a + b, x6 * a + b, x7 * a + b
        x8, x9, x10, x11 = x8 * a + b, x9 * a + b, x10 * a + b, x11 * a + b
    return x0 + x1 + x2 + x3 + x4 + x5 + x6 + x7 + x8 + x9 + x10 + x11


SCALAR_FLOPS = 24  # of a round


def short_vector_multiply_adds(x, n, a, b):
    """``n`` times FEW multiply-adds of every number of an array, which the compiler takes in vectors."""
    for _ in range(n):
        for j in range(x.size):
            y = x[j]
            for _ in range(FEW):
                y = y * a + b
            x[j] = y
    return x[0]


def long_vector_multiply_adds(x, n, a, b):
    """The same with MANY."""
    for _ in range(n):
        for j in range(x.size):
            y = x[j]
            for _ in range(MANY):
                y = y * a + b
            x[j] = y
    return x[0]


def add_chain(x, n, a, b):
    """``n`` dependent additions."""
    for _ in range(n):
        x = x + b
    return x


def multiply_chain(x, n, a, b):
    """``n`` dependent multiplications."""
    for _ in range(n):
        x = x * a
    return x


def divide_chain(x, n, a, b):
    """``n`` dependent divisions."""
    for _ in range(n):
        x = b / x
    return x


def root_chain(x, n, a, b):
    """``n`` dependent square roots and additions."""
    for _ in range(n):
        x = sqrt(x + b)
    return x


def cosine_chain(x, n, a, b):
    """``n`` dependent cosines."""
    for _ in range(n):
        x = cos(x)
    return x
