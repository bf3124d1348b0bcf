"""Several samples in one step: the parabola that stands for them, and the order of what it gives."""

from itertools import pairwise
from math import log2

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from mcrock.base.params import Response
from mcrock.body import cuboid
from mcrock.excitation import Motion, pack_motions
from mcrock.kernel import dynamics, rotation  # what is internal is called by compiled code alone
from mcrock.kernel import window as ahead
from mcrock.kernel.shaking import load_segment
from mcrock.kernel.window import MOST_SAMPLES
from mcrock.simulation.runs import body_tables

BODY = cuboid(0.4, 0.5, 1.6, density=2000.0)
VERTEX = 0
DT = 0.005  # [s]
POSE = Rotation.from_rotvec([0.07, -0.09, 0.02])
LEVEL = (1.0, 0.0, 1.0, 0.0, 0.0)  # a motion as it is, on level ground
SPIN = -0.3, 0.4, 0.1  # body axes [rad/s]


@numba.njit
def opened(run, motions, number, t, longest):
    """Length of the step from ``t`` [s], in piece ``number``."""
    run.t, run.piece, run.step = t, number, longest / ahead.SPAN
    run.first, run.length, run.dt = motions.first[0], motions.length[0], motions.dt[0]
    load_segment(motions, 0, run.turn, number, run.end, run.segment)
    state = run.state
    up = rotation.vertical(dynamics.orientation(state))
    k = dynamics.rates_at(run.body.pivots[run.place], run.body.gravity, state, run.segment, t)
    return ahead.open_window(run, motions.samples, 0.0, k, up)


@numba.njit
def pushes(segment, window, t, h):
    middle, end = ahead.accelerations_of_step(segment, window, t, h)
    first = ahead.acceleration_after(segment, window, t, 0.0)
    return first, middle, end, ahead.acceleration_after(segment, window, t, h)


@numba.njit
def stepped(run, h):
    p = run.body.pivots[run.place]
    k = dynamics.rates_at(p, run.body.gravity, run.state, run.segment, run.t)
    ahead.step_ahead(run, p, k, h)


MOVING = "q0", "q1", "q2", "q3", "w_x", "w_y", "w_z"


def moving(state):
    """Quaternion and angular velocity (7,)."""
    return np.array([getattr(state, name) for name in MOVING])


def started(turn=LEVEL):
    """A run about a vertex whose forces were so extreme that none is again."""
    run = body_tables(BODY, base_only=True)[1]
    result, state = run.result, run.state
    result[Response.PEAK_FRICTION_DEMAND] = result[Response.CERTIFIED_FRICTION] = np.inf
    result[Response.LOWEST_NORMAL_FORCE] = -np.inf
    result[Response.OVERTURNING_TIME] = np.nan
    state.q0, state.q1, state.q2, state.q3 = POSE.as_quat(scalar_first=True)
    state.w_x, state.w_y, state.w_z = SPIN
    run.place, run.end, run.grip, run.turn[:] = VERTEX, 1e9, np.inf, turn
    return run


def motion_of(seed, n=40):
    return Motion(np.random.default_rng(seed).normal(0.0, 2.0, (3, n)), DT, "noise")


def at(motion, t, turn=LEVEL):
    """Ground acceleration at times t (3, n) [m/s2]."""
    times = motion.dt * np.arange(motion.acceleration.shape[1])
    x, y, z = (np.interp(t, times, row) for row in motion.acceleration)
    c, s, scale, slope_x, slope_y = turn
    return np.stack([c * x - s * y + slope_x, s * x + c * y + slope_y, scale * z])


@given(
    seed=st.integers(0, 99),
    t=st.floats(0.0, 0.9 * DT),
    longest=st.floats(2.1 * DT, 18.0 * DT),
    share=st.floats(0.01, 1.0),
)
def test_the_parabola_has_the_integrals_of_the_samples(seed, t, longest, share):
    motion, turn = motion_of(seed), (0.6, 0.8, 1.3, 0.2, -0.1)
    run = started(turn)
    segment, window = run.segment, run.window
    whole = opened(run, pack_motions([motion]), 3, 3 * DT + t, longest)
    count = int(window[0].count)
    assert whole == pytest.approx((count + 3) * DT - (3 * DT + t), abs=1e-12)
    assert count == MOST_SAMPLES or whole <= longest + 1e-12 < whole + DT + 1e-9
    h, begin = share * whole, 3 * DT + t
    first, middle, end, last = (np.array(a) for a in pushes(segment, window, begin, h))
    np.testing.assert_allclose([first, last], at(motion, np.array([begin, begin + h]), turn).T, atol=1e-10)
    # exact integrals piece by piece: the acceleration is linear between its samples
    kinks = [0.0, *[k * DT - begin for k in range(40) if begin < k * DT < begin + h], h]
    velocity = displacement = 0.0
    for a, b in pairwise(kinks):
        x, y = at(motion, np.array([begin + a, begin + b]), turn).T
        displacement = displacement + (b - a) * (velocity + (b - a) * (2.0 * x + y) / 6.0)
        velocity = velocity + 0.5 * (b - a) * (x + y)
    np.testing.assert_allclose(h * (first + 4.0 * middle + end) / 6.0, velocity, atol=1e-10 * h)
    np.testing.assert_allclose(h * h * (first + 2.0 * middle) / 6.0, displacement, atol=1e-10 * h * h)


def rates(t, y, motion):
    """K w' + w x K w = c x m R^T g_eff and q' = q (0, w)/2, with numpy."""
    q, w, c = y[:4] / np.linalg.norm(y[:4]), y[4:], -BODY.vertices[VERTEX]
    K = BODY.inertia + BODY.mass * (c @ c * np.eye(3) - np.outer(c, c))
    turn = Rotation.from_quat(q, scalar_first=True).as_matrix()
    pull = turn.T @ (-at(motion, np.array([t]))[:, 0] - [0.0, 0.0, BODY.gravity])
    gain = np.linalg.solve(K, np.cross(c, BODY.mass * pull) - np.cross(w, K @ w))
    return [*(0.5 * np.array([-q[1:] @ w, *(q[0] * w + np.cross(q[1:], w))])), *gain]


def flown(motion, samples, end):
    """Quaternion and angular velocity (7,) at ``end`` [s] in steps over so many samples."""
    pack, run, number = pack_motions([motion]), started(), 0
    while number * motion.dt < end - 1e-9:
        h = opened(run, pack, number, number * motion.dt, (samples + 0.5) * motion.dt)
        assert run.window[0].count == samples
        stepped(run, h)
        for name in MOVING:
            setattr(run.state, name, getattr(run.trial, name))
        number += samples
    return moving(run.state)


def test_order_of_steps_over_several_samples():
    """Of a smooth motion, sampled finely: what the parabola leaves out is of fourth order, until it is
    the kinks at the samples."""
    t = 1e-3 * np.arange(400)
    phases = 2.0 * np.pi * np.outer([2.0, 3.0, 5.0], t) + np.array([[0.3], [1.0], [2.0]])
    motion = Motion(np.array([[3.0], [2.0], [1.0]]) * np.sin(phases), 1e-3, "waves")
    end = 0.192
    found = [flown(motion, samples, end) for samples in (16, 8)]
    exact = flown(motion, 1, end)
    errors = [np.abs(one - exact).max() for one in found]
    assert errors[0] < 1e-6
    assert log2(errors[0] / errors[1]) > 3.7


@pytest.mark.parametrize("seed", range(3))
def test_rough_motion_in_steps_over_several_samples(seed):
    motion, end = motion_of(seed), 0.16
    y, times = moving(started().state), np.arange(33) * DT
    for begin, after in pairwise(times):  # from kink to kink
        y = solve_ivp(
            rates, (begin, after), y, "DOP853", args=(motion,), rtol=1e-11, atol=1e-12
        ).y[:, -1]  # fmt: skip
    one, two = (np.abs(flown(motion, samples, end) - y).max() for samples in (1, 2))
    assert one < 1e-6
    assert two < 5e-6
