"""Order of convergence of the integrator and of the times of impacts, and agreement with SciPy."""

from itertools import pairwise
from math import log2

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from mcrock.body import Body, rotation_matrix
from mcrock.excitation import Motion, Pulse, pack_motions
from mcrock.impact.conditions import Controls, Impact, Start
from mcrock.kernel.dynamics import edge_step, vertex_step
from mcrock.kernel.layout import SEGMENT, STATE
from mcrock.kernel.shaking import load_segment
from mcrock.simulation.runs import body_tables, simulate

ORDER = 4
ORDER_ATOL = 0.15  # of the observed order: terms of the next order at these steps
EVENT_ORDER_ATOL = 0.4  # of impact times, whose last step is cut and differs from run to run
REFERENCE_RTOL = 1e-10  # SciPy at rtol 1e-13 against the finest of our steps
DURATION = 0.4  # of the flights [s]
STEPS = (10, 20, 40, 80)
FINE = 1280

BODY = Body(
    300.0,
    [[140.0, 3.0, -2.0], [3.0, 150.0, 4.0], [-2.0, 4.0, 30.0]],
    [[0.4, -0.3, -1.5], [0.4, 0.3, -1.5], [-0.45, 0.3, -1.5], [-0.4, -0.3, -1.5]],
)
START = Start(
    vertex=1,
    orientation=np.array([1.0, -0.05, 0.06, 0.01]) / np.linalg.norm([1.0, -0.05, 0.06, 0.01]),
    angular_velocity=(-0.1, 0.15, 0.2),
)
RAMP = Motion([[0.5, 2.5], [-1.0, 1.0], [0.3, -0.8]], dt=DURATION, name="ramp")
SINE = Pulse((2.0, -1.5, 0.8), angular_frequency=9.0, phase=0.4)


def constants_of(body):
    return body_tables(body, base_only=True)[1].body


MOVING = "q0", "q1", "q2", "q3", "w_x", "w_y", "w_z"


def moving(state):
    """Quaternion and angular velocity (7,)."""
    return np.array([getattr(state, name) for name in MOVING])


def segment_of(motion):
    pack, segment = pack_motions([motion]), np.zeros(1, SEGMENT)[0]
    # a pulse has its still lead-in as piece 0
    load_segment(pack, 0, (1.0, 0.0, 1.0, 0.0, 0.0), 0 if isinstance(motion, Motion) else 1, 100.0, segment)
    return segment


def vertex_flight(motion, n):
    """Quaternion and body angular velocity (7,) after ``n`` equal steps."""
    constants, state = constants_of(BODY), np.zeros(1, STATE)[0]
    pivot = constants.pivots[START.vertex]
    state.q0, state.q1, state.q2, state.q3 = START.orientation
    state.w_x, state.w_y, state.w_z = rotation_matrix(START.orientation).T @ START.angular_velocity
    h = DURATION / n
    for i in range(n):
        rates = start_rates(state, motion, i * h)
        push = [tuple(acceleration_at(motion, (i + share) * h)) for share in (0.5, 1.0)]
        vertex_step(pivot, BODY.gravity, state, rates, tuple(push), h, state)
    return moving(state)


def edge_flight(motion, n):
    """Angle and rate (2,) after ``n`` equal steps about edge 0."""
    constants, segment, state = constants_of(BODY), segment_of(motion), np.zeros(1, STATE)[0]
    state.angle, state.rate = 0.12, 0.05
    state.along_x, state.along_y = 0.0, 1.0
    edge = constants.edges[0]
    h = DURATION / n
    for i in range(n):
        rates = edge_rates(i * h, np.array([state.angle, state.rate]), motion)
        begin = (BODY.gravity, *com_of(edge, state.angle), rates[1])
        turn, state.rate = edge_step(edge, state, begin, segment, i * h, h)
        state.angle += turn
    return np.array([state.angle, state.rate])


def start_rates(state, motion, t):
    """What `vertex_step` is given of the start of a step: twice the rate of the quaternion, the
    angular acceleration, and the effective gravity, which the step does not read."""
    rates = vertex_rates(t, moving(state), motion)
    return (*(2.0 * rates[:4]), *rates[4:], 0.0, 0.0, 0.0)


def com_of(edge, angle):
    """COM over the first end of an edge at an angle [rad], inwards and up [m]."""
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return turn @ np.array([edge.com_n, edge.com_z])


def acceleration_at(motion, t):
    if isinstance(motion, Motion):
        first, last = motion.acceleration.T
        return first + (last - first) * t / motion.dt
    return motion.acceleration_at(t)


def vertex_rates(t, y, motion):
    """K w' + w x K w = c x m R^T g_eff and q' = q (0, w)/2, with numpy."""
    q, w = y[:4] / np.linalg.norm(y[:4]), y[4:]
    c = -BODY.base[START.vertex]
    K = BODY.inertia + BODY.mass * (c @ c * np.eye(3) - np.outer(c, c))
    pull = rotation_matrix(q).T @ (-acceleration_at(motion, t) - [0.0, 0.0, BODY.gravity])
    turn = np.linalg.solve(K, np.cross(c, BODY.mass * pull) - np.cross(w, K @ w))
    q_rate = 0.5 * np.concatenate([[-q[1:] @ w], q[0] * w + np.cross(q[1:], w)])
    return np.concatenate([q_rate, turn])


def edge_rates(t, y, motion):
    """theta'' = e . (c x m R^T g_eff)/(e . K e) about edge 0, which runs along y."""
    e, c = np.array([0.0, 1.0, 0.0]), -BODY.base[0]
    K = BODY.inertia + BODY.mass * (c @ c * np.eye(3) - np.outer(c, c))
    R = rotation_matrix([np.cos(y[0] / 2), 0.0, np.sin(y[0] / 2), 0.0])
    pull = R.T @ (-acceleration_at(motion, t) - [0.0, 0.0, BODY.gravity])
    return [y[1], e @ np.cross(c, BODY.mass * pull) / (e @ K @ e)]


def integrated(rates, start, motion):
    return solve_ivp(
        rates, (0, DURATION), start, "DOP853", args=(motion,), rtol=1e-13, atol=1e-14
    ).y[:, -1]  # fmt: skip


def orders(errors):
    return [log2(coarse / fine) for coarse, fine in pairwise(errors)]


@pytest.mark.parametrize("motion", [RAMP, SINE], ids=["ramp", "sine"])
def test_vertex_flight(motion):
    body_omega = rotation_matrix(START.orientation).T @ START.angular_velocity
    exact = integrated(vertex_rates, [*START.orientation, *body_omega], motion)
    assert vertex_flight(motion, FINE) == pytest.approx(exact, abs=REFERENCE_RTOL)
    errors = [np.abs(vertex_flight(motion, n) - exact).max() for n in STEPS]
    assert orders(errors) == pytest.approx([ORDER] * 3, abs=ORDER_ATOL)


@pytest.mark.parametrize("motion", [RAMP, SINE], ids=["ramp", "sine"])
def test_edge_flight(motion):
    exact = integrated(edge_rates, [0.12, 0.05], motion)
    assert edge_flight(motion, FINE) == pytest.approx(exact, abs=REFERENCE_RTOL)
    errors = [np.abs(edge_flight(motion, n) - exact).max() for n in STEPS]
    assert orders(errors) == pytest.approx([ORDER] * 3, abs=ORDER_ATOL)


def controls(step):
    """Steps of this length [s] only."""
    return Controls(step=1.0, max_step=step, edge_zeno_time=1e-6, rest_time=1e-5)


def first_impact(start, step):
    run = simulate(BODY, None, Impact(), start=start, controls=controls(step), t_end=3.0)
    event = run.events[0]
    return event["t"], event["omega"]


@pytest.mark.parametrize("start", [START, Start(edge=0, tilt=0.15)], ids=["edge impact", "facet impact"])
def test_time_and_velocity_of_impact(start):
    """Events are found by stepping again, not by interpolating: they keep the order of the integrator."""
    time, omega = first_impact(start, 1 / 1600)
    steps = [1 / 12, 1 / 24, 1 / 48]  # divide the second of still ground that a free run begins with
    found = [first_impact(start, step) for step in steps]
    time_errors = [abs(t - time) for t, _ in found]
    omega_errors = [np.abs(w - omega).max() for _, w in found]
    assert orders(time_errors) == pytest.approx([ORDER] * 2, abs=EVENT_ORDER_ATOL)
    assert orders(omega_errors) == pytest.approx([ORDER] * 2, abs=EVENT_ORDER_ATOL)


def test_time_of_edge_impact_against_scipy():
    still = Motion(np.zeros((3, 2)), dt=1.0, name="still")

    def height(t, y, motion, other):
        d = BODY.base[other] - BODY.base[START.vertex]
        return (rotation_matrix(y[:4] / np.linalg.norm(y[:4])) @ d)[2]

    events = [lambda t, y, motion, other=other: height(t, y, motion, other) for other in (0, 2)]
    for event in events:
        event.terminal, event.direction = True, -1
    body_omega = rotation_matrix(START.orientation).T @ START.angular_velocity
    found = solve_ivp(
        vertex_rates, (0, 3), [*START.orientation, *body_omega], "DOP853",
        args=(still,), rtol=1e-12, atol=1e-14, events=events,
    )  # fmt: skip
    landed = [0, 2][[len(times) for times in found.t_events].index(1)]
    run = simulate(BODY, start=START, controls=controls(1e-3), t_end=3.0)
    assert run.events[0]["kind"] == "edge_impact"
    assert run.events[0]["to"][1] in (landed, *([0, 1] if landed == 0 else [1]))
    assert run.events[0]["t"] == pytest.approx(found.t[-1], abs=REFERENCE_RTOL)


@pytest.mark.parametrize("size", [1 / 3, 1.0, 3.0])
def test_production_step_is_fine_enough_for_bodies_of_every_size(size):
    """Times of the first impact at production settings: 1e-6 of the flight or better."""
    body = Body(BODY.mass, BODY.inertia * size**2, BODY.base * size)
    for start in (Start(edge=0, tilt=0.15), START):
        fine = simulate(body, start=start, controls=controls(2e-4 * size**0.5), t_end=5.0).events[0]["t"]
        found = simulate(body, start=start, t_end=5.0).events[0]["t"]
        assert found == pytest.approx(fine, rel=1e-6)
