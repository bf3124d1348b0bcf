"""A body that slips, slides and flies on a circular base, against closed forms, invariants and SciPy."""

from dataclasses import replace
from math import atan2, cos, pi, sin, sqrt

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipe, ellipk

from mcrock.base.params import Mode, Outcome
from mcrock.body import cylinder, rotation_matrix
from mcrock.excitation import Motion, Pulse
from mcrock.impact.conditions import Contact, Controls, Impact, Start
from mcrock.simulation.runs import simulate
from tests.unit.kernel.test_rolling import block_like

G = 9.81
FINE = Controls(step=0.005, max_step=1.0)


def drum(height=1.0, **given):
    return cylinder(0.2, height, density=1000.0, **given)


def leaning(tilt, azimuth=0.0):
    """Quaternion of a body that leans towards an azimuth."""
    return cos(tilt / 2), -sin(azimuth) * sin(tilt / 2), cos(azimuth) * sin(tilt / 2), 0.0


@pytest.mark.parametrize("friction", [1e-9, 0.05, 0.1, 0.2])
@pytest.mark.parametrize("velocity", [(0.0, 0.0, 0.0), (0.6, 0.2, 0.6)])
def test_friction_takes_all_energy_that_is_lost(friction, velocity):
    """Through sweeps near flat too, where forces grow beyond all bounds."""
    start = Start(vertex=0, orientation=leaning(0.1), angular_velocity=velocity)
    run = simulate(drum(), start=start, contact=Contact(friction=friction), t_end=1.5, controls=FINE)
    assert Mode.ROLL_SLIP in run.history["mode"].values
    energy = run.history["energy"].values
    # a slip stops at once where it would within 10 us: with it goes that speed times the momentum
    assert energy[-1] + run.friction_energy_loss == pytest.approx(energy[0], rel=1e-5)
    assert run.impact_energy_loss == 0.0


def test_much_friction_is_a_rim_that_rolls():
    start = Start(vertex=0, orientation=leaning(0.1), angular_velocity=(0.3, 0.1, 0.2))
    free, held = (
        simulate(drum(), Pulse((3.0, 5.0, 0.0), 8.0), start=start, contact=contact, t_end=0.8)
        for contact in (None, Contact(friction=5.0))
    )
    assert held.slip_path == 0.0
    assert (held.history["orientation"].values[-1] == free.history["orientation"].values[-1]).all()


@pytest.mark.parametrize("height", [0.2, 0.6, 1.5])
def test_sweep_of_a_smooth_rim(height):
    """Without friction the contact turns by pi sqrt(1 + m R^2/A), A the inertia about a diameter of the base
    but of the centre of mass (Srinivasan and Ruina 2008), and the centre of mass keeps its place."""
    body = drum(height)
    start = Start(vertex=0, orientation=leaning(0.05))
    run = simulate(body, start=start, contact=Contact(friction=1e-12), t_end=0.5, controls=FINE)
    history = run.history
    tilt = history["tilt"].values
    low = int(tilt.argmin())
    assert tilt[low] < 1e-7
    axes = np.array([rotation_matrix(q)[2, :2] for q in history["orientation"].values])
    towards = np.arctan2(-axes[:, 1], -axes[:, 0])
    before, after = np.searchsorted(
        history["time"].values, history["time"].values[low] + np.array([-0.01, 0.01])
    )
    turned = abs(towards[after] - towards[before]) % (2 * pi)
    sweep = pi * sqrt(1 + body.mass * body.rim**2 / body.inertia[0, 0]) % (2 * pi)
    assert min(turned, 2 * pi - turned) == pytest.approx(min(sweep, 2 * pi - sweep), abs=2e-3)
    assert np.abs(history["com"].values[:, :2] - history["com"].values[0, :2]).max() < 5e-5


def slipping(body, friction, start, times):
    """Orientation, angular velocity in body axes and velocity of the centre of mass of a body that slips on
    its rim: the normal force holds the lowest point on the ground, found by differences along the motion."""
    mass, inertia, rim = body.mass, body.inertia, body.rim
    base = body.base.mean(axis=0)

    def contact(quaternion):
        turn = rotation_matrix(quaternion / np.linalg.norm(quaternion))
        up = turn[2]
        away = -up[:2] / np.hypot(*up[:2])
        return turn, turn @ (base + rim * np.array([*away, 0.0]))

    def spread(state):
        return state[:4], state[4:7], state[7:10]

    def sinking(state):
        quaternion, w, v = spread(state)
        turn, arm = contact(quaternion)
        return v[2] + np.cross(turn @ w, arm)[2]

    def pushed(state, normal):
        quaternion, w, v = spread(state)
        turn, arm = contact(quaternion)
        slip = (v + np.cross(turn @ w, arm))[:2]
        force = normal * np.array([*(-friction * slip / np.hypot(*slip)), 1.0])
        q0, q1, q2, q3 = quaternion
        rate = 0.5 * np.array([[-q1, -q2, -q3], [q0, -q3, q2], [q3, q0, -q1], [-q2, q1, q0]]) @ w
        moment = turn.T @ np.cross(arm, force) - np.cross(w, inertia @ w)
        return np.concatenate([rate, np.linalg.solve(inertia, moment), force / mass - (0.0, 0.0, G)])

    def rates(_, state):
        small = 1e-6

        def rise(normal):
            step = small * pushed(state, normal)
            return (sinking(state + step) - sinking(state - step)) / (2 * small)

        none, one = rise(0.0), rise(mass * G)
        return pushed(state, -none / (one - none) * mass * G)

    quaternion = np.array(start.orientation)
    turn, arm = contact(quaternion)
    w = turn.T @ np.array(start.angular_velocity)
    begin = np.concatenate([quaternion, w, -np.cross(turn @ w, arm) + (0.3, 0.2, 0.0)])
    return solve_ivp(rates, (0.0, times[-1]), begin, t_eval=times, rtol=1e-9, atol=1e-10, method="DOP853").y


def test_slip_is_that_of_newton_and_coulomb():
    """Against SciPy's integration of the equations of Newton and Euler, with off-axis centre of mass."""
    body = drum(0.8, com=(0.02, 0.01, 0.05))
    times = np.linspace(0.0, 0.15, 6)
    start = Start(vertex=0, orientation=leaning(0.15, 0.4), angular_velocity=(0.5, -0.3, 0.8))
    expected = slipping(body, 0.1, start, times)
    begin = Start(
        vertex=0, orientation=start.orientation, angular_velocity=start.angular_velocity,
        velocity=(0.3, 0.2, 0.0),
    )  # fmt: skip
    run = simulate(body, start=begin, contact=Contact(friction=0.1), t_end=times[-1], controls=FINE)
    assert set(run.history["mode"].values) == {Mode.ROLL_SLIP}
    end = run.history.isel(time=-1)
    np.testing.assert_allclose(end["orientation"].values, expected[:4, -1], atol=2e-7)
    turned = rotation_matrix(end["orientation"].values) @ expected[4:7, -1]
    np.testing.assert_allclose(end["angular_velocity"].values, turned, atol=2e-6)


@pytest.mark.parametrize("azimuth", [0.0, 1.1])
def test_a_flat_base_slides_below_the_ratio_at_which_it_tips(azimuth):
    """A pulse of constant strength: friction below R/h slides by the closed form, above it rocks."""
    body = drum(1.0)
    n, dt, push = 100, 0.002, 7.0
    shaking = np.zeros((3, 3 * n))
    shaking[:2, : n + 1] = push * np.array([[cos(azimuth)], [sin(azimuth)]])
    motion = Motion(shaking, dt, "step")
    ratio = body.rim / body.com_height
    below = simulate(body, motion, contact=Contact(friction=0.999 * ratio), t_end=3.0)
    assert below.peak_tilt == 0.0
    assert below.outcome == Outcome.AT_REST
    brake, time = 0.999 * ratio * G, n * dt
    speed = (push - brake) * time
    # two intervals more: the acceleration falls to zero along one sample
    assert below.slip_path == pytest.approx(speed * time / 2 + speed**2 / (2 * brake), rel=0.02)
    above = simulate(body, motion, contact=Contact(friction=1.001 * ratio), t_end=3.0)
    assert above.peak_tilt > 1e-3


def test_outcomes_do_not_know_the_azimuth():
    """The body turned about its axis, and the shaking with it."""
    found = []
    for azimuth in (0.0, 0.7, 2.9):
        pulse = Pulse((6.0 * cos(azimuth), 6.0 * sin(azimuth), 1.0), 6.0)
        run = simulate(drum(1.0), pulse, contact=Contact(friction=0.5), t_end=1.0)
        up = rotation_matrix(run.history["orientation"].values[-1])[:, 2]
        found.append([run.peak_tilt, run.slip_path, atan2(up[1], up[0]) - azimuth])
    assert np.ptp(found, axis=0).max() < 1e-6


def test_a_ground_that_drops_away_lets_it_fly_and_land_flat():
    drop = np.zeros((3, 60))
    drop[2, :10] = -15.0
    run = simulate(drum(1.0), Motion(drop, 0.01, "drop"), contact=Contact(friction=0.5), t_end=2.0)
    kinds = [event["kind"] for event in run.events]
    assert kinds[:2] == ["liftoff", "landing"]
    assert run.outcome == Outcome.AT_REST
    assert run.flights == 1.0


def test_it_flies_off_its_rim_and_lands_on_it():
    drop = np.zeros((3, 60))
    drop[2, :8] = -15.0
    start = Start(vertex=0, orientation=leaning(0.1), angular_velocity=(0.5, 0.2, 0.0))
    run = simulate(
        drum(1.0), Motion(drop, 0.01, "drop"), start=start, contact=Contact(friction=0.5), t_end=2.0
    )
    kinds = [event["kind"] for event in run.events]
    assert "liftoff" in kinds
    assert kinds[kinds.index("liftoff") + 1] == "landing"
    assert run.outcome in (Outcome.SETTLING, Outcome.AT_REST, Outcome.OVERTURNED, Outcome.ROCKING)


@pytest.mark.parametrize("friction", [0.05, 0.15, 5.0])
def test_landing_of_an_uneven_base_is_that_of_a_block(friction):
    """In a plane: the contact slips before, in the impact and after it, or sticks throughout."""
    body, start, controls = drum(1.0), Start(edge=0, tilt=0.1), Controls(tail=5.0)
    contact = Contact(friction=friction)
    block = simulate(block_like(body), contact=contact, start=replace(start, edge=1), controls=controls)
    clearance = 1e-5
    impact = Impact(clearance=clearance)
    uneven = simulate(body, contact=contact, impact=impact, start=start, controls=controls)
    assert uneven.outcome == block.outcome == Outcome.AT_REST
    landings = [[e for e in run.events if e["kind"] == "facet_impact"] for run in (uneven, block)]
    for a, b in list(zip(*landings, strict=False))[:2]:
        assert a["t"] == pytest.approx(b["t"], abs=1e-3)
        assert a["energy_change"] == pytest.approx(b["energy_change"], rel=0.02)
        assert np.linalg.norm(a["omega"]) == pytest.approx(np.linalg.norm(b["omega"]), rel=0.01)
    assert uneven.friction_energy_loss == pytest.approx(block.friction_energy_loss, rel=0.03, abs=1e-9)
    moved = [np.hypot(run.final_displacement_x, run.final_displacement_y) for run in (uneven, block)]
    assert moved[0] == pytest.approx(moved[1], rel=0.03, abs=1e-6)
    lost = uneven.impact_energy_loss + uneven.friction_energy_loss
    energy = uneven.history["energy"].values
    # 48 corners on the circle carry a landing with slip: their sides are nearer to the axis by 0.2 %
    assert energy[0] - energy[-1] == pytest.approx(lost, rel=5e-3)


@pytest.mark.parametrize(
    ("ratio", "within"),
    [
        (0.02, 4e-5),
        (0.3, 4e-5),
        (0.6, 4e-5),
        (0.9, 1e-3),
        (0.97, 0.01),
        (1.03, 0.01),
        (1.1, 1e-3),
        (3.0, 4e-5),
        (50.0, 4e-5),
    ],
)
def test_friction_of_a_circle_that_slides_and_spins(ratio, within):
    """48 corners against the elliptic integrals of a ring of even pressure, as a flat disc has on its rim.

    ``ratio`` is the slip of its middle over that of the rim by the spin; near 1 a point stands still."""
    radius, mu, spin = 0.3, 0.4, 10.0
    body = cylinder(radius, 0.006, density=2000.0)
    start = Start(velocity=(ratio * spin * radius, 0.0, 0.0), yaw_rate=spin)
    t_end = 1e-5 * max(ratio, 0.1)
    history = simulate(body, contact=Contact(friction=mu), start=start, t_end=t_end).history
    assert history["mode"][0] == Mode.SPIN
    slowing = -np.diff(history["velocity"].values[[0, -1], 0])[0] / t_end
    turning = -np.diff(history["angular_velocity"].values[[0, -1], 2])[0] / t_end
    share = 4.0 * ratio / (1.0 + ratio) ** 2
    lengths, inverse = 4.0 * (1.0 + ratio) * ellipe(share), 4.0 / (1.0 + ratio) * ellipk(share)
    force = (lengths + (ratio**2 - 1.0) * inverse) / (4.0 * pi * ratio)
    moment = (lengths + (1.0 - ratio**2) * inverse) / (4.0 * pi)
    assert slowing == pytest.approx(mu * G * force, rel=within)
    assert turning * body.inertia[2, 2] == pytest.approx(mu * body.mass * G * radius * moment, rel=within)
