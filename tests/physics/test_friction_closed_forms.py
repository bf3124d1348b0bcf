"""Closed forms and independent integrations of bodies that slide, spin, fly and rock while they slide."""

from dataclasses import replace
from itertools import pairwise
from math import pi, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

from mcrock import simulate
from mcrock.base.params import Mode
from mcrock.body import cuboid, hull
from mcrock.excitation import Motion, Pulse
from mcrock.impact.conditions import Contact, Controls, Start
from tests.physics.friction import noise, steps_of

# faces of random hulls may meet at small angles
pytestmark = pytest.mark.filterwarnings("ignore:hull. faces:UserWarning")
FINE = steps_of(1e-3)
SLOW_SLIP = 2e-7  # a slip begins with 1e-7 m/s, and goes on for up to 2 s [m]
SQUAT = cuboid(1.0, 0.8, 0.4, 2000.0)
G = SQUAT.gravity


def newmark(push, ends, friction, t_end):
    """Displacement [m] at ``t_end`` and slip path [m] of a block on ground that accelerates in one direction
    by ``push(t)`` [m/s2], smooth between ``ends`` [s]; times of stops and onsets [s].

    Each stretch of slip in one direction is integrated by SciPy; its end and the next onset are roots.
    Newmark (1965), equation 1, with level ground.
    """
    limit, t, x, path, events = friction * G, 0.0, 0.0, 0.0, []
    grid = np.unique(np.concatenate([np.arange(0.0, t_end, 5e-3), ends, [t_end]]))

    def root(f, start):
        """The first zero after ``start`` of what is positive there."""
        times = np.concatenate([[start], grid[grid > start + 1e-9]])
        for a, b in pairwise(times):
            if f(b) <= 0.0:
                return brentq(f, a, b, xtol=1e-15) if f(a) > 0.0 else a
        return t_end

    while t < t_end:
        onset = root(lambda s: limit - abs(push(s)), t) if abs(push(t)) <= limit else t
        if onset >= t_end:
            break
        sign, a = -np.sign(push(onset)), onset
        events.append(onset)
        # velocity and displacement along the slip, by stretches
        spans = grid[grid > onset]
        v, d, t = 0.0, 0.0, t_end
        for b in spans:
            run = solve_ivp(
                lambda s, y, sign=sign: [-sign * push(s) - limit, y[0]],
                (a, b), [v, d], "DOP853", rtol=1e-13, atol=1e-16, dense_output=True,
            )  # fmt: skip
            if run.y[0, -1] <= 0.0:
                stop = brentq(lambda s, run=run: run.sol(s)[0], a + 0.5 * (b - a) * (v == 0.0), b, xtol=1e-15)
                d, t = run.sol(stop)[1], stop
                events.append(stop)
                break
            (v, d), a = run.y[:, -1], b
        x, path = x + sign * d, path + d
    return x, path, events


SINE = Pulse((4.0, 0.0, 0.0), 7.0, cycles=2.0)


@pytest.mark.parametrize("friction", [0.1, 0.2, 0.35])
def test_newmark_block_under_a_sine(friction):
    end = 2 * pi / 7.0 * 2.0
    x, path, events = newmark(lambda t: 4.0 * np.sin(7.0 * t) if t < end else 0.0, [end], friction, 3.0)
    run = simulate(SQUAT, SINE, contact=Contact(friction=friction), controls=FINE, t_end=3.0)
    assert run.final_displacement_x == pytest.approx(x, abs=SLOW_SLIP)
    assert run.slip_path == pytest.approx(path, abs=SLOW_SLIP)
    ours = [event["t"] for event in run.events]
    theirs = sorted({round(t, 9) for t in events})
    np.testing.assert_allclose(ours, theirs, rtol=0.0, atol=SLOW_SLIP)  # 1e-7 m/s over the braking [m/s2]


@pytest.mark.parametrize("seed", [1, 2])
def test_newmark_block_under_a_record(seed):
    motion = Motion(noise(seed, 4.0).acceleration * [[1.0], [0.0], [0.0]], dt=0.01, name="one component")
    x, path, events = newmark(
        lambda t: np.interp(t, motion.time, motion.acceleration[0], right=0.0), motion.time, 0.2, 1.45
    )
    run = simulate(SQUAT, motion, contact=Contact(friction=0.2), controls=FINE, t_end=1.45)
    assert len(events) > 3
    assert run.final_displacement_x == pytest.approx(x, abs=SLOW_SLIP)
    assert run.slip_path == pytest.approx(path, abs=SLOW_SLIP)


@given(st.integers(0, 10_000))
def test_free_top(seed):
    """Euler's equations and the parabola, by SciPy; energy and angular momentum."""
    rng = np.random.default_rng(seed)
    body = hull(rng.normal(size=(12, 3)) * [0.3, 0.3, 0.4], mass=100.0)
    omega, velocity = rng.normal(size=3) * 3.0, rng.normal(size=3)
    run = simulate(
        body,
        contact=Contact(friction=0.5),
        start=Start(position=(0, 0, 6.0), velocity=velocity, angular_velocity=omega),
        controls=replace(FINE, follow_fall=True),
        t_end=0.8,
    )

    def rates(_, y):
        q, w = y[:4], y[4:]
        turn = np.linalg.solve(body.inertia, -np.cross(w, body.inertia @ w))
        return [*(0.5 * np.concatenate([[-q[1:] @ w], q[0] * w + np.cross(q[1:], w)])), *turn]

    y = solve_ivp(rates, (0, 0.8), [1, 0, 0, 0, *omega], "DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
    last = run.history.isel(time=-1)
    exact = Rotation.from_quat(y[:4], scalar_first=True)
    ours = Rotation.from_quat(last.orientation.values, scalar_first=True)
    assert (exact.inv() * ours).magnitude() < 1e-9
    np.testing.assert_allclose(last.angular_velocity, exact.apply(y[4:]), rtol=0.0, atol=1e-9)
    fall = np.array([0.0, 0.0, 0.5 * G * 0.8**2])
    np.testing.assert_allclose(last.com, np.array([0, 0, 6.0]) + 0.8 * velocity - fall, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("sides", [(1.0, 0.8, 0.4), (0.6, 0.6, 0.9), (2.0, 0.3, 0.2)])
def test_pure_spin_of_a_rectangle(sides):
    """w' = -mu m g r/Theta with r the half diagonal, the pressures of a centred rectangle being equal."""
    body, mu, rate = cuboid(*sides, 2000.0), 0.15, 1.5
    braking = mu * body.mass * G * 0.5 * sqrt(sides[0] ** 2 + sides[1] ** 2) / body.inertia[2, 2]
    t = 0.4 * rate / braking
    common = {"contact": Contact(friction=mu), "start": Start(yaw_rate=rate), "controls": FINE}
    part = simulate(body, t_end=t, **common).history.isel(time=-1)
    np.testing.assert_allclose(part.angular_velocity, [0.0, 0.0, rate - braking * t], rtol=0.0, atol=1e-11)
    whole = simulate(body, t_end=10.0, **common)
    assert whole.end_time == pytest.approx(rate / braking, abs=1e-8)
    assert whole.final_yaw == pytest.approx(0.5 * rate**2 / braking, abs=1e-8)
    radius = 0.5 * sqrt(sides[0] ** 2 + sides[1] ** 2)
    assert whole.slip_path == pytest.approx(radius * whole.final_yaw, rel=1e-6)  # chords of steps


def test_spin_about_a_corner_that_sticks():
    """w' = -mu m g (r_1 + r_2)/(3 Theta) with the arms r from the corner, as a thin triangle presses evenly.

    Friction settles there within some 1e-8 s, which explicit steps would have to follow.
    """
    plan, thickness = np.array([[0.0, 0.0], [1.0, 0.15], [1.0, -0.15]]), 1e-5
    body = hull(np.array([[*corner, z] for corner in plan for z in (0.0, thickness)]), mass=100.0)
    mu, rate, foot, arm = 0.4, 0.8, 2.0 / 3.0, np.hypot(1.0, 0.15)
    braking = mu * body.mass * G * 2.0 * arm / 3.0 / (body.inertia[2, 2] + body.mass * foot**2)
    run = simulate(
        body,
        contact=Contact(friction=mu),
        start=Start(velocity=(0.0, rate * foot, 0.0), yaw_rate=rate),
        controls=FINE,
        t_end=10.0,
    )
    yaw = 0.5 * rate**2 / braking
    assert run.end_time == pytest.approx(rate / braking, abs=1e-7)
    assert run.final_yaw == pytest.approx(yaw, abs=1e-7)
    assert run.slip_path == pytest.approx(arm * yaw, abs=1e-7)
    moved = foot * (np.array([np.cos(yaw), np.sin(yaw)]) - [1.0, 0.0])
    displacement = run.final_displacement_x, run.final_displacement_y
    np.testing.assert_allclose(displacement, moved, rtol=0.0, atol=1e-7)
    assert run.steps < 400


@pytest.mark.parametrize("e", [0.2, 0.5, 0.7])
def test_bouncing_ends_after_t0_times_1_plus_e_over_1_minus_e(e):
    body, height = cuboid(0.5, 0.4, 0.3, 2000.0), 0.2
    start = Start(position=(0.0, 0.0, 0.15 + height))
    contact = Contact(friction=0.4, restitution=e)
    controls = Controls(step=0.004, max_step=1e-3, edge_zeno_time=1e-7, rest_time=1e-6)
    run = simulate(body, contact=contact, start=start, controls=controls, t_end=5.0)
    fall = sqrt(2.0 * height / G)
    assert run.end_time == pytest.approx(fall * (1.0 + e) / (1.0 - e), abs=1e-6)
    assert run.impact_energy_loss == pytest.approx(body.mass * G * height, rel=1e-9)


def onset(b, h, mu, level):
    """Mode of a block of half sides b and h just after a jump of the ground acceleration to level x g."""
    body = cuboid(2 * b, 3.0, 2 * h, 2000.0)
    jump = Motion([[level * G, level * G], [0.0, 0.0], [0.0, 0.0]], dt=0.01, name="jump")
    run = simulate(body, jump, contact=Contact(friction=mu), t_end=1e-9)
    return int(run.history["mode"].values[-1])


CLOSE = 1e-4  # relative distance from a threshold


@pytest.mark.parametrize(
    ("b", "h", "mu"), [(0.2, 0.8, 0.4), (0.2, 0.8, 0.6), (0.5, 0.5, 1.05), (0.3, 0.6, 0.7), (0.1, 1.0, 0.2)]
)
def test_shenton_thresholds_of_rocking_and_slide_rocking(b, h, mu):
    """Shenton (1996): rest up to b/h, rocking up to A_sr = (mu(4h2+b2)-3bh)/(4b2+h2-3 mu b h), then both."""
    assert onset(b, h, mu, b / h * (1.0 - CLOSE)) == Mode.REST
    assert onset(b, h, mu, b / h * (1.0 + CLOSE)) == Mode.EDGE
    above = 4 * b * b + h * h - 3 * mu * b * h
    limit = (mu * (4 * h * h + b * b) - 3 * b * h) / above
    if above > 0.0:
        assert onset(b, h, mu, limit * (1.0 - CLOSE)) == Mode.EDGE
        assert onset(b, h, mu, limit * (1.0 + CLOSE)) == Mode.EDGE_SLIP
    else:
        assert onset(b, h, mu, 1e4) == Mode.EDGE


@pytest.mark.parametrize(("b", "h", "mu"), [(0.2, 0.8, 0.2), (0.5, 0.5, 0.9), (0.3, 0.6, 0.45)])
def test_shenton_threshold_of_sliding(b, h, mu):
    """Below b/h a block slides from mu on, and never rocks from rest."""
    assert onset(b, h, mu, mu * (1.0 - CLOSE)) == Mode.REST
    for level in (mu * (1.0 + CLOSE), 1.0, 5.0, 50.0):
        assert onset(b, h, mu, max(level, mu * (1.0 + CLOSE))) == Mode.SLIDE


@pytest.mark.parametrize("level", [2.0, 3.0])
@pytest.mark.parametrize(("b", "h", "mu"), [(0.2, 0.8, 0.4), (0.3, 0.6, 0.7)])
def test_angular_acceleration_at_the_onset_of_slide_rock(b, h, mu, level):
    """theta'' = g (mu h - b)/(k2 + b2 - mu b h), whatever the shaking; k2 = (b2 + h2)/3."""
    body = cuboid(2 * b, 3.0, 2 * h, 2000.0)
    jump = Motion([[level * G, level * G], [0.0, 0.0], [0.0, 0.0]], dt=0.01, name="jump")
    t = 1e-5
    run = simulate(body, jump, contact=Contact(friction=mu), t_end=t)
    expected = G * (mu * h - b) / ((b * b + h * h) / 3.0 + b * b - mu * b * h)
    rate = np.abs(run.history.angular_velocity.values[-1]).max()
    assert rate / t == pytest.approx(
        expected, rel=1e-4
    )  # the angle changes it by about t^2; onset speed 1e-7
