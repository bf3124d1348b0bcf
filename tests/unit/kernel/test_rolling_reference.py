"""The references for rolling on a rim against closed forms and each other, and the kernel against them."""

from dataclasses import replace
from math import atan, cos, pi, sin, sqrt

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

from mcrock.base.params import Outcome
from mcrock.body import Body
from mcrock.excitation import Motion
from mcrock.impact.conditions import Controls, Start
from mcrock.simulation.runs import simulate
from tests.physics.test_round_bases import HEIGHT, RADIUS, rolling
from tests.unit.kernel.rolling_reference import (
    UP,
    G,
    Rim,
    at_contact,
    components,
    contact,
    disc_spins,
    frustum_rim,
    general_sweep,
    leaning,
    linear_integrals,
    moments,
    random_case,
    resistance,
    roll,
    steady_precession,
    sweep,
    swept,
    wobbling_precession,
)

DISC = Rim(2.0, 2.0 * np.diag([0.25, 0.25, 0.5]), np.zeros(3), 1.0)
CYLINDER = frustum_rim(3.0, RADIUS, RADIUS, HEIGHT)
FRUSTUM = frustum_rim(3.0, 0.3, 0.2, 0.5)


def precessing(body, tilt, precession, spin, rate=0.0):
    """State of a body that leans along x, from its precession about the vertical, spin n and rate of tilt."""
    return leaning(body, tilt, rate, spin, -precession * sin(tilt))


def slenderness(body):
    return np.arctan2(body.radius, -body.centre[2])


@pytest.mark.parametrize("seed", [0, 1, 8])
def test_a_random_motion_keeps_contact_and_its_energy(seed):
    """The contact neither leaves the ground nor moves on it, energy changes by the work of the shaking."""
    case = random_case(seed)
    start = at_contact(case.body, case.orientation, case.angular_velocity)
    rolled = roll(case.body, start, np.linspace(0.0, case.duration, 31), case.shaking)
    assert np.abs(rolled.work).max() > 1e-3 * rolled.energy[0]
    assert rolled.energy - rolled.work == pytest.approx(rolled.energy[0], rel=1e-11)
    turn = Rotation.from_quat(rolled.orientation, scalar_first=True).as_matrix()
    around = 2.0 * pi * np.arange(3600)[:, None] / 3600
    points = case.body.centre + case.body.radius * np.hstack([np.cos(around), np.sin(around), 0.0 * around])
    places = rolled.position[:, None] + points @ np.swapaxes(turn, 1, 2)
    assert np.abs(places[:, :, 2].min(1)).max() < 1e-6 * case.body.radius  # between two of the 3600 points
    low = np.take_along_axis(places, places[:, :, 2].argmin(1)[:, None, None], 1)[:, 0]
    speeds = rolled.velocity + np.cross(rolled.angular_velocity, low - rolled.position)
    spread = np.linalg.norm(rolled.angular_velocity, axis=1) * case.body.radius
    assert (np.linalg.norm(speeds, axis=1) < 1e-3 * spread).all()


def test_a_random_motion_does_not_depend_on_tolerance_or_pieces():
    case = random_case(8)
    start = at_contact(case.body, case.orientation, case.angular_velocity)
    times = np.array([0.5, 1.0, case.duration])
    fine = roll(case.body, start, times, case.shaking)
    coarse = roll(case.body, start, times, case.shaking, rtol=1e-9)
    pieces = roll(case.body, start, times, case.shaking, piece=case.shaking.step / 4)
    for name in ("position", "orientation", "velocity", "angular_velocity"):
        assert getattr(coarse, name) == pytest.approx(getattr(fine, name), abs=1e-7)
        assert getattr(pieces, name) == pytest.approx(getattr(fine, name), abs=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_the_kernel_rolls_as_the_reference(seed):
    """States to 1e-7, overturning to 1e-6 s; at this step it errs by less than 1e-8 and 1e-10 s."""
    case = random_case(seed)
    body, around = case.body, 2.0 * pi * np.arange(48)[:, None] / 48
    corners = body.centre + body.radius * np.hstack([np.cos(around), np.sin(around), 0.0 * around])
    turn = Rotation.from_quat(case.orientation, scalar_first=True)
    start = Start(
        vertex=int(turn.apply(corners)[:, 2].argmin()),
        orientation=case.orientation,
        angular_velocity=case.angular_velocity,
    )
    rim = Body(body.mass, body.inertia, corners, gravity=G, rim=body.radius)
    motion = Motion(case.shaking.acceleration, case.shaking.step, "random")
    controls = Controls(step=0.0025, max_step=1.0)
    run = simulate(rim, motion, start=start, t_end=case.duration, controls=controls)
    state = at_contact(body, case.orientation, case.angular_velocity)
    rolled = roll(body, state, np.array([0.0, case.duration]), case.shaking, pulled=True)
    assert (run.outcome == Outcome.OVERTURNED) is (rolled.ending == "level")
    if rolled.ending == "level":
        assert run.events[-1]["t"] == pytest.approx(rolled.end, abs=1e-6)
        return
    first, last = run.history.isel(time=0), run.history.isel(time=-1)
    moved = last["com"].values - first["com"].values
    assert moved == pytest.approx(rolled.position[-1] - rolled.position[0], abs=1e-7)
    assert last["angular_velocity"].values == pytest.approx(rolled.angular_velocity[-1], abs=1e-7)
    again = Rotation.from_quat(last["orientation"].values, scalar_first=True).inv()
    turned = again * Rotation.from_quat(rolled.orientation[-1], scalar_first=True)
    assert turned.magnitude() < 1e-7


def test_a_motion_turns_with_the_start_and_scales_with_the_mass():
    case, angle = random_case(2), 1.1
    turn = Rotation.from_rotvec([0.0, 0.0, angle])
    times = np.linspace(0.0, 1.0, 6)
    start = at_contact(case.body, case.orientation, case.angular_velocity)
    first = roll(case.body, start, times, case.shaking)
    q = (turn * Rotation.from_quat(case.orientation, scalar_first=True)).as_quat(scalar_first=True)
    shaking = case.shaking._replace(acceleration=turn.as_matrix() @ case.shaking.acceleration)
    heavy = replace(case.body, mass=7.0 * case.body.mass, inertia=7.0 * case.body.inertia)
    second = roll(heavy, at_contact(heavy, q, turn.apply(case.angular_velocity)), times, shaking)
    assert second.position == pytest.approx(turn.apply(first.position), abs=1e-9)
    assert second.angular_velocity == pytest.approx(turn.apply(first.angular_velocity), abs=1e-9)
    assert second.force == pytest.approx(7.0 * turn.apply(first.force), rel=1e-8)


def test_it_agrees_with_moments_about_the_contact():
    """A cylinder by another formulation, of the axis and three components of the angular velocity alone."""
    other = rolling(0.3, 1.5, 1.0)
    rolled = roll(CYLINDER, precessing(CYLINDER, 0.3, 1.5, 0.0), np.array([0.0, 1.0]))
    assert rolled.axis[-1] == pytest.approx(other.y[:3, -1], abs=1e-9)
    assert rolled.angular_velocity[-1] == pytest.approx(other.y[3:, -1], abs=1e-8)


def test_the_times_of_a_planar_fall():
    """Over its slenderness to a level axis, and back almost flat: quadratures of the energy."""
    (A, _, h), reach = moments(CYLINDER), sqrt(RADIUS**2 + CYLINDER.centre[2] ** 2)
    alpha = atan(RADIUS / h)

    def time(tilt, to):
        def integrand(s):  # tilt = start + (to - start) s^2 takes the singular end away
            drop = cos(tilt - alpha) - cos(tilt + (to - tilt) * s * s - alpha)
            return 2.0 * abs(to - tilt) * s / sqrt(2.0 * G * reach * drop / (A + reach**2))

        return quad(integrand, 0.0, 1.0, epsabs=0, epsrel=1e-12)[0]

    over = roll(CYLINDER, precessing(CYLINDER, 0.6, 0.0, 0.0), np.array([5.0]), pulled=True)
    assert over.ending == "level"
    assert over.end == pytest.approx(time(0.6, pi / 2), abs=1e-9)
    assert over.tilt[-1] == pytest.approx(pi / 2, abs=1e-9)
    back = roll(CYLINDER, precessing(CYLINDER, 0.3, 0.0, 0.0), np.array([5.0]), lowest_tilt=0.01)
    assert back.ending == "near flat"
    assert back.end == pytest.approx(time(0.3, 0.01), abs=1e-9)
    assert back.tilt[-1] == pytest.approx(0.01, abs=1e-9)


def test_it_ends_where_the_ground_would_have_to_pull():
    """Spun fast, the COM falls faster than freely and the rim lifts off."""
    rolled = roll(CYLINDER, precessing(CYLINDER, 0.8, 0.0, 0.0, 3.0), np.linspace(0.0, 0.5, 6))
    assert rolled.ending == "lift"
    assert (rolled.force[:-1, 2] > 0.0).all()
    assert rolled.force[-1, 2] == pytest.approx(0.0, abs=1e-6 * 3.0 * G)


@pytest.mark.parametrize("body", [DISC, CYLINDER, FRUSTUM], ids=["disc", "cylinder", "frustum"])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("spin", [-2.0, 0.0, 3.0])
def test_steady_rolling(body, share, spin):
    """Tilt and spin stay, the COM runs on its circle, and the friction is that of the circle."""
    tilt = share * slenderness(body)
    precession = steady_precession(body, tilt, spin)
    rolled = roll(body, precessing(body, tilt, precession, spin), np.linspace(0.0, 0.5, 6))
    n, _, rate = components(rolled)
    assert rolled.tilt == pytest.approx(tilt, abs=1e-11)
    assert n == pytest.approx(spin, abs=1e-9)
    assert rate == pytest.approx(0.0, abs=1e-9)
    speed = abs(precession * moments(body)[2] * sin(tilt) - spin * body.radius)
    assert np.linalg.norm(rolled.velocity, axis=1) == pytest.approx(speed, abs=1e-9)
    assert rolled.force[:, 2] == pytest.approx(body.mass * G, rel=1e-9)
    friction = np.hypot(rolled.force[:, 0], rolled.force[:, 1]) / rolled.force[:, 2]
    assert friction == pytest.approx(precession * speed / G, rel=1e-8, abs=1e-9)


@pytest.mark.parametrize("body", [DISC, CYLINDER, FRUSTUM], ids=["disc", "cylinder", "frustum"])
@pytest.mark.parametrize("share", [0.1, 0.4])
def test_wobbling_about_a_centre_of_mass_at_rest(body, share):
    tilt = share * slenderness(body)
    precession, spin = wobbling_precession(body, tilt)
    assert precession == pytest.approx(steady_precession(body, tilt, spin), rel=1e-13)
    rolled = roll(body, precessing(body, tilt, precession, spin), np.linspace(0.0, 0.5, 6))
    assert np.abs(rolled.velocity).max() < 1e-10
    assert rolled.position == pytest.approx(np.tile(rolled.position[0], (6, 1)), abs=1e-11)
    if body is DISC:
        assert precession**2 == pytest.approx(4.0 * G / (body.radius * sin(tilt)), rel=1e-13)


@pytest.mark.parametrize("body", [DISC, CYLINDER, FRUSTUM], ids=["disc", "cylinder", "frustum"])
def test_two_linear_integrals(body):
    """Spin and precession are linear in those at the start, with coefficients of the tilt alone."""
    tilt = 0.4 * slenderness(body)
    start = precessing(body, tilt, 0.5 * steady_precession(body, tilt, 1.0), 1.0)
    rolled = roll(body, start, np.linspace(0.0, 1.5, 16))
    n, p, _ = components(rolled)
    assert np.ptp(rolled.tilt) > 0.1 * tilt
    assert np.ptp(n) > 0.05
    matrices = linear_integrals(body, tilt, rolled.tilt)
    assert matrices @ [n[0], p[0]] == pytest.approx(np.stack([n, p], 1), abs=1e-9)


def test_the_integrals_of_the_disc_in_closed_form():
    """n is a sum of two hypergeometric functions of the tilt, whose weights the motion keeps."""
    tilt = 0.6
    rolled = roll(DISC, precessing(DISC, tilt, 4.0, 1.0), np.linspace(0.0, 1.5, 16))
    n, p, _ = components(rolled)
    assert np.ptp(rolled.tilt) > 0.2
    slope = -p * 1.0 / (0.5 + 1.0)  # of n by the tilt: m R^2/(C + m R^2)
    weights = [
        np.linalg.solve(disc_spins(DISC, at), both)
        for at, both in zip(rolled.tilt, np.stack([n, slope], 1), strict=True)
    ]
    assert np.array(weights) == pytest.approx(np.tile(weights[0], (16, 1)), abs=1e-9)


@pytest.mark.parametrize("body", [DISC, CYLINDER], ids=["disc", "cylinder"])
@pytest.mark.parametrize(("spin", "p"), [(0.0, -0.2), (0.4, -0.2), (-0.4, -0.2), (0.4, 0.2)])
def test_the_sweep_near_flat(body, spin, p):
    """Turn, time and least tilt differ from the leading order by a share of the tilt; (n, p) come back."""
    errors = []
    for tilt in (2e-3, 1e-3):
        rolled, turn = swept(body, tilt, -1.0, spin, p)
        assert rolled.ending == "high"
        formula = sweep(body, tilt, -1.0, spin, p)
        assert turn * -p > 0.0
        shares = turn / formula.turn, rolled.end / formula.time, rolled.tilt.min() / formula.least_tilt
        errors.append(np.array(shares) - 1.0)
        n, across, rate = components(rolled)
        assert (n[-1], across[-1], rate[-1]) == pytest.approx((spin, p, 1.0), abs=1e-6)
    assert errors[0] / errors[1] == pytest.approx([2.0] * 3, abs=0.1)
    assert np.abs(2.0 * errors[1] - errors[0]).max() < 2e-4
    assert np.abs(errors[1]).max() < 0.02


@pytest.mark.parametrize("body", [DISC, CYLINDER], ids=["disc", "cylinder"])
def test_the_turn_of_a_can_and_the_friction_it_takes(body):
    """With almost no lateral speed, from p = 0 to p = 0; tangential over normal force is m h R/A0."""
    (A, _, h), R = moments(body), body.radius
    about = A + h * h
    limit = pi * sqrt(1.0 + R * R / about)
    assert sweep(body, 1e-3, -1.0, 0.0, -1e-9).turn == pytest.approx(limit, rel=1e-8)
    assert sweep(body, 1e-3, -1.0, 0.0, 1e-9).turn == pytest.approx(-limit, rel=1e-8)
    rolled, _ = swept(body, 1e-3, -1.0, 0.0, -0.1)
    low = rolled.force[rolled.tilt < 2.0 * rolled.tilt.min()]
    friction = np.hypot(low[:, 0], low[:, 1]) / low[:, 2]
    assert friction == pytest.approx(h * R / about, abs=2e-3)


@pytest.mark.parametrize("body", [DISC, CYLINDER], ids=["disc", "cylinder"])
@pytest.mark.parametrize("share", [0.8, 1.2])
def test_the_side_of_a_sweep(body, share):
    """A spinning body that comes down in a plane, nearly, turns to the side of psi' - C n/(2 D) with
    D = A + m h^2 C/(C + m R^2), from d(tilt p)/dtilt = -tilt C n/D of the linear integrals."""
    (A, C, h), tilt, spin = moments(body), 0.005, 1.0
    precession = share * C * spin / (2.0 * (A + h * h * C / (C + body.radius**2)))
    rolled, _ = swept(body, tilt, -1.0, spin, -precession * sin(tilt))
    p = components(rolled)[1]
    assert np.abs(p).max() > 0.1
    assert np.sign(p[np.abs(p).argmax()]) == np.sign(1.0 - share)


def test_the_turn_on_a_smooth_rim():
    """Without friction, from energy and angular momentum: A in place of A0, whatever the spin."""
    (A, C, h), R, tilt, spin, p = moments(CYLINDER), RADIUS, 1e-4, 0.4, -0.2
    upright = -A * p * sin(tilt) + C * spin * cos(tilt)  # angular momentum about the vertical

    def lateral(theta):
        return (upright - C * spin * cos(theta)) / (A * sin(theta))  # -p

    def falling(theta):
        """Square of the rate of the tilt times its inertia, from a rate of 1 at the start."""
        start, here = ((R * cos(x) - h * sin(x)) ** 2 for x in (tilt, theta))
        drop = h * (cos(tilt) - cos(theta)) + R * (sin(tilt) - sin(theta))
        return (A + start) + A * (p * p - lateral(theta) ** 2) + 2.0 * G * drop, A + here

    least = brentq(lambda theta: falling(theta)[0], 1e-7, tilt, xtol=1e-16)

    def integrand(s):  # theta = least + (tilt - least) s^2
        theta = least + (tilt - least) * s * s
        energy, about = falling(theta)
        return 2.0 * (tilt - least) * s * lateral(theta) / sin(theta) * sqrt(about / energy)

    turn = 2.0 * quad(integrand, 1e-7, 1.0, epsabs=0, epsrel=1e-9)[0]
    formula = sweep(CYLINDER, tilt, -1.0, spin, p, rough=False)
    assert turn == pytest.approx(formula.turn, rel=2e-3)
    assert least == pytest.approx(formula.least_tilt, rel=2e-3)


@pytest.mark.parametrize("seed", [2, 8])
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_the_sweep_of_any_body(seed, side):
    """Off-axis COM, unequal moments: the equation in the azimuth alone, as the tilt goes to zero."""
    body, heading, errors = random_case(seed).body, 0.7, []
    for tilt in (2e-3, 1e-3):
        rolled, turn = swept(body, tilt, -1.0, 0.2, -0.15 * side, heading)
        w = Rotation.from_euler("z", -heading).apply(rolled.angular_velocity[0])
        expected, after = general_sweep(body, w, -heading)
        e_r = np.array([cos(expected - heading), sin(expected - heading), 0.0])
        n, p, rate = (x[-1] for x in components(rolled))
        found = turn - expected, n - after[2], p - after @ e_r, rate - np.cross(UP, e_r) @ after
        errors.append(np.array(found))
    assert errors[0] / errors[1] == pytest.approx([2.0] * 4, abs=0.2)
    assert np.abs(errors[1]).max() < 0.01
    assert np.abs(2.0 * errors[1] - errors[0]).max() < 5e-4


def test_a_body_of_revolution_sweeps_as_any_body():
    """The two forms of the leading order."""
    for spin, p in ((0.0, -0.1), (0.3, -0.1), (0.3, 0.2)):
        turn, after = general_sweep(CYLINDER, np.array([p, -1.0, spin]), 0.0)
        assert turn == pytest.approx(sweep(CYLINDER, 1e-3, -1.0, spin, p).turn, rel=1e-9)
        back = p * cos(turn) - sin(turn), p * sin(turn) + cos(turn), spin
        assert after == pytest.approx(back, abs=1e-9)


def test_the_loss_of_a_rim_that_resists():
    """Without spin the share kappa of A0 p^2/2 a turn, and in a sweep kappa/4 sqrt(J/A0) of all energy."""
    body = replace(CYLINDER, loss=0.01)
    (A, _, h), mass = moments(body), body.mass
    about, J = A + h * h, A + h * h + body.radius**2
    state = precessing(body, 0.2, 3.0, 0.0)
    q, w = state[3:7], state[10:13]
    power = -resistance(body, q, w) @ w
    p, rate = -3.0 * sin(0.2), 3.0 * cos(0.2)
    assert power * 2.0 * pi / rate == pytest.approx(body.loss * mass * about * p * p / 2.0, rel=1e-12)
    _, arm, _ = contact(body, q, w)
    assert resistance(body, q, w) @ np.cross(UP, arm) == pytest.approx(0.0, abs=1e-12)
    rolled, _ = swept(body, 1e-3, -1.0, 0.0, -1e-2)
    lost = (rolled.energy[0] - rolled.energy[-1]) / (mass * J / 2.0)
    assert lost == pytest.approx(body.loss / 4.0 * sqrt(J / about), rel=0.01)
    clear = roll(CYLINDER, leaning(CYLINDER, 0.2, 0.0, 0.0, p), np.array([0.0, 0.5]))
    assert clear.energy[-1] == pytest.approx(clear.energy[0], rel=1e-12)
